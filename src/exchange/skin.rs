//! The skin of a tube as smooth surfaces: two halves, each five cubic rows along the route.
//!
//! Around, a half is a rational quadratic half circle with weights 1, sqrt(1/2), 1, sqrt(1/2), 1 (Piegl1997, 7.5);
//! along, each row of control points interpolates P + r (cos a N + sin a B) at stations, with the exact derivative
//! T (1 - r k.n) + r' n + r w m at both ends. Stations are doubled until the skin is exact enough.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4, PI, SQRT_2};

use super::bspline::BSpline;
use super::file::WriteError;
use super::fold::Fold;
use super::frame::{CurveFrame, frames};
use super::interpolate::{EndCondition, interpolate};
use super::route::Route;
use super::sample::{Fineness, at_length, cut};

/// Largest error of the skin, mm.
const SKIN_ERROR: f64 = 0.001;

/// Total turning of one stretch at most, radians: kernels integrate a face with a fixed number of points.
const STRETCH_TURN: f64 = 1.5 * PI;

/// Stations at most.
const MOST_STATIONS: usize = 20_000;

/// Weights of the control points around a half.
pub const WEIGHTS: [f64; 5] = [1.0, FRAC_1_SQRT_2, 1.0, FRAC_1_SQRT_2, 1.0];

/// A stretch of a tube between two rings.
pub struct Stretch {
    /// Frames of the first and the last ring.
    pub rings: [CurveFrame; 2],
    /// Radii of the first and the last ring, mm.
    pub radii: [f64; 2],
    /// The nine rows around: angle 0, 45, ... 315 degrees and 0 again, all with the same knots.
    pub rows: Vec<BSpline>,
}

/// The stretches of a route's tube: broken where the radius changes its slope and after some turning; a ring has at
/// least two.
pub fn stretches(route: &Route) -> Result<Vec<Stretch>, WriteError> {
    if let Some(fold) = Fold::sharpest(route) {
        return Err(WriteError::Folds {
            name: route.name.clone(),
            fold,
        });
    }
    let curve = &route.curve;
    let (a, b) = curve.domain();
    let mut breaks = vec![a];
    for &(s, _) in route.radius.places() {
        if s > 1e-6 * route.length && s < (1.0 - 1e-6) * route.length {
            breaks.push(at_length(curve, s));
        }
    }
    let mut stations: Vec<f64> = cut(curve, &Fineness::default())
        .iter()
        .map(|s| s.t)
        .collect();
    let pieces = (turning(curve, &stations) / STRETCH_TURN).ceil().max(1.0);
    let pieces = if route.closed {
        pieces.max(2.0)
    } else {
        pieces
    } as usize;
    for i in 1..pieces {
        let t = stations[i * (stations.len() - 1) / pieces];
        let near = 1e-3 * (b - a) / pieces as f64;
        if breaks.iter().all(|&k| (k - t).abs() > near) {
            breaks.push(t);
        }
    }
    breaks.push(b);
    breaks.sort_by(f64::total_cmp);
    loop {
        // The breaks are stations too, and none is too near to one.
        let mut at = breaks.clone();
        for &t in &stations {
            let near = 1e-3 * (b - a) / stations.len() as f64;
            if breaks.iter().all(|&k| (k - t).abs() > near) {
                at.push(t);
            }
        }
        at.sort_by(f64::total_cmp);
        let frames = frames(curve, &at, route.closed).ok_or_else(|| no_curve(route))?;
        let mut all = Vec::new();
        let mut error = 0.0_f64;
        for pair in breaks.windows(2) {
            let inside = |f: &&CurveFrame| f.t >= pair[0] && f.t <= pair[1];
            let part: Vec<CurveFrame> = frames.iter().filter(inside).copied().collect();
            let stretch = stretch(route, &part).ok_or_else(|| no_curve(route))?;
            error = error.max(error_of(route, &stretch));
            all.push(stretch);
        }
        if error <= SKIN_ERROR {
            return Ok(all);
        }
        if stations.len() > MOST_STATIONS {
            return Err(WriteError::Skin {
                name: route.name.clone(),
                error,
            });
        }
        let halves: Vec<f64> = stations.windows(2).map(|t| 0.5 * (t[0] + t[1])).collect();
        stations.extend(halves);
        stations.sort_by(f64::total_cmp);
    }
}

