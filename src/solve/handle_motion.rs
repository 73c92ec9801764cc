//! The way of one rod's handles: what is left of it, the goal of a chunk, and how taut the rod is.

use smallvec::SmallVec;

use super::Solver;
use super::grip::{Hold, Place, Target};
use super::layout;
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
        let way = self.motion_to(k, target);
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
    pub(super) fn motion_to(&self, grip: usize, target: &Target) -> HandleMotion {
        let now = self.grip_pose(grip);
        let mut way = HandleMotion {
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
        let way = self.motion_to(grip, &target);
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

    /// How much of their way to the goals the handles can go before the cable between two of them would be taut were it
    /// straight: a bound that costs no iteration. Beyond it no shape of the cable is slack enough.
    pub(super) fn reach(&self) -> f64 {
        // Where the cable slides through a handle, the length of each stretch changes.
        if !self.problem.flows.is_empty() {
            return 1.0;
        }
        let rod = &self.problem.rod;
        let stretch = 1.0 + set::AT_REACH * self.taut_strain();
        let mut held: SmallVec<[(f64, usize); 8]> = (0..self.grips.len())
            .filter(|&k| self.holds_a_place(k))
            .map(|k| (self.problem.grips[k].place.arc_length(rod), k))
            .collect();
        held.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let part = |pair: &[(f64, usize)]| {
            let [from, to] = [pair[0].1, pair[1].1].map(|k| {
                let now = self.grip_pose(k).position;
                (now, self.work.goals[k].pose.position - now)
            });
            let most = stretch * (pair[1].0 - pair[0].0);
            part_within(&(to.0 - from.0), &(to.1 - from.1), most)
        };
        held.windows(2).map(part).fold(1.0, f64::min)
    }

    /// Whether a handle holds a place of the cable where it is asked to: not by a spring, and not as a body likes.
    fn holds_a_place(&self, k: usize) -> bool {
        let grip = self.problem.grips[k];
        let by_body = |i: usize| self.is_slaved(layout::node(i));
        match (grip.hold, grip.place) {
            (Hold::Spring(_), _) => false,
            (_, Place::Node(i)) => !by_body(i),
            _ => true,
        }
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
        let weight = 1e-3 * rod.mean_mass() * gravity.norm() * rod.length();
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

/// The part of a motion after which something that is `from` here is as far as `most`; 1 where it comes no farther.
fn part_within(from: &Vec3, motion: &Vec3, most: f64) -> f64 {
    let (now, then) = (from.norm(), (from + motion).norm());
    if then <= most || then <= now {
        return 1.0;
    }
    if now >= most {
        return 0.0;
    }
    // The positive root of |from + s motion|^2 = most^2.
    let (a, b) = (motion.norm_squared(), from.dot(motion));
    let c = now * now - most * most;
    let root = (b * b - a * c).sqrt();
    let part = if b > 0.0 {
        -c / (b + root)
    } else {
        (root - b) / a
    };
    part.clamp(0.0, 1.0)
}

/// What takes a handle to its target: way, turn of its frame without the roll (in its own axes), and roll.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandleMotion {
    pub position: Vec3,
    pub turn: Vec3,
    pub roll: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_is_cut_where_it_comes_too_far() {
        let (from, out) = (Vec3::x() * 3.0, Vec3::x() * 4.0);
        assert!((part_within(&from, &out, 5.0) - 0.5).abs() < 1e-15);
        let aside = Vec3::y() * 8.0;
        assert!((part_within(&from, &aside, 5.0) - 0.5).abs() < 1e-15);
        // Past the other side.
        let through = Vec3::x() * -16.0;
        assert!((part_within(&from, &through, 5.0) - 0.5).abs() < 1e-15);
        assert_eq!(part_within(&from, &out, 7.0), 1.0);
        // Too far already: nearer is always allowed, farther never.
        assert_eq!(part_within(&from, &out, 2.0), 0.0);
        assert_eq!(part_within(&from, &-Vec3::x(), 1.0), 1.0);
    }
}
