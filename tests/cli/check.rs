//! `check`: what is wrong with a scene.

use serde_json::{Value, json};

use super::{code, json as document, loomwright, stderr, stdout, temp, write, write_demo};

/// Applies commands to the demo and saves it as `edited.json`.
fn edited(dir: &tempfile::TempDir, commands: &[Value]) {
    write_demo(dir);
    let lines: Vec<String> = commands.iter().map(Value::to_string).collect();
    write(dir, "edit.jsonl", lines.join("\n"));
    let args = [
        "apply",
        "drag.scene.json",
        "edit.jsonl",
        "-o",
        "edited.json",
    ];
    let output = loomwright(dir, &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

fn kinds(document: &Value) -> Vec<String> {
    let findings = document["findings"].as_array().unwrap();
    let kind = |f: &Value| f["kind"].as_str().unwrap().to_owned();
    findings.iter().map(kind).collect()
}

#[test]
fn a_scene_is_judged_by_the_limits_that_were_typed() {
    let dir = temp();
    let limit = |mm: f64| json!({ "command": "change_cable", "cable": "cable", "bend_limit": { "at_rest": { "mm": mm }, "measured": "inside" } });
    // Wide enough for any bend of it.
    edited(&dir, &[limit(1.0)]);
    let good = loomwright(&dir, &["check", "edited.json"]);
    assert_eq!(code(&good), 0, "{}", stdout(&good));
    assert!(stdout(&good).contains("nothing found"), "{}", stdout(&good));
    // Just inside and just outside, by the radius that the solver tells.
    let solved = document(&loomwright(&dir, &["solve", "edited.json", "--json"]));
    let cable = &solved["cables"][0];
    let centerline = cable["smallest_bend_radius"].as_f64().unwrap();
    let inside = centerline - cable["radius"].as_f64().unwrap();
    edited(&dir, &[limit(inside * 0.999)]);
    assert_eq!(code(&loomwright(&dir, &["check", "edited.json"])), 0);
    edited(&dir, &[limit(inside * 1.001)]);
    let bad = loomwright(&dir, &["check", "edited.json", "--json"]);
    assert_eq!(code(&bad), 1);
    let bad = document(&bad);
    assert_eq!(kinds(&bad), ["bend_radius"]);
    let finding = &bad["findings"][0];
    assert_eq!(finding["severity"], "error");
    assert!((finding["value"].as_f64().unwrap() / inside - 1.0).abs() < 1e-3);
    assert!(finding["what"].as_str().unwrap().contains("mm inside"));
    assert!(finding["position"].is_array() && !finding["mend"].as_str().unwrap().is_empty());
}

#[test]
fn a_limit_that_nobody_set_is_a_warning_and_a_handle_out_of_reach_an_error() {
    let dir = temp();
    edited(
        &dir,
        &[json!({ "command": "change_cable", "cable": "cable", "min_bend_radius": 0.0 })],
    );
    let output = loomwright(&dir, &["check", "edited.json", "--json"]);
    assert_eq!(code(&output), 0);
    assert_eq!(kinds(&document(&output)), ["no_bend_limit"]);
    edited(
        &dir,
        &[
            json!({ "command": "move_handle", "cable": "cable", "handle": "end", "position": [9000.0, 0.0, 500.0] }),
        ],
    );
    let output = loomwright(&dir, &["check", "edited.json"]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("taut"), "{}", stdout(&output));
}

#[test]
fn a_length_is_fitted_and_a_locked_one_is_kept() {
    let dir = temp();
    let limit = json!({ "command": "change_cable", "cable": "cable", "bend_limit": { "at_rest": { "diameters": 5.0 } } });
    edited(&dir, &[limit]);
    let args = ["fit-length", "edited.json", "--json", "-o", "fitted.json"];
    let output = loomwright(&dir, &args);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    let found = &document(&output)["cables"][0];
    let length = |row: &str| found[row]["length"].as_f64().unwrap();
    assert!(length("proposed") >= length("shortest") && length("shortest") < length("now"));
    assert!((length("proposed") / 5.0).fract() < 1e-9);
    assert!(found["shortest"]["bend_radius"].as_f64().unwrap() >= 40.0);
    assert_eq!(code(&loomwright(&dir, &["check", "fitted.json"])), 0);
    // A supplier's length is not changed by the way.
    let lock = json!({ "command": "change_cable", "cable": "cable", "length_locked": true });
    edited(&dir, &[lock]);
    write(
        &dir,
        "longer.jsonl",
        r#"{"command":"set_length","cable":"cable","length":2000}"#,
    );
    let args = ["apply", "edited.json", "longer.jsonl", "-o", "longer.json"];
    super::assert_refused(&dir, &args, &["supplier", "unlock"]);
}

#[test]
fn a_new_revision_of_the_parts_says_what_moved_and_what_that_does() {
    let dir = temp();
    let attach = json!({ "command": "change_handle", "cable": "cable", "handle": "end", "attached_to": "sheet" });
    edited(&dir, &[attach]);
    // The sheet is 7 mm higher, the block is gone.
    let sheet = std::fs::read_to_string(dir.path().join("sheet.obj")).unwrap();
    let moved = sheet.lines().map(|line| match line.strip_prefix("v ") {
        Some(numbers) => {
            let p: Vec<f64> = numbers.split(' ').map(|n| n.parse().unwrap()).collect();
            format!("v {} {} {}", p[0], p[1], p[2] + 7.0)
        }
        None => line.to_owned(),
    });
    let moved: Vec<String> = moved.collect();
    write(&dir, "revision.obj", moved.join("\n"));
    let args = [
        "update",
        "edited.json",
        "revision.obj",
        "--json",
        "-o",
        "updated.json",
    ];
    let output = loomwright(&dir, &args);
    let found = document(&output);
    let fate = |name: &str| {
        let parts = found["parts"].as_array().unwrap();
        let part = parts.iter().find(|p| p["part"] == name).unwrap();
        part["fate"].as_str().unwrap().to_owned()
    };
    assert_eq!(fate("sheet"), "moved", "{found}");
    assert_eq!(fate("block"), "gone");
    assert!(found["cables"][0]["after"]["length"].as_f64().unwrap() > 0.0);
    let scene: Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("updated.json")).unwrap()).unwrap();
    let before: Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("edited.json")).unwrap()).unwrap();
    let z = |scene: &Value| {
        let handles = scene["cables"][0]["handles"].as_array().unwrap();
        let end = handles.iter().find(|h| h["name"] == "end").unwrap();
        end["position"][2].as_f64().unwrap()
    };
    assert!((z(&scene) - z(&before) - 7.0).abs() < 1e-3);
}

