//! A first shape for a cable between two clamps: near enough for the solver, never folded.

use crate::geom::{Pose, Rotation, Vec3, rotation_along};

/// Straight pieces by which the length and the bending of a curve are measured.
const PIECES: usize = 24;
/// Tangents at the ends, over the length.
const SCALES: [f64; 7] = [0.1, 0.3, 0.6, 1.0, 1.5, 2.1, 3.0];
/// Ends nearer than this share of the length whose directions are opposite make curves that run back on themselves.
const HAIRPIN: f64 = 0.01;
/// Half the width of the loop that such a curve is opened to, over the scale of its tangents.
const OPENING: f64 = 0.15;
/// Newton steps to the height of a bump. The length is convex in it, and the first step comes from above.
const HEIGHT_STEPS: usize = 12;

/// Sides to which the middle of a span may be bent: down, then around the chord.
pub const N_SIDES: usize = 6;

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
    guess_to_side(rest_lengths, start, end, gravity, None, clear)
}

/// As [`first_guess`], of the curves whose bump goes to one of the [`N_SIDES`] sides.
fn guess_to_side(
    rest_lengths: &[f64],
    start: Option<&Pose>,
    end: Option<&Pose>,
    gravity: &Vec3,
    side: Option<usize>,
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
    let mut curves = curves_between(start, end, length, gravity, side);
    curves.sort_by(|a, b| a.bending.total_cmp(&b.bending));
    let mut smoothest = None;
    for curve in &curves {
        let nodes = curve.at_arc_lengths(rest_lengths);
        if clear(&nodes) {
            return nodes;
        }
        smoothest.get_or_insert(nodes);
    }
    // Shorter than the distance between its ends: taut and straight, to be stretched or refused by the solver.
    smoothest.unwrap_or_else(|| {
        let way = end.position - start.position;
        let mut s = 0.0;
        let along = rest_lengths.iter().map(|l| {
            s += l;
            start.position + way * (s / length)
        });
        std::iter::once(start.position).chain(along).collect()
    })
}

