//! A scene over time: its solvers with inertia, one step of time after the other.

use super::{CableReports, OnIterate, Simulation, reborrow};

use crate::scene::CommandError;
use crate::scene::material::DAMPING;
use crate::solve::{
    Budget, Damping, Solver, Stage, TimeRule, begin_stage, end_stage, kinetic_and_potential,
    set_bodies_in_motion,
};

/// Has everything that moves by a plan where it is at a time, in seconds from the beginning of the step.
pub type Plan<'a> = &'a mut dyn FnMut(&mut Simulation, f64) -> Result<(), CommandError>;

impl Simulation {
    /// Lets everything move over time, from where it is and at rest, slowed down by the damping of its materials (or by
    /// `material` seconds, where that is given) and by `drag`, 1/s.
    pub fn set_in_motion(&mut self, drag: f64, material: Option<f64>) {
        let scene = &self.scene;
        for (cable, solver) in scene.cables.iter().zip(&mut self.solvers) {
            let own = cable.material.as_ref().and_then(|m| scene.material(m));
            let own = own.and_then(|m| m.damping_s).unwrap_or(DAMPING);
            let material = material.unwrap_or(own);
            solver.set_in_motion(Some(Damping { drag, material }));
        }
        let of_bodies = Damping {
            drag,
            material: 0.0,
        };
        set_bodies_in_motion(&mut self.pairs, Some(of_bodies));
        self.motion = Some((drag, material));
        self.last.ask_all();
    }

    /// Goes on as fast as cables of the same name were in another scene.
    pub(super) fn take_velocities(&mut self, before: &Self) {
        for (cable, solver) in self.scene.cables.iter().zip(&mut self.solvers) {
            let known = before.scene.cables.iter();
            let known = known.zip(&before.solvers).find(|c| c.0.name == cable.name);
            let Some((_, known)) = known else {
                continue;
            };
            let same = known.state().positions.len() == solver.state().positions.len();
            if let (true, Some(velocities)) = (same, known.velocities()) {
                solver.set_velocities(velocities, &known.spins());
            }
        }
    }

    /// Stops all motion: the next solve finds the equilibrium.
    pub fn stop_motion(&mut self) {
        for solver in &mut self.solvers {
            solver.set_in_motion(None);
            solver.set_fresh();
        }
        set_bodies_in_motion(&mut self.pairs, None);
        self.motion = None;
        self.last.ask_all();
        self.store_all_shapes();
    }

    /// Whether it is in motion over time, be it at rest for now.
    pub fn is_in_motion(&self) -> bool {
        self.motion.is_some()
    }

    /// Whether nothing has a velocity.
    pub fn is_still(&self) -> bool {
        !self.solvers.iter().any(Solver::is_moving)
    }

    /// A step of so many seconds. `plan` sends handles and parts where they are to be at the end of each of its stages.
    pub fn advance(
        &mut self,
        rule: TimeRule,
        seconds: f64,
        budget: &Budget,
        mut on_iterate: Option<OnIterate>,
        plan: Plan,
    ) -> Result<CableReports, CommandError> {
        let mut last = CableReports::default();
        let starting = self.solvers.iter().any(Solver::is_starting);
        for stage in rule.stages(seconds, starting) {
            plan(self, stage.ends_at())?;
            let listener = reborrow(&mut on_iterate);
            last = self.make_stage(&stage, budget, listener);
        }
        Ok(last)
    }

    fn make_stage(
        &mut self,
        stage: &Stage,
        budget: &Budget,
        on_iterate: Option<OnIterate>,
    ) -> CableReports {
        self.last.ask_all();
        begin_stage(&mut self.solvers, &mut self.pairs, stage);
        let reports = self.solve_observed(budget, on_iterate);
        end_stage(&mut self.solvers, &mut self.pairs, stage);
        self.last.ask_all();
        reports
    }

    /// Energy of the motion, and of shapes, weights and contacts, N mm.
    pub fn kinetic_and_potential(&self) -> [f64; 2] {
        kinetic_and_potential(&self.solvers, &self.pairs)
    }
}
