//! A face that could not be triangulated, drawn by its border.

use super::chart::Chart;
use super::curve::Frame;
use super::delaunay::Flat;
use super::layout::{Corner, without_seams};
use super::surface::Surface;
use crate::geom::Vec3;

/// Triangles between the vertices of the loops: a wall that stands where the face should be, roughly.
pub fn patch(loops: &[Vec<u32>], points: &[Vec3]) -> Vec<[u32; 3]> {
    let loops = without_seams(loops);
    in_plane(&loops, points).unwrap_or_else(|| loops.iter().flat_map(|l| fan(l)).collect())
}

fn in_plane(loops: &[Vec<u32>], points: &[Vec3]) -> Option<Vec<[u32; 3]>> {
    let at = |id: u32| points[id as usize];
    let mut normal = Vec3::zeros();
    for l in loops {
        for i in 0..l.len() {
            normal += (at(l[i]) - at(l[0])).cross(&(at(l[(i + 1) % l.len()]) - at(l[0])));
        }
    }
    let frame = Frame::new(at(*loops.first()?.first()?), normal, None)?;
    let plane = Surface::Plane(frame);
    let corners: Vec<Vec<Corner>> = loops
        .iter()
        .map(|l| {
            l.iter()
                .map(|id| {
                    let q = frame.local(&at(*id));
                    Corner {
                        uv: [q.x, q.y],
                        id: *id,
                    }
                })
                .collect()
        })
        .collect();
    let chart = Chart::Plane { scale: [1.0, 1.0] };
    let flat = Flat::new(&plane, &chart, &corners, points).ok()?;
    Some(flat.triangles(&plane, &chart).0)
}

fn fan(l: &[u32]) -> Vec<[u32; 3]> {
    (1..l.len().saturating_sub(1))
        .map(|i| [l[0], l[i], l[i + 1]])
        .filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0])
        .collect()
}
