//! What couples rods that touch: a few dyads beside their banded matrices.
//!
//! H = B + G D G^T, where B has the band of each rod and each contact adds a column of G with twelve entries and its
//! stiffness in D. With S = D^-1 + G^T B^-1 G the solution is that of B, less B^-1 G S^-1 G^T times it (Woodbury). By
//! Haynsworth's formula the number of negative eigenvalues of H is that of B, plus the positive ones of S, less those
//! of D.

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
    pub fn support(&self, rod: usize, matrix: &mut super::banded::Banded) {
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

/// Sum of products in four lanes: this is where the time of many contacts goes.
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

/// The dyads of all contacts between rods, and the memory to solve with them.
#[derive(Clone, Debug, Default)]
pub(super) struct Coupling {
    pub columns: Vec<Column>,
    /// Whether these and the systems of the rods have the curvature of contacts.
    pub curved: bool,
    /// B^-1 G: for each column the vectors of its rods, one after the other, with where each begins.
    solved: Vec<f64>,
    begins: Vec<[usize; 2]>,
    /// S, then its factors: lower triangle by rows.
    small: Vec<f64>,
    weights: Vec<f64>,
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

    /// Prepares S from the factors of the rods. Returns by how many the negative eigenvalues of the whole exceed those of
    /// B (mostly negative: contact supports).
    pub fn factor(&mut self, rods: &[Solver]) -> isize {
        let m = self.columns.len();
        self.solved.clear();
        self.begins.clear();
        for column in &self.columns {
            let mut begins = [usize::MAX; 2];
            for (slot, &r) in column.sides().iter().enumerate() {
                let begin = self.solved.len();
                begins[slot] = begin;
                self.solved.resize(begin + rods[r].work.delta.len(), 0.0);
                for (at, g) in column.entries(r) {
                    self.solved[begin + at] += g;
                }
                rods[r].work.factors.solve(&mut self.solved[begin..]);
            }
            self.begins.push(begins);
        }
        self.small.clear();
        self.small.resize(m * m, 0.0);
        for i in 0..m {
            for j in 0..=i {
                let mut sum = 0.0;
                for (slot, &r) in self.columns[j].sides().iter().enumerate() {
                    let y = &self.solved[self.begins[j][slot]..];
                    sum += self.columns[i]
                        .entries(r)
                        .map(|(at, g)| g * y[at])
                        .sum::<f64>();
                }
                if i == j {
                    sum += 1.0 / self.columns[i].stiffness;
                }
                self.small[i * m + j] = sum;
            }
        }
        let mut positive = 0;
        // L D L^T in place, row by row: L below the diagonal, D on it. A row holds L D until it is done.
        for i in 0..m {
            let (above, row) = self.small.split_at_mut(i * m);
            for j in 0..i {
                row[j] -= dot(&row[..j], &above[j * m..][..j]);
            }
            let mut d = row[i];
            for j in 0..i {
                let l = row[j] / above[j * m + j];
                d -= l * row[j];
                row[j] = l;
            }
            if d == 0.0 {
                d = f64::MIN_POSITIVE.sqrt();
            }
            row[i] = d;
            positive += isize::from(d > 0.0);
        }
        let stiff = self.columns.iter().filter(|c| c.stiffness > 0.0).count();
        positive - stiff as isize
    }

    /// Takes the solutions of B in `work.delta` of the rods to those of H.
    pub fn correct(&mut self, rods: &mut [Solver]) {
        let m = self.columns.len();
        self.weights.clear();
        let dots = self
            .columns
            .iter()
            .map(|c| c.dot(|r| &rods[r].work.delta[..]));
        self.weights.extend(dots);
        let (w, s) = (&mut self.weights, &self.small);
        for i in 0..m {
            for k in 0..i {
                w[i] -= s[i * m + k] * w[k];
            }
        }
        for i in 0..m {
            w[i] /= s[i * m + i];
        }
        for i in (0..m).rev() {
            for k in i + 1..m {
                w[i] -= s[k * m + i] * w[k];
            }
        }
        for (j, column) in self.columns.iter().enumerate() {
            for (slot, &r) in column.sides().iter().enumerate() {
                let delta = &mut rods[r].work.delta;
                let y = &self.solved[self.begins[j][slot]..][..delta.len()];
                for (d, y) in delta.iter_mut().zip(y) {
                    *d -= y * w[j];
                }
            }
        }
    }
}
