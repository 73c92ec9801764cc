//! Distances that a rod keeps from obstacles beyond touching, and where it has less room than that.

use super::candidates::NearTriangle;
use super::distance::segment_triangle;
use super::{Candidates, ContactSettings, Ignored, Obstacle, Thickness};
use crate::geom::Vec3;

/// An edge of the rod that came to be nearer to an obstacle than its margin: it keeps what there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduced {
    /// Number of the obstacle.
    pub obstacle: u32,
    /// Edge of the rod.
    pub edge: u32,
    /// The margin it keeps now, mm; below zero where it is within its radius of the obstacle.
    pub margin: f64,
}

/// What an edge or a node of the rod keeps from an obstacle, beyond the radius of the rod where it is thinnest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// What it is thicker there, mm.
    pub thicker: f64,
    /// Its margin, mm.
    pub margin: f64,
}

/// Gap over barrier distance at which an edge that starts within its radius of an obstacle is pushed out: at each
/// equilibrium it stands at most one barrier distance clear, and the next push takes the rest of it.
const PUSH_GAP: f64 = 0.3;

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
    /// How much thicker each edge of the rod is than its thinnest, mm; empty for one radius.
    thickness: Vec<f64>,
}

impl Margins {
    /// The full margin of an obstacle, mm.
    #[inline]
    pub fn full(&self, obstacle: usize) -> f64 {
        self.full.get(obstacle).copied().unwrap_or(0.0)
    }

    /// How thick the rod is along its length.
    #[inline]
    pub fn thickness(&self) -> Thickness<'_> {
        Thickness::new(&self.thickness)
    }

    /// What an edge of the rod keeps.
    #[inline]
    pub fn of_edge(&self, obstacle: usize, edge: usize) -> Kept {
        Kept {
            thicker: self.thickness().of_edge(edge),
            margin: self.margin(obstacle, edge),
        }
    }

    /// What a node keeps: the more of its two edges. It is a point of both, so that there is room for it.
    #[inline]
    pub fn of_node(&self, obstacle: usize, node: usize, n_edges: usize) -> Kept {
        let right = self.of_edge(obstacle, node.min(n_edges - 1));
        if node == 0 {
            return right;
        }
        let left = self.of_edge(obstacle, node - 1);
        let all = |kept: &Kept| kept.thicker + kept.margin;
        if all(&left) > all(&right) {
            left
        } else {
            right
        }
    }

    /// The margin of an edge of the rod, mm.
    #[inline]
    fn margin(&self, obstacle: usize, edge: usize) -> f64 {
        let full = self.full(obstacle);
        if self.reduced.is_empty() {
            return full;
        }
        self.find(obstacle, edge)
            .map_or(full, |k| self.reduced[k].margin)
    }

    /// Whether edges that started within their radius of an obstacle are still being pushed out.
    pub fn is_pushing(&self) -> bool {
        self.reduced.iter().any(|r| r.margin < 0.0)
    }

    /// The edges that keep less than the full margin.
    pub fn reduced(&self) -> &[Reduced] {
        &self.reduced
    }

    /// The radius of an edge of the rod, mm.
    pub(super) fn radius(&self, edge: usize, settings: &ContactSettings) -> f64 {
        settings.radius + self.thickness().of_edge(edge)
    }

    fn find(&self, obstacle: usize, edge: usize) -> Option<usize> {
        let key = (obstacle as u32, edge as u32);
        self.reduced
            .binary_search_by_key(&key, |r| (r.obstacle, r.edge))
            .ok()
    }
}

impl Candidates {
    /// Takes how much thicker each edge of the rod is than the settings' radius, mm; empty for a rod of one radius. The
    /// margins are to be set after it.
    pub fn set_thickness(&mut self, of_edges: &[f64]) {
        self.margins.thickness.clear();
        self.margins.thickness.extend_from_slice(of_edges);
        self.forget();
    }

    /// Sets the margin of each obstacle, mm (empty for none); edges of the rod that are nearer already keep what there is,
    /// and what they kept before.
    pub fn set_margins(
        &mut self,
        obstacles: &[Obstacle],
        margins: &[f64],
        points: &[Vec3],
        settings: &ContactSettings,
    ) {
        self.released.clear();
        self.set_beside(obstacles, margins, points, settings);
    }

