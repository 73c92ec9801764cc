//! A run of iterations: how it goes, and what came of it.

use crate::geom::Vec3;

/// How to iterate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The mixed method, undamped at first: a few iterations where all goes well.
    Fast,
    /// The same matrix, and a line search on the energy for every step: slower, for snaps. One that is patient goes on
    /// where it hardly moves.
    Damped { patient: bool },
}

/// How a run of iterations ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// In equilibrium; `true` when the inertia check found a minimum.
    Found { stable: bool },
    /// Not within the iterations allowed.
    NotFound,
    /// Stopped from outside.
    Cancelled,
}

/// What cut a motion short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// The obstacle of that number.
    Obstacle(usize),
    /// Two rods (or one, twice) that came too near to each other.
    Rods([usize; 2]),
}

/// Outcome of one run, with what the handles did meanwhile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub rest: Rest,
    /// Fraction of the handle motion that was made.
    pub made: f64,
    /// What cut the handle motion, last.
    pub cut_by: Option<Cut>,
    /// Where it was the handle itself that met it: the unit vector from the obstacle to the handle.
    pub cut_at_handle: Option<Vec3>,
    pub iterations: usize,
    pub residual: f64,
    pub tolerance: f64,
}

impl Run {
    /// A run that has not begun.
    pub(super) const NONE: Self = Self {
        rest: Rest::NotFound,
        made: 0.0,
        cut_by: None,
        cut_at_handle: None,
        iterations: 0,
        residual: f64::INFINITY,
        tolerance: 0.0,
    };
}
