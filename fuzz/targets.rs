//! What is fuzzed: every reader, the scene and the commands. Each takes bytes and must come back.
//!
//! The targets of cargo-fuzz (`fuzz_targets/`) and the bounded test (`tests/fuzz`) share this file.

use std::path::Path;

use loomwright::exchange::{CableChoice, Convention, Format, added, import_routes};
use loomwright::mesh::import::{extensions, import_bytes};
use loomwright::scene::{Command, Scene, demo, file};

/// Commands of one input that are carried out at most.
const MOST_COMMANDS: usize = 200;

/// Readers of meshes and STEP bodies: as the content says, and where that says nothing as each ending does.
pub fn meshes(bytes: &[u8]) {
    for ending in extensions() {
        let named = import_bytes(bytes, &format!("a.{ending}"));
        let Err(error) = named else { return };
        // Only where the content does not settle it does the name.
        if !error.to_string().contains("format") {
            return;
        }
    }
}

/// Readers of curves: each of them alone, and the way to cables of a scene.
pub fn routes(bytes: &[u8], folder: &Path) {
    let mut endings = Vec::new();
    for format in Format::ALL {
        if format.read(bytes).is_ok_and(|c| !c.network.is_empty()) {
            endings.push(format.extension());
        }
    }
    endings.dedup();
    for ending in endings {
        let path = folder.join(format!("a.{ending}"));
        if std::fs::write(&path, bytes).is_err() {
            return;
        }
        let Ok(found) = import_routes(&path, Convention::default()) else {
            continue;
        };
        let mut scene = Scene::default();
        if let Some(choice) = CableChoice::usual(&scene) {
            let (addition, _) = added(&found.network, &scene, |_| choice.clone());
            let _ = Command::AddHarness(Box::new(addition)).apply(&mut scene);
        }
    }
}

/// The reader of scenes; what it takes must be written and read again.
pub fn scenes(bytes: &[u8], folder: &Path) {
    let path = folder.join("a.scene.json");
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    if let Ok((scene, _)) = file::load(&path) {
        let again = folder.join("b.scene.json");
        file::save(&scene, &again).expect("a scene that was read can be saved");
        file::load(&again).expect("a scene that was saved can be read");
    }
}

/// Commands, one a line: carried out on a demo scene, which must stay one that can be saved.
pub fn commands(bytes: &[u8], folder: &Path) {
    let Some(mut scene) = demo::demo("drag") else {
        return;
    };
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines().take(MOST_COMMANDS) {
        let Ok(command) = serde_json::from_str::<Command>(line) else {
            continue;
        };
        let before = scene.clone();
        if command.apply(&mut scene).is_err() {
            assert!(
                scene == before,
                "a refused command changed the scene: {line}"
            );
        }
    }
    let path = folder.join("c.scene.json");
    file::save(&scene, &path).expect("what commands made can be saved");
}
