//! The curves of an IGES file: its records, which of its entities stand for themselves, and their names.
//!
//! What a curve itself is says `iges_curves`. IGES 5.3.

use std::collections::BTreeSet;

use super::curve::Path;
use super::file::{Contents, FoundRoute, FoundShape, ReadError, number};
use super::iges_curves::Motion;
use super::remark;

/// A parameter record: columns 1 to 64 hold data.
const DATA_WIDTH: usize = 64;

/// Groups in groups that are followed.
const DEEPEST: usize = 16;

/// Instances of subfigures at most.
const MOST_PLACES: usize = 100_000;

/// The curves of an IGES file, each with its name: of its property, its label, or its group.
///
/// Curves that bound surfaces are no routes. A curve that cannot be read is named and does not lose the others.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let text = String::from_utf8_lossy(bytes);
    let file = IgesFile::new(&text)?;
    let mut contents = Contents::new(Some(file.unit_in_mm));
    contents.notes.clone_from(&file.notes);
    let ours = remark::is_in(&text);
    for root in file.roots() {
        let found = file.curve(root.record, 0);
        let record = &file.records[root.record];
        // Our own files have the user's name in a remark; of other's the property says more than the label.
        let label = (ours && !record.label.is_empty()).then(|| record.label.clone());
        let name = label.or_else(|| file.name_of(root.record)).or(root.name);
        match found {
            Ok(path) => contents.network.push(FoundRoute {
                shape: FoundShape::of_path(&path).mapped(|p| root.motion.apply(p)),
                ..FoundRoute::named(name)
            }),
            Err(why) => {
                let name = name.map_or(String::new(), |n| format!(" \"{n}\""));
                contents.lost.push(format!(
                    "curve{name} (entity {} at line {}): {why}",
                    record.kind, record.line
                ));
            }
        }
    }
    remark::apply(&text, &mut contents);
    Ok(contents)
}

/// A curve that stands for itself.
struct Root {
    record: usize,
    motion: Motion,
    /// The name of its group.
    name: Option<String>,
}

/// A parsed file.
pub(super) struct IgesFile {
    pub records: Vec<Record>,
    pub unit_in_mm: f64,
    notes: Vec<String>,
}

/// An entity that was read.
pub(super) struct Record {
    pub kind: usize,
    pub form: usize,
    /// Line of its directory entry.
    pub line: usize,
    /// Number of the directory entry of its transformation; 0 for none.
    pub matrix: usize,
    /// It is a piece of another entity, or of no use as geometry.
    depends: bool,
    label: String,
    pub fields: Vec<String>,
}

impl Record {
    /// An entity of nothing but parameters.
    #[cfg(test)]
    pub fn of_fields(kind: usize, fields: Vec<String>) -> Self {
        Self {
            kind,
            form: 0,
            line: 0,
            matrix: 0,
            depends: false,
            label: String::new(),
            fields,
        }
    }

    /// The number at a place of its parameters; 0 where it is left out.
    pub fn value(&self, i: usize) -> Result<f64, String> {
        match self.fields.get(i).map(|text| text.trim()) {
            None => Err("it has too few parameters".into()),
            Some("") => Ok(0.0),
            Some(text) => {
                let text = text.replace(['D', 'd'], "E");
                let value = text.parse().ok().filter(|v: &f64| v.is_finite());
                value.ok_or_else(|| format!("\"{text}\" is no number"))
            }
        }
    }

    /// A count of its parameters.
    pub fn count(&self, i: usize) -> Result<usize, String> {
        let n = self.value(i)?;
        if (0.0..1e7).contains(&n) && n <= self.fields.len() as f64 {
            Ok(n as usize)
        } else {
            Err(format!("a count of {n} makes no sense"))
        }
    }

    /// Pointers to entities from a place on.
    fn pointers(&self, from: usize, n: usize) -> impl Iterator<Item = usize> + '_ {
        let values = (from..from + n).map(|i| self.value(i));
        values.filter_map(|v| index_of(v.ok()?))
    }
}

/// The number of the record that a pointer to a directory entry means.
pub(super) fn index_of(pointer: f64) -> Option<usize> {
    (pointer.abs() as usize).checked_sub(1).map(|n| n / 2)
}

