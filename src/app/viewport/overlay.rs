//! What is painted over the 3D picture at a fixed size: gizmos, targets, contacts, triad.

use std::sync::Arc;

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Shape, Stroke, Vec2, pos2, vec2};

use super::camera::{Camera, Pixel, Viewport};
use super::gizmo::{self, Grip};
use super::heat::Heat;
use super::snap::Snap;
use crate::app::theme::{self, Palette};
use crate::geom::{Pose, Vec3, rotation_along};
use crate::scene::HandleKind;

/// Length of the heads of a dimension line, points.
const DIMENSION_HEAD: f32 = 8.0;

/// Paints in the view's own pixels.
pub struct Overlay<'a> {
    /// Clipped to the view.
    pub painter: Painter,
    /// Where the view is in the window.
    pub rect: Rect,
    /// The camera the picture was taken with.
    pub camera: &'a Camera,
    /// Size of the view.
    pub viewport: Viewport,
    /// Light or dark.
    pub palette: &'static Palette,
}

/// How a handle's gizmo looks now.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct GizmoLook {
    /// Colour of its cable.
    pub color: Color32,
    /// How the middle looks.
    pub ball: Ball,
    /// Shows arrows and rings.
    pub selected: bool,
    /// Is one of those selected.
    pub marked: bool,
    /// The grip under the cursor or in hand.
    pub active: Option<Grip>,
    /// It is in hand: the other grips are out of the way.
    pub in_hand: bool,
    /// A part is in front of it.
    pub hidden: bool,
    /// Radius of its ball, points: smaller where the cable is far away.
    pub size: f32,
}

/// How the middle of a gizmo looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ball {
    /// A ball with its direction, and a sign of what it holds.
    Handle(HandleKind),
    /// A ball with a cross.
    Junction,
    /// A small square.
    Part,
}

