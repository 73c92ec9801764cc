//! A junction moves along its trunk.

use super::super::names::{known, no_such};
use super::super::{CommandError, Kind, bad, find_cable};
use super::in_scene::{cut_in_scene, rename_handle, reverse_in_scene, weld_in_scene};
use super::{carefully, end_of};
use crate::geom::{Pose, Vec3};
use crate::scene::topology::{CableEnd, cut_node};
use crate::scene::{Cable, Handle, Junction, JunctionEnd, Scene};

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
        return Err(bad("shift of the junction", "a number of mm", by));
    }
    if by < 0.0 {
        let must = "positive; name the cable on the other side to go back";
        return Err(bad("shift of the junction", must, by));
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
        super::super::cables::not_locked(find_cable(scene, cable)?)?;
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
        bad("shift of the junction", must, by)
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
    let there = super::super::handles::find(find_cable(scene, &behind)?, &ends[0])?.pose;
    let pose = there.compose(&old.inverse()).compose(&junction.pose);
    for (cable, turned) in [(&behind, turned[0]), (&ahead, turned[1])] {
        if turned {
            reverse_in_scene(scene, cable)?;
        }
    }
    super::super::handles::send_junction(scene, &junction.name, pose)?;
    for (cable, handle) in [&behind, &ahead].into_iter().zip(ends) {
        let held = super::super::handles::find(find_cable(scene, cable)?, &handle)?.pose;
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
    let found = super::super::handles::find(find_cable(scene, cable)?, &name)?;
    found.kind = was.kind;
    found.attached_to = was.attached_to;
    Ok(name)
}

pub fn turned_pose(pose: &Pose) -> Pose {
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
