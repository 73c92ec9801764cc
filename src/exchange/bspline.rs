//! B-spline curves: the form in which a route leaves for CAD and comes back.

use crate::geom::Vec3;

/// Points and weights of the Gauss-Legendre rule with 5 points on [-1, 1].
pub(super) const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_1),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_5),
    (0.906_179_845_938_664, 0.236_926_885_056_189_1),
];

/// Pieces into which each span is cut for its length: the rule's error is then below 1e-9 of it for routes.
const LENGTH_PIECES: usize = 4;

/// Halvings of one piece at most when its length is found.
const DEEPEST_LENGTH: u32 = 12;

/// Change by halving, over the whole length, at which a length is exact enough: the halves are exact to a thousandth of it,
/// and rounding is far below.
const LENGTH: f64 = 1e-10;

/// Error of the rule, over length, up to which it is enough for a piece of a span.
const ONCE: f64 = 1e-8;

/// The highest degree that is taken: that of OpenCASCADE, which few files come near to.
pub const MAX_DEGREE: usize = 25;

/// Samples a span gets when the smallest radius or the nearest point is looked for.
const SPAN_SAMPLES: usize = 12;

/// Arc length by speed over a parameter, of a smooth stretch: halved until nothing changes, as near a sharp turn.
pub fn arc_length(speed: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let whole = gauss(speed, from, to);
    halved(speed, from, to, whole, LENGTH * whole, 0)
}

fn gauss(speed: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let speeds = GAUSS.map(|(x, w)| w * speed(middle + half * x));
    half.abs() * speeds.iter().sum::<f64>()
}

fn halved(
    speed: &impl Fn(f64) -> f64,
    from: f64,
    to: f64,
    whole: f64,
    tolerance: f64,
    depth: u32,
) -> f64 {
    let middle = 0.5 * (from + to);
    let halves = [gauss(speed, from, middle), gauss(speed, middle, to)];
    let sum = halves[0] + halves[1];
    // Not "below": numbers that are none end it too.
    if depth >= DEEPEST_LENGTH || !((sum - whole).abs() > tolerance) {
        return sum;
    }
    halved(speed, from, middle, halves[0], tolerance, depth + 1)
        + halved(speed, middle, to, halves[1], tolerance, depth + 1)
}

/// A polynomial B-spline curve in space, mm.
#[derive(Clone, Debug, PartialEq)]
pub struct BSpline {
    degree: usize,
    knots: Vec<f64>,
    points: Vec<Vec3>,
}

/// Why numbers make no B-spline.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BSplineError {
    /// The counts do not fit.
    #[error(
        "a B-spline of degree {degree} with {points} control points needs {} knots, not {knots}",
        points + degree + 1
    )]
    Counts {
        /// The degree.
        degree: usize,
        /// How many control points.
        points: usize,
        /// How many knots.
        knots: usize,
    },
    /// Too few control points, or a degree that is 0 or above [`MAX_DEGREE`].
    #[error("a B-spline of degree {degree} cannot have {points} control points")]
    TooFew {
        /// The degree.
        degree: usize,
        /// How many control points.
        points: usize,
    },
    /// Knots go back, or all are one.
    #[error("the knots of a B-spline must rise: look at knot {0}")]
    Knots(usize),
    /// Weights that are missing, or not positive.
    #[error("a rational B-spline needs a positive weight for each control point")]
    Weights,
    /// A number is not finite.
    #[error("a B-spline has a number that is not finite")]
    NotFinite,
}

/// A place on a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The position, mm.
    pub position: Vec3,
    /// The first derivative.
    pub first: Vec3,
    /// The second derivative.
    pub second: Vec3,
}

impl CurvePoint {
    /// Curvature, 1/mm: |r' x r''| / |r'|^3; 0 where the curve stands still.
    pub fn curvature(&self) -> f64 {
        let speed = self.first.norm();
        if speed > 0.0 {
            self.first.cross(&self.second).norm() / (speed * speed * speed)
        } else {
            0.0
        }
    }

