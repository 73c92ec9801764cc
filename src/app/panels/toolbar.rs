//! The row of tools, the options of the one in use, and the switch of the simulation.

use egui::{
    Area, Atom, Button, Context, DragValue, Frame, Id, IdSalt, Margin, Rect, RichText, Stroke, Ui,
    Vec2,
};

use crate::app::action::Action;
use crate::app::choices::{CutPlane, Section};
use crate::app::document::Document;
use crate::app::icon::{self, Icon};
use crate::app::theme;
use crate::app::tools::{self, ToolInUse};
use crate::geom::{Aabb, MAX_COORDINATE};

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
    let Some(before) = section else { return };
    let mut section = before;
    ui.horizontal_wrapped(|ui| {
        ui.label("Section");
        let is_box = matches!(section, Section::Box(_));
        let plane = ui.selectable_label(!is_box, "Plane");
        if plane.on_hover_text("One side of a plane").clicked() && is_box {
            actions.push(Action::ToggleSection);
        }
        let tip = "What is in a box: around what is selected, or around everything";
        if ui
            .selectable_label(is_box, "Box")
            .on_hover_text(tip)
            .clicked()
            && !is_box
        {
            actions.push(Action::BoxSection);
        }
        ui.separator();
        if let Section::Plane(plane) = &mut section {
            cut_plane(ui, plane);
        }
        let tip = "The box around what is selected, or around everything";
        if is_box && ui.button("Fit box").on_hover_text(tip).clicked() {
            actions.push(Action::BoxSection);
        }
        if ui.button("Close section").clicked() {
            actions.push(Action::SetSection(None));
        }
    });
    if let Section::Box(aabb) = &mut section {
        section_box(ui, aabb);
    }
    if section != before {
        actions.push(Action::SetSection(Some(section)));
    }
}

/// Where on an axis something is cut, mm.
fn cut_at(ui: &mut Ui, value: &mut f64, (least, most): (f64, f64), words: &str, tip: &str) {
    let label = ui.label(words);
    let value = DragValue::new(value)
        .range(least..=most)
        .speed(1.0)
        .max_decimals(2)
        .suffix(" mm");
    ui.add(value).labelled_by(label.id).on_hover_text(tip);
}

fn cut_plane(ui: &mut Ui, plane: &mut CutPlane) {
    for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
        ui.selectable_value(&mut plane.axis, axis, name);
    }
    let tip = "Where the plane is; drag or type. Cables stay whole.";
    let range = (-MAX_COORDINATE, MAX_COORDINATE);
    cut_at(ui, &mut plane.offset, range, "at", tip);
    if ui.button("Other side").clicked() {
        plane.flipped = !plane.flipped;
    }
}

/// A row for each axis.
fn section_box(ui: &mut Ui, aabb: &mut Aabb) {
    for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
        ui.horizontal(|ui| {
            let below = (-MAX_COORDINATE, aabb.max[axis]);
            let tip = "The lower side of the box; drag or type. Cables stay whole.";
            let words = format!("{name} from");
            cut_at(ui, &mut aabb.min[axis], below, &words, tip);
            let above = (aabb.min[axis], MAX_COORDINATE);
            let tip = "The upper side of the box; drag or type. Cables stay whole.";
            let words = format!("{name} to");
            cut_at(ui, &mut aabb.max[axis], above, &words, tip);
        });
    }
}
