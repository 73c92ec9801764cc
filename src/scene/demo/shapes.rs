//! Bodies for demo scenes, made by code: rounded boxes, turned and swept bodies, bolts.

use std::f64::consts::{FRAC_PI_4, TAU};

use crate::geom::{Aabb, Pose, Rotation, Vec3, rotation_along};
use crate::mesh::{TriMesh, merge_equal};

/// Triangles by their corners: equal corners become one vertex.
#[derive(Default)]
pub struct Soup {
    corners: Vec<Vec3>,
}

impl Soup {
    /// One triangle; none where two corners are the same.
    pub fn triangle(&mut self, a: Vec3, b: Vec3, c: Vec3) {
        if a != b && b != c && c != a {
            self.corners.extend([a, b, c]);
        }
    }

    /// Two triangles.
    pub fn quad(&mut self, [a, b, c, d]: [Vec3; 4]) {
        self.triangle(a, b, c);
        self.triangle(a, c, d);
    }

    /// All triangles of a mesh, moved.
    pub fn add(&mut self, mesh: &TriMesh, pose: &Pose) {
        for t in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.corners(t).map(|p| pose.transform(&p));
            self.triangle(a, b, c);
        }
    }

    /// All triangles of a mesh.
    pub fn with(mut self, mesh: &TriMesh) -> Self {
        self.add(mesh, &Pose::identity());
        self
    }

    /// The mesh.
    pub fn mesh(mut self) -> TriMesh {
        let numbers = merge_equal(&mut self.corners);
        let triangles = numbers.chunks_exact(3).map(|t| [t[0], t[1], t[2]]);
        TriMesh::new(self.corners, triangles.collect()).expect("a mesh made by code is valid")
    }
}

/// A pose at a point, with z along a direction.
pub fn along(at: [f64; 3], z: [f64; 3]) -> Pose {
    Pose {
        position: at.into(),
        rotation: rotation_along(&z.into()).unwrap_or_else(Rotation::identity),
    }
}

/// A box whose edges and corners are round, `n` facets each; the radius is at most half of its smallest side.
pub fn rounded_box(aabb: &Aabb, radius: f64, n: usize) -> TriMesh {
    let half = (aabb.max - aabb.min) * 0.5;
    let radius = radius.min(0.999 * half.min());
    let inner = half.map(|h| h - radius);
    // Coordinates along an axis: round, flat, round. The same steps of angle on both sides of an edge.
    let steps = |k: usize| -> Vec<f64> {
        let arc = |i: usize| radius * (FRAC_PI_4 * i as f64 / n as f64).tan();
        let low = (0..=n).rev().map(|i| -inner[k] - arc(i));
        low.chain((0..=n).map(|i| inner[k] + arc(i))).collect()
    };
    let place = |p: Vec3| {
        let core = p.inf(&inner).sup(&-inner);
        let out = (p - core).try_normalize(1e-12).unwrap_or_else(Vec3::z);
        aabb.center() + core + out * radius
    };
    let mut soup = Soup::default();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (us, vs) = (steps(u), steps(v));
        for side in [-1.0, 1.0] {
            let at = |s: f64, t: f64| {
                let mut p = Vec3::zeros();
                (p[axis], p[u], p[v]) = (side * half[axis], s, t);
                place(p)
            };
            for s in us.windows(2) {
                for t in vs.windows(2) {
                    let mut quad = [
                        at(s[0], t[0]),
                        at(s[1], t[0]),
                        at(s[1], t[1]),
                        at(s[0], t[1]),
                    ];
                    if side < 0.0 {
                        quad.reverse();
                    }
                    soup.quad(quad);
                }
            }
        }
    }
    soup.mesh()
}

/// A body turned about z: `profile` gives radius and height from bottom to top; where it begins or ends off the axis it is
/// closed by a flat end.
pub fn turned(profile: &[[f64; 2]], n: usize) -> TriMesh {
    let at = |[r, z]: [f64; 2], k: usize| {
        // The seam is one line.
        let (sin, cos) = (TAU * (k % n) as f64 / n as f64).sin_cos();
        Vec3::new(r * cos, r * sin, z)
    };
    let mut line = profile.to_vec();
    let ends = [line.first().copied(), line.last().copied()];
    if let Some([r, z]) = ends[0].filter(|p| p[0] > 0.0) {
        debug_assert!(r > 0.0);
        line.insert(0, [0.0, z]);
    }
    if let Some([_, z]) = ends[1].filter(|p| p[0] > 0.0) {
        line.push([0.0, z]);
    }
    let mut soup = Soup::default();
    for w in line.windows(2) {
        for k in 0..n {
            soup.quad([at(w[0], k), at(w[0], k + 1), at(w[1], k + 1), at(w[1], k)]);
        }
    }
    soup.mesh()
}

