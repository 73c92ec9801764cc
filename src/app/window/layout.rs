//! Where the panels are.

use egui::{CentralPanel, Frame, Margin, Panel};

use super::LoomApp;
use crate::app::action::{Action, Select};
use crate::app::panels::drawer::Around;
use crate::app::panels::toolbar::{self, Running, Switches};
use crate::app::panels::{context, hints, inspector, menu, status_bar::StatusBar};
use crate::app::selection::Selection;
use crate::app::status::{Paused, Situation};

/// What an empty view says.
const NOTHING_HERE: &str = "Nothing here yet: File > Open, or drop a scene or mesh file here";

impl LoomApp {
    pub(super) fn panels(
        &mut self,
        ui: &mut egui::Ui,
        busy: Option<&str>,
        actions: &mut Vec<Action>,
    ) {
        let ctx = ui.ctx().clone();
        let bar = |margin| Frame::side_top_panel(&ctx.global_style()).inner_margin(margin);
        Panel::top("menu")
            .frame(bar(Margin::symmetric(6, 3)))
            .show(ui, |ui| {
                menu::show(ui, &self.document, &self.view, &self.settings, actions);
            });
        Panel::top("tools")
            .frame(bar(Margin::symmetric(8, 4)))
            .show(ui, |ui| {
                let switches = Switches {
                    running: &self.running,
                    collisions: !self.view.ghost,
                };
                toolbar::show(ui, &self.tool, switches, actions);
            });
        Panel::bottom("status")
            .frame(bar(Margin::symmetric(10, 5)))
            .show(ui, |ui| self.status_bar(ui, busy, actions));
        if self.settings.panes.hints {
            Panel::top("hints")
                .frame(bar(Margin::symmetric(8, 4)))
                .show(ui, |ui| hints::show(ui, &self.document, actions));
        }
        // In a small window, or a large type, the view keeps about half of the width.
        let width = ctx.content_rect().width();
        if self.settings.panes.tree {
            Panel::left("tree")
                .default_size(230_f32.min(0.24 * width))
                .size_range(140.0..=480.0)
                .show(ui, |ui| {
                    let selection = &self.view.selection;
                    self.tree.show(ui, &self.document, selection, actions);
                });
        }
        if self.settings.panes.inspector {
            Panel::right("inspector")
                .default_size(270_f32.min(0.3 * width))
                .size_range(180.0..=480.0)
                .show(ui, |ui| {
                    inspector::show(ui, &self.document, &self.view.selection, actions);
                });
        }
        if self.settings.panes.drawer {
            self.drawer_panel(ui, actions);
        } else {
            self.view.mark = None;
        }
        if self.playback.is_some() {
            Panel::bottom("player")
                .frame(bar(Margin::symmetric(8, 4)))
                .show(ui, |ui| self.player_bar(ui, actions));
        }
        CentralPanel::default()
            .frame(Frame::NONE)
            .show(ui, |ui| self.view_panel(ui, busy, actions));
    }

    /// Plots, contacts and log below the view.
    fn drawer_panel(&mut self, ui: &mut egui::Ui, actions: &mut Vec<Action>) {
        let in_view = self.view.pointed(&self.document);
        let shown = Panel::bottom("drawer")
            .resizable(true)
            .default_size(self.settings.drawer_height)
            .size_range(90.0..=600.0)
            .show(ui, |ui| {
                let clearance = |k: usize| self.view.clearance(&self.document, k);
                let around = Around {
                    selection: &self.view.selection,
                    in_view,
                    clearance: &clearance,
                    messages: &self.messages,
                    motion: self.motion.as_ref(),
                    playback: self.playback.as_ref(),
                };
                self.drawer.show(ui, &self.document, &around, actions);
            });
        self.view.mark = self.drawer.pointed();
        let height = shown.response.rect.height();
        let resting = !ui.input(|i| i.pointer.any_down());
        if resting && (height - self.settings.drawer_height).abs() > 1.0 {
            self.settings.drawer_height = height;
            self.keep_settings();
        }
    }

    /// The view, with what stands over it.
    fn view_panel(&mut self, ui: &mut egui::Ui, busy: Option<&str>, actions: &mut Vec<Action>) {
        let ctx = ui.ctx().clone();
        let view = ui.max_rect();
        let notice = busy.unwrap_or(NOTHING_HERE);
        let (document, tool) = (&self.document, &self.tool);
        let response = self.view.ui(ui, document, &**tool, notice, actions);
        if response.double_clicked_by(egui::PointerButton::Middle) {
            actions.push(Action::FitAll);
        }
        if response.double_clicked() && self.view.under_the_cursor().is_some() {
            actions.push(Action::ShowInspector);
        }
        if response.secondary_clicked() {
            let under = self.view.under_the_cursor();
            self.menu_of_view = under.is_none();
            if let Some(thing) = under.filter(|t| !self.view.selection.contains(*t)) {
                actions.push(Action::Select(Select::Only(vec![thing])));
            }
        }
        let nothing = Selection::default();
        let meant = if self.menu_of_view {
            &nothing
        } else {
            &self.view.selection
        };
        response.context_menu(|ui| context::show(ui, document.scene(), meant, actions));
        let cut = self.view.section();
        let (document, tool) = (&self.document, &mut self.tool);
        let bottom = toolbar::options(&ctx, view, document, tool, cut, actions);
        self.messages.show(&ctx, view.with_min_y(bottom));
        self.jobs.show(&ctx, view);
    }

    fn status_bar(&mut self, ui: &mut egui::Ui, busy: Option<&str>, actions: &mut Vec<Action>) {
        let hint = if self.tool.is_select() {
            self.view.hint()
        } else {
            self.tool.hint(&self.document)
        };
        let under = self.view.under_the_cursor();
        let bar = self.error_bar(ui.ctx());
        let paused = match &self.running {
            Running::Yes => None,
            Running::No { reason } => Some(Paused {
                reason,
                up_to_date: self.document.is_settled(),
            }),
        };
        StatusBar {
            scene: self.document.scene(),
            reports: self.document.reports(),
            starts: self.document.starts(),
            situation: Situation {
                dragging: self.view.is_dragging(),
                at_rest: self.worker.is_at_rest(),
                collisions_off: self.view.ghost,
                held: self.document.held_parts().first(),
                paused,
            },
            moved: self.view.moved(self.document.scene()),
            hint: busy.unwrap_or(&hint),
            under: under.and_then(|thing| {
                let mut words = vec![thing.description(self.document.scene())?];
                words.extend(bar);
                Some(words.join(", "))
            }),
        }
        .show(ui, actions);
    }
}
