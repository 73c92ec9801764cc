//! When does a moving segment first touch a triangle?
//!
//! 1. The ends move on straight lines, p(t) = p0 + t (p1 − p0), so between the times a and b the segment stays in the
//!    convex hull of p(a), q(a), p(b), q(b), and each piece of it in the hull of its own four points. A direction that
//!    separates these four from the three corners by more than the rounding error proves the interval clear for that
//!    piece, whatever the direction and however it was found.
//! 2. An interval without such a proof is halved, earlier half first.
//! 3. If the segment touches the triangle at the start of the interval, or the interval is too short to tell, that is
//!    the contact. Nothing leaves the search unproven.

use super::bvh::Triangle;
use super::distance::segment_triangle;
use crate::geom::Vec3;

/// Contact tolerance, relative to the largest coordinate difference in one pair of segment and triangle.
///
/// About a hundred times the rounding of a separation, so that a motion that stays clear by more can be proven so.
pub(super) const TOUCH: f64 = 1e-12;

/// Bound on the rounding of a separation, relative to the same extent.
///
/// In units u = ε/2 of the extent: a coordinate of an end at time t is off by at most 8 (two differences, a product, a
/// sum), of a point between the ends by 12, its projection on a unit vector by √3·(12 + 3) ≈ 26, the corners' by
/// √3·(1 + 3) ≈ 7: together 33 u = 17 ε.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Halvings at most: past this the interval is shorter than any motion of 1e-12 of the extent.
const MAX_HALVINGS: usize = 48;

/// The motion of one edge: both ends go on straight lines in the same time, from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeMotion {
    /// Ends before.
    pub before: [Vec3; 2],
    /// Ends after.
    pub after: [Vec3; 2],
}

/// The first contact of one pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// Time in 0..=1.
    pub time: f64,
    /// Where, on the triangle.
    pub position: Vec3,
}

/// The first time, not after `latest`, at which the edge touches the triangle.
pub(super) fn first_contact(
    motion: &EdgeMotion,
    triangle: &Triangle,
    latest: f64,
) -> Option<Contact> {
    let pair = Pair::new(motion, triangle);
    let mut intervals = [(0.0, 0.0); MAX_HALVINGS + 2];
    intervals[0] = (0.0, 1.0);
    let mut len = 1;
    while len > 0 {
        len -= 1;
        let (start, end) = intervals[len];
        if start > latest {
            return None;
        }
        if pair.is_clear((start, end), (0.0, 1.0)) {
            continue;
        }
        let closest = segment_triangle(&pair.at(start, 0.0), &pair.at(start, 1.0), &pair.corners);
        let touches = closest.distance_sq <= pair.touch * pair.touch;
        let undecidable =
            (end - start) * pair.speed <= 0.5 * pair.touch || len + 2 > intervals.len();
        if touches || undecidable {
            return Some(Contact {
                time: start,
                position: closest.on_triangle + pair.origin,
            });
        }
        let middle = 0.5 * (start + end);
        intervals[len] = (middle, end);
        intervals[len + 1] = (start, middle);
        len += 2;
    }
    None
}

/// An edge's motion and a triangle, seen from the triangle's first corner.
struct Pair {
    origin: Vec3,
    corners: [Vec3; 3],
    normal: Vec3,
    before: [Vec3; 2],
    velocity: [Vec3; 2],
    /// No point of the edge moves faster.
    speed: f64,
    /// ∂²x/∂s∂t, the same all along: how much the edge turns and stretches.
    twist: f64,
    touch: f64,
    rounding: f64,
}

impl Pair {
    fn new(motion: &EdgeMotion, triangle: &Triangle) -> Self {
        let origin = triangle.corners[0];
        let corners = triangle.corners.map(|c| c - origin);
        let before = motion.before.map(|x| x - origin);
        let after = motion.after.map(|x| x - origin);
        let velocity = [after[0] - before[0], after[1] - before[1]];
        let extent = corners
            .iter()
            .chain(&before)
            .chain(&after)
            .fold(0.0, |extent: f64, x| extent.max(x.amax()));
        Self {
            origin,
            corners,
            normal: triangle.normal,
            before,
            velocity,
            speed: velocity[0].norm().max(velocity[1].norm()),
            twist: (velocity[1] - velocity[0]).norm(),
            touch: TOUCH * extent,
            rounding: ROUNDING * extent,
        }
    }

