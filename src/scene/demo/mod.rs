//! Scenes made by code: the demo of the first start, and one scene for each kind of obstacle.

mod control_unit;
mod engine_bay;
mod harness;
mod loom;
mod papers;
mod routed_bay;
mod shapes;

pub use engine_bay::true_branches;
pub use loom::TrueBranch;

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};

use super::{Cable, CableSection, Handle, HandlePlace, Part, Scene, Shape};
use crate::geom::{Aabb, Pose, Rotation, Vec3};
use crate::mesh::{TriMesh, primitives};

/// What [`demo`] knows.
pub fn names() -> [&'static str; 11] {
    [
        "engine-bay",
        "routed-bay",
        "harness",
        "drag",
        "pocket",
        "sheet",
        "box",
        "cylinder",
        "grommet",
        "crossing",
        "control-unit",
    ]
}

/// Figures of the papers, which [`demo`] knows too (docs/gallery.md).
pub fn figures() -> [&'static str; 6] {
    [
        "trefoil",
        "perversion",
        "plectonemes",
        "pendulum",
        "radii",
        "tree",
    ]
}

/// The scene of that name.
///
/// * `engine-bay`: an engine bay of about 50 000 triangles with a tessellated harness to make flexible, and a cable
///   to drag.
/// * `routed-bay`: the scene of the first start: an engine bay of about 60 000 triangles with a routed harness,
///   connectors, clips and a hose. Drag the control unit out: its harness follows until the ground cable is too short.
/// * `harness`: a small tessellated harness of two branches over a block, and a cable beside it.
/// * `drag`: a block with a pocket under the cable, a sheet with a hole behind the end handle, a post beside it.
///   Lower the end handle and the cable sinks into the pocket; pull it along x and it threads the hole; lift it
///   and it lies over the sheet's edge; move it along y and it wraps round the post.
/// * `grommet`: a plate of 1 mm with a hole that is 0.2 mm wider than the cable all round, in front of its end handle.
///   Pull the handle along x and it threads the hole.
/// * `crossing`: two cables, one hanging across the other. Lower the handles of `above` and it lies on `below`.
/// * `control-unit`: a control unit on a tray, its three cables plugged in over a manifold; the ground cable is too short
///   to take it out.
/// * `pocket`, `sheet`, `box`, `cylinder`: one part, 27 mm under a hanging cable of 1 m.
/// * `trefoil`: a loose knot. Roll an end, and it changes its shape, until it jumps.
/// * `perversion`: a coil pulled straight. Bring its ends together, and its halves wind opposite ways.
/// * `plectonemes`: a hanging rope. Roll an end turn by turn, and it winds round itself.
/// * `pendulum`: a weight on a rope. Roll the rope, and the weight turns; roll it far, and the rope lifts it.
/// * `radii`: the same cable, half and twice as thick.
/// * `tree`: a tree of 81 branches.
pub fn demo(name: &str) -> Option<Scene> {
    let scene = match name {
        "engine-bay" => engine_bay::engine_bay(),
        "routed-bay" => routed_bay::routed_bay(),
        "harness" => harness::harness(),
        "drag" => drag(),
        "grommet" => grommet(),
        "crossing" => crossing(),
        "control-unit" => control_unit::control_unit(),
        "trefoil" => papers::trefoil(),
        "perversion" => papers::perversion(),
        "plectonemes" => papers::plectonemes(),
        "pendulum" => papers::pendulum(),
        "radii" => papers::radii(),
        "tree" => papers::tree(),
        "pocket" => under_a_metre("block", {
            let block = aabb([280.0, -80.0, 0.0], [520.0, 80.0, 100.0]);
            let pocket = aabb([330.0, -40.0, 25.0], [470.0, 40.0, 100.0]);
            primitives::block_with_pocket(&block, &pocket)
        }),
        "sheet" => under_a_metre(
            "sheet",
            upright_sheet(400.0, 150.0, [-150.0, 100.0], 0.0, 30.0),
        ),
        "box" => under_a_metre(
            "box",
            primitives::cuboid(&aabb([350.0, -100.0, 0.0], [450.0, 100.0, 100.0])),
        ),
        // 72 facets in 34 rings and two caps: 5040 triangles.
        "cylinder" => under_a_metre(
            "cylinder",
            primitives::cylinder(
                &Vec3::new(400.0, -100.0, 60.0),
                &Vec3::new(0.0, 200.0, 0.0),
                40.0,
                72,
                34,
            ),
        ),
        _ => return None,
    };
    Some(scene)
}

