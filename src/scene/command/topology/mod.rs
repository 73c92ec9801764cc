//! Edits of what hangs together: cables cut, joined, branched off, merged, clipped to each other.
//!
//! Names follow one rule. What was there keeps its name: of a cut cable the piece with its start, of two that are merged
//! the first that was named. What is new has the name of what it came from with the next free number: `loom 2` for the
//! piece that was cut off, `loom J1` for a junction.

mod in_scene;
mod merge;
mod slide;

pub use in_scene::rename_handle;
pub use merge::merge;
pub use slide::move_along;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::in_scene::cut_in_scene;
use super::{CommandError, Kind, bad, find_cable};
use crate::geom::{Pose, Vec3};
use crate::scene::simulation::problem_of;
use crate::scene::topology::{CableEnd, cut_node};
use crate::scene::{Handle, HandleKind, HandlePlace, Junction, JunctionEnd, Piece, Scene, Segment};

/// A place on a cable that a clip holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClipPlace {
    /// Name of the cable.
    pub cable: String,
    /// Arc length, mm from its start.
    pub at: f64,
}

/// Way over its cable's length, and turn in radians, up to which a handle is where it was sent: rounding.
const STAYS: f64 = 1e-9;

/// Makes an edit on a copy, and keeps it when the scene is still one that can be saved and solved.
fn carefully(
    scene: &mut Scene,
    edit: impl FnOnce(&mut Scene) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let mut next = scene.clone();
    edit(&mut next)?;
    crate::scene::file::check(&next)
        .map_err(|invalid| CommandError::BadCable(invalid.to_string()))?;
    for cable in &next.cables {
        if scene.cable(&cable.name) != Some(cable) {
            problem_of(&next, cable, &Arc::default())
                .map_err(|e| CommandError::Impossible(e.to_string()))?;
        }
    }
    *scene = next;
    Ok(())
}

pub fn split(
    scene: &mut Scene,
    cable: &str,
    at: f64,
    name: Option<&str>,
) -> Result<(), CommandError> {
    carefully(scene, |scene| split_at(scene, cable, at, name).map(|_| ()))
}

/// Cuts a cable, and holds the two pieces together by a junction, whose name it gives.
fn split_at(
    scene: &mut Scene,
    cable: &str,
    at: f64,
    name: Option<&str>,
) -> Result<String, CommandError> {
    let found = find_cable(scene, cable)?;
    super::cables::not_locked(found)?;
    if !(at > 0.0 && at < found.length) {
        let must = "between 0 and the cable's length, without them";
        return Err(bad("arc length of the cut", must, at));
    }
    let no_room = || {
        CommandError::BadCable(format!(
            "cable \"{cable}\" has no free place for a cut: its handles hold all of its nodes; refine it first"
        ))
    };
    let node = cut_node(found, at).ok_or_else(no_room)?;
    let second = match name {
        Some(name) if name.trim().is_empty() => {
            return Err(CommandError::NoName { kind: Kind::Cable });
        }
        Some(name) if scene.cable(name).is_some() => {
            return Err(CommandError::NameTaken {
                kind: Kind::Cable,
                name: name.to_owned(),
            });
        }
        Some(name) => name.to_owned(),
        None => scene.free_cable_name(cable),
    };
    cut_in_scene(scene, cable, node, &second)?;
    for pieces in segments(scene).map(|s| &mut s.pieces) {
        let own = |piece: &Piece| matches!(piece, Piece::Flexible { cable: c } if c == cable);
        if let Some(k) = pieces.iter().position(own) {
            let cable = second.clone();
            pieces.insert(k + 1, Piece::Flexible { cable });
        }
    }
    let is_segment = segments(scene).any(|s| s.name == cable);
    for branches in scene.wires.iter_mut().map(|w| &mut w.branches) {
        // A wire runs through segments rather than cables where there is one of the name.
        let own = branches.iter().position(|branch| branch == cable);
        if let Some(k) = own.filter(|_| !is_segment) {
            branches.insert(k + 1, second.clone());
        }
    }
    let ends = [(cable, CableEnd::End), (&second, CableEnd::Start)];
    let ends = ends
        .map(|(cable, end)| end_of(scene, cable, end))
        .into_iter();
    let ends: Vec<(String, Handle)> = ends.collect::<Result<_, _>>()?;
    let name = free_junction_name(scene, cable);
    let pose = ends[0].1.pose;
    let ends = ends.into_iter().map(|(cable, handle)| JunctionEnd {
        cable,
        in_junction: pose.inverse().compose(&handle.pose),
        handle: handle.name,
    });
    scene.junctions.push(Junction {
        name: name.clone(),
        pose,
        ends: ends.collect(),
        carries: Vec::new(),
        free: false,
        mass_kg: 0.0,
    });
    Ok(name)
}

/// `loom J1`, `loom J2` and so on: the first that is free.
fn free_junction_name(scene: &Scene, cable: &str) -> String {
    let mut names = (1_u64..).map(|k| format!("{cable} J{k}"));
    let is_free = |name: &String| scene.junctions.iter().all(|j| j.name != *name);
    names.find(is_free).unwrap_or_default()
}

