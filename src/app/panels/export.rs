//! The dialog of an export: which cables, which format, where to, and what the check of the written file found.

use std::path::{Path, PathBuf};

use egui::{ComboBox, RichText, ScrollArea, TextEdit, Ui};

use super::dialogs::{default_button, dialog};
use crate::app::action::Action;
use crate::app::choices::ExportOrder;
use crate::app::document::Document;
use crate::app::selection::{Selection, Thing};
use crate::app::theme;
use crate::exchange::arcs::SMALLEST_TOLERANCE;
use crate::exchange::{
    ArcLimits, Axes, Carries, ExportOptions, ExportReport, FileReport, Form, Format, LengthUnit,
};
use crate::progress::Progress;

/// What was chosen last, and what came of it.
#[allow(clippy::struct_excessive_bools)]
pub struct ExportDialog {
    open: bool,
    only_selected: bool,
    flexible_only: bool,
    format: Format,
    options: ExportOptions,
    path: String,
    /// The path is to be typed first; then Enter was pressed in it.
    fresh: bool,
    entered: bool,
    busy: bool,
    outcome: Option<Result<ExportReport, String>>,
}

impl Default for ExportDialog {
    fn default() -> Self {
        Self {
            open: false,
            only_selected: false,
            flexible_only: false,
            format: Format::Step,
            options: ExportOptions::default(),
            path: String::new(),
            fresh: false,
            entered: false,
            busy: false,
            outcome: None,
        }
    }
}

impl ExportDialog {
    /// Shows it, with a path beside the scene's file.
    pub fn open(&mut self, document: &Document, selection: &Selection) {
        self.open = true;
        self.fresh = true;
        self.outcome = None;
        self.only_selected = selection.cable().is_some();
        if self.path.is_empty() {
            let beside = document.path().map(|p| p.with_extension(""));
            let stem = beside.unwrap_or_else(|| PathBuf::from("routes"));
            let file = stem.with_extension(self.format.extension());
            self.path = file.display().to_string();
        }
    }

    /// Whether it is shown.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The system's dialog gave a path.
    pub fn set_path(&mut self, path: &Path) {
        self.path = path.display().to_string();
    }

    /// The export has ended.
    pub fn ended(&mut self, outcome: Result<ExportReport, String>) {
        self.busy = false;
        self.outcome = Some(outcome);
    }

    /// The window, while it is open; pushes what was asked for.
    pub fn show(
        &mut self,
        ctx: &egui::Context,
        document: &Document,
        selection: &Selection,
        progress: &Progress,
        actions: &mut Vec<Action>,
    ) {
        if !self.open {
            return;
        }
        let cables = self.cables(document, selection);
        let mut close = false;
        let modal = dialog(ctx, "export").show(ctx, |ui| {
            let room = ctx.content_rect().size();
            ui.set_width(520.0_f32.min(room.x - 60.0));
            ui.heading("Export routes to CAD");
            ScrollArea::vertical()
                .max_height((room.y - 170.0).max(120.0))
                .show(ui, |ui| {
                    self.choices(ui, selection, actions);
                    preview(ui, document, &cables);
                    self.result(ui);
                });
            ui.add_space(6.0);
            ui.horizontal(|ui| {
                let may = !cables.is_empty() && !self.path.trim().is_empty() && !self.busy;
                let pressed = default_button(ui, "Export", may);
                if (pressed || std::mem::take(&mut self.entered)) && may {
                    self.busy = true;
                    self.outcome = None;
                    actions.push(Action::Export(Box::new(ExportOrder {
                        cables: cables.clone(),
                        format: self.format,
                        path: self.full_path(),
                        flexible_only: self.flexible_only,
                        options: self.options.clone(),
                    })));
                }
                close = ui.button("Close").clicked();
                if self.busy {
                    let standing = progress.standing();
                    let bar = egui::ProgressBar::new(standing.fraction as f32);
                    ui.add(bar.desired_width(220.0).text(standing.phase));
                    if ui.button("Stop").clicked() {
                        progress.cancel();
                    }
                    ctx.request_repaint_after(std::time::Duration::from_millis(120));
                }
            });
        });
        if close || modal.should_close() {
            self.open = false;
        }
    }

    fn full_path(&self) -> PathBuf {
        let path = PathBuf::from(self.path.trim().trim_matches('"'));
        if path.extension().is_some() {
            path
        } else {
            path.with_extension(self.format.extension())
        }
    }

