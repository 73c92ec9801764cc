//! The list of findings: what the verb `check` would say of the scene.

use egui::{RichText, ScrollArea, Ui};

use crate::app::action::{Action, Select};
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::app::theme;
use crate::scene::findings::{Finding, Severity};

/// What was found when it was last asked for.
#[derive(Default)]
pub struct List {
    found: Option<Result<Vec<Finding>, String>>,
}

impl List {
    /// What was found.
    pub fn judged(&mut self, found: Result<Vec<Finding>, String>) {
        self.found = Some(found);
    }

    /// The button and the list. Judging looks at every part, so that it is done when asked for, and in the background.
    pub fn show(&self, ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
        ui.horizontal(|ui| {
            let tip = "Judges bend radius, clearance, overlaps, forces and fixings by their limits, as the verb check does";
            if ui.button("Check").on_hover_text(tip).clicked() {
                actions.push(Action::Judge);
            }
            match &self.found {
                None => ui.weak("Not checked yet."),
                Some(Err(why)) => ui.weak(why),
                Some(Ok(found)) => {
                    let count = |s: Severity| found.iter().filter(|f| f.severity == s).count();
                    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
                    let errors = counted(errors, "error");
                    let warnings = counted(warnings, "warning");
                    ui.weak(format!("{errors}, {warnings} when it was last checked"))
                }
            };
        });
        let Some(Ok(found)) = &self.found else {
            return;
        };
        ScrollArea::both()
            .id_salt("findings")
            .auto_shrink(false)
            .show(ui, |ui| {
                for finding in found {
                    row(ui, document, finding, actions);
                }
            });
    }
}

/// A number of things, with its word.
fn counted(number: usize, word: &str) -> String {
    match number {
        1 => format!("1 {word}"),
        n => format!("{n} {word}s"),
    }
}

/// A finding: a click goes to its place.
pub fn row(ui: &mut Ui, document: &Document, finding: &Finding, actions: &mut Vec<Action>) {
    let palette = theme::palette(ui.ctx());
    let color = match finding.severity {
        Severity::Error => palette.bad,
        Severity::Warning => palette.warn,
        Severity::Note => palette.weak,
    };
    let link = ui.link(RichText::new(&finding.what).color(color));
    if link.on_hover_text(&finding.mend).clicked() {
        let cables = &document.scene().cables;
        let cable = cables
            .iter()
            .position(|c| Some(&c.name) == finding.cable.as_ref());
        let things = cable.map(Thing::Cable).into_iter().collect();
        actions.push(Action::Select(Select::Only(things)));
        actions.extend(finding.position.map(|p| Action::GoTo(p.into())));
    }
}
