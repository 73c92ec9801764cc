//! Steps that oscillate about a rest.
//!
//! Contacts fade in and out by rules whose slopes are left out of the matrix. Where that makes it less than half as stiff
//! along one direction as the forces are, each step goes farther beyond the rest than it was short of it: next to rest the
//! residual grows from step to step, while the energy, whose differences are below their noise there, calls each of them
//! good. The last two steps tell where the rest between them is: a Newton step is about linear in where it starts from, and
//! along the last step it is zero at their secant's root.

use super::coupled::Coupled;
use super::newton::entry;
use super::settings as set;
use super::{Solver, layout};

impl Coupled<'_> {
    /// The fraction of `work.delta` that leads to the rest between it and where the last step came from, of which that
    /// fraction was taken; 1 for a step that does not come back, or not by much.
    pub(super) fn steady_fraction(&self, last_fraction: f64) -> f64 {
        let mut products = [0.0; 2];
        for rod in self.awake_rods() {
            let own = rod.last_products();
            (0..2).for_each(|k| products[k] += own[k]);
        }
        let [with_last, of_last] = products;
        // Both steps are of the whole length, of which the last was cut.
        let back = -with_last * last_fraction / of_last;
        if back >= set::SWINGS && back.is_finite() {
            (last_fraction / (1.0 + back)).max(set::LEAST_SWING)
        } else {
            1.0
        }
    }
}

impl Solver {
    /// Products of the ways of the nodes in the last step with those in `work.delta`, and with themselves.
    fn last_products(&self) -> [f64; 2] {
        let mut products = [0.0; 2];
        for i in 0..=self.problem.rod.n_edges() {
            let last = entry(&self.work.last_step, layout::node(i));
            products[0] += last.dot(&entry(&self.work.delta, layout::node(i)));
            products[1] += last.norm_squared();
        }
        products
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::Pairs;
    use crate::solve::line_search::tests::pulled_sideways;

    /// What is left of a step after one of which `fraction` was taken, over that one.
    fn after(fraction: f64, left: f64) -> f64 {
        let (mut solver, mut pairs) = (pulled_sideways(), Pairs::default());
        let n = solver.work.delta.len();
        for k in 0..n {
            let way = (0.1 * k as f64).sin();
            solver.work.last_step[k] = fraction * way;
            solver.work.delta[k] = left * way;
        }
        Coupled::new(std::slice::from_mut(&mut solver), &mut pairs, &[]).steady_fraction(fraction)
    }

    #[test]
    fn a_step_back_that_grows_is_cut_to_the_rest_between() {
        // Forces 2.12 times as stiff as the matrix: a whole step leaves -1.12 of itself, and 1/2.12 of one nothing.
        assert!((after(1.0, -1.12) - 1.0 / 2.12).abs() < 1e-12);
        // The same after a fraction of a step.
        assert!((after(0.8, 1.0 - 0.8 * 2.12) - 1.0 / 2.12).abs() < 1e-12);
    }

    #[test]
    fn a_step_that_shrinks_or_goes_on_is_taken_whole() {
        for left in [-0.4, 0.0, 0.9] {
            assert_eq!(after(1.0, left), 1.0);
        }
        assert_eq!(after(0.0, -1.0), 1.0, "there was no last step");
    }
}
