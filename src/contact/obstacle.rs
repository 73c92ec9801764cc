//! A body to keep clear of: its triangles, their neighbours, its convex edges, a bounding-volume tree.

use std::cmp::Ordering;
use std::collections::HashMap;

use parry3d_f64::bounding_volume::Aabb as ParryAabb;
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::shape::TriMesh as ParryMesh;

use super::distance::TriangleFeature;
use crate::geom::{Aabb, Vec3};
use crate::mesh::merge_equal;

/// No neighbour, no edge.
const NONE: u32 = u32::MAX;
/// Fold below which two triangles count as one plane, radians.
const FLAT: f64 = 1e-3;
/// Slope below which a way across a triangle counts as level: neither nearer nor farther.
const TIE: f64 = 1e-6;
/// Fold from which an edge has its full weight, radians.
const SHARP: f64 = 1.0;

/// An edge of a mesh that a capsule can rest on: convex as seen from outside, or the rim of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexEdge {
    /// One end.
    pub a: Vec3,
    /// The other end.
    pub b: Vec3,
    /// Unit vector into the material, between the two faces (into the only face at a rim).
    fold: Vec3,
    /// Cosine of half the angle between the two faces; 1 at a rim, from which every direction is outside.
    cos_half: f64,
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

/// A mesh prepared for contact. A copy is much cheaper than preparing it again.
#[derive(Clone)]
pub struct Obstacle {
    vertices: Vec<Vec3>,
    /// Corners in the order of their coordinates, whatever the winding was.
    triangles: Vec<[u32; 3]>,
    /// Unit normals to either side; zero for a degenerate triangle.
    normals: Vec<Vec3>,
    /// Across each side; `NONE` at a rim or where more than two triangles meet.
    neighbours: Vec<[u32; 3]>,
    edges: Vec<ConvexEdge>,
    /// Convex edge along each side of each triangle, or `NONE`.
    edge_of_side: Vec<[u32; 3]>,
    pub(super) tree: ParryMesh,
    aabb: Aabb,
}

/// The two sides (triangle, side) that meet at an edge; more than two are counted only.
struct Meeting {
    sides: [(u32, u8); 2],
    count: u32,
}

