//! Meshes made by code: boxes, cylinders, a block with a blind pocket, a sheet with a hole.
//!
//! Closed ones have their normals outwards. Preconditions are asserted: a wrong argument is our bug.

use std::collections::HashSet;
use std::f64::consts::TAU;

use super::{TriMesh, merge_equal};
use crate::geom::{Aabb, Rotation, Vec3, rotation_along};

/// A box with 12 triangles.
pub fn cuboid(aabb: &Aabb) -> TriMesh {
    let mut builder = Builder::default();
    let [bottom, top] = [aabb.min.z, aabb.max.z].map(|z| builder.rectangle(aabb, z));
    builder.walls(bottom, top);
    builder.quad([bottom[3], bottom[2], bottom[1], bottom[0]]);
    builder.quad(top);
    builder.finish()
}

/// A block with a rectangular pocket from its top, as one closed mesh of 28 triangles.
///
/// `pocket` gives the x and y range of the pocket and, by its `min.z`, the floor; all inside the block.
pub fn block_with_pocket(block: &Aabb, pocket: &Aabb) -> TriMesh {
    assert!(
        (0..2).all(|k| block.min[k] < pocket.min[k] && pocket.max[k] < block.max[k])
            && block.min.z < pocket.min.z
            && pocket.min.z < block.max.z,
        "the pocket must lie inside the block"
    );
    let mut builder = Builder::default();
    let bottom = builder.rectangle(block, block.min.z);
    let top = builder.rectangle(block, block.max.z);
    let mouth = builder.rectangle(pocket, block.max.z);
    let floor = builder.rectangle(pocket, pocket.min.z);
    builder.walls(bottom, top);
    builder.quad([bottom[3], bottom[2], bottom[1], bottom[0]]);
    // The rim: a frame of four trapezes.
    for k in 0..4 {
        let next = (k + 1) % 4;
        builder.quad([top[k], top[next], mouth[next], mouth[k]]);
        builder.quad([mouth[k], mouth[next], floor[next], floor[k]]);
    }
    builder.quad(floor);
    builder.finish()
}

/// A round tube with flat ends along a polyline: rings of `n_sides` vertices at its points, without twist.
///
/// `points` are at least two, each apart from the next.
pub fn tube(points: &[Vec3], radius: f64, n_sides: usize) -> TriMesh {
    assert!(points.len() >= 2 && n_sides >= 3 && radius > 0.0);
    let along = |i: usize| (points[i + 1] - points[i]).normalize();
    let n_edges = points.len() - 1;
    let mut frame = rotation_along(&along(0)).expect("the first edge has a length");
    let mut builder = Builder::default();
    let mut rings: Vec<Vec<u32>> = Vec::with_capacity(points.len());
    for (i, point) in points.iter().enumerate() {
        // In the plane that halves the angle between the two edges.
        let direction = along(i.max(1) - 1) + along(i.min(n_edges - 1));
        let turn = Rotation::rotation_between(&(frame * Vec3::z()), &direction);
        frame = turn.unwrap_or_else(Rotation::identity) * frame;
        let ring = (0..n_sides).map(|k| {
            let (sin, cos) = (TAU * k as f64 / n_sides as f64).sin_cos();
            builder.vertex(point + frame * Vec3::new(cos, sin, 0.0) * radius)
        });
        rings.push(ring.collect());
    }
    for pair in rings.windows(2) {
        for k in 0..n_sides {
            let next = (k + 1) % n_sides;
            builder.quad([pair[0][k], pair[0][next], pair[1][next], pair[1][k]]);
        }
    }
    for k in 1..n_sides - 1 {
        let (first, last) = (&rings[0], &rings[n_edges]);
        builder.triangle([first[0], first[k + 1], first[k]]);
        builder.triangle([last[0], last[k], last[k + 1]]);
    }
    builder.finish()
}

