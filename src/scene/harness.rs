//! What a flexibilised harness was: its nodes and segments, and which pieces of them are flexible now.

use serde::{Deserialize, Serialize};

use super::part::is_default;
use super::{Handle, HandlePlace, PartRole, Scene};
use crate::geom::{Pose, Vec3, plain};
use crate::mesh::import::SourceSpace;

/// The topology of one imported harness. Positions of nodes are those of the import.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harness {
    /// Unique among the harnesses: the name of the part it was.
    pub name: String,
    /// Unit and axes of the file it came from; an export goes back into them.
    #[serde(default, skip_serializing_if = "is_default")]
    pub space: SourceSpace,
    /// Ends and junctions.
    pub nodes: Vec<HarnessNode>,
    /// Branches between nodes.
    pub segments: Vec<Segment>,
}

/// An end or junction of a harness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HarnessNode {
    /// Unique in the harness.
    pub name: String,
    /// Where it was imported, mm.
    #[serde(with = "plain::point")]
    pub position: Vec3,
}

/// One branch from node to node, in pieces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Unique in the harness; what the route is called in an export.
    pub name: String,
    /// Number of the node it starts at.
    pub start: usize,
    /// Number of the node it ends at.
    pub end: usize,
    /// From start to end, each beginning where the last stops.
    pub pieces: Vec<Piece>,
}

/// A stretch of a segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Piece {
    /// Stays as imported, on a part that may be moved.
    Rigid {
        /// Name of the part it is the centerline of; where that is placed takes the points to the world.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        /// Centerline, mm.
        #[serde(with = "plain::points")]
        points: Vec<Vec3>,
        /// Radius at each point, mm.
        radii: Vec<f64>,
    },
    /// Became this cable, which runs the same way.
    Flexible {
        /// Name of the cable.
        cable: String,
    },
}

impl Harness {
    /// Names of the cables that its flexible pieces have become, in its order.
    pub fn cables(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().flat_map(Segment::cables)
    }
}

impl Segment {
    /// Names of the cables that its flexible pieces have become.
    pub fn cables(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Flexible { cable } => Some(cable.as_str()),
            Piece::Rigid { .. } => None,
        })
    }
}

impl Scene {
    /// The number of the harness that a cable is a branch of.
    pub fn harness_of(&self, cable: &str) -> Option<usize> {
        (self.harnesses.iter()).position(|h| h.cables().any(|c| c == cable))
    }

    /// What belongs to the harness of that number.
    pub fn harness_members(&self, number: usize) -> Members {
        let Some(harness) = self.harnesses.get(number) else {
            return Members::default();
        };
        let own = |name: &str| harness.cables().any(|c| c == name);
        let number = |name: &str| self.cables.iter().position(|c| c.name == name);
        let cables: Vec<usize> = harness.cables().filter_map(number).collect();
        let junctions = self.junctions.iter().enumerate();
        let junctions = junctions.filter(|(_, j)| j.ends.iter().any(|e| own(&e.cable)));
        let junctions: Vec<usize> = junctions.map(|(k, _)| k).collect();
        let rigid = |name: &str| {
            let mut pieces = harness.segments.iter().flat_map(|s| &s.pieces);
            pieces.any(|p| matches!(p, Piece::Rigid { part: Some(part), .. } if part == name))
        };
        let held = |name: &str| {
            let mut handles = cables.iter().flat_map(|k| &self.cables[*k].handles);
            handles.any(|h| h.attached_to.as_deref() == Some(name))
        };
        let carried = |name: &str| junctions.iter().any(|k| self.junctions[*k].carries(name));
        let parts = self.parts.iter().enumerate();
        let parts = parts.filter(|(_, p)| p.role == PartRole::Connector);
        let parts = parts.filter(|(_, p)| rigid(&p.name) || held(&p.name) || carried(&p.name));
        Members {
            connectors: parts.map(|(k, _)| k).collect(),
            cables,
            junctions,
        }
    }
}

/// What belongs to a harness, by numbers of the scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Its branches.
    pub cables: Vec<usize>,
    /// Where they meet.
    pub junctions: Vec<usize>,
    /// Connectors, clips and rigid rests.
    pub connectors: Vec<usize>,
}

