//! What the mouse grabs to move and turn a handle. Its size on the screen is fixed.

use super::camera::{Camera, Pixel, Viewport};
use crate::geom::{Pose, Rotation, Vec3};

/// Radius of the disc in the middle, in points.
pub const DISC: f64 = 9.0;
/// Length of the arrows, in points.
pub const ARROW: f64 = 58.0;
/// Radius of the rings, in points.
pub const RING: f64 = 42.0;
/// How near the cursor must come to grab an arrow or a ring, in points.
const REACH: f64 = 6.0;
/// Where an arrow crosses a ring, the arrow is meant: it counts as this much nearer, in points.
const ARROW_FIRST: f64 = 4.0;
/// A ring seen flatter than this (cosine between its axis and the view) is turned along its tangent.
const EDGE_ON: f64 = 0.2;

/// A part of the gizmo that can be grabbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    /// The disc: moves in the view plane.
    Disc,
    /// The arrow along material direction d1, d2 or d3 (0, 1, 2): moves along it.
    Arrow(usize),
    /// The ring about material direction d1, d2 or d3: turns about it.
    Ring(usize),
    /// Anywhere on the disc with Shift: turns about the view axis.
    View,
}

/// The material direction of that number.
pub fn axis(pose: &Pose, k: usize) -> Vec3 {
    let mut e = Vec3::zeros();
    e[k] = 1.0;
    pose.rotation * e
}

/// Which grip of a handle at `pose` lies under the cursor. Arrows and rings are there on a selected handle only.
pub fn hit(
    camera: &Camera,
    viewport: Viewport,
    pose: &Pose,
    cursor: &Pixel,
    selected: bool,
) -> Option<Grip> {
    let center = camera.project(&pose.position, viewport)?;
    if (cursor - center).norm() <= DISC + 2.0 {
        return Some(Grip::Disc);
    }
    if !selected {
        return None;
    }
    let near = |points: &[Pixel]| {
        points
            .windows(2)
            .map(|s| distance_to_segment(cursor, &s[0], &s[1]))
            .fold(f64::INFINITY, f64::min)
    };
    (0..3)
        .flat_map(|k| {
            [
                (Grip::Arrow(k), near(&arrow(camera, viewport, pose, k))),
                (Grip::Ring(k), near(&ring(camera, viewport, pose, k))),
            ]
        })
        .filter(|(_, distance)| *distance <= REACH)
        .min_by(|a, b| {
            let rank = |(grip, distance): &(Grip, f64)| match grip {
                Grip::Arrow(_) => distance - ARROW_FIRST,
                _ => *distance,
            };
            rank(a).total_cmp(&rank(b))
        })
        .map(|(grip, _)| grip)
}

/// The picture of an arrow: from the rim of the disc to the tip.
pub fn arrow(camera: &Camera, viewport: Viewport, pose: &Pose, k: usize) -> Vec<Pixel> {
    let mm = camera.mm_per_point(&pose.position, viewport);
    let direction = axis(pose, k) * mm;
    [DISC, ARROW]
        .iter()
        .filter_map(|at| camera.project(&(pose.position + direction * *at), viewport))
        .collect()
}

/// The picture of a ring, closed.
pub fn ring(camera: &Camera, viewport: Viewport, pose: &Pose, k: usize) -> Vec<Pixel> {
    let radius = RING * camera.mm_per_point(&pose.position, viewport);
    let (u, v) = (axis(pose, (k + 1) % 3), axis(pose, (k + 2) % 3));
    (0..=48)
        .filter_map(|i| {
            let (sin, cos) = (f64::from(i) / 48.0 * std::f64::consts::TAU).sin_cos();
            camera.project(&(pose.position + (u * cos + v * sin) * radius), viewport)
        })
        .collect()
}

