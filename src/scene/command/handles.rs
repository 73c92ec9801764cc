//! Edits of handles and junctions.

use super::names::listed;
use super::{
    CommandError, Kind, bad, changed_pose, find_cable, find_part, finite_point, none_such,
};
use crate::geom::Pose;
use crate::rod::turned_to;
use crate::scene::{Cable, Handle, HandleKind, HandlePlace, Junction, Scene, Shape, free_name};

pub fn move_handle(
    scene: &mut Scene,
    cable: &str,
    handle: &str,
    position: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
) -> Result<(), CommandError> {
    let found = find(find_cable(scene, cable)?, handle)?;
    let pose = changed_pose(&found.pose, position, rotation)?;
    send(scene, cable, handle, pose)
}

/// Gives a handle its target; the handle of a junction takes the others along.
fn send(scene: &mut Scene, cable: &str, handle: &str, pose: Pose) -> Result<(), CommandError> {
    let follows = |end: &&crate::scene::JunctionEnd| end.cable == cable && end.handle == handle;
    let junction = scene.junctions.iter().find_map(|j| {
        let end = j.ends.iter().find(follows)?;
        Some((j.name.clone(), pose.compose(&end.in_junction.inverse())))
    });
    if let Some((junction, pose)) = junction {
        send_junction(scene, &junction, pose)?;
    }
    find(find_cable(scene, cable)?, handle)?.pose = pose;
    Ok(())
}

pub fn move_junction(
    scene: &mut Scene,
    name: &str,
    position: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
) -> Result<(), CommandError> {
    let found = scene.junctions.iter().find(|j| j.name == name);
    let junction = found.ok_or_else(|| none_such(scene, Kind::Junction, name))?;
    let pose = changed_pose(&junction.pose, position, rotation)?;
    send_junction(scene, name, pose)
}

/// Lets handles move together; they go where the junction has them.
pub fn add_junction(scene: &mut Scene, new: &Junction) -> Result<(), CommandError> {
    let kind = Kind::Junction;
    if new.name.trim().is_empty() {
        return Err(CommandError::NoName { kind });
    }
    if scene.junctions.iter().any(|j| j.name == new.name) {
        let name = new.name.clone();
        return Err(CommandError::NameTaken { kind, name });
    }
    finite_point("position", new.pose.position.into())?;
    for end in &new.ends {
        finite_point("position in the junction", end.in_junction.position.into())?;
        find(find_cable(scene, &end.cable)?, &end.handle)?;
        if let Some(other) = (scene.junctions.iter()).find(|j| j.holds(&end.cable, &end.handle)) {
            return Err(CommandError::Impossible(format!(
                "handle \"{}\" of cable \"{}\" is in junction \"{}\" already",
                end.handle, end.cable, other.name
            )));
        }
    }
    for part in &new.carries {
        find_part(scene, part)?;
        if let Some(other) = scene.junctions.iter().find(|j| j.carries(part)) {
            return Err(CommandError::Impossible(format!(
                "part \"{part}\" goes with junction \"{}\" already",
                other.name
            )));
        }
    }
    super::junctions::check(scene, new)?;
    scene.junctions.push(new.clone());
    place_junction(scene, &new.name, new.pose);
    Ok(())
}

/// Puts a junction somewhere, with the parts it carries and all that hangs on them. It stays there: one that was free is
/// held from now on.
pub fn send_junction(scene: &mut Scene, name: &str, pose: Pose) -> Result<(), CommandError> {
    for junction in scene.junctions.iter_mut().filter(|j| j.name == name) {
        junction.free = false;
    }
    let junction = scene.junctions.iter().find(|j| j.name == name);
    let carried = junction.and_then(|j| {
        // The others go along with the first.
        let part = scene.part(j.carries.first()?)?;
        let motion = pose.compose(&j.pose.inverse());
        Some((part.name.clone(), motion.compose(part.placement())))
    });
    if let Some((part, placement)) = carried {
        super::parts::place_part(scene, &part, placement)?;
    }
    place_junction(scene, name, pose);
    Ok(())
}

/// Puts a junction somewhere, with all ends that meet there and the parts that it carries.
pub fn place_body(scene: &mut Scene, name: &str, pose: Pose) {
    let Some(junction) = scene.junctions.iter().find(|j| j.name == name) else {
        return;
    };
    let motion = pose.compose(&junction.pose.inverse());
    for part in junction.carries.clone() {
        if let Some(part) = scene.part_mut(&part) {
            let there = motion.compose(part.placement());
            // A place that is no number is that of a body that was lost: it stays where it was.
            let _kept = part.place(there);
        }
    }
    place_junction(scene, name, pose);
}

