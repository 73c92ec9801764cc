//! A path played from the installed state: samples on the way, and where it stops.

use std::sync::Arc;

use serde::Serialize;

use super::StudyError;
use super::path::{PathError, PathStep, StudyPath};
use crate::geom::{Pose, Rotation, Vec3};
use crate::progress::Stretch;
use crate::scene::topology::CableEnd;
use crate::scene::{Command, Junction, Neighbour, Scene, Simulation};
use crate::solve::{CancelToken, Status};

/// Samples of one path, at most.
const MOST_SAMPLES: usize = 5000;
/// A cable is taut from this share of the strain on at which a handle stops: the part stands a step before that.
const TAUT: f64 = 0.25;
/// A radian of a part counts as so many mm of its way.
const RADIAN: f64 = 100.0;

/// The name under which the parts of a path are held together while it is played.
const BODY: &str = "parts of the study";

/// How things are somewhere on the path.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Share of the path, 0 to 1; 1 in a table of cases. Over time: seconds.
    pub at: f64,
    /// Name of the pose that it goes to.
    pub pose: String,
    /// Of each cable, in the scene's order.
    pub cables: Vec<CableSample>,
    /// Where each part is placed, in the scene's order.
    pub parts: Vec<Pose>,
}

/// A cable somewhere on the path.
#[derive(Clone, Debug, PartialEq)]
pub struct CableSample {
    /// Nodes, mm.
    pub points: Vec<Vec3>,
    /// Frames of the edges.
    pub frames: Vec<Rotation>,
    /// Smallest bend radius, as the cable's limit measures it, mm.
    pub bend_radius: f64,
    /// Largest tension, N.
    pub tension: f64,
    /// Largest force of a part or another cable on it, N.
    pub side_force: f64,
    /// Smallest clearance, mm, and what it is to.
    pub clearance: Option<(f64, String)>,
    /// What it touches.
    pub touches: Vec<String>,
    /// Length of the shortest curve between its handles that is not bent too sharply, mm.
    pub shortest: Option<f64>,
}

/// Where a path ends too early.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stop {
    /// Share of the path, 0 to 1.
    pub at: f64,
    /// Name of the pose that it was on the way to.
    pub pose: String,
    /// Name of the part that came no further.
    pub part: String,
    /// Name of the cable that holds it.
    pub cable: Option<String>,
    /// Name of the part that it meets, where that stops it.
    pub against: Option<String>,
    /// Where that is an opening that it does not go through: why, in words.
    pub fit: Option<String>,
    /// Whether that cable is taut, so that more length would help.
    pub taut: bool,
    /// Way that is left to the pose, mm.
    pub left: f64,
}

/// One stretch of a path: a part goes straight, or a fixing is taken away.
enum Leg {
    Go {
        part: String,
        way: [Pose; 2],
        pose: String,
    },
    Release(Command),
}

/// A played path.
pub(super) struct Played {
    pub stop: Option<Stop>,
    pub samples: Vec<Sample>,
    /// Steps without an equilibrium.
    pub unsolved: usize,
}

/// The scene with the parts of a path held together, in equilibrium.
pub(super) fn installed(scene: &Scene, path: &StudyPath) -> Result<Simulation, StudyError> {
    let mut scene = scene.clone();
    if path.parts.len() > 1 {
        scene.junctions.push(Junction {
            name: crate::scene::free_name(BODY, |n| scene.junctions.iter().any(|j| j.name == n)),
            pose: Pose::identity(),
            ends: Vec::new(),
            carries: path.parts.clone(),
            free: false,
            mass_kg: 0.0,
        });
    }
    let mut simulation = Simulation::new(scene)?;
    simulation.solve_quietly(&CancelToken::default());
    Ok(simulation)
}

