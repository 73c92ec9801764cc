//! Whether a segment and a triangle share a point, decided exactly.
//!
//! Only signs of Shewchuk's adaptive determinants and comparisons of coordinates are used, so the answer holds for
//! the coordinates as given, however thin, flat or far from the origin the figures are.

use crate::geom::Vec3;
use robust::{Coord, Coord3D};

/// Whether the closed segment `pq` and the closed triangle share a point.
///
/// Either may be degenerate: a segment of no length is a point, a triangle of no area a segment or a point.
pub(super) fn segment_meets_triangle(p: &Vec3, q: &Vec3, [a, b, c]: &[Vec3; 3]) -> bool {
    let (side_p, side_q) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    if same_strict_side(side_p, side_q) {
        return false;
    }
    if side_p == 0.0 && side_q == 0.0 {
        return coplanar_segment_meets_triangle(p, q, a, b, c);
    }
    // The line pq meets the plane in one point; it lies in the triangle when pq turns the same way round all sides.
    let turns = [
        orient3d(p, q, a, b),
        orient3d(p, q, b, c),
        orient3d(p, q, c, a),
    ];
    turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
}

fn coplanar_segment_meets_triangle(p: &Vec3, q: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> bool {
    // A projection in which the triangle keeps an area maps its plane one to one.
    let faithful = (0..3).find(|&drop| orient2d(drop, a, b, c) != 0.0);
    if let Some(drop) = faithful {
        let turns = [
            orient2d(drop, a, b, p),
            orient2d(drop, b, c, p),
            orient2d(drop, c, a, p),
        ];
        let p_inside =
            turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0);
        return p_inside
            || segments_meet_in_projection(drop, p, q, a, b)
            || segments_meet_in_projection(drop, p, q, b, c)
            || segments_meet_in_projection(drop, p, q, c, a);
    }
    // No area: the corners lie on one line, and the triangle is the segment between the outermost two.
    let (mut first, mut last) = (a, a);
    for corner in [b, c] {
        if lexicographic(corner, first).is_lt() {
            first = corner;
        }
        if lexicographic(corner, last).is_gt() {
            last = corner;
        }
    }
    // In one plane, two segments meet exactly when they do so in all three projections: if the four ends are not on
    // one line, one of the projections is one to one; if they are, their boxes overlap.
    orient3d(p, q, first, last) == 0.0
        && (0..3).all(|drop| segments_meet_in_projection(drop, p, q, first, last))
}

/// Whether two closed segments meet after the coordinate `drop` is left out.
fn segments_meet_in_projection(drop: usize, p: &Vec3, q: &Vec3, u: &Vec3, v: &Vec3) -> bool {
    let boxes_overlap = (0..3)
        .filter(|&k| k != drop)
        .all(|k| p[k].min(q[k]) <= u[k].max(v[k]) && u[k].min(v[k]) <= p[k].max(q[k]));
    boxes_overlap
        && !same_strict_side(orient2d(drop, p, q, u), orient2d(drop, p, q, v))
        && !same_strict_side(orient2d(drop, u, v, p), orient2d(drop, u, v, q))
}

fn same_strict_side(a: f64, b: f64) -> bool {
    (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0)
}

fn lexicographic(a: &Vec3, b: &Vec3) -> std::cmp::Ordering {
    // Not `total_cmp`: −0 and 0 are one coordinate.
    (a.x, a.y, a.z)
        .partial_cmp(&(b.x, b.y, b.z))
        .unwrap_or(std::cmp::Ordering::Equal)
}

