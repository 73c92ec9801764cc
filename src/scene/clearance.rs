//! How near cables come to parts and to each other, asked for when it is needed.

use super::Simulation;
use crate::contact::distance::segment_segment;
use crate::contact::pair::Apart;
use crate::contact::{Ignored, Obstacle, Thickness};
use crate::geom::{Aabb, Vec3};
use crate::solve::Problem;

/// Edges of a cable that are looked at together.
const CHUNK: usize = 8;

/// What a cable comes near to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbour {
    /// The part of that number.
    Part(usize),
    /// The cable of that number.
    Cable(usize),
}

/// The place where a cable comes nearest to a part or to another cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearance {
    /// Number of the cable.
    pub cable: usize,
    /// What it comes near to.
    pub to: Neighbour,
    /// From surface to surface, mm; negative where they run into each other.
    pub distance: f64,
    /// Whether they are as near as things that touch.
    pub touching: bool,
    /// Arc length from the cable's start, mm.
    pub at: f64,
    /// Place on the neighbour: on the surface of a part, on the centerline of a cable.
    pub position: Vec3,
    /// How far the flat triangles of the part may be from the surface they stand for, mm, where that can be told.
    pub chord_error: Option<f64>,
}

/// The nearest places of a cable and something else.
struct Nearest {
    /// From surface to surface.
    distance: f64,
    edge: usize,
    s: f64,
    position: Vec3,
    triangle: u32,
}

impl Simulation {
    /// The smallest clearance of every cable to every part and to every other cable, where it is at most `within` mm
    /// (which may be infinite). Cable by cable, parts before cables, each pair of cables once; stretches that may
    /// overlap a part are left out.
    pub fn clearances(&self, within: f64) -> Vec<Clearance> {
        let mut found = Vec::new();
        for cable in 0..self.scene().cables.len() {
            self.clearances_of(cable, within, &mut found);
        }
        found
    }

    /// The same of one cable, added to `found`. What is farther than `within` costs next to nothing: cheap enough to
    /// be called in every redraw with a distance of some radii.
    pub fn clearances_of(&self, cable: usize, within: f64, found: &mut Vec<Clearance>) {
        let points = |k: usize| Some(&self.scene().cables.get(k)?.shape.as_ref()?.points[..]);
        let Some(own) = points(cable) else {
            return;
        };
        let own = Capsules::of(self.solvers()[cable].problem(), own);
        let touching = self.solvers()[cable].contact_settings().barrier_distance;
        let mut push = |to: Neighbour, nearest: &Nearest, chord_error: Option<f64>| {
            let distance = nearest.distance;
            found.push(Clearance {
                cable,
                to,
                distance,
                touching: distance < touching,
                at: self.arc_length(cable, nearest.edge, nearest.s),
                position: nearest.position,
                chord_error,
            });
        };
        let ignored = &self.solvers()[cable].problem().ignored;
        for (k, obstacle) in self.obstacles().iter().enumerate() {
            if let Some(nearest) = nearest_of_part(&own, obstacle, k, ignored, within) {
                let chord_error = obstacle.chord_error(nearest.triangle);
                push(Neighbour::Part(k), &nearest, chord_error);
            }
        }
        let apart = self.apart();
        for k in cable + 1..self.scene().cables.len() {
            let Some(other) = points(k) else {
                continue;
            };
            let other = Capsules::of(self.solvers()[k].problem(), other);
            // Next to a junction its branches run into one.
            let of_pair = |a: &&Apart| a.rods == [cable as u32, k as u32];
            let skip: Vec<&Apart> = apart.iter().filter(of_pair).collect();
            if let Some(nearest) = nearest_of_chain(&own, &other, &skip, within) {
                push(Neighbour::Cable(k), &nearest, None);
            }
        }
    }

