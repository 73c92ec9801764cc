//! Faces of closed surfaces that lie on the wrong side of their border.
//!
//! A loop on a sphere or a torus bounds two faces, and the direction of the face says which one is meant. A wrong
//! direction gives the other one: as closed as the right one, and nothing in the file contradicts it. But where the
//! right one goes over into its neighbours without an edge, as fillets and domes do, the wrong one folds back on them.

use std::collections::HashMap;

use super::invert::Inverter;
use super::surface::Surface;
use super::{Body, Face};
use crate::geom::Vec3;

/// Normals that differ by less than this angle are of one smooth skin (cosine of 2 degrees).
const TANGENT: f64 = 0.9994;

/// The faces of one shell of a body that fold back on a neighbour and go over into none; `middles` has a point of each edge.
pub fn folded_back(
    body: &Body,
    faces: std::ops::Range<usize>,
    middles: impl Fn(usize) -> Vec3,
) -> Vec<usize> {
    let is_open = |f: usize| bounds_two(&body.faces[f]);
    if !faces.clone().any(is_open) {
        return Vec::new();
    }
    // Which faces use an edge, and whether they pass it forward.
    let mut uses: HashMap<usize, Vec<(usize, bool)>> = HashMap::new();
    for f in faces.clone() {
        for coedge in body.faces[f].loops.iter().flatten() {
            let list = uses.entry(coedge.edge).or_default();
            list.push((f, coedge.forward));
        }
    }
    let mut inverters: HashMap<usize, Inverter> = HashMap::new();
    let mut normal = |f: usize, p: &Vec3| {
        let face = &body.faces[f];
        let surface = face.surface.as_ref().ok()?;
        let inverter = inverters
            .entry(f)
            .or_insert_with(|| Inverter::new(surface, 1e-6));
        let [u, v] = inverter.parameters(p, None);
        Some(outside(face, &surface.normal(u, v))).filter(|n| n.iter().all(|c| c.is_finite()))
    };
    let mut found = Vec::new();
    for f in faces.filter(|f| is_open(*f)) {
        let (mut n_smooth, mut n_folded) = (0, 0);
        for coedge in body.faces[f].loops.iter().flatten() {
            let Some([a, b]) = uses.get(&coedge.edge).map(Vec::as_slice) else {
                continue;
            };
            if a.0 == b.0 || a.1 == b.1 {
                continue;
            }
            let middle = middles(coedge.edge);
            let (Some(m), Some(n)) = (normal(a.0, &middle), normal(b.0, &middle)) else {
                continue;
            };
            n_smooth += usize::from(m.dot(&n) > TANGENT);
            n_folded += usize::from(m.dot(&n) < -TANGENT);
        }
        if n_folded > 0 && n_smooth == 0 {
            found.push(f);
        }
    }
    found
}

/// Whether a loop of the face has a face of its surface on either side.
fn bounds_two(face: &Face) -> bool {
    let Ok(surface) = &face.surface else {
        return false;
    };
    face.has_point_loop
        || matches!(surface, Surface::Sphere { .. })
        || surface.periods().iter().all(Option::is_some)
}

fn outside(face: &Face, normal: &Vec3) -> Vec3 {
    if face.same_sense { *normal } else { -normal }
}
