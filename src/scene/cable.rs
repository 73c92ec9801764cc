//! Cables: section, length, handles, and the shape they were last solved to.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Skin;
use crate::geom::{Pose, Rotation, Vec3};
use crate::rod::Section;

/// A flexible cable.
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// Unique among the cables.
    pub name: String,
    /// Outer radius, mm: the one that collides.
    pub radius: f64,
    /// Rest length, mm.
    pub length: f64,
    /// The length it was imported or made with, mm: what differences are counted from.
    pub basis_length: f64,
    /// Finds its own length when set: how straight it pulls itself, 1 for hardly more than hanging, larger for
    /// straighter. The length it has found is `length`, and stays when this is taken away.
    pub free_length: Option<f64>,
    /// Stretches between two handles, by their names, that keep their length when that of the cable changes.
    pub locked_spans: Vec<[String; 2]>,
    /// Number of edges of its rod.
    pub n_edges: usize,
    /// Share of each edge in the length; `None` for equal edges. As many as edges, all positive.
    pub spacing: Option<Vec<f64>>,
    /// Share of each edge in the basis length; `None` as long as that is its share in the length.
    pub basis_spacing: Option<Vec<f64>>,
    /// Stiffness and mass.
    pub section: CableSection,
    /// Name of the material that the section came from.
    pub material: Option<String>,
    /// The shape it has without any load.
    pub rest: RestShape,
    /// Smallest bend radius allowed for its centerline, mm.
    pub min_bend_radius: Option<f64>,
    /// Where it is held: names unique, at most one at each end.
    pub handles: Vec<Handle>,
    /// The original surface, bound to the centerline; without it a round tube is drawn.
    pub skin: Option<Arc<Skin>>,
    /// Drawn in the window.
    pub visible: bool,
    /// Own colour, red, green, blue; `None` takes one of the theme.
    pub color: Option<[u8; 3]>,
    /// The last solved shape, so that a file opens as it was left.
    pub shape: Option<Shape>,
    /// Fields of the file that this version does not know; kept and written back.
    pub extra: Map<String, Value>,
}

/// Stiffness and mass of a cable, first-class inputs because real cables are not homogeneous.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CableSection {
    /// Bending stiffness EI, N mm^2; of a flat cable, about d1 of its frames.
    pub bending: f64,
    /// Bending stiffness about d2, N mm^2, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bending2: Option<f64>,
    /// Torsional stiffness GJ, N mm^2.
    pub torsion: f64,
    /// Axial stiffness EA, N.
    pub axial: f64,
    /// Mass per length, kg/m (the same number as g/mm).
    pub mass_kg_m: f64,
}

impl CableSection {
    /// As the rod takes it.
    pub fn of_rod(&self) -> Section {
        Section {
            bending: [self.bending, self.bending2.unwrap_or(self.bending)],
            torsion: self.torsion,
            axial: self.axial,
            // Stiff enough not to show; the mixed method does not mind.
            shear: self.axial,
            mass_kg_m: self.mass_kg_m,
        }
    }
}

/// The shape of a cable without any load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum RestShape {
    /// Straight, without twist.
    #[default]
    Straight,
    /// Formed to a shape: of each joint, clamps included, the bend about d1 and d2 and the twist, 1/mm; scaled by
    /// `share` (1 is the shape itself, 0 is straight).
    Moulded {
        /// One more than edges.
        curvatures: Vec<[f64; 3]>,
        /// Between 0 and 1.
        share: f64,
    },
}

/// Where along its cable a handle sits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandlePlace {
    /// Arc length 0.
    Start,
    /// Arc length = length.
    End,
    /// At this arc length of the unstretched cable, mm from its start.
    At(f64),
}

/// What a handle holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandleKind {
    /// Position, direction (d3, along the cable from start to end) and roll.
    #[default]
    Full,
    /// Position and direction; the cable may turn about its own axis.
    Direction,
    /// Position alone.
    Position,
    /// Position, direction and roll of whatever stretch is there: the cable runs through, as in a grommet.
    Sliding {
        /// Smallest arc length that may sit in the handle, mm.
        min: f64,
        /// Largest arc length that may sit in the handle, mm.
        max: f64,
    },
    /// Pulls towards its position like a spring.
    Spring {
        /// N/mm.
        stiffness: f64,
    },
}

/// A place where a cable is held or guided.
#[derive(Clone, Debug, PartialEq)]
pub struct Handle {
    /// Unique in its cable; `start` and `end` by habit for those at the ends.
    pub name: String,
    /// Where along the cable.
    pub place: HandlePlace,
    /// What it holds.
    pub kind: HandleKind,
    /// Where the handle is asked to be.
    pub pose: Pose,
    /// Whole turns about d3 beyond what the pose can say: a typed roll of 720 degrees is 2.
    pub turns: i32,
    /// The part it moves with, by name.
    pub attached_to: Option<String>,
}

impl Handle {
    /// A full-frame handle at an end, with its usual name.
    pub fn at_end(place: HandlePlace, pose: Pose) -> Self {
        let name = match place {
            HandlePlace::Start => "start",
            HandlePlace::End => "end",
            HandlePlace::At(_) => "handle",
        };
        Self {
            name: name.to_owned(),
            place,
            kind: HandleKind::Full,
            pose,
            turns: 0,
            attached_to: None,
        }
    }
}

