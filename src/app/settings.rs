//! What the window remembers from one start to the next, in a small JSON file of the user.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::choices::Preset;

/// How many recent files are kept.
const MAX_RECENT: usize = 10;

/// What is remembered. What a file does not say is as at the first start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Whose mouse the view has.
    pub preset: Preset,
    /// Light, dark, or as the system has it.
    pub theme: Theme,
    /// Which panels are shown.
    pub panes: Panes,
    /// Height of the drawer with plots, points.
    pub drawer_height: f32,
    /// Files that were opened or saved, the newest first.
    pub recent: Vec<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            preset: Preset::default(),
            theme: Theme::default(),
            panes: Panes::default(),
            drawer_height: 240.0,
            recent: Vec::new(),
        }
    }
}

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// Which panels are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools)]
pub struct Panes {
    /// The tree on the left.
    pub tree: bool,
    /// The inspector on the right.
    pub inspector: bool,
    /// The drawer below.
    pub drawer: bool,
    /// The five steps of the first start.
    pub hints: bool,
}

impl Default for Panes {
    fn default() -> Self {
        Self {
            tree: true,
            inspector: true,
            drawer: false,
            hints: true,
        }
    }
}

impl Settings {
    /// Reads them; as at the first start where there is no such file or it is not of this program.
    pub fn load(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Writes them. What cannot be written is forgotten: the work does not depend on it.
    pub fn save(&self, path: &Path) {
        let Ok(text) = serde_json::to_string_pretty(self) else {
            return;
        };
        if let Some(folder) = path.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        let _ = std::fs::write(path, text);
    }

    /// A file was opened or saved.
    pub fn remember(&mut self, path: &Path) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        self.recent.truncate(MAX_RECENT);
    }
}

impl Theme {
    /// As egui has it.
    pub fn preference(self) -> egui::ThemePreference {
        match self {
            Self::System => egui::ThemePreference::System,
            Self::Light => egui::ThemePreference::Light,
            Self::Dark => egui::ThemePreference::Dark,
        }
    }

    /// From egui's.
    pub fn of(preference: egui::ThemePreference) -> Self {
        match preference {
            egui::ThemePreference::System => Self::System,
            egui::ThemePreference::Light => Self::Light,
            egui::ThemePreference::Dark => Self::Dark,
        }
    }
}

/// The user's folder for files of this program; `None` where the system names none.
pub fn folder() -> Option<PathBuf> {
    let named = |name| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    let base = if cfg!(windows) {
        named("APPDATA")
    } else if cfg!(target_os = "macos") {
        named("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        named("XDG_CONFIG_HOME").or_else(|| named("HOME").map(|home| home.join(".config")))
    };
    base.map(|base| base.join("loomwright"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_come_back_and_a_broken_file_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/settings.json");
        assert_eq!(Settings::load(&path), Settings::default());
        let mut settings = Settings {
            preset: Preset::Catia,
            theme: Theme::Dark,
            ..Settings::default()
        };
        settings.panes.hints = false;
        settings.remember(Path::new("/scenes/bay.json"));
        settings.save(&path);
        assert_eq!(Settings::load(&path), settings);
        std::fs::write(&path, "{\"preset\": 7").unwrap();
        assert_eq!(Settings::load(&path), Settings::default());
        std::fs::write(&path, "{\"preset\": \"nx\"}").unwrap();
        assert_eq!(Settings::load(&path).preset, Preset::Nx);
    }

    #[test]
    fn recent_files_are_few_and_each_is_there_once() {
        let mut settings = Settings::default();
        for i in 0..30 {
            settings.remember(&PathBuf::from(format!("/scenes/{}.json", i % 12)));
        }
        assert_eq!(settings.recent.len(), MAX_RECENT);
        assert_eq!(settings.recent[0], PathBuf::from("/scenes/5.json"));
    }
}
