//! Length by pulling: grab a cable and its length follows the mouse.

use egui::Key;

use super::ToolRow;
use crate::app::choices::ToolKind;
use crate::app::document::Document;
use crate::app::icon::Icon;
use crate::app::selection::Thing;
use crate::app::theme;
use crate::app::viewport::{Overlay, Tool, View};

/// Nothing to keep: the view holds what is pulled.
#[derive(Debug, Default)]
pub struct Length;

/// Its row in the table of tools.
pub const ROW: ToolRow = ToolRow {
    kind: ToolKind::named("length"),
    name: "Length",
    tip: "Grab a cable and pull: its length follows the mouse",
    key: Key::E,
    other_words: "",
    icon,
    make: || Box::new(Length),
};

fn icon(icon: &Icon<'_>) {
    // A cable, and an arrow that pulls it.
    icon.wave([0.02, 0.98], -0.16);
    icon.line(&[(0.5, 0.56), (0.5, 0.94)]);
    icon.line(&[(0.34, 0.78), (0.5, 0.94), (0.66, 0.78)]);
}

impl Tool for Length {
    /// What to do next.
    fn hint(&self, document: &Document) -> String {
        if document.scene().cables.is_empty() {
            return "There is no cable to pull   |   Esc".into();
        }
        "Grab a cable and pull: outwards makes it longer   |   Esc takes it back, or ends".into()
    }

    /// The length beside the cursor while something is pulled; what would be pulled before that.
    fn paint(&self, overlay: &Overlay<'_>, document: &Document, view: &View) {
        if let (Some(pull), Some(at)) = (view.pull(), view.pulled_to()) {
            overlay.label(&at, &pull.words());
            return;
        }
        let Some(pick) = view.pick(document) else {
            return;
        };
        if let Thing::Cable(k) = pick.thing {
            let cable = &document.scene().cables[k];
            overlay.cross(&pick.point, theme::HOT);
            let locked = if cable.length_locked { ", locked" } else { "" };
            let words = format!("{}: {:.1} mm{locked}", cable.name, cable.length);
            overlay.label(&pick.point, &words);
        }
    }

    fn pulls(&self) -> bool {
        true
    }
}
