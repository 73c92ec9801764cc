//! How much of a Newton step is taken: the line search, and steps that follow the curved valley of a stiff cable.
//!
//! A cable is thousands of times stiffer along itself than across. A straight step that turns an edge by theta
//! stretches it by theta^2 / 2: some degrees, and the energy rises whatever else the step is good for. The correction of
//! second order (against the Maratos effect) takes that stretch out again: what the step stretches beyond its own linear
//! prediction is a force, and the system that is factored already says which motion gives way to it.

use super::assemble::stiffness;
use super::newton::{entry, moved};
use super::settings as set;
use super::together::Together;
use super::{Solver, layout};
use crate::geom::Vec3;
use crate::rod::RodState;

/// What came of a line search.
pub(super) struct Taken {
    /// Fraction of the step.
    pub fraction: f64,
    /// Whether the merit falls enough; otherwise the fraction is the smallest that was tried.
    pub falls: bool,
}

/// The energy by which steps are judged.
#[derive(Clone, Copy)]
struct Merit {
    mixed: bool,
}

impl Merit {
    /// Tension up to which stretch counts as quadratic, N.
    fn most(self, rod: &Solver) -> f64 {
        if self.mixed {
            rod.merit_tension()
        } else {
            f64::INFINITY
        }
    }
}

impl Together<'_> {
    /// Halves the step until the merit decreases enough. One that stretches the cable too much is curved first.
    pub(super) fn line_search(&mut self, from: f64, mixed: bool) -> Taken {
        let merit = Merit { mixed };
        let slope = self.slope();
        let awake = self.rods.iter().filter(|rod| rod.awake);
        let own: f64 = awake.map(|rod| rod.merit_now(merit.most(rod))).sum();
        let now = own + self.pairs.energy(self.rods);
        // Differences below the noise of the sum say nothing: take the step.
        let enough = |fraction: f64| now + 1e-4 * fraction * slope.min(0.0) + 1e-13 * now.abs();
        let mut fraction = from;
        for halvings in 0..10 {
            let then = self.merit_after(fraction, merit);
            let falls = then <= enough(fraction)
                || halvings < set::CURVED
                    && self.curve(fraction, then - now, enough(fraction), merit);
            if falls {
                return Taken { fraction, falls };
            }
            fraction *= 0.5;
        }
        Taken {
            fraction,
            falls: false,
        }
    }

    /// Derivative of the energy along the step, N mm.
    pub(super) fn slope(&self) -> f64 {
        let awake = self.rods.iter().filter(|rod| rod.awake);
        awake.map(Solver::slope).sum()
    }

    fn merit_after(&mut self, fraction: f64, merit: Merit) -> f64 {
        let mut then = 0.0;
        self.each(|rod| then += rod.merit_after(fraction, merit.most(rod)));
        then + self.pairs.trial_energy(self.rods)
    }

    /// Curves `fraction` of the step, whose merit has a `rise`; whether it then is `enough` and nothing is in the way.
    /// If not, the step is as it was.
    fn curve(&mut self, fraction: f64, rise: f64, enough: f64, merit: Merit) -> bool {
        self.each(|rod| rod.begin_curve(fraction));
        for _ in 0..set::CORRECTIONS {
            let mut stretch = 0.0;
            self.each(|rod| stretch += rod.push_back_stretch(fraction));
            if stretch < set::MOSTLY_STRETCH * rise {
                break;
            }
            self.back_substitute();
            self.each(Solver::add_correction);
            if self.limit_step().fraction < 1.0 {
                break;
            }
            if self.merit_after(1.0, merit) <= enough {
                self.each(|rod| rod.work.curved = true);
                return true;
            }
        }
        self.each(Solver::end_curve);
        false
    }
}

impl Solver {
    /// Keeps the straight step, and takes a fraction of it.
    fn begin_curve(&mut self, fraction: f64) {
        let work = &mut self.work;
        work.straight.copy_from_slice(&work.delta);
        for d in &mut work.delta {
            *d *= fraction;
        }
    }

    /// Back to the straight step.
    fn end_curve(&mut self) {
        let work = &mut self.work;
        work.delta.copy_from_slice(&work.straight);
        work.tried = None;
    }

    /// Puts the forces of what the step stretches beyond that fraction of its linear prediction on the right-hand side;
    /// the step itself waits in `work.uncorrected`. Returns the energy of that stretch.
    ///
    /// The forces act along the edges of the state, not of the step's end: by those of the state the soft motions that
    /// stretch nothing stay out of the answer.
    fn push_back_stretch(&mut self, fraction: f64) -> f64 {
        let stiffness = stiffness(&self.problem);
        let work = &mut self.work;
        moved(&self.state, &work.delta, 1.0, &mut work.trial);
        work.uncorrected.copy_from_slice(&work.delta);
        work.delta.fill(0.0);
        let mut energy = 0.0;
        for (i, &length) in self.problem.rod.rest_lengths().iter().enumerate() {
            let predicted = linear_edge(&self.state, &work.straight, i, fraction);
            let beyond = (local_edge(&work.trial, i) - predicted) / length;
            let force = stiffness.component_mul(&beyond);
            energy += 0.5 * length * force.dot(&beyond);
            let moment = force.cross(&local_edge(&self.state, i));
            let force = self.state.frames[i] * force;
            let [left, frame, right] = [layout::node(i), layout::frame(i), layout::node(i + 1)];
            for k in 0..3 {
                work.delta[left + k] += force[k];
                work.delta[right + k] -= force[k];
                work.delta[frame + k] -= moment[k];
            }
        }
        for (d, _) in (work.delta.iter_mut().zip(&self.fixed)).filter(|(_, fixed)| **fixed) {
            *d = 0.0;
        }
        energy
    }

    /// The step with what answers to its stretch.
    fn add_correction(&mut self) {
        let work = &mut self.work;
        for (d, step) in work.delta.iter_mut().zip(&work.uncorrected) {
            *d += step;
        }
    }
}

/// Edge `i` in its own axes.
fn local_edge(state: &RodState, i: usize) -> Vec3 {
    let x = &state.positions;
    state.frames[i].inverse_transform_vector(&(x[i + 1] - x[i]))
}

/// Edge `i` in its own axes after a fraction of a step, to first order.
pub(super) fn linear_edge(state: &RodState, step: &[f64], i: usize, fraction: f64) -> Vec3 {
    let gamma = local_edge(state, i);
    let stretch = entry(step, layout::node(i + 1)) - entry(step, layout::node(i));
    let turn = entry(step, layout::frame(i));
    let change = state.frames[i].inverse_transform_vector(&stretch) + gamma.cross(&turn);
    gamma + change * fraction
}
