//! Drives the end handles of a scene's cable at random, and judges every accepted iterate.

use std::fmt;

use loomwright::check::{Checker, Iterate, TraceChecker};
use loomwright::geom::{Aabb, Pose, Rotation, Vec3};
use loomwright::mesh::primitives;
use loomwright::scene::{Command, HandlePlace, Part, Scene, Simulation, demo};
use loomwright::solve::{Blocker, Budget, CancelToken, Report, Status};

/// Where the handles may be sent.
pub struct Limits {
    pub region: Aabb,
}

impl Limits {
    /// The box around all parts, and `margin` more.
    pub fn around(scene: &Scene, margin: f64) -> Self {
        let mut region = Aabb::empty();
        for part in &scene.parts {
            region.merge(&part.mesh().aabb());
        }
        Self {
            region: region.inflated(margin),
        }
    }
}

/// What happened.
#[derive(Default)]
pub struct Tally {
    pub steps: usize,
    pub iterates: usize,
    pub reached: usize,
    /// Stopped by a part, by the cable's length.
    pub by_part: usize,
    pub by_length: usize,
    /// Came to no equilibrium within the iterations of a frame, and to none at all.
    pub late: usize,
    pub not_converged: usize,
    /// In equilibrium, but not yet at its target when the frame's iterations were used up.
    pub on_the_way: usize,
    /// Stopped, though small steps get there.
    pub missed: usize,
    pub crossings: usize,
    /// Smallest true gap over the radius.
    pub smallest_gap: f64,
    pub iterations: usize,
    pub cpu_ms: Vec<f64>,
    pub contacts: usize,
}

/// Iterations of a frame, as in the window.
const ITERATIONS: usize = 200;

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut ms = self.cpu_ms.clone();
        ms.sort_by(f64::total_cmp);
        let at = |q: f64| ms[((ms.len() - 1) as f64 * q) as usize];
        write!(
            f,
            "{} steps, {} iterates: {} reached, {} held by a part, {} by the length; {} on the way and {} not in equilibrium after {ITERATIONS} iterations, {} never; {} missed; \
             {} crossings, smallest gap {:.4} r; contact in {} steps; {:.1} iterations a step; CPU ms median {:.2}, p95 {:.2}, worst {:.1}",
            self.steps,
            self.iterates,
            self.reached,
            self.by_part,
            self.by_length,
            self.on_the_way,
            self.late,
            self.not_converged,
            self.missed,
            self.crossings,
            self.smallest_gap,
            self.contacts,
            self.iterations as f64 / self.steps as f64,
            at(0.5),
            at(0.95),
            at(1.0)
        )
    }
}

impl Tally {
    /// The acceptance of the drag loop.
    pub fn check(&self) {
        assert_eq!(self.crossings, 0, "a cable went through a part");
        assert!(
            self.smallest_gap >= -0.01,
            "penetration of {} radii",
            -self.smallest_gap
        );
        assert!(
            self.contacts > self.steps / 20,
            "a drag without contact proves nothing"
        );
        assert!(
            self.late * 1000 <= self.steps.max(1000),
            "{} not in equilibrium after {ITERATIONS} iterations",
            self.late
        );
        assert!(
            self.not_converged * 1000 <= self.steps.max(1000),
            "{} not converged",
            self.not_converged
        );
        let reachable = self.reached + self.missed;
        assert!(
            self.reached * 100 >= reachable * 95,
            "reached {} of {reachable}",
            self.reached
        );
    }
}

/// Steps after which the cable starts again from its first shape: one that has wound itself round a part by chance
/// would be taut for the rest of the run.
const SERIES: usize = 250;