    /// The point at `s` (0..=1) along the edge at time `t`.
    fn at(&self, t: f64, s: f64) -> Vec3 {
        let p = self.before[0] + self.velocity[0] * t;
        let q = self.before[1] + self.velocity[1] * t;
        p * (1.0 - s) + q * s
    }

    /// Whether it is proven that a piece of the edge does not touch the triangle in an interval of time.
    fn is_clear(&self, (start, end): (f64, f64), (left, right): (f64, f64)) -> bool {
        let hull = [
            self.at(start, left),
            self.at(start, right),
            self.at(end, left),
            self.at(end, right),
        ];
        // Cheapest first: the face, the axes, then across the nearest points in the middle of the interval.
        if self.separates(&self.normal, &hull) || self.axis_separates(&hull) {
            return true;
        }
        let time = 0.5 * (start + end);
        let closest = segment_triangle(&self.at(time, left), &self.at(time, right), &self.corners);
        let across = closest.on_segment - closest.on_triangle;
        let along = self.at(time, right) - self.at(time, left);
        if self.separates(&across, &hull) || self.fine_direction_separates(across, along, &hull) {
            return true;
        }
        // Where the edge turns, the hull is thicker than the surface it sweeps. If that is what is in the way, shorter
        // pieces help; else only shorter times do.
        let thickness = self.twist * (end - start) * (right - left);
        let distance = closest.distance_sq.sqrt();
        if distance <= self.touch || thickness <= distance {
            return false;
        }
        let middle = 0.5 * (left + right);
        self.is_clear((start, end), (left, middle)) && self.is_clear((start, end), (middle, right))
    }

    /// Tries directions that are square to the edge or to the sides by construction.
    ///
    /// At a distance d, `across` is known to ε·extent/d only, too little to clear all of a long edge when d is below
    /// √ε of its length.
    fn fine_direction_separates(&self, across: Vec3, along: Vec3, hull: &[Vec3; 4]) -> bool {
        let square_to = |u: &Vec3| {
            let length_sq = u.norm_squared();
            (length_sq > 0.0).then(|| across - u * (across.dot(u) / length_sq))
        };
        square_to(&along).is_some_and(|n| self.separates(&n, hull))
            || (0..3).any(|k| {
                let side = self.corners[(k + 1) % 3] - self.corners[k];
                self.separates(&along.cross(&side), hull)
                    || square_to(&side).is_some_and(|n| self.separates(&n, hull))
            })
    }

    /// Whether the direction `n`, of any length, separates the points of `hull` from the corners for certain.
    fn separates(&self, n: &Vec3, hull: &[Vec3; 4]) -> bool {
        // Two divisions: the square of a very short direction would be no number to divide by.
        let size = n.amax();
        if !(size > 0.0 && size.is_finite()) {
            return false;
        }
        let n = (n / size).normalize();
        self.apart(hull.map(|x| n.dot(&x)), self.corners.map(|x| n.dot(&x)))
    }

    fn axis_separates(&self, hull: &[Vec3; 4]) -> bool {
        (0..3).any(|k| self.apart(hull.map(|x| x[k]), self.corners.map(|x| x[k])))
    }

    fn apart(&self, hull: [f64; 4], corners: [f64; 3]) -> bool {
        let (hull_low, hull_high) = range(&hull);
        let (corner_low, corner_high) = range(&corners);
        hull_low - corner_high > self.rounding || corner_low - hull_high > self.rounding
    }
}

fn range(values: &[f64]) -> (f64, f64) {
    values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| {
            (low.min(x), high.max(x))
        })
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers in, exact answers out")]
mod tests {
    use super::*;

    fn v(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3::new(x, y, z)
    }

    fn contact(before: [Vec3; 2], after: [Vec3; 2], corners: [Vec3; 3]) -> Option<Contact> {
        first_contact(
            &EdgeMotion { before, after },
            &Triangle::new(corners, 0, 0),
            1.0,
        )
    }

    fn big_triangle() -> [Vec3; 3] {
        [v(-90.0, -90.0, 0.0), v(90.0, -90.0, 0.0), v(0.0, 90.0, 0.0)]
    }

    #[test]
    fn time_and_place_of_a_fall_onto_a_sheet() {
        // Parallel to the sheet: it touches in one instant only.
        let hit = contact(
            [v(0.0, 0.0, 3.0), v(5.0, 0.0, 3.0)],
            [v(0.0, 0.0, -1.0), v(5.0, 0.0, -1.0)],
            big_triangle(),
        )
        .expect("falls through");
        assert!((hit.time - 0.75).abs() < 1e-10, "{}", hit.time);
        assert!(hit.position.z.abs() < 1e-9);
    }

