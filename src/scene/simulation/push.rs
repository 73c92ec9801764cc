//! Parts that move push cables: the way of a part is swept and made in steps, each ending in an equilibrium.

use std::sync::Arc;

use super::{CableReport, HeldEnd, OnIterate, Simulation, TOGETHER, reborrow, short_of};
use crate::contact::{Candidates, Ignored, Obstacle, Sweep};
use crate::geom::{Pose, Vec3};
use crate::scene::{Junction, JunctionEnd};
use crate::solve::{CancelToken, Solver, Status, TAUT};

/// Steps in one solve, at most. In contact a step is a part of the barrier distance.
const STEPS: usize = 3000;
/// Way in a step below which the part counts as stuck, over the radius of the thinnest cable, and how many such steps in
/// a row there may be.
const STUCK: (f64, usize) = (1e-3, 12);
/// How far the arc of a turning part may be from the straight way that is swept, over radius: a fifth of the
/// barrier distance.
const ARC: f64 = 0.02;

/// A part on its way from where its obstacle is to where the scene has it.
#[derive(Clone, Debug)]
pub struct Moving {
    part: usize,
    /// Parts that are one body with it, itself among them.
    body: Vec<usize>,
    /// Handles that go along: cable, handle.
    handles: Vec<(usize, usize)>,
}

/// What pushing a cable took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    iterations: usize,
    cpu_ms: f64,
}

impl Effort {
    /// Adds it to what the solve after it took.
    pub fn add_to(&self, report: &mut CableReport) {
        report.report.iterations += self.iterations;
        report.report.cpu_ms += self.cpu_ms;
    }
}

/// A part that stopped short of where it was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldPart {
    /// Name of the part.
    pub part: String,
    /// Name of the cable that cannot yield.
    pub cable: Option<String>,
    /// How far it is from where it was sent, mm.
    pub short_by: f64,
    /// How far it is turned from there, radians.
    pub short_by_angle: f64,
}

impl Simulation {
    /// Parts that cables kept from where they were sent, in the last solve. They stay where they stopped.
    pub fn held_parts(&self) -> &[HeldPart] {
        &self.held_parts
    }

    /// Notes that a part has been sent somewhere; the next solve takes it there.
    pub(super) fn send_part(&mut self, name: &str) {
        let Some(part) = self.scene.parts.iter().position(|p| p.name == name) else {
            return;
        };
        if self.moving.iter().any(|m| m.body.contains(&part)) {
            return;
        }
        let names = self.scene.body_of(name);
        let mut handles = Vec::new();
        for (c, cable) in self.scene.cables.iter().enumerate() {
            let attached = cable.handles.iter().enumerate();
            let own = attached.filter(|(_, h)| {
                let hangs = |j: &Junction| j.carries(name) && j.holds(&cable.name, &h.name);
                h.attached_to.as_ref().is_some_and(|p| names.contains(p))
                    || self.scene.junctions.iter().any(hangs)
            });
            handles.extend(own.map(|(h, _)| (c, h)));
        }
        let parts = self.scene.parts.iter().enumerate();
        let body = parts.filter(|(_, p)| names.contains(&p.name));
        let body = body.map(|(k, _)| k).collect();
        self.moving.push(Moving {
            part,
            body,
            handles,
        });
    }

    /// Takes every part that was sent somewhere there, or as far as cables yield. Gives the effort of each cable.
    pub(super) fn push(
        &mut self,
        cancel: &CancelToken,
        on_iterate: &mut Option<OnIterate>,
    ) -> Vec<Effort> {
        self.held_parts.clear();
        let mut efforts = vec![Effort::default(); self.scene.cables.len()];
        for moving in std::mem::take(&mut self.moving) {
            self.push_part(&moving, cancel, on_iterate, &mut efforts);
        }
        efforts
    }

