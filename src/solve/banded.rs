//! Symmetric banded matrices and their LDL^T factorisation.

/// Entries below the diagonal in a column: the rod's elements couple at most nine neighbouring unknowns.
pub const HALF_WIDTH: usize = 8;
const STRIDE: usize = HALF_WIDTH + 1;

/// A symmetric matrix of half width [`HALF_WIDTH`], lower triangle by columns; `factor` turns it into L and D.
#[derive(Clone, Debug, Default)]
pub struct Banded {
    n: usize,
    /// Column j: entries (j, j), (j + 1, j), ... (j + HALF_WIDTH, j); padded at the end.
    columns: Vec<[f64; STRIDE]>,
}

/// What the factorisation found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inertia {
    /// Pivots that are not positive.
    pub not_positive: usize,
    /// The first of them.
    pub first: Option<usize>,
}

impl Banded {
    /// The zero matrix of order `n`.
    pub fn zeros(n: usize) -> Self {
        Self {
            n,
            columns: vec![[0.0; STRIDE]; n],
        }
    }

    /// Its order.
    pub fn order(&self) -> usize {
        self.n
    }

    /// Sets every entry to zero.
    pub fn clear(&mut self) {
        self.columns.fill([0.0; STRIDE]);
    }

    /// Copies another matrix of the same order.
    pub fn copy_from(&mut self, other: &Self) {
        self.columns.copy_from_slice(&other.columns);
    }

