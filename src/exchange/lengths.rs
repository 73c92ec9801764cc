//! The line of the book of lengths that goes with a route into every file that can carry it.

use serde::{Deserialize, Serialize};

use crate::scene::lengths::LengthLine;
use crate::scene::{BendMeasure, Cable};

/// What is cut for a route, and how sharply it is bent. Lengths are in mm, whatever the unit of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RouteLengths {
    /// Without load and pressure, from seat to seat.
    pub geometric_mm: f64,
    /// The fittings at its ends, which are part of it.
    pub fittings_mm: f64,
    /// Of the centerline in its present shape.
    pub under_load_mm: Option<f64>,
    /// Longer than the shortest way that meets the bend limit.
    pub slack_percent: Option<f64>,
    /// Added at the start.
    pub allowance_start_mm: f64,
    /// Added at the end.
    pub allowance_end_mm: f64,
    /// Kept in a loop.
    pub service_loop_mm: f64,
    /// The sum is rounded up to a multiple of this.
    pub round_to_mm: f64,
    /// What is cut.
    pub cut_mm: f64,
    /// Smallest bend radius, measured as the limit is.
    pub bend_radius_mm: Option<f64>,
    /// Where it is measured.
    pub bend_measured: Option<BendMeasure>,
    /// Smallest bend radius allowed, where it is set.
    pub bend_limit_mm: Option<f64>,
}

impl RouteLengths {
    /// Of a line of the book, and of the cable of the route that is bent most against its limit.
    pub fn of(line: &LengthLine, cables: &[&Cable]) -> Self {
        let rule = &line.rule;
        let radius = |cable: &Cable| Some(cable.worst_bend()?.measured);
        let limit = |cable: &Cable| match cable.worst_bend() {
            Some(bend) => bend.limit,
            None => cable.bend_limit.mm(2.0 * cable.thickest()),
        };
        let worst = cables.iter().copied().min_by(|a, b| {
            let spare = |cable: &Cable| {
                radius(cable).unwrap_or(f64::INFINITY) / limit(cable).unwrap_or(1.0)
            };
            spare(a).total_cmp(&spare(b))
        });
        Self {
            geometric_mm: line.geometric,
            fittings_mm: line.fittings,
            under_load_mm: line.under_load,
            slack_percent: line.slack.map(|s| 100.0 * s),
            allowance_start_mm: rule.allowances[0],
            allowance_end_mm: rule.allowances[1],
            service_loop_mm: rule.service_loop,
            round_to_mm: rule.round_to,
            cut_mm: line.cut,
            bend_radius_mm: worst.and_then(radius).filter(|r| r.is_finite()),
            bend_measured: worst.map(|cable| cable.bend_limit.measured),
            bend_limit_mm: worst.and_then(limit),
        }
    }
}
