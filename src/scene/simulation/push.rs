//! Parts that move push cables: the way of a part is swept and made in steps, each ending in an equilibrium. What cables are
//! fixed to stops at other parts, and slides along them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{CableReport, CableReports, HeldEnd, OnIterate, Simulation, TOGETHER, short_of};
use crate::contact::{BodySweep, Obstacle, TightFit, tight_fit};
use crate::geom::{Aabb, Pose, Vec3};
use crate::scene::{Cable, Junction, JunctionEnd};
use crate::solve::{
    Budget, CHUNK, Carried, Carrier, SMALLEST_CHUNK, STEP_ITERATIONS, Solver, Status, move_obstacle,
};

/// Steps in one solve, at most.
const STEPS: usize = 3000;
/// Way in a step below which the part counts as stuck, over the radius of the thinnest cable, and how many such steps in
/// a row there may be.
const STUCK: (f64, usize) = (1e-3, 12);

/// Iterations of one cable in all steps of a part's way, after which no further one is begun.
const PUSH_ITERATIONS: usize = 10 * STEP_ITERATIONS;

/// Distance from a moving part, over a cable's radius, up to which what the cable touches is looked for anew after each
/// step.
const BESIDE: f64 = 4.0;

/// Iterates after which somebody who listens to a push hears that it goes on.
const HEARTBEAT: usize = 16;

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

/// Where a part came to on its way, while the cables moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartStop {
    /// Number of the part.
    pub part: usize,
    /// Where it was before.
    pub from: Pose,
    /// Where it is.
    pub to: Pose,
    /// How many iterates the listener had been given by then. The next ones, one of each cable, belong to this place: as
    /// the part sees it, every node goes straight from the last iterate to this one.
    pub after: usize,
}

/// Iterates that a listener gets once it is sure that they are kept.
#[derive(Default)]
struct Kept {
    iterates: Vec<(usize, Vec<Vec3>)>,
    stops: Vec<PartStop>,
}

impl Kept {
    fn keep(&mut self, cable: usize, nodes: &[Vec3]) {
        self.iterates.push((cable, nodes.to_vec()));
    }

    /// Keeps a piece of a part's way, and where the cables are at its end.
    fn stop(&mut self, part: usize, [from, to]: [Pose; 2], cables: &[Solver]) {
        self.stops.push(PartStop {
            part,
            from,
            to,
            after: self.iterates.len(),
        });
        for (cable, rod) in cables.iter().enumerate() {
            self.keep(cable, &rod.state().positions);
        }
    }
}

/// What keeps a part from where it was sent.
#[derive(Clone, Copy, Debug)]
enum Obstruction {
    /// A cable, by its number.
    Cable(usize),
    /// Another part, by its number.
    Part(usize),
}

/// A part that stopped short of where it was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldPart {
    /// Name of the part.
    pub part: String,
    /// Name of the cable that cannot yield.
    pub cable: Option<String>,
    /// Name of the part that it has met, where no cable holds it.
    pub against: Option<String>,
    /// How it fits the opening of that part, where it is that which it does not go through.
    pub fit: Option<TightFit>,
    /// How far it is from where it was sent, mm.
    pub short_by: f64,
    /// How far it is turned from there, radians.
    pub short_by_angle: f64,
    /// Where it was sent.
    pub target: Pose,
}

impl HeldPart {
    /// What keeps it, for people, where that is an opening that it does not go through.
    pub fn fit_in_words(&self) -> Option<String> {
        let (fit, other) = (self.fit?, self.against.as_ref()?);
        let why = if fit.spare < 0.0 {
            format!("it is {:.1} mm too wide", -fit.spare)
        } else {
            format!(
                "it has {:.1} mm to spare and needs {:.1} mm",
                fit.spare, fit.needed
            )
        };
        Some(format!(
            "does not go through the opening of \"{other}\": {why}"
        ))
    }
}

impl Simulation {
    /// Parts that cables kept from where they were sent, in the last solve. They stay where they stopped.
    pub fn held_parts(&self) -> &[HeldPart] {
        &self.held_parts
    }

