//! `simulate`: what it says, what it writes, what it refuses.

use super::*;

/// The box below the cable rises and falls.
const ROCKS: &str = r#"{"parts":["box"],"sines":[{"hz":4,"by":[0,0,3]}]}"#;
/// The end of the cable goes aside in a fifth of a second.
const ASIDE: &str = r#"{"handles":[{"cable":"cable","handle":"end"}],
    "steps":[{"step":"move","by":[0,60,0],"time":0.2}]}"#;

#[test]
fn a_scene_moves_over_time() {
    let dir = temp();
    let output = loomwright(&dir, &["demo", "box", "-o", "."]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    write(&dir, "aside.json", ASIDE);
    let args = ["simulate", "box.scene.json", "--seconds", "0.4"];
    let more = [
        &args[..],
        &["--path", "aside.json", "--states", "states.jsonl"],
        &["--table", "out.csv", "--json", "--every", "0.05"],
    ];
    let output = loomwright(&dir, &more.concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let found = json(&output);
    assert_eq!(found["steps"], 80);
    assert_eq!(found["unsolved"], 0);
    let states = std::fs::read_to_string(dir.path().join("states.jsonl")).unwrap();
    let states: Vec<Value> = states
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(states.len(), 8);
    let end = |k: usize| {
        let points = states[k]["cables"][0]["points"].as_array().unwrap();
        points.last().unwrap()[1].as_f64().unwrap()
    };
    // A quarter of the way after 0.05 s; there after 0.2 s, and the cable still swings.
    assert!((end(1) - end(0) - 15.0).abs() < 1e-6);
    assert!((end(7) - end(3)).abs() < 1e-6);
    assert!(states[4]["cables"][0]["fastest"].as_f64().unwrap() > 1.0);
    let table = std::fs::read_to_string(dir.path().join("out.csv")).unwrap();
    assert_eq!(table.lines().count(), 9);
    // The same input, the same states.
    let again = [
        &args[..],
        &["--path", "aside.json", "--every", "0.05"],
        &["--states", "again.jsonl"],
    ];
    let output = loomwright(&dir, &again.concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let read = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    assert!(read("states.jsonl") == read("again.jsonl"));
}

/// The samples that a motion of a demo writes, and how many steps it took.
fn moved(dir: &TempDir, scene: &str, more: &[&str]) -> (Vec<Value>, u64) {
    let args = ["simulate", scene, "--json", "--states", "moved.jsonl"];
    let output = loomwright(dir, &[&args[..], more].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let states = std::fs::read_to_string(dir.path().join("moved.jsonl")).unwrap();
    let states = states.lines().map(|l| serde_json::from_str(l).unwrap());
    (states.collect(), json(&output)["steps"].as_u64().unwrap())
}

#[test]
fn a_part_rocks_by_its_sine() {
    let dir = temp();
    let output = loomwright(&dir, &["demo", "box", "-o", "."]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    write(&dir, "rocks.json", ROCKS);
    let args = ["--seconds", "0.25", "--every", "0.0625"];
    let more = [&args[..], &["--path", "rocks.json"]].concat();
    let (states, _) = moved(&dir, "box.scene.json", &more);
    let height = |state: &Value| state["parts"][0]["position"][2].as_f64().unwrap();
    let heights: Vec<f64> = states.iter().map(height).collect();
    for (found, expected) in heights.iter().zip([3.0, 0.0, -3.0, 0.0]) {
        assert!((found - expected).abs() < 1e-6, "{heights:?}");
    }
}

/// Let go at one end, the cable begins to fall: a smaller error takes more steps, and comes nearer to what fine steps find.
#[test]
fn a_step_that_fits_keeps_the_error_that_is_asked_for() {
    let dir = temp();
    let output = loomwright(&dir, &["demo", "drag", "-o", "."]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let released = r#"{"command":"delete_handle","cable":"cable","handle":"end"}"#;
    write(&dir, "released.jsonl", released);
    let end = |step: [&str; 2]| {
        let args = ["--seconds", "0.1", "--every", "0.1"];
        let more = [&args[..], &["--commands", "released.jsonl"], &step].concat();
        let (states, steps) = moved(&dir, "drag.scene.json", &more);
        let points = states[0]["cables"][0]["points"].as_array().unwrap();
        let last = points.last().unwrap();
        let last = [0, 1, 2].map(|k| last[k].as_f64().unwrap());
        (loomwright::geom::Vec3::from(last), steps)
    };
    let (fine, _) = end(["--step", "0.0005"]);
    let off = |error: &str| {
        let (at, steps) = end(["--adaptive", error]);
        ((at - fine).norm(), steps)
    };
    let [loose, tight] = ["1", "0.05"].map(off);
    assert!(tight.1 > 2 * loose.1, "{loose:?} {tight:?}");
    assert!(tight.0 < 0.4 * loose.0, "{loose:?} {tight:?}");
}

#[test]
fn what_cannot_move_is_refused() {
    let dir = temp();
    let output = loomwright(&dir, &["demo", "box", "-o", "."]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    write(&dir, "rocks.json", ROCKS);
    let no_time = ASIDE.replace(r#","time":0.2"#, "");
    write(&dir, "no-time.json", no_time);
    let args = ["simulate", "box.scene.json", "--seconds"];
    for (more, word) in [
        (&["0"][..], "--seconds"),
        (&["1", "--step", "0"], "time step"),
        (&["1", "--drag", "-1"], "drag"),
        (&["1", "--path", "no-time.json"], "time"),
        (
            &["1", "--path", "rocks.json", "--part", "nothing"],
            "nothing",
        ),
        (&["1", "--states", "box.scene.json"], "overwrite"),
    ] {
        assert_refused(&dir, &[&args[..], more].concat(), &[word]);
    }
    // The same path is none of a study.
    let study = ["study", "path", "box.scene.json", "rocks.json"];
    assert_refused(&dir, &study, &["simulate"]);
}
