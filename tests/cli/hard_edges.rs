//! Hostile files and hurried scripts: nothing is overwritten that is needed, nothing waits for ever, nothing that a file
//! says reaches the terminal as a command.

use super::{assert_refused, code, loomwright, stderr, stdout, temp, write, write_demo};

/// The bytes of every file in the folder, to see that a refused verb has written nothing.
fn contents(dir: &tempfile::TempDir) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            (path.to_string_lossy().into_owned(), bytes)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn outputs_never_overwrite_inputs_or_each_other() {
    let dir = temp();
    write_demo(&dir);
    write(&dir, "script.jsonl", "{\"frame\":true}\n");
    write(&dir, "commands.jsonl", "");
    let before = contents(&dir);
    let scene = "drag.scene.json";
    for (args, words) in [
        (
            &["replay", scene, "script.jsonl", "--trace", scene][..],
            ["the trace", "the scene"],
        ),
        (
            &[
                "replay",
                scene,
                "script.jsonl",
                "--states",
                "./script.jsonl",
            ],
            ["the states", "the script"],
        ),
        (
            &[
                "replay",
                scene,
                "script.jsonl",
                "--states",
                "one",
                "--trace",
                "one",
            ],
            ["the states", "the trace"],
        ),
        (
            &["solve", scene, "--result", scene],
            ["the result", "the scene"],
        ),
        (
            &["solve", scene, "-o", "sheet.obj"],
            ["the solved scene", "a mesh of the scene"],
        ),
        (
            &["solve", scene, "-o", "a", "--result", "a"],
            ["the solved scene", "the result"],
        ),
        (
            &["apply", scene, "commands.jsonl", "-o", "commands.jsonl"],
            ["the edited scene", "the commands"],
        ),
        (
            &["apply", scene, "commands.jsonl", "-o", "sheet.obj"],
            ["the edited scene", "a mesh"],
        ),
        (
            &["pack", scene, "-o", "sheet.obj"],
            ["the packed scene", "a mesh"],
        ),
        (
            &["import", "sheet.obj", "-o", "sheet.obj"],
            ["the scene", "a mesh that is read"],
        ),
        (
            &["extract", "sheet.obj", "-o", "sheet.obj"],
            ["the graph", "the mesh"],
        ),
        (
            &["export", scene, "--format", "csv", "-o", scene],
            ["the export", "the scene"],
        ),
    ] {
        assert_refused(&dir, args, &words);
        assert_refused(&dir, args, &["would overwrite", "Nothing was written"]);
        assert_eq!(contents(&dir), before, "{args:?}");
    }
    // A scene may be saved over itself.
    let applied = loomwright(&dir, &["apply", scene, "commands.jsonl", "-o", scene]);
    assert_eq!(code(&applied), 0, "{}", stderr(&applied));
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_at_once() {
    let dir = temp();
    write_demo(&dir);
    let made = std::process::Command::new("mkfifo")
        .arg(dir.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    for path in ["/dev/zero", "pipe"] {
        assert_refused(&dir, &["solve", path], &["not a regular file", path]);
        assert_refused(
            &dir,
            &["replay", "drag.scene.json", path],
            &["not a regular file"],
        );
        assert_refused(&dir, &["import", path], &[path]);
    }
    // The data of a glTF, too.
    let gltf = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
        "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":"NAME"}]}"#;
    write(&dir, "a.gltf", gltf.replace("NAME", "pipe"));
    assert_refused(&dir, &["import", "a.gltf"], &["not a regular file"]);
    let elsewhere = temp();
    write(&elsewhere, "data.bin", [0; 36]);
    std::os::unix::fs::symlink(
        elsewhere.path().join("data.bin"),
        dir.path().join("link.bin"),
    )
    .unwrap();
    write(&dir, "b.gltf", gltf.replace("NAME", "link.bin"));
    assert_refused(&dir, &["import", "b.gltf"], &["link out of the folder"]);
}

