//! The error bars of the cable on which the mouse rests.

use super::LoomApp;
use crate::app::selection::Thing;
use crate::app::status;
use crate::scene::refine::Estimate;

/// The mouse rests when it has not moved for so long, s.
const RESTS_AFTER: f32 = 0.6;

/// Error bars of all cables in one state of the scene.
#[derive(Default)]
pub struct ErrorBars {
    /// Number of the state that they are of, or that they were asked for.
    edit: Option<u64>,
    found: Vec<Estimate>,
}

impl LoomApp {
    /// Error bars were found for the state of that number.
    pub(super) fn estimated(&mut self, edit: u64, found: Vec<Estimate>) {
        if self.error_bars.edit == Some(edit) {
            self.error_bars.found = found;
        }
    }

    /// How exact the shape under the resting mouse is, in words. It takes a finer solve, which is made beside the window when
    /// it is first asked for in a state.
    pub(super) fn error_bar(&mut self, ctx: &egui::Context) -> Option<String> {
        let Some(Thing::Cable(number)) = self.view.under_the_cursor() else {
            return None;
        };
        let is_shown = self.playback.is_none() && !self.view.is_dragging() && !self.view.ghost;
        if !is_shown || !self.worker.is_at_rest() || !self.document.is_settled() {
            return None;
        }
        let still = ctx.input(|i| i.pointer.time_since_last_movement());
        if still < RESTS_AFTER {
            let left = std::time::Duration::from_secs_f32(RESTS_AFTER - still);
            ctx.request_repaint_after(left);
            return None;
        }
        let edit = self.document.edit_number();
        let scene = self.document.scene();
        if self.error_bars.edit != Some(edit) {
            self.error_bars = ErrorBars {
                edit: Some(edit),
                found: Vec::new(),
            };
            let reports = self.document.reports().to_vec();
            self.jobs.estimate(scene.clone(), edit, reports);
        }
        let name = &scene.cables.get(number)?.name;
        let found = self.error_bars.found.iter().find(|e| e.cable == *name)?;
        Some(status::error_bar(found))
    }
}
