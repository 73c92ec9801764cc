//! The dialog of an import: what the parts are, and what the files do not say.

use std::path::PathBuf;

use egui::{ComboBox, Ui};

use super::dialogs::{default_button, dialog};
use super::inspector::ROLES;
use crate::app::action::Action;
use crate::app::files::ImportChoice;
use crate::mesh::import::{Unit, UpAxis};

/// Files that wait to be imported.
#[derive(Default)]
pub struct ImportDialog {
    paths: Vec<PathBuf>,
    choice: ImportChoice,
}

impl ImportDialog {
    /// Asks how these files are to be read.
    pub fn open(&mut self, paths: Vec<PathBuf>) {
        self.paths.extend(paths);
    }

    /// Whether it is shown.
    pub fn is_open(&self) -> bool {
        !self.paths.is_empty()
    }

    /// The window, while it is open; pushes what was chosen.
    pub fn show(&mut self, ctx: &egui::Context, actions: &mut Vec<Action>) {
        if !self.is_open() {
            return;
        }
        let (mut done, mut go) = (false, false);
        let modal = dialog(ctx, "import").show(ctx, |ui| {
            ui.set_width(380.0_f32.min(ctx.content_rect().width() - 60.0));
            ui.heading("Import");
            for path in &self.paths {
                let name = path.file_name().map(|n| n.to_string_lossy());
                ui.label(name.unwrap_or_default())
                    .on_hover_text(path.display().to_string());
            }
            ui.add_space(4.0);
            self.choices(ui);
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                go = default_button(ui, "Import", true);
                done = ui.button("Cancel").clicked();
            });
        });
        if go {
            let paths = std::mem::take(&mut self.paths);
            actions.push(Action::Import(paths, self.choice.clone()));
        }
        if done || modal.should_close() {
            self.paths.clear();
        }
    }

    fn choices(&mut self, ui: &mut Ui) {
        egui::Grid::new("import")
            .num_columns(2)
            .spacing([12.0, 6.0])
            .show(ui, |ui| {
                let label = ui.label("Parts are");
                let now = ROLES.iter().find(|(r, _, _)| *r == self.choice.role);
                ComboBox::from_id_salt("role of the import")
                    .selected_text(now.map_or("", |(_, name, _)| name))
                    .show_ui(ui, |ui| {
                        for (role, name, tip) in ROLES {
                            ui.selectable_value(&mut self.choice.role, role, name)
                                .on_hover_text(tip);
                        }
                    })
                    .response
                    .labelled_by(label.id);
                ui.end_row();

                let options = &mut self.choice.options;
                let label = ui.label("Unit");
                let as_is = "as the file says, else mm";
                ComboBox::from_id_salt("unit of the import")
                    .selected_text(options.units.map_or(as_is, Unit::symbol))
                    .show_ui(ui, |ui| {
                        ui.selectable_value(&mut options.units, None, as_is);
                        for unit in Unit::ALL {
                            ui.selectable_value(&mut options.units, Some(unit), unit.symbol());
                        }
                    })
                    .response
                    .labelled_by(label.id);
                ui.end_row();

                let label = ui.label("Up");
                let as_is = "as the file says, else Z";
                let name = |up: UpAxis| match up {
                    UpAxis::Y => "Y",
                    UpAxis::Z => "Z",
                };
                ComboBox::from_id_salt("way up of the import")
                    .selected_text(options.up.map_or(as_is, name))
                    .show_ui(ui, |ui| {
                        ui.selectable_value(&mut options.up, None, as_is);
                        for up in [UpAxis::Z, UpAxis::Y] {
                            ui.selectable_value(&mut options.up, Some(up), name(up));
                        }
                    })
                    .response
                    .labelled_by(label.id);
                ui.end_row();

                ui.label("Pieces");
                ui.checkbox(
                    &mut options.split_components,
                    "each piece is a part of its own",
                );
                ui.end_row();
            });
    }
}
