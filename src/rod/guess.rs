//! A first shape for a cable between two clamps: near enough for the solver, never folded.

use crate::geom::{Pose, Rotation, Vec3, rotation_along};

/// Points on the fine curve from which the guess is resampled.
const FINE: usize = 400;

/// Nodes of a smooth curve of the given length between two clamps, at the arc lengths of `rest_lengths`.
///
/// A family of Hermite curves with a bump (zero slope at both ends, so that the tangents stay) whose height makes
/// the length right; the one with the least bending energy is taken. Bending is measured by (1 - cos)/(1 + cos) of
/// the turning angle, which sees an exact fold where a cross product would not. With a free end (or none) the
/// cable starts straight along the clamp. `clear` may refuse a candidate (one that runs through a part); when all
/// are refused the smoothest is returned.
pub fn first_guess(
    rest_lengths: &[f64],
    start: Option<&Pose>,
    end: Option<&Pose>,
    gravity: &Vec3,
    clear: &dyn Fn(&[Vec3]) -> bool,
) -> Vec<Vec3> {
    let length: f64 = rest_lengths.iter().sum();
    let (start, end) = match (start, end) {
        (Some(s), Some(e)) if rest_lengths.len() == 1 => return vec![s.position, e.position],
        (Some(s), Some(e)) => (s, e),
        (Some(s), None) => return straight(rest_lengths, s.position, s.rotation * Vec3::z()),
        (None, Some(e)) => {
            let d = e.rotation * Vec3::z();
            return straight(rest_lengths, e.position - d * length, d);
        }
        (None, None) => return straight(rest_lengths, Vec3::zeros(), Vec3::x()),
    };
    let (p0, p1) = (start.position, end.position);
    let (t0, t1) = (start.rotation * Vec3::z(), end.rotation * Vec3::z());
    let mut candidates: Vec<(f64, Vec<Vec3>)> = Vec::new();
    for scale in [0.1, 0.3, 0.6, 0.9, 1.2, 1.6, 2.0, 2.5, 3.0] {
        for (rank, bump) in bump_directions(&(p1 - p0), gravity).enumerate() {
            let curve = |height: f64| {
                hermite(
                    &p0,
                    &(t0 * scale * length),
                    &p1,
                    &(t1 * scale * length),
                    &(bump * height),
                )
            };
            let Some(height) = height_for(length, &|h| polyline_length(&curve(h))) else {
                continue;
            };
            let fine = curve(height);
            // Of equals, the one that hangs down.
            candidates.push((
                bending(&fine) * (1.0 + 0.05 * rank as f64),
                at_arc_lengths(&fine, rest_lengths),
            ));
        }
    }
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let best = candidates
        .iter()
        .position(|(_, nodes)| clear(nodes))
        .unwrap_or(0);
    if let Some((_, nodes)) = candidates.into_iter().nth(best) {
        return nodes;
    }
    // Shorter than the distance between its ends: taut and straight, to be stretched or refused by the solver.
    let mut s = 0.0;
    std::iter::once(0.0)
        .chain(rest_lengths.iter().map(|l| {
            s += l;
            s / length
        }))
        .map(|t| p0 + (p1 - p0) * t)
        .collect()
}

/// A node whose place is known before anything is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Which node.
    pub node: usize,
    /// Where it is, mm.
    pub position: Vec3,
    /// Direction of the cable there, where it is held.
    pub direction: Option<Vec3>,
}

/// As [`first_guess`], through any number of stops in the order of their nodes: a guess for each span between two,
/// straight on at free ends. Where a stop has no direction the cable goes along the line between its neighbours.
pub fn guess_through(
    rest_lengths: &[f64],
    stops: &[Stop],
    gravity: &Vec3,
    clear: &dyn Fn(&[Vec3]) -> bool,
) -> Vec<Vec3> {
    let n = rest_lengths.len();
    let pose = |k: usize| {
        let stop = &stops[k];
        let neighbour = |k: usize| stops.get(k).map_or(stop.position, |s| s.position);
        let chord = neighbour(k + 1) - neighbour(k.checked_sub(1).unwrap_or(k));
        let direction = stop.direction.unwrap_or(chord);
        Pose {
            position: stop.position,
            rotation: rotation_along(&direction).unwrap_or_else(Rotation::identity),
        }
    };
    let (Some(first), Some(last)) = (stops.first(), stops.last()) else {
        return first_guess(rest_lengths, None, None, gravity, clear);
    };
    let mut nodes = first_guess(
        &rest_lengths[..first.node],
        None,
        Some(&pose(0)),
        gravity,
        clear,
    );
    for k in 1..stops.len() {
        let span = &rest_lengths[stops[k - 1].node..stops[k].node];
        let guess = first_guess(span, Some(&pose(k - 1)), Some(&pose(k)), gravity, clear);
        nodes.extend_from_slice(&guess[1..]);
    }
    let tail = first_guess(
        &rest_lengths[last.node..n],
        Some(&pose(stops.len() - 1)),
        None,
        gravity,
        clear,
    );
    nodes.extend_from_slice(&tail[1..]);
    nodes
}

fn straight(rest_lengths: &[f64], from: Vec3, direction: Vec3) -> Vec<Vec3> {
    let mut nodes = vec![from];
    for l in rest_lengths {
        nodes.push(nodes[nodes.len() - 1] + direction * *l);
    }
    nodes
}

