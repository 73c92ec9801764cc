//! What the documents say is there: links lead somewhere, paths exist, commands run as written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{code, loomwright, stderr, stdout, temp};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether a name has one of these endings.
fn is_of(name: &str, endings: &[&str]) -> bool {
    let ending = Path::new(name).extension().and_then(|e| e.to_str());
    ending.is_some_and(|e| endings.contains(&e))
}

/// Every document with its text; the changelog tells of files that may be gone.
fn documents() -> Vec<(PathBuf, String)> {
    let mut folders = vec![root().to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && !["target", "fuzz"].contains(&&*name) {
                folders.push(path);
            } else if is_of(&name, &["md"]) && name != "CHANGELOG.md" {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    assert!(found.len() > 20, "the documents are here");
    found
}

/// The text between each `open` and the next `close`.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    let mut rest = text;
    let mut found = Vec::new();
    while let Some((_, after)) = rest.split_once(open) {
        let Some((inside, beyond)) = after.split_once(close) else {
            break;
        };
        found.push(inside);
        rest = beyond;
    }
    found
}

/// The document without its blocks of code.
fn prose(text: &str) -> String {
    let blocks = text.split("```");
    blocks.step_by(2).collect()
}

/// Headings as links name them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                _ => None,
            });
            kept.collect()
        })
        .collect()
}

