//! Closest point of a triangle to a point.

use crate::geom::Vec3;

/// Where on a triangle a point lies. Side `k` joins corners `k` and `k + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriangleFeature {
    /// Inside.
    Face,
    /// On that side.
    Side(usize),
    /// At that corner.
    Corner(usize),
}

/// The point of the triangle nearest to `p`, and the feature it lies on (Ericson2005, 5.1.5).
///
/// A degenerate triangle is treated as its sides.
pub fn point_triangle(p: &Vec3, corners: &[Vec3; 3]) -> (Vec3, TriangleFeature) {
    let [a, b, c] = corners;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (*a, TriangleFeature::Corner(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (*b, TriangleFeature::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), TriangleFeature::Side(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (*c, TriangleFeature::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), TriangleFeature::Side(2));
    }
    let va = d3 * d6 - d5 * d4;
    let (e1, e2) = (d4 - d3, d5 - d6);
    if va <= 0.0 && e1 >= 0.0 && e2 >= 0.0 {
        return (b + (c - b) * (e1 / (e1 + e2)), TriangleFeature::Side(1));
    }
    let denominator = va + vb + vc;
    // A flat triangle whose area is lost in rounding: the sides above cover it.
    if !(denominator > 0.0) {
        return (*a, TriangleFeature::Corner(0));
    }
    (
        a + ab * (vb / denominator) + ac * (vc / denominator),
        TriangleFeature::Face,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sample_of_the_triangle_is_nearer() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut seen = [0; 3];
        for _ in 0..500 {
            let mut v = |s: f64| Vec3::from_fn(|_, _| s * (2.0 * rng.f64() - 1.0));
            let (corners, p) = ([v(1.0), v(1.0), v(1.0)], v(2.0));
            let (nearest, feature) = point_triangle(&p, &corners);
            match feature {
                TriangleFeature::Face => seen[0] += 1,
                TriangleFeature::Side(_) => seen[1] += 1,
                TriangleFeature::Corner(_) => seen[2] += 1,
            }
            for i in 0..=20 {
                for j in 0..=(20 - i) {
                    let (u, w) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    let q =
                        corners[0] + (corners[1] - corners[0]) * u + (corners[2] - corners[0]) * w;
                    assert!((p - nearest).norm() <= (p - q).norm() + 1e-12);
                }
            }
        }
        assert!(
            seen.iter().all(|&n| n > 20),
            "every feature is met: {seen:?}"
        );
    }
}
