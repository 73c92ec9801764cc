//! The assembly study and motion over time: recorded, run beside the window, played, and left again.

use egui::accesskit::Role;
use loomwright::scene::{Scene, demo};

use super::tools::{choose, scene};
use super::*;

/// Redraws until something is so.
fn wait(window: &mut Window, what: &str, until: impl Fn(&Window) -> bool) {
    let started = Instant::now();
    while !until(window) {
        assert!(started.elapsed() < Duration::from_mins(3), "{what}");
        std::thread::sleep(Duration::from_millis(2));
        window.run_steps(1);
    }
}

/// Wherever the page is scrolled to.
fn press_button(window: &mut Window, label: &str) {
    let button = window.get_by_role_and_label(Role::Button, label);
    button.click_accesskit();
    window.run_steps(3);
}

fn type_number(window: &mut Window, label: &str, text: &str) {
    let field = window.get_by_role_and_label(Role::SpinButton, label);
    field.click_accesskit();
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(Event::Text(text.into()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(3);
}

/// The window on a scene, its drawer as tall as it can be, turned to a page.
fn page(scene: Scene, entry: &str) -> Window {
    let mut window = Harness::builder()
        .with_size(Vec2::new(1900.0, 1300.0))
        .build_eframe(|cc| {
            LoomApp::new(cc, scene, Vec::new(), simulation_factory()).expect("a window")
        });
    settle(&mut window);
    choose(&mut window, &["View", entry]);
    window
}

fn unit() -> Scene {
    demo::demo("control-unit").expect("the demo")
}

/// Where the control unit is shown, from where the document has it.
fn shown_by(window: &Window) -> Vec3 {
    let app = window.state();
    let scene = app.document().scene();
    let part = scene.parts.iter().position(|p| p.name == "control unit");
    let part = part.expect("the unit");
    let shown = app.view().shown_placement(scene, part).expect("placed");
    shown.position - scene.parts[part].placement().position
}

fn length(window: &Window, cable: &str) -> f64 {
    scene(window).cable(cable).expect("the cable").length
}

/// Records the way out of the bay: up, and then to the side.
fn record(window: &mut Window) {
    window.get_by_label("control unit").click();
    window.run_steps(3);
    press_button(window, "Path of the selection");
    press_button(window, "Add pose");
    type_number(window, "Z of step 1", "40");
    press_button(window, "Add pose");
    type_number(window, "X of step 2", "-20");
    type_number(window, "Z of step 2", "90");
    type_number(window, "Sample every", "20");
}

#[test]
fn a_path_is_recorded_played_and_what_limits_it_is_mended() {
    let mut window = page(unit(), "Assembly study");
    record(&mut window);
    let before = scene(&window).clone();
    let edit = window.state().document().edit_number();
    press_button(&mut window, "Run the study");
    wait(&mut window, "the study has no end", |w| {
        w.query_by_label_contains("too short at").is_some()
    });
    window.get_by_label_contains("\"GND\" is ");
    assert_eq!(window.state().document().edit_number(), edit);
    // The end of the path is shown, and the document is where it was.
    let (_, recording) = window.state().playback().expect("it can be played");
    let last = recording.samples.len() - 1;
    assert!(last > 3, "{last}");
    press_button(&mut window, "Play it back");
    wait(&mut window, "not at its end", |w| shown_by(w).norm() > 60.0);
    press_button(&mut window, "Pause playback");
    let at = |window: &Window| window.state().playback().map(|(p, _)| p.at);
    let there = at(&window).expect("playing");
    press_button(&mut window, "One sample back");
    assert_eq!(at(&window), Some(there - 1));
    let points = window.state().view().shown_points(0).to_vec();
    let shape = scene(&window).cables[0].shape.as_ref().expect("solved");
    assert_ne!(points, shape.points, "the cable is shown where it will be");
    assert_eq!(scene(&window), &before, "nothing is edited by looking");
    // A value leads to its place.
    press_button(&mut window, "Play forward");
    wait(&mut window, "does not end", |w| at(w) == Some(last));
    press_button(&mut window, "Back to the scene");
    assert!(window.state().playback().is_none());
    assert_eq!(shown_by(&window), Vec3::zeros());

    // The length that the path needs is one edit.
    let old = length(&window, "GND");
    window.get_by_label_contains("Give GND").click_accesskit();
    settle(&mut window);
    let added = length(&window, "GND") - old;
    assert!((10.0..100.0).contains(&added), "{added}");
    window.get_by_label_contains("The scene was edited since");
    press_button(&mut window, "Run the study");
    wait(&mut window, "the path is not free", |w| {
        w.query_by_label("The path is free.").is_some()
    });
    press_button(&mut window, "Back to the scene");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    settle(&mut window);
    assert_eq!(length(&window, "GND"), old);
}

#[test]
fn an_edit_leaves_the_playback_and_a_drag_in_it_moves_nothing() {
    let mut window = page(unit(), "Assembly study");
    record(&mut window);
    press_button(&mut window, "Run the study");
    wait(&mut window, "the study has no end", |w| {
        w.state().playback().is_some()
    });
    press_button(&mut window, "One sample forward");
    press_button(&mut window, "One sample forward");
    assert!(shown_by(&window).norm() > 10.0);
    let before = scene(&window).clone();
    let view = window.get_by_label(VIEW_LABEL).rect();
    press(&mut window, view.center());
    move_to(
        &mut window,
        view.center(),
        view.center() + Vec2::new(60.0, 20.0),
    );
    window.drop_at(view.center() + Vec2::new(60.0, 20.0));
    settle(&mut window);
    assert_eq!(scene(&window), &before);
    assert!(window.state().playback().is_some());
    window.get_by_label_contains("Give GND").click_accesskit();
    settle(&mut window);
    assert!(
        window.state().playback().is_none(),
        "the document is edited"
    );
    assert_eq!(shown_by(&window), Vec3::zeros());
}

#[test]
fn a_path_is_opened_saved_and_refused_in_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.json");
    let text = r#"{"parts":["control unit"],"steps":[
        {"step":"release","cable":"GND","handle":"clip"},
        {"step":"move","name":"out","by":[-20,0,90]}]}"#;
    std::fs::write(&file, text).expect("written");
    let mut window = page(unit(), "Assembly study");
    let open = |window: &mut Window, path: &std::path::Path| {
        press_button(window, "Open path ...");
        let title = "Path of the file with key poses and steps (.json or .csv)";
        wait(window, "no field for the path", |w| {
            w.query_by_role_and_label(Role::TextInput, title).is_some()
        });
        window
            .get_by_role_and_label(Role::TextInput, title)
            .type_text(&path.display().to_string());
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(3);
    };
    open(&mut window, &file);
    window.get_by_label("Path of control unit");
    window.get_by_label("fixing clip of GND");
    press_button(&mut window, "Delete step 1");
    assert!(window.query_by_label("fixing clip of GND").is_none());
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, "{\"parts\":[\"tray\"],\"stops\":[]}").expect("written");
    open(&mut window, &bad);
    window.get_by_label_contains("unknown field `stops`");
    window.get_by_label("Path of control unit");
}

