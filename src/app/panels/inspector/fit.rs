//! The shortest length with which a cable meets its limits, beside the one it has.

use egui::{RichText, Ui};

use super::field;
use crate::app::action::Action;
use crate::app::theme;
use crate::scene::shortest::{LengthProposal, LengthRow};
use crate::scene::{Cable, CableChange, Command};

/// What was found, or why nothing was, for the cable as it was then.
#[derive(Clone)]
struct Found {
    length: f64,
    answer: Result<Box<LengthProposal>, String>,
}

fn key(cable: &str) -> egui::Id {
    egui::Id::unique(("shortest length", cable))
}

/// Keeps what was found for a cable that had that length.
pub fn keep(
    ctx: &egui::Context,
    cable: &str,
    length: f64,
    answer: Result<Box<LengthProposal>, String>,
) {
    ctx.data_mut(|d| d.insert_temp(key(cable), Found { length, answer }));
}

/// The buttons, and the table once it was asked for.
pub fn show(ui: &mut Ui, cable: &Cable, actions: &mut Vec<Action>) {
    let mut locked = cable.length_locked;
    let tip =
        "The length is the one that a supplier delivers, from seat to seat: nothing changes it";
    let check = ui.checkbox(&mut locked, "Length from supplier, locked");
    if check.on_hover_text(tip).changed() {
        let change = CableChange {
            length_locked: Some(locked),
            ..CableChange::of(&cable.name)
        };
        actions.push(Action::Edit(change.into()));
    }
    let tip = "Finds the shortest length that meets bend radius and clearance where the fixings are, rounded up to 5 mm";
    if ui.button("Shortest length").on_hover_text(tip).clicked() {
        actions.push(Action::FindLength(cable.name.clone()));
    }
    let Some(found) = ui.data(|d| d.get_temp::<Found>(key(&cable.name))) else {
        return;
    };
    match found.answer {
        Err(why) => field::warning(ui, why),
        Ok(proposal) => {
            let length = proposal.proposed.length;
            let now = cable.seat_to_seat();
            let first = if found.length == now { "Now" } else { "Before" };
            table(ui, cable, &proposal, first);
            let differs = (now - length).abs() > 1e-6;
            let take = egui::Button::new(format!("Take {length:.0} mm"));
            let take = ui.add_enabled(differs && !cable.length_locked, take);
            if take.clicked() {
                actions.push(Action::Edit(Command::SetLength {
                    cable: cable.name.clone(),
                    length,
                }));
            }
            if found.length != now && differs {
                ui.weak("The length changed since: find it again.");
            }
        }
    }
}

/// The lengths; `first` names that which the cable had when they were looked for.
fn table(ui: &mut Ui, cable: &Cable, proposal: &LengthProposal, first: &str) {
    let palette = theme::palette(ui.ctx());
    let rows: [(&str, &LengthRow); 3] = [
        (first, &proposal.now),
        ("Shortest", &proposal.shortest),
        ("Proposed", &proposal.proposed),
    ];
    egui::Grid::new("lengths")
        .num_columns(5)
        .striped(true)
        .spacing([6.0, 3.0])
        .show(ui, |ui| {
            let inside = cable.bend_limit.measured.suffix();
            for head in ["", "mm", &format!("R{inside}"), "Clear", "Ends, N"] {
                ui.small(head);
            }
            ui.end_row();
            for (name, row) in rows {
                let color = if row.errors.is_empty() {
                    ui.visuals().text_color()
                } else {
                    palette.bad
                };
                let why: Vec<&str> = row.errors.iter().map(|f| f.what.as_str()).collect();
                let mut cell = |words: String| {
                    let label = ui.label(RichText::new(words).small().color(color));
                    if !why.is_empty() {
                        label.on_hover_text(why.join("\n"));
                    }
                };
                let number = |v: Option<f64>| v.map_or("-".to_owned(), |v| format!("{v:.1}"));
                cell(name.to_owned());
                cell(format!("{:.1}", row.length));
                cell(number(Some(row.radius).filter(|r| *r < 1e5)));
                cell(number(row.clearance));
                let [a, b] = row.end_forces.map(number);
                cell(format!("{a} / {b}"));
                ui.end_row();
            }
        });
}
