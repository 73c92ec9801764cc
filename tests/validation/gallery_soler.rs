//! Figures of Soler2018 and of the thesis that compare grids, by the default rod and by discrete elastic rods.

use std::f64::consts::{PI, TAU};

use loomwright::geom::Vec3;
use loomwright::reference::der::{Chain, DerProblem, Statics, Stiffness, Support};
use loomwright::rod::{Rod, RodState, Section};
use loomwright::solve::{CancelToken, Grip, Hold, Problem, Solver, Status, Target};

use crate::common::{along_x, distance, heavy, sagging, step, straight};

/// A full round section: mm, MPa, g/cm^3. Shear modulus of an incompressible material.
fn full(radius: f64, young: f64, density: f64) -> Section {
    let area = PI * radius * radius;
    let moment = 0.25 * area * radius * radius;
    Section {
        bending: [young * moment; 2],
        torsion: 2.0 / 3.0 * young * moment,
        axial: young * area,
        shear: young * area / 3.0,
        mass_kg_m: 1e-3 * density * area,
    }
}

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.861);

/// A rod along x, held at both ends level, whose end is then brought nearer, to that share of the length.
fn brought_together(section: Section, length: f64, n: usize, share: f64) -> Vec<Vec3> {
    let rod = Rod::uniform(length, n, section).unwrap();
    let problem = Problem {
        gravity: GRAVITY,
        ..Problem::clamped(rod, 0.1)
    };
    let nodes = straight(problem.rod.rest_lengths());
    let ends = [along_x(0.0), along_x(length)];
    let state = RodState::along(nodes, ends.map(|p| Some(p.rotation)));
    let mut solver = Solver::new(problem, state);
    for k in 1..=8 {
        let x = length * (1.0 - (1.0 - share) * f64::from(k) / 8.0);
        let report = step(&mut solver, &[along_x(0.0), along_x(x)]);
        assert_eq!(report.status, Status::Converged, "{n}: {x}");
    }
    let nodes = &solver.state().positions;
    (0..=10).map(|k| nodes[k * n / 10]).collect()
}

/// Soler2018, figures 9 and 11: hanging rods of several radii and moduli, whose ends are brought together; their error falls
/// with the square of the edge. (Figure 10 has that slope of 2 for the energy of a rod that is twisted by a turn, which
/// is exact on any grid here.)
#[test]
fn soler_figures_9_and_11() {
    let series = [2.0, 3.0, 6.0, 8.0].map(|r| (r, 1.0));
    let stiff = [2.0, 6.0, 8.0].map(|r| (r, 50.0));
    for (radius, young) in series.into_iter().chain(stiff) {
        let section = full(radius, young, 1.3);
        let shape = |n: usize| brought_together(section, 1000.0, n, 0.4);
        let finest = shape(480);
        let [coarse, fine] = [80, 160].map(|n| distance(&shape(n), &finest));
        println!(
            "Soler figure 11, r {radius} mm, E {young} MPa: {coarse:.3} and {fine:.3} mm off at 80 and 160"
        );
        // (36 - 1)/(9 - 1) = 4.4 for order 2 against 480 edges; the limp ones have bends of a few edges at their clamps.
        assert!((3.5..5.5).contains(&(coarse / fine)), "{coarse} {fine}");
    }
}

/// Soler2018, figure 10: the energy of a straight rod whose end is turned once.
#[test]
fn soler_figure_10() {
    for n in [10, 20, 50, 100] {
        let section = full(3.0, 1.0, 1.3);
        let rod = Rod::uniform(1000.0, n, section).unwrap();
        let nodes = straight(rod.rest_lengths());
        let ends = [along_x(0.0), along_x(1000.0)];
        let state = RodState::along(nodes, ends.map(|p| Some(p.rotation)));
        let mut solver = Solver::new(Problem::clamped(rod, 0.1), state);
        let turned = Target {
            pose: ends[1],
            roll: TAU,
        };
        let targets = [Some(ends[0].into()), Some(turned)];
        let report = solver.step(&targets, &CancelToken::default(), None);
        assert_eq!(report.status, Status::Converged, "{n}");
        let energy = solver.kinetic_and_potential()[1];
        let expected = 0.5 * section.torsion * TAU * TAU / 1000.0;
        println!("Soler figure 10, N = {n}: {energy:.9} N mm, GJ (2 pi)^2/(2 L) is {expected:.9}");
        assert!(
            (energy / expected - 1.0).abs() < 1e-6,
            "{n}: {energy} {expected}"
        );
    }
}

/// The same rod by discrete elastic rods.
fn der(section: &Section, length: f64, nodes: &[Vec3], supports: Vec<Support>) -> Statics {
    let n = nodes.len() - 1;
    let stiffness = Stiffness {
        stretch: section.axial,
        bend: section.bending,
        twist: section.torsion,
    };
    let mut problem = DerProblem::free(vec![length / n as f64; n], stiffness);
    problem.supports = supports;
    Statics::new(Chain::along(problem, nodes).unwrap())
}

