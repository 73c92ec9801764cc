//! A solver holds a problem, the state, and everything that is reused from one step to the next.

use smallvec::SmallVec;

use super::depenetration::Depenetration;
use super::flow::FlowState;
use super::grip::{Grip, GripState, Hold, Place};
use super::inertia::Inertia;
use super::island::{Measures, Stopped};
use super::kept::Factors;
use super::layout;
use super::pairs::Pairs;
use super::problem::Problem;
use super::run::Run;
use super::scratch::{Goal, Scratch};
use crate::contact::friction::FrictionContact;
use crate::contact::{Candidates, Contact, ContactSettings, Sticky};
use crate::geom::Vec3;
use crate::rod::RodState;

/// Keeps one cable in equilibrium while its handles move. No allocation per step once it has warmed up.
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that do not exclude each other"
)]
#[derive(Clone)]
pub struct Solver {
    pub(super) problem: Problem,
    pub(super) settings: ContactSettings,
    /// Where the rod is, and what its grips remember.
    pub(super) state: RodState,
    pub(super) grips: Vec<GripState>,
    pub(super) flows: Vec<FlowState>,
    /// Axial and shear force of each edge as an iterate of its own (mixed method).
    pub(super) tension: Vec<Vec3>,
    /// Friction of the equilibrium before, and whether that is to be tied to the last one before anything moves.
    pub(super) friction: Vec<FrictionContact>,
    pub(super) friction_due: bool,
    pub(super) friction_tied: Tied,
    /// Active contacts at `state`, and their normal forces.
    pub(super) contacts: Vec<Contact>,
    pub(super) contact_forces: Vec<f64>,
    /// The last equilibrium, to go back to.
    pub(super) rest: RodState,
    pub(super) rest_grips: Vec<GripState>,
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
    /// Whether the caller says that the state, which it kept, is an equilibrium of the problem as it is.
    pub(super) resumed: bool,
    /// Whether the iterations of this step move it.
    pub(super) awake: bool,
    /// Whether it may have moved since its state was taken.
    pub(super) fresh: bool,
    /// Where its handles were stopped short of, and by what.
    pub(super) stopped: Option<Stopped>,
    /// Numbers of the last report that take a look at every node.
    pub(super) measures: Measures,
    /// Residual and tolerance at the last iterate, and whether the last rest is stable.
    pub(super) measured: [f64; 2],
    /// Noise of the forces there, N.
    pub(super) measured_noise: f64,
    pub(super) stable: bool,
    /// Largest strain before the chunk that is being tried.
    pub(super) strain: f64,
    /// Contacts with itself, while it is solved alone.
    pub(super) own_pairs: Pairs,
    /// Accepted iterates since the last equilibrium, one after the other, when they are asked for.
    pub(super) trace: Vec<Vec3>,
    pub(super) tracing: bool,
    /// Entries that grips and free ends take out of the system, and nodes that are held.
    pub(super) fixed: Vec<bool>,
    pub(super) held: Vec<bool>,
    /// Nodes that go with a body in rising order, which unknowns are the body's by that, and how long the longest way through
    /// all rods is that bodies join to this one, mm.
    pub(super) carried: SmallVec<[usize; 2]>,
    slaved: Vec<bool>,
    pub(super) span: Option<f64>,
    /// Whether nothing holds it, neither a handle of its own nor one of the rods that bodies join to it.
    pub(super) adrift: bool,
    /// What it has beside its state in motion over time; `None` when every step is to end at rest.
    pub(super) inertia: Option<Box<Inertia>>,
    pub(super) push: Depenetration,
    pub(super) work: Scratch,
}

/// Whether friction was tied to the last equilibrium since that was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tied {
    No,
    /// The friction before waits in the scratch.
    Done,
    /// It was, and the way from there led nowhere: what it was tied to waits in the scratch.
    Undone,
}

/// Whether a body takes along what a grip holds.
pub(super) fn is_carried(grip: &Grip, carried: &[usize]) -> bool {
    let Place::Node(i) = grip.place else {
        return false;
    };
    !matches!(grip.hold, Hold::Spring(_)) && carried.binary_search(&i).is_ok()
}

