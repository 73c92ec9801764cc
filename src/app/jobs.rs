//! Work that takes time (dialogs, files, extraction) in threads of its own, so that the window never waits.

use std::path::PathBuf;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::choices::{ExportOrder, Purpose};
use super::files::{self, ImportChoice, Opened, SavedAs};
use crate::centerline::{self, CenterlineGraph};
use crate::exchange::{ExportReport, Format};
use crate::geom::Pose;
use crate::mesh::import::{ImportOptions, ImportedFile, Importer};
use crate::progress::{CancelToken, Progress};
use crate::scene::findings::{Finding, judge};
use crate::scene::refine::{self, Estimate};
use crate::scene::shortest::{LengthProposal, ROUND_TO, shortest_length};
use crate::scene::study::{Envelope, Study, StudyPath, study};
use crate::scene::update::{self, CableNumbers, PartFate, PartUpdate, numbers};
use crate::scene::{CableReport, Command, Part, Scene, Simulation, hose};

/// No hand cancels a dialog this fast.
const NO_HAND: Duration = Duration::from_millis(250);
/// How often the picture of a running job is renewed.
const TICK: Duration = Duration::from_millis(120);

/// A job that has ended.
pub enum Done {
    /// The user chose files to open.
    Chosen(Vec<PathBuf>),
    /// The user chose a file for something.
    ChosenFor(Purpose, PathBuf),
    /// The user chose where to export to.
    ChosenToExport(PathBuf),
    /// The system has no file dialog; a path must be typed.
    NoDialog(Purpose),
    /// A file was read.
    Opened(PathBuf, Result<Opened, String>),
    /// The new revision of a part was read.
    Reread(String, PathBuf, Result<Arc<ImportedFile>, String>),
    /// A new revision of all parts was read and taken into a copy of the scene.
    Updated(PathBuf, Result<Box<Updated>, String>),
    /// The cables were measured, after a new revision of the parts: the number of the scene's state, and what was found.
    Measured(u64, Result<Measured, String>),
    /// The shortest length of a cable was looked for: its name, the length that it had, what was found.
    LengthFound(String, f64, Result<Box<LengthProposal>, String>),
    /// The end of a cable was turned on a copy of the scene of that number: its name, and how the end stands then.
    Untwisted(String, u64, Result<Pose, String>),
    /// The scene was judged.
    Judged(Result<Vec<Finding>, String>),
    /// A scene was written: path, number of the saved state, outcome.
    Saved(PathBuf, u64, Result<(), String>),
    /// Something else was written: what, where, outcome.
    Written(&'static str, PathBuf, Result<(), String>),
    /// A scene was written aside, in case the program ends by accident.
    Autosaved(Result<(), String>),
    /// Routes were written and read back.
    Exported(Result<ExportReport, String>),
    /// The centerlines in the mesh of a part were looked for; `None` where the user stopped it.
    Extracted(String, Option<Result<Arc<CenterlineGraph>, String>>),
    /// The scene with something made flexible, the edit that did it, and the number of the state it started from.
    MadeFlexible(Box<Command>, u64, Result<Box<Scene>, String>),
    /// A path was played from the scene's state of that number.
    Studied(u64, Result<Box<Study>, String>),
    /// Error bars were found for the scene's state of that number.
    Estimated(u64, Vec<Estimate>),
    /// The room that the cables sweep was found.
    Swept(Vec<Envelope>),
    /// A job broke down; what it was.
    Broken(String),
}

/// What came of a new revision of the parts.
pub struct Updated {
    /// The edit that takes it.
    pub command: Command,
    /// Number of the state that it started from.
    pub edit: u64,
    /// The scene with it.
    pub made: Scene,
    /// What became of each part.
    pub parts: Vec<PartRow>,
    /// The cables before it.
    pub before: Vec<CableNumbers>,
}

/// What became of a part.
#[derive(Debug)]
pub struct PartRow {
    /// Whether it moved, changed, or is gone.
    pub fate: PartFate,
    /// Its name in the scene before, and in the file.
    pub names: [Option<String>; 2],
    /// Whether the file has another name for it.
    pub renamed: bool,
    /// All of it, in words.
    pub words: String,
}

impl PartRow {
    /// That of a part of the scene before the update.
    pub fn new(update: &PartUpdate, before: &Scene) -> Self {
        Self {
            fate: update.fate,
            names: [Some(update.part.clone()), update.in_file.clone()],
            renamed: update.is_renamed(before),
            words: update.words(before),
        }
    }

