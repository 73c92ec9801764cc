//! The book of lengths: every branch and every wire, and what is cut of it.

use egui::{RichText, ScrollArea, Ui};

use crate::app::action::{Action, Select};
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::scene::lengths::{csv, lengths};

const HEADS: [&str; 10] = [
    "",
    "Geometric",
    "Fittings",
    "Under load",
    "Slack",
    "At start",
    "At end",
    "Loop",
    "Round to",
    "Cut",
];

/// The table; a click on a branch selects its cable.
pub fn show(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let lines = lengths(scene);
    ui.horizontal(|ui| {
        if ui.button("Copy as CSV").clicked() {
            ui.ctx().copy_text(csv(&lines));
        }
        ui.weak("mm, from seat to seat; the same as the verb lengths says");
    });
    ScrollArea::both()
        .id_salt("lengths")
        .auto_shrink(false)
        .show(ui, |ui| {
            let grid = egui::Grid::new("book of lengths").num_columns(HEADS.len());
            grid.striped(true).spacing([16.0, 3.0]).show(ui, |ui| {
                for head in HEADS {
                    ui.label(RichText::new(head).small().strong());
                }
                ui.end_row();
                for line in &lines {
                    let cable = scene.cables.iter().position(|c| c.name == line.name);
                    match cable.filter(|_| line.kind == "branch") {
                        Some(number) => {
                            if ui.link(&line.name).clicked() {
                                let things = vec![Thing::Cable(number)];
                                actions.push(Action::Select(Select::Only(things)));
                            }
                        }
                        None => {
                            ui.label(format!("{} {}", line.kind, line.name));
                        }
                    }
                    let mm = |x: f64| format!("{x:.1}");
                    let known = |x: Option<f64>, unit: &str| {
                        x.map_or_else(|| "-".to_owned(), |x| format!("{x:.1}{unit}"))
                    };
                    let rule = &line.rule;
                    for cell in [
                        mm(line.geometric),
                        mm(line.fittings),
                        known(line.under_load, ""),
                        known(line.slack.map(|s| 100.0 * s), " %"),
                        mm(rule.allowances[0]),
                        mm(rule.allowances[1]),
                        mm(rule.service_loop),
                        mm(rule.round_to),
                    ] {
                        ui.label(cell);
                    }
                    ui.strong(mm(line.cut));
                    if !line.missing.is_empty() {
                        let missing = line.missing.join(", ");
                        ui.label(format!("without {missing}, which the scene has not"));
                    }
                    ui.end_row();
                }
            });
        });
}
