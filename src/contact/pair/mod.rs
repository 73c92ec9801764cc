//! Contact of rods with each other, and of a rod with itself.
//!
//! The rods are chains of capsules. Each sample of one (nodes and middles of edges, as against meshes) sees every edge
//! of the other, and every edge sees every edge it crosses; nothing is dropped by rule, so that the energy is smooth
//! wherever one slides along the other. Near a node of the other rod two edges are seen, and the barrier is up to twice
//! as stiff there: the gap grows by a few hundredths of the barrier distance. See docs/theory/contact.md.

mod find;
mod friction;
mod near;
mod parallel;
mod sweep;
mod term;

use std::ops::Range;

use super::{ContactSettings, Thickness};
use crate::geom::Vec3;

pub use find::{PairContact, find_pair_contacts, overlaps_at_fixings};
pub use friction::{PairFriction, PairFrictionTerm, anchor_pairs};
pub use near::{EdgePair, NearPairs};
pub use sweep::{PairLimit, PairSweep};
pub use term::{Dyad, PairTerm, Vector12, pair_term};

/// Arc length, over radius, within which a rod does not touch itself: a bend of the rod's own radius turns round in
/// pi radii.
pub const OWN_WINDOW: f64 = 4.0;

/// Arc length from a junction, over the sum of the two radii, within which its branches do not see each other: two that
/// part at 20 degrees or more are clear of each other there.
pub const JUNCTION_WINDOW: f64 = 3.0;

/// One rod as its partners see it.
#[derive(Clone, Copy)]
pub struct Chain<'a> {
    /// Nodes, mm.
    pub points: &'a [Vec3],
    /// Motion of the nodes over a step; empty where it stays.
    pub motion: &'a [Vec3],
    /// Whether each node is held by a handle.
    pub held: &'a [bool],
    /// Rest lengths of the edges, mm.
    pub lengths: &'a [f64],
    /// Radius where it is thinnest, barrier distance, stiffness.
    pub settings: &'a ContactSettings,
    /// How much thicker its edges are.
    pub thickness: Thickness<'a>,
    /// Whether it may touch itself.
    pub sees_itself: bool,
    /// Whether it moves; contacts between two that do not are left as they are.
    pub awake: bool,
}

impl Chain<'_> {
    /// The radius of an edge, mm.
    pub fn radius(&self, edge: u32) -> f64 {
        self.settings.radius + self.thickness.of_edge(edge as usize)
    }
}

/// Sum of the radii of a pair of edges of those two, mm.
fn radii_of(chains: &[Chain; 2], pair: &near::EdgePair) -> f64 {
    chains[0].radius(pair[0].1) + chains[1].radius(pair[1].1)
}

/// The rods that may touch each other: each is asked for only when it matters, so that what sleeps costs nothing.
pub trait Chains {
    /// How many there are.
    fn n_chains(&self) -> usize;
    /// Numbers of those that are awake, ascending.
    fn awake(&self) -> impl Iterator<Item = usize>;
    /// One of them.
    fn chain(&self, r: usize) -> Chain<'_>;
}

/// The two rods of a pair of edges and what is between them, kept for the next pair: most are of the same two.
struct Partners<'a, C> {
    chains: &'a C,
    last: Option<([u32; 2], [Chain<'a>; 2], PairSettings)>,
}

impl<'a, C: Chains> Partners<'a, C> {
    fn new(chains: &'a C) -> Self {
        Self { chains, last: None }
    }

    fn of(&mut self, pair: &near::EdgePair) -> (&[Chain<'a>; 2], &PairSettings) {
        let rods = pair.map(|(r, _)| r);
        if self.last.as_ref().is_some_and(|last| last.0 != rods) {
            self.last = None;
        }
        let chains = self.chains;
        let last = self.last.get_or_insert_with(|| {
            let both = rods.map(|r| chains.chain(r as usize));
            (
                rods,
                both,
                PairSettings::new(both[0].settings, both[1].settings),
            )
        });
        (&last.1, &last.2)
    }
}

#[cfg(test)]
impl<const N: usize> Chains for [Chain<'_>; N] {
    fn n_chains(&self) -> usize {
        N
    }

    fn awake(&self) -> impl Iterator<Item = usize> {
        (0..N).filter(|&r| self[r].awake)
    }

    fn chain(&self, r: usize) -> Chain<'_> {
        self[r]
    }
}

/// Stretches of two rods that pass through each other as if the other were not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// The two rods.
    pub rods: [u32; 2],
    /// Edges of each.
    pub edges: [Range<u32>; 2],
}

impl Apart {
    /// Whether a pair of edges is within it, in either order.
    fn covers(&self, rods: [u32; 2], edges: [u32; 2]) -> bool {
        let covers = |i: usize, j: usize| {
            self.rods == [rods[i], rods[j]]
                && self.edges[0].contains(&edges[i])
                && self.edges[1].contains(&edges[j])
        };
        covers(0, 1) || covers(1, 0)
    }
}

/// The constants of contact between two rods, from those of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSettings {
    /// Surface distance below which the barrier acts, mm: that of the thinner one.
    pub barrier_distance: f64,
    /// Barrier stiffness per length, N/mm^2: that of the stiffer one.
    pub stiffness: f64,
    /// Length that a crossing stands for, mm.
    pub edge_weight: f64,
    /// Coulomb friction coefficient: the smaller one, so that what slides on everything slides on this too.
    pub friction: f64,
    /// Slip at which friction is fully developed, mm: that of the thinner one.
    pub slip: f64,
}

impl PairSettings {
    /// From the settings of both.
    pub fn new(a: &ContactSettings, b: &ContactSettings) -> Self {
        Self {
            barrier_distance: a.barrier_distance.min(b.barrier_distance),
            stiffness: a.barrier_stiffness.max(b.barrier_stiffness),
            edge_weight: a.edge_weight.min(b.edge_weight),
            friction: a.friction.min(b.friction),
            slip: a.slip.min(b.slip),
        }
    }
}
