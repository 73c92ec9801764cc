//! What a format has no place of its own for: the user's name of a route, its diameter, material and nodes, as remarks
//! in comments. Ours come back from our files; other programs see a comment.
//!
//! A remark is JSON in ASCII without blanks, cut into lines behind [`MARK`], so that no width and no trimming harms it.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::file::{Contents, Entry};
use super::route::Route;

/// What stands before each piece of a remark.
const MARK: &str = "LOOMWRIGHT-FACTS:";

/// What is known of a route besides its curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// What the user calls it.
    pub name: String,
    /// Outer diameter, mm; the largest where it changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diameter_mm: Option<f64>,
    /// Name of its material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Name of the node where it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Name of the node where it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

impl Facts {
    /// Those of a route.
    pub fn of(route: &Route) -> Self {
        let [from, to] = route.ends.clone();
        Self {
            name: route.name.clone(),
            diameter_mm: Some(2.0 * route.radius.largest()),
            material: route.material.clone(),
            from,
            to,
        }
    }
}

/// The remarks of routes as lines of at most that many characters.
pub fn lines(entries: &[Entry], width: usize) -> Vec<String> {
    let mut all = String::new();
    for entry in entries {
        // Facts are texts and finite numbers: they are JSON.
        let json = serde_json::to_string(&Facts::of(entry.route)).unwrap_or_default();
        for c in json.chars() {
            // No blanks, and nothing that ends a comment of STEP.
            if c.is_ascii_graphic() && c != '/' {
                all.push(c);
            } else {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(all, "\\u{unit:04x}");
                }
            }
        }
    }
    let room = width.saturating_sub(MARK.len()).max(1);
    let bytes: Vec<char> = all.chars().collect();
    let pieces = bytes.chunks(room);
    pieces
        .map(|piece| MARK.chars().chain(piece.iter().copied()).collect())
        .collect()
}

/// Whether a file has remarks: it is one of ours.
pub fn is_in(text: &str) -> bool {
    text.contains(MARK)
}

/// Gives the routes of a file the facts of its remarks, where there is one for each.
pub fn apply(text: &str, contents: &mut Contents) {
    let pieces = text.split(MARK).skip(1);
    let all: String = pieces
        .map(|piece| piece.split(char::is_whitespace).next().unwrap_or(""))
        .collect();
    let facts: Result<Vec<Facts>, _> = serde_json::Deserializer::from_str(&all)
        .into_iter()
        .collect();
    let facts = facts.unwrap_or_default();
    if facts.len() == contents.routes.len() {
        for (route, facts) in contents.routes.iter_mut().zip(facts) {
            route.facts = Some(facts);
        }
    }
}
