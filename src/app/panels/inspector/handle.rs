//! A handle in the inspector.

use egui::{ComboBox, Ui};

use super::super::shortcuts::COPIED;
use super::field::{self, Number};
use super::spans::arc_length;
use super::title;
use crate::app::action::Action;
use crate::app::angles::Angles;
use crate::app::document::Document;
use crate::app::selection::{HandleId, Thing};
use crate::app::tools::{HANDLE_KINDS, handle_kind, handle_kind_number};
use crate::geom::Pose;
use crate::scene::{Cable, Command, Handle, HandleKind, HandlePlace, flexibilise};

/// What the angles of a handle mean.
const ANGLE_TIPS: [&str; 3] = [
    "Where the fixing points, seen from above: from X towards Y",
    "How far the fixing points above the horizon",
    "Turn about the fixing's own direction",
];

/// The panel of a handle.
pub fn show(ui: &mut Ui, document: &Document, id: HandleId, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let cable = &scene.cables[id.cable];
    let handle = &cable.handles[id.handle];
    let thing = Thing::Handle(id);
    title(ui, &format!("Fixing of {}", cable.name), &handle.name);
    field::grid(ui, "handle", |ui| {
        field::name(ui, &handle.name, actions, |to| {
            thing.rename_command(scene, to)
        });
        show_kind(ui, cable, handle, actions);
        show_place(ui, cable, handle, actions);
        let label = ui.label("Moves with");
        ComboBox::from_id_salt("moves with")
            .width(130.0)
            .selected_text(handle.attached_to.as_deref().unwrap_or("nothing"))
            .show_ui(ui, |ui| {
                let names = scene.parts.iter().map(|p| p.name.as_str());
                for name in std::iter::once("").chain(names) {
                    let shown = if name.is_empty() { "nothing" } else { name };
                    let now = handle.attached_to.as_deref().unwrap_or("");
                    if ui.selectable_label(now == name, shown).clicked() {
                        let attached_to = Some(name.to_owned());
                        actions.push(Action::Edit(change(cable, handle, |c| c.3 = attached_to)));
                    }
                }
            })
            .response
            .labelled_by(label.id)
            .on_hover_text("The part that takes the fixing along when it is moved");
        ui.end_row();
    });
    if handle.reference_changed {
        field::warning(ui, "The part that it is attached to changed, or is gone.");
        let tip = "The fixing is right where it is";
        if ui.button("Confirm place").on_hover_text(tip).clicked() {
            actions.push(Action::Edit(Command::ConfirmReference {
                cable: cable.name.clone(),
                handle: handle.name.clone(),
            }));
        }
    }
    field::heading(ui, "Place");
    field::grid(ui, "pose", |ui| {
        pose_rows(ui, &handle.pose, actions, |pose, position| {
            thing.move_command(scene, pose, position, !position)
        });
        Number {
            label: "Extra twist",
            unit: "",
            range: (-100.0, 100.0),
            speed: 0.02,
            decimals: 0,
            tip: "Turns about its own direction beyond the roll: 2 twists the cable by 720° more.",
        }
        .show(ui, f64::from(handle.turns), actions, |turns| {
            let turns = Some(turns.round() as i32);
            Some(change(cable, handle, |c| c.2 = turns))
        });
    });
    show_held(ui, document, id);
    ui.add_space(8.0);
    ui.horizontal_wrapped(|ui| {
        let copy = ui.button("Copy frame");
        if copy
            .on_hover_text("Puts position and orientation on the clipboard, as seven numbers")
            .clicked()
        {
            ui.ctx().copy_text(frame_text(&handle.pose));
        }
        let delete = ui.button("Delete fixing");
        if delete
            .on_hover_text("The cable is free here then")
            .clicked()
        {
            actions.push(Action::DeleteSelected);
        }
    });
    paste(ui, document, thing, actions);
}

