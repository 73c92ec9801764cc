//! Several selected things in the inspector: what can be done with all of them.

use egui::Ui;

use super::part::{ROLES, set_role};
use super::{common, field, title};
use crate::app::action::{Action, Select};
use crate::app::document::Document;
use crate::app::selection::{Selection, Thing};

/// The panel.
pub fn show(ui: &mut Ui, document: &Document, selection: &Selection, actions: &mut Vec<Action>) {
    let (scene, things) = (document.scene(), selection.things());
    let hides = selection.can_hide();
    title(ui, "Selected", &format!("{} things", things.len()));
    let shown = 30;
    for thing in things.iter().take(shown) {
        if let Some(words) = thing.description(scene)
            && ui.link(words).clicked()
        {
            actions.push(Action::Select(Select::Only(vec![*thing])));
        }
    }
    if things.len() > shown {
        ui.weak(format!("and {} more", things.len() - shown));
    }
    let parts: Vec<_> = (things.iter())
        .filter_map(|thing| match thing {
            Thing::Part(k) => scene.parts.get(*k),
            _ => None,
        })
        .collect();
    if !parts.is_empty() {
        field::heading(ui, &format!("Role of the {} parts", parts.len()));
        ui.horizontal_wrapped(|ui| {
            for (role, name, tip) in ROLES {
                let all = parts.iter().all(|p| p.role == role);
                let button = ui.selectable_label(all, name).on_hover_text(tip);
                if button.clicked() && !all {
                    let commands = parts.iter().map(|part| set_role(part, role));
                    actions.push(Action::EditAll(commands.collect()));
                }
            }
        });
        common::parts(ui, &parts, actions);
    }
    let cables: Vec<_> = (things.iter())
        .filter_map(|thing| match thing {
            Thing::Cable(k) => scene.cables.get(*k),
            _ => None,
        })
        .collect();
    if !cables.is_empty() {
        field::heading(ui, &format!("All {} cables", cables.len()));
        common::cables(ui, scene, &cables, actions);
    }
    let handles: Vec<_> = (things.iter())
        .filter_map(|thing| match thing {
            Thing::Handle(id) => Some(*id),
            _ => None,
        })
        .collect();
    if !handles.is_empty() {
        field::heading(ui, &format!("All {} fixings", handles.len()));
        common::handles(ui, scene, &handles, actions);
    }
    ui.add_space(8.0);
    ui.horizontal_wrapped(|ui| {
        for (name, action) in [
            ("Hide", Action::HideSelected),
            ("Isolate", Action::Isolate),
            ("Fit", Action::FitSelection),
            ("Delete", Action::DeleteSelected),
        ] {
            let enabled = hides || action != Action::HideSelected;
            if ui.add_enabled(enabled, egui::Button::new(name)).clicked() {
                actions.push(action);
            }
        }
    });
}
