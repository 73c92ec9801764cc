//! STEP AP214 solids: the tube of each route as a closed shell without seams.
//!
//! Each stretch has two half-round skins; an open tube has two plane caps. Closed surfaces with a seam are what
//! breaks other kernels. Loops: half 1 is s1+ eB+ t1- eA-, half 2 is s2+ eA+ t2- eB-, with the half circles s1
//! (A to B), s2 (B to A) of the first ring, t1, t2 of the last, and the edges eA, eB along the tube.

use super::bspline::BSpline;
use super::file::{Contents, Entries, FoundRoute, FoundShape, ReadError, Target, WriteError};
use super::frame::CurveFrame;
use super::part21_writer::{integers, reals, references, text};
use super::skin::{Stretch, WEIGHTS, stretches};
use super::step::{Part, StepFile};
use super::step_read::{StepReader, parse};
use super::unit::{Convention, LengthUnit};
use crate::geom::Vec3;
use crate::mesh::import::step::Products;
use crate::part21::{Instance, Value};

/// A ring: its two vertices and its two half circles.
struct Ring {
    vertices: [usize; 2],
    halves: [usize; 2],
}

/// The routes as solids.
pub fn write(entries: &Entries, target: &Target) -> Result<Vec<u8>, WriteError> {
    let mut file = StepFile::begin(target);
    let mut styled = Vec::new();
    let mut parts = Vec::new();
    for entry in entries.routes() {
        let stretches = stretches(entry.route)?;
        let part = file.part(entry.name);
        let name = text(entry.name);
        let shell = shell(&mut file, &stretches, entry.route.closed, target.convention);
        let solid = file
            .data
            .add(format_args!("MANIFOLD_SOLID_BREP({name},#{shell})"));
        let axis = file.origin();
        let shape = file.data.add(format_args!(
            "ADVANCED_BREP_SHAPE_REPRESENTATION({name},(#{axis},#{solid}),#{})",
            file.context
        ));
        file.define(part, shape);
        let colour = file.colour(entry.route.colour);
        let data = &mut file.data;
        let fill = data.add(format_args!("FILL_AREA_STYLE_COLOUR('',#{colour})"));
        let fill = data.add(format_args!("FILL_AREA_STYLE('',(#{fill}))"));
        let fill = data.add(format_args!("SURFACE_STYLE_FILL_AREA(#{fill})"));
        let side = data.add(format_args!("SURFACE_SIDE_STYLE('',(#{fill}))"));
        let usage = data.add(format_args!("SURFACE_STYLE_USAGE(.BOTH.,#{side})"));
        styled.push(file.styled(usage, solid));
        parts.push(Part {
            definition: part,
            shape,
            axis,
            name: entry.name.to_owned(),
        });
    }
    Ok(file.end(entries, &parts, &styled, target))
}

fn shell(file: &mut StepFile, stretches: &[Stretch], closed: bool, out: Convention) -> usize {
    let mut rings: Vec<Ring> = Vec::new();
    for stretch in stretches {
        rings.push(ring(file, &stretch.rings[0], stretch.radii[0], out));
    }
    if let (Some(last), false) = (stretches.last(), closed) {
        rings.push(ring(file, &last.rings[1], last.radii[1], out));
    }
    let mut faces = Vec::new();
    for (i, stretch) in stretches.iter().enumerate() {
        let (first, last) = (&rings[i], &rings[(i + 1) % rings.len()]);
        let rows: Vec<BSpline> = stretch
            .rows
            .iter()
            .map(|row| row.mapped(|p| out.outside(p)))
            .collect();
        // Row 8 is row 0: the halves share the points of the edges.
        let mut points: Vec<Vec<usize>> = rows[..8]
            .iter()
            .map(|row| row.points().iter().map(|p| file.data.point(p)).collect())
            .collect();
        points.push(points[0].clone());
        let mut along = |row: usize, side: usize| {
            let curve = file.curve_of("", &rows[row], &points[row], false);
            file.data.add(format_args!(
                "EDGE_CURVE('',#{},#{},#{curve},.T.)",
                first.vertices[side], last.vertices[side]
            ))
        };
        let (edge_a, edge_b) = (along(0, 0), along(4, 1));
        for (half, edges) in [(0, (edge_b, edge_a)), (1, (edge_a, edge_b))] {
            let surface = surface(file, &rows[0], &points[4 * half..=4 * half + 4]);
            let sides = [
                (first.halves[half], true),
                (edges.0, true),
                (last.halves[half], false),
                (edges.1, false),
            ];
            faces.push(face(file, &sides, surface));
        }
    }
    if let (Some(first), Some(last), false) = (stretches.first(), stretches.last(), closed) {
        let (start, end) = (&rings[0], &rings[rings.len() - 1]);
        let frame = first.rings[0];
        let plane = plane(file, &frame, -frame.tangent, out);
        let sides = [(start.halves[1], false), (start.halves[0], false)];
        faces.push(face(file, &sides, plane));
        let frame = last.rings[1];
        let plane = self::plane(file, &frame, frame.tangent, out);
        let sides = [(end.halves[0], true), (end.halves[1], true)];
        faces.push(face(file, &sides, plane));
    }
    file.data
        .add(format_args!("CLOSED_SHELL('',{})", references(&faces)))
}