#[test]
fn names_of_files_do_not_command_the_terminal_and_messages_stay_short() {
    let dir = temp();
    let body = "v 0 0 0\nv 9 0 0\nv 0 9 0\nf 1 2 3\n";
    write(
        &dir,
        "a.obj",
        format!("o \x1b[31mred\x1b]0;title\x07\n{body}"),
    );
    let imported = loomwright(&dir, &["import", "a.obj"]);
    assert_eq!(code(&imported), 0, "{}", stderr(&imported));
    for text in [stdout(&imported), stderr(&imported)] {
        assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
    }
    assert!(stdout(&imported).contains("\\u{1b}[31mred"));

    write_demo(&dir);
    write(&dir, "own.toml", format!("x = {}", "9".repeat(150_000)));
    write(
        &dir,
        "own.ibl",
        format!("begin section\nbegin curve\n{} 0 0\n", "z".repeat(150_000)),
    );
    for args in [
        &[
            "flexibilise",
            "drag.scene.json",
            "--materials",
            "own.toml",
            "-o",
            "out",
        ][..],
        &["import-routes", "own.ibl", "-o", "out"],
    ] {
        let refused = loomwright(&dir, args);
        assert_eq!(code(&refused), 2);
        let n = stderr(&refused).len();
        assert!((20..2000).contains(&n), "{n} bytes of message for {args:?}");
    }
}

/// A change of a scene file.
type Change<'a> = &'a dyn Fn(&mut serde_json::Value);

#[test]
fn what_a_command_refuses_a_file_refuses() {
    let dir = temp();
    write_demo(&dir);
    let good = std::fs::read_to_string(dir.path().join("drag.scene.json")).unwrap();
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut scene: serde_json::Value = serde_json::from_str(&good).unwrap();
        change(&mut scene);
        write(&dir, "bad.json", scene.to_string());
    };
    changed(&|s| s["gravity"] = serde_json::json!([0, 0, -1e308]));
    assert_refused(&dir, &["solve", "bad.json"], &["gravity", "1000"]);
    changed(&|s| {
        let handles = s["cables"][0]["handles"].as_array_mut().unwrap();
        let mut beyond = handles[0].clone();
        beyond["name"] = "beyond".into();
        beyond["place"] = serde_json::json!({ "at": 5000 });
        handles.push(beyond);
    });
    assert_refused(&dir, &["solve", "bad.json"], &["beyond", "length"]);
    // A handle more on the cable, changed.
    let with = |change: fn(&mut serde_json::Value)| {
        move |s: &mut serde_json::Value| {
            let handles = s["cables"][0]["handles"].as_array_mut().unwrap();
            let mut handle = handles[0].clone();
            handle["name"] = "more".into();
            handle["place"] = serde_json::json!({ "at": 450 });
            change(&mut handle);
            handles.push(handle);
        }
    };
    // A junction of the cable's start, changed, and given twice.
    let junction = |change: fn(&mut serde_json::Value), n: usize| {
        move |s: &mut serde_json::Value| {
            let start = &s["cables"][0]["handles"][0];
            let rigid = serde_json::json!({ "position": [0, 0, 0], "rotation": [1, 0, 0, 0] });
            let mut junction = serde_json::json!({
                "name": "J1",
                "pose": { "position": start["position"], "rotation": start["rotation"] },
                "ends": [{ "cable": "cable", "handle": "start", "in_junction": rigid }],
            });
            change(&mut junction);
            let mut all = vec![junction; n];
            for (k, junction) in all.iter_mut().enumerate() {
                junction["name"] = format!("J{k}").into();
            }
            s["junctions"] = all.into();
        }
    };
    let far = serde_json::json!([2e9, 0, 0]);
    let bad: &[(Change, &[&str])] = &[
        (
            &with(|h| h["kind"] = serde_json::json!({ "spring": { "stiffness": -1 } })),
            &["\"more\"", "stiffness", "positive"],
        ),
        (
            &with(|h| h["kind"] = serde_json::json!({ "sliding": { "min": 500, "max": 100 } })),
            &["\"more\"", "smaller first"],
        ),
        (
            &with(|h| h["attached_to"] = "nothing".into()),
            &["part \"nothing\""],
        ),
        (&with(|h| h["name"] = " ".into()), &["handles", "name"]),
        (
            &|s| s["cables"][0]["handles"][0]["position"] = far.clone(),
            &["handles", "at most 1e9 mm"],
        ),
        (
            &|s| s["cables"][0]["section"]["bending2"] = (-1).into(),
            &["bending2", "positive"],
        ),
        (
            &|s| s["cables"][0]["basis_length"] = 0.into(),
            &["basis_length", "positive"],
        ),
        (
            &|s| s["cables"][0]["locked_spans"] = serde_json::json!([["start", "nothing"]]),
            &["cable, nothing"],
        ),
        (
            &|s| s["parts"][0]["margin"] = 1e9.into(),
            &["part \"block\"", "margin", "1000"],
        ),
        (
            &|s| {
                s["exclusions"] = serde_json::json!(
                    [{ "cable": "cable", "part": "block", "from": 50, "to": 10 }]
                );
            },
            &["exclusions", "smaller first"],
        ),
        (
            &junction(|j| j["mass_kg"] = (-1).into(), 1),
            &["\"J0\"", "mass_kg"],
        ),
        (&junction(|_| {}, 2), &["\"J1\"", "start", "already"]),
        (
            &junction(|j| j["carries"] = "nothing".into(), 1),
            &["\"J0\"", "nothing"],
        ),
        (
            &|s| {
                junction(|j| j["free"] = true.into(), 1)(s);
                s["cables"][0]["handles"][0]["attached_to"] = "block".into();
            },
            &["\"J0\"", "free", "take it off the part"],
        ),
    ];
    for (change, words) in bad {
        changed(change);
        assert_refused(&dir, &["solve", "bad.json"], words);
    }
    // What they change is good before.
    changed(&|s| {
        with(|_| {})(s);
        junction(|_| {}, 1)(s);
    });
    let applied = loomwright(&dir, &["check", "bad.json"]);
    assert_ne!(code(&applied), 2, "{}", stderr(&applied));
}

