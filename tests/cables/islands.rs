//! Cables that do not touch go each its own way.

use loomwright::geom::Vec3;
use loomwright::scene::{CableReports, Command, Scene, Simulation, demo};
use loomwright::solve::{Blocker, CancelToken, Status};

/// The box demo, and a copy of its cable, `other`, 300 mm beside it.
fn two() -> Scene {
    let mut scene = demo::demo("box").unwrap();
    let mut other = scene.cables[0].clone();
    "other".clone_into(&mut other.name);
    let aside = Vec3::y() * 300.0;
    for handle in &mut other.handles {
        handle.pose.position += aside;
    }
    if let Some(shape) = &mut other.shape {
        shape.points.iter_mut().for_each(|p| *p += aside);
        for clamp in shape.clamps.iter_mut().flatten() {
            clamp.position += aside;
        }
    }
    scene.cables.push(other);
    scene
}

fn solve(simulation: &mut Simulation) -> CableReports {
    simulation.solve_quietly(&CancelToken::default())
}

fn send(simulation: &mut Simulation, cable: &str, position: [f64; 3]) {
    let command = Command::MoveHandle {
        cable: cable.to_owned(),
        handle: "end".to_owned(),
        position: Some(position),
        rotation: None,
    };
    simulation.apply(&command).unwrap();
}

/// All that were awake shared their iterations, their line search and their status.
#[test]
fn a_cable_goes_its_way_as_if_another_far_from_it_were_not_there() {
    let mut alone = Simulation::new(demo::demo("box").unwrap()).unwrap();
    let mut both = Simulation::new(two()).unwrap();
    let mut shared = 0;
    for frame in 0..14 {
        if frame > 0 {
            let way = f64::from(frame);
            let down = [800.0, 4.0 * way, 400.0 - 25.0 * way];
            send(&mut alone, "cable", down);
            send(&mut both, "cable", down);
            send(&mut both, "other", [800.0 - 9.0 * way, 300.0, 400.0]);
        }
        let (one, two) = (solve(&mut alone), solve(&mut both));
        let (one, two) = (&one[0].report, [&two[0].report, &two[1].report]);
        assert_eq!(one.status, two[0].status, "frame {frame}");
        assert_eq!(one.iterations, two[0].iterations, "frame {frame}");
        shared += usize::from(two[0].iterations != two[1].iterations);
        let nodes = |s: &Simulation| s.solvers()[0].state().positions.clone();
        assert!(nodes(&alone) == nodes(&both), "frame {frame}");
    }
    assert!(shared > 5, "each has iterations of its own");
}

/// A handle that a part held was sent against it again in every frame of every other cable.
#[test]
fn what_is_blocked_is_not_tried_again_before_something_has_changed() {
    let mut simulation = Simulation::new(two()).unwrap();
    solve(&mut simulation);
    // Against the side of the box, and into it.
    for x in [700.0, 600.0, 500.0, 400.0] {
        send(&mut simulation, "cable", [x, 0.0, 50.0]);
        solve(&mut simulation);
    }
    let first = solve(&mut simulation);
    assert_eq!(first[0].report.status, Status::Blocked);
    for frame in 0..6 {
        send(
            &mut simulation,
            "other",
            [800.0, 301.0 + f64::from(frame), 400.0],
        );
        let reports = solve(&mut simulation);
        let [held, free] = [&reports[0].report, &reports[1].report];
        assert_eq!(held.status, Status::Blocked);
        assert_eq!(held.iterations, 0, "frame {frame}");
        assert_eq!(held.length, first[0].report.length);
        let end = held.handles.last().unwrap();
        assert!(end.short_by > 1.0);
        assert_eq!(end.blocker, Some(Blocker::Obstacle(0)));
        assert!(free.iterations > 0);
        assert_eq!(free.status, Status::Converged);
    }
    // A part that goes away lets it on.
    let away = Command::MovePart {
        part: "box".to_owned(),
        position: Some([0.0, 0.0, -600.0]),
        rotation: None,
    };
    simulation.apply(&away).unwrap();
    let reports = solve(&mut simulation);
    assert_eq!(reports[0].report.status, Status::Converged);
    assert!(reports[0].report.iterations > 0);
}
