//! The handles' way to their targets: in chunks, each ending in an equilibrium that is kept.

use smallvec::SmallVec;

use super::grip::{Hold, Place, Target};
use super::motion::turn_between;
use super::settings as set;
use super::step::{GroupListener, Targets};
use super::together::{Cut, Rest, Together};
use super::{Blocker, CancelToken, Solver};
use crate::geom::{Pose, Rotation, Vec3};

/// What stopped each handle (rod, grip, blocker), if anything; empty when all arrived.
pub(super) type Stopped = SmallVec<[(usize, usize, Option<Blocker>); 4]>;

/// Who gets the nodes of every accepted iterate, in order.
pub type Listener<'a> = Option<&'a mut dyn FnMut(&[Vec3])>;

/// What came of the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Journey {
    pub iterations: usize,
    /// Whether an equilibrium was kept on it.
    pub kept: bool,
    pub stopped: Stopped,
    pub cancelled: bool,
    /// Whether the iterations were used up before its end.
    pub on_the_way: bool,
}

impl Together<'_> {
    /// Takes the handles to their targets, or as near as collisions, the cables' lengths and the solver allow.
    ///
    /// All together first; where that is stopped, each party on its own.
    pub(super) fn travel(
        &mut self,
        targets: Targets,
        cancel: &CancelToken,
        listener: &mut GroupListener,
        journey: &mut Journey,
    ) {
        let stopped = self.leg(targets, None, cancel, listener, journey);
        let Some(blocker) = stopped else {
            return;
        };
        let mut n_parties = 0;
        for r in 0..self.rods.len() {
            for k in 0..self.rods[r].grips.len() {
                let own = targets.get(r).copied().unwrap_or_default();
                let short = self.rods[r].is_short(own, k);
                let another = |s: &(usize, usize, Option<Blocker>)| {
                    s.2.is_some() && self.are_one((s.0, s.1), (r, k))
                };
                if short && !journey.stopped.iter().any(another) {
                    n_parties += 1;
                }
                journey
                    .stopped
                    .push((r, k, short.then(|| blocker.seen_by(r))));
            }
        }
        if n_parties == 1 {
            return;
        }
        let mut gone: SmallVec<[(usize, usize); 4]> = SmallVec::new();
        for at in 0..journey.stopped.len() {
            let (r, k, short) = journey.stopped[at];
            let went = |g: &(usize, usize)| self.are_one(*g, (r, k));
            let over = journey.cancelled || journey.on_the_way;
            if short.is_none() || over || gone.iter().any(went) {
                continue;
            }
            gone.push((r, k));
            let blocker = self.leg(targets, Some((r, k)), cancel, listener, journey);
            for other in 0..journey.stopped.len() {
                let (rod, grip, short) = journey.stopped[other];
                if short.is_some() && self.are_one((rod, grip), (r, k)) {
                    journey.stopped[other].2 = blocker.map(|b| b.seen_by(rod));
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
        cancel: &CancelToken,
        listener: &mut GroupListener,
        journey: &mut Journey,
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
            if journey.iterations > set::STEP_ITERATIONS {
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
            self.adapt_barriers();
            let sliders = self.travellers();
            let allowed = cancel.iterations().saturating_sub(journey.iterations);
            let run = self.run_to_rest(allowed, cancel);
            journey.iterations += run.iterations;
            if run.rest == Rest::NotFound && run.iterations >= allowed {
                // The next step goes on from the last equilibrium.
                self.go_back();
                journey.on_the_way = true;
                return None;
            }
            if run.rest == Rest::Cancelled {
                // What there is, is free of collisions: the next step goes on from it.
                self.leave_unrested(&run, listener);
                journey.cancelled = true;
                return None;
            }
            let taut = self.most(Solver::largest_strain);
            let too_taut = self.is_too_taut();
            let found = matches!(run.rest, Rest::Found { .. }) && self.is_finite();
            if !found || too_taut {
                self.go_back();
                size = 0.25 * used;
                if found {
                    largest = size;
                }
                let nearly = self.most(Solver::largest_strain) > set::NEARLY * set::TAUT;
                if found && nearly || size < smallest || journey.iterations > set::STEP_ITERATIONS {
                    // Where all is taut already, no rest is to be had that is not tauter still.
                    let taut = found || self.most(Solver::largest_strain) > set::TAUT;
                    return Some(if taut { Stop::Length } else { Stop::Solver });
                }
                continue;
            }
            self.each(|rod| rod.turn_rolls(run.made));
            if whole && run.made == 1.0 {
                self.settle(targets, alone);
            }
            self.commit(&run, listener);
            journey.kept = true;
            journey.iterations += self.relax_flows(cancel, listener);
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
            if taut < 0.5 * set::TAUT {
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
            _ if self.most(Solver::largest_strain) > 0.5 * set::TAUT => Stop::Length,
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
        awake.into_iter().any(|rod| {
            let taut = rod.largest_strain();
            taut > set::TAUT && taut > rod.strain + 1e-6
        })
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

impl Solver {
    pub(super) fn is_short(&self, targets: &[Option<Target>], grip: usize) -> bool {
        let (way, angle) = self.short_of(targets, grip);
        way > 0.0 || angle > 0.0
    }

    /// Sets the goal of a handle `factor` of its way to the target.
    fn set_goal(&mut self, k: usize, target: &Target, factor: f64) {
        let way = self.way_to(k, target);
        let roll = self.grips[k].roll + factor * way.roll;
        let goal = &mut self.work.goals[k];
        let about = |roll: f64| Rotation::from_scaled_axis(Vec3::z() * roll);
        goal.pose = Pose {
            position: goal.pose.position + way.position * factor,
            rotation: match self.problem.grips[k].hold {
                Hold::Frame => {
                    let base = goal.pose.rotation * about(-self.grips[k].roll);
                    base * Rotation::from_scaled_axis(way.turn * factor) * about(roll)
                }
                _ => goal.pose.rotation * Rotation::from_scaled_axis(way.turn * factor),
            },
        };
        goal.roll = roll;
    }

    /// What takes a handle to its target.
    fn way_to(&self, grip: usize, target: &Target) -> Way {
        let now = self.grip_pose(grip);
        let mut way = Way {
            position: target.pose.position - now.position,
            turn: Vec3::zeros(),
            roll: 0.0,
        };
        match self.problem.grips[grip].hold {
            Hold::Frame => {
                let roll = self.grips[grip].roll;
                let base = now.rotation * Rotation::from_scaled_axis(Vec3::z() * -roll);
                way.turn = (base.inverse() * target.pose.rotation).scaled_axis();
                way.roll = target.roll - roll;
            }
            Hold::Direction => {
                way.turn = turn_between(&now.rotation, &(target.pose.rotation * Vec3::z()));
            }
            Hold::Position | Hold::Spring(_) => {}
        }
        // Below the noise of a coordinate there is nothing left to do.
        if way.position.norm() <= set::NO_WAY * self.problem.rod.length() {
            way.position = Vec3::zeros();
        }
        if way.turn.norm() <= set::NO_WAY {
            way.turn = Vec3::zeros();
        }
        if way.roll.abs() <= set::NO_WAY {
            way.roll = 0.0;
        }
        way
    }

    /// How far a handle is from its target: mm and radians.
    pub(super) fn short_of(&self, targets: &[Option<Target>], grip: usize) -> (f64, f64) {
        let Some(target) = targets.get(grip).copied().flatten() else {
            return (0.0, 0.0);
        };
        let way = self.way_to(grip, &target);
        let (distance, angle) = (way.position.norm(), way.turn.norm().max(way.roll.abs()));
        let length = self.problem.rod.length();
        (
            if distance <= 1e-9 * length {
                0.0
            } else {
                distance
            },
            if angle <= 1e-9 { 0.0 } else { angle },
        )
    }

    /// Takes the way into a face with that normal out of the goals.
    fn slide_along(&mut self, normal: &Vec3) {
        let least = set::SMALLEST_SLIDE * self.settings.radius;
        for k in 0..self.grips.len() {
            let now = self.grip_pose(k).position;
            let goal = &mut self.work.goals[k].pose.position;
            let mut way = *goal - now;
            way -= normal * normal.dot(&way).min(0.0);
            *goal = if way.norm() < least { now } else { now + way };
        }
    }

    /// Counts the part of the roll that was made.
    fn turn_rolls(&mut self, made: f64) {
        for (memory, goal) in self.grips.iter_mut().zip(&self.work.goals) {
            memory.roll += made * (goal.roll - memory.roll);
        }
    }

    /// Puts a handle exactly on its target.
    fn settle(&mut self, k: usize, target: &Target) {
        let n = self.problem.rod.n_edges();
        let grip = self.problem.grips[k];
        match (grip.hold, grip.place) {
            (Hold::Spring(_), _) => self.grips[k].anchor = target.pose.position,
            (_, Place::Node(i)) => self.state.positions[i] = target.pose.position,
            // A gripped edge is where its nodes are; it was prescribed from its goal directly.
            _ => {}
        }
        if grip.hold != Hold::Frame {
            return;
        }
        self.grips[k].roll = target.roll;
        if let Some(end) = grip.clamp(n) {
            let joint = end * n;
            let twist = self.state.joint_twist(joint);
            self.state.clamps[end] = Some(target.rotation());
            self.state.keep_turns(joint, twist);
        }
    }

    pub(super) fn largest_strain(&self) -> f64 {
        let lengths = self.problem.rod.rest_lengths().iter().enumerate();
        // A gripped edge is as long as its handle makes it.
        lengths
            .filter(|(i, _)| !(self.held[*i] && self.held[i + 1]))
            .map(|(i, rest)| {
                (self.state.positions[i + 1] - self.state.positions[i]).norm() / rest - 1.0
            })
            .fold(0.0, f64::max)
    }
}

/// What takes a handle to its target: way, turn of its frame without the roll (in its own axes), and roll.
#[derive(Clone, Copy, Debug)]
struct Way {
    position: Vec3,
    turn: Vec3,
    roll: f64,
}
