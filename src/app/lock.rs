//! A small file beside an open scene that says who has it open, so that two windows do not overwrite each other.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// A lock of another computer that is older than this was left behind.
const ABANDONED: Duration = Duration::from_hours(12);

/// Who has a scene open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Number of the process.
    pub process: u32,
    /// Name of the computer.
    pub computer: String,
}

/// Our word on a scene file; taken back when it is dropped.
#[derive(Debug)]
pub struct SceneLock {
    path: PathBuf,
}

impl SceneLock {
    /// Says that this program has the scene open; the error is another that has.
    ///
    /// Where no lock can be written (a folder that is only read) there is none, and nobody to warn of.
    pub fn take(scene: &Path) -> Result<Option<Self>, Owner> {
        let (path, own) = (lock_path(scene), own());
        if let Some(other) = owner(&path)
            && other != own
            && is_alive(&other, &path)
        {
            return Err(other);
        }
        let text = serde_json::to_string(&own).unwrap_or_default();
        let written = std::fs::write(&path, text);
        Ok(written.ok().map(|()| Self { path }))
    }
}

impl Drop for SceneLock {
    fn drop(&mut self) {
        // Another program may have taken it over meanwhile.
        if owner(&self.path) == Some(own()) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// `.name.lock` in the folder of the scene.
fn lock_path(scene: &Path) -> PathBuf {
    let name = scene.file_name().unwrap_or_default().to_string_lossy();
    scene.with_file_name(format!(".{name}.lock"))
}

fn owner(lock: &Path) -> Option<Owner> {
    serde_json::from_str(&std::fs::read_to_string(lock).ok()?).ok()
}

fn own() -> Owner {
    Owner {
        process: std::process::id(),
        computer: computer(),
    }
}

/// Whether the program that wrote a lock still runs, as far as one can tell.
fn is_alive(other: &Owner, lock: &Path) -> bool {
    if cfg!(target_os = "linux") && other.computer == computer() {
        return Path::new(&format!("/proc/{}", other.process)).exists();
    }
    let written = std::fs::metadata(lock).and_then(|m| m.modified());
    written.is_ok_and(|at| {
        let age = SystemTime::now().duration_since(at).unwrap_or_default();
        age < ABANDONED
    })
}

fn computer() -> String {
    let set = |name| std::env::var(name).ok().filter(|n| !n.is_empty());
    let file = || std::fs::read_to_string("/etc/hostname").ok();
    let name = set("COMPUTERNAME")
        .or_else(file)
        .or_else(|| set("HOSTNAME"));
    name.unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(scene: &Path, process: u32, computer: String) {
        let text = serde_json::to_string(&Owner { process, computer }).unwrap();
        std::fs::write(lock_path(scene), text).unwrap();
    }

    #[test]
    fn a_scene_that_is_open_elsewhere_is_told_and_a_lock_left_behind_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let scene = folder.path().join("bay.json");
        {
            let lock = SceneLock::take(&scene).unwrap();
            assert!(lock.is_some() && lock_path(&scene).exists());
            assert!(SceneLock::take(&scene).is_ok(), "it is our own");
        }
        assert!(!lock_path(&scene).exists(), "taken back");
        // Another computer: nobody can tell whether it runs, but the lock is new.
        write(&scene, 7, "elsewhere".into());
        assert_eq!(SceneLock::take(&scene).unwrap_err().computer, "elsewhere");
        if cfg!(target_os = "linux") {
            // Process 1 always runs; the largest number never does.
            write(&scene, 1, computer());
            assert_eq!(SceneLock::take(&scene).unwrap_err().process, 1);
            write(&scene, u32::MAX, computer());
            assert!(SceneLock::take(&scene).unwrap().is_some());
        }
        std::fs::write(lock_path(&scene), "no lock at all").unwrap();
        assert!(SceneLock::take(&scene).is_ok());
    }

    #[test]
    fn a_folder_that_cannot_be_written_has_no_lock() {
        assert!(
            SceneLock::take(Path::new("/no/such/folder/bay.json"))
                .unwrap()
                .is_none()
        );
    }
}
