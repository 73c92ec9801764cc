//! Selecting in view and tree, and changing what is selected in the inspector.

use egui::accesskit::Role;
use loomwright::scene::HandlePlace;
use loomwright::window::choices::Preset;
use loomwright::window::panels::toolbar::Running;
use loomwright::window::selection::HandleId;
use loomwright::window::selection::Thing;

use egui_kittest::kittest::NodeT as _;

use super::*;

/// Where a point of the world is in the window.
pub fn place(window: &Window, point: &Vec3) -> Pos2 {
    let view = window.get_by_label(VIEW_LABEL).rect();
    let p = window.state().view().project(point).expect("in view");
    view.min + Vec2::new(p.x as f32, p.y as f32)
}

/// A click, with a redraw between pressing and letting go.
pub fn click(window: &mut Window, at: Pos2, modifiers: Modifiers) {
    window.hover_at(at);
    window.run_steps(2);
    let button = |pressed| Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers,
    };
    window.event(button(true));
    window.run_steps(1);
    window.event(button(false));
    window.run_steps(3);
}

fn selected(window: &Window) -> Vec<Thing> {
    window.state().view().selection.things().to_vec()
}

/// Types into the field of that name.
pub fn type_number(window: &mut Window, label: &str, text: &str) {
    window
        .get_by_role_and_label(Role::SpinButton, label)
        .click();
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(Event::Text(text.into()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    settle(window);
}

/// A point in the middle of the cable.
pub fn on_cable(window: &Window) -> Vec3 {
    let scene = window.state().document().scene();
    let shape = scene.cables[0].shape.as_ref().expect("a shape");
    shape.points[12]
}

#[test]
fn a_click_selects_what_is_under_the_cursor_and_the_tree_shows_it() {
    let mut window = window();
    let (cable, block) = (on_cable(&window), Vec3::new(0.0, 75.0, 60.0));
    let at = place(&window, &cable);
    click(&mut window, at, Modifiers::NONE);
    assert_eq!(selected(&window), [Thing::Cable(0)]);
    let at = place(&window, &block);
    click(&mut window, at, Modifiers::NONE);
    assert_eq!(selected(&window), [Thing::Part(0)]);
    let at = place(&window, &cable);
    click(&mut window, at, Modifiers::COMMAND);
    assert_eq!(selected(&window), [Thing::Part(0), Thing::Cable(0)]);
    click(&mut window, at, Modifiers::COMMAND);
    assert_eq!(selected(&window), [Thing::Part(0)]);
    window.key_press(Key::Escape);
    window.run_steps(2);
    assert!(selected(&window).is_empty());
    window.get_by_label("plate").click();
    window.run_steps(2);
    assert_eq!(selected(&window), [Thing::Part(1)]);
}

#[test]
fn tab_goes_through_all_that_lies_under_the_cursor() {
    let mut window = window();
    // From above the cable hangs over the block, which stands on the plate.
    window.key_press(Key::Num5);
    window.run_steps(3);
    let point = Vec3::new(0.0, 0.0, 60.0);
    let at = place(&window, &point);
    window.hover_at(at);
    window.run_steps(2);
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.extend(window.state().view().under_the_cursor());
        window.key_press(Key::Tab);
        window.run_steps(2);
    }
    for thing in [Thing::Cable(0), Thing::Part(0), Thing::Part(1)] {
        assert!(seen.contains(&thing), "{thing:?} is not among {seen:?}");
    }
    // After a full turn, one more Tab and a click take the second thing.
    window.key_press(Key::Tab);
    window.run_steps(2);
    click(&mut window, at, Modifiers::NONE);
    assert_eq!(selected(&window), [seen[1]]);
}

#[test]
fn a_box_selects_what_lies_in_it() {
    let mut window = window();
    let view = window.get_by_label(VIEW_LABEL).rect();
    let (from, to) = (view.min + Vec2::splat(8.0), view.max - Vec2::splat(8.0));
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::SHIFT,
    };
    window.event(Event::PointerMoved(from));
    window.event(button(from, true));
    window.run_steps(1);
    window.event(Event::PointerMoved(to));
    window.run_steps(1);
    window.event(button(to, false));
    window.run_steps(2);
    let things = selected(&window);
    assert!(things.contains(&Thing::Cable(0)) && things.contains(&Thing::Part(2)));
    assert!(things.contains(&Thing::Handle(END)));
}

#[test]
fn the_inspector_changes_the_length_by_an_expression() {
    let mut window = window();
    window.get_by_label("cable").click();
    window.run_steps(3);
    type_number(&mut window, "Length", "2*300+12,5");
    let length = |window: &Window| window.state().document().scene().cables[0].length;
    assert!((length(&window) - 612.5).abs() < 1e-9);
    type_number(&mut window, "Length", "+=10");
    assert!((length(&window) - 622.5).abs() < 1e-9);
    window.get_by_label_contains("+102.50 mm");
    type_number(&mut window, "Length", "-5");
    assert!((length(&window) - 622.5).abs() < 1e-9, "refused");
    window.get_by_label_contains("Length cannot be");
}

