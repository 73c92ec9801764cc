//! Twist of a joint: GJ / (2 l) (twist - rest)^2, twist = theta_after - theta_before + reference twist.

use super::stencil::{Corner, Gradient, Hessian, Local, LocalHessian, to_nodes};
use crate::geom::Vec3;

/// The twisting energy of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twist {
    /// GJ.
    pub stiffness: f64,
    /// Rest length l of the joint: half of each of its edges.
    pub length: f64,
    /// Twist at rest, radians.
    pub rest: f64,
}

impl Twist {
    pub fn energy(&self, twist: f64) -> f64 {
        0.5 * self.stiffness / self.length * (twist - self.rest).powi(2)
    }

    /// Gradient and Hessian, 11 entries (Jawed2018, module 22).
    pub fn derivatives(&self, e: &Vec3, f: &Vec3, twist: f64) -> (Gradient, Hessian) {
        let corner = Corner::new(e, f);
        let mut d = Local::zeros();
        d.fixed_rows_mut::<6>(0).copy_from(&corner.twist_gradient());
        d[6] = -1.0;
        d[7] = 1.0;
        let mut h = LocalHessian::zeros();
        h.fixed_view_mut::<6, 6>(0, 0)
            .copy_from(&corner.twist_hessian(&corner.kb_gradient()));
        let k = self.stiffness / self.length;
        let off = twist - self.rest;
        to_nodes(&(d * (k * off)), &((d * d.transpose() + h * off) * k))
    }
}

#[cfg(test)]
mod tests {
    use super::super::stencil::tests::{Base, Moved, check};
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_energy() {
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..20 {
            let term = Twist {
                stiffness: 1.3,
                length: 0.7,
                rest: rng.f64(),
            };
            let twist = |m: &Moved| m.theta[1] - m.theta[0] + m.reference_twist;
            let base = Base::random(&mut rng);
            let now = base.moved(&base.unknowns);
            let found = term.derivatives(&now.edges[0], &now.edges[1], twist(&now));
            check(&base, |m| term.energy(twist(m)), found);
        }
    }
}