fn segments(scene: &mut Scene) -> impl Iterator<Item = &mut Segment> {
    scene.harnesses.iter_mut().flat_map(|h| &mut h.segments)
}

/// The handle at an end of a cable; one is made that holds it where it is when there is none.
fn end_of(scene: &mut Scene, cable: &str, end: CableEnd) -> Result<(String, Handle), CommandError> {
    if find_cable(scene, cable)?.handle_at(end.place()).is_none() {
        super::handles::add(scene, cable, None, end.place(), HandleKind::Full, None)?;
    }
    let found = find_cable(scene, cable)?.handle_at(end.place()).cloned();
    let handle = found.ok_or_else(|| CommandError::NoShape {
        cable: cable.to_owned(),
    })?;
    Ok((cable.to_owned(), handle))
}

pub fn join(
    scene: &mut Scene,
    (cable, end): (&str, CableEnd),
    (to, to_end): (&str, CableEnd),
) -> Result<(), CommandError> {
    carefully(scene, |scene| join_ends(scene, (cable, end), (to, to_end)))
}

/// Takes the end of a cable to that of another, and holds the two together.
fn join_ends(
    scene: &mut Scene,
    (cable, end): (&str, CableEnd),
    (to, to_end): (&str, CableEnd),
) -> Result<(), CommandError> {
    if (cable, end) == (to, to_end) {
        let same = "an end cannot be joined to itself; name two ends";
        return Err(CommandError::BadCable(same.to_owned()));
    }
    let (_, moved) = end_of(scene, cable, end)?;
    let (_, stays) = end_of(scene, to, to_end)?;
    if let Some(junction) = junction_of(scene, cable, &moved.name) {
        return Err(CommandError::BadCable(format!(
            "the {} of cable \"{cable}\" is in junction \"{}\" already; detach it first",
            end.word(),
            scene.junctions[junction].name
        )));
    }
    let junction = if let Some(junction) = junction_of(scene, to, &stays.name) {
        junction
    } else {
        let name = free_junction_name(scene, to);
        scene.junctions.push(Junction {
            name,
            pose: stays.pose,
            ends: vec![JunctionEnd {
                cable: to.to_owned(),
                handle: stays.name.clone(),
                in_junction: Pose::identity(),
            }],
            carries: Vec::new(),
            free: false,
            mass_kg: 0.0,
        });
        scene.junctions.len() - 1
    };
    // It comes from where it came from: the angle between the branches is its own.
    let pose = Pose {
        position: stays.pose.position,
        ..moved.pose
    };
    let junction = &mut scene.junctions[junction];
    junction.ends.push(JunctionEnd {
        cable: cable.to_owned(),
        handle: moved.name.clone(),
        in_junction: junction.pose.inverse().compose(&pose),
    });
    let found = find_cable(scene, cable)?;
    if let Some(handle) = found.handles.iter_mut().find(|h| h.name == moved.name) {
        handle.pose = pose;
        handle.attached_to = None;
        handle.reference_changed = false;
    }
    Ok(())
}

/// Number of the junction that holds a handle.
fn junction_of(scene: &Scene, cable: &str, handle: &str) -> Option<usize> {
    let mut junctions = scene.junctions.iter();
    junctions.position(|j| j.holds(cable, handle))
}

pub fn branch_off(
    scene: &mut Scene,
    (cable, end): (&str, CableEnd),
    (onto, at): (&str, f64),
    name: Option<&str>,
) -> Result<(), CommandError> {
    find_cable(scene, cable)?;
    if cable == onto {
        let itself = format!("cable \"{cable}\" cannot branch off itself; name another cable");
        return Err(CommandError::BadCable(itself));
    }
    carefully(scene, |scene| {
        split_at(scene, onto, at, name)?;
        join_ends(scene, (cable, end), (onto, CableEnd::End))
    })
}

pub fn detach(scene: &mut Scene, cable: &str, handle: &str) -> Result<(), CommandError> {
    super::handles::find(find_cable(scene, cable)?, handle)?;
    let Some(junction) = junction_of(scene, cable, handle) else {
        return Err(CommandError::BadCable(format!(
            "handle \"{handle}\" of cable \"{cable}\" is in no junction, so there is nothing to detach it from"
        )));
    };
    let ends = &mut scene.junctions[junction].ends;
    ends.retain(|end| !(end.cable == cable && end.handle == handle));
    stay(scene, cable, handle);
    dissolve(scene);
    Ok(())
}

/// Has a handle that leaves a junction hold its cable where it is. It may have been stopped short of where the junction was
/// to go; alone it would go on, into what the others of the junction let it pass through.
pub fn stay(scene: &mut Scene, cable: &str, handle: &str) {
    let Some(cable) = scene.cable_mut(cable) else {
        return;
    };
    let Some(k) = cable.handles.iter().position(|h| h.name == handle) else {
        return;
    };
    let handle = &cable.handles[k];
    let springs = matches!(handle.kind, HandleKind::Spring { .. });
    let Some(stands) = cable.standing_pose(handle).filter(|_| !springs) else {
        return;
    };
    let way = (stands.position - handle.pose.position).norm();
    let turn = stands.rotation.angle_to(&handle.pose.rotation);
    if way > STAYS * cable.length || turn > STAYS {
        cable.handles[k].pose = stands;
    }
}