    /// The smallest clearance of a cable to a part, where it is at most `within` mm. Where a stretch may overlap the part,
    /// `leave` mm of the cable on both sides of it are left out too: there it is still leaving.
    pub fn clearance_to(
        &self,
        cable: usize,
        part: usize,
        within: f64,
        leave: f64,
    ) -> Option<Clearance> {
        let scene = self.scene();
        let own = &scene.cables[cable];
        let points = &own.shape.as_ref()?.points;
        let lengths = own.edge_lengths();
        let mut ignored = self.solvers()[cable].problem().ignored.clone();
        for rule in &mut ignored {
            let (mut first, mut end) = (rule.edges.start as usize, rule.edges.end as usize);
            let (mut before, mut after) = (0.0, 0.0);
            while first > 0 && before < leave {
                first -= 1;
                before += lengths[first];
            }
            while end < lengths.len() && after < leave {
                after += lengths[end];
                end += 1;
            }
            rule.edges = first as u32..end as u32;
        }
        let obstacle = self.obstacles().get(part)?;
        let capsules = Capsules::of(self.solvers()[cable].problem(), points);
        let nearest = nearest_of_part(&capsules, obstacle, part, &ignored, within)?;
        let distance = nearest.distance;
        let touching = self.solvers()[cable].contact_settings().barrier_distance;
        Some(Clearance {
            cable,
            to: Neighbour::Part(part),
            distance,
            touching: distance < touching,
            at: self.arc_length(cable, nearest.edge, nearest.s),
            position: nearest.position,
            chord_error: obstacle.chord_error(nearest.triangle),
        })
    }

    fn arc_length(&self, cable: usize, edge: usize, s: f64) -> f64 {
        let lengths = self.scene().cables[cable].edge_lengths();
        lengths[..edge].iter().sum::<f64>() + s * lengths[edge]
    }
}

/// A cable as it meets things: its nodes, and the radius of each edge.
struct Capsules<'a> {
    points: &'a [Vec3],
    radius: f64,
    thickness: Thickness<'a>,
}

impl<'a> Capsules<'a> {
    fn of(problem: &'a Problem, points: &'a [Vec3]) -> Self {
        Self {
            points,
            radius: problem.radius,
            thickness: Thickness::new(&problem.thickness),
        }
    }

    fn radius(&self, edge: usize) -> f64 {
        self.radius + self.thickness.of_edge(edge)
    }

    /// Edges that are looked at together, with their box.
    fn chunks(&self) -> Vec<(std::ops::Range<usize>, Aabb)> {
        let n = self.points.len() - 1;
        (0..n)
            .step_by(CHUNK)
            .map(|first| {
                let edges = first..(first + CHUNK).min(n);
                let most = edges.clone().map(|e| self.radius(e)).fold(0.0, f64::max);
                let nodes = &self.points[first..=edges.end];
                (edges, Aabb::of_points(nodes).inflated(most))
            })
            .collect()
    }
}

fn nearest_of_part(
    own: &Capsules,
    obstacle: &Obstacle,
    number: usize,
    ignored: &[Ignored],
    within: f64,
) -> Option<Nearest> {
    let of_part = |i: &&Ignored| i.obstacle as usize == number;
    let ignored: Vec<_> = ignored.iter().filter(of_part).map(|i| &i.edges).collect();
    let mut nearest: Option<Nearest> = None;
    for (edges, bounds) in own.chunks() {
        let best = |nearest: &Option<Nearest>| nearest.as_ref().map_or(within, |n| n.distance);
        if bounds.distance(obstacle.aabb()) > best(&nearest).max(0.0) {
            continue;
        }
        for edge in edges.filter(|e| !ignored.iter().any(|i| i.contains(&(*e as u32)))) {
            let (a, b) = (&own.points[edge], &own.points[edge + 1]);
            let radius = own.radius(edge);
            let Some(near) = obstacle.nearest(a, b, radius + best(&nearest)) else {
                continue;
            };
            let along = b - a;
            let s = (near.on_segment - a).dot(&along) / along.norm_squared();
            nearest = Some(Nearest {
                distance: near.distance - radius,
                edge,
                s: if s.is_finite() {
                    s.clamp(0.0, 1.0)
                } else {
                    0.0
                },
                position: near.on_triangle,
                triangle: near.triangle,
            });
        }
    }
    nearest
}

