//! Symmetric sparse matrices in blocks of 3 x 3, and their multifrontal LDL^T factorisation.
//!
//! For rods that touch: bands of some rods and, for each contact, what couples four nodes. The blocks are eliminated in an
//! order with little fill (`ordering`); columns with the same rows make a front (`symbolic`), a small dense matrix
//! in which a few columns are eliminated, and what that changes in the others is handed to the next front. Pivots of any sign
//! are taken as they are, so that their signs are the inertia of the matrix (Sylvester).

mod ordering;
mod symbolic;

use ordering::Graph;
use symbolic::Symbolic;

/// Unknowns of a block.
pub const BLOCK: usize = 3;

/// A 3 x 3 block by columns.
pub type Block = [[f64; 3]; 3];

/// A symmetric matrix in blocks; [`Self::factor`] turns it into L and D.
#[derive(Clone, Debug, Default)]
pub struct Multifrontal {
    symbolic: Symbolic,
    /// Panels of all fronts: by columns, each with the rows of its front.
    numbers: Vec<f64>,
    /// Updates on their way to their fronts: a stack.
    updates: Vec<f64>,
    /// Their sizes, with the fronts that they are of.
    waiting: Vec<(usize, usize)>,
    /// A vector in the order of elimination, and its part in the rows of a front.
    permuted: Vec<f64>,
    below: Vec<f64>,
}