    /// Where the parts are, in the scene's order: one that was sent somewhere may still be on its way.
    pub fn part_poses(&self) -> Vec<Pose> {
        self.obstacles.iter().map(Obstacle::pose).collect()
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

    /// The ways of parts in the last solve, piece by piece, if somebody listened.
    pub fn part_stops(&self) -> &[PartStop] {
        &self.part_stops
    }

    /// Takes every part that was sent somewhere there, or as far as cables yield. Gives the effort of each cable.
    pub(super) fn push(
        &mut self,
        budget: &Budget,
        on_iterate: &mut Option<OnIterate>,
    ) -> Vec<Effort> {
        self.held_parts.clear();
        self.part_stops.clear();
        self.told = 0;
        if self.moving.is_empty() {
            return Vec::new();
        }
        self.last.ask_all();
        let mut efforts = vec![Effort::default(); self.scene.cables.len()];
        for moving in std::mem::take(&mut self.moving) {
            self.push_part(&moving, budget, on_iterate, &mut efforts);
        }
        efforts
    }

    fn push_part(
        &mut self,
        moving: &Moving,
        budget: &Budget,
        on_iterate: &mut Option<OnIterate>,
        efforts: &mut [Effort],
    ) {
        let target = *self.scene.parts[moving.part].placement();
        let there: Vec<Pose> = (moving.handles.iter())
            .map(|&(c, h)| self.scene.cables[c].handles[h].pose)
            .collect();
        let thinnest = self.scene.cables.iter().map(Cable::thinnest);
        let thinnest = thinnest.fold(f64::INFINITY, f64::min);
        let mut size = 1.0;
        // Near the end of a cable's length steps only get smaller.
        let mut largest = 1.0;
        let mut stuck = 0;
        let mut in_vain = 0;
        // Whether what it met when it went alone found no rest.
        let mut wary = false;
        for solver in &mut self.solvers {
            solver.look_for_contacts();
        }
        let mut by = None;
        for _ in 0..STEPS {
            let now = self.obstacles[moving.part].pose();
            let left = Left::between(&now, &target);
            let used = efforts.iter().map(|e| e.iterations).max();
            if left.is_none() || budget.is_cancelled() || used > Some(PUSH_ITERATIONS) {
                break;
            }
            let reach = self.reach_of(moving, &now);
            let way = left.way + reach * left.angle;
            // As far at once as a handle goes, where cables go along.
            let length = self.carried_length(moving);
            let length = length.or_else(|| wary.then(|| self.shortest_length()).flatten());
            let chunks = length.map(|l| way / (CHUNK * l));
            let used = chunks.map_or(0.0, |chunks| chunks.min(size));
            let goal = match chunks {
                Some(chunks) if chunks > size => now.lerp(&target, size / chunks),
                _ => target,
            };
            let (goal, met) = self.lead(moving, &now, &goal);
            let led = Left::between(&now, &goal);
            if met.is_some() && led.way + reach * led.angle < STUCK.0 * thinnest {
                by = met.map(Obstruction::Part);
                break;
            }
            let before = (self.solvers.clone(), self.pairs.clone());
            let strain: Vec<f64> = self.solvers.iter().map(Solver::strain).collect();
            let mut kept = on_iterate.is_some().then(Kept::default);
            let carried = self.carry(moving, &now, &goal, reach, &mut kept, efforts);
            let next = carried.pose;
            self.put(moving, &next, &target, &there);
            let found = self.solve_kept(budget, &mut kept, &before.0, on_iterate);
            for (effort, report) in efforts.iter_mut().zip(found.iter()) {
                effort.iterations += report.report.iterations;
                effort.cpu_ms += report.report.cpu_ms;
            }
            let taut: Vec<f64> = self.solvers.iter().map(Solver::tautness).collect();
            let grew = |k: usize| self.solvers[k].strain() > strain[k] + 1e-6;
            let too_taut = (0..efforts.len()).find(|&k| taut[k] > 1.0 && grew(k));
            let lost = found
                .iter()
                .position(|r| r.report.status == Status::NotConverged);
            if let Some(k) = too_taut.or(lost) {
                (self.solvers, self.pairs) = before;
                // What was edited since the last solve is to be told to them again.
                self.edited = true;
                self.solvers.iter_mut().for_each(Solver::set_fresh);
                self.store_all_shapes();
                self.put(moving, &now, &target, &there);
                // A cable that is not taut finds no rest where a part is in the way: then it is the part that says why.
                let part = met.filter(|_| too_taut.is_none());
                by = Some(part.map_or(Obstruction::Cable(k), Obstruction::Part));
                in_vain += found.iter().map(|r| r.report.iterations).max().unwrap_or(0);
                if chunks.is_none() {
                    // It meets something: the same way again in steps.
                    wary = true;
                    continue;
                }
                size = 0.25 * used;
                if too_taut.is_some() {
                    largest = size;
                }
                if size < SMALLEST_CHUNK || in_vain > STEP_ITERATIONS {
                    break;
                }
                continue;
            }
            self.publish(kept, on_iterate);
            if let Some((held, k)) = self.held_by_junction(moving, &next, &target) {
                // The cables that meet there are taut or blocked: the part stays with them.
                self.put(moving, &held, &target, &there);
                for solver in &mut self.solvers {
                    // That way was not swept: margins are what there is room for.
                    solver.set_problem(solver.problem().clone());
                    for &k in &moving.body {
                        solver.carry_friction(k, &held.compose(&next.inverse()));
                    }
                }
                let mut kept = on_iterate.is_some().then(Kept::default);
                if let Some(kept) = &mut kept {
                    kept.stop(moving.part, [next, held], self.solvers());
                }
                let still = self.solvers.clone();
                self.solve_kept(budget, &mut kept, &still, on_iterate);
                self.publish(kept, on_iterate);
                by = Some(Obstruction::Cable(k));
                break;
            }
            let made = Left::between(&now, &next);
            stuck = if made.way + reach * made.angle < STUCK.0 * thinnest {
                stuck + 1
            } else {
                0
            };
            let cut_by = carried.cut_by.filter(|&k| k < self.scene.cables.len());
            by = (met.map(Obstruction::Part)).or(cut_by.map(Obstruction::Cable));
            if stuck >= STUCK.1 {
                break;
            }
            if taut.iter().all(|taut| *taut < 0.5) {
                largest = 1.0;
            }
            if carried.made > 0.9 {
                size = (2.0 * size).min(largest);
            } else if chunks.is_some() && carried.made < 0.3 {
                size = (0.25 * used).max(SMALLEST_CHUNK);
            }
        }
        if budget.is_cancelled() {
            // The next solve goes on from here.
            for (&(c, h), pose) in moving.handles.iter().zip(&there) {
                self.scene.cables[c].handles[h].pose = *pose;
            }
            self.moving.push(moving.clone());
            return;
        }
        self.arrive(moving, &target, &there, by);
    }

    /// Where a body comes that is led from `now` to `goal` among other parts, and which of them it meets. A part to which no
    /// cable is fixed is put where it is wanted.
    fn lead(&self, moving: &Moving, now: &Pose, goal: &Pose) -> (Pose, Option<usize>) {
        if moving.handles.is_empty() || self.ghost {
            return (*goal, None);
        }
        let stops = |&k: &usize| {
            let part = &self.scene.parts[k];
            part.role.collides() && !self.scene.is_carried_freely(&part.name)
        };
        let body: Vec<usize> = moving.body.iter().copied().filter(stops).collect();
        let others = 0..self.scene.parts.len();
        let others = others.filter(|k| !moving.body.contains(k) && stops(k));
        let others: Vec<usize> = others.collect();
        // As imported is where parts may touch: there it goes back exactly.
        let home = Pose::identity();
        let returns = *self.scene.parts[moving.part].placement() == home;
        let designed = returns.then_some(&home);
        BodySweep::new(&self.obstacles, &body, *now, &others, designed).slide(goal)
    }

    /// How a body that another part keeps from going on fits an opening of it.
    fn fit_of(&self, moving: &Moving, other: usize, way: &Vec3) -> Option<TightFit> {
        let collides = |&&k: &&usize| self.scene.parts[k].role.collides();
        let body = moving.body.iter().filter(collides);
        let body: Vec<&Obstacle> = body.map(|&k| &self.obstacles[k]).collect();
        let cables: BTreeSet<usize> = moving.handles.iter().map(|h| h.0).collect();
        let nodes = cables
            .iter()
            .flat_map(|&c| &self.solvers[c].state().positions);
        tight_fit(&body, &self.obstacles[other], way, nodes)
    }

    /// Length of the shortest cable that touches a part or is fixed to it; `None` where there is no such cable.
    fn carried_length(&self, moving: &Moving) -> Option<f64> {
        let goes_along = |&c: &usize| {
            let touched = self.solvers[c].touched_obstacles();
            moving.handles.iter().any(|(cable, _)| *cable == c)
                || touched.into_iter().any(|o| moving.body.contains(&o))
        };
        let along = (0..self.scene.cables.len()).filter(goes_along);
        let lengths = along.map(|c| self.solvers[c].problem().rod.length());
        lengths.min_by(f64::total_cmp)
    }

    /// Length of the shortest cable of all.
    fn shortest_length(&self) -> Option<f64> {
        let lengths = self.solvers().iter().map(|s| s.problem().rod.length());
        lengths.min_by(f64::total_cmp)
    }

    /// Distance of the farthest point of a body, or of a handle that goes along, from what it turns about, mm.
    fn reach_of(&self, moving: &Moving, pose: &Pose) -> f64 {
        let parts = (moving.body.iter()).map(|&k| reach_of(&self.obstacles[k], pose));
        let handle = |&(c, h): &(usize, usize)| self.solvers[c].grip_pose(h).position;
        let handles = (moving.handles.iter()).map(|h| (handle(h) - pose.position).norm());
        parts.chain(handles).fold(0.0, f64::max)
    }

    /// Takes a part towards `goal`, with what it carries along.
    fn carry(
        &mut self,
        moving: &Moving,
        now: &Pose,
        goal: &Pose,
        reach: f64,
        kept: &mut Option<Kept>,
        efforts: &mut [Effort],
    ) -> Carried {
        let carrier = Carrier {
            obstacles: &moving.body,
            grips: &moving.handles,
            way: [*now, *goal],
            reach,
        };
        let n_cables = self.scene.cables.len();
        let mut last = *now;
        let mut on_carried = |pose: &Pose, rods: &[Solver]| {
            if let Some(kept) = kept {
                kept.stop(moving.part, [last, *pose], &rods[..n_cables]);
            }
            last = *pose;
        };
        let carried = move_obstacle(
            &mut self.solvers,
            &mut self.pairs,
            &self.parties,
            &carrier,
            &mut on_carried,
        );
        for &cable in carried.rods.iter().filter(|&&r| r < n_cables) {
            efforts[cable].iterations += carried.iterations;
            efforts[cable].cpu_ms += carried.cpu_ms / carried.rods.len() as f64;
        }
        carried
    }

    /// Finds the equilibrium; the iterates are put by, if somebody listens. Meanwhile the listener hears now and then
    /// that the cables are `still` where they were: it may want to budget.
    fn solve_kept(
        &mut self,
        budget: &Budget,
        kept: &mut Option<Kept>,
        still: &[Solver],
        on_iterate: &mut Option<OnIterate>,
    ) -> CableReports {
        self.last.ask_all();
        let (Some(kept), Some(listener)) = (kept, on_iterate) else {
            return self.solve_once(budget, None);
        };
        let mut told = 0;
        let mut keep = |cable: usize, nodes: &[Vec3]| {
            kept.keep(cable, nodes);
            if kept.iterates.len().is_multiple_of(HEARTBEAT) {
                told += 1;
                listener(cable, &still[cable].state().positions);
            }
        };
        let found = self.solve_once(budget, Some(&mut keep));
        self.told += told;
        found
    }

    /// Hands out iterates that are kept.
    fn publish(&mut self, kept: Option<Kept>, on_iterate: &mut Option<OnIterate>) {
        let (Some(kept), Some(listener)) = (kept, on_iterate) else {
            return;
        };
        let mut stops = kept.stops.into_iter().peekable();
        for (k, (cable, nodes)) in kept.iterates.iter().enumerate() {
            while let Some(stop) = stops.next_if(|stop| stop.after == k) {
                self.part_stops.push(PartStop {
                    after: self.told,
                    ..stop
                });
            }
            self.told += 1;
            listener(*cable, nodes);
        }
        // Without cables there are no iterates.
        self.part_stops.extend(stops);
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

    /// Puts the obstacle of a part to `next`, and the handles that go along.
    fn put(&mut self, moving: &Moving, next: &Pose, target: &Pose, there: &[Pose]) {
        let mut obstacles: Vec<Obstacle> = self.obstacles.to_vec();
        for &k in &moving.body {
            let goal = *self.scene.parts[k].placement();
            obstacles[k] = obstacles[k].placed(&along(next, target, goal));
        }
        self.obstacles = Arc::new(obstacles);
        for number in 0..self.solvers.len() {
            let beside = self.is_beside(number, moving);
            let solver = &mut self.solvers[number];
            solver.take_moved(&self.obstacles, &moving.body);
            solver.set_fresh();
            if beside {
                solver.set_problem(solver.problem().clone());
            }
        }
        let short = next.compose(&target.inverse());
        for (&(c, h), pose) in moving.handles.iter().zip(there) {
            self.scene.cables[c].handles[h].pose = short.compose(pose);
        }
    }

    /// Whether a rod hangs on a body, or its box comes near that of one of its parts.
    fn is_beside(&self, number: usize, moving: &Moving) -> bool {
        let rod = &self.solvers[number];
        let around = Aabb::of_points(&rod.state().positions);
        let reach = BESIDE * rod.problem().largest_radius();
        let near = |&k: &usize| {
            let margin = self.scene.margin_of(&self.scene.parts[k]);
            let around = around.inflated(reach + margin);
            self.obstacles[k].aabb().intersects(&around)
        };
        moving.handles.iter().any(|&(c, _)| c == number) || moving.body.iter().any(near)
    }

    /// Writes down where a part and its handles have come to.
    fn arrive(&mut self, moving: &Moving, target: &Pose, there: &[Pose], by: Option<Obstruction>) {
        let now = self.obstacles[moving.part].pose();
        let left = Left::between(&now, target);
        if left.is_none() {
            for (&(c, h), pose) in moving.handles.iter().zip(there) {
                self.scene.cables[c].handles[h].pose = *pose;
            }
            return;
        }
        let (cable, against, fit) = match by {
            Some(Obstruction::Cable(k)) => (Some(self.scene.cables[k].name.clone()), None, None),
            Some(Obstruction::Part(k)) => {
                let way = target.position - now.position;
                let name = self.scene.parts[k].name.clone();
                (None, Some(name), self.fit_of(moving, k, &way))
            }
            None => (None, None, None),
        };
        self.held_parts.push(HeldPart {
            part: self.scene.parts[moving.part].name.clone(),
            cable,
            against,
            fit,
            short_by: left.way,
            short_by_angle: left.angle,
            target: *target,
        });
        let short = now.compose(&target.inverse());
        // Where it did not move at all, nothing has put them back yet.
        for (&(c, h), pose) in moving.handles.iter().zip(there) {
            self.scene.cables[c].handles[h].pose = short.compose(pose);
        }
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
    // The part that was sent, without rounding.
    if goal == *target {
        return *next;
    }
    next.compose(&target.inverse()).compose(&goal)
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
mod tests;
