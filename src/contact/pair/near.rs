//! Which edges of the rods are near each other, kept while the rods move little.

use super::{Apart, Chain, Chains, OWN_WINDOW, PairSettings, radii_of};
use crate::geom::{Aabb, Vec3};
use std::ops::Range;

/// Extra distance that the list covers, over the largest radius: larger lists, fewer refreshes. Small enough that a
/// straight rod has no pair of its own edges in the list: those farther apart along it than the window are farther apart.
const SLACK: f64 = 1.5;

/// A pair of edges: (rod, edge) of each, the smaller one first.
pub type EdgePair = [(u32, u32); 2];

/// Pairs of edges that are near each other. Those of a rod are gathered anew when a node of it has moved out of what the
/// list covers; all others stay.
#[derive(Clone, Debug, Default)]
pub struct NearPairs {
    pairs: Vec<EdgePair>,
    /// All nodes when those of their rod were gathered, rod after rod.
    at: Vec<Vec3>,
    /// What was then of each rod.
    rods: Vec<Remembered>,
    /// Numbers of those that were awake: pairs of two that slept are not in the list.
    awake: Vec<usize>,
    /// Pairs nearer than the sum of their reaches plus this are listed, mm.
    slack: f64,
    /// Stretches that do not see each other, sorted by their rods, of which the smaller one comes first.
    apart: Vec<Apart>,
    /// Pairs that do not see each other for now, sorted.
    passing: Vec<EdgePair>,
    scratch: Scratch,
}

/// A rod when the list was gathered.
#[derive(Clone, Debug)]
struct Remembered {
    /// A box around what its nodes reach, and the slack in which they may have moved since.
    region: Aabb,
    /// Largest radius and barrier distance, mm.
    reach: f64,
    /// Its nodes among all.
    nodes: Range<usize>,
}

impl Remembered {
    fn new(chain: &Chain, first: usize, slack: f64) -> Self {
        let reach = reach_of(chain);
        Self {
            region: Aabb::of_points(chain.points).inflated(reach + slack),
            reach,
            nodes: first..first + chain.points.len(),
        }
    }
}

/// Largest radius and barrier distance, mm.
fn reach_of(chain: &Chain) -> f64 {
    chain.settings.radius + chain.thickness.most() + chain.settings.barrier_distance
}

/// Memory that is reused.
#[derive(Clone, Debug, Default)]
struct Scratch {
    boxes: Vec<Boxed>,
    /// Where each box begins along the axis of the sweep.
    order: Vec<(f64, u32)>,
    /// Boxes that the sweep is within: those of rods that have left the list, and others.
    open: [Vec<u32>; 2],
    swept: Vec<EdgePair>,
    /// Rods that have left the list, a box around each with its edges' boxes in it, and of each rod whether it has.
    left: Vec<usize>,
    of_left: Vec<Aabb>,
    is_left: Vec<bool>,
}

#[derive(Clone, Debug)]
struct Boxed {
    region: Aabb,
    edge: (u32, u32),
    /// Arc length where the edge begins and ends, mm.
    arc: [f64; 2],
    radius: f64,
    own: bool,
    /// Whether its rod has left the list: pairs of two others are not looked for.
    left: bool,
}

impl NearPairs {
    /// Takes the stretches that do not see each other, and forgets everything else.
    pub fn reset(&mut self, apart: &[Apart]) {
        self.apart.clear();
        self.apart.extend_from_slice(apart);
        for apart in self.apart.iter_mut().filter(|a| a.rods[0] > a.rods[1]) {
            apart.rods.reverse();
            apart.edges.reverse();
        }
        self.apart.sort_by_key(|apart| apart.rods);
        self.passing.clear();
        self.forget();
    }

    /// Forgets the list: rods have come, gone or changed.
    pub fn forget(&mut self) {
        self.at.clear();
        self.rods.clear();
        self.awake.clear();
    }

    /// Pairs that are left out until others are.
    pub fn passing(&self) -> &[EdgePair] {
        &self.passing
    }

    /// Leaves out these pairs, which are sorted, in place of those before; whether they are others.
    pub fn pass(&mut self, passing: Vec<EdgePair>) -> bool {
        let changed = passing != self.passing;
        if changed {
            self.passing = passing;
            self.forget();
        }
        changed
    }

    /// Pairs of edges that are within the barrier distance of each other now (and more).
    pub fn now(&mut self, chains: &impl Chains) -> &[EdgePair] {
        if self.find_left(chains, false) {
            self.gather(chains);
        }
        &self.pairs
    }

