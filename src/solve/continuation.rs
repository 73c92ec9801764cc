//! The handles' way to their targets: in chunks, each ending in an equilibrium that is kept.

use smallvec::SmallVec;

use super::coupled::Coupled;
use super::grip::Target;
use super::run::{Cut, Rest};
use super::settings as set;
use super::step::{GroupListener, Targets};
use super::{Blocker, Budget, Solver};
use crate::geom::Vec3;

/// What stopped each handle (rod, grip, blocker), if anything; empty when all arrived.
pub(super) type Stopped = SmallVec<[(usize, usize, Option<Blocker>); 4]>;

/// Who gets the nodes of every accepted iterate, in order.
pub type Listener<'a> = Option<&'a mut dyn FnMut(&[Vec3])>;

/// What came of the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Continuation {
    pub iterations: usize,
    /// Whether an equilibrium was kept on it.
    pub kept: bool,
    pub stopped: Stopped,
    pub cancelled: bool,
    /// Whether the iterations were used up before its end.
    pub on_the_way: bool,
}

impl Coupled<'_> {
    /// Takes the handles to their targets, or as near as collisions, the cables' lengths and the solver allow.
    ///
    /// All together first; where that is stopped, each party on its own.
    pub(super) fn travel(
        &mut self,
        targets: Targets,
        budget: &Budget,
        listener: &mut GroupListener,
        continuation: &mut Continuation,
    ) {
        let stopped = self.leg(targets, None, budget, listener, continuation);
        let Some(blocker) = stopped else {
            return;
        };
        let mut n_parties = 0;
        for r in self.awake() {
            for k in 0..self.rods[r].grips.len() {
                let own = targets.get(r).copied().unwrap_or_default();
                let short = self.rods[r].is_short(own, k);
                let another = |s: &(usize, usize, Option<Blocker>)| {
                    s.2.is_some() && self.are_one((s.0, s.1), (r, k))
                };
                if short && !continuation.stopped.iter().any(another) {
                    n_parties += 1;
                }
                continuation
                    .stopped
                    .push((r, k, short.then(|| blocker.seen_by(r))));
            }
        }
        if n_parties == 1 {
            return;
        }
        let mut gone: SmallVec<[(usize, usize); 4]> = SmallVec::new();
        for at in 0..continuation.stopped.len() {
            let (r, k, short) = continuation.stopped[at];
            let went = |g: &(usize, usize)| self.are_one(*g, (r, k));
            let over = continuation.cancelled || continuation.on_the_way;
            if short.is_none() || over || gone.iter().any(went) {
                continue;
            }
            gone.push((r, k));
            let blocker = self.leg(targets, Some((r, k)), budget, listener, continuation);
            for other in 0..continuation.stopped.len() {
                let (rod, grip, short) = continuation.stopped[other];
                if short.is_some() && self.are_one((rod, grip), (r, k)) {
                    continuation.stopped[other].2 = blocker.map(|b| b.seen_by(rod));
                }
            }
        }
    }

    /// Whether two handles are the same or move as one.
    fn are_one(&self, a: (usize, usize), b: (usize, usize)) -> bool {
        a == b
            || self
                .parties
                .iter()
                .any(|p| p.contains(&a) && p.contains(&b))
    }

    /// Takes the handles along, or the party that is `alone`; `None` when they arrive (or are still on the way).
    fn leg(
        &mut self,
        targets: Targets,
        alone: Option<(usize, usize)>,
        budget: &Budget,
        listener: &mut GroupListener,
        continuation: &mut Continuation,
    ) -> Option<Stop> {
        let mut size = 1.0;
        // The face that a handle slides along: its normal and its obstacle.
        let mut slide: Option<(Vec3, Option<Cut>)> = None;
        let mut cut_by = None;
        // Near the end of the cable's length chunks only get smaller.
        let mut largest = 1.0;
        let mut smallest = None;
        let mut creeping = 0;
        let creep = self
            .most(|rod| set::CREEP * rod.settings.radius / (set::CHUNK * rod.problem.rod.length()));
        let mut slides = 0;
        let mut met = None;
        let mut slid_at = f64::INFINITY;
        for _ in 0..set::CHUNKS {
            if continuation.iterations > set::STEP_ITERATIONS {
                break;
            }
            let Next {
                mut whole,
                used,
                left,
            } = self.next_goals(targets, alone, size);
            if self.remaining_motion().is_zero() {
                return None;
            }
            let smallest = *smallest.get_or_insert(set::SMALLEST_CHUNK * used);
            if let Some((normal, obstacle)) = slide {
                whole = false;
                // Round a bulge a slide comes ever less nearer.
                slides = if left > set::NEARER * slid_at {
                    slides + 1
                } else {
                    0
                };
                slid_at = left;
                if slides >= set::SLIDES || !self.slide_along(&normal) {
                    return Some(obstacle.map_or(Stop::Solver, Stop::Cut));
                }
            }
            self.note_strains();
            self.begin();
            self.adapt_barriers();
            let sliders = self.travellers();
            let allowed = budget.iterations().saturating_sub(continuation.iterations);
            let run = self.run_to_rest(allowed, budget);
            continuation.iterations += run.iterations;
            if run.rest == Rest::NotFound && run.iterations >= allowed {
                // The next step goes on from the last equilibrium.
                self.go_back();
                continuation.on_the_way = true;
                return None;
            }
            if run.rest == Rest::Cancelled {
                // What is shown is in equilibrium: the next step goes on from the last one.
                self.go_back();
                continuation.cancelled = true;
                return None;
            }
            let taut = self.most(Solver::tautness);
            let too_taut = self.is_too_taut();
            let found = matches!(run.rest, Rest::Found { .. }) && self.is_finite();
            if !found || too_taut {
                self.go_back();
                size = 0.25 * used;
                if found {
                    largest = size;
                }
                let nearly = self.most(Solver::tautness) > set::NEARLY;
                if found && nearly
                    || size < smallest
                    || continuation.iterations > set::STEP_ITERATIONS
                {
                    // Where all is taut already, no rest is to be had that is not tauter still.
                    let taut = found || self.most(Solver::tautness) > 1.0;
                    return Some(if taut { Stop::Length } else { Stop::Solver });
                }
                continue;
            }
            self.each(|rod| rod.turn_rolls(run.made));
            if whole && run.made == 1.0 {
                self.settle(targets, alone);
            }
            self.commit(&run, listener);
            continuation.kept = true;
            self.relax_flows(budget, listener, &mut continuation.iterations);
            cut_by = run.cut_by.or(cut_by);
            // Against something, ever less far, is as good as at it: the way along it is left.
            creeping = if run.made * used < creep.max(2.0 * smallest) {
                creeping + 1
            } else {
                0
            };
            met = run.cut_at_handle.or(met);
            if creeping >= set::CREEPS {
                let (None, Some(normal), 1) = (slide, met, sliders) else {
                    break;
                };
                slide = Some((normal, cut_by));
                size = 1.0;
                creeping = 0;
                continue;
            }
            if taut < 0.5 {
                largest = 1.0;
            }
            // A chunk that collisions cut short was too long for a straight prediction.
            if run.made > 0.9 {
                size = (2.0 * size).min(largest);
            } else if run.made < 0.3 {
                size = (2.0 * run.made).clamp(set::STUCK, 0.25) * used;
            }
            if run.made >= set::STUCK {
                slide = None;
                continue;
            }
            // What the handle meets takes away the way into it; the way along it is left.
            match (slide, run.cut_at_handle) {
                (None, Some(normal)) if sliders == 1 => {
                    slide = Some((normal, run.cut_by));
                    size = 1.0;
                }
                (None, None) if size >= smallest => {}
                _ => return Some(run.cut_by.map_or(Stop::Solver, Stop::Cut)),
            }
        }
        // Still creeping: against its length, or along something that holds it.
        Some(match cut_by {
            _ if self.most(Solver::tautness) > 0.5 => Stop::Length,
            Some(cut) => Stop::Cut(cut),
            None => Stop::Solver,
        })
    }

    /// Notes how far each rod is stretched before a chunk.
    fn note_strains(&mut self) {
        self.each(|rod| rod.strain = rod.largest_strain());
    }

    /// Whether a rod has been pulled taut since.
    fn is_too_taut(&self) -> bool {
        let awake = self.rods.iter().filter(|rod| rod.awake);
        awake
            .into_iter()
            .any(|rod| rod.tautness() > 1.0 && rod.largest_strain() > rod.strain + 1e-6)
    }

    /// The handles that go along, with their targets.
    fn movers(
        &self,
        targets: Targets,
        alone: Option<(usize, usize)>,
    ) -> SmallVec<[(usize, usize, Target); 8]> {
        let mut movers = SmallVec::new();
        for (r, own) in targets.iter().enumerate() {
            if !self.rods[r].awake {
                continue;
            }
            for k in 0..self.rods[r].grips.len() {
                let moving = alone.is_none_or(|only| self.are_one(only, (r, k)));
                if let (true, Some(target)) = (moving, own.get(k).copied().flatten()) {
                    movers.push((r, k, target));
                }
            }
        }
        movers
    }

    /// Sets the goals of the next chunk of the handles' way.
    fn next_goals(&mut self, targets: Targets, alone: Option<(usize, usize)>, size: f64) -> Next {
        let mut chunks = 0.0_f64;
        self.each(Solver::stay);
        let movers = self.movers(targets, alone);
        for (r, k, target) in &movers {
            let length = self.rods[*r].problem.rod.length();
            let way = self.rods[*r].way_to(*k, target);
            chunks = chunks
                .max(way.position.norm() / (set::CHUNK * length))
                .max(way.turn.norm() / set::CHUNK_ANGLE)
                .max(way.roll.abs() / set::CHUNK_ANGLE);
        }
        let factor = if chunks > size { size / chunks } else { 1.0 };
        for (r, k, target) in &movers {
            self.rods[*r].set_goal(*k, target, factor);
        }
        Next {
            whole: factor == 1.0,
            used: factor * chunks,
            left: chunks,
        }
    }

    /// Grips whose goal is somewhere else; those that move as one count once.
    fn travellers(&self) -> usize {
        let mut parties: SmallVec<[(usize, usize); 8]> = SmallVec::new();
        for r in self.awake() {
            let rod = &self.rods[r];
            for k in 0..rod.grips.len() {
                let moves = rod.work.goals[k].pose.position != rod.grip_pose(k).position;
                if moves && !parties.iter().any(|p| self.are_one(*p, (r, k))) {
                    parties.push((r, k));
                }
            }
        }
        parties.len()
    }

    /// Takes the way into a face with that normal out of the goals; `false` when too little of way and no turn is left.
    fn slide_along(&mut self, normal: &Vec3) -> bool {
        self.each(|rod| rod.slide_along(normal));
        !self.remaining_motion().is_zero()
    }

    /// Puts handles that have arrived exactly on their targets: sums of increments end a rounding error beside them.
    fn settle(&mut self, targets: Targets, alone: Option<(usize, usize)>) {
        for (r, k, target) in self.movers(targets, alone) {
            self.rods[r].settle(k, &target);
        }
    }
}

/// The next chunk of the handles' way.
struct Next {
    /// Whether it reaches the targets.
    whole: bool,
    /// Its size, and that of the way that is left, over a whole chunk.
    used: f64,
    left: f64,
}

/// What stopped the handles on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Cut(Cut),
    Length,
    Solver,
}

impl Stop {
    /// As a handle of rod `r` is to tell it.
    fn seen_by(self, r: usize) -> Blocker {
        match self {
            Self::Cut(Cut::Obstacle(obstacle)) => Blocker::Obstacle(obstacle),
            Self::Cut(Cut::Rods([a, b])) => Blocker::Rod(if a == r { b } else { a }),
            Self::Length => Blocker::Length { around: None },
            Self::Solver => Blocker::Solver,
        }
    }
}
