//! Makes one vertex of those that lie closer than rounding can tell.

use super::TriMesh;
use crate::geom::{Aabb, Vec3};

/// Cells are this many weld distances wide: few enough vertices fit into one that none takes long to search, and
/// most balls of the weld distance lie in one cell.
const CELL_WIDTH: f64 = 8.0;
/// Two roundings of one coordinate to `f32` differ by at most this part of it; four of them for the diagonal of
/// three axes and a computation in between.
const ROUNDING: f64 = 4.0 / (1 << 23) as f64;

/// The distance up to which vertices are one: `relative` times the diagonal of their box, but not less than
/// what rounding to `f32` makes of the largest coordinate. Zero when `relative` is: only equal vertices are one.
pub fn weld_distance(aabb: &Aabb, relative: f64) -> f64 {
    if !(relative > 0.0) || aabb.is_empty() {
        return 0.0;
    }
    let largest = aabb.min.amax().max(aabb.max.amax());
    (relative * aabb.diagonal()).max(ROUNDING * largest)
}

/// The mesh with vertices up to `distance` apart made one; triangles that collapse are left out.
///
/// `None` when no triangle is left.
pub fn welded(mesh: &TriMesh, distance: f64) -> Option<TriMesh> {
    let mut vertices = mesh.vertices().to_vec();
    let new_number = weld(&mut vertices, distance, |_| Fate::Joined);
    let triangles = mesh
        .triangles()
        .iter()
        .map(|t| t.map(|v| new_number[v as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    TriMesh::new(vertices, triangles).ok()
}

/// Makes one of the vertices with equal coordinates; returns the new number of each. They keep their order.
pub fn merge_equal(vertices: &mut Vec<Vec3>) -> Vec<u32> {
    weld(vertices, 0.0, |_| Fate::Joined)
}

/// What becomes of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is left out.
    Dropped,
    /// It stays as it is; no other becomes one with it.
    Alone,
    /// It becomes one with an earlier one of this kind, where there is one near.
    Joined,
}

/// Makes one of the vertices that lie within `distance`; returns the new number of each, `u32::MAX` for those left
/// out. Those that stay keep their order.
pub(super) fn weld(
    vertices: &mut Vec<Vec3>,
    distance: f64,
    fate: impl Fn(usize) -> Fate,
) -> Vec<u32> {
    let n_joined = (0..vertices.len())
        .filter(|&i| fate(i) == Fate::Joined)
        .count();
    let mut grid = Grid::new(n_joined, distance);
    let mut n_kept = 0;
    let mut new_number = vec![u32::MAX; vertices.len()];
    for i in 0..vertices.len() {
        // -0 + 0 = +0: the two zeros are one place.
        let p = vertices[i].add_scalar(0.0);
        let fate = fate(i);
        let near = match fate {
            Fate::Dropped => continue,
            Fate::Alone => None,
            Fate::Joined => grid.find(&vertices[..n_kept], &p),
        };
        new_number[i] = near.unwrap_or_else(|| {
            vertices[n_kept] = p;
            if fate == Fate::Joined {
                grid.insert(n_kept as u32, &p);
            }
            n_kept += 1;
            n_kept as u32 - 1
        });
    }
    vertices.truncate(n_kept);
    vertices.shrink_to_fit();
    new_number
}

/// Vertices by the cell of a grid that they are in, as a hash table with open addressing.
///
/// A vertex stands in the first free slot from that of its cell on, so that the search of a cell ends at a free one.
struct Grid {
    slots: Vec<u32>,
    distance: f64,
    /// One over the width of a cell; 0 where only equal places are one.
    cells_per_mm: f64,
}

const FREE: u32 = u32::MAX;

impl Grid {
    fn new(n_vertices: usize, distance: f64) -> Self {
        // At most half full at first sight; a mesh whose vertices were not shared fills a twelfth.
        let n_slots = (n_vertices * 3 / 2 + 1).next_power_of_two();
        let is_exact = !(distance > 0.0);
        Self {
            slots: vec![FREE; n_slots],
            distance: if is_exact { 0.0 } else { distance },
            cells_per_mm: if is_exact {
                0.0
            } else {
                1.0 / (CELL_WIDTH * distance)
            },
        }
    }

    /// The nearest of `kept` within the distance of `p`.
    fn find(&self, kept: &[Vec3], p: &Vec3) -> Option<u32> {
        if self.cells_per_mm == 0.0 {
            return self.in_cell(self.cell(p)).find(|&i| kept[i as usize] == *p);
        }
        let low = self.cell(&p.add_scalar(-self.distance));
        let high = self.cell(&p.add_scalar(self.distance));
        let mut best = None;
        let mut best_sq = self.distance * self.distance;
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    for i in self.in_cell([x, y, z]) {
                        let distance_sq = (kept[i as usize] - p).norm_squared();
                        if distance_sq == 0.0 {
                            return Some(i);
                        }
                        if distance_sq < best_sq || distance_sq == best_sq && best.is_none() {
                            best = Some(i);
                            best_sq = distance_sq;
                        }
                    }
                }
            }
        }
        best
    }

    /// All in a cell, and whatever else stands in the way.
    fn in_cell(&self, cell: [i64; 3]) -> impl Iterator<Item = u32> + '_ {
        let mask = self.slots.len() - 1;
        let start = self.start(cell);
        (start..start + self.slots.len())
            .map(move |k| self.slots[k & mask])
            .take_while(|&i| i != FREE)
    }

    /// There is always room: the table has more slots than there are vertices.
    fn insert(&mut self, i: u32, p: &Vec3) {
        let mask = self.slots.len() - 1;
        let mut k = self.start(self.cell(p));
        while self.slots[k & mask] != FREE {
            k += 1;
        }
        self.slots[k & mask] = i;
    }

    fn cell(&self, p: &Vec3) -> [i64; 3] {
        if self.cells_per_mm == 0.0 {
            return [p.x, p.y, p.z].map(|c| c.to_bits() as i64);
        }
        [p.x, p.y, p.z].map(|c| (c * self.cells_per_mm).floor() as i64)
    }

    fn start(&self, cell: [i64; 3]) -> usize {
        hash(cell.map(|c| c as u64)) as usize & (self.slots.len() - 1)
    }
}

