//! Handles of cables that are in each other's way, sent to random places.
//!
//! `LOOMWRIGHT_DRAG_STEPS` sets the number of frames of each scene (the default keeps the suite short),
//! `LOOMWRIGHT_DRAG_SEED` another series of them: `LOOMWRIGHT_DRAG_STEPS=7500 cargo test --release --test cables random -- --nocapture`
//! is the long run.

use loomwright::check::CableChecker;
use loomwright::contact::pair::OWN_WINDOW;
use loomwright::geom::{Rotation, Vec3};
use loomwright::solve::{Blocker, Budget, Pairs, Solver, Status, Target, step_coupled};

use super::scenes;

/// What became of the frames.
#[derive(Debug, Default)]
struct Tally {
    frames: usize,
    reached: usize,
    /// Held by the length of the cable: smaller steps creep a little further.
    taut: usize,
    blocked: usize,
    missed: usize,
    /// Came to no equilibrium within the iterations of a frame, and to none at all.
    late: usize,
    not_converged: usize,
    /// In equilibrium, but not yet at their targets when the frame's iterations were used up.
    on_the_way: usize,
    touching: usize,
    smallest_gap: f64,
    crossings: usize,
    worst_ms: f64,
    iterations: usize,
}

/// Iterations of a frame, as in the window.
const ITERATIONS: usize = 200;

/// Frames after which the cables start again from their first shape.
const SERIES: usize = 100;

/// How far a handle goes from where it starts, mm.
const REACH: f64 = 100.0;

/// Frames of a scene: so many unless told.
fn frames(few: usize) -> usize {
    number("LOOMWRIGHT_DRAG_STEPS").unwrap_or(few)
}

/// A number that the environment gives.
fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

struct Group {
    rods: Vec<Solver>,
    pairs: Pairs,
    targets: Vec<Vec<Option<Target>>>,
}

impl Group {
    fn new(rods: Vec<Solver>) -> Self {
        let targets = rods.iter().map(|rod| {
            let grips = 0..rod.problem().grips.len();
            grips.map(|k| Some(rod.grip_pose(k).into())).collect()
        });
        Self {
            targets: targets.collect(),
            rods,
            pairs: Pairs::default(),
        }
    }

    fn step(
        &mut self,
        budget: &Budget,
        on_iterate: &mut dyn FnMut(usize, &[Vec3]),
    ) -> Vec<loomwright::solve::Report> {
        let targets: Vec<&[Option<Target>]> = self.targets.iter().map(Vec::as_slice).collect();
        step_coupled(
            &mut self.rods,
            &mut self.pairs,
            &[],
            &targets,
            budget,
            Some(on_iterate),
        )
        .into_vec()
    }

    /// Lets go: handles that were stopped stay where they are.
    fn let_go(&mut self) {
        for (rod, targets) in self.rods.iter().zip(&mut self.targets) {
            for (k, target) in targets.iter_mut().enumerate() {
                let target = target.as_mut().unwrap();
                let roll = rod.grip_roll(k);
                target.pose = rod.grip_pose(k);
                target.pose.rotation *= Rotation::from_scaled_axis(Vec3::z() * -roll);
                target.roll = roll;
            }
        }
    }
}

impl Clone for Group {
    fn clone(&self) -> Self {
        Self {
            rods: self.rods.clone(),
            pairs: self.pairs.clone(),
            targets: self.targets.clone(),
        }
    }
}

fn unit(rng: &mut fastrand::Rng) -> Vec3 {
    loop {
        let v = Vec3::from_fn(|_, _| 2.0 * rng.f64() - 1.0);
        if v.norm() > 0.1 && v.norm() < 1.0 {
            return v.normalize();
        }
    }
}

