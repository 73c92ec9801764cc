//! Cables that are thicker or thinner in places: in contact, in the document, in exports, and as they come from a mesh.

use std::f64::consts::TAU;
use std::path::Path;

use loomwright::check::{Checker, Iterate, TraceChecker};
use loomwright::exchange::{ExportOptions, Format, RouteOptions, Stamp, export, network_of};
use loomwright::geom::{Aabb, Vec3};
use loomwright::mesh::import::import_file;
use loomwright::mesh::{TriMesh, primitives};
use loomwright::scene::file::{load, save};
use loomwright::scene::{
    Cable, CableSection, CableStretch, Command, Handle, HandlePlace, Part, Scene, Simulation, demo,
};
use loomwright::solve::{CancelToken, Status};

use crate::net::along;

const THIN: f64 = 4.0;
const THICK: f64 = 6.0;
const LENGTH: f64 = 600.0;

fn section() -> CableSection {
    CableSection {
        bending: 2e4,
        bending2: None,
        torsion: 1.6e4,
        axial: 1e5,
        mass_kg_m: 0.05,
    }
}

fn sleeve() -> CableStretch {
    CableStretch::of_radius(250.0, 350.0, THICK)
}

/// A straight cable over the edge of a block whose top is z = 0; its ends are at a height.
fn over_block(stretches: &[CableStretch], height: f64) -> Scene {
    let mut cable = Cable::new("cable", THIN, LENGTH, section());
    cable.n_edges = 60;
    cable.stretches = stretches.to_vec();
    for (place, x) in [(HandlePlace::Start, -300.0), (HandlePlace::End, 300.0)] {
        let at = along(Vec3::new(x, 0.0, height), Vec3::x());
        cable.handles.push(Handle::at_end(place, at));
    }
    let (min, max) = (Vec3::new(-4.0, -50.0, -40.0), Vec3::new(4.0, 50.0, 0.0));
    Scene {
        friction: 0.0,
        cables: vec![cable],
        parts: vec![Part::new("block", primitives::cuboid(&Aabb { min, max }))],
        ..Scene::default()
    }
}

fn apply(simulation: &mut Simulation, json: &str) {
    let command: Command = serde_json::from_str(json).unwrap();
    simulation.apply(&command).unwrap();
}

fn send_ends(simulation: &mut Simulation, height: f64) {
    for (end, x) in [("start", -300), ("end", 300)] {
        let json = format!(
            r#"{{"command":"move_handle","cable":"cable","handle":"{end}","position":[{x},0,{height}]}}"#
        );
        apply(simulation, &json);
    }
}

/// Lowers both ends to a height, every iterate judged with these radii of the edges; the height of the middle, and the
/// smallest gap and the crossings that the judge saw.
fn lowered(stretches: &[CableStretch], judged: &[f64]) -> (f64, f64, u64) {
    let mut simulation = Simulation::new(over_block(stretches, 20.0)).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let parts = &simulation.scene().parts;
    let checker = Checker::new(parts.iter().map(|p| (p.name.as_str(), &**p.mesh())));
    let mut judge = TraceChecker::new(&checker, 20.0);
    let mut iterate = 0;
    for (frame, height) in [(1, 6.5), (2, 4.0)] {
        send_ends(&mut simulation, height);
        let mut listen = |_: usize, points: &[Vec3]| {
            iterate += 1;
            judge.push(&Iterate {
                frame,
                iterate,
                cable: "cable",
                radius: THIN,
                radii: judged,
                points,
                restart: iterate == 1,
            });
        };
        let reports = simulation.solve(&CancelToken::default(), &mut listen);
        assert_eq!(reports[0].report.status, Status::Converged);
    }
    let summary = judge.finish();
    let gap = summary.smallest_gap.map_or(f64::INFINITY, |g| g.gap.gap);
    let middle = simulation.solvers()[0].state().positions[30].z;
    (middle, gap, summary.n_crossings)
}

