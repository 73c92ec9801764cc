//! One export: routes to files that were read back and found good, or kept aside.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::arcs::{ArcLimits, LinesAndArcs, lines_and_arcs};
use super::certificate::{Certificate, SceneSource};
use super::check::{RouteCheck, check, check_harness};
use super::file::{Entries, Entry, Stamp, Target, WriteError};
use super::finding::OpenFinding;
use super::format::Format;
use super::names::{FILE_NAME, file_names};
use super::network::Network;
use super::route::Route;
use super::unit::{Axes, Convention, LengthUnit};
use crate::disk::write_atomically;
use crate::mesh::import::sha256_hex;

/// What the user may choose; the model of the export dialog.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportOptions {
    /// Unit of the file; `None`: that of the source.
    pub unit: Option<LengthUnit>,
    /// Axes of the file; `None`: those of the source.
    pub axes: Option<Axes>,
    /// Unit and axes of the imported source.
    pub source: Convention,
    /// Largest distance of chords and facets from the curve, mm; `None`: what suits the format.
    pub chord_error: Option<f64>,
    /// Name of the assembly; `None`: the file's name without its ending.
    pub title: Option<String>,
    /// The time that headers state.
    pub stamp: Stamp,
    /// Write a check report beside each file.
    pub certificate: bool,
    /// The scene file that the routes are of, for the check report.
    pub scene: Option<SceneSource>,
    /// Largest difference between curve and cable, mm.
    pub length_tolerance: f64,
    /// What curves are made of.
    pub form: Form,
}

/// What the curve of a route is made of in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// One smooth B-spline.
    #[default]
    Spline,
    /// Straight lines and circular arcs near it, as tube benders want them.
    LinesAndArcs(ArcLimits),
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            unit: None,
            axes: None,
            source: Convention::default(),
            chord_error: None,
            title: None,
            stamp: Stamp::from_unix(0),
            certificate: true,
            scene: None,
            length_tolerance: 0.01,
            form: Form::Spline,
        }
    }
}

/// What an export wrote.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExportReport {
    /// The word for the format.
    pub format: &'static str,
    /// The files, in the order of the routes.
    pub files: Vec<FileReport>,
}

/// One file of an export.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileReport {
    /// Where it is: the place asked for, or the one where a bad file is kept aside.
    pub path: PathBuf,
    /// It holds its routes, and nothing is open about them.
    pub good: bool,
    /// It holds its routes: it passed its check. A file that did not is kept aside.
    pub geometry_good: bool,
    /// What is open about its routes.
    pub open_findings: Vec<OpenFinding>,
    /// Its check report, if one was written.
    pub certificate: Option<PathBuf>,
    /// SHA-256 of its bytes, hexadecimal.
    pub sha256: String,
    /// How many bytes.
    pub bytes: usize,
    /// Unit and axes.
    #[serde(flatten)]
    pub convention: Convention,
    /// What is wrong with it as a whole; empty for a good one.
    pub problems: Vec<String>,
    /// What each route in it is like.
    pub routes: Vec<RouteCheck>,
}

impl FileReport {
    /// How far its routes are off what they were made of at most, mm: by the fit, and as they were read back.
    pub fn most_off_mm(&self) -> f64 {
        let off = (self.routes.iter()).map(|r| r.deviation_mm + r.fit_deviation_mm);
        off.fold(0.0, f64::max)
    }
}

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Nothing is selected.
    #[error("there is nothing to export: no cable is selected")]
    Nothing,
    /// Two routes of the same name.
    #[error("two routes are named \"{0}\"; rename one of them")]
    NameClash(String),
    /// The format cannot hold it.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The disk refused.
    #[error("cannot write {}: {reason}; nothing was changed there", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// What is on the disk is not what was written.
    #[error("{} was written, but reads back differently: the disk may be failing", path.display())]
    Differs {
        /// The file.
        path: PathBuf,
    },
}

impl ExportReport {
    /// Whether every file holds its routes and nothing is open about them.
    pub fn is_good(&self) -> bool {
        self.files.iter().all(|f| f.good)
    }

    /// Whether every file passed its check, whatever is open about the routes.
    pub fn is_geometry_good(&self) -> bool {
        self.files.iter().all(|f| f.geometry_good)
    }

    /// "Exported with 3 open findings": the same words on the command line and in the window.
    pub fn summary(&self) -> String {
        let findings = match self.n_findings() {
            0 => "without open findings".to_owned(),
            1 => "with 1 open finding".to_owned(),
            n => format!("with {n} open findings"),
        };
        if self.is_geometry_good() {
            format!("Exported {findings}")
        } else {
            format!("The export failed its check and was kept aside, {findings}")
        }
    }

    /// How much is open in all files.
    pub fn n_findings(&self) -> usize {
        self.files.iter().map(|f| f.open_findings.len()).sum()
    }
}

/// A file made and checked in memory.
struct Prepared {
    path: PathBuf,
    bytes: Vec<u8>,
    problems: Vec<String>,
    routes: Vec<RouteCheck>,
    open_findings: Vec<OpenFinding>,
}