    fn push_part(
        &mut self,
        moving: &Moving,
        cancel: &CancelToken,
        on_iterate: &mut Option<OnIterate>,
        efforts: &mut [Effort],
    ) {
        let target = *self.scene.parts[moving.part].placement();
        let there: Vec<Pose> = (moving.handles.iter())
            .map(|&(c, h)| self.scene.cables[c].handles[h].pose)
            .collect();
        let thinnest = self.scene.cables.iter().map(|c| c.radius);
        let thinnest = thinnest.fold(f64::INFINITY, f64::min);
        let mut stuck = 0;
        let mut by = None;
        for _ in 0..STEPS {
            let now = self.obstacles[moving.part].pose();
            let left = Left::between(&now, &target);
            if left.is_none() || cancel.is_cancelled() {
                break;
            }
            let reaches = (moving.body.iter()).map(|&k| reach_of(&self.obstacles[k], &now));
            let reach = reaches.fold(0.0, f64::max);
            let whole = (8.0 * ARC * thinnest / reach).sqrt();
            let most = if left.angle > whole {
                whole / left.angle
            } else {
                1.0
            };
            let goal = between(&now, &target, most);
            let (fraction, cable) = self.free_way(moving, &now, &goal);
            let next = between(&now, &target, most * fraction);
            let way = (next.position - now.position).norm()
                + reach * next.rotation.angle_to(&now.rotation);
            // Nothing in the way at all: there at once, to the last bit.
            let next = if most * fraction == 1.0 { target } else { next };
            let before = (self.solvers.clone(), self.pairs.clone());
            let strains =
                |solvers: &[Solver]| -> Vec<f64> { solvers.iter().map(Solver::strain).collect() };
            let strain = strains(&self.solvers);
            self.put(moving, &now, &next, &target, &there);
            let found = self.solve_once(cancel, reborrow(on_iterate));
            for (effort, report) in efforts.iter_mut().zip(&found) {
                effort.iterations += report.report.iterations;
                effort.cpu_ms += report.report.cpu_ms;
            }
            let taut = strains(&self.solvers);
            let too_taut = (0..taut.len()).find(|&k| taut[k] > TAUT && taut[k] > strain[k] + 1e-6);
            let lost = found
                .iter()
                .position(|r| r.report.status == Status::NotConverged);
            if let Some(k) = too_taut.or(lost) {
                (self.solvers, self.pairs) = before;
                self.put(moving, &next, &now, &target, &there);
                by = Some(k);
                break;
            }
            if let Some((held, k)) = self.held_by_junction(moving, &next, &target) {
                // The cables that meet there are taut or blocked: the part stays with them.
                self.put(moving, &next, &held, &target, &there);
                self.solve_once(cancel, reborrow(on_iterate));
                by = Some(k);
                break;
            }
            stuck = if way < STUCK.0 * thinnest {
                stuck + 1
            } else {
                0
            };
            by = cable;
            if stuck >= STUCK.1 {
                break;
            }
        }
        if cancel.is_cancelled() {
            // The next solve goes on from here.
            for (&(c, h), pose) in moving.handles.iter().zip(&there) {
                self.scene.cables[c].handles[h].pose = *pose;
            }
            self.moving.push(moving.clone());
            return;
        }
        self.arrive(moving, &target, &there, by);
    }

    /// Where a part is to be that was put to `next`, when a junction that carries it came less far; and the cable that
    /// holds it back.
    fn held_by_junction(
        &self,
        moving: &Moving,
        next: &Pose,
        target: &Pose,
    ) -> Option<(Pose, usize)> {
        let name = self.scene.parts[moving.part].name.as_str();
        let carries = |j: &usize| self.scene.junctions[*j].carries(name);
        let mut all = (0..self.scene.junctions.len()).filter(carries);
        all.find_map(|j| {
            let there = self.scene.junctions[j].pose;
            let goal = next.compose(&target.inverse()).compose(&there);
            let held = self.held_junctions(j);
            let short_by = |end: &HeldEnd| short_of(&end.pose, &goal);
            let worst = (held.iter()).max_by(|a, b| short_by(a).total_cmp(&short_by(b)))?;
            let is_short = short_by(worst) > TOGETHER;
            let place = worst.pose.compose(&there.inverse()).compose(target);
            is_short.then_some((place, worst.cable))
        })
    }

