//! The curves of a STEP file: which of its products hold them, and where these stand in the assembly.
//!
//! What a curve itself is says `step_curves`. ISO 10303-41, -43, -44.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::file::{Contents, FoundRoute, FoundShape, ReadError};
use super::remark;
use crate::geom::{Mat3, Vec3};
use crate::part21::{Instance, Structure, Value};

/// Assemblies in assemblies, sets in sets and maps in maps that are followed.
const DEEPEST: usize = 32;

/// Places of one product in an assembly at most.
const MOST_PLACES: usize = 10_000;

/// The curves of a STEP file, each with the name of its product, or its own where a product holds several.
///
/// Curves that bound faces or solids are no routes. A curve that cannot be read is named and does not lose the others.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let file = StepReader::new(bytes)?;
    let mut contents = Contents::new(file.unit()?);
    let assembly = file.assembly();
    for product in file.products() {
        let places = assembly.places_of(product.main, 0);
        let mut found = Vec::new();
        for &representation in &product.representations {
            let inside = Motion::scaled(file.scale_of(representation));
            file.curves_of(representation, inside, 0, &mut found);
        }
        found.dedup_by(|a, b| a.item == b.item && a.motion == b.motion);
        for one in &found {
            let own = file.name_of(one.item);
            let name = match &product.name {
                Some(name) if found.len() == 1 || own.is_none() => Some(name.clone()),
                _ => own.clone(),
            };
            let path = match &one.path {
                Ok(path) => path,
                Err(why) => {
                    let kind = file.kind_of(one.item);
                    let name = name.map_or(String::new(), |n| format!(" of \"{n}\""));
                    contents
                        .lost
                        .push(format!("curve #{}{name} ({kind}): {why}", one.item));
                    continue;
                }
            };
            for place in &places {
                let motion = place.after(&one.motion);
                contents.network.push(FoundRoute {
                    shape: FoundShape::of_path(path).mapped(|p| motion.apply(p)),
                    ..FoundRoute::named(name.clone())
                });
            }
        }
    }
    remark::apply(&String::from_utf8_lossy(bytes), &mut contents);
    Ok(contents)
}

/// A curve of a representation, and where it stands in it.
pub(super) struct FoundCurve {
    /// Its number.
    pub item: u64,
    /// The curve, or why there is none.
    pub path: Result<super::curve::Path, String>,
    motion: Motion,
}

/// A motion, with a change of unit: p to axes p + origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Motion {
    pub axes: Mat3,
    pub origin: Vec3,
    is_identity: bool,
}

impl Motion {
    const IDENTITY: Self = Self {
        axes: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        origin: Vec3::new(0.0, 0.0, 0.0),
        is_identity: true,
    };

    fn new(axes: Mat3, origin: Vec3) -> Self {
        let is_identity = axes == Self::IDENTITY.axes && origin == Vec3::zeros();
        Self {
            axes,
            origin,
            is_identity,
        }
    }

    fn scaled(scale: f64) -> Self {
        Self::new(Mat3::identity() * scale, Vec3::zeros())
    }

    /// The place of a point.
    pub fn apply(&self, p: &Vec3) -> Vec3 {
        // Not a bit changes without a motion.
        if self.is_identity {
            *p
        } else {
            self.axes * p + self.origin
        }
    }

    fn after(&self, first: &Self) -> Self {
        if first.is_identity {
            return *self;
        }
        Self::new(self.axes * first.axes, self.apply(&first.origin))
    }

    /// Back, for one that only turns and shifts.
    fn inverse(&self) -> Self {
        let back = self.axes.transpose();
        Self::new(back, -(back * self.origin))
    }
}

/// Which representation stands where in which.
struct Assembly {
    parents: HashMap<u64, Vec<(u64, Motion)>>,
}

impl Assembly {
    /// Where a representation stands in the root: once for each way up.
    fn places_of(&self, representation: u64, depth: usize) -> Vec<Motion> {
        let mut found = Vec::new();
        let parents = self
            .parents
            .get(&representation)
            .filter(|_| depth < DEEPEST);
        for (parent, step) in parents.into_iter().flatten() {
            for above in self.places_of(*parent, depth + 1) {
                if found.len() < MOST_PLACES {
                    found.push(above.after(step));
                }
            }
        }
        if found.is_empty() {
            found.push(Motion::IDENTITY);
        }
        found
    }
}

/// A product, or what stands for one in a file without.
pub(super) struct Product {
    /// Its name.
    pub name: Option<String>,
    /// The representation that assemblies place.
    pub main: u64,
    /// That one and those that look like it: a solid beside its wires, geometry for construction.
    pub representations: Vec<u64>,
}

