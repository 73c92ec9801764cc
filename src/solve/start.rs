//! A first shape through all handles.

use super::grip::{Hold, Place, Target};
use super::problem::Problem;
use crate::geom::{Rotation, Vec3};
use crate::rod::{RodState, Stop, guess_through};

/// What handles say of the rod before anything is solved.
pub(super) struct Stops {
    /// Nodes whose place is known, in their order.
    pub nodes: Vec<Stop>,
    /// Frames of the clamps.
    pub clamps: [Option<Rotation>; 2],
    /// Edges within the rod whose frame is held, in their order.
    pub frames: Vec<(usize, Rotation)>,
}

/// A state of the rod with every handle at its target: smooth spans between them, twist shared evenly.
///
/// `clear` may refuse a span, given its nodes (one that runs through a part); when all candidates are refused the
/// smoothest is taken. Springs and handles without target do not count.
pub fn first_state(
    problem: &Problem,
    targets: &[Option<Target>],
    clear: &dyn Fn(&[Vec3]) -> bool,
) -> RodState {
    state_through(problem, targets, None, clear)
}

/// As [`first_state`], with every span bent to one of the sides of [`guess_through`].
pub(super) fn state_through(
    problem: &Problem,
    targets: &[Option<Target>],
    side: Option<usize>,
    clear: &dyn Fn(&[Vec3]) -> bool,
) -> RodState {
    let rod = &problem.rod;
    let held = held_by(problem, targets);
    let gravity = &problem.gravity;
    let nodes = guess_through(rod.rest_lengths(), &held.nodes, gravity, side, clear);
    let mut state = RodState::along(nodes, [held.clamps[0], None]);
    state.clamps = held.clamps;
    let mut from = 0;
    for (edge, rotation) in &held.frames {
        state.share_twist(from, *edge, rotation);
        from = edge + 1;
    }
    if let (Some(end), true) = (held.clamps[1], from < rod.n_edges()) {
        state.share_twist(from, rod.n_edges(), &end);
    }
    state
}

/// The nodes and frames that handles with a target hold there.
pub(super) fn held_by(problem: &Problem, targets: &[Option<Target>]) -> Stops {
    let (rod, n) = (&problem.rod, problem.rod.n_edges());
    let mut held = Stops {
        nodes: Vec::new(),
        clamps: [None; 2],
        frames: Vec::new(),
    };
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
            held.clamps[end] = Some(pose.rotation);
        }
        match (grip.hold, grip.place) {
            (Hold::Spring(_), _) => {}
            (_, Place::Node(i)) => held.nodes.push(stop(i, pose.position)),
            (_, Place::Edge(j) | Place::Within { edge: j, .. }) => {
                let half = d3 * (0.5 * rod.rest_lengths()[j]);
                held.nodes.push(stop(j, pose.position - half));
                held.nodes.push(stop(j + 1, pose.position + half));
                if grip.hold == Hold::Frame {
                    held.frames.push((j, pose.rotation));
                }
            }
        }
    }
    held.nodes.sort_by_key(|stop| stop.node);
    held.nodes.dedup_by_key(|stop| stop.node);
    held.frames.sort_by_key(|(edge, _)| *edge);
    held
}
