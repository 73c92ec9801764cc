//! Few control points: a C2 cubic that stays within a tolerance of a reference curve.
//!
//! For a number of spans the knots are spread so that every span has the same error: first by the fourth
//! derivative (the error of a cubic spline is h^4 |f''''| / 384), then by the error that was measured in each span.
//! Control points are the least-squares solution at many samples, with both end points and end derivatives kept.
//! The smallest number of spans that keeps the tolerance is found by bisection. docs/theory/route.md.

use super::bspline::BSpline;
use crate::geom::Vec3;

/// Rounds of spreading the knots by measured error for one number of spans.
const SPREADING_ROUNDS: usize = 6;

/// Samples at the least, so that a short reference still fixes a curve.
const SAMPLES_AT_LEAST: usize = 120;

/// Samples at which a reference of many spans gets no more than one for every fourth span.
const SAMPLES_ENOUGH: usize = 1200;

/// A fit this many times worse than the tolerance is not saved by moving its knots.
const HOPELESS: f64 = 6.0;

/// Share of the tolerance that the samples may use.
const MARGIN: f64 = 0.98;

/// How near a fit must come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitTolerance {
    /// Largest distance from the reference, mm.
    pub deviation: f64,
    /// Largest difference in arc length, mm.
    pub length: f64,
}

impl Default for FitTolerance {
    fn default() -> Self {
        Self {
            deviation: 0.01,
            length: 0.004,
        }
    }
}

/// The C2 cubic with few control points that keeps the tolerance, the end points (bit for bit) and the end
/// derivatives of `reference`; the reference itself when no fit is better.
pub fn fit(reference: &BSpline, tolerance: &FitTolerance) -> BSpline {
    let samples = Samples::of(reference);
    let length = reference.length();
    let spans_of_reference = reference.spans().count();
    // The samples tell a bad fit at once; what they find good is measured as the check of the export does.
    let good = |attempt: &Attempt| {
        attempt.deviation <= MARGIN * tolerance.deviation
            && (attempt.curve.length() - length).abs() <= tolerance.length
            && deviation(reference, &attempt.curve) <= MARGIN * tolerance.deviation
    };
    // Up until one is good, then bisect down to the smallest. The error goes with the fourth power of the span, so
    // that a bad fit says how many spans to try next.
    let limit = MARGIN * tolerance.deviation;
    let mut density = density_of(reference);
    let (mut bad, mut spans) = (0, 1);
    let mut best = loop {
        if spans >= spans_of_reference {
            return reference.clone();
        }
        let attempt = samples.attempt(reference, spans, &mut density, limit, &good);
        match attempt {
            Some(attempt) if good(&attempt) => break attempt.curve,
            _ => {
                let off = attempt.map_or(1.0, |a| (a.deviation / limit).max(1.0));
                bad = spans;
                let more = (spans as f64 * off.powf(0.25)).ceil() as usize;
                spans = more.clamp(spans + 1, 4 * spans);
            }
        }
    };
    while spans - bad > 1 {
        let middle = usize::midpoint(bad, spans);
        match samples.attempt(reference, middle, &mut density, limit, &good) {
            Some(attempt) if good(&attempt) => {
                best = attempt.curve;
                spans = middle;
            }
            _ => bad = middle,
        }
    }
    best
}

/// Largest distance of `curve` from `reference`; both have nearly the same parameter.
pub fn deviation(reference: &BSpline, curve: &BSpline) -> f64 {
    let mut largest = 0.0_f64;
    for (a, b) in reference.spans() {
        for part in [0.25, 0.75] {
            let t = a + (b - a) * part;
            largest = largest.max(curve.nearest_from(&reference.at(t).position, t).1);
        }
    }
    largest
}

/// One least-squares curve and what it is worth.
struct Attempt {
    curve: BSpline,
    deviation: f64,
    /// Largest distance in each span.
    by_span: Vec<f64>,
}

/// The reference at many parameters.
struct Samples {
    at: Vec<f64>,
    points: Vec<Vec3>,
    tangents: Vec<Vec3>,
}

