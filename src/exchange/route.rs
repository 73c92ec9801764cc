//! A route: one named curve with its thickness and its lengths, independent of where it came from.

use serde::{Deserialize, Serialize};

use super::bspline::BSpline;
use super::fit::{FitTolerance, deviation, fit};
use super::interpolate::{EndCondition, interpolate, interpolate_ring};
use super::lengths::RouteLengths;
use crate::geom::Vec3;
use crate::scene::findings::Finding;
use crate::scene::refine::Estimate;

/// Spacing of the points that a rigid piece is given, mm: near a joint the change of curvature is spread over one.
const RIGID_SPACING: f64 = 1.0;

/// Points of one rigid piece at most.
const RIGID_POINTS: f64 = 20_000.0;

/// Ends of a ring are at one place, to roundings, mm.
const CLOSED: f64 = 1e-6;

/// Directions in which a ring is held at its seam differ by less than this, radians (0.05 degree).
const SEAM: f64 = 9e-4;

/// A chain of points that turns by less than this at its seam is a ring, radians.
const SEAM_TURN: f64 = 0.6;

/// One curve for the receiver, with what it should know of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// What the user calls it; unique among the routes of an export.
    pub name: String,
    /// sRGB, 0 to 255.
    pub colour: [u8; 3],
    /// Outer radius along it.
    pub radius: RadiusProfile,
    /// The curve: cubic, C2, clamped at both ends, mm.
    pub curve: BSpline,
    /// Ends where it starts, in the same direction.
    pub closed: bool,
    /// Arc length of the curve, mm.
    pub length: f64,
    /// Length of the cable: rest length plus elastic stretch, rigid pieces included, mm.
    pub cable_length: f64,
    /// Largest distance of the curve from the C2 cubic through all nodes, mm.
    pub deviation: f64,
    /// How the shape was found, if by a solve.
    pub solve: Option<SolveFacts>,
    /// Name of the material of its cables, where they have one.
    pub material: Option<String>,
    /// What is cut for it, where that is known.
    pub lengths: Option<RouteLengths>,
    /// What is open about it as engineering; empty where nothing is known of its cables.
    pub findings: Vec<Finding>,
}

/// How well a shape was solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveFacts {
    /// Edges of the last solve.
    pub n_edges: usize,
    /// Whether it is an equilibrium.
    pub converged: bool,
    /// Estimate of the distance from the exact shape, mm: from two resolutions, if there were two.
    pub error_estimate: Option<f64>,
    /// Largest distance of the exported shape from the one that is shown, mm: the solve with the scene's own edges.
    pub off_shown: Option<f64>,
    /// Bars of what that shape and its forces are off, by a finer grid and the second model.
    pub bars: Option<ErrorBars>,
}

/// How far a solved shape and its forces may be off.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorBars {
    /// Of a node, mm.
    pub shape_mm: f64,
    /// Of the force of a handle, N.
    pub force_n: f64,
    /// Of the moment of a handle, N mm.
    pub moment_n_mm: f64,
    /// How far discrete elastic rods are off under the same forces, mm; in the bars. `null` where they found no equilibrium.
    pub second_model_off_mm: Option<f64>,
    /// Whether the bars can be relied on.
    pub holds: bool,
}

impl ErrorBars {
    /// Those of an estimate with a second opinion.
    pub fn of(estimate: &Estimate) -> Self {
        let opinion = estimate.second_opinion.filter(|o| o.converged);
        Self {
            shape_mm: estimate.shape,
            force_n: estimate.force,
            moment_n_mm: estimate.moment,
            second_model_off_mm: opinion.map(|o| o.shape),
            holds: estimate.holds(),
        }
    }

    /// The worse of two cables in one route.
    fn with(self, other: Self) -> Self {
        let both = self.second_model_off_mm.zip(other.second_model_off_mm);
        Self {
            shape_mm: self.shape_mm.max(other.shape_mm),
            force_n: self.force_n.max(other.force_n),
            moment_n_mm: self.moment_n_mm.max(other.moment_n_mm),
            second_model_off_mm: both.map(|(a, b)| a.max(b)),
            holds: self.holds && other.holds,
        }
    }
}

impl SolveFacts {
    /// Of two cables in one route: all edges, the worse of each.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        Self {
            n_edges: self.n_edges + other.n_edges,
            converged: self.converged && other.converged,
            error_estimate: larger(self.error_estimate, other.error_estimate),
            bars: (self.bars.zip(other.bars)).map(|(a, b)| a.with(b)),
            off_shown: larger(self.off_shown, other.off_shown),
        }
    }
}

