//! One rod's part in a Newton iteration: its system, its step, its energy.

use std::f64::consts::PI;

use super::assemble::{System, Terms, merit};
use super::kept::Factors;
use super::line_search::linear_edge;
use super::settings as set;
use super::{Solver, layout};
use crate::contact::{Contact, RigidEnds, RigidMotion, Sweep, SweepLimit, find_contacts};
use crate::geom::{Rotation, Vec3};
use crate::rod::RodState;

impl Solver {
    /// Energy at the state, with the contacts found there and without those with other rods, N mm.
    pub(super) fn energy(&self) -> f64 {
        merit(
            &self.terms(&self.state, &self.contacts, None, false),
            f64::INFINITY,
        )
    }

    pub(super) fn terms<'t>(
        &'t self,
        state: &'t RodState,
        contacts: &'t [Contact],
        tension: Option<&'t [Vec3]>,
        contact_curvature: bool,
    ) -> Terms<'t> {
        Terms {
            problem: &self.problem,
            state,
            grips: &self.grips,
            tension,
            contacts,
            pulls: &self.push.pulls,
            friction: &self.friction,
            settings: &self.settings,
            contact_curvature,
            inertia: self.inertia.as_deref(),
        }
    }

    pub(super) fn find_contacts(&mut self) {
        find_contacts(
            &self.problem.obstacles,
            &mut self.work.candidates,
            &self.state.positions,
            self.problem.rod.rest_lengths(),
            &self.settings,
            &self.work.sticky,
            &mut self.contacts,
        );
    }

    /// Assembles the system at the state, without the contacts with other rods.
    pub(super) fn assemble(&mut self, mixed: bool) {
        self.work.stiffest_pair = 0.0;
        self.work.ahead.clear();
        let kept = self.keeps_block(!mixed);
        self.work.same_forces = kept && self.work.has_matrix && self.knows_forces();
        if self.work.same_forces {
            self.stale = false;
            return;
        }
        let mut mixed = mixed;
        if kept {
            self.retake_block();
        } else {
            mixed = self.note_block(mixed);
        }
        self.work.pressed = false;
        let terms = Terms {
            problem: &self.problem,
            state: &self.state,
            grips: &self.grips,
            tension: mixed.then_some(&self.tension[..]),
            contacts: &self.contacts,
            pulls: &self.push.pulls,
            friction: &self.friction,
            settings: &self.settings,
            contact_curvature: true,
            inertia: self.inertia.as_deref(),
        };
        if kept {
            self.work.system.assemble_forces(&terms);
            self.contact_forces.clear();
            self.work.forces_at.copy_from(&self.state);
        } else {
            self.work.system.assemble(&terms, &mut self.contact_forces);
            self.work.stiffest_node = self.work.system.stiffest_node();
        }
        self.stale = false;
    }

    /// Takes the curvature of the contacts' distances out of the system that was assembled with it.
    pub(super) fn drop_contact_curvature(&mut self) {
        if self.contacts.is_empty() {
            return;
        }
        self.work.holds = Factors::Other;
        let terms = Terms {
            problem: &self.problem,
            state: &self.state,
            grips: &self.grips,
            tension: None,
            contacts: &self.contacts,
            pulls: &self.push.pulls,
            friction: &self.friction,
            settings: &self.settings,
            contact_curvature: false,
            inertia: None,
        };
        self.work.system.drop_contact_curvature(&terms);
        if let Some(step) = &mut self.work.obstacle_step {
            step.contact_curvature = false;
        }
    }

    /// Whether a place on an edge goes where handles take it, as does that part of the edge `beside` a held node.
    pub(super) fn is_held(&self, edge: u32, s: f64, beside: f64) -> bool {
        let i = edge as usize;
        let near_left = self.held[i] && s < beside;
        let near_right = self.held[i + 1] && s > 1.0 - beside;
        near_left || near_right || self.held[i] && self.held[i + 1]
    }

    /// Whether the barrier's stiffness matters for a contact: at a held node the gap is the handle's.
    fn gives_way(&self, contact: &Contact) -> bool {
        !self.is_held(contact.edge, contact.s, set::AT_NODE)
    }

    /// Smallest gap of the contacts that can give way, over the barrier distance.
    pub(super) fn tightest(&self) -> f64 {
        let contacts = self.contacts.iter().filter(|c| self.gives_way(c));
        let gaps = contacts.map(Contact::gap);
        gaps.fold(f64::INFINITY, f64::min) / self.settings.barrier_distance
    }

    /// Load per length of the heaviest contact with an obstacle, N/mm.
    pub(super) fn heaviest(&self) -> f64 {
        let contacts = self.contacts.iter().filter(|c| self.gives_way(c));
        let loads = contacts.map(|c| self.settings.load_at(c.gap()));
        loads.fold(0.0, f64::max)
    }

    /// Norm of the forces on the free unknowns, moments divided by the length.
    pub(super) fn residual(&self) -> f64 {
        let over_length = 1.0 / self.problem.rod.length();
        let g = self.work.system.gradient.iter().zip(&self.fixed);
        let mut sum = 0.0;
        for (k, (g, fixed)) in g.enumerate() {
            if !fixed && !self.is_slaved(k) {
                let force = if layout::is_position(k) {
                    *g
                } else {
                    g * over_length
                };
                sum += force * force;
            }
        }
        sum.sqrt()
    }

    /// The residual that counts as rest: relative to the forces at work, and never below their noise, which was measured.
    pub(super) fn tolerance(&self) -> f64 {
        let scale = self.problem.rod.soft_force_scale(&self.problem.gravity);
        let tension = self.tension.iter().map(Vec3::norm).fold(0.0, f64::max);
        let noise = self.measured_noise;
        let wanted = (set::TOLERANCE * scale).max(set::TOLERANCE_OF_TENSION * tension);
        // Noise is no licence: an equilibrium whose forces are not known to a thousandth is none.
        wanted.max(noise.min(1e-3 * (scale + 1e-2 * tension)))
    }

    /// Noise of the computed forces, N.
    pub(super) fn noise(&self) -> f64 {
        let n = self.problem.rod.n_edges() as f64;
        let stiffest = self.work.stiffest_node.max(self.work.stiffest_pair);
        let nodes = self.state.positions.iter();
        let farthest = nodes.map(Vec3::amax).fold(0.0, f64::max);
        set::NOISE * f64::EPSILON * n.sqrt() * stiffest * farthest
    }

    /// Puts the system with the prescribed motion of the grips into `work.factors` and `work.delta`, with a mass-like
    /// shift of `sigma` times what bending resists with.
    pub(super) fn prepare(&mut self, sigma: f64) {
        let work = &mut self.work;
        work.tried = None;
        work.curved = false;
        for (d, g) in work.delta.iter_mut().zip(&work.system.gradient) {
            *d = -g;
        }
        if self.keeps_factors(sigma) {
            let work = &mut self.work;
            (work.prescribed.iter()).for_each(|&(at, value)| work.delta[at] = value);
            return;
        }
        let work = &mut self.work;
        work.factors.copy_from(&work.system.matrix);
        work.holds = if sigma == 0.0 && work.ahead.is_empty() {
            Factors::Fresh
        } else {
            Factors::Other
        };
        for ahead in &work.ahead {
            ahead.add_to(&mut work.factors, &mut work.delta);
        }
        if sigma > 0.0 {
            let (length, base) = (self.span(), self.shift_base());
            let work = &mut self.work;
            let momentum = work.momentum;
            System::masses(&self.problem, sigma * base, ARM * length, |at, mass| {
                work.factors.add(at, at, mass);
                work.delta[at] += mass * momentum * work.last_step[at];
            });
        }
        self.add_push();
        self.prescribe();
    }

    /// Mass-like shift per length of the matrix that is solved with.
    pub(super) fn shift_per_length(&self) -> f64 {
        self.work.shift * self.shift_base()
    }

    /// What bending resists a motion of the whole with, per length: the unit of the shift.
    fn shift_base(&self) -> f64 {
        let section = self.problem.rod.section();
        section.bending[0].max(section.bending[1]) * (PI / self.span()).powi(4)
    }

    /// Largest motion of a node in `work.delta`, mm.
    pub(super) fn largest_way(&self) -> f64 {
        (0..=self.problem.rod.n_edges())
            .map(|i| entry(&self.work.delta, layout::node(i)).norm())
            .fold(0.0, f64::max)
    }

    /// Largest turn of a frame in `work.delta`, radians.
    pub(super) fn largest_turn(&self) -> f64 {
        let n = self.problem.rod.n_edges();
        let turns = (0..n)
            .map(layout::frame)
            .chain([layout::clamp(0, n), layout::clamp(1, n)]);
        turns
            .map(|at| entry(&self.work.delta, at).norm())
            .fold(0.0, f64::max)
    }

    /// The fraction of `cap` times `work.delta` that obstacles leave; the motion is left in `work.motion`.
    pub(super) fn limit_step(&mut self, cap: f64) -> SweepLimit {
        for i in 0..=self.problem.rod.n_edges() {
            self.work.motion[i] = entry(&self.work.delta, layout::node(i)) * cap;
        }
        if self.problem.obstacles.is_empty() {
            return SweepLimit::NONE;
        }
        let rigid = self.rigid_ends(cap);
        let sweep = Sweep {
            obstacles: &self.problem.obstacles,
            points: &self.state.positions,
            motion: &self.work.motion,
            held: &self.held,
            settings: &self.settings,
            rigid: &rigid,
            moving: None,
        };
        sweep.limit(&mut self.work.candidates)
    }

    /// The fittings, with what `fraction` of `work.delta` does to them; `work.motion` has the way of the nodes.
    pub(super) fn rigid_ends(&self, fraction: f64) -> RigidEnds {
        let n = self.problem.rod.n_edges();
        let mut found = RigidEnds::new();
        for (end, what) in self.problem.fittings.iter().enumerate() {
            let Some(frame) = &self.state.clamps[end] else {
                continue;
            };
            if what.length > 0.0 {
                let node = end * n;
                let exit = self.state.positions[node];
                let turn = entry(&self.work.delta, layout::clamp(end, n)) * fraction;
                let way = self.work.motion[node];
                found.push(RigidMotion::new(end, *what, exit, frame, way, &turn));
            }
        }
        found
    }

    /// Tension up to which the merit of a mixed step takes stretch as quadratic, N.
    pub(super) fn merit_tension(&self) -> f64 {
        2.0 * self.tension.iter().map(Vec3::amax).fold(0.0, f64::max)
            + self.problem.rod.force_scale(&self.problem.gravity)
    }

    /// Derivative of the energy along `work.delta`, N mm.
    pub(super) fn slope(&self) -> f64 {
        let work = &self.work;
        let products = work.system.gradient.iter().zip(&work.delta);
        products.map(|(g, d)| g * d).sum()
    }

    /// Merit at the state, without contacts with other rods.
    pub(super) fn merit_now(&self, most: f64) -> f64 {
        merit(&self.terms(&self.state, &self.contacts, None, false), most)
    }

    /// Leaves the state after `alpha` of `work.delta` in `work.trial`, with its contacts with obstacles.
    pub(super) fn try_step(&mut self, alpha: f64) {
        let work = &mut self.work;
        work.tried = Some(alpha);
        moved(&self.state, &work.delta, alpha, &mut work.trial);
        find_contacts(
            &self.problem.obstacles,
            &mut work.candidates,
            &work.trial.positions,
            self.problem.rod.rest_lengths(),
            &self.settings,
            &work.sticky,
            &mut work.trial_contacts,
        );
    }

    /// Merit after `alpha` of `work.delta`, without contacts with other rods; leaves the state in `work.trial`.
    pub(super) fn merit_after(&mut self, alpha: f64, most: f64) -> f64 {
        self.try_step(alpha);
        // Dead moments have no energy; what they do along the step is their work.
        let moment_work: f64 = (self.problem.loads.iter())
            .map(|load| {
                let edge = load.place.span(self.problem.rod.n_edges()).0;
                let moment = self.state.frames[edge].inverse_transform_vector(&load.moment);
                moment.dot(&entry(&self.work.delta, layout::frame(edge)))
            })
            .sum();
        let (trial, contacts) = (&self.work.trial, &self.work.trial_contacts);
        merit(&self.terms(trial, contacts, None, false), most) - alpha * moment_work
    }

    /// Takes `alpha` of `work.delta`: state, independent tensions, and contacts with obstacles.
    pub(super) fn accept(&mut self, alpha: f64) {
        let curved = self.work.curved;
        // The correction of a curved step only takes out what the linear prediction of stretch does not have.
        for (i, &length) in self.problem.rod.rest_lengths().iter().enumerate() {
            let straight = if curved {
                &self.work.straight
            } else {
                &self.work.delta
            };
            let strain = linear_edge(&self.state, straight, i, 1.0) / length - Vec3::z();
            let linear = self.problem.rod.edge_stiffness(i).component_mul(&strain);
            self.tension[i] = self.tension[i].lerp(&linear, alpha);
        }
        let alpha = if curved { 1.0 } else { alpha };
        for (last, d) in self.work.last_step.iter_mut().zip(&self.work.delta) {
            *last = alpha * d;
        }
        let tried = self.work.tried.take() == Some(alpha);
        if !tried {
            moved(&self.state, &self.work.delta, alpha, &mut self.work.trial);
        }
        std::mem::swap(&mut self.state, &mut self.work.trial);
        if tried {
            std::mem::swap(&mut self.contacts, &mut self.work.trial_contacts);
        } else {
            self.find_contacts();
        }
        for (memory, motion) in self.grips.iter_mut().zip(&self.work.anchor_motion) {
            memory.anchor += motion * alpha;
        }
        if self.tracing {
            self.trace.extend_from_slice(&self.state.positions);
        }
    }
}

