//! Names of things: renaming, deleting, and what refers to them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::CommandError;
use crate::scene::{MeasuredPlace, Measurement, Memory, Piece, Scene};

/// What in a scene has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A body.
    Part,
    /// A cable.
    Cable,
    /// Ends of cables that move together.
    Junction,
    /// What a flexibilised harness was.
    Harness,
    /// A material of the scene.
    Material,
    /// A camera place.
    View,
    /// A distance that is kept.
    Measurement,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Self::Part => "part",
            Self::Cable => "cable",
            Self::Junction => "junction",
            Self::Harness => "harness",
            Self::Material => "material of the scene",
            Self::View => "view",
            Self::Measurement => "measurement",
        })
    }
}

/// The names of a kind, in the scene's order.
pub fn known(scene: &Scene, kind: Kind) -> Vec<String> {
    match kind {
        Kind::Part => scene.parts.iter().map(|x| x.name.clone()).collect(),
        Kind::Cable => scene.cables.iter().map(|x| x.name.clone()).collect(),
        Kind::Junction => scene.junctions.iter().map(|x| x.name.clone()).collect(),
        Kind::Harness => scene.harnesses.iter().map(|x| x.name.clone()).collect(),
        Kind::Material => scene.materials.iter().map(|x| x.name.clone()).collect(),
        Kind::View => scene.views.iter().map(|x| x.name.clone()).collect(),
        Kind::Measurement => scene.measurements.iter().map(|x| x.name.clone()).collect(),
    }
}

/// The error for a name that is not there.
pub fn no_such(kind: Kind, name: &str, known: &[String]) -> CommandError {
    CommandError::NoSuch {
        kind,
        name: name.to_owned(),
        known: listed(known.iter().map(String::as_str)),
    }
}

/// The names there are, for an error; the first dozen of a long list.
pub fn listed<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<_> = all.collect();
    let shown = all.iter().take(12).copied().collect::<Vec<_>>().join(", ");
    match all.len() {
        0 => "none".to_owned(),
        n if n > 12 => format!("{shown} and {} more", n - 12),
        _ => shown,
    }
}

/// Adds `new` to `all`, or puts it in the place of its namesake.
pub fn set<T>(all: &mut Vec<T>, new: T, name: impl Fn(&T) -> &String) {
    match all.iter().position(|old| name(old) == name(&new)) {
        Some(k) => all[k] = new,
        None => all.push(new),
    }
}

/// Gives something another name; what refers to it follows.
pub fn rename(scene: &mut Scene, kind: Kind, from: &str, to: &str) -> Result<(), CommandError> {
    let all = known(scene, kind);
    let Some(k) = all.iter().position(|name| name == from) else {
        return Err(no_such(kind, from, &all));
    };
    if to.trim().is_empty() {
        return Err(CommandError::NoName { kind });
    }
    let is_missing_part = kind == Kind::Part && scene.missing.iter().any(|p| p.name == to);
    if from != to && (is_missing_part || all.iter().any(|name| name == to)) {
        return Err(CommandError::NameTaken {
            kind,
            name: to.to_owned(),
        });
    }
    let follow = |name: &mut String| {
        if name == from {
            to.clone_into(name);
        }
    };
    match kind {
        Kind::Part => {
            to.clone_into(&mut scene.parts[k].name);
            memories(scene).for_each(|memory| memory.rename_part(from, to));
            scene
                .exclusions
                .iter_mut()
                .for_each(|e| follow(&mut e.part));
            let handles = scene.cables.iter_mut().flat_map(|c| &mut c.handles);
            handles
                .filter_map(|h| h.attached_to.as_mut())
                .for_each(follow);
            let carried = scene.junctions.iter_mut().flat_map(|j| &mut j.carries);
            carried.for_each(follow);
            measured(scene).for_each(|place| {
                if let MeasuredPlace::Part { part, .. } = place {
                    follow(part);
                }
            });
            pieces(scene).for_each(|piece| {
                if let Piece::Rigid {
                    part: Some(part), ..
                } = piece
                {
                    follow(part);
                }
            });
        }
        Kind::Cable => {
            to.clone_into(&mut scene.cables[k].name);
            memories(scene).for_each(|memory| memory.rename_cable(from, to));
            scene
                .exclusions
                .iter_mut()
                .for_each(|e| follow(&mut e.cable));
            let ends = scene.junctions.iter_mut().flat_map(|j| &mut j.ends);
            ends.for_each(|end| follow(&mut end.cable));
            let branches = scene.wires.iter_mut().flat_map(|w| &mut w.branches);
            branches.for_each(follow);
            measured(scene).for_each(|place| {
                if let MeasuredPlace::Cable { cable, .. } = place {
                    follow(cable);
                }
            });
            pieces(scene).for_each(|piece| {
                if let Piece::Flexible { cable } = piece {
                    follow(cable);
                }
            });
        }
        Kind::Junction => to.clone_into(&mut scene.junctions[k].name),
        Kind::Harness => to.clone_into(&mut scene.harnesses[k].name),
        Kind::Material => {
            to.clone_into(&mut scene.materials[k].name);
            let used = scene.cables.iter_mut().flat_map(|c| {
                let stretches = c.stretches.iter_mut().map(|s| &mut s.material);
                stretches.chain([&mut c.material]).flatten()
            });
            used.for_each(follow);
        }
        Kind::View => to.clone_into(&mut scene.views[k].name),
        Kind::Measurement => to.clone_into(&mut scene.measurements[k].name),
    }
    Ok(())
}