impl Obstacle {
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
        let mut obstacle = Self {
            normals,
            neighbours: vec![[NONE; 3]; triangles.len()],
            edges: Vec::new(),
            edge_of_side: vec![[NONE; 3]; triangles.len()],
            aabb: mesh.aabb(),
            vertices,
            triangles,
            tree,
        };
        obstacle.find_edges();
        obstacle
    }

    /// How many triangles.
    pub fn n_triangles(&self) -> usize {
        self.triangles.len()
    }

    /// The three corners of triangle `t`.
    #[inline]
    pub fn corners(&self, t: u32) -> [Vec3; 3] {
        self.triangles[t as usize].map(|v| self.vertices[v as usize])
    }

    /// Unit normal of triangle `t`, to either side; zero when it is degenerate.
    #[inline]
    pub fn normal(&self, t: u32) -> &Vec3 {
        &self.normals[t as usize]
    }

    /// The convex edges, collinear ones merged.
    pub fn edges(&self) -> &[ConvexEdge] {
        &self.edges
    }

    /// Numbers of the convex edges along the sides of triangle `t`.
    pub fn edges_of(&self, t: u32) -> impl Iterator<Item = u32> {
        self.edge_of_side[t as usize]
            .into_iter()
            .filter(|&e| e != NONE)
    }

    /// The box around it.
    pub fn aabb(&self) -> &Aabb {
        &self.aabb
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
    fn far_vertex(&self, n: u32, t: u32, side: usize) -> Vec3 {
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

    fn find_edges(&mut self) {
        // A map for looking up only; the order of everything kept comes from the triangles.
        let mut meetings: HashMap<(u32, u32), Meeting> =
            HashMap::with_capacity(self.triangles.len() * 3 / 2);
        for (t, corners) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let (u, v) = (corners[k], corners[(k + 1) % 3]);
                let side = (t as u32, k as u8);
                let meeting = meetings.entry((u.min(v), u.max(v))).or_insert(Meeting {
                    sides: [side; 2],
                    count: 0,
                });
                if meeting.count == 1 {
                    meeting.sides[1] = side;
                }
                meeting.count += 1;
            }
        }
        let mut pieces: Vec<Piece> = Vec::new();
        for t in 0..self.triangles.len() {
            for k in 0..3 {
                let (u, v) = (self.triangles[t][k], self.triangles[t][(k + 1) % 3]);
                let meeting = &meetings[&(u.min(v), u.max(v))];
                let [first, second] = meeting.sides;
                if meeting.count == 2 {
                    let other = if first == (t as u32, k as u8) {
                        second
                    } else {
                        first
                    };
                    self.neighbours[t][k] = other.0;
                }
                // Each edge once, from its first side.
                if first == (t as u32, k as u8)
                    && u != v
                    && let Some((fold, cos_half, weight)) = self.fold(t, k, meeting)
                {
                    let sides = if meeting.count == 2 {
                        vec![first, second]
                    } else {
                        vec![first]
                    };
                    pieces.push(Piece {
                        ends: [u, v],
                        fold,
                        cos_half,
                        weight,
                        sides,
                    });
                }
            }
        }
        self.merge_pieces(&pieces);
    }

    /// Angle by which triangle `t` and its neighbour over `side` are folded, radians; `None` at a rim.
    pub(super) fn fold_at(&self, t: u32, side: usize) -> Option<f64> {
        let n = self.neighbours[t as usize][side];
        if n == NONE {
            return None;
        }
        let corners = self.corners(t);
        let (a, b) = (corners[side], corners[(side + 1) % 3]);
        let own = inward(&a, &b, &corners[(side + 2) % 3]);
        Some(fold_angle(
            &own,
            &inward(&a, &b, &self.far_vertex(n, t, side)),
        ))
    }

    /// Direction into the material, cosine of half the angle, and weight of an edge; `None` where it is flat.
    fn fold(&self, t: usize, k: usize, meeting: &Meeting) -> Option<(Vec3, f64, f64)> {
        let corners = self.corners(t as u32);
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let own = inward(&a, &b, &corners[(k + 2) % 3]);
        if meeting.count != 2 {
            // A rim (or a place where several sheets meet): convex from everywhere outside the sheet.
            return Some((own, 1.0, 1.0));
        }
        let n = meeting.sides[1].0;
        let other = inward(&a, &b, &self.far_vertex(n, t as u32, k));
        let sum = own + other;
        let angle = fold_angle(&own, &other);
        if angle < FLAT {
            return None;
        }
        let fold = sum.try_normalize(1e-12)?;
        Some((fold, own.dot(&fold), (angle / SHARP).min(1.0)))
    }

    /// Joins collinear pieces with the same fold to one edge: at the end of each piece a contact would otherwise
    /// be felt twice.
    fn merge_pieces(&mut self, pieces: &[Piece]) {
        let mut at_vertex: HashMap<u32, Vec<usize>> = HashMap::new();
        for (i, piece) in pieces.iter().enumerate() {
            for v in piece.ends {
                at_vertex.entry(v).or_default().push(i);
            }
        }
        let direction = |piece: &Piece, from: u32| {
            let to = if piece.ends[0] == from {
                piece.ends[1]
            } else {
                piece.ends[0]
            };
            let d = self.vertices[to as usize] - self.vertices[from as usize];
            (
                to,
                d.try_normalize(f64::MIN_POSITIVE)
                    .unwrap_or_else(Vec3::zeros),
            )
        };
        let mut taken = vec![false; pieces.len()];
        let mut edges = Vec::new();
        for start in 0..pieces.len() {
            if taken[start] {
                continue;
            }
            taken[start] = true;
            let number = edges.len() as u32;
            let mut members = vec![start];
            let mut ends = pieces[start].ends;
            for which in 0..2 {
                let mut piece = &pieces[start];
                let mut tip = ends[which];
                loop {
                    let (_, back) = direction(piece, tip);
                    let next = at_vertex[&tip].iter().copied().find(|&i| {
                        !taken[i]
                            && direction(&pieces[i], tip).1.dot(&back) < -1.0 + 1e-9
                            && pieces[i].fold.dot(&piece.fold) > 1.0 - 1e-6
                            && (pieces[i].weight - piece.weight).abs() < 1e-3
                    });
                    let Some(next) = next else { break };
                    taken[next] = true;
                    members.push(next);
                    piece = &pieces[next];
                    tip = direction(piece, tip).0;
                }
                ends[which] = tip;
            }
            for m in members {
                for &(t, k) in &pieces[m].sides {
                    self.edge_of_side[t as usize][k as usize] = number;
                }
            }
            let first = &pieces[start];
            edges.push(ConvexEdge {
                a: self.vertices[ends[0] as usize],
                b: self.vertices[ends[1] as usize],
                fold: first.fold,
                cos_half: first.cos_half,
                weight: first.weight,
            });
        }
        self.edges = edges;
    }
}

/// Angle between two faces from their directions away from the common side: 0 in one plane.
fn fold_angle(own: &Vec3, other: &Vec3) -> f64 {
    2.0 * (0.5 * (own + other).norm()).min(1.0).asin()
}

/// A mesh edge before merging.
struct Piece {
    ends: [u32; 2],
    fold: Vec3,
    cos_half: f64,
    weight: f64,
    sides: Vec<(u32, u8)>,
}

/// Unit vector in the plane of (a, b, c), across the side a b, towards c.
fn inward(a: &Vec3, b: &Vec3, c: &Vec3) -> Vec3 {
    let along = (b - a)
        .try_normalize(f64::MIN_POSITIVE)
        .unwrap_or_else(Vec3::zeros);
    let to = c - a;
    (to - along * along.dot(&to))
        .try_normalize(f64::MIN_POSITIVE)
        .unwrap_or_else(Vec3::zeros)
}
