//! The C2 cubic through points: what a solved centerline means between its nodes.
//!
//! Parameters are the knots, each interior one simple, so the curve has two control points more than points. Its
//! control points solve a tridiagonal system, since three basis functions are not zero at a simple knot
//! (deBoor2001, chapter XIII).

use super::bspline::BSpline;
use crate::geom::Vec3;

/// Points repeated on either side of a ring: the influence of an end falls by 0.27 from point to point.
const RING_OVERLAP: usize = 32;

/// What holds an end of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EndCondition {
    /// The derivative by the parameter is this: a clamped end.
    Derivative(Vec3),
    /// No bending moment: the second derivative is zero, as at a free end.
    Natural,
}

/// The C2 cubic that is at `points[i]` for the parameter `at[i]`, bit for bit at both ends.
///
/// `None` where there are fewer than 2 points, counts differ, or the parameters do not rise.
pub fn interpolate(
    at: &[f64],
    points: &[Vec3],
    start: EndCondition,
    end: EndCondition,
) -> Option<BSpline> {
    let n = points.len();
    if n < 2 || at.len() != n || !at.windows(2).all(|t| t[1] > t[0]) {
        return None;
    }
    let mut knots = vec![at[0]; 3];
    knots.extend_from_slice(at);
    knots.extend([at[n - 1]; 3]);

    // Unknown: control points 1 ..= n. Rows: the end conditions, and each interior point.
    let mut lower = vec![0.0; n];
    let mut diagonal = vec![0.0; n];
    let mut upper = vec![0.0; n];
    let mut right = vec![Vec3::zeros(); n];
    match start {
        EndCondition::Derivative(d) => {
            diagonal[0] = 1.0;
            right[0] = points[0] + d * ((at[1] - at[0]) / 3.0);
        }
        EndCondition::Natural => {
            // (c2 - c1) / (k5 - k2) = (c1 - c0) / (k4 - k1), from the second derivative at the first knot.
            let (a, b) = (1.0 / (knots[5] - knots[2]), 1.0 / (knots[4] - knots[1]));
            diagonal[0] = a + b;
            upper[0] = -a;
            right[0] = points[0] * b;
        }
    }
    for i in 1..n - 1 {
        let (left, middle, last) = basis_at_knot(&knots, i + 3);
        (lower[i], diagonal[i], upper[i]) = (left, middle, last);
        right[i] = points[i];
    }
    match end {
        EndCondition::Derivative(d) => {
            diagonal[n - 1] = 1.0;
            right[n - 1] = points[n - 1] - d * ((at[n - 1] - at[n - 2]) / 3.0);
        }
        EndCondition::Natural => {
            let m = knots.len() - 1;
            let (a, b) = (
                1.0 / (knots[m - 2] - knots[m - 5]),
                1.0 / (knots[m - 1] - knots[m - 4]),
            );
            diagonal[n - 1] = a + b;
            lower[n - 1] = -a;
            right[n - 1] = points[n - 1] * b;
        }
    }
    let inner = solve_tridiagonal(&lower, &mut diagonal, &upper, right);
    let mut control = Vec::with_capacity(n + 2);
    control.push(points[0]);
    control.extend(inner);
    control.push(points[n - 1]);
    BSpline::new(3, knots, control).ok()
}

/// The closed C2 cubic through `points`, whose last one is the first again, as a curve clamped at the seam.
///
/// Its derivative at the seam is that of the ring gone round again and again.
pub fn interpolate_ring(at: &[f64], points: &[Vec3]) -> Option<BSpline> {
    let n = points.len();
    if n < 4 || at.len() != n {
        return None;
    }
    let around = n - 1;
    let period = at[around] - at[0];
    let overlap = RING_OVERLAP as i64;
    let (mut wide_at, mut wide) = (Vec::new(), Vec::new());
    for i in -overlap..=(around as i64 + overlap) {
        let (turns, place) = (
            i.div_euclid(around as i64),
            i.rem_euclid(around as i64) as usize,
        );
        wide_at.push(at[place] + period * turns as f64);
        wide.push(points[place]);
    }
    let wide = interpolate(
        &wide_at,
        &wide,
        EndCondition::Natural,
        EndCondition::Natural,
    )?;
    let seam = EndCondition::Derivative(wide.at(at[0]).first);
    interpolate(at, points, seam, seam)
}

