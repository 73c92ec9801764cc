//! Cables are cut, joined, branched off, merged and clipped by clicking on them.

use egui::{ComboBox, Key, Ui};

use super::ToolRow;
use crate::app::action::Action;
use crate::app::choices::ToolKind;
use crate::app::document::Document;
use crate::app::icon::Icon;
use crate::app::selection::{Pick, Thing};
use crate::app::theme;
use crate::app::viewport::{Overlay, Tool, View};
use crate::scene::topology::CableEnd;
use crate::scene::{ClipPlace, Command, Scene};

/// What clicks do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Edit {
    #[default]
    Split,
    Join,
    BranchOff,
    Detach,
    Slide,
    Merge,
    Clip,
}

impl Edit {
    const ALL: [Self; 7] = [
        Self::Split,
        Self::Join,
        Self::BranchOff,
        Self::Detach,
        Self::Slide,
        Self::Merge,
        Self::Clip,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Split => "Split",
            Self::Join => "Join ends",
            Self::BranchOff => "Branch off",
            Self::Detach => "Detach",
            Self::Slide => "Slide junction",
            Self::Merge => "Merge",
            Self::Clip => "Clip",
        }
    }

    fn tip(self) -> &'static str {
        match self {
            Self::Split => "Cuts a cable where you click; a junction holds the pieces together",
            Self::Join => "Brings one end to another",
            Self::BranchOff => "Attaches an end to the middle of another cable",
            Self::Detach => "Takes an end out of its junction",
            Self::Slide => "Moves a junction along its trunk",
            Self::Merge => "Makes one cable of two that meet",
            Self::Clip => "Holds several cables as one bundle",
        }
    }

    /// What to click, the first time and after.
    fn asks(self, picked: usize) -> &'static str {
        match (self, picked) {
            (Self::Split, _) => "Click where the cable is to be cut",
            (Self::Join, 0) => "Click near the end that is to come",
            (Self::Join, _) => "Click near the end that it is to come to",
            (Self::BranchOff, 0) => "Click near the end of the branch",
            (Self::BranchOff, _) => "Click the place on the trunk",
            (Self::Detach, _) => "Click near the end of the branch that is to leave its junction",
            (Self::Slide, 0) => "Click the junction",
            (Self::Slide, _) => "Click the place on its trunk where it is to be",
            (Self::Merge, 0) => "Click the cable that gives the name",
            (Self::Merge, _) => "Click the cable that it is merged with",
            (Self::Clip, 0 | 1) => "Click each cable where the clip holds it",
            (Self::Clip, _) => "Click more cables, or Enter to clip them",
        }
    }
}

/// What clicks do, and what was clicked.
#[derive(Debug, Default)]
pub struct Rewire {
    edit: Edit,
    picks: Vec<Pick>,
}

/// Its row in the table of tools.
pub const ROW: ToolRow = ToolRow {
    kind: ToolKind::named("rewire"),
    name: "Rewire",
    tip: "Splits, joins, branches off, merges and clips cables that you click",
    key: Key::W,
    other_words: "split cut join branch off detach merge weld slide junction clip bundle topology",
    icon,
    make: || Box::new(Rewire::default()),
};

fn icon(icon: &Icon<'_>) {
    // A trunk with a branch, and the junction between them.
    icon.line(&[(0.04, 0.7), (0.96, 0.7)]);
    icon.line(&[(0.46, 0.7), (0.86, 0.14)]);
    icon.dot((0.46, 0.7), 0.12);
}

