//! Frames along a polyline: parallel transport in space (Bishop) and in time, and the twist of one against the other.

use crate::geom::{Rotation, Vec3};

/// Carries `v` from the tangent `from` to the tangent `to` without turning about either (both unit vectors).
///
/// The rotation about from x to that takes one tangent to the other (Bergou2008, section 4.2.2):
/// P v = v + b x v + b x (b x v) / (1 + from . to),  b = from x to.
pub fn transport(v: &Vec3, from: &Vec3, to: &Vec3) -> Vec3 {
    let b = from.cross(to);
    let chi = 1.0 + from.dot(to);
    if chi < 1e-14 {
        // Folded back: every half turn across is as short as any other.
        return v - from * (2.0 * from.dot(v));
    }
    let bv = b.cross(v);
    v + bv + b.cross(&bv) / chi
}

/// The angle from `u` to `v` about the unit vector `axis`, in (-pi, pi].
pub fn signed_angle(u: &Vec3, v: &Vec3, axis: &Vec3) -> f64 {
    u.cross(v).dot(axis).atan2(u.dot(v))
}

/// `a1` turned by `angle` about the tangent to which it is normal.
pub(super) fn turned(a1: &Vec3, tangent: &Vec3, angle: f64) -> Vec3 {
    let (sin, cos) = angle.sin_cos();
    a1 * cos + tangent.cross(a1) * sin
}

/// `a1` made normal to `tangent` and of unit length again: transport leaves rounding behind.
pub(super) fn cleaned(a1: &Vec3, tangent: &Vec3) -> Vec3 {
    (a1 - tangent * tangent.dot(a1)).normalize()
}

/// The Bishop frame: `first`, normal to the first tangent, carried from edge to edge without twist.
pub fn bishop(tangents: &[Vec3], first: &Vec3) -> Vec<Vec3> {
    let mut a1 = Vec::with_capacity(tangents.len());
    for (k, tangent) in tangents.iter().enumerate() {
        let carried = match k {
            0 => *first,
            _ => transport(&a1[k - 1], &tangents[k - 1], tangent),
        };
        a1.push(cleaned(&carried, tangent));
    }
    a1
}

/// The reference twist of a joint (Jawed2018, module 20): the angle by which `a1_right` is ahead of `a1_left` carried
/// over, of all its values the one nearest to `before`. Turns are counted this way as long as none is made at once.
pub(super) fn reference_twist(
    [t_left, t_right]: [&Vec3; 2],
    [a1_left, a1_right]: [&Vec3; 2],
    before: f64,
) -> f64 {
    let carried = turned(&transport(a1_left, t_left, t_right), t_right, before);
    before + signed_angle(&carried, a1_right, t_right)
}

/// The angle of the material axis d1 of `frame` against the reference `a1`, of all its values the one nearest to `near`.
pub(super) fn frame_angle(frame: &Rotation, a1: &Vec3, near: f64) -> f64 {
    let d1 = frame * Vec3::x();
    let tangent = frame * Vec3::z();
    near + signed_angle(&turned(a1, &tangent, near), &d1, &tangent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn transport_is_the_rotation_between_the_tangents() {
        let from = Vec3::new(0.3, -0.5, 0.8).normalize();
        let to = Vec3::new(-0.7, 0.2, 0.4).normalize();
        let rotation = Rotation::rotation_between(&from, &to).unwrap();
        for v in [Vec3::x(), Vec3::y(), from] {
            assert!((transport(&v, &from, &to) - rotation * v).norm() < 1e-14);
        }
        assert!((transport(&from, &from, &-from) + from).norm() < 1e-14);
    }

    /// The holonomy of a closed path of tangents is the area it encloses: an octant turns a frame by pi/2.
    #[test]
    fn an_octant_turns_the_frame_by_a_right_angle() {
        let way = [Vec3::z(), Vec3::x(), Vec3::y(), Vec3::z()];
        let frames = bishop(&way, &Vec3::x());
        let angle = signed_angle(&frames[0], &frames[3], &Vec3::z());
        assert!((angle - TAU / 4.0).abs() < 1e-14, "{angle}");
    }

    #[test]
    fn turns_are_counted_from_the_last_value() {
        let t = Vec3::z();
        for k in [-3.0, 0.0, 5.0] {
            let a1 = turned(&Vec3::x(), &t, 0.4);
            let m = reference_twist([&t, &t], [&Vec3::x(), &a1], k * TAU + 0.1);
            assert!((m - k * TAU - 0.4).abs() < 1e-12, "{m}");
        }
    }
}
