//! An exported file against its check report and its scene, at any later time.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::arcs::{LinesAndArcs, lines_and_arcs};
use super::certificate::{Certificate, CertificateError};
use super::check::{RouteCheck, check, check_harness};
use super::export::Form;
use super::file::{Contents, Entries, Entry, Stamp, Target};
use super::finding::OpenFinding;
use super::format::Format;
use super::from_scene::{RouteOptions, network_of};
use super::network::{Network, Segment};
use super::route::Route;
use super::unit::Convention;
use crate::mesh::import::sha256_hex;
use crate::scene::file;

/// Lengths in a file may differ from those of its report by this part: another machine adds in another order.
const SAME_LENGTH: f64 = 1e-9;

/// What `verify` found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// The file.
    pub file: PathBuf,
    /// The file is what its report says, the report is what was written, and the scene still gives these routes.
    pub genuine: bool,
    /// What does not fit.
    pub problems: Vec<String>,
    /// What the user should know all the same.
    pub notes: Vec<String>,
    /// The scene that it was compared with.
    pub scene: Option<PathBuf>,
    /// What was open when it was exported.
    pub open_findings: Vec<OpenFinding>,
}

/// Why nothing can be said of a file.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// There is no report to compare with.
    #[error("{}: {reason}", path.display())]
    Report {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: CertificateError,
    },
    /// The scene cannot be read or solved.
    #[error("the scene gives no routes: {0}")]
    Scene(String),
}

/// Compares a file with its report, and with the routes of its scene unless `alone`.
///
/// The scene is the given one, else the one that the report names. What a report claims is not believed: routes and
/// findings are made from the scene again.
pub fn verify(path: &Path, scene: Option<&Path>, alone: bool) -> Result<Verification, VerifyError> {
    let bytes = std::fs::read(path).map_err(|reason| VerifyError::Disk {
        path: path.to_owned(),
        reason,
    })?;
    let (report, sealed) = Certificate::beside(path).map_err(|reason| VerifyError::Report {
        path: path.to_owned(),
        reason,
    })?;
    let mut found = Verification {
        file: path.to_owned(),
        genuine: false,
        problems: Vec::new(),
        notes: Vec::new(),
        scene: None,
        open_findings: report.open_findings.clone(),
    };
    if !sealed {
        let words = "the check report was changed after it was written";
        found.problems.push(words.into());
    }
    if report.sha256 != sha256_hex(&bytes) {
        let words = "the file was changed after its export: its SHA-256 is not that of the report";
        found.problems.push(words.into());
    }
    if !report.geometry_good {
        let words = "the file failed its check when it was exported";
        found.problems.push(words.into());
    }
    let contents = match Format::of_key(&report.format) {
        None => Err(format!("the format \"{}\" is unknown", report.format)),
        Some(format) => match format.read(&bytes) {
            Ok(contents) => Ok((format, contents)),
            Err(error) => Err(format!("the file cannot be read: {error}")),
        },
    };
    match contents {
        Err(problem) => found.problems.push(problem),
        Ok((format, contents)) => {
            found.problems.extend(against_report(&contents, &report));
            if !alone {
                against_scene(&mut found, &contents, format, &report, scene)?;
            }
        }
    }
    found.genuine = found.problems.is_empty();
    Ok(found)
}

/// What a file holds against the numbers of its report.
fn against_report(contents: &Contents, report: &Certificate) -> Vec<String> {
    let mut problems = contents.lost.clone();
    let (here, there) = (contents.network.len(), report.routes.len());
    if here != there {
        problems.push(format!("the file holds {here} routes, the report {there}"));
    }
    let to_mm = report.unit.in_mm();
    for (found, said) in contents.network.routes().zip(&report.routes) {
        if said.name_in_file.is_some() && found.name != said.name_in_file {
            problems.push(format!(
                "route \"{}\" is called \"{}\" in the file",
                said.route,
                found.name.as_deref().unwrap_or("")
            ));
        }
        let length = found.shape.length().map(|l| l * to_mm);
        if let (Some(found), Some(said_length)) = (length, said.length_mm)
            && !((found - said_length).abs() <= SAME_LENGTH * said_length.max(1.0))
        {
            problems.push(format!(
                "route \"{}\" is {found:.4} mm long in the file, {said_length:.4} mm in the report",
                said.route
            ));
        }
    }
    problems
}

