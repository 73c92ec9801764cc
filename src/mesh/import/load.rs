//! The way of a file: bytes, format, raw parts, clean parts.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::clean::{Cleaned, clean};
use super::format::{Format, Source};
use super::hash::hex;
use super::raw::RawPart;
use super::report::Topology;
use super::sniff::sniff;
use super::space::{is_doubtful, likely_unit};
use super::{
    Cleaning, ImportError, ImportWarning, ImportedFile, Importer, NamedMesh, PartReport,
    SourceSpace, UniqueNames, Unit, UpAxis,
};
use crate::geom::{Aabb, Mat3, Vec3};
use crate::mesh::{Axis, TriMesh, components};
use crate::progress::Stretch;

/// Largest file that is read; keeps vertex numbers within 32 bits.
const MAX_BYTES: u64 = 16 << 30;
/// Parts of a file at most: each costs some kilobytes until it is drawn and collided with, however small it is.
const MAX_PARTS: usize = 20_000;
/// How much is read from the disk at a time.
const CHUNK: usize = 4 << 20;

/// What a reader finds.
#[derive(Default)]
pub struct RawFile {
    /// The parts, in the order of the file.
    pub parts: Vec<RawPart>,
    /// The unit, when the file or its format says.
    pub unit: Option<Unit>,
    /// The way up, when the file or its format says.
    pub up: Option<UpAxis>,
}

impl RawFile {
    /// Parts of a format that says nothing of units and axes.
    pub fn spaceless(parts: Vec<RawPart>) -> Self {
        Self {
            parts,
            ..Self::default()
        }
    }
}

impl Importer {
    /// Reads a mesh file. The error names the path.
    pub fn file(&self, path: &Path) -> Result<ImportedFile, ImportError> {
        self.read_file(path).map_err(|error| in_file(path, error))
    }

    fn read_file(&self, path: &Path) -> Result<ImportedFile, ImportError> {
        let stretch = Stretch::new(&self.progress, "reading", 0.0, 0.15);
        let (bytes, sha256) = read_whole(path, &stretch)?;
        let folder = path.parent();
        let name = path.file_name().map(|n| n.to_string_lossy());
        let name = name.as_deref().unwrap_or("");
        let (format, raw, warnings) = self.parse(&bytes, name, folder)?;
        // Not needed any more, and often as large as the mesh.
        drop(bytes);
        self.finish(format, raw, warnings, name, sha256)
    }

    /// Reads the bytes of a mesh file. `file_name` settles the format where the content does not, and names what
    /// the file leaves nameless, and the file in an error. Files beside it are not looked for.
    pub fn bytes(&self, bytes: &[u8], file_name: &str) -> Result<ImportedFile, ImportError> {
        let read = || {
            check_size(bytes.len() as u64)?;
            let (format, raw, warnings) = self.parse(bytes, file_name, None)?;
            let sha256 = super::sha256_hex(bytes);
            self.finish(format, raw, warnings, file_name, sha256)
        };
        read().map_err(|error| in_file(Path::new(file_name), error))
    }

    fn parse(
        &self,
        bytes: &[u8],
        file_name: &str,
        folder: Option<&Path>,
    ) -> Result<(Format, RawFile, Vec<ImportWarning>), ImportError> {
        let mut warnings = Vec::new();
        let stretch = Stretch::new(&self.progress, "parsing", 0.15, 0.5);
        stretch.at(0.0)?;
        let format = sniff(bytes, file_name)?;
        let source = Source {
            bytes,
            folder,
            options: &self.options,
        };
        let raw = format.read(&source, &mut warnings, &stretch)?;
        Ok((format, raw, warnings))
    }

