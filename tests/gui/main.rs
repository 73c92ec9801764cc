//! The window without a display: clicks and keys go in, the document is looked at.
#![cfg(feature = "gui-tests")]

mod double;
mod files;
mod fixings;
mod hoses;
mod keeping;
mod names;
mod playing;
mod pushing;
mod random;
mod rewiring;
mod selecting;
mod snapping;
mod starts;
mod states;
mod tools;

use std::time::{Duration, Instant};

use egui::{Event, Key, Modifiers, PointerButton, Pos2, Vec2};
use egui_kittest::{Harness, kittest::Queryable as _};
use loomwright::geom::Vec3;
use loomwright::window::LoomApp;
use loomwright::window::engine::simulation_factory;
use loomwright::window::selection::HandleId;
use loomwright::window::viewport::VIEW_LABEL;

type Window = Harness<'static, LoomApp>;

const END: HandleId = HandleId {
    cable: 0,
    handle: 1,
};

fn window() -> Window {
    let mut window = Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            LoomApp::new(cc, double::scene(), Vec::new(), double::factory()).expect("a window")
        });
    settle(&mut window);
    window
}

/// Redraws until the solver has answered everything.
fn settle(window: &mut Window) {
    let started = Instant::now();
    loop {
        window.run_steps(2);
        if window.state().is_at_rest() {
            break;
        }
        // Only against a window that hangs: a busy machine may take its time.
        assert!(started.elapsed() < Duration::from_mins(1), "never at rest");
        std::thread::sleep(Duration::from_millis(1));
    }
    window.run_steps(2);
}

/// Where the end handle's ball is in the window.
fn ball(window: &Window) -> Pos2 {
    let app = window.state();
    let pose = app
        .view()
        .shown_pose(app.document(), END)
        .expect("a handle");
    let p = app.view().project(&pose.position).expect("in the view");
    let view = window.get_by_label(VIEW_LABEL).rect();
    view.min + Vec2::new(p.x as f32, p.y as f32)
}

fn target(window: &Window) -> Vec3 {
    let cable = &window.state().document().scene().cables[0];
    cable
        .handles
        .get(END.handle)
        .expect("a handle")
        .pose
        .position
}

fn press(window: &mut Window, at: Pos2) {
    window.hover_at(at);
    window.run_steps(1);
    window.drag_at(at);
    window.run_steps(1);
}

fn move_to(window: &mut Window, from: Pos2, to: Pos2) {
    for step in 1..=5 {
        window.hover_at(from + (to - from) * (step as f32 / 5.0));
        window.run_steps(1);
    }
    settle(window);
}

fn drag(window: &mut Window, by: Vec2) {
    let from = ball(window);
    press(window, from);
    move_to(window, from, from + by);
    window.drop_at(from + by);
    settle(window);
}

#[test]
fn it_starts_and_names_what_it_shows() {
    let window = window();
    for label in [
        "File", "Edit", "View", "Help", "block", "plate", "start", "end", VIEW_LABEL,
    ] {
        window.get_by_label(label);
    }
    window.get_by_label("in equilibrium");
    assert!(!window.state().document().is_unsaved());
}

#[test]
fn a_dragged_handle_stays_under_the_cursor() {
    let mut window = window();
    let (before, from) = (target(&window), ball(&window));
    let by = Vec2::new(-60.0, -90.0);
    drag(&mut window, by);
    assert!((target(&window) - before).norm() > 10.0);
    assert!((ball(&window) - (from + by)).length() < 0.5);
    assert!(window.state().document().is_unsaved());
}

#[test]
fn press_motion_and_release_in_one_redraw_are_a_drag() {
    // Under a slow redraw the press used to be looked for where the cursor was by then, and turned the view.
    let mut window = window();
    let camera = window.state().view().camera;
    let from = ball(&window);
    let (there, beyond) = (
        from + Vec2::new(-60.0, -90.0),
        from + Vec2::new(200.0, 50.0),
    );
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.input_mut().events.extend([
        Event::PointerMoved(from),
        button(from, true),
        Event::PointerMoved(there),
        button(there, false),
        Event::PointerMoved(beyond),
    ]);
    settle(&mut window);
    assert_eq!(window.state().view().camera, camera);
    assert!((ball(&window) - there).length() < 0.5);
}

