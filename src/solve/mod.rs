//! The equilibrium of a rod under handles, gravity and contact.
//!
//! A [`Problem`] and a first state make a [`Solver`]; each [`Solver::step`] moves the handles towards their targets
//! and ends in an equilibrium, never passing through an obstacle on the way. It knows no names, files or windows.

mod assemble;
pub mod banded;
mod body;
mod budget;
mod clusters;
mod condensed;
mod continuation;
mod coupled;
mod coupling;
mod depenetration;
mod direction;
mod entries;
mod flow;
mod grip;
mod handle_motion;
mod inertia;
mod island;
mod kept;
mod layout;
mod line_search;
mod look_ahead;
mod minimise;
mod motion;
mod moving_obstacle;
pub mod multifrontal;
mod multistart;
mod newton;
mod obstacle_step;
mod pairs;
mod predictor;
mod problem;
mod queries;
mod report;
mod reporting;
mod run;
mod scratch;
mod settings;
mod solver;
mod stability;
mod start;
mod state;
mod step;
mod step_control;
#[cfg(test)]
mod tests;
mod trust_region;

pub use crate::progress::CancelToken;
pub use body::{Among, Body, BodyEnd, strand_rod};
pub use budget::Budget;
pub use continuation::Listener;
pub use depenetration::Pull;
pub use flow::Flow;
pub use grip::{Grip, GripState, Hold, Place, Target};
pub use inertia::{
    Damping, Stage, TimeRule, begin_stage, end_stage, kinetic_and_potential, set_bodies_in_motion,
};
pub use island::Stopped;
pub use moving_obstacle::{Carried, Carrier, OnCarried, move_obstacle};
pub use multistart::{OtherShapes, Start, lowest_start};
pub use pairs::Pairs;
pub use problem::{Load, Problem, ProblemError};
pub use report::{
    Blocker, BodyReport, ContactReport, Energies, HandleReport, HandleReports, Profile, Report,
    RodContactReport, Status,
};
pub use settings::{CHUNK, SMALLEST_CHUNK, STEP_ITERATIONS, TAUT};
pub use solver::Solver;
pub use start::first_state;
pub use state::State;
pub use step::{GripGroup, Reports, SomeReports, Targets, step_asked, step_coupled};
