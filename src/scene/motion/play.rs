//! Steps of time over a scene.

use std::sync::Arc;

use super::MotionPath;
use crate::geom::Vec3;
use crate::scene::study::{Sample, sample};
use crate::scene::{CableReport, CableReports, CommandError, Scene, Simulation};
use crate::solve::{Budget, Status, TimeRule};

/// How long a step of time is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepLength {
    /// Always so many seconds.
    Fixed(f64),
    /// As long as the velocity changes by no more than so many mm over a step, and at most so many seconds.
    Fitting {
        /// Half the change of velocity times the step, mm: what a step of the first order is off by.
        error: f64,
        /// s.
        longest: f64,
    },
}

/// A fitting step is at least this part of the longest one.
const SHORTEST: f64 = 1e-3;
/// How much longer or shorter than the last one a fitting step may be.
const CHANGE: [f64; 2] = [0.3, 1.5];
/// Iterations of one stage after which what it has come to is taken: it is free of collisions, and the step counts as not
/// converged.
const ITERATIONS: usize = 400;

/// How time goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionOptions {
    /// How long a step is.
    pub length: StepLength,
    /// How it is made.
    pub rule: TimeRule,
    /// Force against the velocity of all mass, over mass and velocity, 1/s.
    pub drag: f64,
    /// Damping of bending and twist, s, in place of the materials' own.
    pub damping: Option<f64>,
}

impl Default for MotionOptions {
    fn default() -> Self {
        Self {
            length: StepLength::Fixed(0.005),
            rule: TimeRule::default(),
            drag: 0.5,
            damping: None,
        }
    }
}

/// Why a scene does not move.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// A number that is none.
    #[error("the {what} must be {must}, but is {value}")]
    BadNumber {
        /// Which.
        what: &'static str,
        /// What it must be.
        must: &'static str,
        /// What it is.
        value: f64,
    },
    /// A cable without mass.
    #[error("cable \"{0}\" has no mass, and would move at once; give it a mass per length")]
    NoMass(String),
    /// What the path asks for is refused.
    #[error(transparent)]
    Refused(#[from] CommandError),
}

/// The first time that a cable touches something.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstHit {
    /// s.
    pub time: f64,
    /// Number of the cable.
    pub cable: usize,
    /// Name of what it meets.
    pub to: String,
}

/// What came of a step of time.
#[derive(Clone, Debug)]
pub struct Moved {
    /// Length of the step, s.
    pub seconds: f64,
    /// What the solver says of its last stage.
    pub reports: CableReports,
    /// Whether every cable came to where inertia and forces balance.
    pub converged: bool,
}

/// A scene on its way through time.
#[derive(Clone)]
pub struct Player {
    simulation: Simulation,
    options: MotionOptions,
    path: Option<MotionPath>,
    time: f64,
    next: f64,
    steps: usize,
    unsolved: usize,
    /// What each cable touches, and has touched before.
    hits: Vec<FirstHit>,
    touched: Vec<Vec<String>>,
    started: bool,
}

impl Player {
    /// Sets a scene in motion from where it is.
    pub fn new(
        mut simulation: Simulation,
        options: MotionOptions,
        path: Option<MotionPath>,
    ) -> Result<Self, MotionError> {
        check(&options)?;
        for (cable, solver) in simulation.scene().cables.iter().zip(simulation.solvers()) {
            if solver.problem().rod.section().mass_kg_m <= 0.0 {
                return Err(MotionError::NoMass(cable.name.clone()));
            }
        }
        simulation.set_in_motion(options.drag, options.damping);
        let next = match options.length {
            StepLength::Fixed(step) => step,
            // What begins to move has no velocity to judge by.
            StepLength::Fitting { longest, .. } => 0.1 * longest,
        };
        let touched = vec![Vec::new(); simulation.scene().cables.len()];
        Ok(Self {
            simulation,
            options,
            path,
            time: 0.0,
            next,
            steps: 0,
            unsolved: 0,
            hits: Vec::new(),
            touched,
            started: false,
        })
    }

    /// Seconds since it was set in motion.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps so far, and those of them in which a cable did not come to where inertia and forces balance.
    pub fn steps(&self) -> [usize; 2] {
        [self.steps, self.unsolved]
    }

    /// First hits so far, in their order.
    pub fn hits(&self) -> &[FirstHit] {
        &self.hits
    }

