//! STEP AP214: one product for each route, several in an assembly, with names and colours.
//!
//! The entities and their order follow files that OpenCASCADE, FreeCAD and gmsh read. ISO 10303-214, 10303-42.

use std::fmt::Write;

use super::bspline::BSpline;
use super::file::{Entries, Stamp, Target};
use super::names::NameRule;
use super::number::Real;
use super::part21_writer::{Instances, integers, reals, references, text};
use super::remark;
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
pub fn write(entries: &Entries, target: &Target) -> Vec<u8> {
    let mut file = StepFile::begin(target);
    let mut styled = Vec::new();
    let mut parts = Vec::new();
    for entry in entries.routes() {
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
    file.end(entries, &parts, &styled, target)
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
    pub fn end(
        mut self,
        entries: &Entries,
        parts: &[Part],
        styled: &[usize],
        target: &Target,
    ) -> Vec<u8> {
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
        let mut remarks = String::new();
        for remark in remark::lines(entries, target, 72) {
            // Writing to a string cannot fail.
            let _ = writeln!(remarks, "/* {remark} */");
        }
        format!(
            "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('routes'),'2;1');\n\
             FILE_NAME({},'{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}',(''),(''),\
             'Loomwright {version}','Loomwright','');\n\
             FILE_SCHEMA(('AUTOMOTIVE_DESIGN {{ 1 0 10303 214 1 1 1 1 }}'));\nENDSEC;\nDATA;\n{remarks}{}\
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
