//! Cutting open, colours, lengths, handles in numbers, cables in hand, several things at once.

use loomwright::geom::Pose;
use loomwright::scene::{Command, HandleKind, HandlePlace, Scene, demo};
use loomwright::window::choices::{Coloring, Section};
use loomwright::window::selection::Thing;

use super::selecting::{click, place, type_number};
use super::*;

pub fn real(scene: Scene) -> Window {
    let mut window = Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            LoomApp::new(cc, scene, Vec::new(), simulation_factory()).expect("a window")
        });
    settle(&mut window);
    window
}

pub fn scene(window: &Window) -> &Scene {
    window.state().document().scene()
}

/// Goes through menus to an entry.
pub fn choose(window: &mut Window, path: &[&str]) {
    window.get_by_label(path[0]).click();
    window.run_steps(3);
    for label in &path[1..] {
        window.get_by_label_contains(label).click();
        window.run_steps(3);
    }
}

#[test]
fn what_is_cut_away_is_not_picked() {
    let mut window = window();
    window.key_press(Key::Num5);
    window.run_steps(3);
    let on_block = place(&window, &Vec3::new(30.0, 60.0, 60.0));
    let under = |window: &mut Window| {
        window.hover_at(on_block);
        window.run_steps(2);
        window.state().view().under_the_cursor()
    };
    assert_eq!(under(&mut window), Some(Thing::Part(0)));
    window.key_press(Key::K);
    window.run_steps(2);
    let Some(Section::Plane(plane)) = window.state().view().section() else {
        panic!("cut open by a plane");
    };
    assert_eq!(plane.axis, 2, "seen from above, Z is cut");
    assert!(!plane.flipped, "what is above goes");
    // Below the block and into the plate.
    type_number(&mut window, "at", "-5");
    assert_eq!(under(&mut window), Some(Thing::Part(1)), "the plate below");
    window.get_by_label("Other side").click();
    window.run_steps(2);
    assert_eq!(under(&mut window), Some(Thing::Part(0)));
    window.key_press(Key::K);
    window.run_steps(2);
    assert_eq!(window.state().view().section(), None);
    assert!(!window.state().document().is_unsaved(), "only the view");
}

#[test]
fn cables_are_coloured_by_what_happens_along_them() {
    let mut scene = demo::demo("drag").expect("the demo");
    scene.cables[0].bend_limit = loomwright::scene::BendLimit::centerline(30.0);
    let mut window = real(scene);
    assert_eq!(window.state().view().heat(), None);
    for coloring in &Coloring::ALL[1..] {
        choose(&mut window, &["View", "Colour cables by"]);
        window
            .get_by_role_and_label(egui::accesskit::Role::RadioButton, coloring.name())
            .click();
        window.run_steps(3);
        let heat = window.state().view().heat().expect("colours");
        assert_eq!(heat.coloring, *coloring);
        assert_eq!(heat.values[0].len(), 101, "a value at each node");
        assert!(heat.values[0].iter().all(|v| v.is_finite()));
        if *coloring == Coloring::Tension {
            // It hangs: pulled most at its ends.
            let values = &heat.values[0];
            assert!(values[0] > values[50] && values[100] > values[50]);
        }
    }
}

#[test]
fn the_length_has_three_modes_and_a_locked_stretch_keeps_its_own() {
    let mut scene = demo::demo("drag").expect("the demo");
    let add = Command::AddHandle {
        cable: "cable".into(),
        name: Some("clip".into()),
        place: HandlePlace::At(360.0),
        kind: HandleKind::Full,
        pose: None,
    };
    add.apply(&mut scene).expect("a handle");
    let mut window = real(scene);
    window.get_by_label("cable").click();
    window.run_steps(3);
    let spans = |window: &Window| {
        let cable = &self::scene(window).cables[0];
        let clip = cable.arc_length(cable.handle("clip").expect("clip"));
        [clip, cable.length - clip]
    };
    let [first, rest] = spans(&window);
    window.get_by_label("Between fixings").click();
    window.run_steps(3);
    type_number(&mut window, "start - clip", "400");
    let [a, b] = spans(&window);
    assert!((a - 400.0).abs() < 1e-6, "{a}");
    assert!((b - rest).abs() < 1e-6, "{b}");
    window.get_by_label(&format!("{:+.1} mm", 400.0 - first));
    window.get_by_label("0.0 mm");
    let locks: Vec<_> = window.get_all_by_label("Lock").collect();
    assert_eq!(locks.len(), 2);
    locks[0].click();
    settle(&mut window);
    assert_eq!(
        self::scene(&window).cables[0].locked_spans,
        [["start", "clip"]]
    );
    window.get_by_label("Whole").click();
    window.run_steps(3);
    type_number(&mut window, "Length", "1000");
    let [a, b] = spans(&window);
    assert!(
        (a - 400.0).abs() < 1e-6 && (b - 600.0).abs() < 1e-6,
        "{a} {b}"
    );
    window.get_by_label("Free").click();
    settle(&mut window);
    assert_eq!(self::scene(&window).cables[0].free_length, Some(1.0));
    window.get_by_label("Whole").click();
    settle(&mut window);
    let cable = &self::scene(&window).cables[0];
    assert_eq!(cable.free_length, None);
    assert!(
        cable.length < 999.0,
        "it keeps what it has found: {}",
        cable.length
    );
}

