//! A harness survives the round trip through each format that claims it, as a harness: names, diameters, materials,
//! nodes, junctions, fixings and connectors.

use loomwright::exchange::{
    Axes, CableChoice, Convention, ExportOptions, Format, LengthUnit, Network, Route, RouteOptions,
    added, import_routes, network_of,
};
use loomwright::geom::{Aabb, Pose, Vec3, rotation_along};
use loomwright::mesh::import::SourceSpace;
use loomwright::mesh::primitives;
use loomwright::scene::demo::demo;
use loomwright::scene::{
    Cable, Command, Handle, HandleKind, HandlePlace, Harness, HarnessNode, Junction, JunctionEnd,
    Part, PartRole, Piece, Scene, Segment,
};

use super::formats::options;

const HARNESS: &str = "Türe \"links\"";

fn held(position: Vec3, direction: Vec3) -> Pose {
    Pose {
        position,
        rotation: rotation_along(&direction).unwrap(),
    }
}

/// A part far from all cables.
fn part(name: &str, role: PartRole) -> Part {
    let mut corners = Aabb::empty();
    corners.grow(&Vec3::new(0.0, 0.0, 900.0));
    corners.grow(&Vec3::new(10.0, 10.0, 910.0));
    let mut part = Part::new(name, primitives::cuboid(&corners));
    part.role = role;
    part
}

/// Three branches that meet at a node, with names that no format likes, a clip on the first, a grommet on the second
/// and a connector at the end of the third; and a loose cable whose end is on a part.
fn scene() -> Scene {
    let node = Vec3::new(10.0, 20.0, 30.0);
    let mut scene = Scene {
        gravity: Vec3::zeros(),
        parts: vec![
            part("Stecker */ X1", PartRole::Connector),
            part("Halter", PartRole::Obstacle),
        ],
        ..Scene::default()
    };
    let section = demo("drag").unwrap().cables[0].section;
    let material = loomwright::scene::material::built_in()[0].name.clone();
    let cable = |name: &str, radius: f64, from: Vec3, direction: Vec3| {
        let mut cable = Cable::new(name, radius, 120.0, section);
        cable.n_edges = 24;
        cable.material = Some(material.clone());
        cable.handles = vec![
            Handle::at_end(HandlePlace::Start, held(from, direction)),
            Handle::at_end(HandlePlace::End, held(from + direction * 119.0, direction)),
        ];
        cable
    };
    let names = ["B1 */", "B2, lang und breit, mit vielen Wörtern", "線 3"];
    let directions = [Vec3::x(), Vec3::y(), -Vec3::x()];
    scene.cables = (0..3)
        .map(|i| cable(names[i], [3.25, 4.0, 1.0 / 3.0][i], node, directions[i]))
        .collect();
    let fixing =
        |place: f64, kind: HandleKind, name: &str, position: Vec3, direction: Vec3| Handle {
            name: name.into(),
            kind,
            ..Handle::at_end(HandlePlace::At(place), held(position, direction))
        };
    let on = |direction: Vec3| node + direction * 59.5;
    let mut clip = fixing(
        60.0,
        HandleKind::Position,
        "Clip 7",
        on(Vec3::x()),
        Vec3::x(),
    );
    clip.attached_to = Some("Halter".into());
    scene.cables[0].handles.push(clip);
    let (min, max) = (20.0, 100.0);
    let grommet = HandleKind::Sliding { min, max };
    scene.cables[1]
        .handles
        .push(fixing(60.0, grommet, "Tülle", on(Vec3::y()), Vec3::y()));
    scene.cables[2].handles[1].attached_to = Some("Stecker */ X1".into());
    let mut loose = cable("lose", 2.0, Vec3::new(0.0, 300.0, 0.0), Vec3::x());
    loose.handles[1].attached_to = Some("Halter".into());
    scene.cables.push(loose);
    let nodes = ["J1", "E1", "E2", "E3"].map(|name| HarnessNode {
        name: name.into(),
        position: node,
    });
    scene.harnesses = vec![Harness {
        name: HARNESS.into(),
        space: SourceSpace::default(),
        nodes: nodes.into(),
        segments: (0..3)
            .map(|i| Segment {
                name: format!("S{}", i + 1),
                start: 0,
                end: i + 1,
                pieces: vec![Piece::Flexible {
                    cable: names[i].into(),
                }],
            })
            .collect(),
    }];
    scene.junctions = vec![Junction {
        name: format!("{HARNESS} J1"),
        pose: Pose {
            position: node,
            ..Pose::identity()
        },
        ends: (0..3)
            .map(|i| JunctionEnd {
                cable: names[i].into(),
                handle: "start".into(),
                in_junction: held(Vec3::zeros(), directions[i]),
            })
            .collect(),
        carries: Vec::new(),
        free: false,
        mass_kg: 0.0,
    }];
    scene
}

