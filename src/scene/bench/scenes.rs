//! The cables of the cases, where they start, and the ways of their handles.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::{Script, Targets};
use crate::geom::{Pose, Rotation, Vec3};
use crate::mesh::primitives;
use crate::rod::{Rod, RodState, Section, first_guess};
use crate::scene::{Command, Part, Scene, Simulation, demo};
use crate::solve::{CancelToken, Problem, Solver, Target, first_state};

/// Corners of a handle's way from where it starts, mm, and steps to each.
type Way = [(Vec3, usize)];

/// Over the thin sheet: lowered until the cable lies across its edge, then thrown about.
pub(super) const THROWN: [(Vec3, usize); 9] = [
    (Vec3::new(0.0, 0.0, -250.0), 2),
    (Vec3::new(-50.0, 140.0, -250.0), 1),
    (Vec3::new(-50.0, -140.0, -300.0), 2),
    (Vec3::new(0.0, 0.0, -250.0), 1),
    (Vec3::new(-120.0, 0.0, -320.0), 1),
    (Vec3::new(60.0, 100.0, -220.0), 2),
    (Vec3::new(60.0, -100.0, -320.0), 2),
    (Vec3::new(-100.0, 100.0, -200.0), 2),
    (Vec3::new(0.0, 0.0, 0.0), 3),
];
/// Through the hole, and sideways behind it.
pub(super) const THREADING: [(Vec3, usize); 2] = [
    (Vec3::new(240.0, 0.0, 0.0), 48),
    (Vec3::new(240.0, 100.0, 0.0), 20),
];
/// Lowered onto alternator and battery, sideways over them, and back.
pub(super) const IN_THE_BAY: [(Vec3, usize); 4] = [
    (Vec3::new(0.0, 0.0, -150.0), 30),
    (Vec3::new(-60.0, 0.0, -150.0), 12),
    (Vec3::new(40.0, 0.0, -150.0), 20),
    (Vec3::new(0.0, 0.0, 0.0), 30),
];

/// Up against the other cable, back and forth along it, and down again.
pub(super) const ACROSS: [(Vec3, usize); 5] = [
    (Vec3::new(0.0, 0.0, 450.0), 90),
    (Vec3::new(0.0, 80.0, 450.0), 16),
    (Vec3::new(0.0, -80.0, 450.0), 32),
    (Vec3::new(0.0, 0.0, 450.0), 16),
    (Vec3::new(0.0, 0.0, 0.0), 90),
];

/// Steps of a free drag.
const FREE_STEPS: usize = 20;
/// Direction of a free drag: out of the plane of the cable, and not towards taut. A unit vector.
const FREE_WAY: Vec3 = Vec3::new(-2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0);
/// Direction of the hose's drag: its legs apart, along them, and up. A unit vector.
const HOSE_WAY: Vec3 = Vec3::new(1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0);

/// Where the handles of a drag over an obstacle start. The way there is not measured. With the start handle at this
/// height the cable keeps lying on the demo's obstacle, neither too slack to stay on top nor lifted when pulled taut.
pub(super) const LEAD_IN: [Vec3; 2] = [Vec3::new(0.0, 0.0, 300.0), Vec3::new(800.0, -100.0, 400.0)];
/// Steps of the lead-in.
const LEAD_IN_STEPS: usize = 60;
/// The drag over an obstacle: corners of the end handle's way, and steps of about 5 mm to each. Lowered until the cable
/// drapes, sideways over the obstacle, pulled towards taut, and straight back.
const DRAG: [(Vec3, usize); 4] = [
    (Vec3::new(800.0, -100.0, 200.0), 40),
    (Vec3::new(800.0, 100.0, 200.0), 40),
    (Vec3::new(920.0, 100.0, 200.0), 24),
    (LEAD_IN[1], 60),
];

/// P1 from its first guess to rest.
pub(super) fn cold(n_edges: usize) -> (Solver, Vec<Targets>) {
    (p1(n_edges), vec![p1_ends().map(|pose| Some(pose.into()))])
}

/// P1, its end dragged.
pub(super) fn free(n_edges: usize, way: f64) -> (Solver, Vec<Targets>) {
    free_drag(p1(n_edges), &p1_ends(), &FREE_WAY, way)
}

