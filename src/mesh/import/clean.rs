//! From what a reader found to a mesh in mm and Z up: welded, without triangles that are none.

use super::raw::RawPart;
use super::report::Cleaning;
use super::{ImportError, SourceSpace};
use crate::geom::{Aabb, Vec3};
use crate::mesh::weld::{Fate, hash, weld, weld_distance};
use crate::mesh::{EdgeTable, TriMesh};
use crate::progress::Stretch;

/// Twice the area over the square of the longest side, at which a triangle has no area but that of round-off.
const DEGENERATE_RATIO: f64 = 1e-12;

/// A part after cleaning.
pub struct Cleaned {
    /// The mesh; none when nothing is left.
    pub mesh: Option<TriMesh>,
    /// What was done.
    pub cleaning: Cleaning,
    /// The edges of the mesh, when they are known by the way.
    pub edges: Option<EdgeTable>,
}

/// Cleans a part.
///
/// Vertices of equal coordinates become one. Then those on open borders that lie within the weld distance of each
/// other do: the copies along a seam differ by rounding. Inside a closed surface nothing is welded, so that bodies
/// that only touch stay apart.
pub fn clean(
    raw: &mut RawPart,
    space: SourceSpace,
    weld_relative: f64,
    stretch: &Stretch,
) -> Result<Cleaned, ImportError> {
    // Taken out of the part, so that they are in memory only once.
    let mut vertices = std::mem::take(&mut raw.vertices);
    let mut triangles = std::mem::take(&mut raw.triangles);
    let mut is_used = vec![false; vertices.len()];
    triangles
        .iter()
        .flatten()
        .for_each(|&v| is_used[v as usize] = true);
    let n_used = is_used.iter().filter(|&&used| used).count();
    let mut cleaning = Cleaning {
        triangles_read: triangles.len(),
        vertices_read: raw.n_vertices_read.unwrap_or(vertices.len()),
        vertices_unused: vertices.len() - n_used,
        crossed_polygons: raw.n_crossed,
        ..Cleaning::default()
    };

    let mut aabb = Aabb::empty();
    for (v, _) in vertices.iter_mut().zip(&is_used).filter(|(_, used)| **used) {
        *v = space.to_ours(v);
        aabb.grow(v);
    }
    let distance = weld_distance(&aabb, weld_relative);
    cleaning.weld_distance = distance;
    stretch.at(0.1)?;
    // Some readers make one of equal vertices as they come.
    if raw.n_vertices_read.is_none() {
        let equal = |v: usize| {
            if is_used[v] {
                Fate::Joined
            } else {
                Fate::Dropped
            }
        };
        renumber(&mut triangles, &weld(&mut vertices, 0.0, equal));
    }
    drop(is_used);
    stretch.at(0.3)?;
    // Triangles of exact faces fit their neighbours; without one of them there would be a hole.
    if raw.brep.is_none() {
        drop_useless(&mut vertices, &mut triangles, &mut cleaning);
    }
    stretch.at(0.5)?;

    let mut edges = None;
    if distance > 0.0 {
        let table = EdgeTable::of(&triangles, vertices.len());
        let on_border = border_vertices(&table, vertices.len());
        stretch.at(0.8)?;
        let n_before = vertices.len();
        if on_border.contains(&true) {
            let near = |v: usize| {
                if on_border[v] {
                    Fate::Joined
                } else {
                    Fate::Alone
                }
            };
            let new_number = weld(&mut vertices, distance, near);
            if vertices.len() < n_before {
                renumber(&mut triangles, &new_number);
            }
        }
        if vertices.len() < n_before {
            drop(table);
            drop_useless(&mut vertices, &mut triangles, &mut cleaning);
        } else {
            edges = Some(table);
        }
    }
    triangles.shrink_to_fit();
    stretch.at(1.0)?;
    cleaning.triangles_kept = triangles.len();
    cleaning.vertices_kept = vertices.len();
    Ok(Cleaned {
        mesh: TriMesh::new(vertices, triangles).ok(),
        cleaning,
        edges,
    })
}

fn renumber(triangles: &mut [[u32; 3]], new_number: &[u32]) {
    for triangle in triangles {
        *triangle = triangle.map(|v| new_number[v as usize]);
    }
}

/// Which vertices stand at an edge of only one triangle.
fn border_vertices(edges: &EdgeTable, n_vertices: usize) -> Vec<bool> {
    let mut is_border = vec![false; n_vertices];
    for edge in edges.edges() {
        if edge.n_sides() == 1 {
            edge.vertices
                .iter()
                .for_each(|&v| is_border[v as usize] = true);
        }
    }
    is_border
}

/// Drops triangles without area, those that are there already, and then vertices that no triangle uses.
fn drop_useless(vertices: &mut Vec<Vec3>, triangles: &mut Vec<[u32; 3]>, cleaning: &mut Cleaning) {
    let n_before = triangles.len();
    triangles.retain(|t| !has_no_area(&t.map(|v| vertices[v as usize])));
    cleaning.degenerate += n_before - triangles.len();
    cleaning.duplicate += drop_duplicates(triangles);
    drop_unused(vertices, triangles);
}

/// Thin triangles are kept: they often close a surface where an edge has a vertex of the other side on it.
fn has_no_area([a, b, c]: &[Vec3; 3]) -> bool {
    let doubled_area = (b - a).cross(&(c - a)).norm();
    let longest_sq = (b - a)
        .norm_squared()
        .max((c - b).norm_squared())
        .max((a - c).norm_squared());
    doubled_area <= DEGENERATE_RATIO * longest_sq
}

/// Keeps the first of the triangles on the same three vertices; returns how many went.
fn drop_duplicates(triangles: &mut Vec<[u32; 3]>) -> usize {
    const FREE: u32 = u32::MAX;
    let n_slots = (triangles.len() * 3 / 2 + 1).next_power_of_two();
    let mut slots = vec![FREE; n_slots];
    let key = |t: &[u32; 3]| {
        let mut key = *t;
        key.sort_unstable();
        key
    };
    let mut n_kept = 0;
    for i in 0..triangles.len() {
        let triangle = triangles[i];
        let wanted = key(&triangle);
        let mut k = hash(wanted.map(u64::from)) as usize & (n_slots - 1);
        let is_new = loop {
            match slots[k] {
                FREE => break true,
                other if key(&triangles[other as usize]) == wanted => break false,
                _ => k = (k + 1) & (n_slots - 1),
            }
        };
        if is_new {
            slots[k] = n_kept as u32;
            triangles[n_kept] = triangle;
            n_kept += 1;
        }
    }
    let n_dropped = triangles.len() - n_kept;
    triangles.truncate(n_kept);
    n_dropped
}

/// Drops vertices that no triangle uses any more.
fn drop_unused(vertices: &mut Vec<Vec3>, triangles: &mut [[u32; 3]]) {
    let mut new_number = vec![u32::MAX; vertices.len()];
    for &v in triangles.iter().flatten() {
        new_number[v as usize] = 0;
    }
    if !new_number.contains(&u32::MAX) {
        return;
    }
    let mut n_kept = 0;
    for v in 0..vertices.len() {
        if new_number[v] == 0 {
            vertices[n_kept] = vertices[v];
            new_number[v] = n_kept as u32;
            n_kept += 1;
        }
    }
    vertices.truncate(n_kept);
    for triangle in triangles {
        *triangle = triangle.map(|v| new_number[v as usize]);
    }
}
