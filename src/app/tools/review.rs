//! The places where what was found is doubtful, one after the other, with the correction that is most likely meant.

use egui::Ui;

use super::correct::Fix;
use crate::app::action::Action;
use crate::centerline::{CenterlineGraph, Correction, NodeKind, Warning};
use crate::geom::Vec3;

/// So many mm are seen around a place, at least, and in diameters of the thickest branch there.
const SEEN: (f64, f64) = (40.0, 8.0);

/// A doubtful place.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// What is doubtful.
    pub words: String,
    /// Where, mm.
    pub place: Vec3,
    /// What one click does about it: its words and what they mean.
    pub mend: Option<(&'static str, Correction)>,
}

/// All doubtful places, in the order in which they were found.
pub fn doubts(graph: &CenterlineGraph) -> Vec<Doubt> {
    let doubt = |warning: &Warning| {
        Some(Doubt {
            words: warning.to_string(),
            place: *graph.places(warning).first()?,
            mend: mend(graph, warning),
        })
    };
    graph.warnings.iter().filter_map(doubt).collect()
}

/// The correction that is most likely meant by one who agrees that something is wrong there.
fn mend(graph: &CenterlineGraph, warning: &Warning) -> Option<(&'static str, Correction)> {
    let place = *graph.places(warning).first()?;
    let at = place.into();
    match warning {
        Warning::GapLeft { .. } => {
            let ends = graph.nodes.iter().filter(|n| n.kind == NodeKind::End);
            let mut ends: Vec<Vec3> = ends.map(|n| n.position).collect();
            let distance = |p: &Vec3| (p - place).norm_squared();
            ends.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
            let [from, to, ..] = ends[..] else {
                return None;
            };
            let (from, to) = (from.into(), to.into());
            Some(("Join the two ends", Correction::JoinEnds { from, to }))
        }
        Warning::JoinedAcrossGap { .. } => Some((Fix::Split.name(), Correction::Split { at })),
        Warning::RadiusOff { surface, .. } => {
            let radius = *surface;
            Some((
                "Take the radius of the surface",
                Correction::SetRadius { at, radius },
            ))
        }
        Warning::Uncertain { .. } | Warning::OffSurface { .. } | Warning::Bridged { .. } => {
            Some((Fix::Delete.name(), Correction::DeleteBranch { at }))
        }
        // Of a piece only its box is known, and another may be nearer to the middle of that.
        Warning::NoCable { .. }
        | Warning::EndsAtBody { .. }
        | Warning::Unexplained { .. }
        | Warning::NotRound { .. }
        | Warning::CorrectionLost { .. } => None,
    }
}

/// Which of the doubtful places is looked at.
#[derive(Debug, Default)]
pub struct Review {
    doubts: Vec<Doubt>,
    /// Its number, once one was asked for.
    at: Option<usize>,
}

impl Review {
    /// What was found anew.
    pub fn of(graph: &CenterlineGraph) -> Self {
        Self {
            doubts: doubts(graph),
            at: None,
        }
    }

    /// The place that is looked at.
    pub fn place(&self) -> Option<Vec3> {
        Some(self.doubts.get(self.at?)?.place)
    }

    /// The next place, or the one before; the last one is followed by the first.
    fn step(&mut self, forward: bool) {
        let n = self.doubts.len();
        self.at = match (self.at, forward) {
            _ if n == 0 => None,
            (None, true) => Some(0),
            (None, false) => Some(n - 1),
            (Some(at), true) => Some((at + 1) % n),
            (Some(at), false) => Some((at + n - 1) % n),
        };
    }

    /// Previous, next, what is doubtful, and what mends it; the correction that was asked for.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        graph: &CenterlineGraph,
        actions: &mut Vec<Action>,
    ) -> Option<Correction> {
        if self.doubts.is_empty() {
            ui.weak("No doubtful place");
            return None;
        }
        let n = self.doubts.len();
        let back = ui.button("Previous");
        let back = back.on_hover_text("Shows the doubtful place before this one");
        let on = ui.button("Next");
        let on = on.on_hover_text("Shows the next doubtful place");
        if back.clicked() || on.clicked() {
            self.step(on.clicked());
            if let Some(place) = self.place() {
                actions.push(Action::LookInto(place.into(), seen(graph, &place)));
            }
        }
        let Some(at) = self.at else {
            ui.weak(if n == 1 {
                "1 doubtful place".into()
            } else {
                format!("{n} doubtful places")
            });
            return None;
        };
        let doubt = &self.doubts[at];
        ui.label(format!("{} of {n}:", at + 1));
        let mend = doubt.mend.as_ref().filter(|(words, _)| {
            let button = ui.button(*words);
            button.on_hover_text("Ctrl+Z takes it back").clicked()
        });
        ui.label(&doubt.words);
        mend.map(|(_, correction)| *correction)
    }
}

/// How many mm are seen from top to bottom at a place.
fn seen(graph: &CenterlineGraph, place: &Vec3) -> f64 {
    let radius = graph
        .project(place)
        .map_or(0.0, |p| graph.branches[p.branch].at(p.arc_length).radius);
    (SEEN.1 * 2.0 * radius).max(SEEN.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(warnings: Vec<Warning>) -> CenterlineGraph {
        CenterlineGraph {
            warnings,
            nodes: Vec::new(),
            branches: Vec::new(),
            components: Vec::new(),
            component_of_triangle: Vec::new(),
        }
    }

    #[test]
    fn next_and_previous_go_round_all_doubtful_places() {
        let at = |x: f64| Warning::EndsAtBody {
            position: Vec3::new(x, 0.0, 0.0),
        };
        let mut review = Review::of(&graph(vec![at(1.0), at(2.0), at(3.0)]));
        assert_eq!(review.place(), None);
        let mut seen = Vec::new();
        for forward in [true, true, true, true, false, false] {
            review.step(forward);
            seen.push(review.place().unwrap().x);
        }
        assert_eq!(seen, [1.0, 2.0, 3.0, 1.0, 3.0, 2.0]);
        let mut none = Review::of(&graph(Vec::new()));
        none.step(true);
        assert_eq!(none.place(), None);
    }

    #[test]
    fn a_radius_that_is_off_is_mended_by_that_of_the_surface() {
        let place = Vec3::new(4.0, 5.0, 6.0);
        let warning = Warning::RadiusOff {
            branch: 0,
            places: vec![place],
            radius: 3.0,
            surface: 5.0,
        };
        let doubt = doubts(&graph(vec![warning])).remove(0);
        let at = place.into();
        let radius = 5.0;
        let expected = Correction::SetRadius { at, radius };
        assert_eq!(doubt.mend.map(|(_, c)| c), Some(expected));
    }
}
