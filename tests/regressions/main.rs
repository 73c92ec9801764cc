//! Smallest cases that once went wrong; each says what used to happen.

mod flows;
mod state;

use loomwright::geom::{Pose, Vec3};
use loomwright::scene::{Command, Scene, Simulation, demo, file};
use loomwright::solve::{Blocker, CancelToken, Report, Status};

fn move_end(simulation: &mut Simulation, position: Vec3) -> Report {
    let command = Command::MoveHandle {
        cable: "cable".to_owned(),
        handle: "end".to_owned(),
        position: Some(position.into()),
        rotation: None,
    };
    simulation.apply(&command).unwrap();
    simulation.solve_quietly(&CancelToken::default())[0]
        .report
        .clone()
}

/// Points every `step` mm along a polyline, without its start.
fn along(corners: &[Vec3], step: f64) -> Vec<Vec3> {
    let legs = corners.windows(2);
    legs.flat_map(|leg| {
        let n = ((leg[1] - leg[0]).norm() / step).round() as usize;
        let at = |k: usize| leg[0].lerp(&leg[1], k as f64 / n as f64);
        (1..=n).map(at).collect::<Vec<_>>()
    })
    .collect()
}

fn largest_motion(before: &[Vec3], after: &[Vec3]) -> f64 {
    let pairs = before.iter().zip(after);
    pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// The nearest point lay on a vertex of the sheet's rim, up to rounding: two triangles reported the same contact
/// in one iterate and one of them in the next, for ever.
#[test]
fn sliding_over_a_rim_vertex_converges() {
    let mut simulation = Simulation::new(demo::demo("drag").unwrap()).unwrap();
    let corners = [
        Vec3::new(560.0, 0.0, 440.0),
        Vec3::new(560.0, 0.0, 560.0),
        Vec3::new(760.0, 0.0, 560.0),
        Vec3::new(760.0, 0.0, 400.0),
    ];
    for (frame, position) in along(&corners, 5.0).into_iter().enumerate() {
        let report = move_end(&mut simulation, position);
        assert_eq!(report.status, Status::Converged, "frame {frame}");
        assert!(
            report.iterations < 200,
            "frame {frame}: {}",
            report.iterations
        );
    }
}

/// Where a handle was stopped by the cable's length, the report told the forces of the attempt that was given up.
#[test]
fn a_taut_cable_reports_the_forces_of_the_state_that_is_shown() {
    let scene = Scene {
        friction: 0.0,
        parts: Vec::new(),
        ..demo::demo("drag").unwrap()
    };
    let mut simulation = Simulation::new(scene).unwrap();
    let report = move_end(&mut simulation, Vec3::new(1200.0, 0.0, 440.0));
    let handle = report.handles[1];
    assert_eq!(handle.blocker, Some(Blocker::Length { around: None }));
    assert!(handle.force.norm() > 10.0, "taut: {}", handle.force);

    // The same state, solved afresh with the handle where it stopped.
    let stopped = simulation.scene().cables[0].shape.clone().unwrap().clamps[1].unwrap();
    let mut scene = simulation.scene().clone();
    scene.cables[0].handles[1].pose = stopped;
    let mut fresh = Simulation::new(scene).unwrap();
    let again = fresh.solve_quietly(&CancelToken::default())[0]
        .report
        .clone();
    assert_eq!(again.status, Status::Converged);
    let difference = (again.handles[1].force - handle.force).norm();
    assert!(difference < 1e-3 * handle.force.norm(), "{difference} N");
}

/// A cable made shorter than the distance between its handles was "in equilibrium", 12 % longer than at rest,
/// without a word.
#[test]
fn a_cable_that_is_too_short_says_so() {
    let scene = Scene {
        parts: Vec::new(),
        ..demo::demo("drag").unwrap()
    };
    let mut simulation = Simulation::new(scene).unwrap();
    let command = Command::SetLength {
        cable: "cable".to_owned(),
        length: 500.0,
    };
    simulation.apply(&command).unwrap();
    let report = simulation.solve_quietly(&CancelToken::default())[0]
        .report
        .clone();
    assert!(report.is_overstretched() && report.largest_strain > 0.1);
}

/// One undamped iteration threw a cable that lay over the cylinder 130 mm sideways, round its end, and the step ended
/// below it.
#[test]
fn a_draped_cable_is_not_thrown_off() {
    let mut scene = demo::demo("cylinder").unwrap();
    scene.cables[0].shape = None;
    let simulation = Simulation::new(scene).unwrap();
    // Both handles go to where the drag begins, together, in 5 mm steps.
    let mut solver = simulation.solvers()[0].clone();
    let rotation = solver.state().clamps[0].unwrap();
    let cancel = CancelToken::default();
    let from = [Vec3::new(0.0, 0.0, 400.0), Vec3::new(800.0, 0.0, 400.0)];
    let corners = [
        Vec3::new(800.0, -100.0, 400.0),
        Vec3::new(800.0, -100.0, 200.0),
    ];
    let to = [Vec3::new(0.0, 0.0, 200.0), corners[0]];
    for k in 0..=40 {
        let at = |end: usize| from[end].lerp(&to[end], f64::from(k) / 40.0);
        let targets = [0, 1].map(|end| {
            let position = at(end);
            Some(Pose { position, rotation }.into())
        });
        solver.step(&targets, &cancel, None);
    }
    for position in along(&corners, 5.0) {
        let before = solver.state().positions.clone();
        let end = Pose { position, rotation };
        let report = solver.step(&[None, Some(end.into())], &cancel, None);
        assert_eq!(report.status, Status::Converged);
        let motion = largest_motion(&before, &solver.state().positions);
        assert!(motion < 60.0, "{motion} mm at {position}");
    }
}

/// With friction switched off, the next solve rested under the old friction and called it converged.
#[test]
fn a_cable_moves_when_friction_is_switched_off() {
    let scene = Scene {
        friction: 0.6,
        ..demo::demo("cylinder").unwrap()
    };
    let mut simulation = Simulation::new(scene).unwrap();
    let corners = [
        Vec3::new(800.0, 0.0, 400.0),
        Vec3::new(800.0, 0.0, 250.0),
        Vec3::new(800.0, 60.0, 250.0),
    ];
    for position in along(&corners, 5.0) {
        move_end(&mut simulation, position);
    }
    let before = simulation.solvers()[0].state().positions.clone();
    simulation
        .apply(&Command::SetFriction { friction: 0.0 })
        .unwrap();
    let report = simulation.solve_quietly(&CancelToken::default())[0]
        .report
        .clone();
    assert!(!report.contacts.is_empty(), "still on the cylinder");
    let motion = largest_motion(&before, &simulation.solvers()[0].state().positions);
    assert!(motion > 0.5, "{motion} mm");
}

/// The first cable touches the second on a way that it gives up. The second had not been brought to rest by then, and was
/// reported as not converged, until the next step.
#[test]
fn a_cable_that_was_woken_on_a_way_given_up_comes_to_rest_in_the_same_step() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/woken.scene.json"
    );
    let (scene, _) = file::load(path.as_ref()).unwrap();
    let mut simulation = Simulation::new(scene).unwrap();
    let reports = simulation.solve_quietly(&CancelToken::default());
    let found: Vec<Status> = reports.iter().map(|r| r.report.status).collect();
    assert_eq!(found, [Status::Blocked, Status::Converged]);
    assert!(reports[1].report.residual <= reports[1].report.tolerance);
}

