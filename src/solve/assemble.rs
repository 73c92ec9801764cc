//! Energy, gradient and Hessian of the whole: every term is scattered here and nowhere else.

use super::banded::Banded;
use super::depenetration::Pull;
use super::grip::{GripState, Hold};
use super::inertia::Inertia;
use super::layout;
use super::problem::{Load, Problem};
use super::report::Energies;
use crate::contact::friction::FrictionContact;
use crate::contact::{Contact, ContactSettings, contact_term};
use crate::geom::{Mat3, Vec3};
use crate::rod::{Joint, RodState, edge_term, joint_term};

/// Gradient and Hessian of the energy at a state.
#[derive(Clone, Debug, Default)]
pub struct System {
    /// First derivative: minus the force on each unknown.
    pub gradient: Vec<f64>,
    /// Second derivative.
    pub matrix: Banded,
    /// Energy by term.
    pub energies: Energies,
}

/// What a system is assembled from.
pub struct Terms<'a> {
    /// The rod and its loads.
    pub problem: &'a Problem,
    /// Where it is.
    pub state: &'a RodState,
    /// What its grips remember.
    pub grips: &'a [GripState],
    /// Independent axial and shear forces of the mixed method; `None` for the exact Hessian.
    pub tension: Option<&'a [Vec3]>,
    /// Active contacts at `state`.
    pub contacts: &'a [Contact],
    /// Nodes that are drawn out of bodies.
    pub pulls: &'a [Pull],
    /// Friction of the last equilibrium.
    pub friction: &'a [FrictionContact],
    /// Constants of contact.
    pub settings: &'a ContactSettings,
    /// Whether the contact Hessian is exact (otherwise only its positive part).
    pub contact_curvature: bool,
    /// What the rod has beside in motion over time.
    pub inertia: Option<&'a Inertia>,
}

impl Terms<'_> {
    /// Joint `j`, with what damps it.
    fn joint(&self, j: usize) -> Joint {
        let joint = self.problem.rod.joint(j);
        self.inertia.map_or(joint, |inertia| inertia.damp(j, joint))
    }
}

impl System {
    /// An empty system for a rod with `n_edges`.
    pub fn new(n_edges: usize) -> Self {
        let n = layout::n_unknowns(n_edges);
        Self {
            gradient: vec![0.0; n],
            matrix: Banded::zeros(n),
            energies: Energies::default(),
        }
    }

    pub(super) fn add_gradient(&mut self, at: usize, value: &Vec3) {
        for k in 0..3 {
            self.gradient[at + k] += value[k];
        }
    }

    /// Assembles everything; `contact_forces` gets the normal force of each contact.
    pub fn assemble(&mut self, terms: &Terms, contact_forces: &mut Vec<f64>) {
        self.gradient.fill(0.0);
        self.matrix.clear();
        self.energies = Energies::default();
        self.add_edges::<true>(terms);
        self.add_joints::<true>(terms);
        self.add_loads(terms);
        self.add_springs(terms);
        if let Some(inertia) = terms.inertia {
            inertia.add_to(self, terms.state);
        }
        contact_forces.clear();
        for contact in terms.contacts {
            let i = contact.edge as usize;
            let x = &terms.state.positions;
            let term = contact_term(
                contact,
                &x[i],
                &x[i + 1],
                terms.settings,
                terms.contact_curvature,
            );
            self.energies.contact += term.energy;
            contact_forces.push(term.force);
            let (left, right) = (layout::node(i), layout::node(i + 1));
            for k in 0..3 {
                self.gradient[left + k] += term.gradient[k];
                self.gradient[right + k] += term.gradient[3 + k];
            }
            self.add_contact_hessian(i, &term.hessian);
        }
        for friction in terms.friction {
            let i = friction.edge as usize;
            let x = &terms.state.positions;
            let term = friction.term(&x[i].lerp(&x[i + 1], friction.s), terms.settings.slip);
            self.energies.friction += term.energy;
            let (left, right) = (layout::node(i), layout::node(i + 1));
            let (a, b) = (1.0 - friction.s, friction.s);
            self.add_gradient(left, &(term.gradient * a));
            self.add_gradient(right, &(term.gradient * b));
            self.matrix.add_block(left, left, &(term.hessian * (a * a)));
            self.matrix
                .add_block(right, left, &(term.hessian * (a * b)));
            self.matrix
                .add_block(right, right, &(term.hessian * (b * b)));
        }
    }

