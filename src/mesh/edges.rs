//! Which triangles meet at which edge.

use super::TriMesh;

/// Every edge of a mesh with the triangles at it.
///
/// Kept as buckets by the lower vertex: 24 bytes a triangle and 4 a vertex, made in linear time.
#[derive(Clone, Debug)]
pub struct EdgeTable {
    /// Where the bucket of each vertex begins in `entries`; one more at the end.
    starts: Vec<u32>,
    /// Upper vertex and side, sorted in each bucket.
    entries: Vec<(u32, Side)>,
}

/// A side of a triangle: side `k` runs from its corner `k` to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Side(u32);

impl Side {
    /// Number of the triangle.
    pub fn triangle(self) -> usize {
        self.0 as usize / 3
    }

    /// Which side of it: 0, 1 or 2.
    pub fn corner(self) -> usize {
        self.0 as usize % 3
    }

    /// The two vertices in the direction in which the triangle runs through them.
    pub fn vertices(self, triangles: &[[u32; 3]]) -> [u32; 2] {
        let triangle = triangles[self.triangle()];
        let k = self.corner();
        [triangle[k], triangle[(k + 1) % 3]]
    }
}

/// Two vertices that at least one triangle joins.
#[derive(Clone, Copy, Debug)]
pub struct Edge<'a> {
    /// Its ends, the lower number first.
    pub vertices: [u32; 2],
    entries: &'a [(u32, Side)],
}

impl Edge<'_> {
    /// How many triangles meet here: 1 at an open border, 2 inside a surface, more where it is not one surface.
    pub fn n_sides(&self) -> usize {
        self.entries.len()
    }

    /// The sides that meet here, by triangle number.
    pub fn sides(&self) -> impl ExactSizeIterator<Item = Side> + '_ {
        self.entries.iter().map(|&(_, side)| side)
    }
}

impl EdgeTable {
    /// The edges of `mesh`. A triangle that uses a vertex twice must not be there; it would count as no edge.
    pub fn new(mesh: &TriMesh) -> Self {
        Self::of(mesh.triangles(), mesh.vertices().len())
    }

    pub(super) fn of(triangles: &[[u32; 3]], n_vertices: usize) -> Self {
        let mut starts = vec![0_u32; n_vertices + 1];
        for [a, b, c] in triangles {
            for (v, w) in [(a, b), (b, c), (c, a)] {
                starts[*v.min(w) as usize + 1] += 1;
            }
        }
        for v in 0..n_vertices {
            starts[v + 1] += starts[v];
        }
        let mut entries = vec![(0, Side(0)); 3 * triangles.len()];
        let mut next = starts.clone();
        for (t, &[a, b, c]) in triangles.iter().enumerate() {
            for (k, (v, w)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
                let place = &mut next[v.min(w) as usize];
                entries[*place as usize] = (v.max(w), Side((3 * t + k) as u32));
                *place += 1;
            }
        }
        for v in 0..n_vertices {
            entries[starts[v] as usize..starts[v + 1] as usize].sort_unstable();
        }
        Self { starts, entries }
    }

    /// All edges, by their lower and then their upper vertex.
    pub fn edges(&self) -> impl Iterator<Item = Edge<'_>> {
        self.starts
            .windows(2)
            .enumerate()
            .flat_map(|(lower, range)| {
                self.entries[range[0] as usize..range[1] as usize]
                    .chunk_by(|a, b| a.0 == b.0)
                    .map(move |entries| Edge {
                        vertices: [lower as u32, entries[0].0],
                        entries,
                    })
            })
            .filter(|edge| edge.vertices[0] != edge.vertices[1])
    }

    /// The edge between two vertices, when a triangle joins them.
    pub fn edge(&self, a: u32, b: u32) -> Option<Edge<'_>> {
        let (lower, upper) = (a.min(b), a.max(b));
        let start = *self.starts.get(lower as usize)? as usize;
        let end = *self.starts.get(lower as usize + 1)? as usize;
        let bucket = &self.entries[start..end];
        let from = bucket.partition_point(|e| e.0 < upper);
        let to = bucket.partition_point(|e| e.0 <= upper);
        (from < to).then(|| Edge {
            vertices: [lower, upper],
            entries: &bucket[from..to],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Aabb, Vec3};
    use crate::mesh::primitives::cuboid;

    #[test]
    fn a_box_has_18_edges_of_two_triangles() {
        let mesh = cuboid(&Aabb {
            min: Vec3::zeros(),
            max: Vec3::repeat(1.0),
        });
        let table = EdgeTable::new(&mesh);
        assert_eq!(table.edges().count(), 18);
        for edge in table.edges() {
            assert_eq!(edge.n_sides(), 2);
            let mut directions: Vec<_> =
                edge.sides().map(|s| s.vertices(mesh.triangles())).collect();
            directions.sort_unstable();
            let [a, b] = edge.vertices;
            assert_eq!(directions, [[a, b], [b, a]]);
            let found = table.edge(b, a).unwrap();
            assert!(found.sides().eq(edge.sides()));
        }
        assert!(table.edge(0, 0).is_none() && table.edge(0, 99).is_none());
    }

    #[test]
    fn three_sheets_on_one_edge_are_seen() {
        let triangles = [[0, 1, 2], [1, 0, 3], [0, 1, 4]];
        let table = EdgeTable::of(&triangles, 5);
        let counts: Vec<usize> = table.edges().map(|e| e.n_sides()).collect();
        assert_eq!(counts, [3, 1, 1, 1, 1, 1, 1]);
        let first = table.edge(0, 1).unwrap();
        let sides: Vec<_> = first.sides().map(|s| (s.triangle(), s.corner())).collect();
        assert_eq!(sides, [(0, 0), (1, 0), (2, 0)]);
    }
}
