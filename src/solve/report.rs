//! What a solve says of itself.

use smallvec::SmallVec;

use crate::geom::{Pose, Vec3};

/// What stopped a handle short of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocker {
    /// The obstacle of that number.
    Obstacle(usize),
    /// Another rod of those that are solved together, or the rod itself, by its number.
    Rod(usize),
    /// The cable is taut: its length does not reach.
    Length {
        /// The obstacle that it presses on hardest, if any: what it is taut around.
        around: Option<usize>,
    },
    /// The solver found no equilibrium further on.
    Solver,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// In equilibrium, every handle at its target.
    Converged,
    /// In equilibrium, but a handle was stopped short of its target.
    Blocked,
    /// Not in equilibrium to the tolerance, or in one but with none found further on a handle's way, or while material
    /// is still driven through a sliding handle; a cable that started clear is clear all the same.
    NotConverged,
    /// In equilibrium, on the way to its targets: the step's iterations are used up, and the next goes on.
    OnTheWay,
    /// Stopped by the cancel token.
    Cancelled,
    /// No handle holds it. It has no equilibrium to look for, and stays where it is.
    NotHeld,
}

impl Status {
    /// How bad it is: of several the one with the highest says most.
    pub fn rank(self) -> u8 {
        match self {
            Self::Converged => 0,
            Self::Blocked => 1,
            Self::NotHeld => 2,
            Self::NotConverged => 3,
            Self::OnTheWay => 4,
            Self::Cancelled => 5,
        }
    }

    /// Whether another step may bring it on.
    pub fn is_early(self) -> bool {
        matches!(self, Self::NotConverged | Self::OnTheWay | Self::Cancelled)
    }
}

/// One contact at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactReport {
    /// Number of the obstacle.
    pub obstacle: usize,
    /// Place on the obstacle, mm.
    pub position: Vec3,
    /// Normal force on the cable, N (friction not included).
    pub force: Vec3,
    /// Surface-to-surface distance, mm.
    pub gap: f64,
}

/// One contact with another rod, or with itself, at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodContactReport {
    /// Number of the other rod.
    pub rod: usize,
    /// Place between the two, mm.
    pub position: Vec3,
    /// Normal force of the other rod on this one, N (friction not included).
    pub force: Vec3,
    /// Surface-to-surface distance, mm.
    pub gap: f64,
}

/// One handle at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandleReport {
    /// Force of the handle on the cable, N.
    pub force: Vec3,
    /// Moment of the handle on the cable, N mm.
    pub moment: Vec3,
    /// How far it is from its target, mm.
    pub short_by: f64,
    /// How far it is turned from its target, radians.
    pub short_by_angle: f64,
    /// What holds it, when it is short.
    pub blocker: Option<Blocker>,
}

impl HandleReport {
    /// Whether it is not at its target.
    pub fn is_short(&self) -> bool {
        self.short_by > 0.0 || self.short_by_angle > 0.0
    }
}

/// One rigid body that finds its own place, at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyReport {
    /// Its number among those that were set.
    pub body: usize,
    /// Where it is.
    pub pose: Pose,
    /// Norm of what is left of the forces on it, N (moments divided by the length of its longest rod).
    pub residual: f64,
    /// What may be left of them, N.
    pub tolerance: f64,
}

/// Energy of a cable by term, N mm.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Stretch and shear.
    pub stretch: f64,
    /// Bending beyond the rest shape.
    pub bend: f64,
    /// Twist beyond the rest shape.
    pub twist: f64,
    /// Weight and loads: minus force times position.
    pub load: f64,
    /// Springs of compliant handles.
    pub spring: f64,
    /// Barrier of contacts.
    pub contact: f64,
    /// Friction, as a potential about its anchors.
    pub friction: f64,
}

impl Energies {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.stretch
            + self.bend
            + self.twist
            + self.load
            + self.spring
            + self.contact
            + self.friction
    }
}

/// Forces within the cable, from start to end.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Tension of each edge, N; negative in compression.
    pub tension: Vec<f64>,
    /// Shear force of each edge along d1 and d2, N.
    pub shear: Vec<[f64; 2]>,
    /// Bending moments about d1 and d2 and twisting moment of each joint, clamps included, N mm; 0 at a free end.
    pub moments: Vec<Vec3>,
    /// Curvature of each joint, 1/mm.
    pub curvature: Vec<f64>,
    /// Twist per length of each joint, rad/mm.
    pub twist_rate: Vec<f64>,
}

/// The handles of a report: a few of them without asking for memory.
pub type HandleReports = SmallVec<[HandleReport; 4]>;

/// The outcome of a step or a solve.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it ended.
    pub status: Status,
    /// Number of the island that it moved with in this step; `None` where it slept. Those of one island share their
    /// iterations.
    pub island: Option<usize>,
    /// Newton iterations, predictors included.
    pub iterations: usize,
    /// Norm of the unbalanced force, N (moments divided by the length).
    pub residual: f64,
    /// The residual at which the solve stops, N.
    pub tolerance: f64,
    /// CPU time of the solving thread, ms.
    pub cpu_ms: f64,
    /// Elastic, potential and contact energy by term.
    pub energies: Energies,
    /// Whether the inertia check found a minimum (not a saddle).
    pub stable: bool,
    /// Smallest surface-to-surface distance to an obstacle among the active contacts, mm.
    pub smallest_gap: Option<f64>,
    /// Active contacts with obstacles.
    pub contacts: Vec<ContactReport>,
    /// Active contacts with other rods and with itself; the latter once for each side.
    pub rod_contacts: Vec<RodContactReport>,
    /// The handles, in the order of the problem's grips.
    pub handles: HandleReports,
    /// Largest axial strain of an edge; negative strains (compression) count as 0.
    pub largest_strain: f64,
    /// The strain at which a handle stops, because the cable is taut.
    pub taut_strain: f64,
    /// Length of the centerline now, mm.
    pub length: f64,
    /// Smallest bend radius, mm; infinite for a straight cable.
    pub smallest_bend_radius: f64,
    /// Largest bend of one joint, radians: where it is large the grid is too coarse for the shape.
    pub largest_bend: f64,
}

impl Report {
    /// Whether a handle is not at its target.
    pub fn is_short(&self) -> bool {
        self.handles.iter().any(HandleReport::is_short)
    }

    /// Whether the cable is stretched as one whose length is used up: its tension comes from where it is held, not from
    /// its weight.
    pub fn is_taut(&self) -> bool {
        self.largest_strain > 0.5 * super::settings::TAUT
    }

    /// Whether the cable is stretched to more than twice the strain at which a handle stops: it is too short for where it is
    /// held, and no longer says where a real one would be.
    pub fn is_overstretched(&self) -> bool {
        self.largest_strain > 2.0 * self.taut_strain
    }
}
