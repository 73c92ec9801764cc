//! Handles that snap to holes, axes and surfaces while they are dragged.

use loomwright::mesh::primitives;
use loomwright::scene::{Part, Scene};

use super::selecting::place;
use super::*;

/// The end handle of the cable, led to that point of the window with keys held: where it is asked to be then. (The
/// double of the solver stops it at the box around a part, so where it is after that says nothing.)
fn snap_to(window: &mut Window, to: Pos2, modifiers: Modifiers) -> loomwright::geom::Pose {
    let from = ball(window);
    press(window, from);
    window.event(Event::ModifiersChanged(modifiers));
    move_to(window, from, to);
    let asked = pose(window);
    window.drop_at(to);
    window.event(Event::ModifiersChanged(Modifiers::NONE));
    settle(window);
    asked
}

fn pose(window: &Window) -> loomwright::geom::Pose {
    window.state().document().scene().cables[0].handles[END.handle].pose
}

fn open(scene: Scene) -> Window {
    let mut window = Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            LoomApp::new(cc, scene, Vec::new(), double::factory()).expect("a window")
        });
    settle(&mut window);
    window
}

/// Degrees between two lines.
fn degrees(a: &Vec3, b: &Vec3) -> f64 {
    a.cross(b).norm().atan2(a.dot(b).abs()).to_degrees()
}

fn with_sheet() -> Scene {
    let mut scene = double::scene();
    // Stands behind the cable; a hole of 40 mm whose axis is along y.
    let sheet = primitives::sheet_with_hole(
        &Vec3::new(-400.0, 260.0, -50.0),
        &Vec3::new(800.0, 0.0, 0.0),
        &Vec3::new(0.0, 0.0, 500.0),
        [430.0, 330.0],
        20.0,
        15,
    );
    scene.parts.push(Part::new("sheet", sheet));
    scene
}

#[test]
fn a_handle_snaps_into_a_hole_from_either_side() {
    let hole = Vec3::new(30.0, 260.0, 280.0);
    for key in [Key::Num1, Key::Num2, Key::Num7] {
        let mut window = open(with_sheet());
        window.key_press(key);
        window.run_steps(3);
        // Not even near its middle.
        let to = place(&window, &(hole + Vec3::new(9.0, 0.0, -7.0)));
        let at = snap_to(&mut window, to, Modifiers::COMMAND);
        assert!((at.position - hole).norm() < 1e-6, "{key:?}: {at:?}");
        let along = at.rotation * Vec3::z();
        assert!(degrees(&along, &Vec3::y()) < 1e-6, "{key:?}: {along}");
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        settle(&mut window);
        assert!(!window.state().document().can_undo(), "one undo point");
    }
}

#[test]
fn without_the_key_nothing_snaps_and_the_toggle_turns_it_round() {
    let hole = Vec3::new(30.0, 260.0, 280.0);
    let mut window = open(with_sheet());
    window.key_press(Key::Num1);
    window.run_steps(3);
    let to = place(&window, &hole);
    let at = snap_to(&mut window, to, Modifiers::NONE);
    assert!(at.position.y.abs() < 1e-6, "in the view plane");
    window.key_press(Key::N);
    window.run_steps(2);
    assert!(window.state().view().snap);
    let aside = place(&window, &(hole + Vec3::new(60.0, 0.0, 60.0)));
    snap_to(&mut window, aside, Modifiers::NONE);
    let to = place(&window, &hole);
    let at = snap_to(&mut window, to, Modifiers::NONE);
    assert!((at.position - hole).norm() < 1e-6, "{at:?}");
}

#[test]
fn a_handle_lies_on_a_surface_or_on_the_axis_of_a_post() {
    let mut window = open(double::scene());
    window.key_press(Key::Num5);
    window.run_steps(3);
    // The top of the block, far from the cable.
    let point = Vec3::new(40.0, -60.0, 60.0);
    let to = place(&window, &point);
    let at = snap_to(&mut window, to, Modifiers::COMMAND).position;
    assert!((at.z - (60.0 + 1.15 * 6.0)).abs() < 1e-6, "{at}");
    assert!((at - point).norm() < 1.15 * 6.0 + 1e-6);
    window.key_press(Key::Num1);
    window.run_steps(3);
    // The wall of the post: its surface, or with Shift its axis.
    let to = place(&window, &Vec3::new(180.0, 42.0, 90.0));
    let at = snap_to(&mut window, to, Modifiers::COMMAND | Modifiers::SHIFT);
    assert!((at.position - Vec3::new(170.0, 70.0, at.position.z)).norm() < 1e-6);
    assert!(degrees(&(at.rotation * Vec3::z()), &Vec3::z()) < 1e-6);
}

/// Runs on files named in `LOOMWRIGHT_BAY`: a mesh whose holes are listed in the `.scene.json` beside it.
#[test]
fn the_holes_of_a_bay_snap_from_either_side() {
    let Some(path) = std::env::var_os("LOOMWRIGHT_BAY").map(std::path::PathBuf::from) else {
        return;
    };
    let truth = std::fs::read_to_string(path.with_extension("scene.json")).expect("the truth");
    let truth: serde_json::Value = serde_json::from_str(&truth).expect("JSON");
    let imported = loomwright::mesh::import::import_file(&path).expect("a mesh");
    let mut scene = Scene {
        cables: double::scene().cables,
        ..Scene::default()
    };
    let options = loomwright::mesh::import::ImportOptions::default();
    for named in &imported.parts {
        let mut part = Part::of_file(named, &path, &options, &imported);
        // As a user isolates what hides the firewall.
        part.visible = part.name.starts_with("firewall") || part.name.starts_with("grommet");
        scene.parts.push(part);
    }
    let mut window = open(scene);
    let started = Instant::now();
    while window.query_by_label_contains("Preparing").is_some() {
        assert!(started.elapsed() < Duration::from_mins(2), "never ready");
        window.run_steps(1);
    }
    let number = |v: &serde_json::Value| v.as_f64().expect("a number");
    let vector = |v: &serde_json::Value| Vec3::new(number(&v[0]), number(&v[1]), number(&v[2]));
    let mut n_holes = 0;
    for hole in truth["holes"].as_array().expect("holes") {
        let (center, axis) = (vector(&hole["center"]), vector(&hole["axis"]));
        for side in [1.0, -1.0] {
            let app = window.state_mut();
            app.look_at(&center, &(axis * side + Vec3::new(0.1, 0.25, 0.2)), 300.0);
            window.run_steps(2);
            let app = window.state();
            let off = Vec3::new(0.0, 0.3, 0.2) * number(&hole["radius"]);
            let cursor = app.view().project(&(center + off)).expect("in view");
            let snap = app.view().snap_at(app.document(), &cursor).expect("a hole");
            let off = (snap.point - center).norm();
            let turned = degrees(&snap.direction, &axis);
            println!("{:?}: {off:.4} mm, {turned:.4} degrees", snap.kind);
            assert!(off < 0.1 && turned < 0.5, "{snap:?} for {hole}");
        }
        n_holes += 1;
    }
    assert!(n_holes > 0);
}
