//! A cable between two places that the user clicks.

use egui::{ComboBox, DragValue, Key, Stroke, Ui};

use super::ToolRow;
use crate::app::action::Action;
use crate::app::choices::ToolKind;
use crate::app::document::Document;
use crate::app::icon::Icon;
use crate::app::selection::{Pick, Thing};
use crate::app::viewport::{Overlay, Tool, View};
use crate::geom::{Pose, Vec3, rotation_along};
use crate::rod::turned_to;
use crate::scene::slack::{StretchEnd, points_of_shortest_curve};
use crate::scene::{
    Cable, Command, Exclusion, Fitting, Handle, HandlePlace, Material, Scene, material,
};

/// Edge length of a new cable's rod, in diameters.
const EDGE_DIAMETERS: f64 = 1.0;

/// The first place, and what the cable will be.
#[derive(Debug)]
pub struct NewCable {
    first: Option<Pick>,
    diameter: f64,
    slack_percent: f64,
    /// The length from seat to seat, mm, where it is typed instead of the slack.
    typed_length: Option<f64>,
    /// Rigid length at both ends, mm.
    fitting: f64,
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
            fitting: 0.0,
            material: first.map(|m| m.name).unwrap_or_default(),
        }
    }
}

/// Its row in the table of tools.
pub const ROW: ToolRow = ToolRow {
    kind: ToolKind::named("new_cable"),
    name: "New cable",
    tip: "A cable between two places that you click",
    key: Key::C,
    other_words: "",
    icon,
    make: || Box::new(NewCable::default()),
};

fn icon(icon: &Icon<'_>) {
    icon.wave([0.12, 0.88], 0.0);
    icon.dot((0.1, 0.5), 0.11);
    icon.dot((0.9, 0.5), 0.11);
}

impl NewCable {
    /// The cable between two places: its length as typed, or by the slack over the shortest way that meets its bend
    /// limit.
    fn cable(&self, ends: [(&Pick, Pose); 2], scene: &Scene, material: &Material) -> Cable {
        let radius = 0.5 * self.diameter;
        let name = scene.free_cable_name("cable");
        let mut cable = Cable::new(name, radius, 1.0, material.section(radius));
        cable.material = Some(material.name.clone());
        cable.bend_limit = material.bend_limit(self.diameter);
        cable.fittings = [Fitting {
            length: self.fitting,
            radius: 0.0,
        }; 2];
        let places = [HandlePlace::Start, HandlePlace::End];
        for (place, (pick, pose)) in places.into_iter().zip(ends) {
            let mut handle = Handle::at_end(place, pose);
            if let Thing::Part(k) = pick.thing {
                handle.attached_to = scene.parts.get(k).map(|p| p.name.clone());
            }
            cable.handles.push(handle);
        }
        untwist(&mut cable);
        let way = cable.shortest_way().unwrap_or(0.0);
        let length = (self.typed_length).unwrap_or(way * (1.0 + 0.01 * self.slack_percent));
        cable.length = length - cable.fitting_length();
        cable.basis_length = cable.length;
        cable.length_locked = self.typed_length.is_some();
        cable.n_edges = ((length / (EDGE_DIAMETERS * self.diameter)) as usize).clamp(20, 400);
        cable
    }

    fn commands(&self, a: &Pick, b: &Pick, document: &Document) -> Result<Vec<Command>, String> {
        let scene = document.scene();
        let same = || "The two places are the same: click further away.".to_owned();
        let (start, end) = (
            pose(a, 1.0).ok_or_else(same)?,
            pose(b, -1.0).ok_or_else(same)?,
        );
        let no_material = || format!("There is no material \"{}\": choose one.", self.material);
        let material = scene.material(&self.material).ok_or_else(no_material)?;
        let cable = self.cable([(a, start), (b, end)], scene, &material);
        let (name, length) = (cable.name.clone(), cable.length);
        let apart = (cable.clamp_of(&cable.handles[1]).position
            - cable.clamp_of(&cable.handles[0]).position)
            .norm();
        if self.typed_length.is_some() && length < apart {
            return Err(format!(
                "A cable of {:.0} mm from seat to seat does not reach: the straight way is {:.0} mm with its fittings. \
                 Type a longer one, or click nearer.",
                cable.seat_to_seat(),
                apart + cable.fitting_length()
            ));
        }
        if length < self.diameter {
            return Err(same());
        }
        let mut commands = vec![Command::AddCable {
            cable: Box::new(cable),
        }];
        // Where it enters its parts it may overlap them.
        let inside = 2.0 * self.diameter;
        for (pick, from, to) in [(a, 0.0, inside), (b, length - inside, 10.0 * length)] {
            if let Thing::Part(k) = pick.thing {
                let part = scene.parts.get(k).ok_or_else(same)?;
                commands.push(Command::Exclude {
                    exclusion: Exclusion {
                        cable: name.clone(),
                        part: part.name.clone(),
                        from: from.max(0.0),
                        to,
                        // Its ends are on the surface, and stay out of the part.
                        depth: Some(0.0),
                    },
                    only: false,
                });
            }
        }
        Ok(commands)
    }
}