#[test]
fn escape_brings_the_handle_back() {
    let mut window = window();
    let (before, from) = (target(&window), ball(&window));
    press(&mut window, from);
    move_to(&mut window, from, from + Vec2::new(40.0, -70.0));
    assert!((target(&window) - before).norm() > 10.0);
    window.key_press(Key::Escape);
    settle(&mut window);
    assert!((target(&window) - before).norm() < 1e-12);
    assert!((ball(&window) - from).length() < 0.5);
    assert!(!window.state().document().can_undo());
    // The button is still down: moving on moves nothing.
    let moved = from + Vec2::new(90.0, 0.0);
    window.hover_at(moved);
    window.drop_at(moved);
    settle(&mut window);
    assert!((target(&window) - before).norm() < 1e-12);
}

#[test]
fn a_drag_is_one_undo_point() {
    let mut window = window();
    let before = target(&window);
    drag(&mut window, Vec2::new(-50.0, -80.0));
    let after = target(&window);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert!((target(&window) - before).norm() < 1e-12);
    assert!(!window.state().document().can_undo());
    window.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    settle(&mut window);
    assert!((target(&window) - after).norm() < 1e-12);
}

#[test]
fn a_held_handle_says_so_and_keeps_its_place_when_let_go() {
    let mut window = window();
    window.key_press(Key::Num1);
    window.run_steps(2);
    let from = ball(&window);
    press(&mut window, from);
    // Seen from the front, down is into the plate.
    let to = from + Vec2::new(0.0, 280.0);
    move_to(&mut window, from, to);
    window.get_by_label_contains("Blocked by plate");
    assert!(
        (ball(&window) - to).length() > 20.0,
        "it is short of the cursor"
    );
    window.drop_at(to);
    settle(&mut window);
    settle(&mut window);
    window.get_by_label("in equilibrium");
    let app = window.state();
    let held = app
        .view()
        .shown_pose(app.document(), END)
        .expect("a handle");
    assert!((target(&window) - held.position).norm() < 1e-9);
}

#[test]
fn the_view_turns_in_the_middle_of_a_drag_without_moving_the_handle() {
    let mut window = window();
    let from = ball(&window);
    press(&mut window, from);
    let there = from + Vec2::new(-40.0, -60.0);
    move_to(&mut window, from, there);
    let (target_before, camera_before) = (target(&window), window.state().view().camera);
    let middle = |pressed, pos| Event::PointerButton {
        pos,
        button: PointerButton::Middle,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.event(middle(true, there));
    window.run_steps(1);
    let turned = there + Vec2::new(80.0, 10.0);
    move_to(&mut window, there, turned);
    window.event(middle(false, turned));
    window.run_steps(1);
    assert_ne!(window.state().view().camera, camera_before);
    assert!((target(&window) - target_before).norm() < 1e-9);
    window.drop_at(turned);
    settle(&mut window);
    assert!((target(&window) - target_before).norm() < 1e-9);
}

#[test]
fn a_part_is_hidden_by_its_tick_and_undo_shows_it_again() {
    let mut window = window();
    window.get_by_label("Show block").click();
    settle(&mut window);
    assert!(!window.state().document().scene().parts[0].visible);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert!(window.state().document().scene().parts[0].visible);
}

#[test]
fn the_real_solver_follows_the_hand_and_undo_brings_it_back() {
    let demo = loomwright::scene::demo::demo("drag").expect("the demo");
    let mut window = Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            LoomApp::new(cc, demo, Vec::new(), simulation_factory()).expect("a window")
        });
    settle(&mut window);
    let (before, from) = (target(&window), ball(&window));
    let by = Vec2::new(-70.0, 120.0);
    drag(&mut window, by);
    assert!((ball(&window) - (from + by)).length() < 0.5);
    window.get_by_label("in equilibrium");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert!((target(&window) - before).norm() < 1e-12);
    assert!((ball(&window) - from).length() < 0.5);
}

