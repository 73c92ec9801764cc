//! The inertia of one rod: its nodes, its sections, and the damping of its material.

use super::{Damping, Points, Stage, spin_of, unit};
use crate::contact::Thickness;
use crate::geom::{Mat3, Vec3};
use crate::rod::{BendTwist, Joint, Rod, RodState, bend_twist};
use crate::solve::assemble::{System, Terms, merit};
use crate::solve::{Problem, Solver, layout};

/// kg to N s^2/mm.
pub(in crate::solve) const MASS_UNIT: f64 = 1e-3;

/// What a rod in motion has beside its state.
#[derive(Clone, Debug)]
pub(in crate::solve) struct Inertia {
    damping: Damping,
    /// The nodes, then the tips of d1 and d2 of each edge.
    points: Points,
    /// Mass of each node and of each edge's section for a tip, N s^2/mm and N s^2 mm.
    masses: Vec<f64>,
    moments: Vec<f64>,
    /// Bend and twist of each joint, as points whose rate is damped.
    strains: Points,
    /// Material damping times the rate over the way of a strain in this stage.
    damped: f64,
    /// Whether it has not moved before: its acceleration is not known.
    starting: bool,
    /// Whether it touched something when the last stage ended, and when the one before did: the first stage without
    /// contact is there to find its acceleration.
    touched: [bool; 2],
}

/// Bend and twist as three numbers.
fn numbers(strain: &BendTwist) -> Vec3 {
    Vec3::new(strain.bend[0], strain.bend[1], strain.twist)
}

/// Bend and twist of a joint; none where a free end has none.
fn strain_of(state: &RodState, j: usize) -> Vec3 {
    let joint = state.joint(j);
    joint.map_or_else(Vec3::zeros, |(a, b)| {
        numbers(&bend_twist(a, b, state.turns[j]))
    })
}

impl Inertia {
    fn new(rod: &Rod, damping: Damping) -> Self {
        let n = rod.n_edges();
        Self {
            damping,
            points: Points::at_rest(n + 1 + 2 * n),
            masses: vec![0.0; n + 1],
            moments: vec![0.0; n],
            strains: Points::at_rest(n + 1),
            damped: 0.0,
            starting: true,
            touched: [false; 2],
        }
    }

    /// The point of the first tip of an edge's section.
    fn tip(&self, edge: usize) -> usize {
        self.masses.len() + 2 * edge
    }

    /// The stage as it is for this rod.
    fn own(&self, stage: &Stage) -> Stage {
        if self.touched == [false; 2] {
            *stage
        } else {
            stage.in_contact()
        }
    }

    fn begin(&mut self, stage: &Stage, problem: &Problem, state: &RodState) {
        let stage = &self.own(stage);
        self.weigh(problem);
        for (i, x) in state.positions.iter().enumerate() {
            self.points.note(i, *x);
        }
        for (i, frame) in state.frames.iter().enumerate() {
            let tip = self.tip(i);
            for j in 0..2 {
                self.points.note(tip + j, frame * unit(j));
            }
        }
        for j in 0..self.masses.len() {
            self.strains.note(j, strain_of(state, j));
        }
        self.points.begin(stage, self.damping.drag);
        self.strains.begin(stage, 0.0);
        self.damped = self.damping.material * stage.rate();
    }

    /// Masses of nodes, and moments of inertia of sections as full discs.
    fn weigh(&mut self, problem: &Problem) {
        let rod = &problem.rod;
        let per_mm = |mass_kg_m: f64| 1e-3 * mass_kg_m * MASS_UNIT;
        for (i, mass) in self.masses.iter_mut().enumerate() {
            *mass = if rod.sections().is_empty() {
                per_mm(rod.section().mass_kg_m) * rod.joint_length(i)
            } else {
                rod.node_mass(i) * MASS_UNIT
            };
        }
        let thickness = Thickness::new(&problem.thickness);
        for (i, (moment, length)) in self.moments.iter_mut().zip(rod.rest_lengths()).enumerate() {
            let radius = problem.radius + thickness.of_edge(i);
            *moment = 0.25 * per_mm(rod.section_of(i).mass_kg_m) * length * radius * radius;
        }
    }

