//! Stretches of a cable that do not collide with a part.

use serde::{Deserialize, Serialize};

/// Where a cable may overlap a part: it enters a connector or clip, or meets the rigid rest of its harness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exclusion {
    /// Name of the cable.
    pub cable: String,
    /// Name of the part.
    pub part: String,
    /// Arc length from the cable's start at which it begins, mm.
    pub from: f64,
    /// Arc length at which it ends, mm; larger than the length means to the end.
    pub to: f64,
}
