//! Clusters of islands: what is far from all else comes to rest on another core.
//!
//! A harness that was just opened has hundreds of cables to bring to rest, and most of them never meet. Rods that touch,
//! that bodies join or that are near each other are a cluster; in it islands take their turns as ever
//! ([`super::island`]), and each cluster goes its way as if it were alone. Then the boxes that edges swept are compared:
//! clusters that came near anything else are put back, and take their turns with all others in sight. So nothing depends
//! on the number of cores, and no cluster passes through another, whichever goes first.
//!
//! Only cold starts of some size are shared out: a drag is short, and to start threads and keep what there was before
//! would cost more than it saves.

use smallvec::SmallVec;

use super::coupled::{Coupled, Numbers};
use super::grip::Target;
use super::island::{Outcomes, join, root};
use super::kept::Factors;
use super::step::{GripGroup, GroupListener, Targets};
use super::{Blocker, Budget, Pairs, Solver};
use crate::contact::pair::{PairContact, PairFriction};
use crate::geom::{Aabb, Vec3};
use crate::parallel;

/// Edges of all clusters but the largest from which on they are shared out: some milliseconds of work.
const WORTH_A_THREAD: usize = 500;

/// Which rods go together.
pub(super) struct Clusters {
    /// Numbers of the rods, cluster by cluster, each in rising order, and those of none at the end.
    order: Vec<usize>,
    /// How many rods each has.
    sizes: Vec<usize>,
    /// For each rod its cluster and its number there.
    places: Vec<Option<(usize, usize)>>,
}

impl Clusters {
    /// Sorts rods by labels: those with the same one as a rod that is awake are a cluster.
    fn new(labels: &[usize], awake: &[usize]) -> Self {
        let mut cluster_of: Vec<Option<usize>> = vec![None; labels.len()];
        let mut members: Vec<Vec<usize>> = Vec::new();
        for &r in awake {
            cluster_of[labels[r]].get_or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
        }
        let mut others = Vec::new();
        let place = |(r, label): (usize, &usize)| {
            let Some(cluster) = cluster_of[*label] else {
                others.push(r);
                return None;
            };
            members[cluster].push(r);
            Some((cluster, members[cluster].len() - 1))
        };
        let places = labels.iter().enumerate().map(place).collect();
        let sizes = members.iter().map(Vec::len).collect();
        members.push(others);
        Self {
            order: members.concat(),
            sizes,
            places,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The cluster of a rod, and its number there.
    pub fn place(&self, rod: usize) -> Option<(usize, usize)> {
        self.places[rod]
    }

    /// The cluster of two rods, and their numbers there, if it is the same one.
    fn of_pair(&self, rods: [u32; 2]) -> Option<(usize, [u32; 2])> {
        let [a, b] = rods.map(|r| self.places[r as usize]);
        let ((cluster, a), (other, b)) = (a?, b?);
        (cluster == other).then_some((cluster, [a as u32, b as u32]))
    }

    /// The rods of each.
    fn members(&self) -> Vec<&[usize]> {
        let mut rest = &self.order[..];
        let split = |&size: &usize| {
            let (own, others) = rest.split_at(size);
            rest = others;
            own
        };
        self.sizes.iter().map(split).collect()
    }
}

/// A cluster that is to go its way. Its rods have numbers of their own.
struct Cluster<'a> {
    rods: &'a mut [Solver],
    awake: Numbers,
    pairs: Pairs,
    parties: Vec<GripGroup>,
    targets: Vec<&'a [Option<Target>]>,
    budget: Budget,
}

/// What came of it.
struct Stepped {
    /// Its rods before anything moved.
    before: Vec<Solver>,
    pairs: Pairs,
    outcomes: Outcomes,
    /// What a listener is to get.
    told: Vec<(usize, Vec<Vec3>)>,
}

impl Cluster<'_> {
    fn step(mut self, tracing: bool) -> Stepped {
        let before = self.rods.iter_mut().map(Solver::without_matrices).collect();
        for rod in &mut *self.rods {
            let points = rod.state.positions.iter();
            rod.work.swept = points.map(|p| Aabb::of_points([p])).collect();
        }
        let mut told = Vec::new();
        let mut outcomes = Outcomes::default();
        let mut listener = |r: usize, nodes: &[Vec3]| told.push((r, nodes.to_vec()));
        Coupled {
            rods: self.rods,
            pairs: &mut self.pairs,
            parties: &self.parties,
            awake: self.awake,
        }
        .take_turns(
            Targets::Lent(&self.targets),
            &self.budget,
            &mut tracing.then_some(&mut listener as _),
            &mut outcomes,
        );
        Stepped {
            before,
            pairs: self.pairs,
            outcomes,
            told,
        }
    }
}

