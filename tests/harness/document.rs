//! Free junctions and hanging bodies in the document: they follow, are held where they are dragged, and are kept.

use loomwright::geom::{Aabb, Pose, Vec3};
use loomwright::mesh::primitives;
use loomwright::scene::file::{load, save};
use loomwright::scene::{
    Command, HandlePlace, Junction, JunctionEnd, Part, Scene, Simulation, demo,
};
use loomwright::solve::{CancelToken, Status};

use crate::net::along;

/// Three cables of a demo that meet in a junction.
fn three() -> Scene {
    let mut scene = demo::demo("box").unwrap();
    scene.parts.clear();
    let cable = scene.cables.remove(0);
    let outer = [
        Vec3::new(-300.0, 0.0, 0.0),
        Vec3::new(280.0, 150.0, 30.0),
        Vec3::new(250.0, -200.0, -20.0),
    ];
    let mut ends = Vec::new();
    for (k, place) in outer.iter().enumerate() {
        let mut branch = cable.clone();
        branch.name = format!("branch {k}");
        branch.length = 1.05 * place.norm();
        branch.basis_length = branch.length;
        branch.n_edges = 24;
        branch.shape = None;
        for handle in &mut branch.handles {
            handle.pose = match handle.place {
                HandlePlace::Start => along(Vec3::zeros(), *place),
                _ => along(*place, *place),
            };
        }
        let start = branch.handle_at(HandlePlace::Start).unwrap();
        ends.push(JunctionEnd {
            cable: branch.name.clone(),
            handle: start.name.clone(),
            in_junction: start.pose,
        });
        scene.cables.push(branch);
    }
    scene.junctions = vec![Junction {
        name: "J1".to_owned(),
        pose: Pose::identity(),
        ends,
        carries: Vec::new(),
        free: false,
        mass_kg: 0.0,
    }];
    scene
}

fn apply(simulation: &mut Simulation, json: &str) {
    let command: Command = serde_json::from_str(json).unwrap();
    simulation.apply(&command).unwrap();
}

fn solve(simulation: &mut Simulation) {
    for report in simulation.solve_quietly(&CancelToken::default()).iter() {
        let status = report.report.status;
        assert_eq!(status, Status::Converged, "{}", report.cable);
    }
}

fn place(simulation: &Simulation) -> Vec3 {
    simulation.scene().junctions[0].pose.position
}

/// A free junction that has found its place.
fn free() -> Simulation {
    let mut simulation = Simulation::new(three()).unwrap();
    solve(&mut simulation);
    assert_eq!(place(&simulation), Vec3::zeros(), "a held one stays");
    apply(
        &mut simulation,
        r#"{"command":"change_junction","junction":"J1","free":true}"#,
    );
    solve(&mut simulation);
    assert!(
        place(&simulation).norm() > 1.0,
        "a free one finds its place"
    );
    simulation
}

#[test]
fn a_free_junction_follows_a_branch_and_its_ends_stay_together() {
    let mut simulation = free();
    let before = place(&simulation);
    apply(
        &mut simulation,
        r#"{"command":"move_handle","cable":"branch 1","handle":"end","position":[295,158,30]}"#,
    );
    solve(&mut simulation);
    assert!((place(&simulation) - before).norm() > 1.0);
    let scene = simulation.scene();
    for end in &scene.junctions[0].ends {
        let cable = scene.cable(&end.cable).unwrap();
        let there = scene.junctions[0].pose.compose(&end.in_junction);
        assert!((cable.handle(&end.handle).unwrap().pose.position - there.position).norm() < 1e-9);
        let node = cable.shape.as_ref().unwrap().points[0];
        assert!((node - there.position).norm() < 1e-9);
    }
}

