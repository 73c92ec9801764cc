//! The trust region of damped iterations: how far a step may move a node.
//!
//! A Newton step is good where its quadratic model is. A step that the line search or a collision cut to little was longer
//! than that: the next may be a few times what was taken of it. One that went through and used a good part of the region
//! says that the model holds farther out: the next may be twice as long.

use super::settings as set;

#[derive(Debug)]
pub(super) struct TrustRegion {
    /// Largest way of a node in one iteration, mm.
    radius: f64,
    /// The length that bends as one, mm.
    length: f64,
    /// Iterations in a row at the smallest radius.
    pinned: usize,
}

impl TrustRegion {
    pub fn new(length: f64) -> Self {
        Self {
            radius: set::TRUST * length,
            length,
            pinned: 0,
        }
    }

    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Follows a step that would move a node by `largest` mm, of which collisions left `allowed` and `taken` was taken.
    pub fn adapt(&mut self, largest: f64, allowed: f64, taken: f64) {
        if taken < (0.5 * allowed).max(set::BOLD) {
            self.radius = (0.5 * self.radius)
                .min(set::RETRIED * taken * largest)
                .max(self.smallest());
        } else if taken == allowed && largest > set::USED * self.radius {
            self.radius = (2.0 * self.radius).min(set::WAY_CAP * self.length);
        }
    }

    /// Counts an iteration of the damped way that ends with the smallest radius.
    pub fn count_pinned(&mut self) {
        self.pinned = if self.radius <= self.smallest() {
            self.pinned + 1
        } else {
            0
        };
    }

    /// Whether it goes on with the smallest radius, and nowhere: a contact comes and goes.
    pub fn is_pinned(&self) -> bool {
        self.pinned >= set::CRAWLS
    }

    fn smallest(&self) -> f64 {
        set::SMALLEST_TRUST * self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_step_shrinks_it_and_a_long_one_that_goes_through_doubles_it() {
        let mut trust = TrustRegion::new(1000.0);
        let first = trust.radius();
        trust.adapt(first, 1.0, 1.0);
        assert_eq!(trust.radius(), 2.0 * first);
        // A short step that goes through says nothing about a long one.
        trust.adapt(0.1 * first, 1.0, 1.0);
        assert_eq!(trust.radius(), 2.0 * first);
        trust.adapt(2.0 * first, 1.0, 1e-3);
        assert_eq!(trust.radius(), set::RETRIED * 2e-3 * first);
    }

    #[test]
    fn it_is_pinned_only_after_many_iterations_at_its_smallest() {
        let mut trust = TrustRegion::new(1000.0);
        trust.adapt(1.0, 1.0, 0.0);
        for _ in 0..set::CRAWLS {
            assert!(!trust.is_pinned());
            trust.count_pinned();
        }
        assert!(trust.is_pinned());
    }
}