/// What a command would make of a scene that could not be saved, it refuses.
#[test]
fn what_a_file_refuses_no_command_makes() {
    let dir = temp();
    write_demo(&dir);
    let body = serde_json::json!(
        { "command": "hang_body", "cable": "cable", "handle": "end", "mass_kg": 0.1, "name": "body" }
    );
    let attach = serde_json::json!(
        { "command": "change_handle", "cable": "cable", "handle": "end", "attached_to": "block" }
    );
    write(&dir, "both.jsonl", format!("{body}\n{attach}\n"));
    assert_refused(
        &dir,
        &["apply", "drag.scene.json", "both.jsonl", "-o", "out.json"],
        &["\"body\"", "take it off the part"],
    );
}

#[test]
fn a_packed_scene_does_not_tell_where_its_meshes_were() {
    let dir = temp();
    write_demo(&dir);
    let packed = loomwright(&dir, &["pack", "drag.scene.json", "-o", "sub.json"]);
    assert_eq!(code(&packed), 0, "{}", stderr(&packed));
    let other = temp();
    std::fs::create_dir(other.path().join("deep")).unwrap();
    let path = dir.path().join("drag.scene.json");
    let packed = loomwright(
        &other,
        &["pack", path.to_str().unwrap(), "-o", "deep/packed.json"],
    );
    assert_eq!(code(&packed), 0, "{}", stderr(&packed));
    let text = std::fs::read_to_string(other.path().join("deep/packed.json")).unwrap();
    assert!(
        text.contains("sheet.obj") && !text.contains("../"),
        "a path is left"
    );
    let solved = loomwright(&other, &["solve", "deep/packed.json"]);
    assert_eq!(code(&solved), 0, "{}", stderr(&solved));
    assert_eq!(stderr(&solved), "");
}

