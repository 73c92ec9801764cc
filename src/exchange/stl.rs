//! Binary STL: the tubes of all routes in one file, without names or a unit.

use std::collections::HashSet;
use std::io::Cursor;

use super::file::{Contents, Entries, FoundRoute, FoundShape, ReadError, Target, WriteError};
use super::network::Network;
use super::tube::{TubeMesh, meshes};
use crate::geom::Vec3;

/// The tubes of the routes.
pub fn write(entries: &Entries, target: &Target) -> Result<Vec<u8>, WriteError> {
    let tubes = meshes(entries, target)?;
    let header = format!("Loomwright tubes, {}", target.convention.unit.symbol());
    Ok(bytes_of(&tubes, header))
}

/// A file of those meshes.
pub(super) fn bytes_of(meshes: &[TubeMesh], header: String) -> Vec<u8> {
    let mut bytes = header.into_bytes();
    bytes.resize(80, b' ');
    let count: usize = meshes.iter().map(|t| t.triangles.len()).sum();
    bytes.extend((count as u32).to_le_bytes());
    for mesh in meshes {
        for triangle in &mesh.triangles {
            let corners = triangle.map(|i| mesh.vertices[i as usize]);
            let across = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            let normal = across.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
            for v in std::iter::once(normal).chain(corners) {
                for c in [v.x, v.y, v.z] {
                    bytes.extend((c as f32).to_le_bytes());
                }
            }
            bytes.extend([0, 0]);
        }
    }
    bytes
}

/// The triangles of a binary STL file, as many routes as there are bodies. Read by `stl_io`, not by code of ours.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let trouble = |e: std::io::Error| ReadError::whole(format!("the STL file cannot be read: {e}"));
    // The count of the header is believed only as far as there are bytes for it.
    let count = bytes.get(80..84).and_then(|count| count.try_into().ok());
    let count = count.map_or(0, u32::from_le_bytes) as usize;
    if bytes.len() != 84 + 50 * count {
        return Err(ReadError::whole("the STL file is cut off"));
    }
    let mut cursor = Cursor::new(bytes);
    let mut vertices = Vec::with_capacity(3 * count);
    for triangle in stl_io::create_stl_reader(&mut cursor).map_err(trouble)? {
        let corners = triangle.map_err(trouble)?.vertices;
        vertices.extend(corners.map(|v| Vec3::new(v[0].into(), v[1].into(), v[2].into())));
    }
    let triangles: Vec<[u32; 3]> = (0..count as u32)
        .map(|i| [3 * i, 3 * i + 1, 3 * i + 2])
        .collect();
    if vertices.len() != 3 * count {
        return Err(ReadError::whole("the STL file lacks triangles"));
    }
    let mut contents = Contents::new(None);
    contents.network = Network::loose(bodies(&vertices, &triangles));
    Ok(contents)
}

/// Three `f32` as a place.
pub(super) fn vertex(bytes: &[u8]) -> Vec3 {
    let mut place = Vec3::zeros();
    for (value, word) in place.iter_mut().zip(bytes.chunks_exact(4)) {
        *value = f64::from(f32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    }
    place
}

/// Bodies one after the other: one ends where every side of its triangles has met its other side.
fn bodies(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<FoundRoute> {
    let mut routes: Vec<FoundRoute> = Vec::new();
    let mut open: HashSet<([u64; 3], [u64; 3])> = HashSet::new();
    let bits = |i: u32| {
        let v = vertices[i as usize];
        [v.x, v.y, v.z].map(|c| (c + 0.0).to_bits())
    };
    let mut from = 0;
    for (i, triangle) in triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(bits);
        for (start, end) in [(a, b), (b, c), (c, a)] {
            if !open.remove(&(end, start)) {
                open.insert((start, end));
            }
        }
        if open.is_empty() || i + 1 == triangles.len() {
            let own = &vertices[3 * from..=3 * i + 2];
            routes.push(FoundRoute {
                name: None,
                shape: FoundShape::Mesh {
                    vertices: own.to_vec(),
                    triangles: triangles[..=i - from].to_vec(),
                },
                radius: None,
                facts: None,
            });
            from = i + 1;
        }
    }
    routes
}
