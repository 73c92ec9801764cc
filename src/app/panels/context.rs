//! The menu of what is selected, in the view and in the tree alike.

use egui::Ui;

use super::menu::{entry, something_is_hidden};
use super::shortcuts;
use crate::app::action::Action;
use crate::app::choices::{StandardView, ToolKind};
use crate::app::selection::{Selection, Thing};
use crate::scene::{Command, PartRole, Scene};

/// The menu.
pub fn show(ui: &mut Ui, scene: &Scene, selection: &Selection, actions: &mut Vec<Action>) {
    // As wide as its longest entry, not as the name of what is selected is high.
    ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
    let things = selection.things();
    if things.is_empty() {
        entry(
            ui,
            "Fit all",
            Some(shortcuts::FIT),
            true,
            Action::FitAll,
            actions,
        );
        entry(
            ui,
            "Show all",
            Some(shortcuts::SHOW_ALL),
            something_is_hidden(scene),
            Action::ShowAll,
            actions,
        );
        entry(
            ui,
            "Select all",
            Some(shortcuts::SELECT_ALL),
            true,
            Action::SelectAll,
            actions,
        );
        ui.separator();
        ui.menu_button("Standard views", |ui| {
            for view in StandardView::ALL {
                entry(ui, view.name(), None, true, Action::Look(view), actions);
            }
        });
        entry(
            ui,
            "Paste",
            Some(shortcuts::PASTE),
            true,
            Action::Paste,
            actions,
        );
        for (name, action) in [
            ("Perspective or parallel", Action::ToggleProjection),
            ("See-through parts on or off", Action::ToggleSeeThrough),
            ("Section view on or off", Action::ToggleSection),
            ("Keep this view", Action::KeepView),
            ("Command palette", Action::ShowPalette),
        ] {
            entry(ui, name, None, true, action, actions);
        }
        return;
    }
    let one = things.len() == 1;
    let hides = selection.can_hide();
    if let [one] = things {
        ui.weak(one.description(scene).unwrap_or_default());
    } else {
        ui.weak(format!("{} things", things.len()));
    }
    ui.separator();
    let fit = Action::FitSelection;
    entry(
        ui,
        "Fit selection",
        Some(shortcuts::FIT_SELECTION),
        true,
        fit,
        actions,
    );
    entry(
        ui,
        "Hide",
        Some(shortcuts::HIDE),
        hides,
        Action::HideSelected,
        actions,
    );
    let parts: Vec<&str> = (things.iter())
        .filter(|t| matches!(t, Thing::Part(_)))
        .filter_map(|t| t.name(scene))
        .collect();
    if !parts.is_empty() {
        let action = Action::EditAll(parts.iter().map(|part| hide_and_ignore(part)).collect());
        entry(ui, "Hide and ignore", None, true, action, actions);
    }
    entry(
        ui,
        "Isolate",
        Some(shortcuts::ISOLATE),
        true,
        Action::Isolate,
        actions,
    );
    let in_box = Action::BoxSection;
    entry(ui, "Section box around it", None, true, in_box, actions);
    entry(
        ui,
        "Show all",
        Some(shortcuts::SHOW_ALL),
        something_is_hidden(scene),
        Action::ShowAll,
        actions,
    );
    ui.separator();
    if let [Thing::Part(_)] = things {
        let action = Action::Use(ToolKind::FLEXIBILISE);
        let key = shortcuts::tool_shortcut(ToolKind::FLEXIBILISE);
        entry(ui, "Make flexible ...", Some(key), true, action, actions);
    }
    rewiring(ui, scene, things, actions);
    let cables = things.iter().any(|t| matches!(t, Thing::Cable(_)));
    if cables {
        let action = Action::RigidifySelected;
        entry(ui, "Make rigid", None, true, action, actions);
        let export = Action::ShowExport;
        entry(
            ui,
            "Export to CAD ...",
            Some(shortcuts::EXPORT),
            true,
            export,
            actions,
        );
    }
    let copies = {
        let mut all = things.iter();
        all.any(|t| matches!(t, Thing::Cable(_) | Thing::Part(_)))
    };
    let copied = copies || things.iter().any(|t| matches!(t, Thing::Handle(_)));
    let keys = Some(shortcuts::COPY);
    entry(ui, "Copy", keys, copied, Action::Copy, actions);
    let copy = Action::DuplicateSelected(None);
    entry(
        ui,
        "Duplicate",
        Some(shortcuts::DUPLICATE),
        copies,
        copy,
        actions,
    );
    ui.add_enabled_ui(copies, |ui| {
        ui.menu_button("Mirror", |ui| {
            for (axis, name) in ["Across X", "Across Y", "Across Z"].into_iter().enumerate() {
                let action = Action::DuplicateSelected(Some(axis));
                entry(ui, name, None, true, action, actions);
            }
        });
    });
    let rename = Action::RenameSelected;
    entry(ui, "Rename", Some(shortcuts::RENAME), one, rename, actions);
    let delete = Action::DeleteSelected;
    entry(ui, "Delete", Some(shortcuts::DELETE), true, delete, actions);
}

/// What can be done to how cables hang together.
fn rewiring(ui: &mut Ui, scene: &Scene, things: &[Thing], actions: &mut Vec<Action>) {
    if let [Thing::Cable(first), Thing::Cable(second)] = things
        && let (Some(first), Some(second)) = (scene.cables.get(*first), scene.cables.get(*second))
    {
        let merge = Action::Edit(Command::MergeCables {
            first: first.name.clone(),
            second: second.name.clone(),
        });
        entry(ui, "Merge into one cable", None, true, merge, actions);
    }
    if let [Thing::Junction(k)] = things
        && let Some([a, b]) = scene.junctions.get(*k).map(|j| &j.ends[..])
        && a.cable != b.cable
    {
        let merge = Action::Edit(Command::MergeCables {
            first: a.cable.clone(),
            second: b.cable.clone(),
        });
        entry(ui, "Merge the cables here", None, true, merge, actions);
    }
    if let [Thing::Handle(id)] = things
        && let Some(cable) = scene.cables.get(id.cable)
        && let Some(handle) = cable.handles.get(id.handle)
        && (scene.junctions.iter()).any(|j| j.holds(&cable.name, &handle.name))
    {
        let detach = Action::Edit(Command::Detach {
            cable: cable.name.clone(),
            handle: handle.name.clone(),
        });
        entry(ui, "Detach from its junction", None, true, detach, actions);
    }
}

/// A hidden part still collides: this one no longer does.
fn hide_and_ignore(part: &str) -> Command {
    Command::ChangePart {
        part: part.to_owned(),
        visible: Some(false),
        role: Some(PartRole::Background),
        color: None,
        margin: None,
        group: None,
    }
}
