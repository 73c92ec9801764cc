//! Motion over time: inertia as one more term of the minimiser.
//!
//! Everything that has mass is a set of points: the nodes of a rod, the tips of the section axes of its edges, the center
//! of mass of a body and the tips of its axes. A step of time of length h ends where
//!
//! ```text
//! sum over points  m/2 |p - p^|^2 / (beta' h^2)  +  (drag) m/2 (rate) |p - z|^2  +  energy
//! ```
//!
//! is least: p^ is where the point would be without forces, z where its velocity would be zero. So energies, contact,
//! friction, bodies, the line search and swept collision are those of statics, and a cable at rest stays at rest to the
//! last bit.
//!
//! Two rules: implicit Euler, and generalised alpha of second order, which damps what is far too fast for the step (the
//! stretch of a stiff cable) and keeps the energy of the rest. A rod that touches something goes by Euler's rule as long as
//! it does.

mod rod;
mod step;

use crate::geom::{Mat3, Vec3};

pub(super) use rod::{Inertia, MASS_UNIT};
pub use step::{begin_stage, end_stage, kinetic_and_potential, set_bodies_in_motion};

/// How a step of time is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeRule {
    /// Implicit Euler: first order, damps what is too fast for the step.
    #[default]
    Euler,
    /// Generalised alpha, second order: keeps the energy of what the step resolves, as long as it touches nothing.
    SecondOrder,
}

/// What slows a motion down.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Force against the velocity of all mass, over mass and velocity, 1/s.
    pub drag: f64,
    /// Moment against the rate of bending and twist, over stiffness and rate, s.
    pub material: f64,
}

/// One stage of a step of time, a solve each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    rule: TimeRule,
    /// Its length, s.
    length: f64,
    /// When it ends, in seconds from the beginning of the step.
    ends_at: f64,
}

/// Length of the stage that finds out how everything is accelerated when a motion of second order begins, over the step.
const START: f64 = 1e-3;
/// What of an oscillation that is far too fast for the step is left after one, in the second-order rule.
const LEFT: f64 = 0.7;

impl TimeRule {
    /// The stages of a step of so many seconds, in their order; `starting` when something has not moved before, and its
    /// acceleration is not known.
    pub fn stages(self, step: f64, starting: bool) -> impl Iterator<Item = Stage> {
        let before = if starting && self == Self::SecondOrder {
            START * step
        } else {
            0.0
        };
        let start = (before > 0.0).then_some(Stage {
            rule: Self::Euler,
            length: before,
            ends_at: before,
        });
        start.into_iter().chain([Stage {
            rule: self,
            length: step - before,
            ends_at: step,
        }])
    }
}

impl Stage {
    /// When it ends, in seconds from the beginning of the step.
    pub fn ends_at(&self) -> f64 {
        self.ends_at
    }

    /// The same stage by Euler's rule, for what touches something: the rule of second order takes a stop for a force that
    /// goes on, and throws back what has landed.
    pub(super) fn in_contact(&self) -> Self {
        Self {
            rule: TimeRule::Euler,
            ..*self
        }
    }

    fn numbers(&self) -> Numbers {
        match self.rule {
            TimeRule::Euler => Numbers {
                past: 0.0,
                beta: 1.0,
                gamma: 1.0,
                alpha_m: 0.0,
                alpha_f: 0.0,
            },
            TimeRule::SecondOrder => {
                let alpha_m = (2.0 * LEFT - 1.0) / (LEFT + 1.0);
                let alpha_f = LEFT / (LEFT + 1.0);
                let gamma = 0.5 + alpha_f - alpha_m;
                let beta = 0.25 * (gamma + 0.5) * (gamma + 0.5);
                Numbers {
                    past: 0.5 - beta,
                    beta,
                    gamma,
                    alpha_m,
                    alpha_f,
                }
            }
        }
    }

    /// What inertia pulls a point of unit mass with to where it would be without forces, 1/s^2.
    fn inertia(&self) -> f64 {
        let n = self.numbers();
        (1.0 - n.alpha_m) / (self.length * self.length * n.beta * (1.0 - n.alpha_f))
    }

    /// Velocity over the way from where it would be zero, 1/s.
    fn rate(&self) -> f64 {
        let Numbers { beta, gamma, .. } = self.numbers();
        gamma / (self.length * beta)
    }
}

/// The numbers of a rule, with the names of the literature; a is the smoothed acceleration, b that at which forces
/// balance, and what is new has a dash: x' = x + h v + h^2 (past a + beta a'), v' = v + h ((1 - gamma) a + gamma a'),
/// (1 - alpha_m) a' + alpha_m a = (1 - alpha_f) b' + alpha_f b.
#[derive(Clone, Copy)]
struct Numbers {
    past: f64,
    beta: f64,
    gamma: f64,
    alpha_m: f64,
    alpha_f: f64,
}

/// Points with mass in a step of time.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    /// Places, velocities and accelerations at the beginning of the stage, mm, mm/s, mm/s^2, and the smoothed ones.
    places: Vec<Vec3>,
    pub velocities: Vec<Vec3>,
    accelerations: Vec<Vec3>,
    smoothed: Vec<Vec3>,
    /// Where the points would be without forces.
    free: Vec<Vec3>,
    /// Where their velocities would be zero.
    from: Vec<Vec3>,
    /// Where inertia and drag together would have the points, and how they pull there, over mass, 1/s^2.
    toward: Vec<Vec3>,
    weight: f64,
}

