//! The dense part of a front: columns are eliminated, and what that changes below is taken out.
//!
//! Nearly all arithmetic of a factorisation is here, in tiles of three columns whose sums stay in registers. All functions
//! are inlined into [`super::Multifrontal::factor_until`], which is compiled for the vectors of each kind of machine. Every
//! sum has the same order on all of them, and nothing is fused: the same bits everywhere.

#![expect(
    clippy::inline_always,
    reason = "what is not inlined is compiled for the smallest machine"
)]

use pulp::Simd;

use super::BLOCK;

/// Entries of L in the rows of three columns, times the pivot of their own column.
pub type Weights = [f64; BLOCK];

/// Adds the update of a child to the panel and the update of its parent; both are lower triangles by columns.
#[inline(always)]
pub fn extend_add(
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
#[inline(always)]
pub fn eliminate<S: Simd>(
    simd: S,
    panel: &mut [f64],
    height: usize,
    width: usize,
    weights: &mut Vec<Weights>,
) -> usize {
    let mut not_positive = 0;
    for first in (0..width).step_by(BLOCK) {
        let (done, later) = panel.split_at_mut(first * height);
        let block = &mut later[..BLOCK * height];
        take_out(simd, done, height, first, weights, block, first);
        not_positive += eliminate_three(block, height, first);
    }
    not_positive
}

/// Eliminates three columns, the first pivot of which is in row `first`.
#[inline(always)]
fn eliminate_three(block: &mut [f64], height: usize, first: usize) -> usize {
    let mut not_positive = 0;
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
    not_positive
}

/// Takes L D L^T of the rows below a panel out of the update.
#[inline(always)]
pub fn subtract<S: Simd>(
    simd: S,
    panel: &[f64],
    height: usize,
    width: usize,
    update: &mut [f64],
    weights: &mut Vec<Weights>,
) {
    let below = height - width;
    for j in (0..below).step_by(BLOCK) {
        let to = &mut update[j * below..][..BLOCK * below];
        take_out(simd, panel, height, width + j, weights, to, j);
    }
}

/// Takes L D L^T of the columns that are done out of three others, `to`, from row `at` of theirs on: row `row` of the
/// columns that are done. Above the diagonal of the first three rows it leaves numbers that nobody reads.
#[inline(always)]
fn take_out<S: Simd>(
    simd: S,
    done: &[f64],
    height: usize,
    row: usize,
    weights: &mut Vec<Weights>,
    to: &mut [f64],
    at: usize,
) {
    weights.clear();
    for (k, column) in done.chunks_exact(height).enumerate() {
        let pivot = column[k];
        weights.push([row, row + 1, row + 2].map(|row| column[row] * pivot));
    }
    let n = height - row;
    let lanes = S::F64_LANES;
    let mut i = 0;
    while i + 4 * lanes <= n {
        tile::<S, 4>(simd, done, height, row + i, weights, to, at + i);
        i += 4 * lanes;
    }
    if i + 2 * lanes <= n {
        tile::<S, 2>(simd, done, height, row + i, weights, to, at + i);
        i += 2 * lanes;
    }
    if i + lanes <= n {
        tile::<S, 1>(simd, done, height, row + i, weights, to, at + i);
        i += lanes;
    }
    if i < n {
        last_rows(simd, done, height, row + i, weights, to, at + i);
    }
}

/// So many vectors of rows of [`take_out`].
#[inline(always)]
fn tile<S: Simd, const VECTORS: usize>(
    simd: S,
    done: &[f64],
    height: usize,
    row: usize,
    weights: &[Weights],
    to: &mut [f64],
    at: usize,
) {
    let mut sums = [[simd.splat_f64s(0.0); VECTORS]; BLOCK];
    for (column, weights) in done.chunks_exact(height).zip(weights) {
        let (l, _) = S::as_simd_f64s(&column[row..][..VECTORS * S::F64_LANES]);
        let Some(l) = l.first_chunk::<VECTORS>() else {
            return;
        };
        for (sums, &weight) in sums.iter_mut().zip(weights) {
            let weight = simd.splat_f64s(weight);
            for (sum, &l) in sums.iter_mut().zip(l) {
                *sum = simd.add_f64s(*sum, simd.mul_f64s(l, weight));
            }
        }
    }
    let stride = to.len() / BLOCK;
    for (column, sums) in to.chunks_exact_mut(stride).zip(&sums) {
        let (to, _) = S::as_mut_simd_f64s(&mut column[at..][..VECTORS * S::F64_LANES]);
        for (to, &sum) in to.iter_mut().zip(sums) {
            *to = simd.sub_f64s(*to, sum);
        }
    }
}

/// The rows of [`take_out`] that do not fill a vector.
#[inline(always)]
fn last_rows<S: Simd>(
    simd: S,
    done: &[f64],
    height: usize,
    row: usize,
    weights: &[Weights],
    to: &mut [f64],
    at: usize,
) {
    let mut sums = [simd.splat_f64s(0.0); BLOCK];
    for (column, weights) in done.chunks_exact(height).zip(weights) {
        let l = simd.partial_load_f64s(&column[row..]);
        for (sum, &weight) in sums.iter_mut().zip(weights) {
            *sum = simd.add_f64s(*sum, simd.mul_f64s(l, simd.splat_f64s(weight)));
        }
    }
    let stride = to.len() / BLOCK;
    for (column, sum) in to.chunks_exact_mut(stride).zip(sums) {
        let to = &mut column[at..];
        let left = simd.sub_f64s(simd.partial_load_f64s(to), sum);
        simd.partial_store_f64s(to, left);
    }
}