/// Distance from the centerline at which the mass of the shift sits, over the length: what turns weighs as much as
/// what moves by this much.
pub(super) const ARM: f64 = 0.1;

/// Three entries of a vector of unknowns.
pub(super) fn entry(v: &[f64], at: usize) -> Vec3 {
    Vec3::new(v[at], v[at + 1], v[at + 2])
}

/// `from` moved by `alpha` times `delta`; turn counts follow the twist.
fn moved(from: &RodState, delta: &[f64], alpha: f64, to: &mut RodState) {
    to.copy_from(from);
    let n = from.frames.len();
    for i in 0..=n {
        to.positions[i] += entry(delta, layout::node(i)) * alpha;
    }
    for i in 0..n {
        to.frames[i] = turned(&from.frames[i], &(entry(delta, layout::frame(i)) * alpha));
    }
    for end in 0..2 {
        if let Some(clamp) = &from.clamps[end] {
            to.clamps[end] = Some(turned(
                clamp,
                &(entry(delta, layout::clamp(end, n)) * alpha),
            ));
        }
    }
    to.follow_turns(from);
}

/// q exp(theta), normalised.
fn turned(q: &Rotation, theta: &Vec3) -> Rotation {
    Rotation::new_normalize((q * Rotation::from_scaled_axis(*theta)).into_inner())
}
