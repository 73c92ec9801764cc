//! Surfaces of many triangles as one text: the bytes of their numbers in base64, with their hash.
//!
//! A vertex is some 64-bit and 32-bit numbers, a triangle three 32-bit vertex numbers, all little-endian, vertices first.
//! Small surfaces stay lists that people can read and compare; both kinds are read, whatever their size.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::fields::{Fields, Invalid};
use crate::mesh::import::sha256_hex;
use crate::scene::{Skin, SkinVertex};

/// The layout that is written, and the newest that is read.
const LAYOUT: usize = 1;
/// Triangles from which on a surface is bulk.
const MANY: usize = 256;
/// Bytes of a triangle.
const TRIANGLE: usize = 12;

/// Whether a surface of so many triangles is written as bulk.
pub fn is_bulk(n_triangles: usize) -> bool {
    n_triangles >= MANY
}

/// Vertices of a kind in bytes.
pub trait BulkVertex: Sized {
    /// Bytes of one.
    const BYTES: usize;

    /// Appends its bytes.
    fn write(&self, to: &mut Vec<u8>);

    /// From that many bytes.
    fn read(from: &[u8]) -> Self;
}

impl BulkVertex for [f64; 3] {
    const BYTES: usize = 24;

    fn write(&self, to: &mut Vec<u8>) {
        for x in self {
            to.extend(x.to_le_bytes());
        }
    }

    fn read(from: &[u8]) -> Self {
        std::array::from_fn(|k| f64_at(from, 8 * k))
    }
}

impl BulkVertex for SkinVertex {
    const BYTES: usize = 36;

    fn write(&self, to: &mut Vec<u8>) {
        to.extend(self.edge.to_le_bytes());
        to.extend(self.along.to_le_bytes());
        self.offset.write(to);
    }

    fn read(from: &[u8]) -> Self {
        Self {
            edge: u32_at(from, 0),
            along: f64_at(from, 4),
            offset: BulkVertex::read(&from[12..]),
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|k| bytes[at + k]))
}

fn f64_at(bytes: &[u8], at: usize) -> f64 {
    f64::from_le_bytes(std::array::from_fn(|k| bytes[at + k]))
}

/// A surface as bulk.
pub fn write<V: BulkVertex>(
    vertices: impl ExactSizeIterator<Item = V>,
    triangles: &[[u32; 3]],
) -> Value {
    let n_vertices = vertices.len();
    let mut bytes = Vec::with_capacity(n_vertices * V::BYTES + triangles.len() * TRIANGLE);
    vertices.for_each(|v| v.write(&mut bytes));
    for number in triangles.iter().flatten() {
        bytes.extend(number.to_le_bytes());
    }
    json!({
        "layout": LAYOUT,
        "n_vertices": n_vertices,
        "n_triangles": triangles.len(),
        "sha256": sha256_hex(&bytes),
        "data": STANDARD.encode(&bytes),
    })
}

/// Vertices and triangles.
pub type Surface<V> = (Vec<V>, Vec<[u32; 3]>);

/// The surface in the fields of an object, where it is bulk; `field` is what the object is called.
pub fn read<V: BulkVertex>(
    fields: &mut Fields,
    field: &str,
) -> Result<Option<Surface<V>>, Invalid> {
    let Some(data) = fields.optional("data") else {
        return Ok(None);
    };
    let place = fields.place.clone();
    let invalid = |problem: &str| Invalid::new(&place, field, problem);
    let layout = fields.count("layout")?;
    if layout != LAYOUT {
        let problem = "has a layout that this version does not know; update Loomwright";
        return Err(invalid(problem));
    }
    let damaged = || invalid("has damaged \"data\"; restore the file from a backup");
    let text = data.as_str().ok_or_else(damaged)?;
    let bytes = STANDARD.decode(text).map_err(|_| damaged())?;
    drop(data);
    let (n_vertices, n_triangles) = (fields.count("n_vertices")?, fields.count("n_triangles")?);
    let expected = (n_vertices.checked_mul(V::BYTES))
        .zip(n_triangles.checked_mul(TRIANGLE))
        .and_then(|(a, b)| a.checked_add(b));
    let hash = fields.text("sha256")?;
    if expected != Some(bytes.len()) || !hash.eq_ignore_ascii_case(&sha256_hex(&bytes)) {
        return Err(damaged());
    }
    let (vertices, triangles) = bytes.split_at(n_vertices * V::BYTES);
    let vertices = vertices.chunks_exact(V::BYTES).map(V::read).collect();
    let triangles = triangles
        .chunks_exact(TRIANGLE)
        .map(|t| std::array::from_fn(|k| u32_at(t, 4 * k)))
        .collect();
    Ok(Some((vertices, triangles)))
}

/// The JSON of a skin.
pub fn write_skin(skin: &Skin) -> Value {
    if is_bulk(skin.triangles.len()) {
        write(skin.vertices.iter().copied(), &skin.triangles)
    } else {
        json!(skin)
    }
}

/// The skin in an object that stood at "skin" of `place`.
pub fn read_skin(place: &str, value: Value) -> Result<Skin, Invalid> {
    let mut fields = Fields::of(place, "skin", value)?;
    if let Some((vertices, triangles)) = read(&mut fields, "skin")? {
        fields.finish()?;
        return Ok(Skin {
            vertices,
            triangles,
        });
    }
    serde_json::from_value(Value::Object(fields.rest()))
        .map_err(|e| Invalid::new(place, "skin", format!("is not usable: {e}")))
}
