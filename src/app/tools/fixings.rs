//! Fixings of the library: chosen by their picture, put on a part or round a cable.

use std::f64::consts::TAU;

use egui::{Button, Key, Stroke, Ui};

use super::ToolRow;
use super::fixing_picture::FixingPicture;
use crate::app::action::Action;
use crate::app::choices::ToolKind;
use crate::app::document::Document;
use crate::app::icon::Icon;
use crate::app::selection::{Pick, Thing};
use crate::app::viewport::{Overlay, Tool, View};
use crate::app::{settings, theme};
use crate::geom::{Pose, Rotation, Vec3};
use crate::scene::fixing::{self, Fixing, Holds, Seat, Solid};
use crate::scene::{
    Cable, Command, FixingChoice, HandlePlace, NewFixing, Scene, nearest_on, upright,
};

/// What `R` turns by, degrees.
const TURN: f64 = 15.0;
/// Side of a picture, points.
const PICTURE: f32 = 34.0;
/// Nearer to the end of a cable than this share of it, nothing is put within it.
const NEAR_END: f64 = 1e-3;
/// How much longer than the straight way a cable must be to a fixing.
const ROOM: f64 = 1.03;

/// The library, what is chosen of it, and how it is turned.
#[derive(Debug)]
pub struct Fixings {
    library: Vec<Fixing>,
    /// Of the first ones of them, as far as they were shown.
    pictures: Vec<FixingPicture>,
    /// What is wrong with texts of the user, told when the tool is taken up.
    problems: Vec<String>,
    chosen: usize,
    /// Steps of [`TURN`] about what it sits on.
    turns: i32,
    /// The cable that was selected when the tool was taken up, by name.
    cable: Option<String>,
}

impl Default for Fixings {
    fn default() -> Self {
        let folder = settings::folder().map(|folder| folder.join("fixings"));
        let (own, errors) = folder.map_or_else(Default::default, |f| fixing::read_folder(&f));
        let mut library = fixing::built_in().to_vec();
        library.retain(|f| own.iter().all(|o| o.name != f.name));
        library.extend(own);
        Self {
            library,
            pictures: Vec::new(),
            problems: errors.iter().map(ToString::to_string).collect(),
            chosen: 0,
            turns: 0,
            cable: None,
        }
    }
}

/// Its row in the table of tools.
pub const ROW: ToolRow = ToolRow {
    kind: ToolKind::named("fixings"),
    name: "Fixing library",
    tip: "Clips, ties, grommets, guides and connectors: put one on a part, and a cable is laid through it",
    key: Key::B,
    other_words: "p-clip edge clip tie grommet guide connector bracket",
    icon,
    make: || Box::new(Fixings::default()),
};

fn icon(icon: &Icon<'_>) {
    icon.ring((0.36, 0.4), 0.26);
    icon.line(&[(0.36, 0.72), (0.95, 0.72)]);
    icon.line(&[(0.78, 0.72), (0.78, 0.5)]);
}

/// Where a fixing would be.
struct Put {
    cable: usize,
    place: HandlePlace,
    pose: Pose,
    on: Option<usize>,
}

impl Fixings {
    fn fixing(&self) -> Option<&Fixing> {
        self.library.get(self.chosen)
    }

    /// The cable that is meant for a place: the clicked one, the selected one, or the nearest; with the arc length there.
    fn cable_at(&self, pick: &Pick, scene: &Scene) -> Option<(usize, f64)> {
        if let (Thing::Cable(k), Some(s)) = (pick.thing, pick.arc_length) {
            return Some((k, s));
        }
        let cables = scene.cables.iter().enumerate();
        let meant = cables.filter(|(_, c)| match &self.cable {
            Some(name) => c.name == *name,
            None => c.visible,
        });
        let near = meant.filter_map(|(k, c)| Some((k, nearest_on(c, &pick.point)?)));
        let nearest = near.min_by(|a, b| a.1.1.total_cmp(&b.1.1));
        nearest.map(|(k, (s, _))| (k, s))
    }

