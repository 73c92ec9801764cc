//! Contacts that a step would run into: the step is found again as if they were there already.
//!
//! A Newton step knows only the contacts of its state. One that leaves a surface for a moment, or comes to a new one,
//! plunges into it and is cut to almost nothing by the swept test; a cable that slides went by such little steps. So the
//! barrier of what stops a step is put into the system as it would be at a gap of [`LANDING`](set::LANDING), and the step
//! is solved again: it lands beside the surface and goes on along it.

use nalgebra::Vector6;

use super::banded::Banded;
use super::coupled::Coupled;
use super::direction::Limit;
use super::line_search::add_pair;
use super::newton::entry;
use super::settings as set;
use super::{Solver, layout};
use crate::contact::barrier::{barrier_gradient, barrier_hessian};
use crate::contact::{Contact, ContactSettings, Place, mollified};

/// A step that was found.
pub(super) struct Step {
    /// Largest motion of a node, mm.
    pub largest: f64,
    /// How far it may go.
    pub limit: Limit,
}

/// A contact ahead as a term of the system: a spring along the derivative of its distance.
#[derive(Clone, Debug)]
pub(super) struct Ahead {
    contact: Contact,
    /// Derivative of the distance in the two nodes of the contact's edge.
    direction: Vector6<f64>,
    /// Derivative of the energy in the distance at the state, N, and how it grows, N/mm.
    slope: f64,
    stiffness: f64,
}

impl Coupled<'_> {
    /// The step of a Newton iteration within `bound`, with that share of the last step's momentum, in `work.delta` of each
    /// rod. One that is cut short is found again with what it runs into, obstacles and other rods. A step that `carries` handles along may
    /// go uphill, others may not.
    pub(super) fn find_step(&mut self, bound: f64, momentum: f64, carries: bool) -> Step {
        let mut step = self.find_blindly(bound, momentum);
        for _ in 0..set::LOOKS {
            let fraction = step.limit.fraction;
            // A handle is not turned aside.
            let something = step.limit.cut.is_some() && step.limit.at_handle.is_none();
            if fraction >= set::SHORT || !something || self.look_ahead(fraction) == 0 {
                break;
            }
            step = self.find_blindly(bound, momentum);
            if step.limit.fraction < fraction || !carries && self.slope() >= 0.0 {
                self.each(|rod| rod.work.ahead.clear());
                self.pairs.forget_ahead();
                return self.find_blindly(bound, momentum);
            }
        }
        step
    }

    /// Takes what is met at `fraction` of the step into the systems; how many contacts are new.
    fn look_ahead(&mut self, fraction: f64) -> usize {
        let mut n_new = 0;
        self.pairs.bodies.straighten(self.rods, fraction);
        self.each(|rod| n_new += rod.look_ahead(fraction));
        n_new + self.pairs.look_ahead(self.rods, &self.awake, fraction)
    }

    fn find_blindly(&mut self, bound: f64, momentum: f64) -> Step {
        let largest = self.find_direction(bound, momentum);
        Step {
            largest,
            limit: self.limit_step(),
        }
    }
}

impl Solver {
    /// Looks for contacts at `fraction` of the step, where something stops it, and notes those that the rest of the step
    /// would press; how many are new.
    fn look_ahead(&mut self, fraction: f64) -> usize {
        self.try_step(fraction);
        let work = &mut self.work;
        let before = work.ahead.len();
        for contact in &work.trial_contacts {
            let i = contact.edge as usize;
            let way = entry(&work.delta, layout::node(i))
                .lerp(&entry(&work.delta, layout::node(i + 1)), contact.s);
            let approach = contact.normal.dot(&way);
            let there = contact.gap();
            let landing = set::LANDING * self.settings.barrier_distance;
            let known = work.ahead.iter().any(|a| is_same(&a.contact, contact));
            if known || there + (1.0 - fraction) * approach >= landing {
                continue;
            }
            let (left, right) = (&work.trial.positions[i], &work.trial.positions[i + 1]);
            let weight = contact.weight * mollified(contact, left, right);
            let [slope, stiffness] = barrier_at(landing, weight, &self.settings);
            let here = there - fraction * approach;
            let mut ahead = Ahead {
                contact: *contact,
                direction: Vector6::from_fn(|k, _| {
                    let weight = if k < 3 { 1.0 - contact.s } else { contact.s };
                    weight * contact.normal[k % 3]
                }),
                slope: slope + stiffness * (here - landing),
                stiffness,
            };
            // One that is felt already, if weakly, is in the system as it is now.
            if let Some(felt) = self.contacts.iter().find(|c| is_same(c, contact)) {
                let (left, right) = (&self.state.positions[i], &self.state.positions[i + 1]);
                let weight = felt.weight * mollified(felt, left, right);
                let gap = felt.gap();
                let [slope, stiffness] = barrier_at(gap, weight, &self.settings);
                ahead.slope -= slope;
                ahead.stiffness -= stiffness;
            }
            if ahead.stiffness > 0.0 {
                work.ahead.push(ahead);
            }
        }
        work.ahead.len() - before
    }
}

impl Ahead {
    /// The edge of the rod that it acts on.
    pub fn edge(&self) -> usize {
        self.contact.edge as usize
    }

