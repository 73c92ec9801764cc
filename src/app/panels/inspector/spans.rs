//! The stretches of a cable between its handles: their lengths, each of which can be typed and locked.

use egui::{Button, RichText, Ui};

use super::field::{self, Number};
use crate::app::action::Action;
use crate::geom::Vec3;
use crate::scene::slack::{StretchEnd, shortest_curve};
use crate::scene::{Cable, Command, HandlePlace};

/// One stretch between two handles.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Where it starts and ends.
    pub between: [String; 2],
    /// Length without load, mm.
    pub length: f64,
    /// How much longer it is than when the cable was imported or made, mm.
    pub longer: f64,
    /// Longer than the shortest curve between its ends that meets the bend limit, by this share.
    pub slack: f64,
    /// Smallest bend radius, mm; infinite where it is straight.
    pub smallest_radius: f64,
    /// Both its ends are handles, so that its length can be set.
    pub is_held: bool,
    /// It keeps its length when that of the cable changes.
    pub locked: bool,
}

/// The table. With `typed` the lengths can be typed; a lock keeps that of a row when the whole changes.
pub fn show(ui: &mut Ui, cable: &Cable, typed: bool, actions: &mut Vec<Action>) {
    let spans = spans(cable);
    if spans.is_empty() {
        return;
    }
    field::heading(ui, "Lengths between fixings");
    egui::ScrollArea::horizontal()
        .id_salt("stretches")
        .show(ui, |ui| table(ui, cable, spans, typed, actions));
}

fn table(ui: &mut Ui, cable: &Cable, spans: Vec<Span>, typed: bool, actions: &mut Vec<Action>) {
    let several = spans.len() > 1;
    ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
    egui::Grid::new("stretches")
        .num_columns(4)
        .striped(true)
        .spacing([6.0, 3.0])
        .show(ui, |ui| {
            for head in ["Between", "Length", "Slack", ""] {
                ui.small(head);
            }
            ui.end_row();
            for span in spans {
                let name = span.between.join(" - ");
                let label = ui.small(&name);
                // Below each other: side by side they would push the lock out of the panel.
                ui.vertical(|ui| {
                    if typed && span.is_held && !span.locked {
                        length_field(ui, label.id, cable, &span, actions);
                    } else {
                        ui.small(format!("{:.1} mm", span.length));
                    }
                    let tip =
                        "Against the length of this stretch when the cable was imported or made";
                    let longer = RichText::new(signed(span.longer)).small().weak();
                    ui.label(longer).on_hover_text(tip);
                });
                ui.vertical(|ui| {
                    ui.small(format!("{:.1} %", 100.0 * span.slack));
                    let words = if span.smallest_radius > 1e5 {
                        "straight".into()
                    } else {
                        let inside = cable.bend_limit.measured.suffix();
                        format!("R {:.0} mm{inside}", span.smallest_radius)
                    };
                    let radius = RichText::new(words).small().weak();
                    ui.label(radius).on_hover_text("Smallest bend radius");
                });
                if several && span.is_held {
                    lock(ui, cable, span, actions);
                }
                ui.end_row();
            }
        });
}

fn length_field(
    ui: &mut Ui,
    label: egui::Id,
    cable: &Cable,
    span: &Span,
    actions: &mut Vec<Action>,
) {
    let field = Number {
        label: &span.between.join(" - "),
        unit: " mm",
        range: (0.1, 1e6),
        speed: 0.5,
        decimals: 1,
        tip: "Length of this stretch without load; the others keep theirs.",
    };
    field.field(ui, label, span.length, actions, |length| {
        let [from, to] = span.between.clone();
        Some(Command::SetSpanLength {
            cable: cable.name.clone(),
            from,
            to,
            length,
        })
    });
}

fn lock(ui: &mut Ui, cable: &Cable, span: Span, actions: &mut Vec<Action>) {
    let words = if span.locked { "Unlock" } else { "Lock" };
    let button = Button::new(words).small().selected(span.locked);
    let tip = "A locked stretch keeps its length when that of the cable changes";
    if ui.add(button).on_hover_text(tip).clicked() {
        let [from, to] = span.between;
        actions.push(Action::Edit(Command::LockSpan {
            cable: cable.name.clone(),
            from,
            to,
            locked: !span.locked,
        }));
    }
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
            // From fixing to fixing: at an end its fitting belongs to it.
            let fittings: f64 = (ends.iter())
                .filter_map(|end| cable.handle(&end.1))
                .map(|handle| cable.fitting_of(handle))
                .sum();
            let length = to - from + fittings;
            let end = |name: &String, at: Option<&Vec3>| {
                let held = cable.handle(name).map(|h| StretchEnd::of(cable, h));
                held.or(at.map(|p| StretchEnd {
                    position: *p,
                    direction: None,
                }))
            };
            let radius = cable.smallest_centerline_radius().unwrap_or(0.0);
            let ends_at = end(&ends[0].1, inside.first()).zip(end(&ends[1].1, inside.last()));
            let way = ends_at.map_or(length, |(a, b)| fittings + shortest_curve(&a, &b, radius));
            Span {
                between: [ends[0].1.clone(), ends[1].1.clone()],
                length,
                longer: to - from - (cable.basis_arc_length(to) - cable.basis_arc_length(from)),
                slack: (((to - from) * cable.growth() + fittings) / way.max(1e-9) - 1.0).max(0.0),
                smallest_radius: cable
                    .worst_bend_between(from, to)
                    .map_or(f64::INFINITY, |bend| bend.measured),
                is_held: ends.iter().all(|end| cable.handle(&end.1).is_some()),
                locked: is_locked(cable, [&ends[0].1, &ends[1].1]),
            }
        })
        .collect()
}

