//! The elastic rod of one cable: a staggered-grid Cosserat rod.
//!
//! Node positions and one material frame per edge are the unknowns; frames change by Lie increments in their own
//! axes. Every term of the energy is a pure function with its gradient and Hessian, one file a term; assembly into
//! a system happens in [`crate::solve`].

mod bend_twist;
mod discrete;
mod guess;
mod state;
mod stretch_shear;

pub use bend_twist::{BendTwist, JointTerm, bend_twist, joint_term};
pub use discrete::{Rod, RodError, Section};
pub use guess::first_guess;
pub use state::RodState;
pub use stretch_shear::{EdgeTerm, axial_shear_force, edge_term};
