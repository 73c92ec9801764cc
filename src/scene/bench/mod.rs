//! The standard scenes of the benchmark: what is dragged, along which way, and what that took.
//!
//! Everything but the times is the same in every run. Times are CPU times of the solver, in scenes of many cables of whole
//! frames; beside them stands a fixed [`Kernel`], so that figures of different days and machines compare.

mod cost;
mod kernel;
mod rows;
mod scale;
mod scenes;

pub use cost::{Cost, StepCost};
pub use kernel::Kernel;

use std::sync::Arc;
use std::time::Instant;

use cpu_time::ProcessTime;

use super::material::DAMPING;
use super::{CableReport, Command, Scene, Simulation, demo};
use crate::solve::{CancelToken, Damping, Pairs, Solver, Status, Target, TimeRule, step_coupled};
use rows::{Kind, ROWS};

/// Steps that one measurement of a case takes at least: a case of a few quick steps is played again.
const ROUND: usize = 160;
/// It is not played again once that took so long, ms.
const LONG_ROUND: f64 = 1000.0;

/// A time step of a case over time, s.
const TICK: f64 = 0.005;

/// Poses that the handles at start and end are sent to.
pub type Targets = [Option<Target>; 2];

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
    /// A scene that is edited and solved instead.
    pub script: Option<Script>,
}

/// A scene that is edited and solved, frame by frame; times are of whole frames.
#[derive(Clone)]
pub struct Script {
    /// Where the measurement starts.
    pub simulation: Simulation,
    /// The scene before anything of it was made ready, where that is measured, too: a cold start.
    pub cold: Option<Scene>,
    /// What is edited before each frame is solved.
    pub frames: Vec<Vec<Command>>,
}

/// The cases by name, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// Prepares the case of that name: builds its collision structures and brings its cable to where it starts.
pub fn case(name: &str) -> Option<Case> {
    let row = ROWS.iter().find(|row| row.name == name)?;
    if let Some(script) = script(row.kind) {
        return Some(Case {
            name: row.name,
            description: row.description,
            solver: script.simulation.solvers().first()?.clone(),
            others: Vec::new(),
            targets: Vec::new(),
            script: Some(script),
        });
    }
    let mut others = Vec::new();
    let (solver, targets) = match row.kind {
        Kind::Cold => scenes::cold(row.n_edges),
        Kind::Free(way) => scenes::free(row.n_edges, way),
        Kind::Hose(way) => scenes::hose(row.n_edges, way),
        Kind::Roll(degrees) => scenes::rolled(row.n_edges, degrees),
        Kind::Over(obstacle) => scenes::drag_over(demo::demo(obstacle)?, row.n_edges)?,
        Kind::OverBoth => scenes::drag_over(scenes::both()?, row.n_edges)?,
        Kind::MovingOverBoth => in_motion(scenes::drag_over(scenes::both()?, row.n_edges)?),
        Kind::Thrown => scenes::end_drag(demo::demo("sheet")?, &scenes::THROWN)?,
        Kind::Grommet => scenes::end_drag(demo::demo("grommet")?, &scenes::THREADING)?,
        Kind::Crossing => {
            let (solver, targets, above) = scenes::crossing()?;
            others = above;
            (solver, targets)
        }
        Kind::Loops => scenes::closing_loops(row.n_edges),
        Kind::Twisted => scenes::twisted(row.n_edges),
        Kind::Bay(pieces) => scenes::end_drag(scenes::bay(pieces)?, &scenes::IN_THE_BAY)?,
        Kind::MovingBay => in_motion(scenes::end_drag(scenes::bay(1)?, &scenes::IN_THE_BAY)?),
        _ => return None,
    };
    Some(Case {
        name: row.name,
        description: row.description,
        solver,
        others,
        targets,
        script: None,
    })
}

/// The same drag over time.
fn in_motion((mut solver, targets): (Solver, Vec<Targets>)) -> (Solver, Vec<Targets>) {
    solver.set_in_motion(Some(Damping {
        drag: 0.5,
        material: DAMPING,
    }));
    (solver, targets)
}