/// A difference with its sign; none where it would read as 0.0.
fn signed(mm: f64) -> String {
    if mm.abs() < 0.05 {
        "0.0 mm".to_owned()
    } else {
        format!("{mm:+.1} mm")
    }
}

/// Whether the stretch between these two neighbours keeps its length.
fn is_locked(cable: &Cable, ends: [&String; 2]) -> bool {
    (cable.locked_spans.iter()).any(|span| span.iter().all(|name| ends.contains(&name)))
}

/// Arc length of a place, mm from the start.
pub fn arc_length(place: HandlePlace, length: f64) -> f64 {
    match place {
        HandlePlace::Start => 0.0,
        HandlePlace::End => length,
        HandlePlace::At(s) => s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_has_one_stretch_of_its_whole_length() {
        let simulation =
            crate::scene::Simulation::new(crate::scene::demo::demo("drag").unwrap()).unwrap();
        let spans = spans(&simulation.scene().cables[0]);
        assert_eq!(spans.len(), 1);
        assert_eq!(spans[0].between, ["start", "end"]);
        assert!((spans[0].length - 900.0).abs() < 1e-9 && spans[0].slack > 0.5);
        // The table and the limit have one radius.
        let tightest = simulation.scene().cables[0]
            .worst_bend()
            .unwrap()
            .centerline;
        assert_eq!(spans[0].smallest_radius, tightest);
    }

    #[test]
    fn each_stretch_counts_from_what_was_imported() {
        let mut scene = crate::scene::demo::demo("drag").unwrap();
        let clip = |name: &str, at: f64| Command::AddHandle {
            cable: "cable".into(),
            name: Some(name.into()),
            place: HandlePlace::At(at),
            kind: crate::scene::HandleKind::Full,
            pose: None,
        };
        clip("clip", 360.0).apply(&mut scene).unwrap();
        let mut simulation = crate::scene::Simulation::new(scene).unwrap();
        let longer = |simulation: &crate::scene::Simulation| -> Vec<f64> {
            let spans = spans(&simulation.scene().cables[0]);
            spans.iter().map(|s| s.longer).collect()
        };
        let near = |found: Vec<f64>, wanted: &[f64]| {
            let far = found.iter().zip(wanted).any(|(a, b)| (a - b).abs() > 1e-6);
            assert!(found.len() == wanted.len() && !far, "{found:?} {wanted:?}");
        };
        near(longer(&simulation), &[0.0, 0.0]);
        let cable = &simulation.scene().cables[0];
        let lengths: Vec<f64> = spans(cable).iter().map(|s| s.length).collect();
        let set = |from: &str, to: &str, length: f64| Command::SetSpanLength {
            cable: "cable".into(),
            from: from.into(),
            to: to.into(),
            length,
        };
        simulation
            .apply(&set("start", "clip", lengths[0] + 12.4))
            .unwrap();
        near(longer(&simulation), &[12.4, 0.0]);
        simulation
            .apply(&set("clip", "end", lengths[1] - 40.0))
            .unwrap();
        near(longer(&simulation), &[12.4, -40.0]);
        // A handle that is put in later counts from the same import.
        simulation.apply(&clip("late", 600.0)).unwrap();
        let found = longer(&simulation);
        assert_eq!(found.len(), 3);
        assert!((found[0] - 12.4).abs() < 1e-6 && (found[1] + found[2] + 40.0).abs() < 1e-6);
        assert!(found[1] < -10.0 && found[2] < -10.0, "{found:?}");
        // Finer edges change nothing, nor does a file.
        let cable = "cable".to_owned();
        simulation.apply(&Command::RefineCable { cable }).unwrap();
        near(longer(&simulation), &found);
        let text = serde_json::to_string(&simulation.scene().cables[0]).unwrap();
        let again: Cable = serde_json::from_str(&text).unwrap();
        near(spans(&again).iter().map(|s| s.longer).collect(), &found);
        assert_eq!(signed(12.4), "+12.4 mm");
        assert_eq!(signed(-0.001), "0.0 mm");
    }
}
