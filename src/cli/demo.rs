//! `demo`: writes a built-in scene with its meshes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::Outcome;
use super::console::Console;
use crate::disk::write_atomically;
use crate::mesh::TriMesh;
use crate::mesh::import::{ImportOptions, import_file};
use crate::scene::file;
use crate::scene::{MeshSource, demo};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which one.
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(demo::names().into_iter().chain(demo::figures())))]
    name: String,
    /// The directory; made when it is not there.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    directory: PathBuf,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args { name, directory } = args;
    run(&name, &directory, console)
}

/// The true centerlines of the demo's harness: what an extraction should find.
fn true_centerline() -> Value {
    let branches = demo::true_branches().into_iter().map(|branch| {
        let points: Vec<[f64; 3]> = branch.points.iter().map(|&p| p.into()).collect();
        json!({ "name": branch.name, "radius": branch.radius, "points": points })
    });
    json!({ "units": "mm", "branches": branches.collect::<Vec<_>>() })
}

/// Writes one OBJ a part, and the scene that names them.
pub fn run(name: &str, directory: &Path, console: &mut Console) -> anyhow::Result<Outcome> {
    let mut scene = demo::demo(name).with_context(|| {
        let known = [&demo::names()[..], &demo::figures()].concat().join(", ");
        format!("there is no demo \"{name}\"; there are: {known}")
    })?;
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory {}", directory.display()))?;
    let mut written = Vec::new();
    for part in &mut scene.parts {
        let path = directory.join(format!("{}.obj", part.name));
        write_atomically(&path, |out| write_obj(&part.name, part.mesh(), out))
            .with_context(|| format!("cannot write {}", path.display()))?;
        // The scene takes the mesh as every reader of the file will see it.
        let imported = import_file(&path)?;
        if let Some(named) = imported.parts.last() {
            part.replace_mesh(named.mesh.clone())?;
            let options = ImportOptions::default();
            part.source = Some(MeshSource::new(&path, &named.name, &options, &imported));
        }
        written.push(path);
    }
    if name == "engine-bay" {
        let path = directory.join("harness.centerline.json");
        write_atomically(&path, |out| writeln!(out, "{}", true_centerline()))
            .with_context(|| format!("cannot write {}", path.display()))?;
        written.push(path);
    }
    let scene_path = directory.join(format!("{name}.scene.json"));
    file::save(&scene, &scene_path)?;
    for path in written.iter().chain([&scene_path]) {
        console.line(path.display())?;
    }
    console.document(json!({ "scene": scene_path, "meshes": written }))?;
    Ok(Outcome::Good)
}

/// A mesh as one group, with all digits.
fn write_obj(name: &str, mesh: &TriMesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# units mm, Z up")?;
    writeln!(out, "g {name}")?;
    for p in mesh.vertices() {
        writeln!(out, "v {} {} {}", p.x, p.y, p.z)?;
    }
    for t in mesh.triangles() {
        let [a, b, c] = t.map(|i| u64::from(i) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}
