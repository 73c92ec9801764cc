//! Puts a fixing of the library round a cable: a small part, a handle that holds the cable in it, and what moves both.

use serde::{Deserialize, Serialize};

use super::{CommandError, find_cable, find_part, finite_point, handles};
use crate::geom::{Pose, Rotation, Vec3};
use crate::rod::turned_to;
use crate::scene::fixing::{self, Fixing, Holds, Seat};
use crate::scene::{
    Cable, Exclusion, HandlePlace, Junction, JunctionEnd, Part, PartRole, Scene, free_name,
};

/// The group of the tree that fixings are in.
const GROUP: &str = "Fixings";
/// Arc length beside a fixing that may touch its rims, over the cable's radius.
const RIM: f64 = 4.0;

/// A fixing: by the name that it has in the scene or in the library, or as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FixingChoice {
    /// By name.
    Named(String),
    /// As it is; the scene keeps it.
    Own(Box<Fixing>),
}

/// A fixing that is put somewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewFixing {
    /// Which one.
    pub fixing: FixingChoice,
    /// Name of the cable that is laid through it.
    pub cable: String,
    /// Where along the cable; one for the end of a cable sits at its start or its end.
    pub place: HandlePlace,
    /// Where it is put: the cable along z through it, y away from what it sits on. Left out, round the cable as it lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pose: Option<Pose>,
    /// Name of the part that it sits on and goes with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Its name; made up when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl FixingChoice {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::Own(fixing) => &fixing.name,
        }
    }
}

/// Carries the edit out on a copy: a fixing is several things, and all of them are there or none.
pub fn add(scene: &mut Scene, new: &NewFixing) -> Result<(), CommandError> {
    let mut next = scene.clone();
    add_to(&mut next, new)?;
    *scene = next;
    Ok(())
}

fn add_to(scene: &mut Scene, new: &NewFixing) -> Result<(), CommandError> {
    let fixing = find(scene, &new.fixing)?;
    let impossible = |words: String| Err(CommandError::Impossible(words));
    let at_end = !matches!(new.place, HandlePlace::At(_));
    if at_end != (fixing.seat == Seat::End) {
        let where_to = if at_end { "within" } else { "at the end of" };
        return impossible(format!(
            "fixing \"{}\" sits {where_to} a cable: choose another place, or another fixing",
            fixing.name
        ));
    }
    if let Some(on) = &new.on {
        find_part(scene, on)?;
    }
    let cable = find_cable(scene, &new.cable)?;
    let length = cable.length;
    let radius = cable.radius_at(match new.place {
        HandlePlace::Start => 0.0,
        HandlePlace::At(s) => s,
        HandlePlace::End => length,
    });
    let diameter = 2.0 * radius;
    let mesh = fixing
        .mesh_for(diameter)
        .map_err(CommandError::Impossible)?;
    let kind = fixing.holds.kind(length);
    let (place, now) = match new.place {
        HandlePlace::At(s) => {
            handles::check_place(cable, new.place, None)?;
            let held = cable.place_to_hold(s, kind);
            held.map_or((new.place, None), |(place, pose)| (place, Some(pose)))
        }
        end => (end, handles::held_now(cable, end, kind)),
    };
    let pose = match (new.pose, now) {
        (Some(pose), _) => pose,
        (None, Some(now)) => round(&now, new.place == HandlePlace::End),
        (None, None) => {
            return Err(CommandError::NoShape {
                cable: cable.name.clone(),
            });
        }
    };
    finite_point("position", pose.position.into())?;
    let (wanted, cable_name) = (new.name.as_deref().unwrap_or(&fixing.name), &new.cable);
    let is_taken = |name: &str| {
        scene.has_part(name)
            || scene.junctions.iter().any(|j| j.name == name)
            || (scene.cable(cable_name)).is_some_and(|c| c.handle(name).is_some())
    };
    let name = free_name(wanted, is_taken);
    let held = Pose {
        rotation: laid(now.as_ref(), &pose, new.place == HandlePlace::End),
        ..pose
    };
    let handle = hold(scene, new, place, &name, &fixing, held)?;
    let mut part = Part::new(name.clone(), mesh);
    part.role = PartRole::Connector;
    part.color = fixing.color;
    part.finish = fixing.finish;
    part.group = vec![GROUP.to_owned()];
    part.place(pose)
        .map_err(|reason| CommandError::BadPlacement {
            part: name.clone(),
            reason,
        })?;
    scene.parts.push(part);
    scene.junctions.push(Junction {
        name: name.clone(),
        pose,
        ends: vec![JunctionEnd {
            cable: new.cable.clone(),
            handle,
            in_junction: pose.inverse().compose(&held),
        }],
        carries: vec![name.clone()],
        free: false,
        mass_kg: 0.0,
    });
    let bounds = fixing.bounds(diameter);
    let beside = bounds.max.z.max(-bounds.min.z) + RIM * radius;
    scene
        .exclusions
        .push(overlap(new, &fixing, &name, length, beside));
    if let (FixingChoice::Own(own), false) = (&new.fixing, scene.fixings.contains(&fixing)) {
        scene.fixings.retain(|f| f.name != own.name);
        scene.fixings.push(fixing);
    }
    Ok(())
}

