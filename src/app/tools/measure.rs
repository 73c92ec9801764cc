//! Distances: between two places, to a part, along a cable.

use std::fmt::Write as _;

use egui::{Key, Stroke, Ui};

use super::ToolRow;
use crate::app::action::Action;
use crate::app::choices::ToolKind;
use crate::app::document::Document;
use crate::app::icon::Icon;
use crate::app::selection::{Pick, Thing};
use crate::app::viewport::{Overlay, Tool, View};
use crate::geom::Vec3;
use crate::scene::{Command, MeasuredPlace, Measurement, Scene, free_name};

/// Up to two places.
#[derive(Debug, Default)]
pub struct Measure {
    picks: Vec<Pick>,
}

/// Its row in the table of tools.
pub const ROW: ToolRow = ToolRow {
    kind: ToolKind::named("measure"),
    name: "Measure",
    tip: "Distance between two places, or along a cable",
    key: Key::M,
    other_words: "",
    icon,
    make: || Box::new(Measure::default()),
};

fn icon(icon: &Icon<'_>) {
    // Two arrows between two marks.
    for x in [0.06, 0.94] {
        icon.line(&[(x, 0.2), (x, 0.8)]);
    }
    icon.line(&[(0.1, 0.5), (0.9, 0.5)]);
    icon.line(&[(0.3, 0.34), (0.1, 0.5), (0.3, 0.66)]);
    icon.line(&[(0.7, 0.34), (0.9, 0.5), (0.7, 0.66)]);
}

impl Tool for Measure {
    /// What to do next.
    fn hint(&self, _document: &Document) -> String {
        let words = match self.picks.len() {
            0 => "Click the first place   |   Esc ends measuring",
            1 => "Click the second place   |   Esc takes the first one back",
            _ => {
                "Enter keeps the measurement   |   Click to measure anew   |   Esc takes the last place back"
            }
        };
        words.to_owned()
    }

    /// A place was clicked.
    fn pick(&mut self, pick: Pick, _document: &Document, _actions: &mut Vec<Action>) {
        if self.picks.len() == 2 {
            self.picks.clear();
        }
        self.picks.push(pick);
    }

    /// The measurement is kept: it goes along with what its places are on.
    fn enter(&mut self, document: &Document, actions: &mut Vec<Action>) {
        let scene = document.scene();
        let [from, to] = &self.picks[..] else {
            actions.push(Action::Complain("Click two places first.".into()));
            return;
        };
        let (Some(from), Some(to)) = (kept(scene, from), kept(scene, to)) else {
            return;
        };
        let is_taken = |name: &str| scene.measurements.iter().any(|m| m.name == name);
        let name = free_name("measurement", is_taken);
        let measurement = Measurement { name, from, to };
        actions.push(Action::Edit(Command::SaveMeasurement { measurement }));
        self.picks.clear();
    }

    fn has_options(&self) -> bool {
        true
    }

    /// The button that keeps what is measured.
    fn options(&mut self, ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
        let keep = ui.add_enabled(self.picks.len() == 2, egui::Button::new("Keep"));
        let tip = "Keeps the measurement (Enter): it follows cables and parts, and is listed in the inspector of the scene";
        if keep.on_hover_text(tip).clicked() {
            self.enter(document, actions);
        }
        let n = document.scene().measurements.len();
        ui.weak(match n {
            0 => "No measurement is kept".to_owned(),
            1 => "1 measurement is kept".to_owned(),
            n => format!("{n} measurements are kept"),
        });
    }

    /// Takes the last place back.
    fn back(&mut self) -> bool {
        self.picks.pop().is_some()
    }

    /// The places and the distance between them; to the cursor while there is only one.
    fn paint(&self, overlay: &Overlay<'_>, document: &Document, view: &View) {
        let color = overlay.palette.accent;
        let hover = view.pick(document);
        if let (Some(pick), true) = (hover, self.picks.len() < 2) {
            overlay.cross(&pick.point, color.gamma_multiply(0.6));
        }
        for pick in &self.picks {
            overlay.cross(&pick.point, color);
        }
        let second = self.picks.get(1).copied().or(hover);
        let (Some(a), Some(b)) = (self.picks.first(), second) else {
            return;
        };
        overlay.path(&[a.point, b.point], Stroke::new(1.8, color));
        let mut words = between(&a.point, &b.point);
        if let Some(along) = along_cable(a, &b) {
            let _ = write!(words, "\nalong the cable {along:.2} mm");
        }
        if let Thing::Part(part) = b.thing
            && let Some((near, distance)) = view.nearest_on_part(document, part, &a.point)
        {
            overlay.dashed(&[a.point, near], Stroke::new(1.4, overlay.palette.warn));
            let _ = write!(words, "\nnearest point of the part {distance:.2} mm");
        }
        overlay.label(&((a.point + b.point) * 0.5), &words);
    }
}