impl Rewire {
    /// The edit, once enough was clicked.
    fn command(&self, scene: &Scene) -> Result<Option<Command>, &'static str> {
        let first = self.picks[0];
        let second = self.picks.get(1);
        Ok(match self.edit {
            Edit::Split => {
                let (cable, at) = place_of(scene, &first).ok_or(ON_A_CABLE)?;
                let name = None;
                Some(Command::SplitCable { cable, at, name })
            }
            Edit::Join => {
                let (cable, end) = end_of(scene, &first).ok_or(AT_AN_END)?;
                let Some(second) = second else {
                    return Ok(None);
                };
                let (to, to_end) = end_of(scene, second).ok_or(AT_AN_END)?;
                Some(Command::JoinEnds {
                    cable,
                    end,
                    to,
                    to_end,
                })
            }
            Edit::BranchOff => {
                let (cable, end) = end_of(scene, &first).ok_or(AT_AN_END)?;
                let Some(second) = second else {
                    return Ok(None);
                };
                let (onto, at) = place_of(scene, second).ok_or(ON_A_CABLE)?;
                Some(Command::BranchOff {
                    cable,
                    end,
                    onto,
                    at,
                    name: None,
                })
            }
            Edit::Detach => {
                let (cable, end) = end_of(scene, &first).ok_or(AT_AN_END)?;
                let handle = scene.cable(&cable).and_then(|c| c.handle_at(end.place()));
                let handle = handle
                    .ok_or("There is no fixing at that end.")?
                    .name
                    .clone();
                Some(Command::Detach { cable, handle })
            }
            Edit::Slide => {
                let Thing::Junction(j) = first.thing else {
                    return Err("Click the junction itself first.");
                };
                let Some(second) = second else {
                    return Ok(None);
                };
                Some(slide(scene, j, second)?)
            }
            Edit::Merge => {
                let (name, _) = place_of(scene, &first).ok_or(ON_A_CABLE)?;
                let Some(second) = second else {
                    return Ok(None);
                };
                let (other, _) = place_of(scene, second).ok_or(ON_A_CABLE)?;
                Some(Command::MergeCables {
                    first: name,
                    second: other,
                })
            }
            Edit::Clip => {
                let last = self.picks.last().unwrap_or(&first);
                place_of(scene, last).ok_or(ON_A_CABLE)?;
                None
            }
        })
    }
}

impl Tool for Rewire {
    /// What to do next.
    fn hint(&self, _document: &Document) -> String {
        let esc = if self.picks.is_empty() {
            "Esc ends"
        } else {
            "Esc takes the last one back"
        };
        format!("{}   |   {esc}", self.edit.asks(self.picks.len()))
    }

    /// A place was clicked; the last one that is needed makes the edit.
    fn pick(&mut self, pick: Pick, document: &Document, actions: &mut Vec<Action>) {
        let scene = document.scene();
        self.picks.push(pick);
        match self.command(scene) {
            Ok(None) => {}
            Ok(Some(command)) => {
                self.picks.clear();
                actions.push(Action::Edit(command));
            }
            Err(complaint) => {
                self.picks.pop();
                actions.push(Action::Complain(complaint.to_owned()));
            }
        }
    }

    /// Enter: the clip is made.
    fn enter(&mut self, document: &Document, actions: &mut Vec<Action>) {
        if self.edit != Edit::Clip || self.picks.len() < 2 {
            return;
        }
        let scene = document.scene();
        let places = self.picks.drain(..).filter_map(|p| place_of(scene, &p));
        let places = places.map(|(cable, at)| ClipPlace { cable, at });
        actions.push(Action::Edit(Command::ClipCables {
            name: None,
            places: places.collect(),
        }));
    }

    /// Takes the last pick back; says whether there was one.
    fn back(&mut self) -> bool {
        self.picks.pop().is_some()
    }

    /// What was clicked, and what a click would take.
    fn paint(&self, overlay: &Overlay<'_>, document: &Document, view: &View) {
        for pick in &self.picks {
            overlay.cross(&pick.point, overlay.palette.accent);
        }
        let Some(pick) = view.pick(document) else {
            return;
        };
        let scene = document.scene();
        let wants_end = match self.edit {
            Edit::Detach | Edit::Join => true,
            Edit::BranchOff => self.picks.is_empty(),
            Edit::Split | Edit::Slide | Edit::Merge | Edit::Clip => false,
        };
        let words = if wants_end {
            end_of(scene, &pick).map(|(cable, end)| format!("{} of {cable}", end.word()))
        } else {
            place_of(scene, &pick).map(|(cable, at)| format!("{cable}, {at:.1} mm from its start"))
        };
        if let Some(words) = words {
            overlay.cross(&pick.point, theme::HOT);
            overlay.label(&pick.point, &words);
        }
    }

    /// What clicks do.
    fn options(&mut self, ui: &mut Ui, _document: &Document, _actions: &mut Vec<Action>) {
        let label = ui.label("Edit");
        let before = self.edit;
        ComboBox::from_id_salt("what clicks do to cables")
            .selected_text(self.edit.name())
            .show_ui(ui, |ui| {
                for edit in Edit::ALL {
                    ui.selectable_value(&mut self.edit, edit, edit.name())
                        .on_hover_text(edit.tip());
                }
            })
            .response
            .labelled_by(label.id);
        if self.edit != before {
            self.picks.clear();
        }
    }

    fn has_options(&self) -> bool {
        true
    }
}

