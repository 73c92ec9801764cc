//! The handles' way to their targets: in chunks, each ending in an equilibrium that is kept.

use super::newton::{HandleMotion, Rest};
use super::settings as set;
use super::{Blocker, CancelToken, Solver};
use crate::geom::{Pose, Vec3};

/// What stopped the handles at start and end, if anything.
pub(super) type Stopped = [Option<Blocker>; 2];

/// Who gets the nodes of every accepted iterate, in order.
pub type Listener<'a> = Option<&'a mut dyn FnMut(&[Vec3])>;

/// What came of the way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Journey {
    pub iterations: usize,
    pub stopped: Stopped,
    pub cancelled: bool,
}

impl Solver {
    /// Takes the handles to their targets, or as near as collisions, the cable's length and the solver allow.
    ///
    /// All together first; where that is stopped, each on its own.
    pub(super) fn travel(
        &mut self,
        targets: &[Option<Pose>; 2],
        cancel: &CancelToken,
        listener: &mut Listener,
    ) -> Journey {
        let mut journey = Journey::default();
        let stopped = self.leg(targets, [true; 2], cancel, listener, &mut journey);
        let Some(blocker) = stopped else {
            return journey;
        };
        let ends: Vec<usize> = (0..2).filter(|&end| self.is_short(targets, end)).collect();
        if let [end] = ends[..] {
            journey.stopped[end] = Some(blocker);
            return journey;
        }
        for end in ends {
            if !journey.cancelled {
                let moving = [end == 0, end == 1];
                journey.stopped[end] = self.leg(targets, moving, cancel, listener, &mut journey);
            }
        }
        journey
    }

    fn is_short(&self, targets: &[Option<Pose>; 2], end: usize) -> bool {
        self.short_of(targets, end)
            .is_some_and(|(way, angle)| way > 0.0 || angle > 0.0)
    }

    /// Takes the `moving` handles along; `None` when they arrive (or when cancelled).
    fn leg(
        &mut self,
        targets: &[Option<Pose>; 2],
        moving: [bool; 2],
        cancel: &CancelToken,
        listener: &mut Listener,
        journey: &mut Journey,
    ) -> Option<Blocker> {
        let mut size = 1.0;
        // The face that a handle slides along: its normal and its obstacle.
        let mut slide: Option<(Vec3, Option<usize>)> = None;
        let mut cut_by = None;
        // Near the end of the cable's length chunks only get smaller.
        let mut largest = 1.0;
        let mut smallest = None;
        for _ in 0..set::CHUNKS {
            if journey.iterations > set::STEP_ITERATIONS {
                break;
            }
            let (mut motion, mut whole, used) = self.next_motion(targets, moving, size);
            if motion.is_zero() {
                return None;
            }
            let smallest = *smallest.get_or_insert(set::SMALLEST_CHUNK * used);
            if let Some((normal, obstacle)) = slide {
                whole = false;
                if !motion.slide_along(&normal, set::SMALLEST_SLIDE * self.settings.radius) {
                    return Some(obstacle.map_or(Blocker::Solver, Blocker::Obstacle));
                }
            }
            let strain = self.largest_strain();
            self.adapt_barrier();
            let run = self.run_to_rest(&motion, cancel);
            journey.iterations += run.iterations;
            if run.rest == Rest::Cancelled {
                // What there is, is free of collisions: the next step goes on from it.
                self.leave_unrested(listener);
                journey.cancelled = true;
                return None;
            }
            let taut = self.largest_strain();
            let too_taut = taut > set::TAUT && taut > strain + 1e-6;
            let found = matches!(run.rest, Rest::Found { .. }) && self.state.is_finite();
            if !found || too_taut {
                self.go_back();
                size = 0.25 * used;
                if found {
                    largest = size;
                }
                if size < smallest || journey.iterations > set::STEP_ITERATIONS {
                    return Some(if found {
                        Blocker::Length { around: None }
                    } else {
                        Blocker::Solver
                    });
                }
                continue;
            }
            if whole && run.made == 1.0 {
                self.settle_clamps(targets, moving);
            }
            self.commit(&run, listener);
            cut_by = run.cut_by.or(cut_by);
            if taut < 0.5 * set::TAUT {
                largest = 1.0;
            }
            // A chunk that collisions cut short was too long for a straight prediction.
            if run.made > 0.9 {
                size = (2.0 * size).min(largest);
            } else if run.made < 0.3 {
                size = 0.25 * used;
            }
            if run.made >= set::STUCK {
                slide = None;
                continue;
            }
            // What the handle meets takes away the way into it; the way along it is left.
            let alone = motion.way.iter().filter(|v| **v != Vec3::zeros()).count() == 1;
            match (slide, run.cut_at_handle) {
                (None, Some(normal)) if alone => {
                    slide = Some((normal, run.cut_by));
                    size = 1.0;
                }
                (None, None) if size >= smallest => {}
                _ => return Some(run.cut_by.map_or(Blocker::Solver, Blocker::Obstacle)),
            }
        }
        // Still creeping: against its length, or along something that holds it.
        Some(match cut_by {
            _ if self.largest_strain() > 0.5 * set::TAUT => Blocker::Length { around: None },
            Some(obstacle) => Blocker::Obstacle(obstacle),
            None => Blocker::Solver,
        })
    }