impl Tool for NewCable {
    /// What to do next.
    fn hint(&self, document: &Document) -> String {
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
    fn pick(&mut self, pick: Pick, document: &Document, actions: &mut Vec<Action>) {
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
            Ok(commands) => actions.push(Action::EditAll(commands)),
            Err(why) => {
                self.first = Some(first);
                actions.push(Action::Complain(why));
            }
        }
    }

    /// Takes the first place back.
    fn back(&mut self) -> bool {
        self.first.take().is_some()
    }

    /// The places, and from the first click on the cable as it would be.
    fn paint(&self, overlay: &Overlay<'_>, document: &Document, view: &View) {
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
        let Some(first) = &self.first else {
            return;
        };
        let Some(second) = &hover else {
            // Nothing is under the cursor: a rubber band to it.
            if let Some(cursor) = view.cursor_beside(&first.point) {
                overlay.dashed(&[first.point, cursor], Stroke::new(1.5, accent));
            }
            return;
        };
        let scene = document.scene();
        let material = scene.material(&self.material);
        let (Some(start), Some(end), Some(material)) =
            (pose(first, 1.0), pose(second, -1.0), material)
        else {
            return;
        };
        let cable = self.cable([(first, start), (second, end)], scene, &material);
        overlay.dashed(&way(&cable), Stroke::new(2.0, accent));
        overlay.label_away(&second.point, &first.point, &words(&cable));
    }

    /// Diameter, material, length or slack, and fittings of the next cable.
    fn options(&mut self, ui: &mut Ui, document: &Document, _actions: &mut Vec<Action>) {
        if let Some(first) = &self.first {
            let from = first.thing.name(document.scene()).unwrap_or_default();
            ui.weak(format!("From {from}"));
        }
        let label = ui.label("Diameter");
        let value = DragValue::new(&mut self.diameter)
            .range(0.5..=200.0)
            .speed(0.1)
            .suffix(" mm");
        ui.add(value)
            .labelled_by(label.id)
            .on_hover_text("Outer diameter of the next cable");
        let mut typed = self.typed_length.is_some();
        let tip = "Type the length of the cable from seat to seat, such as its supplier's, which is then locked; else it follows from the slack";
        let check = ui.checkbox(&mut typed, "Length").on_hover_text(tip);
        if check.changed() {
            self.typed_length = typed.then_some(500.0);
        }
        if let Some(length) = &mut self.typed_length {
            let value = DragValue::new(length).range(1.0..=1e6).suffix(" mm");
            ui.add(value).labelled_by(check.id).on_hover_text(tip);
        } else {
            let label = ui.label("Slack");
            let value = DragValue::new(&mut self.slack_percent)
                .range(0.0..=100.0)
                .speed(0.1)
                .suffix(" %");
            ui.add(value).labelled_by(label.id).on_hover_text(
                "Longer than the shortest way between the two places that meets the bend limit",
            );
        }
        let label = ui.label("Fittings");
        let value = DragValue::new(&mut self.fitting)
            .range(0.0..=1e4)
            .speed(0.5)
            .suffix(" mm");
        ui.add(value).labelled_by(label.id).on_hover_text(
            "Rigid, straight length at each end, part of the length from seat to seat; 0 for none",
        );
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
        if let Some(material) = document.scene().material(&self.material) {
            let limit = material.bend_limit(self.diameter).words(self.diameter);
            ui.weak(format!("bend radius {limit}"));
        }
    }

    fn has_options(&self) -> bool {
        true
    }

    fn snaps(&self) -> bool {
        true
    }
}

/// The shortest way of a cable, for drawing it: its fittings, and between them a curve that meets its bend limit.
fn way(cable: &Cable) -> Vec<Vec3> {
    let radius = cable.smallest_centerline_radius().unwrap_or(0.0);
    let [first, last] = &cable.handles[..] else {
        return Vec::new();
    };
    let held = |handle: &Handle| StretchEnd::of(cable, handle);
    let mut points = vec![first.pose.position];
    points.extend(points_of_shortest_curve(&held(first), &held(last), radius));
    points.push(last.pose.position);
    points
}

/// Rolls the end of a new cable as the frame of its start arrives there along the shortest way without turning about
/// itself: hoses may not be twisted, and nobody has chosen a roll yet.
fn untwist(cable: &mut Cable) {
    let way = way(cable);
    let [first, last] = &mut cable.handles[..] else {
        return;
    };
    let mut frame = first.pose.rotation;
    let end = last.pose.rotation * Vec3::z();
    let steps = way.windows(2).map(|p| p[1] - p[0]);
    let steps = steps.filter(|step| step.norm() > 1e-9).chain([end]);
    for step in steps {
        frame = turned_to(&frame, &step);
    }
    last.pose.rotation = frame;
}

