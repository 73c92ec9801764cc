//! Discrete elastic rods in motion: implicit Euler, fast projection, rigid bodies.

use std::f64::consts::{PI, TAU};

use loomwright::geom::{Pose, Vec3, rotation_along};
use loomwright::reference::der::{
    Body, Chain, DerProblem, Hold, Motion, Place, Statics, Stiffness, Support,
};

const UNIT: Stiffness = Stiffness {
    stretch: 1e6,
    bend: [1.0; 2],
    twist: 0.8,
};

fn along_x(x: f64) -> Pose {
    Pose {
        position: Vec3::x() * x,
        rotation: rotation_along(&Vec3::x()).unwrap(),
    }
}

fn straight(n: usize) -> Vec<Vec3> {
    (0..=n).map(|i| Vec3::x() * (i as f64 / n as f64)).collect()
}

fn rod(n: usize, stiffness: Stiffness, supports: Vec<Support>) -> DerProblem {
    let mut problem = DerProblem::free(vec![1.0 / n as f64; n], stiffness);
    problem.supports = supports;
    problem
}

/// Times at which a signal goes through zero, between two steps.
fn crossings(signal: &[f64], h: f64) -> Vec<f64> {
    signal
        .windows(2)
        .enumerate()
        .filter(|(_, p)| p[0] * p[1] < 0.0)
        .map(|(k, p)| h * (k as f64 + p[0] / (p[0] - p[1])))
        .collect()
}

/// A clamped rod swings at the frequencies of linear theory, (beta L)^2 sqrt(EI / (rho L^4)), first three modes to 1 %.
#[test]
fn a_cantilever_swings_at_its_frequencies() {
    let n = 40;
    for beta in [1.875_104_07_f64, 4.694_091_13, 7.854_757_44] {
        let period = TAU / (beta * beta);
        let h = period / 500.0;
        let problem = rod(n, UNIT, vec![Support::clamp(0, along_x(0.0), 0.0)]);
        let chain = Chain::along(problem, &straight(n)).unwrap();
        let mut motion = Motion::new(chain, 1.0, Vec::new(), Vec3::zeros());
        let sigma = (beta.cosh() + beta.cos()) / (beta.sinh() + beta.sin());
        for (i, v) in motion.velocities_mut().iter_mut().enumerate() {
            let s = beta * i as f64 / n as f64;
            let mode = s.cosh() - s.cos() - sigma * (s.sinh() - s.sin());
            *v = Vec3::z() * (1e-3 * beta * beta * mode);
        }
        let mut tip = Vec::new();
        for _ in 0..800 {
            assert!(motion.step(h).converged);
            tip.push(motion.chain().nodes()[n].z);
        }
        let times = crossings(&tip, h);
        let found = 2.0 * (times[2] - times[0]) / 2.0;
        println!(
            "DER cantilever, beta {beta:.3}: period {:.4} of theory",
            found / period
        );
        assert!(
            (found / period - 1.0).abs() < 0.01,
            "{beta}: {found} {period}"
        );
    }
}

/// A chain that falls from level, whips and swings: edges keep their length to 1e-8 of its square, in five iterations or
/// fewer.
#[test]
fn fast_projection_needs_three_to_five_iterations() {
    let n = 50;
    let pin = Support {
        place: Place::Node(0),
        hold: Hold::Position,
        pose: along_x(0.0),
        roll: 0.0,
    };
    let limp = Stiffness {
        bend: [1e-3; 2],
        twist: 1e-3,
        ..UNIT
    };
    let mut problem = rod(n, limp, vec![pin]);
    problem.line_load = -Vec3::z() * 9.81;
    let chain = Chain::along(problem, &straight(n)).unwrap();
    let mut motion = Motion::new(chain, 1.0, Vec::new(), Vec3::zeros());
    let (mut most, mut sum, mut lowest) = (0, 0, 0.0);
    let steps = 400;
    for _ in 0..steps {
        let report = motion.step(2e-3);
        assert!(report.converged, "{report:?}");
        most = most.max(report.projections);
        sum += report.projections;
        let nodes = motion.chain().nodes().iter();
        lowest = nodes.map(|x| x.z).fold(lowest, f64::min);
        for p in motion.chain().nodes().windows(2) {
            let off = (p[1] - p[0]).norm_squared() * (n * n) as f64 - 1.0;
            assert!(off.abs() < 1e-8, "{off}");
        }
    }
    println!(
        "DER fast projection: {most} iterations at most, {:.2} on average",
        f64::from(sum as u32) / f64::from(steps)
    );
    assert!(most <= 5, "{most}");
    assert!(lowest < -0.9, "it has not fallen: {lowest}");
}

/// Let go in the static equilibrium, a rod rests beside it: the projection pulls along the edges as the step without
/// constraints has left them, so that it is off by an amount of second order in the time step.
#[test]
fn motion_rests_beside_the_static_equilibrium() {
    let n = 12;
    let mut problem = rod(n, UNIT, vec![Support::clamp(0, along_x(0.0), 0.0)]);
    problem.line_load = -Vec3::z() * 5.0;
    let mut statics = Statics::new(Chain::along(problem, &straight(n)).unwrap());
    assert!(statics.solve().converged);
    let drift = |h: f64| {
        let mut motion = Motion::new(statics.chain.clone(), 1.0, Vec::new(), Vec3::zeros());
        for _ in 0..(24.0 / h) as usize {
            assert!(motion.step(h).converged);
        }
        let nodes = motion.chain().nodes().iter().zip(statics.chain.nodes());
        nodes.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
    };
    let [coarse, fine] = [0.04, 0.02].map(drift);
    println!("DER at rest: {coarse:.1e} and {fine:.1e} of L from statics");
    // 5 h^2 is the way of a free fall in one step.
    assert!(coarse < 1.5 * 5.0 * 0.04 * 0.04, "{coarse}");
    assert!(coarse / fine > 3.0, "{coarse} {fine}");
}

