//! Makes branches of a tessellated harness flexible: shows its ends, junctions and branches, and takes those clicked.

use std::sync::Arc;

use egui::{Key, Stroke, Ui};

use super::ToolRow;
use super::correct::Correct;
use super::review::Review;
use crate::app::action::Action;
use crate::app::choices::ToolKind;
use crate::app::document::Document;
use crate::app::icon::Icon;
use crate::app::selection::{Pick, Thing};
use crate::app::theme;
use crate::app::viewport::{Overlay, Tool, View};
use crate::centerline::{Branch, CenterlineGraph};
use crate::geom::Vec3;
use crate::scene::flexibilise::{RestChoice, belongs_with};
use crate::scene::{Command, PartRole, material};

/// A place on a branch.
#[derive(Clone, Copy, Debug, PartialEq)]
struct OnBranch {
    branch: usize,
    arc_length: f64,
    /// Where the surface was clicked.
    point: Vec3,
}

/// What was found and picked so far.
#[derive(Debug, Default)]
pub struct Flexibilise {
    part: Option<String>,
    graph: Option<Arc<CenterlineGraph>>,
    /// Clicks mean places of a stretch, not whole branches.
    by_points: bool,
    branches: Vec<usize>,
    points: Vec<OnBranch>,
    /// Of the new cables; `None` takes a taped bundle.
    material: Option<String>,
    /// What the new cables are like without load.
    rest: RestChoice,
    /// Clicks correct what was found.
    correct: Option<Correct>,
    /// The places where what was found is doubtful.
    review: Review,
    /// A part that was clicked and is no harness: a second click means it.
    doubted: Option<String>,
}

/// Its row in the table of tools.
pub const ROW: ToolRow = ToolRow {
    kind: ToolKind::FLEXIBILISE,
    name: "Make flexible",
    tip: "Makes branches of a tessellated harness flexible",
    key: Key::X,
    other_words: "flexibilise flexibilize extract centerline",
    icon,
    make: || Box::new(Flexibilise::default()),
};

fn icon(icon: &Icon<'_>) {
    // A straight piece that turns into a wave.
    icon.line(&[(0.02, 0.22), (0.98, 0.22)]);
    icon.wave([0.02, 0.98], 0.2);
}

impl Flexibilise {
    fn look_at(&mut self, document: &Document, part: usize) -> Option<Action> {
        let name = document.scene().parts.get(part)?.name.clone();
        *self = Self {
            part: Some(name),
            by_points: self.by_points,
            material: self.material.take(),
            rest: self.rest,
            correct: self.correct.take(),
            ..Self::default()
        };
        Some(Action::Extract(part))
    }

    fn place(&self, point: &Vec3) -> Option<OnBranch> {
        let found = self.graph.as_ref()?.project(point)?;
        Some(OnBranch {
            branch: found.branch,
            arc_length: found.arc_length,
            point: *point,
        })
    }

    fn paint_stretch(
        &self,
        overlay: &Overlay<'_>,
        graph: &CenterlineGraph,
        hover: Option<OnBranch>,
    ) {
        if !self.by_points {
            return;
        }
        for place in &self.points {
            let at = graph.branches[place.branch].at(place.arc_length);
            overlay.cross(&at.position, overlay.palette.accent);
        }
        let second = self.points.get(1).copied().or(hover);
        let (Some(a), Some(b)) = (self.points.first(), second) else {
            return;
        };
        if a.branch != b.branch {
            return;
        }
        let branch = &graph.branches[a.branch];
        let (from, to) = (
            a.arc_length.min(b.arc_length),
            a.arc_length.max(b.arc_length),
        );
        let points: Vec<Vec3> = (0..=60)
            .map(|i| branch.at(from + (to - from) * f64::from(i) / 60.0).position)
            .collect();
        overlay.path(&points, Stroke::new(4.5, overlay.palette.accent));
        let middle = branch.at(0.5 * (from + to)).position;
        overlay.label(&middle, &format!("{:.1} mm", to - from));
    }
}

