//! The triangles of the geometry nodes.

use super::parse::Node;
use crate::geom::Vec3;
use crate::mesh::import::ImportError;
use crate::mesh::import::error::Place;
use crate::mesh::import::raw::{RawPart, Scratch, Strip, checked_point};
use crate::mesh::import::tree::Shape;

/// Three numbers a point.
pub fn points(numbers: &[f64], line: usize) -> Result<Vec<Vec3>, ImportError> {
    if !numbers.len().is_multiple_of(3) {
        return Err(ImportError::Damaged {
            place: Place::Item(format!("node in line {line}")),
            reason: format!("{} numbers are no points of three", numbers.len()),
        });
    }
    numbers
        .chunks_exact(3)
        .map(|p| {
            let place = || Place::Item(format!("node in line {line}"));
            checked_point([p[0], p[1], p[2]], place)
        })
        .collect()
}

/// The triangles of a geometry node over these points; none when the node is of another kind.
///
/// Lists of vertex numbers end at -1. Counts of the other two kinds take points one after the other.
pub fn shape(
    node: &Node,
    points: &[Vec3],
    is_clockwise: bool,
) -> Result<Option<Shape>, ImportError> {
    let mut part = RawPart::default();
    let mut scratch = Scratch::default();
    match node.kind {
        b"IndexedFaceSet" => {
            let mut polygon = Vec::new();
            // The last -1 may be left out.
            for &number in node.numbers(b"coordIndex").iter().chain(&[-1.0]) {
                if let Some(v) = index(number, points, node.line)? {
                    polygon.push(v);
                } else {
                    part.push_polygon(&polygon, |v| points[v as usize], &mut scratch);
                    polygon.clear();
                }
            }
        }
        b"IndexedTriangleStripSet" | b"IndexedTriangleSet" => {
            let is_set = node.kind == b"IndexedTriangleSet";
            let mut strip = Strip::default();
            let mut n = 0;
            let numbers = match node.numbers(b"coordIndex") {
                [] => node.numbers(b"index"),
                numbers => numbers,
            };
            for &number in numbers {
                let v = index(number, points, node.line)?;
                if let Some(v) = v {
                    part.triangles.extend(strip.push(v));
                    n += 1;
                }
                if v.is_none() || is_set && n % 3 == 0 {
                    strip = Strip::default();
                }
            }
        }
        b"FaceSet" | b"TriangleStripSet" => {
            let mut next = match node.numbers(b"startIndex") {
                [start, ..] => *start,
                [] => 0.0,
            };
            for &count in node.numbers(b"numVertices") {
                // -1: all that are left.
                let end = if count < 0.0 {
                    points.len() as f64
                } else {
                    next + count
                };
                let range = match (index(next, points, node.line)?, end) {
                    (Some(from), end) if end <= points.len() as f64 => from..end as u32,
                    _ => return Err(bad_index(end, points, node.line)),
                };
                next = end;
                if node.kind == b"FaceSet" {
                    let polygon: Vec<u32> = range.collect();
                    part.push_polygon(&polygon, |v| points[v as usize], &mut scratch);
                } else {
                    let mut strip = Strip::default();
                    part.triangles.extend(range.filter_map(|v| strip.push(v)));
                }
                if next >= points.len() as f64 {
                    break;
                }
            }
        }
        _ => return Ok(None),
    }
    let mut shape = Shape {
        triangles: part.triangles,
        n_crossed: part.n_crossed,
        ..Shape::default()
    };
    if shape.triangles.is_empty() {
        return Ok(Some(shape));
    }
    if is_clockwise {
        for t in &mut shape.triangles {
            t.swap(1, 2);
        }
    }
    take_points(&mut shape, points);
    Ok(Some(shape))
}

/// Gives the shape the points that it uses: many shapes may share one long list.
fn take_points(shape: &mut Shape, points: &[Vec3]) {
    let mut used: Vec<u32> = shape.triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    for v in shape.triangles.iter_mut().flatten() {
        // All of them are in the list.
        *v = used.partition_point(|u| u < v) as u32;
    }
    shape.vertices = used.iter().map(|&v| points[v as usize]).collect();
}

/// The vertex of that number; none for -1.
fn index(number: f64, points: &[Vec3], line: usize) -> Result<Option<u32>, ImportError> {
    if number == -1.0 {
        return Ok(None);
    }
    if number >= 0.0 && number < points.len() as f64 && number.fract() == 0.0 {
        return Ok(Some(number as u32));
    }
    Err(bad_index(number, points, line))
}

fn bad_index(number: f64, points: &[Vec3], line: usize) -> ImportError {
    ImportError::Damaged {
        place: Place::Item(format!("node in line {line}")),
        reason: format!("it uses point {number}, but there are {}", points.len()),
    }
}