    /// Pairs of edges that come within the barrier distance of each other while the chains make their motion, and more.
    pub fn swept(&mut self, chains: &impl Chains) -> &[EdgePair] {
        if !self.find_left(chains, true) {
            return &self.pairs;
        }
        self.scratch.push_left(chains, 0.0);
        self.push_others(chains, 0.0, |chain, _| (chain.points, chain.motion));
        let mut pairs = std::mem::take(&mut self.scratch.swept);
        self.collect(&mut pairs);
        self.scratch.swept = pairs;
        &self.scratch.swept
    }

    /// Pairs of edges of different rods of which one at least has moved, and that came within the barrier distance of each
    /// other if they were anywhere in the boxes that their nodes swept; of a rod that has not moved there are none.
    pub fn ways<'s>(
        &mut self,
        chains: &impl Chains,
        swept: impl Fn(usize) -> &'s [Aabb],
    ) -> &[EdgePair] {
        let scratch = &mut self.scratch;
        scratch.boxes.clear();
        // Nothing is taken over from the list.
        scratch.is_left.clear();
        scratch.is_left.resize(chains.n_chains(), true);
        for r in 0..chains.n_chains() {
            let (chain, swept) = (chains.chain(r), swept(r));
            for i in 0..chain.lengths.len() {
                let mut region = Aabb::of_points([&chain.points[i], &chain.points[i + 1]]);
                for way in swept.iter().skip(i).take(2) {
                    region.merge(way);
                }
                let radius = chain.radius(i as u32);
                let reach = radius + 0.5 * chain.settings.barrier_distance;
                scratch.boxes.push(Boxed {
                    region: region.inflated(reach),
                    edge: (r as u32, i as u32),
                    arc: [0.0; 2],
                    radius,
                    own: false,
                    left: !swept.is_empty(),
                });
            }
        }
        let mut pairs = std::mem::take(&mut self.scratch.swept);
        self.collect(&mut pairs);
        self.scratch.swept = pairs;
        &self.scratch.swept
    }

    /// A list for each of so many groups of rods: `place` has the group of two rods and their numbers there, if it is one.
    pub fn split(
        &self,
        n: usize,
        place: impl Fn([u32; 2]) -> Option<(usize, [u32; 2])>,
    ) -> Vec<Self> {
        let mut parts = vec![Self::default(); n];
        for apart in &self.apart {
            if let Some((group, rods)) = place(apart.rods) {
                let edges = apart.edges.clone();
                parts[group].apart.push(Apart { rods, edges });
            }
        }
        parts
    }

    /// Notes the rods that are awake and that the list does not hold for any more, where they are or all along their motion:
    /// rods that the list had not among those that were awake, that are thicker now, or of which a node has left where it
    /// was by more than half the slack (two nodes may have moved towards each other). Whether there are any.
    fn find_left(&mut self, chains: &impl Chains, moving: bool) -> bool {
        let mut left = std::mem::take(&mut self.scratch.left);
        left.clear();
        if self.fits(chains) {
            left.extend(
                chains
                    .awake()
                    .filter(|&r| !self.covers(&chains.chain(r), r, moving)),
            );
        } else {
            self.pairs.clear();
            left.extend(chains.awake());
        }
        self.scratch.is_left.clear();
        self.scratch.is_left.resize(chains.n_chains(), false);
        for &r in &left {
            self.scratch.is_left[r] = true;
        }
        self.scratch.left = left;
        !self.scratch.left.is_empty()
    }

    /// Whether the list holds for a rod that is awake, where it is or all along its motion.
    fn covers(&self, chain: &Chain, r: usize, moving: bool) -> bool {
        let Remembered { nodes, reach, .. } = &self.rods[r];
        let motion = chain.motion.iter().filter(|_| moving);
        let way = motion.map(Vec3::norm_squared).fold(0.0, f64::max).sqrt();
        let most = 0.5 * self.slack - way;
        let mut both = chain.points.iter().zip(&self.at[nodes.clone()]);
        self.awake.binary_search(&r).is_ok()
            && *reach == reach_of(chain)
            && most >= 0.0
            && both.all(|(now, then)| (now - then).norm_squared() <= most * most)
    }

    /// Whether what is remembered is of as many rods, and those that are awake have as many nodes: what changes wakes. The
    /// slack must be that of the thickest.
    fn fits(&self, chains: &impl Chains) -> bool {
        let same = |r: usize| chains.chain(r).points.len() == self.rods[r].nodes.len();
        chains.n_chains() == self.rods.len() && chains.awake().all(same)
    }

    /// Adds the boxes of the edges beside those that have left the list, of rods that are near one that has. `where_is` gives
    /// the nodes of a rod that is awake and their motion; those that sleep are where they are.
    fn push_others<'c>(
        &mut self,
        chains: &'c impl Chains,
        slack: f64,
        where_is: impl Fn(&Chain<'c>, &Range<usize>) -> (&'c [Vec3], &'c [Vec3]),
    ) {
        let fits = self.fits(chains);
        let of_left = std::mem::take(&mut self.scratch.of_left);
        let mut of_all = Aabb::empty();
        for region in &of_left {
            of_all.merge(region);
        }
        // What a rod's box has no room for yet.
        let room = of_all.inflated(slack);
        for r in 0..chains.n_chains() {
            if self.scratch.is_left[r] || fits && !self.rods[r].region.intersects(&room) {
                continue;
            }
            let mut region = of_all;
            if fits {
                let own = self.rods[r].region.inflated(slack);
                region = Aabb::empty();
                for near in of_left.iter().filter(|near| near.intersects(&own)) {
                    region.merge(near);
                }
            }
            if region.is_empty() {
                continue;
            }
            let chain = chains.chain(r);
            let (points, motion) = if chain.awake {
                where_is(&chain, &self.rods[r].nodes)
            } else {
                (chain.points, &[][..])
            };
            (self.scratch).push_rod(&chain, r, (points, motion), slack, Some(&region));
        }
        self.scratch.of_left = of_left;
    }

    /// Gathers the pairs of rods that have left the list anew; for others they stay as they are.
    fn gather(&mut self, chains: &impl Chains) {
        let radii = chains.awake().map(|r| chains.chain(r).settings.radius);
        let slack = SLACK * radii.fold(0.0, f64::max);
        if slack != self.slack {
            self.slack = slack;
            let Scratch { left, is_left, .. } = &mut self.scratch;
            left.clear();
            left.extend(chains.awake());
            for &r in left.iter() {
                is_left[r] = true;
            }
        }
        self.remember(chains);
        self.scratch.push_left(chains, 0.5 * self.slack);
        let at = std::mem::take(&mut self.at);
        self.push_others(chains, 0.5 * self.slack, |_, nodes| {
            (&at[nodes.clone()], &[])
        });
        self.at = at;
        let mut pairs = std::mem::take(&mut self.scratch.swept);
        self.collect(&mut pairs);
        std::mem::swap(&mut self.pairs, &mut pairs);
        self.scratch.swept = pairs;
    }

    /// Notes where the rods are that have left the list, and which are awake.
    fn remember(&mut self, chains: &impl Chains) {
        if self.fits(chains) {
            // And those that have gone to sleep since: where they are is known.
            let asleep = (self.awake.iter()).filter(|&&r| !chains.chain(r).awake);
            for &r in self.scratch.left.iter().chain(asleep) {
                let chain = chains.chain(r);
                let rod = &mut self.rods[r];
                *rod = Remembered::new(&chain, rod.nodes.start, self.slack);
                self.at[rod.nodes.clone()].copy_from_slice(chain.points);
            }
        } else {
            self.forget();
            for r in 0..chains.n_chains() {
                let chain = chains.chain(r);
                let rod = Remembered::new(&chain, self.at.len(), self.slack);
                self.rods.push(rod);
                self.at.extend(chain.points);
            }
        }
        self.awake.clear();
        self.awake.extend(chains.awake());
    }

    /// The pairs of the list without those of rods that have left it, and what is near these: sweeps over the boxes along
    /// the axis of their largest extent.
    fn collect(&mut self, out: &mut Vec<EdgePair>) {
        let Scratch {
            boxes,
            order,
            open,
            is_left,
            ..
        } = &mut self.scratch;
        let awake = |(r, _): &(u32, u32)| self.awake.binary_search(&(*r as usize)).is_ok();
        let holds = |pair: &&EdgePair| {
            pair.iter().all(|&(r, _)| !is_left[r as usize]) && pair.iter().any(awake)
        };
        out.clear();
        out.extend(self.pairs.iter().filter(holds));
        let mut whole = Aabb::empty();
        for boxed in boxes.iter() {
            whole.merge(&boxed.region);
        }
        let axis = (whole.max - whole.min).imax();
        order.clear();
        order.extend(
            (0..)
                .zip(boxes.iter())
                .map(|(k, b)| (b.region.min[axis], k)),
        );
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        open.iter_mut().for_each(Vec::clear);
        for &(begin, k) in order.iter() {
            let new = &boxes[k as usize];
            // Two of rods that are in the list still do not look for each other.
            let sides = if new.left { 0..2 } else { 0..1 };
            for side in &mut open[sides] {
                side.retain(|&o| {
                    let other = &boxes[o as usize];
                    if other.region.max[axis] < begin {
                        return false;
                    }
                    let pair = [new, other];
                    if other.region.intersects(&new.region) && may_meet(pair) {
                        let pair = sorted(pair);
                        let passes = self.passing.binary_search(&pair).is_ok();
                        if !passes && !is_apart(&self.apart, &pair) {
                            out.push(pair);
                        }
                    }
                    true
                });
            }
            open[usize::from(!new.left)].push(k);
        }
        // An order that does not depend on where the scene lies.
        out.sort_unstable();
    }
}

