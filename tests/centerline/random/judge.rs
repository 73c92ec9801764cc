//! What was found against the truth: deviation both ways, ends, length, radius; and warnings where it is wrong.

use loomwright::centerline::{CenterlineGraph, ComponentKind, NodeKind};
use loomwright::geom::Vec3;

use super::make::{Case, Place};

/// How good a result is.
pub enum Verdict {
    Right,
    /// Wrong, and a warning says so at each wrong place.
    Told(String),
    Silent(String),
}

/// A warning counts within so many radii of the place.
const NEAR: f64 = 3.0;
/// Lengths differ by no more than this part.
const LENGTH: f64 = 0.01;
/// Radii differ by no more than this part, at the median.
const RADIUS: f64 = 0.1;

pub fn judge(case: &Case, graph: &CenterlineGraph) -> Verdict {
    let warned: Vec<Vec3> = (graph.warnings.iter())
        .flat_map(|warning| graph.places(warning))
        .collect();
    let mut wrong: Vec<(String, Vec3, f64)> = Vec::new();
    let truth: Vec<&Place> = case.lines.iter().flatten().collect();
    for place in &truth {
        let off = graph.branches.iter().map(|b| b.project(&place.position).1);
        let off = off.fold(f64::INFINITY, f64::min) / place.radius;
        if off > case.limit {
            wrong.push((format!("{off:.2} r missed"), place.position, place.radius));
        }
    }
    let mut ratios = Vec::new();
    for branch in &graph.branches {
        for point in &branch.curve {
            let Some((off, place)) = nearest(&case.lines, &point.position) else {
                continue;
            };
            ratios.push(point.radius / place.radius);
            if off > case.limit * place.radius {
                let text = format!("{:.2} r astray", off / place.radius);
                wrong.push((text, point.position, place.radius));
            }
        }
    }
    // A piece that was refused was told as a whole.
    let is_refused = |p: &Vec3| {
        graph.components.iter().any(|c| {
            let is_in = (0..3).all(|k| c.aabb.min[k] <= p[k] && p[k] <= c.aabb.max[k]);
            is_in && matches!(c.kind, ComponentKind::Rejected(_))
        })
    };
    let silent = wrong.iter().filter(|(_, p, radius)| {
        !is_refused(p) && !warned.iter().any(|w| (w - p).norm() < NEAR * radius)
    });
    let n_silent = silent.clone().count();
    if let Some((text, p, _)) = silent.into_iter().max_by(|a, b| a.0.cmp(&b.0)) {
        let at = format!("({:.1}, {:.1}, {:.1})", p.x, p.y, p.z);
        return Verdict::Silent(format!(
            "{text} at {at}, {n_silent} of {} places",
            wrong.len()
        ));
    }
    let overall = overall(case, graph, &mut ratios);
    match (wrong.is_empty(), overall, warned.is_empty()) {
        (true, None, _) => Verdict::Right,
        (_, Some(text), true) => Verdict::Silent(text),
        (_, Some(text), false) => Verdict::Told(text),
        (false, None, _) => Verdict::Told(wrong[0].0.clone()),
    }
}

/// What is wrong as a whole.
fn overall(case: &Case, graph: &CenterlineGraph, ratios: &mut [f64]) -> Option<String> {
    let n_ends = graph
        .nodes
        .iter()
        .filter(|n| n.kind == NodeKind::End)
        .count();
    if n_ends != 2 * case.lines.len() {
        return Some(format!("{n_ends} ends for {}", 2 * case.lines.len()));
    }
    let steps = |line: &Vec<Place>| -> f64 {
        line.windows(2)
            .map(|w| (w[1].position - w[0].position).norm())
            .sum()
    };
    let truth: f64 = case.lines.iter().map(steps).sum();
    let found: f64 = graph
        .branches
        .iter()
        .map(loomwright::centerline::Branch::length)
        .sum();
    if (found / truth - 1.0).abs() > LENGTH {
        return Some(format!("length {found:.1} for {truth:.1}"));
    }
    ratios.sort_by(f64::total_cmp);
    let middle = ratios.get(ratios.len() / 2).copied().unwrap_or(0.0);
    ((middle - 1.0).abs() > RADIUS).then(|| format!("radius {middle:.2} of the true one"))
}

/// The nearest place of the true lines, and how far it is from the straight pieces there.
fn nearest(lines: &[Vec<Place>], p: &Vec3) -> Option<(f64, Place)> {
    let pieces = lines.iter().flat_map(|line| line.windows(2));
    let distance = |w: &[Place]| {
        let along = w[1].position - w[0].position;
        let t = ((p - w[0].position).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        (p - w[0].position - along * t).norm()
    };
    pieces
        .map(|w| (distance(w), w[0]))
        .min_by(|a, b| a.0.total_cmp(&b.0))
}
