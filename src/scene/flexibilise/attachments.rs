//! What hangs on what: loose bodies, such as connectors, that touch something rigid and nothing else.

use crate::contact::Obstacle;
use crate::geom::Aabb;
use crate::mesh::{DisjointSets, TriMesh};

/// For each loose body the only one of the `bodies` on which it hangs, by itself or by other loose ones. Those that are
/// at most `reach` mm apart touch.
pub fn hangs_on(bodies: &[&TriMesh], loose: &[&TriMesh], reach: f64) -> Vec<Option<usize>> {
    if loose.is_empty() || bodies.is_empty() {
        return vec![None; loose.len()];
    }
    let all: Vec<Body> = bodies.iter().chain(loose).map(|m| Body::new(m)).collect();
    let (bodies, loose) = all.split_at(bodies.len());
    let mut sets = DisjointSets::new(loose.len());
    for (i, body) in loose.iter().enumerate() {
        for (j, other) in loose[..i].iter().enumerate() {
            if body.touches(other, reach) {
                sets.join(i as u32, j as u32);
            }
        }
    }
    // What each set touches: nothing yet, one body, or several.
    let mut touched: Vec<Option<Option<usize>>> = vec![None; loose.len()];
    for (i, body) in loose.iter().enumerate() {
        let slot = &mut touched[sets.root(i as u32) as usize];
        for (k, other) in bodies.iter().enumerate() {
            if body.touches(other, reach) {
                *slot = match *slot {
                    None => Some(Some(k)),
                    Some(known) => Some(known.filter(|known| *known == k)),
                };
            }
        }
    }
    (0..loose.len())
        .map(|i| touched[sets.root(i as u32) as usize].flatten())
        .collect()
}

struct Body<'a> {
    mesh: &'a TriMesh,
    obstacle: Obstacle,
}

impl<'a> Body<'a> {
    fn new(mesh: &'a TriMesh) -> Self {
        Self {
            mesh,
            obstacle: Obstacle::new(mesh),
        }
    }

    fn touches(&self, other: &Self, reach: f64) -> bool {
        self.has_edge_near(other, reach) || other.has_edge_near(self, reach)
    }

    /// Whether a side of one of the triangles comes within reach of the other body.
    fn has_edge_near(&self, other: &Self, reach: f64) -> bool {
        let region = other.obstacle.aabb().inflated(reach);
        (0..self.mesh.triangles().len()).any(|t| {
            let [a, b, c] = self.mesh.corners(t);
            Aabb::of_points([&a, &b, &c]).intersects(&region)
                && [(a, b), (b, c), (c, a)]
                    .iter()
                    .any(|(p, q)| other.obstacle.nearest(p, q, reach).is_some())
        })
    }
}
