//! The default rod in motion over time.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use loomwright::contact::Obstacle;
use loomwright::geom::{Aabb, Pose, Rotation, Vec3};
use loomwright::mesh::primitives;
use loomwright::rod::{Rod, RodState, Section};
use loomwright::solve::{
    CancelToken, Damping, Grip, Hold, Pairs, Problem, Solver, Status, Target, TimeRule,
    kinetic_and_potential,
};

use crate::common::{GRAVITY, along_x, distance, heavy, sagging, straight, targets};

/// Roots of cos x cosh x = -1.
const BETAS: [f64; 3] = [1.875_104_068_7, 4.694_091_132_9, 7.854_757_438_2];
const LENGTH: f64 = 500.0;

fn stiff() -> Section {
    Section {
        bending: [1e5; 2],
        torsion: 8e4,
        axial: 1e6,
        shear: 1e6,
        mass_kg_m: 0.1,
    }
}

/// A clamped rod along x without weight, in motion.
fn cantilever(n: usize, damping: Damping) -> Solver {
    let rod = Rod::uniform(LENGTH, n, stiff()).unwrap();
    let nodes = straight(rod.rest_lengths());
    let problem = Problem {
        grips: vec![Grip::at_start(Hold::Frame)],
        ..Problem::free(rod, 3.0)
    };
    let state = RodState::along(nodes, [Some(along_x(0.0).rotation), None]);
    let mut solver = Solver::new(problem, state);
    solver.set_in_motion(Some(damping));
    solver
}

/// Circular frequency of a mode, 1/s: (beta/L)^2 sqrt(EI/m).
fn frequency(beta: f64) -> f64 {
    // N mm^2 over kg/m, in mm^4/s^2: 1 N = 1000 kg mm/s^2, 1 kg/m = 1e-3 kg/mm.
    (beta / LENGTH).powi(2) * (1e5_f64 * 1e3 / (0.1 * 1e-3)).sqrt()
}

/// Gives it the velocity of a mode whose tip swings by `amplitude`, mm.
fn kick(solver: &mut Solver, beta: f64, amplitude: f64) {
    let sigma = (beta.cosh() + beta.cos()) / (beta.sinh() + beta.sin());
    let shape = |s: f64| s.cosh() - s.cos() - sigma * (s.sinh() - s.sin());
    let slope = |s: f64| s.sinh() + s.sin() - sigma * (s.cosh() - s.cos());
    let n = solver.problem().rod.n_edges();
    let size = amplitude * frequency(beta) / shape(beta).abs();
    let at = |k: f64| beta * k / n as f64;
    let velocities: Vec<Vec3> = (0..=n)
        .map(|i| Vec3::z() * (size * shape(at(i as f64))))
        .collect();
    let spins: Vec<Vec3> = (0..n)
        .map(|i| {
            // Turns about -y in the world, as seen from the frame.
            let rate = size * slope(at(i as f64 + 0.5)) * beta / LENGTH;
            solver.state().frames[i].inverse_transform_vector(&(Vec3::y() * -rate))
        })
        .collect();
    solver.set_velocities(&velocities, &spins);
}

fn advance(solver: &mut Solver, rule: TimeRule, h: f64) {
    let start = Some(Target::from(along_x(0.0)));
    let report = solver.advance(rule, h, &|_| vec![start], &CancelToken::default(), None);
    assert_eq!(report.status, Status::Converged);
}

/// Times at which a signal goes through zero, between two steps.
fn crossings(signal: &[f64], h: f64) -> Vec<f64> {
    let pairs = signal.windows(2).enumerate();
    pairs
        .filter(|(_, p)| p[0] * p[1] < 0.0)
        .map(|(k, p)| h * (k as f64 + p[0] / (p[0] - p[1])))
        .collect()
}

