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

/// The scene `drag.scene.json`, with edges enough that the export lies within 0.05 mm of what is shown.
fn make_demo(directory: &Path) {
    assert!(
        run(directory, &["demo", "drag", "-o", "."])
            .status
            .success()
    );
    let finer = r#"{"command":"refine_cable","cable":"cable"}"#;
    std::fs::write(directory.join("finer.jsonl"), finer).unwrap();
    let scene = "drag.scene.json";
    let output = run(directory, &["apply", scene, "finer.jsonl", "-o", scene]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn export_writes_checks_and_certifies() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    make_demo(here);
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
    assert!(text.contains("File matches route, max. 0.0"), "{text}");
    assert!(text.contains(" mm: w.csv ("), "{text}");
    assert!(
        std::fs::read_to_string(here.join("w.csv"))
            .unwrap()
            .starts_with("route,s_in,x_in")
    );
}

#[test]
fn the_ending_tells_the_format() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    make_demo(here);
    for (name, begins) in [
        ("w.STEP", "ISO-10303-21;"),
        ("w.csv", "route,s_mm"),
        ("w.dxf", "  0\nSECTION"),
    ] {
        let output = run(here, &["export", "drag.scene.json", "-o", name]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let text = std::fs::read_to_string(here.join(name)).unwrap();
        assert!(text.starts_with(begins), "{name}: {text:.40}");
    }
    for name in ["w", "w.catpart"] {
        let output = run(here, &["export", "drag.scene.json", "-o", name]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("--format") && said.contains("step"), "{said}");
    }
}

#[test]
fn export_makes_lines_and_arcs() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    make_demo(here);
    let arcs = "export drag.scene.json --format iges -o w.igs --form lines-arcs --tolerance 0.05 --min-radius 10";
    let arcs: Vec<&str> = arcs.split(' ').collect();
    let output = run(here, &arcs);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains(" lines and arcs\n"), "{text}");
    let file = std::fs::read_to_string(here.join("w.igs")).unwrap();
    assert!(file.contains("\n     102 ") && file.contains("\n     100 "));
    assert!(!file.contains("\n     126 "));
}

#[test]
fn exported_routes_come_back_as_cables_of_the_same_length() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    make_demo(here);
    for file in ["w.csv", "w.ibl", "w.stp", "w.vda"] {
        let format = match file.split('.').nth(1).unwrap() {
            "stp" => "step",
            other => other,
        };
        let export = ["export", "drag.scene.json", "--format", format, "-o", file];
        let output = run(here, &[&export[..], &["--json"]].concat());
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let route = &document["export"]["files"][0]["routes"][0];
        let length = route["cable_length_mm"].as_f64().unwrap();
        let import = [
            "import-routes",
            file,
            "--diameter",
            "6",
            "-o",
            "r.scene.json",
        ];
        let output = run(here, &[&import[..], &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let cable = &document["cables"][0];
        let found = cable["length"].as_f64().unwrap();
        assert!((found - length).abs() < 0.01, "{file}: {found} of {length}");
        // The file says how thick it is: that counts more than what is asked for files that do not.
        assert_eq!(cable["radius"], 4.0);
        // It is solved like any other cable.
        let output = run(here, &["solve", "r.scene.json"]);
        assert_eq!(output.status.code(), Some(0), "{file}: {output:?}");
    }
    // Added to a scene, with a name of its own.
    let output = run(
        here,
        &[
            "import-routes",
            "w.stp",
            "--scene",
            "r.scene.json",
            "-o",
            "two.scene.json",
            "--keep-shape",
        ],
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("scene of 2 cables"), "{text}");
    for (arguments, words) in [
        (
            &["import-routes", "nowhere.stp"][..],
            "cannot read nowhere.stp",
        ),
        (&["import-routes", "drag.scene.json"][..], "drag.scene.json"),
        (
            &["import-routes", "w.stp", "--diameter", "-1"][..],
            "diameter",
        ),
        (
            &["import-routes", "w.stp", "--material", "glass"][..],
            "there is no material \"glass\"",
        ),
    ] {
        let output = run(here, &[arguments, &["-o", "no.scene.json"]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
    assert!(!here.join("no.scene.json").exists());
}

#[test]
fn what_cannot_be_exported_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    make_demo(here);
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
        (
            vec!["--format", "vda", "-o", "w.vda", "--form", "lines-arcs"],
            "hold no lines and arcs",
        ),
        (
            vec!["--format", "step", "-o", "w.stp", "--tolerance", "1"],
            "--form lines-arcs",
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
