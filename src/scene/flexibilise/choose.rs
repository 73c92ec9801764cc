//! Which stretches of a centerline graph become flexible.

use crate::centerline::CenterlineGraph;
use crate::geom::Vec3;

use super::FlexibiliseError;

/// What the user asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Every branch, whole.
    All,
    /// These branches, whole; numbers from 0.
    Branches(Vec<usize>),
    /// The way along the harness between two points on its surface.
    Between(Vec3, Vec3),
}

/// A piece of a branch, by arc length along it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Number of the branch.
    pub branch: usize,
    /// Where it begins, mm.
    pub from: f64,
    /// Where it ends, mm; larger.
    pub to: f64,
}

/// A picked point may be this many radii away from the centerline.
const PICK_RADII: f64 = 4.0;

impl Stretch {
    /// The graph's node at its beginning or end; `None` where the branch was cut.
    pub fn node_at(&self, graph: &CenterlineGraph, start: bool) -> Option<usize> {
        let branch = &graph.branches[self.branch];
        if start {
            (self.from <= 0.0).then_some(branch.start)
        } else {
            (self.to >= branch.length()).then_some(branch.end)
        }
    }

    /// Whether something rigid of the same harness goes on from its beginning or end.
    pub fn meets_rest(&self, graph: &CenterlineGraph, chosen: &[Self], start: bool) -> bool {
        let Some(node) = self.node_at(graph, start) else {
            return true;
        };
        graph.branches_at(node).any(|b| {
            let branch = &graph.branches[b];
            let own = chosen.iter().filter(|s| s.branch == b);
            let reached = [(true, branch.start), (false, branch.end)];
            let mut at_node = reached.into_iter().filter(|(_, n)| *n == node);
            at_node.any(|(at_start, _)| {
                !own.clone()
                    .any(|s| s.node_at(graph, at_start) == Some(node))
            })
        })
    }
}

/// Branches that stay rigid and hang on nothing but one node, at which several chosen stretches meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Number of the node.
    pub node: usize,
    /// Numbers of the branches.
    pub branches: Vec<usize>,
}

/// What can move with a junction: for each node where chosen stretches meet, the branches that nothing else holds.
pub fn sides(graph: &CenterlineGraph, chosen: &[Stretch]) -> Vec<Side> {
    let is_whole = |b: usize| !chosen.iter().any(|s| s.branch == b);
    let n_chosen = |node: usize| {
        let ends = chosen
            .iter()
            .flat_map(|s| [s.node_at(graph, true), s.node_at(graph, false)]);
        ends.filter(|n| *n == Some(node)).count()
    };
    let mut sides = Vec::new();
    for node in (0..graph.nodes.len()).filter(|&node| n_chosen(node) > 1) {
        let mut branches: Vec<usize> = Vec::new();
        let mut nodes = vec![node];
        let mut next = 0;
        let mut is_free = true;
        while let Some(&at) = nodes.get(next) {
            next += 1;
            is_free &= at == node || n_chosen(at) == 0;
            for b in graph.branches_at(at) {
                let branch = &graph.branches[b];
                if branches.contains(&b) {
                    continue;
                }
                if is_whole(b) {
                    branches.push(b);
                    for end in [branch.start, branch.end] {
                        if !nodes.contains(&end) {
                            nodes.push(end);
                        }
                    }
                } else {
                    // A piece of it may stay and hold this node: it goes on to a cut.
                    let reached = [(true, branch.start), (false, branch.end)];
                    let mut here = reached.into_iter().filter(|(_, n)| *n == at);
                    is_free &= here.all(|(start, n)| {
                        let mut own = chosen.iter().filter(|s| s.branch == b);
                        own.any(|s| s.node_at(graph, start) == Some(n))
                    });
                }
            }
        }
        if is_free && !branches.is_empty() {
            branches.sort_unstable();
            sides.push(Side { node, branches });
        }
    }
    sides
}

/// The stretches of a choice, each with a length.
pub fn stretches(
    graph: &CenterlineGraph,
    choice: &Choice,
    part: &str,
) -> Result<Vec<Stretch>, FlexibiliseError> {
    let whole = |branch: usize| Stretch {
        branch,
        from: 0.0,
        to: graph.branches[branch].length(),
    };
    let chosen = match choice {
        Choice::All => (0..graph.branches.len()).map(whole).collect(),
        Choice::Branches(numbers) => {
            let n_branches = graph.branches.len();
            if let Some(&branch) = numbers.iter().find(|&&b| b >= n_branches) {
                return Err(FlexibiliseError::NoBranch {
                    part: part.to_owned(),
                    branch: branch + 1,
                    n_branches,
                });
            }
            let mut numbers = numbers.clone();
            numbers.sort_unstable();
            numbers.dedup();
            numbers.into_iter().map(whole).collect()
        }
        Choice::Between(a, b) => between(graph, a, b, part)?,
    };
    for stretch in &chosen {
        let branch = &graph.branches[stretch.branch];
        let radius = branch.at(0.5 * (stretch.from + stretch.to)).radius;
        let length = stretch.to - stretch.from;
        if !(length > radius) {
            return Err(FlexibiliseError::TooShort { length, radius });
        }
    }
    Ok(chosen)
}

