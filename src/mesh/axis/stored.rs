//! Axes as a scene file keeps them: a packed scene has no exact faces to find them from again.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Axis, Line, sections, similarity};
use crate::geom::{Mat3, Vec3};
use crate::mesh::tessellate::{Frame, Knots, NurbsSurface};

/// An axis in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredAxis {
    line: StoredLine,
    radius: f64,
    /// Columns.
    linear: [[f64; 3]; 3],
    offset: [f64; 3],
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StoredLine {
    Straight {
        frame: StoredFrame,
        range: [f64; 2],
    },
    Arc {
        frame: StoredFrame,
        major: f64,
        range: [f64; 2],
    },
    Swept {
        degrees: [usize; 2],
        knots: [Vec<f64>; 2],
        /// By u, then by v: place times weight, weight.
        points: Vec<[f64; 4]>,
        round: usize,
        /// First and last section.
        sections: [usize; 2],
    },
}

/// Origin and the three axes.
type StoredFrame = [[f64; 3]; 4];

impl From<Axis> for StoredAxis {
    fn from(axis: Axis) -> Self {
        let line = match &axis.line {
            Line::Straight { frame, range } => StoredLine::Straight {
                frame: stored(frame),
                range: *range,
            },
            Line::Arc {
                frame,
                major,
                range,
            } => StoredLine::Arc {
                frame: stored(frame),
                major: *major,
                range: *range,
            },
            Line::Swept {
                surface,
                round,
                first,
                middles,
            } => StoredLine::Swept {
                degrees: surface.knots().map(Knots::degree),
                knots: surface.knots().map(|k| k.values().to_vec()),
                points: surface.net(),
                round: *round,
                sections: [*first, first + middles.len() - 1],
            },
        };
        let column = |k: usize| <[f64; 3]>::from(axis.linear.column(k).into_owned());
        Self {
            line,
            radius: axis.radius,
            linear: [column(0), column(1), column(2)],
            offset: axis.offset.into(),
        }
    }
}

impl TryFrom<StoredAxis> for Axis {
    type Error = &'static str;

    fn try_from(file: StoredAxis) -> Result<Self, Self::Error> {
        let line = match file.line {
            StoredLine::Straight { frame, range } => Line::Straight {
                frame: read_frame(&frame)?,
                range: ascending(range)?,
            },
            StoredLine::Arc {
                frame,
                major,
                range,
            } => Line::Arc {
                frame: read_frame(&frame)?,
                major: positive(major)?,
                range,
            },
            StoredLine::Swept {
                degrees,
                knots,
                points,
                round,
                sections,
            } => read_swept(degrees, knots, points, round, sections)?,
        };
        let linear = Mat3::from_columns(&file.linear.map(Vec3::from));
        let offset = Vec3::from(file.offset);
        let scale = similarity(&linear).ok_or("does not keep circles")?;
        let is_finite = offset.iter().all(|c| c.is_finite())
            && match &line {
                Line::Arc { range, .. } => range.iter().all(|c| c.is_finite()),
                _ => true,
            };
        if !is_finite {
            return Err("has a number that is not finite");
        }
        Ok(Self {
            line,
            radius: positive(file.radius)?,
            linear,
            offset,
            scale,
        })
    }
}

fn stored(frame: &Frame) -> StoredFrame {
    [frame.origin, frame.x, frame.y, frame.z].map(<[f64; 3]>::from)
}

fn read_frame(stored: &StoredFrame) -> Result<Frame, &'static str> {
    let [origin, x, y, z] = stored.map(Vec3::from);
    let axes = Mat3::from_columns(&[x, y, z]);
    let is_square = (axes.transpose() * axes - Mat3::identity()).norm() < 1e-6;
    if !is_square || !origin.iter().all(|c| c.is_finite()) {
        return Err("has axes that are not square");
    }
    Ok(Frame { origin, x, y, z })
}

fn ascending(range: [f64; 2]) -> Result<[f64; 2], &'static str> {
    let is_good = range.iter().all(|c| c.is_finite()) && range[0] <= range[1];
    is_good.then_some(range).ok_or("has a range that falls")
}

fn positive(number: f64) -> Result<f64, &'static str> {
    (number.is_finite() && number > 0.0)
        .then_some(number)
        .ok_or("has a radius that is not above zero")
}

fn read_swept(
    degrees: [usize; 2],
    knots: [Vec<f64>; 2],
    points: Vec<[f64; 4]>,
    round: usize,
    [first, last]: [usize; 2],
) -> Result<Line, &'static str> {
    let bad = "has a swept surface that is none";
    let [u, v] = knots;
    let count = |degree: usize, knots: &[f64]| knots.len().checked_sub(degree.checked_add(1)?);
    let n_u = count(degrees[0], &u).ok_or(bad)?;
    let n_v = count(degrees[1], &v).ok_or(bad)?;
    let u = Knots::new(degrees[0], u, n_u).ok_or(bad)?;
    let v = Knots::new(degrees[1], v, n_v).ok_or(bad)?;
    let surface = NurbsSurface::of_net(u, v, points).ok_or(bad)?;
    if round > 1 || first > last {
        return Err(bad);
    }
    let middles = sections(&surface, round).ok_or(bad)?;
    let middles = middles.get(first..=last).ok_or(bad)?.to_vec();
    Ok(Line::Swept {
        surface: Arc::new(surface),
        round,
        first,
        middles,
    })
}
