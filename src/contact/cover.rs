//! A shell for a body that moves: strands of capsules that cover its mesh.
//!
//! The box around the mesh is cut into columns along its longest side. What triangles take up of a column is covered by a
//! capsule along it, and capsules of neighbouring columns are strung together, so that a body is a few chains that touch
//! others as cables do. The capsules hold every point of the mesh: what keeps clear of them keeps clear of it. They stand
//! out from it by about half a column at most.

use crate::geom::{Aabb, Pose, Rotation, Vec3};

/// Capsules of a shell, at most.
pub const MOST_PIECES: usize = 96;
/// Radius of a capsule over half the diagonal of its column.
const ROUND: f64 = 1.15;
/// How far the shell is beyond what covers the mesh, over the same: room for nodes that go straight where the body turns.
const ROOM: f64 = 0.1;
/// Part of a shell's room that the arc of a node takes which goes straight.
const ARC: f64 = 0.5;
/// Empty stretch of a column over its width from which the capsule is in two.
const GAP: f64 = 4.0;

/// A mesh covered by capsules, in the mesh's own axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Cover {
    /// Chains of the capsules' middles, of at least three nodes each, mm.
    pub strands: Vec<Vec<Vec3>>,
    /// Radius of all capsules, mm.
    pub radius: f64,
    /// How far inside the shell the mesh is at least, mm.
    pub room: f64,
}

/// A capsule along a column: place of the column, and from where to where.
struct Piece {
    column: [usize; 2],
    span: [f64; 2],
}

/// The columns of a box.
struct Grid {
    /// Takes the box's axes, the columns along z, to the mesh's.
    axes: Rotation,
    min: Vec3,
    cell: [f64; 2],
    number: [usize; 2],
    height: f64,
    n_bins: usize,
}

/// How far a body may turn at once whose shell has that room, where a node that far from what it turns about goes straight.
pub fn most_turn(room: f64, arm: f64) -> f64 {
    (8.0 * ARC * room / arm).sqrt()
}

/// Covers triangles, given by their corners; `None` where there are none.
pub fn cover(corners: &[[Vec3; 3]]) -> Option<Cover> {
    let (axes, aabb) = best_axes(corners)?;
    let size = aabb.max - aabb.min;
    let longest = size.z.max(1e-3);
    // Of the columns of a solid the outer ones have one piece and the inner ones two.
    let mut width = (size.x * size.y / MOST_PIECES as f64)
        .sqrt()
        .max(size.x.max(size.y) / MOST_PIECES as f64)
        .max(1e-2 * longest);
    loop {
        let grid = Grid::new(axes, &aabb, width);
        let pieces = grid.pieces(corners);
        if pieces.len() <= MOST_PIECES || grid.number == [1, 1] {
            return Some(grid.string(&pieces));
        }
        width *= 1.2;
    }
}

/// The axes of the smaller box: those of the mesh, or those in which its corners spread most and least. The longest side is
/// along z.
fn best_axes(corners: &[[Vec3; 3]]) -> Option<(Rotation, Aabb)> {
    let n = 3 * corners.len();
    if n == 0 {
        return None;
    }
    let points = || corners.iter().flatten();
    let middle = points().sum::<Vec3>() / n as f64;
    let spread = points().fold(nalgebra::Matrix3::zeros(), |sum, p| {
        let off = p - middle;
        sum + off * off.transpose()
    });
    let own = spread.symmetric_eigen().eigenvectors;
    let (x, y) = (own.column(0).into_owned(), own.column(1).into_owned());
    let turned = nalgebra::Matrix3::from_columns(&[x, y, x.cross(&y)]);
    let turned = Rotation::from_matrix(&turned);
    let boxed = |axes: Rotation| {
        let mut aabb = Aabb::empty();
        points().for_each(|p| aabb.grow(&(axes.inverse() * p)));
        (axes, aabb)
    };
    let volume = |aabb: &Aabb| {
        let size = aabb.max - aabb.min;
        size.x * size.y * size.z
    };
    let (plain, along) = (boxed(Rotation::identity()), boxed(turned));
    let (axes, aabb) = if volume(&along.1) < 0.9 * volume(&plain.1) {
        along
    } else {
        plain
    };
    let third = Rotation::from_axis_angle(
        &nalgebra::Unit::new_normalize(Vec3::repeat(1.0)),
        std::f64::consts::TAU / 3.0,
    );
    // Its columns are z, x, y in turn.
    let turns = match (aabb.max - aabb.min).imax() {
        0 => third,
        1 => third * third,
        _ => Rotation::identity(),
    };
    Some(boxed(axes * turns))
}