#[test]
fn the_book_of_lengths_has_a_line_for_each_branch_and_wire() {
    let dir = temp();
    let cut = json!({ "allowances": [12.0, 8.0], "service_loop": 30.0, "round_to": 5.0 });
    edited(
        &dir,
        &[
            json!({ "command": "change_cable", "cable": "cable", "cut": cut }),
            json!({ "command": "set_wire", "wire": { "name": "W1", "branches": ["cable"], "cut": cut } }),
            json!({ "command": "rename", "kind": "cable", "from": "cable", "to": "trunk" }),
        ],
    );
    let output = loomwright(&dir, &["lengths", "edited.json", "--json"]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    let lines = document(&output)["lengths"].clone();
    let length = lines[0]["geometric"].as_f64().unwrap();
    let expected = ((length + 50.0) / 5.0).ceil() * 5.0;
    assert_eq!(lines[0]["cut"].as_f64().unwrap(), expected);
    assert_eq!(lines[1]["kind"], "wire");
    assert_eq!(lines[1]["cut"], lines[0]["cut"]);
    let csv = stdout(&loomwright(&dir, &["lengths", "edited.json", "--csv"]));
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 3, "{csv}");
    assert!(rows[0].starts_with("kind,name,geometric_mm,"));
    assert!(rows[1].starts_with("branch,trunk,"), "{csv}");
}
