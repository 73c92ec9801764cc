//! Symmetric sparse matrices in blocks of 3 x 3, and their multifrontal LDL^T factorisation.
//!
//! For rods that touch: bands of some rods and, for each contact, what couples four nodes. The blocks are eliminated in an
//! order with little fill (`ordering`); columns with the same rows make a front (`symbolic`), a small dense matrix
//! in which a few columns are eliminated, and what that changes in the others is handed to the next front. Pivots of any sign
//! are taken as they are, so that their signs are the inertia of the matrix (Sylvester).

mod dense;
mod ordering;
mod symbolic;

use std::cmp::Ordering;

use dense::{Weights, eliminate, extend_add, subtract};
use ordering::Graph;
use symbolic::Symbolic;

/// Unknowns of a block.
pub const BLOCK: usize = 3;

/// A 3 x 3 block by columns.
pub type Block = [[f64; 3]; 3];

/// Where a block of the matrix stands among its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    begin: usize,
    /// Rows of its front: from one column to the next.
    height: usize,
    /// Whether its row is eliminated after its column, or before it and the block lies transposed.
    side: Ordering,
}

/// A symmetric matrix in blocks; [`Self::factor`] turns it into L and D.
#[derive(Clone, Debug, Default)]
pub struct Multifrontal {
    symbolic: Symbolic,
    /// Panels of all fronts: by columns, each with the rows of its front.
    numbers: Vec<f64>,
    /// Updates on their way to their fronts: a stack of those an even number of fronts below their root and one of the others, so that a
    /// front's own comes to stand where its children's are not.
    updates: [Vec<f64>; 2],
    /// Their sizes, with the fronts that they are of.
    waiting: [Vec<(usize, usize)>; 2],
    /// A vector in the order of elimination, and its part in the rows of a front.
    permuted: Vec<f64>,
    below: Vec<f64>,
    weights: Vec<Weights>,
}

impl Multifrontal {
    /// The zero matrix of `n` blocks, of which those pairs are coupled.
    pub fn new(n: usize, pairs: &[(usize, usize)]) -> Self {
        Self::zeros(Symbolic::new(&Graph::new(n, pairs)))
    }

    /// The zero matrix of as many blocks with those pairs coupled, by the kind of order that was the better one for it: to
    /// try both again takes as long as a factorisation.
    #[must_use]
    pub fn recoupled(&self, pairs: &[(usize, usize)]) -> Self {
        let graph = Graph::new(self.order(), pairs);
        Self::zeros(Symbolic::of_kind(&graph, self.symbolic.kind))
    }

    fn zeros(symbolic: Symbolic) -> Self {
        Self {
            numbers: vec![0.0; symbolic.n_numbers],
            permuted: vec![0.0; BLOCK * symbolic.place.len()],
            updates: Default::default(),
            waiting: Default::default(),
            below: Vec::new(),
            weights: Vec::new(),
            symbolic,
        }
    }

    /// Blocks of a row.
    pub fn order(&self) -> usize {
        self.symbolic.place.len()
    }

    /// Multiplications of blocks that factoring takes, about.
    pub fn work(&self) -> f64 {
        self.symbolic.work
    }

    /// Sets every entry to zero.
    pub fn clear(&mut self) {
        self.numbers.fill(0.0);
    }

    /// Adds a block to entry (a, b), and its transpose to (b, a) where they differ; of a block on the diagonal the lower
    /// triangle counts. `false` when there is no room for it.
    #[must_use]
    pub fn add(&mut self, a: usize, b: usize, block: &Block) -> bool {
        let slot = self.slot(a, b);
        if let Some(slot) = slot {
            self.add_at(slot, block);
        }
        slot.is_some()
    }

    /// Where the block of entry (a, b) stands; `None` when there is no room for it. It stands there for good.
    pub fn slot(&self, a: usize, b: usize) -> Option<Slot> {
        let (i, j) = (self.symbolic.place[a], self.symbolic.place[b]);
        let (front, column, row) = self.symbolic.entry(i, j)?;
        let front = &self.symbolic.fronts[front];
        let height = BLOCK * front.height();
        Some(Slot {
            begin: front.panel + BLOCK * column * height + BLOCK * row,
            height,
            side: i.cmp(&j),
        })
    }

    /// As [`Self::add`], to a place that is known.
    pub fn add_at(&mut self, slot: Slot, block: &Block) {
        let Slot { begin, height, .. } = slot;
        for c in 0..BLOCK {
            let column = &mut self.numbers[begin + c * height..][..BLOCK];
            match slot.side {
                // What is eliminated first has the column.
                Ordering::Greater => (0..BLOCK).for_each(|r| column[r] += block[c][r]),
                Ordering::Less => (0..BLOCK).for_each(|r| column[r] += block[r][c]),
                Ordering::Equal => (c..BLOCK).for_each(|r| column[r] += block[c][r]),
            }
        }
    }

    /// Factors in place; the number of pivots that are not positive. A pivot of zero becomes a tiny negative one.
    pub fn factor(&mut self) -> usize {
        self.factor_until(usize::MAX)
    }

    /// As [`Self::factor`], but gives up after so many pivots that are not positive.
    pub fn factor_until(&mut self, most: usize) -> usize {
        // With the widest vectors of the machine.
        pulp::Arch::new().dispatch(Factoring { matrix: self, most })
    }