fn show_kind(ui: &mut Ui, cable: &Cable, handle: &Handle, actions: &mut Vec<Action>) {
    let label = ui.label("Holds");
    let now = handle_kind_number(handle.kind);
    ComboBox::from_id_salt("kind")
        .width(130.0)
        .selected_text(HANDLE_KINDS[now].0)
        .show_ui(ui, |ui| {
            for (k, (name, tip)) in HANDLE_KINDS.iter().enumerate() {
                let response = ui.selectable_label(now == k, *name);
                if response.on_hover_text(*tip).clicked() && now != k {
                    let kind = Some(handle_kind(k, cable.length));
                    actions.push(Action::Edit(change(cable, handle, |c| c.1 = kind)));
                }
            }
        })
        .response
        .labelled_by(label.id)
        .on_hover_text(HANDLE_KINDS[now].1);
    ui.end_row();
    let set = |kind| Some(change(cable, handle, |c| c.1 = Some(kind)));
    match handle.kind {
        HandleKind::Spring { stiffness } => Number {
            label: "Stiffness",
            unit: " N/mm",
            range: (1e-6, 1e6),
            speed: 0.01,
            decimals: 3,
            tip: "Force per distance with which the spring pulls",
        }
        .show(ui, stiffness, actions, |stiffness| {
            set(HandleKind::Spring { stiffness })
        }),
        HandleKind::Sliding { min, max } => {
            let limit = |label, tip, range| Number {
                label,
                unit: " mm",
                range,
                speed: 1.0,
                decimals: 1,
                tip,
            };
            let tip = "Smallest arc length of the cable that may sit in the fixing";
            limit("From", tip, (0.0, max)).show(ui, min, actions, |min| {
                set(HandleKind::Sliding { min, max })
            });
            let tip = "Largest arc length of the cable that may sit in the fixing";
            limit("To", tip, (min, cable.length)).show(ui, max, actions, |max| {
                set(HandleKind::Sliding { min, max })
            });
        }
        HandleKind::Full | HandleKind::Direction | HandleKind::Position => {}
    }
}

/// Where along the cable, from either end.
fn show_place(ui: &mut Ui, cable: &Cable, handle: &Handle, actions: &mut Vec<Action>) {
    let s = arc_length(handle.place, cable.length);
    let HandlePlace::At(_) = handle.place else {
        let words = match handle.place {
            HandlePlace::Start => "at the start",
            _ => "at the end",
        };
        field::fact(ui, "Sits", words, "Where along the cable the fixing sits");
        return;
    };
    let number = |label, tip| Number {
        label,
        unit: " mm",
        range: (1e-3, cable.length - 1e-3),
        speed: 1.0,
        decimals: 2,
        tip,
    };
    let at = |s: f64| Some(change(cable, handle, |c| c.0 = Some(HandlePlace::At(s))));
    let tip = "Arc length of the cable between its start and the fixing";
    number("From start", tip).show(ui, s, actions, at);
    let tip = "Arc length of the cable between the fixing and its end";
    number("From end", tip).show(ui, cable.length - s, actions, |from_end| {
        at(cable.length - from_end)
    });
}

/// Rows for a position and the three angles of a direction; `command` gets the new pose, and whether it was moved.
pub fn pose_rows(
    ui: &mut Ui,
    pose: &Pose,
    actions: &mut Vec<Action>,
    command: impl Fn(&Pose, bool) -> Option<Command>,
) {
    for (k, label) in ["X", "Y", "Z"].into_iter().enumerate() {
        Number {
            label,
            unit: " mm",
            range: (-1e9, 1e9),
            speed: 0.5,
            decimals: 2,
            tip: "Target position",
        }
        .show(ui, pose.position[k], actions, |value| {
            let mut pose = *pose;
            pose.position[k] = value;
            command(&pose, true)
        });
    }
    let angles = Angles::of(&pose.rotation);
    for (k, label) in Angles::NAMES.into_iter().enumerate() {
        let mut angles = angles;
        Number {
            label,
            unit: "°",
            range: (-360.0, 360.0),
            speed: 0.5,
            decimals: 1,
            tip: ANGLE_TIPS[k],
        }
        .show(ui, *angles.get(k), actions, |value| {
            *angles.get(k) = value;
            let rotation = angles.rotation();
            command(&Pose { rotation, ..*pose }, false)
        });
    }
}

