//! The keyboard: every shortcut with what it does.

use egui::{Key, KeyboardShortcut, Modifiers};

use crate::app::action::{Action, Sheet};
use crate::app::choices::{StandardView, ToolKind};
use crate::app::tools;

pub(super) const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn command(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn shift_command(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

pub(super) const NEW: KeyboardShortcut = command(Key::N);
pub(super) const OPEN: KeyboardShortcut = command(Key::O);
pub(super) const SAVE: KeyboardShortcut = command(Key::S);
pub(super) const SAVE_AS: KeyboardShortcut = shift_command(Key::S);
/// Writes routes for CAD.
pub const EXPORT: KeyboardShortcut = command(Key::E);
pub(super) const SCREENSHOT: KeyboardShortcut = plain(Key::F12);
pub(super) const QUIT: KeyboardShortcut = command(Key::Q);
pub(super) const UNDO: KeyboardShortcut = command(Key::Z);
pub(super) const REDO: KeyboardShortcut = shift_command(Key::Z);
pub(super) const REDO_TOO: KeyboardShortcut = command(Key::Y);
/// Selects everything.
pub const SELECT_ALL: KeyboardShortcut = command(Key::A);
/// Removes what is selected.
pub const DELETE: KeyboardShortcut = plain(Key::Delete);
/// Remembers what is selected.
pub(super) const COPY: KeyboardShortcut = command(Key::C);
/// Adds what was remembered once more.
pub(super) const PASTE: KeyboardShortcut = command(Key::V);
/// Adds copies of what is selected.
pub const DUPLICATE: KeyboardShortcut = command(Key::D);
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
pub(super) const SEE_THROUGH: KeyboardShortcut = plain(Key::T);
pub(super) const AXES: KeyboardShortcut = plain(Key::G);
pub(super) const SNAP: KeyboardShortcut = plain(Key::N);
pub(super) const SECTION: KeyboardShortcut = plain(Key::K);
pub(super) const PROJECTION: KeyboardShortcut = plain(Key::P);
pub(super) const RUN: KeyboardShortcut = plain(Key::Space);
pub(super) const ENTER: KeyboardShortcut = plain(Key::Enter);
pub(super) const TURN: KeyboardShortcut = plain(Key::R);
pub(super) const HELP: KeyboardShortcut = plain(Key::F1);
pub(super) const LABELS: KeyboardShortcut = plain(Key::L);
pub(super) const PALETTE: KeyboardShortcut = command(Key::P);
pub(super) const LOOK: [Key; 7] = [
    Key::Num1,
    Key::Num2,
    Key::Num3,
    Key::Num4,
    Key::Num5,
    Key::Num6,
    Key::Num7,
];

/// How the text begins that the clipboard has after things of a scene were copied.
pub const COPIED: &str = "Copied in Loomwright: ";

/// The shortcut that takes up a tool.
pub fn tool_shortcut(kind: ToolKind) -> KeyboardShortcut {
    plain(tools::row(kind).key)
}

/// Every shortcut with what it does: longer combinations first, as a plain one would match them too.
fn all() -> Vec<(KeyboardShortcut, Action)> {
    let mut all = vec![
        (SAVE_AS, Action::SaveAs),
        (REDO, Action::Redo),
        (NEW, Action::New),
        (OPEN, Action::AskOpen),
        (SAVE, Action::Save),
        (EXPORT, Action::ShowExport),
        (SCREENSHOT, Action::Screenshot),
        (QUIT, Action::Quit),
        (UNDO, Action::Undo),
        (REDO_TOO, Action::Redo),
        (SELECT_ALL, Action::SelectAll),
        (DUPLICATE, Action::DuplicateSelected(None)),
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
        (SNAP, Action::ToggleSnap),
        (SECTION, Action::ToggleSection),
        (RUN, Action::ToggleRun),
        (ENTER, Action::Enter),
        (TURN, Action::Turn),
        (LABELS, Action::ToggleLabels),
        (PALETTE, Action::ShowPalette),
        (HELP, Action::Show(Sheet::Shortcuts)),
    ];
    let tools = tools::ALL.map(|row| (plain(row.key), Action::Use(row.kind)));
    all.extend(tools);
    let views = LOOK.into_iter().zip(StandardView::ALL);
    all.extend(views.map(|(key, view)| (plain(key), Action::Look(view))));
    all
}

/// Reads the shortcuts; not while text is typed.
pub fn read(ctx: &egui::Context, actions: &mut Vec<Action>) {
    if ctx.text_edit_focused() || egui::Popup::is_any_open(ctx) {
        return;
    }
    ctx.input_mut(|input| {
        // The system's keys for both come as events of their own.
        actions.extend(input.events.iter().filter_map(|event| match event {
            egui::Event::Copy => Some(Action::Copy),
            egui::Event::Paste(text) if text.starts_with(COPIED) => Some(Action::Paste),
            _ => None,
        }));
        for (shortcut, action) in all() {
            if input.consume_shortcut(&shortcut) {
                actions.push(action);
            }
        }
    });
}

/// Every action that has a shortcut: its keys, its name, and what it does.
pub fn named(ctx: &egui::Context) -> Vec<(String, String, Action)> {
    let words = |action: &Action| -> String {
        match action {
            Action::New => "New scene".into(),
            Action::AskOpen => "Open or import".into(),
            Action::Save => "Save".into(),
            Action::SaveAs => "Save as".into(),
            Action::ShowExport => "Export to CAD".into(),
            Action::Screenshot => "Picture of the window".into(),
            Action::Quit => "Quit".into(),
            Action::Undo => "Undo".into(),
            Action::Redo => "Redo".into(),
            Action::SelectAll => "Select all".into(),
            Action::DuplicateSelected(_) => "Duplicate selected cables and parts".into(),
            Action::ShowAll => "Show all".into(),
            Action::HideSelected => "Hide what is selected".into(),
            Action::Isolate => "Isolate: hide all else".into(),
            Action::DeleteSelected => "Delete what is selected".into(),
            Action::RenameSelected => "Rename".into(),
            Action::FitAll => "Fit all".into(),
            Action::FitSelection => "Fit selection".into(),
            Action::ToggleProjection => "Perspective or parallel".into(),
            Action::ToggleSeeThrough => "See-through parts".into(),
            Action::ToggleAxes => "Arrows along X, Y, Z or the fixing".into(),
            Action::ToggleSection => "Section view on or off".into(),
            Action::ToggleSnap => "Snap to surfaces, holes and axes, or not".into(),
            Action::ToggleRun => "Simulation on or paused".into(),
            Action::Turn => "Turn the fixing that is placed by 15 degrees".into(),
            Action::Enter => "Carry out what the tool has picked; keep a grabbed cable".into(),
            Action::Use(kind) => format!("Tool: {}", tools::row(*kind).name),
            Action::Look(view) => format!("View: {}", view.name()),
            Action::ToggleLabels => "Labels on selected cables".into(),
            Action::ShowPalette => "Command palette: every action by name".into(),
            _ => "Keyboard shortcuts".into(),
        }
    };
    let mut named: Vec<(String, String, Action)> = Vec::new();
    for (shortcut, action) in in_order(all()) {
        let keys = ctx.format_shortcut(&shortcut);
        match named.iter_mut().find(|(.., known)| *known == action) {
            Some((known, ..)) => *known = format!("{known}, {keys}"),
            None => named.push((keys, words(&action), action)),
        }
    }
    named
}

/// What Shift makes of a key comes after what the key is without it; it is read before that.
fn in_order(mut all: Vec<(KeyboardShortcut, Action)>) -> Vec<(KeyboardShortcut, Action)> {
    let known: Vec<KeyboardShortcut> = all.iter().map(|(shortcut, _)| *shortcut).collect();
    all.sort_by_key(|(shortcut, _)| {
        let mut plain = *shortcut;
        plain.modifiers.shift = false;
        let place = |of: &KeyboardShortcut| known.iter().position(|k| k == of);
        let place = place(&plain).or_else(|| place(shortcut));
        (place, shortcut.modifiers.shift)
    });
    all
}

/// What an action is about, for the sheet.
fn topic(action: &Action) -> Topic {
    match action {
        Action::New
        | Action::AskOpen
        | Action::Save
        | Action::SaveAs
        | Action::ShowExport
        | Action::Screenshot
        | Action::Quit => Topic::File,
        Action::FitAll
        | Action::FitSelection
        | Action::ToggleProjection
        | Action::ToggleSeeThrough
        | Action::ToggleSection
        | Action::ToggleLabels
        | Action::ShowAll
        | Action::HideSelected
        | Action::Isolate
        | Action::Look(_) => Topic::View,
        Action::Use(_) | Action::Turn | Action::Enter | Action::ToggleAxes | Action::ToggleSnap => {
            Topic::Tools
        }
        Action::ShowPalette | Action::Show(_) => Topic::Help,
        _ => Topic::Edit,
    }
}

/// A group of the sheet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Topic {
    File,
    Edit,
    View,
    Tools,
    Help,
}

impl Topic {
    /// Its name, and what belongs to it without being an action of its own.
    fn words(self) -> (&'static str, &'static [(&'static str, &'static str)]) {
        match self {
            Self::File => ("File", &[]),
            Self::Edit => (
                "Edit and select",
                &[
                    ("Esc", "One level back: drag, pick, tool, selection"),
                    ("Tab", "The next thing under the cursor"),
                    ("Ctrl+click", "Adds to the selection, or takes out"),
                    ("Ctrl+C", "Copies cables, parts and fixings"),
                    (
                        "Ctrl+V",
                        "Pastes them; a frame, as text, goes onto the selected fixing",
                    ),
                ],
            ),
            Self::View => (
                "View",
                &[
                    ("Middle double click", "Fit all"),
                    ("Left double click", "The inspector of what is there"),
                ],
            ),
            Self::Tools => (
                "Tools and dragging",
                &[(
                    "Ctrl while dragging",
                    "Snaps to surfaces and holes; with Shift to the axes of cylinders",
                )],
            ),
            Self::Help => ("Help", &[]),
        }
    }
}

/// A group of the sheet: its name, and keys with what they do.
pub type Group = (&'static str, Vec<(String, String)>);

/// What the sheet of shortcuts lists, in groups.
pub fn listed(ctx: &egui::Context) -> Vec<Group> {
    let named = named(ctx);
    let group = |topic: Topic| {
        let (name, more) = topic.words();
        let own = named
            .iter()
            .filter(|(_, _, action)| self::topic(action) == topic);
        let own = own.map(|(keys, name, _)| (keys.clone(), name.clone()));
        let more = more
            .iter()
            .map(|(keys, words)| ((*keys).into(), (*words).into()));
        (name, own.chain(more).collect())
    };
    [
        Topic::File,
        Topic::Edit,
        Topic::View,
        Topic::Tools,
        Topic::Help,
    ]
    .map(group)
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shortcut_is_in_one_group_of_the_sheet() {
        let ctx = egui::Context::default();
        let groups = listed(&ctx);
        for (keys, name, _) in named(&ctx) {
            let row = (keys, name);
            let found = groups
                .iter()
                .filter(|(_, rows)| rows.contains(&row))
                .count();
            assert_eq!(found, 1, "{row:?}");
        }
        assert!(groups.iter().all(|(_, rows)| !rows.is_empty()));
    }
}
