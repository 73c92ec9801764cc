//! The standard scenes of the benchmark: what is dragged, along which way, and what that took.
//!
//! Everything but the times is the same in every run. Times are CPU times of the solving thread; beside them stands
//! a fixed [`Kernel`], so that figures of different days and machines compare.

mod kernel;
mod scenes;

pub use kernel::Kernel;

use super::material::DAMPING;
use super::{Command, Simulation, demo};
use crate::solve::{CancelToken, Damping, Pairs, Solver, Status, Target, TimeRule, step_coupled};

/// Steps that one measurement of a case takes at least: a case of a few quick steps is played again.
const ROUND: usize = 160;

/// A time step of a case over time, s.
const TICK: f64 = 0.005;

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
    /// Cylinder and box, one beside the other.
    OverBoth,
    /// The same over time, a time step for each step of the handle.
    MovingOverBoth,
    /// The thin sheet, with the handle thrown about.
    Thrown,
    /// The hole that is hardly wider than the cable.
    Grommet,
    /// A cable raised against another that crosses over it, and moved along it.
    Crossing,
    /// Loops of a cable that are pulled closed.
    Loops,
    /// A box that is moved under the cable.
    Push,
    /// The engine bay, each side of its triangles in so many pieces.
    Bay(usize),
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

const ROWS: [Row; 23] = [
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
    row(
        "both-100",
        "dragged over a cylinder and a box, friction 0.2",
        100,
        Kind::OverBoth,
    ),
    row(
        "moving-100",
        "the same over time, implicit Euler, 5 ms a step",
        100,
        Kind::MovingOverBoth,
    ),
    row(
        "both-500",
        "dragged over a cylinder and a box, friction 0.2",
        500,
        Kind::OverBoth,
    ),
    row(
        "sheet-fast",
        "thrown over a thin sheet, up to 150 mm a step",
        100,
        Kind::Thrown,
    ),
    row(
        "grommet",
        "threaded through a hole 0.2 mm wider, 5 mm a step",
        100,
        Kind::Grommet,
    ),
    row(
        "crossing",
        "raised against another cable, 5 mm a step",
        100,
        Kind::Crossing,
    ),
    row(
        "loops",
        "three loops pulled closed, 3 mm a step",
        120,
        Kind::Loops,
    ),
    row(
        "push",
        "a box lifts the cable and turns, 5 mm or 1 degree a step",
        100,
        Kind::Push,
    ),
    row(
        "bay-50k",
        "dragged in the engine bay, 50 000 triangles",
        100,
        Kind::Bay(1),
    ),
    row(
        "bay-1m",
        "the same, each triangle cut into 25",
        100,
        Kind::Bay(5),
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
    /// Other cables that it may touch, at rest.
    pub others: Vec<Solver>,
    /// Where the handles go, one step after the other.
    pub targets: Vec<Targets>,
    /// A part that is moved instead.
    pub pushed: Option<Pushed>,
}

/// A scene whose part is moved.
#[derive(Clone)]
pub struct Pushed {
    /// Where the measurement starts.
    pub simulation: Simulation,
    /// Where the part is sent, one step after the other.
    pub commands: Vec<Command>,
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
    let mut others = Vec::new();
    let mut pushed = None;
    let (solver, targets) = match row.kind {
        Kind::Cold => scenes::cold(row.n_edges),
        Kind::Free(way) => scenes::free(row.n_edges, way),
        Kind::Hose(way) => scenes::hose(row.n_edges, way),
        Kind::Roll(degrees) => scenes::rolled(row.n_edges, degrees),
        Kind::Over(obstacle) => scenes::drag_over(demo::demo(obstacle)?, row.n_edges)?,
        Kind::OverBoth => scenes::drag_over(scenes::both()?, row.n_edges)?,
        Kind::MovingOverBoth => {
            let (mut solver, targets) = scenes::drag_over(scenes::both()?, row.n_edges)?;
            solver.set_in_motion(Some(Damping {
                drag: 0.5,
                material: DAMPING,
            }));
            (solver, targets)
        }
        Kind::Thrown => scenes::end_drag(demo::demo("sheet")?, &scenes::THROWN)?,
        Kind::Grommet => scenes::end_drag(demo::demo("grommet")?, &scenes::THREADING)?,
        Kind::Crossing => {
            let (solver, targets, above) = scenes::crossing()?;
            others = above;
            (solver, targets)
        }
        Kind::Loops => scenes::closing_loops(row.n_edges),
        Kind::Push => {
            let push = scenes::pushing()?;
            let solver = push.simulation.solvers().first()?.clone();
            pushed = Some(push);
            (solver, Vec::new())
        }
        Kind::Bay(pieces) => scenes::end_drag(scenes::bay(pieces)?, &scenes::IN_THE_BAY)?,
    };
    Some(Case {
        name: row.name,
        description: row.description,
        solver,
        others,
        targets,
        pushed,
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
        for _ in 1..ROUND.div_ceil(cost.steps.len()) {
            cost.keep_least(&self.play());
        }
        cost
    }

    fn play(&self) -> Cost {
        if let Some(pushed) = &self.pushed {
            return pushed.play();
        }
        let mut rods = vec![self.solver.clone()];
        rods.extend_from_slice(&self.others);
        let mut pairs = Pairs::default();
        let cancel = CancelToken::default();
        let step = |targets: &Targets| {
            let reports = match &mut rods[..] {
                [solver] if solver.is_in_motion() => {
                    let there = |_: f64| targets.to_vec();
                    let report = solver.advance(TimeRule::Euler, TICK, &there, &cancel, None);
                    smallvec::smallvec![report]
                }
                [solver] => smallvec::smallvec![solver.step(targets, &cancel, None)],
                rods => step_coupled(rods, &mut pairs, &[], &[&targets[..]], &cancel, None),
            };
            let report = &reports[0];
            StepCost {
                // Of all cables that had to move.
                cpu_ms: reports.iter().map(|r| r.cpu_ms).sum(),
                iterations: report.iterations,
                n_contacts: report.contacts.len() + report.rod_contacts.len(),
                status: report.status,
            }
        };
        Cost {
            steps: self.targets.iter().map(step).collect(),
        }
    }
}

impl Pushed {
    fn play(&self) -> Cost {
        let mut simulation = self.simulation.clone();
        let cancel = CancelToken::default();
        let step = |command: &Command| {
            // The scene is ours: it has the part.
            let applied = simulation.apply(command);
            debug_assert!(applied.is_ok());
            let reports = simulation.solve_quietly(&cancel);
            let report = &reports[0].report;
            StepCost {
                cpu_ms: report.cpu_ms,
                iterations: report.iterations,
                n_contacts: report.contacts.len(),
                status: report.status,
            }
        };
        Cost {
            steps: self.commands.iter().map(step).collect(),
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

#[cfg(test)]
mod tests {
    use super::scenes::LEAD_IN;
    use super::*;
    use crate::mesh::primitives;

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
        for name in ["cylinder-100", "box-100", "both-100"] {
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
    fn other_drags_are_in_contact_and_arrive() {
        for name in [
            "sheet-fast",
            "grommet",
            "crossing",
            "loops",
            "push",
            "bay-50k",
        ] {
            let case = case(name).unwrap();
            let cost = case.play();
            assert!(
                3 * cost.steps_in_contact() > cost.steps.len(),
                "{name}: {cost:?}"
            );
            assert_eq!(cost.count(Status::NotConverged), 0, "{name}: {cost:?}");
            let blocked = cost.count(Status::Blocked);
            assert!(name != "grommet" || blocked == 0, "{blocked} blocked");
        }
    }

    #[test]
    fn the_large_bay_is_the_same_bay() {
        let [small, large] = [1, 5].map(|pieces| scenes::bay(pieces).unwrap());
        let triangles = |scene: &crate::scene::Scene| -> usize {
            let meshes = scene.parts.iter().map(crate::scene::Part::mesh);
            meshes.map(|m| m.triangles().len()).sum()
        };
        assert_eq!(triangles(&large), 25 * triangles(&small));
        assert!(triangles(&large) > 1_000_000, "{}", triangles(&large));
        let cube = primitives::cuboid(&small.parts[0].mesh().aabb());
        let cut = primitives::subdivided(&cube, 3);
        // Corners, two inner points of each of the 18 sides, one inside each triangle.
        assert_eq!(cut.vertices().len(), 8 + 2 * 18 + 12);
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