#[test]
fn a_free_junction_that_is_dragged_is_held_there() {
    let mut simulation = free();
    let to = place(&simulation) + Vec3::new(5.0, -4.0, 10.0);
    let command = Command::MoveJunction {
        junction: "J1".to_owned(),
        position: Some(to.into()),
        rotation: None,
    };
    simulation.apply(&command).unwrap();
    solve(&mut simulation);
    assert!((place(&simulation) - to).norm() < 1e-9);
    assert!(!simulation.scene().junctions[0].free);
    apply(
        &mut simulation,
        r#"{"command":"move_handle","cable":"branch 1","handle":"end","position":[282,152,30]}"#,
    );
    solve(&mut simulation);
    assert!(
        (place(&simulation) - to).norm() < 1e-9,
        "it does not follow"
    );
}

#[test]
fn what_was_found_is_kept_with_the_scene() {
    let simulation = free();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("harness.scene.json");
    save(simulation.scene(), &path).unwrap();
    let (scene, _) = load(&path).unwrap();
    assert!(scene.junctions[0].free);
    let mut opened = Simulation::new(scene).unwrap();
    let reports = opened.solve_quietly(&CancelToken::default());
    assert!(reports.iter().all(|r| r.report.iterations == 0), "at rest");
    for (a, b) in opened.solvers().iter().zip(simulation.solvers()) {
        let both = a.state().positions.iter().zip(&b.state().positions);
        let off = both.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{off}");
    }
}

/// A chain of free junctions, each with a branch beside.
fn chain() -> Simulation {
    const LINKS: usize = 5;
    let mut scene = three();
    let cable = scene.cables[0].clone();
    scene.cables.clear();
    scene.junctions.clear();
    let place = |k: usize| Vec3::new(200.0 * k as f64, 30.0 * (k % 2) as f64, 0.0);
    let side = |k: usize| place(k) + Vec3::new(20.0, 180.0, -10.0);
    let mut branch = |name: String, from: Vec3, to: Vec3| {
        let mut branch = cable.clone();
        branch.name = name;
        branch.length = 1.06 * (to - from).norm();
        branch.basis_length = branch.length;
        for handle in &mut branch.handles {
            handle.pose = match handle.place {
                HandlePlace::Start => along(from, to - from),
                _ => along(to, to - from),
            };
        }
        scene.cables.push(branch);
    };
    (0..LINKS).for_each(|k| branch(format!("link {k}"), place(k), place(k + 1)));
    (1..LINKS).for_each(|k| branch(format!("side {k}"), place(k), side(k)));
    for k in 1..LINKS {
        let end = |cable: String, at: HandlePlace| {
            let handle = scene.cable(&cable).unwrap().handle_at(at).unwrap();
            JunctionEnd {
                handle: handle.name.clone(),
                in_junction: along(place(k), Vec3::z()).inverse().compose(&handle.pose),
                cable,
            }
        };
        let ends = vec![
            end(format!("link {}", k - 1), HandlePlace::End),
            end(format!("link {k}"), HandlePlace::Start),
            end(format!("side {k}"), HandlePlace::Start),
        ];
        scene.junctions.push(Junction {
            name: format!("J{k}"),
            pose: along(place(k), Vec3::z()),
            ends,
            carries: Vec::new(),
            free: true,
            mass_kg: 0.0,
        });
    }
    let mut simulation = Simulation::new(scene).unwrap();
    solve(&mut simulation);
    simulation
}

