//! The surface of a body where its file has it: its triangles, their neighbours, its convex edges, a tree.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::shape::TriMesh as ParryMesh;

use super::cover::Cover;
use super::distance::TriangleFeature;
use crate::geom::{Aabb, Vec3};
use crate::mesh::merge_equal;

/// No neighbour, no edge.
pub(super) const NONE: u32 = u32::MAX;
/// Fold below which two triangles count as one plane, radians.
pub(super) const FLAT: f64 = 1e-3;
/// Slope below which a way across a triangle counts as level: neither nearer nor farther.
const TIE: f64 = 1e-6;

/// An edge of a mesh that a capsule can rest on: convex as seen from outside, or the rim of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexEdge {
    /// One end.
    pub a: Vec3,
    /// The other end.
    pub b: Vec3,
    /// Unit vector into the material, between the two faces (into the only face at a rim).
    pub(super) fold: Vec3,
    /// Cosine of half the angle between the two faces; 1 at a rim, from which every direction is outside.
    pub(super) cos_half: f64,
    /// 0 for flat to 1 for sharp: an edge counts by its fold, so that a finely tessellated surface is not stiffer.
    pub weight: f64,
}

impl ConvexEdge {
    /// How convex the edge is to something in direction `away` from its nearest point: 0 from between the faces,
    /// 1 from outside.
    ///
    /// Beside the edge a body of some thickness sees either 0 or 1; the ramp between is met only beyond the ends,
    /// where one can go round from one side to the other, and keeps the energy without a jump there.
    pub fn visibility(&self, away: &Vec3) -> f64 {
        let along = (self.b - self.a)
            .try_normalize(f64::MIN_POSITIVE)
            .unwrap_or_else(Vec3::zeros);
        let across = away - along * along.dot(away);
        let c = across.dot(&self.fold) / away.norm().max(f64::MIN_POSITIVE);
        let angle = c.clamp(-1.0, 1.0).acos() - self.cos_half.clamp(-1.0, 1.0).acos();
        let x = (angle / std::f64::consts::FRAC_PI_4).clamp(0.0, 1.0);
        x * x * (3.0 - 2.0 * x)
    }
}

/// A mesh prepared for contact.
pub(super) struct Surface {
    pub(super) vertices: Vec<Vec3>,
    /// Corners in the order of their coordinates, whatever the winding was.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Unit normals to either side; zero for a degenerate triangle.
    pub(super) normals: Vec<Vec3>,
    /// Across each side; `NONE` at a rim or where more than two triangles meet.
    pub(super) neighbours: Vec<[u32; 3]>,
    pub(super) edges: Vec<ConvexEdge>,
    /// Convex edge along each side of each triangle, or `NONE`.
    pub(super) edge_of_side: Vec<[u32; 3]>,
    pub(super) tree: ParryMesh,
    pub(super) aabb: Aabb,
    /// Whether it has no rim.
    pub(super) closed: bool,
    /// A shell around it, once it was asked for.
    pub(super) cover: OnceLock<Option<Arc<Cover>>>,
}

impl Surface {
    /// Prepares a mesh.
    pub fn new(mesh: &crate::mesh::TriMesh) -> Self {
        // Neighbours are found by where they are, not by how the mesh was written down.
        let mut vertices = mesh.vertices().to_vec();
        let number = merge_equal(&mut vertices);
        // Corners stand in the order of their coordinates: another winding gives the same result to the last bit.
        let in_space = |a: &u32, b: &u32| {
            let [a, b] = [a, b].map(|v| &vertices[*v as usize]);
            let pairs = a.iter().zip(b.iter());
            let mut orders = pairs.map(|(a, b)| a.total_cmp(b));
            orders.find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        };
        let triangles: Vec<[u32; 3]> = (mesh.triangles().iter())
            .map(|t| {
                let mut corners = t.map(|v| number[v as usize]);
                corners.sort_by(in_space);
                corners
            })
            .collect();
        let points = vertices
            .iter()
            .map(|v| ParryVector::new(v.x, v.y, v.z))
            .collect();
        let tree = ParryMesh::new(points, triangles.clone()).expect("a TriMesh has triangles");
        let normals = (triangles.iter())
            .map(|t| {
                let [a, b, c] = t.map(|v| vertices[v as usize]);
                (b - a)
                    .cross(&(c - a))
                    .try_normalize(f64::MIN_POSITIVE)
                    .unwrap_or_else(Vec3::zeros)
            })
            .collect();
        let mut surface = Self {
            normals,
            neighbours: vec![[NONE; 3]; triangles.len()],
            edges: Vec::new(),
            edge_of_side: vec![[NONE; 3]; triangles.len()],
            aabb: mesh.aabb(),
            closed: false,
            cover: OnceLock::new(),
            vertices,
            triangles,
            tree,
        };
        surface.find_edges();
        surface.closed = surface.neighbours.iter().flatten().all(|n| *n != NONE);
        surface
    }