impl Samples {
    fn of(reference: &BSpline) -> Self {
        let n_spans = reference.spans().count();
        let each = SAMPLES_AT_LEAST.div_ceil(n_spans);
        let every = (n_spans / SAMPLES_ENOUGH).clamp(1, 4);
        let mut at = Vec::with_capacity(n_spans * each / every);
        for (a, b) in reference.spans().step_by(every) {
            at.extend((0..each).map(|i| a + (b - a) * (i as f64 + 0.5) / each as f64));
        }
        let places: Vec<_> = at.iter().map(|&t| reference.at(t)).collect();
        Self {
            at,
            points: places.iter().map(|p| p.position).collect(),
            tangents: places
                .iter()
                .map(|p| p.tangent().unwrap_or_else(Vec3::zeros))
                .collect(),
        }
    }

    /// The best curve of that many spans, with the density of knots improved on the way.
    fn attempt(
        &self,
        reference: &BSpline,
        n_spans: usize,
        density: &mut Density,
        limit: f64,
        good: &dyn Fn(&Attempt) -> bool,
    ) -> Option<Attempt> {
        let mut best: Option<Attempt> = None;
        let mut trial = density.clone();
        for _ in 0..SPREADING_ROUNDS {
            let breaks = trial.breaks(n_spans);
            let Some(attempt) = self.least_squares(reference, &breaks) else {
                break;
            };
            trial = trial.refined(&breaks, &attempt.by_span);
            let better = best
                .as_ref()
                .is_none_or(|b| attempt.deviation < b.deviation);
            if better {
                best = Some(attempt);
                *density = trial.clone();
            }
            let hopeless = |b: &Attempt| b.deviation > HOPELESS * limit || good(b);
            if n_spans == 1 || best.as_ref().is_some_and(hopeless) {
                break;
            }
        }
        best
    }

    /// Least squares with fixed ends: normal equations of bandwidth 4, by Cholesky.
    fn least_squares(&self, reference: &BSpline, breaks: &[f64]) -> Option<Attempt> {
        let n = breaks.len() + 2;
        let mut knots = vec![breaks[0]; 3];
        knots.extend_from_slice(breaks);
        knots.extend([breaks[breaks.len() - 1]; 3]);
        let (start, end) = (reference.start(), reference.end());
        let mut control = vec![Vec3::zeros(); n];
        control[0] = start.position;
        control[1] = start.position + start.first * ((knots[4] - knots[3]) / 3.0);
        control[n - 2] = end.position - end.first * ((knots[n] - knots[n - 1]) / 3.0);
        control[n - 1] = end.position;

        let mut basis = Vec::with_capacity(self.at.len());
        let mut span = 3;
        for &t in &self.at {
            while span + 1 < n && t >= knots[span + 1] {
                span += 1;
            }
            basis.push((span, cubic_basis(&knots, span, t)));
        }
        if n > 4 {
            let free = n - 4;
            let mut band = vec![[0.0; 4]; free];
            let mut right = vec![Vec3::zeros(); free];
            for ((span, values), point) in basis.iter().zip(&self.points) {
                let first = span - 3;
                // What the fixed control points give already.
                let mut rest = *point;
                for k in 0..4 {
                    if !(2..n - 2).contains(&(first + k)) {
                        rest -= control[first + k] * values[k];
                    }
                }
                for k in 0..4 {
                    let row = first + k;
                    if !(2..n - 2).contains(&row) {
                        continue;
                    }
                    right[row - 2] += rest * values[k];
                    for m in k..4 {
                        if first + m < n - 2 {
                            band[row - 2][m - k] += values[k] * values[m];
                        }
                    }
                }
            }
            let solution = solve_banded(band, right)?;
            control[2..n - 2].copy_from_slice(&solution);
        }
        let mut by_span = vec![0.0_f64; breaks.len() - 1];
        for (((span, values), point), tangent) in basis.iter().zip(&self.points).zip(&self.tangents)
        {
            let at: Vec3 = (0..4).map(|k| control[span - 3 + k] * values[k]).sum();
            let off = at - point;
            // A shift along the curve is no deviation.
            let aside = (off - tangent * off.dot(tangent)).norm();
            by_span[span - 3] = by_span[span - 3].max(aside);
        }
        Some(Attempt {
            curve: BSpline::new(3, knots, control).ok()?,
            deviation: by_span.iter().fold(0.0, |a, &b| a.max(b)),
            by_span,
        })
    }
}

