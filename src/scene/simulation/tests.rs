//! Taking over changed scenes.

use std::f64::consts::TAU;

use super::*;
use crate::mesh::primitives;
use crate::scene::demo::demo;
use crate::scene::{Handle, HandleKind};
use crate::solve::{CancelToken, Status};

fn moved_end(x: f64) -> Command {
    moved_end_to([x, 0.0, 430.0])
}

fn moved_end_to(position: [f64; 3]) -> Command {
    Command::MoveHandle {
        cable: "cable".to_owned(),
        handle: "end".to_owned(),
        position: Some(position),
        rotation: None,
    }
}

/// Where the triangles of an obstacle are in memory.
fn place(simulation: &Simulation, part: usize) -> *const Obstacle {
    &raw const simulation.obstacles[part]
}

#[test]
fn an_undo_keeps_every_obstacle_and_solves_as_a_fresh_start() {
    let mut simulation = Simulation::new(demo("drag").unwrap()).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let before = simulation.scene().clone();
    let kept = place(&simulation, 0);
    simulation.apply(&moved_end(540.0)).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    assert_ne!(simulation.scene(), &before);

    simulation.replace_scene(before.clone()).unwrap();
    assert_eq!(simulation.scene(), &before);
    assert_eq!(place(&simulation, 0), kept, "built again");
    let mut fresh = Simulation::new(before).unwrap();
    for s in [&mut simulation, &mut fresh] {
        s.apply(&moved_end(550.0)).unwrap();
        s.solve_quietly(&CancelToken::default());
    }
    assert_eq!(simulation.scene(), fresh.scene());
}

#[test]
fn parts_that_come_go_and_change_places_keep_their_own_obstacles() {
    let mut simulation = Simulation::new(demo("drag").unwrap()).unwrap();
    let mut scene = simulation.scene().clone();
    let aabb = scene.parts[2].mesh().aabb();
    scene.parts.remove(1);
    scene.parts.swap(0, 1);
    scene
        .parts
        .push(Part::new("crate", primitives::cuboid(&aabb)));
    simulation.replace_scene(scene.clone()).unwrap();
    let of_parts = scene.parts.iter().map(|p| p.mesh().triangles().len());
    let of_obstacles = simulation.obstacles.iter().map(Obstacle::n_triangles);
    assert!(of_parts.eq(of_obstacles));
    assert!(Arc::ptr_eq(
        &simulation.obstacles,
        &simulation.solvers[0].problem().obstacles
    ));
}

#[test]
fn a_scene_that_cannot_be_taken_over_leaves_all_as_it_was() {
    let mut simulation = Simulation::new(demo("drag").unwrap()).unwrap();
    let before = simulation.scene().clone();
    let mut bad = before.clone();
    bad.cables[0].n_edges += 1;
    assert!(simulation.replace_scene(bad).is_err());
    assert_eq!(simulation.scene(), &before);
}

fn command(line: &str) -> Command {
    serde_json::from_str(line).unwrap()
}

