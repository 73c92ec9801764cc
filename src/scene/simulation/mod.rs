//! A scene with its solvers: what the window's worker and the command line both drive.

mod asked;
mod bodies;
mod ghost;
pub(super) mod memory;
mod missing;
mod motion;
mod problem;
pub(super) mod push;
mod reports;
#[cfg(test)]
mod tests;
mod without_friction;

use std::sync::Arc;

use super::{Cable, Command, CommandError, HandlePlace, Part, Scene, Shape, SolverEffect};
use crate::contact::pair::Apart;
use crate::contact::{Ignored, Obstacle};
use crate::geom::{Pose, Vec3};
use crate::parallel;
use crate::rod::RodError;
use crate::solve::{
    Budget, GripGroup, OtherShapes, Pairs, ProblemError, Report, STEP_ITERATIONS, Solver,
    SomeReports, Status, Target, Targets, step_asked,
};
use problem::{
    adapt, apart_of, fit_grid, grip_group_of, overlaps, solver_of, stages_to, targets_of,
};
pub(super) use problem::{grip_of, problem_of};
pub use reports::{IslandReport, JunctionReport};

/// From so many triangles on, the collision structures of parts are made on several cores: some milliseconds of work.
const TRIANGLES_FOR_THREADS: usize = 20_000;
/// Rounds in which the cables of a junction are brought together.
const MOST_ROUNDS: usize = 4;
/// Ends of a junction nearer than this, mm, are together: rounding.
const TOGETHER: f64 = 1e-7;
/// A radian counts as so many mm.
const RADIAN: f64 = 10.0;

/// One end of a junction: where it has the junction.
#[derive(Clone, Copy)]
struct HeldEnd {
    cable: usize,
    handle: usize,
    pose: Pose,
    in_junction: Pose,
}

/// How far one pose is from another, mm and radians together.
fn short_of(pose: &Pose, target: &Pose) -> f64 {
    (pose.position - target.position).norm() + RADIAN * pose.rotation.angle_to(&target.rotation)
}

/// Gets (cable number, node positions) of every accepted iterate.
pub type OnIterate<'a> = &'a mut dyn FnMut(usize, &[Vec3]);

/// The same listener, for a while.
fn reborrow<'b>(listener: &'b mut Option<OnIterate<'_>>) -> Option<OnIterate<'b>> {
    match listener {
        Some(listener) => Some(&mut **listener),
        None => None,
    }
}

/// A scene whose cables are kept in equilibrium. A copy goes on independently, from the same state.
#[derive(Clone)]
pub struct Simulation {
    scene: Scene,
    /// One for each cable, in the scene's order, and then one for each strand.
    solvers: Vec<Solver>,
    /// What is between the cables.
    pairs: Pairs,
    /// Handles of each junction: they move as one.
    parties: Vec<GripGroup>,
    /// Numbers of the junctions that find their own place, in the order of the bodies in `pairs`.
    free: Vec<usize>,
    /// Strands around the parts that free junctions carry, in the order of their solvers, which come behind those of cables.
    strands: Vec<bodies::Strand>,
    /// One for each part, in the scene's order.
    obstacles: Arc<Vec<Obstacle>>,
    /// Whether the next solve is to be without friction.
    settles: bool,
    /// Parts that were sent somewhere since the last solve, and those that it could not take there.
    moving: Vec<push::Moving>,
    held_parts: Vec<push::HeldPart>,
    /// How parts went their way in the last solve, and how many iterates its listener has been given.
    part_stops: Vec<push::PartStop>,
    told: usize,
    /// Whether collisions are off.
    ghost: bool,
    /// Of cables that started without a shape: the other shapes that they could have, for the handles as they were.
    searched: Vec<Option<Searched>>,
    /// Whether lengths, friction or gravity may be others than the solvers have.
    edited: bool,
    /// Drag, and damping in place of the materials' own, while it moves over time.
    motion: Option<(f64, Option<f64>)>,
    /// What the last step left for cables that sleep.
    last: asked::LastStep,
}

/// What the search for a first shape found beside it.
#[derive(Clone)]
struct Searched {
    others: OtherShapes,
    targets: Vec<Option<Target>>,
}

