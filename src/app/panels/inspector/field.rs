//! Fields of the inspector: a number with unit, range and explanation; a name; a choice.

use std::cell::Cell;

use egui::{DragValue, Response, RichText, Ui};

use super::expression::evaluate;
use crate::app::action::Action;
use crate::app::theme;
use crate::scene::Command;

/// A number with its unit, range and meaning.
#[derive(Clone, Copy, Debug)]
pub struct Number<'a> {
    /// Its name, unique in its panel.
    pub label: &'a str,
    /// What stands behind it, with a space in front where one belongs.
    pub unit: &'a str,
    /// Smallest and largest value that makes sense.
    pub range: (f64, f64),
    /// Change per point of dragging.
    pub speed: f64,
    /// Digits behind the point.
    pub decimals: usize,
    /// What it does.
    pub tip: &'a str,
}

/// A number that is being typed.
#[derive(Clone, Copy, Debug)]
struct Editing {
    /// What it was.
    before: f64,
    /// It was said that the typed one cannot be.
    complained: bool,
}

impl Number<'_> {
    /// A row of a grid with two columns; an edit when it changes, one undo point for a drag.
    pub fn show(
        &self,
        ui: &mut Ui,
        value: f64,
        actions: &mut Vec<Action>,
        command: impl FnOnce(f64) -> Option<Command>,
    ) {
        let label = ui.label(self.label);
        self.field(ui, label.id, value, actions, command);
        ui.end_row();
    }

    /// The field alone, named by another widget.
    pub fn field(
        &self,
        ui: &mut Ui,
        label: egui::Id,
        value: f64,
        actions: &mut Vec<Action>,
        command: impl FnOnce(f64) -> Option<Command>,
    ) {
        let (min, max) = self.range;
        // Without the dust of rounding, which would show as -0.0.
        let value = if value.abs() < 1e-9 { 0.0 } else { value };
        // egui reads the text when the field is left and once more in the redraw after: both times the typed change
        // counts from the value that was there before.
        let key = ui.scope_id().with(("typed into", self.label));
        let editing = ui.data(|d| d.get_temp::<Editing>(key));
        let before = editing.map_or(value, |e| e.before);
        let (mut new, refused, read) = (value, Cell::new(None), Cell::new(false));
        let range = range_in_words(min, max, self.unit);
        let parse = |text: &str| {
            read.set(true);
            let typed = evaluate(text, before);
            if typed.is_none_or(|v| v < min || v > max) {
                refused.set(Some(text.trim().to_owned()));
                return None;
            }
            typed
        };
        let response = ui
            .add(
                DragValue::new(&mut new)
                    .speed(self.speed)
                    .range(min..=max)
                    .clamp_existing_to_range(false)
                    .max_decimals(self.decimals)
                    .suffix(self.unit)
                    .update_while_editing(false)
                    .custom_parser(parse),
            )
            .labelled_by(label)
            .on_hover_text(format!(
                "{}\n{range}Drag, or click to type: 12,5   2*(3+4)   +=5",
                self.tip
            ));
        let refused = refused.take();
        let complained = editing.is_some_and(|e| e.complained);
        let goes_on = response.has_focus() || read.get();
        ui.data_mut(|d| {
            if goes_on {
                let complained = complained || refused.is_some();
                d.insert_temp(key, Editing { before, complained });
            } else {
                d.remove::<Editing>(key);
            }
        });
        if let Some(text) = refused.filter(|_| !complained) {
            actions.push(Action::Complain(format!(
                "{} cannot be \"{text}\". {range}",
                self.label
            )));
        }
        edited(&response, actions, || command(new));
    }

    /// A row for several things at once: the edits of all of them share one undo point.
    pub fn show_all(
        &self,
        ui: &mut Ui,
        value: f64,
        actions: &mut Vec<Action>,
        commands: impl FnOnce(f64) -> Vec<Command>,
    ) {
        let label = ui.label(self.label);
        let mut asked = Vec::new();
        let new = Cell::new(None);
        self.field(ui, label.id, value, &mut asked, |to| {
            new.set(Some(to));
            None
        });
        ui.end_row();
        let (begins, ends): (Vec<_>, Vec<_>) =
            (asked.into_iter()).partition(|a| *a == Action::BeginGesture);
        actions.extend(begins);
        actions.extend(new.take().map(|to| Action::EditAll(commands(to))));
        actions.extend(ends);
    }
}

fn range_in_words(min: f64, max: f64, unit: &str) -> String {
    match (min > -1e8, max < 1e8) {
        (true, true) => format!("Between {min} and {max}{unit}. "),
        (true, false) => format!("At least {min}{unit}. "),
        (false, true) => format!("At most {max}{unit}. "),
        (false, false) => "A number. ".into(),
    }
}

/// A number that was dragged or typed: one undo point for the whole of it.
fn edited(
    response: &Response,
    actions: &mut Vec<Action>,
    command: impl FnOnce() -> Option<Command>,
) {
    if response.drag_started() {
        actions.push(Action::BeginGesture);
    }
    if response.changed() {
        actions.extend(command().map(Action::Edit));
    }
    if response.drag_stopped() {
        actions.push(Action::EndGesture);
    }
}

/// A row with a name to edit; an edit when the field is left.
pub fn name(
    ui: &mut Ui,
    now: &str,
    actions: &mut Vec<Action>,
    command: impl FnOnce(&str) -> Option<Command>,
) {
    let label = ui.label("Name");
    let id = ui.scope_id().with(("name", now));
    let mut text = ui
        .data(|d| d.get_temp::<String>(id))
        .unwrap_or_else(|| now.to_owned());
    let field = egui::TextEdit::singleline(&mut text).desired_width(f32::INFINITY);
    let response = ui.add(field).labelled_by(label.id);
    if response.lost_focus() {
        ui.data_mut(|d| d.remove::<String>(id));
        if !ui.input(|i| i.key_pressed(egui::Key::Escape)) && text.trim() != now {
            actions.extend(command(text.trim()).map(Action::Edit));
        }
    } else if response.changed() {
        ui.data_mut(|d| d.insert_temp(id, text));
    }
    ui.end_row();
}

/// A row that only tells.
pub fn fact(ui: &mut Ui, label: &str, value: impl Into<RichText>, tip: &str) {
    ui.label(label).on_hover_text(tip);
    ui.label(value.into()).on_hover_text(tip);
    ui.end_row();
}

/// A row with a colour.
pub fn color(
    ui: &mut Ui,
    now: egui::Color32,
    actions: &mut Vec<Action>,
    command: impl FnOnce([u8; 3]) -> Option<Command>,
) {
    let label = ui.label("Colour");
    let mut rgb = [now.r(), now.g(), now.b()];
    let response = ui.color_edit_button_srgb(&mut rgb).labelled_by(label.id);
    if response.changed() {
        actions.extend(command(rgb).map(Action::Edit));
    }
    ui.end_row();
}

/// A heading between groups of fields.
pub fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(8.0);
    ui.label(RichText::new(text).strong());
}

/// A remark in the colour of a warning.
pub fn warning(ui: &mut Ui, text: impl Into<String>) {
    let color = theme::palette(ui.ctx()).warn;
    ui.label(RichText::new(text).color(color).small());
}

/// A grid with two columns that fills the panel.
pub fn grid(ui: &mut Ui, id: &str, content: impl FnOnce(&mut Ui)) {
    egui::Grid::new(id)
        .num_columns(2)
        .spacing([10.0, 5.0])
        .min_col_width(84.0)
        .show(ui, content);
}
