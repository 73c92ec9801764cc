//! Loomwright routes cables, hoses and wiring harnesses in real time.
//!
//! ```text
//! mesh files -> mesh -> centerline -> scene -> solve -> exchange -> CAD files
//! ```
//!
//! # A tour
//!
//! From the triangles of a harness to a routed curve for CAD:
//!
//! ```
//! use loomwright::centerline::{self, extract};
//! use loomwright::exchange::{ExportOptions, Format, RouteOptions, export, network_of};
//! use loomwright::mesh::import::import_file;
//! use loomwright::scene::{Command, Part, PartRole, Scene, Simulation};
//! use loomwright::solve::{CancelToken, Status};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Load a mesh: checked, welded, in mm and Z up.
//! let file = import_file("samples/harness/harness.obj".as_ref())?;
//! let mesh = file.parts[0].mesh.clone();
//!
//! // Extract: the lines along the middle of its tubes.
//! let graph = extract(&mesh, &centerline::Settings::default(), &|_done| true)?;
//! assert_eq!(graph.branches.len(), 3);
//!
//! // Flexibilise: each branch becomes an elastic cable that stands where CAD had it.
//! let mut scene = Scene::default();
//! let mut harness = Part::new("harness", mesh);
//! harness.role = PartRole::Harness;
//! scene.parts.push(harness);
//! let flexibilise = r#"{"command": "flexibilise", "part": "harness"}"#;
//! serde_json::from_str::<Command>(flexibilise)?.apply(&mut scene)?;
//!
//! // Drag: ask a handle to go somewhere, and find the equilibrium.
//! let cable = scene.cables[0].clone();
//! let start = &cable.handles[0];
//! let [x, y, z] = start.pose.position.into();
//! let mut simulation = Simulation::new(scene)?;
//! simulation.apply(&Command::MoveHandle {
//!     cable: cable.name.clone(),
//!     handle: start.name.clone(),
//!     position: Some([x - 10.0, y, z + 10.0]),
//!     rotation: None,
//! })?;
//! let reports = simulation.solve_quietly(&CancelToken::default());
//! assert!(reports.iter().all(|r| r.report.status == Status::Converged));
//!
//! // Change the length.
//! let length = 1.03 * cable.length;
//! simulation.apply(&Command::SetLength { cable: cable.name.clone(), length })?;
//! simulation.solve_quietly(&CancelToken::default());
//!
//! // Export: the file is read back and checked.
//! let routes = network_of(simulation.scene(), &[cable.name], &RouteOptions::default())?;
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("harness.stp");
//! let report = export(&routes, Format::Step, &path, &ExportOptions::default())?;
//! assert!(report.is_geometry_good());
//! # Ok(())
//! # }
//! ```
//!
//! The folder `examples` has programs of one idea each: `solve`, `centerline`, `drag`, `length`, `export`.
//!
//! # Modules
//!
//! * [`geom`]: vocabulary types (points, frames), no input or output.
//! * [`mesh`]: triangle meshes and their import.
//! * [`centerline`]: from a tessellated cable or harness to its centerlines.
//! * [`rod`]: the elastic rod: energies, gradients, Hessians as pure functions.
//! * [`contact`]: distance, barrier, friction and swept collision between capsules and triangles.
//! * [`solve`]: the equilibrium of a rod under handles, gravity and contact.
//! * [`scene`]: the document: plain data, commands, files; builds the solver's problem.
//! * [`exchange`]: routes to CAD formats and back, each export read back and checked.
//! * [`check`]: an independent judge of a solver's trace; shares no code with [`contact`] or [`solve`].
//! * [`mod@reference`]: a second model of the same rod, to compare with.
//! * [`disk`], [`part21`], [`progress`], [`text`]: files that are read with a bound and written whole; the syntax of
//!   STEP files; how far a long task is, and the way to stop it; words of files, made fit to be shown.
//! * `parallel`: work that is shared out over the cores of the processor.
//! * [`cli`]: the verbs of the command line, which open the window (feature `gui`) when none is given.
//!
//! Units inside the crate: mm, N, MPa, radians, `f64`; right-handed, Z up. The same input gives the same output, bit
//! for bit. What is not converged, blocked or cancelled is a [`solve::Status`], not an error.

#[cfg(feature = "gui")]
#[cfg_attr(
    not(feature = "gui-tests"),
    allow(dead_code, reason = "the tests of the window look at more of it")
)]
mod app;
pub mod centerline;
pub mod check;
pub mod cli;
pub mod contact;
pub mod disk;
pub mod exchange;
pub mod geom;
pub mod mesh;
mod parallel;
pub mod part21;
pub mod progress;
pub mod reference;
pub mod rod;
pub mod scene;
pub mod solve;
pub mod text;

/// The insides of the window, for its tests; nothing to build on.
#[cfg(feature = "gui-tests")]
#[doc(hidden)]
pub mod window {
    pub use crate::app::{
        LoomApp, action, choices, engine, files, panels, selection, tools, viewport,
    };
}