impl IgesFile {
    fn new(text: &str) -> Result<Self, ReadError> {
        let mut sections: [Vec<(usize, &str)>; 5] = Default::default();
        for (i, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let letter = line.get(72..73).unwrap_or("");
            let Some(section) = "SGDPT".find(letter).filter(|_| !letter.is_empty()) else {
                return Err(ReadError::line(
                    i + 1,
                    "no IGES record: column 73 must be S, G, D, P or T",
                ));
            };
            sections[section].push((i + 1, line));
        }
        let [_, globals, directory, parameters, _] = &sections;
        let globals: String = globals.iter().filter_map(|(_, l)| l.get(..72)).collect();
        let (delimiter, end) = delimiters(&globals);
        let globals = fields(&globals, delimiter, end);
        let mut file = Self {
            records: directory_of(directory, parameters, delimiter, end)?,
            unit_in_mm: unit_of(&globals)?,
            notes: Vec::new(),
        };
        let scale = globals.get(12).and_then(|s| s.trim().parse::<f64>().ok());
        if let Some(scale) = scale.filter(|s| *s != 1.0 && *s != 0.0) {
            file.notes.push(format!(
                "the file states a model space scale of {scale}, which was not applied"
            ));
        }
        Ok(file)
    }

    /// The entity of a pointer.
    pub fn entity(&self, pointer: f64) -> Result<usize, String> {
        index_of(pointer)
            .filter(|n| *n < self.records.len())
            .ok_or_else(|| "a piece of it is missing".into())
    }

    /// The curves that stand for themselves: pieces of composite curves, boundaries of faces and members of
    /// subfigures do not; members of groups do.
    fn roots(&self) -> Vec<Root> {
        let mut pieces = BTreeSet::new();
        for record in &self.records {
            match record.kind {
                // Composite curves, subfigures, curves on surfaces, bounded and trimmed surfaces.
                102 => pieces.extend(record.pointers(2, record.count(1).unwrap_or(0))),
                308 => pieces.extend(record.pointers(4, record.count(3).unwrap_or(0))),
                130 => pieces.extend(record.pointers(1, 1)),
                118 | 120 | 122 | 141..=144 | 502 | 504 | 508 | 510 => {
                    pieces.extend(record.pointers(1, record.fields.len()));
                }
                _ => {}
            }
        }
        let mut roots = Vec::new();
        for (number, record) in self.records.iter().enumerate() {
            if record.depends || pieces.contains(&number) {
                continue;
            }
            self.add_roots(number, &Motion::IDENTITY, None, 0, &mut roots);
        }
        // Members of groups come by their group, with its name, and by themselves.
        let mut seen: Vec<(usize, Motion)> = Vec::new();
        roots.sort_by_key(|r| (r.record, r.name.is_none()));
        roots.retain(|root| {
            let one = (root.record, root.motion);
            let is_new = !seen
                .iter()
                .rev()
                .take_while(|s| s.0 == one.0)
                .any(|s| *s == one);
            seen.push(one);
            is_new
        });
        roots
    }

    fn add_roots(
        &self,
        number: usize,
        motion: &Motion,
        group: Option<&str>,
        depth: usize,
        roots: &mut Vec<Root>,
    ) {
        let Some(record) = self.records.get(number).filter(|_| depth < DEEPEST) else {
            return;
        };
        if roots.len() >= MOST_PLACES {
            return;
        }
        match record.kind {
            100 | 102 | 104 | 110 | 112 | 126 | 130 => roots.push(Root {
                record: number,
                motion: *motion,
                name: group.map(str::to_owned),
            }),
            // Copious data: the forms that are paths.
            106 if matches!(record.form, 11..=13 | 63) => roots.push(Root {
                record: number,
                motion: *motion,
                name: group.map(str::to_owned),
            }),
            402 if matches!(record.form, 1 | 7 | 14 | 15) => {
                let name = self.name_of(number);
                let n = record.count(1).unwrap_or(0);
                for member in record.pointers(2, n) {
                    let name = name.as_deref().or(group);
                    self.add_roots(member, motion, name, depth + 1, roots);
                }
            }
            // An instance of a subfigure.
            408 => {
                let Some(figure) = record.value(1).ok().and_then(index_of) else {
                    return;
                };
                let at = |i: usize| record.value(i).unwrap_or(0.0);
                let scale = record.value(5).ok().filter(|s| *s != 0.0).unwrap_or(1.0);
                let own = self.motion_of(record).unwrap_or(Motion::IDENTITY);
                let shift = Motion::placed([at(2), at(3), at(4)].into(), scale);
                let inner = motion.after(&own).after(&shift);
                let Some(figure) = self.records.get(figure).filter(|f| f.kind == 308) else {
                    return;
                };
                let name = figure.fields.get(2).map(|n| n.trim().to_owned());
                let name = name.filter(|n| !n.is_empty());
                let n = figure.count(3).unwrap_or(0);
                for member in figure.pointers(4, n) {
                    let name = name.as_deref().or(group);
                    self.add_roots(member, &inner, name, depth + 1, roots);
                }
            }
            _ => {}
        }
    }

