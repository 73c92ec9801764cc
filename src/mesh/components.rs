//! Connected pieces of a mesh.

use super::TriMesh;

/// Which piece every triangle belongs to. Triangles that share a vertex are in one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// How many pieces there are.
    pub number: usize,
    /// The piece of each triangle; pieces are numbered by their first triangle.
    pub of_triangle: Vec<u32>,
}

/// Finds the connected pieces of `mesh`.
pub fn components(mesh: &TriMesh) -> Components {
    of(mesh.triangles(), mesh.vertices().len())
}

pub(super) fn of(triangles: &[[u32; 3]], n_vertices: usize) -> Components {
    let mut sets = DisjointSets::new(n_vertices);
    for &[a, b, c] in triangles {
        sets.join(a, b);
        sets.join(b, c);
    }
    let mut number_of_root = vec![u32::MAX; n_vertices];
    let mut number = 0;
    let of_triangle = triangles
        .iter()
        .map(|t| {
            let known = &mut number_of_root[sets.root(t[0]) as usize];
            if *known == u32::MAX {
                *known = number;
                number += 1;
            }
            *known
        })
        .collect();
    Components {
        number: number as usize,
        of_triangle,
    }
}

impl Components {
    /// The pieces of `mesh` as meshes of their own, in their order.
    pub fn split(&self, mesh: &TriMesh) -> Vec<TriMesh> {
        let mut pieces = vec![(Vec::new(), Vec::new()); self.number];
        let mut new_number = vec![u32::MAX; mesh.vertices().len()];
        for (triangle, &piece) in mesh.triangles().iter().zip(&self.of_triangle) {
            // No vertex is in two pieces, so one table of new numbers does for all.
            let (vertices, triangles) = &mut pieces[piece as usize];
            triangles.push(triangle.map(|v| {
                let number = &mut new_number[v as usize];
                if *number == u32::MAX {
                    *number = vertices.len() as u32;
                    vertices.push(mesh.vertices()[v as usize]);
                }
                *number
            }));
        }
        pieces
            .into_iter()
            .map(|(vertices, triangles)| {
                TriMesh::new(vertices, triangles).expect("a piece of a good mesh is good")
            })
            .collect()
    }
}

/// Union-find with path halving; the lowest number is the root of its set, so that results have one order.
pub(crate) struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// `n` sets of one.
    pub fn new(n: usize) -> Self {
        Self((0..n as u32).collect())
    }

    /// The root of the set of `i`.
    pub fn root(&mut self, mut i: u32) -> u32 {
        let parents = &mut self.0;
        while parents[i as usize] != i {
            let grandparent = parents[parents[i as usize] as usize];
            parents[i as usize] = grandparent;
            i = grandparent;
        }
        i
    }

    /// Makes one set of the two.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.0[high as usize] = low;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Aabb, Vec3};
    use crate::mesh::primitives::cuboid;

    fn two_boxes(offset: f64) -> TriMesh {
        let a = cuboid(&Aabb {
            min: Vec3::zeros(),
            max: Vec3::repeat(1.0),
        });
        let n = a.vertices().len() as u32;
        let moved = a.vertices().iter().map(|v| v.add_scalar(offset));
        let vertices = moved.chain(a.vertices().iter().copied()).collect();
        let shifted = a.triangles().iter().map(|t| t.map(|v| v + n));
        // One after the other, so that the pieces alternate.
        let triangles = a.triangles().iter().copied().zip(shifted);
        TriMesh::new(vertices, triangles.flat_map(|(t, s)| [s, t]).collect()).unwrap()
    }

    #[test]
    fn pieces_come_apart_whole_and_in_order() {
        let mesh = two_boxes(5.0);
        let found = components(&mesh);
        assert_eq!(found.number, 2);
        assert_eq!(found.of_triangle[..4], [0, 1, 0, 1]);
        let pieces = found.split(&mesh);
        assert_eq!(pieces[0].aabb().min, Vec3::zeros());
        assert_eq!(pieces[1].aabb().min, Vec3::repeat(5.0));
        for piece in &pieces {
            assert_eq!(piece.triangles().len(), 12);
            assert_eq!(piece.vertices().len(), 8);
        }
    }

    #[test]
    fn a_shared_vertex_joins() {
        assert_eq!(of(&[[0, 1, 2], [2, 3, 4]], 5).number, 1);
        assert_eq!(of(&[[0, 1, 2], [5, 3, 4]], 6).number, 2);
    }
}
