//! A junction in the inspector.

use egui::Ui;

use super::handle::pose_rows;
use super::{field, title};
use crate::app::action::{Action, HandleId, Select};
use crate::app::document::Document;
use crate::app::selection::Thing;

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
