//! The way back: a cable's solved shape becomes a rigid part.

use crate::mesh::{TriMesh, primitives};
use crate::scene::{Cable, Part, PartRole, Piece, Scene, Shape};

use super::FlexibiliseError;

/// Sides of the tube of a cable without a skin.
const N_SIDES: usize = 24;

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
        part: Some(part.name.clone()),
        radii: cable.node_radii(),
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
    Ok(primitives::tube(&shape.points, cable.radius, N_SIDES))
}