    /// Its number in the scene now.
    pub fn number(&self, scene: &Scene) -> Option<usize> {
        let mut names = self.names.iter().flatten();
        names.find_map(|name| scene.parts.iter().position(|p| p.name == *name))
    }
}

/// The cables after a new revision of the parts, and what is wrong with the scene.
#[derive(Debug)]
pub struct Measured {
    /// Of each cable.
    pub cables: Vec<CableNumbers>,
    /// What is wrong, the worst first.
    pub findings: Vec<Finding>,
}

/// A job on its way.
struct Running {
    number: u64,
    name: String,
    progress: Option<Progress>,
}

/// The jobs that run.
pub struct Jobs {
    sender: mpsc::Sender<(u64, Option<Done>)>,
    receiver: mpsc::Receiver<(u64, Option<Done>)>,
    running: Vec<Running>,
    last: u64,
    /// Of the last export, which shows it in a dialog of its own.
    exporting: Progress,
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
            exporting: Progress::default(),
            ctx,
        }
    }

    /// Shows the system's dialog to open files.
    pub fn ask_open(&mut self) {
        self.start("Choosing a file", None, || {
            let all = [&files::SCENE_EXTENSIONS[..], &files::mesh_extensions()[..]].concat();
            let dialog = rfd::FileDialog::new()
                .set_title("Open a scene, or import meshes")
                .add_filter("Scenes and meshes", &all)
                .add_filter("All files", &["*"]);
            answered(Purpose::Open, || dialog.pick_files().map(Done::Chosen))
        });
    }

    /// Shows the system's dialog to choose files of routes.
    pub fn ask_routes(&mut self) {
        self.start("Choosing a file", None, || {
            let dialog = rfd::FileDialog::new()
                .set_title("Import routes as cables")
                .add_filter("Curves and point lists", &files::route_extensions())
                .add_filter("All files", &["*"]);
            answered(Purpose::Open, || dialog.pick_files().map(Done::Chosen))
        });
    }

    /// Shows the system's dialog to read a file that is no scene.
    pub fn ask_read(&mut self, purpose: Purpose) {
        self.start("Choosing a file", None, move || {
            let dialog = rfd::FileDialog::new()
                .set_title(purpose.title())
                .add_filter("Paths", &["json", "csv"])
                .add_filter("All files", &["*"]);
            let for_what = purpose.clone();
            answered(purpose, || {
                let chosen = dialog.pick_file();
                chosen.map(|path| Done::ChosenFor(for_what, path))
            })
        });
    }

    /// Shows the system's dialog to write a file.
    pub fn ask_write(&mut self, purpose: Purpose, suggestion: String) {
        self.start("Choosing a file", None, move || {
            let (name, ending) = purpose.written();
            let dialog = rfd::FileDialog::new()
                .set_title(purpose.title())
                .add_filter(name, &[ending])
                .set_file_name(suggestion);
            let for_what = purpose.clone();
            answered(purpose, || {
                let chosen = dialog.save_file();
                chosen.map(|path| Done::ChosenFor(for_what, path))
            })
        });
    }

    /// Writes something that is not the document itself; `what` is what it is, in words.
    pub fn write(
        &mut self,
        what: &'static str,
        path: PathBuf,
        write: impl FnOnce(&std::path::Path) -> Result<(), String> + Send + 'static,
    ) {
        self.start(&format!("Saving {}", short(&path)), None, move || {
            let result = write(&path);
            Some(Done::Written(what, path, result))
        });
    }

    /// Shows the system's dialog to choose where an export goes.
    pub fn ask_export(&mut self, suggestion: String, format: Format) {
        self.start("Choosing a file", None, move || {
            rfd::FileDialog::new()
                .set_title("Export routes")
                .add_filter(format.title(), &[format.extension()])
                .set_file_name(suggestion)
                .save_file()
                .map(Done::ChosenToExport)
        });
    }

    /// Reads a file.
    pub fn open(&mut self, path: PathBuf, choice: ImportChoice) {
        let progress = Progress::default();
        let name = format!("Opening {}", short(&path));
        self.start(&name, Some(progress.clone()), move || {
            let result = files::open(&path, &choice, &progress);
            Some(Done::Opened(path, result))
        });
    }

    /// Reads the new revision of a part.
    pub fn reread(&mut self, part: String, path: PathBuf, options: ImportOptions) {
        let progress = Progress::default();
        let name = format!("Reading {}", short(&path));
        self.start(&name, Some(progress.clone()), move || {
            let importer = Importer { options, progress };
            let result = importer.file(&path).map_err(|e| e.to_string());
            Some(Done::Reread(part, path, result.map(Arc::new)))
        });
    }

    /// Reads a new revision of the parts and takes it into a copy of the scene; `edit` is the number of its state.
    pub fn update_parts(&mut self, scene: Scene, edit: u64, path: PathBuf) {
        let progress = Progress::default();
        let name = format!("Updating parts from {}", short(&path));
        self.start(&name, Some(progress.clone()), move || {
            let made = updated(scene, edit, &path, &progress);
            // Who stopped it does not want what came of it.
            progress.at("", 1.0).ok()?;
            Some(Done::Updated(path, made))
        });
    }

    /// Measures and judges the cables as they are; `edit` is the number of the scene's state.
    pub fn measure(&mut self, scene: Scene, edit: u64, reports: Vec<Arc<CableReport>>) {
        self.start_once("Measuring the cables", None, move || {
            let measured = Simulation::new(scene).map(|s| Measured {
                cables: numbers(&s),
                findings: judge(&s, &reports),
            });
            Some(Done::Measured(edit, measured.map_err(|e| e.to_string())))
        });
    }

    /// Looks for the shortest length of a cable.
    pub fn find_length(&mut self, scene: Scene, cable: String) {
        let progress = Progress::default();
        let name = format!("Looking for the shortest length of {cable}");
        self.start_once(&name, Some(progress.clone()), move || {
            let length = scene.cable(&cable)?.seat_to_seat();
            progress.at("trying lengths", 0.5).ok()?;
            let found = shortest_length(&scene, &cable, ROUND_TO, progress.token());
            let found = match progress.at("", 1.0) {
                Ok(()) => found.map(Box::new).map_err(|e| e.to_string()),
                Err(_) => Err("Stopped: no length was found.".to_owned()),
            };
            Some(Done::LengthFound(cable, length, found))
        });
    }

    /// Looks for the pose of a cable's end in which the cable is not twisted; `edit` is the number of the scene's state.
    pub fn untwist(&mut self, scene: Scene, edit: u64, cable: String) {
        let progress = Progress::default();
        let name = format!("Taking the twist out of {cable}");
        self.start_once(&name, Some(progress.clone()), move || {
            progress.at("turning its end", 0.5).ok()?;
            let pose = hose::untwisted_end(&scene, &cable, progress.token());
            progress.at("", 1.0).ok()?;
            Some(Done::Untwisted(
                cable,
                edit,
                pose.map_err(|e| e.to_string()),
            ))
        });
    }

    /// Judges a scene with the reports of its last solve.
    pub fn judge(&mut self, scene: Scene, reports: Vec<Arc<CableReport>>) {
        self.start_once("Checking", None, move || {
            let judged = Simulation::new(scene).map(|s| judge(&s, &reports));
            Some(Done::Judged(judged.map_err(|e| e.to_string())))
        });
    }

    /// Plays a path with the scene, which `returns` bring to its installed state; `edit` is the number of the scene's state.
    pub fn study(
        &mut self,
        mut scene: Scene,
        edit: u64,
        (path, step): (StudyPath, f64),
        returns: Vec<Command>,
    ) {
        let progress = Progress::default();
        self.start_once("Assembly study", Some(progress.clone()), move || {
            let found = (returns.iter())
                .try_for_each(|command| command.apply(&mut scene))
                .map_err(|e| e.to_string())
                .and_then(|()| path.checked(&scene).map_err(|e| e.to_string()))
                .and_then(|path| study(&scene, &path, step, &progress).map_err(|e| e.to_string()));
            Some(Done::Studied(edit, found.map(Box::new)))
        });
    }

    /// Finds the error bars of all cables, with the second model; `edit` is the number of the scene's state.
    pub fn estimate(&mut self, scene: Scene, edit: u64, reports: Vec<Arc<CableReport>>) {
        self.start_once("Estimating errors", None, move || {
            let found = refine::verify(&scene, &reports, true, &CancelToken::default());
            // Who only rests the mouse has not asked for a message.
            Some(Done::Estimated(edit, found.unwrap_or_default()))
        });
    }

    /// Finds the room that cables sweep.
    pub fn sweep(&mut self, find: impl FnOnce() -> Vec<Envelope> + Send + 'static) {
        self.start_once("Finding swept envelopes", None, move || {
            Some(Done::Swept(find()))
        });
    }

    /// Writes a scene; `edit` is the number of its state.
    pub fn save(&mut self, scene: Scene, edit: u64, path: PathBuf) {
        self.start(&format!("Saving {}", short(&path)), None, move || {
            let result = files::save(&scene, &path);
            Some(Done::Saved(path, edit, result))
        });
    }

    /// Writes a scene aside.
    pub fn autosave(&mut self, write: impl FnOnce() -> Result<(), String> + Send + 'static) {
        self.start("Saving aside", None, move || Some(Done::Autosaved(write())));
    }

    /// Solves the named cables finely, writes their routes and reads them back.
    pub fn export(&mut self, scene: Scene, saved_as: Option<SavedAs>, order: ExportOrder) {
        let name = format!("Exporting {}", short(&order.path));
        let progress = Progress::default();
        self.exporting = progress.clone();
        self.start(&name, Some(progress.clone()), move || {
            let result = files::export_routes(&scene, order, saved_as, &progress);
            Some(Done::Exported(result))
        });
    }

    /// Looks for centerlines in a part, with the user's corrections.
    pub fn extract(&mut self, part: &Part) {
        let (mesh, corrections) = (part.mesh().clone(), part.corrections_in_world());
        let part = part.name.clone();
        let progress = Progress::default();
        let name = format!("Looking for cables in {part}");
        self.start(&name, Some(progress.clone()), move || {
            let go_on = |share: f64| progress.at("following the surface", share).is_ok();
            let found = centerline::extract_corrected(&mesh, &corrections, &go_on);
            let found = match found {
                // The user asked for it, and knows.
                Err(centerline::ExtractError::Cancelled) => None,
                other => Some(other.map_err(|e| e.to_string())),
            };
            Some(Done::Extracted(part, found))
        });
    }

    /// Carries out an edit that cuts meshes on a copy of the scene; `edit` is the number of its state.
    pub fn make_flexible(&mut self, mut scene: Scene, edit: u64, command: Box<Command>) {
        let progress = Progress::default();
        self.start_once(&command.title(), Some(progress.clone()), move || {
            progress.at("cutting the mesh", 0.3).ok()?;
            let made = command.apply(&mut scene);
            // Who stopped it does not want what came of it.
            progress.at("", 1.0).ok()?;
            let made = made.map(|()| Box::new(scene)).map_err(|e| e.to_string());
            Some(Done::MadeFlexible(command, edit, made))
        });
    }

    /// The next job that has ended, if any.
    pub fn poll(&mut self) -> Option<Done> {
        loop {
            let (number, done) = self.receiver.try_recv().ok()?;
            self.running.retain(|job| job.number != number);
            if done.is_some() {
                return done;
            }
        }
    }

    /// How far the last export is, and the way to stop it.
    pub fn exporting(&self) -> &Progress {
        &self.exporting
    }

    /// What the newest running job does, in words.
    pub fn running(&self) -> Option<&str> {
        self.running.last().map(|job| job.name.as_str())
    }

    /// Bars for the jobs that tell how far they are, with a way to stop them.
    pub fn show(&self, ctx: &egui::Context, view: egui::Rect) {
        let mut jobs = (self.running.iter())
            .filter_map(|job| Some((job, job.progress.as_ref()?)))
            .peekable();
        if jobs.peek().is_none() {
            return;
        }
        ctx.request_repaint_after(TICK);
        egui::Area::new(egui::Id::unique("jobs"))
            .pivot(egui::Align2::CENTER_BOTTOM)
            .fixed_pos(view.center_bottom() - egui::vec2(0.0, 12.0))
            .show(ctx, |ui| {
                for (job, progress) in jobs {
                    egui::Frame::popup(ui.style()).show(ui, |ui| {
                        ui.horizontal(|ui| {
                            let standing = progress.standing();
                            let words = format!("{}: {}", job.name, standing.phase);
                            let bar = egui::ProgressBar::new(standing.fraction as f32);
                            ui.add(bar.desired_width(260.0).text(words));
                            if ui.button("Stop").clicked() {
                                progress.cancel();
                            }
                        });
                    });
                }
            });
    }

    /// Starts a job unless one of that name runs.
    fn start_once(
        &mut self,
        name: &str,
        progress: Option<Progress>,
        job: impl FnOnce() -> Option<Done> + Send + 'static,
    ) {
        if !self.running.iter().any(|job| job.name == name) {
            self.start(name, progress, job);
        }
    }

    fn start(
        &mut self,
        name: &str,
        progress: Option<Progress>,
        job: impl FnOnce() -> Option<Done> + Send + 'static,
    ) {
        self.last += 1;
        let number = self.last;
        let name = name.to_owned();
        self.running.push(Running {
            number,
            name: name.clone(),
            progress,
        });
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

/// Takes a new revision of the parts into a scene.
fn updated(
    mut scene: Scene,
    edit: u64,
    path: &std::path::Path,
    progress: &Progress,
) -> Result<Box<Updated>, String> {
    let options = ImportOptions::default();
    let importer = Importer {
        options: options.clone(),
        progress: progress.clone(),
    };
    let file = importer.file(path).map_err(|e| e.to_string())?;
    let plan = update::plan(&scene, path, &file);
    let parts = plan.iter().map(|u| PartRow::new(u, &scene)).collect();
    let before = Simulation::new(scene.clone()).map_err(|e| e.to_string())?;
    let command = Command::UpdateParts {
        path: path.to_owned(),
        options,
        ignore_new: false,
        delete_gone: false,
        loaded: Some(Arc::new(file)),
    };
    command.apply(&mut scene).map_err(|e| e.to_string())?;
    Ok(Box::new(Updated {
        command,
        edit,
        made: scene,
        parts,
        before: numbers(&before),
    }))
}

fn short(path: &std::path::Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// The dialog's answer. One that comes faster than a hand can cancel means that there is no dialog on this system.
fn answered(purpose: Purpose, ask: impl FnOnce() -> Option<Done>) -> Option<Done> {
    let asked = Instant::now();
    ask().or_else(|| (asked.elapsed() < NO_HAND).then_some(Done::NoDialog(purpose)))
}
