//! Edits one by one, and a thousand of them with their undo.

use super::*;
use crate::scene::demo::demo;
use crate::scene::history::History;
use crate::scene::{Junction, JunctionEnd, Part, PartRole};

fn apply(scene: &mut Scene, line: &str) -> Result<(), CommandError> {
    let command: Command = serde_json::from_str(line).unwrap();
    let again: Command = serde_json::from_value(serde_json::to_value(&command).unwrap()).unwrap();
    assert_eq!(command, again, "a command survives its own JSON");
    command.apply(scene)
}

#[test]
fn a_renamed_cable_takes_what_refers_to_it_along() {
    let mut scene = demo("drag").unwrap();
    apply(
        &mut scene,
        r#"{"command":"exclude","exclusion":{"cable":"cable","part":"block","from":0,"to":20}}"#,
    )
    .unwrap();
    apply(
        &mut scene,
        r#"{"command":"rename","kind":"cable","from":"cable","to":"hose"}"#,
    )
    .unwrap();
    apply(
        &mut scene,
        r#"{"command":"rename","kind":"part","from":"block","to":"engine"}"#,
    )
    .unwrap();
    assert_eq!(
        (
            scene.exclusions[0].cable.as_str(),
            scene.exclusions[0].part.as_str()
        ),
        ("hose", "engine")
    );
    let error = apply(
        &mut scene,
        r#"{"command":"rename","kind":"part","from":"engine","to":"sheet"}"#,
    );
    assert!(error.unwrap_err().to_string().contains("already"));
    apply(
        &mut scene,
        r#"{"command":"delete","kind":"part","name":"engine"}"#,
    )
    .unwrap();
    assert!(scene.exclusions.is_empty());
    let error = apply(
        &mut scene,
        r#"{"command":"delete","kind":"part","name":"engine"}"#,
    )
    .unwrap_err();
    assert!(error.to_string().contains("sheet, cylinder"), "{error}");
}

#[test]
fn a_part_takes_the_handles_that_are_attached_to_it_along() {
    let mut scene = demo("drag").unwrap();
    let before = scene.cables[0].handles[1].pose;
    let mesh = scene.parts[1].mesh().clone();
    apply(
        &mut scene,
        r#"{"command":"change_handle","cable":"cable","handle":"end","attached_to":"sheet"}"#,
    )
    .unwrap();
    apply(
        &mut scene,
        r#"{"command":"move_part","part":"sheet","position":[0,0,50],"rotation":[0.5,0,0,0.5]}"#,
    )
    .unwrap();
    let after = scene.cables[0].handles[1].pose;
    let turned = scene.parts[1].placement().transform(&before.position);
    assert!((after.position - turned).norm() < 1e-9);
    apply(
        &mut scene,
        r#"{"command":"move_part","part":"sheet","position":[0,0,0],"rotation":[1,0,0,0]}"#,
    )
    .unwrap();
    assert!((scene.cables[0].handles[1].pose.position - before.position).norm() < 1e-9);
    assert_eq!(
        scene.parts[1].mesh(),
        &mesh,
        "the imported mesh comes back bit for bit"
    );
}

#[test]
fn handles_of_a_junction_move_together() {
    let mut scene = demo("drag").unwrap();
    let mut second = scene.cables[0].clone();
    second.name = "branch".to_owned();
    scene.cables.push(second);
    let pose = scene.cables[0].handles[1].pose;
    let end = |cable: &str| JunctionEnd {
        cable: cable.to_owned(),
        handle: "end".to_owned(),
        in_junction: Pose::identity(),
    };
    scene.junctions.push(Junction {
        name: "J1".to_owned(),
        pose,
        ends: vec![end("cable"), end("branch")],
        carries: Vec::new(),
        free: false,
        mass_kg: 0.0,
    });
    apply(
        &mut scene,
        r#"{"command":"move_handle","cable":"branch","handle":"end","position":[500,10,400]}"#,
    )
    .unwrap();
    let places: Vec<Vec3> = scene
        .cables
        .iter()
        .map(|c| c.handles[1].pose.position)
        .collect();
    assert_eq!(places[0], places[1]);
    assert_eq!(scene.junctions[0].pose.position, places[0]);
    apply(
        &mut scene,
        r#"{"command":"move_junction","junction":"J1","position":[1,2,3]}"#,
    )
    .unwrap();
    assert_eq!(
        scene.cables[0].handles[1].pose.position,
        Vec3::new(1.0, 2.0, 3.0)
    );
}