impl Solver {
    /// A solver that starts from `state`, not yet in equilibrium. Clamps of the state that no grip needs are dropped;
    /// ones that are missing are put where they exert no moment.
    ///
    /// # Panics
    /// When `state` has another number of nodes than the rod, or a grip is not on the rod ([`Problem::check`]).
    pub fn new(problem: Problem, state: RodState) -> Self {
        let n = problem.rod.n_edges();
        assert_eq!(
            state.positions.len(),
            n + 1,
            "state and rod must have the same nodes"
        );
        let load = problem.rod.force_scale(&problem.gravity) / problem.rod.length();
        let settings = ContactSettings::new(problem.radius, load, problem.friction);
        let mut candidates = Candidates::new(n);
        candidates.reset(&problem.ignored);
        candidates.set_thickness(&problem.thickness);
        candidates.set_margins(
            &problem.obstacles,
            &problem.margins,
            &state.positions,
            &settings,
        );
        let mut solver = Self {
            settings,
            tension: vec![Vec3::zeros(); n],
            friction: Vec::new(),
            friction_due: false,
            friction_tied: Tied::No,
            contacts: Vec::new(),
            contact_forces: Vec::new(),
            rest: state.clone(),
            rest_tension: vec![Vec3::zeros(); n],
            rest_stiffness: settings.barrier_stiffness,
            rest_sticky: Sticky::default(),
            rest_run: Run::NONE,
            stale: false,
            at_rest: false,
            resumed: false,
            awake: true,
            fresh: true,
            stopped: None,
            measures: Measures::default(),
            measured: [f64::INFINITY, 0.0],
            measured_noise: 0.0,
            stable: false,
            strain: 0.0,
            own_pairs: Pairs::default(),
            trace: Vec::new(),
            tracing: false,
            grips: Vec::new(),
            flows: vec![FlowState::NEW; problem.flows.len()],
            rest_grips: Vec::new(),
            fixed: Vec::new(),
            held: Vec::new(),
            carried: SmallVec::new(),
            slaved: vec![false; layout::n_unknowns(n)],
            span: None,
            adrift: problem.grips.is_empty(),
            inertia: None,
            push: Depenetration::default(),
            work: Scratch::new(&state, candidates),
            state,
            problem,
        };
        solver.take_grips(&[]);
        solver.start_pushing();
        solver
    }

    /// As [`Solver::new`] with a state that was an equilibrium: the forces along it are taken from it.
    pub fn resume(problem: Problem, state: RodState) -> Self {
        let mut solver = Self::new(problem, state);
        solver.take_tension();
        solver.rest_tension.copy_from_slice(&solver.tension);
        solver
    }

    /// Sets up what depends on the problem's grips. Those that were there before keep what they remember; a new one
    /// holds what is there.
    pub(super) fn take_grips(&mut self, before: &[Grip]) {
        self.work.holds = Factors::Other;
        let n = self.problem.rod.n_edges();
        let mut clamped = [false; 2];
        let memory = std::mem::take(&mut self.grips);
        // What nothing holds stays where it is: it would fall for ever.
        self.adrift |= self.problem.grips.is_empty();
        self.fixed = vec![self.adrift; layout::n_unknowns(n)];
        self.held = vec![self.adrift; n + 1];
        for grip in &self.problem.grips {
            if let Some(end) = grip.clamp(n) {
                clamped[end] = true;
                if self.state.clamps[end].is_none() {
                    let rest = self.problem.rod.joint(end * n).rest;
                    self.state.clamps[end] = Some(self.state.relaxed_clamp(end, &rest));
                    self.state.turns[end * n] = 0;
                    self.state.keep_turns(end * n, rest.twist);
                }
            }
            if is_carried(grip, &self.carried) {
                continue;
            }
            for i in grip.nodes() {
                self.held[i] = true;
                self.fixed[layout::node(i)..][..3].fill(true);
            }
            if let Some((at, number)) = grip.frame_entries(n) {
                self.fixed[at..at + number].fill(true);
            }
        }
        for end in 0..2 {
            if !clamped[end] {
                self.state.clamps[end] = None;
                self.fixed[layout::clamp(end, n)..][..3].fill(true);
            }
        }
        let anew = |grip: &Grip| GripState {
            anchor: grip.place.point(&self.state),
            roll: 0.0,
            reach: match grip.place {
                Place::Edge(j) => {
                    let edge = self.state.positions[j + 1] - self.state.positions[j];
                    let rotation = grip.pose(&self.state).rotation;
                    rotation.inverse_transform_vector(&edge)
                }
                _ => Vec3::zeros(),
            },
        };
        let known = |grip: &Grip| {
            let k = before.iter().position(|g| g == grip)?;
            memory.get(k).copied()
        };
        let grips = self.problem.grips.iter();
        self.grips = grips.map(|g| known(g).unwrap_or_else(|| anew(g))).collect();
        self.rest.copy_from(&self.state);
        self.rest_grips.clone_from(&self.grips);
        let goal = |(grip, memory): (&Grip, &GripState)| Goal {
            pose: grip.pose(&self.state),
            roll: memory.roll,
        };
        let grips = self.problem.grips.iter();
        self.work.goals = grips.zip(&self.grips).map(goal).collect();
        self.work.anchor_motion = vec![Vec3::zeros(); self.grips.len()];
        self.work.prescribed.reserve(9 * self.grips.len() + 6);
    }

