//! Closest points of two segments.

use crate::geom::Vec3;

/// Parameters of the closest points, in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentPair {
    /// On the first segment.
    pub s: f64,
    /// On the second.
    pub t: f64,
}

/// Closest points of the segments p0 p1 and q0 q1 (Ericson2005, 5.1.9).
pub fn segment_segment(p0: &Vec3, p1: &Vec3, q0: &Vec3, q1: &Vec3) -> SegmentPair {
    let (d1, d2, r) = (p1 - p0, q1 - q0, p0 - q0);
    let (a, e, f) = (d1.norm_squared(), d2.norm_squared(), d2.dot(&r));
    if a <= f64::MIN_POSITIVE && e <= f64::MIN_POSITIVE {
        return SegmentPair { s: 0.0, t: 0.0 };
    }
    if a <= f64::MIN_POSITIVE {
        return SegmentPair {
            s: 0.0,
            t: (f / e).clamp(0.0, 1.0),
        };
    }
    let c = d1.dot(&r);
    if e <= f64::MIN_POSITIVE {
        return SegmentPair {
            s: (-c / a).clamp(0.0, 1.0),
            t: 0.0,
        };
    }
    let b = d1.dot(&d2);
    let denominator = a * e - b * b;
    let mut s = if denominator > 1e-14 * a * e {
        ((b * f - c * e) / denominator).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let mut t = (b * s + f) / e;
    if t < 0.0 {
        t = 0.0;
        s = (-c / a).clamp(0.0, 1.0);
    } else if t > 1.0 {
        t = 1.0;
        s = ((b - c) / a).clamp(0.0, 1.0);
    }
    SegmentPair { s, t }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pair_of_samples_is_nearer() {
        let mut rng = fastrand::Rng::with_seed(2);
        for k in 0..500 {
            let mut v = || Vec3::from_fn(|_, _| 2.0 * rng.f64() - 1.0);
            let (p0, p1, q0, mut q1) = (v(), v(), v(), v());
            if k % 5 == 0 {
                q1 = q0 + (p1 - p0); // parallel
            }
            let SegmentPair { s, t } = segment_segment(&p0, &p1, &q0, &q1);
            let distance = (p0.lerp(&p1, s) - q0.lerp(&q1, t)).norm();
            for i in 0..=20 {
                for j in 0..=20 {
                    let (u, w) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    assert!(distance <= (p0.lerp(&p1, u) - q0.lerp(&q1, w)).norm() + 1e-9);
                }
            }
        }
    }
}
