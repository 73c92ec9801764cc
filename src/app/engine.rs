//! What the solver thread drives: the seam at which tests put a double.

use std::sync::Arc;

use crate::geom::{Pose, Vec3};
use crate::scene::{
    CableReport, Command, CommandError, Exclusion, HeldPart, Scene, Simulation, SimulationError,
    StartContact, StartGroup,
};
use crate::solve::{Budget, Profile, Solver};

/// What the thread drives: a [`Simulation`], or a double of it in tests.
pub trait Engine {
    /// The document as it is now, with the last solved shapes.
    fn scene(&self) -> &Scene;
    /// Carries out an edit.
    fn apply(&mut self, command: &Command) -> Result<(), CommandError>;
    /// Takes over another scene, keeping what was built for parts that are still the same; after an error all is as
    /// before.
    fn replace_scene(&mut self, scene: Scene) -> Result<(), SimulationError>;
    /// Where cables are too near to parts, or may overlap them.
    fn start_contacts(&self) -> Vec<StartContact> {
        Vec::new()
    }
    /// The same for the user, by cable and part.
    fn start_groups(&self, _contacts: &[StartContact]) -> Vec<StartGroup> {
        Vec::new()
    }
    /// Where cables enter what holds them, and collide with it so far.
    fn entries(&self) -> Vec<Exclusion> {
        Vec::new()
    }
    /// One step towards the handles' targets; `on_iterate` gets (cable number, node positions).
    fn solve(
        &mut self,
        budget: &Budget,
        on_iterate: &mut dyn FnMut(usize, &[Vec3]),
    ) -> Vec<Arc<CableReport>>;
    /// Parts that cables kept from where they were sent, in the last solve.
    fn held_parts(&self) -> Vec<HeldPart> {
        Vec::new()
    }
    /// Where the parts are, in the scene's order: one that was sent somewhere may still be on its way.
    fn part_poses(&self) -> Vec<Pose> {
        (self.scene().parts.iter())
            .map(|p| *p.placement())
            .collect()
    }
    /// How much longer the cable must be that holds a part, mm; `None` where length does not help, or `stop` says so.
    fn missing_length(&self, _held: &HeldPart, _stop: &dyn Fn() -> bool) -> Option<f64> {
        None
    }
    /// Whether further solves go on pushing cables out of parts.
    fn is_pushing(&self) -> bool {
        false
    }
    /// Forces and curvature along each cable, in the scene's order; none where they are not known.
    fn profiles(&self) -> Vec<Profile> {
        Vec::new()
    }
}

impl Engine for Simulation {
    fn scene(&self) -> &Scene {
        self.scene()
    }

    fn apply(&mut self, command: &Command) -> Result<(), CommandError> {
        self.apply(command)
    }

    fn replace_scene(&mut self, scene: Scene) -> Result<(), SimulationError> {
        self.replace_scene(scene)
    }

    fn start_contacts(&self) -> Vec<StartContact> {
        self.start_contacts()
    }

    fn start_groups(&self, contacts: &[StartContact]) -> Vec<StartGroup> {
        self.start_groups(contacts)
    }

    fn entries(&self) -> Vec<Exclusion> {
        self.entries()
    }

    fn solve(
        &mut self,
        budget: &Budget,
        on_iterate: &mut dyn FnMut(usize, &[Vec3]),
    ) -> Vec<Arc<CableReport>> {
        self.solve(budget, on_iterate).to_vec()
    }

    fn held_parts(&self) -> Vec<HeldPart> {
        self.held_parts().to_vec()
    }

    fn part_poses(&self) -> Vec<Pose> {
        self.part_poses()
    }

    fn missing_length(&self, held: &HeldPart, stop: &dyn Fn() -> bool) -> Option<f64> {
        self.missing_length(held, stop)
    }

    fn is_pushing(&self) -> bool {
        self.is_pushing()
    }

    fn profiles(&self) -> Vec<Profile> {
        self.solvers().iter().map(Solver::profile).collect()
    }
}

/// Makes the engine of a scene.
pub type EngineFactory = Box<dyn Fn(Scene) -> Result<Box<dyn Engine>, SimulationError> + Send>;

/// The engine of the real program.
pub fn simulation_factory() -> EngineFactory {
    Box::new(|scene| Ok(Box::new(Simulation::new(scene)?)))
}