    fn finish(
        &self,
        format: Format,
        raw: RawFile,
        mut warnings: Vec<ImportWarning>,
        file_name: &str,
        sha256: String,
    ) -> Result<ImportedFile, ImportError> {
        let options = &self.options;
        let space = SourceSpace {
            unit: options.units.or(raw.unit).unwrap_or(Unit::Millimetre),
            up: options.up.or(raw.up).unwrap_or(UpAxis::Z),
        };
        let stem = Path::new(file_name)
            .file_stem()
            .map_or_else(|| "part".into(), |s| s.to_string_lossy());
        let whole = Stretch::new(&self.progress, "cleaning", 0.5, 1.0);
        let mut raw_parts = raw.parts;
        warnings.extend(merge_excess(&mut raw_parts, MAX_PARTS));
        let n_triangles: usize = raw_parts.iter().map(|p| p.triangles.len()).sum();
        let share = |n: usize| n as f64 / n_triangles.max(1) as f64;
        let mut names = UniqueNames::default();
        let mut parts = Vec::new();
        let mut n_done = 0;
        for mut raw in raw_parts {
            let from = share(n_done);
            n_done += raw.triangles.len();
            let stretch = whole.part("cleaning", from, share(n_done));
            let wanted = match std::mem::take(&mut raw.name) {
                name if name.is_empty() => stem.to_string(),
                name => name,
            };
            let name = names.claim(&wanted);
            let cleaning_stretch = stretch.part("welding", 0.0, 0.6);
            let Cleaned {
                mesh,
                cleaning,
                mut edges,
            } = clean(&mut raw, space, options.weld_tolerance, &cleaning_stretch)?;
            warnings.extend(cleaning_warnings(&name, &cleaning));
            let Some(mesh) = mesh else {
                warnings.push(ImportWarning::EmptyPart { part: name });
                continue;
            };
            stretch.part("checking", 0.6, 1.0).at(0.0)?;
            let pieces = match options.split_components.then(|| components(&mesh)) {
                Some(found) if parts.len() + found.number <= MAX_PARTS => {
                    edges = None;
                    found.split(&mesh)
                }
                Some(found) => {
                    warnings.push(ImportWarning::TooManyParts {
                        count: found.number,
                        limit: MAX_PARTS,
                    });
                    vec![mesh]
                }
                None => vec![mesh],
            };
            let n_pieces = pieces.len();
            let axes = axes_in_ours(&raw.axes, space);
            for (k, mesh) in pieces.into_iter().enumerate() {
                let name = match k {
                    0 => name.clone(),
                    _ => names.claim(&wanted),
                };
                stretch.part("checking", 0.6, 1.0).at_element(k, n_pieces)?;
                let topology = match edges.take() {
                    Some(edges) => Topology::with_edges(&mesh, edges),
                    None => Topology::of(&mesh),
                };
                let report = PartReport {
                    cleaning: cleaning.clone(),
                    topology,
                    brep: raw.brep.clone(),
                };
                let mesh = mesh.with_axes(Arc::clone(&axes));
                parts.push(part(name, mesh, &raw, report));
            }
        }
        if parts.is_empty() {
            return Err(ImportError::NoTriangles);
        }
        if options.units.is_none() {
            warnings.extend(size_warning(&parts, space.unit));
        }
        self.progress.at("done", 1.0)?;
        Ok(ImportedFile {
            parts,
            warnings,
            sha256,
            format,
            space,
        })
    }
}

/// Axes of the file in mm and Z up.
fn axes_in_ours(axes: &[Axis], space: SourceSpace) -> Arc<[Axis]> {
    let columns = [Vec3::x(), Vec3::y(), Vec3::z()].map(|d| space.to_ours(&d));
    let linear = Mat3::from_columns(&columns);
    let ours = |a: &Axis| a.mapped(&linear, &Vec3::zeros());
    axes.iter().filter_map(ours).collect()
}

/// Makes one part of all that are beyond the limit, so that no triangle is lost.
fn merge_excess(parts: &mut Vec<RawPart>, limit: usize) -> Option<ImportWarning> {
    let count = parts.len();
    if count <= limit {
        return None;
    }
    let mut rest = RawPart::new("all other parts".to_owned());
    let read = parts[limit - 1..].iter().map(|part| part.n_vertices_read);
    rest.n_vertices_read = read.sum();
    for mut part in parts.drain(limit - 1..) {
        let first = rest.vertices.len() as u32;
        rest.n_crossed += part.n_crossed;
        rest.axes.append(&mut part.axes);
        rest.vertices.append(&mut part.vertices);
        let shifted = part.triangles.iter().map(|t| t.map(|v| v + first));
        rest.triangles.extend(shifted);
        if let Some(brep) = part.brep {
            let all = rest.brep.get_or_insert_default();
            all.faces += brep.faces;
            all.failed_faces.extend(brep.failed_faces);
            all.doubtful_faces.extend(brep.doubtful_faces);
            all.open_solids += brep.open_solids;
        }
    }
    parts.push(rest);
    Some(ImportWarning::TooManyParts { count, limit })
}