/// Puts a junction somewhere, with all ends that meet there.
pub fn place_junction(scene: &mut Scene, name: &str, pose: Pose) {
    let Some(junction) = scene.junctions.iter_mut().find(|j| j.name == name) else {
        return;
    };
    junction.pose = pose;
    for end in &junction.ends {
        let cable = scene.cables.iter_mut().find(|c| c.name == end.cable);
        let handle = cable.and_then(|c| c.handles.iter_mut().find(|h| h.name == end.handle));
        if let Some(handle) = handle {
            handle.pose = pose.compose(&end.in_junction);
        }
    }
}

pub fn add(
    scene: &mut Scene,
    cable: &str,
    name: Option<&str>,
    place: HandlePlace,
    kind: HandleKind,
    pose: Option<Pose>,
) -> Result<(), CommandError> {
    let cable = find_cable(scene, cable)?;
    check_place(cable, place, None)?;
    check_kind(kind)?;
    let place = on_grid(cable, place, kind);
    let pose = match pose {
        Some(pose) => {
            finite_point("position", pose.position.into())?;
            pose
        }
        None => held_now(cable, place, kind).ok_or_else(|| CommandError::NoShape {
            cable: cable.name.clone(),
        })?,
    };
    let mut handle = Handle::at_end(place, pose);
    handle.kind = kind;
    let is_taken = |name: &str| cable.handle(name).is_some();
    handle.name = match name {
        Some(name) => {
            check_name(cable, name, None)?;
            name.to_owned()
        }
        None => free_name(&handle.name, is_taken),
    };
    cable.handles.push(handle);
    Ok(())
}

pub fn change(
    scene: &mut Scene,
    (cable, handle): (&str, &str),
    name: Option<&str>,
    (place, pose): (Option<HandlePlace>, Option<Pose>),
    kind: Option<HandleKind>,
    turns: Option<i32>,
    attached_to: Option<&str>,
) -> Result<(), CommandError> {
    if let Some(part) = attached_to.filter(|name| !name.is_empty()) {
        super::find_part(scene, part)?;
    }
    let owner = cable;
    let cable = find_cable(scene, cable)?;
    find(cable, handle)?;
    if let Some(place) = place {
        check_place(cable, place, Some(handle))?;
    }
    if let Some(kind) = kind {
        check_kind(kind)?;
    }
    if let Some(name) = name {
        check_name(cable, name, Some(handle))?;
    }
    // A junction that is sent somewhere is held there.
    if pose.is_none() && (place.is_some() || attached_to.is_some()) {
        let mut next = scene.clone();
        let found = find(find_cable(&mut next, owner)?, handle)?;
        found.place = place.unwrap_or(found.place);
        if let Some(part) = attached_to {
            found.attached_to = (!part.is_empty()).then(|| part.to_owned());
        }
        for junction in next.junctions.iter().filter(|j| j.free) {
            super::junctions::check_free(&next, junction)?;
        }
    }
    if let Some(pose) = pose {
        finite_point("position", pose.position.into())?;
        send(scene, owner, handle, pose)?;
    }
    let cable = find_cable(scene, owner)?;
    let found = find(cable, handle)?;
    found.place = place.unwrap_or(found.place);
    found.kind = kind.unwrap_or(found.kind);
    found.turns = turns.unwrap_or(found.turns);
    if let Some(part) = attached_to {
        found.reference_changed = false;
        found.attached_to = (!part.is_empty()).then(|| part.to_owned());
    }
    if let Some(name) = name {
        super::topology::rename_handle(scene, owner, handle, name);
    }
    Ok(())
}

pub fn confirm(scene: &mut Scene, cable: &str, handle: &str) -> Result<(), CommandError> {
    find(find_cable(scene, cable)?, handle)?.reference_changed = false;
    Ok(())
}

pub fn delete(scene: &mut Scene, cable: &str, handle: &str) -> Result<(), CommandError> {
    let found = find_cable(scene, cable)?;
    find(found, handle)?;
    found.handles.retain(|h| h.name != handle);
    (found.locked_spans).retain(|span| !span.iter().any(|name| name == handle));
    for junction in &mut scene.junctions {
        let keep = |end: &crate::scene::JunctionEnd| end.cable != cable || end.handle != handle;
        junction.ends.retain(keep);
    }
    super::topology::dissolve(scene);
    Ok(())
}

pub(super) fn find<'a>(cable: &'a mut Cable, name: &str) -> Result<&'a mut Handle, CommandError> {
    let Some(k) = cable.handles.iter().position(|h| h.name == name) else {
        return Err(CommandError::NoHandle {
            cable: cable.name.clone(),
            name: name.to_owned(),
            known: listed(cable.handles.iter().map(|h| h.name.as_str())),
        });
    };
    Ok(&mut cable.handles[k])
}

