//! Reports and exports of the program on `samples`, compared with what they were as values.
//!
//! A number may differ by a thousandth or by 0.02 (mm, N, N mm, degrees), so that a better solver passes and a changed
//! meaning does not. `LOOMWRIGHT_BLESS=1 cargo test --test golden` writes the files anew: look at the difference.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sample(name: &str) -> String {
    let path = root().join("samples").join(name);
    path.to_str().unwrap().to_owned()
}

/// Runs a verb in `dir` and gives its JSON document; exit code 0 or 1.
fn document(dir: &TempDir, args: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_loomwright"))
        .args([&["--json"], args].concat())
        .env("SOURCE_DATE_EPOCH", "0")
        .current_dir(dir.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{args:?}: {said}"
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Only these fields, at any depth below.
fn only(value: &Value, fields: &[&str]) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| fields.contains(&key.as_str()));
            kept.map(|(key, value)| (key.clone(), only(value, fields)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        Value::Array(all) => all.iter().map(|v| only(v, fields)).collect(),
        plain => plain.clone(),
    }
}

/// Where two values differ.
fn differences(path: &str, golden: &Value, now: &Value, found: &mut Vec<String>) {
    let said = |found: &mut Vec<String>| found.push(format!("{path}: was {golden}, is {now}"));
    match (golden, now) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            if (a - b).abs() > 0.02 + 1e-3 * a.abs() {
                said(found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{path}[{i}]"), a, b, found);
            }
        }
        // Fields may come, none may go.
        (Value::Object(a), Value::Object(b)) => {
            for (key, a) in a {
                let now = b.get(key).unwrap_or(&Value::Null);
                differences(&format!("{path}.{key}"), a, now, found);
            }
        }
        (a, b) if a == b => {}
        _ => said(found),
    }
}

/// Numbers with four decimals: what a person reads in a golden file.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Number(n) if n.is_f64() => {
            let n = n.as_f64().unwrap();
            json!((n * 1e4).round() / 1e4 + 0.0)
        }
        Value::Array(all) => all.iter().map(rounded).collect(),
        Value::Object(map) => (map.iter().map(|(k, v)| (k.clone(), rounded(v))))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        plain => plain.clone(),
    }
}

/// Compares with the golden file of that name, or writes it.
fn assert_golden(name: &str, now: &Value) {
    let path: PathBuf = root().join("tests/golden").join(format!("{name}.json"));
    if std::env::var_os("LOOMWRIGHT_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&rounded(now)).unwrap();
        std::fs::write(path, text + "\n").unwrap();
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let golden: Value = serde_json::from_str(&text).unwrap();
    let mut found = Vec::new();
    differences("", &golden, now, &mut found);
    assert!(found.is_empty(), "{name}: {found:#?}");
}

#[test]
fn import_and_centerlines_of_the_harness() {
    let dir = tempfile::tempdir().unwrap();
    let mesh = sample("harness/harness.obj");
    let fields = [
        "files",
        "format",
        "parts",
        "name",
        "area",
        "volume",
        "closed",
        "min",
        "max",
        "report",
        "components",
        "open_edges",
        "triangles_kept",
        "vertices_kept",
        "space",
        "unit",
        "up",
    ];
    let imported = document(&dir, &["import", &mesh]);
    assert_golden("import", &only(&imported, &fields));
    let fields = [
        "units", "nodes", "id", "position", "branches", "name", "start", "end", "length", "closed",
        "warnings", "code",
    ];
    let extracted = document(&dir, &["extract", &mesh]);
    assert_golden("extract", &only(&extracted, &fields));
}

#[test]
fn cables_of_the_harness() {
    let dir = tempfile::tempdir().unwrap();
    let harness = sample("harness/harness.scene.json");
    let args = ["flexibilise", &harness, "--part", "harness", "-o", "out"];
    let made = document(&dir, &args);
    let fields = ["cables", "name", "length", "radius"];
    assert_golden("flexibilise", &only(&made, &fields));
}

#[test]
fn reports_of_a_hanging_cable() {
    let dir = tempfile::tempdir().unwrap();
    let scene = sample("sheet/sheet.scene.json");
    let fields = [
        "status",
        "good",
        "findings",
        "kind",
        "cables",
        "name",
        "length",
        "rest_length",
        "radius",
        "smallest_bend_radius",
        "bend_limit",
        "bend_measured",
        "twist",
        "start_handle",
        "end_handle",
        "force",
        "moment",
        "short_by",
        "held_by",
        "stable",
    ];
    let solved = document(&dir, &["solve", &scene]);
    assert_golden("solve", &only(&solved, &fields));
    let fields = [
        "cables",
        "n_errors",
        "n_warnings",
        "findings",
        "kind",
        "severity",
        "cable",
        "value",
        "limit",
        "unit",
    ];
    let judged = document(&dir, &["check", &scene]);
    let mut judged_fields = only(&judged, &fields);
    // The number of cables here, the names of fields there.
    judged_fields["cables"] = judged["cables"].clone();
    assert_golden("check", &judged_fields);
    assert_golden("lengths", &document(&dir, &["lengths", &scene])["lengths"]);
}

#[test]
fn states_of_a_replay() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"{"command":"move_handle","cable":"cable","handle":"end","position":[560,0,380]}
{"frame":1}
{"command":"set_length","cable":"cable","length":950}
{"frame":2}
"#;
    std::fs::write(dir.path().join("script.jsonl"), script).unwrap();
    let scene = sample("drag/drag.scene.json");
    let played = document(
        &dir,
        &["replay", &scene, "script.jsonl", "--states", "states.jsonl"],
    );
    let fields = ["frames", "frame", "status", "good"];
    let states = std::fs::read_to_string(dir.path().join("states.jsonl")).unwrap();
    let states = states.lines().map(|line| {
        let state: Value = serde_json::from_str(line).unwrap();
        let points = state["cables"][0]["points"].as_array().unwrap();
        let every_tenth: Vec<&Value> = points.iter().step_by(10).collect();
        json!({ "status": state["status"], "points": every_tenth })
    });
    assert_golden(
        "replay",
        &json!({ "said": only(&played, &fields), "states": states.collect::<Vec<_>>() }),
    );
}

