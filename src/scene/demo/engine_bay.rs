//! An engine bay with a tessellated harness: the scene of the first start, and of tests and benchmarks.
//!
//! x to the left side of the car, y to the back (firewall at y = 350), z up. The harness hangs free above the rest and
//! leaves through a hole in the firewall.

use super::{aabb, hanging_cable, part};
use crate::geom::{Pose, Rotation, Vec3, rotation_along};
use crate::mesh::{TriMesh, primitives};
use crate::scene::{Part, PartRole, Scene};

/// Sides of the harness's tubes.
const N_SIDES: usize = 20;
/// Points on the centerline of each of its branches.
const N_POINTS: usize = 60;

/// One branch of the harness as it truly is.
pub struct TrueBranch {
    /// Its name: `trunk`, `b1` and so on.
    pub name: &'static str,
    /// Points of the centerline; a branch starts on that of the trunk.
    pub points: Vec<Vec3>,
    /// mm.
    pub radius: f64,
}

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
    let mut loom = part("harness", harness());
    loom.role = PartRole::Harness;
    loom.color = Some([40, 44, 52]);
    scene.parts.push(loom);
    scene.cables.push(ground_strap());
    scene
}

/// A cable of 640 mm along y, over alternator and battery.
fn ground_strap() -> crate::scene::Cable {
    let mut cable = hanging_cable(640.0, 500.0, 0.0);
    let placed = Pose {
        position: Vec3::new(300.0, -270.0, 520.0),
        rotation: Rotation::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2),
    };
    "ground strap".clone_into(&mut cable.name);
    for handle in &mut cable.handles {
        handle.pose = placed.compose(&handle.pose);
    }
    if let Some(shape) = &mut cable.shape {
        shape
            .points
            .iter_mut()
            .for_each(|p| *p = placed.transform(p));
        shape
            .frames
            .iter_mut()
            .for_each(|f| *f = placed.rotation * *f);
        for clamp in shape.clamps.iter_mut().flatten() {
            *clamp = placed.compose(clamp);
        }
    }
    cable
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

fn bezier([a, b, c, d]: [Vec3; 4], n: usize) -> Vec<Vec3> {
    let at = |i: usize| {
        let t = i as f64 / n as f64;
        let u = 1.0 - t;
        a * (u * u * u) + b * (3.0 * u * u * t) + c * (3.0 * u * t * t) + d * (t * t * t)
    };
    (0..=n).map(at).collect()
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

/// The tessellated harness: closed shells that touch, with a connector at each end.
fn harness() -> TriMesh {
    let mut shells = Vec::new();
    for (k, branch) in true_branches().iter().enumerate() {
        let mut points = branch.points.clone();
        if k > 0 {
            // A branch is modelled from just inside the trunk's surface.
            let start = points[0];
            points.retain(|p| (p - start).norm() > TRUNK_RADIUS - 1.0);
        }
        shells.push(primitives::tube(&points, branch.radius, N_SIDES));
        let n = points.len();
        let mut ends = vec![(points[n - 1], points[n - 1] - points[n - 2])];
        if k == 0 {
            ends.push((points[0], points[0] - points[1]));
        }
        shells.extend(
            ends.iter()
                .map(|(at, out)| connector(at, out, branch.radius)),
        );
    }
    joined(&shells)
}

/// A box at the end of a branch, turned along it.
fn connector(at: &Vec3, out: &Vec3, radius: f64) -> TriMesh {
    let half = 1.8 * radius;
    let shell = primitives::cuboid(&aabb([-half, -half, -1.0], [half, half, 4.0 * radius]));
    let placed = Pose {
        position: *at,
        rotation: rotation_along(out).unwrap_or_else(Rotation::identity),
    };
    let vertices = shell.vertices().iter().map(|v| placed.transform(v));
    TriMesh::new(vertices.collect(), shell.triangles().to_vec()).unwrap_or(shell)
}

fn joined(shells: &[TriMesh]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for shell in shells {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(shell.vertices());
        triangles.extend(shell.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    TriMesh::new(vertices, triangles).expect("a mesh made by code is valid")
}