/// Soler2018, figure 12: a rod that hangs from one clamp, by several methods.
#[test]
fn soler_figure_12() {
    let section = full(0.2, 100.0, 3.0);
    let tips = [20, 40, 80].map(|n| {
        let rod = Rod::uniform(200.0, n, section).unwrap();
        let nodes = straight(rod.rest_lengths());
        let problem = Problem {
            gravity: GRAVITY,
            grips: vec![Grip::at_start(Hold::Frame)],
            ..Problem::free(rod, 0.2)
        };
        let state = RodState::along(nodes.clone(), [Some(along_x(0.0).rotation), None]);
        let mut solver = Solver::new(problem, state);
        let report = step(&mut solver, &[along_x(0.0)]);
        assert_eq!(report.status, Status::Converged, "{n}");
        let clamp = Support::clamp(0, along_x(0.0), 0.0);
        let mut other = der(&section, 200.0, &nodes, vec![clamp]);
        let mut problem = other.chain.problem().clone();
        problem.line_load = GRAVITY * (1e-3 * section.mass_kg_m);
        other = Statics::new(Chain::along(problem, &nodes).unwrap());
        assert!(other.solve().converged, "{n}");
        let apart = distance(&solver.state().positions, other.chain.nodes());
        let tip = solver.state().positions[n];
        println!("Soler figure 12, N = {n}: tip {tip:.4?}, both models {apart:.1e} mm apart");
        // What is left is the shear of the default rod.
        assert!(apart < 1e-4 * 200.0, "{apart}");
        tip
    });
    let order = (tips[0] - tips[1]).norm() / (tips[1] - tips[2]).norm();
    assert!((3.0..5.5).contains(&order), "{order}");
}

/// Soler2018, figure 13: a straight rod whose points are thrown about by up to half an edge, and a whole one, comes back by
/// both models.
#[test]
fn soler_figure_13() {
    let n = 40;
    let mut rng = fastrand::Rng::with_seed(7);
    for noise in [1.0, 2.5, 5.0] {
        let section = full(3.0, 1.0, 1.3);
        let rod = Rod::uniform(200.0, n, section).unwrap();
        let still = straight(rod.rest_lengths());
        let mut nodes = still.clone();
        for x in &mut nodes[1..n] {
            *x += Vec3::from_fn(|_, _| (2.0 * rng.f64() - 1.0) * noise);
        }
        let ends = [along_x(0.0), along_x(200.0)];
        let state = RodState::along(nodes.clone(), ends.map(|p| Some(p.rotation)));
        let mut solver = Solver::new(Problem::clamped(rod, 0.1), state);
        assert_eq!(step(&mut solver, &ends).status, Status::Converged);
        let clamps = [(0, ends[0]), (n, ends[1])].map(|(k, pose)| Support::clamp(k, pose, 0.0));
        let mut other = der(&section, 200.0, &nodes, clamps.to_vec());
        assert!(other.solve().converged);
        let off = [
            distance(&solver.state().positions, &still),
            distance(other.chain.nodes(), &still),
        ];
        let joints = (0..=n).map(|j| solver.state().joint_twist(j));
        let turns = [joints.sum(), other.chain.joint_twists().iter().sum()];
        let turns = turns.map(|t: f64| t / TAU);
        println!("Soler figure 13, noise {noise} mm: {off:?} mm and {turns:?} turns left");
        assert!(off.iter().all(|o| *o < 1e-4), "{off:?}");
        // Points thrown as far as the next ones may have wound the rod by a turn, which its clamps then keep.
        let own = if noise < 5.0 { 0.0 } else { turns[0].round() };
        assert!(turns.iter().all(|t| (t - own).abs() < 1e-6), "{turns:?}");
    }
}

/// Gregoire2007, figure 6.1: the time of a step is linear in the number of points, because it takes as many iterations on any
/// grid and each is linear (a band matrix). Times are in docs/gallery.md.
#[test]
fn gregoire_figure_6_1() {
    let iterations = [50, 100, 200, 400].map(|n| {
        let rod = Rod::uniform(1000.0, n, heavy()).unwrap();
        let mut solver = sagging(rod, 800.0);
        let drag = (1..=10).map(|k| {
            let ends = [along_x(0.0), along_x(800.0 - 5.0 * f64::from(k))];
            step(&mut solver, &ends).iterations
        });
        drag.sum::<usize>()
    });
    println!("Gregoire figure 6.1: iterations of ten steps of 5 mm {iterations:?}");
    assert!(
        iterations.iter().all(|&k| k == iterations[0]),
        "{iterations:?}"
    );
}
