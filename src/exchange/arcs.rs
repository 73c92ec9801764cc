//! Straight lines and circular arcs near a curve, for tube bending and routes of lines and arcs.
//!
//! Pieces are biarcs: two arcs that take over place and direction of the curve at both ends, and meet in one
//! direction. With v = p2 - p1, t = t1 + t2, c = t1.t2 the tangent lengths of both arcs are
//! d = v.v / (v.t + sqrt((v.t)^2 + 2 (1 - c) v.v)) (Meek1992, in space), and a piece is as long as the tolerance allows.

use super::bspline::BSpline;
use serde::{Deserialize, Serialize};

use crate::geom::Vec3;

/// Places for each span of the curve at which pieces may end.
const PLACES: usize = 24;

/// An arc that turns less than this is a line, radians: its kinks, half of that at both ends, are a tenth of what
/// receivers take for smooth.
const STRAIGHT: f64 = 1e-4;

/// Part of the tolerance that places may use: between them the curve is a little further away.
const SHARE: f64 = 0.9;

/// Neighbours on circles nearer than this are one arc, mm.
const SAME_CIRCLE: f64 = 1e-8;

/// How near lines and arcs must come to a route.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArcLimits {
    /// Largest distance between them and the curve, mm.
    pub tolerance: f64,
    /// Smallest radius of an arc, mm; 0 allows any.
    pub smallest_radius: f64,
}

impl Default for ArcLimits {
    fn default() -> Self {
        Self {
            tolerance: 0.1,
            smallest_radius: 0.0,
        }
    }
}

/// A route as lines and arcs, with the limits it was made by.
#[derive(Clone, Debug, PartialEq)]
pub struct LinesAndArcs {
    /// One after the other, each beginning where the last ends.
    pub elements: Vec<Element>,
    /// What they keep.
    pub limits: ArcLimits,
}

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
        "it needs an arc of {radius:.2} mm at {at:.1} mm from its start (x {:.1}, y {:.1}, z {:.1}), the smallest \
         allowed is {allowed:.2} mm; route it wider there, or allow a smaller radius or a larger tolerance",
        place.x, place.y, place.z
    )]
    TooTight {
        /// Arc length, mm.
        at: f64,
        /// Where that is, mm.
        place: Vec3,
        /// The radius needed there, mm.
        radius: f64,
        /// The smallest allowed, mm.
        allowed: f64,
    },
    /// Limits that no curve can keep.
    #[error(
        "lines and arcs need a tolerance of at least {SMALLEST_TOLERANCE} mm and a smallest radius that is not \
         negative, not {tolerance} and {radius} mm"
    )]
    Limits {
        /// The tolerance, mm.
        tolerance: f64,
        /// The smallest radius, mm.
        radius: f64,
    },
}

/// Tolerance below which arcs would outnumber the digits of receivers, mm.
pub const SMALLEST_TOLERANCE: f64 = 1e-4;

impl Element {
    /// Where it starts, mm.
    pub fn start(&self) -> Vec3 {
        match self {
            Self::Line { start, .. } | Self::Arc { start, .. } => *start,
        }
    }

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

    /// The place at a part of its length, 0 to 1; start and end are theirs to the last bit.
    pub fn at(&self, part: f64) -> Vec3 {
        if part <= 0.0 || part >= 1.0 {
            return if part <= 0.0 {
                self.start()
            } else {
                self.end()
            };
        }
        match self {
            Self::Line { start, end } => start + (end - start) * part,
            Self::Arc {
                start,
                center,
                axis,
                angle,
                ..
            } => {
                let x = start - center;
                let turn = angle * part;
                center + x * turn.cos() + axis.cross(&x) * turn.sin()
            }
        }
    }

    /// The same element run through from its end to its start.
    #[must_use]
    pub fn reversed(&self) -> Self {
        match *self {
            Self::Line { start, end } => Self::Line {
                start: end,
                end: start,
            },
            Self::Arc {
                start,
                end,
                center,
                axis,
                angle,
            } => Self::Arc {
                start: end,
                end: start,
                center,
                axis: -axis,
                angle,
            },
        }
    }

    /// The element with every point put through a motion, a mirror or a change of unit.
    #[must_use]
    pub fn mapped(&self, place: impl Fn(&Vec3) -> Vec3) -> Self {
        match self {
            Self::Line { start, end } => Self::Line {
                start: place(start),
                end: place(end),
            },
            Self::Arc {
                start,
                end,
                center,
                axis,
                angle,
            } => {
                let origin = place(center);
                let out = start - center;
                let turned = place(&(center + axis * out.norm())) - origin;
                let [x, y] = [out, axis.cross(&out)].map(|v| place(&(center + v)) - origin);
                // A mirror turns the sense round.
                let turned = turned * x.cross(&y).dot(&turned).signum();
                Self::Arc {
                    start: place(start),
                    end: place(end),
                    center: origin,
                    axis: turned.try_normalize(0.0).unwrap_or(*axis),
                    angle: *angle,
                }
            }
        }
    }

