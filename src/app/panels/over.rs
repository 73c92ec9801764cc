//! Values of the cables over a recording: the worst of each with its place, and plots. A click shows that place.

use egui::{ComboBox, RichText, Ui};
use egui_plot::{Legend, Line, Plot, PlotPoints, VLine};

use crate::app::action::Action;
use crate::app::choices::Purpose;
use crate::app::document::Document;
use crate::app::playback::{Playback, PlaybackOrder, Recording, Source};
use crate::app::theme;
use crate::scene::study::{CableSample, Sample, Worst, WorstValues};
use crate::text::three_digits;

/// What a plot over a recording shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quantity {
    /// The smallest bend radius.
    BendRadius,
    /// The largest tension.
    #[default]
    Tension,
    /// The largest side force.
    SideForce,
    /// The smallest clearance.
    Clearance,
}

impl Quantity {
    const ALL: [Self; 4] = [
        Self::BendRadius,
        Self::Tension,
        Self::SideForce,
        Self::Clearance,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::BendRadius => "Smallest bend radius",
            Self::Tension => "Largest tension",
            Self::SideForce => "Largest side force",
            Self::Clearance => "Smallest clearance",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::BendRadius | Self::Clearance => "mm",
            Self::Tension | Self::SideForce => "N",
        }
    }

    fn of(self, cable: &CableSample) -> Option<f64> {
        let value = match self {
            Self::BendRadius => cable.bend_radius,
            Self::Tension => cable.tension,
            Self::SideForce => cable.side_force,
            Self::Clearance => cable.clearance.as_ref()?.0,
        };
        value.is_finite().then_some(value)
    }
}

/// Height of a plot, points: the page scrolls.
const PLOT_HEIGHT: f32 = 170.0;

/// Headings of [`worst_cells`].
pub const HEADINGS: [&str; 5] = [
    "Smallest bend radius",
    "Largest tension",
    "Largest side force",
    "Smallest clearance",
    "First contact",
];

/// The worst values of a cable, a cell each.
pub fn worst_cells(
    ui: &mut Ui,
    worst: &WorstValues,
    (source, samples): (Source, &[Sample]),
    actions: &mut Vec<Action>,
) {
    let cells = [
        (&worst.bend_radius, "mm"),
        (&worst.tension, "N"),
        (&worst.side_force, "N"),
        (&worst.clearance, "mm"),
        (&worst.first_contact, ""),
    ];
    for (value, unit) in cells {
        let Some(value) = value else {
            ui.weak("none");
            continue;
        };
        let place = place_of(value, source);
        let to = value.to.as_deref().unwrap_or_default();
        let words = match unit {
            "" => format!("{to} {place}"),
            unit => format!("{} {unit} {place}", three_digits(value.value)),
        };
        let tip = match (value.pose.as_str(), to) {
            ("", "") => "Shows it".to_owned(),
            ("", to) => format!("To {to}. A click shows it."),
            (pose, "") => format!("On the way to {pose}. A click shows it."),
            (pose, to) => format!("To {to}, on the way to {pose}. A click shows it."),
        };
        if ui.link(words).on_hover_text(tip).clicked() {
            let order = PlaybackOrder::GoTo(source, nearest(samples, value));
            actions.push(Action::Playback(order));
        }
    }
}

/// Where a value is: in a pose or on the way to it, or when.
fn place_of(worst: &Worst, source: Source) -> String {
    match source {
        Source::Study if worst.pose.is_empty() => format!("at {:.0} %", 100.0 * worst.at),
        Source::Study if worst.at == 0.0 => worst.pose.clone(),
        Source::Study if worst.at == 1.0 => format!("in {}", worst.pose),
        Source::Study => format!("at {:.0} %, to {}", 100.0 * worst.at, worst.pose),
        Source::Motion => format!("at {:.2} s", worst.at),
    }
}

/// The sample at which a cable is at its worst.
fn nearest(samples: &[Sample], worst: &Worst) -> usize {
    let off = |s: &Sample| {
        let elsewhere = if s.pose == worst.pose { 0.0 } else { 1e9 };
        elsewhere + (s.at - worst.at).abs()
    };
    let all = samples.iter().enumerate();
    let found = all.min_by(|a, b| off(a.1).total_cmp(&off(b.1)));
    found.map_or(0, |(k, _)| k)
}

/// Where samples are on the axis of a plot: percent of a path, seconds, or numbers where a table of cases begins anew.
fn places(source: Source, samples: &[Sample]) -> (Vec<f64>, &'static str) {
    let at = samples.iter().map(|s| s.at);
    match source {
        Source::Motion => (at.collect(), "time, s"),
        Source::Study if samples.windows(2).all(|p| p[1].at >= p[0].at) => {
            (at.map(|at| 100.0 * at).collect(), "% of the path")
        }
        Source::Study => ((0..samples.len()).map(|k| k as f64).collect(), "sample"),
    }
}