fn part(name: String, mesh: TriMesh, raw: &RawPart, report: PartReport) -> NamedMesh {
    let mut path = raw.path.clone();
    if path.last().is_none_or(String::is_empty) {
        path.pop();
        path.push(name.clone());
    }
    NamedMesh {
        name,
        path,
        color: raw.color,
        report,
        mesh: Arc::new(mesh),
    }
}

fn cleaning_warnings(part: &str, cleaning: &Cleaning) -> Vec<ImportWarning> {
    let part = || part.to_owned();
    let mut warnings = Vec::new();
    if cleaning.degenerate > 0 {
        warnings.push(ImportWarning::Degenerate {
            part: part(),
            count: cleaning.degenerate,
        });
    }
    if cleaning.duplicate > 0 {
        warnings.push(ImportWarning::Duplicate {
            part: part(),
            count: cleaning.duplicate,
        });
    }
    if cleaning.crossed_polygons > 0 {
        warnings.push(ImportWarning::CrossedPolygons {
            part: part(),
            count: cleaning.crossed_polygons,
        });
    }
    warnings
}

fn size_warning(parts: &[NamedMesh], assumed: Unit) -> Option<ImportWarning> {
    let mut aabb = Aabb::empty();
    for part in parts {
        aabb.merge(&part.mesh.aabb());
    }
    let size = aabb.diagonal();
    is_doubtful(size).then(|| ImportWarning::DoubtfulSize {
        size,
        assumed,
        likely: likely_unit(size, assumed),
    })
}

fn in_file(path: &Path, error: ImportError) -> ImportError {
    ImportError::InFile {
        path: path.to_owned(),
        error: Box::new(error),
    }
}

fn check_size(n_bytes: u64) -> Result<(), ImportError> {
    if n_bytes > MAX_BYTES {
        return Err(ImportError::TooLarge { n_bytes });
    }
    Ok(())
}

/// The bytes of a file and their SHA-256, read piece by piece.
fn read_whole(path: &Path, stretch: &Stretch) -> Result<(Vec<u8>, String), ImportError> {
    let unreadable = |e: std::io::Error| ImportError::Unreadable {
        reason: e.to_string(),
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(ImportError::NotAFile);
    }
    let n_bytes = metadata.len();
    check_size(n_bytes)?;
    let mut file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // A byte more, so that the end is seen without growing.
    bytes
        .try_reserve_exact(n_bytes as usize + 1)
        .map_err(|_| ImportError::TooLarge { n_bytes })?;
    let mut hasher = Sha256::new();
    loop {
        let from = bytes.len();
        stretch.at(from as f64 / n_bytes.max(1) as f64)?;
        let n = (&mut file)
            .take(CHUNK as u64)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        hasher.update(&bytes[from..]);
        check_size(bytes.len() as u64)?;
        if n == 0 {
            return Ok((bytes, hex(&hasher.finalize())));
        }
    }
}

/// Counts what a text file has that is of no use here.
#[derive(Default)]
pub struct Ignored {
    /// Line of the first and number of each, by keyword.
    found: HashMap<String, (usize, usize)>,
}

impl Ignored {
    /// Notes one more. False when there are too many kinds: a damaged file must not fill the memory with them.
    pub fn note(&mut self, keyword: String, line: usize) -> bool {
        self.found.entry(keyword).or_insert((line, 0)).1 += 1;
        self.found.len() <= 100
    }

    /// A warning for each, by line.
    pub fn warnings(self) -> Vec<ImportWarning> {
        let mut found: Vec<_> = self.found.into_iter().collect();
        found.sort_by(|a, b| (a.1.0, &a.0).cmp(&(b.1.0, &b.0)));
        let warning = |(keyword, (line, count))| ImportWarning::Ignored {
            keyword,
            count,
            line,
        };
        found.into_iter().map(warning).collect()
    }
}
