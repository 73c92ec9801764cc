//! The menu bar, with the shortcut of every entry, and the shortcuts themselves.

use egui::{Button, Key, KeyboardShortcut, Modifiers, ThemePreference, Ui};

use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::panels::dialogs::Purpose;
use crate::app::viewport::View;
use crate::app::viewport::camera::Projection;
use crate::app::viewport::standard_view::StandardView;

const OPEN: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::O);
const SAVE: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::S);
const SAVE_AS: KeyboardShortcut =
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::S);
const QUIT: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Q);
const UNDO: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Z);
const REDO: KeyboardShortcut =
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::Z);
const REDO_TOO: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::Y);
const FIT: KeyboardShortcut = KeyboardShortcut::new(Modifiers::NONE, Key::F);
const SEE_THROUGH: KeyboardShortcut = KeyboardShortcut::new(Modifiers::NONE, Key::T);
const AXES: KeyboardShortcut = KeyboardShortcut::new(Modifiers::NONE, Key::G);
const PROJECTION: KeyboardShortcut = KeyboardShortcut::new(Modifiers::NONE, Key::P);
const LOOK: [Key; 7] = [
    Key::Num1,
    Key::Num2,
    Key::Num3,
    Key::Num4,
    Key::Num5,
    Key::Num6,
    Key::Num7,
];

/// Reads the shortcuts; not while text is typed.
pub fn shortcuts(ctx: &egui::Context, actions: &mut Vec<Action>) {
    if ctx.text_edit_focused() {
        return;
    }
    ctx.input_mut(|input| {
        // Longer combinations first: a plain one would match them too.
        for (shortcut, action) in [
            (SAVE_AS, Action::SaveAs),
            (REDO, Action::Redo),
            (REDO_TOO, Action::Redo),
            (OPEN, Action::AskOpen),
            (SAVE, Action::Save),
            (QUIT, Action::Quit),
            (UNDO, Action::Undo),
            (FIT, Action::FitAll),
            (PROJECTION, Action::ToggleProjection),
            (SEE_THROUGH, Action::ToggleSeeThrough),
            (AXES, Action::ToggleAxes),
        ] {
            if input.consume_shortcut(&shortcut) {
                actions.push(action);
            }
        }
        for (key, view) in LOOK.into_iter().zip(StandardView::ALL) {
            if input.consume_key(Modifiers::NONE, key) {
                actions.push(Action::Look(view));
            }
        }
    });
}

/// The menu bar.
pub fn show(ui: &mut Ui, document: &Document, view: &View, actions: &mut Vec<Action>) {
    egui::MenuBar::new().ui(ui, |ui| {
        ui.menu_button("File", |ui| {
            entry(ui, "Open ...", Some(OPEN), true, Action::AskOpen, actions);
            let by_path = Action::TypePath(Purpose::Open);
            entry(ui, "Open path ...", None, true, by_path, actions);
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
            ui.separator();
            entry(ui, "Quit", Some(QUIT), true, Action::Quit, actions);
        });
        ui.menu_button("Edit", |ui| {
            let (undo, redo) = (document.can_undo(), document.can_redo());
            entry(ui, "Undo", Some(UNDO), undo, Action::Undo, actions);
            entry(ui, "Redo", Some(REDO), redo, Action::Redo, actions);
        });
        ui.menu_button("View", |ui| {
            entry(ui, "Fit all", Some(FIT), true, Action::FitAll, actions);
            ui.separator();
            for (key, view) in LOOK.into_iter().zip(StandardView::ALL) {
                let shortcut = KeyboardShortcut::new(Modifiers::NONE, key);
                let action = Action::Look(view);
                entry(ui, view.name(), Some(shortcut), true, action, actions);
            }
            ui.separator();
            let name = match view.camera.projection {
                Projection::Perspective => "Orthographic",
                Projection::Orthographic => "Perspective",
            };
            let action = Action::ToggleProjection;
            entry(ui, name, Some(PROJECTION), true, action, actions);
            let name = if view.see_through {
                "Solid parts"
            } else {
                "See-through parts"
            };
            let action = Action::ToggleSeeThrough;
            entry(ui, name, Some(SEE_THROUGH), true, action, actions);
            let name = if view.own_axes {
                "Arrows along X, Y, Z"
            } else {
                "Arrows along the handle"
            };
            entry(ui, name, Some(AXES), true, Action::ToggleAxes, actions);
            ui.separator();
            ui.menu_button("Theme", |ui| show_themes(ui, actions));
        });
    });
}

fn show_themes(ui: &mut Ui, actions: &mut Vec<Action>) {
    let now = ui.ctx().options(|o| o.theme_preference);
    for (name, theme) in [
        ("As the system", ThemePreference::System),
        ("Light", ThemePreference::Light),
        ("Dark", ThemePreference::Dark),
    ] {
        if ui.radio(now == theme, name).clicked() {
            actions.push(Action::UseTheme(theme));
            ui.close();
        }
    }
}

fn entry(
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
