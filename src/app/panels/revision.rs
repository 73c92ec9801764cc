//! What a new revision of the parts did: to the parts, to the fixings on them, and to every cable before and now.

use egui::{Grid, RichText, ScrollArea, Ui};

use super::findings;
use crate::app::action::{Action, Select};
use crate::app::document::Document;
use crate::app::jobs::{Measured, PartRow};
use crate::app::selection::{HandleId, Thing};
use crate::app::theme;
use crate::scene::Command;
use crate::scene::findings::{Finding, Severity};
use crate::scene::update::{CableNumbers, PartFate};

/// The last revision that was taken.
#[derive(Debug)]
pub struct Revision {
    file: String,
    /// What became of the parts that are not the same.
    parts: Vec<PartRow>,
    n_same: usize,
    before: Vec<CableNumbers>,
    now: Option<Result<Measured, String>>,
    /// Number of the scene's state that was measured, or is being measured.
    edit: Option<u64>,
    asked: bool,
}

impl Revision {
    /// That of a file, with what became of its parts and the cables before it.
    pub fn new(file: String, parts: Vec<PartRow>, before: Vec<CableNumbers>) -> Self {
        let n_same = parts.iter().filter(|p| p.fate == PartFate::Same).count();
        let differs = |p: &PartRow| p.fate != PartFate::Same || p.renamed;
        Self {
            file,
            parts: parts.into_iter().filter(differs).collect(),
            n_same,
            before,
            now: None,
            edit: None,
            asked: false,
        }
    }

    /// Whether the cables should be measured, now that they rest in the state of that number; asked once for each.
    pub fn asks(&mut self, edit: u64) -> bool {
        let asks = !self.asked && self.edit != Some(edit);
        if asks {
            (self.edit, self.asked) = (Some(edit), true);
        }
        asks
    }

    /// The cables as they are in the state of that number.
    pub fn measured(&mut self, edit: u64, now: Result<Measured, String>) {
        (self.edit, self.asked) = (Some(edit), false);
        self.now = Some(now);
    }

    /// How many parts had each fate, in words.
    pub fn summary(&self) -> String {
        let count = |word: &str| self.parts.iter().filter(|p| p.fate.word() == word).count();
        let others = ["moved", "changed", "new", "gone"].map(|w| format!("{} {w}", count(w)));
        format!("{} same, {}", self.n_same, others.join(", "))
    }

    /// The page.
    pub fn show(&self, ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
        ui.weak(format!("{}: {}", self.file, self.summary()));
        ScrollArea::both()
            .id_salt("revision")
            .auto_shrink(false)
            .show(ui, |ui| {
                fixings(ui, document, actions);
                self.cables(ui, document, actions);
                ui.add_space(6.0);
                let errors = self.findings().filter(|f| f.severity == Severity::Error);
                errors.for_each(|finding| findings::row(ui, document, finding, actions));
                for part in &self.parts {
                    part_row(ui, document, part, actions);
                }
            });
    }

    fn findings(&self) -> impl Iterator<Item = &Finding> {
        let measured = self.now.as_ref().and_then(|now| now.as_ref().ok());
        measured.into_iter().flat_map(|m| &m.findings)
    }

    fn cables(&self, ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
        let now = match &self.now {
            Some(Ok(measured)) => Some(&measured.cables),
            Some(Err(why)) => {
                ui.weak(why);
                None
            }
            None => {
                ui.weak("The cables are on their way: the numbers of now come when they rest.");
                None
            }
        };
        let grid = Grid::new("before and now").num_columns(7);
        grid.striped(true).spacing([18.0, 3.0]).show(ui, |ui| {
            for head in [
                "Cable, in mm",
                "Length before",
                "now",
                "Bend radius before",
                "now",
                "Clearance before",
                "now",
            ] {
                ui.label(RichText::new(head).small().strong());
            }
            ui.end_row();
            for old in &self.before {
                let new = now.and_then(|all| all.iter().find(|n| n.cable == old.cable));
                self.cable(ui, document, (old, new), actions);
                ui.end_row();
            }
        });
    }

