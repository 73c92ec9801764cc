//! What someone needs to look into a problem, in one file: the scene, the log, the last drag.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use zip::write::SimpleFileOptions;

use crate::scene::{Command, Scene, file};

/// The last drag: the scene before it, and what was asked for.
#[derive(Clone, Debug, Default)]
pub struct LastDrag {
    /// As it was when the button went down.
    pub before: Scene,
    /// Every target, in order.
    pub commands: Vec<Command>,
}

/// Everything that goes into the file.
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// The scene as it is.
    pub scene: Scene,
    /// What was said, with the time since the start.
    pub log: Vec<(Duration, String)>,
    /// The last drag, if there was one.
    pub last_drag: Option<LastDrag>,
}

/// Writes the bundle as a zip archive. The error is a sentence for the user.
pub fn save(bundle: &Bundle, path: &Path) -> Result<(), String> {
    let mut files = vec![
        ("scene.json", scene_text(&bundle.scene)?),
        ("log.txt", log_text(&bundle.log)),
        ("about.txt", about()),
    ];
    if let Some(drag) = &bundle.last_drag {
        files.push(("before.json", scene_text(&drag.before)?));
        files.push(("drag.jsonl", commands_text(&drag.commands)));
    }
    crate::disk::write_atomically(path, |out| {
        let mut buffer = std::io::Cursor::new(Vec::new());
        let mut archive = zip::ZipWriter::new(&mut buffer);
        for (name, text) in &files {
            archive
                .start_file(*name, SimpleFileOptions::default())
                .and_then(|()| Ok(archive.write_all(text.as_bytes())?))
                .map_err(std::io::Error::other)?;
        }
        archive.finish().map_err(std::io::Error::other)?;
        out.write_all(buffer.get_ref())
    })
    .map_err(|error| {
        format!(
            "The file for support could not be written: {error}; try another folder: {}",
            path.display()
        )
    })
}

/// The scene with all its meshes, as a file has it.
fn scene_text(scene: &Scene) -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("No folder for a while: {e}"))?;
    let path = folder.path().join("scene.json");
    file::save(&scene.packed(), &path).map_err(|e| e.to_string())?;
    std::fs::read_to_string(&path).map_err(|e| e.to_string())
}

fn log_text(log: &[(Duration, String)]) -> String {
    let mut text = String::new();
    for (at, words) in log {
        let _ = writeln!(text, "{:9.3} s  {words}", at.as_secs_f64());
    }
    text
}

/// One command a line, as `replay` reads them.
fn commands_text(commands: &[Command]) -> String {
    let lines = commands
        .iter()
        .filter_map(|c| serde_json::to_string(c).ok());
    lines.fold(String::new(), |text, line| text + &line + "\n")
}

fn about() -> String {
    format!(
        "Loomwright {}\n{} {}\n\nReplay the last drag: loomwright replay before.json drag.jsonl\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        std::env::consts::ARCH,
    )
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn the_bundle_holds_scene_log_and_a_drag_that_can_be_replayed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("support.zip");
        let scene = crate::scene::demo::demo("drag").unwrap();
        let command = Command::SetLength {
            cable: "cable".into(),
            length: 950.0,
        };
        let mut after = scene.clone();
        command.apply(&mut after).unwrap();
        let bundle = Bundle {
            scene: after.clone(),
            log: vec![(Duration::from_millis(1500), "hm".into())],
            last_drag: Some(LastDrag {
                before: scene.clone(),
                commands: vec![command.clone()],
            }),
        };
        save(&bundle, &path).unwrap();
        let mut archive = zip::ZipArchive::new(std::fs::File::open(&path).unwrap()).unwrap();
        let mut text = |name: &str| {
            let mut text = String::new();
            let mut file = archive.by_name(name).unwrap();
            file.read_to_string(&mut text).unwrap();
            text
        };
        assert_eq!(text("log.txt"), "    1.500 s  hm\n");
        let line = text("drag.jsonl");
        assert_eq!(
            serde_json::from_str::<Command>(line.trim()).unwrap(),
            command
        );
        for (name, scene) in [("scene.json", &after), ("before.json", &scene)] {
            let copy = folder.path().join(name);
            std::fs::write(&copy, text(name)).unwrap();
            let (read, _) = file::load(&copy).unwrap();
            assert_eq!(read.cables, scene.cables, "{name}");
            assert_eq!(read.parts.len(), 3);
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_told() {
        let error = save(&Bundle::default(), Path::new("/no/such/folder/x.zip")).unwrap_err();
        assert!(error.contains("another folder"), "{error}");
    }
}
