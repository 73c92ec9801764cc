//! Ends of rods that go with a body: their blocks are linear maps of the body's two.

use smallvec::SmallVec;

use super::{Coupling, columns_of};
use crate::geom::Mat3;
use crate::solve::Solver;
use crate::solve::body::Bodies;
use crate::solve::multifrontal::Block;

/// A few blocks.
pub(super) type Blocks = SmallVec<[usize; 2]>;

/// A block of a rod that is a linear map of blocks of a body.
#[derive(Clone, Debug)]
pub(super) struct Slave {
    pub at: usize,
    pub of: SmallVec<[(usize, Mat3); 2]>,
}

impl Coupling {
    /// Notes which blocks of rods are those of bodies.
    pub(super) fn find_slaves(&mut self, rods: &[Solver], bodies: &Bodies) {
        self.slaves.clear();
        for &(b, first) in &self.bodies {
            for link in bodies.links_of(b) {
                let Some(member) = self.member(link.rod).copied() else {
                    continue;
                };
                let rotation = &bodies.all[b].pose.rotation;
                for slaved in link.slaved(&rods[link.rod], rotation) {
                    let way = slaved.of_way.map(|map| (first, map));
                    let turn = slaved.of_turn.map(|map| (first + 1, map));
                    self.slaves.push(Slave {
                        at: member.place(&rods[link.rod], slaved.at / 3),
                        of: way.into_iter().chain(turn).collect(),
                    });
                }
            }
        }
        self.slaves.sort_unstable_by_key(|slave| slave.at);
        self.slave_at.clear();
        if !self.slaves.is_empty() {
            self.slave_at.resize(self.n_blocks, 0);
        }
        for (number, slave) in (1..).zip(&self.slaves) {
            self.slave_at[slave.at] = number;
        }
    }

    pub(super) fn slave(&self, block: usize) -> Option<&Slave> {
        let number = *self.slave_at.get(block)? as usize;
        Some(&self.slaves[number.checked_sub(1)?])
    }

    /// The blocks that a block of a rod is a map of: itself, unless a body has it.
    pub(super) fn places(&self, block: usize) -> Blocks {
        match self.slave(block) {
            Some(slave) => slave.of.iter().map(|of| of.0).collect(),
            None => Blocks::from_slice(&[block]),
        }
    }

    /// Pairs of different blocks of the matrix that a block for a pair of blocks of rods goes to.
    pub(super) fn pairs_for(&self, pair: (usize, usize)) -> SmallVec<[(usize, usize); 4]> {
        let (a, b) = (self.places(pair.0), self.places(pair.1));
        let all = a
            .iter()
            .flat_map(|&a| b.iter().map(move |&b| (a.max(b), a.min(b))));
        all.filter(|(a, b)| a != b).collect()
    }

    /// Adds a block for a pair of blocks of rods where it belongs; `false` when there is no room for it.
    pub(super) fn scatter(&mut self, a: usize, b: usize, block: &Block) -> bool {
        let (slave_a, slave_b) = (self.slave(a), self.slave(b));
        if slave_a.is_none() && slave_b.is_none() {
            return self.matrix.add(a, b, block);
        }
        let of = |slave: Option<&Slave>, own: usize| match slave {
            Some(slave) => slave.of.clone(),
            None => SmallVec::from_slice(&[(own, Mat3::identity())]),
        };
        let (to_a, to_b) = (of(slave_a, a), of(slave_b, b));
        let mut m = Mat3::from_fn(|r, c| block[c][r]);
        if a == b {
            m.fill_upper_triangle_with_lower_triangle();
        }
        let mut roomy = true;
        for (i, (row, map_row)) in to_a.iter().enumerate() {
            for (j, (column, map_column)) in to_b.iter().enumerate() {
                if a == b && i < j {
                    // Its transpose is there.
                    continue;
                }
                let mut product = map_row.transpose() * m * map_column;
                if a != b && row == column {
                    product += product.transpose();
                }
                roomy &= self.matrix.add(*row, *column, &columns_of(&product));
            }
        }
        roomy
    }
}