    /// How much of the way to `goal` the part may go before it comes too near to a cable, and to which.
    fn free_way(&self, moving: &Moving, now: &Pose, goal: &Pose) -> (f64, Option<usize>) {
        // Seen from the part, it is the cables that move, the other way.
        let backwards = now.compose(&goal.inverse());
        let body = moving.body.iter();
        let obstacles: Vec<Obstacle> = body.map(|&k| self.obstacles[k].clone()).collect();
        let (mut fraction, mut by) = (1.0, None);
        for (k, solver) in self.solvers.iter().enumerate() {
            let problem = solver.problem();
            let points = &solver.state().positions;
            let own = |i: &Ignored| {
                let place = moving.body.iter().position(|&k| k == i.obstacle as usize)?;
                Some(Ignored {
                    obstacle: place as u32,
                    edges: i.edges.clone(),
                })
            };
            let ignored: Vec<Ignored> = problem.ignored.iter().filter_map(own).collect();
            let mut candidates = Candidates::new(problem.rod.n_edges());
            candidates.reset(&ignored);
            let margin = |&k: &usize| problem.margins.get(k).copied().unwrap_or(0.0);
            let margins: Vec<f64> = moving.body.iter().map(margin).collect();
            let settings = solver.contact_settings();
            candidates.set_margins(&obstacles, &margins, points, settings);
            let mut motion: Vec<Vec3> = points.iter().map(|p| backwards.transform(p) - p).collect();
            for &(_, h) in moving.handles.iter().filter(|(c, _)| *c == k) {
                // What goes along does not come nearer.
                for i in problem.grips[h].nodes() {
                    motion[i] = Vec3::zeros();
                }
            }
            let sweep = Sweep {
                obstacles: &obstacles,
                points,
                motion: &motion,
                held: &vec![false; points.len()],
                settings,
            };
            let limit = sweep.limit(&mut candidates);
            if limit.fraction < fraction {
                (fraction, by) = (limit.fraction, Some(k));
            }
        }
        (fraction, by)
    }

    /// Puts the obstacle of a part to `next`, and the handles that go along.
    fn put(&mut self, moving: &Moving, now: &Pose, next: &Pose, target: &Pose, there: &[Pose]) {
        let mut obstacles: Vec<Obstacle> = self.obstacles.to_vec();
        for &k in &moving.body {
            let goal = *self.scene.parts[k].placement();
            obstacles[k] = obstacles[k].placed(&along(next, target, goal));
        }
        self.obstacles = Arc::new(obstacles);
        for solver in &mut self.solvers {
            let mut problem = solver.problem().clone();
            problem.obstacles = Arc::clone(&self.obstacles);
            solver.set_problem(problem);
            for &k in &moving.body {
                solver.carry_friction(k, &next.compose(&now.inverse()));
            }
        }
        let short = next.compose(&target.inverse());
        for (&(c, h), pose) in moving.handles.iter().zip(there) {
            self.scene.cables[c].handles[h].pose = short.compose(pose);
        }
    }