/// P2, its end dragged.
pub(super) fn hose(n_edges: usize, way: f64) -> (Solver, Vec<Targets>) {
    free_drag(p2(n_edges), &p2_ends(), &HOSE_WAY, way)
}

/// The handles of P1: level, 800 mm apart.
fn p1_ends() -> [Pose; 2] {
    [0.0, 800.0].map(|x| Pose {
        position: Vec3::new(x, 0.0, 0.0),
        rotation: Rotation::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2),
    })
}

/// P1: a cable of 1 m that sags between its handles, as a first guess. The rod of `tests/fixtures/rods/P1.json`.
fn p1(n_edges: usize) -> Solver {
    let section = Section {
        bending: [1500.0; 2],
        torsion: 1100.0,
        axial: 1e6,
        shear: 1e6,
        mass_kg_m: 0.05,
    };
    let rod = Rod::uniform(1000.0, n_edges, section).expect("P1 is a rod");
    let gravity = Scene::default().gravity;
    let ends = p1_ends();
    let [start, end] = &ends;
    let nodes = first_guess(
        rod.rest_lengths(),
        Some(start),
        Some(end),
        &gravity,
        &|_| true,
    );
    let state = RodState::along(nodes, ends.map(|pose| Some(pose.rotation)));
    let problem = Problem {
        gravity,
        ..Problem::clamped(rod, 3.0)
    };
    Solver::new(problem, state)
}

/// The handles of P2: 200 mm apart, looking out and back.
fn p2_ends() -> [Pose; 2] {
    [(0.0, 0.0), (200.0, PI)].map(|(y, angle)| Pose {
        position: Vec3::new(0.0, y, 0.0),
        rotation: Rotation::from_axis_angle(&Vec3::z_axis(), angle)
            * Rotation::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2),
    })
}

/// P2: a hose of 600 mm in a U-bend, as a first guess. The rod of `tests/fixtures/rods/P2.json`.
fn p2(n_edges: usize) -> Solver {
    let section = Section {
        bending: [2e4; 2],
        torsion: 1.6e4,
        axial: 1e6,
        shear: 1e6,
        mass_kg_m: 0.15,
    };
    let rod = Rod::uniform(600.0, n_edges, section).expect("P2 is a rod");
    let problem = Problem {
        gravity: Scene::default().gravity,
        ..Problem::clamped(rod, 6.0)
    };
    let targets = p2_ends().map(|pose| Some(pose.into()));
    let state = first_state(&problem, &targets, &|_| true);
    Solver::new(problem, state)
}

/// P3: P1 without gravity, 900 mm between its handles, the end rolled step by step.
pub(super) fn rolled(n_edges: usize, degrees: f64) -> (Solver, Vec<Targets>) {
    let [start, mut end] = p1_ends();
    end.position.x = 900.0;
    let mut problem = p1(n_edges).problem().clone();
    problem.gravity = Vec3::zeros();
    let at = |k: usize| {
        let roll = (degrees * k as f64).to_radians();
        [Some(start.into()), Some(Target { pose: end, roll })]
    };
    let state = first_state(&problem, &at(0), &|_| true);
    let mut solver = Solver::new(problem, state);
    solver.step(&at(0), &CancelToken::default(), None);
    (solver, (1..=FREE_STEPS).map(at).collect())
}

/// A solver brought to rest, and `FREE_STEPS` steps of its end handle along a unit vector.
fn free_drag(
    mut solver: Solver,
    [start, end]: &[Pose; 2],
    along: &Vec3,
    way: f64,
) -> (Solver, Vec<Targets>) {
    let (start, end) = (*start, *end);
    let at = |k: usize| {
        let position = end.position + along * (way * k as f64);
        [start, Pose { position, ..end }].map(|pose| Some(pose.into()))
    };
    solver.step(&at(0), &CancelToken::default(), None);
    (solver, (1..=FREE_STEPS).map(at).collect())
}