/// The choice of what is plotted, the swept envelope, and the plot; a click in it shows that place.
pub fn plot(
    ui: &mut Ui,
    document: &Document,
    (source, recording): (Source, &Recording),
    quantity: &mut Quantity,
    playback: Option<&Playback>,
    actions: &mut Vec<Action>,
) {
    ui.horizontal_wrapped(|ui| {
        let chosen = ComboBox::from_id_salt(("over", source == Source::Study))
            .selected_text(quantity.name())
            .width(170.0);
        let chosen = chosen.show_ui(ui, |ui| {
            for one in Quantity::ALL {
                ui.selectable_value(quantity, one, one.name());
            }
        });
        chosen
            .response
            .on_hover_text("What is plotted over the recording");
        let tip = "The room that the cables sweep over all of it, see-through in the view";
        if ui
            .button("Show swept envelopes")
            .on_hover_text(tip)
            .clicked()
        {
            actions.push(Action::ShowEnvelopes(source));
        }
        let tip = "As a mesh for CAD: .stl in mm, or .glb with a node for each cable";
        if ui
            .button("Save swept envelopes ...")
            .on_hover_text(tip)
            .clicked()
        {
            actions.push(Action::AskWrite(Purpose::Envelopes(source)));
        }
    });
    let (places, axis) = places(source, &recording.samples);
    let shown = Plot::new(("over a recording", source == Source::Study))
        .legend(Legend::default())
        .x_axis_label(axis)
        .y_axis_label(quantity.unit())
        .include_y(0.0)
        .allow_scroll(false)
        .width((ui.clip_rect().width() - 24.0).max(200.0))
        .height(PLOT_HEIGHT)
        .show(ui, |ui| {
            for (k, name) in recording.cables().iter().enumerate() {
                let values = recording.samples.iter().zip(&places);
                let points: Vec<[f64; 2]> = values
                    .filter_map(|(s, x)| Some([*x, quantity.of(s.cables.get(k)?)?]))
                    .collect();
                let color = theme::cable_color(document.scene(), k);
                let line = Line::new(name, PlotPoints::from(points));
                ui.line(line.color(color).width(1.6));
            }
            let at = playback.filter(|p| p.source == source).map(|p| p.at);
            if let Some(x) = at.and_then(|at| places.get(at)) {
                let color = theme::palette(ui.ctx()).accent;
                ui.vline(VLine::new("shown", *x).color(color));
            }
            ui.pointer_coordinate().map(|p| p.x)
        });
    if shown.response.clicked()
        && let Some(x) = shown.inner
    {
        let off = |k: &usize| (places[*k] - x).abs();
        let near = (0..places.len()).min_by(|a, b| off(a).total_cmp(&off(b)));
        let order = near.map(|k| PlaybackOrder::GoTo(source, k));
        actions.extend(order.map(Action::Playback));
    }
}

/// What wraps on a page that scrolls both ways wraps at what is seen of it.
pub fn wrap_at_the_edge(ui: &mut Ui) {
    ui.set_max_width((ui.clip_rect().width() - 8.0).max(120.0));
}

/// A row of headings.
pub fn headings(ui: &mut Ui, all: &[&str]) {
    for head in all {
        ui.label(RichText::new(*head).small().strong());
    }
    ui.end_row();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: f64, pose: &str) -> Sample {
        Sample {
            at,
            pose: pose.to_owned(),
            cables: Vec::new(),
            parts: Vec::new(),
        }
    }

    #[test]
    fn a_worst_value_names_its_pose() {
        let worst = |at: f64, pose: &str| Worst {
            value: 3.0,
            at,
            pose: pose.to_owned(),
            to: None,
        };
        let words = |at, pose| place_of(&worst(at, pose), Source::Study);
        assert_eq!(words(1.0, "case 7"), "in case 7");
        assert_eq!(words(0.0, "installed"), "installed");
        assert_eq!(words(0.42, "out"), "at 42 %, to out");
        assert_eq!(place_of(&worst(0.5, ""), Source::Motion), "at 0.50 s");
    }

    #[test]
    fn of_load_cases_the_place_of_the_named_one_is_shown() {
        let samples = [sample(0.0, "a"), sample(1.0, "a"), sample(1.0, "b")];
        let worst = |pose: &str| Worst {
            value: 1.0,
            at: 1.0,
            pose: pose.to_owned(),
            to: None,
        };
        assert_eq!(nearest(&samples, &worst("a")), 1);
        assert_eq!(nearest(&samples, &worst("b")), 2);
        assert_eq!(places(Source::Study, &samples).0, [0.0, 100.0, 100.0]);
        let cases = [sample(0.0, "a"), sample(1.0, "a"), sample(0.5, "b")];
        assert_eq!(places(Source::Study, &cases).0, [0.0, 1.0, 2.0]);
    }
}
