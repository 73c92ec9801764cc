//! The same scenes over time: handles are thrown about at random speeds, and every accepted iterate is judged.
//!
//! `LOOMWRIGHT_MOTION_STEPS` sets the number of time steps of each scene.

use loomwright::check::{Checker, Iterate, TraceChecker};
use loomwright::geom::{Pose, Vec3};
use loomwright::scene::{Scene, Simulation, demo};
use loomwright::solve::{Budget, CancelToken, Status, TimeRule};

use super::drive::{Limits, command, next_target, threaded};

/// Time steps after which the cable starts again from its first shape, and those after which the other rule goes on.
const SERIES: usize = 400;
const TURN: usize = 80;
/// Iterations of a stage, as in the player.
const ITERATIONS: usize = 400;

fn steps() -> usize {
    let steps = std::env::var("LOOMWRIGHT_MOTION_STEPS").ok();
    steps.and_then(|v| v.parse().ok()).unwrap_or(160)
}

/// Between two poses.
fn between(from: &Pose, to: &Pose, share: f64) -> Pose {
    Pose {
        position: from.position.lerp(&to.position, share),
        rotation: from.rotation.slerp(&to.rotation, share),
    }
}

fn run(name: &str, scene: Scene, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let limits = Limits::around(&scene, 60.0);
    let radius = scene.cables[0].radius;
    let budget = Budget::of_iterations(ITERATIONS);
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let parts = simulation.scene().parts.iter();
    let checker = Checker::new(parts.map(|p| (p.name.as_str(), &**p.mesh())));
    let mut judge = TraceChecker::new(&checker, 2.0 * radius);
    let fresh = simulation.clone();
    let mut n_iterates = 0;
    let mut push = |judge: &mut TraceChecker, frame: usize, points: &[Vec3], restart: bool| {
        n_iterates += 1;
        judge.push(&Iterate {
            frame: frame as u64,
            iterate: n_iterates,
            cable: "cable",
            radius,
            radii: &[],
            points,
            restart,
        });
    };
    let (mut unsolved, mut contacts) = (0, 0);
    // End, where it comes from, where it goes to, and in how many steps.
    let mut way = None;
    let mut gone = 0;
    let (steps, mut ms) = (steps(), [Vec::new(), Vec::new()]);
    for step in 0..steps {
        if step % SERIES == 0 {
            simulation = fresh.clone();
            simulation.set_in_motion(0.5, None);
            let start = &simulation.solvers()[0].state().positions;
            push(&mut judge, step, start, true);
            way = None;
        }
        let (end, from, to, count) = *way.get_or_insert_with(|| {
            let (end, to) = next_target(&mut rng, &simulation, &limits);
            let from = simulation.solvers()[0].state().clamp_pose(end).unwrap();
            gone = 0;
            (end, from, to, rng.usize(2..10))
        });
        gone += 1;
        let share = gone as f64 / count as f64;
        let rule = if (step / TURN).is_multiple_of(2) {
            TimeRule::Euler
        } else {
            TimeRule::SecondOrder
        };
        let mut plan = |simulation: &mut Simulation, at: f64| {
            let share = share - (1.0 - at / 0.005) / count as f64;
            simulation.apply(&command(end, &between(&from, &to, share)))
        };
        let mut on_iterate = |_: usize, now: &[Vec3]| push(&mut judge, step + 1, now, false);
        let moved = simulation.advance(rule, 0.005, &budget, Some(&mut on_iterate), &mut plan);
        let report = moved.unwrap()[0].report.clone();
        on_iterate(0, &simulation.solvers()[0].state().positions);
        ms[usize::from(rule == TimeRule::SecondOrder)].push(report.cpu_ms);
        contacts += usize::from(!report.contacts.is_empty());
        unsolved += usize::from(!matches!(
            report.status,
            Status::Converged | Status::Blocked
        ));
        if report.status != Status::Converged {
            let now = simulation.solvers()[0].state().clamp_pose(end).unwrap();
            simulation.apply(&command(end, &now)).unwrap();
            way = None;
        } else if gone == count {
            way = None;
        }
    }
    let summary = judge.finish();
    let gap = summary.smallest_gap.map_or(f64::INFINITY, |g| g.gap.gap);
    println!(
        "{name}: {steps} time steps, {} iterates, {} crossings, smallest gap {:.4} r, contact in {contacts}, {unsolved} not converged",
        summary.iterates,
        summary.n_crossings,
        gap / radius,
    );
    for (ms, rule) in ms.iter_mut().zip(["Euler", "second order"]) {
        ms.sort_by(f64::total_cmp);
        let at = |share: f64| ms[(share * (ms.len() - 1) as f64) as usize];
        if !ms.is_empty() {
            let [median, p95, worst] = [0.5, 0.95, 1.0].map(at);
            println!("{name}, {rule}: CPU ms median {median:.2}, p95 {p95:.2}, worst {worst:.1}");
        }
    }
    assert_eq!(summary.n_not_finite, 0);
    assert_eq!(summary.n_crossings, 0, "a cable went through a part");
    assert!(gap >= -0.01 * radius, "penetration of {} mm", -gap);
    assert!(
        contacts > steps / 20,
        "a motion without contact proves nothing"
    );
    assert!(
        unsolved * 50 <= steps,
        "{unsolved} of {steps} steps not converged"
    );
}

#[test]
fn pocket_over_time() {
    run("pocket", demo::demo("pocket").unwrap(), 11);
}

#[test]
fn sheet_over_time() {
    run("sheet", demo::demo("sheet").unwrap(), 12);
}

#[test]
fn box_over_time() {
    run("box", demo::demo("box").unwrap(), 13);
}

#[test]
fn cylinder_over_time() {
    run("cylinder", demo::demo("cylinder").unwrap(), 14);
}

/// Through a hole with 1 mm of room.
#[test]
fn hole_over_time() {
    run("hole", threaded(), 15);
}
