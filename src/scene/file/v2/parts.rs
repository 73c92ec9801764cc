//! Parts of version 2: meshes by file or embedded.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::super::fields::{Fields, Invalid, point, wrong};
use super::super::{SceneFileError, SceneWarning, bulk};
use super::write_point;
use crate::geom::{Pose, Vec3};
use crate::mesh::import::{ImportedFile, Importer};
use crate::mesh::{Axis, TriMesh};
use crate::scene::{Finish, Hazard, MeshSource, MissingPart, Part, Scene};

/// Mesh files, each read once.
pub struct MeshFiles<'a> {
    scene_path: &'a Path,
    directory: PathBuf,
    /// By path and choices.
    read: HashMap<(PathBuf, String), ImportedFile>,
    /// What the user should know of them.
    pub warnings: Vec<SceneWarning>,
}

impl<'a> MeshFiles<'a> {
    /// Those of a scene at `scene_path`.
    pub fn beside(scene_path: &'a Path) -> Self {
        Self {
            scene_path,
            directory: directory_of(scene_path),
            read: HashMap::new(),
            warnings: Vec::new(),
        }
    }

    /// Reads part number `k` into `scene`; one whose mesh cannot be had becomes a missing one, with a warning.
    pub fn read_part(
        &mut self,
        k: usize,
        value: Value,
        scene: &mut Scene,
    ) -> Result<(), SceneFileError> {
        let path = self.scene_path.to_owned();
        let invalid = |invalid| SceneFileError::Invalid {
            path: path.clone(),
            invalid,
        };
        let mut fields = Fields::of("the scene", &format!("parts[{k}]"), value).map_err(invalid)?;
        fields.place = format!("parts[{k}]");
        let name = fields.text("name").map_err(invalid)?;
        fields.place = format!("part \"{name}\"");
        let place = fields.place.clone();
        let file = fields.optional("mesh_file");
        let embedded = fields.optional("mesh");
        let fields = fields.rest();
        let source = match file {
            None => None,
            Some(file) => {
                let mut source: MeshSource = serde_json::from_value(file).map_err(|e| {
                    let problem = format!("is not usable: {e}");
                    invalid(Invalid::new(&place, "mesh_file", problem))
                })?;
                source.path = self.directory.join(&source.path);
                Some(source)
            }
        };
        let is_embedded = embedded.is_some();
        let (mesh, source) = match (source, embedded) {
            (source, Some(mesh)) => {
                let mesh = read_mesh(&place, mesh).map_err(invalid)?;
                (Arc::new(mesh), source)
            }
            (Some(source), None) => match self.mesh_of(&name, source.clone()) {
                Ok((mesh, source)) => (mesh, Some(source)),
                Err(reason) => {
                    self.warnings.push(SceneWarning::PartLeftOut {
                        reason: Box::new(reason),
                    });
                    scene.missing.push(MissingPart {
                        name,
                        source,
                        fields,
                    });
                    return Ok(());
                }
            },
            (None, None) => {
                let problem = "or \"mesh_file\" must be there";
                return Err(invalid(Invalid::new(place, "mesh", problem)));
            }
        };
        let mut part = part_with(name, mesh, fields).map_err(invalid)?;
        part.embedded = is_embedded && source.is_some();
        part.source = source;
        scene.parts.push(part);
        Ok(())
    }

    fn mesh_of(
        &mut self,
        part: &str,
        mut source: MeshSource,
    ) -> Result<(Arc<TriMesh>, MeshSource), SceneFileError> {
        if !source.path.exists() {
            return Err(SceneFileError::MeshMissing {
                part: part.to_owned(),
                looked_at: source.path,
            });
        }
        source.path = absolute(&source.path);
        let choices = json!(source.options).to_string();
        let key = (source.path.clone(), choices);
        let is_new = !self.read.contains_key(&key);
        if is_new {
            let importer = Importer {
                options: source.options.clone(),
                ..Importer::default()
            };
            let file = importer.file(&source.path);
            let file = file.map_err(|error| SceneFileError::Mesh {
                part: part.to_owned(),
                error,
            })?;
            self.read.insert(key.clone(), file);
        }
        let file = &self.read[&key];
        if file.sha256 != source.sha256.to_ascii_lowercase() {
            self.warnings.push(SceneWarning::MeshChanged {
                part: part.to_owned(),
                path: source.path.clone(),
            });
            if is_new {
                let path = &source.path;
                let warnings = file.warnings.iter().map(|warning| SceneWarning::Mesh {
                    path: path.clone(),
                    warning: warning.clone(),
                });
                self.warnings.extend(warnings);
            }
            source.sha256.clone_from(&file.sha256);
        }
        let Some(found) = file.parts.iter().find(|p| p.name == source.part) else {
            let known: Vec<&str> = file
                .parts
                .iter()
                .map(|p| p.name.as_str())
                .take(12)
                .collect();
            return Err(SceneFileError::NoSuchPart {
                part: part.to_owned(),
                wanted: source.part,
                known: known.join(", "),
                path: source.path,
            });
        };
        Ok((Arc::clone(&found.mesh), source))
    }
}

/// A part of that mesh with what else stands in the file.
pub fn part_with(
    name: String,
    mesh: impl Into<Arc<TriMesh>>,
    fields: Map<String, Value>,
) -> Result<Part, Invalid> {
    let place = format!("part \"{name}\"");
    let mut fields = Fields::new(&place, fields);
    let mut part = Part::new(name, mesh);
    part.visible = fields.parsed::<Option<bool>>("visible")?.unwrap_or(true);
    part.role = fields.parsed("role")?;
    part.color = fields.parsed("color")?;
    part.finish = fields.parsed("finish")?;
    part.margin = fields.parsed("margin")?;
    part.hazard = fields.parsed("hazard")?;
    part.required_clearance = fields.parsed("required_clearance")?;
    part.group = fields.parsed("group")?;
    part.corrections = fields.parsed("corrections")?;
    if let Some(placement) = fields.parsed::<Option<Pose>>("placement")? {
        part.place(placement)
            .map_err(|e| Invalid::new(&place, "placement", format!("is not usable: {e}")))?;
    }
    part.extra = fields.rest();
    Ok(part)
}

