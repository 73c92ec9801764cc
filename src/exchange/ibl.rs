//! Creo .ibl: a section with one curve of points for each route.

use std::fmt::Write;

use super::file::{Contents, Entries, FoundRoute, FoundShape, ReadError, Target, number};
use super::names::NameRule;
use super::network::Network;
use super::remark;
use super::sample::points;
use crate::geom::Vec3;

/// Names stand in comments of .ibl files.
pub const NAMES: NameRule = NameRule {
    longest: 80,
    upper_case: false,
    allows: |c| (' '..='~').contains(&c) && c != '!',
    instead: Some('_'),
    letter_first: false,
    ascii: true,
};

/// Creo: a section and a curve for each route, points numbered from 1.
pub fn write(entries: &Entries, target: &Target) -> Vec<u8> {
    let mut file = String::from("Open Index Arclength\n");
    for remark in remark::lines(entries, target, 78) {
        // Writing to a string cannot fail.
        let _ = writeln!(file, "! {remark}");
    }
    for (i, entry) in entries.routes().enumerate() {
        let _ = writeln!(file, "Begin section ! {}", entry.name);
        let _ = writeln!(file, "Begin curve ! {}", i + 1);
        for (j, p) in points(entry, target).enumerate() {
            let _ = writeln!(file, "{} {} {} {}", j + 1, p.x, p.y, p.z);
        }
    }
    file.into_bytes()
}

/// The curves of a Creo .ibl file; several curves of a section that meet are one route.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().enumerate().map(|(i, l)| {
        let (data, comment) = l.split_once('!').unwrap_or((l, ""));
        (i + 1, data.trim().to_lowercase(), comment.trim())
    });
    let head = lines.by_ref().find(|(_, data, _)| !data.is_empty());
    if !head.is_some_and(|(_, d, _)| d.starts_with("open") || d.starts_with("closed")) {
        return Err(ReadError::whole(
            "this is no .ibl file: it must begin with Open or Closed",
        ));
    }
    let mut routes: Vec<FoundRoute> = Vec::new();
    let mut in_curve = false;
    let mut begins = false;
    for (line, data, comment) in lines {
        let mut words = data.split_whitespace();
        let first_two = (words.next(), words.next());
        match first_two {
            (None, _) => {}
            (Some("begin"), Some("section")) => {
                in_curve = false;
                routes.push(FoundRoute {
                    name: (!comment.is_empty()).then(|| comment.to_owned()),
                    shape: FoundShape::Points(Vec::new()),
                    radius: None,
                    facts: None,
                });
            }
            (Some("begin"), Some("curve")) => (in_curve, begins) = (true, true),
            _ => {
                let values = data
                    .split_whitespace()
                    .map(|w| number(w, line))
                    .collect::<Result<Vec<_>, _>>()?;
                let place = match values[..] {
                    [x, y, z] | [_, x, y, z] => Vec3::new(x, y, z),
                    _ => return Err(ReadError::line(line, "three coordinates expected")),
                };
                let Some(FoundRoute {
                    shape: FoundShape::Points(points),
                    ..
                }) = routes.last_mut().filter(|_| in_curve)
                else {
                    let what = "a point outside of a curve: begin section and begin curve first";
                    return Err(ReadError::line(line, what));
                };
                match points.last() {
                    Some(last) if begins && *last == place => {}
                    Some(_) if begins => {
                        let what = "the curves of a section must meet, for they are one route";
                        return Err(ReadError::line(line, what));
                    }
                    _ => points.push(place),
                }
                begins = false;
            }
        }
    }
    let mut contents = Contents::new(None);
    contents.network = Network::loose(routes);
    remark::apply(&text, &mut contents);
    Ok(contents)
}
