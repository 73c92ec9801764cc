//! A symmetric band matrix and its factors L D L^T.

/// Entries beside the diagonal: a joint couples eleven unknowns in a row.
pub(super) const HALF_WIDTH: usize = 10;
const ROW: usize = HALF_WIDTH + 1;

/// The lower half of a symmetric band matrix, row by row; entry (i, j) is at `HALF_WIDTH - (i - j)` of row i.
#[derive(Clone, Debug)]
pub(super) struct Band {
    n: usize,
    entries: Vec<f64>,
}

/// L (unit lower triangle) and D of a band matrix.
pub(super) struct Factors {
    lower: Band,
    pub pivots: Vec<f64>,
}

impl Band {
    pub fn zeros(n: usize) -> Self {
        Self {
            n,
            entries: vec![0.0; n * ROW],
        }
    }

    pub fn clear(&mut self) {
        self.entries.fill(0.0);
    }

    /// Adds to entry (i, j) of the lower half; the upper half is the same and is left alone.
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        if i >= j {
            self.entries[i * ROW + HALF_WIDTH + j - i] += value;
        }
    }

    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (i, j) = (i.max(j), i.min(j));
        if i - j > HALF_WIDTH {
            return 0.0;
        }
        self.entries[i * ROW + HALF_WIDTH + j - i]
    }

    /// The unknowns coupled with `i`.
    pub fn neighbours(&self, i: usize) -> std::ops::Range<usize> {
        i.saturating_sub(HALF_WIDTH)..(i + ROW).min(self.n)
    }

    /// Takes unknown `i` out: its row and column become those of the identity.
    pub fn fix(&mut self, i: usize) {
        for j in self.neighbours(i) {
            let (row, column) = (i.max(j), i.min(j));
            self.entries[row * ROW + HALF_WIDTH + column - row] = f64::from(u8::from(i == j));
        }
    }

    /// Factors without pivoting: the signs of the pivots are the signs of the eigenvalues (Sylvester).
    pub fn factor(&self) -> Factors {
        let mut lower = self.clone();
        let mut pivots = vec![0.0; self.n];
        for i in 0..self.n {
            let first = i.saturating_sub(HALF_WIDTH);
            let mut pivot = self.get(i, i);
            for j in first..i {
                let mut sum = lower.get(i, j);
                for k in first.max(j.saturating_sub(HALF_WIDTH))..j {
                    sum -= lower.get(i, k) * pivots[k] * lower.get(j, k);
                }
                let l = sum / pivots[j];
                lower.entries[i * ROW + HALF_WIDTH + j - i] = l;
                pivot -= l * l * pivots[j];
            }
            // A pivot of exactly zero belongs to a neutral motion.
            pivots[i] = if pivot == 0.0 {
                f64::MIN_POSITIVE
            } else {
                pivot
            };
        }
        Factors { lower, pivots }
    }
}

impl Factors {
    pub fn negative_pivots(&self) -> usize {
        self.pivots.iter().filter(|p| **p < 0.0).count()
    }

    pub fn solve(&self, b: &mut [f64]) {
        for i in 0..b.len() {
            for j in i.saturating_sub(HALF_WIDTH)..i {
                b[i] -= self.lower.get(i, j) * b[j];
            }
        }
        for (x, pivot) in b.iter_mut().zip(&self.pivots) {
            *x /= pivot;
        }
        self.solve_transposed(b);
    }

    /// Solves L^T x = b.
    fn solve_transposed(&self, b: &mut [f64]) {
        for i in (0..b.len()).rev() {
            for j in i.saturating_sub(HALF_WIDTH)..i {
                b[j] -= self.lower.get(i, j) * b[i];
            }
        }
    }

    /// A direction v of negative curvature: v^T A v is the most negative pivot. `None` where none is negative.
    pub fn descent(&self) -> Option<Vec<f64>> {
        let k = (0..self.pivots.len())
            .filter(|&k| self.pivots[k] < 0.0)
            .min_by(|&a, &b| self.pivots[a].total_cmp(&self.pivots[b]))?;
        let mut v = vec![0.0; self.pivots.len()];
        v[k] = 1.0;
        self.solve_transposed(&mut v);
        Some(v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    #[test]
    fn solves_and_counts_as_the_dense_matrix_does() {
        let n = 40;
        let mut rng = fastrand::Rng::with_seed(5);
        let mut band = Band::zeros(n);
        for i in 0..n {
            for j in i.saturating_sub(HALF_WIDTH)..=i {
                let value = 2.0 * rng.f64() - 1.0 + if i == j { 1.0 } else { 0.0 };
                band.add(i, j, value);
            }
        }
        band.fix(7);
        let dense = DMatrix::from_fn(n, n, |i, j| band.get(i, j));
        let factors = band.factor();
        let x: Vec<f64> = (0..n).map(|_| rng.f64()).collect();
        let mut b = (&dense * nalgebra::DVector::from_vec(x.clone()))
            .as_slice()
            .to_vec();
        factors.solve(&mut b);
        assert!(b.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-9));
        let negative = dense.clone().symmetric_eigenvalues();
        let negative = negative.iter().filter(|e| **e < 0.0).count();
        assert!(negative > 0);
        assert_eq!(factors.negative_pivots(), negative);
        let v = nalgebra::DVector::from_vec(factors.descent().unwrap());
        assert!((v.transpose() * &dense * &v)[0] < 0.0);
    }
}
