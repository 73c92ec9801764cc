//! A handle where the user clicks on a cable.

use egui::{ComboBox, Ui};

use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::app::theme;
use crate::app::viewport::aim::Pick;
use crate::app::viewport::{Overlay, View};
use crate::scene::{Command, HandleKind, HandlePlace};

/// N/mm of a new spring handle: pulls a cable of a car gently.
pub const SOFT: f64 = 0.5;

/// The names of the kinds, in the order of [`kind`].
pub const KINDS: [(&str, &str); 5] = [
    (
        "Full",
        "Holds position, direction and roll, like a tight clip",
    ),
    (
        "Direction",
        "Holds position and direction; the cable may turn about its own axis",
    ),
    ("Position", "Holds position alone, like a loose tie"),
    ("Sliding", "The cable runs through it, as through a grommet"),
    ("Spring", "Pulls towards its position like a spring"),
];

/// The kind of that number, for a cable of that length.
pub fn kind(number: usize, length: f64) -> HandleKind {
    match number {
        0 => HandleKind::Full,
        1 => HandleKind::Direction,
        2 => HandleKind::Position,
        3 => HandleKind::Sliding {
            min: 0.0,
            max: length,
        },
        _ => HandleKind::Spring { stiffness: SOFT },
    }
}

/// The number of a kind.
pub fn number(kind: HandleKind) -> usize {
    match kind {
        HandleKind::Full => 0,
        HandleKind::Direction => 1,
        HandleKind::Position => 2,
        HandleKind::Sliding { .. } => 3,
        HandleKind::Spring { .. } => 4,
    }
}

/// The kind of the next handle.
#[derive(Debug, Default)]
pub struct AddHandle {
    kind: usize,
}

impl AddHandle {
    /// What to do next.
    pub fn hint(&self, document: &Document) -> String {
        if document.scene().cables.is_empty() {
            return "There is no cable to hold   |   Esc".into();
        }
        format!(
            "Click on a cable to add a handle ({})   |   Esc ends",
            KINDS[self.kind].0
        )
    }

    /// A place was clicked: on a cable, it gets a handle there.
    pub fn pick(&mut self, pick: Pick, document: &Document, actions: &mut Vec<Action>) {
        let scene = document.scene();
        let (Thing::Cable(k), Some(s)) = (pick.thing, pick.arc_length) else {
            actions.push(Action::Complain(
                "A handle sits on a cable: click on one.".into(),
            ));
            return;
        };
        let cable = &scene.cables[k];
        actions.push(Action::Edit(Command::AddHandle {
            cable: cable.name.clone(),
            name: None,
            place: place(s, cable.length),
            kind: kind(self.kind, cable.length),
            pose: None,
        }));
    }

    /// Where the handle would be.
    pub fn paint(&self, overlay: &Overlay<'_>, document: &Document, view: &View) {
        let Some(pick) = view.pick(document) else {
            return;
        };
        if let (Thing::Cable(k), Some(s)) = (pick.thing, pick.arc_length) {
            let length = document.scene().cables[k].length;
            overlay.cross(&pick.point, theme::HOT);
            let words = format!(
                "{s:.1} mm from the start\n{:.1} mm from the end",
                length - s
            );
            overlay.label(&pick.point, &words);
        }
    }

    /// The kind of the next handle.
    pub fn options(&mut self, ui: &mut Ui) {
        ComboBox::new("kind of the next handle", "Kind")
            .selected_text(KINDS[self.kind].0)
            .show_ui(ui, |ui| {
                for (k, (name, tip)) in KINDS.iter().enumerate() {
                    ui.selectable_value(&mut self.kind, k, *name)
                        .on_hover_text(*tip);
                }
            });
    }
}

/// A place inside the cable, not at its ends.
fn place(s: f64, length: f64) -> HandlePlace {
    HandlePlace::At(s.clamp(1e-3 * length, (1.0 - 1e-3) * length))
}
