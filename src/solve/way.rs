//! The way of one rod's handles: what is left of it, the goal of a chunk, and how taut the rod is.

use super::Solver;
use super::grip::{Hold, Place, Target};
use super::motion::turn_between;
use super::settings as set;
use crate::geom::{Pose, Rotation, Vec3};

impl Solver {
    pub(super) fn is_short(&self, targets: &[Option<Target>], grip: usize) -> bool {
        let (way, angle) = self.short_of(targets, grip);
        way > 0.0 || angle > 0.0
    }

    /// Way of a handle that is no progress, over that of a whole chunk.
    pub(super) fn creep(&self) -> f64 {
        set::CREEP * self.settings.radius / (set::CHUNK * self.problem.rod.length())
    }

    /// Sets the goal of a handle `factor` of its way to the target.
    pub(super) fn set_goal(&mut self, k: usize, target: &Target, factor: f64) {
        let way = self.way_to(k, target);
        let roll = self.grips[k].roll + factor * way.roll;
        let goal = &mut self.work.goals[k];
        let about = |roll: f64| Rotation::from_scaled_axis(Vec3::z() * roll);
        goal.pose = Pose {
            position: goal.pose.position + way.position * factor,
            rotation: match self.problem.grips[k].hold {
                Hold::Frame => {
                    let base = goal.pose.rotation * about(-self.grips[k].roll);
                    base * Rotation::from_scaled_axis(way.turn * factor) * about(roll)
                }
                _ => goal.pose.rotation * Rotation::from_scaled_axis(way.turn * factor),
            },
        };
        goal.roll = roll;
    }

    /// What takes a handle to its target.
    pub(super) fn way_to(&self, grip: usize, target: &Target) -> Way {
        let now = self.grip_pose(grip);
        let mut way = Way {
            position: target.pose.position - now.position,
            turn: Vec3::zeros(),
            roll: 0.0,
        };
        match self.problem.grips[grip].hold {
            Hold::Frame => {
                let roll = self.grips[grip].roll;
                let base = now.rotation * Rotation::from_scaled_axis(Vec3::z() * -roll);
                way.turn = (base.inverse() * target.pose.rotation).scaled_axis();
                way.roll = target.roll - roll;
            }
            Hold::Direction => {
                way.turn = turn_between(&now.rotation, &(target.pose.rotation * Vec3::z()));
            }
            Hold::Position | Hold::Spring(_) => {}
        }
        // Below the noise of a coordinate there is nothing left to do.
        if way.position.norm() <= set::NO_WAY * self.problem.rod.length() {
            way.position = Vec3::zeros();
        }
        if way.turn.norm() <= set::NO_WAY {
            way.turn = Vec3::zeros();
        }
        if way.roll.abs() <= set::NO_WAY {
            way.roll = 0.0;
        }
        way
    }

    /// How far a handle is from its target: mm and radians.
    pub(super) fn short_of(&self, targets: &[Option<Target>], grip: usize) -> (f64, f64) {
        let Some(target) = targets.get(grip).copied().flatten() else {
            return (0.0, 0.0);
        };
        let way = self.way_to(grip, &target);
        let (distance, angle) = (way.position.norm(), way.turn.norm().max(way.roll.abs()));
        let length = self.problem.rod.length();
        (
            if distance <= 1e-9 * length {
                0.0
            } else {
                distance
            },
            if angle <= 1e-9 { 0.0 } else { angle },
        )
    }

    /// Takes the way into a face with that normal out of the goals.
    pub(super) fn slide_along(&mut self, normal: &Vec3) {
        let least = set::SMALLEST_SLIDE * self.settings.radius;
        for k in 0..self.grips.len() {
            let now = self.grip_pose(k).position;
            let goal = &mut self.work.goals[k].pose.position;
            let mut way = *goal - now;
            way -= normal * normal.dot(&way).min(0.0);
            *goal = if way.norm() < least { now } else { now + way };
        }
    }

    /// Counts the part of the roll that was made.
    pub(super) fn turn_rolls(&mut self, made: f64) {
        for (memory, goal) in self.grips.iter_mut().zip(&self.work.goals) {
            memory.roll += made * (goal.roll - memory.roll);
        }
    }

    /// Puts a handle exactly on its target.
    pub(super) fn settle(&mut self, k: usize, target: &Target) {
        let n = self.problem.rod.n_edges();
        let grip = self.problem.grips[k];
        match (grip.hold, grip.place) {
            (Hold::Spring(_), _) => self.grips[k].anchor = target.pose.position,
            (_, Place::Node(i)) => self.state.positions[i] = target.pose.position,
            // A gripped edge is where its nodes are; it was prescribed from its goal directly.
            _ => {}
        }
        if grip.hold != Hold::Frame {
            return;
        }
        self.grips[k].roll = target.roll;
        if let Some(end) = grip.clamp(n) {
            let joint = end * n;
            let twist = self.state.joint_twist(joint);
            self.state.clamps[end] = Some(target.rotation());
            self.state.keep_turns(joint, twist);
        }
    }

    /// Largest strain over the one at which a handle stops.
    pub fn tautness(&self) -> f64 {
        self.largest_strain() / self.taut_strain()
    }

    /// Axial strain at which a handle stops: the cable is taut. One that its own weight stretches by more when it hangs
    /// down whole is not taut by that.
    pub(super) fn taut_strain(&self) -> f64 {
        let (rod, gravity) = (&self.problem.rod, &self.problem.gravity);
        let weight = 1e-3 * rod.section().mass_kg_m * gravity.norm() * rod.length();
        set::TAUT.max(set::HANGING * weight / rod.section().axial)
    }

    pub(super) fn largest_strain(&self) -> f64 {
        let lengths = self.problem.rod.rest_lengths().iter().enumerate();
        // A gripped edge is as long as its handle makes it.
        lengths
            .filter(|(i, _)| !(self.held[*i] && self.held[i + 1]))
            .map(|(i, rest)| {
                (self.state.positions[i + 1] - self.state.positions[i]).norm() / rest - 1.0
            })
            .fold(0.0, f64::max)
    }
}

/// What takes a handle to its target: way, turn of its frame without the roll (in its own axes), and roll.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub position: Vec3,
    pub turn: Vec3,
    pub roll: f64,
}
