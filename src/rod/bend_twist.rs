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

impl BendTwist {
    /// Neither bent nor twisted.
    pub const STRAIGHT: Self = Self {
        bend: [0.0; 2],
        twist: 0.0,
    };

    /// The right frame in the left frame's axes that has this bend and twist: the inverse of [`bend_twist`].
    ///
    /// With c = cos(beta/2) = 1 / sqrt(1 + |kappa|^2 / 4): w = c cos(twist/2), v3 = c sin(twist/2), v_a = c kappa_a / 2.
    pub fn rotation(&self) -> Rotation {
        let [k1, k2] = self.bend;
        let c = 1.0 / (1.0 + 0.25 * (k1 * k1 + k2 * k2)).sqrt();
        let (sin, cos) = (0.5 * self.twist).sin_cos();
        Rotation::new_normalize(nalgebra::Quaternion::new(
            c * cos,
            0.5 * c * k1,
            0.5 * c * k2,
            c * sin,
        ))
    }
}

/// What one joint is made of: its share of the rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Bending stiffness EI about d1 and d2, N mm^2.
    pub bending: [f64; 2],
    /// Torsional stiffness GJ, N mm^2; may be 0.
    pub torsion: f64,
    /// Rest length, mm.
    pub length: f64,
    /// Bend and twist at rest, of the whole joint.
    pub rest: BendTwist,
}

/// Torsional stiffness that the Hessian has at least, over EI: where a cable does not resist twist its roll is
/// neutral, and Newton's matrix must not be singular. Energy and gradient do not know it.
const LEAST_TORSION: f64 = 1e-6;

/// Energy of one joint with its derivatives in the Lie increments of its left and right frame.
#[derive(Clone, Copy, Debug)]
pub struct JointTerm {
    /// N mm.
    pub energy: f64,
    /// The part of it that twist has, N mm.
    pub twist_energy: f64,
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

impl Joint {
    /// Bend and twist beyond those at rest.
    pub fn strain(&self, left: &Rotation, right: &Rotation, turns: i32) -> BendTwist {
        let now = bend_twist(left, right, turns);
        BendTwist {
            bend: [
                now.bend[0] - self.rest.bend[0],
                now.bend[1] - self.rest.bend[1],
            ],
            twist: now.twist - self.rest.twist,
        }
    }

    /// Energy of bending and of twist, N mm.
    pub fn energies(&self, left: &Rotation, right: &Rotation, turns: i32) -> [f64; 2] {
        let strain = self.strain(left, right, turns);
        let bend: f64 = (0..2)
            .map(|a| self.bending[a] * strain.bend[a] * strain.bend[a])
            .sum();
        let half = 0.5 / self.length;
        [
            half * bend,
            half * self.torsion * strain.twist * strain.twist,
        ]
    }

