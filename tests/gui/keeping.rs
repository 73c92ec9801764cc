//! Measurements that are kept, copies, and the section plane in hand.

use super::selecting::{click, on_cable, place, type_number};
use super::tools::choose;
use super::*;
use loomwright::scene::{HandleKind, HandlePlace};
use loomwright::window::choices::{Section, ToolKind};
use loomwright::window::panels::shortcuts::COPIED;

#[test]
fn a_measurement_is_kept_follows_the_cable_and_is_deleted_in_the_list() {
    let mut window = window();
    window.key_press(Key::M);
    window.run_steps(2);
    let point = on_cable(&window);
    for at in [point, Vec3::new(-40.0, 70.0, 60.0)] {
        let at = place(&window, &at);
        click(&mut window, at, Modifiers::NONE);
    }
    window.key_press(Key::Enter);
    settle(&mut window);
    let kept = |window: &Window| -> Option<f64> {
        let scene = window.state().document().scene();
        scene.measurements.first()?.distance(scene)
    };
    let before = kept(&window).expect("a measurement is kept");
    assert!(before > 10.0 && before < 500.0, "{before}");
    assert_ne!(window.state().tool().kind(), ToolKind::SELECT);
    window.key_press(Key::Escape);
    window.run_steps(3);
    // The inspector of the scene lists it with its length.
    let words = format!("measurement: {before:.2} mm");
    window.get_by_label(&words);
    drag(&mut window, Vec2::new(-60.0, -90.0));
    let after = kept(&window).expect("still there");
    assert!((after - before).abs() > 1.0, "{before} and {after}");
    window.key_press(Key::Escape);
    window.run_steps(3);
    window.get_by_label(&format!("measurement: {after:.2} mm"));
    window.get_by_label("Delete").click();
    settle(&mut window);
    assert_eq!(kept(&window), None);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert!(kept(&window).is_some());
}

#[test]
fn a_fixing_is_copied_onto_the_place_of_the_cable_under_the_cursor() {
    let mut window = window();
    let paste = |window: &mut Window| {
        window.event(Event::Paste(format!("{COPIED}fixing end")));
        settle(window);
    };
    let end = ball(&window);
    click(&mut window, end, Modifiers::NONE);
    window.event(Event::Copy);
    window.run_steps(2);
    let at = place(&window, &on_cable(&window));
    window.hover_at(at);
    window.run_steps(2);
    paste(&mut window);
    let handles = |window: &Window| window.state().document().scene().cables[0].handles.clone();
    let all = handles(&window);
    assert_eq!(all.len(), 3);
    let HandlePlace::At(s) = all[2].place else {
        panic!("{:?}", all[2].place)
    };
    assert!((s - 520.0 * 12.0 / 60.0).abs() < 10.0, "{s}");
    assert_eq!(all[2].kind, HandleKind::Full);
    // A frame goes on to be a frame: no fixing more.
    window.event(Event::Paste("1 2 3".into()));
    settle(&mut window);
    assert_eq!(handles(&window).len(), 3);
}

#[test]
fn a_part_is_pasted_beside_itself_again_and_again() {
    let mut window = window();
    let at = place(&window, &Vec3::new(-40.0, 70.0, 60.0));
    click(&mut window, at, Modifiers::NONE);
    window.event(Event::Copy);
    window.run_steps(2);
    for _ in 0..2 {
        window.event(Event::Paste(format!("{COPIED}part block")));
        settle(&mut window);
    }
    let scene = window.state().document().scene();
    let blocks = scene.parts.iter().filter(|p| p.name.starts_with("block"));
    let mut x: Vec<f64> = blocks.map(|p| p.mesh().aabb().center().x).collect();
    x.sort_by(f64::total_cmp);
    assert_eq!(x.len(), 3);
    // Beside, not in each other: the block is 120 mm wide.
    assert!(x.windows(2).all(|w| w[1] - w[0] > 120.0), "{x:?}");
}