/// Three words mixed into one, so that neighbours are far apart (constants of MurmurHash3's finalizer).
pub(super) fn hash(words: [u64; 3]) -> u64 {
    words.into_iter().fold(0, |mut h, word| {
        h = (h ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        h ^ (h >> 32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::primitives::cylinder;

    /// The mesh as a soup, each corner moved by up to `jitter` along each axis.
    fn soup(mesh: &TriMesh, jitter: f64, random: &mut fastrand::Rng) -> TriMesh {
        let n = mesh.triangles().len() as u32;
        let corners = (0..n as usize).flat_map(|t| mesh.corners(t));
        let vertices = corners
            .map(|p| p.map(|c| c + jitter * (2.0 * random.f64() - 1.0)))
            .collect();
        TriMesh::new(
            vertices,
            (0..n).map(|t| [0, 1, 2].map(|k| 3 * t + k)).collect(),
        )
        .unwrap()
    }

    #[test]
    fn a_jittered_soup_becomes_the_mesh_it_was() {
        let mut random = fastrand::Rng::with_seed(1);
        let axis = Vec3::new(30.0, -40.0, 1000.0);
        let rod = cylinder(&Vec3::new(-3.0, 4.0, 0.0), &axis, 5.0, 17, 40);
        let loose = soup(&rod, 2e-4, &mut random);
        // Corners of one vertex are up to 4e-4 sqrt(3) apart, and a chain of them up to twice as far.
        let tight = welded(&loose, 2e-3).unwrap();
        assert_eq!(tight.vertices().len(), rod.vertices().len());
        assert_eq!(tight.triangles().len(), rod.triangles().len());
        // Nothing is within 1e-9: all stay apart.
        let apart = welded(&loose, 1e-9).unwrap();
        assert_eq!(apart.vertices().len(), 3 * rod.triangles().len());
        let exact = welded(&soup(&rod, 0.0, &mut random), 0.0).unwrap();
        assert_eq!(exact.vertices().len(), rod.vertices().len());
    }

    #[test]
    fn the_grid_agrees_with_trying_all() {
        let mut random = fastrand::Rng::with_seed(2);
        for distance in [0.01, 0.05, 0.2] {
            let points: Vec<Vec3> = (0..400)
                .map(|_| Vec3::from_fn(|_, _| random.f64() - 0.5))
                .collect();
            let mut kept: Vec<Vec3> = Vec::new();
            let expected: Vec<u32> = points
                .iter()
                .map(|p| {
                    let near = (0..kept.len())
                        .filter(|&i| (kept[i] - p).norm() <= distance)
                        .min_by(|&i, &j| (kept[i] - p).norm().total_cmp(&(kept[j] - p).norm()));
                    near.unwrap_or_else(|| {
                        kept.push(*p);
                        kept.len() - 1
                    }) as u32
                })
                .collect();
            let mut vertices = points;
            assert_eq!(weld(&mut vertices, distance, |_| Fate::Joined), expected);
            assert_eq!(vertices, kept);
        }
    }

    #[test]
    fn many_vertices_in_one_cell_are_no_trouble() {
        // One far vertex makes the distance large against everything else.
        let mut random = fastrand::Rng::with_seed(3);
        let mut vertices: Vec<Vec3> = (0..100_000)
            .map(|_| Vec3::from_fn(|_, _| 8.0 * random.f64()))
            .collect();
        weld(&mut vertices, 1.0, |_| Fate::Joined);
        assert!(vertices.len() < 2000, "{}", vertices.len());
    }

    #[test]
    fn only_vertices_that_may_are_joined() {
        let mut vertices = vec![Vec3::zeros(); 6];
        let fates = [
            Fate::Alone,
            Fate::Joined,
            Fate::Dropped,
            Fate::Joined,
            Fate::Alone,
            Fate::Joined,
        ];
        let numbers = weld(&mut vertices, 1.0, |i| fates[i]);
        assert_eq!(numbers, [0, 1, u32::MAX, 1, 2, 1]);
        assert_eq!(vertices.len(), 3);
    }

    #[test]
    fn the_distance_follows_size_and_place() {
        let at = |x: f64| Aabb {
            min: Vec3::new(x, 0.0, 0.0),
            max: Vec3::new(x + 3.0, 4.0, 0.0),
        };
        assert!((weld_distance(&at(0.0), 1e-6) - 5e-6).abs() < 1e-12);
        // Far from the origin, two neighbouring numbers of 32 bits are 0.5 apart in 2^23 m.
        assert!(weld_distance(&at(8_388_608.0), 1e-6) > 1.0);
        assert_eq!(weld_distance(&at(8_388_608.0), 0.0), 0.0);
        assert_eq!(weld_distance(&Aabb::empty(), 1e-6), 0.0);
    }
}
