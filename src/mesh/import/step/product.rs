//! Products of a STEP file: what they look like, how they are put together, what they are called.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::tree::Affine;
use super::entities::{Entities, number, reference, references};
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
pub struct Child {
    /// Its definition.
    pub definition: u64,
    /// Its place in the parent; none where the file gives none.
    pub place: Option<Affine>,
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
        for &n in entities.all("SHAPE_REPRESENTATION_RELATIONSHIP") {
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
    fn sides(&self, relation: u64) -> Option<[u64; 2]> {
        let instance = self.entities.get(relation)?;
        let record = instance
            .record("REPRESENTATION_RELATIONSHIP")
            .or_else(|| instance.record("SHAPE_REPRESENTATION_RELATIONSHIP"))?;
        Some([reference(record, 2)?, reference(record, 3)?])
    }

    /// Definitions that are no part of another.
    pub fn roots(&self) -> Vec<u64> {
        let used: HashSet<u64> = self
            .children
            .values()
            .flatten()
            .map(|(_, child)| *child)
            .collect();
        let mut all: Vec<u64> = self
            .shapes
            .keys()
            .chain(self.children.keys())
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|d| !used.contains(d));
        all
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
        let uses = self
            .children
            .get(&definition)
            .map_or(&[][..], Vec::as_slice);
        uses.iter()
            .map(|(occurrence, child)| Child {
                definition: *child,
                place: self
                    .placed
                    .get(occurrence)
                    .and_then(|relation| self.place(*relation, *child)),
            })
            .collect()
    }

    /// The place of a child, by the two placements that the relationship brings together.
    fn place(&self, relation: u64, child: u64) -> Option<Affine> {
        let [first, second] = self.sides(relation)?;
        let record = self
            .entities
            .record(relation, "REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION")?;
        let transformation = reference(record, 0)?;
        let (keyword, values) = self.entities.first(transformation)?;
        if keyword != "ITEM_DEFINED_TRANSFORMATION" {
            return self.operator(transformation, self.scale_of(second));
        }
        let (from, to) = (reference(values, 2)?, reference(values, 3)?);
        let from = self.entities.placement(from, self.scale_of(first))?;
        let to = self.entities.placement(to, self.scale_of(second))?;
        let reps = self.representations(child);
        // By the standard the child is first; some write it second.
        let is_swapped = !reps.contains(&first) && reps.contains(&second);
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
        let context = self
            .entities
            .first(representation)
            .and_then(|(_, values)| reference(values, values.len().checked_sub(1)?));
        units(self.entities, context.unwrap_or(0))
    }

    /// A transformation operator: axes, origin and scale.
    fn operator(&self, number_of: u64, scale: f64) -> Option<Affine> {
        let (keyword, values) = self.entities.first(number_of)?;
        if !keyword.starts_with("CARTESIAN_TRANSFORMATION_OPERATOR") {
            return None;
        }
        let instance = self.entities.get(number_of)?;
        // Axes 1 and 2, origin, scale, axis 3; a text stands before them, or two as in the schema.
        let values = instance
            .record("CARTESIAN_TRANSFORMATION_OPERATOR_3D")
            .unwrap_or(values);
        let skip = values.iter().take_while(|v| v.text().is_some()).count();
        let values = &values[skip..];
        let direction = |i: usize| reference(values, i).and_then(|n| self.entities.direction(n));
        let origin = self.entities.point(reference(values, 2)?)? * scale;
        let x = direction(0);
        let y = direction(1);
        let z = direction(4)
            .or_else(|| Some(x?.cross(&y?)))
            .unwrap_or_else(crate::geom::Vec3::z);
        let frame = Frame::new(origin, z, x)?;
        let mut axes = frame.axes();
        // A second axis on the other side is a mirror.
        if y.is_some_and(|y| frame.y.dot(&y) < 0.0) {
            axes.set_column(1, &(-frame.y));
        }
        let factor = number(values, 3).unwrap_or(1.0);
        Some(Affine {
            linear: axes * factor,
            offset: frame.origin,
        })
    }

    /// All representations of a definition.
    fn representations(&self, definition: u64) -> Vec<u64> {
        let mut found: Vec<u64> = self.shapes.get(&definition).cloned().unwrap_or_default();
        let mut k = 0;
        while k < found.len() {
            for other in self.same.get(&found[k]).map_or(&[][..], Vec::as_slice) {
                if !found.contains(other) {
                    found.push(*other);
                }
            }
            k += 1;
        }
        found
    }

    /// What a product itself consists of, each item once.
    pub fn items(&self, definition: u64) -> Vec<Item> {
        let mut items = Vec::new();
        for representation in self.representations(definition) {
            self.items_of(representation, &Affine::identity(), &mut items, 0);
        }
        items
    }

    /// The items of a representation, those that are mapped into it included.
    pub fn items_of(
        &self,
        representation: u64,
        place: &Affine,
        items: &mut Vec<Item>,
        depth: usize,
    ) {
        let Some((_, values)) = self.entities.first(representation) else {
            return;
        };
        let units = self.units_of(representation);
        for number in references(values, 1) {
            if let Some(mapped) = self.entities.record(number, "MAPPED_ITEM") {
                if depth < 32
                    && let Some((inner, map)) = self.mapped(mapped, (self.scale)(&units))
                {
                    self.items_of(inner, &place.of(&map), items, depth + 1);
                }
                continue;
            }
            let item = Item {
                number,
                units,
                place: *place,
            };
            if items.len() < 1_000_000
                && !items
                    .iter()
                    .any(|i| i.number == number && i.place == *place)
            {
                items.push(item);
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
        if let Some(operator) = self.operator(target, scale) {
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