    /// Bending moments about d1 and d2 and twisting moment that the joint transmits, N mm.
    pub fn moments(&self, left: &Rotation, right: &Rotation, turns: i32) -> Vec3 {
        let strain = self.strain(left, right, turns);
        Vec3::new(
            self.bending[0] * strain.bend[0],
            self.bending[1] * strain.bend[1],
            self.torsion * strain.twist,
        ) / self.length
    }
}

/// Energy, gradient and Hessian of one joint.
///
/// E = (B1 (kappa_1 - kappa0_1)^2 + B2 (kappa_2 - kappa0_2)^2 + GJ (twist - twist0)^2) / (2 l). The frames change by
/// increments in their own axes, q <- q exp(theta / 2): the derivatives of q_rel are -1/2 theta_l q_rel and
/// 1/2 q_rel theta_r, and since E does not change with |q_rel| only the mixed second derivative of q_rel,
/// -1/4 theta_l q_rel theta_r, enters.
#[expect(
    clippy::inline_always,
    reason = "callers that take no Hessian are to compute none"
)]
#[inline(always)]
pub fn joint_term(left: &Rotation, right: &Rotation, turns: i32, joint: &Joint) -> JointTerm {
    let (q, principal) = principal_twist(&relative_rotation(left, right));
    let [w, v1, v2, v3] = [q[0], q[1], q[2], q[3]];
    let twist = principal + TAU * f64::from(turns) - joint.rest.twist;
    let s2 = 1.0 / (w * w + v3 * v3);
    let s = s2.sqrt();
    let s3 = s * s2;
    let s4 = s2 * s2;
    let s5 = s3 * s2;
    let over_length = 1.0 / joint.length;

    // An odd number of turns flips kappa: the rest curvature is flipped instead, since E knows only the square of the
    // difference.
    let flip = parity(turns);
    let c = joint.torsion * over_length;
    let twist_energy = 0.5 * c * twist * twist;
    let mut energy = twist_energy;
    let mut g = Vector4::zeros();
    let mut h = Matrix4::zeros();
    for (a, v) in [(1, v1), (2, v2)] {
        let b = joint.bending[a - 1] * over_length;
        let kappa = 2.0 * v * s - flip * joint.rest.bend[a - 1];
        energy += 0.5 * b * kappa * kappa;
        let d0 = -2.0 * v * w * s3;
        let da = 2.0 * s;
        let d3 = -2.0 * v * v3 * s3;
        let m = b * kappa;
        g[0] += m * d0;
        g[a] += m * da;
        g[3] += m * d3;
        h[(0, 0)] += b * d0 * d0 - m * 2.0 * v * (s3 - 3.0 * w * w * s5);
        h[(3, 3)] += b * d3 * d3 - m * 2.0 * v * (s3 - 3.0 * v3 * v3 * s5);
        h[(a, a)] += b * da * da;
        let w_v3 = b * d0 * d3 + m * 6.0 * v * w * v3 * s5;
        h[(0, 3)] += w_v3;
        h[(3, 0)] += w_v3;
        let a_w = b * d0 * da - m * 2.0 * w * s3;
        h[(0, a)] += a_w;
        h[(a, 0)] += a_w;
        let a_v3 = b * d3 * da - m * 2.0 * v3 * s3;
        h[(3, a)] += a_v3;
        h[(a, 3)] += a_v3;
    }
    let (tw, t3) = (-2.0 * v3 * s2, 2.0 * w * s2);
    let m = c * twist;
    let c = c.max(LEAST_TORSION * joint.bending[0].min(joint.bending[1]) * over_length);
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
        twist_energy,
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

    const JOINT: Joint = Joint {
        bending: BENDING,
        torsion: TORSION,
        length: LENGTH,
        rest: BendTwist {
            bend: [0.3, -0.2],
            twist: 0.5,
        },
    };

    fn term(left: &Rotation, right: &Rotation, turns: i32) -> JointTerm {
        joint_term(left, right, turns, &JOINT)
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
    fn rotation_and_bend_twist_are_inverse() {
        let left = Rotation::from_scaled_axis(Vec3::new(0.3, -0.2, 0.9));
        for (k1, k2, twist) in [(0.1, -0.4, 2.9), (1.5, 0.7, -3.0), (0.0, 0.0, 0.0)] {
            let wanted = BendTwist {
                bend: [k1, k2],
                twist,
            };
            let found = bend_twist(&left, &(left * wanted.rotation()), 0);
            assert!((found.bend[0] - k1).abs() + (found.bend[1] - k2).abs() < 1e-12);
            assert!((found.twist - twist).abs() < 1e-12);
        }
    }

    #[test]
    fn a_joint_at_rest_has_no_energy_and_no_moment_at_any_turn() {
        let left = Rotation::from_scaled_axis(Vec3::new(0.3, -0.2, 0.9));
        for twist in [0.5, 3.5, 7.0, -10.0] {
            let rest = BendTwist {
                bend: [0.3, -0.2],
                twist,
            };
            let right = left * rest.rotation();
            let (_, principal) = principal_twist(&relative_rotation(&left, &right));
            let turns = ((twist - principal) / TAU).round() as i32;
            let t = joint_term(&left, &right, turns, &Joint { rest, ..JOINT });
            assert!(t.energy < 1e-24 && t.gradient[0].norm() < 1e-12, "{twist}");
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
