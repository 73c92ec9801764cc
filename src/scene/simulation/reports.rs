//! What is to be said of junctions, and of cables that moved together.

use std::sync::Arc;

use super::{CableReport, Simulation};
use crate::solve::Status;

/// A junction after a solve.
#[derive(Clone, Debug, PartialEq)]
pub struct JunctionReport {
    /// Its name.
    pub junction: String,
    /// Of one that finds its own place: what is left of the forces on it, and what may be, N. One that is held has none.
    pub balance: Option<[f64; 2]>,
}

impl JunctionReport {
    /// Whether it is held, or in balance.
    pub fn is_good(&self) -> bool {
        self.balance
            .is_none_or(|[residual, tolerance]| residual <= tolerance)
    }
}

/// Cables that moved together in the last solve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IslandReport {
    /// Their names.
    pub cables: Vec<String>,
    /// The worst of theirs.
    pub status: Status,
    /// Newton iterations, which they share.
    pub iterations: usize,
}

impl IslandReport {
    /// The islands of a solve, in the order of their turns; cables that slept are in none.
    pub fn all(reports: &[Arc<CableReport>]) -> Vec<Self> {
        let numbers = reports.iter().filter_map(|r| r.report.island);
        let mut numbers: Vec<usize> = numbers.collect();
        numbers.sort_unstable();
        numbers.dedup();
        let island = |number: usize| {
            let own = || (reports.iter()).filter(|r| r.report.island == Some(number));
            let worst = own().map(|r| r.report.status).max_by_key(|s| s.rank());
            Self {
                cables: own().map(|r| r.cable.clone()).collect(),
                status: worst.unwrap_or(Status::Converged),
                iterations: own().map(|r| r.report.iterations).max().unwrap_or(0),
            }
        };
        numbers.into_iter().map(island).collect()
    }
}

impl Simulation {
    /// What is to be said of the junctions, in the scene's order.
    pub fn junction_reports(&self) -> Vec<JunctionReport> {
        let bodies = self.pairs.body_reports(&self.solvers);
        let report = |(j, junction): (usize, &crate::scene::Junction)| {
            let number = self.free.iter().position(|&free| free == j);
            let body = number.and_then(|number| bodies.iter().find(|b| b.body == number));
            JunctionReport {
                junction: junction.name.clone(),
                balance: body.map(|b| [b.residual, b.tolerance]),
            }
        };
        let junctions = self.scene.junctions.iter().enumerate();
        junctions.map(report).collect()
    }
}
