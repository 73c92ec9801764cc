//! Rest length that moves along the cable: through a sliding handle, or in and out at its ends (free length).
//!
//! A flow moves rest length: its `gain` edges grow in proportion, its `loss` edges shrink. The driving force is the
//! derivative of the energy in the amount that has moved, the nodes staying where they are; in equilibrium it is zero.
//! For a sleeve this is the condition that n.t + M^2/(2 EI) + T^2/(2 GJ) does not jump across it. See
//! docs/theory/rod.md.

use std::ops::Range;

use super::coupled::Coupled;
use super::grip::{Grip, Hold};
use super::problem::Problem;
use super::run::Rest;
use super::settings as set;
use super::{Budget, Solver, step::GroupListener};
use crate::geom::Vec3;
use crate::rod::{Rod, RodState};

/// A way for material to move.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Edges that grow.
    pub gain: Range<usize>,
    /// Edges that shrink; empty where material comes from outside.
    pub loss: Range<usize>,
    /// Tension with which material from outside is held back, N; 0 for a flow within the cable.
    pub pull: f64,
    /// Smallest and largest rest length of the edges that grow, mm.
    pub limits: [f64; 2],
}

/// What is remembered of a flow from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FlowState {
    /// How the driving force grows with the amount, N/mm, where it is known.
    slope: Option<f64>,
    /// Driving force at the last equilibrium, N.
    pub force: f64,
    /// Whether it was found where nothing drives it, or a limit holds it.
    pub balanced: bool,
}

impl FlowState {
    /// Of a flow that has not been looked at.
    pub const NEW: Self = Self::with_slope(None);

    /// Of one of which only that is known.
    pub const fn with_slope(slope: Option<f64>) -> Self {
        Self {
            slope,
            force: 0.0,
            balanced: true,
        }
    }

    /// How the driving force grows with the amount, N/mm, where it is known.
    pub fn slope(&self) -> Option<f64> {
        self.slope
    }
}

/// An amount that was tried, mm, and the force that drove the flow there, N.
type Tried = (f64, f64);

/// Amounts on both sides of the balance (regula falsi with the Illinois rule).
#[derive(Default)]
struct Bracket {
    forward: Option<Tried>,
    backward: Option<Tried>,
    /// Which side was drawn in last.
    forward_last: Option<bool>,
}

impl Bracket {
    /// Draws one side in to an amount that was tried. The side that stays counts half, so that it does not stay for ever.
    fn draw_in(&mut self, amount: f64, force: f64) {
        let is_forward = force > 0.0;
        let (drawn, stays) = if is_forward {
            (&mut self.forward, &mut self.backward)
        } else {
            (&mut self.backward, &mut self.forward)
        };
        *drawn = Some((amount, force));
        if self.forward_last == Some(is_forward) {
            *stays = stays.map(|(a, f)| (a, 0.5 * f));
        }
        self.forward_last = Some(is_forward);
    }

    /// The amount where nothing drives the flow by the line between both sides, once there are two.
    fn zero(&self) -> Option<f64> {
        let ((a, fa), (b, fb)) = self.forward.zip(self.backward)?;
        // Between slack and taut the force leaps: there the middle is better than the secant.
        Some(if is_leap(fa, -fb) {
            0.5 * (a + b)
        } else {
            a + (b - a) * fa / (fa - fb)
        })
    }

    /// Distance of its sides, mm.
    fn width(&self) -> f64 {
        let sides = self.forward.zip(self.backward);
        sides.map_or(f64::INFINITY, |((a, _), (b, _))| (a - b).abs())
    }
}

impl Flow {
    /// Rest length of edge `i` for 1 mm of flow.
    fn share(&self, rod: &Rod, i: usize) -> f64 {
        let lengths = rod.rest_lengths();
        let part = |edges: &Range<usize>| lengths[i] / lengths[edges.clone()].iter().sum::<f64>();
        if self.gain.contains(&i) {
            part(&self.gain)
        } else if self.loss.contains(&i) {
            -part(&self.loss)
        } else {
            0.0
        }
    }

    /// Rest length of the edges that grow, mm.
    pub fn gained(&self, rod: &Rod) -> f64 {
        rod.rest_lengths()[self.gain.clone()].iter().sum()
    }

    /// Force that drives the flow, N: minus the derivative of the energy in the amount that has moved.
    pub fn force(&self, rod: &Rod, state: &RodState, gravity: &Vec3) -> f64 {
        let edges = self.gain.clone().chain(self.loss.clone());
        let slope: f64 = edges
            .map(|i| self.share(rod, i) * (edge_slope(rod, state, gravity, i)))
            .sum();
        let outside = if self.loss.is_empty() {
            // What comes in has its weight's energy at the ends of the stretch, between their heights.
            let (a, b) = (
                state.positions[self.gain.start],
                state.positions[self.gain.end],
            );
            let weight = gravity * (1e-3 * rod.section_of(self.gain.start).mass_kg_m);
            self.pull + weight.dot(&(a + b)) * 0.5
        } else {
            0.0
        };
        -(slope + outside)
    }
}

