//! The menu bar, with the shortcut of every entry.

use egui::{Button, KeyboardShortcut, ThemePreference, Ui};

use super::shortcuts::{
    AXES, COPY, DELETE, DUPLICATE, EXPORT, FIT, FIT_SELECTION, HELP, HIDE, ISOLATE, LABELS, LOOK,
    NEW, OPEN, PALETTE, PASTE, PROJECTION, QUIT, REDO, RENAME, RUN, SAVE, SAVE_AS, SCREENSHOT,
    SECTION, SEE_THROUGH, SELECT_ALL, SHOW_ALL, SNAP, UNDO, plain,
};
use crate::app::action::{Action, Pane, Sheet};
use crate::app::choices::{Coloring, Preset, Purpose, Section, StandardView};
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::app::settings::Settings;
use crate::app::tools;
use crate::app::viewport::View;
use crate::app::viewport::camera::Projection;
use crate::scene::{Scene, demo};

/// The menu bar.
pub fn show(
    ui: &mut Ui,
    document: &Document,
    view: &View,
    settings: &Settings,
    actions: &mut Vec<Action>,
) {
    egui::MenuBar::new().ui(ui, |ui| {
        ui.menu_button("File", |ui| file_menu(ui, settings, actions));
        ui.menu_button("Edit", |ui| edit_menu(ui, document, view, actions));
        ui.menu_button("View", |ui| {
            view_menu(ui, document.scene(), view, settings, actions);
        });
        ui.menu_button("Help", |ui| {
            let hints = Action::TogglePane(Pane::Hints);
            let name = if settings.panes.hints {
                "Hide the first steps"
            } else {
                "First steps"
            };
            entry(ui, name, None, true, hints, actions);
            ui.menu_button("Demo scenes", |ui| {
                for name in demo::names() {
                    entry(ui, name, None, true, Action::OpenDemo(name), actions);
                }
            });
            ui.menu_button("Figures of papers", |ui| {
                for name in demo::figures() {
                    entry(ui, name, None, true, Action::OpenDemo(name), actions);
                }
            });
            let palette = Action::ShowPalette;
            entry(ui, "Command palette", Some(PALETTE), true, palette, actions);
            let sheet = Action::Show(Sheet::Shortcuts);
            entry(ui, "Keyboard shortcuts", Some(HELP), true, sheet, actions);
            let about = Action::Show(Sheet::About);
            entry(ui, "About Loomwright", None, true, about, actions);
        });
    });
}

fn file_menu(ui: &mut Ui, settings: &Settings, actions: &mut Vec<Action>) {
    entry(ui, "New", Some(NEW), true, Action::New, actions);
    entry(
        ui,
        "Open or import ...",
        Some(OPEN),
        true,
        Action::AskOpen,
        actions,
    );
    let routes = Action::AskRoutes;
    entry(ui, "Import routes ...", None, true, routes, actions);
    let by_path = Action::TypePath(Purpose::Open);
    entry(ui, "Open path ...", None, true, by_path, actions);
    let update = Action::TypePath(Purpose::Update);
    entry(
        ui,
        "Update parts from file ...",
        None,
        true,
        update,
        actions,
    );
    ui.add_enabled_ui(!settings.recent.is_empty(), |ui| {
        ui.menu_button("Recent", |ui| {
            for path in &settings.recent {
                let name = path.file_name().map(|n| n.to_string_lossy());
                let response = ui.button(name.unwrap_or_default());
                if response.on_hover_text(path.display().to_string()).clicked() {
                    actions.push(Action::Open(vec![path.clone()]));
                    ui.close();
                }
            }
        });
    });
    ui.separator();
    entry(ui, "Save", Some(SAVE), true, Action::Save, actions);
    entry(
        ui,
        "Save as ...",
        Some(SAVE_AS),
        true,
        Action::SaveAs,
        actions,
    );
    let by_path = Action::TypePath(Purpose::Save);
    entry(ui, "Save to path ...", None, true, by_path, actions);
    let pack = Action::AskWrite(Purpose::Pack);
    entry(ui, "Pack into one file ...", None, true, pack, actions);
    ui.separator();
    let export = Action::ShowExport;
    entry(ui, "Export to CAD ...", Some(EXPORT), true, export, actions);
    let shot = Action::Screenshot;
    entry(ui, "Screenshot ...", Some(SCREENSHOT), true, shot, actions);
    let support = Action::AskWrite(Purpose::Support);
    entry(ui, "Save for support ...", None, true, support, actions);
    ui.separator();
    entry(ui, "Quit", Some(QUIT), true, Action::Quit, actions);
}

