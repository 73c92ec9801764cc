//! What can be wrong with a mesh file.

use std::path::PathBuf;

use super::Unit;
use crate::progress::Cancelled;

/// Why a mesh file could not be read. Each message says what, where, and what to try.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImportError {
    /// Any of the others, with the file it happened in.
    #[error("{error}: {}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: Box<ImportError>,
    },
    /// The operating system refused.
    #[error("cannot read the file ({reason}); check its name and permissions")]
    Unreadable {
        /// What the system says.
        reason: String,
    },
    /// A directory, a device or the like.
    #[error("not a regular file; name a mesh file, not a directory")]
    NotAFile,
    /// Beyond what vertex numbers of 32 bits can hold.
    #[error(
        "the file has {n_bytes} bytes, more than the 16 GiB that are read; split it into parts"
    )]
    TooLarge {
        /// Its size.
        n_bytes: u64,
    },
    /// Nothing in it.
    #[error("the file is empty; export it again")]
    EmptyFile,
    /// A format that is not read.
    #[error("this is {format}; {advice}")]
    OtherFormat {
        /// What it is.
        format: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// Neither content nor extension of a mesh file.
    #[error(
        "the content is of no format that is read; export the part as STEP, STL, OBJ, PLY, glTF, 3MF, VRML or Open Inventor"
    )]
    UnknownFormat,
    /// The user asked to stop.
    #[error("the import was cancelled")]
    Cancelled,
    /// Something that is not as the format demands.
    #[error("{place}: {reason}; the file is damaged: export it again")]
    Damaged {
        /// Where.
        place: Place,
        /// What is wrong.
        reason: String,
    },
    /// Something that the format allows and this program does not read.
    #[error("{place}: {what}; {advice}")]
    NotSupported {
        /// Where.
        place: Place,
        /// What it is.
        what: String,
        /// What to do.
        advice: &'static str,
    },
    /// A small file that unfolds to more than the memory should hold.
    #[error(
        "{place}: {what} (at most {limit}); the file is damaged, or too large to be read in one piece"
    )]
    UnfoldsTooFar {
        /// Where.
        place: Place,
        /// What there is too much of.
        what: &'static str,
        /// How much would be read.
        limit: u64,
    },
    /// A binary STL that is shorter than it says.
    #[error(
        "binary STL is cut off: it announces {announced} triangles, but only {present} are there; \
         export or copy it again"
    )]
    Truncated {
        /// The count in its header.
        announced: u32,
        /// How many whole triangles follow.
        present: u64,
    },
    /// A text file that stops inside a statement.
    #[error(
        "the file ends inside a facet that begins at line {line}; it is cut off: export or copy it again"
    )]
    EndsInFacet {
        /// Line of the facet, from 1.
        line: usize,
    },
    /// A facet that is no triangle.
    #[error(
        "line {line}: the facet has {n_corners} vertices instead of 3; export it again as triangles"
    )]
    NotATriangle {
        /// Line of the end of the facet, from 1.
        line: usize,
        /// How many it has.
        n_corners: usize,
    },
    /// A word where another belongs.
    #[error(
        "line {line}: \"{word}\" does not belong here; the file is damaged or not a mesh: export it again"
    )]
    UnexpectedWord {
        /// Line, from 1.
        line: usize,
        /// The word.
        word: String,
    },
    /// Text where a number belongs.
    #[error("line {line}: \"{word}\" is not a number{}", comma_hint(word))]
    NotANumber {
        /// Line, from 1.
        line: usize,
        /// The text.
        word: String,
    },
    /// A coordinate that is NaN, infinite or absurdly far away.
    #[error(
        "{place}: a coordinate is {value}; it must be finite and within 1e9 of the origin: \
         check the units of the export"
    )]
    BadCoordinate {
        /// Line or triangle.
        place: Place,
        /// The coordinate.
        value: f64,
    },
    /// A face names a vertex that does not exist before it.
    #[error(
        "line {line}: {reason}, with {n_vertices} vertices before it; the file is damaged: export it again"
    )]
    BadFace {
        /// Line, from 1.
        line: usize,
        /// What is wrong with its numbers.
        reason: String,
        /// How many vertices stand before that line.
        n_vertices: usize,
    },
    /// Read well, but nothing is in it.
    #[error("the file holds no triangle of any area; export it with its surfaces")]
    NoTriangles,
}

/// Where in a file something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A byte, from 0.
    Byte(u64),
    /// Something with a name or a number of its own, such as `accessor 3`.
    Item(String),
    /// A line, from 1.
    Line(usize),
    /// A triangle of a binary file, from 1, and the byte at which it begins.
    Triangle {
        /// Number, from 1.
        number: usize,
        /// Offset from the start of the file.
        byte: usize,
    },
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Item(item) => f.write_str(item),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Triangle { number, byte } => write!(f, "triangle {number} (byte {byte})"),
        }
    }
}

