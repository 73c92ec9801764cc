//! Geometry as plain numbers in files: a point is `[x, y, z]`, a rotation the unit quaternion `[w, x, y, z]`.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Pose, Rotation, Vec3};

/// A quaternion this close to unit length is taken bit for bit; others are normalised.
const UNIT_TOLERANCE: f64 = 1e-9;

/// The rotation of a quaternion w, x, y, z; `None` when it is zero or not finite.
pub fn rotation_from([w, x, y, z]: [f64; 4]) -> Option<Rotation> {
    let q = nalgebra::Quaternion::new(w, x, y, z);
    let norm = q.norm();
    if (norm - 1.0).abs() <= UNIT_TOLERANCE {
        return Some(Rotation::new_unchecked(q));
    }
    (norm.is_finite() && norm > 1e-6).then(|| Rotation::from_quaternion(q))
}

/// The quaternion w, x, y, z of a rotation.
pub fn quaternion_of(rotation: &Rotation) -> [f64; 4] {
    [rotation.w, rotation.i, rotation.j, rotation.k]
}

/// `#[serde(with = "point")]`
pub mod point {
    use super::{Deserialize, Deserializer, Error, Serialize, Serializer, Vec3};

    /// Three numbers.
    pub fn serialize<S: Serializer>(p: &Vec3, to: S) -> Result<S::Ok, S::Error> {
        [p.x, p.y, p.z].serialize(to)
    }

    /// Three finite numbers.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec3, D::Error> {
        let p = <[f64; 3]>::deserialize(from)?;
        if p.iter().all(|c| c.is_finite()) {
            return Ok(Vec3::from(p));
        }
        Err(D::Error::custom("a point must be three finite numbers"))
    }
}

/// `#[serde(with = "points")]`
pub mod points {
    use super::{Deserialize, Deserializer, Error, Serializer, Vec3};

    /// A list of three numbers each.
    pub fn serialize<S: Serializer>(points: &[Vec3], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(points.iter().map(|p| [p.x, p.y, p.z]))
    }

    /// A list of three finite numbers each.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec3>, D::Error> {
        let points = <Vec<[f64; 3]>>::deserialize(from)?;
        if points.iter().flatten().all(|c| c.is_finite()) {
            return Ok(points.into_iter().map(Vec3::from).collect());
        }
        Err(D::Error::custom("a point must be three finite numbers"))
    }
}

#[derive(Serialize, Deserialize)]
struct PlainPose {
    position: [f64; 3],
    rotation: [f64; 4],
}

impl Serialize for Pose {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        PlainPose {
            position: self.position.into(),
            rotation: quaternion_of(&self.rotation),
        }
        .serialize(to)
    }
}

impl<'de> Deserialize<'de> for Pose {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let plain = PlainPose::deserialize(from)?;
        if !plain.position.iter().all(|c| c.is_finite()) {
            return Err(D::Error::custom("position must be three finite numbers"));
        }
        let rotation = rotation_from(plain.rotation).ok_or_else(|| {
            D::Error::custom(
                "rotation must be four numbers w, x, y, z of a quaternion that is not zero",
            )
        })?;
        Ok(Self {
            position: Vec3::from(plain.position),
            rotation,
        })
    }
}