#[test]
fn handles_are_spread_evenly_over_a_cable_as_one_undo_point() {
    let mut window = window();
    window.key_press(Key::A);
    window.run_steps(2);
    type_number(&mut window, "How many", "4");
    let point = scene(&window).cables[0]
        .shape
        .as_ref()
        .expect("solved")
        .points[12];
    let at = place(&window, &point);
    click(&mut window, at, Modifiers::NONE);
    settle(&mut window);
    let cable = &scene(&window).cables[0];
    let mut places: Vec<f64> = cable.handles[2..]
        .iter()
        .map(|h| cable.arc_length(h))
        .collect();
    places.sort_by(f64::total_cmp);
    assert_eq!(places.len(), 4);
    for (place, i) in places.iter().zip(1..) {
        // A handle grips the middle of an edge: half an edge off at most.
        let even = 104.0 * f64::from(i);
        assert!(
            (place - even).abs() <= 0.5 * 520.0 / 60.0 + 1e-9,
            "{places:?}"
        );
    }
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(scene(&window).cables[0].handles.len(), 2);
}

/// Grabs the selected cable in its middle and pulls it up.
fn pull_cable(window: &mut Window) -> Pos2 {
    window.key_press(Key::Num1);
    window.run_steps(3);
    let middle = |window: &Window| {
        scene(window).cables[0]
            .shape
            .as_ref()
            .expect("solved")
            .points[50]
    };
    let at = place(window, &middle(window));
    click(window, at, Modifiers::NONE);
    assert_eq!(window.state().view().selection.things(), [Thing::Cable(0)]);
    press(window, at);
    let to = at - Vec2::new(0.0, 60.0);
    move_to(window, at, to);
    to
}

#[test]
fn a_selected_cable_is_grabbed_anywhere_and_springs_back() {
    let mut window = real(demo::demo("drag").expect("the demo"));
    let before = scene(&window).clone();
    let low = |window: &Window| {
        let shape = scene(window).cables[0].shape.as_ref().expect("solved");
        shape
            .points
            .iter()
            .map(|p| p.z)
            .fold(f64::INFINITY, f64::min)
    };
    let hung = low(&window);
    let to = pull_cable(&mut window);
    assert_eq!(scene(&window).cables[0].handles.len(), 3);
    assert!(low(&window) > hung + 5.0, "{} from {hung}", low(&window));
    window.drop_at(to);
    settle(&mut window);
    let cable = &scene(&window).cables[0];
    assert_eq!(cable.handles, before.cables[0].handles);
    assert!(
        (low(&window) - hung).abs() < 0.1,
        "{} from {hung}",
        low(&window)
    );
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(scene(&window), &before);
}

#[test]
fn a_grabbed_cable_is_kept_with_enter() {
    let mut window = real(demo::demo("drag").expect("the demo"));
    let to = pull_cable(&mut window);
    window.key_press(Key::Enter);
    window.run_steps(2);
    window.get_by_label_contains("the cable stays held here");
    window.drop_at(to);
    settle(&mut window);
    let cable = &scene(&window).cables[0];
    assert_eq!(cable.handles.len(), 3);
    assert_eq!(cable.handles[2].kind, HandleKind::Position);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(scene(&window).cables[0].handles.len(), 2);
}