/// The pose after the cursor went from `from` to `to` with `grip` in hand.
///
/// Motions add up, so the camera may change between two of them without moving the handle.
pub fn drag(
    camera: &Camera,
    viewport: Viewport,
    pose: &Pose,
    grip: Grip,
    from: &Pixel,
    to: &Pixel,
) -> Pose {
    match grip {
        Grip::Disc => {
            let at = |p| camera.on_view_plane(p, viewport, &pose.position);
            moved(pose, at(to) - at(from))
        }
        Grip::Arrow(k) => {
            let along = axis(pose, k);
            let at = |p| along_axis(camera, viewport, pose, &along, p);
            match (at(from), at(to)) {
                (Some(a), Some(b)) => moved(pose, along * (b - a)),
                _ => *pose,
            }
        }
        Grip::Ring(k) => {
            let about = axis(pose, k);
            turned(
                pose,
                &about,
                ring_angle(camera, viewport, pose, &about, from, to),
            )
        }
        Grip::View => {
            let Some(center) = camera.project(&pose.position, viewport) else {
                return *pose;
            };
            // Pixels count y downwards, so a turn to the left on the screen has a falling angle there.
            let angle = |p: &Pixel| (p.y - center.y).atan2(p.x - center.x);
            turned(pose, &camera.back(), -wrapped(angle(to) - angle(from)))
        }
    }
}

fn moved(pose: &Pose, by: Vec3) -> Pose {
    Pose {
        position: pose.position + by,
        ..*pose
    }
}

fn turned(pose: &Pose, about: &Vec3, angle: f64) -> Pose {
    let mut rotation = Rotation::from_scaled_axis(about * angle) * pose.rotation;
    rotation.renormalize();
    Pose { rotation, ..*pose }
}

/// Where on the axis through the handle the cursor points nearest to; `None` when it looks along the axis.
fn along_axis(
    camera: &Camera,
    viewport: Viewport,
    pose: &Pose,
    axis: &Vec3,
    cursor: &Pixel,
) -> Option<f64> {
    let ray = camera.ray(cursor, viewport);
    let (ad, w) = (axis.dot(&ray.direction), pose.position - ray.origin);
    let det = 1.0 - ad * ad;
    (det > 1e-3).then(|| (ad * w.dot(&ray.direction) - w.dot(axis)) / det)
}

/// The angle about `axis` that takes the grabbed point of a ring along with the cursor.
fn ring_angle(
    camera: &Camera,
    viewport: Viewport,
    pose: &Pose,
    axis: &Vec3,
    from: &Pixel,
    to: &Pixel,
) -> f64 {
    let facing = camera.ray(from, viewport).direction.dot(axis);
    if facing.abs() < EDGE_ON {
        // Seen from its edge, the near side of the ring runs along this direction.
        let tangent = axis.cross(&camera.back());
        let along = Pixel::new(tangent.dot(&camera.right()), -tangent.dot(&camera.up()));
        return match along.try_normalize(1e-9) {
            Some(along) => (to - from).dot(&along) / RING,
            None => 0.0,
        };
    }
    let on_ring = |pixel: &Pixel| {
        let ray = camera.ray(pixel, viewport);
        let t = (pose.position - ray.origin).dot(axis) / ray.direction.dot(axis);
        ray.origin + ray.direction * t - pose.position
    };
    let (a, b) = (on_ring(from), on_ring(to));
    a.cross(&b).dot(axis).atan2(a.dot(&b))
}

/// The same angle between -pi and pi.
fn wrapped(angle: f64) -> f64 {
    let turns = (angle / std::f64::consts::TAU).round();
    angle - turns * std::f64::consts::TAU
}

