//! Loomwright routes cables, hoses and wiring harnesses in real time.
//!
//! The way of the data, and the tour of the crate:
//!
//! ```text
//! files -> mesh -> scene -> solve -> routes, checks, exports
//! ```
//!
//! * [`geom`]: vocabulary types (points, frames), no input or output.
//! * [`progress`]: how far a long task is, and the way to stop it.
//! * [`mesh`]: triangle meshes and their import.
//! * [`rod`]: the elastic rod: energies, gradients, Hessians as pure functions.
//! * [`contact`]: distance, barrier, friction and swept collision between capsules and triangles.
//! * [`solve`]: the equilibrium of a rod under handles, gravity and contact.
//! * [`check`]: an independent judge of a solver's trace; shares no code with [`contact`] or [`solve`].
//! * [`scene`]: the document: plain data, commands, files; builds the solver's problem.
//! * [`exchange`]: routes to CAD formats and back, each export read back and checked.
//! * [`cli`]: the verbs of the command line. `app` (feature `gui`): the window.
//!
//! Units inside the crate: mm, N, MPa, radians, `f64`; right-handed, Z up.

#[cfg(feature = "gui")]
pub mod app;
pub mod centerline;
pub mod check;
pub mod cli;
pub mod contact;
pub mod exchange;
pub mod geom;
pub mod mesh;
pub mod progress;
pub mod rod;
pub mod scene;
pub mod solve;
