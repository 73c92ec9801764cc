//! The changing part of a rod: where its nodes are and how its edges are turned.

use std::f64::consts::TAU;

use super::Rod;
use super::bend_twist::{BendTwist, bend_twist, principal_twist, relative_rotation};
use crate::geom::{Pose, Rotation, Vec3, rotation_along};

/// Positions, frames and whole-turn counts of a rod. The energy is a function of these alone.
#[derive(Clone, Debug, PartialEq)]
pub struct RodState {
    /// Node positions, mm.
    pub positions: Vec<Vec3>,
    /// Material frame of each edge: takes e3 to d3, along the edge.
    pub frames: Vec<Rotation>,
    /// Clamp frames at start and end; `None` leaves that end free.
    pub clamps: [Option<Rotation>; 2],
    /// Whole turns of each joint; joints 0 and `n_edges` are the clamps'.
    pub turns: Vec<i32>,
}

impl RodState {
    /// A state along the polyline `positions`, with frames that turn from edge to edge without twist, spread
    /// so that the twist between the clamps is uniform.
    pub fn along(positions: Vec<Vec3>, clamps: [Option<Rotation>; 2]) -> Self {
        let n_edges = positions.len() - 1;
        let mut frames = Vec::with_capacity(n_edges);
        let mut frame = clamps[0].unwrap_or_else(Rotation::identity);
        for pair in positions.windows(2) {
            frame = turned_to(&frame, &(pair[1] - pair[0]));
            frames.push(frame);
        }
        let mut state = Self {
            positions,
            frames,
            clamps,
            turns: vec![0; n_edges + 1],
        };
        // What twist is left at the end clamp is shared by all joints.
        if let Some(end) = clamps[1] {
            state.share_twist(0, n_edges, &end);
        }
        state
    }

    /// A state along the polyline `positions` that is held at its ends in these directions, without twist: the end is
    /// held with the roll that it comes with. An end without a direction is free.
    pub fn between(positions: Vec<Vec3>, directions: [Option<Vec3>; 2]) -> Self {
        let [start, end] = directions.map(|d| d.filter(|d| rotation_along(d).is_some()));
        let start = start.and_then(|d| rotation_along(&d));
        let mut state = Self::along(positions, [start, None]);
        let last = state.frames[state.frames.len() - 1];
        state.clamps[1] = end.map(|direction| {
            let turn = Rotation::rotation_between(&(last * Vec3::z()), &direction);
            turn.unwrap_or_else(Rotation::identity) * last
        });
        state
    }

    /// Turns the frames of edges `from..to` about themselves so that the frame after the last of them is met without
    /// twist, each joint by an equal share. Edge `to` itself gets the frame `next` where it is one of the rod's.
    ///
    /// For a handle that holds the frame of an edge within the cable: call it for each, from start to end.
    pub fn share_twist(&mut self, from: usize, to: usize, next: &Rotation) {
        let n = to - from;
        // Half a joint at the start clamp and at the end clamp, a whole one next to a held edge.
        let before = if from == 0 && self.clamps[0].is_some() {
            0.5
        } else {
            1.0
        };
        let after = if to == self.frames.len() { 0.5 } else { 1.0 };
        let free_start = from == 0 && self.clamps[0].is_none();
        let Some(frame) = to.checked_sub(1).map(|last| self.frames[last]) else {
            return;
        };
        let last = turned_to(&frame, &(next * Vec3::z()));
        let (_, twist) = principal_twist(&relative_rotation(&last, next));
        let total = before + after + n as f64 - 1.0;
        for i in 0..n {
            let share = if free_start {
                1.0
            } else {
                (before + i as f64) / total
            };
            self.frames[from + i] *= Rotation::from_scaled_axis(Vec3::z() * (twist * share));
        }
        let rest = if to < self.frames.len() {
            self.frames[to] = turned_to(next, &(self.positions[to + 1] - self.positions[to]));
            to + 1
        } else {
            return;
        };
        // What follows goes on without twist.
        for i in rest..self.frames.len() {
            let edge = self.positions[i + 1] - self.positions[i];
            self.frames[i] = turned_to(&self.frames[i - 1], &edge);
        }
    }

    /// The clamp frame at `end` (0 start, 1 end) for which the joint there has the bend and twist `rest`.
    pub fn relaxed_clamp(&self, end: usize, rest: &BendTwist) -> Rotation {
        if end == 0 {
            self.frames[0] * rest.rotation().inverse()
        } else {
            self.frames[self.frames.len() - 1] * rest.rotation()
        }
    }

    /// Curvature (kappa_1, kappa_2) and twist per mm of each joint of `rod` in this state: what the rod has at rest if it
    /// was moulded like this. A free end has the curvature of its neighbour.
    pub fn curvatures(&self, rod: &Rod) -> Vec<Vec3> {
        let n = self.frames.len();
        let at = |j: usize| {
            let (left, right) = self.joint(j)?;
            let m = bend_twist(left, right, self.turns[j]);
            Some(Vec3::new(m.bend[0], m.bend[1], m.twist) / rod.joint_length(j))
        };
        (0..=n)
            .map(|j| at(j).or_else(|| at(j.clamp(1, n - 1))).unwrap_or_default())
            .collect()
    }