#[test]
fn links_lead_somewhere() {
    let mut n_links = 0;
    let mut wrong = Vec::new();
    for (path, text) in documents() {
        for link in between(&prose(&text), "](", ")") {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            n_links += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            let known = || anchors(&std::fs::read_to_string(&target).unwrap_or_default());
            if !target.exists() || (!anchor.is_empty() && !known().contains(anchor)) {
                wrong.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(n_links > 100, "{n_links}");
}

/// All files of a folder, as text with `/`, from the root.
fn files_below(folder: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files_below(&name, found);
        }
        found.push(name);
    }
}

/// The paths that one with a list in braces stands for: `a/{b,c}.rs`.
fn expanded(path: &str) -> Vec<String> {
    let list = path
        .split_once('{')
        .and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match list {
        Some((before, (names, after))) if before.ends_with('/') => {
            let one = |name: &str| format!("{before}{}{after}", name.trim());
            names.split(',').map(one).collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// Paths in code marks: from the root, or the end of one below `src` (`viewport/input.rs`).
#[test]
fn paths_exist() {
    let mut files = Vec::new();
    for folder in ["src", "tests", "scripts", "docs", "assets", "samples"] {
        files_below(folder, &mut files);
    }
    let ends_one = |path: &str| files.iter().any(|f| f.ends_with(&format!("/{path}")));
    let mut n_paths = 0;
    let mut wrong = Vec::new();
    for (path, text) in documents() {
        let prose = prose(&text);
        let named = between(&prose, "`", "`").into_iter().flat_map(expanded);
        for code in named {
            let first = code.split('/').next().unwrap_or_default();
            let folders = ["src", "tests", "scripts", "docs", "assets", "samples"];
            let from_root = folders.contains(&first) && code.contains('/');
            let is_source = is_of(&code, &["rs", "sh", "py"]);
            let plain = !code.contains(['<', '*', ' ', '{', '…']);
            if !plain || !(from_root || is_source) {
                continue;
            }
            n_paths += 1;
            if !root().join(&code).exists() && !ends_one(&code) {
                wrong.push(format!("{}: {code}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(n_paths > 40, "{n_paths}");
}

/// Verbs and options of every command in code marks or blocks, by the help of the program.
#[test]
fn verbs_and_options_are_known() {
    let dir = temp();
    let mut n_commands = 0;
    let mut wrong = Vec::new();
    for (path, text) in documents() {
        let blocks = between(&text, "```sh\n", "```");
        let lines = blocks.iter().flat_map(|block| block.lines());
        let typed = lines.filter_map(|line| line.strip_prefix("loomwright "));
        let prose = prose(&text);
        let named = between(&prose, "`", "`").into_iter();
        let named = named.filter_map(|code| code.strip_prefix("loomwright "));
        for command in typed.chain(named) {
            let mut words = command.split_whitespace();
            let verb = words.next().unwrap_or_default();
            if verb.starts_with('-') || verb.chars().all(char::is_uppercase) {
                continue;
            }
            n_commands += 1;
            // The verb of a verb, such as `study path`, has options of its own.
            let of_verb = words.clone().next().filter(|_| verb == "study");
            let asked = [Some(verb), of_verb, Some("--help")];
            let asked: Vec<&str> = asked.into_iter().flatten().collect();
            let help = loomwright(&dir, &asked);
            let known = stdout(&help);
            let options = words.map(|w| w.trim_matches(['[', ']']).split('=').next().unwrap());
            let unknown: Vec<&str> = options
                .filter(|w| w.starts_with("--") && !known.contains(w))
                .collect();
            if code(&help) != 0 || !unknown.is_empty() {
                wrong.push(format!("{}: {command} ({unknown:?})", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(n_commands > 25, "{n_commands}");
}

/// Names of all fields that a JSON schema has anywhere.
fn properties(schema: &serde_json::Value, found: &mut BTreeSet<String>) {
    match schema {
        serde_json::Value::Object(map) => {
            let named = map.get("properties").and_then(|p| p.as_object());
            found.extend(named.into_iter().flat_map(|p| p.keys().cloned()));
            map.values().for_each(|inner| properties(inner, found));
        }
        serde_json::Value::Array(all) => all.iter().for_each(|inner| properties(inner, found)),
        _ => {}
    }
}

#[test]
fn every_field_of_a_scene_file_is_described() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).unwrap();
    let text = read("docs/scene-format.md");
    let mut fields = BTreeSet::new();
    properties(
        &serde_json::from_str(&read("docs/scene.schema.json")).unwrap(),
        &mut fields,
    );
    assert!(fields.len() > 80 && fields.contains("clamps"));
    fields.retain(|field| {
        let ways = [
            format!("`{field}`"),
            format!(".{field}`"),
            format!("\"{field}\""),
            format!("`{field}."),
        ];
        !ways.iter().any(|way| text.contains(way))
    });
    assert!(fields.is_empty(), "not in scene-format.md: {fields:?}");
}

/// The man page of the packages names every verb that the program has.
#[test]
fn the_man_page_has_every_verb() {
    let page = std::fs::read_to_string(root().join("packaging/loomwright.1")).unwrap();
    let page = page.replace("\\-", "-");
    let help = stdout(&loomwright(&temp(), &["--help"]));
    let verbs = help.split("Commands:").nth(1).unwrap();
    let verbs = verbs.split("Options:").next().unwrap().lines();
    let verbs: Vec<&str> = verbs
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|verb| verb.chars().all(|c| c.is_lowercase() || c == '-') && *verb != "help")
        .collect();
    assert!(verbs.len() > 12, "{verbs:?}");
    for verb in verbs {
        assert!(page.contains(&format!(".BR {verb}")), "{verb}");
    }
}

/// The commands of the README, of the command line's page and of the samples, run in order by a shell, in a copy of
/// the samples. What needs a display or builds something is left out.
#[cfg(unix)]
#[test]
fn commands_run_as_written() {
    for document in ["README.md", "docs/cli.md", "samples/README.md"] {
        let dir = temp();
        let copied = Command::new("cp")
            .arg("-r")
            .arg(root().join("samples"))
            .arg(dir.path())
            .status();
        assert!(copied.unwrap().success());
        let text = std::fs::read_to_string(root().join(document)).unwrap();
        let blocks = between(&text, "```sh\n", "```").concat();
        let left_out = ["cargo ", "scripts/", "loomwright open", "loomwright bench"];
        let script: Vec<&str> = blocks
            .lines()
            .filter(|line| !left_out.iter().any(|word| line.starts_with(word)))
            .collect();
        let n_commands = script.iter().filter(|l| l.starts_with("loomwright"));
        assert!(n_commands.count() > 2, "{document}");
        let program = Path::new(env!("CARGO_BIN_EXE_loomwright"));
        let folders = std::env::var("PATH").unwrap_or_default();
        let ran = Command::new("sh")
            .args(["-e", "-c", &script.join("\n")])
            .env(
                "PATH",
                format!("{}:{folders}", program.parent().unwrap().display()),
            )
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert_eq!(
            code(&ran),
            0,
            "{document}: {}{}",
            stdout(&ran),
            stderr(&ran)
        );
    }
}
