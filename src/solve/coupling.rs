//! What couples rods that touch: a few dyads beside their banded matrices.
//!
//! H = B + G D G^T, where B has the band of each rod and each contact adds columns of G with twelve entries and their
//! stiffness in D. The rods that touch make one sparse matrix of 3 x 3 blocks, factored as a whole; its order of
//! elimination is kept as long as the factors have room for every contact. Rods that a body joins are coupled alike: the
//! body has two blocks, and what the bands have for the ends that go with it is added there ([`super::body`]).

use smallvec::SmallVec;

use super::banded::Banded;
use super::body::Bodies;
use super::multifrontal::{Block, Multifrontal};
use super::newton::entry;
use super::{Solver, layout};
use crate::contact::pair::Vector12;
use crate::geom::{Mat3, Vec3};

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
    /// Bodies, with the first of their two blocks.
    bodies: Vec<(usize, usize)>,
    /// Blocks of rods that are those of a body, in their order, and as they were when the matrix was made.
    slaves: Vec<Slave>,
    slaves_of_matrix: Vec<(usize, Blocks)>,
    matrix: Multifrontal,
    /// Pairs of blocks that the matrix has room for beside the bands, and its work when it had room for no others.
    room: Vec<(usize, usize)>,
    least_work: f64,
    vector: Vec<f64>,
}

/// A few blocks.
type Blocks = SmallVec<[usize; 2]>;

/// A block of a rod that is a linear map of blocks of a body.
#[derive(Clone, Debug)]
struct Slave {
    at: usize,
    of: SmallVec<[(usize, Mat3); 2]>,
}

/// Blocks of a rod: its unknowns are positions and frames in turn, three of each.
fn blocks_of(rod: &Solver) -> usize {
    rod.work.delta.len() / 3
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

    /// Notes which blocks of rods are those of bodies.
    fn find_slaves(&mut self, rods: &[Solver], bodies: &Bodies) {
        self.slaves.clear();
        for &(b, first) in &self.bodies {
            for link in bodies.links_of(b) {
                let begin = first_block(&self.members, link.rod);
                let rotation = &bodies.all[b].pose.rotation;
                for slaved in link.slaved(&rods[link.rod], rotation) {
                    let way = slaved.of_way.map(|map| (first, map));
                    let turn = slaved.of_turn.map(|map| (first + 1, map));
                    self.slaves.push(Slave {
                        at: begin + slaved.at / 3,
                        of: way.into_iter().chain(turn).collect(),
                    });
                }
            }
        }
        self.slaves.sort_unstable_by_key(|slave| slave.at);
    }

    fn slave(&self, block: usize) -> Option<&Slave> {
        if self.slaves.is_empty() {
            return None;
        }
        let at = self.slaves.binary_search_by_key(&block, |slave| slave.at);
        at.ok().map(|at| &self.slaves[at])
    }

    /// The blocks that a block of a rod is a map of: itself, unless a body has it.
    fn places(&self, block: usize) -> Blocks {
        match self.slave(block) {
            Some(slave) => slave.of.iter().map(|of| of.0).collect(),
            None => Blocks::from_slice(&[block]),
        }
    }

    /// Pairs of different blocks of the matrix that a block for a pair of blocks of rods goes to.
    fn pairs_for(&self, pair: (usize, usize)) -> SmallVec<[(usize, usize); 4]> {
        let (a, b) = (self.places(pair.0), self.places(pair.1));
        let all = a
            .iter()
            .flat_map(|&a| b.iter().map(move |&b| (a.max(b), a.min(b))));
        all.filter(|(a, b)| a != b).collect()
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

    /// Adds a block for a pair of blocks of rods where it belongs; `false` when there is no room for it.
    fn scatter(&mut self, a: usize, b: usize, block: &Block) -> bool {
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

    /// Whether the matrix has room for all that is coupled.
    fn fits(&self) -> bool {
        self.matrix.order() == self.n_blocks
            && self.same_slaves()
            && self.columns.iter().all(|column| {
                let blocks = blocks_at(&self.members, column);
                let mut pairs = pairs_of(&blocks).flat_map(|pair| self.pairs_for(pair));
                pairs.all(|(a, b)| self.matrix.has(a, b))
            })
    }

    /// Finds an order of elimination with room for what is coupled now, and for what was before while that is not too
    /// much: contacts come and go.
    fn renew(&mut self, rods: &[Solver]) {
        if self.matrix.order() != self.n_blocks || !self.same_slaves() {
            self.room.clear();
            self.least_work = 0.0;
        }
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
        if !self.fits() {
            self.renew(rods);
        }
        self.matrix.clear();
        let mut roomy = true;
        for k in 0..self.members.len() {
            let (r, first) = self.members[k];
            let band = &rods[r].work.factors;
            for i in 0..blocks_of(&rods[r]) {
                for j in i.saturating_sub(2)..=i {
                    roomy &= self.scatter(first + i, first + j, &band.block(i, j));
                }
            }
        }
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
        debug_assert!(roomy, "the matrix was made for what is coupled");
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
            let own = if body.turns {
                bodies.geometric_stiffness(b, rods) + Mat3::identity() * body.inertia
            } else {
                Mat3::identity()
            };
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

/// All pairs of different blocks among four.
fn pairs_of(blocks: &[usize; 4]) -> impl Iterator<Item = (usize, usize)> {
    let pairs = (0..4).flat_map(move |a| (0..a).map(move |b| (blocks[a], blocks[b])));
    pairs.filter(|(a, b)| a != b)
}
