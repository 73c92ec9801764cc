//! What a rod's next iterate depends on: a value that is kept with the scene and gone on from.

use std::sync::Arc;

use super::depenetration::{Depenetration, Pull};
use super::flow::FlowState;
use super::grip::{Grip, GripState, Hold, Place};
use super::problem::Problem;
use super::{Flow, Solver, Stopped};
use crate::contact::friction::FrictionContact;
use crate::contact::{Reduced, Sticky};
use crate::geom::{Pose, Vec3};
use crate::rod::{RodState, axial_shear_force};

/// Everything beside the problem that a rod's next iterate depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Where the rod is.
    pub rod: RodState,
    /// What its grips remember, in the order of the problem's; one without holds what is there.
    pub grips: Vec<Option<GripState>>,
    /// Axial and shear force of each edge as an iterate of its own, N.
    pub tension: Vec<Vec3>,
    /// Friction that the state rests in.
    pub friction: Vec<FrictionContact>,
    /// Whether friction is to be tied anew before anything moves: the state is an equilibrium that it has not seen.
    pub friction_due: bool,
    /// Barrier stiffness, N/mm^2.
    pub barrier_stiffness: f64,
    /// Contacts with obstacles that were made to stay: sample, obstacle, triangle.
    pub sticky: Vec<[u32; 3]>,
    /// Margins that have not grown to their full size yet.
    pub margins: Vec<Reduced>,
    /// Stretches that an obstacle cuts through.
    pub released: Vec<crate::contact::Ignored>,
    /// What draws the rod out of bodies: nodes and springs, the way that was left, and how often it has not become less.
    pub pulls: Vec<Pull>,
    /// See [`State::pulls`]; infinite before the first look.
    pub left: f64,
    /// See [`State::pulls`].
    pub idle: usize,
    /// The last shift of the matrix that was not zero.
    pub last_shift: f64,
    /// Of a rod that goes with bodies and rests: where its Hessian was taken that the next steps begin with, if not here.
    pub kept_at: Option<Arc<RodState>>,
    /// How the driving force of each flow grows, N/mm, where that is known.
    pub flow_slopes: Vec<Option<f64>>,
    /// Targets that its handles could not reach, and by what they were stopped.
    pub stopped: Option<Stopped>,
    /// Whether it is an equilibrium of its problem, and whether that is stable.
    pub at_rest: bool,
    /// See [`State::at_rest`].
    pub stable: bool,
}

impl Solver {
    /// The state as a value.
    pub fn save(&self) -> State {
        self.save_beside(self.state.clone())
    }

    /// As [`Solver::save`], with another rod in place of this one: of whom has it already.
    pub fn save_beside(&self, rod: RodState) -> State {
        State {
            rod,
            grips: self.grips.iter().copied().map(Some).collect(),
            tension: self.tension.clone(),
            friction: self.friction.clone(),
            friction_due: self.friction_due,
            barrier_stiffness: self.settings.barrier_stiffness,
            sticky: self.work.sticky.keys().collect(),
            margins: self.margins().reduced().to_vec(),
            released: self.released().to_vec(),
            pulls: self.push.pulls.clone(),
            left: self.push.left,
            idle: self.push.idle,
            last_shift: self.work.last_shift,
            kept_at: self.kept_at(),
            flow_slopes: self.flows.iter().map(FlowState::slope).collect(),
            stopped: self.stopped.clone(),
            // What was kept and has not been looked at yet is what it was.
            at_rest: (self.at_rest || self.resumed) && !self.is_moving(),
            stable: self.stable,
        }
    }

    /// Goes on from a state. When it was kept for this very problem (see [`Problem::fingerprint`]) and is an equilibrium,
    /// the next step finds it as it is; otherwise the friction that held it is tied to where it was, and the
    /// equilibrium is found anew.
    ///
    /// # Panics
    /// When the state has another number of nodes than the rod.
    pub fn restore(problem: Problem, state: State, same_problem: bool) -> Self {
        let mut solver = Self::new(problem, state.rod);
        let n = solver.problem.rod.n_edges();
        if state.tension.len() == n {
            solver.tension = state.tension;
        } else {
            solver.take_tension();
        }
        solver.rest_tension.copy_from_slice(&solver.tension);
        let edges = 0..n as u32;
        let obstacles = 0..solver.problem.obstacles.len();
        solver.friction = state.friction;
        (solver.friction)
            .retain(|f| edges.contains(&f.edge) && obstacles.contains(&(f.obstacle as usize)));
        if solver.problem.friction <= 0.0 {
            solver.friction.clear();
        }
        solver.friction_due = state.friction_due;
        let least = solver.settings.least_stiffness;
        solver.settings.barrier_stiffness = state.barrier_stiffness.max(least);
        solver.rest_stiffness = solver.settings.barrier_stiffness;
        for (grip, kept) in solver.grips.iter_mut().zip(state.grips) {
            *grip = kept.unwrap_or(*grip);
        }
        solver.rest_grips.clone_from(&solver.grips);
        solver.stay();
        for (flow, slope) in solver.flows.iter_mut().zip(state.flow_slopes) {
            *flow = FlowState::with_slope(slope);
        }
        solver.work.last_shift = state.last_shift;
        if same_problem {
            let mut margins = state.margins;
            margins
                .retain(|m| edges.contains(&m.edge) && obstacles.contains(&(m.obstacle as usize)));
            let mut released = state.released;
            released.retain(|r| {
                r.edges.start < r.edges.end
                    && r.edges.end <= edges.end
                    && obstacles.contains(&(r.obstacle as usize))
            });
            let mut pulls = state.pulls;
            pulls.retain(|p| p.node <= n);
            solver.work.sticky = Sticky::of(&state.sticky);
            solver.rest_sticky.copy_from(&solver.work.sticky);
            solver.work.candidates.restore(margins, released);
            solver.push = Depenetration {
                pulls,
                left: state.left,
                idle: state.idle,
            };
            solver.resumed = state.at_rest;
            solver.stopped = state.stopped;
            solver.stable = state.stable;
        }
        solver.find_contacts();
        solver.assemble(false);
        if let Some(at) = state.kept_at.filter(|_| solver.resumed) {
            solver.keep_at(at);
        }
        solver
    }

