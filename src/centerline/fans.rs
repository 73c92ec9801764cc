//! What hangs together in a shell: the triangles at each vertex, and the triangle across each side.

use crate::geom::Vec3;
use crate::parallel;

/// Cosine beyond which two triangles lie in one plane: their common vertex was put on a flat facet and is not a point
/// of the surface that CAD had.
const COPLANAR: f64 = 1.0 - 1e-6;
/// A triangle is a wall where its normal is so far across the line, a cap elsewhere.
const WALL: f64 = 0.5;
/// Triangles for which a thread is worth its while.
const PER_THREAD: usize = 12_000;

/// In place of a triangle across a side: the surface ends there,
const NONE: u32 = u32::MAX;
/// or several go on.
const SEVERAL: u32 = u32::MAX - 1;

/// What lies across a side of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Across {
    /// One other triangle.
    One(u32),
    /// Nothing: the rim of a hole.
    Nothing,
    /// More than one: surfaces that touch there.
    Several,
}

/// The triangles at each vertex and across each side, and whether a vertex stands on a flat facet.
pub struct Fans {
    first: Vec<u32>,
    triangles: Vec<u32>,
    is_flat: Vec<bool>,
    across: Vec<[u32; 3]>,
}

impl Fans {
    /// The fans of triangles over `n_vertices`, given with their normals.
    pub fn new(n_vertices: usize, corners: &[[u32; 3]], normals: &[Vec3]) -> Self {
        let mut first = vec![0_u32; n_vertices + 1];
        for &v in corners.as_flattened() {
            first[v as usize + 1] += 1;
        }
        for v in 0..n_vertices {
            first[v + 1] += first[v];
        }
        let mut next = first.clone();
        let mut triangles = vec![0_u32; 3 * corners.len()];
        for (t, corners) in corners.iter().enumerate() {
            for &v in corners {
                triangles[next[v as usize] as usize] = t as u32;
                next[v as usize] += 1;
            }
        }
        let fan = |v: u32| &triangles[first[v as usize] as usize..first[v as usize + 1] as usize];
        let is_flat = (0..n_vertices as u32)
            .map(|v| {
                let fan = fan(v);
                let reference = normals[fan[0] as usize];
                fan.iter()
                    .all(|&t| normals[t as usize].dot(&reference).abs() > COPLANAR)
            })
            .collect();
        let across_side = |t: usize, a: u32, b: u32| {
            // At the end with fewer triangles: the middle of a cap may have thousands.
            let (near, far) = if fan(a).len() <= fan(b).len() {
                (a, b)
            } else {
                (b, a)
            };
            let mut found = NONE;
            for &other in fan(near) {
                if other as usize != t && corners[other as usize].contains(&far) {
                    found = if found == NONE { other } else { SEVERAL };
                }
            }
            found
        };
        let across = parallel::map_range(corners.len(), PER_THREAD, |t| {
            let [a, b, c] = corners[t];
            [
                across_side(t, a, b),
                across_side(t, b, c),
                across_side(t, c, a),
            ]
        });
        Self {
            first,
            triangles,
            is_flat,
            across,
        }
    }

    /// The triangles at vertex `v`.
    pub fn of(&self, v: usize) -> &[u32] {
        &self.triangles[self.first[v] as usize..self.first[v + 1] as usize]
    }

    /// What lies across side `k` of triangle `t`, which goes from corner `k` to the next.
    pub fn across(&self, t: u32, k: usize) -> Across {
        match self.across[t as usize][k] {
            NONE => Across::Nothing,
            SEVERAL => Across::Several,
            other => Across::One(other),
        }
    }

    /// Whether vertex `v` stands on a flat facet.
    pub fn is_flat(&self, v: usize) -> bool {
        self.is_flat[v]
    }

    /// Whether vertex `v` is a corner of a wall of a tube that goes along `tangent` there; with the normals of all
    /// triangles.
    pub fn is_wall(&self, normals: &[Vec3], v: usize, tangent: &Vec3) -> bool {
        self.of(v)
            .iter()
            .any(|&t| normals[t as usize].dot(tangent).abs() < WALL)
    }
}
