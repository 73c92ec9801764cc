//! The scene file: versioned JSON, described in `docs/scene-format.md`.
//!
//! [`load`] checks everything a scene must be and names cable and field of what is wrong. [`save`] checks the same,
//! so that what was written can be read, and replaces the target only when the new file is complete on disk.
//! Version 2 only adds fields to version 1, so one reader serves both.

mod bulk;
mod check;
mod fields;
mod pretty;
mod v2;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub(crate) use check::check;
pub(crate) use check::check_cable;
pub use fields::Invalid;
pub(crate) use v2::part_with;

use super::Scene;
use crate::disk::{read_bounded, write_atomically};
use crate::mesh::import::{ImportError, ImportWarning, extensions};

/// The value of `"format"`.
pub const FORMAT: &str = "loomwright-scene";
/// The version this program writes, and the newest it reads.
pub const VERSION: u64 = 2;
/// Largest scene that is read.
const MAX_BYTES: u64 = 4 << 30;

/// Why a scene file could not be read or written. The path comes last.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneFileError {
    /// The operating system refused to read.
    #[error("cannot read the scene ({reason}); check its name and permissions: {}", path.display())]
    Unreadable {
        /// The scene file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Not JSON, or not all of it.
    #[error("line {line}, column {column}{context}: {reason}: {}", path.display())]
    Syntax {
        /// The scene file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The field before that place, in words; may be empty.
        context: String,
        /// What is wrong there, and what to try.
        reason: String,
    },
    /// JSON, but of something else.
    #[error("not a Loomwright scene: \"format\" is not \"{FORMAT}\"; a mesh is opened with import: {}", path.display())]
    NotAScene {
        /// The file.
        path: PathBuf,
    },
    /// A mesh, by its name and because it is no JSON.
    #[error("this is a mesh, not a scene; make a scene of it first, with: loomwright import {} -o NAME.scene.json", path.display())]
    IsMesh {
        /// The file.
        path: PathBuf,
    },
    /// Written by a newer program.
    #[error("the scene has version {version}, and this program reads up to {VERSION}; update Loomwright: {}", path.display())]
    NewerVersion {
        /// The scene file.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// A field is missing, of the wrong kind, or out of range.
    #[error("{invalid}: {}", path.display())]
    Invalid {
        /// The scene file.
        path: PathBuf,
        /// Which field, and what is wrong with it.
        invalid: Invalid,
    },
    /// A mesh file is not where the scene says.
    #[error(
        "part \"{part}\": its mesh file is missing; put it back or correct the path. Looked for it at: {}",
        looked_at.display()
    )]
    MeshMissing {
        /// The part.
        part: String,
        /// Where the file should be.
        looked_at: PathBuf,
    },
    /// A mesh file is there, but cannot be used.
    #[error("part \"{part}\": {error}")]
    Mesh {
        /// The part.
        part: String,
        /// What is wrong with the file; names its path.
        error: ImportError,
    },
    /// A mesh file has no part of that name.
    #[error("part \"{part}\": the mesh file has no part \"{wanted}\", it has: {known}: {}", path.display())]
    NoSuchPart {
        /// The part of the scene.
        part: String,
        /// Its name in the mesh file.
        wanted: String,
        /// The names there are.
        known: String,
        /// The mesh file.
        path: PathBuf,
    },
    /// The file could not be written; what was there before is untouched.
    #[error("cannot save ({reason}); the previous file is untouched: {}", path.display())]
    Unwritable {
        /// The target.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
}

/// Something the user should know about a scene that was read all the same.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneWarning {
    /// A mesh file is not the one the scene was saved with; the scene takes it as it is now.
    #[error("the mesh file of part \"{part}\" has changed since the scene was saved: {}", path.display())]
    MeshChanged {
        /// The part.
        part: String,
        /// The mesh file.
        path: PathBuf,
    },
    /// A part's mesh is not there or not usable. The part is kept in the file, but nothing collides with it.
    #[error(
        "{reason}\n  the part is left out: cables may pass through where it was, until its file is back or replaced"
    )]
    PartLeftOut {
        /// What is wrong with its mesh.
        reason: Box<SceneFileError>,
    },
    /// What the import of a changed mesh file says.
    #[error("{warning}: {}", path.display())]
    Mesh {
        /// The mesh file.
        path: PathBuf,
        /// The import's warning.
        warning: ImportWarning,
    },
}

