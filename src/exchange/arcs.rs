//! Straight lines and circular arcs near a curve, for tube bending and routes of lines and arcs.
//!
//! Pieces are biarcs: two arcs that take over place and direction of the curve at both ends, and meet in one
//! direction. With v = p2 - p1, t = t1 + t2, c = t1.t2 the tangent lengths of both arcs are
//! d = v.v / (v.t + sqrt((v.t)^2 + 2 (1 - c) v.v)) (Meek1992, in space), and a piece is as long as the tolerance allows.

use super::bspline::BSpline;
use crate::geom::Vec3;

/// Places for each span of the curve at which pieces may end.
const PLACES: usize = 24;

/// An arc that turns less than this is a line, radians.
const STRAIGHT: f64 = 1e-7;

/// A line or an arc, from where the last one ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Element {
    /// A straight line.
    Line {
        /// Where it starts, mm.
        start: Vec3,
        /// Where it ends, mm.
        end: Vec3,
    },
    /// A circular arc of less than half a turn.
    Arc {
        /// Where it starts, mm.
        start: Vec3,
        /// Where it ends, mm.
        end: Vec3,
        /// Its centre, mm.
        center: Vec3,
        /// Unit axis; it goes counter-clockwise about that.
        axis: Vec3,
        /// Its angle, radians.
        angle: f64,
    },
}

/// Why a curve cannot be bent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArcsError {
    /// It bends more sharply than the tool.
    #[error(
        "the route bends with a radius of {radius:.2} mm at {at:.1} mm from its start, the smallest allowed is {allowed:.2} mm"
    )]
    TooTight {
        /// Arc length, mm.
        at: f64,
        /// Its radius there, mm.
        radius: f64,
        /// The smallest allowed, mm.
        allowed: f64,
    },
}

impl Element {
    /// Where it ends, mm.
    pub fn end(&self) -> Vec3 {
        match self {
            Self::Line { end, .. } | Self::Arc { end, .. } => *end,
        }
    }

    /// Its radius, mm; infinite for a line.
    pub fn radius(&self) -> f64 {
        match self {
            Self::Line { .. } => f64::INFINITY,
            Self::Arc { start, center, .. } => (start - center).norm(),
        }
    }

    /// Its length, mm.
    pub fn length(&self) -> f64 {
        match self {
            Self::Line { start, end } => (end - start).norm(),
            Self::Arc { angle, .. } => angle * self.radius(),
        }
    }

    /// Unit directions at start and end.
    pub fn directions(&self) -> [Vec3; 2] {
        match self {
            Self::Line { start, end } => [(end - start).normalize(); 2],
            Self::Arc {
                start,
                end,
                center,
                axis,
                ..
            } => [start, end].map(|p| axis.cross(&(p - center)).normalize()),
        }
    }

    /// Distance of a place from it, mm.
    pub fn distance(&self, place: &Vec3) -> f64 {
        match self {
            Self::Line { start, end } => {
                let along = end - start;
                let part = (place - start).dot(&along) / along.norm_squared();
                (start + along * part.clamp(0.0, 1.0) - place).norm()
            }
            Self::Arc {
                start,
                end,
                center,
                axis,
                angle,
            } => {
                let x = (start - center).normalize();
                let y = axis.cross(&x);
                let from_center = place - center;
                let at = from_center.dot(&y).atan2(from_center.dot(&x));
                if (0.0..=*angle).contains(&at) {
                    let on = center + (x * at.cos() + y * at.sin()) * self.radius();
                    (on - place).norm()
                } else {
                    (start - place).norm().min((end - place).norm())
                }
            }
        }
    }

    /// The arc from a place and direction, by the length `d` of its tangents and its direction at the end.
    fn arc(start: Vec3, direction: &Vec3, d: f64, end_direction: &Vec3, end: Vec3) -> Self {
        let axis = direction.cross(end_direction);
        let angle = axis.norm().atan2(direction.dot(end_direction));
        let Some(axis) = axis.try_normalize(0.0).filter(|_| angle > STRAIGHT) else {
            return Self::Line { start, end };
        };
        let radius = d / (0.5 * angle).tan();
        Self::Arc {
            start,
            end,
            center: start + axis.cross(direction) * radius,
            axis,
            angle,
        }
    }
}

