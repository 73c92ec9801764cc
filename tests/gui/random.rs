//! Twenty thousand events in any order: the window stays alive, and the scene stays one that can be saved.

use super::*;

const N_EVENTS: usize = 20_000;
/// Events between two redraws, as a slow machine has them.
const PER_REDRAW: usize = 8;

/// Keys that lead out of the window, to dialogs of the system or its end, are not among them.
const KEYS: [Key; 31] = [
    Key::Escape,
    Key::Tab,
    Key::Space,
    Key::Enter,
    Key::Delete,
    Key::F1,
    Key::F2,
    Key::A,
    Key::B,
    Key::C,
    Key::E,
    Key::F,
    Key::G,
    Key::H,
    Key::I,
    Key::K,
    Key::L,
    Key::M,
    Key::P,
    Key::S,
    Key::T,
    Key::W,
    Key::X,
    Key::Num1,
    Key::Num3,
    Key::Num5,
    Key::Num7,
    Key::ArrowDown,
    Key::Backspace,
    Key::Z,
    Key::Y,
];

fn random_event(
    rng: &mut fastrand::Rng,
    cursor: &mut Pos2,
    held: &mut Option<PointerButton>,
) -> Event {
    match rng.u32(0..100) {
        0..50 => {
            // Mostly near where it was, as a hand goes; below the menu, whose entries open dialogs of the system.
            *cursor = if rng.u32(0..6) == 0 {
                Pos2::new(1280.0 * rng.f32(), 96.0 + 700.0 * rng.f32())
            } else {
                let by = Vec2::new(rng.f32() - 0.5, rng.f32() - 0.5) * 60.0;
                (*cursor + by).clamp(Pos2::new(0.0, 96.0), Pos2::new(1279.0, 799.0))
            };
            Event::PointerMoved(*cursor)
        }
        50..80 => {
            let (button, pressed) = if let Some(button) = held.take() {
                (button, false)
            } else {
                let both = [PointerButton::Primary, PointerButton::Middle];
                let button = both[usize::from(rng.bool())];
                *held = Some(button);
                (button, true)
            };
            let modifiers = match rng.u32(0..6) {
                0 => Modifiers::SHIFT,
                1 => Modifiers::COMMAND,
                _ => Modifiers::NONE,
            };
            Event::PointerButton {
                pos: *cursor,
                button,
                pressed,
                modifiers,
            }
        }
        80..92 => {
            let key = KEYS[rng.usize(0..KEYS.len())];
            let undo = matches!(key, Key::Z | Key::Y);
            let modifiers = if undo {
                Modifiers::COMMAND
            } else {
                Modifiers::NONE
            };
            Event::Key {
                key,
                physical_key: None,
                pressed: rng.u32(0..4) != 0,
                repeat: false,
                modifiers,
            }
        }
        92..96 => Event::Text(
            rng.choice(["1", "12,5", "-", "x", "+=3", "\u{e9}"])
                .unwrap_or("1")
                .into(),
        ),
        _ => Event::MouseWheel {
            unit: egui::MouseWheelUnit::Line,
            delta: Vec2::new(0.0, rng.f32() - 0.5) * 4.0,
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Unknown,
            modifiers: Modifiers::NONE,
        },
    }
}

#[test]
fn no_panic_in_twenty_thousand_random_events() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut window = window();
    window.get_by_label("Got it").click();
    window.run_steps(2);
    let (mut cursor, mut held) = (Pos2::new(640.0, 400.0), None);
    for _ in 0..N_EVENTS / PER_REDRAW {
        for _ in 0..PER_REDRAW {
            let event = random_event(&mut rng, &mut cursor, &mut held);
            window.event(event);
        }
        window.run_steps(1);
        let scene = window.state().document().scene();
        assert!(
            scene
                .cables
                .iter()
                .all(|c| c.length.is_finite() && c.length > 0.0)
        );
    }
    settle(&mut window);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("after.json");
    loomwright::scene::file::save(window.state().document().scene(), &path).expect("saved");
    loomwright::scene::file::load(&path).expect("a scene");
}
