//! Measurements that are kept: two places, each on a cable or a part, that go along with what they are on.

use serde::{Deserialize, Serialize};

use super::Scene;
use super::findings::position_at;
use crate::geom::{MAX_COORDINATE, Vec3, plain};

/// The distance between two places, under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// Unique among the measurements.
    pub name: String,
    /// From where.
    pub from: MeasuredPlace,
    /// To where.
    pub to: MeasuredPlace,
}

/// A place on something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "on", rename_all = "snake_case", deny_unknown_fields)]
pub enum MeasuredPlace {
    /// On the centerline of a cable.
    Cable {
        /// Name of the cable.
        cable: String,
        /// Arc length of the unstretched cable from its start, mm.
        at: f64,
    },
    /// On a part.
    Part {
        /// Name of the part.
        part: String,
        /// Where, as in its imported mesh, mm.
        #[serde(with = "plain::point")]
        point: Vec3,
    },
}

impl MeasuredPlace {
    /// Where it is in the world by the last solved shapes; `None` where what it was on is gone.
    pub fn in_world(&self, scene: &Scene) -> Option<Vec3> {
        match self {
            Self::Cable { cable, at } => {
                let cable = scene.cable(cable)?;
                // It may have been cut before that place.
                let is_on_it = *at <= cable.length * (1.0 + 1e-9);
                is_on_it.then(|| position_at(cable, *at)).flatten()
            }
            Self::Part { part, point } => Some(scene.part(part)?.placement().transform(point)),
        }
    }

    /// The number in it that cannot be, with what it must be.
    fn bad_number(&self) -> Option<(&'static str, f64)> {
        match self {
            Self::Cable { at, .. } => {
                let fine = (0.0..=MAX_COORDINATE).contains(at);
                (!fine).then_some(("at least 0 and at most 1e9 mm", *at))
            }
            Self::Part { point, .. } => {
                let bad = point.iter().find(|c| !(c.abs() <= MAX_COORDINATE));
                bad.map(|c| ("at most 1e9 mm from the origin", *c))
            }
        }
    }

    fn is_on_cable(&self, name: &str) -> bool {
        matches!(self, Self::Cable { cable, .. } if cable == name)
    }

    fn is_on_part(&self, name: &str) -> bool {
        matches!(self, Self::Part { part, .. } if part == name)
    }
}

impl Measurement {
    /// The distance through the air, mm; `None` where what it was on is gone.
    pub fn distance(&self, scene: &Scene) -> Option<f64> {
        Some((self.to.in_world(scene)? - self.from.in_world(scene)?).norm())
    }

    /// The length along the cable that both places are on, mm.
    pub fn along(&self) -> Option<f64> {
        match (&self.from, &self.to) {
            (
                MeasuredPlace::Cable { cable: a, at: from },
                MeasuredPlace::Cable { cable: b, at: to },
            ) if a == b => Some((to - from).abs()),
            _ => None,
        }
    }

    /// The number in it that cannot be, with what it must be.
    pub fn bad_number(&self) -> Option<(&'static str, f64)> {
        self.from.bad_number().or_else(|| self.to.bad_number())
    }

    /// Whether one of its places is on that cable.
    pub fn is_on_cable(&self, name: &str) -> bool {
        self.from.is_on_cable(name) || self.to.is_on_cable(name)
    }

    /// Whether one of its places is on that part.
    pub fn is_on_part(&self, name: &str) -> bool {
        self.from.is_on_part(name) || self.to.is_on_part(name)
    }

