//! Swept envelopes of cables as files: STL in mm, GLB in metres with Y up.

use std::path::Path;

use super::from_scene::COLOURS;
use super::tube::TubeMesh;
use super::{Axes, Convention, LengthUnit, glb, stl};
use crate::geom::Vec3;
use crate::scene::study::Envelope;

/// A format for surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvelopeFormat {
    /// Binary STL, mm, Z up.
    Stl,
    /// Binary glTF, metres, Y up: a node for each cable.
    Glb,
}

impl EnvelopeFormat {
    /// By the ending of a file's name.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        match ending.as_str() {
            "stl" => Some(Self::Stl),
            "glb" => Some(Self::Glb),
            _ => None,
        }
    }
}

/// The contents of a file with those envelopes.
pub fn envelope_file(envelopes: &[Envelope], format: EnvelopeFormat) -> Vec<u8> {
    let convention = match format {
        EnvelopeFormat::Stl => Convention::default(),
        EnvelopeFormat::Glb => Convention {
            unit: LengthUnit::M,
            axes: Axes::YUp,
        },
    };
    let meshes: Vec<TubeMesh> = envelopes.iter().map(|e| mesh_of(e, convention)).collect();
    match format {
        EnvelopeFormat::Stl => stl::bytes_of(&meshes, "Loomwright swept envelopes, mm".to_owned()),
        EnvelopeFormat::Glb => {
            let named = envelopes.iter().zip(&meshes).enumerate();
            let named = named.map(|(k, (envelope, mesh))| glb::GlbMesh {
                name: &envelope.cable,
                colour: COLOURS[k % COLOURS.len()],
                tube: mesh,
                facts: None,
            });
            glb::bytes_of(&named.collect::<Vec<_>>())
        }
    }
}

/// With smooth normals, as the file counts.
fn mesh_of(envelope: &Envelope, convention: Convention) -> TubeMesh {
    let vertices: Vec<Vec3> = envelope
        .vertices
        .iter()
        .map(|v| convention.outside(v))
        .collect();
    let mut normals = vec![Vec3::zeros(); vertices.len()];
    for triangle in &envelope.triangles {
        let [a, b, c] = triangle.map(|v| vertices[v as usize]);
        let across = (b - a).cross(&(c - a));
        for v in triangle {
            normals[*v as usize] += across;
        }
    }
    let unit = |n: Vec3| n.try_normalize(0.0).unwrap_or_else(Vec3::z);
    TubeMesh {
        vertices,
        normals: normals.into_iter().map(unit).collect(),
        triangles: envelope.triangles.clone(),
    }
}
