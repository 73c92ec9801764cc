//! Forces and energy of bodies: what acts on them beside their rods, and how far they are from balance.

use super::{Bodies, Member};
use crate::geom::{Mat3, Pose, Vec3};
use crate::solve::Solver;
use crate::solve::inertia::curvature;
use crate::solve::newton::ARM;
use crate::solve::settings as set;

impl Member {
    /// Force and moment (about its own axes) of its weight and its inertia: N and N mm.
    fn own_load(&self) -> [Vec3; 2] {
        let weight = self.weight();
        let local = self.pose.rotation.inverse_transform_vector(&weight);
        let [force, moment] = self.inertia_gradient();
        [weight - force, self.center.cross(&local) - moment]
    }

    /// Energy of its weight and its inertia there, N mm.
    fn own_energy(&self, pose: &Pose) -> f64 {
        self.inertia_energy(pose) - self.weight().dot(&pose.transform(&self.center))
    }
}

impl Bodies {
    /// Puts the loads of the bodies on the right-hand side, and the shift of their rotation beside it.
    pub fn prepare(&mut self, rods: &[Solver]) {
        for b in 0..self.all.len() {
            if !self.is_awake(b, rods) {
                continue;
            }
            let (mut inertia, mut momentum) = (0.0, 0.0_f64);
            for link in self.links_of(b) {
                let rod = &rods[link.rod];
                let arm = ARM * rod.span();
                let length = rod.problem.rod.joint_length(link.node);
                inertia += rod.shift_per_length() * length * arm * arm;
                momentum = momentum.max(rod.work.momentum);
            }
            let body = &mut self.all[b];
            body.inertia = inertia;
            body.delta = body.own_load();
            body.delta[1] += body.last_turn * (inertia * momentum);
        }
    }

    /// No shift of the bodies' rotations: for the exact inertia.
    pub fn drop_shift(&mut self) {
        self.all.iter_mut().for_each(|body| body.inertia = 0.0);
    }

    /// What the forces at the ends of a body add to the second derivative in its rotation.
    pub fn geometric_stiffness(&self, b: usize, rods: &[Solver]) -> Mat3 {
        let body = &self.all[b];
        let back = |f: &Vec3| body.pose.rotation.inverse_transform_vector(f);
        let mut sum = curvature(&back(&-body.weight()), &body.center);
        for link in self.links_of(b) {
            let [force, _] = link.gradient(&rods[link.rod]);
            sum += curvature(&back(&force), &link.arm);
        }
        sum
    }

    /// First derivative of all energy in a body's way and turn.
    pub fn gradient(&self, b: usize, rods: &[Solver]) -> [Vec3; 2] {
        let body = &self.all[b];
        let [mut force, mut moment] = body.own_load().map(|load| -load);
        for link in self.links_of(b) {
            let [pull, turn] = link.gradient(&rods[link.rod]);
            force += pull;
            let local = body.pose.rotation.inverse_transform_vector(&pull);
            moment += link.arm.cross(&local);
            if let Some(frame) = &link.frame {
                moment += frame * turn;
            }
        }
        [force, moment]
    }

    /// Notes how far each body is from balance; whether all that are awake are balanced.
    pub fn measure(&mut self, rods: &[Solver]) -> bool {
        let mut at_rest = true;
        for b in 0..self.all.len() {
            if !self.is_awake(b, rods) {
                continue;
            }
            let measured = self.balance(b, rods);
            self.all[b].measured = measured;
            at_rest &= measured[0] <= measured[1];
        }
        at_rest
    }

    /// How far a body is from balance, and how far it may be.
    pub fn balance(&self, b: usize, rods: &[Solver]) -> [f64; 2] {
        let [force, mut moment] = self.gradient(b, rods);
        if !self.all[b].turns {
            moment = Vec3::zeros();
        }
        let links = self.links_of(b).iter().map(|l| &rods[l.rod]);
        let most = |f: &dyn Fn(&Solver) -> f64| links.clone().map(f).fold(0.0, f64::max);
        let length = most(&|rod| rod.problem.rod.length());
        let tolerance = most(&|rod| rod.measured[1]);
        let noise = most(&|rod| rod.measured_noise);
        let residual = (force.norm_squared() + (moment / length).norm_squared()).sqrt();
        let mut load = self.all[b].weight().norm();
        for link in self.links_of(b) {
            let [force, moment] = link.gradient(&rods[link.rod]);
            load = load.max(force.norm()).max(moment.norm() / length);
        }
        let wanted = (set::BALANCE * load)
            .max(set::BODY_TOLERANCE * tolerance)
            .max(set::BODY_NOISE * noise);
        [residual, tolerance.min(wanted)]
    }

    /// Derivative of the weights' energy along the steps, N mm.
    pub fn slope(&self, rods: &[Solver]) -> f64 {
        let slope = |b: usize| {
            let body = &self.all[b];
            let [force, moment] = body.own_load();
            -force.dot(&body.delta[0]) - moment.dot(&body.delta[1])
        };
        self.awake(rods).map(slope).sum()
    }

    /// Energy of the weights where the bodies are, N mm.
    pub fn energy(&self, rods: &[Solver]) -> f64 {
        let at = |b: usize| {
            let body = &self.all[b];
            body.own_energy(&body.pose)
        };
        self.awake(rods).map(at).sum()
    }

    /// Energy of the weights after a fraction of the steps, N mm.
    pub fn energy_after(&self, rods: &[Solver], fraction: f64) -> f64 {
        let at = |b: usize| {
            let body = &self.all[b];
            body.own_energy(&body.pose_after(fraction))
        };
        self.awake(rods).map(at).sum()
    }
}
