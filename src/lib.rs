//! Loomwright routes cables, hoses and wiring harnesses in real time.
//!
//! Data flow, and the tour of the crate:
//!
//! ```text
//! files -> mesh -> scene -> solve -> routes, checks, exports
//! ```
//!
//! * [`geom`]: vocabulary types (points, frames), no input or output.
//! * [`disk`]: files that are read with a bound and written whole.
//! * [`progress`]: how far a long task is, and the way to stop it.
//! * [`part21`]: the syntax of STEP files.
//! * [`mesh`]: triangle meshes and their import.
//! * [`text`]: words of files, made fit to be shown.
//! * [`rod`]: the elastic rod: energies, gradients, Hessians as pure functions.
//! * [`mod@reference`]: a second model of the same rod, to compare with.
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
pub mod disk;
pub mod exchange;
pub mod geom;
pub mod mesh;
pub mod part21;
pub mod progress;
pub mod reference;
pub mod rod;
pub mod scene;
pub mod solve;
pub mod text;