    /// The cables that would be exported.
    fn cables(&self, document: &Document, selection: &Selection) -> Vec<String> {
        let chosen = |k: usize| {
            selection.things().iter().any(|thing| match thing {
                Thing::Cable(cable) => *cable == k,
                Thing::Handle(id) => id.cable == k,
                Thing::Harness(h) => document.scene().harness_members(*h).cables.contains(&k),
                Thing::Junction(_) | Thing::Part(_) => false,
            })
        };
        (document.scene().cables.iter().enumerate())
            .filter(|(k, _)| !self.only_selected || chosen(*k))
            .map(|(_, cable)| cable.name.clone())
            .collect()
    }

    fn choices(&mut self, ui: &mut Ui, selection: &Selection, actions: &mut Vec<Action>) {
        egui::Grid::new("export")
            .num_columns(2)
            .spacing([12.0, 6.0])
            .show(ui, |ui| {
                ui.label("Cables");
                ui.horizontal(|ui| {
                    ui.radio_value(&mut self.only_selected, false, "all");
                    ui.add_enabled_ui(selection.cable().is_some(), |ui| {
                        ui.radio_value(&mut self.only_selected, true, "selected");
                    });
                });
                ui.end_row();

                let label = ui.label("Format");
                let before = self.format;
                ComboBox::from_id_salt("format of the export")
                    .width(240.0)
                    .selected_text(self.format.title())
                    .show_ui(ui, |ui| {
                        for format in Format::ALL {
                            ui.selectable_value(&mut self.format, format, format.title());
                        }
                    })
                    .response
                    .labelled_by(label.id);
                if self.format != before {
                    let path = PathBuf::from(&self.path);
                    let path = path.with_extension(self.format.extension());
                    self.path = path.display().to_string();
                    self.outcome = None;
                    if !self.format.holds_arcs() {
                        self.options.form = Form::Spline;
                    }
                }
                ui.end_row();

                if self.format.holds_arcs() {
                    self.form(ui);
                }
                self.space(ui);
                if self.format.carries() != Carries::Curve {
                    let label = ui.label("Chord error");
                    let mut error = self.options.chord_error.unwrap_or(0.01);
                    let value = egui::DragValue::new(&mut error)
                        .range(1e-4..=100.0)
                        .speed(0.001)
                        .suffix(" mm");
                    let response = ui.add(value).labelled_by(label.id);
                    if response.changed() {
                        self.options.chord_error = Some(error);
                    }
                    response.on_hover_text("How far points and triangles may be from the curve");
                    ui.end_row();
                }
                ui.label("Harness");
                ui.checkbox(&mut self.flexible_only, "Flexible segments only")
                    .on_hover_text(
                        "Otherwise whole segments from node to node, rigid and flexible pieces joined",
                    );
                ui.end_row();
                ui.label("Check report");
                ui.checkbox(
                    &mut self.options.certificate,
                    "write what the check found beside the file",
                );
                ui.end_row();

                let label = ui.label("File");
                ui.horizontal(|ui| {
                    let field = TextEdit::singleline(&mut self.path).desired_width(300.0);
                    let field = ui.add(field).labelled_by(label.id);
                    if std::mem::take(&mut self.fresh) {
                        field.request_focus();
                    }
                    self.entered =
                        field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
                    if ui.button("Browse ...").clicked() {
                        let file = self.full_path();
                        let name = file.file_name().map(|n| n.to_string_lossy().into_owned());
                        actions.push(Action::AskExport(name.unwrap_or_default(), self.format));
                    }
                });
                ui.end_row();
            });
    }

    /// A smooth spline, or lines and arcs with their limits.
    fn form(&mut self, ui: &mut Ui) {
        let form = &mut self.options.form;
        ui.label("Curves are");
        ui.horizontal(|ui| {
            ui.radio_value(form, Form::Spline, "smooth");
            let is_arcs = matches!(form, Form::LinesAndArcs(_));
            let tip = "Straight lines and circular arcs near the curve, as tube benders want them";
            if ui
                .radio(is_arcs, "lines and arcs")
                .on_hover_text(tip)
                .clicked()
                && !is_arcs
            {
                *form = Form::LinesAndArcs(ArcLimits::default());
            }
        });
        ui.end_row();
        let Form::LinesAndArcs(limits) = form else {
            return;
        };
        let numbers = [
            (
                "Tolerance",
                &mut limits.tolerance,
                SMALLEST_TOLERANCE,
                "How far lines and arcs may be from the curve",
            ),
            (
                "Smallest radius",
                &mut limits.smallest_radius,
                0.0,
                "No arc is sharper than that; a route that bends more sharply is refused with the place",
            ),
        ];
        for (name, value, least, tip) in numbers {
            let label = ui.label(name);
            let value = egui::DragValue::new(value)
                .range(least..=1e4)
                .speed(0.01)
                .suffix(" mm");
            ui.add(value).labelled_by(label.id).on_hover_text(tip);
            ui.end_row();
        }
    }