/// Two ends that a junction had held stayed in one place when it was gone. What overlapped there was no contact, but became
/// one as soon as it moved out of the overlap, with all the force of a gap of nothing: the cable that was made longer ended
/// with 1,500 N out of balance.
#[test]
fn ends_that_were_left_inside_each_other_let_their_cables_come_to_rest() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/detached.scene.json"
    );
    let (scene, _) = file::load(path.as_ref()).unwrap();
    let mut simulation = Simulation::new(scene).unwrap();
    let reports = simulation.solve_quietly(&CancelToken::default());
    for report in reports.iter() {
        let report = &report.report;
        assert!(
            matches!(report.status, Status::Converged | Status::Blocked),
            "{report:?}"
        );
        assert!(report.residual <= report.tolerance);
    }
    // It is said that they overlap, and what is at rest is at rest when it is opened again.
    let overlaps = simulation.clearances(0.0);
    assert!(overlaps.iter().any(|c| c.distance < -7.9), "{overlaps:?}");
    let rest = simulation.scene().clone();
    let mut again = Simulation::new(rest.clone()).unwrap();
    again.solve_quietly(&CancelToken::default());
    for (before, after) in rest.cables.iter().zip(&again.scene().cables) {
        let points = |c: &loomwright::scene::Cable| c.shape.as_ref().unwrap().points.clone();
        assert_eq!(points(before), points(after));
    }
}

/// A handle that a part stops was searched for again in every frame of a drag into the part.
#[test]
fn a_handle_that_is_stopped_is_not_searched_for_again_in_that_direction() {
    let mut simulation = Simulation::new(demo::demo("drag").unwrap()).unwrap();
    move_end(&mut simulation, Vec3::new(400.0, 0.0, 200.0));
    let stopped = move_end(&mut simulation, Vec3::new(400.0, 0.0, 60.0));
    let blocker = stopped.handles[1].blocker;
    assert!(matches!(blocker, Some(Blocker::Obstacle(_))), "{blocker:?}");
    // Deeper, and less aside than can be seen.
    for (x, z) in [(400.0, 50.0), (400.02, 20.0)] {
        let report = move_end(&mut simulation, Vec3::new(x, 0.0, z));
        assert_eq!(report.status, Status::Blocked);
        assert_eq!(report.handles[1].blocker, blocker);
        let short = stopped.handles[1].short_by + (60.0 - z);
        assert!((report.handles[1].short_by - short).abs() < 0.1);
        assert_eq!(report.island, None, "it sleeps");
    }
    // A little to the side it slides, however deep it is pulled, and away from the part it is free.
    move_end(&mut simulation, Vec3::new(402.0, 0.0, 20.0));
    let end = |s: &Simulation| {
        s.scene().cables[0]
            .shape
            .as_ref()
            .unwrap()
            .points
            .last()
            .unwrap()
            .x
    };
    assert!(end(&simulation) > 401.5, "{}", end(&simulation));
    let aside = move_end(&mut simulation, Vec3::new(430.0, 0.0, 50.0));
    assert!(aside.iterations > 0 && aside.handles[1].short_by < 54.2);
    let free = move_end(&mut simulation, Vec3::new(400.0, 0.0, 250.0));
    assert_eq!(free.status, Status::Converged);
}