/// Blocks that rods keep were of frames before, and a harness that was saved and opened went on by other bits.
#[test]
fn what_is_not_in_the_document_of_a_harness_has_no_meaning() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("harness.scene.json");
    let mut rng = fastrand::Rng::with_seed(5);
    let mut running = chain();
    let mut opened = running.clone();
    let nodes = |s: &Simulation| -> Vec<Vec3> {
        let solvers = s.solvers().iter();
        solvers.flat_map(|s| s.state().positions.clone()).collect()
    };
    let start = nodes(&running);
    let keeps = |s: &Simulation| {
        let memories = s
            .scene()
            .cables
            .iter()
            .filter_map(|c| c.shape.as_ref()?.memory.clone());
        memories.filter(|m| m.state.kept_at.is_some()).count()
    };
    let mut kept = 0;
    for frame in 0..24 {
        let step = Vec3::new(0.3, -0.2, 1.0) * [0.002, 0.05, 3.0][frame % 3];
        let way = rng.usize(0..3);
        match way {
            0 => opened = Simulation::new(opened.scene().clone()).unwrap(),
            1 => {
                save(opened.scene(), &path).unwrap();
                opened = Simulation::new(load(&path).unwrap().0).unwrap();
            }
            _ => {}
        }
        for simulation in [&mut running, &mut opened] {
            let cable = simulation.scene().cables[0].clone();
            let command = Command::MoveHandle {
                handle: cable.handle_at(HandlePlace::Start).unwrap().name.clone(),
                position: Some((cable.handles[0].pose.position + step).into()),
                cable: cable.name,
                rotation: None,
            };
            simulation.apply(&command).unwrap();
            let reports = simulation.solve_quietly(&CancelToken::default());
            assert!(reports.iter().any(|r| r.report.iterations > 0));
        }
        assert!(nodes(&running) == nodes(&opened), "frame {frame}, {way}");
        kept += keeps(&opened);
    }
    assert!(
        kept > 20,
        "{kept} shapes beside those of cables prove nothing"
    );
    let moved = start.iter().zip(nodes(&running)).filter(|(a, b)| **a != *b);
    assert!(moved.count() > 100, "what stands still proves nothing");
}

#[test]
fn a_connector_hangs_on_a_cable_by_one_command() {
    let mut scene = demo::demo("box").unwrap();
    scene.parts.clear();
    let mut simulation = Simulation::new(scene).unwrap();
    solve(&mut simulation);
    let end = |s: &Simulation| *s.solvers()[0].state().positions.last().unwrap();
    let before = end(&simulation);
    apply(
        &mut simulation,
        r#"{"command":"hang_body","cable":"cable","handle":"end","mass_kg":0.05}"#,
    );
    solve(&mut simulation);
    assert!(end(&simulation).z < before.z - 50.0, "it hangs down");
    assert!((end(&simulation) - place(&simulation)).norm() < 1e-9);
    let refused = Command::HangBody {
        cable: "cable".to_owned(),
        handle: "end".to_owned(),
        mass_kg: Some(0.1),
        name: None,
        parts: Vec::new(),
        density_kg_m3: None,
    };
    let message = simulation.apply(&refused).unwrap_err().to_string();
    assert!(message.contains("give the junction the mass"), "{message}");
}

#[test]
fn branches_of_a_tie_turn_freely() {
    let mut simulation = free();
    apply(
        &mut simulation,
        r#"{"command":"change_junction","junction":"J1","branches_turn":true}"#,
    );
    solve(&mut simulation);
    let scene = simulation.scene();
    for end in &scene.junctions[0].ends {
        let number = scene.cables.iter().position(|c| c.name == end.cable);
        let solver = &simulation.solvers()[number.unwrap()];
        assert!(solver.state().clamps[0].is_none(), "nothing holds an angle");
        assert!((solver.state().positions[0] - place(&simulation)).norm() < 1e-9);
    }
    apply(
        &mut simulation,
        r#"{"command":"change_junction","junction":"J1","branches_turn":false}"#,
    );
    solve(&mut simulation);
}