    /// Unit and axes.
    fn space(&mut self, ui: &mut Ui) {
        let label = ui.label("Unit");
        let options = &mut self.options;
        ComboBox::from_id_salt("unit of the export")
            .selected_text(options.unit.map_or("as imported", LengthUnit::symbol))
            .show_ui(ui, |ui| {
                ui.selectable_value(&mut options.unit, None, "as imported");
                for unit in LengthUnit::ALL {
                    ui.selectable_value(&mut options.unit, Some(unit), unit.symbol());
                }
            })
            .response
            .labelled_by(label.id);
        ui.end_row();
        let label = ui.label("Up");
        let name = |axes: Axes| match axes {
            Axes::ZUp => "Z",
            Axes::YUp => "Y",
        };
        ComboBox::from_id_salt("way up of the export")
            .selected_text(options.axes.map_or("as imported", name))
            .show_ui(ui, |ui| {
                ui.selectable_value(&mut options.axes, None, "as imported");
                for axes in [Axes::ZUp, Axes::YUp] {
                    ui.selectable_value(&mut options.axes, Some(axes), name(axes));
                }
            })
            .response
            .labelled_by(label.id);
        ui.end_row();
    }

    fn result(&self, ui: &mut Ui) {
        let palette = theme::palette(ui.ctx());
        match &self.outcome {
            None => {}
            Some(Err(error)) => {
                ui.add_space(6.0);
                ui.label(RichText::new(error).color(palette.bad));
            }
            Some(Ok(report)) => {
                ui.add_space(6.0);
                let color = if report.is_good() {
                    palette.good
                } else {
                    palette.warn
                };
                ui.label(RichText::new(report.summary()).color(color).strong());
                for file in &report.files {
                    show_file(ui, file);
                }
            }
        }
    }
}

/// Names and lengths of what would be exported.
fn preview(ui: &mut Ui, document: &Document, cables: &[String]) {
    ui.add_space(6.0);
    if cables.is_empty() {
        ui.weak("There is no cable to export: make a harness flexible, or add a cable.");
        return;
    }
    let total: f64 = (cables.iter())
        .filter_map(|name| document.scene().cable(name))
        .map(crate::scene::Cable::seat_to_seat)
        .sum();
    let words = match cables.len() {
        1 => format!("1 route, {total:.1} mm"),
        n => format!("{n} routes, {total:.1} mm in all"),
    };
    ui.label(RichText::new(words).strong());
    egui::Grid::new("routes")
        .num_columns(3)
        .striped(true)
        .spacing([16.0, 3.0])
        .show(ui, |ui| {
            for name in cables.iter().take(12) {
                let Some(cable) = document.scene().cable(name) else {
                    continue;
                };
                ui.label(name);
                ui.label(format!("{:.2} mm", cable.seat_to_seat()));
                ui.label(format!("diameter {:.1} mm", 2.0 * cable.radius));
                ui.end_row();
            }
        });
    if cables.len() > 12 {
        ui.weak(format!("and {} more", cables.len() - 12));
    }
}

/// What the check of one file found.
fn show_file(ui: &mut Ui, file: &FileReport) {
    let palette = theme::palette(ui.ctx());
    let path = file.path.display();
    let (text, color) = if file.geometry_good {
        let most = file.most_off_mm();
        let text = format!("File matches route, max. {most:.3} mm: {path}");
        (text, palette.good)
    } else {
        (format!("Check failed, kept as {path}"), palette.bad)
    };
    ui.label(RichText::new(text).color(color).strong());
    for problem in &file.problems {
        ui.label(RichText::new(problem).color(palette.bad));
    }
    for open in &file.open_findings {
        ui.label(RichText::new(&open.message).color(palette.warn));
    }
    for route in &file.routes {
        let length = route.length_mm.unwrap_or(route.cable_length_mm);
        let deviation = route.deviation_mm + route.fit_deviation_mm;
        ui.small(format!(
            "{}: {length:.3} mm in the file, cable {:.3} mm, at most {deviation:.4} mm apart",
            route.route, route.cable_length_mm
        ));
        for problem in &route.problems {
            ui.label(RichText::new(problem).color(palette.bad));
        }
        for warning in &route.warnings {
            let text = format!("{}: {warning}", route.route);
            ui.label(RichText::new(text).color(palette.warn));
        }
    }
}
