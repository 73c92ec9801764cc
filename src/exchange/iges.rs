//! IGES 5.3: one rational B-spline curve (entity 126) for each route, with a colour (314) and a name (406 form 15);
//! or one composite curve (102) of lines (110) and arcs (100).

use std::fmt::Write;

use super::bspline::BSpline;
use super::file::{Entries, Target};
use super::iges_arcs::add_elements;
use super::names::{NameRule, spelt_in_ascii};
use super::number::Real;
use super::remark;
use super::text::records;
use super::unit::LengthUnit;
use crate::geom::Vec3;

/// The label of a directory entry: eight printable characters.
pub const NAMES: NameRule = NameRule {
    longest: 8,
    upper_case: false,
    allows: |c| ('!'..='~').contains(&c) && c != ',' && c != ';',
    instead: Some('_'),
    letter_first: false,
    ascii: true,
};

/// A parameter record: columns 1 to 64 hold data.
const DATA_WIDTH: usize = 64;

/// An entity that is being written.
pub(super) struct Entity {
    pub kind: usize,
    pub form: usize,
    /// Number of the directory entry of its colour.
    pub colour: Option<usize>,
    /// Number of the directory entry of its transformation.
    pub matrix: Option<usize>,
    pub label: String,
    /// Subordinate entities are hidden: status 00010000.
    pub depends: bool,
    pub parameters: Vec<String>,
}

impl Entity {
    /// One that belongs to another.
    pub fn part_of(kind: usize, parameters: Vec<String>) -> Self {
        Self {
            kind,
            form: 0,
            colour: None,
            matrix: None,
            label: String::new(),
            depends: true,
            parameters,
        }
    }
}

/// The routes as curves.
pub fn write(entries: &Entries, target: &Target) -> Vec<u8> {
    let mut entities: Vec<Entity> = Vec::new();
    let mut largest = 0.0_f64;
    for entry in entries.routes() {
        let outside = |p: &Vec3| target.convention.outside(p);
        let curve = entry.route.curve.mapped(outside);
        for p in curve.points() {
            largest = largest.max(p.amax());
        }
        let colour = next_entry(&entities);
        let [r, g, b] = entry.route.colour.map(|c| f64::from(c) / 2.55);
        let rgb = format!("314,{},{},{};", Real(r), Real(g), Real(b));
        entities.push(Entity::part_of(314, vec![rgb]));
        let full = spelt_in_ascii(&entry.route.name);
        let has_property = full != entry.name;
        let (kind, mut parameters) = match entry.arcs {
            None => (126, curve_parameters(&curve, entry.route.closed)),
            Some(arcs) => {
                let elements: Vec<_> = arcs.elements.iter().map(|e| e.mapped(outside)).collect();
                (102, add_elements(&mut entities, &elements, colour))
            }
        };
        if has_property {
            // No associativities, one property: the name, which follows.
            parameters.push(format!("0,1,{};", next_entry(&entities) + 2));
        } else if let Some(last) = parameters.last_mut() {
            last.pop();
            last.push(';');
        }
        entities.push(Entity {
            colour: Some(colour),
            label: entry.name.to_owned(),
            depends: false,
            ..Entity::part_of(kind, parameters)
        });
        if has_property {
            let name = format!("{}H{full};", full.len());
            entities.push(Entity {
                form: 15,
                ..Entity::part_of(406, vec!["406,".into(), "1,".into(), name])
            });
        }
    }
    // A blank must stay before the letter of the section.
    let remarks = remark::lines(entries, target, 71);
    assemble(&entities, target, largest, &remarks).into_bytes()
}

/// Number of the directory entry that the next entity gets.
pub(super) fn next_entry(entities: &[Entity]) -> usize {
    2 * entities.len() + 1
}