#[test]
fn the_section_plane_is_dragged_in_the_view_and_escape_brings_it_back() {
    let mut window = window();
    window.key_press(Key::K);
    window.run_steps(3);
    let section = |window: &Window| match window.state().view().section() {
        Some(Section::Plane(plane)) => plane,
        other => panic!("not a plane: {other:?}"),
    };
    let first = section(&window);
    let grip = |window: &Window| {
        let app = window.state();
        let scene = app.document().scene();
        let p = app.view().section_place(scene, 0).expect("an arrow");
        let view = window.get_by_label(VIEW_LABEL).rect();
        view.min + Vec2::new(p.x as f32, p.y as f32)
    };
    let camera = window.state().view().camera;
    let from = grip(&window);
    press(&mut window, from);
    let to = from + Vec2::new(30.0, 20.0);
    move_to(&mut window, from, to);
    let moved = section(&window);
    assert!((moved.offset - first.offset).abs() > 5.0);
    assert_eq!((moved.axis, moved.flipped), (first.axis, first.flipped));
    window.key_press(Key::Escape);
    window.run_steps(2);
    assert_eq!(section(&window), first);
    window.drop_at(to);
    window.run_steps(2);
    let from = grip(&window);
    press(&mut window, from);
    move_to(&mut window, from, from - Vec2::new(30.0, 20.0));
    window.drop_at(from - Vec2::new(30.0, 20.0));
    window.run_steps(2);
    let last = section(&window);
    // The other way than before, and the plane stays where it was let go.
    let ways = (moved.offset - first.offset) * (last.offset - first.offset);
    assert!(ways < 0.0, "{first:?} {moved:?} {last:?}");
    assert_eq!(
        window.state().view().camera,
        camera,
        "the view stands still"
    );
    assert!(!window.state().document().is_unsaved(), "only the view");
}

#[test]
fn the_section_box_is_fitted_to_a_part_and_its_sides_are_dragged() {
    let mut window = window();
    let block = window.state().document().scene().parts[0].mesh().aabb();
    let on_block = place(&window, &Vec3::new(30.0, 60.0, 60.0));
    click(&mut window, on_block, Modifiers::NONE);
    choose(&mut window, &["View", "Section box"]);
    // Without the arrows of the block.
    window.key_press(Key::Escape);
    window.run_steps(2);
    let section = |window: &Window| match window.state().view().section() {
        Some(Section::Box(aabb)) => aabb,
        other => panic!("not a box: {other:?}"),
    };
    let first = section(&window);
    assert!((first.center() - block.center()).norm() < 1e-9);
    assert!((0..3).all(|k| first.min[k] < block.min[k] && first.max[k] > block.max[k]));
    for number in 0..6 {
        let app = window.state();
        let scene = app.document().scene();
        let p = app.view().section_place(scene, number).expect("an arrow");
        let view = window.get_by_label(VIEW_LABEL).rect();
        let from = view.min + Vec2::new(p.x as f32, p.y as f32);
        let before = section(&window);
        press(&mut window, from);
        let to = from + Vec2::new(12.0, 9.0);
        move_to(&mut window, from, to);
        window.drop_at(to);
        window.run_steps(2);
        let now = section(&window);
        let moved: Vec<bool> = (0..3)
            .flat_map(|k| [before.min[k] != now.min[k], before.max[k] != now.max[k]])
            .collect();
        let only: Vec<bool> = (0..6).map(|k| k == number).collect();
        assert_eq!(moved, only, "{before:?} {now:?}");
    }
    type_number(&mut window, "X to", "1000");
    assert_eq!(section(&window).max.x, 1000.0);
    window.key_press(Key::K);
    window.run_steps(2);
    let plane = window.state().view().section();
    assert!(matches!(plane, Some(Section::Plane(_))), "{plane:?}");
    choose(&mut window, &["View", "Section box"]);
    choose(&mut window, &["View", "Section box"]);
    assert_eq!(window.state().view().section(), None);
    assert!(!window.state().document().is_unsaved(), "only the view");
}
