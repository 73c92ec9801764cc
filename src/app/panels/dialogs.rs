//! Small windows over the view: a typed path, and what to do with unsaved changes.

use std::path::PathBuf;

use egui::{Button, Context, Frame, Id, Key, Modal, RichText, TextEdit, Ui};

use crate::app::action::Action;
use crate::app::choices::Purpose;
use crate::app::{files, theme};

/// Room around what is in a dialog, points.
const ROOM: i8 = 16;

/// A window over all others.
pub fn dialog(ctx: &Context, name: &str) -> Modal {
    let frame = Frame::popup(&ctx.global_style()).inner_margin(ROOM);
    Modal::new(Id::unique(name)).frame(frame)
}

/// The button of a dialog that is meant, as a rule: it stands out, and Enter presses it unless something else in the dialog
/// has the keyboard.
pub fn default_button(ui: &mut Ui, words: &str, enabled: bool) -> bool {
    let palette = theme::palette(ui.ctx());
    let button = Button::new(RichText::new(words).color(palette.plate)).fill(palette.accent);
    let pressed = ui.add_enabled(enabled, button).clicked();
    let focused = ui.memory(egui::Memory::focused);
    let focused = focused.and_then(|id| ui.ctx().read_response(id));
    let is_free = focused.is_none_or(|r| r.layer_id != ui.layer_id());
    pressed || (enabled && is_free && ui.input(|i| i.key_pressed(Key::Enter)))
}

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

impl Purpose {
    /// What a file dialog or a field for the path is called.
    pub fn title(&self) -> String {
        match self {
            Self::Open => "Path of a scene (.json) or mesh file to open".into(),
            Self::Save => "Path of the scene file (.json) to save to".into(),
            Self::Replace(part) => format!("Path of the mesh file to take part {part} from"),
            Self::Update => "Path of the mesh file with a new revision of the parts".into(),
            Self::Pack => "Path of the scene file (.json) to pack everything into".into(),
            Self::Screenshot => "Path of the picture (.png) to save to".into(),
            Self::Plot(_) => "Path of the file to save the plot to (.csv or .svg)".into(),
            Self::StudyPath => "Path of the file with key poses and steps (.json or .csv)".into(),
            Self::MotionPath => "Path of the file with poses over time (.json or .csv)".into(),
            Self::SaveStudyPath(_) => "Path of the file (.json) to save the path to".into(),
            Self::Envelopes(_) => {
                "Path of the mesh (.stl or .glb) to save swept envelopes to".into()
            }
            Self::Support => "Path of the archive (.zip) to save for support".into(),
        }
    }

    /// The name and the ending of the files it writes.
    pub fn written(&self) -> (&'static str, &'static str) {
        match self {
            Self::Screenshot => ("Picture", "png"),
            Self::Support => ("Archive", "zip"),
            Self::Plot(_) => ("Numbers or drawing", "csv"),
            Self::StudyPath | Self::MotionPath | Self::SaveStudyPath(_) => ("Path", "json"),
            Self::Envelopes(_) => ("Mesh", "stl"),
            _ => ("Loomwright scene", files::SCENE_EXTENSIONS[0]),
        }
    }

    /// What is to be done with the path.
    pub fn action(self, path: PathBuf) -> Action {
        match self {
            Self::Open => Action::Open(vec![path]),
            Self::Save => Action::SaveTo(path),
            Self::Replace(part) => Action::ReplacePart(part, Some(path)),
            Self::Update => Action::UpdateParts(path),
            Self::Pack => Action::PackTo(path),
            Self::Screenshot => Action::SaveShot(path),
            Self::Support => Action::SaveSupport(path),
            Self::Plot(curve) => Action::SavePlot(curve, path),
            Self::StudyPath => Action::OpenStudyPath(path),
            Self::MotionPath => Action::OpenMotionPath(path),
            Self::SaveStudyPath(made) => Action::SaveStudyPath(made, path),
            Self::Envelopes(source) => Action::SaveEnvelopes(source, path),
        }
    }
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
        let title = purpose.title();
        let verb = match &purpose {
            Purpose::Open | Purpose::StudyPath | Purpose::MotionPath => "Open",
            Purpose::Replace(_) => "Replace",
            Purpose::Update => "Update",
            _ => "Save",
        };
        let mut done = false;
        let modal = dialog(ctx, "typed path").show(ctx, |ui| {
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
                let chosen = default_button(ui, verb, !path.is_empty());
                if (chosen || entered) && !path.is_empty() {
                    actions.push(purpose.action(PathBuf::from(path)));
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
    let modal = dialog(ctx, "unsaved").show(ctx, |ui| {
        ui.set_width(380.0);
        ui.heading("The scene has changes that are not saved");
        ui.label(match leaving {
            Leaving::Quit => "Save them before closing?",
            Leaving::Open => "Save them before opening another scene?",
            Leaving::New => "Save them before beginning a new scene?",
        });
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            if default_button(ui, "Save", true) {
                answer = Some(Answer::Save);
            }
            for (name, value) in [("Discard", Answer::Discard), ("Cancel", Answer::Stay)] {
                if ui.button(name).clicked() {
                    answer = Some(value);
                }
            }
        });
    });
    answer.or(modal.should_close().then_some(Answer::Stay))
}
