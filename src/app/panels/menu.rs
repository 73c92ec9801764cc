//! The menu bar, with the shortcut of every entry, and the shortcuts themselves.

use egui::{Button, Key, KeyboardShortcut, Modifiers, ThemePreference, Ui};

use crate::app::action::{Action, Pane, Sheet};
use crate::app::document::Document;
use crate::app::panels::dialogs::Purpose;
use crate::app::settings::Settings;
use crate::app::tools::ToolKind;
use crate::app::viewport::View;
use crate::app::viewport::camera::Projection;
use crate::app::viewport::navigate::Preset;
use crate::app::viewport::standard_view::StandardView;

const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn command(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn shift_command(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

const NEW: KeyboardShortcut = command(Key::N);
const OPEN: KeyboardShortcut = command(Key::O);
const SAVE: KeyboardShortcut = command(Key::S);
const SAVE_AS: KeyboardShortcut = shift_command(Key::S);
/// Writes routes for CAD.
pub const EXPORT: KeyboardShortcut = command(Key::E);
const QUIT: KeyboardShortcut = command(Key::Q);
const UNDO: KeyboardShortcut = command(Key::Z);
const REDO: KeyboardShortcut = shift_command(Key::Z);
const REDO_TOO: KeyboardShortcut = command(Key::Y);
/// Selects everything.
pub const SELECT_ALL: KeyboardShortcut = command(Key::A);
/// Removes what is selected.
pub const DELETE: KeyboardShortcut = plain(Key::Delete);
/// Renames what is selected.
pub const RENAME: KeyboardShortcut = plain(Key::F2);
/// Shows everything.
pub const SHOW_ALL: KeyboardShortcut = KeyboardShortcut::new(Modifiers::SHIFT, Key::H);
/// Hides what is selected.
pub const HIDE: KeyboardShortcut = plain(Key::H);
/// Hides all else.
pub const ISOLATE: KeyboardShortcut = plain(Key::I);
/// Shows the whole scene.
pub const FIT: KeyboardShortcut = plain(Key::F);
/// Shows what is selected.
pub const FIT_SELECTION: KeyboardShortcut = KeyboardShortcut::new(Modifiers::SHIFT, Key::F);
const SEE_THROUGH: KeyboardShortcut = plain(Key::T);
const AXES: KeyboardShortcut = plain(Key::G);
const PROJECTION: KeyboardShortcut = plain(Key::P);
const RUN: KeyboardShortcut = plain(Key::Space);
const ENTER: KeyboardShortcut = plain(Key::Enter);
const HELP: KeyboardShortcut = plain(Key::F1);
const LOOK: [Key; 7] = [
    Key::Num1,
    Key::Num2,
    Key::Num3,
    Key::Num4,
    Key::Num5,
    Key::Num6,
    Key::Num7,
];

/// The key that takes up a tool.
pub fn tool_key(kind: ToolKind) -> Key {
    match kind {
        ToolKind::Select => Key::S,
        ToolKind::Measure => Key::M,
        ToolKind::Flexibilise => Key::X,
        ToolKind::NewCable => Key::C,
        ToolKind::AddHandle => Key::A,
    }
}

/// The shortcut that takes up a tool.
pub fn tool_shortcut(kind: ToolKind) -> KeyboardShortcut {
    plain(tool_key(kind))
}

/// Every shortcut with what it does: longer combinations first, as a plain one would match them too.
fn all() -> Vec<(KeyboardShortcut, Action)> {
    let mut all = vec![
        (SAVE_AS, Action::SaveAs),
        (REDO, Action::Redo),
        (REDO_TOO, Action::Redo),
        (NEW, Action::New),
        (OPEN, Action::AskOpen),
        (SAVE, Action::Save),
        (EXPORT, Action::ShowExport),
        (QUIT, Action::Quit),
        (UNDO, Action::Undo),
        (SELECT_ALL, Action::SelectAll),
        (SHOW_ALL, Action::ShowAll),
        (FIT_SELECTION, Action::FitSelection),
        (FIT, Action::FitAll),
        (HIDE, Action::HideSelected),
        (ISOLATE, Action::Isolate),
        (DELETE, Action::DeleteSelected),
        (RENAME, Action::RenameSelected),
        (PROJECTION, Action::ToggleProjection),
        (SEE_THROUGH, Action::ToggleSeeThrough),
        (AXES, Action::ToggleAxes),
        (RUN, Action::ToggleRun),
        (ENTER, Action::Enter),
        (HELP, Action::Show(Sheet::Shortcuts)),
    ];
    let tools = ToolKind::ALL.map(|kind| (plain(tool_key(kind)), Action::Use(kind)));
    all.extend(tools);
    let views = LOOK.into_iter().zip(StandardView::ALL);
    all.extend(views.map(|(key, view)| (plain(key), Action::Look(view))));
    all
}

/// Reads the shortcuts; not while text is typed.
pub fn shortcuts(ctx: &egui::Context, actions: &mut Vec<Action>) {
    if ctx.text_edit_focused() || egui::Popup::is_any_open(ctx) {
        return;
    }
    ctx.input_mut(|input| {
        for (shortcut, action) in all() {
            if input.consume_shortcut(&shortcut) {
                actions.push(action);
            }
        }
    });
}

/// What the sheet of shortcuts lists.
pub fn listed(ctx: &egui::Context) -> Vec<(String, String)> {
    let words = |action: &Action| -> String {
        match action {
            Action::New => "New scene".into(),
            Action::AskOpen => "Open or import".into(),
            Action::Save => "Save".into(),
            Action::SaveAs => "Save as".into(),
            Action::ShowExport => "Export to CAD".into(),
            Action::Quit => "Quit".into(),
            Action::Undo => "Undo".into(),
            Action::Redo => "Redo".into(),
            Action::SelectAll => "Select all".into(),
            Action::ShowAll => "Show all".into(),
            Action::HideSelected => "Hide what is selected".into(),
            Action::Isolate => "Isolate: hide all else".into(),
            Action::DeleteSelected => "Delete what is selected".into(),
            Action::RenameSelected => "Rename".into(),
            Action::FitAll => "Fit all".into(),
            Action::FitSelection => "Fit selection".into(),
            Action::ToggleProjection => "Perspective or parallel".into(),
            Action::ToggleSeeThrough => "See-through parts".into(),
            Action::ToggleAxes => "Arrows along X, Y, Z or the handle".into(),
            Action::ToggleRun => "Simulation on or paused".into(),
            Action::Enter => "Carry out what the tool has picked".into(),
            Action::Use(kind) => format!("Tool: {}", kind.name()),
            Action::Look(view) => format!("View: {}", view.name()),
            _ => "This list".into(),
        }
    };
    let mut rows: Vec<(String, String)> = (all().iter())
        .map(|(shortcut, action)| (ctx.format_shortcut(shortcut), words(action)))
        .collect();
    rows.push((
        "Esc".into(),
        "One level back: drag, pick, tool, selection".into(),
    ));
    rows.push(("Tab".into(), "The next thing under the cursor".into()));
    rows.push((
        "Ctrl+click".into(),
        "Adds to the selection, or takes out".into(),
    ));
    rows.push((
        "Ctrl+V".into(),
        "Pastes a frame onto the selected handle".into(),
    ));
    rows
}

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
        ui.menu_button("View", |ui| view_menu(ui, view, settings, actions));
        ui.menu_button("Help", |ui| {
            let hints = Action::TogglePane(Pane::Hints);
            let name = if settings.panes.hints {
                "Hide the first steps"
            } else {
                "First steps"
            };
            entry(ui, name, None, true, hints, actions);
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
    ui.separator();
    let export = Action::ShowExport;
    entry(ui, "Export to CAD ...", Some(EXPORT), true, export, actions);
    ui.separator();
    entry(ui, "Quit", Some(QUIT), true, Action::Quit, actions);
}

fn edit_menu(ui: &mut Ui, document: &Document, view: &View, actions: &mut Vec<Action>) {
    let (undo, redo) = (document.can_undo(), document.can_redo());
    entry(ui, "Undo", Some(UNDO), undo, Action::Undo, actions);
    entry(ui, "Redo", Some(REDO), redo, Action::Redo, actions);
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
    for kind in ToolKind::ALL {
        let key = plain(tool_key(kind));
        entry(ui, kind.name(), Some(key), true, Action::Use(kind), actions);
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
}

fn view_menu(ui: &mut Ui, view: &View, settings: &Settings, actions: &mut Vec<Action>) {
    let some = !view.selection.is_empty();
    entry(ui, "Fit all", Some(FIT), true, Action::FitAll, actions);
    let fit = Action::FitSelection;
    entry(ui, "Fit selection", Some(FIT_SELECTION), some, fit, actions);
    ui.menu_button("Look from", |ui| {
        for (key, view) in LOOK.into_iter().zip(StandardView::ALL) {
            let action = Action::Look(view);
            entry(ui, view.name(), Some(plain(key)), true, action, actions);
        }
    });
    ui.separator();
    entry(ui, "Hide", Some(HIDE), some, Action::HideSelected, actions);
    entry(ui, "Isolate", Some(ISOLATE), some, Action::Isolate, actions);
    entry(
        ui,
        "Show all",
        Some(SHOW_ALL),
        true,
        Action::ShowAll,
        actions,
    );
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
    ui.separator();
    ui.menu_button("Mouse like", |ui| {
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
