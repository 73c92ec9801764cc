//! The open document: scene, undo points, file, and what is not saved.

use std::path::{Path, PathBuf};

use super::worker::Solution;
use crate::geom::Pose;
use crate::scene::{CableReport, Command, CommandError, HandlePlace, Scene};

/// How many undo points are kept.
const MAX_UNDO: usize = 200;

/// A scene with its history. Meshes are shared, so an undo point is cheap.
#[derive(Default)]
pub struct Document {
    scene: Scene,
    reports: Vec<CableReport>,
    path: Option<PathBuf>,
    undo: Vec<Snapshot>,
    redo: Vec<Snapshot>,
    /// Number of the state on the screen; equal numbers are equal states.
    edit: u64,
    saved_edit: u64,
    /// The shapes and reports are the solver's last word on this state.
    settled: bool,
    last_edit: u64,
    gesture: Gesture,
}

struct Snapshot {
    scene: Scene,
    reports: Vec<CableReport>,
    settled: bool,
    edit: u64,
}

/// A change that goes on while the mouse is down: one undo point in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Gesture {
    #[default]
    None,
    /// Begun, nothing changed yet.
    Begun,
    /// Something changed; the undo point is there.
    Changed,
}

impl Document {
    /// A document without history.
    pub fn new(scene: Scene, path: Option<PathBuf>) -> Self {
        Self {
            scene,
            path,
            ..Self::default()
        }
    }

    /// The scene on the screen.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What the solver last said of each cable.
    pub fn reports(&self) -> &[CableReport] {
        &self.reports
    }

    /// The file it was read from or saved to.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Number of the state on the screen, for [`Self::saved`].
    pub fn edit_number(&self) -> u64 {
        self.edit
    }

    /// Whether it differs from its file.
    pub fn is_unsaved(&self) -> bool {
        self.edit != self.saved_edit
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        !self.redo.is_empty()
    }

    /// Title of the window; `*` marks what is not saved.
    pub fn title(&self) -> String {
        let name = self
            .path
            .as_deref()
            .and_then(Path::file_name)
            .map_or("Untitled".into(), |n| n.to_string_lossy());
        let mark = if self.is_unsaved() { "*" } else { "" };
        format!("{name}{mark} - Loomwright")
    }

    /// The state of that number was written to `path`.
    pub fn saved(&mut self, path: PathBuf, edit: u64) {
        self.path = Some(path);
        self.saved_edit = edit;
    }

    /// Starts a change whose commands share one undo point.
    pub fn begin_gesture(&mut self) {
        self.gesture = Gesture::Begun;
    }

    /// Ends it and keeps what was done.
    pub fn end_gesture(&mut self) {
        self.gesture = Gesture::None;
    }

    /// Ends it and takes back what was done; says whether the scene changed.
    pub fn cancel_gesture(&mut self) -> bool {
        let changed = std::mem::take(&mut self.gesture) == Gesture::Changed;
        match self.undo.pop_if(|_| changed) {
            Some(before) => {
                self.swap(before);
                true
            }
            None => false,
        }
    }

    /// Carries out an edit with its undo point (one per gesture).
    pub fn apply(&mut self, command: &Command) -> Result<(), CommandError> {
        let before = self.snapshot();
        command.apply(&mut self.scene)?;
        self.changed(before);
        Ok(())
    }

    /// Changes the scene in a way no command describes yet, with an undo point.
    pub fn change(&mut self, change: impl FnOnce(&mut Scene)) {
        let before = self.snapshot();
        change(&mut self.scene);
        self.changed(before);
    }

    /// Carries out an edit that belongs to the one before it: no undo point of its own.
    pub fn amend(&mut self, command: &Command) -> Result<(), CommandError> {
        self.settled = false;
        command.apply(&mut self.scene)
    }

    /// Whether shapes and reports are the solver's last word: a state to come back to as it was.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// The solver rests (or not) with all that was asked of it.
    pub fn set_settled(&mut self, settled: bool) {
        self.settled = settled;
    }

    /// Steps back; says whether there was something to undo.
    pub fn undo(&mut self) -> bool {
        self.end_gesture();
        let to = self.undo.pop();
        let swapped = to.map(|to| self.swap(to));
        swapped.map(|now| self.redo.push(now)).is_some()
    }

    /// Steps forward again; says whether there was something to redo.
    pub fn redo(&mut self) -> bool {
        self.end_gesture();
        let to = self.redo.pop();
        let swapped = to.map(|to| self.swap(to));
        swapped.map(|now| self.undo.push(now)).is_some()
    }

