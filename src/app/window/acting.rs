//! Carries out what was asked for.

use std::path::Path;

use egui::ViewportCommand;

use super::LoomApp;
use super::filing::Shot;
use crate::app::action::{Action, Pane};
use crate::app::choices::{Purpose, Section};
use crate::app::document::Document;
use crate::app::files::{self, SavedAs};
use crate::app::panels::messages::Level;
use crate::app::panels::toolbar::Running;
use crate::app::settings::Theme;
use crate::app::support::LastDrag;
use crate::app::tools::ToolInUse;
use crate::app::viewport::camera::Projection;
use crate::scene::Command;

impl LoomApp {
    pub(super) fn carry_out(&mut self, action: Action, ctx: &egui::Context) {
        self.leave_playback_for(&action, ctx);
        match action {
            Action::Edit(command) => self.edit(&command, ctx),
            Action::EditAll(commands) => self.edit_all(&commands, ctx),
            Action::BeginGesture => {
                self.released.clear();
                self.last_drag = Some(LastDrag {
                    before: self.document.scene().clone(),
                    commands: Vec::new(),
                });
                self.document.begin_gesture();
            }
            Action::EndGesture => {
                self.document.end_gesture();
                self.released = self.view.selection.things().to_vec();
            }
            Action::CancelGesture => self.exchange(ctx, Document::cancel_gesture),
            Action::Settle => {
                // It is a solve: asked for, it is wanted now.
                if self.running != Running::Yes {
                    self.toggle_run();
                }
                self.edit(&Command::Settle, ctx);
            }
            Action::Undo => self.exchange(ctx, Document::undo),
            Action::Redo => self.exchange(ctx, Document::redo),
            Action::UndoBy(steps) => self.exchange(ctx, |d| d.undo_by(steps)),
            Action::RedoBy(steps) => self.exchange(ctx, |d| d.redo_by(steps)),
            Action::New => self.new_scene(ctx),
            Action::OpenDemo(name) => self.open_demo(name, ctx),
            Action::AskOpen => self.jobs.ask_open(),
            Action::AskRoutes => self.jobs.ask_routes(),
            Action::TypePath(purpose) => {
                let known = match &purpose {
                    Purpose::Open
                    | Purpose::Replace(_)
                    | Purpose::Update
                    | Purpose::StudyPath
                    | Purpose::MotionPath => String::new(),
                    Purpose::Save => {
                        let path = self.document.path();
                        path.map_or_else(String::new, |p| p.display().to_string())
                    }
                    other => self.suggestion(other),
                };
                self.path_field.open(purpose, known);
            }
            Action::Open(paths) => self.open(paths),
            Action::Import(paths, choice) => {
                self.messages.forget_all();
                for path in paths {
                    self.jobs.open(path, choice.clone());
                }
            }
            Action::ShowExport => self.export.open(&self.document, &self.view.selection),
            Action::AskExport(name, format) => self.jobs.ask_export(name, format),
            Action::Export(order) => {
                let scene = self.document.scene().clone();
                let changed = self.document.is_unsaved();
                let path = self.document.path().map(ToOwned::to_owned);
                let saved_as = path.map(|path| SavedAs { path, changed });
                self.jobs.export(scene, saved_as, *order);
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
            Action::SaveAs => self.carry_out(Action::AskWrite(Purpose::Save), ctx),
            Action::AskRead(purpose) => self.jobs.ask_read(purpose),
            Action::AskWrite(purpose) => {
                let name = self.suggestion(&purpose);
                self.jobs.ask_write(purpose, name);
            }
            Action::PackTo(path) => {
                let scene = self.document.scene().clone();
                let path = files::with_extension(path, Purpose::Pack.written().1);
                let write = move |path: &Path| files::pack(&scene, path);
                self.jobs.write("Packed scene", path, write);
            }
            Action::Screenshot => self.shot = Shot::In(2),
            Action::SaveShot(path) => self.save_shot(path),
            Action::SaveSupport(path) => self.save_support(path),
            Action::SavePlot(curve, path) => {
                let path = if path.extension().is_some() {
                    path
                } else {
                    path.with_extension("csv")
                };
                let write = move |path: &Path| curve.save(path);
                self.jobs.write("Plot", path, write);
            }
            Action::SaveTo(path) => self.save(path),
            Action::ReplacePart(part, path) => self.replace_part(part, path),
            Action::UpdateParts(path) => self.update_parts(path),
            Action::FindLength(cable) => {
                self.jobs.find_length(self.document.scene().clone(), cable);
            }
            Action::ZeroTwist(cable) => self.zero_twist(cable),
            Action::Judge => {
                let reports = self.document.reports().to_vec();
                self.jobs.judge(self.document.scene().clone(), reports);
            }
            Action::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            Action::Complain(text) => self.messages.push(Level::Error, text),
            Action::Show(sheet) => self.sheet = Some(sheet),
            Action::TogglePane(pane) => self.toggle(pane),
            Action::ShowInspector => {
                self.settings.panes.inspector = true;
                self.keep_settings();
            }
            Action::ShowPalette => self.palette.open(),
            Action::ShowViolations => {
                self.drawer.turn_to_contacts();
                self.settings.panes.drawer = true;
                self.keep_settings();
            }
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
            Action::ShowStudy
            | Action::OpenStudyPath(_)
            | Action::SaveStudyPath(..)
            | Action::RunStudy(..)
            | Action::ShowMotion
            | Action::OpenMotionPath(_)
            | Action::Move(_)
            | Action::Pace(_)
            | Action::Playback(_)
            | Action::ShowEnvelopes(_)
            | Action::SaveEnvelopes(..) => self.play(action, ctx),
            Action::Flexibilise(order) => self.flexibilise(order),
            Action::ToggleRun => self.toggle_run(),
            Action::Use(kind) => {
                self.tool = ToolInUse::new(kind);
                let selected = self.view.selection.last();
                let begun = self.tool.begin(&self.document, selected);
                self.carry_out_all(begun.into_iter().collect(), ctx);
            }
            Action::Pick(pick) => {
                let mut actions = Vec::new();
                self.tool.pick(pick, &self.document, &mut actions);
                self.carry_out_all(actions, ctx);
            }
            Action::Enter if self.view.keep_grabbed() => {}
            Action::Enter => {
                let mut actions = Vec::new();
                self.tool.enter(&self.document, &mut actions);
                self.carry_out_all(actions, ctx);
            }
            Action::Turn => {
                self.tool.turn();
            }
            Action::Back => self.back(),
            Action::Copy => self.copy_selected(ctx),
            Action::Paste => self.paste(ctx),
            Action::Select(_)
            | Action::SelectAll
            | Action::DeleteSelected
            | Action::DuplicateSelected(_)
            | Action::RigidifySelected
            | Action::RenameSelected
            | Action::HideSelected
            | Action::Isolate
            | Action::ShowAll => self.select(action, ctx),
            Action::FitAll
            | Action::FitSelection
            | Action::GoTo(_)
            | Action::LookInto(..)
            | Action::Look(_)
            | Action::ToggleProjection
            | Action::ToggleSeeThrough
            | Action::ToggleAxes
            | Action::ToggleSnap
            | Action::ToggleLabels
            | Action::ToggleGhost
            | Action::SetSection(_)
            | Action::ToggleSection
            | Action::BoxSection
            | Action::ColorBy(_)
            | Action::KeepView
            | Action::RecallView(_) => self.look(action, ctx),
        }
    }

    pub(super) fn carry_out_all(&mut self, actions: Vec<Action>, ctx: &egui::Context) {
        for action in actions {
            self.carry_out(action, ctx);
        }
    }

    fn look(&mut self, action: Action, ctx: &egui::Context) {
        match action {
            Action::FitAll => self.view.fit(),
            Action::FitSelection => self.view.fit_selection(),
            Action::GoTo(point) => self.view.go_to(&point.into(), None),
            Action::LookInto(point, height) => {
                self.view.see_through = true;
                self.view.go_to(&point.into(), Some(height));
            }
            Action::Look(view) => self.view.look_from(view),
            Action::ToggleProjection => {
                self.view.camera.projection = match self.view.camera.projection {
                    Projection::Perspective => Projection::Orthographic,
                    Projection::Orthographic => Projection::Perspective,
                };
            }
            Action::ToggleSeeThrough => self.view.see_through = !self.view.see_through,
            Action::ToggleAxes => self.view.own_axes = !self.view.own_axes,
            Action::ToggleSnap => self.view.snap = !self.view.snap,
            Action::ToggleLabels => self.view.pin_labels = !self.view.pin_labels,
            Action::ToggleGhost => {
                self.view.ghost = !self.view.ghost;
                let on = self.view.ghost;
                self.worker.edit(Command::Ghost { on });
            }
            Action::SetSection(section) => self.view.set_section(section),
            Action::ToggleSection => {
                let new = self.view.facing_section(self.document.scene());
                let is_cut = matches!(self.view.section(), Some(Section::Plane(_)));
                self.view.set_section((!is_cut).then_some(new));
            }
            Action::BoxSection => {
                let around = self.view.section_box(self.document.scene());
                self.view.set_section(Some(around));
            }
            Action::ColorBy(coloring) => self.view.color_by(coloring),
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

    pub(super) fn toggle_run(&mut self) {
        match self.running {
            Running::Yes => self.pause("by you"),
            Running::No { .. } => {
                self.running = Running::Yes;
                self.worker.run(true);
            }
        }
    }

    /// Pauses the simulation, with the reason in words.
    pub(super) fn pause(&mut self, reason: &str) {
        self.running = Running::No {
            reason: reason.to_owned(),
        };
        self.worker.run(false);
    }
}
