//! Cables: section, length, handles, and the shape they were last solved to.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{BendLimit, CableSection, CableStretch, CutRule, Fitting, Memory, Pressure, Skin};
use crate::geom::{Pose, Rotation, Vec3};
use crate::rod::{BendTwist, Rod, RodError, RodState, bend_twist};

/// A flexible cable.
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// Unique among the cables.
    pub name: String,
    /// Outer radius, mm: the one that collides, but for stretches with another.
    pub radius: f64,
    /// Rest length of the flexible cable without pressure, mm: without its fittings.
    pub length: f64,
    /// The length it was imported or made with, mm: what differences are counted from.
    pub basis_length: f64,
    /// Finds its own length when set: how straight it pulls itself, 1 for hardly more than hanging, larger for
    /// straighter. The length it has found is `length`, and stays when this is taken away.
    pub free_length: Option<f64>,
    /// The length is one that a supplier delivers: nothing changes it until this is taken away.
    pub length_locked: bool,
    /// Stretches between two handles, by their names, that keep their length when that of the cable changes.
    pub locked_spans: Vec<[String; 2]>,
    /// Number of edges of its rod.
    pub n_edges: usize,
    /// Share of each edge in the length; `None` for equal edges. As many as edges, all positive.
    pub spacing: Option<Vec<f64>>,
    /// Share of each edge in the basis length; `None` as long as that is its share in the length.
    pub basis_spacing: Option<Vec<f64>>,
    /// Inner diameter of a hose or tube, mm; `None` takes that of the material.
    pub inner_diameter: Option<f64>,
    /// Width along d1 and height along d2 of a flat cable, mm; it collides as a round one of its radius all the same.
    pub flat: Option<[f64; 2]>,
    /// Stiffness and mass: the material's, but for what was typed over.
    pub section: CableSection,
    /// Name of the material that the section came from.
    pub material: Option<String>,
    /// Stretches that are thicker or thinner, in order and apart from each other.
    pub stretches: Vec<CableStretch>,
    /// The shape it has without any load.
    pub rest: RestShape,
    /// How sharply it may be bent.
    pub bend_limit: BendLimit,
    /// Density of what is in the hose, kg/m^3; it fills the inner diameter, and weighs.
    pub fluid_kg_m3: Option<f64>,
    /// Pressure in the hose, and what it does to its length.
    pub pressure: Option<Pressure>,
    /// Rigid, straight ends at the start and at the end; handles there stand on their seats.
    pub fittings: [Fitting; 2],
    /// Length that must be straight behind the fitting at the start and at the end, mm.
    pub straight_ends: [f64; 2],
    /// What is added to its length before it is cut.
    pub cut: CutRule,
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
        /// Set where the shape without load was solved for, so that the imported shape is the equilibrium.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        as_designed: Option<AsDesigned>,
    },
}

/// What is known of a cable whose shape without load was solved for. Nobody knows its preload, so the forces of its
/// handles say nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AsDesigned {
    /// How far the cable would move if it were straight without load, mm; `None` where it would find no equilibrium.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub straight_moves_mm: Option<f64>,
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

impl HandleKind {
    /// A number that cannot be: its name, what it must be, and what it is.
    pub fn bad_number(self) -> Option<(&'static str, &'static str, f64)> {
        match self {
            Self::Spring { stiffness } if !(stiffness.is_finite() && stiffness > 0.0) => {
                Some(("stiffness", "a positive number of N/mm", stiffness))
            }
            // A limit beyond the cable's end is its end: cables become shorter.
            Self::Sliding { min, max } if !(min >= 0.0 && max >= min && max.is_finite()) => {
                let bad = if min >= 0.0 { max } else { min };
                let must = "arc lengths from 0 on, the smaller first";
                Some(("limit of the sliding handle", must, bad))
            }
            _ => None,
        }
    }
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
    /// That part has another shape than when it was attached, or is gone: the user must look at it.
    pub reference_changed: bool,
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
            reference_changed: false,
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
    /// What holds the cable in this shape, where it was solved to it.
    pub memory: Option<Arc<Memory>>,
}

