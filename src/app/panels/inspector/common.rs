//! Fields that several things have in common: an edit is one of all of them.

use egui::{Button, ComboBox, Ui};

use super::field::{self, Number};
use crate::app::action::Action;
use crate::app::selection::HandleId;
use crate::app::tools::{HANDLE_KINDS, handle_kind, handle_kind_number};
use crate::scene::{Cable, CableChange, Command, Finish, Part, Scene, material};

/// Colours to choose from: dark ones first, as harnesses have them.
const COLORS: [(&str, [u8; 3]); 7] = [
    ("black", [34, 36, 41]),
    ("grey", [110, 116, 124]),
    ("orange", [217, 105, 36]),
    ("blue", [45, 120, 200]),
    ("green", [54, 147, 90]),
    ("violet", [134, 84, 184]),
    ("yellow", [214, 178, 56]),
];

/// What all of them have, if they all have the same.
fn same<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// A row of colours.
fn colors(ui: &mut Ui, now: Option<[u8; 3]>, mut choose: impl FnMut([u8; 3])) {
    ui.label("Colour");
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for (name, rgb) in COLORS {
            let [r, g, b] = rgb;
            let button = Button::new("")
                .fill(egui::Color32::from_rgb(r, g, b))
                .selected(now == Some(rgb))
                .min_size(egui::vec2(20.0, 18.0));
            let response = ui.add(button).on_hover_text(name);
            response.widget_info(|| {
                egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Colour {name}"))
            });
            if response.clicked() {
                choose(rgb);
            }
        }
    });
    ui.end_row();
}

/// Material, smallest bend radius and colour of several cables.
pub fn cables(ui: &mut Ui, scene: &Scene, cables: &[&Cable], actions: &mut Vec<Action>) {
    if cables.is_empty() {
        return;
    }
    field::grid(ui, "common of cables", |ui| {
        let label = ui.label("Material");
        let now = same(cables.iter().map(|c| c.material.clone())).flatten();
        ComboBox::from_id_salt("common material")
            .width(130.0)
            .selected_text(now.as_deref().unwrap_or("several"))
            .show_ui(ui, |ui| {
                for material in scene.materials.iter().cloned().chain(material::built_in()) {
                    let chosen = now.as_ref() == Some(&material.name);
                    if ui.selectable_label(chosen, &material.name).clicked() {
                        let set = cables.iter().map(|c| Command::SetMaterial {
                            cable: c.name.clone(),
                            material: material.name.clone(),
                        });
                        actions.push(Action::EditAll(set.collect()));
                    }
                }
            })
            .response
            .labelled_by(label.id)
            .on_hover_text("Stiffness, mass and bend limit of all of them");
        ui.end_row();
        let limit = same(cables.iter().map(|c| c.smallest_centerline_radius())).flatten();
        Number {
            label: "Min. bend radius",
            unit: " mm",
            range: (0.0, 1e4),
            speed: 0.5,
            decimals: 1,
            tip: "Smallest bend radius of the centerline of all of them; 0 for no limit",
        }
        .show_all(ui, limit.unwrap_or(0.0), actions, |mm| {
            let change = |c: &&Cable| {
                CableChange {
                    min_bend_radius: Some(mm),
                    ..CableChange::of(&c.name)
                }
                .into()
            };
            cables.iter().map(change).collect()
        });
        colors(ui, same(cables.iter().map(|c| c.color)).flatten(), |rgb| {
            let change = |c: &&Cable| {
                CableChange {
                    color: Some(rgb),
                    ..CableChange::of(&c.name)
                }
                .into()
            };
            actions.push(Action::EditAll(cables.iter().map(change).collect()));
        });
    });
}

/// What several fixings hold.
pub fn handles(ui: &mut Ui, scene: &Scene, handles: &[HandleId], actions: &mut Vec<Action>) {
    let found = |id: &HandleId| {
        let cable = scene.cables.get(id.cable)?;
        Some((cable, cable.handles.get(id.handle)?))
    };
    let all: Vec<_> = handles.iter().filter_map(found).collect();
    if all.is_empty() {
        return;
    }
    field::grid(ui, "common of fixings", |ui| {
        let label = ui.label("Holds");
        let now = same(all.iter().map(|(_, h)| handle_kind_number(h.kind)));
        ComboBox::from_id_salt("common kind")
            .width(130.0)
            .selected_text(now.map_or("several", |k| HANDLE_KINDS[k].0))
            .show_ui(ui, |ui| {
                for (k, (name, tip)) in HANDLE_KINDS.iter().enumerate() {
                    let response = ui.selectable_label(now == Some(k), *name);
                    if response.on_hover_text(*tip).clicked() {
                        let set = all.iter().map(|(cable, handle)| Command::ChangeHandle {
                            cable: cable.name.clone(),
                            handle: handle.name.clone(),
                            name: None,
                            place: None,
                            kind: Some(handle_kind(k, cable.length)),
                            turns: None,
                            attached_to: None,
                            pose: None,
                        });
                        actions.push(Action::EditAll(set.collect()));
                    }
                }
            })
            .response
            .labelled_by(label.id);
        ui.end_row();
    });
}

/// Finish and colour of several parts.
pub fn parts(ui: &mut Ui, parts: &[&Part], actions: &mut Vec<Action>) {
    field::grid(ui, "common of parts", |ui| {
        let label = ui.label("Finish");
        let now = same(parts.iter().map(|p| p.finish));
        let name = now.and_then(|now| Finish::ALL.iter().find(|f| f.0 == now));
        ComboBox::from_id_salt("common finish")
            .width(130.0)
            .selected_text(name.map_or("several", |f| f.1))
            .show_ui(ui, |ui| {
                for (finish, name) in Finish::ALL {
                    if ui.selectable_label(now == Some(finish), name).clicked() {
                        let set = parts.iter().map(|p| Command::SetFinish {
                            part: p.name.clone(),
                            finish,
                        });
                        actions.push(Action::EditAll(set.collect()));
                    }
                }
            })
            .response
            .labelled_by(label.id);
        ui.end_row();
        colors(ui, same(parts.iter().map(|p| p.color)).flatten(), |rgb| {
            let set = parts.iter().map(|p| Command::ChangePart {
                part: p.name.clone(),
                visible: None,
                role: None,
                color: Some(rgb),
                margin: None,
                group: None,
            });
            actions.push(Action::EditAll(set.collect()));
        });
    });
}
