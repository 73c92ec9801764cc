use nalgebra::{DMatrix, DVector};

use super::*;
use crate::solve::banded::Banded;

/// Chains that touch each other here and there: the pairs of blocks, each once.
fn touching_chains(rng: &mut fastrand::Rng, n: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for i in 1..n {
        // A chain ends now and then, and another begins.
        if rng.f64() < 0.95 {
            pairs.push((i, i - 1));
            if i > 1 {
                pairs.push((i, i - 2));
            }
        }
    }
    for _ in 0..rng.usize(0..12) {
        let (a, b) = (rng.usize(0..n), rng.usize(0..n));
        if a > b {
            pairs.push((a, b));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The same random matrix in both forms.
fn random(seed: u64, diagonal: f64) -> (Multifrontal, DMatrix<f64>) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let n = rng.usize(2..30);
    let mut pairs = touching_chains(&mut rng, n);
    let mut matrix = Multifrontal::new(n, &pairs);
    let mut dense = DMatrix::zeros(3 * n, 3 * n);
    pairs.extend((0..n).map(|i| (i, i)));
    for (a, b) in pairs {
        let mut block: Block = [[0.0; 3]; 3];
        for c in 0..3 {
            for r in 0..3 {
                if a == b && r < c {
                    continue;
                }
                block[c][r] = rng.f64() - 0.5 + if a == b && r == c { diagonal } else { 0.0 };
                dense[(3 * a + r, 3 * b + c)] = block[c][r];
                dense[(3 * b + c, 3 * a + r)] = block[c][r];
            }
        }
        assert!(matrix.add(a, b, &block));
    }
    (matrix, dense)
}

#[test]
fn the_inertia_is_that_of_the_eigenvalues() {
    let mut indefinite = 0;
    for seed in 0..300 {
        let (mut matrix, dense) = random(seed, [0.3, 2.0, 6.0][seed as usize % 3]);
        let eigenvalues = dense.symmetric_eigenvalues();
        let negative = eigenvalues.iter().filter(|v| **v < 0.0).count();
        indefinite += usize::from(negative > 0);
        let mut until = matrix.clone();
        assert_eq!(matrix.factor(), negative, "seed {seed}");
        assert_eq!(until.factor_until(1), negative.min(1), "seed {seed}");
    }
    assert!(indefinite > 100, "{indefinite} prove little");
}

#[test]
fn solves_like_a_dense_solver() {
    for seed in 0..50 {
        let (mut matrix, dense) = random(seed, 6.0);
        let b = DVector::from_fn(dense.nrows(), |i, _| (i as f64).sin());
        let mut x = b.as_slice().to_vec();
        matrix.factor();
        matrix.solve(&mut x);
        let worst = (dense * DVector::from_vec(x) - b).amax();
        assert!(worst < 1e-12, "seed {seed}: {worst}");
    }
}

#[test]
fn the_direction_of_a_pivot_has_its_curvature() {
    let mut negative = 0;
    for seed in 0..20 {
        let (mut matrix, dense) = random(seed, 1.0);
        negative += matrix.factor();
        let pivots: Vec<f64> = matrix.pivots().collect();
        for (k, pivot) in pivots.into_iter().enumerate() {
            let mut y = vec![0.0; dense.nrows()];
            matrix.direction_of(k, &mut y);
            let y = DVector::from_vec(y);
            let curvature = y.dot(&(&dense * &y));
            assert!(
                (curvature - pivot).abs() < 1e-9 * (1.0 + y.norm_squared()),
                "seed {seed}: {curvature} and {pivot}"
            );
        }
    }
    assert!(negative > 20, "{negative} prove little");
}

/// Two bands in which three blocks are coupled, as by the elements of a rod.
fn random_bands(rng: &mut fastrand::Rng, n_blocks: usize) -> [Banded; 2] {
    [0, 1].map(|_| {
        let mut band = Banded::zeros(3 * n_blocks);
        for j in 0..3 * n_blocks {
            for i in j..(3 * n_blocks).min(3 * (j / 3) + 9) {
                band.add(i, j, rng.f64() - 0.5 + if i == j { 8.0 } else { 0.0 });
            }
        }
        band
    })
}

/// (B + G D G^T) x = b by Woodbury's formula: x = y - B^-1 G (D^-1 + G^T B^-1 G)^-1 G^T y with y = B^-1 b.
#[test]
fn agrees_with_bands_and_woodbury() {
    const BLOCKS: usize = 41;
    for seed in 0..20 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut bands = random_bands(&mut rng, BLOCKS);
        // Dyads of four blocks, two of each chain, as contacts make them.
        let n = 6 * BLOCKS;
        let mut g = DMatrix::zeros(n, 12);
        let mut stiffness = DVector::zeros(12);
        let mut blocks = Vec::new();
        for k in 0..12 {
            stiffness[k] = 10.0 * rng.f64() + 0.1;
            let [a, b] = [0, BLOCKS].map(|first| first + 1 + 2 * rng.usize(0..BLOCKS / 2 - 1));
            let four = [a, a + 2, b, b + 2];
            for block in four {
                (0..3).for_each(|r| g[(3 * block + r, k)] = rng.f64() - 0.5);
            }
            blocks.push(four);
        }
        let mut pairs = Vec::new();
        for first in [0, BLOCKS] {
            for i in 1..BLOCKS {
                pairs.extend((i.saturating_sub(2)..i).map(|j| (first + i, first + j)));
            }
        }
        for four in &blocks {
            pairs.extend((0..4).flat_map(|a| (0..a).map(move |b| (four[a], four[b]))));
        }
        let mut matrix = Multifrontal::new(2 * BLOCKS, &pairs);
        for (number, band) in bands.iter().enumerate() {
            for i in 0..BLOCKS {
                for j in i.saturating_sub(2)..=i {
                    let first = number * BLOCKS;
                    assert!(matrix.add(first + i, first + j, &band.block(i, j)));
                }
            }
        }
        for (k, four) in blocks.iter().enumerate() {
            for a in 0..4 {
                for b in 0..=a {
                    let entry = |r: usize, c: usize| {
                        stiffness[k] * g[(3 * four[a] + r, k)] * g[(3 * four[b] + c, k)]
                    };
                    let block = std::array::from_fn(|c| std::array::from_fn(|r| entry(r, c)));
                    assert!(matrix.add(four[a], four[b], &block));
                }
            }
        }
        assert_eq!(matrix.factor(), 0);
        for band in &mut bands {
            assert_eq!(band.factor().not_positive, 0);
        }
        let by_bands = |v: &DVector<f64>| {
            let mut v = v.clone();
            let (a, b) = v.as_mut_slice().split_at_mut(3 * BLOCKS);
            bands[0].solve(a);
            bands[1].solve(b);
            v
        };
        let b = DVector::from_fn(n, |i, _| (i as f64).cos());
        let y = by_bands(&b);
        let columns: Vec<_> = (0..12)
            .map(|k| by_bands(&g.column(k).into_owned()))
            .collect();
        let solved = DMatrix::from_columns(&columns);
        let small = DMatrix::from_diagonal(&stiffness.map(|k| 1.0 / k)) + g.transpose() * &solved;
        let weights = small.lu().solve(&(g.transpose() * &y)).unwrap();
        let expected = y - solved * weights;
        let mut x = b.as_slice().to_vec();
        matrix.solve(&mut x);
        let worst = (DVector::from_vec(x) - &expected).amax();
        assert!(worst < 1e-8 * expected.amax(), "seed {seed}: {worst}");
    }
}

#[test]
fn what_has_no_room_is_refused() {
    let mut matrix = Multifrontal::new(4, &[(1, 0), (3, 2)]);
    let block = [[1.0; 3]; 3];
    assert!(matrix.add(0, 1, &block) && !matrix.add(0, 3, &block));
}

#[test]
fn vectors_of_any_width_give_the_same_bits() {
    let mut n_pivots = 0;
    for seed in 0..100 {
        let (mut wide, _) = random(seed, [0.3, 6.0][seed as usize % 2]);
        let mut narrow = wide.clone();
        let inertia = wide.factor();
        assert_eq!(
            narrow.eliminate_fronts(pulp::Scalar, usize::MAX),
            inertia,
            "seed {seed}"
        );
        let pairs = wide.pivots().zip(narrow.pivots());
        for (a, b) in pairs {
            assert_eq!(a.to_bits(), b.to_bits(), "seed {seed}");
            n_pivots += 1;
        }
    }
    assert!(n_pivots > 1000);
}