/// A direction in the axes of the file; units do not matter.
fn turned(direction: &Vec3, out: Convention) -> Vec3 {
    let axes = Convention {
        unit: LengthUnit::Mm,
        ..out
    };
    axes.outside(direction)
}

fn ring(file: &mut StepFile, frame: &CurveFrame, radius: f64, out: Convention) -> Ring {
    let data = &mut file.data;
    let vertices = [1.0, -1.0].map(|side| {
        let p = data.point(&out.outside(&(frame.position + frame.normal * (side * radius))));
        data.add(format_args!("VERTEX_POINT('',#{p})"))
    });
    let axis = data.placement(
        &out.outside(&frame.position),
        &turned(&frame.tangent, out),
        &turned(&frame.normal, out),
    );
    let radius = super::number::Real(out.length_outside(radius));
    let circle = data.add(format_args!("CIRCLE('',#{axis},{radius})"));
    let [a, b] = vertices;
    let halves = [(a, b), (b, a)]
        .map(|(from, to)| data.add(format_args!("EDGE_CURVE('',#{from},#{to},#{circle},.T.)")));
    Ring { vertices, halves }
}

fn plane(file: &mut StepFile, frame: &CurveFrame, axis: Vec3, out: Convention) -> usize {
    let placement = file.data.placement(
        &out.outside(&frame.position),
        &turned(&axis, out),
        &turned(&frame.normal, out),
    );
    file.data.add(format_args!("PLANE('',#{placement})"))
}

fn face(file: &mut StepFile, sides: &[(usize, bool)], surface: usize) -> usize {
    let data = &mut file.data;
    let edges: Vec<usize> = sides
        .iter()
        .map(|(edge, forward)| {
            let sense = if *forward { ".T." } else { ".F." };
            data.add(format_args!("ORIENTED_EDGE('',*,*,#{edge},{sense})"))
        })
        .collect();
    let edge_loop = data.add(format_args!("EDGE_LOOP('',{})", references(&edges)));
    let bound = data.add(format_args!("FACE_OUTER_BOUND('',#{edge_loop},.T.)"));
    data.add(format_args!("ADVANCED_FACE('',(#{bound}),#{surface},.T.)"))
}

/// A half skin: u around, v along.
fn surface(file: &mut StepFile, row: &BSpline, points: &[Vec<usize>]) -> usize {
    let (knots, counts) = row.multiplicities();
    let lists: Vec<_> = points.iter().map(|row| references(row)).collect();
    let weights: Vec<_> = WEIGHTS
        .iter()
        .map(|&w| reals(&vec![w; row.points().len()]))
        .collect();
    file.data.add(format_args!(
        "(BOUNDED_SURFACE()B_SPLINE_SURFACE(2,3,({}),.UNSPECIFIED.,.F.,.F.,.F.)\
         B_SPLINE_SURFACE_WITH_KNOTS((3,2,3),{},(0.,0.5,1.),{},.UNSPECIFIED.)\
         GEOMETRIC_REPRESENTATION_ITEM()RATIONAL_B_SPLINE_SURFACE(({}))REPRESENTATION_ITEM('')SURFACE())",
        lists.join(","),
        integers(&counts),
        reals(&knots),
        weights.join(",")
    ))
}

