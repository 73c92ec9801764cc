//! The path of a part: key poses and what is released between them, from JSON or CSV.

use serde::{Deserialize, Serialize};

use crate::geom::{Pose, Vec3, plain};
use crate::scene::Scene;
use crate::scene::motion::{HandleName, Sine};

/// What a study plays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StudyPath {
    /// Names of the parts that move as one; poses are those of the first.
    pub parts: Vec<String>,
    /// One after the other, from where the part is installed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PathStep>,
    /// Poses that are each gone to from where the part is installed: load cases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<KeyPose>,
    /// Over time: handles that go the same way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub handles: Vec<HandleName>,
    /// Over time: oscillations, beside the steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sines: Vec<Sine>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case", deny_unknown_fields)]
pub enum PathStep {
    /// The part goes straight to a pose.
    Move(KeyPose),
    /// A fixing is taken away.
    Release {
        /// Name of the cable.
        cable: String,
        /// Name of its handle.
        handle: String,
    },
    /// Another part, such as a connector, is pulled along an axis.
    Unplug {
        /// Name of the part.
        part: String,
        /// How far, mm.
        by: f64,
        /// Which way; towards the cable that is fixed to it when left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        axis: Option<[f64; 3]>,
    },
}

/// A named pose of the part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KeyPose {
    /// What it is called in the results.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Where the origin of the part goes, mm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// Instead of a position: how far from where it is installed, mm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<[f64; 3]>,
    /// How it is turned, unit quaternion w, x, y, z; as it is installed when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f64; 4]>,
    /// Over time: when it is there, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
}

/// Why a path is of no use.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PathError {
    /// It cannot be read.
    #[error("the path cannot be read: {0}")]
    Unreadable(String),
    /// It moves nothing.
    #[error(
        "the path names no part that moves; give \"parts\" in the file, or --part on the command line"
    )]
    NoPart,
    /// It names a part that is not there.
    #[error("the path moves part \"{name}\", which the scene has not; it has: {known}")]
    NoSuchPart {
        /// The name.
        name: String,
        /// The parts there are.
        known: String,
    },
    /// It goes nowhere.
    #[error("the path has neither steps nor cases; give it key poses")]
    Empty,
    /// A pose that is none.
    #[error(
        "pose \"{0}\" needs a position or a displacement of three finite numbers, and a rotation that is not zero"
    )]
    BadPose(String),
    /// It names a handle that is not there.
    #[error("the path moves handle \"{handle}\" of cable \"{cable}\", which the scene has not")]
    NoSuchHandle {
        /// The cable.
        cable: String,
        /// The handle.
        handle: String,
    },
    /// It is no path over time.
    #[error("the path is not one over time: {0}")]
    NotOverTime(String),
    /// It is one over time.
    #[error("handles and sines move over time: play this path with simulate")]
    OverTime,
    /// A connector whose axis nobody knows.
    #[error("connector \"{0}\" has no cable fixed to it that would say its axis; give \"axis\"")]
    NoAxis(String),
}

impl StudyPath {
    /// Reads a path: JSON, or CSV with a line of headings.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.trim_start().starts_with('{') {
            let path = serde_json::from_str(text);
            return path.map_err(|e| PathError::Unreadable(e.to_string()));
        }
        parse_csv(text)
    }

    /// Checks it against the scene, and gives what has no name one.
    pub fn checked(mut self, scene: &Scene) -> Result<Self, PathError> {
        if !(self.handles.is_empty() && self.sines.is_empty()) {
            return Err(PathError::OverTime);
        }
        if self.parts.is_empty() {
            return Err(PathError::NoPart);
        }
        let unplugged = self.steps.iter().filter_map(|step| match step {
            PathStep::Unplug { part, .. } => Some(part),
            _ => None,
        });
        for name in self.parts.iter().chain(unplugged) {
            if scene.part(name).is_none() {
                let known: Vec<&str> = scene.parts.iter().map(|p| p.name.as_str()).collect();
                return Err(PathError::NoSuchPart {
                    name: name.clone(),
                    known: known.join(", "),
                });
            }
        }
        if self.steps.is_empty() && self.cases.is_empty() {
            return Err(PathError::Empty);
        }
        let moves = self.steps.iter_mut().filter_map(|step| match step {
            PathStep::Move(pose) => Some(pose),
            _ => None,
        });
        for (k, pose) in moves.chain(&mut self.cases).enumerate() {
            if pose.name.is_empty() {
                pose.name = format!("pose {}", k + 1);
            }
        }
        Ok(self)
    }
}

