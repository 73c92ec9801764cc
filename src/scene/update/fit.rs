//! Whether two meshes are one shape in two places, and the motion between them.

use std::collections::HashMap;

use crate::geom::{Mat3, Pose, Rotation, Vec3};
use crate::mesh::TriMesh;

/// Frames that are tried at most to find the motion between meshes whose vertices are in another order.
const MOST_FRAMES: usize = 4000;

/// The motion that takes `old` to `new`; `None` where they are not the same shape.
///
/// Vertices may be in another order, but must be the same ones: a part that was meshed anew counts as changed. Of the
/// motions of a symmetric part the one that turns it least.
pub fn rigid_fit(old: &TriMesh, new: &TriMesh) -> Option<Pose> {
    let (a, b) = (old.vertices(), new.vertices());
    if a.len() != b.len() || old.triangles().len() != new.triangles().len() {
        return None;
    }
    let near = tolerance(a, b);
    if a.iter().zip(b).all(|(p, q)| (p - q).norm() <= near) {
        return Some(Pose::identity());
    }
    let motion = kabsch(a, b);
    let fits = |(p, q): (&Vec3, &Vec3)| (motion.transform(p) - q).norm() <= near;
    if a.iter().zip(b).all(fits) {
        return Some(motion);
    }
    reordered(a, b, near)
}

/// What single precision makes of coordinates of that size, some times over.
fn tolerance(a: &[Vec3], b: &[Vec3]) -> f64 {
    let largest = |points: &[Vec3]| points.iter().fold(0.0_f64, |m, p| m.max(p.amax()));
    1e-6 * largest(a).max(largest(b)).max(1e-3)
}

fn centre(points: &[Vec3]) -> Vec3 {
    points.iter().sum::<Vec3>() / points.len().max(1) as f64
}

/// The motion with the least sum of squared distances between pairs (Kabsch 1976).
fn kabsch(a: &[Vec3], b: &[Vec3]) -> Pose {
    let (from, to) = (centre(a), centre(b));
    let mut covariance = Mat3::zeros();
    for (p, q) in a.iter().zip(b) {
        covariance += (q - to) * (p - from).transpose();
    }
    let svd = covariance.svd(true, true);
    let (Some(u), Some(v_t)) = (svd.u, svd.v_t) else {
        return Pose {
            position: to - from,
            rotation: Rotation::identity(),
        };
    };
    let mut signs = Mat3::identity();
    signs[(2, 2)] = (u * v_t).determinant().signum();
    let matrix = u * signs * v_t;
    let rotation =
        Rotation::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(matrix));
    Pose {
        position: to - rotation * from,
        rotation,
    }
}

/// The vertices of a mesh by the cell that they are in.
struct Cells<'a> {
    points: &'a [Vec3],
    size: f64,
    by_place: HashMap<[i64; 3], Vec<u32>>,
}

impl<'a> Cells<'a> {
    fn new(points: &'a [Vec3], size: f64) -> Self {
        let mut by_place: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
        for (k, p) in (0_u32..).zip(points) {
            by_place.entry(cell(p, size)).or_default().push(k);
        }
        Self {
            points,
            size,
            by_place,
        }
    }

    /// The vertex nearest to `p`, where one is within a cell's size.
    fn nearest(&self, p: &Vec3) -> Option<&Vec3> {
        let [x, y, z] = cell(p, self.size);
        let around = (-1..=1)
            .flat_map(|i| (-1..=1).flat_map(move |j| (-1..=1).map(move |k| [x + i, y + j, z + k])));
        let found = around.filter_map(|c| self.by_place.get(&c)).flatten();
        let points = found.map(|k| &self.points[*k as usize]);
        let distance = |q: &&Vec3| (*q - p).norm_squared();
        points
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .filter(|q| distance(q) <= self.size * self.size)
    }
}

fn cell(p: &Vec3, size: f64) -> [i64; 3] {
    [p.x, p.y, p.z].map(|c| (c / size).floor() as i64)
}

