//! One step: to rest, along the handles' way, and what is to be said of it.

use smallvec::SmallVec;

use super::continuation::{Continuation, Listener};
use super::coupled::{Coupled, Numbers};
use super::grip::Target;
use super::run::{Rest, Run};
use super::solver::Tied;
use super::{Budget, Pairs, Report, Solver};
use crate::contact::friction::anchor;
use crate::geom::Vec3;

/// Where the handles of each rod are to go, in the order of its problem's grips; a handle without a target stays where it
/// is, and so do all of a rod without a list.
#[derive(Clone, Copy, Debug)]
pub enum Targets<'t> {
    /// Lists of others.
    Lent(&'t [&'t [Option<Target>]]),
    /// Lists that are kept together: what sleeps is not gone through to hand them on.
    Kept(&'t [Vec<Option<Target>>]),
}

impl<'t> Targets<'t> {
    /// Every handle stays where it is.
    pub const NONE: Self = Self::Lent(&[]);

    /// Those of a rod.
    pub(super) fn of(self, rod: usize) -> &'t [Option<Target>] {
        match self {
            Self::Lent(lists) => lists.get(rod).copied().unwrap_or_default(),
            Self::Kept(lists) => lists.get(rod).map(Vec::as_slice).unwrap_or_default(),
        }
    }
}

/// Handles that move as one: (rod, grip) of each.
pub type GripGroup = Vec<(usize, usize)>;

/// One report for each rod.
pub type Reports = SmallVec<[Report; 1]>;

/// Reports of some rods, with their numbers.
pub type SomeReports = SmallVec<[(usize, Report); 1]>;

/// Who gets (rod, nodes) of every accepted iterate: rod by rod, iterate by iterate.
pub type GroupListener<'a> = Option<&'a mut dyn FnMut(usize, &[Vec3])>;

impl Solver {
    /// Moves the handles towards `targets` and finds the equilibrium there, or as near as collisions, the cable's
    /// length and the solver allow. Targets are in the order of the problem's grips; a handle without one stays where
    /// it is.
    ///
    /// Every state on the way is free of collisions. The state at the end is an equilibrium unless the report says
    /// otherwise. `on_iterate` gets the nodes of every accepted iterate, in order, of one continuous motion.
    pub fn step(
        &mut self,
        targets: &[Option<Target>],
        budget: impl Into<Budget>,
        on_iterate: Listener,
    ) -> Report {
        let budget = &budget.into();
        let mut pairs = std::mem::take(&mut self.own_pairs);
        let rods = std::slice::from_mut(self);
        let mut reports = match on_iterate {
            Some(listener) => {
                let mut of_rod = |_: usize, nodes: &[Vec3]| listener(nodes);
                step_coupled(rods, &mut pairs, &[], &[targets], budget, Some(&mut of_rod))
            }
            None => step_coupled(rods, &mut pairs, &[], &[targets], budget, None),
        };
        self.own_pairs = pairs;
        reports.remove(0)
    }
}

/// As [`Solver::step`] for several rods that may touch each other: contacts between them are part of the equilibrium.
/// Rods that rest, and that nothing touches, cost next to nothing.
pub fn step_coupled(
    rods: &mut [Solver],
    pairs: &mut Pairs,
    parties: &[GripGroup],
    targets: &[&[Option<Target>]],
    budget: impl Into<Budget>,
    on_iterate: GroupListener,
) -> Reports {
    let asked: Numbers = (0..rods.len()).collect();
    let targets = Targets::Lent(targets);
    let reports = step_asked(rods, pairs, parties, &asked, targets, budget, on_iterate);
    reports.into_iter().map(|(_, report)| report).collect()
}

/// As [`step_coupled`], for those that are asked and what they wake; only of these there are reports, in the order of their
/// numbers. Who is not asked has the targets that it had, was not changed, and slept in the last step.
pub fn step_asked(
    rods: &mut [Solver],
    pairs: &mut Pairs,
    parties: &[GripGroup],
    asked: &[usize],
    targets: Targets,
    budget: impl Into<Budget>,
    on_iterate: GroupListener,
) -> SomeReports {
    let mut together = Coupled {
        rods,
        pairs,
        parties,
        awake: asked.into(),
    };
    together.step(targets, &budget.into(), on_iterate)
}

