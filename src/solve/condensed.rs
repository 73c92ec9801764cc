//! A rod eliminated onto its ends: what is left of its band for the bodies that its ends go with.
//!
//! The interior is eliminated from the start to the end; the start's six unknowns ride along as a border of the band, the
//! end's are what elimination leaves. With the blocks s (start), i (interior) and e (end) of the band that is the Schur
//! complement
//!
//! ```text
//! S = [ B_ss  B_se ]  -  [ B_si ] B_ii^-1 [ B_is  B_ie ]
//!     [ B_es  B_ee ]     [ B_ei ]
//! ```
//!
//! and its price is some twice that of the band, however many rods there are: bodies see twelve numbers of each.
//! The pivots of the interior and those of the bodies' matrix together are the inertia of the whole (Haynsworth).

use super::banded::{Banded, HALF_WIDTH};

/// Unknowns of an end: its node and its clamp's frame.
pub const END: usize = 6;

/// What couples the start to the interior, and the start's own part of the complement.
#[derive(Clone, Debug, Default)]
pub struct Border {
    /// Rows of L in the start's unknowns, by columns of the interior.
    rows: Vec<[f64; END]>,
    /// The start's own block, lower triangle by columns.
    corner: [[f64; END]; END],
    /// Which ends are left open; others are eliminated with the interior.
    open: [bool; 2],
}

/// Entry (row, column) of the complement: ends one after the other, the start first. Zero between an end that is open and
/// one that is not.
pub struct Complement<'a> {
    band: &'a Banded,
    border: &'a Border,
}

impl Border {
    /// The columns that are eliminated.
    fn interior(&self, n: usize) -> std::ops::Range<usize> {
        let [start, end] = self.open.map(|open| if open { END } else { 0 });
        start..n - end
    }

    /// Eliminates all of `band` but its `open` ends, in place; gives up after so many pivots that are not positive, and says
    /// how many there were.
    pub fn condense(&mut self, band: &mut Banded, open: [bool; 2], most: usize) -> usize {
        self.open = open;
        let n = band.order();
        let interior = self.interior(n);
        if open[0] {
            self.take_start(band);
        }
        let mut not_positive = 0;
        for j in interior {
            let pivot = band.eliminate(j);
            // `!(d > 0.0)` and not `d <= 0.0`: NaN is not positive either.
            if !(pivot > 0.0) {
                not_positive += 1;
                if not_positive >= most {
                    return not_positive;
                }
            }
            if open[0] {
                self.eliminate(band, j, pivot);
            }
        }
        not_positive
    }

    /// Takes the start's columns out of the band.
    fn take_start(&mut self, band: &Banded) {
        let n = band.order();
        self.rows.clear();
        // Padded, as the band's columns are.
        self.rows.resize(n + HALF_WIDTH, [0.0; END]);
        for (b, column) in self.corner.iter_mut().enumerate() {
            for (i, value) in column.iter_mut().enumerate() {
                *value = if i >= b { band.column(b)[i - b] } else { 0.0 };
            }
        }
        for j in END..n.min(END + HALF_WIDTH) {
            for b in (0..END).filter(|b| j - b <= HALF_WIDTH) {
                self.rows[j][b] = band.column(b)[j - b];
            }
        }
    }

    /// Takes column `j` of the interior, which the band has eliminated, out of the border.
    fn eliminate(&mut self, band: &Banded, j: usize, pivot: f64) {
        let row = self.rows[j];
        let inverse = 1.0 / pivot;
        let scaled = row.map(|w| w * inverse);
        for b in 0..END {
            for i in b..END {
                self.corner[b][i] -= row[i] * scaled[b];
            }
        }
        let l = band.column(j);
        self.rows[j] = scaled;
        for (to, l) in self.rows[j + 1..][..HALF_WIDTH].iter_mut().zip(&l[1..]) {
            for b in 0..END {
                to[b] -= l * row[b];
            }
        }
    }

    /// What is left for the open ends after [`Self::condense`].
    pub fn complement<'a>(&'a self, band: &'a Banded) -> Complement<'a> {
        Complement { band, border: self }
    }

    /// Eliminates the right-hand side: its open ends get theirs, the interior waits for [`Self::solve_interior`].
    pub fn reduce(&self, band: &Banded, x: &mut [f64]) {
        let mut start = self.start_of(x);
        for j in self.interior(band.order()) {
            let (xj, column) = (x[j], band.column(j));
            let below = &mut x[j + 1..];
            // Constant trip counts, but for the last columns.
            if let Some(below) = below.first_chunk_mut::<HALF_WIDTH>() {
                for k in 0..HALF_WIDTH {
                    below[k] -= column[k + 1] * xj;
                }
            } else {
                for (x, l) in below.iter_mut().zip(&column[1..]) {
                    *x -= l * xj;
                }
            }
            if self.open[0] {
                for b in 0..END {
                    start[b] -= self.rows[j][b] * xj;
                }
            }
            x[j] = xj / band.diagonal(j);
        }
        if self.open[0] {
            x[..END].copy_from_slice(&start);
        }
    }

    /// The entries of the start, if it is open.
    fn start_of(&self, x: &[f64]) -> [f64; END] {
        let start = x.first_chunk().filter(|_| self.open[0]);
        start.copied().unwrap_or_default()
    }

    /// Solves for the interior, with the solution at the open ends in place.
    pub fn solve_interior(&self, band: &Banded, x: &mut [f64]) {
        let n = band.order();
        self.solve_up_to(band, self.interior(n).end, x);
    }

