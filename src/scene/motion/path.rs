//! Where parts and handles are at a time: key poses with times, and sines.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use crate::geom::{Pose, Rotation, Vec3};
use crate::scene::study::{PathError, PathStep, StudyPath};
use crate::scene::{Command, CommandError, Scene, Simulation};

/// A handle of a cable, by their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandleName {
    /// Name of the cable.
    pub cable: String,
    /// Name of the handle.
    pub handle: String,
}

/// An oscillation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sine {
    /// Times a second.
    pub hz: f64,
    /// How far it goes to each side, mm.
    #[serde(default)]
    pub by: [f64; 3],
    /// How far it turns to each side, degrees, about `axis` through its origin.
    #[serde(default)]
    pub degrees: f64,
    /// See [`Sine::degrees`].
    #[serde(default = "upwards")]
    pub axis: [f64; 3],
}

fn upwards() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

/// What moves by a plan, checked against its scene.
#[derive(Clone, Debug, Default)]
pub struct MotionPath {
    movers: Vec<Mover>,
    sines: Vec<Sine>,
    /// What is let go, and when.
    releases: Vec<(f64, Command)>,
    released: usize,
}

#[derive(Clone, Debug)]
struct Mover {
    what: Thing,
    home: Pose,
    /// Times, and where it is then.
    keys: Vec<(f64, Pose)>,
}

#[derive(Clone, Debug)]
enum Thing {
    Part(String),
    Handle(HandleName),
}

impl MotionPath {
    /// Reads a path over time out of a path of the assembly study: its key poses must have times.
    pub fn new(path: &StudyPath, scene: &Scene) -> Result<Self, PathError> {
        if !path.cases.is_empty() {
            return Err(PathError::NotOverTime(
                "a table of cases has no order in time; name its column name instead of case"
                    .to_owned(),
            ));
        }
        let mut all = Self {
            sines: path.sines.clone(),
            ..Self::default()
        };
        check_sines(&path.sines)?;
        let parts = path.parts.iter().map(|name| {
            let part = scene.part(name).ok_or_else(|| no_part(scene, name))?;
            Ok((Thing::Part(name.clone()), *part.placement()))
        });
        let handles = path.handles.iter().map(|name| {
            let cable = scene.cable(&name.cable);
            let handle = cable.and_then(|c| c.handles.iter().find(|h| h.name == name.handle));
            let handle = handle.ok_or_else(|| PathError::NoSuchHandle {
                cable: name.cable.clone(),
                handle: name.handle.clone(),
            })?;
            Ok((Thing::Handle(name.clone()), handle.pose))
        });
        let things: Result<Vec<_>, PathError> = parts.chain(handles).collect();
        for (what, home) in things? {
            let (keys, releases) = keys_of(path, &home)?;
            all.releases = releases;
            all.movers.push(Mover { what, home, keys });
        }
        if all.movers.is_empty() {
            // What is only let go moves nothing by a plan.
            (_, all.releases) = keys_of(path, &Pose::identity())?;
            if all.releases.is_empty() {
                return Err(PathError::NoPart);
            }
        } else if path.steps.is_empty() && path.sines.is_empty() {
            return Err(PathError::Empty);
        }
        Ok(all)
    }

    /// Sends everything to where it is at a time, s.
    pub(super) fn send(
        &mut self,
        simulation: &mut Simulation,
        time: f64,
    ) -> Result<(), CommandError> {
        while let Some((when, command)) = self.releases.get(self.released) {
            if *when > time {
                break;
            }
            simulation.apply(command)?;
            self.released += 1;
        }
        for mover in &self.movers {
            let pose = self.pose_of(mover, time);
            let q = pose.rotation;
            let (position, rotation) = (pose.position.into(), [q.w, q.i, q.j, q.k]);
            let command = match &mover.what {
                Thing::Part(part) => Command::MovePart {
                    part: part.clone(),
                    position: Some(position),
                    rotation: Some(rotation),
                },
                Thing::Handle(name) => Command::MoveHandle {
                    cable: name.cable.clone(),
                    handle: name.handle.clone(),
                    position: Some(position),
                    rotation: Some(rotation),
                },
            };
            simulation.apply(&command)?;
        }
        Ok(())
    }

    fn pose_of(&self, mover: &Mover, time: f64) -> Pose {
        let mut before = (0.0, mover.home);
        let mut pose = mover.home;
        for &(when, there) in &mover.keys {
            if time < when {
                pose = before.1.lerp(&there, (time - before.0) / (when - before.0));
                break;
            }
            before = (when, there);
            pose = there;
        }
        for sine in &self.sines {
            let phase = (TAU * sine.hz * time).sin();
            pose.position += Vec3::from(sine.by) * phase;
            if let Some(axis) = Vec3::from(sine.axis).try_normalize(1e-12) {
                let turn = axis * (sine.degrees.to_radians() * phase);
                pose.rotation = Rotation::from_scaled_axis(turn) * pose.rotation;
            }
        }
        pose
    }
}

type Keys = (Vec<(f64, Pose)>, Vec<(f64, Command)>);

/// The key poses with their times, and what is let go after which of them.
fn keys_of(path: &StudyPath, home: &Pose) -> Result<Keys, PathError> {
    let (mut keys, mut releases) = (Vec::new(), Vec::new());
    let mut now = 0.0;
    for step in &path.steps {
        match step {
            PathStep::Move(pose) => {
                let time = pose.time.filter(|t| t.is_finite() && *t > now);
                now = time.ok_or_else(|| {
                    let name = &pose.name;
                    PathError::NotOverTime(format!(
                        "pose \"{name}\" needs a time in seconds (\"time\" in JSON, column t in CSV) after {now} s"
                    ))
                })?;
                keys.push((now, pose.pose(home)?));
            }
            PathStep::Release { cable, handle } => {
                let command = Command::DeleteHandle {
                    cable: cable.clone(),
                    handle: handle.clone(),
                };
                releases.push((now, command));
            }
            PathStep::Unplug { part, .. } => {
                return Err(PathError::NotOverTime(format!(
                    "\"{part}\" is unplugged in no time; move it with times instead"
                )));
            }
        }
    }
    Ok((keys, releases))
}

fn no_part(scene: &Scene, name: &str) -> PathError {
    let known: Vec<&str> = scene.parts.iter().map(|p| p.name.as_str()).collect();
    PathError::NoSuchPart {
        name: name.to_owned(),
        known: known.join(", "),
    }
}

fn check_sines(sines: &[Sine]) -> Result<(), PathError> {
    for sine in sines {
        let numbers = sine.by.iter().chain(&sine.axis).chain([&sine.degrees]);
        let usable = sine.hz.is_finite() && sine.hz > 0.0;
        if !(usable && numbers.into_iter().all(|x| x.abs() <= 1e9)) {
            return Err(PathError::NotOverTime(
                "a sine needs hz above 0, and finite numbers for by, degrees and axis".to_owned(),
            ));
        }
    }
    Ok(())
}
