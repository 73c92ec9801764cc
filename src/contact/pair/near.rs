//! Which edges of the rods are near each other, kept while the rods move little.

use super::{Apart, Chain, Chains, OWN_WINDOW, PairSettings, radii_of};
use crate::geom::{Aabb, Vec3};
use std::ops::Range;

/// Extra distance that the list covers, over the largest radius: larger lists, fewer refreshes. Small enough that a
/// straight rod has no pair of its own edges in the list: those farther apart along it than the window are farther apart.
const SLACK: f64 = 1.5;

/// A pair of edges: (rod, edge) of each, the smaller one first.
pub type EdgePair = [(u32, u32); 2];

/// Pairs of edges that are near each other. Refreshed only when a node has moved out of what the list covers.
#[derive(Clone, Debug, Default)]
pub struct NearPairs {
    pairs: Vec<EdgePair>,
    /// All nodes when the list was gathered, rod after rod; of one that sleeps, when it last was awake.
    at: Vec<Vec3>,
    /// What was then of each rod.
    rods: Vec<Remembered>,
    /// Numbers of those that were awake: pairs of two that slept are not in the list.
    awake: Vec<usize>,
    /// Pairs nearer than the sum of their reaches plus this are listed, mm.
    slack: f64,
    /// Stretches that do not see each other, sorted by their rods, of which the smaller one comes first.
    apart: Vec<Apart>,
    scratch: Scratch,
}

/// A rod when the list was gathered.
#[derive(Clone, Debug)]
struct Remembered {
    /// A box around its nodes.
    region: Aabb,
    /// Largest radius and barrier distance, mm.
    reach: f64,
    /// Its nodes among all.
    nodes: Range<usize>,
}

impl Remembered {
    fn new(chain: &Chain, first: usize) -> Self {
        Self {
            region: Aabb::of_points(chain.points),
            reach: chain.settings.radius + chain.thickness.most() + chain.settings.barrier_distance,
            nodes: first..first + chain.points.len(),
        }
    }
}

/// Memory that is reused.
#[derive(Clone, Debug, Default)]
struct Scratch {
    boxes: Vec<Boxed>,
    open: Vec<u32>,
    swept: Vec<EdgePair>,
}

