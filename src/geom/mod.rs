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
            rotation: self.rotation * inner.rotation,
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
