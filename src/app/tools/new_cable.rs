//! A cable between two places that the user clicks.

use egui::{ComboBox, DragValue, Stroke, Ui};

use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::app::viewport::picking::Pick;
use crate::app::viewport::{Overlay, View};
use crate::geom::{Pose, Vec3, rotation_along};
use crate::scene::slack::{StretchEnd, shortest_curve};
use crate::scene::{Cable, Command, Exclusion, Handle, HandlePlace, Material, material};

/// How far the ends reach out along their directions, over the distance between them.
const REACH: f64 = 0.45;
/// Edge length of a new cable's rod, in diameters.
const EDGE_DIAMETERS: f64 = 1.0;

/// The first place, and what the cable will be.
#[derive(Debug)]
pub struct NewCable {
    first: Option<Pick>,
    diameter: f64,
    slack_percent: f64,
    /// The length, mm, where it is typed instead of the slack.
    typed_length: Option<f64>,
    material: String,
}

impl Default for NewCable {
    fn default() -> Self {
        let first = material::built_in().into_iter().next();
        Self {
            first: None,
            diameter: 8.0,
            slack_percent: 3.0,
            typed_length: None,
            material: first.map(|m| m.name).unwrap_or_default(),
        }
    }
}

impl NewCable {
    /// What to do next.
    pub fn hint(&self, document: &Document) -> String {
        if document.scene().parts.is_empty() {
            return "Import a part first: a cable starts and ends on one   |   Esc".into();
        }
        match self.first {
            None => "Click where the cable starts, on a part   |   Esc ends".into(),
            Some(_) => {
                "Click where the cable ends, on a part   |   Esc takes the start back".into()
            }
        }
    }

    /// A place was clicked; the second one makes the cable.
    pub fn pick(&mut self, pick: Pick, document: &Document, actions: &mut Vec<Action>) {
        if pick.normal.is_none() {
            actions.push(Action::Complain(
                "A new cable starts and ends on parts: click on one.".into(),
            ));
            return;
        }
        let Some(first) = self.first.take() else {
            self.first = Some(pick);
            return;
        };
        match self.commands(&first, &pick, document) {
            Some(commands) => actions.push(Action::EditAll(commands)),
            None => actions.push(Action::Complain(
                "The two places are the same: click further away.".into(),
            )),
        }
    }

    /// The length of a cable between two ends: as typed, or by the slack.
    fn length(&self, start: &Pose, end: &Pose, material: &Material) -> f64 {
        if let Some(typed) = self.typed_length {
            return typed;
        }
        let limit = material.bend_limit();
        let radius = limit.mm(self.diameter).map_or(0.0, |mm| {
            limit.measured.of_centerline(mm, 0.5 * self.diameter)
        });
        let held = |pose: &Pose| StretchEnd {
            position: pose.position,
            direction: Some(pose.rotation * Vec3::z()),
        };
        let way = shortest_curve(&held(start), &held(end), radius);
        way * (1.0 + 0.01 * self.slack_percent)
    }

    /// Takes the first place back.
    pub fn back(&mut self) -> bool {
        self.first.take().is_some()
    }

    fn commands(&self, a: &Pick, b: &Pick, document: &Document) -> Option<Vec<Command>> {
        let scene = document.scene();
        let (start, end) = (pose(a, 1.0)?, pose(b, -1.0)?);
        let radius = 0.5 * self.diameter;
        let material = scene.material(&self.material)?;
        let length = self.length(&start, &end, &material);
        if length < self.diameter {
            return None;
        }
        let name = scene.free_cable_name("cable");
        let mut cable = Cable::new(name.clone(), radius, length, material.section(radius));
        cable.material = Some(material.name.clone());
        cable.bend_limit = material.bend_limit();
        cable.n_edges = ((length / (EDGE_DIAMETERS * self.diameter)) as usize).clamp(20, 400);
        cable.handles = vec![
            Handle::at_end(HandlePlace::Start, start),
            Handle::at_end(HandlePlace::End, end),
        ];
        let mut commands = vec![Command::AddCable {
            cable: Box::new(cable),
        }];
        // Where it enters its parts it may overlap them.
        let inside = 2.0 * self.diameter;
        for (pick, from, to) in [(a, 0.0, inside), (b, length - inside, 10.0 * length)] {
            if let Thing::Part(k) = pick.thing {
                commands.push(Command::Exclude {
                    exclusion: Exclusion {
                        cable: name.clone(),
                        part: scene.parts.get(k)?.name.clone(),
                        from: from.max(0.0),
                        to,
                    },
                    only: false,
                });
            }
        }
        Some(commands)
    }

