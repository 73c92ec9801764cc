//! Readers of mesh files: STL, OBJ, PLY, glTF, 3MF, VRML 2, Open Inventor and STEP, checked and welded on entry.
//!
//! [`import_file`] reads a path, [`import_bytes`] a buffer; [`Importer`] has the choices. The content decides the
//! format, the extension only where the content does not. Everything arrives in mm and Z up. No input makes them
//! panic or allocate more than a small multiple of its size.

mod clean;
mod error;
mod foreign;
mod format;
mod gltf;
mod hash;
mod inventor;
mod load;
mod obj;
mod options;
mod ply;
mod raw;
mod report;
mod sniff;
mod space;
pub(crate) mod step;
mod stl;
mod threemf;
mod tree;
mod triangulate;
mod words;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use error::{ImportError, ImportWarning, Place};
pub use format::{Format, extensions};
pub use hash::{hex, sha256_hex};
pub use options::{ImportOptions, Importer};
pub use report::{BrepReport, Cleaning, PartReport, Topology};
pub use sniff::holds_curves_alone;
pub use space::{SourceSpace, Unit, UpAxis};

use super::TriMesh;

/// What was read from one mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedFile {
    /// The bodies of the file, in its order; at least one.
    pub parts: Vec<NamedMesh>,
    /// What was left out or repaired, or is odd.
    pub warnings: Vec<ImportWarning>,
    /// SHA-256 of the file's bytes, hexadecimal.
    pub sha256: String,
    /// Its format.
    pub format: Format,
    /// The unit and axes it was read in; an export may go back into them.
    pub space: SourceSpace,
}

/// One body of a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedMesh {
    /// Unique in its file; the file's stem where the file gives none.
    pub name: String,
    /// Its triangles, in mm and Z up; vertices at the same place are one vertex.
    pub mesh: Arc<TriMesh>,
    /// Names of the groups or nodes it is in, from the outside, and its own last; as the file has them.
    pub path: Vec<String>,
    /// Its colour, when the file gives one for all of it.
    pub color: Option<Color>,
    /// What was found and changed.
    pub report: PartReport,
}

/// A colour: red, green, blue and opacity, 0 to 1, as a screen has them (sRGB).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Color(pub [f32; 4]);

impl Color {
    /// From channels of any size, NaN included: cut to 0 to 1.
    pub fn new(channels: [f64; 4]) -> Self {
        Self(channels.map(|c| if c > 0.0 { c.min(1.0) as f32 } else { 0.0 }))
    }

    /// Red, green and blue from 0 to 255.
    pub fn to_bytes(self) -> [u8; 3] {
        let [r, g, b, _] = self.0;
        [r, g, b].map(|c| (255.0 * c).round() as u8)
    }

    /// From linear light, as glTF has it (IEC 61966-2-1); opacity stays.
    pub fn from_linear([r, g, b, a]: [f64; 4]) -> Self {
        let curve = |c: f64| {
            if c <= 0.003_130_8 {
                12.92 * c
            } else {
                1.055 * c.powf(1.0 / 2.4) - 0.055
            }
        };
        Self::new([curve(r), curve(g), curve(b), a])
    }
}

/// Reads a mesh file as it comes. The error names the path.
pub fn import_file(path: &Path) -> Result<ImportedFile, ImportError> {
    Importer::default().file(path)
}

/// Reads the bytes of a mesh file as they come. `file_name` settles the format where the content does not, and
/// names what the file leaves nameless, and the file in an error.
pub fn import_bytes(bytes: &[u8], file_name: &str) -> Result<ImportedFile, ImportError> {
    Importer::default().bytes(bytes, file_name)
}

/// Gives every name once.
#[derive(Clone, Debug, Default)]
pub struct UniqueNames {
    /// Each name given, with the suffix to try next for it.
    given: HashMap<String, usize>,
}

impl UniqueNames {
    /// `wanted`, or `wanted 2`, `wanted 3`, ...: the first that was not given yet.
    pub fn claim(&mut self, wanted: &str) -> String {
        let mut suffix = self.given.get(wanted).copied().unwrap_or(1);
        let mut name = wanted.to_owned();
        while self.given.contains_key(&name) {
            suffix += 1;
            name = format!("{wanted} {suffix}");
        }
        self.given.insert(wanted.to_owned(), suffix);
        self.given.entry(name.clone()).or_insert(1);
        name
    }
}

#[cfg(test)]
mod tests;
