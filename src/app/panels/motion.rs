//! Motion over time: what is let go swings, what has a path moves; it is recorded, and can be looked at again.

use std::path::Path;

use egui::{DragValue, Grid, ScrollArea, Ui};

use super::over;
use crate::app::action::Action;
use crate::app::choices::Purpose;
use crate::app::document::Document;
use crate::app::motion::{Motion, MotionOrder, Pace};
use crate::app::playback::{Playback, Source};
use crate::app::selection::{Selection, Thing};
use crate::app::theme;
use crate::scene::motion::{MotionOptions, StepLength};
use crate::scene::study::{StudyPath, WorstValues, worst_of};
use crate::scene::{Command, Scene};
use crate::solve::TimeRule;
use crate::text::three_digits;

/// A fixing that is let go when the motion begins: names of cable and fixing.
type Released = [String; 2];

/// The page.
pub struct Page {
    /// Length of a step, ms.
    step_ms: f64,
    second_order: bool,
    drag: f64,
    path: Option<(String, StudyPath)>,
    released: Vec<Released>,
    quantity: over::Quantity,
    /// The worst of each cable in so many samples.
    worst: (usize, Vec<WorstValues>),
}

impl Default for Page {
    fn default() -> Self {
        Self {
            step_ms: 5.0,
            second_order: false,
            drag: MotionOptions::default().drag,
            path: None,
            released: Vec::new(),
            quantity: over::Quantity::default(),
            worst: (0, Vec::new()),
        }
    }
}