/// The larger of two numbers that are both known, else the one that is.
fn larger(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    }
}

/// The outer radius along a route: linear between places.
#[derive(Clone, Debug, PartialEq)]
pub struct RadiusProfile {
    /// (arc length, radius), both mm, rising in arc length; constant before the first and after the last.
    places: Vec<(f64, f64)>,
}

impl RadiusProfile {
    /// The same radius everywhere.
    pub fn constant(radius: f64) -> Self {
        Self {
            places: vec![(0.0, radius)],
        }
    }

    /// Radii at places, as (arc length, radius); `None` unless arc lengths rise and all is finite and positive.
    pub fn new(places: Vec<(f64, f64)>) -> Option<Self> {
        let good = |&(s, r): &(f64, f64)| s.is_finite() && r.is_finite() && r > 0.0;
        let rises = places.windows(2).all(|p| p[1].0 > p[0].0);
        (!places.is_empty() && rises && places.iter().all(good)).then_some(Self { places })
    }

    /// Measured radii without what does not show: constant where all are within a tenth of their mean, else places
    /// from which the others differ by less than a fiftieth. Of exact ones only those go that lie between two others.
    pub fn simplified(places: &[(f64, f64)], is_exact: bool) -> Option<Self> {
        let [even, near] = if is_exact { [1e-9; 2] } else { [0.1, 0.02] };
        let mut rising: Vec<(f64, f64)> = Vec::with_capacity(places.len());
        for &(s, r) in places {
            if r.is_finite() && r > 0.0 && rising.last().is_none_or(|last| s > last.0) {
                rising.push((s, r));
            }
        }
        let (first, last) = (rising.first()?, rising.last()?);
        let mean = rising.iter().map(|p| p.1).sum::<f64>() / rising.len() as f64;
        if rising.iter().all(|p| (p.1 - mean).abs() <= even * mean) {
            return Some(Self::constant(mean));
        }
        // Douglas-Peucker: keep the worst place until all are near enough.
        let mut kept = vec![*first, *last];
        loop {
            let profile = Self::new(kept.clone())?;
            let worst = rising
                .iter()
                .map(|p| ((profile.at(p.0) - p.1).abs(), *p))
                .max_by(|a, b| a.0.total_cmp(&b.0))?;
            if worst.0 <= near * mean || kept.contains(&worst.1) {
                return Some(profile);
            }
            let place = kept.partition_point(|p| p.0 < worst.1.0);
            kept.insert(place, worst.1);
        }
    }

    /// The radius at arc length `s`.
    pub fn at(&self, s: f64) -> f64 {
        let after = self.places.partition_point(|p| p.0 <= s);
        match (after.checked_sub(1), self.places.get(after)) {
            (Some(i), Some(&(s1, r1))) => {
                let (s0, r0) = self.places[i];
                r0 + (r1 - r0) * (s - s0) / (s1 - s0)
            }
            (Some(i), None) => self.places[i].1,
            (None, _) => self.places[0].1,
        }
    }

    /// Its one radius, where it has one.
    pub fn as_constant(&self) -> Option<f64> {
        let first = self.places[0].1;
        self.places.iter().all(|p| p.1 == first).then_some(first)
    }

    /// The largest radius.
    pub fn largest(&self) -> f64 {
        self.places.iter().fold(0.0, |a, p| a.max(p.1))
    }

    /// The (arc length, radius) places.
    pub fn places(&self) -> &[(f64, f64)] {
        &self.places
    }
}

/// What a route is called and looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// sRGB, 0 to 255.
    pub colour: [u8; 3],
    /// Outer radius along it.
    pub radius: RadiusProfile,
}

/// Nodes of a solved cable.
#[derive(Clone, Debug, PartialEq)]
pub struct Nodes {
    /// Rest arc length of each node, mm, rising.
    pub at: Vec<f64>,
    /// Position of each node, mm. A ring repeats its first point as the last.
    pub points: Vec<Vec3>,
    /// Directions at start and end where they are held; a free end bends no more.
    pub tangents: [Option<Vec3>; 2],
}

/// A piece of a route between two nodes of a harness.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Solved: its nodes.
    Flexible(Nodes),
    /// Not flexible: points of its centerline, at least two.
    Rigid(Vec<Vec3>),
}

/// Why there is no route.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RouteError {
    /// Fewer than two different points, or a number that is none.
    #[error(
        "route \"{0}\" has no extent: it needs at least two different points with finite coordinates"
    )]
    NoExtent(String),
    /// Two pieces do not meet.
    #[error(
        "route \"{name}\": piece {piece} ends {gap:.3} mm away from where the next one starts; \
         solve it again, or export the flexible stretch alone"
    )]
    Gap {
        /// The route.
        name: String,
        /// Number of the first piece of the two, from 1.
        piece: usize,
        /// The distance, mm.
        gap: f64,
    },
    /// A ring of too few points.
    #[error("route \"{0}\" is closed, but has fewer than four points")]
    SmallRing(String),
}