fn largest_motion(before: &Scene, after: &Scene) -> f64 {
    let points = |scene: &Scene| scene.cables[0].shape.clone().unwrap().points;
    let pairs = points(before).into_iter().zip(points(after));
    pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// A handle of any kind, added anywhere to a solved cable, moves nothing and exerts no force.
#[test]
fn an_added_handle_moves_nothing() {
    let mut simulation = Simulation::new(demo("drag").unwrap()).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let before = simulation.scene().clone();
    for kind in [
        r#""full""#,
        r#""direction""#,
        r#""position""#,
        r#"{"spring":{"stiffness":0.5}}"#,
    ] {
        for at in [3.0, 100.0, 447.3, 896.0] {
            let mut simulation = Simulation::new(before.clone()).unwrap();
            let line = format!(
                r#"{{"command":"add_handle","cable":"cable","place":{{"at":{at}}},"kind":{kind}}}"#
            );
            if simulation.apply(&command(&line)).is_err() {
                // In the edge of the end's own handle.
                assert!(!(10.0..890.0).contains(&at), "{line}");
                continue;
            }
            let report = simulation.solve_quietly(&CancelToken::default())[0]
                .report
                .clone();
            assert_eq!(report.status, Status::Converged, "{line}");
            let motion = largest_motion(&before, simulation.scene());
            assert!(motion < 1e-6, "{line}: {motion} mm");
            let force = report.handles[2].force.norm();
            assert!(
                force < 1e-5 * report.handles[0].force.norm(),
                "{line}: {force} N"
            );
        }
    }
}

/// A typed roll of 720 degrees is two turns, also after saving and loading, and when loaded before it was solved.
#[test]
fn two_turns_stay_two_turns_in_a_file() {
    let mut simulation = Simulation::new(demo("drag").unwrap()).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let twist = |simulation: &Simulation| -> f64 {
        let solver = &simulation.solvers()[0];
        (0..=solver.problem().rod.n_edges())
            .map(|j| solver.state().joint_twist(j))
            .sum()
    };
    let straight = twist(&simulation);
    let turn = r#"{"command":"change_handle","cable":"cable","handle":"end","turns":2}"#;
    simulation.apply(&command(turn)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("turned.json");
    for _ in 0..2 {
        crate::scene::file::save(simulation.scene(), &path).unwrap();
        let (scene, _) = crate::scene::file::load(&path).unwrap();
        simulation = Simulation::new(scene).unwrap();
        let report = simulation.solve_quietly(&CancelToken::default())[0]
            .report
            .clone();
        assert_eq!(report.status, Status::Converged);
        let turned = twist(&simulation) - straight;
        // The rest has become writhe: a sagging cable gives way.
        assert!((turned - 2.0 * TAU).abs() < 0.4 * TAU, "{turned}");
    }
    let before = simulation.scene().clone();
    simulation.solve_quietly(&CancelToken::default());
    assert!(largest_motion(&before, simulation.scene()) < 1e-6);
}

/// A cable without shape is cut so that its handles are where they are said to be.
#[test]
fn a_cold_cable_suits_its_handles() {
    let mut scene = demo("drag").unwrap();
    scene.parts.clear();
    let cable = &mut scene.cables[0];
    cable.shape = None;
    let ends = [
        cable.handles[0].pose.position,
        cable.handles[1].pose.position,
    ];
    let mut pose = cable.handles[0].pose;
    pose.position = ends[0].lerp(&ends[1], 0.4) - Vec3::z() * 60.0;
    let mut handle = Handle::at_end(HandlePlace::At(333.3), pose);
    handle.turns = 1;
    cable.handles.push(handle);
    let mut simulation = Simulation::new(scene).unwrap();
    let report = simulation.solve_quietly(&CancelToken::default())[0]
        .report
        .clone();
    assert_eq!(report.status, Status::Converged);
    let solver = &simulation.solvers()[0];
    let place = solver.problem().grips[2].place;
    assert!((place.arc_length(&solver.problem().rod) - 333.3).abs() < 1e-9);
    assert!((solver.grip_pose(2).position - pose.position).norm() < 1e-9);
    assert!(solver.grip_pose(2).rotation.angle_to(&pose.rotation) < 1e-9);
    assert!((solver.grip_roll(2) - TAU).abs() < 1e-9);
}

#[test]
fn bad_problems_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut crate::scene::Cable), words: &[&str]| {
        let mut scene = demo("drag").unwrap();
        change(&mut scene.cables[0]);
        let Err(error) = Simulation::new(scene) else {
            panic!("not refused: {words:?}");
        };
        for word in words {
            assert!(error.to_string().contains(word), "{error}");
        }
    };
    refused(&|c| c.length = -1.0, &["\"cable\"", "length"]);
    refused(
        &|c| c.handles[1].pose.position.x = f64::NAN,
        &["\"cable\"", "\"end\""],
    );
    refused(&|c| c.section.bending = f64::NAN, &["\"cable\"", "EI"]);
    refused(
        &|c| {
            let pose = c.handles[0].pose;
            for name in ["left", "right"] {
                let mut handle = Handle::at_end(HandlePlace::At(400.0), pose);
                handle.name = name.to_owned();
                c.handles.push(handle);
            }
        },
        &["\"cable\"", "\"left\"", "\"right\""],
    );
    refused(
        &|c| {
            let kind = HandleKind::Spring { stiffness: -1.0 };
            c.handles[1].kind = kind;
        },
        &["\"cable\"", "\"end\"", "stiffness"],
    );
}

