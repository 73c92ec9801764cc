//! Stretches of a cable that are thicker or thinner than the rest of it.

use egui::Ui;

use super::field::{self, Number};
use crate::app::action::Action;
use crate::scene::{Cable, CableStretch, Command};

/// A new stretch is so much thicker than its cable.
const THICKER: f64 = 1.2;

/// The panel of a cable: a line for each stretch, and a button for another one where there is room.
pub fn show(ui: &mut Ui, cable: &Cable, actions: &mut Vec<Action>) {
    field::heading(ui, "Sleeves and tape");
    for k in 0..cable.stretches.len() {
        let name = format!("Stretch {}", k + 1);
        ui.horizontal(|ui| {
            ui.strong(&name);
            ui.weak(stiffness(&cable.stretches[k]));
            let tip = "Here the cable is as it is along the rest of it";
            let remove = ui.small_button(format!("Remove stretch {}", k + 1));
            if remove.on_hover_text(tip).clicked() {
                let mut rest = cable.stretches.clone();
                rest.remove(k);
                actions.push(Action::Edit(edit(cable, rest)));
            }
        });
        field::grid(ui, &name, |ui| numbers(ui, cable, k, actions));
    }
    let Some(room) = largest_room(cable) else {
        return;
    };
    let tip = "A stretch with a diameter of its own: a sleeve, tape, or a thinner piece. It counts in contact, in the view and in exports.";
    if ui.button("Add a stretch").on_hover_text(tip).clicked() {
        let third = (room[1] - room[0]) / 3.0;
        let new = CableStretch::of_radius(room[0] + third, room[1] - third, THICKER * cable.radius);
        let mut all = cable.stretches.clone();
        let before = all.partition_point(|s| s.from < new.from);
        all.insert(before, new);
        actions.push(Action::Edit(edit(cable, all)));
    }
}

fn edit(cable: &Cable, stretches: Vec<CableStretch>) -> Command {
    Command::SetStretches {
        cable: cable.name.clone(),
        stretches,
    }
}

/// What is known of its stiffness and mass.
fn stiffness(stretch: &CableStretch) -> String {
    match (&stretch.material, stretch.section) {
        (Some(material), _) => material.clone(),
        (None, Some(section)) => format!("EI {:.0} N mm²", section.bending),
        (None, None) => "as stiff as the cable".to_owned(),
    }
}

fn numbers(ui: &mut Ui, cable: &Cable, k: usize, actions: &mut Vec<Action>) {
    let all = &cable.stretches;
    let before = k.checked_sub(1).map_or(0.0, |k| all[k].to);
    let after = all.get(k + 1).map_or(cable.length, |next| next.from);
    let own = &all[k];
    let changed = |change: &dyn Fn(&mut CableStretch)| {
        let mut all = all.clone();
        change(&mut all[k]);
        Some(edit(cable, all))
    };
    let number = |label, range, tip| Number {
        label,
        unit: " mm",
        range,
        speed: 0.5,
        decimals: 1,
        tip,
    };
    let at_least = 1e-3 * cable.length;
    let tip = "Where it begins, along the cable from its start; it reaches to the node next to it";
    let range = (before, own.to - at_least);
    number("From", range, tip).show(ui, own.from, actions, |mm| changed(&|s| s.from = mm));
    let tip = "Where it ends, along the cable from its start; it reaches to the node next to it";
    let range = (own.from + at_least, after);
    number("To", range, tip).show(ui, own.to, actions, |mm| changed(&|s| s.to = mm));
    let tip = "Outer diameter of the stretch: the one that collides. Stiffness and mass of its material follow.";
    let thinnest = cable.inner_diameter.unwrap_or(0.0).max(0.1);
    let diameter = number("Diameter", (thinnest, 1000.0), tip);
    diameter.show(ui, 2.0 * own.radius, actions, |mm| {
        changed(&|s| {
            s.radius = 0.5 * mm;
            // The material gives it anew.
            s.section = s.section.filter(|_| s.material.is_none());
        })
    });
}

/// The longest piece of the cable without a stretch, from where to where; `None` where there is hardly any.
fn largest_room(cable: &Cable) -> Option<[f64; 2]> {
    let starts = std::iter::once(0.0).chain(cable.stretches.iter().map(|s| s.to));
    let ends = (cable.stretches.iter().map(|s| s.from)).chain([cable.length]);
    let rooms = starts.zip(ends).map(|(from, to)| [from, to]);
    let longest = rooms.max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])))?;
    (longest[1] - longest[0] > 0.05 * cable.length).then_some(longest)
}
