//! Routes of files, opened again: curves in mm from which cables are made.

use std::path::{Path, PathBuf};

use super::bspline::BSpline;
use super::file::{FoundShape, ReadError};
use super::format::{Carries, Format};
use super::route::{Nodes, curve_through};
use super::unit::{Convention, LengthUnit};
use crate::geom::Vec3;

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
