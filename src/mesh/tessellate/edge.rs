//! Samples along edges.

use super::curve::Curve;
use super::{Edge, Fineness, RELATIVE_CHORD};
use crate::geom::Vec3;

/// Most samples of one edge; a curve that needs more is damaged.
const MOST: usize = 20_000;
/// Halvings of a span of a curve.
const DEEPEST: usize = 8;

/// The points of an edge between its two vertices, and how far the vertices are off the curve.
pub struct Samples {
    /// Points from start to end, without the ends.
    pub points: Vec<Vec3>,
    /// How far the ends are from the curve.
    pub gap: f64,
}

/// Samples an edge between its vertices; each `level` halves the steps.
pub fn sample(edge: &Edge, start: &Vec3, end: &Vec3, fineness: &Fineness, level: u32) -> Samples {
    let Ok(curve) = &edge.curve else {
        return Samples {
            points: Vec::new(),
            gap: 0.0,
        };
    };
    let (a, b) = if edge.same_sense {
        (start, end)
    } else {
        (end, start)
    };
    let is_closed = edge.ends[0] == edge.ends[1];
    let [from, to] = range(curve, a, b, is_closed);
    let gap = (curve.point(from) - a)
        .norm()
        .max((curve.point(to) - b).norm());
    let mut points: Vec<Vec3> = parameters(curve, from, to, fineness, level)
        .into_iter()
        .map(|t| curve.point(t))
        .collect();
    // Points on top of the vertices make triangles without area.
    let too_near = 0.05
        * fineness
            .chord_error
            .min((b - a).norm().max(if is_closed { f64::MAX } else { 0.0 }));
    points.retain(|p| {
        let far = |q: &Vec3| (p - q).norm() > too_near.min(1e-3 * fineness.chord_error);
        far(a) && far(b) && p.iter().all(|c| c.is_finite())
    });
    if !edge.same_sense {
        points.reverse();
    }
    Samples { points, gap }
}

/// The parameters of the two ends.
fn range(curve: &Curve, a: &Vec3, b: &Vec3, is_closed: bool) -> [f64; 2] {
    let from = curve.nearest(a);
    if let Some(period) = curve.period() {
        if is_closed {
            return [from, from + period];
        }
        let ahead = (curve.nearest(b) - from).rem_euclid(period);
        let ahead = if ahead <= 1e-9 * period {
            period
        } else {
            ahead
        };
        return [from, from + ahead];
    }
    if is_closed && let Some(range) = curve.range() {
        return range;
    }
    [from, curve.nearest(b)]
}

fn parameters(curve: &Curve, from: f64, to: f64, fineness: &Fineness, level: u32) -> Vec<f64> {
    let finer = f64::from(1_u32 << level.min(10));
    let even = |n: usize| {
        let step = (to - from) / n as f64;
        (1..n).map(|i| from + step * i as f64).collect()
    };
    match curve {
        // Straight edges are cut in refined faces only, to follow a neighbour that is bent.
        Curve::Line { .. } => even(if level == 0 { 1 } else { 1 << level.min(6) }),
        Curve::Ellipse { a, b, .. } if a == b => {
            let step = fineness.turn_at(*a) / finer;
            even((((to - from).abs() / step).ceil() as usize).clamp(1, MOST))
        }
        _ => {
            let fineness = Fineness {
                chord_error: fineness.chord_error / (finer * finer),
                angle: fineness.turn() / finer,
            };
            thinned(&fine_samples(curve, from, to, &fineness), &fineness)
        }
    }
}

/// A sample with its direction.
struct Sample {
    t: f64,
    point: Vec3,
    along: Option<Vec3>,
}

fn at(curve: &Curve, t: f64) -> Sample {
    let (point, slope) = curve.at(t);
    Sample {
        t,
        point,
        along: slope.try_normalize(0.0),
    }
}

fn turn(a: &Sample, b: &Sample) -> f64 {
    match (a.along, b.along) {
        (Some(a), Some(b)) => a.cross(&b).norm().atan2(a.dot(&b)),
        _ => 0.0,
    }
}

fn off_chord(p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    let along = b - a;
    let share = (p - a).dot(&along) / along.norm_squared();
    let share = if share.is_finite() {
        share.clamp(0.0, 1.0)
    } else {
        0.0
    };
    (p - (a + along * share)).norm()
}

/// Samples finer than needed, every break of the curve among them.
fn fine_samples(curve: &Curve, from: f64, to: f64, fineness: &Fineness) -> Vec<Sample> {
    let (low, high) = (from.min(to), from.max(to));
    let mut breaks = vec![low];
    let shifts = match curve.period() {
        Some(period) => vec![-period, 0.0, period],
        None => vec![0.0],
    };
    let own = curve.breaks();
    for shift in shifts {
        breaks.extend(
            own.iter()
                .map(|t| t + shift)
                .filter(|t| *t > low && *t < high),
        );
    }
    breaks.push(high);
    let mut samples = vec![at(curve, low)];
    for pair in breaks.windows(2) {
        if samples.len() > MOST {
            break;
        }
        // Two halves at least: a curve may be bent and come back.
        let middle = at(curve, 0.5 * (pair[0] + pair[1]));
        let first = samples.len() - 1;
        let (a, c) = (at(curve, samples[first].t), at(curve, pair[1]));
        halve(curve, &a, &middle, fineness, 0, &mut samples);
        samples.push(at(curve, middle.t));
        halve(curve, &middle, &c, fineness, 0, &mut samples);
        samples.push(c);
    }
    if from > to {
        samples.reverse();
    }
    samples
}

fn halve(
    curve: &Curve,
    a: &Sample,
    b: &Sample,
    fineness: &Fineness,
    depth: usize,
    out: &mut Vec<Sample>,
) {
    let middle = at(curve, 0.5 * (a.t + b.t));
    let is_good = off_chord(&middle.point, &a.point, &b.point) < 0.25 * fineness.chord_error
        && turn(a, &middle) + turn(&middle, b) < 0.3 * fineness.angle;
    if is_good || depth >= DEEPEST || out.len() > MOST {
        return;
    }
    halve(curve, a, &middle, fineness, depth + 1, out);
    out.push(at(curve, middle.t));
    halve(curve, &middle, b, fineness, depth + 1, out);
}

/// As few of the samples as keep chord error and angle; the ends left out.
fn thinned(samples: &[Sample], fineness: &Fineness) -> Vec<f64> {
    let last = samples.len() - 1;
    let mut kept = Vec::new();
    let mut i = 0;
    while i < last {
        let mut j = i + 1;
        let mut turned = turn(&samples[i], &samples[j]);
        let mut length = (samples[j].point - samples[i].point).norm();
        while j < last {
            turned += turn(&samples[j], &samples[j + 1]);
            length += (samples[j + 1].point - samples[j].point).norm();
            let (a, b) = (&samples[i].point, &samples[j + 1].point);
            // Of an arc: the chord leaves it by a share of its radius.
            let relative = RELATIVE_CHORD * length / turned.max(1e-9);
            let allowed = fineness.chord_error.min(relative.max(1e-9 * length));
            let fits = turned <= fineness.angle
                && (i + 1..=j).all(|k| {
                    off_chord(&samples[k].point, a, b) <= allowed.max(1e-3 * fineness.chord_error)
                });
            if !fits {
                break;
            }
            j += 1;
        }
        if j < last {
            kept.push(samples[j].t);
        }
        i = j;
    }
    kept
}