    /// Takes the forces along the rod from its state.
    pub(super) fn take_tension(&mut self) {
        for (i, &length) in self.problem.rod.rest_lengths().iter().enumerate() {
            let stiffness = self.problem.rod.edge_stiffness(i);
            let (x0, x1) = (&self.state.positions[i], &self.state.positions[i + 1]);
            self.tension[i] = axial_shear_force(x0, &self.state.frames[i], x1, &stiffness, length);
        }
    }
}

impl Problem {
    /// A number that differs, as good as surely, where anything does that the equilibrium depends on: rod, radius, loads,
    /// grips, ways for material, friction, margins, what is passed through, and where which bodies are.
    pub fn fingerprint(&self) -> u64 {
        let mut print = Print::default();
        let section = self.rod.section();
        print.all(self.rod.rest_lengths());
        for curvature in self.rod.rest_curvatures() {
            print.vector(curvature);
        }
        let [first, second] = section.bending;
        print.all(&[first, second, section.torsion, section.axial]);
        print.all(&[section.shear, section.mass_kg_m]);
        print.all(&[self.radius, self.friction]);
        // What has one section has the fingerprint that it always had.
        if !self.thickness.is_empty() {
            print.all(&self.thickness);
        }
        for section in self.rod.sections() {
            let [first, second] = section.bending;
            print.all(&[first, second, section.torsion, section.axial]);
            print.all(&[section.shear, section.mass_kg_m]);
        }
        print.vector(&self.gravity);
        self.grips.iter().for_each(|grip| print.grip(grip));
        for load in &self.loads {
            print.place(load.place);
            print.vector(&load.force);
            print.vector(&load.moment);
        }
        self.flows.iter().for_each(|flow| print.flow(flow));
        print.all(&self.margins);
        for ignored in &self.ignored {
            let edges = &ignored.edges;
            for n in [ignored.obstacle, edges.start, edges.end] {
                print.number(u64::from(n));
            }
            if ignored.depth.is_finite() {
                print.all(&[ignored.depth]);
            }
        }
        for obstacle in self.obstacles.iter() {
            print.number(obstacle.n_triangles() as u64);
            print.pose(&obstacle.pose());
            print.vector(&obstacle.aabb().min);
            print.vector(&obstacle.aabb().max);
        }
        print.number(u64::from(self.self_contact));
        print.0
    }
}

/// A sum of many numbers: multiply and rotate, as fast hashes do. It need not withstand anybody.
struct Print(u64);

impl Default for Print {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Print {
    fn number(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(23) ^ n).wrapping_mul(0xd6e8_feb8_6659_fd93);
        self.0 ^= self.0 >> 32;
    }

    fn all(&mut self, values: &[f64]) {
        self.number(values.len() as u64);
        for x in values {
            self.number(x.to_bits());
        }
    }

    fn vector(&mut self, v: &Vec3) {
        v.iter().for_each(|x| self.number(x.to_bits()));
    }

    fn pose(&mut self, pose: &Pose) {
        self.vector(&pose.position);
        let coords = pose.rotation.coords;
        coords.iter().for_each(|x| self.number(x.to_bits()));
    }

    fn place(&mut self, place: Place) {
        match place {
            Place::Node(i) => self.number(i as u64),
            Place::Edge(j) => self.number(1 << 40 | j as u64),
            Place::Within { edge, t } => {
                self.number(1 << 41 | edge as u64);
                self.number(t.to_bits());
            }
        }
    }

    fn grip(&mut self, grip: &Grip) {
        self.place(grip.place);
        match grip.hold {
            Hold::Frame => self.number(1),
            Hold::Direction => self.number(2),
            Hold::Position => self.number(3),
            Hold::Spring(stiffness) => self.number(stiffness.to_bits()),
        }
    }

    fn flow(&mut self, flow: &Flow) {
        let ends = [
            flow.gain.start,
            flow.gain.end,
            flow.loss.start,
            flow.loss.end,
        ];
        for n in ends {
            self.number(n as u64);
        }
        self.all(&[flow.pull, flow.limits[0], flow.limits[1]]);
    }
}