impl Page {
    /// Takes a path over time that was read.
    pub fn take_path(&mut self, file: &Path, path: StudyPath) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        self.path = Some((name.into_owned(), path));
    }

    fn order(&self) -> MotionOrder {
        let released = self.released.iter().map(|[cable, handle]| {
            let (cable, handle) = (cable.clone(), handle.clone());
            Command::DeleteHandle { cable, handle }
        });
        MotionOrder {
            options: MotionOptions {
                length: StepLength::Fixed(1e-3 * self.step_ms),
                rule: if self.second_order {
                    TimeRule::SecondOrder
                } else {
                    TimeRule::Euler
                },
                drag: self.drag,
                damping: None,
            },
            path: self.path.as_ref().map(|(_, path)| path.clone()),
            released: released.collect(),
        }
    }

    /// What is set in motion on the left, what was seen on the right.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        selection: &Selection,
        (motion, playback): (Option<&Motion>, Option<&Playback>),
        actions: &mut Vec<Action>,
    ) {
        ui.columns(2, |columns| {
            let [left, right] = columns else { return };
            ScrollArea::both()
                .id_salt("what moves")
                .auto_shrink(false)
                .show(left, |ui| {
                    over::wrap_at_the_edge(ui);
                    self.settings(ui, document.scene(), selection, actions);
                    self.run(ui, motion, actions);
                });
            ScrollArea::both()
                .id_salt("what was seen")
                .auto_shrink(false)
                .show(right, |ui| {
                    over::wrap_at_the_edge(ui);
                    self.seen(ui, document, (motion, playback), actions);
                });
        });
    }

    fn settings(
        &mut self,
        ui: &mut Ui,
        scene: &Scene,
        selection: &Selection,
        actions: &mut Vec<Action>,
    ) {
        let number = |ui: &mut Ui, name: &str, field: DragValue<'_>, tip: &str| {
            let label = ui.label(name);
            ui.add(field).labelled_by(label.id).on_hover_text(tip);
        };
        ui.horizontal_wrapped(|ui| {
            let field = DragValue::new(&mut self.step_ms)
                .range(0.1..=50.0)
                .speed(0.1)
                .suffix(" ms");
            number(ui, "Time step", field, "Length of a step of time");
            let field = DragValue::new(&mut self.drag)
                .range(0.0..=1000.0)
                .speed(0.05)
                .suffix(" 1/s");
            let tip = "Force against the velocity of all mass, over mass and velocity; materials have their own damping beside it";
            number(ui, "Drag", field, tip);
            ui.checkbox(&mut self.second_order, "Second order")
                .on_hover_text("Keeps energy; the first order damps what is too fast for the steps");
        });
        ui.horizontal_wrapped(|ui| {
            let tip = "Key poses with times and sines, of parts and fixings, as loomwright simulate takes them";
            if ui.button("Open path over time ...").on_hover_text(tip).clicked() {
                actions.push(Action::AskRead(Purpose::MotionPath));
            }
            if let Some((name, _)) = &self.path {
                ui.label(name);
                if ui.small_button("Without path").clicked() {
                    self.path = None;
                }
            }
            let fixing = match selection.last() {
                Some(Thing::Handle(id)) => scene.cables.get(id.cable).and_then(|cable| {
                    let handle = cable.handles.get(id.handle)?.name.clone();
                    Some([cable.name.clone(), handle])
                }),
                _ => None,
            };
            let fixing = fixing.filter(|f| !self.released.contains(f));
            let button = egui::Button::new("Let the selected fixing go");
            let button = ui.add_enabled(fixing.is_some(), button);
            let tip = "When the motion begins, the fixing that is selected is taken away; in the document it stays";
            if button.on_hover_text(tip).clicked() {
                self.released.extend(fixing);
            }
        });
        let mut kept = None;
        for (k, [cable, handle]) in self.released.iter().enumerate() {
            ui.horizontal(|ui| {
                ui.label(format!("lets go: fixing {handle} of {cable}"));
                if ui
                    .small_button(format!("Keep {handle} of {cable}"))
                    .clicked()
                {
                    kept = Some(k);
                }
            });
        }
        if let Some(k) = kept {
            self.released.remove(k);
        }
    }

    /// Begins, pauses, steps and ends the motion, and says how fast it is.
    fn run(&self, ui: &mut Ui, motion: Option<&Motion>, actions: &mut Vec<Action>) {
        let alive = motion.filter(|m| m.is_alive());
        ui.horizontal_wrapped(|ui| {
            let begin = ui.button("Begin motion");
            let tip = "Sets a copy of the scene in motion from where it rests, and records it";
            if begin.on_hover_text(tip).clicked() {
                actions.push(Action::Move(Box::new(self.order())));
            }
            let pace = alive.map(Motion::pace);
            let runs = pace == Some(Pace::Run);
            let (name, next) = if runs {
                ("Pause motion", Pace::Pause)
            } else {
                ("Go on", Pace::Run)
            };
            for (name, next, tip) in [
                (name, next, "Time stands still, or goes on where it stood"),
                ("One step", Pace::Step, "20 ms more"),
                ("End motion", Pace::Stop, "What was recorded stays"),
            ] {
                let button = ui.add_enabled(alive.is_some(), egui::Button::new(name));
                if button.on_hover_text(tip).clicked() {
                    actions.push(Action::Pace(next));
                }
            }
        });
        let Some(motion) = motion else { return };
        let standing = motion.standing();
        let time = motion.recording.samples.last().map_or(0.0, |s| s.at);
        let factor = standing.factor.map_or_else(String::new, |factor| {
            format!(", the solver makes {} s a second", three_digits(factor))
        });
        ui.label(format!("{time:.2} s recorded{factor}"));
        let palette = theme::palette(ui.ctx());
        if standing.steps[1] > 0 {
            let words = format!(
                "{} of {} steps have no balance of forces",
                standing.steps[1], standing.steps[0]
            );
            ui.colored_label(palette.warn, words);
        }
        if let Some(why) = standing.ended.as_ref().filter(|why| !why.is_empty()) {
            ui.colored_label(palette.warn, why);
        }
    }

    fn seen(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        (motion, playback): (Option<&Motion>, Option<&Playback>),
        actions: &mut Vec<Action>,
    ) {
        let Some(motion) = motion.filter(|m| !m.recording.samples.is_empty()) else {
            ui.weak("Begin a motion: what happens over time comes here.");
            return;
        };
        let samples = &motion.recording.samples;
        let cables = motion.recording.cables();
        if self.worst.0 != samples.len() || self.worst.1.len() != cables.len() {
            let worst = (0..cables.len()).map(|k| worst_of(samples, k));
            self.worst = (samples.len(), worst.collect());
        }
        let grid = Grid::new("cables in motion").striped(true);
        grid.spacing([14.0, 3.0]).show(ui, |ui| {
            over::headings(ui, &[&["Cable"][..], &over::HEADINGS[..]].concat());
            for (name, worst) in cables.iter().zip(&self.worst.1) {
                ui.label(name);
                over::worst_cells(ui, worst, (Source::Motion, samples), actions);
                ui.end_row();
            }
        });
        for hit in &motion.standing().hits {
            ui.weak(hit);
        }
        let recording = (Source::Motion, &motion.recording);
        over::plot(
            ui,
            document,
            recording,
            &mut self.quantity,
            playback,
            actions,
        );
    }
}
