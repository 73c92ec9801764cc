//! Products of a STEP file: what they look like, how they are put together, what they are called.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::tree::Affine;
use super::entities::{Entities, reference, references};
use super::links::Links;
use super::units::{Units, units};
use crate::geom::Mat3;
use crate::mesh::tessellate::Frame;
use crate::part21::Value;

/// Something that a product consists of: an item of geometry, or a representation that is placed in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Number of the item.
    pub number: u64,
    /// Units of the representation that it stands in.
    pub units: Units,
    /// Where it is placed.
    pub place: Affine,
}

/// A use of a product inside another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Child {
    /// Its definition.
    pub definition: u64,
    /// Its place in the parent; none where the file gives none.
    pub place: Option<Affine>,
}

/// Items of representations that are looked at for one product.
const MOST_STEPS: usize = 1_000_000;

/// Items that were found, each once at each place.
#[derive(Default)]
struct Found {
    items: Vec<Item>,
    places: HashMap<u64, Vec<Affine>>,
    n_steps: usize,
}

/// The products of a file.
pub struct Products<'a> {
    entities: &'a Entities<'a>,
    /// What a length is multiplied with, by the length of its representation in mm.
    scale: &'a dyn Fn(&Units) -> f64,
    /// Representations of each definition.
    shapes: BTreeMap<u64, Vec<u64>>,
    /// Representations that are the same thing in the same place.
    same: HashMap<u64, Vec<u64>>,
    children: BTreeMap<u64, Vec<(u64, u64)>>,
    /// Transformation of each use: the relationship.
    placed: HashMap<u64, u64>,
    /// What is placed by a relationship of representations alone.
    links: Links,
}

impl<'a> Products<'a> {
    /// Finds products and their uses.
    pub fn new(entities: &'a Entities<'a>, scale: &'a dyn Fn(&Units) -> f64) -> Self {
        let mut this = Self {
            entities,
            scale,
            shapes: BTreeMap::new(),
            same: HashMap::new(),
            children: BTreeMap::new(),
            placed: HashMap::new(),
            links: Links::default(),
        };
        for &n in entities.all("SHAPE_DEFINITION_REPRESENTATION") {
            let record = entities
                .record(n, "SHAPE_DEFINITION_REPRESENTATION")
                .unwrap_or_default();
            let definition = reference(record, 0).and_then(|property| this.defined(property));
            if let (Some(definition), Some(shape)) = (definition, reference(record, 1)) {
                this.shapes.entry(definition).or_default().push(shape);
            }
        }
        // Solids beside their wires, geometry for construction.
        let kinds = [
            "SHAPE_REPRESENTATION_RELATIONSHIP",
            "REPRESENTATION_RELATIONSHIP",
            "CONSTRUCTIVE_GEOMETRY_REPRESENTATION_RELATIONSHIP",
        ];
        for &n in kinds.iter().flat_map(|kind| entities.all(kind)) {
            let is_moved = entities
                .record(n, "REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION")
                .is_some();
            if let (false, Some([a, b])) = (is_moved, this.sides(n)) {
                this.same.entry(a).or_default().push(b);
                this.same.entry(b).or_default().push(a);
            }
        }
        for &n in entities.all("NEXT_ASSEMBLY_USAGE_OCCURRENCE") {
            let record = entities
                .record(n, "NEXT_ASSEMBLY_USAGE_OCCURRENCE")
                .unwrap_or_default();
            if let (Some(parent), Some(child)) = (reference(record, 3), reference(record, 4)) {
                this.children.entry(parent).or_default().push((n, child));
            }
        }
        for &n in entities.all("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION") {
            let record = entities
                .record(n, "CONTEXT_DEPENDENT_SHAPE_REPRESENTATION")
                .unwrap_or_default();
            let occurrence = reference(record, 1).and_then(|property| this.defined(property));
            if let (Some(relation), Some(occurrence)) = (reference(record, 0), occurrence) {
                this.placed.insert(occurrence, relation);
            }
        }
        this.links = Links::new(&this);
        this
    }

    /// What a shape property belongs to.
    fn defined(&self, property: u64) -> Option<u64> {
        reference(
            self.entities.record(property, "PRODUCT_DEFINITION_SHAPE")?,
            2,
        )
    }