/// Why a scene cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// A cable's data makes no rod.
    #[error("cable \"{cable}\" cannot be simulated: {reason}")]
    BadCable {
        /// The cable.
        cable: String,
        /// What is wrong with it.
        reason: RodError,
    },
    /// A cable's handles or loads are impossible.
    #[error("cable \"{cable}\"{} cannot be simulated: {reason}", named(.handles))]
    BadProblem {
        /// The cable.
        cable: String,
        /// Names of the handles that are to blame.
        handles: Vec<String>,
        /// What is wrong.
        reason: ProblemError,
    },
    /// A handle's pose is not finite.
    #[error(
        "handle \"{handle}\" of cable \"{cable}\" has a position or rotation that is not a number"
    )]
    BadPose {
        /// The cable.
        cable: String,
        /// The handle.
        handle: String,
    },
    /// A cable's stored shape has another number of nodes than the cable.
    #[error("cable \"{cable}\" has {n_edges} edges, but its stored shape has {n_points} points")]
    BadShape {
        /// The cable.
        cable: String,
        /// Edges of the cable.
        n_edges: usize,
        /// Points of the shape.
        n_points: usize,
    },
}

/// One report for each cable, in the scene's order. The list is shared, and so is each of them: in most steps most cables
/// sleep.
pub type CableReports = Arc<Vec<Arc<CableReport>>>;

/// The outcome of a solve for one cable.
#[derive(Clone, Debug)]
pub struct CableReport {
    /// Name of the cable.
    pub cable: String,
    /// What the solver says.
    pub report: Report,
    /// How far a node moved at most, mm, when the cable settled without friction.
    pub settled: Option<f64>,
    /// The other stable shapes that it could have, as far as a coarse search without friction found them; `None` where it
    /// went on from a stored shape, or once a handle has moved.
    pub other_shapes: Option<OtherShapes>,
}

impl Simulation {
    /// Builds the collision structures and the rods; cables without a shape get a first guess. Solves nothing.
    pub fn new(scene: Scene) -> Result<Self, SimulationError> {
        let obstacle = |p: &Part| Obstacle::new(p.base()).placed(p.placement());
        let triangles = scene.parts.iter().map(|p| p.mesh().triangles().len());
        let obstacles = if triangles.sum::<usize>() < TRIANGLES_FOR_THREADS {
            scene.parts.iter().map(obstacle).collect()
        } else {
            parallel::map(scene.parts.iter().collect(), obstacle)
        };
        Self::among(scene, Arc::new(obstacles))
    }

    /// Takes over a changed scene (an undo, a file with some of the same parts): as [`Simulation::new`], but the
    /// collision structures of parts whose mesh is still the same one in memory are kept. After an error all is as
    /// before.
    pub fn replace_scene(&mut self, scene: Scene) -> Result<(), SimulationError> {
        let obstacles = self.obstacles_of(&scene);
        let ghost = self.ghost;
        let mut next = Self::among(scene, obstacles)?;
        for (cable, searched) in next.scene.cables.iter().zip(&mut next.searched) {
            let known = self.scene.cables.iter().position(|c| c.name == cable.name);
            if let Some(k) = known.filter(|&k| self.scene.cables[k].shape == cable.shape) {
                *searched = searched.take().or_else(|| self.searched[k].clone());
            }
        }
        let before = std::mem::replace(self, next);
        if let Some((drag, material)) = before.motion {
            self.set_in_motion(drag, material);
            self.take_velocities(&before);
        }
        if ghost {
            self.set_ghost(true);
        }
        Ok(())
    }