/// Sends the handles to `steps` random places.
pub fn drive(scene: Scene, limits: &Limits, steps: usize, seed: u64) -> Tally {
    let mut rng = fastrand::Rng::with_seed(seed);
    let budget = Budget::of_iterations(ITERATIONS);
    let radius = scene.cables[0].radius;
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(budget.without_limit());
    let checker = Checker::new(
        simulation
            .scene()
            .parts
            .iter()
            .map(|p| (p.name.as_str(), &**p.mesh())),
    );
    let mut judge = TraceChecker::new(&checker, 2.0 * radius);
    let mut tally = Tally::default();
    let mut n_iterates = 0;
    let fresh = simulation.clone();
    let mut push = |judge: &mut TraceChecker, frame: usize, points: &[Vec3], restart: bool| {
        n_iterates += 1;
        let (frame, iterate) = (frame as u64, n_iterates);
        judge.push(&Iterate {
            frame,
            iterate,
            cable: "cable",
            radius,
            radii: &[],
            points,
            restart,
        });
    };
    for step in 0..steps {
        if step % SERIES == 0 {
            simulation = fresh.clone();
            push(
                &mut judge,
                step,
                &simulation.solvers()[0].state().positions,
                true,
            );
        }
        let (end, target) = next_target(&mut rng, &simulation, limits);
        let before = simulation.clone();
        simulation.apply(&command(end, &target)).unwrap();
        let mut solve = |simulation: &mut Simulation, budget: &Budget| {
            let mut on_iterate = |_: usize, now: &[Vec3]| push(&mut judge, step + 1, now, false);
            let report = simulation.solve(budget, &mut on_iterate)[0].report.clone();
            // The state that is shown is the end of the trace, to the last bit but for the clamps' rounding.
            on_iterate(0, &simulation.solvers()[0].state().positions);
            report
        };
        let mut report = solve(&mut simulation, &budget);
        if let Status::OnTheWay | Status::NotConverged = report.status {
            // As in the window: what is left is solved without a limit.
            tally.on_the_way += usize::from(report.status == Status::OnTheWay);
            tally.late += usize::from(report.status == Status::NotConverged);
            report = solve(&mut simulation, &budget.without_limit());
        }
        tally.count(step, &report, &before, end, &target);
        // Let go: a handle that was stopped stays where it is.
        if report.status != Status::Converged {
            let now = simulation.solvers()[0].state().clamp_pose(end).unwrap();
            simulation.apply(&command(end, &now)).unwrap();
        }
    }
    let summary = judge.finish();
    let series = steps.div_ceil(SERIES) as u64;
    assert_eq!(
        summary.chains, series,
        "one continuous motion in each series"
    );
    assert_eq!(summary.n_not_finite, 0);
    for crossing in summary.crossings.iter().take(3) {
        println!("{crossing:?}");
    }
    tally.iterates = summary.iterates as usize;
    tally.crossings = summary.n_crossings as usize;
    tally.smallest_gap = summary
        .smallest_gap
        .map_or(f64::INFINITY, |g| g.gap.gap / radius);
    tally
}

impl Tally {
    fn count(
        &mut self,
        step: usize,
        report: &Report,
        before: &Simulation,
        end: usize,
        target: &Pose,
    ) {
        self.steps += 1;
        self.iterations += report.iterations;
        self.cpu_ms.push(report.cpu_ms);
        self.contacts += usize::from(!report.contacts.is_empty());
        let handle = report.handles[end];
        match (report.status, handle.blocker) {
            (Status::Converged, _) => self.reached += 1,
            (Status::Blocked, Some(blocker)) => {
                match blocker {
                    Blocker::Obstacle(_) | Blocker::Rod(_) => self.by_part += 1,
                    Blocker::Length { .. } => self.by_length += 1,
                    Blocker::Solver => panic!("a solver's failure is not a block"),
                }
                if reachable_by_small_steps(before, end, target) {
                    self.missed += 1;
                    if std::env::var_os("LOOMWRIGHT_DRAG_VERBOSE").is_some() {
                        println!(
                            "step {step} missed: short by {:.3} mm {:.3} rad, {blocker:?}",
                            handle.short_by, handle.short_by_angle
                        );
                    }
                }
            }
            _ => {
                self.not_converged += 1;
                println!(
                    "step {step}: {:?}, residual {:e} of {:e}, {} iterations, {:?}, short {:.3} mm {:.3} rad",
                    report.status,
                    report.residual,
                    report.tolerance,
                    report.iterations,
                    handle.blocker,
                    handle.short_by,
                    handle.short_by_angle
                );
            }
        }
    }
}

/// Whether forty small steps along the same way arrive.
fn reachable_by_small_steps(before: &Simulation, end: usize, target: &Pose) -> bool {
    const SMALL: i32 = 40;
    let mut simulation = before.clone();
    let budget = CancelToken::default();
    let start = simulation.solvers()[0].state().clamp_pose(end).unwrap();
    for k in 1..=SMALL {
        let t = f64::from(k) / f64::from(SMALL);
        let pose = Pose {
            position: start.position.lerp(&target.position, t),
            rotation: start.rotation.slerp(&target.rotation, t),
        };
        simulation.apply(&command(end, &pose)).unwrap();
        let report = simulation.solve_quietly(&budget)[0].report.clone();
        if report.status != Status::Converged {
            return false;
        }
    }
    true
}

