//! Assembly studies: a part is taken along a path, or to the poses of a table, with its cables; what they need for it.

mod envelope;
mod limits;
mod path;
mod play;
#[cfg(test)]
mod tests;

use crate::progress::Cancelled;

pub use envelope::{Envelope, envelope};
pub use limits::{CableStudy, Limit, PoseStudy, Study, Worst, WorstValues, study, worst_of};
pub use path::{KeyPose, PathError, PathStep, StudyPath};
pub(super) use play::sample;
pub use play::{CableSample, Sample, Stop};

/// Way of the part between two samples, mm, when nothing else is asked for.
pub const STEP: f64 = 10.0;

/// Why there is no study.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StudyError {
    /// The path is of no use in this scene.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The scene cannot be solved.
    #[error(transparent)]
    Simulation(#[from] super::SimulationError),
    /// It was stopped.
    #[error("the study was stopped")]
    Stopped(#[from] Cancelled),
    /// A step of the path is refused.
    #[error("step {step} of the path: {reason}")]
    Step {
        /// Counted from 1.
        step: usize,
        /// Why.
        reason: super::CommandError,
    },
}
