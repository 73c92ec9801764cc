//! What every scene on disk must be; checked before writing and after reading.

use std::collections::HashSet;

use super::fields::Invalid;
use crate::geom::{Pose, Vec3};
use crate::scene::{Cable, Handle, HandlePlace, Scene, Shape};

/// More edges than any cable needs; a wrong number here must not fill the memory.
const MAX_EDGES: usize = 100_000;

/// The first thing that is wrong with the scene.
pub fn check(scene: &Scene) -> Result<(), Invalid> {
    finite("the scene", "gravity", &scene.gravity)?;
    if !(0.0..=2.0).contains(&scene.friction) {
        let problem = format!("must be between 0 and 2, but is {}", scene.friction);
        return Err(Invalid::new("the scene", "friction", problem));
    }
    unique("parts", scene.parts.iter().map(|p| p.name.as_str()))?;
    unique("cables", scene.cables.iter().map(|c| c.name.as_str()))?;
    scene.cables.iter().try_for_each(check_cable)
}

/// What a cable is called in messages.
pub fn cable_place(name: &str) -> String {
    format!("cable \"{name}\"")
}

fn unique<'a>(field: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Invalid> {
    let mut seen = HashSet::new();
    for name in names {
        if name.is_empty() {
            let problem = "has one without a name; give it a \"name\"";
            return Err(Invalid::new("the scene", field, problem));
        }
        if !seen.insert(name) {
            let problem = format!("has two called \"{name}\"; rename one");
            return Err(Invalid::new("the scene", field, problem));
        }
    }
    Ok(())
}

fn check_cable(cable: &Cable) -> Result<(), Invalid> {
    let place = cable_place(&cable.name);
    let section = &cable.section;
    for (field, must, value) in [
        ("radius", "a positive number of mm", cable.radius),
        ("length", "a positive number of mm", cable.length),
        ("bending", "a positive number of N mm^2", section.bending),
        ("torsion", "a positive number of N mm^2", section.torsion),
        ("axial", "a positive number of N", section.axial),
    ] {
        if !(value.is_finite() && value > 0.0) {
            let problem = format!("must be {must}, but is {value}");
            return Err(Invalid::new(place, field, problem));
        }
    }
    if !(section.mass_kg_m.is_finite() && section.mass_kg_m >= 0.0) {
        let problem = format!(
            "must be a number of kg/m, not negative, but is {}",
            section.mass_kg_m
        );
        return Err(Invalid::new(place, "mass_kg_m", problem));
    }
    if !(2..=MAX_EDGES).contains(&cable.n_edges) {
        let problem = format!(
            "must be between 2 and {MAX_EDGES}, but is {}",
            cable.n_edges
        );
        return Err(Invalid::new(place, "n_edges", problem));
    }
    for end in [HandlePlace::Start, HandlePlace::End] {
        let at_end: Vec<&Handle> = cable.handles.iter().filter(|h| h.place == end).collect();
        if at_end.len() > 1 {
            let word = super::v1::place_word(end);
            let problem = format!("has two at the {word}; remove one");
            return Err(Invalid::new(place, "handles", problem));
        }
        if let Some(handle) = at_end.first() {
            check_pose(&place, "handles", &handle.pose)?;
        }
    }
    match &cable.shape {
        Some(shape) => check_shape(&place, cable.n_edges, shape),
        None => Ok(()),
    }
}

fn check_shape(place: &str, n_edges: usize, shape: &Shape) -> Result<(), Invalid> {
    for (field, n, must) in [
        ("shape.points", shape.points.len(), n_edges + 1),
        ("shape.frames", shape.frames.len(), n_edges),
        ("shape.turns", shape.turns.len(), n_edges + 1),
    ] {
        if n != must {
            let problem = format!("must have {must} entries for {n_edges} edges, but has {n}");
            return Err(Invalid::new(place, field, problem));
        }
    }
    for point in &shape.points {
        finite(place, "shape.points", point)?;
    }
    for frame in &shape.frames {
        if !frame.coords.iter().all(|c| c.is_finite()) {
            let problem = "has a number that is not finite";
            return Err(Invalid::new(place, "shape.frames", problem));
        }
    }
    let mut clamps = shape.clamps.iter().flatten();
    clamps.try_for_each(|pose| check_pose(place, "shape.clamps", pose))
}

fn check_pose(place: &str, field: &str, pose: &Pose) -> Result<(), Invalid> {
    finite(place, field, &pose.position)?;
    if pose.rotation.coords.iter().all(|c| c.is_finite()) {
        return Ok(());
    }
    let problem = "has a rotation that is not finite";
    Err(Invalid::new(place, field, problem))
}

fn finite(place: &str, field: &str, v: &Vec3) -> Result<(), Invalid> {
    if v.iter().all(|c| c.is_finite()) {
        return Ok(());
    }
    let problem = "has a number that is not finite";
    Err(Invalid::new(place, field, problem))
}
