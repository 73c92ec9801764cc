//! The standard scenes of the benchmark: what is dragged, along which way, and what that took.
//!
//! Everything but the times is the same in every run. Times are CPU times of the solving thread; beside them stands
//! a fixed [`Kernel`], so that figures of different days and machines compare.

use std::f64::consts::{FRAC_PI_2, PI};

use cpu_time::ThreadTime;

use super::{Scene, Simulation, demo};
use crate::geom::{Pose, Rotation, Vec3};
use crate::rod::{Rod, RodState, Section, first_guess};
use crate::solve::banded::Banded;
use crate::solve::{CancelToken, Problem, Solver, Status, Target, first_state};

/// Steps of a free drag.
const FREE_STEPS: usize = 20;
/// Direction of a free drag: out of the plane of the cable, and not towards taut. A unit vector.
const FREE_WAY: Vec3 = Vec3::new(-2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0);
/// Direction of the hose's drag: its legs apart, along them, and up. A unit vector.
const HOSE_WAY: Vec3 = Vec3::new(1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0);

/// Where the handles of a drag over an obstacle start. The way there is not measured. With the start handle at this
/// height the cable keeps lying on the demo's obstacle, neither too slack to stay on top nor lifted when pulled taut.
const LEAD_IN: [Vec3; 2] = [Vec3::new(0.0, 0.0, 300.0), Vec3::new(800.0, -100.0, 400.0)];
/// Steps of the lead-in.
const LEAD_IN_STEPS: usize = 60;
/// The drag over an obstacle: corners of the end handle's way, and steps of about 5 mm to each. Lowered until the cable
/// drapes, sideways over the obstacle, pulled towards taut, and straight back.
const DRAG: [(Vec3, usize); 4] = [
    (Vec3::new(800.0, -100.0, 200.0), 40),
    (Vec3::new(800.0, 100.0, 200.0), 40),
    (Vec3::new(920.0, 100.0, 200.0), 24),
    (LEAD_IN[1], 60),
];

/// Steps that one measurement of a case takes at least: a case of a few quick steps is played again.
const ROUND: usize = 160;

/// Timings of the kernel, each over [`KERNEL_BATCH`] runs; the best one counts.
const KERNEL_TIMINGS: usize = 15;
/// Runs in one timing: enough that the clock's own time does not show.
const KERNEL_BATCH: u32 = 20;

/// Poses that the handles at start and end are sent to.
pub type Targets = [Option<Target>; 2];

/// What a case does; the number is mm a step where it drags.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Cold,
    Free(f64),
    /// P2: the U-bend hose, dragged.
    Hose(f64),
    /// P3: the arch without gravity, its end rolled by so many degrees a step.
    Roll(f64),
    Over(&'static str),
}

/// One row of the table of cases.
#[derive(Clone, Copy, Debug)]
struct Row {
    name: &'static str,
    description: &'static str,
    n_edges: usize,
    kind: Kind,
}

const fn row(name: &'static str, description: &'static str, n_edges: usize, kind: Kind) -> Row {
    Row {
        name,
        description,
        n_edges,
        kind,
    }
}

const ROWS: [Row; 13] = [
    row(
        "p1-1mm",
        "P1 free, handle moved 1 mm a step",
        100,
        Kind::Free(1.0),
    ),
    row(
        "p1-5mm",
        "P1 free, handle moved 5 mm a step",
        100,
        Kind::Free(5.0),
    ),
    row(
        "p1-cold",
        "P1 from the first guess to rest",
        100,
        Kind::Cold,
    ),
    row(
        "p2-5mm",
        "P2 free, handle moved 5 mm a step",
        100,
        Kind::Hose(5.0),
    ),
    row(
        "p3-roll",
        "P3 without gravity, end rolled 5 degrees a step",
        100,
        Kind::Roll(5.0),
    ),
    row(
        "free-200",
        "P1 free, handle moved 5 mm a step",
        200,
        Kind::Free(5.0),
    ),
    row(
        "free-500",
        "P1 free, handle moved 5 mm a step",
        500,
        Kind::Free(5.0),
    ),
    row(
        "free-1000",
        "P1 free, handle moved 5 mm a step",
        1000,
        Kind::Free(5.0),
    ),
    row(
        "free-2000",
        "P1 free, handle moved 5 mm a step",
        2000,
        Kind::Free(5.0),
    ),
    row(
        "cylinder-100",
        "dragged over a cylinder, friction 0.2",
        100,
        Kind::Over("cylinder"),
    ),
    row(
        "box-100",
        "dragged over a box, friction 0.2",
        100,
        Kind::Over("box"),
    ),
    row(
        "cylinder-500",
        "dragged over a cylinder, friction 0.2",
        500,
        Kind::Over("cylinder"),
    ),
    row(
        "box-500",
        "dragged over a box, friction 0.2",
        500,
        Kind::Over("box"),
    ),
];