fn drag() -> Scene {
    let block = aabb([140.0, -70.0, 0.0], [440.0, 70.0, 100.0]);
    let pocket = aabb([200.0, -35.0, 20.0], [380.0, 35.0, 100.0]);
    let post = primitives::cylinder(
        &Vec3::new(280.0, 170.0, 0.0),
        &Vec3::new(0.0, 0.0, 320.0),
        40.0,
        48,
        8,
    );
    Scene {
        parts: vec![
            part("block", primitives::block_with_pocket(&block, &pocket)),
            part(
                "sheet",
                upright_sheet(640.0, 150.0, [0.0, 520.0], 440.0, 35.0),
            ),
            part("cylinder", post),
        ],
        cables: vec![hanging_cable(900.0, 560.0, 440.0)],
        ..Scene::default()
    }
}

fn grommet() -> Scene {
    let hole = upright_sheet(620.0, 100.0, [340.0, 540.0], 440.0, 3.2);
    let mut cable = hanging_cable(900.0, 560.0, 440.0);
    cable.radius = 3.0;
    Scene {
        parts: vec![part(
            "plate",
            primitives::thickened(&hole, &(Vec3::x() * -1.0)),
        )],
        cables: vec![cable],
        ..Scene::default()
    }
}

fn crossing() -> Scene {
    let below = Cable {
        name: "below".to_owned(),
        ..hanging_cable(1000.0, 800.0, 400.0)
    };
    let mut above = Cable {
        name: "above".to_owned(),
        ..hanging_cable(700.0, 600.0, 500.0)
    };
    // A quarter turn, and across the middle of the other.
    let across = Pose {
        position: Vec3::new(400.0, -300.0, 0.0),
        rotation: Rotation::from_axis_angle(&Vec3::z_axis(), FRAC_PI_2),
    };
    for handle in &mut above.handles {
        handle.pose = across.compose(&handle.pose);
    }
    if let Some(shape) = &mut above.shape {
        for point in &mut shape.points {
            *point = across.transform(point);
        }
        for frame in &mut shape.frames {
            *frame = across.rotation * *frame;
        }
        shape.clamps = shape
            .clamps
            .map(|clamp| clamp.map(|pose| across.compose(&pose)));
    }
    Scene {
        cables: vec![below, above],
        ..Scene::default()
    }
}

/// One part, and a cable of 1 m that hangs over it with 0.8 m between its handles.
fn under_a_metre(name: &str, mesh: TriMesh) -> Scene {
    Scene {
        parts: vec![part(name, mesh)],
        cables: vec![hanging_cable(1000.0, 800.0, 400.0)],
        ..Scene::default()
    }
}

/// A sheet in the plane of that `x`, `half_width` to both sides of y = 0, with a hole at y = 0 and height `hole_z`.
fn upright_sheet(x: f64, half_width: f64, z: [f64; 2], hole_z: f64, hole_radius: f64) -> TriMesh {
    primitives::sheet_with_hole(
        &Vec3::new(x, -half_width, z[0]),
        &Vec3::new(0.0, 2.0 * half_width, 0.0),
        &Vec3::new(0.0, 0.0, z[1] - z[0]),
        [half_width, hole_z - z[0]],
        hole_radius,
        48,
    )
}

fn aabb(min: [f64; 3], max: [f64; 3]) -> Aabb {
    Aabb {
        min: Vec3::from(min),
        max: Vec3::from(max),
    }
}

fn part(name: &str, mesh: TriMesh) -> Part {
    Part::new(name, mesh)
}

