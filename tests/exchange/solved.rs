//! Routes of solved scenes: curve and cable are equally long.

use loomwright::exchange::{Format, OFF_SHOWN, RouteOptions, SceneRoutesError};
use loomwright::geom::{Pose, Vec3, rotation_along};
use loomwright::scene::demo::{demo, names};
use loomwright::scene::{Cable, Handle, HandleKind, HandlePlace, Harness, Piece, Scene, Segment};

use super::formats::{export, options, routes_of};

#[test]
fn curves_are_as_long_as_their_cables_in_every_demo() {
    for name in names() {
        let scene = demo(name).unwrap();
        let routes = routes_of(&scene, &[], &RouteOptions::default()).unwrap();
        let mut n_refined = 0;
        for route in routes {
            let solve = route.solve.unwrap();
            assert!(solve.converged, "{name}");
            assert!(
                (route.length - route.cable_length).abs() <= 0.01,
                "{name}: {route:?}"
            );
            assert!(route.deviation <= 0.01);
            // What is nearly straight is long enough on its own grid.
            if let Some(error) = solve.error_estimate {
                // Two branches of the routed bay leave their junction side by side, and press on each other just beyond where
                // they may overlap, more with every finer grid: such a route must be told to lie off what is shown.
                let told = name == "routed-bay" && solve.off_shown > Some(OFF_SHOWN);
                assert!(error < OFF_SHOWN || told, "{name}: {solve:?}");
                assert!(solve.n_edges > 40, "{name}: {}", solve.n_edges);
                n_refined += 1;
            }
        }
        assert!(n_refined > 0, "{name}");
    }
}

#[test]
fn the_report_bounds_the_errors_of_shape_and_forces_with_the_second_model_in_it() {
    let scene = demo("drag").unwrap();
    let routes = routes_of(&scene, &[], &RouteOptions::default()).unwrap();
    let solve = routes[0].solve.unwrap();
    let (bars, left) = (solve.bars.unwrap(), solve.error_estimate.unwrap());
    assert!(bars.holds, "{bars:?}");
    // The same error by another way: what the last refinement changed.
    assert!(
        bars.shape_mm > left && bars.shape_mm < 6.0 * left,
        "{bars:?}, {left}"
    );
    let other = bars.second_model_off_mm.unwrap();
    assert!(other > 0.0 && other < bars.shape_mm, "{bars:?}");
    assert!(bars.force_n > 0.0 && bars.force_n < 1e-3, "{bars:?}");
    assert!(bars.moment_n_mm > 0.0 && bars.moment_n_mm < 0.5, "{bars:?}");
}

#[test]
fn an_unknown_cable_and_an_empty_scene_are_refused() {
    let mut scene = demo("drag").unwrap();
    let error = routes_of(&scene, &["W9".into()], &RouteOptions::default()).unwrap_err();
    assert!(
        error.to_string().contains("\"W9\"") && error.to_string().contains("\"cable\""),
        "{error}"
    );
    scene.cables.clear();
    let error = routes_of(&scene, &[], &RouteOptions::default()).unwrap_err();
    assert!(matches!(error, SceneRoutesError::NoCables));
}

fn held(position: Vec3, direction: Vec3) -> Pose {
    Pose {
        position,
        rotation: rotation_along(&direction).unwrap(),
    }
}

/// A cable of 250 mm between two places, both held along x.
fn cable(name: &str, from: Vec3, to: Vec3) -> Cable {
    let section = demo("drag").unwrap().cables[0].section;
    let mut cable = Cable::new(name, 3.0, 250.0, section);
    cable.n_edges = 50;
    cable.handles = vec![
        Handle::at_end(HandlePlace::Start, held(from, Vec3::x())),
        Handle::at_end(HandlePlace::End, held(to, Vec3::x())),
    ];
    cable
}

#[test]
fn segments_of_a_harness_are_joined_from_node_to_node() {
    let (a, b) = (Vec3::new(100.0, 0.0, 0.0), Vec3::new(320.0, 30.0, 0.0));
    let rigid = |from: Vec3, to: Vec3| {
        let points = (0..=5)
            .map(|i| from + (to - from) * (f64::from(i) / 5.0))
            .collect();
        Piece::Rigid {
            part: None,
            points,
            radii: vec![3.1; 6],
        }
    };
    let node = Vec3::new(400.0, 30.0, 0.0);
    let far = node + Vec3::new(0.3, 1.0, 0.2).normalize() * 80.0;
    let segment = |name: &str, start, end, pieces| Segment {
        name: name.into(),
        start,
        end,
        pieces,
    };
    let flexible = Piece::Flexible {
        cable: "flex".into(),
    };
    let mut scene = Scene {
        cables: vec![
            cable("flex", a, b),
            cable("own", a + Vec3::y() * 99.0, b + Vec3::y() * 99.0),
        ],
        ..Scene::default()
    };
    scene.harnesses = vec![Harness {
        name: "H".into(),
        space: loomwright::mesh::import::SourceSpace::default(),
        nodes: Vec::new(),
        segments: vec![
            segment(
                "S1",
                0,
                1,
                vec![rigid(Vec3::zeros(), a), flexible, rigid(b, node)],
            ),
            // The same node, but for a rounding.
            segment("S2", 1, 2, vec![rigid(node + Vec3::x() * 1e-13, far)]),
        ],
    }];
    let routes = routes_of(&scene, &[], &RouteOptions::default()).unwrap();
    let names: Vec<_> = routes.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["flex", "H S2", "own"]);
    let joined = &routes[0];
    assert_eq!(joined.curve.start().position, Vec3::zeros());
    assert_eq!(
        joined.curve.end().position,
        routes[1].curve.start().position
    );
    assert!(
        (joined.length - joined.cable_length).abs() <= 0.01,
        "{joined:?}"
    );
    // Rigid 100 and 80 mm, the cable 250 mm and its stretch.
    assert!(
        (joined.cable_length - 430.0).abs() < 0.1,
        "{}",
        joined.cable_length
    );
    assert!(joined.radius.as_constant().is_some());
    for format in [Format::Step, Format::StepTube, Format::Vda] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("h");
        let report = export(&routes, format, &path, &options()).unwrap();
        assert!(report.is_good(), "{report:#?}");
    }
    let only = RouteOptions {
        flexible_only: true,
        ..RouteOptions::default()
    };
    let alone = routes_of(&scene, &["flex".into()], &only).unwrap();
    assert_eq!(alone.len(), 1);
    assert!((alone[0].length - 250.0).abs() < 0.1);
    // By the name of its cable the whole segment is found too.
    let whole = routes_of(&scene, &["flex".into()], &RouteOptions::default()).unwrap();
    assert_eq!(whole[0].name, "flex");
    // Another harness with a segment of the same name changes no name.
    let mut other = scene.harnesses[0].clone();
    other.name = "H2".into();
    other.segments.remove(0);
    scene.harnesses.push(other);
    let routes = routes_of(&scene, &[], &RouteOptions::default()).unwrap();
    let names: Vec<_> = routes.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["flex", "H S2", "H2 S2", "own"]);
}

