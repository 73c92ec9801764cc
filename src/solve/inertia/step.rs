//! Rods and bodies over a step of time.

use super::{Damping, Stage, TimeRule};
use crate::solve::{Budget, Listener, Pairs, Report, Solver, Target};

/// Lets bodies move over time that join rods, from where they are and at rest; or stops them. Rods have
/// [`Solver::set_in_motion`].
pub fn set_bodies_in_motion(pairs: &mut Pairs, damping: Option<Damping>) {
    pairs.bodies.set_in_motion(damping);
}

/// Begins a stage of a step of time; the next [`super::super::step_coupled`] makes it.
pub fn begin_stage(rods: &mut [Solver], pairs: &mut Pairs, stage: &Stage) {
    pairs.bodies.begin_stage(stage);
    for rod in rods {
        rod.begin_stage(stage);
    }
}

/// Ends a stage: velocities follow from where everything has come to.
pub fn end_stage(rods: &mut [Solver], pairs: &mut Pairs, stage: &Stage) {
    pairs.bodies.end_stage(stage);
    for (r, rod) in rods.iter_mut().enumerate() {
        let mut others = pairs.contacts.iter().flat_map(|c| c.rods);
        rod.end_stage(stage, others.any(|other| other as usize == r));
    }
}

/// Energy of the motion of all, and of their shapes, weights and contacts, N mm.
pub fn kinetic_and_potential(rods: &[Solver], pairs: &Pairs) -> [f64; 2] {
    let mut sum = pairs.bodies.kinetic_and_potential();
    for [kinetic, potential] in rods.iter().map(Solver::kinetic_and_potential) {
        sum[0] += kinetic;
        sum[1] += potential;
    }
    sum[1] += pairs.energy(rods);
    sum
}

impl Solver {
    /// A step of time of a rod that is in motion by itself: of so many seconds, with its handles where `targets` has them at
    /// a time from the beginning of the step. The report is that of its last stage.
    pub fn advance(
        &mut self,
        rule: TimeRule,
        seconds: f64,
        targets: &dyn Fn(f64) -> Vec<Option<Target>>,
        budget: impl Into<Budget>,
        mut on_iterate: Listener,
    ) -> Report {
        let budget = budget.into();
        let mut last = None;
        for stage in rule.stages(seconds, self.is_starting()) {
            self.begin_stage(&stage);
            let listener: Listener = match &mut on_iterate {
                Some(listener) => Some(&mut **listener),
                None => None,
            };
            last = Some(self.step(&targets(stage.ends_at()), &budget, listener));
            self.end_stage(&stage, false);
        }
        // There is always a stage.
        last.unwrap_or_else(|| self.step(&targets(0.0), &budget, None))
    }
}
