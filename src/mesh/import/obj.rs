//! Wavefront OBJ: objects and groups become parts; normals, textures and materials are of no use here.

use std::collections::HashMap;

use super::error::Place;
use super::format::Row;
use super::load::{Ignored, RawFile};
use super::raw::{RawPart, Scratch, checked_point, parse_number, shown};
use super::sniff::{is_text, text_of};
use super::{ImportError, ImportWarning};
use crate::geom::Vec3;
use crate::progress::Stretch;

/// Statements that are dropped in silence: materials, shading, texture and normal vectors.
const QUIET: [&[u8]; 9] = [
    b"vt", b"vn", b"vp", b"s", b"mg", b"usemtl", b"mtllib", b"usemap", b"maplib",
];

/// Wavefront OBJ.
pub const FORMAT: Row = Row {
    key: "obj",
    extensions: &["obj"],
    begins: |bytes| begins(text_of(bytes)),
    may_be: is_text,
    read: |source, warnings, stretch| read(source.bytes, warnings, stretch),
};

/// First words of OBJ statements that may open a file.
const OBJ_WORDS: [&[u8]; 12] = [
    b"v", b"vn", b"vt", b"vp", b"f", b"g", b"o", b"s", b"mtllib", b"usemtl", b"l", b"p",
];

/// The first line that is no comment begins with a statement of OBJ and holds no zero byte.
fn begins(text: &[u8]) -> bool {
    text.split(|&b| b == b'\n' || b == b'\r')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !line.starts_with(b"#"))
        .is_some_and(|line| {
            let word = line
                .split(u8::is_ascii_whitespace)
                .next()
                .unwrap_or_default();
            OBJ_WORDS.contains(&word) && !line.contains(&0)
        })
}

/// Reads an OBJ: one part per object and group, in the order of their first mention.
fn read(
    bytes: &[u8],
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    let mut lines = Lines::new(text_of(bytes));
    let mut reader = Reader::default();
    // Faces before any group.
    reader.open_group(Vec::new());
    let mut statement = Vec::new();
    while let Some(line) = lines.statement(&mut statement) {
        stretch.at_element(lines.n_taken, lines.n_guessed())?;
        reader.take(line, lines.first)?;
    }
    warnings.extend(reader.ignored.warnings());
    warnings.extend(
        reader
            .short_faces
            .map(|(line, count)| ImportWarning::ShortFaces { count, line }),
    );
    Ok(RawFile::spaceless(with_own_vertices(
        reader.parts,
        &reader.vertices,
    )))
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    vertices: Vec<Vec3>,
    /// Parts whose triangles name vertices of the whole file.
    parts: Vec<RawPart>,
    /// Their numbers by name.
    part_at: HashMap<String, usize>,
    /// The part that faces belong to.
    current: usize,
    object: String,
    ignored: Ignored,
    short_faces: Option<(usize, usize)>,
    polygon: Vec<u32>,
    scratch: Scratch,
}

impl Reader {
    fn take(&mut self, statement: &[u8], line: usize) -> Result<(), ImportError> {
        let mut words = statement
            .split(u8::is_ascii_whitespace)
            .filter(|w| !w.is_empty());
        let Some(keyword) = words.next() else {
            return Ok(());
        };
        match keyword {
            b"v" => {
                let mut p = [0.0; 3];
                for c in &mut p {
                    *c = parse_number(words.next().unwrap_or_default(), line)?;
                }
                self.vertices.push(checked_point(p, || Place::Line(line))?);
            }
            b"f" | b"fo" => self.face(words, line)?,
            b"g" | b"o" => {
                let name = String::from_utf8_lossy(statement[1..].trim_ascii()).into_owned();
                self.group(keyword == b"o", name);
            }
            _ if QUIET.contains(&keyword) => {}
            _ => {
                if !self.ignored.note(shown(keyword), line) {
                    return Err(ImportError::UnexpectedWord {
                        line,
                        word: shown(keyword),
                    });
                }
            }
        }
        Ok(())
    }

