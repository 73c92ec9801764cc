//! Sliding handles and free length.

use loomwright::geom::{Pose, Rotation, Vec3};
use loomwright::rod::Rod;
use loomwright::solve::{Flow, Grip, Hold, Place, Solver, Status};

use super::common::{EI, GJ, GRAVITY, L, along_x, heavy, sagging, section, step};

/// A sagging cable with a sleeve on edge `j`: the cable runs through it.
fn with_sleeve(n: usize, j: usize) -> Solver {
    let mut solver = sagging(Rod::uniform(L, n, heavy()).unwrap(), 800.0);
    let mut problem = solver.problem().clone();
    problem.grips.push(Grip {
        place: Place::Edge(j),
        hold: Hold::Frame,
    });
    problem.flows.push(Flow {
        gain: 0..j,
        loss: j + 1..n,
        pull: 0.0,
        limits: [0.05 * L, 0.95 * L],
    });
    problem.check().unwrap();
    solver.set_problem(problem);
    solver
}

/// The sleeve condition: n.t + M^2/(2 EI) + T^2/(2 GJ) is the same on both sides.
#[test]
fn a_sliding_handle_satisfies_the_sleeve_condition() {
    let (n, j) = (240, 120);
    let mut solver = with_sleeve(n, j);
    let report = step(&mut solver, &[along_x(0.0), along_x(800.0)]);
    assert_eq!(report.status, Status::Converged);
    // Off the middle, lifted and turned; then a long way along the cable and back.
    let tilt = |angle: f64| along_x(0.0).rotation * Rotation::from_scaled_axis(Vec3::x() * angle);
    let mut worst = 0.0_f64;
    let mut runs = [f64::INFINITY, 0.0];
    for k in 0..=60 {
        let t = f64::from(k) / 60.0;
        let x = 400.0 + 220.0 * (6.0 * t).sin();
        let pose = Pose {
            position: Vec3::new(x, 0.0, -80.0 - 40.0 * (4.0 * t).cos()),
            rotation: tilt(0.3 * (5.0 * t).sin()),
        };
        let report = step(&mut solver, &[along_x(0.0), along_x(800.0), pose]);
        assert_eq!(report.status, Status::Converged, "{k}");
        let rod = &solver.problem().rod;
        assert!((rod.length() - L).abs() < 1e-9 * L, "length is conserved");
        let left = rod.arc_length(j);
        runs = [runs[0].min(left), runs[1].max(left)];
        let profile = solver.profile();
        let largest = profile.tension.iter().map(|n| n.abs()).fold(0.0, f64::max);
        let slip = solver.flow_force(0).abs() / largest;
        assert!(slip < 1e-3, "{k}: driving force {slip}");
        // In the middle of the edges next to the gripped one, moments between their joints; the weight between there and
        // the sleeve is taken off.
        let side = |edge: usize| {
            let m = (profile.moments[edge] + profile.moments[edge + 1]) * 0.5;
            let nodes = &solver.state().positions;
            let away = nodes[edge].lerp(&nodes[edge + 1], 0.5) - pose.position;
            let weight = GRAVITY * (1e-3 * 0.05);
            let bend = (m.x * m.x + m.y * m.y) / (2.0 * EI);
            profile.tension[edge] + bend + m.z * m.z / (2.0 * GJ) + weight.dot(&away)
        };
        let jump = (side(j - 1) - side(j + 1)).abs() / largest;
        worst = worst.max(jump);
    }
    println!(
        "sleeve: jump within {:.2} % of the largest tension; from {:.0} to {:.0} mm in front of it",
        100.0 * worst,
        runs[0],
        runs[1]
    );
    assert!(worst < 0.01, "{worst}");
    assert!(runs[1] - runs[0] > 300.0, "it runs through: {runs:?}");
}

/// A limit holds the material, and then something drives it on.
#[test]
fn a_limit_holds_the_material() {
    let (n, j) = (100, 50);
    let mut solver = with_sleeve(n, j);
    let mut problem = solver.problem().clone();
    problem.flows[0].limits = [480.0, 505.0];
    solver.set_problem(problem);
    let pose = Pose {
        position: Vec3::new(330.0, 0.0, -60.0),
        ..along_x(0.0)
    };
    let report = step(&mut solver, &[along_x(0.0), along_x(800.0), pose]);
    assert_eq!(report.status, Status::Converged);
    let left = solver.problem().rod.arc_length(j);
    assert!((left - 505.0).abs() < 1e-6, "{left}");
    assert!(solver.flow_force(0) > 1e-4, "{}", solver.flow_force(0));
}

/// Free length: between level clamps without weight it pulls straight; with weight it hangs as a chain whose tension at
/// the ends is the one asked for.
#[test]
fn a_free_length_finds_itself() {
    let n = 100;
    let limp = loomwright::rod::Section {
        bending: [1.0; 2],
        torsion: 1.0,
        ..heavy()
    };
    let weight = 1e-3 * 0.05 * 9.81;
    for tension in [1.0, 0.6, 0.4] {
        let mut solver = sagging(Rod::uniform(L, n, limp).unwrap(), 800.0);
        let mut problem = solver.problem().clone();
        problem.flows = vec![Flow {
            gain: 0..n,
            loss: 0..0,
            pull: tension,
            limits: [100.0, 10.0 * L],
        }];
        solver.set_problem(problem);
        let report = step(&mut solver, &[along_x(0.0), along_x(800.0)]);
        assert_eq!(report.status, Status::Converged);
        // Catenary: T(end) = w c cosh(400/c), length 2 c sinh(400/c), the longer radius.
        let (mut low, mut high) = (400.0 / 1.199_678, 1e6_f64);
        for _ in 0..200 {
            let c = 0.5 * (low + high);
            if weight * c * (400.0 / c).cosh() < tension {
                low = c;
            } else {
                high = c;
            }
        }
        let c = 0.5 * (low + high);
        let expected = 2.0 * c * (400.0 / c).sinh();
        let found = solver.problem().rod.length();
        println!("free length at {tension} N: {found:.3} mm, catenary {expected:.3}");
        assert!((found / expected - 1.0).abs() < 2e-3, "{found} {expected}");
        assert!(
            (report.length - found).abs() < 1e-3 * found,
            "not stretched"
        );
    }
    // Without weight: straight.
    let mut solver = sagging(Rod::uniform(L, n, section()).unwrap(), 800.0);
    let mut problem = solver.problem().clone();
    problem.gravity = Vec3::zeros();
    problem.flows = vec![Flow {
        gain: 0..n,
        loss: 0..0,
        pull: 0.5,
        limits: [100.0, 10.0 * L],
    }];
    solver.set_problem(problem);
    let report = step(&mut solver, &[along_x(0.0), along_x(800.0)]);
    assert_eq!(report.status, Status::Converged);
    let found = solver.problem().rod.length();
    assert!((found - 800.0).abs() < 0.5, "{found}");
}
