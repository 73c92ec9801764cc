//! Which triangles and convex edges are near which edge of the rod, kept while the rod moves little.

use super::Obstacle;
use super::distance::segment_triangle;
use crate::geom::{Aabb, Vec3};

/// What is near one edge of the rod.
#[derive(Clone, Debug, Default)]
pub struct Near {
    /// (obstacle, triangle).
    pub triangles: Vec<(u32, u32)>,
    /// (obstacle, convex edge).
    pub edges: Vec<(u32, u32)>,
    /// The rod's edge when this was gathered.
    at: Option<[Vec3; 2]>,
    /// Everything nearer than this to `at` is listed.
    reach: f64,
}

/// Lists of what is near, one per edge of a rod. Refreshed only where the rod has moved out of what they cover.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    near: Vec<Near>,
}

impl Candidates {
    /// Lists for a rod of `n_edges`.
    pub fn new(n_edges: usize) -> Self {
        Self {
            near: vec![Near::default(); n_edges],
        }
    }

    /// Everything within `distance` of the segment a b, which is edge `i` now (and possibly more).
    ///
    /// When the list has to be made anew it covers `slack` more.
    pub fn near(
        &mut self,
        obstacles: &[Obstacle],
        i: usize,
        a: &Vec3,
        b: &Vec3,
        distance: f64,
        slack: f64,
    ) -> &Near {
        let near = &mut self.near[i];
        let covered = near
            .at
            .is_some_and(|[a0, b0]| (a - a0).norm().max((b - b0).norm()) + distance <= near.reach);
        if !covered {
            near.gather(obstacles, a, b, distance + slack);
        }
        near
    }

    /// Forgets everything: the obstacles have changed.
    pub fn clear(&mut self) {
        for near in &mut self.near {
            near.at = None;
        }
    }
}

impl Near {
    fn gather(&mut self, obstacles: &[Obstacle], a: &Vec3, b: &Vec3, reach: f64) {
        self.triangles.clear();
        self.edges.clear();
        let region = Aabb::of_points([a, b]).inflated(reach);
        for (o, obstacle) in obstacles.iter().enumerate() {
            if !obstacle.aabb().intersects(&region) {
                continue;
            }
            let first_edge = self.edges.len();
            obstacle.visit_triangles(&region, |t| {
                let (p, q) = segment_triangle(a, b, &obstacle.corners(t));
                if (p - q).norm_squared() <= reach * reach {
                    self.triangles.push((o as u32, t));
                    self.edges
                        .extend(obstacle.edges_of(t).map(|e| (o as u32, e)));
                }
            });
            self.edges[first_edge..].sort_unstable();
        }
        // The tree's order is not ours to rely on.
        self.triangles.sort_unstable();
        self.edges.dedup();
        self.at = Some([*a, *b]);
        self.reach = reach;
    }
}
