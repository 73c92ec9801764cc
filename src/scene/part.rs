//! Bodies of the scene: imported, made by code, or cut from a harness.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Finish, Hazard};
use crate::centerline::Correction;
use crate::geom::Pose;
use crate::mesh::import::{Color, ImportOptions, ImportedFile, NamedMesh, SourceSpace};
use crate::mesh::{MeshError, TriMesh};

/// A body. Its meshes are shared, so that a copy of the scene (an undo point) is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Unique among the parts.
    pub name: String,
    /// Where the mesh came from; `None` for a part made by code, which is embedded in the file.
    pub source: Option<MeshSource>,
    /// Drawn in the window. A hidden part still collides.
    pub visible: bool,
    /// What it is to the cables.
    pub role: PartRole,
    /// Own colour, red, green, blue; `None` takes one of the theme.
    pub color: Option<[u8; 3]>,
    /// What its surface looks like.
    pub finish: Finish,
    /// Distance that cables keep from it, mm; `None` takes the scene's.
    pub margin: Option<f64>,
    /// What makes it dangerous to cables.
    pub hazard: Hazard,
    /// Clearance that cables must have from it, mm; `None` goes by what it is.
    pub required_clearance: Option<f64>,
    /// Its mesh is kept in the scene file, also where it has a source (a packed scene).
    pub embedded: bool,
    /// Group in the tree, names from the outermost to the innermost.
    pub group: Vec<String>,
    /// What the user corrected of its centerlines, in order; places as in the imported mesh.
    pub corrections: Vec<Correction>,
    /// Fields of the file that this version does not know; kept and written back.
    pub extra: Map<String, Value>,
    /// As imported.
    base: Arc<TriMesh>,
    placement: Pose,
    /// In the world; the same as `base` where the part was not moved.
    mesh: Arc<TriMesh>,
}

/// A part whose mesh could not be read: kept as it stood in the file, so that nothing is lost when it is saved again.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingPart {
    /// Unique among all parts.
    pub name: String,
    /// Where its mesh should be.
    pub source: MeshSource,
    /// Its other fields in the file.
    pub fields: Map<String, Value>,
}

/// What a part is to the cables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartRole {
    /// Cables must not pass through it.
    #[default]
    Obstacle,
    /// A connector, clip or cut-off rest of a harness: rigid, and an obstacle but for the cables that enter it.
    Connector,
    /// A tessellated harness that is to be made flexible; no obstacle.
    Harness,
    /// Only looked at.
    Background,
}

impl PartRole {
    /// Whether cables must stay clear of it.
    pub fn collides(self) -> bool {
        matches!(self, Self::Obstacle | Self::Connector)
    }
}

/// A mesh file that a part was read from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshSource {
    /// Absolute in memory; relative to the scene file on disk.
    pub path: PathBuf,
    /// Name of the part inside the file.
    pub part: String,
    /// SHA-256 of the file's bytes, hexadecimal.
    pub sha256: String,
    /// The choices it was read with.
    #[serde(default, skip_serializing_if = "is_default")]
    pub options: ImportOptions,
    /// Unit and axes of the file; an export goes back into them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub space: SourceSpace,
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl MeshSource {
    /// The part of that name in a file that was read with these choices.
    pub fn new(path: &Path, part: &str, options: &ImportOptions, file: &ImportedFile) -> Self {
        Self {
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            part: part.to_owned(),
            sha256: file.sha256.clone(),
            options: options.clone(),
            space: file.space,
        }
    }
}

impl Part {
    /// A visible obstacle where its mesh has it.
    pub fn new(name: impl Into<String>, mesh: impl Into<Arc<TriMesh>>) -> Self {
        let base = mesh.into();
        Self {
            name: name.into(),
            source: None,
            visible: true,
            role: PartRole::Obstacle,
            color: None,
            finish: Finish::default(),
            margin: None,
            hazard: Hazard::None,
            required_clearance: None,
            embedded: false,
            group: Vec::new(),
            corrections: Vec::new(),
            extra: Map::new(),
            mesh: Arc::clone(&base),
            base,
            placement: Pose::identity(),
        }
    }

    /// A part of a file that was read with these choices, with the colour and groups it has there.
    pub fn of_file(
        named: &NamedMesh,
        path: &Path,
        options: &ImportOptions,
        file: &ImportedFile,
    ) -> Self {
        let mut part = Self::new(named.name.clone(), Arc::clone(&named.mesh));
        part.color = named.color.map(Color::to_bytes);
        part.group.clone_from(&named.path);
        part.group.pop();
        part.source = Some(MeshSource::new(path, &named.name, options, file));
        part
    }

    /// The triangles in the world, mm.
    pub fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }

    /// The triangles as imported, before the part was placed.
    pub fn base(&self) -> &Arc<TriMesh> {
        &self.base
    }

    /// Takes points of the imported mesh to the world.
    pub fn placement(&self) -> &Pose {
        &self.placement
    }

    /// The corrections of its centerlines, with places in the world.
    pub fn corrections_in_world(&self) -> Vec<Correction> {
        self.corrections
            .iter()
            .map(|c| c.moved(&self.placement))
            .collect()
    }

    /// Puts the part somewhere else. Fails, and changes nothing, where a coordinate would leave the numbers.
    pub fn place(&mut self, placement: Pose) -> Result<(), MeshError> {
        self.mesh = placed(&self.base, &placement)?;
        self.placement = placement;
        Ok(())
    }

    /// Takes a new revision of the mesh; the placement stays.
    pub fn replace_mesh(&mut self, base: impl Into<Arc<TriMesh>>) -> Result<(), MeshError> {
        let base = base.into();
        self.mesh = placed(&base, &self.placement)?;
        self.base = base;
        Ok(())
    }
}

fn placed(base: &Arc<TriMesh>, placement: &Pose) -> Result<Arc<TriMesh>, MeshError> {
    if *placement == Pose::identity() {
        return Ok(Arc::clone(base));
    }
    let vertices = base.vertices().iter().map(|p| placement.transform(p));
    let mesh = TriMesh::new(vertices.collect(), base.triangles().to_vec())?;
    // What is exact of its round faces goes along.
    Ok(Arc::new(mesh.with_axes(base.axes_at(placement))))
}
