//! Corrections of an extraction by the user: a list of edits, each named by places, applied in order.
//!
//! Places and not numbers: numbers of branches change from one correction to the next, and with a new revision of the
//! mesh; a place on a branch stays what it is.

use serde::{Deserialize, Serialize};

use super::graph::{
    Branch, CenterlineGraph, ComponentKind, CurvePoint, GraphNode, NodeKind, NotATube, Warning,
};
use super::{ExtractError, Settings, survey};
use crate::geom::{Pose, Vec3};
use crate::mesh::TriMesh;

/// A place may be this many radii away from the branch or end it names.
const REACH: f64 = 6.0;

/// A bridge between two ends has a point for so many radii of its length.
const BRIDGE_STEP: f64 = 1.0;

/// One correction of a result. Places are in mm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Correction {
    /// The branch at that place is none: a spur. What it stood on becomes one branch again.
    DeleteBranch {
        /// On the branch.
        at: [f64; 3],
    },
    /// Two ends belong together: one branch goes through, straight from the one to the other.
    JoinEnds {
        /// At one end.
        from: [f64; 3],
        /// At the other.
        to: [f64; 3],
    },
    /// The branch at that place is two, which meet there.
    Split {
        /// On the branch.
        at: [f64; 3],
    },
    /// The branch at that place has this radius all along.
    SetRadius {
        /// On the branch.
        at: [f64; 3],
        /// mm.
        radius: f64,
    },
    /// The connected piece of the mesh at that place is a connector, a clip or another body: it carries no branch.
    MarkConnector {
        /// On its surface.
        at: [f64; 3],
    },
    /// The connected piece of the mesh at that place is a cable, though it does not look like one.
    MarkCable {
        /// On its surface.
        at: [f64; 3],
    },
}

/// Why a correction cannot be applied.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CorrectionError {
    /// There is no branch at that place.
    #[error("there is no branch at {}; name a place on one", place(.0))]
    NoBranch(Vec3),
    /// There is no end at that place.
    #[error("there is no free end at {}; name a place at one", place(.0))]
    NoEnd(Vec3),
    /// Both places are at one end.
    #[error("both places are at the same end; name the end that it is joined to")]
    SameEnd,
    /// Too near to an end.
    #[error("{} is at an end of its branch already; split it farther away", place(.0))]
    AtEnd(Vec3),
    /// No radius.
    #[error("the radius must be a positive number of mm, not {0}")]
    Radius(f64),
    /// The piece has no branch to take away.
    #[error("the piece at {} carries no branch: it is no cable already", place(.0))]
    NoCable(Vec3),
    /// The piece has branches.
    #[error("the piece at {} is a cable already", place(.0))]
    IsCable(Vec3),
    /// Nothing in the piece can be followed.
    #[error("no line can be followed in the piece at {}: {reason}", place(.at))]
    NotFollowed {
        /// Where, mm.
        at: Vec3,
        /// Why.
        reason: NotATube,
    },
}

fn place(p: &Vec3) -> String {
    format!("({:.2}, {:.2}, {:.2}) mm", p.x, p.y, p.z)
}

impl Correction {
    /// The correction with its places moved.
    #[must_use]
    pub fn moved(&self, motion: &Pose) -> Self {
        let go = |p: &[f64; 3]| motion.transform(&Vec3::from(*p)).into();
        match self {
            Self::DeleteBranch { at } => Self::DeleteBranch { at: go(at) },
            Self::JoinEnds { from, to } => Self::JoinEnds {
                from: go(from),
                to: go(to),
            },
            Self::Split { at } => Self::Split { at: go(at) },
            Self::SetRadius { at, radius } => Self::SetRadius {
                at: go(at),
                radius: *radius,
            },
            Self::MarkConnector { at } => Self::MarkConnector { at: go(at) },
            Self::MarkCable { at } => Self::MarkCable { at: go(at) },
        }
    }

    /// The places it names, mm.
    pub fn places(&self) -> Vec<[f64; 3]> {
        match self {
            Self::JoinEnds { from, to } => vec![*from, *to],
            Self::DeleteBranch { at }
            | Self::Split { at }
            | Self::SetRadius { at, .. }
            | Self::MarkConnector { at }
            | Self::MarkCable { at } => vec![*at],
        }
    }

