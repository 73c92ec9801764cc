//! Edits, the selection, and the way back.

use std::path::PathBuf;

use super::LoomApp;
use crate::app::action::{Action, Select};
use crate::app::document::Document;
use crate::app::panels::dialogs::Leaving;
use crate::app::panels::messages::Level;
use crate::app::selection::{HandleId, Thing};
use crate::app::tools::ToolInUse;
use crate::app::viewport::camera::{Camera, Projection};
use crate::scene::{Command, Kind, Mirror, NamedView, Scene, flexibilise, free_name};

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
        if self.document.is_in_gesture() {
            // The gesture is the undo point.
            for command in commands {
                self.edit(command, ctx);
            }
            return;
        }
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
        if let [first, _, ..] = commands {
            let title = format!("{} and {} more", first.title(), commands.len() - 1);
            self.document.retitle(title);
        }
        self.worker.edit_all(commands);
        self.edited(&before, commands, ctx);
    }

    /// View and selection follow what was edited.
    pub(super) fn edited(&mut self, before: &Scene, commands: &[Command], ctx: &egui::Context) {
        let now = self.document.scene();
        self.view.follow(before, now);
        // A junction may carry a part.
        let redraws = |c: &Command| {
            let effect = c.effect();
            effect.view || effect.sends.is_some_and(|sent| sent.part(now).is_some())
        };
        if commands.iter().any(redraws) {
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
            self.view.follow(&before, self.document.scene());
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
            Action::DuplicateSelected(axis) => {
                let commands = duplicates(scene, &things, axis);
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
                let commands = things.iter().flat_map(|t| t.show_commands(scene, false));
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
            self.tool = ToolInUse::default();
            return;
        }
        self.view.selection.set(Vec::new());
        self.view.selection_changed();
    }

    pub(super) fn new_scene(&mut self, ctx: &egui::Context) {
        if self.document.is_unsaved() {
            self.leaving = Some(Leaving::New);
        } else {
            self.begin_anew(ctx);
        }
    }

    /// An empty scene, of which nothing was said yet.
    pub(super) fn begin_anew(&mut self, ctx: &egui::Context) {
        self.messages.forget_all();
        self.take_over(Document::default(), ctx);
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

    /// Makes something of a harness flexible, in the background: a large mesh takes seconds to cut.
    pub(super) fn flexibilise(&mut self, command: Box<Command>) {
        let scene = self.document.scene().clone();
        let edit = self.document.edit_number();
        self.jobs.make_flexible(scene, edit, command);
    }

    /// Takes over what was made flexible; the cables stay where CAD had them until the simulation runs.
    pub(super) fn made_flexible(
        &mut self,
        command: Box<Command>,
        edit: u64,
        made: Result<Box<Scene>, String>,
        ctx: &egui::Context,
    ) {
        if edit != self.document.edit_number() {
            // The scene was edited meanwhile: once more, from what it is now.
            return self.flexibilise(command);
        }
        let made = match made {
            Ok(made) => *made,
            Err(error) => return self.messages.push(Level::Error, error),
        };
        let n_before = self.document.scene().cables.len();
        // As designed nothing moves, so there is nothing to wait for.
        let is_held = |c: &crate::scene::Cable| c.as_designed().is_some();
        if !made.cables[n_before.min(made.cables.len())..]
            .iter()
            .all(is_held)
        {
            self.pause(
                "after making it flexible: cables lie where CAD had them, Space lets them go",
            );
        }
        self.document.take_made(&command, made);
        for remark in flexibilise::remarks(self.document.scene()) {
            self.messages.push(Level::Warning, remark);
        }
        let wants_design = matches!(
            &*command,
            Command::Flexibilise {
                rest: flexibilise::RestChoice::AsDesigned,
                ..
            }
        );
        for cable in &self.document.scene().cables[n_before..] {
            if wants_design && cable.as_designed().is_none() {
                let remark = flexibilise::as_designed::too_soft(&cable.name);
                self.messages.push(Level::Warning, remark);
            }
        }
        self.tool = ToolInUse::default();
        let new = n_before..self.document.scene().cables.len();
        self.view.selection.set(new.map(Thing::Cable).collect());
        self.view.selection_changed();
        self.restart(ctx);
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
        self.view.camera = Camera::of_view(view);
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
            let is_deleted = |name: &str| {
                let cable = scene.cables.iter().position(|c| c.name == name);
                cable.is_some_and(|k| things.contains(&Thing::Cable(k)))
            };
            let ends = scene.junctions.get(*k).map_or(&[][..], |j| &j.ends);
            !ends.is_empty() && ends.iter().all(|e| is_deleted(&e.cable))
        }
        _ => false,
    };
    // By name, so the order does not matter.
    (things.iter().filter(|t| !gone(t)))
        .filter_map(|t| t.delete_command(scene))
        .collect()
}