fn nearest_of_chain(
    own: &Capsules,
    other: &Capsules,
    skip: &[&Apart],
    within: f64,
) -> Option<Nearest> {
    let others = other.chunks();
    let (mine, theirs_at) = (own.points, other.points);
    let mut nearest: Option<Nearest> = None;
    for (edges, bounds) in own.chunks() {
        for (theirs, their_bounds) in &others {
            let best = nearest.as_ref().map_or(within, |n| n.distance);
            if bounds.distance(their_bounds) > best.max(0.0) {
                continue;
            }
            for i in edges.clone() {
                for j in theirs.clone() {
                    let covers = |s: &&Apart| {
                        s.edges[0].contains(&(i as u32)) && s.edges[1].contains(&(j as u32))
                    };
                    if skip.iter().any(covers) {
                        continue;
                    }
                    let pair =
                        segment_segment(&mine[i], &mine[i + 1], &theirs_at[j], &theirs_at[j + 1]);
                    let position = theirs_at[j].lerp(&theirs_at[j + 1], pair.t);
                    let apart = (mine[i].lerp(&mine[i + 1], pair.s) - position).norm();
                    let distance = apart - own.radius(i) - other.radius(j);
                    if distance <= nearest.as_ref().map_or(within, |n| n.distance) {
                        nearest = Some(Nearest {
                            distance,
                            edge: i,
                            s: pair.s,
                            position,
                            triangle: 0,
                        });
                    }
                }
            }
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::primitives;
    use crate::scene::demo::demo;
    use crate::scene::{Part, Scene};
    use crate::solve::CancelToken;

    fn solved(scene: Scene) -> Simulation {
        let mut simulation = Simulation::new(scene).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        simulation
    }

    #[test]
    fn the_nearest_place_is_that_of_a_search_over_everything() {
        let simulation = solved(demo("drag").unwrap());
        let found = simulation.clearances(f64::INFINITY);
        assert_eq!(found.len(), 3);
        let cable = &simulation.scene().cables[0];
        let points = &cable.shape.as_ref().unwrap().points;
        for (k, clearance) in found.iter().enumerate() {
            assert_eq!(clearance.to, Neighbour::Part(k));
            let mesh = simulation.scene().parts[k].mesh();
            let mut best = (f64::INFINITY, 0);
            for t in 0..mesh.triangles().len() {
                for i in 0..points.len() - 1 {
                    let (p, q) = crate::contact::distance::segment_triangle(
                        &points[i],
                        &points[i + 1],
                        &mesh.corners(t),
                    );
                    if (p - q).norm() < best.0 {
                        best = ((p - q).norm(), i);
                    }
                }
            }
            assert!((clearance.distance - (best.0 - cable.radius)).abs() < 1e-9);
            let edge = cable.length / cable.n_edges as f64;
            assert!((clearance.at / edge - best.1 as f64 - 0.5).abs() < 1.01);
            assert!(!clearance.touching && clearance.distance > 10.0);
        }
        // The post is round, the block is not.
        let sagitta = 40.0 * (1.0 - (std::f64::consts::PI / 48.0).cos());
        let error = found[2].chord_error.unwrap();
        assert!((error / sagitta - 1.0).abs() < 0.02, "{error} {sagitta}");
        assert_eq!(found[0].chord_error, None);
        // Only what is near enough.
        let near = found[0].distance + 0.1;
        let within = simulation.clearances(near);
        assert!(within.len() < 3 && within.iter().all(|c| c.distance <= near));
    }

    #[test]
    fn a_cable_that_lies_on_a_part_touches_it_and_another_cable_counts_too() {
        let mut scene = demo("box").unwrap();
        let mut other = scene.cables[0].clone();
        "other".clone_into(&mut other.name);
        for p in &mut other.shape.as_mut().unwrap().points {
            p.y += 150.0;
        }
        for handle in &mut other.handles {
            handle.pose.position.y += 150.0;
        }
        for clamp in other.shape.as_mut().unwrap().clamps.iter_mut().flatten() {
            clamp.position.y += 150.0;
        }
        scene.cables.push(other);
        let far = Aabb {
            min: Vec3::new(350.0, 1000.0, 0.0),
            max: Vec3::new(450.0, 1100.0, 100.0),
        };
        scene.parts.push(Part::new("far", primitives::cuboid(&far)));
        scene.cables[0].handles[1].pose.position.z = 150.0;
        let simulation = solved(scene);
        let found = simulation.clearances(200.0);
        let to = |cable: usize, to: Neighbour| {
            let own = |c: &&Clearance| c.cable == cable && c.to == to;
            found.iter().find(own).copied()
        };
        let on_box = to(0, Neighbour::Part(0)).unwrap();
        assert!(on_box.touching && on_box.distance > 0.0);
        assert!(!to(1, Neighbour::Part(0)).unwrap().touching);
        assert_eq!(to(0, Neighbour::Part(1)), None);
        let between = to(0, Neighbour::Cable(1)).unwrap();
        assert!((between.distance - 142.0).abs() < 1.0, "{between:?}");
        assert_eq!(to(1, Neighbour::Cable(0)), None, "each pair once");
    }
}
