//! VRML 2 and Open Inventor 2 in text (and VRML 1, which is a part of the latter).

mod geometry;
mod lexer;
mod parse;
mod walk;

use super::load::RawFile;
use super::{ImportError, ImportWarning, SourceSpace};
use crate::progress::Stretch;
use walk::{Dialect, Walk};

/// Reads VRML 2: metres and Y up, as its standard has it.
pub fn read_vrml(
    bytes: &[u8],
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    read(bytes, Dialect::Vrml, warnings, stretch)
}

/// Reads Open Inventor: in the unit of its first `Units` node, when there is one. VRML 1: metres and Y up.
pub fn read_inventor(
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