fn drive(name: &str, rods: Vec<Solver>, seed: u64, few: usize) -> Tally {
    let series = number("LOOMWRIGHT_DRAG_SEED").unwrap_or(0) as u64;
    let mut rng = fastrand::Rng::with_seed(1000 * series + seed);
    let mut fresh = Group::new(rods);
    let whole = Budget::of_iterations(usize::MAX);
    fresh.step(&whole, &mut |_, _| {});
    let budget = Budget::of_iterations(ITERATIONS);
    let home = fresh.targets.clone();
    let mut tally = Tally {
        smallest_gap: f64::INFINITY,
        ..Tally::default()
    };
    let mut group = fresh.clone();
    let mut judge = None;
    let verbose = std::env::var_os("LOOMWRIGHT_DRAG_VERBOSE").is_some();
    for frame in 0..frames(few) {
        if frame % SERIES == 0 {
            group = fresh.clone();
            close(judge.take(), &mut tally);
            let mut new = CableChecker::new();
            for rod in &group.rods {
                let radius = rod.problem().radius;
                new.add(radius, OWN_WINDOW * radius, &rod.state().positions);
            }
            judge = Some(new);
        }
        let judge = judge.as_mut().unwrap();
        let r = rng.usize(0..group.rods.len());
        let k = rng.usize(0..group.targets[r].len());
        // From 0.1 to 200 mm, evenly on a log scale, and not too far from home.
        let way = unit(&mut rng) * (0.1 * 2000.0_f64.powf(rng.f64()));
        let from = group.targets[r][k].unwrap();
        let at_home = home[r][k].unwrap().pose.position;
        let mut to = from;
        to.pose.position += way;
        let off = to.pose.position - at_home;
        if off.norm() > REACH {
            to.pose.position = at_home + off * (REACH / off.norm());
        }
        let turn = unit(&mut rng) * (rng.f64() * 60.0_f64.to_radians());
        if rng.usize(0..3) == 0 {
            to.pose.rotation *= Rotation::from_scaled_axis(turn);
        }
        let before = group.clone();
        group.targets[r][k] = Some(to);
        let mut reports = group.step(&budget, &mut |rod, nodes| judge.push(rod, nodes));
        let any = |status: Status| reports.iter().any(|r| r.status == status);
        let (late, on_the_way) = (any(Status::NotConverged), any(Status::OnTheWay));
        if late || on_the_way {
            // As in the window: what is left is solved without a limit.
            tally.late += usize::from(late);
            tally.on_the_way += usize::from(!late);
            reports = group.step(&whole, &mut |rod, nodes| judge.push(rod, nodes));
        }
        tally.frames += 1;
        tally.touching += usize::from(reports.iter().any(|r| !r.rod_contacts.is_empty()));
        let cpu: f64 = reports.iter().map(|r| r.cpu_ms).sum();
        tally.worst_ms = tally.worst_ms.max(cpu);
        let iterations = reports.iter().map(|r| r.iterations).max().unwrap();
        tally.iterations += iterations;
        for rod in &group.rods {
            assert!(rod.state().is_finite());
        }
        let worst = reports.iter().map(|r| r.status);
        let not_converged = worst.clone().any(|s| s == Status::NotConverged);
        if not_converged {
            tally.not_converged += 1;
            println!("{name} {frame}: not converged, {:?}", reports[r].handles[k]);
        } else if worst.clone().all(|s| s == Status::Converged) {
            tally.reached += 1;
        } else if reports[r].handles[k]
            .blocker
            .is_some_and(|b| matches!(b, Blocker::Length { .. }))
        {
            tally.taut += 1;
        } else {
            // Reachable by smaller steps?
            let mut slow = before;
            let reached = (1..=20).all(|n| {
                let mut small = from;
                let f = f64::from(n) / 20.0;
                small.pose.position = from.pose.position.lerp(&to.pose.position, f);
                small.pose.rotation = from.pose.rotation.slerp(&to.pose.rotation, f);
                slow.targets[r][k] = Some(small);
                let reports = slow.step(&whole, &mut |_, _| {});
                reports.iter().all(|r| r.status == Status::Converged)
            });
            if reached && verbose {
                println!(
                    "{name} {frame}: missed {} mm, {:?} its {}",
                    way.norm(),
                    reports[r].handles[k],
                    reports[r].iterations
                );
            }
            tally.missed += usize::from(reached);
            tally.blocked += usize::from(!reached);
        }
        if cpu > 500.0 && verbose {
            println!(
                "{name} {frame}: {cpu:.0} ms, {:?}",
                reports
                    .iter()
                    .map(|r| (r.status, r.iterations))
                    .collect::<Vec<_>>()
            );
        }
        group.let_go();
    }
    close(judge, &mut tally);
    println!("{name}: {tally:?}");
    tally
}

fn close(judge: Option<CableChecker>, tally: &mut Tally) {
    if let Some(judge) = judge {
        let summary = judge.finish();
        tally.crossings += summary.n_crossings;
        tally.smallest_gap = tally.smallest_gap.min(summary.smallest_gap);
    }
}

fn check(tally: &Tally) {
    assert_eq!(tally.crossings, 0, "a cable went through a cable");
    assert!(tally.smallest_gap >= -0.01, "{tally:?}");
    assert!(
        tally.touching * 20 > tally.frames,
        "a drag without contact proves nothing"
    );
    assert!(
        tally.not_converged * 1000 <= tally.frames.max(1000),
        "{tally:?}"
    );
    assert!(tally.late * 1000 <= tally.frames.max(1000), "{tally:?}");
    assert!(
        tally.reached * 100 >= (tally.reached + tally.missed) * 95,
        "{tally:?}"
    );
}

#[test]
fn random_drags_of_crossing_cables() {
    check(&drive("crossing", scenes::crossing(), 1, 100));
}

#[test]
fn random_drags_of_cables_side_by_side() {
    check(&drive("beside", scenes::beside(), 2, 100));
}

#[test]
fn random_drags_of_a_cable_in_a_loop() {
    check(&drive("looped", scenes::looped(), 3, 100));
}

#[test]
fn random_drags_of_a_bundle_of_two() {
    check(&drive("bundle of 2", scenes::bundle(2), 6, 100));
}

#[test]
fn random_drags_of_a_bundle_of_four() {
    // The frames 100 and 101 oscillated about their rest for ever.
    check(&drive("bundle of 4", scenes::bundle(4), 4, 104));
}

#[test]
fn random_drags_of_a_bundle_of_eight() {
    check(&drive("bundle of 8", scenes::bundle(8), 5, 30));
}
