//! Lines and arcs in STEP: one composite curve of trimmed lines and circles for each route.
//!
//! Trims are written as points and as parameters, the points first: ends keep their bits. ISO 10303-42.

use super::arcs::Element;
use super::number::Real;
use super::part21_writer::{references, text};
use super::step::StepFile;

impl StepFile {
    /// A composite curve of elements, in the unit of the file.
    pub fn composite(&mut self, name: &str, elements: &[Element], closed: bool) -> usize {
        let last = elements.len().saturating_sub(1);
        let segments: Vec<usize> = elements
            .iter()
            .enumerate()
            .map(|(i, element)| {
                let curve = self.element(element);
                let transition = if i == last && !closed {
                    "DISCONTINUOUS"
                } else {
                    "CONT_SAME_GRADIENT"
                };
                self.data.add(format_args!(
                    "COMPOSITE_CURVE_SEGMENT(.{transition}.,.T.,#{curve})"
                ))
            })
            .collect();
        self.data.add(format_args!(
            "COMPOSITE_CURVE({},{},.F.)",
            text(name),
            references(&segments)
        ))
    }

    fn element(&mut self, element: &Element) -> usize {
        let ends = [element.start(), element.end()].map(|p| self.data.point(&p));
        let (basis, range) = match element {
            Element::Line { start, end } => {
                let along = end - start;
                let direction = self.data.direction(&along.normalize());
                let vector = self.data.add(format_args!("VECTOR('',#{direction},1.)"));
                let line = self
                    .data
                    .add(format_args!("LINE('',#{},#{vector})", ends[0]));
                (line, along.norm())
            }
            Element::Arc {
                start,
                center,
                axis,
                angle,
                ..
            } => {
                let out = (start - center).normalize();
                let placement = self.data.placement(center, axis, &out);
                let radius = Real(element.radius());
                let circle = self
                    .data
                    .add(format_args!("CIRCLE('',#{placement},{radius})"));
                (circle, *angle)
            }
        };
        self.data.add(format_args!(
            "TRIMMED_CURVE('',#{basis},(#{},PARAMETER_VALUE(0.)),(#{},PARAMETER_VALUE({})),.T.,.CARTESIAN.)",
            ends[0],
            ends[1],
            Real(range)
        ))
    }
}
