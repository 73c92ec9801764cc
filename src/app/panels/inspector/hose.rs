//! What a hose carries, what its fittings ask for, and what is cut of it.

use egui::Ui;

use super::field::{self, Number};
use crate::app::action::Action;
use crate::app::document::Document;
use crate::scene::{Cable, CableChange, CutRule, Fitting};

/// The panels of a cable.
pub fn show(ui: &mut Ui, document: &Document, cable: &Cable, actions: &mut Vec<Action>) {
    field::heading(ui, "Hose and fittings");
    field::grid(ui, "hose", |ui| {
        fluid(ui, document, cable, actions);
        pressure(ui, document, cable, actions);
        fittings(ui, cable, actions);
        for (k, label) in ["Straight at start", "Straight at end"]
            .into_iter()
            .enumerate()
        {
            length(
                label,
                "Length that must be straight behind the fitting; 0 for none",
            )
            .show(ui, cable.straight_ends[k], actions, |mm| {
                let mut straight_ends = cable.straight_ends;
                straight_ends[k] = mm;
                let change = CableChange {
                    straight_ends: Some(straight_ends),
                    ..CableChange::of(&cable.name)
                };
                Some(change.into())
            });
        }
        if let Some(shape) = &cable.shape {
            let degrees = shape.total_twist().to_degrees();
            let tip = "Twist from end to end; hoses may not be twisted";
            field::fact(ui, "Twist", format!("{degrees:.1}°"), tip);
        }
    });
    let tip = "Turns the fixing at the end until the cable is not twisted";
    if ui.button("Zero twist").on_hover_text(tip).clicked() {
        actions.push(Action::ZeroTwist(cable.name.clone()));
    }
    field::heading(ui, "Cut length");
    field::grid(ui, "cut", |ui| cut(ui, cable, actions));
}

fn length<'a>(label: &'a str, tip: &'a str) -> Number<'a> {
    Number {
        label,
        unit: " mm",
        range: (0.0, 1e5),
        speed: 0.5,
        decimals: 1,
        tip,
    }
}

fn fluid(ui: &mut Ui, document: &Document, cable: &Cable, actions: &mut Vec<Action>) {
    let scene = document.scene();
    if scene.bore(cable) <= 0.0 {
        return;
    }
    Number {
        label: "Fluid",
        unit: " kg/m³",
        range: (0.0, 1e5),
        speed: 1.0,
        decimals: 0,
        tip: "Density of what is in the hose: it fills the inner diameter, and weighs; 0 for empty",
    }
    .show(ui, cable.fluid_kg_m3.unwrap_or(0.0), actions, |density| {
        let change = CableChange {
            fluid_kg_m3: Some(if density > 0.0 { density } else { -1.0 }),
            ..CableChange::of(&cable.name)
        };
        Some(change.into())
    });
    let mass = cable.section.mass_kg_m + scene.fluid_mass_kg_m(cable);
    let tip = "Mass per length with what is in it";
    field::fact(ui, "Filled", format!("{:.1} g/m", 1e3 * mass), tip);
}

/// Pressure, what it does to the length, and how it straightens.
fn pressure(ui: &mut Ui, document: &Document, cable: &Cable, actions: &mut Vec<Action>) {
    let scene = document.scene();
    if scene.bore(cable) <= 0.0 {
        return;
    }
    Number {
        label: "Pressure",
        unit: " bar",
        range: (0.0, 1e4),
        speed: 1.0,
        decimals: 1,
        tip: "Pressure in the hose; 0 for none. It changes the length by the maker's table, where the material has one",
    }
    .show(ui, cable.pressure.map_or(0.0, |p| p.bar), actions, |bar| {
        let change = CableChange {
            pressure_bar: Some(if bar > 0.0 { bar } else { -1.0 }),
            ..CableChange::of(&cable.name)
        };
        Some(change.into())
    });
    let Some(pressure) = cable.pressure else {
        return;
    };
    Number {
        label: "Length change",
        unit: " %",
        range: (-50.0, 50.0),
        speed: 0.05,
        decimals: 2,
        tip: "How much longer the flexible hose is under pressure; hydraulic hoses +2 to -4 %",
    }
    .show(ui, pressure.length_change, actions, |percent| {
        let change = CableChange {
            length_change_percent: Some(percent),
            ..CableChange::of(&cable.name)
        };
        Some(change.into())
    });
    if let Some(moment) = scene.straightening_moment(cable) {
        let tip = "Estimate of the moment with which pressure straightens a bend, at most: pi p r^3 / 2 with the inner radius. \
                   It is shown only; the shape does not feel it";
        let words = format!("at most {:.2} N·m", 1e-3 * moment);
        field::fact(ui, "Straightening", words, tip);
    }
}

/// Length and diameter of the rigid ends.
fn fittings(ui: &mut Ui, cable: &Cable, actions: &mut Vec<Action>) {
    let edit = |end: usize, fitting: Fitting| {
        let mut fittings = cable.fittings;
        fittings[end] = fitting;
        let change = CableChange {
            fittings: Some(fittings),
            ..CableChange::of(&cable.name)
        };
        Some(change.into())
    };
    let labels = [
        ["Fitting at start", "Its diameter "],
        ["Fitting at end", "Its diameter"],
    ];
    for (end, [label, wide]) in labels.into_iter().enumerate() {
        let now = cable.fittings[end];
        let tip = "Rigid, straight length from the seat to where the cable begins to bend; 0 for none. \
                   The length from seat to seat stays";
        length(label, tip).show(ui, now.length, actions, |mm| {
            edit(end, Fitting { length: mm, ..now })
        });
        if now.is_there() {
            let tip = "Outer diameter of the fitting; 0 for that of the cable";
            length(wide, tip).show(ui, 2.0 * now.radius, actions, |mm| {
                let radius = 0.5 * mm;
                edit(end, Fitting { radius, ..now })
            });
        }
    }
    if cable.fitting_length() > 0.0 {
        let tip = "What is between the fittings";
        field::fact(ui, "Flexible", format!("{:.2} mm", cable.length), tip);
    }
}

fn cut(ui: &mut Ui, cable: &Cable, actions: &mut Vec<Action>) {
    let now = cable.cut;
    let edit = |cut: CutRule| {
        let change = CableChange {
            cut: Some(cut),
            ..CableChange::of(&cable.name)
        };
        Some(change.into())
    };
    for (k, label) in ["Allowance at start", "Allowance at end"]
        .into_iter()
        .enumerate()
    {
        let tip = "Added for the contact or fitting";
        length(label, tip).show(ui, now.allowances[k], actions, |mm| {
            let mut allowances = now.allowances;
            allowances[k] = mm;
            edit(CutRule { allowances, ..now })
        });
    }
    let tip = "Kept in a loop, so that it can be worked on later";
    length("Service loop", tip).show(ui, now.service_loop, actions, |service_loop| {
        edit(CutRule {
            service_loop,
            ..now
        })
    });
    let tip = "The sum is rounded up to a multiple of this; 0 for not";
    length("Round up to", tip).show(ui, now.round_to, actions, |round_to| {
        edit(CutRule { round_to, ..now })
    });
    let tip = "Length with allowances and loop, rounded up";
    let words = format!("{:.1} mm", now.cut(cable.seat_to_seat()));
    field::fact(ui, "Cut", words, tip);
}
