//! What holds a cable in its shape, as it stands in a file: rows of numbers, and only what there is.

use std::sync::Arc;

use nalgebra::Quaternion;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::contact::friction::FrictionContact;
use crate::contact::pair::PairFriction;
use crate::contact::{Ignored, Place, Reduced};
use crate::geom::plain::{self, quaternion_of, rotation_from};
use crate::geom::{Pose, Rotation, Vec3};
use crate::rod::RodState;
use crate::scene::Memory;
use crate::scene::simulation::memory::empty_rod;
use crate::solve::{Blocker, GripState, Pull, State, Stopped, Target};

/// The fields of `shape.memory`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    problem: String,
    at_rest: bool,
    stable: bool,
    friction_due: bool,
    barrier_stiffness: f64,
    #[serde(default, skip_serializing_if = "is_zero")]
    last_shift: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept_at: Option<KeptAt>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cables: Vec<String>,
    /// Anchor, roll, reach.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    grips: Vec<Option<[f64; 7]>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tension: Vec<[f64; 3]>,
    /// Edge, place in it, part, sample (or, below zero, minus one minus the edge of the part), normal, base, slip, load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    friction: Vec<[f64; 14]>,
    /// The other cable, edge of each, place in each, normal, base, slip, normal force.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    friction_between: Vec<[f64; 15]>,
    /// Sample, part, triangle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sticky: Vec<[u32; 3]>,
    /// Part, edge, margin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    margins: Vec<(u32, u32, f64)>,
    /// Part, first edge, the one after the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    released: Vec<[u32; 3]>,
    /// Node, where to, stiffness, how far it has faded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pulls: Vec<(usize, [f64; 3], f64, usize)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left: Option<f64>,
    #[serde(default, skip_serializing_if = "is_none")]
    idle: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    flow_slopes: Vec<Option<f64>>,
    /// Of each handle: where it was sent (position, rotation w x y z, roll), by what it was stopped, and its number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stopped: Vec<Option<[f64; 10]>>,
}

/// A shape beside that of the cable: where the matrix was taken that the next steps begin with.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptAt {
    #[serde(with = "plain::points")]
    points: Vec<Vec3>,
    /// w, x, y, z.
    frames: Vec<[f64; 4]>,
    clamps: [Option<[f64; 4]>; 2],
    turns: Vec<i32>,
}

impl KeptAt {
    fn of(state: &RodState) -> Self {
        Self {
            points: state.positions.clone(),
            frames: state.frames.iter().map(quaternion_of).collect(),
            clamps: state.clamps.map(|clamp| clamp.as_ref().map(quaternion_of)),
            turns: state.turns.clone(),
        }
    }