/// Forgets junctions that hold nothing together any more. The handle that is left stays where it is; one that something
/// hangs on, or that finds its own place, stays.
pub fn dissolve(scene: &mut Scene) {
    let hangs = |j: &Junction| !j.carries.is_empty() || j.free || j.mass_kg > 0.0;
    let holds = |j: &Junction| !j.ends.is_empty() && (j.ends.len() > 1 || hangs(j));
    let all = std::mem::take(&mut scene.junctions).into_iter();
    let (kept, gone): (Vec<Junction>, Vec<Junction>) = all.partition(holds);
    scene.junctions = kept;
    for end in gone.iter().flat_map(|j| &j.ends) {
        stay(scene, &end.cable, &end.handle);
    }
}

pub fn extend(scene: &mut Scene, cable: &str, end: CableEnd, by: f64) -> Result<(), CommandError> {
    let found = find_cable(scene, cable)?;
    super::cables::not_locked(found)?;
    if !by.is_finite() {
        return Err(bad("added length", "a number of mm", by));
    }
    let mut lengths = found.edge_lengths();
    let mut fixed = found.locked_edges();
    for handle in &found.handles {
        if let (HandlePlace::At(s), false) = (handle.place, holds_nothing(handle.kind)) {
            let mut start = 0.0;
            for (length, fixed) in lengths.iter().zip(&mut fixed) {
                *fixed |= start <= s && s <= start + length;
                start += length;
            }
        }
    }
    let n = lengths.len();
    let order: Vec<usize> = match end {
        CableEnd::Start => (0..n).collect(),
        CableEnd::End => (0..n).rev().collect(),
    };
    // As few edges as stay between half and twice the length of all others: edits add up.
    let usual = found.length / n as f64;
    let mut sum = 0.0;
    let mut stretched = Vec::new();
    for i in order.into_iter().take_while(|&i| !fixed[i]) {
        let edge = (sum + by) / stretched.len() as f64;
        if (0.5 * usual..=2.0 * usual).contains(&edge) {
            break;
        }
        sum += lengths[i];
        stretched.push(i);
    }
    if stretched.is_empty() || sum + by < 0.1 * sum {
        return Err(CommandError::BadCable(format!(
            "cable \"{cable}\" has only {sum:.1} mm at its {} that a handle or a locked stretch does not keep",
            end.word()
        )));
    }
    for i in stretched {
        lengths[i] *= (sum + by) / sum;
    }
    found.set_edge_lengths(&lengths);
    Ok(())
}

/// Whether a handle leaves the edge that it sits on free.
fn holds_nothing(kind: HandleKind) -> bool {
    matches!(kind, HandleKind::Position | HandleKind::Spring { .. })
}

pub fn clip(
    scene: &mut Scene,
    name: Option<&str>,
    places: &[ClipPlace],
) -> Result<(), CommandError> {
    let cables: std::collections::BTreeSet<&str> =
        places.iter().map(|p| p.cable.as_str()).collect();
    if cables.len() < 2 || cables.len() != places.len() {
        let two = "a clip holds two or more cables, each at one place; name each once";
        return Err(CommandError::BadCable(two.to_owned()));
    }
    let name = match name {
        Some(name) if name.trim().is_empty() => {
            return Err(CommandError::NoName {
                kind: Kind::Junction,
            });
        }
        Some(name) if scene.junctions.iter().any(|j| j.name == name) => {
            return Err(CommandError::NameTaken {
                kind: Kind::Junction,
                name: name.to_owned(),
            });
        }
        Some(name) => name.to_owned(),
        None => free_junction_name(scene, &places[0].cable),
    };
    carefully(scene, |scene| {
        let mut held = Vec::new();
        for place in places {
            let at = HandlePlace::At(place.at);
            super::handles::add(scene, &place.cable, None, at, HandleKind::Full, None)?;
            let handles = &find_cable(scene, &place.cable)?.handles;
            let new = handles.last().cloned();
            held.extend(new.map(|handle| (place.cable.clone(), handle)));
        }
        let middle: Vec3 = held.iter().map(|(_, h)| h.pose.position).sum();
        let pose = Pose {
            position: middle / held.len() as f64,
            ..Pose::identity()
        };
        let ends = held.into_iter().map(|(cable, handle)| JunctionEnd {
            cable,
            in_junction: pose.inverse().compose(&handle.pose),
            handle: handle.name,
        });
        scene.junctions.push(Junction {
            name,
            pose,
            ends: ends.collect(),
            carries: Vec::new(),
            free: false,
            mass_kg: 0.0,
        });
        Ok(())
    })
}