impl Coupled<'_> {
    /// Brings clusters that start cold to rest, at the same time where there are cores for it. Those that are awake
    /// afterwards have not had their turn.
    pub(super) fn step_clusters(
        &mut self,
        targets: Targets,
        budget: &Budget,
        listener: &mut GroupListener,
    ) -> Outcomes {
        let mut outcomes = Outcomes::default();
        let Some(clusters) = self.clusters(targets) else {
            return outcomes;
        };
        let ready = self.awake.clone();
        let parts = self.pairs.split(&clusters);
        let parties = parties_of(self.parties, &clusters);
        permute(self.rods, &clusters.order);
        let mut rest = &mut *self.rods;
        let mut split = Vec::with_capacity(clusters.len());
        for ((members, pairs), parties) in clusters.members().into_iter().zip(parts).zip(parties) {
            let (rods, others) = std::mem::take(&mut rest).split_at_mut(members.len());
            rest = others;
            split.push(Cluster {
                awake: (0..rods.len()).filter(|&r| rods[r].awake).collect(),
                rods,
                pairs,
                parties,
                targets: (members.iter()).map(|&r| targets.of(r)).collect(),
                budget: budget.clone(),
            });
        }
        let tracing = listener.is_some();
        let stepped = parallel::map(split, |cluster| cluster.step(tracing));
        permute(self.rods, &inverse(&clusters.order));
        let met = self.pairs.meeting(self.rods, &clusters);
        let place = |r: usize| clusters.places[r].is_some_and(|(cluster, _)| met[cluster]);
        for ((part, members), &met) in stepped.into_iter().zip(clusters.members()).zip(&met) {
            for &r in members {
                self.rods[r].work.swept = Vec::new();
            }
            if met {
                for (&r, before) in members.iter().zip(part.before) {
                    self.rods[r].put_back(before);
                }
                continue;
            }
            for (r, nodes) in part.told {
                if let Some(listener) = listener {
                    listener(members[r], &nodes);
                }
            }
            for &r in members {
                self.rods[r].take_numbers(members);
            }
            self.pairs.rejoin(part.pairs, members);
            outcomes.append(part.outcomes, members);
        }
        // What it remembers of those that moved is of where they were.
        self.pairs.near.forget();
        self.awake = ready.into_iter().filter(|&r| place(r)).collect();
        outcomes
    }

    /// The clusters, if it is worth sharing them out.
    fn clusters(&mut self, targets: Targets) -> Option<Clusters> {
        let n_edges = |r: usize| self.rods[r].problem.rod.n_edges();
        let is_cold = |rod: &Solver| {
            !rod.at_rest && !rod.resumed && rod.inertia.is_none() && rod.stopped.is_none()
        };
        let all: usize = self.awake.iter().map(|&r| n_edges(r)).sum();
        if all < WORTH_A_THREAD || !self.awake_rods().all(is_cold) {
            return None;
        }
        let mut labels: Vec<usize> = (0..self.rods.len()).collect();
        for (&r, label) in self.awake.iter().zip(self.islands(targets)) {
            join(&mut labels, r, self.awake[label]);
        }
        for [a, b] in self.pairs.links() {
            join(&mut labels, a, b);
        }
        for [a, b] in self.pairs.near_rods(self.rods, &self.awake) {
            join(&mut labels, a, b);
        }
        for r in 0..labels.len() {
            labels[r] = root(&labels, r);
        }
        let clusters = Clusters::new(&labels, &self.awake);
        let edges = |members: &[usize]| members.iter().map(|&r| n_edges(r)).sum::<usize>();
        let sizes = clusters.members().into_iter().map(edges);
        let (sum, largest) = sizes.fold((0, 0), |(sum, most), n| (sum + n, most.max(n)));
        (sum - largest >= WORTH_A_THREAD).then_some(clusters)
    }
}

impl Solver {
    /// A copy to go back to. What a step assembles and factors first is left out: it is most of the memory.
    fn without_matrices(&mut self) -> Self {
        let system = std::mem::take(&mut self.work.system);
        let factors = std::mem::take(&mut self.work.factors);
        let copy = self.clone();
        self.work.system = system;
        self.work.factors = factors;
        copy
    }

    /// Back to a copy without matrices.
    fn put_back(&mut self, before: Self) {
        let now = std::mem::replace(self, before);
        self.work.system = now.work.system;
        self.work.factors = now.work.factors;
        self.work.has_matrix = false;
        self.work.holds = Factors::Other;
    }

