//! The shell by which a body meets others: strands of capsules, rods all of whose nodes go with the body.

use std::sync::Arc;

use super::{Body, BodyEnd};
use crate::contact::{Ignored, Obstacle, most_turn};
use crate::geom::{Pose, Rotation, Vec3, rotation_along};
use crate::rod::{Rod, RodState, Section, bend_twist};
use crate::solve::{Grip, Hold, Place, Problem, Solver};

/// Stiffness of a strand's frames, over the load that it is made for.
const STIFF: f64 = 100.0;

/// What a strand is among.
#[derive(Clone, Copy)]
pub struct Among<'a> {
    /// m/s^2.
    pub gravity: Vec3,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// The obstacles.
    pub obstacles: &'a Arc<Vec<Obstacle>>,
    /// Numbers of those that it does not see.
    pub ignored: &'a [usize],
}

/// A chain of capsules around a body of that weight, N, all of whose nodes are to go with it. `None` where two nodes are in
/// one place.
pub fn strand_rod(points: &[Vec3], radius: f64, weight: f64, among: &Among) -> Option<Solver> {
    let edges = points.windows(2).map(|w| w[1] - w[0]);
    let frames = edges.clone().map(|edge| rotation_along(&edge));
    let frames: Vec<Rotation> = frames.collect::<Option<_>>()?;
    let lengths: Vec<f64> = edges.map(|e| e.norm()).collect();
    let n = lengths.len();
    let length: f64 = lengths.iter().sum();
    // So that its scale of forces is the body's weight.
    let bending = weight * length * length / 40.0;
    let section = Section {
        bending: [bending; 2],
        torsion: bending,
        axial: STIFF * weight,
        shear: STIFF * weight,
        mass_kg_m: 0.0,
    };
    let rod = Rod::new(lengths, section).ok()?;
    let bend = |j: usize| {
        if j == 0 || j == n {
            return Vec3::zeros();
        }
        let now = bend_twist(&frames[j - 1], &frames[j], 0);
        Vec3::new(now.bend[0], now.bend[1], now.twist) / rod.joint_length(j)
    };
    let curvatures: Vec<Vec3> = (0..=n).map(bend).collect();
    let hold = |i: usize| Grip {
        place: Place::Node(i),
        hold: Hold::Position,
    };
    let ignore = |&obstacle: &usize| Ignored::through(obstacle as u32, 0..n as u32);
    let problem = Problem {
        gravity: among.gravity,
        grips: (0..=n).map(hold).collect(),
        friction: among.friction,
        obstacles: Arc::clone(among.obstacles),
        ignored: among.ignored.iter().map(ignore).collect(),
        self_contact: false,
        ..Problem::free(rod.moulded(curvatures).ok()?, radius)
    };
    let state = RodState {
        positions: points.to_vec(),
        frames,
        clamps: [None, None],
        turns: vec![0; n + 1],
    };
    Some(Solver::new(problem, state))
}

impl Body {
    /// Fixes a strand to it: rod number, nodes in the world, and the room between the shell and what it covers, mm. It then
    /// turns no farther in one iteration than that room lets nodes go straight that belong on arcs.
    pub fn take_strand(&mut self, rod: usize, points: &[Vec3], room: f64) {
        for (grip, point) in points.iter().enumerate() {
            let position = self.pose.inverse().transform(point);
            self.most_turn = self.most_turn.min(most_turn(room, position.norm()));
            let in_body = Pose {
                position,
                ..Pose::identity()
            };
            self.ends.push(BodyEnd { rod, grip, in_body });
        }
    }
}