    /// The three corners of triangle `t`.
    #[inline]
    pub fn corners(&self, t: u32) -> [Vec3; 3] {
        self.triangles[t as usize].map(|v| self.vertices[v as usize])
    }

    /// Calls `visit` for each triangle whose box touches `region`.
    pub fn visit_triangles(&self, region: &Aabb, mut visit: impl FnMut(u32)) {
        let parry = |v: &Vec3| ParryVector::new(v.x, v.y, v.z);
        let region = ParryAabb::new(parry(&region.min), parry(&region.max));
        for t in self.tree.bvh().intersect_aabb(&region) {
            // A triangle without area has no surface; its neighbours own its sides.
            if self.normals[t as usize] != Vec3::zeros() {
                visit(t);
            }
        }
    }

    /// Whether the nearest point of triangle `t` to something in direction `away` stands for a contact of its own.
    ///
    /// A point inside the face does. On a side or at a corner it does when it is the nearest point of all the
    /// triangles that meet there without a concave edge between them (all of them say so, with the same point), or
    /// when what is nearer lies behind a concave edge: then both stay, each fading with its own distance, so that
    /// the energy has no jump where two walls meet. In doubt (within rounding) the answer is yes: the same
    /// point twice is easily seen, a lost contact is not.
    pub fn is_own_contact(&self, t: u32, feature: TriangleFeature, away: &Vec3) -> bool {
        match feature {
            TriangleFeature::Face => true,
            TriangleFeature::Side(k) => {
                let n = self.neighbours[t as usize][k];
                if n == NONE {
                    return true;
                }
                let base = self.vertices[self.triangles[t as usize][k] as usize];
                let other = self.vertices[self.triangles[t as usize][(k + 1) % 3] as usize];
                let inward = inward(&base, &other, &self.far_vertex(n, t, k));
                away.dot(&inward) <= TIE * away.norm() || self.is_concave(t, k, away)
            }
            TriangleFeature::Corner(k) => self.speaks_for_corner(t, k, away),
        }
    }

    /// The corner of `n` that is not on its common side with `t`.
    pub(super) fn far_vertex(&self, n: u32, t: u32, side: usize) -> Vec3 {
        let of_t = &self.triangles[t as usize];
        let (u, v) = (of_t[side], of_t[(side + 1) % 3]);
        let far = self.triangles[n as usize]
            .iter()
            .find(|&&w| w != u && w != v)
            .copied()
            .unwrap_or(u);
        self.vertices[far as usize]
    }

    /// Whether triangle `t` and its neighbour over `side` form a valley seen from direction `away`: the observer
    /// is between the two faces.
    fn is_concave(&self, t: u32, side: usize, away: &Vec3) -> bool {
        let corners = self.corners(t);
        let (a, b) = (corners[side], corners[(side + 1) % 3]);
        let n = self.neighbours[t as usize][side];
        let own = inward(&a, &b, &corners[(side + 2) % 3]);
        let sum = own + inward(&a, &b, &self.far_vertex(n, t, side));
        let size = sum.norm();
        if size < FLAT {
            return false;
        }
        let along = (b - a)
            .try_normalize(f64::MIN_POSITIVE)
            .unwrap_or_else(Vec3::zeros);
        let across = away - along * along.dot(away);
        let fold = sum / size;
        across.dot(&fold) > own.dot(&fold) * across.norm()
    }

    fn speaks_for_corner(&self, t: u32, corner: usize, away: &Vec3) -> bool {
        let vertex = self.triangles[t as usize][corner];
        let at = self.vertices[vertex as usize];
        let tolerance = TIE * away.norm();
        // Walk around the corner both ways until a rim or a valley, or all round.
        for first in 0..2 {
            let (mut current, mut came_over) = (t, None::<u32>);
            for step in 0..64 {
                let corners = &self.triangles[current as usize];
                let Some(k) = corners.iter().position(|&v| v == vertex) else {
                    break;
                };
                // The two sides at the corner: k (to the next corner) and k + 2 (from the previous one).
                let sides = [k, (k + 2) % 3];
                let side = if step == 0 {
                    sides[first]
                } else if Some(self.neighbours[current as usize][sides[0]]) == came_over {
                    sides[1]
                } else {
                    sides[0]
                };
                let next = self.neighbours[current as usize][side];
                if next == NONE || next == t || self.is_concave(current, side, away) {
                    break;
                }
                let descends = self
                    .corners(next)
                    .iter()
                    .any(|c| (c - at).dot(away) > tolerance * (c - at).norm());
                if descends {
                    return false;
                }
                came_over = Some(current);
                current = next;
            }
        }
        true
    }
}

/// Unit vector in the plane of (a, b, c), across the side a b, towards c.
pub(super) fn inward(a: &Vec3, b: &Vec3, c: &Vec3) -> Vec3 {
    let along = (b - a)
        .try_normalize(f64::MIN_POSITIVE)
        .unwrap_or_else(Vec3::zeros);
    let to = c - a;
    (to - along * along.dot(&to))
        .try_normalize(f64::MIN_POSITIVE)
        .unwrap_or_else(Vec3::zeros)
}