/// (beta L)^2 sqrt(EI / m L^4) of linear theory, first three modes to 1 %: with 60 edges lumped masses are 0.1 % off.
#[test]
fn a_clamped_rod_swings_at_the_frequencies_of_linear_theory() {
    for beta in BETAS {
        let mut solver = cantilever(60, Damping::default());
        let period = TAU / frequency(beta);
        let h = period / 200.0;
        kick(&mut solver, beta, 1.0);
        let mut tip = vec![0.0];
        for _ in 0..520 {
            advance(&mut solver, TimeRule::SecondOrder, h);
            tip.push(solver.state().positions[60].z);
        }
        let times = crossings(&tip[1..], h);
        let found = 2.0 * (times[times.len() - 1] - times[0]) / (times.len() - 1) as f64;
        println!("mode {beta}: period {found} s, theory {period} s");
        assert!((found / period - 1.0).abs() < 0.01, "{found} for {period}");
    }
}

/// Less than 1 % of the energy over 100 periods of the first mode at 100 steps a period; implicit Euler loses nearly all.
#[test]
fn the_second_order_rule_keeps_energy() {
    let lost = |rule: TimeRule, periods: usize| {
        let mut solver = cantilever(20, Damping::default());
        kick(&mut solver, BETAS[0], 5.0);
        let h = TAU / frequency(BETAS[0]) / 100.0;
        let energy = |s: &Solver| s.kinetic_and_potential().iter().sum::<f64>();
        let before = energy(&solver);
        assert!(before > 0.01, "{before}");
        for _ in 0..100 * periods {
            advance(&mut solver, rule, h);
        }
        1.0 - energy(&solver) / before
    };
    let loss = lost(TimeRule::SecondOrder, 100);
    println!("100 periods: {loss} of the energy lost");
    assert!(loss.abs() < 0.01, "{loss}");
    assert!(lost(TimeRule::Euler, 2) > 0.3);
}

/// Halving the step quarters the error.
#[test]
fn the_second_order_rule_is_of_second_order() {
    // Not at the turning point, where an error of phase does not show.
    let end = 0.15 * TAU / frequency(BETAS[0]);
    let tip = |rule: TimeRule, steps: usize| {
        let mut solver = cantilever(12, Damping::default());
        kick(&mut solver, BETAS[0], 5.0);
        for _ in 0..steps {
            advance(&mut solver, rule, end / steps as f64);
        }
        solver.state().positions[12]
    };
    for (rule, order) in [(TimeRule::Euler, 2.0), (TimeRule::SecondOrder, 4.0)] {
        let [coarse, fine, finer] = [40, 80, 160].map(|n| tip(rule, n));
        let ratio = (coarse - fine).norm() / (fine - finer).norm();
        println!("{rule:?}: {ratio}");
        assert!((ratio / order - 1.0).abs() < 0.2, "{rule:?}: {ratio}");
    }
}

/// Amplitudes fall by exp(-pi zeta) half a period later: zeta = drag/(2 w) + w material/2.
#[test]
fn drag_and_material_damp_as_they_say() {
    let w = frequency(BETAS[0]);
    let drag = Damping {
        drag: 0.1 * w,
        material: 0.0,
    };
    let material = Damping {
        drag: 0.0,
        material: 0.1 / w,
    };
    for damping in [drag, material] {
        let mut solver = cantilever(30, damping);
        kick(&mut solver, BETAS[0], 2.0);
        let h = TAU / w / 200.0;
        let mut highest = [0.0_f64; 2];
        for k in 0..200 {
            advance(&mut solver, TimeRule::SecondOrder, h);
            let z = solver.state().positions[30].z.abs();
            highest[k / 100] = highest[k / 100].max(z);
        }
        let found = (highest[0] / highest[1]).ln() / PI;
        println!("{damping:?}: damping ratio {found}");
        assert!((found - 0.05).abs() < 0.001, "{damping:?}: {found}");
    }
}

