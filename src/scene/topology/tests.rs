use std::collections::BTreeMap;

use super::reversed;
use crate::geom::Vec3;
use crate::scene::demo::demo;
use crate::scene::{Cable, ClipPlace, Command, HandlePlace, RestShape, Scene, Simulation, Skin};
use crate::solve::{Blocker, CancelToken, Status};

fn solved(scene: Scene) -> Scene {
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    simulation.scene().clone()
}

/// The cable that hangs onto the box, at rest with friction.
fn resting() -> Scene {
    let mut scene = demo("box").unwrap();
    for handle in &mut scene.cables[0].handles {
        handle.pose.position.z -= 45.0;
    }
    // A twist, and a moulded rest.
    scene.cables[0].handles[1].turns = 1;
    let n = scene.cables[0].n_edges;
    scene.cables[0].rest = RestShape::Moulded {
        curvatures: vec![[1e-3, 5e-4, 0.0]; n + 1],
        share: 1.0,
        as_designed: None,
    };
    solved(scene)
}

fn apply(scene: &Scene, command: &str) -> Scene {
    let command: Command = serde_json::from_str(command).unwrap();
    let mut next = scene.clone();
    command.apply(&mut next).unwrap();
    crate::scene::file::check(&next).unwrap();
    next
}

fn refusal(scene: &Scene, command: &str) -> String {
    let command: Command = serde_json::from_str(command).unwrap();
    let mut next = scene.clone();
    let error = command.apply(&mut next).unwrap_err().to_string();
    assert_eq!(next, *scene, "a refused edit changes nothing");
    error
}

fn points(scene: &Scene) -> BTreeMap<String, Vec<Vec3>> {
    let of = |c: &Cable| (c.name.clone(), c.shape.as_ref().unwrap().points.clone());
    scene.cables.iter().map(of).collect()
}

/// How far a solve moves a node at most, mm.
fn moves(scene: &Scene) -> f64 {
    let after = points(&solved(scene.clone()));
    let mut most = 0.0_f64;
    for (name, before) in points(scene) {
        for (p, q) in before.iter().zip(&after[&name]) {
            most = most.max((p - q).norm());
        }
    }
    most
}

const SPLIT: &str = r#"{"command":"split_cable","cable":"cable","at":300}"#;

#[test]
fn a_cut_and_a_merge_move_nothing() {
    let scene = resting();
    let rests = scene.cables[0]
        .shape
        .as_ref()
        .unwrap()
        .memory
        .as_ref()
        .unwrap();
    assert!(!rests.state.friction.is_empty(), "it lies on the box");
    let still = moves(&scene);
    let two = apply(&scene, SPLIT);
    assert_eq!(two.cables.len(), 2);
    assert_eq!(
        (two.cables[0].name.as_str(), two.cables[1].name.as_str()),
        ("cable", "cable 2")
    );
    let [a, b] = &two.cables[..] else { panic!() };
    assert!((a.length - 300.0).abs() < 5.0, "{}", a.length);
    assert!((a.length + b.length - scene.cables[0].length).abs() < 1e-9);
    assert_eq!(two.junctions[0].name, "cable J1");
    let by_cut = moves(&two);
    let one = apply(
        &two,
        r#"{"command":"merge_cables","first":"cable","second":"cable 2"}"#,
    );
    assert_eq!((one.cables.len(), one.junctions.len()), (1, 0));
    let handles = |s: &Scene| s.cables[0].handles.clone();
    assert_eq!(handles(&one), handles(&scene));
    assert_eq!(points(&one), points(&scene));
    assert_eq!(one.cables[0].rest, scene.cables[0].rest);
    let by_merge = moves(&one);
    // Merged from a solved cut too: what the cut moved comes back.
    let solved_cut = solved(two);
    let again = apply(
        &solved_cut,
        r#"{"command":"merge_cables","first":"cable","second":"cable 2"}"#,
    );
    let there_and_back = moves(&again);
    println!(
        "still {still:.2e}, cut {by_cut:.2e}, merged {by_merge:.2e}, after {there_and_back:.2e} mm"
    );
    // With a whole turn of twist in it, a moulded rest and friction: 0, 0.006, 0 and 0.035 mm.
    for (mm, most) in [
        (still, 1e-6),
        (by_cut, 0.02),
        (by_merge, 1e-3),
        (there_and_back, 0.1),
    ] {
        assert!(mm < most, "{mm} mm");
    }
    // Twist and turns are those of the whole.
    let twist = |s: &Scene| -> f64 {
        s.cables
            .iter()
            .map(|c| c.shape.as_ref().unwrap().total_twist())
            .sum()
    };
    assert!((twist(&solved_cut) - twist(&scene)).abs() < 0.05);
    assert!((twist(&again) - twist(&scene)).abs() < 0.05);
}