/// A cylinder from `bottom` along `axis` (its vector is the length), with `n_facets` sides and `n_rings` rows of
/// quads: `2 n_facets (n_rings + 1)` triangles, caps included.
pub fn cylinder(
    bottom: &Vec3,
    axis: &Vec3,
    radius: f64,
    n_facets: usize,
    n_rings: usize,
) -> TriMesh {
    assert!(n_facets >= 3 && n_rings >= 1 && radius > 0.0);
    let rotation = rotation_along(axis).expect("the axis has a length");
    let mut builder = Builder::default();
    let rings: Vec<Vec<u32>> = (0..=n_rings)
        .map(|k| {
            let center = bottom + axis * (k as f64 / n_rings as f64);
            (0..n_facets)
                .map(|i| {
                    let (sin, cos) = (TAU * i as f64 / n_facets as f64).sin_cos();
                    builder.vertex(center + rotation * (Vec3::new(cos, sin, 0.0) * radius))
                })
                .collect()
        })
        .collect();
    let [first, last] = [*bottom, bottom + axis].map(|p| builder.vertex(p));
    for i in 0..n_facets {
        let next = (i + 1) % n_facets;
        for pair in rings.windows(2) {
            builder.quad([pair[0][i], pair[0][next], pair[1][next], pair[1][i]]);
        }
        builder.triangle([first, rings[0][next], rings[0][i]]);
        builder.triangle([last, rings[n_rings][i], rings[n_rings][next]]);
    }
    builder.finish()
}

/// A rectangular sheet of no thickness with a round hole: one layer of triangles, open at its border and its hole.
///
/// The sheet spans `u` and `v` (at right angles, their lengths in mm) from `corner`; the hole is centred `hole` mm
/// along them. The normals point along u x v.
pub fn sheet_with_hole(
    corner: &Vec3,
    u: &Vec3,
    v: &Vec3,
    hole: [f64; 2],
    hole_radius: f64,
    n_segments: usize,
) -> TriMesh {
    let size = [u.norm(), v.norm()];
    assert!(
        n_segments >= 3 && (0..2).all(|k| hole_radius < hole[k] && hole[k] + hole_radius < size[k]),
        "the hole must lie inside the sheet"
    );
    let mut builder = Builder::default();
    let mut place =
        |[a, b]: [f64; 2]| builder.vertex(corner + u * (a / size[0]) + v * (b / size[1]));

    // Each corner of the hole looks along its ray at a vertex on the border.
    let angle_of = |i: usize| TAU * i as f64 / n_segments as f64;
    let rays: Vec<[u32; 2]> = (0..n_segments)
        .map(|i| {
            let (sin, cos) = angle_of(i).sin_cos();
            let reach = [cos, sin]
                .iter()
                .enumerate()
                .map(|(k, &c)| {
                    let room = if c > 0.0 { size[k] - hole[k] } else { hole[k] };
                    room / c.abs()
                })
                .fold(f64::INFINITY, f64::min);
            [hole_radius, reach].map(|r| place([hole[0] + r * cos, hole[1] + r * sin]))
        })
        .collect();
    // The four corners of the sheet, by their angle from the hole.
    let corners = [
        [0.0, 0.0],
        [size[0], 0.0],
        [size[0], size[1]],
        [0.0, size[1]],
    ]
    .map(|c| {
        let angle = (c[1] - hole[1]).atan2(c[0] - hole[0]).rem_euclid(TAU);
        (angle, place(c))
    });

    for i in 0..n_segments {
        let [[inner, outer], [next_inner, next_outer]] = [rays[i], rays[(i + 1) % n_segments]];
        let mut passed: Vec<(f64, u32)> = corners
            .iter()
            .copied()
            .filter(|&(angle, _)| angle_of(i) < angle && angle < angle_of(i + 1))
            .collect();
        passed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut last = outer;
        for border in passed.into_iter().map(|(_, c)| c).chain([next_outer]) {
            builder.triangle([inner, last, border]);
            last = border;
        }
        builder.triangle([inner, next_outer, next_inner]);
    }
    builder.finish()
}

