//! Small windows that only tell something: the shortcuts, and what this program is.

use egui::{RichText, ScrollArea, Ui};

use super::dialogs::{default_button, dialog};
use super::shortcuts;
use crate::app::action::Sheet;

/// The sheet that is open, until it is closed.
pub fn show(ctx: &egui::Context, open: &mut Option<Sheet>) {
    let Some(sheet) = *open else { return };
    let mut close = false;
    let modal = dialog(ctx, "sheet").show(ctx, |ui| {
        ui.set_width(420.0_f32.min(ui.ctx().content_rect().width() - 60.0));
        match sheet {
            Sheet::Shortcuts => shortcuts(ui),
            Sheet::About => about(ui),
        }
        ui.add_space(8.0);
        close = default_button(ui, "Close", true);
    });
    if close || modal.should_close() {
        *open = None;
    }
}

fn shortcuts(ui: &mut Ui) {
    ui.heading("Keyboard and mouse");
    let height = (ui.ctx().content_rect().height() - 160.0).max(120.0);
    ScrollArea::vertical().max_height(height).show(ui, |ui| {
        for (name, rows) in shortcuts::listed(ui.ctx()) {
            ui.add_space(8.0);
            ui.label(RichText::new(name).strong());
            egui::Grid::new(name)
                .num_columns(2)
                .striped(true)
                .min_col_width(120.0)
                .spacing([24.0, 4.0])
                .show(ui, |ui| {
                    for (keys, words) in rows {
                        ui.label(RichText::new(keys).strong());
                        ui.label(words);
                        ui.end_row();
                    }
                });
        }
    });
}

fn about(ui: &mut Ui) {
    ui.heading("Loomwright");
    ui.label(format!("Version {}", env!("CARGO_PKG_VERSION")));
    ui.label(env!("CARGO_PKG_DESCRIPTION"));
    ui.add_space(6.0);
    ui.label("Licence: MIT or Apache 2.0, as you choose. The texts come with the program, in LICENSE-MIT and LICENSE-APACHE.");
    ui.add_space(6.0);
    ui.label(RichText::new("Made with").strong());
    for (name, licence) in [
        ("egui and eframe", "MIT or Apache 2.0"),
        ("three-d", "MIT"),
        ("nalgebra", "Apache 2.0"),
        ("parry", "Apache 2.0"),
        ("serde, clap, thiserror, anyhow", "MIT or Apache 2.0"),
        ("rfd, tempfile, sha2", "MIT or Apache 2.0"),
        ("Ubuntu font", "Ubuntu Font Licence"),
    ] {
        ui.label(RichText::new(format!("{name}: {licence}")).small());
    }
}