impl Tool for Flexibilise {
    /// Begins with the selected part, if one is.
    fn begin(&mut self, document: &Document, selected: Option<Thing>) -> Option<Action> {
        let parts = &document.scene().parts;
        let harness = || {
            let is_harness = |p: &crate::scene::Part| p.role == PartRole::Harness;
            let mut found = parts.iter().enumerate().filter(|(_, p)| is_harness(p));
            let only = found.next().map(|(k, _)| k);
            only.filter(|_| found.next().is_none())
        };
        let part = match selected {
            Some(Thing::Part(k)) => Some(k),
            _ => harness(),
        }?;
        self.look_at(document, part)
    }

    /// Centerlines were found, or not: then another harness is to be clicked.
    fn extracted(&mut self, part: &str, graph: Option<Arc<CenterlineGraph>>) {
        if self.part.as_deref() == Some(part) {
            if graph.is_none() {
                self.part = None;
            }
            self.review = graph.as_deref().map(Review::of).unwrap_or_default();
            self.graph = graph;
            self.branches.clear();
            self.points.clear();
        }
    }

    /// What to do next.
    fn hint(&self, document: &Document) -> String {
        if document.scene().parts.is_empty() {
            return "Import a tessellated harness first   |   Esc".into();
        }
        if let (Some(correct), Some(_)) = (&self.correct, &self.part) {
            return correct.hint();
        }
        match (&self.part, &self.graph) {
            (None, _) => "Click the harness that is to become flexible   |   Esc ends".into(),
            (Some(part), None) => format!("Looking for cables in {part} ...   |   Esc ends"),
            (Some(_), Some(_)) if self.by_points => match self.points.len() {
                0 => "Click where the flexible stretch begins   |   Esc".into(),
                1 => "Click where it ends   |   Esc takes it back".into(),
                _ => "Enter makes the stretch flexible   |   Esc takes the last place back".into(),
            },
            (Some(part), Some(_)) if self.branches.is_empty() => {
                format!("Click a branch of {part}, Ctrl+click more   |   Esc ends")
            }
            (Some(_), Some(_)) => {
                "Enter makes the chosen branches flexible   |   Ctrl+click more   |   Esc".into()
            }
        }
    }

    /// A place was clicked.
    fn pick(&mut self, pick: Pick, document: &Document, actions: &mut Vec<Action>) {
        let Thing::Part(k) = pick.thing else {
            actions.push(Action::Complain(
                "Click on a tessellated harness, which is a part; this is flexible already.".into(),
            ));
            return;
        };
        let Some(part) = document.scene().parts.get(k) else {
            return;
        };
        if self.part.as_ref() != Some(&part.name) {
            let doubtful = part.role != PartRole::Harness;
            if doubtful && self.doubted.as_ref() != Some(&part.name) {
                actions.push(Action::Complain(format!(
                    "\"{}\" is not marked as a harness. Click it once more to look for cables in it all the same.",
                    part.name
                )));
                self.doubted = Some(part.name.clone());
                return;
            }
            actions.extend(self.look_at(document, k));
            return;
        }
        if let Some(correct) = &mut self.correct {
            if let (Some(correction), Some(part)) = (correct.pick(&pick.point), &self.part) {
                actions.push(Action::Edit(Command::CorrectCenterline {
                    part: part.clone(),
                    correction,
                }));
                actions.push(Action::Extract(k));
            }
            return;
        }
        let Some(place) = self.place(&pick.point) else {
            return;
        };
        if self.by_points {
            if self.points.len() == 2 {
                self.points.clear();
            }
            self.points.push(place);
        } else if pick.adds {
            match self.branches.iter().position(|b| *b == place.branch) {
                Some(at) => {
                    self.branches.remove(at);
                }
                None => self.branches.push(place.branch),
            }
        } else {
            self.branches = vec![place.branch];
        }
    }

    /// Takes the last place or branch back.
    fn back(&mut self) -> bool {
        self.correct.as_mut().is_some_and(Correct::back)
            || self.points.pop().is_some()
            || self.branches.pop().is_some()
    }

