//! Saving under bad conditions: the last good scene is always there.

use std::process::{Command, Stdio};
use std::time::Duration;

use loomwright::scene::file;

use super::{code, loomwright, stderr, temp, write};

/// A save may be cut off at any moment: the scene on disk is the old one or the new one, whole.
#[test]
fn a_killed_save_never_leaves_an_unreadable_scene() {
    let dir = temp();
    assert_eq!(code(&loomwright(&dir, &["demo", "drag", "-o", "."])), 0);
    // Meshes in the file make the save long enough to be hit.
    let packed = ["pack", "drag.scene.json", "-o", "big.scene.json"];
    assert_eq!(code(&loomwright(&dir, &packed)), 0);
    let path = dir.path().join("big.scene.json");
    let mut rng = fastrand::Rng::with_seed(3);
    let (mut old, mut new) = (0, 0);
    let mut length = 900.0;
    for k in 0..100 {
        let wanted = 901.0 + f64::from(k);
        write(
            &dir,
            "edit.jsonl",
            format!("{{\"command\":\"set_length\",\"cable\":\"cable\",\"length\":{wanted}}}"),
        );
        let mut child = Command::new(env!("CARGO_BIN_EXE_loomwright"))
            .args([
                "apply",
                "big.scene.json",
                "edit.jsonl",
                "-o",
                "big.scene.json",
            ])
            .current_dir(dir.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(rng.u64(0..14_000)));
        let _ = child.kill();
        child.wait().unwrap();
        let (scene, _) = file::load(&path).expect("a whole scene");
        let found = scene.cables[0].length;
        assert!(found == length || found == wanted);
        if found == wanted {
            new += 1;
        } else {
            old += 1;
        }
        length = found;
    }
    println!("{old} saves were cut off, {new} were not");
}

#[test]
fn a_scene_without_its_mesh_opens_and_says_what_is_missing() {
    let dir = temp();
    assert_eq!(code(&loomwright(&dir, &["demo", "drag", "-o", "."])), 0);
    std::fs::remove_file(dir.path().join("sheet.obj")).unwrap();
    let solved = loomwright(
        &dir,
        &["solve", "drag.scene.json", "-o", "solved.scene.json"],
    );
    // There is a result, but cables may pass through where the part was.
    assert_eq!(code(&solved), 1, "{}", stderr(&solved));
    assert!(
        stderr(&solved).contains("part \"sheet\" has no mesh"),
        "{}",
        stderr(&solved)
    );
    let text = std::fs::read_to_string(dir.path().join("solved.scene.json")).unwrap();
    assert!(text.contains("sheet.obj"), "the part is still in the file");
    let packed = loomwright(&dir, &["pack", "drag.scene.json", "-o", "p.json"]);
    assert_eq!(code(&packed), 2);
    assert!(stderr(&packed).contains("put its file back"));
}

#[test]
fn the_samples_solve_and_own_materials_reach_a_cable() {
    let dir = temp();
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/samples");
    for name in ["drag", "sheet"] {
        let scene = format!("{samples}/{name}/{name}.scene.json");
        let solved = loomwright(&dir, &["solve", &scene]);
        assert_eq!(code(&solved), 0, "{}", stderr(&solved));
        assert_eq!(stderr(&solved), "", "no warning about its meshes");
    }
    assert_eq!(
        code(&loomwright(&dir, &["demo", "engine-bay", "-o", "."])),
        0
    );
    write(
        &dir,
        "own.toml",
        "[[material]]\nname = \"My hose\"\nkind = \"hose\"\nradius_mm = 9\nbending_n_mm2 = 1e5\n\
         torsion_n_mm2 = 1e5\naxial_n = 1e5\nmass_kg_m = 0.3\ncalibrated = true\nsource = \"measured\"\n",
    );
    let args = [
        "flexibilise",
        "engine-bay.scene.json",
        "--part",
        "harness",
        "--branch",
        "1",
    ];
    let own = [
        "--materials",
        "own.toml",
        "--material",
        "My hose",
        "-o",
        "flexible.scene.json",
    ];
    let made = loomwright(&dir, &[&args[..], &own[..]].concat());
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let (scene, _) = file::load(&dir.path().join("flexible.scene.json")).unwrap();
    let cable = scene.cables.last().unwrap();
    assert_eq!(cable.material.as_deref(), Some("My hose"));
    // The material's numbers are for a radius of 9 mm; the harness has it to a rounding error.
    assert!((cable.section.bending - 1e5).abs() < 0.1);
    let wrong = loomwright(
        &dir,
        &[
            "flexibilise",
            "engine-bay.scene.json",
            "--part",
            "battery",
            "-o",
            "x.json",
        ],
    );
    assert_eq!(code(&wrong), 1, "a battery is no cable: {}", stderr(&wrong));
}

#[test]
fn a_cable_that_nothing_holds_is_refused_by_name() {
    let dir = temp();
    assert_eq!(code(&loomwright(&dir, &["demo", "box", "-o", "."])), 0);
    let line = |handle: &str| {
        format!("{{\"command\":\"delete_handle\",\"cable\":\"cable\",\"handle\":\"{handle}\"}}\n")
    };
    write(&dir, "loose.jsonl", line("start") + &line("end"));
    let args = [
        "apply",
        "box.scene.json",
        "loose.jsonl",
        "-o",
        "loose.scene.json",
    ];
    assert_eq!(code(&loomwright(&dir, &args)), 0);
    let solved = loomwright(&dir, &["solve", "loose.scene.json"]);
    assert_eq!(code(&solved), 2);
    let said = stderr(&solved);
    assert!(
        said.contains("cable \"cable\"") && said.contains("at least one handle"),
        "{said}"
    );
}
