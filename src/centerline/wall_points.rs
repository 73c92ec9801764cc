//! Which vertices of a shell tell where a tube's surface is.

use super::line::{Foot, Line};
use super::shell::Shell;
use super::support::is_clear;
use crate::geom::Aabb;
use crate::parallel;

/// Vertices within these parts of the radius belong to a line.
const BAND: [f64; 2] = [0.6, 1.5];
/// Vertices for which a thread is worth its while.
const PER_THREAD: usize = 2000;

/// A vertex beside a line.
#[derive(Clone, Copy)]
pub struct WallPoint {
    pub vertex: u32,
    pub foot: Foot,
    /// How far it is from the tracked sections' line; nothing where those are not whole.
    pub from_track: Option<f64>,
}

/// For each line the vertices that lie round it and nearer to it than to any other, in radii.
pub fn share_out(shell: &Shell, lines: &[Line]) -> Vec<Vec<WallPoint>> {
    let boxes: Vec<Aabb> = lines
        .iter()
        .map(|line| line.aabb().inflated(BAND[1] * line.largest_radius()))
        .collect();
    // Distance, and overrun of an end.
    let reaches: Vec<f64> = lines
        .iter()
        .map(|line| (BAND[1] + 1.0) * line.largest_radius())
        .collect();
    let nearest = parallel::map_range(shell.vertices.len(), PER_THREAD, |v| {
        let p = &shell.vertices[v];
        let mut nearest: Option<(f64, usize, Foot)> = None;
        if shell.fans.is_flat(v) {
            return nearest;
        }
        for (i, ((line, aabb), reach)) in lines.iter().zip(&boxes).zip(&reaches).enumerate() {
            if !(0..3).all(|k| aabb.min[k] <= p[k] && p[k] <= aabb.max[k]) {
                continue;
            }
            let Some(foot) = line.project_within(p, *reach) else {
                continue;
            };
            let ratio = foot.distance / foot.radius;
            let overrun = (-foot.arc).max(foot.arc - line.length()).max(0.0);
            let best = nearest.as_ref().map_or(BAND[1], |n| n.0);
            if ratio < best && overrun < foot.radius {
                nearest = Some((ratio, i, foot));
            }
        }
        nearest
    });
    let mut own = vec![Vec::new(); lines.len()];
    for (v, near) in nearest.into_iter().enumerate() {
        if let Some((ratio, i, foot)) = near
            && ratio > BAND[0]
        {
            own[i].push(WallPoint {
                vertex: v as u32,
                foot,
                from_track: is_clear(&lines[i], &foot).then_some(foot.distance),
            });
        }
    }
    own
}

/// The wall vertices among `own`, seen from the line as it is now and sorted along it.
pub fn wall_points(shell: &Shell, own: &[WallPoint], line: &Line) -> Vec<WallPoint> {
    let mut points: Vec<WallPoint> = own
        .iter()
        .filter_map(|&point| {
            let vertex = point.vertex;
            let foot = line.project_near(&shell.vertices[vertex as usize], point.foot.arc)?;
            shell
                .fans
                .is_wall(&shell.normals, vertex as usize, &foot.tangent)
                .then_some(WallPoint { foot, ..point })
        })
        .collect();
    points.sort_unstable_by(|a, b| {
        a.foot
            .arc
            .total_cmp(&b.foot.arc)
            .then(a.vertex.cmp(&b.vertex))
    });
    points
}