#[test]
fn twist_handles_along_the_cable_and_uneven_edges_survive_the_finer_solve() {
    let mut scene = Scene::default();
    let mut turned = cable("turned", Vec3::zeros(), Vec3::new(220.0, 0.0, 10.0));
    turned.handles[1].turns = 1;
    let mut uneven = cable("uneven", Vec3::y() * 50.0, Vec3::new(200.0, 50.0, 0.0));
    uneven.spacing = Some((0..50).map(|i| 1.0 + 0.02 * f64::from(i)).collect());
    // At a node of the grid: between nodes, the scene holds the nearest one.
    let node: f64 = uneven.edge_lengths()[..28].iter().sum();
    let mut middle = Handle::at_end(
        HandlePlace::At(node),
        held(Vec3::new(100.0, 50.0, -40.0), Vec3::x()),
    );
    middle.kind = HandleKind::Position;
    uneven.handles.push(middle);
    scene.cables = vec![turned, uneven];
    let routes = routes_of(&scene, &[], &RouteOptions::default()).unwrap();
    for route in &routes {
        let solve = route.solve.unwrap();
        assert!(solve.converged && solve.n_edges > 50, "{solve:?}");
        assert!(
            (route.length - route.cable_length).abs() <= 0.01,
            "{route:?}"
        );
        assert!(
            solve.error_estimate.unwrap() < 0.1,
            "{}: {solve:?}",
            route.name
        );
    }
    let place = routes[1].curve.nearest(&Vec3::new(100.0, 50.0, -40.0));
    assert!(place.1 < 0.02, "{place:?}");
}

/// A round ring, as a mesh.
fn torus(radius: f64, thick: f64) -> loomwright::mesh::TriMesh {
    let (n, m) = (96_u32, 16_u32);
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..n {
        for k in 0..m {
            let a = std::f64::consts::TAU * f64::from(i) / f64::from(n);
            let b = std::f64::consts::TAU * f64::from(k) / f64::from(m);
            let out = radius + thick * b.cos();
            vertices.push(Vec3::new(out * a.cos(), out * a.sin(), thick * b.sin()));
            let (j, l) = ((i + 1) % n, (k + 1) % m);
            triangles.push([i * m + k, j * m + k, j * m + l]);
            triangles.push([i * m + k, j * m + l, i * m + l]);
        }
    }
    loomwright::mesh::TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn a_ring_of_a_scene_is_one_closed_curve() {
    let mut scene = Scene {
        parts: vec![loomwright::scene::Part::new("ring", torus(150.0, 5.0))],
        ..Scene::default()
    };
    let command = r#"{"command":"flexibilise","part":"ring"}"#;
    let command: loomwright::scene::Command = serde_json::from_str(command).unwrap();
    command.apply(&mut scene).unwrap();
    let routes = routes_of(&scene, &[], &RouteOptions::default()).unwrap();
    let [ring] = &routes[..] else {
        panic!("{} routes", routes.len())
    };
    assert!(ring.closed);
    assert!(ring.solve.unwrap().converged);
    let around = std::f64::consts::TAU * 150.0;
    assert!((ring.length / around - 1.0).abs() < 5e-3, "{}", ring.length);
    let (start, end) = (ring.curve.start(), ring.curve.end());
    assert_eq!(start.position, end.position);
    assert!(start.first.angle(&end.first) < 1e-6);
    let directory = tempfile::tempdir().unwrap();
    for format in Format::ALL {
        let path = directory.path().join("r");
        let report = export(&routes, format, &path, &options()).unwrap();
        assert!(report.is_good(), "{report:#?}");
    }
    let path = directory.path().join("r.stp");
    export(&routes, Format::Step, &path, &options()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    // The flag of a closed curve.
    assert!(text.contains(".UNSPECIFIED.,.T.,.F.,"), "{text}");

    // Two cables that meet at both ends with a corner are no ring.
    let half = cable("half", Vec3::zeros(), Vec3::zeros());
    scene.cables = vec![half];
    scene.harnesses.clear();
    scene.cables[0].handles[1].pose.rotation = held(Vec3::zeros(), Vec3::y()).rotation;
    let routes = routes_of(&scene, &[], &RouteOptions::default()).unwrap();
    assert!(!routes[0].closed);
}