impl Coupled<'_> {
    /// Those that are awake are the ones that are asked.
    fn step(
        &mut self,
        targets: Targets,
        budget: &Budget,
        on_iterate: GroupListener,
    ) -> SomeReports {
        let mut listener = on_iterate;
        let mut told = self.awake.clone();
        self.pairs.bodies.refresh(self.rods);
        self.wake_moving(targets, listener.is_some());
        let outcomes = self.step_islands(targets, budget, &mut listener);
        told.extend_from_slice(&self.awake);
        told.sort_unstable();
        told.dedup();
        let report = |r: usize| (r, self.report(r, targets, outcomes.of(r)));
        let reports: SomeReports = told.into_iter().map(report).collect();
        for (r, report) in &reports {
            self.rods[*r].note_measures(report);
        }
        reports
    }

    /// Takes those that are awake to rest, and their handles along their way.
    pub(super) fn step_island(
        &mut self,
        targets: Targets,
        budget: &Budget,
        listener: &mut GroupListener,
    ) -> Continuation {
        let mut continuation = Continuation::default();
        let resumed = self.resumes();
        // First to rest where they are: a new problem, or a cold start.
        if !self.at_rest() {
            self.each(Solver::stay);
            if !resumed {
                self.begin();
            }
            // A stage of a motion that takes too long ends where it is: the next goes on from there.
            let moving = self.awake_rods().any(|rod| rod.inertia.is_some());
            let most = if moving {
                budget.iterations()
            } else {
                usize::MAX
            };
            let run = self.run_to_rest(most, budget);
            continuation.iterations += run.iterations;
            match run.rest {
                Rest::Found { .. } => {
                    self.commit(&run, listener);
                    continuation.kept = true;
                }
                _ if !self.is_finite() => self.go_back(),
                // What there is, is free of collisions: the next step goes on from it.
                _ => self.leave_unrested(&run, listener),
            }
        }
        if self.at_rest() {
            self.relax_flows(budget, listener, &mut continuation.iterations);
        }
        if self.at_rest() {
            let as_kept = resumed && continuation.iterations == 0;
            if as_kept && !self.is_sent(targets) {
                self.recall_stops(&mut continuation);
            } else {
                self.travel(targets, budget, listener, &mut continuation);
            }
        }
        if self.awake_rods().any(|rod| rod.stale) {
            self.refresh();
        }
        // The next step goes on pushing.
        self.each(|rod| rod.at_rest &= !rod.is_pushing());
        continuation
    }

    /// Wakes the rods that have something to do, and those that touch them.
    ///
    /// A handle that was stopped short of its target is not sent there again before something has changed.
    fn wake_moving(&mut self, targets: Targets, tracing: bool) {
        let Self { rods, awake, .. } = self;
        awake.retain(|r| {
            let own = targets.of(*r);
            let rod = &mut rods[*r];
            rod.awake = !rod.at_rest || rod.is_sent(own);
            rod.fresh |= rod.awake;
            rod.tracing = tracing;
            rod.trace.clear();
            rod.awake
        });
        for party in self.parties {
            if party.iter().any(|&(r, _)| rods[r].awake) {
                for &(r, k) in party {
                    let own = targets.of(r);
                    let rod = &mut rods[r];
                    if !rod.awake && rod.is_short(own, k) {
                        rod.awake = true;
                        rod.fresh = true;
                        rod.tracing = tracing;
                        rod.trace.clear();
                        awake.insert(awake.partition_point(|&a| a < r), r);
                    }
                }
            }
        }
        self.wake_touched();
    }

    fn at_rest(&self) -> bool {
        self.awake_rods().all(|rod| rod.at_rest)
    }

    /// Whether all that is not known to be at rest was kept as an equilibrium of the same problem.
    fn resumes(&self) -> bool {
        self.awake_rods().all(|rod| rod.at_rest || rod.resumed)
    }

    /// Whether a handle of those that are awake is to go somewhere, other than where it was stopped short of.
    fn is_sent(&self, targets: Targets) -> bool {
        let own = |r: usize| targets.of(r);
        self.awake.iter().any(|&r| self.rods[r].is_sent(own(r)))
    }

    /// What was kept as stopped short of its target, and has not moved, is not sent there again.
    fn recall_stops(&self, continuation: &mut Continuation) {
        for &r in &self.awake {
            let stopped = self.rods[r].stopped.iter();
            let blockers = stopped.flat_map(|s| s.blockers.iter().enumerate());
            continuation
                .stopped
                .extend(blockers.map(|(k, blocker)| (r, k, *blocker)));
        }
    }

    /// Before anything moves: friction is tied to where the rods rest, and contacts that were made to stay may go again.
    ///
    /// Not when they come to rest: what is kept then is at rest in its own energy.
    pub(super) fn begin(&mut self) {
        if self.awake_rods().any(|rod| rod.friction_due) {
            self.pairs.anchor(self.rods, &self.awake);
        }
        self.each(|rod| {
            rod.renew_friction();
            rod.work.sticky.clear();
        });
    }

    /// Back to the last equilibrium after a way that led to none, friction included: what is kept is at rest in its own
    /// energy.
    pub(super) fn give_up(&mut self) {
        self.go_back();
        self.each(Solver::untie_friction);
        self.pairs.untie();
    }

    /// Takes the states as the new equilibrium; the way to them is published.
    pub(super) fn commit(&mut self, run: &Run, listener: &mut GroupListener) {
        self.pairs.keep_friction();
        self.each(|rod| rod.commit(run));
        self.pairs.bodies.commit(self.rods);
        self.publish(listener);
    }

    /// Keeps states that are not in equilibrium; the way to them is published.
    pub(super) fn leave_unrested(&mut self, run: &Run, listener: &mut GroupListener) {
        self.pairs.keep_friction();
        self.each(|rod| rod.leave_unrested(run));
        self.pairs.bodies.commit(self.rods);
        self.publish(listener);
    }

    fn publish(&mut self, listener: &mut GroupListener) {
        self.each(Solver::note_swept);
        if let Some(listener) = listener {
            let iterates = self.awake_rods().map(Solver::traced).max();
            for k in 0..iterates.unwrap_or(0) {
                for &r in &self.awake {
                    let rod = &self.rods[r];
                    let n = rod.state.positions.len();
                    if let Some(nodes) = rod.trace.get(k * n..(k + 1) * n) {
                        listener(r, nodes);
                    }
                }
            }
        }
        self.each(|rod| rod.trace.clear());
    }

    /// Assembles the systems at the states, for the reports.
    fn refresh(&mut self) {
        self.assemble(false);
    }
}

