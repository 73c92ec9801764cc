//! A small harness over a bracket: the sample on which the three uses are shown.

use super::loom::{TrueBranch, bezier, tessellated};
use super::{aabb, hanging_cable, part, placed};
use crate::geom::{Pose, Rotation, Vec3};
use crate::mesh::primitives;
use crate::scene::{PartRole, Scene};

/// Sides of the harness's tubes, and points on each centerline: few, so that the sample stays small.
const N_SIDES: usize = 12;
const N_POINTS: usize = 40;

/// A trunk of about 620 mm with one branch over a block, as one part, and a cable beside it that is flexible already.
pub fn harness() -> Scene {
    let block = aabb([-60.0, -120.0, 0.0], [60.0, 120.0, 100.0]);
    let mut loom = part("harness", tessellated(&branches(), N_SIDES));
    loom.role = PartRole::Harness;
    loom.color = Some([40, 44, 52]);
    let aside = Pose {
        position: Vec3::new(-160.0, 260.0, 160.0),
        rotation: Rotation::identity(),
    };
    let jumper = placed(hanging_cable(400.0, 320.0, 0.0), "jumper", &aside);
    Scene {
        parts: vec![part("block", primitives::cuboid(&block)), loom],
        cables: vec![jumper],
        ..Scene::default()
    }
}

/// The centerlines as they truly are: the trunk along x, and a branch that leaves it in the middle.
fn branches() -> [TrueBranch; 2] {
    let trunk = [
        Vec3::new(-300.0, 0.0, 160.0),
        Vec3::new(-100.0, 0.0, 190.0),
        Vec3::new(100.0, 60.0, 190.0),
        Vec3::new(300.0, 60.0, 160.0),
    ];
    let trunk = bezier(trunk, N_POINTS);
    let start = trunk[N_POINTS / 2];
    let branch = [
        start,
        start + Vec3::new(30.0, -60.0, 0.0),
        Vec3::new(60.0, -140.0, 180.0),
        Vec3::new(60.0, -220.0, 150.0),
    ];
    [
        TrueBranch {
            name: "trunk",
            points: trunk,
            radius: 8.0,
        },
        TrueBranch {
            name: "b1",
            points: bezier(branch, N_POINTS),
            radius: 5.0,
        },
    ]
}
