//! A rigid body that a rod is fixed to.

use crate::geom::{Mat3, Pose, Rotation, Vec3};

/// A rigid body that carries one support of the rod along.
///
/// Its turning is a rotation vector in the world, taken anew from where the body is in every iteration: with R I R^T the
/// kinetic energy is w^T (R I R^T) w / 2. (Bergou2008 puts I beside the derivative of a quaternion, to which it does not
/// belong; Kirsch2012 corrects it by a mass matrix for quaternions that is renewed in every iteration. This is the same
/// without the fourth number.)
#[derive(Clone, Debug)]
pub struct Body {
    /// Centre of mass and principal axes.
    pub pose: Pose,
    /// Mass.
    pub mass: f64,
    /// Moments of inertia about the principal axes.
    pub inertia: Vec3,
    /// Velocity of the centre of mass.
    pub velocity: Vec3,
    /// Angular momentum about the centre of mass, in the world.
    pub angular_momentum: Vec3,
    /// The support that it carries, by its number in the problem.
    pub support: usize,
    /// Where the support is, in the body's axes.
    pub attachment: Pose,
}

impl Body {
    /// A body at rest with its principal axes along the world's, around a support where that is now.
    pub fn at_rest(position: Vec3, mass: f64, inertia: Vec3, support: usize, held: &Pose) -> Self {
        let pose = Pose {
            position,
            rotation: Rotation::identity(),
        };
        Self {
            attachment: pose.inverse().compose(held),
            pose,
            mass,
            inertia,
            velocity: Vec3::zeros(),
            angular_momentum: Vec3::zeros(),
            support,
        }
    }

    /// Where the support is now.
    pub fn held(&self) -> Pose {
        self.pose.compose(&self.attachment)
    }

    /// From angular momentum to angular velocity: (R I R^T)^-1.
    pub(super) fn mobility(&self) -> Mat3 {
        let r = self.pose.rotation.to_rotation_matrix().into_inner();
        r * Mat3::from_diagonal(&self.inertia.map(|i| 1.0 / i)) * r.transpose()
    }

    /// Angular velocity.
    pub fn angular_velocity(&self) -> Vec3 {
        self.mobility() * self.angular_momentum
    }

    /// Kinetic energy.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * self.mass * self.velocity.norm_squared()
            + 0.5 * self.angular_momentum.dot(&self.angular_velocity())
    }

    /// Takes up a push and a turn: impulses of force and of moment about the centre of mass.
    pub(super) fn push(&mut self, impulse: &Vec3, turning: &Vec3) {
        self.velocity += impulse / self.mass;
        self.angular_momentum += turning;
    }

    /// Where it goes in a time `h`.
    pub(super) fn moved(&self, h: f64) -> Pose {
        let turn = Rotation::from_scaled_axis(self.angular_velocity() * h);
        Pose {
            position: self.pose.position + self.velocity * h,
            rotation: turn * self.pose.rotation,
        }
    }

    /// The mass that a point of the body at `arm` from its centre has, inverted: by how much it moves under an impulse.
    pub(super) fn point_mobility(&self, arm: &Vec3) -> Mat3 {
        let a = crate::geom::skew(arm);
        Mat3::identity() / self.mass - a * self.mobility() * a
    }
}
