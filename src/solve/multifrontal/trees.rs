//! Trees of rods and bodies: the multifrontal factorisation is the elimination of rods onto the bodies at their ends, and of
//! bodies from the leaves on.

use std::ops::Range;

use nalgebra::{DMatrix, DVector};

use super::*;

/// Rods as chains of blocks, each between two bodies of two blocks or with an open end.
struct Tree {
    n: usize,
    rods: Vec<Range<usize>>,
    /// First block of each body.
    bodies: Vec<usize>,
    entries: Vec<(usize, usize, Block)>,
}

impl Tree {
    /// Of so many rods with that many blocks each.
    fn random(rng: &mut fastrand::Rng, n_rods: usize, lengths: Range<usize>) -> Self {
        let mut tree = Self {
            n: 0,
            rods: Vec::new(),
            bodies: Vec::new(),
            entries: Vec::new(),
        };
        tree.add_body(rng);
        for _ in 0..n_rods {
            let parent = tree.bodies[rng.usize(0..tree.bodies.len())];
            let first = tree.n;
            tree.n += rng.usize(lengths.clone());
            let rod = first..tree.n;
            tree.rods.push(rod.clone());
            for i in rod.clone() {
                for j in i.saturating_sub(2).max(first)..=i {
                    tree.add(rng, i, j);
                }
            }
            tree.couple(rng, parent, [first, first + 1]);
            if rng.f64() < 0.6 {
                let child = tree.add_body(rng);
                tree.couple(rng, child, [rod.end - 1, rod.end - 2]);
            }
        }
        tree
    }

    fn add_body(&mut self, rng: &mut fastrand::Rng) -> usize {
        let first = self.n;
        self.n += 2;
        self.bodies.push(first);
        for (a, b) in [(0, 0), (1, 0), (1, 1)] {
            self.add(rng, first + a, first + b);
        }
        first
    }

    fn couple(&mut self, rng: &mut fastrand::Rng, body: usize, ends: [usize; 2]) {
        for end in ends {
            for own in [body, body + 1] {
                self.add(rng, end.max(own), end.min(own));
            }
        }
    }

    /// A random block; on the diagonal large enough that the whole is positive.
    fn add(&mut self, rng: &mut fastrand::Rng, a: usize, b: usize) {
        let mut block: Block = [[0.0; 3]; 3];
        for c in 0..3 {
            for r in (0..3).filter(|&r| a != b || r >= c) {
                block[c][r] = rng.f64() - 0.5 + if a == b && r == c { 30.0 } else { 0.0 };
            }
        }
        self.entries.push((a, b, block));
    }

    fn matrix(&self) -> Multifrontal {
        let pairs: Vec<_> = self.entries.iter().map(|e| (e.0, e.1)).collect();
        Multifrontal::new(self.n, &pairs)
    }

    fn fill(&self, matrix: &mut Multifrontal) {
        matrix.clear();
        for (a, b, block) in &self.entries {
            assert!(matrix.add(*a, *b, block));
        }
    }

    fn dense(&self) -> DMatrix<f64> {
        let mut dense = DMatrix::zeros(3 * self.n, 3 * self.n);
        for &(a, b, block) in &self.entries {
            for c in 0..3 {
                for r in (0..3).filter(|&r| a != b || r >= c) {
                    dense[(3 * a + r, 3 * b + c)] = block[c][r];
                    dense[(3 * b + c, 3 * a + r)] = block[c][r];
                }
            }
        }
        dense
    }
}

/// Each rod condensed onto the bodies (Schur complement), the bodies solved, and the rods from these.
fn by_schur_complement(tree: &Tree, b: &DVector<f64>) -> DVector<f64> {
    let dense = tree.dense();
    let unknowns = |blocks: Range<usize>| (3 * blocks.start..3 * blocks.end).collect::<Vec<_>>();
    let bodies: Vec<usize> = (tree.bodies.iter())
        .flat_map(|&first| unknowns(first..first + 2))
        .collect();
    let part = |rows: &[usize], columns: &[usize]| {
        DMatrix::from_fn(rows.len(), columns.len(), |r, c| {
            dense[(rows[r], columns[c])]
        })
    };
    let entries =
        |v: &DVector<f64>, rows: &[usize]| DVector::from_fn(rows.len(), |r, _| v[rows[r]]);
    let mut schur = part(&bodies, &bodies);
    let mut force = entries(b, &bodies);
    let mut condensed = Vec::new();
    for rod in &tree.rods {
        let own = unknowns(rod.clone());
        let factors = part(&own, &own).lu();
        let coupling = part(&own, &bodies);
        let onto = factors.solve(&coupling).unwrap();
        let alone = factors.solve(&entries(b, &own)).unwrap();
        schur -= coupling.transpose() * &onto;
        force -= coupling.transpose() * &alone;
        condensed.push((own, onto, alone));
    }
    let moved = schur.lu().solve(&force).unwrap();
    let mut x = DVector::zeros(b.len());
    for (&at, value) in bodies.iter().zip(moved.iter()) {
        x[at] = *value;
    }
    for (own, onto, alone) in condensed {
        let values = alone - onto * &moved;
        for (&at, value) in own.iter().zip(values.iter()) {
            x[at] = *value;
        }
    }
    x
}

#[test]
fn is_the_schur_complement_of_rods_onto_bodies() {
    for seed in 0..12 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let tree = Tree::random(&mut rng, 2 + seed as usize, 4..14);
        let b = DVector::from_fn(3 * tree.n, |i, _| (i as f64).sin());
        let expected = by_schur_complement(&tree, &b);
        let mut matrix = tree.matrix();
        tree.fill(&mut matrix);
        assert_eq!(matrix.factor(), 0);
        let mut x = b.as_slice().to_vec();
        matrix.solve(&mut x);
        let worst = (DVector::from_vec(x) - &expected).amax();
        assert!(worst < 1e-8 * expected.amax(), "seed {seed}: {worst}");
    }
}

/// Large trees cost as much a node as small ones: counted, not timed, so that it is the same on every machine.
#[test]
fn work_of_a_node_is_the_same_on_random_trees_of_every_size() {
    let mut works = Vec::new();
    for n_rods in [2, 6, 20, 60, 200] {
        for seed in 0..20 {
            let mut rng = fastrand::Rng::with_seed(seed);
            // A node and its frame are two blocks.
            let tree = Tree::random(&mut rng, n_rods, 60..140);
            works.push(tree.matrix().work() / (tree.n as f64 / 2.0));
        }
    }
    let least = works.iter().copied().fold(f64::INFINITY, f64::min);
    let most = works.iter().copied().fold(0.0, f64::max);
    assert!(least > 0.0 && most < 1.25 * least, "{least} to {most}");
}
