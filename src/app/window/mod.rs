//! The window: joins document, solver thread, view and panels. Every action is carried out here.

mod autosave;
mod editing;
mod filing;

use autosave::Autosave;

use std::path::{Path, PathBuf};

use egui::{CentralPanel, Frame, Margin, Panel, ViewportCommand};

use crate::app::action::{Action, Pane, Select, Sheet};
use crate::app::document::Document;
use crate::app::engine::EngineFactory;
use crate::app::files::ImportChoice;
use crate::app::jobs::Jobs;
use crate::app::panels::dialogs::{Leaving, PathField, Purpose};
use crate::app::panels::drawer::Drawer;
use crate::app::panels::export::ExportDialog;
use crate::app::panels::import::ImportDialog;
use crate::app::panels::messages::{Level, Messages};
use crate::app::panels::toolbar::Running;
use crate::app::panels::tree::Tree;
use crate::app::panels::{context, hints, inspector, menu, sheets, status_bar::StatusBar, toolbar};
use crate::app::selection::Thing;
use crate::app::settings::{Settings, Theme};
use crate::app::status::Situation;
use crate::app::theme;
use crate::app::tools::Tool;
use crate::app::viewport::View;
use crate::app::viewport::camera::Projection;
use crate::app::worker::{News, Worker};
use crate::geom::Vec3;
use crate::scene::Scene;
use crate::solve::Status;

/// What an empty view says.
const NOTHING_HERE: &str = "Nothing here yet: File > Open, or drop a scene or mesh file here";

/// The application.
pub struct LoomApp {
    document: Document,
    worker: Worker,
    view: View,
    jobs: Jobs,
    messages: Messages,
    tree: Tree,
    tool: Tool,
    running: Running,
    settings: Settings,
    /// Where the settings are kept; `None` forgets them.
    settings_path: Option<PathBuf>,
    sheet: Option<Sheet>,
    drawer: Drawer,
    autosave: Autosave,
    import: ImportDialog,
    export: ExportDialog,
    path_field: PathField,
    leaving: Option<Leaving>,
    /// A scene that was read and waits until the open one may be left.
    waiting: Option<(PathBuf, Box<Scene>, Vec<String>)>,
    /// Leave as soon as the save that runs has succeeded.
    leave_when_saved: Option<Leaving>,
    may_close: bool,
    /// What was let go: where it is held short of its target, the target follows it.
    released: Vec<Thing>,
    title: String,
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
            tool: Tool::default(),
            running: Running::Yes,
            settings: Settings::default(),
            settings_path: None,
            sheet: None,
            drawer: Drawer::default(),
            autosave: Autosave::default(),
            import: ImportDialog::default(),
            export: ExportDialog::default(),
            path_field: PathField::default(),
            leaving: None,
            waiting: None,
            leave_when_saved: None,
            may_close: false,
            released: Vec::new(),
            title: String::new(),
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

