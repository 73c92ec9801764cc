//! P1 and P2: static rods solved by a boundary-value solver at 1e-9 (tests/fixtures/rods).

use std::f64::consts::FRAC_PI_2;
use std::path::Path;

use loomwright::geom::{Pose, Rotation, Vec3};
use loomwright::rod::{Rod, RodState, Section, first_guess};
use loomwright::solve::{CancelToken, Problem, Report, Solver, Status};
use serde_json::Value;

/// A reference solution, in mm and N.
pub struct Reference {
    pub section: Section,
    pub length: f64,
    pub ends: [Pose; 2],
    centerline: Vec<Vec3>,
    pub forces: [Vec3; 2],
    moments: [Vec3; 2],
}

fn vector(value: &Value, scale: f64) -> Vec3 {
    Vec3::from_fn(|k, _| scale * value[k].as_f64().unwrap())
}

pub fn read(name: &str) -> Reference {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/rods")
        .join(name);
    let v: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let number = |key: &str| v["params"][key].as_f64().unwrap();
    // The file's frames have the tangent along their x axis, ours along d3.
    let tangent_from_x = Rotation::from_scaled_axis(Vec3::y() * FRAC_PI_2);
    let pose = |key: &str| {
        let q = &v[key]["quaternion_wxyz"];
        let q = |k: usize| q[k].as_f64().unwrap();
        let q = Rotation::from_quaternion(nalgebra::Quaternion::new(q(0), q(1), q(2), q(3)));
        Pose {
            position: vector(&v[key]["position"], 1e3),
            rotation: q * tangent_from_x,
        }
    };
    Reference {
        // N m^2 to N mm^2; inextensible and unshearable for all that matters.
        section: Section {
            bending: [number("EI") * 1e6; 2],
            torsion: number("GJ") * 1e6,
            axial: 1e6,
            shear: 1e6,
            mass_kg_m: number("rho"),
        },
        length: number("L") * 1e3,
        ends: [pose("start_frame"), pose("end_frame")],
        centerline: v["centerline"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| vector(p, 1e3))
            .collect(),
        forces: ["force_on_rod_at_start", "force_on_rod_at_end"].map(|k| vector(&v[k], 1.0)),
        moments: ["moment_on_rod_at_start", "moment_on_rod_at_end"].map(|k| vector(&v[k], 1e3)),
    }
}

fn solve(reference: &Reference, n_edges: usize) -> (Report, Vec<Vec3>) {
    let rod = Rod::uniform(reference.length, n_edges, reference.section).unwrap();
    let gravity = Vec3::new(0.0, 0.0, -9.81);
    let [start, end] = &reference.ends;
    let nodes = first_guess(
        rod.rest_lengths(),
        Some(start),
        Some(end),
        &gravity,
        &|_| true,
    );
    let state = RodState::along(nodes, [Some(start.rotation), Some(end.rotation)]);
    let mut solver = Solver::new(
        Problem {
            gravity,
            ..Problem::clamped(rod, 3.0)
        },
        state,
    );
    let targets = reference.ends.map(|pose| Some(pose.into()));
    let report = solver.step(&targets, &CancelToken::default(), None);
    super::common::assert_agrees(&solver);
    (report, solver.state().positions.clone())
}

/// Largest distance of a node from the reference point of the same arc length, mm.
pub fn error(reference: &Reference, nodes: &[Vec3]) -> f64 {
    let (n, fine) = (nodes.len() - 1, reference.centerline.len() - 1);
    nodes
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let at = i as f64 * fine as f64 / n as f64;
            let k = (at as usize).min(fine - 1);
            // 201 points: between two of them a straight line is off by less than 1e-3 mm... so nodes are chosen
            // to fall on them (50, 100, 200 edges).
            assert!(
                (at - at.round()).abs() < 1e-9,
                "node {i} falls between reference points {k}"
            );
            (p - reference.centerline[at.round() as usize]).norm()
        })
        .fold(0.0, f64::max)
}

fn check(name: &str) {
    let reference = read(name);
    let mut errors = Vec::new();
    for (n_edges, limit) in [(50, 1e-3), (100, 3e-4), (200, 1e-4)] {
        let (report, nodes) = solve(&reference, n_edges);
        assert_eq!(report.status, Status::Converged);
        assert!(report.stable);
        let e = error(&reference, &nodes);
        println!(
            "{name} {n_edges} edges: {e:.4} mm = {:.5} % of L, {} iterations",
            100.0 * e / reference.length,
            report.iterations
        );
        assert!(
            e <= limit * reference.length,
            "{name} at {n_edges} edges: {e} mm"
        );
        errors.push(e);
        for end in 0..2 {
            let handle = report.handles[end];
            let (force, moment) = (reference.forces[end], reference.moments[end]);
            assert!(
                (handle.force - force).norm() < 0.01 * force.norm(),
                "{} {force}",
                handle.force
            );
            assert!(
                (handle.moment - moment).norm() < 0.015 * moment.norm(),
                "{} {moment}",
                handle.moment
            );
        }
    }
    // Order 2: the error falls by 4 when the edges double; 3.4 leaves room for the next term.
    assert!(
        (errors[0] / errors[1]).log2() > 1.9 && (errors[1] / errors[2]).log2() > 1.9,
        "order: {errors:?}"
    );
}

#[test]
fn p1_sagging_cable() {
    check("P1.json");
}

#[test]
fn p2_u_bend_hose() {
    check("P2.json");
}
