//! Cuts lines at the places where they meet, and writes the graph.

use super::bodies;
use super::graph::{
    Branch, CenterlineGraph, ComponentInfo, ComponentKind, CurvePoint, GraphNode, NodeKind, Warning,
};
use super::join::{End, Meeting, Piece};
use super::line::Line;
use super::shell::Shells;
use crate::geom::Vec3;

/// Less confidence than this is told.
const UNCERTAIN: f64 = 0.3;

/// Places of a stretch that is warned of are so many radii apart at most.
pub const PLACES_APART: f64 = 2.5;

/// A curve between two meetings, before degree-two meetings are gone.
pub struct Stretch {
    pub nodes: [usize; 2],
    pub curve: Vec<CurvePoint>,
    pub shells: Vec<usize>,
    pub closed: bool,
}

/// The graph of all pieces that are not left out.
pub fn assemble(
    shells: &Shells,
    pieces: &[Piece],
    is_left_out: &[bool],
    ends: &[End],
    meetings: &[Meeting],
    mut components: Vec<ComponentInfo>,
    mut warnings: Vec<Warning>,
) -> CenterlineGraph {
    let mut positions: Vec<Vec3> = meetings.iter().map(|m| m.position).collect();
    let mut stretches: Vec<Stretch> = Vec::new();
    for (i, piece) in pieces.iter().enumerate() {
        if is_left_out[i] {
            let is_all =
                (pieces.iter().zip(is_left_out)).all(|(p, out)| *out || p.shell != piece.shell);
            if let (true, ComponentKind::Cable { .. }) = (is_all, &components[piece.shell].kind) {
                components[piece.shell].kind = ComponentKind::Sleeve;
            }
            continue;
        }
        cut(i, piece, ends, meetings, &mut positions, &mut stretches);
    }
    let stretches = merge_through(stretches);
    let stretches = bodies::leave_out(shells, stretches, &mut positions, &mut warnings);

    // Nodes that are used, in the order of the branches.
    let mut number = vec![usize::MAX; positions.len()];
    let mut degree = vec![0_usize; positions.len()];
    for s in &stretches {
        for node in s.nodes {
            degree[node] += 1;
        }
    }
    let mut nodes = Vec::new();
    let mut branches = Vec::new();
    let mut branches_of_shell: Vec<Vec<usize>> = vec![Vec::new(); components.len()];
    for s in stretches {
        for node in s.nodes {
            if number[node] == usize::MAX {
                number[node] = nodes.len();
                nodes.push(GraphNode {
                    position: positions[node] + shells.origin,
                    kind: match (s.closed, degree[node]) {
                        (true, 2) => NodeKind::Through,
                        (_, 1) => NodeKind::End,
                        _ => NodeKind::Junction,
                    },
                });
            }
        }
        for &shell in &s.shells {
            branches_of_shell[shell].push(branches.len());
        }
        let mut curve = s.curve;
        for point in &mut curve {
            point.position += shells.origin;
        }
        branches.push(Branch {
            start: number[s.nodes[0]],
            end: number[s.nodes[1]],
            curve,
            closed: s.closed,
        });
    }
    for (component, own) in components.iter_mut().zip(branches_of_shell) {
        if let ComponentKind::Cable { branches } = &mut component.kind {
            *branches = own;
        }
    }
    for (i, branch) in branches.iter().enumerate() {
        warn_uncertain(i, branch, &mut warnings);
    }
    CenterlineGraph {
        nodes,
        branches,
        components,
        warnings,
        component_of_triangle: shells.shell_of_triangle.clone(),
    }
}

fn cut(
    i: usize,
    piece: &Piece,
    ends: &[End],
    meetings: &[Meeting],
    positions: &mut Vec<Vec3>,
    out: &mut Vec<Stretch>,
) {
    let line = &piece.line;
    let mut places: Vec<(f64, usize)> = meetings
        .iter()
        .enumerate()
        .filter_map(|(m, meeting)| {
            let (_, arc) = meeting.on.iter().find(|(on, _)| *on == i)?;
            Some((*arc, m))
        })
        .collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    let node_at = |side: usize| {
        meetings.iter().position(|m| {
            m.ends
                .iter()
                .any(|&e| ends[e].piece == i && ends[e].side == side)
        })
    };
    if line.is_closed {
        cut_ring(piece, &places, positions, out);
        return;
    }
    let (Some(first), Some(last)) = (node_at(0), node_at(1)) else {
        return;
    };
    let mut stops = vec![(0.0, first)];
    stops.extend(places);
    stops.push((line.length(), last));
    for w in stops.windows(2) {
        let ((from, a), (to, b)) = (w[0], w[1]);
        if a == b {
            continue;
        }
        let ends = [positions[a], positions[b]];
        out.push(Stretch {
            nodes: [a, b],
            curve: curve_between(line, from, to, ends),
            shells: vec![piece.shell],
            closed: false,
        });
    }
}