    /// Writes down where a part and its handles have come to.
    fn arrive(&mut self, moving: &Moving, target: &Pose, there: &[Pose], by: Option<usize>) {
        let now = self.obstacles[moving.part].pose();
        let left = Left::between(&now, target);
        if left.is_none() {
            for (&(c, h), pose) in moving.handles.iter().zip(there) {
                self.scene.cables[c].handles[h].pose = *pose;
            }
            return;
        }
        self.held_parts.push(HeldPart {
            part: self.scene.parts[moving.part].name.clone(),
            cable: by.map(|k| self.scene.cables[k].name.clone()),
            short_by: left.way,
            short_by_angle: left.angle,
        });
        let short = now.compose(&target.inverse());
        for junction in &mut self.scene.junctions {
            let is_moved = |end: &JunctionEnd| {
                let mut moved = moving.handles.iter();
                moved.any(|&(c, h)| {
                    let cable = &self.scene.cables[c];
                    cable.name == end.cable && cable.handles[h].name == end.handle
                })
            };
            if junction.ends.iter().any(is_moved) {
                junction.pose = short.compose(&junction.pose);
            }
        }
        for &k in &moving.body {
            let part = &mut self.scene.parts[k];
            let stands = along(&now, target, *part.placement());
            // It was there a moment ago: its coordinates are numbers.
            let placed = part.place(stands);
            debug_assert!(placed.is_ok());
        }
    }
}

/// What is left of a way: mm and radians.
struct Left {
    way: f64,
    angle: f64,
}

impl Left {
    fn between(now: &Pose, target: &Pose) -> Self {
        Self {
            way: (target.position - now.position).norm(),
            angle: now.rotation.angle_to(&target.rotation),
        }
    }

    /// Whether nothing but rounding is left.
    fn is_none(&self) -> bool {
        self.way < 1e-9 && self.angle < 1e-9
    }
}

/// Where a part of a body is that has its `goal` when the body is at `target`, and is at `next` instead.
fn along(next: &Pose, target: &Pose, goal: Pose) -> Pose {
    if next == target {
        return goal;
    }
    next.compose(&target.inverse()).compose(&goal)
}

fn between(now: &Pose, target: &Pose, t: f64) -> Pose {
    let way = (now.rotation.inverse() * target.rotation).scaled_axis();
    Pose {
        position: now.position.lerp(&target.position, t),
        rotation: now.rotation * crate::geom::Rotation::from_scaled_axis(way * t),
    }
}

