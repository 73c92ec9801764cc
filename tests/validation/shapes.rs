//! V2, V3, V5, V11, V12, V14 and V15: circles, buckling, chains, moulded and flat cables, other grids, other units.

use std::f64::consts::{PI, TAU};

use loomwright::geom::{Pose, Vec3};
use loomwright::rod::{Rod, RodState, Section, resample};
use loomwright::solve::{CancelToken, Grip, Hold, Load, Place, Problem, Solver, Status};

use super::common::{
    EI, GRAVITY, L, along_x, assert_agrees, assert_agrees_within, distance, heavy, sagging,
    section, step, straight,
};

fn cantilever(rod: Rod, load: Load) -> Solver {
    let state = RodState::along(
        straight(rod.rest_lengths()),
        [Some(along_x(0.0).rotation), None],
    );
    let problem = Problem {
        grips: vec![Grip::at_start(Hold::Frame)],
        loads: vec![load],
        ..Problem::free(rod, 3.0)
    };
    Solver::new(problem, state)
}

fn at_tip(n: usize, force: Vec3, moment: Vec3) -> Load {
    Load {
        place: Place::Node(n),
        force,
        moment,
    }
}

/// V2: an end moment of 2 pi EI / L closes a circle.
#[test]
fn v2_end_moment_closes_a_circle() {
    let mut errors = Vec::new();
    for n in [50, 100, 200] {
        let rod = Rod::uniform(L, n, section()).unwrap();
        let mut solver = cantilever(rod, at_tip(n, Vec3::zeros(), Vec3::zeros()));
        for k in 1..=12 {
            let moment = -Vec3::y() * (TAU * EI / L * f64::from(k) / 12.0);
            let mut problem = solver.problem().clone();
            problem.loads = vec![at_tip(n, Vec3::zeros(), moment)];
            solver.set_problem(problem);
            let report = step(&mut solver, &[along_x(0.0)]);
            assert_eq!(report.status, Status::Converged, "{n} {k}");
            assert!((report.handles[0].moment + moment).norm() < 1e-4 * moment.norm());
        }
        // The moment is no gradient of an energy: both stop a little beside the equilibrium.
        assert_agrees_within(&solver, 1e-4);
        let error = solver.state().positions[n].norm() / L;
        println!("V2 {n} edges: {error:.2e} of L");
        // A joint answers with M = EI/h beta (1 + beta^2/3 + ...), so that the circle stays open by a third of the
        // square of the angle of a joint: 0.53 % of L at 50 edges, order 2.
        assert!(error < 5.5e-3 * (50.0 / n as f64).powi(2));
        errors.push(error);
    }
    assert!((errors[0] / errors[1]).log2() > 1.9 && (errors[1] / errors[2]).log2() > 1.9);
}

/// V3: a clamped rod buckles at 4 pi^2 EI / L^2.
#[test]
fn v3_buckling_load() {
    let n = 100;
    let axial = 1e4;
    let critical = 4.0 * PI * PI * EI / (L * L);
    let sideways = |share: f64| {
        let rod = Rod::uniform(L, n, Section { axial, ..section() }).unwrap();
        let state = RodState::along(
            straight(rod.rest_lengths()),
            [Some(along_x(0.0).rotation); 2],
        );
        let mut solver = Solver::new(Problem::clamped(rod, 3.0), state);
        let end = along_x(L * (1.0 - share * critical / axial));
        let report = step(&mut solver, &[along_x(0.0), end]);
        assert_eq!(report.status, Status::Converged);
        assert!(report.stable);
        assert_agrees(&solver);
        let nodes = solver.state().positions.iter();
        nodes.map(|p| p.y.hypot(p.z)).fold(0.0, f64::max)
    };
    assert!(sideways(0.98) < 1e-9 * L);
    let buckled = sideways(1.02);
    println!("V3: {buckled:.3} mm sideways at 102 %");
    assert!(buckled > 1e-4 * L, "{buckled}");
}

/// V5: without stiffness, a chain: the catenary of 1000 mm over 800 mm sags by 265.4375 mm.
#[test]
fn v5_catenary() {
    let n = 200;
    let limp = Section {
        bending: [0.01; 2],
        torsion: 0.01,
        ..heavy()
    };
    let rod = Rod::uniform(L, n, limp).unwrap();
    let mut solver = sagging(rod, 800.0);
    let mut problem = solver.problem().clone();
    problem.grips = vec![
        Grip::at_start(Hold::Position),
        Grip::at_end(n, Hold::Position),
    ];
    solver.set_problem(problem);
    let report = step(&mut solver, &[along_x(0.0), along_x(800.0)]);
    assert_eq!(report.status, Status::Converged);
    assert_agrees(&solver);
    let sag = -solver.state().positions[n / 2].z;
    println!("V5: sag {sag:.4} mm");
    assert!((sag - 265.4375).abs() < 1e-4 * L, "{sag}");
}

