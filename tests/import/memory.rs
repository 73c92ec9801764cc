//! What an import takes of memory and time.

use std::path::Path;

use cpu_time::ThreadTime;
use loomwright::geom::Vec3;
use loomwright::mesh::TriMesh;
use loomwright::mesh::import::{ImportedFile, import_file};
use loomwright::mesh::primitives::cylinder;

use crate::counting::peak;

/// Bytes of the meshes of a file: their vertices and triangles.
fn n_mesh_bytes(file: &ImportedFile) -> usize {
    let size = |mesh: &TriMesh| 24 * mesh.vertices().len() + 12 * mesh.triangles().len();
    file.parts.iter().map(|p| size(&p.mesh)).sum()
}

fn write_ply(mesh: &TriMesh, path: &Path) {
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.vertices().len(),
        mesh.triangles().len()
    )
    .into_bytes();
    for c in mesh.vertices().iter().flatten() {
        bytes.extend((*c as f32).to_le_bytes());
    }
    for t in mesh.triangles() {
        bytes.push(3);
        bytes.extend(t.iter().flat_map(|v| v.to_le_bytes()));
    }
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn a_large_file_takes_at_most_five_times_its_mesh() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rod.ply");
    let axis = Vec3::new(0.0, 0.0, 4000.0);
    let rod = cylinder(&Vec3::zeros(), &axis, 30.0, 100, 1000);
    write_ply(&rod, &path);
    let (file, n_peak) = peak(|| import_file(&path).unwrap());
    assert_eq!(file.parts[0].mesh.triangles().len(), 200_200);
    let n_mesh = n_mesh_bytes(&file);
    let ratio = n_peak as f64 / n_mesh as f64;
    println!("peak {n_peak} bytes, mesh {n_mesh} bytes: {ratio:.2} times");
    assert!(ratio <= 5.0, "{ratio:.2} times the mesh");
}

/// Measures the files that the environment names, separated by `:`; prints CPU time and memory.
#[test]
fn measure_the_files_of_the_environment() {
    let Some(files) = std::env::var_os("LOOMWRIGHT_IMPORT_FILES") else {
        return;
    };
    for path in std::env::split_paths(&files) {
        let mut best = f64::INFINITY;
        let mut memory = (0, 0);
        for _ in 0..3 {
            let start = ThreadTime::now();
            let (file, n_peak) = peak(|| import_file(&path).unwrap());
            best = best.min(start.elapsed().as_secs_f64());
            memory = (n_peak, n_mesh_bytes(&file));
        }
        let (n_peak, n_mesh) = memory;
        println!(
            "{}: {best:.3} s of CPU, peak {:.1} MB, mesh {:.1} MB, ratio {:.2}",
            path.display(),
            n_peak as f64 / 1e6,
            n_mesh as f64 / 1e6,
            n_peak as f64 / n_mesh as f64
        );
    }
}
