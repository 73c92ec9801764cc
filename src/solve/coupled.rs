//! Rods that are solved together: what they have in common in an iteration.

use smallvec::SmallVec;

use super::motion::Motion;
use super::settings as set;
use super::{Pairs, Solver};

/// Rods that touch or may touch, and what is between them. Only those that are awake are iterated.
pub(super) struct Coupled<'a> {
    pub rods: &'a mut [Solver],
    pub pairs: &'a mut Pairs,
    /// Handles that move as one: (rod, grip) of each.
    pub parties: &'a [Vec<(usize, usize)>],
    /// Numbers of the rods that are awake, ascending: what sleeps is not looked at, however much of it there is.
    pub awake: Numbers,
}

/// Numbers of a few rods without asking for memory.
pub(super) type Numbers = SmallVec<[usize; 16]>;

impl<'a> Coupled<'a> {
    /// Rods, and what is between them; those are awake that were.
    pub(super) fn new(
        rods: &'a mut [Solver],
        pairs: &'a mut Pairs,
        parties: &'a [Vec<(usize, usize)>],
    ) -> Self {
        let awake = (0..rods.len()).filter(|&r| rods[r].awake).collect();
        Self {
            rods,
            pairs,
            parties,
            awake,
        }
    }
}

impl Coupled<'_> {
    /// The rods that are awake.
    pub(super) fn awake_rods(&self) -> impl Iterator<Item = &Solver> {
        self.awake.iter().map(|&r| &self.rods[r])
    }

    /// Does something to every rod that is awake.
    pub(super) fn each(&mut self, mut f: impl FnMut(&mut Solver)) {
        for &r in &self.awake {
            f(&mut self.rods[r]);
        }
    }

    /// Lets those be awake that have it set.
    pub(super) fn set_awake(&mut self, is_awake: impl Fn(usize, &Solver) -> bool) {
        self.awake.clear();
        for (r, rod) in self.rods.iter_mut().enumerate() {
            rod.awake = is_awake(r, rod);
            if rod.awake {
                self.awake.push(r);
            }
        }
    }

    /// The largest of something over the rods that are awake.
    pub(super) fn most(&self, f: impl Fn(&Solver) -> f64) -> f64 {
        self.awake_rods().map(f).fold(0.0, f64::max)
    }

    pub(super) fn is_finite(&self) -> bool {
        self.awake_rods().all(|rod| rod.state.is_finite())
    }

    /// Energy of the states that were kept last, by the same barrier and contacts as [`Self::energy`].
    pub(super) fn energy_at_rest(&mut self) -> f64 {
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
        let own = self.awake_rods().map(Solver::energy).sum::<f64>();
        own + self.pairs.energy(self.rods) + self.pairs.bodies.energy(self.rods)
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
        self.find_pairs();
        self.wake_touched();
    }

    /// Wakes every rod that touches one that is awake.
    pub(super) fn wake_touched(&mut self) {
        while self.wake_linked() {
            // What is known to touch them first, then what they touch beside: to look for that is dear.
            while self.wake_linked() {}
            self.find_pairs();
        }
    }

    /// Wakes the rods that sleep and that a contact, friction or a body links to one that is awake; whether there were any.
    fn wake_linked(&mut self) -> bool {
        let Self { rods, awake, .. } = self;
        let n_awake = awake.len();
        for [a, b] in self.pairs.links() {
            if rods[a].awake != rods[b].awake {
                let (sleeper, waker) = if rods[a].awake { (b, a) } else { (a, b) };
                let (behind, tracing) = (rods[waker].traced(), rods[waker].tracing);
                rods[sleeper].wake(behind, tracing);
                awake.insert(awake.partition_point(|&r| r < sleeper), sleeper);
            }
        }
        awake.len() > n_awake
    }

    /// Finds the contacts between the rods.
    pub(super) fn find_pairs(&mut self) {
        self.pairs.find(self.rods, &self.awake);
    }

    /// Lets pass through each other what overlaps at fixings, until it has parted; whether that is something else than
    /// before, with the contacts found anew.
    pub(super) fn pass_overlaps(&mut self) -> bool {
        let changed = self.pairs.pass_overlaps(self.rods, &self.awake);
        if changed {
            self.find_contacts();
        }
        changed
    }

    pub(super) fn assemble(&mut self, mixed: bool) {
        self.each(|rod| rod.assemble(mixed));
        self.pairs.assemble(self.rods);
        self.pairs.coupling.curved = true;
    }

    /// Notes the residual and tolerance of each rod; whether all are at rest.
    pub(super) fn measure(&mut self) -> bool {
        let mut at_rest = true;
        self.each(|rod| {
            if !rod.work.same_forces {
                rod.measured_noise = rod.noise();
                rod.measured = [rod.residual(), rod.tolerance()];
            }
            at_rest &= rod.measured[0] <= rod.measured[1];
        });
        self.pairs.bodies.measure(self.rods) && at_rest
    }

    /// Residual and tolerance of the rod that is farthest from rest.
    pub(super) fn worst_residual(&self) -> (f64, f64) {
        let over = |[residual, tolerance]: [f64; 2]| residual / tolerance.max(f64::MIN_POSITIVE);
        let mut worst = [0.0, f64::INFINITY];
        let bodies = &self.pairs.bodies;
        let balances = bodies.awake(self.rods).map(|b| bodies.all[b].measured);
        for measured in self.awake_rods().map(|rod| rod.measured).chain(balances) {
            // Not a number is the worst.
            if !(over(measured) <= over(worst)) {
                worst = measured;
            }
        }
        worst.into()
    }

    /// Suits the barrier of each rod to its heaviest contact.
    pub(super) fn adapt_barriers(&mut self) {
        for k in 0..self.awake.len() {
            self.adapt_barrier(self.awake[k]);
        }
    }

    /// Whether the heaviest contact with a part carries what it pushes with, by the residual.
    pub(super) fn is_loaded(&self, residual: f64) -> bool {
        let heaviest = |rod: &Solver| rod.contact_forces.iter().copied().fold(0.0, f64::max);
        residual < set::LOADED * self.most(heaviest)
    }

    /// Suits the barrier where a contact has come very near.
    pub(super) fn adapt_tight_barriers(&mut self) {
        for k in 0..self.awake.len() {
            let r = self.awake[k];
            let rod = &self.rods[r];
            if rod.tightest().min(self.pairs.load_on(r, self.rods).1) < set::TIGHT {
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
    pub(super) fn is_curved(&self) -> bool {
        self.awake_rods().any(|rod| rod.work.curved)
    }

    /// Takes `alpha` of `work.delta`: states, independent tensions, contacts.
    pub(super) fn accept(&mut self, alpha: f64) {
        let taken = if self.is_curved() { 1.0 } else { alpha };
        self.pairs.bodies.straighten(self.rods, taken);
        self.each(|rod| rod.accept(alpha));
        self.pairs.bodies.accept(self.rods, taken);
        self.each(Solver::note_swept);
        self.find_pairs();
        self.wake_touched();
    }

    /// Back to the last equilibrium; the way from it is forgotten.
    pub(super) fn go_back(&mut self) {
        self.each(Solver::go_back);
        self.pairs.bodies.go_back(self.rods);
        self.find_pairs();
    }
}
