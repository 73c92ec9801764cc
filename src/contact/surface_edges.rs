//! The neighbours of every triangle, and the convex edges of a surface.

use std::collections::HashMap;

use super::surface::{ConvexEdge, FLAT, NONE, Surface, inward};
use crate::geom::Vec3;

/// Fold from which an edge has its full weight, radians.
const SHARP: f64 = 1.0;

/// The two sides (triangle, side) that meet at an edge; more than two are counted only.
struct Meeting {
    sides: [(u32, u8); 2],
    count: u32,
}

impl Surface {
    /// Finds who meets whom across each side, and the convex edges, collinear ones merged.
    pub(super) fn find_edges(&mut self) {
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
