//! Bending and twist of a joint: two neighbouring material frames and the turn count between them.

use std::f64::consts::TAU;

use nalgebra::{Matrix4, Vector4};

use crate::geom::{Mat3, Rotation, Vec3};

/// Curvatures (times the joint length) along d1 and d2, and the twist, of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BendTwist {
    /// kappa_1, kappa_2: |kappa| = 2 tan(beta/2) with the bend angle beta.
    pub bend: [f64; 2],
    /// Twist angle, whole turns included, radians.
    pub twist: f64,
}

/// Energy of one joint with its derivatives in the Lie increments of its left and right frame.
#[derive(Clone, Copy, Debug)]
pub struct JointTerm {
    /// N mm.
    pub energy: f64,
    /// Derivative in the left and the right frame's increment, N mm.
    pub gradient: [Vec3; 2],
    /// Second derivative: left-left, left-right, right-right.
    pub hessian: [Mat3; 3],
}

/// conj(left) right as (w, v1, v2, v3): the right frame in the left frame's axes.
pub(super) fn relative_rotation(left: &Rotation, right: &Rotation) -> Vector4<f64> {
    let q = left.quaternion().conjugate() * right.quaternion();
    Vector4::new(q.w, q.i, q.j, q.k)
}

/// The relative rotation with the sign that makes w >= 0, and its twist in (-pi, pi].
pub(super) fn principal_twist(q: &Vector4<f64>) -> (Vector4<f64>, f64) {
    let q = if q[0] < 0.0 { -q } else { *q };
    (q, 2.0 * q[3].atan2(q[0]))
}

/// Bend and twist of one joint with `turns` whole turns.
///
/// q = conj(q_left) q_right = (w, v1, v2, v3), w >= 0:
/// kappa_a = (-1)^k 2 v_a / sqrt(w^2 + v3^2),  twist = 2 atan2(v3, w) + 2 pi k.
/// Singular when the edges fold back on each other (w^2 + v3^2 -> 0). See docs/theory/rod.md.
pub fn bend_twist(left: &Rotation, right: &Rotation, turns: i32) -> BendTwist {
    let (q, twist) = principal_twist(&relative_rotation(left, right));
    let s = parity(turns) / (q[0] * q[0] + q[3] * q[3]).sqrt();
    BendTwist {
        bend: [2.0 * q[1] * s, 2.0 * q[2] * s],
        twist: twist + TAU * f64::from(turns),
    }
}

