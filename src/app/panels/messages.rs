//! The bar for what went wrong: shown where the user looks until dismissed.

use egui::{Color32, Frame, Margin, RichText, Stroke, Ui};

use crate::app::theme;

/// How many messages are kept; older ones give way.
const MAX_MESSAGES: usize = 6;

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Something failed.
    Error,
    /// It worked, but look at this.
    Warning,
}

/// Messages that were not dismissed yet.
#[derive(Default)]
pub struct Messages {
    all: Vec<Message>,
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

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The bar.
    pub fn show(&mut self, ui: &mut Ui) {
        let mut dismissed = None;
        for (i, message) in self.all.iter().enumerate() {
            let (ink, fill, word) = match message.level {
                Level::Error => (theme::BAD, Color32::from_rgb(0xfb, 0xec, 0xec), "Error"),
                Level::Warning => (theme::WARN, Color32::from_rgb(0xfd, 0xf4, 0xe0), "Note"),
            };
            let frame = Frame::new()
                .fill(fill)
                .stroke(Stroke::new(1.0, ink.gamma_multiply(0.35)))
                .inner_margin(Margin::symmetric(10, 5));
            frame.show(ui, |ui| {
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if ui.button("Dismiss").clicked() {
                        dismissed = Some(i);
                    }
                    ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                        ui.label(RichText::new(word).color(ink).strong());
                        let times = match message.count {
                            1 => String::new(),
                            n => format!("  ({n} times)"),
                        };
                        let text = format!("{}{times}", message.text);
                        ui.add(egui::Label::new(text).wrap());
                    });
                });
            });
        }
        if let Some(i) = dismissed {
            self.all.remove(i);
        }
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
    }
}