/// What of a network must not change on the way: all but the curves, and where along them a solve lets fixings slide.
fn facts(network: &Network<Route>) -> Vec<String> {
    let point = |p: &Vec3| [p.x, p.y, p.z].map(|c| format!("{:.3}", c + 0.0));
    let mut all = Vec::new();
    for segment in &network.segments {
        let route = &segment.route;
        let name = (&route.name, &route.material, route.radius.largest() as f32);
        all.push(format!("{:?} {name:?}", segment.label));
    }
    for node in &network.nodes {
        let name = (&node.id, &node.name, &node.harness);
        all.push(format!("{name:?} {:?}", point(&node.position)));
    }
    for fixing in &network.fixings {
        let name = (&fixing.id, &fixing.segment, &fixing.part, fixing.kind);
        let along = fixing.pose.rotation * Vec3::z();
        let place = (point(&fixing.pose.position), point(&along));
        all.push(format!("{name:?} {place:?}"));
    }
    for connector in &network.connectors {
        all.push(format!("{:?} {:?}", connector.name, connector.node));
    }
    all
}

#[test]
fn a_harness_comes_back_as_a_harness() {
    let directory = tempfile::tempdir().unwrap();
    let scene = scene();
    let network = network_of(&scene, &[], &RouteOptions::default()).unwrap();
    assert_eq!((network.len(), network.nodes.len()), (4, 4));
    assert_eq!((network.fixings.len(), network.connectors.len()), (3, 1));
    let convention = Convention {
        unit: LengthUnit::In,
        axes: Axes::YUp,
    };
    let formats = Format::ALL.into_iter().filter(|f| f.holds_harness());
    let claimed: Vec<&str> = formats.clone().map(Format::key).collect();
    assert_eq!(
        claimed,
        [
            "step",
            "iges",
            "vda",
            "dxf",
            "dxf-polyline",
            "ibl",
            "csv",
            "json"
        ]
    );
    for format in formats {
        let key = format.key();
        let name = format!("{key}.{}", format.extension());
        let path = directory.path().join(name);
        let out = ExportOptions {
            unit: (format != Format::Vda).then_some(convention.unit),
            axes: Some(convention.axes),
            ..options()
        };
        let report = loomwright::exchange::export(&network, format, &path, &out).unwrap();
        assert!(report.is_geometry_good(), "{key}: {report:#?}");
        let found = import_routes(&path, convention).unwrap();
        for (fixing, found) in network.fixings.iter().zip(&found.network.fixings) {
            assert!((fixing.at - found.at).abs() < 1e-6, "{key}");
        }
        let choice = CableChoice::usual(&scene).unwrap();
        let mut again = Scene {
            gravity: Vec3::zeros(),
            parts: scene.parts.clone(),
            ..Scene::default()
        };
        let (addition, missing) = added(&found.network, &again, |route| {
            choice.with_material_of(route, &scene)
        });
        assert_eq!(missing, Vec::<String>::new());
        Command::AddHarness(Box::new(addition))
            .apply(&mut again)
            .unwrap();
        assert_eq!(again.harnesses[0].name, HARNESS, "{key}");
        assert_eq!(again.junctions.len(), 1, "{key}");
        assert_eq!(again.junctions[0].ends.len(), 3, "{key}");
        let returned = network_of(&again, &[], &RouteOptions::default()).unwrap();
        assert_eq!(facts(&returned), facts(&network), "{key}");
    }
}

#[test]
fn parts_that_are_not_there_are_named_and_names_that_are_taken_give_way() {
    let directory = tempfile::tempdir().unwrap();
    let scene = scene();
    let network = network_of(&scene, &[], &RouteOptions::default()).unwrap();
    let path = directory.path().join("h.stp");
    loomwright::exchange::export(&network, Format::Step, &path, &options()).unwrap();
    let found = import_routes(&path, Convention::default()).unwrap();
    let choice = CableChoice::usual(&scene).unwrap();
    let mut again = Scene::default();
    let (addition, missing) = added(&found.network, &again, |_| choice.clone());
    assert_eq!(missing.len(), 2, "{missing:?}");
    assert!(missing[0].contains("Halter"), "{missing:?}");
    let command = Command::AddHarness(Box::new(addition));
    // As a line of a script, too.
    let line = serde_json::to_string(&command).unwrap();
    let command: Command = serde_json::from_str(&line).unwrap();
    command.apply(&mut again).unwrap();
    command.apply(&mut again).unwrap();
    assert_eq!((again.cables.len(), again.junctions.len()), (8, 2));
    assert_eq!(again.cables[4].name, "B1 */ 2");
    assert_eq!(again.junctions[1].ends[0].cable, "B1 */ 2");
    let piece = &again.harnesses[1].segments[0].pieces[0];
    let cable = "B1 */ 2".to_owned();
    assert_eq!(*piece, Piece::Flexible { cable });
    // One that refers to what is not there changes nothing.
    let Command::AddHarness(mut bad) = command else {
        unreachable!("it is one")
    };
    bad.harnesses[0].segments[0].end = 99;
    let before = again.clone();
    assert!(Command::AddHarness(bad).apply(&mut again).is_err());
    assert_eq!(again, before);
}

#[test]
fn a_file_of_others_says_nothing_of_the_kind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.csv");
    std::fs::write(&path, "x_mm,y_mm,z_mm\n0,0,0\n10,0,0\n").unwrap();
    let found = import_routes(&path, Convention::default()).unwrap();
    let segment = &found.network.segments[0];
    assert_eq!(segment.label.ends(), [None, None]);
    assert!(found.network.nodes.is_empty());
    assert_eq!(
        (segment.route.radius, &segment.route.material),
        (None, &None)
    );
    assert_eq!(segment.route.name, "x");
}