/// A scene that is ready to be measured.
#[derive(Clone)]
pub struct Case {
    /// What it is called.
    pub name: &'static str,
    /// What happens in it.
    pub description: &'static str,
    /// The cable where the measurement starts; at rest, unless the case is a cold start.
    pub solver: Solver,
    /// Where the handles go, one step after the other.
    pub targets: Vec<Targets>,
}

/// What one step took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepCost {
    /// CPU time of the solving thread, ms; the least where it was played several times.
    pub cpu_ms: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// Active contacts at its end.
    pub n_contacts: usize,
    /// How it ended.
    pub status: Status,
}

/// What a case took.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Step by step.
    pub steps: Vec<StepCost>,
}

/// The cases by name, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// Prepares the case of that name: builds its collision structures and brings its cable to where it starts.
pub fn case(name: &str) -> Option<Case> {
    let row = ROWS.iter().find(|row| row.name == name)?;
    let (solver, targets) = match row.kind {
        Kind::Cold => {
            let ends = p1_ends();
            (p1(row.n_edges), vec![ends.map(|pose| Some(pose.into()))])
        }
        Kind::Free(way) => free_drag(p1(row.n_edges), &p1_ends(), &FREE_WAY, way),
        Kind::Hose(way) => free_drag(p2(row.n_edges), &p2_ends(), &HOSE_WAY, way),
        Kind::Roll(degrees) => rolled(row.n_edges, degrees),
        Kind::Over(obstacle) => drag_over(demo::demo(obstacle)?, row.n_edges)?,
    };
    Some(Case {
        name: row.name,
        description: row.description,
        solver,
        targets,
    })
}

impl Case {
    /// Edges of the cable.
    pub fn n_edges(&self) -> usize {
        self.solver.problem().rod.n_edges()
    }

    /// Triangles of all obstacles.
    pub fn n_triangles(&self) -> usize {
        let obstacles = self.solver.problem().obstacles.iter();
        obstacles.map(crate::contact::Obstacle::n_triangles).sum()
    }

    /// Plays the case, a short one several times, each time from the same start.
    pub fn measure(&self) -> Cost {
        let mut cost = self.play();
        for _ in 1..ROUND.div_ceil(self.targets.len()) {
            cost.keep_least(&self.play());
        }
        cost
    }

    fn play(&self) -> Cost {
        let mut solver = self.solver.clone();
        let cancel = CancelToken::default();
        let step = |targets: &Targets| {
            let report = solver.step(targets, &cancel, None);
            StepCost {
                cpu_ms: report.cpu_ms,
                iterations: report.iterations,
                n_contacts: report.contacts.len(),
                status: report.status,
            }
        };
        Cost {
            steps: self.targets.iter().map(step).collect(),
        }
    }
}

impl Cost {
    /// Takes the times of another measurement of the same case where they are less.
    pub fn keep_least(&mut self, other: &Self) {
        for (step, again) in self.steps.iter_mut().zip(&other.steps) {
            step.cpu_ms = step.cpu_ms.min(again.cpu_ms);
        }
    }

    /// CPU time of a step, ms: the smallest that a part `q` of the steps does not exceed; 1 for the worst.
    pub fn cpu_ms(&self, q: f64) -> f64 {
        let mut times: Vec<f64> = self.steps.iter().map(|s| s.cpu_ms).collect();
        times.sort_by(f64::total_cmp);
        times[rank(q, times.len())]
    }

    /// Iterations of a step, counted in the same way.
    pub fn iterations(&self, q: f64) -> usize {
        let mut iterations: Vec<usize> = self.steps.iter().map(|s| s.iterations).collect();
        iterations.sort_unstable();
        iterations[rank(q, iterations.len())]
    }

    /// Iterations of a step, on average.
    pub fn mean_iterations(&self) -> f64 {
        let sum: usize = self.steps.iter().map(|s| s.iterations).sum();
        sum as f64 / self.steps.len() as f64
    }

    /// Most contacts at the end of a step.
    pub fn most_contacts(&self) -> usize {
        self.steps.iter().map(|s| s.n_contacts).max().unwrap_or(0)
    }

