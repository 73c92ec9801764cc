//! What the user asked for. Panels and the view push actions; the window carries them out in one place.

use std::path::PathBuf;

use super::panels::dialogs::Purpose;
use super::viewport::standard_view::StandardView;
use crate::scene::Command;

/// One handle of one cable, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandleId {
    /// Number of the cable in the scene.
    pub cable: usize,
    /// Number of the handle in the cable.
    pub handle: usize,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// An edit with its own undo point, or part of the gesture that goes on.
    Edit(Command),
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
    /// Asks for files to open.
    AskOpen,
    /// Shows the field to type a path into.
    TypePath(Purpose),
    /// Opens files: a scene replaces the open one, meshes are added to it.
    Open(Vec<PathBuf>),
    /// Saves to the document's file, or asks for one.
    Save,
    /// Asks for a file and saves to it.
    SaveAs,
    /// Saves to this file, which becomes the document's.
    SaveTo(PathBuf),
    /// Shows the whole scene.
    FitAll,
    /// Looks from a standard direction.
    Look(StandardView),
    /// Switches between perspective and orthographic.
    ToggleProjection,
    /// Makes parts see-through, or solid again.
    ToggleSeeThrough,
    /// Turns arrows and rings to the handle's own directions, or back to X, Y and Z.
    ToggleAxes,
    /// Light, dark, or as the system has it.
    UseTheme(egui::ThemePreference),
    /// Selects a handle, or nothing.
    Select(Option<HandleId>),
    /// Closes the window (asks when something is not saved).
    Quit,
}