/// Offset of a copy from its original: a share of its size, and the least, mm.
const BESIDE: (f64, f64) = (1.2, 40.0);

/// What kind of thing a copy of it is; `None` where it has no copies of its own.
pub(super) fn copied_kind(thing: Thing) -> Option<Kind> {
    match thing {
        Thing::Cable(_) => Some(Kind::Cable),
        Thing::Part(_) => Some(Kind::Part),
        Thing::Handle(_) | Thing::Junction(_) | Thing::Harness(_) => None,
    }
}

/// The offset along x of copies of these things, mm.
pub(super) fn beside(scene: &Scene, things: &[Thing]) -> f64 {
    let width = things.iter().map(|thing| {
        let aabb = thing.aabb(scene);
        if aabb.is_empty() {
            0.0
        } else {
            aabb.max.x - aabb.min.x
        }
    });
    (BESIDE.0 * width.fold(0.0, f64::max)).max(BESIDE.1)
}

/// The commands that add copies: beside the originals along x, or mirrored in the plane through the world's origin.
fn duplicates(scene: &Scene, things: &[Thing], axis: Option<usize>) -> Vec<Command> {
    let mirror = axis.map(|axis| Mirror { axis, at: 0.0 });
    let by = match mirror {
        Some(_) => [0.0; 3],
        None => [beside(scene, things), 0.0, 0.0],
    };
    let copy = |thing: &Thing| {
        let kind = copied_kind(*thing)?;
        let name = thing.name(scene)?.to_owned();
        Some(Command::Duplicate {
            kind,
            name,
            by,
            mirror,
        })
    };
    things.iter().filter_map(copy).collect()
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
            Thing::Harness(k) => {
                let members = scene.harness_members(*k);
                match thing {
                    Thing::Cable(cable) => members.cables.contains(cable),
                    Thing::Part(part) => members.connectors.contains(part),
                    _ => false,
                }
            }
            other => other == thing,
        })
    };
    all_that_hides(scene)
        .filter(|thing| thing.is_visible(scene) != kept(thing))
        .filter_map(|thing| thing.show_command(scene, kept(&thing)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Pose;
    use crate::scene::{Cable, Handle, HandlePlace, Junction, JunctionEnd};

    #[test]
    fn a_junction_goes_with_all_its_cables_whatever_their_order() {
        // Its cables were looked for by one pass over all of them: found in their order, missed in any other.
        let mut scene = crate::scene::demo::demo("drag").unwrap();
        let section = scene.cables[0].section;
        let at = |name: &str| {
            let mut cable = Cable::new(name, 3.0, 100.0, section);
            cable.handles = vec![Handle::at_end(HandlePlace::Start, Pose::identity())];
            cable
        };
        let end = |cable: &str| JunctionEnd {
            cable: cable.into(),
            handle: "start".into(),
            in_junction: Pose::identity(),
        };
        scene.cables = vec![at("a"), at("b"), at("c")];
        for order in [["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"]] {
            scene.junctions = vec![Junction {
                name: "J".into(),
                pose: Pose::identity(),
                ends: order.map(end).into(),
                carries: Vec::new(),
                free: false,
                mass_kg: 0.0,
            }];
            let mut things: Vec<_> = (0..3).map(Thing::Cable).collect();
            things.push(Thing::Junction(0));
            let commands = deletions(&scene, &things);
            assert_eq!(commands.len(), 3, "{order:?}: {commands:?}");
            let mut left = scene.clone();
            for command in &commands {
                command.apply(&mut left).unwrap();
            }
            assert!(left.cables.is_empty() && left.junctions.is_empty());
        }
    }
}
