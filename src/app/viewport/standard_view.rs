//! The directions every CAD program can look from.

use crate::geom::Vec3;

/// The seven views every CAD program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardView {
    /// From -Y.
    Front,
    /// From +Y.
    Back,
    /// From -X.
    Left,
    /// From +X.
    Right,
    /// From +Z.
    Top,
    /// From -Z.
    Bottom,
    /// From the corner between front, right and top.
    Isometric,
}

impl StandardView {
    /// All of them, in the order of the keys 1 to 7.
    pub const ALL: [Self; 7] = [
        Self::Front,
        Self::Back,
        Self::Left,
        Self::Right,
        Self::Top,
        Self::Bottom,
        Self::Isometric,
    ];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Self::Front => "Front",
            Self::Back => "Back",
            Self::Left => "Left",
            Self::Right => "Right",
            Self::Top => "Top",
            Self::Bottom => "Bottom",
            Self::Isometric => "Isometric",
        }
    }

    /// From the focus to the eye, and what is up.
    pub fn back_and_up(self) -> (Vec3, Vec3) {
        match self {
            Self::Front => (-Vec3::y(), Vec3::z()),
            Self::Back => (Vec3::y(), Vec3::z()),
            Self::Left => (-Vec3::x(), Vec3::z()),
            Self::Right => (Vec3::x(), Vec3::z()),
            Self::Top => (Vec3::z(), Vec3::y()),
            Self::Bottom => (-Vec3::z(), -Vec3::y()),
            Self::Isometric => (Vec3::new(1.0, -1.0, 0.8), Vec3::z()),
        }
    }
}