pub fn command(end: usize, pose: &Pose) -> Command {
    let q = pose.rotation.quaternion();
    Command::MoveHandle {
        cable: "cable".to_owned(),
        handle: ["start", "end"][end].to_owned(),
        position: Some(pose.position.into()),
        rotation: Some([q.w, q.i, q.j, q.k]),
    }
}

/// A step of 0.1 to 200 mm from where the handle is, often with a turn of up to 60 degrees; within the limits and
/// within the cable's reach.
pub fn next_target(
    rng: &mut fastrand::Rng,
    simulation: &Simulation,
    limits: &Limits,
) -> (usize, Pose) {
    let solver = &simulation.solvers()[0];
    let length = solver.problem().rod.length();
    loop {
        let end = usize::from(rng.u8(0..4) != 0);
        let now = solver.state().clamp_pose(end).unwrap();
        let other = solver.state().clamp_pose(1 - end).unwrap();
        let step = 0.1 * 2000_f64.powf(rng.f64());
        let position = now.position + direction(rng) * step;
        let inside = (0..3)
            .all(|k| limits.region.min[k] < position[k] && position[k] < limits.region.max[k]);
        let outside_already = (0..3).any(|k| {
            limits.region.min[k] > now.position[k] || now.position[k] > limits.region.max[k]
        });
        let nearer = (position - limits.region.center()).norm()
            < (now.position - limits.region.center()).norm();
        if !(inside || outside_already && nearer)
            || (position - other.position).norm() > 0.9 * length
        {
            continue;
        }
        let angle = if rng.bool() {
            rng.f64() * 60_f64.to_radians()
        } else {
            0.0
        };
        let rotation = Rotation::from_scaled_axis(direction(rng) * angle) * now.rotation;
        return (end, Pose { position, rotation });
    }
}

fn direction(rng: &mut fastrand::Rng) -> Vec3 {
    loop {
        let v = Vec3::from_fn(|_, _| 2.0 * rng.f64() - 1.0);
        if v.norm() > 0.1 && v.norm() < 1.0 {
            return v.normalize();
        }
    }
}

/// A cable through a hole in a plate with 1 mm of room around it.
pub fn threaded() -> Scene {
    let mut scene = demo::demo("box").unwrap();
    scene.parts.clear();
    let mut simulation = Simulation::new(scene.clone()).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let nodes = &simulation.solvers()[0].state().positions;
    let middle = nodes[nodes.len() / 2];
    let radius = scene.cables[0].radius;
    let half = 120.0;
    let sheet = primitives::sheet_with_hole(
        &(middle - Vec3::new(0.0, half, half)),
        &Vec3::new(0.0, 2.0 * half, 0.0),
        &Vec3::new(0.0, 0.0, 2.0 * half),
        [half, half],
        radius + 1.0,
        32,
    );
    let plate = primitives::thickened(&sheet, &(Vec3::x() * 2.0));
    scene.parts.push(Part::new("plate", plate));
    scene
}

/// The parts of a mesh file, and a cable of 600 mm in the largest free space found by a seeded search.
pub fn scene_around(path: &std::path::Path) -> Scene {
    let file = loomwright::mesh::import::import_file(path).unwrap();
    let parts = file
        .parts
        .into_iter()
        .map(|p| Part::new(p.name, p.mesh))
        .collect();
    let mut scene = demo::demo("box").unwrap();
    scene.parts = parts;
    let mut region = Aabb::empty();
    for part in &scene.parts {
        region.merge(&part.mesh().aabb());
    }
    let mut rng = fastrand::Rng::with_seed(9);
    let cable = scene.cables[0].clone();
    loop {
        // Where the handles are: anywhere in the box, level, 480 mm apart, sagging clear of everything.
        let at = Vec3::from_fn(|k, _| region.min[k] + rng.f64() * (region.max[k] - region.min[k]));
        let mut moved = cable.clone();
        moved.length = 600.0;
        moved.shape = None;
        for handle in &mut moved.handles {
            let x = if handle.place == HandlePlace::Start {
                -240.0
            } else {
                240.0
            };
            handle.pose.position = at + Vec3::x() * x;
        }
        scene.cables[0] = moved;
        let simulation = Simulation::new(scene.clone()).unwrap();
        let nodes = &simulation.solvers()[0].state().positions;
        let inside = nodes
            .iter()
            .all(|p| (0..3).all(|k| region.min[k] < p[k] && p[k] < region.max[k]));
        if inside && simulation.overlaps().is_empty() {
            return scene;
        }
    }
}