    /// Applies it to a graph of `mesh`, or leaves the graph as it is and says why.
    pub fn apply(
        &self,
        graph: &mut CenterlineGraph,
        mesh: &TriMesh,
    ) -> Result<(), CorrectionError> {
        match self {
            Self::DeleteBranch { at } => {
                let (branch, _) = branch_at(graph, &Vec3::from(*at))?;
                delete(graph, &[branch]);
            }
            Self::JoinEnds { from, to } => {
                join(graph, &Vec3::from(*from), &Vec3::from(*to))?;
            }
            Self::Split { at } => split(graph, &Vec3::from(*at))?,
            Self::SetRadius { at, radius } => {
                if !(radius.is_finite() && *radius > 0.0) {
                    return Err(CorrectionError::Radius(*radius));
                }
                let (branch, _) = branch_at(graph, &Vec3::from(*at))?;
                for point in &mut graph.branches[branch].curve {
                    point.radius = *radius;
                }
            }
            Self::MarkConnector { at } => mark_connector(graph, mesh, &Vec3::from(*at))?,
            Self::MarkCable { at } => mark_cable(graph, mesh, &Vec3::from(*at))?,
        }
        Ok(())
    }
}

/// The graph of `mesh` with corrections applied in order. One that does not fit any more, because the mesh has
/// changed, is left out with a warning.
#[must_use]
pub fn corrected(
    graph: &CenterlineGraph,
    mesh: &TriMesh,
    corrections: &[Correction],
) -> CenterlineGraph {
    let mut graph = graph.clone();
    for (i, correction) in corrections.iter().enumerate() {
        if let Err(reason) = correction.apply(&mut graph, mesh) {
            graph.warnings.push(Warning::CorrectionLost {
                number: i + 1,
                reason,
            });
        }
    }
    graph
}

/// The branch that a place names, and the arc length there.
fn branch_at(graph: &CenterlineGraph, at: &Vec3) -> Result<(usize, f64), CorrectionError> {
    let found = graph.project(at).filter(|p| {
        let radius = graph.branches[p.branch].at(p.arc_length).radius;
        p.distance <= REACH * radius
    });
    let found = found.ok_or(CorrectionError::NoBranch(*at))?;
    Ok((found.branch, found.arc_length))
}

/// The branch that ends freely at a place, and whether there is its end and not its start.
fn end_at(graph: &CenterlineGraph, at: &Vec3) -> Result<(usize, bool), CorrectionError> {
    let mut best: Option<(f64, usize, bool)> = None;
    for (b, branch) in graph.branches.iter().enumerate() {
        for (is_end, node) in [(false, branch.start), (true, branch.end)] {
            let node = &graph.nodes[node];
            let distance = (node.position - at).norm();
            let radius = branch.at(if is_end { branch.length() } else { 0.0 }).radius;
            let is_near = node.kind == NodeKind::End && distance <= REACH * radius;
            if is_near && best.is_none_or(|(d, _, _)| distance < d) {
                best = Some((distance, b, is_end));
            }
        }
    }
    let (_, branch, is_end) = best.ok_or(CorrectionError::NoEnd(*at))?;
    Ok((branch, is_end))
}

/// Takes branches out; where two are left of a junction they become one.
fn delete(graph: &mut CenterlineGraph, numbers: &[usize]) {
    let mut touched: Vec<usize> = numbers
        .iter()
        .flat_map(|&b| [graph.branches[b].start, graph.branches[b].end])
        .collect();
    touched.sort_unstable();
    touched.dedup();
    remove_branches(graph, numbers);
    for node in touched {
        let at: Vec<usize> = graph.branches_at(node).collect();
        if let [a, b] = at[..] {
            let ends = [a, b].map(|k| {
                let branch = &graph.branches[k];
                usize::from(branch.start == node) + usize::from(branch.end == node)
            });
            if ends == [1, 1] {
                let is_end = [a, b].map(|k| graph.branches[k].end == node);
                merge(graph, (a, is_end[0]), (b, is_end[1]));
            }
        }
    }
    tidy(graph);
}

/// Takes branches out of the list, and out of the components'.
fn remove_branches(graph: &mut CenterlineGraph, numbers: &[usize]) {
    let mut new = vec![None; graph.branches.len()];
    let mut next = 0;
    for (b, slot) in new.iter_mut().enumerate() {
        if !numbers.contains(&b) {
            *slot = Some(next);
            next += 1;
        }
    }
    let mut b = 0;
    graph.branches.retain(|_| {
        b += 1;
        new[b - 1].is_some()
    });
    for component in &mut graph.components {
        if let ComponentKind::Cable { branches } = &mut component.kind {
            *branches = branches.iter().filter_map(|&b| new[b]).collect();
            if branches.is_empty() {
                component.kind = ComponentKind::Rejected(NotATube::Marked);
            }
        }
    }
}