/// Whether a handle may sit there; `own` is the name of the handle that is moved there.
pub(super) fn check_place(
    cable: &Cable,
    place: HandlePlace,
    own: Option<&str>,
) -> Result<(), CommandError> {
    let word = match place {
        HandlePlace::Start => "start",
        HandlePlace::End => "end",
        HandlePlace::At(s) => {
            if s > 0.0 && s < cable.length {
                return Ok(());
            }
            let must = "between 0 and the cable's length, without them";
            return Err(bad("arc length of the handle", must, s));
        }
    };
    match cable.handle_at(place) {
        Some(other) if Some(other.name.as_str()) != own => Err(CommandError::PlaceTaken {
            cable: cable.name.clone(),
            place: word,
        }),
        _ => Ok(()),
    }
}

/// Whether a handle may be called that; `own` is the name it has now.
fn check_name(cable: &Cable, name: &str, own: Option<&str>) -> Result<(), CommandError> {
    let taken = Some(name) != own && cable.handle(name).is_some();
    if name.trim().is_empty() || taken {
        return Err(CommandError::BadCable(format!(
            "cable \"{}\" cannot have another handle called \"{name}\"; choose another name",
            cable.name
        )));
    }
    Ok(())
}

fn check_kind(kind: HandleKind) -> Result<(), CommandError> {
    match kind.bad_number() {
        Some((what, must, value)) => Err(bad(what, must, value)),
        None => Ok(()),
    }
}

impl Cable {
    /// Where a handle stands, whatever it was asked for: its clamp, or the cable at its place; `None` before the first
    /// solve.
    pub fn standing_pose(&self, handle: &Handle) -> Option<Pose> {
        self.held_pose(handle)
            .or_else(|| held_now(self, handle.place, handle.kind))
    }

    /// The place nearest to an arc length at which a handle of that kind holds the solved cable without moving it, and
    /// its pose there; `None` before the first solve.
    pub fn place_to_hold(&self, arc_length: f64, kind: HandleKind) -> Option<(HandlePlace, Pose)> {
        let place = on_grid(self, HandlePlace::At(arc_length), kind);
        Some((place, held_now(self, place, kind)?))
    }
}

/// Where the cable is at that place.
pub(super) fn held_now(cable: &Cable, place: HandlePlace, kind: HandleKind) -> Option<Pose> {
    let shape = cable.shape.as_ref()?;
    let n = shape.frames.len();
    let (edge, along) = match place {
        HandlePlace::Start => (0, 0.0),
        HandlePlace::End => (n.checked_sub(1)?, 1.0),
        HandlePlace::At(s) => {
            // The point of the rod itself, not of the smooth curve through it: held there, nothing moves.
            let (edge, along) = place_at(&cable.edge_lengths(), s);
            let position = shape.points[edge].lerp(&shape.points[edge + 1], along);
            let mut rotation = shape.frames[edge];
            if kind == HandleKind::Direction {
                // Held by its two nodes; its frame differs by the shear.
                rotation = turned_to(&rotation, &(shape.points[edge + 1] - shape.points[edge]));
            }
            return Some(Pose { position, rotation });
        }
    };
    Some(pose_at(shape, edge, along))
}

/// The nearest place at which the rod of a solved cable can be held without moving it: a node for a position, the
/// middle of an edge for a direction.
fn on_grid(cable: &Cable, place: HandlePlace, kind: HandleKind) -> HandlePlace {
    let (HandlePlace::At(s), true) = (place, cable.shape.is_some()) else {
        return place;
    };
    let lengths = cable.edge_lengths();
    let (edge, along) = place_at(&lengths, s);
    let last = lengths.len() - 1;
    let share = match kind {
        HandleKind::Spring { .. } => along,
        // Not an end: those have their own places.
        HandleKind::Position if edge == 0 => 1.0,
        HandleKind::Position if edge == last => 0.0,
        HandleKind::Position => along.round(),
        HandleKind::Full | HandleKind::Direction | HandleKind::Sliding { .. } => 0.5,
    };
    HandlePlace::At(lengths[..edge].iter().sum::<f64>() + share * lengths[edge])
}

/// Edge and share of it at arc length `s`.
fn place_at(lengths: &[f64], s: f64) -> (usize, f64) {
    let mut left = s;
    for (edge, &length) in lengths.iter().enumerate() {
        if left <= length || edge + 1 == lengths.len() {
            return (edge, left / length);
        }
        left -= length;
    }
    (0, 0.0)
}

fn pose_at(shape: &Shape, edge: usize, along: f64) -> Pose {
    let (position, rotation) = shape.place_on_edge(edge, along);
    Pose { position, rotation }
}