    /// The same beside the stretches that are let go, if there are any.
    fn set_beside(
        &mut self,
        obstacles: &[Obstacle],
        margins: &[f64],
        points: &[Vec3],
        settings: &ContactSettings,
    ) {
        let before = std::mem::take(&mut self.margins);
        self.margins.thickness.clone_from(&before.thickness);
        if margins.iter().any(|m| *m > 0.0) {
            self.margins.full.extend_from_slice(margins);
        }
        self.forget();
        let mut close = self.too_near(obstacles, points, settings);
        close.sort_by_key(|c| (c.obstacle, c.edge));
        if self.released.is_empty() {
            self.release_what_is_cut(&close, obstacles, points, settings);
        }
        for &Close {
            obstacle,
            edge,
            room,
            ..
        } in &close
        {
            let full = self.margins.full(obstacle as usize);
            if self.ignores(edge as usize, obstacle as usize) {
                continue;
            }
            let kept = before.find(obstacle as usize, edge as usize);
            let kept = kept.map(|k| before.reduced[k].margin);
            let kept = kept.filter(|kept| before.full(obstacle as usize) == full && *kept < room);
            let radius = self.margins.radius(edge as usize, settings);
            let distance = room + radius;
            let without_force = match room {
                room if room > 0.0 => (room - settings.barrier_distance).max(0.0),
                room => (room - settings.barrier_distance).max(0.5 * distance - radius),
            };
            self.margins.reduced.push(Reduced {
                obstacle,
                edge,
                margin: kept.map_or(without_force, |kept| without_force.max(kept)),
            });
        }
        // What was reduced before and has room by now grows on as it did.
        for r in &before.reduced {
            let full = self.margins.full(r.obstacle as usize);
            let known = self.margins.find(r.obstacle as usize, r.edge as usize);
            let there = (r.edge as usize) < points.len() - 1 && known.is_none();
            if there && r.margin < full && before.full(r.obstacle as usize) == full {
                self.margins.reduced.push(*r);
                self.margins
                    .reduced
                    .sort_unstable_by_key(|r| (r.obstacle, r.edge));
            }
        }
        self.grow_reduced(obstacles, points, settings);
    }

    /// Takes margins that have not grown yet and stretches that are let go as they were kept; those of edges and obstacles
    /// that are not there are left out.
    pub fn restore(&mut self, mut reduced: Vec<Reduced>, released: Vec<Ignored>) {
        reduced.sort_unstable_by_key(|r| (r.obstacle, r.edge));
        self.margins.reduced = reduced;
        self.released = released;
        self.forget();
    }

    /// The edges that have no more room than the margin of an obstacle.
    fn too_near(
        &mut self,
        obstacles: &[Obstacle],
        points: &[Vec3],
        settings: &ContactSettings,
    ) -> Vec<Close> {
        let mut close = Vec::new();
        for edge in 0..points.len() - 1 {
            let radius = self.margins.radius(edge, settings);
            let within = radius + settings.barrier_distance;
            let (a, b) = (&points[edge], &points[edge + 1]);
            let (near, margins) = self.near(obstacles, edge, a, b, within, 0.5 * settings.radius);
            // The list is sorted by obstacle.
            for same in near.triangles.chunk_by(|a, b| a.obstacle == b.obstacle) {
                let obstacle = same[0].obstacle;
                let room = room(same, a, b) - radius;
                if room <= margins.full(obstacle as usize) {
                    close.push(Close {
                        obstacle,
                        edge: edge as u32,
                        room,
                        is_cut: room <= -radius,
                    });
                }
            }
        }
        close
    }

    /// Lets margins that had to be reduced grow back where the rod has left. One below zero, of an edge that starts within
    /// its radius of an obstacle, grows so far that a force remains: it pushes the rod out, a little at a time.
    pub fn grow_margins(
        &mut self,
        obstacles: &[Obstacle],
        points: &[Vec3],
        settings: &ContactSettings,
    ) {
        if !self.released.is_empty() && self.follow_what_is_cut(obstacles, points, settings) {
            let full = self.margins.full.clone();
            self.set_beside(obstacles, &full, points, settings);
            return;
        }
        self.grow_reduced(obstacles, points, settings);
    }

