//! The command palette: every action by its name, found by typing.

use egui::{Key, ScrollArea, TextEdit};

use super::dialogs::dialog;
use super::shortcuts;
use crate::app::action::{Action, Pane, Sheet};
use crate::app::choices::{Coloring, Preset, Purpose};
use crate::app::tools;
use crate::scene::{Scene, demo};

/// Height of the list, points.
const LIST: f32 = 320.0;

/// One action, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What it is called.
    pub name: String,
    /// Its shortcut, if it has one.
    pub keys: String,
    /// Other words that people look for it by.
    pub other_words: &'static str,
    /// What it does.
    pub action: Action,
}

/// The palette, while it is open.
#[derive(Default)]
pub struct Palette {
    open: bool,
    text: String,
    chosen: usize,
    fresh: bool,
}

/// Everything that can be asked for, those with a shortcut first.
pub fn entries(ctx: &egui::Context, scene: &Scene) -> Vec<Entry> {
    let mut all: Vec<Entry> = shortcuts::named(ctx)
        .into_iter()
        .map(|(keys, name, action)| Entry {
            other_words: other_words(&action),
            name,
            keys,
            action,
        })
        .collect();
    let mut add = |name: String, action: Action| {
        all.push(Entry {
            other_words: other_words(&action),
            name,
            keys: String::new(),
            action,
        });
    };
    for (name, action) in [
        ("Import routes", Action::AskRoutes),
        ("Open path", Action::TypePath(Purpose::Open)),
        ("Save to path", Action::TypePath(Purpose::Save)),
        ("Pack into one file", Action::AskWrite(Purpose::Pack)),
        ("Save for support", Action::AskWrite(Purpose::Support)),
        ("Make selected cables rigid", Action::RigidifySelected),
        ("Copy", Action::Copy),
        ("Paste", Action::Paste),
        (
            "Section box around what is selected, or everything",
            Action::BoxSection,
        ),
        ("Mirror across X", Action::DuplicateSelected(Some(0))),
        ("Mirror across Y", Action::DuplicateSelected(Some(1))),
        ("Mirror across Z", Action::DuplicateSelected(Some(2))),
        ("Update parts from file", Action::TypePath(Purpose::Update)),
        ("Solve without friction", Action::Settle),
        ("Collision detection on or off", Action::ToggleGhost),
        ("List contacts and violations", Action::ShowViolations),
        ("Keep this view", Action::KeepView),
        ("Assembly study", Action::ShowStudy),
        ("Motion over time", Action::ShowMotion),
        ("Tree", Action::TogglePane(Pane::Tree)),
        ("Inspector", Action::TogglePane(Pane::Inspector)),
        ("Plots, contacts and log", Action::TogglePane(Pane::Drawer)),
        ("First steps", Action::TogglePane(Pane::Hints)),
        ("About Loomwright", Action::Show(Sheet::About)),
    ] {
        add(name.to_owned(), action);
    }
    for coloring in Coloring::ALL {
        let name = format!("Colour cables by: {}", coloring.name());
        add(name, Action::ColorBy(coloring));
    }
    for preset in Preset::ALL {
        let name = format!("Mouse navigation: {}", preset.name());
        add(name, Action::UsePreset(preset));
    }
    for (name, theme) in [
        ("Follow system", egui::ThemePreference::System),
        ("Light", egui::ThemePreference::Light),
        ("Dark", egui::ThemePreference::Dark),
    ] {
        add(format!("Theme: {name}"), Action::UseTheme(theme));
    }
    for view in &scene.views {
        let action = Action::RecallView(view.name.clone());
        add(format!("Kept view: {}", view.name), action);
    }
    for name in demo::names() {
        add(format!("Demo scene: {name}"), Action::OpenDemo(name));
    }
    for name in demo::figures() {
        add(format!("Figures of papers: {name}"), Action::OpenDemo(name));
    }
    all
}

