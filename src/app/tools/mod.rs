//! The modes of the view: what a click means. Each tool keeps what was picked and says what it would do.

mod add_handle;
mod correct;
mod flexibilise;
mod length;
mod measure;
mod new_cable;
mod rewire;

pub use add_handle::{
    AddHandle, KINDS as HANDLE_KINDS, kind as handle_kind, number as handle_kind_number,
};
pub use flexibilise::Flexibilise;
pub use length::Length;
pub use measure::Measure;
pub use new_cable::NewCable;
pub use rewire::Rewire;

use std::sync::Arc;

use egui::Ui;

use super::action::Action;
use super::document::Document;
use super::selection::Thing;
use super::viewport::picking::Pick;
use super::viewport::{Overlay, View};
use crate::centerline::CenterlineGraph;

/// The tools, without what they have picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// Click selects, drag moves.
    Select,
    /// Distances.
    Measure,
    /// Makes branches of a tessellated harness flexible.
    Flexibilise,
    /// A new cable between two places.
    NewCable,
    /// A handle on a cable.
    AddHandle,
    /// Cuts, joins and merges cables.
    Rewire,
    /// Pulls a cable longer or shorter.
    Length,
}

impl ToolKind {
    /// All of them, in the order of the toolbar.
    pub const ALL: [Self; 7] = [
        Self::Select,
        Self::Flexibilise,
        Self::AddHandle,
        Self::NewCable,
        Self::Rewire,
        Self::Length,
        Self::Measure,
    ];

    /// Its name on the toolbar.
    pub fn name(self) -> &'static str {
        match self {
            Self::Select => "Select",
            Self::Measure => "Measure",
            Self::Flexibilise => "Make flexible",
            Self::NewCable => "New cable",
            Self::AddHandle => "Add fixing",
            Self::Rewire => "Rewire",
            Self::Length => "Length",
        }
    }

    /// What it is for.
    pub fn tip(self) -> &'static str {
        match self {
            Self::Select => "Click selects, drag moves fixings and parts",
            Self::Flexibilise => "Makes branches of a tessellated harness flexible",
            Self::Measure => "Distance between two places, or along a cable",
            Self::NewCable => "A cable between two places that you click",
            Self::AddHandle => "Holds or guides a cable where you click on it",
            Self::Length => "Grab a cable and pull: its length follows the mouse",
            Self::Rewire => "Splits, joins, branches off, merges and clips cables that you click",
        }
    }
}

/// The tool in use.
#[derive(Debug, Default)]
pub enum Tool {
    /// See [`ToolKind`].
    #[default]
    Select,
    /// See [`ToolKind`].
    Measure(Measure),
    /// See [`ToolKind`].
    Flexibilise(Flexibilise),
    /// See [`ToolKind`].
    NewCable(NewCable),
    /// See [`ToolKind`].
    AddHandle(AddHandle),
    /// See [`ToolKind`].
    Rewire(Rewire),
    /// See [`ToolKind`].
    Length(Length),
}

impl Tool {
    /// A tool that has picked nothing yet.
    pub fn new(kind: ToolKind) -> Self {
        match kind {
            ToolKind::Select => Self::Select,
            ToolKind::Measure => Self::Measure(Measure::default()),
            ToolKind::Flexibilise => Self::Flexibilise(Flexibilise::default()),
            ToolKind::NewCable => Self::NewCable(NewCable::default()),
            ToolKind::AddHandle => Self::AddHandle(AddHandle::default()),
            ToolKind::Rewire => Self::Rewire(Rewire::default()),
            ToolKind::Length => Self::Length(Length),
        }
    }

    /// Which one it is.
    pub fn kind(&self) -> ToolKind {
        match self {
            Self::Select => ToolKind::Select,
            Self::Measure(_) => ToolKind::Measure,
            Self::Flexibilise(_) => ToolKind::Flexibilise,
            Self::NewCable(_) => ToolKind::NewCable,
            Self::AddHandle(_) => ToolKind::AddHandle,
            Self::Rewire(_) => ToolKind::Rewire,
            Self::Length(_) => ToolKind::Length,
        }
    }

    /// Whether clicks select.
    pub fn is_select(&self) -> bool {
        matches!(self, Self::Select)
    }

