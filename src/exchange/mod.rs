//! Routes to CAD and back: curves, formats, and the check that reads every export back.
//!
//! ```text
//! scene -> from_scene -> Route -> format::write -> bytes -> format::read -> check -> file and certificate
//! ```
//!
//! A [`Route`] is plain data and knows no scene. One file for each format, with its writer and its reader.

pub mod bspline;
pub mod check;
mod csv;
mod export;
mod file;
pub mod fit;
mod format;
mod from_scene;
pub mod interpolate;
pub mod names;
mod number;
mod part21;
pub mod route;
pub mod sample;
mod step;
mod unit;

pub use bspline::BSpline;
pub use export::{ExportError, ExportOptions, ExportReport, FileReport, export};
pub use file::{Contents, Entry, FoundRoute, FoundShape, ReadError, Stamp, Target, WriteError};
pub use format::{Carries, Format};
pub use from_scene::{SceneRoutesError, routes_of, source_convention};
pub use route::Route;
pub use unit::{Axes, Convention, LengthUnit};
