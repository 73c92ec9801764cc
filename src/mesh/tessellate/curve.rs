//! Curves of edges, and of the surfaces that are swept from curves.

use std::f64::consts::TAU;

use super::nurbs::NurbsCurve;
use crate::geom::{Mat3, Vec3};

/// An axis placement: an origin and three orthonormal axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Where its zero is.
    pub origin: Vec3,
    /// First axis.
    pub x: Vec3,
    /// Second axis.
    pub y: Vec3,
    /// Third axis.
    pub z: Vec3,
}

impl Frame {
    /// From an axis and a direction that need neither have length one nor be square; none where they do not span
    /// a plane.
    pub fn new(origin: Vec3, axis: Vec3, reference: Option<Vec3>) -> Option<Self> {
        let z = axis.try_normalize(0.0)?;
        let flat = |r: Vec3| (r - z * z.dot(&r)).try_normalize(1e-9 * r.norm());
        let x = reference
            .and_then(flat)
            .or_else(|| flat(Vec3::x()))
            .or_else(|| flat(Vec3::y()))?;
        let y = z.cross(&x);
        let all = [origin, x, y, z];
        all.iter()
            .all(|a| a.iter().all(|c| c.is_finite()))
            .then_some(Self { origin, x, y, z })
    }

    /// A point by its three coordinates here.
    pub fn point(&self, x: f64, y: f64, z: f64) -> Vec3 {
        self.origin + self.x * x + self.y * y + self.z * z
    }

    /// The coordinates of `p` here.
    pub fn local(&self, p: &Vec3) -> Vec3 {
        let d = p - self.origin;
        Vec3::new(self.x.dot(&d), self.y.dot(&d), self.z.dot(&d))
    }

    /// The axes as columns.
    pub fn axes(&self) -> Mat3 {
        Mat3::from_columns(&[self.x, self.y, self.z])
    }
}

/// A curve with its parameter as the standard (ISO 10303-42) has it.
#[derive(Clone, Debug, PartialEq)]
pub enum Curve {
    /// `origin + t direction`.
    Line {
        /// Where t is 0.
        origin: Vec3,
        /// By one of t.
        direction: Vec3,
    },
    /// Circle or ellipse by its half axes, t the angle.
    Ellipse {
        /// Its plane.
        frame: Frame,
        /// Half axis along x.
        a: f64,
        /// Half axis along y.
        b: f64,
    },
    /// `f t^2 x + 2 f t y`.
    Parabola {
        /// Its plane.
        frame: Frame,
        /// Focal distance.
        focal: f64,
    },
    /// `a cosh t x + b sinh t y`.
    Hyperbola {
        /// Its plane.
        frame: Frame,
        /// Half axis along x.
        a: f64,
        /// Half axis along y.
        b: f64,
    },
    /// A B-spline.
    Nurbs(NurbsCurve),
    /// Straight from point to point, t counting them.
    Polyline(Vec<Vec3>),
}

impl Curve {
    /// Point and first derivative.
    pub fn at(&self, t: f64) -> (Vec3, Vec3) {
        match self {
            Self::Line { origin, direction } => (origin + direction * t, *direction),
            Self::Ellipse { frame, a, b } => {
                let (sin, cos) = t.sin_cos();
                (
                    frame.point(a * cos, b * sin, 0.0),
                    frame.y * (b * cos) - frame.x * (a * sin),
                )
            }
            Self::Parabola { frame, focal } => (
                frame.point(focal * t * t, 2.0 * focal * t, 0.0),
                frame.x * (2.0 * focal * t) + frame.y * (2.0 * focal),
            ),
            Self::Hyperbola { frame, a, b } => {
                let (sinh, cosh) = (t.sinh(), t.cosh());
                (
                    frame.point(a * cosh, b * sinh, 0.0),
                    frame.x * (a * sinh) + frame.y * (b * cosh),
                )
            }
            Self::Nurbs(curve) => curve.point_and_slope(t),
            Self::Polyline(points) => {
                let last = points.len() - 2;
                let i = if t > 0.0 { (t as usize).min(last) } else { 0 };
                let slope = points[i + 1] - points[i];
                (points[i] + slope * (t - i as f64), slope)
            }
        }
    }

    /// The point at `t`.
    pub fn point(&self, t: f64) -> Vec3 {
        self.at(t).0
    }

    /// How far the parameter goes round.
    pub fn period(&self) -> Option<f64> {
        match self {
            Self::Ellipse { .. } => Some(TAU),
            Self::Nurbs(curve) => curve.knots().period(),
            Self::Polyline(points) if points.first() == points.last() => {
                Some(points.len() as f64 - 1.0)
            }
            _ => None,
        }
    }

    /// First and last parameter, where the curve has ends of its own.
    pub fn range(&self) -> Option<[f64; 2]> {
        match self {
            Self::Nurbs(curve) => Some([curve.knots().start(), curve.knots().end()]),
            Self::Polyline(points) => Some([0.0, points.len() as f64 - 1.0]),
            _ => None,
        }
    }

    /// Whether it is a straight line.
    pub fn is_straight(&self) -> bool {
        matches!(self, Self::Line { .. })
    }

    /// Parameters between which it is smooth and simple enough to be sampled, over its own range.
    pub fn breaks(&self) -> Vec<f64> {
        match self {
            Self::Nurbs(curve) => curve.knots().breaks(),
            Self::Polyline(points) => (0..points.len()).map(|i| i as f64).collect(),
            _ => Vec::new(),
        }
    }