fn no_curve(route: &Route) -> WriteError {
    WriteError::Shape {
        name: route.name.clone(),
        reason: "its curve stands still somewhere".into(),
    }
}

/// The sum of changes of direction from place to place, radians.
fn turning(curve: &BSpline, at: &[f64]) -> f64 {
    let tangents: Vec<_> = at.iter().map(|&t| curve.at(t).first).collect();
    tangents.windows(2).map(|t| t[0].angle(&t[1])).sum()
}

fn stretch(route: &Route, frames: &[CurveFrame]) -> Option<Stretch> {
    let curve = &route.curve;
    let start = curve.domain().0;
    let n = frames.len();
    let mut at = Vec::with_capacity(n);
    let mut s = curve.length_between(start, frames.first()?.t);
    let mut before = frames.first()?.t;
    for frame in frames {
        s += curve.length_between(before, frame.t);
        before = frame.t;
        at.push(s);
    }
    let radii: Vec<f64> = at.iter().map(|&s| route.radius.at(s)).collect();
    // The radius is linear in a stretch.
    let slope = (radii[n - 1] - radii[0]) / (at[n - 1] - at[0]);
    let mut rows = Vec::with_capacity(9);
    for k in 0..9 {
        if k == 8 {
            rows.push(rows.first().cloned()?);
            break;
        }
        let angle = FRAC_PI_4 * f64::from(k);
        let reach = if k % 2 == 1 { SQRT_2 } else { 1.0 };
        let points: Vec<_> = frames
            .iter()
            .zip(&radii)
            .map(|(f, r)| f.position + f.across(angle) * (r * reach))
            .collect();
        let derivative = |i: usize| {
            let (f, r) = (&frames[i], radii[i] * reach);
            let (out, side) = (f.across(angle), f.across(angle + 0.5 * PI));
            let along = f.tangent * (1.0 - r * f.bend.dot(&out));
            EndCondition::Derivative(along + out * (slope * reach) + side * (r * f.turn))
        };
        rows.push(interpolate(&at, &points, derivative(0), derivative(n - 1))?);
    }
    Some(Stretch {
        rings: [frames[0], frames[n - 1]],
        radii: [radii[0], radii[n - 1]],
        rows,
    })
}

impl Stretch {
    /// The point of the skin at arc length `s`; `u` in [0, 4] goes around the first half, [4, 8] around the second.
    pub fn at(&self, u: f64, s: f64) -> crate::geom::Vec3 {
        let first = 2 * ((u / 2.0) as usize).min(3);
        let x = (u - first as f64) / 2.0;
        let basis = [(1.0 - x) * (1.0 - x), 2.0 * x * (1.0 - x), x * x];
        let mut sum = crate::geom::Vec3::zeros();
        let mut weight = 0.0;
        for (k, b) in basis.into_iter().enumerate() {
            let w = b * WEIGHTS[(first + k) % 4];
            sum += self.rows[first + k].at(s).position * w;
            weight += w;
        }
        sum / weight
    }
}

/// Largest error of the skin halfway between stations.
fn error_of(route: &Route, stretch: &Stretch) -> f64 {
    let curve = &route.curve;
    let (from, to) = (stretch.rings[0].t, stretch.rings[1].t);
    let (a, b) = stretch.rows[0].domain();
    let mut error = 0.0_f64;
    for (s0, s1) in stretch.rows[0].spans() {
        let s = 0.5 * (s0 + s1);
        let near = from + (to - from) * (s - a) / (b - a);
        for k in 0..8 {
            let p = stretch.at(f64::from(k) + 0.5, s);
            let (_, distance) = curve.nearest_from(&p, near);
            error = error.max((distance - route.radius.at(s)).abs());
        }
    }
    error
}