#[test]
fn a_material_is_chosen_and_marked_when_uncalibrated() {
    let mut window = window();
    window.get_by_label("cable").click();
    window.run_steps(3);
    let names = loomwright::scene::material::built_in();
    let material = names.iter().find(|m| !m.calibrated).expect("a guess");
    window
        .get_by_role_and_label(Role::ComboBox, "Material")
        .click();
    window.run_steps(3);
    let label = format!("{}   (uncalibrated)", material.name);
    window.get_by_label(&label).click();
    settle(&mut window);
    let cable = &window.state().document().scene().cables[0];
    assert_eq!(cable.material.as_deref(), Some(material.name.as_str()));
    window.get_by_label_contains("Uncalibrated:");
}

#[test]
fn stiffness_follows_the_diameter_and_what_is_typed_over_can_be_taken_back() {
    let mut scene = loomwright::scene::demo::demo("drag").expect("the demo");
    let set = loomwright::scene::Command::SetMaterial {
        cable: scene.cables[0].name.clone(),
        material: "EPDM coolant hose".into(),
    };
    set.apply(&mut scene).expect("a material");
    let mut window = super::tools::real(scene);
    // High enough for all of the panel.
    window.set_size(Vec2::new(1280.0, 1600.0));
    window.get_by_label("cable").click();
    window.run_steps(3);
    let cable = |window: &Window| window.state().document().scene().cables[0].clone();
    let thin = cable(&window);
    type_number(&mut window, "Diameter", "*=3");
    let thick = cable(&window);
    assert!((thick.section.bending / thin.section.bending / 81.0 - 1.0).abs() < 1e-9);
    type_number(&mut window, "EI", "1234");
    assert!((cable(&window).section.bending - 1234.0).abs() < 1e-9);
    window.get_by_label("Reset EI").click();
    settle(&mut window);
    assert_eq!(cable(&window).section, thick.section);
    assert!(window.query_by_label("Reset EI").is_none());
}

