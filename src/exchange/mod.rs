//! Routes to CAD and back: curves, formats, and the check that reads every export back.
//!
//! ```text
//! scene -> from_scene -> Route -> format::write -> bytes -> format::read -> check -> file and certificate
//! ```
//!
//! A [`Route`] is plain data and knows no scene. One file for each format, with its writer and its reader.

pub mod arcs;
pub mod bspline;
mod cables;
pub mod check;
mod csv;
mod dxf;
mod export;
mod file;
pub mod fit;
mod fold;
mod format;
mod frame;
mod from_scene;
mod glb;
mod ibl;
mod iges;
mod iges_arcs;
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
mod step_arcs;
mod step_tube;
mod stl;
mod text;
mod tube;
mod unit;
mod vda;

pub use arcs::{ArcLimits, LinesAndArcs};
pub use bspline::BSpline;
pub use cables::{CableChoice, USUAL_DIAMETER, cable_along, cable_of};
pub use export::{ExportError, ExportOptions, ExportReport, FileReport, Form, export};
pub use file::{Contents, Entry, FoundRoute, FoundShape, ReadError, Stamp, Target, WriteError};
pub use fold::Fold;
pub use format::{Carries, Format};
pub use from_scene::{RouteOptions, SceneRoutesError, routes_of, source_convention};
pub use import::{
    EXTENSIONS as ROUTE_EXTENSIONS, ImportRoutesError, ImportedRoute, ImportedRoutes, format_of,
    import_routes,
};
pub use route::Route;
pub use unit::{Axes, Convention, LengthUnit};
