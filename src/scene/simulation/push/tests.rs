use super::*;
use crate::scene::demo::demo;
use crate::scene::{Command, HandlePlace};
use crate::solve::CancelToken;

fn sent(position: [f64; 3], rotation: Option<[f64; 4]>) -> Command {
    Command::MovePart {
        part: "box".to_owned(),
        position: Some(position),
        rotation,
    }
}

fn hanging() -> Simulation {
    let mut simulation = Simulation::new(demo("box").unwrap()).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    simulation
}

#[test]
fn a_part_that_rises_lifts_the_cable() {
    let mut simulation = hanging();
    let lowest = |s: &Simulation| {
        let nodes = s.solvers()[0].state().positions.iter();
        nodes.map(|p| p.z).fold(f64::INFINITY, f64::min)
    };
    let clear = lowest(&simulation) - 4.0 - 100.0;
    let rise = clear + 30.0;
    simulation.apply(&sent([0.0, 0.0, rise], None)).unwrap();
    let reports = simulation.solve_quietly(&CancelToken::default());
    assert_eq!(reports[0].report.status, Status::Converged);
    assert_eq!(simulation.held_parts(), []);
    assert_eq!(simulation.scene().parts[0].placement().position.z, rise);
    // Lifted, not passed through.
    let gap = simulation.clearances(10.0)[0].distance;
    assert!(gap > 0.0 && gap < 0.4, "{gap}");
    let over = simulation.solvers()[0].state().positions.iter();
    let over = over.filter(|p| (350.0..450.0).contains(&p.x));
    assert!(over.clone().count() > 5);
    assert!(over.into_iter().all(|p| p.z > 100.0 + rise + 4.0));
}

#[test]
fn a_part_that_turns_and_shifts_sweeps_the_cable_along() {
    let mut simulation = hanging();
    let clear = Simulation::clearances(&simulation, f64::INFINITY)[0].distance;
    let position = [0.0, 0.0, clear + 5.0];
    simulation.apply(&sent(position, None)).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    // About x through the origin of the part, and sideways.
    let half = 0.1_f64;
    let turn = Some([half.cos(), half.sin(), 0.0, 0.0]);
    simulation
        .apply(&sent([10.0, 20.0, clear + 10.0], turn))
        .unwrap();
    let reports = simulation.solve_quietly(&CancelToken::default());
    assert_ne!(reports[0].report.status, Status::NotConverged);
    assert_eq!(simulation.held_parts(), []);
    let gap = simulation.clearances(30.0);
    assert!(gap.iter().all(|c| c.distance > 0.0), "{gap:?}");
}

#[test]
fn a_part_stops_where_a_taut_cable_cannot_yield() {
    let mut simulation = hanging();
    // Nearly straight, and the box 20 mm under it.
    let apart = Command::MoveHandle {
        cable: "cable".to_owned(),
        handle: "end".to_owned(),
        position: Some([996.0, 0.0, 400.0]),
        rotation: None,
    };
    simulation.apply(&apart).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let clear = simulation.clearances(f64::INFINITY)[0].distance - 20.0;
    simulation.apply(&sent([0.0, 0.0, clear], None)).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    assert_eq!(simulation.held_parts(), []);
    simulation.apply(&sent([0.0, 0.0, 600.0], None)).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let [held] = simulation.held_parts() else {
        panic!("{:?}", simulation.held_parts());
    };
    assert_eq!(
        (held.part.as_str(), held.cable.as_deref()),
        ("box", Some("cable"))
    );
    assert!(held.short_by > 50.0, "{held:?}");
    let z = simulation.scene().parts[0].placement().position.z;
    assert!((600.0 - z - held.short_by).abs() < 1e-9);
    assert!(
        z > clear + 25.0,
        "it lifted the cable first: {clear} to {z}"
    );
    assert!(simulation.clearances(10.0)[0].distance > 0.0);
    assert!(simulation.solvers()[0].strain() < 0.006);
    // The document, the obstacle and a fresh start agree.
    let fresh = Simulation::new(simulation.scene().clone()).unwrap();
    assert_eq!(fresh.obstacles[0].pose(), simulation.obstacles[0].pose());
    // Back again.
    simulation.apply(&sent([0.0; 3], None)).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    assert_eq!(simulation.held_parts(), []);
    assert_eq!(simulation.scene().parts[0].placement(), &Pose::identity());
}

#[test]
fn handles_that_are_attached_go_along() {
    let mut scene = demo("box").unwrap();
    let end = (scene.cables[0].handles.iter_mut()).find(|h| h.place == HandlePlace::End);
    let end = end.unwrap();
    end.attached_to = Some("box".to_owned());
    let before = end.pose.position;
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    simulation.apply(&sent([-20.0, 0.0, 15.0], None)).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let end = *simulation.solvers()[0].state().positions.last().unwrap();
    assert!((end - before - Vec3::new(-20.0, 0.0, 15.0)).norm() < 1e-9);
}

#[test]
fn a_part_far_from_everything_just_moves() {
    let mut simulation = hanging();
    let before = simulation.solvers()[0].state().positions.clone();
    simulation.apply(&sent([0.0, 0.0, -500.0], None)).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    assert_eq!(simulation.obstacles[0].pose().position.z, -500.0);
    let after = &simulation.solvers()[0].state().positions;
    let moved = before.iter().zip(after).map(|(a, b)| (a - b).norm());
    assert!(moved.fold(0.0, f64::max) < 1e-6);
}
