//! Points on a curve for receivers that take no spline: near enough, and evenly enough for their own splines.

use super::bspline::BSpline;
use super::file::{Entry, Target};
use super::route::Route;
use crate::geom::Vec3;

/// How finely a curve is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fineness {
    /// Largest distance of a chord from the curve, mm.
    pub chord_error: f64,
    /// Largest change of direction from point to point, radians.
    pub turn: f64,
    /// Smallest spacing, mm; a receiver's spline oscillates between points that are too near.
    pub smallest_step: f64,
    /// Largest spacing as a part of the length.
    pub largest_step: f64,
}

impl Default for Fineness {
    fn default() -> Self {
        Self {
            chord_error: 0.01,
            turn: 5.0_f64.to_radians(),
            smallest_step: 0.5,
            largest_step: 0.125,
        }
    }
}

/// A point of a cut curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Parameter on the curve.
    pub t: f64,
    /// Arc length from the start, mm.
    pub s: f64,
    /// Where it is, mm.
    pub position: Vec3,
}

/// How much the wanted step may change along the curve, mm for mm: neighbours differ by less than half.
const STEP_SLOPE: f64 = 0.35;

/// Places for each span at which the wanted step is looked at.
const LOOKS: usize = 16;

/// Points on the curve from end to end, both ends bit for bit.
pub fn cut(curve: &BSpline, fineness: &Fineness) -> Vec<Sample> {
    // (parameter, arc length, wanted step) along the curve.
    let mut looks: Vec<(f64, f64, f64)> = Vec::new();
    let mut s = 0.0;
    let length = curve.length();
    let largest = (fineness.largest_step * length).max(f64::MIN_POSITIVE);
    let smallest = fineness.smallest_step.min(largest);
    let wanted = |t: f64| {
        let curvature = curve.at(t).curvature();
        // A chord of h errs by h^2 / (8 R); a tenth is kept for where the curvature changes on the way.
        let by_chord = (8.0 * 0.9 * fineness.chord_error / curvature).sqrt();
        let by_turn = fineness.turn / curvature;
        by_chord.min(by_turn).clamp(smallest, largest)
    };
    for (a, b) in curve.spans() {
        for i in 0..LOOKS {
            let (t, next) = (
                a + (b - a) * i as f64 / LOOKS as f64,
                a + (b - a) * (i + 1) as f64 / LOOKS as f64,
            );
            looks.push((t, s, wanted(t)));
            s += curve.length_between(t, next);
        }
    }
    let end = curve.domain().1;
    looks.push((end, s, wanted(end)));
    // The step changes gently: forwards, then backwards.
    for i in 1..looks.len() {
        let reach = looks[i - 1].2 + STEP_SLOPE * (looks[i].1 - looks[i - 1].1);
        looks[i].2 = looks[i].2.min(reach);
    }
    for i in (1..looks.len()).rev() {
        let reach = looks[i].2 + STEP_SLOPE * (looks[i].1 - looks[i - 1].1);
        looks[i - 1].2 = looks[i - 1].2.min(reach);
    }
    // Steps so far, by the trapezium rule on 1 / step; points stand at equal numbers of steps.
    let mut counts = vec![0.0];
    for pair in looks.windows(2) {
        let part = 0.5 * (pair[1].1 - pair[0].1) * (1.0 / pair[0].2 + 1.0 / pair[1].2);
        counts.push(counts[counts.len() - 1] + part);
    }
    let total = counts[counts.len() - 1];
    let n = (total.ceil() as usize).max(1);
    let mut samples = Vec::with_capacity(n + 1);
    let mut i = 0;
    for k in 0..=n {
        let target = total * k as f64 / n as f64;
        while i + 2 < looks.len() && counts[i + 1] < target {
            i += 1;
        }
        let part = ((target - counts[i]) / (counts[i + 1] - counts[i])).clamp(0.0, 1.0);
        let t = match k {
            0 => curve.domain().0,
            _ if k == n => end,
            _ => looks[i].0 + (looks[i + 1].0 - looks[i].0) * part,
        };
        samples.push(Sample {
            t,
            s: looks[i].1 + curve.length_between(looks[i].0, t),
            position: curve.at(t).position,
        });
    }
    samples
}

/// The same for the tube of a route: with a point wherever its radius changes its slope.
pub(super) fn cut_tube(route: &Route, fineness: &Fineness) -> Vec<Sample> {
    let curve = &route.curve;
    let mut samples = cut(curve, fineness);
    // A ring beside another would be slivers.
    let near = 1e-6 * route.length;
    for &(s, _) in route.radius.places() {
        let after = samples.partition_point(|sample| sample.s < s);
        let [Some(before), Some(next)] =
            [after.checked_sub(1), Some(after)].map(|k| samples.get(k?))
        else {
            continue;
        };
        if s - before.s <= near || next.s - s <= near {
            continue;
        }
        let t = at_length(curve, s);
        let position = curve.at(t).position;
        samples.insert(after, Sample { t, s, position });
    }
    samples
}

/// The parameter at arc length `s`, by bisection.
pub(super) fn at_length(curve: &BSpline, s: f64) -> f64 {
    let (start, end) = curve.domain();
    let (mut low, mut high) = (start, end);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if curve.length_between(start, middle) < s {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The points of a route for a file.
pub(super) fn points<'a>(
    entry: &Entry<'a>,
    target: &'a Target,
) -> impl Iterator<Item = Vec3> + use<'a> {
    let samples = cut(&entry.route.curve, &target.fineness);
    samples
        .into_iter()
        .map(|sample| target.convention.outside(&sample.position))
}

#[cfg(test)]
mod tests {
    use super::super::bspline::tests::sample;
    use super::*;

    #[test]
    fn chords_stay_near_and_steps_change_gently() {
        let curve = sample();
        let points = cut(&curve, &Fineness::default());
        assert_eq!(points[0].position, curve.start().position);
        assert_eq!(points[points.len() - 1].position, curve.end().position);
        let steps: Vec<f64> = points
            .windows(2)
            .map(|p| (p[1].position - p[0].position).norm())
            .collect();
        for (pair, step) in points.windows(2).zip(&steps) {
            let middle = curve.at(0.5 * (pair[0].t + pair[1].t)).position;
            let chord = 0.5 * (pair[0].position + pair[1].position);
            let off = middle - chord;
            let along = (pair[1].position - pair[0].position) / *step;
            assert!((off - along * off.dot(&along)).norm() < 0.012);
            assert!((pair[1].s - curve.length_between(0.0, pair[1].t)).abs() < 1e-8);
        }
        for pair in steps.windows(2) {
            let ratio = pair[1] / pair[0];
            assert!((0.6..1.7).contains(&ratio), "{ratio}");
        }
        let total: f64 = steps.iter().sum();
        assert!((total / curve.length() - 1.0).abs() < 5e-4);
    }
}