/// Ends of cables that meet and move together, as one handle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Junction {
    /// Unique among the junctions.
    pub name: String,
    /// Where it is now.
    pub pose: Pose,
    /// The handles that follow it.
    pub ends: Vec<JunctionEnd>,
    /// Names of the parts that follow it as one body: the branches that meet there and stayed rigid, then the
    /// connectors that hang on them. A single one is a plain name in the file.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        with = "one_or_several"
    )]
    pub carries: Vec<String>,
    /// Whether it finds its own place when a branch is pulled; otherwise it moves only when it is dragged.
    #[serde(default, skip_serializing_if = "is_default")]
    pub free: bool,
    /// Mass of what hangs there beside its cables, kg.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mass_kg: f64,
}

impl Junction {
    /// Whether that handle of that cable follows it.
    pub fn holds(&self, cable: &str, handle: &str) -> bool {
        let is_that = |end: &JunctionEnd| end.cable == cable && end.handle == handle;
        self.ends.iter().any(is_that)
    }

    /// Whether the part of that name follows it.
    pub fn carries(&self, part: &str) -> bool {
        self.carries.iter().any(|name| name == part)
    }
}

/// Whether a number may be the mass of what hangs on a junction.
pub(super) fn is_mass(kg: f64) -> bool {
    kg.is_finite() && kg >= 0.0
}

impl super::Scene {
    /// Why a junction cannot find its own place, in words; `None` where it can.
    pub(super) fn why_not_free(&self, junction: &Junction) -> Option<String> {
        let name = &junction.name;
        let held = |h: &Handle| h.attached_to.as_ref().is_some_and(|p| junction.carries(p));
        for cable in &self.cables {
            let own =
                (cable.handles.iter()).find(|h| held(h) && !junction.holds(&cable.name, &h.name));
            if let Some(handle) = own {
                return Some(format!(
                    "fixing \"{}\" of cable \"{}\" is fixed to what junction \"{name}\" carries, but does not meet \
                     there: take it off the part first",
                    handle.name, cable.name
                ));
            }
        }
        for end in &junction.ends {
            let handle = (self.cable(&end.cable)).and_then(|c| c.handle(&end.handle));
            let Some(handle) = handle else { continue };
            if let Some(part) = handle.attached_to.as_ref().filter(|p| !junction.carries(p)) {
                return Some(format!(
                    "fixing \"{}\" of cable \"{}\" in junction \"{name}\" is fixed to the part \"{part}\": take it \
                     off the part first",
                    end.handle, end.cable
                ));
            }
            if matches!(handle.place, HandlePlace::At(_)) {
                return Some(format!(
                    "junction \"{name}\" holds cable \"{}\" within its length, not at an end, and cannot be free",
                    end.cable
                ));
            }
        }
        None
    }

    /// Takes where the free junctions of a solved copy are, with the parts that they carry.
    pub fn follow_junctions(&mut self, solved: &Self) {
        for junction in solved.junctions.iter().filter(|j| j.free) {
            let own = self.junctions.iter().find(|j| j.name == junction.name);
            let follows = |own: &Junction| own.free && own.pose != junction.pose;
            if own.is_some_and(follows) {
                super::command::place_body(self, &junction.name, junction.pose);
            }
        }
    }

    /// Whether a free junction carries the part of that name.
    pub fn is_carried_freely(&self, part: &str) -> bool {
        self.junctions.iter().any(|j| j.free && j.carries(part))
    }

    /// Center of mass of what a junction carries in the junction's axes, each part counted by its volume, mm.
    pub fn center_of(&self, junction: &Junction) -> Vec3 {
        let mut sum = (0.0, Vec3::zeros());
        for part in junction.carries.iter().filter_map(|name| self.part(name)) {
            let (volume, center) = part.base().volume_and_center();
            let volume = volume.max(f64::MIN_POSITIVE);
            sum.0 += volume;
            sum.1 += part.placement().transform(&center) * volume;
        }
        if sum.0 == 0.0 {
            return Vec3::zeros();
        }
        junction.pose.inverse().transform(&(sum.1 / sum.0))
    }
}

/// A list of names, of which a single one is written without the list.
mod one_or_several {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        One(String),
        Several(Vec<String>),
    }

    pub fn serialize<S: Serializer>(names: &[String], to: S) -> Result<S::Ok, S::Error> {
        match names {
            [one] => one.serialize(to),
            several => several.serialize(to),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
        Ok(match Names::deserialize(from)? {
            Names::One(name) => vec![name],
            Names::Several(names) => names,
        })
    }
}

/// A handle of a cable that follows a junction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JunctionEnd {
    /// Name of the cable.
    pub cable: String,
    /// Name of its handle.
    pub handle: String,
    /// The handle's pose in the junction's own axes.
    pub in_junction: Pose,
}
