//! The window: joins document, solver thread, view and panels. Every action is carried out here.

mod acting;
mod answers;
mod autosave;
mod copying;
mod editing;
mod filing;
mod layout;
mod playing;
mod resting;

use autosave::Autosave;

use std::path::{Path, PathBuf};

use egui::ViewportCommand;

use crate::app::action::{Action, Sheet};
use crate::app::document::Document;
use crate::app::engine::EngineFactory;
use crate::app::files::ImportChoice;
use crate::app::jobs::Jobs;
use crate::app::lock::SceneLock;
use crate::app::motion::Motion;
use crate::app::panels::dialogs::{Leaving, PathField};
use crate::app::panels::drawer::Drawer;
use crate::app::panels::export::ExportDialog;
use crate::app::panels::import::ImportDialog;
use crate::app::panels::messages::{Level, Messages};
use crate::app::panels::palette::Palette;
use crate::app::panels::toolbar::Running;
use crate::app::panels::tree::Tree;
use crate::app::panels::{sheets, shortcuts};
use crate::app::playback::{Playback, Source};
use crate::app::selection::Thing;
use crate::app::settings::Settings;
use crate::app::support::LastDrag;
use crate::app::theme;
use crate::app::tools::ToolInUse;
use crate::app::viewport::View;
use crate::app::worker::{News, Solution, Worker};
use crate::geom::Vec3;
use crate::scene::{Command, Scene, StartReason};

/// The application.
pub struct LoomApp {
    document: Document,
    worker: Worker,
    view: View,
    jobs: Jobs,
    messages: Messages,
    tree: Tree,
    tool: ToolInUse,
    running: Running,
    settings: Settings,
    /// Where the settings are kept; `None` forgets them.
    settings_path: Option<PathBuf>,
    sheet: Option<Sheet>,
    drawer: Drawer,
    autosave: Autosave,
    palette: Palette,
    copied: copying::Copied,
    /// The menu over the view was asked for where nothing is.
    menu_of_view: bool,
    import: ImportDialog,
    export: ExportDialog,
    path_field: PathField,
    leaving: Option<Leaving>,
    waiting: Option<filing::Waiting>,
    shot: filing::Shot,
    /// Our word that the document's file is open here.
    lock: Option<SceneLock>,
    last_drag: Option<LastDrag>,
    /// Leave as soon as the save that runs has succeeded.
    leave_when_saved: Option<Leaving>,
    may_close: bool,
    shown_ticket: u64,
    /// What was let go: where it did not reach its target, the target follows it.
    released: Vec<Thing>,
    title: String,
    /// What is shown instead of the document.
    playback: Option<Playback>,
    /// Source and number of the sample that the view shows, and the view's revision with it.
    played: Option<(Source, usize, u64)>,
    motion: Option<Motion>,
    error_bars: resting::ErrorBars,
}

impl LoomApp {
    /// The window on `scene`; `files` are opened on top of it.
    pub fn new(
        cc: &eframe::CreationContext<'_>,
        scene: Scene,
        files: Vec<PathBuf>,
        factory: EngineFactory,
    ) -> Result<Self, String> {
        let ctx = cc.egui_ctx.clone();
        theme::apply(&ctx);
        let mut app = Self {
            document: Document::default(),
            worker: Worker::start(factory, {
                let ctx = ctx.clone();
                move || ctx.request_repaint()
            }),
            view: View::new(cc.gl.clone())?,
            jobs: Jobs::new(ctx.clone()),
            messages: Messages::default(),
            tree: Tree::default(),
            tool: ToolInUse::default(),
            running: Running::Yes,
            settings: Settings::default(),
            settings_path: None,
            sheet: None,
            drawer: Drawer::default(),
            autosave: Autosave::default(),
            palette: Palette::default(),
            copied: copying::Copied::default(),
            menu_of_view: false,
            import: ImportDialog::default(),
            export: ExportDialog::default(),
            path_field: PathField::default(),
            leaving: None,
            waiting: None,
            shot: filing::Shot::default(),
            lock: None,
            last_drag: None,
            leave_when_saved: None,
            may_close: false,
            shown_ticket: 0,
            released: Vec::new(),
            title: String::new(),
            playback: None,
            played: None,
            motion: None,
            error_bars: resting::ErrorBars::default(),
        };
        app.take_over(Document::new(scene, None), &ctx);
        for path in files {
            app.jobs.open(path, ImportChoice::default());
        }
        Ok(app)
    }