/// The shortest way along the branches between two points.
fn between(
    graph: &CenterlineGraph,
    a: &Vec3,
    b: &Vec3,
    part: &str,
) -> Result<Vec<Stretch>, FlexibiliseError> {
    let projector = graph.projector();
    let place = |point: &Vec3| {
        let found = projector.project(point).filter(|p| {
            let radius = graph.branches[p.branch].at(p.arc_length).radius;
            p.distance <= PICK_RADII * radius
        });
        found.ok_or_else(|| FlexibiliseError::NotOnSurface {
            part: part.to_owned(),
            point: *point,
            distance: projector
                .project(point)
                .map_or(f64::INFINITY, |p| p.distance),
        })
    };
    let (a, b) = (place(a)?, place(b)?);
    if a.branch == b.branch && !graph.branches[a.branch].closed {
        let (from, to) = (
            a.arc_length.min(b.arc_length),
            a.arc_length.max(b.arc_length),
        );
        return Ok(vec![snapped(graph, a.branch, from, to)]);
    }
    // Shortest distance of every node from point a, and the branch it was reached by.
    let n = graph.nodes.len();
    let mut distance = vec![f64::INFINITY; n];
    let mut by: Vec<Option<usize>> = vec![None; n];
    let mut done = vec![false; n];
    let first = &graph.branches[a.branch];
    let to_end = first.length() - a.arc_length;
    distance[first.end] = to_end;
    distance[first.start] = distance[first.start].min(a.arc_length);
    while let Some(node) = (0..n)
        .filter(|&i| !done[i] && distance[i].is_finite())
        .min_by(|&i, &j| distance[i].total_cmp(&distance[j]))
    {
        done[node] = true;
        for number in graph.branches_at(node) {
            let branch = &graph.branches[number];
            let other = if branch.start == node {
                branch.end
            } else {
                branch.start
            };
            let length = distance[node] + branch.length();
            if length < distance[other] {
                distance[other] = length;
                by[other] = Some(number);
            }
        }
    }
    let last = &graph.branches[b.branch];
    let last_length = last.length();
    let ways = [
        (last.start, distance[last.start] + b.arc_length),
        (last.end, distance[last.end] + last_length - b.arc_length),
    ];
    let direct = (a.branch == b.branch).then(|| (a.arc_length - b.arc_length).abs());
    // By its start or by its end: on a ring both are one node.
    let by_start = ways[0].1 <= ways[1].1;
    let (arrival, length) = ways[usize::from(!by_start)];
    if direct.is_some_and(|direct| direct <= length) {
        let (from, to) = (
            a.arc_length.min(b.arc_length),
            a.arc_length.max(b.arc_length),
        );
        return Ok(vec![snapped(graph, a.branch, from, to)]);
    }
    if !length.is_finite() {
        return Err(FlexibiliseError::NoWay {
            part: part.to_owned(),
        });
    }
    let mut way = vec![if by_start {
        snapped(graph, b.branch, 0.0, b.arc_length)
    } else {
        snapped(graph, b.branch, b.arc_length, last_length)
    }];
    let mut node = arrival;
    while let Some(number) = by[node] {
        let branch = &graph.branches[number];
        way.push(snapped(graph, number, 0.0, branch.length()));
        node = if branch.start == node {
            branch.end
        } else {
            branch.start
        };
    }
    way.push(
        if node == first.start && distance[first.start] == a.arc_length {
            snapped(graph, a.branch, 0.0, a.arc_length)
        } else {
            snapped(graph, a.branch, a.arc_length, first.length())
        },
    );
    // A point right at a node leaves nothing of its branch.
    way.retain(|s| s.to - s.from > graph.branches[s.branch].at(s.from).radius);
    way.reverse();
    Ok(way)
}

/// A stretch whose ends are the branch's own where they are within a radius of them: no slivers.
fn snapped(graph: &CenterlineGraph, branch: usize, from: f64, to: f64) -> Stretch {
    let curve = &graph.branches[branch];
    let length = curve.length();
    let from = if from < curve.at(from).radius {
        0.0
    } else {
        from
    };
    let to = if length - to < curve.at(to).radius {
        length
    } else {
        to
    };
    Stretch { branch, from, to }
}
