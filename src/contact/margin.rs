//! Distances that a rod keeps from obstacles beyond touching, and where it has less room than that.

use super::distance::segment_triangle;
use super::{Candidates, ContactSettings, Obstacle};
use crate::geom::Vec3;

/// An edge of the rod that came to be nearer to an obstacle than its margin: it keeps what there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduced {
    /// Number of the obstacle.
    pub obstacle: u32,
    /// Edge of the rod.
    pub edge: u32,
    /// The margin it keeps now, mm.
    pub margin: f64,
}

/// The margin of every obstacle, and the edges that cannot keep it yet.
///
/// A cable may start inside a margin (a connector sits there, or the margin was raised): a barrier at the full
/// distance would be infinite. So the margin of each such edge is what there is, and grows as the edge leaves,
/// always by so much that no force appears, until it is the full one.
#[derive(Clone, Debug, Default)]
pub struct Margins {
    /// Of each obstacle, mm; empty for none at all.
    full: Vec<f64>,
    /// Sorted by obstacle and edge.
    reduced: Vec<Reduced>,
}

impl Margins {
    /// The full margin of an obstacle, mm.
    #[inline]
    pub fn full(&self, obstacle: usize) -> f64 {
        self.full.get(obstacle).copied().unwrap_or(0.0)
    }

    /// The margin of an edge of the rod, mm.
    #[inline]
    pub fn of_edge(&self, obstacle: usize, edge: usize) -> f64 {
        let full = self.full(obstacle);
        if self.reduced.is_empty() || full == 0.0 {
            return full;
        }
        self.find(obstacle, edge)
            .map_or(full, |k| self.reduced[k].margin)
    }

    /// The margin of a node, mm: the larger one of its two edges. It is a point of both, so that there is room for it.
    #[inline]
    pub fn of_node(&self, obstacle: usize, node: usize, n_edges: usize) -> f64 {
        let right = self.of_edge(obstacle, node.min(n_edges - 1));
        if node == 0 {
            return right;
        }
        right.max(self.of_edge(obstacle, node - 1))
    }

    /// The edges that keep less than the full margin.
    pub fn reduced(&self) -> &[Reduced] {
        &self.reduced
    }

    fn find(&self, obstacle: usize, edge: usize) -> Option<usize> {
        let key = (obstacle as u32, edge as u32);
        self.reduced
            .binary_search_by_key(&key, |r| (r.obstacle, r.edge))
            .ok()
    }
}

impl Candidates {
    /// Sets the margin of each obstacle, mm; edges of the rod that are nearer already keep what there is, and what
    /// they kept before.
    pub fn set_margins(
        &mut self,
        obstacles: &[Obstacle],
        margins: &[f64],
        points: &[Vec3],
        settings: &ContactSettings,
    ) {
        let before = std::mem::take(&mut self.margins);
        if !margins.iter().any(|m| *m > 0.0) {
            return;
        }
        self.margins.full.extend_from_slice(margins);
        self.forget();
        let mut reduced = Vec::new();
        for edge in 0..points.len() - 1 {
            for (o, &full) in margins.iter().enumerate() {
                if full == 0.0 {
                    continue;
                }
                let room = self.room(obstacles, o, edge, points, settings);
                // What was kept before is kept on, where there still is room for it.
                let kept = before.find(o, edge).map(|k| before.reduced[k].margin);
                let kept = kept.filter(|kept| before.full(o) == full && *kept < room);
                let grown = (room - settings.barrier_distance).clamp(0.0, full);
                let margin = match kept {
                    Some(kept) => grown.max(kept),
                    None if room > full => full,
                    None => grown,
                };
                if margin < full {
                    reduced.push(Reduced {
                        obstacle: o as u32,
                        edge: edge as u32,
                        margin,
                    });
                }
            }
        }
        reduced.sort_unstable_by_key(|r| (r.obstacle, r.edge));
        self.margins.reduced = reduced;
    }

    /// Lets margins that had to be reduced grow back where the rod has left.
    pub fn grow_margins(
        &mut self,
        obstacles: &[Obstacle],
        points: &[Vec3],
        settings: &ContactSettings,
    ) {
        for k in 0..self.margins.reduced.len() {
            let Reduced { obstacle, edge, .. } = self.margins.reduced[k];
            let (o, edge) = (obstacle as usize, edge as usize);
            let full = self.margins.full(o);
            let room = self.room(obstacles, o, edge, points, settings) - settings.barrier_distance;
            let margin = &mut self.margins.reduced[k].margin;
            *margin = margin.max(room).min(full);
        }
        let Margins { full, reduced } = &mut self.margins;
        reduced.retain(|r| r.margin < full[r.obstacle as usize]);
    }