impl Grid {
    fn new(axes: Rotation, aabb: &Aabb, width: f64) -> Self {
        let size = aabb.max - aabb.min;
        let number = [size.x, size.y].map(|s| ((s / width).ceil() as usize).max(1));
        let cell = [size.x / number[0] as f64, size.y / number[1] as f64];
        let thick = cell[0].max(cell[1]).max(1e-3 * size.z).max(1e-6);
        Self {
            axes,
            min: aabb.min,
            cell,
            number,
            height: size.z,
            n_bins: ((size.z / thick).ceil() as usize).clamp(1, 4096),
        }
    }

    /// Half the diagonal of a column.
    fn half(&self) -> f64 {
        let half = 0.5 * self.cell[0].hypot(self.cell[1]);
        half.max(0.01 * self.height).max(1e-3)
    }

    /// What the triangles take up of each column.
    fn pieces(&self, corners: &[[Vec3; 3]]) -> Vec<Piece> {
        let [nx, ny] = self.number;
        let empty = [f64::INFINITY, f64::NEG_INFINITY];
        let mut bins = vec![empty; nx * ny * self.n_bins];
        let bin = self.height / self.n_bins as f64;
        for triangle in corners {
            let local = triangle.map(|p| self.axes.inverse() * p - self.min);
            let range = |k: usize| {
                let (low, high) = extent(&local, k);
                let at = |x: f64| {
                    let cells = if self.cell[k] > 0.0 {
                        x / self.cell[k]
                    } else {
                        0.0
                    };
                    (cells.max(0.0) as usize).min(self.number[k] - 1)
                };
                // Rounding may put what lies on a border to either side.
                let edge = 1e-9 * self.cell[k];
                at(low - edge)..=at(high + edge)
            };
            for i in range(0) {
                let strip = clipped(&local, 0, self.slab(0, i));
                for j in range(1) {
                    let inside = clipped(&strip, 1, self.slab(1, j));
                    if inside.is_empty() {
                        continue;
                    }
                    let (low, high) = extent(&inside, 2);
                    let number = |z: f64| ((z / bin).max(0.0) as usize).min(self.n_bins - 1);
                    for b in number(low)..=number(high) {
                        let span = &mut bins[(i * ny + j) * self.n_bins + b];
                        span[0] = span[0].min(low.max(b as f64 * bin));
                        span[1] = span[1].max(high.min((b + 1) as f64 * bin));
                    }
                }
            }
        }
        let gap = GAP * 2.0 * self.half();
        let mut pieces: Vec<Piece> = Vec::new();
        for i in 0..nx {
            // Back and forth, so that each is beside the last.
            for j in 0..ny {
                let column = [i, if i % 2 == 0 { j } else { ny - 1 - j }];
                let first = (column[0] * ny + column[1]) * self.n_bins;
                let mut open: Option<Piece> = None;
                for span in bins[first..first + self.n_bins]
                    .iter()
                    .filter(|s| s[0] <= s[1])
                {
                    match &mut open {
                        Some(piece) if span[0] - piece.span[1] < gap => piece.span[1] = span[1],
                        _ => {
                            let span = *span;
                            pieces.extend(open.replace(Piece { column, span }));
                        }
                    }
                }
                pieces.extend(open);
            }
        }
        pieces
    }

