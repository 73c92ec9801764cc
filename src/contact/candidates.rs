//! Which triangles and convex edges are near which edge of the rod, kept while the rod moves little.

use std::ops::Range;

use super::distance::segment_triangle;
use super::surface::ConvexEdge;
use super::{Margins, Obstacle};
use crate::geom::{Aabb, Vec3};

/// A triangle near the rod, where it is in the world: looked at many times for once that it is gathered.
#[derive(Clone, Copy, Debug)]
pub struct NearTriangle {
    /// Number of the obstacle.
    pub obstacle: u32,
    /// Number of the triangle.
    pub number: u32,
    /// Its corners.
    pub corners: [Vec3; 3],
    /// Its unit normal, to either side.
    pub normal: Vec3,
}

impl NearTriangle {
    /// Triangle `number` of an obstacle.
    pub(super) fn new(obstacles: &[Obstacle], obstacle: u32, number: u32) -> Self {
        let body = &obstacles[obstacle as usize];
        Self {
            obstacle,
            number,
            corners: body.corners(number),
            normal: body.normal(number),
        }
    }
}

/// A convex edge near the rod, where it is in the world.
#[derive(Clone, Copy, Debug)]
pub struct NearEdge {
    /// Number of the obstacle.
    pub obstacle: u32,
    /// Number of the edge.
    pub number: u32,
    /// The edge.
    pub edge: ConvexEdge,
}

/// What is near one edge of the rod.
#[derive(Clone, Debug, Default)]
pub struct Near {
    /// Triangles, in the order of obstacles and numbers.
    pub triangles: Vec<NearTriangle>,
    /// Convex edges, in the order of obstacles and numbers.
    pub edges: Vec<NearEdge>,
    /// The rod's edge when this was gathered.
    at: Option<[Vec3; 2]>,
    /// Everything nearer than this and its obstacle's margin to `at` is listed.
    reach: f64,
}

/// A stretch of a rod that passes through an obstacle as if it were not there.
#[derive(Clone, Debug, PartialEq)]
pub struct Ignored {
    /// Number of the obstacle.
    pub obstacle: u32,
    /// Edges of the rod.
    pub edges: Range<u32>,
    /// How deep inside the obstacle a handle may take the centerline there, mm; infinite for as deep as it likes.
    pub depth: f64,
}

impl Ignored {
    /// A stretch that passes through, however deep.
    pub fn through(obstacle: u32, edges: Range<u32>) -> Self {
        Self {
            obstacle,
            edges,
            depth: f64::INFINITY,
        }
    }
}

/// Lists of what is near, one per edge of a rod. Refreshed only where the rod has moved out of what they cover.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    near: Vec<Near>,
    ignored: Vec<Ignored>,
    /// Stretches that an obstacle cuts through, until they are clear of it.
    pub(super) released: Vec<Ignored>,
    pub(super) margins: Margins,
}

impl Candidates {
    /// Lists for a rod of `n_edges`.
    pub fn new(n_edges: usize) -> Self {
        Self {
            near: vec![Near::default(); n_edges],
            ignored: Vec::new(),
            released: Vec::new(),
            margins: Margins::default(),
        }
    }

    /// Takes what is to be passed through, and forgets everything else: the obstacles may have changed.
    pub fn reset(&mut self, ignored: &[Ignored]) {
        self.ignored.clear();
        self.ignored.extend_from_slice(ignored);
        self.released.clear();
        self.forget();
    }

    /// Makes every list anew when it is asked for next: an obstacle has moved.
    pub fn forget(&mut self) {
        for near in &mut self.near {
            near.at = None;
        }
    }

    /// Makes the lists anew, when they are asked for next, that the box of an obstacle reaches: it is what the obstacle has
    /// left, or where it has come to.
    pub fn forget_in(&mut self, obstacle: usize, aabb: &Aabb) {
        let margin = self.margins.full(obstacle);
        for near in &mut self.near {
            let reached = |at: &[Vec3; 2]| {
                let covered = Aabb::of_points(at).inflated(near.reach + margin);
                covered.intersects(aabb)
            };
            if near.at.as_ref().is_some_and(reached) {
                near.at = None;
            }
        }
    }

    /// Distances that the rod keeps beyond touching.
    pub fn margins(&self) -> &Margins {
        &self.margins
    }

    /// Stretches that an obstacle cut through when the margins were set: nothing holds them until they are clear.
    pub fn released(&self) -> &[Ignored] {
        &self.released
    }

    /// Whether edge `i` passes through an obstacle.
    pub fn ignores(&self, i: usize, obstacle: usize) -> bool {
        ignores(&self.ignored, i, obstacle) || ignores(&self.released, i, obstacle)
    }

    /// Everything within `distance` and its obstacle's margin of the segment a b, which is edge `i` now (and possibly
    /// more).
    ///
    /// When the list has to be made anew it covers `slack` more. The margins come with it.
    pub fn near(
        &mut self,
        obstacles: &[Obstacle],
        i: usize,
        a: &Vec3,
        b: &Vec3,
        distance: f64,
        slack: f64,
    ) -> (&Near, &Margins) {
        let near = &mut self.near[i];
        let covered = near
            .at
            .is_some_and(|[a0, b0]| (a - a0).norm().max((b - b0).norm()) + distance <= near.reach);
        if !covered {
            let (ignored, released) = (&self.ignored, &self.released);
            let skip = |o: usize| ignores(ignored, i, o) || ignores(released, i, o);
            near.gather(obstacles, a, b, distance + slack, &self.margins, skip);
        }
        (near, &self.margins)
    }
}

fn ignores(ignored: &[Ignored], edge: usize, obstacle: usize) -> bool {
    let edge = edge as u32;
    ignored
        .iter()
        .any(|i| i.obstacle as usize == obstacle && i.edges.contains(&edge))
}

impl Near {
    fn gather(
        &mut self,
        obstacles: &[Obstacle],
        a: &Vec3,
        b: &Vec3,
        reach: f64,
        margins: &Margins,
        skip: impl Fn(usize) -> bool,
    ) {
        self.triangles.clear();
        self.edges.clear();
        let bounds = Aabb::of_points([a, b]);
        for (o, obstacle) in obstacles.iter().enumerate() {
            let within = reach + margins.full(o);
            let region = bounds.inflated(within);
            if !obstacle.aabb().intersects(&region) || skip(o) {
                continue;
            }
            obstacle.visit_triangles(&region, |t| {
                let triangle = NearTriangle::new(obstacles, o as u32, t);
                let (p, q) = segment_triangle(a, b, &triangle.corners);
                if (p - q).norm_squared() <= within * within {
                    self.triangles.push(triangle);
                    self.edges.extend(obstacle.edges_of(t).map(|e| NearEdge {
                        obstacle: o as u32,
                        number: e,
                        edge: obstacle.edge(e),
                    }));
                }
            });
        }
        // The tree's order is not ours to rely on.
        self.triangles
            .sort_unstable_by_key(|t| (t.obstacle, t.number));
        self.edges.sort_unstable_by_key(|e| (e.obstacle, e.number));
        self.edges.dedup_by_key(|e| (e.obstacle, e.number));
        self.at = Some([*a, *b]);
        self.reach = reach;
    }
}
