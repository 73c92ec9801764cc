//! B-splines with weights: two polynomial ones, one over the other.

use crate::exchange::bspline::{BSpline, BSplineError, CurvePoint};
use crate::geom::Vec3;

/// Ends that are nearer than this part of the largest coordinate are one place.
const CLOSED: f64 = 1e-7;

/// A B-spline, rational where it has weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Nurbs {
    /// Control points, each times its weight.
    above: BSpline,
    /// The weights, as points on the x axis.
    below: Option<BSpline>,
}

impl Nurbs {
    /// A polynomial one.
    pub fn polynomial(spline: BSpline) -> Self {
        Self {
            above: spline,
            below: None,
        }
    }

    /// One with weights; equal ones do nothing and are left out.
    pub fn new(
        degree: usize,
        knots: Vec<f64>,
        points: Vec<Vec3>,
        weights: Option<Vec<f64>>,
    ) -> Result<Self, BSplineError> {
        let Some(weights) = weights.filter(|w| w.iter().any(|a| *a != w[0])) else {
            return Ok(Self::polynomial(BSpline::new(degree, knots, points)?));
        };
        if weights.len() != points.len() {
            return Err(BSplineError::Weights);
        }
        if !weights.iter().all(|w| *w > 0.0 && w.is_finite()) {
            return Err(BSplineError::Weights);
        }
        let above = points.iter().zip(&weights).map(|(p, w)| p * *w).collect();
        let below = weights.iter().map(|w| Vec3::x() * *w).collect();
        Ok(Self {
            above: BSpline::new(degree, knots.clone(), above)?,
            below: Some(BSpline::new(degree, knots, below)?),
        })
    }

    /// The polynomial curve that it is, if it has no weights.
    pub fn as_polynomial(&self) -> Option<&BSpline> {
        self.below.is_none().then_some(&self.above)
    }

    /// First and last parameter.
    pub fn domain(&self) -> (f64, f64) {
        self.above.domain()
    }

    /// Its distinct knots within the domain, rising.
    pub fn breaks(&self) -> impl Iterator<Item = f64> + '_ {
        self.above.spans().map(|(a, _)| a)
    }

    /// Position and derivatives: (A / w)' = (A' - r w') / w, (A / w)'' = (A'' - 2 r' w' - r w'') / w.
    pub fn at(&self, t: f64) -> CurvePoint {
        let above = self.above.at(t);
        let Some(below) = &self.below else {
            return above;
        };
        let below = below.at(t);
        let (w, dw, ddw) = (below.position.x, below.first.x, below.second.x);
        let position = above.position / w;
        let first = (above.first - position * dw) / w;
        CurvePoint {
            position,
            first,
            second: (above.second - first * (2.0 * dw) - position * ddw) / w,
        }
    }

    /// Whether it ends where it starts.
    pub fn is_closed(&self) -> bool {
        let (a, b) = self.domain();
        let (start, end) = (self.at(a).position, self.at(b).position);
        (start - end).norm() <= CLOSED * start.amax().max(end.amax()).max(f64::MIN_POSITIVE)
    }

    /// The parameter of the point nearest to a place.
    pub fn parameter_of(&self, place: &Vec3) -> f64 {
        const SAMPLES: usize = 24;
        let (a, b) = self.domain();
        let distance = |t: f64| (self.at(t).position - place).norm();
        let mut best = (distance(a), a);
        for (from, to) in self.above.spans() {
            for i in 1..=SAMPLES {
                let t = from + (to - from) * i as f64 / SAMPLES as f64;
                let away = distance(t);
                if away < best.0 {
                    best = (away, t);
                }
            }
        }
        // Newton on (r - place) . r' = 0, as long as it comes nearer.
        for _ in 0..30 {
            let here = self.at(best.1);
            let away = here.position - place;
            let bend = here.first.norm_squared() + away.dot(&here.second);
            let bend = if bend > 0.0 {
                bend
            } else {
                here.first.norm_squared()
            };
            if bend <= 0.0 {
                break;
            }
            let next = (best.1 - away.dot(&here.first) / bend).clamp(a, b);
            let found = distance(next);
            if found >= best.0 {
                break;
            }
            best = (found, next);
        }
        best.1
    }

    /// The same, put through an affine map.
    #[must_use]
    pub fn mapped(&self, place: &impl Fn(&Vec3) -> Vec3) -> Self {
        let Some(below) = &self.below else {
            return Self::polynomial(self.above.mapped(place));
        };
        let mut weights = below.points().iter().map(|w| w.x);
        Self {
            above: self.above.mapped(|p| {
                let w = weights.next().unwrap_or(1.0);
                place(&(p / w)) * w
            }),
            below: Some(below.clone()),
        }
    }
}