#[test]
fn a_thick_stretch_rests_higher_by_the_difference_of_radii_and_the_checker_agrees() {
    let own = over_block(&[sleeve()], 20.0).cables[0].edge_radii();
    assert_eq!(own.iter().filter(|r| **r == THICK).count(), 10);
    let (thick, gap, crossings) = lowered(&[sleeve()], &own);
    assert!(crossings == 0 && gap > 0.0, "{crossings} {gap}");
    let (thin, _, _) = lowered(&[], &[]);
    // What the barrier leaves between the two depends on the load, which differs a little.
    let higher = thick - thin;
    assert!((higher - (THICK - THIN)).abs() < 0.1, "{higher} mm higher");
    assert!((0.0..0.4).contains(&(thick - THICK)), "{thick}");
    // A judge who takes it for thicker than it is sees it run into the block.
    let more: Vec<f64> = own.iter().map(|r| r + 0.5).collect();
    let (_, gap, _) = lowered(&[sleeve()], &more);
    assert!(gap < 0.0, "{gap}");
}

#[test]
fn a_stretch_bends_and_weighs_as_its_own_section_says() {
    let sag = |stretches: &[CableStretch]| {
        let mut scene = over_block(stretches, 20.0);
        scene.parts.clear();
        let mut simulation = Simulation::new(scene).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        20.0 - simulation.solvers()[0].state().positions[30].z
    };
    let of = |bending: f64, mass_kg_m: f64| CableStretch {
        section: Some(CableSection {
            bending,
            mass_kg_m,
            ..section()
        }),
        ..sleeve()
    };
    let plain = sag(&[]);
    assert_eq!(
        sag(&[sleeve()]),
        plain,
        "a radius alone is neither stiffer nor heavier"
    );
    let (stiffer, heavier) = (sag(&[of(4e4, 0.05)]), sag(&[of(2e4, 0.2)]));
    assert!(stiffer < 0.98 * plain, "{stiffer} {plain}");
    assert!(heavier > 1.2 * plain, "{heavier} {plain}");
}

#[test]
fn saved_opened_and_solved_it_stays_where_it_is() {
    let mut simulation = Simulation::new(over_block(&[], 20.0)).unwrap();
    apply(
        &mut simulation,
        r#"{"command":"set_stretches","cable":"cable","stretches":[
            {"from":100,"to":150,"radius":3},
            {"from":250,"to":350,"radius":6,"material":"Signal bundle, taped"}]}"#,
    );
    simulation.solve_quietly(&CancelToken::default());
    send_ends(&mut simulation, 4.0);
    let reports = simulation.solve_quietly(&CancelToken::default());
    assert!(!reports[0].report.contacts.is_empty());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stretches.scene.json");
    save(simulation.scene(), &file).unwrap();
    let (opened, warnings) = load(&file).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(opened.cables, simulation.scene().cables);
    let stretches = &opened.cables[0].stretches;
    assert!(stretches[0].section.is_none() && stretches[1].section.is_some());
    let mut again = Simulation::new(opened).unwrap();
    again.solve_quietly(&CancelToken::default());
    let [before, after] = [&simulation, &again].map(|s| s.solvers()[0].state().positions.clone());
    let moved = before.iter().zip(&after).map(|(p, q)| (p - q).norm());
    let most = moved.fold(0.0, f64::max);
    assert!(most < 1e-6, "{most} mm");
}

