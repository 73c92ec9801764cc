//! A cable that runs the other way.

use std::sync::Arc;

use crate::geom::{Pose, Rotation, Vec3};
use crate::scene::{Cable, HandleKind, HandlePlace, RestShape, Skin};

/// Half a turn about d1: what takes a frame to the one of a cable that runs the other way.
fn about_face() -> Rotation {
    Rotation::new_unchecked(nalgebra::Quaternion::new(0.0, 1.0, 0.0, 0.0))
}

/// A pose as a cable sees it that runs the other way.
pub(in crate::scene) fn turned(pose: &Pose) -> Pose {
    Pose {
        position: pose.position,
        rotation: pose.rotation * about_face(),
    }
}

/// The same cable with its start where its end was. Bend about d1 changes its sign, bend about d2 and twist do not.
#[must_use]
pub fn reversed(cable: &Cable) -> Cable {
    let mut back = cable.clone();
    let length = cable.length;
    back.spacing.iter_mut().for_each(|s| s.reverse());
    back.basis_spacing.iter_mut().for_each(|s| s.reverse());
    back.stretches.reverse();
    for stretch in &mut back.stretches {
        (stretch.from, stretch.to) = (length - stretch.to, length - stretch.from);
    }
    back.straight_ends.reverse();
    back.fittings.reverse();
    back.cut.allowances.reverse();
    if let RestShape::Moulded { curvatures, .. } = &mut back.rest {
        curvatures.reverse();
        for bend in curvatures {
            bend[0] = -bend[0];
        }
    }
    for handle in &mut back.handles {
        handle.pose = turned(&handle.pose);
        handle.turns = -handle.turns;
        handle.place = match handle.place {
            HandlePlace::Start => HandlePlace::End,
            HandlePlace::End => HandlePlace::Start,
            HandlePlace::At(s) => HandlePlace::At(length - s),
        };
        if let HandleKind::Sliding { min, max } = handle.kind {
            handle.kind = HandleKind::Sliding {
                min: (length - max).max(0.0),
                max: (length - min).max(0.0),
            };
        }
    }
    back.handles.reverse();
    if let Some(shape) = &mut back.shape {
        shape.points.reverse();
        shape.frames.reverse();
        shape.frames.iter_mut().for_each(|f| *f *= about_face());
        shape.turns.reverse();
        shape.clamps.reverse();
        (shape.clamps.iter_mut().flatten()).for_each(|clamp| *clamp = turned(clamp));
        shape.rolls.values_mut().for_each(|roll| *roll = -*roll);
        shape.memory = (shape.memory.as_ref()).map(|m| Arc::new(m.reversed(cable.n_edges)));
    }
    back.skin = cable.skin.as_ref().map(|skin| {
        let mut skin: Skin = (**skin).clone();
        for v in &mut skin.vertices {
            v.edge = cable.n_edges as u32 - 1 - v.edge;
            v.along = 1.0 - v.along;
            v.offset = (about_face().inverse() * Vec3::from(v.offset)).into();
        }
        Arc::new(skin)
    });
    back
}