/// Whether one of two forces is so much larger that the line between them says nothing about where it is zero.
fn is_leap(a: f64, b: f64) -> bool {
    a.max(b) > set::FLOW_LEAP * a.min(b)
}

/// Derivative of the energy in the rest length of edge `i`, the nodes staying where they are, N.
///
/// Stretch: E = l/2 G.CG with G = gamma/l - e3 gives G.CG/2 - n.gamma/l. A joint of length m, of which the edge owns
/// half: E = B (kappa - k0 m)^2 / (2 m) gives -B (kappa^2/m^2 - k0^2)/2 each, and where B of the joint is not B_i of the
/// edge -B (kappa/m - k0)^2 (B/B_i - 1)/2 more: the compliance m/B grows by 1/(2 B_i). Weight: -w.x at the middle.
fn edge_slope(rod: &Rod, state: &RodState, gravity: &Vec3, i: usize) -> f64 {
    let section = rod.section_of(i);
    let stiffness = rod.edge_stiffness(i);
    let (x0, x1) = (&state.positions[i], &state.positions[i + 1]);
    let gamma = state.frames[i].inverse_transform_vector(&(x1 - x0)) / rod.rest_lengths()[i];
    let strain = gamma - Vec3::z();
    let force = stiffness.component_mul(&strain);
    let mut slope = 0.5 * strain.dot(&force) - force.dot(&gamma);
    for j in [i, i + 1] {
        let Some((left, right)) = state.joint(j) else {
            continue;
        };
        let joint = rod.joint(j);
        let m = joint.length;
        let now = crate::rod::bend_twist(left, right, state.turns[j]);
        let part = |b: f64, own: f64, now: f64, rest: f64| {
            let uneven = if b == own { 0.0 } else { b / own - 1.0 };
            let squares = now * now - rest * rest + uneven * (now - rest) * (now - rest);
            -0.5 * b * squares / (m * m)
        };
        let [b1, b2] = joint.bending;
        let energy = part(b1, section.bending[0], now.bend[0], joint.rest.bend[0])
            + part(b2, section.bending[1], now.bend[1], joint.rest.bend[1])
            + part(joint.torsion, section.torsion, now.twist, joint.rest.twist);
        slope += 0.5 * energy;
    }
    let weight = gravity * (1e-3 * section.mass_kg_m);
    slope - weight.dot(&(x0 + x1)) * 0.5
}

impl Solver {
    /// Rest lengths with `amount` mm of the flow moved.
    fn flowed(&self, flow: &Flow, amount: f64) -> Option<Rod> {
        let rod = &self.problem.rod;
        let lengths = (0..rod.n_edges())
            .map(|i| rod.rest_lengths()[i] + amount * flow.share(rod, i))
            .collect();
        rod.with_lengths(lengths).ok()
    }

    /// Where the grips sit after a flow within the rod has made it `rod`: a spring stays on its piece of the cable, which is
    /// on another part of its edge now. What comes in from outside stretches all places alike.
    fn flowed_grips(&self, flow: &Flow, rod: &Rod) -> Vec<Grip> {
        let moved = |grip: &Grip| match grip.hold {
            Hold::Spring(_) if !flow.loss.is_empty() => {
                let arc_length = grip.place.arc_length(&self.problem.rod);
                Grip::nearest(rod, arc_length, grip.hold)
            }
            _ => *grip,
        };
        self.problem.grips.iter().map(moved).collect()
    }

    /// Force that drives a flow at the state, N: that of the rod, and of springs, whose places run along with the material.
    fn driving_force(&self, flow: &Flow) -> f64 {
        let Problem {
            rod,
            gravity,
            grips,
            ..
        } = &self.problem;
        let mut force = flow.force(rod, &self.state, gravity);
        if flow.loss.is_empty() {
            return force;
        }
        for (grip, memory) in grips.iter().zip(&self.grips) {
            let Hold::Spring(stiffness) = grip.hold else {
                continue;
            };
            let (edge, t) = grip.place.span(rod.n_edges());
            let in_front: f64 = (0..edge).map(|i| flow.share(rod, i)).sum();
            let along = -(in_front + t * flow.share(rod, edge)) / rod.rest_lengths()[edge];
            let x = &self.state.positions;
            let pull = (grip.place.point(&self.state) - memory.anchor) * stiffness;
            force -= pull.dot(&(x[edge + 1] - x[edge])) * along;
        }
        force
    }

    /// Force that still drives a flow of [`super::Problem::flows`], N: 0 but for the tolerance, unless a limit holds it.
    pub fn flow_force(&self, flow: usize) -> f64 {
        self.flows[flow].force
    }
}

