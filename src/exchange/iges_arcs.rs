//! Lines and arcs in IGES: entities 110 and 100 under one composite curve (102).
//!
//! An arc lies in a plane z = ZT of its own axes, which a transformation (124) puts in place.

use std::f64::consts::{PI, TAU};

use super::arcs::Element;
use super::file::ReadError;
use super::iges::{Entity, Record, next_entry};
use super::number::Real;
use crate::geom::Vec3;

/// Adds the entities of lines and arcs; returns `102,N,..` for the composite curve of them.
pub fn add_elements(
    entities: &mut Vec<Entity>,
    elements: &[Element],
    colour: usize,
) -> Vec<String> {
    let mut parameters = vec!["102,".to_owned(), format!("{},", elements.len())];
    for element in elements {
        let mut matrix = None;
        let (kind, numbers) = match element {
            Element::Line { start, end } => (110, [start.as_slice(), end.as_slice()].concat()),
            Element::Arc {
                start,
                end,
                center,
                axis,
                ..
            } => {
                let x = (start - center).normalize();
                let y = axis.cross(&x);
                matrix = Some(next_entry(entities));
                let rows: Vec<f64> = (0..3)
                    .flat_map(|i| [x[i], y[i], axis[i], center[i]])
                    .collect();
                entities.push(Entity::part_of(124, real_parameters(124, &rows)));
                let to = end - center;
                let radius = element.radius();
                let plane = vec![0.0, 0.0, 0.0, radius, 0.0, to.dot(&x), to.dot(&y)];
                (100, plane)
            }
        };
        parameters.push(format!("{},", next_entry(entities)));
        entities.push(Entity {
            colour: Some(colour),
            matrix,
            ..Entity::part_of(kind, real_parameters(kind, &numbers))
        });
    }
    parameters
}

fn real_parameters(kind: usize, numbers: &[f64]) -> Vec<String> {
    let last = numbers.len();
    let mut parameters = vec![format!("{kind},")];
    for (i, x) in numbers.iter().enumerate() {
        let end = if i + 1 == last { ';' } else { ',' };
        parameters.push(format!("{}{end}", Real(*x)));
    }
    parameters
}

/// The lines and arcs of a composite curve; `None` if there is something else in it.
pub fn elements_of(record: &Record, all: &[Record]) -> Result<Option<Vec<Element>>, ReadError> {
    let n = record.value(1)?;
    if !(1.0..1e6).contains(&n) {
        return Err(ReadError::line(
            record.line,
            "the composite curve's count makes no sense",
        ));
    }
    let mut elements = Vec::new();
    for i in 0..n as usize {
        let piece = entity(record.value(2 + i)?, all)
            .ok_or_else(|| ReadError::line(record.line, "a piece of the curve is missing"))?;
        let motion = Motion::of(piece, all)?;
        let at =
            |i: usize| Ok(motion.apply(piece.value(i)?, piece.value(i + 1)?, piece.value(i + 2)?));
        match piece.kind {
            110 => elements.push(Element::Line {
                start: at(1)?,
                end: at(4)?,
            }),
            100 => elements.extend(arc(piece, &motion)?),
            _ => return Ok(None),
        }
    }
    Ok(Some(elements))
}

/// The entity of a pointer to a directory entry.
fn entity(pointer: f64, all: &[Record]) -> Option<&Record> {
    all.get((pointer as usize).checked_sub(1)? / 2)
}

/// Columns and origin of a transformation.
struct Motion {
    columns: [Vec3; 3],
    origin: Vec3,
}

impl Motion {
    fn of(record: &Record, all: &[Record]) -> Result<Self, ReadError> {
        let mut motion = Self {
            columns: [Vec3::x(), Vec3::y(), Vec3::z()],
            origin: Vec3::zeros(),
        };
        if record.matrix == 0 {
            return Ok(motion);
        }
        let matrix = entity(record.matrix as f64, all)
            .filter(|m| m.kind == 124 && m.matrix == 0)
            .ok_or_else(|| ReadError::line(record.line, "its transformation is not understood"))?;
        for row in 0..3 {
            for column in 0..3 {
                motion.columns[column][row] = matrix.value(1 + 4 * row + column)?;
            }
            motion.origin[row] = matrix.value(4 + 4 * row)?;
        }
        Ok(motion)
    }

    fn apply(&self, x: f64, y: f64, z: f64) -> Vec3 {
        // Not a bit changes without a motion.
        if self.origin == Vec3::zeros()
            && self.columns[0] == Vec3::x()
            && self.columns[1] == Vec3::y()
        {
            return Vec3::new(x, y, z);
        }
        self.columns[0] * x + self.columns[1] * y + self.columns[2] * z + self.origin
    }
}

/// An arc as one piece, or three where it turns by half a turn or more.
fn arc(record: &Record, motion: &Motion) -> Result<Vec<Element>, ReadError> {
    let value = |i: usize| record.value(i);
    let (z, cx, cy) = (value(1)?, value(2)?, value(3)?);
    let (from, to) = (
        (value(4)? - cx, value(5)? - cy),
        (value(6)? - cx, value(7)? - cy),
    );
    let mut angle = (from.0 * to.1 - from.1 * to.0).atan2(from.0 * to.0 + from.1 * to.1);
    if angle <= 0.0 {
        angle += TAU;
    }
    let n = if angle < PI { 1 } else { 3 };
    let place = |k: usize| {
        let (x, y) = match k {
            0 => from,
            k if k == n => to,
            k => {
                let (sine, cosine) = (angle * k as f64 / n as f64).sin_cos();
                (
                    from.0 * cosine - from.1 * sine,
                    from.0 * sine + from.1 * cosine,
                )
            }
        };
        motion.apply(cx + x, cy + y, z)
    };
    let center = motion.apply(cx, cy, z);
    let piece = |k: usize| Element::Arc {
        start: place(k),
        end: place(k + 1),
        center,
        axis: motion.columns[2],
        angle: angle / n as f64,
    };
    Ok((0..n).map(piece).collect())
}
