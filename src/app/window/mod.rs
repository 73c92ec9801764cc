//! The window: joins document, solver thread, view and panels. Every action is carried out here.

mod filing;

use std::path::PathBuf;

use egui::{CentralPanel, Frame, Margin, Panel, ViewportCommand};

use crate::app::action::{Action, HandleId};
use crate::app::document::Document;
use crate::app::engine::EngineFactory;
use crate::app::jobs::Jobs;
use crate::app::panels::dialogs::{Leaving, PathField, Purpose};
use crate::app::panels::messages::{Level, Messages};
use crate::app::panels::{menu, status_bar::StatusBar, tree};
use crate::app::status::Situation;
use crate::app::theme;
use crate::app::viewport::View;
use crate::app::viewport::camera::Projection;
use crate::app::worker::{News, Worker};
use crate::geom::Vec3;
use crate::scene::{Command, Scene};
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
    path_field: PathField,
    leaving: Option<Leaving>,
    /// A scene that was read and waits until the open one may be left.
    waiting: Option<(PathBuf, Box<Scene>, Vec<String>)>,
    /// Leave as soon as the save that runs has succeeded.
    leave_when_saved: Option<Leaving>,
    may_close: bool,
    /// A handle that was let go: if it is held short of its target, the target follows it.
    released: Option<HandleId>,
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
            path_field: PathField::default(),
            leaving: None,
            waiting: None,
            leave_when_saved: None,
            may_close: false,
            released: None,
            title: String::new(),
        };
        app.take_over(Document::new(scene, None), &ctx);
        for path in files {
            app.jobs.open(path);
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

    fn take_over(&mut self, document: Document, ctx: &egui::Context) {
        self.document = document;
        self.view.selected = None;
        self.restart(ctx);
        self.view.fit();
    }

    /// The document's scene was exchanged: view and solver start from it.
    fn restart(&mut self, ctx: &egui::Context) {
        self.released = None;
        self.messages.forget_solver();
        self.view.drop_drag();
        self.view.show(self.document.scene(), ctx);
        let settled = self.document.is_settled();
        self.worker.replace(self.document.scene().clone(), settled);
    }

    fn carry_out(&mut self, action: Action, ctx: &egui::Context) {
        match action {
            Action::Edit(command) => self.edit(&command, ctx),
            Action::BeginGesture => {
                self.released = None;
                self.document.begin_gesture();
            }
            Action::EndGesture => {
                self.document.end_gesture();
                self.released = self.view.selected;
            }
            Action::CancelGesture => {
                if self.document.cancel_gesture() {
                    self.restart(ctx);
                }
            }
            Action::Undo => {
                if self.document.undo() {
                    self.restart(ctx);
                }
            }
            Action::Redo => {
                if self.document.redo() {
                    self.restart(ctx);
                }
            }
            Action::AskOpen => self.jobs.ask_open(),
            Action::TypePath(purpose) => {
                let known = self.document.path().filter(|_| purpose == Purpose::Save);
                let known = known.map_or_else(String::new, |p| p.display().to_string());
                self.path_field.open(purpose, known);
            }
            Action::Open(paths) => self.open(paths),
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
            Action::FitAll => self.view.fit(),
            Action::Look(view) => self.view.look_from(view),
            Action::ToggleProjection => {
                self.view.camera.projection = match self.view.camera.projection {
                    Projection::Perspective => Projection::Orthographic,
                    Projection::Orthographic => Projection::Perspective,
                };
            }
            Action::ToggleSeeThrough => self.view.see_through = !self.view.see_through,
            Action::ToggleAxes => self.view.own_axes = !self.view.own_axes,
            Action::UseTheme(theme) => ctx.set_theme(theme),
            Action::Select(handle) => self.view.selected = handle,
            Action::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
        }
    }

    fn edit(&mut self, command: &Command, ctx: &egui::Context) {
        match self.document.apply(command) {
            Ok(()) => {
                self.worker.edit(command.clone());
                if !command.concerns_solver() {
                    self.view.show(self.document.scene(), ctx);
                }
            }
            Err(error) => self.messages.push(Level::Error, error.to_string()),
        }
    }

    /// Picks up what the solver thread has published.
    fn read_news(&mut self, ctx: &egui::Context) {
        let News {
            solution,
            iterates,
            errors,
        } = self.worker.poll();
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
        self.document.set_settled(self.worker.is_at_rest());
        self.settle_released();
    }

    /// A handle that was let go short of its target stays where it is held: the target follows it.
    fn settle_released(&mut self) {
        if !self.worker.is_at_rest() {
            return;
        }
        let Some(id) = self.released.take() else {
            return;
        };
        let blocked = |r: &crate::scene::CableReport| r.report.status == Status::Blocked;
        let Some(report) = self.document.reports().get(id.cable) else {
            return;
        };
        let held = self.document.handle_pose(id.cable, id.handle);
        let cable = self.document.scene().cables.get(id.cable);
        let Some(handle) = cable.and_then(|c| c.handles.get(id.handle)) else {
            return;
        };
        if let (true, Some(pose)) = (blocked(report), held) {
            let q = pose.rotation.quaternion();
            let command = Command::MoveHandle {
                cable: report.cable.clone(),
                handle: handle.name.clone(),
                position: Some(pose.position.into()),
                rotation: Some([q.w, q.i, q.j, q.k]),
            };
            if self.document.amend(&command).is_ok() {
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
        if self.leaving.is_none() && !self.path_field.is_open() {
            menu::shortcuts(&ctx, &mut actions);
        }

        let bar = |margin| Frame::side_top_panel(&ctx.global_style()).inner_margin(margin);
        Panel::top("menu")
            .frame(bar(Margin::symmetric(6, 3)))
            .show(ui, |ui| {
                menu::show(ui, &self.document, &self.view, &mut actions);
            });
        Panel::bottom("status")
            .frame(bar(Margin::symmetric(10, 5)))
            .show(ui, |ui| {
                StatusBar {
                    scene: self.document.scene(),
                    reports: self.document.reports(),
                    situation: Situation {
                        dragging: self.view.is_dragging(),
                        at_rest: self.worker.is_at_rest(),
                    },
                    hint: busy.as_deref().unwrap_or(self.view.hint()),
                    under: (self.view.under_the_cursor())
                        .and_then(|thing| thing.name(self.document.scene())),
                }
                .show(ui);
            });
        Panel::left("tree")
            .default_size(260.0)
            .size_range(200.0..=420.0)
            .show(ui, |ui| {
                tree::show(ui, &self.document, self.view.selected, &mut actions);
            });
        CentralPanel::default().frame(Frame::NONE).show(ui, |ui| {
            let view = ui.max_rect();
            let notice = busy.as_deref().unwrap_or(NOTHING_HERE);
            self.view.ui(ui, &self.document, notice, &mut actions);
            self.messages.show(&ctx, view);
        });

        self.path_field.show(&ctx, &mut actions);
        self.guard_unsaved(&ctx, &mut actions);
        for action in actions {
            self.carry_out(action, &ctx);
        }
        self.update_title(&ctx);
    }
}
