//! What a writer is told and what a reader finds, the same for all formats.

use super::arcs::{ArcsError, Element, LinesAndArcs};
use super::bspline::{BSpline, BSplineError};
use super::curve::{Basis, Curve, Nurbs, Path};
use super::fold::Fold;
use super::network::Network;
use super::remark::Facts;
use super::route::Route;
use super::sample::Fineness;
use super::unit::Convention;
use crate::geom::Vec3;
use crate::text::shortened;

/// What a writer needs besides the routes.
#[derive(Clone, Debug, PartialEq)]
pub struct Target<'a> {
    /// Unit and axes of the file.
    pub convention: Convention,
    /// The file's name, for headers.
    pub file_name: &'a str,
    /// What the routes are together: the root of an assembly.
    pub title: &'a str,
    /// When it is written.
    pub stamp: Stamp,
    /// How finely points and triangles follow the curve.
    pub fineness: Fineness,
}

/// A route and its name in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry<'a> {
    /// The route, in mm.
    pub route: &'a Route,
    /// Its name by the rule of the format.
    pub name: &'a str,
    /// Its lines and arcs, where these are written in the place of the curve.
    pub arcs: Option<&'a LinesAndArcs>,
}

/// What a writer is given: routes, each with its name in the file, and the harness they are.
pub type Entries<'a> = Network<Entry<'a>>;

/// A date and time of day, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The year.
    pub year: i64,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
    /// Seconds since midnight.
    pub second: u32,
}

impl Stamp {
    /// That many seconds after the start of 1970, UTC.
    ///
    /// Days to a date of the Gregorian calendar, with years that begin in March (Hinnant2013).
    pub fn from_unix(seconds: u64) -> Self {
        let days = (seconds / 86_400) as i64 + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month = (5 * day_of_year + 2) / 153;
        Self {
            year: year_of_era + era * 400 + i64::from(month >= 10),
            month: if month < 10 { month + 3 } else { month - 9 } as u32,
            day: (day_of_year - (153 * month + 2) / 5 + 1) as u32,
            second: (seconds % 86_400) as u32,
        }
    }

    /// Hour, minute, second.
    pub fn clock(&self) -> (u32, u32, u32) {
        (self.second / 3600, self.second / 60 % 60, self.second % 60)
    }
}

/// What a reader found: routes and their harness in the unit and axes of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// How many mm the file's unit is; `None` where the format does not say.
    pub unit_in_mm: Option<f64>,
    /// The routes, in the order of the file, and what the file says of their harness.
    pub network: Network<FoundRoute>,
    /// What was assumed or left out on purpose, for the user.
    pub notes: Vec<String>,
    /// Curves that could not be read, each with its name and the reason: the file gave less than it holds.
    pub lost: Vec<String>,
}

impl Contents {
    /// Nothing found yet.
    pub fn new(unit_in_mm: Option<f64>) -> Self {
        Self {
            unit_in_mm,
            network: Network::default(),
            notes: Vec::new(),
            lost: Vec::new(),
        }
    }
}

/// A route of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRoute {
    /// Its name in the file, if it has one.
    pub name: Option<String>,
    /// Its shape, in the unit of the file.
    pub shape: FoundShape,
    /// Its radius, if the file says it, in the unit of the file.
    pub radius: Option<f64>,
    /// What else the file says of it, if it is one of ours.
    pub facts: Option<Facts>,
}

impl FoundRoute {
    /// A route of that name of which nothing else is known yet.
    pub fn named(name: Option<String>) -> Self {
        Self {
            name,
            shape: FoundShape::Points(Vec::new()),
            radius: None,
            facts: None,
        }
    }
}

/// The shape of a route of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum FoundShape {
    /// A curve.
    Spline(BSpline),
    /// Lines and arcs, one after the other.
    Elements(Vec<Element>),
    /// Curves of any kind, one after the other.
    Path(Path),
    /// Points on it, in order.
    Points(Vec<Vec3>),
    /// Points on the skin of a tube around it.
    Skin(Vec<Vec3>),
    /// Triangles of a tube around it.
    Mesh {
        /// Vertices.
        vertices: Vec<Vec3>,
        /// Corners of each triangle.
        triangles: Vec<[u32; 3]>,
    },
}

