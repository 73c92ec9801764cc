//! The independent checker against crossings planted by hand, brute force, and trace files.

#![expect(clippy::float_cmp, reason = "where the answer is exact, the test is")]

mod long_trace;
mod planted;
mod property;
mod reference;
mod trace;

use loomwright::check::{Checker, Crossing, Finding};
use loomwright::geom::Vec3;
use loomwright::mesh::TriMesh;

fn v(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

/// One part from loose triangles.
fn soup(triangles: &[[Vec3; 3]]) -> TriMesh {
    let vertices = triangles.iter().flatten().copied().collect();
    let indices = (0..triangles.len() as u32)
        .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
        .collect();
    TriMesh::new(vertices, indices).expect("a mesh")
}

fn checker_of(triangles: &[[Vec3; 3]]) -> Checker {
    Checker::new([("part", &soup(triangles))])
}

/// A flat rectangle in the plane z = `height`, cut into n x n squares of two triangles each.
fn sheet(half_width: f64, n: u32, height: f64) -> TriMesh {
    bumpy_sheet(half_width, n, |_, _| height)
}

fn bumpy_sheet(half_width: f64, n: u32, height: impl Fn(f64, f64) -> f64) -> TriMesh {
    let at = |k: u32| half_width * (2.0 * f64::from(k) / f64::from(n) - 1.0);
    let mut vertices = vec![];
    for i in 0..=n {
        for j in 0..=n {
            vertices.push(v(at(i), at(j), height(at(i), at(j))));
        }
    }
    let mut triangles = vec![];
    for i in 0..n {
        for j in 0..n {
            let k = i * (n + 1) + j;
            triangles.push([k, k + n + 1, k + n + 2]);
            triangles.push([k, k + n + 2, k + 1]);
        }
    }
    TriMesh::new(vertices, triangles).expect("a mesh")
}

/// The crossing of a motion, if that is what was found; anything else found is a failed test.
fn crossing(checker: &Checker, before: &[Vec3], after: &[Vec3]) -> Option<Crossing> {
    checker
        .check_motion(before, after)
        .map(|finding| match finding {
            Finding::Crossing(crossing) => crossing,
            other => panic!("found {other:?}"),
        })
}
