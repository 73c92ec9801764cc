//! The measure of the machine.

use cpu_time::ThreadTime;

use crate::solve::banded::Banded;

/// Timings of the kernel, each over [`KERNEL_BATCH`] runs; the best one counts.
const KERNEL_TIMINGS: usize = 15;
/// Runs in one timing: enough that the clock's own time does not show.
const KERNEL_BATCH: u32 = 20;

/// The measure of the machine: factor and solve of one banded matrix, of the order that a cable of 100 edges has.
#[derive(Clone, Debug)]
pub struct Kernel {
    matrix: Banded,
    factors: Banded,
    x: Vec<f64>,
}

impl Kernel {
    /// The fixed matrix: diagonally dominant, so that every pivot is positive.
    pub fn new() -> Self {
        const ORDER: usize = 609;
        let mut matrix = Banded::zeros(ORDER);
        for j in 0..ORDER {
            matrix.add(j, j, 20.0);
            for k in 1..=crate::solve::banded::HALF_WIDTH.min(ORDER - 1 - j) {
                matrix.add(j + k, j, ((7 * j + 3 * k) % 11) as f64 / 11.0 - 0.5);
            }
        }
        Self {
            factors: matrix.clone(),
            matrix,
            x: vec![0.0; ORDER],
        }
    }

    /// One factorisation and one solve.
    pub fn run(&mut self) {
        self.factors.copy_from(&self.matrix);
        self.x.fill(1.0);
        let inertia = self.factors.factor();
        assert_eq!(inertia.not_positive, 0, "the kernel is positive");
        self.factors.solve(&mut self.x);
        std::hint::black_box(&mut self.x);
    }

    /// CPU time of one run, ms: the least of many.
    pub fn cpu_ms(&mut self) -> f64 {
        let mut least = f64::INFINITY;
        for _ in 0..KERNEL_TIMINGS {
            let started = ThreadTime::now();
            for _ in 0..KERNEL_BATCH {
                self.run();
            }
            least = least.min(started.elapsed().as_secs_f64());
        }
        1e3 * least / f64::from(KERNEL_BATCH)
    }
}

impl Default for Kernel {
    fn default() -> Self {
        Self::new()
    }
}
