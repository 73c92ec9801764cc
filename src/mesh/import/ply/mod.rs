//! Stanford PLY: vertices, faces (polygons) and triangle strips; text and both binaries.

mod header;
mod numbers;

use super::error::Place;
use super::format::Row;
use super::load::RawFile;
use super::raw::{RawPart, Scratch, Strip, checked_point, shown};
use super::sniff::{first_line, text_of};
use super::{ImportError, ImportWarning};
use crate::progress::Stretch;
use header::{Element, Encoding, Header, Property, Scalar};
use numbers::{BigEndian, LittleEndian, Numbers, Text};

/// Longest list that is taken for a polygon.
const MAX_CORNERS: usize = 1 << 20;

/// Stanford PLY, text or binary.
pub const FORMAT: Row = Row {
    key: "ply",
    extensions: &["ply"],
    begins: |bytes| first_line(text_of(bytes)).trim_ascii_end() == b"ply",
    may_be: |_| true,
    read: |source, warnings, stretch| read(source.bytes, warnings, stretch),
};

/// Reads a PLY: one nameless part.
fn read(
    bytes: &[u8],
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    let header = header::read(bytes)?;
    let part = match header.encoding {
        Encoding::Text => read_with(Text::new(bytes, &header), &header, warnings, stretch)?,
        Encoding::LittleEndian => read_with(
            LittleEndian::new(bytes, &header),
            &header,
            warnings,
            stretch,
        )?,
        Encoding::BigEndian => {
            read_with(BigEndian::new(bytes, &header), &header, warnings, stretch)?
        }
    };
    Ok(RawFile {
        parts: vec![part],
        unit: header.unit,
        up: None,
    })
}

