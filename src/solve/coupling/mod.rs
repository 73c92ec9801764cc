//! What couples rods that touch: a few dyads beside their banded matrices.
//!
//! H = B + G D G^T, where B has the band of each rod and each contact adds columns of G with twelve entries and their
//! stiffness in D. The rods that touch make one sparse matrix of 3 x 3 blocks, factored as a whole; its order of
//! elimination is kept as long as the factors have room for every contact. Rods that a body joins are coupled alike: the
//! body has two blocks, and what the bands have for the ends that go with it is added there ([`super::body`]).

mod column;
mod pattern;
mod slaves;

use super::body::Bodies;
use super::multifrontal::{Block, Multifrontal, Slot};
use super::newton::entry;
use super::{Solver, layout};
use crate::geom::{Mat3, Vec3};
use slaves::{Blocks, Slave};

pub(super) use column::Column;

/// Stiffness below which a dyad does not count, over the largest.
const NO_STIFFNESS: f64 = 1e-12;

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
    /// Bodies, with the first of their two blocks.
    bodies: Vec<(usize, usize)>,
    /// Blocks of rods that are those of a body, in their order, and as they were when the matrix was made.
    slaves: Vec<Slave>,
    /// For each block one more than its number among them, 0 for a block that is its own.
    slave_at: Vec<u32>,
    slaves_of_matrix: Vec<(usize, Blocks)>,
    /// The first block of each rod and body when the matrix was made.
    firsts_of_matrix: Vec<usize>,
    matrix: Multifrontal,
    /// Where the blocks of the bands stand in it, in their order; `None` for those that a body has.
    band_slots: Vec<Option<Slot>>,
    /// Pairs of blocks that the matrix has room for beside the bands, and its work when it had room for no others.
    room: Vec<(usize, usize)>,
    least_work: f64,
    vector: Vec<f64>,
}

/// Blocks of a rod: its unknowns are positions and frames in turn, three of each.
fn blocks_of(rod: &Solver) -> usize {
    rod.work.delta.len() / 3
}

/// The blocks of a band of so many, row by row.
fn blocks_of_band(n_blocks: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n_blocks).flat_map(|i| (i.saturating_sub(2)..=i).map(move |j| (i, j)))
}

impl Coupling {
    /// Takes out what moves with the handles: their entries leave the dyads, and what their prescribed motion (in
    /// `work.delta` already) does to the others goes to the right-hand side, and so does the force of contacts ahead. Before
    /// the matrices are factored.
    pub fn prescribe(&mut self, rods: &mut [Solver], bodies: &Bodies) {
        let largest = self
            .columns
            .iter()
            .map(|c| c.stiffness.abs())
            .fold(0.0, f64::max);
        self.columns
            .retain(|c| c.stiffness.abs() > NO_STIFFNESS * largest);
        self.gather(rods, bodies);
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

    /// Notes the rods that the dyads and the bodies couple; forgets the matrix when they are others than before.
    fn gather(&mut self, rods: &[Solver], bodies: &Bodies) {
        self.coupled.clear();
        self.bodies.clear();
        self.bodies.extend(bodies.awake(rods).map(|b| (b, 0)));
        if !self.columns.is_empty() || !self.bodies.is_empty() {
            self.coupled.resize(rods.len(), false);
        }
        for &(b, _) in &self.bodies {
            let links = bodies.links_of(b).iter();
            links.for_each(|link| self.coupled[link.rod] = true);
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
        for body in &mut self.bodies {
            body.1 = first;
            first += 2;
        }
        self.n_blocks = first;
        self.find_slaves(rods, bodies);
    }

    /// Puts the bands in `work.factors` of the coupled rods and the dyads together, and factors the whole; whether it is
    /// positive. After [`Self::prescribe`], in place of factoring the bands.
    pub fn factor(&mut self, rods: &[Solver], bodies: &Bodies) -> bool {
        self.assemble(rods, bodies);
        self.matrix.factor_until(1) == 0
    }

    /// As [`Self::factor`] to the end, whatever the signs of the pivots: how many are not positive.
    pub fn factor_fully(&mut self, rods: &[Solver], bodies: &Bodies) -> usize {
        self.assemble(rods, bodies);
        self.matrix.factor()
    }

    /// The pivots of what was factored.
    pub fn pivots(&self) -> impl Iterator<Item = f64> {
        self.matrix.pivots()
    }

    fn assemble(&mut self, rods: &[Solver], bodies: &Bodies) {
        if !self.has_same_members() {
            self.renew(rods);
        }
        if !self.fill(rods, bodies) {
            self.renew(rods);
            let roomy = self.fill(rods, bodies);
            debug_assert!(roomy, "the matrix was made for what is coupled");
        }
    }

    /// Fills the matrix; whether it has room for all that is coupled.
    fn fill(&mut self, rods: &[Solver], bodies: &Bodies) -> bool {
        self.matrix.clear();
        let mut roomy = true;
        let band_slots = std::mem::take(&mut self.band_slots);
        let mut slots = band_slots.iter().map(Option::as_ref);
        for k in 0..self.members.len() {
            let (r, first) = self.members[k];
            let band = &rods[r].work.factors;
            for (i, j) in blocks_of_band(blocks_of(&rods[r])) {
                match slots.next().flatten() {
                    Some(slot) => self.matrix.add_at(*slot, &band.block(i, j)),
                    None => roomy &= self.scatter(first + i, first + j, &band.block(i, j)),
                }
            }
        }
        self.band_slots = band_slots;
        roomy &= self.add_bodies(rods, bodies);
        let same = |a: &Column, b: &Column| a.rods == b.rods && a.edges == b.edges;
        let columns = std::mem::take(&mut self.columns);
        for contact in columns.chunk_by(same) {
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
                    roomy &= self.scatter(blocks[a], blocks[b], &sum);
                }
            }
        }
        self.columns = columns;
        roomy
    }

