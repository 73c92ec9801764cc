//! Length by pulling: grab a cable and its length follows the mouse.

use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::app::theme;
use crate::app::viewport::{Overlay, View};

/// Nothing to keep: the view holds what is pulled.
#[derive(Debug, Default)]
pub struct Length;

impl Length {
    /// What to do next.
    pub fn hint(&self, document: &Document) -> String {
        if document.scene().cables.is_empty() {
            return "There is no cable to pull   |   Esc".into();
        }
        "Grab a cable and pull: outwards makes it longer   |   Esc takes it back, or ends".into()
    }

    /// The length beside the cursor while something is pulled; what would be pulled before that.
    pub fn paint(&self, overlay: &Overlay<'_>, document: &Document, view: &View) {
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
}
