//! The left panel: everything in the scene by name. Click selects, as in the view.

use std::collections::BTreeMap;

use egui::{CollapsingHeader, Key, RichText, ScrollArea, Sense, TextEdit, Ui};

use super::context;
use crate::app::action::{Action, Select};
use crate::app::document::Document;
use crate::app::selection::{HandleId, Selection, Thing};
use crate::app::theme;
use crate::scene::{Members, PartRole, Scene};

/// What the panel remembers.
#[derive(Default)]
pub struct Tree {
    search: String,
    renaming: Option<Renaming>,
}

/// A name that is being typed.
struct Renaming {
    thing: Thing,
    text: String,
    fresh: bool,
}

impl Tree {
    /// Begins to type another name.
    pub fn rename(&mut self, thing: Thing, scene: &Scene) {
        // Where it is typed must be seen.
        self.search.clear();
        self.renaming = thing.name(scene).map(|name| Renaming {
            thing,
            text: name.to_owned(),
            fresh: true,
        });
    }

    /// The panel.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        document: &Document,
        selection: &Selection,
        actions: &mut Vec<Action>,
    ) {
        ui.add_space(4.0);
        let search = TextEdit::singleline(&mut self.search)
            .hint_text("Search")
            .desired_width(f32::INFINITY);
        let response = ui.add(search);
        response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Search the tree")
        });
        ui.add_space(2.0);
        ScrollArea::vertical()
            .id_salt("tree")
            .auto_shrink(false)
            .show(ui, |ui| {
                ui.set_max_width(ui.available_width() - theme::BAR);
                let mut rows = Rows {
                    scene: document.scene(),
                    selection,
                    search: self.search.trim().to_lowercase(),
                    renaming: &mut self.renaming,
                    actions,
                };
                rows.show(ui);
            });
    }
}

struct Rows<'a> {
    scene: &'a Scene,
    selection: &'a Selection,
    search: String,
    renaming: &'a mut Option<Renaming>,
    actions: &'a mut Vec<Action>,
}