    /// Adds what bodies have of their own, and takes the blocks out that are theirs.
    fn add_bodies(&mut self, rods: &[Solver], bodies: &Bodies) -> bool {
        let unit = columns_of(&Mat3::identity());
        let mut roomy = true;
        for slave in &self.slaves {
            roomy &= self.matrix.add(slave.at, slave.at, &unit);
        }
        for &(b, first) in &self.bodies {
            let body = &bodies.all[b];
            let mut own = if body.turns {
                bodies.geometric_stiffness(b, rods) + Mat3::identity() * body.inertia
            } else {
                Mat3::identity()
            };
            if let Some([way, between, turn]) = body.inertia_blocks() {
                roomy &= self.matrix.add(first, first, &columns_of(&way));
                if body.turns {
                    roomy &= (self.matrix).add(first + 1, first, &columns_of(&between));
                    own += turn;
                }
            }
            roomy &= self.matrix.add(first + 1, first + 1, &columns_of(&own));
        }
        roomy
    }

    /// Solves for `work.delta` of the coupled rods and the step of their bodies, which hold the right-hand side.
    pub fn solve(&mut self, rods: &mut [Solver], bodies: &mut Bodies) {
        self.vector.clear();
        for &(r, _) in &self.members {
            self.vector.extend_from_slice(&rods[r].work.delta);
        }
        for &(b, _) in &self.bodies {
            let [way, turn] = &bodies.all[b].delta;
            self.vector.extend(way.iter().chain(turn.iter()));
        }
        for slave in &self.slaves {
            let force = entry(&self.vector, 3 * slave.at);
            self.vector[3 * slave.at..][..3].fill(0.0);
            for (block, map) in &slave.of {
                let force = map.transpose() * force;
                for k in 0..3 {
                    self.vector[3 * block + k] += force[k];
                }
            }
        }
        for &(b, first) in &self.bodies {
            if !bodies.all[b].turns {
                self.vector[3 * (first + 1)..][..3].fill(0.0);
            }
        }
        self.matrix.solve(&mut self.vector);
        self.distribute(rods, bodies);
    }

    /// Puts the direction whose curvature is that pivot, by its number in the order of elimination, into the steps of rods
    /// and bodies.
    pub fn direction_of(&mut self, pivot: usize, rods: &mut [Solver], bodies: &mut Bodies) {
        self.vector.clear();
        self.vector.resize(3 * self.n_blocks, 0.0);
        self.matrix.direction_of(pivot, &mut self.vector);
        self.distribute(rods, bodies);
    }

    /// Hands the vector out to rods and bodies.
    fn distribute(&mut self, rods: &mut [Solver], bodies: &mut Bodies) {
        for slave in &self.slaves {
            let mut sum = Vec3::zeros();
            for (block, map) in &slave.of {
                sum += map * entry(&self.vector, 3 * block);
            }
            self.vector[3 * slave.at..][..3].copy_from_slice(sum.as_slice());
        }
        for &(r, first) in &self.members {
            let delta = &mut rods[r].work.delta;
            let n = delta.len();
            delta.copy_from_slice(&self.vector[3 * first..][..n]);
        }
        for &(b, first) in &self.bodies {
            bodies.all[b].delta = [0, 1].map(|k| entry(&self.vector, 3 * (first + k)));
        }
    }
}

/// A block by its columns.
fn columns_of(m: &Mat3) -> Block {
    std::array::from_fn(|c| std::array::from_fn(|r| m[(r, c)]))
}

/// The first block of a rod.
fn first_block(members: &[(usize, usize)], rod: usize) -> usize {
    let at = members.binary_search_by_key(&rod, |m| m.0);
    at.map_or(0, |at| members[at].1)
}

/// The blocks of the four nodes of a dyad, with the first block of each rod.
fn blocks_at(members: &[(usize, usize)], column: &Column) -> [usize; 4] {
    std::array::from_fn(|k| {
        first_block(members, column.rods[k / 2]) + layout::node(column.edges[k / 2] + k % 2) / 3
    })
}