/// A cable that hangs between two level handles, both with d3 along x.
fn hanging_cable(length: f64, span: f64, height: f64) -> Cable {
    const N_EDGES: usize = 100;
    let edge_length = length / N_EDGES as f64;
    let angles = hanging_angles(N_EDGES, span / length);
    let mut points = vec![Vec3::new(0.0, 0.0, height)];
    for angle in &angles {
        let (sin, cos) = angle.sin_cos();
        let last = points[points.len() - 1];
        points.push(last + Vec3::new(cos, 0.0, -sin) * edge_length);
    }
    // The last node is the end handle to the last bit.
    points[N_EDGES] = Vec3::new(span, 0.0, height);
    let clamps = [points[0], points[N_EDGES]].map(|position| Pose {
        position,
        rotation: pitched(0.0),
    });
    let section = CableSection {
        bending: 1500.0,
        bending2: None,
        torsion: 1100.0,
        axial: 1e4,
        mass_kg_m: 0.05,
    };
    let mut cable = Cable::new("cable", 4.0, length, section);
    cable.n_edges = N_EDGES;
    cable.handles = vec![
        Handle::at_end(HandlePlace::Start, clamps[0]),
        Handle::at_end(HandlePlace::End, clamps[1]),
    ];
    cable.shape = Some(Shape {
        points,
        frames: angles.iter().map(|&angle| pitched(angle)).collect(),
        turns: vec![0; N_EDGES + 1],
        clamps: clamps.map(Some),
        rolls: BTreeMap::new(),
        memory: None,
    });
    cable
}

/// The cable under another name at another place.
fn placed(mut cable: Cable, name: &str, pose: &Pose) -> Cable {
    name.clone_into(&mut cable.name);
    for handle in &mut cable.handles {
        handle.pose = pose.compose(&handle.pose);
    }
    if let Some(shape) = &mut cable.shape {
        for p in &mut shape.points {
            *p = pose.transform(p);
        }
        for frame in &mut shape.frames {
            *frame = pose.rotation * *frame;
        }
        for clamp in shape.clamps.iter_mut().flatten() {
            *clamp = pose.compose(clamp);
        }
    }
    cable
}

/// The frame whose d3 points along x, lowered by `angle`.
fn pitched(angle: f64) -> Rotation {
    Rotation::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2 + angle)
}