/// Distance of the farthest corner of an obstacle's box from what it turns about, mm.
fn reach_of(obstacle: &Obstacle, pose: &Pose) -> f64 {
    let aabb = obstacle.aabb();
    let farthest = (aabb.min - pose.position)
        .abs()
        .sup(&(aabb.max - pose.position).abs());
    farthest.norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::demo::demo;
    use crate::scene::{Command, HandlePlace};

    fn sent(position: [f64; 3], rotation: Option<[f64; 4]>) -> Command {
        Command::MovePart {
            part: "box".to_owned(),
            position: Some(position),
            rotation,
        }
    }

    fn hanging() -> Simulation {
        let mut simulation = Simulation::new(demo("box").unwrap()).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        simulation
    }

    #[test]
    fn a_part_that_rises_lifts_the_cable() {
        let mut simulation = hanging();
        let lowest = |s: &Simulation| {
            let nodes = s.solvers()[0].state().positions.iter();
            nodes.map(|p| p.z).fold(f64::INFINITY, f64::min)
        };
        let clear = lowest(&simulation) - 4.0 - 100.0;
        let rise = clear + 30.0;
        simulation.apply(&sent([0.0, 0.0, rise], None)).unwrap();
        let reports = simulation.solve_quietly(&CancelToken::default());
        assert_eq!(reports[0].report.status, Status::Converged);
        assert_eq!(simulation.held_parts(), []);
        assert_eq!(simulation.scene().parts[0].placement().position.z, rise);
        // Lifted, not passed through.
        let gap = simulation.clearances(10.0)[0].distance;
        assert!(gap > 0.0 && gap < 0.4, "{gap}");
        let over = simulation.solvers()[0].state().positions.iter();
        let over = over.filter(|p| (350.0..450.0).contains(&p.x));
        assert!(over.clone().count() > 5);
        assert!(over.into_iter().all(|p| p.z > 100.0 + rise + 4.0));
    }

    #[test]
    fn a_part_that_turns_and_shifts_sweeps_the_cable_along() {
        let mut simulation = hanging();
        let clear = Simulation::clearances(&simulation, f64::INFINITY)[0].distance;
        let position = [0.0, 0.0, clear + 5.0];
        simulation.apply(&sent(position, None)).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        // About x through the origin of the part, and sideways.
        let half = 0.1_f64;
        let turn = Some([half.cos(), half.sin(), 0.0, 0.0]);
        simulation
            .apply(&sent([10.0, 20.0, clear + 10.0], turn))
            .unwrap();
        let reports = simulation.solve_quietly(&CancelToken::default());
        assert_ne!(reports[0].report.status, Status::NotConverged);
        assert_eq!(simulation.held_parts(), []);
        let gap = simulation.clearances(30.0);
        assert!(gap.iter().all(|c| c.distance > 0.0), "{gap:?}");
    }

    #[test]
    fn a_part_stops_where_a_taut_cable_cannot_yield() {
        let mut simulation = hanging();
        // Nearly straight, and the box 20 mm under it.
        let apart = Command::MoveHandle {
            cable: "cable".to_owned(),
            handle: "end".to_owned(),
            position: Some([996.0, 0.0, 400.0]),
            rotation: None,
        };
        simulation.apply(&apart).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        let clear = simulation.clearances(f64::INFINITY)[0].distance - 20.0;
        simulation.apply(&sent([0.0, 0.0, clear], None)).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        assert_eq!(simulation.held_parts(), []);
        simulation.apply(&sent([0.0, 0.0, 600.0], None)).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        let [held] = simulation.held_parts() else {
            panic!("{:?}", simulation.held_parts());
        };
        assert_eq!(
            (held.part.as_str(), held.cable.as_deref()),
            ("box", Some("cable"))
        );
        assert!(held.short_by > 50.0, "{held:?}");
        let z = simulation.scene().parts[0].placement().position.z;
        assert!((600.0 - z - held.short_by).abs() < 1e-9);
        assert!(
            z > clear + 25.0,
            "it lifted the cable first: {clear} to {z}"
        );
        assert!(simulation.clearances(10.0)[0].distance > 0.0);
        assert!(simulation.solvers()[0].strain() < 0.006);
        // The document, the obstacle and a fresh start agree.
        let fresh = Simulation::new(simulation.scene().clone()).unwrap();
        assert_eq!(fresh.obstacles[0].pose(), simulation.obstacles[0].pose());
        // Back again.
        simulation.apply(&sent([0.0; 3], None)).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        assert_eq!(simulation.held_parts(), []);
        assert_eq!(simulation.scene().parts[0].placement(), &Pose::identity());
    }

    #[test]
    fn handles_that_are_attached_go_along() {
        let mut scene = demo("box").unwrap();
        let end = (scene.cables[0].handles.iter_mut()).find(|h| h.place == HandlePlace::End);
        let end = end.unwrap();
        end.attached_to = Some("box".to_owned());
        let before = end.pose.position;
        let mut simulation = Simulation::new(scene).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        simulation.apply(&sent([-20.0, 0.0, 15.0], None)).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        let end = *simulation.solvers()[0].state().positions.last().unwrap();
        assert!((end - before - Vec3::new(-20.0, 0.0, 15.0)).norm() < 1e-9);
    }

    #[test]
    fn a_part_far_from_everything_just_moves() {
        let mut simulation = hanging();
        let before = simulation.solvers()[0].state().positions.clone();
        simulation.apply(&sent([0.0, 0.0, -500.0], None)).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        assert_eq!(simulation.obstacles[0].pose().position.z, -500.0);
        let after = &simulation.solvers()[0].state().positions;
        let moved = before.iter().zip(after).map(|(a, b)| (a - b).norm());
        assert!(moved.fold(0.0, f64::max) < 1e-6);
    }
}
