//! Odd numbers: handles that coincide, very few and very many edges, very soft and very stiff cables.

use loomwright::geom::{Pose, Rotation, Vec3};
use loomwright::rod::{Rod, Section};
use loomwright::solve::{Grip, Hold, Problem, Report, Solver, Status, first_state};

use super::common::{GRAVITY, L, along_x, heavy, step, targets};

fn cold(section: Section, n: usize, ends: &[Pose; 2]) -> (Solver, Report) {
    let rod = Rod::uniform(L, n, section).unwrap();
    let problem = Problem {
        gravity: GRAVITY,
        grips: Grip::both_ends(n),
        ..Problem::free(rod, 3.0)
    };
    let state = first_state(&problem, &targets(ends), &|_| true);
    let mut solver = Solver::new(problem, state);
    let report = step(&mut solver, ends);
    (solver, report)
}

/// Whether the report says what is: finite numbers, and converged only where the residual is.
fn assert_true(solver: &Solver, report: &Report, what: &str) {
    assert!(solver.state().is_finite(), "{what}");
    assert!(report.energies.total().is_finite(), "{what}");
    for handle in &report.handles {
        assert!(handle.force.norm().is_finite() && handle.moment.norm().is_finite());
    }
    if report.status == Status::Converged {
        assert!(report.residual <= report.tolerance, "{what}");
    }
}

#[test]
fn handles_that_coincide() {
    let here = along_x(0.0);
    let turned = |axis: Vec3| Pose {
        rotation: here.rotation * Rotation::from_scaled_axis(axis),
        ..here
    };
    for (what, end) in [
        ("same frame", here),
        ("opposite", turned(Vec3::x() * 3.1)),
        ("across", turned(Vec3::y() * 1.5)),
        ("rolled", turned(Vec3::z() * 3.0)),
    ] {
        for n in [20, 100] {
            let (solver, report) = cold(heavy(), n, &[here, end]);
            println!(
                "coincident, {what}, {n}: {:?} {}",
                report.status, report.iterations
            );
            assert_true(&solver, &report, what);
            assert_eq!(report.status, Status::Converged, "{what} {n}");
        }
    }
}

#[test]
fn few_and_many_edges() {
    for n in [2, 3, 4, 7, 2000] {
        let ends = [along_x(0.0), along_x(800.0)];
        let (mut solver, report) = cold(heavy(), n, &ends);
        assert_true(&solver, &report, "cold");
        assert_eq!(report.status, Status::Converged, "{n}: {report:?}");
        for k in 1..=5 {
            let mut end = ends[1];
            end.position += Vec3::new(-10.0, 15.0, 5.0) * f64::from(k);
            let report = step(&mut solver, &[ends[0], end]);
            assert_true(&solver, &report, "drag");
            assert_eq!(report.status, Status::Converged, "{n}, {k}");
        }
    }
}

#[test]
fn no_stiffness_in_twist() {
    let limp = Section {
        torsion: 0.0,
        ..heavy()
    };
    let ends = [along_x(0.0), along_x(800.0)];
    let (mut solver, report) = cold(limp, 80, &ends);
    assert_eq!(report.status, Status::Converged);
    for k in 1..=8 {
        let mut end = ends[1];
        end.rotation *= Rotation::from_scaled_axis(Vec3::z() * (0.7 * f64::from(k)));
        end.position.y += 20.0 * f64::from(k);
        let report = step(&mut solver, &[ends[0], end]);
        assert_true(&solver, &report, "roll");
        assert_eq!(report.status, Status::Converged, "{k}");
        let d3 = end.rotation * Vec3::z();
        assert!(report.handles[1].moment.dot(&d3).abs() < 1e-3, "no torque");
    }
}

/// EI from 1e-6 to 1e3 N m^2, that is 1 to 1e9 N mm^2, at the same weight.
#[test]
fn from_a_thread_to_a_girder() {
    for exponent in 0..=9 {
        let stiffness = 10_f64.powi(exponent);
        let section = Section {
            bending: [stiffness; 2],
            torsion: 0.7 * stiffness,
            ..heavy()
        };
        for n in [50, 200] {
            let ends = [along_x(0.0), along_x(800.0)];
            let (mut solver, report) = cold(section, n, &ends);
            assert_true(&solver, &report, "cold");
            println!(
                "EI 1e{exponent}, {n} edges: {:?}, {} iterations, residual {:.1e} of {:.1e}",
                report.status, report.iterations, report.residual, report.tolerance
            );
            assert_eq!(report.status, Status::Converged, "EI {stiffness}, {n}");
            for k in 1..=5 {
                let mut end = ends[1];
                end.position += Vec3::new(-20.0, 10.0, 5.0) * f64::from(k);
                let report = step(&mut solver, &[ends[0], end]);
                assert_true(&solver, &report, "drag");
                assert_eq!(report.status, Status::Converged, "EI {stiffness}, {n}, {k}");
            }
        }
    }
}

/// Held at one place only, of any kind: it hangs.
#[test]
fn held_by_one_handle() {
    let n = 60;
    for hold in [
        Hold::Frame,
        Hold::Direction,
        Hold::Position,
        Hold::Spring(1.0),
    ] {
        for arc in [0.0, 437.0, L] {
            let rod = Rod::uniform(L, n, heavy()).unwrap();
            let grip = match (hold, arc) {
                (_, 0.0) => Grip::at_start(hold),
                (_, L) => Grip::at_end(n, hold),
                _ => Grip::nearest(&rod, arc, hold),
            };
            let problem = Problem {
                gravity: GRAVITY,
                grips: vec![grip],
                ..Problem::free(rod, 3.0)
            };
            let pose = along_x(0.0);
            let state = first_state(&problem, &targets(&[pose]), &|_| true);
            let mut solver = Solver::new(problem, state);
            let mut report = step(&mut solver, &[pose]);
            let mut steps = 1;
            while report.status == Status::NotConverged && steps < 5 {
                report = step(&mut solver, &[pose]);
                steps += 1;
            }
            println!(
                "one {hold:?} at {arc}: {:?}, {} iterations, {steps} steps",
                report.status, report.iterations
            );
            assert_true(&solver, &report, "one handle");
            assert_eq!(report.status, Status::Converged, "{hold:?} at {arc}");
            // It carries the weight.
            let weight = 1e-3 * 0.05 * 9.81 * L;
            assert!(
                (report.handles[0].force.z / weight - 1.0).abs() < 1e-4,
                "{hold:?} {arc}"
            );
        }
    }
}