/// How far a place of the view is from a line between two others, points.
pub fn distance_to_segment(p: &Pixel, a: &Pixel, b: &Pixel) -> f64 {
    let ab = b - a;
    let t = ((p - a).dot(&ab) / ab.norm_squared().max(1e-12)).clamp(0.0, 1.0);
    (p - a - ab * t).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::choices::StandardView;

    const VIEW: Viewport = Viewport {
        width: 900.0,
        height: 600.0,
    };

    fn pose() -> Pose {
        Pose {
            position: Vec3::new(30.0, 20.0, -10.0),
            rotation: Rotation::from_euler_angles(0.3, -0.2, 0.9),
        }
    }

    fn on_screen(camera: &Camera, p: &Vec3) -> Pixel {
        camera.project(p, VIEW).unwrap()
    }

    #[test]
    fn the_disc_follows_the_cursor() {
        let camera = Camera::default();
        let from = on_screen(&camera, &pose().position) + Pixel::new(3.0, -2.0);
        let by = Pixel::new(120.0, -45.0);
        let after = drag(&camera, VIEW, &pose(), Grip::Disc, &from, &(from + by));
        let offset = on_screen(&camera, &after.position) - on_screen(&camera, &pose().position);
        assert!((offset - by).norm() < 1e-6);
        assert_eq!(after.rotation, pose().rotation);
    }

    #[test]
    fn the_camera_may_turn_in_the_middle_of_a_drag() {
        let mut camera = Camera::default();
        let from = on_screen(&camera, &pose().position);
        let half = from + Pixel::new(50.0, 10.0);
        let middle = drag(&camera, VIEW, &pose(), Grip::Disc, &from, &half);
        camera.orbit(&middle.position, 0.8, 0.1);
        assert!((on_screen(&camera, &middle.position) - half).norm() < 1e-6);
        let to = half + Pixel::new(-20.0, 30.0);
        let after = drag(&camera, VIEW, &middle, Grip::Disc, &half, &to);
        assert!((on_screen(&camera, &after.position) - to).norm() < 1e-6);
    }

    #[test]
    fn an_arrow_moves_along_its_axis_only() {
        let camera = Camera::default();
        for k in 0..3 {
            let tip = *arrow(&camera, VIEW, &pose(), k).last().unwrap();
            assert_eq!(
                hit(&camera, VIEW, &pose(), &tip, true),
                Some(Grip::Arrow(k))
            );
            let center = on_screen(&camera, &pose().position);
            let to = tip + (tip - center);
            let after = drag(&camera, VIEW, &pose(), Grip::Arrow(k), &tip, &to);
            let by = after.position - pose().position;
            assert!(by.dot(&axis(&pose(), k)) > 1.0);
            assert!(by.cross(&axis(&pose(), k)).norm() < 1e-9);
        }
    }

    #[test]
    fn an_arrow_is_grabbed_where_it_crosses_a_ring() {
        let camera = Camera::default();
        for k in 0..3 {
            let crossing = pose().position
                + axis(&pose(), k) * RING * camera.mm_per_point(&pose().position, VIEW);
            let grip = hit(&camera, VIEW, &pose(), &on_screen(&camera, &crossing), true);
            assert_eq!(grip, Some(Grip::Arrow(k)));
        }
    }

    #[test]
    fn a_ring_turns_about_its_axis_by_the_angle_of_the_cursor() {
        let mut camera = Camera::default();
        camera.look_from(StandardView::Top);
        camera.projection = super::super::camera::Projection::Orthographic;
        let pose = Pose {
            rotation: Rotation::identity(),
            ..pose()
        };
        let points = ring(&camera, VIEW, &pose, 2);
        // A quarter of the ring from +X to +Y, in steps as a mouse makes them.
        let mut turned = pose;
        for s in points[..=12].windows(2) {
            turned = drag(&camera, VIEW, &turned, Grip::Ring(2), &s[0], &s[1]);
        }
        let expected = Rotation::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
        assert!(turned.rotation.angle_to(&expected) < 1e-9);
        assert_eq!(turned.position, pose.position);
    }

    #[test]
    fn a_ring_seen_from_its_edge_still_turns_with_the_near_side() {
        let mut camera = Camera::default();
        camera.look_from(StandardView::Front);
        let pose = Pose {
            rotation: Rotation::identity(),
            ..pose()
        };
        let from = on_screen(&camera, &pose.position);
        let to = from + Pixel::new(RING * 0.1, 0.0);
        let after = drag(&camera, VIEW, &pose, Grip::Ring(2), &from, &to);
        let near_side = after.rotation * -Vec3::y();
        assert!(near_side.x > 0.09, "{near_side}");
    }

    #[test]
    fn shift_turns_with_the_cursor_about_the_view_axis() {
        let camera = Camera::default();
        let center = on_screen(&camera, &pose().position);
        let (right, above) = (Pixel::new(8.0, 0.0), Pixel::new(0.0, -8.0));
        let after = drag(
            &camera,
            VIEW,
            &pose(),
            Grip::View,
            &(center + right),
            &(center + above),
        );
        let expected = Rotation::from_scaled_axis(camera.back() * std::f64::consts::FRAC_PI_2)
            * pose().rotation;
        assert!(after.rotation.angle_to(&expected) < 1e-9);
    }

    #[test]
    fn only_the_disc_of_an_unselected_handle_is_hit() {
        let camera = Camera::default();
        let center = on_screen(&camera, &pose().position);
        let hit = |p: Pixel, selected| hit(&camera, VIEW, &pose(), &p, selected);
        assert_eq!(hit(center, false), Some(Grip::Disc));
        let tip = *arrow(&camera, VIEW, &pose(), 2).last().unwrap();
        assert_eq!(hit(tip, false), None);
        assert_eq!(hit(center + Pixel::new(300.0, 0.0), true), None);
    }
}
