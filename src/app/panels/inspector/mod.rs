//! The right panel: what is selected, with every number to change.

mod bend;
mod cable;
mod common;
pub mod expression;
mod field;
pub mod fit;
mod handle;
mod harness;
mod hose;
mod junction;
mod part;
mod scene;
mod section;
mod several;
mod spans;
mod stretches;

pub use part::ROLES;

use egui::{RichText, ScrollArea, Ui};

use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::selection::{Selection, Thing};
use crate::app::theme;

/// The panel.
pub fn show(ui: &mut Ui, document: &Document, selection: &Selection, actions: &mut Vec<Action>) {
    // What is too wide is scrolled: the panel keeps the width that it was given, whatever is selected.
    let width = ui.available_width() - theme::BAR;
    ScrollArea::both()
        .id_salt("inspector")
        .auto_shrink(false)
        .show(ui, |ui| {
            ui.add_space(4.0);
            ui.set_max_width(width);
            let scene = document.scene();
            match selection.things() {
                [] => scene::show(ui, document, actions),
                [one] if one.name(scene).is_some() => match *one {
                    Thing::Cable(k) => cable::show(ui, document, k, actions),
                    Thing::Handle(id) => handle::show(ui, document, id, actions),
                    Thing::Part(k) => part::show(ui, document, k, actions),
                    Thing::Junction(k) => junction::show(ui, document, k, actions),
                    Thing::Harness(k) => harness::show(ui, document, k, actions),
                },
                _ => several::show(ui, document, selection, actions),
            }
            ui.add_space(8.0);
        });
}

/// The title of the panel.
fn title(ui: &mut Ui, kind: &str, name: &str) {
    ui.label(RichText::new(kind).small().weak());
    ui.add(egui::Label::new(RichText::new(name).heading()).truncate());
    ui.add_space(4.0);
}
