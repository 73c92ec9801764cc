//! What a case took.

use crate::solve::Status;

/// What one step took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepCost {
    /// CPU time, ms: of the solving thread, or of all threads where it is a whole frame; the least where it was played several times.
    pub cpu_ms: f64,
    /// Time on the clock, ms; the least likewise.
    pub clock_ms: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// Active contacts at its end.
    pub n_contacts: usize,
    /// How it ended.
    pub status: Status,
}

/// What a case took.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Step by step.
    pub steps: Vec<StepCost>,
}

impl Cost {
    /// Takes the times of another measurement of the same case where they are less.
    pub fn keep_least(&mut self, other: &Self) {
        for (step, again) in self.steps.iter_mut().zip(&other.steps) {
            step.cpu_ms = step.cpu_ms.min(again.cpu_ms);
            step.clock_ms = step.clock_ms.min(again.clock_ms);
        }
    }

    /// CPU time of a step, ms: the smallest that a part `q` of the steps does not exceed; 1 for the worst.
    pub fn cpu_ms(&self, q: f64) -> f64 {
        self.time(q, |step| step.cpu_ms)
    }

    /// Time of a step on the clock, ms, in the same way.
    pub fn clock_ms(&self, q: f64) -> f64 {
        self.time(q, |step| step.clock_ms)
    }

    fn time(&self, q: f64, of: impl Fn(&StepCost) -> f64) -> f64 {
        let mut times: Vec<f64> = self.steps.iter().map(of).collect();
        times.sort_by(f64::total_cmp);
        times[rank(q, times.len())]
    }

    /// Iterations of a step, counted in the same way.
    pub fn iterations(&self, q: f64) -> usize {
        let mut iterations: Vec<usize> = self.steps.iter().map(|s| s.iterations).collect();
        iterations.sort_unstable();
        iterations[rank(q, iterations.len())]
    }

    /// Iterations of a step, on average.
    pub fn mean_iterations(&self) -> f64 {
        let sum: usize = self.steps.iter().map(|s| s.iterations).sum();
        sum as f64 / self.steps.len() as f64
    }

    /// Most contacts at the end of a step.
    pub fn most_contacts(&self) -> usize {
        self.steps.iter().map(|s| s.n_contacts).max().unwrap_or(0)
    }

    /// Steps that end in contact.
    pub fn steps_in_contact(&self) -> usize {
        self.steps.iter().filter(|s| s.n_contacts > 0).count()
    }

    /// Steps that ended with that status.
    pub fn count(&self, status: Status) -> usize {
        self.steps.iter().filter(|s| s.status == status).count()
    }
}

/// Place of the nearest-rank quantile `q` among `n` sorted values.
fn rank(q: f64, n: usize) -> usize {
    ((q * n as f64).ceil() as usize).clamp(1, n) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_of_the_nearest_rank() {
        assert_eq!([0.0, 0.5, 0.95, 1.0].map(|q| rank(q, 20)), [0, 9, 18, 19]);
        assert_eq!([0.5, 1.0].map(|q| rank(q, 1)), [0, 0]);
    }
}
