//! A cable of radius 3 mm is threaded through a hole of radius 3.2 mm by dragging its end.

use loomwright::check::{Checker, Iterate, TraceChecker};
use loomwright::geom::{Pose, Vec3};
use loomwright::mesh::primitives;
use loomwright::scene::{Part, Scene, Simulation, demo};
use loomwright::solve::{CancelToken, Status};

use crate::drag::move_end;

/// Steps sideways after the hole.
const SIDEWAYS: u64 = 8;

/// The demo with a hole of so many sides.
fn grommet(n_sides: usize) -> Scene {
    let mut scene = demo::demo("grommet").unwrap();
    assert_eq!(scene.cables[0].radius, 3.0);
    let sheet = primitives::sheet_with_hole(
        &Vec3::new(620.0, -100.0, 340.0),
        &(Vec3::y() * 200.0),
        &(Vec3::z() * 200.0),
        [100.0, 100.0],
        3.2,
        n_sides,
    );
    let plate = primitives::thickened(&sheet, &(Vec3::x() * -1.0));
    scene.parts[0] = Part::new("plate", plate);
    scene
}

/// Through the hole in steps of `step` mm, then sideways; every accepted iterate is judged.
fn thread(scene: Scene, step: f64, beside: Vec3) {
    let radius = scene.cables[0].radius;
    let plate = scene.parts[0].clone();
    let checker = Checker::new([(plate.name.as_str(), &**plate.mesh())]);
    let mut judge = TraceChecker::new(&checker, 2.0 * radius);
    let mut simulation = Simulation::new(scene).unwrap();
    let cancel = CancelToken::default();
    simulation.solve_quietly(&cancel);
    let mut iterate = 0;
    let mut push = |frame: u64, points: &[Vec3]| {
        iterate += 1;
        judge.push(&Iterate {
            frame,
            iterate,
            cable: "cable",
            radius,
            radii: &[],
            points,
            restart: iterate == 1,
        });
    };
    push(0, &simulation.solvers()[0].state().positions);
    let n = (240.0 / step).round() as u64;
    let mut in_contact = 0;
    for frame in 1..=n + SIDEWAYS {
        let way = step * frame.min(n) as f64;
        let sideways = step * frame.saturating_sub(n) as f64;
        let target = Vec3::new(560.0 + way, sideways, 440.0) + beside;
        simulation.apply(&move_end(target)).unwrap();
        let report = simulation.solve(&cancel, &mut |_, points| push(frame, points))[0]
            .report
            .clone();
        assert_eq!(
            report.status,
            Status::Converged,
            "frame {frame}: {report:?}"
        );
        in_contact += usize::from(!report.contacts.is_empty());
        let end: Pose = simulation.solvers()[0].state().clamp_pose(1).unwrap();
        assert!((end.position - target).norm() < 1e-9);
        if frame == n {
            let behind = simulation.solvers()[0].state().positions.iter();
            let n_behind = behind.filter(|p| p.x > 620.0).count();
            assert!(n_behind > 15, "{n_behind} nodes are through");
        }
    }
    let summary = judge.finish();
    assert_eq!(summary.n_crossings, 0, "{:?}", summary.crossings.first());
    let gap = summary.smallest_gap.unwrap().gap.gap;
    assert!(gap > 0.0, "{gap}");
    assert!(2 * in_contact as u64 > n, "{in_contact} frames in contact");
    println!("{n} frames in steps of {step} mm: smallest gap {gap:.4} mm");
}

#[test]
fn a_hole_that_is_hardly_wider_is_threaded_by_dragging() {
    thread(grommet(24), 5.0, Vec3::zeros());
}

#[test]
fn it_is_threaded_a_little_beside_its_middle_too() {
    thread(grommet(32), 8.0, Vec3::new(0.0, 0.03, -0.04));
}

/// Drags the end through the hole and back again: the steps of the way back that arrived, of how many, and the nodes
/// that are left behind the plate.
fn there_and_back(friction: f64, step: f64) -> (u32, u32, usize) {
    let steps = (240.0 / step) as u32;
    let mut scene = grommet(24);
    scene.friction = friction;
    let mut simulation = Simulation::new(scene).unwrap();
    let cancel = CancelToken::default();
    simulation.solve_quietly(&cancel);
    let mut arrived = 0;
    for (frame, way) in (1..=steps).chain((0..steps).rev()).enumerate() {
        let target = Vec3::new(560.0 + step * f64::from(way), 0.0, 440.0);
        simulation.apply(&move_end(target)).unwrap();
        let report = simulation.solve_quietly(&cancel)[0].report.clone();
        assert_ne!(report.status, Status::NotConverged, "frame {frame}");
        if frame as u32 >= steps {
            arrived += u32::from(report.status == Status::Converged);
        }
    }
    let nodes = simulation.solvers()[0].state().positions.iter();
    (arrived, steps, nodes.filter(|p| p.x > 620.0).count())
}

#[test]
fn pulled_back_it_comes_out_again_unless_friction_holds_it() {
    let (arrived, of, behind) = there_and_back(0.0, 5.0);
    assert_eq!((arrived, behind), (of, 0));
    // What is pushed back makes a loop behind the plate, until the handle is held by it; and it is said.
    let (arrived, of, behind) = there_and_back(0.2, 8.0);
    println!("friction 0.2: {arrived} of {of} steps, {behind} nodes left behind");
    assert!(arrived < of && behind > 15, "{arrived} {behind}");
}
