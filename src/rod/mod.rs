//! The elastic rod of one cable: a staggered-grid Cosserat rod.
//!
//! Node positions and one material frame per edge are the unknowns; frames change by Lie increments in their own
//! axes. Every term of the energy is a pure function with its gradient and Hessian, one file a term; assembly into
//! a system happens in [`crate::solve`].

mod bend_twist;
mod discrete;
mod grid;
mod guess;
mod resample;
mod state;
mod stretch_shear;

pub use bend_twist::{BendTwist, Joint, JointTerm, bend_twist, joint_term};
pub use discrete::{Rod, RodError, Section};
pub use grid::{Mark, grid};
pub use guess::{N_SIDES, Stop, first_guess, guess_through};
pub use resample::{ResampleError, resample};
pub use state::RodState;
pub(crate) use state::turned_to;
pub use stretch_shear::{EdgeTerm, axial_shear_force, edge_term};
