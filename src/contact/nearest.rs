//! The nearest place of an obstacle, however far, and how well its triangles stand for the true surface.

use parry3d_f64::partitioning::BvhNode;

use super::Obstacle;
use super::distance::segment_triangle;
use crate::geom::{Aabb, Vec3};

/// Fold up to which two triangles stand for one curved surface, radians; beyond it, for an edge that is meant.
const SMOOTH: f64 = 0.6;
/// Fold from which they are curved at all, radians.
const CURVED: f64 = 1e-3;

/// The nearest place of a segment and an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPlace {
    /// mm.
    pub distance: f64,
    /// Point of the segment.
    pub on_segment: Vec3,
    /// Point of the obstacle.
    pub on_triangle: Vec3,
    /// The triangle that it is on.
    pub triangle: u32,
}

impl Obstacle {
    /// The nearest place to the segment a b, if it is at most `within` mm away (which may be infinite).
    pub fn nearest(&self, a: &Vec3, b: &Vec3, within: f64) -> Option<NearestPlace> {
        // The tree is where the surface is at home.
        let home = self.pose().inverse();
        let bounds = Aabb::of_points([&home.transform(a), &home.transform(b)]);
        let to_node = |node: &BvhNode| {
            let (min, max) = (node.mins(), node.maxs());
            bounds.distance(&Aabb {
                min: Vec3::new(min.x, min.y, min.z),
                max: Vec3::new(max.x, max.y, max.z),
            })
        };
        let place = |t: u32| {
            let (p, q) = segment_triangle(a, b, &self.corners(t));
            NearestPlace {
                distance: (p - q).norm(),
                on_segment: p,
                on_triangle: q,
                triangle: t,
            }
        };
        // The search looks for what is less than its limit.
        let limit = (within * (1.0 + 1e-12)).max(f64::MIN_POSITIVE);
        let found = self.surface.tree.bvh().find_best(
            if limit.is_finite() { limit } else { f64::MAX },
            |node, _| to_node(node),
            |t, _| (self.surface.normals[t as usize] != Vec3::zeros()).then(|| place(t).distance),
        );
        found.map(|(t, _)| place(t))
    }

    /// Whether a point is inside a closed body; never inside an open one.
    pub fn contains(&self, p: &Vec3) -> bool {
        if !self.surface.closed || !self.aabb().intersects(&Aabb::of_points([p])) {
            return false;
        }
        // A ray askew of anything that was built along axes leaves a body as often as it enters it, once more from inside.
        let far = self.aabb().diagonal() * 1.1;
        let ray = Vec3::new(far, 0.013_71 * far, 0.007_13 * far);
        let mut crossings = 0;
        self.visit_triangles(&Aabb::of_points([p, &(p + ray)]), |t| {
            crossings += usize::from(crossing(p, &ray, &self.corners(t)).is_some());
        });
        crossings % 2 == 1
    }

    /// Whether it has no rim, and so an inside.
    pub fn is_closed(&self) -> bool {
        self.surface.closed
    }

    /// How far a point is from leaving the body for good in that direction (a unit vector), mm; zero when nothing is ahead.
    pub fn way_out(&self, p: &Vec3, direction: &Vec3) -> f64 {
        let mut bounds = *self.aabb();
        bounds.merge(&Aabb::of_points([p]));
        let far = bounds.diagonal() * 1.1;
        let ray = direction * far;
        let mut way = 0.0_f64;
        self.visit_triangles(&Aabb::of_points([p, &(p + ray)]), |t| {
            if let Some(t) = crossing(p, &ray, &self.corners(t)) {
                way = way.max(t * far);
            }
        });
        way
    }

    /// How far triangle `t` may be from the curved surface it stands for, mm; `None` where the surface is flat around it,
    /// or nothing can be told.
    ///
    /// Two neighbours folded by the angle f, each w wide across their common side, are chords of an arc of radius w/f;
    /// the arc rises by w f/8 above them.
    pub fn chord_error(&self, t: u32) -> Option<f64> {
        let corners = self.corners(t);
        let error = |k: usize| {
            let fold = self.surface.fold_at(t, k)?;
            if !(CURVED..SMOOTH).contains(&fold) {
                return None;
            }
            let (a, b, c) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
            let along = (b - a).try_normalize(f64::MIN_POSITIVE)?;
            let width = ((c - a) - along * along.dot(&(c - a))).norm();
            Some(width * fold / 8.0)
        };
        (0..3).filter_map(error).reduce(f64::max)
    }
}

/// Where the segment from `p` along `ray` crosses a triangle, as a fraction of it (Moeller and Trumbore).
fn crossing(p: &Vec3, ray: &Vec3, [a, b, c]: &[Vec3; 3]) -> Option<f64> {
    let (e1, e2) = (b - a, c - a);
    let h = ray.cross(&e2);
    let determinant = e1.dot(&h);
    if determinant == 0.0 {
        return None;
    }
    let from = p - a;
    let u = from.dot(&h) / determinant;
    let q = from.cross(&e1);
    let v = ray.dot(&q) / determinant;
    let t = e2.dot(&q) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t)).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::primitives;

    #[test]
    fn the_inside_is_told_from_the_outside() {
        let axis = Vec3::new(0.0, 0.0, 100.0);
        let closed = Obstacle::new(&primitives::cylinder(&Vec3::zeros(), &axis, 40.0, 72, 5));
        let sheet = primitives::sheet_with_hole(
            &Vec3::new(-50.0, -50.0, 0.0),
            &(Vec3::x() * 100.0),
            &(Vec3::y() * 100.0),
            [50.0, 50.0],
            10.0,
            12,
        );
        let open = Obstacle::new(&sheet);
        let mut rng = fastrand::Rng::with_seed(5);
        let mut n_inside = 0;
        for _ in 0..500 {
            let p = Vec3::from_fn(|_, _| 120.0 * rng.f64() - 60.0) + Vec3::z() * 50.0;
            let inside = p.xy().norm() < 39.9 && (0.0..100.0).contains(&p.z);
            n_inside += usize::from(inside);
            if p.xy().norm() < 39.9 || p.xy().norm() > 40.0 {
                assert_eq!(closed.contains(&p), inside, "{p:?}");
            }
            assert!(!open.contains(&p));
        }
        assert!(n_inside > 50);
    }

    #[test]
    fn the_nearest_triangle_is_found_and_nothing_beyond_the_limit() {
        let axis = Vec3::new(0.0, 0.0, 100.0);
        let obstacle = Obstacle::new(&primitives::cylinder(&Vec3::zeros(), &axis, 40.0, 72, 5));
        let mut rng = fastrand::Rng::with_seed(4);
        let mut point = || Vec3::from_fn(|_, _| 400.0 * rng.f64() - 200.0);
        for _ in 0..200 {
            let (a, b) = (point(), point());
            let all = (0..obstacle.n_triangles() as u32).map(|t| {
                let (p, q) = segment_triangle(&a, &b, &obstacle.corners(t));
                (p - q).norm()
            });
            let expected = all.fold(f64::INFINITY, f64::min);
            let found = obstacle.nearest(&a, &b, f64::INFINITY).unwrap();
            assert!((found.distance - expected).abs() < 1e-12);
            assert!(obstacle.nearest(&a, &b, expected).is_some());
            if expected > 0.0 {
                assert!(obstacle.nearest(&a, &b, 0.99 * expected).is_none());
            }
        }
    }
}
