//! How steps end: cancelled, taut, and to which tolerance.

use super::{Budget, CancelToken, Grip, Hold, Problem, Solver, Status, Target, first_state};
use crate::geom::{Pose, Rotation, Vec3};
use crate::rod::{Rod, Section};

pub(super) const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

pub(super) fn section() -> Section {
    Section {
        bending: [1e4; 2],
        torsion: 8e3,
        axial: 1e5,
        shear: 4e4,
        mass_kg_m: 0.1,
    }
}

fn along_x(x: f64) -> Target {
    let pose = Pose {
        position: Vec3::new(x, 0.0, 0.0),
        rotation: Rotation::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2),
    };
    pose.into()
}

/// A cable of 1 m between two clamps, not solved yet.
fn sagging() -> (Solver, [Option<Target>; 2]) {
    let rod = Rod::new(vec![25.0; 40], section()).unwrap();
    let problem = Problem {
        gravity: GRAVITY,
        ..Problem::clamped(rod, 4.0)
    };
    let targets = [along_x(0.0), along_x(800.0)].map(Some);
    let state = first_state(&problem, &targets, &|_| true);
    (Solver::new(problem, state), targets)
}

#[test]
fn a_cancelled_step_keeps_the_last_equilibrium() {
    let (mut solver, targets) = sagging();
    let report = solver.step(&targets, &CancelToken::default(), None);
    assert_eq!(report.status, Status::Converged);
    let before = solver.state().clone();
    let mut straight = solver.clone();
    let away = [targets[0], Some(along_x(880.0))];
    // Asked once before the step, then in each iteration: in the midst of the first way to rest.
    let report = solver.step(&away, Budget::cancelled_after(3), None);
    assert_eq!(report.status, Status::Cancelled);
    assert_eq!(solver.state().positions, before.positions);
    assert_eq!(solver.state().frames, before.frames);
    // It goes on from there as if nothing had been.
    let ways = [&mut solver, &mut straight].map(|solver| {
        let report = solver.step(&away, &CancelToken::default(), None);
        assert_eq!(report.status, Status::Converged);
        solver.state().positions.clone()
    });
    assert_eq!(ways[0], ways[1]);
}

#[test]
fn a_cancelled_cold_start_keeps_its_iterate() {
    let (mut solver, targets) = sagging();
    let before = solver.state().positions.clone();
    let report = solver.step(&targets, Budget::cancelled_after(3), None);
    assert_eq!(report.status, Status::Cancelled);
    assert_ne!(solver.state().positions, before);
    let report = solver.step(&targets, &CancelToken::default(), None);
    assert_eq!(report.status, Status::Converged);
}

#[test]
fn what_is_waited_for_ends_after_a_while_and_not_before() {
    let cancel = CancelToken::default();
    let budget = Budget::from(&cancel);
    assert!(!budget.is_over(10_000));
    cancel.wait_for();
    assert!(!budget.is_over(199) && budget.is_over(200));
    assert!(!budget.is_cancelled());
    cancel.cancel();
    assert!(budget.is_over(0));
}

/// 4 m of silicone hose, 20 by 14 mm, 1 MPa: its own weight stretches it by percents.
#[test]
fn a_soft_hose_is_not_taut_while_its_ends_come_together() {
    let area = std::f64::consts::PI / 4.0 * (20.0_f64.powi(2) - 14.0_f64.powi(2));
    let inertia = std::f64::consts::PI / 64.0 * (20.0_f64.powi(4) - 14.0_f64.powi(4));
    let hose = Section {
        bending: [inertia; 2],
        torsion: inertia / 1.5,
        axial: area,
        shear: area / 3.0,
        mass_kg_m: 1.2e-3 * area,
    };
    let n = 60;
    let rod = Rod::new(vec![4000.0 / n as f64; n], hose).unwrap();
    let problem = Problem {
        gravity: GRAVITY,
        grips: vec![
            Grip::at_start(Hold::Position),
            Grip::at_end(n, Hold::Position),
        ],
        ..Problem::free(rod, 10.0)
    };
    let at = |x: f64, z: f64| {
        let pose = Pose {
            position: Vec3::new(x, 0.0, z),
            rotation: Rotation::identity(),
        };
        Some(Target::from(pose))
    };
    let targets = [at(0.0, 0.0), at(3000.0, 0.0)];
    let state = first_state(&problem, &targets, &|_| true);
    let mut solver = Solver::new(problem, state);
    let cancel = CancelToken::default();
    let report = solver.step(&targets, &cancel, None);
    assert_eq!(report.status, Status::Converged);
    let strain = report.largest_strain;
    assert!(strain > 0.02, "{strain}");
    // From 3 m beside the other end to 2 m under it, on which then hangs most of the hose.
    for k in 1..=10 {
        let t = f64::from(k) / 10.0;
        let targets = [targets[0], at(3000.0 * (1.0 - t), -2000.0 * t)];
        let report = solver.step(&targets, &cancel, None);
        assert_eq!(report.status, Status::Converged, "{k}: {report:?}");
    }
    assert!(solver.strain() > strain + 0.005, "{}", solver.strain());
}

#[test]
fn a_flat_cable_is_solved_to_its_softer_direction() {
    let tolerance = |bending: [f64; 2]| {
        let section = Section {
            bending,
            mass_kg_m: 0.0,
            ..section()
        };
        let rod = Rod::new(vec![25.0; 40], section).unwrap();
        let problem = Problem::clamped(rod, 4.0);
        let targets = [along_x(0.0), along_x(990.0)].map(Some);
        let state = first_state(&problem, &targets, &|_| true);
        let mut solver = Solver::new(problem, state);
        solver
            .step(&targets, &CancelToken::default(), None)
            .tolerance
    };
    let (round, flat) = (tolerance([1e2; 2]), tolerance([1e4, 1e2]));
    assert!(flat < 3.0 * round, "{flat:e} for {round:e}");
}
