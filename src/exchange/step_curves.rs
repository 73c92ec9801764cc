//! Curves of STEP files: every kind of ISO 10303-42 that bounds itself, and edges of wires.

use super::curve::{Basis, Curve, Cut, Nurbs, Path, reversed};
use super::step_read::StepReader;
use crate::geom::Vec3;
use crate::part21::{Instance, Value};

/// Curves of curves that are followed.
const DEEPEST: usize = 16;

/// Kinds of curves whose keywords do not end with CURVE.
const CURVES: [&str; 12] = [
    "LINE",
    "POLYLINE",
    "CIRCLE",
    "ELLIPSE",
    "PARABOLA",
    "HYPERBOLA",
    "CONIC",
    "B_SPLINE_CURVE_WITH_KNOTS",
    "CURVE_REPLICA",
    "OFFSET_CURVE_3D",
    "ORIENTED_EDGE",
    "SUBEDGE",
];

impl StepReader<'_> {
    /// Adds the curves of an item: itself, or those of a set or a wire. What is no curve adds nothing.
    pub(super) fn curves_in(&self, item: u64, depth: usize, found: &mut Vec<u64>) {
        let Some(instance) = self.entities.get(item).filter(|_| depth < DEEPEST) else {
            return;
        };
        // Everything that is a list of what has curves.
        let lists = [
            ("GEOMETRIC_CURVE_SET", 1),
            ("GEOMETRIC_SET", 1),
            ("EDGE_BASED_WIREFRAME_MODEL", 1),
            ("CONNECTED_EDGE_SET", 1),
            ("SHELL_BASED_WIREFRAME_MODEL", 1),
            ("WIRE_SHELL", 1),
            ("EDGE_LOOP", 1),
            ("PATH", 1),
            ("OPEN_PATH", 1),
        ];
        for (kind, at) in lists {
            if let Some(record) = instance.record(kind) {
                // A complex instance has its list wherever it is.
                let list = record.get(at).and_then(Value::references);
                let list = list.or_else(|| record.iter().find_map(Value::references));
                for member in list.unwrap_or_default() {
                    self.curves_in(member, depth + 1, found);
                }
                return;
            }
        }
        // Everything else is no curve: solids and surfaces, whose boundaries are not for cables, points, placements.
        let is_curve = |keyword: &str| keyword.ends_with("CURVE") || CURVES.contains(&keyword);
        if instance.records.iter().any(|(k, _)| is_curve(k)) {
            found.push(item);
        }
    }

    /// The path of a curve that has two ends or is closed, or why there is none.
    pub(super) fn bounded_path(&self, item: u64, angle: f64) -> Result<Path, String> {
        let path = self.path_of(item, angle, 0)?;
        if path.is_empty() {
            return Err("it has no extent".into());
        }
        if !path.iter().all(Curve::has_ends) {
            return Err("it has no ends: trim it, then export again".into());
        }
        Ok(path)
    }

    fn path_of(&self, item: u64, angle: f64, depth: usize) -> Result<Path, String> {
        let Some(instance) = self.entities.get(item) else {
            return Err(format!("#{item} is not in the file"));
        };
        if depth > DEEPEST {
            return Err("it is defined by itself".into());
        }
        let lacks = || format!("#{item} lacks something (line {})", instance.line);
        if let Some(record) = instance.record("TRIMMED_CURVE") {
            return self.trimmed(record, angle, depth).ok_or_else(lacks)?;
        }
        if let Some(record) = instance.record("EDGE_CURVE") {
            return self.edge(record, angle, depth).ok_or_else(lacks)?;
        }
        if let Some(record) = instance.record("ORIENTED_EDGE") {
            let edge = record.get(3).and_then(Value::reference).ok_or_else(lacks)?;
            let path = self.path_of(edge, angle, depth + 1)?;
            return Ok(if is_true(record.get(4)) {
                path
            } else {
                reversed(&path)
            });
        }
        for kind in [
            "SURFACE_CURVE",
            "SEAM_CURVE",
            "INTERSECTION_CURVE",
            "BOUNDED_SURFACE_CURVE",
        ] {
            if let Some(record) = instance.record(kind) {
                let inner = record.get(1).and_then(Value::reference).ok_or_else(lacks)?;
                return self.path_of(inner, angle, depth + 1);
            }
        }
        if instance.record("COMPOSITE_CURVE").is_some() {
            return self.composite(instance, angle, depth).ok_or_else(lacks)?;
        }
        if let Some(record) = instance.record("POLYLINE") {
            let points = record.iter().find_map(|v| self.points(v));
            return Ok(Curve::polyline(&points.ok_or_else(lacks)?));
        }
        if let Some(record) = instance.record("CURVE_REPLICA") {
            let parent = record.get(1).and_then(Value::reference);
            let operator = record.get(2).and_then(Value::reference);
            let parent = parent.ok_or_else(lacks)?;
            let map = operator.and_then(|n| self.entities.operator(n, 1.0));
            let map = map.ok_or_else(lacks)?;
            let path = self.path_of(parent, angle, depth + 1)?;
            return Ok(path
                .iter()
                .map(|c| c.mapped(&|p: &Vec3| map.apply(p)))
                .collect());
        }
        match self.basis(instance) {
            Some(Ok(basis)) => Ok(vec![Curve::whole(basis)]),
            Some(Err(why)) => Err(why),
            None => Err("curves of this kind are not read, or it lacks something".into()),
        }
    }

    /// A line, conic or B-spline; `None` for what is none of these or lacks something.
    fn basis(&self, instance: &Instance) -> Option<Result<Basis, String>> {
        if let Some(record) = instance.record("LINE") {
            let origin = self.entities.point(record.get(1)?.reference()?)?;
            let vector = self
                .entities
                .record(record.get(2)?.reference()?, "VECTOR")?;
            let direction = self.entities.direction(vector.get(1)?.reference()?)?;
            let along = direction.try_normalize(0.0)? * vector.get(2)?.number()?;
            return Some(Ok(Basis::Line { origin, along }));
        }
        let conic = |kind: &str| {
            let record = instance.record(kind)?;
            let place = self.entities.placement(record.get(1)?.reference()?, 1.0)?;
            let number = |i: usize| record.get(i)?.number();
            Some((place.origin, place.x, place.y, number(2)?, number(3)))
        };
        if let Some((center, x, y, radius, _)) = conic("CIRCLE") {
            let (x, y) = (x * radius, y * radius);
            return Some(Ok(Basis::Ellipse { center, x, y }));
        }
        if let Some((center, x, y, a, b)) = conic("ELLIPSE") {
            let (x, y) = (x * a, y * b?);
            return Some(Ok(Basis::Ellipse { center, x, y }));
        }
        if let Some((apex, x, y, focal, _)) = conic("PARABOLA") {
            let (x, y) = (x * focal, y * (2.0 * focal));
            return Some(Ok(Basis::Parabola { apex, x, y }));
        }
        if let Some((center, x, y, a, b)) = conic("HYPERBOLA") {
            let (x, y) = (x * a, y * b?);
            return Some(Ok(Basis::Hyperbola { center, x, y }));
        }
        self.spline(instance)
    }

    /// A B-spline: a simple instance has all in one record with the name first, a complex one is spread over several.
    fn spline(&self, instance: &Instance) -> Option<Result<Basis, String>> {
        const KINDS: [&str; 4] = [
            "B_SPLINE_CURVE_WITH_KNOTS",
            "BEZIER_CURVE",
            "UNIFORM_CURVE",
            "QUASI_UNIFORM_CURVE",
        ];
        let kind = KINDS.into_iter().find(|k| instance.record(k).is_some())?;
        let own = instance.record(kind)?;
        let (spline, rest) = match instance.record("B_SPLINE_CURVE") {
            Some(spline) => (spline, own),
            None => (own.get(1..)?, own.get(6..)?),
        };
        let degree = spline.first()?.number()?;
        let points = self.points(spline.get(1)?)?;
        if !(1.0..=100.0).contains(&degree) || points.is_empty() {
            return None;
        }
        let (degree, n) = (degree as usize, points.len());
        let knots = match kind {
            "B_SPLINE_CURVE_WITH_KNOTS" => {
                let (counts, distinct) = (rest.first()?.numbers()?, rest.get(1)?.numbers()?);
                if counts.len() != distinct.len() {
                    return None;
                }
                let repeated = distinct.iter().zip(&counts).flat_map(|(&knot, &count)| {
                    std::iter::repeat_n(knot, count.clamp(0.0, 100.0) as usize)
                });
                repeated.collect::<Vec<_>>()
            }
            "UNIFORM_CURVE" => (0..=n + degree).map(|i| i as f64 - degree as f64).collect(),
            "QUASI_UNIFORM_CURVE" => clamped(n, degree, 1),
            _ => clamped(n, degree, degree),
        };
        let rational = instance.record("RATIONAL_B_SPLINE_CURVE");
        let weights = match rational {
            Some(record) => Some(record.iter().find_map(Value::numbers)?),
            None => None,
        };
        let spline = Nurbs::new(degree, knots, points, weights);
        Some(spline.map(Basis::Spline).map_err(|e| e.to_string()))
    }

    /// `(name, basis, (trims), (trims), sense, master)`. `None` where something is missing.
    fn trimmed(&self, record: &[Value], angle: f64, depth: usize) -> Option<Result<Path, String>> {
        let basis = record.get(1)?.reference()?;
        let path = match self.path_of(basis, angle, depth + 1) {
            Ok(path) => path,
            Err(why) => return Some(Err(why)),
        };
        let [curve] = &path[..] else {
            return Some(Err(
                "a curve of several pieces that is trimmed is not read".into()
            ));
        };
        // Angles of circles and ellipses are in the unit of the file.
        let factor = match &curve.basis {
            Basis::Ellipse { .. } => angle,
            _ => 1.0,
        };
        let cut = |i: usize| {
            let trims = record.get(i)?.list()?;
            let typed = |v: &Value| match v {
                Value::Typed(_) | Value::Number(_) => v.number(),
                _ => None,
            };
            Some(Cut {
                point: trims
                    .iter()
                    .find_map(|v| self.entities.point(v.reference()?)),
                parameter: trims.iter().find_map(typed).map(|t| t * factor),
            })
        };
        let by_points = record.get(5).and_then(Value::enumeration) == Some("CARTESIAN");
        let cuts = [cut(2)?, cut(3)?];
        let forward = is_true(record.get(4));
        Some(Curve::between(&curve.basis, cuts, forward, by_points))
    }

    /// `(name, start, end, curve, sense)`. `None` where something is missing.
    fn edge(&self, record: &[Value], angle: f64, depth: usize) -> Option<Result<Path, String>> {
        let path = match self.path_of(record.get(3)?.reference()?, angle, depth + 1) {
            Ok(path) => path,
            Err(why) => return Some(Err(why)),
        };
        let forward = is_true(record.get(4));
        let [curve] = &path[..] else {
            // A curve of several pieces has the ends of its edge.
            return Some(Ok(if forward { path } else { reversed(&path) }));
        };
        let vertex = |i: usize| {
            let vertex = self
                .entities
                .record(record.get(i)?.reference()?, "VERTEX_POINT")?;
            self.entities.point(vertex.get(1)?.reference()?)
        };
        let cuts = [vertex(1)?, vertex(2)?].map(|p| Cut {
            point: Some(p),
            parameter: None,
        });
        Some(Curve::between(&curve.basis, cuts, forward, true))
    }

    /// A composite curve. `None` where something is missing.
    fn composite(
        &self,
        instance: &Instance,
        angle: f64,
        depth: usize,
    ) -> Option<Result<Path, String>> {
        let record = instance.record("COMPOSITE_CURVE")?;
        let segments = record.iter().find_map(Value::references)?;
        let mut path = Path::new();
        for segment in segments {
            let record = self.entities.get(segment)?.records.iter();
            let mut record = record.filter(|(k, _)| k.ends_with("COMPOSITE_CURVE_SEGMENT"));
            let (_, values) = record.next()?;
            let piece = match self.path_of(values.get(2)?.reference()?, angle, depth + 1) {
                Ok(piece) => piece,
                Err(why) => return Some(Err(why)),
            };
            path.extend(if is_true(values.get(1)) {
                piece
            } else {
                reversed(&piece)
            });
        }
        Some(Ok(path))
    }
}

/// Knots 0, 1, 2 ... with full ends, the inner ones as often as told.
fn clamped(n: usize, degree: usize, inner: usize) -> Vec<f64> {
    let mut knots = vec![0.0; degree + 1];
    let mut next = 1.0;
    while knots.len() < n {
        knots.extend(std::iter::repeat_n(next, inner));
        next += 1.0;
    }
    knots.extend(std::iter::repeat_n(next, degree + 1));
    knots
}

fn is_true(value: Option<&Value>) -> bool {
    value.and_then(Value::enumeration) != Some("F")
}
