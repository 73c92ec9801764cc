//! The section plane in hand: an arrow across it, over the view, is dragged.

use egui::Stroke;

use super::View;
use super::camera::Pixel;
use super::gizmo::{self, Grip};
use super::overlay::Overlay;
use crate::app::choices::Section;
use crate::app::theme;
use crate::geom::{Pose, Vec3};
use crate::scene::Scene;

/// How near the cursor must come to the arrow, points.
const REACH: f64 = 7.0;
/// Seen more along the arrow than this (cosine), it is dragged up and down instead.
const END_ON: f64 = 0.95;

impl View {
    /// Where the arrow is: in the middle of what there is, on the plane.
    fn middle_of_section(&self, scene: &Scene) -> Option<(Section, Pose)> {
        let section = self.section()?;
        let aabb = self.content.aabb(scene);
        if aabb.is_empty() {
            return None;
        }
        let mut pose = Pose::identity();
        pose.position = aabb.center();
        pose.position[section.axis] = section.offset;
        Some((section, pose))
    }

    /// The two halves of the arrow in the view, from the middle to the tips.
    fn section_arrows(&self, scene: &Scene) -> Option<[[Pixel; 2]; 2]> {
        let (section, pose) = self.middle_of_section(scene)?;
        let mm = self.mm_per_point(&pose.position);
        let mut along = Vec3::zeros();
        along[section.axis] = mm;
        let at = |points: f64| self.project(&(pose.position + along * points));
        Some([
            [at(gizmo::DISC)?, at(gizmo::ARROW)?],
            [at(-gizmo::DISC)?, at(-gizmo::ARROW)?],
        ])
    }

    /// The middle of the arrow of the section plane in the view.
    pub fn section_place(&self, scene: &Scene) -> Option<Pixel> {
        let (_, pose) = self.middle_of_section(scene)?;
        self.project(&pose.position)
    }

    /// Whether the cursor is on the arrow of the section plane.
    pub(super) fn is_on_section(&self, scene: &Scene, cursor: &Pixel) -> bool {
        let middle = self.section_place(scene);
        let on_middle = middle.is_some_and(|m| (m - cursor).norm() <= gizmo::DISC + 2.0);
        let arrows = self.section_arrows(scene).into_iter().flatten();
        let mut near = arrows.map(|[a, b]| gizmo::distance_to_segment(cursor, &a, &b));
        on_middle || near.any(|distance| distance <= REACH)
    }

    /// The cursor went from one place to another with the plane in hand.
    pub(super) fn drag_section(&mut self, scene: &Scene, from: &Pixel, to: &Pixel) {
        let Some((mut section, pose)) = self.middle_of_section(scene) else {
            return;
        };
        let facing = self.camera.back()[section.axis];
        section.offset = if facing.abs() > END_ON {
            let mm = self.mm_per_point(&pose.position);
            section.offset + (from.y - to.y) * mm * facing.signum()
        } else {
            let grip = Grip::Arrow(section.axis);
            let moved = gizmo::drag(&self.camera, self.viewport, &pose, grip, from, to);
            moved.position[section.axis]
        };
        if section.offset.is_finite() {
            self.set_section(Some(section));
        }
    }

    /// The arrow, with where the plane is while it is in hand.
    pub(super) fn paint_section(&self, overlay: &Overlay<'_>, scene: &Scene) {
        let (Some((section, pose)), Some(arrows)) =
            (self.middle_of_section(scene), self.section_arrows(scene))
        else {
            return;
        };
        let lit = self.on_section || self.section_before.is_some();
        let (color, width) = if lit {
            (theme::HOT, 3.8)
        } else {
            (overlay.palette.axes[section.axis], 2.2)
        };
        for arrow in &arrows {
            overlay.arrow(arrow, Stroke::new(width, color));
        }
        overlay.knob(&pose.position, color);
        if lit {
            let axis = ["X", "Y", "Z"][section.axis];
            let words = format!("Section plane at {axis} {:.1} mm", section.offset);
            overlay.label(&pose.position, &words);
        }
    }
}