/// Energy, gradient and Hessian of one joint of rest length `length` (straight and untwisted at rest).
///
/// E = (B1 kappa_1^2 + B2 kappa_2^2 + GJ twist^2) / (2 l). The frames change by increments in their own axes,
/// q <- q exp(theta / 2): the derivatives of q_rel are -1/2 theta_l q_rel and 1/2 q_rel theta_r, and since E does
/// not change with |q_rel| only the mixed second derivative of q_rel, -1/4 theta_l q_rel theta_r, enters.
pub fn joint_term(
    left: &Rotation,
    right: &Rotation,
    turns: i32,
    bending: &[f64; 2],
    torsion: f64,
    length: f64,
) -> JointTerm {
    let (q, principal) = principal_twist(&relative_rotation(left, right));
    let [w, v1, v2, v3] = [q[0], q[1], q[2], q[3]];
    let twist = principal + TAU * f64::from(turns);
    let s2 = 1.0 / (w * w + v3 * v3);
    let s = s2.sqrt();
    let s3 = s * s2;
    let s4 = s2 * s2;
    let s5 = s3 * s2;

    // kappa_a enters as a square, so that the sign (-1)^k of the turn count does not matter for a straight rest.
    let mut energy = 0.5 * torsion * twist * twist / length;
    let mut g = Vector4::zeros();
    let mut h = Matrix4::zeros();
    for (a, v) in [(1, v1), (2, v2)] {
        let b = bending[a - 1] / length;
        let kappa = 2.0 * v * s;
        energy += 0.5 * b * kappa * kappa;
        let mut dk = Vector4::zeros();
        dk[0] = -2.0 * v * w * s3;
        dk[a] = 2.0 * s;
        dk[3] = -2.0 * v * v3 * s3;
        g += dk * (b * kappa);
        h += dk * dk.transpose() * b;
        let m = b * kappa;
        h[(0, 0)] += m * -2.0 * v * (s3 - 3.0 * w * w * s5);
        h[(3, 3)] += m * -2.0 * v * (s3 - 3.0 * v3 * v3 * s5);
        let w_v3 = m * 6.0 * v * w * v3 * s5;
        h[(0, 3)] += w_v3;
        h[(3, 0)] += w_v3;
        let a_w = m * -2.0 * w * s3;
        h[(0, a)] += a_w;
        h[(a, 0)] += a_w;
        let a_v3 = m * -2.0 * v3 * s3;
        h[(3, a)] += a_v3;
        h[(a, 3)] += a_v3;
    }
    let c = torsion / length;
    let (tw, t3) = (-2.0 * v3 * s2, 2.0 * w * s2);
    let m = c * twist;
    g[0] += m * tw;
    g[3] += m * t3;
    h[(0, 0)] += c * tw * tw + m * 4.0 * v3 * w * s4;
    h[(3, 3)] += c * t3 * t3 - m * 4.0 * v3 * w * s4;
    let cross = c * tw * t3 + m * 2.0 * (v3 * v3 - w * w) * s4;
    h[(0, 3)] += cross;
    h[(3, 0)] += cross;

    // Columns: derivative of q_rel in the increments. left_a = -1/2 e_a q, right_a = 1/2 q e_a.
    let left_a = nalgebra::Matrix4x3::new(
        v1, v2, v3, //
        -w, -v3, v2, //
        v3, -w, -v1, //
        -v2, v1, -w,
    ) * 0.5;
    let right_a = nalgebra::Matrix4x3::new(
        -v1, -v2, -v3, //
        w, -v3, v2, //
        v3, w, -v1, //
        -v2, v1, w,
    ) * 0.5;
    let h_left = h * left_a;
    let h_right = h * right_a;
    let mut mixed = left_a.transpose() * h_right;
    // d2 q_rel / d theta_l,a d theta_r,b = -1/4 e_a q e_b, written out.
    let [g0, g1, g2, g3] = [g[0], g[1], g[2], g[3]];
    // e_a (q e_b): first q e_b = 2 right_a column b, then multiply by e_a from the left.
    for b in 0..3 {
        let r = right_a.column(b) * 2.0;
        let (rw, r1, r2, r3) = (r[0], r[1], r[2], r[3]);
        mixed[(0, b)] += -0.25 * (g0 * -r1 + g1 * rw + g2 * -r3 + g3 * r2);
        mixed[(1, b)] += -0.25 * (g0 * -r2 + g1 * r3 + g2 * rw + g3 * -r1);
        mixed[(2, b)] += -0.25 * (g0 * -r3 + g1 * -r2 + g2 * r1 + g3 * rw);
    }
    JointTerm {
        energy,
        gradient: [left_a.transpose() * g, right_a.transpose() * g],
        hessian: [
            left_a.transpose() * h_left,
            mixed,
            right_a.transpose() * h_right,
        ],
    }
}

