//! Every edit of the document is a command: the window pushes them, a script plays them.

use serde::{Deserialize, Serialize};

use super::{HandlePlace, Scene};
use crate::geom::{Rotation, Vec3};

/// One edit, as one JSON line: `{"command":"move_handle","cable":"cable","handle":"end","position":[1,2,3]}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Asks a handle to go somewhere; what is left out stays as it is.
    MoveHandle {
        /// Name of the cable.
        cable: String,
        /// Which of its handles.
        handle: HandlePlace,
        /// New position, mm.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<[f64; 3]>,
        /// New orientation, unit quaternion w, x, y, z.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rotation: Option<[f64; 4]>,
    },
    /// Sets the rest length of a cable, mm.
    SetLength {
        /// Name of the cable.
        cable: String,
        /// New rest length, mm.
        length: f64,
    },
    /// Sets the friction coefficient of the scene; 0 switches friction off.
    SetFriction {
        /// New coefficient.
        friction: f64,
    },
    /// Shows or hides a part. A hidden part still collides.
    ShowPart {
        /// Name of the part.
        part: String,
        /// Whether it is drawn.
        visible: bool,
    },
}

/// Why a command could not be carried out; the scene is then unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CommandError {
    /// No cable of that name.
    #[error("there is no cable \"{name}\"; the scene has: {known}")]
    NoCable {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// No part of that name.
    #[error("there is no part \"{name}\"; the scene has: {known}")]
    NoPart {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The cable has no handle there.
    #[error("cable \"{cable}\" has no handle at its {place:?} end")]
    NoHandle {
        /// The cable.
        cable: String,
        /// Where a handle was looked for.
        place: HandlePlace,
    },
    /// A number is outside what makes sense.
    #[error("{what} must be {must}, but is {value}")]
    BadNumber {
        /// Which number.
        what: &'static str,
        /// What it must be.
        must: &'static str,
        /// What it is.
        value: f64,
    },
}

impl Command {
    /// Carries the edit out on `scene`, or leaves it unchanged and says why.
    pub fn apply(&self, scene: &mut Scene) -> Result<(), CommandError> {
        match self {
            Self::MoveHandle {
                cable,
                handle,
                position,
                rotation,
            } => {
                let place = *handle;
                let position = position.map(|p| finite_point("position", p)).transpose()?;
                let rotation = rotation.map(unit_rotation).transpose()?;
                let cable = find_cable(scene, cable)?;
                let name = cable.name.clone();
                let handle = cable
                    .handles
                    .iter_mut()
                    .find(|h| h.place == place)
                    .ok_or(CommandError::NoHandle { cable: name, place })?;
                handle.pose.position = position.unwrap_or(handle.pose.position);
                handle.pose.rotation = rotation.unwrap_or(handle.pose.rotation);
            }
            Self::SetLength { cable, length } => {
                let cable = find_cable(scene, cable)?;
                if !(length.is_finite() && *length > 0.0) {
                    return Err(bad("length", "a positive number of mm", *length));
                }
                cable.length = *length;
            }
            Self::SetFriction { friction } => {
                if !(friction.is_finite() && (0.0..=2.0).contains(friction)) {
                    return Err(bad("friction", "between 0 and 2", *friction));
                }
                scene.friction = *friction;
            }
            Self::ShowPart { part, visible } => {
                let known = || names(scene.parts.iter().map(|p| p.name.as_str()));
                let Some(index) = scene.parts.iter().position(|p| &p.name == part) else {
                    return Err(CommandError::NoPart {
                        name: part.clone(),
                        known: known(),
                    });
                };
                scene.parts[index].visible = *visible;
            }
        }
        Ok(())
    }
}

fn find_cable<'a>(scene: &'a mut Scene, name: &str) -> Result<&'a mut super::Cable, CommandError> {
    let Some(index) = scene.cables.iter().position(|c| c.name == name) else {
        let known = names(scene.cables.iter().map(|c| c.name.as_str()));
        return Err(CommandError::NoCable {
            name: name.to_owned(),
            known,
        });
    };
    Ok(&mut scene.cables[index])
}

/// The names there are, for an error; the first dozen of a long list.
fn names<'a>(all: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<_> = all.collect();
    let shown = all.iter().take(12).copied().collect::<Vec<_>>().join(", ");
    match all.len() {
        0 => "none".to_owned(),
        n if n > 12 => format!("{shown} and {} more", n - 12),
        _ => shown,
    }
}

fn bad(what: &'static str, must: &'static str, value: f64) -> CommandError {
    CommandError::BadNumber { what, must, value }
}

fn finite_point(what: &'static str, p: [f64; 3]) -> Result<Vec3, CommandError> {
    // Beyond a thousand kilometres a coordinate is a mistake, as in a mesh.
    match p.iter().find(|c| !(c.abs() <= 1e9)) {
        Some(&value) => Err(bad(what, "three numbers of at most 1e9 mm", value)),
        None => Ok(Vec3::from(p)),
    }
}

fn unit_rotation([w, x, y, z]: [f64; 4]) -> Result<Rotation, CommandError> {
    let q = nalgebra::Quaternion::new(w, x, y, z);
    let norm = q.norm();
    if !(norm.is_finite() && norm > 1e-6) {
        return Err(bad(
            "rotation",
            "a quaternion w, x, y, z that is not zero",
            norm,
        ));
    }
    Ok(Rotation::from_quaternion(q))
}