    /// The unit tangent; `None` where the curve stands still.
    pub fn tangent(&self) -> Option<Vec3> {
        self.first.try_normalize(f64::MIN_POSITIVE)
    }
}

impl BSpline {
    /// A curve of these knots (each as often as its multiplicity) and control points.
    pub fn new(degree: usize, knots: Vec<f64>, points: Vec<Vec3>) -> Result<Self, BSplineError> {
        if degree == 0 || degree > MAX_DEGREE || points.len() < degree + 1 {
            return Err(BSplineError::TooFew {
                degree,
                points: points.len(),
            });
        }
        if knots.len() != points.len() + degree + 1 {
            return Err(BSplineError::Counts {
                degree,
                points: points.len(),
                knots: knots.len(),
            });
        }
        let is_finite = |p: &Vec3| p.iter().all(|c| c.is_finite());
        if !knots.iter().all(|k| k.is_finite()) || !points.iter().all(is_finite) {
            return Err(BSplineError::NotFinite);
        }
        if let Some(bad) = knots.windows(2).position(|k| k[1] < k[0]) {
            return Err(BSplineError::Knots(bad + 1));
        }
        // A knot may not be repeated more often than degree + 1, or a control point has no say.
        if let Some(bad) = (0..points.len()).find(|&i| knots[i + degree + 1] <= knots[i]) {
            return Err(BSplineError::Knots(bad));
        }
        if knots[points.len()] <= knots[degree] {
            return Err(BSplineError::Knots(degree));
        }
        Ok(Self {
            degree,
            knots,
            points,
        })
    }

    /// The degree: 3 for every route of ours.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// All knots, each as often as its multiplicity.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// The control points, mm.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// The distinct knots and how often each stands.
    pub fn multiplicities(&self) -> (Vec<f64>, Vec<usize>) {
        let mut distinct: Vec<f64> = Vec::new();
        let mut counts = Vec::new();
        for &knot in &self.knots {
            if distinct.last() == Some(&knot) {
                if let Some(count) = counts.last_mut() {
                    *count += 1;
                }
            } else {
                distinct.push(knot);
                counts.push(1);
            }
        }
        (distinct, counts)
    }

    /// First and last parameter.
    pub fn domain(&self) -> (f64, f64) {
        (self.knots[self.degree], self.knots[self.points.len()])
    }

    /// The polynomial spans, as (first parameter, last parameter).
    pub fn spans(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.knots[self.degree..=self.points.len()]
            .windows(2)
            .filter(|k| k[1] > k[0])
            .map(|k| (k[0], k[1]))
    }

    /// Where the curve starts: to the last bit the first control point of a clamped curve.
    pub fn start(&self) -> CurvePoint {
        self.at(self.domain().0)
    }

    /// Where the curve ends.
    pub fn end(&self) -> CurvePoint {
        self.at(self.domain().1)
    }

    /// Position and derivatives at parameter `t`, by de Boor's algorithm; `t` is kept in the domain.
    pub fn at(&self, t: f64) -> CurvePoint {
        let (a, b) = self.domain();
        let t = t.clamp(a, b);
        let span = self.span_of(t);
        let p = self.degree;
        // The triangle of de Boor; its last two columns give the derivatives of the polynomial piece.
        let mut column = [Vec3::zeros(); MAX_DEGREE + 1];
        column[..=p].copy_from_slice(&self.points[span - p..=span]);
        let mut two_left = [Vec3::zeros(); 3];
        let mut one_left = [Vec3::zeros(); 2];
        for level in 1..=p {
            if level + 1 == p {
                for (i, kept) in two_left.iter_mut().enumerate() {
                    *kept = column[p - 2 + i];
                }
            }
            if level == p {
                one_left = [column[p - 1], column[p]];
            }
            for j in (level..=p).rev() {
                let (t0, t1) = (self.knots[span - p + j], self.knots[span + 1 + j - level]);
                let weight = (t - t0) / (t1 - t0);
                column[j] = column[j - 1] * (1.0 - weight) + column[j] * weight;
            }
        }
        let k = &self.knots;
        let degree = p as f64;
        let first = (one_left[1] - one_left[0]) * (degree / (k[span + 1] - k[span]));
        let second = if p < 2 {
            Vec3::zeros()
        } else {
            let left = (two_left[1] - two_left[0]) / (k[span + 1] - k[span - 1]);
            let right = (two_left[2] - two_left[1]) / (k[span + 2] - k[span]);
            (right - left) * (degree * (degree - 1.0) / (k[span + 1] - k[span]))
        };
        CurvePoint {
            position: column[p],
            first,
            second,
        }
    }

