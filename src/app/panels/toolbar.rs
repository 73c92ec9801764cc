//! The row of tools, the options of the one in use, and the switch of the simulation.

use egui::{
    Area, Atom, Button, Context, DragValue, Frame, Id, IdSalt, Margin, Rect, RichText, Stroke, Ui,
    Vec2,
};

use crate::app::action::Action;
use crate::app::choices::Section;
use crate::app::document::Document;
use crate::app::icon::{self, Icon};
use crate::app::theme;
use crate::app::tools::{self, ToolInUse};

/// Between the border of the view and the options over it, points.
const GAP: f32 = 6.0;
/// What they leave free for the view cube, points.
const CUBE: f32 = 130.0;

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
pub fn show(ui: &mut Ui, tool: &ToolInUse, switches: Switches<'_>, actions: &mut Vec<Action>) {
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
        let size = Vec2::splat(icon::SIDE);
        let button = Button::new((Atom::custom(icon, size), words)).selected(runs);
        let button = button.atom_ui(ui);
        if let Some(rect) = button.rect(icon) {
            let width = if runs { 2.4 } else { 1.4 };
            let icon = Icon {
                painter: ui.painter(),
                rect,
                stroke: Stroke::new(width, color),
            };
            run_or_pause(&icon, runs);
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
        for row in tools::ALL {
            let chosen = tool.kind() == row.kind;
            let icon = IdSalt::new(("icon of a tool", row.name));
            let content = (Atom::custom(icon, size), row.name);
            let button = Button::selectable(chosen, content).atom_ui(ui);
            if let Some(rect) = button.rect(icon) {
                (row.icon)(&Icon {
                    painter: ui.painter(),
                    rect,
                    stroke: Stroke::new(1.4, palette.ink),
                });
            }
            let tip = format!("{} ({})", row.tip, row.key.name());
            if button.response.on_hover_text(tip).clicked() {
                actions.push(Action::Use(row.kind));
            }
        }
    });
}

/// The options of the tool in use and of the section plane, over the view so that it stays where it is while they come and
/// go. Says where they end below.
pub fn options(
    ctx: &Context,
    view: Rect,
    document: &Document,
    tool: &mut ToolInUse,
    cut: Option<Section>,
    actions: &mut Vec<Action>,
) -> f32 {
    if !tool.has_options() && cut.is_none() {
        return view.top();
    }
    let id = Id::unique(("options of a tool", tool.kind()));
    let area = Area::new(id).fixed_pos(view.left_top() + Vec2::splat(GAP));
    let shown = area.show(ctx, |ui| {
        let style = ui.style().clone();
        let frame = Frame::new()
            .fill(style.visuals.panel_fill)
            .stroke(style.visuals.widgets.noninteractive.bg_stroke)
            .corner_radius(4)
            .inner_margin(Margin::symmetric(8, 4));
        frame.show(ui, |ui| {
            ui.set_max_width((view.width() - CUBE).max(200.0));
            if tool.has_options() {
                ui.horizontal_wrapped(|ui| tool.options(ui, document, actions));
            }
            section(ui, cut, actions);
        });
    });
    shown.response.rect.bottom()
}

/// The icon of the simulation: a bar pair while it runs, a triangle while it is paused.
fn run_or_pause(icon: &Icon<'_>, runs: bool) {
    if runs {
        for x in [0.34, 0.66] {
            icon.line(&[(x, 0.2), (x, 0.8)]);
        }
    } else {
        icon.filled(&[(0.28, 0.16), (0.82, 0.5), (0.28, 0.84)]);
    }
}

/// Where parts are cut open.
fn section(ui: &mut Ui, section: Option<Section>, actions: &mut Vec<Action>) {
    let Some(mut section) = section else { return };
    let before = section;
    ui.horizontal_wrapped(|ui| {
        ui.label("Section plane");
        for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
            ui.selectable_value(&mut section.axis, axis, name);
        }
        let label = ui.label("at");
        let value = DragValue::new(&mut section.offset)
            .range(-crate::geom::MAX_COORDINATE..=crate::geom::MAX_COORDINATE)
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