    /// Takes the solver's shapes and reports; after a failure also the targets of its last good scene.
    pub fn accept(&mut self, solution: Solution) {
        if solution.rolled_back {
            self.scene = solution.scene;
        } else {
            for solved in solution.scene.cables {
                if let Some(cable) = self.scene.cable_mut(&solved.name) {
                    cable.shape = solved.shape;
                }
            }
        }
        self.reports = solution.reports;
    }

    /// Where a handle really is: its clamp, or its target before the first solve.
    pub fn handle_pose(&self, cable: usize, place: HandlePlace) -> Option<Pose> {
        let cable = self.scene.cables.get(cable)?;
        let target = cable.handle(place)?.pose;
        let clamp = cable.shape.as_ref().and_then(|s| s.clamps[index(place)]);
        Some(clamp.unwrap_or(target))
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            scene: self.scene.clone(),
            reports: self.reports.clone(),
            settled: self.settled,
            edit: self.edit,
        }
    }

    fn changed(&mut self, before: Snapshot) {
        self.settled = false;
        if self.gesture != Gesture::Changed {
            self.undo.push(before);
            if self.undo.len() > MAX_UNDO {
                self.undo.remove(0);
            }
            self.redo.clear();
            self.last_edit += 1;
            self.edit = self.last_edit;
            if self.gesture == Gesture::Begun {
                self.gesture = Gesture::Changed;
            }
        }
    }

    fn swap(&mut self, to: Snapshot) -> Snapshot {
        Snapshot {
            scene: std::mem::replace(&mut self.scene, to.scene),
            reports: std::mem::replace(&mut self.reports, to.reports),
            settled: std::mem::replace(&mut self.settled, to.settled),
            edit: std::mem::replace(&mut self.edit, to.edit),
        }
    }
}

/// Start is 0, end is 1, as in the solver's reports.
pub fn index(place: HandlePlace) -> usize {
    match place {
        HandlePlace::Start => 0,
        HandlePlace::End => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn friction(friction: f64) -> Command {
        Command::SetFriction { friction }
    }

    fn document() -> Document {
        Document::new(Scene::default(), Some("box.json".into()))
    }

    #[test]
    fn a_gesture_is_one_undo_point() {
        let mut document = document();
        document.begin_gesture();
        for f in [0.3, 0.4, 0.5] {
            document.apply(&friction(f)).unwrap();
        }
        document.end_gesture();
        document.apply(&friction(0.6)).unwrap();
        assert!(document.undo());
        assert!((document.scene().friction - 0.5).abs() < 1e-12);
        assert!(document.undo());
        assert!((document.scene().friction - 0.2).abs() < 1e-12);
        assert!(!document.undo());
        assert!(document.redo() && document.redo() && !document.redo());
        assert!((document.scene().friction - 0.6).abs() < 1e-12);
    }

    #[test]
    fn an_undo_comes_back_to_a_settled_state_if_it_was_one() {
        let mut document = document();
        document.apply(&friction(0.3)).unwrap();
        assert!(!document.is_settled());
        document.apply(&friction(0.4)).unwrap();
        document.set_settled(true);
        document.apply(&friction(0.5)).unwrap();
        assert!(document.undo() && document.is_settled());
        assert!(document.undo() && !document.is_settled());
        assert!(document.redo() && document.is_settled());
    }

    #[test]
    fn a_cancelled_gesture_leaves_no_trace() {
        let mut document = document();
        document.begin_gesture();
        assert!(!document.cancel_gesture(), "nothing was changed yet");
        document.begin_gesture();
        document.apply(&friction(0.5)).unwrap();
        assert!(document.cancel_gesture());
        assert!((document.scene().friction - 0.2).abs() < 1e-12);
        assert!(!document.can_undo() && !document.is_unsaved());
    }

    #[test]
    fn the_title_marks_what_is_not_saved() {
        let mut document = document();
        assert_eq!(document.title(), "box.json - Loomwright");
        document.apply(&friction(0.5)).unwrap();
        assert_eq!(document.title(), "box.json* - Loomwright");
        document.undo();
        assert!(!document.is_unsaved(), "back where the file is");
        document.redo();
        document.saved("other.json".into(), document.edit_number());
        assert_eq!(document.title(), "other.json - Loomwright");
        document.undo();
        assert!(document.is_unsaved());
    }

    #[test]
    fn a_refused_command_changes_nothing() {
        let mut document = document();
        assert!(document.apply(&friction(-1.0)).is_err());
        assert!(!document.can_undo() && !document.is_unsaved());
    }
}
