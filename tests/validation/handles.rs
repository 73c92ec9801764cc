//! Handles anywhere along the cable.

use std::f64::consts::PI;

use loomwright::geom::{Pose, Rotation, Vec3};
use loomwright::rod::{Rod, RodState};
use loomwright::solve::{CancelToken, Grip, Hold, Place, Problem, Solver, Status, Target};

use super::common::{
    EI, GJ, GRAVITY, L, along_x, assert_agrees, distance, heavy, sagging, section, step, straight,
};

/// A handle that is added to a cable at rest holds what is there: nothing moves and it exerts no force.
#[test]
fn an_added_handle_moves_nothing() {
    let rod = Rod::uniform(L, 100, heavy()).unwrap();
    for (hold, arc) in [
        (Hold::Frame, 333.0),
        (Hold::Direction, 500.0),
        (Hold::Position, 707.0),
        (Hold::Spring(2.0), 123.4),
    ] {
        let mut solver = sagging(rod.clone(), 800.0);
        let before = solver.state().clone();
        let mut problem = solver.problem().clone();
        problem.grips.push(Grip::nearest(&rod, arc, hold));
        problem.check().unwrap();
        solver.set_problem(problem);
        let report = solver.step(&[], &CancelToken::default(), None);
        assert_eq!(report.status, Status::Converged);
        assert!(
            distance(&before.positions, &solver.state().positions) < 1e-9,
            "{hold:?}"
        );
        // Within what the residual leaves: 1e-6 of the forces at work, times an arm.
        let handle = report.handles[2];
        assert!(handle.force.norm() < 2e-6, "{hold:?}: {}", handle.force);
        assert!(handle.moment.norm() < 1e-3, "{hold:?}: {}", handle.moment);
    }
}

/// All handles together carry the weight, whatever they hold, and their moments balance.
#[test]
fn forces_and_moments_of_many_handles_balance() {
    let n = 100;
    let rod = Rod::uniform(L, n, heavy()).unwrap();
    let mut solver = sagging(rod.clone(), 700.0);
    let mut problem = solver.problem().clone();
    for (hold, arc) in [
        (Hold::Frame, 205.0),
        (Hold::Position, 340.0),
        (Hold::Direction, 600.0),
        (Hold::Spring(0.05), 777.0),
    ] {
        problem.grips.push(Grip::nearest(&rod, arc, hold));
    }
    problem.check().unwrap();
    solver.set_problem(problem.clone());
    let mut targets: Vec<Option<Target>> =
        (0..6).map(|k| Some(solver.grip_pose(k).into())).collect();
    for (k, way) in [
        (2, Vec3::new(0.0, 20.0, -10.0)),
        (4, Vec3::new(10.0, -40.0, 0.0)),
        (5, Vec3::new(0.0, 80.0, 0.0)),
    ] {
        let target = targets[k].as_mut().unwrap();
        target.pose.position += way;
        target.pose.rotation *= Rotation::from_scaled_axis(Vec3::new(0.3, 0.2, 0.5));
    }
    let report = solver.step(&targets, &CancelToken::default(), None);
    assert_eq!(report.status, Status::Converged, "{report:?}");
    for (k, target) in targets.iter().enumerate() {
        let (now, target) = (solver.grip_pose(k), target.unwrap().pose);
        assert!((now.position - target.position).norm() < 1e-9);
        if k == 2 {
            assert!(now.rotation.angle_to(&target.rotation) < 1e-9);
        }
        if k == 4 {
            // A direction is held by two nodes; the frame follows as far as shear lets it.
            let (d3, wanted) = (now.rotation * Vec3::z(), target.rotation * Vec3::z());
            assert!((d3 - wanted).norm() < 1e-9);
        }
    }
    let state = solver.state();
    let mut force = Vec3::zeros();
    let mut moment = Vec3::zeros();
    for (grip, handle) in problem.grips.iter().zip(&report.handles) {
        force += handle.force;
        moment += handle.moment + grip.place.point(state).cross(&handle.force);
    }
    for (i, x) in state.positions.iter().enumerate() {
        let weight = rod.node_weight(i, &GRAVITY);
        force += weight;
        moment += x.cross(&weight);
    }
    assert!(force.norm() < 1e-5, "{force}");
    assert!(moment.norm() < 1e-2, "{moment}");
}