    /// Steps that end in contact.
    pub fn steps_in_contact(&self) -> usize {
        self.steps.iter().filter(|s| s.n_contacts > 0).count()
    }

    /// Steps that ended with that status.
    pub fn count(&self, status: Status) -> usize {
        self.steps.iter().filter(|s| s.status == status).count()
    }
}

/// Place of the nearest-rank quantile `q` among `n` sorted values.
fn rank(q: f64, n: usize) -> usize {
    ((q * n as f64).ceil() as usize).clamp(1, n) - 1
}

/// The measure of the machine: factor and solve of one banded matrix, of the order that a cable of 100 edges has.
#[derive(Clone, Debug)]
pub struct Kernel {
    matrix: Banded,
    factors: Banded,
    x: Vec<f64>,
}

impl Kernel {
    /// The fixed matrix: diagonally dominant, so that every pivot is positive.
    pub fn new() -> Self {
        const ORDER: usize = 609;
        let mut matrix = Banded::zeros(ORDER);
        for j in 0..ORDER {
            matrix.add(j, j, 20.0);
            for k in 1..=crate::solve::banded::HALF_WIDTH.min(ORDER - 1 - j) {
                matrix.add(j + k, j, ((7 * j + 3 * k) % 11) as f64 / 11.0 - 0.5);
            }
        }
        Self {
            factors: matrix.clone(),
            matrix,
            x: vec![0.0; ORDER],
        }
    }

    /// One factorisation and one solve.
    pub fn run(&mut self) {
        self.factors.copy_from(&self.matrix);
        self.x.fill(1.0);
        let inertia = self.factors.factor();
        assert_eq!(inertia.not_positive, 0, "the kernel is positive");
        self.factors.solve(&mut self.x);
        std::hint::black_box(&mut self.x);
    }

    /// CPU time of one run, ms: the least of many.
    pub fn cpu_ms(&mut self) -> f64 {
        let mut least = f64::INFINITY;
        for _ in 0..KERNEL_TIMINGS {
            let started = ThreadTime::now();
            for _ in 0..KERNEL_BATCH {
                self.run();
            }
            least = least.min(started.elapsed().as_secs_f64());
        }
        1e3 * least / f64::from(KERNEL_BATCH)
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Self::new()
    }
}

/// The handles of P1: level, 800 mm apart.
fn p1_ends() -> [Pose; 2] {
    [0.0, 800.0].map(|x| Pose {
        position: Vec3::new(x, 0.0, 0.0),
        rotation: Rotation::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2),
    })
}

/// P1: a cable of 1 m that sags between its handles, as a first guess. The rod of `tests/fixtures/rods/P1.json`.
fn p1(n_edges: usize) -> Solver {
    let section = Section {
        bending: [1500.0; 2],
        torsion: 1100.0,
        axial: 1e6,
        shear: 1e6,
        mass_kg_m: 0.05,
    };
    let rod = Rod::uniform(1000.0, n_edges, section).expect("P1 is a rod");
    let gravity = Scene::default().gravity;
    let ends = p1_ends();
    let [start, end] = &ends;
    let nodes = first_guess(
        rod.rest_lengths(),
        Some(start),
        Some(end),
        &gravity,
        &|_| true,
    );
    let state = RodState::along(nodes, ends.map(|pose| Some(pose.rotation)));
    let problem = Problem {
        gravity,
        ..Problem::clamped(rod, 3.0)
    };
    Solver::new(problem, state)
}

/// The handles of P2: 200 mm apart, looking out and back.
fn p2_ends() -> [Pose; 2] {
    [(0.0, 0.0), (200.0, PI)].map(|(y, angle)| Pose {
        position: Vec3::new(0.0, y, 0.0),
        rotation: Rotation::from_axis_angle(&Vec3::z_axis(), angle)
            * Rotation::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2),
    })
}

/// P2: a hose of 600 mm in a U-bend, as a first guess. The rod of `tests/fixtures/rods/P2.json`.
fn p2(n_edges: usize) -> Solver {
    let section = Section {
        bending: [2e4; 2],
        torsion: 1.6e4,
        axial: 1e6,
        shear: 1e6,
        mass_kg_m: 0.15,
    };
    let rod = Rod::uniform(600.0, n_edges, section).expect("P2 is a rod");
    let problem = Problem {
        gravity: Scene::default().gravity,
        ..Problem::clamped(rod, 6.0)
    };
    let targets = p2_ends().map(|pose| Some(pose.into()));
    let state = first_state(&problem, &targets, &|_| true);
    Solver::new(problem, state)
}