#[test]
fn a_fixing_is_let_go_and_swings_and_the_scene_stays() {
    let mut window = page(demo::demo("drag").expect("the demo"), "Motion over time");
    let name = scene(&window).cables[0].handles[1].name.clone();
    let app = window.state();
    let pose = app.view().shown_pose(app.document(), END);
    let at = selecting::place(&window, &pose.expect("a handle").position);
    selecting::click(&mut window, at, Modifiers::NONE);
    press_button(&mut window, "Let the selected fixing go");
    window.get_by_label(&format!("lets go: fixing {name} of cable"));
    let before = scene(&window).clone();
    press_button(&mut window, "Begin motion");
    let samples = |w: &Window| w.state().playback().map_or(0, |(_, r)| r.samples.len());
    wait(&mut window, "nothing moves", |w| samples(w) > 8);
    press_button(&mut window, "Pause motion");
    wait(&mut window, "it is not paused", |w| {
        w.query_by_role_and_label(Role::Button, "Go on").is_some()
    });
    window.run_steps(5);
    std::thread::sleep(Duration::from_millis(80));
    window.run_steps(5);
    let paused = samples(&window);
    // What was let go falls, in the view and not in the document.
    let lowest = |points: &[Vec3]| points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let app = window.state();
    let shape = scene(&window).cables[0].shape.as_ref().expect("solved");
    let fallen = lowest(&shape.points) - lowest(app.view().shown_points(0));
    assert!(fallen > 1.0, "{fallen}");
    assert_eq!(scene(&window), &before);
    window.get_by_label_contains("s a second");
    press_button(&mut window, "One step");
    wait(&mut window, "no step", |w| samples(w) == paused + 1);
    std::thread::sleep(Duration::from_millis(80));
    window.run_steps(5);
    assert_eq!(samples(&window), paused + 1, "one, and not more");
    let (playback, _) = window.state().playback().expect("playing");
    assert_eq!(playback.at, paused, "the newest is shown");
    // Looked back, and on from the newest.
    press_button(&mut window, "One sample back");
    press_button(&mut window, "Go on");
    wait(&mut window, "it does not go on", |w| {
        samples(w) > paused + 4
    });
    press_button(&mut window, "End motion");
    press_button(&mut window, "Back to the scene");
    let shown = window.state().view().shown_points(0);
    let shape = scene(&window).cables[0].shape.as_ref().expect("solved");
    assert_eq!(shown, shape.points);
}

