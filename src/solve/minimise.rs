//! The minimiser: iterations of the mixed Newton method on the rods that are awake, until they rest.
//!
//! One loop. What it decides by stands beside it, each with its own state and reason: the handles are carried by the
//! [`Predictor`], steps that run into something are found again ([`super::look_ahead`]), a line search on the energy
//! with a correction of second order damps them ([`super::line_search`]) within a [`TrustRegion`], and a rest that is no
//! minimum is left by a [`Snap`].

use super::coupled::Coupled;
use super::line_search::Taken;
use super::look_ahead::Step;
use super::motion::Motion;
use super::predictor::Predictor;
use super::run::{Mode, Rest, Run};
use super::settings as set;
use super::stability::Snap;
use super::trust_region::TrustRegion;
use super::{Budget, Solver};

/// What a run keeps from one iteration to the next.
#[derive(Debug)]
struct Minimiser {
    mode: Mode,
    predictor: Predictor,
    snap: Snap,
    trust: TrustRegion,
    giving_up: GivingUp,
    /// Largest way of a node in an undamped correction, mm.
    correction: f64,
    /// The length that bends as one, and the smallest radius, mm.
    length: f64,
    radius: f64,
    /// Whether all forces are the gradient of an energy.
    conservative: bool,
    /// Largest way of a node in the last correction, mm, and the fraction of the last step that was taken.
    last_way: f64,
    last_fraction: f64,
    /// Steps in a row that the line search cut to almost nothing.
    leaps: usize,
}

/// Signs that a run leads nowhere.
#[derive(Debug, Default)]
struct GivingUp {
    /// Iterations in a row that collisions cut to almost nothing.
    stalled: usize,
    /// Steps in a row that the line search refused.
    refused: usize,
}

impl GivingUp {
    fn count_stalled(&mut self, allowed: f64) {
        self.stalled = if allowed < 0.05 { self.stalled + 1 } else { 0 };
    }

    fn count_refused(&mut self, falls: bool) {
        self.refused = if falls { 0 } else { self.refused + 1 };
    }
}

impl Minimiser {
    fn new(rods: &Coupled, mode: Mode, motion: &Motion) -> Self {
        let length = rods.most(Solver::span);
        let trust = TrustRegion::new(length);
        let radii = rods.awake_rods().map(|rod| rod.settings.radius);
        // A correction goes no farther than the prediction might: a draped cable is not thrown off what it lies on.
        let correction = if motion.is_zero() {
            set::WAY_CAP * length
        } else {
            let bound = motion.bound(length);
            bound.clamp(trust.radius(), set::WAY_CAP * length)
        };
        Self {
            mode,
            predictor: Predictor::new(!motion.is_zero()),
            snap: Snap::default(),
            trust,
            giving_up: GivingUp::default(),
            correction,
            length,
            radius: radii.fold(f64::INFINITY, f64::min),
            conservative: rods.awake_rods().all(Solver::is_conservative),
            last_way: f64::INFINITY,
            last_fraction: 1.0,
            leaps: 0,
        }
    }

    fn is_mixed(&self) -> bool {
        self.mode == Mode::Fast
    }

    /// Whether the line search judges every correction: undamped ones are few where all goes well.
    fn is_damped(&self) -> bool {
        !self.is_mixed() || self.snap.since > set::UNDAMPED
    }

    /// Whether to go on is hopeless, or a shorter way of the handles is the better try.
    fn is_hopeless(&self) -> bool {
        let most_stalled = set::STALLED[usize::from(!self.is_mixed())];
        let goes_nowhere = self.giving_up.stalled >= most_stalled || self.trust.is_pinned();
        let patient = self.mode == Mode::Damped { patient: true };
        goes_nowhere && !patient || self.giving_up.refused >= set::REFUSED
    }

    /// Share of the last step that goes on in a correction: a cable that slides off or snaps through keeps going, a long way
    /// in fewer steps.
    fn momentum(&self) -> f64 {
        let rolls = self.conservative && self.snap.since > set::UNDAMPED + 1;
        if rolls && self.last_fraction >= set::ROLLS {
            set::MOMENTUM
        } else {
            0.0
        }
    }
}