fn parity(turns: i32) -> f64 {
    if turns % 2 == 0 { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BENDING: [f64; 2] = [3.0, 5.0];
    const TORSION: f64 = 2.0;
    const LENGTH: f64 = 0.7;

    fn turned(q: &Rotation, theta: &Vec3) -> Rotation {
        q * Rotation::from_scaled_axis(*theta)
    }

    fn term(left: &Rotation, right: &Rotation, turns: i32) -> JointTerm {
        joint_term(left, right, turns, &BENDING, TORSION, LENGTH)
    }

    /// Random pairs of frames: mild, twisted, and nearly folded ones.
    fn samples() -> Vec<(Rotation, Rotation, i32)> {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut v = |scale: f64| Vec3::from_fn(|_, _| scale * (2.0 * rng.f64() - 1.0));
        let mut all = Vec::new();
        for k in 0..40 {
            let left = Rotation::from_scaled_axis(v(3.0));
            let twist = Rotation::from_scaled_axis(Vec3::z() * v(2.8).x);
            let bend = Rotation::from_scaled_axis(Vec3::new(v(1.0).x, v(1.0).y, 0.0));
            all.push((left, left * twist * bend, k % 4 - 1));
            // 155 degrees of bend: folded back, as far as differences can still tell.
            let fold = Rotation::from_scaled_axis(Vec3::x() * 155_f64.to_radians());
            all.push((left, left * fold * Rotation::from_scaled_axis(v(0.1)), 0));
        }
        all
    }

    #[test]
    fn gradient_and_hessian_match_finite_differences() {
        for (left, right, turns) in samples() {
            let t = term(&left, &right, turns);
            let step = 1e-5;
            let mut largest = 0.0_f64;
            for end in 0..2 {
                for a in 0..3 {
                    let theta = Vec3::ith(a, step);
                    let at = |sign: f64| {
                        if end == 0 {
                            term(&turned(&left, &(theta * sign)), &right, turns)
                        } else {
                            term(&left, &turned(&right, &(theta * sign)), turns)
                        }
                    };
                    let (plus, minus) = (at(1.0), at(-1.0));
                    let slope = (plus.energy - minus.energy) / (2.0 * step);
                    let scale = 1.0 + t.gradient[0].norm() + t.hessian[0].norm() * 1e-2;
                    assert!(
                        (slope - t.gradient[end][a]).abs() < 1e-6 * scale,
                        "gradient {end} {a}: {slope} {:?} turns {turns} energy {}",
                        t.gradient,
                        t.energy
                    );
                    largest = largest.max(slope.abs());

                    // Exactly second order in the increments: E(s theta_l, t theta_r) by four-point differences.
                    for other in 0..2 {
                        for b in 0..3 {
                            let phi = Vec3::ith(b, step);
                            let e = |s1: f64, s2: f64| {
                                let mut total = [Vec3::zeros(); 2];
                                total[end] += theta * s1;
                                total[other] += phi * s2;
                                term(&turned(&left, &total[0]), &turned(&right, &total[1]), turns)
                                    .energy
                            };
                            let second = (e(1.0, 1.0) - e(1.0, -1.0) - e(-1.0, 1.0)
                                + e(-1.0, -1.0))
                                / (4.0 * step * step);
                            let ours = match (end, other) {
                                (0, 0) => t.hessian[0][(a, b)],
                                (0, 1) => t.hessian[1][(a, b)],
                                (1, 0) => t.hessian[1][(b, a)],
                                _ => t.hessian[2][(a, b)],
                            };
                            let scale = t.energy.abs() * 2e-5
                                + t.hessian[0].norm()
                                + t.hessian[1].norm()
                                + 1.0;
                            assert!(
                                (second - ours).abs() < 2e-4 * scale,
                                "hessian {end}{a} {other}{b}: {second} {ours}"
                            );
                        }
                    }
                }
            }
            assert!(largest > 1e-3, "a test on a zero gradient proves nothing");
        }
    }

    #[test]
    fn bend_is_twice_the_tangent_of_half_the_angle_whatever_the_twist() {
        for (twist, turns) in [(0.0, 0), (1.0, 0), (-2.9, 0), (0.4, 3), (0.4, -2)] {
            let beta = 0.8_f64;
            let left = Rotation::from_scaled_axis(Vec3::new(0.3, -0.2, 0.9));
            let right = left
                * Rotation::from_scaled_axis(Vec3::x() * beta)
                * Rotation::from_scaled_axis(Vec3::z() * twist);
            let b = bend_twist(&left, &right, turns);
            assert!((b.bend[0].hypot(b.bend[1]) - 2.0 * (beta / 2.0).tan()).abs() < 1e-12);
            assert!((b.twist - twist - TAU * f64::from(turns)).abs() < 1e-12);
        }
    }

    #[test]
    fn rigid_motion_changes_nothing() {
        let turn = Rotation::from_scaled_axis(Vec3::new(1.0, 2.0, -0.5));
        for (left, right, turns) in samples() {
            let (a, b) = (
                term(&left, &right, turns),
                term(&(turn * left), &(turn * right), turns),
            );
            assert!((a.energy - b.energy).abs() < 1e-9 * (1.0 + a.energy));
        }
    }
}