/// Length, slack and bend limit of a cable that would be made.
fn words(cable: &Cable) -> String {
    let limit = cable.bend_limit.words(cable.diameter());
    let slack = 100.0 * cable.slack().unwrap_or(0.0);
    let length = cable.seat_to_seat();
    if slack < 0.0 {
        let least = cable.shortest_way().unwrap_or(0.0);
        return format!(
            "length {length:.0} mm: too short for bend radius {limit}, at least {least:.0} mm"
        );
    }
    format!("length {length:.0} mm, slack {slack:.1} %, bend radius {limit}")
}

/// The pose of a cable's end on a surface: `out` is 1 where the cable leaves it and -1 where it arrives.
fn pose(pick: &Pick, out: f64) -> Option<Pose> {
    Some(Pose {
        position: pick.point,
        rotation: rotation_along(&(pick.normal? * out))?,
    })
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
        assert!(cable.handles.iter().all(|h| h.attached_to.is_some()));
    }

    /// A new hose over a corner was twisted by 19 degrees.
    #[test]
    fn a_new_cable_is_not_twisted() {
        let document = Document::new(crate::scene::demo::demo("drag").unwrap(), None);
        let scene = document.scene();
        let material = scene.material("EPDM coolant hose").unwrap();
        for (to, normal) in [
            (Vec3::new(200.0, 130.0, 0.0), Vec3::z()),
            (Vec3::new(-90.0, 160.0, 0.0), Vec3::z()),
        ] {
            let picks = [on_part(Vec3::zeros(), Vec3::z()), on_part(to, normal)];
            let tool = NewCable {
                fitting: 20.0,
                ..NewCable::default()
            };
            let poses = [
                pose(&picks[0], 1.0).unwrap(),
                pose(&picks[1], -1.0).unwrap(),
            ];
            let ends = [(&picks[0], poses[0]), (&picks[1], poses[1])];
            let cable = tool.cable(ends, scene, &material);
            let direction = cable.handles[1].pose.rotation * Vec3::z();
            assert!((direction + normal).norm() < 1e-9, "the direction stays");
            let alone = Scene {
                cables: vec![cable],
                ..Scene::default()
            };
            let mut simulation = crate::scene::Simulation::new(alone).unwrap();
            simulation.solve_quietly(&crate::solve::CancelToken::default());
            let shape = simulation.scene().cables[0].shape.clone().unwrap();
            let twist = shape.total_twist().to_degrees();
            assert!(twist.abs() < 5.0, "{to:?}: {twist} degrees");
        }
    }

    #[test]
    fn a_typed_length_is_from_seat_to_seat_and_locked_and_must_reach() {
        let document = Document::new(crate::scene::demo::demo("drag").unwrap(), None);
        let ends = [
            on_part(Vec3::zeros(), Vec3::z()),
            on_part(Vec3::new(300.0, 0.0, 0.0), Vec3::z()),
        ];
        let mut tool = NewCable {
            typed_length: Some(480.0),
            fitting: 25.0,
            ..NewCable::default()
        };
        let mut actions = Vec::new();
        for pick in &ends {
            tool.pick(*pick, &document, &mut actions);
        }
        let [Action::EditAll(commands)] = &actions[..] else {
            panic!("{actions:?}")
        };
        let Command::AddCable { cable } = &commands[0] else {
            panic!("{commands:?}")
        };
        assert!((cable.seat_to_seat() - 480.0).abs() < 1e-9 && cable.length_locked);
        assert!((cable.length - 430.0).abs() < 1e-9);
        // The slack is over the shortest way that meets the bend limit, fittings included.
        let radius = cable.smallest_centerline_radius().unwrap();
        let shortest = 50.0 + std::f64::consts::PI * radius + 300.0 - 2.0 * radius;
        assert!((cable.slack().unwrap() - (480.0 / shortest - 1.0)).abs() < 1e-9);
        assert!(words(cable).contains("length 480 mm, slack"));
        // The way that is drawn is that way.
        let drawn: f64 = way(cable).windows(2).map(|p| (p[1] - p[0]).norm()).sum();
        assert!((drawn / shortest - 1.0).abs() < 1e-3, "{drawn} {shortest}");
        // What does not reach is refused, and the first place stays.
        tool.typed_length = Some(310.0);
        actions.clear();
        for pick in &ends {
            tool.pick(*pick, &document, &mut actions);
        }
        assert!(matches!(&actions[..], [Action::Complain(why)] if why.contains("does not reach")));
        assert!(tool.first.is_some());
    }
}
