//! What is to be drawn and how, as plain data.

use std::sync::Arc;

use super::camera::{Camera, Viewport};
use super::model::PartModel;
use super::tube::TubeMesh;
use crate::app::choices::Section;
use crate::app::selection::Thing;
use crate::app::theme::Palette;
use crate::geom::{Aabb, Pose, Vec3};
use crate::scene::Finish;

/// How far the colour of what is under the cursor goes towards white.
const LIT: f32 = 0.3;

/// How far the colour of a part that is selected goes towards the accent.
const MARKED: f32 = 0.55;

/// All that is to be seen, as plain data.
#[derive(Clone)]
pub struct Picture {
    /// Where from.
    pub camera: Camera,
    /// Size of the view in points.
    pub viewport: Viewport,
    /// The box around all that is drawn.
    pub aabb: Aabb,
    /// The box around parts and cables.
    pub solid: Aabb,
    /// Visible parts.
    pub parts: Vec<DrawnPart>,
    /// Rooms that cables sweep, see-through.
    pub swept: Vec<DrawnPart>,
    /// Visible cables.
    pub tubes: Vec<Tube>,
    /// Lines of the ground grid.
    pub grid: Arc<Vec<[Vec3; 2]>>,
    /// Grows whenever parts, tubes or grid change.
    pub revision: u64,
    /// Grows whenever parts or grid change: what stands behind the cables.
    pub backdrop: u64,
    /// How it is drawn.
    pub look: Look,
}

/// A part to be drawn.
#[derive(Clone)]
pub struct DrawnPart {
    /// Its surface and edges.
    pub model: Arc<PartModel>,
    /// Its colour.
    pub color: egui::Color32,
    /// What its surface looks like.
    pub finish: Finish,
    /// How it is moved from where its model has it, while a hand holds it.
    pub moved: Option<Pose>,
}

/// A cable to be drawn.
#[derive(Clone)]
pub struct Tube {
    /// Number of the cable.
    pub cable: usize,
    /// Its surface.
    pub mesh: Arc<TubeMesh>,
    /// Its colour.
    pub color: egui::Color32,
    /// Whether it is selected: it has an outline then, and keeps its colour.
    pub selected: bool,
    /// The colour of each vertex, where it is coloured by what happens along it.
    pub tints: Option<Arc<Vec<[f32; 3]>>>,
}

/// How the picture is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Something moves: speed before beauty.
    pub moving: bool,
    /// Parts are see-through where cables are behind them.
    pub see_through: bool,
    /// What is under the cursor is brighter.
    pub lit: Option<Thing>,
    /// Parts are in hand.
    pub carrying: bool,
    /// What of the parts is cut away.
    pub section: Option<Section>,
    /// Light or dark.
    pub palette: &'static Palette,
}

impl Look {
    /// The colour of a thing: towards that of the selection when selected, brighter under the cursor.
    pub fn shade(&self, thing: Thing, color: egui::Color32, selected: bool) -> egui::Color32 {
        let color = if selected {
            color.lerp_to_gamma(self.palette.accent, MARKED)
        } else {
            color
        };
        if self.lit == Some(thing) {
            color.lerp_to_gamma(egui::Color32::WHITE, LIT)
        } else {
            color
        }
    }
}