    fn among(mut scene: Scene, obstacles: Arc<Vec<Obstacle>>) -> Result<Self, SimulationError> {
        for cable in &mut scene.cables {
            fit_grid(cable);
        }
        let mut solvers = Vec::with_capacity(scene.cables.len());
        let mut searched = Vec::with_capacity(scene.cables.len());
        let made = |cable: &Cable| {
            let problem = problem_of(&scene, cable, &obstacles)?;
            solver_of(&scene, cable, problem)
        };
        let cables = &scene.cables;
        // A search for the lowest shape is worth a thread.
        let made: Vec<_> = if cables.iter().filter(|c| c.shape.is_none()).count() > 1 {
            parallel::map(cables.iter().collect(), made)
        } else {
            cables.iter().map(made).collect()
        };
        for (cable, made) in cables.iter().zip(made) {
            let (solver, others) = made?;
            let targets = targets_of(cable, solver.problem());
            searched.push(others.map(|others| Searched { others, targets }));
            solvers.push(solver);
        }
        let parties: Vec<GripGroup> = (0..scene.junctions.len())
            .map(|j| grip_group_of(&scene, j))
            .collect();
        let mut pairs = Pairs::new(&apart_of(&scene, &parties));
        pairs.restore(memory::friction_between(&scene, &solvers), &solvers);
        let mut simulation = Self {
            pairs,
            parties,
            free: Vec::new(),
            strands: Vec::new(),
            scene,
            solvers,
            obstacles,
            settles: false,
            moving: Vec::new(),
            held_parts: Vec::new(),
            part_stops: Vec::new(),
            told: 0,
            ghost: false,
            searched,
            edited: true,
            motion: None,
            last: asked::LastStep::default(),
        };
        simulation.free_junctions();
        simulation.store_all_shapes();
        Ok(simulation)
    }

    /// The obstacles of another scene: all of ours if its parts are ours, else a copy of those we have.
    fn obstacles_of(&self, scene: &Scene) -> Arc<Vec<Obstacle>> {
        let ours = &self.scene.parts;
        let same = |(a, b): (&Part, &Part)| Arc::ptr_eq(a.base(), b.base());
        let there = |(o, part): (&Obstacle, &Part)| o.pose() == *part.placement();
        if ours.len() == scene.parts.len()
            && ours.iter().zip(&scene.parts).all(same)
            && self.obstacles.iter().zip(&scene.parts).all(there)
        {
            return Arc::clone(&self.obstacles);
        }
        let obstacles =
            scene
                .parts
                .iter()
                .map(|part| match ours.iter().position(|our| same((our, part))) {
                    Some(known) => self.obstacles[known].placed(part.placement()),
                    None => Obstacle::new(part.base()).placed(part.placement()),
                });
        Arc::new(obstacles.collect())
    }

    /// The document as it is now, with the last solved shapes.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Carries out an edit; `solve` then finds the new equilibrium.
    pub fn apply(&mut self, command: &Command) -> Result<(), CommandError> {
        self.settles |= *command == Command::Settle;
        if !matches!(command, Command::MoveHandle { .. }) {
            self.edited = true;
            self.last.ask_all();
        }
        if let Command::Ghost { on } = command {
            self.set_ghost(*on);
        }
        let effect = command.effect();
        let sent = effect.sends.and_then(|sent| sent.part(&self.scene));
        if let Some(part) = sent.map(str::to_owned) {
            // The document has it where it was sent; the next solve takes its obstacle there.
            command.apply(&mut self.scene)?;
            self.last.ask_all();
            self.free_junctions();
            self.send_part(&part);
            return Ok(());
        }
        if effect.solver == SolverEffect::Rebuild {
            let mut scene = self.scene.clone();
            command.apply(&mut scene)?;
            return self
                .replace_scene(scene)
                .map_err(|e| CommandError::Impossible(e.to_string()));
        }
        command.apply(&mut self.scene)?;
        if let Command::MoveHandle { cable, .. } = command {
            self.ask_for(cable);
        }
        self.free_junctions();
        Ok(())
    }

    /// One step: moves every handle towards its target and finds the equilibrium.
    ///
    /// `on_iterate` gets (cable number, node positions) of every accepted iterate, in order, of one continuous
    /// motion from the last state.
    pub fn solve(&mut self, budget: impl Into<Budget>, on_iterate: OnIterate) -> CableReports {
        self.solve_observed(&budget.into(), Some(on_iterate))
    }

    /// As [`Simulation::solve`], without anybody listening: nothing is recorded on the way.
    pub fn solve_quietly(&mut self, budget: impl Into<Budget>) -> CableReports {
        self.solve_observed(&budget.into(), None)
    }

