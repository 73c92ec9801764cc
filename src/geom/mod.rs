//! Vocabulary types: points, rotations, poses, boxes. No files, threads or logging.

mod aabb;
pub mod plain;

pub use aabb::Aabb;

/// A point or vector in mm (or a force in N), in the world unless its name says otherwise.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A 3x3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// A rotation; a material frame is the rotation that takes e1, e2, e3 to d1, d2, d3.
pub type Rotation = nalgebra::UnitQuaternion<f64>;

/// Farthest coordinate that is taken for geometry, mm or any other unit: a thousand kilometres. Beyond it a number is a
/// mistake, and areas and distances would not stay finite.
pub const MAX_COORDINATE: f64 = 1e9;

/// A place and an orientation in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Where it is, mm.
    pub position: Vec3,
    /// How it is turned: takes e1, e2, e3 to d1, d2, d3.
    pub rotation: Rotation,
}

impl Pose {
    /// The origin, not turned.
    pub fn identity() -> Self {
        Self {
            position: Vec3::zeros(),
            rotation: Rotation::identity(),
        }
    }

    /// The point `p`, given in this pose's own axes, in the world.
    pub fn transform(&self, p: &Vec3) -> Vec3 {
        self.position + self.rotation * p
    }

    /// A pose given in this one's own axes, in the world.
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        Self {
            position: self.transform(&inner.position),
            rotation: of_length_one(self.rotation * inner.rotation),
        }
    }

    /// The pose a part `t` of the way to another: it goes straight and turns evenly.
    #[must_use]
    pub fn lerp(&self, to: &Self, t: f64) -> Self {
        let turn = (self.rotation.inverse() * to.rotation).scaled_axis();
        Self {
            position: self.position.lerp(&to.position, t),
            rotation: self.rotation * Rotation::from_scaled_axis(turn * t),
        }
    }

    /// The way back: `a.inverse().compose(&a)` is the identity.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self {
            position: -(rotation * self.position),
            rotation,
        }
    }
}

/// How far the square of a quaternion's length may be from one.
const DRIFT: f64 = 1e-12;

/// A product of rotations whose quaternion has the length one to rounding. A product has the errors of both its factors: of
/// poses that are found from each other again and again they would grow without bound.
fn of_length_one(rotation: Rotation) -> Rotation {
    if (rotation.norm_squared() - 1.0).abs() > DRIFT {
        Rotation::new_normalize(rotation.into_inner())
    } else {
        rotation
    }
}

/// The cross-product matrix: `skew(a) * b == a.cross(&b)`.
pub fn skew(a: &Vec3) -> Mat3 {
    Mat3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// The rotation whose d3 points along `direction`, turned from world axes by the shortest way.
///
/// `None` where `direction` has no length.
pub fn rotation_along(direction: &Vec3) -> Option<Rotation> {
    let d3 = direction.try_normalize(f64::MIN_POSITIVE)?;
    Some(
        Rotation::rotation_between(&Vec3::z(), &d3)
            // Exactly opposite: any half turn does.
            .unwrap_or_else(|| Rotation::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After some forty joins of cables their handles had quaternions of length 1e80, and then of none.
    #[test]
    fn poses_that_are_found_from_each_other_stay_of_length_one() {
        let turn = |x: f64, y: f64| Rotation::from_scaled_axis(Vec3::new(x, y, 0.7));
        let mut poses = [(0.3, 0.1), (-1.1, 0.4), (2.0, -0.9)].map(|(x, y)| Pose {
            position: Vec3::new(x, y, 1.0),
            rotation: turn(x, y),
        });
        for k in 0..3000 {
            let [a, b, c] = [0, 1, 2].map(|i| poses[(k + i) % 3]);
            poses[k % 3] = a.compose(&b.inverse()).compose(&c);
        }
        for pose in poses {
            assert!(
                (pose.rotation.norm() - 1.0).abs() < 1e-11,
                "{}",
                pose.rotation
            );
        }
    }
}
