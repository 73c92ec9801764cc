//! Axes of round faces of exact bodies: what a mesh remembers of the surfaces that it was made of.
//!
//! A cylinder, a torus and a surface that a circle was swept along have an axis that is known far better than by their
//! triangles. Centerlines of tubes and snapping take it from here.

mod stored;

use std::f64::consts::TAU;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::stored::StoredAxis;
use super::round::circle_through;
use super::tessellate::{Frame, NurbsSurface, Surface};
use crate::geom::{Mat3, Vec3};

/// Points on a section of a swept surface through which its circle is laid.
const AROUND: usize = 16;
/// Sections of one span of a swept surface.
const PER_SPAN: usize = 8;
/// Sections of a swept surface at most.
const MOST_SECTIONS: usize = 2000;
/// What is this far beyond the end of a face still belongs to its end, over its radius.
const BEYOND: f64 = 0.05;
/// An angle without a vertex of the face at which a ring is open.
const OPEN: f64 = 0.6;

/// The axis of a round face, with its radius.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "StoredAxis", try_from = "StoredAxis")]
pub struct Axis {
    line: Line,
    /// Of the face, in its own coordinates.
    radius: f64,
    /// From its own coordinates: a turn, a mirror, a scale that is the same all round.
    linear: Mat3,
    offset: Vec3,
    scale: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum Line {
    Straight {
        frame: Frame,
        /// Along z.
        range: [f64; 2],
    },
    Arc {
        frame: Frame,
        major: f64,
        /// Where it starts and how far it goes on, radians about z.
        range: [f64; 2],
    },
    Swept {
        surface: Arc<NurbsSurface>,
        /// The parameter that goes round.
        round: usize,
        /// Which of all sections the first of these is.
        first: usize,
        /// Middles of sections, with the other parameter.
        middles: Vec<(f64, Vec3)>,
    },
}

/// The nearest place on an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnAxis {
    /// Where.
    pub point: Vec3,
    /// Unit direction of the axis there; its sign means nothing.
    pub along: Vec3,
    /// Of the face there, mm.
    pub radius: f64,
}

impl Axis {
    /// The axis of a face of that surface that has these vertices; none where it is not round.
    pub fn of(surface: &Surface, vertices: &[Vec3]) -> Option<Self> {
        let (line, radius) = match surface {
            Surface::Cylinder { frame, radius } => {
                let heights = vertices.iter().map(|p| frame.local(p).z);
                let range = bounds(heights)?;
                let frame = *frame;
                (Line::Straight { frame, range }, *radius)
            }
            Surface::Torus {
                frame,
                major,
                minor,
            } if major > minor => {
                let range = arc_of(vertices.iter().map(|p| {
                    let q = frame.local(p);
                    q.y.atan2(q.x)
                }))?;
                let line = Line::Arc {
                    frame: *frame,
                    major: *major,
                    range,
                };
                (line, *minor)
            }
            Surface::Nurbs(surface) => swept(surface, vertices)?,
            _ => return None,
        };
        Some(Self {
            line,
            radius,
            linear: Mat3::identity(),
            offset: Vec3::zeros(),
            scale: 1.0,
        })
    }

    /// The axis after a map; none where the map does not keep circles.
    pub fn mapped(&self, linear: &Mat3, offset: &Vec3) -> Option<Self> {
        let scale = similarity(linear)?;
        Some(Self {
            linear: linear * self.linear,
            offset: linear * self.offset + offset,
            scale: scale * self.scale,
            ..self.clone()
        })
    }

    /// Radius of its face, mm; of a swept one in the middle.
    pub fn radius(&self) -> f64 {
        self.radius * self.scale
    }

    /// The nearest place; none beyond the stretch along which its face is.
    pub fn nearest(&self, place: &Vec3) -> Option<OnAxis> {
        let p = self.linear.transpose() * (place - self.offset) / (self.scale * self.scale);
        let (point, along, radius) = match &self.line {
            Line::Straight { frame, range } => {
                let z = frame.local(&p).z;
                let beyond = BEYOND * self.radius;
                let is_on = (range[0] - beyond..=range[1] + beyond).contains(&z);
                let z = is_on.then(|| z.clamp(range[0], range[1]))?;
                (frame.point(0.0, 0.0, z), frame.z, self.radius)
            }
            Line::Arc {
                frame,
                major,
                range,
            } => {
                let q = frame.local(&p);
                let beyond = BEYOND * self.radius / major;
                let ahead = (q.y.atan2(q.x) - range[0] + beyond).rem_euclid(TAU) - beyond;
                if ahead > range[1] + beyond || q.x.hypot(q.y) < 0.1 * major {
                    return None;
                }
                let (sin, cos) = (range[0] + ahead.clamp(0.0, range[1])).sin_cos();
                let along = frame.y * cos - frame.x * sin;
                let point = frame.point(major * cos, major * sin, 0.0);
                (point, along, self.radius)
            }
            Line::Swept {
                surface,
                round,
                middles,
                ..
            } => on_swept(surface, *round, middles, &p)?,
        };
        Some(OnAxis {
            point: self.linear * point + self.offset,
            along: self.linear * along / self.scale,
            radius: radius * self.scale,
        })
    }

