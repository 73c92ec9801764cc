//! Triangle meshes: the type, what is checked on entry, what neighbours what, and the readers.

mod axis;
mod borders;
mod components;
mod edges;
pub mod import;
mod memo;
mod patches;
pub mod primitives;
mod round;
mod solid;
pub mod tessellate;
mod tri_mesh;
mod weld;

pub use axis::{Axis, OnAxis};
pub use borders::{BorderLoop, border_loops};
pub(crate) use components::DisjointSets;
pub use components::{Components, components};
pub use edges::{Edge, EdgeTable, Side};
pub use patches::{Patches, patches};
pub use round::{Cylinder, Rim, cylinder_at, rims};
pub use tri_mesh::{MeshError, TriMesh};
pub use weld::{merge_equal, weld_distance, welded};
