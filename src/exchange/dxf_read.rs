//! The curves of a DXF file: lines, arcs, circles, ellipses, polylines, splines, and blocks of these, by their layer.

use std::collections::HashMap;

use super::curve::{Basis, Curve, Nurbs, Path};
use super::dxf::{MARK, decoded_layer};
use super::file::{Contents, FoundRoute, FoundShape, ReadError, number};
use super::interpolate::interpolate_ring;
use super::remark;
use super::route::{Nodes, curve_through};
use crate::geom::{Mat3, Vec3};

/// Blocks in blocks that are followed.
const DEEPEST: usize = 16;

/// Curves of inserted blocks at most.
const MOST_CURVES: usize = 100_000;

/// Group code, value, line.
type Tag<'a> = (u16, &'a str, usize);

/// Entities that draw curves.
const CURVES: [&str; 9] = [
    "LINE",
    "ARC",
    "CIRCLE",
    "ELLIPSE",
    "LWPOLYLINE",
    "POLYLINE",
    "SPLINE",
    "HELIX",
    "INSERT",
];

/// The curves of a DXF file, each with its layer as its name.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    if bytes.starts_with(b"AutoCAD Binary DXF") {
        return Err(ReadError::whole(
            "this is a binary DXF file: save it as text (ASCII) DXF",
        ));
    }
    // Files of AutoCAD 2007 and later are UTF-8, older ones in a code page, as ours.
    let text = String::from_utf8(bytes.to_vec())
        .unwrap_or_else(|_| bytes.iter().map(|&b| char::from(b)).collect());
    let tags = tags_of(&text)?;
    let ours = tags.iter().any(|t| t.0 == 999 && t.1.starts_with(MARK));
    let mut contents = Contents::new(unit_of(&tags));
    let drawing = Drawing::new(&tags, ours);
    drawing.add(&drawing.entities, &Place::IDENTITY, 0, &mut contents);
    remark::apply(&text, &mut contents);
    Ok(contents)
}

fn tags_of(text: &str) -> Result<Vec<Tag<'_>>, ReadError> {
    let lines: Vec<&str> = text.lines().collect();
    let mut tags = Vec::with_capacity(lines.len() / 2);
    for (i, pair) in lines.chunks(2).enumerate() {
        let [code, value] = pair else {
            break;
        };
        let line = 2 * i + 1;
        let code: i32 = code
            .trim()
            .parse()
            .map_err(|_| ReadError::line(line, format!("\"{code}\" is no group code")))?;
        tags.push((
            u16::try_from(code).unwrap_or(0xFFFF),
            value.trim_end(),
            line + 1,
        ));
    }
    if tags.last().is_none_or(|t| (t.0, t.1.trim()) != (0, "EOF")) {
        return Err(ReadError::whole(
            "the file does not end with EOF: it is cut off",
        ));
    }
    Ok(tags)
}

/// How many mm the unit of a drawing is; `None` where it has none.
fn unit_of(tags: &[Tag]) -> Option<f64> {
    let units = tags
        .windows(2)
        .find(|t| t[0].0 == 9 && t[0].1 == "$INSUNITS")?;
    Some(match units[1].1.trim() {
        "1" => 25.4,
        "2" => 304.8,
        "3" => 1_609_344.0,
        "4" => 1.0,
        "5" => 10.0,
        "6" => 1000.0,
        "7" => 1e6,
        "8" => 25.4e-6,
        "9" => 0.0254,
        "10" => 914.4,
        "12" => 1e-6,
        "13" => 1e-3,
        "14" => 100.0,
        _ => return None,
    })
}

/// Where an entity stands: p to axes p + origin.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    axes: Mat3,
    origin: Vec3,
}

impl Place {
    const IDENTITY: Self = Self {
        axes: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        origin: Vec3::new(0.0, 0.0, 0.0),
    };

    fn apply(&self, p: &Vec3) -> Vec3 {
        // Not a bit changes without a motion.
        if *self == Self::IDENTITY {
            *p
        } else {
            self.axes * p + self.origin
        }
    }

