//! `import`: meshes to a scene, with a report.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Outcome;
use super::console::Console;
use crate::mesh::import::{
    ImportOptions, ImportedFile, Importer, NamedMesh, PartReport, UniqueNames,
};
use crate::scene::{Part, Scene, file};

/// Reads all files; writes the scene when one is asked for and all of them could be read.
pub fn run(
    files: &[PathBuf],
    options: ImportOptions,
    output: Option<&Path>,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let importer = Importer {
        options,
        ..Importer::default()
    };
    let mut scene = Scene::default();
    let mut names = UniqueNames::default();
    let mut documents = Vec::new();
    for path in files {
        console.progress(format_args!("reading {}", path.display()));
        let read = importer.file(path);
        console.end_progress();
        let imported = read?;
        for warning in &imported.warnings {
            console.warn(format_args!("{warning}: {}", path.display()));
        }
        show_file(path, &imported, console)?;
        documents.push(file_document(path, &imported));
        for named in &imported.parts {
            let mut part = Part::of_file(named, path, &importer.options, &imported);
            part.name = names.claim(&named.name);
            scene.parts.push(part);
        }
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

fn show_file(path: &Path, imported: &ImportedFile, console: &Console) -> anyhow::Result<()> {
    let parts = &imported.parts;
    let n_triangles: usize = parts.iter().map(|p| p.mesh.triangles().len()).sum();
    let space = imported.space;
    console.line(format_args!(
        "{}: {} parts, {n_triangles} triangles, written in {} with {:?} up",
        path.display(),
        parts.len(),
        space.unit,
        space.up,
    ))?;
    for part in parts {
        let aabb = part.mesh.aabb();
        let [min, max] =
            [aabb.min, aabb.max].map(|p| format!("({:.2}, {:.2}, {:.2})", p.x, p.y, p.z));
        console.line(format_args!(
            "  {}: {} triangles, {} vertices, from {min} to {max} mm{}",
            part.name,
            part.mesh.triangles().len(),
            part.mesh.vertices().len(),
            findings(&part.report),
        ))?;
    }
    Ok(())
}

/// What is odd about a part, in words; empty when nothing is.
fn findings(report: &PartReport) -> String {
    let (cleaning, topology) = (&report.cleaning, &report.topology);
    let counts = [
        (cleaning.degenerate, "without area dropped"),
        (cleaning.duplicate, "duplicates dropped"),
        (topology.open_loops, "open borders"),
        (
            topology.non_manifold_edges,
            "edges of more than two triangles",
        ),
        (topology.flipped_patches, "flipped patches"),
        (topology.one_sided, "surfaces without sides"),
    ];
    let mut text = String::new();
    // Writing to a string cannot fail.
    if topology.components > 1 {
        let _ = write!(text, "; {} pieces", topology.components);
    }
    for (count, words) in counts {
        if count > 0 {
            let _ = write!(text, "; {count} {words}");
        }
    }
    text
}

fn file_document(path: &Path, imported: &ImportedFile) -> Value {
    json!({
        "path": path,
        "sha256": imported.sha256,
        "format": imported.format,
        "space": imported.space,
        "parts": imported.parts.iter().map(part_document).collect::<Vec<_>>(),
    })
}

fn part_document(part: &NamedMesh) -> Value {
    let aabb = part.mesh.aabb();
    json!({
        "name": part.name,
        "path": part.path,
        "color": part.color,
        "triangles": part.mesh.triangles().len(),
        "vertices": part.mesh.vertices().len(),
        "min": aabb.min.as_slice(),
        "max": aabb.max.as_slice(),
        "report": part.report,
    })
}