fn edit_menu(ui: &mut Ui, document: &Document, view: &View, actions: &mut Vec<Action>) {
    let name = |verb: &str, title: Option<&str>| match title {
        Some(title) => format!("{verb}: {title}"),
        None => verb.to_owned(),
    };
    let (undo, redo) = (document.can_undo(), document.can_redo());
    let last = name("Undo", document.undo_titles().next());
    entry(ui, &last, Some(UNDO), undo, Action::Undo, actions);
    let next = name("Redo", document.redo_titles().next());
    entry(ui, &next, Some(REDO), redo, Action::Redo, actions);
    ui.add_enabled_ui(undo || redo, |ui| {
        ui.menu_button("Undo list", |ui| history(ui, document, actions));
    });
    ui.separator();
    let things = view.selection.things();
    let some = !things.is_empty();
    entry(
        ui,
        "Select all",
        Some(SELECT_ALL),
        true,
        Action::SelectAll,
        actions,
    );
    let copies = {
        let mut all = things.iter();
        all.any(|t| matches!(t, Thing::Cable(_) | Thing::Part(_)))
    };
    let copied = copies || things.iter().any(|t| matches!(t, Thing::Handle(_)));
    entry(ui, "Copy", Some(COPY), copied, Action::Copy, actions);
    entry(ui, "Paste", Some(PASTE), true, Action::Paste, actions);
    let copy = Action::DuplicateSelected(None);
    entry(ui, "Duplicate", Some(DUPLICATE), copies, copy, actions);
    ui.add_enabled_ui(copies, |ui| {
        ui.menu_button("Mirror", |ui| {
            for (axis, name) in ["Across X", "Across Y", "Across Z"].into_iter().enumerate() {
                let action = Action::DuplicateSelected(Some(axis));
                entry(ui, name, None, true, action, actions);
            }
        });
    });
    let one = things.len() == 1;
    entry(
        ui,
        "Rename",
        Some(RENAME),
        one,
        Action::RenameSelected,
        actions,
    );
    entry(
        ui,
        "Delete",
        Some(DELETE),
        some,
        Action::DeleteSelected,
        actions,
    );
    ui.separator();
    for row in tools::ALL {
        let key = plain(row.key);
        let action = Action::Use(row.kind);
        entry(ui, row.name, Some(key), true, action, actions);
    }
    ui.separator();
    entry(
        ui,
        "Run or pause",
        Some(RUN),
        true,
        Action::ToggleRun,
        actions,
    );
    let cables = !document.scene().cables.is_empty();
    entry(
        ui,
        "Solve without friction",
        None,
        cables,
        Action::Settle,
        actions,
    );
    let collides = ("Collision detection", !view.ghost);
    toggle(ui, collides, None, cables, Action::ToggleGhost, actions);
}

/// Every change, the last one first: a click goes to the state before it, or after it where it was undone.
fn history(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    egui::ScrollArea::vertical()
        .max_height(400.0)
        .show(ui, |ui| {
            let undone: Vec<_> = document.redo_titles().zip(1..).collect();
            for (title, steps) in undone.into_iter().rev() {
                let title = format!("Redo: {title}");
                entry(ui, &title, None, true, Action::RedoBy(steps), actions);
            }
            if document.can_redo() {
                ui.separator();
            }
            for (title, steps) in document.undo_titles().zip(1..) {
                entry(ui, title, None, true, Action::UndoBy(steps), actions);
            }
        });
}

