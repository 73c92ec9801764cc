//! What limits a path, the lengths that it needs, and the worst of every cable on it.

use serde::Serialize;

use super::play::{CableSample, Played, Sample, Stop, installed, play};
use super::{StudyError, StudyPath};
use crate::progress::{Progress, Stretch};
use crate::scene::findings::{Finding, Severity, judge};
use crate::scene::{Command, Scene, Simulation};
use crate::solve::CancelToken;

/// Times that a length is doubled in the search for one that frees the path.
const DOUBLINGS: usize = 3;

/// What a path runs into.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// Where it stops.
    #[serde(flatten)]
    pub stop: Stop,
    /// How much too short the cable is, in whole mm: so much more frees the path of it, one less does not.
    pub missing: Option<f64>,
    /// All of it for people.
    pub words: String,
}

/// The worst value on a path, and where.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// The value.
    pub value: f64,
    /// Share of the path, 0 to 1.
    pub at: f64,
    /// Name of the pose that it was on the way to.
    pub pose: String,
    /// The part or cable that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// One cable on a path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CableStudy {
    /// Its name.
    pub cable: String,
    /// The length it has, mm.
    pub length: f64,
    /// The length that the path needs, mm.
    pub needed: f64,
    /// Whether that was found by playing the path with it; else it is what the way between its handles needs, without
    /// parts.
    pub needed_is_played: bool,
    /// The worst of it.
    #[serde(flatten)]
    pub worst: WorstValues,
}

/// The worst values of a cable on a path or over time, and where.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorstValues {
    /// Smallest bend radius, mm, as its limit measures it.
    pub bend_radius: Option<Worst>,
    /// Largest tension, N.
    pub tension: Option<Worst>,
    /// Largest force of a part or another cable on it, N.
    pub side_force: Option<Worst>,
    /// Smallest clearance, mm.
    pub clearance: Option<Worst>,
    /// The first thing that it touches on the way and did not touch before.
    pub first_contact: Option<Worst>,
}

/// The cables on the way to one pose, and in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PoseStudy {
    /// Name of the pose.
    pub pose: String,
    /// The worst values of each cable, in the scene's order.
    pub cables: Vec<WorstValues>,
}

/// What a study says.
#[derive(Clone, Debug)]
pub struct Study {
    /// What stops the path, in the order in which it does: each with the cables before it made long enough.
    pub limits: Vec<Limit>,
    /// The cables over the path, with the lengths that it needs.
    pub cables: Vec<CableStudy>,
    /// The same of each pose by itself, in their order.
    pub poses: Vec<PoseStudy>,
    /// Steps without an equilibrium.
    pub unsolved: usize,
    /// Errors of the installed state as it is.
    pub installed: Vec<Finding>,
    /// Errors of the installed state with the lengths that the path needs.
    pub lengthened: Vec<Finding>,
    /// The path with those lengths, from its beginning to its end, or to what more length does not help.
    pub samples: Vec<Sample>,
}

impl Study {
    /// Whether the path is free as the scene is.
    pub fn is_free(&self) -> bool {
        self.limits.is_empty()
    }
}

/// Plays a path with the cables as they are; where one is too short, finds by how much, makes it longer, and goes on.
///
/// `step` is the way between two samples, mm.
pub fn study(
    scene: &Scene,
    path: &StudyPath,
    step: f64,
    progress: &Progress,
) -> Result<Study, StudyError> {
    let phase = |what| Stretch::new(progress, what, 0.0, 1.0);
    let mut scene = scene.clone();
    // A study asks what would be, also of a length that is locked.
    scene
        .cables
        .iter_mut()
        .for_each(|c| c.length_locked = false);
    let base = installed(&scene, path)?;
    let mut now = base.clone();
    let mut limits: Vec<Limit> = Vec::new();
    let mut added = vec![0.0; scene.cables.len()];
    // Each round frees the path of one cable.
    for _ in 0..scene.cables.len() {
        let Some(stop) = play(&now, path, step, false, &phase("playing the path"))?.stop else {
            break;
        };
        let culprit = stop.cable.as_ref().filter(|_| stop.taut);
        let culprit = culprit.and_then(|name| scene.cables.iter().position(|c| c.name == *name));
        let missing = match culprit.filter(|&k| added[k] == 0.0) {
            Some(k) => missing_length(&now, path, step, (k, &stop), &phase("trying lengths"))?,
            None => None,
        };
        if let (Some(k), Some(mm)) = (culprit, missing) {
            now = longer(&now, k, mm)?;
            added[k] = mm;
        }
        limits.push(Limit {
            words: words(&stop, missing, !path.steps.is_empty()),
            stop,
            missing,
        });
        if missing.is_none() {
            break;
        }
    }
    let Played {
        samples, unsolved, ..
    } = play(&now, path, step, true, &phase("measuring"))?;
    let cables = scene.cables.iter().enumerate();
    let cables = cables.map(|(k, cable)| {
        let needed = samples.iter().filter_map(|s| s.cables[k].shortest);
        // A taut cable is a little longer than without load; that it went along shows that its length is enough.
        let needed = needed.fold(0.0, f64::max).min(cable.length);
        CableStudy {
            cable: cable.name.clone(),
            length: cable.length,
            needed: if added[k] > 0.0 {
                cable.length + added[k]
            } else {
                needed
            },
            needed_is_played: added[k] > 0.0,
            worst: worst_of(&samples, k),
        }
    });
    Ok(Study {
        limits,
        cables: cables.collect(),
        poses: worst_by_pose(&samples),
        unsolved,
        installed: errors(&base),
        lengthened: errors(&now),
        samples,
    })
}

