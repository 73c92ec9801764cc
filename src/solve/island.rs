//! Islands: rods that touch, meet in a junction that moves or are pushed together go their way together, others each for
//! itself.
//!
//! An island has its own iterations, line search, step length and status, and sees the others standing still. What it
//! touches on its way wakes and joins it. Islands take their turns in the order of their first rods, so that the same input
//! gives the same bits. What sleeps costs nothing, and what is stopped short of its target sleeps until something changes.

use smallvec::SmallVec;

use super::clusters::rename;
use super::continuation::Continuation;
use super::coupled::{Coupled, Numbers};
use super::grip::Target;
use super::settings as set;
use super::step::{GroupListener, Targets};
use super::{Blocker, Budget, Report, Solver};
use crate::rod::bend_twist;

/// What came of an island's step.
pub(super) struct Outcome {
    /// Its number, in the order of their turns.
    pub island: usize,
    pub continuation: Continuation,
    /// CPU time of each rod, ms.
    pub cpu_ms: f64,
}

/// What came of all islands.
#[derive(Default)]
pub(super) struct Outcomes {
    all: SmallVec<[Outcome; 2]>,
    /// Each rod that was awake with the number of its island, by rod.
    islands: SmallVec<[(usize, usize); 16]>,
}

impl Outcomes {
    /// What came of a rod's island; `None` when it slept.
    pub fn of(&self, rod: usize) -> Option<&Outcome> {
        let at = self.islands.binary_search_by_key(&rod, |i| i.0).ok()?;
        self.all.get(self.islands[at].1)
    }

    /// Adds what came of the islands of a cluster, whose rods these are.
    pub fn append(&mut self, other: Self, members: &[usize]) {
        let first = self.all.len();
        for mut outcome in other.all {
            outcome.island += first;
            for (rod, _, blocker) in &mut outcome.continuation.stopped {
                *rod = members[*rod];
                rename(blocker, members);
            }
            self.all.push(outcome);
        }
        let islands = other.islands.into_iter();
        (self.islands).extend(islands.map(|(rod, island)| (members[rod], first + island)));
        self.islands.sort_unstable();
    }

    fn has(&self, rod: usize) -> bool {
        self.islands.binary_search_by_key(&rod, |i| i.0).is_ok()
    }
}

/// Where the handles of a rod were stopped short of, and by what, in the order of its grips.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// Where they were sent.
    pub targets: SmallVec<[Option<Target>; 4]>,
    /// What stopped them; `None` for one that arrived.
    pub blockers: SmallVec<[Option<Blocker>; 4]>,
}

/// Numbers of a report that take a look at every node: of a rod that sleeps they stay.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measures {
    pub strain: f64,
    pub length: f64,
    pub bend_radius: f64,
    pub bend: f64,
}

impl Coupled<'_> {
    /// Lets the islands of those that are awake take their turns.
    pub(super) fn step_islands(
        &mut self,
        targets: Targets,
        budget: &Budget,
        listener: &mut GroupListener,
    ) -> Outcomes {
        let mut outcomes = self.step_clusters(targets, budget, listener);
        self.take_turns(targets, budget, listener, &mut outcomes);
        self.awake.extend(outcomes.islands.iter().map(|i| i.0));
        self.each(|rod| rod.awake = true);
        outcomes
    }

    /// Lets the islands of those that are awake take their turns, one after the other; all sleep afterwards.
    pub(super) fn take_turns(
        &mut self,
        targets: Targets,
        budget: &Budget,
        listener: &mut GroupListener,
        outcomes: &mut Outcomes,
    ) {
        let labels = self.islands(targets);
        let sent = std::mem::take(&mut self.awake);
        for &r in &sent {
            self.rods[r].awake = false;
        }
        for (&first, &label) in sent.iter().zip(&labels) {
            // It may have gone with an island that touched it.
            if outcomes.has(first) {
                continue;
            }
            let own = (sent.iter().zip(&labels)).filter(|&(&r, &l)| l == label && !outcomes.has(r));
            self.awake.extend(own.map(|(&r, _)| r));
            self.each(|rod| rod.awake = true);
            let started = cpu_time::ThreadTime::now();
            // Those whose turn has not come when it is cancelled stay where they are.
            let continuation = if budget.is_cancelled() {
                Continuation {
                    cancelled: true,
                    ..Continuation::default()
                }
            } else {
                self.step_island(targets, budget, listener)
            };
            let number = outcomes.all.len();
            let waiting = self.still_waiting(first, label, (&sent, &labels));
            for &r in self.awake.iter().filter(|r| !waiting.contains(r)) {
                // The last island that it went with counts.
                match outcomes.islands.binary_search_by_key(&r, |i| i.0) {
                    Ok(at) => outcomes.islands[at].1 = number,
                    Err(at) => outcomes.islands.insert(at, (r, number)),
                }
                let rod = &mut self.rods[r];
                rod.note_stop(r, targets, &continuation);
                rod.awake = false;
            }
            let cpu_ms = started.elapsed().as_secs_f64() * 1e3 / self.awake.len().max(1) as f64;
            for &r in &waiting {
                self.rods[r].awake = false;
            }
            self.awake.clear();
            outcomes.all.push(Outcome {
                island: number,
                continuation,
                cpu_ms,
            });
        }
    }

    /// Those that were woken on a way of an island that was given up: they have not come to rest, and still take their turn.
    fn still_waiting(
        &self,
        first: usize,
        label: usize,
        (sent, labels): (&[usize], &[usize]),
    ) -> Numbers {
        let waits = |r: usize| {
            let rod = &self.rods[r];
            let joined =
                (sent.binary_search(&r)).is_ok_and(|at| sent[at] > first && labels[at] != label);
            joined && !rod.at_rest && !rod.is_pushing()
        };
        let awake = self.awake.iter().copied();
        awake
            .filter(|&r| self.rods[first].at_rest && waits(r))
            .collect()
    }

    /// For each rod that is awake the place in `awake` of the first rod of its island (union-find).
    pub(super) fn islands(&self, targets: Targets) -> Numbers {
        let mut labels: Numbers = (0..self.awake.len()).collect();
        let awake = |r: usize| self.awake.binary_search(&r).ok();
        for [a, b] in self.pairs.links() {
            if let (Some(a), Some(b)) = (awake(a), awake(b)) {
                join(&mut labels, a, b);
            }
        }
        for party in self.parties {
            // A junction that stays where it is holds each of its branches by itself.
            let moves = |&(r, k): &(usize, usize)| {
                let own = targets.of(r);
                self.rods[r].is_short(own, k)
            };
            let awake: Numbers = party.iter().filter_map(|&(r, _)| awake(r)).collect();
            if awake.len() < 2 || !party.iter().any(moves) {
                continue;
            }
            let mut awake = awake.into_iter();
            if let Some(first) = awake.next() {
                awake.for_each(|r| join(&mut labels, first, r));
            }
        }
        (0..labels.len()).map(|r| root(&labels, r)).collect()
    }
}