    fn solve_observed(&mut self, budget: &Budget, on_iterate: Option<OnIterate>) -> CableReports {
        let mut on_iterate = on_iterate;
        // What pushes and what settles needs the equilibrium.
        let whole = budget.without_limit();
        let pushing = self.push(&whole, &mut on_iterate);
        let mut reports = if std::mem::take(&mut self.settles) {
            without_friction::solve_without_friction(self, &whole, on_iterate)
        } else {
            self.solve_once(budget, on_iterate)
        };
        if !pushing.is_empty() {
            let all = Arc::make_mut(&mut reports);
            for (effort, report) in pushing.iter().zip(all) {
                effort.add_to(Arc::make_mut(report));
            }
        }
        reports
    }

    fn solve_once(&mut self, budget: &Budget, mut on_iterate: Option<OnIterate>) -> CableReports {
        let mut moved = self.step(budget, reborrow(&mut on_iterate));
        let mut reports = Arc::clone(&self.last.reports);
        for j in 0..self.scene.junctions.len() {
            let looked_at = |&(cable, _): &(usize, usize)| moved.binary_search(&cable).is_ok();
            if self.free.contains(&j) || !self.parties[j].iter().any(looked_at) {
                continue;
            }
            let budget = budget.without_limit();
            self.keep_together(
                j,
                &mut reports,
                &budget,
                reborrow(&mut on_iterate),
                &mut moved,
            );
        }
        self.store_shapes(&moved);
        reports
    }

    /// Moves the handles of all cables towards their targets, after any change of length, friction or gravity. The reports are
    /// in `last`; it gives the numbers of the cables that were looked at, ascending: the others sleep as before.
    fn step(&mut self, budget: &Budget, mut on_iterate: Option<OnIterate>) -> Vec<usize> {
        let whole = budget.without_limit();
        if self.edited {
            self.adapt_shells();
            self.last.ask_all();
        }
        let asked = self.take_asked();
        let n_cables = self.scene.cables.len();
        let (scene, solvers) = (&self.scene, &mut self.solvers);
        // Iterations and time of all stages.
        let mut before: Vec<(usize, f64)> = Vec::new();
        let listens = on_iterate.is_some();
        let mut stages_left = 1;
        if self.edited {
            let stages = (scene.cables.iter().zip(&*solvers)).map(|(c, s)| stages_to(s, c));
            stages_left = stages.max().unwrap_or(1);
        }
        loop {
            // Stages that lead nowhere are not all gone through.
            let used = before.iter().map(|sum: &(usize, f64)| sum.0).max();
            if used > Some(STEP_ITERATIONS) {
                stages_left = 1;
            }
            let last_stage = stages_left <= 1;
            for &k in asked.iter().filter(|&&k| k < n_cables) {
                let (cable, solver) = (&scene.cables[k], &mut solvers[k]);
                if self.edited || cable.free_length.is_some() {
                    adapt(solver, scene.friction, &scene.gravity, cable, last_stage);
                }
            }
            let goals = if last_stage {
                Targets::Kept(&self.last.goals)
            } else {
                Targets::NONE
            };
            let mut of_cables = |r: usize, nodes: &[Vec3]| {
                if let Some(listener) = on_iterate.as_mut().filter(|_| r < n_cables) {
                    listener(r, nodes);
                }
            };
            let reports = step_asked(
                solvers,
                &mut self.pairs,
                &self.parties,
                &asked,
                goals,
                if last_stage { budget } else { &whole },
                listens.then_some(&mut of_cables),
            );
            if last_stage || budget.is_cancelled() {
                self.edited &= !last_stage;
                return self.note_reports(reports, &before);
            }
            // Before the last stage all are asked.
            before.resize(reports.len(), (0, 0.0));
            for (sum, (_, report)) in before.iter_mut().zip(&reports) {
                *sum = (sum.0 + report.iterations, sum.1 + report.cpu_ms);
            }
            stages_left -= 1;
        }
    }

