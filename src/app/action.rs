//! What the user asked for. Panels and the view push actions; the window carries them out in one place.

use std::path::PathBuf;
use std::sync::Arc;

use super::choices::{Coloring, ExportOrder, Preset, Purpose, Section, StandardView, ToolKind};
use super::curve::Curve;
use super::files::ImportChoice;
use super::motion::{MotionOrder, Pace};
use super::playback::{PlaybackOrder, Source};
use super::selection::{Pick, Thing};
use crate::exchange::Format;
use crate::scene::Command;
use crate::scene::study::StudyPath;

/// A change of the selection.
#[derive(Clone, Debug, PartialEq)]
pub enum Select {
    /// These and nothing else.
    Only(Vec<Thing>),
    /// Adds it, or takes it out.
    Toggle(Thing),
}

/// A small window that only tells something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// All shortcuts.
    Shortcuts,
    /// What this program is.
    About,
}

/// A panel or drawer that can be shown or hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The tree on the left.
    Tree,
    /// The inspector on the right.
    Inspector,
    /// The drawer below: plots, contacts, log.
    Drawer,
    /// The five steps of the first start.
    Hints,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// An edit with its own undo point, or part of the gesture that goes on.
    Edit(Command),
    /// Several edits with one undo point.
    EditAll(Vec<Command>),
    /// A gesture begins: its edits share one undo point.
    BeginGesture,
    /// The gesture ends; what was done stays.
    EndGesture,
    /// The gesture ends; what was done is taken back.
    CancelGesture,
    /// One step back.
    Undo,
    /// One step forward again.
    Redo,
    /// So many steps back.
    UndoBy(usize),
    /// So many steps forward again.
    RedoBy(usize),
    /// Asks for files to open.
    AskOpen,
    /// Asks for files of routes, which become cables.
    AskRoutes,
    /// Shows the field to type a path into.
    TypePath(Purpose),
    /// Opens files: a scene replaces the open one, meshes are added to it.
    Open(Vec<PathBuf>),
    /// Reads mesh files and adds their parts.
    Import(Vec<PathBuf>, ImportChoice),
    /// Shows the dialog of an export.
    ShowExport,
    /// Asks for the file of an export.
    AskExport(String, Format),
    /// Writes routes and reads them back.
    Export(Box<ExportOrder>),
    /// Looks for centerlines in a part.
    Extract(usize),
    /// Makes something of a harness flexible.
    Flexibilise(Box<Command>),
    /// Makes the selected cables rigid where they are.
    RigidifySelected,
    /// Saves to the document's file, or asks for one.
    Save,
    /// Asks for a file and saves to it.
    SaveAs,
    /// Saves to this file, which becomes the document's.
    SaveTo(PathBuf),
    /// Asks for a file to read, for something else than the scene.
    AskRead(Purpose),
    /// Asks for a file to write, for something else than the scene.
    AskWrite(Purpose),
    /// Saves the scene with all its meshes in one file; the open document stays as it is.
    PackTo(PathBuf),
    /// Takes a picture of the window.
    Screenshot,
    /// Saves the picture that was taken.
    SaveShot(PathBuf),
    /// Saves scene, log and the last drag in one file.
    SaveSupport(PathBuf),
    /// Saves a plot there: a drawing (.svg) or numbers.
    SavePlot(Arc<Curve>, PathBuf),
    /// An empty scene.
    New,
    /// A demo scene, by name.
    OpenDemo(&'static str),
    /// Shows the whole scene.
    FitAll,
    /// Shows what is selected.
    FitSelection,
    /// Looks at a place.
    GoTo([f64; 3]),
    /// Looks at a place inside a part: parts become see-through, and so many mm are seen from top to bottom.
    LookInto([f64; 3], f64),
    /// Takes a new revision of a part's mesh, from its own file or from this one.
    ReplacePart(String, Option<PathBuf>),
    /// Looks for the shortest length with which a cable, by its name, meets its limits.
    FindLength(String),
    /// Turns the end of a cable, by its name, until the cable is not twisted.
    ZeroTwist(String),
    /// Judges the scene by its limits, for the list of findings.
    Judge,
    /// Takes a new revision of the parts from a file.
    UpdateParts(PathBuf),
    /// Keeps where the camera is, under a name.
    KeepView,
    /// Looks from a kept view.
    RecallView(String),
    /// Looks from a standard direction.
    Look(StandardView),
    /// Switches between perspective and orthographic.
    ToggleProjection,
    /// Makes parts see-through, or solid again.
    ToggleSeeThrough,
    /// Turns arrows and rings to the handle's own directions, or back to X, Y and Z.
    ToggleAxes,
    /// Cuts parts away beyond planes, or shows them whole.
    SetSection(Option<Section>),
    /// Cuts away what is before the eye, or shows it again.
    ToggleSection,
    /// Shows of the parts what is in a box: around what is selected, or everything.
    BoxSection,
    /// Colours cables by what happens along them.
    ColorBy(Coloring),
    /// What is dragged snaps to surfaces, holes and axes, or does not.
    ToggleSnap,
    /// Let cables pass through parts for a while, or hold them again and list what they cross.
    ToggleGhost,
    /// Find the shape without friction.
    Settle,
    /// Light, dark, or as the system has it.
    UseTheme(egui::ThemePreference),
    /// Changes what is selected.
    Select(Select),
    /// Selects everything that is visible.
    SelectAll,
    /// One level back: the last pick of a tool, the tool, the selection.
    Back,
    /// What the tool in use asks for to be done with its picks.
    Enter,
    /// Turns what the tool in use would put down.
    Turn,
    /// A place was clicked for the tool in use.
    Pick(Pick),
    /// Takes up a tool.
    Use(ToolKind),
    /// Remembers the selected cables, parts and fixings.
    Copy,
    /// Adds what was remembered once more.
    Paste,
    /// Adds copies of the selected cables and parts beside them, or mirrored across an axis (0, 1, 2).
    DuplicateSelected(Option<usize>),
    /// Removes what is selected.
    DeleteSelected,
    /// Begins to type another name for what is selected.
    RenameSelected,
    /// Hides what is selected.
    HideSelected,
    /// Hides everything else.
    Isolate,
    /// Shows everything.
    ShowAll,
    /// Runs the simulation, or pauses it.
    ToggleRun,
    /// Whose mouse the view has.
    UsePreset(Preset),
    /// Shows the command palette.
    ShowPalette,
    /// Labels stay on selected cables, or only while they are dragged.
    ToggleLabels,
    /// Shows the page of the assembly study.
    ShowStudy,
    /// Takes the path of the assembly study from a file.
    OpenStudyPath(PathBuf),
    /// Writes the path of the assembly study.
    SaveStudyPath(Arc<StudyPath>, PathBuf),
    /// Plays a path with so many mm between two samples; the edits bring its parts to where they are installed.
    RunStudy(Box<StudyPath>, f64, Vec<Command>),
    /// Shows the page of motion over time.
    ShowMotion,
    /// Takes a path over time from a file.
    OpenMotionPath(PathBuf),
    /// Sets a copy of the scene in motion.
    Move(Box<MotionOrder>),
    /// Lets the motion go on, stay or end.
    Pace(Pace),
    /// What is recorded is shown, played, or left.
    Playback(PlaybackOrder),
    /// Shows the room that the cables sweep.
    ShowEnvelopes(Source),
    /// Writes the room that the cables sweep.
    SaveEnvelopes(Source, PathBuf),
    /// Shows the list of contacts and violations.
    ShowViolations,
    /// Shows the inspector, if it is hidden.
    ShowInspector,
    /// Shows or hides a panel.
    TogglePane(Pane),
    /// Shows a small window.
    Show(Sheet),
    /// Says that something typed cannot be.
    Complain(String),
    /// Closes the window (asks when something is not saved).
    Quit,
}