#[test]
fn a_cable_that_runs_the_other_way_is_the_same_cable() {
    let mut scene = resting();
    let before = scene.cables[0].clone();
    let shape = before.shape.clone().unwrap();
    let ring = |k: u32| SkinPoint {
        edge: 10 * k,
        along: 0.3,
    };
    let vertices: Vec<Vec3> = (0..6)
        .map(|k| shape.place_on_edge(10 * k, 0.3).0 + Vec3::new(1.0, 2.0, 3.0))
        .collect();
    let skin = Skin::bind(&shape, &vertices, vec![[0, 1, 2]], |i| {
        let p = ring(i as u32);
        (p.edge as usize, p.along)
    });
    scene.cables[0].skin = Some(std::sync::Arc::new(skin));
    let back = reversed(&scene.cables[0]);
    let after = back.shape.clone().unwrap();
    for (v, w) in vertices
        .iter()
        .zip(back.skin.as_ref().unwrap().positions(&after))
    {
        assert!((v - w).norm() < 1e-9, "{v} {w}");
    }
    assert!((after.total_twist() - shape.total_twist()).abs() < 1e-9);
    assert_eq!(reversed(&back).shape.unwrap().points, shape.points);
    scene.cables[0] = back;
    let mm = moves(&scene);
    assert!(mm < 1e-4, "{mm} mm");
}

struct SkinPoint {
    edge: u32,
    along: f64,
}

#[test]
fn a_branch_comes_off_slides_and_is_let_go() {
    let mut scene = demo("crossing").unwrap();
    scene.parts.clear();
    scene.exclusions.clear();
    let scene = solved(scene);
    let names: Vec<&str> = scene.cables.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["below", "above"]);
    let trunk = scene.cables[0].length;
    let branched = apply(
        &scene,
        r#"{"command":"branch_off","cable":"above","end":"end","onto":"below","at":300}"#,
    );
    assert_eq!(branched.junctions.len(), 1);
    assert_eq!(branched.junctions[0].ends.len(), 3);
    let place = branched.junctions[0].pose.position;
    let branched = solved(branched);
    let end = *points(&branched)["above"].last().unwrap();
    assert!((end - place).norm() < 1e-6, "the branch ends in the trunk");
    // Along the trunk: material goes from one piece to the other, and the trunk stays.
    let slid = apply(
        &branched,
        r#"{"command":"slide_junction","junction":"below J1","towards":"below 2","by":80}"#,
    );
    let length = |s: &Scene, name: &str| s.cable(name).unwrap().length;
    let by = length(&slid, "below") - length(&branched, "below");
    assert!((by - 80.0).abs() < 6.0, "{by}");
    assert!((length(&slid, "below") + length(&slid, "below 2") - trunk).abs() < 1e-9);
    assert_eq!(slid.junctions[0].ends.len(), 3);
    let moved = (slid.junctions[0].pose.position - place).norm();
    assert!(moved > 60.0 && moved < 90.0, "{moved}");
    let after = solved(slid.clone());
    let end = *points(&after)["above"].last().unwrap();
    assert!(
        (end - slid.junctions[0].pose.position).norm() < 1e-6,
        "it follows"
    );
    // Back, towards the other side.
    let back = apply(
        &after,
        r#"{"command":"slide_junction","junction":"below J1","towards":"below","by":80}"#,
    );
    assert!((length(&back, "below") - length(&branched, "below")).abs() < 6.0);
    let error = refusal(
        &after,
        r#"{"command":"merge_cables","first":"below","second":"below 2"}"#,
    );
    assert!(
        error.contains("below J1") && error.contains("detach"),
        "{error}"
    );
    let free = apply(
        &after,
        r#"{"command":"detach","cable":"above","handle":"end"}"#,
    );
    assert_eq!(free.junctions[0].ends.len(), 2);
    let one = apply(
        &free,
        r#"{"command":"merge_cables","first":"below","second":"below 2"}"#,
    );
    assert!(one.junctions.is_empty());
    assert!((length(&one, "below") - trunk).abs() < 1e-9);
    // Without its branch the junction of two is left; without the second it holds nothing together.
    let gone = apply(
        &after,
        r#"{"command":"delete","kind":"cable","name":"above"}"#,
    );
    assert_eq!(gone.junctions[0].ends.len(), 2);
    let gone = apply(
        &gone,
        r#"{"command":"delete","kind":"cable","name":"below 2"}"#,
    );
    assert!(gone.junctions.is_empty());
    assert!(gone.cable("below").unwrap().handle("end").is_some());
}