    fn apply_to(&self, shape: FoundShape) -> FoundShape {
        // Stretched more one way than the other, arcs are arcs no longer.
        let square = self.axes.transpose() * self.axes;
        let even = square[(0, 0)];
        let is_even = (square - Mat3::identity() * even).norm() <= 1e-12 * even;
        let shape = match shape {
            FoundShape::Elements(_) if !is_even => {
                FoundShape::Path(shape.path().unwrap_or_default())
            }
            shape => shape,
        };
        shape.mapped(|p| self.apply(p))
    }

    fn after(&self, first: &Self) -> Self {
        Self {
            axes: self.axes * first.axes,
            origin: self.apply(&first.origin),
        }
    }
}

/// An entity with what belongs to it: the vertices of a polyline.
#[derive(Clone, Copy)]
struct Entity<'a> {
    tags: &'a [Tag<'a>],
    vertices: &'a [Tag<'a>],
}

impl Entity<'_> {
    fn kind(&self) -> &str {
        self.tags[0].1.trim()
    }

    fn text(&self, code: u16) -> Option<&str> {
        self.tags.iter().find(|t| t.0 == code).map(|t| t.1.trim())
    }

    fn number(&self, code: u16) -> Option<f64> {
        self.text(code)?
            .parse()
            .ok()
            .filter(|v: &f64| v.is_finite())
    }

    fn flags(&self) -> u32 {
        self.number(70).map_or(0, |f| f as u32)
    }

    /// The point at group codes `code`, `code + 10`, `code + 20`.
    fn point(&self, code: u16) -> Option<Vec3> {
        Some(Vec3::new(
            self.number(code)?,
            self.number(code + 10)?,
            self.number(code + 20).unwrap_or(0.0),
        ))
    }

    /// All points at these codes, in their order.
    fn points(&self, code: u16) -> Result<Vec<Vec3>, ReadError> {
        let mut points: Vec<Vec3> = Vec::new();
        for (found, value, line) in self.tags {
            match (found.wrapping_sub(code), points.last_mut()) {
                (0, _) => points.push(Vec3::new(number(value, *line)?, 0.0, 0.0)),
                (10, Some(p)) => p.y = number(value, *line)?,
                (20, Some(p)) => p.z = number(value, *line)?,
                _ => {}
            }
        }
        Ok(points)
    }

    fn numbers(&self, code: u16) -> Result<Vec<f64>, ReadError> {
        let found = self.tags.iter().filter(|t| t.0 == code);
        found.map(|t| number(t.1, t.2)).collect()
    }

    /// The axes of a plane entity by its normal: the arbitrary axis algorithm of DXF.
    fn axes(&self) -> Mat3 {
        let normal = self.point(210).and_then(|n| n.try_normalize(1e-12));
        let z = normal.unwrap_or_else(Vec3::z);
        if z == Vec3::z() {
            return Mat3::identity();
        }
        let near = z.x.abs() < 1.0 / 64.0 && z.y.abs() < 1.0 / 64.0;
        let up = if near { Vec3::y() } else { Vec3::z() };
        let x = up.cross(&z).normalize();
        Mat3::from_columns(&[x, z.cross(&x), z])
    }
}

struct Drawing<'a> {
    ours: bool,
    entities: Vec<Entity<'a>>,
    /// Base point and entities of each block.
    blocks: HashMap<&'a str, (Vec3, Vec<Entity<'a>>)>,
}

