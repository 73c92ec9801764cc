//! Fixings of the library in the window.

use loomwright::scene::{HandleKind, demo};

use super::tools::{real, scene};
use super::*;

#[test]
fn a_clip_is_picked_by_its_picture_put_on_a_part_and_holds_the_cable() {
    let mut window = real(demo::demo("drag").expect("the demo"));
    window.key_press(Key::Num5);
    window.run_steps(3);
    let before = scene(&window).clone();
    window.key_press(Key::B);
    window.run_steps(3);
    for name in [
        "P-clip",
        "Edge clip",
        "Tie",
        "Grommet",
        "Guide",
        "Connector",
    ] {
        window.get_by_label(name);
    }
    window.get_by_label("Tie").click();
    window.run_steps(2);
    // On the rim of the block beside its pocket, from above.
    let point = Vec3::new(290.0, 50.0, 100.0);
    let at = super::selecting::place(&window, &point);
    window.hover_at(at);
    window.run_steps(2);
    for _ in 0..6 {
        window.key_press(Key::R);
        window.run_steps(1);
    }
    window.get_by_label("Turned 90\u{b0}");
    super::selecting::click(&mut window, at, Modifiers::NONE);
    settle(&mut window);
    let after = scene(&window);
    assert_eq!(after.parts.len(), before.parts.len() + 1);
    let tie = after.part("Tie").expect("a part");
    let height = 6.5 / 10.0 * after.cables[0].diameter();
    let there = tie.placement().position;
    assert!((there - point - Vec3::z() * height).norm() < 1.0, "{there}");
    // A quarter turn from the way of the cable, which is along x.
    let along = tie.placement().rotation * Vec3::z();
    assert!(along.y.abs() > 0.99, "{along}");
    let cable = &after.cables[0];
    let handle = cable.handle("Tie").expect("a handle");
    assert_eq!(handle.kind, HandleKind::Position);
    assert_eq!(handle.attached_to.as_deref(), Some("block"));
    let stands = cable.standing_pose(handle).expect("solved").position;
    assert!((stands - there).norm() < 0.5, "{stands} {there}");
    // One undo takes all of it away.
    window.key_press(Key::Escape);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(scene(&window).parts.len(), before.parts.len());
    assert_eq!(scene(&window).junctions.len(), before.junctions.len());
    assert_eq!(scene(&window).exclusions, before.exclusions);
}

#[test]
fn a_handle_that_is_snapped_goes_with_its_part() {
    let mut window = window();
    window.key_press(Key::Num5);
    window.run_steps(3);
    let from = ball(&window);
    let to = super::selecting::place(&window, &Vec3::new(40.0, -60.0, 60.0));
    press(&mut window, from);
    window.event(Event::ModifiersChanged(Modifiers::COMMAND));
    move_to(&mut window, from, to);
    window.drop_at(to);
    settle(&mut window);
    let handle = &scene(&window).cables[0].handles[END.handle];
    assert!(handle.attached_to.is_some(), "{handle:?}");
    window.event(Event::ModifiersChanged(Modifiers::NONE));
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    let handle = &scene(&window).cables[0].handles[END.handle];
    assert_eq!(handle.attached_to, None);
}
