//! A rod in the matrix of all: with all its blocks where contacts couple it, else condensed onto the ends that go with
//! bodies.

use super::Coupling;
use crate::solve::condensed::END;
use crate::solve::multifrontal::Block;
use crate::solve::{Solver, layout};

/// Blocks of an end: its node and its clamp's frame.
const END_BLOCKS: usize = END / 3;

/// A rod among those that are coupled, with the first of its blocks in the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub rod: usize,
    pub first: usize,
    /// Of one that is condensed which ends go with a body: only these have blocks.
    pub open: Option<[bool; 2]>,
}

/// Blocks of a rod: its unknowns are positions and frames in turn, three of each.
fn blocks_of(rod: &Solver) -> usize {
    rod.work.delta.len() / 3
}

impl Member {
    /// Its blocks in the matrix.
    pub fn n_blocks(&self, rod: &Solver) -> usize {
        match self.open {
            Some(open) => END_BLOCKS * open.iter().filter(|open| **open).count(),
            None => blocks_of(rod),
        }
    }

    /// The place in the matrix of a block of the rod: of one that is condensed, of one at an open end.
    pub fn place(&self, rod: &Solver, block: usize) -> usize {
        let Some([start, _]) = self.open else {
            return self.first + block;
        };
        let at_end = block.checked_sub(blocks_of(rod) - END_BLOCKS);
        let before = if start { END_BLOCKS } else { 0 };
        self.first + at_end.map_or(block, |at| before + at)
    }

    /// The pairs of its blocks that may be coupled, the later one first, by their places among its own.
    pub fn pairs(&self, rod: &Solver) -> impl Iterator<Item = (usize, usize)> {
        let reach = if self.open.is_some() { usize::MAX } else { 2 };
        let n = self.n_blocks(rod);
        (0..n).flat_map(move |i| (i.saturating_sub(reach)..=i).map(move |j| (i, j)))
    }

    /// What the rod has for a pair of its blocks, after it was condensed if it is.
    pub fn block(&self, rod: &Solver, (i, j): (usize, usize)) -> Block {
        let work = &rod.work;
        let Some([start, _]) = self.open else {
            return work.factors.block(i, j);
        };
        let complement = work.border.complement(&work.factors);
        // Among both ends.
        let before = if start { 0 } else { END };
        std::array::from_fn(|c| {
            std::array::from_fn(|r| {
                let (row, column) = (before + 3 * i + r, before + 3 * j + c);
                if row >= column {
                    complement.entry(row, column)
                } else {
                    0.0
                }
            })
        })
    }

    /// Its part of the right-hand side; of one that is condensed what is left of it for the open ends.
    pub fn gather(&self, rod: &mut Solver, vector: &mut Vec<f64>) {
        let work = &mut rod.work;
        let Some([start, end]) = self.open else {
            vector.extend_from_slice(&work.delta);
            return;
        };
        work.border.reduce(&work.factors, &mut work.delta);
        if start {
            vector.extend_from_slice(&work.delta[..END]);
        }
        if end {
            vector.extend_from_slice(&work.delta[work.delta.len() - END..]);
        }
    }

    /// Takes its part of the solution.
    pub fn take(&self, rod: &mut Solver, vector: &[f64]) {
        let work = &mut rod.work;
        let mut from = vector[3 * self.first..].chunks_exact(END);
        let Some(open) = self.open else {
            let n = work.delta.len();
            work.delta.copy_from_slice(&vector[3 * self.first..][..n]);
            return;
        };
        let at_end = work.delta.len() - END;
        for (open, begin) in open.into_iter().zip([0, at_end]) {
            if open && let Some(end) = from.next() {
                work.delta[begin..][..END].copy_from_slice(end);
            }
        }
        work.border.solve_interior(&work.factors, &mut work.delta);
    }
}

/// Which ends of a rod go with bodies, if it can be condensed onto them: what else goes with a body has its own blocks.
pub(super) fn open_ends(rod: &Solver) -> Option<[bool; 2]> {
    let n = rod.problem.rod.n_edges();
    let mut open = [false; 2];
    for &node in &rod.carried {
        if node != 0 && node != n {
            return None;
        }
        open[node / n] = true;
    }
    let known = |end: usize| {
        let clamp = layout::clamp(end, n);
        (clamp..clamp + 3).all(|k| rod.fixed[k] || rod.is_slaved(k))
    };
    let condensable = n >= 2 && (0..2).all(|end| !open[end] || known(end));
    condensable.then_some(open)
}

impl Coupling {
    /// The rod's member.
    pub(super) fn member(&self, rod: usize) -> Option<&Member> {
        let at = self.members.binary_search_by_key(&rod, |m| m.rod).ok()?;
        Some(&self.members[at])
    }
}
