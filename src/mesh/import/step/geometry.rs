//! Curves and surfaces of a STEP file (ISO 10303-42).

use super::entities::{Entities, number, reference, references};
use crate::geom::Vec3;
use crate::mesh::tessellate::{Curve, Frame, Knots, NurbsCurve, NurbsSurface, Surface};
use crate::part21::{Instance, Value};

/// Curves inside curves and surfaces inside surfaces that are followed.
const DEEPEST: usize = 8;
/// Control points that a spline may have.
const MOST_POINTS: usize = 4_000_000;

/// Reads geometry in one system of units.
#[derive(Clone, Copy)]
pub struct Geometry<'a> {
    /// The file.
    pub entities: &'a Entities<'a>,
    /// What a length is multiplied with.
    pub scale: f64,
    /// What an angle is multiplied with to be in radians.
    pub angle: f64,
}

impl Geometry<'_> {
    /// A point.
    pub fn point(&self, number: u64) -> Option<Vec3> {
        let p = self.entities.point(number)? * self.scale;
        p.iter().all(|c| c.abs() < 1e9).then_some(p)
    }

    /// A curve, or what is wrong with it.
    pub fn curve(&self, id: u64) -> Result<Curve, String> {
        self.curve_at(id, 0)
    }

    fn bad(&self, id: u64) -> String {
        format!("#{id} ({}) cannot be read", self.entities.kind(id))
    }

    fn frame(&self, values: &[Value]) -> Option<Frame> {
        self.entities.placement(reference(values, 1)?, self.scale)
    }

    fn length(&self, values: &[Value], i: usize) -> Option<f64> {
        let length = number(values, i)? * self.scale;
        (length > 0.0 && length < 1e12).then_some(length)
    }

    fn curve_at(&self, id: u64, depth: usize) -> Result<Curve, String> {
        let bad = || self.bad(id);
        if depth > DEEPEST {
            return Err(bad());
        }
        let instance = self.entities.get(id).ok_or_else(bad)?;
        if is_spline(instance, "CURVE") {
            return self.spline_curve(instance).ok_or_else(bad);
        }
        let (keyword, values) = self.entities.first(id).ok_or_else(bad)?;
        match keyword {
            "LINE" => self.line(values),
            "CIRCLE" => self.conic(values, 2, 2),
            "ELLIPSE" => self.conic(values, 2, 3),
            "HYPERBOLA" => (|| {
                Some(Curve::Hyperbola {
                    frame: self.frame(values)?,
                    a: self.length(values, 2)?,
                    b: self.length(values, 3)?,
                })
            })(),
            "PARABOLA" => (|| {
                Some(Curve::Parabola {
                    frame: self.frame(values)?,
                    focal: self.length(values, 2)?,
                })
            })(),
            "POLYLINE" => {
                let points: Option<Vec<Vec3>> = references(values, 1)
                    .into_iter()
                    .map(|p| self.point(p))
                    .collect();
                points.filter(|p| p.len() > 1).map(Curve::Polyline)
            }
            "TRIMMED_CURVE"
            | "SURFACE_CURVE"
            | "SEAM_CURVE"
            | "INTERSECTION_CURVE"
            | "BOUNDED_SURFACE_CURVE" => {
                let basis = reference(values, 1).ok_or_else(bad)?;
                return self.curve_at(basis, depth + 1);
            }
            _ => {
                // A complex instance may hold a surface curve among other records.
                let basis = instance
                    .record("SURFACE_CURVE")
                    .or_else(|| instance.record("TRIMMED_CURVE"));
                let basis = basis.and_then(|r| r.iter().find_map(Value::reference));
                return self.curve_at(basis.ok_or_else(bad)?, depth + 1);
            }
        }
        .ok_or_else(bad)
    }

    fn line(&self, values: &[Value]) -> Option<Curve> {
        let origin = self.point(reference(values, 1)?)?;
        let vector = self.entities.record(reference(values, 2)?, "VECTOR")?;
        let direction = self
            .entities
            .direction(reference(vector, 1)?)?
            .try_normalize(0.0)?;
        Some(Curve::Line { origin, direction })
    }

    fn conic(&self, values: &[Value], a: usize, b: usize) -> Option<Curve> {
        Some(Curve::Ellipse {
            frame: self.frame(values)?,
            a: self.length(values, a)?,
            b: self.length(values, b)?,
        })
    }

    /// A surface, or what is wrong with it.
    pub fn surface(&self, id: u64) -> Result<Surface, String> {
        self.surface_at(id, 0)
    }

    fn surface_at(&self, id: u64, depth: usize) -> Result<Surface, String> {
        let bad = || self.bad(id);
        if depth > DEEPEST {
            return Err(bad());
        }
        let instance = self.entities.get(id).ok_or_else(bad)?;
        if is_spline(instance, "SURFACE") {
            return self
                .spline_surface(instance)
                .map(Surface::Nurbs)
                .ok_or_else(bad);
        }
        let (keyword, values) = self.entities.first(id).ok_or_else(bad)?;
        match keyword {
            "SURFACE_OF_LINEAR_EXTRUSION" => {
                let curve = self.curve_at(reference(values, 1).ok_or_else(bad)?, depth + 1)?;
                self.extrusion(curve, values)
            }
            "SURFACE_OF_REVOLUTION" => {
                let curve = self.curve_at(reference(values, 1).ok_or_else(bad)?, depth + 1)?;
                let axis =
                    reference(values, 2).and_then(|a| self.entities.placement(a, self.scale));
                axis.map(|frame| Surface::Revolution { curve, frame })
            }
            "OFFSET_SURFACE" => {
                let base = self.surface_at(reference(values, 1).ok_or_else(bad)?, depth + 1)?;
                number(values, 2).map(|distance| Surface::Offset {
                    base: Box::new(base),
                    distance: distance * self.scale,
                })
            }
            "RECTANGULAR_TRIMMED_SURFACE" | "CURVE_BOUNDED_SURFACE" => {
                return self.surface_at(reference(values, 1).ok_or_else(bad)?, depth + 1);
            }
            _ => self.elementary(keyword, values),
        }
        .ok_or_else(bad)
    }

    fn elementary(&self, keyword: &str, values: &[Value]) -> Option<Surface> {
        let frame = || self.frame(values);
        Some(match keyword {
            "PLANE" => Surface::Plane(frame()?),
            "CYLINDRICAL_SURFACE" => Surface::Cylinder {
                frame: frame()?,
                radius: self.length(values, 2)?,
            },
            "CONICAL_SURFACE" => {
                let radius = number(values, 2)? * self.scale;
                let slope = (number(values, 3)? * self.angle).tan();
                if !(0.0..1e12).contains(&radius) || !(slope.abs() < 1e6) {
                    return None;
                }
                // A cone without slope is a cylinder.
                if slope.abs() < 1e-9 {
                    Surface::Cylinder {
                        frame: frame()?,
                        radius,
                    }
                } else {
                    Surface::Cone {
                        frame: frame()?,
                        radius,
                        slope,
                    }
                }
            }
            "SPHERICAL_SURFACE" => Surface::Sphere {
                frame: frame()?,
                radius: self.length(values, 2)?,
            },
            "TOROIDAL_SURFACE" | "DEGENERATE_TOROIDAL_SURFACE" => Surface::Torus {
                frame: frame()?,
                major: number(values, 2)
                    .map(|r| r * self.scale)
                    .filter(|r| r.abs() < 1e12)?,
                minor: self.length(values, 3)?,
            },
            _ => return None,
        })
    }

    fn extrusion(&self, curve: Curve, values: &[Value]) -> Option<Surface> {
        let vector = self.entities.record(reference(values, 2)?, "VECTOR")?;
        let direction = self
            .entities
            .direction(reference(vector, 1)?)?
            .try_normalize(0.0)?;
        Some(Surface::Extrusion {
            curve,
            vector: direction,
        })
    }

    fn spline_curve(&self, instance: &Instance) -> Option<Curve> {
        let base = spline_record(instance, "CURVE")?;
        let degree = number(base, 0)? as usize;
        let points: Option<Vec<Vec3>> = base
            .get(1)?
            .references()?
            .into_iter()
            .map(|p| self.point(p))
            .collect();
        let points = points?;
        let knots = match knot_record(instance, "CURVE") {
            Some(record) => written_out(record.first()?, record.get(1)?)?,
            None => implied_knots(instance, degree, points.len())?,
        };
        let weights = match instance.record("RATIONAL_B_SPLINE_CURVE") {
            Some(record) => Some(record.first()?.numbers()?),
            None => None,
        };
        let knots = Knots::new(degree, knots, points.len())?;
        NurbsCurve::new(knots, &points, weights.as_deref()).map(Curve::Nurbs)
    }

    fn spline_surface(&self, instance: &Instance) -> Option<NurbsSurface> {
        let base = spline_record(instance, "SURFACE")?;
        let degrees = [number(base, 0)? as usize, number(base, 1)? as usize];
        let rows = base.get(2)?.list()?;
        let n_u = rows.len();
        let mut points = Vec::new();
        for row in rows {
            for p in row.references()? {
                points.push(self.point(p)?);
            }
        }
        let n_v = points.len().checked_div(n_u)?;
        let [u, v] = match knot_record(instance, "SURFACE") {
            Some(record) => [
                written_out(record.first()?, record.get(2)?)?,
                written_out(record.get(1)?, record.get(3)?)?,
            ],
            None => [
                implied_knots(instance, degrees[0], n_u)?,
                implied_knots(instance, degrees[1], n_v)?,
            ],
        };
        let weights = match instance.record("RATIONAL_B_SPLINE_SURFACE") {
            Some(record) => {
                let mut weights = Vec::with_capacity(points.len());
                for row in record.first()?.list()? {
                    weights.extend(row.numbers()?);
                }
                Some(weights)
            }
            None => None,
        };
        let (u, v) = (
            Knots::new(degrees[0], u, n_u)?,
            Knots::new(degrees[1], v, n_v)?,
        );
        NurbsSurface::new(u, v, &points, weights.as_deref())
    }
}

