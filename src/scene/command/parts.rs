//! Edits of parts.

use std::borrow::Cow;
use std::path::Path;

use super::handles::place_junction;
use super::names::listed;
use super::{CommandError, bad, changed_pose, find_cable, find_part, finite_point, within};
use crate::centerline::{CenterlineGraph, Correction, extract_corrected, survey_corrected};
use crate::geom::Pose;
use crate::mesh::import::{ImportOptions, ImportedFile, Importer, NamedMesh};
use crate::scene::file::part_with;
use crate::scene::flexibilise::{self, FlexibiliseError, Order, Source};
use crate::scene::update;
use crate::scene::{Exclusion, Hazard, Junction, MeshSource, Part, PartRole, Scene};

/// Adds the parts of a file; `loaded` is the file where it was read already.
pub fn import(
    scene: &mut Scene,
    path: &Path,
    role: PartRole,
    options: &ImportOptions,
    loaded: Option<&ImportedFile>,
) -> Result<(), CommandError> {
    let file = &*read_unless(loaded, path, options)?;
    for named in &file.parts {
        let mut part = Part::of_file(named, path, options, file);
        part.name = scene.free_part_name(&named.name);
        part.role = role;
        scene.parts.push(part);
    }
    Ok(())
}

pub fn replace(
    scene: &mut Scene,
    part: &str,
    path: Option<&Path>,
    loaded: Option<&ImportedFile>,
) -> Result<(), CommandError> {
    if let Some(k) = scene.missing.iter().position(|p| p.name == part) {
        return restore(scene, k, path, loaded);
    }
    let found = find_part(scene, part)?;
    let own = found.source.as_ref();
    let Some(path) = path.or(own.map(|s| s.path.as_path())).map(Path::to_owned) else {
        return Err(CommandError::BadCable(format!(
            "part \"{part}\" was not read from a file: name the file to take its mesh from"
        )));
    };
    let wanted = own.map_or_else(|| found.name.clone(), |s| s.part.clone());
    let options = own.map(|s| s.options.clone()).unwrap_or_default();
    let file = &*read_unless(loaded, &path, &options)?;
    let named = part_of(file, &wanted)?;
    let source = MeshSource::new(&path, &named.name, &options, file);
    let fate = update::fate_of(found, &named.mesh);
    let moved = fate
        .motion_of(found)
        .map(|motion| (part.to_owned(), motion));
    update::take_mesh(scene, part, named, fate)?;
    update::carry(scene, moved.as_slice());
    find_part(scene, part)?.source = Some(source);
    Ok(())
}

/// Takes a new revision of the parts of a file.
pub fn update(
    scene: &mut Scene,
    path: &Path,
    options: &ImportOptions,
    loaded: Option<&ImportedFile>,
    choice: update::Choice,
) -> Result<(), CommandError> {
    let file = &*read_unless(loaded, path, options)?;
    let mut updated = scene.clone();
    update::update(&mut updated, path, options, file, choice)?;
    *scene = updated;
    Ok(())
}

pub fn set_clearance(
    scene: &mut Scene,
    part: &str,
    hazard: Option<Hazard>,
    required: Option<f64>,
) -> Result<(), CommandError> {
    let must = "between 0 and 10000 mm, or negative for none of its own";
    if let Some(mm) = required {
        within("required clearance", must, mm, f64::MIN, 1e4)?;
    }
    let part = find_part(scene, part)?;
    part.hazard = hazard.unwrap_or(part.hazard);
    if let Some(mm) = required {
        part.required_clearance = (mm >= 0.0).then_some(mm);
    }
    Ok(())
}

/// A missing part whose file is back, or that gets another.
fn restore(
    scene: &mut Scene,
    k: usize,
    path: Option<&Path>,
    loaded: Option<&ImportedFile>,
) -> Result<(), CommandError> {
    let missing = &scene.missing[k];
    let path = path.unwrap_or(&missing.source.path).to_owned();
    let options = missing.source.options.clone();
    let file = &*read_unless(loaded, &path, &options)?;
    let named = part_of(file, &missing.source.part)?;
    let fields = missing.fields.clone();
    let mut part = part_with(missing.name.clone(), named.mesh.clone(), fields)
        .map_err(|invalid| CommandError::Impossible(invalid.to_string()))?;
    part.source = Some(MeshSource::new(&path, &named.name, &options, file));
    scene.missing.remove(k);
    scene.parts.push(part);
    Ok(())
}

/// The part of that name; the only one, whatever it is called.
fn part_of<'a>(file: &'a ImportedFile, wanted: &str) -> Result<&'a NamedMesh, CommandError> {
    let named = match &file.parts[..] {
        [one] => Some(one),
        several => several.iter().find(|p| p.name == wanted),
    };
    named.ok_or_else(|| CommandError::NoSuchPartInFile {
        name: wanted.to_owned(),
        known: listed(file.parts.iter().map(|p| p.name.as_str())),
    })
}