    /// Keeps what is to be said of the cables that were looked at, the effort of stages before included; gives their numbers.
    fn note_reports(&mut self, reports: SomeReports, before: &[(usize, f64)]) -> Vec<usize> {
        let n_cables = self.scene.cables.len();
        // Whoever moved is looked at again: it sleeps then, or goes on. Where an edit came in stages, any may have moved.
        if before.is_empty() {
            let moved = reports.iter().filter(|(_, report)| report.island.is_some());
            self.last.ask_only(moved.map(|(k, _)| *k));
        } else {
            self.last.ask_all();
        }
        let mut looked_at = Vec::with_capacity(reports.len());
        for (at, (k, mut report)) in reports.into_iter().enumerate() {
            if k >= n_cables {
                break;
            }
            if let Some((iterations, cpu_ms)) = before.get(at) {
                report.iterations += iterations;
                report.cpu_ms += cpu_ms;
            }
            if !self.strands.is_empty() {
                self.name_shells(&mut report);
            }
            let cable = &self.scene.cables[k];
            for (handle, held) in cable.handles.iter().zip(&mut report.handles) {
                held.moment = cable.moment_at_seat(handle, &held.force, &held.moment);
            }
            let searched = self.searched[k].as_ref();
            let searched = searched.filter(|s| s.targets == self.last.targets[k]);
            let report = Arc::new(CableReport {
                cable: cable.name.clone(),
                report,
                settled: None,
                other_shapes: searched.map(|s| s.others),
            });
            // At first all are looked at, in their order.
            let all = Arc::make_mut(&mut self.last.reports);
            match all.get_mut(k) {
                Some(known) => *known = report,
                None => all.push(report),
            }
            looked_at.push(k);
        }
        self.store_lengths(&looked_at);
        looked_at
    }

    /// Takes the lengths to which material has run along cables into the scene.
    fn store_lengths(&mut self, cables: &[usize]) {
        for &k in cables {
            let (cable, solver) = (&mut self.scene.cables[k], &self.solvers[k]);
            if !solver.problem().flows.is_empty() {
                let lengths = solver.problem().rod.rest_lengths();
                if cable.pressure.is_some() {
                    let growth = cable.growth();
                    let free: Vec<f64> = lengths.iter().map(|l| l / growth).collect();
                    cable.run_material(&free);
                } else {
                    cable.run_material(lengths);
                }
            }
        }
    }

    /// Where one of the cables of a junction was held short of it, the others come back to it: what meets keeps meeting.
    fn keep_together(
        &mut self,
        j: usize,
        reports: &mut CableReports,
        budget: &Budget,
        mut on_iterate: Option<OnIterate>,
        moved: &mut Vec<usize>,
    ) {
        let target = self.scene.junctions[j].pose;
        for _ in 0..MOST_ROUNDS {
            let held = self.held_junctions(j);
            let short_by = |pose: &Pose| short_of(pose, &target);
            let worst = held
                .iter()
                .max_by(|a, b| short_by(&a.pose).total_cmp(&short_by(&b.pose)));
            let Some(worst) = worst.filter(|w| short_by(&w.pose) > TOGETHER) else {
                return;
            };
            let (pose, by) = (worst.pose, worst.cable);
            let blocker = reports[by].report.handles[worst.handle].blocker;
            let apart = held.iter().filter(|h| short_of(&h.pose, &pose) > TOGETHER);
            let apart: Vec<HeldEnd> = apart.copied().collect();
            if apart.is_empty() || budget.is_cancelled() {
                return;
            }
            for end in &apart {
                self.scene.cables[end.cable].handles[end.handle].pose =
                    pose.compose(&end.in_junction);
                self.last.ask(end.cable);
            }
            let stepped = self.step(budget, reborrow(&mut on_iterate));
            moved.extend(stepped);
            moved.sort_unstable();
            moved.dedup();
            for end in apart {
                self.scene.cables[end.cable].handles[end.handle].pose =
                    target.compose(&end.in_junction);
                self.last.ask(end.cable);
                let mut solved = Arc::clone(&self.last.reports[end.cable]);
                let report = &mut Arc::make_mut(&mut solved).report;
                if report.status == Status::Converged {
                    report.status = Status::Blocked;
                }
                let handle = &mut report.handles[end.handle];
                handle.short_by = (pose.position - target.position).norm();
                handle.short_by_angle = pose.rotation.angle_to(&target.rotation);
                handle.blocker = handle.blocker.or(blocker);
                Arc::make_mut(reports)[end.cable] = solved;
            }
        }
    }