/// Angles below the horizon of the edges of a hanging cable: A sin(2 pi s / L), level at both ends, with A such that
/// the ends are `reach` of the length apart. Close to the true shape of a heavy cable between level clamps.
fn hanging_angles(n_edges: usize, reach: f64) -> Vec<f64> {
    let shape = |amplitude: f64| {
        (0..n_edges).map(move |i| amplitude * (2.0 * PI * (i as f64 + 0.5) / n_edges as f64).sin())
    };
    let reach_of = |amplitude: f64| shape(amplitude).map(f64::cos).sum::<f64>() / n_edges as f64;
    // The reach falls from 1 at 0 to 0 at 2.4 (the first zero of the Bessel function J0): bisect to the last bit.
    let (mut low, mut high) = (0.0, 2.4);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if reach_of(middle) > reach {
            low = middle;
        } else {
            high = middle;
        }
    }
    shape(low).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance from a point to a box; 0 inside.
    fn distance(aabb: &Aabb, p: &Vec3) -> f64 {
        let outside = (aabb.min - p).sup(&(p - aabb.max)).sup(&Vec3::zeros());
        outside.norm()
    }

    #[test]
    fn every_demo_starts_clear_of_its_parts_and_of_its_length() {
        // Those with one cable, along x.
        for name in names().iter().filter(|n| {
            !matches!(
                **n,
                "engine-bay" | "routed-bay" | "harness" | "crossing" | "control-unit"
            )
        }) {
            let scene = demo(name).unwrap();
            let cable = scene.cable("cable").unwrap();
            let shape = cable.shape.as_ref().unwrap();
            for part in &scene.parts {
                let aabb = part.mesh().aabb();
                let clearance = shape
                    .points
                    .iter()
                    .map(|p| distance(&aabb, p) - cable.radius)
                    .fold(f64::INFINITY, f64::min);
                assert!(
                    (15.0..150.0).contains(&clearance),
                    "{name}, {}: {clearance}",
                    part.name
                );
            }
            for (i, pair) in shape.points.windows(2).enumerate() {
                let edge = pair[1] - pair[0];
                let h = cable.length / cable.n_edges as f64;
                assert!((edge.norm() - h).abs() < 1e-9 * h);
                let d3 = shape.frames[i] * Vec3::z();
                assert!((edge / h - d3).norm() < 1e-9);
            }
            for handle in &cable.handles {
                assert!((handle.pose.rotation * Vec3::z() - Vec3::x()).norm() < 1e-15);
            }
        }
        assert_eq!(
            demo("cylinder").unwrap().parts[0].mesh().triangles().len(),
            5040
        );
        assert_eq!(demo("nothing"), None);
    }

    #[test]
    fn the_small_harness_is_a_trunk_in_two_pieces_and_a_branch() {
        let scene = demo("harness").unwrap();
        let mesh = scene.part("harness").unwrap().mesh();
        let settings = crate::centerline::Settings::default();
        let graph = crate::centerline::extract(mesh, &settings, &|_| true).unwrap();
        assert_eq!((graph.nodes.len(), graph.branches.len()), (4, 3));
    }

    #[test]
    fn the_engine_bay_is_as_large_as_it_says_and_its_harness_is_found() {
        let scene = demo("engine-bay").unwrap();
        let n_triangles: usize = (scene.parts.iter())
            .filter(|p| p.role.collides())
            .map(|p| p.mesh().triangles().len())
            .sum();
        assert!((40_000..60_000).contains(&n_triangles), "{n_triangles}");
        let simulation = crate::scene::Simulation::new(scene.clone()).unwrap();
        assert_eq!(simulation.overlaps(), [], "the cable starts clear");

        let harness = scene.part("harness").unwrap().mesh();
        let settings = crate::centerline::Settings::default();
        let graph = crate::centerline::extract(harness, &settings, &|_| true).unwrap();
        // The trunk in six pieces between five junctions, and five branches.
        assert_eq!((graph.nodes.len(), graph.branches.len()), (12, 11));
        for branch in true_branches() {
            let inside = &branch.points[10..branch.points.len() - 3];
            for point in inside {
                let found = graph.project(point).unwrap();
                assert!(
                    found.distance < 0.1 * branch.radius,
                    "{}: {} mm off",
                    branch.name,
                    found.distance
                );
            }
        }
        // Made flexible, it is free of every part.
        let mut flexible = scene;
        let command = crate::scene::Command::Flexibilise {
            part: "harness".to_owned(),
            with: Vec::new(),
            rest: crate::scene::flexibilise::RestChoice::Preformed,
            branches: Vec::new(),
            from: None,
            to: None,
            material: None,
            graph: Some(std::sync::Arc::new(graph)),
        };
        command.apply(&mut flexible).unwrap();
        assert_eq!(flexible.cables.len(), 12);
        assert_eq!(flexible.junctions.len(), 5);
        let mut simulation = crate::scene::Simulation::new(flexible).unwrap();
        assert_eq!(simulation.overlaps(), []);
        let entries = crate::scene::Command::ExcludeEntries;
        simulation.apply(&entries).unwrap();
        let list = simulation.start_contacts();
        assert!(list.iter().all(|c| !c.reason.is_inside()), "{list:?}");
    }

    #[test]
    fn the_routed_bay_is_as_large_as_it_says_and_rests_clear() {
        let scene = demo("routed-bay").unwrap();
        let n_triangles = scene.parts.iter().map(|p| p.mesh().triangles().len());
        let n_triangles: usize = n_triangles.sum();
        assert!((45_000..90_000).contains(&n_triangles), "{n_triangles}");
        // Three at which branches meet, and the control unit.
        assert_eq!((scene.junctions.len(), scene.harnesses.len()), (4, 1));
        assert_eq!(scene.harnesses[0].segments.len(), 7);
        let mut simulation = crate::scene::Simulation::new(scene).unwrap();
        simulation
            .apply(&crate::scene::Command::ExcludeEntries)
            .unwrap();
        let list = simulation.start_contacts();
        assert!(list.iter().all(|c| !c.reason.is_inside()), "{list:?}");
        let cancel = crate::solve::CancelToken::default();
        for report in simulation.solve_quietly(&cancel).iter() {
            let status = report.report.status;
            assert_eq!(status, crate::solve::Status::Converged, "{}", report.cable);
        }
    }

    #[test]
    fn every_demo_survives_its_file() {
        let dir = tempfile::tempdir().unwrap();
        for name in names().into_iter().chain(figures()) {
            let path = dir.path().join(name);
            let scene = demo(name).unwrap();
            crate::scene::file::save(&scene, &path).unwrap();
            assert_eq!(crate::scene::file::load(&path), Ok((scene, vec![])));
        }
    }
}
