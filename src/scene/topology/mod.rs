//! Cables cut, joined end to end and turned round: shape, frames, twist, friction, rest shape, handles and skin go along,
//! so that nothing moves by it.

mod cut;
mod friction;
mod reverse;
mod weld;

use serde::{Deserialize, Serialize};

pub use cut::{cut, cut_node};
pub use friction::{Touch, put_touches, take_touches};
pub use reverse::reversed;
pub(super) use reverse::turned;
pub use weld::{Misfit, weld};

use super::{Cable, Handle, HandlePlace};

/// One of the two ends of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CableEnd {
    /// Where arc length is 0.
    Start,
    /// Where arc length is the cable's length.
    End,
}

impl CableEnd {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Start => Self::End,
            Self::End => Self::Start,
        }
    }

    /// As the place of a handle.
    pub fn place(self) -> HandlePlace {
        match self {
            Self::Start => HandlePlace::Start,
            Self::End => HandlePlace::End,
        }
    }

    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::End => "end",
        }
    }

    /// The end at which a handle sits, if it sits at one.
    pub fn of(handle: &Handle) -> Option<Self> {
        match handle.place {
            HandlePlace::Start => Some(Self::Start),
            HandlePlace::End => Some(Self::End),
            HandlePlace::At(_) => None,
        }
    }
}

/// Share of each edge in the basis length, as many as edges.
fn basis_shares(cable: &Cable) -> Vec<f64> {
    let lengths = cable.edge_lengths();
    let shares = match &cable.basis_spacing {
        Some(shares) if shares.len() == lengths.len() => shares.clone(),
        _ => lengths,
    };
    let scale = cable.basis_length / shares.iter().sum::<f64>();
    shares.into_iter().map(|share| share * scale).collect()
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod walk;
