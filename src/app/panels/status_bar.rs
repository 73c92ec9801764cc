//! The line at the bottom: the solver in words, its figures, what the mouse does now.

use std::sync::Arc;

use egui::{Align, Label, Layout, RichText, Ui};

use crate::app::action::Action;
use crate::app::status::{self, Situation, Tone, Violations};
use crate::app::theme;
use crate::scene::{CableReport, Scene, StartGroup};

/// What the bar shows.
pub struct StatusBar<'a> {
    /// The document's scene.
    pub scene: &'a Scene,
    /// What the solver last said.
    pub reports: &'a [Arc<CableReport>],
    /// What starts in contact.
    pub starts: &'a [StartGroup],
    /// Dragging, solving, paused, collisions off.
    pub situation: Situation<'a>,
    /// How far the selected cable is from where it came.
    pub moved: Option<String>,
    /// What the mouse does now, or what is going on in the background.
    pub hint: &'a str,
    /// Name of what is under the cursor.
    pub under: Option<String>,
}

impl StatusBar<'_> {
    /// Two rows: state and figures, then hints and the name of what is under the cursor.
    pub fn show(&self, ui: &mut Ui, actions: &mut Vec<Action>) {
        let palette = theme::palette(ui.ctx());
        ui.horizontal(|ui| {
            let violations = Violations::of(self.scene, self.reports, self.starts);
            let (words, tone) = status::state(self.scene, self.reports, violations, self.situation);
            let color_of = |tone: Tone| match tone {
                Tone::Good => palette.good,
                Tone::Neutral => palette.weak,
                Tone::Warn => palette.warn,
                Tone::Bad => palette.bad,
            };
            let color = color_of(tone);
            let (dot, _) = ui.allocate_exact_size(egui::vec2(10.0, 16.0), egui::Sense::hover());
            ui.painter().circle_filled(dot.center(), 4.5, color);
            let mut figures = status::figures(self.scene, self.reports);
            figures.extend(self.moved.clone());
            let figures = figures.join("   |   ");
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(RichText::new(figures).color(palette.weak));
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    if let Some((count, tone)) = violations.in_words() {
                        let link = ui.link(RichText::new(count).color(color_of(tone)).strong());
                        if link.on_hover_text("Lists them").clicked() {
                            actions.push(Action::ShowViolations);
                        }
                    }
                    ui.add(Label::new(RichText::new(words).color(color).strong()).truncate());
                });
            });
        });
        ui.horizontal(|ui| {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if let Some(name) = &self.under {
                    ui.label(RichText::new(name).small());
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let hint = RichText::new(self.hint).small().color(palette.weak);
                    ui.add(Label::new(hint).truncate());
                });
            });
        });
    }
}
