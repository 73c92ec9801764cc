//! Parts that go with what is dragged meet other parts: judged by the independent checker with the meshes themselves.

use loomwright::check::Checker;
use loomwright::geom::{Aabb, Pose, Rotation, Vec3};
use loomwright::mesh::{TriMesh, primitives};
use loomwright::scene::{Command, HandlePlace, Part, Scene, Simulation, demo};
use loomwright::solve::CancelToken;

use crate::net::along;

/// Half the sides of the plug, along its cable, across and up, mm.
const HALF: Vec3 = Vec3::new(20.0, 9.0, 7.0);
/// Where the cable enters the plug.
const END: Vec3 = Vec3::new(200.0, 0.0, 220.0);
/// Pieces in which the way of a frame is judged.
const PIECES: usize = 50;

fn block(min: Vec3, max: Vec3) -> TriMesh {
    primitives::cuboid(&Aabb { min, max })
}

/// A wall across x with a hole of those half sides about the plug's height.
fn wall(x: f64, hole: [f64; 2]) -> TriMesh {
    let [y, z] = hole;
    let piece = |y0: f64, y1: f64, z0: f64, z1: f64| {
        block(
            Vec3::new(x, y0, END.z + z0),
            Vec3::new(x + 10.0, y1, END.z + z1),
        )
    };
    let pieces = [
        piece(-300.0, 300.0, -400.0, -z),
        piece(-300.0, 300.0, z, 400.0),
        piece(-300.0, -y, -z, z),
        piece(y, 300.0, -z, z),
    ];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for piece in &pieces {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(piece.vertices());
        triangles.extend(piece.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// A cable with a plug at its end, held by the junction that carries it, among other parts.
fn plugged(others: &[(&str, TriMesh)]) -> Simulation {
    let mut scene = demo::demo("box").unwrap();
    let cable = &mut scene.cables[0];
    cable.length = 700.0;
    cable.basis_length = 700.0;
    cable.n_edges = 50;
    cable.shape = None;
    for handle in &mut cable.handles {
        handle.pose = match handle.place {
            HandlePlace::Start => along(Vec3::new(0.0, 0.0, 300.0), Vec3::x()),
            _ => along(END, Vec3::x()),
        };
    }
    let middle = END + Vec3::x() * HALF.x;
    let plug = Part::new("plug", block(middle - HALF, middle + HALF));
    scene.parts = vec![plug];
    scene.friction = 0.0;
    let parts = others
        .iter()
        .map(|(name, mesh)| Part::new(*name, mesh.clone()));
    scene.parts.extend(parts);
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let hang: Command = serde_json::from_str(
        r#"{"command":"hang_body","cable":"cable","handle":"end","mass_kg":0.05,"parts":["plug"]}"#,
    )
    .unwrap();
    simulation.apply(&hang).unwrap();
    let hold: Command = serde_json::from_str(
        r#"{"command":"change_junction","junction":"cable body","free":false}"#,
    )
    .unwrap();
    simulation.apply(&hold).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    simulation
}

/// Drags the end of the cable by a way and a turn in the world; gives what the plug met.
fn drag(simulation: &mut Simulation, way: Vec3, turn: Vec3) -> Option<String> {
    let scene = simulation.scene();
    let handle = scene.cables[0].handle_at(HandlePlace::End).unwrap();
    let (name, pose) = (handle.name.clone(), handle.pose);
    let q = (Rotation::from_scaled_axis(turn) * pose.rotation).into_inner();
    let command = Command::MoveHandle {
        cable: "cable".to_owned(),
        handle: name,
        position: Some((pose.position + way).into()),
        rotation: Some([q.w, q.i, q.j, q.k]),
    };
    simulation.apply(&command).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let held = simulation.held_parts().first();
    assert!(held.is_none_or(|h| h.part == "plug"));
    held.and_then(|h| h.against.clone())
}

fn plug(scene: &Scene) -> Pose {
    *scene.parts[0].placement()
}

/// How many edges of the plug have passed through the others on the way of a frame, piece by piece.
fn crossings(simulation: &Simulation, others: &Checker) -> usize {
    let mesh = simulation.scene().parts[0].base();
    let mut n = 0;
    for stop in simulation.part_stops() {
        for k in 0..PIECES {
            let at = |k: usize| stop.from.lerp(&stop.to, k as f64 / PIECES as f64);
            let poses = [at(k), at(k + 1)];
            for triangle in mesh.triangles() {
                for [a, b] in [[0, 1], [1, 2], [2, 0]] {
                    let ends = [a, b].map(|c: usize| mesh.vertices()[triangle[c] as usize]);
                    let [from, to] = poses.map(|pose| ends.map(|p| pose.transform(&p)));
                    n += usize::from(others.check_motion(&from, &to).is_some());
                }
            }
        }
    }
    n
}

#[test]
fn a_plug_that_is_dragged_by_its_cable_stops_at_a_wall_and_slides_along_it() {
    let wall = block(
        Vec3::new(260.0, -300.0, 0.0),
        Vec3::new(270.0, 300.0, 500.0),
    );
    let mut simulation = plugged(&[("wall", wall)]);
    let met = drag(&mut simulation, Vec3::x() * 150.0, Vec3::zeros());
    assert_eq!(met.as_deref(), Some("wall"));
    let held = &simulation.held_parts()[0];
    assert_eq!(held.cable, None);
    // From 240 to the wall at 260, less what the shell stands out.
    let x = plug(simulation.scene()).position.x;
    assert!(x > 17.0 && x < 20.0, "{x}");
    assert!((held.short_by - (150.0 - x)).abs() < 1e-9);
    // The cable ends where the plug is, in the document as in the solver.
    let scene = simulation.scene();
    let end = scene.cables[0].handle_at(HandlePlace::End).unwrap();
    assert!((end.pose.position - END - Vec3::x() * x).norm() < 1e-9);
    let node = *simulation.solvers()[0].state().positions.last().unwrap();
    assert!((node - end.pose.position).norm() < 1e-9);
    // Into it and aside: it goes aside.
    let met = drag(&mut simulation, Vec3::new(60.0, 40.0, 0.0), Vec3::zeros());
    assert_eq!(met.as_deref(), Some("wall"));
    let there = plug(simulation.scene()).position;
    assert!(
        (there.y - 40.0).abs() < 1e-6 && (there.x - x).abs() < 0.01,
        "{there:?}"
    );
    // And off it nothing holds it.
    assert_eq!(
        drag(&mut simulation, Vec3::x() * -30.0, Vec3::zeros()),
        None
    );
    assert!((plug(simulation.scene()).position.x - there.x + 30.0).abs() < 1e-9);
}

#[test]
fn a_plug_goes_through_a_hole_that_it_fits_and_is_stopped_at_one_that_it_does_not() {
    let mut fits = plugged(&[("panel", wall(260.0, [12.0, 8.5]))]);
    assert_eq!(drag(&mut fits, Vec3::x() * 100.0, Vec3::zeros()), None);
    assert!((plug(fits.scene()).position.x - 100.0).abs() < 1e-9);
    // Turned by a quarter it does not, and says by what it is stopped.
    let mut across = plugged(&[("panel", wall(260.0, [12.0, 8.5]))]);
    let quarter = Vec3::x() * std::f64::consts::FRAC_PI_2;
    assert_eq!(drag(&mut across, Vec3::zeros(), Vec3::zeros()), None);
    assert_eq!(drag(&mut across, Vec3::x() * -5.0, quarter), None);
    let tight = plugged(&[("panel", wall(260.0, [8.0, 10.0]))]);
    for mut stopped in [across, tight] {
        let met = drag(&mut stopped, Vec3::x() * 100.0, Vec3::zeros());
        assert_eq!(met.as_deref(), Some("panel"));
        // Pulled on, it stays, and its cable with it.
        let stands = plug(stopped.scene());
        let met = drag(&mut stopped, Vec3::x() * 20.0, Vec3::zeros());
        assert_eq!(met.as_deref(), Some("panel"));
        let moved = (plug(stopped.scene()).position - stands.position).norm();
        assert!(moved < 1e-6, "{moved}");
        let end = stopped.scene().cables[0].handle_at(HandlePlace::End);
        let x = end.unwrap().pose.position.x;
        assert!(x < 220.0, "{x}");
    }
}

#[test]
fn a_plug_that_does_not_fit_a_hole_says_by_how_much() {
    let quarter = Vec3::x() * std::f64::consts::FRAC_PI_2;
    // Half sides of the hole, the turn of the plug, and what is to spare on both sides together.
    for (hole, turn, spare) in [
        ([3.5, 3.5], Vec3::zeros(), -11.0),
        ([8.0, 10.0], Vec3::zeros(), -2.0),
        ([12.0, 8.5], quarter, -1.0),
        ([9.4, 10.0], Vec3::zeros(), 0.8),
    ] {
        let mut simulation = plugged(&[("panel", wall(260.0, hole))]);
        drag(&mut simulation, Vec3::zeros(), turn);
        let met = drag(&mut simulation, Vec3::x() * 100.0, Vec3::zeros());
        assert_eq!(met.as_deref(), Some("panel"), "{hole:?}");
        let held = &simulation.held_parts()[0];
        let fit = held.fit.unwrap();
        assert!((fit.spare - spare).abs() < 0.02, "{hole:?}: {fit:?}");
        assert!(spare < 0.0 || fit.needed > spare, "{hole:?}: {fit:?}");
        let words = held.fit_in_words().unwrap();
        let expected = if spare < 0.0 {
            format!("it is {:.1} mm too wide", -spare)
        } else {
            "it has 0.8 mm to spare and needs".to_owned()
        };
        let opening = "does not go through the opening of \"panel\"";
        assert!(
            words.starts_with(opening) && words.contains(&expected),
            "{words}"
        );
    }
    // Beside the hole it is the wall that stops it.
    let mut beside = plugged(&[("panel", wall(260.0, [12.0, 8.5]))]);
    assert_eq!(drag(&mut beside, Vec3::y() * 30.0, Vec3::zeros()), None);
    drag(&mut beside, Vec3::x() * 100.0, Vec3::zeros());
    assert_eq!(beside.held_parts()[0].fit, None);
}

#[test]
fn a_plug_that_lay_on_a_table_goes_back_exactly_to_where_its_file_has_it() {
    let top = END.z - HALF.z;
    let table = block(
        Vec3::new(150.0, -100.0, top - 20.0),
        Vec3::new(300.0, 100.0, top),
    );
    let mut simulation = plugged(&[("table", table)]);
    assert_eq!(drag(&mut simulation, Vec3::z() * 40.0, Vec3::zeros()), None);
    // Dragged down it stops where its shell meets the table.
    let met = drag(&mut simulation, Vec3::z() * -50.0, Vec3::zeros());
    assert_eq!(met.as_deref(), Some("table"));
    let z = plug(simulation.scene()).position.z;
    assert!(z > 0.0 && z < 2.0, "{z}");
    let back: Command = serde_json::from_str(
        r#"{"command":"move_part","part":"plug","position":[0,0,0],"rotation":[1,0,0,0]}"#,
    )
    .unwrap();
    simulation.apply(&back).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    assert!(simulation.held_parts().is_empty());
    assert_eq!(plug(simulation.scene()), Pose::identity());
}

#[test]
fn a_plug_is_pulled_out_of_the_socket_that_it_sits_in() {
    let middle = END + Vec3::x() * HALF.x;
    let socket = block(
        middle - HALF - Vec3::new(-8.0, 3.0, 3.0),
        middle + HALF + Vec3::repeat(3.0),
    );
    let mut simulation = plugged(&[("socket", socket)]);
    assert_eq!(
        drag(&mut simulation, Vec3::x() * -60.0, Vec3::zeros()),
        None
    );
    assert!((plug(simulation.scene()).position.x + 60.0).abs() < 1e-9);
    // Out of it, it does not go back through its side.
    assert_eq!(drag(&mut simulation, Vec3::z() * 60.0, Vec3::zeros()), None);
    assert_eq!(drag(&mut simulation, Vec3::x() * 60.0, Vec3::zeros()), None);
    let met = drag(&mut simulation, Vec3::z() * -60.0, Vec3::zeros());
    assert_eq!(met.as_deref(), Some("socket"));
}

#[test]
fn a_part_without_cables_is_put_where_it_is_wanted_and_nothing_stops_without_collisions() {
    let post = block(Vec3::new(260.0, -30.0, 0.0), Vec3::new(270.0, 30.0, 500.0));
    let loose = block(Vec3::new(300.0, -5.0, 0.0), Vec3::new(310.0, 5.0, 10.0));
    let mut simulation = plugged(&[("post", post), ("loose", loose)]);
    let through: Command =
        serde_json::from_str(r#"{"command":"move_part","part":"loose","position":[-100,0,0]}"#)
            .unwrap();
    simulation.apply(&through).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    assert_eq!(simulation.held_parts(), []);
    simulation.apply(&Command::Ghost { on: true }).unwrap();
    assert_eq!(
        drag(&mut simulation, Vec3::x() * 100.0, Vec3::zeros()),
        None
    );
    assert!((plug(simulation.scene()).position.x - 100.0).abs() < 1e-9);
}

#[test]
fn a_plug_that_is_dragged_at_random_among_parts_crosses_none_of_them() {
    let others = [
        ("panel", wall(270.0, [14.0, 12.0])),
        (
            "table",
            block(
                Vec3::new(100.0, -200.0, 170.0),
                Vec3::new(400.0, 200.0, 190.0),
            ),
        ),
        (
            "post",
            block(Vec3::new(150.0, 40.0, 0.0), Vec3::new(230.0, 60.0, 400.0)),
        ),
    ];
    let checker = Checker::new(others.iter().map(|(name, mesh)| (*name, mesh)));
    let mut simulation = plugged(&others);
    let mut rng = fastrand::Rng::with_seed(19);
    let mut random = |size: f64| Vec3::from_fn(|_, _| size * (2.0 * rng.f64() - 1.0));
    let (mut met, mut crossed) = (0, 0);
    for frame in 0..60 {
        // From 0.1 to 200 mm, back towards where it began.
        let size = 0.1 * 2000.0_f64.powf(f64::from(frame % 10) / 9.0);
        let home = END - simulation.scene().cables[0].handles[1].pose.position;
        let turn = if frame % 3 == 0 {
            random(0.5)
        } else {
            Vec3::zeros()
        };
        let way = random(size) + home * 0.2;
        let blocked = drag(&mut simulation, way, turn);
        met += usize::from(blocked.is_some());
        crossed += crossings(&simulation, &checker);
    }
    assert_eq!(crossed, 0);
    assert!(met > 15, "it met parts in {met} frames only");
}
