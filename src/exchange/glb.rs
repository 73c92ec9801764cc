//! Binary glTF 2.0: one node, mesh and material for each route, in metres with Y up.

use serde_json::{Value, json};

use super::file::{Contents, Entries, FoundRoute, FoundShape, ReadError, Target, WriteError};
use super::names::NameRule;
use super::network::Network;
use super::remark::Facts;
use super::stl::vertex;
use super::tube::{TubeMesh, meshes};

/// Nodes of glTF: any text.
pub const NAMES: NameRule = NameRule {
    longest: 200,
    upper_case: false,
    allows: |c| !c.is_control(),
    instead: Some(' '),
    letter_first: false,
    ascii: false,
};

/// The tubes of the routes.
pub fn write(entries: &Entries, target: &Target) -> Result<Vec<u8>, WriteError> {
    let tubes = meshes(entries, target)?;
    let named = entries.routes().zip(&tubes);
    let named = named.map(|(entry, tube)| GlbMesh {
        name: entry.name,
        colour: entry.route.colour,
        tube,
        facts: Some(Facts::of(entry.route)),
    });
    Ok(bytes_of(&named.collect::<Vec<_>>()))
}

/// A mesh of a file.
pub(super) struct GlbMesh<'a> {
    /// Of its node, mesh and material.
    pub name: &'a str,
    /// sRGB.
    pub colour: [u8; 3],
    /// In metres with Y up.
    pub tube: &'a TubeMesh,
    /// What is known of a route: `extras.loomwright` of its node, which other programs keep or leave out.
    pub facts: Option<Facts>,
}

/// A file of meshes with their names and colours, in metres with Y up.
pub(super) fn bytes_of(meshes: &[GlbMesh]) -> Vec<u8> {
    let mut binary: Vec<u8> = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let (mut list, mut nodes, mut materials) = (Vec::new(), Vec::new(), Vec::new());
    for (i, mesh) in meshes.iter().enumerate() {
        let GlbMesh {
            name,
            colour,
            tube,
            facts,
        } = mesh;
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for vectors in [&tube.vertices, &tube.normals] {
            let offset = binary.len();
            for v in vectors {
                for (k, c) in [v.x, v.y, v.z].into_iter().enumerate() {
                    let c = c as f32;
                    binary.extend(c.to_le_bytes());
                    if std::ptr::eq(vectors, &raw const tube.vertices) {
                        low[k] = low[k].min(c);
                        high[k] = high[k].max(c);
                    }
                }
            }
            views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": binary.len() - offset, "target": 34962 }));
        }
        let offset = binary.len();
        for index in tube.triangles.iter().flatten() {
            binary.extend(index.to_le_bytes());
        }
        views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": binary.len() - offset, "target": 34963 }));
        let n = tube.vertices.len();
        accessors.push(
            json!({ "bufferView": 3 * i, "componentType": 5126, "count": n, "type": "VEC3",
            "min": low, "max": high }),
        );
        accessors.push(
            json!({ "bufferView": 3 * i + 1, "componentType": 5126, "count": n, "type": "VEC3" }),
        );
        accessors.push(json!({ "bufferView": 3 * i + 2, "componentType": 5125,
            "count": 3 * tube.triangles.len(), "type": "SCALAR" }));
        let [r, g, b] = colour.map(linear);
        materials.push(json!({ "name": name, "pbrMetallicRoughness": {
            "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6 } }));
        list.push(json!({ "name": name, "primitives": [{
            "attributes": { "POSITION": 3 * i, "NORMAL": 3 * i + 1 }, "indices": 3 * i + 2, "material": i }] }));
        let mut node = json!({ "name": name, "mesh": i });
        if let Some(facts) = facts {
            node["extras"] = json!({ "loomwright": facts });
        }
        nodes.push(node);
    }
    let document = json!({
        "asset": { "version": "2.0", "generator": format!("Loomwright {}", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
        "nodes": nodes, "meshes": list, "materials": materials,
        "accessors": accessors, "bufferViews": views,
        "buffers": [{ "byteLength": binary.len() }],
    });
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let total = 12 + 8 + text.len() + 8 + binary.len();
    let mut bytes = Vec::with_capacity(total);
    bytes.extend(b"glTF");
    for word in [2, total as u32, text.len() as u32, 0x4E4F_534A] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(text);
    for word in [binary.len() as u32, 0x004E_4942] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(binary);
    bytes
}

/// sRGB to linear light.
fn linear(c: u8) -> f64 {
    let c = f64::from(c) / 255.0;
    let value = if c <= 0.040_45 {
        c / 12.92
    } else {
        ((c + 0.055) / 1.055).powf(2.4)
    };
    (value * 1e6).round() / 1e6
}

/// The meshes of a GLB file as [`write`] makes it.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let bad = || ReadError::whole("the GLB file is cut off or not as it should be");
    let word = |at: usize| -> Option<usize> {
        let b = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
    };
    let length = word(12)
        .filter(|_| bytes.starts_with(b"glTF"))
        .ok_or_else(bad)?;
    let text = bytes.get(20..20 + length).ok_or_else(bad)?;
    let document: Value = serde_json::from_slice(text).map_err(|_| bad())?;
    let binary = bytes.get(28 + length..).ok_or_else(bad)?;
    let view = |accessor: &Value| -> Option<&[u8]> {
        let number = document["accessors"][accessor.as_u64()? as usize]["bufferView"].as_u64()?;
        let view = &document["bufferViews"][number as usize];
        let from = view["byteOffset"].as_u64()? as usize;
        binary.get(from..from + view["byteLength"].as_u64()? as usize)
    };
    let mut routes = Vec::new();
    for node in document["nodes"].as_array().ok_or_else(bad)? {
        let number = node["mesh"].as_u64().ok_or_else(bad)? as usize;
        let primitive = &document["meshes"][number]["primitives"][0];
        let places = view(&primitive["attributes"]["POSITION"]).ok_or_else(bad)?;
        let indices = view(&primitive["indices"]).ok_or_else(bad)?;
        let indices: Vec<u32> = indices
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        routes.push(FoundRoute {
            name: node["name"].as_str().map(str::to_owned),
            shape: FoundShape::Mesh {
                vertices: places.chunks_exact(12).map(vertex).collect(),
                triangles: indices
                    .chunks_exact(3)
                    .map(|t| [t[0], t[1], t[2]])
                    .collect(),
            },
            radius: None,
            facts: serde_json::from_value(node["extras"]["loomwright"].clone()).ok(),
        });
    }
    Ok(Contents {
        unit_in_mm: Some(1000.0),
        network: Network::loose(routes),
        notes: Vec::new(),
        lost: Vec::new(),
    })
}
