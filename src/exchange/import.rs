//! Routes of files, opened again: curves in mm from which cables are made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::bspline::BSpline;
use super::certificate::notes_beside;
use super::curve::{Path as CurvePath, chains, spline_of};
use super::file::{FoundRoute, FoundShape, ReadError};
use super::format::{Carries, Format};
use super::network::{Network, Segment, SegmentLabel};
use super::route::{Nodes, curve_through};
use super::unit::{Convention, LengthUnit};
use crate::disk::read_bounded;
use crate::geom::Vec3;
use crate::mesh::import::UniqueNames;

/// Largest file of curves that is read.
const MAX_BYTES: u64 = 1 << 30;

/// How far the curve of a route may be from the curves of the file, mm.
const ERROR: f64 = 1e-6;

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
    /// Name of its material, if the file says it.
    pub material: Option<String>,
}

/// What a file of routes gave.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedRoutes {
    /// The routes, in the order of the file, and the harness they are, if the file says it; mm, Z up.
    pub network: Network<ImportedRoute>,
    /// What was left out on purpose or assumed, for the user.
    pub notes: Vec<String>,
    /// Curves that could not be read, each with its name and the reason.
    pub lost: Vec<String>,
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

/// Whether a format is read as routes: curves and points are, tubes are not.
fn holds_routes(format: Format) -> bool {
    [Carries::Curve, Carries::Points].contains(&format.carries())
}

/// Endings of files that hold routes and nothing else that the program opens.
pub fn route_extensions() -> Vec<&'static str> {
    let mut endings: Vec<&str> = Vec::new();
    let formats = Format::ALL.into_iter().filter(|f| holds_routes(*f));
    for ending in formats.flat_map(Format::extensions) {
        // A .json file may be a scene.
        if *ending != "json" && !endings.contains(ending) {
            endings.push(ending);
        }
    }
    endings
}

/// Reads the routes of a file. `assumed` is for what the format does not say: axes always, the unit of some.
pub fn import_routes(
    path: &Path,
    assumed: Convention,
) -> Result<ImportedRoutes, ImportRoutesError> {
    let format = Format::of_path(path)
        .filter(|f| holds_routes(*f))
        .ok_or_else(|| ImportRoutesError::UnknownFormat {
            path: path.to_owned(),
        })?;
    let bytes = read_bounded(path, MAX_BYTES).map_err(|reason| ImportRoutesError::Disk {
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
    let mut notes = notes_beside(path, &bytes);
    notes.extend(contents.notes);
    if contents.unit_in_mm.is_none() {
        let unit = assumed.unit.symbol();
        notes.push(format!("the file states no unit: {unit} was assumed"));
    }
    let scale = contents.unit_in_mm.unwrap_or(assumed.unit.in_mm());
    let axes = Convention {
        unit: LengthUnit::Mm,
        axes: assumed.axes,
    };
    let in_mm = |p: &Vec3| axes.inside(&if scale == 1.0 { *p } else { p * scale });
    let around = contents.network.surroundings().mapped(in_mm);
    let mut names = UniqueNames::default();
    let mut segments: Vec<Segment<ImportedRoute>> = Vec::new();
    let joined = joined(&contents.network, in_mm);
    let n_found = joined.len();
    for (i, segment) in joined.into_iter().enumerate() {
        let found = segment.route;
        let facts = found.facts.clone().unwrap_or_default();
        let own = Some(facts.name).filter(|n| !n.is_empty());
        let wanted = match &own.or(found.name) {
            Some(name) if !name.trim().is_empty() => name.trim().to_owned(),
            _ if n_found == 1 => stem.to_string(),
            _ => format!("{stem} {}", i + 1),
        };
        let Some(curve) = curve_of(&found.shape) else {
            notes.push(format!("\"{wanted}\" has no extent and was left out"));
            continue;
        };
        let radius = facts.diameter_mm.map(|d| 0.5 * d);
        segments.push(Segment {
            label: segment.label,
            route: ImportedRoute {
                name: names.claim(&wanted),
                length: curve.length(),
                curve,
                radius: radius.or(found.radius.map(|r| r * scale)),
                material: facts.material,
            },
        });
    }
    if segments.is_empty() && contents.lost.is_empty() {
        return Err(ImportRoutesError::Empty {
            path: path.to_owned(),
        });
    }
    let mut network = Network {
        segments,
        ..Network::default()
    };
    network.surround(around);
    network.drop_strays();
    Ok(ImportedRoutes {
        network,
        notes,
        lost: contents.lost,
    })
}

/// The routes of a file in mm, with curves of one name that go on in each other's direction as one: the edges of a
/// wire. What has different names was not meant to be one.
fn joined(found: &Network<FoundRoute>, in_mm: impl Fn(&Vec3) -> Vec3) -> Vec<Segment<FoundRoute>> {
    let mut segments: Vec<(usize, Segment<FoundRoute>)> = Vec::new();
    let with = |i: usize, shape: FoundShape, label: SegmentLabel| Segment {
        label,
        route: FoundRoute {
            shape,
            ..found.segments[i].route.clone()
        },
    };
    let mut wires: BTreeMap<Option<&str>, Vec<(usize, CurvePath)>> = BTreeMap::new();
    for (i, segment) in found.segments.iter().enumerate() {
        let route = &segment.route;
        let shape = route.shape.mapped(&in_mm);
        match shape.path() {
            Some(path) => {
                let same = wires.entry(route.name.as_deref()).or_default();
                same.push((i, path));
            }
            None => segments.push((i, with(i, shape, segment.label.clone()))),
        }
    }
    for wire in wires.into_values() {
        let (numbers, paths): (Vec<usize>, Vec<CurvePath>) = wire.into_iter().unzip();
        for (members, path) in chains(&paths) {
            let first = members.iter().map(|k| numbers[*k]).min().unwrap_or(0);
            let label = match members[..] {
                [one] => found.segments[numbers[one]].label.clone(),
                // What was said of one piece is not true of the whole.
                _ => SegmentLabel::loose(found.segments[first].label.id.clone()),
            };
            segments.push((first, with(first, FoundShape::Path(path), label)));
        }
    }
    segments.sort_by_key(|(i, _)| *i);
    segments.into_iter().map(|(_, segment)| segment).collect()
}

/// The curve of a shape, mm: along its curves, or the C2 cubic through its points by chord length.
fn curve_of(shape: &FoundShape) -> Option<BSpline> {
    if let Some(path) = shape.path() {
        return spline_of(&path, ERROR).filter(|curve| curve.length() > 0.0);
    }
    let FoundShape::Points(points) = shape else {
        return None;
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