/// V11: a rod moulded to a shape keeps it without load, free, clamped, and held in between.
#[test]
fn v11_moulded_shapes_stay() {
    // A coil that is neither planar nor evenly bent.
    let points: Vec<Vec3> = (0..=2000)
        .map(|i| {
            let a = 3.0 * f64::from(i) / 2000.0;
            Vec3::new(
                120.0 * a.sin() * (1.0 + 0.2 * a),
                120.0 * (1.0 - a.cos()),
                15.0 * a * a,
            )
        })
        .collect();
    for relative in [
        vec![1.0; 80],
        (0..80).map(|i| 1.0 + 0.02 * f64::from(i)).collect(),
    ] {
        let nodes = resample(&points, &relative).unwrap();
        let lengths: Vec<f64> = nodes.windows(2).map(|p| (p[1] - p[0]).norm()).collect();
        let state = RodState::along(nodes.clone(), [None, None]);
        let rod = Rod::new(lengths, section()).unwrap();
        let curvatures = state.curvatures(&rod);
        let rod = rod.moulded(curvatures).unwrap();
        for grips in [
            vec![Grip::at_start(Hold::Frame)],
            Grip::both_ends(80),
            vec![
                Grip::nearest(&rod, 100.0, Hold::Position),
                Grip::nearest(&rod, 200.0, Hold::Frame),
                Grip::at_end(80, Hold::Direction),
            ],
        ] {
            let problem = Problem {
                grips,
                ..Problem::free(rod.clone(), 3.0)
            };
            let mut solver = Solver::new(problem, state.clone());
            let report = solver.step(&[], &CancelToken::default(), None);
            assert_eq!(report.status, Status::Converged);
            assert!(distance(&nodes, &solver.state().positions) < 1e-6);
            for handle in &report.handles {
                assert!(handle.force.norm() < 1e-6 && handle.moment.norm() < 1e-4);
            }
            assert_agrees(&solver);
            assert!(report.energies.bend < 1e-9 && report.energies.twist < 1e-9);
        }
    }
}

/// A moulded bend opens like any other rod: pulled by its end, the force grows from zero.
#[test]
fn a_moulded_arc_is_a_spring() {
    let n = 100;
    // Half a circle of radius R, clamped at one end, pulled at the other away from the clamp: M(a) = F R sin(a), and
    // by Castigliano the end goes by pi R^3 F / (2 EI).
    let radius = 100.0;
    let deflection = |force: f64| {
        let length = PI * radius;
        let rod = Rod::uniform(length, n, section()).unwrap();
        let curvature = Vec3::new(0.0, 1.0 / radius, 0.0);
        let rod = rod.moulded(vec![curvature; n + 1]).unwrap();
        let mut solver = cantilever(rod, at_tip(n, Vec3::zeros(), Vec3::zeros()));
        // Into its own shape first: from straight, a long way.
        let report = step(&mut solver, &[along_x(0.0)]);
        assert_eq!(report.status, Status::Converged);
        let tip = solver.state().positions[n];
        assert!((tip.norm() - 2.0 * radius).abs() < 0.1, "{tip}");
        let across = tip.normalize();
        let mut problem = solver.problem().clone();
        problem.loads = vec![at_tip(n, across * force, Vec3::zeros())];
        solver.set_problem(problem);
        step(&mut solver, &[along_x(0.0)]);
        (solver.state().positions[n] - tip).dot(&across)
    };
    let force = 1e-4;
    let expected = 0.5 * PI * radius.powi(3) * force / EI;
    let found = deflection(force);
    println!("moulded arc: {found:.5} mm, expected {expected:.5}");
    assert!((found / expected - 1.0).abs() < 0.01);
}

/// V12: a strip bends by P L^3 / (3 EI) about each of its axes.
#[test]
fn v12_two_stiffnesses() {
    let n = 100;
    let strip = Section {
        bending: [EI, 4.0 * EI],
        ..section()
    };
    let force = 5e-5;
    for (axis, stiffness) in [(1, EI), (0, 4.0 * EI)] {
        let rod = Rod::uniform(L, n, strip).unwrap();
        // Bending about d1 moves the tip along d2, and the other way round.
        let direction = along_x(0.0).rotation * Vec3::ith(axis, 1.0);
        let mut solver = cantilever(rod, at_tip(n, direction * force, Vec3::zeros()));
        let report = step(&mut solver, &[along_x(0.0)]);
        assert_eq!(report.status, Status::Converged);
        assert_agrees(&solver);
        let deflection = solver.state().positions[n].dot(&direction);
        let expected = force * L.powi(3) / (3.0 * stiffness);
        println!("V12: {:.2e}", deflection / expected - 1.0);
        assert!(
            (deflection / expected - 1.0).abs() < 1e-3,
            "{deflection} {expected}"
        );
    }
}

