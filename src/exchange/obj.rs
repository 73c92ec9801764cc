//! OBJ: one object with normals for each route; it has no unit.

use std::fmt::Write;

use super::file::{Contents, Entry, FoundRoute, FoundShape, ReadError, Target, WriteError, number};
use super::names::NameRule;
use super::tube::meshes;
use crate::geom::Vec3;

/// Objects of OBJ: no blanks, since readers cut at them.
pub const NAMES: NameRule = NameRule {
    longest: 200,
    upper_case: false,
    allows: |c| !c.is_control() && !c.is_whitespace(),
    instead: Some('_'),
    letter_first: false,
    ascii: false,
};

/// OBJ: one object for each route, with normals.
pub fn write(entries: &[Entry], target: &Target) -> Result<Vec<u8>, WriteError> {
    let mut file = format!("# Loomwright tubes, {}\n", target.convention.unit.symbol());
    let mut first = 1;
    for (entry, tube) in entries.iter().zip(meshes(entries, target)?) {
        // Writing to a string cannot fail.
        let _ = writeln!(file, "o {}", entry.name);
        for v in &tube.vertices {
            let _ = writeln!(file, "v {} {} {}", v.x, v.y, v.z);
        }
        for n in &tube.normals {
            let _ = writeln!(file, "vn {:.6} {:.6} {:.6}", n.x, n.y, n.z);
        }
        for t in &tube.triangles {
            let [a, b, c] = t.map(|i| i + first);
            let _ = writeln!(file, "f {a}//{a} {b}//{b} {c}//{c}");
        }
        first += tube.vertices.len() as u32;
    }
    Ok(file.into_bytes())
}

/// The objects of an OBJ file of triangles.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let text = String::from_utf8_lossy(bytes);
    let mut routes: Vec<FoundRoute> = Vec::new();
    let mut all = 0;
    let mut first = 0;
    for (i, line) in text.lines().enumerate() {
        let line_number = i + 1;
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "o" {
            first = all;
            routes.push(FoundRoute {
                name: Some(rest.trim().to_owned()),
                shape: FoundShape::Mesh {
                    vertices: Vec::new(),
                    triangles: Vec::new(),
                },
                radius: None,
            });
            continue;
        }
        if word != "v" && word != "f" {
            continue;
        }
        let Some(FoundRoute {
            shape:
                FoundShape::Mesh {
                    vertices,
                    triangles,
                },
            ..
        }) = routes.last_mut()
        else {
            return Err(ReadError::line(
                line_number,
                "an object must begin with o NAME",
            ));
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [a, b, c] = words[..] else {
            return Err(ReadError::line(line_number, "three values expected"));
        };
        if word == "v" {
            vertices.push(Vec3::new(
                number(a, line_number)?,
                number(b, line_number)?,
                number(c, line_number)?,
            ));
            all += 1;
        } else {
            let mut corners = [0; 3];
            for (corner, word) in corners.iter_mut().zip([a, b, c]) {
                let index = word.split('/').next().unwrap_or("");
                let index: Option<u32> = index.parse().ok();
                *corner = index
                    .and_then(|i| i.checked_sub(first + 1))
                    .ok_or_else(|| ReadError::line(line_number, "a corner of another object"))?;
            }
            triangles.push(corners);
        }
    }
    Ok(Contents {
        unit_in_mm: None,
        routes,
        notes: Vec::new(),
    })
}
