//! Traces: all accepted iterates of continuous motions, judged one after the other.

use super::{Checker, Crossing, Gap, NotFinite, all_finite, n_edges};
use crate::geom::Vec3;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::BufRead;

/// Crossings kept with their place; further ones are only counted.
const MAX_CROSSINGS: usize = 100;

/// One accepted iterate of a cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterate<'a> {
    /// Number of the solver's step, for the report.
    pub frame: u64,
    /// Number of the iterate in its step, for the report.
    pub iterate: u64,
    /// Which cable; iterates of one cable form a chain.
    pub cable: &'a str,
    /// Radius of the cable, mm.
    pub radius: f64,
    /// Radius of each edge, mm, where they are not the same; else empty.
    pub radii: &'a [f64],
    /// The nodes, mm.
    pub points: &'a [Vec3],
    /// The cable was put here, not moved: a new chain begins, and the way from the last state is not judged.
    pub restart: bool,
}

/// Judges a trace iterate by iterate.
///
/// The trace must list every accepted iterate of the motion, in order: between two neighbours of a chain the nodes
/// are taken to go on straight lines. Leaving iterates out judges another motion than the one that took place. The
/// number of chains is part of the result: a break in a motion hides what happens in it.
#[derive(Clone, Debug)]
pub struct TraceChecker<'a> {
    checker: &'a Checker,
    search: f64,
    chains: BTreeMap<String, Chain>,
    summary: TraceSummary,
}

/// What a trace turned out to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceSummary {
    /// Iterates seen.
    pub iterates: u64,
    /// Chains begun: one for each cable, and one for each restart.
    pub chains: u64,
    /// Edges judged, over all iterates; an edge that rests since the last iterate is not judged again.
    pub edge_motions: u64,
    /// Iterates with a crossing.
    pub n_crossings: u64,
    /// The first of them, each with its earliest contact.
    pub crossings: Vec<TraceCrossing>,
    /// Iterates with a coordinate that is no number.
    pub n_not_finite: u64,
    /// The first of them.
    pub not_finite: Option<(TracePlace, NotFinite)>,
    /// Iterates whose number of nodes differs from the last, without restart.
    pub n_node_count_changes: u64,
    /// Smallest gap over all states; none if no part was ever within the search distance.
    pub smallest_gap: Option<TraceGap>,
}

/// Which iterate of which cable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePlace {
    /// Place in the whole trace, counting iterates from 0.
    pub index: u64,
    /// Number of the solver's step.
    pub frame: u64,
    /// Number of the iterate in its step.
    pub iterate: u64,
    /// The cable.
    pub cable: String,
}

/// A crossing on the way to an iterate.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceCrossing {
    /// The iterate at the end of the motion.
    pub place: TracePlace,
    /// The earliest contact.
    pub crossing: Crossing,
}

/// A gap in the state of an iterate.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceGap {
    /// The iterate.
    pub place: TracePlace,
    /// The gap.
    pub gap: Gap,
}