/// Words that some look for an action by, beside its name.
fn other_words(action: &Action) -> &'static str {
    match action {
        Action::Use(kind) => tools::row(*kind).other_words,
        Action::Look(_) => "standard views",
        Action::ToggleSection | Action::BoxSection => "cut clip plane",
        Action::ToggleProjection => "orthographic projection",
        Action::ToggleGhost => "ghost pass through",
        Action::ShowStudy => "path disassembly extraction swept envelope load cases",
        Action::ShowMotion => "play simulate dynamics swing time",
        Action::DuplicateSelected(_) => "copy paste symmetric",
        Action::Settle => "settle",
        Action::ToggleRun => "pause run simulation",
        Action::ShowExport => "step iges dxf csv",
        Action::AskOpen => "load mesh stl obj glb",
        _ => "",
    }
}

/// The entries in which every typed word is found.
pub fn found<'a>(all: &'a [Entry], text: &str) -> Vec<&'a Entry> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let fits = |entry: &&Entry| {
        let name = format!("{} {}", entry.name.to_lowercase(), entry.other_words);
        words.iter().all(|word| name.contains(word))
    };
    all.iter().filter(fits).collect()
}

impl Palette {
    /// Shows it, empty.
    pub fn open(&mut self) {
        *self = Self {
            open: true,
            fresh: true,
            ..Self::default()
        };
    }

    /// Whether it is shown.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// The field and what it finds; pushes what was chosen.
    pub fn show(&mut self, ctx: &egui::Context, scene: &Scene, actions: &mut Vec<Action>) {
        if !self.open {
            return;
        }
        let all = entries(ctx, scene);
        let (down, up, enter) = ctx.input(|i| {
            let pressed = |key| i.key_pressed(key);
            (
                pressed(Key::ArrowDown),
                pressed(Key::ArrowUp),
                pressed(Key::Enter),
            )
        });
        let mut done = None;
        let modal = dialog(ctx, "palette").show(ctx, |ui| {
            ui.set_width(460.0_f32.min(ctx.content_rect().width() - 60.0));
            let label = ui.label("Command");
            let field = TextEdit::singleline(&mut self.text)
                .hint_text("Type a few letters, then Enter")
                .desired_width(f32::INFINITY);
            let field = ui.add(field).labelled_by(label.id);
            if std::mem::take(&mut self.fresh) {
                field.request_focus();
            }
            if field.changed() {
                self.chosen = 0;
            }
            let found = found(&all, &self.text);
            self.chosen = match (down, up) {
                (true, _) => self.chosen + 1,
                (_, true) => self.chosen.saturating_sub(1),
                _ => self.chosen,
            }
            .min(found.len().saturating_sub(1));
            if found.is_empty() {
                ui.weak("No such command");
            }
            // Always as high: what is left of a search would else be the height of the next one.
            let list = ScrollArea::vertical()
                .max_height(LIST)
                .min_scrolled_height(LIST);
            list.auto_shrink(false).show(ui, |ui| {
                for (k, entry) in found.iter().enumerate() {
                    let button = egui::Button::selectable(k == self.chosen, &entry.name)
                        .shortcut_text(entry.keys.as_str())
                        .min_size(egui::vec2(ui.available_width(), 0.0));
                    let response = ui.add(button);
                    if k == self.chosen && (down || up) {
                        response.scroll_to_me(None);
                    }
                    if response.clicked() || (enter && k == self.chosen) {
                        done = Some(entry.action.clone());
                    }
                }
            });
        });
        if done.is_some() || modal.should_close() {
            self.open = false;
        }
        actions.extend(done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_found_by_its_words_and_the_old_ones() {
        let ctx = egui::Context::default();
        let all = entries(&ctx, &Scene::default());
        let first = |text: &str| found(&all, text).first().map(|e| e.action.clone());
        let flexible = Some(Action::Use(crate::app::choices::ToolKind::FLEXIBILISE));
        assert_eq!(first("make flex"), flexible);
        assert_eq!(first("Flexibilise"), flexible);
        assert_eq!(first("solve friction"), Some(Action::Settle));
        assert_eq!(first("no such thing"), None);
        assert_eq!(found(&all, "").len(), all.len());
        let mut names: Vec<&str> = all.iter().map(|e| e.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len(), "every name is used once");
    }
}
