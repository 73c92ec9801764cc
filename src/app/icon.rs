//! Small drawings on buttons: lines in a square of one by one, in the colour of the text.

use egui::{Painter, Pos2, Rect, Shape, Stroke, pos2};

/// The side of an icon, points.
pub const SIDE: f32 = 15.0;

/// The square of an icon that is drawn.
pub struct Icon<'a> {
    /// What it is drawn with.
    pub painter: &'a Painter,
    /// Where it is.
    pub rect: Rect,
    /// Its lines.
    pub stroke: Stroke,
}

impl Icon<'_> {
    /// Where a point of the unit square is.
    pub fn at(&self, (x, y): (f32, f32)) -> Pos2 {
        let rect = self.rect;
        pos2(
            rect.left() + x * rect.width(),
            rect.top() + y * rect.height(),
        )
    }

    /// A line through points.
    pub fn line(&self, points: &[(f32, f32)]) {
        let points = points.iter().map(|p| self.at(*p)).collect();
        self.painter.add(Shape::line(points, self.stroke));
    }

    /// A filled circle; its radius in sides.
    pub fn dot(&self, center: (f32, f32), radius: f32) {
        let radius = radius * self.rect.width();
        let color = self.stroke.color;
        self.painter.circle_filled(self.at(center), radius, color);
    }

    /// A circle; its radius in sides.
    pub fn ring(&self, center: (f32, f32), radius: f32) {
        let radius = radius * self.rect.width();
        self.painter
            .circle_stroke(self.at(center), radius, self.stroke);
    }

    /// A filled shape.
    pub fn filled(&self, corners: &[(f32, f32)]) {
        let corners = corners.iter().map(|p| self.at(*p)).collect();
        let color = self.stroke.color;
        self.painter
            .add(Shape::convex_polygon(corners, color, Stroke::NONE));
    }

    /// A wave from left to right, so far below the middle: a cable.
    pub fn wave(&self, [from, to]: [f32; 2], below: f32) {
        let points: Vec<(f32, f32)> = (0..=14)
            .map(|i| {
                let t = i as f32 / 14.0;
                let y = 0.5 + below - 0.26 * (t * std::f32::consts::TAU).sin();
                (from + (to - from) * t, y)
            })
            .collect();
        self.line(&points);
    }
}