fn read_unless<'a>(
    loaded: Option<&'a ImportedFile>,
    path: &Path,
    options: &ImportOptions,
) -> Result<Cow<'a, ImportedFile>, CommandError> {
    if let Some(file) = loaded {
        return Ok(Cow::Borrowed(file));
    }
    let importer = Importer {
        options: options.clone(),
        ..Importer::default()
    };
    Ok(Cow::Owned(importer.file(path)?))
}

pub fn move_part(
    scene: &mut Scene,
    name: &str,
    position: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
) -> Result<(), CommandError> {
    let part = find_part(scene, name)?;
    let after = changed_pose(part.placement(), position, rotation)?;
    // What is dragged is held where it is left.
    for junction in scene.junctions.iter_mut().filter(|j| j.carries(name)) {
        junction.free = false;
    }
    place_part(scene, name, after)
}

/// Puts a part somewhere, with what is one body with it, and the handles and junctions that hang on it.
pub fn place_part(scene: &mut Scene, name: &str, after: Pose) -> Result<(), CommandError> {
    let motion = after.compose(&find_part(scene, name)?.placement().inverse());
    let body = scene.body_of(name);
    for own in &body {
        let part = find_part(scene, own)?;
        let goal = if own == name {
            after
        } else {
            motion.compose(part.placement())
        };
        part.place(goal)
            .map_err(|reason| CommandError::BadPlacement {
                part: own.clone(),
                reason,
            })?;
    }
    let is_on_body = |part: &Option<String>| part.as_ref().is_some_and(|p| body.contains(p));
    for handle in scene.cables.iter_mut().flat_map(|c| &mut c.handles) {
        if is_on_body(&handle.attached_to) {
            handle.pose = motion.compose(&handle.pose);
        }
    }
    // Where ends that hang on the part share a handle, that goes along too.
    let hangs = |junction: &Junction| {
        junction.carries(name)
            || junction.ends.iter().any(|end| {
                let handle = scene.cable(&end.cable).and_then(|c| c.handle(&end.handle));
                handle.is_some_and(|h| is_on_body(&h.attached_to))
            })
    };
    let taken: Vec<(String, Pose)> = scene
        .junctions
        .iter()
        .filter(|j| hangs(j))
        .map(|j| (j.name.clone(), motion.compose(&j.pose)))
        .collect();
    for (junction, pose) in taken {
        place_junction(scene, &junction, pose);
    }
    Ok(())
}

pub fn exclude(scene: &mut Scene, new: &Exclusion, only: bool) -> Result<(), CommandError> {
    find_part(scene, &new.part)?;
    find_cable(scene, &new.cable)?;
    if let Some((must, value)) = new.bad_number() {
        return Err(bad("exclusion", must, value));
    }
    let same = |e: &Exclusion| e.cable == new.cable && e.part == new.part;
    if only {
        scene.exclusions.retain(|e| !same(e));
    }
    if !scene.exclusions.contains(new) {
        scene.exclusions.push(new.clone());
    }
    Ok(())
}

pub fn flexibilise(
    scene: &mut Scene,
    part: &str,
    with: &[String],
    graph: Option<&CenterlineGraph>,
    order: &Order,
) -> Result<(), CommandError> {
    let mut names = vec![part.to_owned()];
    names.extend_from_slice(with);
    for name in &names {
        find_part(scene, name)?;
    }
    let source = Source::new(scene, &names)?;
    let own;
    let graph = match graph {
        // A graph of another mesh would cut nonsense.
        Some(graph) if graph.component_of_triangle.len() == source.mesh.triangles().len() => graph,
        _ => {
            let extracted = extract_corrected(&source.mesh, &source.corrections(), &|_| true);
            own = extracted.map_err(|reason| FlexibiliseError::NoCenterline {
                part: source.name.clone(),
                reason,
            })?;
            &own
        }
    };
    Ok(flexibilise::flexibilise(scene, &source, graph, order)?)
}

/// Adds a correction to a part, if it can be applied after those that are there.
pub fn correct(scene: &mut Scene, name: &str, correction: &Correction) -> Result<(), CommandError> {
    for place in correction.places() {
        finite_point("place", place)?;
    }
    let part = find_part(scene, name)?;
    let refused = |reason: String| {
        CommandError::Impossible(format!("the centerlines of part \"{name}\": {reason}"))
    };
    let before = part.corrections_in_world();
    let mut graph = survey_corrected(part.mesh(), &before, &|_| true)
        .map_err(|error| refused(error.to_string()))?;
    correction
        .apply(&mut graph, part.mesh())
        .map_err(|error| refused(error.to_string()))?;
    part.corrections
        .push(correction.moved(&part.placement().inverse()));
    Ok(())
}
