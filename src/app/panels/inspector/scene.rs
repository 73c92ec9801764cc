//! The scene in the inspector, when nothing is selected.

use egui::Ui;

use super::field::{self, Number};
use super::title;
use crate::app::action::Action;
use crate::app::choices::Purpose;
use crate::app::document::Document;
use crate::app::viewport::measurements;
use crate::scene::{Command, Exclusion, Kind, RequiredClearances};

/// Parts whose file was not found, each with a way to name it.
fn show_missing(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    let missing = &document.scene().missing;
    if missing.is_empty() {
        return;
    }
    field::heading(ui, "Missing parts");
    for part in missing {
        ui.horizontal_wrapped(|ui| {
            ui.label(&part.name)
                .on_hover_text(part.source.path.display().to_string());
            let button = ui.button(format!("Locate {} ...", part.name));
            let tip = "Names the file that its mesh is in; place and role stay";
            if button.on_hover_text(tip).clicked() {
                let purpose = Purpose::Replace(part.name.clone());
                actions.push(Action::TypePath(purpose));
            }
        });
    }
}

/// The panel.
pub fn show(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let name = document.path().and_then(|p| p.file_name());
    let name = name.map_or("not saved yet".into(), |n| n.to_string_lossy());
    title(ui, "Scene", &name);
    show_missing(ui, document, actions);
    field::grid(ui, "scene", |ui| {
        for (k, label) in ["Gravity X", "Gravity Y", "Gravity Z"]
            .into_iter()
            .enumerate()
        {
            Number {
                label,
                unit: " m/s²",
                range: (-1000.0, 1000.0),
                speed: 0.05,
                decimals: 3,
                tip: "Direction and strength of gravity; Z is up",
            }
            .show(ui, scene.gravity[k], actions, |value| {
                let mut gravity = scene.gravity;
                gravity[k] = value;
                Some(Command::SetGravity {
                    gravity: gravity.into(),
                })
            });
        }
        Number {
            label: "Friction",
            unit: "",
            range: (0.0, 2.0),
            speed: 0.005,
            decimals: 3,
            tip: "Coulomb friction between cables and parts; 0 switches it off",
        }
        .show(ui, scene.friction, actions, |friction| {
            Some(Command::SetFriction { friction })
        });
        Number {
            label: "Margin",
            unit: " mm",
            range: (0.0, 1000.0),
            speed: 0.1,
            decimals: 2,
            tip: "Distance that cables keep from parts that have no margin of their own",
        }
        .show(ui, scene.margin, actions, |margin| {
            Some(Command::SetMargin { margin })
        });
    });
    show_clearances(ui, document, actions);
    show_views(ui, document, actions);
    show_measurements(ui, document, actions);
    show_exclusions(ui, document, actions);
    ui.add_space(10.0);
    ui.weak("Click something in the view or in the tree to see and change its numbers.");
}

/// One of the required clearances.
type Pick = fn(&mut RequiredClearances) -> &mut f64;

/// What clearance each kind of part asks for.
fn show_clearances(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    field::heading(ui, "Required clearance");
    field::grid(ui, "required", |ui| {
        let now = document.scene().required;
        let rows: [(&str, f64, Pick); 5] = [
            ("Hot parts", now.hot, |r| &mut r.hot),
            ("Moving parts", now.moving, |r| &mut r.moving),
            ("Sharp parts", now.sharp, |r| &mut r.sharp),
            ("Other parts", now.others, |r| &mut r.others),
            ("Cables", now.cables, |r| &mut r.cables),
        ];
        for (label, value, field) in rows {
            Number {
                label,
                unit: " mm",
                range: (0.0, 1e4),
                speed: 0.5,
                decimals: 1,
                tip: "Clearance that cables must have: it judges, and pushes nothing; 0 asks for none",
            }
            .show(ui, value, actions, |mm| {
                let mut required = now;
                *field(&mut required) = mm;
                Some(Command::SetRequiredClearances { required })
            });
        }
    });
}

fn show_views(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    field::heading(ui, "Views");
    for view in &document.scene().views {
        ui.horizontal(|ui| {
            if ui.link(&view.name).clicked() {
                actions.push(Action::RecallView(view.name.clone()));
            }
            if ui.small_button("Delete").clicked() {
                actions.push(Action::Edit(Command::Delete {
                    kind: Kind::View,
                    name: view.name.clone(),
                }));
            }
        });
    }
    let keep = ui.button("Keep this view");
    if keep
        .on_hover_text("Saves where the camera is, under a name")
        .clicked()
    {
        actions.push(Action::KeepView);
    }
}

/// What is measured: a click shows it.
fn show_measurements(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    let scene = document.scene();
    if scene.measurements.is_empty() {
        return;
    }
    field::heading(ui, "Measurements");
    for measurement in &scene.measurements {
        ui.horizontal_wrapped(|ui| {
            let places = [&measurement.from, &measurement.to].map(|place| place.in_world(scene));
            if let [Some(from), Some(to)] = places {
                let words = measurements::words(measurement, (to - from).norm());
                if ui.link(words.replace('\n', ", ")).clicked() {
                    actions.push(Action::GoTo(from.lerp(&to, 0.5).into()));
                }
            } else {
                ui.weak(format!("{}: what it was on is gone", measurement.name));
            }
            let delete = ui.small_button("Delete");
            let tip = format!("Deletes {}", measurement.name);
            if delete.on_hover_text(tip).clicked() {
                actions.push(Action::Edit(Command::Delete {
                    kind: Kind::Measurement,
                    name: measurement.name.clone(),
                }));
            }
        });
    }
}

fn show_exclusions(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    let exclusions = document.scene().exclusions.iter();
    let mut exclusions = exclusions.filter(|e| !e.is_nowhere()).peekable();
    if exclusions.peek().is_none() {
        return;
    }
    field::heading(ui, "May overlap");
    for e in exclusions {
        ui.horizontal_wrapped(|ui| {
            ui.small(if e.is_everywhere() {
                format!("{} in {}, everywhere", e.cable, e.part)
            } else {
                let depth = match e.depth {
                    None => String::new(),
                    Some(mm) if mm < 0.05 => ", touching only".to_owned(),
                    Some(mm) => format!(", no deeper than {mm:.1} mm"),
                };
                format!("{} in {}, from {:.0} mm{depth}", e.cable, e.part, e.from)
            });
            let forget = ui.small_button("Forget");
            if forget
                .on_hover_text("The part stops the cable there again")
                .clicked()
            {
                // Not `Include`: where the cable enters a connector it would be let in again.
                actions.push(Action::Edit(Command::Exclude {
                    exclusion: Exclusion::nowhere(&e.cable, &e.part),
                    only: true,
                }));
            }
        });
    }
}
