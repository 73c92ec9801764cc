//! An indexed triangle mesh in mm, checked on construction.

use std::sync::Arc;

use super::Axis;
use super::memo::Memo;
use crate::geom::{Aabb, Pose, Vec3};

/// A triangle soup with shared vertices: open or closed, normals of no meaning.
///
/// Every index is in range and every coordinate finite.
#[derive(Clone, Debug, PartialEq)]
pub struct TriMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Of the round faces that it was made of, where these are known.
    axes: Arc<[Axis]>,
    memo: Memo,
}

/// Why data is not a usable triangle mesh.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// No triangle at all.
    #[error("the mesh has no triangles")]
    Empty,
    /// A triangle names a vertex that is not there.
    #[error("triangle {triangle} uses vertex {vertex}, but there are only {n_vertices}")]
    IndexOutOfRange {
        /// Number of the triangle, from 0.
        triangle: usize,
        /// The index it uses.
        vertex: u32,
        /// How many vertices there are.
        n_vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not a finite number")]
    NotFinite {
        /// Number of the vertex, from 0.
        vertex: usize,
    },
}

impl TriMesh {
    /// Checks the data and takes it.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        if let Some(vertex) = vertices
            .iter()
            .position(|v| !v.iter().all(|c| c.is_finite()))
        {
            return Err(MeshError::NotFinite { vertex });
        }
        let n_vertices = vertices.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&c| c as usize >= n_vertices) {
                return Err(MeshError::IndexOutOfRange {
                    triangle,
                    vertex,
                    n_vertices,
                });
            }
        }
        Ok(Self {
            vertices,
            triangles,
            axes: Arc::default(),
            memo: Memo::default(),
        })
    }

    /// The mesh with the axes of the round faces that it was made of.
    #[must_use]
    pub fn with_axes(mut self, axes: impl Into<Arc<[Axis]>>) -> Self {
        self.axes = axes.into();
        self.memo = Memo::default();
        self
    }

    /// What was found out about it by others, and goes with it.
    pub(crate) fn memo(&self) -> &Memo {
        &self.memo
    }

    /// Axes of the round faces that it was made of; none for a mesh that came as triangles.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Vertex positions, mm.
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Triangles as three vertex numbers each.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The three corners of triangle `t`.
    pub fn corners(&self, t: usize) -> [Vec3; 3] {
        self.triangles[t].map(|v| self.vertices[v as usize])
    }

    /// The box around all vertices.
    pub fn aabb(&self) -> Aabb {
        Aabb::of_points(&self.vertices)
    }

    /// The mesh moved: what stood at the origin with the axes of the world stands at `pose`.
    ///
    /// The pose must be finite.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        Self {
            vertices: self
                .vertices
                .iter()
                .map(|v| pose.rotation * v + pose.position)
                .collect(),
            triangles: self.triangles.clone(),
            axes: self.axes_at(pose),
            memo: Memo::default(),
        }
    }

    /// Its axes where the mesh stands at `pose`.
    pub fn axes_at(&self, pose: &Pose) -> Arc<[Axis]> {
        let linear = pose.rotation.to_rotation_matrix().into_inner();
        let moved = |a: &Axis| a.mapped(&linear, &pose.position);
        self.axes.iter().filter_map(moved).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Rotation;

    #[test]
    fn a_pose_turns_first_and_moves_then() {
        let vertices = vec![Vec3::x(), Vec3::y(), Vec3::z()];
        let mesh = TriMesh::new(vertices, vec![[0, 1, 2]]).unwrap();
        let quarter = std::f64::consts::FRAC_PI_2;
        let moved = mesh.transformed(&Pose {
            position: Vec3::new(10.0, 0.0, 0.0),
            rotation: Rotation::from_axis_angle(&Vec3::z_axis(), quarter),
        });
        let expected = [[10.0, 1.0, 0.0], [9.0, 0.0, 0.0], [10.0, 0.0, 1.0]];
        for (found, expected) in moved.vertices().iter().zip(expected) {
            assert!((found - Vec3::from(expected)).norm() < 1e-12);
        }
        assert_eq!(moved.triangles(), mesh.triangles());
    }
}