/// Whether two edges whose boxes meet count: those of one rod must not be too near along it to touch.
fn may_meet([a, b]: [&Boxed; 2]) -> bool {
    if a.edge.0 != b.edge.0 {
        return true;
    }
    let window = OWN_WINDOW * (0.5 * (a.radius + b.radius));
    let between = (a.arc[0] - b.arc[1]).max(b.arc[0] - a.arc[1]);
    a.own && between >= window
}

/// The pair of two edges.
fn sorted([a, b]: [&Boxed; 2]) -> EdgePair {
    if a.edge < b.edge {
        [a.edge, b.edge]
    } else {
        [b.edge, a.edge]
    }
}

/// Whether two edges are on stretches that do not see each other.
fn is_apart(apart: &[Apart], pair: &EdgePair) -> bool {
    let (rods, edges) = (pair.map(|e| e.0), pair.map(|e| e.1));
    let first = apart.partition_point(|a| a.rods < rods);
    let mut of_both = apart[first..].iter().take_while(|a| a.rods == rods);
    of_both.any(|a| a.covers(rods, edges))
}

impl Scratch {
    /// Begins with the boxes of the rods that have left the list.
    fn push_left(&mut self, chains: &impl Chains, slack: f64) {
        self.boxes.clear();
        self.of_left.clear();
        for at in 0..self.left.len() {
            let first = self.boxes.len();
            let chain = chains.chain(self.left[at]);
            self.push_rod(
                &chain,
                self.left[at],
                (chain.points, chain.motion),
                slack,
                None,
            );
            let mut region = Aabb::empty();
            for boxed in &self.boxes[first..] {
                region.merge(&boxed.region);
            }
            self.of_left.push(region);
        }
    }

