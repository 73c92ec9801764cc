//! Triangle meshes: the type, what is checked on entry, and the readers.

pub mod import;
pub mod primitives;
mod tri_mesh;

pub use tri_mesh::{MeshError, TriMesh};