    /// Assembles energy and gradient of a rod that touches nothing and that no spring pulls, and keeps the Hessian.
    pub fn assemble_forces(&mut self, terms: &Terms) {
        self.gradient.fill(0.0);
        self.energies = Energies::default();
        self.add_edges::<false>(terms);
        self.add_joints::<false>(terms);
        self.add_loads(terms);
    }

    /// Largest diagonal entry of a node, N/mm.
    pub fn stiffest_node(&self) -> f64 {
        let positions = (0..self.gradient.len()).filter(|&k| layout::is_position(k));
        let entries = positions.map(|k| self.matrix.diagonal(k));
        entries.fold(0.0, f64::max)
    }

    fn add_contact_hessian(&mut self, i: usize, hessian: &nalgebra::Matrix6<f64>) {
        let (left, right) = (layout::node(i), layout::node(i + 1));
        for (row, column, at) in [
            (left, left, (0, 0)),
            (right, left, (3, 0)),
            (right, right, (3, 3)),
        ] {
            let block = hessian.fixed_view::<3, 3>(at.0, at.1).into_owned();
            self.matrix.add_block(row, column, &block);
        }
    }

    /// Takes the curvature of the contacts' distances, with which `terms` were assembled, out of the matrix again.
    pub fn drop_contact_curvature(&mut self, terms: &Terms) {
        for contact in terms.contacts {
            let i = contact.edge as usize;
            let (a, b) = (&terms.state.positions[i], &terms.state.positions[i + 1]);
            let [with, without] =
                [true, false].map(|c| contact_term(contact, a, b, terms.settings, c).hessian);
            self.add_contact_hessian(i, &(without - with));
        }
    }

    /// The kernels are compiled into these two: what is not CURVED computes no Hessian.
    fn add_edges<const CURVED: bool>(&mut self, terms: &Terms) {
        let (rod, state) = (&terms.problem.rod, terms.state);
        for (i, &length) in rod.rest_lengths().iter().enumerate() {
            let stiffness = rod.edge_stiffness(i);
            let (x0, x1) = (&state.positions[i], &state.positions[i + 1]);
            let geometric = terms.tension.map(|t| &t[i]);
            let term = edge_term(x0, &state.frames[i], x1, &stiffness, length, geometric);
            self.energies.stretch += term.energy;
            let (left, frame, right) = (layout::node(i), layout::frame(i), layout::node(i + 1));
            self.add_gradient(left, &-term.force);
            self.add_gradient(frame, &term.moment);
            self.add_gradient(right, &term.force);
            if !CURVED {
                continue;
            }
            let m = &mut self.matrix;
            m.add_block(left, left, &term.node_node);
            m.add_block(frame, left, &-term.node_frame.transpose());
            m.add_block(frame, frame, &term.frame_frame);
            m.add_block(right, left, &-term.node_node);
            m.add_block(right, frame, &term.node_frame);
            m.add_block(right, right, &term.node_node);
        }
    }

    fn add_joints<const CURVED: bool>(&mut self, terms: &Terms) {
        let (rod, state) = (&terms.problem.rod, terms.state);
        let n = rod.n_edges();
        for j in 0..=n {
            let Some((a, b)) = state.joint(j) else {
                continue;
            };
            let term = joint_term(a, b, state.turns[j], &terms.joint(j));
            self.energies.bend += term.energy - term.twist_energy;
            self.energies.twist += term.twist_energy;
            let left = if j == 0 {
                layout::clamp(0, n)
            } else {
                layout::frame(j - 1)
            };
            let right = if j == n {
                layout::clamp(1, n)
            } else {
                layout::frame(j)
            };
            self.add_gradient(left, &term.gradient[0]);
            self.add_gradient(right, &term.gradient[1]);
            if !CURVED {
                continue;
            }
            self.matrix.add_block(left, left, &term.hessian[0]);
            self.matrix
                .add_block(right, left, &term.hessian[1].transpose());
            self.matrix.add_block(right, right, &term.hessian[2]);
        }
    }

    fn add_loads(&mut self, terms: &Terms) {
        let (problem, state) = (terms.problem, terms.state);
        for i in 0..problem.rod.n_nodes() {
            let weight = problem.rod.node_weight(i, &problem.gravity);
            self.energies.load -= weight.dot(&state.positions[i]);
            self.add_gradient(layout::node(i), &-weight);
        }
        for load in &problem.loads {
            let (edge, t) = load.place.span(problem.rod.n_edges());
            self.energies.load -= load.force.dot(&load.place.point(state));
            self.add_gradient(layout::node(edge), &(load.force * (t - 1.0)));
            self.add_gradient(layout::node(edge + 1), &(load.force * -t));
            // Virtual work M . (R theta).
            let moment = state.frames[edge].inverse_transform_vector(&load.moment);
            self.add_gradient(layout::frame(edge), &-moment);
        }
    }