/// The curves of that length between two clamps, each with its bending.
fn curves_between(
    start: &Pose,
    end: &Pose,
    length: f64,
    gravity: &Vec3,
    side: Option<usize>,
) -> Vec<Curve> {
    let (p0, p1) = (start.position, end.position);
    let (t0, t1) = (start.rotation * Vec3::z(), end.rotation * Vec3::z());
    let bumps = bump_directions(&(p1 - p0), gravity);
    let opening = opening(&(p1 - p0), [&t0, &t1], length, gravity);
    let mut curves = Vec::new();
    for scale in SCALES {
        let base = Curve {
            ends: [p0, p1],
            tangents: [t0 * (scale * length), t1 * (scale * length)],
            bump: Vec3::zeros(),
            opening: opening * (scale * length),
            bending: 0.0,
        };
        let points = base.points();
        let wanted = side.map_or(0..N_SIDES, |k| k..k + 1);
        for (rank, direction) in wanted.clone().zip(&bumps[wanted]) {
            let Some(height) = height_for(length, &points, direction) else {
                break;
            };
            let mut curve = base;
            curve.bump = direction * height;
            // Of equals, the one that hangs down.
            curve.bending = bending(&curve.points()) * (1.0 + 0.05 * rank as f64);
            curves.push(curve);
        }
    }
    curves
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
/// With a `side` every span is bent to that one of the [`N_SIDES`].
pub fn guess_through(
    rest_lengths: &[f64],
    stops: &[Stop],
    gravity: &Vec3,
    side: Option<usize>,
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
        let (from, to) = (pose(k - 1), pose(k));
        let guess = guess_to_side(span, Some(&from), Some(&to), gravity, side, clear);
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
fn bump_directions(chord: &Vec3, gravity: &Vec3) -> [Vec3; N_SIDES] {
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
}

/// What opens a curve that would come back the way it went: out on one side, back on the other. Zero for all others.
fn opening(chord: &Vec3, tangents: [&Vec3; 2], length: f64, gravity: &Vec3) -> Vec3 {
    let [t0, t1] = tangents;
    if chord.norm() > HAIRPIN * length || t0.dot(t1) > -0.99 {
        return Vec3::zeros();
    }
    // Across the cable and level, where that means something: then the loop hangs as it would.
    let across = |v: Vec3| t0.cross(&v).try_normalize(1e-6);
    let across = across(*gravity).or_else(|| across(Vec3::z()));
    across
        .or_else(|| t0.cross(&Vec3::x()).try_normalize(1e-6))
        .map_or(Vec3::zeros(), |a| a * OPENING)
}

/// A cubic between two points with tangents there, and a bump in between.
#[derive(Clone, Copy, Debug)]
struct Curve {
    ends: [Vec3; 2],
    tangents: [Vec3; 2],
    bump: Vec3,
    /// How far it is to one side at a third of its way, and to the other at two thirds, about.
    opening: Vec3,
    bending: f64,
}

/// The bump's share at t.
fn bump_at(t: f64) -> f64 {
    let u = 1.0 - t;
    16.0 * t * t * u * u
}

/// The share of the opening at t: 1 and -1 at its extremes, with zero slope at both ends.
fn opening_at(t: f64) -> f64 {
    let u = 1.0 - t;
    56.0 * t * t * u * u * (u - t)
}

impl Curve {
    fn at(&self, t: f64) -> Vec3 {
        let u = 1.0 - t;
        self.ends[0] * ((1.0 + 2.0 * t) * u * u)
            + self.tangents[0] * (t * u * u)
            + self.ends[1] * (t * t * (3.0 - 2.0 * t))
            - self.tangents[1] * (t * t * u)
            + self.bump * bump_at(t)
            + self.opening * opening_at(t)
    }

    fn points(&self) -> [Vec3; PIECES + 1] {
        std::array::from_fn(|i| self.at(i as f64 / PIECES as f64))
    }

    /// Nodes at the arc lengths of the rest lengths (scaled to the curve's own length). On the curve itself, and not on
    /// its pieces: nodes on straight pieces would have kinks between them.
    fn at_arc_lengths(&self, rest_lengths: &[f64]) -> Vec<Vec3> {
        let points = self.points();
        let scale = polyline_length(&points) / rest_lengths.iter().sum::<f64>();
        let mut nodes = Vec::with_capacity(rest_lengths.len() + 1);
        nodes.push(points[0]);
        let (mut piece, mut before, mut target) = (0, 0.0, 0.0);
        for l in &rest_lengths[..rest_lengths.len() - 1] {
            target += l * scale;
            let mut along = (points[piece + 1] - points[piece]).norm();
            while before + along < target && piece + 2 < points.len() {
                before += along;
                piece += 1;
                along = (points[piece + 1] - points[piece]).norm();
            }
            let t = if along > 0.0 {
                (target - before) / along
            } else {
                0.0
            };
            nodes.push(self.at((piece as f64 + t.clamp(0.0, 1.0)) / PIECES as f64));
        }
        nodes.push(self.ends[1]);
        nodes
    }
}

fn polyline_length(points: &[Vec3]) -> f64 {
    points.windows(2).map(|p| (p[1] - p[0]).norm()).sum()
}

/// The height of a bump in that direction at which the curve has the wanted length; `None` when it is too long
/// without one.
fn height_for(length: f64, points: &[Vec3; PIECES + 1], direction: &Vec3) -> Option<f64> {
    if polyline_length(points) > length {
        return None;
    }
    let mut height = length;
    for _ in 0..HEIGHT_STEPS {
        let (mut sum, mut slope) = (0.0, 0.0);
        for (i, p) in points.windows(2).enumerate() {
            let [a, b] = [i, i + 1].map(|k| bump_at(k as f64 / PIECES as f64));
            let step = p[1] - p[0] + direction * (height * (b - a));
            let norm = step.norm().max(f64::MIN_POSITIVE);
            sum += norm;
            slope += step.dot(direction) * (b - a) / norm;
        }
        let change = (sum - length) / slope.max(f64::MIN_POSITIVE);
        height = (height - change).clamp(0.0, length);
        if change.abs() < 1e-6 * length {
            break;
        }
    }
    Some(height)
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
    fn ends_at_one_place_that_point_apart_make_a_loop() {
        for direction in [Vec3::x(), Vec3::z(), Vec3::new(1.0, 2.0, -3.0)] {
            let a = pose(Vec3::zeros(), direction);
            let b = pose(Vec3::zeros(), -direction);
            let gravity = Vec3::new(0.0, 0.0, -9.81);
            let nodes = first_guess(&[10.0; 90], Some(&a), Some(&b), &gravity, &|_| true);
            assert!((polyline_length(&nodes) - 900.0).abs() < 5.0);
            for p in nodes.windows(3) {
                assert!((p[1] - p[0]).dot(&(p[2] - p[1])) > 0.0, "folded");
            }
            assert!((nodes[30] - nodes[60]).norm() > 50.0, "it is open");
        }
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
