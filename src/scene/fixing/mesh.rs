//! The small mesh of a fixing: rings and boxes of its text, or a file.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use super::Fixing;
use crate::geom::{Aabb, Vec3};
use crate::mesh::import::import_file;
use crate::mesh::{MeshError, TriMesh, primitives};

/// Corners of a ring.
const SIDES: u32 = 32;
/// Most triangles that a mesh file of a fixing may have: many are drawn.
const MAX_TRIANGLES: usize = 20_000;

/// A piece of a fixing, mm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Solid {
    /// A ring about the cable.
    Ring(RingSize),
    /// A box.
    Box {
        /// Smallest x, y, z.
        min: [f64; 3],
        /// Largest x, y, z.
        max: [f64; 3],
    },
}

/// A ring about the cable, mm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RingSize {
    /// Inner radius.
    pub inner: f64,
    /// Outer radius.
    pub outer: f64,
    /// Where it begins along the cable.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

impl Solid {
    pub(super) fn problem(&self, most: f64) -> Option<String> {
        let size = |mm: f64| mm.is_finite() && mm.abs() <= most;
        match *self {
            Self::Ring(RingSize {
                inner,
                outer,
                from,
                to,
            }) => {
                let good = [inner, outer, from, to].into_iter().all(size)
                    && 0.0 < inner
                    && inner < outer
                    && from < to;
                (!good).then(|| {
                    format!(
                        "a ring must have 0 < inner < outer and from < to in mm, but has inner {inner}, outer {outer}, from {from}, to {to}"
                    )
                })
            }
            Self::Box { min, max } => {
                let good = (0..3).all(|k| size(min[k]) && size(max[k]) && min[k] < max[k]);
                (!good).then(|| {
                    format!("a box must have min below max in x, y and z, in mm, but has {min:?} and {max:?}")
                })
            }
        }
    }

    fn mesh(&self, scale: f64) -> Result<TriMesh, MeshError> {
        match *self {
            Self::Ring(size) => ring(&size, scale),
            Self::Box { min, max } => Ok(primitives::cuboid(&Aabb {
                min: Vec3::from(min) * scale,
                max: Vec3::from(max) * scale,
            })),
        }
    }
}

impl Fixing {
    /// Its mesh for a cable of that diameter, mm, in its own axes.
    pub fn mesh_for(&self, diameter: f64) -> Result<TriMesh, String> {
        let pieces: Vec<TriMesh> = if let Some(path) = &self.mesh {
            let file = import_file(path).map_err(|e| e.to_string())?;
            file.parts.iter().map(|p| (*p.mesh).clone()).collect()
        } else {
            let scale = self.scale(diameter);
            let made = self.solids.iter().map(|s| s.mesh(scale));
            made.collect::<Result<_, _>>().map_err(|e| e.to_string())?
        };
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for piece in &pieces {
            let n = vertices.len() as u32;
            vertices.extend_from_slice(piece.vertices());
            triangles.extend(piece.triangles().iter().map(|t| t.map(|v| v + n)));
        }
        if triangles.is_empty() || triangles.len() > MAX_TRIANGLES {
            return Err(format!(
                "the mesh of fixing \"{}\" has {} triangles; it must have 1 to {MAX_TRIANGLES}",
                self.name,
                triangles.len()
            ));
        }
        TriMesh::new(vertices, triangles).map_err(|e| e.to_string())
    }

    /// A box around it for a cable of that diameter, mm.
    pub fn bounds(&self, diameter: f64) -> Aabb {
        let scale = self.scale(diameter);
        let corners = self.solids.iter().flat_map(|solid| match *solid {
            Solid::Ring(r) => [
                Vec3::new(-r.outer, -r.outer, r.from),
                Vec3::new(r.outer, r.outer, r.to),
            ],
            Solid::Box { min, max } => [min.into(), max.into()],
        });
        let corners: Vec<Vec3> = corners.map(|c| c * scale).collect();
        if corners.is_empty() {
            let half = Vec3::repeat(diameter);
            return Aabb::of_points(&[-half, half]);
        }
        Aabb::of_points(&corners)
    }
}

fn ring(size: &RingSize, scale: f64) -> Result<TriMesh, MeshError> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    // Round each corner of the profile: inner and outer at the beginning, outer and inner at the end.
    let profile = [
        (size.inner, size.from),
        (size.outer, size.from),
        (size.outer, size.to),
        (size.inner, size.to),
    ];
    // The flats of a polygon are nearer than its corners.
    let inside = 1.0 / (0.5 * TAU / f64::from(SIDES)).cos();
    for k in 0..SIDES {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(SIDES)).sin_cos();
        vertices.extend(profile.iter().enumerate().map(|(i, (radius, z))| {
            let radius = if i == 0 || i == 3 {
                radius * inside
            } else {
                *radius
            };
            Vec3::new(radius * cos, radius * sin, *z) * scale
        }));
        let next = (k + 1) % SIDES;
        for i in 0..4 {
            let j = (i + 1) % 4;
            let (a, b, c, d) = (4 * k + i, 4 * next + i, 4 * next + j, 4 * k + j);
            triangles.push([a, b, c]);
            triangles.push([a, c, d]);
        }
    }
    TriMesh::new(vertices, triangles)
}