    /// The places, and the cable as it would be.
    pub fn paint(&self, overlay: &Overlay<'_>, document: &Document, view: &View) {
        let hover = view.pick(document).filter(|p| p.normal.is_some());
        let accent = overlay.palette.accent;
        for pick in self.first.iter().chain(&hover) {
            overlay.cross(&pick.point, accent);
            if let Some(normal) = pick.normal {
                let mm = view.mm_per_point(&pick.point);
                let tip = pick.point + normal * 40.0 * mm;
                overlay.path(&[pick.point, tip], Stroke::new(2.0, accent));
            }
        }
        let (Some(first), Some(second)) = (&self.first, &hover) else {
            return;
        };
        if let (Some(start), Some(end)) = (pose(first, 1.0), pose(second, -1.0)) {
            overlay.dashed(&curve(&start, &end), Stroke::new(2.0, accent));
            if let Some(material) = document.scene().material(&self.material) {
                let length = self.length(&start, &end, &material);
                let limit = material.bend_limit().words(self.diameter);
                let words = format!("length {length:.0} mm, bend radius {limit}");
                overlay.label(&second.point, &words);
            }
        }
    }

    /// Diameter, slack and material of the next cable.
    pub fn options(&mut self, ui: &mut Ui, document: &Document) {
        let label = ui.label("Diameter");
        let value = DragValue::new(&mut self.diameter)
            .range(0.5..=200.0)
            .speed(0.1)
            .suffix(" mm");
        ui.add(value).labelled_by(label.id);
        let mut typed = self.typed_length.is_some();
        let tip =
            "Type the length of the cable, such as its supplier's; else it follows from the slack";
        let check = ui.checkbox(&mut typed, "Length").on_hover_text(tip);
        if check.changed() {
            self.typed_length = typed.then_some(500.0);
        }
        if let Some(length) = &mut self.typed_length {
            let value = DragValue::new(length).range(1.0..=1e6).suffix(" mm");
            ui.add(value).labelled_by(check.id);
        } else {
            let label = ui.label("Slack");
            let value = DragValue::new(&mut self.slack_percent)
                .range(0.0..=100.0)
                .speed(0.1)
                .suffix(" %");
            ui.add(value).labelled_by(label.id).on_hover_text(
                "Longer than the shortest curve between the two places that meets the bend limit",
            );
        }
        let label = ui.label("Material");
        ComboBox::from_id_salt("material of the next cable")
            .selected_text(&self.material)
            .show_ui(ui, |ui| {
                let own = document.scene().materials.iter().cloned();
                for material in own.chain(material::built_in()) {
                    let name = material.name.clone();
                    ui.selectable_value(&mut self.material, name, material.name);
                }
            })
            .response
            .labelled_by(label.id);
    }
}

/// The pose of a cable's end on a surface: `out` is 1 where the cable leaves it and -1 where it arrives.
fn pose(pick: &Pick, out: f64) -> Option<Pose> {
    Some(Pose {
        position: pick.point,
        rotation: rotation_along(&(pick.normal? * out))?,
    })
}

/// A smooth curve from one pose to the other.
fn curve(start: &Pose, end: &Pose) -> Vec<Vec3> {
    let reach = 3.0 * REACH * (end.position - start.position).norm();
    let (d0, d1) = (start.rotation * Vec3::z(), end.rotation * Vec3::z());
    (0..=48)
        .map(|i| {
            let t = f64::from(i) / 48.0;
            let (t2, t3) = (t * t, t * t * t);
            start.position * (2.0 * t3 - 3.0 * t2 + 1.0)
                + d0 * (reach * (t3 - 2.0 * t2 + t))
                + end.position * (3.0 * t2 - 2.0 * t3)
                + d1 * (reach * (t3 - t2))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_part(point: Vec3, normal: Vec3) -> Pick {
        Pick {
            thing: Thing::Part(0),
            point,
            normal: Some(normal),
            arc_length: None,
            adds: false,
        }
    }

    #[test]
    fn two_places_make_a_cable_that_leaves_and_arrives_along_the_normals() {
        let document = Document::new(crate::scene::demo::demo("drag").unwrap(), None);
        let mut tool = NewCable::default();
        let mut actions = Vec::new();
        tool.pick(on_part(Vec3::zeros(), Vec3::z()), &document, &mut actions);
        assert!(actions.is_empty());
        let there = on_part(Vec3::new(300.0, 0.0, 0.0), Vec3::z());
        tool.pick(there, &document, &mut actions);
        let [Action::EditAll(commands)] = &actions[..] else {
            panic!("{actions:?}")
        };
        let mut scene = document.scene().clone();
        for command in commands {
            command.apply(&mut scene).unwrap();
        }
        let cable = scene.cables.last().unwrap();
        assert_eq!(cable.name, "cable 2");
        assert!(cable.length > 309.0, "{}", cable.length);
        // The slack that was asked for is the slack that the table tells.
        assert!((cable.slack().unwrap() - 0.03).abs() < 1e-9);
        let direction = |k: usize| cable.handles[k].pose.rotation * Vec3::z();
        assert!((direction(0) - Vec3::z()).norm() < 1e-9);
        assert!((direction(1) + Vec3::z()).norm() < 1e-9);
        assert_eq!(scene.exclusions.len(), 2);
    }
}
