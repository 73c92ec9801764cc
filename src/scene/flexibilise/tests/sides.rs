//! Branches that stay rigid at a junction that moves, and what hangs on them.

use super::*;
use crate::geom::Aabb;

/// Two straight trunks of two branches each, and a branch from the middle of one to that of the other.
fn two_trunks_with_a_bridge() -> CenterlineGraph {
    use crate::centerline::{Branch, CurvePoint, GraphNode};
    let positions: Vec<Vec3> = [
        [0., 0.],
        [100., 0.],
        [200., 0.],
        [0., 90.],
        [100., 90.],
        [200., 90.],
    ]
    .map(|[x, y]| Vec3::new(x, y, 0.0))
    .to_vec();
    let point = |node: usize| CurvePoint {
        position: positions[node],
        radius: RADIUS,
        confidence: 1.0,
    };
    let branch = |[start, end]: [usize; 2]| Branch {
        start,
        end,
        curve: vec![point(start), point(end)],
        closed: false,
    };
    let node = |&position: &Vec3| GraphNode {
        position,
        kind: NodeKind::Through,
    };
    CenterlineGraph {
        nodes: positions.iter().map(node).collect(),
        branches: [[0, 1], [1, 2], [3, 4], [4, 5], [1, 4]]
            .map(branch)
            .to_vec(),
        components: Vec::new(),
        warnings: Vec::new(),
        component_of_triangle: Vec::new(),
    }
}

/// A tee of which the trunk is flexible across the junction, and the side branch rigid.
fn tee_with_rigid_side() -> Scene {
    let mut scene = tee();
    let graph = graph(&scene);
    let across = Choice::Between(Vec3::new(100.0, 5.0, 0.0), Vec3::new(300.0, 5.0, 0.0));
    flexibilise(&mut scene, "loom", &graph, &across, None).unwrap();
    assert_eq!((scene.cables.len(), scene.junctions.len()), (2, 1));
    scene
}

