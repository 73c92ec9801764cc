//! What a hose carries, what its fittings ask for, and what is cut of it.

use egui::Ui;

use super::field::{self, Number};
use crate::app::action::Action;
use crate::app::document::Document;
use crate::scene::{Cable, CableChange, Command, CutRule, HandlePlace, hose};
use crate::solve::CancelToken;

/// The panels of a cable.
pub fn show(ui: &mut Ui, document: &Document, cable: &Cable, actions: &mut Vec<Action>) {
    field::heading(ui, "Hose and fittings");
    field::grid(ui, "hose", |ui| {
        fluid(ui, document, cable, actions);
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
        actions.push(zero_twist(document, cable));
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

/// The edits that turn the end, or why it cannot be turned.
fn zero_twist(document: &Document, cable: &Cable) -> Action {
    let scene = document.scene();
    let end = cable.handle_at(HandlePlace::End);
    let joined = |handle: &str| scene.junctions.iter().any(|j| j.holds(&cable.name, handle));
    let Some(end) = end.filter(|h| !joined(&h.name)) else {
        return Action::Complain(
            "The twist cannot be taken out: the end of the cable is not held by a fixing of its own.".into(),
        );
    };
    match hose::untwisted_end(scene, &cable.name, &CancelToken::default()) {
        Err(why) => Action::Complain(why.to_string()),
        Ok(pose) => {
            let r = pose.rotation;
            let turn = Command::MoveHandle {
                cable: cable.name.clone(),
                handle: end.name.clone(),
                position: None,
                rotation: Some([r.w, r.i, r.j, r.k]),
            };
            let turns = Command::ChangeHandle {
                cable: cable.name.clone(),
                handle: end.name.clone(),
                name: None,
                place: None,
                kind: None,
                turns: Some(0),
                attached_to: None,
                pose: None,
            };
            Action::EditAll(vec![turn, turns])
        }
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
    let words = format!("{:.1} mm", now.cut(cable.length));
    field::fact(ui, "Cut", words, tip);
}