/// A cable gripped in the middle is two cables: each half is what it is on its own, at second order.
#[test]
fn a_frame_in_the_middle_is_second_order() {
    // An odd number of edges, so that the middle of the cable is the middle of an edge.
    let solve = |n: usize| {
        let rod = Rod::uniform(L, n, heavy()).unwrap();
        let mut solver = sagging(rod, 800.0);
        let mut problem = solver.problem().clone();
        problem.grips.push(Grip {
            place: Place::Edge(n / 2),
            hold: Hold::Frame,
        });
        solver.set_problem(problem);
        let turned = Pose {
            position: Vec3::new(400.0, 50.0, -120.0),
            rotation: along_x(0.0).rotation * Rotation::from_scaled_axis(Vec3::new(0.8, 0.0, 0.4)),
        };
        let report = step(&mut solver, &[along_x(0.0), along_x(800.0), turned]);
        assert_eq!(report.status, Status::Converged);
        (solver.state().positions.clone(), report.handles[2])
    };
    let (fine, reference) = solve(2025);
    let mut errors = Vec::new();
    for n in [75, 225, 675] {
        let (nodes, handle) = solve(n);
        let ratio = 2025 / n;
        let error = nodes
            .iter()
            .enumerate()
            .map(|(i, p)| (p - fine[i * ratio]).norm())
            .fold(0.0, f64::max);
        let force = (handle.force - reference.force).norm() / reference.force.norm();
        let moment = (handle.moment - reference.moment).norm() / reference.moment.norm();
        println!(
            "frame in the middle, {n} edges: {error:.4} mm, force {force:.1e}, moment {moment:.1e}"
        );
        errors.push(error);
        if n == 75 {
            assert!(error < 1e-3 * L && force < 0.01 && moment < 0.01);
        }
    }
    // 9 for order 2; the reference itself is off by an eighth of the last error.
    assert!(errors[0] / errors[1] > 8.0, "{errors:?}");
}

/// A cable that two handles hold close together.
#[test]
fn two_handles_close_together() {
    let rod = Rod::uniform(L, 100, heavy()).unwrap();
    let mut solver = sagging(rod, 800.0);
    let mut problem = solver.problem().clone();
    for j in [40, 42] {
        problem.grips.push(Grip {
            place: Place::Edge(j),
            hold: Hold::Frame,
        });
    }
    problem.check().unwrap();
    solver.set_problem(problem.clone());
    let mut poses: Vec<Pose> = (0..4).map(|k| solver.grip_pose(k)).collect();
    for k in 0..40 {
        for pose in &mut poses[2..] {
            pose.position += Vec3::new(1.0, 2.0, 3.0);
        }
        poses[3].rotation *= Rotation::from_scaled_axis(Vec3::new(0.0, 0.005, 0.02));
        let report = step(&mut solver, &poses);
        assert_eq!(report.status, Status::Converged, "{k}");
    }
    problem.grips[3].place = Place::Edge(41);
    assert!(problem.check().is_err(), "the same piece");
}

