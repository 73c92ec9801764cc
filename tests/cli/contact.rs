//! Contact on the command line: clearances, settling, margins, the grommet sample.

use loomwright::geom::{Aabb, Vec3};
use loomwright::mesh::primitives;
use loomwright::scene::{HandlePlace, Part, demo, file};
use serde_json::Value;

use crate::{code, json, loomwright as run, stderr, stdout, temp, write, write_demo};

#[test]
fn solve_lists_clearances_and_settles() {
    let dir = temp();
    write_demo(&dir);
    let args = ["solve", "drag.scene.json", "--clearance", "--settle"];
    let text = stdout(&run(&dir, &args));
    assert!(text.contains("clearance     "), "{text}");
    assert!(text.contains("mm to part \"block\""), "{text}");
    assert!(text.contains("of its surface)"), "{text}");
    assert!(text.contains("settled       moved by 0.000 mm"), "{text}");

    let all = json(&run(
        &dir,
        &["--json", "solve", "drag.scene.json", "--clearance"],
    ));
    let clearances = all["cables"][0]["clearances"].as_array().unwrap();
    let names: Vec<_> = clearances.iter().map(|c| c["part"].as_str()).collect();
    assert_eq!(names, [Some("block"), Some("sheet"), Some("cylinder")]);
    let distance = |c: &Value| c["distance"].as_f64().unwrap();
    assert!(clearances.iter().all(|c| distance(c) > 10.0));
    assert_eq!(all["cables"][0].get("settled"), None);
    // Only the nearest.
    let nearest = clearances
        .iter()
        .map(distance)
        .fold(f64::INFINITY, f64::min);
    let limit = format!("--clearance={}", nearest + 0.01);
    let near = json(&run(&dir, &["--json", "solve", "drag.scene.json", &limit]));
    assert_eq!(near["cables"][0]["clearances"].as_array().unwrap().len(), 1);
}

#[test]
fn a_start_inside_a_margin_is_listed_and_not_blocked() {
    let dir = temp();
    write_demo(&dir);
    let margin = r#"{"command":"change_part","part":"block","margin":60}"#;
    write(&dir, "margin.jsonl", margin);
    let apply = ["apply", "drag.scene.json", "margin.jsonl", "-o", "m.json"];
    assert_eq!(code(&run(&dir, &apply)), 0);
    let solved = run(&dir, &["solve", "m.json"]);
    assert_eq!(code(&solved), 0, "{}", stderr(&solved));
    let warning = stderr(&solved);
    assert!(
        warning.contains("within the margin of part \"block\" starts cable \"cable\""),
        "{warning}"
    );
}

#[test]
fn the_grommet_sample_is_threaded() {
    let dir = temp();
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/grommet");
    let [scene, script] = ["grommet.scene.json", "thread.jsonl"].map(|f| format!("{samples}/{f}"));
    let played = json(&run(&dir, &["--json", "replay", &scene, &script]));
    let frames = played["frames"].as_array().unwrap();
    assert!(frames.len() >= 50);
    assert_eq!(played["converged"].as_u64(), Some(frames.len() as u64));
    assert!(played["smallest_gap"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_frame_that_settles_says_how_far() {
    let dir = temp();
    write_demo(&dir);
    write(
        &dir,
        "settle.jsonl",
        "{\"frame\":true}\n{\"command\":\"settle\"}\n{\"frame\":true}\n{\"frame\":true}\n",
    );
    let args = ["--json", "replay", "drag.scene.json", "settle.jsonl"];
    let played = json(&run(&dir, &args));
    let settled: Vec<usize> = (played["frames"].as_array().unwrap().iter())
        .map(|f| f["settled"].as_array().unwrap().len())
        .collect();
    assert_eq!(settled, [0, 1, 0]);
}

#[test]
fn a_part_pushes_a_cable_and_a_ghost_lists_what_it_crosses() {
    let dir = temp();
    write_demo(&dir);
    let script = [
        r#"{"frame":true}"#,
        r#"{"command":"move_part","part":"block","position":[0,0,80]}"#,
        r#"{"frame":true}"#,
        r#"{"command":"ghost","on":true}"#,
        r#"{"command":"move_handle","cable":"cable","handle":"end","position":[560,0,240]}"#,
        r#"{"frame":true}"#,
        r#"{"command":"ghost","on":false}"#,
        r#"{"frame":true}"#,
    ];
    write(&dir, "push.jsonl", script.join("\n"));
    let played = run(&dir, &["--json", "replay", "drag.scene.json", "push.jsonl"]);
    let document = json(&played);
    let frames = document["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 4);
    assert_eq!(frames[0]["smallest_gap"], Value::Null);
    assert!(frames[1]["smallest_gap"].as_f64().unwrap() > 0.0, "pushed");
    assert_eq!(frames[1]["held_parts"].as_array().unwrap().len(), 0);
    assert_eq!(frames[2]["smallest_gap"], Value::Null);
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("pushed out"), "{warnings}");
}

/// The scene of a plug of 40 x 14 x 10 mm on a cable's end, 20 mm before a plate with a round hole.
fn plug_before_a_hole(radius: f64) -> loomwright::scene::Scene {
    let mut scene = demo::demo("box").unwrap();
    let end = scene.cables[0].handles.iter_mut();
    let end = end
        .into_iter()
        .find(|h| h.place == HandlePlace::End)
        .unwrap();
    let at = end.pose.position;
    end.attached_to = Some("plug".to_owned());
    let half = Vec3::new(0.0, 7.0, 5.0);
    let plug = primitives::cuboid(&Aabb {
        min: at - half,
        max: at + half + Vec3::x() * 40.0,
    });
    let sheet = primitives::sheet_with_hole(
        &(at + Vec3::new(60.0, -60.0, -60.0)),
        &(Vec3::y() * 120.0),
        &(Vec3::z() * 120.0),
        [60.0, 60.0],
        radius,
        180,
    );
    let plate = primitives::thickened(&sheet, &(Vec3::x() * -2.0));
    scene.parts = vec![Part::new("plug", plug), Part::new("plate", plate)];
    scene
}

#[test]
fn a_plug_that_does_not_fit_a_hole_is_told_so() {
    let dir = temp();
    let script = concat!(
        r#"{"command":"move_part","part":"plug","position":[80,0,0]}"#,
        "\n",
        r#"{"frame":true}"#,
        "\n"
    );
    write(&dir, "pull.jsonl", script);
    for (radius, words) in [
        (12.0, ""),
        (
            8.8,
            "does not go through the opening of \"plate\": it has 0.4 mm to spare and needs",
        ),
        (
            5.0,
            "does not go through the opening of \"plate\": it is 7.2 mm too wide",
        ),
    ] {
        file::save(
            &plug_before_a_hole(radius),
            &dir.path().join("plug.loom.json"),
        )
        .unwrap();
        let text = stdout(&run(&dir, &["replay", "plug.loom.json", "pull.jsonl"]));
        assert_eq!(text.contains("part \"plug\""), !words.is_empty(), "{text}");
        assert!(text.contains(words), "{text}");
    }
}
