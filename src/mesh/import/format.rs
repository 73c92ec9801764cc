//! The mesh formats: what each is called, how its files begin and end, and who reads it.
//!
//! A new format is a file with its reader and its [`Row`], and that row's name in [`FORMATS`].

use std::path::Path;

use serde::{Serialize, Serializer};

use super::load::RawFile;
use super::{
    ImportError, ImportOptions, ImportWarning, gltf, inventor, obj, ply, step, stl, threemf,
};
use crate::progress::Stretch;

/// All formats. The first whose content fits is meant.
pub const FORMATS: [&Row; 10] = [
    &stl::BINARY,
    &gltf::BINARY,
    &ply::FORMAT,
    &step::FORMAT,
    &threemf::FORMAT,
    &inventor::VRML,
    &inventor::INVENTOR,
    &gltf::TEXT,
    &stl::TEXT,
    &obj::FORMAT,
];

/// Everything that the program knows of a format.
pub struct Row {
    /// The word for it in reports.
    pub key: &'static str,
    /// Endings of its files, in lower case.
    pub extensions: &'static [&'static str],
    /// Whether bytes are surely of this format.
    pub begins: fn(&[u8]) -> bool,
    /// Whether bytes of a file with its ending may be of this format.
    pub may_be: fn(&[u8]) -> bool,
    /// Reads a file.
    pub read: fn(&Source, &mut Vec<ImportWarning>, &Stretch) -> Result<RawFile, ImportError>,
}

/// What a reader is given.
pub struct Source<'a> {
    /// The file.
    pub bytes: &'a [u8],
    /// Where it is; `None` where it is no file, so that nothing beside it is looked for.
    pub folder: Option<&'a Path>,
    /// What the user chose.
    pub options: &'a ImportOptions,
}

impl Row {
    /// The format of this row.
    pub fn format(&'static self) -> Format {
        Format(self)
    }
}

/// A format with a reader.
#[derive(Clone, Copy)]
pub struct Format(&'static Row);

impl Format {
    /// The word for it in reports, such as `stl_binary`.
    pub fn key(self) -> &'static str {
        self.0.key
    }

    /// Reads a file of this format.
    pub(super) fn read(
        self,
        source: &Source,
        warnings: &mut Vec<ImportWarning>,
        stretch: &Stretch,
    ) -> Result<RawFile, ImportError> {
        (self.0.read)(source, warnings, stretch)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Format {}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.key())
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.key())
    }
}

/// Endings of the files that are read, the first of each format first.
pub fn extensions() -> Vec<&'static str> {
    let mut all: Vec<&str> = Vec::new();
    for ending in FORMATS.iter().flat_map(|row| row.extensions) {
        if !all.contains(ending) {
            all.push(ending);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_a_word_and_an_ending_of_its_own() {
        for (i, row) in FORMATS.iter().enumerate() {
            assert!(!row.extensions.is_empty(), "{}", row.key);
            assert!(FORMATS[..i].iter().all(|other| other.key != row.key));
        }
    }
}
