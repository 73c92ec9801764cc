//! glTF 2, as text with its buffers and as GLB: every node with a mesh becomes a part, placed by its parents.
//!
//! The JSON is read by the types of `gltf-json`, without their validation: that refuses files that only lack the
//! bounds of a mesh. Every number of the file is checked where it is used.

mod accessor;
mod buffers;
mod mesh;

use std::path::Path;
use std::rc::Rc;

use gltf_json::Root;

use super::error::Place;
use super::format::Row;
use super::load::RawFile;
use super::raw::RawPart;
use super::sniff::{is_text, text_of};
use super::tree::{Affine, Budget, MAX_DEPTH, Shape, short_name, too_deep};
use super::{ImportError, ImportWarning, SourceSpace};
use crate::geom::{Mat3, Vec3};
use crate::progress::Stretch;
use buffers::Buffers;

/// Extensions without which a file can be read; those of materials and lights change no triangle.
const KNOWN_EXTENSIONS: [&str; 4] = [
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_lights_punctual",
    "KHR_xmp_json_ld",
];

/// glTF 2 in one binary file.
pub const BINARY: Row = Row {
    key: "glb",
    extensions: &["glb"],
    begins: |bytes| bytes.starts_with(b"glTF"),
    may_be: |_| true,
    read: |source, warnings, stretch| read_binary(source.bytes, source.folder, warnings, stretch),
};

/// glTF 2 as text; buffers inside or in files beside it.
pub const TEXT: Row = Row {
    key: "gltf",
    extensions: &["gltf"],
    begins: |bytes| text_of(bytes).trim_ascii_start().starts_with(b"{"),
    may_be: is_text,
    read: |source, warnings, stretch| read_text(source.bytes, source.folder, warnings, stretch),
};

/// Reads a GLB: 12 bytes of header, a chunk of JSON and perhaps one of data.
fn read_binary(
    bytes: &[u8],
    folder: Option<&Path>,
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    let number = |at: usize| {
        let four = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes(four.try_into().ok()?))
    };
    let damaged = |at: usize, reason: &str| ImportError::Damaged {
        place: Place::Byte(at as u64),
        reason: reason.to_owned(),
    };
    let version = number(4).ok_or_else(|| damaged(4, "the header is cut off"))?;
    if version != 2 {
        return Err(ImportError::NotSupported {
            place: Place::Byte(4),
            what: format!("glTF of version {version}"),
            advice: "export it as glTF 2",
        });
    }
    let chunk = |at: usize, kind: &[u8]| {
        let (length, kind_at) = (number(at)? as usize, at + 4);
        let is_kind = bytes.get(kind_at..kind_at + 4)? == kind;
        let data = bytes.get(at + 8..(at + 8).checked_add(length)?)?;
        is_kind.then_some(data)
    };
    let json = chunk(12, b"JSON")
        .ok_or_else(|| damaged(12, "the chunk of JSON is missing or longer than the file"))?;
    let data_at = 20 + json.len().next_multiple_of(4);
    let data = if data_at < bytes.len() {
        let data = chunk(data_at, b"BIN\0");
        Some(data.ok_or_else(|| {
            damaged(
                data_at,
                "the chunk of data is no such or longer than the file",
            )
        })?)
    } else {
        None
    };
    read(
        json,
        20,
        Buffers::new(data, folder),
        bytes.len(),
        warnings,
        stretch,
    )
}

/// Reads a glTF as text, with buffers in it or in files of `folder`.
fn read_text(
    bytes: &[u8],
    folder: Option<&Path>,
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    let text = text_of(bytes);
    read(
        text,
        0,
        Buffers::new(None, folder),
        bytes.len(),
        warnings,
        stretch,
    )
}

fn read<'a>(
    json: &'a [u8],
    json_at: usize,
    buffers: Buffers<'a>,
    n_bytes: usize,
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    let root: Root =
        gltf_json::deserialize::from_slice(json).map_err(|e| ImportError::Damaged {
            place: if json_at == 0 {
                Place::Line(e.line())
            } else {
                Place::Item(format!("JSON at byte {json_at}, its line {}", e.line()))
            },
            reason: format!("the JSON is no glTF ({e})"),
        })?;
    let is_known =
        |e: &&String| KNOWN_EXTENSIONS.contains(&e.as_str()) || e.starts_with("KHR_materials_");
    if let Some(extension) = root.extensions_required.iter().find(|e| !is_known(e)) {
        return Err(ImportError::NotSupported {
            place: Place::Item("extensionsRequired".to_owned()),
            what: format!("the extension {}", super::raw::shown(extension.as_bytes())),
            advice: "export it without extensions, such as compression",
        });
    }
    let mut walk = Walk {
        shapes: vec![None; root.meshes.len()],
        buffers,
        root: &root,
        parts: Vec::new(),
        budget: Budget::new(n_bytes),
        n_skipped: 0,
        stretch,
    };
    let mut path = Vec::new();
    for top in walk.tops()? {
        walk.visit(top, &Affine::identity(), &mut path, 0)?;
    }
    if walk.n_skipped > 0 {
        warnings.push(ImportWarning::NoSurface {
            count: walk.n_skipped,
        });
    }
    Ok(RawFile {
        parts: walk.parts,
        unit: Some(SourceSpace::METRE_Y_UP.unit),
        up: Some(SourceSpace::METRE_Y_UP.up),
    })
}

