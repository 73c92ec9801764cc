//! B-spline curves and surfaces, rational ones included, with first derivatives.
//!
//! Basis functions by the recurrence of Cox and de Boor; derivatives from the basis of one degree less (Piegl1997,
//! section 2.3). Rational ones are evaluated in homogeneous coordinates.

use nalgebra::Vector4;

use crate::geom::Vec3;

/// Largest degree that is read; CAD systems write up to 25.
pub const MAX_DEGREE: usize = 25;
const N: usize = MAX_DEGREE + 1;

/// Knots with their degree: one direction of a spline.
#[derive(Clone, Debug, PartialEq)]
pub struct Knots {
    degree: usize,
    values: Vec<f64>,
    n_points: usize,
    /// Whether the ends meet, so that parameters go round.
    is_closed: bool,
}

/// Values and first derivatives of the basis functions that are not zero, and the number of the first.
struct Basis {
    first: usize,
    values: [f64; N],
    slopes: [f64; N],
}

impl Knots {
    /// Checks the numbers: `knots` with multiplicity written out, for `n_points` control points.
    pub fn new(degree: usize, knots: Vec<f64>, n_points: usize) -> Option<Self> {
        let fits = (1..=MAX_DEGREE).contains(&degree)
            && n_points > degree
            && knots.len() == n_points + degree + 1
            && knots.windows(2).all(|k| k[0] <= k[1])
            && knots.iter().all(|k| k.is_finite());
        let this = Self {
            degree,
            values: knots,
            n_points,
            is_closed: false,
        };
        (fits && this.end() > this.start()).then_some(this)
    }

    /// All knots, with multiplicity written out.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// First parameter.
    pub fn start(&self) -> f64 {
        self.values[self.degree]
    }

    /// Last parameter.
    pub fn end(&self) -> f64 {
        self.values[self.n_points]
    }

    /// How far parameters go before the curve is where it began; none for an open one.
    pub fn period(&self) -> Option<f64> {
        self.is_closed.then(|| self.end() - self.start())
    }

    /// The different knots from start to end.
    pub fn breaks(&self) -> Vec<f64> {
        let mut breaks = self.values[self.degree..=self.n_points].to_vec();
        breaks.dedup();
        breaks
    }

    /// Degree.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The parameter inside the range: wrapped where it goes round, cut otherwise.
    fn inside(&self, t: f64) -> f64 {
        let (start, end) = (self.start(), self.end());
        if !t.is_finite() {
            return start;
        }
        if self.is_closed && !(start..=end).contains(&t) {
            return (start + (t - start).rem_euclid(end - start)).clamp(start, end);
        }
        t.clamp(start, end)
    }

    fn basis(&self, t: f64) -> Basis {
        let (k, p) = (&self.values, self.degree);
        let t = self.inside(t);
        let span = k
            .partition_point(|knot| *knot <= t)
            .clamp(p + 1, self.n_points)
            - 1;
        // A span that is empty only by its multiplicity at the end: go back to the last that is not.
        let span = (p..=span).rev().find(|&s| k[s] < k[s + 1]).unwrap_or(span);
        let (mut row, mut lower) = ([0.0; N], [0.0; N]);
        row[0] = 1.0;
        for d in 1..=p {
            if d == p {
                lower = row;
            }
            let mut saved = 0.0;
            for r in 0..d {
                let (right, left) = (k[span + r + 1], k[span + 1 + r - d]);
                let part = row[r] / (right - left);
                row[r] = saved + (right - t) * part;
                saved = (t - left) * part;
            }
            row[d] = saved;
        }
        let mut slopes = [0.0; N];
        for j in 0..=p {
            let i = span - p + j;
            let share = |n: f64, width: f64| if width > 0.0 { n / width } else { 0.0 };
            let from = if j > 0 {
                share(lower[j - 1], k[i + p] - k[i])
            } else {
                0.0
            };
            let to = if j < p {
                share(lower[j], k[i + p + 1] - k[i + 1])
            } else {
                0.0
            };
            slopes[j] = p as f64 * (from - to);
        }
        Basis {
            first: span - p,
            values: row,
            slopes,
        }
    }
}

fn project(p: &Vector4<f64>) -> Vec3 {
    p.xyz() / p.w
}

/// Derivative of the projection of a homogeneous point.
fn project_slope(p: &Vector4<f64>, d: &Vector4<f64>) -> Vec3 {
    (d.xyz() - p.xyz() * (d.w / p.w)) / p.w
}

