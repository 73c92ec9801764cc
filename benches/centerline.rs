//! Centerlines of harnesses of separate shells and of one solid, without reading a file.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use loomwright::centerline::{Settings, extract};
use loomwright::geom::Vec3;
use loomwright::mesh::TriMesh;

/// A row of bent pipes, each in its own shell, of about `n_triangles` together.
fn harness(n_pipes: usize, n_rings: usize, n_sides: usize) -> TriMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    let n = n_sides as u32;
    for pipe in 0..n_pipes {
        let shift = Vec3::z() * (30.0 * pipe as f64);
        for i in 0..n_rings {
            let first = vertices.len() as u32;
            let turn = 2.5 * i as f64 / n_rings as f64;
            let (sin, cos) = turn.sin_cos();
            let center = Vec3::new(150.0 * sin, 150.0 * (1.0 - cos), 0.0) + shift;
            let side = Vec3::new(-sin, cos, 0.0);
            for k in 0..n_sides {
                let angle = std::f64::consts::TAU * k as f64 / n_sides as f64;
                vertices.push(center + (Vec3::z() * angle.cos() + side * angle.sin()) * 8.0);
            }
            if i > 0 {
                for k in 0..n {
                    let (a, b) = (first - n + k, first - n + (k + 1) % n);
                    triangles.push([a, b, b + n]);
                    triangles.push([a, b + n, a + n]);
                }
            }
        }
    }
    TriMesh::new(vertices, triangles).expect("a good mesh")
}

/// Sides of a patch of the trunk round the root of a branch, in rows of the grid.
const PATCH: usize = 12;

/// A trunk with `n_branches` that stand on it, all one surface, of 8352 `fine`² triangles for each branch.
///
/// The trunk is a grid of rows and 2 `PATCH` columns. Half its turn is cut out at the root of a branch, and filled
/// with rings that go over from the square to the curve in which the two cylinders cut each other.
fn fused(n_branches: usize, fine: usize) -> TriMesh {
    let (trunk, branch) = (9.0_f64, 5.0_f64);
    let patch = PATCH * fine;
    let n_columns = 2 * patch;
    // Rows 18 mm / patch apart, 72 mm from branch to branch.
    let row = 2.0 * trunk / patch as f64;
    let n_rows = 4 * patch * n_branches;
    let mut vertices = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let on_trunk = |x: f64, angle: f64| Vec3::new(x, trunk * angle.sin(), trunk * angle.cos());
    let angle = |column: f64| std::f64::consts::PI * (column / patch as f64 - 0.5);
    for i in 0..=n_rows {
        for k in 0..n_columns {
            vertices.push(on_trunk(row * i as f64, angle(k as f64)));
        }
    }
    let on_grid = |i: usize, k: usize| (i * n_columns + k % n_columns) as u32;
    let mut quad = |[a, b, c, d]: [u32; 4]| triangles.extend([[a, b, c], [a, c, d]]);
    let first_row = |b: usize| 4 * patch * b + patch + patch / 2;
    for i in 0..n_rows {
        for k in 0..n_columns {
            let is_cut = |b: usize| (first_row(b)..first_row(b) + patch).contains(&i);
            if k >= patch || !(0..n_branches).any(is_cut) {
                quad([
                    on_grid(i, k),
                    on_grid(i, k + 1),
                    on_grid(i + 1, k + 1),
                    on_grid(i + 1, k),
                ]);
            }
        }
    }
    for b in 0..n_branches {
        let low = first_row(b);
        let center = row * (low as f64 + 0.5 * patch as f64);
        // Round the square: along its first row, up the last column, back, and down.
        let mut ring: Vec<(usize, usize)> = (0..patch).map(|k| (low, k)).collect();
        ring.extend((0..patch).map(|i| (low + i, patch)));
        ring.extend((0..patch).map(|k| (low + patch, patch - k)));
        ring.extend((0..patch).map(|i| (low + patch - i, 0)));
        let flat: Vec<[f64; 2]> = ring
            .iter()
            .map(|&(i, k)| [row * i as f64 - center, trunk * angle(k as f64)])
            .collect();
        let mut last: Vec<u32> = ring.iter().map(|&(i, k)| on_grid(i, k)).collect();
        let mut next_ring = |vertices: &mut Vec<Vec3>, place: &dyn Fn([f64; 2]) -> Vec3| {
            let ring: Vec<u32> = (0..).skip(vertices.len()).take(flat.len()).collect();
            vertices.extend(flat.iter().map(|&p| place(p)));
            for j in 0..ring.len() {
                let next = (j + 1) % ring.len();
                quad([last[j], last[next], ring[next], ring[j]]);
            }
            last = ring;
        };
        let n_rings = patch / 2;
        for r in 1..=n_rings {
            let part = r as f64 / n_rings as f64;
            next_ring(&mut vertices, &|[x, y]| {
                let turn = y.atan2(x);
                // The point of the root in the same direction, unrolled.
                let root = [
                    branch * turn.cos(),
                    trunk * (branch * turn.sin() / trunk).asin(),
                ];
                let x = x + (root[0] - x) * part;
                let y = y + (root[1] - y) * part;
                on_trunk(center + x, y / trunk)
            });
        }
        for r in 1..=5 * patch {
            let up = 100.0 * r as f64 / (5 * patch) as f64;
            next_ring(&mut vertices, &|[x, y]| {
                let turn = y.atan2(x);
                let (x, y) = (branch * turn.cos(), branch * turn.sin());
                let root = (trunk * trunk - y * y).sqrt();
                Vec3::new(center + x, y, root + (trunk + up - root) * up / 100.0)
            });
        }
    }
    TriMesh::new(vertices, triangles).expect("a good mesh")
}

fn extraction(c: &mut Criterion) {
    let mut group = c.benchmark_group("extract");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(20));
    for (name, n_branches, mesh) in [
        ("shells, 50k triangles", 8, harness(8, 130, 24)),
        ("shells, 1M triangles", 40, harness(40, 260, 48)),
        ("one solid, 17k triangles", 5, fused(2, 1)),
        ("one solid, 50k triangles", 13, fused(6, 1)),
        ("one solid, 200k triangles", 13, fused(6, 2)),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let graph = extract(black_box(&mesh), &Settings::default(), &|_| true);
                assert_eq!(graph.as_ref().map_or(0, |g| g.branches.len()), n_branches);
                graph
            });
        });
    }
    group.finish();
}

criterion_group!(benches, extraction);
criterion_main!(benches);
