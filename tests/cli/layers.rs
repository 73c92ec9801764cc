//! The order of the modules that `docs/architecture.md` states: each uses only those below it.

use std::path::Path;

/// From the bottom up.
const LIBRARY: [&str; 17] = [
    "geom",
    "progress",
    "parallel",
    "disk",
    "text",
    "part21",
    "mesh",
    "rod",
    "reference",
    "centerline",
    "contact",
    "check",
    "solve",
    "scene",
    "exchange",
    "app",
    "cli",
];
/// Inside the window.
const WINDOW: [&str; 25] = [
    "theme",
    "angles",
    "icon",
    "curve",
    "playback",
    "motion",
    "choices",
    "selection",
    "mailbox",
    "engine",
    "worker",
    "settings",
    "status",
    "lock",
    "support",
    "document",
    "files",
    "action",
    "viewport",
    "tools",
    "jobs",
    "panels",
    "window",
    "trace",
    "mod",
];
/// Those that must not know each other, although one is below the other.
const STRANGERS: [(&str, &str); 7] = [
    ("rod", "mesh"),
    ("contact", "rod"),
    ("check", "contact"),
    ("check", "rod"),
    ("solve", "check"),
    ("reference", "rod"),
    ("reference", "mesh"),
];

/// The module of a file below `folder`, and its code without tests and comments.
fn modules(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Vec::new();
    for path in super::words::sources(folder) {
        let below = path.strip_prefix(&root).unwrap();
        let first = below.components().next().unwrap();
        let module = Path::new(&first).file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let code = code.lines().filter(|l| !l.trim_start().starts_with("//"));
        let code: Vec<&str> = code.collect();
        if !below.iter().any(|part| part == "tests") {
            found.push((module.to_owned(), code.join("\n")));
        }
    }
    found
}

/// Words that stand behind `path` in a piece of code, also in braces.
fn named<'a>(code: &'a str, path: &str) -> Vec<&'a str> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in code.match_indices(path) {
        let rest = &code[at + path.len()..];
        match rest.strip_prefix('{') {
            Some(list) => {
                let list = &list[..list.find('}').unwrap_or(0)];
                let names = list.split(',').map(str::trim);
                found.extend(names.filter_map(|n| n.split(|c| !is_name(c)).next()));
            }
            None => found.extend(rest.split(|c| !is_name(c)).next()),
        }
    }
    found
}

/// What is wrong with the order, in words.
fn wrong(order: &[&str], module: &str, used: &str) -> Option<String> {
    let place = |name: &str| order.iter().position(|m| *m == name);
    let (own, other) = (place(module)?, place(used)?);
    let strangers = STRANGERS.contains(&(module, used));
    (other > own || strangers).then(|| format!("{module} uses {used}"))
}

#[test]
fn modules_use_only_those_below_them() {
    let mut found = Vec::new();
    for (module, code) in modules("src") {
        let known = LIBRARY.contains(&&*module) || ["lib", "main"].contains(&&*module);
        assert!(known, "{module} has no place in the order");
        let used = named(&code, "crate::");
        found.extend(
            used.iter()
                .filter_map(|used| wrong(&LIBRARY, &module, used)),
        );
    }
    for (module, code) in modules("src/app") {
        assert!(WINDOW.contains(&&*module), "{module} has no place");
        for path in ["crate::app::", "super::"] {
            let used = named(&code, path);
            found.extend(used.iter().filter_map(|used| wrong(&WINDOW, &module, used)));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_use_of_something_above_is_found() {
    let code = "use crate::scene::Cable;\nuse crate::{geom, exchange};";
    assert_eq!(named(code, "crate::"), ["scene", "geom", "exchange"]);
    assert_eq!(wrong(&LIBRARY, "mesh", "scene").unwrap(), "mesh uses scene");
    assert_eq!(wrong(&LIBRARY, "scene", "mesh"), None);
    assert!(wrong(&LIBRARY, "rod", "mesh").is_some());
    assert!(wrong(&WINDOW, "viewport", "tools").is_some());
}
