//! Work that is not saved is written aside now and then, and offered after an accident.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::LoomApp;
use crate::app::document::Document;
use crate::app::panels::messages::Level;
use crate::scene::file;

/// How long unsaved work is at risk.
const PAUSE: Duration = Duration::from_mins(1);
/// An autosave of another system's process is left alone until it is this old.
const ABANDONED: Duration = Duration::from_mins(5);

/// Where work is kept aside, and what was found there.
#[derive(Default)]
pub struct Autosave {
    /// Our own file; `None` keeps nothing.
    path: Option<PathBuf>,
    /// When and what was written last.
    last: Option<(Instant, u64)>,
    /// Files that another run left behind.
    found: Vec<PathBuf>,
}

impl Autosave {
    /// Keeps work in that folder, and looks for what another run left there.
    pub fn in_folder(folder: &Path) -> Self {
        let own = folder.join(format!("autosave-{}.json", std::process::id()));
        // At the very first start there is no such folder yet. Where none can be made, the first autosave says so.
        let _ = std::fs::create_dir_all(folder);
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let found = files
            .map(|entry| entry.path())
            .filter(|path| *path != own && is_abandoned(path));
        Self {
            found: found.collect(),
            path: Some(own),
            last: None,
        }
    }

    /// The program ends as it should: nothing is to be recovered.
    pub fn forget(&self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Whether it is an autosave whose program no longer runs.
fn is_abandoned(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
    let number = (name.as_deref()).and_then(|n| {
        n.strip_prefix("autosave-")?
            .strip_suffix(".json")?
            .parse::<u32>()
            .ok()
    });
    let Some(process) = number else { return false };
    if cfg!(target_os = "linux") {
        return !Path::new(&format!("/proc/{process}")).exists();
    }
    let age = std::fs::metadata(path).and_then(|m| m.modified());
    let age = age.map(|t| SystemTime::now().duration_since(t).unwrap_or_default());
    age.is_ok_and(|age| age > ABANDONED)
}

impl LoomApp {
    /// Writes unsaved work aside when it is time.
    pub(super) fn autosave(&mut self, ctx: &egui::Context) {
        let Some(path) = self.autosave.path.clone() else {
            return;
        };
        if !self.document.is_unsaved() {
            return;
        }
        let edit = self.document.edit_number();
        let now = Instant::now();
        match self.autosave.last {
            Some((_, saved)) if saved == edit => {}
            Some((at, _)) if now - at < PAUSE => {
                ctx.request_repaint_after(PAUSE.saturating_sub(now - at));
            }
            None => {
                self.autosave.last = Some((now, u64::MAX));
                ctx.request_repaint_after(PAUSE);
            }
            Some(_) => {
                self.autosave.last = Some((now, edit));
                let scene = self.document.scene().clone();
                self.jobs.autosave(scene, path);
            }
        }
    }

    /// Offers what another run left behind.
    pub(super) fn offer_recovery(&mut self, ctx: &egui::Context) {
        let Some(path) = self.autosave.found.last().cloned() else {
            return;
        };
        let (mut recover, mut discard, mut later) = (false, false, false);
        let modal = egui::Modal::new(egui::Id::unique("recovery")).show(ctx, |ui| {
            ui.set_width(400.0_f32.min(ctx.content_rect().width() - 60.0));
            ui.heading("Unsaved work was found");
            ui.label(
                "The program did not end as it should. What was not saved then was kept aside.",
            );
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                recover = ui.button("Recover").clicked();
                discard = ui.button("Discard").clicked();
                later = ui.button("Not now").clicked();
            });
        });
        later |= modal.should_close();
        if recover {
            match file::load(&path) {
                Ok((scene, _)) => {
                    let mut document = Document::new(scene, None);
                    document.change(|_| {});
                    self.take_over(document, ctx);
                    let _ = std::fs::remove_file(&path);
                }
                Err(error) => self.messages.push(Level::Error, error.to_string()),
            }
        }
        if discard {
            let _ = std::fs::remove_file(&path);
        }
        if recover || discard || later {
            self.autosave.found.pop();
        }
    }

    /// Whether unsaved work of another run is offered.
    pub(super) fn offers_recovery(&self) -> bool {
        !self.autosave.found.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_made_at_the_first_start() {
        // The first autosave used to fail, a minute after the first edit of a new user.
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("config").join("loomwright");
        let autosave = Autosave::in_folder(&folder);
        let path = autosave.path.unwrap();
        crate::app::files::save(&crate::scene::Scene::default(), &path).unwrap();
    }

    #[test]
    fn only_what_a_dead_program_left_is_offered() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in [
            "autosave-4294967295.json",
            "settings.json",
            "autosave-x.json",
        ] {
            std::fs::write(path(name), "{}").unwrap();
        }
        let alive = format!("autosave-{}.json", std::process::id());
        std::fs::write(path(&alive), "{}").unwrap();
        let found = Autosave::in_folder(folder.path()).found;
        if cfg!(target_os = "linux") {
            assert_eq!(found, [path("autosave-4294967295.json")]);
        } else {
            assert!(found.is_empty(), "just written");
        }
    }
}
