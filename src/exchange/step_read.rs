//! The curves of a STEP file: which of its products hold them, and where these stand in the assembly.
//!
//! What a curve itself is says `step_curves`; products, places, names and units are those of the reader of bodies.

use std::collections::{BTreeMap, HashSet};

use super::file::{Contents, FoundRoute, FoundShape, ReadError};
use super::remark;
use crate::geom::{Mat3, Vec3};
use crate::mesh::import::step::{Affine, Entities, Item, Products, Units, first_length};
use crate::part21::{Instance, Structure, Value};

/// Assemblies in assemblies that are followed.
const DEEPEST: usize = 200;

/// Uses of products that are looked at.
const MOST_USES: usize = 100_000;

/// Curves of a file at most.
const MOST_CURVES: usize = 100_000;

/// The curves of a STEP file, each with the name of its product, or its own where a product holds several.
///
/// Curves that bound faces or solids are no routes. A curve that cannot be read is named and does not lose the others.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let instances = parse(bytes)?;
    let file = StepReader::new(&instances);
    let mut contents = Contents::new(file.unit()?);
    let scale = file.scale()?;
    let products = Products::new(&file.entities, &scale);
    let mut walk = Walk {
        file: &file,
        products: &products,
        scale: &scale,
        contents: &mut contents,
        n_uses: 0,
        reached: HashSet::new(),
    };
    for root in products.roots() {
        walk.visit(root.definition, root.place, 0);
    }
    walk.rest();
    remark::apply(&String::from_utf8_lossy(bytes), &mut contents);
    Ok(contents)
}

/// The instances of a file.
pub(super) fn parse(bytes: &[u8]) -> Result<BTreeMap<u64, Instance>, ReadError> {
    let file = Structure::parse(bytes).map_err(|e| ReadError::line(e.line, e.what))?;
    Ok(file.instances)
}

/// The way through the assembly.
struct Walk<'a> {
    file: &'a StepReader<'a>,
    products: &'a Products<'a>,
    scale: &'a dyn Fn(&Units) -> f64,
    contents: &'a mut Contents,
    n_uses: usize,
    /// Items whose curves were taken or named.
    reached: HashSet<u64>,
}

impl Walk<'_> {
    /// Takes the curves of a product and of all in it; of one that stands nowhere they are lost.
    fn visit(&mut self, definition: u64, place: Option<Affine>, depth: usize) {
        self.n_uses += 1;
        if depth > DEEPEST || self.n_uses > MOST_USES {
            if self.n_uses == MOST_USES + 1 || depth == DEEPEST + 1 {
                let what = "the rest of the assembly: it holds itself, or has too many parts";
                self.lose(what.to_owned());
            }
            return;
        }
        let name = Some(self.products.name(definition)).filter(|n| !n.is_empty());
        self.take(&self.products.items(definition), name.as_deref(), place);
        for child in self.products.children(definition) {
            let inside = place
                .zip(child.place)
                .map(|(outer, inner)| outer.of(&inner));
            self.visit(child.definition, inside, depth + 1);
        }
    }

    /// Takes the curves of representations that no product shows where they are, and names those whose place is lost.
    fn rest(&mut self) {
        let is_shape = |i: &Instance| {
            let mut kinds = i.records.iter().map(|(k, _)| k);
            kinds.any(|k| k.ends_with("SHAPE_REPRESENTATION"))
        };
        let inner = self.file.placed_in_others();
        let shapes = self.file.entities.where_all(is_shape).into_iter();
        let (inner, outer): (Vec<u64>, Vec<u64>) = shapes.partition(|s| inner.contains(s));
        let outer = outer.into_iter().map(|s| (s, Some(Affine::identity())));
        // Outer ones first: they show what is mapped into them.
        for (shape, place) in outer.chain(inner.into_iter().map(|s| (s, None))) {
            let mut items = self.products.items_of(shape);
            items.retain(|item| !self.reached.contains(&item.number));
            self.take(&items, None, place);
        }
    }

    fn take(&mut self, items: &[Item], product: Option<&str>, place: Option<Affine>) {
        let mut found: Vec<(u64, &Item)> = Vec::new();
        for item in items {
            self.reached.insert(item.number);
            let mut curves = Vec::new();
            self.file.curves_in(item.number, 0, &mut curves);
            found.extend(curves.into_iter().map(|curve| (curve, item)));
        }
        let is_alone = found.len() == 1;
        for (curve, item) in found {
            if self.contents.network.len() >= MOST_CURVES {
                self.lose(format!("curve #{curve} and others: the file has too many"));
                return;
            }
            let own = self.file.name_of(curve);
            let name = match product {
                Some(name) if is_alone || own.is_none() => Some(name.to_owned()),
                _ => own,
            };
            let placed = place.ok_or_else(|| "the file does not say where it stands".to_owned());
            let path = self.file.bounded_path(curve, item.units.angle);
            match path.and_then(|path| Ok((path, placed?))) {
                Ok((path, place)) => {
                    let own = Affine::linear(Mat3::identity() * (self.scale)(&item.units));
                    let place = place.of(&item.place).of(&own);
                    self.contents.network.push(FoundRoute {
                        shape: FoundShape::of_path(&path).mapped(|p| place.apply(p)),
                        ..FoundRoute::named(name)
                    });
                }
                Err(why) => {
                    let kind = self.file.kind_of(curve);
                    let name = name.map_or(String::new(), |n| format!(" of \"{n}\""));
                    self.lose(format!("curve #{curve}{name} ({kind}): {why}"));
                }
            }
        }
    }

    /// Names what is lost, once.
    fn lose(&mut self, what: String) {
        if self.contents.lost.len() < 10_000 && !self.contents.lost.contains(&what) {
            self.contents.lost.push(what);
        }
    }
}