    /// The open document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The 3D view.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Looks at the whole scene from the direction `back`, which is not vertical.
    pub fn look_along(&mut self, back: &Vec3) {
        self.view.look_along(back);
    }

    /// Looks at a point from the direction `back`, which is not vertical, with so many mm from top to bottom.
    pub fn look_at(&mut self, point: &Vec3, back: &Vec3, height: f64) {
        self.view.look_at(point, back, height);
    }

    /// Whether the solver has answered all that was asked.
    pub fn is_at_rest(&self) -> bool {
        self.worker.is_at_rest()
    }

    /// How many parts are not ready to be drawn yet.
    pub fn n_pending(&self) -> usize {
        self.view.n_pending()
    }

    /// Numbers of the last request to the solver and of the last one whose answer is shown.
    pub fn tickets(&self) -> (u64, u64) {
        (self.worker.last_ticket(), self.shown_ticket)
    }

    /// Closes the window, whatever is not saved.
    pub fn close(&mut self, ctx: &egui::Context) {
        self.may_close = true;
        ctx.send_viewport_cmd(ViewportCommand::Close);
    }

    /// Reads and keeps the settings in that folder.
    pub fn remember_in(&mut self, folder: Option<PathBuf>, ctx: &egui::Context) {
        if let Some(folder) = &folder {
            self.autosave = Autosave::in_folder(folder);
        }
        self.settings_path = folder.map(|folder| folder.join("settings.json"));
        if let Some(path) = &self.settings_path {
            self.settings = Settings::load(path);
        }
        self.view.preset = self.settings.preset;
        ctx.set_theme(self.settings.theme.preference());
    }

    /// What the window remembers.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether the simulation runs.
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// The tool in use.
    pub fn tool(&self) -> &ToolInUse {
        &self.tool
    }

    fn keep_settings(&self) {
        if let Some(path) = &self.settings_path {
            self.settings.save(path);
        }
    }

    fn remember_file(&mut self, path: &Path) {
        self.settings.remember(path);
        self.keep_settings();
    }

    fn take_over(&mut self, document: Document, ctx: &egui::Context) {
        self.lock(document.path().map(Path::to_owned).as_deref());
        self.document = document;
        self.playback = None;
        self.motion = None;
        self.error_bars = resting::ErrorBars::default();
        self.view.forget_swept();
        self.last_drag = None;
        self.drawer.forget();
        self.view.selection.set(Vec::new());
        self.view.forget_routes();
        self.restart(ctx);
        if std::mem::take(&mut self.view.ghost) {
            self.worker.edit(Command::Ghost { on: false });
        }
        self.view.fit();
    }

    /// The document's scene was exchanged: view and solver start from it.
    fn restart(&mut self, ctx: &egui::Context) {
        self.released.clear();
        self.messages.forget_solver();
        self.tool.forget();
        self.view.drop_drag();
        self.view.show(self.document.scene(), ctx);
        let settled = self.document.is_settled();
        self.worker.replace(self.document.scene().clone(), settled);
    }

    /// Picks up what the solver thread has published.
    fn read_news(&mut self, ctx: &egui::Context) {
        let News {
            solution,
            iterates,
            errors,
            starts,
            let_in,
            missing,
        } = self.worker.poll();
        for exclusion in let_in {
            let only = false;
            // What was deleted meanwhile needs none.
            let _ = (self.document).amend(&Command::Exclude { exclusion, only });
        }
        if let Some(starts) = starts {
            if starts.iter().any(|s| s.reason != StartReason::Excluded) {
                self.drawer.turn_to_contacts();
            }
            self.document.set_starts(starts);
        }
        for error in errors {
            self.messages.push(Level::Solver, error);
        }
        if let Some(solution) = solution {
            let rolled_back = solution.rolled_back;
            let is_last = solution.ticket == self.worker.last_ticket();
            let part_held = !solution.held_parts.is_empty();
            self.tell(&solution);
            self.shown_ticket = solution.ticket;
            if self.playback.is_none() {
                self.view.carry(&solution.part_poses);
            }
            self.document.accept(solution, is_last);
            if rolled_back {
                // A new solver holds cables at parts.
                self.view.ghost = false;
                self.view.drop_drag();
                self.document.end_gesture();
                self.view.show(self.document.scene(), ctx);
            } else if part_held {
                self.view.show(self.document.scene(), ctx);
            } else {
                self.view.show_shapes(self.document.scene());
            }
        }
        if !missing.is_empty() {
            self.document.set_missing(missing);
        }
        // A part on its way is shown where it stopped last, and the cables with it.
        if !self.view.is_carrying() && self.playback.is_none() {
            self.view.show_iterates(self.document.scene(), iterates);
        }
        if self.worker.is_at_rest() {
            let played = self.playback.is_some();
            if self.view.is_carrying() && !self.view.is_dragging() && !played {
                self.view.put_down();
                self.view.show(self.document.scene(), ctx);
            }
            if !played {
                self.view.keep_routes(self.document.scene());
            }
        }
        if self.running == Running::Yes {
            self.document.set_settled(self.worker.is_at_rest());
        }
        self.settle_released();
        self.follow_revision();
    }