    /// The two representations of a relationship.
    pub(super) fn sides(&self, relation: u64) -> Option<[u64; 2]> {
        let instance = self.entities.get(relation)?;
        let record = instance
            .record("REPRESENTATION_RELATIONSHIP")
            .or_else(|| instance.record("SHAPE_REPRESENTATION_RELATIONSHIP"))
            .or_else(|| instance.record("CONSTRUCTIVE_GEOMETRY_REPRESENTATION_RELATIONSHIP"))?;
        Some([reference(record, 2)?, reference(record, 3)?])
    }

    /// Definitions that are no part of another, and where they stand: none where the file gives no place.
    pub fn roots(&self) -> Vec<Child> {
        let used = self.children.values().flatten().map(|(_, child)| *child);
        let used: HashSet<u64> = used.chain(self.links.inner()).collect();
        let mut all: Vec<u64> = self
            .shapes
            .keys()
            .chain(self.children.keys())
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|d| !used.contains(d));
        all.into_iter()
            .flat_map(|definition| {
                let places = self.links.places(definition);
                let whole = [Some(Affine::identity())];
                let places = if places.is_empty() { &whole } else { places };
                let root = |place: &Option<Affine>| Child {
                    definition,
                    place: *place,
                };
                places.iter().map(root).collect::<Vec<_>>()
            })
            .collect()
    }

    /// All definitions with a shape.
    pub fn with_shape(&self) -> impl Iterator<Item = u64> + '_ {
        self.shapes.keys().copied()
    }

    /// The name of a definition's product.
    pub fn name(&self, definition: u64) -> String {
        let name = || {
            let (_, values) = self.entities.first(definition)?;
            let (_, formation) = self.entities.first(reference(values, 2)?)?;
            let product = self.entities.record(reference(formation, 2)?, "PRODUCT")?;
            let texts = [product.get(1), product.first()].map(|v| v.and_then(Value::text));
            texts
                .into_iter()
                .flatten()
                .find(|t| !t.trim().is_empty())
                .map(str::to_owned)
        };
        name().unwrap_or_default()
    }

    /// The uses of other products inside of one.
    pub fn children(&self, definition: u64) -> Vec<Child> {
        let uses = self.uses(definition);
        // A relationship beside a use is where that one stands, should it have no place of its own.
        let mut linked = self.links.children(definition).to_vec();
        let mut found: Vec<Child> = Vec::new();
        for (occurrence, child) in uses {
            let relation = self.placed.get(occurrence);
            let place = relation.and_then(|r| self.place(*r, &self.representations(*child)));
            let place = place.or_else(|| {
                let at = linked.iter().position(|link| link.definition == *child)?;
                linked.remove(at).place
            });
            found.push(Child {
                definition: *child,
                place,
            });
        }
        linked.retain(|link| uses.iter().all(|(_, child)| *child != link.definition));
        found.extend(linked);
        found
    }

    fn uses(&self, definition: u64) -> &[(u64, u64)] {
        let uses = self.children.get(&definition);
        uses.map_or(&[], Vec::as_slice)
    }

    /// Relationships that move, but belong to no use of a product.
    pub(super) fn loose(&self) -> Vec<u64> {
        let uses = self.children.values().flatten();
        let taken: HashSet<u64> = uses
            .filter_map(|(occurrence, _)| self.placed.get(occurrence).copied())
            .collect();
        let all = self
            .entities
            .all("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION");
        let loose = all.iter().filter(|n| !taken.contains(n));
        loose.copied().collect()
    }

    /// The place of a child, by the two placements that the relationship brings together.
    pub(super) fn place(&self, relation: u64, child: &[u64]) -> Option<Affine> {
        let [first, second] = self.sides(relation)?;
        let record = self
            .entities
            .record(relation, "REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION")?;
        let transformation = reference(record, 0)?;
        let (keyword, values) = self.entities.first(transformation)?;
        if keyword != "ITEM_DEFINED_TRANSFORMATION" {
            return self
                .entities
                .operator(transformation, self.scale_of(second));
        }
        let (from, to) = (reference(values, 2)?, reference(values, 3)?);
        let from = self.entities.placement(from, self.scale_of(first))?;
        let to = self.entities.placement(to, self.scale_of(second))?;
        // By the standard the child is first; some write it second.
        let is_swapped = !child.contains(&first) && child.contains(&second);
        Some(if is_swapped {
            moved(&to, &from)
        } else {
            moved(&from, &to)
        })
    }

    fn scale_of(&self, representation: u64) -> f64 {
        (self.scale)(&self.units_of(representation))
    }

    /// Units of a representation.
    pub fn units_of(&self, representation: u64) -> Units {
        let records = self.entities.get(representation).map(|i| &i.records);
        let mut records = records.into_iter().flatten();
        let context = records.find_map(|(_, values)| reference(values, 2));
        units(self.entities, context.unwrap_or(0))
    }

    /// All representations of a definition.
    pub(super) fn representations(&self, definition: u64) -> Vec<u64> {
        let shapes = self.shapes.get(&definition);
        self.alike(shapes.cloned().unwrap_or_default())
    }

    /// These representations and all that are the same thing in the same place.
    pub(super) fn alike(&self, mut found: Vec<u64>) -> Vec<u64> {
        let mut seen: HashSet<u64> = found.iter().copied().collect();
        let mut k = 0;
        while k < found.len() {
            for other in self.same.get(&found[k]).map_or(&[][..], Vec::as_slice) {
                if seen.insert(*other) {
                    found.push(*other);
                }
            }
            k += 1;
        }
        found
    }

    /// What a product itself consists of, each item once.
    pub fn items(&self, definition: u64) -> Vec<Item> {
        let mut found = Found::default();
        let here = Affine::identity();
        let inner = self.links.parts(definition).iter();
        let own = self.representations(definition).into_iter();
        let all = own.map(|r| (r, here)).chain(inner.copied());
        for (representation, place) in all {
            self.add_items(representation, &place, &mut found, 0);
        }
        found.items
    }

    /// The items of a representation, those that are mapped into it included.
    pub fn items_of(&self, representation: u64) -> Vec<Item> {
        let mut found = Found::default();
        self.add_items(representation, &Affine::identity(), &mut found, 0);
        found.items
    }

    fn add_items(&self, representation: u64, place: &Affine, found: &mut Found, depth: usize) {
        let Some(instance) = self.entities.get(representation) else {
            return;
        };
        let units = self.units_of(representation);
        let mut lists = instance.records.iter().map(|(_, v)| references(v, 1));
        let listed = lists.find(|list| !list.is_empty());
        for number in listed.unwrap_or_default() {
            found.n_steps += 1;
            if found.n_steps > MOST_STEPS {
                return;
            }
            if let Some(mapped) = self.entities.record(number, "MAPPED_ITEM") {
                if depth < 32
                    && let Some((inner, map)) = self.mapped(mapped, (self.scale)(&units))
                {
                    self.add_items(inner, &place.of(&map), found, depth + 1);
                }
                continue;
            }
            let places = found.places.entry(number).or_default();
            if !places.contains(place) {
                places.push(*place);
                found.items.push(Item {
                    number,
                    units,
                    place: *place,
                });
            }
        }
    }

    /// The representation that a mapped item shows, and where.
    fn mapped(&self, record: &[Value], scale: f64) -> Option<(u64, Affine)> {
        let map = self
            .entities
            .record(reference(record, 1)?, "REPRESENTATION_MAP")?;
        let inner = reference(map, 1)?;
        let target = reference(record, 2)?;
        let origin = self
            .entities
            .placement(reference(map, 0)?, self.scale_of(inner));
        if let Some(operator) = self.entities.operator(target, scale) {
            let back = origin.map_or_else(Affine::identity, |o| inverse(&o));
            return Some((inner, operator.of(&back)));
        }
        let target = self.entities.placement(target, scale)?;
        Some((inner, moved(&origin?, &target)))
    }
}

/// The motion that takes one placement to another.
fn moved(from: &Frame, to: &Frame) -> Affine {
    Affine {
        linear: to.axes(),
        offset: to.origin,
    }
    .of(&inverse(from))
}

fn inverse(frame: &Frame) -> Affine {
    let linear: Mat3 = frame.axes().transpose();
    Affine {
        linear,
        offset: -(linear * frame.origin),
    }
}
