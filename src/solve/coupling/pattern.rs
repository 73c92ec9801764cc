//! The pattern of the matrix: which blocks it has room for, and when its order of elimination is found anew.
//!
//! Contacts come and go with every iteration. An order with room for those that were there before serves as long as that
//! room costs little.

use super::{Column, Coupling};
use crate::solve::Solver;
use crate::solve::multifrontal::Multifrontal;

/// Work of a factorisation, in multiplications of blocks, up to which room for contacts that have gone costs less than a
/// new order of elimination: some hundredths of a millisecond.
const LITTLE_WORK: f64 = 1.2e4;
/// Above it, the work that such room may take over that without.
const MOST_ROOM: f64 = 2.0;

impl Coupling {
    /// Whether the matrix was made for the rods and bodies that are coupled. Contacts may still lack room in it.
    pub(super) fn has_same_members(&self) -> bool {
        self.same_rods() && self.same_slaves()
    }

    /// The first block of each rod and body.
    fn firsts(&self) -> impl Iterator<Item = usize> {
        let members = self.members.iter().map(|m| m.first);
        members.chain(self.bodies.iter().map(|b| b.1))
    }

    /// Whether the matrix was made for rods and bodies with blocks at the same places: others as many have other bands.
    fn same_rods(&self) -> bool {
        let firsts = self.firsts();
        self.matrix.order() == self.n_blocks && firsts.eq(self.firsts_of_matrix.iter().copied())
    }

    /// Finds an order of elimination with room for what is coupled now, and for what was before while that is not too
    /// much: contacts come and go.
    pub(super) fn renew(&mut self, rods: &[Solver]) {
        if !self.has_same_members() {
            self.room.clear();
            self.least_work = 0.0;
        }
        self.firsts_of_matrix = self.firsts().collect();
        let slaves = self.slaves.iter();
        self.slaves_of_matrix = slaves
            .map(|s| (s.at, s.of.iter().map(|of| of.0).collect()))
            .collect();
        let now = self.pairs_now();
        let known = !self.room.is_empty();
        self.room.extend_from_slice(&now);
        self.room.sort_unstable();
        self.room.dedup();
        let pairs = self.all_pairs(rods);
        self.matrix = if known {
            self.matrix.recoupled(&pairs)
        } else {
            Multifrontal::new(self.n_blocks, &pairs)
        };
        if known && self.matrix.work() > (MOST_ROOM * self.least_work).max(LITTLE_WORK) {
            self.room = now;
            self.matrix = Multifrontal::new(self.n_blocks, &self.all_pairs(rods));
            self.least_work = self.matrix.work();
        } else if !known {
            self.least_work = self.matrix.work();
        }
        let own = |block: usize| self.slave(block).is_none();
        let blocks = (self.members.iter())
            .flat_map(|m| (m.pairs(&rods[m.rod])).map(move |(i, j)| (m.first + i, m.first + j)));
        let slot = |(a, b)| (own(a) && own(b)).then(|| self.matrix.slot(a, b)).flatten();
        self.band_slots = blocks.map(slot).collect();
    }

    /// Pairs of blocks that contacts couple beside the bands. Room for those one edge on, where contacts slide to, would
    /// double the work of eight rods side by side.
    fn pairs_now(&self) -> Vec<(usize, usize)> {
        let same = |a: &Column, b: &Column| a.rods == b.rods && a.edges == b.edges;
        let mut pairs = Vec::new();
        for contact in self.columns.chunk_by(same) {
            let [a, b, c, d] = self.blocks_at(&contact[0]);
            for pair in [(a, c), (a, d), (b, c), (b, d)] {
                pairs.extend(self.pairs_for(pair));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// The pairs of blocks of the bands of the coupled rods, and all those in `room`.
    fn all_pairs(&self, rods: &[Solver]) -> Vec<(usize, usize)> {
        let mut pairs = self.room.clone();
        for member in &self.members {
            for (i, j) in member.pairs(&rods[member.rod]) {
                pairs.extend(self.pairs_for((member.first + i, member.first + j)));
            }
        }
        pairs.extend(self.bodies.iter().map(|&(_, first)| (first + 1, first)));
        pairs
    }

    /// Whether the matrix was made for the same ends on the same bodies.
    fn same_slaves(&self) -> bool {
        let now = self
            .slaves
            .iter()
            .map(|s| (s.at, s.of.iter().map(|of| of.0)));
        self.slaves.len() == self.slaves_of_matrix.len()
            && now
                .zip(&self.slaves_of_matrix)
                .all(|((at, of), known)| at == known.0 && of.eq(known.1.iter().copied()))
    }
}
