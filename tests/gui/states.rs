//! What the window says of itself: never better than it is, and no longer than it holds.

use loomwright::geom::{Pose, Vec3};
use loomwright::scene::{CableChange, Command, HandleKind, HandlePlace, Scene, demo};
use loomwright::window::selection::Thing;

use super::tools::{choose, real, scene};
use super::*;

/// The demo's cable with a handle held in its middle.
fn held_in_the_middle(kind: HandleKind) -> Scene {
    let mut scene = demo::demo("drag").expect("the demo");
    let cable = scene.cables[0].name.clone();
    let add = Command::AddHandle {
        place: HandlePlace::At(0.5 * scene.cables[0].length),
        cable,
        name: Some("clip".into()),
        kind,
        pose: None,
    };
    add.apply(&mut scene).expect("added");
    scene
}

/// Drags whatever is at a point of the scene.
fn drag_at(window: &mut Window, at: &Vec3, by: Vec2, steps: usize) -> Pos2 {
    let from = super::selecting::place(window, at);
    press(window, from);
    for step in 1..=steps {
        window.hover_at(from + by * (step as f32 / steps as f32));
        window.run_steps(1);
    }
    settle(window);
    from + by
}

#[test]
fn a_handle_in_the_middle_that_does_not_arrive_keeps_its_place() {
    // It used to keep a target far away, for good.
    let mut window = real(held_in_the_middle(HandleKind::Full));
    let clip = scene(&window).cables[0].handles[2].pose.position;
    let to = drag_at(&mut window, &clip, Vec2::new(0.0, -330.0), 12);
    let cable = &scene(&window).cables[0];
    let asked = cable.handles[2].pose;
    let stands = cable.standing_pose(&cable.handles[2]).expect("solved");
    let short = (asked.position - stands.position).norm();
    assert!(short > 20.0, "the cable is too short for it: {short} mm");
    window.drop_at(to);
    settle(&mut window);
    let cable = &scene(&window).cables[0];
    let target = cable.handles[2].pose.position;
    let stands = cable.standing_pose(&cable.handles[2]).expect("solved");
    assert!((target - stands.position).norm() < 0.5, "{target}");
    assert!(
        window.query_by_label("in equilibrium").is_none(),
        "a taut cable is not all well"
    );
}

#[test]
fn enter_holds_a_grabbed_cable_where_it_is() {
    let mut window = real(demo::demo("drag").expect("the demo"));
    let points = &scene(&window).cables[0]
        .shape
        .as_ref()
        .expect("a shape")
        .points;
    let middle = points[points.len() / 2];
    let at = super::selecting::place(&window, &middle);
    super::selecting::click(&mut window, at, Modifiers::NONE);
    assert_eq!(
        window.state().view().selection.last(),
        Some(Thing::Cable(0))
    );
    let to = drag_at(&mut window, &middle, Vec2::new(10.0, -160.0), 8);
    window.key_press(Key::Enter);
    settle(&mut window);
    let before = scene(&window).cables[0]
        .shape
        .clone()
        .expect("a shape")
        .points;
    window.drop_at(to);
    settle(&mut window);
    let cable = &scene(&window).cables[0];
    assert_eq!(cable.handles.len(), 3);
    assert_eq!(cable.handles[2].kind, HandleKind::Position);
    let after = &cable.shape.as_ref().expect("a shape").points;
    // The new handle takes a node to its place, so that nodes move along the cable, which itself stays.
    let to_cable = |p: &Vec3| {
        let edges = before.windows(2).map(|ends| {
            let edge = ends[1] - ends[0];
            let share = (p - ends[0]).dot(&edge) / edge.norm_squared();
            (p - ends[0] - edge * share.clamp(0.0, 1.0)).norm()
        });
        edges.fold(f64::INFINITY, f64::min)
    };
    let moved = after.iter().map(to_cable).fold(0.0, f64::max);
    assert!(moved < 0.5, "the cable jumped by {moved} mm");
}