impl Solver {
    /// Takes the state as the new equilibrium: friction is tied to it before anything moves again.
    fn commit(&mut self, run: &Run) {
        self.rest.copy_from(&self.state);
        self.rest_grips.copy_from_slice(&self.grips);
        self.rest_tension.copy_from_slice(&self.tension);
        self.note(run);
        self.remember_contact();
        self.at_rest = true;
        // What was kept and has not moved has friction as it was kept.
        self.friction_due |= !self.resumed || run.iterations > 0;
        self.friction_tied = Tied::No;
        self.resumed = false;
        self.work.candidates.grow_margins(
            &self.problem.obstacles,
            &self.state.positions,
            &self.settings,
        );
        self.push_on();
    }

    /// Ties friction to the contacts of the last equilibrium, if that is still to be done.
    pub(super) fn renew_friction(&mut self) {
        if !std::mem::take(&mut self.friction_due) {
            return;
        }
        if self.friction_tied == Tied::Undone {
            std::mem::swap(&mut self.friction, &mut self.work.next_friction);
            self.friction_tied = Tied::Done;
            return;
        }
        self.friction_tied = Tied::Done;
        anchor(
            &self.contacts,
            &self.contact_forces,
            &self.state.positions,
            self.settings.friction,
            self.settings.slip,
            &self.friction,
            &mut self.work.next_friction,
        );
        std::mem::swap(&mut self.friction, &mut self.work.next_friction);
    }

    /// Back to the friction that the last equilibrium rests in, if it was tied anew since.
    fn untie_friction(&mut self) {
        if self.friction_tied == Tied::Done {
            std::mem::swap(&mut self.friction, &mut self.work.next_friction);
            self.friction_tied = Tied::Undone;
            self.friction_due = true;
        }
    }

    /// Keeps a state that is not in equilibrium.
    fn leave_unrested(&mut self, run: &Run) {
        self.note(run);
        self.rest.copy_from(&self.state);
        self.rest_grips.copy_from_slice(&self.grips);
        self.rest_tension.copy_from_slice(&self.tension);
        self.remember_contact();
        self.friction_tied = Tied::No;
        self.at_rest = false;
        self.resumed = false;
    }

    /// Notes a run with what is this rod's own of it.
    fn note(&mut self, run: &Run) {
        self.rest_run = *run;
        [self.rest_run.residual, self.rest_run.tolerance] = self.measured;
        if let Rest::Found { stable } = &mut self.rest_run.rest {
            *stable = self.stable;
        }
    }

    fn remember_contact(&mut self) {
        self.rest_stiffness = self.settings.barrier_stiffness;
        self.rest_sticky.copy_from(&self.work.sticky);
    }

    /// Back to the last equilibrium; the way from it is forgotten.
    pub(super) fn go_back(&mut self) {
        self.state.copy_from(&self.rest);
        self.grips.copy_from_slice(&self.rest_grips);
        self.tension.copy_from_slice(&self.rest_tension);
        self.settings.barrier_stiffness = self.rest_stiffness;
        self.work.sticky.copy_from(&self.rest_sticky);
        self.trace.clear();
        self.find_contacts();
        self.stale = true;
    }
}
