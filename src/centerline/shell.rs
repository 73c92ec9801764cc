//! The mesh in a form that does not depend on the order or the copies of its triangles and vertices.

use std::collections::HashMap;
use std::sync::atomic::AtomicUsize;

use super::bvh::Bvh;
use super::fans::{Across, Fans};
use crate::geom::{Aabb, Vec3};
use crate::mesh::{DisjointSets, TriMesh};

/// Vertices nearer than this part of the mesh's size are one vertex.
const WELD_RATIO: f64 = 1e-6;
/// Relative rounding of coordinates that were stored in 32 bits.
const ROUNDING: f64 = 2.4e-7;
/// Twice the area over the square of the longest side, at which a triangle is a needle without a normal.
const DEGENERATE_RATIO: f64 = 1e-6;

/// A set of triangles that hang together by their vertices.
pub struct Shell {
    /// Relative to the origin of [`Shells`].
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    /// Unit normals by the winding; their sign means nothing.
    pub normals: Vec<Vec3>,
    pub areas: Vec<f64>,
    /// Of all triangles.
    pub area: f64,
    /// Diagonal of the box around it.
    pub size: f64,
    /// Triangles that were cut so far: what bounds a search, alike on every machine.
    pub effort: AtomicUsize,
    /// Its order is that of the triangles.
    pub bvh: Bvh,
    pub fans: Fans,
}

/// All shells of a mesh.
pub struct Shells {
    /// What was taken off every coordinate.
    pub origin: Vec3,
    /// Diagonal of the box around everything.
    pub size: f64,
    pub list: Vec<Shell>,
    /// The shell of each triangle of the mesh; `None` where the triangle has no area.
    pub shell_of_triangle: Vec<Option<u32>>,
}

impl Shell {
    /// With the numbers that its triangles had before.
    fn new(vertices: &[Vec3], triangles: &[[u32; 3]]) -> (Self, Vec<u32>) {
        let boxes: Vec<Aabb> = triangles
            .iter()
            .map(|corners| Aabb::of_points(&corners.map(|v| vertices[v as usize])))
            .collect();
        let mut bvh = Bvh::new(&boxes);
        let order = bvh.renumber();
        let (vertices, triangles) = renumbered(vertices, triangles, &order);
        let mut normals = Vec::with_capacity(triangles.len());
        let mut areas = Vec::with_capacity(triangles.len());
        for corners in &triangles {
            let [a, b, c] = corners.map(|v| vertices[v as usize]);
            let doubled = (b - a).cross(&(c - a));
            let length = doubled.norm();
            areas.push(0.5 * length);
            normals.push(doubled / length);
        }
        let fans = Fans::new(vertices.len(), &triangles, &normals);
        let shell = Self {
            area: areas.iter().sum(),
            size: Aabb::of_points(&vertices).diagonal(),
            effort: AtomicUsize::new(0),
            vertices,
            triangles,
            normals,
            areas,
            bvh,
            fans,
        };
        (shell, order)
    }

    /// The piece of each triangle, numbered from 0, where closed pieces only touch others in single vertices. `None`
    /// where all is one piece: what has a rim may hang on its neighbours by vertices that stand on their sides.
    fn pieces(&self) -> Option<Vec<u32>> {
        const NEW: u32 = u32::MAX;
        let mut piece_of = vec![NEW; self.triangles.len()];
        let mut is_open: Vec<bool> = Vec::new();
        let mut stack: Vec<u32> = Vec::new();
        for first in 0..self.triangles.len() {
            if piece_of[first] != NEW {
                continue;
            }
            let piece = is_open.len() as u32;
            is_open.push(false);
            piece_of[first] = piece;
            stack.push(first as u32);
            while let Some(t) = stack.pop() {
                let mut reach = |other: u32| {
                    if piece_of[other as usize] == NEW {
                        piece_of[other as usize] = piece;
                        stack.push(other);
                    }
                };
                for k in 0..3 {
                    match self.fans.across(t, k) {
                        Across::One(other) => reach(other),
                        Across::Nothing => is_open[piece as usize] = true,
                        Across::Several => {
                            let corners = self.triangles[t as usize];
                            let (a, b) = (corners[k], corners[(k + 1) % 3]);
                            for &other in self.fans.of(a as usize) {
                                if self.triangles[other as usize].contains(&b) {
                                    reach(other);
                                }
                            }
                        }
                    }
                }
            }
        }
        if is_open.len() == 1 {
            return None;
        }
        let mut sets = DisjointSets::new(is_open.len());
        for v in 0..self.vertices.len() {
            let fan = self.fans.of(v);
            let piece = |t: &u32| piece_of[*t as usize];
            let open = fan.iter().map(piece).find(|&p| is_open[p as usize]);
            if let Some(open) = open {
                for t in fan {
                    sets.join(open, piece(t));
                }
            }
        }
        let mut number = vec![NEW; is_open.len()];
        let mut n = 0;
        for piece in &mut piece_of {
            let slot = &mut number[sets.root(*piece) as usize];
            if *slot == NEW {
                *slot = n;
                n += 1;
            }
            *piece = *slot;
        }
        (n > 1).then_some(piece_of)
    }