/// A ring about z at height 0: `radius` to the middle of its round section of radius `thick`.
pub fn ring(radius: f64, thick: f64, n: usize, n_section: usize) -> TriMesh {
    let at = |k: usize, j: usize| {
        let (sin, cos) = (TAU * (k % n) as f64 / n as f64).sin_cos();
        let (up, out) = (TAU * (j % n_section) as f64 / n_section as f64).sin_cos();
        let r = radius + thick * out;
        Vec3::new(r * cos, r * sin, thick * up)
    };
    let mut soup = Soup::default();
    for k in 0..n {
        for j in 0..n_section {
            soup.quad([at(k, j), at(k + 1, j), at(k + 1, j + 1), at(k, j + 1)]);
        }
    }
    soup.mesh()
}

/// A pipe along a line whose radius changes from point to point, closed at both ends.
pub fn swept(points: &[Vec3], radius: impl Fn(usize) -> f64, n: usize) -> TriMesh {
    let last = points.len() - 1;
    let tangent = |i: usize| points[(i + 1).min(last)] - points[i.saturating_sub(1)];
    let mut frame = rotation_along(&tangent(0)).unwrap_or_else(Rotation::identity);
    let mut rings = Vec::new();
    for (i, point) in points.iter().enumerate() {
        let turn = Rotation::rotation_between(&(frame * Vec3::z()), &tangent(i));
        frame = turn.unwrap_or_else(Rotation::identity) * frame;
        let at = |k: usize| {
            let (sin, cos) = (TAU * k as f64 / n as f64).sin_cos();
            point + frame * Vec3::new(cos, sin, 0.0) * radius(i)
        };
        rings.push((0..n).map(at).collect::<Vec<Vec3>>());
    }
    let mut soup = Soup::default();
    for w in rings.windows(2) {
        for k in 0..n {
            let j = (k + 1) % n;
            soup.quad([w[0][k], w[0][j], w[1][j], w[1][k]]);
        }
    }
    for k in 0..n {
        let j = (k + 1) % n;
        soup.triangle(points[0], rings[0][j], rings[0][k]);
        soup.triangle(points[last], rings[last][k], rings[last][j]);
    }
    soup.mesh()
}

/// A hexagon bolt with its washer, for a thread of that diameter: it stands on z = 0.
pub fn bolt(diameter: f64) -> TriMesh {
    let (washer, head) = (1.1 * diameter, 0.95 * diameter);
    let disc = turned(
        &[
            [washer, 0.0],
            [washer, 0.16 * diameter],
            [head, 0.2 * diameter],
        ],
        20,
    );
    let hexagon = turned(
        &[
            [head, 0.2 * diameter],
            [head, 0.75 * diameter],
            [0.8 * head, 0.9 * diameter],
        ],
        6,
    );
    Soup::default().with(&disc).with(&hexagon).mesh()
}

/// The same mesh at several places.
pub fn at_all(mesh: &TriMesh, poses: &[Pose]) -> TriMesh {
    let mut soup = Soup::default();
    for pose in poses {
        soup.add(mesh, pose);
    }
    soup.mesh()
}

/// A smooth line through points, `n` pieces between each two of them.
pub fn through(points: &[[f64; 3]], n: usize) -> Vec<Vec3> {
    let points: Vec<Vec3> = points.iter().map(|p| Vec3::from(*p)).collect();
    let last = points.len() - 1;
    let tangent = |i: usize| {
        let (before, after) = (points[i.saturating_sub(1)], points[(i + 1).min(last)]);
        (after - before) * if i == 0 || i == last { 1.0 } else { 0.5 }
    };
    let mut line = vec![points[0]];
    for i in 0..last {
        let (a, d) = (points[i], points[i + 1]);
        let (b, c) = (a + tangent(i) / 3.0, d - tangent(i + 1) / 3.0);
        line.extend(super::loom::bezier([a, b, c, d], n).into_iter().skip(1));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::EdgeTable;

    /// Volume by the divergence theorem: positive where the triangles look outwards.
    fn volume(mesh: &TriMesh) -> f64 {
        let of = |t: usize| {
            let [a, b, c] = mesh.corners(t);
            a.dot(&b.cross(&c)) / 6.0
        };
        (0..mesh.triangles().len()).map(of).sum()
    }

    #[test]
    fn bodies_are_closed_and_look_outwards() {
        let cube = Aabb {
            min: Vec3::new(-10.0, -20.0, 5.0),
            max: Vec3::new(30.0, 20.0, 45.0),
        };
        let line = through(&[[0.0, 0.0, 0.0], [50.0, 0.0, 10.0], [80.0, 40.0, 0.0]], 12);
        for (name, mesh, about) in [
            ("box", rounded_box(&cube, 5.0, 4), 62_000.0),
            ("turned", turned(&[[10.0, 0.0], [10.0, 30.0]], 64), 9_400.0),
            ("ring", ring(30.0, 5.0, 64, 24), 14_600.0),
            ("swept", swept(&line, |_| 4.0, 32), 5_100.0),
            ("bolt", bolt(8.0), 1_180.0),
        ] {
            let volume = volume(&mesh);
            assert!((volume / about - 1.0).abs() < 0.25, "{name}: {volume}");
            let edges = EdgeTable::new(&mesh);
            let open = edges.edges().filter(|edge| edge.n_sides() % 2 == 1);
            assert_eq!(open.count(), 0, "{name} is open");
        }
    }
}