impl Shape {
    /// That of a rod: its clamps are where its ends are.
    pub fn of_rod(state: RodState) -> Self {
        Self {
            clamps: [state.clamp_pose(0), state.clamp_pose(1)],
            points: state.positions,
            frames: state.frames,
            turns: state.turns,
            rolls: BTreeMap::new(),
            memory: None,
        }
    }

    /// The rod in this shape; its clamps sit where it was left.
    pub fn rod_state(&self) -> RodState {
        RodState {
            positions: self.points.clone(),
            frames: self.frames.clone(),
            clamps: self.clamps.map(|clamp| clamp.map(|pose| pose.rotation)),
            turns: self.turns.clone(),
        }
    }

    /// Number, bend and twist of each joint, clamps included; a free end has none.
    pub fn joints(&self) -> impl Iterator<Item = (usize, BendTwist)> + '_ {
        let [start, end] = self.clamps.map(|clamp| clamp.map(|pose| pose.rotation));
        let n = self.frames.len();
        (0..=n).filter_map(move |j| {
            let left = if j == 0 { start? } else { self.frames[j - 1] };
            let right = if j == n { end? } else { self.frames[j] };
            let turns = self.turns.get(j).copied().unwrap_or(0);
            Some((j, bend_twist(&left, &right, turns)))
        })
    }

    /// Twist from clamp to clamp, radians; only along the edges where an end is free.
    pub fn total_twist(&self) -> f64 {
        self.joints().map(|(_, joint)| joint.twist).sum()
    }
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
            length_locked: false,
            locked_spans: Vec::new(),
            n_edges: 100,
            spacing: None,
            basis_spacing: None,
            inner_diameter: None,
            flat: None,
            section,
            material: None,
            stretches: Vec::new(),
            rest: RestShape::Straight,
            bend_limit: BendLimit::default(),
            fluid_kg_m3: None,
            pressure: None,
            fittings: [Fitting::default(); 2],
            straight_ends: [0.0; 2],
            cut: CutRule::default(),
            handles: Vec::new(),
            skin: None,
            visible: true,
            color: None,
            shape: None,
            extra: Map::new(),
        }
    }

    /// A cable that stands in the state of a rod, held at its ends where that has clamps.
    pub fn standing(
        name: impl Into<String>,
        radius: f64,
        length: f64,
        section: CableSection,
        state: RodState,
    ) -> Self {
        let mut cable = Self::new(name, radius, length, section);
        let shape = Shape::of_rod(state);
        cable.n_edges = shape.frames.len();
        for (place, clamp) in [HandlePlace::Start, HandlePlace::End]
            .into_iter()
            .zip(shape.clamps)
        {
            (cable.handles).extend(clamp.map(|pose| Handle::at_end(place, pose)));
        }
        cable.shape = Some(shape);
        cable
    }

    /// Makes the shape that the cable has the one it has without load, as of a moulded hose.
    pub fn mould(&mut self) -> Result<(), RodError> {
        let Some(shape) = &self.shape else {
            return Ok(());
        };
        let rod = Rod::new(self.edge_lengths(), self.section.of_rod())?;
        let curvatures = shape.rod_state().curvatures(&rod);
        self.rest = RestShape::Moulded {
            curvatures: curvatures.into_iter().map(Into::into).collect(),
            share: 1.0,
            as_designed: None,
        };
        Ok(())
    }

    /// The handle of that name.
    pub fn handle(&self, name: &str) -> Option<&Handle> {
        self.handles.iter().find(|h| h.name == name)
    }

    /// The handle at that place.
    pub fn handle_at(&self, place: HandlePlace) -> Option<&Handle> {
        self.handles.iter().find(|h| h.place == place)
    }

    /// Where the last solve left a handle, at an end the seat of its fitting; `None` before the first.
    pub fn held_pose(&self, handle: &Handle) -> Option<Pose> {
        let shape = self.shape.as_ref()?;
        let clamp = match handle.place {
            HandlePlace::Start => shape.clamps[0],
            HandlePlace::End => shape.clamps[1],
            HandlePlace::At(_) => None,
        };
        Some(self.seat_at(handle.place, &clamp?))
    }

    /// Arc length at which a handle sits, mm.
    pub fn arc_length(&self, handle: &Handle) -> f64 {
        match handle.place {
            HandlePlace::Start => 0.0,
            HandlePlace::End => self.length,
            HandlePlace::At(s) => s,
        }
    }

    /// Set where its imported shape was made its equilibrium: forces of its handles are unknown then.
    pub fn as_designed(&self) -> Option<AsDesigned> {
        match self.rest {
            RestShape::Moulded { as_designed, .. } => as_designed,
            RestShape::Straight => None,
        }
    }

    /// Outer diameter, mm.
    pub fn diameter(&self) -> f64 {
        2.0 * self.radius
    }

    /// Gives each edge another rest length, mm, as many as there are; handles keep their piece of the cable.
    pub fn set_edge_lengths(&mut self, lengths: &[f64]) {
        self.set_lengths(lengths, |_| true);
    }

    /// Takes the rest lengths that material has run to, mm. Through a sliding handle it runs beneath the springs on both
    /// sides of it, which stay on their piece of the cable; a free length stretches all places alike.
    pub fn run_material(&mut self, lengths: &[f64]) {
        let stays = self.free_length.is_none();
        let is_spring = |kind: HandleKind| matches!(kind, HandleKind::Spring { .. });
        self.set_lengths(lengths, |kind| !(stays && is_spring(kind)));
    }

    /// Gives each edge another rest length; handles of those kinds keep their share of their edge, others their arc length.
    fn set_lengths(&mut self, lengths: &[f64], keeps_share: impl Fn(HandleKind) -> bool) {
        let old = self.edge_lengths();
        if old.len() != lengths.len() || old == lengths {
            return;
        }
        let moved = |s: f64| {
            let (mut edge, mut before, mut now) = (0, 0.0, 0.0);
            while edge + 1 < old.len() && before + old[edge] < s {
                before += old[edge];
                now += lengths[edge];
                edge += 1;
            }
            now + (s - before) / old[edge] * lengths[edge]
        };
        for handle in self.handles.iter_mut().filter(|h| keeps_share(h.kind)) {
            if let HandlePlace::At(s) = &mut handle.place {
                *s = moved(*s);
            }
        }
        self.map_stretches(moved);
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

    /// Length under pressure over that without.
    pub fn growth(&self) -> f64 {
        self.pressure.map_or(1.0, |p| 1.0 + 0.01 * p.length_change)
    }

    /// Rest lengths of the edges of the rod under pressure, mm.
    pub fn rod_lengths(&self) -> Vec<f64> {
        let mut lengths = self.edge_lengths();
        if self.pressure.is_some() {
            let growth = self.growth();
            for length in &mut lengths {
                *length *= growth;
            }
        }
        lengths
    }

    /// Rest lengths of the edges without pressure, mm.
    pub fn edge_lengths(&self) -> Vec<f64> {
        match &self.spacing {
            None => vec![self.length / self.n_edges as f64; self.n_edges],
            Some(shares) => {
                let sum: f64 = shares.iter().sum();
                // To the last bit: a scene that is opened goes on as it was.
                if sum == self.length {
                    return shares.clone();
                }
                shares.iter().map(|s| s * self.length / sum).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twist_is_counted_over_joints_and_turns() {
        let mut shape = crate::scene::demo::demo("box").unwrap().cables[0]
            .shape
            .clone()
            .unwrap();
        assert!(shape.total_twist().abs() < 1e-12);
        // Roll each frame a little more than the last, and the end clamp by the same again.
        let n = shape.frames.len();
        let roll = |k: usize| Rotation::from_axis_angle(&Vec3::z_axis(), 0.01 * k as f64);
        for (k, frame) in shape.frames.iter_mut().enumerate() {
            *frame *= roll(k + 1);
        }
        let end = shape.clamps[1].as_mut().unwrap();
        end.rotation *= roll(n + 1);
        let expected = 0.01 * (n + 1) as f64;
        assert!((shape.total_twist() - expected).abs() < 1e-9);
        shape.turns[3] = 2;
        assert!((shape.total_twist() - expected - 2.0 * std::f64::consts::TAU).abs() < 1e-9);
    }
}
