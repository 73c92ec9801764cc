//! Cables cut and pulled longer with the mouse.

use loomwright::scene::demo;

use super::selecting::{click, place};
use super::tools::{real, scene};
use super::*;

/// A place in the middle of the demo's cable.
fn middle(window: &Window) -> Vec3 {
    let shape = scene(window).cables[0].shape.as_ref().expect("a shape");
    shape.points[shape.points.len() / 2]
}

#[test]
fn a_click_cuts_a_cable_and_undo_makes_it_whole() {
    let mut window = real(demo::demo("drag").expect("the demo"));
    window.key_press(Key::W);
    window.run_steps(3);
    let at = place(&window, &middle(&window));
    click(&mut window, at, Modifiers::NONE);
    settle(&mut window);
    let names: Vec<&str> = scene(&window)
        .cables
        .iter()
        .map(|c| c.name.as_str())
        .collect();
    assert_eq!(names, ["cable", "cable 2"]);
    assert_eq!(scene(&window).junctions.len(), 1);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(scene(&window).cables.len(), 1);
    assert!(scene(&window).junctions.is_empty());
}

#[test]
fn a_cable_that_is_pulled_becomes_longer_and_escape_takes_it_back() {
    let mut window = real(demo::demo("drag").expect("the demo"));
    let length = |window: &Window| scene(window).cables[0].length;
    let before = length(&window);
    window.key_press(Key::E);
    window.run_steps(3);
    let from = place(&window, &middle(&window));
    let to = from + Vec2::new(0.0, 40.0);
    press(&mut window, from);
    move_to(&mut window, from, to);
    let pulled = length(&window);
    assert!(pulled > before + 5.0, "{before} to {pulled} mm");
    window.key_press(Key::Escape);
    settle(&mut window);
    assert_eq!(length(&window), before);
    window.drop_at(to);
    settle(&mut window);
    // Pulled again and let go, it stays: one step of undo.
    press(&mut window, from);
    move_to(&mut window, from, to);
    window.drop_at(to);
    settle(&mut window);
    assert!(length(&window) > before + 5.0);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(length(&window), before);
}