    pub fn corners(&self, t: u32) -> [Vec3; 3] {
        // Written out: `map` of an array of vectors is not inlined.
        let [a, b, c] = self.triangles[t as usize];
        let at = |v: u32| self.vertices[v as usize];
        [at(a), at(b), at(c)]
    }

    /// Whether following a tube in it takes longer than starting a thread.
    pub fn is_large(&self) -> bool {
        self.triangles.len() > 10_000
    }
}

impl Shells {
    /// Welds, drops copies and triangles without area, sorts, and takes apart what does not hang together.
    pub fn new(mesh: &TriMesh) -> Self {
        let aabb = used_box(mesh);
        let origin = aabb.center();
        let size = aabb.diagonal();
        let largest = aabb.min.abs().sup(&aabb.max.abs()).max();
        let tolerance = (WELD_RATIO * size).max(ROUNDING * largest);
        let (vertices, new_of_old) = weld(mesh, &origin, tolerance);

        let mut faces: Vec<([u32; 3], [u32; 3])> = Vec::with_capacity(mesh.triangles().len());
        let mut has_area = vec![false; mesh.triangles().len()];
        for (t, corners) in mesh.triangles().iter().enumerate() {
            let mut face = corners.map(|v| new_of_old[v as usize]);
            if is_degenerate(face, &vertices) {
                continue;
            }
            has_area[t] = true;
            let smallest = (0..3).min_by_key(|&k| face[k]).unwrap_or(0);
            face.rotate_left(smallest);
            let mut key = face;
            key.sort_unstable();
            faces.push((key, face));
        }
        faces.sort_unstable();
        faces.dedup_by_key(|(key, _)| *key);

        let mut sets = DisjointSets::new(vertices.len());
        for (key, _) in &faces {
            sets.join(key[0], key[1]);
            sets.join(key[0], key[2]);
        }
        let mut shell_of_root: HashMap<u32, u32> = HashMap::new();
        let mut parts: Vec<(Vec<Vec3>, Vec<[u32; 3]>)> = Vec::new();
        let mut local = vec![u32::MAX; vertices.len()];
        for (key, face) in &faces {
            let root = sets.root(key[0]);
            let shell = *shell_of_root.entry(root).or_insert_with(|| {
                parts.push((Vec::new(), Vec::new()));
                parts.len() as u32 - 1
            });
            let (points, triangles) = &mut parts[shell as usize];
            triangles.push(face.map(|v| {
                let slot = &mut local[v as usize];
                if *slot == u32::MAX {
                    *slot = points.len() as u32;
                    points.push(vertices[v as usize]);
                }
                *slot
            }));
        }
        let shell_of_triangle = mesh
            .triangles()
            .iter()
            .zip(&has_area)
            .map(|(corners, &has_area)| {
                let root = sets.root(new_of_old[corners[0] as usize]);
                has_area
                    .then(|| shell_of_root.get(&root).copied())
                    .flatten()
            })
            .collect();
        let mut shells = Self {
            origin,
            size,
            list: Vec::with_capacity(parts.len()),
            shell_of_triangle,
        };
        let built = crate::parallel::map(parts, |(v, t)| build(&v, &t));
        if built.iter().all(|b| b.piece_of.is_none()) {
            shells.list = built.into_iter().flat_map(|b| b.shells).collect();
            return shells;
        }
        // Some were taken apart: where each triangle has gone.
        let first: Vec<u32> = built
            .iter()
            .scan(0, |n, b| {
                let first = *n;
                *n += b.shells.len() as u32;
                Some(first)
            })
            .collect();
        let mut n_seen = vec![0; built.len()];
        let shell_of_face: Vec<u32> = faces
            .iter()
            .map(|(key, _)| {
                let part = shell_of_root[&sets.root(key[0])] as usize;
                let place = n_seen[part];
                n_seen[part] += 1;
                let piece = built[part].piece_of.as_ref().map_or(0, |p| p[place]);
                first[part] + piece
            })
            .collect();
        for (shell, corners) in shells.shell_of_triangle.iter_mut().zip(mesh.triangles()) {
            let mut key = corners.map(|v| new_of_old[v as usize]);
            key.sort_unstable();
            let face = faces.binary_search_by_key(&key, |(key, _)| *key);
            if let (Some(shell), Ok(face)) = (shell, face) {
                *shell = shell_of_face[face];
            }
        }
        shells.list = built.into_iter().flat_map(|b| b.shells).collect();
        shells
    }
}

/// What triangles that hang together by vertices have become.
struct Built {
    shells: Vec<Shell>,
    /// Which of the shells each triangle is of, where there are several.
    piece_of: Option<Vec<u32>>,
}

