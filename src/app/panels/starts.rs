//! What starts in contact, by cable and part: where, how deep, what was done about it, and what else could be.

use egui::{ComboBox, Grid, RichText, Ui};

use crate::app::action::{Action, Select};
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::app::theme;
use crate::scene::{Cable, StartChoice, StartGroup, StartReason};

/// What is seen of the view around a place, over the radius of the cable.
const AROUND: f64 = 30.0;

/// The list; nothing where all is clear.
pub fn show(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    let groups = document.starts();
    if groups.is_empty() {
        return;
    }
    let palette = theme::palette(ui.ctx());
    ui.label(RichText::new(heading(groups)).strong());
    Grid::new("starts in contact")
        .num_columns(5)
        .striped(true)
        .spacing([14.0, 3.0])
        .show(ui, |ui| {
            for group in groups {
                let Some(number) = number_of(document, &group.cable) else {
                    continue;
                };
                let cable = &document.scene().cables[number];
                let color = match group.reason {
                    StartReason::Crosses => palette.bad,
                    StartReason::Overlaps | StartReason::Enclosed => palette.warn,
                    StartReason::InsideMargin | StartReason::Excluded => palette.ink,
                };
                let name = format!("{} in {}", group.cable, group.part);
                let link = ui.link(RichText::new(name).color(color));
                let link = link.on_hover_text("Shows the deepest place");
                if link.clicked() {
                    let only = vec![Thing::Cable(number)];
                    actions.push(Action::Select(Select::Only(only)));
                    actions.push(go_to(group, cable));
                }
                ui.label(places(group));
                ui.label(depth(group));
                let (words, tip) = done(group.reason);
                ui.label(words).on_hover_text(tip);
                show_choices(ui, link.id, group, cable, actions);
                ui.end_row();
            }
        });
    ui.add_space(4.0);
}

fn show_choices(
    ui: &mut Ui,
    label: egui::Id,
    group: &StartGroup,
    cable: &Cable,
    actions: &mut Vec<Action>,
) {
    let (words, tip) = in_words(group.choice);
    ComboBox::from_id_salt((&group.cable, &group.part))
        .width(96.0)
        .selected_text(words)
        .show_ui(ui, |ui| {
            for choice in StartChoice::ALL {
                let (words, tip) = in_words(choice);
                let chosen = group.choice == choice;
                let response = ui.selectable_label(chosen, words).on_hover_text(tip);
                if response.clicked() && !chosen {
                    actions.push(Action::EditAll(group.choose(cable, choice)));
                }
            }
        })
        .response
        .labelled_by(label)
        .on_hover_text(tip);
}

fn number_of(document: &Document, cable: &str) -> Option<usize> {
    let mut all = document.scene().cables.iter();
    all.position(|c| c.name == cable)
}

/// Near enough to see the place, far enough to see all of it, and into the part.
fn go_to(group: &StartGroup, cable: &Cable) -> Action {
    let [from, to] = group.range();
    let height = (1.5 * (to - from)).max(AROUND * cable.radius);
    Action::LookInto(group.at.into(), height)
}

fn heading(groups: &[StartGroup]) -> String {
    let inside = groups.iter().filter(|g| g.reason.is_inside());
    let (mut cables, mut parts): (Vec<&str>, Vec<&str>) =
        inside.map(|g| (&g.cable[..], &g.part[..])).unzip();
    for names in [&mut cables, &mut parts] {
        names.sort_unstable();
        names.dedup();
    }
    match (cables.len(), parts.len()) {
        (0, _) => "Cables that may overlap a part or are within its margin".to_owned(),
        (n, m) => format!(
            "{n} {} inside {m} {}",
            if n == 1 { "cable is" } else { "cables are" },
            if m == 1 { "part" } else { "parts" }
        ),
    }
}

fn places(group: &StartGroup) -> String {
    let [from, to] = group.range();
    let times = match group.stretches.len() {
        1 => "1 place".to_owned(),
        n => format!("{n} places"),
    };
    format!("{times}, {from:.0} to {to:.0} mm")
}

fn depth(group: &StartGroup) -> String {
    match group.depth {
        d if d > 0.0 => format!("{d:.1} mm deep"),
        _ => "clear".to_owned(),
    }
}

/// What was done about it, and what that means.
fn done(reason: StartReason) -> (&'static str, &'static str) {
    match reason {
        StartReason::Crosses => (
            "free until clear",
            "The part cuts through it and cannot push it out (a sheet has no inside, or a fixing is in there): it holds nothing of the cable there until it is clear",
        ),
        StartReason::Overlaps => (
            "pushed out",
            "The cable is pushed out by the shortest way, a little in each step",
        ),
        StartReason::Enclosed => (
            "enclosed",
            "The whole cable is inside the part and touches nothing of it: it stays in there. If that is wrong, switch collision detection off (Edit menu) and take its fixings out",
        ),
        StartReason::InsideMargin => (
            "within the margin",
            "The cable keeps the distance that there is, and the whole margin once it has left",
        ),
        StartReason::Excluded => ("may overlap", "The part does not hold the cable there"),
    }
}

fn in_words(choice: StartChoice) -> (&'static str, &'static str) {
    match choice {
        StartChoice::ExcludeHere => (
            "Ignore overlap here",
            "The stretches inside the part, and a little on both sides, do not collide with it",
        ),
        StartChoice::Collide => (
            "Collide",
            "The part holds the cable: it is pushed out; where that cannot be, it is free until it is clear",
        ),
        StartChoice::LetPass => (
            "Ignore this pair",
            "The whole cable passes through the part, as if it were not there",
        ),
    }
}
