//! One rod beside a body that moves: whether it goes along, how far it may, and what it is pushed with.

use smallvec::SmallVec;

use super::moving_obstacle::Carrier;
use super::newton::entry;
use super::{Solver, layout};
use crate::contact::{MovingObstacles, Sweep, contact_term};
use crate::geom::{Pose, Vec3};

/// A body and how it moves in the piece of its way that is tried.
#[derive(Clone, Debug)]
pub(super) struct ObstacleStep {
    pub obstacles: SmallVec<[usize; 4]>,
    pub motion: Pose,
    /// Whether the system has the curvature of contacts.
    pub contact_curvature: bool,
}

impl Solver {
    /// Whether it is fixed to a body, or touches it.
    pub(super) fn goes_along(&self, own: usize, carrier: &Carrier) -> bool {
        let touches = |o: u32| carrier.obstacles.contains(&(o as usize));
        carrier.grips.iter().any(|(r, _)| *r == own)
            || self.contacts.iter().any(|c| touches(c.obstacle))
    }

    /// How much of `fraction` of the step is safe when a body moves at the same time, so that points at rest go
    /// `backwards` as it sees them.
    pub(super) fn sweep_carried(
        &mut self,
        own: usize,
        carrier: &Carrier,
        backwards: &Pose,
        fraction: f64,
    ) -> f64 {
        let points = &self.state.positions;
        for i in 0..points.len() {
            self.work.motion[i] = if self.awake {
                entry(&self.work.delta, layout::node(i)) * fraction
            } else {
                Vec3::zeros()
            };
        }
        let attached = carrier.grips.iter().filter(|(r, _)| *r == own);
        let along = backwards.inverse();
        for &(_, k) in attached.clone() {
            for i in self.problem.grips[k].nodes() {
                self.work.motion[i] = along.transform(&points[i]) - points[i];
            }
        }
        let motion = &self.work.motion;
        let mut rigid = if self.awake {
            self.rigid_ends(fraction)
        } else {
            self.rigid_ends(0.0)
        };
        for fitting in &mut rigid {
            let node = fitting.end * (points.len() - 1);
            let holds = |k: usize| self.problem.grips[k].nodes().any(|i| i == node);
            let is_carried = carrier.grips.iter().any(|&(r, k)| r == own && holds(k));
            for i in 0..2 {
                let p = fitting.axis[i];
                if is_carried {
                    fitting.own[i] = along.transform(&p) - p;
                    fitting.seen[i] = Vec3::zeros();
                } else {
                    fitting.seen[i] = backwards.transform(&(p + fitting.own[i])) - p;
                }
            }
        }
        let moved = points.iter().zip(motion);
        let mut relative: Vec<Vec3> = moved
            .map(|(p, v)| backwards.transform(&(p + v)) - p)
            .collect();
        for &(_, k) in attached {
            // What goes along does not come nearer.
            for i in self.problem.grips[k].nodes() {
                relative[i] = Vec3::zeros();
            }
        }
        let sweep = Sweep {
            obstacles: &self.problem.obstacles,
            points,
            motion,
            held: &self.held,
            settings: &self.settings,
            rigid: &rigid,
            moving: Some(MovingObstacles {
                numbers: carrier.obstacles,
                relative: &relative,
            }),
        };
        sweep.limit(&mut self.work.candidates).fraction
    }

    /// Adds what a moving body pushes with to the right-hand side in `work.delta`; see the formula above.
    pub(super) fn add_push(&mut self) {
        let Some(ObstacleStep {
            obstacles,
            motion,
            contact_curvature,
        }) = &self.work.obstacle_step
        else {
            return;
        };
        let turn = motion.rotation.scaled_axis();
        let way = |p: &Vec3| motion.transform(p) - p;
        let (x, delta) = (&self.state.positions, &mut self.work.delta);
        let mut add = |node: usize, push: Vec3| {
            for k in 0..3 {
                delta[layout::node(node) + k] += push[k];
            }
        };
        for contact in &self.contacts {
            if !obstacles.contains(&(contact.obstacle as usize)) {
                continue;
            }
            let i = contact.edge as usize;
            let term = contact_term(
                contact,
                &x[i],
                &x[i + 1],
                &self.settings,
                *contact_curvature,
            );
            let (left, right) = (way(&x[i]), way(&x[i + 1]));
            let u = nalgebra::Vector6::new(left.x, left.y, left.z, right.x, right.y, right.z);
            let push = term.hessian * u;
            for side in 0..2 {
                let at = 3 * side;
                let gradient = Vec3::new(
                    term.gradient[at],
                    term.gradient[at + 1],
                    term.gradient[at + 2],
                );
                let push = Vec3::new(push[at], push[at + 1], push[at + 2]);
                add(i + side, push - turn.cross(&gradient));
            }
        }
        for friction in &self.friction {
            if !obstacles.contains(&(friction.obstacle as usize)) {
                continue;
            }
            let i = friction.edge as usize;
            let p = x[i].lerp(&x[i + 1], friction.s);
            let term = friction.term(&p, self.settings.slip);
            let push = term.hessian * way(&p) - turn.cross(&term.gradient);
            add(i, push * (1.0 - friction.s));
            add(i + 1, push * friction.s);
        }
    }
}