    fn end(&mut self, stage: &Stage, state: &RodState, touches: bool) {
        let before = self.touched[0];
        // What lands has the velocity of its way, and is not thrown back.
        self.touched[0] |= touches;
        let stage = &self.own(stage);
        for (i, x) in state.positions.iter().enumerate() {
            self.points.end(stage, i, x);
        }
        for (i, frame) in state.frames.iter().enumerate() {
            let tip = self.tip(i);
            for j in 0..2 {
                self.points.end(stage, tip + j, &(frame * unit(j)));
            }
        }
        for j in 0..self.masses.len() {
            self.strains.end(stage, j, &strain_of(state, j));
        }
        self.starting = false;
        self.touched = [touches, before];
        let mut nodes = state.positions.iter().enumerate();
        if nodes.all(|(i, x)| self.points.has_stayed(i, x)) {
            // What forces and inertia leave where it is has come to rest; what is smoothed would fade for ever.
            self.points.stop();
            self.strains.stop();
        }
    }

    /// The turn rate of an edge's frame, in its own axes, 1/s.
    fn spin(&self, frame: &crate::geom::Rotation, edge: usize) -> Vec3 {
        let tip = self.tip(edge);
        let local = |k: usize| frame.inverse_transform_vector(&self.points.velocities[k]);
        spin_of(&local(tip), &local(tip + 1))
    }

    /// A joint that resists bending as well as the rate of it.
    pub fn damp(&self, j: usize, joint: Joint) -> Joint {
        if self.damped == 0.0 {
            return joint;
        }
        // k (s - s0)^2 + k d (s - s1)^2 is k (1 + d) (s - s2)^2 with s2 between s0 and s1, and a constant.
        let (rest, from) = (numbers(&joint.rest), self.strains.from(j));
        let rest = (rest + from * self.damped) / (1.0 + self.damped);
        Joint {
            bending: joint.bending.map(|b| b * (1.0 + self.damped)),
            torsion: joint.torsion * (1.0 + self.damped),
            length: joint.length,
            rest: BendTwist {
                bend: [rest.x, rest.y],
                twist: rest.z,
            },
        }
    }

    /// Adds its term to a system.
    pub fn add_to(&self, system: &mut System, state: &RodState) {
        for (i, x) in state.positions.iter().enumerate() {
            let (force, stiffness) = self.points.pull(i, self.masses[i], x);
            let at = layout::node(i);
            system.add_gradient(at, &force);
            let block = Mat3::identity() * stiffness;
            system.matrix.add_block(at, at, &block);
        }
        for (i, frame) in state.frames.iter().enumerate() {
            let moments = [self.moments[i]; 2];
            let to_local = |v: &Vec3| frame.inverse_transform_vector(v);
            let (gradient, hessian) = self.points.turning(self.tip(i), moments, to_local);
            let at = layout::frame(i);
            system.add_gradient(at, &gradient);
            system.matrix.add_block(at, at, &hessian);
        }
    }

    /// Its term, N mm.
    pub fn energy(&self, state: &RodState) -> f64 {
        let mut energy = 0.0;
        for (i, x) in state.positions.iter().enumerate() {
            energy += self.points.energy(i, self.masses[i], x);
        }
        for (i, frame) in state.frames.iter().enumerate() {
            for j in 0..2 {
                let tip = frame * unit(j);
                let point = self.tip(i) + j;
                energy += self.points.energy(point, self.moments[i], &tip);
            }
        }
        energy
    }

    /// Whether nothing moves, or is about to.
    pub fn is_still(&self) -> bool {
        self.points.are_still()
    }

    /// Energy of the motion, N mm.
    fn kinetic(&self) -> f64 {
        let v = &self.points.velocities;
        let nodes = self.masses.iter().zip(v);
        let nodes: f64 = nodes.map(|(m, v)| m * v.norm_squared()).sum();
        let tips = v[self.masses.len()..].chunks_exact(2);
        let tips = self.moments.iter().zip(tips);
        let tips: f64 = tips
            .map(|(m, v)| m * (v[0].norm_squared() + v[1].norm_squared()))
            .sum();
        0.5 * (nodes + tips)
    }
}

