//! STEP AP214: one product for each route, several in an assembly, with names and colours.
//!
//! The entities and their order follow files that OpenCASCADE, FreeCAD and gmsh read. ISO 10303-214, 10303-42.

use std::collections::BTreeMap;

use super::bspline::BSpline;
use super::file::{Contents, Entry, FoundRoute, FoundShape, ReadError, Stamp, Target};
use super::names::NameRule;
use super::number::Real;
use super::part21::{self, Instance, Instances, integers, reals, references, text};
use super::unit::LengthUnit;
use crate::geom::Vec3;

/// STEP takes any text; very long names are trouble for receivers only.
pub const NAMES: NameRule = NameRule {
    longest: 200,
    upper_case: false,
    allows: |c| !c.is_control(),
    instead: Some(' '),
    letter_first: false,
    ascii: false,
};

/// The routes as curves.
pub fn write(entries: &[Entry], target: &Target) -> Vec<u8> {
    let mut file = StepFile::begin(target);
    let mut styled = Vec::new();
    let mut parts = Vec::new();
    for entry in entries {
        let outside = |p: &Vec3| target.convention.outside(p);
        let part = file.part(entry.name);
        let id = match entry.arcs {
            None => {
                let curve = entry.route.curve.mapped(outside);
                file.curve(entry.name, &curve, entry.route.closed)
            }
            Some(arcs) => {
                let elements: Vec<_> = arcs.elements.iter().map(|e| e.mapped(outside)).collect();
                file.composite(entry.name, &elements, entry.route.closed)
            }
        };
        let name = text(entry.name);
        let set = file
            .data
            .add(format_args!("GEOMETRIC_CURVE_SET({name},(#{id}))"));
        let axis = file.origin();
        let shape = file.data.add(format_args!(
            "GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION({name},(#{axis},#{set}),#{})",
            file.context
        ));
        file.define(part, shape);
        let colour = file.colour(entry.route.colour);
        let font = file
            .data
            .add("DRAUGHTING_PRE_DEFINED_CURVE_FONT('continuous')");
        let width = Real(target.convention.length_outside(0.35));
        let style = file.data.add(format_args!(
            "CURVE_STYLE('',#{font},POSITIVE_LENGTH_MEASURE({width}),#{colour})"
        ));
        styled.push(file.styled(style, id));
        parts.push(Part {
            definition: part,
            shape,
            axis,
            name: entry.name.to_owned(),
        });
    }
    file.end(&parts, &styled, target)
}

/// A product that is written: for the assembly.
pub(super) struct Part {
    /// Its PRODUCT_DEFINITION.
    pub definition: usize,
    /// Its representation.
    pub shape: usize,
    /// The placement in that.
    pub axis: usize,
    /// Its name.
    pub name: String,
}

/// A STEP file that is being written: what curves and solids have in common.
pub(super) struct StepFile {
    /// The instances so far.
    pub data: Instances,
    /// The geometric context with its units.
    pub context: usize,
    product_context: usize,
    definition_context: usize,
}

