//! How far bending acts as one through rods that bodies join: the longest way from end to end.

use super::Bodies;
use crate::solve::Solver;

/// Notes in every rod that goes with a body the length of the longest way through all that is joined to it. On loops of
/// junctions it is a way, if not surely the longest.
pub(super) fn find(bodies: &Bodies, rods: &mut [Solver]) {
    // Nodes are the bodies, and beyond them both ends of each rod.
    let first_end = bodies.all.len();
    let mut ends: Vec<[usize; 2]> = (0..rods.len())
        .map(|r| [0, 1].map(|end| first_end + 2 * r + end))
        .collect();
    for b in 0..first_end {
        for link in bodies.links_of(b) {
            let n = rods[link.rod].problem.rod.n_edges();
            if link.node == 0 || link.node == n {
                ends[link.rod][link.node / n] = b;
            }
        }
    }
    let joined: Vec<usize> = (0..rods.len())
        .filter(|&r| ends[r].iter().any(|&node| node < first_end))
        .collect();
    let mut edges = vec![Vec::new(); first_end + 2 * rods.len()];
    for &r in &joined {
        let length = rods[r].problem.rod.length();
        let [a, b] = ends[r];
        edges[a].push((b, length));
        edges[b].push((a, length));
    }
    let mut spans: Vec<Option<f64>> = vec![None; edges.len()];
    for &r in &joined {
        if spans[ends[r][0]].is_none() {
            let (_, far, _) = farthest(&edges, ends[r][0]);
            let (span, _, reached) = farthest(&edges, far);
            for node in reached {
                spans[node] = Some(span);
            }
        }
        rods[r].span = spans[ends[r][0]];
    }
}

/// The node that is farthest from another, how far it is, and all that are joined to it.
fn farthest(edges: &[Vec<(usize, f64)>], from: usize) -> (f64, usize, Vec<usize>) {
    let mut reached = vec![from];
    let mut seen = vec![false; edges.len()];
    seen[from] = true;
    let mut far = (0.0, from);
    let mut waiting = vec![(from, 0.0)];
    while let Some((node, way)) = waiting.pop() {
        if way > far.0 {
            far = (way, node);
        }
        for &(next, length) in &edges[node] {
            if !std::mem::replace(&mut seen[next], true) {
                reached.push(next);
                waiting.push((next, way + length));
            }
        }
    }
    (far.0, far.1, reached)
}