/// The length of one span changes, the other keeps its own, and their sum is the total.
#[test]
fn spans_have_lengths_of_their_own() {
    let mut scene = demo("drag").unwrap();
    scene.parts.clear();
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    for line in [
        r#"{"command":"add_handle","cable":"cable","name":"clip","place":{"at":400}}"#,
        r#"{"command":"set_span_length","cable":"cable","from":"clip","to":"end","length":560}"#,
    ] {
        simulation.apply(&command(line)).unwrap();
        let report = simulation.solve_quietly(&CancelToken::default())[0]
            .report
            .clone();
        assert_eq!(report.status, Status::Converged);
    }
    let cable = &simulation.scene().cables[0];
    let clip = cable.arc_length(cable.handle("clip").unwrap());
    assert!((clip - 400.0).abs() < 5.0, "{clip}");
    assert!((cable.length - clip - 560.0).abs() < 1e-9);
    assert_eq!(cable.basis_length, 900.0);
    let rod = &simulation.solvers()[0].problem().rod;
    assert!((rod.length() - cable.length).abs() < 1e-9);
    let middle = simulation.solvers()[0].problem().grips[2]
        .place
        .arc_length(rod);
    assert!(
        (middle - clip).abs() < 1e-9,
        "the clip holds the same piece"
    );
    let wrong = r#"{"command":"set_span_length","cable":"cable","from":"clip","to":"nowhere","length":560}"#;
    assert!(simulation.apply(&command(wrong)).is_err());
}

/// A grommet lets the cable through, and the file knows where it sits then.
#[test]
fn a_grommet_lets_the_cable_through() {
    let mut scene = demo("drag").unwrap();
    scene.parts.clear();
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let line = r#"{"command":"add_handle","cable":"cable","name":"grommet","place":{"at":450},
                   "kind":{"sliding":{"min":100,"max":800}}}"#;
    simulation.apply(&command(line)).unwrap();
    let place = |simulation: &Simulation| {
        let cable = &simulation.scene().cables[0];
        cable.arc_length(cable.handle("grommet").unwrap())
    };
    let before = place(&simulation);
    let at = simulation.scene().cables[0]
        .handle("grommet")
        .unwrap()
        .pose
        .position;
    for k in 1..=10 {
        let mut handle = at;
        handle.x += 10.0 * f64::from(k);
        let command = Command::MoveHandle {
            cable: "cable".to_owned(),
            handle: "grommet".to_owned(),
            position: Some(handle.into()),
            rotation: None,
        };
        simulation.apply(&command).unwrap();
        let report = simulation.solve_quietly(&CancelToken::default())[0]
            .report
            .clone();
        assert_eq!(report.status, Status::Converged, "{k}");
    }
    let after = place(&simulation);
    assert!(after > before + 50.0, "{before} {after}");
    assert!((simulation.scene().cables[0].length - 900.0).abs() < 1e-9);
    let mut again = Simulation::new(simulation.scene().clone()).unwrap();
    again.solve_quietly(&CancelToken::default());
    assert!(largest_motion(simulation.scene(), again.scene()) < 0.01);
}

