//! The orientation of a handle as three numbers to type.

use crate::geom::{Rotation, Vec3, rotation_along};

/// Where a handle points and how it is rolled, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angles {
    /// From X towards Y in the horizontal plane; 0 for a vertical handle.
    pub heading: f64,
    /// Above the horizon.
    pub tilt: f64,
    /// About the handle's own direction, from the frame that [`rotation_along`] gives that direction.
    pub roll: f64,
}

impl Angles {
    /// The names, in the order of [`Self::get`].
    pub const NAMES: [&'static str; 3] = ["Heading", "Tilt", "Roll"];

    /// Reads them off a rotation.
    pub fn of(rotation: &Rotation) -> Self {
        let d3 = rotation * Vec3::z();
        let level = d3.xy().norm();
        let heading = if level < 1e-9 { 0.0 } else { d3.y.atan2(d3.x) };
        let unrolled = rotation_along(&d3).unwrap_or_default();
        let rest = unrolled.inverse() * rotation;
        let roll = 2.0 * rest.k.atan2(rest.w);
        let turns = (roll / std::f64::consts::TAU).round();
        Self {
            heading: degrees(heading),
            tilt: degrees(d3.z.atan2(level)),
            roll: degrees(roll - turns * std::f64::consts::TAU),
        }
    }

    /// The rotation they describe.
    pub fn rotation(&self) -> Rotation {
        let (sin_h, cos_h) = self.heading.to_radians().sin_cos();
        let (sin_t, cos_t) = self.tilt.to_radians().sin_cos();
        let d3 = Vec3::new(cos_t * cos_h, cos_t * sin_h, sin_t);
        let roll = Rotation::from_axis_angle(&Vec3::z_axis(), self.roll.to_radians());
        rotation_along(&d3).unwrap_or_default() * roll
    }

    /// The angle of that number.
    pub fn get(&mut self, k: usize) -> &mut f64 {
        match k {
            0 => &mut self.heading,
            1 => &mut self.tilt,
            _ => &mut self.roll,
        }
    }
}

/// Without the dust of rounding, which would show as -0.0.
fn degrees(radians: f64) -> f64 {
    let degrees = radians.to_degrees();
    if degrees.abs() < 1e-9 { 0.0 } else { degrees }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_is_the_same_rotation() {
        for i in 0..200_u32 {
            let x = |k: u32| f64::from((i * 7919 + k * 104_729) % 1000) / 1000.0 - 0.5;
            let rotation = Rotation::from_scaled_axis(Vec3::new(x(1), x(2), x(3)) * 9.0);
            let again = Angles::of(&rotation).rotation();
            assert!(rotation.angle_to(&again) < 1e-6, "{rotation}");
        }
    }

    #[test]
    fn a_roll_turns_about_the_handle_only() {
        let rotation = Rotation::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2);
        let mut angles = Angles::of(&rotation);
        assert!(angles.heading.abs() + angles.tilt.abs() + angles.roll.abs() < 1e-9);
        angles.roll = 30.0;
        let turned = angles.rotation();
        assert!((turned * Vec3::z() - Vec3::x()).norm() < 1e-12);
        let by = Rotation::from_axis_angle(&Vec3::x_axis(), 30_f64.to_radians());
        assert!(turned.angle_to(&(by * rotation)) < 1e-9);
    }

    #[test]
    fn a_vertical_handle_has_angles_too() {
        for tilt in [-90.0, 90.0] {
            let angles = Angles {
                heading: 0.0,
                tilt,
                roll: 45.0,
            };
            let again = Angles::of(&angles.rotation());
            assert!(again.rotation().angle_to(&angles.rotation()) < 1e-9);
        }
    }
}
