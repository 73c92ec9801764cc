//! A whole drag by script, judged from its trace file by the independent checker.

use std::fs::File;
use std::io::BufReader;

use loomwright::check::{Checker, check_trace};
use loomwright::scene::file;

use crate::{code, json, loomwright as run, stderr, temp, write, write_demo};

/// Into the pocket, out again, over the sheet's edge and in one jump against the block: `replay --trace` keeps every
/// accepted iterate, and none of them, nor the way between two, goes through a part.
#[test]
fn a_replayed_drag_never_passes_through_a_part() {
    let dir = temp();
    write_demo(&dir);
    let stations = [
        [560.0, 0.0, 240.0],
        [560.0, 0.0, 560.0],
        [720.0, 0.0, 560.0],
        [720.0, 0.0, 430.0],
        [720.0, 0.0, 560.0],
        [500.0, 0.0, 560.0],
    ];
    let mut lines = Vec::new();
    let mut at = [560.0, 0.0, 440.0];
    for station in stations {
        for k in 1..=15 {
            let t = f64::from(k) / 15.0;
            let p = [0, 1, 2].map(|i| at[i] + (station[i] - at[i]) * t);
            lines.push(format!(
                r#"{{"command":"move_handle","cable":"cable","handle":"end","position":{p:?}}}"#
            ));
            lines.push(r#"{"frame":true}"#.to_owned());
        }
        at = station;
    }
    // Straight at the block, faster than any mouse.
    lines.push(
        r#"{"command":"move_handle","cable":"cable","handle":"end","position":[160,0,50]}"#
            .to_owned(),
    );
    write(&dir, "script.jsonl", lines.join("\n"));
    let args = [
        "--json",
        "replay",
        "drag.scene.json",
        "script.jsonl",
        "--trace",
        "trace.jsonl",
    ];
    let output = run(&dir, &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let frames = json(&output)["frames"].as_array().unwrap().clone();
    assert_eq!(frames.len(), 91);
    let last = frames[90]["held"][0].as_str().unwrap();
    assert!(
        last.contains("blocked by"),
        "the jump at the block is stopped: {last}"
    );
    let in_contact = frames
        .iter()
        .filter(|f| f["smallest_gap"].is_number())
        .count();
    assert!(in_contact > 20, "{in_contact} frames in contact");

    let (scene, _) = file::load(&dir.path().join("drag.scene.json")).unwrap();
    let checker = Checker::new(scene.parts.iter().map(|p| (p.name.as_str(), &**p.mesh())));
    let trace = BufReader::new(File::open(dir.path().join("trace.jsonl")).unwrap());
    let summary = check_trace(&checker, trace, 8.0).unwrap();
    assert!(summary.is_clear(), "{:?}", summary.crossings.first());
    assert!(summary.iterates > 200 && summary.chains == 1);
    assert!(summary.smallest_gap.unwrap().gap.gap > 0.0);
}