/// A length for people.
fn size_text(mm: f64) -> String {
    match mm {
        s if s < 0.01 => format!("{s:.1e} mm"),
        s if s < 1e4 => format!("{s:.2} mm"),
        s if s < 1e6 => format!("{:.1} m", s / 1e3),
        s => format!("{:.1} km", s / 1e6),
    }
}

fn unit_hint(likely: Option<Unit>) -> String {
    match likely {
        Some(unit) => format!("; if it was written in {unit}, import it with units {unit}"),
        None => "; check the units of the export".to_owned(),
    }
}

fn comma_hint(word: &str) -> &'static str {
    if word.contains(',') {
        "; export it with decimal points instead of commas"
    } else {
        "; the file is damaged: export it again"
    }
}

impl From<Cancelled> for ImportError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Something that was left out or repaired, or that is odd; the import goes on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ImportWarning {
    /// The whole is so small or so large that the unit is probably another one.
    #[error(
        "everything together is {} large, read in {assumed}{}", size_text(*size), unit_hint(*likely)
    )]
    DoubtfulSize {
        /// Diagonal of the box around everything, mm.
        size: f64,
        /// The unit it was read in.
        assumed: Unit,
        /// The unit that would make it a usual size.
        likely: Option<Unit>,
    },
    /// A face of a STEP file that is not what it should be.
    #[error("part \"{part}\": face #{face}: {reason}{}", if *is_patched { "; it is drawn by its border only" } else { "" })]
    Face {
        /// The part.
        part: String,
        /// Its number in the file.
        face: u64,
        /// What is wrong.
        reason: String,
        /// Whether only its border is true.
        is_patched: bool,
    },
    /// A solid with a hole in its skin.
    #[error("part \"{part}\": solid #{number} is not closed")]
    OpenSolid {
        /// The part.
        part: String,
        /// Its number in the file.
        number: u64,
    },
    /// Something of a STEP file that is not there.
    #[error("#{number} left out: {reason}")]
    LeftOut {
        /// Its number in the file.
        number: u64,
        /// Why.
        reason: String,
    },
    /// A part of an assembly without a place.
    #[error("part \"{part}\": its place in the assembly cannot be read; it stands at the origin")]
    NotPlaced {
        /// The part.
        part: String,
    },
    /// A file of a format with units that gives none.
    #[error("the file does not say its unit; read in mm")]
    NoUnit,
    /// Triangles without area.
    #[error("part \"{part}\": {count} triangles of zero area dropped")]
    Degenerate {
        /// The part.
        part: String,
        /// How many.
        count: usize,
    },
    /// Triangles on the same three vertices as an earlier one.
    #[error("part \"{part}\": {count} duplicate triangles dropped")]
    Duplicate {
        /// The part.
        part: String,
        /// How many.
        count: usize,
    },
    /// Nothing of a part was left.
    #[error("part \"{part}\" has no triangles and was left out")]
    EmptyPart {
        /// The part.
        part: String,
    },
    /// A text STL without its last line.
    #[error("solid \"{solid}\" has no endsolid; the file may be cut off")]
    MissingEnd {
        /// Name of the solid.
        solid: String,
    },
    /// More bytes than the triangles of a binary STL take.
    #[error("{count} bytes after the last triangle ignored")]
    TrailingBytes {
        /// How many.
        count: usize,
    },
    /// Statements that make no surface here.
    #[error("{count} statements \"{keyword}\" ignored, the first in line {line}")]
    Ignored {
        /// Their first word.
        keyword: String,
        /// How many.
        count: usize,
        /// Line of the first, from 1.
        line: usize,
    },
    /// Faces of one or two corners.
    #[error("{count} faces of fewer than 3 corners ignored, the first in line {line}")]
    ShortFaces {
        /// How many.
        count: usize,
        /// Line of the first, from 1.
        line: usize,
    },
    /// Points and lines in a format of surfaces.
    #[error("{count} primitives of points or lines ignored")]
    NoSurface {
        /// How many.
        count: usize,
    },
    /// More parts than are kept apart.
    #[error(
        "the file holds {count} parts; at most {limit} are kept apart, the rest is one part (\"all other parts\", or a \
         body that was not split): join small bodies where the file is made"
    )]
    TooManyParts {
        /// How many.
        count: usize,
        /// How many are kept apart.
        limit: usize,
    },
    /// A 3MF whose build is empty.
    #[error("nothing in the file is to be built; all its objects are shown where they are")]
    NothingToBuild,
    /// Polygons that cross themselves or are too large to cut well.
    #[error(
        "part \"{part}\": {count} polygons that cross themselves were triangulated as well as possible"
    )]
    CrossedPolygons {
        /// The part.
        part: String,
        /// How many.
        count: usize,
    },
}
