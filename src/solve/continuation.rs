//! The handles' way to their targets: in chunks, each ending in an equilibrium that is kept.

use smallvec::SmallVec;

use super::coupled::Coupled;
use super::grip::Target;
use super::run::{Cut, Rest, Run};
use super::settings as set;
use super::step::{GroupListener, Targets};
use super::step_control::{Face, Slide, StepControl};
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
        for &r in &self.awake {
            for k in 0..self.rods[r].grips.len() {
                let own = targets.of(r);
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
        let runs_in = self.awake_rods().any(|rod| !rod.problem.flows.is_empty());
        let mut control = StepControl::new(self.most(Solver::creep), runs_in);
        let mut slide = Slide::new();
        for _ in 0..set::CHUNKS {
            if continuation.iterations > set::STEP_ITERATIONS {
                break;
            }
            let next = self.next_goals(targets, alone, control.size);
            let stays = self.remaining_motion().is_zero();
            if let Some(obstacle) = next.kept_out
                && (stays || slide.face.is_none() && !slide.comes_nearer(next.left))
            {
                return Some(Stop::Cut(Cut::Obstacle(obstacle)));
            }
            let taut = || slide.face.is_none() && self.most(Solver::tautness) > set::NEARLY;
            if next.out_of_reach && (stays || taut()) {
                return Some(Stop::Length);
            }
            if stays {
                return None;
            }
            control.begin(next.used);
            if let Some(face) = slide.face
                && !(slide.comes_nearer(next.left) && self.slide_along(&face.normal))
            {
                return Some(face.of.map_or(Stop::Solver, Stop::Cut));
            }
            let travellers = self.travellers();
            let run = match self.run_chunk(budget, continuation) {
                Chunk::Interrupted => return None,
                Chunk::Failed { tautness } => {
                    control.shorten(next.used, self.most(Solver::tautness), tautness);
                    let exhausted =
                        control.is_exhausted() || continuation.iterations > set::STEP_ITERATIONS;
                    match self.stop_of_failure(tautness.is_some(), exhausted) {
                        Some(stop) => return Some(stop),
                        None => continue,
                    }
                }
                Chunk::Found(run) => run,
            };
            let tautness = self.most(Solver::tautness);
            self.each(|rod| rod.turn_rolls(run.made));
            if next.whole && slide.face.is_none() && run.made == 1.0 {
                self.put_on_targets(targets, alone);
            }
            self.commit(&run, listener);
            continuation.kept = true;
            self.relax_flows(budget, listener, &mut continuation.iterations);
            slide.note(&run);
            // Against something, ever less far, is as good as at it: the way along it is left.
            if control.creeps(run.made * next.used) {
                let Some(face) = slide.last_face().filter(|_| travellers == 1) else {
                    break;
                };
                slide.face = Some(face);
                control.restart();
                continue;
            }
            control.adapt(run.made, next.used, tautness);
            if slide.face.is_none() && control.is_at_reach(tautness) {
                return Some(Stop::Length);
            }
            if run.made >= set::STUCK {
                slide.face = None;
                continue;
            }
            // What the handle meets takes away the way into it; the way along it is left.
            match (slide.face, run.cut_at_handle) {
                (None, Some(normal)) if travellers == 1 => {
                    let of = run.cut_by;
                    slide.face = Some(Face { normal, of });
                    control.turn();
                }
                (None, None) if !control.is_exhausted() => {}
                _ => return Some(run.cut_by.map_or(Stop::Solver, Stop::Cut)),
            }
        }
        Some(self.stop_of_creeping(slide.cut_by))
    }

    /// What stops handles that still creep: the length of a cable, or what cut their way last.
    fn stop_of_creeping(&self, cut_by: Option<Cut>) -> Stop {
        match cut_by {
            _ if self.most(Solver::tautness) > 0.5 => Stop::Length,
            Some(cut) => Stop::Cut(cut),
            None => Stop::Solver,
        }
    }

    /// Moves the handles to the goals of a chunk and finds the rest there. Where there is none, or a cable would be too
    /// taut, all is as before.
    fn run_chunk(&mut self, budget: &Budget, continuation: &mut Continuation) -> Chunk {
        self.note_strains();
        self.begin();
        self.adapt_barriers();
        let allowed = budget.iterations().saturating_sub(continuation.iterations);
        let run = self.run_to_rest(allowed, budget);
        continuation.iterations += run.iterations;
        // What is shown is in equilibrium: the next step goes on from the last one.
        if run.rest == Rest::NotFound && run.iterations >= allowed {
            self.give_up();
            continuation.on_the_way = true;
            return Chunk::Interrupted;
        }
        if run.rest == Rest::Cancelled {
            self.give_up();
            continuation.cancelled = true;
            return Chunk::Interrupted;
        }
        let found = matches!(run.rest, Rest::Found { .. }) && self.is_finite();
        if found && !self.is_too_taut() {
            return Chunk::Found(run);
        }
        let tautness = found.then(|| self.most(Solver::tautness));
        self.give_up();
        Chunk::Failed { tautness }
    }

    /// What stops the handles after a chunk that failed; `None` while a shorter one is worth a try.
    fn stop_of_failure(&self, taut: bool, exhausted: bool) -> Option<Stop> {
        let tautness = self.most(Solver::tautness);
        if !(taut && tautness > set::NEARLY || exhausted) {
            return None;
        }
        // Where all is taut already, no rest is to be had that is not tauter still.
        Some(if taut || tautness > 1.0 {
            Stop::Length
        } else {
            Stop::Solver
        })
    }

    /// Notes how far each rod is stretched before a chunk.
    fn note_strains(&mut self) {
        self.each(|rod| rod.strain = rod.largest_strain());
    }

    /// Whether a rod has been pulled taut since.
    fn is_too_taut(&self) -> bool {
        self.awake_rods()
            .any(|rod| rod.tautness() > 1.0 && rod.largest_strain() > rod.strain + 1e-6)
    }

    /// The handles that go along, with their targets.
    fn movers(
        &self,
        targets: Targets,
        alone: Option<(usize, usize)>,
    ) -> SmallVec<[(usize, usize, Target); 8]> {
        let mut movers = SmallVec::new();
        for &r in &self.awake {
            let own = targets.of(r);
            for k in 0..self.rods[r].grips.len() {
                let moving = alone.is_none_or(|only| self.are_one(only, (r, k)));
                if let (true, Some(target)) = (moving, own.get(k).copied().flatten()) {
                    movers.push((r, k, target));
                }
            }
        }
        movers
    }

    /// Sets the goals of handles that much of their way to their targets, and those of all others where they are.
    fn set_goals(&mut self, movers: &[(usize, usize, Target)], factor: f64) {
        self.each(Solver::stay);
        for (r, k, target) in movers {
            self.rods[*r].set_goal(*k, target, factor);
        }
    }

    /// Sets the goals of the next chunk of the handles' way.
    fn next_goals(&mut self, targets: Targets, alone: Option<(usize, usize)>, size: f64) -> Next {
        let mut chunks = 0.0_f64;
        let movers = self.movers(targets, alone);
        for (r, k, target) in &movers {
            let length = self.rods[*r].problem.rod.length();
            let way = self.rods[*r].motion_to(*k, target);
            chunks = chunks
                .max(way.position.norm() / (set::CHUNK * length))
                .max(way.turn.norm() / set::CHUNK_ANGLE)
                .max(way.roll.abs() / set::CHUNK_ANGLE);
        }
        let mut factor = if chunks > size { size / chunks } else { 1.0 };
        self.set_goals(&movers, factor);
        let reach = self.reach();
        if reach < 1.0 {
            factor *= reach;
            self.set_goals(&movers, factor);
        }
        let (part, kept_out) = self.keep_out(&movers);
        if part < 1.0 {
            factor *= part;
            self.set_goals(&movers, factor);
        }
        Next {
            whole: factor == 1.0 && kept_out.is_none(),
            out_of_reach: reach < 1.0,
            kept_out,
            used: factor * chunks,
            left: chunks,
        }
    }

    /// Keeps handles out of bodies that a cable may overlap only so deep: one that goes alone slides along the body. Which
    /// part of the way the others can go together, and the body, if there is one.
    fn keep_out(&mut self, movers: &[(usize, usize, Target)]) -> (f64, Option<usize>) {
        let moves = |(r, k, _): &&(usize, usize, Target)| {
            let rod = &self.rods[*r];
            rod.work.goals[*k].pose.position != rod.grip_pose(*k).position
        };
        let moving: SmallVec<[(usize, usize); 4]> =
            movers.iter().filter(moves).map(|m| (m.0, m.1)).collect();
        if let [(r, k)] = moving[..] {
            return (1.0, self.rods[r].turn_goal_aside(k));
        }
        let stops = moving
            .iter()
            .filter_map(|(r, k)| self.rods[*r].entry_stop(*k));
        let first = stops.min_by(|a, b| a.0.total_cmp(&b.0));
        first.map_or((1.0, None), |(part, body, _)| (part, Some(body)))
    }

    /// The part of their way that the handles can go before a cable would be taut, however it lay.
    fn reach(&self) -> f64 {
        self.awake_rods().map(Solver::reach).fold(1.0, f64::min)
    }

    /// Grips whose goal is somewhere else; those that move as one count once.
    fn travellers(&self) -> usize {
        let mut parties: SmallVec<[(usize, usize); 8]> = SmallVec::new();
        for &r in &self.awake {
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
    fn put_on_targets(&mut self, targets: Targets, alone: Option<(usize, usize)>) {
        for (r, k, target) in self.movers(targets, alone) {
            self.rods[r].settle(k, &target);
        }
    }
}

/// What came of a chunk.
enum Chunk {
    /// It is over, or goes on in the next step.
    Interrupted,
    /// No rest was found, or one with a cable too taut.
    Failed {
        /// How taut the rest was that was found, if one was.
        tautness: Option<f64>,
    },
    Found(Run),
}

/// The next chunk of the handles' way.
struct Next {
    /// Whether it reaches the targets.
    whole: bool,
    /// Whether it ends where a cable would be taut.
    out_of_reach: bool,
    /// The body that handles would enter deeper than they may.
    kept_out: Option<usize>,
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