    /// Both places.
    pub fn places_mut(&mut self) -> [&mut MeasuredPlace; 2] {
        [&mut self.from, &mut self.to]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::command::Kind;
    use crate::scene::{Command, file};

    /// From 100 mm along the cable of the demo to the top of its first part, kept by command.
    fn scene() -> (Scene, Vec3) {
        let mut scene = crate::scene::demo::demo("drag").unwrap();
        let point = scene.parts[0].mesh().aabb().max;
        let measurement = Measurement {
            name: "gap".into(),
            from: MeasuredPlace::Cable {
                cable: scene.cables[0].name.clone(),
                at: 100.0,
            },
            to: MeasuredPlace::Part {
                part: scene.parts[0].name.clone(),
                point,
            },
        };
        let keep = Command::SaveMeasurement { measurement };
        keep.apply(&mut scene).unwrap();
        (scene, point)
    }

    #[test]
    fn a_measurement_goes_along_with_what_it_is_on() {
        let (mut scene, point) = scene();
        let measured = |scene: &Scene| scene.measurements[0].distance(scene).unwrap();
        let before = measured(&scene);
        let from = scene.measurements[0].from.in_world(&scene).unwrap();
        assert_eq!(before, (point - from).norm());
        let part = scene.parts[0].name.clone();
        let center = scene.parts[0].mesh().aabb().center();
        let by = Vec3::new(30.0, 0.0, 0.0);
        let place = scene.parts[0].placement().position + by;
        let go = Command::MovePart {
            part: part.clone(),
            position: Some(place.into()),
            rotation: None,
        };
        go.apply(&mut scene).unwrap();
        let gone = scene.parts[0].mesh().aabb().center() - center;
        assert!((measured(&scene) - (point + gone - from).norm()).abs() < 1e-9);
        assert!(gone.norm() > 1.0);
        // The shape of the cable moves, and the place on it.
        for p in &mut scene.cables[0].shape.as_mut().unwrap().points {
            p.z += 7.0;
        }
        let now = scene.measurements[0].from.in_world(&scene).unwrap();
        assert!((now - from - Vec3::new(0.0, 0.0, 7.0)).norm() < 1e-9);
    }

    #[test]
    fn it_follows_new_names_and_goes_with_what_is_deleted() {
        let (mut scene, _) = scene();
        let before = scene.measurements[0].distance(&scene);
        for (kind, from, to) in [
            (Kind::Part, scene.parts[0].name.clone(), "housing"),
            (Kind::Cable, scene.cables[0].name.clone(), "loom"),
        ] {
            let to = to.to_owned();
            let rename = Command::Rename { kind, from, to };
            rename.apply(&mut scene).unwrap();
        }
        assert_eq!(scene.measurements[0].distance(&scene), before);
        for (kind, name) in [(Kind::Part, "housing"), (Kind::Cable, "loom")] {
            let mut scene = scene.clone();
            let name = name.to_owned();
            Command::Delete { kind, name }.apply(&mut scene).unwrap();
            assert!(scene.measurements.is_empty());
        }
        let kind = Kind::Measurement;
        let name = "gap".to_owned();
        Command::Delete { kind, name }.apply(&mut scene).unwrap();
        assert!(scene.measurements.is_empty());
    }

    #[test]
    fn it_is_kept_in_the_file_and_what_cannot_be_is_refused() {
        let (scene, _) = scene();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        file::save(&scene, &path).unwrap();
        let (again, _) = file::load(&path).unwrap();
        assert_eq!(again.measurements, scene.measurements);
        let text = std::fs::read_to_string(&path).unwrap();
        let before = text.len();
        let text = text.replace("\"at\": 100.0", "\"at\": -1.0");
        assert!(text.len() < before, "the place is in the file");
        std::fs::write(&path, text).unwrap();
        let error = file::load(&path).unwrap_err().to_string();
        assert!(error.contains("measurements"), "{error}");
        let mut measurement = scene.measurements[0].clone();
        measurement.from = MeasuredPlace::Cable {
            cable: scene.cables[0].name.clone(),
            at: f64::NAN,
        };
        let keep = Command::SaveMeasurement { measurement };
        assert!(keep.apply(&mut scene.clone()).is_err());
        let mut measurement = scene.measurements[0].clone();
        measurement.to = MeasuredPlace::Part {
            part: "no such".into(),
            point: Vec3::zeros(),
        };
        let keep = Command::SaveMeasurement { measurement };
        assert!(keep.apply(&mut scene.clone()).is_err());
    }
}
