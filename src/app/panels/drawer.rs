//! The drawer below the view: plots along the cable, contacts and violations, the log.

use std::collections::BTreeMap;

use egui::{RichText, ScrollArea, Ui};
use egui_plot::{HLine, Legend, Line, Plot, PlotPoints};

use super::messages::Messages;
use super::starts;
use crate::app::action::{Action, Select};
use crate::app::document::Document;
use crate::app::selection::{Selection, Thing};
use crate::app::theme;
use crate::geom::Vec3;
use crate::scene::{Cable, Scene};
use crate::solve::Profile;

/// What the drawer shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Page {
    #[default]
    Curvature,
    Tension,
    Twist,
    Contacts,
    Log,
}

/// What the drawer remembers.
#[derive(Default)]
pub struct Drawer {
    page: Page,
}

impl Drawer {
    /// Has the list of contacts in front when it is opened.
    pub fn turn_to_contacts(&mut self) {
        self.page = Page::Contacts;
    }

    /// The drawer.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        selection: &Selection,
        messages: &Messages,
        actions: &mut Vec<Action>,
    ) {
        ui.horizontal_wrapped(|ui| {
            for (page, name) in [
                (Page::Curvature, "Curvature"),
                (Page::Tension, "Tension"),
                (Page::Twist, "Twist"),
                (Page::Contacts, "Contacts and violations"),
                (Page::Log, "Log"),
            ] {
                ui.selectable_value(&mut self.page, page, name);
            }
        });
        match self.page {
            Page::Contacts => contacts(ui, document, actions),
            Page::Log => log(ui, messages),
            page => plot(ui, document, selection, page),
        }
    }
}

fn plot(ui: &mut Ui, document: &Document, selection: &Selection, page: Page) {
    let scene = document.scene();
    let only = (scene.cables.len() == 1).then_some(0);
    let Some(number) = selection.cable().or(only) else {
        ui.weak("Select a cable to see it plotted along its length.");
        return;
    };
    let cable = &scene.cables[number];
    let profile = document.profile(&cable.name);
    let Some(profile) = profile else {
        ui.weak("The cable is not solved yet.");
        return;
    };
    let palette = theme::palette(ui.ctx());
    let (name, unit, points) = series(cable, profile, page);
    let mut plot = Plot::new("along the cable")
        .legend(Legend::default())
        .x_axis_label("arc length, mm")
        .y_axis_label(unit)
        .allow_scroll(false)
        .height(ui.available_height().max(60.0));
    if page == Page::Curvature {
        plot = plot.include_y(0.0);
    }
    plot.show(ui, |ui| {
        let color = theme::cable_color(scene, number);
        ui.line(
            Line::new(name, PlotPoints::from(points))
                .color(color)
                .width(1.8),
        );
        if let (Page::Curvature, Some(limit)) = (page, cable.min_bend_radius) {
            let name = format!("limit, radius {limit:.0} mm");
            ui.hline(HLine::new(name, 1000.0 / limit).color(palette.bad));
        }
    });
}

/// Name, unit and points of a curve along the cable.
fn series(
    cable: &Cable,
    profile: &Profile,
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
    let sharp = too_sharp(document);
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
            for (cable, radius, limit) in sharp {
                let words = format!("{cable} is bent to {radius:.1} mm, allowed are {limit:.1} mm");
                let link = ui.link(RichText::new(words).color(palette.bad));
                if link.clicked() {
                    actions.push(select(scene, &cable));
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

/// Cables that are bent more sharply than allowed: name, smallest radius, limit.
fn too_sharp(document: &Document) -> Vec<(String, f64, f64)> {
    let reports = document.reports().iter();
    reports
        .filter_map(|r| {
            let limit = document.scene().cable(&r.cable)?.min_bend_radius?;
            let radius = r.report.smallest_bend_radius;
            (radius < limit).then(|| (r.cable.clone(), radius, limit))
        })
        .collect()
}

fn select(scene: &Scene, cable: &str) -> Action {
    let found = scene.cables.iter().position(|c| c.name == cable);
    Action::Select(Select::Only(found.map(Thing::Cable).into_iter().collect()))
}

fn log(ui: &mut Ui, messages: &Messages) {
    if messages.log().is_empty() {
        ui.weak("Nothing was said yet.");
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
        for (page, points) in [
            (Page::Curvature, n + 1),
            (Page::Twist, n + 1),
            (Page::Tension, n),
        ] {
            let (_, _, found) = series(cable, &profile, page);
            assert_eq!(found.len(), points);
            assert!(found.windows(2).all(|p| p[0][0] < p[1][0]));
        }
    }
}