/// The way through the nodes.
struct Walk<'a> {
    root: &'a Root,
    buffers: Buffers<'a>,
    /// Meshes that were met.
    shapes: Vec<Option<Rc<Shape>>>,
    parts: Vec<RawPart>,
    budget: Budget,
    /// Primitives of points and lines.
    n_skipped: usize,
    stretch: &'a Stretch<'a>,
}

impl Walk<'_> {
    /// The nodes at the top: of the scene that is to be shown, or of the first one, or all that are no child.
    fn tops(&self) -> Result<Vec<usize>, ImportError> {
        let root = self.root;
        let number = root.scene.map_or(0, |scene| scene.value());
        if let Some(scene) = root.scenes.get(number) {
            return Ok(scene.nodes.iter().map(gltf_json::Index::value).collect());
        }
        if !root.scenes.is_empty() {
            return Err(no_such("scene", number, root.scenes.len()));
        }
        let mut is_child = vec![false; root.nodes.len()];
        for child in root
            .nodes
            .iter()
            .filter_map(|n| n.children.as_ref())
            .flatten()
        {
            if let Some(flag) = is_child.get_mut(child.value()) {
                *flag = true;
            }
        }
        Ok((0..is_child.len()).filter(|&i| !is_child[i]).collect())
    }

    fn visit(
        &mut self,
        number: usize,
        world_from_parent: &Affine,
        path: &mut Vec<String>,
        depth: usize,
    ) -> Result<(), ImportError> {
        let root = self.root;
        let place = || Place::Item(format!("node {number}"));
        let n_nodes = root.nodes.len();
        let node = root
            .nodes
            .get(number)
            .ok_or_else(|| no_such("node", number, n_nodes))?;
        if depth > MAX_DEPTH {
            return Err(too_deep(place()));
        }
        self.budget.take_node(place)?;
        // How many instances there will be is not known: about one a node.
        self.stretch.at(self.parts.len() as f64 / n_nodes as f64)?;
        let world = world_from_parent.of(&transform(node));
        let n_names = path.len();
        path.extend(
            node.name
                .as_deref()
                .filter(|n| !n.is_empty())
                .map(short_name),
        );
        if let Some(mesh) = node.mesh {
            let shape = self.shape(mesh.value())?;
            let mut path = path.clone();
            if path.len() == n_names {
                let name = root.meshes[mesh.value()].name.as_deref();
                path.push(short_name(name.unwrap_or("")));
            }
            self.budget.take_shape(&shape, &path, place)?;
            if !shape.triangles.is_empty() {
                self.parts.push(shape.placed(&world, path, place)?);
            }
        }
        for child in node.children.iter().flatten() {
            self.visit(child.value(), &world, path, depth + 1)?;
        }
        path.truncate(n_names);
        Ok(())
    }

    fn shape(&mut self, number: usize) -> Result<Rc<Shape>, ImportError> {
        let n_meshes = self.shapes.len();
        match self.shapes.get(number) {
            None => return Err(no_such("mesh", number, n_meshes)),
            Some(Some(shape)) => return Ok(Rc::clone(shape)),
            Some(None) => {}
        }
        let (shape, n_skipped) =
            mesh::read(self.root, number, &mut self.buffers, &mut self.budget)?;
        self.n_skipped += n_skipped;
        let shape = Rc::new(shape);
        self.shapes[number] = Some(Rc::clone(&shape));
        Ok(shape)
    }
}

/// The error of a number that nothing has.
fn no_such(what: &str, number: usize, n: usize) -> ImportError {
    ImportError::Damaged {
        place: Place::Item(format!("{what} {number}")),
        reason: format!("it is used, but there are only {n}"),
    }
}

/// The map of a node: its matrix (column after column), or translation, rotation (x, y, z, w) and scale.
fn transform(node: &gltf_json::Node) -> Affine {
    if let Some(m) = node.matrix {
        let m = m.map(f64::from);
        return Affine {
            linear: Mat3::from_fn(|row, column| m[4 * column + row]),
            offset: Vec3::new(m[12], m[13], m[14]),
        };
    }
    let vector = |v: [f32; 3]| Vec3::from(v.map(f64::from));
    let rotation = node.rotation.map_or_else(Mat3::identity, |q| {
        let [x, y, z, w] = q.0.map(f64::from);
        let q = nalgebra::Quaternion::new(w, x, y, z);
        nalgebra::UnitQuaternion::try_new(q, f64::MIN_POSITIVE)
            .map_or_else(Mat3::identity, |q| q.to_rotation_matrix().into_inner())
    });
    let scale = node.scale.map_or_else(|| Vec3::repeat(1.0), vector);
    Affine {
        linear: rotation * Mat3::from_diagonal(&scale),
        offset: node.translation.map_or_else(Vec3::zeros, vector),
    }
}
