//! Curves of files as they are defined there: lines, conics and rational B-splines, cut to a range of their parameter.
//!
//! All readers give these. A [`Path`] is a row of them, each beginning where the last ends; [`spline_of`] makes one
//! B-spline of it, to a stated error, and [`chains`] joins paths that go on in each other's direction.

mod join;
mod nurbs;
mod smooth;

use std::f64::consts::TAU;

pub use join::chains;
pub use nurbs::Nurbs;
pub use smooth::spline_of;

use super::bspline::CurvePoint;
use crate::geom::Vec3;

/// Curves one after the other.
pub type Path = Vec<Curve>;

/// Turn of a conic that is measured, sampled and approximated as one piece at most, radians.
const CONIC_STEP: f64 = std::f64::consts::FRAC_PI_8;

/// Part of the range of a parameter within which two of its values are one.
const SAME: f64 = 1e-9;

/// Part of the range of a B-spline's parameter by which a cut may lie beyond its end: more is no cut of it.
const BEYOND: f64 = 1e-6;

/// Part of the length of a piece by which its ends may lie beside the curve it is cut from: more is another curve.
pub const OFF_CURVE: f64 = 1e-2;

/// What is said of a curve whose end lies beside it by that part of its length.
pub fn off_curve(part: f64) -> String {
    format!("its end lies {:.3} % of its length off it", 100.0 * part)
}

/// A curve without ends, by its parameter t. Affine maps take each kind into itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Basis {
    /// origin + t along.
    Line {
        /// Where t is 0.
        origin: Vec3,
        /// Its derivative.
        along: Vec3,
    },
    /// center + cos t x + sin t y: a circle where x and y are as long as each other and perpendicular.
    Ellipse {
        /// The centre.
        center: Vec3,
        /// From the centre to t = 0.
        x: Vec3,
        /// From the centre to a quarter turn.
        y: Vec3,
    },
    /// apex + t^2 x + t y.
    Parabola {
        /// Where t is 0.
        apex: Vec3,
        /// Half the second derivative.
        x: Vec3,
        /// The first derivative at the apex.
        y: Vec3,
    },
    /// center + cosh t x + sinh t y.
    Hyperbola {
        /// The centre.
        center: Vec3,
        /// From the centre to t = 0.
        x: Vec3,
        /// The derivative at t = 0.
        y: Vec3,
    },
    /// A B-spline, rational or not.
    Spline(Nurbs),
}

/// A piece of a curve, from one parameter to another, which may be the smaller one.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is a piece of.
    pub basis: Basis,
    /// The parameter where it starts.
    pub from: f64,
    /// The parameter where it ends.
    pub to: f64,
}

impl Basis {
    /// Position and derivatives at parameter t.
    pub fn at(&self, t: f64) -> CurvePoint {
        let of = |position, first, second| CurvePoint {
            position,
            first,
            second,
        };
        match self {
            Self::Line { origin, along } => of(origin + along * t, *along, Vec3::zeros()),
            Self::Ellipse { center, x, y } => {
                let (sine, cosine) = t.sin_cos();
                let out = x * cosine + y * sine;
                of(center + out, y * cosine - x * sine, -out)
            }
            Self::Parabola { apex, x, y } => {
                of(apex + x * (t * t) + y * t, x * (2.0 * t) + y, x * 2.0)
            }
            Self::Hyperbola { center, x, y } => {
                let out = x * t.cosh() + y * t.sinh();
                of(center + out, x * t.sinh() + y * t.cosh(), out)
            }
            Self::Spline(spline) => spline.at(t),
        }
    }