    #[expect(clippy::inline_always, reason = "to be compiled with its caller")]
    #[inline(always)]
    fn eliminate_fronts<S: pulp::Simd>(&mut self, simd: S, most: usize) -> usize {
        let mut not_positive = 0;
        self.updates.iter_mut().for_each(Vec::clear);
        self.waiting.iter_mut().for_each(Vec::clear);
        let ([even, odd], [even_waiting, odd_waiting]) = (&mut self.updates, &mut self.waiting);
        for (number, front) in self.symbolic.fronts.iter().enumerate() {
            let (width, height) = (BLOCK * front.width, BLOCK * front.height());
            let below = height - width;
            let panel = &mut self.numbers[front.panel..front.panel + width * height];
            let (stack, waiting, children, done) = if front.odd {
                (&mut *odd, &mut *odd_waiting, &mut *even, &mut *even_waiting)
            } else {
                (&mut *even, &mut *even_waiting, &mut *odd, &mut *odd_waiting)
            };
            let own = stack.len();
            stack.resize(own + below * below, 0.0);
            let update = &mut stack[own..];
            let mut begin = children.len();
            for _ in 0..front.n_children {
                let Some((size, child)) = done.pop() else {
                    break;
                };
                begin -= size;
                let child = &self.symbolic.fronts[child];
                extend_add(
                    &children[begin..begin + size],
                    &child.in_parent,
                    panel,
                    height,
                    update,
                    width,
                );
            }
            children.truncate(begin);
            not_positive += eliminate(simd, panel, height, width, &mut self.weights);
            if not_positive >= most {
                return most;
            }
            subtract(simd, panel, height, width, update, &mut self.weights);
            if front.parent.is_some() {
                waiting.push((below * below, number));
            }
        }
        not_positive
    }

    /// Solves with the factors; `x` holds the right-hand side, block after block, and gets the solution.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.permute(x);
        let (y, below) = (&mut self.permuted, &mut self.below);
        for front in &self.symbolic.fronts {
            let (width, height) = (BLOCK * front.width, BLOCK * front.height());
            let own = &mut y[BLOCK * front.first..][..width];
            below.clear();
            below.resize(height - width, 0.0);
            for c in 0..width {
                let column = &self.numbers[front.panel + c * height..][..height];
                let value = own[c];
                for (y, l) in own[c + 1..].iter_mut().zip(&column[c + 1..width]) {
                    *y -= l * value;
                }
                for (y, l) in below.iter_mut().zip(&column[width..]) {
                    *y += l * value;
                }
                own[c] /= column[c];
            }
            for (sum, &row) in below.chunks_exact(BLOCK).zip(&front.rows) {
                for (y, sum) in y[BLOCK * row..][..BLOCK].iter_mut().zip(sum) {
                    *y -= sum;
                }
            }
        }
        self.solve_transposed_permuted();
        self.unpermute(x);
    }

    /// The direction L^-T e of a pivot, by its number in the order of elimination: its curvature is that pivot.
    pub fn direction_of(&mut self, pivot: usize, x: &mut [f64]) {
        self.permuted.fill(0.0);
        self.permuted[pivot] = 1.0;
        self.solve_transposed_permuted();
        self.unpermute(x);
    }

    /// The pivots in the order of elimination.
    pub fn pivots(&self) -> impl Iterator<Item = f64> {
        self.symbolic.fronts.iter().flat_map(move |front| {
            let height = BLOCK * front.height();
            (0..BLOCK * front.width).map(move |c| self.numbers[front.panel + c * height + c])
        })
    }

    fn solve_transposed_permuted(&mut self) {
        let (y, below) = (&mut self.permuted, &mut self.below);
        for front in self.symbolic.fronts.iter().rev() {
            let (width, height) = (BLOCK * front.width, BLOCK * front.height());
            below.clear();
            for &row in &front.rows {
                below.extend_from_slice(&y[BLOCK * row..][..BLOCK]);
            }
            let own = &mut y[BLOCK * front.first..][..width];
            for c in (0..width).rev() {
                let column = &self.numbers[front.panel + c * height..][..height];
                own[c] -= dot(&column[c + 1..width], &own[c + 1..]) + dot(&column[width..], below);
            }
        }
    }

    fn permute(&mut self, x: &[f64]) {
        for (block, &at) in self.symbolic.place.iter().enumerate() {
            let from = &x[BLOCK * block..][..BLOCK];
            self.permuted[BLOCK * at..][..BLOCK].copy_from_slice(from);
        }
    }

    fn unpermute(&self, x: &mut [f64]) {
        for (block, &at) in self.symbolic.place.iter().enumerate() {
            let from = &self.permuted[BLOCK * at..][..BLOCK];
            x[BLOCK * block..][..BLOCK].copy_from_slice(from);
        }
    }
}

/// A factorisation, to be compiled for the vectors of each kind of machine. All that it calls is inlined for that.
struct Factoring<'m> {
    matrix: &'m mut Multifrontal,
    most: usize,
}

impl pulp::WithSimd for Factoring<'_> {
    type Output = usize;

    #[expect(clippy::inline_always, reason = "to be compiled with its caller")]
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) -> usize {
        self.matrix.eliminate_fronts(simd, self.most)
    }
}

/// Sum of products in four lanes.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = a.remainder().iter().zip(b.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    let mut lanes = [0.0; 4];
    for (a, b) in a.zip(b) {
        for k in 0..4 {
            lanes[k] += a[k] * b[k];
        }
    }
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + rest
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod trees;
