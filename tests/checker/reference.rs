//! Brute force, by other formulas than the checker's: convex searches over regions.

use loomwright::geom::Vec3;

/// Distance of a point to a triangle by its Voronoi regions (Ericson2005, 5.1.5); to its sides if it has no area.
pub fn point_triangle(p: &Vec3, [a, b, c]: &[Vec3; 3]) -> f64 {
    let (ab, ac) = (b - a, c - a);
    if ab.cross(&ac).norm() < 1e-12 * ab.norm().max(ac.norm()).powi(2).max(1e-30) {
        return point_segment(p, a, b)
            .min(point_segment(p, b, c))
            .min(point_segment(p, c, a));
    }
    let (ap, bp, cp) = (p - a, p - b, p - c);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    let va = d3 * d6 - d5 * d4;
    let vb = d5 * d2 - d1 * d6;
    let vc = d1 * d4 - d3 * d2;
    if d1 <= 0.0 && d2 <= 0.0 {
        ap.norm()
    } else if d3 >= 0.0 && d4 <= d3 {
        bp.norm()
    } else if d6 >= 0.0 && d5 <= d6 {
        cp.norm()
    } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        (ap - ab * (d1 / (d1 - d3))).norm()
    } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        (ap - ac * (d2 / (d2 - d6))).norm()
    } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        (bp - (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)))).norm()
    } else {
        let sum = va + vb + vc;
        (ap - ab * (vb / sum) - ac * (vc / sum)).norm()
    }
}

fn point_segment(p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    let (ab, ap) = (b - a, p - a);
    let (along, length_sq) = (ab.dot(&ap), ab.dot(&ab));
    if along <= 0.0 {
        ap.norm()
    } else if along >= length_sq {
        (p - b).norm()
    } else {
        (ap - ab * (along / length_sq)).norm()
    }
}

/// Distance of a segment to a triangle: a convex function along the segment, searched for its least value.
///
/// Good to about 1e-7 of the figures' size for triangles that are no needles.
pub fn segment_triangle(p: &Vec3, q: &Vec3, corners: &[Vec3; 3]) -> f64 {
    let (ab, ac) = (corners[1] - corners[0], corners[2] - corners[0]);
    if ab.cross(&ac).norm() < 1e-12 * ab.norm().max(ac.norm()).powi(2).max(1e-30) {
        // Without an area the distance is still convex along the segment for each side.
        return (0..3)
            .map(|k| {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                least(|s| point_segment(&p.lerp(q, s), &a, &b))
            })
            .fold(f64::INFINITY, f64::min);
    }
    least(|s| point_triangle(&p.lerp(q, s), corners))
}

fn least(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let (s1, s2) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if f(s1) < f(s2) {
            high = s2;
        } else {
            low = s1;
        }
    }
    f(low).min(f(0.0)).min(f(1.0))
}

/// Whether the segment goes through the triangle, in plain floating point (Möller and Trumbore).
pub fn pierces(p: &Vec3, q: &Vec3, [a, b, c]: &[Vec3; 3]) -> bool {
    let (ab, ac, d) = (b - a, c - a, q - p);
    let h = d.cross(&ac);
    let det = ab.dot(&h);
    if det.abs() < 1e-9 {
        return false;
    }
    let r = p - a;
    let u = r.dot(&h) / det;
    let k = r.cross(&ab);
    let w = d.dot(&k) / det;
    let t = ac.dot(&k) / det;
    u >= 0.0 && w >= 0.0 && u + w <= 1.0 && (0.0..=1.0).contains(&t)
}