    fn grow_reduced(
        &mut self,
        obstacles: &[Obstacle],
        points: &[Vec3],
        settings: &ContactSettings,
    ) {
        for k in 0..self.margins.reduced.len() {
            let Reduced { obstacle, edge, .. } = self.margins.reduced[k];
            let radius = self.margins.radius(edge as usize, settings);
            let within = radius + settings.barrier_distance;
            let full = self.margins.full(obstacle as usize);
            let (a, b) = (&points[edge as usize], &points[edge as usize + 1]);
            let (near, _) = self.near(
                obstacles,
                edge as usize,
                a,
                b,
                within,
                0.5 * settings.radius,
            );
            let own = |t: &&NearTriangle| t.obstacle == obstacle;
            let first = near.triangles.iter().position(|t| own(&t));
            let own = first.map_or(&[][..], |first| {
                let rest = &near.triangles[first..];
                &rest[..rest.iter().take_while(own).count()]
            });
            let room = room(own, a, b) - radius;
            let margin = &mut self.margins.reduced[k].margin;
            let grown = if *margin < 0.0 {
                (room - PUSH_GAP * settings.barrier_distance).min(0.0)
            } else {
                room - settings.barrier_distance
            };
            *margin = margin.max(grown).min(full);
        }
        let Margins { full, reduced, .. } = &mut self.margins;
        let full = |o: u32| full.get(o as usize).copied().unwrap_or(0.0);
        reduced.retain(|r| r.margin < full(r.obstacle));
    }
}

/// An edge that has no more room than the margin of an obstacle.
pub(super) struct Close {
    pub(super) obstacle: u32,
    pub(super) edge: u32,
    /// From surface to surface, mm; minus the radius where the obstacle cuts the centerline.
    pub(super) room: f64,
    /// Whether the obstacle cuts the centerline.
    pub(super) is_cut: bool,
}

/// From the segment a b to the nearest of some triangles, mm.
fn room(triangles: &[NearTriangle], a: &Vec3, b: &Vec3) -> f64 {
    let distances = triangles.iter().map(|triangle| {
        let (p, q) = segment_triangle(a, b, &triangle.corners);
        (p - q).norm()
    });
    distances.fold(f64::INFINITY, f64::min)
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
        candidates_with(heights, &[MARGIN])
    }

    fn candidates_with(
        heights: [f64; 3],
        margins: &[f64],
    ) -> ([Obstacle; 1], [Vec3; 3], Candidates) {
        let obstacles = sheet();
        let x = [-10.0, 0.0, 10.0];
        let points = [0, 1, 2].map(|k| Vec3::new(x[k], 0.0, heights[k]));
        let mut candidates = Candidates::new(2);
        candidates.set_margins(&obstacles, margins, &points, &settings());
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
            assert!((contact.gap() - 0.2).abs() < 1e-12, "{contact:?}");
        }
        // A jump through stops at the margin.
        let motion = [Vec3::z() * -100.0; 3];
        let sweep = Sweep {
            obstacles: &obstacles,
            points: &points,
            motion: &motion,
            held: &[false; 3],
            settings: &settings(),
            rigid: &[],
            moving: None,
        };
        let limit = sweep.limit(&mut candidates);
        assert!((10.2 - 100.0 * limit.fraction - 10.02).abs() < 1e-9);
    }

    #[test]
    fn what_starts_within_its_radius_is_held_there_and_pushed_and_what_is_cut_is_released() {
        let (obstacles, mut points, mut candidates) = candidates_with([1.0, 3.0, 6.0], &[]);
        let margin = |c: &Candidates, edge| c.margins().of_edge(0, edge).margin;
        assert!(candidates.margins().is_pushing());
        // A force remains: the gap is what a push leaves.
        let gap = |c: &Candidates, edge, height: f64| height - 4.0 - margin(c, edge);
        assert!((gap(&candidates, 0, 1.0) - 0.12).abs() < 1e-12);
        assert!((gap(&candidates, 1, 3.0) - 0.12).abs() < 1e-12);
        for _ in 0..40 {
            // As far as the barrier reaches.
            for p in &mut points {
                p.z = p.z.max(4.0 + margin(&candidates, 0) + 0.4);
            }
            candidates.grow_margins(&obstacles, &points, &settings());
        }
        assert!(!candidates.margins().is_pushing());
        assert!(candidates.margins().reduced().is_empty());
        let (_, _, candidates) = candidates_with([-1.0, 3.0, 3.5], &[]);
        let stretch = Ignored::through(0, 0..2);
        assert_eq!(candidates.released(), [stretch]);
        assert!(!candidates.margins().is_pushing());
    }

    #[test]
    fn what_starts_inside_keeps_what_there_is_and_gets_the_rest_as_it_leaves() {
        let (obstacles, mut points, mut candidates) = candidates([6.0, 11.0, 11.0]);
        let margins = |c: &Candidates| [0, 1].map(|edge| c.margins().of_edge(0, edge).margin);
        assert!((margins(&candidates)[0] - 1.6).abs() < 1e-12);
        assert_eq!(margins(&candidates)[1], MARGIN);
        // The node between belongs to both edges; the first only to its own.
        let node = |c: &Candidates, i| c.margins().of_node(0, i, 2).margin;
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