    /// The two frames that joint `j` joins; `None` at a free end.
    pub fn joint(&self, j: usize) -> Option<(&Rotation, &Rotation)> {
        let left = if j == 0 {
            self.clamps[0].as_ref()?
        } else {
            &self.frames[j - 1]
        };
        let right = if j == self.frames.len() {
            self.clamps[1].as_ref()?
        } else {
            &self.frames[j]
        };
        Some((left, right))
    }

    /// Total twist of joint `j`, radians, whole turns included; 0 at a free end.
    pub fn joint_twist(&self, j: usize) -> f64 {
        self.joint(j).map_or(0.0, |(left, right)| {
            let (_, twist) = principal_twist(&relative_rotation(left, right));
            twist + TAU * f64::from(self.turns[j])
        })
    }

    /// Sets the turn count of joint `j` so that its twist is the one nearest to `twist`.
    pub fn keep_turns(&mut self, j: usize, twist: f64) {
        if let Some((left, right)) = self.joint(j) {
            let (_, principal) = principal_twist(&relative_rotation(left, right));
            self.turns[j] = ((twist - principal) / TAU).round() as i32;
        }
    }

    /// Sets the turn counts so that the twist of each joint is the one nearest to that in `before`.
    pub fn follow_turns(&mut self, before: &Self) {
        for j in 0..self.turns.len() {
            if self.is_little_twisted(j) && before.is_little_twisted(j) {
                // Both are within half a turn of each other: the count stays.
                self.turns[j] = before.turns[j];
            } else {
                self.keep_turns(j, before.joint_twist(j));
            }
        }
    }

    /// Whether a joint is twisted by less than a quarter of a turn, whole turns aside: told without its angle.
    fn is_little_twisted(&self, j: usize) -> bool {
        self.joint(j).is_some_and(|(left, right)| {
            let q = relative_rotation(left, right);
            q[3].abs() < 0.9 * q[0].abs()
        })
    }

    /// Length of the centerline, mm.
    pub fn length(&self) -> f64 {
        self.positions
            .windows(2)
            .map(|p| (p[1] - p[0]).norm())
            .sum()
    }

    /// Where the clamp at `end` (0 start, 1 end) holds the rod; `None` where it is free.
    pub fn clamp_pose(&self, end: usize) -> Option<Pose> {
        let position = if end == 0 {
            self.positions[0]
        } else {
            self.positions[self.positions.len() - 1]
        };
        self.clamps[end].map(|rotation| Pose { position, rotation })
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.positions
            .iter()
            .all(|p| p.iter().all(|c| c.is_finite()))
            && self
                .frames
                .iter()
                .all(|q| q.coords.iter().all(|c| c.is_finite()))
    }

    /// Copies `other` into this one without allocating (both have the same number of nodes).
    pub fn copy_from(&mut self, other: &Self) {
        self.positions.clone_from(&other.positions);
        self.frames.clone_from(&other.frames);
        self.clamps = other.clamps;
        self.turns.clone_from(&other.turns);
    }
}

/// `frame` turned by the shortest way so that its d3 points along `direction`.
pub(crate) fn turned_to(frame: &Rotation, direction: &Vec3) -> Rotation {
    let (d3, length) = (frame * Vec3::z(), direction.norm());
    // The turn has w = cos(angle/2) and v = axis sin(angle/2), in the ratio of 1 + cos and sin.
    let (w, v) = (length + d3.dot(direction), d3.cross(direction));
    if w * w + v.norm_squared() <= 1e-24 * length * length {
        // Straight back: half a turn about d1.
        return frame * Rotation::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI);
    }
    let turn = Rotation::new_normalize(nalgebra::Quaternion::new(w, v.x, v.y, v.z));
    Rotation::new_normalize((turn * frame).into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_polyline_carries_the_twist_of_its_clamps_uniformly() {
        let positions: Vec<_> = (0..=10)
            .map(|i| Vec3::new(0.0, 0.0, f64::from(i)))
            .collect();
        let end = Rotation::from_scaled_axis(Vec3::z() * 1.0);
        let state = RodState::along(positions, [Some(Rotation::identity()), Some(end)]);
        for j in 1..10 {
            assert!((state.joint_twist(j) - 0.1).abs() < 1e-12);
        }
        assert!((state.joint_twist(0) - 0.05).abs() < 1e-12);
        assert!((state.joint_twist(10) - 0.05).abs() < 1e-12);
    }

    #[test]
    fn frames_point_along_their_edges() {
        let positions = vec![
            Vec3::zeros(),
            Vec3::x(),
            Vec3::new(1.0, 1.0, 0.0),
            Vec3::new(1.0, 1.0, -1.0),
        ];
        let state = RodState::along(positions.clone(), [None, None]);
        for (i, frame) in state.frames.iter().enumerate() {
            let edge = (positions[i + 1] - positions[i]).normalize();
            assert!((frame * Vec3::z() - edge).norm() < 1e-12);
        }
    }

    #[test]
    fn turns_follow_the_twist_over_many_turns() {
        let positions: Vec<_> = (0..=2).map(|i| Vec3::new(0.0, 0.0, f64::from(i))).collect();
        let mut state = RodState::along(
            positions,
            [Some(Rotation::identity()), Some(Rotation::identity())],
        );
        for k in 1..=400 {
            let angle = 0.1 * f64::from(k);
            let before = state.joint_twist(2);
            state.clamps[1] = Some(Rotation::from_scaled_axis(Vec3::z() * angle));
            state.keep_turns(2, before);
            assert!((state.joint_twist(2) - angle).abs() < 1e-9);
        }
    }
}
