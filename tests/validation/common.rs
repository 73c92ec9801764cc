//! The rod that most cases use: P1 of the reference rods, in mm and N.

use loomwright::geom::{Pose, Vec3, rotation_along};
use loomwright::rod::{Rod, RodState, Section, first_guess};
use loomwright::scene::second_opinion::second_opinion;
use loomwright::solve::{CancelToken, Problem, Report, Solver, Target};

pub const L: f64 = 1000.0;
pub const EI: f64 = 1500.0;
pub const GJ: f64 = 1100.0;
pub const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

pub fn section() -> Section {
    Section {
        bending: [EI; 2],
        torsion: GJ,
        axial: 1e6,
        shear: 1e6,
        mass_kg_m: 0.0,
    }
}

pub fn heavy() -> Section {
    Section {
        mass_kg_m: 0.05,
        ..section()
    }
}

/// Nodes along x.
pub fn straight(lengths: &[f64]) -> Vec<Vec3> {
    let mut x = 0.0;
    let mut nodes = vec![Vec3::zeros()];
    nodes.extend(lengths.iter().map(|l| {
        x += l;
        Vec3::x() * x
    }));
    nodes
}

pub fn along_x(x: f64) -> Pose {
    Pose {
        position: Vec3::x() * x,
        rotation: rotation_along(&Vec3::x()).unwrap(),
    }
}

pub fn targets(poses: &[Pose]) -> Vec<Option<Target>> {
    poses.iter().map(|&pose| Some(pose.into())).collect()
}

pub fn step(solver: &mut Solver, poses: &[Pose]) -> Report {
    solver.step(&targets(poses), &CancelToken::default(), None)
}

/// P1 with the given rod: clamped level, `span` apart, sagging; solved.
pub fn sagging(rod: Rod, span: f64) -> Solver {
    let ends = [along_x(0.0), along_x(span)];
    let nodes = first_guess(
        rod.rest_lengths(),
        Some(&ends[0]),
        Some(&ends[1]),
        &GRAVITY,
        &|_| true,
    );
    let state = RodState::along(nodes, ends.map(|pose| Some(pose.rotation)));
    let problem = Problem {
        gravity: GRAVITY,
        ..Problem::clamped(rod, 3.0)
    };
    let mut solver = Solver::new(problem, state);
    step(&mut solver, &ends);
    solver
}

/// Largest distance of nodes with the same number.
pub fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).norm())
        .fold(0.0, f64::max)
}

/// The other model, discrete elastic rods, is in equilibrium at the same place with the same forces. It has the same error
/// of the grid, and no shear: what is left is far below the error bars of any grid here.
pub fn assert_agrees(solver: &Solver) {
    assert_agrees_within(solver, 1e-5);
}

/// As [`assert_agrees`], with another distance over the length.
pub fn assert_agrees_within(solver: &Solver, distance: f64) {
    let opinion = second_opinion(solver).unwrap();
    let rod = &solver.problem().rod;
    let scale = rod.force_scale(&solver.problem().gravity);
    assert!(opinion.converged);
    assert!(opinion.shape < distance * rod.length(), "{opinion:?}");
    let largest = scale.max(
        solver
            .profile()
            .tension
            .iter()
            .fold(0.0, |a, t| t.abs().max(a)),
    );
    assert!(opinion.force < 1e-4 * largest, "{opinion:?}");
    assert!(
        opinion.moment < 1e-4 * largest * rod.length(),
        "{opinion:?}"
    );
}
