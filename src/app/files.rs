//! Reading and writing files: the only place of the window that knows the formats.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::mesh::TriMesh;
use crate::scene::{MeshSource, Part, Scene};

/// What a file held.
pub enum Opened {
    /// A scene, and remarks on it.
    Scene(Box<Scene>, Vec<String>),
    /// Parts to add to the open scene, and remarks on them.
    Parts(Vec<Part>, Vec<String>),
}

/// Whether a file holds meshes (to add) rather than a scene (to open), by its name.
pub fn is_mesh(path: &Path) -> bool {
    path.extension().is_some_and(|e| {
        MESH_EXTENSIONS
            .iter()
            .any(|known| e.eq_ignore_ascii_case(known))
    })
}

/// Endings of the mesh files that can be added.
pub const MESH_EXTENSIONS: [&str; 2] = ["stl", "obj"];
/// Endings of scene files.
pub const SCENE_EXTENSIONS: [&str; 1] = ["json"];

/// Reads a scene or the parts of a mesh file. The error is a sentence for the user.
pub fn open(path: &Path) -> Result<Opened, String> {
    if is_mesh(path) {
        open_mesh(path)
    } else {
        open_scene(path)
    }
}

/// Writes the scene. The error is a sentence for the user.
pub fn save(_scene: &Scene, path: &Path) -> Result<(), String> {
    Err(format!("Saving is not there yet: {}", path.display()))
}

fn open_scene(path: &Path) -> Result<Opened, String> {
    Err(format!(
        "Opening scenes is not there yet: {}",
        path.display()
    ))
}

fn open_mesh(path: &Path) -> Result<Opened, String> {
    Err(format!(
        "Reading meshes is not there yet: {}",
        path.display()
    ))
}

/// A part of a mesh file.
#[allow(dead_code, reason = "used by the mesh reader once it is there")]
fn part(name: String, mesh: TriMesh, path: PathBuf, sha256: String) -> Part {
    Part {
        source: Some(MeshSource {
            path,
            part: name.clone(),
            sha256,
        }),
        name,
        mesh: Arc::new(mesh),
        visible: true,
    }
}

/// Gives `part` a name that no part of `scene` has yet.
pub fn with_free_name(mut part: Part, scene: &Scene) -> Part {
    let wanted = part.name.clone();
    let mut n = 2;
    while scene.part(&part.name).is_some() {
        part.name = format!("{wanted} {n}");
        n += 1;
    }
    part
}
