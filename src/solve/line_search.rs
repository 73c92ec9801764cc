//! How much of a Newton step is taken: the line search, and steps that follow the curved valley of a stiff cable.
//!
//! A cable is thousands of times stiffer along itself than across. A straight step that turns an edge by theta
//! stretches it by theta^2 / 2: some degrees, and the energy rises whatever else the step is good for. A contact is as
//! stiff, and its normal turns. The correction of second order (against the Maratos effect) takes that out again: what
//! the step stretches and presses beyond its own linear prediction is a force, and the system that is factored already
//! says which motion gives way to it.

use nalgebra::Vector6;

use super::coupled::Coupled;
use super::newton::entry;
use super::settings as set;
use super::{Solver, layout};
use crate::contact::contact_term;
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

impl Coupled<'_> {
    /// Halves the step until the merit decreases enough. One that stretches or presses too much is curved first, where
    /// `curves` are worth their cost.
    pub(super) fn line_search(&mut self, from: f64, mixed: bool, curves: bool) -> Taken {
        let merit = Merit { mixed };
        let slope = self.slope();
        let own: f64 = self
            .awake_rods()
            .map(|rod| rod.merit_now(merit.most(rod)))
            .sum();
        let now = own + self.pairs.energy(self.rods) + self.pairs.bodies.energy(self.rods);
        // Differences below the noise of the sum say nothing: take the step.
        let enough = |fraction: f64| now + 1e-4 * fraction * slope.min(0.0) + 1e-13 * now.abs();
        let mut fraction = from;
        for halvings in 0..10 {
            let then = self.merit_after(fraction, merit);
            let falls = then <= enough(fraction)
                || curves
                    && halvings < set::CURVED
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
        self.awake_rods().map(Solver::slope).sum::<f64>() + self.pairs.bodies.slope(self.rods)
    }

    fn merit_after(&mut self, fraction: f64, merit: Merit) -> f64 {
        self.pairs.bodies.straighten(self.rods, fraction);
        let mut then = self.pairs.bodies.energy_after(self.rods, fraction);
        self.each(|rod| then += rod.merit_after(fraction, merit.most(rod)));
        then + self.pairs.trial_energy(self.rods, &self.awake)
    }

    /// Curves `fraction` of the step, whose merit has a `rise`; whether it then is `enough` and nothing is in the way.
    /// If not, the step is as it was.
    fn curve(&mut self, fraction: f64, rise: f64, enough: f64, merit: Merit) -> bool {
        self.each(|rod| rod.begin_curve(fraction));
        self.pairs.bodies.begin_curve(self.rods, fraction);
        for _ in 0..set::CORRECTIONS {
            let mut stiff = 0.0;
            self.each(|rod| stiff += rod.push_back(fraction));
            self.pairs.bodies.push_back(self.rods);
            if stiff < set::MOSTLY_STIFF * rise {
                break;
            }
            self.back_substitute();
            self.each(Solver::add_correction);
            self.pairs.bodies.add_correction(self.rods);
            if self.merit_after(1.0, merit) <= enough {
                if self.limit_step().fraction < 1.0 {
                    break;
                }
                self.each(|rod| rod.work.curved = true);
                return true;
            }
        }
        self.each(Solver::end_curve);
        self.pairs.bodies.end_curve(self.rods);
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

    /// Puts the forces of what the step stretches and presses beyond that fraction of its linear prediction on the
    /// right-hand side; the step itself waits in `work.uncorrected`. Returns the energy that these stiff terms gain. The
    /// step's end and its contacts are in `work.trial`.
    fn push_back(&mut self, fraction: f64) -> f64 {
        let work = &mut self.work;
        work.uncorrected.copy_from_slice(&work.delta);
        work.delta.fill(0.0);
        let energy = self.push_back_stretch(fraction) + self.push_back_contacts(fraction).max(0.0);
        let entries = self.work.delta.iter_mut().zip(&self.fixed);
        for (d, _) in entries.filter(|(_, fixed)| **fixed) {
            *d = 0.0;
        }
        energy
    }

    /// The forces act along the edges of the state, not of the step's end: by those of the state the soft motions that
    /// stretch nothing stay out of the answer.
    fn push_back_stretch(&mut self, fraction: f64) -> f64 {
        let work = &mut self.work;
        let mut energy = 0.0;
        for (i, &length) in self.problem.rod.rest_lengths().iter().enumerate() {
            let stiffness = self.problem.rod.edge_stiffness(i);
            let predicted = linear_edge(&self.state, &work.straight, i, fraction);
            let beyond = (local_edge(&work.trial, i) - predicted) / length;
            let force = stiffness.component_mul(&beyond);
            energy += 0.5 * length * force.dot(&beyond);
            let moment = force.cross(&local_edge(&self.state, i));
            let force = self.state.frames[i] * force;
            add(&mut work.delta, layout::node(i), &force);
            add(&mut work.delta, layout::node(i + 1), &-force);
            add(&mut work.delta, layout::frame(i), &-moment);
        }
        energy
    }

    /// The forces of the contacts at the step's end, without what those of the state and their stiffness predict.
    fn push_back_contacts(&mut self, fraction: f64) -> f64 {
        let work = &mut self.work;
        let mut energy = 0.0;
        for contact in &work.trial_contacts {
            let i = contact.edge as usize;
            let x = &work.trial.positions;
            let term = contact_term(contact, &x[i], &x[i + 1], &self.settings, false);
            energy += term.energy;
            add_pair(&mut work.delta, i, &-term.gradient);
        }
        for contact in &self.contacts {
            let i = contact.edge as usize;
            let x = &self.state.positions;
            let term = contact_term(contact, &x[i], &x[i + 1], &self.settings, false);
            energy -= term.energy;
            let step = Vector6::from_fn(|k, _| work.straight[layout::node(i + k / 3) + k % 3]);
            let predicted = term.gradient + term.hessian * step * fraction;
            add_pair(&mut work.delta, i, &predicted);
        }
        for ahead in &work.ahead {
            let predicted = ahead.force_after(&work.straight, fraction);
            add_pair(&mut work.delta, ahead.edge(), &predicted);
        }
        energy
    }

    /// The step with what answers to those forces.
    fn add_correction(&mut self) {
        let work = &mut self.work;
        for (d, step) in work.delta.iter_mut().zip(&work.uncorrected) {
            *d += step;
        }
    }
}

/// Adds to three entries of a vector of unknowns.
fn add(v: &mut [f64], at: usize, value: &Vec3) {
    for k in 0..3 {
        v[at + k] += value[k];
    }
}

/// Adds to the entries of the two nodes of edge `i`.
pub(super) fn add_pair(v: &mut [f64], i: usize, value: &Vector6<f64>) {
    for k in 0..6 {
        v[layout::node(i + k / 3) + k % 3] += value[k];
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::geom::{Pose, Rotation};
    use crate::rod::{Rod, Section};
    use crate::solve::{CancelToken, Pairs, Problem, Target, first_state};

    /// A cable that hangs at rest, and whose weight then pulls sideways.
    pub(in crate::solve) fn pulled_sideways() -> Solver {
        let section = Section {
            bending: [1500.0; 2],
            torsion: 1100.0,
            axial: 1e4,
            shear: 1e4,
            mass_kg_m: 0.05,
        };
        let rod = Rod::uniform(1000.0, 50, section).unwrap();
        let along_x = Rotation::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2);
        let ends = [0.0, 800.0].map(|x| Pose {
            position: Vec3::x() * x,
            rotation: along_x,
        });
        let problem = Problem {
            gravity: Vec3::z() * -9.81,
            ..Problem::clamped(rod, 4.0)
        };
        let targets = ends.map(|pose| Some(Target::from(pose)));
        let state = first_state(&problem, &targets, &|_| true);
        let mut solver = Solver::new(problem, state);
        solver.step(&targets, &CancelToken::default(), None);
        let turned = Problem {
            gravity: Vec3::y() * -9.81,
            ..solver.problem().clone()
        };
        solver.set_problem(turned);
        solver
    }

    /// A Newton step of at most 60 mm; its largest way.
    fn find_step(together: &mut Coupled) -> f64 {
        together.each(|rod| {
            rod.stay();
            rod.no_motion();
        });
        together.find_contacts();
        together.assemble(false);
        together.find_direction(60.0, 0.0)
    }

    fn stretch(rod: &Solver, state: &RodState) -> f64 {
        let lengths = rod.problem.rod.rest_lengths().iter().enumerate();
        let off = |i: usize, length: f64| local_edge(state, i) / length - Vec3::z();
        lengths
            .map(|(i, &l)| 0.5 * l * 1e4 * off(i, l).norm_squared())
            .sum()
    }

    #[test]
    fn a_curved_step_takes_out_what_a_straight_one_stretches() {
        let mut solver = pulled_sideways();
        let mut pairs = Pairs::default();
        let mut together = Coupled::new(std::slice::from_mut(&mut solver), &mut pairs, &[]);
        let way = find_step(&mut together);
        assert!(way > 20.0, "{way} mm prove nothing");
        let merit = Merit { mixed: false };
        let now = together.rods[0].energy();
        let straight = together.merit_after(1.0, merit);
        let straight_stretch = stretch(&together.rods[0], &together.rods[0].work.trial);
        assert!(straight > now, "a straight step must fail here");

        assert!(together.curve(1.0, straight - now, now, merit));
        let rod = &together.rods[0];
        let curved = stretch(rod, &rod.work.trial);
        assert!(
            curved < 0.05 * straight_stretch,
            "{curved} of {straight_stretch}"
        );
        // It goes where the straight one went.
        let both = rod.work.trial.positions.iter().zip(&rod.state.positions);
        let moved = both.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(moved > 0.5 * way, "{moved} of {way}");
    }

    #[test]
    fn a_curve_that_does_not_help_leaves_the_step_as_it_was() {
        let mut solver = pulled_sideways();
        let mut pairs = Pairs::default();
        let mut together = Coupled::new(std::slice::from_mut(&mut solver), &mut pairs, &[]);
        find_step(&mut together);
        let step = together.rods[0].work.delta.clone();
        let merit = Merit { mixed: false };
        together.merit_after(1.0, merit);
        assert!(!together.curve(1.0, 1.0, f64::NEG_INFINITY, merit));
        assert_eq!(together.rods[0].work.delta, step);
        assert!(!together.rods[0].work.curved);
    }
}
