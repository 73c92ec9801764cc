//! What may be asked of a solver, and the few things that may be told to it, between two steps.

use std::sync::Arc;

use super::Solver;
use super::grip::Hold;
use super::problem::Problem;
use crate::contact::{ContactSettings, Ignored, Margins, Obstacle};
use crate::geom::{Pose, Vec3};
use crate::rod::RodState;

impl Solver {
    /// Whether it touches an obstacle.
    pub(super) fn touches(&self) -> bool {
        self.awake && !self.contacts.is_empty()
    }

    /// Where the rod is.
    pub fn state(&self) -> &RodState {
        &self.state
    }

    /// What is being solved.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The constants of contact that follow from the problem.
    pub fn contact_settings(&self) -> &ContactSettings {
        &self.settings
    }

    /// Distances that the rod keeps beyond touching, and where it has less room than that.
    pub fn margins(&self) -> &Margins {
        self.work.candidates.margins()
    }

    /// Largest axial strain of an edge; compression counts as 0.
    pub fn strain(&self) -> f64 {
        self.largest_strain()
    }

    /// Numbers of the obstacles that it touches, some of them several times.
    pub fn touched_obstacles(&self) -> impl Iterator<Item = usize> {
        self.contacts.iter().map(|c| c.obstacle as usize)
    }

    /// Takes obstacles of which only those have moved that the rod does not see.
    pub fn set_unseen_obstacles(&mut self, obstacles: &Arc<Vec<Obstacle>>) {
        self.problem.obstacles = Arc::clone(obstacles);
    }

    /// Takes obstacles of which those have moved, by a way that was swept.
    pub fn take_moved(&mut self, obstacles: &Arc<Vec<Obstacle>>, moved: &[usize]) {
        for &k in moved {
            for known in [&self.problem.obstacles, obstacles] {
                self.work.candidates.forget_in(k, known[k].aabb());
            }
        }
        self.problem.obstacles = Arc::clone(obstacles);
        self.at_rest = false;
    }

    /// Takes the barrier back to the stiffness that suits the cable's own load, whatever it has carried.
    pub fn relax_barrier(&mut self) {
        self.settings.barrier_stiffness = self.settings.least_stiffness;
        self.rest_stiffness = self.settings.least_stiffness;
    }

    /// Finds what it touches; before the first step it does not know.
    pub fn look_for_contacts(&mut self) {
        self.find_contacts();
    }

    /// Takes the friction of contacts with an obstacle along where it went: it holds the cable to the obstacle.
    pub fn carry_friction(&mut self, obstacle: usize, motion: &Pose) {
        for contact in &mut self.friction {
            contact.carry(obstacle, motion);
        }
    }

    /// Stretches that an obstacle cuts through: nothing holds them until they are clear of it.
    pub fn released(&self) -> &[Ignored] {
        self.work.candidates.released()
    }

    /// Where the handle of that number is now; of a spring, where it pulls to.
    pub fn grip_pose(&self, grip: usize) -> Pose {
        let pose = self.problem.grips[grip].pose(&self.state);
        match self.problem.grips[grip].hold {
            Hold::Spring(_) => Pose {
                position: self.grips[grip].anchor,
                ..pose
            },
            _ => pose,
        }
    }

    /// Roll of a handle's frame beside its target's rotation, radians: any number of turns.
    pub fn grip_roll(&self, grip: usize) -> f64 {
        self.grips[grip].roll
    }

    /// Says how much of a handle's frame is roll: what [`Solver::grip_roll`] said when the state was kept.
    pub fn set_grip_roll(&mut self, grip: usize, roll: f64) {
        self.grips[grip].roll = roll;
        self.rest_grips[grip].roll = roll;
        self.work.goals[grip].roll = roll;
    }

    /// Says where a spring pulls to: where its anchor was when the state was kept.
    pub fn set_grip_anchor(&mut self, grip: usize, anchor: Vec3) {
        self.grips[grip].anchor = anchor;
        self.rest_grips[grip].anchor = anchor;
        if matches!(self.problem.grips[grip].hold, Hold::Spring(_)) {
            self.work.goals[grip].pose.position = anchor;
        }
    }
}