impl KeyPose {
    /// Where the part is to be that is installed at `home`.
    pub fn pose(&self, home: &Pose) -> Result<Pose, PathError> {
        let bad = || PathError::BadPose(self.name.clone());
        let point = match (self.position, self.by) {
            (Some(at), None) => Vec3::from(at),
            (None, Some(by)) => home.position + Vec3::from(by),
            (None, None) if self.rotation.is_some() => home.position,
            _ => return Err(bad()),
        };
        if !point.iter().all(|c| c.abs() <= 1e9) {
            return Err(bad());
        }
        let rotation = match self.rotation {
            Some(q) => plain::rotation_from(q).ok_or_else(bad)?,
            None => home.rotation,
        };
        Ok(Pose {
            position: point,
            rotation,
        })
    }
}

/// `name,x,y,z` or `name,dx,dy,dz`, with `qw,qx,qy,qz` behind them where it turns; `case` instead of `name` for a table of
/// load cases, and a column `t` with the seconds of a path over time.
fn parse_csv(text: &str) -> Result<StudyPath, PathError> {
    let unreadable =
        |line: usize, what: &str| PathError::Unreadable(format!("line {line}: {what}"));
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(k, line)| (k + 1, line.trim()));
    let mut lines = lines
        .by_ref()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let (_, headings) = lines.next().ok_or(PathError::Empty)?;
    let headings: Vec<String> = headings
        .split(',')
        .map(|h| h.trim().to_lowercase())
        .collect();
    let column = |name: &str| headings.iter().position(|h| h == name);
    let columns = |names: [&str; 3]| {
        let found = names.map(column);
        found
            .iter()
            .all(Option::is_some)
            .then(|| found.map(Option::unwrap_or_default))
    };
    let (place, shift) = (columns(["x", "y", "z"]), columns(["dx", "dy", "dz"]));
    if place.is_some() == shift.is_some() {
        let what = "the headings must have x, y, z or dx, dy, dz, beside name or case";
        return Err(unreadable(1, what));
    }
    let turn = ["qw", "qx", "qy", "qz"].map(column);
    let mut path = StudyPath::default();
    for (number, line) in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let value = |k: usize| -> Result<f64, PathError> {
            let cell = cells.get(k).copied().unwrap_or_default();
            cell.parse()
                .map_err(|_| unreadable(number, &format!("\"{cell}\" is no number")))
        };
        let three = |of: [usize; 3]| -> Result<[f64; 3], PathError> {
            Ok([value(of[0])?, value(of[1])?, value(of[2])?])
        };
        let label = column("case").or(column("name")).and_then(|k| cells.get(k));
        let mut pose = KeyPose {
            name: label.map(|l| (*l).to_owned()).unwrap_or_default(),
            position: place.map(three).transpose()?,
            by: shift.map(three).transpose()?,
            rotation: None,
            time: column("t").map(value).transpose()?,
        };
        if let [Some(w), Some(x), Some(y), Some(z)] = turn {
            pose.rotation = Some([value(w)?, value(x)?, value(y)?, value(z)?]);
        }
        if column("case").is_some() {
            path.cases.push(pose);
        } else {
            path.steps.push(PathStep::Move(pose));
        }
    }
    Ok(path)
}