#[test]
fn ends_join_in_any_direction_and_the_first_gives_name_and_direction() {
    let scene = resting();
    let two = apply(&scene, SPLIT);
    let whole = &scene.cables[0];
    let named = apply(
        &two,
        r#"{"command":"merge_cables","first":"cable 2","second":"cable"}"#,
    );
    assert_eq!(named.cables[0].name, "cable 2");
    assert_eq!(points(&named)["cable 2"], points(&scene)["cable"]);
    // The second piece turned round by hand: they meet end to end.
    let mut turned = two.clone();
    turned.cables[1] = reversed(&turned.cables[1]);
    let ends = &mut turned.junctions[0].ends;
    ends[1].in_junction = super::turned(&ends[1].in_junction);
    let one = apply(
        &turned,
        r#"{"command":"merge_cables","first":"cable","second":"cable 2"}"#,
    );
    assert_eq!(points(&one)["cable"], points(&scene)["cable"]);
    let mm = moves(&one);
    assert!(mm < 1e-3, "{mm} mm");
    assert_eq!(one.cables[0].length, whole.length);
    let apart = apply(
        &two,
        r#"{"command":"detach","cable":"cable 2","handle":"start"}"#,
    );
    assert!(apart.junctions.is_empty());
    let again = apply(
        &apart,
        r#"{"command":"join_ends","cable":"cable 2","end":"start","to":"cable","to_end":"end"}"#,
    );
    assert_eq!(again.junctions.len(), 1);
    let mm = moves(&again);
    assert!(mm < 0.02, "{mm} mm");
    for (command, why) in [
        (
            r#"{"command":"split_cable","cable":"cable","at":-1}"#,
            "arc length",
        ),
        (
            r#"{"command":"split_cable","cable":"cable","at":100,"name":"cable 2"}"#,
            "already",
        ),
        (
            r#"{"command":"detach","cable":"cable","handle":"start"}"#,
            "no junction",
        ),
        (
            r#"{"command":"join_ends","cable":"cable","end":"end","to":"cable 2","to_end":"end"}"#,
            "detach",
        ),
        (
            r#"{"command":"merge_cables","first":"cable","second":"cable"}"#,
            "itself",
        ),
        (
            r#"{"command":"slide_junction","junction":"cable J1","towards":"cable","by":5000}"#,
            "ahead",
        ),
        (
            r#"{"command":"clip_cables","places":[{"cable":"cable","at":100}]}"#,
            "two or more",
        ),
    ] {
        let error = refusal(&two, command);
        assert!(error.contains(why), "{command}: {error}");
    }
}

#[test]
fn an_extended_end_leaves_the_rest_as_long_as_it_was() {
    let mut scene = resting();
    scene.cables[0].rest = RestShape::Straight;
    let handle = r#"{"command":"add_handle","cable":"cable","name":"clip","place":{"at":400}}"#;
    let scene = apply(&scene, handle);
    let longer = apply(
        &scene,
        r#"{"command":"extend_cable","cable":"cable","end":"end","by":60}"#,
    );
    let of = |s: &Scene| s.cables[0].edge_lengths();
    assert!((longer.cables[0].length - scene.cables[0].length - 60.0).abs() < 1e-9);
    let (old, new) = (of(&scene), of(&longer));
    assert_eq!(old[..90], new[..90]);
    let at = |s: &Scene| s.cables[0].handle("clip").unwrap().place;
    assert_eq!(at(&scene), at(&longer));
    let front = apply(
        &scene,
        r#"{"command":"extend_cable","cable":"cable","end":"start","by":-20}"#,
    );
    let (HandlePlace::At(a), HandlePlace::At(b)) = (at(&scene), at(&front)) else {
        panic!()
    };
    assert!((a - b - 20.0).abs() < 1e-9);
    let too_short = r#"{"command":"extend_cable","cable":"cable","end":"start","by":-600}"#;
    let error = refusal(&scene, too_short);
    assert!(error.contains("at its start"), "{error}");
}

