//! Two cables, one of which is dragged across the other.

use loomwright::geom::{Pose, Vec3, rotation_along};
use loomwright::rod::{Rod, RodState, Section};
use loomwright::solve::{CancelToken, Pairs, Problem, Reports, Solver, Target, step_together};

pub const RADIUS: f64 = 4.0;

pub fn section() -> Section {
    Section {
        bending: [2e4; 2],
        torsion: 1.6e4,
        axial: 1e6,
        shear: 1e6,
        mass_kg_m: 0.1,
    }
}

/// A clamped cable of `length` between two points on a line, sagging where it is longer than that.
pub fn cable(from: Vec3, to: Vec3, length: f64, n: usize, friction: f64) -> Solver {
    let rod = Rod::uniform(length, n, section()).unwrap();
    let along = (to - from).normalize();
    let rotation = rotation_along(&along).unwrap();
    let ends = [from, to].map(|position| Pose { position, rotation });
    let problem = Problem {
        friction,
        gravity: Vec3::new(0.0, 0.0, -9.81),
        self_contact: true,
        ..Problem::clamped(rod, RADIUS)
    };
    let nodes = loomwright::rod::first_guess(
        problem.rod.rest_lengths(),
        Some(&ends[0]),
        Some(&ends[1]),
        &Vec3::new(0.0, 0.0, -9.81),
        &|_| true,
    );
    let state = RodState::along(nodes, ends.map(|pose| Some(pose.rotation)));
    Solver::new(problem, state)
}

/// Nothing but the two cables.
pub struct Two {
    pub rods: Vec<Solver>,
    pub pairs: Pairs,
    pub targets: [[Option<Target>; 2]; 2],
}

impl Two {
    pub fn new(rods: [Solver; 2]) -> Self {
        let targets =
            [0, 1].map(|r: usize| [0, 1].map(|k| Some(Target::from(rods[r].grip_pose(k)))));
        Self {
            rods: rods.into(),
            pairs: Pairs::default(),
            targets,
        }
    }

    pub fn step(&mut self) -> Reports {
        let targets = [&self.targets[0][..], &self.targets[1][..]];
        step_together(
            &mut self.rods,
            &mut self.pairs,
            &[],
            &targets,
            &CancelToken::default(),
            None,
        )
    }

    pub fn shift(&mut self, rod: usize, by: Vec3) {
        for target in self.targets[rod].iter_mut().flatten() {
            target.pose.position += by;
        }
    }
}

pub fn line(name: &str, frame: usize, reports: &Reports) {
    let contacts = &reports[0].rod_contacts;
    let force: Vec3 = contacts.iter().map(|c| c.force).sum();
    println!(
        "{name} {frame} {:?} it {} contacts {} force {:.4} gap {:.4} res {:.1e}/{:.1e} {:.2} ms",
        reports.iter().map(|r| r.status).collect::<Vec<_>>(),
        reports.iter().map(|r| r.iterations).max().unwrap(),
        contacts.len(),
        force.norm(),
        contacts
            .iter()
            .map(|c| c.gap)
            .reduce(f64::min)
            .unwrap_or(f64::NAN),
        reports[0].residual,
        reports[0].tolerance,
        reports.iter().map(|r| r.cpu_ms).sum::<f64>(),
    );
}

#[test]
fn one_cable_pushes_another_aside_and_each_feels_the_other() {
    let below = cable(
        Vec3::new(-250.0, 0.0, 0.0),
        Vec3::new(250.0, 0.0, 0.0),
        560.0,
        60,
        0.0,
    );
    let above = cable(
        Vec3::new(0.0, -200.0, 120.0),
        Vec3::new(0.0, 200.0, 120.0),
        402.0,
        50,
        0.0,
    );
    let mut two = Two::new([below, above]);
    two.step();
    for frame in 0..60 {
        two.shift(1, Vec3::z() * -5.0);
        let reports = two.step();
        line("push", frame, &reports);
        let force: Vec3 = reports[0].rod_contacts.iter().map(|c| c.force).sum();
        let back: Vec3 = reports[1].rod_contacts.iter().map(|c| c.force).sum();
        assert!((force + back).norm() < 1e-9 * (1.0 + force.norm()));
    }
}

#[test]
fn a_cable_dragged_sideways_takes_its_neighbour_along() {
    let a = cable(
        Vec3::new(-250.0, 0.0, 0.0),
        Vec3::new(250.0, 0.0, 0.0),
        540.0,
        60,
        0.0,
    );
    let b = cable(
        Vec3::new(-250.0, 30.0, 0.0),
        Vec3::new(250.0, 30.0, 0.0),
        540.0,
        60,
        0.0,
    );
    let mut two = Two::new([a, b]);
    two.step();
    for frame in 0..25 {
        two.shift(0, Vec3::y() * 2.0);
        let reports = two.step();
        line("side", frame, &reports);
    }
}

#[test]
fn a_loop_is_pulled_closed() {
    // A cable of 600 mm whose ends pass each other: a loop.
    let n = 120;
    let rod = Rod::uniform(600.0, n, section()).unwrap();
    let nodes: Vec<Vec3> = (0..=n)
        .map(|i| {
            let s = i as f64 / n as f64;
            let angle = std::f64::consts::TAU * s;
            let r = 600.0 / std::f64::consts::TAU;
            Vec3::new(r * angle.sin(), r * (1.0 - angle.cos()), 30.0 * (s - 0.5))
        })
        .collect();
    let state = RodState::along(nodes, [None; 2]);
    let mut state = state;
    let first = state.frames[0];
    let last = *state.frames.last().unwrap();
    state.clamps = [Some(first), Some(last)];
    let problem = Problem {
        self_contact: true,
        friction: 0.0,
        gravity: Vec3::new(0.0, 0.0, -9.81),
        ..Problem::clamped(rod, RADIUS)
    };
    let mut solver = Solver::new(problem, state);
    let mut targets = [0, 1].map(|k| Some(Target::from(solver.grip_pose(k))));
    let report = solver.step(&targets, &CancelToken::default(), None);
    println!("{:?}", report.status);
    for frame in 0..50 {
        for (target, way) in targets.iter_mut().flatten().zip([-1.0, 1.0]) {
            target.pose.position += Vec3::x() * (4.0 * way);
        }
        let report = solver.step(&targets, &CancelToken::default(), None);
        line("loop", frame, &[report].into_iter().collect());
    }
}
