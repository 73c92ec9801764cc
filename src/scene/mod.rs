//! The document: plain data, the commands that change it, and its file.

pub mod bench;
mod bend;
mod bend_limit;
mod cable;
mod clearance;
mod command;
pub mod demo;
mod exclusion;
pub mod file;
pub mod findings;
mod finish;
pub mod fitting;
pub mod fixing;
pub mod flexibilise;
mod harness;
pub mod history;
pub mod hose;
pub mod lengths;
pub mod material;
mod measurement;
mod memory;
pub mod motion;
mod part;
pub mod refine;
mod required;
pub mod second_opinion;
mod section;
pub mod shortest;
mod simulation;
mod skin;
pub mod slack;
mod start_contacts;
mod start_groups;
mod stretch;
pub mod study;
pub mod topology;
pub mod update;
mod view;

pub use bend::Bend;
pub use bend_limit::{BendLimit, BendMeasure, BendRadius};
pub use cable::{AsDesigned, Cable, Handle, HandleKind, HandlePlace, RestShape, Shape};
pub use clearance::{Clearance, Neighbour};
pub use command::{
    Addition, CableChange, ClipPlace, Command, CommandError, Effect, FixingChoice, Kind, Mirror,
    NewFixing, Sent, SolverEffect, branch_number, nearest_on, upright,
};
pub use exclusion::Exclusion;
pub use finish::Finish;
pub use fitting::Fitting;
pub use harness::{Harness, HarnessNode, Junction, JunctionEnd, Members, Piece, Segment};
pub use hose::Pressure;
pub use lengths::{CutRule, Wire};
pub use material::{Material, MaterialKind, Stiffness};
pub use measurement::{MeasuredPlace, Measurement};
pub use memory::Memory;
pub use part::{MeshSource, MissingPart, Part, PartRole};
pub use required::{Hazard, RequiredClearances};
pub use section::{CableSection, Moduli, Outline, SectionNumber};
pub use simulation::push::{HeldPart, PartStop};
pub use simulation::{
    CableReport, CableReports, IslandReport, JunctionReport, Simulation, SimulationError,
};
pub use skin::{Skin, SkinVertex};
pub use start_contacts::{StartContact, StartReason};
pub use start_groups::{StartChoice, StartGroup};
pub use stretch::CableStretch;
pub use view::NamedView;

use crate::geom::Vec3;

/// The whole document. Equal scenes give equal solutions.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Direction and strength of gravity, m/s^2.
    pub gravity: Vec3,
    /// Coulomb friction coefficient between cables and parts, and among cables; 0 switches friction off.
    pub friction: f64,
    /// Distance that cables keep from parts that have none of their own, mm.
    pub margin: f64,
    /// Clearances that cables must have: they judge, and push nothing.
    pub required: RequiredClearances,
    /// Bodies.
    pub parts: Vec<Part>,
    /// Parts whose mesh file was not found or not usable when the scene was read.
    pub missing: Vec<MissingPart>,
    /// The flexible things.
    pub cables: Vec<Cable>,
    /// Ends of cables that move together.
    pub junctions: Vec<Junction>,
    /// What flexibilised harnesses were.
    pub harnesses: Vec<Harness>,
    /// Materials of this scene, besides those of the library.
    pub materials: Vec<Material>,
    /// Fixings that are used here, besides those of the library.
    pub fixings: Vec<fixing::Fixing>,
    /// Where cables may overlap parts.
    pub exclusions: Vec<Exclusion>,
    /// Wires that run through several branches.
    pub wires: Vec<Wire>,
    /// Camera places with a name.
    pub views: Vec<NamedView>,
    /// Distances that are kept.
    pub measurements: Vec<Measurement>,
    /// Fields of the file that this version does not know; kept and written back.
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            friction: 0.2,
            margin: 0.0,
            required: RequiredClearances::default(),
            parts: Vec::new(),
            missing: Vec::new(),
            cables: Vec::new(),
            junctions: Vec::new(),
            harnesses: Vec::new(),
            materials: Vec::new(),
            fixings: Vec::new(),
            exclusions: Vec::new(),
            wires: Vec::new(),
            views: Vec::new(),
            measurements: Vec::new(),
            extra: serde_json::Map::new(),
        }
    }
}

