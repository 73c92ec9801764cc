//! Readers of mesh files: STL (binary and text) and OBJ, checked and welded on entry.
//!
//! [`import_file`] reads a path, [`import_bytes`] a buffer. The content decides the format, the extension only
//! where the content does not. No input makes them panic or allocate more than a small multiple of its size.

mod build;
mod error;
mod obj;
mod obj_lines;
mod sniff;
mod stl;
mod triangulate;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest, Sha256};

pub use error::{ImportError, ImportWarning, Place};

use super::TriMesh;
use build::RawPart;

/// What was read from one mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedFile {
    /// The bodies of the file, in its order; at least one.
    pub parts: Vec<NamedMesh>,
    /// What was left out or repaired.
    pub warnings: Vec<ImportWarning>,
    /// SHA-256 of the file's bytes, hexadecimal.
    pub sha256: String,
}

/// One body of a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedMesh {
    /// Unique in its file; the file's stem where the file gives none.
    pub name: String,
    /// Its triangles; vertices at the same coordinates are one vertex.
    pub mesh: TriMesh,
}

/// Largest file that is read; keeps vertex numbers within 32 bits.
const MAX_BYTES: u64 = 16 << 30;

/// Reads a mesh file. The error names the path.
pub fn import_file(path: &Path) -> Result<ImportedFile, ImportError> {
    let in_file = |error| ImportError::InFile {
        path: path.to_owned(),
        error: Box::new(error),
    };
    let unreadable = |e: std::io::Error| {
        in_file(ImportError::Unreadable {
            reason: e.to_string(),
        })
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(in_file(ImportError::NotAFile));
    }
    if metadata.len() > MAX_BYTES {
        return Err(in_file(ImportError::TooLarge {
            n_bytes: metadata.len(),
        }));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let file_name = path.file_name().map(|n| n.to_string_lossy());
    import_bytes(&bytes, file_name.as_deref().unwrap_or("")).map_err(in_file)
}

/// Reads the bytes of a mesh file. `file_name` settles the format where the content does not, and names what the
/// file leaves nameless.
pub fn import_bytes(bytes: &[u8], file_name: &str) -> Result<ImportedFile, ImportError> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ImportError::TooLarge {
            n_bytes: bytes.len() as u64,
        });
    }
    let mut warnings = Vec::new();
    let raw_parts = match sniff::sniff(bytes, file_name)? {
        sniff::Format::StlBinary => stl::read_binary(bytes, &mut warnings)?,
        sniff::Format::StlText => stl::read_text(bytes, &mut warnings)?,
        sniff::Format::Obj => obj::read(bytes, &mut warnings)?,
    };

    let stem = Path::new(file_name)
        .file_stem()
        .map_or_else(|| "part".into(), |s| s.to_string_lossy());
    let mut names = UniqueNames::default();
    let mut parts = Vec::new();
    for raw in raw_parts {
        let RawPart { name, soup } = raw;
        let wanted = if name.is_empty() { &*stem } else { &name };
        let name = names.claim(wanted);
        if let Some(mesh) = soup.finish(&name, &mut warnings) {
            parts.push(NamedMesh { name, mesh });
        }
    }
    if parts.is_empty() {
        return Err(ImportError::NoTriangles);
    }
    Ok(ImportedFile {
        parts,
        warnings,
        sha256: sha256_hex(bytes),
    })
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

/// SHA-256 of `bytes`, 64 hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// `bytes` as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests;
