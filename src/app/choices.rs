//! What can be chosen in the window: plain values that panels, tools and the view share.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::curve::Curve;
use super::playback::Source;
use crate::exchange::{ExportOptions, Format};
use crate::geom::{Aabb, Vec3};
use crate::scene::study::StudyPath;

/// A tool, by the word that its row in the table of tools has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ToolKind(&'static str);

impl ToolKind {
    /// Click selects, drag moves.
    pub const SELECT: Self = Self("select");
    /// Makes branches of a tessellated harness flexible.
    pub const FLEXIBILISE: Self = Self("flexibilise");

    /// The tool of that word.
    pub const fn named(word: &'static str) -> Self {
        Self(word)
    }
}

/// What cables are coloured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coloring {
    /// Their own colour.
    #[default]
    Own,
    /// Curvature over what the allowed bend radius permits.
    Bend,
    /// Tension.
    Tension,
    /// Twist per length.
    Twist,
    /// Distance to the nearest part.
    Clearance,
}

impl Coloring {
    /// All of them, in the order of the menu.
    pub const ALL: [Self; 5] = [
        Self::Own,
        Self::Bend,
        Self::Tension,
        Self::Twist,
        Self::Clearance,
    ];

    /// Its name in the menu and the legend.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "Own colour",
            Self::Bend => "Bend radius",
            Self::Tension => "Tension",
            Self::Twist => "Twist",
            Self::Clearance => "Clearance",
        }
    }
}

/// Which program's mouse the view has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Works with two buttons too: left drag on nothing orbits.
    #[default]
    Loomwright,
    /// Middle pans; middle and then left or right orbits; the second released, it zooms.
    Catia,
    /// Middle orbits; with Shift or right it pans; with Ctrl or left it zooms.
    Nx,
    /// Middle orbits, with Ctrl it pans, with Shift it zooms.
    SolidWorks,
    /// Middle orbits, with Shift it pans, with Ctrl it zooms.
    Creo,
    /// Middle orbits, with Shift it pans, with Ctrl it zooms.
    Blender,
}

impl Preset {
    /// All of them, in the order of the menu.
    pub const ALL: [Self; 6] = [
        Self::Loomwright,
        Self::Catia,
        Self::Nx,
        Self::SolidWorks,
        Self::Creo,
        Self::Blender,
    ];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loomwright => "Loomwright",
            Self::Catia => "CATIA",
            Self::Nx => "NX",
            Self::SolidWorks => "SolidWorks",
            Self::Creo => "Creo",
            Self::Blender => "Blender",
        }
    }

    /// What the mouse does in the view, in words.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Loomwright => {
                "middle or left drag orbits   |   right drag pans   |   Shift+left drag selects in a box"
            }
            Self::Catia => {
                "middle pans   |   middle, then left or right, orbits; let that one go to zoom   |   left drag selects in a box"
            }
            Self::SolidWorks => {
                "middle orbits   |   Ctrl+middle pans   |   Shift+middle zooms   |   left drag selects in a box"
            }
            Self::Nx | Self::Creo | Self::Blender => {
                "middle orbits   |   Shift+middle pans   |   Ctrl+middle zooms   |   left drag selects in a box"
            }
        }
    }
}

/// What is beyond the plane is cut away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutPlane {
    /// The plane is across X, Y or Z: 0, 1 or 2.
    pub axis: usize,
    /// Where on that axis, mm.
    pub offset: f64,
    /// The side below is cut away, not the one above.
    pub flipped: bool,
}

/// What of the parts is left; the rest is cut away. Cables stay whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// What is on one side of a plane.
    Plane(CutPlane),
    /// What is in a box.
    Box(Aabb),
}

/// The seven views every CAD program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardView {
    /// From -Y.
    Front,
    /// From +Y.
    Back,
    /// From -X.
    Left,
    /// From +X.
    Right,
    /// From +Z.
    Top,
    /// From -Z.
    Bottom,
    /// From the corner between front, right and top.
    Isometric,
}

impl StandardView {
    /// All of them, in the order of the keys 1 to 7.
    pub const ALL: [Self; 7] = [
        Self::Front,
        Self::Back,
        Self::Left,
        Self::Right,
        Self::Top,
        Self::Bottom,
        Self::Isometric,
    ];

    /// Its name in the menu.
    pub fn name(self) -> &'static str {
        match self {
            Self::Front => "Front",
            Self::Back => "Back",
            Self::Left => "Left",
            Self::Right => "Right",
            Self::Top => "Top",
            Self::Bottom => "Bottom",
            Self::Isometric => "Isometric",
        }
    }

    /// From the focus to the eye, and what is up.
    pub fn back_and_up(self) -> (Vec3, Vec3) {
        match self {
            Self::Front => (-Vec3::y(), Vec3::z()),
            Self::Back => (Vec3::y(), Vec3::z()),
            Self::Left => (-Vec3::x(), Vec3::z()),
            Self::Right => (Vec3::x(), Vec3::z()),
            Self::Top => (Vec3::z(), Vec3::y()),
            Self::Bottom => (-Vec3::z(), -Vec3::y()),
            Self::Isometric => (Vec3::new(1.0, -1.0, 0.8), Vec3::z()),
        }
    }
}

/// What a path is typed for.
#[derive(Clone, Debug, PartialEq)]
pub enum Purpose {
    /// A file to open.
    Open,
    /// A file to save to.
    Save,
    /// A file to take the mesh of this part from.
    Replace(String),
    /// A file with a new revision of the parts.
    Update,
    /// A file to save the scene with all its meshes to.
    Pack,
    /// A file to save a picture of the window to.
    Screenshot,
    /// A file to save what support needs to.
    Support,
    /// A file with the path of an assembly study.
    StudyPath,
    /// A file with a path over time.
    MotionPath,
    /// A file to save the path of an assembly study to.
    SaveStudyPath(Arc<StudyPath>),
    /// A file to save the room to that the cables sweep.
    Envelopes(Source),
    /// A file to save a plot to.
    Plot(Arc<Curve>),
}

/// An export to carry out.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportOrder {
    /// Names of the cables.
    pub cables: Vec<String>,
    /// The format.
    pub format: Format,
    /// Where to.
    pub path: PathBuf,
    /// Only the flexible stretches of a harness, not whole segments.
    pub flexible_only: bool,
    /// What else was chosen.
    pub options: ExportOptions,
}