    fn slab(&self, k: usize, i: usize) -> [f64; 2] {
        let edge = 1e-9 * self.cell[k];
        [
            i as f64 * self.cell[k] - edge,
            (i + 1) as f64 * self.cell[k] + edge,
        ]
    }

    /// Strings the capsules of neighbouring columns together.
    fn string(&self, pieces: &[Piece]) -> Cover {
        let half = self.half();
        let round = ROUND * half;
        // A capsule's end is a ball, which has to hold the corners of the column's end.
        let back = (round * round - half * half).sqrt();
        let place = |column: [usize; 2], z: f64| {
            let x = (column[0] as f64 + 0.5) * self.cell[0];
            let y = (column[1] as f64 + 0.5) * self.cell[1];
            self.axes * (self.min + Vec3::new(x, y, z))
        };
        let near = 1.5 * self.cell[0].max(self.cell[1]) + back;
        let mut strands: Vec<Vec<Vec3>> = Vec::new();
        let mut left: Vec<&Piece> = pieces.iter().collect();
        while !left.is_empty() {
            let last = strands.last().and_then(|s| s.last()).copied();
            let ends = |piece: &Piece| {
                let middle = 0.5 * (piece.span[0] + piece.span[1]);
                let reach = (0.5 * (piece.span[1] - piece.span[0]) - back).max(0.05 * round);
                [middle - reach, middle + reach].map(|z| place(piece.column, z))
            };
            // The nearest that is left, by either end.
            let next = last.and_then(|from| {
                let all = left.iter().enumerate();
                let way = |(k, piece): (usize, &&Piece)| {
                    let [a, b] = ends(piece).map(|p| (p - from).norm());
                    (k, b < a, a.min(b))
                };
                let nearest = all.map(way).min_by(|a, b| a.2.total_cmp(&b.2))?;
                (nearest.2 <= near).then_some(nearest)
            });
            if let Some((k, turned, _)) = next {
                let mut both = ends(left.remove(k));
                if turned {
                    both.reverse();
                }
                if let Some(strand) = strands.last_mut() {
                    strand.extend(both);
                }
            } else {
                strands.push(ends(left.remove(0)).to_vec());
            }
        }
        for strand in strands.iter_mut().filter(|s| s.len() < 3) {
            strand.insert(1, (strand[0] + strand[1]) * 0.5);
        }
        Cover {
            strands,
            radius: round + ROOM * half,
            room: ROOM * half,
        }
    }
}

impl Cover {
    /// The same shell with the mesh somewhere else.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Self {
        let moved = |strand: &Vec<Vec3>| strand.iter().map(|p| pose.transform(p)).collect();
        Self {
            strands: self.strands.iter().map(moved).collect(),
            ..*self
        }
    }
}

fn extent(points: &[Vec3], k: usize) -> (f64, f64) {
    let all = points.iter().map(|p| p[k]);
    let low = all.clone().fold(f64::INFINITY, f64::min);
    (low, all.fold(f64::NEG_INFINITY, f64::max))
}

