//! The drawer below the view: plots along the cable, contacts and violations, the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use egui::{RichText, ScrollArea, Ui};
use egui_plot::{HLine, Legend, Line, Plot, PlotPoints, VLine};

use super::messages::Messages;
use super::revision::Revision;
use super::{findings, lengths, motion, starts, study};
use crate::app::action::{Action, Select};
use crate::app::choices::Purpose;
use crate::app::curve::Curve;
use crate::app::document::Document;
use crate::app::jobs::Measured;
use crate::app::motion::Motion;
use crate::app::playback::Playback;
use crate::app::selection::{Selection, Thing};
use crate::app::status;
use crate::app::theme;
use crate::geom::Vec3;
use crate::scene::findings::Finding;
use crate::scene::{BendMeasure, Cable, Scene};
use crate::solve::{ContactReport, Profile};

/// What the drawer shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Page {
    #[default]
    BendRadius,
    Curvature,
    Tension,
    Twist,
    Clearance,
    ContactForce,
    Contacts,
    Findings,
    Lengths,
    Study,
    Motion,
    Revision,
    Log,
}

/// What the drawer shows beside the document.
pub struct Around<'a> {
    /// What is selected.
    pub selection: &'a Selection,
    /// The place along a cable that the mouse points at in the view: its number and arc length, mm.
    pub in_view: Option<(usize, f64)>,
    /// The room around each node of a cable, by its number, mm.
    pub clearance: &'a dyn Fn(usize) -> Vec<f64>,
    /// What was said.
    pub messages: &'a Messages,
    /// What moves, or has moved.
    pub motion: Option<&'a Motion>,
    /// What is shown instead of the document.
    pub playback: Option<&'a Playback>,
}

/// What the drawer remembers.
#[derive(Default)]
pub struct Drawer {
    page: Page,
    findings: findings::List,
    revision: Option<Revision>,
    /// The page of the assembly study.
    pub study: study::Page,
    /// The page of motion over time.
    pub motion: motion::Page,
    /// The place along a cable that the mouse points at in the plot: its number and arc length, mm.
    pointed: Option<(usize, f64)>,
}

impl Drawer {
    /// Has the list of contacts in front when it is opened.
    pub fn turn_to_contacts(&mut self) {
        self.page = Page::Contacts;
    }

    /// Has the assembly study in front.
    pub fn turn_to_study(&mut self) {
        self.page = Page::Study;
    }

    /// Has motion over time in front.
    pub fn turn_to_motion(&mut self) {
        self.page = Page::Motion;
    }

    /// Has what a new revision of the parts did in front.
    pub fn turn_to_revision(&mut self, revision: Revision) {
        self.revision = Some(revision);
        self.page = Page::Revision;
    }

    /// Whether the last revision is looked at and asks for the cables, now that they rest in the state of that number.
    pub fn revision_asks(&mut self, edit: u64) -> bool {
        self.page == Page::Revision && self.revision.as_mut().is_some_and(|r| r.asks(edit))
    }

    /// The cables were measured after the last revision, in the state of that number.
    pub fn measured(&mut self, edit: u64, now: Result<Measured, String>) {
        if let Some(revision) = &mut self.revision {
            revision.measured(edit, now);
        }
    }

    /// The scene was judged.
    pub fn judged(&mut self, found: Result<Vec<Finding>, String>) {
        self.findings.judged(found);
    }

    /// Another document: what was found in the last one is not of it.
    pub fn forget(&mut self) {
        self.findings = findings::List::default();
        self.revision = None;
        self.study = study::Page::default();
        self.motion = motion::Page::default();
        if self.page == Page::Revision {
            self.page = Page::default();
        }
    }

    /// The place along a cable that the mouse points at in the plot: its number and arc length, mm.
    pub fn pointed(&self) -> Option<(usize, f64)> {
        self.pointed
    }