/// The motion between meshes whose vertices are in another order: two vertices that are easily told from the others, the
/// farthest from the centre and the farthest from the line to it, are sought in the other mesh.
fn reordered(a: &[Vec3], b: &[Vec3], near: f64) -> Option<Pose> {
    let (from, to) = (centre(a), centre(b));
    let out = |p: &Vec3| p - from;
    let first = *a
        .iter()
        .max_by(|p, q| out(p).norm().total_cmp(&out(q).norm()))?;
    let axis = out(&first).try_normalize(0.0)?;
    let aside = |p: &Vec3| out(p).cross(&axis).norm();
    let second = *a.iter().max_by(|p, q| aside(p).total_cmp(&aside(q)))?;
    let (r1, r2) = (out(&first).norm(), out(&second).norm());
    let between = (first - second).norm();
    // Distances of pairs are worse than places by some roundings.
    let loose = 8.0 * near;
    let at = |r: f64| {
        let ring = b
            .iter()
            .filter(move |q| ((*q - to).norm() - r).abs() <= loose);
        ring.copied().collect::<Vec<_>>()
    };
    let (firsts, seconds) = (at(r1), at(r2));
    let cells = Cells::new(b, 4.0 * loose);
    let mut best: Option<Pose> = None;
    let mut tried = 0;
    for p in &firsts {
        for q in &seconds {
            if ((p - q).norm() - between).abs() > loose {
                continue;
            }
            tried += 1;
            if tried > MOST_FRAMES {
                return best;
            }
            let motion = kabsch(&[from, first, second], &[to, *p, *q]);
            let Some(motion) = refined(a, &motion, &cells, near) else {
                continue;
            };
            let angle = motion.rotation.angle();
            if best.is_none_or(|known| angle < known.rotation.angle() - 1e-9) {
                best = Some(motion);
            }
        }
    }
    best
}

/// The motion made exact over all vertices, where each of them meets one of the other mesh.
fn refined(a: &[Vec3], motion: &Pose, cells: &Cells, near: f64) -> Option<Pose> {
    let pairs: Option<Vec<Vec3>> = a
        .iter()
        .map(|p| cells.nearest(&motion.transform(p)).copied())
        .collect();
    let pairs = pairs?;
    let exact = kabsch(a, &pairs);
    let fits = |(p, q): (&Vec3, &Vec3)| (exact.transform(p) - q).norm() <= 2.0 * near;
    a.iter().zip(&pairs).all(fits).then_some(exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Aabb;
    use crate::mesh::primitives;

    fn motion() -> Pose {
        Pose {
            position: Vec3::new(40.0, -12.0, 3.0),
            rotation: Rotation::from_scaled_axis(Vec3::new(0.2, -0.4, 0.9)),
        }
    }

    fn shuffled(mesh: &TriMesh) -> TriMesh {
        let n = mesh.vertices().len() as u32;
        // 7919 is a prime larger than any of these meshes: a permutation.
        let to = |k: u32| (u64::from(k) * 7919 % u64::from(n)) as u32;
        let mut vertices = vec![Vec3::zeros(); n as usize];
        for (k, p) in (0_u32..).zip(mesh.vertices()) {
            vertices[to(k) as usize] = *p;
        }
        let triangles = mesh.triangles().iter().map(|t| t.map(to)).collect();
        TriMesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn a_moved_mesh_is_recognised_in_any_order_of_its_vertices_and_another_is_not() {
        let block = primitives::cuboid(&Aabb {
            min: Vec3::new(1000.0, 200.0, -50.0),
            max: Vec3::new(1120.0, 270.0, -10.0),
        });
        let post = primitives::cylinder(
            &Vec3::new(900.0, 0.0, 0.0),
            &Vec3::new(900.0, 30.0, 200.0),
            20.0,
            48,
            1,
        );
        for mesh in [&block, &post] {
            assert_eq!(rigid_fit(mesh, mesh), Some(Pose::identity()));
            let moved = mesh.transformed(&motion());
            let check = |found: Pose| {
                for p in mesh.vertices() {
                    let off = (found.transform(p) - motion().transform(p)).norm();
                    assert!(off < 1e-6, "{off}");
                }
            };
            check(rigid_fit(mesh, &moved).unwrap());
            let found = rigid_fit(mesh, &shuffled(&moved)).unwrap();
            // A symmetric part may be turned onto itself, but it is there.
            let cells = Cells::new(moved.vertices(), 1e-3);
            for p in mesh.vertices() {
                assert!(cells.nearest(&found.transform(p)).is_some());
            }
            assert!(found.rotation.angle() <= motion().rotation.angle() + 1e-9);
            // One vertex elsewhere, or a mirror image of something without symmetry.
            let mut vertices = moved.vertices().to_vec();
            vertices[3] += Vec3::new(0.5, 0.0, 0.0);
            let changed = TriMesh::new(vertices, moved.triangles().to_vec()).unwrap();
            assert_eq!(rigid_fit(mesh, &changed), None);
            let mirrored: Vec<Vec3> = changed
                .vertices()
                .iter()
                .map(|p| Vec3::new(-p.x, p.y, p.z))
                .collect();
            let mirrored = TriMesh::new(mirrored, changed.triangles().to_vec()).unwrap();
            assert_eq!(rigid_fit(&changed, &mirrored), None);
        }
        assert_eq!(rigid_fit(&block, &post), None);
    }
}
