//! Routes to CAD and back: curves, formats, and the check that reads every export back.
//!
//! ```text
//! scene -> from_scene -> Route -> format::write -> bytes -> format::read -> check -> file and certificate
//! ```
//!
//! A [`Route`] is plain data and knows no scene. One file for each format, with its writer and its reader.

pub mod arcs;
pub mod bspline;
pub mod check;
mod csv;
mod dxf;
mod export;
mod file;
pub mod fit;
mod format;
mod frame;
mod from_scene;
mod glb;
mod ibl;
mod iges;
mod import;
pub mod interpolate;
mod json;
pub mod names;
mod number;
mod nx;
mod obj;
mod part21;
pub mod route;
pub mod sample;
mod skin;
mod sldcrv;
mod step;
mod step_tube;
mod stl;
mod text;
mod tube;
mod unit;
mod vda;

pub use bspline::BSpline;
pub use export::{ExportError, ExportOptions, ExportReport, FileReport, export};
pub use file::{Contents, Entry, FoundRoute, FoundShape, ReadError, Stamp, Target, WriteError};
pub use format::{Carries, Format};
pub use from_scene::{RouteOptions, SceneRoutesError, cable_along, routes_of, source_convention};
pub use import::{ImportRoutesError, ImportedRoute, ImportedRoutes, format_of, import_routes};
pub use route::Route;
pub use unit::{Axes, Convention, LengthUnit};
