//! Ghost: collisions are off for one drag, and what the cables cross afterwards is listed.

use super::Simulation;
use super::problem::ignored_of;
use crate::contact::Ignored;

impl Simulation {
    /// Whether cables pass through parts now.
    pub fn is_ghost(&self) -> bool {
        self.ghost
    }

    /// Switches collisions off or on. When they are on again, [`Simulation::start_contacts`] lists what cables cross: it
    /// is let go, or pushed out, as at a start.
    pub fn set_ghost(&mut self, on: bool) {
        self.ghost = on;
        self.last.ask_all();
        let n_parts = self.scene.parts.len() as u32;
        for (cable, solver) in self.scene.cables.iter().zip(&mut self.solvers) {
            let all = 0..cable.n_edges as u32;
            let everything = |obstacle| Ignored::through(obstacle, all.clone());
            let mut problem = solver.problem().clone();
            problem.ignored = if on {
                (0..n_parts).map(everything).collect()
            } else {
                ignored_of(&self.scene, cable)
            };
            solver.set_problem(problem);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::demo::demo;
    use crate::scene::{Command, StartReason};
    use crate::solve::{CancelToken, Status};

    #[test]
    fn a_ghost_passes_through_and_what_it_crosses_is_listed() {
        let mut simulation = Simulation::new(demo("box").unwrap()).unwrap();
        let cancel = CancelToken::default();
        simulation.solve_quietly(&cancel);
        let lower = |z: f64| Command::MoveHandle {
            cable: "cable".to_owned(),
            handle: "end".to_owned(),
            position: Some([800.0, 0.0, z]),
            rotation: None,
        };
        simulation.apply(&Command::Ghost { on: true }).unwrap();
        for z in [300.0, 200.0] {
            simulation.apply(&lower(z)).unwrap();
            let report = simulation.solve_quietly(&cancel)[0].report.clone();
            assert_eq!(report.status, Status::Converged);
            assert_eq!(report.contacts.len(), 0);
        }
        // Another edit on the way does not end it.
        let margin = Command::SetMargin { margin: 1.0 };
        simulation.apply(&margin).unwrap();
        assert!(simulation.is_ghost());
        assert!(simulation.clearances(0.0).is_empty(), "nothing is seen");
        simulation.apply(&Command::Ghost { on: false }).unwrap();
        let list = simulation.start_contacts();
        assert!(
            list.iter().any(|c| c.reason == StartReason::Overlaps),
            "{list:?}"
        );
        // It can leave again, and then collides.
        for z in [300.0, 400.0, 500.0, 600.0] {
            simulation.apply(&lower(z)).unwrap();
            simulation.solve_quietly(&cancel);
        }
        assert_eq!(simulation.start_contacts(), []);
        simulation.apply(&lower(150.0)).unwrap();
        simulation.solve_quietly(&cancel);
        assert!(simulation.clearances(10.0)[0].distance > 1.0);
    }
}
