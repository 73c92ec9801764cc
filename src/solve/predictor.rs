//! The predictor: iterations that carry the handles to their goals.
//!
//! Handles move by being prescribed in a Newton step: the rod follows as its stiffness says, and the way of all nodes is
//! swept as one. What a collision cuts off is made by the next such step, a few times; after that, or once the goals are
//! reached, iterations only correct.

use super::direction::Limit;
use super::run::Run;
use super::settings as set;

#[derive(Debug)]
pub(super) struct Predictor {
    /// Iterations that may still carry the handles.
    left: usize,
}

impl Predictor {
    /// Of a run in which the handles move, or do not.
    pub fn new(moves: bool) -> Self {
        Self {
            left: if moves { set::PREDICTORS } else { 0 },
        }
    }

    /// Whether the next iteration carries the handles.
    pub fn is_due(&self, run: &Run) -> bool {
        self.left > 0 && run.made < 1.0
    }

    /// Notes how far a step that carries them may go; the fraction of it that is taken.
    pub fn carry(&mut self, limit: &Limit, run: &mut Run) -> f64 {
        self.left -= 1;
        let mut fraction = limit.fraction;
        if limit.at_handle.is_some() && fraction < set::MET {
            // It would be stopped again.
            (fraction, self.left) = (0.0, 0);
        }
        run.made += (1.0 - run.made) * fraction;
        if fraction < 1.0 {
            run.cut_by = limit.cut.or(run.cut_by);
            run.cut_at_handle = limit.at_handle;
        }
        if 1.0 - run.made < 1e-12 {
            run.made = 1.0;
        }
        fraction
    }
}