/// Solves the demo after a change of its file: the exit code and the kinds of findings.
fn solved_after(change: impl Fn(&mut serde_json::Value)) -> (i32, Vec<String>, String) {
    let dir = temp();
    write_demo(&dir);
    let text = std::fs::read_to_string(dir.path().join("drag.scene.json")).unwrap();
    let mut scene: serde_json::Value = serde_json::from_str(&text).unwrap();
    change(&mut scene);
    write(&dir, "changed.json", scene.to_string());
    let solved = loomwright(&dir, &["solve", "changed.json", "--json"]);
    let document = super::json(&solved);
    let kinds = document["findings"].as_array().unwrap().iter();
    let kinds = kinds.map(|f| f["kind"].as_str().unwrap().to_owned());
    assert_eq!(document["good"] == true, code(&solved) == 0);
    (
        code(&solved),
        kinds.collect(),
        document["status"].to_string(),
    )
}

#[test]
fn results_that_are_not_good_are_not_called_good() {
    let (code, found, _) = solved_after(|_| {});
    assert_eq!((code, found.len()), (0, 0));
    // 807 mm between the handles of a cable of 9 mm.
    let (code, found, status) = solved_after(|s| {
        s["cables"][0]["length"] = 9.into();
        s["cables"][0]["shape"].take();
    });
    assert_eq!(code, 1, "{status}");
    assert!(found.contains(&"overstretched".to_owned()), "{found:?}");
    // Two handles on neighbouring pieces, half a metre apart: what is between them has no choice.
    let (code, found, status) = solved_after(|s| {
        let length = s["cables"][0]["length"].as_f64().unwrap();
        let handles = s["cables"][0]["handles"].as_array_mut().unwrap();
        for (name, share, x) in [("a", 0.50, -250.0), ("b", 0.52, 250.0)] {
            let mut handle = handles[0].clone();
            handle["name"] = name.into();
            handle["place"] = serde_json::json!({ "at": share * length });
            handle["position"] = serde_json::json!([x, 0.0, 400.0]);
            handles.push(handle);
        }
        s["cables"][0]["shape"].take();
    });
    assert_eq!(code, 1, "{status}");
    for kind in ["overstretched", "contradictory_handles"] {
        assert!(found.contains(&kind.to_owned()), "{kind}: {found:?}");
    }
    // Its radius was made so large that it is inside the sheet, where its end is held.
    let (code, found, status) = solved_after(|s| {
        let parts = s["parts"].as_array_mut().unwrap();
        parts.retain(|part| part["name"] == "sheet");
        s["cables"][0]["handles"][1]["position"] = serde_json::json!([600, 0, 440]);
        s["cables"][0]["radius"] = 60.into();
        s["cables"][0]["shape"].take();
    });
    assert_eq!(code, 1, "{status}");
    assert!(found.contains(&"overlap".to_owned()), "{found:?}");
    // Nothing collides with a part whose mesh is gone.
    let (code, found, status) = solved_after(|s| {
        s["parts"][0]["mesh_file"]["path"] = "nowhere.obj".into();
    });
    assert_eq!(
        (code, &*found),
        (1, &["missing_part".to_owned()][..]),
        "{status}"
    );
}

/// Both ends at one place, pointing apart: once a fold that no solver left.
#[test]
fn two_handles_at_one_place_that_point_apart_get_a_loop() {
    let (_, found, status) = solved_after(|s| {
        s["parts"].as_array_mut().unwrap().clear();
        let cable = &mut s["cables"][0];
        cable["handles"][1]["position"] = cable["handles"][0]["position"].clone();
        // Half a turn about d1 beside the start.
        let q = cable["handles"][0]["rotation"].clone();
        let q: Vec<f64> = q
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect();
        cable["handles"][1]["rotation"] = serde_json::json!([-q[1], q[0], q[3], -q[2]]);
        cable["shape"].take();
    });
    assert_eq!(status, "\"converged\"", "{found:?}");
    assert_eq!(found, Vec::<String>::new());
}
