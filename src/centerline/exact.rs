//! Centerlines of bodies that were made of exact surfaces: taken from these where they are round.

use super::graph::{CenterlineGraph, CurvePoint, NodeKind};
use crate::geom::Vec3;
use crate::mesh::Axis;

/// How far a line that was found by triangles may be off the axis it belongs to, over the radius.
const OFF: f64 = 0.1;
/// How much the two radii may differ, over the radius.
const OTHER_RADIUS: f64 = 0.05;

/// Puts lines onto the axes that they run along. Where a line runs along none, as inside of a junction, it stays.
pub fn settle(graph: &mut CenterlineGraph, axes: &[Axis]) {
    if axes.is_empty() {
        return;
    }
    for branch in &mut graph.branches {
        let mut before: Option<(Vec3, CurvePoint)> = None;
        for point in &mut branch.curve {
            let old = point.position;
            settle_point(point, axes);
            // Two points at one place are a step of the radius, and stay together.
            if let Some((place, settled)) = before
                && place == old
            {
                point.position = settled.position;
            }
            before = Some((old, *point));
        }
    }
    // Lines that meet still meet: a junction stays, an end goes with its line.
    for (i, node) in graph.nodes.iter_mut().enumerate() {
        let ends = graph.branches.iter().find_map(|branch| {
            let first = (branch.start == i).then(|| branch.curve.first());
            let last = (branch.end == i).then(|| branch.curve.last());
            first.or(last).flatten()
        });
        if let (true, Some(end)) = (node.kind != NodeKind::Junction, ends) {
            node.position = end.position;
        }
    }
    for branch in &mut graph.branches {
        let ends = [branch.start, branch.end].map(|node| graph.nodes[node].position);
        if let [first, .., last] = &mut branch.curve[..] {
            first.position = ends[0];
            last.position = ends[1];
        }
    }
}

fn settle_point(point: &mut CurvePoint, axes: &[Axis]) {
    let p: Vec3 = point.position;
    let alike = |radius: f64| (radius - point.radius).abs() < OTHER_RADIUS * point.radius;
    let found = axes
        .iter()
        .filter(|axis| alike(axis.radius()))
        .filter_map(|axis| axis.nearest(&p))
        .filter(|on| alike(on.radius))
        .min_by(|a, b| {
            let off = |on: &crate::mesh::OnAxis| (on.point - p).norm_squared();
            off(a).total_cmp(&off(b))
        });
    if let Some(on) = found.filter(|on| (on.point - p).norm() < OFF * point.radius) {
        point.position = on.point;
        point.radius = on.radius;
    }
}
