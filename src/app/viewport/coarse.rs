//! Parts with fewer triangles, for a camera that moves: vertices of a cell become one.

use std::collections::HashMap;

use super::model::Surface;
use crate::geom::{Aabb, Vec3};

/// Cells along the diagonal of a part: one is a few pixels of a part that fills the view.
const CELLS: f64 = 128.0;
/// A part with fewer triangles is drawn as it is.
const MANY: usize = 5_000;

/// Triangles that stand for those of a part.
#[derive(Debug, Default)]
pub struct Coarse {
    /// Place of each vertex: the mean of its cell.
    pub positions: Vec<Vec3>,
    /// Its unit normal: the mean of those in its cell that look the same way.
    pub normals: Vec<Vec3>,
    /// Vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// A cell, and which way of six the surface faces there.
type Key = ([i32; 3], u8);

impl Coarse {
    /// Of a part whose drawn vertices have these places; `None` where little would be saved.
    pub fn new(surface: &Surface, places: &[Vec3], aabb: &Aabb) -> Option<Self> {
        let n = surface.triangles.len();
        if n < MANY {
            return None;
        }
        let size = aabb.diagonal() / CELLS;
        let cell = |p: &Vec3| {
            let at = (p - aabb.min) / size;
            [at.x as i32, at.y as i32, at.z as i32]
        };
        let mut coarse = Self::default();
        let mut means: HashMap<[i32; 3], (Vec3, f64)> = HashMap::new();
        let mut known: HashMap<Key, u32> = HashMap::new();
        let mut cells: Vec<[i32; 3]> = Vec::new();
        let new_number: Vec<u32> = (places.iter().zip(&surface.normals))
            .map(|(p, normal)| {
                let cell = cell(p);
                let mean = means.entry(cell).or_insert((Vec3::zeros(), 0.0));
                (mean.0, mean.1) = (mean.0 + p, mean.1 + 1.0);
                let number = *known.entry((cell, facing(normal))).or_insert_with(|| {
                    cells.push(cell);
                    coarse.normals.push(Vec3::zeros());
                    cells.len() as u32 - 1
                });
                coarse.normals[number as usize] += normal;
                number
            })
            .collect();
        for normal in &mut coarse.normals {
            *normal = normal.try_normalize(1e-9).unwrap_or_else(Vec3::z);
        }
        let mean = |cell: &[i32; 3]| means.get(cell).map_or_else(Vec3::zeros, |(p, n)| p / *n);
        coarse.positions = cells.iter().map(mean).collect();
        let triangles = surface
            .triangles
            .iter()
            .map(|t| t.map(|v| new_number[v as usize]));
        // What has shrunk to a line or a point is not seen.
        let is_seen = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| cells[v as usize]);
            a != b && b != c && c != a
        };
        coarse.triangles = triangles.filter(is_seen).collect();
        // Which of equal ones comes first makes no difference.
        coarse.triangles.sort_unstable();
        coarse.triangles.dedup();
        (2 * coarse.triangles.len() < n).then_some(coarse)
    }
}

/// The axis that a normal is nearest to, and its sign.
fn facing(normal: &Vec3) -> u8 {
    let axis = normal.iamax();
    2 * axis as u8 + u8::from(normal[axis] < 0.0)
}

#[cfg(test)]
mod tests {
    use super::super::model::PartModel;
    use super::*;
    use crate::mesh::TriMesh;
    use std::sync::Arc;

    /// A ball of n by n quadrangles.
    fn ball(n: u32) -> PartModel {
        let at = |i: u32, j: u32| {
            let (u, v) = (
                std::f64::consts::PI * (f64::from(i) + 0.5) / f64::from(n),
                std::f64::consts::TAU * f64::from(j) / f64::from(n),
            );
            Vec3::new(u.sin() * v.cos(), u.sin() * v.sin(), u.cos()) * 100.0
        };
        let vertices = (0..n).flat_map(|i| (0..n).map(move |j| at(i, j))).collect();
        let mut triangles = Vec::new();
        for i in 0..n - 1 {
            for j in 0..n {
                let (a, b) = (i * n + j, i * n + (j + 1) % n);
                triangles.extend([[a, a + n, b], [b, a + n, b + n]]);
            }
        }
        PartModel::new(Arc::new(TriMesh::new(vertices, triangles).unwrap()))
    }

    #[test]
    fn a_fine_ball_becomes_coarse_and_stays_a_ball() {
        let model = ball(400);
        let coarse = model.coarse.as_ref().expect("many triangles");
        assert!(
            coarse.triangles.len() < 100_000,
            "{}",
            coarse.triangles.len()
        );
        assert!(coarse.triangles.len() > 5_000);
        for (p, normal) in coarse.positions.iter().zip(&coarse.normals) {
            assert!((p.norm() - 100.0).abs() < 0.5, "{p}");
            assert!(normal.dot(p) > 95.0, "{p} {normal}");
        }
        assert!(ball(20).coarse.is_none(), "few triangles stay as they are");
    }
}
