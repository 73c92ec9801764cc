//! The room that a cable sweeps: the surface round all of its shapes on a path.

use std::collections::HashMap;

use super::Sample;
use crate::geom::{Aabb, Vec3};

/// Cells across the radius of the cable.
const FINENESS: f64 = 3.0;
/// Cells of the grid, at most: a long way is swept more coarsely.
const MOST_CELLS: f64 = 12e6;
/// Way of a node between two shapes that are put into the grid, over the size of a cell.
const STRIDE: f64 = 1.0;
/// Shapes between two samples, at most.
const MOST_STRIDES: f64 = 200.0;

/// A closed surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// Name of the cable.
    pub cable: String,
    /// Corners, mm.
    pub vertices: Vec<Vec3>,
    /// Counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Size of the cells that it was made with, mm: its corners are no farther from the swept room than a fraction of it.
    pub cell: f64,
}

/// Distances from the swept centerline on a grid, less by what the cable is thicker there than where it is thinnest.
struct Grid {
    origin: Vec3,
    cell: f64,
    n: [usize; 3],
    distance: Vec<f32>,
}

/// The envelope of cable number `k` over the samples, with the radii of its edges; `None` where there is nothing to sweep.
pub fn envelope(samples: &[Sample], k: usize, cable: &str, radii: &[f64]) -> Option<Envelope> {
    let radius = radii.iter().copied().reduce(f64::min)?;
    let thickest = radii.iter().copied().fold(radius, f64::max);
    let shapes: Vec<&[Vec3]> = samples.iter().map(|s| &s.cables[k].points[..]).collect();
    let aabb = Aabb::of_points(shapes.iter().copied().flatten());
    let extent = aabb.max - aabb.min;
    if shapes.is_empty() || !extent.iter().all(|e| e.is_finite()) {
        return None;
    }
    let mut cell = radius / FINENESS;
    let cells = |cell: f64| {
        extent
            .iter()
            .map(|e| (e + 2.0 * thickest) / cell + 6.0)
            .product::<f64>()
    };
    while cells(cell) > MOST_CELLS {
        cell *= 1.25;
    }
    let room = Vec3::repeat(thickest + 2.0 * cell);
    let n: [usize; 3] = [0, 1, 2].map(|i| ((extent[i] + 2.0 * room[i]) / cell).ceil() as usize + 2);
    let mut grid = Grid {
        origin: aabb.min - room,
        cell,
        n,
        distance: vec![f32::MAX; n[0] * n[1] * n[2]],
    };
    let mut put = |points: &[Vec3]| {
        for (i, edge) in points.windows(2).enumerate() {
            let own = radii.get(i).copied().unwrap_or(radius);
            grid.put([&edge[0], &edge[1]], own - radius, own + 1.8 * cell);
        }
    };
    put(shapes[0]);
    for pair in shapes.windows(2) {
        let moves = pair[0].iter().zip(pair[1]).map(|(a, b)| (a - b).norm());
        let most = moves.fold(0.0, f64::max);
        let strides = (most / (STRIDE * cell)).ceil().clamp(1.0, MOST_STRIDES) as usize;
        for j in 1..=strides {
            let t = j as f64 / strides as f64;
            let shape = pair[0].iter().zip(pair[1]).map(|(a, b)| a.lerp(b, t));
            put(&shape.collect::<Vec<Vec3>>());
        }
    }
    let (vertices, triangles) = grid.surface(radius);
    Some(Envelope {
        cable: cable.to_owned(),
        vertices,
        triangles,
        cell,
    })
}

