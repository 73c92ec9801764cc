//! The open document: scene, undo points, file, and what is not saved.

use std::sync::Arc;

use std::path::{Path, PathBuf};

use super::selection::Thing;
use super::worker::{Missing, Solution};
use crate::geom::Pose;
use crate::scene::history::History;
use crate::scene::{
    Cable, CableReport, Command, CommandError, HandleKind, HeldPart, Scene, SolverEffect,
    StartGroup,
};
use crate::solve::{HandleReport, Profile, Report};

/// A scene with its history. Meshes are shared, so an undo point is cheap.
#[derive(Default)]
pub struct Document {
    present: Snapshot,
    path: Option<PathBuf>,
    history: History<Snapshot>,
    saved_edit: u64,
    last_edit: u64,
    starts: Vec<StartGroup>,
}

/// One state of the document.
#[derive(Clone, Default)]
struct Snapshot {
    scene: Scene,
    reports: Vec<Arc<CableReport>>,
    profiles: Vec<Profile>,
    /// Parts that cables keep from where they were sent, and what these cables lack, once it is known.
    held: Vec<HeldPart>,
    missing: Vec<Missing>,
    /// The shapes and reports are the solver's last word on this state.
    settled: bool,
    /// Number of the state; equal numbers are equal states.
    edit: u64,
}

impl Document {
    /// A document without history.
    pub fn new(scene: Scene, path: Option<PathBuf>) -> Self {
        Self {
            present: Snapshot {
                scene,
                ..Snapshot::default()
            },
            path,
            ..Self::default()
        }
    }

    /// The scene on the screen.
    pub fn scene(&self) -> &Scene {
        &self.present.scene
    }

    /// What the solver last said of each cable.
    pub fn reports(&self) -> &[Arc<CableReport>] {
        &self.present.reports
    }

    /// What the solver last said of the cable of that name.
    pub fn report(&self, cable: &str) -> Option<&Report> {
        let found = self.present.reports.iter().find(|r| r.cable == cable);
        found.map(|r| &r.report)
    }

    /// Forces and curvature along the cable of that name, as last solved.
    pub fn profile(&self, cable: &str) -> Option<&Profile> {
        let number = self
            .present
            .scene
            .cables
            .iter()
            .position(|c| c.name == cable)?;
        let profile = self.present.profiles.get(number)?;
        let n_edges = self.present.scene.cables[number].n_edges;
        (profile.tension.len() == n_edges).then_some(profile)
    }

    /// What is inside parts, too near to them or let into them, by cable and part: the gravest first.
    pub fn starts(&self) -> &[StartGroup] {
        &self.starts
    }

    /// The solver looked at what starts in contact.
    pub fn set_starts(&mut self, starts: Vec<StartGroup>) {
        self.starts = starts;
    }

    /// Parts that cables keep from where they were sent, in the last solve.
    pub fn held_parts(&self) -> &[HeldPart] {
        &self.present.held
    }

    /// What the cable lacks that holds a part; `None` while that is not known.
    pub fn missing(&self, held: &HeldPart) -> Option<&Missing> {
        let mut known = self.present.missing.iter();
        known.find(|m| m.part == held.part && Some(&m.cable) == held.cable.as_ref())
    }

    /// It was found out what the cables lack that hold parts.
    pub fn set_missing(&mut self, missing: Vec<Missing>) {
        self.present.missing = missing;
    }

    /// What the solver last said of a handle.
    pub fn handle_report(&self, cable: usize, handle: usize) -> Option<HandleReport> {
        let cable = self.present.scene.cables.get(cable)?;
        self.report(&cable.name)?.handles.get(handle).copied()
    }

    /// The file it was read from or saved to.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Number of the state on the screen, for [`Self::saved`].
    pub fn edit_number(&self) -> u64 {
        self.present.edit
    }

    /// Whether it differs from its file.
    pub fn is_unsaved(&self) -> bool {
        self.present.edit != self.saved_edit
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }

    /// What can be undone, the last change first.
    pub fn undo_titles(&self) -> impl Iterator<Item = &str> {
        self.history.undo_titles()
    }

    /// What can be redone, the next change first.
    pub fn redo_titles(&self) -> impl Iterator<Item = &str> {
        self.history.redo_titles()
    }

    /// Gives the last change another title: it has become more than it began with.
    pub fn retitle(&mut self, title: impl Into<String>) {
        self.history.retitle(title);
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
        self.history.begin_gesture();
    }

    /// Whether such a change goes on.
    pub fn is_in_gesture(&self) -> bool {
        self.history.is_in_gesture()
    }

    /// Ends it and keeps what was done.
    pub fn end_gesture(&mut self) {
        self.history.end_gesture();
    }