impl Overlay<'_> {
    /// A handle: a ball with its direction; arrows and rings along `frame` when selected.
    pub fn gizmo(&self, pose: &Pose, frame: &Pose, look: GizmoLook) {
        let Some(center) = self.at(&pose.position) else {
            return;
        };
        if look.selected || look.in_hand {
            for k in 0..3 {
                let active = look.active == Some(Grip::Ring(k));
                if look.in_hand && !active {
                    continue;
                }
                let points = gizmo::ring(self.camera, self.viewport, frame, k);
                let points = points.iter().map(|p| self.on_window(p)).collect();
                let stroke = grip_stroke(self.palette.axes[k], active, 1.6);
                self.painter.add(Shape::line(points, stroke));
            }
            for k in 0..3 {
                let active = look.active == Some(Grip::Arrow(k));
                if look.in_hand && !active {
                    continue;
                }
                self.arrow(
                    &gizmo::arrow(self.camera, self.viewport, frame, k),
                    grip_stroke(self.palette.axes[k], active, 2.2),
                );
            }
        }
        if matches!(look.ball, Ball::Handle(_)) {
            let mut nose = gizmo::arrow(self.camera, self.viewport, pose, 2);
            if let [from, to] = &mut nose[..] {
                *to = *from + (*to - *from) * 0.45;
            }
            let ink = self.palette.ink;
            let ink = if look.hidden {
                ink.gamma_multiply(0.5)
            } else {
                ink
            };
            self.arrow(&nose, Stroke::new(2.0, ink));
        }
        if look.marked && !look.selected {
            let stroke = Stroke::new(2.5, self.palette.accent);
            let radius = gizmo::DISC as f32 + 4.0;
            self.painter.circle_stroke(center, radius, stroke);
        }
        let active = matches!(look.active, Some(Grip::Disc | Grip::View));
        if active {
            let halo = theme::HOT.gamma_multiply(0.8);
            let radius = gizmo::DISC as f32 + 4.5;
            self.painter.circle_filled(center, radius, halo);
        }
        if look.ball == Ball::Part {
            let square = Rect::from_center_size(center, Vec2::splat(gizmo::DISC as f32 * 1.5));
            self.painter
                .rect_filled(square, 2.0, look.color.gamma_multiply(0.75));
        } else if look.hidden && !look.in_hand {
            self.hidden_ball(center, look.color, look.size);
        } else {
            self.ball(center, look.color, look.size);
            self.sign(center, look.ball, look.size);
        }
        if look.active == Some(Grip::View) {
            let stroke = Stroke::new(1.5, self.palette.accent);
            self.painter
                .circle_stroke(center, gizmo::RING as f32 + 8.0, stroke);
        }
    }

    /// The target of a handle that is held short of it, joined to the handle by a thin line.
    pub fn ghost(&self, handle: &Vec3, target: &Vec3) {
        let (Some(from), Some(to)) = (self.at(handle), self.at(target)) else {
            return;
        };
        let stroke = Stroke::new(1.2, self.palette.warn);
        let dashes = Shape::dashed_line(&[from, to], stroke, 5.0, 4.0);
        self.painter.extend(dashes);
        let radius = gizmo::DISC as f32;
        self.painter
            .circle_filled(to, radius, self.palette.rim.gamma_multiply(0.5));
        self.painter.circle_stroke(to, radius, stroke);
        for arm in [vec2(1.0, 0.0), vec2(0.0, 1.0)] {
            self.painter
                .line_segment([to - arm * 4.0, to + arm * 4.0], stroke);
        }
    }

    /// A place where the cable touches a part; a faint one when a part is in front of it.
    pub fn contact(&self, position: &Vec3, hidden: bool) {
        let Some(at) = self.at(position) else { return };
        let color = self.palette.contact;
        if hidden {
            let stroke = Stroke::new(1.0, color.gamma_multiply(0.45));
            self.painter.circle_stroke(at, 2.2, stroke);
        } else {
            self.painter.circle_filled(at, 2.6, color);
        }
    }

    /// A plumb line from a handle in hand to what is below it: shows how deep in the view the handle is.
    pub fn plumb(&self, from: &Vec3, foot: &Vec3) {
        let (Some(a), Some(b)) = (self.at(from), self.at(foot)) else {
            return;
        };
        let stroke = Stroke::new(1.0, self.palette.ink.gamma_multiply(0.6));
        self.painter
            .extend(Shape::dashed_line(&[a, b], stroke, 3.0, 4.0));
        let radius = 7.0 * self.camera.mm_per_point(foot, self.viewport);
        let ring = (0..=24).filter_map(|i| {
            let (sin, cos) = (f64::from(i) / 24.0 * std::f64::consts::TAU).sin_cos();
            self.at(&(foot + Vec3::new(cos, sin, 0.0) * radius))
        });
        self.painter.add(Shape::line(ring.collect(), stroke));
        self.painter.circle_filled(b, 1.5, stroke.color);
    }

    /// What something has snapped to: the ring of what is round and its axis, or a cross on the surface.
    pub fn snapped(&self, snap: &Snap, words: &str) {
        let stroke = Stroke::new(1.8, self.palette.accent);
        if snap.radius > 0.0 {
            let pose = Pose {
                position: snap.point,
                rotation: rotation_along(&snap.direction).unwrap_or_default(),
            };
            let ring = (0..=48).map(|i| {
                let (sin, cos) = (f64::from(i) / 48.0 * std::f64::consts::TAU).sin_cos();
                pose.transform(&(Vec3::new(cos, sin, 0.0) * snap.radius))
            });
            self.path(&ring.collect::<Vec<_>>(), stroke);
            let reach = snap.direction * (1.6 * snap.radius);
            let ends = [snap.point - reach, snap.point + reach];
            self.dashed(&ends, Stroke::new(1.3, self.palette.accent));
        } else {
            self.cross(&snap.point, self.palette.accent);
        }
        self.label(&snap.point, words);
    }

    /// What the colours along the cables mean, in the lower right corner.
    pub fn legend(&self, heat: &Heat) {
        const STEPS: usize = 24;
        let size = vec2(168.0, 138.0);
        let plate = Rect::from_min_size(self.rect.right_bottom() - size - vec2(12.0, 12.0), size);
        self.painter
            .rect_filled(plate, 5.0, self.palette.plate.gamma_multiply(0.92));
        let font = FontId::proportional(13.0);
        let ink = self.palette.ink;
        let (painter, name) = (&self.painter, heat.coloring.name());
        let corner = plate.min + vec2(10.0, 8.0);
        painter.text(corner, Align2::LEFT_TOP, name, font.clone(), ink);
        let bar = Rect::from_min_size(plate.min + vec2(10.0, 32.0), vec2(16.0, 94.0));
        let [cold, hot] = heat.range;
        for k in 0..STEPS {
            let share = 1.0 - (k as f64 + 0.5) / STEPS as f64;
            let height = bar.height() / STEPS as f32;
            let from = bar.min + vec2(0.0, height * k as f32);
            let step = Rect::from_min_size(from, vec2(bar.width(), height + 0.5));
            let color = heat.color(cold + (hot - cold) * share);
            painter.rect_filled(step, 0.0, color);
        }
        for (k, words) in heat.marks().iter().enumerate() {
            let at = bar.right_top() + vec2(8.0, bar.height() * 0.5 * k as f32);
            let anchor = [Align2::LEFT_TOP, Align2::LEFT_CENTER, Align2::LEFT_BOTTOM][k];
            painter.text(at, anchor, words, font.clone(), ink);
        }
    }

    /// The point the view turns about.
    pub fn pivot(&self, position: &Vec3) {
        if let Some(at) = self.at(position) {
            let stroke = Stroke::new(1.2, self.palette.accent);
            self.painter.circle_stroke(at, 5.0, stroke);
            self.painter.circle_filled(at, 1.5, self.palette.accent);
        }
    }

    /// X, Y and Z in the lower left corner.
    pub fn triad(&self) {
        let origin = self.rect.left_bottom() + vec2(46.0, -46.0);
        let to_view = self.camera.rotation.inverse();
        let mut axes = [0, 1, 2].map(|k| {
            let mut e = Vec3::zeros();
            e[k] = 1.0;
            (to_view * e, k)
        });
        axes.sort_by(|a, b| a.0.z.total_cmp(&b.0.z));
        for (axis, k) in axes {
            let direction = vec2(axis.x as f32, -axis.y as f32);
            // An axis that points at the viewer is a dot.
            if direction.length() < 0.15 {
                continue;
            }
            let tip = origin + direction * 28.0;
            let color = self.palette.axes[k];
            self.painter
                .line_segment([origin, tip], Stroke::new(2.0, color));
            self.painter.text(
                origin + direction * 38.0,
                Align2::CENTER_CENTER,
                ["X", "Y", "Z"][k],
                FontId::proportional(12.0),
                color,
            );
        }
    }

    /// A sentence in the middle of an empty view.
    pub fn notice(&self, text: &str) {
        self.painter.text(
            self.rect.center(),
            Align2::CENTER_CENTER,
            text,
            FontId::proportional(15.0),
            self.palette.weak,
        );
    }

    /// A box to select in.
    pub fn select_box(&self, a: &Pixel, b: &Pixel) {
        let rect = Rect::from_two_pos(self.on_window(a), self.on_window(b));
        let accent = self.palette.accent;
        self.painter
            .rect_filled(rect, 0.0, accent.gamma_multiply(0.12));
        let stroke = Stroke::new(1.0, accent);
        self.painter
            .rect_stroke(rect, 0.0, stroke, egui::StrokeKind::Inside);
    }

    /// A green ball: an end or a junction.
    pub fn node(&self, position: &Vec3, hot: bool) {
        let Some(center) = self.at(position) else {
            return;
        };
        if hot {
            let radius = gizmo::DISC as f32 + 4.5;
            self.painter
                .circle_filled(center, radius, theme::HOT.gamma_multiply(0.8));
        }
        self.ball(center, theme::JUNCTION, gizmo::DISC as f32);
    }

    /// A small round thing to grab.
    pub fn knob(&self, position: &Vec3, color: Color32) {
        if let Some(at) = self.at(position) {
            let rim = Stroke::new(1.5, self.palette.rim);
            self.painter
                .circle(at, 0.7 * gizmo::DISC as f32, color, rim);
        }
    }

    /// A line through points of the world, over everything.
    pub fn path(&self, points: &[Vec3], stroke: Stroke) {
        let points: Vec<Pos2> = points.iter().filter_map(|p| self.at(p)).collect();
        self.painter.add(Shape::line(points, stroke));
    }

    /// The distance between two points as drawings have it: a line with a head at each end; where there is no room for
    /// them, they come from outside.
    pub fn dimension(&self, from: &Vec3, to: &Vec3, stroke: Stroke) {
        let (Some(a), Some(b)) = (self.at(from), self.at(to)) else {
            return;
        };
        let length = (b - a).length();
        self.painter.line_segment([a, b], stroke);
        if length < 1.0 {
            return;
        }
        let along = (b - a) / length;
        let inside = length >= 2.5 * DIMENSION_HEAD;
        for (tip, out) in [(a, -along), (b, along)] {
            let tail = if inside { -out } else { out };
            let foot = tip + tail * DIMENSION_HEAD;
            let side = out.rot90() * (DIMENSION_HEAD * 0.32);
            let head = vec![tip, foot + side, foot - side];
            let head = Shape::convex_polygon(head, stroke.color, Stroke::NONE);
            self.painter.add(head);
            if !inside {
                let line = [foot, foot + tail * DIMENSION_HEAD];
                self.painter.line_segment(line, stroke);
            }
        }
    }

    /// A dashed line through points of the world.
    pub fn dashed(&self, points: &[Vec3], stroke: Stroke) {
        let mut points: Vec<Pos2> = points.iter().filter_map(|p| self.at(p)).collect();
        // Dashes of a stretch without length are nowhere, and all after it with them.
        points.dedup_by(|a, b| a.distance(*b) < 0.1);
        self.painter
            .extend(Shape::dashed_line(&points, stroke, 7.0, 5.0));
    }

    /// A small cross on a point.
    pub fn cross(&self, position: &Vec3, color: Color32) {
        let Some(at) = self.at(position) else { return };
        let stroke = Stroke::new(2.0, color);
        for arm in [vec2(1.0, 1.0), vec2(1.0, -1.0)] {
            self.painter
                .line_segment([at - arm * 5.0, at + arm * 5.0], stroke);
        }
    }

    /// Words beside a point, on a plate so that they can be read over anything.
    pub fn label(&self, position: &Vec3, text: &str) {
        if let Some(at) = self.at(position) {
            self.words_at(at, text, self.palette.ink, &mut Vec::new());
        }
    }

    /// Words beside a point, on the side away from another, so that what is drawn between the two is seen.
    pub fn label_away(&self, position: &Vec3, other: &Vec3, text: &str) {
        let (Some(at), Some(other)) = (self.at(position), self.at(other)) else {
            return;
        };
        let width = self.galley(text, self.palette.ink).size().x;
        let start = if other.x > at.x { -width - 24.0 } else { 0.0 };
        let at = at + vec2(start, 0.0);
        self.words_at(at, text, self.palette.ink, &mut Vec::new());
    }

    fn galley(&self, text: &str, ink: Color32) -> Arc<egui::Galley> {
        let font = FontId::proportional(13.0);
        (self.painter).layout_no_wrap(text.to_owned(), font, ink)
    }

    /// Words beside a point that is in the view, in a colour of their own and clear of those that were said before.
    pub fn label_among(&self, position: &Vec3, text: &str, ink: Color32, said: &mut Vec<Rect>) {
        if let Some(at) = self.at(position).filter(|at| self.rect.contains(*at)) {
            self.words_at(at, text, ink, said);
        }
    }

    fn words_at(&self, at: Pos2, text: &str, ink: Color32, said: &mut Vec<Rect>) {
        let galley = self.galley(text, ink);
        let rect = Rect::from_min_size(at + vec2(12.0, -26.0), galley.size()).expand(4.0);
        let mut margin = rect.translate(self.rect.shrink(4.0).clamp_offset(&rect));
        while let Some(other) = said.iter().find(|other| other.intersects(margin)) {
            margin = margin.translate(vec2(0.0, other.bottom() - margin.top() + 2.0));
        }
        said.push(margin);
        self.painter
            .rect_filled(margin, 4.0, self.palette.plate.gamma_multiply(0.92));
        let stroke = Stroke::new(1.0, self.palette.weak.gamma_multiply(0.4));
        self.painter
            .rect_stroke(margin, 4.0, stroke, egui::StrokeKind::Inside);
        self.painter
            .galley(margin.min + vec2(4.0, 4.0), galley, ink);
    }

    /// What a handle holds, as a sign on its ball: nothing for all, a dot for free twist, a hole for a ball joint, two
    /// bars for one that the cable runs through, a zigzag for a spring; a cross for a junction.
    fn sign(&self, center: Pos2, ball: Ball, radius: f32) {
        let stroke = Stroke::new(1.6, self.palette.rim);
        let line = |a: Vec2, b: Vec2| {
            let ends = [center + a * radius, center + b * radius];
            self.painter.line_segment(ends, stroke);
        };
        match ball {
            Ball::Part | Ball::Handle(HandleKind::Full) => {}
            Ball::Handle(HandleKind::Direction) => {
                self.painter
                    .circle_filled(center, 0.3 * radius, self.palette.rim);
            }
            Ball::Handle(HandleKind::Position) => {
                self.painter
                    .circle_filled(center, 0.55 * radius, self.palette.rim);
            }
            Ball::Handle(HandleKind::Sliding { .. }) => {
                for x in [-0.35, 0.35] {
                    line(vec2(x, -0.7), vec2(x, 0.7));
                }
            }
            Ball::Handle(HandleKind::Spring { .. }) => {
                let zigzag = [
                    (-0.7, 0.0),
                    (-0.3, -0.5),
                    (0.0, 0.5),
                    (0.3, -0.5),
                    (0.7, 0.0),
                ];
                for ends in zigzag.windows(2) {
                    line(vec2(ends[0].0, ends[0].1), vec2(ends[1].0, ends[1].1));
                }
            }
            Ball::Junction => {
                line(vec2(-0.6, 0.0), vec2(0.6, 0.0));
                line(vec2(0.0, -0.6), vec2(0.0, 0.6));
            }
        }
    }

    /// A ball behind a part: seen, but not in front.
    fn hidden_ball(&self, center: Pos2, color: Color32, radius: f32) {
        let fill = color.gamma_multiply(0.3);
        let stroke = Stroke::new(1.5, color.gamma_multiply(0.8));
        self.painter.circle(center, radius, fill, stroke);
    }

    fn ball(&self, center: Pos2, color: Color32, radius: f32) {
        self.painter
            .circle_filled(center, radius + 1.5, self.palette.rim);
        let shades = [(1.0, 0.62), (0.86, 0.8), (0.66, 1.0)];
        for (size, light) in shades {
            let shift = Vec2::splat(-(1.0 - size) * radius * 0.6);
            self.painter
                .circle_filled(center + shift, radius * size, shaded(color, light));
        }
        let shine = Color32::from_white_alpha(110);
        self.painter
            .circle_filled(center - Vec2::splat(radius * 0.33), radius * 0.24, shine);
    }

    /// An arrow with its head at the second of two points.
    pub fn arrow(&self, points: &[Pixel], stroke: Stroke) {
        let [from, to] = points else { return };
        let (from, to) = (self.on_window(from), self.on_window(to));
        let length = (to - from).length();
        // Seen from its tip an arrow is a dot; there is nothing to draw.
        if length < 4.0 {
            return;
        }
        let along = (to - from) / length;
        let head = 9.0_f32.min(length);
        let neck = to - along * head;
        self.painter.line_segment([from, neck], stroke);
        let side = along.rot90() * (head * 0.42);
        self.painter.add(Shape::convex_polygon(
            vec![to, neck + side, neck - side],
            stroke.color,
            Stroke::NONE,
        ));
    }

    fn at(&self, point: &Vec3) -> Option<Pos2> {
        let pixel = self.camera.project(point, self.viewport)?;
        // Far outside the view is as good as nowhere, and keeps the painter's numbers sane.
        (pixel.amax() < 1e5).then(|| self.on_window(&pixel))
    }

    fn on_window(&self, pixel: &Pixel) -> Pos2 {
        pos2(pixel.x as f32, pixel.y as f32) + self.rect.min.to_vec2()
    }
}

/// What moves a box into another.
trait Clamp {
    fn clamp_offset(&self, inner: &Rect) -> Vec2;
}

impl Clamp for Rect {
    fn clamp_offset(&self, inner: &Rect) -> Vec2 {
        let x = (self.max.x - inner.max.x).min(0.0) + (self.min.x - inner.min.x).max(0.0);
        let y = (self.max.y - inner.max.y).min(0.0) + (self.min.y - inner.min.y).max(0.0);
        vec2(x, y)
    }
}

fn grip_stroke(color: Color32, active: bool, width: f32) -> Stroke {
    if active {
        Stroke::new(width + 1.6, theme::HOT)
    } else {
        Stroke::new(width, color)
    }
}

fn shaded(color: Color32, light: f32) -> Color32 {
    let [r, g, b, _] = color.to_array().map(|c| (f32::from(c) * light) as u8);
    Color32::from_rgb(r, g, b)
}
