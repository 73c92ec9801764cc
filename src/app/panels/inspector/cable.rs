//! A cable in the inspector.

use egui::Ui;

use super::field::{self, Number};
use super::{bend, fit, hose, section, spans, stretches, title};
use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::app::theme;
use crate::scene::{Cable, CableChange, Command};

/// The panel of the cable of that number.
pub fn show(ui: &mut Ui, document: &Document, number: usize, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let cable = &scene.cables[number];
    let thing = Thing::Cable(number);
    title(ui, "Cable", &cable.name);
    field::grid(ui, "cable", |ui| {
        field::name(ui, &cable.name, actions, |to| {
            thing.rename_command(scene, to)
        });
        let color = theme::cable_color(scene, number);
        field::color(ui, color, actions, |rgb| {
            Some(
                CableChange {
                    color: Some(rgb),
                    ..CableChange::of(&cable.name)
                }
                .into(),
            )
        });
        ui.label("Shown");
        let mut visible = cable.visible;
        if ui.checkbox(&mut visible, "in the view").changed() {
            actions.extend(thing.show_command(scene, visible).map(Action::Edit));
        }
        ui.end_row();
    });
    show_length(ui, document, cable, actions);
    bend::show(ui, document, cable, actions);
    section::show(ui, document, cable, actions);
    stretches::show(ui, cable, actions);
    hose::show(ui, document, cable, actions);
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        let rigid = ui.button("Make rigid");
        if rigid
            .on_hover_text("Freezes the cable in the shape it has now, as a part")
            .clicked()
        {
            actions.push(Action::RigidifySelected);
        }
        if ui.button("Delete cable").clicked() {
            actions.push(Action::DeleteSelected);
        }
    });
}

fn show_length(ui: &mut Ui, document: &Document, cable: &Cable, actions: &mut Vec<Action>) {
    field::heading(ui, "Length");
    let mode = show_modes(ui, cable, actions);
    field::grid(ui, "length", |ui| {
        if let (Mode::Free, Some(straightness)) = (mode, cable.free_length) {
            Number {
                label: "Straightness",
                unit: "",
                range: (0.1, 1000.0),
                speed: 0.05,
                decimals: 2,
                tip: "How straight the cable pulls itself: 1 is hardly more than hanging, larger is straighter.",
            }
            .show(ui, straightness, actions, |s| {
                Some(free_length(cable, Some(s)))
            });
        }
        if mode == Mode::Whole && !cable.length_locked {
            whole_length(ui, cable, actions);
        } else {
            let tip = "Length of the cable without load, from seat to seat";
            field::fact(
                ui,
                "Length, unloaded",
                format!("{:.2} mm", cable.seat_to_seat()),
                tip,
            );
        }
        let more = cable.length - cable.basis_length;
        let percent = 100.0 * more / cable.basis_seat_to_seat();
        let words = format!("{more:+.2} mm ({percent:+.2} %)");
        let tip = "Against the length that it was imported or made with";
        field::fact(ui, "Difference", words, tip);
        field::fact(
            ui,
            "Imported length",
            format!("{:.2} mm", cable.basis_seat_to_seat()),
            tip,
        );
        if let Some(report) = document.report(&cable.name) {
            let tip = "Length of the centerline in its present shape, fittings included";
            field::fact(
                ui,
                "Length under load",
                format!("{:.2} mm", report.length + cable.fitting_length()),
                tip,
            );
        }
        if let (Some(way), Some(slack)) = (cable.shortest_way(), cable.slack()) {
            let tip = format!(
                "Longer than the shortest curve between its fixings that meets the bend limit, {way:.1} mm; parts are left out of account"
            );
            field::fact(ui, "Slack", format!("{:.1} %", 100.0 * slack), &tip);
        }
    });
    fit::show(ui, cable, actions);
    let differs = cable.length != cable.basis_length && !cable.length_locked;
    if differs && ui.button("Back to imported length").clicked() {
        actions.push(Action::Edit(Command::SetLength {
            cable: cable.name.clone(),
            length: cable.basis_seat_to_seat(),
        }));
    }
    spans::show(ui, cable, mode == Mode::Stretches, actions);
}

/// What decides the length of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The whole is set.
    Whole,
    /// Each stretch between two handles is set.
    Stretches,
    /// It finds its own.
    Free,
}

fn free_length(cable: &Cable, straightness: Option<f64>) -> Command {
    Command::SetFreeLength {
        cable: cable.name.clone(),
        straightness,
    }
}

/// The choice between the modes. Whether the whole or its stretches are typed is a matter of the panel alone.
fn show_modes(ui: &mut Ui, cable: &Cable, actions: &mut Vec<Action>) -> Mode {
    let key = egui::Id::unique(("length by stretches", &cable.name));
    let by_stretches = ui.data(|d| d.get_temp(key).unwrap_or(false));
    let now = match cable.free_length {
        Some(_) => Mode::Free,
        None if by_stretches => Mode::Stretches,
        None => Mode::Whole,
    };
    ui.horizontal_wrapped(|ui| {
        for (mode, name, tip) in [
            (
                Mode::Whole,
                "Whole",
                "The length of the whole cable is set; stretches that are not locked share the change",
            ),
            (
                Mode::Stretches,
                "Between fixings",
                "Each stretch between two fixings has its own length; the whole is their sum",
            ),
            (
                Mode::Free,
                "Free",
                "The cable finds its own length, and keeps it when another mode is chosen",
            ),
        ] {
            let button = ui.selectable_label(now == mode, name);
            if !button.on_hover_text(tip).clicked() || now == mode {
                continue;
            }
            ui.data_mut(|d| d.insert_temp(key, mode == Mode::Stretches));
            match (mode, cable.free_length) {
                (Mode::Free, _) => actions.push(Action::Edit(free_length(cable, Some(1.0)))),
                (_, Some(_)) => actions.push(Action::Edit(free_length(cable, None))),
                (_, None) => {}
            }
        }
    });
    now
}

fn whole_length(ui: &mut Ui, cable: &Cable, actions: &mut Vec<Action>) {
    Number {
        label: "Length",
        unit: " mm",
        range: (1.0, 1e6),
        speed: 1.0,
        decimals: 2,
        tip: "Length of the cable without load, from seat to seat: with its fittings. The shape follows when it changes.",
    }
    .show(ui, cable.seat_to_seat(), actions, |length| {
        Some(Command::SetLength {
            cable: cable.name.clone(),
            length,
        })
    });
}