fn cut_ring(
    piece: &Piece,
    places: &[(f64, usize)],
    positions: &mut Vec<Vec3>,
    out: &mut Vec<Stretch>,
) {
    let line = &piece.line;
    let Some(&(first_arc, first)) = places.first() else {
        let node = positions.len();
        positions.push(line.at(0.0).position);
        let ends = [positions[node]; 2];
        out.push(Stretch {
            nodes: [node; 2],
            curve: curve_between(line, 0.0, line.length(), ends),
            shells: vec![piece.shell],
            closed: true,
        });
        return;
    };
    for w in places.windows(2) {
        let ((from, a), (to, b)) = (w[0], w[1]);
        out.push(Stretch {
            nodes: [a, b],
            curve: curve_between(line, from, to, [positions[a], positions[b]]),
            shells: vec![piece.shell],
            closed: false,
        });
    }
    let (last_arc, last) = places[places.len() - 1];
    let seam = line.at(0.0).position;
    let mut curve = curve_between(line, last_arc, line.length(), [positions[last], seam]);
    let rest = curve_between(line, 0.0, first_arc, [seam, positions[first]]);
    curve.extend(rest.into_iter().skip(1));
    out.push(Stretch {
        nodes: [last, first],
        curve,
        shells: vec![piece.shell],
        closed: places.len() == 1,
    });
}

/// The points of a line between two arc lengths, with the given end points.
fn curve_between(line: &Line, from: f64, to: f64, ends: [Vec3; 2]) -> Vec<CurvePoint> {
    let point = |arc: f64, position: Vec3, confidence: f64| CurvePoint {
        position,
        radius: line.at(arc).radius,
        confidence,
    };
    // An end that stands before the place where the line stops (shells that overlap): the line stops there.
    let room = |p: &Vec3| line.project(p).map(|f| f.arc);
    let from = room(&ends[0])
        .filter(|a| *a > from && *a < to)
        .unwrap_or(from);
    let to = room(&ends[1])
        .filter(|a| *a < to && *a > from)
        .unwrap_or(to);
    let mut curve = vec![point(from, ends[0], 0.0)];
    for (knot, &arc) in line.knots.iter().zip(&line.arcs) {
        // So near to an end a point would make a kink.
        let margin = 0.05 * knot.radii[0];
        let is_end =
            (knot.position - ends[0]).norm() < margin || (knot.position - ends[1]).norm() < margin;
        if arc < from - 1e-9 || arc > to + 1e-9 || is_end {
            continue;
        }
        let [before, after] = knot.radii;
        let mut here = CurvePoint {
            position: knot.position,
            radius: before,
            confidence: knot.confidence,
        };
        curve.push(here);
        if before != after {
            here.radius = after;
            curve.push(here);
        }
    }
    curve.push(point(to, ends[1], 0.0));
    // The ends are as sure as what they are next to.
    let n = curve.len();
    if n > 2 {
        curve[0].confidence = curve[1].confidence;
        curve[n - 1].confidence = curve[n - 2].confidence;
    } else {
        let confidence = line.knots.first().map_or(0.0, |k| k.confidence);
        curve[0].confidence = confidence;
        curve[1].confidence = confidence;
    }
    curve
}

/// Where exactly two stretches meet they are one.
fn merge_through(mut stretches: Vec<Stretch>) -> Vec<Stretch> {
    loop {
        let Some((node, a, b)) = find_through(&stretches) else {
            return stretches;
        };
        let second = stretches.remove(a.max(b));
        let first = stretches.remove(a.min(b));
        let first = turned(first, node, true);
        let second = turned(second, node, false);
        let mut curve = first.curve;
        let mut rest = second.curve.into_iter();
        let (before, after) = (curve.last().map(|p| p.radius), rest.next());
        if let Some(after) = after
            && before.is_some_and(|r| (r - after.radius).abs() > 0.02 * r)
        {
            curve.push(after);
        }
        curve.extend(rest);
        let mut shells = first.shells;
        shells.extend(second.shells);
        shells.sort_unstable();
        shells.dedup();
        let nodes = [first.nodes[0], second.nodes[1]];
        let merged = Stretch {
            nodes,
            curve,
            shells,
            closed: nodes[0] == nodes[1],
        };
        stretches.insert(a.min(b), merged);
    }
}

/// A node at which exactly two different stretches end, with them.
fn find_through(stretches: &[Stretch]) -> Option<(usize, usize, usize)> {
    let mut at: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    for (i, s) in stretches.iter().enumerate() {
        for node in s.nodes {
            at.entry(node).or_default().push(i);
        }
    }
    at.into_iter()
        .find(|(_, s)| s.len() == 2 && s[0] != s[1])
        .map(|(node, s)| (node, s[0], s[1]))
}

/// The stretch with the node at its end, or at its start.
fn turned(mut s: Stretch, node: usize, at_end: bool) -> Stretch {
    let is_right = s.nodes[usize::from(at_end)] == node;
    if !is_right {
        s.nodes.reverse();
        s.curve.reverse();
    }
    s
}

fn warn_uncertain(number: usize, branch: &Branch, warnings: &mut Vec<Warning>) {
    let low = |p: &CurvePoint| p.confidence < UNCERTAIN;
    for run in branch.curve.chunk_by(|a, b| low(a) == low(b)) {
        if !low(&run[0]) || run.len() < 2 {
            continue;
        }
        let length = run
            .windows(2)
            .map(|w| (w[1].position - w[0].position).norm())
            .sum();
        warnings.push(Warning::Uncertain {
            branch: number,
            places: spread(run),
            length,
        });
    }
}

/// Places along a stretch, a few radii apart: the middle, then the others in order.
pub fn spread(run: &[CurvePoint]) -> Vec<Vec3> {
    let middle = run[run.len() / 2].position;
    let mut places = vec![middle];
    for p in run {
        if (places.iter()).all(|q| (q - p.position).norm() > PLACES_APART * p.radius) {
            places.push(p.position);
        }
    }
    places
}