    fn cable(
        &self,
        ui: &mut Ui,
        document: &Document,
        (old, new): (&CableNumbers, Option<&CableNumbers>),
        actions: &mut Vec<Action>,
    ) {
        let palette = theme::palette(ui.ctx());
        let cables = &document.scene().cables;
        match cables.iter().position(|c| c.name == old.cable) {
            Some(number) => {
                if ui.link(&old.cable).clicked() {
                    let things = vec![Thing::Cable(number)];
                    actions.push(Action::Select(Select::Only(things)));
                }
            }
            None => {
                ui.label(&old.cable);
            }
        }
        let is_bad = |f: &Finding| {
            f.severity == Severity::Error && f.cable.as_deref() == Some(old.cable.as_str())
        };
        let bad = self.findings().any(is_bad);
        let before = cells(old);
        let now = new.map(cells);
        for k in 0..before.len() {
            ui.label(RichText::new(&before[k]).color(palette.weak));
            let words = now.as_ref().map_or("...", |cells| cells[k].as_str());
            let text = RichText::new(words);
            ui.label(match &now {
                Some(cells) if cells[k] != before[k] && bad => text.strong().color(palette.bad),
                Some(cells) if cells[k] != before[k] => text.strong(),
                _ => text.color(palette.weak),
            });
        }
    }
}

/// Length, bend radius and clearance in words.
fn cells(cable: &CableNumbers) -> [String; 3] {
    let words = |mm: Option<f64>| mm.map_or_else(|| "none".to_owned(), |mm| format!("{mm:.1}"));
    [Some(cable.length), cable.bend_radius, cable.clearance].map(words)
}

/// What became of a part; one that is gone can be deleted here.
fn part_row(ui: &mut Ui, document: &Document, part: &PartRow, actions: &mut Vec<Action>) {
    let number = part.number(document.scene());
    ui.horizontal(|ui| {
        let words = RichText::new(&part.words).small();
        let Some(number) = number else {
            ui.label(words.weak());
            return;
        };
        let words = words.color(ui.visuals().hyperlink_color);
        if ui.link(words).clicked() {
            let things = vec![Thing::Part(number)];
            actions.push(Action::Select(Select::Only(things)));
        }
        let tip = "The file does not have it any more: take it out of the scene";
        if part.fate == PartFate::Gone && ui.small_button("Delete").on_hover_text(tip).clicked() {
            actions.push(Action::Edit(Command::Delete {
                kind: crate::scene::Kind::Part,
                name: document.scene().parts[number].name.clone(),
            }));
        }
    });
}

/// The fixings to go through: what they are attached to changed or is gone.
fn fixings(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    let palette = theme::palette(ui.ctx());
    for (number, cable) in document.scene().cables.iter().enumerate() {
        for (k, handle) in cable.handles.iter().enumerate() {
            if !handle.reference_changed {
                continue;
            }
            let part = handle.attached_to.as_deref().unwrap_or("its part");
            ui.horizontal(|ui| {
                let words = format!("{}, {}: {part} changed or is gone", cable.name, handle.name);
                if ui.link(RichText::new(words).color(palette.bad)).clicked() {
                    let id = HandleId {
                        cable: number,
                        handle: k,
                    };
                    let only = vec![Thing::Handle(id)];
                    actions.push(Action::Select(Select::Only(only)));
                    actions.push(Action::GoTo(handle.pose.position.into()));
                }
                let tip = "The fixing is where it belongs";
                if ui.small_button("Confirm").on_hover_text(tip).clicked() {
                    actions.push(Action::Edit(Command::ConfirmReference {
                        cable: cable.name.clone(),
                        handle: handle.name.clone(),
                    }));
                }
            });
        }
    }
}