/// The place of a click, tied to what it is on; `None` on what has no place of its own.
fn kept(scene: &Scene, pick: &Pick) -> Option<MeasuredPlace> {
    let on_cable = |k: usize, at: f64| {
        let cable = scene.cables.get(k)?.name.clone();
        Some(MeasuredPlace::Cable { cable, at })
    };
    match pick.thing {
        Thing::Cable(k) => on_cable(k, pick.arc_length?),
        Thing::Handle(id) => {
            let cable = scene.cables.get(id.cable)?;
            on_cable(id.cable, cable.arc_length(cable.handles.get(id.handle)?))
        }
        Thing::Junction(k) => {
            let end = scene.junctions.get(k)?.ends.first()?;
            let k = scene.cables.iter().position(|c| c.name == end.cable)?;
            let cable = &scene.cables[k];
            on_cable(k, cable.arc_length(cable.handle(&end.handle)?))
        }
        Thing::Part(k) => {
            let part = scene.parts.get(k)?;
            Some(MeasuredPlace::Part {
                part: part.name.clone(),
                point: part.placement().inverse().transform(&pick.point),
            })
        }
        Thing::Harness(_) => None,
    }
}

fn between(a: &Vec3, b: &Vec3) -> String {
    let d = b - a;
    format!(
        "{:.2} mm\ndX {:.2}   dY {:.2}   dZ {:.2}",
        d.norm(),
        d.x,
        d.y,
        d.z
    )
}

/// The arc length between two places of one cable.
fn along_cable(a: &Pick, b: &Pick) -> Option<f64> {
    let same = matches!(a.thing, Thing::Cable(_)) && a.thing == b.thing;
    let (from, to) = (a.arc_length?, b.arc_length?);
    same.then_some((to - from).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_cable(cable: usize, arc_length: f64) -> Pick {
        Pick {
            thing: Thing::Cable(cable),
            point: Vec3::new(arc_length, 0.0, 0.0),
            normal: None,
            arc_length: Some(arc_length),
            adds: false,
        }
    }

    #[test]
    fn arc_lengths_count_on_one_cable_only() {
        let (a, b) = (on_cable(0, 30.0), on_cable(0, 12.5));
        assert_eq!(along_cable(&a, &b), Some(17.5));
        assert_eq!(along_cable(&a, &on_cable(1, 12.5)), None);
    }

    #[test]
    fn what_is_kept_is_where_it_was_clicked() {
        let scene = crate::scene::demo::demo("drag").unwrap();
        let corner = scene.parts[0].mesh().aabb().max;
        let on_part = Pick {
            thing: Thing::Part(0),
            point: corner,
            ..on_cable(0, 0.0)
        };
        let mut tool = Measure::default();
        let document = Document::new(scene.clone(), None);
        let mut actions = Vec::new();
        tool.enter(&document, &mut actions);
        assert!(matches!(actions.pop(), Some(Action::Complain(_))));
        tool.pick(on_cable(0, 120.0), &document, &mut actions);
        tool.pick(on_part, &document, &mut actions);
        tool.enter(&document, &mut actions);
        let Some(Action::Edit(Command::SaveMeasurement { measurement })) = actions.pop() else {
            panic!("nothing is kept");
        };
        let to = measurement.to.in_world(&scene).unwrap();
        assert!((to - corner).norm() < 1e-9, "{to}");
        let at = MeasuredPlace::Cable {
            cable: scene.cables[0].name.clone(),
            at: 120.0,
        };
        assert_eq!(measurement.from, at);
        assert!(tool.picks.is_empty());
    }

    #[test]
    fn the_third_click_begins_anew_and_back_takes_one_place() {
        let mut tool = Measure::default();
        let document = Document::new(crate::scene::Scene::default(), None);
        for s in [1.0, 2.0, 3.0] {
            tool.pick(on_cable(0, s), &document, &mut Vec::new());
        }
        assert_eq!(tool.picks.len(), 1);
        assert!(tool.back() && !tool.back());
    }
}