/// A sheet made a plate: closed between the mesh and a copy moved by `offset`, which points away from its normals.
pub fn thickened(sheet: &TriMesh, offset: &Vec3) -> TriMesh {
    let n = sheet.vertices().len() as u32;
    let mut builder = Builder {
        vertices: sheet.vertices().to_vec(),
        triangles: sheet.triangles().to_vec(),
    };
    (builder.vertices).extend(sheet.vertices().iter().map(|v| v + offset));
    let sides = |&[a, b, c]: &[u32; 3]| [(a, b), (b, c), (c, a)];
    let known: HashSet<(u32, u32)> = sheet.triangles().iter().flat_map(sides).collect();
    for t in sheet.triangles() {
        builder.triangle([t[0] + n, t[2] + n, t[1] + n]);
        for (a, b) in sides(t) {
            if !known.contains(&(b, a)) {
                builder.quad([b, a, a + n, b + n]);
            }
        }
    }
    builder.finish()
}

/// The same surface with each side of a triangle cut into `pieces`, and each triangle into their square.
pub fn subdivided(mesh: &TriMesh, pieces: usize) -> TriMesh {
    assert!(pieces >= 1);
    let mut builder = Builder::default();
    for t in mesh.triangles() {
        let [a, b, c] = t.map(|v| (v, mesh.vertices()[v as usize]));
        // Both triangles of a side must find the same points on it: from its end with the smaller number.
        let between = |(u, p): (u32, Vec3), (v, q): (u32, Vec3), k: usize| {
            let (p, q, k) = if u < v { (p, q, k) } else { (q, p, pieces - k) };
            match k {
                0 => p,
                k if k == pieces => q,
                k => p.lerp(&q, k as f64 / pieces as f64),
            }
        };
        let point = |i: usize, j: usize| match (i, j) {
            (i, 0) => between(a, b, i),
            (0, j) => between(a, c, j),
            (i, j) if i + j == pieces => between(b, c, j),
            (i, j) => {
                let (s, t) = (i as f64 / pieces as f64, j as f64 / pieces as f64);
                a.1 + (b.1 - a.1) * s + (c.1 - a.1) * t
            }
        };
        for i in 0..pieces {
            for j in 0..pieces - i {
                let mut cut = |places: [(usize, usize); 3]| {
                    let corners = places.map(|(i, j)| builder.vertex(point(i, j)));
                    builder.triangle(corners);
                };
                cut([(i, j), (i + 1, j), (i, j + 1)]);
                if i + j + 1 < pieces {
                    cut([(i + 1, j), (i + 1, j + 1), (i, j + 1)]);
                }
            }
        }
    }
    let number = merge_equal(&mut builder.vertices);
    for corner in builder.triangles.iter_mut().flatten() {
        *corner = number[*corner as usize];
    }
    builder.finish()
}

/// Collects vertices and triangles.
#[derive(Default)]
struct Builder {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Builder {
    fn vertex(&mut self, p: Vec3) -> u32 {
        self.vertices.push(p);
        self.vertices.len() as u32 - 1
    }

    /// The corners of the box's outline at height `z`, counter-clockwise from above.
    fn rectangle(&mut self, aabb: &Aabb, z: f64) -> [u32; 4] {
        let (a, b) = (&aabb.min, &aabb.max);
        [[a.x, a.y], [b.x, a.y], [b.x, b.y], [a.x, b.y]]
            .map(|[x, y]| self.vertex(Vec3::new(x, y, z)))
    }

    fn triangle(&mut self, corners: [u32; 3]) {
        self.triangles.push(corners);
    }

    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.triangle([a, b, c]);
        self.triangle([a, c, d]);
    }

    fn walls(&mut self, bottom: [u32; 4], top: [u32; 4]) {
        for k in 0..4 {
            let next = (k + 1) % 4;
            self.quad([bottom[k], bottom[next], top[next], top[k]]);
        }
    }

