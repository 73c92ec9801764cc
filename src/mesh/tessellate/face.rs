//! One face: from its border to its triangles.

use super::delaunay::Flat;
use super::grid::{seeds, whole};
use super::invert::Inverter;
use super::layout::{Layout, Layouter};
use super::surface::Surface;
use super::{Face, Fineness};
use crate::geom::Vec3;

/// The triangles of a face.
#[derive(Clone, Debug, Default)]
pub struct FaceMesh {
    /// Vertices inside it, numbered from `first_inner`.
    pub inner: Vec<Vec3>,
    /// Number of the first vertex inside.
    pub first_inner: u32,
    /// Triangles by vertex number.
    pub triangles: Vec<[u32; 3]>,
    /// Share of the area that faces the wrong way.
    pub folded: f64,
    /// Whether the loops run against the face's direction.
    pub is_inverted: bool,
    /// Largest distance of its border from its surface.
    pub off_surface: f64,
}

/// Triangulates a face inside its loops of vertex numbers.
pub fn triangulate(
    face: &Face,
    loops: &[Vec<u32>],
    points: &[Vec3],
    fineness: &Fineness,
) -> Result<FaceMesh, String> {
    let surface = face.surface.as_ref().map_err(Clone::clone)?;
    // In the direction of the surface.
    let loops: Vec<Vec<u32>> = loops
        .iter()
        .map(|l| {
            let mut l = l.clone();
            if !face.same_sense {
                l.reverse();
            }
            l
        })
        .collect();
    let size = extent(&loops, points);
    let inverter = Inverter::new(
        surface,
        (0.1 * fineness.chord_error).min(1e-3 * size.max(1e-9)),
    );
    let layouter = Layouter {
        surface,
        inverter: &inverter,
        points,
        at_pole: 1e-6 * size,
        is_whole_but_loops: face.has_point_loop,
    };
    let (chart, loops) = match layouter.layout(&loops)? {
        Layout::Planar { chart, loops } => (chart, loops),
        Layout::Whole => return whole_mesh(surface, face, points, fineness),
    };
    let mut off_surface: f64 = 0.0;
    for corner in loops.iter().flatten() {
        let found = surface.point(corner.uv[0], corner.uv[1]);
        off_surface = off_surface.max((found - points[corner.id as usize]).norm());
    }
    if !off_surface.is_finite() {
        return Err("its border cannot be found on its surface".to_owned());
    }
    let mut flat = Flat::new(surface, &chart, &loops, points)?;
    if !surface.is_plane() {
        flat.seed(surface, &chart, &seeds(surface, &chart, &loops, fineness))?;
        flat.refine(surface, &chart, fineness)?;
    }
    let (mut triangles, folded) = flat.triangles(surface, &chart);
    if triangles.is_empty() {
        return Err("no triangle is left of it".to_owned());
    }
    if !face.same_sense {
        turn_round(&mut triangles);
    }
    Ok(FaceMesh {
        is_inverted: flat.side < 0,
        inner: flat.inner,
        first_inner: points.len() as u32,
        triangles,
        folded,
        off_surface,
    })
}

fn whole_mesh(
    surface: &Surface,
    face: &Face,
    points: &[Vec3],
    fineness: &Fineness,
) -> Result<FaceMesh, String> {
    let (inner, mut triangles) = whole(surface, fineness)?;
    for t in &mut triangles {
        *t = t.map(|v| v + points.len() as u32);
    }
    if !face.same_sense {
        turn_round(&mut triangles);
    }
    Ok(FaceMesh {
        inner,
        first_inner: points.len() as u32,
        triangles,
        ..FaceMesh::default()
    })
}

fn turn_round(triangles: &mut [[u32; 3]]) {
    for t in triangles {
        t.swap(1, 2);
    }
}

/// Size of the border.
pub fn extent(loops: &[Vec<u32>], points: &[Vec3]) -> f64 {
    let mut all = loops.iter().flatten().map(|id| points[*id as usize]);
    let Some(first) = all.next() else {
        return 0.0;
    };
    all.map(|p| (p - first).norm()).fold(0.0, f64::max)
}
