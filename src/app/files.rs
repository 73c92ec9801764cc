//! Reading and writing files: the only place of the window that knows the formats.

use std::path::{Path, PathBuf};

use crate::mesh::import::import_file;
use crate::scene::{MeshSource, Part, Scene, file};

/// What a file held.
pub enum Opened {
    /// A scene, and remarks on it.
    Scene(Box<Scene>, Vec<String>),
    /// Parts to add to the open scene, and remarks on them.
    Parts(Vec<Part>, Vec<String>),
}

/// Whether a file holds meshes (to add) rather than a scene (to open), by its name.
pub fn is_mesh(path: &Path) -> bool {
    has_extension(path, &MESH_EXTENSIONS)
}

fn has_extension(path: &Path, known: &[&str]) -> bool {
    (path.extension()).is_some_and(|e| known.iter().any(|known| e.eq_ignore_ascii_case(known)))
}

/// Endings of the mesh files that can be added.
pub const MESH_EXTENSIONS: [&str; 2] = ["stl", "obj"];
/// Endings of scene files.
pub const SCENE_EXTENSIONS: [&str; 1] = ["json"];

/// Reads a scene or the parts of a mesh file. The error is a sentence for the user.
pub fn open(path: &Path) -> Result<Opened, String> {
    if is_mesh(path) {
        open_mesh(path)
    } else if has_extension(path, &SCENE_EXTENSIONS) {
        open_scene(path)
    } else {
        open_scene(path).map_err(|error| {
            format!("neither a scene (.json) nor a mesh (.stl, .obj) that can be opened: {error}")
        })
    }
}

/// Writes the scene. The error is a sentence for the user.
pub fn save(scene: &Scene, path: &Path) -> Result<(), String> {
    file::save(scene, path).map_err(|e| e.to_string())
}

/// The path with the ending of a scene file if it has none.
pub fn with_scene_extension(path: PathBuf) -> PathBuf {
    if path.extension().is_some() {
        path
    } else {
        path.with_extension(SCENE_EXTENSIONS[0])
    }
}

fn open_scene(path: &Path) -> Result<Opened, String> {
    let (scene, warnings) = file::load(path).map_err(|e| e.to_string())?;
    let remarks = warnings.iter().map(ToString::to_string).collect();
    Ok(Opened::Scene(Box::new(scene), remarks))
}

fn open_mesh(path: &Path) -> Result<Opened, String> {
    let imported = import_file(path).map_err(|e| e.to_string())?;
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let parts = imported.parts.into_iter().map(|named| {
        let mut part = Part::new(named.name.clone(), named.mesh);
        part.source = Some(MeshSource {
            path: absolute.clone(),
            part: named.name,
            sha256: imported.sha256.clone(),
        });
        part
    });
    let remarks = imported.warnings.iter();
    Ok(Opened::Parts(
        parts.collect(),
        remarks
            .map(|w| format!("{w}: {}", path.display()))
            .collect(),
    ))
}