/// The script of a case that has one.
fn script(kind: Kind) -> Option<Script> {
    match kind {
        Kind::Push => scenes::pushing(),
        Kind::RandomBay => scale::random_bay(),
        Kind::BayHarness => scale::bay_harness(),
        Kind::Bundle(n) => scale::bundle(n, false),
        Kind::ColdBundle(n) => scale::bundle(n, true),
        Kind::Beside(n) => scale::beside(n, false),
        Kind::BesideBlocked(n) => scale::beside(n, true),
        Kind::ColdThinHarness => scale::harness(true, true),
        Kind::ColdHarness => scale::harness(false, true),
        Kind::Harness => scale::harness(false, false),
        Kind::Tree(n) => scale::tree(n),
        _ => None,
    }
}

impl Case {
    /// Edges of the cable, of a script those of all cables.
    pub fn n_edges(&self) -> usize {
        let edges = |solver: &Solver| solver.problem().rod.n_edges();
        match &self.script {
            Some(script) => script.simulation.solvers().iter().map(edges).sum(),
            None => edges(&self.solver),
        }
    }

    /// Triangles of all obstacles.
    pub fn n_triangles(&self) -> usize {
        let obstacles = self.solver.problem().obstacles.iter();
        obstacles.map(crate::contact::Obstacle::n_triangles).sum()
    }

    /// Plays the case, a short one several times, each time from the same start.
    pub fn measure(&self) -> Cost {
        let mut cost = self.play();
        let spent: f64 = cost.steps.iter().map(|step| step.cpu_ms).sum();
        let again = (LONG_ROUND / spent.max(f64::MIN_POSITIVE)) as usize;
        for _ in 1..ROUND.div_ceil(cost.steps.len()).min(again) {
            cost.keep_least(&self.play());
        }
        cost
    }

    fn play(&self) -> Cost {
        if let Some(script) = &self.script {
            return script.play();
        }
        let mut rods = vec![self.solver.clone()];
        rods.extend_from_slice(&self.others);
        let mut pairs = Pairs::default();
        let cancel = CancelToken::default();
        let step = |targets: &Targets| {
            let clock = Instant::now();
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
                clock_ms: clock.elapsed().as_secs_f64() * 1e3,
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

impl Script {
    fn play(&self) -> Cost {
        let mut simulation = self.simulation.clone();
        let cancel = CancelToken::default();
        let step = |commands: &Vec<Command>| {
            let scene = self.cold.clone();
            let (started, clock) = (ProcessTime::now(), Instant::now());
            if let Some(Ok(fresh)) = scene.map(Simulation::new) {
                simulation = fresh;
            }
            for command in commands {
                // The scene is ours: it has what is edited.
                let applied = simulation.apply(command);
                debug_assert!(applied.is_ok());
            }
            let reports = simulation.solve_quietly(&cancel);
            let times = [started.elapsed(), clock.elapsed()];
            frame_cost(&reports, times.map(|t| t.as_secs_f64() * 1e3))
        };
        Cost {
            steps: self.frames.iter().map(step).collect(),
        }
    }
}

/// What a frame of all cables took.
fn frame_cost(reports: &[Arc<CableReport>], [cpu_ms, clock_ms]: [f64; 2]) -> StepCost {
    let all = || reports.iter().map(|r| &r.report);
    let worst = [Status::NotConverged, Status::OnTheWay, Status::Blocked];
    let is_there = |status: &Status| all().any(|r| r.status == *status);
    StepCost {
        cpu_ms,
        clock_ms,
        iterations: all().map(|r| r.iterations).max().unwrap_or(0),
        n_contacts: all().map(|r| r.contacts.len()).sum::<usize>()
            // Each is in the report of both.
            + all().map(|r| r.rod_contacts.len()).sum::<usize>() / 2,
        status: worst
            .into_iter()
            .find(is_there)
            .unwrap_or(Status::Converged),
    }
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
                step.clock_ms = 0.0;
            }
            cost
        };
        for name in ["p1-cold", "p1-5mm", "cylinder-100"] {
            let first = without_times(case(name).unwrap().measure());
            assert_eq!(first, without_times(case(name).unwrap().measure()));
        }
    }
}
