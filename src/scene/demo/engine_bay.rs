//! An engine bay with a tessellated harness: the scene of the first start, and of tests and benchmarks.
//!
//! x to the left side of the car, y to the back (firewall at y = 350), z up. The harness hangs free above the rest and
//! leaves through a hole in the firewall.

use super::loom::{TrueBranch, bezier, tessellated};
use super::{aabb, hanging_cable, part, placed};
use crate::geom::{Pose, Rotation, Vec3};
use crate::mesh::{TriMesh, primitives};
use crate::scene::{Part, PartRole, Scene};

/// Sides of the harness's tubes.
const N_SIDES: usize = 20;
/// Points on the centerline of each of its branches.
const N_POINTS: usize = 60;

/// Branches that leave the trunk: name, share of the trunk's length, control points towards its end, radius.
const BRANCHES: [(&str, f64, [[f64; 3]; 2], f64); 5] = [
    (
        "b1",
        0.22,
        [[-230.0, -240.0, 445.0], [-60.0, -190.0, 420.0]],
        5.0,
    ),
    (
        "b2",
        0.38,
        [[-60.0, -90.0, 460.0], [60.0, -30.0, 430.0]],
        4.0,
    ),
    (
        "b3",
        0.50,
        [[-300.0, 60.0, 450.0], [-370.0, 90.0, 400.0]],
        6.0,
    ),
    (
        "b4",
        0.62,
        [[-40.0, 90.0, 470.0], [50.0, 140.0, 440.0]],
        3.5,
    ),
    (
        "b5",
        0.76,
        [[20.0, 200.0, 460.0], [150.0, 250.0, 450.0]],
        5.0,
    ),
];
const TRUNK_RADIUS: f64 = 9.0;

/// The scene: about 50 000 triangles of parts, the harness as one part, and one cable that is flexible already.
pub fn engine_bay() -> Scene {
    let mut scene = Scene {
        parts: parts(),
        ..Scene::default()
    };
    let mut loom = part("harness", tessellated(&true_branches(), N_SIDES));
    loom.role = PartRole::Harness;
    loom.color = Some([40, 44, 52]);
    scene.parts.push(loom);
    scene.cables.push(ground_strap());
    scene
}

/// A cable of 640 mm along y, over alternator and battery.
fn ground_strap() -> crate::scene::Cable {
    let pose = Pose {
        position: Vec3::new(300.0, -270.0, 520.0),
        rotation: Rotation::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2),
    };
    placed(hanging_cable(640.0, 500.0, 0.0), "ground strap", &pose)
}

fn parts() -> Vec<Part> {
    let block = aabb([-180.0, -200.0, 100.0], [180.0, 120.0, 330.0]);
    let pocket = aabb([-100.0, -120.0, 250.0], [100.0, 40.0, 330.0]);
    let mut parts = vec![
        part(
            "engine block",
            primitives::block_with_pocket(&block, &pocket),
        ),
        part(
            "battery",
            primitives::cuboid(&aabb([230.0, 60.0, 120.0], [400.0, 240.0, 320.0])),
        ),
        part(
            "alternator",
            round([250.0, -160.0, 180.0], [0.0, 120.0, 0.0], 60.0),
        ),
        part(
            "reservoir",
            round([-330.0, 150.0, 120.0], [0.0, 0.0, 180.0], 50.0),
        ),
        part("firewall", firewall()),
        part("bracket", bracket()),
    ];
    for (k, x) in [-135.0, -45.0, 45.0, 135.0].into_iter().enumerate() {
        let line = [
            [x, 115.0, 290.0],
            [x, 190.0, 300.0],
            [x, 230.0, 230.0],
            [x, 250.0, 120.0],
        ];
        parts.push(part(
            &format!("runner {}", k + 1),
            pipe(&line, 18.0, 60, 48),
        ));
    }
    let hose = [
        [-175.0, -150.0, 220.0],
        [-300.0, -140.0, 260.0],
        [-330.0, 0.0, 330.0],
        [-330.0, 150.0, 320.0],
    ];
    parts.push(part("coolant hose", pipe(&hose, 20.0, 80, 48)));
    for (k, x) in [-300.0, 200.0, 320.0].into_iter().enumerate() {
        let rib = aabb([x - 3.0, 320.0, 100.0], [x + 3.0, 350.0, 500.0]);
        parts.push(part(&format!("rib {}", k + 1), primitives::cuboid(&rib)));
    }
    parts
}

fn round(bottom: [f64; 3], axis: [f64; 3], radius: f64) -> TriMesh {
    primitives::cylinder(&bottom.into(), &axis.into(), radius, 72, 40)
}

/// A sheet across the car with a hole for the harness.
fn firewall() -> TriMesh {
    primitives::sheet_with_hole(
        &Vec3::new(-450.0, 350.0, 50.0),
        &Vec3::new(900.0, 0.0, 0.0),
        &Vec3::new(0.0, 0.0, 550.0),
        [390.0, 370.0],
        16.0,
        48,
    )
}

/// An open, thin sheet with a hole, level above the engine.
fn bracket() -> TriMesh {
    primitives::sheet_with_hole(
        &Vec3::new(120.0, -80.0, 390.0),
        &Vec3::new(110.0, 0.0, 0.0),
        &Vec3::new(0.0, 120.0, 0.0),
        [55.0, 60.0],
        12.0,
        32,
    )
}

/// A bent pipe along the Bezier curve of four points.
fn pipe(control: &[[f64; 3]; 4], radius: f64, n: usize, n_sides: usize) -> TriMesh {
    primitives::tube(&bezier(control.map(Vec3::from), n), radius, n_sides)
}

/// The centerlines of the harness, as they truly are: the trunk first.
pub fn true_branches() -> Vec<TrueBranch> {
    // Two Bezier curves with a common tangent; the second ends straight, through the hole.
    let join = Vec3::new(-190.0, 60.0, 450.0);
    let tangent = Vec3::new(45.0, 90.0, 0.0);
    let first = [
        Vec3::new(-380.0, -300.0, 430.0),
        Vec3::new(-330.0, -200.0, 460.0),
        join - tangent,
        join,
    ];
    let second = [
        join,
        join + tangent,
        Vec3::new(-60.0, 240.0, 420.0),
        Vec3::new(-60.0, 420.0, 420.0),
    ];
    let mut points = bezier(first, N_POINTS);
    points.extend(bezier(second, N_POINTS).into_iter().skip(1));
    let lengths = points.windows(2).map(|w| (w[1] - w[0]).norm());
    let length: f64 = lengths.clone().sum();
    let mut branches = Vec::new();
    for (name, share, [control, end], radius) in BRANCHES {
        let mut left = share * length;
        let edge = lengths.clone().position(|l| {
            left -= l;
            left <= 0.0
        });
        let edge = edge.unwrap_or(points.len() - 2);
        let start = points[edge + 1];
        let (control, end) = (Vec3::from(control), Vec3::from(end));
        let out = start + (control - start) * 0.5;
        branches.push(TrueBranch {
            name,
            points: bezier([start, out, control, end], N_POINTS),
            radius,
        });
    }
    branches.insert(
        0,
        TrueBranch {
            name: "trunk",
            points,
            radius: TRUNK_RADIUS,
        },
    );
    branches
}