    /// The number `i` with knot i <= t < knot i+1; the last span at the end of the domain.
    fn span_of(&self, t: f64) -> usize {
        let last = self.points.len();
        let above = self.knots[self.degree..=last].partition_point(|&k| k <= t) + self.degree;
        if above > last {
            // The end: the last span that is not empty.
            let end = self.knots[last];
            self.knots[..last].partition_point(|&k| k < end) - 1
        } else {
            above - 1
        }
    }

    /// Arc length of the whole, mm.
    pub fn length(&self) -> f64 {
        self.spans().map(|(a, b)| self.arc(a, b)).sum()
    }

    /// Arc length between two parameters, mm; negative when they go back.
    pub fn length_between(&self, from: f64, to: f64) -> f64 {
        if to < from {
            return -self.length_between(to, from);
        }
        let first = self.span_of(from.clamp(self.domain().0, self.domain().1));
        let rest = self.knots[first..=self.points.len()].windows(2);
        rest.filter(|k| k[1] > k[0])
            .take_while(|k| k[0] < to)
            .map(|k| self.arc(k[0].max(from), k[1].min(to)))
            .sum()
    }

    /// Arc length of a stretch that crosses no knot.
    fn arc(&self, a: f64, b: f64) -> f64 {
        let half = 0.5 * (b - a) / LENGTH_PIECES as f64;
        let speed = |t: f64| self.at(t).first.norm();
        let pieces = 0..LENGTH_PIECES;
        let sums = pieces.map(|i| {
            let middle = a + half * (2 * i + 1) as f64;
            let speeds = GAUSS.map(|(x, w)| w * speed(middle + half * x));
            let once = half * speeds.iter().sum::<f64>();
            let (from, to) = (middle - half, middle + half);
            let twice = gauss(&speed, from, middle) + gauss(&speed, middle, to);
            // Routes need no more than the rule itself, and keep their bits.
            if (once - twice).abs() > ONCE * twice {
                arc_length(&speed, from, to)
            } else {
                once
            }
        });
        sums.sum()
    }

    /// The smallest bend radius, mm, and the parameter where it is; infinite for a straight curve.
    pub fn smallest_radius(&self) -> (f64, f64) {
        let curvature = |t: f64| self.at(t).curvature();
        let mut best = (0.0, self.domain().0);
        for (a, b) in self.spans() {
            let step = (b - a) / SPAN_SAMPLES as f64;
            for i in 0..=SPAN_SAMPLES {
                let t = a + step * i as f64;
                let value = curvature(t);
                if value > best.0 {
                    best = (value, t);
                }
            }
        }
        // Narrow down to the peak between the neighbours of the best sample.
        let width = self.domain().1 - self.domain().0;
        let mut step = self
            .spans()
            .find(|&(a, b)| a <= best.1 && best.1 <= b)
            .map_or(width, |(a, b)| (b - a) / SPAN_SAMPLES as f64);
        while step > 1e-9 * width {
            let better = [best.1 - step, best.1 + step]
                .map(|t| (curvature(t), t))
                .into_iter()
                .find(|&(value, _)| value > best.0);
            match better {
                Some((value, t)) => best = (value, t.clamp(self.domain().0, self.domain().1)),
                None => step *= 0.5,
            }
        }
        (1.0 / best.0, best.1)
    }

