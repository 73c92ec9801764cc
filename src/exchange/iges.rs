//! IGES 5.3: one rational B-spline curve (entity 126) for each route, with a colour (314) and a name (406 form 15);
//! or one composite curve (102) of lines (110) and arcs (100).

use std::fmt::Write;

use super::bspline::BSpline;
use super::file::{Contents, Entry, FoundRoute, FoundShape, ReadError, Target, number};
use super::iges_arcs::{add_elements, elements_of};
use super::names::{NameRule, spelt_in_ascii};
use super::number::Real;
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
pub fn write(entries: &[Entry], target: &Target) -> Vec<u8> {
    let mut entities: Vec<Entity> = Vec::new();
    let mut largest = 0.0_f64;
    for entry in entries {
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
    assemble(&entities, target, largest).into_bytes()
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
fn assemble(entities: &[Entity], target: &Target, largest: f64) -> String {
    let mut text = String::new();
    let title = spelt_in_ascii(target.title);
    let mut sections = [0; 4];
    // Writing to a string cannot fail.
    for line in records([format!("Routes of {title}")], 72) {
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

/// The B-spline curves of an IGES file.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let text = String::from_utf8_lossy(bytes);
    let mut sections: [Vec<(usize, &str)>; 5] = Default::default();
    for (i, line) in text.lines().enumerate() {
        let line_number = i + 1;
        if line.is_empty() {
            continue;
        }
        let letter = line.get(72..73).unwrap_or("");
        let Some(section) = "SGDPT".find(letter).filter(|_| !letter.is_empty()) else {
            return Err(ReadError::line(
                line_number,
                "no IGES record: column 73 must be S, G, D, P or T",
            ));
        };
        sections[section].push((line_number, line));
    }
    let [_, globals, directory, parameters, _] = &sections;
    let all: String = globals.iter().filter_map(|(_, l)| l.get(..72)).collect();
    let globals = fields(&all, ',', ';');
    let flag = globals.get(13).map_or("", |f| f.trim());
    let unit_in_mm = match flag {
        "1" => 25.4,
        "2" | "" => 1.0,
        "4" => 304.8,
        "6" => 1000.0,
        "10" => 10.0,
        other => {
            return Err(ReadError::whole(format!(
                "the unit flag {other} of the IGES file is not understood"
            )));
        }
    };
    let mut contents = Contents {
        unit_in_mm: Some(unit_in_mm),
        routes: Vec::new(),
        notes: Vec::new(),
    };
    let records = directory_of(directory, parameters)?;
    for record in &records {
        let shape = match record.kind {
            126 => FoundShape::Spline(curve_of(&record.fields, record.line)?),
            102 => {
                let Some(elements) = elements_of(record, &records)? else {
                    contents.notes.push(format!(
                        "the composite curve at line {} is not made of lines and arcs alone: \
                         its splines are read by themselves",
                        record.line
                    ));
                    continue;
                };
                FoundShape::Elements(elements)
            }
            314 | 406 | 124 => continue,
            // Pieces of a composite curve are read with it.
            100 | 110 if record.depends => continue,
            kind => {
                let note = format!("entity {kind} is not read here");
                contents.notes.push(note);
                continue;
            }
        };
        contents.routes.push(FoundRoute {
            name: (!record.label.is_empty()).then(|| record.label.clone()),
            shape,
            radius: None,
        });
    }
    Ok(contents)
}

/// An entity that was read.
pub(super) struct Record {
    pub kind: usize,
    /// Line of its directory entry.
    pub line: usize,
    /// Number of the directory entry of its transformation; 0 for none.
    pub matrix: usize,
    pub depends: bool,
    pub label: String,
    pub fields: Vec<String>,
}

impl Record {
    /// The number at a place of its parameters.
    pub fn value(&self, i: usize) -> Result<f64, ReadError> {
        let text = self
            .fields
            .get(i)
            .ok_or_else(|| ReadError::line(self.line, "the entity has too few parameters"))?;
        number(&text.replace(['D', 'd'], "E"), self.line)
    }
}

/// All entities with their parameters.
fn directory_of(
    directory: &[(usize, &str)],
    parameters: &[(usize, &str)],
) -> Result<Vec<Record>, ReadError> {
    let mut records = Vec::with_capacity(directory.len() / 2);
    for pair in directory.chunks(2) {
        let [(line, first), (_, second)] = pair else {
            return Err(ReadError::whole(
                "the directory has an odd number of records",
            ));
        };
        let field =
            |record: &str, i: usize| record.get(8 * i..8 * i + 8).unwrap_or("").trim().to_owned();
        let integer = |record: &str, i: usize| match field(record, i).as_str() {
            "" => Ok(0.0),
            text => number(text, *line),
        };
        let (start, count) = (integer(first, 1)?, integer(second, 3)?);
        let data: String = parameters
            .iter()
            .skip((start as usize).saturating_sub(1))
            .take(count as usize)
            .filter_map(|(_, l)| l.get(..DATA_WIDTH))
            .collect();
        records.push(Record {
            kind: integer(first, 0)? as usize,
            line: *line,
            matrix: integer(first, 6)? as usize,
            depends: first.get(66..68).is_some_and(|digits| digits != "00"),
            label: field(second, 7),
            fields: fields(&data, ',', ';'),
        });
    }
    Ok(records)
}

fn curve_of(fields: &[String], line: usize) -> Result<BSpline, ReadError> {
    let value = |i: usize| {
        let text = fields
            .get(i)
            .ok_or_else(|| ReadError::line(line, "the curve has too few parameters"))?;
        number(&text.replace(['D', 'd'], "E"), line)
    };
    let (k, degree) = (value(1)?, value(2)?);
    if !(0.0..1e6).contains(&k) || !(1.0..100.0).contains(&degree) {
        return Err(ReadError::line(line, "the curve's counts make no sense"));
    }
    let (n, degree) = (k as usize + 1, degree as usize);
    let knots_at = 7;
    let weights_at = knots_at + n + degree + 1;
    let points_at = weights_at + n;
    let knots = (knots_at..weights_at)
        .map(value)
        .collect::<Result<Vec<_>, _>>()?;
    let weights = (weights_at..points_at)
        .map(value)
        .collect::<Result<Vec<_>, _>>()?;
    if weights.iter().any(|w| *w != weights[0]) {
        return Err(ReadError::line(line, "rational curves are not read here"));
    }
    let points = (0..n)
        .map(|i| {
            let at = points_at + 3 * i;
            Ok(Vec3::new(value(at)?, value(at + 1)?, value(at + 2)?))
        })
        .collect::<Result<Vec<_>, ReadError>>()?;
    BSpline::new(degree, knots, points).map_err(|reason| ReadError::Curve {
        name: format!("at line {line}"),
        reason,
    })
}

/// Parameters between delimiters, with texts `5Habc,d` taken by their count.
fn fields(text: &str, delimiter: char, end: char) -> Vec<String> {
    let mut fields = Vec::new();
    let mut field = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == delimiter || c == end {
            fields.push(std::mem::take(&mut field));
            if c == end {
                return fields;
            }
        } else if c == 'H' && field.trim().parse::<usize>().is_ok() {
            let count = field.trim().parse().unwrap_or(0);
            field = chars.by_ref().take(count).collect();
        } else {
            field.push(c);
        }
    }
    fields.push(field);
    fields
}
