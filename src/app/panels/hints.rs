//! The five steps of the first start, each a button that begins it.

use egui::{RichText, Ui};

use crate::app::action::{Action, Pane, Select};
use crate::app::choices::ToolKind;
use crate::app::document::Document;
use crate::app::selection::{HandleId, Thing};

/// The strip.
pub fn show(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let handle = scene.cables.iter().position(|c| !c.handles.is_empty());
    let handle = handle.map(|cable| {
        let handle = scene.cables[cable].handles.len() - 1;
        Thing::Handle(HandleId { cable, handle })
    });
    let select = |thing: Option<Thing>| {
        let things = thing.into_iter().collect::<Vec<_>>();
        Action::Select(Select::Only(things))
    };
    let cable = (!scene.cables.is_empty()).then_some(Thing::Cable(0));
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("First steps").strong());
        for (name, tip, enabled, action) in [
            (
                "1 Import",
                "Open a harness and the parts around it: a file, or several, or drop them here",
                true,
                Action::AskOpen,
            ),
            (
                "2 Make flexible",
                "Click the harness, then the branch that is to become flexible, then Enter",
                !scene.parts.is_empty(),
                Action::Use(ToolKind::FLEXIBILISE),
            ),
            (
                "3 Drag",
                "Drag the ball at the end of a cable: the cable follows and stays clear of parts",
                handle.is_some(),
                select(handle),
            ),
            (
                "4 Length",
                "Change the length of the cable in the inspector on the right",
                cable.is_some(),
                select(cable),
            ),
            (
                "5 Export",
                "Write the route as a curve for your CAD program, read back and checked",
                cable.is_some(),
                Action::ShowExport,
            ),
        ] {
            let button = ui.add_enabled(enabled, egui::Button::new(name));
            if button
                .on_hover_text(tip)
                .on_disabled_hover_text(tip)
                .clicked()
            {
                actions.push(action);
            }
        }
        if ui.button("Got it").clicked() {
            actions.push(Action::TogglePane(Pane::Hints));
        }
    });
}
