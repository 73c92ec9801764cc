//! What view and window ask of the tool in use: a mode of the view, in which a click means something.

use std::fmt::Debug;
use std::sync::Arc;

use egui::Ui;

use super::{Overlay, View};
use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::selection::{Pick, Thing};
use crate::centerline::CenterlineGraph;

/// A mode of the view. What a tool does not say is as in one that neither picks nor paints.
pub trait Tool: Debug {
    /// What to do next, in words.
    fn hint(&self, _document: &Document) -> String {
        String::new()
    }

    /// A place was clicked.
    fn pick(&mut self, _pick: Pick, _document: &Document, _actions: &mut Vec<Action>) {}

    /// It was taken up while that was selected; what it asks for first.
    fn begin(&mut self, _document: &Document, _selected: Option<Thing>) -> Option<Action> {
        None
    }

    /// Centerlines were found in the part of that name, or not.
    fn extracted(&mut self, _part: &str, _graph: Option<Arc<CenterlineGraph>>) {}

    /// Enter: does what was picked for.
    fn enter(&mut self, _document: &Document, _actions: &mut Vec<Action>) {}

    /// Turns what it would put down; says whether there is something to turn.
    fn turn(&mut self) -> bool {
        false
    }

    /// Takes the last pick back; says whether there was one.
    fn back(&mut self) -> bool {
        false
    }

    /// What it has picked and would do, over the view.
    fn paint(&self, _overlay: &Overlay<'_>, _document: &Document, _view: &View) {}

    /// Whether it has options.
    fn has_options(&self) -> bool {
        false
    }

    /// Its options, below the toolbar.
    fn options(&mut self, _ui: &mut Ui, _document: &Document, _actions: &mut Vec<Action>) {}

    /// Whether clicks select, and gizmos can be dragged.
    fn is_select(&self) -> bool {
        false
    }

    /// Whether a drag on a cable changes its length.
    fn pulls(&self) -> bool {
        false
    }

    /// Whether its picks snap to holes and axes.
    fn snaps(&self) -> bool {
        false
    }
}
