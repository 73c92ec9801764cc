//! A new revision of the parts: which part of a file is which of the scene, what moved, what changed.

mod fit;
mod follow;

use std::path::Path;

use serde::Serialize;

pub use fit::rigid_fit;

use super::command::{CommandError, Kind};
use super::{Handle, Junction, MeshSource, Part, Scene};
use crate::geom::Pose;
use crate::mesh::TriMesh;
use crate::mesh::import::{ImportOptions, ImportedFile, NamedMesh};

/// What a new revision did to a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartFate {
    /// Same shape, same place.
    Same,
    /// Same shape, moved: the motion in the coordinates of the file.
    Moved(Pose),
    /// Another shape.
    Changed,
    /// Not in the scene before.
    New,
    /// Not in the file any more.
    Gone,
}

impl PartFate {
    /// Its name for people and machines.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Moved(_) => "moved",
            Self::Changed => "changed",
            Self::New => "new",
            Self::Gone => "gone",
        }
    }

    /// The motion in the coordinates of the scene of a part that moved.
    pub fn motion_of(&self, part: &Part) -> Option<Pose> {
        let Self::Moved(motion) = self else {
            return None;
        };
        let placement = part.placement();
        Some(placement.compose(motion).compose(&placement.inverse()))
    }
}

/// A part of the scene, of the file, or of both.
#[derive(Clone, Debug, PartialEq)]
pub struct PartUpdate {
    /// Name in the scene; of a new part the one that it gets.
    pub part: String,
    /// Name in the file; `None` where it is gone.
    pub in_file: Option<String>,
    /// What happened to it.
    pub fate: PartFate,
    /// Number of the part in the file.
    number: Option<usize>,
}

impl PartUpdate {
    /// Whether it is called otherwise in the file than before.
    pub fn is_renamed(&self, scene: &Scene) -> bool {
        let old = scene.part(&self.part).map(name_in_file);
        old.is_some() && self.in_file.is_some() && old != self.in_file.as_deref()
    }

    /// What became of it, in words; `scene` is the one before.
    pub fn words(&self, scene: &Scene) -> String {
        let renamed = match &self.in_file {
            Some(name) if self.is_renamed(scene) => format!(", now called \"{name}\""),
            _ => String::new(),
        };
        let how = match &self.fate {
            PartFate::Moved(motion) => {
                let p = motion.position;
                let by = format!(" by ({:.3}, {:.3}, {:.3}) mm", p.x, p.y, p.z);
                match motion.rotation.angle().to_degrees() {
                    degrees if degrees < 0.0005 => by,
                    degrees => format!("{by} and {degrees:.3} degrees"),
                }
            }
            _ => String::new(),
        };
        let (word, part) = (self.fate.word(), &self.part);
        format!("{word:<8} part \"{part}\"{how}{renamed}")
    }
}

/// What the part is called in its file.
fn name_in_file(part: &Part) -> &str {
    part.source
        .as_ref()
        .map_or(&part.name, |source| &source.part)
}

/// The name without a number behind it, which repeated names get by their order in the file.
fn stem(name: &str) -> &str {
    let cut = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if cut.len() < name.len() {
        cut.trim_end_matches([' ', '_', '-', '.', ':'])
    } else {
        name
    }
}