/// A free length shortens and lengthens with its handles, and stays as found when it is fixed again.
#[test]
fn a_free_length_follows_the_handles() {
    let mut scene = demo("drag").unwrap();
    scene.parts.clear();
    let mut simulation = Simulation::new(scene).unwrap();
    let length = |simulation: &Simulation| simulation.scene().cables[0].length;
    let solve = |simulation: &mut Simulation| {
        let report = simulation.solve_quietly(&CancelToken::default())[0]
            .report
            .clone();
        assert_eq!(report.status, Status::Converged);
    };
    let mut lengths = Vec::new();
    for straightness in [1.5, 4.0] {
        let line = format!(
            r#"{{"command":"set_free_length","cable":"cable","straightness":{straightness}}}"#
        );
        simulation.apply(&command(&line)).unwrap();
        solve(&mut simulation);
        lengths.push(length(&simulation));
    }
    assert!(
        lengths[1] < lengths[0],
        "straighter is shorter: {lengths:?}"
    );
    let end = simulation.scene().cables[0]
        .handle("end")
        .unwrap()
        .pose
        .position;
    let move_end = Command::MoveHandle {
        cable: "cable".to_owned(),
        handle: "end".to_owned(),
        position: Some((end + Vec3::x() * 100.0).into()),
        rotation: None,
    };
    simulation.apply(&move_end).unwrap();
    solve(&mut simulation);
    let found = length(&simulation);
    assert!(
        (found - lengths[1] - 100.0).abs() < 20.0,
        "{found} after {lengths:?}"
    );
    simulation
        .apply(&command(r#"{"command":"set_free_length","cable":"cable"}"#))
        .unwrap();
    let before = simulation.scene().clone();
    solve(&mut simulation);
    assert_eq!(length(&simulation), found);
    assert!(largest_motion(&before, simulation.scene()) < 0.01);
    assert_eq!(simulation.scene().cables[0].basis_length, 900.0);
}

/// One cable is lowered onto another and lies on it; neither passes through the other.
#[test]
fn a_cable_that_is_lowered_onto_another_lies_on_it() {
    let mut simulation = Simulation::new(demo("crossing").unwrap()).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let mut judge = crate::check::CableChecker::new();
    for solver in simulation.solvers() {
        judge.add(4.0, 16.0, &solver.state().positions);
    }
    let mut pressed = 0;
    for frame in 1..=8 {
        for handle in ["start", "end"] {
            let pose = simulation.scene().cables[1].handle(handle).unwrap().pose;
            simulation
                .apply(&Command::MoveHandle {
                    cable: "above".to_owned(),
                    handle: handle.to_owned(),
                    position: Some((pose.position - Vec3::z() * 50.0).into()),
                    rotation: None,
                })
                .unwrap();
        }
        let reports = simulation.solve(&CancelToken::default(), &mut |cable, nodes| {
            judge.push(cable, nodes);
        });
        let of =
            |k: usize| -> Vec3 { reports[k].report.rod_contacts.iter().map(|c| c.force).sum() };
        assert_eq!(reports[1].report.status, Status::Converged, "frame {frame}");
        assert!((of(0) + of(1)).norm() < 1e-9);
        // What is above presses down.
        pressed += usize::from(of(0).z < -1e-3);
    }
    assert!(pressed > 2, "they touch");
    let seen = judge.finish();
    assert_eq!(seen.n_crossings, 0, "{seen:?}");
    assert!(seen.smallest_gap > 0.0);
}

/// A step that may not take long ends in an equilibrium on its way, and the next ones go on to where one that takes its
/// time arrives; one that finds none in time says so and leaves all as it was.
#[test]
fn a_long_way_is_gone_by_short_steps() {
    let mut scene = demo("drag").unwrap();
    scene.parts.clear();
    let mut fresh = Simulation::new(scene).unwrap();
    fresh.solve_quietly(&CancelToken::default());
    let ends = fresh.solvers()[0].state().positions.clone();
    let aside = ends[ends.len() - 1] + Vec3::y() * 250.0;
    fresh.apply(&moved_end_to(aside.into())).unwrap();
    let mut whole = fresh.clone();
    let report = whole.solve_quietly(&CancelToken::default())[0].clone();
    assert_eq!(report.report.status, Status::Converged);

    let mut simulation = fresh.clone();
    let budget = Budget::of_iterations(10);
    for n_steps in 1.. {
        let report = simulation.solve_quietly(&budget)[0].report.clone();
        assert!(report.iterations <= 10 && report.residual <= report.tolerance);
        assert!(n_steps < 20, "{:?}", report.status);
        if report.status == Status::Converged {
            assert!(n_steps > 1, "too short a way to prove anything");
            break;
        }
        assert_eq!(report.status, Status::OnTheWay);
        assert!(report.is_short());
    }
    let apart = largest_motion(whole.scene(), simulation.scene());
    assert!(apart < 1e-3, "{apart} mm");

    let mut simulation = fresh.clone();
    let budget = Budget::of_iterations(2);
    let report = simulation.solve_quietly(&budget)[0].report.clone();
    assert_eq!(report.status, Status::NotConverged);
    let moved = largest_motion(fresh.scene(), simulation.scene());
    assert!(moved == 0.0, "{moved} mm");
    simulation.solve_quietly(budget.without_limit());
    let apart = largest_motion(whole.scene(), simulation.scene());
    assert!(apart < 1e-9, "{apart} mm");
}