    /// The name of an entity: its property of form 15, else its label.
    fn name_of(&self, number: usize) -> Option<String> {
        let record = &self.records[number];
        let mut property = record.fields.iter().skip(1).filter_map(|text| {
            let pointer: f64 = text.trim().parse().ok()?;
            let property = self.records.get(index_of(pointer)?)?;
            let is_name = property.kind == 406 && property.form == 15;
            is_name.then(|| property.fields.get(2)).flatten()
        });
        let name = property
            .next_back()
            .map_or(record.label.as_str(), |n| n.trim());
        (!name.is_empty()).then(|| name.to_owned())
    }

    /// The path of a curve, or why there is none.
    pub fn curve(&self, number: usize, depth: usize) -> Result<Path, String> {
        let record = &self.records[number];
        if depth > DEEPEST {
            return Err("it is defined by itself".into());
        }
        let motion = self.motion_of(record)?;
        let path = self.plain_curve(record, depth)?;
        if path.is_empty() {
            return Err("it has no extent".into());
        }
        Ok(path
            .iter()
            .map(|c| c.mapped(&|p: &crate::geom::Vec3| motion.apply(p)))
            .collect())
    }
}

/// Parameter and record delimiter of a file: `,` and `;` unless its first two fields say otherwise.
fn delimiters(globals: &str) -> (char, char) {
    let text = globals.trim_start();
    let given = |text: &str| {
        let mut chars = text.strip_prefix("1H")?.chars();
        chars.next()
    };
    let delimiter = given(text).unwrap_or(',');
    let rest = match given(text) {
        // `1H` and the character, then the delimiter itself.
        Some(c) => text.get(2 + 2 * c.len_utf8()..).unwrap_or(""),
        None => text.get(1..).unwrap_or(""),
    };
    (delimiter, given(rest.trim_start()).unwrap_or(';'))
}

/// How many mm the unit of a file is.
fn unit_of(globals: &[String]) -> Result<f64, ReadError> {
    let flag = globals.get(13).map_or("", |f| f.trim());
    let name = globals.get(14).map_or("", |f| f.trim());
    let flag = match (flag, name.to_ascii_uppercase().as_str()) {
        // Without any word the standard says inches.
        ("" | "3", "IN" | "INCH") | ("", "") => "1",
        ("" | "3", "MM") => "2",
        ("" | "3", "FT") => "4",
        ("" | "3", "MI") => "5",
        ("" | "3", "M") => "6",
        ("" | "3", "KM") => "7",
        ("" | "3", "MIL") => "8",
        ("" | "3", "UM") => "9",
        ("" | "3", "CM") => "10",
        ("" | "3", "UIN") => "11",
        (flag, _) => flag,
    };
    Ok(match flag {
        "1" => 25.4,
        "2" => 1.0,
        "4" => 304.8,
        "5" => 1_609_344.0,
        "6" => 1000.0,
        "7" => 1e6,
        "8" => 0.0254,
        "9" => 1e-3,
        "10" => 10.0,
        "11" => 25.4e-6,
        other => {
            return Err(ReadError::whole(format!(
                "the unit flag {other} of the IGES file is not understood"
            )));
        }
    })
}

/// All entities with their parameters.
fn directory_of(
    directory: &[(usize, &str)],
    parameters: &[(usize, &str)],
    delimiter: char,
    end: char,
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
            .take((count as usize).max(1))
            .filter_map(|(_, l)| l.get(..DATA_WIDTH))
            .collect();
        // Blank, subordinate, use, hierarchy: two digits each. A logically dependent entity (02) is a member of a
        // group; one for annotation (01) or in a parameter plane (05) is no geometry.
        let status = first.get(64..72).unwrap_or("").replace(' ', "0");
        let digits = |at: usize| status.get(at..at + 2).unwrap_or("00");
        records.push(Record {
            kind: integer(first, 0)? as usize,
            form: integer(second, 4)? as usize,
            line: *line,
            matrix: integer(first, 6)? as usize,
            depends: matches!(digits(2), "01" | "03") || matches!(digits(4), "01" | "02" | "05"),
            label: field(second, 7),
            fields: fields(&data, delimiter, end),
        });
    }
    Ok(records)
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
