//! Where a solve starts from: a first shape through all handles.

use super::grip::{Hold, Place, Target};
use super::problem::Problem;
use crate::geom::Vec3;
use crate::rod::{RodState, Stop, guess_through};

/// A state of the rod with every handle at its target: smooth spans between them, twist shared evenly.
///
/// `clear` may refuse a span, given its nodes (one that runs through a part); when all candidates are refused the
/// smoothest is taken. Springs and handles without target do not count.
pub fn first_state(
    problem: &Problem,
    targets: &[Option<Target>],
    clear: &dyn Fn(&[Vec3]) -> bool,
) -> RodState {
    let (rod, n) = (&problem.rod, problem.rod.n_edges());
    let mut stops: Vec<Stop> = Vec::new();
    let mut clamps = [None; 2];
    let mut frames = Vec::new();
    for (grip, target) in problem.grips.iter().zip(targets) {
        let Some(Target { pose, .. }) = target else {
            continue;
        };
        let d3 = pose.rotation * Vec3::z();
        let stop = |node: usize, position: Vec3| Stop {
            node,
            position,
            direction: grip.holds_direction().then_some(d3),
        };
        if let Some(end) = grip.clamp(n) {
            clamps[end] = Some(pose.rotation);
        }
        match (grip.hold, grip.place) {
            (Hold::Spring(_), _) => {}
            (_, Place::Node(i)) => stops.push(stop(i, pose.position)),
            (_, Place::Edge(j) | Place::Within { edge: j, .. }) => {
                let half = d3 * (0.5 * rod.rest_lengths()[j]);
                stops.push(stop(j, pose.position - half));
                stops.push(stop(j + 1, pose.position + half));
                if grip.hold == Hold::Frame {
                    frames.push((j, pose.rotation));
                }
            }
        }
    }
    stops.sort_by_key(|stop| stop.node);
    stops.dedup_by_key(|stop| stop.node);
    frames.sort_by_key(|(edge, _)| *edge);
    let nodes = guess_through(rod.rest_lengths(), &stops, &problem.gravity, clear);
    let mut state = RodState::along(nodes, [clamps[0], None]);
    state.clamps = clamps;
    let mut from = 0;
    for (edge, rotation) in &frames {
        state.share_twist(from, *edge, rotation);
        from = edge + 1;
    }
    if let (Some(end), true) = (clamps[1], from < n) {
        state.share_twist(from, n, &end);
    }
    state
}
