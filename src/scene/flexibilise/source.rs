//! Parts that are made flexible together: one mesh, and what each triangle came from.

use std::sync::Arc;

use crate::centerline::Correction;
use crate::mesh::import::SourceSpace;
use crate::mesh::{Axis, TriMesh};
use crate::scene::{Part, PartRole, Scene};

use super::FlexibiliseError;

/// Parts of a scene as one.
pub struct Source {
    /// As they were, in the scene's order.
    pub parts: Vec<Part>,
    /// Numbers in the scene, ascending.
    pub numbers: Vec<usize>,
    /// What the whole is called.
    pub name: String,
    /// All triangles, part after part, in the world.
    pub mesh: Arc<TriMesh>,
    /// First triangle of each part, and the end of the last.
    first: Vec<u32>,
}

impl Source {
    /// The parts of these names; the first gives unit and axes.
    pub fn new(scene: &Scene, names: &[String]) -> Result<Self, FlexibiliseError> {
        let mut numbers = Vec::with_capacity(names.len());
        for name in names {
            let Some(k) = scene.parts.iter().position(|p| p.name == *name) else {
                let problem = format!("there is no part \"{name}\"");
                return Err(FlexibiliseError::Other(problem));
            };
            numbers.push(k);
        }
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.is_empty() {
            return Err(FlexibiliseError::Other("no part was chosen".to_owned()));
        }
        let parts: Vec<Part> = numbers.iter().map(|&k| scene.parts[k].clone()).collect();
        let mut first = vec![0_u32];
        for part in &parts {
            let n = part.mesh().triangles().len() as u32;
            first.push(first[first.len() - 1] + n);
        }
        let mesh = match &parts[..] {
            [one] => Arc::clone(one.mesh()),
            several => {
                let mesh = joined(several);
                Arc::new(mesh.map_err(|e| FlexibiliseError::Other(e.to_string()))?)
            }
        };
        Ok(Self {
            name: name_of(&parts),
            numbers,
            mesh,
            first,
            parts,
        })
    }

    /// The part that a triangle of the mesh is of.
    pub fn part_of(&self, triangle: u32) -> usize {
        self.first.partition_point(|&f| f <= triangle) - 1
    }

    /// How many triangles a part has.
    pub fn n_triangles(&self, part: usize) -> usize {
        (self.first[part + 1] - self.first[part]) as usize
    }

    /// What the user corrected of the centerlines, part after part, with places in the world.
    pub fn corrections(&self) -> Vec<Correction> {
        let all = self.parts.iter().flat_map(Part::corrections_in_world);
        all.collect()
    }

    /// Unit and axes of the file that they came from.
    pub fn space(&self) -> SourceSpace {
        let own = self.parts[0].source.as_ref();
        own.map(|s| s.space).unwrap_or_default()
    }
}

/// Names of the parts that belong together with one: those of its group, else of its file, that are harnesses or may be
/// what sits on one; a single harness is alone.
pub fn belongs_with(scene: &Scene, part: &str) -> Vec<String> {
    let Some(own) = scene.part(part) else {
        return Vec::new();
    };
    let path = |p: &Part| p.source.as_ref().map(|s| s.path.clone());
    let is_with = |p: &&Part| {
        let same = if own.group.is_empty() {
            path(own).is_some() && path(p) == path(own) && p.group.is_empty()
        } else {
            p.group.starts_with(&own.group)
        };
        p.name == part || same && p.role != PartRole::Background
    };
    let names = scene.parts.iter().filter(is_with).map(|p| p.name.clone());
    names.collect()
}

fn joined(parts: &[Part]) -> Result<TriMesh, crate::mesh::MeshError> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for part in parts {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(part.mesh().vertices());
        triangles.extend(part.mesh().triangles().iter().map(|t| t.map(|i| i + first)));
    }
    let axes: Vec<Axis> = parts
        .iter()
        .flat_map(|p| p.mesh().axes().to_vec())
        .collect();
    Ok(TriMesh::new(vertices, triangles)?.with_axes(axes))
}

/// The part's own name; of several the group that they share, or the file, or that of the first harness among them, or
/// the first one's.
fn name_of(parts: &[Part]) -> String {
    let [first, others @ ..] = parts else {
        return String::new();
    };
    if others.is_empty() {
        return first.name.clone();
    }
    let mut group = first.group.clone();
    for part in others {
        let alike = group.iter().zip(&part.group).take_while(|(a, b)| a == b);
        group.truncate(alike.count());
    }
    let file = |p: &Part| {
        let stem = p.source.as_ref()?.path.file_stem()?.to_str()?;
        Some(stem.to_owned())
    };
    let shared = file(first).filter(|own| others.iter().all(|p| file(p).as_ref() == Some(own)));
    let harness = || parts.iter().find(|p| p.role == PartRole::Harness);
    (group.pop().or(shared)).unwrap_or_else(|| harness().unwrap_or(first).name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harness_gives_its_name_to_all_that_is_made_flexible_with_it() {
        // It was called after the block that comes first in the scene.
        let scene = crate::scene::demo::demo("harness").unwrap();
        let names: Vec<String> = scene.parts.iter().map(|p| p.name.clone()).collect();
        assert_ne!(names[0], "harness");
        assert_eq!(Source::new(&scene, &names).unwrap().name, "harness");
    }
}