impl Grid {
    fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.n[1] + j) * self.n[2] + k
    }

    fn point(&self, [i, j, k]: [usize; 3]) -> Vec3 {
        self.origin + Vec3::new(i as f64, j as f64, k as f64) * self.cell
    }

    /// Puts an edge of the centerline in: corners within `reach` of it learn how far it is, less by what it is thicker.
    fn put(&mut self, [a, b]: [&Vec3; 2], thicker: f64, reach: f64) {
        let low = (a.inf(b) - self.origin - Vec3::repeat(reach)) / self.cell;
        let high = (a.sup(b) - self.origin + Vec3::repeat(reach)) / self.cell;
        let range = |axis: usize| {
            let from = low[axis].ceil().max(0.0) as usize;
            let to = (high[axis].floor().max(0.0) as usize).min(self.n[axis] - 1);
            from..=to
        };
        let (d, squared) = (b - a, (b - a).norm_squared().max(f64::MIN_POSITIVE));
        for i in range(0) {
            for j in range(1) {
                for k in range(2) {
                    let p = self.point([i, j, k]);
                    let t = ((p - a).dot(&d) / squared).clamp(0.0, 1.0);
                    let distance = ((p - a - d * t).norm() - thicker) as f32;
                    let index = self.index([i, j, k]);
                    self.distance[index] = self.distance[index].min(distance);
                }
            }
        }
    }

    /// The surface at that distance: each cell in six tetrahedra, of which each has one or two triangles. It is closed,
    /// because neighbours cut their common faces alike.
    fn surface(&self, radius: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        // Corner numbers have x, y, z as bits; all six go round the diagonal from 0 to 7.
        const TETRAHEDRA: [[usize; 4]; 6] = [
            [0, 1, 3, 7],
            [0, 3, 2, 7],
            [0, 2, 6, 7],
            [0, 6, 4, 7],
            [0, 4, 5, 7],
            [0, 5, 1, 7],
        ];
        let mut surface = Surface {
            grid: self,
            radius,
            corner_of: HashMap::new(),
            vertices: Vec::new(),
            triangles: Vec::new(),
        };
        for i in 0..self.n[0] - 1 {
            for j in 0..self.n[1] - 1 {
                for k in 0..self.n[2] - 1 {
                    let at = |c: usize| [i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1)];
                    let inside = |c: usize| f64::from(self.distance[self.index(at(c))]) < radius;
                    let count = (0..8).filter(|&c| inside(c)).count();
                    if count == 0 || count == 8 {
                        continue;
                    }
                    for tetrahedron in TETRAHEDRA {
                        surface.cut(tetrahedron.map(at));
                    }
                }
            }
        }
        (surface.vertices, surface.triangles)
    }
}

struct Surface<'a> {
    grid: &'a Grid,
    radius: f64,
    /// Of the two ends of an edge of the grid, the smaller first.
    corner_of: HashMap<(usize, usize), u32>,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Surface<'_> {
    /// Distance from the surface; the grid knows nothing of what is far outside.
    fn value(&self, corner: [usize; 3]) -> f64 {
        let distance = f64::from(self.grid.distance[self.grid.index(corner)]);
        distance.min(self.radius + 2.0 * self.grid.cell) - self.radius
    }

    /// The corner of the surface on an edge of the grid.
    fn corner(&mut self, a: [usize; 3], b: [usize; 3]) -> u32 {
        let (i, j) = (self.grid.index(a), self.grid.index(b));
        let (key, a, b) = if i < j {
            ((i, j), a, b)
        } else {
            ((j, i), b, a)
        };
        if let Some(&known) = self.corner_of.get(&key) {
            return known;
        }
        let (va, vb) = (self.value(a), self.value(b));
        // Not into a corner of the grid: triangles without area are no use to anybody.
        let t = (va / (va - vb)).clamp(0.02, 0.98);
        let place = self.grid.point(a).lerp(&self.grid.point(b), t);
        let number = self.vertices.len() as u32;
        self.vertices.push(place);
        self.corner_of.insert(key, number);
        number
    }

    fn cut(&mut self, corners: [[usize; 3]; 4]) {
        let is_inside = corners.map(|c| self.value(c) < 0.0);
        let pick = |wanted: bool| -> Vec<[usize; 3]> {
            let all = corners.iter().zip(is_inside);
            all.filter(|(_, inside)| *inside == wanted)
                .map(|(c, _)| *c)
                .collect()
        };
        let (inside, outside) = (pick(true), pick(false));
        match (&inside[..], &outside[..]) {
            ([a], [b, c, d]) | ([b, c, d], [a]) => {
                let triangle = [*b, *c, *d].map(|o| self.corner(*a, o));
                self.push(triangle, &inside, &outside);
            }
            ([a, b], [c, d]) => {
                let [ac, ad] = [*c, *d].map(|o| self.corner(*a, o));
                let [bc, bd] = [*c, *d].map(|o| self.corner(*b, o));
                self.push([ac, ad, bd], &inside, &outside);
                self.push([ac, bd, bc], &inside, &outside);
            }
            _ => {}
        }
    }

    /// Adds a triangle that looks from inside to outside.
    fn push(&mut self, [a, b, c]: [u32; 3], inside: &[[usize; 3]], outside: &[[usize; 3]]) {
        let middle = |corners: &[[usize; 3]]| -> Vec3 {
            let sum: Vec3 = corners.iter().map(|c| self.grid.point(*c)).sum();
            sum / corners.len() as f64
        };
        let out = middle(outside) - middle(inside);
        let [p, q, r] = [a, b, c].map(|v| self.vertices[v as usize]);
        let faces_out = (q - p).cross(&(r - p)).dot(&out) >= 0.0;
        self.triangles
            .push(if faces_out { [a, b, c] } else { [a, c, b] });
    }
}
