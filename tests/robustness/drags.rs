//! Random drags of random cables, with handles of every kind.

use loomwright::geom::{Rotation, Vec3};
use loomwright::rod::{Rod, Section};
use loomwright::solve::{CancelToken, Grip, Hold, Problem, Solver, Status, Target};

use super::common::{GRAVITY, L, sagging};

/// Steps from one cable before another is taken.
const SERIES: usize = 50;

fn random(rng: &mut fastrand::Rng) -> Vec3 {
    Vec3::from_fn(|_, _| 2.0 * rng.f64() - 1.0)
}

fn cable(rng: &mut fastrand::Rng) -> Solver {
    let n = rng.usize(20..200);
    let bending = 10_f64.powf(2.0 + 3.0 * rng.f64());
    let section = Section {
        bending: [bending, if rng.bool() { bending } else { 4.0 * bending }],
        torsion: bending * (0.3 + rng.f64()),
        axial: 10_f64.powf(4.0 + 2.0 * rng.f64()),
        shear: 1e5,
        mass_kg_m: 0.2 * rng.f64(),
    };
    let lengths: Vec<f64> = (0..n).map(|_| 1.0 + 0.5 * rng.f64()).collect();
    let sum: f64 = lengths.iter().sum();
    let rod = Rod::new(lengths.iter().map(|l| l * L / sum).collect(), section).unwrap();
    let mut solver = sagging(rod.clone(), 500.0 + 400.0 * rng.f64());
    let mut problem: Problem = solver.problem().clone();
    for _ in 0..rng.usize(0..3) {
        let hold = match rng.u8(0..4) {
            0 => Hold::Frame,
            1 => Hold::Direction,
            2 => Hold::Position,
            _ => Hold::Spring(10_f64.powf(-2.0 + 3.0 * rng.f64())),
        };
        problem
            .grips
            .push(Grip::nearest(&rod, L * (0.1 + 0.8 * rng.f64()), hold));
        if problem.check().is_err() {
            problem.grips.pop();
        }
    }
    problem.gravity = GRAVITY;
    solver.set_problem(problem);
    solver
}

/// At most one of 10,000 drags does not converge, and none is silently wrong: what is called converged is in balance
/// with its handles where they were sent.
#[test]
fn random_drags() {
    let wanted = std::env::var("LOOMWRIGHT_ROD_DRAGS").ok();
    let n_drags: usize = wanted.and_then(|n| n.parse().ok()).unwrap_or(1500);
    let mut rng = fastrand::Rng::with_seed(2024);
    let (mut not_converged, mut blocked, mut iterations) = (0, 0, 0);
    let mut drags = 0;
    while drags < n_drags {
        let mut solver = cable(&mut rng);
        solver.step(&[], &CancelToken::default(), None);
        for _ in 0..SERIES {
            let k = rng.usize(0..solver.problem().grips.len());
            let now = solver.grip_pose(k);
            let mut pose = now;
            let way = 10_f64.powf(-1.0 + 3.3 * rng.f64());
            pose.position += random(&mut rng).normalize() * way;
            // Back towards the middle when it strays.
            if (pose.position - Vec3::x() * 400.0).norm() > 700.0 {
                pose.position = now.position.lerp(&Vec3::new(400.0, 0.0, -100.0), 0.2);
            }
            if rng.bool() {
                pose.rotation *= Rotation::from_scaled_axis(random(&mut rng) * 0.8);
            }
            let mut targets: Vec<Option<Target>> = vec![None; solver.problem().grips.len()];
            let roll = solver.grip_roll(k)
                + if rng.u8(0..4) == 0 {
                    3.0 * rng.f64()
                } else {
                    0.0
                };
            targets[k] = Some(Target {
                pose: loomwright::geom::Pose {
                    rotation: pose.rotation
                        * Rotation::from_scaled_axis(Vec3::z() * -solver.grip_roll(k)),
                    ..pose
                },
                roll,
            });
            let report = solver.step(&targets, &CancelToken::default(), None);
            drags += 1;
            iterations += report.iterations;
            assert!(solver.state().is_finite());
            match report.status {
                Status::Converged => {
                    assert!(report.residual <= report.tolerance);
                    let reached = solver.grip_pose(k).position;
                    assert!((reached - pose.position).norm() < 1e-8 * L, "{reached}");
                    balanced(&solver, &report);
                }
                Status::Blocked => blocked += 1,
                Status::NotConverged | Status::OnTheWay | Status::Cancelled | Status::NotHeld => {
                    not_converged += 1;
                    println!(
                        "drag {drags}: {:?}, residual {:.1e} of {:.1e}, {} iterations, {} edges, {:?}",
                        report.status,
                        report.residual,
                        report.tolerance,
                        report.iterations,
                        solver.problem().rod.n_edges(),
                        solver.problem().grips
                    );
                }
            }
        }
    }
    println!(
        "random drags: {drags}, {not_converged} not converged, {blocked} blocked, {:.1} iterations",
        iterations as f64 / drags as f64
    );
    assert!(
        not_converged <= (drags / 10_000).max(1),
        "{not_converged} of {drags}"
    );
}

/// Handles and weight in balance, by the report alone.
fn balanced(solver: &Solver, report: &loomwright::solve::Report) {
    let rod = &solver.problem().rod;
    let mut sum: Vec3 = report.handles.iter().map(|h| h.force).sum();
    let largest = report
        .handles
        .iter()
        .map(|h| h.force.norm())
        .fold(0.0, f64::max);
    for i in 0..rod.n_nodes() {
        sum += rod.node_weight(i, &GRAVITY);
    }
    let slack = report.tolerance * (rod.n_nodes() as f64).sqrt();
    assert!(
        sum.norm() <= 2.0 * slack + 1e-6 * largest,
        "{} of {largest}",
        sum.norm()
    );
}