    /// As [`Self::solve_interior`] for what is before a column.
    fn solve_up_to(&self, band: &Banded, end: usize, x: &mut [f64]) {
        let n = band.order();
        let start = self.start_of(x);
        for j in (self.interior(n).start..end).rev() {
            let mut sum = x[j];
            if self.open[0] {
                for b in 0..END {
                    sum -= self.rows[j][b] * start[b];
                }
            }
            // Backwards: the value found last is needed last, so that the chain from row to row is short.
            let (column, below) = (band.column(j), &x[j + 1..n]);
            if let Some(below) = below.first_chunk::<HALF_WIDTH>() {
                for k in (0..HALF_WIDTH).rev() {
                    sum -= column[k + 1] * below[k];
                }
            } else {
                for k in (0..below.len()).rev() {
                    sum -= column[k + 1] * below[k];
                }
            }
            x[j] = sum;
        }
    }

    /// The pivots of the interior, with their columns.
    pub fn pivots<'a>(&'a self, band: &'a Banded) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.interior(band.order()).map(|j| (j, band.diagonal(j)))
    }

    /// The direction whose curvature is the pivot of that column, everything else zero.
    pub fn direction_of(&self, band: &Banded, column: usize, x: &mut [f64]) {
        x.fill(0.0);
        x[column] = 1.0;
        self.solve_up_to(band, column, x);
    }
}

impl Complement<'_> {
    /// Entry (row, column), `row >= column`.
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        let [start, end] = self.border.open;
        let first = self.band.order() - 2 * END;
        match (row < END, column < END) {
            (true, true) if start => self.border.corner[column][row],
            (false, true) if start && end => self.border.rows[first + row][column],
            (false, false) if end => self.band.column(first + column)[row - column],
            _ => 0.0,
        }
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
            for i in j..n.min(j + HALF_WIDTH + 1) {
                let v = rng.f64() - 0.5 + if i == j { diagonal } else { 0.0 };
                a.add(i, j, v);
                dense[(i, j)] = v;
                dense[(j, i)] = v;
            }
        }
        (a, dense)
    }

    /// The unknowns at open ends, and all others.
    fn split(n: usize, open: [bool; 2]) -> [Vec<usize>; 2] {
        let is_open = |j: &usize| open[0] && *j < END || open[1] && *j >= n - END;
        let (ends, interior) = (0..n).partition(is_open);
        [ends, interior]
    }

    #[test]
    fn what_is_left_for_the_ends_is_the_schur_complement() {
        for (n, open) in [
            (45, [true, true]),
            (21, [true, true]),
            (33, [false, true]),
            (33, [true, false]),
            (27, [false, false]),
        ] {
            let (mut band, dense) = random(n, 7, 4.0);
            let b = DVector::from_fn(n, |i, _| (i as f64).sin());
            let [ends, interior] = split(n, open);
            let part = |r: &[usize], c: &[usize]| {
                DMatrix::from_fn(r.len(), c.len(), |i, j| dense[(r[i], c[j])])
            };
            let inner = part(&interior, &interior).lu();
            let onto = inner.solve(&part(&interior, &ends)).unwrap();
            let schur = part(&ends, &ends) - part(&ends, &interior) * onto;

            let mut border = Border::default();
            assert_eq!(border.condense(&mut band, open, usize::MAX), 0);
            let complement = border.complement(&band);
            // Where the ends stand among both of them.
            let at = |k: usize| if k < END { k } else { k - (n - 2 * END) };
            for (i, &row) in ends.iter().enumerate() {
                for (j, &column) in ends.iter().enumerate().take(i + 1) {
                    let entry = complement.entry(at(row), at(column));
                    assert!((entry - schur[(i, j)]).abs() < 1e-12, "{n} {row} {column}");
                }
            }

            // A whole solve by way of the complement.
            let mut x = b.as_slice().to_vec();
            border.reduce(&band, &mut x);
            let force = DVector::from_fn(ends.len(), |i, _| x[ends[i]]);
            let found = (!ends.is_empty()).then(|| schur.lu().solve(&force).unwrap());
            for (&end, found) in ends.iter().zip(found.iter().flatten()) {
                x[end] = *found;
            }
            border.solve_interior(&band, &mut x);
            let off = &dense * DVector::from_vec(x) - b;
            assert!(off.norm() < 1e-12, "{n} {open:?}: {}", off.norm());
        }
    }

    #[test]
    fn pivots_and_their_directions_are_those_of_the_interior() {
        let n = 40;
        for open in [[true, true], [false, true], [true, false]] {
            let (mut band, dense) = random(n, 3, 0.3);
            let [_, interior] = split(n, open);
            let inner = DMatrix::from_fn(interior.len(), interior.len(), |i, j| {
                dense[(interior[i], interior[j])]
            });
            let negative = inner.symmetric_eigenvalues();
            let negative = negative.iter().filter(|v| **v < 0.0).count();
            assert!(
                negative > 0,
                "a test without negative eigenvalues proves nothing"
            );
            let mut border = Border::default();
            let mut until = band.clone();
            assert_eq!(Border::default().condense(&mut until, open, 1), 1);
            assert_eq!(border.condense(&mut band, open, usize::MAX), negative);
            let bad: Vec<(usize, f64)> = border.pivots(&band).filter(|p| p.1 < 0.0).collect();
            assert_eq!(bad.len(), negative);
            for (column, value) in bad {
                let mut y = vec![1.0; n];
                border.direction_of(&band, column, &mut y);
                let y = DVector::from_vec(y);
                assert!((y.dot(&(&dense * &y)) - value).abs() < 1e-9);
            }
        }
    }
}
