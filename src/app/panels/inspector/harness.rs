//! A harness in the inspector: what holds for all its branches, and the table of their lengths.

use egui::{Button, Grid, RichText, Ui};

use super::{common, field, title};
use crate::app::action::{Action, Select};
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::scene::{Cable, Scene};

/// A line of the table.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    cable: usize,
    name: String,
    /// Imported, and as it is now, mm.
    lengths: [f64; 2],
}

impl Line {
    fn more(&self) -> f64 {
        self.lengths[1] - self.lengths[0]
    }
}

/// What the table is sorted by, and whether backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Order {
    column: usize,
    backwards: bool,
}

const COLUMNS: [(&str, &str); 4] = [
    ("Branch", "Name of the branch; click to select it"),
    (
        "Imported",
        "Length that it was imported or made with, without load, mm",
    ),
    ("Now", "Length that it has now, without load, mm"),
    ("Change", "How much longer it is now, mm"),
];

/// The panel of the harness of that number.
pub fn show(ui: &mut Ui, document: &Document, number: usize, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let harness = &scene.harnesses[number];
    let thing = Thing::Harness(number);
    let members = scene.harness_members(number);
    title(ui, "Harness", &harness.name);
    field::grid(ui, "harness", |ui| {
        field::name(ui, &harness.name, actions, |to| {
            thing.rename_command(scene, to)
        });
        let tip = "What belongs to it";
        let count = |n: usize, one: &str, many: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {many}"),
        };
        let words = [
            count(members.cables.len(), "flexible branch", "flexible branches"),
            count(members.junctions.len(), "junction", "junctions"),
            count(members.connectors.len(), "connector", "connectors"),
        ];
        for (label, words) in ["Consists of", "", ""].into_iter().zip(words) {
            field::fact(ui, label, words, tip);
        }
    });
    let cables: Vec<&Cable> = members.cables.iter().map(|k| &scene.cables[*k]).collect();
    field::heading(ui, "All branches");
    common::cables(ui, scene, &cables, actions);
    field::heading(ui, "Lengths");
    table(ui, scene, &members.cables, actions);
    ui.add_space(8.0);
    ui.horizontal_wrapped(|ui| {
        for (name, action) in [
            ("Hide", Action::HideSelected),
            ("Isolate", Action::Isolate),
            ("Fit", Action::FitSelection),
        ] {
            if ui.button(name).clicked() {
                actions.push(action);
            }
        }
        if ui.button("Select branches").clicked() {
            let all = members.cables.iter().map(|k| Thing::Cable(*k)).collect();
            actions.push(Action::Select(Select::Only(all)));
        }
    });
}

fn lines(scene: &Scene, cables: &[usize], order: Order) -> Vec<Line> {
    let line = |k: &usize| {
        let cable = &scene.cables[*k];
        Line {
            cable: *k,
            name: cable.name.clone(),
            lengths: [cable.basis_length, cable.length],
        }
    };
    let mut lines: Vec<Line> = cables.iter().map(line).collect();
    lines.sort_by(|a, b| match order.column {
        1 | 2 => a.lengths[order.column - 1].total_cmp(&b.lengths[order.column - 1]),
        3 => a.more().total_cmp(&b.more()),
        _ => a.name.cmp(&b.name),
    });
    if order.backwards {
        lines.reverse();
    }
    lines
}

/// The table as text for a spreadsheet.
fn as_csv(lines: &[Line]) -> String {
    use std::fmt::Write as _;
    let mut text = "branch,imported (mm),now (mm),change (mm)\n".to_owned();
    for line in lines {
        // A name with a comma or a quote stays one field.
        let name = line.name.replace('"', "\"\"");
        let [before, now] = line.lengths;
        let more = line.more();
        let _ = writeln!(text, "\"{name}\",{before:.2},{now:.2},{more:.2}");
    }
    text
}

fn table(ui: &mut Ui, scene: &Scene, cables: &[usize], actions: &mut Vec<Action>) {
    let key = ui.scope_id().with("order of lengths");
    let mut order = ui.data(|d| d.get_temp::<Order>(key)).unwrap_or_default();
    let all = lines(scene, cables, order);
    Grid::new("lengths of the harness")
        .num_columns(4)
        .striped(true)
        .spacing([8.0, 3.0])
        .show(ui, |ui| {
            for (k, (name, tip)) in COLUMNS.iter().enumerate() {
                let arrow = match order {
                    Order { column, backwards } if column == k => {
                        if backwards {
                            " v"
                        } else {
                            " ^"
                        }
                    }
                    _ => "",
                };
                let text = RichText::new(format!("{name}{arrow}")).small().strong();
                let button = ui.add(Button::new(text).frame(false));
                button.widget_info(|| {
                    let words = format!("Sort by {}", name.to_lowercase());
                    egui::WidgetInfo::labeled(egui::Role::Button, true, words)
                });
                if button
                    .on_hover_text(format!("{tip}. Click to sort."))
                    .clicked()
                {
                    order = Order {
                        column: k,
                        backwards: order.column == k && !order.backwards,
                    };
                    ui.data_mut(|d| d.insert_temp(key, order));
                }
            }
            ui.end_row();
            for line in &all {
                let link = ui.link(RichText::new(&line.name).small());
                if link.clicked() {
                    let thing = Thing::Cable(line.cable);
                    actions.push(Action::Select(Select::Only(vec![thing])));
                }
                for mm in line.lengths {
                    ui.label(RichText::new(format!("{mm:.1}")).small());
                }
                ui.label(RichText::new(format!("{:+.1}", line.more())).small());
                ui.end_row();
            }
            let sum = |k: usize| all.iter().map(|l| l.lengths[k]).sum::<f64>();
            ui.label(RichText::new("Sum").small().strong());
            for mm in [sum(0), sum(1)] {
                ui.label(RichText::new(format!("{mm:.1}")).small().strong());
            }
            let more = sum(1) - sum(0);
            ui.label(RichText::new(format!("{more:+.1}")).small().strong());
            ui.end_row();
        });
    if ui.button("Copy lengths as CSV").clicked() {
        ui.ctx().copy_text(as_csv(&all));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_copied() {
        let mut scene = crate::scene::demo::demo("routed-bay").unwrap();
        let cables = scene.harness_members(0).cables;
        assert_eq!(cables.len(), 7);
        scene.cables[cables[4]].length += 25.0;
        let name = scene.cables[cables[4]].name.clone();
        let order = Order {
            column: 3,
            backwards: true,
        };
        let sorted = lines(&scene, &cables, order);
        assert_eq!(sorted[0].name, name);
        assert!((sorted[0].more() - 25.0).abs() < 1e-9);
        let by_name = lines(&scene, &cables, Order::default());
        assert!(by_name.is_sorted_by(|a, b| a.name <= b.name));
        let text = as_csv(&sorted);
        assert_eq!(text.lines().count(), 8);
        let first = text.lines().nth(1).unwrap();
        assert!(first.starts_with(&format!("\"{name}\",")) && first.ends_with(",25.00"));
    }
}