    /// Says what a solve did beside moving cables: parts that were stopped, shapes that settled.
    fn tell(&mut self, solution: &Solution) {
        // By hand, it is said at its place.
        let sent = solution.held_parts.iter();
        for held in sent.filter(|_| !self.view.is_carrying()) {
            let by = match (&held.cable, &held.against) {
                (Some(cable), _) => format!("cable \"{cable}\" cannot yield"),
                (None, Some(other)) => (held.fit_in_words())
                    .unwrap_or_else(|| format!("part \"{other}\" is in the way")),
                (None, None) => "a cable cannot yield".to_owned(),
            };
            let text = format!(
                "Part \"{}\" stopped {:.1} mm from where it was sent: {by}.",
                held.part, held.short_by
            );
            self.messages.forget_solver();
            self.messages.push(Level::Solver, text);
        }
        let settled = solution.reports.iter();
        let settled: Vec<String> = settled
            .filter_map(|r| Some(format!("{} by {:.2} mm", r.cable, r.settled?)))
            .collect();
        if !settled.is_empty() {
            let text = format!(
                "Solved without friction; moved at most: {}.",
                settled.join(", ")
            );
            self.messages.push(Level::Done, text);
        }
    }

    /// What was let go stays where it stands: the target of whatever did not arrive follows it.
    fn settle_released(&mut self) {
        if !self.worker.is_at_rest() || self.running != Running::Yes {
            return;
        }
        for thing in std::mem::take(&mut self.released) {
            if let Some(command) = self.document.hold_where_it_stands(thing)
                && self.document.amend(&command).is_ok()
            {
                self.worker.edit(command);
            }
        }
    }

    fn update_title(&mut self, ctx: &egui::Context) {
        let title = self.document.title();
        if title != self.title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// Work in the background, in words.
    fn busy(&mut self) -> Option<String> {
        let pending = match self.view.poll() {
            0 => None,
            1 => Some("Preparing a part for the view ...".into()),
            n => Some(format!("Preparing {n} parts for the view ...")),
        };
        let job = self.jobs.running();
        job.map(|name| format!("{name} ...")).or(pending)
    }
}

impl eframe::App for LoomApp {
    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        self.autosave.forget();
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.read_jobs(&ctx);
        self.read_news(&ctx);
        self.go_on_playing(&ctx);
        self.follow_shot(&ctx);
        let busy = self.busy();
        let mut actions = Vec::new();
        let dropped = ctx.input(|i| {
            let paths = i.raw.dropped_files.iter().map(|f| f.path().to_owned());
            paths.collect::<Vec<_>>()
        });
        if !dropped.is_empty() {
            actions.push(Action::Open(dropped));
        }
        // A question in the middle of the window comes first.
        let asked = self.leaving.is_some()
            || self.path_field.is_open()
            || self.sheet.is_some()
            || self.palette.is_open()
            || self.import.is_open()
            || self.export.is_open()
            || self.offers_recovery();
        if !asked {
            shortcuts::read(&ctx, &mut actions);
        }
        self.panels(ui, busy.as_deref(), &mut actions);
        self.path_field.show(&ctx, &mut actions);
        sheets::show(&ctx, &mut self.sheet);
        (self.palette).show(&ctx, self.document.scene(), &mut actions);
        self.import.show(&ctx, &mut actions);
        let (selection, progress) = (&self.view.selection, self.jobs.exporting());
        (self.export).show(&ctx, &self.document, selection, progress, &mut actions);
        self.offer_recovery(&ctx);
        self.guard_unsaved(&ctx, &mut actions);
        self.autosave(&ctx);
        self.carry_out_all(actions, &ctx);
        self.update_title(&ctx);
    }
}