    /// The range of the parameter: what is closed has one, a B-spline has one, the others have no ends.
    pub fn domain(&self) -> (f64, f64) {
        match self {
            Self::Ellipse { .. } => (0.0, TAU),
            Self::Spline(spline) => spline.domain(),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Whether it ends where it starts.
    pub fn is_closed(&self) -> bool {
        match self {
            Self::Ellipse { .. } => true,
            Self::Spline(spline) => spline.is_closed(),
            _ => false,
        }
    }

    /// The parameter of the point of the curve that is nearest to a place on it.
    pub fn parameter_of(&self, place: &Vec3) -> f64 {
        // place - center = a x + b y, for x and y that need not be perpendicular.
        let shares = |center: &Vec3, x: &Vec3, y: &Vec3| {
            let out = place - center;
            let (xx, xy, yy) = (x.dot(x), x.dot(y), y.dot(y));
            let (ox, oy) = (out.dot(x), out.dot(y));
            let determinant = xx * yy - xy * xy;
            (
                (ox * yy - oy * xy) / determinant,
                (oy * xx - ox * xy) / determinant,
            )
        };
        match self {
            Self::Line { origin, along } => (place - origin).dot(along) / along.norm_squared(),
            Self::Ellipse { center, x, y } => {
                let (a, b) = shares(center, x, y);
                b.atan2(a).rem_euclid(TAU)
            }
            Self::Parabola { apex, x, y } => shares(apex, x, y).1,
            Self::Hyperbola { center, x, y } => shares(center, x, y).1.asinh(),
            Self::Spline(spline) => spline.parameter_of(place),
        }
    }

    /// A parameter of a closed B-spline, which may count on beyond the seam, within its range; others as they are.
    fn in_domain(&self, t: f64) -> f64 {
        let (a, b) = self.domain();
        match self {
            Self::Spline(spline) if !(a..=b).contains(&t) && spline.is_closed() => {
                a + (t - a).rem_euclid(b - a)
            }
            _ => t,
        }
    }

    fn mapped(&self, place: &impl Fn(&Vec3) -> Vec3) -> Self {
        let vector = |from: &Vec3, v: &Vec3| place(&(from + v)) - place(from);
        match self {
            Self::Line { origin, along } => Self::Line {
                origin: place(origin),
                along: vector(origin, along),
            },
            Self::Ellipse { center, x, y } => Self::Ellipse {
                center: place(center),
                x: vector(center, x),
                y: vector(center, y),
            },
            Self::Parabola { apex, x, y } => Self::Parabola {
                apex: place(apex),
                x: vector(apex, x),
                y: vector(apex, y),
            },
            Self::Hyperbola { center, x, y } => Self::Hyperbola {
                center: place(center),
                x: vector(center, x),
                y: vector(center, y),
            },
            Self::Spline(spline) => Self::Spline(spline.mapped(place)),
        }
    }
}

/// Where a curve is cut off: by a point on it, by a parameter, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cut {
    /// The point.
    pub point: Option<Vec3>,
    /// The parameter.
    pub parameter: Option<f64>,
}

impl Curve {
    /// A straight line.
    pub fn line(start: Vec3, end: Vec3) -> Self {
        let along = end - start;
        let origin = start;
        Self {
            basis: Basis::Line { origin, along },
            from: 0.0,
            to: 1.0,
        }
    }

    /// The whole of a curve; it may have no ends.
    pub fn whole(basis: Basis) -> Self {
        let (from, to) = basis.domain();
        Self { basis, from, to }
    }

    /// Lines from point to point.
    pub fn polyline(points: &[Vec3]) -> Path {
        let pairs = points.windows(2).filter(|p| p[0] != p[1]);
        pairs.map(|p| Self::line(p[0], p[1])).collect()
    }

    /// The piece of a curve between two cuts, against its direction unless `forward`; two pieces where it passes the
    /// seam of a closed one. Points count more than parameters where `by_points`. The reason where there is none.
    pub fn between(
        basis: &Basis,
        cuts: [Cut; 2],
        forward: bool,
        by_points: bool,
    ) -> Result<Path, String> {
        let path = Self::cut(basis, cuts, forward, by_points);
        let path = path.filter(|p| !p.is_empty());
        let path = path.ok_or("it has no extent, or its ends are not on it")?;
        let length: f64 = path.iter().map(Self::length).sum();
        let ends = [path[0].start(), path[path.len() - 1].end()];
        let off = |(cut, end): (&Cut, &Vec3)| cut.point.map_or(0.0, |p| (p - end).norm());
        let off = cuts.iter().zip(&ends).map(off).fold(0.0, f64::max);
        if off > OFF_CURVE * length {
            return Err(off_curve(off / length));
        }
        Ok(path)
    }