fn orient3d(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> f64 {
    let coord = |v: &Vec3| Coord3D {
        x: v.x,
        y: v.y,
        z: v.z,
    };
    robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

fn orient2d(drop: usize, a: &Vec3, b: &Vec3, c: &Vec3) -> f64 {
    let coord = |v: &Vec3| Coord {
        x: v[(drop + 1) % 3],
        y: v[(drop + 2) % 3],
    };
    robust::orient2d(coord(a), coord(b), coord(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }

    /// Checks the answer for every order of the corners and of the ends.
    fn meets(p: Vec3, q: Vec3, [a, b, c]: [Vec3; 3]) -> bool {
        let answer = segment_meets_triangle(&p, &q, &[a, b, c]);
        for corners in [
            [a, b, c],
            [b, c, a],
            [c, a, b],
            [a, c, b],
            [c, b, a],
            [b, a, c],
        ] {
            assert_eq!(segment_meets_triangle(&p, &q, &corners), answer);
            assert_eq!(segment_meets_triangle(&q, &p, &corners), answer);
        }
        answer
    }

    fn right_triangle() -> [Vec3; 3] {
        [v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0), v(0.0, 4.0, 0.0)]
    }

    #[test]
    fn piercing_and_passing_beside() {
        let t = right_triangle();
        assert!(meets(v(1.0, 1.0, -1.0), v(1.0, 1.0, 1.0), t));
        assert!(!meets(v(3.0, 3.0, -1.0), v(3.0, 3.0, 1.0), t));
        assert!(!meets(v(1.0, 1.0, 1.0), v(1.0, 1.0, 2.0), t));
        assert!(!meets(v(-1.0, 1.0, -1.0), v(-1.0, 1.0, 1.0), t));
    }

    #[test]
    fn touching_a_corner_a_side_or_the_face_counts() {
        let t = right_triangle();
        assert!(meets(v(0.0, 0.0, 0.0), v(0.0, 0.0, 1.0), t));
        assert!(meets(v(2.0, 2.0, -1.0), v(2.0, 2.0, 1.0), t));
        assert!(meets(v(1.0, 1.0, 0.0), v(1.0, 1.0, 1.0), t));
        // By the smallest step there is above the face.
        assert!(!meets(v(1.0, 1.0, 1e-300), v(1.0, 1.0, 1.0), t));
    }

    #[test]
    fn in_the_plane() {
        let t = right_triangle();
        assert!(
            meets(v(1.0, 1.0, 0.0), v(1.5, 1.0, 0.0), t),
            "wholly inside"
        );
        assert!(
            meets(v(-1.0, 1.0, 0.0), v(9.0, 1.0, 0.0), t),
            "right across"
        );
        assert!(meets(v(4.0, 0.0, 0.0), v(9.0, 0.0, 0.0), t), "at a corner");
        assert!(
            meets(v(5.0, -1.0, 0.0), v(-1.0, 5.0, 0.0), t),
            "along a side"
        );
        assert!(
            !meets(v(5.0, 0.0, 0.0), v(9.0, 0.0, 0.0), t),
            "in line with a side"
        );
        assert!(!meets(v(3.0, 3.0, 0.0), v(9.0, 1.0, 0.0), t));
        // A plane that stands on edge: two of the three projections are useless.
        let upright = [v(2.0, 0.0, 0.0), v(2.0, 4.0, 0.0), v(2.0, 0.0, 4.0)];
        assert!(meets(v(2.0, 1.0, 1.0), v(2.0, 9.0, 9.0), upright));
        assert!(!meets(v(2.0, 3.0, 3.0), v(2.0, 9.0, 9.0), upright));
    }

    #[test]
    fn degenerate_figures() {
        let t = right_triangle();
        assert!(
            meets(v(1.0, 1.0, 0.0), v(1.0, 1.0, 0.0), t),
            "point in the face"
        );
        assert!(!meets(v(3.0, 3.0, 0.0), v(3.0, 3.0, 0.0), t));
        assert!(!meets(v(1.0, 1.0, 1.0), v(1.0, 1.0, 1.0), t));

        let line = [v(0.0, 0.0, 0.0), v(1.0, 1.0, 1.0), v(3.0, 3.0, 3.0)];
        assert!(meets(v(2.0, 2.0, 0.0), v(2.0, 2.0, 4.0), line));
        assert!(!meets(v(2.0, 2.5, 0.0), v(2.0, 2.5, 4.0), line));
        assert!(meets(v(2.0, 2.0, 2.0), v(9.0, 9.0, 9.0), line), "along it");
        assert!(
            !meets(v(4.0, 4.0, 4.0), v(9.0, 9.0, 9.0), line),
            "in line with it"
        );
        assert!(meets(v(3.0, 3.0, 3.0), v(3.0, 3.0, 3.0), line));

        // Two zeros of different sign are the same place.
        let upright = [v(0.0, 0.0, 0.0), v(-0.0, 0.0, 5.0), v(0.0, 0.0, 9.0)];
        assert!(meets(v(-1.0, 0.0, 1.0), v(1.0, 0.0, 1.0), upright));

        let point = [v(1.0, 2.0, 3.0); 3];
        assert!(meets(v(0.0, 1.0, 2.0), v(2.0, 3.0, 4.0), point));
        assert!(!meets(v(0.0, 1.0, 2.0), v(2.0, 3.0, 4.5), point));
        assert!(meets(point[0], point[0], point));
    }

    #[test]
    fn exact_far_from_the_origin() {
        // 2^40 + k/4 is exact; floating-point determinants of these are not.
        let far = 2f64.powi(40);
        let t = right_triangle().map(|c| c + v(far, -far, far));
        let at = |x: f64, y: f64, z: f64| v(far + x, y - far, far + z);
        assert!(meets(at(2.0, 2.0, -1.0), at(2.0, 2.0, 1.0), t));
        assert!(!meets(at(2.25, 2.0, -1.0), at(2.25, 2.0, 1.0), t));
        assert!(!meets(at(1.0, 1.0, 0.25), at(1.0, 1.0, 1.0), t));
    }
}
