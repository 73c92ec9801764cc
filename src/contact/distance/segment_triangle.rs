//! Closest points of a segment and a triangle.

use super::{point_triangle, segment_segment};
use crate::geom::Vec3;

/// Closest points (on the segment, on the triangle) of segment a b and a triangle; equal where they intersect.
pub fn segment_triangle(a: &Vec3, b: &Vec3, corners: &[Vec3; 3]) -> (Vec3, Vec3) {
    let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
    let (ha, hb) = ((a - corners[0]).dot(&normal), (b - corners[0]).dot(&normal));
    if ha * hb < 0.0 {
        // The segment crosses the plane: inside the triangle?
        let p = a + (b - a) * (ha / (ha - hb));
        let inside = (0..3).all(|k| {
            let (u, v) = (corners[k], corners[(k + 1) % 3]);
            (v - u).cross(&(p - u)).dot(&normal) >= 0.0
        });
        if inside {
            return (p, p);
        }
    }
    let mut best = (*a, point_triangle(a, corners).0);
    let mut best_sq = (best.0 - best.1).norm_squared();
    let other = (*b, point_triangle(b, corners).0);
    let other_sq = (other.0 - other.1).norm_squared();
    if other_sq < best_sq {
        (best, best_sq) = (other, other_sq);
    }
    for k in 0..3 {
        let (u, v) = (corners[k], corners[(k + 1) % 3]);
        let pair = segment_segment(a, b, &u, &v);
        let candidate = (a.lerp(b, pair.s), u.lerp(&v, pair.t));
        let candidate_sq = (candidate.0 - candidate.1).norm_squared();
        if candidate_sq < best_sq {
            (best, best_sq) = (candidate, candidate_sq);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_point_of_the_segment_is_nearer() {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut crossing = 0;
        for _ in 0..1000 {
            let mut v = || Vec3::from_fn(|_, _| 2.0 * rng.f64() - 1.0);
            let (a, b, corners) = (v(), v(), [v(), v(), v()]);
            let (p, q) = segment_triangle(&a, &b, &corners);
            let distance = (p - q).norm();
            crossing += usize::from(distance == 0.0);
            for i in 0..=100 {
                let s = a.lerp(&b, f64::from(i) / 100.0);
                assert!(distance <= (s - point_triangle(&s, &corners).0).norm() + 1e-12);
            }
        }
        assert!(crossing > 20, "some cross: {crossing}");
    }
}
