//! The original surface of a cable, bound to its centerline, so that sleeves, tape and bellows bend along.
//!
//! A vertex v is kept as a place on the cable and an offset in the frame there:
//! v = c(s) + R(s) offset. In the shape it was bound in, this gives v back; in another shape, the surface follows.

use serde::{Deserialize, Serialize};

use super::Shape;
use crate::geom::{Rotation, Vec3};

/// Triangles whose vertices are given along the cable and across it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// One for each vertex.
    pub vertices: Vec<SkinVertex>,
    /// Triangles as three vertex numbers each.
    pub triangles: Vec<[u32; 3]>,
}

/// A vertex bound to a cable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkinVertex {
    /// Edge of the rod that carries it.
    pub edge: u32,
    /// Where along that edge: 0 at its first node, 1 at its last; beyond that outside the cable's ends.
    pub along: f64,
    /// From the centerline to the vertex, along d1, d2, d3 of the frame there, mm.
    pub offset: [f64; 3],
}

impl Skin {
    /// Binds `vertices` to a shape; `place` says for each vertex the edge and where along it.
    pub fn bind(
        shape: &Shape,
        vertices: &[Vec3],
        triangles: Vec<[u32; 3]>,
        place: impl Fn(usize) -> (usize, f64),
    ) -> Self {
        let vertices = vertices.iter().enumerate().map(|(i, v)| {
            let (edge, along) = place(i);
            let (center, frame) = shape.place_on_edge(edge, along);
            SkinVertex {
                edge: edge as u32,
                along,
                offset: (frame.inverse() * (v - center)).into(),
            }
        });
        Self {
            vertices: vertices.collect(),
            triangles,
        }
    }

    /// Where the vertices are in a shape.
    pub fn positions<'a>(&'a self, shape: &'a Shape) -> impl Iterator<Item = Vec3> + 'a {
        self.vertices.iter().map(|v| {
            let (center, frame) = shape.place_on_edge(v.edge as usize, v.along);
            center + frame * Vec3::from(v.offset)
        })
    }
}

impl Shape {
    /// Point and frame of the smooth centerline at `along` (0 to 1) of an edge.
    ///
    /// The point is on the cubic Hermite curve through the nodes, with the directions of the frames halfway between
    /// edges; the frame turns evenly from the middle of one edge to the middle of the next. Both are continuous from
    /// edge to edge. Beyond the ends the curve goes on straight.
    pub fn place_on_edge(&self, edge: usize, along: f64) -> (Vec3, Rotation) {
        let (a, b) = (self.points[edge], self.points[edge + 1]);
        let t = along.clamp(0.0, 1.0);
        let start = self.frame_at_node(edge);
        let end = self.frame_at_node(edge + 1);
        let length = (b - a).norm();
        // Hermite basis of the two nodes and their directions.
        let (t2, t3) = (t * t, t * t * t);
        let (h00, h10) = (2.0 * t3 - 3.0 * t2 + 1.0, t3 - 2.0 * t2 + t);
        let (h01, h11) = (3.0 * t2 - 2.0 * t3, t3 - t2);
        let (d_start, d_end) = (start * Vec3::z() * length, end * Vec3::z() * length);
        let mut point = a * h00 + d_start * h10 + b * h01 + d_end * h11;
        let middle = &self.frames[edge];
        let frame = if t < 0.5 {
            between(&start, middle, 2.0 * t)
        } else {
            between(middle, &end, 2.0 * t - 1.0)
        };
        if along < 0.0 {
            point += d_start * along;
        } else if along > 1.0 {
            point += d_end * (along - 1.0);
        }
        (point, frame)
    }

    /// Halfway between the frames of the two edges that meet at a node; at an end, the clamp's or the edge's own.
    fn frame_at_node(&self, node: usize) -> Rotation {
        let n = self.frames.len();
        match node {
            0 => self.clamps[0].map_or(self.frames[0], |pose| pose.rotation),
            i if i == n => self.clamps[1].map_or(self.frames[n - 1], |pose| pose.rotation),
            i => between(&self.frames[i - 1], &self.frames[i], 0.5),
        }
    }
}

/// The rotation a share `t` of the shortest way from `a` to `b`.
fn between(a: &Rotation, b: &Rotation, t: f64) -> Rotation {
    a.try_slerp(b, t, 1e-12).unwrap_or(*a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(n: usize, bend: f64) -> Shape {
        let frames: Vec<Rotation> = (0..n)
            .map(|i| Rotation::from_scaled_axis(Vec3::x() * (bend * (i as f64 + 0.5))))
            .collect();
        let mut points = vec![Vec3::zeros()];
        for frame in &frames {
            points.push(points[points.len() - 1] + frame * Vec3::z() * 10.0);
        }
        Shape {
            points,
            frames,
            turns: vec![0; n + 1],
            clamps: [None, None],
            rolls: std::collections::BTreeMap::new(),
            memory: None,
        }
    }

    #[test]
    fn the_surface_comes_back_in_its_own_shape_and_follows_another() {
        let (bent, straight) = (arc(8, 0.1), arc(8, 0.0));
        let vertices: Vec<Vec3> = (0..90)
            .map(|i| {
                let s = f64::from(i) * 0.9;
                let (center, frame) = bent.place_on_edge((s / 10.0) as usize % 8, s / 10.0 % 1.0);
                center + frame * Vec3::new((s * 7.0).cos(), (s * 7.0).sin(), 0.0) * 3.0
            })
            .collect();
        let place = |i: usize| {
            let s = i as f64 * 0.9;
            ((s / 10.0) as usize % 8, s / 10.0 % 1.0)
        };
        let skin = Skin::bind(&bent, &vertices, Vec::new(), place);
        for (v, w) in vertices.iter().zip(skin.positions(&bent)) {
            assert!((v - w).norm() < 1e-12);
        }
        for w in skin.positions(&straight) {
            assert!((w.xy().norm() - 3.0).abs() < 1e-9, "a straight tube: {w}");
        }
    }

    #[test]
    fn the_curve_has_no_step_between_edges() {
        let shape = arc(6, 0.3);
        for node in 1..6 {
            let (left, left_frame) = shape.place_on_edge(node - 1, 1.0);
            let (right, right_frame) = shape.place_on_edge(node, 0.0);
            assert!((left - right).norm() < 1e-12);
            assert!(left_frame.angle_to(&right_frame) < 1e-12);
        }
    }
}