    /// Adds to entry (i, j) of the lower triangle, `i >= j`; the symmetric one follows.
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        debug_assert!(i >= j && i - j <= HALF_WIDTH);
        self.columns[j][i - j] += value;
    }

    /// Adds the 3x3 block with top left corner (i, j); `i >= j`, and where `i == j` only its lower triangle counts.
    #[inline]
    pub fn add_block(&mut self, i: usize, j: usize, block: &nalgebra::Matrix3<f64>) {
        if i == j {
            for c in 0..3 {
                for r in c..3 {
                    self.columns[j + c][r - c] += block[(r, c)];
                }
            }
        } else {
            for c in 0..3 {
                for r in 0..3 {
                    self.columns[j + c][i + r - j - c] += block[(r, c)];
                }
            }
        }
    }

    /// The 3x3 block with block indices (i, j), by columns; `i >= j`, at most two apart, and where `i == j` only its lower
    /// triangle is there.
    pub fn block(&self, i: usize, j: usize) -> [[f64; 3]; 3] {
        std::array::from_fn(|c| {
            let column = &self.columns[3 * j + c];
            std::array::from_fn(|r| {
                let below = (3 * (i - j) + r).checked_sub(c);
                below.map_or(0.0, |k| column[k])
            })
        })
    }

    /// Takes unknown `k` out: its row and column become those of the identity, and `value` is moved to the
    /// right-hand side, so that the solution has exactly `value` there.
    pub fn prescribe(&mut self, k: usize, value: f64, rhs: &mut [f64]) {
        for i in k + 1..self.n.min(k + STRIDE) {
            rhs[i] -= self.columns[k][i - k] * value;
            self.columns[k][i - k] = 0.0;
        }
        for j in k.saturating_sub(HALF_WIDTH)..k {
            rhs[j] -= self.columns[j][k - j] * value;
            self.columns[j][k - j] = 0.0;
        }
        self.columns[k][0] = 1.0;
        rhs[k] = value;
    }

    /// Factors in place into L (unit lower) and D. Pivots of any sign are taken as they are; a pivot of zero
    /// becomes a tiny one and counts as not positive.
    pub fn factor(&mut self) -> Inertia {
        self.factor_until(usize::MAX)
    }

    /// As [`Self::factor`], but gives up after so many pivots that are not positive.
    pub fn factor_until(&mut self, most: usize) -> Inertia {
        let mut inertia = Inertia {
            not_positive: 0,
            first: None,
        };
        for j in 0..self.n {
            // `!(d > 0.0)` and not `d <= 0.0`: NaN is not positive either.
            if !(self.columns[j][0] > 0.0) {
                inertia.not_positive += 1;
                inertia.first.get_or_insert(j);
                if inertia.not_positive >= most {
                    return inertia;
                }
            }
            self.eliminate(j);
        }
        inertia
    }

    /// Eliminates column `j`, of which all before it were; its pivot. One of zero becomes a tiny negative one.
    #[inline]
    pub fn eliminate(&mut self, j: usize) -> f64 {
        let column = self.columns[j];
        let mut d = column[0];
        if d == 0.0 {
            d = -f64::MIN_POSITIVE.sqrt();
            self.columns[j][0] = d;
        }
        let width = HALF_WIDTH.min(self.n - 1 - j);
        let inverse = 1.0 / d;
        for k in 1..=width {
            let l = column[k] * inverse;
            self.columns[j][k] = l;
            let target = &mut self.columns[j + k];
            // Constant trip counts: the padding beyond the matrix is zero.
            for i in k..STRIDE {
                target[i - k] -= l * column[i];
            }
        }
        d
    }

    /// Solves with the factors, in place.
    pub fn solve(&self, x: &mut [f64]) {
        for j in 0..self.n {
            let xj = x[j];
            for k in 1..STRIDE.min(self.n - j) {
                x[j + k] -= self.columns[j][k] * xj;
            }
        }
        for j in 0..self.n {
            x[j] /= self.columns[j][0];
        }
        self.solve_transposed(x);
    }

    /// Solves L^T y = x with the factors, in place. For x = e_j, y is a direction whose curvature is the pivot D_j.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        for j in (0..self.n).rev() {
            let mut sum = x[j];
            // Backwards: the value found last is needed last, so that the chain from row to row is short.
            for k in (1..STRIDE.min(self.n - j)).rev() {
                sum -= self.columns[j][k] * x[j + k];
            }
            x[j] = sum;
        }
    }

    /// Column `j` from the diagonal down: of the matrix, or of D and L after `factor`.
    #[inline]
    pub fn column(&self, j: usize) -> &[f64; STRIDE] {
        &self.columns[j]
    }

    /// The diagonal: of the matrix, or D after `factor`.
    pub fn diagonal(&self, j: usize) -> f64 {
        self.columns[j][0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    fn random(n: usize, seed: u64, diagonal: f64) -> (Banded, DMatrix<f64>) {
        let mut rng = fastrand::Rng::with_seed(seed);
        let (mut a, mut dense) = (Banded::zeros(n), DMatrix::zeros(n, n));
        for j in 0..n {
            for i in j..n.min(j + STRIDE) {
                let v = rng.f64() - 0.5 + if i == j { diagonal } else { 0.0 };
                a.add(i, j, v);
                dense[(i, j)] = v;
                dense[(j, i)] = v;
            }
        }
        (a, dense)
    }

    #[test]
    fn solves_like_a_dense_solver() {
        let (mut a, dense) = random(40, 1, 6.0);
        let b = DVector::from_fn(40, |i, _| (i as f64).sin());
        let mut x = b.as_slice().to_vec();
        assert_eq!(a.factor().not_positive, 0);
        a.solve(&mut x);
        assert!((dense * DVector::from_vec(x) - b).norm() < 1e-12);
    }

    #[test]
    fn counts_negative_eigenvalues() {
        for seed in 0..20 {
            let (mut a, dense) = random(30, seed, 0.3);
            let negative = dense
                .symmetric_eigenvalues()
                .iter()
                .filter(|v| **v < 0.0)
                .count();
            assert!(
                negative > 0,
                "a test without negative eigenvalues proves nothing"
            );
            let mut until = a.clone();
            let all = a.factor();
            assert_eq!(all.not_positive, negative);
            let first = until.factor_until(1);
            assert_eq!((first.not_positive, first.first), (1, all.first));
        }
    }

    #[test]
    fn prescribed_values_come_out_exactly_and_the_rest_fits() {
        let (mut a, dense) = random(30, 5, 6.0);
        let mut x = vec![1.0; 30];
        a.prescribe(0, 2.5, &mut x);
        a.prescribe(17, -1.5, &mut x);
        a.factor();
        a.solve(&mut x);
        assert!((x[0] - 2.5).abs() < 1e-15 && (x[17] + 1.5).abs() < 1e-15);
        let r = &dense * DVector::from_vec(x) - DVector::repeat(30, 1.0);
        for i in (0..30).filter(|i| ![0, 17].contains(i)) {
            assert!(r[i].abs() < 1e-12);
        }
    }

    #[test]
    fn the_direction_of_a_negative_pivot_has_negative_curvature() {
        let (mut a, dense) = random(30, 3, 0.3);
        let first = a.factor().first.unwrap();
        let mut y = vec![0.0; 30];
        y[first] = 1.0;
        a.solve_transposed(&mut y);
        let y = DVector::from_vec(y);
        assert!((y.dot(&(dense * &y)) - a.diagonal(first)).abs() < 1e-9);
        assert!(a.diagonal(first) < 0.0);
    }
}