#[test]
fn a_rigid_side_branch_moves_with_its_junction() {
    let mut scene = tee_with_rigid_side();
    assert_same_surface(&tee(), &scene);
    let names: Vec<&str> = scene.parts.iter().map(|p| p.name.as_str()).collect();
    let side = scene.junctions[0].carries[0].clone();
    assert_eq!(names, ["loom", side.as_str()]);
    let told = remarks(&scene);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].contains("stay rigid") && told[0].contains(&side),
        "{told:?}"
    );
    // The side branch and nothing else: it leaves the trunk, whose outer pieces are the rest.
    let aabb =
        |scene: &Scene, k: usize| crate::geom::Aabb::of_points(scene.parts[k].mesh().vertices());
    assert!(aabb(&scene, 1).max.y > 100.0 && aabb(&scene, 0).max.y < 20.0);

    // By the junction, by one of its handles, and by the part: all go the same way.
    let before = scene.clone();
    let turn = Rotation::from_scaled_axis(Vec3::z() * 0.1);
    let way = Vec3::new(0.0, -12.0, 7.0);
    let node = before.junctions[0].pose;
    let goal = Pose {
        position: node.position + way,
        rotation: turn * node.rotation,
    };
    let at = |pose: &Pose| {
        let q = pose.rotation;
        (Some(pose.position.into()), Some([q.w, q.i, q.j, q.k]))
    };
    let end = before.junctions[0].ends[0].clone();
    let (position, rotation) = at(&goal);
    let by_junction = Command::MoveJunction {
        junction: before.junctions[0].name.clone(),
        position,
        rotation,
    };
    let (position, rotation) = at(&goal.compose(&end.in_junction));
    let by_handle = Command::MoveHandle {
        cable: end.cable.clone(),
        handle: end.handle.clone(),
        position,
        rotation,
    };
    let motion = goal.compose(&node.inverse());
    let (position, rotation) = at(&motion);
    let by_part = Command::MovePart {
        part: side.clone(),
        position,
        rotation,
    };
    for command in [by_junction, by_handle, by_part] {
        scene = before.clone();
        command.apply(&mut scene).unwrap();
        let moved = scene.junctions[0].pose;
        assert!(
            (moved.position - goal.position).norm() < 1e-9,
            "{command:?}"
        );
        assert!(moved.rotation.angle_to(&goal.rotation) < 1e-9);
        for (p, q) in
            (before.parts[1].mesh().vertices().iter()).zip(scene.parts[1].mesh().vertices())
        {
            assert!((motion.transform(p) - q).norm() < 1e-9, "{command:?}");
        }
        assert_eq!(before.parts[0], scene.parts[0], "the rest stays");
        for end in &scene.junctions[0].ends {
            let handle = scene
                .cable(&end.cable)
                .unwrap()
                .handle(&end.handle)
                .unwrap();
            let should = goal.compose(&end.in_junction);
            assert!((handle.pose.position - should.position).norm() < 1e-9);
            assert_eq!(handle.attached_to.as_ref(), Some(&side));
        }
    }

    // Saved and loaded it is the same, and its centerline is exported where it is now.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.scene.json");
    crate::scene::file::save(&scene, &path).unwrap();
    let (loaded, _) = crate::scene::file::load(&path).unwrap();
    assert_eq!(loaded.junctions, scene.junctions);
    assert_eq!(loaded.harnesses, scene.harnesses);
    assert_eq!(
        loaded.parts[1].mesh().vertices(),
        scene.parts[1].mesh().vertices()
    );

    // Names are followed; without its part the junction carries nothing, and the export does not move.
    let rename = format!(r#"{{"command":"rename","kind":"part","from":"{side}","to":"drop"}}"#);
    let rename: Command = serde_json::from_str(&rename).unwrap();
    rename.apply(&mut scene).unwrap();
    assert_eq!(scene.junctions[0].carries, ["drop"]);
    let delete: Command =
        serde_json::from_str(r#"{"command":"delete","kind":"part","name":"drop"}"#).unwrap();
    delete.apply(&mut scene).unwrap();
    assert!(scene.junctions[0].carries.is_empty());
    let points = |scene: &Scene| -> Vec<Vec3> {
        let mut pieces = scene.harnesses[0].segments.iter().flat_map(|s| &s.pieces);
        let side = pieces.find_map(|p| match p {
            Piece::Rigid { points, .. } if points.iter().any(|p| p.y > 100.0) => {
                Some(points.clone())
            }
            _ => None,
        });
        side.unwrap()
    };
    for (p, q) in points(&before).iter().zip(points(&scene)) {
        assert!((motion.transform(p) - q).norm() < 1e-9);
    }

    // All of it flexible: nothing rigid is left to tell of.
    let mut all = tee();
    let graph = graph(&all);
    flexibilise(&mut all, "loom", &graph, &Choice::All, None).unwrap();
    assert_eq!(remarks(&all), Vec::<String>::new());
    assert!(all.parts.is_empty() && all.junctions[0].carries.is_empty());
}

#[test]
fn a_side_branch_goes_along_when_its_junction_is_dragged() {
    let mut scene = tee_with_rigid_side();
    for cable in &mut scene.cables {
        cable.length *= 1.01;
    }
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let drag = |simulation: &mut Simulation, way: f64| {
        let junction = &simulation.scene().junctions[0];
        let command = Command::MoveJunction {
            junction: junction.name.clone(),
            position: Some((junction.pose.position + Vec3::z() * way).into()),
            rotation: None,
        };
        simulation.apply(&command).unwrap();
        simulation.solve_quietly(&CancelToken::default())
    };
    let stand = |simulation: &Simulation| {
        // Where the two ends hold the junction, and where the part has it.
        let scene = simulation.scene();
        let junction = &scene.junctions[0];
        let held = junction.ends.iter().map(|end| {
            let cable = scene.cable(&end.cable).unwrap();
            let held = cable.held_pose(cable.handle(&end.handle).unwrap()).unwrap();
            held.compose(&end.in_junction.inverse()).position
        });
        let mut all: Vec<Vec3> = held.collect();
        let part = scene.part(&junction.carries[0]).unwrap();
        all.push(part.placement().transform(&Vec3::new(200.0, 0.0, 0.0)));
        all.push(junction.pose.position);
        all
    };
    let start = stand(&simulation)[0];
    drag(&mut simulation, 5.0);
    for p in stand(&simulation) {
        assert!((p - start - Vec3::z() * 5.0).norm() < 1e-3, "{p}");
    }
    // Farther than the trunk is long: all stop together, and it is said.
    drag(&mut simulation, 300.0);
    assert_eq!(simulation.held_parts().len(), 1);
    let all = stand(&simulation);
    assert!(all[0].z > 5.0 && all[0].z < 100.0, "{all:?}");
    for p in &all {
        assert!((p - all[0]).norm() < 1e-3, "{all:?}");
    }
}

#[test]
fn what_hangs_between_two_junctions_stays_and_is_told() {
    use crate::scene::flexibilise::choose::{Side, sides};
    let graph = two_trunks_with_a_bridge();
    let whole = |branch: usize| Stretch {
        branch,
        from: 0.0,
        to: graph.branches[branch].length(),
    };
    // Both trunks flexible: the bridge between them hangs on both.
    let trunks: Vec<Stretch> = [0, 1, 2, 3].map(whole).to_vec();
    assert_eq!(sides(&graph, &trunks), []);
    // One trunk: bridge and other trunk are one body, at one junction.
    let one = sides(&graph, &trunks[..2]);
    assert_eq!(
        one,
        [Side {
            node: 1,
            branches: vec![2, 3, 4]
        }]
    );
    // Cut somewhere on the bridge: the stub is held by what is behind the cut.
    let mut cut = trunks[..2].to_vec();
    cut.push(Stretch {
        branch: 4,
        from: 30.0,
        to: 60.0,
    });
    assert_eq!(sides(&graph, &cut), []);
}

/// A block with its middle at a place.
fn block(middle: [f64; 3], half: f64) -> TriMesh {
    let middle = Vec3::from(middle);
    primitives::cuboid(&Aabb {
        min: middle - Vec3::repeat(half),
        max: middle + Vec3::repeat(half),
    })
}

/// The flexible tee of [`tee_with_rigid_side`] with further shells in the part, and further parts.
fn tee_with(shells: &[TriMesh], parts: Vec<Part>) -> Scene {
    let mut scene = tee();
    let mut all = vec![(**scene.parts[0].mesh()).clone()];
    all.extend_from_slice(shells);
    scene.parts[0] = scene_of(joined(&all)).parts.remove(0);
    scene.parts.extend(parts);
    let graph = graph(&scene);
    let across = Choice::Between(Vec3::new(100.0, 5.0, 0.0), Vec3::new(300.0, 5.0, 0.0));
    flexibilise(&mut scene, "loom", &graph, &across, None).unwrap();
    assert_eq!((scene.cables.len(), scene.junctions.len()), (2, 1));
    scene
}

fn box_of(scene: &Scene, part: &str) -> Aabb {
    Aabb::of_points(scene.part(part).unwrap().mesh().vertices())
}

#[test]
fn shells_that_hang_on_a_rigid_side_are_of_it() {
    let scene = tee_with(
        &[
            // A connector 0.2 mm from the end of the branch, and a lock that hangs on the connector.
            block([200.0, 160.2, 0.0], 6.0),
            block([200.0, 170.2, 0.0], 4.0),
            // A clip of the trunk's rigid end; a block from there to the connector's height; one that hangs on nothing.
            block([50.0, 0.0, 0.0], 6.0),
            block([350.0, 12.0, 0.0], 7.5),
            block([200.0, 0.0, 90.0], 6.0),
        ],
        Vec::new(),
    );
    let side = scene.junctions[0].carries[0].clone();
    assert_eq!(scene.junctions[0].carries.len(), 1);
    let (side, rest) = (box_of(&scene, &side), box_of(&scene, "loom"));
    assert!((side.max.y - 174.2).abs() < 1e-9 && side.max.z < 7.0);
    assert!(rest.max.y < 20.0 && (rest.max.z - 96.0).abs() < 1e-9);

    // What holds the side and the rest together stays with the rest.
    let bridge = block([200.0, 160.0, 0.0], 6.0);
    let post = tube(|t| Vec3::new(200.0, 165.0, 5.0 + 60.0 * t), 2, 1.0, 8);
    let back = tube(|t| Vec3::new(200.0 - 190.0 * t, 165.0, 64.0), 2, 1.0, 8);
    let down = tube(
        |t| Vec3::new(10.0, 165.0 - 165.0 * t, 64.0 - 64.0 * t),
        2,
        1.0,
        8,
    );
    let frame = joined(&[bridge, post, back, down]);
    let scene = tee_with(&[frame], Vec::new());
    let side = scene.junctions[0].carries[0].clone();
    assert!(box_of(&scene, &side).max.y < 155.0);
    assert!(box_of(&scene, "loom").max.y > 165.0);
}

/// A plug at the end of the side branch, a lock on it, and bodies that stay.
fn plugged() -> Scene {
    let part = |name: &str, mesh: TriMesh, role: PartRole| {
        let mut part = Part::new(name, mesh);
        part.role = role;
        part
    };
    let connector = PartRole::Connector;
    tee_with(
        &[],
        vec![
            part("plug", block([200.0, 160.0, 0.0], 6.0), connector),
            part("lock", block([200.0, 170.0, 0.0], 4.0), connector),
            part("clip", block([50.0, 0.0, 0.0], 6.0), connector),
            part("far", block([200.0, 0.0, 90.0], 6.0), connector),
            part(
                "engine",
                block([200.0, 200.0, 0.0], 26.0),
                PartRole::Obstacle,
            ),
        ],
    )
}

#[test]
fn connectors_that_are_parts_move_with_the_side_on_which_they_hang() {
    let before = plugged();
    let junction = before.junctions[0].clone();
    let side = junction.carries[0].clone();
    assert_eq!(junction.carries, [side.as_str(), "plug", "lock"]);
    assert!(remarks(&before)[0].contains("\"plug\", \"lock\""));
    let turn = Rotation::from_scaled_axis(Vec3::new(0.02, 0.0, 0.1));
    let goal = Pose {
        position: junction.pose.position + Vec3::new(0.0, -12.0, 7.0),
        rotation: turn * junction.pose.rotation,
    };
    let motion = goal.compose(&junction.pose.inverse());
    let rotation = |pose: &Pose| {
        let q = pose.rotation;
        Some([q.w, q.i, q.j, q.k])
    };
    let by_part = |name: &str| Command::MovePart {
        part: name.to_owned(),
        position: Some(motion.position.into()),
        rotation: rotation(&motion),
    };
    let by_junction = Command::MoveJunction {
        junction: junction.name.clone(),
        position: Some(goal.position.into()),
        rotation: rotation(&goal),
    };
    for command in [
        by_junction,
        by_part(&side),
        by_part("plug"),
        by_part("lock"),
    ] {
        let mut scene = before.clone();
        let mut history = crate::scene::history::History::default();
        command.apply(&mut scene).unwrap();
        history.changed(before.clone(), "");
        let pose = scene.junctions[0].pose;
        assert!((pose.position - goal.position).norm() < 1e-9, "{command:?}");
        for (was, is) in before.parts.iter().zip(&scene.parts) {
            let moves = junction.carries(&was.name);
            for (p, q) in was.mesh().vertices().iter().zip(is.mesh().vertices()) {
                let should = if moves { motion.transform(p) } else { *p };
                assert!((should - q).norm() < 1e-9, "{}: {command:?}", was.name);
            }
        }
        // Saved and loaded it is the same; undone it is as it was.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.scene.json");
        crate::scene::file::save(&scene, &path).unwrap();
        let (loaded, _) = crate::scene::file::load(&path).unwrap();
        assert_eq!(loaded.junctions, scene.junctions);
        assert!(history.undo(|was| std::mem::replace(&mut scene, was)));
        assert_eq!(scene, before);
    }
    // Without the branches nothing holds the connectors.
    let mut scene = before.clone();
    let delete = |name: &str| -> Command {
        let line = format!(r#"{{"command":"delete","kind":"part","name":"{name}"}}"#);
        serde_json::from_str(&line).unwrap()
    };
    delete("plug").apply(&mut scene).unwrap();
    assert_eq!(scene.junctions[0].carries, [side.as_str(), "lock"]);
    delete(&side).apply(&mut scene).unwrap();
    assert!(scene.junctions[0].carries.is_empty());
}

#[test]
fn connectors_and_side_stop_together_where_the_cables_hold_them() {
    let scene = plugged();
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let before = simulation.scene().clone();
    let junction = before.junctions[0].clone();
    let drag = |simulation: &mut Simulation, way: f64| {
        let command = Command::MoveJunction {
            junction: junction.name.clone(),
            position: Some((junction.pose.position + Vec3::z() * way).into()),
            rotation: None,
        };
        simulation.apply(&command).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        let scene = simulation.scene();
        let place = |name: &str| {
            let k = scene.parts.iter().position(|p| p.name == name).unwrap();
            // In the document, and as the solver has it.
            [
                *scene.parts[k].placement(),
                simulation.obstacles()[k].pose(),
            ]
        };
        junction
            .carries
            .iter()
            .flat_map(|n| place(n))
            .collect::<Vec<Pose>>()
    };
    // The trunk is straight and hardly stretches: all stop short, at one height.
    let places = drag(&mut simulation, 200.0);
    let first = places[0];
    assert!(
        first.position.z > 0.05 && first.position.z < 100.0,
        "{first:?}"
    );
    for place in &places {
        assert!(
            (place.position - first.position).norm() < 1e-6,
            "{places:?}"
        );
    }
    let [held] = simulation.held_parts() else {
        panic!("{:?}", simulation.held_parts())
    };
    assert_eq!(held.part, junction.carries[0]);
}
