//! Edits of what hangs together: cables cut, joined, branched off, merged, clipped to each other.
//!
//! Names follow one rule. What was there keeps its name: of a cut cable the piece with its start, of two that are merged
//! the first that was named. What is new has the name of what it came from with the next free number: `loom 2` for the
//! piece that was cut off, `loom J1` for a junction.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::names::{known, no_such};
use super::{CommandError, Kind, bad, find_cable};
use crate::geom::{Pose, Vec3};
use crate::scene::simulation::problem_of;
use crate::scene::topology::{CableEnd, cut, cut_node, put_touches, reversed, take_touches, weld};
use crate::scene::{
    Cable, Exclusion, Handle, HandleKind, HandlePlace, Junction, JunctionEnd, Piece, Scene, Segment,
};

/// A place on a cable that a clip holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClipPlace {
    /// Name of the cable.
    pub cable: String,
    /// Arc length, mm from its start.
    pub at: f64,
}

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
    dissolve(scene);
    Ok(())
}

/// Forgets junctions that hold nothing together any more. The handle that is left stays where it is; one that something
/// hangs on, or that finds its own place, stays.
pub fn dissolve(scene: &mut Scene) {
    let hangs = |j: &Junction| !j.carries.is_empty() || j.free || j.mass_kg > 0.0;
    let holds = |j: &Junction| j.ends.len() > 1 || hangs(j);
    scene.junctions.retain(|j| !j.ends.is_empty() && holds(j));
}

pub fn merge(scene: &mut Scene, first: &str, second: &str) -> Result<(), CommandError> {
    for cable in [first, second] {
        super::cables::not_locked(find_cable(scene, cable)?)?;
    }
    if first == second {
        let same = format!("cable \"{first}\" cannot be merged with itself; name two cables");
        return Err(CommandError::BadCable(same));
    }
    carefully(scene, |scene| {
        let (end, of_second) = meeting_ends(scene, first, second)?;
        if of_second == end {
            reverse_in_harness(scene, second)?;
            reverse_in_scene(scene, second)?;
        }
        // It runs as the first did.
        let [front, back] = match end {
            CableEnd::End => [first, second],
            CableEnd::Start => [second, first],
        };
        merge_in_harness(scene, [front, back], first)?;
        weld_in_scene(scene, front, back)?;
        dissolve(scene);
        if front != first {
            super::rename_named(scene, Kind::Cable, front, first)?;
        }
        for branches in scene.wires.iter_mut().map(|w| &mut w.branches) {
            branches
                .iter_mut()
                .filter(|b| *b == second)
                .for_each(|b| first.clone_into(b));
            branches.dedup();
        }
        Ok(())
    })
}

