//! The Hessian of a crossing that fades out as its two edges become parallel.
//!
//! Its energy is m(c) B(d): the barrier of the distance d, and the mollifier of the squared sine c of the angle. Cables
//! that lie side by side are full of such crossings, and what keeps them from turning against each other is mostly the
//! derivatives of m.

use smallvec::SmallVec;

use super::term::{Dyad, Vector12, stack};
use crate::geom::Vec3;

/// Sine below which two edges span no plane: any one through the first will do.
const NO_PLANE: f64 = 1e-9;

/// Two edges at a small angle.
struct Wedge {
    lengths: [f64; 2],
    cosine: f64,
    sine: f64,
    /// Unit vectors: across both edges, and in their plane across each, towards the other.
    across: Vec3,
    inward: [Vec3; 2],
}

impl Wedge {
    fn new(ea: &Vec3, eb: &Vec3) -> Self {
        let lengths = [ea.norm(), eb.norm()];
        let (u, v) = (ea / lengths[0], eb / lengths[1]);
        let product = u.cross(&v);
        let sine = product.norm();
        let across = if sine > NO_PLANE {
            product / sine
        } else {
            u.cross(&Vec3::ith(u.iamin(), 1.0)).normalize()
        };
        Self {
            lengths,
            cosine: u.dot(&v),
            sine,
            across,
            inward: [across.cross(&u), v.cross(&across)],
        }
    }

    /// Turns of the two edges, in radians along these vectors, on the four nodes.
    fn turns(&self, a: &Vec3, b: &Vec3) -> Vector12 {
        let (a, b) = (a / self.lengths[0], b / self.lengths[1]);
        stack([&-a, &a, &-b, &b])
    }
}

/// Adds the Hessian of m(c) B(d) without that of the distance times m B'. `along` is the derivative of the distance,
/// `barrier` B, `mollifier` m, each with its first and second derivative.
///
/// With D the change of the distance, T that of the angle (closing is positive), q and s its cosine and sine,
///
/// ```text
/// dc = -2 q s T,    d2c = 2 (q^2 - s^2) T^2 + (q^2 + |q|) (Ma - Mb)^2 + (q^2 - |q|) (Ma + Mb)^2 ,
/// ```
///
/// Ma and Mb the turns of the edges across their plane, counted alike where they point the same way. What a stretch of
/// the edges would add is left out: it is as small as their strain. The terms in D and T come as two dyads across each
/// other, so that leaving out the negative ones leaves the nearest matrix that is not negative.
pub(super) fn add_faded(
    to: &mut SmallVec<[Dyad; 8]>,
    [ea, eb]: [&Vec3; 2],
    along: &Vector12,
    barrier: [f64; 3],
    mollifier: [f64; 3],
) {
    let wedge = Wedge::new(ea, eb);
    let (q, s) = (wedge.cosine, wedge.sine);
    let [b, b1, b2] = barrier;
    let [m, m1, m2] = mollifier;
    let mut add = |direction, stiffness| {
        to.push(Dyad {
            direction,
            stiffness,
        });
    };
    // A turn counts by how far it moves the ends of the edges: as a way, like D.
    let arm = 0.5 * (wedge.lengths[0] + wedge.lengths[1]);
    let closing = wedge.turns(&wedge.inward[0], &wedge.inward[1]) * arm;
    let of_distance = m * b2;
    let of_both = -2.0 * q * s * m1 * b1 / arm;
    let of_angle = b * (4.0 * q * q * s * s * m2 + 2.0 * (q * q - s * s) * m1) / (arm * arm);
    let mean = 0.5 * (of_distance + of_angle);
    let spread = (0.5 * (of_distance - of_angle)).hypot(of_both);
    let angle = 0.5 * (2.0 * of_both).atan2(of_distance - of_angle);
    let (sin, cos) = angle.sin_cos();
    add(along * cos + closing * sin, mean + spread);
    add(closing * cos - along * sin, mean - spread);
    let alike = wedge.across * q.signum();
    let out = |sign: f64| wedge.turns(&wedge.across, &(alike * sign));
    add(out(-1.0), b * m1 * (q * q + q.abs()));
    add(out(1.0), b * m1 * (q * q - q.abs()));
}