    /// The parameter of the point nearest to `place`, looking downhill from `near`, and its distance.
    ///
    /// Newton on (r - place) . r' = 0, held in the domain.
    pub fn nearest_from(&self, place: &Vec3, near: f64) -> (f64, f64) {
        let (a, b) = self.domain();
        let mut t = near.clamp(a, b);
        let mut here = self.at(t);
        for _ in 0..30 {
            let away = here.position - place;
            let slope = away.dot(&here.first);
            let bend = here.first.norm_squared() + away.dot(&here.second);
            // Beyond the centre of curvature the second derivative misleads: take the tangent alone.
            let bend = if bend > 0.1 * here.first.norm_squared() {
                bend
            } else {
                here.first.norm_squared()
            };
            if bend <= 0.0 {
                break;
            }
            let next = (t - slope / bend).clamp(a, b);
            let moved = (next - t).abs();
            t = next;
            here = self.at(t);
            if moved <= 1e-14 * (b - a) {
                break;
            }
        }
        (t, (here.position - place).norm())
    }

    /// The nearest point of the whole curve: parameter and distance.
    pub fn nearest(&self, place: &Vec3) -> (f64, f64) {
        let mut best = (self.domain().0, f64::INFINITY);
        for (a, b) in self.spans() {
            for i in 0..=SPAN_SAMPLES {
                let t = a + (b - a) * i as f64 / SPAN_SAMPLES as f64;
                let distance = (self.at(t).position - place).norm();
                if distance < best.1 {
                    best = (t, distance);
                }
            }
        }
        let found = self.nearest_from(place, best.0);
        // At the seam of a ring, two parameters are one place.
        let (a, b) = self.domain();
        if best.0 == a || best.0 == b {
            let other = self.nearest_from(place, a + b - best.0);
            if other.1 < found.1 {
                return other;
            }
        }
        found
    }

    /// The spans as cubic Bezier curves with their parameters; `None` unless the degree is 3.
    pub fn beziers(&self) -> Option<Vec<Bezier>> {
        if self.degree != 3 {
            return None;
        }
        let mut pieces: Vec<Bezier> = self
            .spans()
            .map(|(a, b)| {
                let span = self.span_of(a);
                // Control points of a piece are values of its blossom: f(a,a,a), f(a,a,b), f(a,b,b), f(b,b,b).
                Bezier {
                    domain: (a, b),
                    points: [[a; 3], [a, a, b], [a, b, b], [b; 3]]
                        .map(|arguments| self.blossom(span, arguments)),
                }
            })
            .collect();
        // Neighbours share their point to the last bit.
        for i in 1..pieces.len() {
            pieces[i].points[0] = pieces[i - 1].points[3];
        }
        Some(pieces)
    }

    fn blossom(&self, span: usize, arguments: [f64; 3]) -> Vec3 {
        let mut column = [0, 1, 2, 3].map(|j| self.points[span - 3 + j]);
        for (level, t) in (1..=3).zip(arguments) {
            for j in (level..=3).rev() {
                let (t0, t1) = (self.knots[span - 3 + j], self.knots[span + 1 + j - level]);
                let weight = (t - t0) / (t1 - t0);
                column[j] = column[j - 1] * (1.0 - weight) + column[j] * weight;
            }
        }
        column[3]
    }

    /// The same curve with every control point put through `place`, an affine map.
    #[must_use]
    pub fn mapped(&self, place: impl FnMut(&Vec3) -> Vec3) -> Self {
        Self {
            points: self.points.iter().map(place).collect(),
            ..self.clone()
        }
    }
}

