//! What the surface of a part looks like.

use serde::{Deserialize, Serialize};

/// How a part takes the light; it has no other effect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// Painted sheet, or not known: dull with a little shine.
    #[default]
    Paint,
    /// Bare metal: bright, broad highlights in its own colour.
    Metal,
    /// Moulded plastic: small white highlights.
    Plastic,
    /// Rubber: none.
    Rubber,
}

impl Finish {
    /// All of them, with their names for people.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Paint, "paint"),
        (Self::Metal, "metal"),
        (Self::Plastic, "plastic"),
        (Self::Rubber, "rubber"),
    ];
}
