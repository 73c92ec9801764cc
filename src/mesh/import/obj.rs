//! OBJ through `obj::raw::parse_obj`, which resolves faces and groups, behind the pre-filter of `obj_lines`.

use obj::ObjError;
use obj::raw::object::{Polygon, parse_obj};

use super::build::RawPart;
use super::obj_lines::CleanLines;
use super::triangulate::{Cut, triangulate};
use super::{ImportError, ImportWarning};
use crate::geom::Vec3;

/// Reads an OBJ: one part per object and group, in the order of their first mention.
pub fn read(bytes: &[u8], warnings: &mut Vec<ImportWarning>) -> Result<Vec<RawPart>, ImportError> {
    let mut lines = CleanLines::new(bytes);
    let raw = match parse_obj(&mut lines) {
        Ok(raw) => raw,
        Err(error) => {
            return Err(lines
                .error
                .take()
                .unwrap_or_else(|| bad_face(&lines, &error)));
        }
    };
    warnings.extend(lines.warnings());

    let mut parts = Vec::new();
    let mut corners = Vec::new();
    let mut cut = Cut::default();
    for (number, name) in lines.groups.iter().enumerate() {
        let Some(group) = raw.groups.get(&number.to_string()) else {
            continue;
        };
        let mut part = RawPart::new(name.clone());
        for range in &group.polygons {
            for polygon in raw.polygons.get(range.start..range.end).unwrap_or_default() {
                let Polygon::P(indices) = polygon else {
                    continue;
                };
                corners.clear();
                corners.extend(
                    indices
                        .iter()
                        .filter_map(|&i| lines.positions.get(i).copied()),
                );
                push_polygon(&mut part, &corners, &mut cut);
            }
        }
        parts.push(part);
    }
    Ok(parts)
}

fn push_polygon(part: &mut RawPart, corners: &[Vec3], cut: &mut Cut) {
    if let &[a, b, c] = corners {
        part.soup.push([a, b, c]);
        return;
    }
    triangulate(corners, cut);
    part.soup.n_crossed += usize::from(cut.is_crossed);
    for triangle in &cut.triangles {
        part.soup.push(triangle.map(|i| corners[i]));
    }
}

/// What obj-rs says of the face in the line the filter stands at.
fn bad_face(lines: &CleanLines, error: &ObjError) -> ImportError {
    let reason = match error {
        ObjError::ParseInt(_) => "a vertex number is not a whole number".to_owned(),
        ObjError::Load(e) => format!("a vertex number is out of range ({e})"),
        other => other.to_string(),
    };
    ImportError::BadFace {
        line: lines.line,
        reason,
        n_vertices: lines.positions.len(),
    }
}