    /// Where the chosen fixing would be for a click.
    fn put(&self, pick: &Pick, scene: &Scene) -> Option<Put> {
        let fixing = self.fixing()?;
        let (number, s) = self.cable_at(pick, scene)?;
        let cable = &scene.cables[number];
        let points = &cable.shape.as_ref()?.points;
        let place = match fixing.seat {
            Seat::End if s < 0.5 * cable.length => HandlePlace::Start,
            Seat::End => HandlePlace::End,
            _ => {
                let [least, most] = [NEAR_END, 1.0 - NEAR_END].map(|share| share * cable.length);
                HandlePlace::At(within_reach(cable, s, &pick.point).clamp(least, most))
            }
        };
        let along = direction(points, &cable.edge_lengths(), s)?;
        let turn = f64::from(self.turns) * TURN.to_radians();
        let diameter = cable.diameter();
        let (on, up, position) = match (pick.thing, pick.normal) {
            (Thing::Part(k), Some(normal)) => {
                let up = normal.normalize();
                (Some(k), up, pick.point + up * fixing.height_for(diameter))
            }
            (Thing::Cable(_), _) => (None, Vec3::z(), pick.point),
            _ => return None,
        };
        let rotation = match (on, fixing.seat) {
            (Some(_), Seat::Surface) => {
                // Along the surface as the cable runs, and turned as the user likes.
                let flat = along - up * up.dot(&along);
                let flat = flat.try_normalize(1e-6).unwrap_or_else(|| across(&up));
                let axis = nalgebra::Unit::new_unchecked(up);
                upright(&(Rotation::from_axis_angle(&axis, turn) * flat), &up)
            }
            (Some(_), Seat::Hole) => {
                let through = up * along.dot(&up).signum();
                rolled(upright(&through, &across(&up)), turn)
            }
            (Some(_), Seat::End) => rolled(upright(&up, &Vec3::z()), turn),
            (None, Seat::End) if place == HandlePlace::End => rolled(upright(&-along, &up), turn),
            (None, _) => rolled(upright(&along, &up), turn),
        };
        Some(Put {
            cable: number,
            place,
            pose: Pose { position, rotation },
            on,
        })
    }
}

/// The place of a cable nearest to `s` at which it reaches `at` from the fixings beside it; where it is too short for that,
/// the one at which it lacks as much to both sides.
fn within_reach(cable: &Cable, s: f64, at: &Vec3) -> f64 {
    let held = cable.handles.iter().map(|handle| {
        let way = (handle.pose.position - at).norm();
        (cable.arc_length(handle), way)
    });
    let nearest = |a: &(f64, f64), b: &(f64, f64)| (a.0 - s).abs().total_cmp(&(b.0 - s).abs());
    let before = held.clone().filter(|h| h.0 <= s).min_by(nearest);
    let after = held.filter(|h| h.0 > s).min_by(nearest);
    let least = before.map_or(0.0, |(held, way)| held + ROOM * way);
    let most = after.map_or(cable.length, |(held, way)| held - ROOM * way);
    match (before, after) {
        _ if least <= most => s.clamp(least, most),
        (Some((from, a)), Some((to, b))) => from + (to - from) * a / (a + b),
        _ => s,
    }
}

/// By name where the program has it, or as it is, so that the scene keeps it.
fn choice(fixing: &Fixing) -> FixingChoice {
    if fixing::built_in().contains(fixing) {
        FixingChoice::Named(fixing.name.clone())
    } else {
        FixingChoice::Own(Box::new(fixing.clone()))
    }
}

/// Turned about its own z.
fn rolled(rotation: Rotation, angle: f64) -> Rotation {
    rotation * Rotation::from_scaled_axis(Vec3::z() * angle)
}

/// Some direction across a unit vector.
fn across(v: &Vec3) -> Vec3 {
    let other = if v.z.abs() < 0.9 {
        Vec3::z()
    } else {
        Vec3::x()
    };
    (other - v * v.dot(&other)).normalize()
}

/// Which way a cable runs at an arc length.
fn direction(points: &[Vec3], lengths: &[f64], s: f64) -> Option<Vec3> {
    let mut left = s;
    let mut last = None;
    for (ends, length) in points.windows(2).zip(lengths) {
        last = (ends[1] - ends[0]).try_normalize(1e-12).or(last);
        left -= length;
        if left <= 0.0 {
            break;
        }
    }
    last
}

