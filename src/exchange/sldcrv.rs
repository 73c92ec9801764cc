//! SolidWorks .sldcrv (curve through XYZ points): one route a file.

use std::fmt::Write;

use super::file::{Contents, Entries, FoundRoute, FoundShape, ReadError, Target, number};
use super::network::Network;
use super::sample::points;
use super::unit::LengthUnit;
use crate::geom::Vec3;

/// SolidWorks: x y z with the unit at each number, so that the document's unit does not matter.
pub fn write(entries: &Entries, target: &Target) -> Vec<u8> {
    let unit = target.convention.unit.symbol();
    let mut file = String::new();
    for p in entries.routes().flat_map(|entry| points(entry, target)) {
        let _ = writeln!(file, "{}{unit}\t{}{unit}\t{}{unit}", p.x, p.y, p.z);
    }
    file.into_bytes()
}

/// The points of a SolidWorks or NX file: one route.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let text = String::from_utf8_lossy(bytes);
    let mut points = Vec::new();
    let mut unit = None;
    for (i, line) in text.lines().enumerate() {
        let line_number = i + 1;
        let data = line.split('#').next().unwrap_or("");
        let words: Vec<&str> = data
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter(|w| !w.is_empty())
            .collect();
        if words.is_empty() {
            continue;
        }
        let [x, y, z] = words[..] else {
            return Err(ReadError::line(line_number, "three coordinates expected"));
        };
        let mut place = Vec3::zeros();
        for (value, word) in place.iter_mut().zip([x, y, z]) {
            let end = word
                .trim_end_matches(|c: char| c.is_ascii_alphabetic())
                .len();
            let (figures, suffix) = word.split_at(end);
            let found = LengthUnit::ALL.into_iter().find(|u| u.symbol() == suffix);
            if !suffix.is_empty() && found.is_none() || (unit.is_some() && unit != found) {
                let what =
                    format!("\"{word}\" is in another unit than the rest, or in an unknown one");
                return Err(ReadError::line(line_number, what));
            }
            unit = found;
            *value = number(figures, line_number)?;
        }
        points.push(place);
    }
    Ok(Contents {
        unit_in_mm: unit.map(LengthUnit::in_mm),
        network: Network::loose(vec![FoundRoute {
            shape: FoundShape::Points(points),
            ..FoundRoute::named(None)
        }]),
        notes: Vec::new(),
        lost: Vec::new(),
    })
}