impl StepFile {
    /// The contexts and units.
    pub fn begin(target: &Target) -> Self {
        let mut data = Instances::default();
        let application =
            data.add("APPLICATION_CONTEXT('core data for automotive mechanical design processes')");
        data.add(format_args!(
            "APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,#{application})"
        ));
        let product_context = data.add(format_args!(
            "PRODUCT_CONTEXT('',#{application},'mechanical')"
        ));
        let definition_context = data.add(format_args!(
            "PRODUCT_DEFINITION_CONTEXT('part definition',#{application},'design')"
        ));
        let length = match target.convention.unit {
            LengthUnit::Mm => data.add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))"),
            LengthUnit::M => data.add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT($,.METRE.))"),
            LengthUnit::In => {
                let metric = data.add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))");
                let measure = data.add(format_args!(
                    "LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#{metric})"
                ));
                let exponents = data.add("DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.)");
                data.add(format_args!(
                    "(CONVERSION_BASED_UNIT('INCH',#{measure})LENGTH_UNIT()NAMED_UNIT(#{exponents}))"
                ))
            }
        };
        let angle = data.add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))");
        let solid = data.add("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())");
        let accuracy = Real(target.convention.length_outside(1e-5));
        let uncertainty = data.add(format_args!(
            "UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE({accuracy}),#{length},'distance_accuracy_value','')"
        ));
        let context = data.add(format_args!(
            "(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#{uncertainty}))\
             GLOBAL_UNIT_ASSIGNED_CONTEXT((#{length},#{angle},#{solid}))REPRESENTATION_CONTEXT('',''))"
        ));
        Self {
            data,
            context,
            product_context,
            definition_context,
        }
    }

    /// A product; returns its definition.
    pub fn part(&mut self, name: &str) -> usize {
        self.product(name, "part")
    }

    fn product(&mut self, name: &str, category: &str) -> usize {
        let (name, context) = (text(name), self.product_context);
        let product = self
            .data
            .add(format_args!("PRODUCT({name},{name},'',(#{context}))"));
        self.data.add(format_args!(
            "PRODUCT_RELATED_PRODUCT_CATEGORY('{category}',$,(#{product}))"
        ));
        let formation = self.data.add(format_args!(
            "PRODUCT_DEFINITION_FORMATION('','',#{product})"
        ));
        self.data.add(format_args!(
            "PRODUCT_DEFINITION('design','',#{formation},#{})",
            self.definition_context
        ))
    }

    /// Says that a product looks like a representation.
    pub fn define(&mut self, definition: usize, shape: usize) {
        let property = self.data.add(format_args!(
            "PRODUCT_DEFINITION_SHAPE('','',#{definition})"
        ));
        self.data.add(format_args!(
            "SHAPE_DEFINITION_REPRESENTATION(#{property},#{shape})"
        ));
    }

    /// World axes.
    pub fn origin(&mut self) -> usize {
        self.data.placement(&Vec3::zeros(), &Vec3::z(), &Vec3::x())
    }

    /// A B-spline curve, in the unit of the file.
    pub fn curve(&mut self, name: &str, curve: &BSpline, closed: bool) -> usize {
        let points: Vec<_> = curve.points().iter().map(|p| self.data.point(p)).collect();
        self.curve_of(name, curve, &points, closed)
    }

    /// A B-spline curve whose control points are written already.
    pub fn curve_of(
        &mut self,
        name: &str,
        curve: &BSpline,
        points: &[usize],
        closed: bool,
    ) -> usize {
        let (knots, counts) = curve.multiplicities();
        self.data.add(format_args!(
            "B_SPLINE_CURVE_WITH_KNOTS({},{},{},.UNSPECIFIED.,{},.F.,{},{},.UNSPECIFIED.)",
            text(name),
            curve.degree(),
            references(points),
            if closed { ".T." } else { ".F." },
            integers(&counts),
            reals(&knots)
        ))
    }

    /// A colour.
    pub fn colour(&mut self, rgb: [u8; 3]) -> usize {
        let [r, g, b] = rgb.map(|c| Real(f64::from(c) / 255.0));
        self.data.add(format_args!("COLOUR_RGB('',{r},{g},{b})"))
    }

    /// An item with a style.
    pub fn styled(&mut self, style: usize, item: usize) -> usize {
        let assignment = self
            .data
            .add(format_args!("PRESENTATION_STYLE_ASSIGNMENT((#{style}))"));
        self.data
            .add(format_args!("STYLED_ITEM('',(#{assignment}),#{item})"))
    }

    /// The assembly, if there are several parts, and the whole file.
    pub fn end(mut self, parts: &[Part], styled: &[usize], target: &Target) -> Vec<u8> {
        if parts.len() > 1 {
            self.assembly(parts, target.title);
        }
        self.data.add(format_args!(
            "MECHANICAL_DESIGN_GEOMETRIC_PRESENTATION_REPRESENTATION('',{},#{})",
            references(styled),
            self.context
        ));
        let Stamp {
            year, month, day, ..
        } = target.stamp;
        let (hour, minute, second) = target.stamp.clock();
        format!(
            "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('routes'),'2;1');\n\
             FILE_NAME({},'{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}',(''),(''),\
             'Loomwright {version}','Loomwright','');\n\
             FILE_SCHEMA(('AUTOMOTIVE_DESIGN {{ 1 0 10303 214 1 1 1 1 }}'));\nENDSEC;\nDATA;\n{}\
             ENDSEC;\nEND-ISO-10303-21;\n",
            text(target.file_name),
            self.data.into_text(),
            version = env!("CARGO_PKG_VERSION"),
        )
        .into_bytes()
    }

    fn assembly(&mut self, parts: &[Part], title: &str) {
        let root = self.product(title, "assembly");
        let mut axes = vec![self.origin()];
        for _ in parts {
            let axis = self.origin();
            axes.push(axis);
        }
        let shape = self.data.add(format_args!(
            "SHAPE_REPRESENTATION({},{},#{})",
            text(title),
            references(&axes),
            self.context
        ));
        self.define(root, shape);
        for (i, (part, axis)) in parts.iter().zip(&axes[1..]).enumerate() {
            let usage = self.data.add(format_args!(
                "NEXT_ASSEMBLY_USAGE_OCCURRENCE('{}',{},'',#{root},#{},$)",
                i + 1,
                text(&part.name),
                part.definition
            ));
            let property = self
                .data
                .add(format_args!("PRODUCT_DEFINITION_SHAPE('','',#{usage})"));
            let transformation = self.data.add(format_args!(
                "ITEM_DEFINED_TRANSFORMATION('','',#{},#{axis})",
                part.axis
            ));
            let relation = self.data.add(format_args!(
                "(REPRESENTATION_RELATIONSHIP('','',#{},#{shape})\
                 REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#{transformation})\
                 SHAPE_REPRESENTATION_RELATIONSHIP())",
                part.shape
            ));
            self.data.add(format_args!(
                "CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#{relation},#{property})"
            ));
        }
    }
}

