//! The motion of the grips as prescribed entries of the next solve.

use super::grip::{Hold, Place};
use super::settings as set;
use super::solver::is_carried;
use super::{Solver, layout};
use crate::geom::{Rotation, Vec3};

/// How far the grips still have to go: the largest way and turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Motion {
    way: f64,
    turn: f64,
}

impl Motion {
    /// Largest node motion that a prediction of it may have.
    pub fn bound(&self, length: f64) -> f64 {
        set::PREDICTOR_BOUND * (self.way + 0.25 * length * self.turn.min(1.0))
    }

    /// Whether it is so far that its prediction may be to blame when no rest is found.
    pub fn is_far(&self, length: f64) -> bool {
        self.way > set::FAR * length || self.turn > set::FAR_ANGLE
    }

    /// The larger way and the larger turn of two.
    pub fn max(self, other: Self) -> Self {
        Self {
            way: self.way.max(other.way),
            turn: self.turn.max(other.turn),
        }
    }

    pub fn is_zero(&self) -> bool {
        self.way == 0.0 && self.turn == 0.0
    }
}

impl Solver {
    /// Prescribes what takes the grips from where they are to their goals, and says how much that is.
    ///
    /// Nodes and frames go from where they really are, so that nothing adds up over cut steps.
    pub(super) fn remaining_motion(&mut self) -> Motion {
        let n = self.problem.rod.n_edges();
        let mut motion = Motion::default();
        let work = &mut self.work;
        work.prescribed.clear();
        if self.adrift {
            // What nothing holds stays where it is.
            self.no_motion();
            return motion;
        }
        for k in 0..self.grips.len() {
            if is_carried(&self.problem.grips[k], &self.carried) {
                continue;
            }
            let (grip, memory, goal) =
                (&self.problem.grips[k], &self.grips[k], &work.goals[k].pose);
            let mut go = |node: usize, to: Vec3| {
                let way = to - self.state.positions[node];
                motion.way = motion.way.max(way.norm());
                let at = layout::node(node);
                work.prescribed.extend((0..3).map(|c| (at + c, way[c])));
            };
            match (grip.hold, grip.place) {
                (Hold::Spring(_), _) => {
                    let way = goal.position - memory.anchor;
                    motion.way = motion.way.max(way.norm());
                    work.anchor_motion[k] = way;
                }
                (_, Place::Node(i)) => go(i, goal.position),
                (_, Place::Edge(j) | Place::Within { edge: j, .. }) => {
                    let half = goal.rotation * (memory.reach * 0.5);
                    go(j, goal.position - half);
                    go(j + 1, goal.position + half);
                }
            }
            if let Some((at, number)) = grip.frame_entries(n) {
                let now = grip.pose(&self.state).rotation;
                let turn = if number == 3 {
                    (now.inverse() * goal.rotation).scaled_axis()
                } else {
                    turn_between(&now, &(goal.rotation * Vec3::z()))
                };
                motion.turn = motion.turn.max(turn.norm());
                work.prescribed
                    .extend((0..number).map(|c| (at + c, turn[c])));
            }
        }
        self.prescribe_free_ends();
        // Below the noise of a coordinate nothing is left to do.
        if motion.way <= set::NO_WAY * self.problem.rod.length() {
            motion.way = 0.0;
        }
        if motion.turn <= set::NO_WAY {
            motion.turn = 0.0;
        }
        motion
    }

    /// Prescribes that the grips stay where they are.
    pub(super) fn no_motion(&mut self) {
        let work = &mut self.work;
        work.prescribed.clear();
        let fixed = self.fixed.iter().enumerate().filter(|(_, fixed)| **fixed);
        work.prescribed.extend(fixed.map(|(k, _)| (k, 0.0)));
        work.anchor_motion.fill(Vec3::zeros());
    }

    /// Sets the goals to where the grips are.
    pub(super) fn stay(&mut self) {
        for k in 0..self.grips.len() {
            self.work.goals[k].pose = self.grip_pose(k);
            self.work.goals[k].roll = self.grips[k].roll;
        }
    }

    /// The clamp entries of ends that have no clamp.
    fn prescribe_free_ends(&mut self) {
        let n = self.problem.rod.n_edges();
        for end in 0..2 {
            if self.state.clamps[end].is_none() {
                let at = layout::clamp(end, n);
                self.work.prescribed.extend((0..3).map(|c| (at + c, 0.0)));
            }
        }
    }

    /// Puts the prescribed values into the system in `work.factors` and `work.delta`.
    pub(super) fn prescribe(&mut self) {
        let n = self.problem.rod.n_edges();
        let work = &mut self.work;
        for (grip, way) in self.problem.grips.iter().zip(&work.anchor_motion) {
            let (Hold::Spring(stiffness), true) = (grip.hold, *way != Vec3::zeros()) else {
                continue;
            };
            let (edge, t) = grip.place.span(n);
            for c in 0..3 {
                work.delta[layout::node(edge) + c] += stiffness * (1.0 - t) * way[c];
                work.delta[layout::node(edge + 1) + c] += stiffness * t * way[c];
            }
        }
        if !self.problem.grips.iter().any(|g| g.hold == Hold::Frame) {
            // Nothing else may stop the cable from turning about itself: the middle edge stays as it is.
            let section = self.problem.rod.section();
            let softest = section.bending[0].min(section.bending[1]);
            let at = layout::frame(n / 2) + 2;
            let weight = set::SPIN * softest / self.problem.rod.length();
            work.factors.add(at, at, weight);
        }
        for &(at, value) in &work.prescribed {
            work.factors.prescribe(at, value, &mut work.delta);
        }
    }
}

/// The turn, in the frame's own axes, that takes its d3 the shortest way to `direction`; none about d3.
pub(super) fn turn_between(frame: &Rotation, direction: &Vec3) -> Vec3 {
    let to = frame.inverse_transform_vector(direction);
    let sin = to.x.hypot(to.y);
    if sin == 0.0 && to.z > 0.0 {
        return Vec3::zeros();
    }
    let angle = sin.atan2(to.z);
    if sin < 1e-12 {
        return Vec3::x() * angle;
    }
    Vec3::new(-to.y, to.x, 0.0) * (angle / sin)
}
