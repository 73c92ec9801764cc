//! The independent judge: did a cable, on its way, pass through a part?
//!
//! A solver that promises "never passes through" is checked here by other means than its own. This module shares no
//! code with [`contact`](crate::contact) or [`solve`](crate::solve): it has its own search tree, its own distance, its
//! own swept test, and exact predicates where those modules use floating point.
//!
//! * [`Checker::check_motion`] judges one motion: a polyline whose nodes go on straight lines from one state to the
//!   next. The polyline is the cable's axis; that the axis never touches a triangle means that no cable passes through.
//! * [`Checker::smallest_gap`] measures how far the cable's surface stays away from the parts in one state.
//! * [`TraceChecker`] does both for every iterate of a trace, [`check_trace`] for a trace file.
//!
//! Certainty: a motion is clear only if every edge and triangle was separated, over every interval of time, by a plane
//! with more than the rounding error to spare. A contact is therefore never missed. What cannot be separated is
//! reported, and this includes motions that come within about 1e-12 of the pair's extent without contact (more for
//! needle triangles, whose normal is uncertain); no cable has so small a radius.
//!
//! * [`CableChecker`] judges cables against each other and against themselves.
//!
//! Parts do not move here: what a moving part did to a cable is judged by handing over the cable as the part sees it.

mod bvh;
mod cables;
mod distance;
mod motion;
mod predicate;
mod trace;

use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;
use bvh::{Bvh, Triangle};
use motion::{Contact, EdgeMotion};

pub use cables::{CableChecker, CableCrossing, CableSummary};
pub use trace::{
    Iterate, TraceChecker, TraceCrossing, TraceError, TraceGap, TracePlace, TraceSummary,
    check_trace,
};

/// Coordinates beyond this are not lengths: products of three must stay finite for the exact predicates.
const LARGEST_COORDINATE: f64 = 1e100;

/// All triangles of a scene's parts, ready to be asked.
#[derive(Clone, Debug)]
pub struct Checker {
    part_names: Vec<String>,
    bvh: Bvh,
}

/// An edge touches a triangle on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Which edge: edge i joins nodes i and i + 1.
    pub edge: usize,
    /// Which part, in the order given to [`Checker::new`].
    pub part: usize,
    /// Which triangle of the part.
    pub triangle: usize,
    /// When, from 0 (before) to 1 (after).
    pub time: f64,
    /// Where on the triangle, mm.
    pub position: Vec3,
}

/// A node's coordinate is NaN, infinite, or larger than 1e100 mm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {node} has a coordinate that is not a usable number")]
pub struct NotFinite {
    /// Which node.
    pub node: usize,
}

/// Why a motion is not clear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finding {
    /// The polyline touches a part; the earliest contact.
    Crossing(Crossing),
    /// There is no motion to judge: a coordinate is no number.
    NotFinite(NotFinite),
    /// There is no motion to judge: nodes appeared or vanished.
    NodeCount {
        /// Nodes before.
        before: usize,
        /// Nodes after.
        after: usize,
    },
}

/// The smallest gap between a cable's surface and the parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Distance from the axis less the radius, mm; −radius where the axis itself meets a part.
    pub gap: f64,
    /// Which edge.
    pub edge: usize,
    /// Which part, in the order given to [`Checker::new`].
    pub part: usize,
    /// Which triangle of the part.
    pub triangle: usize,
    /// Nearest point of the triangle, mm.
    pub position: Vec3,
}