    /// Whether gizmos can be dragged meanwhile.
    pub fn may_drag(&self) -> bool {
        self.is_select()
    }

    /// Whether a drag on a cable changes its length.
    pub fn pulls(&self) -> bool {
        matches!(self, Self::Length(_))
    }

    /// Whether its picks snap to holes and axes.
    pub fn snaps(&self) -> bool {
        matches!(self, Self::NewCable(_))
    }

    /// What to do next, in words; `None` where the view knows better.
    pub fn hint(&self, document: &Document) -> Option<String> {
        match self {
            Self::Select => None,
            Self::Measure(tool) => Some(tool.hint().into()),
            Self::Flexibilise(tool) => Some(tool.hint(document)),
            Self::NewCable(tool) => Some(tool.hint(document)),
            Self::AddHandle(tool) => Some(tool.hint(document)),
            Self::Rewire(tool) => Some(tool.hint()),
            Self::Length(tool) => Some(tool.hint(document)),
        }
    }

    /// A place was clicked.
    pub fn pick(&mut self, pick: Pick, document: &Document, actions: &mut Vec<Action>) {
        match self {
            Self::Select | Self::Length(_) => {}
            Self::Measure(tool) => tool.pick(pick),
            Self::Flexibilise(tool) => tool.pick(pick, document, actions),
            Self::NewCable(tool) => tool.pick(pick, document, actions),
            Self::AddHandle(tool) => tool.pick(pick, document, actions),
            Self::Rewire(tool) => tool.pick(pick, document, actions),
        }
    }

    /// It was taken up while that was selected; what it asks for first.
    pub fn begin(&mut self, document: &Document, selected: Option<Thing>) -> Option<Action> {
        match self {
            Self::Flexibilise(tool) => tool.begin(document, selected),
            _ => None,
        }
    }

    /// Centerlines were found in the part of that name, or not.
    pub fn extracted(&mut self, part: &str, graph: Option<Arc<CenterlineGraph>>) {
        if let Self::Flexibilise(tool) = self {
            tool.extracted(part, graph);
        }
    }

    /// Enter: does what was picked for.
    pub fn enter(&mut self, document: &Document, actions: &mut Vec<Action>) {
        match self {
            Self::Flexibilise(tool) => tool.enter(document, actions),
            Self::Rewire(tool) => tool.enter(document, actions),
            _ => {}
        }
    }

    /// Takes the last pick back; says whether there was one.
    pub fn back(&mut self) -> bool {
        match self {
            Self::Select | Self::AddHandle(_) | Self::Length(_) => false,
            Self::Measure(tool) => tool.back(),
            Self::Flexibilise(tool) => tool.back(),
            Self::NewCable(tool) => tool.back(),
            Self::Rewire(tool) => tool.back(),
        }
    }

    /// The scene was exchanged: picks on it mean nothing any more.
    pub fn forget(&mut self) {
        *self = Self::new(self.kind());
    }

    /// What it has picked and would do, over the view.
    pub fn paint(&self, overlay: &Overlay<'_>, document: &Document, view: &View) {
        match self {
            Self::Select => {}
            Self::Measure(tool) => tool.paint(overlay, document, view),
            Self::Flexibilise(tool) => tool.paint(overlay, document, view),
            Self::NewCable(tool) => tool.paint(overlay, document, view),
            Self::AddHandle(tool) => tool.paint(overlay, document, view),
            Self::Rewire(tool) => tool.paint(overlay, document, view),
            Self::Length(tool) => tool.paint(overlay, document, view),
        }
    }

    /// Whether it has options.
    pub fn has_options(&self) -> bool {
        !matches!(self, Self::Select | Self::Measure(_) | Self::Length(_))
    }

    /// Its options, below the toolbar.
    pub fn options(&mut self, ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
        match self {
            Self::Select | Self::Measure(_) | Self::Length(_) => {}
            Self::Flexibilise(tool) => tool.options(ui, document, actions),
            Self::NewCable(tool) => tool.options(ui, document),
            Self::AddHandle(tool) => tool.options(ui),
            Self::Rewire(tool) => tool.options(ui),
        }
    }
}
