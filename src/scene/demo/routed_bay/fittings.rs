//! Connectors and clips of the harness.

use super::super::shapes::{Soup, at_all, ring};
use super::{GREY, boxed, made};
use crate::geom::{Pose, Rotation, Vec3};
use crate::scene::{Cable, Finish, Handle, HandleKind, Part, PartRole, Scene};

/// The shell of a connector at the end of a branch; `out` is 1 at its end and -1 at its start.
pub(super) fn plug(name: &str, end: &Pose, out: f64, size: f64) -> Part {
    let mut soup = Soup::default();
    let body = boxed(
        [-1.3 * size, -size, 0.5],
        [1.3 * size, size, 2.4 * size],
        3.0,
    );
    soup.add(&body, &Pose::identity());
    let collar = boxed(
        [-1.45 * size, -1.15 * size, 1.5 * size],
        [1.45 * size, 1.15 * size, 1.8 * size],
        2.0,
    );
    soup.add(&collar, &Pose::identity());
    let latch = boxed(
        [-0.4 * size, size, 0.6 * size],
        [0.4 * size, 1.35 * size, 2.2 * size],
        2.0,
    );
    soup.add(&latch, &Pose::identity());
    let turn = if out > 0.0 {
        Rotation::identity()
    } else {
        Rotation::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI)
    };
    let place = Pose {
        position: end.position,
        rotation: end.rotation * turn,
    };
    let mut part = made(
        "harness",
        name,
        at_all(&soup.mesh(), &[place]),
        GREY,
        Finish::Plastic,
    );
    part.role = PartRole::Connector;
    part
}

/// A clip round a cable, and the fixing that it is.
pub(super) fn clip(scene: &mut Scene, cable: &mut Cable, number: usize, share: f64) {
    let arc = share * cable.length;
    let Some((place, pose)) = cable.place_to_hold(arc, HandleKind::Direction) else {
        return;
    };
    let name = format!("clip {number}");
    let band = ring(cable.radius + 5.0, 2.6, 36, 12);
    let mut soup = Soup::default();
    for z in [-4.0, 0.0, 4.0] {
        soup.add(
            &band,
            &pose.compose(&Pose {
                position: Vec3::new(0.0, 0.0, z),
                rotation: Rotation::identity(),
            }),
        );
    }
    let at = pose.position;
    let below = at.z - cable.radius - 6.0;
    let foot = boxed(
        [at.x - 6.0, at.y - 6.0, below - 26.0],
        [at.x + 6.0, at.y + 6.0, below],
        3.0,
    );
    let mut part = made(
        "harness",
        &name,
        soup.with(&foot).mesh(),
        [200, 150, 44],
        Finish::Plastic,
    );
    part.role = PartRole::Connector;
    scene.parts.push(part);
    cable.handles.push(Handle {
        name: name.clone(),
        place,
        kind: HandleKind::Direction,
        pose,
        turns: 0,
        attached_to: Some(name),
        reference_changed: false,
    });
}
