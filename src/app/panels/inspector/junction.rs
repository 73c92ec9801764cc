//! A junction in the inspector.

use egui::Ui;

use super::handle::pose_rows;
use super::{field, title};
use crate::app::action::{Action, Select};
use crate::app::document::Document;
use crate::app::selection::{HandleId, Thing};
use crate::scene::{Command, HandleKind, Junction, Scene};

/// The panel of the junction of that number.
pub fn show(ui: &mut Ui, document: &Document, number: usize, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let junction = &scene.junctions[number];
    let thing = Thing::Junction(number);
    title(ui, "Junction", &junction.name);
    field::grid(ui, "junction", |ui| {
        field::name(ui, &junction.name, actions, |to| {
            thing.rename_command(scene, to)
        });
        pose_rows(ui, &junction.pose, actions, |pose, position| {
            thing.move_command(scene, pose, position, !position)
        });
        place_rows(ui, scene, junction, actions);
    });
    field::heading(ui, "Cables that meet here");
    for end in &junction.ends {
        let words = format!("{} ({})", end.cable, end.handle);
        if ui.link(words).clicked() {
            let cable = scene.cables.iter().position(|c| c.name == end.cable);
            let handle = cable.and_then(|k| {
                let handles = &scene.cables[k].handles;
                handles.iter().position(|h| h.name == end.handle)
            });
            if let (Some(cable), Some(handle)) = (cable, handle) {
                let thing = Thing::Handle(HandleId { cable, handle });
                actions.push(Action::Select(Select::Only(vec![thing])));
            }
        }
    }
    ui.add_space(8.0);
    let delete = ui.button("Disconnect");
    if delete
        .on_hover_text("The ends of its cables can be moved one by one then")
        .clicked()
    {
        actions.push(Action::DeleteSelected);
    }
}

/// How the junction is held, how it holds its branches, and what hangs there.
fn place_rows(ui: &mut Ui, scene: &Scene, junction: &Junction, actions: &mut Vec<Action>) {
    let change = |free: Option<bool>, branches_turn: Option<bool>, mass_kg: Option<f64>| {
        Command::ChangeJunction {
            junction: junction.name.clone(),
            free,
            branches_turn,
            mass_kg,
        }
    };
    ui.label("Place");
    let mut free = junction.free;
    let check = ui.checkbox(&mut free, "finds its own");
    let tip = "Follows when a branch is pulled. Otherwise it moves only when it is dragged; dragging holds it.";
    if check.on_hover_text(tip).changed() {
        actions.push(Action::Edit(change(Some(free), None, None)));
    }
    ui.end_row();
    ui.label("Branches");
    let mut turn = junction.ends.iter().all(|end| {
        let handle = (scene.cable(&end.cable)).and_then(|c| c.handle(&end.handle));
        handle.is_some_and(|h| h.kind == HandleKind::Position)
    });
    let check = ui.checkbox(&mut turn, "turn freely");
    let tip = "As in a tie. Otherwise they keep their angles to each other.";
    if check.on_hover_text(tip).changed() {
        actions.push(Action::Edit(change(None, Some(turn), None)));
    }
    ui.end_row();
    let mass = field::Number {
        label: "Mass",
        unit: " g",
        range: (0.0, 1e6),
        speed: 1.0,
        decimals: 1,
        tip: "Of what hangs there beside its cables: a connector",
    };
    mass.show(ui, 1e3 * junction.mass_kg, actions, |grams| {
        Some(change(None, None, Some(1e-3 * grams)))
    });
}
