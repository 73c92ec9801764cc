//! Opening, saving, and leaving what is not saved.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use egui::ViewportCommand;

use super::LoomApp;
use crate::app::action::Action;
use crate::app::choices::Purpose;
use crate::app::document::Document;
use crate::app::files::{self, ImportChoice, Opened};
use crate::app::jobs::Done;
use crate::app::lock::SceneLock;
use crate::app::panels::dialogs::{self, Answer, Leaving};
use crate::app::panels::inspector::fit;
use crate::app::panels::messages::Level;
use crate::app::selection::Thing;
use crate::app::support::{self, Bundle};
use crate::scene::{Command, Scene, demo};

/// A picture of the window on its way.
#[derive(Default)]
pub enum Shot {
    /// None was asked for.
    #[default]
    None,
    /// After so many redraws.
    In(u8),
    /// It will be there after the next redraw.
    Asked(Arc<Mutex<Option<Arc<egui::ColorImage>>>>),
    /// It waits for the name of its file.
    Taken(Arc<egui::ColorImage>),
}

/// A scene that was read and waits until the open one may be left.
pub struct Waiting {
    scene: Scene,
    path: Option<PathBuf>,
    /// Name of the demo that it is.
    demo: Option<&'static str>,
    remarks: Vec<String>,
}

impl LoomApp {
    /// Shows a demo scene.
    pub(super) fn open_demo(&mut self, name: &'static str, ctx: &egui::Context) {
        if let Some(scene) = demo::demo(name) {
            let waiting = Waiting {
                scene,
                path: None,
                demo: Some(name),
                remarks: Vec::new(),
            };
            self.take_over_when_saved(waiting, ctx);
        }
    }

    /// Asks first when something is not saved. What cannot be read never gets here, so the question is worth asking.
    fn take_over_when_saved(&mut self, waiting: Waiting, ctx: &egui::Context) {
        if self.document.is_unsaved() {
            self.leaving = Some(Leaving::Open);
            self.waiting = Some(waiting);
        } else {
            self.take_over_waiting(waiting, ctx);
        }
    }

    fn take_over_waiting(&mut self, waiting: Waiting, ctx: &egui::Context) {
        self.take_over(Document::new(waiting.scene, waiting.path), ctx);
        if let Some(name) = waiting.demo {
            self.messages.forget_all();
            self.view.look_along(&crate::app::demo_view(name));
        }
        self.remark(waiting.remarks);
    }

    /// Reads scenes in the background; asks how meshes are to be read.
    pub(super) fn open(&mut self, paths: Vec<PathBuf>) {
        self.messages.forget_all();
        let (meshes, scenes): (Vec<_>, Vec<_>) =
            paths.into_iter().partition(|p| files::holds_parts(p));
        for path in scenes {
            self.jobs.open(path, ImportChoice::default());
        }
        self.import.open(meshes);
    }

    pub(super) fn save(&mut self, path: PathBuf) {
        let path = files::with_extension(path, Purpose::Save.written().1);
        let scene = self.document.scene().clone();
        self.jobs.save(scene, self.document.edit_number(), path);
    }

    /// The suggestion of a file for what is to be written: named after the scene.
    pub(super) fn suggestion(&self, purpose: &Purpose) -> String {
        let stem = self.document.path().and_then(|p| p.file_stem());
        let stem = stem.map_or("scene".into(), |s| s.to_string_lossy());
        let ending = purpose.written().1;
        match purpose {
            Purpose::Pack => format!("{stem}-packed.{ending}"),
            Purpose::Support => format!("{stem}-support.{ending}"),
            _ => format!("{stem}.{ending}"),
        }
    }

    /// Saves scene, log and the last drag.
    pub(super) fn save_support(&mut self, path: PathBuf) {
        let bundle = Bundle {
            scene: self.document.scene().clone(),
            log: self.messages.log().to_vec(),
            last_drag: self.last_drag.clone(),
        };
        let path = files::with_extension(path, Purpose::Support.written().1);
        let write = move |path: &Path| support::save(&bundle, path);
        self.jobs.write("File for support", path, write);
    }

