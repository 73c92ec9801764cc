//! Fixings that are bought: a clip, a tie, a grommet. Each is a text (`assets/fixings/`): what it holds, where it sits,
//! and a small mesh made of rings and boxes, or read from a file.

mod mesh;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub use mesh::{RingSize, Solid};

use super::part::is_default;
use super::{Finish, HandleKind};
use crate::disk::read_bounded;

/// Largest text of a fixing that is read, bytes.
const MAX_TEXT: u64 = 1 << 20;
/// Most texts that are read from a folder.
const MAX_FILES: usize = 200;
/// Largest size in a text, mm.
const MAX_SIZE: f64 = 1e4;

/// A fixing of the library. Its own axes: the cable along z through the origin, y away from what it sits on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixing {
    /// Unique in the library.
    pub name: String,
    /// What it does to the cable.
    pub holds: Holds,
    /// What it sits on.
    pub seat: Seat,
    /// Diameter of the cable that its sizes are for, mm; for another one all of them go along.
    pub diameter: f64,
    /// From the surface that it sits on to the axis of the cable, mm.
    #[serde(default)]
    pub height: f64,
    /// Red, green, blue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<[u8; 3]>,
    /// What its surface looks like.
    #[serde(default, skip_serializing_if = "is_default")]
    pub finish: Finish,
    /// What it is made of; closed bodies that do not overlap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub solids: Vec<Solid>,
    /// A mesh file instead, beside the text; mm, in the axes above. It keeps its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<PathBuf>,
}

/// What a fixing does to its cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// Place, direction and roll.
    Full,
    /// Place and direction.
    Direction,
    /// The place alone.
    Position,
    /// Lets it run through.
    Sliding,
}

/// What a fixing sits on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seat {
    /// A surface, the cable along it.
    Surface,
    /// A hole, the cable through it.
    Hole,
    /// A surface or hole, at the end of a cable that leaves it.
    End,
}

/// Why a fixing cannot be used. The path comes last.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{reason}: {}", path.display())]
pub struct FixingError {
    /// The text.
    pub path: PathBuf,
    /// What is wrong, and where.
    pub reason: String,
}

impl Holds {
    /// The kind of a handle that does it on a cable of that length, mm.
    pub fn kind(self, length: f64) -> HandleKind {
        match self {
            Self::Full => HandleKind::Full,
            Self::Direction => HandleKind::Direction,
            Self::Position => HandleKind::Position,
            Self::Sliding => HandleKind::Sliding {
                min: 0.0,
                max: length,
            },
        }
    }
}

impl Fixing {
    /// How much larger than in its text it is for a cable of that diameter, mm.
    pub fn scale(&self, diameter: f64) -> f64 {
        if self.mesh.is_some() {
            1.0
        } else {
            diameter / self.diameter
        }
    }

    /// From the surface to the axis of a cable of that diameter, mm.
    pub fn height_for(&self, diameter: f64) -> f64 {
        self.height * self.scale(diameter)
    }

    /// What cannot be, in words.
    pub fn problem(&self) -> Option<String> {
        let size = |mm: f64| mm.is_finite() && mm.abs() <= MAX_SIZE;
        if self.name.trim().is_empty() {
            return Some("a fixing needs a name".to_owned());
        }
        let name = &self.name;
        if !(size(self.diameter) && self.diameter > 0.0) {
            return Some(format!(
                "fixing \"{name}\": diameter must be a positive number of mm, but is {}",
                self.diameter
            ));
        }
        if !(size(self.height) && self.height >= 0.0) {
            return Some(format!(
                "fixing \"{name}\": height must be 0 or a positive number of mm, but is {}",
                self.height
            ));
        }
        if self.solids.is_empty() == self.mesh.is_none() {
            return Some(format!(
                "fixing \"{name}\": it needs either solids or a mesh file"
            ));
        }
        let bad = self.solids.iter().find_map(|solid| solid.problem(MAX_SIZE));
        bad.map(|bad| format!("fixing \"{name}\": {bad}"))
    }
}