impl Solver {
    /// Lets it move over time, from where it is and at rest; or stops it, and the next step finds its equilibrium.
    pub fn set_in_motion(&mut self, damping: Option<Damping>) {
        match (&mut self.inertia, damping) {
            (Some(inertia), Some(damping)) => inertia.damping = damping,
            (_, damping) => {
                let rod = &self.problem.rod;
                self.inertia = damping.map(|damping| {
                    let mut inertia = Inertia::new(rod, damping);
                    inertia.weigh(&self.problem);
                    Box::new(inertia)
                });
                let grips = self.problem.grips.clone();
                self.take_grips(&grips);
                self.leave_rest();
            }
        }
    }

    /// Says that it is not in equilibrium.
    fn leave_rest(&mut self) {
        self.at_rest = false;
        self.resumed = false;
    }

    /// Begins a stage of a step of time, before the step that makes it. What rests and has no velocity goes on resting.
    pub(in crate::solve) fn begin_stage(&mut self, stage: &Stage) {
        if let Some(inertia) = &mut self.inertia {
            inertia.begin(stage, &self.problem, &self.state);
            if !(self.at_rest && inertia.is_still()) {
                self.leave_rest();
            }
        }
    }

    /// Ends a stage: takes velocities from where it has come to. `touches_rods` when it is in contact with a rod.
    pub(in crate::solve) fn end_stage(&mut self, stage: &Stage, touches_rods: bool) {
        if let Some(inertia) = &mut self.inertia {
            let touches = touches_rods || !self.contacts.is_empty();
            inertia.end(stage, &self.state, touches);
        }
    }

    /// Whether it moves over time, be it at rest for now.
    pub fn is_in_motion(&self) -> bool {
        self.inertia.is_some()
    }

    /// Whether it is in motion and has not made a step of time yet.
    pub fn is_starting(&self) -> bool {
        self.inertia.as_ref().is_some_and(|i| i.starting)
    }

    /// Whether it has a velocity.
    pub fn is_moving(&self) -> bool {
        self.inertia.as_ref().is_some_and(|i| !i.is_still())
    }

    /// Velocity of each node, mm/s; `None` when it is not in motion.
    pub fn velocities(&self) -> Option<&[Vec3]> {
        let inertia = self.inertia.as_ref()?;
        Some(&inertia.points.velocities[..inertia.masses.len()])
    }

    /// Turn rate of each edge's frame in its own axes, 1/s; empty when it is not in motion.
    pub fn spins(&self) -> Vec<Vec3> {
        let Some(inertia) = &self.inertia else {
            return Vec::new();
        };
        let frames = self.state.frames.iter().enumerate();
        frames.map(|(i, frame)| inertia.spin(frame, i)).collect()
    }

    /// Gives each node a velocity, mm/s, and each edge's frame a turn rate in its own axes, 1/s.
    ///
    /// # Panics
    /// When there are not as many as nodes and edges.
    pub fn set_velocities(&mut self, velocities: &[Vec3], spins: &[Vec3]) {
        let n = self.problem.rod.n_edges();
        assert_eq!([velocities.len(), spins.len()], [n + 1, n]);
        if let Some(inertia) = &mut self.inertia {
            inertia.points.velocities[..=n].copy_from_slice(velocities);
            for (i, (frame, spin)) in self.state.frames.iter().zip(spins).enumerate() {
                let tip = inertia.tip(i);
                for j in 0..2 {
                    inertia.points.velocities[tip + j] = frame * spin.cross(&unit(j));
                }
            }
        }
    }

    /// Energy of its motion, and of its shape, weight and contacts with parts, N mm.
    pub fn kinetic_and_potential(&self) -> [f64; 2] {
        let kinetic = self.inertia.as_ref().map_or(0.0, |i| i.kinetic());
        let terms = Terms {
            inertia: None,
            ..self.terms(&self.state, &self.contacts, None, false)
        };
        [kinetic, merit(&terms, f64::INFINITY)]
    }
}
