//! Edits, the selection, and the way back.

use std::path::PathBuf;

use super::LoomApp;
use crate::app::action::{Action, HandleId, Select};
use crate::app::document::Document;
use crate::app::panels::dialogs::Leaving;
use crate::app::panels::messages::Level;
use crate::app::panels::toolbar::Running;
use crate::app::selection::Thing;
use crate::app::tools::Tool;
use crate::app::viewport::camera::Projection;
use crate::geom::Rotation;
use crate::scene::{Command, NamedView, Scene, flexibilise, free_name};

impl LoomApp {
    pub(super) fn edit(&mut self, command: &Command, ctx: &egui::Context) {
        let before = self.document.scene().clone();
        match self.document.apply(command) {
            Ok(()) => {
                if let Some(drag) = &mut self.last_drag
                    && self.document.is_in_gesture()
                {
                    drag.commands.push(command.clone());
                }
                self.worker.edit(command.clone());
                self.edited(&before, std::slice::from_ref(command), ctx);
            }
            Err(error) => self.messages.push(Level::Error, error.to_string()),
        }
    }

    /// Several edits with one undo point; all of them or none.
    pub(super) fn edit_all(&mut self, commands: &[Command], ctx: &egui::Context) {
        let before = self.document.scene().clone();
        self.document.begin_gesture();
        for command in commands {
            if let Err(error) = self.document.apply(command) {
                self.messages.push(Level::Error, error.to_string());
                if self.document.cancel_gesture() {
                    self.restart(ctx);
                }
                return;
            }
        }
        self.document.end_gesture();
        for command in commands {
            self.worker.edit(command.clone());
        }
        self.edited(&before, commands, ctx);
    }

    /// View and selection follow what was edited.
    fn edited(&mut self, before: &Scene, commands: &[Command], ctx: &egui::Context) {
        let now = self.document.scene();
        self.view.selection.follow(before, now);
        let moves = |c: &Command| {
            matches!(
                c,
                Command::MoveHandle { .. }
                    | Command::MoveJunction { .. }
                    | Command::SetLength { .. }
                    | Command::SetFriction { .. }
                    | Command::SetGravity { .. }
            )
        };
        // A junction may carry a part.
        let carries = |c: &Command| c.sent_part(now).is_some();
        if !commands.iter().all(|c| moves(c) && !carries(c)) {
            self.view.show(now, ctx);
        }
        let new_cables = now.cables.len() > before.cables.len();
        if new_cables && !self.document.is_in_gesture() {
            self.view
                .selection
                .set(vec![Thing::Cable(now.cables.len() - 1)]);
        }
    }

    /// The document steps to another of its states; says nothing where there is none.
    pub(super) fn exchange(
        &mut self,
        ctx: &egui::Context,
        step: impl FnOnce(&mut Document) -> bool,
    ) {
        let before = self.document.scene().clone();
        if step(&mut self.document) {
            self.view.selection.follow(&before, self.document.scene());
            self.restart(ctx);
        }
    }

    pub(super) fn select(&mut self, action: Action, ctx: &egui::Context) {
        let scene = self.document.scene();
        let things = self.view.selection.things().to_vec();
        let shown = |thing: &Thing| thing.is_visible(scene);
        match action {
            Action::Select(Select::Only(things)) => self.view.selection.set(things),
            Action::Select(Select::Toggle(thing)) => self.view.selection.toggle(thing),
            Action::SelectAll => {
                let cables = (0..scene.cables.len()).map(Thing::Cable);
                let parts = (0..scene.parts.len()).map(Thing::Part);
                let all = cables.chain(parts).filter(shown);
                self.view.selection.set(all.collect());
            }
            Action::RenameSelected => {
                if let [one] = things[..] {
                    self.settings.panes.tree = true;
                    self.tree.rename(one, scene);
                }
            }
            Action::DeleteSelected => {
                let commands = deletions(scene, &things);
                self.edit_all(&commands, ctx);
            }
            Action::RigidifySelected => {
                let cables = things.iter().filter_map(|thing| match thing {
                    Thing::Cable(k) => Some(scene.cables.get(*k)?.name.clone()),
                    _ => None,
                });
                let commands: Vec<_> = cables.map(|cable| Command::Rigidify { cable }).collect();
                self.edit_all(&commands, ctx);
            }
            Action::HideSelected => {
                let commands = things.iter().filter_map(|t| t.show_command(scene, false));
                let commands: Vec<_> = commands.collect();
                self.edit_all(&commands, ctx);
            }
            Action::Isolate => {
                let commands = isolation(scene, &things);
                self.edit_all(&commands, ctx);
            }
            Action::ShowAll => {
                let hidden = all_that_hides(scene).filter(|t| !shown(t));
                let commands: Vec<_> = hidden.filter_map(|t| t.show_command(scene, true)).collect();
                self.edit_all(&commands, ctx);
            }
            _ => {}
        }
        self.view.selection_changed();
    }

