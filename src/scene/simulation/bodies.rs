//! Free junctions as the solver's bodies, and the shells by which parts that they carry meet other things.
//!
//! A part that goes with a free junction is no obstacle: strands of capsules around it, fixed to the body, take its place.
//! They are rods beside those of the cables, behind them in the solver's order, and touch parts and cables as these do.

use std::sync::Arc;

use super::Simulation;
use super::problem::{apart_of, body_of, ignored_of, overlaps};
use crate::contact::distance::segment_segment;
use crate::contact::pair::{Apart, JUNCTION_WINDOW};
use crate::contact::{ContactSettings, Cover, Obstacle};
use crate::scene::command::place_body;
use crate::scene::{HandlePlace, Part, Scene};
use crate::solve::{Among, Blocker, Body, ContactReport, Problem, Report, Solver, strand_rod};

/// Weight for which the shell of a body without one is made, N.
const LEAST_WEIGHT: f64 = 0.05;

/// A strand of the shell of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strand {
    /// Number of the part.
    pub part: usize,
    /// Number of the free junction that carries it.
    pub junction: usize,
}

impl Simulation {
    /// Has the junctions that are free, and no others, find their own place.
    pub(super) fn free_junctions(&mut self) {
        let free: Vec<usize> = (0..self.scene.junctions.len())
            .filter(|&j| self.scene.junctions[j].free)
            .collect();
        if free == self.free {
            return;
        }
        self.last.ask_all();
        let had_shells = !self.strands.is_empty();
        self.solvers.truncate(self.scene.cables.len());
        self.strands.clear();
        let mut bodies: Vec<Body> = free.iter().map(|&j| body_of(&self.scene, j)).collect();
        for (&j, body) in free.iter().zip(&mut bodies) {
            self.give_shell(j, body);
        }
        if had_shells || !self.strands.is_empty() {
            self.see_shells();
            let mut apart = apart_of(&self.scene, &self.parties);
            apart.extend(self.apart_of_shells());
            self.pairs.set_apart(&apart, self.scene.cables.len());
        }
        self.pairs.set_bodies(&bodies, &mut self.solvers);
        self.free = free;
    }

    /// Puts strands around the parts that a free junction carries.
    fn give_shell(&mut self, junction: usize, body: &mut Body) {
        let weight = (body.mass_kg * self.scene.gravity.norm()).max(LEAST_WEIGHT);
        let carried = carried_by(&self.scene, junction);
        let covers: Vec<(usize, Cover)> = (carried.iter())
            .filter(|&&part| self.scene.parts[part].role.collides())
            .filter_map(|&part| {
                let obstacle = &self.obstacles[part];
                Some((part, obstacle.cover()?.placed(&obstacle.pose())))
            })
            .collect();
        let ignored = self.ignored_by_shell(&carried, &covers);
        for (part, cover) in &covers {
            for strand in &cover.strands {
                let among = Among {
                    gravity: self.scene.gravity,
                    friction: self.scene.friction,
                    obstacles: &self.obstacles,
                    ignored: &ignored,
                };
                let Some(solver) = strand_rod(strand, cover.radius, weight, &among) else {
                    continue;
                };
                body.take_strand(self.solvers.len(), strand, cover.room);
                self.solvers.push(solver);
                self.strands.push(Strand {
                    part: *part,
                    junction,
                });
            }
        }
    }

    /// Parts that a shell does not see: what does not collide, what free junctions carry, and what it is in already, as a
    /// plug is in its socket.
    fn ignored_by_shell(&self, carried: &[usize], covers: &[(usize, Cover)]) -> Vec<usize> {
        let is_in = |part: usize| {
            let obstacle = std::slice::from_ref(&self.obstacles[part]);
            covers.iter().any(|(_, cover)| {
                let settings = ContactSettings::new(cover.radius, 1.0, 0.0);
                cover.strands.iter().any(|strand| {
                    let lengths: Vec<f64> =
                        strand.windows(2).map(|w| (w[1] - w[0]).norm()).collect();
                    overlaps(strand, &lengths, &[], &settings, obstacle, &[])
                })
            })
        };
        (0..self.scene.parts.len())
            .filter(|&part| {
                let own = &self.scene.parts[part];
                !own.role.collides()
                    || carried.contains(&part)
                    || self.scene.is_carried_freely(&own.name)
                    || is_in(part)
            })
            .collect()
    }