/// The first of those that are joined with `r`.
pub(super) fn root(labels: &[usize], mut r: usize) -> usize {
    while labels[r] != r {
        r = labels[r];
    }
    r
}

pub(super) fn join(labels: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(labels, a), root(labels, b));
    labels[a.max(b)] = a.min(b);
}

impl Stopped {
    /// Whether these are the targets that could not be reached, but for rounding, or lie behind them: what stops a handle on
    /// its straight way stops it on every way in that direction.
    fn is_short_of(&self, targets: &[Option<Target>], rod: &Solver) -> bool {
        let length = rod.problem.rod.length();
        let same = |(k, pair): (usize, (&Option<Target>, &Option<Target>))| match pair {
            (Some(a), Some(b)) => a.is_near(b, length) || self.is_stopped_alike(k, [a, b], rod),
            (a, b) => a.is_none() && b.is_none(),
        };
        let mut both = self.targets.iter().zip(targets).enumerate();
        self.targets.len() == targets.len() && both.all(same)
    }

    /// Whether a handle that a part or its cable's length stopped is sent in the direction in which it was stopped, and less
    /// to the side than a slide that can be seen.
    fn is_stopped_alike(&self, k: usize, targets: [&Target; 2], rod: &Solver) -> bool {
        let by = self.blockers.get(k).copied().flatten();
        let stays = matches!(by, Some(Blocker::Obstacle(_) | Blocker::Length { .. }));
        let here = rod.grip_pose(k).position;
        let ways = targets.map(|t| t.pose.position - here);
        let least = set::SMALLEST_SLIDE * rod.settings.radius;
        let [way, next] = ways.map(|way| way.norm());
        let along = ways[0].dot(&ways[1]) / (way * way);
        let aside = ways[1] - ways[0] * along;
        stays
            && targets[0].is_turned_like(targets[1])
            && way.min(next) > least
            && along > 0.0
            && aside.norm() <= least
    }
}

impl Solver {
    /// Whether a handle is to go somewhere, other than where it was stopped short of.
    pub(super) fn is_sent(&self, targets: &[Option<Target>]) -> bool {
        let short = (0..self.grips.len()).any(|k| self.is_short(targets, k));
        let known = || {
            self.stopped
                .as_ref()
                .is_some_and(|s| s.is_short_of(targets, self))
        };
        short && !known()
    }

    /// Whether it rests, slept in the last step, and is not sent anywhere.
    pub fn sleeps(&self, targets: &[Option<Target>]) -> bool {
        self.at_rest && !self.awake && !self.is_sent(targets)
    }

    /// Notes where the handles were stopped short of, if they were.
    fn note_stop(&mut self, r: usize, targets: Targets, continuation: &Continuation) {
        let own = targets.of(r);
        let over = !continuation.cancelled && !continuation.on_the_way && self.at_rest;
        let held = continuation.stopped.iter().filter(|s| s.0 == r);
        let is_held = held.clone().any(|s| s.2.is_some());
        self.stopped = (over && is_held).then(|| Stopped {
            targets: own.into(),
            blockers: held.map(|s| s.2).collect(),
        });
    }

    /// Keeps the numbers of a report that a rod which sleeps is asked for again.
    pub(super) fn note_measures(&mut self, report: &Report) {
        self.measures = Measures {
            strain: report.largest_strain,
            length: report.length,
            bend_radius: report.smallest_bend_radius,
            bend: report.largest_bend,
        };
    }

    /// Strain, length and bends of the state.
    pub(super) fn measure_shape(&self) -> Measures {
        let (mut curvature, mut bend) = (0.0_f64, 0.0_f64);
        for j in 0..=self.problem.rod.n_edges() {
            let Some((a, b)) = self.state.joint(j) else {
                continue;
            };
            let m = bend_twist(a, b, self.state.turns[j]);
            let both = m.bend[0].hypot(m.bend[1]);
            curvature = curvature.max(both / self.problem.rod.joint_length(j));
            bend = bend.max(2.0 * (0.5 * both).atan());
        }
        Measures {
            strain: self.largest_strain(),
            length: self.state.length(),
            bend_radius: 1.0 / curvature,
            bend,
        }
    }
}
