//! A joint: the curvature binormal and the reference twist of two edges, with first and second derivatives.
//!
//! Everything is a function of the edges e (before) and f (after) of a node. The reference frames are parallel in time,
//! so that a derivative is one along a straight way from the present state, along which the frames are carried.

use nalgebra::{Matrix3x6, Matrix6, SMatrix, SVector, Vector6};

use crate::geom::{Mat3, Vec3, skew};

/// Gradient of a joint's energy by (x_before, theta_before, x, theta_after, x_after).
pub type Gradient = SVector<f64, 11>;
/// Hessian of a joint's energy by the same unknowns.
pub type Hessian = SMatrix<f64, 11, 11>;
/// Derivatives by (e, f, theta_e, theta_f).
pub(super) type Local = SVector<f64, 8>;
pub(super) type LocalHessian = SMatrix<f64, 8, 8>;

/// Two edges that meet in a node.
pub(super) struct Corner {
    pub e_len: f64,
    pub f_len: f64,
    pub t_e: Vec3,
    pub t_f: Vec3,
    /// The curvature binormal kb = 2 e x f / (|e||f| + e.f), normal to both edges, of length 2 tan(angle/2).
    pub kb: Vec3,
    /// |e||f| + e.f and its gradient by (e, f).
    divisor: f64,
    divisor_gradient: Vector6<f64>,
}

