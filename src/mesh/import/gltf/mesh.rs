//! The triangles of one mesh of a glTF, all its primitives together.

use gltf_json::Root;
use gltf_json::mesh::{Mode, Primitive, Semantic};
use gltf_json::validation::Checked;

use super::accessor::Accessors;
use super::buffers::Buffers;
use crate::mesh::import::error::Place;
use crate::mesh::import::raw::{Strip, checked_point};
use crate::mesh::import::tree::{Budget, Shape};
use crate::mesh::import::{Color, ImportError};

/// The triangles of mesh `number`, and how many primitives are points or lines.
pub fn read(
    root: &Root,
    number: usize,
    buffers: &mut Buffers,
    budget: &mut Budget,
) -> Result<(Shape, usize), ImportError> {
    let mut shape = Shape::default();
    let mut n_skipped = 0;
    let mut accessors = Accessors {
        root,
        buffers,
        budget,
    };
    for (k, primitive) in root.meshes[number].primitives.iter().enumerate() {
        let place = || Place::Item(format!("primitive {k} of mesh {number}"));
        let mode = match primitive.mode {
            Checked::Valid(mode) => mode,
            Checked::Invalid => return Err(damaged(place(), "it has no valid mode")),
        };
        if !matches!(
            mode,
            Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan
        ) {
            n_skipped += 1;
            continue;
        }
        let had_triangles = !shape.triangles.is_empty();
        add(primitive, mode, &mut accessors, &mut shape, &place)?;
        let color = color(root, primitive);
        shape.color = if had_triangles && shape.color != color {
            None
        } else {
            color
        };
    }
    Ok((shape, n_skipped))
}

fn add(
    primitive: &Primitive,
    mode: Mode,
    accessors: &mut Accessors,
    shape: &mut Shape,
    place: &impl Fn() -> Place,
) -> Result<(), ImportError> {
    let positions = primitive
        .attributes
        .get(&Checked::Valid(Semantic::Positions))
        .ok_or_else(|| damaged(place(), "it has no positions"))?;
    let positions = accessors.vectors(positions.value())?;
    let n_positions = positions.len();
    let indices = match primitive.indices {
        Some(indices) => accessors.indices(indices.value())?,
        None => (0..n_positions as u32).collect(),
    };
    if let Some(index) = indices.iter().find(|&&i| i as usize >= n_positions) {
        let reason = format!("it uses vertex {index}, but there are {n_positions}");
        return Err(damaged(place(), &reason));
    }
    let first = shape.vertices.len() as u32;
    // Primitives may share one long list of which each uses little.
    let wanted = if n_positions > 3 * indices.len() {
        let mut used = indices.clone();
        used.sort_unstable();
        used.dedup();
        used
    } else {
        (0..n_positions as u32).collect()
    };
    for &v in &wanted {
        shape
            .vertices
            .push(checked_point(positions[v as usize], place)?);
    }
    let new_number = |v: u32| {
        let place = if wanted.len() == n_positions {
            v
        } else {
            wanted.partition_point(|&w| w < v) as u32
        };
        first + place
    };
    let corners = indices.into_iter().map(new_number);
    match mode {
        Mode::TriangleStrip => {
            let mut strip = Strip::default();
            shape
                .triangles
                .extend(corners.filter_map(|v| strip.push(v)));
        }
        Mode::TriangleFan => {
            let corners: Vec<u32> = corners.collect();
            if let [center, ring @ ..] = &corners[..] {
                let pairs = ring.windows(2);
                shape.triangles.extend(pairs.map(|p| [*center, p[0], p[1]]));
            }
        }
        _ => {
            let corners: Vec<u32> = corners.collect();
            let triples = corners.chunks_exact(3);
            shape.triangles.extend(triples.map(|t| [t[0], t[1], t[2]]));
        }
    }
    Ok(())
}

fn damaged(place: Place, reason: &str) -> ImportError {
    ImportError::Damaged {
        place,
        reason: reason.to_owned(),
    }
}

/// The base colour of the primitive's material; white where there is a texture is no colour.
fn color(root: &Root, primitive: &Primitive) -> Option<Color> {
    let material = root.materials.get(primitive.material?.value())?;
    let surface = &material.pbr_metallic_roughness;
    if surface.base_color_texture.is_some() {
        return None;
    }
    Some(Color::from_linear(
        surface.base_color_factor.0.map(f64::from),
    ))
}