/// The three cubic basis functions that are not zero at knot `k`, a simple one.
fn basis_at_knot(knots: &[f64], k: usize) -> (f64, f64, f64) {
    let t = knots[k];
    let (t_2, t_1, t1, t2) = (knots[k - 2], knots[k - 1], knots[k + 1], knots[k + 2]);
    let left = (t1 - t) / (t1 - t_2) * (t1 - t) / (t1 - t_1);
    let last = (t - t_1) / (t2 - t_1) * (t - t_1) / (t1 - t_1);
    (left, 1.0 - left - last, last)
}

/// Thomas' algorithm; the systems here are diagonally dominant.
fn solve_tridiagonal(
    lower: &[f64],
    diagonal: &mut [f64],
    upper: &[f64],
    mut right: Vec<Vec3>,
) -> Vec<Vec3> {
    let n = right.len();
    for i in 1..n {
        let factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        let above = right[i - 1];
        right[i] -= above * factor;
    }
    right[n - 1] /= diagonal[n - 1];
    for i in (0..n - 1).rev() {
        let below = right[i + 1];
        right[i] = (right[i] - below * upper[i]) / diagonal[i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_reproduced() {
        let cubic = |t: f64| Vec3::new(t, t * t - 3.0 * t, t * t * t / 10.0);
        let slope = |t: f64| Vec3::new(1.0, 2.0 * t - 3.0, 0.3 * t * t);
        let at = [0.0, 0.7, 1.0, 2.5, 4.0, 4.2];
        let points = at.map(cubic);
        let curve = interpolate(
            &at,
            &points,
            EndCondition::Derivative(slope(0.0)),
            EndCondition::Derivative(slope(4.2)),
        )
        .unwrap();
        for i in 0..=42 {
            let t = f64::from(i) * 0.1;
            assert!((curve.at(t).position - cubic(t)).norm() < 1e-12);
            assert!((curve.at(t).first - slope(t)).norm() < 1e-11);
        }
        assert_eq!(curve.start().position, points[0]);
        assert_eq!(curve.end().position, points[5]);
    }

    #[test]
    fn a_natural_end_has_no_curvature_and_points_are_met() {
        let at: Vec<f64> = (0..9)
            .map(|i| f64::from(i) + 0.1 * f64::from(i % 2))
            .collect();
        let points: Vec<_> = at.iter().map(|t| Vec3::new(*t, t.sin(), t.cos())).collect();
        let curve =
            interpolate(&at, &points, EndCondition::Natural, EndCondition::Natural).unwrap();
        assert!(curve.start().second.norm() < 1e-12 && curve.end().second.norm() < 1e-12);
        for (t, p) in at.iter().zip(&points) {
            assert!((curve.at(*t).position - p).norm() < 1e-12);
        }
    }

    #[test]
    fn a_ring_is_smooth_at_its_seam() {
        let n = 40;
        let angle = |i: i32| f64::from(i % n) / f64::from(n) * std::f64::consts::TAU;
        let points: Vec<_> = (0..=n)
            .map(|i| Vec3::new(50.0 * angle(i).cos(), 50.0 * angle(i).sin(), 0.0))
            .collect();
        let at: Vec<_> = (0..=n)
            .map(|i| f64::from(i) / f64::from(n) * 100.0 * std::f64::consts::PI)
            .collect();
        let ring = interpolate_ring(&at, &points).unwrap();
        let (start, end) = (ring.start(), ring.end());
        assert!((start.first - end.first).norm() < 1e-12);
        assert!((start.second - end.second).norm() < 1e-10);
        assert!((1.0 / start.curvature() - 50.0).abs() < 0.2);
    }
}
