//! What stayed rigid of a harness and was moved is exported where it is shown.

use std::sync::Arc;

use loomwright::exchange::{Format, Route, RouteOptions};
use loomwright::geom::{Pose, Rotation, Vec3};
use loomwright::mesh::import::Importer;
use loomwright::mesh::{TriMesh, primitives};
use loomwright::scene::{Command, Part, Scene, Simulation};
use loomwright::solve::CancelToken;

use super::formats::{export, options, routes_of};

const SIDE: f64 = 3.0;

/// The side branch: bent, so that a turn about any axis shows.
fn side(t: f64) -> Vec3 {
    Vec3::new(200.0, 4.0 + 150.0 * t, 60.0 * t * t)
}

/// A tee of shells whose trunk is flexible across the junction, and whose side branch and trunk's ends stay rigid.
fn tee() -> Scene {
    let line = |at: &dyn Fn(f64) -> Vec3, n: u32| -> Vec<Vec3> {
        (0..=n).map(|i| at(f64::from(i) / f64::from(n))).collect()
    };
    let trunk = primitives::tube(&line(&|t| Vec3::x() * (400.0 * t), 20), 5.0, 20);
    let branch = primitives::tube(&line(&side, 40), SIDE, 16);
    let first = trunk.vertices().len() as u32;
    let vertices = [trunk.vertices(), branch.vertices()].concat();
    let mut triangles = trunk.triangles().to_vec();
    triangles.extend(branch.triangles().iter().map(|t| t.map(|v| v + first)));
    let mut scene = Scene {
        gravity: Vec3::zeros(),
        parts: vec![Part::new(
            "loom",
            TriMesh::new(vertices, triangles).unwrap(),
        )],
        ..Scene::default()
    };
    let command = r#"{"command":"flexibilise","part":"loom","from":[100,5,0],"to":[300,5,0]}"#;
    serde_json::from_str::<Command>(command)
        .unwrap()
        .apply(&mut scene)
        .unwrap();
    assert_eq!((scene.cables.len(), scene.junctions.len()), (2, 1));
    // Room to move.
    scene.cables.iter_mut().for_each(|c| c.length *= 1.03);
    scene
}

/// Where the solver takes a scene after an edit.
fn solved(scene: Scene, command: &Command) -> Scene {
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    simulation.apply(command).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    simulation.scene().clone()
}