/// P3: P1 without gravity, 900 mm between its handles, the end rolled step by step.
fn rolled(n_edges: usize, degrees: f64) -> (Solver, Vec<Targets>) {
    let [start, mut end] = p1_ends();
    end.position.x = 900.0;
    let mut problem = p1(n_edges).problem().clone();
    problem.gravity = Vec3::zeros();
    let at = |k: usize| {
        let roll = (degrees * k as f64).to_radians();
        [Some(start.into()), Some(Target { pose: end, roll })]
    };
    let state = first_state(&problem, &at(0), &|_| true);
    let mut solver = Solver::new(problem, state);
    solver.step(&at(0), &CancelToken::default(), None);
    (solver, (1..=FREE_STEPS).map(at).collect())
}

/// A solver brought to rest, and `FREE_STEPS` steps of its end handle along a unit vector.
fn free_drag(
    mut solver: Solver,
    [start, end]: &[Pose; 2],
    along: &Vec3,
    way: f64,
) -> (Solver, Vec<Targets>) {
    let (start, end) = (*start, *end);
    let at = |k: usize| {
        let position = end.position + along * (way * k as f64);
        [start, Pose { position, ..end }].map(|pose| Some(pose.into()))
    };
    solver.step(&at(0), &CancelToken::default(), None);
    (solver, (1..=FREE_STEPS).map(at).collect())
}

/// A demo's cable with that many edges, led to where its drag starts; `None` when the scene cannot be simulated.
fn drag_over(mut scene: Scene, n_edges: usize) -> Option<(Solver, Vec<Targets>)> {
    let cable = scene.cables.first_mut()?;
    cable.n_edges = n_edges;
    cable.shape = None;
    let ends = [cable.handles.first()?.pose, cable.handles.get(1)?.pose];
    let at = |positions: [Vec3; 2]| -> Targets {
        [0, 1].map(|end| {
            let pose = Pose {
                position: positions[end],
                ..ends[end]
            };
            Some(pose.into())
        })
    };
    let mut solver = Simulation::new(scene).ok()?.solvers().first()?.clone();
    let cancel = CancelToken::default();
    for k in 0..=LEAD_IN_STEPS {
        let t = k as f64 / LEAD_IN_STEPS as f64;
        let between = [0, 1].map(|end| ends[end].position.lerp(&LEAD_IN[end], t));
        solver.step(&at(between), &cancel, None);
    }
    let mut targets = Vec::new();
    let mut from = LEAD_IN[1];
    for (to, n) in DRAG {
        targets.extend((1..=n).map(|k| {
            let position = from.lerp(&to, k as f64 / n as f64);
            at([LEAD_IN[0], position])
        }));
        from = to;
    }
    Some((solver, targets))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_case_and_no_other() {
        for row in &ROWS {
            assert_eq!(ROWS.iter().filter(|r| r.name == row.name).count(), 1);
        }
        let case_of = |name: &str| case(name).map(|case| case.name);
        assert_eq!(case_of("p1-cold"), Some("p1-cold"));
        assert!(case("nothing").is_none());
    }

    #[test]
    fn drags_lie_on_their_obstacle_and_end_where_they_began() {
        for name in ["cylinder-100", "box-100"] {
            let case = case(name).unwrap();
            assert_eq!(case.targets.len(), 164);
            let handle = |targets: &Targets| targets[1].unwrap().pose.position;
            let mut last = LEAD_IN[1];
            for targets in &case.targets {
                let way = (handle(targets) - last).norm();
                assert!((4.9..5.2).contains(&way), "{way}");
                last = handle(targets);
            }
            assert_eq!(last, LEAD_IN[1]);
            let cost = case.measure();
            assert!(cost.steps_in_contact() > 82, "{name}: {cost:?}");
        }
    }

    #[test]
    fn all_but_the_times_repeats() {
        let without_times = |mut cost: Cost| {
            for step in &mut cost.steps {
                step.cpu_ms = 0.0;
            }
            cost
        };
        for name in ["p1-cold", "p1-5mm", "cylinder-100"] {
            let first = without_times(case(name).unwrap().measure());
            assert_eq!(first, without_times(case(name).unwrap().measure()));
        }
    }

    #[test]
    fn quantiles_are_of_the_nearest_rank() {
        assert_eq!([0.0, 0.5, 0.95, 1.0].map(|q| rank(q, 20)), [0, 9, 18, 19]);
        assert_eq!([0.5, 1.0].map(|q| rank(q, 1)), [0, 0]);
    }
}
