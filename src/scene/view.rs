//! Named views: where the camera stood.

use serde::{Deserialize, Serialize};

use crate::geom::{Vec3, plain};

/// A camera place that the user gave a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedView {
    /// Unique among the views.
    pub name: String,
    /// Point looked at, mm.
    #[serde(with = "plain::point")]
    pub focus: Vec3,
    /// From the focus to the eye, mm.
    #[serde(with = "plain::point")]
    pub to_eye: Vec3,
    /// What is up in the picture.
    #[serde(with = "plain::point")]
    pub up: Vec3,
    /// Parallel projection instead of perspective.
    #[serde(default)]
    pub orthographic: bool,
}
