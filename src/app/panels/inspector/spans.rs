//! The stretches of a cable between its handles.

use egui::Ui;

use super::field;
use crate::geom::Vec3;
use crate::scene::{Cable, HandlePlace};

/// One stretch between two handles.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Where it starts and ends.
    pub between: [String; 2],
    /// Length without load, mm.
    pub length: f64,
    /// Longer than the straight way between its ends by this share.
    pub slack: f64,
    /// Smallest bend radius, mm; infinite where it is straight.
    pub smallest_radius: f64,
}

/// The table, where there is more than one stretch.
pub fn show(ui: &mut Ui, cable: &Cable) {
    let spans = spans(cable);
    if spans.is_empty() {
        return;
    }
    field::heading(ui, "Stretches");
    egui::Grid::new("stretches")
        .num_columns(4)
        .striped(true)
        .spacing([8.0, 3.0])
        .show(ui, |ui| {
            for head in ["Between", "Length", "Slack", "Radius"] {
                ui.small(head);
            }
            ui.end_row();
            for span in spans {
                ui.small(span.between.join(" - "));
                ui.small(format!("{:.1} mm", span.length));
                ui.small(format!("{:.1} %", 100.0 * span.slack));
                ui.small(if span.smallest_radius > 1e5 {
                    "straight".into()
                } else {
                    format!("{:.0} mm", span.smallest_radius)
                });
                ui.end_row();
            }
        });
}

/// The stretches in the cable's last shape, from its start to its end.
pub fn spans(cable: &Cable) -> Vec<Span> {
    let Some(shape) = &cable.shape else {
        return Vec::new();
    };
    let lengths = cable.edge_lengths();
    let mut places: Vec<(f64, String)> = (cable.handles.iter())
        .map(|h| (arc_length(h.place, cable.length), h.name.clone()))
        .collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    if places.first().is_none_or(|p| p.0 > 0.0) {
        places.insert(0, (0.0, "free".into()));
    }
    if places.last().is_none_or(|p| p.0 < cable.length) {
        places.push((cable.length, "free".into()));
    }
    let nodes: Vec<f64> = std::iter::once(0.0)
        .chain(lengths.iter().scan(0.0, |s, l| {
            *s += l;
            Some(*s)
        }))
        .collect();
    (places.windows(2))
        .map(|ends| {
            let (from, to) = (ends[0].0, ends[1].0);
            let inside: Vec<Vec3> = (nodes.iter().zip(&shape.points))
                .filter(|(s, _)| **s >= from - 1e-6 && **s <= to + 1e-6)
                .map(|(_, p)| *p)
                .collect();
            let length = to - from;
            let chord = match (inside.first(), inside.last()) {
                (Some(a), Some(b)) => (b - a).norm(),
                _ => length,
            };
            Span {
                between: [ends[0].1.clone(), ends[1].1.clone()],
                length,
                slack: (length / chord.max(1e-9) - 1.0).max(0.0),
                smallest_radius: smallest_radius(&inside),
            }
        })
        .collect()
}

/// Arc length of a place, mm from the start.
pub fn arc_length(place: HandlePlace, length: f64) -> f64 {
    match place {
        HandlePlace::Start => 0.0,
        HandlePlace::End => length,
        HandlePlace::At(s) => s,
    }
}

/// The smallest circle through three neighbouring points.
fn smallest_radius(points: &[Vec3]) -> f64 {
    points
        .windows(3)
        .map(|p| radius(&p[0], &p[1], &p[2]))
        .fold(f64::INFINITY, f64::min)
}

/// Radius of the circle through three points: the product of the sides over four times the area.
pub fn radius(a: &Vec3, b: &Vec3, c: &Vec3) -> f64 {
    let (u, v, w) = (b - a, c - b, c - a);
    let twice_area = u.cross(&v).norm();
    let sides = u.norm() * v.norm() * w.norm();
    if twice_area <= 1e-12 * sides {
        f64::INFINITY
    } else {
        sides / (2.0 * twice_area)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_points_of_a_circle_give_its_radius() {
        let at = |angle: f64| Vec3::new(40.0 * angle.cos(), 40.0 * angle.sin(), 7.0);
        assert!((radius(&at(0.1), &at(0.4), &at(0.9)) - 40.0).abs() < 1e-9);
        assert_eq!(
            radius(&Vec3::x(), &(2.0 * Vec3::x()), &(3.0 * Vec3::x())),
            f64::INFINITY
        );
    }

    #[test]
    fn the_demo_has_one_stretch_of_its_whole_length() {
        let simulation =
            crate::scene::Simulation::new(crate::scene::demo::demo("drag").unwrap()).unwrap();
        let spans = spans(&simulation.scene().cables[0]);
        assert_eq!(spans.len(), 1);
        assert_eq!(spans[0].between, ["start", "end"]);
        assert!((spans[0].length - 900.0).abs() < 1e-9 && spans[0].slack > 0.5);
    }
}