    /// The drawer.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        around: &Around<'_>,
        actions: &mut Vec<Action>,
    ) {
        let Around {
            selection,
            messages,
            motion,
            playback,
            ..
        } = *around;
        let pointed = self.pointed.take();
        // As tall as it was made, whatever the page has: the view above must not jump.
        ui.set_min_height(ui.available_height());
        ui.horizontal_wrapped(|ui| {
            for (page, name) in [
                (Page::BendRadius, "Bend radius"),
                (Page::Curvature, "Curvature"),
                (Page::Tension, "Tension"),
                (Page::Twist, "Twist"),
                (Page::Clearance, "Clearance"),
                (Page::ContactForce, "Contact force"),
                (Page::Contacts, "Contacts"),
                (Page::Findings, "Findings"),
                (Page::Lengths, "Lengths"),
                (Page::Study, "Assembly study"),
                (Page::Motion, "Motion"),
                (Page::Revision, "Updated parts"),
                (Page::Log, "Log"),
            ] {
                if page != Page::Revision || self.revision.is_some() {
                    ui.selectable_value(&mut self.page, page, name);
                }
            }
        });
        match self.page {
            Page::Contacts => contacts(ui, document, actions),
            Page::Findings => self.findings.show(ui, document, actions),
            Page::Lengths => lengths::show(ui, document, actions),
            Page::Study => {
                (self.study).show(ui, document, selection, playback, actions);
            }
            Page::Motion => {
                let seen = (motion, playback);
                (self.motion).show(ui, document, selection, seen, actions);
            }
            Page::Revision => {
                if let Some(revision) = &self.revision {
                    revision.show(ui, document, actions);
                }
            }
            Page::Log => log(ui, messages),
            page => {
                let last = pointed.map(|(_, at)| at);
                self.pointed = plot(ui, document, around, page, last, actions);
            }
        }
    }
}

/// The plot; says which place along the cable the mouse points at.
fn plot(
    ui: &mut Ui,
    document: &Document,
    around: &Around<'_>,
    page: Page,
    pointed: Option<f64>,
    actions: &mut Vec<Action>,
) -> Option<(usize, f64)> {
    let Around {
        selection,
        in_view,
        clearance,
        ..
    } = *around;
    let scene = document.scene();
    let only = (scene.cables.len() == 1).then_some(0);
    let Some(number) = selection.cable().or(only) else {
        ui.weak("Select a cable to see it plotted along its length.");
        return None;
    };
    let cable = &scene.cables[number];
    let Some(profile) = document.profile(&cable.name) else {
        ui.weak("The cable is not solved yet.");
        return None;
    };
    let palette = theme::palette(ui.ctx());
    let contacts = document
        .report(&cable.name)
        .map_or(&[][..], |r| &r.contacts);
    let clearance = match page {
        Page::Clearance => clearance(number),
        _ => Vec::new(),
    };
    let (name, unit, points) = series(cable, profile, (contacts, &clearance), page);
    let limit = match page {
        Page::BendRadius => cable.bend_limit.mm(2.0 * cable.thickest()),
        Page::Curvature => cable.smallest_centerline_radius().map(|r| 1000.0 / r),
        _ => None,
    };
    let curve = Curve {
        cable: cable.name.clone(),
        name,
        unit,
        points,
        limit,
        most: match page {
            Page::BendRadius => {
                let limit = cable.smallest_centerline_radius().unwrap_or(0.0);
                (10.0 * limit).max(100.0 * cable.radius)
            }
            _ => f64::INFINITY,
        },
    };
    let in_view = in_view.filter(|(k, _)| *k == number).map(|(_, at)| at);
    show_head(ui, &curve, pointed.or(in_view), actions);
    let plot = Plot::new("along the cable")
        .legend(Legend::default())
        .x_axis_label("arc length, mm")
        .y_axis_label(unit)
        .include_y(0.0)
        .allow_scroll(false)
        .height(ui.available_height().max(60.0));
    let shown = plot.show(ui, |ui| {
        let color = theme::cable_color(scene, number);
        ui.line(
            Line::new(name, curve.drawn().collect::<PlotPoints>())
                .color(color)
                .width(1.8),
        );
        if let Some(limit) = limit {
            let name = format!("limit, {}", cable.bend_limit.words(2.0 * cable.thickest()));
            ui.hline(HLine::new(name, limit).color(palette.bad));
        }
        if let Some(at) = in_view {
            ui.vline(VLine::new("in the view", at).color(palette.accent));
        }
        ui.pointer_coordinate().map(|p| p.x)
    });
    let at = shown.inner.filter(|_| shown.response.hovered())?;
    (0.0..=cable.length).contains(&at).then_some((number, at))
}