    /// The parameter of the point of the curve that is nearest to `p`, exactly where `p` is on it.
    pub fn nearest(&self, p: &Vec3) -> f64 {
        match self {
            Self::Line { origin, direction } => {
                (p - origin).dot(direction) / direction.norm_squared()
            }
            Self::Ellipse { frame, a, b } => {
                let q = frame.local(p);
                let t = (q.y / b).atan2(q.x / a);
                if a == b {
                    t
                } else {
                    polished(self, p, t, [t - 1.0, t + 1.0])
                }
            }
            Self::Parabola { frame, focal } => frame.local(p).y / (2.0 * focal),
            Self::Hyperbola { frame, b, .. } => (frame.local(p).y / b).asinh(),
            Self::Nurbs(_) | Self::Polyline(_) => {
                Samples::new(self, |q| *q).nearest(p, |t| self.at(t), self.period())
            }
        }
    }
}

fn polished(curve: &Curve, p: &Vec3, from: f64, range: [f64; 2]) -> f64 {
    polish(|t| curve.at(t), p, from, range)
}

/// Steps of Gauss and Newton to the point of a curve nearest to `p`, kept inside `range`.
pub fn polish(at: impl Fn(f64) -> (Vec3, Vec3), p: &Vec3, from: f64, range: [f64; 2]) -> f64 {
    let mut t = from;
    let (mut best, mut best_distance) = (from, f64::INFINITY);
    for _ in 0..12 {
        let (q, d) = at(t);
        let off = p - q;
        let distance = off.norm_squared();
        if distance < best_distance {
            (best, best_distance) = (t, distance);
        }
        let step = off.dot(&d) / d.norm_squared();
        let next = (t + step).clamp(range[0], range[1]);
        if !next.is_finite() || (next - t).abs() <= 1e-14 * (range[1] - range[0]).abs() {
            break;
        }
        t = next;
    }
    best
}

/// Points of a curve in order, from which the search for the nearest begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    places: Vec<(f64, Vec3)>,
}

impl Samples {
    /// Points of a curve with a range, seen through `map`.
    pub fn new(curve: &Curve, map: impl Fn(&Vec3) -> Vec3) -> Self {
        let breaks = match curve.range() {
            Some(_) => curve.breaks(),
            None => vec![0.0, TAU],
        };
        let per_span = match curve {
            Curve::Polyline(_) => 1,
            Curve::Nurbs(nurbs) => (2 * nurbs.knots().degree()).max(64 / breaks.len()).min(64),
            _ => 64,
        };
        let mut places = Vec::new();
        for pair in breaks.windows(2) {
            for i in 0..per_span {
                let t = pair[0] + (pair[1] - pair[0]) * i as f64 / per_span as f64;
                places.push((t, map(&curve.point(t))));
            }
        }
        if let Some(&t) = breaks.last() {
            places.push((t, map(&curve.point(t))));
        }
        Self { places }
    }

    /// The parameter nearest to `p` of the curve `at`, whose points these are.
    pub fn nearest(&self, p: &Vec3, at: impl Fn(f64) -> (Vec3, Vec3), period: Option<f64>) -> f64 {
        let last = self.places.len() - 1;
        // The nearest stretch between two samples, not the nearest sample: curves come near to themselves.
        let mut best = (f64::INFINITY, 0.0, 0);
        for i in 0..last {
            let (a, b) = (self.places[i].1, self.places[i + 1].1);
            let along = b - a;
            let share = ((p - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
            let share = if share.is_finite() { share } else { 0.0 };
            let distance = (p - (a + along * share)).norm_squared();
            if distance < best.0 {
                best = (distance, share, i);
            }
        }
        let (_, share, i) = best;
        let (from, to) = (self.places[i].0, self.places[i + 1].0);
        let width = to - from;
        let start = from + width * share;
        let mut range = [from - width, to + width];
        if period.is_none() {
            range = [
                range[0].max(self.places[0].0),
                range[1].min(self.places[last].0),
            ];
        }
        polish(at, p, start, range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_parameters_come_back() {
        let frame = Frame::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 1.0, 0.2), None).unwrap();
        let points: Vec<Vec3> = (0..6)
            .map(|i| Vec3::new(f64::from(i), f64::from(i * i % 5), f64::from(i % 3)))
            .collect();
        let knots = super::super::nurbs::Knots::new(
            3,
            vec![0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0],
            6,
        )
        .unwrap();
        let curves = [
            Curve::Line {
                origin: Vec3::x(),
                direction: Vec3::new(0.0, 2.0, 1.0),
            },
            Curve::Ellipse {
                frame,
                a: 3.0,
                b: 3.0,
            },
            Curve::Ellipse {
                frame,
                a: 3.0,
                b: 0.7,
            },
            Curve::Parabola { frame, focal: 0.4 },
            Curve::Hyperbola {
                frame,
                a: 1.5,
                b: 0.5,
            },
            Curve::Nurbs(NurbsCurve::new(knots, &points, None).unwrap()),
            Curve::Polyline(points),
        ];
        for curve in curves {
            for t in [0.05, 0.7, 1.3, 2.9] {
                let found = curve.nearest(&curve.point(t));
                assert!((found - t).abs() < 1e-7, "{curve:?}: {found} for {t}");
            }
        }
    }
}
