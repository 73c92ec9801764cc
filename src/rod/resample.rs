//! Nodes along a polyline: from an imported centerline to the nodes of a rod.

use crate::geom::Vec3;

/// Bisections of the chord length: down to rounding.
const ROUNDS: usize = 80;

/// Why a polyline cannot be cut into edges.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ResampleError {
    /// Fewer than two different points, or one that is not finite.
    #[error("the centerline needs at least two different points, all of them finite")]
    NoCurve,
    /// Nothing to cut it into.
    #[error(
        "the centerline cannot be cut into {0} edges: at least 2 are needed, with positive lengths"
    )]
    NoEdges(usize),
}

/// Nodes on the polyline whose distances are in the ratio of `relative_lengths`; first and last are its ends.
///
/// Equal distances, and not equal arc lengths: the edges of a rod are straight, and a rod with equal rest lengths along
/// these nodes is not stretched anywhere. Chords of 10 mm in a bend of radius 50 mm are 0.17 % shorter than their arcs,
/// which at a cable's stiffness would be tens of newtons.
pub fn resample(points: &[Vec3], relative_lengths: &[f64]) -> Result<Vec<Vec3>, ResampleError> {
    let finite = points.iter().all(|p| p.iter().all(|c| c.is_finite()));
    let length: f64 = points.windows(2).map(|p| (p[1] - p[0]).norm()).sum();
    if !finite || points.len() < 2 || length <= 0.0 {
        return Err(ResampleError::NoCurve);
    }
    let positive = relative_lengths.iter().all(|l| l.is_finite() && *l > 0.0);
    if relative_lengths.len() < 2 || !positive {
        return Err(ResampleError::NoEdges(relative_lengths.len()));
    }
    let total: f64 = relative_lengths.iter().sum();
    // The unit of chord at which the last chord ends at the end of the polyline: too long a unit runs beyond it.
    let (mut low, mut high) = (0.0, length / total * (1.0 + 1e-12));
    for _ in 0..ROUNDS {
        let mid = 0.5 * (low + high);
        if walk(points, relative_lengths, mid, None) {
            low = mid;
        } else {
            high = mid;
        }
    }
    let mut nodes = Vec::with_capacity(relative_lengths.len() + 1);
    walk(points, relative_lengths, low, Some(&mut nodes));
    let last = points[points.len() - 1];
    nodes.truncate(relative_lengths.len());
    nodes.resize(relative_lengths.len(), last);
    nodes.push(last);
    Ok(nodes)
}

/// Walks chords of `unit` times their relative lengths along the polyline; whether all of them fit.
fn walk(points: &[Vec3], relative: &[f64], unit: f64, mut nodes: Option<&mut Vec<Vec3>>) -> bool {
    let (mut at, mut segment) = (points[0], 0);
    if let Some(nodes) = nodes.as_deref_mut() {
        nodes.push(at);
    }
    for l in relative {
        let chord = unit * l;
        // First segment whose end is farther than the chord, then the place on it.
        while segment + 1 < points.len() && (points[segment + 1] - at).norm() < chord {
            segment += 1;
        }
        if segment + 1 >= points.len() {
            return false;
        }
        let from = if (points[segment] - at).norm() < chord {
            points[segment]
        } else {
            at
        };
        let (d, e) = (points[segment + 1] - from, from - at);
        // |e + t d| = chord, the larger root.
        let (a, b, c) = (
            d.norm_squared(),
            e.dot(&d),
            e.norm_squared() - chord * chord,
        );
        let t = (-b + (b * b - a * c).max(0.0).sqrt()) / a.max(f64::MIN_POSITIVE);
        at = from + d * t.clamp(0.0, 1.0);
        if let Some(nodes) = nodes.as_deref_mut() {
            nodes.push(at);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(n: usize) -> Vec<Vec3> {
        (0..=n)
            .map(|i| {
                let a = 2.0 * i as f64 / n as f64;
                Vec3::new(100.0 * a.cos(), 100.0 * a.sin(), 20.0 * a)
            })
            .collect()
    }

    #[test]
    fn edges_have_the_lengths_asked_for_and_nodes_lie_on_the_curve() {
        let points = arc(5000);
        let relative: Vec<f64> = (0..40).map(|i| 1.0 + 0.5 * f64::from(i % 3)).collect();
        let nodes = resample(&points, &relative).unwrap();
        assert_eq!(nodes.len(), 41);
        assert_eq!((nodes[0], nodes[40]), (points[0], points[5000]));
        let unit = (nodes[1] - nodes[0]).norm() / relative[0];
        for (p, l) in nodes.windows(2).zip(&relative) {
            let edge = (p[1] - p[0]).norm();
            assert!((edge / (unit * l) - 1.0).abs() < 1e-9, "{edge}");
        }
        for p in &nodes {
            assert!((p.x.hypot(p.y) - 100.0).abs() < 1e-4);
        }
    }

    #[test]
    fn a_coarse_polyline_is_cut_finely_and_the_other_way_round() {
        let corner = [
            Vec3::zeros(),
            Vec3::x() * 100.0,
            Vec3::new(100.0, 100.0, 0.0),
        ];
        for n in [2, 3, 7, 400] {
            let nodes = resample(&corner, &vec![1.0; n]).unwrap();
            let edges: Vec<f64> = nodes.windows(2).map(|p| (p[1] - p[0]).norm()).collect();
            let (least, most) = edges
                .iter()
                .fold((f64::INFINITY, 0.0_f64), |(a, b), &e| (a.min(e), b.max(e)));
            assert!(most - least < 1e-6 * most, "{n}: {least} {most}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(
            resample(&[Vec3::x()], &[1.0; 3]),
            Err(ResampleError::NoCurve)
        );
        assert_eq!(
            resample(&[Vec3::x(); 4], &[1.0; 3]),
            Err(ResampleError::NoCurve)
        );
        let nan = [Vec3::x(), Vec3::repeat(f64::NAN)];
        assert_eq!(resample(&nan, &[1.0; 3]), Err(ResampleError::NoCurve));
        assert_eq!(resample(&arc(9), &[1.0]), Err(ResampleError::NoEdges(1)));
        assert_eq!(
            resample(&arc(9), &[1.0, -1.0]),
            Err(ResampleError::NoEdges(2))
        );
    }
}
