//! A scene with its solvers: what the window's worker and the command line both drive.

use std::f64::consts::TAU;
use std::sync::Arc;

use super::{
    Cable, Command, CommandError, Handle, HandleKind, HandlePlace, Part, RestShape, Scene, Shape,
};
use crate::contact::pair::{Apart, JUNCTION_WINDOW};
use crate::contact::{Candidates, ContactSettings, Ignored, Obstacle, Sticky, find_contacts};
use crate::geom::{Pose, Vec3};
use crate::rod::{Mark, Rod, RodError, RodState, grid};
use crate::solve::{
    CancelToken, Flow, Grip, Hold, Pairs, Party, Place, Problem, ProblemError, Report, Solver,
    Status, Target, first_state, step_together,
};

/// Change of length in one go, over the length: more is made in stages, each an equilibrium.
const LENGTH_STAGE: f64 = 0.02;

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
    /// One for each cable, in the scene's order.
    solvers: Vec<Solver>,
    /// What is between the cables.
    pairs: Pairs,
    /// Handles of each junction: they move as one.
    parties: Vec<Party>,
    /// One for each part, in the scene's order.
    obstacles: Arc<Vec<Obstacle>>,
    /// Whether the next solve is to be without friction.
    settles: bool,
    /// Parts that were sent somewhere since the last solve, and those that it could not take there.
    moving: Vec<push::Moving>,
    held_parts: Vec<push::HeldPart>,
    /// Whether collisions are off.
    ghost: bool,
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

/// The outcome of a solve for one cable.
#[derive(Clone, Debug)]
pub struct CableReport {
    /// Name of the cable.
    pub cable: String,
    /// What the solver says.
    pub report: Report,
    /// How far a node moved at most, mm, when the cable settled without friction.
    pub settled: Option<f64>,
}

impl Simulation {
    /// Builds the collision structures and the rods; cables without a shape get a first guess. Solves nothing.
    pub fn new(scene: Scene) -> Result<Self, SimulationError> {
        let obstacle = |p: &Part| Obstacle::new(p.base()).placed(p.placement());
        let obstacles = scene.parts.iter().map(obstacle);
        let obstacles = Arc::new(obstacles.collect());
        Self::among(scene, obstacles)
    }

    /// Takes over a changed scene (an undo, a file with some of the same parts): as [`Simulation::new`], but the
    /// collision structures of parts whose mesh is still the same one in memory are kept. After an error all is as
    /// before.
    pub fn replace_scene(&mut self, scene: Scene) -> Result<(), SimulationError> {
        let obstacles = self.obstacles_of(&scene);
        let ghost = self.ghost;
        *self = Self::among(scene, obstacles)?;
        if ghost {
            self.set_ghost(true);
        }
        Ok(())
    }

