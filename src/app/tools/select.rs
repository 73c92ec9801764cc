//! The usual mode: a click selects, a drag moves.

use egui::Key;

use super::ToolRow;
use crate::app::choices::ToolKind;
use crate::app::icon::Icon;
use crate::app::viewport::Tool;

/// Its row in the table of tools.
pub const ROW: ToolRow = ToolRow {
    kind: ToolKind::SELECT,
    name: "Select",
    tip: "Click selects, drag moves fixings and parts",
    key: Key::S,
    other_words: "",
    icon,
    make: || Box::new(Select),
};

fn icon(icon: &Icon<'_>) {
    icon.line(&[
        (0.22, 0.08),
        (0.22, 0.86),
        (0.42, 0.66),
        (0.56, 0.94),
        (0.68, 0.88),
        (0.55, 0.61),
        (0.82, 0.6),
        (0.22, 0.08),
    ]);
}

/// Nothing to keep: the view knows what is under the cursor, and what to do next.
#[derive(Debug, Default)]
pub struct Select;

impl Tool for Select {
    fn is_select(&self) -> bool {
        true
    }
}
