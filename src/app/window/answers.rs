//! Questions about cables that take a while: asked of a job, answered when it ends.

use std::path::{Path, PathBuf};

use super::LoomApp;
use super::filing::name_of;
use crate::app::jobs::Updated;
use crate::app::panels::messages::Level;
use crate::app::panels::revision::Revision;
use crate::geom::Pose;
use crate::scene::{Command, HandlePlace};

impl LoomApp {
    /// Turns the end of a cable until the cable is not twisted; says why where the end cannot be turned.
    pub(super) fn zero_twist(&mut self, cable: String) {
        let scene = self.document.scene();
        let end = scene
            .cable(&cable)
            .and_then(|c| c.handle_at(HandlePlace::End));
        let joined = |handle: &str| scene.junctions.iter().any(|j| j.holds(&cable, handle));
        if end.is_none_or(|h| joined(&h.name)) {
            let words = "The twist cannot be taken out: the end of the cable is not held by a fixing of its own.";
            self.messages.push(Level::Error, words.to_owned());
            return;
        }
        let (scene, edit) = (scene.clone(), self.document.edit_number());
        self.jobs.untwist(scene, edit, cable);
    }

    /// Takes the pose that was found for the end of a cable.
    pub(super) fn untwisted(
        &mut self,
        cable: String,
        edit: u64,
        pose: Result<Pose, String>,
        ctx: &egui::Context,
    ) {
        if edit != self.document.edit_number() {
            // The scene was edited meanwhile: once more, from what it is now.
            return self.zero_twist(cable);
        }
        let pose = match pose {
            Ok(pose) => pose,
            Err(why) => return self.messages.push(Level::Error, why),
        };
        let held = self.document.scene().cable(&cable);
        let Some(handle) = held.and_then(|c| c.handle_at(HandlePlace::End)) else {
            return;
        };
        let (handle, r) = (handle.name.clone(), pose.rotation);
        let turn = Command::MoveHandle {
            cable: cable.clone(),
            handle: handle.clone(),
            position: None,
            rotation: Some([r.w, r.i, r.j, r.k]),
        };
        let turns = Command::ChangeHandle {
            cable,
            handle,
            name: None,
            place: None,
            kind: None,
            turns: Some(0),
            attached_to: None,
            pose: None,
        };
        self.edit_all(&[turn, turns], ctx);
    }

    /// Reads a new revision of the parts, in the background.
    pub(super) fn update_parts(&mut self, path: PathBuf) {
        let (scene, edit) = (self.document.scene().clone(), self.document.edit_number());
        self.jobs.update_parts(scene, edit, path);
    }

    /// Takes a new revision of the parts, and shows what became of them and of the cables.
    pub(super) fn updated(&mut self, path: &Path, updated: Updated, ctx: &egui::Context) {
        if updated.edit != self.document.edit_number() {
            // The scene was edited meanwhile: once more, from what it is now.
            return self.update_parts(path.to_owned());
        }
        let before = self.document.scene().clone();
        let Updated {
            command,
            made,
            parts,
            before: numbers,
            ..
        } = updated;
        self.document.take_made(&command, made);
        self.worker.edit(command.clone());
        self.edited(&before, &[command], ctx);
        let revision = Revision::new(name_of(path).into_owned(), parts, numbers);
        let words = format!(
            "Parts updated from {}: {}.",
            name_of(path),
            revision.summary()
        );
        self.messages.push(Level::Done, words);
        self.drawer.turn_to_revision(revision);
        self.settings.panes.drawer = true;
        self.keep_settings();
    }

    /// Measures the cables whenever they rest after a new revision of the parts, while that is looked at.
    pub(super) fn follow_revision(&mut self) {
        let edit = self.document.edit_number();
        let looked_at = self.settings.panes.drawer && self.document.is_settled();
        if looked_at && self.drawer.revision_asks(edit) {
            let reports = self.document.reports().to_vec();
            self.jobs
                .measure(self.document.scene().clone(), edit, reports);
        }
    }
}