impl Coupled<'_> {
    /// Moves the grips to their goals and iterates to rest, the fast way first.
    ///
    /// Where that does not arrive, the damped way goes on from there if nothing is stretched, or if the energy has fallen
    /// (a snap or a slide on its way). Otherwise the damped way starts over, unless the grips have so far to go that a
    /// shorter way is the better try. At most `most` iterations in all.
    pub(super) fn run_to_rest(&mut self, most: usize, budget: &Budget) -> Run {
        let length = self.most(Solver::span);
        let motion = self.remaining_motion();
        let far = motion.is_far(length);
        let fast = self.minimise(Mode::Fast, [0, set::ITERATIONS.min(most)], budget);
        if fast.rest != Rest::NotFound || fast.iterations >= most {
            return fast;
        }
        let on_its_way = self.is_finite()
            && (self.most(Solver::largest_strain) < set::SOUND
                || self.energy() < self.energy_at_rest());
        if on_its_way {
            self.each(Solver::stay);
        } else if far {
            // A shorter way is easier to predict.
            return fast;
        } else {
            self.go_back();
        }
        let left = set::DAMPED_ITERATIONS.min(most - fast.iterations);
        // Without a way there is no shorter one to try.
        let patient = motion.is_zero();
        let before = fast.iterations;
        let mut damped = self.minimise(Mode::Damped { patient }, [before, left], budget);
        damped.iterations += before;
        if on_its_way {
            (damped.made, damped.cut_by, damped.cut_at_handle) =
                (fast.made, fast.cut_by, fast.cut_at_handle);
        }
        damped
    }

    /// Moves the grips to their goals as far as collisions allow, and iterates to rest, after so many iterations `before`
    /// and with at most so many more.
    fn minimise(&mut self, mode: Mode, [before, most]: [usize; 2], budget: &Budget) -> Run {
        let mut run = Run::NONE;
        let motion = self.remaining_motion();
        let mut minimiser = Minimiser::new(self, mode, &motion);
        self.each(Solver::begin_blocks);
        self.pairs.coupling.indefinite = false;
        self.find_contacts();
        self.pass_overlaps();
        loop {
            self.pairs.softening = run.iterations % set::SOFTENING_EVERY < set::SOFTENING;
            self.assemble(true);
            let carries = minimiser.predictor.is_due(&run);
            let at_rest = self.measure();
            (run.residual, run.tolerance) = self.worst_residual();
            if !carries && at_rest {
                // What has parted touches from now on: the same state is at rest whenever it is looked at.
                if run.iterations < most && self.pass_overlaps() {
                    run.iterations += 1;
                    continue;
                }
                let (stable, snaps) = self.check_stability(&mut minimiser.snap);
                if !snaps {
                    run.rest = Rest::Found { stable };
                    return run;
                }
                run.iterations += 1;
                continue;
            }
            if run.iterations >= most || minimiser.is_hopeless() || !run.residual.is_finite() {
                return run;
            }
            if budget.is_over(before + run.iterations) {
                run.rest = Rest::Cancelled;
                return run;
            }
            run.iterations += 1;
            minimiser.snap.since += 1;
            let step = self.iterate(&mut minimiser, &mut run, carries);
            self.finish_iteration(&mut minimiser, &run, step);
        }
    }

    /// Finds the next step; how much of it collisions allow, and how much is to be taken.
    fn iterate(&mut self, minimiser: &mut Minimiser, run: &mut Run, carries: bool) -> [f64; 2] {
        let Step { largest, limit } = if carries {
            let bound = self.remaining_motion().bound(minimiser.length);
            self.find_step(bound, 0.0, true)
        } else {
            self.each(Solver::no_motion);
            let bound = if minimiser.is_damped() {
                minimiser.trust.radius()
            } else {
                minimiser.correction
            };
            self.find_step(bound, minimiser.momentum(), false)
        };
        let allowed = limit.fraction;
        minimiser.giving_up.count_stalled(allowed);
        if carries {
            return [allowed, minimiser.predictor.carry(&limit, run)];
        }
        // Corrections shrink where all goes well. One that grows has found a soft direction, along which a cable that
        // begins to slip would be thrown far beyond where it comes to rest.
        let grows = largest > set::GROWN * minimiser.last_way;
        minimiser.last_way = largest;
        let damped = minimiser.is_damped() || grows && self.awake_rods().any(Solver::touches);
        if damped {
            [allowed, self.damp(minimiser, run, largest, allowed)]
        } else {
            [allowed, allowed]
        }
    }

    /// The fraction of a step that the line search leaves, of what collisions have `allowed`.
    fn damp(&mut self, minimiser: &mut Minimiser, run: &Run, largest: f64, allowed: f64) -> f64 {
        let mixed = minimiser.is_mixed();
        let curves = !mixed || run.iterations > set::CURVES_AFTER;
        let Taken { fraction, falls } = self.line_search(allowed, mixed, curves);
        minimiser.giving_up.count_refused(falls);
        minimiser.leaps = if fraction < 0.1 * allowed {
            minimiser.leaps + 1
        } else {
            0
        };
        // Next to rest the energy may have a kink where the forces have none to speak of: they are followed.
        let next_to_rest = allowed * largest < set::LEAP * minimiser.radius;
        let leaps = next_to_rest && (1..=set::LEAPS).contains(&minimiser.leaps);
        let taken = if leaps { allowed } else { fraction };
        minimiser.trust.adapt(largest, allowed, taken);
        taken
    }

    /// Takes the step, and suits barriers and contacts to where it led.
    fn finish_iteration(
        &mut self,
        minimiser: &mut Minimiser,
        run: &Run,
        [allowed, taken]: [f64; 2],
    ) {
        let mut taken = taken;
        if !minimiser.is_mixed() {
            minimiser.trust.count_pinned();
        }
        if taken < allowed && self.pairs.bodies.bends(self.rods) && !self.is_curved() {
            // A shorter way round is along another chord.
            taken = self.limit_within(taken).fraction;
        }
        minimiser.last_fraction = taken;
        self.accept(taken);
        let pressed = run.iterations >= set::PRESSED_AFTER || self.is_loaded(run.residual);
        if pressed && run.iterations.is_multiple_of(set::ADAPT_EVERY) {
            self.adapt_tight_barriers();
        }
        if run.iterations >= set::STICK_AFTER {
            self.each(|rod| rod.work.sticky.hold(&rod.contacts));
        }
    }
}
