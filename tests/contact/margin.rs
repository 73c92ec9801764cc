//! Margins: a distance that cables keep from parts.

use loomwright::check::Checker;
use loomwright::geom::Vec3;
use loomwright::scene::{Scene, Simulation, demo};
use loomwright::solve::{Blocker, CancelToken, Status};

use crate::drag::{drag, move_end};

/// Frames of the drag: all 500 of the acceptance when asked for.
fn frames() -> usize {
    std::env::var("LOOMWRIGHT_MARGIN_FRAMES")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(60)
}

fn with_margin(name: &str, margin: f64) -> Scene {
    let mut scene = demo::demo(name).unwrap();
    scene.parts[0].margin = Some(margin);
    scene
}

/// Smallest distance of the cable's surface from the first part, by the independent checker.
fn true_gap(simulation: &Simulation) -> f64 {
    let scene = simulation.scene();
    let part = &scene.parts[0];
    let checker = Checker::new([(part.name.as_str(), &**part.mesh())]);
    let points = &simulation.solvers()[0].state().positions;
    let gap = checker
        .smallest_gap(points, scene.cables[0].radius, 100.0)
        .unwrap();
    gap.map_or(f64::INFINITY, |g| g.gap)
}

#[test]
fn no_frame_of_a_drag_comes_nearer_than_the_margin() {
    for name in ["box", "cylinder"] {
        let mut smallest = f64::INFINITY;
        let mut touching = 0;
        drag(
            with_margin(name, 6.0),
            frames(),
            |frame, simulation, reports| {
                let report = &reports[0].report;
                assert_ne!(report.status, Status::NotConverged, "{name}, frame {frame}");
                touching += usize::from(!report.contacts.is_empty());
                smallest = smallest.min(true_gap(simulation));
                if let Some(gap) = report.smallest_gap {
                    assert!(gap > 6.0, "{name}, frame {frame}: reported {gap}");
                }
            },
        );
        println!("{name}: smallest gap {smallest:.4} mm, {touching} frames in contact");
        assert!(smallest > 5.9, "{name}: {smallest}");
        assert!(smallest < 6.4, "{name}: the margin was reached, {smallest}");
        assert!(touching > frames() / 4, "{name}: {touching} in contact");
    }
}

#[test]
fn the_margin_of_the_scene_holds_where_the_part_has_none() {
    let mut scene = demo::demo("box").unwrap();
    scene.margin = 6.0;
    let smallest = |scene: &Scene| {
        let mut smallest = f64::INFINITY;
        drag(scene.clone(), 10, |_, simulation, _| {
            smallest = smallest.min(true_gap(simulation));
        });
        smallest
    };
    let gap = smallest(&scene);
    assert!((5.9..6.4).contains(&gap), "{gap}");
    scene.margin = 1.0;
    scene.parts[0].margin = Some(6.0);
    assert_eq!(gap, smallest(&scene));
}

#[test]
fn a_handle_stops_at_the_margin() {
    let mut simulation = Simulation::new(with_margin("box", 6.0)).unwrap();
    let cancel = CancelToken::default();
    simulation.solve_quietly(&cancel);
    // Straight into the top of the box.
    for position in [Vec3::new(430.0, 0.0, 200.0), Vec3::new(430.0, 0.0, 50.0)] {
        simulation.apply(&move_end(position)).unwrap();
        let reports = simulation.solve_quietly(&cancel);
        let handle = reports[0].report.handles[1];
        if position.z == 50.0 {
            assert_eq!(handle.blocker, Some(Blocker::Obstacle(0)));
        }
    }
    let end = *simulation.solvers()[0].state().positions.last().unwrap();
    assert!((110.0..110.5).contains(&end.z), "{end:?}");
}

#[test]
fn a_cable_that_starts_inside_a_margin_is_free_to_leave_and_then_kept_out() {
    // Draped over the box first; then the margin is raised.
    let mut scene = demo::demo("box").unwrap();
    scene.friction = 0.0;
    let cancel = CancelToken::default();
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&cancel);
    let low = Vec3::new(800.0, 0.0, 150.0);
    simulation.apply(&move_end(low)).unwrap();
    simulation.solve_quietly(&cancel);
    let before = simulation.scene().clone();
    let touching = true_gap(&simulation);
    assert!(touching < 0.4);

    let mut raised = before.clone();
    raised.parts[0].margin = Some(6.0);
    simulation.replace_scene(raised).unwrap();
    let reports = simulation.solve_quietly(&cancel);
    assert_eq!(reports[0].report.status, Status::Converged);
    assert!(!simulation.start_contacts().is_empty());
    // What there is, is kept: it does not jump out, nor sink in.
    let gap = true_gap(&simulation);
    assert!(gap > 0.0 && gap < touching + 0.5, "{gap}");

    // Lifted off and put back, it keeps the margin.
    for (position, inside) in [(Vec3::new(800.0, 0.0, 500.0), false), (low, false)] {
        simulation.apply(&move_end(position)).unwrap();
        let reports = simulation.solve_quietly(&cancel);
        assert_eq!(reports[0].report.status, Status::Converged);
        assert_eq!(!simulation.start_contacts().is_empty(), inside);
    }
    let gap = true_gap(&simulation);
    assert!((5.99..6.4).contains(&gap), "{gap}");
}
