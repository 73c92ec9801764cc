//! The bar for what went wrong: shown where the user looks until dismissed.

use std::time::{Duration, Instant};

use egui::{Frame, Margin, RichText, Stroke, Ui};

use crate::app::theme;

/// How many messages are kept; older ones give way.
const MAX_MESSAGES: usize = 6;

/// How many lines the log keeps.
const MAX_LOG: usize = 500;

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Something failed.
    Error,
    /// It worked.
    Done,
    /// It worked, but look at this.
    Warning,
    /// The solver says this of the scene as it is now.
    Solver,
}

/// Messages that were not dismissed yet.
#[derive(Default)]
pub struct Messages {
    all: Vec<Message>,
    /// Everything that was said, with the time since the start.
    log: Vec<(Duration, String)>,
    started: Option<Instant>,
}

struct Message {
    level: Level,
    text: String,
    count: usize,
}

impl Messages {
    /// Adds a message; the same one again is counted, not repeated.
    pub fn push(&mut self, level: Level, text: impl Into<String>) {
        let text = text.into();
        self.log_only(text.clone());
        if let Some(known) = self.all.iter_mut().find(|m| m.text == text) {
            known.count += 1;
            return;
        }
        self.all.push(Message {
            level,
            text,
            count: 1,
        });
        if self.all.len() > MAX_MESSAGES {
            self.all.remove(0);
        }
    }

    /// Only for the log.
    pub fn log_only(&mut self, text: String) {
        let started = *self.started.get_or_insert_with(Instant::now);
        if self.log.last().is_none_or(|(_, last)| *last != text) {
            self.log.push((started.elapsed(), text));
        }
        if self.log.len() > MAX_LOG {
            self.log.remove(0);
        }
    }

    /// Everything that was said, with the time since the first.
    pub fn log(&self) -> &[(Duration, String)] {
        &self.log
    }

    /// The scene was exchanged: what the solver said of the old one no longer counts.
    pub fn forget_solver(&mut self) {
        self.all.retain(|m| m.level != Level::Solver);
    }

    /// Something else begins: what was said before is in the log.
    pub fn forget_all(&mut self) {
        self.all.clear();
    }

    /// The messages over the top of the view: they come and go without moving what is under the mouse.
    pub fn show(&mut self, ctx: &egui::Context, view: egui::Rect) {
        if self.all.is_empty() {
            return;
        }
        let mut dismissed = None;
        let width = (view.width() - 24.0).clamp(100.0, 900.0);
        let corner = egui::pos2(view.center().x - 0.5 * width, view.top() + 8.0);
        egui::Area::new(egui::Id::unique("messages"))
            .fixed_pos(corner)
            .show(ctx, |ui| {
                for (i, message) in self.all.iter().enumerate() {
                    if message.show(ui, width) {
                        dismissed = Some(i);
                    }
                }
            });
        if let Some(i) = dismissed {
            self.all.remove(i);
        }
    }
}

impl Message {
    /// Its box; says whether it was dismissed.
    fn show(&self, ui: &mut Ui, width: f32) -> bool {
        let palette = theme::palette(ui.ctx());
        let (ink, fill, word) = match self.level {
            Level::Error => (palette.bad, palette.bad_fill, "Error"),
            Level::Done => (palette.good, palette.plate, "Done"),
            Level::Warning => (palette.warn, palette.warn_fill, "Note"),
            Level::Solver => (palette.bad, palette.bad_fill, "Solver"),
        };
        let times = match self.count {
            1 => String::new(),
            n => format!("  ({n} times)"),
        };
        let frame = Frame::new()
            .fill(fill)
            .stroke(Stroke::new(1.0, ink.gamma_multiply(0.5)))
            .corner_radius(4)
            .inner_margin(Margin::symmetric(10, 6));
        let shown = frame.show(ui, |ui| {
            ui.set_width(width - 22.0);
            egui::Sides::new()
                .shrink_left()
                .wrap_mode(egui::TextWrapMode::Wrap)
                .show(
                    ui,
                    |ui| {
                        ui.label(RichText::new(word).color(ink).strong());
                        ui.label(format!("{}{times}", self.text));
                    },
                    |ui| ui.button("Dismiss").clicked(),
                )
                .1
        });
        shown.inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_message_is_counted() {
        let mut messages = Messages::default();
        messages.push(Level::Error, "no");
        messages.push(Level::Error, "no");
        messages.push(Level::Warning, "hm");
        assert_eq!(messages.all.len(), 2);
        assert_eq!(messages.all[0].count, 2);
        for i in 0..20 {
            messages.push(Level::Error, format!("{i}"));
        }
        assert_eq!(messages.all.len(), MAX_MESSAGES);
        messages.push(Level::Solver, "stuck");
        messages.forget_solver();
        assert_eq!(messages.all.len(), MAX_MESSAGES - 1);
    }
}