    /// Has cables see the shells of parts in place of the parts, where there are any now.
    fn see_shells(&mut self) {
        for (cable, solver) in self.scene.cables.iter().zip(&mut self.solvers) {
            let ignored = ignored_of(&self.scene, cable);
            if !self.ghost && solver.problem().ignored != ignored {
                let problem = solver.problem().clone();
                solver.set_problem(Problem { ignored, ..problem });
            }
        }
    }

    /// Stretches that shells pass through: each other on one body, the cables that lead out of them, and what is in them
    /// from the start.
    fn apart_of_shells(&self) -> Vec<Apart> {
        let n = self.scene.cables.len();
        let mut apart = Vec::new();
        let edges = |r: usize| 0..self.solvers[r].problem().rod.n_edges() as u32;
        for (s, strand) in self.strands.iter().enumerate() {
            let own = n + s;
            for (t, other) in self.strands.iter().enumerate().skip(s + 1) {
                if other.junction == strand.junction || self.nearest(own, n + t, edges(n + t)) < 0.0
                {
                    apart.push(Apart {
                        rods: [own as u32, (n + t) as u32],
                        edges: [edges(own), edges(n + t)],
                    });
                }
            }
            for cable in 0..n {
                for stretch in self.stretches_in(own, strand.junction, cable) {
                    apart.push(Apart {
                        rods: [cable as u32, own as u32],
                        edges: [stretch, edges(own)],
                    });
                }
            }
        }
        apart
    }

    /// Edges of a cable that are in a strand from the start, or lead out of its body.
    fn stretches_in(
        &self,
        strand: usize,
        junction: usize,
        cable: usize,
    ) -> Vec<std::ops::Range<u32>> {
        let n = self.solvers[cable].problem().rod.n_edges() as u32;
        let mut stretches = Vec::new();
        let within = |i: u32, room: f64| self.nearest(strand, cable, i..i + 1) < room;
        for k in 0..n {
            if within(k, 0.0) {
                stretches.push(k.saturating_sub(1)..(k + 2).min(n));
            }
        }
        let joined = &self.scene.junctions[junction].ends;
        let name = &self.scene.cables[cable].name;
        for end in joined.iter().filter(|end| end.cable == *name) {
            let own = &self.scene.cables[cable];
            let from_start = match own.handle(&end.handle).map(|h| h.place) {
                Some(HandlePlace::Start) => true,
                Some(HandlePlace::End) => false,
                _ => continue,
            };
            let at = |k: u32| if from_start { k } else { n - 1 - k };
            let room = JUNCTION_WINDOW * own.radius_at(if from_start { 0.0 } else { own.length });
            // As far as it runs beside the shell without a break.
            let out = (0..n).find(|&k| !within(at(k), room)).unwrap_or(n);
            let mut reach = 0.0;
            let lengths = own.edge_lengths();
            let within = (0..n)
                .find(|&k| {
                    reach += lengths[at(k) as usize];
                    reach > room
                })
                .unwrap_or(n);
            let out = (out.max(within) + 1).min(n);
            stretches.push(if from_start { 0..out } else { n - out..n });
        }
        stretches
    }