#[test]
fn what_is_under_the_cursor_is_named() {
    let mut window = window();
    let at = ball(&window);
    window.hover_at(at);
    window.run_steps(2);
    window.get_by_label("fixing end of cable cable");
    let view = window.get_by_label(VIEW_LABEL).rect();
    let app = window.state();
    let top = app
        .view()
        .project(&Vec3::new(0.0, 60.0, 60.0))
        .expect("in view");
    window.hover_at(view.min + Vec2::new(top.x as f32, top.y as f32));
    window.run_steps(2);
    window.get_by_label("part block");
}

#[test]
fn a_roll_is_typed_as_one_undo_point() {
    let mut window = window();
    let rotation = |window: &Window| {
        let cable = &window.state().document().scene().cables[0];
        cable
            .handles
            .get(END.handle)
            .expect("a handle")
            .pose
            .rotation
    };
    let before = rotation(&window);
    window.get_by_label("end").click();
    window.run_steps(2);
    window
        .get_by_role_and_label(egui::accesskit::Role::SpinButton, "Roll")
        .click();
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(Event::Text("90".into()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    settle(&mut window);
    let after = rotation(&window);
    assert!((before.angle_to(&after).to_degrees() - 90.0).abs() < 1e-6);
    assert!((after * Vec3::z() - before * Vec3::z()).norm() < 1e-9);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert!(rotation(&window).angle_to(&before) < 1e-9);
    assert!(!window.state().document().can_undo());
}

#[test]
fn keys_choose_the_view() {
    let mut window = window();
    window.key_press(Key::Num5);
    window.run_steps(2);
    assert!((window.state().view().camera.back() - Vec3::z()).norm() < 1e-9);
    window.key_press(Key::F);
    window.run_steps(2);
    assert!((window.state().view().camera.back() - Vec3::z()).norm() < 1e-9);
}

#[test]
fn a_missing_file_is_reported_in_the_window() {
    let mut window = Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            let files = vec!["no/such/scene.json".into()];
            LoomApp::new(cc, double::scene(), files, double::factory()).expect("a window")
        });
    let started = Instant::now();
    while window.query_by_label("Dismiss").is_none() {
        assert!(started.elapsed() < Duration::from_secs(10), "no message");
        std::thread::sleep(Duration::from_millis(1));
        window.run_steps(1);
    }
    window.get_by_label_contains("cannot read the scene");
    window.get_by_label("Dismiss").click();
    window.run_steps(2);
    assert!(window.query_by_label("Dismiss").is_none());
}

#[test]
fn a_scene_is_saved_to_a_typed_path_and_opens_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("saved.json");
    let mut window = window();
    drag(&mut window, Vec2::new(-50.0, -80.0));
    let saved = target(&window);
    window.get_by_label("File").click();
    window.run_steps(3);
    window.get_by_label("Save to path ...").click();
    window.run_steps(3);
    let field = window.get_by_role_and_label(
        egui::accesskit::Role::TextInput,
        "Path of the scene file (.json) to save to",
    );
    field.type_text(&path.display().to_string());
    window.run_steps(2);
    window.key_press(Key::Enter);
    let started = Instant::now();
    while window.state().document().is_unsaved() {
        assert!(started.elapsed() < Duration::from_secs(10), "not saved");
        std::thread::sleep(Duration::from_millis(1));
        window.run_steps(1);
    }
    let (scene, _) = loomwright::scene::file::load(&path).expect("a scene");
    let reread = scene.cables[0].handles.get(END.handle).expect("a handle");
    assert!((reread.pose.position - saved).norm() < 1e-12);
    assert!(
        window
            .state()
            .document()
            .title()
            .starts_with("saved.json -")
    );
}