    /// Whether it is straight.
    pub fn is_straight(&self) -> bool {
        matches!(self.line, Line::Straight { .. })
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let range = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| {
        [a.min(x), b.max(x)]
    });
    (range[0] <= range[1]).then_some(range)
}

/// Where the angles begin, and how far they go on: all but the widest gap between them.
fn arc_of(angles: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let mut angles: Vec<f64> = angles.map(|a| a.rem_euclid(TAU)).collect();
    angles.sort_by(f64::total_cmp);
    let (first, last) = (*angles.first()?, *angles.last()?);
    let around = [(last, first + TAU - last)];
    let gaps = angles.windows(2).map(|w| (w[0], w[1] - w[0]));
    let (before, gap) = gaps.chain(around).max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(if gap < OPEN {
        [0.0, TAU]
    } else {
        [before + gap, TAU - gap]
    })
}

/// Point on a swept surface by the parameter that goes round and the other one.
fn at(surface: &NurbsSurface, round: usize, around: f64, along: f64) -> Vec3 {
    if round == 0 {
        surface.at(around, along).0
    } else {
        surface.at(along, around).0
    }
}

/// Middle, direction and radius of a section; none where it is no circle.
fn section(surface: &NurbsSurface, round: usize, along: f64) -> Option<(Vec3, Vec3, f64)> {
    let knots = surface.knots()[round];
    let [start, width] = [knots.start(), knots.end() - knots.start()];
    let points: Vec<Vec3> = (0..AROUND)
        .map(|i| {
            at(
                surface,
                round,
                start + width * i as f64 / AROUND as f64,
                along,
            )
        })
        .collect();
    let closing = at(surface, round, knots.end(), along);
    let rim = circle_through(&points)?;
    let is_closed = (closing - points[0]).norm() < 1e-6 * rim.radius;
    is_closed.then_some((rim.center, rim.axis, rim.radius))
}

/// By how much a map makes things larger; none where it does not keep circles.
fn similarity(linear: &Mat3) -> Option<f64> {
    let scale = linear.determinant().abs().cbrt();
    let square = linear.transpose() * linear - Mat3::identity() * (scale * scale);
    (scale > 0.0 && square.norm() <= 1e-9 * scale * scale).then_some(scale)
}

/// Middles of the sections of a swept surface, with the parameter along it.
fn sections(surface: &NurbsSurface, round: usize) -> Option<Vec<(f64, Vec3)>> {
    let breaks = surface.knots()[1 - round].breaks();
    if (breaks.len() - 1) * PER_SPAN + 1 > MOST_SECTIONS {
        return None;
    }
    let mut middles = Vec::new();
    for span in breaks.windows(2) {
        for i in 0..PER_SPAN {
            let along = span[0] + (span[1] - span[0]) * i as f64 / PER_SPAN as f64;
            middles.push((along, section(surface, round, along)?.0));
        }
    }
    let last = *breaks.last()?;
    middles.push((last, section(surface, round, last)?.0));
    Some(middles)
}

fn swept(surface: &NurbsSurface, vertices: &[Vec3]) -> Option<(Line, f64)> {
    let ends = surface.knots().map(|k| [k.start(), k.end()]);
    let middle = |axis: usize| 0.5 * (ends[axis][0] + ends[axis][1]);
    let round = (0..2).find(|&round| section(surface, round, middle(1 - round)).is_some())?;
    let radius = section(surface, round, middle(1 - round))?.2;
    let middles = sections(surface, round)?;
    // Only where the face is: what was cut off belongs to others.
    let nearest = |p: &Vec3| {
        let distances = middles.iter().map(|(_, m)| (m - p).norm_squared());
        let best = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(0, |(k, _)| k)
    };
    let [low, high] = bounds(vertices.iter().map(|p| nearest(p) as f64))?.map(|k| k as usize);
    let middles: Vec<(f64, Vec3)> = middles[low..=high].to_vec();
    let line = Line::Swept {
        surface: Arc::new(surface.clone()),
        round,
        first: low,
        middles,
    };
    Some((line, radius))
}

/// The nearest middle of a section, between those that are known.
fn on_swept(
    surface: &NurbsSurface,
    round: usize,
    middles: &[(f64, Vec3)],
    p: &Vec3,
) -> Option<(Vec3, Vec3, f64)> {
    let distances = middles.iter().map(|(_, m)| (m - p).norm_squared());
    let (k, _) = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let mut low = middles[k.saturating_sub(1)].0;
    let mut high = middles[(k + 1).min(middles.len() - 1)].0;
    // The section whose plane goes through the point: the sign of its height over the plane tells the side.
    let forward = middles[(k + 1).min(middles.len() - 1)].1 - middles[k.saturating_sub(1)].1;
    let height = |t: f64| {
        let (middle, axis, _) = section(surface, round, t)?;
        Some((p - middle).dot(&axis) * axis.dot(&forward).signum())
    };
    let (first, last) = (height(low)?, height(high)?);
    let beyond = BEYOND * section(surface, round, low)?.2;
    if first < -beyond || last > beyond {
        return None;
    }
    for _ in 0..60 {
        let t = 0.5 * (low + high);
        if height(t)? > 0.0 {
            low = t;
        } else {
            high = t;
        }
    }
    section(surface, round, 0.5 * (low + high))
}