    /// A face by its vertex numbers alone: from 1, or from -1 backwards.
    fn face<'w>(
        &mut self,
        words: impl Iterator<Item = &'w [u8]>,
        line: usize,
    ) -> Result<(), ImportError> {
        self.polygon.clear();
        let n_vertices = self.vertices.len();
        for word in words {
            let corner = word.split(|&b| b == b'/').next().unwrap_or_default();
            let bad = |reason: String| ImportError::BadFace {
                line,
                reason,
                n_vertices,
            };
            let number = std::str::from_utf8(corner)
                .ok()
                .and_then(|text| text.parse::<i64>().ok())
                .ok_or_else(|| {
                    bad(format!(
                        "the vertex number \"{}\" is not a whole number",
                        shown(corner)
                    ))
                })?;
            let index = if number < 0 {
                n_vertices as i64 + number
            } else {
                number - 1
            };
            if index < 0 || index >= n_vertices as i64 {
                return Err(bad(format!("the vertex number {number} is out of range")));
            }
            self.polygon.push(index as u32);
        }
        if self.polygon.len() < 3 {
            self.short_faces.get_or_insert((line, 0)).1 += 1;
            return Ok(());
        }
        let vertices = &self.vertices;
        self.parts[self.current].push_polygon(
            &self.polygon,
            |i| vertices[i as usize],
            &mut self.scratch,
        );
        Ok(())
    }

    /// Starts a group, or goes on with one: a part is an object and a group in it.
    fn group(&mut self, is_object: bool, name: String) {
        let mut path = Vec::new();
        if is_object {
            self.object.clone_from(&name);
            path.push(name);
        } else {
            if !self.object.is_empty() {
                path.push(self.object.clone());
            }
            if !name.is_empty() && name != "default" && name != self.object {
                path.push(name);
            }
        }
        self.open_group(path);
    }

    fn open_group(&mut self, path: Vec<String>) {
        let name = path.join("/");
        let next = self.parts.len();
        self.current = *self.part_at.entry(name).or_insert_with_key(|name| {
            self.parts.push(RawPart {
                name: name.clone(),
                path,
                ..RawPart::default()
            });
            next
        });
    }
}

/// Gives every part that has triangles the vertices it uses.
fn with_own_vertices(parts: Vec<RawPart>, all: &[Vec3]) -> Vec<RawPart> {
    let mut new_number = vec![u32::MAX; all.len()];
    let mut used: Vec<u32> = Vec::new();
    parts
        .into_iter()
        .filter(|part| !part.triangles.is_empty())
        .map(|mut part| {
            for v in part.triangles.iter_mut().flatten() {
                let number = &mut new_number[*v as usize];
                if *number == u32::MAX {
                    *number = used.len() as u32;
                    used.push(*v);
                }
                *v = *number;
            }
            part.vertices = used.iter().map(|&v| all[v as usize]).collect();
            for v in used.drain(..) {
                new_number[v as usize] = u32::MAX;
            }
            part
        })
        .collect()
}

/// The statements of a text: comments cut, continuation lines joined.
struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    /// Lines taken so far.
    n_taken: usize,
    /// Line of the last statement, from 1.
    first: usize,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            n_taken: 0,
            first: 0,
        }
    }

    /// How many lines the text has when the rest is like what was read.
    fn n_guessed(&self) -> usize {
        (self.n_taken as f64 * self.text.len() as f64 / self.at.max(1) as f64) as usize
    }

    /// The next line as it stands, without its end.
    fn line(&mut self) -> Option<&'a [u8]> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        self.n_taken += 1;
        let end = rest.iter().position(|&b| b == b'\n' || b == b'\r');
        let n = end.unwrap_or(rest.len());
        let n_end = if rest[n..].starts_with(b"\r\n") { 2 } else { 1 };
        self.at += n + n_end;
        Some(&rest[..n])
    }

    /// The next statement; `joined` holds it when it goes over several lines.
    fn statement<'s>(&mut self, joined: &'s mut Vec<u8>) -> Option<&'s [u8]>
    where
        'a: 's,
    {
        let line = without_comment(self.line()?).trim_ascii();
        self.first = self.n_taken;
        let Some(mut continued) = line.strip_suffix(b"\\") else {
            return Some(line);
        };
        joined.clear();
        loop {
            joined.extend_from_slice(continued);
            joined.push(b' ');
            let Some(line) = self.line() else { break };
            let line = without_comment(line).trim_ascii();
            let Some(next) = line.strip_suffix(b"\\") else {
                joined.extend_from_slice(line);
                break;
            };
            continued = next;
        }
        Some(joined)
    }
}

/// The line up to a `#` that begins a word, so that a group may be called `part#2`.
fn without_comment(line: &[u8]) -> &[u8] {
    let comment =
        (0..line.len()).find(|&i| line[i] == b'#' && (i == 0 || line[i - 1].is_ascii_whitespace()));
    &line[..comment.unwrap_or(line.len())]
}
