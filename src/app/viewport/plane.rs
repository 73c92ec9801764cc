//! The planes of a section in hand: an arrow across each of them, over the view, is dragged.

use egui::Stroke;

use super::View;
use super::camera::Pixel;
use super::gizmo::{self, Grip};
use super::overlay::Overlay;
use crate::app::choices::{CutPlane, Section};
use crate::app::theme;
use crate::geom::{Pose, Vec3};
use crate::scene::Scene;

/// How near the cursor must come to an arrow, points.
const REACH: f64 = 7.0;
/// Seen more along the arrow than this (cosine), it is dragged up and down instead.
const END_ON: f64 = 0.95;
/// Length of the arrows of a box, as a share of that of a plane alone: there are six.
const SHORT: f64 = 0.62;

/// A plane with its arrow.
struct Held {
    number: usize,
    plane: CutPlane,
    /// Where the arrow begins.
    pose: Pose,
    /// The arrow in the view: both ways across a plane alone, out of a box.
    arrows: Vec<[Pixel; 2]>,
}

impl View {
    /// The middle of each plane: of a plane alone, that of what there is; of a box, that of its side.
    fn middles_of_section(&self, scene: &Scene) -> Vec<(usize, CutPlane, Pose)> {
        let Some(section) = self.section() else {
            return Vec::new();
        };
        let aabb = match section {
            Section::Plane(_) => self.content.aabb(scene),
            Section::Box(aabb) => aabb,
        };
        if aabb.is_empty() {
            return Vec::new();
        }
        let middle = |(number, plane): (usize, CutPlane)| {
            let mut pose = Pose::identity();
            pose.position = aabb.center();
            pose.position[plane.axis] = plane.offset;
            (number, plane, pose)
        };
        section.planes().enumerate().map(middle).collect()
    }

    /// The arrows of the section in the view.
    fn held_planes(&self, scene: &Scene) -> Vec<Held> {
        let alone = matches!(self.section(), Some(Section::Plane(_)));
        let all = self.middles_of_section(scene).into_iter();
        let held = all.map(|(number, plane, pose)| {
            let out = plane.plane().0 * self.mm_per_point(&pose.position);
            let at = |points: f64| self.project(&(pose.position + out * points));
            let arrow = |from: f64, to: f64| Some([at(from)?, at(to)?]);
            let arrows = if alone {
                let both = [1.0, -1.0];
                let both = both.map(|way| arrow(way * gizmo::DISC, way * gizmo::ARROW));
                both.into_iter().flatten().collect()
            } else {
                let one = arrow(gizmo::DISC, SHORT * gizmo::ARROW);
                one.into_iter().collect()
            };
            Held {
                number,
                plane,
                pose,
                arrows,
            }
        });
        held.collect()
    }

    /// The middle of the arrow of a plane of the section, by its number, in the view.
    pub fn section_place(&self, scene: &Scene, number: usize) -> Option<Pixel> {
        let all = self.middles_of_section(scene);
        let (.., pose) = all.get(number)?;
        self.project(&pose.position)
    }

    /// The plane of the section whose arrow the cursor is on.
    pub(super) fn plane_under(&self, scene: &Scene, cursor: &Pixel) -> Option<usize> {
        let distance = |held: &Held| {
            let middle = self.project(&held.pose.position);
            let middle = middle.map(|m| (m - cursor).norm() - gizmo::DISC);
            let arrows = held.arrows.iter();
            let arrows = arrows.map(|[a, b]| gizmo::distance_to_segment(cursor, a, b));
            arrows.chain(middle).fold(f64::INFINITY, f64::min)
        };
        let held = self.held_planes(scene);
        let near = held.iter().map(|h| (distance(h), h.number));
        let near = near.filter(|(distance, _)| *distance <= REACH);
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, k)| k)
    }

    /// The cursor went from one place to another with a plane in hand.
    pub(super) fn drag_section(&mut self, scene: &Scene, number: usize, from: &Pixel, to: &Pixel) {
        let all = self.middles_of_section(scene);
        let (Some(section), Some((_, plane, pose))) = (self.section(), all.get(number)) else {
            return;
        };
        let facing = self.camera.back()[plane.axis];
        let offset = if facing.abs() > END_ON {
            let mm = self.mm_per_point(&pose.position);
            plane.offset + (from.y - to.y) * mm * facing.signum()
        } else {
            let grip = Grip::Arrow(plane.axis);
            let moved = gizmo::drag(&self.camera, self.viewport, pose, grip, from, to);
            moved.position[plane.axis]
        };
        if offset.is_finite() {
            self.set_section(Some(section.with_plane_at(number, offset)));
        }
    }

    /// The arrows, with where the plane is that is in hand, and the edges of a box.
    pub(super) fn paint_section(&self, overlay: &Overlay<'_>, scene: &Scene) {
        if let Some(Section::Box(aabb)) = self.section() {
            let stroke = Stroke::new(1.2, overlay.palette.ink.gamma_multiply(0.55));
            for edge in edges(&[aabb.min, aabb.max]) {
                overlay.path(&edge, stroke);
            }
        }
        let in_hand = self.section_before.map(|(_, number)| number);
        for held in self.held_planes(scene) {
            let axis = held.plane.axis;
            let lit = in_hand.or(self.on_plane) == Some(held.number);
            let (color, width) = if lit {
                (theme::HOT, 3.8)
            } else {
                (overlay.palette.axes[axis], 2.2)
            };
            for arrow in &held.arrows {
                overlay.arrow(arrow, Stroke::new(width, color));
            }
            overlay.knob(&held.pose.position, color);
            if lit {
                let name = ["X", "Y", "Z"][axis];
                let words = format!("Section plane at {name} {:.1} mm", held.plane.offset);
                overlay.label(&held.pose.position, &words);
            }
        }
    }
}

/// The twelve edges of a box.
fn edges(corners: &[Vec3; 2]) -> impl Iterator<Item = [Vec3; 2]> {
    let corner = |k: usize| {
        let [x, y, z] = [k & 1, k >> 1 & 1, k >> 2];
        Vec3::new(corners[x].x, corners[y].y, corners[z].z)
    };
    (0..8).flat_map(move |k| {
        let others = [1, 2, 4].into_iter().filter(move |axis| k & axis == 0);
        others.map(move |axis| [corner(k), corner(k | axis)])
    })
}