/// Reads a scene and the mesh files it names.
pub fn load(path: &Path) -> Result<(Scene, Vec<SceneWarning>), SceneFileError> {
    let unreadable = |reason: String| SceneFileError::Unreadable {
        path: path.to_owned(),
        reason,
    };
    let bytes = read_bounded(path, MAX_BYTES).map_err(|e| unreadable(e.to_string()))?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|e| {
        if is_named_as_mesh(path) {
            SceneFileError::IsMesh {
                path: path.to_owned(),
            }
        } else {
            syntax_error(path, &bytes, &e)
        }
    })?;
    // A large file is not kept beside what was read from it.
    drop(bytes);

    let is_scene = value.get("format").and_then(Value::as_str) == Some(FORMAT);
    let Value::Object(fields) = value else {
        return Err(SceneFileError::NotAScene {
            path: path.to_owned(),
        });
    };
    if !is_scene {
        return Err(SceneFileError::NotAScene {
            path: path.to_owned(),
        });
    }
    match fields.get("version").and_then(Value::as_u64) {
        Some(1 | 2) => v2::read(fields, path),
        Some(version) if version > VERSION => Err(SceneFileError::NewerVersion {
            path: path.to_owned(),
            version,
        }),
        _ => Err(SceneFileError::Invalid {
            path: path.to_owned(),
            invalid: Invalid::new("the scene", "version", "must be a whole number from 1"),
        }),
    }
}

/// Writes a scene. Mesh files are named relative to `path`; meshes made by code are embedded.
///
/// The new file is complete on disk before it takes the place of the old one.
pub fn save(scene: &Scene, path: &Path) -> Result<(), SceneFileError> {
    let invalid = |invalid| SceneFileError::Invalid {
        path: path.to_owned(),
        invalid,
    };
    check::check(scene).map_err(invalid)?;
    let value = v2::write(scene, path).map_err(invalid)?;
    write_atomically(path, |file| {
        pretty::write_pretty(&value, file)?;
        file.write_all(b"\n")
    })
    .map_err(|e| SceneFileError::Unwritable {
        path: path.to_owned(),
        reason: e.to_string(),
    })
}

/// `path` as seen from the directory of `file`, with `/` between its components; `None` when it is not Unicode.
pub fn relative_to_file(path: &Path, file: &Path) -> Option<String> {
    v2::parts::relative(path, &v2::parts::directory_of(file))
}

/// Whether the ending of a file is that of a mesh format.
fn is_named_as_mesh(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    extensions().iter().any(|e| ending.eq_ignore_ascii_case(e))
}

/// What serde_json says, with the field that stands before the place and a word on what to try.
fn syntax_error(path: &Path, bytes: &[u8], error: &serde_json::Error) -> SceneFileError {
    let (line, column) = (error.line(), error.column());
    let line_start: usize = bytes
        .split_inclusive(|&b| b == b'\n')
        .take(line.saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    let at = (line_start + column).min(bytes.len());
    let before = String::from_utf8_lossy(&bytes[..at]);
    let context = last_key(&before)
        .map(|key| format!(", at \"{key}\""))
        .unwrap_or_default();

    let full = error.to_string();
    let plain = full.split(" at line ").next().unwrap_or(&full);
    let mut reason = format!("not valid JSON ({plain})");
    if error.is_eof() {
        "the file ends here: it is cut off; restore it from a backup".clone_into(&mut reason);
    } else if is_no_number(bytes, at) {
        reason.push_str("; NaN and infinity are no numbers of JSON");
    }
    SceneFileError::Syntax {
        path: path.to_owned(),
        line,
        column,
        context,
        reason,
    }
}

/// Whether the word around `at` is one of the not-numbers that other programs write.
fn is_no_number(bytes: &[u8], at: usize) -> bool {
    let is_letter = |b: &u8| b.is_ascii_alphabetic();
    let n_before = bytes[..at]
        .iter()
        .rev()
        .take_while(|b| is_letter(b))
        .count();
    let n_after = bytes[at..].iter().take_while(|b| is_letter(b)).count();
    let word = bytes[at - n_before..at + n_after].to_ascii_lowercase();
    [&b"nan"[..], b"inf", b"infinity"].contains(&&word[..])
}

/// The last `"key":` of a piece of JSON.
fn last_key(text: &str) -> Option<&str> {
    let upto = text[..text.rfind("\":")?].rfind('"')? + 1;
    text[upto..].split('"').next()
}

#[cfg(test)]
mod tests;
