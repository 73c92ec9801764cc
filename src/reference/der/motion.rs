//! A rod and rigid bodies in motion.
//!
//! One time step: the bodies coast; the rod takes a step of implicit Euler (Newton on its energy with the inertia of its
//! nodes, angles quasistatic) as if its edges could stretch freely; what its supports then exert on it, the bodies get, the
//! other way round; and fast projection gives every edge its length again, pulling at nodes and bodies alike. Velocities are
//! what was moved over the time step.
//!
//! Bergou2008 lets the angle at a support depend on the body alone. Kirsch2012 shows that it depends on the centerline
//! too (d theta^0/dx is not 0). Here reference frames are carried in time with their edges and the angle of a held edge is
//! measured against them after every move, which is that dependence.

use super::body::Body;
use super::chain::{Chain, Inertia};
use super::projection::Projection;
use super::statics::Statics;
use crate::geom::{Pose, Vec3};

/// How a time step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepReport {
    /// Whether the step was solved and the projection converged.
    pub converged: bool,
    /// Iterations of Newton's method.
    pub iterations: usize,
    /// Iterations of the projection.
    pub projections: usize,
}

/// A rod in motion, with rigid bodies at its supports.
#[derive(Clone, Debug)]
pub struct Motion {
    statics: Statics,
    velocities: Vec<Vec3>,
    masses: Vec<f64>,
    bodies: Vec<Body>,
    gravity: Vec3,
}

impl Motion {
    /// At rest where the chain is. The chain's own line load is its weight; `gravity` is that of the bodies.
    pub fn new(chain: Chain, mass_per_length: f64, bodies: Vec<Body>, gravity: Vec3) -> Self {
        let n = chain.problem().rest_lengths.len();
        let own = |i: usize| {
            let inside = (chain.first..=chain.first + n).contains(&i);
            let node = i.saturating_sub(chain.first).min(n);
            if inside {
                mass_per_length * chain.problem().joint_length(node)
            } else {
                0.0
            }
        };
        Self {
            masses: (0..chain.x.len()).map(own).collect(),
            velocities: vec![Vec3::zeros(); chain.x.len()],
            statics: Statics::new(chain),
            bodies,
            gravity,
        }
    }

    /// The rod.
    pub fn chain(&self) -> &Chain {
        &self.statics.chain
    }

    /// The bodies.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The bodies, to give them a velocity.
    pub fn bodies_mut(&mut self) -> &mut [Body] {
        &mut self.bodies
    }

    /// Velocities of the rod's own nodes.
    pub fn velocities_mut(&mut self) -> &mut [Vec3] {
        let chain = &self.statics.chain;
        let n = chain.problem().rest_lengths.len();
        &mut self.velocities[chain.first..=chain.first + n]
    }

    /// Kinetic energy of nodes and bodies, and elastic energy of the rod.
    pub fn energy(&self) -> f64 {
        let held = self.held();
        let nodes = (0..held.len()).filter(|&i| !held[i]);
        let kinetic = |i: usize| 0.5 * self.masses[i] * self.velocities[i].norm_squared();
        let nodes: f64 = nodes.map(kinetic).sum();
        let bodies: f64 = self.bodies.iter().map(Body::kinetic_energy).sum();
        let elastic = self.chain().energies();
        nodes + bodies + elastic.bend + elastic.twist + elastic.load
    }

    /// Momentum, and angular momentum about the origin, of everything that moves.
    pub fn momenta(&self) -> (Vec3, Vec3) {
        let (mut linear, mut angular) = (Vec3::zeros(), Vec3::zeros());
        let held = self.held();
        for (i, x) in self.chain().x.iter().enumerate() {
            if !held[i] {
                let p = self.velocities[i] * self.masses[i];
                linear += p;
                angular += x.cross(&p);
            }
        }
        for body in &self.bodies {
            let p = body.velocity * body.mass;
            linear += p;
            angular += body.angular_momentum + body.pose.position.cross(&p);
        }
        (linear, angular)
    }

    /// Which nodes a support holds.
    fn held(&self) -> Vec<bool> {
        let chain = self.chain();
        let mut held = vec![false; chain.x.len()];
        for support in &chain.problem.supports {
            for (node, _) in chain.held_nodes(support) {
                held[node] = true;
            }
        }
        held
    }

    /// Takes the supports of the bodies to where the bodies are.
    fn carry_supports(&mut self) {
        let chain = &mut self.statics.chain;
        let mut targets: Vec<(Pose, f64)> = chain
            .problem
            .supports
            .iter()
            .map(|s| (s.pose, s.roll))
            .collect();
        for body in &self.bodies {
            targets[body.support].0 = body.held();
        }
        let mut step = vec![0.0; chain.fixed.len()];
        for (at, by) in chain.move_supports(&targets) {
            step[at] = by;
        }
        chain.advance(&step, 1.0);
    }

    /// One step of `h` seconds.
    pub fn step(&mut self, h: f64) -> StepReport {
        let before = self.chain().x.clone();
        let held = self.held();
        let start: Vec<Pose> = self.bodies.iter().map(|b| b.pose).collect();
        for body in &mut self.bodies {
            body.push(&(self.gravity * (body.mass * h)), &Vec3::zeros());
            body.pose = body.moved(h);
        }
        self.carry_supports();

        let over = |i: usize| {
            if held[i] {
                0.0
            } else {
                self.masses[i] / (h * h)
            }
        };
        self.statics.chain.inertia = Some(Inertia {
            stiffness: (0..before.len()).map(over).collect(),
            coasting: (before.iter().zip(&self.velocities))
                .map(|(x, v)| x + v * h)
                .collect(),
        });
        let (solved, iterations) = self.statics.descend();
        let gradient = self.statics.chain.gradient();
        self.statics.chain.inertia = None;

        for (body, start) in self.bodies.iter_mut().zip(&start) {
            let support = self.statics.chain.problem.supports[body.support];
            let (force, moment) = self.statics.chain.reaction(&support, &gradient);
            let arm = support.pose.position - body.pose.position;
            body.pose = *start;
            body.push(&(-force * h), &(-(moment + arm.cross(&force)) * h));
            body.pose = body.moved(h);
        }
        self.carry_supports();
        let projections = self.project(h, &held);
        self.carry_supports();
        for (i, velocity) in self.velocities.iter_mut().enumerate() {
            *velocity = (self.statics.chain.x[i] - before[i]) / h;
        }
        StepReport {
            converged: solved && projections.is_some(),
            iterations,
            projections: projections.unwrap_or(0),
        }
    }

    fn project(&mut self, h: f64, held: &[bool]) -> Option<usize> {
        let chain = &mut self.statics.chain;
        let n = chain.problem.rest_lengths.len();
        let own = chain.first..chain.first + n + 1;
        let inverse = |i: usize| if held[i] { 0.0 } else { 1.0 / self.masses[i] };
        let mut carried = vec![None; chain.x.len()];
        for (k, body) in self.bodies.iter().enumerate() {
            let support = chain.problem.supports[body.support];
            for (node, position) in chain.held_nodes(&support) {
                carried[node] = Some((k, body.pose.inverse().transform(&position)));
            }
        }
        let inverse_masses: Vec<f64> = own.clone().map(inverse).collect();
        let found = Projection {
            rest_lengths: &chain.problem.rest_lengths,
            nodes: &mut chain.x[own.clone()],
            inverse_masses: &inverse_masses,
            bodies: &mut self.bodies,
            carried: &carried[own],
            step: h,
        }
        .run();
        chain.carry_frames();
        found
    }
}
