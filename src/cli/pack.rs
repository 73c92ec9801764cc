//! `pack`: a scene with all its meshes in one file.

use std::path::{Path, PathBuf};

use anyhow::bail;
use serde_json::json;

use super::console::Console;
use super::outputs::Files;
use super::{Outcome, input};
use crate::scene::file;

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene file.
    scene: PathBuf,
    /// The file to write.
    #[arg(short, long, value_name = "SCENE")]
    output: PathBuf,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args { scene, output } = args;
    run(&scene, &output, console)
}

/// Writes the scene with every mesh embedded. A scene with missing meshes cannot be packed.
pub fn run(scene: &Path, output: &Path, console: &mut Console) -> anyhow::Result<Outcome> {
    let scene = input::scene(scene, console)?;
    Files::default()
        .meshes(&scene)
        .output("the packed scene", Some(output))
        .check()?;
    if let Some(part) = scene.missing.first() {
        bail!(
            "part \"{}\" has no mesh to pack; put its file back, or delete the part",
            part.name
        );
    }
    file::save(&scene.packed(), output)?;
    let bytes = std::fs::metadata(output)?.len();
    console.line(format_args!(
        "{} parts and {} cables packed into {} ({bytes} bytes)",
        scene.parts.len(),
        scene.cables.len(),
        output.display(),
    ))?;
    console.document(json!({ "scene": output, "parts": scene.parts.len(), "bytes": bytes }))?;
    Ok(Outcome::Good)
}
