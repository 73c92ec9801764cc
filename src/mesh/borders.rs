//! Open borders of a mesh as loops.

use std::collections::HashMap;

use super::TriMesh;
use super::edges::EdgeTable;

/// One open border, by vertex number, in the direction in which the triangles run along it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BorderLoop {
    /// The vertices; the last one joins the first when the loop is closed.
    pub vertices: Vec<u32>,
    /// False for a chain that ends: where triangles are flipped or more than two meet.
    pub is_closed: bool,
}

/// The borders of `mesh`: chains of edges with only one triangle. Where two borders touch in a vertex the way
/// goes on along either.
pub fn border_loops(mesh: &TriMesh, edges: &EdgeTable) -> Vec<BorderLoop> {
    of(mesh.triangles(), edges)
}

pub(super) fn of(triangles: &[[u32; 3]], edges: &EdgeTable) -> Vec<BorderLoop> {
    let open = edges.edges().filter(|e| e.n_sides() == 1);
    let sides: Vec<[u32; 2]> = open
        .filter_map(|e| e.sides().map(|s| s.vertices(triangles)).next())
        .collect();
    // Sides by their first vertex, and how many run into each vertex.
    let mut from: HashMap<u32, Vec<usize>> = HashMap::with_capacity(sides.len());
    let mut balance: HashMap<u32, i32> = HashMap::with_capacity(sides.len());
    for (i, &[a, b]) in sides.iter().enumerate().rev() {
        from.entry(a).or_default().push(i);
        *balance.entry(a).or_default() += 1;
        *balance.entry(b).or_default() -= 1;
    }
    let mut is_used = vec![false; sides.len()];
    let mut loops = Vec::new();
    // Chains that begin somewhere first; what is left then are closed loops.
    let begins = |i: &usize| balance[&sides[*i][0]] > 0;
    let order = (0..sides.len()).filter(begins).chain(0..sides.len());
    for first in order {
        if is_used[first] {
            continue;
        }
        let mut vertices = Vec::new();
        let mut i = first;
        let is_closed = loop {
            is_used[i] = true;
            vertices.push(sides[i][0]);
            let end = sides[i][1];
            if end == vertices[0] {
                break true;
            }
            let next = from.get_mut(&end).and_then(|ways| {
                while let Some(way) = ways.pop() {
                    if !is_used[way] {
                        return Some(way);
                    }
                }
                None
            });
            let Some(way) = next else {
                vertices.push(end);
                break false;
            };
            i = way;
        };
        loops.push(BorderLoop {
            vertices,
            is_closed,
        });
    }
    loops
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::mesh::primitives::{cylinder, sheet_with_hole};

    fn loops_of(mesh: &TriMesh) -> Vec<BorderLoop> {
        border_loops(mesh, &EdgeTable::new(mesh))
    }

    #[test]
    fn a_sheet_with_a_hole_has_two_loops_and_a_closed_body_none() {
        let (u, v) = (Vec3::new(0.0, 30.0, 0.0), Vec3::new(0.0, 0.0, 50.0));
        let mesh = sheet_with_hole(&Vec3::zeros(), &u, &v, [12.0, 20.0], 5.0, 48);
        let mut loops = loops_of(&mesh);
        loops.sort_by_key(|l| l.vertices.len());
        let sizes: Vec<usize> = loops.iter().map(|l| l.vertices.len()).collect();
        assert_eq!(sizes, [48, 52]);
        assert!(loops.iter().all(|l| l.is_closed));
        let rod = cylinder(&Vec3::zeros(), &Vec3::new(0.0, 0.0, 9.0), 2.0, 12, 3);
        assert!(loops_of(&rod).is_empty());
    }

    #[test]
    fn a_flipped_neighbour_makes_open_chains() {
        // Two triangles of a square that run against each other: the border changes direction twice.
        let triangles = [[0, 1, 2], [0, 3, 2]];
        let loops = of(&triangles, &EdgeTable::of(&triangles, 4));
        assert_eq!(loops.len(), 2);
        assert!(loops.iter().all(|l| !l.is_closed && l.vertices.len() == 3));
    }

    #[test]
    fn every_border_edge_is_in_one_loop_where_holes_touch() {
        // Two triangles that share one vertex only: a figure of eight.
        let triangles = [[0, 1, 2], [2, 3, 4]];
        let loops = of(&triangles, &EdgeTable::of(&triangles, 5));
        let n_edges: usize = loops.iter().map(|l| l.vertices.len()).sum();
        assert_eq!(n_edges, 6);
        assert!(loops.iter().all(|l| l.is_closed));
    }
}