/// Plays a path, or all cases of a table, each from the installed state. `samples` asks for what is on the way.
pub(super) fn play(
    installed: &Simulation,
    path: &StudyPath,
    step: f64,
    samples: bool,
    progress: &Stretch<'_>,
) -> Result<Played, StudyError> {
    let mut played = Played {
        stop: None,
        samples: Vec::new(),
        unsolved: 0,
    };
    if !path.steps.is_empty() {
        let mut simulation = installed.clone();
        let legs = legs_of(simulation.scene(), path)?;
        run(
            &mut simulation,
            &legs,
            step,
            &mut played,
            (samples, progress),
        )?;
    }
    let part = &path.parts[0];
    for case in &path.cases {
        let mut simulation = installed.clone();
        let home = home_of(simulation.scene(), part)?;
        let leg = Leg::Go {
            part: part.clone(),
            way: [home, case.pose(&home)?],
            pose: case.name.clone(),
        };
        let before = played.stop.take();
        run(
            &mut simulation,
            &[leg],
            step,
            &mut played,
            (samples, progress),
        )?;
        // The first that fails is the one that is named.
        played.stop = before.or(played.stop.take());
    }
    Ok(played)
}

fn home_of(scene: &Scene, part: &str) -> Result<Pose, StudyError> {
    let found = scene.part(part).map(|p| *p.placement());
    Ok(found.ok_or(PathError::NoPart)?)
}

fn legs_of(scene: &Scene, path: &StudyPath) -> Result<Vec<Leg>, StudyError> {
    let part = &path.parts[0];
    let home = home_of(scene, part)?;
    let mut now = home;
    let mut legs = Vec::new();
    for step in &path.steps {
        legs.push(match step {
            PathStep::Move(pose) => {
                let way = [now, pose.pose(&home)?];
                now = way[1];
                Leg::Go {
                    part: part.clone(),
                    way,
                    pose: pose.name.clone(),
                }
            }
            PathStep::Release { cable, handle } => Leg::Release(Command::DeleteHandle {
                cable: cable.clone(),
                handle: handle.clone(),
            }),
            PathStep::Unplug { part, by, axis } => {
                let from = home_of(scene, part)?;
                let axis = match axis {
                    Some(axis) => Vec3::from(*axis).try_normalize(1e-12),
                    None => axis_of(scene, part),
                };
                let axis = axis.ok_or_else(|| PathError::NoAxis(part.clone()))?;
                let mut to = from;
                to.position += axis * *by;
                Leg::Go {
                    part: part.clone(),
                    way: [from, to],
                    pose: format!("unplug {part}"),
                }
            }
        });
    }
    Ok(legs)
}

/// Out of a connector, along the cable that is fixed to it.
fn axis_of(scene: &Scene, part: &str) -> Option<Vec3> {
    let handles = scene.cables.iter().flat_map(|c| &c.handles);
    let mut fixed = handles.filter(|h| h.attached_to.as_deref() == Some(part));
    fixed.find_map(|h| {
        let along = h.pose.rotation * Vec3::z();
        Some(match CableEnd::of(h)? {
            CableEnd::Start => along,
            CableEnd::End => -along,
        })
    })
}

fn way_of([from, to]: &[Pose; 2]) -> f64 {
    (to.position - from.position).norm() + RADIAN * from.rotation.angle_to(&to.rotation)
}