/// Makes one branch of two, from the far end of the first to the far end of the second.
fn merge(graph: &mut CenterlineGraph, first: (usize, bool), second: (usize, bool)) {
    let (a, b) = (first.0, second.0);
    let mut one = oriented(&graph.branches[a], first.1);
    let other = oriented(&graph.branches[b], !second.1);
    append(&mut one.curve, &other.curve);
    one.end = other.end;
    let keep = a.min(b);
    graph.branches[keep] = one;
    for component in &mut graph.components {
        if let ComponentKind::Cable { branches } = &mut component.kind
            && (branches.contains(&a) || branches.contains(&b))
        {
            branches.push(keep);
            branches.sort_unstable();
            branches.dedup();
        }
    }
    remove_branches(graph, &[a.max(b)]);
}

/// The branch run so that the named end is its end.
fn oriented(branch: &Branch, at_end: bool) -> Branch {
    let mut branch = branch.clone();
    if !at_end {
        branch.curve.reverse();
        std::mem::swap(&mut branch.start, &mut branch.end);
    }
    branch
}

/// Goes on from the last point of a curve to another curve: straight, with points on the way.
fn append(curve: &mut Vec<CurvePoint>, other: &[CurvePoint]) {
    let (Some(last), Some(first)) = (curve.last().copied(), other.first().copied()) else {
        return;
    };
    let gap = (first.position - last.position).norm();
    let radius = last.radius.min(first.radius);
    let n = (gap / (BRIDGE_STEP * radius)).ceil().min(1000.0) as usize;
    for i in 1..n {
        let t = i as f64 / n as f64;
        curve.push(CurvePoint {
            position: last.position + (first.position - last.position) * t,
            radius: last.radius + (first.radius - last.radius) * t,
            confidence: 0.0,
        });
    }
    let is_one = gap <= 1e-9 * radius && (first.radius - last.radius).abs() <= 0.02 * radius;
    curve.extend_from_slice(&other[usize::from(is_one)..]);
}

fn join(graph: &mut CenterlineGraph, from: &Vec3, to: &Vec3) -> Result<(), CorrectionError> {
    let (first, second) = (end_at(graph, from)?, end_at(graph, to)?);
    if first == second {
        return Err(CorrectionError::SameEnd);
    }
    if first.0 == second.0 {
        let branch = &mut graph.branches[first.0];
        let start = branch.curve[0];
        append(&mut branch.curve, &[start]);
        let last = branch.curve.len() - 1;
        branch.curve[last].position = start.position;
        branch.end = branch.start;
        branch.closed = true;
    } else {
        merge(graph, first, second);
    }
    tidy(graph);
    Ok(())
}

fn split(graph: &mut CenterlineGraph, at: &Vec3) -> Result<(), CorrectionError> {
    let (number, s) = branch_at(graph, at)?;
    let branch = &graph.branches[number];
    let here = branch.at(s);
    if s < here.radius || branch.length() - s < here.radius {
        return Err(CorrectionError::AtEnd(*at));
    }
    let node = graph.nodes.len();
    let mut curves = [Vec::new(), vec![here]];
    let mut arc = 0.0;
    for (i, point) in branch.curve.iter().enumerate() {
        if i > 0 {
            arc += (point.position - branch.curve[i - 1].position).norm();
        }
        let is_here = (point.position - here.position).norm() <= 1e-9 * here.radius;
        if !is_here {
            curves[usize::from(arc > s)].push(*point);
        }
    }
    let [mut before, after] = curves;
    before.push(here);
    let (start, end) = (branch.start, branch.end);
    let piece = |start, end, curve| Branch {
        start,
        end,
        curve,
        closed: false,
    };
    let new = graph.branches.len();
    graph.branches[number] = piece(start, node, before);
    graph.branches.push(piece(node, end, after));
    graph.nodes.push(GraphNode {
        position: here.position,
        kind: NodeKind::Through,
    });
    for component in &mut graph.components {
        if let ComponentKind::Cable { branches } = &mut component.kind
            && branches.contains(&number)
        {
            branches.push(new);
        }
    }
    tidy(graph);
    Ok(())
}