/// `126,K,M,planar,closed,polynomial,periodic, knots, weights, points, range, normal,`
fn curve_parameters(curve: &BSpline, closed: bool) -> Vec<String> {
    let n = curve.points().len();
    let mut parameters: Vec<String> = [126, n - 1, curve.degree(), 0, usize::from(closed), 1, 0]
        .iter()
        .map(|i| format!("{i},"))
        .collect();
    let mut real = |x: f64| parameters.push(format!("{},", Real(x)));
    curve.knots().iter().for_each(|&k| real(k));
    (0..n).for_each(|_| real(1.0));
    for p in curve.points() {
        [p.x, p.y, p.z].into_iter().for_each(&mut real);
    }
    let (a, b) = curve.domain();
    [a, b, 0.0, 0.0, 0.0].into_iter().for_each(real);
    parameters
}

/// All sections: every record has 80 columns.
fn assemble(entities: &[Entity], target: &Target, largest: f64, remarks: &[String]) -> String {
    let mut text = String::new();
    let title = spelt_in_ascii(target.title);
    let mut sections = [0; 4];
    // Writing to a string cannot fail.
    let start = records([format!("Routes of {title}")], 72);
    for line in start.iter().chain(remarks) {
        sections[0] += 1;
        let _ = write!(text, "{line:<72}S{:>7}\r\n", sections[0]);
    }
    for line in records(global(target, &title, largest), 72) {
        sections[1] += 1;
        let _ = write!(text, "{line:<72}G{:>7}\r\n", sections[1]);
    }
    let mut parameters = String::new();
    for entity in entities {
        let directory = sections[2] + 1;
        let start = sections[3] + 1;
        for line in records(entity.parameters.iter().cloned(), DATA_WIDTH) {
            sections[3] += 1;
            let _ = write!(
                parameters,
                "{line:<64}{directory:>8}P{:>7}\r\n",
                sections[3]
            );
        }
        let count = sections[3] + 1 - start;
        let status = if entity.depends {
            "00010000"
        } else {
            "00000000"
        };
        let kind = entity.kind;
        let colour = entity.colour.map_or(0, |d| -(d as i64));
        let _ = write!(
            text,
            "{kind:>8}{start:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{status}D{:>7}\r\n",
            0,
            1,
            0,
            0,
            entity.matrix.unwrap_or(0),
            0,
            directory
        );
        let _ = write!(
            text,
            "{kind:>8}{:>8}{colour:>8}{count:>8}{:>8}{:>8}{:>8}{:>8}{:>8}D{:>7}\r\n",
            0,
            entity.form,
            "",
            "",
            entity.label,
            0,
            directory + 1
        );
        sections[2] += 2;
    }
    text.push_str(&parameters);
    let [s, g, d, p] = sections;
    let end = format!("S{s:>7}G{g:>7}D{d:>7}P{p:>7}");
    let _ = write!(text, "{end:<72}T{:>7}\r\n", 1);
    text
}

fn global(target: &Target, title: &str, largest: f64) -> Vec<String> {
    let hollerith = |text: &str| format!("{}H{text},", text.len());
    let (hour, minute, second) = target.stamp.clock();
    let date = format!(
        "{:04}{:02}{:02}.{hour:02}{minute:02}{second:02}",
        target.stamp.year, target.stamp.month, target.stamp.day
    );
    let (flag, unit) = match target.convention.unit {
        LengthUnit::Mm => (2, "MM"),
        LengthUnit::M => (6, "M"),
        LengthUnit::In => (1, "IN"),
    };
    let version = format!("Loomwright {}", env!("CARGO_PKG_VERSION"));
    let resolution = Real(target.convention.length_outside(1e-6));
    let mut fields = vec!["1H,,".to_owned(), "1H;,".into(), hollerith(title)];
    fields.push(hollerith(&spelt_in_ascii(target.file_name)));
    fields.push(hollerith("Loomwright"));
    fields.push(hollerith(&version));
    fields.extend(["32,", "38,", "6,", "308,", "15,"].map(str::to_owned));
    fields.push(hollerith(title));
    fields.extend(["1.,".to_owned(), format!("{flag},"), hollerith(unit)]);
    fields.extend([
        "1,".to_owned(),
        format!("{},", Real(target.convention.length_outside(0.35))),
    ]);
    fields.push(hollerith(&date));
    fields.extend([format!("{resolution},"), format!("{},", Real(largest))]);
    fields.extend([",", ",", "11,", "0,"].map(str::to_owned));
    fields.push(format!("{}H{date};", date.len()));
    fields
}