/// V6, and turning a handle through 20 turns and back: torque GJ Phi / L at every step.
#[test]
fn v6_twenty_turns_and_back() {
    let n = 100;
    let rod = Rod::uniform(L, n, section()).unwrap();
    let lengths = rod.rest_lengths().to_vec();
    let state = RodState::along(straight(&lengths), [Some(along_x(0.0).rotation); 2]);
    let mut solver = Solver::new(Problem::clamped(rod, 3.0), state);
    // Pulled so that it stays straight: more than M^2 / (4 EI).
    let most = GJ * 40.0 * PI / L;
    let tension = 1.5 * most * most / (4.0 * EI);
    let end = along_x(L * (1.0 + tension / 1e6));
    let report = step(&mut solver, &[along_x(0.0), end]);
    assert_eq!(report.status, Status::Converged);
    assert!((report.handles[1].force.x / tension - 1.0).abs() < 1e-6);
    let mut check = |roll: f64| {
        let target = Target { pose: end, roll };
        let report = solver.step(&[None, Some(target)], &CancelToken::default(), None);
        assert_eq!(report.status, Status::Converged, "{roll}");
        let torque = report.handles[1].moment.x;
        let expected = GJ * roll / L;
        assert!(
            (torque - expected).abs() <= 0.005 * expected.abs() + 1e-6,
            "{roll}: {torque} {expected}"
        );
        // Uniform along the cable.
        for moment in solver.profile().moments {
            assert!((moment.z - expected).abs() <= 0.005 * expected.abs() + 1e-6);
        }
        assert_agrees(&solver);
        torque
    };
    let steps = [0.3, PI / 2.0, 1.0, PI / 2.0];
    let mut roll = 0.0;
    for k in 0.. {
        if roll >= 40.0 * PI {
            break;
        }
        roll = (roll + steps[k % 4]).min(40.0 * PI);
        check(roll);
    }
    while roll > 0.0 {
        roll = (roll - PI / 2.0).max(0.0);
        check(roll);
    }
    assert!(check(0.0).abs() < 1e-6);
    // Typed at once: two turns are not none.
    assert!((check(4.0 * PI) - GJ * 4.0 * PI / L).abs() < 1e-3);
    assert!((solver.grip_roll(1) - 4.0 * PI).abs() < 1e-12);
}

/// Held by positions only, the cable is free to turn: no moment anywhere at the handles.
#[test]
fn pinned_ends_carry_no_moment() {
    let n = 60;
    let rod = Rod::uniform(L, n, heavy()).unwrap();
    let mut solver = sagging(rod, 800.0);
    let mut problem = solver.problem().clone();
    problem.grips = vec![
        Grip::at_start(Hold::Position),
        Grip::at_end(n, Hold::Position),
    ];
    solver.set_problem(problem);
    let report = step(&mut solver, &[along_x(0.0), along_x(800.0)]);
    assert_eq!(report.status, Status::Converged);
    assert!(report.handles.iter().all(|h| h.moment == Vec3::zeros()));
    // Half of the weight each, by symmetry.
    let weight = 1e-3 * 0.05 * 9.81 * L;
    for handle in &report.handles {
        assert!((handle.force.z - 0.5 * weight).abs() < 1e-5 * weight);
    }
    let ends = solver.profile().moments;
    assert!(ends[0].norm() == 0.0 && ends[1].norm() < 0.1 * ends[n / 2].norm());
}

/// A spring gives way by force over stiffness.
#[test]
fn a_spring_gives_way() {
    let n = 50;
    let rod = Rod::uniform(L, n, section()).unwrap();
    let lengths = rod.rest_lengths().to_vec();
    let stiffness = 1e-4;
    let problem = Problem {
        grips: vec![
            Grip::at_start(Hold::Frame),
            Grip::at_end(n, Hold::Spring(stiffness)),
        ],
        ..Problem::free(rod, 3.0)
    };
    let state = RodState::along(straight(&lengths), [Some(along_x(0.0).rotation), None]);
    let mut solver = Solver::new(problem, state);
    let anchor = Vec3::new(L, 0.0, 10.0);
    let target = Pose {
        position: anchor,
        ..along_x(0.0)
    };
    let report = step(&mut solver, &[along_x(0.0), target]);
    assert_eq!(report.status, Status::Converged);
    let tip = solver.state().positions[n];
    let force = report.handles[1].force;
    assert!((force - (anchor - tip) * stiffness).norm() < 1e-12);
    // A cantilever of stiffness 3 EI / L^3 in series.
    let cantilever = 3.0 * EI / (L * L * L);
    let expected = 10.0 * stiffness / (stiffness + cantilever);
    assert!(
        (tip.z / expected - 1.0).abs() < 2e-3,
        "{} {expected}",
        tip.z
    );
}
