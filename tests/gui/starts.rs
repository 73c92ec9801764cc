//! Cables that start inside parts: the list of them, what is chosen, and the way back.

use egui::accesskit::Role;
use loomwright::geom::Aabb;
use loomwright::mesh::primitives;
use loomwright::scene::{
    Exclusion, Part, PartRole, Scene, Simulation, StartChoice, StartReason, demo,
};
use loomwright::solve::CancelToken;
use loomwright::window::selection::Thing;

use super::tools::{choose, real, scene};
use super::*;

/// The demo's cable at rest, with a connector about its end and a sheet that cuts through its middle.
fn inside() -> Scene {
    let mut simulation = Simulation::new(demo::demo("box").expect("the demo")).expect("a cable");
    simulation.solve_quietly(&CancelToken::default());
    let mut scene = simulation.scene().clone();
    let cuboid = |name: &str, min: [f64; 3], max: [f64; 3]| {
        let (min, max) = (min.into(), max.into());
        Part::new(name, primitives::cuboid(&Aabb { min, max }))
    };
    let mut plug = cuboid("plug", [770.0, -20.0, 380.0], [830.0, 20.0, 420.0]);
    plug.role = PartRole::Connector;
    let points = &scene.cables[0].shape.as_ref().expect("solved").points;
    let low = points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let corner = Vec3::new(403.0, -100.0, low - 100.0);
    let (y, up) = (Vec3::y() * 200.0, Vec3::z() * 200.0);
    let sheet = primitives::sheet_with_hole(&corner, &y, &up, [150.0, 150.0], 10.0, 24);
    scene.parts = vec![plug, Part::new("sheet", sheet)];
    scene
}

/// The window on it, paused, with the list in front.
fn window_inside() -> Window {
    let mut window = real(inside());
    window.key_press(Key::Space);
    settle(&mut window);
    choose(&mut window, &["View", "Plots, contacts and log"]);
    settle(&mut window);
    window
}

fn pick_choice(window: &mut Window, row: &str, choice: &str) {
    window.get_by_role_and_label(Role::ComboBox, row).click();
    window.run_steps(3);
    window.get_by_role_and_label(Role::Button, choice).click();
    settle(window);
}

#[test]
fn what_starts_in_contact_is_one_list_with_the_defaults_applied() {
    let window = window_inside();
    // The connector lets its cable in; nobody asked for it, so there is nothing to undo or to save.
    let [entry] = &scene(&window).exclusions[..] else {
        panic!("{:?}", scene(&window).exclusions);
    };
    assert_eq!(entry.part, "plug");
    let document = window.state().document();
    assert!(!document.can_undo() && !document.is_unsaved());
    let starts = document.starts();
    assert_eq!(starts.len(), 2);
    assert_eq!(starts[0].reason, StartReason::Crosses);
    window.get_by_label("cable in sheet");
    window.get_by_label("cable in plug");
    window.get_by_label("1 cable is inside 1 part");
    window.get_by_label("free until clear");
    window.get_by_label("may overlap");
}

#[test]
fn a_click_in_the_list_shows_the_place() {
    let mut window = window_inside();
    let before = window.state().view().camera;
    window
        .get_by_role_and_label(Role::Link, "cable in sheet")
        .click();
    settle(&mut window);
    let view = window.state().view();
    assert_eq!(view.selection.things(), [Thing::Cable(0)]);
    let at = window.state().document().starts()[0].at;
    assert!((view.camera.focus - at).norm() < 1e-9);
    assert!(view.camera.height < 0.7 * before.height);
    assert!(view.see_through, "it is inside a part");
}

#[test]
fn a_choice_is_an_edit_that_undo_takes_back() {
    let mut window = window_inside();
    let known = scene(&window).exclusions.clone();
    let of_sheet = |window: &Window| {
        let all = scene(window).exclusions.iter();
        all.filter(|e| e.part == "sheet")
            .cloned()
            .collect::<Vec<_>>()
    };
    let choice = |window: &Window, part: &str| {
        let mut all = window.state().document().starts().iter();
        all.find(|s| s.part == part).map(|s| s.choice)
    };
    pick_choice(&mut window, "cable in sheet", "Ignore this pair");
    assert_eq!(of_sheet(&window), [Exclusion::everywhere("cable", "sheet")]);
    assert_eq!(choice(&window, "sheet"), Some(StartChoice::LetPass));
    pick_choice(&mut window, "cable in sheet", "Ignore overlap here");
    let [stretch] = &of_sheet(&window)[..] else {
        panic!("one stretch");
    };
    assert!(stretch.from > 100.0 && stretch.to < scene(&window).cables[0].length - 100.0);
    assert_eq!(choice(&window, "sheet"), Some(StartChoice::ExcludeHere));
    // The connector is to collide, and stays so when cables and parts come together again.
    pick_choice(&mut window, "cable in plug", "Collide");
    assert_eq!(choice(&window, "plug"), Some(StartChoice::Collide));
    for _ in 0..3 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        settle(&mut window);
    }
    assert_eq!(scene(&window).exclusions, known);
    assert_eq!(choice(&window, "sheet"), Some(StartChoice::Collide));
    assert_eq!(choice(&window, "plug"), Some(StartChoice::ExcludeHere));
    assert!(!window.state().document().can_undo());
}

#[test]
fn a_part_that_becomes_a_connector_lets_its_cable_in_with_the_same_undo_point() {
    let mut scene = inside();
    scene.parts[0].role = PartRole::Obstacle;
    let mut window = real(scene);
    window.key_press(Key::Space);
    settle(&mut window);
    assert_eq!(self::scene(&window).exclusions, []);
    window.get_by_label("plug").click();
    window.run_steps(3);
    window.get_by_role_and_label(Role::ComboBox, "Role").click();
    window.run_steps(3);
    window.get_by_label("Connector").click();
    settle(&mut window);
    settle(&mut window);
    assert_eq!(self::scene(&window).exclusions.len(), 1);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(self::scene(&window).exclusions, []);
    assert_eq!(self::scene(&window).parts[0].role, PartRole::Obstacle);
    assert!(!window.state().document().can_undo());
}

#[test]
fn what_was_pushed_out_leaves_the_list() {
    // The surface 3 mm inside, and the centerline 60 mm deep: the solver goes on until both are out.
    for top in [-1.0, 60.0] {
        let mut scene = inside();
        let points = &scene.cables[0].shape.as_ref().expect("solved").points;
        let low = points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        let (min, max) = (
            Vec3::new(300.0, -100.0, 0.0),
            Vec3::new(500.0, 100.0, low + top),
        );
        scene.parts = vec![Part::new("block", primitives::cuboid(&Aabb { min, max }))];
        let window = real(scene);
        assert_eq!(window.state().document().starts(), [], "{top}");
        // Said once, though it has gone.
        window.get_by_label_contains("inside part \"block\": it is pushed out");
    }
}
