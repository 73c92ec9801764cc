//! Lines and arcs in STEP: one composite curve of trimmed lines and circles for each route.
//!
//! Trims are written as points and as parameters, the points first: ends keep their bits. ISO 10303-42.

use std::f64::consts::{PI, TAU};

use super::arcs::Element;
use super::file::{FoundShape, ReadError};
use super::number::Real;
use super::part21::{self, references, text};
use super::step::{StepFile, StepReader};
use crate::geom::Vec3;

/// Points for each span of a curve that is joined with others.
const PLACES: usize = 32;

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

impl StepReader {
    /// A trimmed line or circle as elements, or a composite curve; `None` if it is neither, or trimmed without points.
    pub(super) fn joined_shape(
        &self,
        item: u64,
        depth: usize,
    ) -> Result<Option<FoundShape>, ReadError> {
        if let Some(elements) = self.trimmed(item) {
            return Ok(Some(FoundShape::Elements(elements)));
        }
        let segments = self
            .get(item, "COMPOSITE_CURVE")
            .and_then(|record| record.get(1)?.references());
        let Some(segments) = segments.filter(|_| depth < 8) else {
            return Ok(None);
        };
        let mut shapes = Vec::with_capacity(segments.len());
        for segment in segments {
            let record = self.get(segment, "COMPOSITE_CURVE_SEGMENT");
            let parent = record.and_then(|r| r.get(2)?.reference());
            let Some(parent) = parent else {
                return Ok(None);
            };
            let forward = is_true(record.and_then(|r| r.get(1)));
            let shape = match self.joined_shape(parent, depth + 1)? {
                Some(shape) => Some(shape),
                None => self.shape(parent)?,
            };
            let Some(shape) = shape else {
                return Ok(None);
            };
            shapes.push(if forward { shape } else { reversed(shape) });
        }
        Ok(Some(join(&shapes)))
    }

    fn trimmed(&self, item: u64) -> Option<Vec<Element>> {
        let record = self.get(item, "TRIMMED_CURVE")?;
        let basis = record.get(1)?.reference()?;
        let end = |i: usize| match record.get(i)? {
            part21::Value::List(trims) => {
                trims.iter().find_map(|trim| self.point(trim.reference()?))
            }
            _ => None,
        };
        let (start, end) = (end(2)?, end(3)?);
        if self.get(basis, "LINE").is_some() {
            return (start != end).then(|| vec![Element::Line { start, end }]);
        }
        let circle = self.get(basis, "CIRCLE")?;
        let placement = self.placement(circle.get(1)?.reference()?)?;
        let forward = is_true(record.get(4));
        let axis = placement.axes.column(2) * if forward { 1.0 } else { -1.0 };
        arcs(start, end, placement.origin, axis)
    }
}

/// Arcs from start to end about an axis, each of less than half a turn.
fn arcs(start: Vec3, end: Vec3, center: Vec3, axis: Vec3) -> Option<Vec<Element>> {
    let out = start - center;
    let (x, y) = (
        out.try_normalize(0.0)?,
        axis.cross(&out).try_normalize(0.0)?,
    );
    let to = end - center;
    let mut angle = to.dot(&y).atan2(to.dot(&x));
    if angle <= 0.0 || start == end {
        angle += TAU;
    }
    // A third of a whole turn is as much as there can be.
    let n = if angle < PI { 1 } else { 3 };
    let place = |k: usize| match k {
        0 => start,
        k if k == n => end,
        k => {
            let turn = angle * k as f64 / n as f64;
            center + (x * turn.cos() + y * turn.sin()) * out.norm()
        }
    };
    let piece = |k: usize| Element::Arc {
        start: place(k),
        end: place(k + 1),
        center,
        axis,
        angle: angle / n as f64,
    };
    Some((0..n).map(piece).collect())
}

fn is_true(value: Option<&part21::Value>) -> bool {
    !matches!(value, Some(part21::Value::Enumeration(word)) if word == "F")
}

fn reversed(shape: FoundShape) -> FoundShape {
    match shape {
        FoundShape::Elements(elements) => {
            FoundShape::Elements(elements.iter().rev().map(Element::reversed).collect())
        }
        other => {
            let mut points = points_of(&other);
            points.reverse();
            FoundShape::Points(points)
        }
    }
}

/// Lines and arcs stay what they are; with other curves among them all become points.
fn join(shapes: &[FoundShape]) -> FoundShape {
    let mut elements = Vec::new();
    for shape in shapes {
        match shape {
            FoundShape::Elements(some) => elements.extend_from_slice(some),
            _ => return FoundShape::Points(shapes.iter().flat_map(points_of).collect()),
        }
    }
    FoundShape::Elements(elements)
}

fn points_of(shape: &FoundShape) -> Vec<Vec3> {
    match shape {
        FoundShape::Points(points) => points.clone(),
        FoundShape::Elements(elements) => elements
            .iter()
            .flat_map(|e| (0..=PLACES).map(|i| e.at(i as f64 / PLACES as f64)))
            .collect(),
        FoundShape::Spline(curve) => {
            let mut points = vec![curve.start().position];
            for (a, b) in curve.spans() {
                let place = |i: usize| curve.at(a + (b - a) * i as f64 / PLACES as f64).position;
                points.extend((1..=PLACES).map(place));
            }
            points
        }
        FoundShape::Skin(_) | FoundShape::Mesh { .. } => Vec::new(),
    }
}