#[test]
fn cables_that_only_free_junctions_hold_stay_where_they_are_and_say_so() {
    let mut scene = free().scene().clone();
    // Nothing is left that holds an outer end.
    for cable in &mut scene.cables {
        cable.handles.retain(|h| h.place == HandlePlace::Start);
    }
    let mut simulation = Simulation::new(scene).unwrap();
    let nodes = |s: &Simulation| s.solvers()[1].state().positions.clone();
    let before = nodes(&simulation);
    for report in simulation.solve_quietly(&CancelToken::default()).iter() {
        assert_eq!(report.report.status, Status::NotHeld, "{}", report.cable);
        assert_eq!(report.report.iterations, 0);
    }
    assert_eq!(nodes(&simulation), before, "it would fall for ever");
    // One end of one cable holds all of them.
    apply(
        &mut simulation,
        r#"{"command":"add_handle","cable":"branch 0","name":"end","place":"end","kind":"full"}"#,
    );
    solve(&mut simulation);
    let moved = nodes(&simulation).last().unwrap().z;
    assert!(moved < before.last().unwrap().z - 50.0, "they hang from it");
}

/// A cable that hangs from its start, with a plug of 40 mm at its free end, over a table.
fn plug(mass_kg: f64) -> Simulation {
    let mut scene = demo::demo("box").unwrap();
    scene.cables[0].length = 260.0;
    scene.cables[0].basis_length = 260.0;
    scene.cables[0].n_edges = 40;
    scene.cables[0].shape = None;
    let start = along(Vec3::new(0.0, 0.0, 300.0), Vec3::x());
    let end = along(Vec3::new(200.0, 0.0, 220.0), Vec3::x());
    for handle in &mut scene.cables[0].handles {
        handle.pose = match handle.place {
            HandlePlace::Start => start,
            _ => end,
        };
    }
    let block = |min: Vec3, max: Vec3| primitives::cuboid(&Aabb { min, max });
    let table = block(
        Vec3::new(-200.0, -200.0, -20.0),
        Vec3::new(400.0, 200.0, 60.0),
    );
    scene.parts[0] = Part::new("table", table);
    let middle = end.position + Vec3::x() * 20.0;
    let half = Vec3::new(20.0, 9.0, 7.0);
    scene
        .parts
        .push(Part::new("plug", block(middle - half, middle + half)));
    let mut simulation = Simulation::new(scene).unwrap();
    solve(&mut simulation);
    apply(
        &mut simulation,
        &format!(
            r#"{{"command":"hang_body","cable":"cable","handle":"end","mass_kg":{mass_kg},"parts":["plug"]}}"#
        ),
    );
    simulation
}

fn lowest_of_plug(simulation: &Simulation) -> f64 {
    let mesh = simulation.scene().parts[1].mesh();
    let heights = mesh.vertices().iter().map(|v| v.z);
    heights.fold(f64::INFINITY, f64::min)
}

#[test]
fn a_plug_on_a_cable_comes_to_rest_on_a_table_and_its_part_goes_with_it() {
    let mut simulation = plug(0.3);
    solve(&mut simulation);
    let lowest = lowest_of_plug(&simulation);
    assert!(lowest > 60.0, "it went into the table: {lowest}");
    assert!(lowest < 65.0, "it hangs in the air: {lowest}");
    // The part is where the junction has it.
    let junction = &simulation.scene().junctions[0];
    let (_, center) = simulation.scene().parts[1].base().volume_and_center();
    let center = simulation.scene().parts[1].placement().transform(&center);
    let arm = center - junction.pose.position;
    assert!((arm.norm() - 20.0).abs() < 1e-6, "{arm:?}");
    // Dragged up by its part it is held, and free again it comes back.
    let mut there = *simulation.scene().parts[1].placement();
    there.position.z += 40.0;
    let [x, y, z]: [f64; 3] = there.position.into();
    apply(
        &mut simulation,
        &format!(r#"{{"command":"move_part","part":"plug","position":[{x},{y},{z}]}}"#),
    );
    solve(&mut simulation);
    assert!(!simulation.scene().junctions[0].free);
    assert!(lowest_of_plug(&simulation) > 95.0);
    apply(
        &mut simulation,
        r#"{"command":"change_junction","junction":"cable body","free":true}"#,
    );
    solve(&mut simulation);
    let again = lowest_of_plug(&simulation);
    assert!(again > 60.0 && again < 65.0, "{again}");
}