#[test]
fn a_click_on_a_selected_cable_does_not_shake_it() {
    let mut window = real(demo::demo("drag").expect("the demo"));
    let before = scene(&window).clone();
    window.key_press(Key::Num1);
    window.run_steps(3);
    let middle = before.cables[0].shape.as_ref().expect("solved").points[50];
    let at = place(&window, &middle);
    click(&mut window, at, Modifiers::NONE);
    press(&mut window, at);
    window.hover_at(at + Vec2::new(2.0, 2.0));
    window.run_steps(1);
    window.drop_at(at + Vec2::new(2.0, 2.0));
    settle(&mut window);
    assert_eq!(scene(&window), &before);
}

#[test]
fn tab_reaches_all_of_five_cables_that_lie_over_each_other() {
    let mut scene = double::scene();
    let first = scene.cables[0].clone();
    for k in 1..5 {
        let mut cable = first.clone();
        cable.name = format!("cable {}", k + 1);
        for handle in &mut cable.handles {
            handle.pose.position.z += 10.0 * f64::from(k);
        }
        scene.cables.push(cable);
    }
    let mut window = Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            LoomApp::new(cc, scene, Vec::new(), double::factory()).expect("a window")
        });
    settle(&mut window);
    window.key_press(Key::Num5);
    window.run_steps(3);
    let point = self::scene(&window).cables[0]
        .shape
        .as_ref()
        .expect("solved")
        .points[20];
    let at = place(&window, &point);
    window.hover_at(at);
    window.run_steps(2);
    let mut seen = Vec::new();
    for _ in 0..window.state().view().n_under_the_cursor() {
        seen.extend(window.state().view().under_the_cursor());
        window.key_press(Key::Tab);
        window.run_steps(2);
    }
    // The highest first, as it is the nearest from above.
    let cables: Vec<_> = seen
        .iter()
        .filter(|t| matches!(t, Thing::Cable(_)))
        .collect();
    let all: Vec<_> = (0..5).rev().map(Thing::Cable).collect();
    assert_eq!(cables, all.iter().collect::<Vec<_>>());
    // The third of them can be taken.
    for _ in 0..2 {
        window.key_press(Key::Tab);
        window.run_steps(2);
    }
    click(&mut window, at, Modifiers::NONE);
    assert_eq!(window.state().view().selection.things(), [Thing::Cable(2)]);
}

#[test]
fn three_handles_move_and_turn_as_one_and_one_undo_restores_them_bit_for_bit() {
    let mut scene = Scene {
        // The double stops handles at parts.
        parts: Vec::new(),
        ..double::scene()
    };
    let mut second = scene.cables[0].clone();
    second.name = "second".into();
    for handle in &mut second.handles {
        handle.name += " 2";
        handle.pose.position += Vec3::new(10.0, -90.0, 60.0);
    }
    scene.cables.push(second);
    let mut window = Harness::builder()
        .with_size(Vec2::new(1280.0, 800.0))
        .build_eframe(|cc| {
            LoomApp::new(cc, scene, Vec::new(), double::factory()).expect("a window")
        });
    settle(&mut window);
    let before = self::scene(&window).clone();
    window.get_by_label("start").click();
    window.run_steps(2);
    let third = Thing::Handle(HandleId {
        cable: 1,
        handle: 1,
    });
    let there = before.cables[1].handles[1].pose.position;
    for point in [there, target(&window)] {
        let at = place(&window, &point);
        click(&mut window, at, Modifiers::COMMAND);
    }
    let selected = window.state().view().selection.things().to_vec();
    assert!(
        selected.len() == 3 && selected.contains(&third),
        "{selected:?}"
    );
    drag(&mut window, Vec2::new(-35.0, -50.0));
    // And turned about the view's axis.
    let from = ball(&window);
    window.hover_at(from);
    window.run_steps(1);
    let button = |pos, pressed| Event::PointerButton {
        pos,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::SHIFT,
    };
    window.event(button(from, true));
    window.run_steps(1);
    move_to(&mut window, from, from + Vec2::new(8.0, 3.0));
    move_to(
        &mut window,
        from + Vec2::new(8.0, 3.0),
        from + Vec2::new(8.0, 6.0),
    );
    window.event(button(from + Vec2::new(8.0, 6.0), false));
    settle(&mut window);
    let pose = |scene: &Scene, (cable, handle): (usize, usize)| -> Pose {
        scene.cables[cable].handles[handle].pose
    };
    let relative = |scene: &Scene, id| pose(scene, (0, 1)).inverse().compose(&pose(scene, id));
    let now = self::scene(&window);
    let turned = pose(now, (0, 1))
        .rotation
        .angle_to(&pose(&before, (0, 1)).rotation);
    assert!(turned > 0.05, "{turned}");
    for id in [(0, 0), (1, 1)] {
        let (was, is) = (relative(&before, id), relative(now, id));
        assert!((was.position - is.position).norm() < 1e-9, "{was:?} {is:?}");
        assert!(was.rotation.angle_to(&is.rotation) < 1e-9);
    }
    for _ in 0..2 {
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        settle(&mut window);
    }
    assert_eq!(self::scene(&window), &before);
}

