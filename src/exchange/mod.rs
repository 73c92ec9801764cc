//! Routes to CAD and back: curves, formats, and the check that reads every export back.
//!
//! ```text
//! scene -> from_scene -> Network -> format::write -> bytes -> format::read -> check -> file and certificate
//! ```
//!
//! A [`Network`] of [`Route`]s is plain data and knows no scene. One file for each format, with its writer and its reader.

pub mod arcs;
pub mod bspline;
mod cables;
mod certificate;
pub mod check;
mod csv;
mod curve;
mod dxf;
mod dxf_read;
mod envelope;
mod export;
mod file;
mod finding;
pub mod fit;
mod fold;
mod format;
mod frame;
mod from_scene;
mod glb;
mod ibl;
mod iges;
mod iges_arcs;
mod iges_curves;
mod iges_read;
mod import;
pub mod interpolate;
mod json;
mod lengths;
pub mod names;
mod network;
mod number;
mod nx;
mod obj;
mod part21_writer;
mod remark;
pub mod route;
pub mod sample;
mod skin;
mod sldcrv;
mod step;
mod step_arcs;
mod step_curves;
mod step_read;
mod step_tube;
mod stl;
mod text;
mod tube;
mod unit;
mod vda;
mod verify;

pub use arcs::{ArcLimits, LinesAndArcs};
pub use bspline::BSpline;
pub use cables::{CableChoice, USUAL_DIAMETER, added, cable_along, cable_of};
pub use certificate::{Certificate, CertificateError, SceneSource, notes_beside};
pub use envelope::{EnvelopeFormat, envelope_file};
pub use export::{ExportError, ExportOptions, ExportReport, FileReport, Form, export};
pub use file::{
    Contents, Entries, Entry, FoundRoute, FoundShape, ReadError, Stamp, Target, WriteError,
};
pub use finding::{OFF_SHOWN, OpenFinding};
pub use fold::Fold;
pub use format::{Carries, Format};
pub use from_scene::{
    RouteOptions, SceneRoutesError, network_of, network_with_progress, source_convention,
};
pub use import::{
    ImportRoutesError, ImportedRoute, ImportedRoutes, import_routes, route_extensions,
};
pub use lengths::RouteLengths;
pub use network::{Connector, Fixing, Network, Node, Segment, SegmentLabel};
pub use remark::Facts;
pub use route::Route;
pub use unit::{Axes, Convention, LengthUnit};
pub use verify::{Verification, VerifyError, verify};
