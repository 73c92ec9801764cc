//! Centerlines of a harness of 50 000 triangles and of one of a million, without reading a file.

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

fn extraction(c: &mut Criterion) {
    let mut group = c.benchmark_group("extract");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(20));
    for (name, mesh) in [
        ("50k triangles", harness(8, 130, 24)),
        ("1M triangles", harness(40, 260, 48)),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let graph = extract(black_box(&mesh), &Settings::default(), &|_| true);
                assert!(graph.is_ok());
                graph
            });
        });
    }
    group.finish();
}

criterion_group!(benches, extraction);
criterion_main!(benches);