fn run(
    simulation: &mut Simulation,
    legs: &[Leg],
    step: f64,
    played: &mut Played,
    (samples, progress): (bool, &Stretch<'_>),
) -> Result<(), StudyError> {
    let ways = legs.iter().map(|leg| match leg {
        Leg::Go { way, .. } => way_of(way),
        Leg::Release(_) => 0.0,
    });
    let total = ways.sum::<f64>().max(f64::MIN_POSITIVE);
    let mut gone = 0.0;
    if samples && played.samples.is_empty() {
        let reports = simulation.solve_quietly(progress.token());
        played
            .samples
            .push(sample(simulation, &reports, 0.0, "installed"));
    }
    for (number, leg) in legs.iter().enumerate() {
        let refused = |reason| StudyError::Step {
            step: number + 1,
            reason,
        };
        let (part, way, pose) = match leg {
            Leg::Release(command) => {
                simulation.apply(command).map_err(refused)?;
                simulation.solve_quietly(progress.token());
                continue;
            }
            Leg::Go { part, way, pose } => (part, way, pose),
        };
        let length = way_of(way);
        let n = ((length / step).ceil() as usize).clamp(1, MOST_SAMPLES);
        for k in 1..=n {
            let share = k as f64 / n as f64;
            progress.at((gone + length * share) / total)?;
            let goal = if k == n {
                way[1]
            } else {
                way[0].lerp(&way[1], share)
            };
            let [w, x, y, z] = [
                goal.rotation.w,
                goal.rotation.i,
                goal.rotation.j,
                goal.rotation.k,
            ];
            let command = Command::MovePart {
                part: part.clone(),
                position: Some(goal.position.into()),
                rotation: Some([w, x, y, z]),
            };
            simulation.apply(&command).map_err(refused)?;
            let reports = simulation.solve_quietly(progress.token());
            let lost = |r: &Arc<crate::scene::CableReport>| r.report.status == Status::NotConverged;
            played.unsolved += usize::from(reports.iter().any(lost));
            if let Some(held) = simulation.held_parts().first() {
                let left = held.short_by + RADIAN * held.short_by_angle;
                let cables = &simulation.scene().cables;
                // The part says which of its cables gave in first; the one that is tautest holds it.
                let tautness = |k: &usize| simulation.solvers()[*k].tautness();
                let tautest = (0..cables.len()).max_by(|a, b| tautness(a).total_cmp(&tautness(b)));
                let free = held.against.is_none();
                let tautest = tautest.filter(|k| free && tautness(k) > TAUT);
                let taut = tautest.is_some();
                let cable = tautest.map(|k| cables[k].name.clone());
                played.stop = Some(Stop {
                    at: (gone + length * share - left).max(0.0) / total,
                    pose: pose.clone(),
                    part: held.part.clone(),
                    cable: cable.or_else(|| held.cable.clone()),
                    against: held.against.clone(),
                    fit: held.fit_in_words(),
                    taut,
                    left: left + length * (1.0 - share) + (total - gone - length).max(0.0),
                });
                return Ok(());
            }
            if samples {
                let at = (gone + length * share) / total;
                played.samples.push(sample(simulation, &reports, at, pose));
            }
        }
        gone += length;
    }
    Ok(())
}

/// How things are now.
pub(in crate::scene) fn sample(
    simulation: &Simulation,
    reports: &[Arc<crate::scene::CableReport>],
    at: f64,
    pose: &str,
) -> Sample {
    let scene = simulation.scene();
    let clearances = simulation.clearances(f64::INFINITY);
    let name_of = |to: Neighbour| match to {
        Neighbour::Part(k) => scene.parts[k].name.clone(),
        Neighbour::Cable(k) => scene.cables[k].name.clone(),
    };
    let cables = scene.cables.iter().enumerate().map(|(k, cable)| {
        let solver = &simulation.solvers()[k];
        let report = &reports[k].report;
        let own = clearances
            .iter()
            .filter_map(|c| match (c.cable == k, c.to) {
                (true, to) => Some((c, name_of(to))),
                (false, Neighbour::Cable(other)) if other == k => {
                    Some((c, scene.cables[c.cable].name.clone()))
                }
                _ => None,
            });
        let own: Vec<_> = own.collect();
        let nearest = own
            .iter()
            .min_by(|a, b| a.0.distance.total_cmp(&b.0.distance));
        let parts = report.contacts.iter().map(|c| c.force.norm());
        let rods = report.rod_contacts.iter().map(|c| c.force.norm());
        CableSample {
            points: solver.state().positions.clone(),
            frames: solver.state().frames.clone(),
            bend_radius: cable.worst_bend().map_or(f64::INFINITY, |b| b.measured),
            tension: solver.profile().tension.into_iter().fold(0.0, f64::max),
            side_force: parts.chain(rods).fold(0.0, f64::max),
            clearance: nearest.map(|(c, to)| (c.distance, to.clone())),
            touches: own
                .iter()
                .filter(|(c, _)| c.touching)
                .map(|(_, to)| to.clone())
                .collect(),
            shortest: cable.slack().map(|slack| cable.length / (1.0 + slack)),
        }
    });
    Sample {
        at,
        pose: pose.to_owned(),
        cables: cables.collect(),
        parts: simulation.part_poses(),
    }
}