/// Eleven points at equal shares of each route of a CSV file, with what else its rows say.
fn csv_values(text: &str) -> Value {
    let mut lines = text.lines();
    // Columns may come behind these.
    let header: Vec<&str> = lines.next().unwrap().split(',').take(9).collect();
    let mut routes: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(',').collect();
        routes.entry(fields[0]).or_default().push(fields);
    }
    let number = |text: &str| text.parse::<f64>().unwrap();
    let of_route = |rows: &Vec<Vec<&str>>| {
        let length = number(rows[rows.len() - 1][1]);
        let at = |k: usize| {
            let s = length * k as f64 / 10.0;
            let after = rows.iter().position(|row| number(row[1]) >= s);
            let after = after.unwrap_or(rows.len() - 1).max(1);
            let (a, b) = (&rows[after - 1], &rows[after]);
            let share = (s - number(a[1])) / (number(b[1]) - number(a[1]));
            (2..5)
                .map(|c| number(a[c]) + share * (number(b[c]) - number(a[c])))
                .collect()
        };
        let points: Vec<Vec<f64>> = (0..=10).map(at).collect();
        json!({ "length": length, "points": points, "diameter": number(rows[0][5]), "other": rows[0][6..9] })
    };
    let routes = routes
        .iter()
        .map(|(name, rows)| ((*name).to_owned(), of_route(rows)));
    json!({ "header": header, "routes": routes.collect::<serde_json::Map<_, _>>() })
}

/// What a STEP file is made of: its schema, its names, and how many of each entity that does not depend on the number
/// of points.
fn step_values(text: &str) -> Value {
    let count = |entity: &str| text.matches(&format!("{entity}(")).count();
    let entities = [
        "PRODUCT",
        "B_SPLINE_CURVE_WITH_KNOTS",
        "GEOMETRIC_CURVE_SET",
        "NEXT_ASSEMBLY_USAGE_OCCURRENCE",
        "SI_UNIT",
    ];
    let counts = entities.map(|e| (e.to_owned(), json!(count(e))));
    let schema = text.lines().find(|line| line.starts_with("FILE_SCHEMA"));
    let mut names: Vec<&str> = text
        .split("PRODUCT('")
        .skip(1)
        .filter_map(|rest| rest.split('\'').next())
        .collect();
    names.sort_unstable();
    json!({
        "schema": schema,
        "products": names,
        "entities": serde_json::Map::from_iter(counts),
    })
}

#[test]
fn exports_of_a_hanging_cable() {
    let dir = tempfile::tempdir().unwrap();
    let scene = sample("sheet/sheet.scene.json");
    let fields = [
        "export",
        "format",
        "files",
        "axes",
        "unit",
        "geometry_good",
        "routes",
        "route",
        "name_in_file",
        "cable_length_mm",
        "length_mm",
        "end_gaps_mm",
        "problems",
    ];
    for (format, values) in [
        ("csv", csv_values as fn(&str) -> Value),
        ("step", step_values),
    ] {
        let file = format!("route.{format}");
        let exported = document(&dir, &["export", &scene, "--format", format, "-o", &file]);
        let text = std::fs::read_to_string(dir.path().join(&file)).unwrap();
        let said = only(&exported, &fields);
        assert_golden(
            &format!("export-{format}"),
            &json!({ "said": said, "file": values(&text) }),
        );
    }
}
