//! Stretch of an edge: EA l / 2 (|e|/l - 1)^2.

use nalgebra::{Matrix6, Vector6};

use crate::geom::{Mat3, Vec3};

/// The stretching energy of an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// EA.
    pub stiffness: f64,
    /// Rest length l.
    pub length: f64,
}

impl Stretch {
    /// EA (|e|/l - 1).
    pub fn tension(&self, e: &Vec3) -> f64 {
        self.stiffness * (e.norm() / self.length - 1.0)
    }

    pub fn energy(&self, e: &Vec3) -> f64 {
        0.5 * self.tension(e).powi(2) * self.length / self.stiffness
    }

    /// Gradient and Hessian by the two nodes, 6 entries.
    ///
    /// With n = tension and t the tangent: gradient n t by e, Hessian EA/l t t^T + n/|e| (1 - t t^T). The tension of the
    /// second part may be another than that of the state: `assumed` makes Newton's method a mixed one (see `statics`).
    pub fn derivatives(&self, e: &Vec3, assumed: Option<f64>) -> (Vector6<f64>, Matrix6<f64>) {
        let length = e.norm();
        let t = e / length;
        let tension = self.tension(e);
        let along = t * t.transpose();
        let k = along * (self.stiffness / self.length)
            + (Mat3::identity() - along) * (assumed.unwrap_or(tension) / length);
        let f = t * tension;
        let mut h = Matrix6::zeros();
        h.fixed_view_mut::<3, 3>(0, 0).copy_from(&k);
        h.fixed_view_mut::<3, 3>(3, 3).copy_from(&k);
        h.fixed_view_mut::<3, 3>(0, 3).copy_from(&-k);
        h.fixed_view_mut::<3, 3>(3, 0).copy_from(&-k);
        (Vector6::new(-f.x, -f.y, -f.z, f.x, f.y, f.z), h)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_energy() {
        let term = Stretch {
            stiffness: 3.0,
            length: 0.8,
        };
        let base = Vector6::new(0.1, -0.2, 0.3, 0.9, 0.4, -0.5);
        let edge = |u: &Vector6<f64>| Vec3::new(u[3] - u[0], u[4] - u[1], u[5] - u[2]);
        let (gradient, hessian) = term.derivatives(&edge(&base), None);
        assert!(gradient.amax() > 0.1 && hessian.amax() > 0.1);
        let h = 1e-5;
        for i in 0..6 {
            let moved = |by: f64| {
                let mut u = base;
                u[i] += by;
                edge(&u)
            };
            let slope = (term.energy(&moved(h)) - term.energy(&moved(-h))) / (2.0 * h);
            assert!((slope - gradient[i]).abs() < 1e-9);
            let [plus, minus] = [h, -h].map(|by| term.derivatives(&moved(by), None).0);
            let column = (plus - minus) / (2.0 * h);
            assert!((column - hessian.column(i)).amax() < 1e-8);
        }
    }
}
