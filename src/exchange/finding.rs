//! Open findings: what an engineer should look at before a route is used, though the file holds it faithfully.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::fit::FitTolerance;
use super::route::SolveFacts;
use crate::scene::findings::{Finding, FindingKind, Severity, judge};
use crate::scene::{CableReport, Simulation};

/// Distance between the exported route and the one that is shown from which on it is said, mm.
pub const OFF_SHOWN: f64 = 0.05;

/// A finding in a check report, with the route it is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenFinding {
    /// The route.
    pub route: String,
    /// What it is about.
    pub kind: FindingKind,
    /// All of it in one sentence.
    pub message: String,
    /// What would mend it.
    pub mend: String,
    /// The cable.
    pub cable: Option<String>,
    /// The handle, where it is about one.
    pub handle: Option<String>,
    /// The part or the other cable, where it is about one.
    pub other: Option<String>,
    /// Arc length from the cable's start, mm.
    pub at_mm: Option<f64>,
    /// What was found, in `unit`.
    pub value: Option<f64>,
    /// What is allowed, in `unit`.
    pub limit: Option<f64>,
    /// Unit of both.
    pub unit: String,
}

impl OpenFinding {
    /// A finding about a route.
    pub fn of(route: &str, finding: &Finding) -> Self {
        let finite = |v: Option<f64>| v.filter(|v| v.is_finite());
        Self {
            route: route.to_owned(),
            kind: finding.kind,
            message: finding.what.clone(),
            mend: finding.mend.clone(),
            cable: finding.cable.clone(),
            handle: finding.handle.clone(),
            other: finding.other.clone(),
            at_mm: finite(finding.at),
            value: finite(finding.value),
            limit: finite(finding.limit),
            unit: finding.unit.to_owned(),
        }
    }

    /// Whether it is about the same thing as a finding, whatever the numbers.
    pub fn is_like(&self, finding: &Finding) -> bool {
        self.kind == finding.kind
            && self.cable == finding.cable
            && self.handle == finding.handle
            && self.other == finding.other
    }
}

/// A solve of a scene, as it was and with the edges of the export.
pub struct Solved<'a> {
    /// Findings of the solve with the scene's own edges and targets: a finer copy holds its handles where they are.
    pub first: &'a [Finding],
    /// The solve that is exported.
    pub last: &'a Simulation,
    /// Its reports.
    pub reports: &'a [Arc<CableReport>],
}

/// What is open about each of the scene's cables, in their order: what must be mended, not what is good to know.
pub fn findings_of(solved: &Solved, facts: &[SolveFacts]) -> Vec<Vec<Finding>> {
    let scene = solved.last.scene();
    let short = solved.first.iter();
    let short = short.filter(|f| f.kind == FindingKind::HandleShort);
    let mut found: Vec<Finding> = short.cloned().collect();
    // Where a cable enters a connector or a clip it is inside by right, as in every solve of the program.
    let entries = solved.last.entries();
    let is_entry = |f: &Finding| {
        let at = f.at.unwrap_or(f64::NAN);
        f.kind == FindingKind::Overlap
            && entries.iter().any(|e| {
                f.cable.as_ref() == Some(&e.cable)
                    && f.other.as_ref() == Some(&e.part)
                    && (e.from..=e.to).contains(&at)
            })
    };
    let judged = judge(solved.last, solved.reports).into_iter();
    found.extend(judged.filter(|f| {
        f.severity == Severity::Error && f.kind != FindingKind::HandleShort && !is_entry(f)
    }));
    (scene.cables.iter().zip(facts))
        .map(|(cable, facts)| {
            let own = found.iter().filter(|f| f.cable.as_ref() == Some(&cable.name));
            let mut own: Vec<Finding> = own.cloned().collect();
            // The curve in the file may lie as far from the nodes as its fit allows.
            let fitted = facts.off_shown.map(|by| by + FitTolerance::default().deviation);
            if let Some(by) = fitted.filter(|by| !(*by <= OFF_SHOWN)) {
                let what = format!(
                    "cable \"{}\" lies up to {by:.3} mm off what is shown: its own edges are too long",
                    cable.name
                );
                let mut finding =
                    Finding::of(FindingKind::OffShown, Severity::Error, cable, what);
                (finding.value, finding.limit, finding.unit) = (Some(by), Some(OFF_SHOWN), "mm");
                finding.mend = "Give it more edges (refine), then solve and export again".into();
                own.push(finding);
            }
            own
        })
        .collect()
}
