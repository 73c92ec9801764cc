//! Required clearances: how far cables must stay away. They judge; the margin is what pushes.

use serde::{Deserialize, Serialize};

use super::{Part, PartRole, Scene};

/// What makes a part dangerous to cables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hazard {
    /// Nothing in particular.
    #[default]
    None,
    /// It is hot.
    Hot,
    /// It moves.
    Moving,
    /// It has sharp edges.
    Sharp,
}

impl Hazard {
    /// All of them, with their names for people.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::None, "none"),
        (Self::Hot, "hot"),
        (Self::Moving, "moving"),
        (Self::Sharp, "sharp"),
    ];

    /// `hot `, or nothing.
    pub fn adjective(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Hot => "hot ",
            Self::Moving => "moving ",
            Self::Sharp => "sharp ",
        }
    }
}

/// Required clearances by what a part is, mm; 0 asks for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequiredClearances {
    /// To hot parts.
    pub hot: f64,
    /// To moving parts.
    pub moving: f64,
    /// To parts with sharp edges.
    pub sharp: f64,
    /// To all other obstacles.
    pub others: f64,
    /// Between cables.
    pub cables: f64,
}

impl RequiredClearances {
    /// The first number that makes no sense: its name and what it is.
    pub fn bad_number(&self) -> Option<(&'static str, f64)> {
        [
            ("hot", self.hot),
            ("moving", self.moving),
            ("sharp", self.sharp),
            ("others", self.others),
            ("cables", self.cables),
        ]
        .into_iter()
        .find(|(_, mm)| !(0.0..=1e4).contains(mm))
    }
}

impl Scene {
    /// Clearance that cables must keep from a part, mm: its own, or by what it is; `None` where none is asked for.
    ///
    /// Cables enter connectors, so that only one of its own counts there.
    pub fn required_clearance(&self, part: &Part) -> Option<f64> {
        let by_kind = match part.hazard {
            Hazard::Hot => self.required.hot,
            Hazard::Moving => self.required.moving,
            Hazard::Sharp => self.required.sharp,
            Hazard::None if part.role == PartRole::Connector => 0.0,
            Hazard::None => self.required.others,
        };
        let mm = part.required_clearance.unwrap_or(by_kind);
        (part.role.collides() && mm > 0.0).then_some(mm)
    }
}