/// The routes of the scene, made again, against what the file holds and what the report lists.
fn against_scene(
    found: &mut Verification,
    contents: &Contents,
    format: Format,
    report: &Certificate,
    scene: Option<&Path>,
) -> Result<(), VerifyError> {
    let named = report.scene.as_ref();
    let beside = named.map(|s| found.file.with_file_name("").join(&s.file));
    let Some(scene_path) = scene.map(Path::to_owned).or(beside) else {
        let words =
            "not compared with its scene, because the report names none: give it by --scene";
        found.problems.push(words.into());
        return Ok(());
    };
    if scene.is_none() && !scene_path.exists() {
        found.problems.push(format!(
            "not compared with its scene, which is not there: give it by --scene ({})",
            scene_path.display()
        ));
        return Ok(());
    }
    let (scene, warnings) =
        file::load(&scene_path).map_err(|e| VerifyError::Scene(e.to_string()))?;
    found.notes.extend(warnings.iter().map(ToString::to_string));
    let bytes = std::fs::read(&scene_path).unwrap_or_default();
    if named.is_some_and(|s| s.sha256.as_ref().is_some_and(|h| *h != sha256_hex(&bytes))) {
        let words = "the scene was saved again since the export; its routes decide";
        found.notes.push(words.into());
    }
    let how = RouteOptions {
        flexible_only: named.is_some_and(|s| s.flexible_only),
        ..RouteOptions::default()
    };
    let names: Vec<String> = report.routes.iter().map(|r| r.route.clone()).collect();
    let network =
        network_of(&scene, &names, &how).map_err(|e| VerifyError::Scene(e.to_string()))?;
    found.scene = Some(scene_path);
    let (checks, harness) = compare(contents, format, report, &network);
    let harness = harness.iter();
    found
        .problems
        .extend(harness.map(|p| format!("the file differs from the scene: {p}")));
    for check in checks {
        let problems = check.problems.iter();
        found.problems.extend(
            problems.map(|p| format!("route \"{}\" differs from the scene's: {p}", check.route)),
        );
    }
    for route in network.routes().filter(|r| names.contains(&r.name)) {
        for finding in &route.findings {
            let is_listed = |f: &OpenFinding| f.is_like(finding);
            if !report.open_findings.iter().any(is_listed) {
                let words = format!("the report does not list this finding: {}", finding.what);
                found.problems.push(words);
            }
        }
    }
    Ok(())
}

/// The check of an export, on the file as it is now.
fn compare(
    contents: &Contents,
    format: Format,
    report: &Certificate,
    network: &Network<Route>,
) -> (Vec<RouteCheck>, Vec<String>) {
    let target = Target {
        convention: Convention {
            unit: report.unit,
            axes: report.axes,
        },
        file_name: &report.file,
        title: "",
        stamp: Stamp::from_unix(0),
        fineness: format.fineness(report.chord_error_mm),
    };
    let wanted: Vec<(usize, &str, Option<LinesAndArcs>)> = (report.routes.iter())
        .filter_map(|said| {
            let number = network.routes().position(|r| r.name == said.route)?;
            let route = &network.segments[number].route;
            let arcs = match report.form {
                Form::Spline => None,
                Form::LinesAndArcs(limits) => lines_and_arcs(&route.curve, limits).ok(),
            };
            let name = said.name_in_file.as_deref().unwrap_or("");
            Some((number, name, arcs))
        })
        .collect();
    let mut entries: Entries = Network {
        segments: wanted
            .iter()
            .map(|(number, name, arcs)| Segment {
                label: network.segments[*number].label.clone(),
                route: Entry {
                    route: &network.segments[*number].route,
                    name,
                    arcs: arcs.as_ref(),
                },
            })
            .collect(),
        ..Network::default()
    };
    entries.surround(network.surroundings());
    entries.drop_strays();
    let checks = check(
        &entries,
        contents,
        &target,
        format,
        report.length_tolerance_mm,
    );
    (checks, check_harness(&entries, contents, &target, format))
}