    /// Gap between two rods, of the second those edges, mm.
    fn nearest(&self, a: usize, b: usize, edges: std::ops::Range<u32>) -> f64 {
        let (a, b) = (&self.solvers[a], &self.solvers[b]);
        let radius = |solver: &Solver, edge: usize| {
            let problem = solver.problem();
            problem.radius + problem.thickness.get(edge).copied().unwrap_or(0.0)
        };
        let mut least = f64::INFINITY;
        let nodes = &b.state().positions;
        for (k, pair) in a.state().positions.windows(2).enumerate() {
            for i in edges.clone() {
                let (p, q) = (&nodes[i as usize], &nodes[i as usize + 1]);
                let near = segment_segment(&pair[0], &pair[1], p, q);
                let away = pair[0].lerp(&pair[1], near.s) - p.lerp(q, near.t);
                least = least.min(away.norm() - radius(a, k) - radius(b, i as usize));
            }
        }
        least
    }

    /// Takes where free junctions are into the scene, with the parts that they carry.
    pub(super) fn store_junctions(&mut self) {
        let mut moved = false;
        for (number, pose) in self.pairs.body_poses() {
            let Some(&j) = self.free.get(number) else {
                continue;
            };
            let junction = &mut self.scene.junctions[j];
            if junction.pose == pose {
                continue;
            }
            if !junction.carries.is_empty() {
                let name = junction.name.clone();
                place_body(&mut self.scene, &name, pose);
                moved = true;
                continue;
            }
            // Its ends by their numbers: most bodies are junctions and nothing else, and names are many.
            junction.pose = pose;
            for end in &junction.ends {
                let own = |&&(cable, handle): &&(usize, usize)| {
                    let cable = &self.scene.cables[cable];
                    cable.handles[handle].name == end.handle && cable.name == end.cable
                };
                if let Some(&(cable, handle)) = self.parties[j].iter().find(own) {
                    self.scene.cables[cable].handles[handle].pose = pose.compose(&end.in_junction);
                }
            }
        }
        if moved {
            let placed = |(o, p): (&Obstacle, &Part)| o.placed(p.placement());
            let all = self.obstacles.iter().zip(&self.scene.parts);
            self.obstacles = Arc::new(all.map(placed).collect());
            for solver in &mut self.solvers {
                solver.set_unseen_obstacles(&self.obstacles);
            }
        }
    }

    /// Says what shells did as if the parts themselves had been met.
    pub(super) fn name_shells(&self, report: &mut Report) {
        let n = self.scene.cables.len();
        let part_of = |rod: usize| Some(self.strands.get(rod.checked_sub(n)?)?.part);
        for handle in &mut report.handles {
            if let Some(Blocker::Rod(rod)) = handle.blocker
                && let Some(part) = part_of(rod)
            {
                handle.blocker = Some(Blocker::Obstacle(part));
            }
        }
        let mut gap = report.smallest_gap;
        report.rod_contacts.retain(|contact| {
            let Some(part) = part_of(contact.rod) else {
                return true;
            };
            gap = Some(gap.map_or(contact.gap, |gap| gap.min(contact.gap)));
            report.contacts.push(ContactReport {
                obstacle: part,
                position: contact.position,
                force: contact.force,
                gap: contact.gap,
            });
            false
        });
        report.smallest_gap = gap;
    }

    /// Gives shells the friction and gravity of the scene.
    pub(super) fn adapt_shells(&mut self) {
        let (friction, gravity) = (self.scene.friction, self.scene.gravity);
        for solver in &mut self.solvers[self.scene.cables.len()..] {
            let problem = solver.problem();
            if problem.friction != friction || problem.gravity != gravity {
                let problem = problem.clone();
                solver.set_problem(Problem {
                    gravity,
                    friction,
                    ..problem
                });
            }
        }
    }
}

/// Numbers of the parts that a junction carries.
fn carried_by(scene: &Scene, junction: usize) -> Vec<usize> {
    let parts = scene.parts.iter().enumerate();
    let carried = parts.filter(|(_, p)| scene.junctions[junction].carries(&p.name));
    carried.map(|(k, _)| k).collect()
}