impl Tool for Fixings {
    /// What to do next.
    fn hint(&self, document: &Document) -> String {
        if document.scene().cables.is_empty() {
            return "There is no cable to hold   |   Esc".into();
        }
        let Some(fixing) = self.fixing() else {
            return String::new();
        };
        let place = match fixing.seat {
            Seat::Surface => "on a surface",
            Seat::Hole => "on a hole",
            Seat::End => "where the cable ends",
        };
        format!(
            "{}: click {place}, or on a cable   |   R turns it   |   Esc ends",
            fixing.name
        )
    }

    fn begin(&mut self, document: &Document, selected: Option<Thing>) -> Option<Action> {
        let scene = document.scene();
        self.cable = match selected {
            Some(Thing::Cable(k)) => scene.cables.get(k).map(|c| c.name.clone()),
            Some(Thing::Handle(id)) => scene.cables.get(id.cable).map(|c| c.name.clone()),
            _ => None,
        };
        // What the scene has of its own can be used again.
        for own in &scene.fixings {
            if self.library.iter().all(|f| f.name != own.name) {
                self.library.push(own.clone());
            }
        }
        let problems = std::mem::take(&mut self.problems);
        (!problems.is_empty()).then(|| Action::Complain(problems.join("\n")))
    }

    /// A place was clicked.
    fn pick(&mut self, pick: Pick, document: &Document, actions: &mut Vec<Action>) {
        let scene = document.scene();
        let (Some(fixing), Some(put)) = (self.fixing(), self.put(&pick, scene)) else {
            actions.push(Action::Complain(
                "A fixing sits on a part or on a cable: click on one.".into(),
            ));
            return;
        };
        let on = put.on.and_then(|k| scene.parts.get(k));
        actions.push(Action::Edit(Command::AddFixing(Box::new(NewFixing {
            fixing: choice(fixing),
            cable: scene.cables[put.cable].name.clone(),
            place: put.place,
            pose: Some(put.pose),
            on: on.map(|part| part.name.clone()),
            name: None,
        }))));
    }

    fn turn(&mut self) -> bool {
        self.turns = (self.turns + 1) % (360.0 / TURN) as i32;
        true
    }

    /// The fixing as it would be, and what it would hold.
    fn paint(&self, overlay: &Overlay<'_>, document: &Document, view: &View) {
        let scene = document.scene();
        let pick = view.pick(document);
        let (Some(fixing), Some(pick)) = (self.fixing(), pick) else {
            return;
        };
        let Some(put) = self.put(&pick, scene) else {
            return;
        };
        let cable = &scene.cables[put.cable];
        let stroke = Stroke::new(1.6, overlay.palette.accent);
        for line in outline(fixing, cable.diameter()) {
            let line: Vec<Vec3> = line.iter().map(|p| put.pose.transform(p)).collect();
            overlay.path(&line, stroke);
        }
        let on = put.on.and_then(|k| scene.parts.get(k));
        let on = on.map_or_else(String::new, |part| format!(" on {}", part.name));
        let at = match put.place {
            HandlePlace::Start => "at its start".to_owned(),
            HandlePlace::End => "at its end".to_owned(),
            HandlePlace::At(s) => format!("at {s:.0} mm"),
        };
        let words = format!("{}{on}\nholds {} {at}", fixing.name, cable.name);
        overlay.label(&pick.point, &words);
    }

    fn has_options(&self) -> bool {
        true
    }