/// The places that are measured from or to.
fn measured(scene: &mut Scene) -> impl Iterator<Item = &mut MeasuredPlace> {
    scene
        .measurements
        .iter_mut()
        .flat_map(Measurement::places_mut)
}

/// What cables remember of parts and of each other.
fn memories(scene: &mut Scene) -> impl Iterator<Item = &mut Memory> {
    let shapes = scene.cables.iter_mut().filter_map(|c| c.shape.as_mut());
    shapes.filter_map(|shape| shape.memory.as_mut().map(Arc::make_mut))
}

/// Removes something, and what refers to it. A stretch of a harness whose cable goes stays where it was last.
pub fn delete(scene: &mut Scene, kind: Kind, name: &str) -> Result<(), CommandError> {
    let all = known(scene, kind);
    let missing = scene.missing.iter().position(|p| p.name == name);
    if let (Kind::Part, Some(k)) = (kind, missing) {
        scene.missing.remove(k);
        forget_part(scene, name);
        return Ok(());
    }
    let Some(k) = all.iter().position(|n| n == name) else {
        return Err(no_such(kind, name, &all));
    };
    match kind {
        Kind::Part => {
            let gone = scene.parts.remove(k);
            // Its stretches of a harness stay where it was last.
            for piece in pieces(scene) {
                if let Piece::Rigid { part, points, .. } = piece
                    && part.take_if(|part| part == name).is_some()
                {
                    for p in points {
                        *p = gone.placement().transform(p);
                    }
                }
            }
            forget_part(scene, name);
        }
        Kind::Cable => {
            let gone = scene.cables.remove(k);
            scene.exclusions.retain(|e| e.cable != name);
            scene.measurements.retain(|m| !m.is_on_cable(name));
            for junction in &mut scene.junctions {
                junction.ends.retain(|end| end.cable != name);
            }
            super::topology::dissolve(scene);
            let radii = gone.node_radii();
            let points = gone.shape.map(|shape| shape.points).unwrap_or_default();
            for piece in pieces(scene) {
                if matches!(piece, Piece::Flexible { cable } if cable == name) {
                    *piece = Piece::Rigid {
                        part: None,
                        radii: radii[..points.len()].to_vec(),
                        points: points.clone(),
                    };
                }
            }
        }
        Kind::Junction => {
            for end in scene.junctions.remove(k).ends {
                super::topology::stay(scene, &end.cable, &end.handle);
            }
        }
        Kind::Harness => {
            scene.harnesses.remove(k);
        }
        Kind::Material => {
            scene.materials.remove(k);
        }
        Kind::View => {
            scene.views.remove(k);
        }
        Kind::Measurement => {
            scene.measurements.remove(k);
        }
    }
    Ok(())
}

/// Takes a part that is gone out of what refers to it.
fn forget_part(scene: &mut Scene, name: &str) {
    scene.exclusions.retain(|e| e.part != name);
    scene.measurements.retain(|m| !m.is_on_part(name));
    for junction in &mut scene.junctions {
        // Connectors hang on the branches, which are the first.
        if junction.carries.first().is_some_and(|part| part == name) {
            junction.carries.clear();
        }
        junction.carries.retain(|part| part != name);
    }
    for handle in scene.cables.iter_mut().flat_map(|c| &mut c.handles) {
        handle.attached_to.take_if(|part| part == name);
    }
}

fn pieces(scene: &mut Scene) -> impl Iterator<Item = &mut Piece> {
    let segments = scene.harnesses.iter_mut().flat_map(|h| &mut h.segments);
    segments.flat_map(|segment| &mut segment.pieces)
}