impl FoundShape {
    /// The plainest shape of a path: a polynomial B-spline, lines and arcs, or what it is.
    pub fn of_path(path: &[Curve]) -> Self {
        if let [curve] = path
            && let Basis::Spline(spline) = &curve.basis
            && (curve.from, curve.to) == spline.domain()
            && let Some(polynomial) = spline.as_polynomial()
        {
            return Self::Spline(polynomial.clone());
        }
        let elements: Option<Vec<Vec<Element>>> = path.iter().map(elements_of).collect();
        match elements {
            Some(elements) if !path.is_empty() => Self::Elements(elements.concat()),
            _ => Self::Path(path.to_vec()),
        }
    }

    /// Where it starts (0) or ends (1); `None` for tubes and where there is nothing.
    pub fn end(&self, which: usize) -> Option<Vec3> {
        let [first, last] = match self {
            Self::Spline(curve) => [curve.start().position, curve.end().position],
            Self::Elements(elements) => {
                let path = [elements.first()?, elements.last()?].map(curve_of);
                [path[0].start(), path[1].end()]
            }
            Self::Path(path) => [path.first()?.start(), path.last()?.end()],
            Self::Points(points) => [*points.first()?, *points.last()?],
            Self::Skin(_) | Self::Mesh { .. } => return None,
        };
        Some(if which == 0 { first } else { last })
    }

    /// The curves that it is; `None` for points and tubes.
    pub fn path(&self) -> Option<Path> {
        match self {
            Self::Spline(curve) => {
                let spline = Nurbs::polynomial(curve.clone());
                Some(vec![Curve::whole(Basis::Spline(spline))])
            }
            Self::Elements(elements) => Some(elements.iter().map(curve_of).collect()),
            Self::Path(path) => Some(path.clone()),
            Self::Points(_) | Self::Skin(_) | Self::Mesh { .. } => None,
        }
    }

    /// Length of the curve or of the chain of points, in the unit of the file; `None` for tubes.
    pub fn length(&self) -> Option<f64> {
        match self {
            Self::Spline(curve) => Some(curve.length()),
            Self::Elements(elements) => Some(elements.iter().map(Element::length).sum()),
            Self::Path(path) => Some(path.iter().map(Curve::length).sum()),
            Self::Points(points) => Some(points.windows(2).map(|p| (p[1] - p[0]).norm()).sum()),
            Self::Skin(_) | Self::Mesh { .. } => None,
        }
    }

    /// The shape with every point put through an affine map.
    #[must_use]
    pub fn mapped(&self, place: impl Fn(&Vec3) -> Vec3) -> Self {
        let all = |points: &[Vec3]| points.iter().map(&place).collect();
        match self {
            Self::Spline(curve) => Self::Spline(curve.mapped(&place)),
            Self::Elements(elements) => {
                Self::Elements(elements.iter().map(|e| e.mapped(&place)).collect())
            }
            Self::Path(path) => Self::Path(path.iter().map(|c| c.mapped(&place)).collect()),
            Self::Points(points) => Self::Points(all(points)),
            Self::Skin(points) => Self::Skin(all(points)),
            Self::Mesh {
                vertices,
                triangles,
            } => Self::Mesh {
                vertices: all(vertices),
                triangles: triangles.clone(),
            },
        }
    }
}

/// A line or a circular arc as elements, arcs in pieces of less than half a turn; `None` for other curves.
fn elements_of(curve: &Curve) -> Option<Vec<Element>> {
    match &curve.basis {
        Basis::Line { .. } => Some(vec![Element::Line {
            start: curve.start(),
            end: curve.end(),
        }]),
        Basis::Ellipse { center, x, y } => {
            let radius = x.norm();
            let is_round = (y.norm() - radius).abs() <= 1e-12 * radius
                && x.dot(y).abs() <= 1e-12 * radius * radius;
            let turn = curve.to - curve.from;
            let axis = x.cross(y).try_normalize(0.0)? * turn.signum();
            let n = (turn.abs() / std::f64::consts::PI).floor() as usize + 1;
            let n = if n > 1 { n.max(3) } else { 1 };
            let place = |k: usize| {
                let t = curve.from + turn * k as f64 / n as f64;
                curve.basis.at(t).position
            };
            let piece = |k: usize| Element::Arc {
                start: place(k),
                end: place(k + 1),
                center: *center,
                axis,
                angle: turn.abs() / n as f64,
            };
            is_round.then(|| (0..n).map(piece).collect())
        }
        _ => None,
    }
}

