//! Which vertices of a shell tell where a tube's surface is.

use super::line::{Foot, Line};
use super::shell::Shell;
use crate::geom::Vec3;

/// Cosine beyond which two triangles lie in one plane: their common vertex was put on a flat facet and is not a point
/// of the surface that CAD had.
const COPLANAR: f64 = 1.0 - 1e-6;
/// A triangle is a wall where its normal is so far across the line, a cap elsewhere.
const WALL: f64 = 0.5;
/// Vertices within these parts of the radius belong to a line.
const BAND: [f64; 2] = [0.6, 1.5];

/// The triangles at each vertex, and whether the vertex stands on a flat facet.
pub struct Fans {
    first: Vec<u32>,
    triangles: Vec<u32>,
    is_flat: Vec<bool>,
}

impl Fans {
    pub fn new(shell: &Shell) -> Self {
        let n = shell.vertices.len();
        let mut first = vec![0_u32; n + 1];
        for corners in &shell.triangles {
            for &v in corners {
                first[v as usize + 1] += 1;
            }
        }
        for v in 0..n {
            first[v + 1] += first[v];
        }
        let mut next = first.clone();
        let mut triangles = vec![0_u32; 3 * shell.triangles.len()];
        for (t, corners) in shell.triangles.iter().enumerate() {
            for &v in corners {
                triangles[next[v as usize] as usize] = t as u32;
                next[v as usize] += 1;
            }
        }
        let is_flat = (0..n)
            .map(|v| {
                let fan = &triangles[first[v] as usize..first[v + 1] as usize];
                let reference = shell.normals[fan[0] as usize];
                fan.iter()
                    .all(|&t| shell.normals[t as usize].dot(&reference).abs() > COPLANAR)
            })
            .collect();
        Self {
            first,
            triangles,
            is_flat,
        }
    }

    /// The triangles at vertex `v`.
    pub fn of(&self, v: usize) -> &[u32] {
        &self.triangles[self.first[v] as usize..self.first[v + 1] as usize]
    }

    /// Whether vertex `v` is a corner of a wall of a tube that goes along `tangent` there.
    pub fn is_wall(&self, shell: &Shell, v: usize, tangent: &Vec3) -> bool {
        self.of(v)
            .iter()
            .any(|&t| shell.normals[t as usize].dot(tangent).abs() < WALL)
    }
}

/// A vertex beside a line.
#[derive(Clone, Copy)]
pub struct WallPoint {
    pub vertex: u32,
    pub foot: Foot,
}

/// For each line the vertices that lie round it and nearer to it than to any other, in radii.
pub fn share_out(shell: &Shell, fans: &Fans, lines: &[Line]) -> Vec<Vec<WallPoint>> {
    let mut nearest: Vec<Option<(f64, usize, Foot)>> = vec![None; shell.vertices.len()];
    for (i, line) in lines.iter().enumerate() {
        let aabb = line.aabb().inflated(BAND[1] * line.largest_radius());
        for (v, p) in shell.vertices.iter().enumerate() {
            let is_inside = (0..3).all(|k| aabb.min[k] <= p[k] && p[k] <= aabb.max[k]);
            if !is_inside || fans.is_flat[v] {
                continue;
            }
            let Some(foot) = line.project(p) else {
                continue;
            };
            let ratio = foot.distance / foot.radius;
            let overrun = (-foot.arc).max(foot.arc - line.length()).max(0.0);
            let best = nearest[v].as_ref().map_or(BAND[1], |n| n.0);
            if ratio < best && overrun < foot.radius {
                nearest[v] = Some((ratio, i, foot));
            }
        }
    }
    let mut own = vec![Vec::new(); lines.len()];
    for (v, near) in nearest.into_iter().enumerate() {
        if let Some((ratio, i, foot)) = near
            && ratio > BAND[0]
        {
            own[i].push(WallPoint {
                vertex: v as u32,
                foot,
            });
        }
    }
    own
}

/// The wall vertices among `own`, seen from the line as it is now and sorted along it.
pub fn wall_points(shell: &Shell, fans: &Fans, own: &[WallPoint], line: &Line) -> Vec<WallPoint> {
    let mut points: Vec<WallPoint> = own
        .iter()
        .filter_map(|&WallPoint { vertex, foot }| {
            let foot = line.project_near(&shell.vertices[vertex as usize], foot.arc)?;
            fans.is_wall(shell, vertex as usize, &foot.tangent)
                .then_some(WallPoint { vertex, foot })
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
