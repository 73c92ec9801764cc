//! The pre-filter before obj-rs: hands it plain lines it reads right, and keeps what it would lose.
//!
//! obj-rs refuses vertex colours, unknown keywords, non-UTF-8 comments and groups of several names, panics on
//! free-form surfaces, rounds coordinates to `f32`, merges objects and gives no line numbers. So it sees only
//! a vertex at the origin for each vertex, faces reduced to vertex numbers, and groups by number.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Read};

use super::build::{checked_point, parse_number, shown};
use super::error::Place;
use super::sniff::text_of;
use super::{ImportError, ImportWarning};
use crate::geom::Vec3;

/// Statements that are of no use here and dropped in silence: materials, shading, texture and normal vectors.
const QUIET: [&[u8]; 9] = [
    b"vt", b"vn", b"vp", b"s", b"mg", b"usemtl", b"mtllib", b"usemap", b"maplib",
];

/// An OBJ text as lines for obj-rs, one at a time.
pub struct CleanLines<'a> {
    rest: &'a [u8],
    /// The line being handed out, and how much of it was taken.
    current: Vec<u8>,
    taken: usize,
    /// Lines of the file read so far; the first of the current statement.
    n_lines: usize,
    /// Line of the current statement, from 1.
    pub line: usize,
    /// Vertices, with all their digits.
    pub positions: Vec<Vec3>,
    /// Names of the groups; obj-rs knows them by their number here.
    pub groups: Vec<String>,
    group_at: HashMap<String, usize>,
    object: String,
    /// What stopped the reading, when it was this filter.
    pub error: Option<ImportError>,
    ignored: BTreeMap<String, (usize, usize)>,
    short_faces: Option<(usize, usize)>,
}

impl<'a> CleanLines<'a> {
    /// Filters `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: text_of(bytes),
            // Group 0 is for faces before any group.
            current: b"g 0\n".to_vec(),
            taken: 0,
            n_lines: 0,
            line: 0,
            positions: Vec::new(),
            groups: vec![String::new()],
            group_at: HashMap::from([(String::new(), 0)]),
            object: String::new(),
            error: None,
            ignored: BTreeMap::new(),
            short_faces: None,
        }
    }

    /// What was dropped.
    pub fn warnings(&self) -> Vec<ImportWarning> {
        let mut ignored: Vec<_> = self.ignored.iter().collect();
        ignored.sort_by_key(|(_, (line, _))| *line);
        let mut warnings: Vec<_> = ignored
            .into_iter()
            .map(|(keyword, &(line, count))| ImportWarning::Ignored {
                keyword: keyword.clone(),
                count,
                line,
            })
            .collect();
        if let Some((line, count)) = self.short_faces {
            warnings.push(ImportWarning::ShortFaces { count, line });
        }
        warnings
    }

    /// The next line of the file as it stands, without its end.
    fn raw_line(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.n_lines += 1;
        let end = self.rest.iter().position(|&b| b == b'\n' || b == b'\r');
        let (line, mut rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if rest.starts_with(b"\r\n") {
            rest = &rest[1..];
        }
        self.rest = rest.get(1..).unwrap_or_default();
        Some(line)
    }

    /// The next statement: comments cut, continuation lines joined.
    fn statement(&mut self) -> Option<Vec<u8>> {
        let mut statement = Vec::new();
        let mut is_first = true;
        while let Some(line) = self.raw_line() {
            if std::mem::take(&mut is_first) {
                self.line = self.n_lines;
            }
            let line = without_comment(line).trim_ascii();
            let Some(continued) = line.strip_suffix(b"\\") else {
                statement.extend_from_slice(line);
                return Some(statement);
            };
            statement.extend_from_slice(continued);
            statement.push(b' ');
        }
        (!is_first).then_some(statement)
    }

    /// Puts the next line for obj-rs into `current`; leaves it empty at the end.
    fn advance(&mut self) -> Result<(), ImportError> {
        self.current.clear();
        self.taken = 0;
        while self.current.is_empty() {
            let Some(statement) = self.statement() else {
                return Ok(());
            };
            let mut words = statement
                .split(u8::is_ascii_whitespace)
                .filter(|w| !w.is_empty());
            let Some(keyword) = words.next() else {
                continue;
            };
            match keyword {
                b"v" => {
                    let mut p = [0.0; 3];
                    for c in &mut p {
                        *c = parse_number(words.next().unwrap_or_default(), self.line)?;
                    }
                    let line = self.line;
                    self.positions.push(checked_point(p, || Place::Line(line))?);
                    self.current.extend_from_slice(b"v 0 0 0\n");
                }
                b"f" | b"fo" => self.face(words),
                b"g" | b"o" => {
                    let name = String::from_utf8_lossy(statement[1..].trim_ascii()).into_owned();
                    self.group(keyword == b"o", name);
                }
                _ if QUIET.contains(&keyword) => {}
                _ => {
                    let entry = self.ignored.entry(shown(keyword));
                    entry.or_insert((self.line, 0)).1 += 1;
                    // A damaged file must not fill the memory with warnings.
                    if self.ignored.len() > 100 {
                        return Err(ImportError::UnexpectedWord {
                            line: self.line,
                            word: shown(keyword),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// A face by its vertex numbers alone; normals and texture are of no use here.
    fn face<'w>(&mut self, words: impl Iterator<Item = &'w [u8]>) {
        self.current.push(b'f');
        let mut n_corners = 0;
        for word in words {
            let vertex = word.split(|&b| b == b'/').next().unwrap_or_default();
            self.current.push(b' ');
            // obj-rs reads text; what is no ASCII is no number either.
            self.current
                .extend(vertex.iter().map(|&b| if b.is_ascii() { b } else { b'?' }));
            n_corners += 1;
        }
        self.current.push(b'\n');
        if n_corners < 3 {
            self.current.clear();
            self.short_faces.get_or_insert((self.line, 0)).1 += 1;
        }
    }

    /// Starts a group, or goes on with one: a part is an object and a group in it.
    fn group(&mut self, is_object: bool, name: String) {
        let name = if is_object {
            self.object.clone_from(&name);
            name
        } else if name.is_empty() || name == "default" || name == self.object {
            self.object.clone()
        } else if self.object.is_empty() {
            name
        } else {
            format!("{}/{name}", self.object)
        };
        let next = self.groups.len();
        let number = *self.group_at.entry(name).or_insert_with_key(|name| {
            self.groups.push(name.clone());
            next
        });
        self.current
            .extend_from_slice(format!("g {number}\n").as_bytes());
    }
}

/// The line up to a `#` that begins a word, so that a group may be called `part#2`.
fn without_comment(line: &[u8]) -> &[u8] {
    let comment =
        (0..line.len()).find(|&i| line[i] == b'#' && (i == 0 || line[i - 1].is_ascii_whitespace()));
    &line[..comment.unwrap_or(line.len())]
}

impl Read for CleanLines<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let available = self.fill_buf()?;
        let n = available.len().min(buffer.len());
        buffer[..n].copy_from_slice(&available[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for CleanLines<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.taken >= self.current.len()
            && let Err(error) = self.advance()
        {
            self.error = Some(error);
            return Err(std::io::Error::other("stopped by the pre-filter"));
        }
        Ok(&self.current[self.taken..])
    }

    fn consume(&mut self, n: usize) {
        self.taken += n;
    }
}
