//! What the view needs of a part beside its triangles: shading normals, feature edges, a tree to pick in.

use std::sync::{Arc, OnceLock};

use super::coarse::Coarse;
use super::pick::PickMesh;
use crate::geom::{Aabb, Vec3};
use crate::mesh::{EdgeTable, Rim, TriMesh, rims};

/// Faces that meet at less than this angle are shaded as one smooth surface (cosine of 30 degrees).
const SMOOTH: f64 = 0.866;

/// A rim is that of a hole when its own part comes no nearer to its middle than this share of its radius.
const OPEN: f64 = 0.6;

/// A part made ready for the view. Takes a second per million triangles, so it is made in the background.
pub struct PartModel {
    /// The part's mesh.
    pub mesh: Arc<TriMesh>,
    /// The box around it.
    pub aabb: Aabb,
    /// For rays; `None` when no tree could be built.
    pub pick: Option<PickMesh>,
    /// The triangles with a vertex for every normal.
    pub surface: Surface,
    /// Fewer triangles, for a camera that moves; `None` where there are few.
    pub coarse: Option<Coarse>,
    /// Pairs of mesh vertices: sharp edges and borders.
    pub edges: Vec<[u32; 2]>,
    /// Round rims, and whether one can look through them.
    pub rims: Vec<(Rim, bool)>,
    table: OnceLock<EdgeTable>,
}

/// Triangles for drawing: a mesh vertex appears once for each smooth surface it belongs to.
#[derive(Default)]
pub struct Surface {
    /// The mesh vertex of each drawn vertex.
    pub vertices: Vec<u32>,
    /// Its unit normal.
    pub normals: Vec<Vec3>,
    /// Drawn vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl PartModel {
    /// Makes a part ready.
    pub fn new(mesh: Arc<TriMesh>) -> Self {
        let normals = face_normals(&mesh);
        let pick = PickMesh::new(&mesh);
        let edges = feature_edges(&mesh, &normals);
        let is_open = |rim: &Rim| {
            let near = pick.as_ref().map(|pick| pick.nearest(&rim.center));
            near.is_some_and(|near| (near - rim.center).norm() > OPEN * rim.radius)
        };
        let (aabb, surface) = (mesh.aabb(), surface(&mesh, &normals));
        let vertices = mesh.vertices();
        let places = surface.vertices.iter().map(|v| vertices[*v as usize]);
        let places: Vec<Vec3> = places.collect();
        Self {
            coarse: Coarse::new(&surface, &places, &aabb),
            aabb,
            rims: (rims(&mesh, &edges).into_iter())
                .map(|rim| (rim, is_open(&rim)))
                .collect(),
            pick,
            surface,
            edges,
            mesh,
            table: OnceLock::new(),
        }
    }

    /// Which triangles meet at which edge; made when it is first asked for.
    pub fn edge_table(&self) -> &EdgeTable {
        self.table.get_or_init(|| EdgeTable::new(&self.mesh))
    }
}

/// Unit normals; zero for a triangle without area.
fn face_normals(mesh: &TriMesh) -> Vec<Vec3> {
    (0..mesh.triangles().len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            (b - a)
                .cross(&(c - a))
                .try_normalize(f64::MIN_POSITIVE)
                .unwrap_or_else(Vec3::zeros)
        })
        .collect()
}

/// Groups the faces around each vertex into smooth surfaces.
fn surface(mesh: &TriMesh, face_normals: &[Vec3]) -> Surface {
    let triangles = mesh.triangles();
    let mut corners: Vec<(u32, u32)> = (0..triangles.len() as u32)
        .flat_map(|t| (0..3).map(move |c| 3 * t + c))
        .map(|corner| (triangles[corner as usize / 3][corner as usize % 3], corner))
        .collect();
    corners.sort_unstable();
    let mut surface = Surface {
        triangles: vec![[0; 3]; triangles.len()],
        ..Surface::default()
    };
    for around in corners.chunk_by(|a, b| a.0 == b.0) {
        let first = surface.vertices.len();
        let mut faces: Vec<Vec3> = Vec::new();
        for &(vertex, corner) in around {
            let normal = face_normals[corner as usize / 3];
            let known = faces.iter().position(|face| face.dot(&normal) > SMOOTH);
            let group = known.unwrap_or(faces.len());
            if known.is_none() {
                faces.push(normal);
                surface.vertices.push(vertex);
                surface.normals.push(Vec3::zeros());
            }
            surface.normals[first + group] += normal;
            surface.triangles[corner as usize / 3][corner as usize % 3] = (first + group) as u32;
        }
    }
    for normal in &mut surface.normals {
        *normal = normal.try_normalize(1e-9).unwrap_or_else(Vec3::z);
    }
    surface
}

/// Edges with one triangle, with more than two, or between faces that meet sharply.
fn feature_edges(mesh: &TriMesh, face_normals: &[Vec3]) -> Vec<[u32; 2]> {
    let mut sides: Vec<([u32; 2], u32)> = mesh
        .triangles()
        .iter()
        .zip(0..)
        .flat_map(|(&[a, b, c], t)| {
            [[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], t))
        })
        .collect();
    sides.sort_unstable();
    sides
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|side| match side {
            [(_, s), (_, t)] => {
                let cosine = face_normals[*s as usize].dot(&face_normals[*t as usize]);
                // Neighbours of opposite winding have opposite normals on a flat face.
                cosine.abs() < SMOOTH
            }
            _ => true,
        })
        .map(|side| side[0].0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Arc<TriMesh> {
        let vertices = (0..8)
            .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))
            .collect();
        let faces: [[u32; 4]; 6] = [
            [0, 2, 3, 1],
            [4, 5, 7, 6],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 4, 6, 2],
            [1, 3, 7, 5],
        ];
        let triangles = faces
            .iter()
            .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
            .collect();
        Arc::new(TriMesh::new(vertices, triangles).unwrap())
    }

    #[test]
    fn a_cube_has_twelve_edges_and_flat_faces() {
        let model = PartModel::new(cube());
        assert_eq!(model.edges.len(), 12);
        assert_eq!(model.surface.vertices.len(), 24);
        for (t, corners) in model.surface.triangles.iter().enumerate() {
            for (c, &v) in corners.iter().enumerate() {
                assert_eq!(
                    model.surface.vertices[v as usize],
                    model.mesh.triangles()[t][c]
                );
                let normal = model.surface.normals[v as usize];
                assert!((normal.amax() - 1.0).abs() < 1e-12, "{normal}");
            }
        }
    }

    #[test]
    fn a_round_wall_is_smooth() {
        let n = 24;
        let vertices = (0..n)
            .flat_map(|i| {
                let (sin, cos) = (f64::from(i) / f64::from(n) * std::f64::consts::TAU).sin_cos();
                [Vec3::new(cos, sin, 0.0), Vec3::new(cos, sin, 1.0)]
            })
            .collect();
        let triangles = (0..n as u32)
            .flat_map(|i| {
                let (a, b) = (2 * i, 2 * ((i + 1) % n as u32));
                [[a, b, a + 1], [a + 1, b, b + 1]]
            })
            .collect();
        let model = PartModel::new(Arc::new(TriMesh::new(vertices, triangles).unwrap()));
        assert_eq!(model.edges.len(), 2 * n as usize, "only the two rims");
        assert_eq!(model.surface.vertices.len(), 2 * n as usize);
    }
}
