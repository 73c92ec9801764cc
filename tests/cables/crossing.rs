//! Two cables in each other's way.

use loomwright::geom::{Pose, Vec3, rotation_along};
use loomwright::rod::{Rod, RodState, Section};
use loomwright::solve::{
    Blocker, CancelToken, Pairs, Problem, Reports, Solver, Status, Target, step_coupled,
};

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
        step_coupled(
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

/// Force of the others on a cable, and the smallest gap.
fn touched(reports: &Reports, rod: usize) -> (Vec3, f64) {
    let contacts = &reports[rod].rod_contacts;
    (
        contacts.iter().map(|c| c.force).sum(),
        contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min),
    )
}

#[test]
fn one_cable_pushes_another_aside_and_each_feels_the_other() {
    let x = Vec3::x() * 250.0;
    let (y, up) = (Vec3::y() * 200.0, Vec3::z() * 20.0);
    let below = cable(-x, x, 600.0, 60, 0.0);
    let above = cable(-y + up, y + up, 402.0, 50, 0.0);
    let mut two = Two::new([below, above]);
    two.step();
    let before = two.rods[0].state().clone();
    let mut pressed = 0;
    for _ in 0..40 {
        two.shift(1, Vec3::z() * -5.0);
        let reports = two.step();
        assert!(reports.iter().all(|r| r.status == Status::Converged));
        let ((force, gap), (back, _)) = (touched(&reports, 0), touched(&reports, 1));
        assert!(gap > 0.0);
        // Action and reaction, and the handles carry what gravity and the other cable put on a cable.
        assert!((force + back).norm() < 1e-9 * (1.0 + force.norm()));
        for (rod, other) in [(0, force), (1, back)] {
            let handles: Vec3 = reports[rod].handles.iter().map(|h| h.force).sum();
            let weight = Vec3::z() * (-9.81e-3 * 0.1 * [600.0, 402.0][rod]);
            let balance = handles + weight + other;
            assert!(balance.norm() < 1e-4 * (1.0 + force.norm()), "{balance}");
        }
        pressed += usize::from(force.norm() > 0.05);
    }
    assert!(pressed > 5, "they touch");
    let now = &two.rods[0].state().positions;
    let moved = now
        .iter()
        .zip(&before.positions)
        .map(|(a, b)| (a - b).norm());
    assert!(moved.fold(0.0, f64::max) > 5.0, "it was pushed aside");
}

#[test]
fn two_alike_that_are_pressed_together_share_the_way() {
    // The same straight cable twice, crossed, without gravity: what one does the other does.
    let straight = |along: Vec3, z: f64| {
        let at = Vec3::z() * z;
        let solver = cable(at - along * 200.0, at + along * 200.0, 400.0, 40, 0.0);
        let problem = Problem {
            gravity: Vec3::zeros(),
            ..solver.problem().clone()
        };
        Solver::new(problem, solver.state().clone())
    };
    let mut two = Two::new([straight(Vec3::x(), 4.5), straight(Vec3::y(), -4.5)]);
    two.step();
    let mut touching = 0;
    for _ in 0..10 {
        two.shift(0, Vec3::z() * -0.3);
        two.shift(1, Vec3::z() * 0.3);
        let reports = two.step();
        assert!(reports.iter().all(|r| r.status == Status::Converged));
        let [a, b] = [0, 1].map(|r: usize| two.rods[r].state().positions[20].z);
        if touched(&reports, 0).0.norm() > 1e-3 {
            touching += 1;
            assert!((a + b).abs() < 1e-6, "{a} and {b}");
            assert!(a > RADIUS && a < 1.1 * RADIUS);
        }
    }
    assert!(touching > 5);
}

#[test]
fn handles_stop_at_the_handles_of_another_cable() {
    let (x, y) = (Vec3::x() * 250.0, Vec3::y() * 30.0);
    let first = cable(-x, x, 540.0, 60, 0.0);
    let second = cable(-x + y, x + y, 540.0, 60, 0.0);
    let mut two = Two::new([first, second]);
    two.step();
    two.shift(0, Vec3::y() * 60.0);
    let reports = two.step();
    assert_eq!(reports[0].status, Status::Blocked);
    assert_eq!(reports[1].status, Status::Converged);
    let handle = &reports[0].handles[0];
    assert_eq!(handle.blocker, Some(Blocker::Rod(1)));
    // Short by what the other is in the way: 60 - (30 - 2 r) and a fraction of the barrier distance.
    assert!(
        (handle.short_by - 38.0).abs() < 0.2 * RADIUS,
        "{}",
        handle.short_by
    );
}

#[test]
fn a_cable_that_nothing_touches_sleeps() {
    let x = Vec3::x() * 250.0;
    let far = Vec3::z() * 500.0;
    let mut two = Two::new([
        cable(-x, x, 540.0, 60, 0.0),
        cable(-x + far, x + far, 540.0, 60, 0.0),
    ]);
    two.step();
    let resting = two.rods[1].state().clone();
    two.shift(0, Vec3::y() * 20.0);
    let reports = two.step();
    assert!(reports[0].iterations > 0);
    assert_eq!(reports[1].iterations, 0);
    assert_eq!(reports[1].status, Status::Converged);
    assert_eq!(two.rods[1].state(), &resting);
}