    /// The state; `None` where a frame is none.
    fn state(self) -> Option<RodState> {
        let frames = self.frames.into_iter().map(rotation_from);
        let [start, end] = self.clamps.map(|clamp| match clamp {
            Some(clamp) => rotation_from(clamp).map(Some),
            None => Some(None),
        });
        Some(RodState {
            positions: self.points,
            frames: frames.collect::<Option<_>>()?,
            clamps: [start?, end?],
            turns: self.turns,
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_none(n: &usize) -> bool {
    *n == 0
}

/// The JSON of a memory.
pub fn write_memory(memory: &Memory) -> Value {
    let state = &memory.state;
    let friction = |f: &FrictionContact| {
        let piece = match f.place {
            Place::Sample { number, .. } => f64::from(number),
            Place::Crossing { mesh_edge, .. } => -1.0 - f64::from(mesh_edge),
        };
        let mut row = [0.0; 14];
        row[..4].copy_from_slice(&[f64::from(f.edge), f.s, f64::from(f.obstacle), piece]);
        put(&mut row[4..], [&f.normal, &f.base, &f.slip]);
        row[13] = f.load;
        row
    };
    let between = |f: &PairFriction| {
        let mut row = [0.0; 15];
        let [a, b] = f.edges.map(f64::from);
        row[..5].copy_from_slice(&[f64::from(f.rods[1]), a, b, f.at[0], f.at[1]]);
        put(&mut row[5..], [&f.normal, &f.base, &f.slip]);
        row[14] = f.force;
        row
    };
    let grip = |g: &GripState| {
        let (a, r) = (&g.anchor, &g.reach);
        [a.x, a.y, a.z, g.roll, r.x, r.y, r.z]
    };
    let released = |r: &Ignored| [r.obstacle, r.edges.start, r.edges.end];
    json!(Fields {
        problem: format!("{:016x}", memory.problem),
        at_rest: state.at_rest,
        stable: state.stable,
        friction_due: state.friction_due,
        barrier_stiffness: state.barrier_stiffness,
        last_shift: state.last_shift,
        kept_at: state.kept_at.as_deref().map(KeptAt::of),
        parts: memory.parts.clone(),
        cables: memory.cables.clone(),
        grips: state.grips.iter().map(|g| g.as_ref().map(grip)).collect(),
        tension: state.tension.iter().map(|t| (*t).into()).collect(),
        friction: state.friction.iter().map(friction).collect(),
        friction_between: memory.between.iter().map(between).collect(),
        sticky: state.sticky.clone(),
        margins: (state.margins.iter())
            .map(|m| (m.obstacle, m.edge, m.margin))
            .collect(),
        released: state.released.iter().map(released).collect(),
        pulls: (state.pulls.iter())
            .map(|p| (p.node, p.target.into(), p.stiffness, p.faded))
            .collect(),
        left: state.left.is_finite().then_some(state.left),
        idle: state.idle,
        flow_slopes: state.flow_slopes.clone(),
        stopped: state
            .stopped
            .as_ref()
            .map(write_stopped)
            .unwrap_or_default(),
    })
}

/// The memory that JSON stands for.
pub fn read_memory(value: Value) -> Result<Memory, String> {
    let fields: Fields = serde_json::from_value(value).map_err(|e| e.to_string())?;
    let problem = u64::from_str_radix(&fields.problem, 16)
        .map_err(|_| "its problem must be 16 hexadecimal digits".to_owned())?;
    let vector = |row: &[f64]| Vec3::new(row[0], row[1], row[2]);
    let friction = |row: &[f64; 14]| FrictionContact {
        edge: row[0] as u32,
        s: row[1].clamp(0.0, 1.0),
        obstacle: row[2] as u32,
        place: if row[3] < 0.0 {
            Place::Crossing {
                mesh_edge: (-1.0 - row[3]) as u32,
                along: Vec3::zeros(),
                inside: false,
            }
        } else {
            Place::Sample {
                number: row[3] as u32,
                triangle: 0,
            }
        },
        normal: vector(&row[4..]),
        base: vector(&row[7..]),
        slip: vector(&row[10..]),
        load: row[13].max(0.0),
    };
    let between = |row: &[f64; 15]| PairFriction {
        rods: [0, row[0] as u32],
        edges: [row[1] as u32, row[2] as u32],
        at: [row[3].clamp(0.0, 1.0), row[4].clamp(0.0, 1.0)],
        normal: vector(&row[5..]),
        base: vector(&row[8..]),
        slip: vector(&row[11..]),
        force: row[14].max(0.0),
    };
    let grip = |row: [f64; 7]| GripState {
        anchor: vector(&row),
        roll: row[3],
        reach: vector(&row[4..]),
    };
    Ok(Memory {
        problem,
        parts: fields.parts,
        cables: fields.cables,
        between: fields.friction_between.iter().map(between).collect(),
        state: State {
            rod: empty_rod(),
            grips: fields.grips.into_iter().map(|g| g.map(grip)).collect(),
            tension: fields.tension.iter().map(|t| vector(t)).collect(),
            friction: fields.friction.iter().map(friction).collect(),
            friction_due: fields.friction_due,
            barrier_stiffness: fields.barrier_stiffness,
            sticky: fields.sticky,
            margins: (fields.margins.into_iter())
                .map(|(obstacle, edge, margin)| Reduced {
                    obstacle,
                    edge,
                    margin,
                })
                .collect(),
            released: (fields.released.into_iter())
                .map(|[obstacle, from, to]| Ignored::through(obstacle, from..to))
                .collect(),
            pulls: (fields.pulls.into_iter())
                .map(|(node, target, stiffness, faded)| Pull {
                    node,
                    target: target.into(),
                    stiffness,
                    faded,
                })
                .collect(),
            left: fields.left.unwrap_or(f64::INFINITY),
            idle: fields.idle,
            last_shift: fields.last_shift,
            kept_at: fields.kept_at.and_then(KeptAt::state).map(Arc::new),
            flow_slopes: fields.flow_slopes,
            stopped: read_stopped(&fields.stopped),
            at_rest: fields.at_rest,
            stable: fields.stable,
        },
    })
}

/// Where handles were sent in vain: what stopped each is 0 for nothing, 1 a part, 2 a cable, 3 the length, 4 the length
/// around a part, 5 no equilibrium further on.
fn write_stopped(stopped: &Stopped) -> Vec<Option<[f64; 10]>> {
    let row = |(target, blocker): (&Option<Target>, &Option<Blocker>)| {
        let target = target.as_ref()?;
        let (p, q) = (&target.pose.position, &target.pose.rotation);
        let [kind, number] = match *blocker {
            None => [0, 0],
            Some(Blocker::Obstacle(part)) => [1, part],
            Some(Blocker::Rod(cable)) => [2, cable],
            Some(Blocker::Length { around: None }) => [3, 0],
            Some(Blocker::Length { around: Some(part) }) => [4, part],
            Some(Blocker::Solver) => [5, 0],
        };
        let [kind, number] = [kind as f64, number as f64];
        Some([p.x, p.y, p.z, q.w, q.i, q.j, q.k, target.roll, kind, number])
    };
    stopped
        .targets
        .iter()
        .zip(&stopped.blockers)
        .map(row)
        .collect()
}

fn read_stopped(rows: &[Option<[f64; 10]>]) -> Option<Stopped> {
    let target = |row: &[f64; 10]| Target {
        pose: Pose {
            position: Vec3::new(row[0], row[1], row[2]),
            rotation: Rotation::new_normalize(Quaternion::new(row[3], row[4], row[5], row[6])),
        },
        roll: row[7],
    };
    let blocker = |row: &[f64; 10]| {
        let number = row[9] as usize;
        match row[8] as u32 {
            1 => Some(Blocker::Obstacle(number)),
            2 => Some(Blocker::Rod(number)),
            3 => Some(Blocker::Length { around: None }),
            4 => Some(Blocker::Length {
                around: Some(number),
            }),
            5 => Some(Blocker::Solver),
            _ => None,
        }
    };
    (!rows.is_empty()).then(|| Stopped {
        targets: rows.iter().map(|row| row.as_ref().map(target)).collect(),
        blockers: rows
            .iter()
            .map(|row| row.as_ref().and_then(blocker))
            .collect(),
    })
}

fn put(row: &mut [f64], vectors: [&Vec3; 3]) {
    for (to, v) in row.chunks_exact_mut(3).zip(vectors) {
        to.copy_from_slice(v.as_slice());
    }
}
