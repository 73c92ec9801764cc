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
    /// How deep inside the part a fixing may take the centerline there, mm: as deep as it was found. Without it, as deep
    /// as it likes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
}

impl Exclusion {
    /// An arc length beyond the end of every cable, mm.
    pub(super) const BEYOND: f64 = 1e9;

    /// An arc length that cannot be: what it must be, and what it is.
    pub(super) fn bad_number(&self) -> Option<(&'static str, f64)> {
        let must = "arc lengths in mm, the smaller first";
        if !(self.from >= 0.0 && self.from.is_finite()) {
            return Some((must, self.from));
        }
        if !(self.to >= self.from && self.to.is_finite()) {
            return Some((must, self.to));
        }
        let bad = |depth: &f64| !(*depth >= 0.0 && depth.is_finite());
        (self.depth.filter(bad)).map(|depth| ("a depth in mm that is not negative", depth))
    }

    /// The whole cable passes through the part, however long it becomes.
    pub fn everywhere(cable: &str, part: &str) -> Self {
        Self {
            cable: cable.to_owned(),
            part: part.to_owned(),
            from: 0.0,
            to: Self::BEYOND,
            depth: None,
        }
    }

    /// An empty stretch: the cable collides with the part along its whole length, also where defaults would let it in.
    pub fn nowhere(cable: &str, part: &str) -> Self {
        Self {
            to: 0.0,
            ..Self::everywhere(cable, part)
        }
    }

    /// Whether it is of the whole cable.
    pub fn is_everywhere(&self) -> bool {
        self.from <= 0.0 && self.to >= Self::BEYOND
    }

    /// Whether it covers no stretch at all: the pair is wanted to collide.
    pub fn is_nowhere(&self) -> bool {
        self.to <= self.from
    }

    /// One that reaches as deep as both.
    pub(super) fn deeper(a: Option<f64>, b: Option<f64>) -> Option<f64> {
        a.zip(b).map(|(a, b)| a.max(b))
    }

    /// Whether it is of that cable and that part.
    pub fn is_of(&self, cable: &str, part: &str) -> bool {
        self.cable == cable && self.part == part
    }
}
