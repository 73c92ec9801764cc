//! What sits on a cable and is none: clips and brackets that it runs through, connectors at its ends.

use std::f64::consts::{PI, TAU};

use crate::centerline::CenterlineGraph;
use crate::geom::{Aabb, Rotation, Vec3, rotation_along};
use crate::mesh::TriMesh;

use super::Stretch;
use super::cut::Pieces;

/// How a rigid body meets a stretch of cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fitting {
    /// The cable runs through it: from where to where along the stretch, mm.
    Round([f64; 2]),
    /// It sits at the start (0) or the end (1).
    AtEnd(usize),
}

/// Farther from the centerline than so many radii, nothing of a body holds the cable.
const REACH: f64 = 2.5;
/// What is as near as the nearest, but for this factor, is the hole or the jaw that holds the cable.
const SAME_HOLE: f64 = 1.35;
/// A jaw is open by at most this angle, radians: a clip that is snapped over a cable holds it, a half shell does not.
const MOST_OPEN: f64 = 1.15 * PI;
/// Nearer to an end than so many radii, a body sits at the end.
const END_RADII: f64 = 1.5;
/// Most points of a body that are looked at.
const MOST_POINTS: usize = 20_000;

/// Where a body meets each of the stretches, if it does.
pub fn fittings(
    body: &TriMesh,
    graph: &CenterlineGraph,
    chosen: &[Stretch],
) -> Vec<(usize, Fitting)> {
    // Vertices, and the middles of triangles: a jaw may have few vertices.
    let n = body.vertices().len() + body.triangles().len();
    let step = n.div_ceil(MOST_POINTS).max(1);
    let middle = |t: usize| {
        let [a, b, c] = body.corners(t);
        (a + b + c) / 3.0
    };
    let middles = (0..body.triangles().len()).map(middle);
    let points = body.vertices().iter().copied().chain(middles);
    let points: Vec<Vec3> = points.step_by(step).collect();
    let all = chosen.iter().enumerate();
    all.filter_map(|(k, stretch)| Some((k, fitting(&points, graph, stretch)?)))
        .collect()
}

fn fitting(points: &[Vec3], graph: &CenterlineGraph, stretch: &Stretch) -> Option<Fitting> {
    let branch = &graph.branches[stretch.branch];
    let length = stretch.to - stretch.from;
    let line = Line::new(graph, stretch);
    let mut near: Vec<Near> = points.iter().filter_map(|p| line.near(p)).collect();
    let nearest = near.iter().map(|n| n.radii).fold(f64::INFINITY, f64::min);
    near.retain(|n| n.radii <= SAME_HOLE * nearest);
    if near.is_empty() {
        return None;
    }
    let from = near.iter().map(|n| n.s).fold(f64::INFINITY, f64::min);
    let to = near.iter().map(|n| n.s).fold(0.0, f64::max);
    let ends = [from, length - to];
    for (end, gap) in ends.into_iter().enumerate() {
        let s = if end == 0 { stretch.from } else { stretch.to };
        let is_free = (stretch.node_at(graph, end == 0))
            .is_none_or(|node| graph.branches_at(node).count() < 2);
        if gap <= END_RADII * branch.at(s).radius && is_free {
            return Some(Fitting::AtEnd(end));
        }
    }
    let mut angles: Vec<f64> = near.iter().map(|n| n.angle).collect();
    angles.sort_by(f64::total_cmp);
    let over = angles[0] + TAU - angles[angles.len() - 1];
    let widest = angles.windows(2).map(|w| w[1] - w[0]).fold(over, f64::max);
    (widest <= MOST_OPEN).then_some(Fitting::Round([from, to]))
}

/// A point of a body beside the line.
struct Near {
    s: f64,
    radii: f64,
    angle: f64,
}

/// A stretch of centerline as a polyline, with frames that turn along it without twist.
struct Line {
    points: Vec<(Vec3, f64)>,
    frames: Vec<Rotation>,
    bounds: Aabb,
    length: f64,
}

impl Line {
    fn new(graph: &CenterlineGraph, stretch: &Stretch) -> Self {
        let branch = &graph.branches[stretch.branch];
        let length = stretch.to - stretch.from;
        let thin = branch.at(stretch.from + 0.5 * length).radius;
        let n = (2.0 * length / thin).ceil().clamp(2.0, 2000.0) as usize;
        let at = |i: usize| branch.at(stretch.from + length * i as f64 / n as f64);
        let points: Vec<(Vec3, f64)> = (0..=n).map(|i| (at(i).position, at(i).radius)).collect();
        let first = rotation_along(&(points[1].0 - points[0].0));
        let mut frame = first.unwrap_or_else(Rotation::identity);
        let mut frames = Vec::with_capacity(n);
        for w in points.windows(2) {
            let turn = Rotation::rotation_between(&(frame * Vec3::z()), &(w[1].0 - w[0].0));
            frame = turn.unwrap_or_else(Rotation::identity) * frame;
            frames.push(frame);
        }
        let widest = points.iter().map(|p| p.1).fold(0.0, f64::max);
        let bounds = Aabb::of_points(points.iter().map(|p| &p.0));
        Self {
            length,
            points,
            frames,
            bounds: bounds.inflated(REACH * widest),
        }
    }

    /// The place on the line that is nearest to a point, where that is near enough.
    fn near(&self, point: &Vec3) -> Option<Near> {
        if !self.bounds.intersects(&Aabb::of_points([point])) {
            return None;
        }
        let mut best: Option<(f64, usize, f64)> = None;
        for (i, w) in self.points.windows(2).enumerate() {
            let along = w[1].0 - w[0].0;
            let t = ((point - w[0].0).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
            let d = (point - w[0].0 - along * t).norm() / (w[0].1 + (w[1].1 - w[0].1) * t);
            if best.is_none_or(|b| d < b.0) {
                best = Some((d, i, t));
            }
        }
        let (radii, i, t) = best.filter(|b| b.0 <= REACH)?;
        let foot = self.points[i].0.lerp(&self.points[i + 1].0, t);
        let across = self.frames[i].inverse_transform_vector(&(point - foot));
        Some(Near {
            s: (i as f64 + t) / self.frames.len() as f64 * self.length,
            radii,
            angle: across.y.atan2(across.x),
        })
    }
}

/// Whether a skin is that of a corrugated tube: its radius goes up and down nearly everywhere.
pub fn is_corrugated(pieces: &Pieces, graph: &CenterlineGraph, stretch: &Stretch) -> bool {
    /// Least part of the windows, one radius long, in which it does, and least height of the waves over the radius.
    const MOST: f64 = 0.7;
    const WAVE: f64 = 0.08;
    let line = Line::new(graph, stretch);
    let branch = &graph.branches[stretch.branch];
    let length = stretch.to - stretch.from;
    let radius = branch.at(stretch.from + 0.5 * length).radius;
    let n = ((length / radius).floor() as usize).max(1);
    let mut seen = vec![[f64::INFINITY, 0.0_f64]; n];
    for near in pieces.vertices.iter().filter_map(|v| line.near(v)) {
        let k = ((near.s / length * n as f64) as usize).min(n - 1);
        seen[k] = [seen[k][0].min(near.radii), seen[k][1].max(near.radii)];
    }
    // The caps at both ends are no waves.
    let inner = &seen[n.min(2)..n.saturating_sub(2).max(n.min(2))];
    let waves = inner.iter().filter(|[a, b]| b - a > WAVE).count();
    inner.len() >= 6 && waves as f64 >= MOST * inner.len() as f64
}