    /// One element in the place of this and the next, where they lie on one line or circle.
    fn merged(&self, next: &Self) -> Option<Self> {
        match (self, next) {
            (Self::Line { start, .. }, Self::Line { end, .. }) => {
                let turn = self.directions()[1].angle(&next.directions()[0]);
                (turn <= 1e-3 * STRAIGHT).then_some(Self::Line {
                    start: *start,
                    end: *end,
                })
            }
            (
                Self::Arc {
                    start,
                    center,
                    axis,
                    angle,
                    ..
                },
                Self::Arc {
                    end,
                    center: next_center,
                    axis: next_axis,
                    angle: next_angle,
                    ..
                },
            ) => {
                let angle = angle + next_angle;
                let apart =
                    (center - next_center).norm() + (axis - next_axis).norm() * self.radius();
                (apart <= SAME_CIRCLE && angle < std::f64::consts::PI).then_some(Self::Arc {
                    start: *start,
                    end: *end,
                    center: *center,
                    axis: *axis,
                    angle,
                })
            }
            _ => None,
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

impl LinesAndArcs {
    /// Their length together, mm.
    pub fn length(&self) -> f64 {
        self.elements.iter().map(Element::length).sum()
    }
}

/// Lines and arcs within the tolerance of a curve, one after the other in one direction, none with a smaller radius
/// than allowed.
pub fn lines_and_arcs(curve: &BSpline, limits: ArcLimits) -> Result<LinesAndArcs, ArcsError> {
    let ArcLimits {
        tolerance,
        smallest_radius,
    } = limits;
    if !(tolerance >= SMALLEST_TOLERANCE && smallest_radius >= 0.0 && smallest_radius.is_finite())
        || tolerance.is_infinite()
    {
        return Err(ArcsError::Limits {
            tolerance,
            radius: smallest_radius,
        });
    }
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
            let near = |p: &(Vec3, Vec3)| {
                pair[0].distance(&p.0).min(pair[1].distance(&p.0)) <= SHARE * tolerance
            };
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
            let needed = biarc(&places[from], &places[from + 1]);
            let radii = needed.iter().flatten().map(Element::radius);
            return Err(ArcsError::TooTight {
                at: curve.length_between(at[0], at[from]),
                place: places[from].0,
                radius: radii.fold(1.0 / curve.at(at[from]).curvature(), f64::min),
                allowed: smallest_radius,
            });
        };
        for element in pair {
            match elements
                .last()
                .and_then(|last: &Element| last.merged(&element))
            {
                Some(one) => {
                    elements.pop();
                    elements.push(one);
                }
                None => elements.push(element),
            }
        }
        from += good.max(1);
    }
    Ok(LinesAndArcs { elements, limits })
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

    fn arcs_of(
        curve: &BSpline,
        tolerance: f64,
        smallest_radius: f64,
    ) -> Result<Vec<Element>, ArcsError> {
        let limits = ArcLimits {
            tolerance,
            smallest_radius,
        };
        lines_and_arcs(curve, limits).map(|all| all.elements)
    }

    #[test]
    fn arcs_follow_the_curve_in_one_direction() {
        let curve = sample();
        let elements = arcs_of(&curve, 0.1, 20.0).unwrap();
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
            assert!(near <= 0.1, "{near}");
        }
        let length: f64 = elements.iter().map(Element::length).sum();
        assert!((length - curve.length()).abs() < 0.2, "{length}");
        assert!(elements.iter().all(|e| e.radius() >= 20.0));
        let finer = arcs_of(&curve, 0.001, 20.0).unwrap();
        assert!(finer.len() > elements.len());
    }

    #[test]
    fn a_bend_sharper_than_the_tool_is_named() {
        let error = arcs_of(&sample(), 0.01, 55.0).unwrap_err();
        let ArcsError::TooTight { at, radius, .. } = error else {
            panic!("{error}")
        };
        assert!(radius < 55.0 && at > 0.0, "{error}");
    }

    #[test]
    fn a_line_is_lines() {
        let knots = vec![0.0, 0.0, 10.0, 10.0];
        let line = BSpline::new(1, knots, vec![Vec3::zeros(), Vec3::x() * 10.0]).unwrap();
        let elements = arcs_of(&line, 0.01, 1.0).unwrap();
        let whole = Element::Line {
            start: Vec3::zeros(),
            end: Vec3::x() * 10.0,
        };
        assert_eq!(elements, [whole]);
    }

    #[test]
    fn an_element_moves_as_a_whole() {
        for element in arcs_of(&sample(), 0.1, 0.0).unwrap() {
            let out = |p: &Vec3| Vec3::new(p.x, p.z, -p.y) / 25.4;
            let moved = element.mapped(out);
            assert!((moved.length() * 25.4 - element.length()).abs() < 1e-9);
            for i in 0..=8 {
                let part = f64::from(i) / 8.0;
                assert!((moved.at(part) - out(&element.at(part))).norm() < 1e-12);
                assert!(element.distance(&element.at(part)) < 1e-9);
            }
        }
    }

    #[test]
    fn limits_that_make_no_sense_are_refused() {
        for (tolerance, radius) in [(0.0, 1.0), (f64::NAN, 1.0), (0.1, -1.0), (0.1, f64::NAN)] {
            let error = arcs_of(&sample(), tolerance, radius).unwrap_err();
            assert!(matches!(error, ArcsError::Limits { .. }), "{error}");
        }
    }
}
