//! The pattern of the matrix: which blocks it has room for, and when its order of elimination is found anew.
//!
//! Contacts come and go with every iteration. An order with room for those that were there before serves as long as that
//! room costs little.

use super::{Coupling, blocks_at, blocks_of};
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

    /// Whether the matrix was made for rods and bodies with blocks at the same places: others as many have other bands.
    fn same_rods(&self) -> bool {
        let members = self.members.iter().map(|m| m.1);
        let firsts = members.chain(self.bodies.iter().map(|b| b.1));
        self.matrix.order() == self.n_blocks && firsts.eq(self.firsts_of_matrix.iter().copied())
    }

    /// Finds an order of elimination with room for what is coupled now, and for what was before while that is not too
    /// much: contacts come and go.
    pub(super) fn renew(&mut self, rods: &[Solver]) {
        if !self.has_same_members() {
            self.room.clear();
            self.least_work = 0.0;
        }
        self.firsts_of_matrix.clear();
        let members = self.members.iter().map(|m| m.1);
        let firsts = members.chain(self.bodies.iter().map(|b| b.1));
        self.firsts_of_matrix.extend(firsts);
        let slaves = self.slaves.iter();
        self.slaves_of_matrix = slaves
            .map(|s| (s.at, s.of.iter().map(|of| of.0).collect()))
            .collect();
        let known = self.room.len();
        for k in 0..self.columns.len() {
            let blocks = blocks_at(&self.members, &self.columns[k]);
            for pair in pairs_of(&blocks) {
                let pairs = self.pairs_for(pair);
                self.room.extend(pairs);
            }
        }
        self.matrix = self.with_room(rods);
        if self.matrix.work() > (MOST_ROOM * self.least_work).max(LITTLE_WORK) && known > 0 {
            self.room.drain(..known);
            self.matrix = self.with_room(rods);
            self.least_work = self.matrix.work();
        } else if known == 0 {
            self.least_work = self.matrix.work();
        }
        self.room.sort_unstable();
        self.room.dedup();
    }

    /// The zero matrix with room for the bands of the coupled rods and for all pairs in `room`.
    fn with_room(&self, rods: &[Solver]) -> Multifrontal {
        let mut pairs = self.room.clone();
        for &(r, first) in &self.members {
            for i in 1..blocks_of(&rods[r]) {
                pairs.extend(self.pairs_for((first + i, first + i - 1)));
                if i > 1 {
                    pairs.extend(self.pairs_for((first + i, first + i - 2)));
                }
            }
        }
        pairs.extend(self.bodies.iter().map(|&(_, first)| (first + 1, first)));
        Multifrontal::new(self.n_blocks, &pairs)
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

/// All pairs of different blocks among four.
fn pairs_of(blocks: &[usize; 4]) -> impl Iterator<Item = (usize, usize)> {
    let pairs = (0..4).flat_map(move |a| (0..a).map(move |b| (blocks[a], blocks[b])));
    pairs.filter(|(a, b)| a != b)
}
