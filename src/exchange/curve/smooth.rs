//! One B-spline along a path: quintic pieces that share position and two derivatives with it at their ends.

use super::{Basis, Curve};
use crate::exchange::bspline::{BSpline, CurvePoint, arc_length};
use crate::geom::Vec3;

/// Halvings of one smooth piece at most.
const DEEPEST: u32 = 14;

/// Rounding of a position, over its largest coordinate.
const ROUNDING: f64 = 1e-12;

/// Pieces of one path at most.
const MOST_PIECES: usize = 200_000;

/// Degree of the pieces.
const DEGREE: usize = 5;

/// Arc length of a basis between two parameters with nothing but smooth curve between them.
pub fn arc(basis: &Basis, from: f64, to: f64) -> f64 {
    arc_length(&|t| basis.at(t).first.norm(), from, to)
}

/// The B-spline along a path that is nowhere farther from it than `error`; the one of the file itself where the path
/// is one polynomial B-spline, whole and in its direction. `None` for a path without extent or ends.
pub fn spline_of(path: &[Curve], error: f64) -> Option<BSpline> {
    if let [curve] = path
        && let Basis::Spline(spline) = &curve.basis
        && (curve.from, curve.to) == spline.domain()
        && let Some(polynomial) = spline.as_polynomial()
    {
        return (polynomial.length() > 0.0).then(|| polynomial.clone());
    }
    if !path.iter().all(Curve::has_ends) {
        return None;
    }
    let mut pieces: Vec<(f64, [Vec3; DEGREE + 1])> = Vec::new();
    for curve in path {
        // Far from the origin nothing can be nearer than roundings.
        let error = error.max(ROUNDING * curve.start().amax().max(curve.end().amax()));
        for pair in curve.breaks().windows(2) {
            quintics(&curve.basis, pair[0], pair[1], error, 0, &mut pieces);
            if pieces.len() > MOST_PIECES {
                return None;
            }
        }
    }
    pieces.retain(|(length, _)| *length > 0.0);
    let (_, first) = pieces.first()?;
    let mut points = vec![first[0]];
    let mut knots = vec![0.0; DEGREE + 1];
    let mut at = 0.0;
    for (i, (length, bezier)) in pieces.iter().enumerate() {
        if i > 0 {
            knots.extend([at; DEGREE]);
        }
        at += length;
        points.extend_from_slice(&bezier[1..]);
    }
    knots.extend([at; DEGREE + 1]);
    BSpline::new(DEGREE, knots, points).ok()
}

/// Adds pieces from one parameter to another (which may be smaller), each with its length.
fn quintics(
    basis: &Basis,
    from: f64,
    to: f64,
    error: f64,
    depth: u32,
    pieces: &mut Vec<(f64, [Vec3; DEGREE + 1])>,
) {
    let step = to - from;
    let [mut a, mut b] = [(from, to), (to, from)].map(|(end, other)| basis.at(inside(end, other)));
    // Only the derivatives depend on the side.
    a.position = basis.at(from).position;
    b.position = basis.at(to).position;
    let bezier = hermite(&a, &b, step);
    let is_near = |part: f64| {
        let exact = basis.at(from + step * part).position;
        !((at(&bezier, part) - exact).norm() > error)
    };
    if depth >= DEEPEST || [0.25, 0.5, 0.75].into_iter().all(is_near) {
        pieces.push((arc(basis, from, to), bezier));
        return;
    }
    let middle = from + 0.5 * step;
    quintics(basis, from, middle, error, depth + 1, pieces);
    quintics(basis, middle, to, error, depth + 1, pieces);
}

/// A parameter a rounding inside a piece: derivatives at a knot are those of this side of it.
fn inside(end: f64, other: f64) -> f64 {
    end + (other - end) * 1e-13
}

/// The quintic that has position and derivatives of both ends, as a Bezier curve.
fn hermite(a: &CurvePoint, b: &CurvePoint, step: f64) -> [Vec3; DEGREE + 1] {
    let (va, vb) = (a.first * (step / 5.0), b.first * (step / 5.0));
    let (wa, wb) = (
        a.second * (step * step / 20.0),
        b.second * (step * step / 20.0),
    );
    [
        a.position,
        a.position + va,
        a.position + va * 2.0 + wa,
        b.position - vb * 2.0 + wb,
        b.position - vb,
        b.position,
    ]
}

/// A Bezier curve at a part of it, by de Casteljau's algorithm.
fn at(bezier: &[Vec3; DEGREE + 1], part: f64) -> Vec3 {
    let mut points = *bezier;
    for level in (1..=DEGREE).rev() {
        for i in 0..level {
            points[i] = points[i].lerp(&points[i + 1], part);
        }
    }
    points[0]
}