/// Where the cable may overlap its fixing: it is inside of it.
fn overlap(new: &NewFixing, fixing: &Fixing, part: &str, length: f64, beside: f64) -> Exclusion {
    let all = Exclusion::everywhere(&new.cable, part);
    if fixing.holds == Holds::Sliding {
        return all;
    }
    let (from, to) = match new.place {
        HandlePlace::Start => (0.0, beside),
        HandlePlace::End => (length - beside, all.to),
        HandlePlace::At(s) => (s - beside, s + beside),
    };
    let from = from.max(0.0);
    Exclusion { from, to, ..all }
}

/// The handle that holds the cable in the fixing: that of its end, or a new one. Its name.
fn hold(
    scene: &mut Scene,
    new: &NewFixing,
    place: HandlePlace,
    name: &str,
    fixing: &Fixing,
    pose: Pose,
) -> Result<String, CommandError> {
    let cable = find_cable(scene, &new.cable)?;
    let kind = fixing.holds.kind(cable.length);
    let there = match place {
        HandlePlace::At(_) => None,
        place => cable.handle_at(place).map(|h| h.name.clone()),
    };
    let handle = if let Some(handle) = there {
        if let Some(junction) = (scene.junctions.iter()).find(|j| j.holds(&new.cable, &handle)) {
            return Err(CommandError::Impossible(format!(
                "the end of cable \"{}\" is in junction \"{}\" already: disconnect it first",
                new.cable, junction.name
            )));
        }
        let end = handles::find(find_cable(scene, &new.cable)?, &handle)?;
        end.pose = pose;
        end.kind = kind;
        handle
    } else {
        handles::add(scene, &new.cable, Some(name), place, kind, Some(pose))?;
        name.to_owned()
    };
    let cable = find_cable(scene, &new.cable)?;
    handles::find(cable, &handle)?
        .attached_to
        .clone_from(&new.on);
    Ok(handle)
}

fn find(scene: &Scene, choice: &FixingChoice) -> Result<Fixing, CommandError> {
    match choice {
        FixingChoice::Own(fixing) => match fixing.problem() {
            Some(problem) => Err(CommandError::Impossible(problem)),
            None => Ok((**fixing).clone()),
        },
        FixingChoice::Named(name) => {
            let mut all = scene.fixings.iter().chain(fixing::built_in());
            all.find(|f| f.name == *name).cloned().ok_or_else(|| {
                let known = scene.fixings.iter().chain(fixing::built_in());
                let known: Vec<&str> = known.map(|f| f.name.as_str()).collect();
                CommandError::Impossible(format!(
                    "there is no fixing \"{name}\"; there are {}",
                    known.join(", ")
                ))
            })
        }
    }
}

/// The frame of the cable in a fixing: along its axis, turned as little as can be from how it lies. A cable that ends there
/// comes against the axis.
fn laid(now: Option<&Pose>, fixing: &Pose, ends: bool) -> Rotation {
    let along = fixing.rotation * Vec3::z();
    let frame = now.map_or(fixing.rotation, |now| now.rotation);
    turned_to(&frame, &if ends { -along } else { along })
}

/// The pose of a fixing round a cable as it lies: upwards as far as that goes.
fn round(now: &Pose, ends: bool) -> Pose {
    let along = now.rotation * Vec3::z() * if ends { -1.0 } else { 1.0 };
    Pose {
        position: now.position,
        rotation: upright(&along, &Vec3::z()),
    }
}

/// The frame with z `along`, and y as near to `up` as can be.
pub fn upright(along: &Vec3, up: &Vec3) -> Rotation {
    let up = up - along * along.dot(up);
    let up = if up.norm() > 1e-6 {
        up
    } else {
        // Straight up: any way across will do.
        Vec3::y().cross(along)
    };
    Rotation::face_towards(along, &up)
}

/// Where on a cable is nearest to a point: arc length and distance, mm.
pub fn nearest_on(cable: &Cable, point: &Vec3) -> Option<(f64, f64)> {
    let shape = cable.shape.as_ref()?;
    let lengths = cable.edge_lengths();
    let (mut s, mut best) = (0.0, (f64::INFINITY, 0.0));
    for (ends, length) in shape.points.windows(2).zip(&lengths) {
        let edge = ends[1] - ends[0];
        let t = ((point - ends[0]).dot(&edge) / edge.norm_squared()).clamp(0.0, 1.0);
        let distance = (point - ends[0] - edge * t).norm();
        if distance < best.0 {
            best = (distance, s + t * length);
        }
        s += length;
    }
    best.0.is_finite().then_some((best.1, best.0))
}
