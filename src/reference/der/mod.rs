//! Discrete elastic rods: a second model of the same cable, made in another way than [`crate::rod`].
//!
//! After Bergou2008, Bergou2010, Kirsch2012 and Jawed2018 (docs/references.md); read docs/theory/der.md beside
//! the files, which are in the order of the papers:
//!
//! | file | idea |
//! |---|---|
//! | `frames` | parallel transport, the Bishop frame, frames that are parallel in time, reference twist |
//! | `stencil` | three nodes and two angles: the curvature binormal and the reference twist with their derivatives |
//! | `stretch`, `bend`, `twist` | one term of the energy each, with 6, 11 and 11 derivatives |
//! | `problem` | the rod, its supports and loads: the one struct through which others come in |
//! | `chain` | the state (x, theta, reference frames), clamps as ghost edges, and the assembled energy |
//! | `band` | a symmetric band matrix and its LDL^T |
//! | `statics` | Newton's method, the quasistatic frame, stability |
//! | `projection` | fast manifold projection: edges brought back to their length in the metric of the masses |
//! | `body`, `motion` | rigid bodies at the ends, and implicit Euler in time |
//!
//! The centerline is the unknown and the material frame is one angle per edge against a reference frame, so that the
//! rod cannot shear at all. It shares only [`crate::geom`] with the rest of the crate. Units are free.

mod band;
mod bend;
mod body;
mod chain;
mod frames;
mod motion;
mod problem;
mod projection;
mod statics;
mod stencil;
mod stretch;
mod twist;

pub use body::Body;
pub use chain::{Chain, Energies};
pub use frames::{bishop, signed_angle, transport};
pub use motion::{Motion, StepReport};
pub use problem::{DerError, DerProblem, Hold, Place, PointLoad, Spring, Stiffness, Support};
pub use statics::{Reaction, Solution, Statics};
