//! Length, twist, findings and new revisions of the parts: what takes a while is done beside the window.

use loomwright::geom::{Aabb, Rotation};
use loomwright::mesh::import::ImportOptions;
use loomwright::mesh::primitives;
use loomwright::scene::{BendLimit, Command, PartRole, Scene, demo};

use super::tools::{choose, real, scene};
use super::*;

/// Redraws until a label is there that has these words.
fn until_said(window: &mut Window, words: &str) {
    let started = Instant::now();
    while window.query_all_by_label_contains(words).next().is_none() {
        // Only against a window that hangs: a busy machine may take its time.
        assert!(started.elapsed() < Duration::from_mins(1), "never: {words}");
        window.run_steps(1);
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn hose() -> Scene {
    let mut scene = demo::demo("box").expect("the demo");
    scene.cables[0].bend_limit = BendLimit::centerline(20.0);
    scene
}

/// Opens the drawer at a page.
fn turn_to(window: &mut Window, page: &str) {
    if !window.state().settings().panes.drawer {
        choose(window, &["View", "Plots, contacts and log"]);
    }
    window.get_by_label(page).click();
    window.run_steps(3);
}

#[test]
fn the_shortest_length_is_found_beside_the_window_and_taken() {
    let mut window = real(hose());
    let before = scene(&window).cables[0].seat_to_seat();
    window.get_by_label("cable").click();
    window.run_steps(3);
    window.get_by_label("Shortest length").click();
    until_said(&mut window, "Proposed");
    let take = window.query_all_by_label_contains("Take ").next();
    take.expect("a button").click();
    settle(&mut window);
    let after = scene(&window).cables[0].seat_to_seat();
    assert!(after != before && (after / 5.0).fract() == 0.0, "{after}");
}

#[test]
fn the_scene_is_judged_beside_the_window() {
    let mut bad = hose();
    bad.cables[0].bend_limit = BendLimit::centerline(5000.0);
    let mut window = real(bad);
    turn_to(&mut window, "Findings");
    window.get_by_label("Not checked yet.");
    window.get_by_label("Check").click();
    until_said(&mut window, "when it was last checked");
    window.get_by_label_contains("1 error,");
}

#[test]
fn the_twist_is_taken_out_beside_the_window_as_one_undo_point() {
    let mut twisted = hose();
    let handle = &mut twisted.cables[0].handles[1];
    handle.pose.rotation *= Rotation::from_scaled_axis(Vec3::z() * 0.8);
    let mut window = real(twisted);
    let twist = |window: &Window| {
        let shape = scene(window).cables[0].shape.clone();
        shape.expect("solved").total_twist().to_degrees().abs()
    };
    let before = twist(&window);
    assert!(before > 30.0, "{before}");
    window.get_by_label("cable").click();
    window.run_steps(3);
    let edit = window.state().document().edit_number();
    // It may be below the lower edge of the panel.
    window.get_by_label("Zero twist").click_accesskit();
    let started = Instant::now();
    while window.state().document().edit_number() == edit {
        assert!(started.elapsed() < Duration::from_mins(1), "never turned");
        window.run_steps(1);
        std::thread::sleep(Duration::from_millis(1));
    }
    settle(&mut window);
    assert!(twist(&window) < 1.0, "{}", twist(&window));
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert!((twist(&window) - before).abs() < 1e-3);
}

/// Blocks whose lower corners are there, as an OBJ file.
fn blocks(parts: &[(&str, Vec3)]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    let mut first = 1;
    for (name, at) in parts {
        let mesh = primitives::cuboid(&Aabb {
            min: *at,
            max: at + Vec3::new(30.0, 20.0, 10.0),
        });
        writeln!(text, "o {name}").expect("text");
        for p in mesh.vertices() {
            writeln!(text, "v {} {} {}", p.x, p.y, p.z).expect("text");
        }
        for [a, b, c] in mesh.triangles() {
            writeln!(text, "f {} {} {}", first + a, first + b, first + c).expect("text");
        }
        first += mesh.vertices().len() as u32;
    }
    text
}

#[test]
fn a_new_revision_shows_the_cables_before_and_now_and_takes_out_what_is_gone() {
    let dir = tempfile::tempdir().expect("a folder");
    let [old, new] = ["a.obj", "b.obj"].map(|name| dir.path().join(name));
    let mut held = hose();
    let end = held.cables[0].handles[1].pose.position;
    let at = end + Vec3::new(20.0, -10.0, -5.0);
    let far = at + Vec3::new(0.0, 900.0, 0.0);
    let by = Vec3::new(-40.0, 0.0, 15.0);
    std::fs::write(&old, blocks(&[("bracket", at), ("shield", far)])).expect("written");
    std::fs::write(&new, blocks(&[("bracket", at + by)])).expect("written");
    let import = Command::Import {
        path: old,
        role: PartRole::Obstacle,
        options: ImportOptions::default(),
        loaded: None,
    };
    import.apply(&mut held).expect("imported");
    held.cables[0].handles[1].attached_to = Some("bracket".to_owned());
    let mut window = real(held);
    choose(&mut window, &["File", "Update parts from file"]);
    let field = window.get_by_role_and_label(
        egui::accesskit::Role::TextInput,
        "Path of the mesh file with a new revision of the parts",
    );
    field.type_text(&new.display().to_string());
    window.run_steps(2);
    window.key_press(Key::Enter);
    until_said(&mut window, "by (-40.000, 0.000, 15.000) mm");
    window.get_by_label_contains("by (-40.000, 0.000, 15.000) mm");
    let settled = |window: &mut Window| {
        let started = Instant::now();
        // The numbers of now come once the cable rests.
        while window.query_all_by_label("...").next().is_some() {
            assert!(started.elapsed() < Duration::from_mins(1), "never measured");
            settle(window);
        }
    };
    settled(&mut window);
    let now = scene(&window).cables[0].handles[1].pose.position;
    assert!((now - end - by).norm() < 0.001, "{}", now - end);
    // What is gone still collides until it is deleted.
    assert!(scene(&window).has_part("shield"));
    window.get_by_label("Delete").click();
    settle(&mut window);
    assert!(!scene(&window).has_part("shield"));
    // Two undo points take it all back.
    for _ in 0..2 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        settle(&mut window);
    }
    assert!(scene(&window).has_part("shield"));
    assert_eq!(scene(&window).cables[0].handles[1].pose.position, end);
}

#[test]
fn a_sleeve_is_added_and_removed_in_the_inspector() {
    let mut window = real(hose());
    let radius = scene(&window).cables[0].radius;
    window.get_by_label("cable").click();
    window.run_steps(3);
    window.get_by_label("Add a stretch").click_accesskit();
    settle(&mut window);
    let stretches = scene(&window).cables[0].stretches.clone();
    assert_eq!(stretches.len(), 1);
    assert!(stretches[0].radius > radius);
    window.get_by_label_contains("as stiff as the cable");
    window.get_by_label("Remove stretch 1").click_accesskit();
    settle(&mut window);
    assert!(scene(&window).cables[0].stretches.is_empty());
}