    /// What lies between the surface of an edge and an obstacle, mm; only so far as its margin and barrier reach.
    fn room(
        &mut self,
        obstacles: &[Obstacle],
        obstacle: usize,
        edge: usize,
        points: &[Vec3],
        settings: &ContactSettings,
    ) -> f64 {
        let (a, b) = (&points[edge], &points[edge + 1]);
        let within = settings.radius + settings.barrier_distance;
        let (near, _) = self.near(obstacles, edge, a, b, within, 0.5 * settings.radius);
        let own = near
            .triangles
            .iter()
            .filter(|(o, _)| *o as usize == obstacle);
        let distance = own
            .map(|&(o, t)| {
                let (p, q) = segment_triangle(a, b, &obstacles[o as usize].corners(t));
                (p - q).norm()
            })
            .fold(f64::INFINITY, f64::min);
        distance - settings.radius
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Sticky, Sweep, find_contacts};
    use crate::mesh::TriMesh;

    const MARGIN: f64 = 6.0;

    fn sheet() -> [Obstacle; 1] {
        let v = [(-50.0, -50.0), (50.0, -50.0), (50.0, 50.0), (-50.0, 50.0)];
        let vertices = v.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect();
        [Obstacle::new(
            &TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap(),
        )]
    }

    fn settings() -> ContactSettings {
        ContactSettings::new(4.0, 0.01, 0.2)
    }

    /// Two edges at these heights, with the margin set there.
    fn candidates(heights: [f64; 3]) -> ([Obstacle; 1], [Vec3; 3], Candidates) {
        let obstacles = sheet();
        let x = [-10.0, 0.0, 10.0];
        let points = [0, 1, 2].map(|k| Vec3::new(x[k], 0.0, heights[k]));
        let mut candidates = Candidates::new(2);
        candidates.set_margins(&obstacles, &[MARGIN], &points, &settings());
        (obstacles, points, candidates)
    }

    #[test]
    fn a_margin_holds_like_the_surface_itself() {
        let (obstacles, points, mut candidates) = candidates([10.2; 3]);
        assert!(candidates.margins().reduced().is_empty());
        let mut contacts = Vec::new();
        let penetrating = find_contacts(
            &obstacles,
            &mut candidates,
            &points,
            &[10.0; 2],
            &settings(),
            &Sticky::default(),
            &mut contacts,
        );
        assert_eq!((penetrating, contacts.len()), (0, 5));
        for contact in &contacts {
            assert!((contact.gap(4.0) - 0.2).abs() < 1e-12, "{contact:?}");
        }
        // A jump through stops at the margin.
        let motion = [Vec3::z() * -100.0; 3];
        let sweep = Sweep {
            obstacles: &obstacles,
            points: &points,
            motion: &motion,
            held: &[false; 3],
            settings: &settings(),
        };
        let limit = sweep.limit(&mut candidates);
        assert!((10.2 - 100.0 * limit.fraction - 10.02).abs() < 1e-9);
    }

    #[test]
    fn what_starts_inside_keeps_what_there_is_and_gets_the_rest_as_it_leaves() {
        let (obstacles, mut points, mut candidates) = candidates([6.0, 11.0, 11.0]);
        let margins = |c: &Candidates| [0, 1].map(|edge| c.margins().of_edge(0, edge));
        assert!((margins(&candidates)[0] - 1.6).abs() < 1e-12);
        assert_eq!(margins(&candidates)[1], MARGIN);
        // The node between belongs to both edges; the first only to its own.
        let node = |c: &Candidates, i| c.margins().of_node(0, i, 2);
        assert_eq!(node(&candidates, 1), MARGIN);
        assert!(node(&candidates, 0) < 2.0);
        // Nearer: nothing is given away. Farther: it grows, without a force.
        points[0].z = 5.9;
        candidates.grow_margins(&obstacles, &points, &settings());
        assert!((margins(&candidates)[0] - 1.6).abs() < 1e-12);
        points[0].z = 8.0;
        candidates.grow_margins(&obstacles, &points, &settings());
        assert!((margins(&candidates)[0] - 3.6).abs() < 1e-12);
        points[0].z = 12.0;
        candidates.grow_margins(&obstacles, &points, &settings());
        assert!(candidates.margins().reduced().is_empty());
    }
}
