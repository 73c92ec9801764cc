//! `import`: meshes to a scene, with a report.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::Outcome;
use super::args;
use super::console::Console;
use super::outputs::Files;
use crate::exchange::notes_beside;
use crate::mesh::import::{
    BrepReport, ImportOptions, ImportedFile, Importer, NamedMesh, PartReport,
};
use crate::mesh::tessellate::measure;
use crate::scene::{Command, PartRole, Scene, file};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The mesh files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Unit of the files, whatever they say: mm, cm, m, in, ft or um.
    #[arg(long, value_name = "UNIT", value_parser = args::unit)]
    units: Option<crate::mesh::import::Unit>,
    /// Axis of the files that points up, whatever they say: y or z.
    #[arg(long, value_name = "AXIS", value_parser = args::up_axis)]
    up: Option<crate::mesh::import::UpAxis>,
    /// Make a part of every connected piece.
    #[arg(long)]
    split: bool,
    /// Largest distance between an exact surface (STEP) and its triangles, mm; 0.2 when left out.
    #[arg(long, value_name = "MM", value_parser = args::chord_error)]
    chord_error: Option<f64>,
    /// Largest angle between neighbouring triangles of an exact surface (STEP), degrees; 15 when left out.
    #[arg(long, value_name = "DEGREES", value_parser = args::facet_angle)]
    angle: Option<f64>,
    /// Write the parts as a scene.
    #[arg(short, long, value_name = "SCENE")]
    output: Option<PathBuf>,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        files,
        units,
        up,
        split,
        chord_error,
        angle,
        output,
    } = args;
    let usual = ImportOptions::default();
    let options = ImportOptions {
        units,
        up,
        split_components: split,
        chord_error: chord_error.unwrap_or(usual.chord_error),
        angle: angle.unwrap_or(usual.angle),
        ..usual
    };
    run(&files, options, output.as_deref(), console)
}

/// Reads all files; writes the scene when one is asked for and all of them could be read.
pub fn run(
    files: &[PathBuf],
    options: ImportOptions,
    output: Option<&Path>,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let read = files.iter().fold(Files::default(), |read, path| {
        read.input("a mesh that is read", path)
    });
    read.output("the scene", output).check()?;
    let importer = Importer {
        options,
        ..Importer::default()
    };
    let mut scene = Scene::default();
    let mut documents = Vec::new();
    let mut is_good = true;
    for path in files {
        console.progress(format_args!("reading {}", path.display()));
        let read = importer.file(path);
        console.end_progress();
        let imported = read?;
        for warning in &imported.warnings {
            console.warn(format_args!("{warning}: {}", path.display()));
        }
        for note in std::fs::read(path).map_or(Vec::new(), |bytes| notes_beside(path, &bytes)) {
            console.warn(format_args!("{note}: {}", path.display()));
        }
        let imported = Arc::new(imported);
        let n_before = scene.parts.len();
        Command::Import {
            path: path.clone(),
            role: PartRole::default(),
            options: importer.options.clone(),
            loaded: Some(Arc::clone(&imported)),
        }
        .apply(&mut scene)?;
        // Parts of several files may share a name; in the scene they do not.
        let new = scene.parts[n_before..].iter();
        let given: Vec<String> = new.map(|p| p.name.clone()).collect();
        show_file(path, &imported, &given, console)?;
        is_good &= imported
            .parts
            .iter()
            .all(|p| p.report.brep.as_ref().is_none_or(BrepReport::is_good));
        documents.push(file_document(path, &imported, &given));
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
    if !is_good {
        console.warn(format_args!(
            "some faces or solids are not what the file says; look at them before you rely on the parts"
        ));
        return Ok(Outcome::NotGood);
    }
    Ok(Outcome::Good)
}

fn show_file(
    path: &Path,
    imported: &ImportedFile,
    names: &[String],
    console: &Console,
) -> anyhow::Result<()> {
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
    for (part, name) in parts.iter().zip(names) {
        let aabb = part.mesh.aabb();
        let [min, max] =
            [aabb.min, aabb.max].map(|p| format!("({:.2}, {:.2}, {:.2})", p.x, p.y, p.z));
        console.line(format_args!(
            "  {name}: {} triangles, {} vertices, from {min} to {max} mm{}",
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
    if let Some(brep) = &report.brep {
        let _ = write!(text, "; {} faces", brep.faces);
        for (count, words) in [
            (brep.failed_faces.len(), "faces failed"),
            (brep.doubtful_faces.len(), "faces doubtful"),
            (brep.open_solids, "solids not closed"),
        ] {
            if count > 0 {
                let _ = write!(text, "; {count} {words}");
            }
        }
    }
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

fn file_document(path: &Path, imported: &ImportedFile, names: &[String]) -> Value {
    let parts = imported.parts.iter().zip(names);
    json!({
        "path": path,
        "sha256": imported.sha256,
        "format": imported.format,
        "space": imported.space,
        "warnings": imported.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "parts": parts.map(|(part, name)| part_document(part, name)).collect::<Vec<_>>(),
    })
}

fn part_document(part: &NamedMesh, name: &str) -> Value {
    let aabb = part.mesh.aabb();
    let found = measure(part.mesh.vertices(), part.mesh.triangles());
    let is_closed = found.open_sides == 0;
    json!({
        "name": name,
        "path": part.path,
        "color": part.color,
        "triangles": part.mesh.triangles().len(),
        "vertices": part.mesh.vertices().len(),
        "min": aabb.min.as_slice(),
        "max": aabb.max.as_slice(),
        "area": found.area,
        "volume": is_closed.then_some(found.volume),
        "closed": is_closed,
        "report": part.report,
    })
}