    fn cut(basis: &Basis, cuts: [Cut; 2], forward: bool, by_points: bool) -> Option<Path> {
        let (a, b) = basis.domain();
        let parameter = |cut: Cut| {
            let of_point = cut.point.map(|p| basis.parameter_of(&p));
            let given = cut.parameter.map(|t| basis.in_domain(t));
            let (Some(point), Some(near), Some(given)) = (cut.point, of_point, given) else {
                return of_point.or(given);
            };
            // Some programs write parameters of their own making: a point that is elsewhere is to be believed.
            let off = |t: f64| (basis.at(t).position - point).norm();
            let wrong =
                off(given) > SAME * point.amax().max(off(near)) && 10.0 * off(near) < off(given);
            Some(if by_points || wrong { near } else { given })
        };
        let (mut from, mut to) = (parameter(cuts[0])?, parameter(cuts[1])?);
        if !from.is_finite() || !to.is_finite() {
            return None;
        }
        let piece = |from: f64, to: f64| Self {
            basis: basis.clone(),
            from,
            to,
        };
        match basis {
            Basis::Ellipse { .. } => {
                // Angles count from anywhere; the whole turn is one from an angle to itself.
                let turn = if forward { TAU } else { -TAU };
                let mut ahead = (to - from) % TAU;
                if ahead * turn <= SAME * TAU {
                    ahead += turn;
                }
                if (ahead.abs() - TAU).abs() <= SAME || ahead * turn <= SAME * TAU {
                    ahead = turn;
                }
                Some(vec![piece(from, from + ahead)])
            }
            Basis::Spline(_) => {
                let near = SAME * (b - a);
                let is_outside = |t: f64| t < a - BEYOND * (b - a) || t > b + BEYOND * (b - a);
                if is_outside(from) || is_outside(to) {
                    return None;
                }
                from = from.clamp(a, b);
                to = to.clamp(a, b);
                let goes_forward = to > from + near;
                let goes_back = to < from - near;
                if (forward && goes_forward) || (!forward && goes_back) {
                    return Some(vec![piece(from, to)]);
                }
                if !basis.is_closed() {
                    // The sense contradicts the cuts, which are what can be seen.
                    return (from != to).then(|| vec![piece(from, to)]);
                }
                let (end, start) = if forward { (b, a) } else { (a, b) };
                let pieces = [piece(from, end), piece(start, to)];
                let has_extent = |c: &Self| (c.to - c.from).abs() > near;
                Some(pieces.into_iter().filter(has_extent).collect())
            }
            _ => (from != to).then(|| vec![piece(from, to)]),
        }
    }

    /// Whether it has two ends.
    pub fn has_ends(&self) -> bool {
        self.from.is_finite() && self.to.is_finite()
    }

    /// Where it starts.
    pub fn start(&self) -> Vec3 {
        self.basis.at(self.from).position
    }

    /// Where it ends.
    pub fn end(&self) -> Vec3 {
        self.basis.at(self.to).position
    }

    /// The directions in which it starts and ends, as it runs; zero where it stands still.
    pub fn directions(&self) -> [Vec3; 2] {
        let sign = (self.to - self.from).signum();
        [self.from, self.to].map(|t| {
            let along = self.basis.at(t).first * sign;
            along.try_normalize(0.0).unwrap_or_default()
        })
    }

    /// The same, run the other way.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            basis: self.basis.clone(),
            from: self.to,
            to: self.from,
        }
    }

    /// The same, put through an affine map.
    #[must_use]
    pub fn mapped(&self, place: &impl Fn(&Vec3) -> Vec3) -> Self {
        Self {
            basis: self.basis.mapped(place),
            ..*self
        }
    }

    /// The parameters at which it is cut into smooth pieces of moderate turn, as it runs, both ends among them.
    fn breaks(&self) -> Vec<f64> {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        let even = |n: usize| -> Vec<f64> {
            let inner = (1..n).map(|i| low + (high - low) * i as f64 / n as f64);
            inner.collect()
        };
        let inner = match &self.basis {
            Basis::Line { .. } => Vec::new(),
            Basis::Parabola { .. } => even(8),
            Basis::Ellipse { .. } | Basis::Hyperbola { .. } => {
                even(((high - low) / CONIC_STEP).ceil().clamp(1.0, 1e5) as usize)
            }
            Basis::Spline(spline) => {
                let near = SAME * (high - low);
                let inside = |t: &f64| *t > low + near && *t < high - near;
                spline.breaks().filter(inside).collect()
            }
        };
        let mut all = vec![low];
        all.extend(inner);
        all.push(high);
        if self.to < self.from {
            all.reverse();
        }
        all
    }

    /// Its arc length.
    pub fn length(&self) -> f64 {
        if let Basis::Line { along, .. } = &self.basis {
            return along.norm() * (self.to - self.from).abs();
        }
        let breaks = self.breaks();
        let pairs = breaks.windows(2);
        pairs.map(|p| smooth::arc(&self.basis, p[0], p[1])).sum()
    }
}

