//! OBJ: one object with normals for each route; it has no unit.

use std::fmt::Write;

use obj::raw::object::Polygon;

use super::file::{Contents, Entries, FoundRoute, FoundShape, ReadError, Target, WriteError};
use super::names::NameRule;
use super::remark;
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

/// OBJ: one object for each route, with normals; what is known of the routes stands in comments before them.
pub fn write(entries: &Entries, target: &Target) -> Result<Vec<u8>, WriteError> {
    let mut file = format!("# Loomwright tubes, {}\n", target.convention.unit.symbol());
    for remark in remark::lines(entries, target, 200) {
        // Writing to a string cannot fail.
        let _ = writeln!(file, "# {remark}");
    }
    let mut first = 1;
    for (entry, tube) in entries.routes().zip(meshes(entries, target)?) {
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

/// The objects of an OBJ file of triangles. Places and faces are read by `obj-rs`, not by code of ours; it keeps no
/// names of objects, and panics at free-form statements, so that names and statements are looked at before.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let objects = objects(bytes)?;
    let file = obj::raw::parse_obj(bytes)
        .map_err(|e| ReadError::whole(format!("the OBJ file cannot be read: {e}")))?;
    let mut contents = Contents::new(None);
    for (i, object) in objects.iter().enumerate() {
        let last = objects.get(i + 1);
        let end = last.map_or(file.polygons.len(), |next| next.first_face);
        let last_vertex = last.map_or(file.positions.len(), |next| next.first_vertex);
        let faces = file.polygons.get(object.first_face..end);
        let places = file.positions.get(object.first_vertex..last_vertex);
        let (Some(faces), Some(places)) = (faces, places) else {
            return Err(ReadError::whole("objects and faces do not fit"));
        };
        let triangles: Option<Vec<[u32; 3]>> =
            faces.iter().map(|face| corners(face, object)).collect();
        let triangles = triangles.ok_or_else(|| {
            let name = &object.name;
            ReadError::whole(format!("\"{name}\" has faces that are not its triangles"))
        })?;
        let place = |p: &(f32, f32, f32, f32)| Vec3::new(p.0.into(), p.1.into(), p.2.into());
        contents.network.push(FoundRoute {
            shape: FoundShape::Mesh {
                vertices: places.iter().map(place).collect(),
                triangles,
            },
            ..FoundRoute::named(Some(object.name.clone()))
        });
    }
    remark::apply(&String::from_utf8_lossy(bytes), &mut contents);
    Ok(contents)
}

/// An object: its name, and how many vertices and faces stand before it.
struct Object {
    name: String,
    first_vertex: usize,
    first_face: usize,
}

/// The objects of a file, which may hold nothing but what we write.
fn objects(bytes: &[u8]) -> Result<Vec<Object>, ReadError> {
    let text = String::from_utf8_lossy(bytes);
    let mut objects = Vec::new();
    let (mut n_vertices, mut n_faces) = (0, 0);
    for (i, line) in text.lines().enumerate() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "o" => objects.push(Object {
                name: rest.trim().to_owned(),
                first_vertex: n_vertices,
                first_face: n_faces,
            }),
            "v" => n_vertices += 1,
            "f" => n_faces += 1,
            "vn" | "" => {}
            _ if word.starts_with('#') => {}
            _ => {
                return Err(ReadError::line(i + 1, format!("\"{word}\" is not of ours")));
            }
        }
    }
    Ok(objects)
}

/// The corners of a triangle, counted in its object.
fn corners(face: &Polygon, object: &Object) -> Option<[u32; 3]> {
    let all: Vec<usize> = match face {
        Polygon::P(all) => all.clone(),
        Polygon::PT(all) | Polygon::PN(all) => all.iter().map(|c| c.0).collect(),
        Polygon::PTN(all) => all.iter().map(|c| c.0).collect(),
    };
    let own = |i: usize| u32::try_from(i.checked_sub(object.first_vertex)?).ok();
    let own: Option<Vec<u32>> = all.into_iter().map(own).collect();
    own?.try_into().ok()
}
