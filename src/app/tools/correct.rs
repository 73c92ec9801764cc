//! Corrections of the centerlines that were found: what a click says is wrong.

use egui::{ComboBox, DragValue, Ui};

use crate::centerline::Correction;
use crate::geom::Vec3;

/// What is wrong where the user clicks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fix {
    /// A branch is a spur.
    #[default]
    Delete,
    /// One branch is two.
    Split,
    /// Two ends belong together.
    Join,
    /// A radius is wrong.
    Radius,
    /// A piece is no cable.
    Connector,
    /// A piece is a cable after all.
    Cable,
}

/// The fixes, with their names and what they mean.
const FIXES: [(Fix, &str, &str); 6] = [
    (Fix::Delete, "Delete a branch", "The branch is none: a spur"),
    (
        Fix::Split,
        "Split a branch",
        "The branch is two, which meet where you click",
    ),
    (
        Fix::Join,
        "Join two ends",
        "Two ends belong together: click one, then the other",
    ),
    (
        Fix::Radius,
        "Set a radius",
        "The branch has this radius all along",
    ),
    (
        Fix::Connector,
        "Mark a connector",
        "The piece is a connector, a clip or another body, not a cable",
    ),
    (
        Fix::Cable,
        "Mark a cable",
        "The piece is a cable, though it does not look like one",
    ),
];

impl Fix {
    /// Its name and what it means.
    fn words(self) -> (&'static str, &'static str) {
        let found = FIXES.iter().find(|(fix, _, _)| *fix == self);
        found.map_or(("", ""), |(_, name, tip)| (name, tip))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.words().0
    }
}

/// What the next click corrects.
#[derive(Debug)]
pub struct Correct {
    fix: Fix,
    radius: f64,
    /// The first of two ends.
    first: Option<Vec3>,
}

impl Default for Correct {
    fn default() -> Self {
        Self {
            fix: Fix::default(),
            radius: 5.0,
            first: None,
        }
    }
}

impl Correct {
    /// What to do next.
    pub fn hint(&self) -> String {
        let (name, tip) = self.fix.words();
        match (self.fix, self.first) {
            (Fix::Join, None) => "Click the first of two ends   |   Esc".into(),
            (Fix::Join, Some(_)) => {
                "Click the end that it is joined to   |   Esc takes it back".into()
            }
            _ => format!("{name}: {tip}   |   click it   |   Ctrl+Z takes a correction back"),
        }
    }

    /// A place was clicked; the correction, once it is known in full.
    pub fn pick(&mut self, point: &Vec3) -> Option<Correction> {
        let at = (*point).into();
        match self.fix {
            Fix::Delete => Some(Correction::DeleteBranch { at }),
            Fix::Split => Some(Correction::Split { at }),
            Fix::Radius => Some(Correction::SetRadius {
                at,
                radius: self.radius,
            }),
            Fix::Connector => Some(Correction::MarkConnector { at }),
            Fix::Cable => Some(Correction::MarkCable { at }),
            Fix::Join => match self.first.take() {
                None => {
                    self.first = Some(*point);
                    None
                }
                Some(from) => Some(Correction::JoinEnds {
                    from: from.into(),
                    to: at,
                }),
            },
        }
    }

    /// Takes the first of two places back.
    pub fn back(&mut self) -> bool {
        self.first.take().is_some()
    }

    /// The place that waits for a second.
    pub fn waiting(&self) -> Option<Vec3> {
        self.first
    }

    /// What the next click corrects.
    pub fn options(&mut self, ui: &mut Ui) {
        ComboBox::from_id_salt("what is wrong")
            .selected_text(self.fix.name())
            .show_ui(ui, |ui| {
                for (fix, name, tip) in FIXES {
                    let choice = ui.selectable_value(&mut self.fix, fix, name);
                    if choice.on_hover_text(tip).clicked() {
                        self.first = None;
                    }
                }
            });
        if self.fix == Fix::Radius {
            let label = ui.label("Radius");
            let value = DragValue::new(&mut self.radius)
                .range(0.1..=500.0)
                .speed(0.1)
                .suffix(" mm");
            ui.add(value)
                .labelled_by(label.id)
                .on_hover_text("Radius of the cable along the corrected centerline");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clicks_join_and_one_does_the_rest() {
        let (a, b) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0));
        let mut tool = Correct {
            fix: Fix::Join,
            ..Correct::default()
        };
        assert_eq!(tool.pick(&a), None);
        assert!(tool.back() && !tool.back());
        assert_eq!(tool.pick(&a), None);
        let (from, to) = (a.into(), b.into());
        assert_eq!(tool.pick(&b), Some(Correction::JoinEnds { from, to }));
        tool.fix = Fix::Split;
        assert_eq!(tool.pick(&a), Some(Correction::Split { at: from }));
    }
}