/// The fixings that come with the program.
pub fn built_in() -> &'static [Fixing] {
    const TEXTS: [(&str, &str); 6] = [
        (
            "p-clip",
            include_str!("../../../assets/fixings/p-clip.toml"),
        ),
        (
            "edge-clip",
            include_str!("../../../assets/fixings/edge-clip.toml"),
        ),
        ("tie", include_str!("../../../assets/fixings/tie.toml")),
        (
            "grommet",
            include_str!("../../../assets/fixings/grommet.toml"),
        ),
        ("guide", include_str!("../../../assets/fixings/guide.toml")),
        (
            "connector",
            include_str!("../../../assets/fixings/connector.toml"),
        ),
    ];
    static LIBRARY: LazyLock<Vec<Fixing>> = LazyLock::new(|| {
        let read = |(name, text): &(&str, &str)| parse(text, Path::new(name)).ok();
        TEXTS.iter().filter_map(read).collect()
    });
    &LIBRARY
}

/// The fixing of a text at that path.
pub fn parse(text: &str, path: &Path) -> Result<Fixing, FixingError> {
    let error = |reason: String| FixingError {
        path: path.to_owned(),
        reason,
    };
    let mut fixing: Fixing =
        toml::from_str(text).map_err(|e| error(e.to_string().trim().replace('\n', " ")))?;
    if let Some(problem) = fixing.problem() {
        return Err(error(problem));
    }
    // The mesh is beside its text.
    if let (Some(mesh), Some(folder)) = (&mut fixing.mesh, path.parent()) {
        *mesh = folder.join(&*mesh);
    }
    Ok(fixing)
}

/// The fixings of a folder (`*.toml`), by name of the file, and what is wrong with the others. No folder, no fixings.
pub fn read_folder(folder: &Path) -> (Vec<Fixing>, Vec<FixingError>) {
    let listed = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = listed
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    let (mut fixings, mut errors) = (Vec::new(), Vec::new());
    for path in paths.iter().take(MAX_FILES) {
        let read = read_bounded(path, MAX_TEXT)
            .map_err(|e| e.to_string())
            .and_then(|bytes| String::from_utf8(bytes).map_err(|e| e.to_string()));
        let read = read.map_err(|reason| FixingError {
            path: path.clone(),
            reason,
        });
        match read.and_then(|text| parse(&text, path)) {
            Ok(fixing) => fixings.push(fixing),
            Err(error) => errors.push(error),
        }
    }
    (fixings, errors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_has_six_fixings_with_closed_meshes() {
        let names: Vec<&str> = built_in().iter().map(|f| f.name.as_str()).collect();
        let wanted = [
            "P-clip",
            "Edge clip",
            "Tie",
            "Grommet",
            "Guide",
            "Connector",
        ];
        assert_eq!(names, wanted);
        for fixing in built_in() {
            for diameter in [3.0, 10.0, 40.0] {
                let mesh = fixing.mesh_for(diameter).unwrap();
                let obstacle = crate::contact::Obstacle::new(&mesh);
                assert!(obstacle.is_closed(), "{}", fixing.name);
                assert!(mesh.volume_and_center().0 > 0.0, "{}", fixing.name);
                // The cable itself fits through.
                let axis = crate::geom::Vec3::zeros();
                let near = obstacle.nearest(&axis, &axis, f64::INFINITY).unwrap();
                let free = fixing.seat == Seat::End || near.distance >= 0.5 * diameter;
                assert!(free, "{}: {}", fixing.name, near.distance);
            }
        }
    }

    #[test]
    fn a_folder_of_the_user_adds_fixings_and_names_what_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).unwrap();
        };
        let good = include_str!("../../../assets/fixings/tie.toml").replace("Tie", "My tie");
        put("a.toml", &good);
        put("b.toml", &good.replace("diameter = 10.0", "diameter = -1"));
        put("c.toml", &good.replace("outer = 6.2", "outer = 5.0"));
        put("d.toml", "name = ");
        put("e.txt", "no fixing");
        let (fixings, errors) = read_folder(folder.path());
        assert_eq!(fixings.len(), 1);
        assert_eq!(fixings[0].name, "My tie");
        let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(words.len(), 3, "{words:?}");
        assert!(words[0].contains("diameter must be") && words[0].contains("b.toml"));
        assert!(words[1].contains("outer"), "{}", words[1]);
        assert_eq!(read_folder(Path::new("/no/such/folder")).0, []);
    }
}
