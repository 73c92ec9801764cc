//! Routes of files, opened again: curves in mm from which cables are made.

use std::path::{Path, PathBuf};

use super::arcs::Element;
use super::bspline::BSpline;
use super::file::{FoundShape, ReadError};
use super::format::{Carries, Format};
use super::route::{Nodes, curve_through};
use super::unit::{Convention, LengthUnit};
use crate::geom::Vec3;

/// Turn between points on an arc, radians: a cubic through them is a millionth of the radius off.
const ARC_STEP: f64 = 0.05;

/// Distance between points on lines and wide arcs at most, mm: what changes at their ends stays near them.
const LONGEST_STEP: f64 = 2.0;

/// A route of a file, in mm, Z up.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedRoute {
    /// Its name in the file, or one made from the file's; unique among the routes of the file.
    pub name: String,
    /// Its curve.
    pub curve: BSpline,
    /// Arc length, mm.
    pub length: f64,
    /// Outer radius, if the file says it, mm.
    pub radius: Option<f64>,
}

/// What a file of routes gave.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedRoutes {
    /// The routes, in the order of the file.
    pub routes: Vec<ImportedRoute>,
    /// What was left out or assumed, for the user.
    pub notes: Vec<String>,
}

/// Why a file gives no routes.
#[derive(Debug, thiserror::Error)]
pub enum ImportRoutesError {
    /// The ending says nothing.
    #[error("{}: routes are read from .csv, .ibl, .stp, .vda, .igs, .dxf, .sldcrv, .dat and .json files", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// What is in it makes no sense.
    #[error("{}: {reason}", path.display())]
    Contents {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: ReadError,
    },
    /// There is no curve in it.
    #[error("{}: there is no curve or list of points in it", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

/// Endings of files that hold routes and nothing else that the program opens.
pub const EXTENSIONS: [&str; 12] = [
    "stp", "step", "p21", "igs", "iges", "vda", "vdafs", "dxf", "ibl", "sldcrv", "dat", "csv",
];

/// The format of routes that a file's ending stands for.
pub fn format_of(path: &Path) -> Option<Format> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match extension.as_str() {
        "stp" | "step" | "p21" => Format::Step,
        "igs" | "iges" => Format::Iges,
        "vda" | "vdafs" => Format::Vda,
        "dxf" => Format::Dxf,
        "ibl" => Format::Ibl,
        "sldcrv" => Format::Sldcrv,
        "dat" => Format::Nx,
        "csv" => Format::Csv,
        "json" => Format::Json,
        _ => return None,
    })
}

/// Reads the routes of a file. `assumed` is for what the format does not say: axes always, the unit of some.
pub fn import_routes(
    path: &Path,
    assumed: Convention,
) -> Result<ImportedRoutes, ImportRoutesError> {
    let format = format_of(path)
        .filter(|f| [Carries::Curve, Carries::Points].contains(&f.carries()))
        .ok_or_else(|| ImportRoutesError::UnknownFormat {
            path: path.to_owned(),
        })?;
    let bytes = std::fs::read(path).map_err(|reason| ImportRoutesError::Disk {
        path: path.to_owned(),
        reason,
    })?;
    let contents = format
        .read(&bytes)
        .map_err(|reason| ImportRoutesError::Contents {
            path: path.to_owned(),
            reason,
        })?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut notes = contents.notes;
    if contents.unit_in_mm.is_none() {
        let unit = assumed.unit.symbol();
        notes.push(format!("the file states no unit: {unit} was assumed"));
    }
    let scale = contents.unit_in_mm.unwrap_or(assumed.unit.in_mm());
    let axes = Convention {
        unit: LengthUnit::Mm,
        axes: assumed.axes,
    };
    let mut routes: Vec<ImportedRoute> = Vec::new();
    for (i, found) in contents.routes.iter().enumerate() {
        let in_mm = |p: &Vec3| axes.inside(&if scale == 1.0 { *p } else { p * scale });
        let wanted = match &found.name {
            Some(name) if !name.trim().is_empty() => name.trim().to_owned(),
            _ if contents.routes.len() == 1 => stem.to_string(),
            _ => format!("{stem} {}", i + 1),
        };
        let Some(curve) = curve_of(&found.shape.mapped(in_mm)) else {
            notes.push(format!("\"{wanted}\" has no extent and was left out"));
            continue;
        };
        let is_taken = |name: &str| routes.iter().any(|r| r.name == name);
        let mut name = wanted.clone();
        let mut number = 2;
        while is_taken(&name) {
            name = format!("{wanted} {number}");
            number += 1;
        }
        routes.push(ImportedRoute {
            name,
            length: curve.length(),
            curve,
            radius: found.radius.map(|r| r * scale),
        });
    }
    if routes.is_empty() {
        return Err(ImportRoutesError::Empty {
            path: path.to_owned(),
        });
    }
    Ok(ImportedRoutes { routes, notes })
}

/// The curve of a shape: its own, or the C2 cubic through its points by chord length.
fn curve_of(shape: &FoundShape) -> Option<BSpline> {
    let points = match shape {
        FoundShape::Spline(curve) => return (curve.length() > 0.0).then(|| curve.clone()),
        FoundShape::Elements(elements) => &along(elements),
        FoundShape::Points(points) => points,
        FoundShape::Skin(_) | FoundShape::Mesh { .. } => return None,
    };
    let mut nodes = Nodes {
        at: Vec::new(),
        points: Vec::new(),
        tangents: [None, None],
    };
    for p in points {
        let at = match (nodes.points.last(), nodes.at.last()) {
            (Some(last), _) if last == p => continue,
            (Some(last), Some(at)) => at + (p - last).norm(),
            _ => 0.0,
        };
        nodes.at.push(at);
        nodes.points.push(*p);
    }
    curve_through(&nodes)
}

/// Points on lines and arcs, so dense that the curve through them is as near as a spline of ours.
fn along(elements: &[Element]) -> Vec<Vec3> {
    let mut points: Vec<Vec3> = elements.first().map(Element::start).into_iter().collect();
    for element in elements {
        let turn = element.length() / element.radius();
        let n = (turn / ARC_STEP).max(element.length() / LONGEST_STEP);
        let n = n.ceil().clamp(1.0, 10_000.0) as usize;
        points.extend((1..=n).map(|i| element.at(i as f64 / n as f64)));
    }
    points
}

impl ImportedRoute {
    /// Nodes of a cable along it: `n_edges` stretches of the same arc length, with the directions of its ends.
    pub fn nodes(&self, n_edges: usize) -> Nodes {
        let (start, end) = self.curve.domain();
        let step = self.length / n_edges as f64;
        let mut points = vec![self.curve.start().position];
        let mut t = start;
        for _ in 1..n_edges {
            let from = t;
            // Newton on the arc length; the curve's speed hardly changes within an edge.
            for _ in 0..20 {
                let missing = step - self.curve.length_between(from, t);
                if missing.abs() <= 1e-10 * self.length {
                    break;
                }
                let speed = self.curve.at(t).first.norm().max(f64::MIN_POSITIVE);
                t = (t + missing / speed).clamp(from, end);
            }
            points.push(self.curve.at(t).position);
        }
        points.push(self.curve.end().position);
        Nodes {
            at: (0..=n_edges).map(|i| step * i as f64).collect(),
            points,
            tangents: [self.curve.start().tangent(), self.curve.end().tangent()],
        }
    }
}