/// The component whose surface is nearest to a place.
fn component_at(graph: &CenterlineGraph, mesh: &TriMesh, at: &Vec3) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (t, component) in graph.component_of_triangle.iter().enumerate() {
        if let Some(component) = component {
            let distance = super::line::distance_to_triangle(at, &mesh.corners(t));
            if best.is_none_or(|(d, _)| distance < d) {
                best = Some((distance, *component as usize));
            }
        }
    }
    best.map(|(_, component)| component)
}

fn mark_connector(
    graph: &mut CenterlineGraph,
    mesh: &TriMesh,
    at: &Vec3,
) -> Result<(), CorrectionError> {
    let number = component_at(graph, mesh, at).ok_or(CorrectionError::NoCable(*at))?;
    let ComponentKind::Cable { branches } = graph.components[number].kind.clone() else {
        return Err(CorrectionError::NoCable(*at));
    };
    graph.components[number].kind = ComponentKind::Rejected(NotATube::Marked);
    let is_of_others = |b: &usize| {
        graph
            .components
            .iter()
            .any(|c| matches!(&c.kind, ComponentKind::Cable { branches } if branches.contains(b)))
    };
    let own: Vec<usize> = branches.into_iter().filter(|b| !is_of_others(b)).collect();
    delete(graph, &own);
    Ok(())
}

fn mark_cable(
    graph: &mut CenterlineGraph,
    mesh: &TriMesh,
    at: &Vec3,
) -> Result<(), CorrectionError> {
    let number = component_at(graph, mesh, at).ok_or(CorrectionError::NoBranch(*at))?;
    if let ComponentKind::Cable { .. } = graph.components[number].kind {
        return Err(CorrectionError::IsCable(*at));
    }
    let is_own = |t: &usize| graph.component_of_triangle[*t] == Some(number as u32);
    let own: Vec<[u32; 3]> = (0..mesh.triangles().len())
        .filter(is_own)
        .map(|t| mesh.triangles()[t])
        .collect();
    let settings = Settings {
        insist: true,
        ..Settings::default()
    };
    let found = TriMesh::new(mesh.vertices().to_vec(), own)
        .ok()
        .and_then(|piece| survey(&piece, &settings, &|_| true).ok())
        .filter(|found| !found.branches.is_empty());
    let Some(found) = found else {
        let reason = match graph.components[number].kind {
            ComponentKind::Rejected(reason) => reason,
            _ => NotATube::NoSteadySection,
        };
        return Err(CorrectionError::NotFollowed { at: *at, reason });
    };
    let (first_node, first) = (graph.nodes.len(), graph.branches.len());
    graph.nodes.extend(found.nodes);
    graph
        .branches
        .extend(found.branches.into_iter().map(|b| Branch {
            start: b.start + first_node,
            end: b.end + first_node,
            ..b
        }));
    graph.components[number].kind = ComponentKind::Cable {
        branches: (first..graph.branches.len()).collect(),
    };
    graph
        .warnings
        .retain(|w| !matches!(w, Warning::NoCable { component, .. } if *component == number));
    tidy(graph);
    Ok(())
}

/// Drops nodes without branches and says anew what the others are.
fn tidy(graph: &mut CenterlineGraph) {
    let mut degree = vec![0; graph.nodes.len()];
    for branch in &graph.branches {
        degree[branch.start] += 1;
        degree[branch.end] += 1;
    }
    let mut new = vec![0; graph.nodes.len()];
    let mut nodes = Vec::new();
    for (i, node) in graph.nodes.iter().enumerate() {
        new[i] = nodes.len();
        let kind = match degree[i] {
            0 => continue,
            1 => NodeKind::End,
            2 => NodeKind::Through,
            _ => NodeKind::Junction,
        };
        nodes.push(GraphNode {
            position: node.position,
            kind,
        });
    }
    graph.nodes = nodes;
    for branch in &mut graph.branches {
        branch.start = new[branch.start];
        branch.end = new[branch.end];
    }
}

/// An error when nothing in a graph is a cable, with the reason of the largest piece.
pub(super) fn refuse_empty(graph: &CenterlineGraph) -> Result<(), ExtractError> {
    if !graph.branches.is_empty() {
        return Ok(());
    }
    let largest = graph
        .components
        .iter()
        .max_by(|a, b| a.aabb.diagonal().total_cmp(&b.aabb.diagonal()));
    let reason = match largest.map(|c| &c.kind) {
        Some(ComponentKind::Rejected(reason)) => *reason,
        _ => NotATube::NoLoop,
    };
    Err(ExtractError::NoCable {
        reason,
        n_components: graph.components.len(),
    })
}

#[cfg(test)]
mod tests;
