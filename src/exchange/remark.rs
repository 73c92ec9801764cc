//! What a format has no place of its own for, as remarks in comments: the user's name of a route, its diameter,
//! material and lengths, and the harness around the routes. They come back from our files; other programs see a comment.
//!
//! A remark is JSON in ASCII without blanks, cut into lines behind [`MARK`], so that no width and no trimming harms it.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::file::{Contents, Entries, Target};
use super::lengths::RouteLengths;
use super::network::{SegmentLabel, Surroundings};
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
    /// What is cut for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lengths: Option<Box<RouteLengths>>,
}

impl Facts {
    /// Those of a route.
    pub fn of(route: &Route) -> Self {
        Self {
            name: route.name.clone(),
            diameter_mm: Some(2.0 * route.radius.largest()),
            material: route.material.clone(),
            lengths: route.lengths.clone().map(Box::new),
        }
    }
}

/// The remark of one segment.
#[derive(Serialize, Deserialize)]
struct SegmentRemark {
    #[serde(flatten)]
    facts: Facts,
    #[serde(flatten)]
    label: SegmentLabel,
}

/// The remark of what is around the segments, in the unit and axes of the file.
#[derive(Serialize, Deserialize)]
struct NetworkRemark {
    network: Surroundings,
}

/// One remark of a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Remark {
    Network(NetworkRemark),
    Segment(SegmentRemark),
}

/// The remarks of a network as lines of at most that many characters.
pub fn lines(entries: &Entries, target: &Target, width: usize) -> Vec<String> {
    let mut all = String::new();
    let around = entries.surroundings();
    if !around.is_empty() {
        let network = around.mapped(|p| target.convention.outside(p));
        push(&mut all, &NetworkRemark { network });
    }
    for segment in &entries.segments {
        push(
            &mut all,
            &SegmentRemark {
                facts: Facts::of(segment.route.route),
                label: segment.label.clone(),
            },
        );
    }
    let room = width.saturating_sub(MARK.len()).max(1);
    let bytes: Vec<char> = all.chars().collect();
    let pieces = bytes.chunks(room);
    pieces
        .map(|piece| MARK.chars().chain(piece.iter().copied()).collect())
        .collect()
}

fn push(all: &mut String, remark: &impl Serialize) {
    // Remarks are texts and finite numbers: they are JSON.
    let json = serde_json::to_string(remark).unwrap_or_default();
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

/// Whether a file has remarks: it is one of ours.
pub fn is_in(text: &str) -> bool {
    text.contains(MARK)
}

/// Gives the routes of a file the facts of its remarks and the harness around them, where there is a remark for each.
pub fn apply(text: &str, contents: &mut Contents) {
    let pieces = text.split(MARK).skip(1);
    let all: String = pieces
        .map(|piece| piece.split(char::is_whitespace).next().unwrap_or(""))
        .collect();
    let remarks: Result<Vec<Remark>, _> = serde_json::Deserializer::from_str(&all)
        .into_iter()
        .collect();
    let mut around = Surroundings::default();
    let mut said = Vec::new();
    for remark in remarks.unwrap_or_default() {
        match remark {
            Remark::Network(remark) => around = remark.network,
            Remark::Segment(remark) => said.push(remark),
        }
    }
    let network = &mut contents.network;
    if said.len() != network.len() {
        return;
    }
    for (segment, said) in network.segments.iter_mut().zip(said) {
        segment.route.facts = Some(said.facts);
        // Files of older versions have no ids.
        let number = std::mem::take(&mut segment.label.id);
        segment.label = said.label;
        if segment.label.id.is_empty() {
            segment.label.id = number;
        }
    }
    network.surround(around);
    network.add_missing_nodes(|route, which| route.shape.end(which));
    network.drop_strays();
}