    /// Esc: the last pick, the tool, the selection.
    pub(super) fn back(&mut self) {
        if self.tool.back() {
            return;
        }
        if !self.tool.is_select() {
            self.tool = Tool::default();
            return;
        }
        self.view.selection.set(Vec::new());
        self.view.selection_changed();
    }

    pub(super) fn new_scene(&mut self, ctx: &egui::Context) {
        if self.document.is_unsaved() {
            self.leaving = Some(Leaving::New);
        } else {
            self.take_over(Document::default(), ctx);
        }
    }

    /// Reads a new revision of a part in the background.
    pub(super) fn replace_part(&mut self, part: String, path: Option<PathBuf>) {
        let scene = self.document.scene();
        let found = scene.part(&part).and_then(|p| p.source.as_ref());
        let missing = scene.missing.iter().find(|p| p.name == part);
        let source = found.or(missing.map(|p| &p.source));
        let options = source.map(|s| s.options.clone()).unwrap_or_default();
        let own = source.map(|s| s.path.clone());
        match path.or(own) {
            Some(path) => self.jobs.reread(part, path, options),
            None => self.messages.push(
                Level::Error,
                format!("Part \"{part}\" was not read from a file: name the file to take."),
            ),
        }
    }

    /// Makes something of a harness flexible; the cables stay where CAD had them until the simulation runs.
    pub(super) fn flexibilise(&mut self, command: &Command, ctx: &egui::Context) {
        let n_before = self.document.scene().cables.len();
        let was_running = self.running.clone();
        self.pause("after flexibilising: cables lie where CAD had them, Space lets them go");
        self.edit(command, ctx);
        let new = n_before..self.document.scene().cables.len();
        if new.is_empty() {
            // It was refused, with a message: nothing to pause for.
            if was_running == Running::Yes {
                self.toggle_run();
            }
            return;
        }
        for remark in flexibilise::remarks(self.document.scene()) {
            self.messages.push(Level::Warning, remark);
        }
        self.tool = Tool::default();
        self.view.selection.set(new.map(Thing::Cable).collect());
        self.view.selection_changed();
    }

    pub(super) fn keep_view(&self) -> Command {
        let camera = &self.view.camera;
        let views = &self.document.scene().views;
        let name = free_name("view", |name| views.iter().any(|v| v.name == name));
        Command::SaveView {
            view: NamedView {
                name,
                focus: camera.focus,
                to_eye: camera.back() * camera.distance(),
                up: camera.up(),
                orthographic: camera.projection == Projection::Orthographic,
            },
        }
    }

    pub(super) fn recall_view(&mut self, name: &str) {
        let views = &self.document.scene().views;
        let Some(view) = views.iter().find(|v| v.name == name) else {
            return;
        };
        let camera = &mut self.view.camera;
        camera.focus = view.focus;
        camera.rotation = Rotation::face_towards(&view.to_eye, &view.up);
        camera.set_distance(view.to_eye.norm());
        camera.projection = if view.orthographic {
            Projection::Orthographic
        } else {
            Projection::Perspective
        };
    }
}

/// What can be hidden.
fn all_that_hides(scene: &Scene) -> impl Iterator<Item = Thing> {
    let cables = (0..scene.cables.len()).map(Thing::Cable);
    cables.chain((0..scene.parts.len()).map(Thing::Part))
}

/// The commands that remove these things; a handle goes with its cable.
fn deletions(scene: &Scene, things: &[Thing]) -> Vec<Command> {
    let gone = |thing: &&Thing| match thing {
        Thing::Handle(HandleId { cable, .. }) => things.contains(&Thing::Cable(*cable)),
        Thing::Junction(k) => {
            let cables = scene.cables.iter().enumerate();
            let mut deleted = cables.filter(|(k, _)| things.contains(&Thing::Cable(*k)));
            let ends = scene.junctions.get(*k).map_or(&[][..], |j| &j.ends);
            !ends.is_empty() && ends.iter().all(|e| deleted.any(|(_, c)| c.name == e.cable))
        }
        _ => false,
    };
    // By name, so the order does not matter.
    (things.iter().filter(|t| !gone(t)))
        .filter_map(|t| t.delete_command(scene))
        .collect()
}

/// Whether it is a cable that ends at that junction.
fn meets_at(scene: &Scene, junction: usize, thing: Thing) -> bool {
    let (Thing::Cable(_), Some(name)) = (thing, thing.name(scene)) else {
        return false;
    };
    let ends = scene.junctions.get(junction).map_or(&[][..], |j| &j.ends);
    ends.iter().any(|end| end.cable == name)
}

/// The commands that hide everything but these things, and show them.
fn isolation(scene: &Scene, things: &[Thing]) -> Vec<Command> {
    let kept = |thing: &Thing| {
        things.iter().any(|t| match t {
            Thing::Handle(id) => *thing == Thing::Cable(id.cable),
            Thing::Junction(k) => meets_at(scene, *k, *thing),
            other => other == thing,
        })
    };
    all_that_hides(scene)
        .filter(|thing| thing.is_visible(scene) != kept(thing))
        .filter_map(|thing| thing.show_command(scene, kept(&thing)))
        .collect()
}