    /// The pictures.
    fn options(&mut self, ui: &mut Ui, _document: &Document, _actions: &mut Vec<Action>) {
        let palette = theme::palette(ui.ctx());
        let size = egui::Vec2::splat(PICTURE);
        let mut chosen = self.chosen;
        let new = &self.library[self.pictures.len()..];
        self.pictures.extend(new.iter().map(FixingPicture::new));
        for (number, fixing) in self.library.iter().enumerate() {
            let picture_of = egui::IdSalt::new(("picture of a fixing", &fixing.name));
            let content = (egui::Atom::custom(picture_of, size), fixing.name.as_str());
            let button = Button::selectable(number == self.chosen, content).atom_ui(ui);
            if let Some(rect) = button.rect(picture_of)
                && let Some(picture) = self.pictures.get(number)
            {
                picture.paint(ui.painter(), rect, palette.fixing);
            }
            if button.response.on_hover_text(tip(fixing)).clicked() {
                chosen = number;
            }
        }
        self.chosen = chosen;
        let turned = f64::from(self.turns) * TURN;
        let turn = ui.button(format!("Turned {turned:.0}\u{b0}"));
        if turn.on_hover_text("Turns it by 15 degrees (R)").clicked() {
            self.turn();
        }
    }

    fn snaps(&self) -> bool {
        true
    }
}

fn tip(fixing: &Fixing) -> &'static str {
    match (fixing.holds, fixing.seat) {
        (_, Seat::End) => "Holds the end of a cable on a part",
        (Holds::Full, _) => "Holds the cable tight: place, direction and roll",
        (Holds::Direction, _) => "Holds place and direction; the cable may turn",
        (Holds::Position, _) => "Holds the place alone",
        (Holds::Sliding, _) => "The cable runs through it",
    }
}

/// Lines of a fixing for a cable of that diameter, mm, in its own axes.
fn outline(fixing: &Fixing, diameter: f64) -> Vec<Vec<Vec3>> {
    let scale = fixing.scale(diameter);
    let circle = |radius: f64, z: f64| -> Vec<Vec3> {
        let at = |k: i32| {
            let (sin, cos) = (TAU * f64::from(k) / 24.0).sin_cos();
            Vec3::new(radius * cos, radius * sin, z) * scale
        };
        (0..=24).map(at).collect()
    };
    let rectangle = |min: Vec3, max: Vec3, z: f64| -> Vec<Vec3> {
        let corners = [
            (min.x, min.y),
            (max.x, min.y),
            (max.x, max.y),
            (min.x, max.y),
            (min.x, min.y),
        ];
        corners.map(|(x, y)| Vec3::new(x, y, z) * scale).to_vec()
    };
    let mut lines = Vec::new();
    if fixing.solids.is_empty() {
        let bounds = fixing.bounds(diameter);
        for z in [bounds.min.z, bounds.max.z] {
            lines.push(rectangle(bounds.min / scale, bounds.max / scale, z / scale));
        }
    }
    for solid in &fixing.solids {
        match *solid {
            Solid::Ring(ring) => {
                for z in [ring.from, ring.to] {
                    lines.push(circle(ring.outer, z));
                    lines.push(circle(ring.inner, z));
                }
            }
            Solid::Box { min, max } => {
                let (min, max) = (Vec3::from(min), Vec3::from(max));
                for z in [min.z, max.z] {
                    lines.push(rectangle(min, max, z));
                }
                for (x, y) in [
                    (min.x, min.y),
                    (max.x, min.y),
                    (max.x, max.y),
                    (min.x, max.y),
                ] {
                    let ends = [min.z, max.z].map(|z| Vec3::new(x, y, z) * scale);
                    lines.push(ends.to_vec());
                }
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::demo;

    #[test]
    fn a_fixing_holds_a_cable_where_that_reaches_it() {
        let scene = demo::demo("drag").expect("the demo");
        let cable = &scene.cables[0];
        let [start, end] = [0, 1].map(|k| cable.handles[k].pose.position);
        // Near by, the nearest place; far from one end, as far along as that needs.
        let middle = start.lerp(&end, 0.5) - Vec3::z() * 100.0;
        assert_eq!(within_reach(cable, 450.0, &middle), 450.0);
        let aside = start - Vec3::z() * 200.0;
        let s = within_reach(cable, 120.0, &aside);
        assert!((s - ROOM * 200.0).abs() < 1e-9, "{s}");
        // Too far for both: as short to either side.
        let far = start.lerp(&end, 0.3) - Vec3::z() * 2000.0;
        let [a, b] = [start, end].map(|p| (p - far).norm());
        let s = within_reach(cable, 120.0, &far);
        assert!((s / a - (cable.length - s) / b).abs() < 1e-9, "{s}");
    }
}
