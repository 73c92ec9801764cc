//! A harness in several parts becomes one, and as designed nothing of it moves.

use super::*;
use crate::geom::Aabb;
use crate::scene::{HandleKind, HandlePlace};
use crate::solve::Status;

/// A trunk in two pieces with a branch, a sleeve on it, a bracket that it runs through and a connector at its end.
fn assembly() -> Scene {
    let line = |a: Vec3, b: Vec3| move |t: f64| a.lerp(&b, t);
    let p = |x: f64, y: f64| Vec3::new(x, y, 0.0);
    let bracket = primitives::sheet_with_hole(
        &Vec3::new(120.0, -20.0, -20.0),
        &(Vec3::y() * 40.0),
        &(Vec3::z() * 40.0),
        [20.0, 20.0],
        5.4,
        24,
    );
    let connector = Aabb {
        min: Vec3::new(398.0, -12.0, -8.0),
        max: Vec3::new(430.0, 12.0, 8.0),
    };
    let meshes = [
        (
            "trunk 1",
            tube(line(p(0.0, 0.0), p(200.0, 0.0)), 10, 5.0, 20),
        ),
        (
            "trunk 2",
            tube(line(p(200.0, 0.0), p(400.0, 0.0)), 10, 5.0, 20),
        ),
        (
            "branch",
            tube(line(p(200.0, 0.0), p(200.0, 160.0)), 10, 3.0, 16),
        ),
        (
            "sleeve",
            tube(line(p(280.0, 0.0), p(340.0, 0.0)), 4, 6.0, 20),
        ),
        (
            "bracket",
            primitives::thickened(&bracket, &(Vec3::x() * -4.0)),
        ),
        ("plug", primitives::cuboid(&connector)),
    ];
    let parts = meshes.map(|(name, mesh)| {
        let mut part = Part::new(name, mesh);
        part.role = PartRole::Harness;
        part
    });
    Scene {
        parts: parts.to_vec(),
        ..Scene::default()
    }
}

fn together(scene: &mut Scene, rest: RestChoice) {
    let mut names = scene.parts.iter().map(|p| p.name.clone());
    let command = Command::Flexibilise {
        part: names.next().unwrap(),
        with: names.collect(),
        branches: Vec::new(),
        from: None,
        to: None,
        material: None,
        rest,
        graph: None,
    };
    command.apply(scene).unwrap();
}

/// Largest motion of a node of any cable when the scene is solved, mm, and whether all came to rest.
fn moved(scene: &Scene) -> (f64, bool) {
    let mut simulation = Simulation::new(scene.clone()).unwrap();
    let reports = simulation.solve_quietly(&CancelToken::default());
    let rest = reports.iter().all(|r| r.report.status == Status::Converged);
    let after = simulation.scene();
    let pairs = scene.cables.iter().zip(&after.cables);
    let most = pairs.flat_map(|(a, b)| {
        let (a, b) = (a.shape.as_ref().unwrap(), b.shape.as_ref().unwrap());
        let all = a.points.iter().zip(&b.points);
        all.map(|(p, q)| (p - q).norm()).collect::<Vec<_>>()
    });
    (most.fold(0.0, f64::max), rest)
}

#[test]
fn several_parts_become_one_harness_with_handles_in_its_brackets() {
    let before = assembly();
    let mut scene = before.clone();
    together(&mut scene, RestChoice::Preformed);
    let names: Vec<&str> = scene.cables.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(
        names.contains(&"branch") && names.contains(&"trunk 1"),
        "{names:?}"
    );
    assert_eq!(scene.junctions.len(), 1);
    assert_eq!(scene.junctions[0].ends.len(), 3);
    assert_eq!(scene.harnesses.len(), 1);
    let parts: Vec<&str> = scene.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(parts, ["bracket", "plug"], "the sleeve is skin now");
    assert_same_surface(&before, &scene);

    let held = |part: &str| {
        let all = scene.cables.iter().flat_map(|c| &c.handles);
        let own = all.filter(|h| h.attached_to.as_deref() == Some(part));
        own.collect::<Vec<_>>()
    };
    let [clip] = held("bracket")[..] else {
        panic!("{:?}", held("bracket"));
    };
    assert_eq!(clip.kind, HandleKind::Direction);
    assert!(matches!(clip.place, HandlePlace::At(_)));
    assert!((clip.pose.position - Vec3::new(118.0, 0.0, 0.0)).norm() < 1.0);
    let [end] = held("plug")[..] else {
        panic!("{:?}", held("plug"));
    };
    assert_ne!(end.place, HandlePlace::At(0.0));
    assert!((end.pose.position - Vec3::new(400.0, 0.0, 0.0)).norm() < 1.0);
    // Weightless it stays: neither the bracket nor the plug presses on it.
    scene.gravity = Vec3::zeros();
    let (most, rest) = moved(&scene);
    assert!(rest && most < 0.01, "moved by {most} mm");
}

