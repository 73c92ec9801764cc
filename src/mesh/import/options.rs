//! The choices of an import.

use serde::{Deserialize, Serialize};

use super::{Unit, UpAxis};
use crate::progress::Progress;

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
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            units: None,
            up: None,
            // A metre of harness to a micrometre: well above the rounding of files, far below any detail.
            weld_tolerance: 1e-6,
            split_components: false,
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
