//! Sliding handles and free length, while the length is set, and beneath springs.

use loomwright::scene::{Command, HandleKind, HandlePlace, Simulation, demo};
use loomwright::solve::{CancelToken, STEP_ITERATIONS, Status};

/// A frame whose iterations are counted: one that does not end is cut off after a hundred thousand.
fn frame(simulation: &mut Simulation) -> (Status, usize) {
    let cancel = CancelToken::default();
    let mut iterates = 0;
    let mut watch = |_: usize, _: &[loomwright::geom::Vec3]| {
        iterates += 1;
        if iterates > 100_000 {
            cancel.cancel();
        }
    };
    let report = simulation.solve(&cancel, &mut watch)[0].report.clone();
    (report.status, report.iterations)
}

fn solved(scene: &str) -> Simulation {
    let mut simulation = Simulation::new(demo::demo(scene).unwrap()).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    simulation
}

fn set_length(length: f64) -> Command {
    Command::SetLength {
        cable: "cable".to_owned(),
        length,
    }
}

fn sliding(at: f64, [min, max]: [f64; 2]) -> Command {
    Command::AddHandle {
        cable: "cable".to_owned(),
        name: Some("sleeve".to_owned()),
        place: HandlePlace::At(at),
        kind: HandleKind::Sliding { min, max },
        pose: None,
    }
}

/// Each stage of the new length was run back by the material, and the next one began again: for ever.
#[test]
fn a_length_that_is_set_while_it_is_free_ends() {
    for (straightness, length) in [(3.0, 900.0), (1.0, 1001.0)] {
        let mut simulation = solved("box");
        let free = Command::SetFreeLength {
            cable: "cable".to_owned(),
            straightness: Some(straightness),
        };
        simulation.apply(&free).unwrap();
        assert_eq!(frame(&mut simulation).0, Status::Converged);
        let found = simulation.scene().cables[0].length;
        simulation.apply(&set_length(length)).unwrap();
        let (status, iterations) = frame(&mut simulation);
        assert_eq!(status, Status::Converged, "{length}");
        assert!(iterations < STEP_ITERATIONS, "{length}: {iterations}");
        // The length is free: it comes back to the one that is in balance.
        let again = simulation.scene().cables[0].length;
        assert!((again - found).abs() < 0.01 * found, "{again} of {found}");
    }
}

/// The same with a sleeve, through which the cable ran back in every stage.
#[test]
fn a_length_that_is_set_while_a_sleeve_runs_ends() {
    let cases = [
        ("box", 300.0, [0.0, 400.0], 900.0),
        ("box", 300.0, [0.0, 400.0], 10.0),
        ("drag", 500.0, [100.0, 900.0], 1100.0),
    ];
    for (scene, at, limits, length) in cases {
        let mut simulation = solved(scene);
        simulation.apply(&sliding(at, limits)).unwrap();
        assert_eq!(frame(&mut simulation).0, Status::Converged);
        simulation.apply(&set_length(length)).unwrap();
        let (status, iterations) = frame(&mut simulation);
        assert_ne!(status, Status::Cancelled, "{scene} {length}");
        assert!(
            iterations < 4 * STEP_ITERATIONS,
            "{scene} {length}: {iterations}"
        );
        let cable = &simulation.scene().cables[0];
        assert!((cable.length - length).abs() < 1e-9 * length);
        let rod = simulation.solvers()[0].problem().rod.length();
        assert!((rod - length).abs() < 1e-9 * length);
    }
}

/// A spring kept its share of its edge while the edge's material ran through a sleeve: it slid along the cable.
#[test]
fn a_spring_stays_on_its_piece_of_the_cable_while_a_sleeve_runs() {
    let mut simulation = solved("drag");
    let spring = Command::AddHandle {
        cable: "cable".to_owned(),
        name: Some("spring".to_owned()),
        place: HandlePlace::At(300.0),
        kind: HandleKind::Spring { stiffness: 0.01 },
        pose: None,
    };
    simulation.apply(&spring).unwrap();
    simulation.apply(&sliding(500.0, [100.0, 900.0])).unwrap();
    frame(&mut simulation);
    let sleeve = |s: &Simulation| {
        let cable = &s.scene().cables[0];
        cable.arc_length(cable.handle("sleeve").unwrap())
    };
    let before = sleeve(&simulation);
    for step in 1..=4 {
        let start = simulation.scene().cables[0].handle("start").unwrap().pose;
        let pulled = Command::MoveHandle {
            cable: "cable".to_owned(),
            handle: "start".to_owned(),
            position: Some((start.position - 15.0 * loomwright::geom::Vec3::x()).into()),
            rotation: None,
        };
        simulation.apply(&pulled).unwrap();
        assert_eq!(frame(&mut simulation).0, Status::Converged, "{step}");
    }
    let ran = sleeve(&simulation) - before;
    assert!(ran.abs() > 5.0, "{ran} mm prove nothing");
    let cable = &simulation.scene().cables[0];
    let place = cable.arc_length(cable.handle("spring").unwrap());
    assert_eq!(place, 300.0);
    let grip = &simulation.solvers()[0].problem().grips[2];
    let rod = &simulation.solvers()[0].problem().rod;
    let held = grip.place.arc_length(rod);
    assert!(
        (held - 300.0).abs() < 1e-9,
        "{held}: the solver has it there too"
    );
    // Opened anew it is at rest where it is.
    let nodes = simulation.solvers()[0].state().positions.clone();
    let mut again = Simulation::new(simulation.scene().clone()).unwrap();
    assert_eq!(frame(&mut again).0, Status::Converged);
    let moved = super::largest_motion(&nodes, &again.solvers()[0].state().positions);
    assert!(moved < 0.1, "{moved} mm");
}
