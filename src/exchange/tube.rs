//! The tube around a route as a closed mesh of triangles.

use std::f64::consts::TAU;

use super::file::{Entries, Target, WriteError};
use super::frame::frames;
use super::route::Route;
use super::sample::{Fineness, cut_tube};
use crate::geom::Vec3;

/// Facets around at the least and at the most.
const FACETS: (f64, f64) = (16.0, 128.0);

/// Tubes that meet end to end at a node must not share the corners of their caps, or the edges there would have four
/// triangles: each begins its facets at another angle. No two multiples of this ratio come near to each other.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Triangles with normals; corners of side and cap share their place, not their normal.
#[derive(Clone, Debug, PartialEq)]
pub struct TubeMesh {
    /// Places, mm.
    pub vertices: Vec<Vec3>,
    /// Unit normals, outwards.
    pub normals: Vec<Vec3>,
    /// Corners, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The mesh of a route, in mm.
///
/// The polygon around has the area of the circle, so that the mesh has the volume of the tube; its corners are
/// then outside of the circle by a third of the facets' depth. `turn` is where the first facet begins, in facets.
fn mesh(route: &Route, fineness: &Fineness, turn: f64) -> Result<TubeMesh, WriteError> {
    let curve = &route.curve;
    let samples = cut_tube(route, fineness);
    let at: Vec<f64> = samples.iter().map(|s| s.t).collect();
    let frames = frames(curve, &at, route.closed).ok_or_else(|| WriteError::Shape {
        name: route.name.clone(),
        reason: "its curve stands still somewhere".into(),
    })?;
    let largest = route.radius.largest();
    let depth = (fineness.chord_error / largest).min(0.5);
    let n = (std::f64::consts::PI / (1.0 - depth).acos())
        .ceil()
        .clamp(FACETS.0, FACETS.1) as u32;
    let step = TAU / f64::from(n);
    let wider = (step / step.sin()).sqrt();
    let mut tube = TubeMesh {
        vertices: Vec::new(),
        normals: Vec::new(),
        triangles: Vec::new(),
    };
    let rings = if route.closed {
        frames.len() - 1
    } else {
        frames.len()
    };
    for (frame, sample) in frames.iter().zip(&samples).take(rings) {
        let radius = wider * route.radius.at(sample.s);
        for k in 0..n {
            let out = frame.across(step * (f64::from(k) + turn));
            tube.vertices.push(frame.position + out * radius);
            tube.normals.push(out);
        }
    }
    let count = if route.closed { rings } else { rings - 1 } as u32;
    for i in 0..count {
        let (here, there) = (i * n, (i + 1) % rings as u32 * n);
        for k in 0..n {
            let next = (k + 1) % n;
            tube.triangles.push([here + k, here + next, there + next]);
            tube.triangles.push([here + k, there + next, there + k]);
        }
    }
    if !route.closed {
        let last = (rings as u32 - 1) * n;
        cap(&mut tube, 0, n, -frames[0].tangent);
        cap(&mut tube, last, n, frames[rings - 1].tangent);
    }
    Ok(tube)
}

/// Closes the ring that begins at vertex `ring`, facing `normal`.
fn cap(tube: &mut TubeMesh, ring: u32, n: u32, normal: Vec3) {
    let first = tube.vertices.len() as u32;
    for k in 0..n {
        let place = tube.vertices[(ring + k) as usize];
        tube.vertices.push(place);
        tube.normals.push(normal);
    }
    for k in 1..n - 1 {
        let (a, b) = (first + k, first + k + 1);
        tube.triangles.push(if ring == 0 {
            [first, b, a]
        } else {
            [first, a, b]
        });
    }
}

/// The meshes of routes, in the unit and axes of the file.
pub fn meshes(entries: &Entries, target: &Target) -> Result<Vec<TubeMesh>, WriteError> {
    entries
        .routes()
        .enumerate()
        .map(|(i, entry)| {
            let turn = (GOLDEN * i as f64).fract();
            let mut tube = mesh(entry.route, &target.fineness, turn)?;
            for v in &mut tube.vertices {
                *v = target.convention.outside(v);
            }
            for n in &mut tube.normals {
                let turned = target.convention.outside(n);
                *n = turned.try_normalize(0.0).unwrap_or(turned);
            }
            Ok(tube)
        })
        .collect()
}