/// Why a trace file cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The file cannot be read on.
    #[error("trace line {line} cannot be read")]
    Io {
        /// Number of the line, from 1.
        line: u64,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line is not an iterate.
    #[error("trace line {line} is not an iterate: {source}")]
    Parse {
        /// Number of the line, from 1.
        line: u64,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// An iterate without an edge.
    #[error("trace line {line} has {n_points} points, but a cable has at least 2")]
    TooFewPoints {
        /// Number of the line, from 1.
        line: u64,
        /// How many there are.
        n_points: usize,
    },
    /// Radii that are not one for each edge.
    #[error("trace line {line} has {found} radii for {n_edges} edges")]
    Radii {
        /// Number of the line, from 1.
        line: u64,
        /// Edges of the cable.
        n_edges: usize,
        /// How many radii there are.
        found: usize,
    },
    /// A radius that is no length.
    #[error("trace line {line} has the radius {radius}, which is not a length")]
    Radius {
        /// Number of the line, from 1.
        line: u64,
        /// The radius.
        radius: f64,
    },
}

/// The last usable state of a cable.
#[derive(Clone, Debug)]
struct Chain {
    points: Vec<Vec3>,
    radius: f64,
    radii: Vec<f64>,
    /// Whether the last motion was proven clear, so that resting edges still are.
    is_clear: bool,
}

impl<'a> TraceChecker<'a> {
    /// Starts with nothing seen; gaps are measured where the axis is within `search` (mm) of a part.
    pub fn new(checker: &'a Checker, search: f64) -> Self {
        Self {
            checker,
            search,
            chains: BTreeMap::new(),
            summary: TraceSummary::default(),
        }
    }

    /// Judges the way from the cable's last iterate to this one, and the state it ends in.
    ///
    /// The first iterate of a chain is judged as a state. After an iterate that is not finite, the way goes on from
    /// the last one that was. The radius must be a finite length, and so must those of edges, one for each if any.
    pub fn push(&mut self, iterate: &Iterate) {
        let &Iterate {
            points,
            radius,
            radii,
            ..
        } = iterate;
        assert!(is_length(radius), "the radius {radius} is not a length");
        assert!(
            radii.is_empty()
                || radii.len() + 1 == points.len() && radii.iter().all(|r| is_length(*r)),
            "the radii of the edges are not lengths, one for each"
        );
        let place = TracePlace {
            index: self.summary.iterates,
            frame: iterate.frame,
            iterate: iterate.iterate,
            cable: iterate.cable.to_owned(),
        };
        self.summary.iterates += 1;

        let mut chain = self.chains.remove(iterate.cable);
        if chain.is_none() || iterate.restart {
            self.summary.chains += 1;
            chain = None;
        }
        if let Err(fault) = all_finite(points) {
            self.summary.n_not_finite += 1;
            self.summary.not_finite.get_or_insert((place, fault));
            // The chain goes on, and a chain that began with this iterate begins with the next.
            if let Some(chain) = chain {
                self.chains.insert(iterate.cable.to_owned(), chain);
            }
            return;
        }
        if chain
            .as_ref()
            .is_some_and(|chain| chain.points.len() != points.len())
        {
            self.summary.n_node_count_changes += 1;
            chain = None;
        }
        let is_clear = match &chain {
            Some(chain) => {
                // A radius that grew makes the gaps of resting edges smaller.
                let same = radii == chain.radii;
                let rest_is_known = chain.is_clear && same && radius <= chain.radius;
                self.judge(&chain.points, iterate, rest_is_known, place)
            }
            None => self.judge(points, iterate, false, place),
        };
        let mut last = chain.map(|chain| chain.points).unwrap_or_default();
        last.clear();
        last.extend_from_slice(points);
        let next = Chain {
            points: last,
            radius,
            radii: radii.to_vec(),
            is_clear,
        };
        self.chains.insert(iterate.cable.to_owned(), next);
    }

    /// What was found so far.
    pub fn summary(&self) -> &TraceSummary {
        &self.summary
    }

    /// What was found.
    pub fn finish(self) -> TraceSummary {
        self.summary
    }

    /// Judges one motion and its end state; edges at rest are left out if `rest_is_known`. Returns whether it is clear.
    fn judge(
        &mut self,
        before: &[Vec3],
        iterate: &Iterate,
        rest_is_known: bool,
        place: TracePlace,
    ) -> bool {
        let after = iterate.points;
        let rests = |node: usize| before[node] == after[node];
        let last = after.len().saturating_sub(1);
        let moved = (0..n_edges(after))
            .filter(|&edge| !(rest_is_known && rests(edge) && rests((edge + 1).min(last))));
        self.summary.edge_motions += moved.clone().count() as u64;

        // A gap is news only below the smallest so far. At rest nothing is news.
        let smallest = self.summary.smallest_gap.as_ref().map(|old| old.gap.gap);
        let below = |radius: f64, gap: Option<f64>| {
            gap.map_or(self.search, |gap| self.search.min(gap + radius))
        };
        let gap = if iterate.radii.is_empty() {
            let radius = iterate.radius;
            let search = below(radius, smallest);
            self.checker
                .smallest_gap_of(after, moved.clone(), radius, search)
        } else {
            // Edge by edge, each with its own radius.
            let mut least: Option<Gap> = None;
            for edge in moved.clone() {
                let radius = iterate.radii[edge];
                let search = below(radius, least.map(|gap| gap.gap).or(smallest));
                let found = self
                    .checker
                    .smallest_gap_of(after, [edge].into_iter(), radius, search);
                least = match (least, found) {
                    (Some(old), Some(new)) if new.gap >= old.gap => Some(old),
                    (old, new) => new.or(old),
                };
            }
            least
        };
        let gap = gap.filter(|new| smallest.is_none_or(|old| new.gap < old));
        if let Some(gap) = gap {
            let place = place.clone();
            self.summary.smallest_gap = Some(TraceGap { place, gap });
        }

        let crossing = self.checker.first_crossing(before, after, moved);
        if let Some(crossing) = crossing {
            self.summary.n_crossings += 1;
            if self.summary.crossings.len() < MAX_CROSSINGS {
                self.summary
                    .crossings
                    .push(TraceCrossing { place, crossing });
            }
        }
        crossing.is_none()
    }
}

impl TraceSummary {
    /// Whether the trace proves that nothing passed through a part. An empty trace proves nothing.
    pub fn is_clear(&self) -> bool {
        self.iterates > 0
            && self.n_crossings == 0
            && self.n_not_finite == 0
            && self.n_node_count_changes == 0
    }
}

/// Judges a trace file: JSON lines, one iterate each, cables interleaved as they come.
///
/// `{"frame":12,"iterate":3,"cable":"name","radius":4.0,"points":[[x,y,z],...]}`, with `"restart":true` where a new
/// chain begins, and `"radii":[4.0,6.0,...]`, one for each edge, where they are not the same. A coordinate of `null` is how JSON spells NaN, and counts as not finite. Empty lines are skipped.
pub fn check_trace(
    checker: &Checker,
    mut trace: impl BufRead,
    search: f64,
) -> Result<TraceSummary, TraceError> {
    let mut judge = TraceChecker::new(checker, search);
    let mut text = String::new();
    let mut points = vec![];
    for line in 1.. {
        text.clear();
        let n_bytes = trace
            .read_line(&mut text)
            .map_err(|source| TraceError::Io { line, source })?;
        if n_bytes == 0 {
            break;
        }
        if text.trim().is_empty() {
            continue;
        }
        let record: Record =
            serde_json::from_str(&text).map_err(|source| TraceError::Parse { line, source })?;
        if record.points.len() < 2 {
            let n_points = record.points.len();
            return Err(TraceError::TooFewPoints { line, n_points });
        }
        if !is_length(record.radius) {
            let radius = record.radius;
            return Err(TraceError::Radius { line, radius });
        }
        let n_edges = record.points.len() - 1;
        if !record.radii.is_empty() && record.radii.len() != n_edges {
            let found = record.radii.len();
            return Err(TraceError::Radii {
                line,
                n_edges,
                found,
            });
        }
        if let Some(&radius) = record.radii.iter().find(|r| !is_length(**r)) {
            return Err(TraceError::Radius { line, radius });
        }
        points.clear();
        points.extend(
            record
                .points
                .iter()
                .map(|point| Vec3::from(point.map(|c| c.unwrap_or(f64::NAN)))),
        );
        judge.push(&Iterate {
            frame: record.frame,
            iterate: record.iterate,
            cable: &record.cable,
            radius: record.radius,
            radii: &record.radii,
            points: &points,
            restart: record.restart,
        });
    }
    Ok(judge.finish())
}

/// One line of a trace file.
#[derive(Deserialize)]
struct Record {
    frame: u64,
    iterate: u64,
    cable: String,
    radius: f64,
    #[serde(default)]
    radii: Vec<f64>,
    points: Vec<[Option<f64>; 3]>,
    #[serde(default)]
    restart: bool,
}

fn is_length(length: f64) -> bool {
    length.is_finite() && length >= 0.0
}