#[test]
fn swept_envelopes_are_shown_and_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = page(unit(), "Assembly study");
    window.get_by_label("control unit").click();
    window.run_steps(3);
    press_button(&mut window, "Path of the selection");
    press_button(&mut window, "Add pose");
    type_number(&mut window, "Z of step 1", "12");
    press_button(&mut window, "Run the study");
    wait(&mut window, "the study has no end", |w| {
        w.state().playback().is_some()
    });
    press_button(&mut window, "Show swept envelopes");
    wait(&mut window, "nothing is swept", |w| {
        w.state().view().shows_swept()
    });
    press_button(&mut window, "Save swept envelopes ...");
    let title = "Path of the mesh (.stl or .glb) to save swept envelopes to";
    wait(&mut window, "no field for the path", |w| {
        w.query_by_role_and_label(Role::TextInput, title).is_some()
    });
    let file = folder.path().join("swept.glb");
    let field = window.get_by_role_and_label(Role::TextInput, title);
    field.focus();
    window.run_steps(2);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.event(Event::Text(file.display().to_string()));
    window.run_steps(2);
    window.key_press(Key::Enter);
    wait(&mut window, "nothing is written", |w| {
        w.query_by_label_contains("Swept envelopes saved").is_some()
    });
    let bytes = std::fs::read(&file).expect("written");
    assert!(
        bytes.starts_with(b"glTF") && bytes.len() > 10_000,
        "{}",
        bytes.len()
    );
    press_button(&mut window, "Show swept envelopes");
    assert!(!window.state().view().shows_swept());
}

#[test]
fn a_mouse_at_rest_says_how_exact_the_cable_is() {
    let mut window = tools::real(demo::demo("drag").expect("the demo"));
    let shape = scene(&window).cables[0].shape.as_ref().expect("solved");
    let at = selecting::place(&window, &shape.points[30].clone());
    window.hover_at(at);
    window.run_steps(2);
    window.get_by_label_contains("cable cable, diameter 8.0 mm");
    assert!(
        window.query_by_label_contains("\u{b1}").is_none(),
        "not at once"
    );
    wait(&mut window, "no error bar", |w| {
        w.query_by_label_contains("diameter 8.0 mm, \u{b1}0.")
            .is_some()
    });
    // Another place, another thing: no bar of the cable.
    window.hover_at(Pos2::new(640.0, 1.0));
    window.run_steps(3);
    assert!(window.query_by_label_contains("\u{b1}").is_none());
}