impl<'a> Drawing<'a> {
    fn new(tags: &'a [Tag<'a>], ours: bool) -> Self {
        let mut drawing = Self {
            ours,
            entities: Vec::new(),
            blocks: HashMap::new(),
        };
        let mut section = "";
        let mut block: Option<&str> = None;
        let mut starts: Vec<usize> = (0..tags.len()).filter(|&i| tags[i].0 == 0).collect();
        starts.push(tags.len());
        let mut at = 0;
        while at + 1 < starts.len() {
            let (start, mut end) = (starts[at], starts[at + 1]);
            at += 1;
            let own = &tags[start..end];
            let find = |code: u16| own.iter().find(|t| t.0 == code).map(|t| t.1.trim());
            match own[0].1.trim() {
                "SECTION" => section = find(2).unwrap_or(""),
                "ENDSEC" => section = "",
                "BLOCK" => {
                    block = find(2);
                    let entity = Entity {
                        tags: own,
                        vertices: &[],
                    };
                    let base = entity.point(10).unwrap_or_default();
                    if let Some(name) = block {
                        drawing.blocks.insert(name, (base, Vec::new()));
                    }
                }
                "ENDBLK" => block = None,
                kind if CURVES.contains(&kind) => {
                    let first_vertex = end;
                    if kind == "POLYLINE" {
                        while at + 1 < starts.len() && tags[starts[at]].1.trim() == "VERTEX" {
                            at += 1;
                        }
                        end = starts[at];
                    }
                    let entity = Entity {
                        tags: own,
                        vertices: &tags[first_vertex.min(end)..end],
                    };
                    match (section, block) {
                        ("BLOCKS", Some(name)) => {
                            if let Some((_, entities)) = drawing.blocks.get_mut(name) {
                                entities.push(entity);
                            }
                        }
                        // Paper space is a drawing of the model, not the model.
                        ("ENTITIES", _) if entity.number(67) != Some(1.0) => {
                            drawing.entities.push(entity);
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        drawing
    }

    fn add(&self, entities: &[Entity], place: &Place, depth: usize, contents: &mut Contents) {
        for entity in entities {
            if contents.network.len() >= MOST_CURVES {
                return;
            }
            if entity.kind() == "INSERT" {
                self.insert(entity, place, depth, contents);
                continue;
            }
            let layer = entity.text(8).map(decoded_layer);
            // Everything is on layer 0 where nobody chose one.
            let name = layer.filter(|l| self.ours || l != "0");
            match self.shape(entity) {
                Ok(shape) => contents.network.push(FoundRoute {
                    shape: place.apply_to(shape),
                    ..FoundRoute::named(name)
                }),
                Err(why) => {
                    let name = name.map_or(String::new(), |n| format!(" on layer \"{n}\""));
                    contents.lost.push(format!(
                        "{}{name} at line {}: {why}",
                        entity.kind(),
                        entity.tags[0].2
                    ));
                }
            }
        }
    }

    /// The curves of a block, once for each of its rows and columns.
    fn insert(&self, entity: &Entity, place: &Place, depth: usize, contents: &mut Contents) {
        let Some((base, inside)) = entity.text(2).and_then(|name| self.blocks.get(name)) else {
            return;
        };
        if depth >= DEEPEST {
            return;
        }
        let factor = |code: u16| entity.number(code).filter(|f| *f != 0.0).unwrap_or(1.0);
        let scale = Mat3::from_diagonal(&Vec3::new(factor(41), factor(42), factor(43)));
        let (sine, cosine) = entity.number(50).unwrap_or(0.0).to_radians().sin_cos();
        let turn = Mat3::new(cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0);
        let plane = entity.axes();
        let at = entity.point(10).unwrap_or_default();
        let count = |code: u16| {
            entity
                .number(code)
                .map_or(1, |n| n.clamp(1.0, 1000.0) as usize)
        };
        let gap = |code: u16| entity.number(code).unwrap_or(0.0);
        for row in 0..count(71) {
            for column in 0..count(70) {
                let shift = turn * Vec3::new(gap(44) * column as f64, gap(45) * row as f64, 0.0);
                let axes = plane * turn * scale;
                let origin = plane * (at + shift) - axes * base;
                let inner = place.after(&Place { axes, origin });
                self.add(inside, &inner, depth + 1, contents);
            }
        }
    }

    fn shape(&self, entity: &Entity) -> Result<FoundShape, String> {
        let path = match entity.kind() {
            "LINE" => {
                let ends = entity.point(10).zip(entity.point(11));
                let (start, end) = ends.ok_or("it lacks an end")?;
                Curve::polyline(&[start, end])
            }
            "ARC" | "CIRCLE" => arc(entity)?,
            "ELLIPSE" => ellipse(entity)?,
            "LWPOLYLINE" => lightweight(entity)?,
            "POLYLINE" => {
                let points = self.polyline(entity)?;
                if self.ours {
                    // Points on a smooth curve, which we wrote.
                    let ends = points.iter().map(|(p, _)| *p);
                    return Ok(FoundShape::Points(ends.collect()));
                }
                let axes = entity.axes();
                let closed = entity.flags() & 1 != 0;
                bulged(&points, closed)
                    .iter()
                    .map(|c| c.mapped(&|p: &Vec3| axes * p))
                    .collect()
            }
            _ => spline(entity)?,
        };
        if path.is_empty() {
            return Err("it has no extent".into());
        }
        Ok(FoundShape::of_path(&path))
    }

    /// Points and bulges of a polyline.
    fn polyline(&self, entity: &Entity) -> Result<Vec<(Vec3, f64)>, String> {
        if entity.flags() & (16 | 64) != 0 {
            return Err("it is a mesh, not a curve".into());
        }
        let is_3d = entity.flags() & 8 != 0;
        let elevation = entity.number(30).unwrap_or(0.0);
        let starts: Vec<usize> = (0..entity.vertices.len())
            .filter(|&i| entity.vertices[i].0 == 0)
            .collect();
        let mut points = Vec::with_capacity(starts.len());
        for (i, &start) in starts.iter().enumerate() {
            let end = starts.get(i + 1).copied().unwrap_or(entity.vertices.len());
            let vertex = Entity {
                tags: &entity.vertices[start..end],
                vertices: &[],
            };
            // Points of the frame of a smoothed polyline are not on it.
            if vertex.flags() & 16 != 0 {
                continue;
            }
            let mut point = vertex.point(10).ok_or("a vertex lacks a coordinate")?;
            if !is_3d && !self.ours {
                point.z = elevation;
            }
            let bulge = if is_3d { None } else { vertex.number(42) };
            points.push((point, bulge.unwrap_or(0.0)));
        }
        Ok(points)
    }
}

fn arc(entity: &Entity) -> Result<Path, String> {
    let (center, radius) = entity
        .point(10)
        .zip(entity.number(40).filter(|r| *r > 0.0))
        .ok_or("it lacks its centre or radius")?;
    let axes = entity.axes();
    let [x, y] = [0, 1].map(|i| axes.column(i) * radius);
    let basis = Basis::Ellipse {
        center: axes * center,
        x,
        y,
    };
    if entity.kind() == "CIRCLE" {
        return Ok(vec![Curve::whole(basis)]);
    }
    let angle = |code: u16| entity.number(code).map(f64::to_radians);
    let (from, to) = angle(50).zip(angle(51)).ok_or("it lacks an angle")?;
    Ok(turned(basis, from, to))
}

/// A piece of an ellipse from angle to angle, counter-clockwise.
fn turned(basis: Basis, from: f64, to: f64) -> Path {
    let turn = std::f64::consts::TAU;
    let mut ahead = (to - from).rem_euclid(turn);
    if ahead <= 1e-9 {
        ahead = turn;
    }
    vec![Curve {
        basis,
        from,
        to: from + ahead,
    }]
}

fn ellipse(entity: &Entity) -> Result<Path, String> {
    let (center, x) = entity
        .point(10)
        .zip(entity.point(11))
        .ok_or("it lacks its centre or axis")?;
    let ratio = entity.number(40).ok_or("it lacks the ratio of its axes")?;
    let normal = entity.point(210).unwrap_or_else(Vec3::z);
    let y = normal
        .try_normalize(1e-12)
        .unwrap_or_else(Vec3::z)
        .cross(&x)
        * ratio;
    let basis = Basis::Ellipse { center, x, y };
    let (from, to) = (
        entity.number(41).unwrap_or(0.0),
        entity.number(42).unwrap_or(std::f64::consts::TAU),
    );
    Ok(turned(basis, from, to))
}

/// A polyline in a plane: vertices with bulges.
fn lightweight(entity: &Entity) -> Result<Path, String> {
    let elevation = entity.number(38).unwrap_or(0.0);
    let mut points: Vec<(Vec3, f64)> = Vec::new();
    for (code, value, line) in entity.tags {
        let value = || number(value, *line).map_err(|e| e.to_string());
        match (code, points.last_mut()) {
            (10, _) => points.push((Vec3::new(value()?, 0.0, elevation), 0.0)),
            (20, Some((p, _))) => p.y = value()?,
            (42, Some((_, bulge))) => *bulge = value()?,
            _ => {}
        }
    }
    let axes = entity.axes();
    let path = bulged(&points, entity.flags() & 1 != 0);
    let placed = path.iter().map(|c| c.mapped(&|p: &Vec3| axes * p));
    Ok(placed.collect())
}

/// Lines and arcs from point to point: the bulge is the tangent of a quarter of the arc's angle, left of the chord.
fn bulged(points: &[(Vec3, f64)], closed: bool) -> Path {
    let mut path = Path::new();
    let n = points.len();
    let last = if closed { n } else { n.saturating_sub(1) };
    for i in 0..last {
        let ((start, bulge), (end, _)) = (points[i], points[(i + 1) % n]);
        let chord = end - start;
        if chord.norm() == 0.0 {
            continue;
        }
        if bulge == 0.0 {
            path.push(Curve::line(start, end));
            continue;
        }
        let left = Vec3::new(-chord.y, chord.x, 0.0);
        let center = 0.5 * (start + end) + left * ((1.0 - bulge * bulge) / (4.0 * bulge));
        let x = start - center;
        path.push(Curve {
            basis: Basis::Ellipse {
                center,
                x,
                y: Vec3::new(-x.y, x.x, 0.0),
            },
            from: 0.0,
            to: 4.0 * bulge.atan(),
        });
    }
    path
}

/// A spline by control points, knots and weights, or through fit points.
fn spline(entity: &Entity) -> Result<Path, String> {
    let said = |e: ReadError| e.to_string();
    let points = entity.points(10).map_err(said)?;
    if points.is_empty() {
        return through(entity);
    }
    let degree = entity.number(71).unwrap_or(3.0).clamp(0.0, 100.0) as usize;
    let weights = entity.numbers(41).map_err(said)?;
    let weights = (!weights.is_empty()).then_some(weights);
    let knots = entity.numbers(40).map_err(said)?;
    let spline = Nurbs::new(degree, knots, points, weights).map_err(|e| e.to_string())?;
    Ok(vec![Curve::whole(Basis::Spline(spline))])
}

/// The cubic through fit points by chord length, with the directions of its ends where they are given.
fn through(entity: &Entity) -> Result<Path, String> {
    let mut points = entity.points(11).map_err(|e| e.to_string())?;
    points.dedup();
    if points.len() < 2 {
        return Err("it has neither control points nor fit points".into());
    }
    if entity.flags() & 1 != 0 && points.first() != points.last() {
        points.push(points[0]);
    }
    let mut at = vec![0.0];
    for pair in points.windows(2) {
        at.push(at[at.len() - 1] + (pair[1] - pair[0]).norm());
    }
    let ring = points.first() == points.last() && points.len() >= 4;
    let tangent = |code: u16| entity.point(code).and_then(|t| t.try_normalize(1e-12));
    let spline = if ring {
        interpolate_ring(&at, &points)
    } else {
        curve_through(&Nodes {
            at,
            points,
            tangents: [tangent(12), tangent(13)],
        })
    };
    let spline = spline.ok_or("its fit points make no curve")?;
    Ok(vec![Curve::whole(Basis::Spline(Nurbs::polynomial(spline)))])
}