    /// Adds the boxes of the edges of a rod that are `within` a region, with its nodes there and their motion (none where it
    /// stands still).
    fn push_rod(
        &mut self,
        chain: &Chain,
        r: usize,
        (points, motion): (&[Vec3], &[Vec3]),
        slack: f64,
        within: Option<&Aabb>,
    ) {
        let mut arc = 0.0;
        for i in 0..chain.lengths.len() {
            let (a, b) = (&points[i], &points[i + 1]);
            let mut region = Aabb::of_points([a, b]);
            if !motion.is_empty() {
                region.grow(&(a + motion[i]));
                region.grow(&(b + motion[i + 1]));
            }
            let edge = (r as u32, i as u32);
            let radius = chain.radius(edge.1);
            let reach = radius + 0.5 * chain.settings.barrier_distance;
            let region = region.inflated(reach + slack);
            if within.is_none_or(|within| within.intersects(&region)) {
                self.boxes.push(Boxed {
                    region,
                    edge,
                    arc: [arc, arc + chain.lengths[i]],
                    radius,
                    own: chain.sees_itself,
                    left: self.is_left[r],
                });
            }
            arc += chain.lengths[i];
        }
    }
}

/// Whether the settings let two edges act on each other at that distance of their middles; `chains` are those of the pair.
pub fn may_touch(chains: &[Chain; 2], pair: &EdgePair, settings: &PairSettings) -> bool {
    let ([a, b], [i, j]) = (chains, pair.map(|(_, i)| i as usize));
    let middles = (a.points[i] + a.points[i + 1]) - (b.points[j] + b.points[j + 1]);
    let halves = (a.points[i + 1] - a.points[i]).norm() + (b.points[j + 1] - b.points[j]).norm();
    let within = radii_of(chains, pair) + settings.barrier_distance;
    middles.norm_squared() <= (2.0 * within + halves).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::distance::segment_segment;
    use crate::contact::{ContactSettings, Thickness};

    const RODS: usize = 8;
    const NODES: usize = 9;
    const EDGE: f64 = 10.0;

    /// Pairs of edges of different rods, one of them awake, that come within the barrier distance; their nodes may move.
    fn close(chains: &[Chain; RODS]) -> Vec<EdgePair> {
        let mut pairs = Vec::new();
        let at = |chain: &Chain, i: usize, part: f64| match chain.motion.get(i) {
            Some(motion) => chain.points[i] + motion * part,
            None => chain.points[i],
        };
        for (a, b) in (0..RODS).flat_map(|b| (0..b).map(move |a| (a, b))) {
            if !(chains[a].awake || chains[b].awake) {
                continue;
            }
            let reach = |c: &Chain| c.settings.radius + 0.5 * c.settings.barrier_distance;
            let within = reach(&chains[a]) + reach(&chains[b]);
            for (i, j) in (0..NODES - 1).flat_map(|i| (0..NODES - 1).map(move |j| (i, j))) {
                let near = (0..=4).any(|k| {
                    let part = f64::from(k) / 4.0;
                    let [p, q] = [0, 1].map(|n| at(&chains[a], i + n, part));
                    let [u, v] = [0, 1].map(|n| at(&chains[b], j + n, part));
                    let n = segment_segment(&p, &q, &u, &v);
                    (p.lerp(&q, n.s) - u.lerp(&v, n.t)).norm() < within
                });
                if near {
                    pairs.push([(a as u32, i as u32), (b as u32, j as u32)]);
                }
            }
        }
        pairs
    }

    /// All rods, with their motion if they have one.
    fn all<'a>(
        points: &'a [Vec<Vec3>],
        motions: Option<&'a [Vec<Vec3>]>,
        awake: &[bool],
        (held, lengths, settings): (&'a [bool], &'a [f64], &'a ContactSettings),
    ) -> [Chain<'a>; RODS] {
        std::array::from_fn(|r| Chain {
            points: &points[r],
            motion: motions.filter(|_| awake[r]).map_or(&[], |m| &m[r]),
            held,
            lengths,
            settings,
            thickness: Thickness::default(),
            sees_itself: false,
            awake: awake[r],
        })
    }

    #[test]
    fn a_list_that_is_gathered_in_parts_has_all_that_is_near() {
        let mut rng = fastrand::Rng::with_seed(5);
        let settings = ContactSettings::new(2.0, 0.01, 0.0);
        let lengths = [EDGE; NODES - 1];
        let held = [false; NODES];
        let random = |rng: &mut fastrand::Rng, size: f64| {
            Vec3::from_fn(|_, _| size * (2.0 * rng.f64() - 1.0))
        };
        let mut points: Vec<Vec<Vec3>> = (0..RODS)
            .map(|_| {
                let start = random(&mut rng, 25.0);
                (0..NODES)
                    .map(|i| start + Vec3::x() * (EDGE * i as f64))
                    .collect()
            })
            .collect();
        let mut near = NearPairs::default();
        near.reset(&[]);
        let (mut in_parts, mut found) = (0, 0);
        for _ in 0..400 {
            let awake: Vec<bool> = (0..RODS).map(|_| rng.f64() < 0.6).collect();
            let motions: Vec<Vec<Vec3>> = (0..RODS)
                .map(|r| {
                    let size = if rng.f64() < 0.2 { 8.0 } else { 0.3 };
                    let size = if awake[r] { size } else { 0.0 };
                    (0..NODES).map(|_| random(&mut rng, size)).collect()
                })
                .collect();
            let rest = (&held[..], &lengths[..], &settings);
            let moving = all(&points, Some(&motions), &awake, rest);
            let listed = near.swept(&moving).to_vec();
            let left = near.scratch.left.len();
            let sought = close(&moving);
            assert!(sought.iter().all(|pair| listed.binary_search(pair).is_ok()));
            in_parts += usize::from(left > 0 && left < awake.iter().filter(|a| **a).count());
            found += sought.len();
            // Part of the way, as a step that is cut.
            let part = rng.f64();
            for r in 0..RODS {
                for (point, way) in points[r].iter_mut().zip(&motions[r]) {
                    *point += way * part;
                }
            }
            let now = all(&points, None, &awake, rest);
            let listed = near.now(&now).to_vec();
            let sought = close(&now);
            assert!(sought.iter().all(|pair| listed.binary_search(pair).is_ok()));
        }
        assert!(
            in_parts > 50 && found > 1000,
            "{in_parts} {found} prove nothing"
        );
    }
}
