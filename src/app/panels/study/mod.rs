//! The assembly study: a path of the selected part is recorded and played with its cables; what limits it, what it needs.

mod steps;

use egui::{CollapsingHeader, Grid, RichText, ScrollArea, Ui};

use super::over;
use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::playback::{Playback, PlaybackOrder, Recording, Source};
use crate::app::selection::Selection;
use crate::app::theme;
use crate::scene::Command;
use crate::scene::study::{CableStudy, Study, StudyPath};

/// What was found, and the state of the scene that it is of.
pub struct Found {
    study: Box<Study>,
    recording: Recording,
    edit: u64,
}

/// The page.
#[derive(Default)]
pub struct Page {
    steps: steps::Steps,
    quantity: over::Quantity,
    found: Option<Found>,
    /// Why nothing was found.
    failed: Option<String>,
}

impl Page {
    /// The states on the path, once it was played.
    pub fn recording(&self) -> Option<&Recording> {
        self.found.as_ref().map(|f| &f.recording)
    }

    /// Takes a path that was read, for the scene as it is.
    pub fn take_path(&mut self, path: StudyPath, document: &Document) {
        self.steps = steps::Steps::of(path, document.scene());
    }

    /// A study has ended that was made of the state of that number.
    pub fn ended(&mut self, document: &Document, edit: u64, found: Result<Box<Study>, String>) {
        self.failed = None;
        match found {
            Ok(mut study) => {
                let samples = std::mem::take(&mut study.samples);
                let recording = Recording::of(document.scene(), samples);
                self.found = Some(Found {
                    study,
                    recording,
                    edit,
                });
            }
            Err(why) => (self.failed, self.found) = (Some(why), None),
        }
    }

    /// The path on the left, what was found on the right.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        selection: &Selection,
        playback: Option<&Playback>,
        actions: &mut Vec<Action>,
    ) {
        ui.columns(2, |columns| {
            let [left, right] = columns else { return };
            ScrollArea::both()
                .id_salt("path of the study")
                .auto_shrink(false)
                .show(left, |ui| {
                    over::wrap_at_the_edge(ui);
                    self.steps.show(ui, document, selection, actions);
                });
            ScrollArea::both()
                .id_salt("findings of the study")
                .auto_shrink(false)
                .show(right, |ui| {
                    over::wrap_at_the_edge(ui);
                    self.results(ui, document, playback, actions);
                });
        });
    }

    fn results(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        playback: Option<&Playback>,
        actions: &mut Vec<Action>,
    ) {
        let palette = theme::palette(ui.ctx());
        if let Some(why) = &self.failed {
            ui.colored_label(palette.bad, why);
        }
        let Some(found) = &self.found else {
            ui.weak("Run the study: what limits the path, and what each cable needs for it, comes here.");
            return;
        };
        if found.edit != document.edit_number() {
            ui.colored_label(palette.warn, "The scene was edited since: run it again.");
        }
        let study = &found.study;
        if study.is_free() {
            ui.colored_label(palette.good, "The path is free.");
        }
        for limit in &study.limits {
            ui.colored_label(palette.bad, RichText::new(&limit.words).strong());
        }
        if study.unsolved > 0 {
            let words = format!(
                "{} steps of the path have no equilibrium: what they say is not certain",
                study.unsolved
            );
            ui.colored_label(palette.warn, words);
        }
        ui.horizontal_wrapped(|ui| {
            if ui.button("Play the path").clicked() {
                actions.push(Action::Playback(PlaybackOrder::Forward(Source::Study)));
            }
            if ui.button("Play it back").clicked() {
                actions.push(Action::Playback(PlaybackOrder::Back(Source::Study)));
            }
        });
        cables(ui, document, found, actions);
        poses(ui, found, actions);
        installed(ui, study);
        ui.add_space(4.0);
        let recording = (Source::Study, &found.recording);
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

/// The cables: the length that the path needs, and the worst of each.
fn cables(ui: &mut Ui, document: &Document, found: &Found, actions: &mut Vec<Action>) {
    let grid = Grid::new("cables of the study").striped(true);
    grid.spacing([14.0, 3.0]).show(ui, |ui| {
        let own = ["Cable", "Length", "The path needs"];
        over::headings(ui, &[&own[..], &over::HEADINGS[..]].concat());
        for cable in &found.study.cables {
            ui.label(&cable.cable);
            ui.label(format!("{:.1} mm", cable.length));
            needed(ui, document, cable, actions);
            let samples = (Source::Study, &found.recording.samples[..]);
            over::worst_cells(ui, &cable.worst, samples, actions);
            ui.end_row();
        }
    });
}

/// The worst of each cable in each pose by itself: load cases are compared.
fn poses(ui: &mut Ui, found: &Found, actions: &mut Vec<Action>) {
    if found.study.poses.len() < 2 {
        return;
    }
    CollapsingHeader::new("Each pose").show(ui, |ui| {
        let grid = Grid::new("poses of the study").striped(true);
        grid.spacing([14.0, 3.0]).show(ui, |ui| {
            over::headings(ui, &[&["Pose", "Cable"][..], &over::HEADINGS[..]].concat());
            let samples = (Source::Study, &found.recording.samples[..]);
            for pose in &found.study.poses {
                for (cable, worst) in found.study.cables.iter().zip(&pose.cables) {
                    ui.label(&pose.pose);
                    ui.label(&cable.cable);
                    over::worst_cells(ui, worst, samples, actions);
                    ui.end_row();
                }
            }
        });
    });
}

/// The length that the path needs; a button gives it to a cable that is too short.
fn needed(ui: &mut Ui, document: &Document, cable: &CableStudy, actions: &mut Vec<Action>) {
    if !cable.needed_is_played {
        let tip = "The shortest way between its fixings that keeps the bend limit, where that is longest; without parts";
        let words = format!("at least {:.1} mm", cable.needed);
        ui.label(words).on_hover_text(tip);
        return;
    }
    let now = document.scene().cable(&cable.cable).map(|c| c.length);
    let is_long_enough = now.is_none_or(|now| now >= cable.needed - 1e-6);
    if is_long_enough {
        ui.label(format!("{:.1} mm, which it has", cable.needed));
        return;
    }
    let words = format!("Give {} {:.1} mm", cable.cable, cable.needed);
    let tip = "The length with which the path is free of this cable; one edit, which can be undone";
    if ui.button(words).on_hover_text(tip).clicked() {
        actions.push(Action::Edit(Command::SetLength {
            cable: cable.cable.clone(),
            length: cable.needed,
        }));
    }
}

/// What is wrong with the installed state, as it is and with the lengths that the path needs.
fn installed(ui: &mut Ui, study: &Study) {
    let palette = theme::palette(ui.ctx());
    for (when, errors) in [
        ("Installed as it is", &study.installed),
        (
            "Installed with the lengths that the path needs",
            &study.lengthened,
        ),
    ] {
        match errors.len() {
            0 => ui.weak(format!("{when}: nothing is wrong")),
            n => ui.colored_label(palette.bad, format!("{when}: {n} errors")),
        };
        for error in errors {
            ui.colored_label(palette.bad, format!("   {}", error.what));
        }
    }
}