/// Compares the parts of a scene with a new revision of their file: what is the same, moved, changed, new, gone.
///
/// The parts are those that were read from `path`; where none was, all that came from files, or all there are. Matched
/// are, in this order: name, shape and place; shape and place of names that differ in their number alone; name and
/// shape; shape alone, the nearest first; name alone.
pub fn plan(scene: &Scene, path: &Path, file: &ImportedFile) -> Vec<PartUpdate> {
    let old = parts_of(scene, path);
    let new = &file.parts;
    let mut match_of: Vec<Option<(usize, PartFate)>> = vec![None; old.len()];
    let mut taken = vec![false; new.len()];
    let fits: Vec<Vec<Option<Pose>>> = old
        .iter()
        .map(|part| {
            new.iter()
                .map(|n| same_shape(part.base(), &n.mesh))
                .collect()
        })
        .collect();
    let is_named =
        |i: usize, n: &NamedMesh| n.name == name_in_file(old[i]) || n.name == old[i].name;
    let alike = |i: usize, n: &NamedMesh| stem(&n.name) == stem(name_in_file(old[i]));
    let stays = |fit: &Option<Pose>| fit.is_some_and(|m| m == Pose::identity());
    for round in 0..4 {
        let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
        for i in (0..old.len()).filter(|i| match_of[*i].is_none()) {
            for j in (0..new.len()).filter(|j| !taken[*j]) {
                let fit = &fits[i][j];
                let wanted = match round {
                    0 => is_named(i, &new[j]) && stays(fit),
                    1 => alike(i, &new[j]) && stays(fit),
                    2 => is_named(i, &new[j]) && fit.is_some(),
                    _ => fit.is_some(),
                };
                if let Some(motion) = fit.filter(|_| wanted) {
                    pairs.push((how_far(&motion, old[i].base()), i, j));
                }
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, i, j) in pairs {
            if match_of[i].is_none()
                && !taken[j]
                && let Some(motion) = fits[i][j]
            {
                let fate = if motion == Pose::identity() {
                    PartFate::Same
                } else {
                    PartFate::Moved(motion)
                };
                match_of[i] = Some((j, fate));
                taken[j] = true;
            }
        }
    }
    for i in 0..old.len() {
        if match_of[i].is_none()
            && let Some(j) = (0..new.len()).find(|j| !taken[*j] && is_named(i, &new[*j]))
        {
            match_of[i] = Some((j, PartFate::Changed));
            taken[j] = true;
        }
    }
    let known = old.iter().zip(&match_of).map(|(part, found)| PartUpdate {
        part: part.name.clone(),
        in_file: found.map(|(j, _)| new[j].name.clone()),
        fate: found.map_or(PartFate::Gone, |(_, fate)| fate),
        number: found.map(|(j, _)| j),
    });
    let mut updates: Vec<PartUpdate> = known.collect();
    for (j, named) in new.iter().enumerate().filter(|(j, _)| !taken[*j]) {
        updates.push(PartUpdate {
            part: scene.free_part_name(&named.name),
            in_file: Some(named.name.clone()),
            fate: PartFate::New,
            number: Some(j),
        });
    }
    updates
}

/// The parts of a scene that a revision of the file at `path` is of.
fn parts_of<'a>(scene: &'a Scene, path: &Path) -> Vec<&'a Part> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let of = |wanted: &dyn Fn(&MeshSource) -> bool| -> Vec<&'a Part> {
        let parts = scene.parts.iter();
        parts
            .filter(|p| p.source.as_ref().is_some_and(wanted))
            .collect()
    };
    let same = of(&|source| source.path == path);
    let any = of(&|_| true);
    match (same.is_empty(), any.is_empty()) {
        (false, _) => same,
        (true, false) => any,
        (true, true) => scene.parts.iter().collect(),
    }
}

/// The motion between two meshes of the same shape. Cheap where they are not.
fn same_shape(old: &TriMesh, new: &TriMesh) -> Option<Pose> {
    if old.vertices().len() != new.vertices().len() {
        return None;
    }
    // Edges of all triangles are as long as before, wherever they are.
    let edges = |mesh: &TriMesh| -> f64 {
        (0..mesh.triangles().len())
            .map(|t| {
                let [a, b, c] = mesh.corners(t);
                (b - a).norm() + (c - b).norm() + (a - c).norm()
            })
            .sum()
    };
    let (a, b) = (edges(old), edges(new));
    if (a - b).abs() > 1e-4 * a.max(b) {
        return None;
    }
    rigid_fit(old, new)
}

/// How far a motion takes the corners of a mesh at most, mm.
fn how_far(motion: &Pose, mesh: &TriMesh) -> f64 {
    let bounds = mesh.aabb();
    let corners = [bounds.min, bounds.max];
    let moved = corners.map(|p| (motion.transform(&p) - p).norm());
    moved[0].max(moved[1])
}

/// What is done with parts that are in one of the two alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Parts that are new in the file come into the scene.
    pub add_new: bool,
    /// Parts that are gone from the file are deleted from the scene.
    pub delete_gone: bool,
}

/// Takes a new revision of parts into a scene. Handles that are attached to a part go where its motion takes them; where
/// its shape changed, or it is gone, they are marked to be looked at.
pub fn update(
    scene: &mut Scene,
    path: &Path,
    options: &ImportOptions,
    file: &ImportedFile,
    choice: Choice,
) -> Result<(), CommandError> {
    let plan = plan(scene, path, file);
    let moved = plan.iter().filter_map(|update| {
        let motion = update.fate.motion_of(scene.part(&update.part)?)?;
        Some((update.part.clone(), motion))
    });
    // All at once: what is fixed to several parts that move alike goes as it is.
    let moved: Vec<(String, Pose)> = moved.collect();
    carry(scene, &moved);
    for update in plan {
        let named = update.number.map(|j| &file.parts[j]);
        let Some(named) = named else {
            mark(scene, &update.part);
            if choice.delete_gone {
                super::command::delete_named(scene, Kind::Part, &update.part)?;
            }
            continue;
        };
        if update.fate == PartFate::New {
            if choice.add_new {
                let mut part = Part::of_file(named, path, options, file);
                part.name = scene.free_part_name(&named.name);
                scene.parts.push(part);
            }
            continue;
        }
        let is_renamed = update.is_renamed(scene);
        take_mesh(scene, &update.part, named, update.fate)?;
        if let Some(part) = scene.part_mut(&update.part) {
            part.source = Some(MeshSource::new(path, &named.name, options, file));
        }
        if is_renamed && !scene.has_part(&named.name) {
            super::command::rename_named(scene, Kind::Part, &update.part, &named.name)?;
        }
    }
    Ok(())
}