fn view_menu(
    ui: &mut Ui,
    scene: &Scene,
    view: &View,
    settings: &Settings,
    actions: &mut Vec<Action>,
) {
    let some = !view.selection.is_empty();
    entry(ui, "Fit all", Some(FIT), true, Action::FitAll, actions);
    let fit = Action::FitSelection;
    entry(ui, "Fit selection", Some(FIT_SELECTION), some, fit, actions);
    ui.menu_button("Standard views", |ui| {
        for (key, view) in LOOK.into_iter().zip(StandardView::ALL) {
            let action = Action::Look(view);
            entry(ui, view.name(), Some(plain(key)), true, action, actions);
        }
    });
    ui.separator();
    let hides = view.selection.can_hide();
    entry(ui, "Hide", Some(HIDE), hides, Action::HideSelected, actions);
    entry(ui, "Isolate", Some(ISOLATE), some, Action::Isolate, actions);
    entry(
        ui,
        "Show all",
        Some(SHOW_ALL),
        something_is_hidden(scene),
        Action::ShowAll,
        actions,
    );
    ui.separator();
    let name = match view.camera.projection {
        Projection::Perspective => "Parallel projection",
        Projection::Orthographic => "Perspective projection",
    };
    let action = Action::ToggleProjection;
    entry(ui, name, Some(PROJECTION), true, action, actions);
    let through = ("See-through parts", view.see_through);
    let action = Action::ToggleSeeThrough;
    toggle(ui, through, Some(SEE_THROUGH), true, action, actions);
    let name = if view.own_axes {
        "Arrows along X, Y, Z"
    } else {
        "Arrows along the fixing"
    };
    entry(ui, name, Some(AXES), true, Action::ToggleAxes, actions);
    let parts = !scene.parts.is_empty();
    let is_cut = matches!(view.section(), Some(Section::Plane(_)));
    toggle(
        ui,
        ("Section view", is_cut),
        Some(SECTION),
        parts || is_cut,
        Action::ToggleSection,
        actions,
    );
    let is_box = matches!(view.section(), Some(Section::Box(_)));
    let action = if is_box {
        Action::SetSection(None)
    } else {
        Action::BoxSection
    };
    let in_box = ("Section box", is_box);
    toggle(ui, in_box, None, parts || is_box, action, actions);
    ui.menu_button("Colour cables by", |ui| {
        for coloring in Coloring::ALL {
            if ui
                .radio(view.coloring == coloring, coloring.name())
                .clicked()
            {
                actions.push(Action::ColorBy(coloring));
                ui.close();
            }
        }
    });
    let labels = ("Labels on selected cables", view.pin_labels);
    toggle(
        ui,
        labels,
        Some(LABELS),
        true,
        Action::ToggleLabels,
        actions,
    );
    let snaps = ("Snap while dragging", view.snap);
    toggle(ui, snaps, Some(SNAP), true, Action::ToggleSnap, actions);
    ui.separator();
    for (pane, name, shown) in [
        (Pane::Tree, "Tree", settings.panes.tree),
        (Pane::Inspector, "Inspector", settings.panes.inspector),
        (
            Pane::Drawer,
            "Plots, contacts and log",
            settings.panes.drawer,
        ),
    ] {
        let mut shown = shown;
        if ui.checkbox(&mut shown, name).clicked() {
            actions.push(Action::TogglePane(pane));
            ui.close();
        }
    }
    let study = Action::ShowStudy;
    entry(ui, "Assembly study ...", None, true, study, actions);
    let motion = Action::ShowMotion;
    entry(ui, "Motion over time ...", None, true, motion, actions);
    ui.separator();
    ui.menu_button("Mouse navigation", |ui| {
        for preset in Preset::ALL {
            let response = ui.radio(view.preset == preset, preset.name());
            if response.on_hover_text(preset.hint()).clicked() {
                actions.push(Action::UsePreset(preset));
                ui.close();
            }
        }
    });
    ui.menu_button("Theme", |ui| show_themes(ui, actions));
}

/// Whether "Show all" would show something.
pub fn something_is_hidden(scene: &Scene) -> bool {
    scene.parts.iter().any(|p| !p.visible) || scene.cables.iter().any(|c| !c.visible)
}

fn show_themes(ui: &mut Ui, actions: &mut Vec<Action>) {
    let now = ui.ctx().options(|o| o.theme_preference);
    for (name, theme) in [
        ("Follow system", ThemePreference::System),
        ("Light", ThemePreference::Light),
        ("Dark", ThemePreference::Dark),
    ] {
        if ui.radio(now == theme, name).clicked() {
            actions.push(Action::UseTheme(theme));
            ui.close();
        }
    }
}

/// An entry that is on or off, ticked where it is on.
fn toggle(
    ui: &mut Ui,
    (name, mut on): (&str, bool),
    shortcut: Option<KeyboardShortcut>,
    enabled: bool,
    action: Action,
    actions: &mut Vec<Action>,
) {
    ui.add_enabled_ui(enabled, |ui| {
        let key = shortcut.map(|s| ui.ctx().format_shortcut(&s));
        let mut response = ui.checkbox(&mut on, name);
        if let Some(key) = key {
            response = response.on_hover_text(key);
        }
        if response.clicked() {
            actions.push(action);
            ui.close();
        }
    });
}

/// An entry of a menu.
pub fn entry(
    ui: &mut Ui,
    name: &str,
    shortcut: Option<KeyboardShortcut>,
    enabled: bool,
    action: Action,
    actions: &mut Vec<Action>,
) {
    let mut button = Button::new(name);
    if let Some(shortcut) = shortcut {
        button = button.shortcut_text(ui.ctx().format_shortcut(&shortcut));
    }
    if ui.add_enabled(enabled, button).clicked() {
        actions.push(action);
        ui.close();
    }
}
