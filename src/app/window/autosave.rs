//! Work that is not saved is written aside now and then, and offered after an accident.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::LoomApp;
use crate::app::document::Document;
use crate::app::files;
use crate::app::panels::dialogs;
use crate::app::panels::messages::Level;
use crate::exchange::Stamp;
use crate::scene::{Scene, file};

/// How long unsaved work is at risk.
const PAUSE: Duration = Duration::from_mins(1);
/// An autosave of another system's process is left alone until it is this old.
const ABANDONED: Duration = Duration::from_mins(5);

/// Where autosaved work is, and what was found there.
#[derive(Default)]
pub struct Autosave {
    /// Our own file; `None` keeps nothing.
    path: Option<PathBuf>,
    /// When and what was written last.
    last: Option<(Instant, u64)>,
    /// Files that another run left behind.
    found: Vec<Found>,
    /// What the open document was recovered from: kept until it is saved.
    recovered: Vec<PathBuf>,
}

/// Work that another run left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    path: PathBuf,
    /// The file that it was to be saved to, if it had one.
    original: Option<PathBuf>,
    /// When it was written, as far as the system says.
    written: Option<SystemTime>,
}

impl Found {
    fn at(path: PathBuf) -> Self {
        let original = std::fs::read_to_string(origin_of(&path)).ok();
        let written = std::fs::metadata(&path).and_then(|m| m.modified());
        Self {
            original: original.map(PathBuf::from),
            written: written.ok(),
            path,
        }
    }

    /// Which file, and how old.
    fn in_words(&self, now: SystemTime) -> String {
        let file = match &self.original {
            Some(path) => path.display().to_string(),
            None => "A scene that was never saved".to_owned(),
        };
        let Some(written) = self.written else {
            return format!("{file}.");
        };
        let since_1970 = written.duration_since(SystemTime::UNIX_EPOCH);
        let stamp = Stamp::from_unix(since_1970.map_or(0, |d| d.as_secs()));
        let (hour, minute, _) = stamp.clock();
        let (year, month, day) = (stamp.year, stamp.month, stamp.day);
        let minutes = now.duration_since(written).unwrap_or_default().as_secs() / 60;
        let ago = match minutes {
            0 => "less than a minute ago".to_owned(),
            1 => "1 minute ago".to_owned(),
            2..=120 => format!("{minutes} minutes ago"),
            _ => format!("{} hours ago", minutes / 60),
        };
        format!("{file}, autosaved {ago} ({year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC).")
    }
}

/// The file beside an autosave that names the file of its document.
fn origin_of(autosave: &Path) -> PathBuf {
    autosave.with_extension("origin")
}

fn remove(autosave: &Path) {
    let _ = std::fs::remove_file(autosave);
    let _ = std::fs::remove_file(origin_of(autosave));
}

/// Writes a scene aside, with the name of the file that it belongs to. The error is a sentence for the user.
fn keep_aside(scene: &Scene, original: Option<&Path>, path: &Path) -> Result<(), String> {
    let origin = origin_of(path);
    match original {
        // Without it the work is recovered all the same, only not under its name.
        Some(original) => {
            let name = std::path::absolute(original).unwrap_or_else(|_| original.to_owned());
            let _ = std::fs::write(origin, name.to_string_lossy().as_bytes());
        }
        None => {
            let _ = std::fs::remove_file(origin);
        }
    }
    files::save(scene, path)
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
            found: found.map(Found::at).collect(),
            path: Some(own),
            last: None,
            recovered: Vec::new(),
        }
    }

    /// The program ends as it should, or the document is saved: nothing is to be recovered.
    pub fn forget(&mut self) {
        for path in self.path.iter().chain(&self.recovered) {
            remove(path);
        }
        self.recovered.clear();
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
                let original = self.document.path().map(Path::to_owned);
                let write = move || keep_aside(&scene, original.as_deref(), &path);
                self.jobs.autosave(write);
            }
        }
    }

    /// Offers what another run left behind.
    pub(super) fn offer_recovery(&mut self, ctx: &egui::Context) {
        let Some(found) = self.autosave.found.last().cloned() else {
            return;
        };
        let (mut recover, mut discard, mut later) = (false, false, false);
        let modal = dialogs::dialog(ctx, "recovery").show(ctx, |ui| {
            ui.set_width(400.0_f32.min(ctx.content_rect().width() - 60.0));
            ui.heading("Unsaved work was found");
            ui.label(found.in_words(SystemTime::now()));
            ui.label(
                "The program ended before this was saved. The copy is kept until you save it.",
            );
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                recover = dialogs::default_button(ui, "Recover", true);
                discard = ui.button("Discard").clicked();
                later = ui.button("Not now").clicked();
            });
        });
        later |= modal.should_close();
        if recover {
            match file::load(&found.path) {
                Ok((scene, _)) => {
                    let mut document = Document::new(scene, found.original.clone());
                    document.mark_unsaved("Recover");
                    self.take_over(document, ctx);
                    self.autosave.recovered.push(found.path.clone());
                }
                Err(error) => self.messages.push(Level::Error, error.to_string()),
            }
        }
        if discard {
            remove(&found.path);
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
        let found: Vec<_> = found.into_iter().map(|f| f.path).collect();
        if cfg!(target_os = "linux") {
            assert_eq!(found, [path("autosave-4294967295.json")]);
        } else {
            assert!(found.is_empty(), "just written");
        }
    }

    #[test]
    fn what_is_kept_aside_says_where_it_belongs_and_how_old_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("autosave-4294967295.json");
        let original = folder.path().join("bay.json");
        keep_aside(&Scene::default(), Some(&original), &path).unwrap();
        let found = Found::at(path.clone());
        assert_eq!(found.original.as_deref(), Some(&*original));
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000);
        let found = Found {
            written: Some(at),
            ..found
        };
        let words = found.in_words(at + Duration::from_mins(12));
        let expected = "bay.json, autosaved 12 minutes ago (2026-09-21 14:13 UTC).";
        assert!(words.ends_with(expected), "{words}");
        // Written again without a file of its own, it has none.
        keep_aside(&Scene::default(), None, &path).unwrap();
        assert_eq!(Found::at(path.clone()).original, None);
        remove(&path);
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    }
}
