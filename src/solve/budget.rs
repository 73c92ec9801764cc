//! What a step may take before it ends.

use super::CancelToken;

/// Iterations after which a way to rest ends when newer input waits for it.
const PATIENCE: usize = 200;

/// How long a step may go on: until it is cancelled, or for so many iterations.
///
/// A step that ends early keeps the last equilibrium on its way. A cold start has none yet, and keeps its iterate.
#[derive(Clone, Debug)]
pub struct Budget {
    cancel: CancelToken,
    iterations: usize,
    /// How often it is still asked before it counts as cancelled.
    #[cfg(test)]
    asked: std::cell::Cell<usize>,
}

impl Budget {
    /// For a step of a drag, which also ends by itself after that many iterations: at the last equilibrium on its way, or
    /// where it started if it has come to none.
    pub fn new(cancel: &CancelToken, iterations: usize) -> Self {
        Self {
            cancel: cancel.clone(),
            iterations,
            #[cfg(test)]
            asked: std::cell::Cell::new(usize::MAX),
        }
    }

    /// That many iterations, and nobody to cancel them.
    pub fn of_iterations(iterations: usize) -> Self {
        Self::new(&CancelToken::default(), iterations)
    }

    /// The same for a step that must not end by itself.
    #[must_use]
    pub fn without_limit(&self) -> Self {
        Self {
            iterations: usize::MAX,
            ..self.clone()
        }
    }

    /// The same with at most so many iterations.
    #[must_use]
    pub fn at_most(&self, iterations: usize) -> Self {
        Self {
            iterations: self.iterations.min(iterations),
            ..self.clone()
        }
    }

    /// Cancelled in the midst of a step, after that many iterations.
    #[cfg(test)]
    pub fn cancelled_after(iterations: usize) -> Self {
        Self {
            asked: std::cell::Cell::new(iterations),
            ..Self::of_iterations(usize::MAX)
        }
    }

    /// Whether the step is to stop at once.
    pub fn is_cancelled(&self) -> bool {
        #[cfg(test)]
        {
            let left = self.asked.get();
            self.asked.set(left.saturating_sub(1));
            if left == 0 {
                return true;
            }
        }
        self.cancel.is_cancelled()
    }

    /// Whether a way to rest is to stop that has taken so many iterations: newer input waits for a while.
    pub(super) fn is_over(&self, iterations: usize) -> bool {
        self.is_cancelled() || iterations >= PATIENCE && self.cancel.is_waited_for()
    }

    /// How many iterations the step may take.
    pub fn iterations(&self) -> usize {
        self.iterations
    }
}

impl From<&CancelToken> for Budget {
    fn from(cancel: &CancelToken) -> Self {
        Self::new(cancel, usize::MAX)
    }
}

impl From<&Self> for Budget {
    fn from(budget: &Self) -> Self {
        budget.clone()
    }
}