    /// Ends it and takes back what was done; says whether the scene changed.
    pub fn cancel_gesture(&mut self) -> bool {
        let before = self.history.cancel_gesture();
        before.map(|before| self.present = before).is_some()
    }

    /// Carries out an edit with its undo point (one per gesture).
    pub fn apply(&mut self, command: &Command) -> Result<(), CommandError> {
        let before = self.present.clone();
        let settled = self.present.settled;
        command.apply(&mut self.present.scene)?;
        self.changed(before, command.title());
        if command.effect().solver == SolverEffect::None {
            self.present.settled = settled;
        }
        Ok(())
    }

    /// Takes the scene that a command has made of this one elsewhere, as [`Document::apply`] would.
    pub fn take_made(&mut self, command: &Command, made: Scene) {
        let before = self.present.clone();
        self.present.scene = made;
        self.changed(before, command.title());
    }

    /// Counts as not saved, though nothing was edited: it was recovered.
    pub fn mark_unsaved(&mut self, title: &str) {
        let before = self.present.clone();
        self.changed(before, title.to_owned());
    }

    /// Carries out an edit that belongs to the one before it: no undo point of its own.
    pub fn amend(&mut self, command: &Command) -> Result<(), CommandError> {
        self.present.settled = false;
        command.apply(&mut self.present.scene)
    }

    /// Whether shapes and reports are the solver's last word: a state to come back to as it was.
    pub fn is_settled(&self) -> bool {
        self.present.settled
    }

    /// The solver rests (or not) with all that was asked of it.
    pub fn set_settled(&mut self, settled: bool) {
        self.present.settled = settled;
    }

    /// Steps back so many times, or as often as there is something to undo; says whether there was.
    pub fn undo_by(&mut self, steps: usize) -> bool {
        (0..steps).take_while(|_| self.undo()).count() > 0
    }

    /// Steps forward again so many times, or as often as there is something to redo; says whether there was.
    pub fn redo_by(&mut self, steps: usize) -> bool {
        (0..steps).take_while(|_| self.redo()).count() > 0
    }

    /// Steps back; says whether there was something to undo.
    pub fn undo(&mut self) -> bool {
        let present = &mut self.present;
        self.history.undo(|to| std::mem::replace(present, to))
    }

    /// Steps forward again; says whether there was something to redo.
    pub fn redo(&mut self) -> bool {
        let present = &mut self.present;
        self.history.redo(|to| std::mem::replace(present, to))
    }

    /// Takes the solver's shapes and reports; after a failure also the targets of its last good scene.
    ///
    /// Only the answer to the last request says where a part stopped: an older request had another target.
    pub fn accept(&mut self, solution: Solution, is_last: bool) {
        if solution.rolled_back {
            self.present.scene = solution.scene;
        } else {
            self.present.scene.follow_junctions(&solution.scene);
            let stopped = solution.held_parts.iter().filter(|_| is_last);
            for solved in solution.scene.cables {
                if let Some(cable) = self.present.scene.cable_mut(&solved.name) {
                    take_found_lengths(cable, &solved);
                    for held in stopped.clone() {
                        take_attached(cable, &solved, &held.part);
                    }
                    cable.shape = solved.shape;
                }
            }
            // A part that a cable holds stays where it stopped.
            for held in stopped {
                let stopped = solution.scene.parts.iter().find(|p| p.name == held.part);
                let own = self.present.scene.parts.iter_mut();
                if let (Some(stopped), Some(own)) =
                    (stopped, own.into_iter().find(|p| p.name == held.part))
                {
                    *own = stopped.clone();
                }
            }
        }
        self.present.reports = solution.reports;
        self.present.profiles = solution.profiles;
        if self.present.held != solution.held_parts {
            self.present.missing.clear();
        }
        self.present.held = solution.held_parts;
    }

    /// Where a handle really is: its clamp, or its target before the first solve.
    pub fn handle_pose(&self, cable: usize, handle: usize) -> Option<Pose> {
        let cable = self.present.scene.cables.get(cable)?;
        let handle = cable.handles.get(handle)?;
        Some(cable.held_pose(handle).unwrap_or(handle.pose))
    }

