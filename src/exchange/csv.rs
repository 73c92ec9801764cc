//! CSV: one row for each point, rows of one route together.

use std::collections::HashSet;
use std::fmt::Write;

use super::file::{Contents, Entries, FoundRoute, FoundShape, ReadError, Target, number};
use super::names::NameRule;
use super::network::{Network, Segment, SegmentLabel};
use super::remark::{self, Facts};
use super::sample::cut;
use super::unit::LengthUnit;
use crate::geom::Vec3;

/// Any text; it is quoted where it must be.
pub const NAMES: NameRule = NameRule {
    longest: 255,
    upper_case: false,
    allows: |c| !c.is_control(),
    instead: Some(' '),
    letter_first: false,
    ascii: false,
};

/// The routes as points: `route,s_mm,x_mm,y_mm,z_mm,diameter_mm,material,from,to`; what is around them, and what is cut
/// for them, in comments below the table.
pub fn write(entries: &Entries, target: &Target) -> Vec<u8> {
    let unit = target.convention.unit.symbol();
    let mut file =
        format!("route,s_{unit},x_{unit},y_{unit},z_{unit},diameter_{unit},material,from,to\n");
    for segment in &entries.segments {
        let entry = &segment.route;
        let name = quoted(entry.name);
        let text = |text: Option<&str>| quoted(text.unwrap_or(""));
        let [from, to] = segment.label.ends();
        let facts = [text(entry.route.material.as_deref()), text(from), text(to)];
        let facts = facts.join(",");
        for sample in cut(&entry.route.curve, &target.fineness) {
            let p = target.convention.outside(&sample.position);
            let s = target.convention.length_outside(sample.s);
            let diameter = 2.0 * entry.route.radius.at(sample.s);
            let diameter = target.convention.length_outside(diameter);
            // Writing to a string cannot fail.
            let _ = writeln!(
                file,
                "{name},{s},{},{},{},{diameter},{facts}",
                p.x, p.y, p.z
            );
        }
    }
    let has_lengths = entries.routes().any(|entry| entry.route.lengths.is_some());
    if has_lengths || !entries.surroundings().is_empty() {
        for remark in remark::lines(entries, target, 200) {
            let _ = writeln!(file, "# {remark}");
        }
    }
    file.into_bytes()
}

