//! `study path`: what it says, what it writes, what it refuses.

use super::*;

const OUT: &str =
    r#"{"parts":["control unit"],"steps":[{"step":"move","name":"out","by":[-20,0,90]}]}"#;

#[test]
fn a_path_names_the_cable_that_is_too_short_and_writes_what_frees_it() {
    let dir = temp();
    let output = loomwright(&dir, &["demo", "control-unit", "-o", "."]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    write(&dir, "out.json", OUT);
    let args = |scene| ["study", "path", scene, "out.json", "--step", "40"];
    let first = [
        &args("control-unit.scene.json")[..],
        &["--json", "--table", "out.csv", "--envelope", "swept.stl"],
        &["-o", "longer.json"],
    ];
    let output = loomwright(&dir, &first.concat());
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let found = json(&output);
    assert_eq!(found["limits"][0]["cable"], "GND");
    let missing = found["limits"][0]["missing"].as_f64().unwrap();
    let needed = found["cables"][0]["needed"].as_f64().unwrap();
    assert_eq!(
        needed,
        found["cables"][0]["length"].as_f64().unwrap() + missing
    );
    let table = std::fs::read_to_string(dir.path().join("out.csv")).unwrap();
    assert_eq!(
        table.lines().count(),
        1 + 3 * found["samples"].as_array().unwrap().len()
    );
    let stl = std::fs::read(dir.path().join("swept.stl")).unwrap();
    let count = u32::from_le_bytes(stl[80..84].try_into().unwrap());
    assert!(count > 1000 && stl.len() == 84 + 50 * count as usize);
    // The saved scene has the length that the path needs.
    let output = loomwright(&dir, &args("longer.json"));
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert!(stdout(&output).starts_with("the path is free"));
    let refused = [
        (&["--part", "nothing"][..], "nothing"),
        (&["--step", "0"], "--step"),
        (&["--envelope", "swept.obj"], ".stl or .glb"),
        (&["-o", "out.json"], "overwrite"),
    ];
    for (more, word) in refused {
        let all = [&args("control-unit.scene.json")[..4], more].concat();
        assert_refused(&dir, &all, &[word]);
    }
}