#[test]
fn a_part_in_hand_moves_with_it_and_is_put_down_once() {
    let mut window = window();
    window.get_by_label("post").click();
    window.run_steps(3);
    let before = *scene(&window).parts[2].placement();
    let center = scene(&window).parts[2].mesh().aabb().center();
    let from = place(&window, &center);
    press(&mut window, from);
    let to = from + Vec2::new(-70.0, 20.0);
    move_to(&mut window, from, to);
    assert!(window.state().view().is_dragging());
    assert!(
        window
            .state()
            .view()
            .carried()
            .is_some_and(|m| m.position.norm() > 5.0)
    );
    window.drop_at(to);
    settle(&mut window);
    let moved = scene(&window).parts[2].mesh().aabb().center();
    assert!((place(&window, &moved) - to).length() < 0.5);
    assert_eq!(window.state().view().carried(), None);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(*scene(&window).parts[2].placement(), before);
}

#[test]
fn five_metres_from_the_origin_a_drag_is_as_exact() {
    let far = Vec3::new(3000.0, -4000.0, 1000.0);
    let dragged = |offset: Vec3| {
        let mut scene = demo::demo("drag").expect("the demo");
        for part in &scene.parts.clone() {
            let to = Command::MovePart {
                part: part.name.clone(),
                position: Some(offset.into()),
                rotation: None,
            };
            to.apply(&mut scene).expect("moved");
        }
        let cable = &mut scene.cables[0];
        for handle in &mut cable.handles {
            handle.pose.position += offset;
        }
        let shape = cable.shape.as_mut().expect("a shape");
        shape.points.iter_mut().for_each(|p| *p += offset);
        for clamp in shape.clamps.iter_mut().flatten() {
            clamp.position += offset;
        }
        let mut window = real(scene);
        let from = ball(&window);
        // Clear of all parts: with friction the shape depends on the way, and the way on the machine's speed.
        let by = Vec2::new(-60.0, -50.0);
        drag(&mut window, by);
        assert!((ball(&window) - (from + by)).length() < 0.5);
        let cable = self::scene(&window).cables[0].clone();
        let points = cable.shape.expect("solved").points;
        let points: Vec<Vec3> = points.iter().map(|p| p - offset).collect();
        (cable.handles[1].pose.position - offset, points)
    };
    let (here, near) = dragged(Vec3::zeros());
    let (there, distant) = dragged(far);
    assert!((here - there).norm() < 1e-6, "{here} {there}");
    let apart = near.iter().zip(&distant).map(|(a, b)| (a - b).norm());
    let apart = apart.fold(0.0, f64::max);
    assert!(apart < 1e-3, "the cables differ by {apart} mm");
}

#[test]
fn a_demo_is_opened_from_the_help_menu() {
    let mut window = window();
    choose(&mut window, &["Help", "Demo scenes"]);
    window.get_by_label("pocket").click();
    settle(&mut window);
    assert_eq!(scene(&window).parts.len(), 1);
    assert!((scene(&window).cables[0].length - 1000.0).abs() < 1e-9);
}

#[test]
fn cables_settle_and_pass_through_parts_from_the_edit_menu() {
    let mut window = real(demo::demo("box").unwrap());
    choose(&mut window, &["Edit", "Solve without friction"]);
    settle(&mut window);
    assert!(
        window
            .query_by_label_contains("Solved without friction; moved at most: cable by")
            .is_some()
    );
    // Off shows a sign, in the toolbar and in the status, and both go when they are on again.
    choose(&mut window, &["Edit", "Collision detection"]);
    settle(&mut window);
    window.get_by_label("collisions off, in equilibrium");
    window.get_by_label("Collisions off").click();
    settle(&mut window);
    assert!(window.query_by_label_contains("ollisions off").is_none());
    choose(&mut window, &["Edit", "Collision detection"]);
    choose(&mut window, &["Edit", "Collision detection"]);
    settle(&mut window);
    assert!(window.query_by_label_contains("ollisions off").is_none());
    window.get_by_label("in equilibrium");
}
