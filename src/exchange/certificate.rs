//! The check report that stands beside an exported file: whether the file holds the routes, and what is open about them.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::check::RouteCheck;
use super::export::{ExportOptions, FileReport, Form};
use super::finding::OpenFinding;
use super::format::Format;
use super::unit::{Axes, LengthUnit};
use crate::mesh::import::sha256_hex;
use crate::scene::file::relative_to_file;

/// What the first field of every report says.
const KIND: &str = "loomwright-export";

/// The version that is written. Version 1 knew no findings and is not read any more.
const VERSION: u32 = 2;

/// The report of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// Always "loomwright-export".
    pub certificate: String,
    /// 2.
    pub version: u32,
    /// Who wrote it.
    pub program: String,
    /// Name of the exported file.
    pub file: String,
    /// Its format, by its key.
    pub format: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// How many bytes.
    pub bytes: usize,
    /// Unit of the file.
    pub unit: LengthUnit,
    /// Axes of the file.
    pub axes: Axes,
    /// The file holds its routes, and nothing is open about them.
    pub good: bool,
    /// The file holds its routes.
    pub geometry_good: bool,
    /// What is wrong with the file as a whole.
    pub problems: Vec<String>,
    /// What is open about the routes.
    pub open_findings: Vec<OpenFinding>,
    /// Largest distance of what is in the file from the solved shapes, mm.
    pub largest_deviation_mm: f64,
    /// Largest distance of an exported route from the one that is shown, mm, where there were two grids.
    pub largest_off_shown_mm: Option<f64>,
    /// How finely points and triangles were to follow the curves, mm, where it was asked for.
    pub chord_error_mm: Option<f64>,
    /// How far lengths may differ, mm.
    pub length_tolerance_mm: f64,
    /// What curves are made of.
    pub form: Form,
    /// The scene that it was made of, if that is a file.
    pub scene: Option<SceneSource>,
    /// Every number of the check.
    pub routes: Vec<RouteCheck>,
    /// SHA-256 of all the rest: a report that was changed by hand does not fit itself.
    #[serde(default)]
    pub seal: String,
}

/// The scene that routes were made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneSource {
    /// Where it is, as seen from the exported file.
    pub file: PathBuf,
    /// SHA-256 of its bytes; `None` where the window exported what was not saved yet.
    pub sha256: Option<String>,
    /// Only flexible stretches were exported.
    pub flexible_only: bool,
}

impl SceneSource {
    /// A scene file as seen from the place of an export.
    pub fn new(scene: &Path, saved: bool, flexible_only: bool, export: &Path) -> Self {
        let bytes = saved.then(|| std::fs::read(scene).ok()).flatten();
        Self {
            file: relative_to_file(scene, export).map_or_else(|| scene.to_owned(), PathBuf::from),
            sha256: bytes.map(|bytes| sha256_hex(&bytes)),
            flexible_only,
        }
    }
}

/// Why a report cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CertificateError {
    /// It is not there.
    #[error("there is no check report beside it ({})", path.display())]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// It is something else, or of another version.
    #[error("the check report cannot be read ({reason}): {}", path.display())]
    Unreadable {
        /// The report.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl Certificate {
    /// The report of a file that was written and checked.
    pub fn of(report: &FileReport, format: Format, options: &ExportOptions) -> Self {
        let largest = |of: fn(&RouteCheck) -> f64| report.routes.iter().map(of).fold(0.0, f64::max);
        let mut certificate = Self {
            certificate: KIND.to_owned(),
            version: VERSION,
            program: format!("Loomwright {}", env!("CARGO_PKG_VERSION")),
            file: file_name(&report.path),
            format: format.key().to_owned(),
            sha256: report.sha256.clone(),
            bytes: report.bytes,
            unit: report.convention.unit,
            axes: report.convention.axes,
            good: report.good,
            geometry_good: report.geometry_good,
            problems: report.problems.clone(),
            open_findings: report.open_findings.clone(),
            largest_deviation_mm: largest(|r| r.deviation_mm + r.fit_deviation_mm),
            largest_off_shown_mm: (report.routes.iter())
                .filter_map(|r| r.off_shown_mm)
                .reduce(f64::max),
            chord_error_mm: options.chord_error,
            length_tolerance_mm: options.length_tolerance,
            form: options.form,
            scene: options.scene.clone(),
            routes: report.routes.clone(),
            seal: String::new(),
        };
        certificate.seal = serde_json::to_value(&certificate).map_or(String::new(), seal_of);
        certificate
    }

    /// Where the report of a file is.
    pub fn path_of(file: &Path) -> PathBuf {
        let mut name = file.file_name().unwrap_or_default().to_owned();
        name.push(".certificate.json");
        file.with_file_name(name)
    }

    /// The report beside a file, and whether it is as it was written.
    pub fn beside(file: &Path) -> Result<(Self, bool), CertificateError> {
        let path = Self::path_of(file);
        if !path.exists() {
            return Err(CertificateError::Missing { path });
        }
        let unreadable = |reason: String| CertificateError::Unreadable {
            path: path.clone(),
            reason,
        };
        let bytes = std::fs::read(&path).map_err(|e| unreadable(e.to_string()))?;
        let value: Value = serde_json::from_slice(&bytes).map_err(|e| unreadable(e.to_string()))?;
        if value["certificate"] != KIND {
            return Err(unreadable("it is no check report of an export".into()));
        }
        if value["version"] != VERSION {
            let version = &value["version"];
            return Err(unreadable(format!(
                "it has version {version}, not {VERSION}; export the routes again"
            )));
        }
        let certificate: Self =
            serde_json::from_value(value.clone()).map_err(|e| unreadable(e.to_string()))?;
        let sealed = certificate.seal == seal_of(value);
        Ok((certificate, sealed))
    }
}

/// SHA-256 of everything in a report but its seal. Fields are in the order of their names, whatever wrote them.
fn seal_of(mut report: Value) -> String {
    if let Value::Object(fields) = &mut report {
        fields.remove("seal");
    }
    sha256_hex(report.to_string().as_bytes())
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// What the report beside a file that is imported says of it: nothing where there is none.
pub fn notes_beside(file: &Path, bytes: &[u8]) -> Vec<String> {
    let (certificate, sealed) = match Certificate::beside(file) {
        Ok(found) => found,
        Err(CertificateError::Missing { .. }) => return Vec::new(),
        Err(error) => return vec![error.to_string()],
    };
    if certificate.sha256 != sha256_hex(bytes) {
        return vec![format!(
            "the check report beside it does not fit: the file was changed after its export ({})",
            Certificate::path_of(file).display()
        )];
    }
    if !sealed {
        return vec![format!(
            "the check report beside it was changed after the export ({})",
            Certificate::path_of(file).display()
        )];
    }
    let findings = certificate.open_findings;
    findings
        .iter()
        .map(|f| format!("open when it was exported: {}", f.message))
        .collect()
}
