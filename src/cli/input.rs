//! What the verbs read.

use std::path::Path;

use anyhow::Context;

use super::console::Console;
use crate::scene::study::StudyPath;
use crate::scene::{Scene, file};

/// The scene of a file; its warnings are shown.
pub fn scene(path: &Path, console: &mut Console) -> anyhow::Result<Scene> {
    let (scene, warnings) = file::load(path)?;
    for warning in warnings {
        console.warn(warning);
    }
    Ok(scene)
}

/// The path of a file, of the named parts where there are any.
pub fn path(path: &Path, parts: &[String]) -> anyhow::Result<StudyPath> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the path {}", path.display()))?;
    let mut wanted = StudyPath::parse(&text)?;
    if !parts.is_empty() {
        wanted.parts = parts.to_vec();
    }
    Ok(wanted)
}
