//! Triangles from bodies bounded by exact surfaces (B-rep): docs/theory/tessellation.md.
//!
//! Each edge is sampled once and both of its faces take the same vertices, so that neighbours meet exactly. Each
//! face is a constrained Delaunay triangulation in a plane chart of its surface, refined to a chord error and an
//! angle. What fails is named; nothing is left out in silence.

mod body;
mod chart;
mod curve;
mod delaunay;
mod edge;
mod face;
mod grid;
mod invert;
mod layout;
mod measure;
mod nurbs;
mod patch;
mod surface;
mod tangent;

use std::ops::Range;

pub use body::tessellate;
pub use curve::{Curve, Frame};
pub use measure::{Measure, measure};
pub use nurbs::{Knots, NurbsCurve, NurbsSurface};
pub use surface::Surface;

use crate::geom::Vec3;

/// How near the triangles stay to the surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fineness {
    /// Largest distance between a curve or surface and its chords, in the unit of the body.
    pub chord_error: f64,
    /// Largest angle between neighbouring chords, radians.
    pub angle: f64,
}

/// A chord leaves a curve by at most this part of its radius, whatever the chord error: small rings and pins would
/// lose some per cent of their volume otherwise.
pub const RELATIVE_CHORD: f64 = 0.004;

impl Fineness {
    /// The largest turn along one chord.
    pub fn turn(&self) -> f64 {
        self.angle.min(2.0 * (1.0 - RELATIVE_CHORD).acos())
    }

    /// The largest turn along one chord of a circle.
    pub fn turn_at(&self, radius: f64) -> f64 {
        let share = (self.chord_error / radius).min(1.0);
        self.turn().min(2.0 * (1.0 - share).acos())
    }
}

/// A body: vertices, edges between them, faces between edges, shells of faces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Places of the vertices.
    pub vertices: Vec<Vec3>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// Faces, shell by shell.
    pub faces: Vec<Face>,
    /// Shells.
    pub shells: Vec<Shell>,
}

/// A set of faces that hang together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// Which of the body's faces.
    pub faces: Range<usize>,
    /// What it is said to be.
    pub kind: ShellKind,
}

/// What a shell is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    /// A sheet: it may be open.
    Sheet,
    /// The outside of a solid.
    Outer,
    /// A cavity of a solid.
    Void,
}

/// A piece of a curve between two vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Its number in the file.
    pub number: u64,
    /// Its curve; the reason where it cannot be read.
    pub curve: Result<Curve, String>,
    /// Vertices at its start and its end.
    pub ends: [usize; 2],
    /// Whether it runs as its curve does.
    pub same_sense: bool,
}

/// A piece of a surface inside loops of edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Its number in the file.
    pub number: u64,
    /// Its surface; the reason where it cannot be read.
    pub surface: Result<Surface, String>,
    /// Whether its outside is that of its surface.
    pub same_sense: bool,
    /// Its borders, the face on the left of each when looked at from outside.
    pub loops: Vec<Vec<Coedge>>,
    /// Whether one of its borders is a single point.
    pub has_point_loop: bool,
}

/// An edge as a loop uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coedge {
    /// Which of the body's edges.
    pub edge: usize,
    /// Whether the loop runs as the edge does.
    pub forward: bool,
}

/// The triangles of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tessellation {
    /// Vertices.
    pub vertices: Vec<Vec3>,
    /// Triangles, counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Number of triangles of each face, in their order.
    pub per_face: Vec<usize>,
    /// What is wrong, by face or edge.
    pub defects: Vec<Defect>,
    /// Shells that are said to be closed and are not.
    pub open_shells: usize,
}

/// Something that is wrong with a face or an edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Defect {
    /// Number of the face in the file.
    pub face: u64,
    /// What is wrong.
    pub reason: String,
    /// Whether the triangles are no true image of the face: it is drawn by its border only.
    pub is_patched: bool,
}