/// The curves of a STEP file, each with the name of its product.
///
/// Read are B-spline curves that stand alone or in a set of curves of a representation (rational ones as points),
/// polylines, trimmed lines and circles, and composite curves of these. Curves that are edges of faces are not routes. Placements of an assembly are applied.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let file = StepReader::new(bytes)?;
    let mut contents = Contents {
        unit_in_mm: file.unit()?,
        routes: Vec::new(),
        notes: Vec::new(),
    };
    for (representation, name) in file.named_representations() {
        let moves = file.placements_of(representation);
        for item in file.curves_in(representation) {
            let Some(shape) = file.shape(item)? else {
                let kind = file
                    .instances
                    .get(&item)
                    .map_or("", |i| i.records[0].0.as_str());
                if kind != "AXIS2_PLACEMENT_3D" {
                    contents
                        .notes
                        .push(format!("#{item} ({kind}) is no curve that is read here"));
                }
                continue;
            };
            for placed in &moves {
                contents.routes.push(FoundRoute {
                    name: name.clone().or_else(|| file.name_of(item)),
                    shape: shape.mapped(|p| placed.apply(p)),
                    radius: None,
                });
            }
        }
    }
    Ok(contents)
}

/// A rigid motion: columns and origin of an axis placement, one into another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Motion {
    pub axes: crate::geom::Mat3,
    pub origin: Vec3,
    is_identity: bool,
}

impl Motion {
    const IDENTITY: Self = Self {
        axes: crate::geom::Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        origin: Vec3::new(0.0, 0.0, 0.0),
        is_identity: true,
    };

    fn new(axes: crate::geom::Mat3, origin: Vec3) -> Self {
        let is_identity = axes == Self::IDENTITY.axes && origin == Vec3::zeros();
        Self {
            axes,
            origin,
            is_identity,
        }
    }

