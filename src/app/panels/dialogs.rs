//! Small windows over the view: a typed path, and what to do with unsaved changes.

use std::path::PathBuf;

use egui::{Id, Key, Modal, TextEdit};

use crate::app::action::Action;

/// What waits for an answer on unsaved changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaving {
    /// The window is to be closed.
    Quit,
    /// Another scene is to be opened.
    Open(PathBuf),
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

/// The field to type a path into.
#[derive(Default)]
pub struct PathField {
    text: Option<String>,
    fresh: bool,
}

impl PathField {
    /// Shows it.
    pub fn open(&mut self) {
        self.text.get_or_insert_default();
        self.fresh = true;
    }

    /// The window, while it is open.
    pub fn show(&mut self, ctx: &egui::Context, actions: &mut Vec<Action>) {
        let Some(text) = &mut self.text else { return };
        let mut done = false;
        let modal = Modal::new(Id::unique("open path")).show(ctx, |ui| {
            ui.set_width(460.0);
            let label = ui.label("Path of a scene (.json) or mesh (.stl, .obj)");
            let field = ui
                .add(TextEdit::singleline(text).desired_width(f32::INFINITY))
                .labelled_by(label.id);
            if std::mem::take(&mut self.fresh) {
                field.request_focus();
            }
            let entered = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                if ui.button("Open").clicked() || entered {
                    let path = text.trim().trim_matches('"');
                    if !path.is_empty() {
                        actions.push(Action::Open(vec![PathBuf::from(path)]));
                        done = true;
                    }
                }
                done |= ui.button("Cancel").clicked();
            });
        });
        if done || modal.should_close() {
            self.text = None;
        }
    }
}

/// Asks what to do with unsaved changes; `None` until answered.
pub fn ask_unsaved(ctx: &egui::Context, leaving: &Leaving) -> Option<Answer> {
    let mut answer = None;
    let modal = Modal::new(Id::unique("unsaved")).show(ctx, |ui| {
        ui.set_width(380.0);
        ui.heading("The scene has changes that are not saved");
        ui.label(match leaving {
            Leaving::Quit => "Save them before closing?",
            Leaving::Open(_) => "Save them before opening another scene?",
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