    /// Enter: what was picked becomes flexible.
    fn enter(&mut self, _document: &Document, actions: &mut Vec<Action>) {
        let (Some(part), Some(graph)) = (&self.part, &self.graph) else {
            return;
        };
        let (branches, from, to) = match (&self.points[..], &self.branches[..]) {
            ([a, b], _) => (Vec::new(), Some(a.point.into()), Some(b.point.into())),
            (_, []) => {
                actions.push(Action::Complain(
                    "Click a branch first, or two places.".into(),
                ));
                return;
            }
            (_, branches) => (branches.to_vec(), None, None),
        };
        actions.push(Action::Flexibilise(Box::new(Command::Flexibilise {
            part: part.clone(),
            with: Vec::new(),
            branches,
            from,
            to,
            material: self.material.clone(),
            rest: self.rest,
            graph: Some(graph.clone()),
        })));
    }

    /// Ends and junctions as green balls, branches as lines, what is chosen in colour with its length.
    fn paint(&self, overlay: &Overlay<'_>, document: &Document, view: &View) {
        let Some(graph) = &self.graph else { return };
        let hover = view.pick(document).filter(|pick| match pick.thing {
            Thing::Part(k) => {
                document.scene().parts.get(k).map(|p| p.name.as_str()) == self.part.as_deref()
            }
            _ => false,
        });
        let hover = hover.and_then(|pick| Some((self.place(&pick.point)?, pick.point)));
        for (k, branch) in graph.branches.iter().enumerate() {
            let chosen = self.branches.contains(&k);
            let lit = hover.is_some_and(|(place, _)| place.branch == k);
            let stroke = match (chosen, lit) {
                (true, _) => Stroke::new(4.5, overlay.palette.accent),
                (false, true) => Stroke::new(4.0, theme::HOT),
                (false, false) => Stroke::new(1.6, theme::JUNCTION.gamma_multiply(0.8)),
            };
            overlay.path(&curve(branch), stroke);
        }
        for node in &graph.nodes {
            overlay.node(&node.position, false);
        }
        if let Some(first) = self.correct.as_ref().and_then(Correct::waiting) {
            overlay.cross(&first, overlay.palette.accent);
        }
        if let Some(place) = self.review.place() {
            overlay.cross(&place, overlay.palette.warn);
        }
        self.paint_stretch(overlay, graph, hover.map(|(place, _)| place));
        if let Some((place, point)) = hover {
            let branch = &graph.branches[place.branch];
            let words = if self.by_points {
                format!("{:.1} mm from the start of the branch", place.arc_length)
            } else {
                let radius = branch.at(0.5 * branch.length()).radius;
                format!("{:.1} mm, diameter {:.1} mm", branch.length(), 2.0 * radius)
            };
            overlay.label(&point, &words);
        }
    }

    /// Whole branches or a stretch, and the button that does it.
    fn options(&mut self, ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
        let correcting = self.correct.is_some();
        let whole = ui.selectable_label(!self.by_points && !correcting, "Whole branches");
        if whole.clicked() {
            self.by_points = false;
            self.correct = None;
            self.points.clear();
        }
        let by_points = self.by_points && !correcting;
        let stretch = ui.selectable_label(by_points, "Stretch between two places");
        if stretch.clicked() {
            self.by_points = true;
            self.correct = None;
            self.branches.clear();
        }
        let tip = "Delete, split or join what was found, set a radius, mark connectors and cables";
        let correct = ui.selectable_label(correcting, "Correct");
        if correct.on_hover_text(tip).clicked() {
            self.correct = Some(Correct::default());
            self.points.clear();
            self.branches.clear();
        }
        if self.correct.is_some() {
            self.correction_options(ui, document, actions);
            return;
        }
        let ready = !self.branches.is_empty() || self.points.len() == 2;
        let words = match (self.branches.len(), self.points.len()) {
            (0, 2) => "Make the stretch flexible".to_owned(),
            (0, _) => "Make flexible".to_owned(),
            (1, _) => "Make the branch flexible".to_owned(),
            (n, _) => format!("Make {n} branches flexible"),
        };
        if ui.add_enabled(ready, egui::Button::new(words)).clicked() {
            self.enter(document, actions);
        }
        self.material_box(ui, document);
        self.rest_box(ui);
        self.harness_button(ui, document, actions);
        if let Some(graph) = &self.graph {
            let all = ui.button("All branches");
            if all
                .on_hover_text("Chooses every branch of the harness")
                .clicked()
            {
                self.by_points = false;
                self.points.clear();
                self.branches = (0..graph.branches.len()).collect();
            }
            let n = graph.branches.len();
            ui.weak(if n == 1 {
                "1 branch".into()
            } else {
                format!("{n} branches")
            });
        }
    }

