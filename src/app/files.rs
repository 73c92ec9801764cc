//! Reading and writing files: the only place of the window that knows the formats.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::choices::ExportOrder;
use crate::exchange::{
    CableChoice, Convention, ExportReport, ImportedRoutes, RouteOptions, SceneSource, Stamp, added,
    export, import_routes, network_with_progress, notes_beside, source_convention,
};
pub use crate::exchange::{USUAL_DIAMETER, route_extensions};
pub use crate::mesh::import::extensions as mesh_extensions;
use crate::mesh::import::{ImportOptions, Importer, holds_curves_alone};
use crate::progress::Progress;
use crate::scene::{Addition, Command, PartRole, Scene, file};

/// What a file held.
pub enum Opened {
    /// A scene, and remarks on it.
    Scene(Box<Scene>, Vec<String>),
    /// A mesh file: the edit that adds its parts to the open scene, and remarks on them.
    Parts(Box<Command>, Vec<String>),
    /// Routes to add to the open scene as cables, with their harness and remarks on them.
    Routes(Box<ImportedRoutes>, Vec<String>),
}

/// How a mesh file is to be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportChoice {
    /// What its parts are to the cables.
    pub role: PartRole,
    /// Unit, way up, pieces.
    pub options: ImportOptions,
}

/// Whether a file holds a scene (to open) rather than meshes (to add), by its name.
pub fn is_scene(path: &Path) -> bool {
    has_extension(path, &SCENE_EXTENSIONS)
}

/// Whether a file holds routes (to add as cables), by its name.
pub fn is_route(path: &Path) -> bool {
    has_extension(path, &route_extensions())
}

/// Whether a file holds parts, and so the user should say how to read them: a mesh, or a STEP file with bodies. One
/// with curves alone leaves nothing to choose.
pub fn holds_parts(path: &Path) -> bool {
    is_mesh(path) && !(is_route(path) && holds_curves_alone(path))
}

/// Whether a file holds meshes, by its name.
pub fn is_mesh(path: &Path) -> bool {
    has_extension(path, &mesh_extensions())
}

fn has_extension(path: &Path, known: &[&str]) -> bool {
    (path.extension()).is_some_and(|e| known.iter().any(|known| e.eq_ignore_ascii_case(known)))
}

/// Endings of scene files.
pub const SCENE_EXTENSIONS: [&str; 1] = ["json"];

/// Reads a scene or the parts of a mesh file. The error is a sentence for the user.
pub fn open(path: &Path, choice: &ImportChoice, progress: &Progress) -> Result<Opened, String> {
    if is_mesh(path) {
        // A STEP file holds parts, or else curves.
        open_mesh(path, choice, progress).or_else(|error| {
            if is_route(path) && progress.at("reading", 1.0).is_ok() {
                open_routes(path).map_err(|_| error)
            } else {
                Err(error)
            }
        })
    } else if is_route(path) {
        open_routes(path)
    } else if is_scene(path) {
        open_scene(path)
    } else {
        open_scene(path).map_err(|error| {
            let known = mesh_extensions().join(", .");
            format!("neither a scene (.json) nor a mesh (.{known}) that can be opened: {error}")
        })
    }
}

/// Writes the scene. The error is a sentence for the user.
pub fn save(scene: &Scene, path: &Path) -> Result<(), String> {
    file::save(scene, path).map_err(|e| e.to_string())
}

/// Writes the scene with all its meshes. The error is a sentence for the user.
pub fn pack(scene: &Scene, path: &Path) -> Result<(), String> {
    if let Some(part) = scene.missing.first() {
        return Err(format!(
            "Part \"{}\" has no mesh to pack: locate its file, or delete the part.",
            part.name
        ));
    }
    save(&scene.packed(), path)
}

