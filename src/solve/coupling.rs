//! What couples rods that touch: a few dyads beside their banded matrices.
//!
//! H = B + G D G^T, where B has the band of each rod and each contact adds columns of G with twelve entries and their
//! stiffness in D. The rods that touch make one sparse matrix of 3 x 3 blocks, factored as a whole; its order of
//! elimination is kept as long as the factors have room for every contact.

use super::banded::Banded;
use super::multifrontal::{Block, Multifrontal};
use super::{Solver, layout};
use crate::contact::pair::Vector12;

/// A dyad: stiffness times `value` `value`^T, where the value's first six entries stand at an edge of one rod and the
/// others at an edge of another (or of the same).
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub rods: [usize; 2],
    pub edges: [usize; 2],
    pub value: Vector12,
    /// The value without the entries of handles.
    pub free: Vector12,
    pub stiffness: f64,
    /// Force along the value beside those that are in the systems: of a contact ahead, N.
    pub slope: f64,
}

/// Work of a factorisation, in multiplications of blocks, up to which room for contacts that have gone costs less than a
/// new order of elimination: some hundredths of a millisecond.
const LITTLE_WORK: f64 = 1.2e4;
/// Above it, the work that such room may take over that without.
const MOST_ROOM: f64 = 2.0;

/// Stiffness below which a dyad does not count, over the largest.
const NO_STIFFNESS: f64 = 1e-12;

impl Column {
    /// Its free entries in one rod: (unknown, value).
    fn entries(&self, rod: usize) -> impl Iterator<Item = (usize, f64)> {
        (0..2)
            .filter(move |&side| self.rods[side] == rod)
            .flat_map(move |side| {
                (0..6).map(move |k| {
                    let node = self.edges[side] + k / 3;
                    (layout::node(node) + k % 3, self.free[6 * side + k])
                })
            })
    }

    /// The rods in it, each once.
    fn sides(&self) -> &[usize] {
        if self.rods[0] == self.rods[1] {
            &self.rods[..1]
        } else {
            &self.rods
        }
    }

    /// Its product with a vector over the unknowns of each rod.
    pub fn dot<'v>(&self, vector: impl Fn(usize) -> &'v [f64]) -> f64 {
        let sides = self.sides().iter();
        sides
            .flat_map(|&r| {
                let v = vector(r);
                self.entries(r).map(move |(at, g)| g * v[at])
            })
            .sum()
    }

    /// Its stiffness on one rod alone, as if the other stood still: for the check of stability.
    pub fn support(&self, rod: usize, matrix: &mut Banded) {
        if self.stiffness <= 0.0 {
            return;
        }
        for side in (0..2).filter(|&side| self.rods[side] == rod) {
            let at = |k: usize| layout::node(self.edges[side] + k / 3) + k % 3;
            for i in 0..6 {
                for j in 0..=i {
                    let value = self.value[6 * side + i] * self.value[6 * side + j];
                    matrix.add(at(i), at(j), self.stiffness * value);
                }
            }
        }
    }
}

/// The dyads of all contacts between rods, and the matrix of the rods that they couple.
#[derive(Clone, Debug, Default)]
pub(super) struct Coupling {
    pub columns: Vec<Column>,
    /// Whether these and the systems of the rods have the curvature of contacts.
    pub curved: bool,
    /// Rods that are coupled, with the first of their blocks, and the end of all.
    members: Vec<(usize, usize)>,
    n_blocks: usize,
    coupled: Vec<bool>,
    matrix: Multifrontal,
    /// Pairs of blocks that the matrix has room for beside the bands, and its work when it had room for no others.
    room: Vec<(usize, usize)>,
    least_work: f64,
    vector: Vec<f64>,
}

/// Blocks of a rod: its unknowns are positions and frames in turn, three of each.
fn blocks_of(rod: &Solver) -> usize {
    rod.work.delta.len() / 3
}

impl Coupling {
    /// Takes out what moves with the handles: their entries leave the dyads, and what their prescribed motion (in
    /// `work.delta` already) does to the others goes to the right-hand side, and so does the force of contacts ahead. Before
    /// the matrices are factored.
    pub fn prescribe(&mut self, rods: &mut [Solver]) {
        let largest = self
            .columns
            .iter()
            .map(|c| c.stiffness.abs())
            .fold(0.0, f64::max);
        self.columns
            .retain(|c| c.stiffness.abs() > NO_STIFFNESS * largest);
        self.gather(rods);
        for column in &mut self.columns {
            let mut moved = 0.0;
            column.free = column.value;
            for side in 0..2 {
                let rod = &rods[column.rods[side]];
                for k in 0..6 {
                    let at = layout::node(column.edges[side] + k / 3) + k % 3;
                    if rod.fixed[at] {
                        moved += column.value[6 * side + k] * rod.work.delta[at];
                        column.free[6 * side + k] = 0.0;
                    }
                }
            }
            let force = column.slope + column.stiffness * moved;
            if force != 0.0 {
                for side in 0..2 {
                    let delta = &mut rods[column.rods[side]].work.delta;
                    for k in 0..6 {
                        let at = layout::node(column.edges[side] + k / 3) + k % 3;
                        delta[at] -= force * column.free[6 * side + k];
                    }
                }
            }
        }
    }

