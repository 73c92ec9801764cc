//! The document: plain data, the commands that change it, and its file.

pub mod bench;
mod command;
pub mod demo;
pub mod file;
mod simulation;

pub use command::{Command, CommandError};
pub use simulation::{CableReport, Simulation, SimulationError};

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::geom::{Pose, Rotation, Vec3};
use crate::mesh::TriMesh;

/// The whole document. Equal scenes give equal solutions.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Direction and strength of gravity, m/s^2.
    pub gravity: Vec3,
    /// Coulomb friction coefficient between cables and parts; 0 switches friction off.
    pub friction: f64,
    /// Bodies the cables must avoid.
    pub parts: Vec<Part>,
    /// The flexible things.
    pub cables: Vec<Cable>,
    /// Fields of the file that this version does not know; kept and written back.
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            friction: 0.2,
            parts: Vec::new(),
            cables: Vec::new(),
            extra: serde_json::Map::new(),
        }
    }
}

/// An imported body. Its mesh is shared, so that a copy of the scene (an undo point) is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Unique among the parts.
    pub name: String,
    /// The triangles, in world mm.
    pub mesh: Arc<TriMesh>,
    /// Where the mesh came from; `None` for a part made by code, which is embedded in the file.
    pub source: Option<MeshSource>,
    /// Drawn in the window. A hidden part still collides.
    pub visible: bool,
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
}

/// A flexible cable: section, length, handles, and the shape it was last solved to.
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// Unique among the cables.
    pub name: String,
    /// Outer radius, mm.
    pub radius: f64,
    /// Rest length, mm.
    pub length: f64,
    /// Number of edges of its rod.
    pub n_edges: usize,
    /// Stiffness and mass.
    pub section: CableSection,
    /// Where it is held; at most one at each end.
    pub handles: Vec<Handle>,
    /// The last solved shape, so that a file opens as it was left.
    pub shape: Option<Shape>,
}

/// Stiffness and mass of a cable, first-class inputs because real cables are not homogeneous.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CableSection {
    /// Bending stiffness EI, N mm^2.
    pub bending: f64,
    /// Torsional stiffness GJ, N mm^2.
    pub torsion: f64,
    /// Axial stiffness EA, N.
    pub axial: f64,
    /// Mass per length, kg/m (the same number as g/mm).
    pub mass_kg_m: f64,
}

/// Which end of a cable a handle holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandlePlace {
    /// Arc length 0.
    Start,
    /// Arc length = length.
    End,
}

/// A full-frame handle: holds position, direction (d3, along the cable from start to end) and roll.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle {
    /// Which end.
    pub place: HandlePlace,
    /// Where the handle is asked to be.
    pub pose: Pose,
}

/// A solved shape: the state of the cable's rod.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Node positions.
    pub points: Vec<Vec3>,
    /// Material frame of each edge.
    pub frames: Vec<Rotation>,
    /// Whole turns of each joint, clamps included: one more than edges.
    pub turns: Vec<i32>,
    /// Where the handles really are (a blocked one is short of its target): start, end.
    pub clamps: [Option<Pose>; 2],
}

impl Scene {
    /// The part of that name.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|p| p.name == name)
    }

    /// The cable of that name.
    pub fn cable(&self, name: &str) -> Option<&Cable> {
        self.cables.iter().find(|c| c.name == name)
    }

    /// The cable of that name, to change.
    pub fn cable_mut(&mut self, name: &str) -> Option<&mut Cable> {
        self.cables.iter_mut().find(|c| c.name == name)
    }
}

impl Cable {
    /// The handle at that end.
    pub fn handle(&self, place: HandlePlace) -> Option<&Handle> {
        self.handles.iter().find(|h| h.place == place)
    }
}