/// One cubic span in Bezier form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bezier {
    /// First and last parameter.
    pub domain: (f64, f64),
    /// The four control points.
    pub points: [Vec3; 4],
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two Bezier spans as one C1 B-spline: length and smallest radius are known from other software.
    pub fn sample() -> BSpline {
        let points = [
            [0.0, 0.0, 0.0],
            [40.0, 0.0, 0.0],
            [60.0, 20.0, 10.0],
            [100.0, 20.0, 10.0],
            [140.0, 20.0, 10.0],
            [160.0, 50.0, 10.0],
            [160.0, 90.0, 10.0],
        ];
        BSpline::new(
            3,
            vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0],
            points.iter().map(|p| Vec3::from_column_slice(p)).collect(),
        )
        .unwrap()
    }

    #[test]
    fn length_and_smallest_radius_are_those_of_other_software() {
        let curve = sample();
        assert!((curve.length() - 207.335_761_449).abs() < 1e-8);
        // 50.447 at 33 samples of each span; the true peak is a little sharper.
        assert!((curve.smallest_radius().0 - 50.4346).abs() < 1e-4);
        let parts = curve.length_between(0.0, 0.7) + curve.length_between(0.7, 2.0);
        assert!((parts - curve.length()).abs() < 1e-8);
    }

    #[test]
    fn a_curve_that_nearly_turns_back_has_its_whole_length() {
        // One span of degree 4 that all but stops in its middle; integrated by other software.
        let p = |x: f64, y: f64| Vec3::new(x, y, 0.0);
        let points = vec![
            p(0.0, 0.0),
            p(100.0, 1.0),
            p(-70.0, 2.0),
            p(100.0, 3.0),
            p(0.0, 4.0),
        ];
        let knots = [[0.0; 5], [1.0; 5]].concat();
        let curve = BSpline::new(4, knots, points).unwrap();
        assert!((curve.length() - 83.991_375_337_784).abs() < 1e-6);
    }

    #[test]
    fn derivatives_match_finite_differences() {
        let points: Vec<_> = (0..7)
            .map(|i| {
                let x = f64::from(i);
                Vec3::new(x * 10.0, (x * 1.3).sin() * 8.0, x * x)
            })
            .collect();
        for degree in 1..=5 {
            let mut knots = vec![0.0; degree + 1];
            knots.extend((1..7 - degree).map(|i| i as f64 * 1.5));
            knots.extend(vec![(7 - degree) as f64 * 1.5; degree + 1]);
            let curve = BSpline::new(degree, knots, points.clone()).unwrap();
            let (t, h) = (1.1, 1e-4);
            let (before, here, after) = (curve.at(t - h), curve.at(t), curve.at(t + h));
            let first = (after.position - before.position) / (2.0 * h);
            let second = (after.position - here.position * 2.0 + before.position) / (h * h);
            assert!((first - here.first).norm() < 1e-5, "degree {degree}");
            assert!((second - here.second).norm() < 1e-4, "degree {degree}");
            assert_eq!(curve.start().position, points[0]);
            assert_eq!(curve.end().position, points[6]);
        }
    }

    #[test]
    fn bezier_pieces_are_the_curve() {
        let curve = sample();
        let pieces = curve.beziers().unwrap();
        assert_eq!(pieces.len(), 2);
        for (i, p) in pieces.iter().flat_map(|b| b.points).enumerate() {
            let expected = curve.points()[if i > 3 { i - 1 } else { i }];
            assert!((p - expected).norm() < 1e-12);
        }
    }

    #[test]
    fn the_nearest_point_is_found_from_anywhere() {
        let curve = sample();
        let on = curve.at(1.3);
        let aside = on.first.cross(&Vec3::z()).normalize() * 4.0;
        let (t, distance) = curve.nearest(&(on.position + aside));
        assert!((t - 1.3).abs() < 1e-9 && (distance - 4.0).abs() < 1e-9);
    }

    #[test]
    fn nonsense_is_refused() {
        let p = vec![Vec3::zeros(); 4];
        assert!(BSpline::new(3, vec![0.0; 7], p.clone()).is_err());
        assert!(BSpline::new(3, vec![0.0; 8], p.clone()).is_err());
        let back = vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.5];
        assert!(BSpline::new(3, back, p.clone()).is_err());
        let nan = vec![0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, f64::NAN];
        assert!(BSpline::new(3, nan, p).is_err());
        assert!(BSpline::new(0, vec![0.0, 1.0], vec![Vec3::zeros()]).is_err());
    }
}
