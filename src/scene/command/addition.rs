//! Cables that come together: with the junctions they meet at and the harness they are.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{CommandError, Kind, cables};
use crate::scene::harness::{Harness, Junction, Piece};
use crate::scene::{Cable, Scene, file, free_name};

/// What is added to a scene at once, as in the scene file. Names that are taken there get a number behind them, and
/// what refers to them follows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Addition {
    /// Where it comes from, for the list of what can be undone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The cables.
    pub cables: Vec<Cable>,
    /// Where ends of them meet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub junctions: Vec<Junction>,
    /// The harnesses whose segments they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub harnesses: Vec<Harness>,
}

/// Adds all of it, or nothing.
pub fn add(scene: &mut Scene, addition: &Addition) -> Result<(), CommandError> {
    // Meshes are shared: a copy is cheap.
    let mut next = scene.clone();
    let mut names: HashMap<&str, String> = HashMap::new();
    for cable in &addition.cables {
        let name = next.free_cable_name(&cable.name);
        cables::add(
            &mut next,
            &Cable {
                name: name.clone(),
                ..cable.clone()
            },
        )?;
        names.insert(&cable.name, name);
    }
    let renamed = |cable: &str| {
        let known = names.get(cable).cloned();
        known.ok_or_else(|| super::names::no_such(Kind::Cable, cable, &[]))
    };
    for junction in &addition.junctions {
        let mut junction = junction.clone();
        junction.name = free_name(&junction.name, |name| {
            next.junctions.iter().any(|j| j.name == name)
        });
        for end in &mut junction.ends {
            end.cable = renamed(&end.cable)?;
        }
        next.junctions.push(junction);
    }
    for harness in &addition.harnesses {
        let mut harness = harness.clone();
        harness.name = free_name(&harness.name, |name| {
            next.harnesses.iter().any(|h| h.name == name)
        });
        for segment in &mut harness.segments {
            for piece in &mut segment.pieces {
                if let Piece::Flexible { cable } = piece {
                    *cable = renamed(cable)?;
                }
            }
        }
        next.harnesses.push(harness);
    }
    // What a file may not hold, a command does not make.
    file::check(&next).map_err(|invalid| CommandError::Impossible(invalid.to_string()))?;
    *scene = next;
    Ok(())
}
