//! The choices of an import.

use serde::{Deserialize, Serialize};

use super::{Unit, UpAxis};
use crate::progress::Progress;

/// Well below what a cable's clearance needs, mm.
const USUAL_CHORD_ERROR: f64 = 0.2;
/// Round things look round, degrees.
const USUAL_ANGLE: f64 = 15.0;

/// How a file is to be read. What is left out is taken from the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImportOptions {
    /// The unit of the file, whatever the format says; otherwise that of the format, or mm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<Unit>,
    /// The way up of the file, whatever the format says; otherwise that of the format, or Z.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up: Option<UpAxis>,
    /// Vertices closer than this times the diagonal of their part are one; 0 for only those that are equal.
    pub weld_tolerance: f64,
    /// Makes a part of every connected piece.
    pub split_components: bool,
    /// Largest distance between an exact surface and its triangles, mm (STEP).
    #[serde(skip_serializing_if = "is_usual_chord_error")]
    pub chord_error: f64,
    /// Largest angle between neighbouring triangles of an exact surface, degrees (STEP).
    #[serde(skip_serializing_if = "is_usual_angle")]
    pub angle: f64,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_usual_chord_error(value: &f64) -> bool {
    *value == USUAL_CHORD_ERROR
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_usual_angle(value: &f64) -> bool {
    *value == USUAL_ANGLE
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            units: None,
            up: None,
            // A metre of harness to a micrometre: well above the rounding of files, far below any detail.
            weld_tolerance: 1e-6,
            split_components: false,
            chord_error: USUAL_CHORD_ERROR,
            angle: USUAL_ANGLE,
        }
    }
}

/// Reads files with these options, and says how far it is.
#[derive(Clone, Debug, Default)]
pub struct Importer {
    /// The choices.
    pub options: ImportOptions,
    /// How far it is, and the way to stop it.
    pub progress: Progress,
}