impl Coupled<'_> {
    /// Moves rest length until nothing drives it, or a limit holds it; counts on the iterations of the step, and begins
    /// nothing once they are used up. The rods are at rest before and after.
    pub(super) fn relax_flows(
        &mut self,
        budget: &Budget,
        listener: &mut GroupListener,
        iterations: &mut usize,
    ) {
        for r in 0..self.rods.len() {
            if !self.rods[r].awake || self.rods[r].problem.flows.is_empty() {
                continue;
            }
            for _ in 0..set::FLOW_SWEEPS {
                let before = *iterations;
                for k in 0..self.rods[r].problem.flows.len() {
                    let balanced = self.relax_flow(r, k, budget, listener, iterations);
                    self.rods[r].flows[k].balanced = balanced;
                }
                // One flow is in balance now; several disturb each other.
                if *iterations == before || self.rods[r].flows.len() == 1 || budget.is_cancelled() {
                    break;
                }
            }
        }
    }

    /// Finds the amount at which nothing drives the flow: secant steps until it is bracketed, then regula falsi with the
    /// Illinois rule. Every amount that is tried ends in an equilibrium. Whether it was found.
    fn relax_flow(
        &mut self,
        r: usize,
        k: usize,
        budget: &Budget,
        listener: &mut GroupListener,
        iterations: &mut usize,
    ) -> bool {
        let flow = self.rods[r].problem.flows[k].clone();
        let gravity = self.rods[r].problem.gravity;
        let mut force = self.rods[r].driving_force(&flow);
        let mut amount = 0.0;
        let mut found = false;
        let mut bracket = Bracket::default();
        let scale = 0.1 * self.rods[r].problem.rod.force_scale(&gravity);
        for _ in 0..set::FLOW_ROUNDS {
            self.rods[r].flows[k].force = force;
            let tension = self.rods[r]
                .tension
                .iter()
                .map(Vec3::norm)
                .fold(0.0, f64::max);
            if force.abs() <= set::FLOW_TOLERANCE * tension.max(scale) {
                return true;
            }
            if budget.is_cancelled() || *iterations > set::STEP_ITERATIONS {
                return false;
            }
            bracket.draw_in(amount, force);
            let gained = flow.gained(&self.rods[r].problem.rod);
            let lost: f64 = self.rods[r].problem.rod.rest_lengths()[flow.loss.clone()]
                .iter()
                .sum();
            let smaller = if flow.loss.is_empty() {
                gained
            } else {
                gained.min(lost)
            };
            let most = set::FLOW_STAGE * smaller;
            let wanted = match (bracket.zero(), self.rods[r].flows[k].slope) {
                (Some(zero), _) => zero - amount,
                (None, Some(slope)) => force / slope,
                (None, None) => force.signum() * 0.5 * most,
            };
            let [least_gain, most_gain] = flow.limits;
            let change = wanted.clamp(-most, most).clamp(
                (least_gain - gained).min(0.0),
                (most_gain - gained).max(0.0),
            );
            if change.abs() <= 1e-10 * gained {
                return true;
            }
            // Where a straight cable becomes taut the force leaps: the length is known all the same.
            let known = bracket.width() <= set::FLOW_LENGTH * gained;
            let Some(made) = self.run_flow(r, &flow, change, budget, listener, iterations) else {
                return known;
            };
            found = known;
            let now = self.rods[r].driving_force(&flow);
            let slope = (force - now) / made;
            self.rods[r].flows[k].slope = (slope.is_finite() && slope > 0.0).then_some(slope);
            amount += made;
            force = now;
        }
        self.rods[r].flows[k].force = force;
        found
    }

    /// Moves `change` mm of material, or a part of it where no equilibrium is found so far; what was moved.
    fn run_flow(
        &mut self,
        r: usize,
        flow: &Flow,
        change: f64,
        budget: &Budget,
        listener: &mut GroupListener,
        iterations: &mut usize,
    ) -> Option<f64> {
        let mut change = change;
        for _ in 0..4 {
            let rod = self.rods[r].flowed(flow, change)?;
            let grips = self.rods[r].flowed_grips(flow, &rod);
            let problem = &mut self.rods[r].problem;
            let before = std::mem::replace(&mut problem.rod, rod);
            let grips_before = std::mem::replace(&mut problem.grips, grips);
            self.each(Solver::stay);
            self.begin();
            let run = self.run_to_rest(usize::MAX, budget);
            *iterations += run.iterations;
            if matches!(run.rest, Rest::Found { .. }) && self.is_finite() {
                self.commit(&run, listener);
                return Some(change);
            }
            self.rods[r].problem.rod = before;
            self.rods[r].problem.grips = grips_before;
            self.give_up();
            if run.rest == Rest::Cancelled {
                return None;
            }
            change *= 0.25;
        }
        None
    }
}