/// The installed state with a cable so much longer.
fn longer(simulation: &Simulation, cable: usize, by: f64) -> Result<Simulation, StudyError> {
    let mut longer = simulation.clone();
    let found = &longer.scene().cables[cable];
    let command = Command::SetLength {
        cable: found.name.clone(),
        length: found.length + by,
    };
    let refused = |reason| StudyError::Step { step: 0, reason };
    longer.apply(&command).map_err(refused)?;
    longer.solve_quietly(&CancelToken::default());
    Ok(longer)
}

/// The fewest whole mm by which a cable must be longer so that it does not stop the path.
fn missing_length(
    now: &Simulation,
    path: &StudyPath,
    step: f64,
    (cable, stop): (usize, &Stop),
    progress: &Stretch<'_>,
) -> Result<Option<f64>, StudyError> {
    let name = now.scene().cables[cable].name.clone();
    let frees = |mm: f64| -> Result<bool, StudyError> {
        let played = play(&longer(now, cable, mm)?, path, step, false, progress)?;
        Ok(played.stop.is_none_or(|s| s.cable.as_ref() != Some(&name)))
    };
    // An end that goes so much further needs no more than that; a corner on the way may take some.
    let (mut low, mut high) = (0.0, stop.left.ceil().max(1.0));
    let mut doublings = 0;
    while !frees(high)? {
        doublings += 1;
        if doublings > DOUBLINGS {
            return Ok(None);
        }
        (low, high) = (high, 2.0 * high);
    }
    while high - low > 1.0 {
        let middle = (0.5 * (low + high)).round();
        if frees(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(Some(high))
}

fn words(stop: &Stop, missing: Option<f64>, is_path: bool) -> String {
    let place = if is_path {
        format!(
            "at {:.0} % of the path, towards \"{}\"",
            100.0 * stop.at,
            stop.pose
        )
    } else {
        format!("in \"{}\", {:.0} mm before it", stop.pose, stop.left)
    };
    if let Some(fit) = &stop.fit {
        return format!("\"{}\" {fit}; {place}", stop.part);
    }
    if let Some(against) = &stop.against {
        return format!("\"{}\" meets \"{against}\" {place}", stop.part);
    }
    match (&stop.cable, missing) {
        (Some(cable), Some(mm)) => format!("\"{cable}\" is {mm:.0} mm too short {place}"),
        (Some(cable), None) if stop.taut => {
            format!(
                "\"{cable}\" holds \"{}\" {place}, and more length does not free it",
                stop.part
            )
        }
        (Some(cable), None) => format!("\"{cable}\" is in the way of \"{}\" {place}", stop.part),
        (None, _) => format!("\"{}\" comes no further {place}", stop.part),
    }
}

/// A value of a cable somewhere, and what it is about.
type Value = Option<(f64, Option<String>)>;

/// The worst values of all cables by pose. The installed state, with which samples begin, is none.
fn worst_by_pose(samples: &[Sample]) -> Vec<PoseStudy> {
    let Some((installed, way)) = samples.split_first() else {
        return Vec::new();
    };
    let poses = way.chunk_by(|a, b| a.pose == b.pose);
    let of = |pose: &[Sample]| PoseStudy {
        pose: pose[0].pose.clone(),
        cables: (0..installed.cables.len())
            .map(|k| worst_among(pose, k, installed))
            .collect(),
    };
    poses.map(of).collect()
}

/// The worst values of cable number `k` on the way; of equal ones the first.
pub fn worst_of(samples: &[Sample], k: usize) -> WorstValues {
    match samples.first() {
        Some(first) => worst_among(samples, k, first),
        None => WorstValues::default(),
    }
}

/// The same, where the first contact is one that there was not in a state `before`.
fn worst_among(samples: &[Sample], k: usize, before: &Sample) -> WorstValues {
    let worst = |value: &dyn Fn(&CableSample) -> Value, smallest: bool| {
        let all = samples
            .iter()
            .filter_map(|s| value(&s.cables[k]).map(|v| (s, v)));
        let all = all.filter(|(_, v)| v.0.is_finite());
        let order = |a: &f64, b: &f64| {
            if smallest {
                b.total_cmp(a)
            } else {
                a.total_cmp(b)
            }
        };
        // Of equals the first.
        let found = all.reduce(|a, b| if order(&b.1.0, &a.1.0).is_gt() { b } else { a });
        found.map(|(sample, (value, to))| Worst {
            value,
            at: sample.at,
            pose: sample.pose.clone(),
            to,
        })
    };
    let before = &before.cables[k].touches;
    let first_contact = samples.iter().find_map(|s| {
        let new = s.cables[k].touches.iter().find(|t| !before.contains(t))?;
        let distance = s.cables[k].clearance.as_ref().map_or(0.0, |c| c.0);
        Some(Worst {
            value: distance,
            at: s.at,
            pose: s.pose.clone(),
            to: Some(new.clone()),
        })
    });
    WorstValues {
        bend_radius: worst(&|c| Some((c.bend_radius, None)), true),
        tension: worst(&|c| Some((c.tension, None)), false),
        side_force: worst(&|c| Some((c.side_force, None)), false),
        clearance: worst(&|c| c.clearance.clone().map(|(d, to)| (d, Some(to))), true),
        first_contact,
    }
}

fn errors(simulation: &Simulation) -> Vec<Finding> {
    let mut simulation = simulation.clone();
    let reports = simulation.solve_quietly(&CancelToken::default());
    let found = judge(&simulation, &reports).into_iter();
    found.filter(|f| f.severity == Severity::Error).collect()
}