/// Distance of a point from a line that was moved.
fn off(p: &Vec3, motion: &Pose, line: impl Fn(f64) -> Vec3) -> f64 {
    let at = |i: u32| motion.transform(&line(f64::from(i) / 500.0));
    (0..500)
        .map(|i| {
            let (a, b) = (at(i), at(i + 1));
            let t = ((p - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
            (a + (b - a) * t - p).norm()
        })
        .fold(f64::INFINITY, f64::min)
}

fn along(route: &Route) -> Vec<Vec3> {
    let (from, to) = route.curve.domain();
    (0..=60)
        .map(|i| {
            route
                .curve
                .at(from + (to - from) * f64::from(i) / 60.0)
                .position
        })
        .collect()
}

/// Routes with their exported meshes, read back.
fn exported(scene: &Scene) -> Vec<(Route, Vec<Arc<TriMesh>>)> {
    let routes = routes_of(scene, &[], &RouteOptions::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    routes
        .into_iter()
        .map(|route| {
            let one = std::slice::from_ref(&route);
            let meshes = [Format::Stl, Format::Obj, Format::Glb].map(|format| {
                let path = folder.path().join(format!("r.{}", format.extension()));
                let report = export(one, format, &path, &options()).unwrap();
                assert!(report.is_geometry_good(), "{report:#?}");
                let read = Importer::default().file(&path).unwrap();
                read.parts[0].mesh.clone()
            });
            (route, meshes.to_vec())
        })
        .collect()
}

/// Checks that some route runs along the side branch as it was moved, and its meshes round it.
fn assert_side_is_at(scene: &Scene, motion: &Pose) {
    let part = scene.part(&scene.junctions[0].carries[0]).unwrap();
    // Where it is shown.
    for v in part.mesh().vertices() {
        let to_cap = |t: f64| (v - motion.transform(&side(t))).norm();
        let is_cap = to_cap(0.0).min(to_cap(1.0)) < 1.1 * SIDE;
        let off = off(v, motion, side);
        assert!(is_cap || (off - SIDE).abs() < 0.05 * SIDE, "{off} at {v}");
    }
    let all = exported(scene);
    assert_eq!(all.len(), 3);
    let tip = motion.transform(&side(1.0));
    let is_side = |(route, _): &&(Route, Vec<Arc<TriMesh>>)| {
        let ends = [route.curve.start(), route.curve.end()];
        ends.iter().any(|end| (end.position - tip).norm() < 0.01)
    };
    let (route, meshes) = all.iter().find(is_side).unwrap();
    let node = scene.junctions[0].pose.position;
    for p in along(route) {
        // From the surface of the trunk to its axis the line goes straight to the node.
        let is_inside = (p - node).norm() < 7.0;
        assert!(is_inside || off(&p, motion, side) < 0.02 * SIDE, "{p}");
    }
    for mesh in meshes {
        for v in mesh.vertices() {
            let is_end = (v - node).norm() < 8.0 || (v - tip).norm() < 1.1 * SIDE;
            let off = off(v, motion, side);
            assert!(is_end || (off - SIDE).abs() < 0.05 * SIDE, "{off} at {v}");
        }
    }
    // All three routes meet in the junction.
    for (route, _) in &all {
        let ends = [route.curve.start(), route.curve.end()];
        let to_node = ends.iter().map(|end| (end.position - node).norm());
        assert!(to_node.fold(f64::INFINITY, f64::min) < 1e-3);
    }
}

#[test]
fn a_side_branch_that_moved_with_its_junction_is_exported_where_it_is_shown() {
    let before = tee();
    assert_side_is_at(&before, &Pose::identity());
    let from = before.junctions[0].pose;
    let turn = Rotation::from_scaled_axis(Vec3::new(0.1, 0.05, 0.15));
    let goal = Pose {
        position: from.position + Vec3::new(1.0, -6.0, 9.0),
        rotation: turn * from.rotation,
    };
    let q = goal.rotation;
    let command = Command::MoveJunction {
        junction: before.junctions[0].name.clone(),
        position: Some(goal.position.into()),
        rotation: Some([q.w, q.i, q.j, q.k]),
    };
    let after = solved(before.clone(), &command);
    let motion = goal.compose(&from.inverse());
    assert_side_is_at(&after, &motion);
    // Sent farther than the trunk reaches: it stops short, and is exported where it stopped.
    let command = Command::MoveJunction {
        junction: before.junctions[0].name.clone(),
        position: Some((from.position + Vec3::z() * 150.0).into()),
        rotation: None,
    };
    let short = solved(before, &command);
    let stopped = short.junctions[0].pose;
    assert!(stopped.position.z > 5.0 && stopped.position.z < 100.0);
    assert_side_is_at(&short, &stopped.compose(&from.inverse()));
}

#[test]
fn the_rest_of_a_trunk_that_moved_is_exported_where_it_is_shown() {
    let before = tee();
    let shift = Vec3::new(0.0, 3.0, -4.0);
    let command = Command::MovePart {
        part: "loom".to_owned(),
        position: Some(shift.into()),
        rotation: None,
    };
    let after = solved(before, &command);
    for (route, meshes) in exported(&after) {
        let far = [route.curve.start(), route.curve.end()]
            .map(|end| end.position)
            .into_iter()
            .find(|p| p.x < 1.0 || p.x > 399.0);
        let Some(end) = far else { continue };
        let should = Vec3::new(if end.x < 1.0 { 0.0 } else { 400.0 }, 0.0, 0.0) + shift;
        assert!((end - should).norm() < 1e-3, "{end}");
        let is_rigid = |p: &Vec3| p.x < 95.0 || p.x > 305.0;
        let to_axis = |p: &Vec3| (p.y - shift.y).hypot(p.z - shift.z);
        for p in along(&route).iter().filter(|p| is_rigid(p)) {
            assert!(to_axis(p) < 0.01, "{p}");
        }
        for mesh in meshes {
            let mut rigid = mesh.vertices().iter().filter(|v| is_rigid(v));
            assert!(rigid.all(|v| to_axis(v) < 5.1));
        }
    }
}