/// The kinds of splines, of which each may stand alone.
const KINDS: [&str; 4] = [
    "B_SPLINE_#_WITH_KNOTS",
    "BEZIER_#",
    "QUASI_UNIFORM_#",
    "UNIFORM_#",
];

fn is_spline(instance: &Instance, what: &str) -> bool {
    spline_record(instance, what).is_some()
}

/// Degrees, points and what follows: of a complex instance the record of the base, else that of the kind without
/// its name.
fn spline_record<'i>(instance: &'i Instance, what: &str) -> Option<&'i [Value]> {
    let base = match what {
        "CURVE" => "B_SPLINE_CURVE",
        _ => "B_SPLINE_SURFACE",
    };
    if let Some(record) = instance.record(base) {
        return Some(record);
    }
    let (keyword, values) = instance.records.first()?;
    let is_kind = KINDS
        .iter()
        .any(|kind| *kind.replace('#', what) == **keyword);
    (is_kind && instance.records.len() == 1)
        .then(|| values.get(1..))
        .flatten()
}

/// Multiplicities and knots: of a curve one of each, of a surface two.
fn knot_record<'i>(instance: &'i Instance, what: &str) -> Option<&'i [Value]> {
    let keyword = format!("B_SPLINE_{what}_WITH_KNOTS");
    let record = instance.record(&keyword)?;
    if instance.records.len() > 1 {
        return Some(record);
    }
    record.get(if what == "CURVE" { 6.. } else { 8.. })
}