/// A path run the other way.
pub fn reversed(path: &[Curve]) -> Path {
    path.iter().rev().map(Curve::reversed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::bspline::BSpline;

    fn circle(radius: f64) -> Basis {
        Basis::Ellipse {
            center: Vec3::new(1.0, 2.0, 3.0),
            x: Vec3::x() * radius,
            y: Vec3::z() * radius,
        }
    }

    fn cut(parameter: f64) -> Cut {
        Cut {
            parameter: Some(parameter),
            point: None,
        }
    }

    fn length(path: &[Curve]) -> f64 {
        path.iter().map(Curve::length).sum()
    }

    #[test]
    fn lengths_are_those_of_textbooks() {
        let full = Curve::whole(circle(10.0));
        assert!((full.length() - 10.0 * TAU).abs() < 1e-9);
        // Complete elliptic integral: half axes 2 and 1.
        let ellipse = Basis::Ellipse {
            center: Vec3::zeros(),
            x: Vec3::x() * 2.0,
            y: Vec3::y(),
        };
        assert!((Curve::whole(ellipse).length() - 9.688_448_220_547_675).abs() < 1e-9);
        // y^2 = 4 x from the apex to t = 1: sqrt 2 + asinh 1.
        let parabola = Curve {
            basis: Basis::Parabola {
                apex: Vec3::zeros(),
                x: Vec3::x(),
                y: Vec3::y() * 2.0,
            },
            from: 0.0,
            to: 1.0,
        };
        let expected = 2.0_f64.sqrt() + 1.0_f64.asinh();
        assert!((parabola.length() - expected).abs() < 1e-9);
    }

    #[test]
    fn cuts_of_circles_go_round_in_their_sense() {
        let basis = circle(10.0);
        for (from, to, forward, turn) in [
            (0.0, 1.0, true, 1.0),
            (1.0, 0.0, true, TAU - 1.0),
            (0.0, 1.0, false, TAU - 1.0),
            (1.0, 0.0, false, 1.0),
            (0.0, TAU, true, TAU),
            (0.5, 0.5, true, TAU),
            (-1.0, 1.0, true, 2.0),
        ] {
            let path = Curve::between(&basis, [cut(from), cut(to)], forward, false).unwrap();
            let words = format!("{from} {to} {forward}");
            assert!((length(&path) - 10.0 * turn).abs() < 1e-9, "{words}");
            let [start, end] = [path[0].start(), path[path.len() - 1].end()];
            assert!((start - basis.at(from).position).norm() < 1e-9, "{words}");
            assert!((end - basis.at(to).position).norm() < 1e-9, "{words}");
        }
    }

    #[test]
    fn cuts_of_closed_splines_count_on_beyond_the_seam() {
        let p = |x: f64, y: f64| Vec3::new(x, y, 0.0);
        let square = [p(10.0, 0.0), p(0.0, 10.0), p(-10.0, 0.0), p(0.0, -10.0)];
        let points: Vec<Vec3> = (0..7).map(|i| square[i % 4]).collect();
        let knots: Vec<f64> = (0..11).map(|i| f64::from(i) - 3.0).collect();
        let closed = Basis::Spline(Nurbs::new(3, knots, points, None).unwrap());
        let whole = Curve::whole(closed.clone()).length();
        for (from, to, part) in [(3.0, 4.5, 0.375), (-0.5, 0.5, 0.25), (3.9, 4.1, 0.05)] {
            let path = Curve::between(&closed, [cut(from), cut(to)], true, false).unwrap();
            assert!((length(&path) / whole - part).abs() < 0.02, "{from} {to}");
            let [one, other] = [from, to].map(|t| closed.at(closed.in_domain(t)).position);
            let with_points = [(from, one), (to, other)].map(|(t, point)| Cut {
                parameter: Some(t),
                point: Some(point),
            });
            let same = Curve::between(&closed, with_points, true, false).unwrap();
            assert!((length(&same) - length(&path)).abs() < 1e-9);
        }
        // An open one has nothing beyond its ends.
        let open = Basis::Spline(Nurbs::polynomial(crate::exchange::bspline::tests::sample()));
        let beyond = open.domain().1 + 1.0;
        assert!(Curve::between(&open, [cut(0.5), cut(beyond)], true, false).is_err());
    }

    #[test]
    fn a_point_counts_more_than_a_parameter_that_is_elsewhere() {
        // OpenCASCADE writes y for a parabola, where the standard says y over twice the focal length.
        let basis = Basis::Parabola {
            apex: Vec3::zeros(),
            x: Vec3::x() * 20.0,
            y: Vec3::y() * 40.0,
        };
        let cuts = [(-60.0, [45.0, -60.0, 0.0]), (80.0, [80.0, 80.0, 0.0])];
        let cuts = cuts.map(|(t, p)| Cut {
            parameter: Some(t),
            point: Some(Vec3::from(p)),
        });
        let path = Curve::between(&basis, cuts, true, false).unwrap();
        assert!((length(&path) - 196.293_962_081_269_85).abs() < 1e-8);
    }

    #[test]
    fn cuts_by_points_are_cuts_by_parameters() {
        let spline = crate::exchange::bspline::tests::sample();
        let bases = [
            circle(7.0),
            Basis::Spline(Nurbs::polynomial(spline)),
            Basis::Hyperbola {
                center: Vec3::x(),
                x: Vec3::new(2.0, 1.0, 0.0),
                y: Vec3::z(),
            },
            Basis::Parabola {
                apex: Vec3::x(),
                x: Vec3::new(2.0, 1.0, 0.0),
                y: Vec3::z(),
            },
        ];
        for basis in &bases {
            let points = [0.3, 1.7].map(|t| Cut {
                point: Some(basis.at(t).position),
                parameter: None,
            });
            let path = Curve::between(basis, points, true, true).unwrap();
            assert!((path[0].from - 0.3).abs() < 1e-6 && (path[0].to - 1.7).abs() < 1e-6);
        }
    }

    #[test]
    fn the_spline_of_a_path_is_the_path() {
        let arc = Curve {
            from: 0.2,
            to: 4.0,
            ..Curve::whole(circle(30.0))
        };
        let tangent = arc.directions()[1];
        let path = vec![
            arc.clone(),
            Curve::line(arc.end(), arc.end() + tangent * 80.0),
        ];
        let spline = spline_of(&path, 1e-6).unwrap();
        assert!((spline.length() - length(&path)).abs() < 1e-6 * length(&path));
        for t in [0.2, 0.9, 2.2, 3.9] {
            let place = arc.basis.at(t).position;
            assert!(spline.nearest(&place).1 < 2e-6);
        }
        assert!((spline.end().position - path[1].end()).norm() < 1e-9);
        // A quarter of a circle as a rational curve, and its reverse.
        let w = 0.5_f64.sqrt();
        let corner = [Vec3::x(), Vec3::x() + Vec3::y(), Vec3::y()].map(|p| p * 50.0);
        let knots = vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let quarter = Nurbs::new(2, knots, corner.to_vec(), Some(vec![1.0, w, 1.0])).unwrap();
        let quarter = Curve::whole(Basis::Spline(quarter));
        assert!((quarter.length() - 25.0 * std::f64::consts::PI).abs() < 1e-8);
        let back = spline_of(&[quarter.reversed()], 1e-6).unwrap();
        assert!((back.length() - 25.0 * std::f64::consts::PI).abs() < 1e-6);
        assert!((back.start().position - corner[2]).norm() < 1e-12);
    }

    #[test]
    fn tangent_paths_become_one_and_kinked_ones_stay_apart() {
        let p = |x: f64, y: f64| Vec3::new(x, y, 0.0);
        let paths = vec![
            vec![Curve::line(p(0.0, 0.0), p(10.0, 0.0))],
            vec![Curve::line(p(30.0, 0.0), p(10.0, 0.0))],
            vec![Curve::line(p(30.0, 0.0), p(30.0, 5.0))],
        ];
        let joined = chains(&paths);
        assert_eq!(joined.len(), 2);
        assert_eq!(joined[0].0, [0, 1]);
        assert_eq!(joined[0].1[1].end(), p(30.0, 0.0));
        // Where three meet, none goes on in another.
        let fork = vec![
            vec![Curve::line(p(0.0, 0.0), p(10.0, 0.0))],
            vec![Curve::line(p(10.0, 0.0), p(30.0, 0.0))],
            vec![Curve::line(p(10.0, 0.0), p(30.0, 0.1))],
        ];
        assert_eq!(chains(&fork).len(), 3);
    }

    #[test]
    fn plain_splines_stay_what_they_are() {
        let spline: BSpline = crate::exchange::bspline::tests::sample();
        let curve = Curve::whole(Basis::Spline(Nurbs::polynomial(spline.clone())));
        assert_eq!(spline_of(&[curve], 1e-6).unwrap(), spline);
    }
}