impl Points {
    /// So many points at rest.
    pub fn at_rest(number: usize) -> Self {
        let zeros = || vec![Vec3::zeros(); number];
        Self {
            places: zeros(),
            velocities: zeros(),
            accelerations: zeros(),
            smoothed: zeros(),
            free: zeros(),
            from: zeros(),
            toward: zeros(),
            weight: 0.0,
        }
    }

    /// Notes where a point is when a stage begins.
    pub fn note(&mut self, k: usize, place: Vec3) {
        self.places[k] = place;
    }

    /// Whether nothing moves, or is about to.
    pub fn are_still(&self) -> bool {
        let all = self.velocities.iter().chain(&self.smoothed);
        all.chain(&self.accelerations).all(|v| *v == Vec3::zeros())
    }

    /// Forgets all motion.
    pub fn stop(&mut self) {
        for all in [
            &mut self.velocities,
            &mut self.accelerations,
            &mut self.smoothed,
        ] {
            all.fill(Vec3::zeros());
        }
    }

    /// Whether a point is where it was when the stage began.
    pub fn has_stayed(&self, k: usize, place: &Vec3) -> bool {
        self.places[k] == *place
    }

    /// Where the velocity of a point would be zero.
    pub fn from(&self, k: usize) -> &Vec3 {
        &self.from[k]
    }

    /// Where a point would be if its smoothed acceleration were zero at the end of the stage.
    fn ahead(&self, stage: &Stage, k: usize) -> Vec3 {
        let h = stage.length;
        self.places[k] + self.velocities[k] * h + self.smoothed[k] * (h * h * stage.numbers().past)
    }

    /// Begins a stage.
    pub fn begin(&mut self, stage: &Stage, drag: f64) {
        let h = stage.length;
        let Numbers {
            beta,
            gamma,
            alpha_m,
            alpha_f,
            ..
        } = stage.numbers();
        let (inertia, drag) = (stage.inertia(), drag * stage.rate());
        self.weight = inertia + drag;
        for k in 0..self.places.len() {
            let (velocity, smoothed) = (self.velocities[k], self.smoothed[k]);
            let ahead = self.ahead(stage, k);
            let lagging = self.accelerations[k] * alpha_f - smoothed * alpha_m;
            self.free[k] = ahead + lagging * (h * h * beta / (1.0 - alpha_m));
            let kept = velocity + smoothed * (h * (1.0 - gamma));
            self.from[k] = ahead - kept * (h * beta / gamma);
            // What is at rest stays where it is, to the last bit.
            self.toward[k] = self.free[k] + (self.from[k] - self.free[k]) * (drag / self.weight);
        }
    }

    /// Ends a stage with point `k` there.
    pub fn end(&mut self, stage: &Stage, k: usize, place: &Vec3) {
        let h = stage.length;
        let Numbers { beta, gamma, .. } = stage.numbers();
        let before = self.smoothed[k];
        let smoothed = (place - self.ahead(stage, k)) / (h * h * beta);
        self.velocities[k] += (before * (1.0 - gamma) + smoothed * gamma) * h;
        self.smoothed[k] = smoothed;
        self.accelerations[k] = (place - self.free[k]) * stage.inertia();
    }

    /// Force on point `k` of that mass, as the first derivative of the term, and its constant second derivative.
    pub fn pull(&self, k: usize, mass: f64, place: &Vec3) -> (Vec3, f64) {
        let stiffness = self.weight * mass;
        ((place - self.toward[k]) * stiffness, stiffness)
    }

    /// The term of point `k`, N mm.
    pub fn energy(&self, k: usize, mass: f64, place: &Vec3) -> f64 {
        0.5 * self.weight * mass * (place - self.toward[k]).norm_squared()
    }

    /// Derivatives of the terms of axes `e_j` of a frame R, whose tips are the points from `first` on with those masses: the
    /// gradient and the second derivative in its increment, which turns it to R exp(theta).
    pub fn turning<const N: usize>(
        &self,
        first: usize,
        moments: [f64; N],
        to_local: impl Fn(&Vec3) -> Vec3,
    ) -> (Vec3, Mat3) {
        let (mut gradient, mut hessian) = (Vec3::zeros(), Mat3::zeros());
        for (j, moment) in moments.into_iter().enumerate() {
            // |R e| does not change, so that only the mixed product is left of the square.
            let pull = to_local(&self.toward[first + j]) * (-self.weight * moment);
            let axis = unit(j);
            gradient += axis.cross(&pull);
            hessian += curvature(&pull, &axis);
        }
        (gradient, hessian)
    }
}

/// The `j`-th axis.
fn unit(j: usize) -> Vec3 {
    Vec3::from_fn(|k, _| if k == j { 1.0 } else { 0.0 })
}

/// Second derivative of f . R exp(theta) p in theta, for g = R^T f.
pub(super) fn curvature(g: &Vec3, p: &Vec3) -> Mat3 {
    (g * p.transpose() + p * g.transpose()) * 0.5 - Mat3::identity() * g.dot(p)
}

/// The turn rate of a frame, in its own axes, from the velocities of the tips of its first two axes in the same axes.
fn spin_of(first: &Vec3, second: &Vec3) -> Vec3 {
    Vec3::new(second.z, -first.z, 0.5 * (first.y - second.x))
}
