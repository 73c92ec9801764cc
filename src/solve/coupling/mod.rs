//! What couples rods that touch: a few dyads beside their banded matrices.
//!
//! H = B + G D G^T, where B has the band of each rod and each contact adds columns of G with twelve entries and their
//! stiffness in D. The rods that touch make one sparse matrix of 3 x 3 blocks, factored as a whole; its order of
//! elimination is kept as long as the factors have room for every contact. Rods that a body joins are coupled alike: the
//! body has two blocks, and what the bands have for the ends that go with it is added there ([`super::body`]). A rod that
//! touches no other has no blocks but those: its band is condensed onto its ends ([`super::condensed`]).

mod column;
mod member;
mod pattern;
mod slaves;

use super::body::Bodies;
use super::kept::Factors;
use super::multifrontal::{Block, Multifrontal, Slot};
use super::newton::entry;
use super::{Solver, layout};
use crate::geom::{Mat3, Vec3};
use member::{Member, open_ends};
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
    /// Whether rods that are coupled were not positive with it when that was tried last, in this run: the next iteration does
    /// not try it, since most often it would be in vain again, at the price of a factorisation.
    pub indefinite: bool,
    /// Rods that are coupled, and the end of their blocks and those of bodies.
    members: Vec<Member>,
    n_blocks: usize,
    /// Of each rod whether contacts couple it, or bodies.
    touching: Vec<bool>,
    joined: Vec<bool>,
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

/// A pivot of the whole: of a rod that is condensed by its column, or of the matrix by its number in the order of elimination.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pivot {
    OfRod(usize, usize),
    OfMatrix(usize),
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
        for member in self.members.iter().filter(|m| m.open.is_none()) {
            rods[member.rod].thaw();
        }
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
        self.member(rod).is_some()
    }

    /// Notes the rods that the dyads and the bodies couple.
    fn gather(&mut self, rods: &[Solver], bodies: &Bodies) {
        self.bodies.clear();
        self.bodies.extend(bodies.awake(rods).map(|b| (b, 0)));
        self.touching.clear();
        self.joined.clear();
        if !self.columns.is_empty() || !self.bodies.is_empty() {
            self.touching.resize(rods.len(), false);
            self.joined.resize(rods.len(), false);
        }
        for &(b, _) in &self.bodies {
            let links = bodies.links_of(b).iter();
            links.for_each(|link| self.joined[link.rod] = true);
        }
        for column in &self.columns {
            column.rods.iter().for_each(|&r| self.touching[r] = true);
        }
        self.members.clear();
        let mut first = 0;
        for rod in (0..self.joined.len()).filter(|&r| self.joined[r] || self.touching[r]) {
            let open = open_ends(&rods[rod]).filter(|_| !self.touching[rod]);
            let member = Member { rod, first, open };
            self.members.push(member);
            first += member.n_blocks(&rods[rod]);
        }
        for body in &mut self.bodies {
            body.1 = first;
            first += 2;
        }
        self.n_blocks = first;
        self.find_slaves(rods, bodies);
    }

    /// Puts the bands in `work.factors` of the coupled rods and the dyads together, and factors the whole; whether it is
    /// positive. After [`Self::prescribe`], in place of factoring the bands.
    pub fn factor(&mut self, rods: &mut [Solver], bodies: &Bodies) -> bool {
        if self.condense(rods, 1) > 0 {
            return false;
        }
        self.assemble(rods, bodies);
        self.matrix.factor_until(1) == 0
    }

    /// As [`Self::factor`] to the end, whatever the signs of the pivots: how many are not positive.
    pub fn factor_fully(&mut self, rods: &mut [Solver], bodies: &Bodies) -> usize {
        let of_rods = self.condense(rods, usize::MAX);
        self.assemble(rods, bodies);
        of_rods + self.matrix.factor()
    }

    /// Condenses the rods that touch no other onto their ends, until there are so many pivots that are not positive.
    fn condense(&self, rods: &mut [Solver], most: usize) -> usize {
        let mut not_positive = 0;
        for member in &self.members {
            let Some(open) = member.open else {
                continue;
            };
            let work = &mut rods[member.rod].work;
            if work.holds == Factors::Condensed {
                continue;
            }
            let bad = work.border.condense(&mut work.factors, open, most);
            work.holds = if work.holds == Factors::Fresh && bad == 0 {
                Factors::Condensed
            } else {
                Factors::Other
            };
            not_positive += bad;
            if not_positive >= most {
                break;
            }
        }
        not_positive
    }

    /// The pivots of what was factored that are not positive.
    pub fn bad_pivots(&self, rods: &[Solver]) -> Vec<(Pivot, f64)> {
        let condensed = self.members.iter().filter(|m| m.open.is_some());
        let of_rods = condensed.flat_map(|m| {
            let work = &rods[m.rod].work;
            let pivots = work.border.pivots(&work.factors);
            pivots.map(|(column, value)| (Pivot::OfRod(m.rod, column), value))
        });
        let of_matrix = (self.matrix.pivots().enumerate())
            .map(|(number, value)| (Pivot::OfMatrix(number), value));
        let all = of_rods.chain(of_matrix);
        all.filter(|(_, value)| !(*value > 0.0)).collect()
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
            let member = self.members[k];
            let rod = &rods[member.rod];
            for (i, j) in member.pairs(rod) {
                let block = member.block(rod, (i, j));
                match slots.next().flatten() {
                    Some(slot) => self.matrix.add_at(*slot, &block),
                    None => roomy &= self.scatter(member.first + i, member.first + j, &block),
                }
            }
        }
        self.band_slots = band_slots;
        roomy &= self.add_bodies(rods, bodies);
        let same = |a: &Column, b: &Column| a.rods == b.rods && a.edges == b.edges;
        let columns = std::mem::take(&mut self.columns);
        for contact in columns.chunk_by(same) {
            let blocks = self.blocks_at(&contact[0]);
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
        for member in &self.members {
            member.gather(&mut rods[member.rod], &mut self.vector);
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

    /// Puts the direction whose curvature is that pivot into the steps of rods and bodies.
    pub fn direction_of(&mut self, pivot: Pivot, rods: &mut [Solver], bodies: &mut Bodies) {
        for member in &self.members {
            rods[member.rod].work.delta.fill(0.0);
        }
        self.vector.clear();
        self.vector.resize(3 * self.n_blocks, 0.0);
        if let Pivot::OfMatrix(number) = pivot {
            self.matrix.direction_of(number, &mut self.vector);
        }
        self.distribute(rods, bodies);
        if let Pivot::OfRod(rod, column) = pivot {
            let work = &mut rods[rod].work;
            (work.border).direction_of(&work.factors, column, &mut work.delta);
        }
    }

    /// The blocks of the four nodes of a dyad.
    fn blocks_at(&self, column: &Column) -> [usize; 4] {
        std::array::from_fn(|k| {
            let first = self.member(column.rods[k / 2]).map_or(0, |m| m.first);
            first + layout::node(column.edges[k / 2] + k % 2) / 3
        })
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
        for member in &self.members {
            member.take(&mut rods[member.rod], &self.vector);
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