fn homogeneous(points: &[Vec3], weights: Option<&[f64]>) -> Option<Vec<Vector4<f64>>> {
    if let Some(weights) = weights {
        let are_good =
            weights.len() == points.len() && weights.iter().all(|w| *w > 1e-9 && *w < 1e9);
        if !are_good {
            return None;
        }
    }
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    Some(
        points
            .iter()
            .enumerate()
            .map(|(i, p)| (p * weight(i)).push(weight(i)))
            .collect(),
    )
}

/// A B-spline curve.
#[derive(Clone, Debug, PartialEq)]
pub struct NurbsCurve {
    knots: Knots,
    points: Vec<Vector4<f64>>,
}

impl NurbsCurve {
    /// Checks and takes the numbers.
    pub fn new(mut knots: Knots, points: &[Vec3], weights: Option<&[f64]>) -> Option<Self> {
        let points = homogeneous(points, weights)?;
        if points.len() != knots.n_points {
            return None;
        }
        knots.is_closed = false;
        let mut curve = Self { knots, points };
        let (a, b) = (
            curve.point(curve.knots.start()),
            curve.point(curve.knots.end()),
        );
        curve.knots.is_closed = (a - b).norm() <= 1e-6 * curve.extent();
        Some(curve)
    }

    /// Its knots.
    pub fn knots(&self) -> &Knots {
        &self.knots
    }

    fn extent(&self) -> f64 {
        let first = project(&self.points[0]);
        self.points
            .iter()
            .map(|p| (project(p) - first).norm())
            .fold(0.0, f64::max)
    }

    /// The curve with every control point mapped by an affine map.
    #[must_use]
    pub fn mapped(&self, map: impl Fn(&Vec3) -> Vec3) -> Self {
        let points = self
            .points
            .iter()
            .map(|p| (map(&project(p)) * p.w).push(p.w))
            .collect();
        Self {
            knots: self.knots.clone(),
            points,
        }
    }

    /// The point at `t`.
    pub fn point(&self, t: f64) -> Vec3 {
        self.point_and_slope(t).0
    }

    /// Point and first derivative at `t`.
    pub fn point_and_slope(&self, t: f64) -> (Vec3, Vec3) {
        let basis = self.knots.basis(t);
        let (mut p, mut d) = (Vector4::zeros(), Vector4::zeros());
        for j in 0..=self.knots.degree {
            let point = &self.points[basis.first + j];
            p += point * basis.values[j];
            d += point * basis.slopes[j];
        }
        (project(&p), project_slope(&p, &d))
    }
}

/// A B-spline surface.
#[derive(Clone, Debug, PartialEq)]
pub struct NurbsSurface {
    u: Knots,
    v: Knots,
    /// By u, then by v.
    points: Vec<Vector4<f64>>,
}

impl NurbsSurface {
    /// Checks and takes the numbers; points and weights by u, then by v.
    pub fn new(u: Knots, v: Knots, points: &[Vec3], weights: Option<&[f64]>) -> Option<Self> {
        Self::of_homogeneous(u, v, homogeneous(points, weights)?)
    }

    /// From points times their weights, with these, by u, then by v.
    pub fn of_net(u: Knots, v: Knots, net: Vec<[f64; 4]>) -> Option<Self> {
        let is_good = |p: &[f64; 4]| p.iter().all(|c| c.is_finite()) && p[3] > 1e-9 && p[3] < 1e9;
        if !net.iter().all(is_good) {
            return None;
        }
        Self::of_homogeneous(u, v, net.into_iter().map(Vector4::from).collect())
    }

    /// Its points times their weights, with these, by u, then by v.
    pub fn net(&self) -> Vec<[f64; 4]> {
        self.points.iter().map(|p| (*p).into()).collect()
    }

    fn of_homogeneous(u: Knots, v: Knots, points: Vec<Vector4<f64>>) -> Option<Self> {
        if u.n_points.checked_mul(v.n_points) != Some(points.len()) {
            return None;
        }
        let mut surface = Self { u, v, points };
        let tolerance = 1e-6 * surface.extent();
        let meets = |a: (f64, f64), b: (f64, f64)| {
            (surface.at(a.0, a.1).0 - surface.at(b.0, b.1).0).norm() <= tolerance
        };
        let (u0, u1, v0, v1) = (
            surface.u.start(),
            surface.u.end(),
            surface.v.start(),
            surface.v.end(),
        );
        let places = |a: f64, b: f64| (0..=16).map(move |i| a + (b - a) * f64::from(i) / 16.0);
        let u_closed = places(v0, v1).all(|v| meets((u0, v), (u1, v)));
        let v_closed = places(u0, u1).all(|u| meets((u, v0), (u, v1)));
        (surface.u.is_closed, surface.v.is_closed) = (u_closed, v_closed);
        Some(surface)
    }

