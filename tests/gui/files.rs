//! Import, flexibilise and export through the window, with real files in a folder of the test.

use std::fmt::Write as _;

use loomwright::mesh::primitives;
use loomwright::scene::PartRole;
use loomwright::window::files::ImportChoice;

use super::selecting::{click, place};
use super::*;

fn wait(window: &mut Window, what: &str, until: impl Fn(&Window) -> bool) {
    let started = Instant::now();
    while !until(window) {
        assert!(started.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(1));
        window.run_steps(1);
    }
}

/// Types a path into the field that File > "Open path ..." shows.
pub fn open_path(window: &mut Window, path: &std::path::Path) {
    window.get_by_label("File").click();
    window.run_steps(3);
    window.get_by_label("Open path ...").click();
    window.run_steps(3);
    let field = window.get_by_role_and_label(
        egui::accesskit::Role::TextInput,
        "Path of a scene (.json) or mesh file to open",
    );
    field.type_text(&path.display().to_string());
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(3);
}

/// A straight tube as an OBJ file.
fn tube_file(folder: &std::path::Path) -> std::path::PathBuf {
    let from = Vec3::new(-150.0, -200.0, 150.0);
    let mesh = primitives::cylinder(&from, &Vec3::new(300.0, 0.0, 0.0), 5.0, 24, 60);
    let mut text = String::from("o harness\n");
    for v in mesh.vertices() {
        let _ = writeln!(text, "v {} {} {}", v.x, v.y, v.z);
    }
    for [a, b, c] in mesh.triangles() {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    let path = folder.join("harness.obj");
    std::fs::write(&path, text).expect("written");
    path
}

#[test]
fn a_harness_is_imported_made_flexible_and_exported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = tube_file(folder.path());
    let mut window = Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            let scene = loomwright::scene::Scene::default();
            LoomApp::new(cc, scene, Vec::new(), simulation_factory()).expect("a window")
        });
    settle(&mut window);
    open_path(&mut window, &path);
    window
        .get_by_role_and_label(egui::accesskit::Role::Button, "Import")
        .click();
    wait(&mut window, "not imported", |w| {
        w.state().document().scene().parts.len() == 1
    });
    settle(&mut window);
    assert_eq!(ImportChoice::default().role, PartRole::Obstacle);

    window.key_press(Key::X);
    wait(&mut window, "no branch found", |w| {
        w.query_by_label("1 branch").is_some()
    });
    window.run_steps(3);
    let at = place(&window, &Vec3::new(20.0, -200.0, 155.0));
    click(&mut window, at, Modifiers::NONE);
    window.get_by_label("Make the branch flexible");
    window.key_press(Key::Enter);
    wait(&mut window, "not flexible", |w| {
        !w.state().document().scene().cables.is_empty()
    });
    settle(&mut window);
    window.get_by_label_contains("paused after making it flexible");
    let cable = window.state().document().scene().cables[0].clone();
    assert!((cable.length - 300.0).abs() < 0.5, "{}", cable.length);
    assert!(cable.skin.is_some());

    window.key_press_modifiers(Modifiers::COMMAND, Key::E);
    window.run_steps(3);
    let out = folder.path().join("routes.stp");
    let field = window.get_by_role_and_label(egui::accesskit::Role::TextInput, "File");
    field.click();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(Event::Text(out.display().to_string()));
    window.run_steps(2);
    window.get_by_label("Export").click();
    wait(&mut window, "not exported", |w| {
        w.query_by_label_contains("File matches route").is_some()
    });
    let text = std::fs::read_to_string(&out).expect("a file");
    assert!(text.starts_with("ISO-10303-21;") && !text.contains("COMPOSITE_CURVE"));

    // The same as lines and arcs, and back into the scene as a cable of the same length. The dialog has grown with
    // its result: it stands still after a few redraws.
    let radio = egui::accesskit::Role::RadioButton;
    window.run_steps(4);
    window
        .get_by_role_and_label(radio, "lines and arcs")
        .click();
    window.run_steps(4);
    window.get_by_role_and_label(egui::accesskit::Role::SpinButton, "Smallest radius");
    window.get_by_label("Export").click();
    wait(&mut window, "no lines and arcs", |_| {
        std::fs::read_to_string(&out).is_ok_and(|text| text.contains("COMPOSITE_CURVE("))
    });
    wait(&mut window, "not exported again", |w| {
        w.query_by_label_contains("File matches route").is_some()
    });
    window.run_steps(4);
    window.get_by_label("Close").click();
    window.run_steps(3);
    // A STEP file that holds curves alone leaves nothing to ask.
    open_path(&mut window, &out);
    wait(&mut window, "no cable of the route", |w| {
        w.state().document().scene().cables.len() == 2
    });
    let cables = &window.state().document().scene().cables;
    let (made, back) = (&cables[0], &cables[1]);
    // Lines and arcs differ by their tolerance for each radian of turning; the hose turns by less than one.
    assert!((made.length - back.length).abs() < 0.1, "{}", back.length);
    assert_ne!(made.name, back.name);
    // It came back as what it was.
    let harnesses = &window.state().document().scene().harnesses;
    assert_eq!(harnesses.len(), 2);
    let piece = loomwright::scene::Piece::Flexible {
        cable: back.name.clone(),
    };
    assert_eq!(harnesses[1].segments[0].pieces, [piece]);
}

