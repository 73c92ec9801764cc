//! The neighbours of every triangle, and the convex edges of a surface.

use super::surface::{ConvexEdge, FLAT, NONE, Surface, inward};
use crate::geom::Vec3;

/// Fold from which an edge has its full weight, radians.
const SHARP: f64 = 1.0;

impl Surface {
    /// Finds who meets whom across each side, and the convex edges, collinear ones merged.
    pub(super) fn find_edges(&mut self) {
        // Sides are numbered 3 t + k; those of one edge come together, in the order of the triangles.
        let mut sides: Vec<(u64, u32)> = Vec::with_capacity(3 * self.triangles.len());
        for (t, corners) in (0_u32..).zip(&self.triangles) {
            for k in 0..3 {
                let (u, v) = (corners[k], corners[(k + 1) % 3]);
                let key = (u64::from(u.min(v)) << 32) | u64::from(u.max(v));
                sides.push((key, 3 * t + k as u32));
            }
        }
        sides.sort_unstable();
        // Of the first side of each edge: the other one where two meet.
        let mut firsts: Vec<Option<Meeting>> = vec![None; sides.len()];
        for meeting in sides.chunk_by(|a, b| a.0 == b.0) {
            let first = meeting[0].1;
            firsts[first as usize] = Some(match *meeting {
                [_, (_, second)] => {
                    for (side, other) in [(first, second), (second, first)] {
                        self.neighbours[side as usize / 3][side as usize % 3] = other / 3;
                    }
                    Meeting::Two(second)
                }
                _ => Meeting::Rim,
            });
        }
        drop(sides);
        let mut pieces: Vec<Piece> = Vec::new();
        for (side, meeting) in firsts.into_iter().enumerate() {
            let (t, k) = (side / 3, side % 3);
            let (u, v) = (self.triangles[t][k], self.triangles[t][(k + 1) % 3]);
            if let Some(meeting) = meeting.filter(|_| u != v)
                && let Some((fold, cos_half, weight)) = self.fold(t, k, meeting)
            {
                pieces.push(Piece {
                    ends: [u, v],
                    fold,
                    cos_half,
                    weight,
                    first: side as u32,
                    meeting,
                });
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
    fn fold(&self, t: usize, k: usize, meeting: Meeting) -> Option<(Vec3, f64, f64)> {
        let corners = self.corners(t as u32);
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let own = inward(&a, &b, &corners[(k + 2) % 3]);
        let Meeting::Two(second) = meeting else {
            // A rim (or a place where several sheets meet): convex from everywhere outside the sheet.
            return Some((own, 1.0, 1.0));
        };
        let other = inward(&a, &b, &self.far_vertex(second / 3, t as u32, k));
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
        // The pieces at each vertex, one vertex after the other.
        let mut begins = vec![0_usize; self.vertices.len() + 1];
        for v in pieces.iter().flat_map(|p| p.ends) {
            begins[v as usize + 1] += 1;
        }
        for v in 1..begins.len() {
            begins[v] += begins[v - 1];
        }
        let mut filled = begins.clone();
        let mut at_vertex = vec![0_usize; 2 * pieces.len()];
        for (i, piece) in pieces.iter().enumerate() {
            for v in piece.ends {
                at_vertex[filled[v as usize]] = i;
                filled[v as usize] += 1;
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
        let mut members = Vec::new();
        for start in 0..pieces.len() {
            if taken[start] {
                continue;
            }
            taken[start] = true;
            let number = edges.len() as u32;
            members.clear();
            members.push(start);
            let mut ends = pieces[start].ends;
            for which in 0..2 {
                let mut piece = &pieces[start];
                let mut tip = ends[which];
                loop {
                    let (_, back) = direction(piece, tip);
                    let around = &at_vertex[begins[tip as usize]..begins[tip as usize + 1]];
                    let next = around.iter().copied().find(|&i| {
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
            for piece in members.iter().map(|m: &usize| &pieces[*m]) {
                let second = match piece.meeting {
                    Meeting::Two(second) => Some(second),
                    Meeting::Rim => None,
                };
                for side in [Some(piece.first), second].into_iter().flatten() {
                    self.edge_of_side[side as usize / 3][side as usize % 3] = number;
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
    /// Its first side, numbered 3 t + k.
    first: u32,
    meeting: Meeting,
}

/// What meets the first side of an edge.
#[derive(Clone, Copy)]
enum Meeting {
    /// The side of that number.
    Two(u32),
    /// None, or more than one.
    Rim,
}
