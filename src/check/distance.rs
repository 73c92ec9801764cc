//! Distance between a segment and a triangle.

use super::predicate::segment_meets_triangle;
use crate::geom::Vec3;

/// The nearest points of a segment and a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closest {
    /// Squared distance; exactly 0 when they share a point.
    pub distance_sq: f64,
    /// Nearest point of the segment.
    pub on_segment: Vec3,
    /// Nearest point of the triangle.
    pub on_triangle: Vec3,
}

/// The nearest points of segment `pq` and the triangle.
///
/// Whether they meet is decided exactly. Otherwise the nearest pair is one of: an end of the segment and the
/// triangle, a corner and the segment, a side and the segment, both in their interior. All eight are formed as pairs
/// of actual points, and the nearest is taken: near-degenerate figures can only pick a pair that is about as near.
pub(super) fn segment_triangle(p: &Vec3, q: &Vec3, corners: &[Vec3; 3]) -> Closest {
    // Differences to a corner round once, so the rest is as accurate far from the origin as near it.
    let origin = corners[0];
    let (local_p, local_q) = (p - origin, q - origin);
    let local = [Vec3::zeros(), corners[1] - origin, corners[2] - origin];

    let mut best = Closest {
        distance_sq: f64::INFINITY,
        on_segment: local_p,
        on_triangle: Vec3::zeros(),
    };
    let mut offer = |on_segment: Vec3, on_triangle: Vec3| {
        let distance_sq = (on_segment - on_triangle).norm_squared();
        if distance_sq < best.distance_sq {
            best = Closest {
                distance_sq,
                on_segment,
                on_triangle,
            };
        }
    };
    for end in [local_p, local_q] {
        if let Some(foot) = foot_on_face(&end, &local) {
            offer(end, foot);
        }
    }
    for k in 0..3 {
        let (u, v) = (local[k], local[(k + 1) % 3]);
        offer(local_p, foot_on_segment(&local_p, &u, &v));
        offer(local_q, foot_on_segment(&local_q, &u, &v));
        offer(foot_on_segment(&u, &local_p, &local_q), u);
        if let Some(on_pq) = nearest_to_line(&local_p, &local_q, &u, &v) {
            let on_uv = foot_on_segment(&on_pq, &u, &v);
            offer(foot_on_segment(&on_uv, &local_p, &local_q), on_uv);
        }
    }
    if segment_meets_triangle(p, q, corners) {
        let at = piercing_point(&local_p, &local_q, &local).unwrap_or(best.on_triangle);
        best = Closest {
            distance_sq: 0.0,
            on_segment: at,
            on_triangle: at,
        };
    }
    best.on_segment += origin;
    best.on_triangle += origin;
    best
}

/// The point of segment `ab` nearest to `x`.
pub(super) fn foot_on_segment(x: &Vec3, a: &Vec3, b: &Vec3) -> Vec3 {
    let along = b - a;
    let length_sq = along.norm_squared();
    if length_sq > 0.0 {
        a + along * ((x - a).dot(&along) / length_sq).clamp(0.0, 1.0)
    } else {
        *a
    }
}

/// The foot of the perpendicular from `x` to the triangle, if it falls inside.
fn foot_on_face(x: &Vec3, [a, b, c]: &[Vec3; 3]) -> Option<Vec3> {
    let n = (b - a).cross(&(c - a));
    let u = (c - b).cross(&(x - b)).dot(&n);
    let v = (a - c).cross(&(x - c)).dot(&n);
    let w = (b - a).cross(&(x - a)).dot(&n);
    let sum = u + v + w;
    (u >= 0.0 && v >= 0.0 && w >= 0.0 && sum > 0.0).then(|| (a * u + b * v + c * w) / sum)
}

/// The point of segment `pq` nearest to the line through `u` and `v`; none when they are parallel.
///
/// n = d × e,  s = ((u − p) × e)·n / n²  with d = q − p, e = v − u. The cross product keeps the error of s·θ at a few
/// rounding units for a small angle θ between the lines, where the textbook form through d², e², d·e does not.
fn nearest_to_line(p: &Vec3, q: &Vec3, u: &Vec3, v: &Vec3) -> Option<Vec3> {
    let (d, e) = (q - p, v - u);
    let n = d.cross(&e);
    let n_sq = n.norm_squared();
    (n_sq > 0.0).then(|| p + d * ((u - p).cross(&e).dot(&n) / n_sq).clamp(0.0, 1.0))
}