fn build(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Built {
    let (whole, order) = Shell::new(vertices, triangles);
    let Some(pieces) = whole.pieces() else {
        return Built {
            shells: vec![whole],
            piece_of: None,
        };
    };
    let mut piece_of = vec![0; triangles.len()];
    for (&piece, &t) in pieces.iter().zip(&order) {
        piece_of[t as usize] = piece;
    }
    let n = pieces.iter().copied().max().map_or(0, |p| p as usize + 1);
    let mut members = vec![Vec::new(); n];
    for (t, &piece) in piece_of.iter().enumerate() {
        members[piece as usize].push(t as u32);
    }
    let shell = |own: &Vec<u32>| {
        let (vertices, triangles) = renumbered(vertices, triangles, own);
        Shell::new(&vertices, &triangles).0
    };
    Built {
        shells: members.iter().map(shell).collect(),
        piece_of: Some(piece_of),
    }
}

/// The triangles in the order of the tree, and the vertices as these use them: what a cut needs lies together.
fn renumbered(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    order: &[u32],
) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut new_of_old = vec![u32::MAX; vertices.len()];
    let mut moved = Vec::with_capacity(vertices.len());
    let triangles = order
        .iter()
        .map(|&t| {
            triangles[t as usize].map(|v| {
                let slot = &mut new_of_old[v as usize];
                if *slot == u32::MAX {
                    *slot = moved.len() as u32;
                    moved.push(vertices[v as usize]);
                }
                *slot
            })
        })
        .collect();
    (moved, triangles)
}

fn used_box(mesh: &TriMesh) -> Aabb {
    let mut aabb = Aabb::empty();
    for corners in mesh.triangles() {
        for &v in corners {
            aabb.grow(&mesh.vertices()[v as usize]);
        }
    }
    aabb
}

/// Vertices that are near each other become one: the one with the least coordinates. Returns them sorted, and the new
/// number of each old vertex.
fn weld(mesh: &TriMesh, origin: &Vec3, tolerance: f64) -> (Vec<Vec3>, Vec<u32>) {
    let points: Vec<Vec3> = mesh.vertices().iter().map(|v| v - origin).collect();
    let mut is_used = vec![false; points.len()];
    for corners in mesh.triangles() {
        for &v in corners {
            is_used[v as usize] = true;
        }
    }
    let mut order: Vec<(Vec3, u32)> = (0..points.len() as u32)
        .filter(|&v| is_used[v as usize])
        .map(|v| (points[v as usize], v))
        .collect();
    order.sort_unstable_by(|(p, _), (q, _)| {
        p.x.total_cmp(&q.x)
            .then(p.y.total_cmp(&q.y))
            .then(p.z.total_cmp(&q.z))
    });
    // Cells much wider than the tolerance: few points have to look into a neighbour.
    let width = 8.0 * tolerance;
    let cell_of = |p: Vec3| (p / width).map(|c| c.floor() as i64);
    // The last vertex of each cell, and for each vertex the one before it in its cell.
    let mut cells: HashMap<[i64; 3], u32, BuildCellHasher> =
        HashMap::with_capacity_and_hasher(order.len(), BuildCellHasher::default());
    let mut before: Vec<u32> = Vec::with_capacity(order.len());
    let mut vertices: Vec<Vec3> = Vec::with_capacity(order.len());
    let mut new_of_old = vec![u32::MAX; points.len()];
    for (p, old) in order {
        if vertices.last() == Some(&p) && !vertices.is_empty() {
            new_of_old[old as usize] = vertices.len() as u32 - 1;
            continue;
        }
        let low = cell_of(p - Vec3::repeat(tolerance));
        let high = cell_of(p + Vec3::repeat(tolerance));
        let mut found = None;
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                for z in low.z..=high.z {
                    let mut v = cells.get(&[x, y, z]).copied().unwrap_or(u32::MAX);
                    while v != u32::MAX {
                        if (vertices[v as usize] - p).norm_squared() <= tolerance * tolerance {
                            found = Some(found.map_or(v, |f: u32| f.min(v)));
                        }
                        v = before[v as usize];
                    }
                }
            }
        }
        new_of_old[old as usize] = found.unwrap_or_else(|| {
            let v = vertices.len() as u32;
            vertices.push(p);
            before.push(cells.insert(cell_of(p).into(), v).unwrap_or(u32::MAX));
            v
        });
    }
    (vertices, new_of_old)
}

fn is_degenerate(face: [u32; 3], vertices: &[Vec3]) -> bool {
    if face[0] == face[1] || face[1] == face[2] || face[0] == face[2] {
        return true;
    }
    let [a, b, c] = face.map(|v| vertices[v as usize]);
    let doubled_area = (b - a).cross(&(c - a)).norm();
    let longest_sq = (b - a)
        .norm_squared()
        .max((c - b).norm_squared())
        .max((a - c).norm_squared());
    !(doubled_area > DEGENERATE_RATIO * longest_sq)
}

/// Hashes a cell by multiplying and mixing its three numbers: the standard hasher is several times slower here.
#[derive(Clone, Default)]
struct CellHasher(u64);
type BuildCellHasher = std::hash::BuildHasherDefault<CellHasher>;

impl std::hash::Hasher for CellHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_i64(&mut self, value: i64) {
        self.write_u64(value as u64);
    }
}
