//! The program as a user runs it.

use std::path::Path;
use std::process::{Command, Output};

fn run(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_loomwright"))
        .current_dir(directory)
        // A locale with a decimal comma must not show.
        .env("LC_ALL", "de_DE.UTF-8")
        .env("SOURCE_DATE_EPOCH", "1700000000")
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn export_writes_checks_and_certifies() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    assert!(run(here, &["demo", "drag", "-o", "."]).status.success());
    let export = [
        "export",
        "drag.scene.json",
        "--format",
        "step",
        "-o",
        "w.stp",
        "--certificate",
        "--json",
    ];
    let output = run(here, &export);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["good"], true);
    let route = &document["export"]["files"][0]["routes"][0];
    let (curve, cable) = (&route["length_mm"], &route["cable_length_mm"]);
    assert!((curve.as_f64().unwrap() - cable.as_f64().unwrap()).abs() <= 0.01);
    assert!(here.join("w.stp.certificate.json").exists());
    let first = std::fs::read(here.join("w.stp")).unwrap();
    run(here, &export);
    assert_eq!(std::fs::read(here.join("w.stp")).unwrap(), first);

    let text = run(
        here,
        &[
            "export",
            "drag.scene.json",
            "--format",
            "csv",
            "--unit",
            "in",
            "-o",
            "w.csv",
        ],
    );
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("read back and good: w.csv"), "{text}");
    assert!(
        std::fs::read_to_string(here.join("w.csv"))
            .unwrap()
            .starts_with("route,s_in,x_in")
    );
}

#[test]
fn what_cannot_be_exported_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    run(here, &["demo", "drag", "-o", "."]);
    let scene = "drag.scene.json";
    for (arguments, words) in [
        (
            vec!["--format", "step", "-o", "w.stp", "--cable", "W9"],
            "there is no route \"W9\"",
        ),
        (
            vec!["--format", "vda", "-o", "w.vda", "--unit", "in"],
            "in mm by their standard",
        ),
        (
            vec!["--format", "step", "-o", "no/such/w.stp"],
            "no/such/w.stp",
        ),
        (
            vec!["--format", "csv", "-o", "w.csv", "--chord-error", "0"],
            "chord error",
        ),
    ] {
        let all: Vec<&str> = ["export", scene].into_iter().chain(arguments).collect();
        let output = run(here, &all);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
    assert!(!here.join("w.stp").exists() && !here.join("w.vda").exists());
}