/// Where the segment goes through the triangle's plane, if it does so in one point.
fn piercing_point(p: &Vec3, q: &Vec3, [a, b, c]: &[Vec3; 3]) -> Option<Vec3> {
    let n = (b - a).cross(&(c - a));
    let (height_p, height_q) = (n.dot(&(p - a)), n.dot(&(q - a)));
    let fall = height_p - height_q;
    (fall != 0.0).then(|| p + (q - p) * (height_p / fall).clamp(0.0, 1.0))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers in, exact answers out")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn v(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }

    fn distance(p: Vec3, q: Vec3, corners: [Vec3; 3]) -> f64 {
        segment_triangle(&p, &q, &corners).distance_sq.sqrt()
    }

    #[test]
    fn every_kind_of_nearest_pair() {
        let t = [v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0), v(0.0, 4.0, 0.0)];
        // End and face, end and side, end and corner.
        assert_eq!(distance(v(1.0, 1.0, 2.0), v(1.0, 1.0, 9.0), t), 2.0);
        assert_eq!(distance(v(1.0, -3.0, 4.0), v(1.0, -9.0, 12.0), t), 5.0);
        assert_eq!(distance(v(-2.0, -3.0, 6.0), v(-4.0, -6.0, 12.0), t), 7.0);
        // Corner and segment, side and segment.
        assert_eq!(distance(v(-3.0, -5.0, 0.0), v(-3.0, 9.0, 0.0), t), 3.0);
        assert_eq!(distance(v(6.0, -9.0, 0.0), v(6.0, 9.0, 0.0), t), 2.0);
        assert_eq!(distance(v(1.0, -3.0, -4.0), v(1.0, -3.0, 4.0), t), 3.0);
        // Parallel to the face.
        assert_eq!(distance(v(-9.0, 1.0, 4.0), v(9.0, 1.0, 4.0), t), 4.0);
        // Through it.
        let hit = segment_triangle(&v(1.0, 1.0, -1.0), &v(1.0, 1.0, 3.0), &t);
        assert_eq!(hit.distance_sq, 0.0);
        assert_eq!(hit.on_triangle, v(1.0, 1.0, 0.0));
    }

    #[test]
    fn degenerate_figures() {
        let line = [v(0.0, 0.0, 0.0), v(2.0, 0.0, 0.0), v(8.0, 0.0, 0.0)];
        assert_eq!(distance(v(4.0, -5.0, 3.0), v(4.0, 5.0, 3.0), line), 3.0);
        let point = [v(1.0, 2.0, 3.0); 3];
        assert_eq!(distance(v(1.0, 2.0, 5.0), v(1.0, 2.0, 5.0), point), 2.0);
        assert_eq!(distance(v(1.0, 2.0, 3.0), v(1.0, 2.0, 3.0), point), 0.0);
    }

    #[test]
    fn nearly_parallel_lines_keep_their_distance() {
        // Lines that cross at an angle of 1e-7, 3 mm apart, far from all ends.
        let tilt = 1e-7;
        let t = [
            v(-50.0, -50.0 * tilt, 0.0),
            v(50.0, 50.0 * tilt, 0.0),
            v(0.0, 0.0, -10.0),
        ];
        let d = distance(v(-40.0, 0.0, 3.0), v(60.0, 0.0, 3.0), t);
        assert!((d - 3.0).abs() < 1e-13, "{d}");
    }

    #[test]
    fn needle_triangles_keep_their_distance() {
        for thickness in [1e-3, 1e-6, 1e-9, 1e-12, 1e-15] {
            let t = [
                v(0.0, 0.0, 0.0),
                v(100.0, 0.0, 0.0),
                v(60.0, thickness, 0.0),
            ];
            let d = distance(v(50.0, thickness / 3.0, 2.0), v(50.0, 0.0, 9.0), t);
            assert!((d - 2.0).abs() < 1e-13, "{thickness}: {d}");
        }
    }

    /// Distance from a point to a triangle by its Voronoi regions (Ericson2005, 5.1.5): another way than ours.
    fn point_triangle_by_regions(p: &Vec3, [a, b, c]: &[Vec3; 3]) -> f64 {
        let (ab, ac, ap) = (b - a, c - a, p - a);
        let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return ap.norm();
        }
        let bp = p - b;
        let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
        if d3 >= 0.0 && d4 <= d3 {
            return bp.norm();
        }
        let cp = p - c;
        let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
        if d6 >= 0.0 && d5 <= d6 {
            return cp.norm();
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return (ap - ab * (d1 / (d1 - d3))).norm();
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return (ap - ac * (d2 / (d2 - d6))).norm();
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return (bp - (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)))).norm();
        }
        let sum = va + vb + vc;
        (ap - ab * (vb / sum) - ac * (vc / sum)).norm()
    }

    /// The distance to a convex body is convex along the segment: ternary search finds its least value.
    fn by_ternary_search(p: &Vec3, q: &Vec3, corners: &[Vec3; 3]) -> f64 {
        let at = |s: f64| point_triangle_by_regions(&p.lerp(q, s), corners);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..100 {
            let (s1, s2) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if at(s1) < at(s2) {
                high = s2;
            } else {
                low = s1;
            }
        }
        at(low).min(at(0.0)).min(at(1.0))
    }

    fn point() -> impl Strategy<Value = Vec3> {
        [-4.0..4.0f64, -4.0..4.0, -4.0..4.0].prop_map(Vec3::from)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn agrees_with_a_convex_search(p in point(), q in point(), a in point(), b in point(), c in point()) {
            let t = [a, b, c];
            let n = (b - a).cross(&(c - a)).norm();
            prop_assume!(n > 1e-3); // the search, not ours, dislikes thin triangles
            let closest = segment_triangle(&p, &q, &t);
            let (d, reference) = (closest.distance_sq.sqrt(), by_ternary_search(&p, &q, &t));
            // The search sees a V-shaped least value to about the root of the rounding unit where it is 0.
            prop_assert!((d - reference).abs() < 1e-7, "{} against {}", d, reference);
            prop_assert!((closest.on_segment - closest.on_triangle).norm() - d < 1e-12);
        }
    }
}
