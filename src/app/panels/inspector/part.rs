//! A part in the inspector.

use egui::{ComboBox, RichText, Ui};

use super::field::{self, Number};
use super::title;
use crate::app::action::Action;
use crate::app::choices::Purpose;
use crate::app::document::Document;
use crate::app::panels::tree::thousands;
use crate::app::selection::Thing;
use crate::app::theme;
use crate::geom::{Pose, Rotation};
use crate::scene::{Command, Finish, Hazard, Part, PartRole, Scene};
use crate::text::three_digits;

/// The roles, with what they mean.
pub const ROLES: [(PartRole, &str, &str); 4] = [
    (
        PartRole::Obstacle,
        "Obstacle",
        "Cables must not pass through it",
    ),
    (
        PartRole::Connector,
        "Connector",
        "An obstacle, but not for the cables that end in it",
    ),
    (
        PartRole::Harness,
        "Harness",
        "A tessellated harness, to be made flexible; no obstacle",
    ),
    (
        PartRole::Background,
        "Background",
        "Reference only, no collision",
    ),
];

/// The panel of the part of that number.
pub fn show(ui: &mut Ui, document: &Document, number: usize, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let part = &scene.parts[number];
    let thing = Thing::Part(number);
    title(ui, "Part", &part.name);
    field::grid(ui, "part", |ui| {
        field::name(ui, &part.name, actions, |to| {
            thing.rename_command(scene, to)
        });
        let label = ui.label("Role");
        let (_, name, tip) = role(part.role);
        ComboBox::from_id_salt("role")
            .width(130.0)
            .selected_text(name)
            .show_ui(ui, |ui| {
                for (role, name, tip) in ROLES {
                    let response = ui.selectable_label(part.role == role, name);
                    if response.on_hover_text(tip).clicked() {
                        actions.push(Action::Edit(set_role(part, role)));
                    }
                }
            })
            .response
            .labelled_by(label.id)
            .on_hover_text(tip);
        ui.end_row();
        let now = theme::part_color(scene, number);
        field::color(ui, now, actions, |rgb| {
            Some(change(part, |c| c.color = Some(rgb)))
        });
        ui.label("Shown");
        let mut visible = part.visible;
        let response = ui.checkbox(&mut visible, "in the view");
        if response
            .on_hover_text("A hidden part still stops cables")
            .changed()
        {
            actions.extend(thing.show_command(scene, visible).map(Action::Edit));
        }
        ui.end_row();
        show_margin(ui, part, scene.margin, actions);
        show_finish(ui, part, actions);
        show_clearance(ui, scene, part, actions);
        let n = thousands(part.mesh().triangles().len());
        field::fact(ui, "Triangles", n, "How finely it was tessellated");
        let size = part.mesh().aabb();
        let size = size.max - size.min;
        let [x, y, z] = [size.x, size.y, size.z].map(three_digits);
        let words = format!("{x} x {y} x {z} mm");
        field::fact(ui, "Size", words, "The box around it, along X, Y and Z");
    });
    show_placement(ui, document, number, actions);
    show_file(ui, part, actions);
    ui.add_space(8.0);
    if ui.button("Delete part").clicked() {
        actions.push(Action::DeleteSelected);
    }
}

fn show_margin(ui: &mut Ui, part: &Part, scene_margin: f64, actions: &mut Vec<Action>) {
    let mut own = part.margin.is_some();
    let tip = "Distance that cables keep from this part, instead of the scene's";
    let response = ui.checkbox(&mut own, "Own margin").on_hover_text(tip);
    if response.changed() {
        let margin = if own { scene_margin } else { -1.0 };
        actions.push(Action::Edit(change(part, |c| c.margin = Some(margin))));
    }
    match part.margin {
        None => {
            ui.weak(format!("{scene_margin:.1} mm, the scene's"));
        }
        Some(margin) => Number {
            label: "Own margin",
            unit: " mm",
            range: (0.0, 1000.0),
            speed: 0.1,
            decimals: 2,
            tip,
        }
        .field(ui, response.id, margin, actions, |margin| {
            Some(change(part, |c| c.margin = Some(margin)))
        }),
    }
    ui.end_row();
}

/// What its surface looks like.
fn show_finish(ui: &mut Ui, part: &Part, actions: &mut Vec<Action>) {
    let label = ui.label("Finish");
    let name = Finish::ALL.iter().find(|f| f.0 == part.finish);
    ComboBox::from_id_salt("finish")
        .width(130.0)
        .selected_text(name.map_or("paint", |f| f.1))
        .show_ui(ui, |ui| {
            for (finish, name) in Finish::ALL {
                if ui.selectable_label(part.finish == finish, name).clicked() {
                    let part = part.name.clone();
                    actions.push(Action::Edit(Command::SetFinish { part, finish }));
                }
            }
        })
        .response
        .labelled_by(label.id)
        .on_hover_text("How it takes the light in the view and in pictures");
    ui.end_row();
}