/// A ring that is clamped at one place stays where it is, to the last bit.
#[test]
fn a_resting_ring_does_not_drift() {
    const STEPS: usize = 10_000;
    let n = 40;
    let rod = Rod::uniform(LENGTH, n, stiff()).unwrap();
    let radius = LENGTH / TAU;
    let nodes: Vec<Vec3> = (0..=n)
        .map(|i| {
            let angle = TAU * i as f64 / n as f64;
            Vec3::new(angle.sin(), 1.0 - angle.cos(), 0.0) * radius
        })
        .collect();
    let ends = [along_x(0.0); 2];
    let state = RodState::along(nodes, ends.map(|p| Some(p.rotation)));
    let mut solver = Solver::new(Problem::clamped(rod, 3.0), state);
    let cancel = CancelToken::default();
    let ends = targets(&ends);
    assert_eq!(solver.step(&ends, &cancel, None).status, Status::Converged);
    solver.set_in_motion(Some(Damping::default()));
    let before = solver.state().positions.clone();
    for _ in 0..STEPS {
        let rule = TimeRule::SecondOrder;
        let report = solver.advance(rule, 0.01, &|_| ends.clone(), &cancel, None);
        assert_eq!(report.status, Status::Converged);
    }
    let drift = distance(&before, &solver.state().positions);
    println!("{STEPS} steps: {drift} mm");
    assert!(drift < 1e-9, "{drift}");
}

/// Let go between two clamps with its weight turned, a cable comes to rest where statics has it.
#[test]
fn a_cable_comes_to_rest_in_the_static_equilibrium() {
    let rod = Rod::uniform(1000.0, 40, heavy()).unwrap();
    let mut solver = sagging(rod, 800.0);
    let ends = targets(&[along_x(0.0), along_x(800.0)]);
    let problem = Problem {
        gravity: Vec3::new(0.0, 6.0, -7.0),
        ..solver.problem().clone()
    };
    solver.set_problem(problem);
    let mut still = solver.clone();
    let cancel = CancelToken::default();
    assert_eq!(still.step(&ends, &cancel, None).status, Status::Converged);
    solver.set_in_motion(Some(Damping {
        drag: 5.0,
        material: 0.02,
    }));
    let far = distance(&still.state().positions, &solver.state().positions);
    assert!(far > 50.0, "{far} mm prove nothing");
    for k in 0..2000 {
        let report = solver.advance(TimeRule::Euler, 0.01, &|_| ends.clone(), &cancel, None);
        assert_eq!(report.status, Status::Converged);
        if !solver.is_moving() {
            println!("at rest after {k} steps");
            break;
        }
    }
    assert!(!solver.is_moving());
    let off = distance(&still.state().positions, &solver.state().positions);
    println!("{off} mm from the static solution");
    assert!(off < 0.01, "{off}");
}

/// The same motion for all grids (Soler2018, 7 and 8): the tip of a cantilever that is let go under its weight.
#[test]
fn the_same_motion_for_all_grids() {
    let way = |n: usize| {
        let rod = Rod::uniform(LENGTH, n, stiff()).unwrap();
        let nodes = straight(rod.rest_lengths());
        let problem = Problem {
            gravity: GRAVITY,
            grips: vec![Grip::at_start(Hold::Frame)],
            ..Problem::free(rod, 3.0)
        };
        let state = RodState::along(nodes, [Some(along_x(0.0).rotation), None]);
        let mut solver = Solver::new(problem, state);
        solver.set_in_motion(Some(Damping {
            drag: 0.0,
            material: 0.005,
        }));
        let mut way = Vec::new();
        for _ in 0..100 {
            advance(&mut solver, TimeRule::SecondOrder, 0.01);
            way.push(solver.state().positions[n]);
        }
        way
    };
    let finest = way(200);
    let swing = finest.iter().map(|p| -p.z).fold(0.0, f64::max);
    assert!(swing > 0.25 * LENGTH, "{swing}");
    for n in [10, 20, 50, 100] {
        let off = distance(&way(n), &finest);
        println!("N = {n}: {off} mm of {swing}");
        // Second order in the edges: about 1.6 L / N^2 was measured.
        assert!(off < 4.0 * LENGTH / (n * n) as f64, "N = {n}: {off}");
    }
}