/// Lines and arcs within `tolerance` of a curve, one after the other in one direction, none with a smaller radius
/// than `smallest_radius`.
pub fn lines_and_arcs(
    curve: &BSpline,
    tolerance: f64,
    smallest_radius: f64,
) -> Result<Vec<Element>, ArcsError> {
    let mut at: Vec<f64> = Vec::new();
    for (a, b) in curve.spans() {
        at.extend((0..PLACES).map(|i| a + (b - a) * i as f64 / PLACES as f64));
    }
    at.push(curve.domain().1);
    let places: Vec<(Vec3, Vec3)> = at
        .iter()
        .map(|&t| {
            let place = curve.at(t);
            (place.position, place.tangent().unwrap_or_else(Vec3::x))
        })
        .collect();
    let fits = |from: usize, to: usize| {
        biarc(&places[from], &places[to]).filter(|pair| {
            let near =
                |p: &(Vec3, Vec3)| pair[0].distance(&p.0).min(pair[1].distance(&p.0)) <= tolerance;
            pair.iter().all(|e| e.radius() >= smallest_radius) && places[from..to].iter().all(near)
        })
    };
    let mut elements = Vec::new();
    let mut from = 0;
    while from + 1 < places.len() {
        // Twice as far while it fits, then bisect.
        let mut good = 0;
        let mut bad = 2;
        while from + bad < places.len() && fits(from, from + bad).is_some() {
            good = bad;
            bad *= 2;
        }
        bad = bad.min(places.len() - from);
        while bad - good > 1 {
            let middle = usize::midpoint(good, bad);
            if fits(from, from + middle).is_some() {
                good = middle;
            } else {
                bad = middle;
            }
        }
        let Some(pair) = fits(from, from + good.max(1)) else {
            return Err(ArcsError::TooTight {
                at: curve.length_between(at[0], at[from]),
                radius: 1.0 / curve.at(at[from]).curvature(),
                allowed: smallest_radius,
            });
        };
        elements.extend(pair);
        from += good.max(1);
    }
    Ok(elements)
}

/// Two arcs between two places with their directions; `None` where they would turn by half a turn or more.
fn biarc((p1, t1): &(Vec3, Vec3), (p2, t2): &(Vec3, Vec3)) -> Option<[Element; 2]> {
    let v = p2 - p1;
    let along = v.dot(&(t1 + t2));
    let square = v.norm_squared();
    let root = (along * along + 2.0 * (1.0 - t1.dot(t2)).max(0.0) * square).sqrt();
    if along <= 0.0 || along + root <= 0.0 {
        return None;
    }
    let d = square / (along + root);
    let (q1, q2) = (p1 + t1 * d, p2 - t2 * d);
    let middle_direction = (q2 - q1).try_normalize(0.0)?;
    if t1.dot(&middle_direction) <= 0.0 || t2.dot(&middle_direction) <= 0.0 {
        return None;
    }
    let middle = (q1 + q2) * 0.5;
    Some([
        Element::arc(*p1, t1, d, &middle_direction, middle),
        Element::arc(middle, &middle_direction, d, t2, *p2),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::bspline::tests::sample;
    use super::*;

    #[test]
    fn arcs_follow_the_curve_in_one_direction() {
        let curve = sample();
        let elements = lines_and_arcs(&curve, 0.1, 20.0).unwrap();
        assert!((4..40).contains(&elements.len()), "{}", elements.len());
        assert_eq!(elements[elements.len() - 1].end(), curve.end().position);
        for pair in elements.windows(2) {
            let turn = pair[0].directions()[1].angle(&pair[1].directions()[0]);
            assert!(turn < 1e-6, "{turn}");
        }
        for i in 0..=500 {
            let place = curve.at(f64::from(i) * 0.004).position;
            let near = elements
                .iter()
                .map(|e| e.distance(&place))
                .fold(f64::INFINITY, f64::min);
            assert!(near <= 0.11, "{near}");
        }
        let length: f64 = elements.iter().map(Element::length).sum();
        assert!((length - curve.length()).abs() < 0.2, "{length}");
        assert!(elements.iter().all(|e| e.radius() >= 20.0));
        let finer = lines_and_arcs(&curve, 0.001, 20.0).unwrap();
        assert!(finer.len() > elements.len());
    }

    #[test]
    fn a_bend_sharper_than_the_tool_is_named() {
        let error = lines_and_arcs(&sample(), 0.01, 55.0).unwrap_err();
        let ArcsError::TooTight { at, radius, .. } = error;
        assert!(radius < 60.0 && at > 0.0, "{error}");
    }

    #[test]
    fn a_line_is_lines() {
        let knots = vec![0.0, 0.0, 10.0, 10.0];
        let line = BSpline::new(1, knots, vec![Vec3::zeros(), Vec3::x() * 10.0]).unwrap();
        let elements = lines_and_arcs(&line, 0.01, 1.0).unwrap();
        assert!(elements.iter().all(|e| matches!(e, Element::Line { .. })));
        assert_eq!(elements[elements.len() - 1].end(), Vec3::x() * 10.0);
    }
}