    fn add_springs(&mut self, terms: &Terms) {
        let n = terms.problem.rod.n_edges();
        for (grip, memory) in terms.problem.grips.iter().zip(terms.grips) {
            let Hold::Spring(stiffness) = grip.hold else {
                continue;
            };
            let (edge, t) = grip.place.span(n);
            let pull = grip.place.point(terms.state) - memory.anchor;
            self.energies.spring += 0.5 * stiffness * pull.norm_squared();
            let (left, right) = (layout::node(edge), layout::node(edge + 1));
            let (a, b) = (1.0 - t, t);
            self.add_gradient(left, &(pull * (stiffness * a)));
            self.add_gradient(right, &(pull * (stiffness * b)));
            let k = Mat3::identity() * stiffness;
            self.matrix.add_block(left, left, &(k * (a * a)));
            self.matrix.add_block(right, left, &(k * (a * b)));
            self.matrix.add_block(right, right, &(k * (b * b)));
        }
        for pull in terms.pulls {
            let at = layout::node(pull.node);
            let off = terms.state.positions[pull.node] - pull.target;
            self.energies.spring += 0.5 * pull.stiffness * off.norm_squared();
            self.add_gradient(at, &(off * pull.stiffness));
            self.matrix
                .add_block(at, at, &(Mat3::identity() * pull.stiffness));
        }
    }

    /// Every entry of `sigma` times a mass-like diagonal: per unit length for positions, and for frames as if the mass
    /// sat at `arm` from the centerline.
    pub fn masses(problem: &Problem, sigma: f64, arm: f64, mut entry: impl FnMut(usize, f64)) {
        for i in 0..problem.rod.n_nodes() {
            let mass = sigma * problem.rod.joint_length(i);
            (layout::node(i)..layout::node(i) + 3).for_each(|at| entry(at, mass));
        }
        for (i, length) in problem.rod.rest_lengths().iter().enumerate() {
            let mass = sigma * length * arm * arm;
            (layout::frame(i)..layout::frame(i) + 3).for_each(|at| entry(at, mass));
        }
    }
}

/// Energy for the line search: axial stretch is quadratic up to the tension `most` and linear beyond, so that a
/// stiff cable does not crawl along its inextensible valley.
pub fn merit(terms: &Terms, most: f64) -> f64 {
    let (rod, state) = (&terms.problem.rod, terms.state);
    let mut energy = 0.0;
    for (i, &length) in rod.rest_lengths().iter().enumerate() {
        let stiffness = rod.edge_stiffness(i);
        let (x0, x1) = (&state.positions[i], &state.positions[i + 1]);
        let n = crate::rod::axial_shear_force(x0, &state.frames[i], x1, &stiffness, length);
        let huber = |force: f64, k: f64| {
            let f = force.abs();
            if f <= most {
                0.5 * f * f / k
            } else {
                (f - 0.5 * most) * most / k
            }
        };
        energy += length * (0..3).map(|k| huber(n[k], stiffness[k])).sum::<f64>();
    }
    for j in 0..=rod.n_edges() {
        if let Some((a, b)) = state.joint(j) {
            let [bend, twist] = terms.joint(j).energies(a, b, state.turns[j]);
            energy += bend + twist;
        }
    }
    for i in 0..rod.n_nodes() {
        let weight = rod.node_weight(i, &terms.problem.gravity);
        energy -= weight.dot(&state.positions[i]);
    }
    for Load { place, force, .. } in &terms.problem.loads {
        energy -= force.dot(&place.point(state));
    }
    for (grip, memory) in terms.problem.grips.iter().zip(terms.grips) {
        if let Hold::Spring(stiffness) = grip.hold {
            let pull = grip.place.point(state) - memory.anchor;
            energy += 0.5 * stiffness * pull.norm_squared();
        }
    }
    for pull in terms.pulls {
        let off = state.positions[pull.node] - pull.target;
        energy += 0.5 * pull.stiffness * off.norm_squared();
    }
    for contact in terms.contacts {
        let i = contact.edge as usize;
        energy += contact_term(
            contact,
            &state.positions[i],
            &state.positions[i + 1],
            terms.settings,
            false,
        )
        .energy;
    }
    for friction in terms.friction {
        let i = friction.edge as usize;
        let p = state.positions[i].lerp(&state.positions[i + 1], friction.s);
        energy += friction.term(&p, terms.settings.slip).energy;
    }
    energy + terms.inertia.map_or(0.0, |inertia| inertia.energy(state))
}