/// What is left of a convex polygon between two planes across an axis.
fn clipped(polygon: &[Vec3], axis: usize, [low, high]: [f64; 2]) -> Vec<Vec3> {
    let mut left = polygon.to_vec();
    for (limit, sign) in [(low, 1.0), (high, -1.0)] {
        let beyond = |p: &Vec3| sign * (p[axis] - limit);
        let mut next = Vec::with_capacity(left.len() + 1);
        for k in 0..left.len() {
            let (a, b) = (left[k], left[(k + 1) % left.len()]);
            let (da, db) = (beyond(&a), beyond(&b));
            if da >= 0.0 {
                next.push(a);
            }
            if (da >= 0.0) != (db >= 0.0) {
                next.push(a.lerp(&b, da / (da - db)));
            }
        }
        left = next;
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Obstacle;
    use crate::contact::distance::segment_segment;
    use crate::mesh::{TriMesh, primitives};

    fn meshes() -> Vec<(&'static str, TriMesh)> {
        let block = primitives::cuboid(&Aabb {
            min: Vec3::new(-20.0, -6.0, -10.0),
            max: Vec3::new(20.0, 6.0, 10.0),
        });
        let turned = Pose {
            position: Vec3::new(5.0, 300.0, -80.0),
            rotation: Rotation::from_scaled_axis(Vec3::new(0.5, 0.7, -0.3)),
        };
        let moved = block
            .vertices()
            .iter()
            .map(|v| turned.transform(v))
            .collect();
        let moved = TriMesh::new(moved, block.triangles().to_vec()).unwrap();
        let axis = Vec3::new(0.0, 60.0, 20.0);
        vec![
            ("block", block),
            ("turned", moved),
            (
                "rod",
                primitives::cylinder(&Vec3::zeros(), &axis, 7.0, 24, 5),
            ),
        ]
    }

    fn inside(cover: &Cover, p: &Vec3) -> f64 {
        let distance = |edge: &[Vec3]| {
            let near = segment_segment(p, &(p + Vec3::repeat(1e-12)), &edge[0], &edge[1]);
            (edge[0].lerp(&edge[1], near.t) - p).norm()
        };
        let edges = cover.strands.iter().flat_map(|s| s.windows(2));
        cover.radius - edges.map(distance).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_shell_holds_its_mesh_and_is_near_it() {
        for (name, mesh) in meshes() {
            let cover = Obstacle::new(&mesh).cover().unwrap();
            let edges: usize = cover.strands.iter().map(|s| s.len() - 1).sum();
            assert!(edges <= 2 * MOST_PIECES, "{name}: {edges}");
            assert!(cover.strands.iter().all(|s| s.len() >= 3));
            let mut rng = fastrand::Rng::with_seed(3);
            for triangle in mesh.triangles() {
                let [a, b, c] = triangle.map(|v| mesh.vertices()[v as usize]);
                for _ in 0..40 {
                    let (s, t) = (rng.f64(), rng.f64());
                    let (s, t) = if s + t > 1.0 {
                        (1.0 - s, 1.0 - t)
                    } else {
                        (s, t)
                    };
                    let p = a + (b - a) * s + (c - a) * t;
                    let depth = inside(&cover, &p);
                    assert!(depth > 0.99 * cover.room, "{name}: {depth} at {p:?}");
                }
            }
            // Every point of the shell is near the mesh: no farther than a capsule is wide.
            let obstacle = Obstacle::new(&mesh);
            let room = 2.0 * cover.radius;
            let reach = obstacle.aabb().inflated(room);
            for p in cover.strands.iter().flatten() {
                let own = Aabb::of_points([p]).inflated(cover.radius);
                assert!(reach.min.inf(&own.min) == reach.min, "{name}");
                assert!(reach.max.sup(&own.max) == reach.max, "{name}");
            }
        }
    }

    #[test]
    fn a_ring_stays_open() {
        // A cylinder without its ends: nothing covers its middle.
        let tube = primitives::cylinder(&Vec3::zeros(), &(Vec3::z() * 60.0), 25.0, 32, 4);
        let open = tube.triangles().iter().copied().filter(|t| {
            let [a, b, c] = t.map(|v| tube.vertices()[v as usize]);
            (b - a).cross(&(c - a)).normalize().z.abs() < 0.5
        });
        let tube = TriMesh::new(tube.vertices().to_vec(), open.collect()).unwrap();
        let cover = Obstacle::new(&tube).cover().unwrap();
        for z in [0.0, 30.0, 60.0] {
            let depth = inside(&cover, &(Vec3::z() * z));
            assert!(depth < -8.0, "{depth}");
        }
    }
}