    /// Adds it to a matrix and to the forces on the right-hand side.
    pub fn add_to(&self, matrix: &mut Banded, forces: &mut [f64]) {
        add_pair(forces, self.edge(), &(self.direction * -self.slope));
        let at = |k: usize| layout::node(self.edge() + k / 3) + k % 3;
        for i in 0..6 {
            for j in 0..=i {
                let value = self.direction[i] * self.direction[j];
                matrix.add(at(i), at(j), self.stiffness * value);
            }
        }
    }

    /// Derivative of its energy in the two nodes after that fraction of a step.
    pub fn force_after(&self, step: &[f64], fraction: f64) -> Vector6<f64> {
        let at = |k: usize| layout::node(self.edge() + k / 3) + k % 3;
        let way: f64 = (0..6).map(|k| self.direction[k] * step[at(k)]).sum();
        self.direction * (self.slope + self.stiffness * way * fraction)
    }
}

/// Slope and stiffness of the barrier at a gap, for a contact that stands for that length.
fn barrier_at(gap: f64, weight: f64, settings: &ContactSettings) -> [f64; 2] {
    let d = settings.barrier_distance;
    let scale = weight * settings.barrier_stiffness;
    [
        scale * barrier_gradient(gap, d),
        scale * barrier_hessian(gap, d),
    ]
}

/// Whether two contacts are of the same place of the rod with the same piece of the same obstacle.
fn is_same(a: &Contact, b: &Contact) -> bool {
    let pieces = |c: &Contact| match c.place {
        Place::Sample { number, triangle } => (false, number, triangle),
        Place::Crossing { mesh_edge, .. } => (true, c.edge, mesh_edge),
    };
    a.obstacle == b.obstacle && pieces(a) == pieces(b)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::contact::Obstacle;
    use crate::geom::Vec3;
    use crate::mesh::TriMesh;
    use crate::solve::line_search::tests::pulled_sideways;
    use crate::solve::{Pairs, Problem};

    /// A cable that hung at rest some millimetres beside a sheet, and whose weight pulls towards it now.
    fn beside_a_sheet() -> Solver {
        let mut solver = pulled_sideways();
        let corners = [
            (-100.0, -500.0),
            (900.0, -500.0),
            (900.0, 100.0),
            (-100.0, 100.0),
        ];
        let corners = corners.map(|(x, z)| Vec3::new(x, -6.0, z)).to_vec();
        let sheet = TriMesh::new(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        solver.set_problem(Problem {
            obstacles: Arc::new(vec![Obstacle::new(&sheet)]),
            ..solver.problem().clone()
        });
        solver
    }

    fn assembled<'a>(solver: &'a mut Solver, pairs: &'a mut Pairs) -> Coupled<'a> {
        let mut together = Coupled::new(std::slice::from_mut(solver), pairs, &[]);
        together.each(|rod| {
            rod.stay();
            rod.no_motion();
        });
        together.find_contacts();
        together.assemble(true);
        together
    }

    #[test]
    fn a_step_lands_beside_what_it_would_run_into() {
        let (mut solver, mut pairs) = (beside_a_sheet(), Pairs::default());
        let mut together = assembled(&mut solver, &mut pairs);
        let blind = together.find_blindly(100.0, 0.0);
        assert!(blind.limit.fraction < 0.2, "{}", blind.limit.fraction);

        let step = together.find_step(100.0, 0.0, false);
        assert!(!together.rods[0].work.ahead.is_empty());
        assert!(step.limit.fraction > 0.9, "{}", step.limit.fraction);
        assert!(together.slope() < 0.0, "downhill all the same");
        // All that is pressed ends within the barrier.
        together.each(|rod| rod.try_step(1.0));
        let rod = &together.rods[0];
        let sheet = rod.problem.obstacles[0].aabb().max.y;
        let lowest = rod.work.trial.positions.iter().map(|p| p.y);
        let gap = lowest.fold(f64::INFINITY, f64::min) - sheet - rod.settings.radius;
        let barrier = rod.settings.barrier_distance;
        assert!(gap > 0.2 * barrier && gap < barrier, "{gap}");
    }

    #[test]
    fn what_is_ahead_is_the_slope_and_stiffness_of_its_barrier() {
        let (mut solver, mut pairs) = (beside_a_sheet(), Pairs::default());
        let mut together = assembled(&mut solver, &mut pairs);
        let blind = together.find_blindly(100.0, 0.0);
        let rod = &mut together.rods[0];
        assert!(rod.look_ahead(blind.limit.fraction) > 0);
        let step = rod.work.delta.clone();
        for ahead in &rod.work.ahead {
            // At the fraction of the step that brings it to its landing, it pushes as the barrier there.
            let (i, s) = (ahead.edge(), ahead.contact.s);
            let sheet = rod.problem.obstacles[0].aabb().max.y;
            let at = |x: &Vec3, y: &Vec3| x.lerp(y, s).y;
            let (a, b) = (&rod.state.positions[i], &rod.state.positions[i + 1]);
            let here = at(a, b) - sheet - rod.settings.radius;
            let way = at(
                &entry(&step, layout::node(i)),
                &entry(&step, layout::node(i + 1)),
            );
            let landing = set::LANDING * rod.settings.barrier_distance;
            let force = ahead.force_after(&step, (landing - here) / way);
            let [slope, stiffness] = barrier_at(landing, ahead.contact.weight, &rod.settings);
            let expected = ahead.direction * slope;
            assert!(stiffness > 0.0 && expected.norm() > 0.0);
            assert!((force - expected).norm() < 1e-6 * expected.norm());
        }
    }
}
