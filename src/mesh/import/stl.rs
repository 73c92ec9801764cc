//! STL, binary and text, as CAD systems write it: nameless solids, several of them, upper case, no `endsolid`.

use super::error::Place;
use super::format::Row;
use super::load::{Ignored, RawFile};
use super::raw::{RawPart, Soup, checked_point, parse_number, shown};
use super::sniff::{is_text, starts_with_word, text_of};
use super::words::Words;
use super::{ImportError, ImportWarning};
use crate::geom::Vec3;
use crate::progress::Stretch;

const HEADER_BYTES: usize = 84;
const TRIANGLE_BYTES: usize = 50;

/// Binary STL: 80 bytes of header, a count, 50 bytes a triangle.
pub const BINARY: Row = Row {
    key: "stl_binary",
    extensions: &["stl"],
    // The size tells it even when its header begins with "solid".
    begins: |bytes| {
        announced_triangles(bytes).is_some_and(|n| bytes.len() as u64 == 84 + 50 * u64::from(n))
    },
    may_be: |bytes| {
        !is_text(bytes) || bytes.len() >= 84 && !starts_with_word(text_of(bytes), b"solid")
    },
    read: |source, warnings, stretch| read_binary(source.bytes, warnings, stretch),
};

/// STL as text: `solid`, `facet normal`, `vertex` ...
pub const TEXT: Row = Row {
    key: "stl_text",
    extensions: &["stl"],
    begins: |bytes| begins_text(text_of(bytes)),
    may_be: |_| true,
    read: |source, warnings, stretch| read_text(source.bytes, warnings, stretch),
};

/// `solid`, any name, and then a line that begins with `facet` or `endsolid`; or `facet normal` at once.
fn begins_text(text: &[u8]) -> bool {
    if starts_with_word(text, b"facet") {
        return true;
    }
    if !starts_with_word(text, b"solid") {
        return false;
    }
    let mut lines = text
        .trim_ascii_start()
        .split(|&b| b == b'\n' || b == b'\r')
        .skip(1)
        .filter(|line| !line.trim_ascii().is_empty());
    lines.next().is_some_and(|line| {
        [&b"facet"[..], b"endsolid", b"solid", b"color"]
            .iter()
            .any(|word| starts_with_word(line, word))
    })
}

/// The triangle count of a binary STL header; `None` when the file is too short for one.
fn announced_triangles(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(80..84)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

/// Reads a binary STL: one nameless part.
///
/// Each triangle is a normal, three corners (all of three `f32`, little-endian) and two bytes of no meaning.
fn read_binary(
    bytes: &[u8],
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    let announced = announced_triangles(bytes).unwrap_or(0);
    let records = bytes.get(HEADER_BYTES..).unwrap_or_default();
    let present = (records.len() / TRIANGLE_BYTES) as u64;
    if present < u64::from(announced) || bytes.len() < HEADER_BYTES {
        return Err(ImportError::Truncated { announced, present });
    }
    let n_triangles = announced as usize;
    let n_trailing = records.len() - n_triangles * TRIANGLE_BYTES;
    if n_trailing > 0 {
        warnings.push(ImportWarning::TrailingBytes { count: n_trailing });
    }
    let mut soup = Soup::new(String::new());
    soup.part.triangles.reserve_exact(n_triangles);
    for (t, record) in records
        .chunks_exact(TRIANGLE_BYTES)
        .take(n_triangles)
        .enumerate()
    {
        stretch.at_element(t, n_triangles)?;
        let mut corners = [Vec3::zeros(); 3];
        for (k, corner) in corners.iter_mut().enumerate() {
            let coordinate = |i: usize| {
                let at = 12 + 12 * k + 4 * i;
                let four = [record[at], record[at + 1], record[at + 2], record[at + 3]];
                f64::from(f32::from_le_bytes(four))
            };
            *corner = checked_point([0, 1, 2].map(coordinate), || Place::Triangle {
                number: t + 1,
                byte: HEADER_BYTES + t * TRIANGLE_BYTES,
            })?;
        }
        soup.push(corners);
    }
    Ok(RawFile::spaceless(vec![soup.finish()]))
}

/// Reads a text STL: one part per solid.
fn read_text(
    bytes: &[u8],
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    let mut words = Words::new(text_of(bytes));
    let mut parts: Vec<RawPart> = Vec::new();
    let mut open: Option<Soup> = None;
    let mut has_end = true;
    let mut ignored = Ignored::default();
    let mut n_words = 0;
    while let Some(word) = words.next() {
        n_words += 1;
        if n_words % 1024 == 0 {
            stretch.at(words.at as f64 / bytes.len() as f64)?;
        }
        match &word.to_ascii_lowercase()[..] {
            b"solid" => {
                if !has_end {
                    warnings.push(missing_end(open.as_ref()));
                }
                parts.extend(open.take().map(Soup::finish));
                open = Some(Soup::new(words.rest_of_line()));
                has_end = false;
            }
            b"endsolid" => {
                words.rest_of_line();
                has_end = true;
            }
            b"facet" => {
                let corners = read_facet(&mut words)?;
                open.get_or_insert_with(|| Soup::new(String::new()))
                    .push(corners);
            }
            _ => {
                let line = words.line;
                words.rest_of_line();
                if !ignored.note(shown(word), line) {
                    return Err(ImportError::UnexpectedWord {
                        line,
                        word: shown(word),
                    });
                }
            }
        }
    }
    if !has_end {
        warnings.push(missing_end(open.as_ref()));
    }
    parts.extend(open.map(Soup::finish));
    warnings.extend(ignored.warnings());
    Ok(RawFile::spaceless(parts))
}

fn missing_end(solid: Option<&Soup>) -> ImportWarning {
    ImportWarning::MissingEnd {
        solid: solid.map(|s| s.part.name.clone()).unwrap_or_default(),
    }
}

/// The rest of a facet, from after its first word. Its normal is not read: it may be anything.
fn read_facet(words: &mut Words) -> Result<[Vec3; 3], ImportError> {
    let first_line = words.line;
    let cut_off = ImportError::EndsInFacet { line: first_line };
    let mut corners = [Vec3::zeros(); 3];
    let mut n_corners = 0;
    let mut in_normal = true;
    loop {
        let word = words.next().ok_or_else(|| cut_off.clone())?;
        match &word.to_ascii_lowercase()[..] {
            b"vertex" => {
                in_normal = false;
                let mut p = [0.0; 3];
                for c in &mut p {
                    let word = words.next().ok_or_else(|| cut_off.clone())?;
                    *c = parse_number(word, words.line)?;
                }
                let p = checked_point(p, || Place::Line(words.line))?;
                if let Some(corner) = corners.get_mut(n_corners) {
                    *corner = p;
                }
                n_corners += 1;
            }
            b"endfacet" if n_corners == 3 => return Ok(corners),
            b"endfacet" => {
                return Err(ImportError::NotATriangle {
                    line: words.line,
                    n_corners,
                });
            }
            b"outer" | b"loop" | b"endloop" => in_normal = false,
            b"facet" | b"solid" | b"endsolid" => {
                return Err(ImportError::UnexpectedWord {
                    line: words.line,
                    word: shown(word),
                });
            }
            _ if in_normal => {}
            _ => {
                return Err(ImportError::UnexpectedWord {
                    line: words.line,
                    word: shown(word),
                });
            }
        }
    }
}
