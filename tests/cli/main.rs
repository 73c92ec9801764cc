//! The program as a user or a script meets it: exit codes, messages, files.

mod check;
mod contact;
mod docs;
mod drag;
mod extract;
mod hard_edges;
mod layers;
mod saving;
mod simulate;
mod study;
mod verify;
mod words;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Runs the program in `dir`.
fn loomwright(dir: &TempDir, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_loomwright"))
        .args(args)
        .current_dir(dir.path())
        .output()
        .unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn temp() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn write(dir: &TempDir, name: &str, text: impl AsRef<[u8]>) {
    std::fs::write(dir.path().join(name), text).unwrap();
}

/// Bad input: code 2, one line that begins with "error:" and holds all `words`, no panic.
fn assert_refused(dir: &TempDir, args: &[&str], words: &[&str]) {
    let output = loomwright(dir, args);
    let text = stderr(&output);
    assert_eq!(code(&output), 2, "{args:?}: {text}");
    assert!(
        text.starts_with("error: ") && !text.contains("internal error"),
        "{text}"
    );
    for word in words {
        assert!(text.contains(word), "{args:?}: {word} is not in: {text}");
    }
}

const TETRAHEDRON: &str =
    "v 0 0 0\nv 9 0 0\nv 0 9 0\nv 0 0 9\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// A scene without cables, which needs no solver.
fn write_rigid_scene(dir: &TempDir) {
    write(dir, "part.obj", TETRAHEDRON);
    let output = loomwright(dir, &["import", "part.obj", "-o", "rigid.json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

fn write_demo(dir: &TempDir) {
    let output = loomwright(dir, &["demo", "drag", "-o", "."]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn help_of_every_verb_and_version() {
    let dir = temp();
    for verb in [
        "open",
        "import",
        "apply",
        "solve",
        "check",
        "fit-length",
        "lengths",
        "update",
        "replay",
        "demo",
        "bench",
    ] {
        let output = loomwright(&dir, &[verb, "--help"]);
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).contains("--json"), "{verb}");
        assert!(stdout(&loomwright(&dir, &["--help"])).contains(verb));
    }
    assert_eq!(code(&loomwright(&dir, &["--version"])), 0);
    assert_eq!(code(&loomwright(&dir, &["fly"])), 2);
    assert_eq!(code(&loomwright(&dir, &["import"])), 2);
    assert_eq!(code(&loomwright(&dir, &["demo", "nothing", "-o", "."])), 2);
}

#[cfg(not(feature = "gui"))]
#[test]
fn without_the_window_it_says_so() {
    let dir = temp();
    assert_refused(&dir, &[], &["without the window", "--help"]);
    assert_refused(&dir, &["open", "a.stl"], &["without the window"]);
}

#[test]
fn import_reports_parts_and_makes_a_scene() {
    let dir = temp();
    write(&dir, "a.obj", TETRAHEDRON);
    write(&dir, "b.obj", format!("g a\n{TETRAHEDRON}f 1 1 2\n"));
    let output = loomwright(&dir, &["import", "a.obj", "b.obj", "-o", "s.json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("a.obj: 1 parts, 4 triangles"));
    assert!(stdout(&output).contains("to (9.00, 9.00, 9.00) mm"));
    assert!(stderr(&output).contains("warning: part \"a\": 1 triangles of zero area"));

    let output = loomwright(
        &dir,
        &["--json", "import", "a.obj", "b.obj", "-o", "s.json"],
    );
    let document = json(&output);
    assert_eq!(document["files"][1]["parts"][0]["name"], "a 2");
    assert_eq!(document["files"][0]["parts"][0]["triangles"], 4);
    assert_eq!(document["files"][0]["parts"][0]["max"][2], 9.0);
    assert_eq!(document["warnings"].as_array().unwrap().len(), 1);
    assert_eq!(stderr(&output), "");
}

#[test]
fn import_refuses_what_is_no_mesh_and_writes_nothing() {
    let dir = temp();
    write(&dir, "good.obj", TETRAHEDRON);
    write(&dir, "empty.stl", "");
    write(&dir, "noise.stl", [7; 500]);
    write(&dir, "bad.obj", "v 0 0 0\nf 1 2 3\n");
    assert_refused(
        &dir,
        &["import", "good.obj", "empty.stl", "-o", "s.json"],
        &["empty"],
    );
    assert_refused(
        &dir,
        &["import", "noise.stl"],
        &["cut off", "announces", "noise.stl"],
    );
    assert_refused(
        &dir,
        &["import", "bad.obj"],
        &["line 2", "out of range", "bad.obj"],
    );
    assert_refused(&dir, &["import", "missing.stl"], &["missing.stl"]);
    assert_refused(&dir, &["import", "."], &["directory"]);
    assert!(!dir.path().join("s.json").exists());
    assert_refused(
        &dir,
        &["import", "good.obj", "-o", "no/such/s.json"],
        &["cannot save"],
    );
    assert_refused(
        &dir,
        &["import", "good.obj", "-o", "."],
        &["not a regular file"],
    );
}

#[test]
fn demo_writes_a_scene_that_every_verb_reads() {
    let dir = temp();
    for name in ["drag", "pocket", "sheet", "box", "cylinder"] {
        let output = loomwright(&dir, &["--json", "demo", name, "-o", "demos/here"]);
        let scene = json(&output)["scene"].as_str().unwrap().to_owned();
        write(&dir, "none.jsonl", "\n");
        let output = loomwright(&dir, &["apply", &scene, "none.jsonl", "-o", "copy.json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(stderr(&output), "");
    }
    let text = std::fs::read_to_string(dir.path().join("copy.json")).unwrap();
    assert!(text.contains("\"demos/here/cylinder.obj\""), "{text}");
    write(&dir, "file", "");
    assert_refused(
        &dir,
        &["demo", "box", "-o", "file/dir"],
        &["cannot make the directory"],
    );
}

#[test]
fn apply_edits_and_saves_all_or_nothing() {
    let dir = temp();
    write_demo(&dir);
    let good = "{\"command\":\"set_length\",\"cable\":\"cable\",\"length\":950}\n\n\
                {\"command\":\"change_part\",\"part\":\"block\",\"visible\":false}\n";
    write(&dir, "good.jsonl", good);
    let output = loomwright(
        &dir,
        &["apply", "drag.scene.json", "good.jsonl", "-o", "new.json"],
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = std::fs::read_to_string(dir.path().join("new.json")).unwrap();
    let scene: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(scene["cables"][0]["length"], 950.0);
    assert_eq!(scene["parts"][0]["visible"], false);

    let before = std::fs::read(dir.path().join("new.json")).unwrap();
    for (line, words) in [
        (
            r#"{"command":"set_length","cable":"rope","length":1}"#,
            "no cable \"rope\"",
        ),
        (
            r#"{"command":"set_length","cable":"cable","length":-1}"#,
            "positive",
        ),
        (r#"{"command":"fly"}"#, "unknown variant"),
        ("nonsense", "not valid JSON"),
        (r#"{"frame":1}"#, "replay"),
    ] {
        write(&dir, "bad.jsonl", format!("{good}{line}\n"));
        let args = ["apply", "new.json", "bad.jsonl", "-o", "new.json"];
        assert_refused(&dir, &args, &["line 4 of bad.jsonl", words]);
    }
    assert_eq!(std::fs::read(dir.path().join("new.json")).unwrap(), before);
    assert_refused(
        &dir,
        &["apply", "new.json", "missing", "-o", "x"],
        &["missing"],
    );
    assert_refused(
        &dir,
        &["apply", "good.jsonl", "good.jsonl", "-o", "x"],
        &["not valid JSON"],
    );
    assert_refused(
        &dir,
        &["apply", "drag.scene.json", "good.jsonl", "-o", "/dev/full"],
        &["cannot save"],
    );
}

#[test]
fn broken_scenes_are_refused_by_every_verb() {
    let dir = temp();
    write_demo(&dir);
    write(&dir, "none.jsonl", "");
    let text = std::fs::read_to_string(dir.path().join("drag.scene.json")).unwrap();
    let bad = text.replace("\"radius\": 4.0", "\"radius\": -4.0");
    assert_ne!(bad, text);
    write(&dir, "bad.json", bad);
    write(&dir, "cut.json", &text[..text.len() / 3]);
    write(
        &dir,
        "newer.json",
        text.replace("\"version\": 2", "\"version\": 99"),
    );
    for (file, words) in [
        (
            "bad.json",
            ["cable \"cable\"", "\"radius\" must be a positive"],
        ),
        ("cut.json", ["cut off", "line"]),
        ("newer.json", ["version 99", "update"]),
        ("nowhere.json", ["cannot read", "nowhere.json"]),
    ] {
        assert_refused(&dir, &["solve", file], &words);
        assert_refused(&dir, &["apply", file, "none.jsonl", "-o", "x"], &words);
        assert_refused(&dir, &["replay", file, "none.jsonl"], &words);
    }
    // A changed mesh is only a warning.
    let mesh = std::fs::read_to_string(dir.path().join("block.obj")).unwrap();
    write(&dir, "block.obj", mesh + "# touched\n");
    let output = loomwright(&dir, &["apply", "drag.scene.json", "none.jsonl", "-o", "x"]);
    assert_eq!(code(&output), 0);
    assert!(stderr(&output).contains("warning: the mesh file of part \"block\" has changed"));
}

#[test]
fn solve_of_a_scene_without_cables_is_good() {
    let dir = temp();
    write_rigid_scene(&dir);
    let output = loomwright(
        &dir,
        &[
            "solve",
            "rigid.json",
            "-o",
            "out.json",
            "--result",
            "r.json",
        ],
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let result = std::fs::read(dir.path().join("r.json")).unwrap();
    let result: Value = serde_json::from_slice(&result).unwrap();
    assert_eq!(result["status"], "converged");
    assert!(dir.path().join("out.json").exists());
}

#[test]
fn solve_writes_result_and_scene_of_a_demo() {
    let dir = temp();
    write_demo(&dir);
    let args = [
        "--json",
        "solve",
        "drag.scene.json",
        "-o",
        "s.json",
        "--result",
        "r.json",
    ];
    let output = loomwright(&dir, &args);
    assert!([0, 1].contains(&code(&output)), "{}", stderr(&output));
    let cable = &json(&output)["cables"][0];
    assert_eq!(cable["name"], "cable");
    assert_eq!(cable["points"].as_array().unwrap().len(), 101);
    assert!(dir.path().join("s.json").exists() && dir.path().join("r.json").exists());
    let output = loomwright(&dir, &["solve", "drag.scene.json"]);
    assert!(stdout(&output).contains("cable \"cable\": "));
}

#[test]
fn replay_writes_frames_states_trace_and_the_same_digest_twice() {
    let dir = temp();
    write_demo(&dir);
    let moved = |z: f64| {
        format!(
            r#"{{"command":"move_handle","cable":"cable","handle":"end","position":[560,0,{z}]}}"#
        )
    };
    let script = [
        r#"{"frame":true}"#,
        &moved(435.0),
        r#"{"frame":7}"#,
        &moved(430.0),
    ];
    write(&dir, "script.jsonl", script.join("\n"));
    let args = [
        "replay",
        "drag.scene.json",
        "script.jsonl",
        "--states",
        "st",
        "--trace",
        "tr",
    ];
    let run = || {
        let output = loomwright(&dir, &[&["--json"], &args[..]].concat());
        assert!([0, 1].contains(&code(&output)), "{}", stderr(&output));
        json(&output)
    };
    let document = run();
    let numbers: Vec<_> = document["frames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| &f["frame"])
        .collect();
    assert_eq!(numbers, [1, 7, 8]);
    assert_eq!(document["digest"].as_str().unwrap().len(), 64);
    assert_eq!(document["digest"], run()["digest"]);

    let lines = |name: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(dir.path().join(name)).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let states = lines("st");
    assert_eq!(states.len(), 3);
    assert_eq!(states[1]["frame"], 7);
    assert!(states[1]["status"].is_string());
    assert_eq!(
        states[2]["cables"][0]["points"].as_array().unwrap().len(),
        101
    );
    let start = &lines("tr")[0];
    assert_eq!((&start["frame"], &start["iterate"]), (&0.into(), &0.into()));
    assert_eq!(
        (&start["cable"], &start["radius"]),
        (&"cable".into(), &4.0.into())
    );
    assert_eq!(start["points"][0], serde_json::json!([0.0, 0.0, 440.0]));

    let output = loomwright(&dir, &args);
    let text = stdout(&output);
    assert!(
        text.contains("frame 7: ") && text.contains("digest: "),
        "{text}"
    );
}

#[test]
fn replay_of_a_scene_without_cables_is_good() {
    let dir = temp();
    write_rigid_scene(&dir);
    write(
        &dir,
        "s.jsonl",
        "{\"frame\":1}\n{\"command\":\"set_friction\",\"friction\":0}\n",
    );
    let output = loomwright(&dir, &["replay", "rigid.json", "s.jsonl"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("2 frames: 2 converged"));
    write(&dir, "bad.jsonl", "{\"frame\":1}\n{\"frame\":\"x\"}\n");
    assert_refused(
        &dir,
        &["replay", "rigid.json", "bad.jsonl"],
        &["line 2 of bad.jsonl"],
    );
    assert_refused(
        &dir,
        &["replay", "rigid.json", "s.jsonl", "--trace", "no/dir/t"],
        &["cannot write", "no/dir/t"],
    );
}

#[test]
fn bench_measures_a_scene() {
    let dir = temp();
    let args = ["bench", "--scene", "p1-5mm", "--repeat", "2"];
    let output = loomwright(&dir, &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("p1-5mm"), "{}", stdout(&output));

    let output = loomwright(&dir, &[&args[..], &["--json"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let document = json(&output);
    assert_eq!(document["repeat"], 2);
    assert!(document["kernel_ms"].as_f64().unwrap() > 0.0);
    let scenes = document["scenes"].as_array().unwrap();
    assert_eq!(scenes.len(), 1);
    let scene = &scenes[0];
    assert_eq!(scene["name"], "p1-5mm");
    assert_eq!(
        (&scene["edges"], &scene["steps"]),
        (&100.into(), &20.into())
    );
    for key in ["cpu_ms", "clock_ms", "kernels", "iterations"] {
        let [median, p95, worst] = ["median", "p95", "worst"].map(|q| scene[key][q].as_f64());
        assert!(median > Some(0.0) && median <= p95 && p95 <= worst, "{key}");
    }
    assert!(scene["iterations"]["mean"].as_f64().unwrap() > 0.0);
    for key in [
        "triangles",
        "contacts_most",
        "steps_in_contact",
        "steps_blocked",
    ] {
        assert_eq!(scene[key], 0, "{key}");
    }
    assert_eq!(scene["steps_not_converged"], 0);
}

#[test]
fn bench_refuses_what_it_does_not_know() {
    let dir = temp();
    assert_refused(
        &dir,
        &["bench", "--scene", "nothing"],
        &["no scene \"nothing\"", "p1-1mm, p1-5mm", "box-500"],
    );
    assert_eq!(code(&loomwright(&dir, &["bench", "--repeat", "0"])), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_a_closed_pipe_is_not() {
    let dir = temp();
    write_demo(&dir);
    write(&dir, "s.jsonl", "{\"frame\":1}\n");
    let full = "/dev/full";
    assert_refused(
        &dir,
        &["replay", "drag.scene.json", "s.jsonl", "--states", full],
        &["cannot write to /dev/full", "space"],
    );
    assert_refused(
        &dir,
        &["replay", "drag.scene.json", "s.jsonl", "--trace", full],
        &["cannot write to /dev/full"],
    );
    assert_refused(
        &dir,
        &["solve", "drag.scene.json", "--result", full],
        &["cannot write to /dev/full"],
    );
    assert_refused(
        &dir,
        &["solve", "drag.scene.json", "-o", full],
        &["not a regular file"],
    );
    assert!(Path::new(full).exists());

    let with_stdout = |stdout: Stdio, args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loomwright"));
        command
            .args(args)
            .current_dir(dir.path())
            .stdout(stdout)
            .stderr(Stdio::piped());
        command.spawn().unwrap().wait_with_output().unwrap()
    };
    let device = std::fs::OpenOptions::new().write(true).open(full).unwrap();
    let output = with_stdout(device.into(), &["import", "block.obj"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("standard output"),
        "{}",
        stderr(&output)
    );

    // A pipe whose reader is gone.
    for args in [&["import", "block.obj"][..], &["--help"]] {
        let mut gone = Command::new("true").stdin(Stdio::piped()).spawn().unwrap();
        let pipe = gone.stdin.take().unwrap();
        gone.wait().unwrap();
        let output = with_stdout(pipe.into(), args);
        assert_eq!(code(&output), 0, "{args:?}");
        assert_eq!(stderr(&output), "");
    }
}