impl Checker {
    /// Takes in the triangles of all parts, degenerate ones too; findings name a part by its place in this order.
    pub fn new<'a>(parts: impl IntoIterator<Item = (&'a str, &'a TriMesh)>) -> Self {
        let mut part_names = vec![];
        let mut triangles = vec![];
        for (part, (name, mesh)) in (0..).zip(parts) {
            part_names.push(name.to_owned());
            triangles.extend(
                (0..)
                    .zip(mesh.triangles())
                    .map(|(index, _)| Triangle::new(mesh.corners(index as usize), part, index)),
            );
        }
        Self {
            part_names,
            bvh: Bvh::new(triangles),
        }
    }

    /// The name of a part in a finding.
    pub fn part_name(&self, part: usize) -> &str {
        &self.part_names[part]
    }

    /// Judges the motion in which every node goes on a straight line from `before` to `after`, all in the same time.
    ///
    /// `None` means proven clear. Otherwise the earliest contact is given; touching counts. A motion from a state to
    /// itself judges that state. A single node is an edge of no length.
    pub fn check_motion(&self, before: &[Vec3], after: &[Vec3]) -> Option<Finding> {
        if before.len() != after.len() {
            return Some(Finding::NodeCount {
                before: before.len(),
                after: after.len(),
            });
        }
        if let Err(fault) = all_finite(before).and_then(|()| all_finite(after)) {
            return Some(Finding::NotFinite(fault));
        }
        self.first_crossing(before, after, 0..n_edges(after))
            .map(Finding::Crossing)
    }

    /// The smallest gap between parts and the surface of a cable of this radius, whose axis is the polyline.
    ///
    /// Only triangles at a distance of at most `search` (mm, may be infinite) from the axis are seen; `None` if there
    /// are none. Radius and `search` are in mm and must not be NaN.
    pub fn smallest_gap(
        &self,
        points: &[Vec3],
        radius: f64,
        search: f64,
    ) -> Result<Option<Gap>, NotFinite> {
        all_finite(points)?;
        Ok(self.smallest_gap_of(points, 0..n_edges(points), radius, search))
    }

    /// The earliest contact of the given edges; of several at one time, that with the lowest numbers.
    fn first_crossing(
        &self,
        before: &[Vec3],
        after: &[Vec3],
        edges: impl Iterator<Item = usize>,
    ) -> Option<Crossing> {
        let mut first: Option<Crossing> = None;
        for edge in edges {
            let motion = EdgeMotion {
                before: edge_ends(before, edge),
                after: edge_ends(after, edge),
            };
            let swept = Aabb::of_points(motion.before.iter().chain(&motion.after));
            self.bvh.visit_overlapping(&swept, |triangle| {
                let latest = first.map_or(1.0, |crossing| crossing.time);
                let Some(Contact { time, position }) =
                    motion::first_contact(&motion, triangle, latest)
                else {
                    return;
                };
                let found = Crossing {
                    edge,
                    part: triangle.part as usize,
                    triangle: triangle.index as usize,
                    time,
                    position,
                };
                let order = |c: &Crossing| (c.time, c.edge, c.part, c.triangle);
                if first.is_none_or(|old| order(&found) < order(&old)) {
                    first = Some(found);
                }
            });
        }
        first
    }

    fn smallest_gap_of(
        &self,
        points: &[Vec3],
        edges: impl Iterator<Item = usize>,
        radius: f64,
        search: f64,
    ) -> Option<Gap> {
        assert!(!radius.is_nan() && !search.is_nan(), "a length is NaN");
        if search < 0.0 {
            return None;
        }
        let mut smallest = None;
        let mut limit_sq = search * search;
        for edge in edges {
            let [p, q] = edge_ends(points, edge);
            let aabb = Aabb::of_points([&p, &q]);
            self.bvh.visit_near(&aabb, limit_sq, |triangle| {
                let closest = distance::segment_triangle(&p, &q, &triangle.corners);
                let found = Gap {
                    gap: closest.distance_sq.sqrt() - radius,
                    edge,
                    part: triangle.part as usize,
                    triangle: triangle.index as usize,
                    position: closest.on_triangle,
                };
                let order = |g: &Gap| (g.edge, g.part, g.triangle);
                let is_smaller = closest.distance_sq < limit_sq
                    || closest.distance_sq <= limit_sq
                        && smallest.is_none_or(|old| order(&found) < order(&old));
                if is_smaller {
                    limit_sq = closest.distance_sq;
                    smallest = Some(found);
                }
                limit_sq
            });
        }
        smallest
    }
}

fn all_finite(points: &[Vec3]) -> Result<(), NotFinite> {
    // Written so that NaN, too, is not in the range.
    let is_usable = |p: &Vec3| p.iter().all(|c| c.abs() <= LARGEST_COORDINATE);
    match points.iter().position(|p| !is_usable(p)) {
        Some(node) => Err(NotFinite { node }),
        None => Ok(()),
    }
}

/// A single node counts as an edge of no length, so that it is not overlooked.
fn n_edges(points: &[Vec3]) -> usize {
    points.len().saturating_sub(1).max(points.len().min(1))
}

fn edge_ends(points: &[Vec3], edge: usize) -> [Vec3; 2] {
    [points[edge], points[(edge + 1).min(points.len() - 1)]]
}
