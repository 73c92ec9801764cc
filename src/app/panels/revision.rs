//! What a new revision of the parts did: to the parts, to the fixings on them, and to every cable before and after.

use egui::{Grid, RichText, ScrollArea, Ui};

use crate::app::action::{Action, HandleId, Select};
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::app::theme;
use crate::scene::Command;
use crate::scene::update::{CableNumbers, PartFate};

/// The last revision that was taken.
#[derive(Debug)]
pub struct Revision {
    file: String,
    /// What became of the parts that are not the same.
    parts: Vec<(PartFate, String)>,
    n_same: usize,
    before: Vec<CableNumbers>,
    after: After,
}

/// Where the numbers after it come from.
#[derive(Debug)]
enum After {
    /// The cables are still on their way.
    Moving,
    /// They are at rest and being measured.
    Asked,
    Known(Result<Vec<CableNumbers>, String>),
}

impl Revision {
    /// That of a file, with what became of its parts and the cables before it.
    pub fn new(file: String, parts: Vec<(PartFate, String)>, before: Vec<CableNumbers>) -> Self {
        let n_same = parts.iter().filter(|p| p.0 == PartFate::Same).count();
        let differs = |p: &(PartFate, String)| p.0 != PartFate::Same || p.1.contains("now called");
        Self {
            file,
            parts: parts.into_iter().filter(differs).collect(),
            n_same,
            before,
            after: After::Moving,
        }
    }

    /// Whether the cables should be measured, now that they rest; asked once.
    pub fn asks(&mut self) -> bool {
        let asks = matches!(self.after, After::Moving);
        if asks {
            self.after = After::Asked;
        }
        asks
    }

    /// The cables after it.
    pub fn measured(&mut self, after: Result<Vec<CableNumbers>, String>) {
        self.after = After::Known(after);
    }

    /// How many parts had each fate, in words.
    pub fn summary(&self) -> String {
        let count = |word: &str| self.parts.iter().filter(|p| p.0.word() == word).count();
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
                for (_, words) in &self.parts {
                    ui.label(RichText::new(words).small());
                }
            });
    }

    fn cables(&self, ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
        let after = match &self.after {
            After::Known(Ok(after)) => Some(after),
            After::Known(Err(why)) => {
                ui.weak(why);
                None
            }
            After::Moving | After::Asked => {
                ui.weak("The cables are on their way: the numbers after it come when they rest.");
                None
            }
        };
        let palette = theme::palette(ui.ctx());
        let grid = Grid::new("before and after").num_columns(4);
        grid.striped(true).spacing([18.0, 3.0]).show(ui, |ui| {
            for head in ["Before and after, mm", "Length", "Bend radius", "Clearance"] {
                ui.label(RichText::new(head).small().strong());
            }
            ui.end_row();
            for old in &self.before {
                let new = after.and_then(|all| all.iter().find(|n| n.cable == old.cable));
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
                let before = cells(old);
                let after = new.map(cells);
                for k in 0..before.len() {
                    let now = after.as_ref().map_or("...", |cells| cells[k].as_str());
                    let text = RichText::new(format!("{} → {now}", before[k]));
                    ui.label(if after.is_some() && before[k] != now {
                        text.strong()
                    } else {
                        text.color(palette.weak)
                    });
                }
                ui.end_row();
            }
        });
    }
}

/// Length, bend radius and clearance in words.
fn cells(cable: &CableNumbers) -> [String; 3] {
    let words = |mm: Option<f64>| mm.map_or_else(|| "none".to_owned(), |mm| format!("{mm:.2}"));
    [Some(cable.length), cable.bend_radius, cable.clearance].map(words)
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