/// Two bodies joined by a rod along x, the first at rest and the second turning about x: they exchange their spin with the
/// period of linear theory, and its sum stays. (Bergou2008, figure 6: the torque transducer.)
///
/// Relative period (1 %), largest spin of the first body over the theory's, change of the sum over the spin.
pub fn torque_transducer(inertias: [f64; 2]) -> [f64; 3] {
    let n = 20;
    let supports = vec![
        Support::clamp(0, along_x(0.0), 0.0),
        Support::clamp(n, along_x(1.0), 0.0),
    ];
    let chain = Chain::along(rod(n, UNIT, supports), &straight(n)).unwrap();
    let body = |x: f64, inertia: f64, support: usize| {
        Body::at_rest(
            Vec3::x() * x,
            10.0,
            Vec3::new(inertia, 1.0, 1.0),
            support,
            &along_x(x),
        )
    };
    let bodies = vec![body(0.0, inertias[0], 0), body(1.0, inertias[1], 1)];
    let mut motion = Motion::new(chain, 0.01, bodies, Vec3::zeros());
    let spin = 0.5;
    motion.bodies_mut()[1].angular_momentum = Vec3::x() * (spin * inertias[1]);
    let rate = (UNIT.twist * (1.0 / inertias[0] + 1.0 / inertias[1])).sqrt();
    let h = TAU / rate / 1000.0;
    let mut relative = Vec::new();
    let (mut most, mut lost) = (0.0_f64, 0.0_f64);
    for _ in 0..1300 {
        assert!(motion.step(h).converged);
        let spins = [0, 1].map(|k| motion.bodies()[k].angular_velocity().x);
        relative.push(spins[1] - spins[0]);
        most = most.max(spins[0]);
        let sum = motion.momenta().1.x;
        lost = lost.max((sum / (spin * inertias[1]) - 1.0).abs());
    }
    let times = crossings(&relative, h);
    let period = 2.0 * (times[1] - times[0]);
    // The first body swings between rest and twice the common spin.
    let common = spin * inertias[1] / (inertias[0] + inertias[1]);
    [period * rate / TAU, most / (2.0 * common), lost]
}

#[test]
fn two_bodies_exchange_their_spin_through_a_rod() {
    for inertias in [[0.5, 0.5], [0.2, 2.0]] {
        let [period, most, lost] = torque_transducer(inertias);
        println!(
            "DER torque transducer {inertias:?}: period {period:.4}, spin {most:.4}, sum {lost:.1e}"
        );
        assert!((period - 1.0).abs() < 0.01 && (most - 1.0).abs() < 0.02);
        // What Newton's method leaves unbalanced, over 1300 steps.
        assert!(lost < 1e-4, "{lost}");
    }
}

/// A bent rod with a body at each end, let go in empty space: nothing pushes it, so that it keeps its momenta.
#[test]
fn a_rod_with_bodies_keeps_its_momenta() {
    let n = 24;
    // A half circle of length 1, straight at rest.
    let nodes: Vec<Vec3> = (0..=n)
        .map(|i| {
            let a = PI * i as f64 / n as f64;
            Vec3::new(a.sin(), 1.0 - a.cos(), 0.0) / PI
        })
        .collect();
    let end = |k: usize, direction: Vec3| Pose {
        position: nodes[k],
        rotation: rotation_along(&direction).unwrap(),
    };
    let supports = vec![
        Support::clamp(0, end(0, Vec3::x()), 0.0),
        Support::clamp(n, end(n, -Vec3::x()), 2.0),
    ];
    let edge = (nodes[1] - nodes[0]).norm();
    let mut problem = DerProblem::free(vec![edge; n], UNIT);
    problem.supports = supports.clone();
    let chain = Chain::along(problem, &nodes).unwrap();
    let body = |k: usize| {
        let aside = supports[k].pose.position + Vec3::new(0.0, 0.0, 0.1);
        Body::at_rest(aside, 1.0, Vec3::new(0.1, 0.2, 0.3), k, &supports[k].pose)
    };
    let mut motion = Motion::new(chain, 0.5, vec![body(0), body(1)], Vec3::zeros());
    let mut fastest = 0.0_f64;
    let (mut most, mut spins) = (0.0_f64, 0.0_f64);
    for _ in 0..400 {
        assert!(motion.step(1e-3).converged);
        let (linear, angular) = motion.momenta();
        fastest = fastest.max(motion.bodies()[0].velocity.norm());
        (most, spins) = (most.max(linear.norm()), spins.max(angular.norm()));
    }
    println!(
        "DER free flight: speed {fastest:.3}, momentum {most:.1e}, angular momentum {spins:.1e}"
    );
    assert!(fastest > 0.1, "nothing moves");
    // What Newton's method leaves unbalanced.
    assert!(most < 1e-7, "{most}");
    // A projection pulls along the edges as they were before it: second order in the step.
    assert!(spins < 0.02 * fastest, "{spins}");
}
