//! How a mesh is written down makes no difference: windings, and vertices that are shared or not.

use loomwright::geom::Vec3;
use loomwright::mesh::TriMesh;
use loomwright::scene::{Part, Scene, demo};

use crate::drag::drag;

/// Every second triangle, or every one, with its corners the other way round.
fn flipped(mesh: &TriMesh, every: usize) -> TriMesh {
    let triangles = mesh.triangles().iter().enumerate();
    let turned =
        triangles.map(|(k, &[a, b, c])| if k % every == 0 { [a, c, b] } else { [a, b, c] });
    TriMesh::new(mesh.vertices().to_vec(), turned.collect()).unwrap()
}

/// Each triangle with three vertices of its own.
fn unshared(mesh: &TriMesh) -> TriMesh {
    let n = mesh.triangles().len();
    let vertices = (0..n).flat_map(|t| mesh.corners(t)).collect();
    let triangles = (0..n as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    TriMesh::new(vertices, triangles.collect()).unwrap()
}

/// The nodes after every frame of a drag.
fn shapes(scene: &Scene, change: impl Fn(&TriMesh) -> TriMesh) -> Vec<Vec<Vec3>> {
    let mut scene = scene.clone();
    for part in &mut scene.parts {
        *part = Part::new(part.name.clone(), change(part.mesh()));
    }
    let mut shapes = Vec::new();
    let mut contacts = 0;
    drag(scene, 40, |_, simulation, reports| {
        contacts += reports[0].report.contacts.len();
        shapes.push(simulation.solvers()[0].state().positions.clone());
    });
    assert!(contacts > 40, "a drag without contact proves nothing");
    shapes
}

#[test]
fn windings_and_shared_vertices_make_no_difference() {
    for name in ["box", "cylinder", "pocket", "sheet"] {
        let scene = demo::demo(name).unwrap();
        let expected = shapes(&scene, Clone::clone);
        for (what, found) in [
            ("all flipped", shapes(&scene, |m| flipped(m, 1))),
            ("every second flipped", shapes(&scene, |m| flipped(m, 2))),
            ("unshared", shapes(&scene, unshared)),
        ] {
            let pairs = expected.iter().flatten().zip(found.iter().flatten());
            let apart = pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
            println!("{name}, {what}: {apart:.1e} mm");
            assert!(apart < 1e-6, "{name}, {what}: {apart} mm");
        }
    }
}
