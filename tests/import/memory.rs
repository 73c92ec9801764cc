//! What an import takes of memory and time.

use std::fmt::Write as _;
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

fn write_stl(mesh: &TriMesh, path: &Path) {
    let mut bytes = vec![b' '; 80];
    bytes.extend((mesh.triangles().len() as u32).to_le_bytes());
    for t in 0..mesh.triangles().len() {
        bytes.extend([0; 12]);
        for c in mesh.corners(t).iter().flatten() {
            bytes.extend((*c as f32).to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    std::fs::write(path, bytes).unwrap();
}

fn write_obj(mesh: &TriMesh, path: &Path) {
    let mut text = String::new();
    for p in mesh.vertices() {
        let _ = writeln!(text, "v {:.6} {:.6} {:.6}", p.x, p.y, p.z);
    }
    for [a, b, c] in mesh.triangles() {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    std::fs::write(path, text).unwrap();
}

/// Measures the files that the environment names, separated as in PATH, and the first part of each as binary STL
/// and as OBJ; prints the least CPU time of three and the memory.
#[test]
fn measure_the_files_of_the_environment() {
    let Some(files) = std::env::var_os("LOOMWRIGHT_IMPORT_FILES") else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    for path in std::env::split_paths(&files) {
        let file = measure(&path);
        for (name, write) in [
            ("the same.stl", write_stl as fn(&TriMesh, &Path)),
            ("the same.obj", write_obj),
        ] {
            let path = dir.path().join(name);
            write(&file.parts[0].mesh, &path);
            measure(&path);
        }
    }
}

fn measure(path: &Path) -> ImportedFile {
    let mut best = f64::INFINITY;
    let mut last = None;
    let mut n_peak = 0;
    for _ in 0..3 {
        drop(last.take());
        let start = ThreadTime::now();
        let (file, n_bytes) = peak(|| import_file(path).unwrap());
        best = best.min(start.elapsed().as_secs_f64());
        n_peak = n_bytes;
        last = Some(file);
    }
    let file = last.unwrap();
    let n_mesh = n_mesh_bytes(&file);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    println!(
        "{name}: {} triangles, {best:.3} s of CPU, peak {:.1} MB, mesh {:.1} MB, ratio {:.2}",
        file.parts[0].report.cleaning.triangles_read,
        n_peak as f64 / 1e6,
        n_mesh as f64 / 1e6,
        n_peak as f64 / n_mesh as f64
    );
    file
}