/// Knots with each as often as its multiplicity says.
fn written_out(multiplicities: &Value, knots: &Value) -> Option<Vec<f64>> {
    let (multiplicities, knots) = (multiplicities.numbers()?, knots.numbers()?);
    if multiplicities.len() != knots.len() {
        return None;
    }
    let mut all = Vec::new();
    for (count, knot) in multiplicities.iter().zip(knots) {
        if !(0.0..1e6).contains(count) || all.len() > MOST_POINTS {
            return None;
        }
        all.extend(std::iter::repeat_n(knot, *count as usize));
    }
    Some(all)
}

/// The knots of kinds that leave them out.
fn implied_knots(instance: &Instance, degree: usize, n_points: usize) -> Option<Vec<f64>> {
    let is = |word: &str| instance.records.iter().any(|(k, _)| k.starts_with(word));
    if degree == 0 || n_points <= degree {
        return None;
    }
    let n_knots = n_points + degree + 1;
    if is("BEZIER") || is("QUASI_UNIFORM") {
        let every = if is("BEZIER") { degree } else { 1 };
        // Ends of full multiplicity; of pieces of Bezier the joints as often as the degree.
        let mut knots = vec![0.0; degree + 1];
        let mut value = 0.0;
        while knots.len() + degree + 1 < n_knots {
            value += 1.0;
            knots.extend(std::iter::repeat_n(value, every));
        }
        knots.extend(std::iter::repeat_n(value + 1.0, degree + 1));
        return (knots.len() == n_knots).then_some(knots);
    }
    Some((0..n_knots).map(|i| i as f64).collect())
}
