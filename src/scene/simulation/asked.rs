//! Which cables a step has to look at: those that sleep, and that nobody has touched since, keep their targets and what was
//! said of them.

use std::sync::Arc;

use super::problem::targets_of;
use super::{CableReports, Simulation};
use crate::solve::Target;

/// Where the handles of a cable are to go.
type Targets = Vec<Option<Target>>;

/// What the last step left.
#[derive(Clone, Default)]
pub(super) struct LastStep {
    /// Numbers of the solvers that the next step has to look at beside those that they wake, ascending; `None` for all.
    asked: Option<Vec<usize>>,
    /// For each cable where its handles are to go; without those of free junctions, which find their own place.
    pub targets: Vec<Targets>,
    pub goals: Vec<Targets>,
    /// What was said of each cable.
    pub reports: CableReports,
}

impl LastStep {
    /// The next step looks at everything.
    pub fn ask_all(&mut self) {
        self.asked = None;
    }

    /// The next step looks at this cable as well.
    pub fn ask(&mut self, number: usize) {
        if let Some(asked) = &mut self.asked
            && let Err(at) = asked.binary_search(&number)
        {
            asked.insert(at, number);
        }
    }

    /// The next step looks at these, and at what is asked for until then.
    pub fn ask_only(&mut self, numbers: impl Iterator<Item = usize>) {
        let asked = self.asked.get_or_insert_default();
        asked.clear();
        asked.extend(numbers);
    }
}

impl Simulation {
    /// The next step looks at a cable whose handle was sent somewhere, and at those that meet it in a junction.
    pub(super) fn ask_for(&mut self, cable: &str) {
        let Some(number) = self.scene.cables.iter().position(|c| c.name == cable) else {
            return;
        };
        self.last.ask(number);
        for party in &self.parties {
            if party.iter().any(|&(c, _)| c == number) {
                for &(c, _) in party {
                    self.last.ask(c);
                }
            }
        }
    }

    /// Takes the numbers of the solvers that this step has to look at, their targets brought up to date.
    pub(super) fn take_asked(&mut self) -> Vec<usize> {
        let (scene, solvers, last) = (&self.scene, &self.solvers, &mut self.last);
        let known = last
            .asked
            .take()
            .filter(|_| last.targets.len() == scene.cables.len());
        let all = known.is_none();
        let asked = known.unwrap_or_else(|| (0..solvers.len()).collect());
        if all {
            last.targets.resize_with(scene.cables.len(), Vec::new);
            last.goals.resize_with(scene.cables.len(), Vec::new);
            Arc::make_mut(&mut last.reports).clear();
        }
        for &k in asked.iter().filter(|&&k| k < scene.cables.len()) {
            last.targets[k] = targets_of(&scene.cables[k], solvers[k].problem());
            last.goals[k].clone_from(&last.targets[k]);
        }
        for &(cable, handle) in self.free.iter().flat_map(|&j| &self.parties[j]) {
            last.goals[cable][handle] = None;
        }
        self.assert_sleepers(&asked);
        asked
    }

    /// What is not asked has nothing to do.
    fn assert_sleepers(&self, asked: &[usize]) {
        if !cfg!(debug_assertions) {
            return;
        }
        let cables = self.scene.cables.iter().zip(&self.solvers).enumerate();
        for (k, (cable, solver)) in cables.filter(|(k, _)| asked.binary_search(k).is_err()) {
            let targets = targets_of(cable, solver.problem());
            assert_eq!(targets, self.last.targets[k], "targets of {}", cable.name);
            assert!(
                solver.sleeps(&self.last.goals[k]),
                "{} has something to do",
                cable.name
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::demo::demo;
    use crate::scene::{CableReport, Command};
    use crate::solve::CancelToken;

    /// All reports as text, but for the time that they took.
    fn told(reports: &[Arc<CableReport>]) -> Vec<String> {
        let told = |report: &Arc<CableReport>| {
            let mut report = CableReport::clone(report);
            report.report.cpu_ms = 0.0;
            format!("{report:?}")
        };
        reports.iter().map(told).collect()
    }

    #[test]
    fn a_length_that_comes_in_stages_leaves_nobody_with_older_targets() {
        // Free junctions go to another place in one stage, and rest in the next.
        let mut simulation = Simulation::new(demo("routed-bay").unwrap()).unwrap();
        let ground = simulation.scene().cable("GND").unwrap();
        let command = Command::SetLength {
            cable: ground.name.clone(),
            length: ground.length + 130.0,
        };
        simulation.apply(&command).unwrap();
        for _ in 0..3 {
            let told_now = simulation.solve_quietly(&CancelToken::default());
            assert_eq!(told_now.len(), simulation.scene().cables.len());
        }
    }

    #[test]
    fn what_sleeps_is_told_as_if_all_had_been_asked() {
        for name in ["crossing", "harness", "control-unit"] {
            let mut simulation = Simulation::new(demo(name).unwrap()).unwrap();
            let cancel = CancelToken::default();
            let mut asleep = 0;
            for k in 0..12 {
                let cables = &simulation.scene().cables;
                let cable = &cables[k / 4 % cables.len()];
                let handle = &cable.handles[cable.handles.len() - 1];
                let mut position = handle.pose.position;
                position.z += if k % 4 == 3 { 0.0 } else { 3.0 - k as f64 };
                let command = Command::MoveHandle {
                    cable: cable.name.clone(),
                    handle: handle.name.clone(),
                    position: Some(position.into()),
                    rotation: None,
                };
                simulation.apply(&command).unwrap();
                let mut all = simulation.clone();
                all.last.ask_all();
                let told_now = told(&simulation.solve_quietly(&cancel));
                asleep += told_now
                    .iter()
                    .filter(|t| t.contains("island: None"))
                    .count();
                assert_eq!(told_now, told(&all.solve_quietly(&cancel)), "{name} {k}");
            }
            assert!(asleep > 0, "{name} proves nothing");
        }
    }
}