/// The routes of a CSV file: columns x, y, z by their header, and route (or name) if there is one.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| ReadError::whole("the file is not UTF-8; save it again as UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(i, l)| (i + 1, l))
        .filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
    let (line, header) = lines
        .next()
        .ok_or_else(|| ReadError::whole("the file is empty"))?;
    let header: Vec<String> = fields(header, line)?
        .iter()
        .map(|f| f.trim().to_lowercase())
        .collect();
    let column = |letter: &str| {
        header.iter().position(|h| {
            h.strip_prefix(letter)
                .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        })
    };
    let (Some(x), Some(y), Some(z)) = (column("x"), column("y"), column("z")) else {
        return Err(ReadError::line(
            line,
            "the first row must name columns x, y and z, such as route,s_mm,x_mm,y_mm,z_mm",
        ));
    };
    let route = header
        .iter()
        .position(|h| ["route", "name", "curve", "id"].contains(&h.as_str()));
    let named = |name: &str| header.iter().position(|h| h == name);
    let diameter = header.iter().position(|h| h.starts_with("diameter"));
    let [material, from, to] = ["material", "from", "to"].map(named);
    let unit_in_mm = LengthUnit::ALL
        .into_iter()
        .find(|u| header[x][1..].trim_matches(|c: char| !c.is_alphanumeric()) == u.symbol())
        .map(LengthUnit::in_mm);
    let mut segments: Vec<Segment<FoundRoute>> = Vec::new();
    let mut names: HashSet<Option<String>> = HashSet::new();
    for (line, row) in lines {
        let row = fields(row, line)?;
        if row.len() != header.len() {
            let what = format!("{} fields, but the header has {}", row.len(), header.len());
            return Err(ReadError::line(line, what));
        }
        let place = Vec3::new(
            number(&row[x], line)?,
            number(&row[y], line)?,
            number(&row[z], line)?,
        );
        let name = route.map(|i| row[i].clone());
        let text = |i: Option<usize>| {
            let text = i.map(|i| row[i].trim().to_owned());
            text.filter(|t| !t.is_empty())
        };
        let diameter = text(diameter).map(|d| number(&d, line)).transpose()?;
        let diameter_mm = diameter.map(|d| d * unit_in_mm.unwrap_or(1.0));
        match segments.last_mut().map(|segment| &mut segment.route) {
            Some(FoundRoute {
                name: last,
                shape: FoundShape::Points(points),
                radius,
                facts,
            }) if *last == name => {
                points.push(place);
                // Of a route whose diameter changes the largest.
                let larger = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| a.max(b));
                *radius = larger(*radius, diameter.map(|d| 0.5 * d));
                if let Some(facts) = facts {
                    facts.diameter_mm = larger(facts.diameter_mm, diameter_mm);
                }
            }
            _ => {
                if !names.insert(name.clone()) {
                    let what = "rows of one route must stand together";
                    return Err(ReadError::line(line, what));
                }
                let facts = Facts {
                    name: name.clone().unwrap_or_default(),
                    diameter_mm,
                    material: text(material),
                    lengths: None,
                };
                segments.push(Segment {
                    label: SegmentLabel {
                        id: (segments.len() + 1).to_string(),
                        from: text(from),
                        to: text(to),
                        ..SegmentLabel::default()
                    },
                    route: FoundRoute {
                        name,
                        shape: FoundShape::Points(vec![place]),
                        radius: diameter.map(|d| 0.5 * d),
                        facts: Some(facts),
                    },
                });
            }
        }
    }
    let mut contents = Contents::new(unit_in_mm);
    contents.network = Network {
        segments,
        ..Network::default()
    };
    contents
        .network
        .add_missing_nodes(|route, which| route.shape.end(which));
    remark::apply(text, &mut contents);
    Ok(contents)
}

/// A field in quotes where RFC 4180 asks for them, or where it would be taken for a comment or trimmed.
fn quoted(name: &str) -> String {
    if name.contains([',', '"']) || name.starts_with(['#', ' ']) || name.ends_with(' ') {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

fn fields(row: &str, line: usize) -> Result<Vec<String>, ReadError> {
    let mut fields = Vec::new();
    let mut rest = row;
    loop {
        if let Some(mut body) = rest.strip_prefix('"') {
            let mut field = String::new();
            loop {
                let end = body
                    .find('"')
                    .ok_or_else(|| ReadError::line(line, "a quote is not closed"))?;
                field.push_str(&body[..end]);
                body = &body[end + 1..];
                match body.strip_prefix('"') {
                    Some(after) => {
                        field.push('"');
                        body = after;
                    }
                    None => break,
                }
            }
            fields.push(field);
            rest = body;
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            fields.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None if rest.is_empty() => return Ok(fields),
            None => return Err(ReadError::line(line, "',' expected after a quote")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_quotes_come_back() {
        for name in ["W17", "a,b", "say \"x\"", "#1", " x "] {
            let row = format!("{},1", quoted(name));
            assert_eq!(fields(&row, 1).unwrap(), [name, "1"]);
        }
    }

    #[test]
    fn what_others_write_is_read() {
        let text = "\u{feff}X [mm], Y [mm], Z [mm]\r\n1, 2,3\r\n4,5,6e0\r\n";
        let contents = read(text.as_bytes()).unwrap();
        assert_eq!(contents.unit_in_mm, Some(1.0));
        let points = vec![Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)];
        assert_eq!(
            contents.network.segments[0].route.shape,
            FoundShape::Points(points)
        );
        for bad in [
            "",
            "a,b\n1,2\n",
            "x,y,z\n1,2\n",
            "x,y,z\n1;2,3,4\n",
            "x,y,z\n1,2,inf\n",
        ] {
            assert!(read(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