/// Where knots should be dense: (parameter, density) steps, from the jumps of the third derivative.
fn density_of(reference: &BSpline) -> Density {
    let spans: Vec<_> = reference.spans().collect();
    let third: Vec<Vec3> = spans
        .iter()
        .map(|&(a, b)| (reference.at(b).second - reference.at(a).second) / (b - a))
        .collect();
    // The second derivative is continuous, but at(b) reads the next span's: the same by C2.
    let fourth: Vec<f64> = (0..spans.len())
        .map(|i| {
            let jump = |j: usize, k: usize| {
                let distance = 0.5 * (spans[k].1 - spans[j].0 - spans[j].1 + spans[k].0);
                (third[k] - third[j]).norm() / distance.abs().max(f64::MIN_POSITIVE)
            };
            let left = if i > 0 { jump(i - 1, i) } else { 0.0 };
            let right = if i + 1 < spans.len() {
                jump(i, i + 1)
            } else {
                0.0
            };
            left.max(right)
        })
        .collect();
    let mut edges: Vec<f64> = spans.iter().map(|s| s.0).collect();
    edges.push(reference.domain().1);
    Density::new(edges, fourth.iter().map(|f| f.sqrt().sqrt()).collect())
}

/// Knots per mm along a curve: steps between edges.
#[derive(Clone, Debug)]
struct Density {
    edges: Vec<f64>,
    values: Vec<f64>,
}

impl Density {
    fn new(edges: Vec<f64>, mut values: Vec<f64>) -> Self {
        let total: f64 = edges
            .windows(2)
            .zip(&values)
            .map(|(e, v)| (e[1] - e[0]) * v)
            .sum();
        let width = edges[edges.len() - 1] - edges[0];
        // No stretch is left without knots, and a straight reference gets an even density.
        let floor = if total > 0.0 {
            0.15 * total / width
        } else {
            1.0
        };
        for value in &mut values {
            *value = value.max(floor);
        }
        Self { edges, values }
    }

    /// `n_spans` stretches of the same integral.
    fn breaks(&self, n_spans: usize) -> Vec<f64> {
        let mut sums = Vec::with_capacity(self.edges.len());
        let mut sum = 0.0;
        sums.push(0.0);
        for (edge, value) in self.edges.windows(2).zip(&self.values) {
            sum += (edge[1] - edge[0]) * value;
            sums.push(sum);
        }
        let mut breaks = vec![self.edges[0]];
        let mut i = 0;
        for k in 1..n_spans {
            let target = sum * k as f64 / n_spans as f64;
            while i + 2 < sums.len() && sums[i + 1] < target {
                i += 1;
            }
            let part = (target - sums[i]) / (sums[i + 1] - sums[i]);
            breaks.push(self.edges[i] + (self.edges[i + 1] - self.edges[i]) * part);
        }
        breaks.push(self.edges[self.edges.len() - 1]);
        breaks
    }

    /// Denser where the error of a span was above the mean, thinner where it was below.
    fn refined(&self, breaks: &[f64], errors: &[f64]) -> Self {
        // The error goes with the fourth power of the span.
        let roots: Vec<f64> = errors.iter().map(|e| e.powf(0.25)).collect();
        let mean = roots.iter().sum::<f64>() / roots.len() as f64;
        if mean <= 0.0 {
            return self.clone();
        }
        // A neighbour's error leaks into a span; the square root keeps the change from overshooting.
        let factors: Vec<f64> = roots
            .iter()
            .map(|r| (r / mean).sqrt().clamp(0.6, 1.7))
            .collect();
        // Density between two breaks is one over the width, times the factor.
        let values = breaks
            .windows(2)
            .zip(&factors)
            .map(|(b, f)| f / (b[1] - b[0]))
            .collect();
        Self::new(breaks.to_vec(), values)
    }
}