impl Route {
    /// The route through the nodes of one solved cable.
    pub fn through(
        label: Label,
        nodes: &Nodes,
        tolerance: &FitTolerance,
    ) -> Result<Self, RouteError> {
        let reference =
            curve_through(nodes).ok_or_else(|| RouteError::NoExtent(label.name.clone()))?;
        Ok(Self::fitted(
            label,
            &reference,
            chain(&nodes.points),
            false,
            tolerance,
        ))
    }

    /// The closed route through nodes of which the last is the first again.
    pub fn ring(label: Label, nodes: &Nodes, tolerance: &FitTolerance) -> Result<Self, RouteError> {
        let closes = nodes.points.first() == nodes.points.last();
        if nodes.points.len() < 4 || !closes {
            return Err(RouteError::SmallRing(label.name));
        }
        let reference = interpolate_ring(&nodes.at, &nodes.points)
            .ok_or_else(|| RouteError::NoExtent(label.name.clone()))?;
        Ok(Self::fitted(
            label,
            &reference,
            chain(&nodes.points),
            true,
            tolerance,
        ))
    }

    /// One curve from node to node through rigid and flexible pieces, in the order of the route; a closed one where
    /// it ends where it starts, in the same direction.
    ///
    /// A rigid piece is first made smooth by itself, with the direction of its flexible neighbour where they meet,
    /// and then given points as dense as nodes, so that the whole is one C2 cubic. The length is the sum of the
    /// rigid curves' and the flexible cables' lengths.
    pub fn joined(
        label: Label,
        pieces: &[Piece],
        tolerance: &FitTolerance,
    ) -> Result<Self, RouteError> {
        let no_extent = || RouteError::NoExtent(label.name.clone());
        let mut all = Nodes {
            at: Vec::new(),
            points: Vec::new(),
            tangents: [None, None],
        };
        let mut cable_length = 0.0;
        let seam = seam(pieces);
        for (i, piece) in pieces.iter().enumerate() {
            let (mut nodes, length) = match piece {
                Piece::Flexible(nodes) => (nodes.clone(), chain(&nodes.points)),
                Piece::Rigid(points) => {
                    let before = i.checked_sub(1).map(|j| &pieces[j]);
                    let tangents = [
                        before.map_or(seam, |p| p.tangent(1)),
                        pieces.get(i + 1).map_or(seam, |p| p.tangent(0)),
                    ];
                    rigid_nodes(points, tangents).ok_or_else(no_extent)?
                }
            };
            if nodes.points.len() < 2 || nodes.at.len() != nodes.points.len() {
                return Err(no_extent());
            }
            cable_length += length;
            let shift = all.at.last().copied().unwrap_or(0.0) - nodes.at[0];
            for at in &mut nodes.at {
                *at += shift;
            }
            if let Some(last) = all.points.last() {
                let gap = (nodes.points[0] - last).norm();
                if gap > tolerance.deviation {
                    return Err(RouteError::Gap {
                        name: label.name.clone(),
                        piece: i,
                        gap,
                    });
                }
                all.at.extend_from_slice(&nodes.at[1..]);
                all.points.extend_from_slice(&nodes.points[1..]);
            } else {
                all.at = nodes.at;
                all.points = nodes.points;
                all.tangents[0] = nodes.tangents[0];
            }
            all.tangents[1] = nodes.tangents[1];
        }
        let closed = seam.is_some() && all.points.len() >= 4;
        let reference = if closed {
            let last = all.points.len() - 1;
            all.points[last] = all.points[0];
            interpolate_ring(&all.at, &all.points)
        } else {
            curve_through(&all)
        };
        let reference = reference.ok_or_else(no_extent)?;
        Ok(Self::fitted(
            label,
            &reference,
            cable_length,
            closed,
            tolerance,
        ))
    }

    /// The route of a curve that is known already, such as one read from a file.
    pub fn of_curve(label: Label, curve: BSpline) -> Self {
        let length = curve.length();
        let closed = curve.start().position == curve.end().position;
        Self {
            name: label.name,
            colour: label.colour,
            radius: label.radius,
            curve,
            closed,
            length,
            cable_length: length,
            deviation: 0.0,
            solve: None,
            material: None,
            lengths: None,
            findings: Vec::new(),
        }
    }