fn stack(a: &Vec3, b: &Vec3) -> Vector6<f64> {
    Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

impl Corner {
    pub fn new(e: &Vec3, f: &Vec3) -> Self {
        let (e_len, f_len) = (e.norm(), f.norm());
        let (t_e, t_f) = (e / e_len, f / f_len);
        let divisor = e_len * f_len + e.dot(f);
        let sum = t_e + t_f;
        Self {
            kb: 2.0 * e.cross(f) / divisor,
            divisor_gradient: stack(&(sum * f_len), &(sum * e_len)),
            e_len,
            f_len,
            t_e,
            t_f,
            divisor,
        }
    }

    /// d kb / d(e, f) = (2 (de x f + e x df) - kb dD) / D.
    pub fn kb_gradient(&self) -> Matrix3x6<f64> {
        let mut j = Matrix3x6::zeros();
        let (e, f) = (self.t_e * self.e_len, self.t_f * self.f_len);
        j.fixed_columns_mut::<3>(0).copy_from(&(-2.0 * skew(&f)));
        j.fixed_columns_mut::<3>(3).copy_from(&(2.0 * skew(&e)));
        (j - self.kb * self.divisor_gradient.transpose()) / self.divisor
    }

    /// The Hessian of n . kb by (e, f) for a constant n:
    /// (4 n.(de x df) - 2 (n.dkb) dD - (n.kb) d2D) / D.
    pub fn kb_hessian(&self, n: &Vec3, kb_gradient: &Matrix3x6<f64>) -> Matrix6<f64> {
        let mut h = Matrix6::zeros();
        let along = n.dot(&self.kb);
        let across = |t: &Vec3| Mat3::identity() - t * t.transpose();
        let ee = -along * self.f_len / self.e_len * across(&self.t_e);
        let ff = -along * self.e_len / self.f_len * across(&self.t_f);
        let ef = -2.0 * skew(n) - along * (Mat3::identity() + self.t_e * self.t_f.transpose());
        h.fixed_view_mut::<3, 3>(0, 0).copy_from(&ee);
        h.fixed_view_mut::<3, 3>(3, 3).copy_from(&ff);
        h.fixed_view_mut::<3, 3>(0, 3).copy_from(&ef);
        h.fixed_view_mut::<3, 3>(3, 0).copy_from(&ef.transpose());
        let a = kb_gradient.transpose() * n;
        let r = &self.divisor_gradient;
        (h - a * r.transpose() - r * a.transpose()) / self.divisor
    }

    /// d m / d(e, f) = (kb / (2|e|), kb / (2|f|)): how the reference twist changes while the frames are carried along.
    pub fn twist_gradient(&self) -> Vector6<f64> {
        stack(
            &(self.kb / (2.0 * self.e_len)),
            &(self.kb / (2.0 * self.f_len)),
        )
    }

    /// The Hessian of the reference twist: the change of its gradient along a straight way, made symmetric. (What is
    /// not symmetric in it is the holonomy of a closed way, which a second derivative does not see.)
    pub fn twist_hessian(&self, kb_gradient: &Matrix3x6<f64>) -> Matrix6<f64> {
        let mut h = Matrix6::zeros();
        for (at, t, length) in [(0, &self.t_e, self.e_len), (3, &self.t_f, self.f_len)] {
            let mut rows = h.fixed_rows_mut::<3>(at);
            rows += kb_gradient / (2.0 * length);
            let mut block = h.fixed_view_mut::<3, 3>(at, at);
            block -= self.kb * t.transpose() / (2.0 * length * length);
        }
        0.5 * (h + h.transpose())
    }
}

/// From (e, f, theta_e, theta_f) to (x_before, theta_before, x, theta_after, x_after): e = x - x_before,
/// f = x_after - x.
pub(super) fn to_nodes(g: &Local, h: &LocalHessian) -> (Gradient, Hessian) {
    /// For each of the eleven, the local derivatives that it takes part in, with their sign.
    const PARTS: [&[(usize, f64)]; 11] = [
        &[(0, -1.0)],
        &[(1, -1.0)],
        &[(2, -1.0)],
        &[(6, 1.0)],
        &[(0, 1.0), (3, -1.0)],
        &[(1, 1.0), (4, -1.0)],
        &[(2, 1.0), (5, -1.0)],
        &[(7, 1.0)],
        &[(3, 1.0)],
        &[(4, 1.0)],
        &[(5, 1.0)],
    ];
    let sum = |parts: &[(usize, f64)], of: &dyn Fn(usize) -> f64| -> f64 {
        parts.iter().map(|&(k, sign)| sign * of(k)).sum()
    };
    let gradient = Gradient::from_fn(|i, _| sum(PARTS[i], &|k| g[k]));
    let hessian = Hessian::from_fn(|i, j| sum(PARTS[i], &|k| sum(PARTS[j], &|l| h[(k, l)])));
    (gradient, hessian)
}

/// What the tests of bend and twist share: a joint whose frames are carried from a base state.
#[cfg(test)]
pub(super) mod tests {
    use super::super::frames::{cleaned, reference_twist, transport};
    use super::*;

    /// A joint at a base state: nodes, angles and reference frames.
    pub struct Base {
        pub unknowns: Gradient,
        tangents: [Vec3; 2],
        pub a1: [Vec3; 2],
        pub twist: f64,
    }

    /// The edges, a1 of the first edge, the two angles and the reference twist of a state near the base.
    pub struct Moved {
        pub edges: [Vec3; 2],
        pub a1: Vec3,
        pub theta: [f64; 2],
        pub reference_twist: f64,
    }

    fn edges(u: &Gradient) -> [Vec3; 2] {
        let x = |at: usize| Vec3::new(u[at], u[at + 1], u[at + 2]);
        [x(4) - x(0), x(8) - x(4)]
    }

    impl Base {
        pub fn random(rng: &mut fastrand::Rng) -> Self {
            let mut number = || 2.0 * rng.f64() - 1.0;
            let mut unknowns = Gradient::from_fn(|_, _| number());
            unknowns[4] += 2.0;
            unknowns[8] += 3.0;
            let tangents = edges(&unknowns).map(|e| e.normalize());
            let a1 = tangents.map(|t| cleaned(&Vec3::new(number(), number(), 2.0), &t));
            // Several turns, so that the twist is not small.
            let twist = reference_twist(
                [&tangents[0], &tangents[1]],
                [&a1[0], &a1[1]],
                6.0 * number(),
            );
            Self {
                unknowns,
                tangents,
                a1,
                twist,
            }
        }

        pub fn moved(&self, u: &Gradient) -> Moved {
            let edges = edges(u);
            let t = edges.map(|e| e.normalize());
            let a1 = [0, 1].map(|k| transport(&self.a1[k], &self.tangents[k], &t[k]));
            let twist = reference_twist([&t[0], &t[1]], [&a1[0], &a1[1]], self.twist);
            Moved {
                edges,
                a1: a1[0],
                theta: [u[3], u[7]],
                reference_twist: twist,
            }
        }
    }

    /// Compares a gradient and a Hessian with differences of the energy, frames carried from the base.
    pub fn check(
        base: &Base,
        energy: impl Fn(&Moved) -> f64,
        (gradient, hessian): (Gradient, Hessian),
    ) {
        let at = |u: &Gradient| energy(&base.moved(u));
        let shifted = |moves: &[(usize, f64)]| {
            let mut u = base.unknowns;
            for &(k, by) in moves {
                u[k] += by;
            }
            at(&u)
        };
        let scale = hessian.amax();
        assert!(scale > 1e-3 && gradient.amax() > 1e-3, "nothing to compare");
        for i in 0..11 {
            let h = 1e-5;
            let slope = (shifted(&[(i, h)]) - shifted(&[(i, -h)])) / (2.0 * h);
            assert!(
                (slope - gradient[i]).abs() < 1e-7 * scale,
                "gradient {i}: {slope} {}",
                gradient[i]
            );
            for j in 0..11 {
                let h = 2e-4;
                let mixed = |h: f64| {
                    let corner = |a: f64, b: f64| shifted(&[(i, a * h), (j, b * h)]);
                    (corner(1.0, 1.0) - corner(1.0, -1.0) - corner(-1.0, 1.0) + corner(-1.0, -1.0))
                        / (4.0 * h * h)
                };
                // Richardson: the error of a central difference falls by four.
                let second = (4.0 * mixed(h) - mixed(2.0 * h)) / 3.0;
                assert!(
                    (second - hessian[(i, j)]).abs() < 1e-6 * scale,
                    "Hessian {i} {j}: {second} {}",
                    hessian[(i, j)]
                );
            }
        }
    }
}
