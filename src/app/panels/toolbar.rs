//! The row of tools, with the options of the one in use, and the switch of the simulation.

use egui::{Atom, Button, DragValue, IdSalt, RichText, Stroke, Ui};

use super::{icons, shortcuts};
use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::theme;
use crate::app::tools::{Tool, ToolKind};
use crate::app::viewport::section::Section;

/// Whether the simulation runs, and why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Running {
    /// Every edit is followed by a solve.
    Yes,
    /// Edits only change the document.
    No {
        /// Why it was paused, in words.
        reason: String,
    },
}

/// What can be switched off, as it is now.
#[derive(Clone, Copy, Debug)]
pub struct Switches<'a> {
    /// Whether the simulation runs.
    pub running: &'a Running,
    /// Whether cables meet parts.
    pub collisions: bool,
}

/// The row.
pub fn show(
    ui: &mut Ui,
    document: &Document,
    tool: &mut Tool,
    switches: Switches<'_>,
    actions: &mut Vec<Action>,
) {
    ui.horizontal_wrapped(|ui| {
        let palette = theme::palette(ui.ctx());
        let (words, color, tip) = match switches.running {
            Running::Yes => (
                "Simulation on",
                palette.good,
                "Cables follow every change. Click to pause (Space).".to_owned(),
            ),
            Running::No { reason } => (
                "Simulation paused",
                palette.warn,
                format!("Paused: {reason}. Click to run (Space)."),
            ),
        };
        let runs = *switches.running == Running::Yes;
        let icon = IdSalt::new("icon of the simulation");
        let words = RichText::new(words).color(color).strong();
        let size = egui::Vec2::splat(icons::SIDE);
        let button = Button::new((Atom::custom(icon, size), words)).selected(runs);
        let button = button.atom_ui(ui);
        if let Some(rect) = button.rect(icon) {
            icons::simulation(ui.painter(), rect, runs, Stroke::new(1.4, color));
        }
        if button.response.on_hover_text(tip).clicked() {
            actions.push(Action::ToggleRun);
        }
        // A sign for as long as it lasts.
        if !switches.collisions {
            let button = Button::new(RichText::new("Collisions off").color(palette.warn).strong());
            let tip = "Cables pass through parts. Click to switch collision detection on again.";
            if ui.add(button).on_hover_text(tip).clicked() {
                actions.push(Action::ToggleGhost);
            }
        }
        ui.separator();
        for kind in ToolKind::ALL {
            let chosen = tool.kind() == kind;
            let key = shortcuts::tool_key(kind).name();
            let icon = IdSalt::new(("icon of a tool", kind.name()));
            let content = (Atom::custom(icon, size), kind.name());
            let button = Button::selectable(chosen, content).atom_ui(ui);
            if let Some(rect) = button.rect(icon) {
                icons::tool(ui.painter(), rect, kind, Stroke::new(1.4, palette.ink));
            }
            let tip = format!("{} ({key})", kind.tip());
            if button.response.on_hover_text(tip).clicked() {
                actions.push(Action::Use(kind));
            }
        }
    });
    // In a row of its own, so that the view does not jump while they change.
    if tool.has_options() {
        ui.horizontal_wrapped(|ui| tool.options(ui, document, actions));
    }
}

/// Where parts are cut open.
pub fn section(ui: &mut Ui, section: Option<Section>, actions: &mut Vec<Action>) {
    let Some(mut section) = section else { return };
    let before = section;
    ui.horizontal_wrapped(|ui| {
        ui.label("Section plane");
        for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
            ui.selectable_value(&mut section.axis, axis, name);
        }
        let label = ui.label("at");
        let value = DragValue::new(&mut section.offset)
            .speed(1.0)
            .max_decimals(2)
            .suffix(" mm");
        ui.add(value)
            .labelled_by(label.id)
            .on_hover_text("Where the plane is; drag or type. Cables stay whole.");
        if ui.button("Other side").clicked() {
            section.flipped = !section.flipped;
        }
        if ui.button("Close section").clicked() {
            actions.push(Action::SetSection(None));
        }
    });
    if section != before {
        actions.push(Action::SetSection(Some(section)));
    }
}
