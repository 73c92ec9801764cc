//! The way back: a cable's solved shape becomes a rigid part.

use std::f64::consts::TAU;

use crate::geom::Vec3;
use crate::mesh::TriMesh;
use crate::scene::{Cable, Part, PartRole, Piece, Scene, Shape};

use super::FlexibiliseError;

/// Sides of the tube of a cable without a skin.
const N_SIDES: u32 = 24;

/// Replaces a cable by a rigid part of the same name in the shape it was solved to.
pub fn rigidify(scene: &mut Scene, name: &str) -> Result<(), FlexibiliseError> {
    let Some(cable) = scene.cable(name) else {
        return Err(FlexibiliseError::Other(format!(
            "there is no cable \"{name}\""
        )));
    };
    let Some(shape) = &cable.shape else {
        let problem = format!("cable \"{name}\" was never solved, so it has no shape to keep");
        return Err(FlexibiliseError::Other(problem));
    };
    let mesh = surface(cable, shape)
        .map_err(|e| FlexibiliseError::Other(format!("cable \"{name}\": {e}")))?;
    let mut part = Part::new(scene.free_part_name(name), mesh);
    part.role = PartRole::Connector;
    (part.visible, part.color) = (cable.visible, cable.color);
    let piece = Piece::Rigid {
        radii: vec![cable.radius; shape.points.len()],
        points: shape.points.clone(),
    };

    for segment in scene.harnesses.iter_mut().flat_map(|h| &mut h.segments) {
        for own in &mut segment.pieces {
            if matches!(own, Piece::Flexible { cable } if cable == name) {
                *own = piece.clone();
            }
        }
    }
    scene.cables.retain(|c| c.name != name);
    scene.exclusions.retain(|e| e.cable != name);
    for junction in &mut scene.junctions {
        junction.ends.retain(|end| end.cable != name);
    }
    scene.junctions.retain(|junction| !junction.ends.is_empty());
    scene.parts.push(part);
    Ok(())
}

/// The cable's own surface in its shape, or a round tube with flat ends.
fn surface(cable: &Cable, shape: &Shape) -> Result<TriMesh, crate::mesh::MeshError> {
    if let Some(skin) = &cable.skin {
        return TriMesh::new(skin.positions(shape).collect(), skin.triangles.clone());
    }
    let n = shape.frames.len();
    let mut vertices = Vec::new();
    for node in 0..=n {
        let (edge, along) = if node < n { (node, 0.0) } else { (n - 1, 1.0) };
        let (center, frame) = shape.place_on_edge(edge, along);
        vertices.extend((0..N_SIDES).map(|k| {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(N_SIDES)).sin_cos();
            center + frame * Vec3::new(cos, sin, 0.0) * cable.radius
        }));
    }
    let ring = |node: u32, k: u32| node * N_SIDES + k % N_SIDES;
    let mut triangles = Vec::new();
    for node in 0..n as u32 {
        for k in 0..N_SIDES {
            let (a, b) = (ring(node, k), ring(node, k + 1));
            let (c, d) = (ring(node + 1, k), ring(node + 1, k + 1));
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    for k in 1..N_SIDES - 1 {
        triangles.push([ring(0, 0), ring(0, k + 1), ring(0, k)]);
        let n = n as u32;
        triangles.push([ring(n, 0), ring(n, k), ring(n, k + 1)]);
    }
    TriMesh::new(vertices, triangles)
}