#[test]
fn a_handle_added_to_a_cable_at_rest_holds_what_is_there() {
    let mut scene = demo("drag").unwrap();
    apply(
        &mut scene,
        r#"{"command":"add_handle","cable":"cable","place":{"at":450}}"#,
    )
    .unwrap();
    let handle = &scene.cables[0].handles[2];
    let shape = scene.cables[0].shape.as_ref().unwrap();
    assert_eq!(handle.name, "handle");
    // A frame is held in the middle of the edge that is there.
    let middle = shape.points[49].lerp(&shape.points[50], 0.5);
    assert!((handle.pose.position - middle).norm() < 1e-9);
    assert_eq!(handle.place, HandlePlace::At(445.5));
    for bad in [
        r#"{"command":"add_handle","cable":"cable","place":"end"}"#,
        r#"{"command":"add_handle","cable":"cable","place":{"at":901}}"#,
        r#"{"command":"add_handle","cable":"cable","name":"end","place":{"at":9}}"#,
        r#"{"command":"add_handle","cable":"cable","place":{"at":9},"kind":{"spring":{"stiffness":-1}}}"#,
    ] {
        assert!(apply(&mut scene, bad).is_err(), "{bad}");
    }
}

#[test]
fn materials_give_stiffness_and_limits() {
    let mut scene = demo("drag").unwrap();
    apply(
        &mut scene,
        r#"{"command":"set_material","cable":"cable","material":"Rubber cable"}"#,
    )
    .unwrap();
    let cable = &scene.cables[0];
    assert_eq!(cable.material.as_deref(), Some("Rubber cable"));
    assert_eq!(cable.bend_limit.mm(cable.diameter()), Some(32.0));
    let error = apply(
        &mut scene,
        r#"{"command":"set_material","cable":"cable","material":"wool"}"#,
    );
    assert!(error.unwrap_err().to_string().contains("Rubber cable"));
}

