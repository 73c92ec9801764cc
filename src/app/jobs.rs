//! Work that takes time (dialogs, files) in threads of its own, so that the window never waits.

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::files::{self, Opened};
use super::panels::dialogs::Purpose;
use crate::mesh::import::{ImportedFile, import_file};
use crate::scene::Scene;

/// No hand cancels a dialog this fast.
const NO_HAND: Duration = Duration::from_millis(250);

/// A job that has ended.
pub enum Done {
    /// The user chose files to open.
    Chosen(Vec<PathBuf>),
    /// The user chose where to save.
    ChosenToSave(PathBuf),
    /// The system has no file dialog; a path must be typed.
    NoDialog(Purpose),
    /// A file was read.
    Opened(PathBuf, Result<Opened, String>),
    /// The new revision of a part was read.
    Reread(String, PathBuf, Result<Arc<ImportedFile>, String>),
    /// A scene was written: path, number of the saved state, outcome.
    Saved(PathBuf, u64, Result<(), String>),
    /// A job broke down; what it was.
    Broken(String),
}

/// The jobs that run.
pub struct Jobs {
    sender: mpsc::Sender<(u64, Option<Done>)>,
    receiver: mpsc::Receiver<(u64, Option<Done>)>,
    running: Vec<(u64, String)>,
    last: u64,
    ctx: egui::Context,
}

impl Jobs {
    /// No jobs yet; a repaint of `ctx` is asked for when one ends.
    pub fn new(ctx: egui::Context) -> Self {
        let (sender, receiver) = mpsc::channel();
        Self {
            sender,
            receiver,
            running: Vec::new(),
            last: 0,
            ctx,
        }
    }

    /// Shows the system's dialog to open files.
    pub fn ask_open(&mut self) {
        self.start("Choosing a file", || {
            let all = [&files::SCENE_EXTENSIONS[..], &files::MESH_EXTENSIONS[..]].concat();
            let dialog = rfd::FileDialog::new()
                .set_title("Open a scene, or add meshes")
                .add_filter("Scenes and meshes", &all)
                .add_filter("All files", &["*"]);
            answered(Purpose::Open, || dialog.pick_files().map(Done::Chosen))
        });
    }

    /// Shows the system's dialog to save a file.
    pub fn ask_save(&mut self, suggestion: String) {
        self.start("Choosing a file", move || {
            let dialog = rfd::FileDialog::new()
                .set_title("Save the scene")
                .add_filter("Loomwright scene", &files::SCENE_EXTENSIONS)
                .set_file_name(suggestion);
            answered(Purpose::Save, || dialog.save_file().map(Done::ChosenToSave))
        });
    }

    /// Reads a file.
    pub fn open(&mut self, path: PathBuf) {
        self.start(&format!("Opening {}", path.display()), move || {
            let result = files::open(&path);
            Some(Done::Opened(path, result))
        });
    }

    /// Reads the new revision of a part.
    pub fn reread(&mut self, part: String, path: PathBuf) {
        self.start(&format!("Reading {}", path.display()), move || {
            let result = import_file(&path).map_err(|e| e.to_string());
            Some(Done::Reread(part, path, result.map(Arc::new)))
        });
    }

    /// Writes a scene; `edit` is the number of its state.
    pub fn save(&mut self, scene: Scene, edit: u64, path: PathBuf) {
        self.start(&format!("Saving {}", path.display()), move || {
            let result = files::save(&scene, &path);
            Some(Done::Saved(path, edit, result))
        });
    }

    /// The next job that has ended, if any.
    pub fn poll(&mut self) -> Option<Done> {
        loop {
            let (number, done) = self.receiver.try_recv().ok()?;
            self.running.retain(|(n, _)| *n != number);
            if done.is_some() {
                return done;
            }
        }
    }

    /// What the newest running job does, in words.
    pub fn running(&self) -> Option<&str> {
        self.running.last().map(|(_, name)| name.as_str())
    }

    fn start(&mut self, name: &str, job: impl FnOnce() -> Option<Done> + Send + 'static) {
        self.last += 1;
        let number = self.last;
        let name = name.to_owned();
        self.running.push((number, name.clone()));
        let (sender, ctx) = (self.sender.clone(), self.ctx.clone());
        std::thread::spawn(move || {
            // A panic of a reader is a message, never a job that runs for ever.
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job))
                .unwrap_or(Some(Done::Broken(name)));
            // No receiver: the window is gone.
            let _ = sender.send((number, done));
            ctx.request_repaint();
        });
    }
}

/// The dialog's answer. One that comes faster than a hand can cancel means that there is no dialog on this system.
fn answered(purpose: Purpose, ask: impl FnOnce() -> Option<Done>) -> Option<Done> {
    let asked = Instant::now();
    ask().or_else(|| (asked.elapsed() < NO_HAND).then_some(Done::NoDialog(purpose)))
}