    /// Where each end of a junction has it now.
    fn held_junctions(&self, j: usize) -> Vec<HeldEnd> {
        let ends = self.scene.junctions[j].ends.iter();
        let held = ends.filter_map(|end| {
            let cable = self.scene.cables.iter().position(|c| c.name == end.cable)?;
            let handles = &self.scene.cables[cable].handles;
            let handle = handles.iter().position(|h| h.name == end.handle)?;
            let state = self.solvers[cable].state();
            let clamp = match handles[handle].place {
                HandlePlace::Start => state.clamp_pose(0),
                HandlePlace::End => state.clamp_pose(1),
                HandlePlace::At(_) => None,
            };
            Some(HeldEnd {
                cable,
                handle,
                pose: (self.scene.cables[cable].seat_at(handles[handle].place, &clamp?))
                    .compose(&end.in_junction.inverse()),
                in_junction: end.in_junction,
            })
        });
        held.collect()
    }

    /// Pairs of (cable, part) that touch or penetrate now: a start that no barrier can hold.
    pub fn overlaps(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for (cable, solver) in self.scene.cables.iter().zip(&self.solvers) {
            let problem = solver.problem();
            let nodes = &solver.state().positions;
            let parts = self.scene.parts.iter().zip(problem.obstacles.iter());
            for (number, (part, obstacle)) in (0_u32..).zip(parts) {
                let rules = problem.ignored.iter().filter(|i| i.obstacle == number);
                let ignored: Vec<Ignored> = rules
                    .map(|i| Ignored::through(0, i.edges.clone()))
                    .collect();
                if overlaps(
                    nodes,
                    problem.rod.rest_lengths(),
                    &problem.thickness,
                    solver.contact_settings(),
                    std::slice::from_ref(obstacle),
                    &ignored,
                ) {
                    pairs.push((cable.name.clone(), part.name.clone()));
                }
            }
        }
        pairs
    }

    /// Stretches of cables that do not see each other; of two cables the one with the smaller number first.
    pub(super) fn apart(&self) -> Vec<Apart> {
        let mut apart = apart_of(&self.scene, &self.parties);
        for pair in &mut apart {
            if pair.rods[0] > pair.rods[1] {
                pair.rods.swap(0, 1);
                pair.edges.swap(0, 1);
            }
        }
        apart
    }

    /// The collision structure of each part, in the scene's order.
    pub(super) fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The solver of each cable, in the scene's order.
    pub fn solvers(&self) -> &[Solver] {
        &self.solvers[..self.scene.cables.len()]
    }

    fn store_all_shapes(&mut self) {
        let all: Vec<usize> = (0..self.scene.cables.len()).collect();
        self.store_shapes(&all);
    }

    /// Takes the shapes of these cables into the scene, where they may have changed.
    fn store_shapes(&mut self, cables: &[usize]) {
        self.store_junctions();
        for &k in cables {
            if !self.solvers[k].take_fresh() {
                continue;
            }
            let memory = memory::memory_of(self, k);
            let (cable, solver) = (&mut self.scene.cables[k], &self.solvers[k]);
            let rolls = cable.handles.iter().enumerate();
            cable.shape = Some(Shape {
                rolls: rolls
                    .map(|(k, handle)| (handle.name.clone(), solver.grip_roll(k)))
                    .filter(|(_, roll)| *roll != 0.0)
                    .collect(),
                memory: Some(Arc::new(memory)),
                ..Shape::of_rod(solver.state().clone())
            });
        }
    }
}

/// ", handles a and b", for an error.
fn named(handles: &[String]) -> String {
    if handles.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = handles.iter().map(|h| format!("\"{h}\"")).collect();
    format!(", handle {}", quoted.join(" and "))
}