/// The solids of a file as [`write`] makes it: points on the skin of each, with the name of its product.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let instances = parse(bytes)?;
    let file = StepReader::new(&instances);
    let mut contents = Contents::new(file.unit()?);
    let scale = file.scale()?;
    let products = Products::new(&file.entities, &scale);
    for definition in products.with_shape() {
        let name = Some(products.name(definition)).filter(|n| !n.is_empty());
        for item in products.items(definition) {
            let item = item.number;
            let Some(instance) = file.entities.get(item) else {
                continue;
            };
            let Some(shell) = instance.record("MANIFOLD_SOLID_BREP") else {
                continue;
            };
            let bad = || ReadError::line(instance.line, format!("solid #{item} lacks something"));
            let faces = shell
                .get(1)
                .and_then(Value::reference)
                .and_then(|n| {
                    file.entities
                        .record(n, "CLOSED_SHELL")?
                        .get(1)?
                        .references()
                })
                .ok_or_else(bad)?;
            let mut points = Vec::new();
            for face in faces {
                let surface = file
                    .entities
                    .record(face, "ADVANCED_FACE")
                    .and_then(|f| f.get(2)?.reference())
                    .and_then(|n| file.entities.get(n))
                    .ok_or_else(bad)?;
                if surface.record("B_SPLINE_SURFACE").is_some() {
                    points.extend(skin_points(&file, surface).ok_or_else(bad)?);
                }
            }
            contents.network.push(FoundRoute {
                name: name.clone(),
                shape: FoundShape::Skin(points),
                radius: None,
                facts: None,
            });
        }
    }
    Ok(contents)
}

/// Points of a half skin between its stations.
fn skin_points(file: &StepReader, surface: &Instance) -> Option<Vec<Vec3>> {
    let lists = surface.record("B_SPLINE_SURFACE")?.get(2)?.list()?;
    let knots = surface.record("B_SPLINE_SURFACE_WITH_KNOTS")?;
    let (counts, distinct) = (knots.get(1)?.numbers()?, knots.get(3)?.numbers()?);
    let full: Vec<f64> = distinct
        .iter()
        .zip(&counts)
        .flat_map(|(&k, &n)| std::iter::repeat_n(k, n.clamp(0.0, 100.0) as usize))
        .collect();
    let weights = surface
        .record("RATIONAL_B_SPLINE_SURFACE")?
        .first()?
        .list()?;
    let mut rows = Vec::new();
    for list in lists {
        rows.push(BSpline::new(3, full.clone(), file.points(list)?).ok()?);
    }
    let weights: Option<Vec<f64>> = weights
        .iter()
        .map(|row| row.numbers()?.first().copied())
        .collect();
    let weights = weights?;
    if rows.len() != 5 || weights.len() != 5 {
        return None;
    }
    let spans: Vec<_> = rows[0].spans().collect();
    // Some hundred places of a long tube are enough to see a fault.
    let every = spans.len().div_ceil(200);
    let mut found = Vec::new();
    for (s0, s1) in spans.into_iter().step_by(every) {
        let s = 0.4 * s0 + 0.6 * s1;
        for first in [0, 2] {
            for x in [0.25, 0.7] {
                let basis = [(1.0 - x) * (1.0 - x), 2.0 * x * (1.0 - x), x * x];
                let mut sum = Vec3::zeros();
                let mut weight = 0.0;
                for (k, b) in basis.into_iter().enumerate() {
                    let w = b * weights[first + k];
                    sum += rows[first + k].at(s).position * w;
                    weight += w;
                }
                found.push(sum / weight);
            }
        }
    }
    Some(found)
}
