//! Edits of junctions: whether they find their own place, how they hold their branches, and what hangs there.

use super::names::{known, no_such};
use super::{CommandError, Kind, bad, find_cable, find_part};
use crate::geom::Pose;
use crate::scene::harness::is_mass;
use crate::scene::{HandleKind, HandlePlace, Junction, JunctionEnd, Scene, free_name};

pub fn change(
    scene: &mut Scene,
    name: &str,
    free: Option<bool>,
    branches_turn: Option<bool>,
    mass_kg: Option<f64>,
) -> Result<(), CommandError> {
    let all = known(scene, Kind::Junction);
    let found = scene.junctions.iter().position(|j| j.name == name);
    let number = found.ok_or_else(|| no_such(Kind::Junction, name, &all))?;
    if let Some(mass) = mass_kg {
        check_mass(mass)?;
    }
    if free == Some(true) {
        check_free(scene, &scene.junctions[number])?;
    }
    if let Some(turn) = branches_turn {
        turn_branches(scene, number, turn);
    }
    let junction = &mut scene.junctions[number];
    junction.free = free.unwrap_or(junction.free);
    junction.mass_kg = mass_kg.unwrap_or(junction.mass_kg);
    Ok(())
}

/// What is to hang on a cable.
pub struct NewBody<'a> {
    pub mass_kg: Option<f64>,
    pub density_kg_m3: Option<f64>,
    pub parts: &'a [String],
}

impl NewBody<'_> {
    /// Its mass: as given, or by volume and density.
    fn mass_kg(&self, scene: &mut Scene) -> Result<f64, CommandError> {
        let mut volume = 0.0;
        for name in self.parts {
            volume += find_part(scene, name)?.base().volume_and_center().0;
            if let Some(other) = scene.junctions.iter().find(|j| j.carries(name)) {
                return Err(CommandError::Impossible(format!(
                    "part \"{name}\" goes with junction \"{}\" already",
                    other.name
                )));
            }
        }
        let mass = match (self.mass_kg, self.density_kg_m3) {
            (Some(mass), _) => mass,
            (None, Some(density)) if self.parts.is_empty() => {
                return Err(bad(
                    "density",
                    "left out where no part hangs there",
                    density,
                ));
            }
            (None, Some(density)) => 1e-9 * volume * density,
            (None, None) => {
                return Err(CommandError::Impossible(
                    "what hangs on a cable needs a mass, or parts and a density".to_owned(),
                ));
            }
        };
        check_mass(mass)?;
        Ok(mass)
    }
}

pub fn hang(
    scene: &mut Scene,
    cable: &str,
    handle: &str,
    body: &NewBody,
    name: Option<&str>,
) -> Result<(), CommandError> {
    let mass_kg = body.mass_kg(scene)?;
    let end = super::handles::find(find_cable(scene, cable)?, handle)?.clone();
    if let HandlePlace::At(_) = end.place {
        return Err(CommandError::Impossible(format!(
            "a body hangs on the end of a cable, but fixing \"{handle}\" of cable \"{cable}\" is within it: choose its start or its end"
        )));
    }
    if let Some(junction) = scene.junctions.iter().find(|j| j.holds(cable, handle)) {
        return Err(CommandError::Impossible(format!(
            "fixing \"{handle}\" of cable \"{cable}\" is in junction \"{}\": give the junction the mass",
            junction.name
        )));
    }
    let is_taken = |name: &str| scene.junctions.iter().any(|j| j.name == name);
    if let Some(name) = name.filter(|name| is_taken(name)) {
        return Err(CommandError::Impossible(format!(
            "there is a junction \"{name}\" already: choose another name"
        )));
    }
    let name = name.map_or_else(
        || free_name(&format!("{cable} body"), is_taken),
        str::to_owned,
    );
    let junction = Junction {
        name,
        pose: end.pose,
        ends: vec![JunctionEnd {
            cable: cable.to_owned(),
            handle: handle.to_owned(),
            in_junction: Pose::identity(),
        }],
        carries: body.parts.to_vec(),
        free: true,
        mass_kg,
    };
    check_free(scene, &junction)?;
    scene.junctions.push(junction);
    Ok(())
}

/// Whether a new junction is possible as far as its place and mass go.
pub fn check(scene: &Scene, junction: &Junction) -> Result<(), CommandError> {
    check_mass(junction.mass_kg)?;
    if junction.free {
        check_free(scene, junction)?;
    }
    Ok(())
}

fn check_mass(mass_kg: f64) -> Result<(), CommandError> {
    if is_mass(mass_kg) {
        Ok(())
    } else {
        Err(bad("mass", "0 or a positive number of kg", mass_kg))
    }
}

/// Whether a junction may find its own place.
pub(super) fn check_free(scene: &Scene, junction: &Junction) -> Result<(), CommandError> {
    match scene.why_not_free(junction) {
        Some(reason) => Err(CommandError::Impossible(reason)),
        None => Ok(()),
    }
}

/// Lets the branches of a junction turn, or holds them at the angles that they have now.
fn turn_branches(scene: &mut Scene, number: usize, turn: bool) {
    let Scene {
        junctions, cables, ..
    } = scene;
    let junction = &mut junctions[number];
    for end in &mut junction.ends {
        let Some(cable) = cables.iter_mut().find(|c| c.name == end.cable) else {
            continue;
        };
        let shape = cable.shape.as_ref();
        let Some(handle) = cable.handles.iter_mut().find(|h| h.name == end.handle) else {
            continue;
        };
        let turned = handle.kind == HandleKind::Position;
        if turn {
            handle.kind = HandleKind::Position;
        } else if turned {
            handle.kind = HandleKind::Full;
            let frames = shape.map_or(&[][..], |s| &s.frames);
            let now = match handle.place {
                HandlePlace::Start => frames.first(),
                _ => frames.last(),
            };
            if let Some(now) = now {
                end.in_junction.rotation = junction.pose.rotation.inverse() * now;
                handle.pose.rotation = *now;
            }
        }
    }
}
