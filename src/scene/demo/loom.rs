//! Tessellated harnesses made by code, with their true centerlines.

use super::aabb;
use crate::geom::{Pose, Rotation, Vec3, rotation_along};
use crate::mesh::{TriMesh, primitives};

/// One branch of the harness as it truly is.
pub struct TrueBranch {
    /// Its name: `trunk`, `b1` and so on.
    pub name: &'static str,
    /// Points of the centerline; a branch starts on that of the trunk.
    pub points: Vec<Vec3>,
    /// mm.
    pub radius: f64,
}

/// The Bezier curve of four points, in `n` pieces.
pub fn bezier([a, b, c, d]: [Vec3; 4], n: usize) -> Vec<Vec3> {
    let at = |i: usize| {
        let t = i as f64 / n as f64;
        let u = 1.0 - t;
        a * (u * u * u) + b * (3.0 * u * u * t) + c * (3.0 * u * t * t) + d * (t * t * t)
    };
    (0..=n).map(at).collect()
}

/// The tessellated harness: closed shells that touch, with a connector at each end. The trunk comes first, and the
/// other branches start on its centerline.
pub fn tessellated(branches: &[TrueBranch], n_sides: usize) -> TriMesh {
    let trunk_radius = branches.first().map_or(0.0, |trunk| trunk.radius);
    let mut shells = Vec::new();
    for (k, branch) in branches.iter().enumerate() {
        let mut points = branch.points.clone();
        if k > 0 {
            points = from_inside(&points, trunk_radius);
        }
        shells.push(primitives::tube(&points, branch.radius, n_sides));
        let n = points.len();
        let mut ends = vec![(points[n - 1], points[n - 1] - points[n - 2])];
        if k == 0 {
            ends.push((points[0], points[0] - points[1]));
        }
        shells.extend(
            ends.iter()
                .map(|(at, out)| connector(at, out, branch.radius)),
        );
    }
    joined(&shells)
}

/// A branch as it is modelled: from just inside the trunk's surface, by a point of its own where its points are too far
/// apart for one to be near.
fn from_inside(points: &[Vec3], trunk_radius: f64) -> Vec<Vec3> {
    let depth = trunk_radius - 1.0;
    let distance = |p: &Vec3| (p - points[0]).norm();
    let first = points.iter().position(|p| distance(p) > depth).unwrap_or(0);
    let mut kept = points[first..].to_vec();
    if first > 0 && distance(&points[first]) > trunk_radius + 1.0 {
        let (inside, outside) = (points[first - 1], points[first]);
        let share = (depth - distance(&inside)) / (distance(&outside) - distance(&inside));
        kept.insert(0, inside + (outside - inside) * share);
    }
    kept
}

/// A box at the end of a branch, turned along it.
fn connector(at: &Vec3, out: &Vec3, radius: f64) -> TriMesh {
    let half = 1.8 * radius;
    let shell = primitives::cuboid(&aabb([-half, -half, -1.0], [half, half, 4.0 * radius]));
    let placed = Pose {
        position: *at,
        rotation: rotation_along(out).unwrap_or_else(Rotation::identity),
    };
    let vertices = shell.vertices().iter().map(|v| placed.transform(v));
    TriMesh::new(vertices.collect(), shell.triangles().to_vec()).unwrap_or(shell)
}

fn joined(shells: &[TriMesh]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for shell in shells {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(shell.vertices());
        triangles.extend(shell.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    TriMesh::new(vertices, triangles).expect("a mesh made by code is valid")
}
