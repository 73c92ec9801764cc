//! Newton iterations of the mixed method on rods that are solved together: one step, its globalisation, and the way to
//! rest.

use smallvec::SmallVec;

use super::line_search::Taken;
use super::look_ahead::Step;
use super::motion::Motion;
use super::run::{Mode, Rest, Run};
use super::settings as set;
use super::{Budget, Pairs, Solver};

/// Rods that touch or may touch, and what is between them. Only those that are awake are iterated.
pub(super) struct Coupled<'a> {
    pub rods: &'a mut [Solver],
    pub pairs: &'a mut Pairs,
    /// Handles that move as one: (rod, grip) of each.
    pub parties: &'a [Vec<(usize, usize)>],
}

impl Coupled<'_> {
    /// Numbers of the rods that are awake.
    pub(super) fn awake(&self) -> SmallVec<[usize; 16]> {
        (0..self.rods.len())
            .filter(|&r| self.rods[r].awake)
            .collect()
    }

    /// Does something to every rod that is awake.
    pub(super) fn each(&mut self, mut f: impl FnMut(&mut Solver)) {
        for rod in self.rods.iter_mut().filter(|rod| rod.awake) {
            f(rod);
        }
    }

    /// The largest of something over the rods that are awake.
    pub(super) fn most(&self, f: impl Fn(&Solver) -> f64) -> f64 {
        let awake = self.rods.iter().filter(|rod| rod.awake);
        awake.map(f).fold(0.0, f64::max)
    }

    pub(super) fn is_finite(&self) -> bool {
        let mut awake = self.rods.iter().filter(|rod| rod.awake);
        awake.all(|rod| rod.state.is_finite())
    }

    /// Moves the grips to their goals and iterates to rest, the fast way first.
    ///
    /// Where that does not arrive, the damped way goes on from there if nothing is stretched, or if the energy has fallen
    /// (a snap or a slide on its way). Otherwise the damped way starts over, unless the grips have so far to go that a
    /// shorter way is the better try. At most `most` iterations in all.
    pub(super) fn run_to_rest(&mut self, most: usize, budget: &Budget) -> Run {
        let length = self.most(Solver::span);
        let motion = self.remaining_motion();
        let far = motion.is_far(length);
        let fast = self.run(Mode::Fast, [0, set::ITERATIONS.min(most)], budget);
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
        let mut damped = self.run(Mode::Damped { patient }, [before, left], budget);
        damped.iterations += before;
        if on_its_way {
            (damped.made, damped.cut_by, damped.cut_at_handle) =
                (fast.made, fast.cut_by, fast.cut_at_handle);
        }
        damped
    }

    /// Energy of the states that were kept last, by the same barrier and contacts as [`Self::energy`].
    fn energy_at_rest(&mut self) -> f64 {
        self.swap_rest();
        let energy = self.energy();
        self.swap_rest();
        self.find_contacts();
        energy
    }

    fn swap_rest(&mut self) {
        self.each(|rod| std::mem::swap(&mut rod.state, &mut rod.rest));
        self.pairs.bodies.swap_rest(self.rods);
    }

    /// Energy at the states, N mm.
    pub(super) fn energy(&mut self) -> f64 {
        self.find_contacts();
        let rods = self.rods.iter().filter(|rod| rod.awake);
        let own = rods.map(Solver::energy).sum::<f64>();
        own + self.pairs.energy(self.rods) + self.pairs.bodies.energy(self.rods)
    }

    /// Moves the grips to their goals as far as collisions allow, and iterates to rest, after so many iterations `before`
    /// and with at most so many more.
    fn run(&mut self, mode: Mode, [before, most]: [usize; 2], budget: &Budget) -> Run {
        let mut run = Run::NONE;
        let length = self.most(Solver::span);
        let motion = self.remaining_motion();
        let mut predictors = if motion.is_zero() { 0 } else { set::PREDICTORS };
        let mut kicks = 0;
        let mut since_kick = 0;
        let mixed = mode == Mode::Fast;
        let patient = mode == Mode::Damped { patient: true };
        let most_stalled = set::STALLED[usize::from(!mixed)];
        let mut stalled = 0;
        let mut last_way = f64::INFINITY;
        let mut refused = 0;
        let mut leaps = 0;
        let mut last_fraction = 1.0;
        let mut crawls = 0;
        let conservative = self
            .rods
            .iter()
            .all(|rod| !rod.awake || rod.is_conservative());
        let radii = self
            .rods
            .iter()
            .filter(|rod| rod.awake)
            .map(|rod| rod.settings.radius);
        let radius = radii.fold(f64::INFINITY, f64::min);
        let mut trust = set::TRUST * length;
        // A correction goes no farther than the prediction might: a draped cable is not thrown off what it lies on.
        let correction = if motion.is_zero() {
            set::WAY_CAP * length
        } else {
            motion.bound(length).clamp(trust, set::WAY_CAP * length)
        };
        self.find_contacts();
        loop {
            self.pairs.softening = run.iterations % set::SOFTENING_EVERY < set::SOFTENING;
            self.assemble(true);
            let carries = predictors > 0 && run.made < 1.0;
            let at_rest = self.measure();
            (run.residual, run.tolerance) = self.worst_residual();
            if !carries && at_rest {
                let (stable, kicked) = self.check_stability(kicks);
                if !kicked {
                    run.rest = Rest::Found { stable };
                    return run;
                }
                kicks += 1;
                since_kick = 0;
                run.iterations += 1;
                continue;
            }
            if run.iterations >= most
                || !patient && (stalled >= most_stalled || crawls >= set::CRAWLS)
                || refused >= set::REFUSED
                || !run.residual.is_finite()
            {
                return run;
            }
            if budget.is_over(before + run.iterations) {
                run.rest = Rest::Cancelled;
                return run;
            }
            run.iterations += 1;
            since_kick += 1;
            let carried = if carries {
                self.remaining_motion()
            } else {
                self.each(Solver::no_motion);
                Motion::default()
            };
            let damped = !mixed || since_kick > set::UNDAMPED;
            let bound = if carries {
                carried.bound(length)
            } else if damped {
                trust
            } else {
                correction
            };
            // A cable that slides off or snaps through keeps going: a long way in fewer steps.
            let rolls = conservative && damped && !carries && since_kick > set::UNDAMPED + 1;
            let momentum = if rolls && last_fraction >= set::ROLLS {
                set::MOMENTUM
            } else {
                0.0
            };
            let Step { largest, limit } = self.find_step(bound, momentum, carries);
            // Corrections shrink where all goes well. One that grows has found a soft direction, along which a cable that
            // begins to slip would be thrown far beyond where it comes to rest.
            let grows = !carries && largest > set::GROWN * last_way;
            let damped = damped || grows && self.rods.iter().any(Solver::touches);
            if !carries {
                last_way = largest;
            }
            let mut alpha = limit.fraction;
            stalled = if alpha < 0.05 { stalled + 1 } else { 0 };
            if carries {
                predictors -= 1;
                if limit.at_handle.is_some() && alpha < set::MET {
                    // It would be stopped again.
                    (alpha, predictors) = (0.0, 0);
                }
                run.made += (1.0 - run.made) * alpha;
                if alpha < 1.0 {
                    run.cut_by = limit.cut.or(run.cut_by);
                    run.cut_at_handle = limit.at_handle;
                }
                if 1.0 - run.made < 1e-12 {
                    run.made = 1.0;
                }
            } else if damped {
                let curves = !mixed || run.iterations > set::CURVES_AFTER;
                let Taken { fraction, falls } = self.line_search(alpha, mixed, curves);
                refused = if falls { 0 } else { refused + 1 };
                // Next to rest the energy may have a kink where the forces have none to speak of: they are followed.
                leaps = if fraction < 0.1 * alpha { leaps + 1 } else { 0 };
                let next_to_rest = alpha * largest < set::LEAP * radius;
                if !(next_to_rest && (1..=set::LEAPS).contains(&leaps)) {
                    alpha = fraction;
                }
                // A step that had to be cut was too bold; one that went through may be longer next time.
                if alpha < (0.5 * limit.fraction).max(set::BOLD) {
                    trust = (0.5 * trust)
                        .min(set::RETRIED * alpha * largest)
                        .max(set::SMALLEST_TRUST * length);
                } else if alpha == limit.fraction && largest > set::USED * trust {
                    trust = (2.0 * trust).min(set::WAY_CAP * length);
                }
            }
            crawls = if !mixed && trust <= set::SMALLEST_TRUST * length {
                crawls + 1
            } else {
                0
            };
            if alpha < limit.fraction && self.pairs.bodies.bends(self.rods) && !self.is_curved() {
                // A shorter way round is along another chord.
                alpha = self.limit_within(alpha).fraction;
            }
            last_fraction = alpha;
            self.accept(alpha);
            let pressed = run.iterations >= set::PRESSED_AFTER || self.is_loaded(run.residual);
            if pressed && run.iterations.is_multiple_of(set::ADAPT_EVERY) {
                self.adapt_tight_barriers();
            }
            if run.iterations >= set::STICK_AFTER {
                self.each(|rod| rod.work.sticky.hold(&rod.contacts));
            }
        }
    }

    /// Prescribes what takes the grips of all rods to their goals; how much that is at most.
    pub(super) fn remaining_motion(&mut self) -> Motion {
        let mut motion = Motion::default();
        self.each(|rod| motion = motion.max(rod.remaining_motion()));
        motion
    }

    /// Finds all contacts, and wakes rods that are touched.
    pub(super) fn find_contacts(&mut self) {
        self.each(Solver::find_contacts);
        self.pairs.find(self.rods);
        self.wake_touched();
    }

    /// Wakes every rod that touches one that is awake.
    pub(super) fn wake_touched(&mut self) {
        loop {
            let mut woken = false;
            for [a, b] in self.pairs.links() {
                if self.rods[a].awake != self.rods[b].awake {
                    let (sleeper, waker) = if self.rods[a].awake { (b, a) } else { (a, b) };
                    let behind = self.rods[waker].traced();
                    self.rods[sleeper].wake(behind);
                    woken = true;
                }
            }
            if !woken {
                return;
            }
            // What it touches beside.
            self.pairs.find(self.rods);
        }
    }

    pub(super) fn assemble(&mut self, mixed: bool) {
        self.each(|rod| rod.assemble(mixed));
        self.pairs.assemble(self.rods);
        self.pairs.coupling.curved = true;
    }

    /// Notes the residual and tolerance of each rod; whether all are at rest.
    fn measure(&mut self) -> bool {
        let mut at_rest = true;
        self.each(|rod| {
            rod.measured = [rod.residual(), rod.tolerance()];
            at_rest &= rod.measured[0] <= rod.measured[1];
        });
        self.pairs.bodies.measure(self.rods) && at_rest
    }

    /// Residual and tolerance of the rod that is farthest from rest.
    fn worst_residual(&self) -> (f64, f64) {
        let awake = self.rods.iter().filter(|rod| rod.awake);
        let over = |[residual, tolerance]: [f64; 2]| residual / tolerance.max(f64::MIN_POSITIVE);
        let mut worst = [0.0, f64::INFINITY];
        let bodies = &self.pairs.bodies;
        let balances = bodies.awake(self.rods).map(|b| bodies.all[b].measured);
        for measured in awake.map(|rod| rod.measured).chain(balances) {
            // Not a number is the worst.
            if !(over(measured) <= over(worst)) {
                worst = measured;
            }
        }
        worst.into()
    }

    /// Suits the barrier of each rod to its heaviest contact.
    pub(super) fn adapt_barriers(&mut self) {
        for r in 0..self.rods.len() {
            if self.rods[r].awake {
                self.adapt_barrier(r);
            }
        }
    }

    /// Whether the heaviest contact with a part carries what it pushes with, by the residual.
    fn is_loaded(&self, residual: f64) -> bool {
        let heaviest = |rod: &Solver| rod.contact_forces.iter().copied().fold(0.0, f64::max);
        residual < set::LOADED * self.most(heaviest)
    }

    /// Suits the barrier where a contact has come very near.
    fn adapt_tight_barriers(&mut self) {
        for r in 0..self.rods.len() {
            let rod = &self.rods[r];
            if rod.awake && rod.tightest().min(self.pairs.load_on(r, self.rods).1) < set::TIGHT {
                self.adapt_barrier(r);
            }
        }
    }

    fn adapt_barrier(&mut self, r: usize) {
        let heaviest = self.rods[r]
            .heaviest()
            .max(self.pairs.load_on(r, self.rods).0);
        self.rods[r].settings.adapt_to(heaviest);
    }

    /// Whether the step is curved.
    fn is_curved(&self) -> bool {
        self.rods.iter().any(|rod| rod.awake && rod.work.curved)
    }

    /// Takes `alpha` of `work.delta`: states, independent tensions, contacts.
    pub(super) fn accept(&mut self, alpha: f64) {
        let taken = if self.is_curved() { 1.0 } else { alpha };
        self.pairs.bodies.straighten(self.rods, taken);
        self.each(|rod| rod.accept(alpha));
        self.pairs.bodies.accept(self.rods, taken);
        self.pairs.find(self.rods);
        self.wake_touched();
    }

    /// Back to the last equilibrium; the way from it is forgotten.
    pub(super) fn go_back(&mut self) {
        self.each(Solver::go_back);
        self.pairs.bodies.go_back(self.rods);
        self.pairs.find(self.rods);
    }
}
