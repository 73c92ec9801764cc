//! `extract`: numbers, warnings for programs, refusals, and the time limit.

use std::path::Path;

use super::*;

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/harness");
    path.join(name).to_string_lossy().into_owned()
}

#[test]
fn branches_are_counted_from_one_and_have_names() {
    let dir = temp();
    let text = stdout(&loomwright(&dir, &["extract", &fixture("tee_a.stl")]));
    assert!(
        text.contains("  branch 1: ") && text.contains("  branch 3: "),
        "{text}"
    );
    assert!(!text.contains("branch 0"), "{text}");
    let found = json(&loomwright(
        &dir,
        &["--json", "extract", &fixture("tee_a.stl")],
    ));
    assert_eq!(found["branches"][2]["name"], "B3");
}

#[test]
fn warnings_have_code_place_branch_and_message() {
    let dir = temp();
    let args = [
        "--json",
        "extract",
        &fixture("ribbon_a.stl"),
        "-o",
        "out.json",
    ];
    let shown = loomwright(&dir, &args);
    assert_eq!(code(&shown), 0, "{}", stderr(&shown));
    let written = std::fs::read_to_string(dir.path().join("out.json")).unwrap();
    let written: Value = serde_json::from_str(&written).unwrap();
    for document in [json(&shown), written] {
        let warning = &document["warnings"][0];
        assert_eq!(warning["code"], "not-round");
        assert_eq!(warning["branch"], 1);
        assert_eq!(warning["position"].as_array().unwrap().len(), 3);
        let message = warning["message"].as_str().unwrap();
        assert!(message.contains("not round"), "{message}");
    }
}

#[test]
fn a_search_beyond_its_time_is_given_up() {
    let dir = temp();
    let given_up = loomwright(
        &dir,
        &["extract", &fixture("tee_a.stl"), "--time-limit", "1e-9"],
    );
    assert_eq!(code(&given_up), 1);
    let text = stdout(&given_up);
    assert!(text.contains("--time-limit"), "{text}");
    let wrong = loomwright(
        &dir,
        &["extract", &fixture("tee_a.stl"), "--time-limit", "0"],
    );
    assert_eq!(code(&wrong), 2);
}