    /// The next chunk of the handles' way, whether it reaches the targets, and its size over a whole chunk.
    fn next_motion(
        &self,
        targets: &[Option<Pose>; 2],
        moving: [bool; 2],
        size: f64,
    ) -> (HandleMotion, bool, f64) {
        let mut motion = HandleMotion::default();
        let mut chunks = 0.0_f64;
        let length = self.problem.rod.length();
        for end in 0..2 {
            let (Some(target), Some(now)) = (targets[end], self.state.clamp_pose(end)) else {
                continue;
            };
            if !moving[end] {
                continue;
            }
            motion.way[end] = target.position - now.position;
            motion.turn[end] = (now.rotation.inverse() * target.rotation).scaled_axis();
            // Below the noise of a coordinate there is nothing left to do.
            if motion.way[end].norm() <= 1e-12 * length {
                motion.way[end] = Vec3::zeros();
            }
            if motion.turn[end].norm() <= 1e-12 {
                motion.turn[end] = Vec3::zeros();
            }
            chunks = chunks
                .max(motion.way[end].norm() / (set::CHUNK * length))
                .max(motion.turn[end].norm() / set::CHUNK_ANGLE);
        }
        let factor = if chunks > size { size / chunks } else { 1.0 };
        (motion.scaled(factor), factor == 1.0, factor * chunks)
    }

    /// Puts clamps that have arrived exactly on their targets: sums of increments end a rounding error beside them.
    fn settle_clamps(&mut self, targets: &[Option<Pose>; 2], moving: [bool; 2]) {
        let n = self.state.positions.len();
        for end in 0..2 {
            let (Some(target), true, true) =
                (targets[end], moving[end], self.state.clamps[end].is_some())
            else {
                continue;
            };
            let joint = end * (n - 1);
            let twist = self.state.joint_twist(joint);
            self.state.positions[end * (n - 1)] = target.position;
            self.state.clamps[end] = Some(target.rotation);
            self.state.keep_turns(joint, twist);
        }
    }

    pub(super) fn largest_strain(&self) -> f64 {
        let edges = self
            .state
            .positions
            .windows(2)
            .map(|p| (p[1] - p[0]).norm());
        edges
            .zip(self.problem.rod.rest_lengths())
            .map(|(now, rest)| now / rest - 1.0)
            .fold(0.0, f64::max)
    }
}

impl HandleMotion {
    /// Takes out the way into a face with that normal; `false` when less than `least` of way and no turn is left.
    fn slide_along(&mut self, normal: &Vec3, least: f64) -> bool {
        for way in &mut self.way {
            let into = normal.dot(way).min(0.0);
            *way -= normal * into;
            if way.norm() < least {
                *way = Vec3::zeros();
            }
        }
        !self.is_zero()
    }
}