    /// Says that the scene of that file is open here, and warns when it is open elsewhere.
    pub(super) fn lock(&mut self, path: Option<&Path>) {
        self.lock = None;
        let Some(path) = path else { return };
        match SceneLock::take(path) {
            Ok(lock) => self.lock = lock,
            Err(other) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let computer = &other.computer;
                let words = format!(
                    "{name} is already open in another window (process {} on {computer}). Saving here overwrites what is saved there: close one of them, or use Save as.",
                    other.process
                );
                self.messages.push(Level::Warning, words);
            }
        }
    }

    /// A picture that was asked for: waits until the menu has gone, then for the picture, then asks where to.
    pub(super) fn follow_shot(&mut self, ctx: &egui::Context) {
        match &mut self.shot {
            Shot::None | Shot::Taken(_) => {}
            Shot::In(0) => {
                let slot = Arc::new(Mutex::new(None));
                let (theirs, wake) = (slot.clone(), ctx.clone());
                ctx.request_screenshot(move |image| {
                    if let Ok(mut slot) = theirs.lock() {
                        *slot = Some(image);
                    }
                    wake.request_repaint();
                });
                self.shot = Shot::Asked(slot);
            }
            Shot::In(redraws) => {
                *redraws -= 1;
                ctx.request_repaint();
            }
            Shot::Asked(slot) => {
                let image = slot.lock().ok().and_then(|mut slot| slot.take());
                if let Some(image) = image {
                    self.shot = Shot::Taken(image);
                    self.carry_out(Action::AskWrite(Purpose::Screenshot), ctx);
                }
            }
        }
    }

    pub(super) fn save_shot(&mut self, path: PathBuf) {
        if let Shot::Taken(image) = std::mem::take(&mut self.shot) {
            let path = files::with_extension(path, Purpose::Screenshot.written().1);
            let write = move |path: &Path| files::save_picture(&image, path);
            self.jobs.write("Picture", path, write);
        }
    }

    /// Picks up jobs that have ended.
    pub(super) fn read_jobs(&mut self, ctx: &egui::Context) {
        while let Some(done) = self.jobs.poll() {
            match done {
                Done::Chosen(paths) => self.open(paths),
                Done::ChosenFor(purpose, path) => self.carry_out(purpose.action(path), ctx),
                Done::Written(what, path, Ok(())) => {
                    let words = format!("{what} saved: {}", path.display());
                    self.messages.push(Level::Done, words);
                }
                Done::ChosenToExport(path) => self.export.set_path(&path),
                Done::Exported(outcome) => self.export.ended(outcome),
                Done::Extracted(part, found) => {
                    match &found {
                        Some(Ok(graph)) => self.remark_on_centerlines(&part, &graph.warnings),
                        Some(Err(error)) => self.messages.push(Level::Error, error.clone()),
                        None => {}
                    }
                    self.tool.extracted(&part, found.and_then(Result::ok));
                }
                Done::MadeFlexible(command, edit, made) => {
                    self.made_flexible(command, edit, made, ctx);
                }
                Done::Autosaved(Ok(())) => {}
                Done::NoDialog(purpose) => self.carry_out(Action::TypePath(purpose), ctx),
                Done::Opened(path, Ok(opened)) => self.opened(path, opened, ctx),
                Done::Updated(path, Ok(updated)) => self.updated(&path, *updated, ctx),
                Done::Measured(edit, now) => self.drawer.measured(edit, now),
                Done::LengthFound(cable, length, found) => fit::keep(ctx, &cable, length, found),
                Done::Untwisted(cable, edit, pose) => self.untwisted(cable, edit, pose, ctx),
                Done::Studied(edit, found) => {
                    self.drawer.study.ended(&self.document, edit, found);
                    self.study_ended(ctx);
                }
                Done::Estimated(edit, found) => self.estimated(edit, found),
                Done::Swept(envelopes) => self.view.show_swept(&envelopes, ctx),
                Done::Judged(found) => self.drawer.judged(found),
                Done::Reread(part, path, Ok(file)) => {
                    let command = Command::ReplacePart {
                        part,
                        path: Some(path),
                        loaded: Some(file),
                    };
                    self.edit(&command, ctx);
                }
                Done::Saved(path, edit, Ok(())) => {
                    self.remember_file(&path);
                    self.lock(Some(&path));
                    self.document.saved(path, edit);
                    self.autosave.forget();
                    if let Some(leaving) = self.leave_when_saved.take() {
                        self.leave(leaving, ctx);
                    }
                }
                Done::Opened(_, Err(error))
                | Done::Reread(_, _, Err(error))
                | Done::Updated(_, Err(error))
                | Done::Written(_, _, Err(error))
                | Done::Autosaved(Err(error)) => self.messages.push(Level::Error, error),
                Done::Saved(_, _, Err(error)) => {
                    self.leave_when_saved = None;
                    self.messages.push(Level::Error, error);
                }
                Done::Broken(job) => self.messages.push(
                    Level::Error,
                    format!("{job} failed inside the program; the scene is unchanged."),
                ),
            }
        }
    }

    fn opened(&mut self, path: PathBuf, opened: Opened, ctx: &egui::Context) {
        self.remember_file(&path);
        let remarks = match opened {
            Opened::Scene(scene, remarks) => {
                let waiting = Waiting {
                    scene: *scene,
                    path: Some(path),
                    demo: None,
                    remarks,
                };
                return self.take_over_when_saved(waiting, ctx);
            }
            Opened::Parts(import, remarks) => {
                let n_before = self.document.scene().parts.len();
                if !self.add(&format!("Import {}", name_of(&path)), &[*import]) {
                    return self.remark(remarks);
                }
                if !self.document.scene().cables.is_empty() {
                    self.pause("after the import: press Space to let the cables meet it");
                }
                let new = n_before..self.document.scene().parts.len();
                if new.len() == 1 {
                    self.view.selection.set(new.map(Thing::Part).collect());
                }
                self.restart(ctx);
                self.view.fit();
                remarks
            }
            Opened::Routes(found, mut remarks) => {
                let n_before = self.document.scene().cables.len();
                let (addition, missing) =
                    match files::addition(self.document.scene(), &found, &path) {
                        Ok(added) => added,
                        Err(error) => {
                            self.messages.push(Level::Error, error);
                            return self.remark(remarks);
                        }
                    };
                remarks.extend(missing);
                let command = Command::AddHarness(Box::new(addition));
                if !self.add(&format!("Import {}", name_of(&path)), &[command]) {
                    return self.remark(remarks);
                }
                self.pause("after the import: press Space to let the new cables hang");
                let new = n_before..self.document.scene().cables.len();
                self.view.selection.set(new.map(Thing::Cable).collect());
                self.restart(ctx);
                self.view.fit();
                remarks
            }
        };
        self.remark(remarks);
    }

    /// Carries out edits that are one to the user, with one undo point of that title; all of them or none. A message says
    /// why where one cannot be.
    fn add(&mut self, title: &str, commands: &[Command]) -> bool {
        let Some((first, others)) = commands.split_first() else {
            return false;
        };
        let applied = self.document.apply(first).and_then(|()| {
            let mut others = others.iter();
            let amended = others.try_for_each(|command| self.document.amend(command));
            amended.inspect_err(|_| {
                self.document.undo();
            })
        });
        match applied {
            Ok(()) => self.document.retitle(title),
            Err(ref error) => self.messages.push(Level::Error, error.to_string()),
        }
        applied.is_ok()
    }

    /// Connectors and clips of a harness are no cables, and there may be many: one remark is shown, all are logged.
    fn remark_on_centerlines(&mut self, part: &str, remarks: &[impl ToString]) {
        match remarks {
            [] => {}
            [one] => self.messages.push(Level::Warning, one.to_string()),
            several => {
                for remark in several {
                    self.messages.log_only(remark.to_string());
                }
                let words = format!(
                    "{} pieces or places of {part} are not followed as cables; for one, {}. View > Plots, contacts and log lists them all.",
                    several.len(),
                    several[0].to_string()
                );
                self.messages.push(Level::Warning, words);
            }
        }
    }

    fn remark(&mut self, remarks: Vec<String>) {
        for remark in remarks {
            self.messages.push(Level::Warning, remark);
        }
    }

    fn leave(&mut self, leaving: Leaving, ctx: &egui::Context) {
        match leaving {
            Leaving::Quit => {
                self.may_close = true;
                ctx.send_viewport_cmd(ViewportCommand::Close);
            }
            Leaving::New => self.begin_anew(ctx),
            Leaving::Open => {
                if let Some(waiting) = self.waiting.take() {
                    self.take_over_waiting(waiting, ctx);
                }
            }
        }
    }

    /// Closing with unsaved changes asks first.
    pub(super) fn guard_unsaved(&mut self, ctx: &egui::Context, actions: &mut Vec<Action>) {
        let closing = ctx.input(|i| i.viewport().close_requested());
        if closing && self.document.is_unsaved() && !self.may_close {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            self.leaving = Some(Leaving::Quit);
        }
        let Some(leaving) = self.leaving else {
            return;
        };
        let Some(answer) = dialogs::ask_unsaved(ctx, leaving) else {
            return;
        };
        self.leaving = None;
        match answer {
            Answer::Discard => self.leave(leaving, ctx),
            Answer::Save => {
                self.leave_when_saved = Some(leaving);
                actions.push(Action::Save);
            }
            Answer::Stay => self.waiting = None,
        }
    }
}

/// The name of a file for people.
pub(super) fn name_of(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}