#[derive(Clone, Debug)]
struct Boxed {
    region: Aabb,
    edge: (u32, u32),
    /// Arc length where the edge begins and ends, mm.
    arc: [f64; 2],
    radius: f64,
    own: bool,
    awake: bool,
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
        self.forget();
    }

    /// Forgets the list: rods have come, gone or changed.
    pub fn forget(&mut self) {
        self.at.clear();
        self.rods.clear();
        self.awake.clear();
    }

    /// Pairs of edges that are within the barrier distance of each other now (and more).
    pub fn now(&mut self, chains: &impl Chains) -> &[EdgePair] {
        if !self.covers(chains, 0.0) {
            self.gather(chains);
        }
        &self.pairs
    }

    /// Pairs of edges that come within the barrier distance of each other while the chains make their motion, and more.
    pub fn swept(&mut self, chains: &impl Chains) -> &[EdgePair] {
        let ways = chains.awake().flat_map(|r| chains.chain(r).motion);
        let farthest = ways.map(Vec3::norm_squared).fold(0.0, f64::max).sqrt();
        if self.covers(chains, farthest) {
            return &self.pairs;
        }
        self.scratch.boxes.clear();
        for r in chains.awake() {
            let chain = chains.chain(r);
            let mut arc = 0.0;
            for i in 0..chain.lengths.len() {
                let (a, b) = (&chain.points[i], &chain.points[i + 1]);
                let mut region = Aabb::of_points([a, b]);
                if !chain.motion.is_empty() {
                    region.grow(&(a + chain.motion[i]));
                    region.grow(&(b + chain.motion[i + 1]));
                }
                (self.scratch).push(&chain, (r as u32, i as u32), arc, region, 0.0);
                arc += chain.lengths[i];
            }
        }
        self.push_sleepers(chains, 0.0);
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
        self.scratch.boxes.clear();
        for r in 0..chains.n_chains() {
            let (chain, swept) = (chains.chain(r), swept(r));
            for i in 0..chain.lengths.len() {
                let mut region = Aabb::of_points([&chain.points[i], &chain.points[i + 1]]);
                for way in swept.iter().skip(i).take(2) {
                    region.merge(way);
                }
                (self.scratch).push(&chain, (r as u32, i as u32), 0.0, region, 0.0);
                if let Some(boxed) = self.scratch.boxes.last_mut() {
                    boxed.own = false;
                    boxed.awake = !swept.is_empty();
                }
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

    /// Whether the list still holds after every node has moved by up to `more` beyond where it is.
    fn covers(&self, chains: &impl Chains, more: f64) -> bool {
        // Two nodes may have moved towards each other.
        let most = 0.5 * self.slack - more;
        if !self.fits(chains) || most < 0.0 {
            return false;
        }
        chains.awake().all(|r| {
            let then = &self.at[self.rods[r].nodes.clone()];
            let near = |(now, then): (&Vec3, &Vec3)| (now - then).norm_squared() <= most * most;
            let now = chains.chain(r).points.iter();
            self.awake.binary_search(&r).is_ok() && now.zip(then).all(near)
        })
    }

    /// Whether what is remembered is of as many rods, and those that are awake have as many nodes: what changes wakes.
    fn fits(&self, chains: &impl Chains) -> bool {
        let same = |r: usize| chains.chain(r).points.len() == self.rods[r].nodes.len();
        chains.n_chains() == self.rods.len() && chains.awake().all(same)
    }

    /// Adds the boxes of edges that sleep, of rods that are near one that is awake.
    fn push_sleepers(&mut self, chains: &impl Chains, slack: f64) {
        let mut region = Aabb::empty();
        for boxed in &self.scratch.boxes {
            region.merge(&boxed.region);
        }
        // A rod that has come to rest since is that far from its box at most.
        let fits = self.fits(chains);
        let is_far = |rod: &Remembered| {
            let room = rod.reach + self.slack + slack;
            !rod.region.inflated(room).intersects(&region)
        };
        for r in 0..chains.n_chains() {
            if fits && is_far(&self.rods[r]) {
                continue;
            }
            let chain = chains.chain(r);
            if chain.awake {
                continue;
            }
            let mut arc = 0.0;
            for i in 0..chain.lengths.len() {
                let own = Aabb::of_points([&chain.points[i], &chain.points[i + 1]]);
                (self.scratch).push(&chain, (r as u32, i as u32), arc, own, slack);
                arc += chain.lengths[i];
            }
        }
    }

    fn gather(&mut self, chains: &impl Chains) {
        let radii = chains.awake().map(|r| chains.chain(r).settings.radius);
        let thickest = radii.fold(0.0, f64::max);
        self.slack = SLACK * thickest;
        self.remember(chains);
        self.scratch.boxes.clear();
        for r in chains.awake() {
            let chain = chains.chain(r);
            let mut arc = 0.0;
            for i in 0..chain.lengths.len() {
                let region = Aabb::of_points([&chain.points[i], &chain.points[i + 1]]);
                let edge = (r as u32, i as u32);
                (self.scratch).push(&chain, edge, arc, region, 0.5 * self.slack);
                arc += chain.lengths[i];
            }
        }
        self.push_sleepers(chains, 0.5 * self.slack);
        let mut pairs = std::mem::take(&mut self.pairs);
        self.collect(&mut pairs);
        self.pairs = pairs;
    }

    /// Notes where the rods are; of those that slept then and now it is known.
    fn remember(&mut self, chains: &impl Chains) {
        if self.fits(chains) {
            let Self {
                awake, rods, at, ..
            } = self;
            for r in chains.awake().chain(awake.iter().copied()) {
                let chain = chains.chain(r);
                let rod = &mut rods[r];
                *rod = Remembered::new(&chain, rod.nodes.start);
                at[rod.nodes.clone()].copy_from_slice(chain.points);
            }
        } else {
            self.forget();
            for r in 0..chains.n_chains() {
                let chain = chains.chain(r);
                self.rods.push(Remembered::new(&chain, self.at.len()));
                self.at.extend(chain.points);
            }
        }
        self.awake.clear();
        self.awake.extend(chains.awake());
    }

    /// Sorts the boxes along the axis of their largest extent and sweeps over them.
    fn collect(&mut self, out: &mut Vec<EdgePair>) {
        out.clear();
        let Scratch { boxes, open, .. } = &mut self.scratch;
        let mut whole = Aabb::empty();
        for boxed in boxes.iter() {
            whole.merge(&boxed.region);
        }
        if whole.is_empty() {
            return;
        }
        let axis = (whole.max - whole.min).imax();
        boxes.sort_unstable_by(|a, b| {
            (a.region.min[axis].total_cmp(&b.region.min[axis])).then(a.edge.cmp(&b.edge))
        });
        open.clear();
        for k in 0..boxes.len() {
            let new = &boxes[k];
            open.retain(|&o| boxes[o as usize].region.max[axis] >= new.region.min[axis]);
            for &o in open.iter() {
                let other = &boxes[o as usize];
                let own = new.edge.0 == other.edge.0;
                if !(new.awake || other.awake) {
                    continue;
                }
                if own {
                    // Too near along the rod to count as touching.
                    let window = OWN_WINDOW * (0.5 * (new.radius + other.radius));
                    let between = (new.arc[0] - other.arc[1]).max(other.arc[0] - new.arc[1]);
                    if !new.own || between < window {
                        continue;
                    }
                }
                if !new.region.intersects(&other.region) {
                    continue;
                }
                let mut pair = [new.edge, other.edge];
                pair.sort_unstable();
                let (rods, edges) = (pair.map(|e| e.0), pair.map(|e| e.1));
                let first = self.apart.partition_point(|a| a.rods < rods);
                let mut of_both = self.apart[first..].iter().take_while(|a| a.rods == rods);
                if !of_both.any(|a| a.covers(rods, edges)) {
                    out.push(pair);
                }
            }
            open.push(k as u32);
        }
        // An order that does not depend on where the scene lies.
        out.sort_unstable();
    }
}

impl Scratch {
    fn push(&mut self, chain: &Chain, edge: (u32, u32), arc: f64, region: Aabb, slack: f64) {
        let radius = chain.radius(edge.1);
        let reach = radius + 0.5 * chain.settings.barrier_distance;
        self.boxes.push(Boxed {
            region: region.inflated(reach + slack),
            edge,
            arc: [arc, arc + chain.lengths[edge.1 as usize]],
            radius,
            own: chain.sees_itself,
            awake: chain.awake,
        });
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
