//! Bending of a joint: sum over both axes of EI_a / (2 l) (kappa_a - rest_a)^2.
//!
//! kappa_a = kb . n_a, where n_1, n_2 are the material axes half a twist from either edge: those of the first edge turned
//! forward by half the twist. Bergou2008 takes the mean of the curvatures on both edges instead, (kb.m_a^e + kb.m_a^f)/2,
//! which is smaller by the cosine of half the twist; turned like this, both edges give the same number and nothing
//! shrinks. (Bergou's omega is (kb.m_2, -kb.m_1); here kappa_1 is the curvature about d1, as in the rest of the crate.)
//! For a straight isotropic rod all of it is EI |kb|^2 / (2 l).

use super::frames::turned;
use super::stencil::{Corner, Gradient, Hessian, Local, LocalHessian, to_nodes};
use crate::geom::Vec3;

/// The bending energy of a joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bend {
    /// EI about d1 and d2.
    pub stiffness: [f64; 2],
    /// Rest length l of the joint: half of each of its edges.
    pub length: f64,
    /// kappa_1 and kappa_2 at rest, times l.
    pub rest: [f64; 2],
}

/// Where the joint is: its edges, the reference axis a1 of the first, and phi, the angle of n_1 against a1:
/// theta_before + twist/2.
#[derive(Clone, Copy)]
pub(super) struct Bent<'a> {
    pub e: &'a Vec3,
    pub f: &'a Vec3,
    pub a1: &'a Vec3,
    pub phi: f64,
}

impl Bent<'_> {
    fn axes(&self, t_e: &Vec3) -> [Vec3; 2] {
        let n1 = turned(self.a1, t_e, self.phi);
        [n1, t_e.cross(&n1)]
    }

    /// kappa_1 and kappa_2, times the length of the joint.
    pub fn curvatures(&self) -> [f64; 2] {
        let corner = Corner::new(self.e, self.f);
        self.axes(&corner.t_e).map(|n| corner.kb.dot(&n))
    }
}

impl Bend {
    pub fn energy(&self, at: &Bent) -> f64 {
        let kappa = at.curvatures();
        (0..2)
            .map(|a| 0.5 * self.stiffness[a] / self.length * (kappa[a] - self.rest[a]).powi(2))
            .sum()
    }

    /// Gradient and Hessian, 11 entries.
    ///
    /// With u = kb, dphi = (dtheta_e + dtheta_f + dm)/2 and frames that are carried along (dn.u has no part along t_e,
    /// because u is normal to it):
    ///
    /// d kappa_1 = n_1.du + kappa_2 dphi,   d kappa_2 = n_2.du - kappa_1 dphi
    /// d2 kappa_1 = n_1.d2u + 2 dphi n_2.du + (n_1.dt_e)(u.dt_e) - kappa_1 dphi^2 + kappa_2 d2m/2
    /// d2 kappa_2 = n_2.d2u - 2 dphi n_1.du + (n_2.dt_e)(u.dt_e) - kappa_2 dphi^2 - kappa_1 d2m/2
    pub fn derivatives(&self, at: &Bent) -> (Gradient, Hessian) {
        let corner = Corner::new(at.e, at.f);
        let u = corner.kb;
        let n = at.axes(&corner.t_e);
        let kappa = n.map(|n| u.dot(&n));
        let du = corner.kb_gradient();
        let local = |v: nalgebra::Vector6<f64>| {
            let mut all = Local::zeros();
            all.fixed_rows_mut::<6>(0).copy_from(&v);
            all
        };
        let n_du = n.map(|n| local(du.transpose() * n));
        let mut dphi = local(0.5 * corner.twist_gradient());
        dphi[6] = 0.5;
        dphi[7] = 0.5;
        let d2m = corner.twist_hessian(&du);

        let mut gradient = Local::zeros();
        let mut hessian = LocalHessian::zeros();
        for a in 0..2 {
            let (other, sign) = (1 - a, if a == 0 { 1.0 } else { -1.0 });
            let slope = n_du[a] + dphi * (sign * kappa[other]);
            let mut second = LocalHessian::zeros();
            let mut ef = corner.kb_hessian(&n[a], &du) + d2m * (0.5 * sign * kappa[other]);
            let mut ee = ef.fixed_view_mut::<3, 3>(0, 0);
            ee +=
                (n[a] * u.transpose() + u * n[a].transpose()) / (2.0 * corner.e_len * corner.e_len);
            second.fixed_view_mut::<6, 6>(0, 0).copy_from(&ef);
            let mixed = dphi * n_du[other].transpose();
            second += (mixed + mixed.transpose()) * sign - dphi * dphi.transpose() * kappa[a];
            let k = self.stiffness[a] / self.length;
            let off = kappa[a] - self.rest[a];
            gradient += slope * (k * off);
            hessian += (slope * slope.transpose() + second * off) * k;
        }
        to_nodes(&gradient, &hessian)
    }
}

#[cfg(test)]
mod tests {
    use super::super::stencil::tests::{Base, Moved, check};
    use super::*;

    fn bent(m: &Moved) -> Bent<'_> {
        Bent {
            e: &m.edges[0],
            f: &m.edges[1],
            a1: &m.a1,
            phi: 0.5 * (m.theta[0] + m.theta[1] + m.reference_twist),
        }
    }

    #[test]
    fn derivatives_are_those_of_the_energy() {
        let mut rng = fastrand::Rng::with_seed(1);
        for _ in 0..20 {
            let term = Bend {
                stiffness: [1.3, 0.4],
                length: 0.7,
                rest: [rng.f64(), -rng.f64()],
            };
            let base = Base::random(&mut rng);
            let now = base.moved(&base.unknowns);
            let found = term.derivatives(&bent(&now));
            check(&base, |m| term.energy(&bent(m)), found);
        }
    }

    /// However far it is twisted, a joint is bent by 2 tan(angle/2): the averaged frame would make it cos(twist/2) of that.
    #[test]
    fn twist_does_not_hide_curvature() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..20 {
            let now = {
                let base = Base::random(&mut rng);
                base.moved(&base.unknowns)
            };
            let kappa = bent(&now).curvatures();
            let [e, f] = now.edges;
            let expected = 2.0 * (0.5 * e.angle(&f)).tan();
            assert!((kappa[0].hypot(kappa[1]) - expected).abs() < 1e-12 * expected);
        }
    }
}