/// An element as a curve.
fn curve_of(element: &Element) -> Curve {
    match element {
        Element::Line { start, end } => Curve::line(*start, *end),
        Element::Arc {
            start,
            center,
            axis,
            angle,
            ..
        } => {
            let x = start - center;
            let y = axis.cross(&x);
            Curve {
                basis: Basis::Ellipse {
                    center: *center,
                    x,
                    y,
                },
                from: 0.0,
                to: *angle,
            }
        }
    }
}

/// Why a file cannot be written in a format.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WriteError {
    /// The format knows another unit only.
    #[error(
        "{format} files are in {unit} by their standard; export without --unit, or choose another format"
    )]
    Unit {
        /// The format.
        format: &'static str,
        /// Its unit.
        unit: &'static str,
    },
    /// The format knows other axes only.
    #[error(
        "{format} files have Y up by their standard; export without --axes, or choose another format"
    )]
    Axes {
        /// The format.
        format: &'static str,
    },
    /// The format holds no lines and arcs.
    #[error(
        "{format} files hold no lines and arcs; export to step, iges or json, or leave --form lines-arcs out"
    )]
    NoArcs {
        /// The format.
        format: &'static str,
    },
    /// A route cannot be made of lines and arcs.
    #[error("\"{name}\" cannot be made of lines and arcs: {reason}")]
    Arcs {
        /// The route.
        name: String,
        /// Why.
        reason: ArcsError,
    },
    /// A tube that would fold into itself.
    #[error(
        "the tube of \"{name}\" would fold: {fold}; route it wider there, or export the centerline (--format step)"
    )]
    Folds {
        /// The route.
        name: String,
        /// Where.
        fold: Fold,
    },
    /// The skin of a tube could not be made exact enough.
    #[error(
        "the skin of \"{name}\" is {error:.4} mm off at best; export the centerline (--format step)"
    )]
    Skin {
        /// The route.
        name: String,
        /// Largest error, mm.
        error: f64,
    },
    /// A number or shape that no format takes; our bug.
    #[error("\"{name}\" cannot be written: {reason}")]
    Shape {
        /// The route.
        name: String,
        /// Why.
        reason: String,
    },
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReadError {
    /// Something is wrong at a line.
    #[error("line {line}: {what}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// Something is wrong as a whole.
    #[error("{0}")]
    Whole(String),
    /// A curve makes no sense.
    #[error("curve {name}: {reason}")]
    Curve {
        /// Its name or number.
        name: String,
        /// Why.
        reason: BSplineError,
    },
}

impl ReadError {
    /// Trouble at a line.
    pub fn line(line: usize, what: impl Into<String>) -> Self {
        Self::Line {
            line,
            what: shortened(&what.into()),
        }
    }

    /// Trouble as a whole.
    pub fn whole(what: impl Into<String>) -> Self {
        Self::Whole(shortened(&what.into()))
    }
}

/// A finite number of a text, with a point and no grouping whatever the locale.
pub fn number(text: &str, line: usize) -> Result<f64, ReadError> {
    let value: Result<f64, _> = text.trim().parse();
    match value {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(ReadError::line(
            line,
            format!("\"{}\" is no number", text.trim()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_dates() {
        let stamp = Stamp::from_unix(1_709_210_096);
        assert_eq!((stamp.year, stamp.month, stamp.day), (2024, 2, 29));
        assert_eq!(stamp.clock(), (12, 34, 56));
        let first = Stamp::from_unix(0);
        assert_eq!((first.year, first.month, first.day), (1970, 1, 1));
    }
}