    /// Whether the solver has answered all that was asked.
    pub fn is_at_rest(&self) -> bool {
        self.worker.is_at_rest()
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
    pub fn tool(&self) -> &Tool {
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
        self.document = document;
        self.view.selection.set(Vec::new());
        self.view.forget_routes();
        self.restart(ctx);
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

    fn carry_out(&mut self, action: Action, ctx: &egui::Context) {
        match action {
            Action::Edit(command) => self.edit(&command, ctx),
            Action::EditAll(commands) => self.edit_all(&commands, ctx),
            Action::BeginGesture => {
                self.released.clear();
                self.document.begin_gesture();
            }
            Action::EndGesture => {
                self.document.end_gesture();
                self.released = self.view.selection.things().to_vec();
            }
            Action::CancelGesture => self.exchange(ctx, Document::cancel_gesture),
            Action::Undo => self.exchange(ctx, Document::undo),
            Action::Redo => self.exchange(ctx, Document::redo),
            Action::New => self.new_scene(ctx),
            Action::AskOpen => self.jobs.ask_open(),
            Action::AskRoutes => self.jobs.ask_routes(),
            Action::TypePath(purpose) => {
                let known = self.document.path().filter(|_| purpose == Purpose::Save);
                let known = known.map_or_else(String::new, |p| p.display().to_string());
                self.path_field.open(purpose, known);
            }
            Action::Open(paths) => self.open(paths),
            Action::Import(paths, choice) => {
                for path in paths {
                    self.jobs.open(path, choice.clone());
                }
            }
            Action::ShowExport => self.export.open(&self.document, &self.view.selection),
            Action::AskExport(name, format) => self.jobs.ask_export(name, format),
            Action::Export(order) => {
                let scene = self.document.scene().clone();
                self.jobs.export(scene, *order);
            }
            Action::Extract(part) => {
                if let Some(part) = self.document.scene().parts.get(part) {
                    self.jobs.extract(part);
                }
            }
            Action::Save => match self.document.path() {
                Some(path) => self.save(path.to_owned()),
                None => self.carry_out(Action::SaveAs, ctx),
            },
            Action::SaveAs => {
                let name = self.document.path().and_then(|p| p.file_name());
                let name = name.map_or("scene.json".into(), |n| n.to_string_lossy().into_owned());
                self.jobs.ask_save(name);
            }
            Action::SaveTo(path) => self.save(path),
            Action::ReplacePart(part, path) => self.replace_part(part, path),
            Action::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            Action::Complain(text) => self.messages.push(Level::Error, text),
            Action::Show(sheet) => self.sheet = Some(sheet),
            Action::TogglePane(pane) => self.toggle(pane),
            Action::UseTheme(theme) => {
                ctx.set_theme(theme);
                self.settings.theme = Theme::of(theme);
                self.keep_settings();
            }
            Action::UsePreset(preset) => {
                self.view.preset = preset;
                self.settings.preset = preset;
                self.keep_settings();
            }
            Action::Flexibilise(order) => self.flexibilise(&order, ctx),
            Action::ToggleRun => self.toggle_run(),
            Action::Use(kind) => {
                self.tool = Tool::new(kind);
                let selected = self.view.selection.last();
                let begun = self.tool.begin(&self.document, selected);
                self.carry_out_all(begun.into_iter().collect(), ctx);
            }
            Action::Pick(pick) => {
                let mut actions = Vec::new();
                self.tool.pick(pick, &self.document, &mut actions);
                self.carry_out_all(actions, ctx);
            }
            Action::Enter => {
                let mut actions = Vec::new();
                self.tool.enter(&self.document, &mut actions);
                self.carry_out_all(actions, ctx);
            }
            Action::Back => self.back(),
            Action::Select(_)
            | Action::SelectAll
            | Action::DeleteSelected
            | Action::RigidifySelected
            | Action::RenameSelected
            | Action::HideSelected
            | Action::Isolate
            | Action::ShowAll => self.select(action, ctx),
            Action::FitAll
            | Action::FitSelection
            | Action::GoTo(_)
            | Action::Look(_)
            | Action::ToggleProjection
            | Action::ToggleSeeThrough
            | Action::ToggleAxes
            | Action::KeepView
            | Action::RecallView(_) => self.look(action, ctx),
        }
    }

    fn carry_out_all(&mut self, actions: Vec<Action>, ctx: &egui::Context) {
        for action in actions {
            self.carry_out(action, ctx);
        }
    }

    fn look(&mut self, action: Action, ctx: &egui::Context) {
        match action {
            Action::FitAll => self.view.fit(),
            Action::FitSelection => self.view.fit_selection(),
            Action::GoTo(point) => self.view.go_to(&point.into()),
            Action::Look(view) => self.view.look_from(view),
            Action::ToggleProjection => {
                self.view.camera.projection = match self.view.camera.projection {
                    Projection::Perspective => Projection::Orthographic,
                    Projection::Orthographic => Projection::Perspective,
                };
            }
            Action::ToggleSeeThrough => self.view.see_through = !self.view.see_through,
            Action::ToggleAxes => self.view.own_axes = !self.view.own_axes,
            Action::KeepView => {
                let command = self.keep_view();
                self.edit(&command, ctx);
            }
            Action::RecallView(name) => self.recall_view(&name),
            _ => {}
        }
    }

    fn toggle(&mut self, pane: Pane) {
        let panes = &mut self.settings.panes;
        let shown = match pane {
            Pane::Tree => &mut panes.tree,
            Pane::Inspector => &mut panes.inspector,
            Pane::Drawer => &mut panes.drawer,
            Pane::Hints => &mut panes.hints,
        };
        *shown = !*shown;
        self.keep_settings();
    }

    fn toggle_run(&mut self) {
        match self.running {
            Running::Yes => self.pause("by you"),
            Running::No { .. } => {
                self.running = Running::Yes;
                self.worker.run(true);
            }
        }
    }

    /// Pauses the simulation, with the reason in words.
    fn pause(&mut self, reason: &str) {
        self.running = Running::No {
            reason: reason.to_owned(),
        };
        self.worker.run(false);
    }

    /// Picks up what the solver thread has published.
    fn read_news(&mut self, ctx: &egui::Context) {
        let News {
            solution,
            iterates,
            errors,
            overlaps,
        } = self.worker.poll();
        if let Some(overlaps) = overlaps {
            self.document.set_overlaps(overlaps);
        }
        for error in errors {
            self.messages.push(Level::Solver, error);
        }
        if let Some(solution) = solution {
            let rolled_back = solution.rolled_back;
            self.document.accept(solution);
            if rolled_back {
                self.view.drop_drag();
                self.document.end_gesture();
                self.view.show(self.document.scene(), ctx);
            } else {
                self.view.show_shapes(self.document.scene());
            }
        }
        self.view.show_iterates(self.document.scene(), iterates);
        if self.worker.is_at_rest() {
            self.view.keep_routes(self.document.scene());
        }
        let runs = self.running == Running::Yes;
        self.document.set_settled(runs && self.worker.is_at_rest());
        self.settle_released();
    }

    /// What was let go short of its target stays where it is held: the target follows it.
    fn settle_released(&mut self) {
        if !self.worker.is_at_rest() || self.running != Running::Yes {
            return;
        }
        for thing in std::mem::take(&mut self.released) {
            let (Thing::Handle(id), Some(pose)) = (thing, self.view.held(&self.document, thing))
            else {
                continue;
            };
            let scene = self.document.scene();
            let cable = scene.cables.get(id.cable).map(|c| c.name.as_str());
            let report = cable.and_then(|name| self.document.report(name));
            if report.is_none_or(|r| r.status != Status::Blocked) {
                continue;
            }
            if let Some(command) = thing.move_command(scene, &pose, true, true)
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
            || self.import.is_open()
            || self.export.is_open()
            || self.offers_recovery();
        if !asked {
            menu::shortcuts(&ctx, &mut actions);
        }
        self.panels(ui, busy.as_deref(), &mut actions);
        self.path_field.show(&ctx, &mut actions);
        sheets::show(&ctx, &mut self.sheet);
        self.import.show(&ctx, &mut actions);
        self.export
            .show(&ctx, &self.document, &self.view.selection, &mut actions);
        self.offer_recovery(&ctx);
        self.guard_unsaved(&ctx, &mut actions);
        self.autosave(&ctx);
        self.carry_out_all(actions, &ctx);
        self.update_title(&ctx);
    }
}

impl LoomApp {
    fn panels(&mut self, ui: &mut egui::Ui, busy: Option<&str>, actions: &mut Vec<Action>) {
        let ctx = ui.ctx().clone();
        let bar = |margin| Frame::side_top_panel(&ctx.global_style()).inner_margin(margin);
        Panel::top("menu")
            .frame(bar(Margin::symmetric(6, 3)))
            .show(ui, |ui| {
                menu::show(ui, &self.document, &self.view, &self.settings, actions);
            });
        Panel::top("tools")
            .frame(bar(Margin::symmetric(8, 4)))
            .show(ui, |ui| {
                let (document, running) = (&self.document, &self.running);
                toolbar::show(ui, document, &mut self.tool, running, actions);
            });
        Panel::bottom("status")
            .frame(bar(Margin::symmetric(10, 5)))
            .show(ui, |ui| self.status_bar(ui, busy));
        if self.settings.panes.hints {
            Panel::top("hints")
                .frame(bar(Margin::symmetric(8, 4)))
                .show(ui, |ui| hints::show(ui, &self.document, actions));
        }
        if self.settings.panes.tree {
            Panel::left("tree")
                .default_size(230.0)
                .size_range(140.0..=480.0)
                .show(ui, |ui| {
                    let selection = &self.view.selection;
                    self.tree.show(ui, &self.document, selection, actions);
                });
        }
        if self.settings.panes.inspector {
            Panel::right("inspector")
                .default_size(270.0)
                .size_range(180.0..=480.0)
                .show(ui, |ui| {
                    inspector::show(ui, &self.document, &self.view.selection, actions);
                });
        }
        if self.settings.panes.drawer {
            Panel::bottom("drawer")
                .resizable(true)
                .default_size(180.0)
                .size_range(90.0..=500.0)
                .show(ui, |ui| {
                    let (selection, messages) = (&self.view.selection, &self.messages);
                    let document = &self.document;
                    (self.drawer).show(ui, document, selection, messages, actions);
                });
        }
        CentralPanel::default().frame(Frame::NONE).show(ui, |ui| {
            let view = ui.max_rect();
            let notice = busy.unwrap_or(NOTHING_HERE);
            let (document, tool) = (&self.document, &self.tool);
            let response = self.view.ui(ui, document, tool, notice, actions);
            if response.secondary_clicked()
                && let Some(thing) = self.view.under_the_cursor()
                && !self.view.selection.contains(thing)
            {
                actions.push(Action::Select(Select::Only(vec![thing])));
            }
            response.context_menu(|ui| {
                context::show(ui, document.scene(), &self.view.selection, actions);
            });
            self.messages.show(&ctx, view);
            self.jobs.show(&ctx, view);
        });
    }

    fn status_bar(&self, ui: &mut egui::Ui, busy: Option<&str>) {
        let hint = (self.tool.hint(&self.document)).unwrap_or_else(|| self.view.hint());
        let under = self.view.under_the_cursor();
        StatusBar {
            scene: self.document.scene(),
            reports: self.document.reports(),
            situation: Situation {
                dragging: self.view.is_dragging(),
                at_rest: self.worker.is_at_rest(),
            },
            running: &self.running,
            moved: self.view.moved(self.document.scene()),
            hint: busy.unwrap_or(&hint),
            under: under.and_then(|thing| thing.description(self.document.scene())),
        }
        .show(ui);
    }
}
