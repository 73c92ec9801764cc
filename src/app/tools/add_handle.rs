//! A handle where the user clicks on a cable.

use egui::{ComboBox, DragValue, Key, Ui};

use super::ToolRow;
use crate::app::action::Action;
use crate::app::choices::ToolKind;
use crate::app::document::Document;
use crate::app::icon::Icon;
use crate::app::selection::{Pick, Thing};
use crate::app::theme;
use crate::app::viewport::picking::point_at;
use crate::app::viewport::{Overlay, Tool, View};
use crate::scene::{Command, HandleKind, HandlePlace};

/// N/mm of a new spring handle: pulls a cable of a car gently.
pub const SOFT: f64 = 0.5;

/// The names of the kinds, in the order of [`kind`].
pub const KINDS: [(&str, &str); 5] = [
    (
        "Fixed",
        "Holds position, direction and roll, like a tight clip",
    ),
    (
        "Fixed, free twist",
        "Holds position and direction; the cable may turn about its own axis",
    ),
    ("Ball", "Holds position alone, like a loose tie"),
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

/// The kind of the next handle, and how many.
#[derive(Debug)]
pub struct AddHandle {
    kind: usize,
    /// One where the user clicks; more are spread evenly over the cable.
    count: usize,
}

impl Default for AddHandle {
    fn default() -> Self {
        Self { kind: 0, count: 1 }
    }
}

/// Its row in the table of tools.
pub const ROW: ToolRow = ToolRow {
    kind: ToolKind::named("add_handle"),
    name: "Add fixing",
    tip: "Holds or guides a cable where you click on it",
    key: Key::A,
    other_words: "handle clip clamp tie guide",
    icon,
    make: || Box::new(AddHandle::default()),
};

fn icon(icon: &Icon<'_>) {
    // A clip round a cable.
    icon.ring((0.5, 0.38), 0.26);
    icon.line(&[(0.5, 0.64), (0.5, 0.92)]);
    icon.line(&[(0.22, 0.92), (0.78, 0.92)]);
}

impl AddHandle {
    /// Arc lengths of the next handles, for a click at `s`.
    fn places(&self, s: f64, length: f64) -> Vec<f64> {
        match self.count {
            1 => vec![s],
            n => (1..=n)
                .map(|i| length * i as f64 / (n + 1) as f64)
                .collect(),
        }
    }
}

impl Tool for AddHandle {
    /// What to do next.
    fn hint(&self, document: &Document) -> String {
        if document.scene().cables.is_empty() {
            return "There is no cable to hold   |   Esc".into();
        }
        let kind = KINDS[self.kind].0;
        match self.count {
            1 => format!("Click on a cable to add a fixing ({kind})   |   Esc ends"),
            n => format!(
                "Click on a cable to spread {n} fixings ({kind}) evenly over it   |   Esc ends"
            ),
        }
    }

    /// A place was clicked: on a cable, it gets a handle there.
    fn pick(&mut self, pick: Pick, document: &Document, actions: &mut Vec<Action>) {
        let scene = document.scene();
        let (Thing::Cable(k), Some(s)) = (pick.thing, pick.arc_length) else {
            actions.push(Action::Complain(
                "A fixing sits on a cable: click on one.".into(),
            ));
            return;
        };
        let cable = &scene.cables[k];
        let commands = (self.places(s, cable.length).into_iter()).map(|s| Command::AddHandle {
            cable: cable.name.clone(),
            name: None,
            place: place(s, cable.length),
            kind: kind(self.kind, cable.length),
            pose: None,
        });
        actions.push(Action::EditAll(commands.collect()));
    }

    /// Where the handle would be.
    fn paint(&self, overlay: &Overlay<'_>, document: &Document, view: &View) {
        let Some(pick) = view.pick(document) else {
            return;
        };
        if let (Thing::Cable(k), Some(s)) = (pick.thing, pick.arc_length) {
            let cable = &document.scene().cables[k];
            let length = cable.length;
            if self.count > 1 {
                let points = cable.shape.as_ref().map_or(&[][..], |s| &s.points);
                for place in self.places(s, length) {
                    if let Some(at) = point_at(cable, points, place) {
                        overlay.cross(&at, theme::HOT);
                    }
                }
                let apart = length / (self.count + 1) as f64;
                overlay.label(&pick.point, &format!("every {apart:.1} mm"));
                return;
            }
            overlay.cross(&pick.point, theme::HOT);
            let words = format!(
                "{s:.1} mm from the start\n{:.1} mm from the end",
                length - s
            );
            overlay.label(&pick.point, &words);
        }
    }

    /// The kind of the next handle.
    fn options(&mut self, ui: &mut Ui, _document: &Document, _actions: &mut Vec<Action>) {
        let label = ui.label("Kind");
        ComboBox::from_id_salt("kind of the next handle")
            .selected_text(KINDS[self.kind].0)
            .show_ui(ui, |ui| {
                for (k, (name, tip)) in KINDS.iter().enumerate() {
                    ui.selectable_value(&mut self.kind, k, *name)
                        .on_hover_text(*tip);
                }
            })
            .response
            .labelled_by(label.id);
        let label = ui.label("How many");
        ui.add(DragValue::new(&mut self.count).range(1..=50).speed(0.1))
            .labelled_by(label.id)
            .on_hover_text("1 where you click; more are spread evenly over the cable");
    }

    fn has_options(&self) -> bool {
        true
    }
}

/// A place inside the cable, not at its ends.
fn place(s: f64, length: f64) -> HandlePlace {
    HandlePlace::At(s.clamp(1e-3 * length, (1.0 - 1e-3) * length))
}
