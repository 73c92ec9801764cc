//! A part in hand pushes cables while the mouse moves, and stops where they hold it.

use super::*;
use egui_kittest::kittest::NodeT as _;
use loomwright::scene::demo;

/// The cable of the demo pulled nearly straight over the box, seen from the front, and the box selected.
fn over_the_box() -> Window {
    let mut scene = demo::demo("box").expect("the demo");
    scene.cables[0].handles[1].pose.position.x = 980.0;
    let mut window = Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            LoomApp::new(cc, scene, Vec::new(), simulation_factory()).expect("a window")
        });
    settle(&mut window);
    window.get_by_label("box").click();
    window.run_steps(2);
    window.key_press(Key::Num1);
    window.run_steps(2);
    window
}

/// Where a point is in the window.
fn at(window: &Window, point: &Vec3) -> Pos2 {
    let p = window.state().view().project(point).expect("in the view");
    window.get_by_label(VIEW_LABEL).rect().min + Vec2::new(p.x as f32, p.y as f32)
}

/// How high the cable is at most over the box.
fn over(window: &Window) -> f64 {
    let cable = &window.state().document().scene().cables[0];
    let points = &cable.shape.as_ref().expect("solved").points;
    let over = points.iter().filter(|p| (340.0..460.0).contains(&p.x));
    over.map(|p| p.z).fold(f64::NEG_INFINITY, f64::max)
}

fn rise(window: &Window) -> f64 {
    let carried = window.state().view().carried();
    carried.map_or_else(
        || {
            let part = &window.state().document().scene().parts[0];
            part.placement().position.z
        },
        |moved| moved.position.z,
    )
}

/// Redraws until a label with these words is there.
fn wait_for(window: &mut Window, words: &str) {
    let started = Instant::now();
    while window.query_by_label_contains(words).is_none() {
        assert!(started.elapsed() < Duration::from_mins(1), "no \"{words}\"");
        std::thread::sleep(Duration::from_millis(2));
        window.run_steps(1);
    }
}

#[test]
fn a_part_lifts_the_cable_while_the_mouse_moves_and_stops_where_it_is_taut() {
    let mut window = over_the_box();
    let hanging = over(&window);
    let middle = Vec3::new(400.0, 0.0, 50.0);
    let from = at(&window, &middle);
    press(&mut window, from);
    // The button stays down: the part pushes all the same.
    let half = at(&window, &(middle + Vec3::z() * 280.0));
    move_to(&mut window, from, half);
    assert!(window.state().view().is_dragging());
    assert!((rise(&window) - 280.0).abs() < 2.0, "{}", rise(&window));
    assert!(over(&window) > hanging + 10.0 && over(&window) > 380.0);
    assert_eq!(window.state().document().held_parts(), []);
    let to = at(&window, &(middle + Vec3::z() * 450.0));
    move_to(&mut window, half, to);
    let stopped = rise(&window);
    assert!((300.0..440.0).contains(&stopped), "{stopped}");
    window.get_by_label_contains("Part box blocked by cable cable");
    wait_for(&mut window, "mm short");
    window.drop_at(to);
    settle(&mut window);
    let scene = window.state().document().scene().clone();
    assert!((scene.parts[0].placement().position.z - stopped).abs() < 1.0);
    assert_eq!(window.state().view().carried(), None);

    // A click on the label gives the cable what it lacks.
    wait_for(&mut window, "mm short");
    let words = window.get_by_label_contains("mm short");
    let said = words.accesskit_node().label().unwrap_or_default();
    words.click();
    settle(&mut window);
    let now = window.state().document().scene();
    let added = now.cables[0].length - 1000.0;
    assert_eq!(said, format!("cable {added:.0} mm short"));
    assert!((20.0..100.0).contains(&added), "{added}");
    assert!(window.state().document().can_undo());
}

#[test]
fn escape_brings_a_part_in_hand_back_and_the_cable_with_it() {
    let mut window = over_the_box();
    let hanging = over(&window);
    let middle = Vec3::new(400.0, 0.0, 50.0);
    let from = at(&window, &middle);
    press(&mut window, from);
    let to = at(&window, &(middle + Vec3::z() * 280.0));
    move_to(&mut window, from, to);
    assert!(over(&window) > hanging + 10.0);
    window.key_press(Key::Escape);
    settle(&mut window);
    window.drop_at(to);
    settle(&mut window);
    assert_eq!(rise(&window), 0.0);
    assert!((over(&window) - hanging).abs() < 1e-6);
    assert!(!window.state().document().can_undo());
}