/// A cable that falls on a box stays on it, and comes to rest as statics says, by both rules.
#[test]
fn a_falling_cable_lands_on_a_box() {
    let rules = [TimeRule::Euler, TimeRule::SecondOrder];
    let [euler, second] = rules.map(landed_on_a_box);
    // Friction keeps what the way has left behind: the two are near each other, not the same.
    let apart = distance(&euler, &second);
    println!("{apart} mm between both rules");
    assert!(apart < 5.0, "{apart}");
}

/// Where a cable rests that was let down on a box.
fn landed_on_a_box(rule: TimeRule) -> Vec<Vec3> {
    let rod = Rod::uniform(600.0, 60, heavy()).unwrap();
    let ends = [along_x(0.0), along_x(560.0)];
    let mut solver = sagging(rod, 560.0);
    let mesh = primitives::cuboid(&Aabb {
        min: Vec3::new(-60.0, -40.0, -20.0),
        max: Vec3::new(60.0, 40.0, 20.0),
    });
    let low = solver.state().positions.iter().map(|p| p.z);
    let low = low.fold(f64::INFINITY, f64::min);
    let place = Pose {
        position: Vec3::new(280.0, 0.0, low - 90.0),
        rotation: Rotation::identity(),
    };
    let box_below = Obstacle::new(&Arc::new(mesh)).placed(&place);
    let problem = Problem {
        obstacles: Arc::new(vec![box_below]),
        friction: 0.2,
        ..solver.problem().clone()
    };
    solver.set_problem(problem);
    let cancel = CancelToken::default();
    solver.step(&targets(&ends), &cancel, None);
    solver.set_in_motion(Some(Damping {
        drag: 3.0,
        material: 0.01,
    }));
    // The ends come together and down over half a second, then stay.
    let (mut touched, mut kinetic) = (false, 0.0);
    for k in 0..1500 {
        let now = 0.005 * f64::from(k);
        let there = |at: f64| {
            let share = ((now + at) / 0.5).min(1.0);
            let down = Vec3::new(0.0, 0.0, -40.0 * share);
            let moved = [along_x(30.0 * share), along_x(560.0 - 30.0 * share)].map(|p| Pose {
                position: p.position + down,
                ..p
            });
            targets(&moved)
        };
        let report = solver.advance(rule, 0.005, &there, &cancel, None);
        assert_eq!(report.status, Status::Converged, "step {k}");
        let fell = std::mem::replace(&mut kinetic, solver.kinetic_and_potential()[0]);
        if !touched && !report.contacts.is_empty() {
            touched = true;
            // Where it has landed nothing moves up again.
            let x = report.contacts[0].position.x;
            let nodes = solver
                .state()
                .positions
                .iter()
                .zip(solver.velocities().unwrap());
            let near = nodes.min_by(|a, b| (a.0.x - x).abs().total_cmp(&(b.0.x - x).abs()));
            let up = near.unwrap().1.z;
            println!("{rule:?}: landed with {fell} N mm, {kinetic} N mm left, {up} mm/s up");
            assert!(
                kinetic < fell && up < 0.0,
                "thrown back: {kinetic} of {fell} N mm"
            );
        }
        if let Some(gap) = report.smallest_gap {
            assert!(gap > 0.0, "step {k}: {gap}");
        }
        if now > 0.5 && !solver.is_moving() {
            break;
        }
    }
    assert!(touched, "a fall without a landing proves nothing");
    assert!(!solver.is_moving());
    let moving = solver.state().positions.clone();
    solver.set_in_motion(None);
    let report = solver.step(&[], &cancel, None);
    assert_eq!(report.status, Status::Converged);
    let off = distance(&moving, &solver.state().positions);
    println!("{off} mm from rest");
    assert!(off < 0.01, "{off}");
    let rods = [solver];
    let [kinetic, _] = kinetic_and_potential(&rods, &Pairs::default());
    assert_eq!(kinetic, 0.0);
    rods[0].state().positions.clone()
}
