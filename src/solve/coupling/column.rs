//! One contact between rods in the matrix of all: dyads beside the bands.

use crate::contact::pair::Vector12;
use crate::solve::banded::Banded;
use crate::solve::layout;

/// A dyad: stiffness times `value` `value`^T, where the value's first six entries stand at an edge of one rod and the
/// others at an edge of another (or of the same).
#[derive(Clone, Debug)]
pub(in crate::solve) struct Column {
    pub rods: [usize; 2],
    pub edges: [usize; 2],
    pub value: Vector12,
    /// The value without the entries of handles.
    pub free: Vector12,
    pub stiffness: f64,
    /// Force along the value beside those that are in the systems: of a contact ahead, N.
    pub slope: f64,
}

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
