//! `import`: meshes to a scene, with a report.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Outcome;
use super::console::Console;
use crate::mesh::import::{UniqueNames, import_file};
use crate::scene::{MeshSource, Part, Scene, file};

/// Reads all files; writes the scene when one is asked for and all of them could be read.
pub fn run(
    files: &[PathBuf],
    output: Option<&Path>,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let mut scene = Scene::default();
    let mut names = UniqueNames::default();
    let mut documents = Vec::new();
    for path in files {
        console.progress(format_args!("reading {}", path.display()));
        let read = import_file(path);
        console.end_progress();
        let imported = read?;
        for warning in &imported.warnings {
            console.warn(format_args!("{warning}: {}", path.display()));
        }
        let source_path = path.canonicalize().unwrap_or_else(|_| path.clone());
        let first = scene.parts.len();
        for named in imported.parts {
            let mut part = Part::new(names.claim(&named.name), named.mesh);
            part.source = Some(MeshSource {
                path: source_path.clone(),
                part: named.name,
                sha256: imported.sha256.clone(),
            });
            scene.parts.push(part);
        }
        let parts = &scene.parts[first..];
        show_file(path, parts, console)?;
        documents.push(json!({
            "path": path,
            "sha256": imported.sha256,
            "parts": parts.iter().map(part_document).collect::<Vec<_>>(),
        }));
    }
    if let Some(output) = output {
        file::save(&scene, output)?;
        console.line(format_args!(
            "scene of {} parts saved to {}",
            scene.parts.len(),
            output.display()
        ))?;
    }
    console.document(json!({ "files": documents, "scene": output }))?;
    Ok(Outcome::Good)
}

fn show_file(path: &Path, parts: &[Part], console: &Console) -> anyhow::Result<()> {
    let n_triangles: usize = parts.iter().map(|p| p.mesh().triangles().len()).sum();
    console.line(format_args!(
        "{}: {} parts, {n_triangles} triangles",
        path.display(),
        parts.len(),
    ))?;
    for part in parts {
        let aabb = part.mesh().aabb();
        let [min, max] =
            [aabb.min, aabb.max].map(|p| format!("({:.2}, {:.2}, {:.2})", p.x, p.y, p.z));
        console.line(format_args!(
            "  {}: {} triangles, {} vertices, from {min} to {max} mm",
            part.name,
            part.mesh().triangles().len(),
            part.mesh().vertices().len(),
        ))?;
    }
    Ok(())
}

fn part_document(part: &Part) -> Value {
    let aabb = part.mesh().aabb();
    json!({
        "name": part.name,
        "triangles": part.mesh().triangles().len(),
        "vertices": part.mesh().vertices().len(),
        "min": aabb.min.as_slice(),
        "max": aabb.max.as_slice(),
    })
}