/// A demo's cable with that many edges, led to where its drag starts; `None` when the scene cannot be simulated.
pub(super) fn drag_over(mut scene: Scene, n_edges: usize) -> Option<(Solver, Vec<Targets>)> {
    let cable = scene.cables.first_mut()?;
    cable.n_edges = n_edges;
    cable.shape = None;
    let ends = [cable.handles.first()?.pose, cable.handles.get(1)?.pose];
    let at = |positions: [Vec3; 2]| -> Targets {
        [0, 1].map(|end| {
            let pose = Pose {
                position: positions[end],
                ..ends[end]
            };
            Some(pose.into())
        })
    };
    let mut solver = Simulation::new(scene).ok()?.solvers().first()?.clone();
    let cancel = CancelToken::default();
    for k in 0..=LEAD_IN_STEPS {
        let t = k as f64 / LEAD_IN_STEPS as f64;
        let between = [0, 1].map(|end| ends[end].position.lerp(&LEAD_IN[end], t));
        solver.step(&at(between), &cancel, None);
    }
    let mut targets = Vec::new();
    let mut from = LEAD_IN[1];
    for (to, n) in DRAG {
        targets.extend((1..=n).map(|k| {
            let position = from.lerp(&to, k as f64 / n as f64);
            at([LEAD_IN[0], position])
        }));
        from = to;
    }
    Some((solver, targets))
}

/// Cylinder and box of the demos, one beside the other under the cable.
pub(super) fn both() -> Option<Scene> {
    let mut scene = demo::demo("cylinder")?;
    scene.parts.extend(demo::demo("box")?.parts);
    for (part, x) in scene.parts.iter_mut().zip([-110.0, 90.0]) {
        let position = Vec3::x() * x;
        let rotation = Rotation::identity();
        part.place(Pose { position, rotation }).ok()?;
    }
    Some(scene)
}

/// The lower cable of the demo, raised against the upper one and moved along it, and the upper one.
pub(super) fn crossing() -> Option<(Solver, Vec<Targets>, Vec<Solver>)> {
    let scene = demo::demo("crossing")?;
    let above = Simulation::new(scene.clone()).ok()?.solvers()[1..].to_vec();
    let (solver, targets) = end_drag(scene, &ACROSS)?;
    Some((solver, targets, above))
}

/// A cable wound in three loops that touch, and its end pulled along itself: they close, and slide over each other.
pub(super) fn closing_loops(n_edges: usize) -> (Solver, Vec<Targets>) {
    const LENGTH: f64 = 900.0;
    const LOOPS: f64 = 3.0;
    /// From one loop down to the next, mm: more than two radii.
    const PITCH: f64 = 10.0;
    const STEPS: usize = 50;
    const PULL: f64 = 3.0;
    let section = Section {
        bending: [1500.0; 2],
        torsion: 1100.0,
        axial: 1e4,
        shear: 1e4,
        mass_kg_m: 0.05,
    };
    let rod = Rod::uniform(LENGTH, n_edges, section).expect("the loops are a rod");
    let node = |i: usize| {
        let turns = LOOPS * i as f64 / n_edges as f64;
        let radius = LENGTH / (LOOPS * TAU);
        let (sin, cos) = (turns * TAU).sin_cos();
        Vec3::new(radius * sin, -radius * cos, -PITCH * turns)
    };
    let mut state = RodState::along((0..=n_edges).map(node).collect(), [None; 2]);
    state.clamps = [state.frames.first().copied(), state.frames.last().copied()];
    let ends = [0, 1].map(|end| state.clamp_pose(end).expect("it is held at both ends"));
    let problem = Problem {
        gravity: Scene::default().gravity,
        friction: 0.2,
        self_contact: true,
        ..Problem::clamped(rod, 4.0)
    };
    let mut solver = Solver::new(problem, state);
    let pulled = |step: usize| -> Targets {
        let along = ends[1].rotation * Vec3::z();
        let position = ends[1].position + along * (PULL * step as f64);
        let end = Pose {
            position,
            ..ends[1]
        };
        [ends[0], end].map(|pose| Some(pose.into()))
    };
    solver.step(&pulled(0), &CancelToken::default(), None);
    (solver, (1..=STEPS).map(pulled).collect())
}

