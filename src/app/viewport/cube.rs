//! The view cube in the upper right corner: shows how the view is turned, and a click on a face turns it there.

use egui::{Align2, FontId, Pos2, Shape, Stroke, Vec2, vec2};

use super::View;
use super::camera::{Camera, Projection};
use super::overlay::Overlay;
use crate::app::choices::StandardView;
use crate::geom::Vec3;

/// Half of its side, and how far its middle is from the corner of the view, points.
const HALF: f32 = 23.0;
const FROM_CORNER: Vec2 = vec2(-52.0, 52.0);
/// A smaller view has no room for the cube and the axes, points.
const LEAST_VIEW: Vec2 = vec2(320.0, 240.0);
/// How long the view turns, seconds.
const TURN: f64 = 0.28;
/// A face that looks less towards the viewer than this is not drawn.
const SEEN: f64 = 0.06;

/// A turn of the view that goes on.
#[derive(Clone, Copy, Debug)]
pub struct Turning {
    from: Camera,
    to: Camera,
    /// When it began, seconds; `None` before the first redraw.
    since: Option<f64>,
}

/// The faces that the viewer sees, with their corners in the window.
fn faces(camera: &Camera, middle: Pos2) -> Vec<(StandardView, Vec<Pos2>, f64)> {
    let to_view = camera.rotation.inverse();
    let all = StandardView::ALL.into_iter();
    let sides = all.filter(|v| *v != StandardView::Isometric);
    let face = |view: StandardView| {
        let (out, up) = view.back_and_up();
        let facing = out.dot(&camera.back());
        let across = up.cross(&out);
        let corner = |a: f64, b: f64| {
            let p: Vec3 = to_view * (out + across * a + up * b);
            middle + vec2(p.x as f32, -p.y as f32) * HALF
        };
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let corners = corners.map(|(a, b)| corner(a, b)).to_vec();
        (facing > SEEN).then_some((view, corners, facing))
    };
    sides.filter_map(face).collect()
}

/// Whether a point is inside a convex outline.
fn inside(outline: &[Pos2], p: Pos2) -> bool {
    let side = |k: usize| {
        let (a, b) = (outline[k], outline[(k + 1) % outline.len()]);
        (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)
    };
    let sides: Vec<f32> = (0..outline.len()).map(side).collect();
    sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0)
}

impl View {
    fn cube_middle(&self) -> Pos2 {
        self.rect.right_top() + FROM_CORNER
    }

    /// Whether there is room for the cube and the axes beside what is looked at.
    pub(super) fn has_room(&self) -> bool {
        self.rect.width() >= LEAST_VIEW.x && self.rect.height() >= LEAST_VIEW.y
    }

    /// The face of the cube at a place of the window.
    pub(super) fn cube_face(&self, at: Pos2) -> Option<StandardView> {
        if !self.has_room() {
            return None;
        }
        let faces = faces(&self.camera, self.cube_middle());
        let hit = faces
            .into_iter()
            .find(|(_, outline, _)| inside(outline, at));
        hit.map(|(view, ..)| view)
    }

    /// Where a face of the cube is in the window; `None` where it looks away.
    pub fn cube_place(&self, view: StandardView) -> Option<Pos2> {
        let mut faces = faces(&self.camera, self.cube_middle()).into_iter();
        let (_, outline, _) = faces.find(|(face, ..)| *face == view)?;
        let sum = outline.iter().fold(Vec2::ZERO, |s, p| s + p.to_vec2());
        Some((sum / outline.len() as f32).to_pos2())
    }

    /// Turns there, in a moment, and shows the whole scene.
    pub(super) fn turn_to(&mut self, view: StandardView, scene: &crate::scene::Scene) {
        let mut to = self.camera;
        to.look_from(view);
        to.fit(&self.content.aabb(scene), self.viewport);
        self.turning = Some(Turning {
            from: self.camera,
            to,
            since: None,
        });
    }

    /// One redraw of a turn.
    pub(super) fn go_on_turning(&mut self, ctx: &egui::Context) {
        let Some(turning) = &mut self.turning else {
            return;
        };
        let now = ctx.input(|i| i.time);
        let since = *turning.since.get_or_insert(now);
        let share = ((now - since) / TURN).clamp(0.0, 1.0);
        let Turning { from, to, .. } = *turning;
        if share >= 1.0 {
            self.camera = to;
            self.turning = None;
            return;
        }
        // Slow at both ends.
        let share = share * share * (3.0 - 2.0 * share);
        let turned = from.rotation.try_slerp(&to.rotation, share, 1e-6);
        self.camera = Camera {
            focus: from.focus.lerp(&to.focus, share),
            rotation: turned.unwrap_or(to.rotation),
            height: from.height * (to.height / from.height).powf(share),
            ..to
        };
        ctx.request_repaint();
    }

    /// Draws the cube, and how depth is shown.
    pub(super) fn paint_cube(&self, overlay: &Overlay<'_>, cursor: Option<Pos2>) {
        if !self.has_room() {
            return;
        }
        let middle = self.cube_middle();
        let palette = overlay.palette;
        let hot = cursor.and_then(|at| self.cube_face(at));
        for (view, outline, facing) in faces(&self.camera, middle) {
            let fill = if hot == Some(view) {
                palette.accent.gamma_multiply(0.45)
            } else {
                palette.plate.gamma_multiply(0.55 + 0.35 * facing as f32)
            };
            let sum = outline.iter().fold(Vec2::ZERO, |s, p| s + p.to_vec2());
            let at = (sum / outline.len() as f32).to_pos2();
            let stroke = Stroke::new(1.2, palette.weak.gamma_multiply(0.8));
            let face = Shape::convex_polygon(outline, fill, stroke);
            overlay.painter.add(face);
            if facing > 0.3 {
                let font = FontId::proportional(7.0 + 4.0 * facing as f32);
                let painter = &overlay.painter;
                painter.text(at, Align2::CENTER_CENTER, view.name(), font, palette.ink);
            }
        }
        let words = match self.camera.projection {
            Projection::Orthographic => "Parallel",
            Projection::Perspective => "Perspective",
        };
        overlay.painter.text(
            middle + vec2(0.0, 1.9 * HALF),
            Align2::CENTER_CENTER,
            words,
            FontId::proportional(11.0),
            palette.weak,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_faces_are_seen_from_a_corner_and_one_from_the_front() {
        let mut camera = Camera::default();
        let middle = Pos2::new(100.0, 100.0);
        let seen = |camera: &Camera| -> Vec<StandardView> {
            let all = faces(camera, middle).into_iter();
            all.map(|(view, ..)| view).collect()
        };
        assert_eq!(
            seen(&camera),
            [StandardView::Front, StandardView::Right, StandardView::Top]
        );
        for (_, outline, _) in faces(&camera, middle) {
            let sum = outline.iter().fold(Vec2::ZERO, |s, p| s + p.to_vec2());
            assert!(inside(&outline, (sum / 4.0).to_pos2()));
            assert!(!inside(&outline, Pos2::new(300.0, 100.0)));
        }
        camera.look_from(StandardView::Front);
        assert_eq!(seen(&camera), [StandardView::Front]);
    }
}