/// Gives a part another mesh; where its shape changed, what is attached to it is marked.
pub fn take_mesh(
    scene: &mut Scene,
    name: &str,
    named: &NamedMesh,
    fate: PartFate,
) -> Result<(), CommandError> {
    let Some(part) = scene.part_mut(name) else {
        return Ok(());
    };
    if fate == PartFate::Same {
        // The mesh in memory stays the same one, so that what was made of it can be kept.
        return Ok(());
    }
    part.replace_mesh(named.mesh.clone())
        .map_err(|reason| CommandError::BadPlacement {
            part: name.to_owned(),
            reason,
        })?;
    if !matches!(fate, PartFate::Moved(_)) {
        mark(scene, name);
    }
    Ok(())
}

/// What a part is after its mesh was replaced by `new`.
pub fn fate_of(part: &Part, new: &TriMesh) -> PartFate {
    match same_shape(part.base(), new) {
        Some(motion) if motion == Pose::identity() => PartFate::Same,
        Some(motion) => PartFate::Moved(motion),
        None => PartFate::Changed,
    }
}

/// Takes handles along with the parts that they are attached to, the junctions that they or the parts belong to, and the
/// shapes of their cables; of each part that moved its name and motion, in the coordinates of the scene.
pub fn carry(scene: &mut Scene, moved: &[(String, Pose)]) {
    let of = |part: Option<&String>| {
        let found = moved.iter().find(|m| Some(&m.0) == part);
        found.map(|m| m.1)
    };
    let motion_of = |j: &Junction| {
        of(j.carries.first()).or_else(|| {
            let mut on = j.ends.iter().map(|end| {
                let cable = scene.cable(&end.cable)?;
                of(cable.handle(&end.handle)?.attached_to.as_ref())
            });
            on.find_map(|motion| motion)
        })
    };
    let junctions = scene.junctions.iter();
    let taken: Vec<(Junction, Pose)> = junctions
        .filter_map(|j| Some((j.clone(), motion_of(j)?)))
        .collect();
    for cable in &mut scene.cables {
        let name = cable.name.clone();
        let joined = |h: &Handle| taken.iter().find(|(j, _)| j.holds(&name, &h.name));
        let motion = |h: &Handle| of(h.attached_to.as_ref()).or_else(|| Some(joined(h)?.1));
        let motions: Vec<Option<Pose>> = cable.handles.iter().map(motion).collect();
        follow::follow(cable, &motions);
        for (handle, motion) in cable.handles.iter_mut().zip(motions) {
            if let Some(motion) = motion {
                handle.pose = motion.compose(&handle.pose);
            }
        }
    }
    for (junction, motion) in taken {
        let pose = motion.compose(&junction.pose);
        super::command::place_junction(scene, &junction.name, pose);
    }
}

/// Marks the handles that are attached to a part: what they refer to is not what it was.
fn mark(scene: &mut Scene, part: &str) {
    for handle in scene.cables.iter_mut().flat_map(|c| &mut c.handles) {
        if handle.attached_to.as_deref() == Some(part) {
            handle.reference_changed = true;
        }
    }
}

/// A row of the table of what an update did to a cable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CableNumbers {
    /// Name of the cable.
    pub cable: String,
    /// Length of the centerline under load, mm.
    pub length: f64,
    /// Smallest bend radius as its limit measures it, mm; nothing where it is straight.
    pub bend_radius: Option<f64>,
    /// Smallest distance to a part, mm.
    pub clearance: Option<f64>,
}

/// The numbers of every cable of a simulation as it is.
pub fn numbers(simulation: &super::Simulation) -> Vec<CableNumbers> {
    let near = simulation.clearances(f64::INFINITY);
    let scene = simulation.scene();
    (scene.cables.iter().enumerate())
        .map(|(k, cable)| {
            let own = near.iter().filter(|c| c.cable == k);
            let points = cable.shape.as_ref().map_or(&[][..], |s| &s.points);
            let radius = cable.worst_bend().map(|bend| bend.measured);
            CableNumbers {
                cable: cable.name.clone(),
                length: points.windows(2).map(|e| (e[1] - e[0]).norm()).sum(),
                bend_radius: radius.filter(|r| r.is_finite()),
                clearance: own.map(|c| c.distance).min_by(f64::total_cmp),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
