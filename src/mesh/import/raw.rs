//! What the readers find, before it is cleaned.

use super::error::Place;
use super::report::BrepReport;
use super::triangulate::{Cut, triangulate};
use super::{Color, ImportError};
use crate::geom::{MAX_COORDINATE, Vec3};
use crate::mesh::Axis;
use crate::mesh::weld::hash;

/// A part as a reader finds it, in the space of its file.
#[derive(Default)]
pub struct RawPart {
    /// As the file has it; may be empty or taken.
    pub name: String,
    /// Names of what it is in, from the outside, and its own; may be empty.
    pub path: Vec<String>,
    /// Its colour, when the file has one for all of it.
    pub color: Option<Color>,
    /// Vertices.
    pub vertices: Vec<Vec3>,
    /// Triangles by vertex; all numbers are in range.
    pub triangles: Vec<[u32; 3]>,
    /// Vertices in the file, where the reader has already made one of several.
    pub n_vertices_read: Option<usize>,
    /// Polygons that could not be cut without overlap.
    pub n_crossed: usize,
    /// Axes of its round faces, where it has exact ones.
    pub axes: Vec<Axis>,
    /// What it was tessellated from, if it was.
    pub brep: Option<BrepReport>,
}

impl RawPart {
    /// A part without triangles, at the top.
    pub fn new(name: String) -> Self {
        Self {
            path: vec![name.clone()],
            name,
            ..Self::default()
        }
    }

    /// Takes a polygon by its vertex numbers, which are in range; `corner` finds a vertex.
    pub fn push_polygon(
        &mut self,
        polygon: &[u32],
        corner: impl Fn(u32) -> Vec3,
        scratch: &mut Scratch,
    ) {
        match *polygon {
            [a, b, c] => self.triangles.push([a, b, c]),
            [] | [_] | [_, _] => {}
            _ => {
                scratch.corners.clear();
                scratch.corners.extend(polygon.iter().map(|&i| corner(i)));
                triangulate(&scratch.corners, &mut scratch.cut);
                self.n_crossed += usize::from(scratch.cut.is_crossed);
                let cut = scratch.cut.triangles.iter();
                self.triangles.extend(cut.map(|t| t.map(|i| polygon[i])));
            }
        }
    }
}

/// Room to cut polygons in.
#[derive(Default)]
pub struct Scratch {
    corners: Vec<Vec3>,
    cut: Cut,
}

/// Triangles that come by their corners: corners of the same coordinates are made one as they come, to save room.
pub struct Soup {
    /// The part so far.
    pub part: RawPart,
    /// Vertex numbers by the hash of their place; `FREE` where there is none.
    slots: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl Soup {
    /// No triangles yet.
    pub fn new(name: String) -> Self {
        Self {
            part: RawPart::new(name),
            slots: vec![FREE; 64],
        }
    }

    /// Takes a triangle.
    pub fn push(&mut self, corners: [Vec3; 3]) {
        let triangle = corners.map(|p| self.vertex(p));
        self.part.triangles.push(triangle);
    }

    /// The part.
    pub fn finish(mut self) -> RawPart {
        self.part.n_vertices_read = Some(3 * self.part.triangles.len());
        self.part
    }

    fn vertex(&mut self, p: Vec3) -> u32 {
        let vertices = &self.part.vertices;
        let mask = self.slots.len() - 1;
        let mut k = start(&p) & mask;
        loop {
            match self.slots[k] {
                FREE => break,
                i if vertices[i as usize] == p => return i,
                _ => k = (k + 1) & mask,
            }
        }
        // The size limit of a file keeps this within 32 bits.
        let i = vertices.len() as u32;
        self.slots[k] = i;
        self.part.vertices.push(p);
        // At most two thirds full.
        if self.part.vertices.len() * 3 > self.slots.len() * 2 {
            self.grow();
        }
        i
    }

    fn grow(&mut self) {
        let n_slots = 2 * self.slots.len();
        let mask = n_slots - 1;
        // The old ones first go, then the new ones come: the two need not be there at once.
        self.slots = Vec::new();
        self.slots = vec![FREE; n_slots];
        for (i, p) in self.part.vertices.iter().enumerate() {
            let mut k = start(p) & mask;
            while self.slots[k] != FREE {
                k = (k + 1) & mask;
            }
            self.slots[k] = i as u32;
        }
    }
}

fn start(p: &Vec3) -> usize {
    // -0 + 0 = +0: the two zeros are one place.
    hash([p.x, p.y, p.z].map(|c| (c + 0.0).to_bits())) as usize
}

/// The point, when its coordinates are those of geometry.
pub fn checked_point(p: [f64; 3], place: impl FnOnce() -> Place) -> Result<Vec3, ImportError> {
    let is_good = |c: &f64| c.abs() <= MAX_COORDINATE;
    match p.into_iter().find(|c| !is_good(c)) {
        Some(value) => Err(ImportError::BadCoordinate {
            place: place(),
            value,
        }),
        None => Ok(Vec3::from(p)),
    }
}

/// The number that `word` spells.
pub fn parse_number(word: &[u8], line: usize) -> Result<f64, ImportError> {
    std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| ImportError::NotANumber {
            line,
            word: shown(word),
        })
}

/// A word of a file for a message: short and printable.
pub fn shown(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(&word[..word.len().min(40)]);
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

/// A triangle strip as it comes: every vertex but the first two makes a triangle with the two before it.
#[derive(Default)]
pub struct Strip {
    last: [u32; 2],
    n: usize,
}

impl Strip {
    /// The triangle that vertex `v` makes; every other one is turned round, so that all face the same way.
    pub fn push(&mut self, v: u32) -> Option<[u32; 3]> {
        let [a, b] = self.last;
        self.last = [b, v];
        self.n += 1;
        match self.n {
            0..3 => None,
            n if n % 2 == 1 => Some([a, b, v]),
            _ => Some([b, a, v]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_faces_one_way() {
        let mut strip = Strip::default();
        let triangles: Vec<_> = (0..5).filter_map(|v| strip.push(v)).collect();
        assert_eq!(triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
    }

    #[test]
    fn equal_corners_become_one_vertex() {
        let mut soup = Soup::new(String::new());
        let mut random = fastrand::Rng::with_seed(4);
        let points: Vec<Vec3> = (0..500)
            .map(|_| Vec3::from_fn(|_, _| random.f64()))
            .collect();
        for _ in 0..2000 {
            soup.push([0; 3].map(|_: i32| points[random.usize(..points.len())]));
        }
        // The two zeros are one place.
        soup.push([Vec3::zeros(), -Vec3::zeros(), Vec3::x()]);
        let part = soup.finish();
        assert_eq!(part.vertices.len(), 502);
        assert_eq!(part.n_vertices_read, Some(6003));
    }
}