fn read_mesh(place: &str, value: Value) -> Result<TriMesh, Invalid> {
    let mut fields = Fields::of(place, "mesh", value)?;
    let unusable = |e| Invalid::new(place, "mesh", format!("is not usable: {e}"));
    let axes: Vec<Axis> = fields.parsed("axes")?;
    let made = |vertices, triangles| {
        let mesh = TriMesh::new(vertices, triangles).map_err(unusable)?;
        Ok(mesh.with_axes(axes))
    };
    if let Some((vertices, triangles)) = bulk::read::<[f64; 3]>(&mut fields, "mesh")? {
        fields.finish()?;
        let vertices = vertices.into_iter().map(Vec3::from).collect();
        return made(vertices, triangles);
    }
    let vertices: Result<Vec<Vec3>, Invalid> = fields
        .list("vertices")?
        .iter()
        .map(|v| point(place, "mesh.vertices", v))
        .collect();
    let triangles: Result<Vec<[u32; 3]>, Invalid> = fields
        .list("triangles")?
        .iter()
        .map(|v| {
            read_triangle(v)
                .ok_or_else(|| wrong(place, "mesh.triangles", "must be three vertex numbers", v))
        })
        .collect();
    fields.finish()?;
    made(vertices?, triangles?)
}

fn read_triangle(value: &Value) -> Option<[u32; 3]> {
    let numbers: Option<Vec<u32>> = value
        .as_array()?
        .iter()
        .map(|n| n.as_u64().and_then(|n| u32::try_from(n).ok()))
        .collect();
    numbers?.try_into().ok()
}

/// The JSON of a part in a scene that stands in `directory`.
pub fn write_part(part: &Part, directory: &Path) -> Result<Value, Invalid> {
    let mut value = Value::Object(part.extra.clone());
    value["name"] = json!(part.name);
    value["visible"] = json!(part.visible);
    value["role"] = json!(part.role);
    if let Some(color) = part.color {
        value["color"] = json!(color);
    }
    if let Some(margin) = part.margin {
        value["margin"] = json!(margin);
    }
    if part.finish != Finish::default() {
        value["finish"] = json!(part.finish);
    }
    if part.hazard != Hazard::None {
        value["hazard"] = json!(part.hazard);
    }
    if let Some(mm) = part.required_clearance {
        value["required_clearance"] = json!(mm);
    }
    if !part.group.is_empty() {
        value["group"] = json!(part.group);
    }
    if !part.corrections.is_empty() {
        value["corrections"] = json!(part.corrections);
    }
    if *part.placement() != Pose::identity() {
        value["placement"] = json!(part.placement());
    }
    if let Some(source) = &part.source {
        value["mesh_file"] = write_source(&part.name, source, directory)?;
        if part.embedded {
            // A packed scene is opened on another disk, where only the name of the path means something.
            let name = source.path.file_name().unwrap_or_default();
            value["mesh_file"]["path"] = json!(name.to_string_lossy());
        }
    }
    if part.embedded || part.source.is_none() {
        let mesh = part.base();
        value["mesh"] = if bulk::is_bulk(mesh.triangles().len()) {
            let vertices = mesh.vertices().iter().map(|&v| <[f64; 3]>::from(v));
            bulk::write(vertices, mesh.triangles())
        } else {
            let vertices: Vec<Value> = mesh.vertices().iter().map(write_point).collect();
            json!({ "vertices": vertices, "triangles": mesh.triangles() })
        };
        if !mesh.axes().is_empty() {
            value["mesh"]["axes"] = json!(mesh.axes());
        }
    }
    Ok(value)
}

/// The JSON of a part without its mesh, as it was read.
pub fn write_missing(part: &MissingPart, directory: &Path) -> Result<Value, Invalid> {
    let mut value = Value::Object(part.fields.clone());
    value["name"] = json!(part.name);
    value["mesh_file"] = write_source(&part.name, &part.source, directory)?;
    Ok(value)
}

fn write_source(part: &str, source: &MeshSource, directory: &Path) -> Result<Value, Invalid> {
    let path = relative(&source.path, directory).ok_or_else(|| {
        let problem = "has a path that is not Unicode; rename the file";
        Invalid::new(format!("part \"{part}\""), "mesh_file", problem)
    })?;
    let mut value = json!(source);
    value["path"] = json!(path);
    Ok(value)
}

/// The directory that relative paths of a scene at `path` start from.
pub fn directory_of(path: &Path) -> PathBuf {
    absolute(path.parent().unwrap_or(Path::new("")))
}

/// The path without links where it exists, otherwise made absolute as it stands.
fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    path.canonicalize()
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// `path` as seen from `directory`, with `/` between its components; absolute where they share no root.
/// `None` when it is not Unicode.
pub fn relative(path: &Path, directory: &Path) -> Option<String> {
    let path = absolute(path);
    let (to, from): (Vec<Component>, Vec<Component>) = (
        path.components().collect(),
        directory.components().collect(),
    );
    let n_shared = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
    if n_shared == 0 {
        return path.to_str().map(str::to_owned);
    }
    let up = std::iter::repeat_n(Some(".."), from.len() - n_shared);
    let down = to[n_shared..].iter().map(|c| c.as_os_str().to_str());
    let steps: Option<Vec<&str>> = up.chain(down).collect();
    Some(steps?.join("/"))
}