    /// Whether any rods are coupled, since the last [`Self::prescribe`].
    pub fn is_coupled(&self) -> bool {
        !self.members.is_empty()
    }

    /// Whether a rod is among those that are coupled, since the last [`Self::prescribe`].
    pub fn has(&self, rod: usize) -> bool {
        self.members.binary_search_by_key(&rod, |m| m.0).is_ok()
    }

    /// Notes the rods that the dyads couple; forgets the matrix when they are others than before.
    fn gather(&mut self, rods: &[Solver]) {
        self.coupled.clear();
        if !self.columns.is_empty() {
            self.coupled.resize(rods.len(), false);
        }
        for column in &self.columns {
            column.rods.iter().for_each(|&r| self.coupled[r] = true);
        }
        let mut first = 0;
        let mut same = true;
        let mut number = 0;
        for r in (0..self.coupled.len()).filter(|&r| self.coupled[r]) {
            same &= self.members.get(number) == Some(&(r, first));
            if !same {
                self.members.truncate(number);
                self.members.push((r, first));
            }
            number += 1;
            first += blocks_of(&rods[r]);
        }
        self.members.truncate(number);
        self.n_blocks = first;
    }

    /// Whether the matrix has room for all that is coupled.
    fn fits(&self) -> bool {
        self.matrix.order() == self.n_blocks
            && self.columns.iter().all(|column| {
                let blocks = blocks_at(&self.members, column);
                pairs_of(&blocks).all(|(a, b)| self.matrix.has(a, b))
            })
    }

    /// Finds an order of elimination with room for what is coupled now, and for what was before while that is not too
    /// much: contacts come and go.
    fn renew(&mut self, rods: &[Solver]) {
        if self.matrix.order() != self.n_blocks {
            self.room.clear();
            self.least_work = 0.0;
        }
        let known = self.room.len();
        for column in &self.columns {
            self.room
                .extend(pairs_of(&blocks_at(&self.members, column)));
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
                pairs.push((first + i, first + i - 1));
                if i > 1 {
                    pairs.push((first + i, first + i - 2));
                }
            }
        }
        Multifrontal::new(self.n_blocks, &pairs)
    }

    /// Puts the bands in `work.factors` of the coupled rods and the dyads together, and factors the whole; whether it is
    /// positive. After [`Self::prescribe`], in place of factoring the bands.
    pub fn factor(&mut self, rods: &[Solver]) -> bool {
        if !self.fits() {
            self.renew(rods);
        }
        self.assemble(rods);
        self.matrix.factor_until(1) == 0
    }

    fn assemble(&mut self, rods: &[Solver]) {
        self.matrix.clear();
        let mut roomy = true;
        for &(r, first) in &self.members {
            let band = &rods[r].work.factors;
            for i in 0..blocks_of(&rods[r]) {
                for j in i.saturating_sub(2)..=i {
                    roomy &= self.matrix.add(first + i, first + j, &band.block(i, j));
                }
            }
        }
        let same = |a: &Column, b: &Column| a.rods == b.rods && a.edges == b.edges;
        for contact in self.columns.chunk_by(same) {
            let blocks = blocks_at(&self.members, &contact[0]);
            for a in 0..4 {
                for b in 0..=a {
                    let mut sum: Block = [[0.0; 3]; 3];
                    for column in contact {
                        let g = &column.free;
                        for c in 0..3 {
                            for r in 0..3 {
                                sum[c][r] += column.stiffness * g[3 * a + r] * g[3 * b + c];
                            }
                        }
                    }
                    if a != b && blocks[a] == blocks[b] {
                        // Two edges that share a node: both triangles fall on one block.
                        sum =
                            std::array::from_fn(|c| std::array::from_fn(|r| sum[c][r] + sum[r][c]));
                    }
                    roomy &= self.matrix.add(blocks[a], blocks[b], &sum);
                }
            }
        }
        debug_assert!(roomy, "the matrix was made for what is coupled");
    }

    /// Solves for `work.delta` of the coupled rods, which holds the right-hand side.
    pub fn solve(&mut self, rods: &mut [Solver]) {
        self.vector.clear();
        for &(r, _) in &self.members {
            self.vector.extend_from_slice(&rods[r].work.delta);
        }
        self.matrix.solve(&mut self.vector);
        for &(r, first) in &self.members {
            let delta = &mut rods[r].work.delta;
            let n = delta.len();
            delta.copy_from_slice(&self.vector[3 * first..][..n]);
        }
    }
}

/// The blocks of the four nodes of a dyad, with the first block of each rod.
fn blocks_at(members: &[(usize, usize)], column: &Column) -> [usize; 4] {
    std::array::from_fn(|k| {
        let at = members.binary_search_by_key(&column.rods[k / 2], |m| m.0);
        let first = at.map_or(0, |at| members[at].1);
        first + layout::node(column.edges[k / 2] + k % 2) / 3
    })
}

/// All pairs of different blocks among four.
fn pairs_of(blocks: &[usize; 4]) -> impl Iterator<Item = (usize, usize)> {
    let pairs = (0..4).flat_map(move |a| (0..a).map(move |b| (blocks[a], blocks[b])));
    pairs.filter(|(a, b)| a != b)
}
