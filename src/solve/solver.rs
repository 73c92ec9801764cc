//! A solver holds a problem, the state, and everything that is reused from one step to the next.

use super::assemble::System;
use super::banded::Banded;
use super::layout;
use super::newton::Run;
use super::problem::Problem;
use crate::contact::friction::FrictionContact;
use crate::contact::{Candidates, Contact, ContactSettings, Sticky};
use crate::geom::Vec3;
use crate::rod::RodState;

/// Keeps one cable in equilibrium while its handles move. No allocation per step once it has warmed up.
#[derive(Clone)]
pub struct Solver {
    pub(super) problem: Problem,
    pub(super) settings: ContactSettings,
    /// Where the rod is.
    pub(super) state: RodState,
    /// Axial and shear force of each edge as an iterate of its own (mixed method).
    pub(super) tension: Vec<Vec3>,
    /// Friction of the last equilibrium.
    pub(super) friction: Vec<FrictionContact>,
    /// Active contacts at `state`, and their normal forces.
    pub(super) contacts: Vec<Contact>,
    pub(super) contact_forces: Vec<f64>,
    /// The last equilibrium, to go back to.
    pub(super) rest: RodState,
    pub(super) rest_tension: Vec<Vec3>,
    /// Barrier stiffness and sticking contacts of `rest`.
    pub(super) rest_stiffness: f64,
    pub(super) rest_sticky: Sticky,
    /// How `rest` was found.
    pub(super) rest_run: Run,
    /// Whether the assembled system is that of another state: one that was given up.
    pub(super) stale: bool,
    /// Whether `rest` is an equilibrium of the problem as it is now.
    pub(super) at_rest: bool,
    /// Accepted iterates since the last equilibrium, one after the other, when somebody listens.
    pub(super) trace: Vec<Vec3>,
    pub(super) tracing: bool,
    pub(super) work: Work,
}

/// Scratch memory.
#[derive(Clone)]
pub(super) struct Work {
    pub system: System,
    pub factors: Banded,
    pub delta: Vec<f64>,
    pub motion: Vec<Vec3>,
    pub candidates: Candidates,
    pub trial: RodState,
    pub trial_contacts: Vec<Contact>,
    pub sticky: Sticky,
    pub next_friction: Vec<FrictionContact>,
}

impl Solver {
    /// A solver that starts from `state`, not yet in equilibrium.
    ///
    /// # Panics
    /// When `state` has another number of nodes than the rod.
    pub fn new(problem: Problem, state: RodState) -> Self {
        let n = problem.rod.n_edges();
        assert_eq!(
            state.positions.len(),
            n + 1,
            "state and rod must have the same nodes"
        );
        let load = problem.rod.force_scale(&problem.gravity) / problem.rod.length();
        let unknowns = layout::n_unknowns(n);
        let settings = ContactSettings::new(problem.radius, load, problem.friction);
        let mut candidates = Candidates::new(n);
        candidates.reset(&problem.ignored);
        Self {
            settings,
            tension: vec![Vec3::zeros(); n],
            friction: Vec::new(),
            contacts: Vec::new(),
            contact_forces: Vec::new(),
            rest: state.clone(),
            rest_tension: vec![Vec3::zeros(); n],
            rest_stiffness: settings.barrier_stiffness,
            rest_sticky: Sticky::default(),
            rest_run: Run::NONE,
            stale: false,
            at_rest: false,
            trace: Vec::new(),
            tracing: false,
            work: Work {
                system: System::new(n),
                factors: Banded::zeros(unknowns),
                delta: vec![0.0; unknowns],
                motion: vec![Vec3::zeros(); n + 1],
                candidates,
                trial: state.clone(),
                trial_contacts: Vec::new(),
                sticky: Sticky::default(),
                next_friction: Vec::new(),
            },
            state,
            problem,
        }
    }

    /// Where the rod is.
    pub fn state(&self) -> &RodState {
        &self.state
    }

    /// What is being solved.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The constants of contact that follow from the problem.
    pub fn contact_settings(&self) -> &ContactSettings {
        &self.settings
    }

    /// Changes the problem (length, friction, gravity, obstacles) under the same number of nodes; the next step
    /// finds the equilibrium anew.
    pub fn set_problem(&mut self, problem: Problem) {
        assert_eq!(
            problem.rod.n_edges(),
            self.problem.rod.n_edges(),
            "the number of edges is fixed"
        );
        let load = problem.rod.force_scale(&problem.gravity) / problem.rod.length();
        // The friction that holds the cable follows the coefficient; the barrier stays as stiff as its load asks.
        let ratio = if self.problem.friction > 0.0 {
            problem.friction / self.problem.friction
        } else {
            0.0
        };
        for contact in &mut self.friction {
            contact.scale_load(ratio);
        }
        let stiffening = self.settings.barrier_stiffness / self.settings.least_stiffness;
        self.settings = ContactSettings::new(problem.radius, load, problem.friction);
        self.settings.barrier_stiffness *= stiffening;
        self.problem = problem;
        self.work.candidates.reset(&self.problem.ignored);
        self.at_rest = false;
    }
}
