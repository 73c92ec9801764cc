//! Parts that are placed, perhaps many times, by the nodes of a tree.

use super::error::Place;
use super::raw::{RawPart, checked_point};
use super::{Color, ImportError};
use crate::geom::{Mat3, Vec3};
use crate::mesh::Axis;

/// Levels of a tree that are followed; a deeper one is damaged or made to harm.
pub const MAX_DEPTH: usize = 200;
/// Bytes that nodes and instances may take in memory beside what stands in the file itself.
const MAX_UNFOLDED: u64 = 256 << 20;
/// Bytes that the data of a file may take in memory, by its size.
const UNPACKED: u64 = 8;
/// Longest name that is kept.
const MAX_NAME: usize = 200;

/// A linear map and a shift: `x -> linear x + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// Rotation, scale, mirror, shear.
    pub linear: Mat3,
    /// Where the origin goes.
    pub offset: Vec3,
}

impl Affine {
    /// Leaves everything where it is.
    pub fn identity() -> Self {
        Self {
            linear: Mat3::identity(),
            offset: Vec3::zeros(),
        }
    }

    /// Moves by `offset`.
    pub fn shift(offset: Vec3) -> Self {
        Self {
            linear: Mat3::identity(),
            offset,
        }
    }

    /// A linear map about the origin.
    pub fn linear(linear: Mat3) -> Self {
        Self {
            linear,
            offset: Vec3::zeros(),
        }
    }

    /// Turns by `angle` about `axis`; an axis without length turns nothing.
    pub fn turn(axis: Vec3, angle: f64) -> Self {
        let rotation = nalgebra::Unit::try_new(axis, f64::MIN_POSITIVE)
            .map_or_else(Mat3::identity, |axis| {
                nalgebra::Rotation3::from_axis_angle(&axis, angle).into_inner()
            });
        Self::linear(rotation)
    }

    /// The map of a child inside this one: first `inner`, then this.
    #[must_use]
    pub fn of(&self, inner: &Self) -> Self {
        Self {
            linear: self.linear * inner.linear,
            offset: self.linear * inner.offset + self.offset,
        }
    }

    /// Where it takes a point; not a bit changes where it moves nothing.
    pub fn apply(&self, p: &Vec3) -> Vec3 {
        if *self == Self::identity() {
            *p
        } else {
            self.linear * p + self.offset
        }
    }

    /// Whether it turns a left hand into a right one.
    pub fn is_mirror(&self) -> bool {
        self.linear.determinant() < 0.0
    }
}

/// Triangles of a tree, by their own coordinates, to be placed.
#[derive(Default)]
pub struct Shape {
    /// Vertices.
    pub vertices: Vec<Vec3>,
    /// Triangles by vertex; all numbers are in range.
    pub triangles: Vec<[u32; 3]>,
    /// Colour, when the file gives one for all of it.
    pub color: Option<Color>,
    /// Polygons that could not be cut without overlap.
    pub n_crossed: usize,
    /// Axes of its round faces, where it has exact ones.
    pub axes: Vec<Axis>,
}

impl Shape {
    /// The shape as a part at a place of the tree, its triangles turned round where the place is mirrored.
    pub fn placed(
        &self,
        world_from_shape: &Affine,
        path: Vec<String>,
        place: impl Fn() -> Place,
    ) -> Result<RawPart, ImportError> {
        let mut vertices = Vec::with_capacity(self.vertices.len());
        for v in &self.vertices {
            let p = world_from_shape.linear * v + world_from_shape.offset;
            vertices.push(checked_point([p.x, p.y, p.z], &place)?);
        }
        let mut triangles = self.triangles.clone();
        if world_from_shape.is_mirror() {
            for t in &mut triangles {
                t.swap(1, 2);
            }
        }
        Ok(RawPart {
            name: path.last().cloned().unwrap_or_default(),
            path,
            color: self.color,
            vertices,
            triangles,
            n_vertices_read: None,
            n_crossed: self.n_crossed,
            axes: {
                let Affine { linear, offset } = world_from_shape;
                let placed = |a: &Axis| a.mapped(linear, offset);
                self.axes.iter().filter_map(placed).collect()
            },
            brep: None,
        })
    }
}

/// How far instances may still unfold, in bytes of memory. Keeps small files from filling it.
pub struct Budget {
    left: u64,
}

impl Budget {
    /// Room for what stands in a file of that size, and a good deal more.
    pub fn new(n_file_bytes: usize) -> Self {
        Self {
            left: UNPACKED * n_file_bytes as u64 + MAX_UNFOLDED,
        }
    }

    /// Takes room for one node.
    pub fn take_node(&mut self, place: impl FnOnce() -> Place) -> Result<(), ImportError> {
        self.take(64, place)
    }

    /// Takes room for a shape that is placed.
    pub fn take_shape(
        &mut self,
        shape: &Shape,
        path: &[String],
        place: impl FnOnce() -> Place,
    ) -> Result<(), ImportError> {
        let path: usize = path.iter().map(|name| 48 + name.len()).sum();
        let n = 24 * shape.vertices.len() + 12 * shape.triangles.len() + 300 + 2 * path;
        self.take(n as u64, place)
    }

    /// Takes room for `n` bytes.
    pub fn take(&mut self, n: u64, place: impl FnOnce() -> Place) -> Result<(), ImportError> {
        self.left = self
            .left
            .checked_sub(n)
            .ok_or_else(|| ImportError::UnfoldsTooFar {
                place: place(),
                what: "the file unfolds to too many bytes of triangles and nodes",
                limit: MAX_UNFOLDED,
            })?;
        Ok(())
    }
}

/// A name of the file as it is kept: not longer than anyone reads.
pub fn short_name(name: &str) -> String {
    name.chars().take(MAX_NAME).collect()
}

/// The error of a tree that is too deep, or that holds itself.
pub fn too_deep(place: Place) -> ImportError {
    ImportError::UnfoldsTooFar {
        place,
        what: "too many levels of nodes, or a node inside itself",
        limit: MAX_DEPTH as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_go_from_the_inside_out() {
        let quarter = Affine::turn(Vec3::new(0.0, 0.0, 2.0), std::f64::consts::FRAC_PI_2);
        let both = Affine::shift(Vec3::x()).of(&quarter);
        let p = both.linear * Vec3::x() + both.offset;
        assert!((p - Vec3::new(1.0, 1.0, 0.0)).norm() < 1e-15);
        let mirror = Affine::linear(Mat3::from_diagonal(&Vec3::new(1.0, -1.0, 1.0)));
        assert!(mirror.is_mirror() && !mirror.of(&mirror).is_mirror());
        assert_eq!(Affine::turn(Vec3::zeros(), 1.0), Affine::identity());
    }

    #[test]
    fn a_mirrored_triangle_keeps_its_outside() {
        let shape = Shape {
            vertices: vec![Vec3::zeros(), Vec3::x(), Vec3::y()],
            triangles: vec![[0, 1, 2]],
            ..Shape::default()
        };
        let mirror = Affine::linear(Mat3::from_diagonal(&Vec3::new(-1.0, 1.0, 1.0)));
        let placed = shape
            .placed(&mirror, vec!["a".to_owned()], || Place::Byte(0))
            .unwrap();
        let [a, b, c] = placed.triangles[0].map(|v| placed.vertices[v as usize]);
        assert!((b - a).cross(&(c - a)).z > 0.0);
        assert_eq!(placed.name, "a");
    }
}
