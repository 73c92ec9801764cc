//! Long jumps of a handle.

use std::f64::consts::{FRAC_PI_2, PI};

use loomwright::geom::{Pose, Rotation, Vec3};
use loomwright::rod::{Rod, RodState, Section};
use loomwright::solve::{Blocker, Grip, Problem, Solver, Status, first_state};

use super::common::{GRAVITY, L, along_x, distance, heavy, sagging, step, targets};

/// P2: the U-bend hose, solved.
pub fn u_bend(n: usize) -> (Solver, [Pose; 2]) {
    let section = Section {
        bending: [2e4; 2],
        torsion: 1.6e4,
        axial: 1e6,
        shear: 1e6,
        mass_kg_m: 0.15,
    };
    let rod = Rod::uniform(600.0, n, section).unwrap();
    let ends = [(0.0, 0.0), (200.0, PI)].map(|(y, angle)| Pose {
        position: Vec3::new(0.0, y, 0.0),
        rotation: Rotation::from_scaled_axis(Vec3::z() * angle)
            * Rotation::from_scaled_axis(Vec3::y() * FRAC_PI_2),
    });
    let problem = Problem {
        gravity: GRAVITY,
        grips: Grip::both_ends(n),
        ..Problem::free(rod, 6.0)
    };
    let state = first_state(&problem, &targets(&ends), &|_| true);
    let mut solver = Solver::new(problem, state);
    let report = step(&mut solver, &ends);
    assert_eq!(report.status, Status::Converged);
    (solver, ends)
}

fn p1(n: usize) -> (Solver, [Pose; 2]) {
    let rod = Rod::uniform(L, n, heavy()).unwrap();
    (sagging(rod, 800.0), [along_x(0.0), along_x(800.0)])
}

/// 100 mm at once in 26 directions: where forty small steps arrive, and in the same shape.
#[test]
fn jumps_of_100_mm() {
    let mut iterations = Vec::new();
    let mut elsewhere = 0;
    for n in [50, 100, 300] {
        for (start, ends) in [p1(n), u_bend(n)] {
            for k in (0..27).filter(|k| *k != 13) {
                let axis = |p: i32| f64::from(k / p % 3 - 1);
                let way = Vec3::new(axis(1), axis(3), axis(9)).normalize() * 100.0;
                let mut end = ends[1];
                end.position += way;
                let mut solver = start.clone();
                let report = step(&mut solver, &[ends[0], end]);
                assert!(solver.state().is_finite());
                assert_eq!(report.status, Status::Converged, "{n} edges, {way}");
                assert!(report.residual <= report.tolerance);
                iterations.push(report.iterations);
                if n == 50 {
                    let mut slow = start.clone();
                    for i in 1..=40 {
                        let mut between = ends[1];
                        between.position += way * (f64::from(i) / 40.0);
                        step(&mut slow, &[ends[0], between]);
                    }
                    let apart = distance(&slow.state().positions, &solver.state().positions);
                    elsewhere += usize::from(apart > 1e-3 * L);
                }
            }
        }
    }
    iterations.sort_unstable();
    let (mean, most) = (
        iterations.iter().sum::<usize>() as f64 / iterations.len() as f64,
        iterations[iterations.len() - 1],
    );
    println!("100 mm jumps: {mean:.1} iterations, at most {most}; {elsewhere} of 52 elsewhere");
    assert_eq!(elsewhere, 0);
}

/// The end of P1 pushed from 800 mm to -100 mm: through the loop that tips out of its plane.
#[test]
fn push_through() {
    for n in [50, 100] {
        let (mut solver, ends) = p1(n);
        for x in (-1..8).rev() {
            let report = step(&mut solver, &[ends[0], along_x(100.0 * f64::from(x))]);
            println!(
                "push-through, {n} edges, {x}00 mm: {} iterations",
                report.iterations
            );
            assert_eq!(report.status, Status::Converged, "{x}");
            assert!(report.stable, "{x}");
        }
    }
}

/// Pulled 5 % beyond its length: it stops, says by how much it is short, and shows its tension.
#[test]
fn pulled_beyond_its_length() {
    for (axial, n) in [(1e6, 100), (1e4, 50), (1e3, 50)] {
        let section = Section {
            axial,
            shear: axial,
            ..heavy()
        };
        let rod = Rod::uniform(L, n, section).unwrap();
        let mut solver = sagging(rod, 800.0);
        let mut last = 0.0;
        for k in 1..=25 {
            let x = 800.0 + 10.0 * f64::from(k);
            let report = step(&mut solver, &[along_x(0.0), along_x(x)]);
            let handle = report.handles[1];
            assert!(solver.state().is_finite());
            if x < 995.0 {
                assert_eq!(report.status, Status::Converged, "{x}");
            } else if x > 1010.0 {
                assert_eq!(report.status, Status::Blocked, "{x}");
                assert!(matches!(handle.blocker, Some(Blocker::Length { .. })));
                // What it is short by is what is missing of the length, but for the strain at which it stops.
                let missing = x - L;
                assert!(
                    (handle.short_by - missing).abs() < 0.006 * L,
                    "{x}: {}",
                    handle.short_by
                );
                assert!(handle.force.x > 1e-3 * axial, "tension {}", handle.force);
            }
            last = handle.short_by;
        }
        println!("pulled beyond, EA {axial:.0e}: short by {last:.2} mm");
    }
}

/// Starts that are shaken by 2 mm at every node.
#[test]
fn jittered_starts() {
    let mut rng = fastrand::Rng::with_seed(11);
    let (mut most, mut elsewhere) = (0, 0);
    for n in [50, 200] {
        for (start, ends) in [p1(n), u_bend(n)] {
            for _ in 0..10 {
                let mut nodes = start.state().positions.clone();
                for p in &mut nodes[1..n] {
                    *p += Vec3::from_fn(|_, _| 2.0 * (2.0 * rng.f64() - 1.0));
                }
                let clamps = ends.map(|pose| Some(pose.rotation));
                let state = RodState::along(nodes, clamps);
                let mut solver = Solver::new(start.problem().clone(), state);
                let report = step(&mut solver, &ends);
                assert_eq!(report.status, Status::Converged, "{n}");
                most = most.max(report.iterations);
                let apart = distance(&start.state().positions, &solver.state().positions);
                // At 50 edges it finds back; at 200 the noise is as long as an edge, and turns the frames by more than
                // a cable is turned.
                elsewhere += usize::from(apart > 1e-3 * L);
                assert!(
                    n > 50 || apart < 1e-3 * L,
                    "{n} edges: {apart} mm elsewhere"
                );
            }
        }
    }
    println!("jitter of 2 mm: at most {most} iterations, {elsewhere} of 40 in another shape");
}