/// Writes the routes of a network to `path`, or beside it where the format holds one route a file (`harness-W17.dat`).
///
/// Everything is made and read back in memory first, so that an error leaves nothing half written; each file then
/// replaces the one at its path as a whole. A file that fails its check goes to `NAME.failed-check.EXT` instead.
pub fn export(
    network: &Network<Route>,
    format: Format,
    path: &Path,
    options: &ExportOptions,
) -> Result<ExportReport, ExportError> {
    let routes: Vec<&Route> = network.routes().collect();
    if routes.is_empty() {
        return Err(ExportError::Nothing);
    }
    for (i, route) in routes.iter().enumerate() {
        if routes[..i].iter().any(|other| other.name == route.name) {
            return Err(ExportError::NameClash(route.name.clone()));
        }
    }
    let convention = format.convention(options.unit, options.axes, options.source)?;
    let names = match format.names() {
        Some(rule) => file_names(routes.iter().map(|r| r.name.as_str()), rule),
        None => vec![String::new(); routes.len()],
    };
    let arcs = arcs_of(&routes, format, options.form)?;
    let mut prepared = Vec::new();
    let entries = network.with_routes(|i, route| Entry {
        route,
        name: &names[i],
        arcs: arcs[i].as_ref(),
    });
    for (path, which) in paths(&routes, format, path) {
        let entries = entries.only(&which);
        prepared.push(prepare(path, &entries, format, convention, options)?);
    }
    let mut report = ExportReport {
        format: format.key(),
        files: Vec::new(),
    };
    for file in prepared {
        report.files.push(put(file, format, convention, options)?);
    }
    Ok(report)
}

/// Lines and arcs of each route, where they are asked for.
fn arcs_of(
    routes: &[&Route],
    format: Format,
    form: Form,
) -> Result<Vec<Option<LinesAndArcs>>, WriteError> {
    let Form::LinesAndArcs(limits) = form else {
        return Ok(vec![None; routes.len()]);
    };
    if !format.holds_arcs() {
        return Err(WriteError::NoArcs {
            format: format.key(),
        });
    }
    routes
        .iter()
        .map(|route| {
            lines_and_arcs(&route.curve, limits)
                .map(Some)
                .map_err(|reason| WriteError::Arcs {
                    name: route.name.clone(),
                    reason,
                })
        })
        .collect()
}

/// Which routes go to which file.
fn paths(routes: &[&Route], format: Format, path: &Path) -> Vec<(PathBuf, Vec<usize>)> {
    if !format.one_per_file() || routes.len() == 1 {
        return vec![(path.to_owned(), (0..routes.len()).collect())];
    }
    let names = file_names(routes.iter().map(|r| r.name.as_str()), &FILE_NAME);
    let beside = |(i, name): (usize, &String)| (with_suffix(path, &format!("-{name}")), vec![i]);
    names.iter().enumerate().map(beside).collect()
}

/// `dir/stem.ext` as `dir/stemSUFFIX.ext`.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(suffix);
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

fn prepare(
    path: PathBuf,
    entries: &Entries,
    format: Format,
    convention: Convention,
    options: &ExportOptions,
) -> Result<Prepared, ExportError> {
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let target = Target {
        convention,
        file_name: &file_name,
        title: options.title.as_deref().unwrap_or(&stem),
        stamp: options.stamp,
        fineness: format.fineness(options.chord_error),
    };
    let bytes = format.write(entries, &target)?;
    let (problems, routes) = match format.read(&bytes) {
        Ok(contents) => {
            let routes = check(
                entries,
                &contents,
                &target,
                format,
                options.length_tolerance,
            );
            let harness = check_harness(entries, &contents, &target, format);
            ([contents.notes, contents.lost, harness].concat(), routes)
        }
        Err(error) => (vec![format!("it cannot be read back: {error}")], Vec::new()),
    };
    let findings = |entry: &Entry| -> Vec<OpenFinding> {
        let route = entry.route;
        let open = route.findings.iter();
        open.map(|f| OpenFinding::of(&route.name, f)).collect()
    };
    Ok(Prepared {
        path,
        bytes,
        problems,
        routes,
        open_findings: entries.routes().flat_map(findings).collect(),
    })
}

/// Puts a file where it belongs, and reads it from the disk once more.
fn put(
    file: Prepared,
    format: Format,
    convention: Convention,
    options: &ExportOptions,
) -> Result<FileReport, ExportError> {
    let geometry_good =
        file.problems.is_empty() && file.routes.iter().all(|r| r.problems.is_empty());
    let path = if geometry_good {
        file.path
    } else {
        with_suffix(&file.path, ".failed-check")
    };
    write(&path, &file.bytes)?;
    if std::fs::read(&path).is_ok_and(|found| found != file.bytes) {
        return Err(ExportError::Differs { path });
    }
    let mut report = FileReport {
        certificate: None,
        good: geometry_good && file.open_findings.is_empty(),
        geometry_good,
        open_findings: file.open_findings,
        sha256: sha256_hex(&file.bytes),
        bytes: file.bytes.len(),
        convention,
        problems: file.problems,
        routes: file.routes,
        path,
    };
    let beside = Certificate::path_of(&report.path);
    if options.certificate {
        let certificate = Certificate::of(&report, format, options);
        let value = serde_json::to_value(certificate).unwrap_or_default();
        write(&beside, format!("{value:#}\n").as_bytes())?;
        report.certificate = Some(beside);
    } else if beside.exists() {
        // A report of the file that was there before would not fit this one.
        let removed = std::fs::remove_file(&beside);
        removed.map_err(|reason| ExportError::Disk {
            path: beside,
            reason,
        })?;
    }
    Ok(report)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ExportError> {
    write_atomically(path, |out| out.write_all(bytes)).map_err(|reason| ExportError::Disk {
        path: path.to_owned(),
        reason,
    })
}
