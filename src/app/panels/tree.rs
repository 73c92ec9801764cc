//! The left panel: everything in the scene by name. Click selects, as in the view.

use std::collections::BTreeMap;

use egui::{CollapsingHeader, Key, RichText, ScrollArea, Sense, TextEdit, Ui};

use super::context;
use crate::app::action::{Action, HandleId, Select};
use crate::app::document::Document;
use crate::app::selection::{Selection, Thing};
use crate::app::theme;
use crate::scene::{PartRole, Scene};

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
        section(ui, "Cables", scene.cables.len(), |ui| {
            for k in 0..scene.cables.len() {
                self.cable(ui, k);
            }
        });
        if !scene.junctions.is_empty() {
            section(ui, "Junctions", scene.junctions.len(), |ui| {
                for k in 0..scene.junctions.len() {
                    self.row(ui, Thing::Junction(k), theme::JUNCTION, "");
                }
            });
        }
        section(ui, "Parts", scene.parts.len(), |ui| {
            let mut groups: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
            for (k, part) in scene.parts.iter().enumerate() {
                groups.entry(&part.group).or_default().push(k);
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

    fn cable(&mut self, ui: &mut Ui, k: usize) {
        let scene = self.scene;
        let cable = &scene.cables[k];
        let handles = (0..cable.handles.len()).map(|handle| HandleId { cable: k, handle });
        let handles: Vec<Thing> = handles.map(Thing::Handle).collect();
        let own = self.is_found(Thing::Cable(k));
        if !own && !handles.iter().any(|h| self.is_found(*h)) {
            return;
        }
        let note = format!("{:.1} mm", cable.length);
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
            let can_hide = matches!(thing, Thing::Cable(_) | Thing::Part(_));
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
            let command = thing.show_command(self.scene, visible);
            self.actions.extend(command.map(Action::Edit));
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
    ui.painter().rect_filled(rect, rounding, color);
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
