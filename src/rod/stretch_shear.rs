//! Stretch and shear of an edge: how its vector differs from the rest vector along its own d3.

use crate::geom::{Mat3, Rotation, Vec3, skew};

/// Energy of one edge with its derivatives in (left node, frame increment, right node).
///
/// With f = R n the force, the gradient is (-f, m, f) and the Hessian
/// `[[A, -B, -A], [-B^T, C, B^T], [-A, B, A]]`.
#[derive(Clone, Copy, Debug)]
pub struct EdgeTerm {
    /// N mm.
    pub energy: f64,
    /// Derivative in the right node; the left node's is the negative, N.
    pub force: Vec3,
    /// Derivative in the frame's increment, N mm.
    pub moment: Vec3,
    /// Second derivative in the nodes (A above).
    pub node_node: Mat3,
    /// Second derivative in right node and frame (B above).
    pub node_frame: Mat3,
    /// Second derivative in the frame (C above).
    pub frame_frame: Mat3,
}

/// Edge vector in its own axes.
fn local_edge(left: &Vec3, frame: &Rotation, right: &Vec3) -> Vec3 {
    frame.inverse_transform_vector(&(right - left))
}

/// Shear and axial forces in the edge's own axes: n = C (R^T e / l - e3), N.
pub fn axial_shear_force(
    left: &Vec3,
    frame: &Rotation,
    right: &Vec3,
    stiffness: &Vec3,
    length: f64,
) -> Vec3 {
    stiffness.component_mul(&(local_edge(left, frame, right) / length - Vec3::z()))
}

/// Energy, gradient and Hessian of one edge of rest length `length`.
///
/// E = l/2 Gamma^T C Gamma with Gamma = R^T e / l - e3 and C = diag(GA, GA, EA) = `stiffness`. `geometric` is the
/// force that enters the geometric part of the Hessian: the true one for the exact Hessian, an independent iterate
/// for the mixed Newton method (Hessian of the mixed form with the force condensed out of the element).
/// The frame changes by R <- R exp(theta), so that the edge in its own axes, gamma = R^T e, changes by
/// gamma x theta to first order and by theta x (theta x gamma) / 2 to second.
#[expect(
    clippy::inline_always,
    reason = "callers that take no Hessian are to compute none"
)]
#[inline(always)]
pub fn edge_term(
    left: &Vec3,
    frame: &Rotation,
    right: &Vec3,
    stiffness: &Vec3,
    length: f64,
    geometric: Option<&Vec3>,
) -> EdgeTerm {
    let r = frame.to_rotation_matrix().into_inner();
    let gamma = r.tr_mul(&(right - left));
    let strain = gamma / length - Vec3::z();
    let n = stiffness.component_mul(&strain);
    let bar = geometric.unwrap_or(&n);
    let d = stiffness / length;

    // R D and D [gamma]x by scaling columns and rows.
    let s = skew(&gamma);
    let r_d = Mat3::from_columns(&[r.column(0) * d.x, r.column(1) * d.y, r.column(2) * d.z]);
    let mut d_s = s;
    for k in 0..3 {
        for c in 0..3 {
            d_s[(k, c)] *= d[k];
        }
    }
    let outer = bar * gamma.transpose();
    EdgeTerm {
        energy: 0.5 * length * strain.dot(&n),
        force: r * n,
        moment: n.cross(&gamma),
        node_node: r_d * r.transpose(),
        node_frame: r * (d_s - skew(bar)),
        frame_frame: s.tr_mul(&d_s) + (outer + outer.transpose()) * 0.5
            - Mat3::identity() * bar.dot(&gamma),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{SMatrix, SVector};

    type V9 = SVector<f64, 9>;
    type M9 = SMatrix<f64, 9, 9>;
    const STIFFNESS: Vec3 = Vec3::new(5.0, 5.0, 11.0);
    const LENGTH: f64 = 0.8;

    fn moved(x: &(Vec3, Rotation, Vec3), u: &V9) -> (Vec3, Rotation, Vec3) {
        (
            x.0 + u.fixed_rows::<3>(0),
            x.1 * Rotation::from_scaled_axis(u.fixed_rows::<3>(3).into_owned()),
            x.2 + u.fixed_rows::<3>(6),
        )
    }

    fn term(x: &(Vec3, Rotation, Vec3)) -> EdgeTerm {
        edge_term(&x.0, &x.1, &x.2, &STIFFNESS, LENGTH, None)
    }

    fn gradient(t: &EdgeTerm) -> V9 {
        let mut g = V9::zeros();
        g.fixed_rows_mut::<3>(0).copy_from(&-t.force);
        g.fixed_rows_mut::<3>(3).copy_from(&t.moment);
        g.fixed_rows_mut::<3>(6).copy_from(&t.force);
        g
    }

    fn hessian(t: &EdgeTerm) -> M9 {
        let (a, b, c) = (t.node_node, t.node_frame, t.frame_frame);
        let mut h = M9::zeros();
        for (i, j, block) in [
            (0, 0, a),
            (0, 3, -b),
            (0, 6, -a),
            (3, 0, -b.transpose()),
            (3, 3, c),
            (3, 6, b.transpose()),
            (6, 0, -a),
            (6, 3, b),
            (6, 6, a),
        ] {
            h.fixed_view_mut::<3, 3>(i, j).copy_from(&block);
        }
        h
    }

    #[test]
    fn gradient_and_hessian_match_finite_differences() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..50 {
            let mut v = |scale: f64| Vec3::from_fn(|_, _| scale * (2.0 * rng.f64() - 1.0));
            let x = (v(1.0), Rotation::from_scaled_axis(v(3.0)), v(1.0));
            let t = term(&x);
            let (g, h) = (gradient(&t), hessian(&t));
            assert!(
                g.norm() > 1e-3 && h.norm() > 1e-3,
                "a test on zeros proves nothing"
            );
            let step = 1e-4;
            let e = |u: V9| term(&moved(&x, &u)).energy;
            for i in 0..9 {
                let u = V9::ith(i, step);
                let slope = (e(u) - e(-u)) / (2.0 * step);
                assert!(
                    (slope - g[i]).abs() < 1e-5 * (1.0 + g.norm()),
                    "gradient {i}: {slope} {}",
                    g[i]
                );
                for j in 0..9 {
                    let w = V9::ith(j, step);
                    let second = (e(u + w) - e(u - w) - e(w - u) + e(-u - w)) / (4.0 * step * step);
                    assert!(
                        (second - h[(i, j)]).abs() < 1e-4 * (1.0 + h.norm()),
                        "hessian {i} {j}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_rest_edge_has_no_energy_and_no_force() {
        let frame = Rotation::from_scaled_axis(Vec3::new(0.4, -1.0, 2.0));
        let left = Vec3::new(1.0, 2.0, 3.0);
        let t = term(&(left, frame, left + frame * Vec3::z() * LENGTH));
        assert!(t.energy < 1e-28 && t.force.norm() < 1e-13 && t.moment.norm() < 1e-13);
    }
}