    fn apply(&self, p: &Vec3) -> Vec3 {
        // Not a bit changes without a motion.
        if self.is_identity {
            *p
        } else {
            self.axes * p + self.origin
        }
    }

    fn after(&self, first: &Self) -> Self {
        Self::new(self.axes * first.axes, self.apply(&first.origin))
    }

    fn inverse(&self) -> Self {
        let back = self.axes.transpose();
        Self::new(back, -(back * self.origin))
    }
}

/// A parsed STEP file, with what finds curves in it.
pub(super) struct StepReader {
    pub instances: BTreeMap<u64, Instance>,
}

impl StepReader {
    /// Parses the file.
    pub fn new(bytes: &[u8]) -> Result<Self, ReadError> {
        let text = String::from_utf8_lossy(bytes);
        Ok(Self {
            instances: part21::parse(&text)?,
        })
    }

    fn all<'a>(
        &'a self,
        keyword: &'a str,
    ) -> impl Iterator<Item = (u64, &'a [part21::Value])> + 'a {
        self.instances
            .iter()
            .filter_map(move |(n, i)| Some((*n, i.record(keyword)?)))
    }

    /// The record of that kind of an instance.
    pub fn get(&self, number: u64, keyword: &str) -> Option<&[part21::Value]> {
        self.instances.get(&number)?.record(keyword)
    }

    /// How many mm the length unit of the first geometric context is.
    pub fn unit(&self) -> Result<Option<f64>, ReadError> {
        for (_, record) in self.all("GLOBAL_UNIT_ASSIGNED_CONTEXT") {
            let units = record.first().and_then(part21::Value::references);
            for unit in units.unwrap_or_default() {
                if self.get(unit, "LENGTH_UNIT").is_some() {
                    return self.length_unit(unit, 0).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn length_unit(&self, unit: u64, depth: usize) -> Result<f64, ReadError> {
        let unknown = || ReadError::whole(format!("the length unit #{unit} is not understood"));
        if let Some(si) = self.get(unit, "SI_UNIT") {
            let prefix = match si.first() {
                Some(part21::Value::Enumeration(prefix)) => match prefix.as_str() {
                    "MILLI" => 1.0,
                    "CENTI" => 10.0,
                    "DECI" => 100.0,
                    "KILO" => 1e6,
                    "MICRO" => 1e-3,
                    _ => return Err(unknown()),
                },
                _ => 1000.0,
            };
            return Ok(prefix);
        }
        let conversion = self
            .get(unit, "CONVERSION_BASED_UNIT")
            .ok_or_else(unknown)?;
        let measure = conversion
            .get(1)
            .and_then(part21::Value::reference)
            .and_then(|n| {
                let instance = self.instances.get(&n)?;
                instance
                    .records
                    .iter()
                    .map(|(_, values)| values)
                    .find(|values| values.len() == 2)
            })
            .ok_or_else(unknown)?;
        let (factor, base) = (
            measure[0].number().ok_or_else(unknown)?,
            measure[1].reference().ok_or_else(unknown)?,
        );
        if depth > 4 {
            return Err(unknown());
        }
        Ok(factor * self.length_unit(base, depth + 1)?)
    }

    /// Every representation that a product looks like, with the product's name; and, should there be none, every
    /// one that holds curves.
    pub fn named_representations(&self) -> Vec<(u64, Option<String>)> {
        let mut found = Vec::new();
        for (_, record) in self.all("SHAPE_DEFINITION_REPRESENTATION") {
            let (Some(property), Some(shape)) = (
                record.first().and_then(part21::Value::reference),
                record.get(1).and_then(part21::Value::reference),
            ) else {
                continue;
            };
            found.push((shape, self.product_name(property)));
            // A second representation may be joined to it, as for a solid with its centerline.
            for (_, relation) in self.all("SHAPE_REPRESENTATION_RELATIONSHIP") {
                let sides = [relation.get(2), relation.get(3)]
                    .map(|v| v.and_then(part21::Value::reference));
                if let [Some(a), Some(b)] = sides {
                    let other = if a == shape { b } else { a };
                    if (a == shape || b == shape) && !found.iter().any(|(n, _)| *n == other) {
                        found.push((other, self.product_name(property)));
                    }
                }
            }
        }
        if found.is_empty() {
            let kinds = [
                "GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION",
                "SHAPE_REPRESENTATION",
            ];
            for kind in kinds {
                found.extend(self.all(kind).map(|(n, _)| (n, None)));
            }
        }
        found
    }

    fn product_name(&self, property: u64) -> Option<String> {
        let reference = |record: &[part21::Value], i: usize| record.get(i)?.reference();
        let definition = reference(self.get(property, "PRODUCT_DEFINITION_SHAPE")?, 2)?;
        let formation = reference(self.get(definition, "PRODUCT_DEFINITION")?, 2)?;
        let formation = self.instances.get(&formation)?;
        let product = reference(&formation.records.first()?.1, 2)?;
        let record = self.get(product, "PRODUCT")?;
        let texts = [record.get(1), record.first()].map(|v| v.and_then(part21::Value::text));
        texts
            .into_iter()
            .flatten()
            .find(|t| !t.is_empty())
            .map(str::to_owned)
    }

    /// The items of a representation, sets of curves opened.
    pub fn curves_in(&self, representation: u64) -> Vec<u64> {
        let Some(instance) = self.instances.get(&representation) else {
            return Vec::new();
        };
        let items = instance
            .records
            .iter()
            .find_map(|(_, values)| values.get(1)?.references());
        let mut curves = Vec::new();
        for item in items.unwrap_or_default() {
            let set = ["GEOMETRIC_CURVE_SET", "GEOMETRIC_SET"]
                .into_iter()
                .find_map(|kind| self.get(item, kind)?.get(1)?.references());
            match set {
                Some(members) => curves.extend(members),
                None => curves.push(item),
            }
        }
        curves
    }

    /// Where a representation stands in the root: once for each way up through the assemblies.
    fn placements_of(&self, representation: u64) -> Vec<Motion> {
        self.ways_up(representation, 0)
    }

    fn ways_up(&self, representation: u64, depth: usize) -> Vec<Motion> {
        let mut found = Vec::new();
        if depth < 32 {
            for (number, _) in self.all("REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION") {
                if let Some((parent, step)) = self.step_up(number, representation) {
                    let above = self.ways_up(parent, depth + 1);
                    found.extend(above.into_iter().map(|motion| motion.after(&step)));
                }
            }
        }
        if found.is_empty() {
            found.push(Motion::IDENTITY);
        }
        found
    }

    /// The parent of a representation by one relation, and the motion into it.
    fn step_up(&self, relation: u64, representation: u64) -> Option<(u64, Motion)> {
        let sides = self.get(relation, "REPRESENTATION_RELATIONSHIP")?;
        let (child, parent) = (sides.get(2)?.reference()?, sides.get(3)?.reference()?);
        if child != representation || parent == representation {
            return None;
        }
        let by = self.get(relation, "REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION")?;
        let by = self.get(by.first()?.reference()?, "ITEM_DEFINED_TRANSFORMATION")?;
        let from = self.placement(by.get(2)?.reference()?)?;
        let to = self.placement(by.get(3)?.reference()?)?;
        Some((parent, to.after(&from.inverse())))
    }

    /// The axis placement of that number.
    pub fn placement(&self, number: u64) -> Option<Motion> {
        let record = self.get(number, "AXIS2_PLACEMENT_3D")?;
        let origin = self.point(record.get(1)?.reference()?)?;
        let direction = |i: usize| {
            let record = self.get(record.get(i)?.reference()?, "DIRECTION")?;
            vector(&record.get(1)?.numbers()?)
        };
        let z = direction(2).unwrap_or_else(Vec3::z).try_normalize(1e-12)?;
        let x = direction(3).unwrap_or_else(|| {
            if z.x.abs() < 0.9 {
                Vec3::x()
            } else {
                Vec3::y()
            }
        });
        let x = (x - z * x.dot(&z)).try_normalize(1e-12)?;
        let axes = crate::geom::Mat3::from_columns(&[x, z.cross(&x), z]);
        Some(Motion::new(axes, origin))
    }

    /// The point of that number.
    pub fn point(&self, number: u64) -> Option<Vec3> {
        vector(&self.get(number, "CARTESIAN_POINT")?.get(1)?.numbers()?)
    }

    fn points(&self, list: &part21::Value) -> Option<Vec<Vec3>> {
        list.references()?
            .into_iter()
            .map(|n| self.point(n))
            .collect()
    }

    fn name_of(&self, item: u64) -> Option<String> {
        let instance = self.instances.get(&item)?;
        let name = instance
            .records
            .iter()
            .find_map(|(_, values)| values.first()?.text());
        name.filter(|n| !n.is_empty()).map(str::to_owned)
    }

    /// The curve of that number; `None` if it is no curve that is read here.
    pub fn shape(&self, item: u64) -> Result<Option<FoundShape>, ReadError> {
        let Some(instance) = self.instances.get(&item) else {
            return Ok(None);
        };
        let bad = || ReadError::line(instance.line, format!("curve #{item} lacks something"));
        if let Some(record) = instance.record("POLYLINE") {
            let points = record.get(1).and_then(|v| self.points(v)).ok_or_else(bad)?;
            return Ok(Some(FoundShape::Points(points)));
        }
        // A simple instance has the name first and all in one record, a complex one is spread over several.
        let (spline, with_knots) = match instance.record("B_SPLINE_CURVE_WITH_KNOTS") {
            Some(record) if record.len() == 9 => (&record[1..], &record[6..]),
            Some(record) => (instance.record("B_SPLINE_CURVE").ok_or_else(bad)?, record),
            None => return self.joined_shape(item, 0),
        };
        let degree = spline.first().and_then(part21::Value::number);
        let points = spline.get(1).and_then(|v| self.points(v));
        let counts = with_knots.first().and_then(part21::Value::numbers);
        let distinct = with_knots.get(1).and_then(part21::Value::numbers);
        let (Some(degree), Some(points), Some(counts), Some(distinct)) =
            (degree, points, counts, distinct)
        else {
            return Err(bad());
        };
        if counts.len() != distinct.len() {
            return Err(bad());
        }
        let knots = distinct
            .iter()
            .zip(&counts)
            .flat_map(|(&knot, &count)| std::iter::repeat_n(knot, count.clamp(0.0, 100.0) as usize))
            .collect::<Vec<_>>();
        let curve = |points: Vec<Vec3>| {
            BSpline::new(degree as usize, knots.clone(), points).map_err(|reason| {
                ReadError::Curve {
                    name: format!("#{item}"),
                    reason,
                }
            })
        };
        let weights = instance
            .record("RATIONAL_B_SPLINE_CURVE")
            .and_then(|r| r.first()?.numbers());
        let Some(weights) = weights else {
            return Ok(Some(FoundShape::Spline(curve(points)?)));
        };
        if weights.len() != points.len() || !weights.iter().all(|w| *w > 0.0) {
            return Err(bad());
        }
        // A rational curve is two splines, one over the other.
        let above = curve(points.iter().zip(&weights).map(|(p, w)| p * *w).collect())?;
        let below = curve(weights.iter().map(|w| Vec3::x() * *w).collect())?;
        let (a, b) = above.domain();
        let n = 32 * above.spans().count();
        let points = (0..=n)
            .map(|i| {
                let t = a + (b - a) * i as f64 / n as f64;
                above.at(t).position / below.at(t).position.x
            })
            .collect();
        Ok(Some(FoundShape::Points(points)))
    }
}

fn vector(numbers: &[f64]) -> Option<Vec3> {
    (numbers.len() == 3).then(|| Vec3::new(numbers[0], numbers[1], numbers[2]))
}