impl Rows<'_> {
    fn show(&mut self, ui: &mut Ui) {
        let scene = self.scene;
        let harnesses: Vec<Members> = (0..scene.harnesses.len())
            .map(|k| scene.harness_members(k))
            .collect();
        let alone = |of: fn(&Members) -> &Vec<usize>, n: usize| -> Vec<usize> {
            let of_none = |k: &usize| !harnesses.iter().any(|h| of(h).contains(k));
            (0..n).filter(of_none).collect()
        };
        let cables = alone(|h| &h.cables, scene.cables.len());
        let junctions = alone(|h| &h.junctions, scene.junctions.len());
        let parts = alone(|h| &h.connectors, scene.parts.len());
        for (k, members) in harnesses.iter().enumerate() {
            self.harness(ui, k, members);
        }
        if !cables.is_empty() || harnesses.is_empty() {
            let found = |k: &&usize| self.is_cable_found(**k);
            section(ui, "Cables", cables.iter().filter(found).count(), |ui| {
                for k in cables {
                    self.cable(ui, k);
                }
            });
        }
        if !junctions.is_empty() {
            let found = |k: &&usize| self.is_found(Thing::Junction(**k));
            let count = junctions.iter().filter(found).count();
            section(ui, "Junctions", count, |ui| {
                for k in junctions {
                    self.row(ui, Thing::Junction(k), theme::JUNCTION, "");
                }
            });
        }
        let found = |k: &&usize| self.is_found(Thing::Part(**k));
        let count = parts.iter().filter(found).count();
        section(ui, "Parts", count, |ui| {
            let mut groups: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
            for k in parts {
                groups.entry(&scene.parts[k].group).or_default().push(k);
            }
            for (group, parts) in groups {
                if group.is_empty() {
                    for k in parts {
                        self.part(ui, k);
                    }
                    continue;
                }
                let found = parts.iter().any(|k| self.is_found(Thing::Part(*k)));
                if found {
                    CollapsingHeader::new(group.join(" / "))
                        .id_salt(group)
                        .default_open(true)
                        .show(ui, |ui| {
                            for k in parts {
                                self.part(ui, k);
                            }
                        });
                }
            }
        });
    }

    /// A harness with its branches, junctions and connectors.
    fn harness(&mut self, ui: &mut Ui, k: usize, members: &Members) {
        let thing = Thing::Harness(k);
        let own = self.is_found(thing);
        let cables = members.cables.iter().any(|k| self.is_cable_found(*k));
        let junctions = members.junctions.iter().map(|k| Thing::Junction(*k));
        let parts = members.connectors.iter().map(|k| Thing::Part(*k));
        let others = junctions.chain(parts).any(|t| self.is_found(t));
        if !own && !cables && !others {
            return;
        }
        let note = format!("({})", members.cables.len());
        self.row_always(ui, thing, theme::HARNESS, &note);
        ui.indent(("harness", k), |ui| {
            for cable in &members.cables {
                self.cable(ui, *cable);
            }
            for junction in &members.junctions {
                self.row(ui, Thing::Junction(*junction), theme::JUNCTION, "");
            }
            for part in &members.connectors {
                self.part(ui, *part);
            }
        });
        ui.add_space(6.0);
    }

    /// Whether a cable or one of its handles is looked for.
    fn is_cable_found(&self, k: usize) -> bool {
        let handles = 0..self.scene.cables[k].handles.len();
        let handles = handles.map(|handle| Thing::Handle(HandleId { cable: k, handle }));
        let mut all = handles.chain([Thing::Cable(k)]);
        all.any(|thing| self.is_found(thing))
    }

    fn cable(&mut self, ui: &mut Ui, k: usize) {
        let scene = self.scene;
        let cable = &scene.cables[k];
        let handles = (0..cable.handles.len()).map(|handle| HandleId { cable: k, handle });
        let handles: Vec<Thing> = handles.map(Thing::Handle).collect();
        let own = self.is_found(Thing::Cable(k));
        if !own && !handles.iter().any(|h| self.is_found(*h)) {
            return;
        }
        let note = format!("{:.1} mm", cable.seat_to_seat());
        self.row_always(ui, Thing::Cable(k), theme::cable_color(scene, k), &note);
        let few = scene.cables.len() <= 8 || self.selection.cable() == Some(k);
        if few || !self.search.is_empty() {
            ui.indent(("handles", k), |ui| {
                for thing in handles {
                    if own || self.is_found(thing) {
                        self.row_always(ui, thing, theme::cable_color(scene, k), "");
                    }
                }
            });
        }
    }

    fn part(&mut self, ui: &mut Ui, k: usize) {
        let part = &self.scene.parts[k];
        let note = match part.role {
            PartRole::Obstacle => format!("{} tri.", thousands(part.mesh().triangles().len())),
            PartRole::Connector => "connector".into(),
            PartRole::Harness => "harness".into(),
            PartRole::Background => "background".into(),
        };
        self.row(ui, Thing::Part(k), theme::part_color(self.scene, k), &note);
    }

    fn is_found(&self, thing: Thing) -> bool {
        let name = thing.name(self.scene).unwrap_or_default();
        self.search.is_empty() || name.to_lowercase().contains(&self.search)
    }

    fn row(&mut self, ui: &mut Ui, thing: Thing, color: egui::Color32, note: &str) {
        if self.is_found(thing) {
            self.row_always(ui, thing, color, note);
        }
    }

    fn row_always(&mut self, ui: &mut Ui, thing: Thing, color: egui::Color32, note: &str) {
        let Some(name) = thing.name(self.scene) else {
            return;
        };
        ui.horizontal(|ui| {
            let can_hide = matches!(thing, Thing::Cable(_) | Thing::Part(_) | Thing::Harness(_));
            if can_hide {
                self.eye(ui, thing, name);
            }
            swatch(
                ui,
                color,
                matches!(thing, Thing::Handle(_) | Thing::Junction(_)),
            );
            if self.renaming.as_ref().is_some_and(|r| r.thing == thing) {
                self.rename_field(ui);
                return;
            }
            let chosen = self.selection.contains(thing);
            let mut text = RichText::new(name);
            if !thing.is_visible(self.scene) {
                text = text.weak();
            }
            let response = ui.add(egui::Button::selectable(chosen, text).truncate());
            if response.clicked() {
                self.actions
                    .push(Action::Select(if ui.input(|i| i.modifiers.command) {
                        Select::Toggle(thing)
                    } else {
                        Select::Only(vec![thing])
                    }));
            }
            if response.double_clicked() {
                self.actions.push(Action::FitSelection);
            }
            if response.secondary_clicked() && !chosen {
                self.actions.push(Action::Select(Select::Only(vec![thing])));
            }
            response.context_menu(|ui| {
                context::show(ui, self.scene, self.selection, self.actions);
            });
            if !note.is_empty() {
                let weak = theme::palette(ui.ctx()).weak;
                let note = RichText::new(note).small().color(weak);
                ui.add(egui::Label::new(note).truncate());
            }
        });
    }

    fn eye(&mut self, ui: &mut Ui, thing: Thing, name: &str) {
        let mut visible = thing.is_visible(self.scene);
        let response = ui.add(egui::Checkbox::without_text(&mut visible));
        response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::CheckBox, true, format!("Show {name}"))
        });
        if response
            .on_hover_text("Shown in the view. A hidden part still stops cables.")
            .changed()
        {
            let commands = thing.show_commands(self.scene, visible);
            self.actions.push(Action::EditAll(commands));
        }
    }

    fn rename_field(&mut self, ui: &mut Ui) {
        let Some(renaming) = self.renaming.as_mut() else {
            return;
        };
        let field = TextEdit::singleline(&mut renaming.text).desired_width(f32::INFINITY);
        let response = ui.add(field);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "New name"));
        if std::mem::take(&mut renaming.fresh) {
            response.request_focus();
        }
        if response.lost_focus() {
            let Renaming { thing, text, .. } = self.renaming.take().unwrap_or(Renaming {
                thing: Thing::Cable(usize::MAX),
                text: String::new(),
                fresh: false,
            });
            let kept = !ui.input(|i| i.key_pressed(Key::Escape));
            if kept && thing.name(self.scene) != Some(text.trim()) {
                let command = thing.rename_command(self.scene, &text);
                self.actions.extend(command.map(Action::Edit));
            }
        }
    }
}

fn section(ui: &mut Ui, name: &str, count: usize, content: impl FnOnce(&mut Ui)) {
    let title = RichText::new(format!("{name} ({count})")).strong();
    CollapsingHeader::new(title)
        .id_salt(name)
        .default_open(true)
        .show_unindented(ui, content);
    ui.add_space(6.0);
}

fn swatch(ui: &mut Ui, color: egui::Color32, round: bool) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(12.0, 12.0), Sense::hover());
    let rounding = if round { 6.0 } else { 2.0 };
    // Dark cables are seen on a dark ground, too.
    let rim = egui::Stroke::new(1.0, ui.visuals().weak_text_color().gamma_multiply(0.6));
    let inside = egui::StrokeKind::Inside;
    ui.painter().rect(rect, rounding, color, rim, inside);
}

/// 1234567 as 1 234 567.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let groups: Vec<_> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(String::from_utf8_lossy)
        .collect();
    groups.join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_are_grouped() {
        for (n, text) in [(7, "7"), (1000, "1 000"), (1_234_567, "1 234 567")] {
            assert_eq!(super::thousands(n), text);
        }
    }
}