#[test]
fn a_violation_is_counted_and_a_click_lists_it() {
    let mut broken = double::scene();
    let limit = Command::ChangeCable(Box::new(CableChange {
        min_bend_radius: Some(900.0),
        ..CableChange::of("cable")
    }));
    limit.apply(&mut broken).expect("a limit");
    let mut window = open_double(broken);
    window.get_by_label("1 violation").click();
    window.run_steps(3);
    assert!(window.state().settings().panes.drawer);
    assert!(window.query_by_label_contains("900").is_some());
}

#[test]
fn an_edit_while_paused_is_out_of_date() {
    let mut window = window();
    window.key_press(Key::Space);
    settle(&mut window);
    window.get_by_label("paused by you");
    drag(&mut window, Vec2::new(-30.0, -40.0));
    window.get_by_label("out of date: paused by you");
    window.key_press(Key::Space);
    settle(&mut window);
    window.get_by_label("in equilibrium");
}

#[test]
fn what_was_done_is_listed_by_name_and_gone_back_to() {
    let mut window = window();
    drag(&mut window, Vec2::new(-30.0, -40.0));
    window.get_by_label("post").click();
    window.run_steps(3);
    window.key_press(Key::Delete);
    settle(&mut window);
    assert_eq!(scene(&window).parts.len(), 2);
    choose(&mut window, &["Edit", "Undo list", "Move fixing end"]);
    settle(&mut window);
    assert_eq!(scene(&window).parts.len(), 3);
    assert!(!window.state().document().can_undo());
    window.key_press_modifiers(Modifiers::COMMAND, Key::Y);
    settle(&mut window);
    let left: Vec<_> = window.state().document().redo_titles().collect();
    assert_eq!(left, ["Delete part post"]);
}