    fn has_options(&self) -> bool {
        true
    }
}

impl Flexibilise {
    /// What clicks correct, and the way back to what was found.
    fn correction_options(&mut self, ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
        if let Some(correct) = &mut self.correct {
            correct.options(ui);
        }
        let parts = document.scene().parts.iter().enumerate();
        let mut parts = parts.filter(|(_, p)| Some(&p.name) == self.part.as_ref());
        let Some((k, part)) = parts.next() else {
            return;
        };
        if let Some(graph) = &self.graph
            && let Some(correction) = self.review.show(ui, graph, actions)
        {
            let part = part.name.clone();
            actions.push(Action::Edit(Command::CorrectCenterline {
                part,
                correction,
            }));
            actions.push(Action::Extract(k));
        }
        let n = part.corrections.len();
        let forget = ui.add_enabled(n > 0, egui::Button::new("Forget corrections"));
        if forget.clicked() {
            let part = part.name.clone();
            actions.push(Action::Edit(Command::ClearCorrections { part }));
            actions.push(Action::Extract(k));
        }
        ui.weak(match n {
            1 => "1 correction".into(),
            n => format!("{n} corrections"),
        });
    }

    /// What the new cables are like without load.
    fn rest_box(&mut self, ui: &mut Ui) {
        let label = ui.label("Without load");
        egui::ComboBox::from_id_salt("rest shape of the harness")
            .selected_text(rest_words(self.rest).0)
            .show_ui(ui, |ui| {
                for choice in [
                    RestChoice::Preformed,
                    RestChoice::AsDesigned,
                    RestChoice::Straight,
                ] {
                    let (words, tip) = rest_words(choice);
                    ui.selectable_value(&mut self.rest, choice, words)
                        .on_hover_text(tip);
                }
            })
            .response
            .labelled_by(label.id);
    }

    /// One click for a harness in several parts: the whole of it becomes flexible.
    fn harness_button(&mut self, ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
        let Some(part) = &self.part else { return };
        let mut with = belongs_with(document.scene(), part);
        if with.len() < 2 {
            return;
        }
        let words = format!("All {} parts as one harness", with.len());
        let tip = "Makes all parts of the same group or file flexible as one harness: segments join, sleeves move \
                   along, clips hold the cable that runs through them, connectors sit at its ends";
        if ui.button(words).on_hover_text(tip).clicked() {
            with.retain(|name| name != part);
            actions.push(Action::Flexibilise(Box::new(Command::Flexibilise {
                part: part.clone(),
                with,
                branches: Vec::new(),
                from: None,
                to: None,
                material: self.material.clone(),
                rest: self.rest,
                graph: None,
            })));
        }
    }

    fn material_box(&mut self, ui: &mut Ui, document: &Document) {
        let label = ui.label("Material");
        egui::ComboBox::from_id_salt("material of the harness")
            .selected_text(self.material.as_deref().unwrap_or("taped bundle"))
            .show_ui(ui, |ui| {
                ui.selectable_value(&mut self.material, None, "taped bundle");
                let own = document.scene().materials.iter().cloned();
                for material in own.chain(material::built_in()) {
                    let name = Some(material.name.clone());
                    ui.selectable_value(&mut self.material, name, material.name);
                }
            })
            .response
            .labelled_by(label.id);
    }
}

/// Name and explanation of a choice.
fn rest_words(choice: RestChoice) -> (&'static str, &'static str) {
    match choice {
        RestChoice::Preformed => (
            "preformed",
            "Moulded to the imported shape: it sags from there under its weight",
        ),
        RestChoice::AsDesigned => (
            "as designed",
            "The imported shape is the equilibrium: nothing moves, and the forces of its fixings are unknown",
        ),
        RestChoice::Straight => (
            "straight",
            "Straight without load, and bent into the imported shape: it springs from there",
        ),
    }
}

fn curve(branch: &Branch) -> Vec<Vec3> {
    branch.curve.iter().map(|p| p.position).collect()
}