/// A bundle kept the 4 D of thin ones at any diameter: 80 mm at 20 mm, where the source has 120.
#[test]
fn the_bend_limit_of_a_material_follows_the_diameter_and_a_typed_one_stays() {
    let mut scene = demo("drag").unwrap();
    let mut edit = |json: &str| {
        apply(&mut scene, json).unwrap();
        let cable = &scene.cables[0];
        cable.bend_limit.mm(cable.diameter())
    };
    edit(r#"{"command":"change_cable","cable":"cable","radius":3}"#);
    let bundle = r#"{"command":"set_material","cable":"cable","material":"Signal bundle, taped"}"#;
    assert_eq!(edit(bundle), Some(24.0));
    for (radius, limit) in [(5.0, 50.0), (10.0, 120.0), (4.0, 32.0)] {
        let radius = format!(r#"{{"command":"change_cable","cable":"cable","radius":{radius}}}"#);
        assert_eq!(edit(&radius), Some(limit));
    }
    edit(r#"{"command":"change_cable","cable":"cable","bend_limit":{"at_rest":{"diameters":3}}}"#);
    let thick = r#"{"command":"change_cable","cable":"cable","radius":10}"#;
    assert_eq!(edit(thick), Some(60.0));
}

#[test]
fn what_is_of_the_material_follows_the_diameter_and_what_was_typed_over_stays() {
    let mut scene = demo("drag").unwrap();
    let mut edit = |json: &str| {
        apply(&mut scene, json).unwrap();
        scene.cables[0].clone()
    };
    edit(r#"{"command":"change_cable","cable":"cable","radius":4}"#);
    let thin = edit(r#"{"command":"set_material","cable":"cable","material":"EPDM coolant hose"}"#);
    let thick = edit(r#"{"command":"change_cable","cable":"cable","radius":12}"#);
    let ratio = |a: f64, b: f64, n: f64| assert!((a / b / n - 1.0).abs() < 1e-12, "{a} {b}");
    ratio(thick.section.bending, thin.section.bending, 81.0);
    ratio(thick.section.mass_kg_m, thin.section.mass_kg_m, 9.0);
    // A typed mass stays, the others follow; the material is still named.
    let mut section = serde_json::to_value(thick.section).unwrap();
    section["mass_kg_m"] = serde_json::json!(0.5);
    let typed = edit(
        &serde_json::json!({ "command": "change_cable", "cable": "cable", "section": section })
            .to_string(),
    );
    assert_eq!(typed.material.as_deref(), Some("EPDM coolant hose"));
    let back = edit(r#"{"command":"change_cable","cable":"cable","radius":4}"#);
    assert_eq!(back.section.mass_kg_m, 0.5);
    ratio(back.section.bending, thin.section.bending, 1.0);
    // A thinner wall is softer, and the typed number can be taken back.
    let bored =
        edit(r#"{"command":"change_cable","cable":"cable","inner_diameter":7,"reset":["mass"]}"#);
    let share = (1.0 - (7.0_f64 / 8.0).powi(4)) / (1.0 - 0.7_f64.powi(4));
    ratio(bored.section.bending, thin.section.bending, share);
    let share = (1.0 - (7.0_f64 / 8.0).powi(2)) / (1.0 - 0.7_f64.powi(2));
    ratio(bored.section.mass_kg_m, thin.section.mass_kg_m, share);
    let flat = edit(r#"{"command":"change_cable","cable":"cable","flat":[20,2]}"#);
    ratio(flat.section.bending2.unwrap(), flat.section.bending, 100.0);
    for bad in [
        r#"{"command":"change_cable","cable":"cable","inner_diameter":8}"#,
        r#"{"command":"change_cable","cable":"cable","flat":[20,-2]}"#,
        r#"{"command":"change_cable","cable":"cable","bend_limit":{"at_rest":{"mm":-1}}}"#,
    ] {
        assert!(apply(&mut scene, bad).is_err(), "{bad}");
    }
    let unknown = r#"{"command":"change_cable","cable":"cable","colour":[1,2,3]}"#;
    assert!(serde_json::from_str::<Command>(unknown).is_err());
}

#[test]
fn a_new_revision_keeps_placement_and_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("clip.obj");
    std::fs::write(&path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let mut scene = Scene::default();
    let import = Command::Import {
        path: path.clone(),
        role: PartRole::Connector,
        options: ImportOptions::default(),
        loaded: None,
    };
    import.apply(&mut scene).unwrap();
    apply(
        &mut scene,
        r#"{"command":"move_part","part":"clip","position":[0,0,5]}"#,
    )
    .unwrap();
    std::fs::write(&path, "v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3\n").unwrap();
    apply(&mut scene, r#"{"command":"replace_part","part":"clip"}"#).unwrap();
    let part = &scene.parts[0];
    assert_eq!(
        (part.role, part.mesh().vertices()[1]),
        (PartRole::Connector, Vec3::new(2.0, 0.0, 5.0))
    );
    std::fs::remove_file(&path).unwrap();
    let before = scene.clone();
    assert!(apply(&mut scene, r#"{"command":"replace_part","part":"clip"}"#).is_err());
    assert_eq!(scene, before, "a failed edit changes nothing");
}

/// A random edit; many are refused, as in life.
fn random_edit(rng: &mut fastrand::Rng, scene: &Scene) -> Command {
    let cable = rng
        .choice(&scene.cables)
        .map_or("cable".to_owned(), |c| c.name.clone());
    let part = rng
        .choice(&scene.parts)
        .map_or("part".to_owned(), |p| p.name.clone());
    let handle = rng
        .choice(["start", "end", "handle", "handle 2"])
        .unwrap()
        .to_owned();
    let name = format!("n{}", rng.u8(0..30));
    let number = |rng: &mut fastrand::Rng| rng.f64() * 1000.0 - 20.0;
    let position = Some([number(rng), number(rng), number(rng)]);
    let rotation = rng
        .bool()
        .then(|| [rng.f64(), rng.f64(), rng.f64(), rng.f64()]);
    match rng.u8(0..16) {
        0 => Command::MoveHandle {
            cable,
            handle,
            position,
            rotation,
        },
        1 => Command::AddHandle {
            cable,
            name: None,
            place: HandlePlace::At(number(rng)),
            kind: HandleKind::Position,
            pose: None,
        },
        2 => Command::DeleteHandle { cable, handle },
        3 => Command::SetLength {
            cable,
            length: number(rng),
        },
        4 => match scene.cables.first() {
            Some(first) if scene.cables.len() < 5 => Command::AddCable {
                cable: Box::new(Cable {
                    name,
                    ..first.clone()
                }),
            },
            _ => Command::Delete {
                kind: Kind::Cable,
                name: cable,
            },
        },
        5 => CableChange {
            radius: Some(number(rng) / 100.0),
            min_bend_radius: Some(number(rng)),
            visible: Some(rng.bool()),
            ..CableChange::of(&cable)
        }
        .into(),
        6 => Command::SetMaterial {
            cable,
            material: "PA12 tube".to_owned(),
        },
        7 => Command::MovePart {
            part,
            position,
            rotation,
        },
        8 => Command::ChangePart {
            part,
            visible: Some(rng.bool()),
            role: Some(PartRole::Background),
            color: Some([1, 2, 3]),
            margin: Some(number(rng)),
            group: Some(vec![name]),
        },
        9 => Command::Rename {
            kind: Kind::Part,
            from: part,
            to: name,
        },
        10 => Command::Rename {
            kind: Kind::Cable,
            from: cable,
            to: name,
        },
        11 => Command::Exclude {
            exclusion: Exclusion {
                cable,
                part,
                from: 0.0,
                to: number(rng),
                depth: rng.bool().then(|| number(rng)),
            },
            only: rng.bool(),
        },
        12 => Command::Include { cable, part },
        13 => Command::SetFriction {
            friction: number(rng) / 400.0,
        },
        14 => Command::SetMargin {
            margin: number(rng),
        },
        _ => Command::ChangeHandle {
            cable,
            handle,
            name: None,
            place: None,
            kind: Some(HandleKind::Direction),
            turns: Some(2),
            attached_to: Some(part),
            pose: None,
        },
    }
}

#[test]
fn a_thousand_random_edits_undo_and_redo_bit_for_bit() {
    let mut rng = fastrand::Rng::with_seed(11);
    let mut scene = demo("drag").unwrap();
    scene
        .parts
        .push(Part::new("spare", scene.parts[0].mesh().clone()));
    let mut history = History::default();
    // What the document was after each edit that is still within reach of undo.
    let mut after = vec![scene.clone()];
    let (mut done, mut refused) = (0, 0);
    while done < 1000 {
        let before = scene.clone();
        let command = random_edit(&mut rng, &scene);
        if command.apply(&mut scene).is_err() {
            assert_eq!(scene, before, "a refused edit changes nothing");
            refused += 1;
            continue;
        }
        assert_eq!(
            crate::scene::file::check(&scene),
            Ok(()),
            "every edit leaves a scene that can be saved"
        );
        history.changed(before, command.title());
        after.push(scene.clone());
        done += 1;
        // Now and then some way back and forward again.
        if rng.u8(0..10) == 0 {
            let back = rng.usize(1..60).min(after.len() - 1);
            for k in 0..back {
                assert!(history.undo(|to| std::mem::replace(&mut scene, to)));
                assert_eq!(scene, after[after.len() - 2 - k]);
            }
            for k in 0..back {
                assert!(history.redo(|to| std::mem::replace(&mut scene, to)));
                assert_eq!(scene, after[after.len() - back + k]);
            }
        }
    }
    assert!(refused > 50, "the random edits test refusals too");
    let mut k = after.len() - 1;
    while history.undo(|to| std::mem::replace(&mut scene, to)) {
        k -= 1;
        assert_eq!(scene, after[k]);
    }
    assert!(after.len() - k > 150);
    while history.redo(|to| std::mem::replace(&mut scene, to)) {
        k += 1;
        assert_eq!(scene, after[k]);
    }
    assert_eq!(scene, after[1000]);
}

#[test]
fn a_locked_stretch_keeps_its_length_and_its_name() {
    let mut scene = crate::scene::demo::demo("drag").unwrap();
    let mut apply = |text: &str| {
        let command: Command = serde_json::from_str(text).unwrap();
        command.apply(&mut scene).map(|()| scene.cables[0].clone())
    };
    apply(r#"{"command":"add_handle","cable":"cable","name":"clip","place":{"at":360}}"#).unwrap();
    let clip = |cable: &Cable, name: &str| cable.arc_length(cable.handle(name).unwrap());
    let lock =
        r#"{"command":"lock_span","cable":"cable","from":"start","to":"clip","locked":true}"#;
    let before = apply(lock).unwrap();
    let longer = apply(r#"{"command":"set_length","cable":"cable","length":1000}"#).unwrap();
    assert!((longer.length - 1000.0).abs() < 1e-9);
    assert!((clip(&longer, "clip") - clip(&before, "clip")).abs() < 1e-9);
    let refused = [
        r#"{"command":"set_length","cable":"cable","length":300}"#,
        r#"{"command":"set_span_length","cable":"cable","from":"start","to":"clip","length":300}"#,
        r#"{"command":"lock_span","cable":"cable","from":"start","to":"nowhere","locked":true}"#,
    ];
    for text in refused {
        let error = apply(text).unwrap_err().to_string();
        assert!(
            error.contains("lock") || error.contains("nowhere"),
            "{error}"
        );
    }
    let renamed = r#"{"command":"change_handle","cable":"cable","handle":"clip","name":"grommet"}"#;
    assert_eq!(apply(renamed).unwrap().locked_spans, [["start", "grommet"]]);
    let unlock =
        r#"{"command":"lock_span","cable":"cable","from":"grommet","to":"start","locked":false}"#;
    assert!(apply(unlock).unwrap().locked_spans.is_empty());
    let half = apply(r#"{"command":"set_length","cable":"cable","length":500}"#).unwrap();
    assert!((clip(&half, "grommet") - 0.5 * clip(&before, "clip")).abs() < 1.0);
    apply(r#"{"command":"lock_span","cable":"cable","from":"start","to":"grommet","locked":true}"#)
        .unwrap();
    let gone = apply(r#"{"command":"delete_handle","cable":"cable","handle":"grommet"}"#).unwrap();
    assert!(gone.locked_spans.is_empty());
}

/// A clip of the library goes round a cable, holds it, goes with the part that it sits on, and is kept in the file.
#[test]
fn a_fixing_of_the_library_holds_the_cable_and_goes_with_its_part() {
    use crate::scene::Simulation;
    let mut scene = crate::scene::demo::demo("box").unwrap();
    let mut simulation = Simulation::new(scene.clone()).unwrap();
    let cancel = crate::solve::CancelToken::default();
    simulation.solve_quietly(&cancel);
    scene = simulation.scene().clone();
    let part = scene.parts[0].name.clone();
    let cable = scene.cables[0].name.clone();
    let lies = scene.cables[0].shape.as_ref().unwrap().points[30];
    let put = |fixing: &str, place: &str, extra: &str| {
        format!(
            r#"{{"command":"add_fixing","fixing":"{fixing}","cable":"{cable}","place":{place}{extra}}}"#
        )
    };
    let apply = |line: &str, scene: &mut Scene| {
        let command: Command = serde_json::from_str(line).unwrap();
        command.apply(scene)
    };
    // One that sits in the middle is not for an end, and the other way round; nothing is half done.
    let before = scene.clone();
    for line in [
        put("P-clip", r#""end""#, ""),
        put("Connector", r#"{"at":300}"#, ""),
        put("Paper clip", r#"{"at":300}"#, ""),
        put("P-clip", r#"{"at":300}"#, r#","on":"nothing""#),
    ] {
        assert!(apply(&line, &mut scene).is_err(), "{line}");
        assert_eq!(scene, before);
    }
    let s: f64 = scene.cables[0].edge_lengths()[..30].iter().sum();
    let on = format!(r#","on":"{part}""#);
    apply(&put("P-clip", &format!(r#"{{"at":{s}}}"#), &on), &mut scene).unwrap();
    let handle = scene.cables[0].handle("P-clip").unwrap().clone();
    assert_eq!(handle.attached_to.as_deref(), Some(part.as_str()));
    assert!((handle.pose.position - lies).norm() < 10.0);
    let mut simulation = Simulation::new(scene.clone()).unwrap();
    let reports = simulation.solve_quietly(&cancel);
    assert_eq!(reports[0].report.status, crate::solve::Status::Converged);
    assert!(simulation.overlaps().is_empty());
    // The part takes the clip along, and with it the cable.
    let clip = *simulation.scene().part("P-clip").unwrap().placement();
    let moved = format!(r#"{{"command":"move_part","part":"{part}","position":[0,0,9]}}"#);
    let command: Command = serde_json::from_str(&moved).unwrap();
    simulation.apply(&command).unwrap();
    simulation.solve_quietly(&cancel);
    let after = simulation.scene();
    let there = *after.part("P-clip").unwrap().placement();
    assert!((there.position - clip.position - Vec3::z() * 9.0).norm() < 1e-6);
    let held = after.cables[0].handle("P-clip").unwrap().pose.position;
    assert!((held - handle.pose.position - Vec3::z() * 9.0).norm() < 1e-6);
    // Dragged by its handle the clip goes along.
    let to = handle.pose.position + Vec3::new(0.0, 5.0, 9.0);
    let drag = Command::MoveHandle {
        cable: cable.clone(),
        handle: "P-clip".to_owned(),
        position: Some(to.into()),
        rotation: None,
    };
    simulation.apply(&drag).unwrap();
    simulation.solve_quietly(&cancel);
    let there = *simulation.scene().part("P-clip").unwrap().placement();
    assert!((there.position - clip.position - Vec3::new(0.0, 5.0, 9.0)).norm() < 1e-6);
    // All of them, and one of the user, are kept in the file.
    for (fixing, place) in [
        ("Tie", r#"{"at":200}"#),
        ("Grommet", r#"{"at":450}"#),
        ("Guide", r#"{"at":700}"#),
        ("Edge clip", r#"{"at":800}"#),
    ] {
        apply(&put(fixing, place, ""), &mut scene).unwrap();
    }
    for end in [r#""start""#, r#""end""#] {
        apply(&put("Connector", end, ""), &mut scene).unwrap();
    }
    let mut own = crate::scene::fixing::built_in()[0].clone();
    own.name = "House clip".to_owned();
    let new = crate::scene::NewFixing {
        fixing: crate::scene::FixingChoice::Own(Box::new(own)),
        cable: cable.clone(),
        place: crate::scene::HandlePlace::At(600.0),
        pose: None,
        on: None,
        name: None,
    };
    Command::AddFixing(Box::new(new)).apply(&mut scene).unwrap();
    assert_eq!(scene.fixings.len(), 1);
    apply(&put("House clip", r#"{"at":650}"#, ""), &mut scene).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fixings.json");
    crate::scene::file::save(&scene, &path).unwrap();
    let (read, warnings) = crate::scene::file::load(&path).unwrap();
    assert!(warnings.is_empty());
    assert_eq!(read.fixings, scene.fixings);
    assert_eq!(read.junctions, scene.junctions);
    assert_eq!(read.parts.len(), scene.parts.len());
    let mut simulation = Simulation::new(read).unwrap();
    let reports = simulation.solve_quietly(&cancel);
    assert_eq!(reports[0].report.status, crate::solve::Status::Converged);
}