/// A cable between level handles whose end is rolled turn by turn, until it has wound round itself.
pub(super) fn twisted(n_edges: usize) -> (Solver, Vec<Targets>) {
    const TURNS: f64 = 8.0;
    const DEGREES: f64 = 20.0;
    /// Of an edge, mm.
    const EDGE: f64 = 4.0;
    let section = Section {
        bending: [1500.0; 2],
        torsion: 1100.0,
        axial: 1e4,
        shear: 1e4,
        mass_kg_m: 0.05,
    };
    let length = EDGE * n_edges as f64;
    let rod = Rod::uniform(length, n_edges, section).expect("the twisted cable is a rod");
    let [start, mut end] = p1_ends();
    end.position.x = 0.7 * length;
    let problem = Problem {
        gravity: Scene::default().gravity,
        friction: 0.2,
        self_contact: true,
        ..Problem::clamped(rod, 4.0)
    };
    let at = |k: usize| {
        let roll = (DEGREES * k as f64).to_radians();
        [Some(start.into()), Some(Target { pose: end, roll })]
    };
    let state = first_state(&problem, &at(0), &|_| true);
    let mut solver = Solver::new(problem, state);
    solver.step(&at(0), &CancelToken::default(), None);
    let steps = (360.0 * TURNS / DEGREES) as usize;
    (solver, (1..=steps).map(at).collect())
}

/// The demo's box, sent up against the cable, 100 mm farther up with it, and turned about its own upright axis and
/// back.
pub(super) fn pushing() -> Option<Script> {
    const STEPS: u32 = 20;
    /// Where the box meets the cable.
    const TOUCHES: f64 = 27.0;
    /// The middle of the box.
    const MIDDLE: Vec3 = Vec3::new(400.0, 0.0, 0.0);
    let send = |height: f64, degrees: f64| {
        let rotation = Rotation::from_scaled_axis(Vec3::z() * degrees.to_radians());
        let q = rotation.quaternion();
        let position = MIDDLE - rotation * MIDDLE + Vec3::z() * height;
        Command::MovePart {
            part: "box".to_owned(),
            position: Some(position.into()),
            rotation: Some([q.w, q.i, q.j, q.k]),
        }
    };
    let mut simulation = Simulation::new(demo::demo("box")?).ok()?;
    simulation.solve_quietly(&CancelToken::default());
    simulation.apply(&send(TOUCHES, 0.0)).ok()?;
    simulation.solve_quietly(&CancelToken::default());
    let steps = || (1..=STEPS).map(f64::from);
    let lifts = steps().map(|k| send(TOUCHES + 5.0 * k, 0.0));
    let top = TOUCHES + 5.0 * f64::from(STEPS);
    let turns = steps().map(|k| send(top, k));
    let back = steps().map(|k| send(top, f64::from(STEPS) - k));
    let commands = lifts.chain(turns).chain(back);
    Some(Script {
        frames: commands.map(|command| vec![command]).collect(),
        simulation,
        cold: None,
    })
}

/// The engine bay with each side of its triangles in so many pieces.
pub(super) fn bay(pieces: usize) -> Option<Scene> {
    let mut scene = demo::demo("engine-bay")?;
    scene.parts.retain(|p| p.role.collides());
    if pieces > 1 {
        for part in &mut scene.parts {
            *part = Part::new(
                part.name.clone(),
                primitives::subdivided(part.mesh(), pieces),
            );
        }
    }
    Some(scene)
}

/// The first cable of a scene brought to rest, and the way of its end handle from there; `None` when the scene
/// cannot be simulated.
pub(super) fn end_drag(scene: Scene, way: &Way) -> Option<(Solver, Vec<Targets>)> {
    let handles = &scene.cables.first()?.handles;
    let (start, end) = (handles.first()?.pose, handles.get(1)?.pose);
    let at = |offset: Vec3| -> Targets {
        let position = end.position + offset;
        [start, Pose { position, ..end }].map(|pose| Some(pose.into()))
    };
    let mut solver = Simulation::new(scene).ok()?.solvers().first()?.clone();
    solver.step(&at(Vec3::zeros()), &CancelToken::default(), None);
    let mut targets = Vec::new();
    let mut from = Vec3::zeros();
    for &(to, n) in way {
        targets.extend((1..=n).map(|k| at(from.lerp(&to, k as f64 / n as f64))));
        from = to;
    }
    Some((solver, targets))
}