#[test]
fn a_part_is_renamed_moved_and_deleted_and_undo_brings_it_back() {
    let mut window = window();
    window.get_by_label("post").click();
    window.run_steps(2);
    window.key_press(Key::F2);
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(Event::Text("pillar".into()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    settle(&mut window);
    let scene = |window: &Window| window.state().document().scene().clone();
    assert_eq!(scene(&window).parts[2].name, "pillar");
    type_number(&mut window, "X", "40");
    let moved = scene(&window);
    assert!((moved.parts[2].placement().position.x - 40.0).abs() < 1e-9);
    assert_eq!(selected(&window), [Thing::Part(2)]);
    window.key_press(Key::Delete);
    settle(&mut window);
    assert_eq!(scene(&window).parts.len(), 2);
    assert!(selected(&window).is_empty());
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(scene(&window), moved);
}

#[test]
fn isolate_hides_the_rest_and_one_undo_shows_it() {
    let mut window = window();
    window.get_by_label("block").click();
    window.run_steps(2);
    window.key_press(Key::I);
    settle(&mut window);
    let visible = |window: &Window| -> Vec<bool> {
        let scene = window.state().document().scene();
        let cables = scene.cables.iter().map(|c| c.visible);
        cables
            .chain(scene.parts.iter().map(|p| p.visible))
            .collect()
    };
    assert_eq!(visible(&window), [false, true, false, false]);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(visible(&window), [true; 4]);
}

#[test]
fn several_handles_are_dragged_as_one_and_one_undo_brings_them_back() {
    let mut window = window();
    let start = HandleId {
        cable: 0,
        handle: 0,
    };
    let before = window.state().document().scene().clone();
    let position = |window: &Window, id: HandleId| {
        let cable = &window.state().document().scene().cables[id.cable];
        cable.handles[id.handle].pose.position
    };
    let apart = position(&window, END) - position(&window, start);
    window.get_by_label("start").click();
    window.run_steps(2);
    let at = ball(&window);
    click(&mut window, at, Modifiers::COMMAND);
    assert_eq!(selected(&window).len(), 2);
    drag(&mut window, Vec2::new(-30.0, -60.0));
    let moved = position(&window, END) - before.cables[0].handles[1].pose.position;
    assert!(moved.norm() > 5.0);
    assert!((position(&window, END) - position(&window, start) - apart).norm() < 1e-9);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(window.state().document().scene(), &before);
}

#[test]
fn space_pauses_and_a_paused_cable_stays_where_it_is() {
    let mut window = window();
    window.key_press(Key::Space);
    settle(&mut window);
    assert!(matches!(window.state().running(), Running::No { .. }));
    window.get_by_label("paused by you");
    let shape = |window: &Window| window.state().document().scene().cables[0].shape.clone();
    let before = shape(&window);
    window.get_by_label("cable").click();
    window.run_steps(3);
    type_number(&mut window, "Length", "600");
    assert_eq!(shape(&window), before, "nothing is solved meanwhile");
    window.key_press(Key::Space);
    settle(&mut window);
    assert_ne!(shape(&window), before);
    window.get_by_label("in equilibrium");
}

#[test]
fn a_handle_is_added_by_a_click_on_the_cable() {
    let mut window = window();
    window.key_press(Key::A);
    window.run_steps(2);
    let point = on_cable(&window);
    let at = place(&window, &point);
    click(&mut window, at, Modifiers::NONE);
    settle(&mut window);
    let cable = &window.state().document().scene().cables[0];
    assert_eq!(cable.handles.len(), 3);
    let HandlePlace::At(s) = cable.handles[2].place else {
        panic!("{:?}", cable.handles[2].place)
    };
    assert!((s - 520.0 * 12.0 / 60.0).abs() < 10.0, "{s}");
    window.key_press(Key::Escape);
    window.run_steps(2);
    assert!(window.state().tool().is_select());
}

#[test]
fn two_places_are_measured_and_escape_goes_back_one_by_one() {
    let mut window = window();
    window.key_press(Key::M);
    window.run_steps(2);
    for x in [-40.0, 40.0] {
        let at = place(&window, &Vec3::new(x, 70.0, 60.0));
        click(&mut window, at, Modifiers::NONE);
    }
    window.get_by_label_contains("Click to measure anew");
    window.key_press(Key::Escape);
    window.run_steps(2);
    window.get_by_label_contains("Click the second place");
    window.key_press(Key::Escape);
    window.key_press(Key::Escape);
    window.run_steps(2);
    assert!(window.state().tool().is_select());
}

#[test]
fn the_mouse_of_another_program_is_chosen_in_the_menu() {
    let mut window = window();
    window.get_by_label("View").click();
    window.run_steps(3);
    window.get_by_label_contains("Mouse navigation").click();
    window.run_steps(3);
    window.get_by_label("CATIA").click();
    window.run_steps(3);
    assert_eq!(window.state().view().preset, Preset::Catia);
    assert_eq!(window.state().settings().preset, Preset::Catia);
    // The middle button alone pans there: the direction of the view stays.
    let before = window.state().view().camera;
    let from = window.get_by_label(VIEW_LABEL).rect().center();
    let middle = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Middle,
        pressed,
        modifiers: Modifiers::NONE,
    };
    window.hover_at(from);
    window.run_steps(1);
    window.event(middle(from, true));
    window.run_steps(1);
    let to = from + Vec2::new(60.0, 0.0);
    window.hover_at(to);
    window.run_steps(1);
    window.event(middle(to, false));
    window.run_steps(1);
    let after = window.state().view().camera;
    assert_eq!(after.rotation, before.rotation);
    assert!((after.focus - before.focus).norm() > 1.0);
}

/// Whether an entry of the open menu can be chosen.
fn is_offered(window: &Window, label: &str) -> bool {
    !window
        .get_by_label_contains(label)
        .accesskit_node()
        .is_disabled()
}

#[test]
fn a_menu_offers_only_what_has_an_effect() {
    let mut window = window();
    let open = |window: &mut Window| {
        window.get_by_label("View").click();
        window.run_steps(3);
    };
    let close = |window: &mut Window| {
        window.get_by_label("View").click();
        window.run_steps(3);
    };
    // A handle goes with its cable, and nothing is hidden yet.
    window.get_by_label("end").click();
    window.run_steps(3);
    open(&mut window);
    assert!(!is_offered(&window, "Hide") && !is_offered(&window, "Show all"));
    window.get_by_label_contains("Isolate").click();
    settle(&mut window);
    let visible = |window: &Window| {
        let scene = window.state().document().scene();
        let parts = scene.parts.iter().map(|p| p.visible);
        parts.chain([scene.cables[0].visible]).collect::<Vec<_>>()
    };
    assert_eq!(visible(&window), [false, false, false, true]);
    open(&mut window);
    assert!(is_offered(&window, "Show all"));
    window.get_by_label_contains("Show all").click();
    settle(&mut window);
    assert_eq!(visible(&window), [true; 4]);
    window.get_by_label("block").click();
    window.run_steps(3);
    open(&mut window);
    assert!(is_offered(&window, "Hide") && !is_offered(&window, "Show all"));
    close(&mut window);
}
