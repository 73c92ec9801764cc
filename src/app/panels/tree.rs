//! The left panel: parts with their visibility, cables with their numbers and handles.

use egui::{CollapsingHeader, DragValue, Label, Response, RichText, ScrollArea, Sense, Ui};

use crate::app::action::{Action, HandleId};
use crate::app::angles::Angles;
use crate::app::document::Document;
use crate::app::theme;
use crate::scene::{Cable, Command, Handle, Scene};

/// What the angles of a handle mean.
const ANGLE_TIPS: [&str; 3] = [
    "Where the handle points, seen from above: from X towards Y",
    "How far the handle points above the horizon",
    "Turn about the handle's own direction",
];

/// The panel.
pub fn show(
    ui: &mut Ui,
    document: &Document,
    selected: Option<HandleId>,
    actions: &mut Vec<Action>,
) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.add_space(4.0);
        let scene = document.scene();
        section(ui, "Cables", scene.cables.len(), |ui| {
            for (number, cable) in scene.cables.iter().enumerate() {
                show_cable(ui, number, cable, selected, actions);
            }
        });
        section(ui, "Parts", scene.parts.len(), |ui| {
            show_parts(ui, scene, actions);
        });
    });
}

fn section(ui: &mut Ui, name: &str, count: usize, content: impl FnOnce(&mut Ui)) {
    let title = RichText::new(format!("{name} ({count})")).strong();
    CollapsingHeader::new(title)
        .id_salt(name)
        .default_open(true)
        .show_unindented(ui, content);
    ui.add_space(6.0);
}

fn show_parts(ui: &mut Ui, scene: &Scene, actions: &mut Vec<Action>) {
    let palette = theme::palette(ui.ctx());
    for (number, part) in scene.parts.iter().enumerate() {
        ui.horizontal(|ui| {
            swatch(ui, theme::part(number));
            let mut visible = part.visible;
            if ui
                .checkbox(&mut visible, part.name.as_str())
                .on_hover_text("Shown in the view. A hidden part still stops cables.")
                .changed()
            {
                actions.push(Action::Edit(Command::ChangePart {
                    part: part.name.clone(),
                    visible: Some(visible),
                    role: None,
                    color: None,
                    margin: None,
                    group: None,
                }));
            }
            let n_triangles = thousands(part.mesh().triangles().len());
            let note = RichText::new(format!("{n_triangles} triangles")).small();
            ui.add(Label::new(note.color(palette.weak)).truncate());
        });
    }
}

fn show_cable(
    ui: &mut Ui,
    number: usize,
    cable: &Cable,
    selected: Option<HandleId>,
    actions: &mut Vec<Action>,
) {
    ui.horizontal(|ui| {
        swatch(ui, theme::cable(number));
        ui.add(Label::new(cable.name.as_str()).truncate());
    });
    egui::Grid::new(("cable", number))
        .num_columns(2)
        .spacing([10.0, 4.0])
        .show(ui, |ui| {
            let label = ui.label("   Length");
            let mut length = cable.length;
            let value = DragValue::new(&mut length)
                .speed(1.0)
                .range(1.0..=1e6)
                .max_decimals(1)
                .suffix(" mm");
            let response = ui.add(value).labelled_by(label.id);
            let command = Command::SetLength {
                cable: cable.name.clone(),
                length,
            };
            number_edited(&response, command, actions);
            ui.end_row();
            ui.label("   Diameter");
            ui.label(format!("{:.1} mm", 2.0 * cable.radius));
            ui.end_row();
            for (k, handle) in cable.handles.iter().enumerate() {
                let id = HandleId {
                    cable: number,
                    handle: k,
                };
                show_handle(ui, id, cable, handle, selected == Some(id), actions);
            }
        });
}

/// A handle: click selects it; the place of the selected one can be typed.
fn show_handle(
    ui: &mut Ui,
    id: HandleId,
    cable: &Cable,
    handle: &Handle,
    chosen: bool,
    actions: &mut Vec<Action>,
) {
    let palette = theme::palette(ui.ctx());
    ui.horizontal(|ui| {
        ui.add_space(6.0);
        if ui.selectable_label(chosen, &handle.name).clicked() {
            actions.push(Action::Select(Some(id)));
        }
    });
    let position = handle.pose.position;
    if !chosen {
        let place = format!("{:.1}, {:.1}, {:.1}", position.x, position.y, position.z);
        ui.label(RichText::new(place).color(palette.weak));
        ui.end_row();
        return;
    }
    ui.end_row();
    for (k, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
        let label = ui.horizontal(|ui| {
            ui.add_space(10.0);
            ui.label(RichText::new(axis).color(palette.axes[k]).strong())
        });
        let mut moved = position;
        let value = DragValue::new(&mut moved[k])
            .speed(0.5)
            .max_decimals(2)
            .suffix(" mm");
        let response = ui.add(value).labelled_by(label.inner.id);
        let command = Command::MoveHandle {
            cable: cable.name.clone(),
            handle: handle.name.clone(),
            position: Some(moved.into()),
            rotation: None,
        };
        number_edited(&response, command, actions);
        ui.end_row();
    }
    for (k, name) in Angles::NAMES.into_iter().enumerate() {
        let label = ui.horizontal(|ui| {
            ui.add_space(10.0);
            ui.label(name)
        });
        let mut angles = Angles::of(&handle.pose.rotation);
        let value = DragValue::new(angles.get(k))
            .speed(0.5)
            .max_decimals(1)
            .suffix("°");
        let response = (ui.add(value).labelled_by(label.inner.id)).on_hover_text(ANGLE_TIPS[k]);
        let q = angles.rotation();
        let command = Command::MoveHandle {
            cable: cable.name.clone(),
            handle: handle.name.clone(),
            position: None,
            rotation: Some([q.w, q.i, q.j, q.k]),
        };
        number_edited(&response, command, actions);
        ui.end_row();
    }
}

/// A number that was dragged or typed: one undo point for the whole of it.
fn number_edited(response: &Response, command: Command, actions: &mut Vec<Action>) {
    if response.drag_started() || response.gained_focus() {
        actions.push(Action::BeginGesture);
    }
    if response.changed() {
        actions.push(Action::Edit(command));
    }
    if response.drag_stopped() || response.lost_focus() {
        actions.push(Action::EndGesture);
    }
}

fn swatch(ui: &mut Ui, color: egui::Color32) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(12.0, 12.0), Sense::hover());
    ui.painter().rect_filled(rect, 2.0, color);
}

/// 1234567 as 1 234 567.
fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<_> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(String::from_utf8_lossy)
        .collect();
    groups.join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_grouped() {
        for (n, text) in [(7, "7"), (1000, "1 000"), (1_234_567, "1 234 567")] {
            assert_eq!(super::thousands(n), text);
        }
    }
}
