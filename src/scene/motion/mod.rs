//! A scene in motion: what moves by a plan, steps of time of a chosen or fitting length, and what is seen on the way.

mod path;
mod play;

pub use path::{HandleName, MotionPath, Sine};
pub use play::{FirstHit, MotionError, MotionOptions, Moved, Player, StepLength};