    /// Knots of the two directions.
    pub fn knots(&self) -> [&Knots; 2] {
        [&self.u, &self.v]
    }

    /// A size of the whole surface.
    pub fn extent(&self) -> f64 {
        let first = project(&self.points[0]);
        self.points
            .iter()
            .map(|p| (project(p) - first).norm())
            .fold(0.0, f64::max)
    }

    /// Point and derivatives by u and v.
    pub fn at(&self, u: f64, v: f64) -> (Vec3, Vec3, Vec3) {
        let (bu, bv) = (self.u.basis(u), self.v.basis(v));
        let n_v = self.v.n_points;
        let (mut p, mut du, mut dv) = (Vector4::zeros(), Vector4::zeros(), Vector4::zeros());
        for i in 0..=self.u.degree {
            let row = &self.points[(bu.first + i) * n_v + bv.first..];
            let (mut q, mut dq) = (Vector4::zeros(), Vector4::zeros());
            for j in 0..=self.v.degree {
                q += row[j] * bv.values[j];
                dq += row[j] * bv.slopes[j];
            }
            p += q * bu.values[i];
            du += q * bu.slopes[i];
            dv += dq * bu.values[i];
        }
        (project(&p), project_slope(&p, &du), project_slope(&p, &dv))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter circle of radius 1 as a rational curve of degree 2.
    fn quarter() -> NurbsCurve {
        let knots = Knots::new(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0], 3).unwrap();
        let points = [Vec3::x(), Vec3::new(1.0, 1.0, 0.0), Vec3::y()];
        let half = std::f64::consts::FRAC_1_SQRT_2;
        NurbsCurve::new(knots, &points, Some(&[1.0, half, 1.0])).unwrap()
    }

    #[test]
    fn a_rational_quarter_circle_is_round() {
        let curve = quarter();
        for i in 0..=20 {
            let t = f64::from(i) / 20.0;
            let (p, d) = curve.point_and_slope(t);
            assert!((p.norm() - 1.0).abs() < 1e-14);
            assert!(p.dot(&d).abs() < 1e-14);
            let h = 1e-6;
            let ahead = (t + h).min(1.0);
            let behind = (t - h).max(0.0);
            let difference = (curve.point(ahead) - curve.point(behind)) / (ahead - behind);
            assert!((difference - d).norm() < 1e-5 && d.norm() > 0.5);
        }
    }

    #[test]
    fn surface_derivatives_are_differences() {
        let u = Knots::new(3, vec![0.0, 0.0, 0.0, 0.0, 0.4, 1.0, 1.0, 1.0, 1.0], 5).unwrap();
        let v = Knots::new(2, vec![0.0, 0.0, 0.0, 2.0, 3.0, 3.0, 3.0], 4).unwrap();
        let mut random = fastrand::Rng::with_seed(3);
        let points: Vec<Vec3> = (0..20)
            .map(|i| Vec3::new(f64::from(i / 4), f64::from(i % 4), random.f64()))
            .collect();
        let weights: Vec<f64> = (0..20).map(|_| 0.5 + random.f64()).collect();
        let surface = NurbsSurface::new(u, v, &points, Some(&weights)).unwrap();
        assert!(surface.knots()[0].period().is_none());
        let h = 1e-6;
        for (a, b) in [(0.1, 0.3), (0.5, 1.9), (0.9, 2.5)] {
            let (_, du, dv) = surface.at(a, b);
            let by_u = (surface.at(a + h, b).0 - surface.at(a - h, b).0) / (2.0 * h);
            let by_v = (surface.at(a, b + h).0 - surface.at(a, b - h).0) / (2.0 * h);
            assert!((by_u - du).norm() < 1e-6 && du.norm() > 0.1);
            assert!((by_v - dv).norm() < 1e-6 && dv.norm() > 0.1);
        }
    }

    #[test]
    fn senseless_knots_are_refused() {
        assert!(Knots::new(3, vec![0.0; 8], 4).is_none());
        assert!(Knots::new(1, vec![0.0, 1.0, 0.5, 2.0], 2).is_none());
        assert!(Knots::new(0, vec![0.0, 1.0], 1).is_none());
        assert!(Knots::new(2, vec![0.0, 0.0, 1.0, 1.0], 2).is_none());
    }
}
