//! From a stream of triangles to a welded mesh.

use std::collections::{HashMap, HashSet};

use super::error::Place;
use super::{ImportError, ImportWarning};
use crate::geom::Vec3;
use crate::mesh::TriMesh;

/// Farthest coordinate that is taken for geometry, mm: a thousand kilometres. Keeps areas and distances finite.
const MAX_COORDINATE: f64 = 1e9;
/// Twice the area over the square of the longest side, at which a triangle has no area but that of round-off.
const DEGENERATE_RATIO: f64 = 1e-12;

/// A part as a reader finds it.
pub struct RawPart {
    /// As the file has it; may be empty or taken.
    pub name: String,
    /// Its triangles so far.
    pub soup: Soup,
}

impl RawPart {
    /// A part without triangles.
    pub fn new(name: String) -> Self {
        Self {
            name,
            soup: Soup::default(),
        }
    }
}

/// Triangles that are welded as they come: equal coordinates, bit for bit, are one vertex.
#[derive(Default)]
pub struct Soup {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    vertex_at: HashMap<[u64; 3], u32>,
    seen: HashSet<[u32; 3]>,
    n_degenerate: usize,
    n_duplicate: usize,
    /// Polygons that could not be cut without overlap.
    pub n_crossed: usize,
}

impl Soup {
    /// Takes a triangle; drops it when it has no area or is there already.
    pub fn push(&mut self, corners: [Vec3; 3]) {
        if has_no_area(&corners) {
            self.n_degenerate += 1;
            return;
        }
        let triangle = corners.map(|p| self.vertex(p));
        let mut key = triangle;
        key.sort_unstable();
        if self.seen.insert(key) {
            self.triangles.push(triangle);
        } else {
            self.n_duplicate += 1;
        }
    }

    fn vertex(&mut self, p: Vec3) -> u32 {
        // -0 + 0 = +0: the two zeros are one place.
        let p = p.add_scalar(0.0);
        let key = [p.x, p.y, p.z].map(f64::to_bits);
        // The size limit of a file keeps this within 32 bits.
        let next = self.vertices.len() as u32;
        let index = *self.vertex_at.entry(key).or_insert(next);
        if index == next {
            self.vertices.push(p);
        }
        index
    }

    /// The mesh and its warnings, or only a warning when nothing is left.
    pub fn finish(self, part: &str, warnings: &mut Vec<ImportWarning>) -> Option<TriMesh> {
        let part = part.to_owned();
        if self.n_degenerate > 0 {
            warnings.push(ImportWarning::Degenerate {
                part: part.clone(),
                count: self.n_degenerate,
            });
        }
        if self.n_duplicate > 0 {
            warnings.push(ImportWarning::Duplicate {
                part: part.clone(),
                count: self.n_duplicate,
            });
        }
        if self.n_crossed > 0 {
            warnings.push(ImportWarning::CrossedPolygons {
                part: part.clone(),
                count: self.n_crossed,
            });
        }
        let mesh = TriMesh::new(self.vertices, self.triangles).ok();
        if mesh.is_none() {
            warnings.push(ImportWarning::EmptyPart { part });
        }
        mesh
    }
}

fn has_no_area([a, b, c]: &[Vec3; 3]) -> bool {
    let doubled_area = (b - a).cross(&(c - a)).norm();
    let longest_sq = (b - a)
        .norm_squared()
        .max((c - b).norm_squared())
        .max((a - c).norm_squared());
    doubled_area <= DEGENERATE_RATIO * longest_sq
}

/// The point, when its coordinates are those of geometry.
pub fn checked_point(p: [f64; 3], place: impl Fn() -> Place) -> Result<Vec3, ImportError> {
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
