//! How sharply a cable may be bent, and how sharply it is.

use egui::{ComboBox, RichText, Ui};

use super::field::{self, Number};
use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::theme;
use crate::scene::{Bend, BendLimit, BendMeasure, BendRadius, Cable, CableChange, Command};

/// The panel of a cable.
pub fn show(ui: &mut Ui, document: &Document, cable: &Cable, actions: &mut Vec<Action>) {
    field::heading(ui, "Bend radius");
    let limit = cable.bend_limit;
    field::grid(ui, "bend", |ui| {
        radius(ui, cable, "At rest", limit.at_rest, actions, |at_rest| {
            BendLimit { at_rest, ..limit }
        });
        radius(ui, cable, "In motion", limit.in_motion, actions, |r| {
            BendLimit {
                in_motion: r,
                ..limit
            }
        });
        ui.label("Use");
        let mut moves = limit.moves;
        let tip = "A cable that is moved in use is judged by the limit in motion too";
        let check = ui.checkbox(&mut moves, "moves");
        if check.on_hover_text(tip).changed() {
            actions.push(Action::Edit(edit(cable, BendLimit { moves, ..limit })));
        }
        ui.end_row();
        measured(ui, cable, actions);
        let found = cable
            .worst_bend()
            .filter(|_| document.report(&cable.name).is_some());
        let tip = "Smallest bend radius in the present shape, measured as the limit is";
        field::fact(ui, "Smallest", smallest(ui, cable, found), tip);
    });
}

fn edit(cable: &Cable, limit: BendLimit) -> Command {
    let change = CableChange {
        bend_limit: Some(limit),
        ..CableChange::of(&cable.name)
    };
    change.into()
}

/// A limit: a number, what it counts, and what it is in mm. 0 is none.
fn radius(
    ui: &mut Ui,
    cable: &Cable,
    name: &str,
    now: Option<BendRadius>,
    actions: &mut Vec<Action>,
    limit: impl Fn(Option<BendRadius>) -> BendLimit,
) {
    let in_mm = matches!(now, Some(BendRadius::Mm(_)));
    let label = ui.label(name);
    ui.horizontal(|ui| {
        let number = Number {
            label: name,
            unit: if in_mm { " mm" } else { " x D" },
            range: (0.0, 1e5),
            speed: if in_mm { 0.5 } else { 0.05 },
            decimals: 2,
            tip: "Smallest bend radius allowed, in outer diameters or mm; 0 where no limit is set",
        };
        let value = now.map_or(0.0, BendRadius::number);
        number.field(ui, label.id, value, actions, |n| {
            let new = if in_mm {
                BendRadius::Mm(n)
            } else {
                BendRadius::Diameters(n)
            };
            Some(edit(cable, limit((n > 0.0).then_some(new))))
        });
        let Some(set) = now else {
            ui.weak("no limit set");
            return;
        };
        let mm = set.mm(cable.diameter());
        let (words, other) = match set {
            BendRadius::Mm(_) => (
                format!("= {:.2} x D", mm / cable.diameter()),
                BendRadius::Diameters(mm / cable.diameter()),
            ),
            BendRadius::Diameters(_) => (format!("= {mm:.1} mm"), BendRadius::Mm(mm)),
        };
        let tip = "Click to type it in the other way";
        let button = egui::Button::new(RichText::new(words).small()).small();
        if ui.add(button).on_hover_text(tip).clicked() {
            actions.push(Action::Edit(edit(cable, limit(Some(other)))));
        }
    });
    ui.end_row();
}

fn measured(ui: &mut Ui, cable: &Cable, actions: &mut Vec<Action>) {
    let name = |measure: BendMeasure| match measure {
        BendMeasure::Centerline => "on the centerline",
        BendMeasure::Inside => "inside the bend",
    };
    let label = ui.label("Measured");
    let now = cable.bend_limit.measured;
    ComboBox::from_id_salt("bend measured")
        .width(130.0)
        .selected_text(name(now))
        .show_ui(ui, |ui| {
            for measure in [BendMeasure::Centerline, BendMeasure::Inside] {
                if ui.selectable_label(now == measure, name(measure)).clicked() {
                    let limit = BendLimit {
                        measured: measure,
                        ..cable.bend_limit
                    };
                    actions.push(Action::Edit(edit(cable, limit)));
                }
            }
        })
        .response
        .labelled_by(label.id)
        .on_hover_text(
            "Makers of cables measure on the centerline; hose standards on the inside of the bend: less by the outer radius",
        );
    ui.end_row();
}

/// The smallest radius in words. Green only where a limit says so.
fn smallest(ui: &Ui, cable: &Cable, bend: Option<Bend>) -> RichText {
    let palette = theme::palette(ui.ctx());
    let Some(bend) = bend else {
        return RichText::new("not solved").color(palette.weak);
    };
    if bend.centerline > 1e5 {
        return RichText::new("straight");
    }
    let radius = bend.measured;
    let inside = cable.bend_limit.measured.suffix();
    let words = format!("{radius:.1} mm{inside}");
    match bend {
        bend if bend.is_too_sharp() => {
            RichText::new(format!("{words}, too sharp")).color(palette.bad)
        }
        _ if cable.bend_limit.is_missing() => {
            RichText::new(format!("{words}, no limit set")).color(palette.warn)
        }
        _ => RichText::new(format!("{words}, allowed")).color(palette.good),
    }
}