    fn finish(self) -> TriMesh {
        TriMesh::new(self.vertices, self.triangles).expect("a mesh made by code is valid")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many sides have no partner running the other way; panics where two run the same way.
    fn n_open_sides(mesh: &TriMesh) -> usize {
        let mut sides = HashSet::new();
        for &[a, b, c] in mesh.triangles() {
            for side in [(a, b), (b, c), (c, a)] {
                let is_new = sides.insert(side);
                assert!(is_new, "side {side:?} twice in the same direction");
            }
        }
        sides
            .iter()
            .filter(|(a, b)| !sides.contains(&(*b, *a)))
            .count()
    }

    /// Volume of a closed mesh, positive when its normals point outwards (divergence theorem).
    fn volume(mesh: &TriMesh) -> f64 {
        (0..mesh.triangles().len())
            .map(|t| {
                let [a, b, c] = mesh.corners(t);
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum()
    }

    fn aabb(min: [f64; 3], max: [f64; 3]) -> Aabb {
        Aabb {
            min: Vec3::from(min),
            max: Vec3::from(max),
        }
    }

    #[test]
    fn closed_meshes_are_closed_and_hold_their_volume() {
        let block = aabb([1.0, 2.0, 3.0], [11.0, 22.0, 8.0]);
        let pocket = aabb([3.0, 5.0, 4.0], [9.0, 15.0, 8.0]);
        let sides = 64.0_f64;
        let area = 0.5 * sides * (TAU / sides).sin() * 9.0;
        for (mesh, n, expected) in [
            (cuboid(&block), 12, 1000.0),
            (block_with_pocket(&block, &pocket), 28, 1000.0 - 240.0),
            (
                cylinder(
                    &Vec3::new(5.0, 0.0, 1.0),
                    &Vec3::new(0.0, 7.0, 0.0),
                    3.0,
                    64,
                    4,
                ),
                640,
                area * 7.0,
            ),
        ] {
            assert_eq!(mesh.triangles().len(), n);
            assert_eq!(n_open_sides(&mesh), 0);
            assert!((volume(&mesh) - expected).abs() < 1e-9 * expected);
        }
    }

    #[test]
    fn the_sheet_is_flat_open_and_has_its_area() {
        let (u, v) = (Vec3::new(0.0, 30.0, 0.0), Vec3::new(0.0, 0.0, 50.0));
        for n in [3, 8, 48] {
            let mesh = sheet_with_hole(&Vec3::new(4.0, 1.0, 2.0), &u, &v, [12.0, 20.0], 5.0, n);
            let hole = 0.5 * n as f64 * (TAU / n as f64).sin() * 25.0;
            let mut area = 0.0;
            for t in 0..mesh.triangles().len() {
                let [a, b, c] = mesh.corners(t);
                let doubled = (b - a).cross(&(c - a));
                // All triangles face along u x v: none is folded over.
                assert!(doubled.x > 0.0 && doubled.yz().norm() < 1e-9);
                area += 0.5 * doubled.x;
            }
            assert!((area - (1500.0 - hole)).abs() < 1e-9);
            // The hole, and the border with its four corners.
            assert_eq!(n_open_sides(&mesh), n + n + 4);
        }
    }

    #[test]
    fn a_plate_is_closed_and_has_its_volume_and_cutting_changes_neither() {
        let (u, v) = (Vec3::new(0.0, 30.0, 0.0), Vec3::new(0.0, 0.0, 50.0));
        let sheet = sheet_with_hole(&Vec3::new(4.0, 1.0, 2.0), &u, &v, [12.0, 20.0], 5.0, 24);
        let plate = thickened(&sheet, &Vec3::new(-2.0, 0.0, 0.0));
        let hole = 0.5 * 24.0 * (TAU / 24.0).sin() * 25.0;
        for mesh in [subdivided(&plate, 3), plate] {
            assert_eq!(n_open_sides(&mesh), 0);
            assert!((volume(&mesh) - 2.0 * (1500.0 - hole)).abs() < 1e-9);
        }
    }

    #[test]
    fn a_ray_through_a_corner_makes_no_sliver() {
        let (u, v) = (Vec3::new(40.0, 0.0, 0.0), Vec3::new(0.0, 40.0, 0.0));
        let mesh = sheet_with_hole(&Vec3::zeros(), &u, &v, [20.0, 20.0], 5.0, 8);
        for t in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.corners(t);
            assert!(
                (b - a).cross(&(c - a)).norm() > 1e-6,
                "triangle {t} has no area"
            );
        }
    }
}