    /// Notes the boxes that nodes sweep, while that is asked for.
    pub(super) fn note_swept(&mut self) {
        for (swept, point) in self.work.swept.iter_mut().zip(&self.state.positions) {
            swept.grow(point);
        }
    }

    /// Names what stopped it by its number among all rods.
    fn take_numbers(&mut self, members: &[usize]) {
        let blockers = self.stopped.iter_mut().flat_map(|s| &mut s.blockers);
        blockers.for_each(|blocker| rename(blocker, members));
    }
}

/// Gives a rod that stops another its number among all.
pub(super) fn rename(blocker: &mut Option<Blocker>, members: &[usize]) {
    if let Some(Blocker::Rod(r)) = blocker {
        *r = members[*r];
    }
}

impl Pairs {
    /// What is between the rods of each cluster.
    fn split(&self, clusters: &Clusters) -> Vec<Self> {
        let place = |rods| clusters.of_pair(rods);
        let near = self.near.split(clusters.len(), place).into_iter();
        let mut parts: Vec<Self> = (near.zip(self.bodies.split(clusters)))
            .map(|(near, bodies)| Self::with(near, bodies))
            .collect();
        for (k, contact) in self.contacts.iter().enumerate() {
            if let Some((cluster, rods)) = place(contact.rods) {
                let part = &mut parts[cluster];
                part.contacts.push(PairContact { rods, ..*contact });
                part.forces.push(self.forces.get(k).copied().unwrap_or(0.0));
            }
        }
        for friction in &self.friction {
            if let Some((cluster, rods)) = place(friction.rods) {
                let renamed = PairFriction { rods, ..*friction };
                parts[cluster].friction.push(renamed);
            }
        }
        parts
    }

    /// Takes back what is between the rods of a cluster, whose numbers these are.
    fn rejoin(&mut self, part: Self, members: &[usize]) {
        let is_own = |rods: [u32; 2]| members.binary_search(&(rods[0] as usize)).is_ok();
        let rename = |rods: [u32; 2]| rods.map(|r| members[r as usize] as u32);
        self.forces.resize(self.contacts.len(), 0.0);
        let mut own = self.contacts.iter().map(|c| is_own(c.rods));
        self.forces.retain(|_| own.next() == Some(false));
        self.contacts.retain(|c| !is_own(c.rods));
        self.friction.retain(|f| !is_own(f.rods));
        for (k, contact) in part.contacts.iter().enumerate() {
            let rods = rename(contact.rods);
            self.contacts.push(PairContact { rods, ..*contact });
            self.forces.push(part.forces.get(k).copied().unwrap_or(0.0));
        }
        let friction = part.friction.iter();
        self.friction.extend(friction.map(|f| PairFriction {
            rods: rename(f.rods),
            ..*f
        }));
        self.friction.sort_unstable_by(PairFriction::order);
        self.bodies.rejoin(part.bodies, members);
    }

    /// For each cluster whether one of its rods came near one that is not of it.
    fn meeting(&mut self, rods: &[Solver], clusters: &Clusters) -> Vec<bool> {
        let cluster = |r: u32| clusters.place(r as usize).map(|(cluster, _)| cluster);
        let mut met = vec![false; clusters.len()];
        for [(a, _), (b, _)] in self.near_ways(rods) {
            let both = [a, b].map(|r| cluster(*r));
            if both[0] != both[1] {
                both.into_iter().flatten().for_each(|c| met[c] = true);
            }
        }
        met
    }
}

/// The groups of handles of each cluster.
fn parties_of(parties: &[GripGroup], clusters: &Clusters) -> Vec<Vec<GripGroup>> {
    let mut own: Vec<Vec<GripGroup>> = vec![Vec::new(); clusters.len()];
    for party in parties {
        let mut begun: SmallVec<[usize; 8]> = SmallVec::new();
        for &(r, k) in party {
            let Some((cluster, r)) = clusters.place(r) else {
                continue;
            };
            if !begun.contains(&cluster) {
                begun.push(cluster);
                own[cluster].push(Vec::new());
            }
            if let Some(group) = own[cluster].last_mut() {
                group.push((r, k));
            }
        }
    }
    own
}

/// Puts what was in place `order[i]` in place i.
fn permute<T>(all: &mut [T], order: &[usize]) {
    let mut order = order.to_vec();
    for i in 0..order.len() {
        let mut to = i;
        loop {
            let from = std::mem::replace(&mut order[to], to);
            if from == i {
                break;
            }
            all.swap(to, from);
            to = from;
        }
    }
}

/// The order that undoes another.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; order.len()];
    for (i, &from) in order.iter().enumerate() {
        inverse[from] = i;
    }
    inverse
}

#[cfg(test)]
mod tests;