/// What the handle feels.
fn show_held(ui: &mut Ui, document: &Document, id: HandleId) {
    let cable = &document.scene().cables[id.cable];
    let held = document.handle_report(id.cable, id.handle);
    let Some(held) = held.filter(|_| cable.shape.is_some()) else {
        return;
    };
    field::heading(ui, "On the cable");
    field::grid(ui, "held", |ui| {
        let newton = |v: f64| format!("{v:.3} N");
        let tip = "Force of the fixing on the cable";
        field::fact(ui, "Force", newton(held.force.norm()), tip);
        let tip = "Moment of the fixing on the cable";
        let moment = format!("{:.2} N·mm", held.moment.norm());
        field::fact(ui, "Moment", moment, tip);
        if let Some(remark) = flexibilise::as_designed::remark(cable) {
            field::fact(ui, "Known", "no, as designed".to_owned(), &remark);
        }
        if held.short_by > 1e-3 {
            let tip = "How far it is from its target position";
            field::fact(ui, "Short by", format!("{:.2} mm", held.short_by), tip);
        }
    });
}

/// Position and quaternion as one line.
fn frame_text(pose: &Pose) -> String {
    let (p, q) = (pose.position, pose.rotation.quaternion());
    format!("{} {} {} {} {} {} {}", p.x, p.y, p.z, q.w, q.i, q.j, q.k)
}

/// Seven numbers, or three for the position alone.
fn frame_of(text: &str) -> Option<(Pose, bool)> {
    let numbers = text
        .split(|c: char| c.is_whitespace() || c == ';')
        .filter(|word| !word.is_empty())
        .map(|word| word.trim_end_matches(',').replace(',', ".").parse::<f64>());
    let numbers: Vec<f64> = numbers.collect::<Result<_, _>>().ok()?;
    if !numbers.iter().all(|n| n.is_finite()) {
        return None;
    }
    let mut pose = Pose::identity();
    match numbers[..] {
        [x, y, z] => pose.position = [x, y, z].into(),
        [x, y, z, w, i, j, k] => {
            pose.position = [x, y, z].into();
            pose.rotation = crate::geom::plain::rotation_from([w, i, j, k])?;
        }
        _ => return None,
    }
    Some((pose, numbers.len() == 7))
}

/// A pasted frame moves the handle, unless a text field takes it.
fn paste(ui: &Ui, document: &Document, thing: Thing, actions: &mut Vec<Action>) {
    if ui.ctx().text_edit_focused() {
        return;
    }
    let pasted = ui.input(|i| {
        i.events.iter().find_map(|event| match event {
            egui::Event::Paste(text) if !text.starts_with(COPIED) => Some(text.clone()),
            _ => None,
        })
    });
    let Some(text) = pasted else { return };
    match frame_of(&text) {
        Some((pose, turns)) => {
            let command = thing.move_command(document.scene(), &pose, true, turns);
            actions.extend(command.map(Action::Edit));
        }
        None => actions.push(Action::Complain(
            "A frame to paste has 3 numbers (X Y Z) or 7 (X Y Z and a quaternion w x y z).".into(),
        )),
    }
}

type Changes = (
    Option<HandlePlace>,
    Option<HandleKind>,
    Option<i32>,
    Option<String>,
);

fn change(cable: &Cable, handle: &Handle, fill: impl FnOnce(&mut Changes)) -> Command {
    let mut changes = Changes::default();
    fill(&mut changes);
    let (place, kind, turns, attached_to) = changes;
    Command::ChangeHandle {
        cable: cable.name.clone(),
        handle: handle.name.clone(),
        name: None,
        place,
        kind,
        turns,
        attached_to,
        pose: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Rotation, Vec3};

    #[test]
    fn a_frame_survives_the_clipboard() {
        let pose = Pose {
            position: Vec3::new(1.5, -20.25, 1e3),
            rotation: Rotation::from_euler_angles(0.3, 0.2, -0.9),
        };
        let (again, turns) = frame_of(&frame_text(&pose)).unwrap();
        assert!(turns && again.position == pose.position);
        assert!(again.rotation.angle_to(&pose.rotation) < 1e-12);
        let (place, turns) = frame_of("1,5; -2 3").unwrap();
        assert!(!turns && place.position == Vec3::new(1.5, -2.0, 3.0));
        assert_eq!(frame_of("one two three"), None);
        assert_eq!(frame_of("1 2"), None);
    }
}
