//! The bar below the view while something recorded is shown: forward, back, and a slider.

use egui::{RichText, Slider, Ui};

use crate::app::action::Action;
use crate::app::playback::{Playback, PlaybackOrder, Recording, Source};
use crate::app::theme;

/// Where a sample is, in words.
pub fn place(source: Source, recording: &Recording, at: usize) -> String {
    let Some(sample) = recording.samples.get(at) else {
        return String::new();
    };
    match source {
        Source::Study => format!("{:.0} % of the path, {}", 100.0 * sample.at, sample.pose),
        Source::Motion => format!("{:.2} s", sample.at),
    }
}

/// The bar.
pub fn show(
    ui: &mut Ui,
    playback: &Playback,
    recording: &Recording,
    fits: bool,
    actions: &mut Vec<Action>,
) {
    let source = playback.source;
    let last = recording.samples.len().saturating_sub(1);
    ui.horizontal_wrapped(|ui| {
        let orders = [
            ("Play back", PlaybackOrder::Back(source)),
            ("Pause playback", PlaybackOrder::Pause),
            ("Play forward", PlaybackOrder::Forward(source)),
            ("One sample back", PlaybackOrder::Step(-1)),
            ("One sample forward", PlaybackOrder::Step(1)),
        ];
        for (name, order) in orders {
            if ui.add_enabled(fits, egui::Button::new(name)).clicked() {
                actions.push(Action::Playback(order));
            }
        }
        let mut at = playback.at.min(last);
        // As long as the rest of its line, or on a line of its own where that is too little.
        let rest = ui.available_size_before_wrap().x - 16.0;
        ui.spacing_mut().slider_width = if rest < 120.0 { 300.0 } else { rest.min(700.0) };
        let slider = Slider::new(&mut at, 0..=last).show_value(false);
        let slider = ui.add_enabled(fits, slider);
        slider.widget_info(|| {
            egui::WidgetInfo::slider(fits, playback.at as f64, "Place of the playback")
        });
        let tip = "The scene as it is there; the document stays as it is";
        if slider.on_hover_text(tip).changed() {
            actions.push(Action::Playback(PlaybackOrder::GoTo(source, at)));
        }
        if fits {
            ui.label(RichText::new(place(source, recording, at)).strong());
        } else {
            let words = "The scene has other cables or parts now: run it again.";
            ui.colored_label(theme::palette(ui.ctx()).warn, words);
        }
        let label = ui.label("Speed");
        let mut speed = playback.speed;
        let field = egui::DragValue::new(&mut speed)
            .range(0.05..=20.0)
            .speed(0.02)
            .max_decimals(2)
            .suffix(" times");
        let field = ui.add(field).labelled_by(label.id);
        if field.on_hover_text("How fast it is played").changed() {
            actions.push(Action::Playback(PlaybackOrder::Speed(speed)));
        }
        let close = ui.button("Back to the scene");
        if close
            .on_hover_text("Ends the playback: the view shows the document again")
            .clicked()
        {
            actions.push(Action::Playback(PlaybackOrder::Close));
        }
    });
}