/// Down first, then around the chord.
fn bump_directions(chord: &Vec3, gravity: &Vec3) -> impl Iterator<Item = Vec3> {
    let axis = chord
        .try_normalize(f64::MIN_POSITIVE)
        .unwrap_or_else(Vec3::x);
    let across = |v: Vec3| (v - axis * axis.dot(&v)).try_normalize(1e-6);
    let down = across(*gravity)
        .or_else(|| across(-Vec3::z()))
        .or_else(|| across(Vec3::y()))
        .unwrap_or_else(Vec3::y);
    let side = axis.cross(&down);
    [
        down,
        (down + side).normalize(),
        (down - side).normalize(),
        side,
        -side,
        -down,
    ]
    .into_iter()
}

fn hermite(p0: &Vec3, m0: &Vec3, p1: &Vec3, m1: &Vec3, bump: &Vec3) -> Vec<Vec3> {
    (0..=FINE)
        .map(|i| {
            let t = i as f64 / FINE as f64;
            let u = 1.0 - t;
            p0 * ((1.0 + 2.0 * t) * u * u) + m0 * (t * u * u) + p1 * (t * t * (3.0 - 2.0 * t))
                - m1 * (t * t * u)
                + bump * (16.0 * t * t * u * u)
        })
        .collect()
}

fn polyline_length(points: &[Vec3]) -> f64 {
    points.windows(2).map(|p| (p[1] - p[0]).norm()).sum()
}

/// The bump height at which the curve has the wanted length; `None` when it is too long without one.
fn height_for(length: f64, length_at: &dyn Fn(f64) -> f64) -> Option<f64> {
    if length_at(0.0) > length {
        return None;
    }
    let (mut low, mut high) = (0.0, length);
    for _ in 0..50 {
        let mid = 0.5 * (low + high);
        if length_at(mid) < length {
            low = mid;
        } else {
            high = mid;
        }
    }
    Some(0.5 * (low + high))
}

fn bending(points: &[Vec3]) -> f64 {
    points
        .windows(3)
        .map(|p| {
            let (a, b) = (p[1] - p[0], p[2] - p[1]);
            let cos = a.dot(&b) / (a.norm() * b.norm()).max(f64::MIN_POSITIVE);
            (1.0 - cos) / (1.0 + cos).max(1e-12) / (a.norm() + b.norm()).max(f64::MIN_POSITIVE)
        })
        .sum()
}

/// Nodes at the arc lengths of the rest lengths (scaled to the curve's own length).
fn at_arc_lengths(points: &[Vec3], rest_lengths: &[f64]) -> Vec<Vec3> {
    let scale = polyline_length(points) / rest_lengths.iter().sum::<f64>();
    let mut nodes = vec![points[0]];
    let (mut segment, mut before, mut target) = (0, 0.0, 0.0);
    for l in &rest_lengths[..rest_lengths.len() - 1] {
        target += l * scale;
        let mut along = (points[segment + 1] - points[segment]).norm();
        while before + along < target && segment + 2 < points.len() {
            before += along;
            segment += 1;
            along = (points[segment + 1] - points[segment]).norm();
        }
        let t = if along > 0.0 {
            (target - before) / along
        } else {
            0.0
        };
        nodes.push(points[segment] + (points[segment + 1] - points[segment]) * t);
    }
    nodes.push(points[points.len() - 1]);
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose(position: Vec3, direction: Vec3) -> Pose {
        Pose {
            position,
            rotation: rotation_along(&direction).unwrap(),
        }
    }

    #[test]
    fn collinear_clamps_with_slack_do_not_fold() {
        let (a, b) = (
            pose(Vec3::zeros(), Vec3::x()),
            pose(Vec3::new(800.0, 0.0, 0.0), Vec3::x()),
        );
        let nodes = first_guess(
            &[10.0; 100],
            Some(&a),
            Some(&b),
            &Vec3::new(0.0, 0.0, -9.81),
            &|_| true,
        );
        assert_eq!(nodes.len(), 101);
        assert!((polyline_length(&nodes) - 1000.0).abs() < 2.0);
        for p in nodes.windows(3) {
            assert!((p[1] - p[0]).dot(&(p[2] - p[1])) > 0.0, "folded");
        }
        assert!(nodes[50].z < -100.0, "hangs down");
    }

    #[test]
    fn a_cable_too_short_is_straight_between_its_clamps() {
        let (a, b) = (
            pose(Vec3::zeros(), Vec3::x()),
            pose(Vec3::new(800.0, 0.0, 0.0), Vec3::x()),
        );
        let nodes = first_guess(&[10.0; 10], Some(&a), Some(&b), &Vec3::zeros(), &|_| true);
        assert!((nodes[5] - Vec3::new(400.0, 0.0, 0.0)).norm() < 1e-9);
    }

    #[test]
    fn a_refused_candidate_is_passed_over() {
        let (a, b) = (
            pose(Vec3::zeros(), Vec3::x()),
            pose(Vec3::new(800.0, 0.0, 0.0), Vec3::x()),
        );
        let above = |nodes: &[Vec3]| nodes.iter().all(|p| p.z > -50.0);
        let nodes = first_guess(
            &[10.0; 100],
            Some(&a),
            Some(&b),
            &Vec3::new(0.0, 0.0, -9.81),
            &above,
        );
        assert!(above(&nodes));
    }
}