    /// Says which nodes go with a body, in rising order, and whether nothing holds it and what bodies join to it.
    pub(super) fn set_carried(&mut self, carried: &[usize], adrift: bool) {
        let adrift = adrift || self.problem.grips.is_empty();
        if &self.carried[..] == carried && self.adrift == adrift {
            return;
        }
        self.carried = carried.into();
        self.adrift = adrift;
        let n = self.problem.rod.n_edges();
        self.slaved.fill(false);
        for &i in carried {
            self.slaved[layout::node(i)..][..3].fill(true);
            if i == 0 || i == n {
                self.slaved[layout::clamp(i / n, n)..][..3].fill(true);
            }
        }
        let grips = self.problem.grips.clone();
        self.take_grips(&grips);
    }

    /// Whether an end of it goes with a body that finds its own place.
    pub(super) fn is_joined(&self) -> bool {
        !self.carried.is_empty()
    }

    /// Whether something holds it: a handle of its own, or one of a cable that junctions join to it. What nothing holds
    /// stays where it is.
    pub fn is_held_somewhere(&self) -> bool {
        !self.adrift
    }

    /// The length that bends as one, mm: of the rod, or of all that bodies join to it.
    pub(super) fn span(&self) -> f64 {
        self.span.unwrap_or_else(|| self.problem.rod.length())
    }

    /// Whether unknown `k` is one of a body.
    pub(super) fn is_slaved(&self, k: usize) -> bool {
        self.slaved[k]
    }

    /// Takes part in the iterations from where it rests; `behind` iterates of the others went before, which are wanted if
    /// it is `tracing`.
    pub(super) fn wake(&mut self, behind: usize, tracing: bool) {
        self.awake = true;
        self.tracing = tracing;
        self.fresh = true;
        self.strain = self.largest_strain();
        self.renew_friction();
        self.work.sticky.clear();
        self.work.last_step.fill(0.0);
        self.stay();
        self.no_motion();
        self.find_contacts();
        self.trace.clear();
        if self.tracing {
            for _ in 0..behind {
                self.trace.extend_from_slice(&self.state.positions);
            }
        }
    }

    /// Whether it may have moved since this was last asked.
    pub fn take_fresh(&mut self) -> bool {
        std::mem::take(&mut self.fresh)
    }

    /// Says that its state is to be taken anew.
    pub fn set_fresh(&mut self) {
        self.fresh = true;
    }

    /// Iterates in the trace.
    pub(super) fn traced(&self) -> usize {
        self.trace.len() / self.state.positions.len()
    }

    /// A larger shift of the matrix.
    pub(super) fn raise_shift(&mut self) {
        let shift = &mut self.work.shift;
        *shift = if *shift == 0.0 {
            // What it took last time is a good guess of what it takes now.
            (0.25 * self.work.last_shift).max(1.0)
        } else {
            4.0 * *shift
        };
        self.work.last_shift = *shift;
    }

    /// Changes the problem (length, handles, friction, gravity, obstacles) under the same number of nodes; the next
    /// step finds the equilibrium anew. A handle that is new holds what is there.
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
        if problem.friction <= 0.0 {
            // What was switched off has let go for good.
            self.friction.clear();
        }
        let stiffening = self.settings.barrier_stiffness / self.settings.least_stiffness;
        self.settings = ContactSettings::new(problem.radius, load, problem.friction);
        self.settings.barrier_stiffness *= stiffening;
        let before = std::mem::replace(&mut self.problem, problem);
        self.drop_block();
        self.adrift &= !before.grips.is_empty();
        self.take_grips(&before.grips);
        if self.problem.flows.len() != self.flows.len() {
            self.flows = vec![FlowState::NEW; self.problem.flows.len()];
        }
        for (grip, memory) in self.problem.grips.iter().zip(&mut self.grips) {
            if let Place::Edge(j) = grip.place {
                memory.reach *= self.problem.rod.rest_lengths()[j] / before.rod.rest_lengths()[j];
            }
        }
        self.rest_grips.clone_from(&self.grips);
        self.work.candidates.reset(&self.problem.ignored);
        self.work.candidates.set_thickness(&self.problem.thickness);
        self.work.candidates.set_margins(
            &self.problem.obstacles,
            &self.problem.margins,
            &self.state.positions,
            &self.settings,
        );
        self.start_pushing();
        self.at_rest = false;
        self.resumed = false;
        self.fresh = true;
    }
}
