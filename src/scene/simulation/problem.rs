//! From a scene to what the solver is asked: rods, handles, ways for material, what does not see each other.

use std::f64::consts::TAU;
use std::sync::Arc;

use super::SimulationError;
use super::memory::resumed;
use crate::contact::pair::{Apart, JUNCTION_WINDOW};
use crate::contact::{
    Candidates, ContactSettings, Ignored, Obstacle, RigidEnd, Sticky, find_contacts,
};
use crate::geom::{Pose, Vec3};
use crate::rod::{Mark, Rod, grid};
use crate::scene::{Cable, Exclusion, Handle, HandleKind, HandlePlace, RestShape, Scene, Shape};
use crate::solve::{
    Body, BodyEnd, Flow, Grip, GripGroup, Hold, OtherShapes, Place, Problem, ProblemError, Solver,
    Start, Target, lowest_start,
};

/// Change of length in one go, over the length: more is made in stages, each an equilibrium.
const LENGTH_STAGE: f64 = 0.02;
/// Stages of a change of length, at most: what is left then is made at once. A length may grow or shrink by a factor of
/// 2,700 before.
pub(super) const MOST_STAGES: usize = 400;

/// Strain of an edge of a stored shape from which its cable has been made longer or shorter since.
const OTHER_LENGTH: f64 = 0.1;

/// Begins with the lengths that a stored shape has, where its cable has others by now: from there it goes in stages.
pub(super) fn begin_as_long_as(problem: &mut Problem, shape: &Shape) {
    let edges = shape.points.windows(2).map(|p| (p[1] - p[0]).norm());
    let edges: Vec<f64> = edges.collect();
    let rest = problem.rod.rest_lengths();
    let other = |(edge, rest): (&f64, &f64)| (edge / rest - 1.0).abs() > OTHER_LENGTH;
    if edges.iter().zip(rest).any(other)
        && let Ok(rod) = problem.rod.with_lengths(edges)
    {
        problem.rod = rod;
    }
}

/// Stages in which the solver's rod comes to the lengths of the cable.
pub(super) fn stages_to(solver: &Solver, cable: &Cable) -> usize {
    let now = solver.problem().rod.rest_lengths();
    let ratios = now.iter().zip(cable.rod_lengths()).map(|(a, b)| b / a);
    // The slower way is down.
    let stages = |ratio: f64| ratio.ln().abs() / -(1.0 - LENGTH_STAGE).ln();
    let most = ratios.map(stages).fold(1.0, f64::max);
    (most.ceil() as usize).min(MOST_STAGES)
}

/// Brings the solver's problem to the scene's numbers, or one stage towards them. No material runs before the last stage:
/// it would run back what the stage has given.
pub(super) fn adapt(
    solver: &mut Solver,
    friction: f64,
    gravity: &Vec3,
    cable: &Cable,
    last_stage: bool,
) {
    let problem = solver.problem();
    let wanted = cable.rod_lengths();
    let now = problem.rod.rest_lengths();
    let far = |(now, wanted): (&f64, &f64)| (now - wanted).abs() > 1e-12 * wanted;
    let same_length = wanted.len() != now.len() || !now.iter().zip(&wanted).any(far);
    // The tension of a free length follows the distance of the handles.
    let flows = if last_stage {
        flows_of(cable, problem)
    } else {
        Vec::new()
    };
    let same_flows = flows.len() == problem.flows.len()
        && flows
            .iter()
            .zip(&problem.flows)
            .all(|(a, b)| a.pull == b.pull);
    if same_length && same_flows && problem.friction == friction && problem.gravity == *gravity {
        return;
    }
    let mut next = problem.clone();
    (next.friction, next.gravity) = (friction, *gravity);
    if !same_flows {
        next.flows = flows;
    }
    if !same_length {
        let stage = |(now, wanted): (&f64, &f64)| {
            let ratio = (wanted / now).clamp(1.0 - LENGTH_STAGE, 1.0 + LENGTH_STAGE);
            if last_stage { *wanted } else { now * ratio }
        };
        let lengths = now.iter().zip(&wanted).map(stage).collect();
        if let Ok(rod) = problem.rod.with_lengths(lengths) {
            next.rod = rod;
        }
    }
    solver.set_problem(next);
}

