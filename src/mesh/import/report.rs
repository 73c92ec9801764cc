//! What was found in a part, and what was changed.

use serde::{Deserialize, Serialize};

use crate::mesh::{EdgeTable, TriMesh, border_loops, components, patches};

/// The report on one part. In JSON its fields stand side by side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartReport {
    /// What cleaning did. Of a part that was split: what it did to the whole body, the same in every piece.
    #[serde(flatten)]
    pub cleaning: Cleaning,
    /// What the clean mesh is like.
    #[serde(flatten)]
    pub topology: Topology,
    /// What was tessellated, for a part that is bounded by exact surfaces in its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub brep: Option<BrepReport>,
}

/// What became of the faces of a part that is bounded by exact surfaces (B-rep).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrepReport {
    /// Faces read.
    pub faces: usize,
    /// Numbers in the file of faces that failed and are drawn by their border, and of items that could not be read.
    pub failed_faces: Vec<u64>,
    /// Numbers in the file of faces that contradict themselves: their triangles may be off.
    pub doubtful_faces: Vec<u64>,
    /// Solids whose shell is not closed.
    pub open_solids: usize,
}

impl BrepReport {
    /// Whether every face is a true image and every solid is closed.
    pub fn is_good(&self) -> bool {
        self.failed_faces.is_empty() && self.doubtful_faces.is_empty() && self.open_solids == 0
    }
}

/// What cleaning did to the triangles of a body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cleaning {
    /// Triangles in the file, polygons cut.
    pub triangles_read: usize,
    /// Triangles left.
    pub triangles_kept: usize,
    /// Vertices in the file, three a triangle where triangles share none.
    pub vertices_read: usize,
    /// Of those, how many no triangle uses.
    pub vertices_unused: usize,
    /// Vertices left after welding.
    pub vertices_kept: usize,
    /// Vertices no farther apart than this were made one, mm.
    pub weld_distance: f64,
    /// Triangles without area that were dropped, those that welding made so included.
    pub degenerate: usize,
    /// Triangles on the same three vertices as an earlier one that were dropped.
    pub duplicate: usize,
    /// Polygons that cross themselves, triangulated as well as possible.
    pub crossed_polygons: usize,
}

/// What a clean mesh is like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// Connected pieces.
    pub components: usize,
    /// Edges with one triangle: the border of an open sheet or of a hole.
    pub open_edges: usize,
    /// Chains that these edges make.
    pub open_loops: usize,
    /// Edges with three triangles or more.
    pub non_manifold_edges: usize,
    /// Edges whose two triangles face opposite ways.
    pub inconsistent_edges: usize,
    /// Patches that would have to be flipped so that all neighbours face the same way.
    pub flipped_patches: usize,
    /// Triangles in those patches.
    pub flipped_triangles: usize,
    /// Surfaces that cannot be oriented at all.
    pub one_sided: usize,
}

impl Topology {
    /// Looks at every edge of `mesh`.
    pub fn of(mesh: &TriMesh) -> Self {
        Self::with_edges(mesh, EdgeTable::new(mesh))
    }

    /// As [`of`](Self::of), where the edges of `mesh` are known.
    pub(super) fn with_edges(mesh: &TriMesh, edges: EdgeTable) -> Self {
        let (mut open_edges, mut non_manifold_edges) = (0, 0);
        for edge in edges.edges() {
            open_edges += usize::from(edge.n_sides() == 1);
            non_manifold_edges += usize::from(edge.n_sides() > 2);
        }
        let open_loops = if open_edges > 0 {
            border_loops(mesh, &edges).len()
        } else {
            0
        };
        let patches = patches(mesh, &edges);
        drop(edges);
        Self {
            components: components(mesh).number,
            open_edges,
            open_loops,
            non_manifold_edges,
            inconsistent_edges: patches.inconsistent_edges,
            flipped_patches: patches.flipped_patches,
            flipped_triangles: patches.flipped_triangles,
            one_sided: patches.one_sided,
        }
    }

    /// Whether the mesh is one or several closed, well oriented surfaces.
    pub fn is_closed(&self) -> bool {
        self.open_edges == 0 && self.non_manifold_edges == 0 && self.inconsistent_edges == 0
    }
}