const ON_A_CABLE: &str = "There is no cable: click on one.";
const AT_AN_END: &str = "Click on a cable near the end that you mean, or on the fixing there.";

/// A place on a cable: its name and the arc length.
fn place_of(scene: &Scene, pick: &Pick) -> Option<(String, f64)> {
    match (pick.thing, pick.arc_length) {
        (Thing::Cable(k), Some(s)) => Some((scene.cables.get(k)?.name.clone(), s)),
        (Thing::Handle(id), _) => {
            let cable = scene.cables.get(id.cable)?;
            let handle = cable.handles.get(id.handle)?;
            Some((cable.name.clone(), cable.arc_length(handle)))
        }
        _ => None,
    }
}

/// The end of a cable that a place is nearest to.
fn end_of(scene: &Scene, pick: &Pick) -> Option<(String, CableEnd)> {
    let (name, at) = place_of(scene, pick)?;
    let length = scene.cable(&name)?.length;
    let end = if at < 0.5 * length {
        CableEnd::Start
    } else {
        CableEnd::End
    };
    Some((name, end))
}

/// Takes a junction to a place on one of the cables that meet there.
fn slide(scene: &Scene, junction: usize, to: &Pick) -> Result<Command, &'static str> {
    let junction = scene.junctions.get(junction).ok_or(ON_A_CABLE)?;
    let (towards, at) = place_of(scene, to).ok_or(ON_A_CABLE)?;
    let cable = scene.cable(&towards).ok_or(ON_A_CABLE)?;
    let end = junction.ends.iter().find_map(|end| {
        let handle = (end.cable == towards).then(|| cable.handle(&end.handle))?;
        CableEnd::of(handle?)
    });
    let by = match end {
        Some(CableEnd::Start) => at,
        Some(CableEnd::End) => cable.length - at,
        None => return Err("That cable does not end in the junction: click on its trunk."),
    };
    Ok(Command::SlideJunction {
        junction: junction.name.clone(),
        towards,
        by,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::selection::HandleId;
    use crate::geom::Vec3;
    use crate::scene::demo::demo;

    fn on_cable(cable: usize, at: f64) -> Pick {
        Pick {
            thing: Thing::Cable(cable),
            point: Vec3::zeros(),
            normal: None,
            arc_length: Some(at),
            adds: false,
        }
    }

    fn on(thing: Thing) -> Pick {
        Pick {
            thing,
            arc_length: None,
            ..on_cable(0, 0.0)
        }
    }

    fn picked(edit: Edit, document: &mut Document, picks: &[Pick]) -> Vec<Action> {
        let mut tool = Rewire {
            edit,
            ..Rewire::default()
        };
        let mut actions = Vec::new();
        for pick in picks {
            tool.pick(*pick, document, &mut actions);
        }
        tool.enter(document, &mut actions);
        actions
    }

    #[test]
    fn clicks_make_the_edits_and_wrong_ones_say_what_to_click() {
        let scene = demo("crossing").unwrap();
        let mut document = Document::new(scene.clone(), None);
        let of = |action: &Action| match action {
            Action::Edit(command) => command.title(),
            Action::Complain(words) => words.clone(),
            _ => String::new(),
        };
        let end = Thing::Handle(HandleId {
            cable: 1,
            handle: 1,
        });
        for (edit, picks, wanted) in [
            (Edit::Split, vec![on_cable(0, 300.0)], "Split below"),
            (
                Edit::Join,
                vec![on(end), on_cable(0, 10.0)],
                "Join above to below",
            ),
            (
                Edit::BranchOff,
                vec![on_cable(1, 690.0), on_cable(0, 300.0)],
                "Branch above off below",
            ),
            (
                Edit::Merge,
                vec![on_cable(1, 1.0), on_cable(0, 3.0)],
                "Merge below into above",
            ),
            (
                Edit::Clip,
                vec![on_cable(1, 300.0), on_cable(0, 300.0)],
                "Clip 2 cables together",
            ),
            (Edit::Detach, vec![on(end)], "Detach above"),
            (Edit::Split, vec![on(Thing::Part(0))], ON_A_CABLE),
            (
                Edit::Slide,
                vec![on_cable(0, 3.0)],
                "Click the junction itself first.",
            ),
        ] {
            let actions = picked(edit, &mut document, &picks);
            let [action] = &actions[..] else {
                panic!("{edit:?}: {actions:?}")
            };
            assert_eq!(of(action), wanted);
        }
    }
}