fn read_with(
    mut numbers: impl Numbers,
    header: &Header,
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawPart, ImportError> {
    let mut part = RawPart::new(String::new());
    let n = header.elements.len() as f64;
    let mut has_vertices = false;
    let mut n_short = 0;
    for (k, element) in header.elements.iter().enumerate() {
        let stretch = stretch.part("parsing", k as f64 / n, (k + 1) as f64 / n);
        let n_left = numbers.n_left();
        // Every number takes at least one byte; in text, all but the last have a blank after them.
        let least = element.least_size_in(numbers.is_text());
        if least > 0 && element.count > (n_left + 1) / least {
            return Err(ImportError::Damaged {
                place: numbers.place(&element.name, 0),
                reason: format!(
                    "the header announces {} elements \"{}\" of at least {least} bytes, but only {n_left} bytes follow",
                    element.count,
                    shown(&element.name)
                ),
            });
        }
        match &element.name[..] {
            b"vertex" => {
                has_vertices = true;
                read_vertices(&mut numbers, element, &mut part, &stretch)?;
            }
            b"face" | b"tristrips" if !has_vertices && element.count > 0 => {
                return Err(ImportError::NotSupported {
                    place: numbers.place(&element.name, 0),
                    what: "faces stand before the vertices".to_owned(),
                    advice: "write the vertices first",
                });
            }
            b"face" => n_short += read_faces(&mut numbers, element, &mut part, &stretch)?,
            b"tristrips" => read_strips(&mut numbers, element, &mut part, &stretch)?,
            _ => skip(&mut numbers, element, &stretch)?,
        }
    }
    if n_short > 0 {
        let line = header.n_lines;
        warnings.push(ImportWarning::ShortFaces {
            count: n_short,
            line,
        });
    }
    Ok(part)
}

impl Element {
    fn least_size_in(&self, is_text: bool) -> u64 {
        if is_text {
            2 * self.properties.len() as u64
        } else {
            self.least_size()
        }
    }
}

fn read_vertices(
    numbers: &mut impl Numbers,
    element: &Element,
    part: &mut RawPart,
    stretch: &Stretch,
) -> Result<(), ImportError> {
    let column = |name: &[u8]| {
        let of_name = |p: &Property| p.name == name && p.length.is_none();
        element.properties.iter().position(of_name)
    };
    let (Some(x), Some(y), Some(z)) = (column(b"x"), column(b"y"), column(b"z")) else {
        return Err(ImportError::Damaged {
            place: Place::Item("header".to_owned()),
            reason: "the vertices have no x, y and z".to_owned(),
        });
    };
    // The count was checked against the bytes that follow.
    let count = element.count as usize;
    part.vertices.reserve_exact(count);
    let mut row = vec![0.0; element.properties.len()];
    for i in 0..count {
        stretch.at_element(i, count)?;
        for (value, property) in row.iter_mut().zip(&element.properties) {
            *value = match property.length {
                None => numbers.next(property.scalar, &element.name, i)?,
                Some(length) => {
                    skip_list(numbers, property, length, &element.name, i)?;
                    0.0
                }
            };
        }
        let p = [row[x], row[y], row[z]];
        part.vertices
            .push(checked_point(p, || numbers.place(&element.name, i))?);
    }
    Ok(())
}

/// Which property has the vertex numbers.
fn index_column(element: &Element) -> Result<usize, ImportError> {
    let lists = || element.properties.iter().enumerate();
    lists()
        .find(|(_, p)| {
            p.length.is_some() && (p.name == b"vertex_indices" || p.name == b"vertex_index")
        })
        .map(|(k, _)| k)
        .ok_or_else(|| ImportError::Damaged {
            place: Place::Item("header".to_owned()),
            reason: "the faces have no list vertex_indices".to_owned(),
        })
}

/// Reads polygons; returns how many had fewer than three corners.
fn read_faces(
    numbers: &mut impl Numbers,
    element: &Element,
    part: &mut RawPart,
    stretch: &Stretch,
) -> Result<usize, ImportError> {
    if element.count == 0 {
        return Ok(0);
    }
    let column = index_column(element)?;
    let count = element.count as usize;
    // Corners that are left, at least: no more triangles than that can follow.
    let most = (numbers.n_left() / element.least_size_in(numbers.is_text()).max(1)) as usize;
    part.triangles.reserve_exact(count.min(most));
    let mut polygon = Vec::new();
    let mut scratch = Scratch::default();
    let mut n_short = 0;
    for i in 0..count {
        stretch.at_element(i, count)?;
        for (k, property) in element.properties.iter().enumerate() {
            match property.length {
                None => {
                    numbers.next(property.scalar, &element.name, i)?;
                }
                Some(length) if k != column => {
                    skip_list(numbers, property, length, &element.name, i)?;
                }
                Some(length) => {
                    let n = list_length(numbers, length, &element.name, i)?;
                    polygon.clear();
                    for _ in 0..n {
                        let index = numbers.next(property.scalar, &element.name, i)?;
                        polygon.push(vertex(index, part, || numbers.place(&element.name, i))?);
                    }
                }
            }
        }
        n_short += usize::from(polygon.len() < 3);
        let vertices = std::mem::take(&mut part.vertices);
        part.push_polygon(&polygon, |v| vertices[v as usize], &mut scratch);
        part.vertices = vertices;
    }
    Ok(n_short)
}

/// Reads strips: every corner but the first two makes a triangle with the two before it; -1 ends a strip.
fn read_strips(
    numbers: &mut impl Numbers,
    element: &Element,
    part: &mut RawPart,
    stretch: &Stretch,
) -> Result<(), ImportError> {
    if element.count == 0 {
        return Ok(());
    }
    let column = index_column(element)?;
    for i in 0..element.count as usize {
        for (k, property) in element.properties.iter().enumerate() {
            match property.length {
                None => {
                    numbers.next(property.scalar, &element.name, i)?;
                }
                Some(length) if k != column => {
                    skip_list(numbers, property, length, &element.name, i)?;
                }
                Some(length) => {
                    let n = strip_length(numbers, length, &element.name, i)?;
                    let mut strip = Strip::default();
                    for j in 0..n {
                        stretch.at_element(j, n)?;
                        let index = numbers.next(property.scalar, &element.name, i)?;
                        if index < 0.0 {
                            strip = Strip::default();
                            continue;
                        }
                        let v = vertex(index, part, || numbers.place(&element.name, i))?;
                        part.triangles.extend(strip.push(v));
                    }
                }
            }
        }
    }
    Ok(())
}

fn skip(
    numbers: &mut impl Numbers,
    element: &Element,
    stretch: &Stretch,
) -> Result<(), ImportError> {
    // Elements without properties take no room: nothing is to be skipped.
    if element.properties.is_empty() {
        return Ok(());
    }
    let count = element.count as usize;
    for i in 0..count {
        stretch.at_element(i, count)?;
        for property in &element.properties {
            match property.length {
                None => {
                    numbers.next(property.scalar, &element.name, i)?;
                }
                Some(length) => skip_list(numbers, property, length, &element.name, i)?,
            }
        }
    }
    Ok(())
}

fn skip_list(
    numbers: &mut impl Numbers,
    property: &Property,
    length: Scalar,
    element: &[u8],
    i: usize,
) -> Result<(), ImportError> {
    for _ in 0..strip_length(numbers, length, element, i)? {
        numbers.next(property.scalar, element, i)?;
    }
    Ok(())
}

/// The length of a polygon.
fn list_length(
    numbers: &mut impl Numbers,
    scalar: Scalar,
    element: &[u8],
    i: usize,
) -> Result<usize, ImportError> {
    let n = strip_length(numbers, scalar, element, i)?;
    if n > MAX_CORNERS {
        return Err(ImportError::UnfoldsTooFar {
            place: numbers.place(element, i),
            what: "a polygon has too many corners",
            limit: MAX_CORNERS as u64,
        });
    }
    Ok(n)
}

/// The length of any list. What it announces is not trusted further than the bytes that follow.
fn strip_length(
    numbers: &mut impl Numbers,
    scalar: Scalar,
    element: &[u8],
    i: usize,
) -> Result<usize, ImportError> {
    let n = numbers.next(scalar, element, i)?;
    if n < 0.0 || n.fract() != 0.0 || n > numbers.n_left() as f64 {
        return Err(ImportError::Damaged {
            place: numbers.place(element, i),
            reason: format!("a list has {n} entries"),
        });
    }
    Ok(n as usize)
}

fn vertex(index: f64, part: &RawPart, place: impl FnOnce() -> Place) -> Result<u32, ImportError> {
    let n_vertices = part.vertices.len();
    // NaN is no index either.
    if index >= 0.0 && index < n_vertices as f64 && index.fract() == 0.0 {
        return Ok(index as u32);
    }
    Err(ImportError::Damaged {
        place: place(),
        reason: format!("it uses vertex {index}, but there are {n_vertices}"),
    })
}
