//! VRML 2 and Open Inventor 2 in text (and VRML 1, which is a part of the latter).

mod geometry;
mod lexer;
mod parse;
mod walk;

use super::format::Row;
use super::load::RawFile;
use super::sniff::{first_line_has, is_text};
use super::{ImportError, ImportWarning, SourceSpace};
use crate::progress::Stretch;
use walk::{Dialect, Walk};

/// VRML 2 (VRML97).
pub const VRML: Row = Row {
    key: "vrml",
    extensions: &["wrl", "vrml"],
    begins: |bytes| first_line_has(bytes, [b"#VRML", b"V2.0"]),
    may_be: is_text,
    read: |source, warnings, stretch| read_vrml(source.bytes, warnings, stretch),
};

/// Open Inventor 2 in text, and VRML 1, which is a part of it.
pub const INVENTOR: Row = Row {
    key: "inventor",
    extensions: &["iv"],
    begins: |bytes| {
        first_line_has(bytes, [b"#VRML", b"V1.0"])
            || first_line_has(bytes, [b"#Inventor", b"ascii"])
    },
    may_be: is_text,
    read: |source, warnings, stretch| read_inventor(source.bytes, warnings, stretch),
};

/// Reads VRML 2: metres and Y up, as its standard has it.
fn read_vrml(
    bytes: &[u8],
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    read(bytes, Dialect::Vrml, warnings, stretch)
}

/// Reads Open Inventor: in the unit of its first `Units` node, when there is one. VRML 1: metres and Y up.
fn read_inventor(
    bytes: &[u8],
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    read(bytes, Dialect::Inventor, warnings, stretch)
}

fn read(
    bytes: &[u8],
    dialect: Dialect,
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    let nodes = parse::parse(bytes, &stretch.part("parsing", 0.0, 0.7))?;
    let mut walk = Walk::new(&nodes, dialect, bytes.len());
    walk.run(&stretch.part("placing", 0.7, 1.0))?;
    warnings.extend(walk.ignored.warnings());
    let is_vrml = super::sniff::text_of(bytes).starts_with(b"#VRML") || dialect == Dialect::Vrml;
    let space = SourceSpace::METRE_Y_UP;
    Ok(RawFile {
        parts: walk.parts,
        unit: walk.unit.or(is_vrml.then_some(space.unit)),
        up: is_vrml.then_some(space.up),
    })
}