#[test]
fn as_designed_nothing_moves_under_gravity() {
    let mut preformed = assembly();
    together(&mut preformed, RestChoice::Preformed);
    let (sag, _) = moved(&preformed);
    assert!(sag > 0.02, "it sags by {sag} mm when it is only moulded");

    let mut scene = assembly();
    together(&mut scene, RestChoice::AsDesigned);
    assert!(preformed.junctions.iter().all(|j| j.free), "they follow");
    assert!(scene.junctions.iter().all(|j| !j.free), "they are held");
    assert!(scene.cables.iter().all(|c| c.as_designed().is_some()));
    let (most, rest) = moved(&scene);
    assert!(rest && most < 1e-4, "moved by {most} mm");
    // Lengths are those of the import but for the stretch that the weight brings.
    for (a, b) in scene.cables.iter().zip(&preformed.cables) {
        assert!((a.length - b.length).abs() < 1e-4 * b.length);
    }
    // It survives its file.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.json");
    crate::scene::file::save(&scene, &path).unwrap();
    let (opened, _) = crate::scene::file::load(&path).unwrap();
    for (a, b) in opened.cables.iter().zip(&scene.cables) {
        assert_eq!(a.rest, b.rest);
    }
    assert!(moved(&opened).0 < 1e-4);
}

#[test]
fn as_designed_holds_a_bent_hose_or_says_that_it_is_too_soft() {
    for material in ["Signal bundle, taped", "EPDM coolant hose"] {
        for scale in [1.0, 20.0] {
            let mut scene = hose();
            scene.gravity = Vec3::new(0.0, 3.0, -9.81) * scale;
            let command = Command::Flexibilise {
                part: "loom".to_owned(),
                with: Vec::new(),
                branches: Vec::new(),
                from: None,
                to: None,
                material: Some(material.to_owned()),
                rest: RestChoice::AsDesigned,
                graph: None,
            };
            command.apply(&mut scene).unwrap();
            let Some(said) = scene.cables[0].as_designed() else {
                // Under twenty times its weight a taped bundle is a rope.
                assert!(scale > 1.0, "{material} is held under its own weight");
                assert!(moved(&scene).0 > 1.0);
                continue;
            };
            let (most, rest) = moved(&scene);
            assert!(
                rest && most < 1e-3,
                "{material}, {scale} g: moved by {most} mm"
            );
            assert!(
                said.straight_moves_mm.is_some_and(|mm| mm > 1.0),
                "{said:?}"
            );
        }
    }
}

/// A cable between two boxes that are one solid with it.
fn cable_with_connectors() -> Scene {
    const N: u32 = 16;
    let (length, radius) = (300.0, 4.0);
    let mut vertices = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for i in 0..=10_u32 {
        for k in 0..N {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(N)).sin_cos();
            let x = length * f64::from(i) / 10.0;
            vertices.push(Vec3::new(x, radius * cos, radius * sin));
        }
    }
    for i in 0..10 {
        for k in 0..N {
            let [a, b] = [i * N + k, i * N + (k + 1) % N];
            triangles.extend([[a, b, a + N], [b, b + N, a + N]]);
        }
    }
    for (ring, x, far) in [(0, 0.0, -25.0), (10 * N, length, length + 25.0)] {
        let first = vertices.len() as u32;
        for x in [x, far] {
            for (y, z) in [(9.0, 7.0), (-9.0, 7.0), (-9.0, -7.0), (9.0, -7.0)] {
                vertices.push(Vec3::new(x, y, z));
            }
        }
        for quarter in 0..4 {
            let (corner, next) = (first + quarter, first + (quarter + 1) % 4);
            for k in quarter * N / 4..(quarter + 1) * N / 4 {
                triangles.push([corner, ring + k, ring + (k + 1) % N]);
            }
            triangles.push([corner, ring + (quarter + 1) * N / 4 % N, next]);
            triangles.extend([[corner, next, corner + 4], [next, next + 4, corner + 4]]);
        }
        triangles.extend([
            [first + 4, first + 5, first + 6],
            [first + 4, first + 6, first + 7],
        ]);
    }
    scene_of(TriMesh::new(vertices, triangles).unwrap())
}

#[test]
fn connectors_that_are_one_solid_with_the_cable_are_cut_off_whole() {
    let before = cable_with_connectors();
    let mut scene = before.clone();
    together(&mut scene, RestChoice::AsDesigned);
    assert_same_surface(&before, &scene);
    let names: Vec<&str> = scene.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["loom connector", "loom connector 2"]);
    // Each has its faces with the one that the cable comes out of: 2 for each of five, and 20 round the hole.
    for part in &scene.parts {
        assert_eq!(part.mesh().triangles().len(), 30, "{}", part.name);
    }
    let [cable] = &scene.cables[..] else {
        panic!("{} cables", scene.cables.len());
    };
    let held: Vec<&str> = (cable.handles.iter())
        .filter_map(|h| h.attached_to.as_deref())
        .collect();
    assert_eq!(held, ["loom connector", "loom connector 2"]);
    let (most, rest) = moved(&scene);
    assert!(rest && most < 1e-4, "moved by {most} mm");
}
