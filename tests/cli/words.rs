//! The window speaks as CAD programs do: words that were given up do not come back into what people read.

use std::path::{Path, PathBuf};

/// Words that were given up, in small letters, with what is said instead.
const OLD: &[(&str, &str)] = &[
    ("flexibilise", "make flexible"),
    ("handle", "fixing"),
    ("whole turns", "extra twist"),
    ("let pass", "ignore this pair"),
    ("exclude here", "ignore overlap here"),
    ("let cables pass", "collision detection"),
    ("parts whole", "section view"),
    ("cut parts open", "section view"),
    ("cut across", "section plane"),
    ("settle without", "solve without friction"),
    ("mouse like", "mouse navigation"),
    ("look from", "standard views"),
    ("as the system", "follow system"),
    ("back to basis", "back to imported length"),
    ("by stretches", "between fixings"),
    ("keeps its form", "preformed"),
    ("only looked at", "reference only, no collision"),
    ("where it is asked to be", "target position"),
    ("bent to", "bend radius"),
    ("allowed are", "below minimum, or limit"),
    ("read back and good", "file matches route"),
    ("failed its check, kept aside", "check failed, kept as"),
    ("only what is flexible", "flexible segments only"),
    ("held by part", "blocked by"),
    ("short of the cursor", "from cursor"),
    ("short of its target", "from its target"),
    (
        "times a cable starts inside",
        "overlaps between cables and parts",
    ),
    ("shut in", "enclosed"),
    ("nothing was said", "no messages"),
    ("dissolve", "disconnect"),
];

/// Strings that are no text for people: keys of widgets, and words by which actions are found.
const NOT_SAID: &[&str] = &[
    "length by stretches",
    "flexibilise flexibilize extract centerline",
    "handle clip clamp tie guide",
    "kind of the next handle",
];

pub fn sources(folder: &str) -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_none_or(|name| name != "tests.rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The texts in quotes of a source file, without comments, tests and what is filled in.
fn texts(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let mut found = Vec::new();
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => {
                chars.by_ref().find(|c| *c == '\n');
            }
            // A quote as a character.
            '\'' if chars.peek() == Some(&'"') => {
                chars.next();
            }
            '"' => {
                let mut text = String::new();
                let mut depth = 0;
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    match c {
                        '\\' => {
                            chars.next();
                        }
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        c if depth == 0 => text.push(c),
                        _ => {}
                    }
                }
                found.push(text);
            }
            _ => {}
        }
    }
    found
}

/// What is said in another way now.
fn given_up(text: &str) -> Option<&'static str> {
    // Names of fields and keys are one word in small letters.
    let is_name = !text.contains(' ') && text.chars().all(|c| !c.is_uppercase());
    if is_name || NOT_SAID.contains(&text) {
        return None;
    }
    let text = text.to_lowercase();
    let old = OLD.iter().find(|(word, _)| text.contains(word));
    old.map(|(_, instead)| *instead)
}

#[test]
fn words_that_were_given_up_do_not_come_back_into_the_window() {
    let mut n_texts = 0;
    let mut wrong = Vec::new();
    let shown = [
        "src/app",
        "src/scene/findings",
        "src/scene/update",
        "src/scene/command/title.rs",
    ];
    let files = shown.iter().flat_map(|place| match *place {
        file if file.ends_with("title.rs") => {
            vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(file)]
        }
        folder => sources(folder),
    });
    for path in files {
        let source = std::fs::read_to_string(&path).unwrap();
        for text in texts(&source) {
            n_texts += 1;
            if let Some(instead) = given_up(&text) {
                wrong.push(format!("{}: \"{text}\": {instead}", path.display()));
            }
        }
    }
    assert!(n_texts > 1000, "{n_texts} texts");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn old_words_are_found_where_they_are_said() {
    let source = "// \"Dissolve\"\nlet x = '\"'; f(\"Dissolve \\\"{handle}\\\" now\"); g(\"handle\");\n\
                  #[cfg(test)]\nmod tests { \"Let pass\" }";
    let texts = texts(source);
    assert_eq!(texts, ["Dissolve  now", "handle"]);
    assert_eq!(given_up(&texts[0]), Some("disconnect"));
    assert_eq!(given_up(&texts[1]), None);
    assert_eq!(given_up("Move the handle"), Some("fixing"));
}