    #[test]
    fn ends_exactly_on_the_sheet() {
        let (start, end) = (
            [v(0.0, 0.0, 3.0), v(5.0, 0.0, 3.0)],
            [v(0.0, 0.0, 1.0), v(5.0, 0.0, 0.0)],
        );
        let hit = contact(start, end, big_triangle()).expect("touches at the end");
        assert!(hit.time > 1.0 - 1e-10);
        let hit = contact(end, start, big_triangle()).expect("touches at the start");
        assert_eq!(hit.time, 0.0);
    }

    #[test]
    fn turning_motion_that_crosses_only_in_the_middle() {
        // The edge swaps its ends about the y axis: half way it has shrunk to a point at the height of its middle.
        let before = [v(-5.0, 0.0, 1.0), v(5.0, 0.0, 1.0)];
        let after = [v(5.0, 0.0, 1.0), v(-5.0, 0.0, 1.0)];
        let wall_beside = [v(-0.5, -1.0, 1.0), v(0.5, 1.0, 1.0), v(0.0, 0.0, 2.0)];
        assert!(contact(before, after, wall_beside).is_some());
        // A needle that the straight ends pass on both sides, and the patch between them only half way.
        let before = [v(-5.0, -5.0, 0.0), v(5.0, 5.0, 0.0)];
        let after = [v(-5.0, 5.0, 2.0), v(5.0, -5.0, 2.0)];
        let needle = |x: f64| [v(x, 0.0, 0.9), v(x, 0.01, 0.9), v(x + 0.01, 0.0, 1.1)];
        let hit = contact(before, after, needle(3.0)).expect("swept over");
        assert!((hit.time - 0.5).abs() < 0.06, "{}", hit.time);
        assert!(contact(before, after, needle(5.5)).is_none());
    }

    #[test]
    fn latest_ends_the_search() {
        let motion = EdgeMotion {
            before: [v(0.0, 0.0, 1.0), v(5.0, 0.0, 1.0)],
            after: [v(0.0, 0.0, -1.0), v(5.0, 0.0, -1.0)],
        };
        let triangle = Triangle::new(big_triangle(), 0, 0);
        assert!(first_contact(&motion, &triangle, 0.4).is_none());
        assert!(first_contact(&motion, &triangle, 0.6).is_some());
    }

    #[test]
    fn sliding_a_hair_above_the_sheet_is_clear_and_cheap() {
        // 1e-9 mm above the face over 100 mm: steps by the distance alone would be 1e11 many.
        let h = 1e-9;
        let slide = contact(
            [v(-50.0, 0.0, h), v(-45.0, 1.0, h)],
            [v(50.0, 0.0, h), v(45.0, 9.0, h)],
            big_triangle(),
        );
        assert!(slide.is_none());
    }

    #[test]
    fn ruling_along_a_side_at_a_hair_is_decided() {
        // The edge turns while its middle slides along a side of the triangle: the worst case for the hull.
        let h = 1e-6;
        let corners = [v(-60.0, 0.0, 0.0), v(60.0, 0.0, 0.0), v(0.0, 0.0, -50.0)];
        let before = [v(-50.0, -5.0, h), v(-50.0, 5.0, h)];
        let after = [v(50.0, -5.0, 5.0 + h), v(50.0, 5.0, h - 5.0)];
        assert!(contact(before, after, corners).is_none());
        let low = Vec3::z() * (2.0 * h);
        assert!(contact(before.map(|x| x - low), after.map(|x| x - low), corners).is_some());
    }

    #[test]
    fn edges_that_pass_at_a_hair_in_any_direction_are_told_from_those_that_touch() {
        // Edge over a side of the triangle at right angles, turned so that no axis helps.
        let turn = crate::geom::Rotation::from_scaled_axis(v(0.4, -0.7, 1.1));
        let corners = [v(-9.0, 0.0, 0.0), v(9.0, 0.0, 0.0), v(1.0, 0.0, -9.0)].map(|c| turn * c);
        let edge = |x: f64, z: f64| [turn * v(x, -7.0, z), turn * v(x + 1.0, 8.0, z)];
        for hair in [1e-3, 1e-6, 1e-9, 1e-10] {
            assert!(contact(edge(-5.0, hair), edge(-5.0, hair), corners).is_none());
            assert!(contact(edge(-5.0, hair), edge(5.0, hair), corners).is_none());
            assert!(contact(edge(-5.0, hair), edge(5.0, -hair), corners).is_some());
        }
    }
}