    fn among(mut scene: Scene, obstacles: Arc<Vec<Obstacle>>) -> Result<Self, SimulationError> {
        for cable in &mut scene.cables {
            fit_grid(cable);
        }
        let solvers = scene
            .cables
            .iter()
            .map(|cable| {
                let problem = problem_of(&scene, cable, &obstacles)?;
                solver_of(cable, problem)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let parties: Vec<Party> = (0..scene.junctions.len())
            .map(|j| party_of(&scene, j))
            .collect();
        let mut simulation = Self {
            pairs: Pairs::new(&apart_of(&scene, &parties)),
            parties,
            scene,
            solvers,
            obstacles,
            settles: false,
            moving: Vec::new(),
            held_parts: Vec::new(),
            ghost: false,
        };
        simulation.store_shapes();
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
        if let Command::Ghost { on } = command {
            self.set_ghost(*on);
        }
        if let Command::MovePart { part, .. } = command {
            // The document has it where it was sent; the next solve takes its obstacle there.
            command.apply(&mut self.scene)?;
            self.send_part(part);
            return Ok(());
        }
        if command.changes_solvers() {
            let mut scene = self.scene.clone();
            command.apply(&mut scene)?;
            return self
                .replace_scene(scene)
                .map_err(|e| CommandError::Impossible(e.to_string()));
        }
        command.apply(&mut self.scene)
    }

    /// One step: moves every handle towards its target and finds the equilibrium.
    ///
    /// `on_iterate` gets (cable number, node positions) of every accepted iterate, in order, of one continuous
    /// motion from the last state.
    pub fn solve(&mut self, cancel: &CancelToken, on_iterate: OnIterate) -> Vec<CableReport> {
        self.solve_observed(cancel, Some(on_iterate))
    }

    /// As [`Simulation::solve`], without anybody listening: nothing is recorded on the way.
    pub fn solve_quietly(&mut self, cancel: &CancelToken) -> Vec<CableReport> {
        self.solve_observed(cancel, None)
    }

    fn solve_observed(
        &mut self,
        cancel: &CancelToken,
        on_iterate: Option<OnIterate>,
    ) -> Vec<CableReport> {
        let mut on_iterate = on_iterate;
        let pushing = self.push(cancel, &mut on_iterate);
        let mut reports = if std::mem::take(&mut self.settles) {
            settle::settle(self, cancel, on_iterate)
        } else {
            self.solve_once(cancel, on_iterate)
        };
        for (effort, report) in pushing.iter().zip(&mut reports) {
            effort.add_to(report);
        }
        reports
    }

    fn solve_once(
        &mut self,
        cancel: &CancelToken,
        mut on_iterate: Option<OnIterate>,
    ) -> Vec<CableReport> {
        let mut reports = self.step(cancel, reborrow(&mut on_iterate));
        for j in 0..self.scene.junctions.len() {
            self.keep_together(j, &mut reports, cancel, reborrow(&mut on_iterate));
        }
        self.store_shapes();
        reports
    }

    /// Moves the handles of all cables towards their targets, after any change of length, friction or gravity.
    fn step(
        &mut self,
        cancel: &CancelToken,
        mut on_iterate: Option<OnIterate>,
    ) -> Vec<CableReport> {
        let (scene, solvers) = (&self.scene, &mut self.solvers);
        let targets: Vec<Vec<Option<Target>>> = (scene.cables.iter().zip(&*solvers))
            .map(|(cable, solver)| targets_of(cable, solver.problem()))
            .collect();
        let targets: Vec<&[Option<Target>]> = targets.iter().map(Vec::as_slice).collect();
        let mut before = vec![(0, 0.0); solvers.len()];
        loop {
            let mut last_stage = true;
            for (cable, solver) in scene.cables.iter().zip(&mut *solvers) {
                last_stage &= adapt(solver, scene.friction, &scene.gravity, cable);
            }
            let goals = if last_stage { &targets[..] } else { &[] };
            let listener = reborrow(&mut on_iterate);
            let reports = step_together(
                solvers,
                &mut self.pairs,
                &self.parties,
                goals,
                cancel,
                listener,
            );
            for (sum, report) in before.iter_mut().zip(&reports) {
                *sum = (sum.0 + report.iterations, sum.1 + report.cpu_ms);
            }
            if last_stage || cancel.is_cancelled() {
                let named = |((cable, mut report), sum): ((&Cable, Report), (usize, f64))| {
                    (report.iterations, report.cpu_ms) = sum;
                    CableReport {
                        cable: cable.name.clone(),
                        report,
                        settled: None,
                    }
                };
                let all = scene.cables.iter().zip(reports).zip(before);
                return all.map(named).collect();
            }
        }
    }

    /// Where one of the cables of a junction was held short of it, the others come back to it: what meets keeps meeting.
    fn keep_together(
        &mut self,
        j: usize,
        reports: &mut [CableReport],
        cancel: &CancelToken,
        mut on_iterate: Option<OnIterate>,
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
            if apart.is_empty() || cancel.is_cancelled() {
                return;
            }
            for end in &apart {
                self.scene.cables[end.cable].handles[end.handle].pose =
                    pose.compose(&end.in_junction);
            }
            let mut stepped = self.step(cancel, reborrow(&mut on_iterate));
            for end in apart {
                self.scene.cables[end.cable].handles[end.handle].pose =
                    target.compose(&end.in_junction);
                let report = &mut stepped[end.cable].report;
                if report.status == Status::Converged {
                    report.status = Status::Blocked;
                }
                let handle = &mut report.handles[end.handle];
                handle.short_by = (pose.position - target.position).norm();
                handle.short_by_angle = pose.rotation.angle_to(&target.rotation);
                handle.blocker = handle.blocker.or(blocker);
                reports[end.cable] = stepped[end.cable].clone();
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
                pose: clamp?.compose(&end.in_junction.inverse()),
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
                    .map(|i| Ignored {
                        obstacle: 0,
                        edges: i.edges.clone(),
                    })
                    .collect();
                if overlaps(
                    nodes,
                    problem.rod.rest_lengths(),
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
        &self.solvers
    }

    fn store_shapes(&mut self) {
        for (cable, solver) in self.scene.cables.iter_mut().zip(&self.solvers) {
            let state = solver.state();
            if !solver.problem().flows.is_empty() {
                // Material has run along the cable.
                cable.set_edge_lengths(solver.problem().rod.rest_lengths());
            }
            let rolls = cable.handles.iter().enumerate();
            cable.shape = Some(Shape {
                points: state.positions.clone(),
                frames: state.frames.clone(),
                turns: state.turns.clone(),
                clamps: [state.clamp_pose(0), state.clamp_pose(1)],
                rolls: rolls
                    .map(|(k, handle)| (handle.name.clone(), solver.grip_roll(k)))
                    .filter(|(_, roll)| *roll != 0.0)
                    .collect(),
            });
        }
    }
}

/// Brings the solver's problem towards the scene's numbers; `true` when it is there, `false` for another stage.
fn adapt(solver: &mut Solver, friction: f64, gravity: &Vec3, cable: &Cable) -> bool {
    let problem = solver.problem();
    let wanted = cable.edge_lengths();
    let now = problem.rod.rest_lengths();
    let far = |(now, wanted): (&f64, &f64)| (now - wanted).abs() > 1e-12 * wanted;
    let same_length = wanted.len() != now.len() || !now.iter().zip(&wanted).any(far);
    // The tension of a free length follows the distance of the handles.
    let flows = flows_of(cable, problem);
    let same_flows = flows.len() == problem.flows.len()
        && flows
            .iter()
            .zip(&problem.flows)
            .all(|(a, b)| a.pull == b.pull);
    if same_length && same_flows && problem.friction == friction && problem.gravity == *gravity {
        return true;
    }
    let mut arrived = true;
    let mut next = problem.clone();
    (next.friction, next.gravity) = (friction, *gravity);
    if !same_flows {
        next.flows = flows;
    }
    if !same_length {
        let stage = |(now, wanted): (&f64, &f64)| {
            let ratio = (wanted / now).clamp(1.0 - LENGTH_STAGE, 1.0 + LENGTH_STAGE);
            arrived &= (ratio - wanted / now).abs() <= 1e-12;
            now * ratio
        };
        let lengths = now.iter().zip(&wanted).map(stage).collect();
        if let Ok(rod) = problem.rod.with_lengths(lengths) {
            next.rod = rod;
        }
    }
    solver.set_problem(next);
    arrived
}

/// Whether any sample or edge of the polyline is within the radius of an obstacle.
fn overlaps(
    nodes: &[Vec3],
    lengths: &[f64],
    settings: &ContactSettings,
    obstacles: &[Obstacle],
    ignored: &[Ignored],
) -> bool {
    let mut candidates = Candidates::new(nodes.len() - 1);
    candidates.reset(ignored);
    find_contacts(
        obstacles,
        &mut candidates,
        nodes,
        lengths,
        settings,
        &Sticky::default(),
        &mut Vec::new(),
    ) > 0
}

fn problem_of(
    scene: &Scene,
    cable: &Cable,
    obstacles: &Arc<Vec<Obstacle>>,
) -> Result<Problem, SimulationError> {
    let bad = |reason| SimulationError::BadCable {
        cable: cable.name.clone(),
        reason,
    };
    let mut rod = Rod::new(cable.edge_lengths(), cable.section.of_rod()).map_err(bad)?;
    if let RestShape::Moulded { curvatures, share } = &cable.rest {
        let scaled = curvatures.iter().map(|c| Vec3::from(*c) * *share);
        rod = rod.moulded(scaled.collect()).map_err(bad)?;
    }
    let mut problem = Problem {
        grips: cable.handles.iter().map(|h| grip_of(h, &rod)).collect(),
        rod,
        radius: cable.radius,
        gravity: scene.gravity,
        loads: Vec::new(),
        flows: Vec::new(),
        friction: scene.friction,
        obstacles: Arc::clone(obstacles),
        margins: scene.margins(),
        ignored: ignored_of(scene, cable),
        self_contact: true,
    };
    problem.flows = flows_of(cable, &problem);
    match problem.check() {
        // A cable that nothing holds stays where it is: one is free to take its handles away and give it others.
        Ok(()) | Err(ProblemError::NotHeld) => {}
        Err(reason) => {
            let name = |k: &usize| cable.handles.get(*k).map(|h| h.name.clone());
            let handles = match &reason {
                ProblemError::BadGrip { grip, .. } => name(grip).into_iter().collect(),
                ProblemError::Contradiction { grips } => grips.iter().filter_map(name).collect(),
                _ => Vec::new(),
            };
            return Err(SimulationError::BadProblem {
                cable: cable.name.clone(),
                handles,
                reason,
            });
        }
    }
    for handle in &cable.handles {
        let Pose { position, rotation } = &handle.pose;
        if !position
            .iter()
            .chain(rotation.coords.iter())
            .all(|c| c.is_finite())
        {
            return Err(SimulationError::BadPose {
                cable: cable.name.clone(),
                handle: handle.name.clone(),
            });
        }
    }
    Ok(problem)
}

/// ", handles a and b", for an error.
fn named(handles: &[String]) -> String {
    if handles.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = handles.iter().map(|h| format!("\"{h}\"")).collect();
    format!(", handle {}", quoted.join(" and "))
}

/// Ways for material to run: through sliding handles, and in and out of every span where the length is free.
fn flows_of(cable: &Cable, problem: &Problem) -> Vec<Flow> {
    let n = problem.rod.n_edges();
    // Held stretches in order: first node, last node, handle.
    let mut held: Vec<(usize, usize, &Handle)> = cable
        .handles
        .iter()
        .zip(&problem.grips)
        .filter_map(|(handle, grip)| match (grip.hold, grip.place) {
            (Hold::Spring(_), _) | (_, Place::Within { .. }) => None,
            (_, Place::Node(i)) => Some((i, i, handle)),
            (_, Place::Edge(j)) => Some((j, j + 1, handle)),
        })
        .collect();
    held.sort_by_key(|h| h.0);
    if let Some(straightness) = cable.free_length {
        let span = |pair: &[(usize, usize, &Handle)]| {
            let [(_, start, a), (end, _, b)] = [pair[0], pair[1]];
            let distance = (b.pose.position - a.pose.position)
                .norm()
                .max(0.05 * cable.length);
            (start < end).then(|| Flow {
                gain: start..end,
                loss: 0..0,
                pull: straightness * least_tension(problem, distance),
                limits: [0.02 * cable.basis_length, 20.0 * cable.basis_length],
            })
        };
        return held.windows(2).filter_map(span).collect();
    }
    let mut flows = Vec::new();
    for (k, &(first, last, handle)) in held.iter().enumerate() {
        let HandleKind::Sliding { min, max } = handle.kind else {
            continue;
        };
        let gain = k.checked_sub(1).map_or(0, |before| held[before].1)..first;
        let loss = last..held.get(k + 1).map_or(n, |after| after.0);
        if gain.is_empty() || loss.is_empty() {
            continue;
        }
        // Limits are of the arc length in the middle of the handle, ours of the stretch in front of it.
        let in_front = problem.rod.arc_length(gain.start);
        let half = 0.5 * (problem.rod.arc_length(last) - problem.rod.arc_length(first));
        let room = problem.rod.arc_length(loss.end) - 2.0 * half - in_front;
        let limit = |s: f64| (s - in_front - half).clamp(0.02 * room, 0.98 * room);
        flows.push(Flow {
            gain,
            loss,
            pull: 0.0,
            limits: [limit(min), limit(max).max(limit(min))],
        });
    }
    flows
}

/// A tension at which a cable of free length has an equilibrium, over a distance in mm, N.
///
/// A chain has none below 0.7544 times the weight of a length equal to the span (the catenary of least end tension);
/// a stiff cable bends within about a third of the span at 10 EI over its square.
fn least_tension(problem: &Problem, distance: f64) -> f64 {
    let section = problem.rod.section();
    let weight = 1e-3 * section.mass_kg_m * problem.gravity.norm();
    let stiffest = section.bending[0].max(section.bending[1]);
    0.7544 * weight * distance + 10.0 * stiffest / (distance * distance)
}

/// What a handle of that kind holds of the rod.
fn hold_of(kind: HandleKind) -> Hold {
    match kind {
        HandleKind::Full | HandleKind::Sliding { .. } => Hold::Frame,
        HandleKind::Direction => Hold::Direction,
        HandleKind::Position => Hold::Position,
        HandleKind::Spring { stiffness } => Hold::Spring(stiffness),
    }
}

fn grip_of(handle: &Handle, rod: &Rod) -> Grip {
    let hold = hold_of(handle.kind);
    match handle.place {
        HandlePlace::Start => Grip::at_start(hold),
        HandlePlace::End => Grip::at_end(rod.n_edges(), hold),
        HandlePlace::At(arc_length) => Grip::nearest(rod, arc_length, hold),
    }
}

/// Where the solver's handles are to go: the grid of nodes and edges may put one beside its arc length, by half an edge
/// at most, and the way from the one to the other is along the cable.
fn targets_of(cable: &Cable, problem: &Problem) -> Vec<Option<Target>> {
    let lengths = cable.edge_lengths();
    let target = |(handle, grip): (&Handle, &Grip)| {
        let mut pose = handle.pose;
        if let HandlePlace::At(arc_length) = handle.place {
            let beside = grip.place.arc_length_of(&lengths) - arc_length;
            // Rounding of an arc length is no reason to move.
            if beside.abs() > 1e-9 * cable.length {
                pose.position += pose.rotation * Vec3::z() * beside;
            }
        }
        Some(Target {
            pose,
            roll: TAU * f64::from(handle.turns),
        })
    };
    cable
        .handles
        .iter()
        .zip(&problem.grips)
        .map(target)
        .collect()
}

/// Cuts a cable that has no shape yet into edges that suit its handles.
fn fit_grid(cable: &mut Cable) {
    let marks: Vec<Mark> = cable
        .handles
        .iter()
        .filter_map(|handle| match (handle.place, hold_of(handle.kind)) {
            (HandlePlace::At(arc_length), Hold::Frame | Hold::Direction) => {
                Some(Mark::Middle(arc_length))
            }
            (HandlePlace::At(arc_length), Hold::Position) => Some(Mark::Node(arc_length)),
            _ => None,
        })
        .collect();
    let fits =
        cable.shape.is_none() && cable.spacing.is_none() && cable.rest == RestShape::Straight;
    if fits && !marks.is_empty() {
        let lengths = grid(cable.length, cable.n_edges, &marks);
        cable.n_edges = lengths.len();
        cable.spacing = Some(lengths);
    }
}

/// The handles that a junction holds: (cable, handle) of each.
fn party_of(scene: &Scene, j: usize) -> Party {
    let ends = scene.junctions[j].ends.iter();
    ends.filter_map(|end| {
        let cable = scene.cables.iter().position(|c| c.name == end.cable)?;
        let handles = &scene.cables[cable].handles;
        Some((cable, handles.iter().position(|h| h.name == end.handle)?))
    })
    .collect()
}

/// Stretches of branches next to a junction, which do not see each other: they overlap there.
fn apart_of(scene: &Scene, parties: &[Party]) -> Vec<Apart> {
    // The edges of a cable within an arc length of one of its handles.
    let stretch = |(cable, handle): (usize, usize), window: f64| {
        let cable = &scene.cables[cable];
        let at = match cable.handles[handle].place {
            HandlePlace::Start => 0.0,
            HandlePlace::End => cable.length,
            HandlePlace::At(s) => s,
        };
        let mut s = 0.0;
        let (mut first, mut last) = (u32::MAX, 0);
        for (i, length) in (0_u32..).zip(cable.edge_lengths()) {
            if s < at + window && s + length > at - window {
                (first, last) = (first.min(i), i + 1);
            }
            s += length;
        }
        first.min(last)..last
    };
    let mut apart = Vec::new();
    for party in parties {
        for (k, &a) in party.iter().enumerate() {
            for &b in &party[k + 1..] {
                let radii = scene.cables[a.0].radius + scene.cables[b.0].radius;
                let window = JUNCTION_WINDOW * radii;
                apart.push(Apart {
                    rods: [a.0 as u32, b.0 as u32],
                    edges: [stretch(a, window), stretch(b, window)],
                });
            }
        }
    }
    apart
}

/// Parts that a cable does not see: background and harnesses, and those that it may overlap here and there.
fn ignored_of(scene: &Scene, cable: &Cable) -> Vec<Ignored> {
    let mut ignored = Vec::new();
    let all = 0..cable.n_edges as u32;
    let lengths = cable.edge_lengths();
    for (obstacle, part) in (0_u32..).zip(&scene.parts) {
        if !part.role.collides() {
            let edges = all.clone();
            ignored.push(Ignored { obstacle, edges });
            continue;
        }
        let own = |e: &&super::Exclusion| e.cable == cable.name && e.part == part.name;
        for exclusion in scene.exclusions.iter().filter(own) {
            // Every edge that the stretch reaches.
            let mut s = 0.0;
            let reached = (0_u32..).zip(&lengths).filter_map(|(i, length)| {
                let start = s;
                s += length;
                (start < exclusion.to && start + length > exclusion.from).then_some(i)
            });
            let reached: Vec<u32> = reached.collect();
            if let (Some(&first), Some(&last)) = (reached.first(), reached.last()) {
                let edges = first..last + 1;
                ignored.push(Ignored { obstacle, edges });
            }
        }
    }
    ignored
}

/// A solver that goes on from the stored shape, or starts from a first guess that keeps clear of the parts where it
/// can.
fn solver_of(cable: &Cable, problem: Problem) -> Result<Solver, SimulationError> {
    let Some(shape) = &cable.shape else {
        let state = guess_of(cable, &problem);
        return Ok(Solver::new(problem, state));
    };
    let n = cable.n_edges;
    if shape.points.len() != n + 1 || shape.frames.len() != n || shape.turns.len() != n + 1 {
        return Err(SimulationError::BadShape {
            cable: cable.name.clone(),
            n_edges: n,
            n_points: shape.points.len(),
        });
    }
    let state = RodState {
        positions: shape.points.clone(),
        frames: shape.frames.clone(),
        // The clamps sit where the shape was left.
        clamps: shape.clamps.map(|clamp| clamp.map(|pose| pose.rotation)),
        turns: shape.turns.clone(),
    };
    let mut solver = Solver::resume(problem, state);
    for (k, handle) in cable.handles.iter().enumerate() {
        if let Some(&roll) = shape.rolls.get(&handle.name) {
            solver.set_grip_roll(k, roll);
        }
        if let HandleKind::Spring { .. } = handle.kind {
            solver.set_grip_anchor(k, handle.pose.position);
        }
    }
    Ok(solver)
}

fn guess_of(cable: &Cable, problem: &Problem) -> RodState {
    let load = problem.rod.force_scale(&problem.gravity) / problem.rod.length();
    let settings = ContactSettings::new(problem.radius, load, problem.friction);
    let clear = |nodes: &[Vec3]| {
        !overlaps(
            nodes,
            &vec![problem.rod.length() / (nodes.len() - 1) as f64; nodes.len() - 1],
            &settings,
            &problem.obstacles,
            &problem.ignored,
        )
    };
    first_state(problem, &targets_of(cable, problem), &clear)
}

#[path = "ghost.rs"]
mod ghost;
#[path = "push.rs"]
pub(super) mod push;
#[path = "settle.rs"]
mod settle;

#[cfg(test)]
#[path = "simulation_tests.rs"]
mod tests;
