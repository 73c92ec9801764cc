//! The engine with what its belt drives.

use std::f64::consts::TAU;

use super::super::aabb;
use super::super::shapes::{Soup, along, at_all, turned};
use super::{BLACK, CAST, DARK_CAST, GREY, STEEL, bolts, boxed, made};
use crate::geom::{Pose, Rotation, Vec3};
use crate::mesh::{TriMesh, primitives};
use crate::scene::{Finish, Part};

/// Block, head, cover, coils, alternator and what is driven with it.
pub(super) fn engine() -> Vec<Part> {
    let mut block =
        Soup::default().with(&boxed([-215.0, -150.0, 110.0], [195.0, 190.0, 372.0], 22.0));
    for k in 0..6 {
        let x = -170.0 + 64.0 * f64::from(k);
        let rib = boxed([x - 5.0, -162.0, 150.0], [x + 5.0, -140.0, 340.0], 4.5);
        block.add(&rib, &Pose::identity());
    }
    let flange = boxed([-222.0, -158.0, 364.0], [202.0, 198.0, 382.0], 7.0);
    let head = boxed([-208.0, -138.0, 380.0], [190.0, 178.0, 440.0], 16.0);
    let head = Soup::default().with(&flange).with(&head).mesh();
    let mut cover =
        Soup::default().with(&boxed([-196.0, -92.0, 440.0], [176.0, 132.0, 486.0], 22.0));
    for k in 0..5 {
        let x = -160.0 + 75.0 * f64::from(k);
        let rib = boxed([x - 4.0, -70.0, 480.0], [x + 4.0, 110.0, 491.0], 3.5);
        cover.add(&rib, &Pose::identity());
    }
    let mut coils = Soup::default();
    for k in 0..4 {
        let x = -126.0 + 75.0 * f64::from(k);
        let coil = boxed([x - 17.0, -8.0, 486.0], [x + 17.0, 52.0, 510.0], 6.0);
        coils.add(&coil, &Pose::identity());
        let neck = turned(&[[15.0, 478.0], [15.0, 492.0]], 28);
        coils.add(&neck, &along([x, -22.0, 0.0], [0.0, 0.0, 1.0]));
    }
    let cap = turned(
        &[
            [27.0, 486.0],
            [27.0, 492.0],
            [33.0, 496.0],
            [33.0, 512.0],
            [26.0, 517.0],
        ],
        40,
    );
    let cap = at_all(&cap, &[along([140.0, -58.0, 0.0], [0.0, 0.0, 1.0])]);
    let edge = [
        [-184.0, -82.0],
        [-60.0, -84.0],
        [60.0, -84.0],
        [166.0, -20.0],
        [166.0, 90.0],
        [60.0, 122.0],
        [-60.0, 122.0],
        [-184.0, 100.0],
    ];
    let edge: Vec<[f64; 3]> = edge.iter().map(|[x, y]| [*x, *y, 468.0]).collect();
    let mut parts = vec![
        made("engine", "block", block.mesh(), DARK_CAST, Finish::Metal),
        made("engine", "cylinder head", head, CAST, Finish::Metal),
        made(
            "engine",
            "valve cover",
            cover.mesh(),
            BLACK,
            Finish::Plastic,
        ),
        made(
            "engine",
            "ignition coils",
            coils.mesh(),
            GREY,
            Finish::Plastic,
        ),
        made("engine", "oil cap", cap, [196, 150, 40], Finish::Plastic),
        made(
            "engine",
            "cover bolts",
            bolts(7.0, &edge),
            STEEL,
            Finish::Metal,
        ),
    ];
    parts.extend(belt_drive());
    parts
}

/// The alternator with its cooling slots, pulleys and the belt round them.
fn belt_drive() -> Vec<Part> {
    let drum = turned(
        &[
            [30.0, 0.0],
            [58.0, 6.0],
            [64.0, 22.0],
            [62.0, 28.0],
            [64.0, 34.0],
            [64.0, 78.0],
            [62.0, 84.0],
            [64.0, 90.0],
            [58.0, 108.0],
            [28.0, 116.0],
        ],
        56,
    );
    let mut alternator = Soup::default();
    alternator.add(&drum, &along([196.0, -95.0, 255.0], [1.0, 0.0, 0.0]));
    for k in 0..14 {
        let (sin, cos) = (TAU * f64::from(k) / 14.0).sin_cos();
        let at = [300.0, -95.0 + 50.0 * cos, 255.0 + 50.0 * sin];
        let slot = primitives::cuboid(&aabb([-6.0, -3.5, -3.5], [10.0, 3.5, 3.5]));
        alternator.add(&slot, &along_x(at));
    }
    let pulley = |r: f64| {
        turned(
            &[
                [r, 0.0],
                [r, 4.0],
                [r - 5.0, 6.0],
                [r - 5.0, 22.0],
                [r, 24.0],
                [r, 28.0],
                [0.45 * r, 28.0],
                [0.4 * r, 20.0],
            ],
            56,
        )
    };
    let wheels = [
        ([-215.0, -95.0, 255.0], 36.0),
        ([-215.0, 40.0, 200.0], 72.0),
        ([-215.0, 60.0, 350.0], 48.0),
    ];
    let mut pulleys = Soup::default();
    let mut loops = Vec::new();
    for (at, radius) in wheels {
        pulleys.add(&pulley(radius), &along(at, [-1.0, 0.0, 0.0]));
        loops.push((Vec3::from(at), radius - 3.0));
    }
    vec![
        made(
            "engine",
            "alternator",
            alternator.mesh(),
            CAST,
            Finish::Metal,
        ),
        made("engine", "pulleys", pulleys.mesh(), STEEL, Finish::Metal),
        made("engine", "belt", belt(&loops), BLACK, Finish::Rubber),
    ]
}

fn along_x(at: [f64; 3]) -> Pose {
    Pose {
        position: at.into(),
        rotation: Rotation::identity(),
    }
}

/// A belt round wheels in a plane of constant x: the outline of all of them.
fn belt(wheels: &[(Vec3, f64)]) -> TriMesh {
    let n = 160;
    let outline: Vec<[f64; 2]> = (0..n)
        .filter_map(|k| {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(n)).sin_cos();
            let reach = |(c, r): &(Vec3, f64)| c.y * cos + c.z * sin + r;
            let far = wheels.iter().max_by(|a, b| reach(a).total_cmp(&reach(b)))?;
            Some([far.0.y + far.1 * cos, far.0.z + far.1 * sin])
        })
        .collect();
    let (near, far) = (-238.0, -222.0);
    let mut soup = Soup::default();
    let shrunk = |k: usize, by: f64| {
        let before = outline[(k + outline.len() - 1) % outline.len()];
        let after = outline[(k + 1) % outline.len()];
        let along = [after[0] - before[0], after[1] - before[1]];
        let length = along[0].hypot(along[1]).max(1e-9);
        let [y, z] = outline[k];
        [y - by * along[1] / length, z + by * along[0] / length]
    };
    for k in 0..outline.len() {
        let j = (k + 1) % outline.len();
        let at = |x: f64, [y, z]: [f64; 2]| Vec3::new(x, y, z);
        let (a, b) = (outline[k], outline[j]);
        let (c, d) = (shrunk(k, 4.0), shrunk(j, 4.0));
        soup.quad([at(far, a), at(far, b), at(near, b), at(near, a)]);
        soup.quad([at(near, c), at(near, d), at(far, d), at(far, c)]);
        soup.quad([at(near, a), at(near, b), at(near, d), at(near, c)]);
        soup.quad([at(far, c), at(far, d), at(far, b), at(far, a)]);
    }
    soup.mesh()
}
