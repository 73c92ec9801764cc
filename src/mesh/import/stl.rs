//! STL. Binary files go through stl_io; text through a reader of our own, because stl_io refuses nameless solids,
//! upper case, leading blanks and a missing `endsolid`, and stops after the first of several solids.

use std::io::{Cursor, Read, Seek, SeekFrom};

use super::build::{RawPart, checked_point, parse_number, shown};
use super::error::Place;
use super::sniff::{announced_triangles, text_of};
use super::{ImportError, ImportWarning};
use crate::geom::Vec3;

const HEADER_BYTES: usize = 84;
const TRIANGLE_BYTES: usize = 50;

/// Reads a binary STL: one nameless part.
pub fn read_binary(
    bytes: &[u8],
    warnings: &mut Vec<ImportWarning>,
) -> Result<Vec<RawPart>, ImportError> {
    let announced = announced_triangles(bytes).unwrap_or(0);
    let present = (bytes.len().saturating_sub(HEADER_BYTES) / TRIANGLE_BYTES) as u64;
    if present < u64::from(announced) || bytes.len() < HEADER_BYTES {
        return Err(ImportError::Truncated { announced, present });
    }
    let n_used = HEADER_BYTES + TRIANGLE_BYTES * announced as usize;
    if bytes.len() > n_used {
        warnings.push(ImportWarning::TrailingBytes {
            count: bytes.len() - n_used,
        });
    }

    let unreadable = |e: std::io::Error| ImportError::Unreadable {
        reason: e.to_string(),
    };
    let mut reader = Headless(Cursor::new(bytes));
    let triangles = stl_io::create_stl_reader(&mut reader).map_err(unreadable)?;
    let mut part = RawPart::new(String::new());
    for (t, triangle) in triangles.enumerate() {
        let triangle = triangle.map_err(unreadable)?;
        let place = || Place::Triangle {
            number: t + 1,
            byte: HEADER_BYTES + t * TRIANGLE_BYTES,
        };
        let mut corners = [Vec3::zeros(); 3];
        for (corner, vertex) in corners.iter_mut().zip(triangle.vertices) {
            *corner = checked_point(vertex.0.map(f64::from), place)?;
        }
        part.soup.push(corners);
    }
    Ok(vec![part])
}

/// The file with its 80 bytes of header blanked, so that one beginning with "solid " is not taken for text.
struct Headless<'a>(Cursor<&'a [u8]>);

impl Read for Headless<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let start = self.0.position();
        let n = self.0.read(buffer)?;
        let n_header = 80_u64.saturating_sub(start).min(n as u64) as usize;
        buffer[..n_header].fill(0);
        Ok(n)
    }
}

impl Seek for Headless<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

/// Reads a text STL: one part per solid.
pub fn read_text(
    bytes: &[u8],
    warnings: &mut Vec<ImportWarning>,
) -> Result<Vec<RawPart>, ImportError> {
    let mut words = Words::new(text_of(bytes));
    let mut parts: Vec<RawPart> = Vec::new();
    let mut is_open = false;
    let mut ignored: Option<(String, usize, usize)> = None;
    while let Some(word) = words.next() {
        match &word.to_ascii_lowercase()[..] {
            b"solid" => {
                if is_open {
                    warnings.push(missing_end(&parts));
                }
                parts.push(RawPart::new(words.rest_of_line()));
                is_open = true;
            }
            b"endsolid" => {
                words.rest_of_line();
                is_open = false;
            }
            b"facet" => {
                if parts.is_empty() {
                    parts.push(RawPart::new(String::new()));
                }
                let corners = read_facet(&mut words)?;
                if let Some(part) = parts.last_mut() {
                    part.soup.push(corners);
                }
            }
            _ => {
                let line = words.line;
                words.rest_of_line();
                let (_, count, _) = ignored.get_or_insert_with(|| (shown(word), 0, line));
                *count += 1;
            }
        }
    }
    if is_open {
        warnings.push(missing_end(&parts));
    }
    if let Some((keyword, count, line)) = ignored {
        warnings.push(ImportWarning::Ignored {
            keyword,
            count,
            line,
        });
    }
    Ok(parts)
}

fn missing_end(parts: &[RawPart]) -> ImportWarning {
    ImportWarning::MissingEnd {
        solid: parts.last().map(|p| p.name.clone()).unwrap_or_default(),
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

/// Words between blanks, with the number of the line they are in.
struct Words<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Words<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
        }
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        while let Some(&byte) = self.text.get(self.at) {
            if !byte.is_ascii_whitespace() {
                break;
            }
            self.line += usize::from(byte == b'\n');
            self.at += 1;
        }
        let rest = &self.text[self.at..];
        let n = rest
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(rest.len());
        self.at += n;
        (n > 0).then(|| &rest[..n])
    }

    /// What is left of the line, without the blanks around it.
    fn rest_of_line(&mut self) -> String {
        let rest = &self.text[self.at..];
        let n = rest
            .iter()
            .position(|&b| b == b'\n' || b == b'\r')
            .unwrap_or(rest.len());
        self.at += n;
        String::from_utf8_lossy(rest[..n].trim_ascii()).into_owned()
    }
}