    /// The scene and its solvers.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The same, to edit on the way.
    pub fn simulation_mut(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// Gives the scene back, in motion no longer.
    pub fn into_simulation(mut self) -> Simulation {
        self.simulation.stop_motion();
        self.simulation
    }

    /// One step, and no further than `until`, s.
    pub fn step(&mut self, until: f64, budget: &Budget) -> Result<Moved, MotionError> {
        let left = until - self.time;
        // Equal steps to the end instead of a sliver.
        let steps = (left / self.next - 1e-9).ceil().max(1.0);
        let seconds = left / steps;
        let before: Vec<Vec<Vec3>> = self.velocities();
        let begin = self.time;
        let path = &mut self.path;
        let mut plan = |simulation: &mut Simulation, at: f64| match path {
            Some(path) => path.send(simulation, begin + at),
            None => Ok(()),
        };
        let budget = budget.at_most(ITERATIONS);
        let rule = self.options.rule;
        let reports = (self.simulation).advance(rule, seconds, &budget, None, &mut plan)?;
        self.time = if steps == 1.0 { until } else { begin + seconds };
        self.steps += 1;
        let converged = reports.iter().all(|r| {
            let status = r.report.status;
            matches!(status, Status::Converged | Status::Blocked)
        });
        self.unsolved += usize::from(!converged);
        self.note_hits(&reports);
        self.fit(seconds, &before);
        Ok(Moved {
            seconds,
            reports,
            converged,
        })
    }

    fn velocities(&self) -> Vec<Vec<Vec3>> {
        let solvers = self.simulation.solvers().iter();
        let own = |v: Option<&[Vec3]>| v.unwrap_or_default().to_vec();
        match self.options.length {
            StepLength::Fixed(_) => Vec::new(),
            StepLength::Fitting { .. } => solvers.map(|s| own(s.velocities())).collect(),
        }
    }

    /// Chooses the next step by how much velocities have changed in the last one.
    fn fit(&mut self, seconds: f64, before: &[Vec<Vec3>]) {
        let StepLength::Fitting { error, longest } = self.options.length else {
            return;
        };
        let mut change = 0.0_f64;
        for (solver, before) in self.simulation.solvers().iter().zip(before) {
            let now = solver.velocities().unwrap_or_default();
            for (a, b) in now.iter().zip(before) {
                change = change.max((a - b).norm());
            }
        }
        let off = 0.5 * change * seconds;
        let factor = (error / off.max(f64::MIN_POSITIVE)).sqrt();
        let wanted = seconds * factor.clamp(CHANGE[0], CHANGE[1]);
        self.next = wanted.clamp(SHORTEST * longest, longest);
    }

    /// Notes what cables touch now that they have not touched before. What they touch from the start is no hit.
    fn note_hits(&mut self, reports: &[Arc<CableReport>]) {
        let scene = self.simulation.scene();
        let first = !std::mem::replace(&mut self.started, true);
        for (k, report) in reports.iter().enumerate() {
            for to in touches(scene, report) {
                if self.touched[k].contains(&to) {
                    continue;
                }
                self.touched[k].push(to.clone());
                if !first {
                    self.hits.push(FirstHit {
                        time: self.time,
                        cable: k,
                        to,
                    });
                }
            }
        }
    }

    /// What is to be seen now; `reports` are those of the last step, or of the rest that it began with.
    pub fn sample(&self, reports: &[Arc<CableReport>]) -> Sample {
        sample(&self.simulation, reports, self.time, "")
    }
}

/// Names of what a cable touches.
fn touches(scene: &Scene, report: &CableReport) -> Vec<String> {
    let parts = (report.report.contacts.iter()).filter_map(|c| scene.parts.get(c.obstacle));
    let cables = (report.report.rod_contacts.iter()).filter_map(|c| scene.cables.get(c.rod));
    let mut names: Vec<String> = parts.map(|p| p.name.clone()).collect();
    names.extend(cables.map(|c| c.name.clone()));
    names.sort_unstable();
    names.dedup();
    names
}

fn check(options: &MotionOptions) -> Result<(), MotionError> {
    let (step, error) = match options.length {
        StepLength::Fixed(step) => (step, 1.0),
        StepLength::Fitting { error, longest } => (longest, error),
    };
    for (what, value) in [("time step", step), ("error of a time step", error)] {
        if !(value.is_finite() && value > 0.0) {
            return Err(MotionError::BadNumber {
                what,
                must: "a positive number",
                value,
            });
        }
    }
    for (what, value) in [
        ("drag", options.drag),
        ("damping", options.damping.unwrap_or_default()),
    ] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(MotionError::BadNumber {
                what,
                must: "0 or a positive number",
                value,
            });
        }
    }
    Ok(())
}