/// The four cubic basis functions that are not zero in the span of number `span` (Piegl1997, A2.2).
fn cubic_basis(knots: &[f64], span: usize, t: f64) -> [f64; 4] {
    let mut values = [1.0, 0.0, 0.0, 0.0];
    for level in 1..=3 {
        let mut saved = 0.0;
        for r in 0..level {
            let (right, left) = (knots[span + r + 1] - t, t - knots[span + 1 + r - level]);
            let share = values[r] / (right + left);
            values[r] = saved + right * share;
            saved = left * share;
        }
        values[level] = saved;
    }
    values
}

/// Cholesky of a symmetric band matrix (diagonal and three above) and its solution; `None` where it is singular.
fn solve_banded(mut band: Vec<[f64; 4]>, mut right: Vec<Vec3>) -> Option<Vec<Vec3>> {
    let n = band.len();
    for i in 0..n {
        if !(band[i][0] > 1e-14) {
            return None;
        }
        let pivot = band[i];
        for k in 1..4.min(n - i) {
            let factor = pivot[k] / pivot[0];
            for m in k..4 {
                band[i + k][m - k] -= factor * pivot[m];
            }
            let above = right[i];
            right[i + k] -= above * factor;
        }
    }
    for i in (0..n).rev() {
        for k in 1..4.min(n - i) {
            let below = right[i + k];
            right[i] -= below * band[i][k];
        }
        right[i] /= band[i][0];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::super::interpolate::{EndCondition, interpolate};
    use super::*;

    fn helix(n: i32) -> BSpline {
        let angle = |i: i32| 3.0 * std::f64::consts::TAU * f64::from(i) / f64::from(n);
        let speed = f64::hypot(40.0, 6.0);
        let at: Vec<_> = (0..=n).map(|i| angle(i) * speed).collect();
        let points: Vec<_> = (0..=n)
            .map(|i| {
                let a = angle(i);
                Vec3::new(40.0 * a.cos(), 40.0 * a.sin(), 6.0 * a)
            })
            .collect();
        let slope = |a: f64| {
            EndCondition::Derivative(Vec3::new(-40.0 * a.sin(), 40.0 * a.cos(), 6.0) / speed)
        };
        interpolate(&at, &points, slope(0.0), slope(angle(n))).unwrap()
    }

    #[test]
    fn a_helix_needs_few_points_and_keeps_tolerance_and_ends() {
        let reference = helix(400);
        let curve = fit(&reference, &FitTolerance::default());
        // A cubic spline errs by h^4 |f''''| / 384: 0.01 mm on this helix takes 34 spans.
        assert!(curve.points().len() <= 34, "{}", curve.points().len());
        assert_eq!(curve.start().position, reference.start().position);
        assert_eq!(curve.end().position, reference.end().position);
        assert!((curve.start().first - reference.start().first).norm() < 1e-12);
        assert!((curve.end().first - reference.end().first).norm() < 1e-12);
        assert!((curve.length() - reference.length()).abs() < 0.004);
        let (a, b) = reference.domain();
        for i in 0..=5000 {
            let t = a + (b - a) * f64::from(i) / 5000.0;
            let distance = curve.nearest_from(&reference.at(t).position, t).1;
            assert!(distance <= 0.01, "{distance} at {t}");
        }
        assert!(
            curve.multiplicities().1[1..]
                .iter()
                .rev()
                .skip(1)
                .all(|&m| m == 1)
        );
    }

    #[test]
    fn a_straight_line_is_one_span() {
        let points: Vec<_> = (0..=50).map(|i| Vec3::x() * f64::from(i)).collect();
        let at: Vec<_> = (0..=50).map(f64::from).collect();
        let line = interpolate(&at, &points, EndCondition::Natural, EndCondition::Natural).unwrap();
        assert_eq!(fit(&line, &FitTolerance::default()).points().len(), 4);
    }

    #[test]
    fn a_tighter_tolerance_takes_more_points() {
        let reference = helix(400);
        let count = |deviation| {
            let tolerance = FitTolerance {
                deviation,
                length: 1.0,
            };
            fit(&reference, &tolerance).points().len()
        };
        // Fourth order: a tenth of the error takes 10^(1/4) = 1.78 times the spans.
        let ratio = (count(0.001) - 3) as f64 / (count(0.01) - 3) as f64;
        assert!((1.5..2.1).contains(&ratio), "{ratio}");
    }
}