#[test]
fn recovered_work_keeps_its_name_and_stays_aside_until_it_is_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let aside = folder.path().join("autosave-4294967295.json");
    let original = folder.path().join("bay.json");
    let saved = double::scene();
    loomwright::window::files::save(&saved, &aside).expect("written");
    std::fs::write(
        aside.with_extension("origin"),
        original.to_str().expect("a path"),
    )
    .expect("written");
    let mut window = window();
    let ctx = window.ctx.clone();
    window
        .state_mut()
        .remember_in(Some(folder.path().to_owned()), &ctx);
    window.run_steps(3);
    assert!(
        window
            .query_by_label_contains("bay.json, autosaved")
            .is_some()
    );
    window.get_by_label("Recover").click();
    settle(&mut window);
    let document = window.state().document();
    assert_eq!(document.path(), Some(&*original));
    assert!(document.is_unsaved());
    assert!(aside.exists(), "not saved yet");
    window.key_press_modifiers(Modifiers::COMMAND, Key::S);
    let started = Instant::now();
    while aside.exists() || !original.exists() {
        assert!(started.elapsed() < Duration::from_mins(1), "never saved");
        window.run_steps(1);
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn messages_go_with_what_they_were_about() {
    let mut window = window();
    window.key_press_modifiers(Modifiers::COMMAND, Key::N);
    settle(&mut window);
    super::files::open_path(&mut window, std::path::Path::new("/no/such/part.obj"));
    let started = Instant::now();
    while window.query_by_label("Dismiss").is_none() {
        assert!(started.elapsed() < Duration::from_mins(1), "no message");
        let button = egui::accesskit::Role::Button;
        if let Some(import) = window.query_by_role_and_label(button, "Import") {
            import.click();
        }
        window.run_steps(2);
        std::thread::sleep(Duration::from_millis(1));
    }
    window.key_press_modifiers(Modifiers::COMMAND, Key::N);
    settle(&mut window);
    assert!(window.query_by_label("Dismiss").is_none());
}

#[test]
fn a_renamed_cable_keeps_the_route_it_came_with() {
    let mut window = window();
    drag(&mut window, Vec2::new(-60.0, -90.0));
    let moved = |window: &Window| {
        let app = window.state();
        app.view().moved(app.document().scene())
    };
    window.get_by_label("cable").click();
    window.run_steps(3);
    let before = moved(&window);
    assert!(before.is_some(), "it was dragged");
    window.key_press(Key::F2);
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(Event::Text("hose".into()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    settle(&mut window);
    assert_eq!(scene(&window).cables[0].name, "hose");
    assert_eq!(moved(&window), before, "the reference was reset");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(scene(&window).cables[0].name, "cable");
    assert_eq!(moved(&window), before);
}

#[test]
fn snapping_holds_when_key_and_button_are_released_together() {
    let mut window = window();
    window.key_press(Key::Num5);
    window.run_steps(3);
    let from = ball(&window);
    let to = super::selecting::place(&window, &Vec3::new(40.0, -60.0, 60.0));
    press(&mut window, from);
    window.event(Event::ModifiersChanged(Modifiers::COMMAND));
    move_to(&mut window, from, to);
    let asked: Pose = scene(&window).cables[0].handles[END.handle].pose;
    window.input_mut().events.extend([
        Event::ModifiersChanged(Modifiers::NONE),
        Event::PointerMoved(to),
        Event::PointerButton {
            pos: to,
            button: PointerButton::Primary,
            pressed: false,
            modifiers: Modifiers::NONE,
        },
    ]);
    window.run_steps(1);
    let kept = scene(&window).cables[0].handles[END.handle].pose;
    assert!((kept.position - asked.position).norm() < 1e-9, "{kept:?}");
}

fn open_double(scene: Scene) -> Window {
    let mut window = Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            LoomApp::new(cc, scene, Vec::new(), double::factory()).expect("a window")
        });
    settle(&mut window);
    window
}

#[test]
fn every_action_is_found_in_the_palette() {
    let mut window = window();
    window.key_press_modifiers(Modifiers::COMMAND, Key::P);
    window.run_steps(3);
    window.event(Event::Text("flexibilise".into()));
    window.run_steps(2);
    window.get_by_label_contains("Tool: Make flexible");
    window.key_press(Key::Enter);
    window.run_steps(3);
    let kind = window.state().tool().kind();
    assert_eq!(kind, loomwright::window::choices::ToolKind::FLEXIBILISE);
    assert!(
        window
            .query_by_label_contains("Tool: Make flexible")
            .is_none()
    );
}

#[test]
fn a_right_click_on_nothing_opens_the_menu_of_the_view() {
    let mut window = window();
    window.get_by_label("post").click();
    window.run_steps(3);
    let view = window.get_by_label(VIEW_LABEL).rect();
    let at = view.right_top() + Vec2::new(-30.0, 30.0);
    window.hover_at(at);
    window.run_steps(2);
    for pressed in [true, false] {
        window.event(Event::PointerButton {
            pos: at,
            button: PointerButton::Secondary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        window.run_steps(2);
    }
    window.get_by_label_contains("Standard views");
    assert!(window.query_by_label_contains("Hide and ignore").is_none());
}

#[test]
fn hidden_parts_that_collide_are_told_and_can_be_ignored() {
    let mut window = window();
    window.get_by_label("post").click();
    window.run_steps(3);
    window.key_press(Key::H);
    settle(&mut window);
    assert!(
        window
            .query_by_label_contains("1 hidden part collides")
            .is_some()
    );
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    let center = scene(&window).parts[2].mesh().aabb().center();
    let at = super::selecting::place(&window, &center);
    window.hover_at(at);
    window.run_steps(2);
    for pressed in [true, false] {
        window.event(Event::PointerButton {
            pos: at,
            button: PointerButton::Secondary,
            pressed,
            modifiers: Modifiers::NONE,
        });
        window.run_steps(2);
    }
    window.get_by_label("Hide and ignore").click();
    settle(&mut window);
    assert!(!scene(&window).parts[2].visible);
    assert!(
        window
            .query_by_label_contains("hidden part collides")
            .is_none()
    );
}

#[test]
fn the_plot_has_bend_radius_with_its_limit() {
    let mut window = real(demo::demo("drag").expect("the demo"));
    choose(&mut window, &["View", "Plots, contacts and log"]);
    settle(&mut window);
    for label in ["Bend radius", "Contact force", "Copy as CSV"] {
        window.get_by_label(label).click();
        window.run_steps(3);
    }
    assert!(window.state().settings().drawer_height >= 200.0);
}