#[test]
fn a_clip_moves_its_cables_as_one() {
    let mut scene = demo("crossing").unwrap();
    scene.parts.clear();
    let scene = solved(scene);
    let command = Command::ClipCables {
        name: None,
        places: vec![
            ClipPlace {
                cable: "below".to_owned(),
                at: 300.0,
            },
            ClipPlace {
                cable: "above".to_owned(),
                at: 300.0,
            },
        ],
    };
    let mut clipped = scene.clone();
    command.apply(&mut clipped).unwrap();
    let mm = moves(&clipped);
    println!("clip {mm:.2e} mm");
    assert!(mm < 1e-3, "{mm} mm");
    let before = clipped.junctions[0].pose.position;
    let target = before + Vec3::new(0.0, 0.0, 10.0);
    let [x, y, z]: [f64; 3] = target.into();
    let name = clipped.junctions[0].name.clone();
    let moved = apply(
        &clipped,
        &format!(r#"{{"command":"move_junction","junction":"{name}","position":[{x},{y},{z}]}}"#),
    );
    let after = solved(moved);
    for end in &after.junctions[0].ends {
        let (old, new) = (
            clipped.cable(&end.cable).unwrap(),
            after.cable(&end.cable).unwrap(),
        );
        let place = |c: &Cable| {
            c.standing_pose(c.handle(&end.handle).unwrap())
                .unwrap()
                .position
        };
        let by = place(new) - place(old);
        assert!((by - Vec3::new(0.0, 0.0, 10.0)).norm() < 1e-6, "{by}");
    }
}

#[test]
fn more_length_at_an_end_again_and_again_is_shared_by_more_edges() {
    let mut longer = resting();
    longer.cables[0].rest = RestShape::Straight;
    for _ in 0..8 {
        longer = apply(
            &longer,
            r#"{"command":"extend_cable","cable":"cable","end":"end","by":16}"#,
        );
    }
    let edges = longer.cables[0].edge_lengths();
    let most = edges.iter().copied().fold(0.0, f64::max);
    // The last one took nearly all of it once: 130 mm.
    assert!(most < 50.0, "{edges:?}");
}

/// The two cables of the demo, one of them cut at an arc length, and the end behind the cut detached.
fn detached(at: f64) -> Scene {
    let mut scene = demo("crossing").unwrap();
    scene.parts.clear();
    let scene = solved(scene);
    let split = format!(r#"{{"command":"split_cable","cable":"below","at":{at}}}"#);
    apply(
        &solved(apply(&scene, &split)),
        r#"{"command":"detach","cable":"below 2","handle":"start"}"#,
    )
}

#[test]
fn an_end_that_was_detached_stays_and_is_stopped_by_its_partner_once_it_has_parted() {
    let scene = detached(300.0);
    let mm = moves(&scene);
    assert!(mm < 0.1, "it stays where it was, but moved by {mm} mm");
    let mut simulation = Simulation::new(scene).unwrap();
    let place = simulation.scene().cables[1].handles[0].pose.position;
    let mut drag = |to: Vec3| {
        let command = Command::MoveHandle {
            cable: "below 2".to_owned(),
            handle: "start".to_owned(),
            position: Some(to.into()),
            rotation: None,
        };
        simulation.apply(&command).unwrap();
        let reports = simulation.solve_quietly(&CancelToken::default());
        let apart = simulation.clearances(0.0).is_empty();
        (
            reports[1].report.status,
            reports[1].report.handles[0],
            apart,
        )
    };
    let aside = place + Vec3::new(0.0, 30.0, 0.0);
    let (status, _, apart) = drag(aside);
    assert_eq!((status, apart), (Status::Converged, true));
    let (status, handle, apart) = drag(place);
    assert_eq!((status, apart), (Status::Blocked, true));
    assert!(
        matches!(handle.blocker, Some(Blocker::Rod(0))),
        "{handle:?}"
    );
}

#[test]
fn a_handle_that_leaves_a_junction_is_not_sent_on_to_where_that_could_not_go() {
    let scene = detached(700.0);
    let join =
        r#"{"command":"join_ends","cable":"below 2","end":"start","to":"above","to_end":"end"}"#;
    let joined = solved(apply(&scene, join));
    let out = |scene: &Scene| {
        let cable = scene.cable("below 2").unwrap();
        let handle = cable.handle("start").unwrap();
        let stands = cable.standing_pose(handle).unwrap();
        (stands.position - handle.pose.position).norm()
    };
    assert!(out(&joined) > 100.0, "it is too short: {}", out(&joined));
    let junction = joined.junctions[0].name.clone();
    let apart = r#"{"command":"detach","cable":"below 2","handle":"start"}"#.to_owned();
    let gone = format!(r#"{{"command":"delete","kind":"junction","name":"{junction}"}}"#);
    let deleted = r#"{"command":"delete","kind":"cable","name":"above"}"#.to_owned();
    for command in [apart, gone, deleted] {
        let left = apply(&joined, &command);
        assert!(out(&left) < 1e-9, "{command}: {}", out(&left));
    }
}