/// A parsed STEP file, with what finds curves in it.
pub(super) struct StepReader {
    pub instances: BTreeMap<u64, Instance>,
}

impl StepReader {
    /// Parses the file.
    pub fn new(bytes: &[u8]) -> Result<Self, ReadError> {
        let file = Structure::parse(bytes).map_err(|e| ReadError::line(e.line, e.what))?;
        Ok(Self {
            instances: file.instances,
        })
    }

    /// All records of a keyword, in the order of their numbers.
    pub fn all<'a>(&'a self, keyword: &'a str) -> impl Iterator<Item = (u64, &'a [Value])> + 'a {
        self.instances
            .iter()
            .filter_map(move |(n, i)| Some((*n, i.record(keyword)?)))
    }

    /// The record of that kind of an instance.
    pub fn get(&self, number: u64, keyword: &str) -> Option<&[Value]> {
        self.instances.get(&number)?.record(keyword)
    }

    /// The keyword of an instance; of a complex one the longest, which says most.
    pub fn kind_of(&self, number: u64) -> &str {
        let records = self.instances.get(&number).map(|i| &i.records);
        let keywords = records.into_iter().flatten().map(|(keyword, _)| &**keyword);
        keywords.max_by_key(|k| k.len()).unwrap_or("")
    }

    /// The name of an instance, unless it is empty.
    pub fn name_of(&self, item: u64) -> Option<String> {
        let instance = self.instances.get(&item)?;
        let name = instance
            .records
            .iter()
            .find_map(|(_, values)| values.first()?.text());
        let name = name.map(str::trim);
        name.filter(|n| !n.is_empty() && *n != "NONE")
            .map(str::to_owned)
    }

    /// The point of that number.
    pub fn point(&self, number: u64) -> Option<Vec3> {
        vector(&self.get(number, "CARTESIAN_POINT")?.get(1)?.numbers()?)
    }

    /// How many mm the length unit of the first geometric context is.
    pub fn unit(&self) -> Result<Option<f64>, ReadError> {
        for (context, _) in self.all("GLOBAL_UNIT_ASSIGNED_CONTEXT") {
            if let Some(unit) = self.unit_in(context, "LENGTH_UNIT") {
                let unknown =
                    || ReadError::whole(format!("the length unit #{unit} is not understood"));
                return self.length_unit(unit, 0).map(Some).ok_or_else(unknown);
            }
        }
        Ok(None)
    }

    /// The unit of a kind in a context.
    fn unit_in(&self, context: u64, kind: &str) -> Option<u64> {
        let units = self.get(context, "GLOBAL_UNIT_ASSIGNED_CONTEXT")?.first()?;
        let units = units.references()?;
        units.into_iter().find(|u| self.get(*u, kind).is_some())
    }

    fn length_unit(&self, unit: u64, depth: usize) -> Option<f64> {
        if let Some(si) = self.get(unit, "SI_UNIT") {
            return Some(match si.first().and_then(Value::enumeration) {
                Some("MILLI") => 1.0,
                Some("CENTI") => 10.0,
                Some("DECI") => 100.0,
                Some("KILO") => 1e6,
                Some("MICRO") => 1e-3,
                Some("NANO") => 1e-6,
                Some(_) => return None,
                None => 1000.0,
            });
        }
        let (factor, base) = self.conversion(unit).filter(|_| depth < 4)?;
        Some(factor * self.length_unit(base, depth + 1)?)
    }

    /// Radians in the unit of plane angles of a representation.
    pub fn angle_unit(&self, representation: u64) -> f64 {
        let unit = self
            .context_of(representation)
            .and_then(|context| self.unit_in(context, "PLANE_ANGLE_UNIT"));
        let factor = unit.and_then(|unit| self.conversion(unit));
        factor.map_or(1.0, |(factor, _)| factor)
    }

    /// Factor and base of a unit that is converted.
    fn conversion(&self, unit: u64) -> Option<(f64, u64)> {
        let measure = self.get(unit, "CONVERSION_BASED_UNIT")?.get(1)?;
        let measure = self.instances.get(&measure.reference()?)?;
        let mut values = measure.records.iter().map(|(_, values)| values);
        let values = values.find(|values| values.len() == 2)?;
        Some((values[0].number()?, values[1].reference()?))
    }

    fn context_of(&self, representation: u64) -> Option<u64> {
        let records = &self.instances.get(&representation)?.records;
        let mut last = records.iter().filter_map(|(_, values)| values.get(2));
        last.find_map(Value::reference)
    }

    /// The unit of a representation in that of the file, which the first context has: 1 in nearly every file.
    fn scale_of(&self, representation: u64) -> f64 {
        let own = self
            .context_of(representation)
            .and_then(|context| self.unit_in(context, "LENGTH_UNIT"))
            .and_then(|unit| self.length_unit(unit, 0));
        match (own, self.unit()) {
            (Some(own), Ok(Some(first))) => own / first,
            _ => 1.0,
        }
    }

    /// The products that look like something; should there be none, every representation by itself.
    pub fn products(&self) -> Vec<Product> {
        let looks = self.looks_like();
        let mut found: Vec<Product> = Vec::new();
        let mut taken = BTreeSet::new();
        for (_, record) in self.all("SHAPE_DEFINITION_REPRESENTATION") {
            let (Some(property), Some(main)) = (
                record.first().and_then(Value::reference),
                record.get(1).and_then(Value::reference),
            ) else {
                continue;
            };
            let mut representations = vec![main];
            let mut at = 0;
            while let Some(one) = representations.get(at).copied() {
                at += 1;
                for other in looks.get(&one).into_iter().flatten() {
                    if !representations.contains(other) {
                        representations.push(*other);
                    }
                }
            }
            representations.retain(|r| taken.insert(*r));
            found.push(Product {
                name: self.product_name(property),
                main,
                representations,
            });
        }
        if found.is_empty() {
            let is_shape = |i: &Instance| {
                let kinds = i.records.iter().map(|(k, _)| k);
                kinds.clone().any(|k| k.ends_with("SHAPE_REPRESENTATION"))
            };
            let shapes = self.instances.iter().filter(|(_, i)| is_shape(i));
            found.extend(shapes.map(|(number, _)| Product {
                name: None,
                main: *number,
                representations: vec![*number],
            }));
        }
        found
    }

    /// Which representations are joined without a motion: they show the same product.
    fn looks_like(&self) -> HashMap<u64, Vec<u64>> {
        let mut looks: HashMap<u64, Vec<u64>> = HashMap::new();
        for instance in self.instances.values() {
            let moves = instance
                .record("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION")
                .is_some();
            let sides = instance.records.iter().find_map(|(keyword, values)| {
                let joins = keyword.ends_with("REPRESENTATION_RELATIONSHIP") && !moves;
                let side = |i: usize| values.get(i)?.reference();
                joins.then(|| Some((side(2)?, side(3)?))).flatten()
            });
            if let Some((a, b)) = sides {
                looks.entry(a).or_default().push(b);
                looks.entry(b).or_default().push(a);
            }
        }
        looks
    }

    fn product_name(&self, property: u64) -> Option<String> {
        let reference = |record: &[Value], i: usize| record.get(i)?.reference();
        let definition = reference(self.get(property, "PRODUCT_DEFINITION_SHAPE")?, 2)?;
        let formation = reference(&self.instances.get(&definition)?.records.first()?.1, 2)?;
        let formation = self.instances.get(&formation)?;
        let product = reference(&formation.records.first()?.1, 2)?;
        let record = self.get(product, "PRODUCT")?;
        let texts = [record.get(1), record.first()].map(|v| v.and_then(Value::text));
        let mut texts = texts.into_iter().flatten();
        texts.find(|t| !t.is_empty()).map(str::to_owned)
    }

    /// The items of a representation.
    pub fn items_of(&self, representation: u64) -> Vec<u64> {
        let records = self.instances.get(&representation).map(|i| &i.records);
        let mut lists = records.into_iter().flatten();
        let items = lists.find_map(|(_, values)| values.get(1)?.references());
        items.unwrap_or_default()
    }

    /// Adds the curves of a representation, sets and wires opened, maps followed.
    fn curves_of(
        &self,
        representation: u64,
        motion: Motion,
        depth: usize,
        found: &mut Vec<FoundCurve>,
    ) {
        if depth > DEEPEST {
            return;
        }
        let angle = self.angle_unit(representation);
        for item in self.items_of(representation) {
            if let Some(map) = self.get(item, "MAPPED_ITEM") {
                if let Some((mapped, step)) = self.mapping(map) {
                    self.curves_of(mapped, motion.after(&step), depth + 1, found);
                }
                continue;
            }
            let mut curves = Vec::new();
            self.curves_in(item, 0, &mut curves);
            found.extend(curves.into_iter().map(|item| FoundCurve {
                item,
                path: self.bounded_path(item, angle),
                motion,
            }));
        }
    }

    fn mapping(&self, map: &[Value]) -> Option<(u64, Motion)> {
        let source = self.get(map.get(1)?.reference()?, "REPRESENTATION_MAP")?;
        let origin = self.placement(source.first()?.reference()?)?;
        let target = self.placement(map.get(2)?.reference()?)?;
        let mapped = source.get(1)?.reference()?;
        Some((mapped, target.after(&origin.inverse())))
    }

    /// Where every representation of an assembly stands.
    fn assembly(&self) -> Assembly {
        // Which side of a relation is the child: the usage of the product says it, whatever the order.
        let mut shapes: HashMap<u64, Vec<u64>> = HashMap::new();
        for (_, record) in self.all("SHAPE_DEFINITION_REPRESENTATION") {
            let property = record.first().and_then(Value::reference);
            let definition =
                property.and_then(|p| self.get(p, "PRODUCT_DEFINITION_SHAPE")?.get(2)?.reference());
            let shape = record.get(1).and_then(Value::reference);
            if let (Some(definition), Some(shape)) = (definition, shape) {
                shapes.entry(definition).or_default().push(shape);
            }
        }
        let mut children: HashMap<u64, &Vec<u64>> = HashMap::new();
        for (_, record) in self.all("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION") {
            let child = || {
                let relation = record.first()?.reference()?;
                let property = record.get(1)?.reference()?;
                let usage = self.get(property, "PRODUCT_DEFINITION_SHAPE")?.get(2)?;
                let usage = self.get(usage.reference()?, "NEXT_ASSEMBLY_USAGE_OCCURRENCE")?;
                let related = usage.get(4)?.reference()?;
                Some((relation, shapes.get(&related)?))
            };
            children.extend(child());
        }
        let mut parents: HashMap<u64, Vec<(u64, Motion)>> = HashMap::new();
        for (number, _) in self.all("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION") {
            let own = children.get(&number).map(|shapes| shapes.as_slice());
            if let Some((child, parent, motion)) = self.step_up(number, own.unwrap_or_default()) {
                parents.entry(child).or_default().push((parent, motion));
            }
        }
        Assembly { parents }
    }

    /// Child, parent and the motion into it, of one relation.
    fn step_up(&self, relation: u64, child_shapes: &[u64]) -> Option<(u64, u64, Motion)> {
        let sides = self.get(relation, "REPRESENTATION_RELATIONSHIP")?;
        let (mut child, mut parent) = (sides.get(2)?.reference()?, sides.get(3)?.reference()?);
        let by = self.get(relation, "REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION")?;
        let by = self.get(by.first()?.reference()?, "ITEM_DEFINED_TRANSFORMATION")?;
        let mut from = by.get(2)?.reference()?;
        let mut to = by.get(3)?.reference()?;
        if child_shapes.contains(&parent) && !child_shapes.contains(&child) {
            std::mem::swap(&mut child, &mut parent);
            std::mem::swap(&mut from, &mut to);
        }
        if child == parent {
            return None;
        }
        // Both are placed in their own units.
        let placed = |item: u64, representation: u64| {
            let mut motion = self.placement(item)?;
            motion.origin *= self.scale_of(representation);
            Some(motion)
        };
        let (from, to) = (placed(from, child)?, placed(to, parent)?);
        Some((child, parent, to.after(&from.inverse())))
    }

    /// The axis placement of that number.
    pub fn placement(&self, number: u64) -> Option<Motion> {
        let record = self.get(number, "AXIS2_PLACEMENT_3D")?;
        let origin = self.point(record.get(1)?.reference()?)?;
        let direction = |i: usize| self.direction(record.get(i)?.reference()?);
        let z = direction(2).unwrap_or_else(Vec3::z).try_normalize(1e-12)?;
        let x = direction(3).unwrap_or_else(|| {
            if z.x.abs() < 0.9 {
                Vec3::x()
            } else {
                Vec3::y()
            }
        });
        let x = (x - z * x.dot(&z)).try_normalize(1e-12)?;
        let axes = Mat3::from_columns(&[x, z.cross(&x), z]);
        Some(Motion::new(axes, origin))
    }

    /// The direction of that number, not normalised.
    pub fn direction(&self, number: u64) -> Option<Vec3> {
        vector(&self.get(number, "DIRECTION")?.get(1)?.numbers()?)
    }
}

fn vector(numbers: &[f64]) -> Option<Vec3> {
    (numbers.len() == 3).then(|| Vec3::new(numbers[0], numbers[1], numbers[2]))
}
