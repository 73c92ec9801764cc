//! The header of a PLY file.

use crate::mesh::import::error::Place;
use crate::mesh::import::raw::shown;
use crate::mesh::import::{ImportError, Unit};

/// How the numbers after the header are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// As text, one element a line.
    Text,
    /// Least significant byte first.
    LittleEndian,
    /// Most significant byte first.
    BigEndian,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Signed, 1 byte.
    I8,
    /// Unsigned, 1 byte.
    U8,
    /// Signed, 2 bytes.
    I16,
    /// Unsigned, 2 bytes.
    U16,
    /// Signed, 4 bytes.
    I32,
    /// Unsigned, 4 bytes.
    U32,
    /// Floating, 4 bytes.
    F32,
    /// Floating, 8 bytes.
    F64,
}

impl Scalar {
    fn named(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of one.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// One number, or a list of them, of every element of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Such as `x` or `vertex_indices`.
    pub name: Vec<u8>,
    /// Type of the number, or of the numbers of the list.
    pub scalar: Scalar,
    /// Type of the length of a list; none for a single number.
    pub length: Option<Scalar>,
}

/// A kind of element: `vertex`, `face` ...
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its kind.
    pub name: Vec<u8>,
    /// How many follow.
    pub count: u64,
    /// What each has.
    pub properties: Vec<Property>,
}

impl Element {
    /// Bytes that one takes at least.
    pub fn least_size(&self) -> u64 {
        let sizes = self.properties.iter();
        sizes
            .map(|p| p.length.unwrap_or(p.scalar).size() as u64)
            .sum()
    }
}

/// What stands before the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// How the numbers are written.
    pub encoding: Encoding,
    /// The elements, in their order.
    pub elements: Vec<Element>,
    /// The unit, from a comment such as `comment units mm`.
    pub unit: Option<Unit>,
    /// Where the numbers begin.
    pub n_bytes: usize,
    /// Line on which they begin, from 1.
    pub n_lines: usize,
}

/// Elements and properties that a header may have.
const MAX_ENTRIES: usize = 1000;

/// Reads the header.
pub fn read(bytes: &[u8]) -> Result<Header, ImportError> {
    let mut header = Header {
        encoding: Encoding::Text,
        elements: Vec::new(),
        unit: None,
        n_bytes: 0,
        n_lines: 1,
    };
    let mut has_format = false;
    let mut n_entries = 0;
    loop {
        let line = header.n_lines;
        let damaged = |reason: String| ImportError::Damaged {
            place: Place::Line(line),
            reason,
        };
        let Some((text, n_taken)) = line_of(&bytes[header.n_bytes..]) else {
            return Err(damaged("the header has no end_header".to_owned()));
        };
        header.n_bytes += n_taken;
        header.n_lines += 1;
        let words: Vec<&[u8]> = text
            .split(u8::is_ascii_whitespace)
            .filter(|w| !w.is_empty())
            .take(8)
            .collect();
        let bad_line = || damaged(format!("\"{}\" is no line of a PLY header", shown(text)));
        match words[..] {
            [b"ply"] if line == 1 => {}
            [b"format", encoding, ..] => {
                has_format = true;
                header.encoding = match encoding {
                    b"ascii" => Encoding::Text,
                    b"binary_little_endian" => Encoding::LittleEndian,
                    b"binary_big_endian" => Encoding::BigEndian,
                    _ => return Err(bad_line()),
                };
            }
            [b"comment", b"units" | b"unit", unit] => {
                header.unit = Unit::named(&String::from_utf8_lossy(unit));
            }
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"element", name, count] => {
                let count = std::str::from_utf8(count).ok().and_then(|c| c.parse().ok());
                header.elements.push(Element {
                    name: name.to_vec(),
                    count: count.ok_or_else(bad_line)?,
                    properties: Vec::new(),
                });
                n_entries += 1;
            }
            [b"property", ref rest @ ..] => {
                let property = property(rest).ok_or_else(bad_line)?;
                let element = header.elements.last_mut().ok_or_else(bad_line)?;
                element.properties.push(property);
                n_entries += 1;
            }
            [b"end_header"] if has_format => return Ok(header),
            [b"end_header"] => return Err(damaged("the header names no format".to_owned())),
            _ => return Err(bad_line()),
        }
        if n_entries > MAX_ENTRIES {
            return Err(damaged(format!("more than {MAX_ENTRIES} properties")));
        }
    }
}

fn property(words: &[&[u8]]) -> Option<Property> {
    let (name, scalar, length) = match words {
        [b"list", length, scalar, name] => (name, scalar, Some(Scalar::named(length)?)),
        [scalar, name] => (name, scalar, None),
        _ => return None,
    };
    Some(Property {
        name: name.to_vec(),
        scalar: Scalar::named(scalar)?,
        length,
    })
}

/// A line and how many bytes it takes with its end: a line feed, a carriage return, or both.
fn line_of(bytes: &[u8]) -> Option<(&[u8], usize)> {
    // A header line is short; what has no end for so long is no header.
    let start = &bytes[..bytes.len().min(10_000)];
    let n = start.iter().position(|&b| b == b'\n' || b == b'\r')?;
    let n_end = if start[n..].starts_with(b"\r\n") {
        2
    } else {
        1
    };
    Some((&start[..n], n + n_end))
}