/// What clearance cables must have from it: by what it is, or its own.
fn show_clearance(ui: &mut Ui, scene: &Scene, part: &Part, actions: &mut Vec<Action>) {
    let set = |hazard: Option<Hazard>, required: Option<f64>| Command::SetClearance {
        part: part.name.clone(),
        hazard,
        required,
    };
    let label = ui.label("Hazard");
    let name = Hazard::ALL.iter().find(|h| h.0 == part.hazard);
    ComboBox::from_id_salt("hazard")
        .width(130.0)
        .selected_text(name.map_or("none", |h| h.1))
        .show_ui(ui, |ui| {
            for (hazard, name) in Hazard::ALL {
                if ui.selectable_label(part.hazard == hazard, name).clicked() {
                    actions.push(Action::Edit(set(Some(hazard), None)));
                }
            }
        })
        .response
        .labelled_by(label.id)
        .on_hover_text("The scene says what clearance hot, moving, sharp and other parts ask for");
    ui.end_row();
    let by_kind = scene.required_clearance(part).unwrap_or(0.0);
    let mut own = part.required_clearance.is_some();
    let tip = "Clearance that cables must have from this part: it judges, and pushes nothing";
    let response = ui.checkbox(&mut own, "Own clearance").on_hover_text(tip);
    if response.changed() {
        let required = if own { by_kind } else { -1.0 };
        actions.push(Action::Edit(set(None, Some(required))));
    }
    match part.required_clearance {
        None => {
            ui.weak(format!("{by_kind:.1} mm required"));
        }
        Some(mm) => Number {
            label: "Own clearance",
            unit: " mm",
            range: (0.0, 1e4),
            speed: 0.1,
            decimals: 2,
            tip,
        }
        .field(ui, response.id, mm, actions, |mm| Some(set(None, Some(mm)))),
    }
    ui.end_row();
}

fn show_placement(ui: &mut Ui, document: &Document, number: usize, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let thing = Thing::Part(number);
    let placement = *scene.parts[number].placement();
    field::heading(ui, "Placement");
    field::grid(ui, "placement", |ui| {
        for (k, label) in ["X", "Y", "Z"].into_iter().enumerate() {
            Number {
                label,
                unit: " mm",
                range: (-1e9, 1e9),
                speed: 1.0,
                decimals: 2,
                tip: "Where the origin of its file is",
            }
            .show(ui, placement.position[k], actions, |value| {
                let mut pose = placement;
                pose.position[k] = value;
                thing.move_command(scene, &pose, true, false)
            });
        }
        let (x, y, z) = placement.rotation.euler_angles();
        // Without the dust of rounding, which would show as -0.0.
        let now = [x, y, z].map(|angle| (angle.to_degrees() * 1e9).round() / 1e9 + 0.0);
        for (k, label) in ["About X", "About Y", "About Z"].into_iter().enumerate() {
            Number {
                label,
                unit: "°",
                range: (-360.0, 360.0),
                speed: 0.5,
                decimals: 2,
                tip: "Turned about the axes of the world, first X, then Y, then Z",
            }
            .show(ui, now[k], actions, |value| {
                let mut angles = now;
                angles[k] = value;
                let [x, y, z] = angles.map(f64::to_radians);
                let rotation = Rotation::from_euler_angles(x, y, z);
                let pose = Pose {
                    rotation,
                    ..placement
                };
                thing.move_command(scene, &pose, false, true)
            });
        }
    });
    if placement != Pose::identity() && ui.button("Back to where its file has it").clicked() {
        let command = thing.move_command(scene, &Pose::identity(), true, true);
        actions.extend(command.map(Action::Edit));
    }
}

fn show_file(ui: &mut Ui, part: &Part, actions: &mut Vec<Action>) {
    field::heading(ui, "File");
    match &part.source {
        None => {
            ui.weak("made here, kept in the scene");
        }
        Some(source) => {
            let path = source.path.display().to_string();
            let name = source.path.file_name().map(|n| n.to_string_lossy());
            let words = RichText::new(name.unwrap_or_default());
            ui.add(egui::Label::new(words).truncate())
                .on_hover_text(path);
        }
    }
    ui.horizontal_wrapped(|ui| {
        if part.source.is_some()
            && ui
                .button("Read again")
                .on_hover_text("Takes the new revision of its file; placement and attachments stay")
                .clicked()
        {
            actions.push(Action::ReplacePart(part.name.clone(), None));
        }
        if ui
            .button("Replace by file ...")
            .on_hover_text("Takes its mesh from another file; placement and attachments stay")
            .clicked()
        {
            actions.push(Action::TypePath(Purpose::Replace(part.name.clone())));
        }
    });
}

fn role(role: PartRole) -> (PartRole, &'static str, &'static str) {
    ROLES
        .into_iter()
        .find(|(r, _, _)| *r == role)
        .unwrap_or(ROLES[0])
}

/// Values of a part to change.
#[derive(Default)]
struct Changes {
    role: Option<PartRole>,
    color: Option<[u8; 3]>,
    margin: Option<f64>,
}

fn change(part: &Part, fill: impl FnOnce(&mut Changes)) -> Command {
    let mut changes = Changes::default();
    fill(&mut changes);
    Command::ChangePart {
        part: part.name.clone(),
        visible: None,
        role: changes.role,
        color: changes.color,
        margin: changes.margin,
        group: None,
    }
}

/// The command that gives a part another role.
pub fn set_role(part: &Part, role: PartRole) -> Command {
    change(part, |c| c.role = Some(role))
}
