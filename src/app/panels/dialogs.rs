//! Small windows over the view: a typed path, and what to do with unsaved changes.

use std::path::PathBuf;

use egui::{Id, Key, Modal, TextEdit};

use crate::app::action::Action;

/// What waits for an answer on unsaved changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// The window is to be closed.
    Quit,
    /// Another scene was read and is to take this one's place.
    Open,
    /// An empty scene is to take this one's place.
    New,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Go on without saving.
    Discard,
    /// Save first.
    Save,
    /// Stay.
    Stay,
}

/// What a path is typed for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A file to open.
    Open,
    /// A file to save to.
    Save,
    /// A file to take the mesh of this part from.
    Replace(String),
}

/// The field to type a path into.
#[derive(Default)]
pub struct PathField {
    asked: Option<Purpose>,
    text: String,
    fresh: bool,
}

impl PathField {
    /// Shows it, with a path to begin with.
    pub fn open(&mut self, purpose: Purpose, suggestion: String) {
        self.asked = Some(purpose);
        self.text = suggestion;
        self.fresh = true;
    }

    /// Whether it is shown.
    pub fn is_open(&self) -> bool {
        self.asked.is_some()
    }

    /// The window, while it is open; pushes what was asked for.
    pub fn show(&mut self, ctx: &egui::Context, actions: &mut Vec<Action>) {
        let Some(purpose) = self.asked.clone() else {
            return;
        };
        let (title, verb) = match &purpose {
            Purpose::Open => (
                "Path of a scene (.json) or mesh file to open".to_owned(),
                "Open",
            ),
            Purpose::Save => ("Path of the scene file (.json) to save to".into(), "Save"),
            Purpose::Replace(part) => (
                format!("Path of the mesh file to take part {part} from"),
                "Replace",
            ),
        };
        let mut done = false;
        let modal = Modal::new(Id::unique("typed path")).show(ctx, |ui| {
            ui.set_width(460.0);
            let label = ui.label(title);
            let field = ui
                .add(TextEdit::singleline(&mut self.text).desired_width(f32::INFINITY))
                .labelled_by(label.id);
            if std::mem::take(&mut self.fresh) {
                field.request_focus();
            }
            let entered = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                let path = self.text.trim().trim_matches('"');
                let chosen = ui
                    .add_enabled(!path.is_empty(), egui::Button::new(verb))
                    .clicked();
                if (chosen || entered) && !path.is_empty() {
                    let path = PathBuf::from(path);
                    actions.push(match purpose {
                        Purpose::Open => Action::Open(vec![path]),
                        Purpose::Save => Action::SaveTo(path),
                        Purpose::Replace(part) => Action::ReplacePart(part, Some(path)),
                    });
                    done = true;
                }
                done |= ui.button("Cancel").clicked();
            });
        });
        if done || modal.should_close() {
            self.asked = None;
        }
    }
}

/// Asks what to do with unsaved changes; `None` until answered.
pub fn ask_unsaved(ctx: &egui::Context, leaving: Leaving) -> Option<Answer> {
    let mut answer = None;
    let modal = Modal::new(Id::unique("unsaved")).show(ctx, |ui| {
        ui.set_width(380.0);
        ui.heading("The scene has changes that are not saved");
        ui.label(match leaving {
            Leaving::Quit => "Save them before closing?",
            Leaving::Open => "Save them before opening another scene?",
            Leaving::New => "Save them before beginning a new scene?",
        });
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            for (name, value) in [
                ("Save", Answer::Save),
                ("Discard", Answer::Discard),
                ("Cancel", Answer::Stay),
            ] {
                if ui.button(name).clicked() {
                    answer = Some(value);
                }
            }
        });
    });
    answer.or(modal.should_close().then_some(Answer::Stay))
}