#[test]
fn a_cable_whose_radii_are_changed_is_drawn_as_what_collides() {
    let mut scene = demo::demo("harness").unwrap();
    let flexibilise = r#"{"command":"flexibilise","part":"harness"}"#;
    let edit = |scene: &mut Scene, json: &str| {
        let command: Command = serde_json::from_str(json).unwrap();
        command.apply(scene).unwrap();
    };
    edit(&mut scene, flexibilise);
    let with_skin = |cable: &Cable| cable.skin.is_some();
    let k = scene.cables.iter().position(with_skin).unwrap();
    let n_skins = scene.cables.iter().filter(|c| with_skin(c)).count();
    let name = scene.cables[k].name.clone();
    let change = |what: &str| format!(r#"{{"command":{what},"cable":"{name}"}}"#);
    edit(&mut scene, &change(r#""change_cable","color":[1,2,3]"#));
    assert!(with_skin(&scene.cables[k]), "the same radii");
    edit(
        &mut scene,
        &change(r#""set_stretches","stretches":[{"from":0,"to":40,"radius":9}]"#),
    );
    assert_eq!(scene.cables[k].skin, None);
    let left = scene.cables.iter().filter(|c| with_skin(c)).count();
    assert_eq!(left, n_skins - 1, "other cables keep theirs");
}

#[test]
fn stretches_without_sense_are_refused_and_change_nothing() {
    let scene = over_block(&[sleeve()], 20.0);
    for stretches in [
        r#"[{"from":50,"to":40,"radius":6}]"#,
        r#"[{"from":0,"to":700,"radius":6}]"#,
        r#"[{"from":0,"to":100,"radius":0}]"#,
        r#"[{"from":0,"to":100,"radius":6},{"from":90,"to":120,"radius":7}]"#,
        r#"[{"from":0,"to":100,"radius":6,"material":"wool"}]"#,
    ] {
        let json =
            format!(r#"{{"command":"set_stretches","cable":"cable","stretches":{stretches}}}"#);
        let command: Command = serde_json::from_str(&json).unwrap();
        let mut next = scene.clone();
        assert!(command.apply(&mut next).is_err(), "{stretches}");
        assert_eq!(next, scene);
    }
}

#[test]
fn edits_of_the_cable_take_its_stretches_along() {
    let mut simulation = Simulation::new(over_block(&[sleeve()], 20.0)).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let whole = simulation.scene().clone();
    let after = |scene: &Scene, json: &str| {
        let command: Command = serde_json::from_str(json).unwrap();
        let mut next = scene.clone();
        command.apply(&mut next).unwrap();
        next
    };
    let radii = whole.cables[0].edge_radii();
    let two = after(
        &whole,
        r#"{"command":"split_cable","cable":"cable","at":300}"#,
    );
    assert_eq!(two.cables.len(), 2);
    let pieces: Vec<f64> = two.cables.iter().flat_map(Cable::edge_radii).collect();
    assert_eq!(pieces, radii);
    let second = &two.cables[1].name;
    let merge = |first: &str, second: &str| {
        let json = format!(r#"{{"command":"merge_cables","first":"{first}","second":"{second}"}}"#);
        after(&two, &json)
    };
    let one = merge("cable", second);
    assert_eq!(one.cables[0].edge_radii(), radii);
    assert_eq!(one.cables[0].stretches.len(), 1);
    let fine = after(&whole, r#"{"command":"refine_cable","cable":"cable"}"#);
    let each_twice: Vec<f64> = radii.iter().flat_map(|r| [*r, *r]).collect();
    assert_eq!(fine.cables[0].edge_radii(), each_twice);
    let longer = after(
        &whole,
        r#"{"command":"set_length","cable":"cable","length":660}"#,
    );
    assert_eq!(longer.cables[0].edge_radii(), radii);
    let at_end = r#"{"command":"extend_cable","cable":"cable","end":"start","by":30}"#;
    let extended = after(&whole, at_end);
    let sleeve = &extended.cables[0].stretches[0];
    assert_eq!(extended.cables[0].edge_radii(), radii);
    assert!((sleeve.from - 280.0).abs() < 1e-9 && (sleeve.to - 380.0).abs() < 1e-9);
    // Joined start to start, the other one is turned round.
    let mirrored = loomwright::scene::topology::reversed(&extended.cables[0]);
    let back: Vec<f64> = extended.cables[0].edge_radii().into_iter().rev().collect();
    assert_eq!(mirrored.edge_radii(), back);
}

/// Distances of points from the straight axis of the cable, near x.
fn near(points: impl Iterator<Item = [f64; 3]>, x: f64, z: f64) -> Vec<f64> {
    let own = points.filter(|p| (p[0] - x).abs() < 60.0);
    own.map(|p| p[1].hypot(p[2] - z)).collect()
}

#[test]
fn an_exported_tube_has_both_radii_by_readers_of_others() {
    let mut scene = over_block(&[sleeve()], 20.0);
    scene.parts.clear();
    scene.gravity = Vec3::zeros();
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let network = network_of(simulation.scene(), &[], &RouteOptions::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = ExportOptions {
        stamp: Stamp::from_unix(1_700_000_000),
        ..ExportOptions::default()
    };
    let written = |key: &str, name: &str| {
        let format = Format::ALL.into_iter().find(|f| f.key() == key).unwrap();
        let path = folder.path().join(name);
        let report = export(&network, format, &path, &options).unwrap();
        assert!(report.is_good(), "{key}: {report:#?}");
        path
    };
    let largest = |radii: &[f64]| radii.iter().copied().fold(0.0, f64::max);
    let judge = |points: &[[f64; 3]], what: &str| {
        let of = |x: f64| near(points.iter().copied(), x, 20.0);
        let (thick, thin) = (of(0.0), of(-280.0));
        assert!(
            (largest(&thick) / THICK - 1.0).abs() < 0.02,
            "{what}: {}",
            largest(&thick)
        );
        assert!(
            (largest(&thin) / THIN - 1.0).abs() < 0.02,
            "{what}: {}",
            largest(&thin)
        );
    };
    let stl = written("stl", "tube.stl");
    let mut file = std::fs::File::open(&stl).unwrap();
    let mesh = stl_io::read_stl(&mut file).unwrap();
    let points: Vec<[f64; 3]> = (mesh.vertices.iter())
        .map(|v| [0, 1, 2].map(|k| f64::from(v.0[k])))
        .collect();
    judge(&points, "STL");
    let step = written("step-tube", "tube.stp");
    judge(&vertices_of(&step), "STEP solid");
    // Each row of the table has the diameter of its place.
    let csv = std::fs::read_to_string(written("csv", "points.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|l| l.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|c| c.starts_with(name)).unwrap();
    let (s, diameter) = (column("s_"), column("diameter"));
    let number = |row: &[&str], k: usize| row[k].parse::<f64>().unwrap();
    let of_points = |row: &&Vec<&str>| row.len() > diameter && !row[0].starts_with('#');
    for row in rows[1..].iter().filter(of_points) {
        let at = number(row, s);
        let expected = match at {
            253.0..=347.0 => 2.0 * THICK,
            0.0..=245.0 | 355.0.. => 2.0 * THIN,
            _ => continue,
        };
        assert!((number(row, diameter) - expected).abs() < 1e-9, "{row:?}");
    }
}

/// Vertices of the solid in a STEP file, by the reader of parts.
fn vertices_of(path: &Path) -> Vec<[f64; 3]> {
    let file = import_file(path).unwrap();
    let meshes = file.parts.iter().map(|p| &p.mesh);
    meshes
        .flat_map(|m| {
            m.vertices()
                .iter()
                .map(|v| [v.x, v.y, v.z])
                .collect::<Vec<_>>()
        })
        .collect()
}

/// A straight tube along x with a radius at each of its rings, as a CAD kernel leaves it.
fn turned(rings: &[(f64, f64)], n_sides: u32) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for &(x, radius) in rings {
        vertices.extend((0..n_sides).map(|k| {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(n_sides)).sin_cos();
            Vec3::new(x, radius * cos, radius * sin)
        }));
    }
    let last = n_sides * (rings.len() as u32 - 1);
    for row in (0..last).step_by(n_sides as usize) {
        for k in 0..n_sides {
            let next = (k + 1) % n_sides;
            let (a, b, c, d) = (row + k, row + next, row + n_sides + next, row + n_sides + k);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    for k in 1..n_sides - 1 {
        triangles.extend([[0, k + 1, k], [last, last + k, last + k + 1]]);
    }
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn flexibilise_takes_the_radii_that_it_finds() {
    let made = |thick: f64| {
        let ring = |x: i32| {
            let inside = (200..=320).contains(&x);
            (f64::from(x), if inside { thick } else { THIN })
        };
        let mut rings: Vec<(f64, f64)> = (0..=60).map(|i| ring(10 * i)).collect();
        // Steps at both ends of the sleeve.
        rings.insert(20, (199.9, THIN));
        rings.insert(34, (320.1, THIN));
        let mut scene = Scene::default();
        scene.parts.push(Part::new("hose", turned(&rings, 24)));
        let command = r#"{"command":"flexibilise","part":"hose"}"#;
        let command: Command = serde_json::from_str(command).unwrap();
        command.apply(&mut scene).unwrap();
        scene.cables.remove(0)
    };
    let cable = made(THICK);
    let [sleeve] = &cable.stretches[..] else {
        panic!("one sleeve, not {:?}", cable.stretches);
    };
    assert!((cable.radius / THIN - 1.0).abs() < 0.02, "{}", cable.radius);
    assert!((sleeve.radius / THICK - 1.0).abs() < 0.02, "{sleeve:?}");
    assert!((sleeve.from - 200.0).abs() < 8.0 && (sleeve.to - 320.0).abs() < 8.0);
    // Within a few percent it is how meshes are.
    assert!(made(1.03 * THIN).stretches.is_empty());
}

/// Sends the end of a demo's cable, thin in one place and thick in another, to random places; `(crossings, smallest gap,
/// frames without an equilibrium, frames in contact)`, each edge judged with its own radius.
fn dragged_at_random(name: &str, frames: u64) -> (u64, f64, u64, u64) {
    let mut scene = loomwright::scene::demo::demo(name).unwrap();
    let (length, radius) = (scene.cables[0].length, scene.cables[0].radius);
    scene.cables[0].stretches = vec![
        CableStretch::of_radius(0.2 * length, 0.3 * length, 0.7 * radius),
        CableStretch::of_radius(0.4 * length, 0.6 * length, 1.6 * radius),
    ];
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let radii = simulation.scene().cables[0].edge_radii();
    let parts = simulation.scene().parts.clone();
    let checker = Checker::new(parts.iter().map(|p| (p.name.as_str(), &**p.mesh())));
    let mut judge = TraceChecker::new(&checker, 4.0 * radius);
    let fresh = simulation.clone();
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut iterate, mut lost, mut touching) = (0, 0, 0);
    for frame in 0..frames {
        let mut push = |points: &[Vec3], restart: bool| {
            iterate += 1;
            judge.push(&Iterate {
                frame,
                iterate,
                cable: "cable",
                radius,
                radii: &radii,
                points,
                restart,
            });
        };
        if frame % 100 == 0 {
            simulation = fresh.clone();
            push(&simulation.solvers()[0].state().positions, true);
        }
        let step = Vec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.65) * 120.0;
        let target = simulation.scene().cables[0].handles[1].pose.position + step;
        let send = |position: Vec3| Command::MoveHandle {
            cable: "cable".to_owned(),
            handle: "end".to_owned(),
            position: Some(position.into()),
            rotation: None,
        };
        simulation.apply(&send(target)).unwrap();
        let mut listen = |_: usize, points: &[Vec3]| push(points, false);
        let told = simulation.solve(&CancelToken::default(), &mut listen);
        let report = &told[0].report;
        touching += u64::from(!report.contacts.is_empty());
        lost += u64::from(report.status == Status::NotConverged);
        if report.status != Status::Converged {
            // Let go: it stays where it stopped.
            let now = simulation.solvers()[0].state().clamp_pose(1).unwrap();
            simulation.apply(&send(now.position)).unwrap();
        }
    }
    let summary = judge.finish();
    let gap = summary.smallest_gap.map_or(f64::INFINITY, |g| g.gap.gap);
    (summary.n_crossings, gap, lost, touching)
}

/// `LOOMWRIGHT_STRETCH_FRAMES=1000` for longer.
#[test]
fn random_drags_never_cross_a_part_by_the_radius_of_each_edge() {
    let frames = std::env::var("LOOMWRIGHT_STRETCH_FRAMES").ok();
    let frames = frames.and_then(|n| n.parse().ok()).unwrap_or(40);
    for name in ["box", "sheet", "drag"] {
        let (crossings, gap, lost, touching) = dragged_at_random(name, frames);
        println!("{name}: {frames} frames, {touching} in contact, {lost} lost, gap {gap:.1e} mm");
        assert!(crossings == 0 && gap > 0.0, "{name}: {crossings} {gap}");
        assert!(lost == 0 && touching > 0, "{name}: {lost} {touching}");
    }
}