#[test]
fn a_branch_is_split_by_a_correction_and_made_flexible_in_part() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = tube_file(folder.path());
    let mut scene = loomwright::scene::Scene::default();
    let import = loomwright::scene::Command::Import {
        path,
        role: PartRole::Harness,
        options: loomwright::mesh::import::ImportOptions::default(),
        loaded: None,
    };
    import.apply(&mut scene).expect("imported");
    let mut window = Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            LoomApp::new(cc, scene, Vec::new(), simulation_factory()).expect("a window")
        });
    settle(&mut window);
    window.key_press(Key::X);
    wait(&mut window, "no branch found", |w| {
        w.query_by_label("1 branch").is_some()
    });
    window.get_by_label("Correct").click();
    window.run_steps(3);
    window.get_by_label("0 corrections");
    window.get_by_role(egui::accesskit::Role::ComboBox).click();
    window.run_steps(3);
    window.get_by_label("Split a branch").click();
    window.run_steps(3);
    let at = place(&window, &Vec3::new(-50.0, -200.0, 155.0));
    click(&mut window, at, Modifiers::NONE);
    wait(&mut window, "not corrected", |w| {
        w.query_by_label("1 correction").is_some()
    });
    let part = &window.state().document().scene().parts[0];
    assert_eq!(part.corrections.len(), 1);
    window.get_by_label("Whole branches").click();
    wait(&mut window, "not split", |w| {
        w.query_by_label("2 branches").is_some()
    });
    let at = place(&window, &Vec3::new(60.0, -200.0, 155.0));
    click(&mut window, at, Modifiers::NONE);
    window.key_press(Key::Enter);
    wait(&mut window, "not flexible", |w| {
        !w.state().document().scene().cables.is_empty()
    });
    let length = window.state().document().scene().cables[0].length;
    assert!((length - 200.0).abs() < 5.0, "{length}");
}

#[test]
fn what_is_no_harness_is_refused_in_words() {
    let mut window = window();
    window.get_by_label("block").click();
    window.run_steps(2);
    window.key_press(Key::X);
    wait(&mut window, "nothing said", |w| {
        w.query_by_label("Dismiss").is_some()
    });
    window.get_by_label_contains("no cable found");
    assert_eq!(window.state().document().scene().cables.len(), 1);
}

/// A window with a file that is being opened.
fn opening(path: std::path::PathBuf) -> Window {
    Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            let scene = loomwright::scene::Scene::default();
            LoomApp::new(cc, scene, vec![path], double::factory()).expect("a window")
        })
}

#[test]
fn a_scene_that_is_open_elsewhere_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bay.json");
    loomwright::scene::file::save(&double::scene(), &path).expect("saved");
    let lock = folder.path().join(".bay.json.lock");
    std::fs::write(&lock, r#"{"process":7,"computer":"elsewhere"}"#).expect("written");
    {
        let mut window = opening(path.clone());
        wait(&mut window, "nothing said", |w| {
            w.query_by_label("Dismiss").is_some()
        });
        window.get_by_label_contains("already open in another window (process 7 on elsewhere)");
    }
    assert!(lock.exists(), "the other's word stays");
    std::fs::remove_file(&lock).expect("removed");
    {
        let mut window = opening(path);
        wait(&mut window, "not opened", |w| {
            w.state().document().scene().cables.len() == 1
        });
        assert!(lock.exists(), "our own word");
        assert!(window.query_by_label("Dismiss").is_none());
    }
    assert!(!lock.exists(), "taken back");
}

#[test]
fn a_missing_part_is_located() {
    let folder = tempfile::tempdir().expect("a folder");
    let mesh = tube_file(folder.path());
    let mut scene = loomwright::scene::Scene::default();
    let import = loomwright::scene::Command::Import {
        path: mesh.clone(),
        role: PartRole::Harness,
        options: loomwright::mesh::import::ImportOptions::default(),
        loaded: None,
    };
    import.apply(&mut scene).expect("imported");
    let path = folder.path().join("scene.json");
    loomwright::scene::file::save(&scene, &path).expect("saved");
    let elsewhere = folder.path().join("moved");
    std::fs::create_dir(&elsewhere).expect("a folder");
    std::fs::rename(&mesh, elsewhere.join("loom.obj")).expect("moved");
    let mut window = opening(path);
    wait(&mut window, "not told", |w| {
        w.query_by_label("Locate harness ...").is_some()
    });
    assert!(window.state().document().scene().parts.is_empty());
    window.get_by_label("Locate harness ...").click();
    window.run_steps(3);
    let field = window.get_by_role_and_label(
        egui::accesskit::Role::TextInput,
        "Path of the mesh file to take part harness from",
    );
    field.type_text(&elsewhere.join("loom.obj").display().to_string());
    window.run_steps(2);
    window.key_press(Key::Enter);
    wait(&mut window, "not located", |w| {
        w.state().document().scene().parts.len() == 1
    });
    let scene = window.state().document().scene();
    assert!(scene.missing.is_empty());
    assert_eq!(scene.parts[0].role, PartRole::Harness);
}