/// Whether any sample or edge of the polyline is within the radius of an obstacle; `thickness` is what its edges have more.
pub(super) fn overlaps(
    nodes: &[Vec3],
    lengths: &[f64],
    thickness: &[f64],
    settings: &ContactSettings,
    obstacles: &[Obstacle],
    ignored: &[Ignored],
) -> bool {
    let mut candidates = Candidates::new(nodes.len() - 1);
    candidates.set_thickness(thickness);
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

/// What the solver is asked of a cable.
pub(in crate::scene) fn problem_of(
    scene: &Scene,
    cable: &Cable,
    obstacles: &Arc<Vec<Obstacle>>,
) -> Result<Problem, SimulationError> {
    let bad = |reason| SimulationError::BadCable {
        cable: cable.name.clone(),
        reason,
    };
    let mut section = cable.section.of_rod();
    section.mass_kg_m += scene.fluid_mass_kg_m(cable);
    let rod = Rod::new(cable.rod_lengths(), section).map_err(bad)?;
    let sections = cable.edge_sections().into_iter().map(|own| {
        let mut section = own.of_rod();
        section.mass_kg_m += scene.fluid_mass_kg_m(cable);
        section
    });
    let mut rod = rod.with_sections(sections.collect()).map_err(bad)?;
    if let RestShape::Moulded {
        curvatures, share, ..
    } = &cable.rest
    {
        let scaled = curvatures.iter().map(|c| Vec3::from(*c) * *share);
        rod = rod.moulded(scaled.collect()).map_err(bad)?;
    }
    let mut problem = Problem {
        grips: (cable.handles.iter())
            .map(|h| grip_of(cable, h, &rod))
            .collect(),
        rod,
        radius: cable.thinnest(),
        thickness: thickness_of(cable),
        gravity: scene.gravity,
        loads: Vec::new(),
        flows: Vec::new(),
        friction: scene.friction,
        obstacles: Arc::clone(obstacles),
        margins: scene.margins(),
        ignored: ignored_of(scene, cable),
        self_contact: true,
        fittings: [0, 1].map(|end| rigid_end(scene, cable, end)),
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

/// How much thicker each edge is than the cable is where it is thinnest, mm; none of one radius.
fn thickness_of(cable: &Cable) -> Vec<f64> {
    if cable.stretches.is_empty() {
        return Vec::new();
    }
    let thinnest = cable.thinnest();
    let radii = cable.edge_radii().into_iter();
    radii.map(|radius| radius - thinnest).collect()
}

/// The fitting at the start (0) or at the end (1). The part that its handle is attached to does not stop it.
fn rigid_end(scene: &Scene, cable: &Cable, end: usize) -> RigidEnd {
    let place = [HandlePlace::Start, HandlePlace::End][end];
    let on = cable
        .handle_at(place)
        .and_then(|h| h.attached_to.as_deref());
    RigidEnd {
        length: cable.fittings[end].length,
        radius: cable.fitting_radius(end),
        on: on.and_then(|name| scene.parts.iter().position(|p| p.name == name)),
    }
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
            let distance = (cable.clamp_of(b).position - cable.clamp_of(a).position)
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
        let growth = cable.growth();
        let limit = |s: f64| (growth * s - in_front - half).clamp(0.02 * room, 0.98 * room);
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

/// What a handle holds of a rod, and where.
pub(in crate::scene) fn grip_of(cable: &Cable, handle: &Handle, rod: &Rod) -> Grip {
    let hold = hold_of(handle.kind);
    match handle.place {
        HandlePlace::Start => Grip::at_start(hold),
        HandlePlace::End => Grip::at_end(rod.n_edges(), hold),
        HandlePlace::At(arc_length) => Grip::nearest(rod, cable.growth() * arc_length, hold),
    }
}

/// Where the solver's handles are to go: behind the fitting at an end. The grid of nodes and edges may put one beside its
/// arc length, by half an edge at most, and the way from the one to the other is along the cable.
pub(super) fn targets_of(cable: &Cable, problem: &Problem) -> Vec<Option<Target>> {
    let target = |(handle, grip): (&Handle, &Grip)| {
        let mut pose = cable.clamp_of(handle);
        if let HandlePlace::At(arc_length) = handle.place {
            let beside = grip.place.arc_length_of(&cable.edge_lengths()) - arc_length;
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
pub(super) fn fit_grid(cable: &mut Cable) {
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
        .chain((cable.stretches.iter()).flat_map(|s| [Mark::Node(s.from), Mark::Node(s.to)]))
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
pub(super) fn grip_group_of(scene: &Scene, j: usize) -> GripGroup {
    let ends = scene.junctions[j].ends.iter();
    ends.filter_map(|end| {
        let cable = scene.cables.iter().position(|c| c.name == end.cable)?;
        let handles = &scene.cables[cable].handles;
        Some((cable, handles.iter().position(|h| h.name == end.handle)?))
    })
    .collect()
}

/// A junction that finds its own place, with the ends that go along.
pub(super) fn body_of(scene: &Scene, j: usize) -> Body {
    let junction = &scene.junctions[j];
    let ends = junction.ends.iter().filter_map(|end| {
        let cable = scene.cables.iter().position(|c| c.name == end.cable)?;
        let handles = &scene.cables[cable].handles;
        let grip = handles.iter().position(|h| h.name == end.handle)?;
        Some(BodyEnd {
            rod: cable,
            grip,
            in_body: (scene.cables[cable]).clamp_at(handles[grip].place, &end.in_junction),
        })
    });
    Body {
        pose: junction.pose,
        mass_kg: junction.mass_kg,
        center: scene.center_of(junction),
        ends: ends.collect(),
        most_turn: f64::INFINITY,
    }
}

/// Stretches of branches next to a junction, which do not see each other: they overlap there.
pub(super) fn apart_of(scene: &Scene, parties: &[GripGroup]) -> Vec<Apart> {
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
                let [thick_a, thick_b] = [a, b].map(|(cable, handle)| {
                    let cable = &scene.cables[cable];
                    cable.radius_at(cable.arc_length(&cable.handles[handle]))
                });
                let radii = thick_a + thick_b;
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
pub(super) fn ignored_of(scene: &Scene, cable: &Cable) -> Vec<Ignored> {
    let mut ignored = Vec::new();
    let all = 0..cable.n_edges as u32;
    let lengths = cable.edge_lengths();
    for (obstacle, part) in (0_u32..).zip(&scene.parts) {
        // Of what goes with a free junction the shell is seen.
        if !part.role.collides() || scene.is_carried_freely(&part.name) {
            ignored.push(Ignored::through(obstacle, all.clone()));
            continue;
        }
        let own = |e: &&Exclusion| e.cable == cable.name && e.part == part.name;
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
                ignored.push(Ignored {
                    obstacle,
                    edges: first..last + 1,
                    depth: exclusion.depth.unwrap_or(f64::INFINITY),
                });
            }
        }
    }
    ignored
}

/// A solver that goes on from the stored shape, or starts from the lowest shape that a search finds and that keeps clear
/// of the parts where it can, with what else the search found.
pub(super) fn solver_of(
    scene: &Scene,
    cable: &Cable,
    problem: Problem,
) -> Result<(Solver, Option<OtherShapes>), SimulationError> {
    let Some(shape) = &cable.shape else {
        let start = start_of(cable, &problem);
        return Ok((Solver::new(problem, start.state), Some(start.others)));
    };
    let n = cable.n_edges;
    if shape.points.len() != n + 1 || shape.frames.len() != n || shape.turns.len() != n + 1 {
        return Err(SimulationError::BadShape {
            cable: cable.name.clone(),
            n_edges: n,
            n_points: shape.points.len(),
        });
    }
    let (mut solver, same_problem) = if let Some(memory) = &shape.memory {
        resumed(scene, cable, problem, shape, memory)
    } else {
        let mut problem = problem;
        begin_as_long_as(&mut problem, shape);
        (Solver::resume(problem, shape.rod_state()), false)
    };
    if same_problem {
        return Ok((solver, None));
    }
    for (k, handle) in cable.handles.iter().enumerate() {
        if let Some(&roll) = shape.rolls.get(&handle.name) {
            solver.set_grip_roll(k, roll);
        }
        if let HandleKind::Spring { .. } = handle.kind {
            solver.set_grip_anchor(k, cable.clamp_of(handle).position);
        }
    }
    Ok((solver, None))
}

fn start_of(cable: &Cable, problem: &Problem) -> Start {
    let load = problem.rod.force_scale(&problem.gravity) / problem.rod.length();
    // The search takes chains of other edges than the rod's: as thick as the thickest all along.
    let settings = ContactSettings::new(problem.largest_radius(), load, problem.friction);
    let clear = |nodes: &[Vec3]| {
        !overlaps(
            nodes,
            &vec![problem.rod.length() / (nodes.len() - 1) as f64; nodes.len() - 1],
            &[],
            &settings,
            &problem.obstacles,
            &problem.ignored,
        )
    };
    lowest_start(problem, &targets_of(cable, problem), &clear)
}