/// The ends at which two cables meet: those that one junction holds, or else the nearest.
fn meeting_ends(
    scene: &Scene,
    first: &str,
    second: &str,
) -> Result<(CableEnd, CableEnd), CommandError> {
    let (Some(a), Some(b)) = (scene.cable(first), scene.cable(second)) else {
        return Err(no_such(Kind::Cable, second, &known(scene, Kind::Cable)));
    };
    let point = |cable: &Cable, end: CableEnd| {
        let shape = cable.shape.as_ref()?;
        match end {
            CableEnd::Start => shape.points.first().copied(),
            CableEnd::End => shape.points.last().copied(),
        }
    };
    let held = |cable: &Cable, end: CableEnd| {
        let handle = cable.handle_at(end.place())?;
        junction_of(scene, &cable.name, &handle.name)
    };
    let both = [CableEnd::End, CableEnd::Start];
    let pairs = both.into_iter().flat_map(|x| both.map(|y| (x, y)));
    let rank = |(x, y): &(CableEnd, CableEnd)| {
        let together = held(a, *x).is_some() && held(a, *x) == held(b, *y);
        let apart = point(a, *x).zip(point(b, *y)).map(|(p, q)| (p - q).norm());
        (!together, apart.unwrap_or(f64::INFINITY))
    };
    let order = |a: &(bool, f64), b: &(bool, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
    let nearest = pairs.min_by(|p, q| order(&rank(p), &rank(q)));
    let (x, y) = nearest.unwrap_or((CableEnd::End, CableEnd::Start));
    for junction in [held(a, x), held(b, y)].into_iter().flatten() {
        let junction = &scene.junctions[junction];
        let ours = |end: &JunctionEnd| end.cable == first || end.cable == second;
        let alone = junction.carries.is_empty() && junction.mass_kg == 0.0;
        if !alone || !junction.ends.iter().all(ours) {
            return Err(CommandError::BadCable(format!(
                "junction \"{}\" holds more than \"{first}\" and \"{second}\"; detach the rest first",
                junction.name
            )));
        }
    }
    Ok((x, y))
}

/// Where a cable is a piece of a harness: harness, segment, piece.
fn piece_of(scene: &Scene, name: &str) -> Option<(usize, usize, usize)> {
    let own = |piece: &Piece| matches!(piece, Piece::Flexible { cable } if cable == name);
    (scene.harnesses.iter().enumerate()).find_map(|(h, harness)| {
        (harness.segments.iter().enumerate()).find_map(|(s, segment)| {
            let piece = segment.pieces.iter().position(own)?;
            Some((h, s, piece))
        })
    })
}

/// Turns the segment of a cable round that is to run the other way.
fn reverse_in_harness(scene: &mut Scene, cable: &str) -> Result<(), CommandError> {
    let Some((h, s, _)) = piece_of(scene, cable) else {
        return Ok(());
    };
    let segment = &mut scene.harnesses[h].segments[s];
    if segment.pieces.len() > 1 {
        return Err(CommandError::BadCable(format!(
            "cable \"{cable}\" would have to run the other way, but it is a piece of segment \"{}\"; merge the pieces of that first",
            segment.name
        )));
    }
    std::mem::swap(&mut segment.start, &mut segment.end);
    Ok(())
}

/// Makes the pieces of two cables one, under the name `keep`.
fn merge_in_harness(
    scene: &mut Scene,
    [front, back]: [&str; 2],
    keep: &str,
) -> Result<(), CommandError> {
    let places = (piece_of(scene, front), piece_of(scene, back));
    let merged = Piece::Flexible {
        cable: keep.to_owned(),
    };
    match places {
        (None, None) => {}
        (Some((h, s, p)), None) | (None, Some((h, s, p))) => {
            scene.harnesses[h].segments[s].pieces[p] = merged;
        }
        (Some((h, s, p)), Some((h2, s2, p2))) => {
            let segments = &mut scene.harnesses[h].segments;
            let follows = (h, s, p + 1) == (h2, s2, p2);
            let at_node = h == h2
                && s != s2
                && p + 1 == segments[s].pieces.len()
                && p2 == 0
                && segments[s].end == segments[s2].start;
            if follows {
                segments[s].pieces.remove(p2);
                segments[s].pieces[p] = merged;
            } else if at_node {
                let gone = segments[s2].clone();
                segments[s].pieces[p] = merged;
                segments[s].pieces.extend_from_slice(&gone.pieces[1..]);
                segments[s].end = gone.end;
                segments.remove(s2);
            } else {
                return Err(CommandError::BadCable(format!(
                    "\"{front}\" and \"{back}\" belong to segments of harnesses that do not run on into each other"
                )));
            }
        }
    }
    Ok(())
}

pub fn move_along(
    scene: &mut Scene,
    junction: &str,
    towards: &str,
    by: f64,
) -> Result<(), CommandError> {
    let all = known(scene, Kind::Junction);
    let found = scene.junctions.iter().find(|j| j.name == junction);
    let found = found
        .ok_or_else(|| no_such(Kind::Junction, junction, &all))?
        .clone();
    find_cable(scene, towards)?;
    if !by.is_finite() {
        return Err(bad("way of the junction", "a number of mm", by));
    }
    if by < 0.0 {
        let must = "positive; name the cable on the other side to go back";
        return Err(bad("way of the junction", must, by));
    }
    carefully(scene, |scene| move_trunk(scene, &found, towards, by))
}

/// Gives material of the cable ahead of a junction to the one behind it. The trunk stays where it is; the branches follow.
fn move_trunk(
    scene: &mut Scene,
    junction: &Junction,
    towards: &str,
    by: f64,
) -> Result<(), CommandError> {
    let [behind, ahead] = trunk_of(scene, junction, towards)?;
    for (cable, _) in [&behind, &ahead] {
        super::cables::not_locked(find_cable(scene, cable)?)?;
    }
    let turned = [behind.1 == CableEnd::Start, ahead.1 == CableEnd::End];
    let (behind, ahead) = (behind.0, ahead.0);
    for (cable, turned) in [(&behind, turned[0]), (&ahead, turned[1])] {
        if turned {
            reverse_in_scene(scene, cable)?;
        }
    }
    let (_, end) = end_of(scene, &behind, CableEnd::End)?;
    let (_, start) = end_of(scene, &ahead, CableEnd::Start)?;
    let old = end.pose;
    let was = [&behind, &ahead].map(|name| scene.cable(name).cloned());
    let length = find_cable(scene, &behind)?.length;
    let names = weld_in_scene(scene, &behind, &ahead)?;
    let whole = find_cable(scene, &behind)?;
    let node = cut_node(whole, length + by).filter(|_| length + by < whole.length);
    let node = node.ok_or_else(|| {
        let must = "less than what there is ahead of the junction";
        bad("way of the junction", must, by)
    })?;
    cut_in_scene(scene, &behind, node, &ahead)?;
    for (name, new) in names {
        let found = find_cable(scene, &ahead)?;
        if found.handle(&new).is_some() && found.handle(&name).is_none() {
            rename_handle(scene, &ahead, &new, &name);
        }
    }
    was.iter().flatten().for_each(|was| stay_as_was(scene, was));
    let ends = [
        end_as_was(scene, &behind, CableEnd::End, end)?,
        end_as_was(scene, &ahead, CableEnd::Start, start)?,
    ];
    // Turned as the trunk turns on the way.
    let there = super::handles::find(find_cable(scene, &behind)?, &ends[0])?.pose;
    let pose = there.compose(&old.inverse()).compose(&junction.pose);
    for (cable, turned) in [(&behind, turned[0]), (&ahead, turned[1])] {
        if turned {
            reverse_in_scene(scene, cable)?;
        }
    }
    super::handles::send_junction(scene, &junction.name, pose)?;
    for (cable, handle) in [&behind, &ahead].into_iter().zip(ends) {
        let held = super::handles::find(find_cable(scene, cable)?, &handle)?.pose;
        let end = JunctionEnd {
            cable: cable.clone(),
            handle,
            in_junction: pose.inverse().compose(&held),
        };
        let mut junctions = scene.junctions.iter_mut();
        if let Some(found) = junctions.find(|j| j.name == junction.name) {
            found.ends.push(end);
            found.free = junction.free;
        }
    }
    Ok(())
}

/// Gives a cable back what it was but for its length: two that were one for a moment may differ in it.
fn stay_as_was(scene: &mut Scene, was: &Cable) {
    if let Some(cable) = scene.cable_mut(&was.name) {
        cable.material.clone_from(&was.material);
        cable.bend_limit = was.bend_limit;
        cable.straight_ends = was.straight_ends;
        cable.cut = was.cut;
        (cable.visible, cable.color) = (was.visible, was.color);
        cable.extra.clone_from(&was.extra);
    }
}

/// Makes the handle at an end what the one was that was there; its name.
fn end_as_was(
    scene: &mut Scene,
    cable: &str,
    end: CableEnd,
    was: Handle,
) -> Result<String, CommandError> {
    let (_, handle) = end_of(scene, cable, end)?;
    let taken = find_cable(scene, cable)?.handle(&was.name).is_some();
    let name = if taken { handle.name.clone() } else { was.name };
    rename_handle(scene, cable, &handle.name, &name);
    let found = super::handles::find(find_cable(scene, cable)?, &name)?;
    found.kind = was.kind;
    found.attached_to = was.attached_to;
    Ok(name)
}

fn turned_pose(pose: &Pose) -> Pose {
    crate::scene::topology::turned(pose)
}

/// The two cables of the trunk at a junction, each with its end there: the one that runs on from `towards` most
/// straightly, and `towards`.
fn trunk_of(
    scene: &Scene,
    junction: &Junction,
    towards: &str,
) -> Result<[(String, CableEnd); 2], CommandError> {
    let ends = junction.ends.iter().filter_map(|end| {
        let cable = scene.cable(&end.cable)?;
        let handle = cable.handle(&end.handle)?;
        let at = CableEnd::of(handle)?;
        let along = handle.pose.rotation * Vec3::z();
        let away = if at == CableEnd::Start { along } else { -along };
        Some((cable, at, away))
    });
    let ends: Vec<(&Cable, CableEnd, Vec3)> = ends.collect();
    let ahead = ends.iter().find(|(cable, _, _)| cable.name == towards);
    let Some(&(ahead, at, away)) = ahead else {
        return Err(CommandError::BadCable(format!(
            "no end of cable \"{towards}\" is in junction \"{}\"; name a cable that is",
            junction.name
        )));
    };
    let alike = |(cable, _, _): &&(&Cable, CableEnd, Vec3)| {
        cable.name != towards && cable.radius == ahead.radius && cable.section == ahead.section
    };
    let straight = |end: &&(&Cable, CableEnd, Vec3)| end.2.angle(&-away);
    let behind = (ends.iter().filter(alike)).min_by(|a, b| straight(a).total_cmp(&straight(b)));
    let Some((behind, from, _)) = behind else {
        return Err(CommandError::BadCable(format!(
            "no other cable in junction \"{}\" is like \"{towards}\", so it has no trunk to move along",
            junction.name
        )));
    };
    Ok([(behind.name.clone(), *from), (towards.to_owned(), at)])
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
    // As few edges as give or take no more than half of what they will have.
    let mut sum = 0.0;
    let mut stretched = Vec::new();
    for i in order.into_iter().take_while(|&i| !fixed[i]) {
        if sum >= by.abs() * if by < 0.0 { 2.0 } else { 1.0 } && !stretched.is_empty() {
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

/// Cuts a cable; the second piece comes behind the first in the scene.
fn cut_in_scene(
    scene: &mut Scene,
    cable: &str,
    node: usize,
    second: &str,
) -> Result<(), CommandError> {
    let touches = take_touches(scene);
    let k = scene.cables.iter().position(|c| c.name == cable);
    let pieces = k.and_then(|k| cut(&scene.cables[k], node, second));
    let (Some(k), Some([first, last])) = (k, pieces) else {
        return Err(CommandError::NoShape {
            cable: cable.to_owned(),
        });
    };
    let at = first.length;
    for end in scene.junctions.iter_mut().flat_map(|j| &mut j.ends) {
        let goes_along = first
            .handle(&end.handle)
            .is_none_or(|h| h.place == HandlePlace::End)
            && last.handle(&end.handle).is_some();
        if end.cable == cable && goes_along {
            second.clone_into(&mut end.cable);
        }
    }
    let mut exclusions = Vec::new();
    for e in std::mem::take(&mut scene.exclusions) {
        if e.cable != cable {
            exclusions.push(e);
        } else if e.is_everywhere() || e.is_nowhere() {
            exclusions.push(e.clone());
            exclusions.push(Exclusion {
                cable: second.to_owned(),
                ..e
            });
        } else {
            if e.from < at {
                exclusions.push(e.clone());
            }
            if e.to > at {
                exclusions.push(Exclusion {
                    cable: second.to_owned(),
                    from: (e.from - at).max(0.0),
                    to: if e.to >= Exclusion::BEYOND {
                        e.to
                    } else {
                        e.to - at
                    },
                    ..e
                });
            }
        }
    }
    scene.exclusions = exclusions;
    scene.cables[k] = first;
    scene.cables.insert(k + 1, last);
    let touches = touches.into_iter().map(|touch| {
        touch.mapped(|name, edge, s| match edge.checked_sub(node as u32) {
            Some(edge) if name == cable => (second.to_owned(), edge, s),
            _ => (name.to_owned(), edge, s),
        })
    });
    put_touches(scene, touches.collect());
    Ok(())
}

/// Makes one cable of two, the end of the first to the start of the second, under the first name. Old and new names of the
/// second's handles.
fn weld_in_scene(
    scene: &mut Scene,
    front: &str,
    back: &str,
) -> Result<Vec<(String, String)>, CommandError> {
    let touches = take_touches(scene);
    let number = |name: &str| scene.cables.iter().position(|c| c.name == name);
    let (Some(a), Some(b)) = (number(front), number(back)) else {
        return Err(no_such(Kind::Cable, back, &known(scene, Kind::Cable)));
    };
    let (first, second) = (&scene.cables[a], &scene.cables[b]);
    let (one, names) =
        weld(first, second).map_err(|misfit| CommandError::BadCable(misfit.to_string()))?;
    let (at, n) = (first.length, first.n_edges as u32);
    let end = first.handle_at(HandlePlace::End).map(|h| h.name.clone());
    for junction in &mut scene.junctions {
        junction.ends.retain_mut(|held| {
            if held.cable == front {
                return Some(&held.handle) != end.as_ref();
            }
            if held.cable != back {
                return true;
            }
            front.clone_into(&mut held.cable);
            let new = names.iter().find(|(old, _)| *old == held.handle);
            new.inspect(|(_, new)| new.clone_into(&mut held.handle))
                .is_some()
        });
    }
    for e in scene.exclusions.iter_mut().filter(|e| e.cable == back) {
        front.clone_into(&mut e.cable);
        if !e.is_nowhere() {
            e.from += at;
            e.to += at;
        }
    }
    tidy_exclusions(scene, front, at);
    scene.cables[a] = one;
    scene.cables.remove(b);
    let touches = touches.into_iter().map(|touch| {
        touch.mapped(|name, edge, s| {
            if name == back {
                (front.to_owned(), edge + n, s)
            } else {
                (name.to_owned(), edge, s)
            }
        })
    });
    put_touches(scene, touches.collect());
    Ok(names)
}

/// Makes stretches that meet at arc length `at` one again, and gives those of the front that were of all of it an end.
fn tidy_exclusions(scene: &mut Scene, cable: &str, at: f64) {
    let mut tidy: Vec<Exclusion> = Vec::new();
    for e in std::mem::take(&mut scene.exclusions) {
        let slack = 1e-9 * at;
        let before = (tidy.iter_mut()).find(|b| e.cable == cable && b.is_of(cable, &e.part));
        match before {
            Some(b) if b.is_nowhere() && e.is_nowhere() => {}
            Some(b) if b.is_nowhere() => *b = e,
            Some(_) if e.is_nowhere() => {}
            Some(b) if b.to >= at - slack && e.from <= at + slack && e.from >= at - slack => {
                b.to = e.to;
            }
            _ => tidy.push(e),
        }
    }
    scene.exclusions = tidy;
}

/// Lets a cable run the other way.
fn reverse_in_scene(scene: &mut Scene, name: &str) -> Result<(), CommandError> {
    let touches = take_touches(scene);
    let cable = find_cable(scene, name)?;
    *cable = reversed(cable);
    let (length, n) = (cable.length, cable.n_edges as u32);
    let ends = scene.junctions.iter_mut().flat_map(|j| &mut j.ends);
    for end in ends.filter(|end| end.cable == name) {
        end.in_junction = turned_pose(&end.in_junction);
    }
    for e in scene.exclusions.iter_mut().filter(|e| e.cable == name) {
        if e.is_everywhere() || e.is_nowhere() {
            continue;
        }
        let to = if e.from <= 0.0 {
            Exclusion::BEYOND
        } else {
            length - e.from
        };
        (e.from, e.to) = ((length - e.to).max(0.0), to);
    }
    let touches = touches.into_iter().map(|touch| {
        touch.mapped(|cable, edge, s| {
            if cable == name {
                (cable.to_owned(), n.saturating_sub(1 + edge), 1.0 - s)
            } else {
                (cable.to_owned(), edge, s)
            }
        })
    });
    put_touches(scene, touches.collect());
    Ok(())
}

/// Gives a handle another name; what refers to it follows.
pub fn rename_handle(scene: &mut Scene, cable: &str, from: &str, to: &str) {
    if from == to {
        return;
    }
    if let Some(cable) = scene.cable_mut(cable) {
        if let Some(found) = cable.handles.iter_mut().find(|h| h.name == from) {
            to.clone_into(&mut found.name);
        }
        let locks = cable.locked_spans.iter_mut().flatten();
        locks
            .filter(|end| *end == from)
            .for_each(|end| to.clone_into(end));
        let rolls = cable.shape.as_mut().map(|s| &mut s.rolls);
        if let Some(rolls) = rolls
            && let Some(roll) = rolls.remove(from)
        {
            rolls.insert(to.to_owned(), roll);
        }
    }
    let ends = scene.junctions.iter_mut().flat_map(|j| &mut j.ends);
    for end in ends.filter(|end| end.cable == cable && end.handle == from) {
        to.clone_into(&mut end.handle);
    }
}