/// The cable, what the curve is at the cursor, and what can be done with it.
fn show_head(ui: &mut Ui, curve: &Curve, at: Option<f64>, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.strong(&curve.cable);
        let copy = ui.button("Copy as CSV");
        if copy
            .on_hover_text("Arc length and value, one place a line")
            .clicked()
        {
            ui.ctx().copy_text(curve.csv());
        }
        let save = ui.button("Save ...");
        if save
            .on_hover_text("As numbers (.csv) or as a drawing (.svg)")
            .clicked()
        {
            actions.push(Action::AskWrite(Purpose::Plot(Arc::new(curve.clone()))));
        }
        if let Some((s, value)) = at.and_then(|s| Some((s, curve.at(s)?))) {
            ui.label(format!(
                "{} {value} {} at {s:.0} mm",
                curve.name, curve.unit
            ));
        }
    });
}

/// Name, unit and points of a curve along the cable.
fn series(
    cable: &Cable,
    profile: &Profile,
    (contacts, clearance): (&[ContactReport], &[f64]),
    page: Page,
) -> (&'static str, &'static str, Vec<[f64; 2]>) {
    let lengths = cable.edge_lengths();
    let mut nodes = vec![0.0];
    for length in &lengths {
        nodes.push(nodes[nodes.len() - 1] + length);
    }
    let middles = nodes.windows(2).map(|n| 0.5 * (n[0] + n[1]));
    let at_nodes = |values: &[f64], scale: f64| -> Vec<[f64; 2]> {
        (nodes.iter().zip(values))
            .map(|(s, v)| [*s, v * scale])
            .collect()
    };
    match page {
        Page::Tension => (
            "tension",
            "N",
            middles
                .zip(&profile.tension)
                .map(|(s, t)| [s, *t])
                .collect(),
        ),
        Page::Twist => (
            "twist",
            "degrees per m",
            at_nodes(&profile.twist_rate, 1000_f64.to_degrees()),
        ),
        // What is roomier is not looked for.
        Page::Clearance => ("clearance, up to 50 mm", "mm", at_nodes(clearance, 1.0)),
        Page::ContactForce => {
            let points = cable.shape.as_ref().map_or(&[][..], |s| &s.points);
            let mut forces = vec![0.0; points.len()];
            for contact in contacts {
                let distance = |k: &usize| (points[*k] - contact.position).norm_squared();
                let near = (0..points.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
                if let Some(k) = near {
                    forces[k] += contact.force.norm();
                }
            }
            ("contact force", "N", at_nodes(&forces, 1.0))
        }
        Page::BendRadius => {
            let measured = cable.bend_limit.measured;
            let thick = profile.curvature.iter().zip(cable.node_radii());
            let radius = |(k, outer): (&f64, f64)| measured.measured(1.0 / k.abs(), outer);
            let radii: Vec<f64> = thick.map(radius).collect();
            let name = match cable.bend_limit.measured {
                BendMeasure::Centerline => "bend radius",
                BendMeasure::Inside => "bend radius inside",
            };
            (name, "mm", at_nodes(&radii, 1.0))
        }
        _ => ("curvature", "1/m", at_nodes(&profile.curvature, 1000.0)),
    }
}

/// Contacts of one cable with one part.
#[derive(Clone, Debug, PartialEq)]
struct Group {
    count: usize,
    smallest_gap: f64,
    largest_force: f64,
    at: Vec3,
}

fn groups(document: &Document) -> BTreeMap<(String, usize), Group> {
    let mut groups: BTreeMap<(String, usize), Group> = BTreeMap::new();
    for report in document.reports() {
        for contact in &report.report.contacts {
            let force = contact.force.norm();
            let group = groups
                .entry((report.cable.clone(), contact.obstacle))
                .or_insert(Group {
                    count: 0,
                    smallest_gap: f64::INFINITY,
                    largest_force: -1.0,
                    at: contact.position,
                });
            group.count += 1;
            group.smallest_gap = group.smallest_gap.min(contact.gap);
            if force > group.largest_force {
                group.largest_force = force;
                group.at = contact.position;
            }
        }
    }
    groups
}

fn contacts(ui: &mut Ui, document: &Document, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let palette = theme::palette(ui.ctx());
    let groups = groups(document);
    let sharp = status::sharp_bends(scene, document.reports());
    let is_clear = document.starts().is_empty();
    if groups.is_empty() && sharp.is_empty() && is_clear {
        ui.weak("No contact, no violation.");
        return;
    }
    ScrollArea::both()
        .id_salt("contacts")
        .auto_shrink(false)
        .show(ui, |ui| {
            starts::show(ui, document, actions);
            for finding in sharp {
                let link = ui.link(RichText::new(&finding.what).color(palette.bad));
                if link.on_hover_text(&finding.mend).clicked() {
                    actions.extend(finding.cable.as_deref().map(|c| select(scene, c)));
                    actions.extend(finding.position.map(|p| Action::GoTo(p.into())));
                }
            }
            for ((cable, part), group) in groups {
                let part = scene.parts.get(part).map_or("a part", |p| &p.name);
                let times = match group.count {
                    1 => "1 contact".to_owned(),
                    n => format!("{n} contacts"),
                };
                let words = format!(
                    "{cable} on {part}: {times}, gap {:.3} mm, force up to {:.3} N",
                    group.smallest_gap, group.largest_force
                );
                if ui.link(words).clicked() {
                    actions.push(select(scene, &cable));
                    actions.push(Action::GoTo(group.at.into()));
                }
            }
        });
}

fn select(scene: &Scene, cable: &str) -> Action {
    let found = scene.cables.iter().position(|c| c.name == cable);
    Action::Select(Select::Only(found.map(Thing::Cable).into_iter().collect()))
}

fn log(ui: &mut Ui, messages: &Messages) {
    if messages.log().is_empty() {
        ui.weak("No messages");
        return;
    }
    ScrollArea::vertical()
        .id_salt("log")
        .stick_to_bottom(true)
        .auto_shrink(false)
        .show(ui, |ui| {
            for (time, text) in messages.log() {
                ui.horizontal_wrapped(|ui| {
                    let since = time.as_secs();
                    let clock = format!("{:02}:{:02}", since / 60, since % 60);
                    ui.weak(clock);
                    ui.label(text);
                });
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_has_a_value_for_every_node_or_edge() {
        let simulation =
            crate::scene::Simulation::new(crate::scene::demo::demo("drag").unwrap()).unwrap();
        let cable = &simulation.scene().cables[0];
        let profile = simulation.solvers()[0].profile();
        let n = cable.n_edges;
        let clearance = vec![12.5; n + 1];
        for (page, points) in [
            (Page::BendRadius, n + 1),
            (Page::Curvature, n + 1),
            (Page::Twist, n + 1),
            (Page::ContactForce, n + 1),
            (Page::Clearance, n + 1),
            (Page::Tension, n),
        ] {
            let (name, unit, found) = series(cable, &profile, (&[], &clearance), page);
            assert_eq!(found.len(), points);
            assert!(found.windows(2).all(|p| p[0][0] < p[1][0]));
            // What is straight has no radius that could be written.
            let is_straight = |v: f64| page == Page::BendRadius && v == f64::INFINITY;
            assert!(
                found.iter().all(|p| p[1].is_finite() || is_straight(p[1])),
                "{name}"
            );
            assert!(!name.is_empty() && !unit.is_empty());
        }
    }
}