/// Writes a picture. The error is a sentence for the user.
pub fn save_picture(image: &egui::ColorImage, path: &Path) -> Result<(), String> {
    let [width, height] = image.size.map(|n| n as u32);
    let pixels: Vec<u8> = (image.pixels.iter())
        .flat_map(|p| [p.r(), p.g(), p.b()])
        .collect();
    crate::disk::write_atomically(path, |out| {
        let mut encoder = png::Encoder::new(out, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(std::io::Error::other)?;
        writer
            .write_image_data(&pixels)
            .map_err(std::io::Error::other)
    })
    .map_err(|error| {
        format!(
            "The picture could not be written: {error}; try another folder: {}",
            path.display()
        )
    })
}

/// The file of a scene, and whether there are changes that are not in it.
pub struct SavedAs {
    /// The file.
    pub path: PathBuf,
    /// The scene is not as saved.
    pub changed: bool,
}

/// Solves the named cables finely and writes their routes, read back and checked. The error is a sentence for the
/// user.
pub fn export_routes(
    scene: &Scene,
    order: ExportOrder,
    saved_as: Option<SavedAs>,
    progress: &Progress,
) -> Result<ExportReport, String> {
    let ExportOrder {
        cables,
        format,
        path,
        flexible_only,
        mut options,
    } = order;
    options.scene = saved_as.map(|s| SceneSource::new(&s.path, !s.changed, flexible_only, &path));
    options.source = source_convention(scene);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    options.stamp = Stamp::from_unix(now.map_or(0, |d| d.as_secs()));
    let how = RouteOptions {
        flexible_only,
        ..RouteOptions::default()
    };
    let routes =
        network_with_progress(scene, &cables, &how, progress).map_err(|e| e.to_string())?;
    (progress.at("writing and reading back", 0.9)).map_err(|e| e.to_string())?;
    export(&routes, format, &path, &options).map_err(|e| e.to_string())
}

/// The path with that ending if it has none.
pub fn with_extension(path: PathBuf, ending: &str) -> PathBuf {
    if path.extension().is_some() {
        path
    } else {
        path.with_extension(ending)
    }
}

fn open_scene(path: &Path) -> Result<Opened, String> {
    let (scene, warnings) = file::load(path).map_err(|e| e.to_string())?;
    let remarks = warnings.iter().map(ToString::to_string).collect();
    Ok(Opened::Scene(Box::new(scene), remarks))
}

fn open_routes(path: &Path) -> Result<Opened, String> {
    let found = import_routes(path, Convention::default()).map_err(|e| e.to_string())?;
    if found.network.is_empty() {
        return Err(format!(
            "none of its curves could be read: {}",
            found.lost.join("; ")
        ));
    }
    let mut remarks = found.notes.clone();
    let lost = found.lost.iter();
    remarks.extend(lost.map(|why| format!("not read: {why}: {}", path.display())));
    if found.network.routes().any(|r| r.radius.is_none()) {
        remarks.push(format!(
            "the file states no diameter: cables of {USUAL_DIAMETER} mm were made, see the inspector"
        ));
    }
    Ok(Opened::Routes(Box::new(found), remarks))
}

/// What a file of routes adds to a scene, and what of it cannot be added.
pub fn addition(
    scene: &Scene,
    found: &ImportedRoutes,
    path: &Path,
) -> Result<(Addition, Vec<String>), String> {
    let choice = CableChoice::usual(scene)
        .ok_or_else(|| "the library has no material for cables".to_owned())?;
    let (mut addition, missing) = added(&found.network, scene, |route| {
        choice.with_material_of(route, scene)
    });
    let name = path.file_name().unwrap_or_default();
    addition.source = name.to_string_lossy().into_owned();
    Ok((addition, missing))
}

fn open_mesh(path: &Path, choice: &ImportChoice, progress: &Progress) -> Result<Opened, String> {
    let importer = Importer {
        options: choice.options.clone(),
        progress: progress.clone(),
    };
    let imported = importer.file(path).map_err(|e| e.to_string())?;
    let report = std::fs::read(path).map_or(Vec::new(), |bytes| notes_beside(path, &bytes));
    let warnings = imported.warnings.iter().map(ToString::to_string);
    let remarks = warnings.chain(report);
    let remarks = remarks.map(|w| format!("{w}: {}", path.display()));
    let remarks = remarks.collect();
    let import = Command::Import {
        path: path.to_owned(),
        role: choice.role,
        options: choice.options.clone(),
        loaded: Some(Arc::new(imported)),
    };
    Ok(Opened::Parts(Box::new(import), remarks))
}