/// A parsed STEP file, with what finds curves in it.
pub(super) struct StepReader<'a> {
    pub entities: Entities<'a>,
}

impl<'a> StepReader<'a> {
    /// Sorts the instances of a file.
    pub fn new(instances: &'a BTreeMap<u64, Instance>) -> Self {
        Self {
            entities: Entities::new(instances),
        }
    }

    /// The keyword of an instance; of a complex one the longest, which says most.
    pub fn kind_of(&self, number: u64) -> &str {
        let records = self.entities.get(number).map(|i| &i.records);
        let keywords = records.into_iter().flatten().map(|(keyword, _)| &**keyword);
        keywords.max_by_key(|k| k.len()).unwrap_or("")
    }

    /// The name of an instance, unless it is empty.
    pub fn name_of(&self, item: u64) -> Option<String> {
        let instance = self.entities.get(item)?;
        let name = instance
            .records
            .iter()
            .find_map(|(_, values)| values.first()?.text());
        let name = name.map(str::trim);
        name.filter(|n| !n.is_empty() && *n != "NONE")
            .map(str::to_owned)
    }

    /// Representations that the file shows in others, by a map or a relationship with a motion.
    fn placed_in_others(&self) -> HashSet<u64> {
        let maps = self.entities.all("REPRESENTATION_MAP").iter();
        let maps = maps.map(|n| (*n, "REPRESENTATION_MAP", 1));
        let moves = "REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION";
        let moves = self.entities.all(moves).iter();
        let moves = moves.map(|n| (*n, "REPRESENTATION_RELATIONSHIP", 2));
        maps.chain(moves)
            .filter_map(|(n, kind, at)| self.entities.record(n, kind)?.get(at)?.reference())
            .collect()
    }

    /// How many mm the length unit of the file is: that of the first geometric context which says one.
    pub fn unit(&self) -> Result<Option<f64>, ReadError> {
        first_length(&self.entities)
            .map_err(|unit| ReadError::whole(format!("the length unit #{unit} is not understood")))
    }

    /// The unit of a representation in that of the file: 1 in nearly every file.
    pub fn scale(&self) -> Result<impl Fn(&Units) -> f64 + use<>, ReadError> {
        let own = self.unit()?;
        Ok(move |units: &Units| match (units.length, own) {
            (Some(length), Some(own)) => length / own,
            _ => 1.0,
        })
    }

    /// The points of a list of references.
    pub fn points(&self, list: &Value) -> Option<Vec<Vec3>> {
        let numbers = list.references()?;
        let mut points = numbers.into_iter();
        points.try_fold(Vec::new(), |mut all, n| {
            all.push(self.entities.point(n)?);
            Some(all)
        })
    }
}