impl Multifrontal {
    /// The zero matrix of `n` blocks, of which those pairs are coupled.
    pub fn new(n: usize, pairs: &[(usize, usize)]) -> Self {
        let symbolic = Symbolic::new(&Graph::new(n, pairs));
        Self {
            numbers: vec![0.0; symbolic.n_numbers],
            permuted: vec![0.0; BLOCK * n],
            updates: Vec::new(),
            waiting: Vec::new(),
            below: Vec::new(),
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
        let (i, j) = (self.symbolic.place[a], self.symbolic.place[b]);
        let Some((front, column, row)) = self.symbolic.entry(i, j) else {
            return false;
        };
        let front = &self.symbolic.fronts[front];
        let height = BLOCK * front.height();
        let begin = front.panel + BLOCK * column * height + BLOCK * row;
        for c in 0..BLOCK {
            for r in 0..BLOCK {
                // What is eliminated first has the column.
                let value = if i >= j { block[c][r] } else { block[r][c] };
                if i != j || r >= c {
                    self.numbers[begin + c * height + r] += value;
                }
            }
        }
        true
    }

    /// Factors in place; the number of pivots that are not positive. A pivot of zero becomes a tiny negative one.
    pub fn factor(&mut self) -> usize {
        self.factor_until(usize::MAX)
    }

    /// As [`Self::factor`], but gives up after so many pivots that are not positive.
    pub fn factor_until(&mut self, most: usize) -> usize {
        let mut not_positive = 0;
        self.updates.clear();
        let waiting = &mut self.waiting;
        waiting.clear();
        for (number, front) in self.symbolic.fronts.iter().enumerate() {
            let (width, height) = (BLOCK * front.width, BLOCK * front.height());
            let below = height - width;
            let panel = &mut self.numbers[front.panel..front.panel + width * height];
            let own = self.updates.len();
            self.updates.resize(own + below * below, 0.0);
            let (stack, update) = self.updates.split_at_mut(own);
            let mut begin = own;
            for _ in 0..front.n_children {
                let Some((size, child)) = waiting.pop() else {
                    break;
                };
                begin -= size;
                let child = &self.symbolic.fronts[child];
                extend_add(
                    &stack[begin..begin + size],
                    &child.in_parent,
                    panel,
                    height,
                    update,
                    width,
                );
            }
            not_positive += eliminate(panel, height, width);
            if not_positive >= most {
                return most;
            }
            subtract(panel, height, width, update);
            // Down to where the children's were.
            self.updates.copy_within(own.., begin);
            self.updates.truncate(begin + below * below);
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

/// Adds the update of a child to the panel and the update of its parent; both are lower triangles by columns.
fn extend_add(
    child: &[f64],
    places: &[usize],
    panel: &mut [f64],
    height: usize,
    update: &mut [f64],
    width: usize,
) {
    let size = BLOCK * places.len();
    let below = height - width;
    for (k, &place) in places.iter().enumerate() {
        for c in 0..BLOCK {
            let column = BLOCK * place + c;
            let from = &child[(BLOCK * k + c) * size..][..size];
            let (to, shift) = if column < width {
                (&mut panel[column * height..][..height], 0)
            } else {
                (&mut update[(column - width) * below..][..below], width)
            };
            // The block on the diagonal, below its diagonal, then whole ones.
            let at = BLOCK * place - shift;
            for r in c..BLOCK {
                to[at + r] += from[BLOCK * k + r];
            }
            for (l, &row) in places.iter().enumerate().skip(k + 1) {
                let at = BLOCK * row - shift;
                for r in 0..BLOCK {
                    to[at + r] += from[BLOCK * l + r];
                }
            }
        }
    }
}

/// Eliminates the columns of a panel, three by three: L below the diagonal, D on it. How many pivots are not positive.
fn eliminate(panel: &mut [f64], height: usize, width: usize) -> usize {
    let mut not_positive = 0;
    for first in (0..width).step_by(BLOCK) {
        let (done, later) = panel.split_at_mut((first + BLOCK) * height);
        let block = &mut done[first * height..];
        for c in 0..BLOCK {
            let (left, right) = block.split_at_mut((c + 1) * height);
            let column = &mut left[c * height..];
            let pivot = &mut column[first + c];
            // `!(d > 0.0)` and not `d <= 0.0`: NaN is not positive either.
            if !(*pivot > 0.0) {
                not_positive += 1;
                if *pivot == 0.0 {
                    *pivot = -f64::MIN_POSITIVE.sqrt();
                }
            }
            let inverse = 1.0 / *pivot;
            for next in c + 1..BLOCK {
                let l = column[first + next] * inverse;
                let to = &mut right[(next - c - 1) * height..][..height];
                for (to, from) in to[first + next..]
                    .iter_mut()
                    .zip(&column[first + next..height])
                {
                    *to -= l * from;
                }
            }
            for value in &mut column[first + c + 1..height] {
                *value *= inverse;
            }
        }
        let (a, rest) = block.split_at(height);
        let (b, c) = rest.split_at(height);
        let pivots = [a[first], b[first + 1], c[first + 2]];
        for column in first + BLOCK..width {
            let [x, y, z] = [
                a[column] * pivots[0],
                b[column] * pivots[1],
                c[column] * pivots[2],
            ];
            let to = &mut later[(column - first - BLOCK) * height..][column..height];
            let (a, b, c) = (&a[column..height], &b[column..height], &c[column..height]);
            for (i, to) in to.iter_mut().enumerate() {
                *to -= a[i] * x + b[i] * y + c[i] * z;
            }
        }
    }
    not_positive
}

/// Takes L D L^T of the rows below a panel out of the update.
fn subtract(panel: &[f64], height: usize, width: usize, update: &mut [f64]) {
    let below = height - width;
    let column = |c: usize| &panel[c * height + width..(c + 1) * height];
    let mut first = 0;
    while first < width {
        let six = first + 2 * BLOCK <= width;
        let pivot = |k: usize| panel[(first + k) * height + first + k];
        let l: [&[f64]; 6] = std::array::from_fn(|k| column((first + k).min(width - 1)));
        let d: [f64; 6] = std::array::from_fn(|k| if six || k < BLOCK { pivot(k) } else { 0.0 });
        for j in 0..below {
            let to = &mut update[j * below..][j..below];
            let w: [f64; 6] = std::array::from_fn(|k| l[k][j] * d[k]);
            let n = to.len();
            let l: [&[f64]; 6] = std::array::from_fn(|k| &l[k][j..][..n]);
            if six {
                for i in 0..n {
                    to[i] -= (l[0][i] * w[0] + l[1][i] * w[1] + l[2][i] * w[2])
                        + (l[3][i] * w[3] + l[4][i] * w[4] + l[5][i] * w[5]);
                }
            } else {
                for i in 0..n {
                    to[i] -= l[0][i] * w[0] + l[1][i] * w[1] + l[2][i] * w[2];
                }
            }
        }
        first += if six { 2 * BLOCK } else { BLOCK };
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod trees;
