//! Small drawings on buttons: lines in a square of one by one, in the colour of the text.

use egui::{Painter, Pos2, Rect, Shape, Stroke, pos2, vec2};

use crate::app::tools::ToolKind;

/// The side of an icon, points.
pub const SIDE: f32 = 15.0;

/// Where a point of the unit square is.
fn at(rect: Rect, (x, y): (f32, f32)) -> Pos2 {
    pos2(
        rect.left() + x * rect.width(),
        rect.top() + y * rect.height(),
    )
}

fn line(painter: &Painter, rect: Rect, stroke: Stroke, points: &[(f32, f32)]) {
    let points = points.iter().map(|p| at(rect, *p)).collect();
    painter.add(Shape::line(points, stroke));
}

/// A wave from left to right: a cable.
fn wave(painter: &Painter, rect: Rect, stroke: Stroke, [from, to]: [f32; 2]) {
    let points: Vec<(f32, f32)> = (0..=14)
        .map(|i| {
            let t = i as f32 / 14.0;
            let y = 0.5 - 0.26 * (t * std::f32::consts::TAU).sin();
            (from + (to - from) * t, y)
        })
        .collect();
    line(painter, rect, stroke, &points);
}

/// The icon of a tool.
pub fn tool(painter: &Painter, rect: Rect, kind: ToolKind, stroke: Stroke) {
    let dot = |p: (f32, f32), r: f32| {
        painter.circle_filled(at(rect, p), r * rect.width(), stroke.color);
    };
    match kind {
        ToolKind::Select => {
            let arrow = [
                (0.22, 0.08),
                (0.22, 0.86),
                (0.42, 0.66),
                (0.56, 0.94),
                (0.68, 0.88),
                (0.55, 0.61),
                (0.82, 0.6),
                (0.22, 0.08),
            ];
            line(painter, rect, stroke, &arrow);
        }
        // A straight piece that turns into a wave.
        ToolKind::Flexibilise => {
            line(painter, rect, stroke, &[(0.02, 0.22), (0.98, 0.22)]);
            let lower = rect.translate(vec2(0.0, 0.2 * rect.height()));
            wave(painter, lower, stroke, [0.02, 0.98]);
        }
        // A clip round a cable.
        ToolKind::AddHandle => {
            let ring = at(rect, (0.5, 0.38));
            painter.circle_stroke(ring, 0.26 * rect.width(), stroke);
            line(painter, rect, stroke, &[(0.5, 0.64), (0.5, 0.92)]);
            line(painter, rect, stroke, &[(0.22, 0.92), (0.78, 0.92)]);
        }
        ToolKind::NewCable => {
            wave(painter, rect, stroke, [0.12, 0.88]);
            dot((0.1, 0.5), 0.11);
            dot((0.9, 0.5), 0.11);
        }
        // A trunk with a branch, and the junction between them.
        ToolKind::Rewire => {
            line(painter, rect, stroke, &[(0.04, 0.7), (0.96, 0.7)]);
            line(painter, rect, stroke, &[(0.46, 0.7), (0.86, 0.14)]);
            dot((0.46, 0.7), 0.12);
        }
        // A cable, and an arrow that pulls it.
        ToolKind::Length => {
            let upper = rect.translate(vec2(0.0, -0.16 * rect.height()));
            wave(painter, upper, stroke, [0.02, 0.98]);
            line(painter, rect, stroke, &[(0.5, 0.56), (0.5, 0.94)]);
            let head = [(0.34, 0.78), (0.5, 0.94), (0.66, 0.78)];
            line(painter, rect, stroke, &head);
        }
        // Two arrows between two marks.
        ToolKind::Measure => {
            for x in [0.06, 0.94] {
                line(painter, rect, stroke, &[(x, 0.2), (x, 0.8)]);
            }
            line(painter, rect, stroke, &[(0.1, 0.5), (0.9, 0.5)]);
            line(
                painter,
                rect,
                stroke,
                &[(0.3, 0.34), (0.1, 0.5), (0.3, 0.66)],
            );
            line(
                painter,
                rect,
                stroke,
                &[(0.7, 0.34), (0.9, 0.5), (0.7, 0.66)],
            );
        }
    }
}

/// The icon of the simulation: a bar pair while it runs, a triangle while it is paused.
pub fn simulation(painter: &Painter, rect: Rect, runs: bool, stroke: Stroke) {
    if runs {
        for x in [0.34, 0.66] {
            let thick = Stroke::new(2.4, stroke.color);
            line(painter, rect, thick, &[(x, 0.2), (x, 0.8)]);
        }
    } else {
        let corners = [(0.28, 0.16), (0.82, 0.5), (0.28, 0.84)];
        let corners = corners.map(|p| at(rect, p)).to_vec();
        painter.add(Shape::convex_polygon(corners, stroke.color, Stroke::NONE));
    }
}