    fn fitted(
        label: Label,
        reference: &BSpline,
        cable_length: f64,
        closed: bool,
        tolerance: &FitTolerance,
    ) -> Self {
        let curve = fit(reference, tolerance);
        Self {
            name: label.name,
            colour: label.colour,
            radius: label.radius,
            length: curve.length(),
            deviation: deviation(reference, &curve),
            cable_length,
            closed,
            curve,
            solve: None,
            material: None,
            lengths: None,
            findings: Vec::new(),
        }
    }
}

impl Piece {
    /// Its direction at an end (0 start, 1 end), where it is held or known.
    fn tangent(&self, end: usize) -> Option<Vec3> {
        match self {
            Self::Flexible(nodes) => nodes.tangents[end],
            Self::Rigid(_) => None,
        }
    }
}

/// The direction in which pieces go on from their end to their start; `None` if they are no ring.
fn seam(pieces: &[Piece]) -> Option<Vec3> {
    let points = |piece: &Piece| match piece {
        Piece::Flexible(nodes) => nodes.points.clone(),
        Piece::Rigid(points) => points.clone(),
    };
    let (first, last) = (points(pieces.first()?), points(pieces.last()?));
    let (start, end) = (first.first()?, last.last()?);
    let next = first.iter().find(|p| (*p - start).norm() > CLOSED)?;
    let before = last.iter().rev().find(|p| (*p - end).norm() > CLOSED)?;
    if (start - end).norm() > CLOSED || (next - start).angle(&(end - before)) > SEAM_TURN {
        return None;
    }
    match (pieces[0].tangent(0), pieces[pieces.len() - 1].tangent(1)) {
        (Some(a), Some(b)) => (a.angle(&b) <= SEAM).then_some(a),
        (Some(held), None) | (None, Some(held)) => Some(held),
        (None, None) => (next - before).try_normalize(0.0),
    }
}

/// The C2 cubic through all nodes, its parameter the rest arc length: what a fit is measured against.
pub fn curve_through(nodes: &Nodes) -> Option<BSpline> {
    let n = nodes.points.len();
    if n < 2 || nodes.at.len() != n {
        return None;
    }
    let end = |which: usize, i: usize, j: usize| match nodes.tangents[which] {
        Some(tangent) => {
            // A stretched cable is longer than its rest length: so is its derivative.
            let speed = (nodes.points[j] - nodes.points[i]).norm() / (nodes.at[j] - nodes.at[i]);
            EndCondition::Derivative(tangent * speed)
        }
        None => EndCondition::Natural,
    };
    let is_finite = nodes.points.iter().all(|p| p.iter().all(|c| c.is_finite()));
    let has_extent = nodes.points.iter().any(|p| *p != nodes.points[0]);
    if !is_finite || !has_extent {
        return None;
    }
    interpolate(&nodes.at, &nodes.points, end(0, 0, 1), end(1, n - 2, n - 1))
}

/// A rigid piece as nodes: the smooth curve through its points, densely sampled, and its length.
fn rigid_nodes(points: &[Vec3], tangents: [Option<Vec3>; 2]) -> Option<(Nodes, f64)> {
    let mut distinct: Vec<Vec3> = Vec::with_capacity(points.len());
    for p in points {
        if distinct.last() != Some(p) {
            distinct.push(*p);
        }
    }
    let at: Vec<f64> = distinct
        .iter()
        .enumerate()
        .scan(0.0, |s, (i, p)| {
            if i > 0 {
                *s += (p - distinct[i - 1]).norm();
            }
            Some(*s)
        })
        .collect();
    let curve = curve_through(&Nodes {
        at,
        points: distinct,
        tangents,
    })?;
    let length = curve.length();
    let n = (length / RIGID_SPACING).ceil().clamp(4.0, RIGID_POINTS) as usize;
    let (a, b) = curve.domain();
    let mut nodes = Nodes {
        at: vec![0.0],
        points: vec![curve.start().position],
        tangents: [curve.start().tangent(), curve.end().tangent()],
    };
    let mut before = a;
    let mut sum = 0.0;
    for i in 1..=n {
        let t = if i == n {
            b
        } else {
            a + (b - a) * i as f64 / n as f64
        };
        sum += curve.length_between(before, t);
        before = t;
        nodes.at.push(sum);
        nodes.points.push(curve.at(t).position);
    }
    Some((nodes, length))
}

/// Length of the chain of edges: rest length plus stretch of a solved rod.
fn chain(points: &[Vec3]) -> f64 {
    points.windows(2).map(|p| (p[1] - p[0]).norm()).sum()
}