impl Scene {
    /// The part of that name.
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|p| p.name == name)
    }

    /// Names of the parts that go where a part goes: one junction carries them, or they are fixings that sit on it. Its own
    /// first.
    pub fn body_of(&self, part: &str) -> Vec<String> {
        let mut body = vec![part.to_owned()];
        let sits_there = |j: &Junction| {
            j.ends.iter().any(|end| {
                let handle = self.cable(&end.cable).and_then(|c| c.handle(&end.handle));
                handle.is_some_and(|h| h.attached_to.as_deref() == Some(part))
            })
        };
        let along = |j: &&Junction| j.carries(part) || !j.carries.is_empty() && sits_there(j);
        for junction in self.junctions.iter().filter(along) {
            for name in &junction.carries {
                if !body.contains(name) && self.part(name).is_some() {
                    body.push(name.clone());
                }
            }
        }
        body
    }

    /// The cable of that name.
    pub fn cable(&self, name: &str) -> Option<&Cable> {
        self.cables.iter().find(|c| c.name == name)
    }

    /// The cable of that name, to change.
    pub fn cable_mut(&mut self, name: &str) -> Option<&mut Cable> {
        self.cables.iter_mut().find(|c| c.name == name)
    }

    /// The part of that name, to change.
    pub fn part_mut(&mut self, name: &str) -> Option<&mut Part> {
        self.parts.iter_mut().find(|p| p.name == name)
    }

    /// Distance that cables keep from a part, mm: its own, or the scene's.
    pub fn margin_of(&self, part: &Part) -> f64 {
        part.margin.unwrap_or(self.margin)
    }

    /// Distance that cables keep from each part, mm; empty when there is none to keep.
    pub fn margins(&self) -> Vec<f64> {
        let margins: Vec<f64> = self.parts.iter().map(|p| self.margin_of(p)).collect();
        if margins.iter().all(|m| *m == 0.0) {
            return Vec::new();
        }
        margins
    }

    /// The exclusions of a cable and a part.
    pub fn exclusions_of(&self, cable: &str, part: &str) -> impl Iterator<Item = &Exclusion> {
        let all = self.exclusions.iter();
        all.filter(move |e| e.is_of(cable, part))
    }

    /// A copy that keeps every mesh in its file, for mailing.
    #[must_use]
    pub fn packed(&self) -> Self {
        let mut scene = self.clone();
        for part in &mut scene.parts {
            part.embedded = part.source.is_some();
        }
        scene
    }

    /// Whether a part has that name, also one that is missing.
    pub fn has_part(&self, name: &str) -> bool {
        self.part(name).is_some() || self.missing.iter().any(|p| p.name == name)
    }

    /// The material of that name: the scene's own before the library's.
    pub fn material(&self, name: &str) -> Option<Material> {
        let mut all = self.materials.iter().chain(material::library());
        all.find(|m| m.name == name).cloned()
    }

    /// `wanted`, or with a number behind it so that no part has it.
    pub fn free_part_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| self.has_part(name))
    }

    /// `wanted`, or with a number behind it so that no cable has it.
    pub fn free_cable_name(&self, wanted: &str) -> String {
        free_name(wanted, |name| self.cable(name).is_some())
    }
}

/// `wanted`, or `wanted 2`, `wanted 3` and so on: the first that is not taken.
pub fn free_name(wanted: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(wanted) {
        return wanted.to_owned();
    }
    let mut k = 2_u64;
    while is_taken(&format!("{wanted} {k}")) {
        k += 1;
    }
    format!("{wanted} {k}")
}
