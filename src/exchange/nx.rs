//! NX .dat (points from file): one route a file. It is read as a SolidWorks file, comments aside.

use std::fmt::Write;

use super::file::{Entries, Target};
use super::names::spelt_in_ascii;
use super::sample::points;

pub use super::sldcrv::read;

/// NX: x y z, with the name as a comment; a line has at most 132 characters.
pub fn write(entries: &Entries, target: &Target) -> Vec<u8> {
    let mut file = String::new();
    for entry in entries.routes() {
        let name = spelt_in_ascii(&entry.route.name);
        let unit = target.convention.unit.symbol();
        let comment: String = format!("# {name}, {unit}").chars().take(132).collect();
        let _ = writeln!(file, "{comment}");
        for p in points(entry, target) {
            let _ = writeln!(file, "{} {} {}", p.x, p.y, p.z);
        }
    }
    file.into_bytes()
}