/// V14: the same cable on other grids: the same shape within the second-order error, the same forces.
#[test]
fn v14_resolution_and_grading() {
    let solve = |lengths: Vec<f64>| {
        let mut solver = sagging(Rod::new(lengths, heavy()).unwrap(), 800.0);
        let report = step(&mut solver, &[along_x(0.0), along_x(800.0)]);
        assert_eq!(report.status, Status::Converged);
        (solver, report)
    };
    // Fine at the clamps, where it bends most: three times as fine as in the middle.
    let graded = |n: usize| {
        let weight = |i: usize| 1.0 - 0.5 * (TAU * (i as f64 + 0.5) / n as f64).cos();
        let sum: f64 = (0..n).map(weight).sum();
        (0..n).map(|i| L * weight(i) / sum).collect::<Vec<_>>()
    };
    let (fine, reference) = solve(vec![L / 2000.0; 2000]);
    let at = |s: f64| {
        let x = &fine.state().positions;
        let i = ((s / L * 2000.0) as usize).min(1999);
        x[i].lerp(&x[i + 1], s / L * 2000.0 - i as f64)
    };
    for n in [20, 50, 100, 300, 1000] {
        for (name, lengths) in [("equal", vec![L / n as f64; n]), ("graded", graded(n))] {
            let (solver, report) = solve(lengths);
            let rod = &solver.problem().rod;
            let error = (0..=n)
                .map(|i| (solver.state().positions[i] - at(rod.arc_length(i))).norm())
                .fold(0.0, f64::max);
            let force = (report.handles[0].force - reference.handles[0].force).norm()
                / reference.handles[0].force.norm();
            println!("V14 {n} {name}: {error:.4} mm, force {force:.1e}");
            let scale = (50.0 / n as f64).powi(2);
            // Two straight lines between fine nodes: 1e-3 mm.
            assert!(error < 5e-4 * L * scale + 2e-3, "{n} {name}: {error}");
            assert!(force < 0.01 * scale.max(0.01), "{n} {name}: {force}");
        }
    }
}

/// V15: the same cable in metres: nothing in the solver is an absolute number of mm or N.
#[test]
fn v15_units() {
    let n = 80;
    let solve = |unit: f64, force: f64| {
        // Lengths in `unit` mm and forces in `force` N; weight is 1e-3 (kg/m)(m/s^2) per length whatever the unit.
        let stiffness = 1.0 / (force * unit * unit);
        let section = Section {
            bending: [EI * stiffness; 2],
            torsion: 1100.0 * stiffness,
            axial: 1e4 / force,
            shear: 1e4 / force,
            mass_kg_m: 0.05 * unit / force,
        };
        let rod = Rod::uniform(L / unit, n, section).unwrap();
        let mut solver = sagging(rod, 800.0 / unit);
        let mut positions = Vec::new();
        for k in 1..=10 {
            let mut end = along_x(800.0 / unit);
            end.position += Vec3::new(-15.0, 20.0, 10.0) * (f64::from(k) / unit);
            let report = step(&mut solver, &[along_x(0.0), end]);
            assert_eq!(report.status, Status::Converged);
            positions = solver.state().positions.iter().map(|p| p * unit).collect();
        }
        (positions, solver)
    };
    let (mm, _) = solve(1.0, 1.0);
    for (unit, force) in [(1000.0, 1.0), (25.4, 1.0), (1.0, 1e3)] {
        let (other, _) = solve(unit, force);
        let difference = distance(&mm, &other);
        println!("V15 unit {unit} mm, {force} N: {difference:.1e} mm");
        assert!(difference < 1e-7 * L, "{unit}: {difference}");
    }
}

/// A cable of the scale of a hair or of a ship: no absolute constant anywhere.
#[test]
fn a_pose_is_reached_at_any_scale() {
    for scale in [1e-3, 1e3] {
        let section = Section {
            bending: [EI * scale * scale; 2],
            torsion: 1100.0 * scale * scale,
            ..heavy()
        };
        let rod = Rod::uniform(L * scale, 50, section).unwrap();
        let mut solver = sagging(rod, 800.0 * scale);
        let end = Pose {
            position: Vec3::new(700.0, 50.0, 0.0) * scale,
            ..along_x(0.0)
        };
        let report = step(&mut solver, &[along_x(0.0), end]);
        assert_eq!(report.status, Status::Converged);
        assert!(GRAVITY.z < 0.0);
    }
}