/// A solved shape: the state of the cable's rod.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Node positions.
    pub points: Vec<Vec3>,
    /// Material frame of each edge.
    pub frames: Vec<Rotation>,
    /// Whole turns of each joint, clamps included: one more than edges.
    pub turns: Vec<i32>,
    /// Where the handles really are (a blocked one is short of its target): start, end.
    pub clamps: [Option<Pose>; 2],
    /// Roll about d3 that a handle has made beside the rotation of its pose, radians, by the handle's name; those
    /// without any are not named.
    pub rolls: BTreeMap<String, f64>,
}

impl Cable {
    /// A visible cable with straight rest shape, equal edges and no handle.
    pub fn new(name: impl Into<String>, radius: f64, length: f64, section: CableSection) -> Self {
        Self {
            name: name.into(),
            radius,
            length,
            basis_length: length,
            free_length: None,
            locked_spans: Vec::new(),
            n_edges: 100,
            spacing: None,
            basis_spacing: None,
            section,
            material: None,
            rest: RestShape::Straight,
            min_bend_radius: None,
            handles: Vec::new(),
            skin: None,
            visible: true,
            color: None,
            shape: None,
            extra: Map::new(),
        }
    }

    /// The handle of that name.
    pub fn handle(&self, name: &str) -> Option<&Handle> {
        self.handles.iter().find(|h| h.name == name)
    }

    /// The handle at that place.
    pub fn handle_at(&self, place: HandlePlace) -> Option<&Handle> {
        self.handles.iter().find(|h| h.place == place)
    }

    /// Where the last solve left a handle; `None` before the first.
    pub fn held_pose(&self, handle: &Handle) -> Option<Pose> {
        let shape = self.shape.as_ref()?;
        match handle.place {
            HandlePlace::Start => shape.clamps[0],
            HandlePlace::End => shape.clamps[1],
            HandlePlace::At(_) => None,
        }
    }

    /// Arc length at which a handle sits, mm.
    pub fn arc_length(&self, handle: &Handle) -> f64 {
        match handle.place {
            HandlePlace::Start => 0.0,
            HandlePlace::End => self.length,
            HandlePlace::At(s) => s,
        }
    }

    /// Gives each edge another rest length, mm, as many as there are; handles keep their piece of the cable.
    pub fn set_edge_lengths(&mut self, lengths: &[f64]) {
        let old = self.edge_lengths();
        if old.len() != lengths.len() || old == lengths {
            return;
        }
        for handle in &mut self.handles {
            if let HandlePlace::At(s) = &mut handle.place {
                let (mut edge, mut before, mut now) = (0, 0.0, 0.0);
                while edge + 1 < old.len() && before + old[edge] < *s {
                    before += old[edge];
                    now += lengths[edge];
                    edge += 1;
                }
                *s = now + (*s - before) / old[edge] * lengths[edge];
            }
        }
        self.length = lengths.iter().sum();
        self.spacing = Some(lengths.to_vec());
        // What the edges were imported with is remembered from the first time they change by different shares.
        self.basis_spacing.get_or_insert(old);
    }

    /// The arc length that a place of the cable had when it was imported or made, mm.
    ///
    /// A place keeps its share of its edge. So the stretch between two handles had the difference of theirs, whatever
    /// was set since or ran through a sliding handle.
    pub fn basis_arc_length(&self, arc_length: f64) -> f64 {
        let now = self.edge_lengths();
        let shares = match &self.basis_spacing {
            Some(shares) if shares.len() == now.len() => shares,
            _ => &now,
        };
        let scale = self.basis_length / shares.iter().sum::<f64>();
        let (mut before, mut basis) = (0.0, 0.0);
        for (length, share) in now.iter().zip(shares) {
            if arc_length < before + length {
                return basis + (arc_length - before) / length * share * scale;
            }
            before += length;
            basis += share * scale;
        }
        self.basis_length
    }

    /// Which edges lie in a stretch that keeps its length, also in part: the edge that the handle at its end grips
    /// belongs to it by half.
    pub fn locked_edges(&self) -> Vec<bool> {
        let slack = 1e-9 * self.length;
        let spans = self.locked_spans.iter().filter_map(|[from, to]| {
            let place = |name: &String| Some(self.arc_length(self.handle(name)?));
            let (a, b) = (place(from)?, place(to)?);
            Some((a.min(b) + slack, a.max(b) - slack))
        });
        let spans: Vec<(f64, f64)> = spans.collect();
        let mut end = 0.0;
        (self.edge_lengths().into_iter())
            .map(|length| {
                let start = end;
                end += length;
                spans.iter().any(|(a, b)| start < *b && end > *a)
            })
            .collect()
    }

    /// Rest lengths of the edges, mm.
    pub fn edge_lengths(&self) -> Vec<f64> {
        match &self.spacing {
            None => vec![self.length / self.n_edges as f64; self.n_edges],
            Some(shares) => {
                let sum: f64 = shares.iter().sum();
                shares.iter().map(|s| s * self.length / sum).collect()
            }
        }
    }
}