    /// The edit that gives what was let go the place where it stands for a target; `None` where it arrived, and for a
    /// spring, which pulls from afar.
    pub fn hold_where_it_stands(&self, thing: Thing) -> Option<Command> {
        let scene = self.scene();
        let standing = |cable: usize, handle: usize| {
            let is_short = self.handle_report(cable, handle)?.is_short();
            let cable = scene.cables.get(cable)?;
            let handle = cable.handles.get(handle)?;
            Some((cable.standing_pose(handle)?, handle.kind, is_short))
        };
        match thing {
            Thing::Handle(id) => {
                let (pose, kind, is_short) = standing(id.cable, id.handle)?;
                let springs = matches!(kind, HandleKind::Spring { .. });
                let turns = kind != HandleKind::Position;
                let command = thing.move_command(scene, &pose, true, turns);
                command.filter(|_| is_short && !springs)
            }
            Thing::Junction(k) => {
                let ends = &scene.junctions.get(k)?.ends;
                let first = ends.iter().find_map(|end| {
                    let cable = scene.cables.iter().position(|c| c.name == end.cable)?;
                    let handles = &scene.cables[cable].handles;
                    let handle = handles.iter().position(|h| h.name == end.handle)?;
                    let (pose, _, is_short) = standing(cable, handle)?;
                    is_short.then(|| pose.compose(&end.in_junction.inverse()))
                })?;
                thing.move_command(scene, &first, true, true)
            }
            Thing::Cable(_) | Thing::Part(_) | Thing::Harness(_) => None,
        }
    }

    fn changed(&mut self, before: Snapshot, title: String) {
        self.present.settled = false;
        if self.history.changed(before, title) {
            self.last_edit += 1;
            self.present.edit = self.last_edit;
        }
    }
}

/// Handles that are attached to a part are where it has them.
fn take_attached(cable: &mut Cable, solved: &Cable, part: &str) {
    for handle in &mut cable.handles {
        if handle.attached_to.as_deref() == Some(part)
            && let Some(solved) = solved.handle(&handle.name)
        {
            handle.pose = solved.pose;
        }
    }
}

/// A cable of free length, or one that runs through a sliding handle, has found how long its edges are.
///
/// Not where the length was edited meanwhile: the solver has not seen that yet.
fn take_found_lengths(cable: &mut Cable, solved: &Cable) {
    let slides = |c: &Cable| {
        let mut kinds = c.handles.iter().map(|h| h.kind);
        kinds.any(|kind| matches!(kind, HandleKind::Sliding { .. }))
    };
    let same =
        cable.free_length == solved.free_length && cable.handles.len() == solved.handles.len();
    let unedited = (cable.length - solved.length).abs() < 1e-9 * cable.length;
    let finds = solved.free_length.is_some() || (slides(solved) && unedited);
    if same && finds && cable.n_edges == solved.n_edges {
        cable.run_material(&solved.edge_lengths());
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
    fn a_part_that_a_cable_holds_stays_where_it_stopped() {
        let mut document = Document::new(crate::scene::demo::demo("box").unwrap(), None);
        let move_by = |z: f64| Command::MovePart {
            part: "box".to_owned(),
            position: Some([0.0, 0.0, z]),
            rotation: None,
        };
        document.apply(&move_by(300.0)).unwrap();
        let mut stopped = document.scene().clone();
        move_by(120.0).apply(&mut stopped).unwrap();
        let answer = Solution {
            ticket: 1,
            scene: stopped.clone(),
            reports: Vec::new(),
            profiles: Vec::new(),
            held_parts: vec![HeldPart {
                part: "box".to_owned(),
                cable: Some("cable".to_owned()),
                against: None,
                fit: None,
                short_by: 180.0,
                short_by_angle: 0.0,
                target: *document.scene().parts[0].placement(),
            }],
            part_poses: vec![*stopped.parts[0].placement()],
            rolled_back: false,
        };
        // The mouse has led it on meanwhile.
        document.accept(answer.clone(), false);
        assert_eq!(document.scene().parts[0].placement().position.z, 300.0);
        document.accept(answer, true);
        assert_eq!(document.scene().parts, stopped.parts);
        assert_eq!(document.held_parts().len(), 1);
        assert!(document.undo());
        assert_eq!(document.scene().parts[0].placement().position.z, 0.0);
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
    fn what_can_be_undone_has_its_name() {
        let mut document = document();
        document.begin_gesture();
        document.apply(&friction(0.3)).unwrap();
        document.apply(&friction(0.4)).unwrap();
        document.end_gesture();
        let gravity = [0.0, 0.0, -1.6];
        document.apply(&Command::SetGravity { gravity }).unwrap();
        let titles = |document: &Document| {
            let undo: Vec<_> = document.undo_titles().map(str::to_owned).collect();
            let redo: Vec<_> = document.redo_titles().map(str::to_owned).collect();
            (undo.join(", "), redo.join(", "))
        };
        let both = "Change gravity, Change friction";
        assert_eq!(titles(&document), (both.into(), String::new()));
        assert!(document.undo());
        let one = ("Change friction".into(), "Change gravity".into());
        assert_eq!(titles(&document), one);
        assert!(document.redo() && document.undo_by(2) && !document.undo_by(1));
        let redo = "Change friction, Change gravity";
        assert_eq!(titles(&document), (String::new(), redo.into()));
        assert!(document.redo_by(9) && !document.can_redo());
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
