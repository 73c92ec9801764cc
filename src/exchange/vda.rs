//! VDA-FS 2.0 (DIN 66301): one CURVE for each route, in mm.
//!
//! A curve is a row of polynomials in the monomial basis of u in [0, 1]:
//! a0 = b0, a1 = 3 (b1 - b0), a2 = 3 (b0 - 2 b1 + b2), a3 = b3 - 3 b2 + 3 b1 - b0 of the Bezier points b.

use std::fmt::Write;

use super::bspline::{BSpline, BSplineError};
use super::curve::{Basis, Curve, Cut};
use super::file::{
    Contents, Entries, Entry, FoundRoute, FoundShape, ReadError, Target, WriteError, number,
};
use super::names::{NameRule, spelt_in_ascii};
use super::number::Scientific;
use super::remark;
use super::text::records;
use crate::geom::Vec3;

/// A letter, then up to seven letters or digits.
pub const NAMES: NameRule = NameRule {
    longest: 8,
    upper_case: true,
    allows: |c| c.is_ascii_uppercase() || c.is_ascii_digit(),
    instead: None,
    letter_first: true,
    ascii: true,
};

/// Name of header and end; no route's name can be that, since a cut name has eight characters or is the route's.
const FRAME: &str = "LOOMWRT";

/// Columns of data in a record.
const WIDTH: usize = 72;

/// The routes as curves.
pub fn write(entries: &Entries, target: &Target) -> Result<Vec<u8>, WriteError> {
    let frame = if entries.routes().any(|e| e.name == FRAME) {
        "LOOMWRI"
    } else {
        FRAME
    };
    let mut lines = header(frame, target);
    // A blank must stay before the number of the record.
    let remarks = remark::lines(entries, target, WIDTH - 4);
    lines.extend(remarks.iter().map(|remark| format!("$$ {remark}")));
    for entry in entries.routes() {
        let route = entry.route;
        let curve = route.curve.mapped(|p| target.convention.outside(p));
        let diameter = 2.0 * route.radius.largest();
        let full = spelt_in_ascii(&route.name).to_ascii_uppercase();
        let comment = format!(
            "$$ {} IS ROUTE {full}, OUTER DIAMETER {diameter:.3} MM",
            entry.name
        );
        lines.push(comment.chars().take(WIDTH).collect());
        lines.extend(records(statement(entry, &curve)?, WIDTH));
    }
    lines.push(format!("{frame} = END"));
    let mut text = String::new();
    for (i, line) in lines.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line:<72}{:08}", i + 1);
    }
    Ok(text.into_bytes())
}

/// `NAME = CURVE / n, t0, .., tn, order, x coefficients, y .., z .., order, ..`
fn statement(entry: &Entry, curve: &BSpline) -> Result<Vec<String>, WriteError> {
    let pieces = curve.beziers().ok_or_else(|| WriteError::Shape {
        name: entry.route.name.clone(),
        reason: format!(
            "VDA-FS is written for cubic curves, not degree {}",
            curve.degree()
        ),
    })?;
    let mut fields = vec![pieces.len().to_string()];
    fields.push(Scientific(pieces[0].domain.0).to_string());
    fields.extend(pieces.iter().map(|b| Scientific(b.domain.1).to_string()));
    for piece in &pieces {
        let [b0, b1, b2, b3] = piece.points;
        let powers = [
            b0,
            (b1 - b0) * 3.0,
            (b0 - b1 * 2.0 + b2) * 3.0,
            b3 - b2 * 3.0 + b1 * 3.0 - b0,
        ];
        fields.push("4".into());
        for axis in 0..3 {
            fields.extend(powers.iter().map(|a| Scientific(a[axis]).to_string()));
        }
    }
    let last = fields.len() - 1;
    let mut parts = vec![format!("{} = CURVE / ", entry.name)];
    for (i, field) in fields.into_iter().enumerate() {
        parts.push(if i == last { field } else { field + ", " });
    }
    Ok(parts)
}

/// The twenty records that receivers know.
fn header(frame: &str, target: &Target) -> Vec<String> {
    let stars = "*".repeat(71);
    let rule = |title: &str| format!("{title:-^71}");
    let date = format!(
        "{:02}/{:02}/{:04}",
        target.stamp.day, target.stamp.month, target.stamp.year
    );
    let field = |name: &str, value: &str| {
        let value = spelt_in_ascii(value).to_ascii_uppercase();
        format!("{name:<18}:  {value}")
            .chars()
            .take(WIDTH)
            .collect()
    };
    let lines: Vec<String> = vec![
        format!("{frame} = HEADER / 20"),
        stars.clone(),
        field("VDAFS VERSION", "2.0"),
        rule(" SENDER DATA "),
        field("SENDER COMPANY", "UNKNOWN"),
        field("CONTACT PERSON", "UNKNOWN"),
        field("TELEPHONE NO.", "UNKNOWN"),
        field("ADDRESS", "UNKNOWN"),
        field(
            "SENDING SYSTEM",
            &format!("Loomwright {}", env!("CARGO_PKG_VERSION")),
        ),
        field("SENDING DATE", &date),
        field("FILE NAME", target.file_name),
        rule(" PART DATA "),
        field("PROJECT NAME", "UNKNOWN"),
        field("OBJECT CODE", target.title),
        field("VARIANT", "NONE"),
        field("CONFIDENTIALITY", "UNCLASSIFIED"),
        field("DATE EFFECTIVE", &date),
        rule(" RECEIVER DATA "),
        field("COMPANY NAME", "UNKNOWN"),
        field("RECEIVER NAME", "UNKNOWN"),
        stars,
    ];
    lines
}

/// The curves of a VDA-FS file.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let text = String::from_utf8_lossy(bytes);
    let mut contents = Contents::new(Some(1.0));
    let mut lines = text.lines().enumerate().map(|(i, l)| {
        let data: String = l.chars().take(WIDTH).collect();
        (i + 1, data)
    });
    let header = lines.next().filter(|(_, l)| l.contains("= HEADER"));
    let Some((_, header)) = header else {
        return Err(ReadError::whole(
            "this is no VDA-FS file: its first statement must be NAME = HEADER / n",
        ));
    };
    let count = header.split('/').nth(1).unwrap_or("0").trim().to_owned();
    let count: usize = count
        .parse()
        .map_err(|_| ReadError::line(1, "the number of header records is missing"))?;
    let mut statement: Option<(usize, String)> = None;
    for (line, data) in lines.skip(count) {
        if data.trim_start().starts_with("$$") {
            continue;
        }
        if data.contains('=') {
            if let Some((from, whole)) = statement.take() {
                take_statement(from, &whole, &mut contents);
            }
            statement = Some((line, data));
        } else if let Some((_, whole)) = &mut statement {
            whole.push_str(&data);
        } else if !data.trim().is_empty() {
            return Err(ReadError::line(line, "text outside of a statement"));
        }
    }
    match statement {
        Some((_, last)) if last.contains("= END") => {
            remark::apply(&text, &mut contents);
            Ok(contents)
        }
        _ => Err(ReadError::whole(
            "the file does not end with NAME = END: it is cut off",
        )),
    }
}

fn take_statement(line: usize, whole: &str, contents: &mut Contents) {
    let (name, rest) = whole.split_once('=').unwrap_or((whole, ""));
    let (word, parameters) = rest.split_once('/').unwrap_or((rest, ""));
    let (name, word) = (name.trim(), word.trim());
    match word {
        "CURVE" | "CIRCLE" | "PSET" => {
            let values: Vec<&str> = parameters.split(',').map(str::trim).collect();
            let shape = match word {
                "CURVE" => curve_of(name, &values, line).map(FoundShape::Spline),
                "CIRCLE" => circle_of(name, &values, line),
                _ => points_of(name, &values, line),
            };
            match shape {
                Ok(shape) => contents.network.push(FoundRoute {
                    shape,
                    ..FoundRoute::named(Some(name.to_owned()))
                }),
                Err(why) => contents.lost.push(why.to_string()),
            }
        }
        _ => {}
    }
}

/// `centre, radius, x axis, y axis, first angle, last angle`, angles in degrees.
fn circle_of(name: &str, values: &[&str], line: usize) -> Result<FoundShape, ReadError> {
    let numbers = numbers_of(values, line)?;
    let &[cx, cy, cz, radius, x1, x2, x3, y1, y2, y3, from, to] = &numbers[..] else {
        return Err(ReadError::line(
            line,
            format!("circle {name} needs 12 values"),
        ));
    };
    let axis = |x: f64, y: f64, z: f64| Vec3::new(x, y, z).try_normalize(0.0);
    let axes = axis(x1, x2, x3)
        .zip(axis(y1, y2, y3))
        .filter(|_| radius > 0.0);
    let (x, y) = axes.ok_or_else(|| ReadError::line(line, format!("circle {name} is none")))?;
    let basis = Basis::Ellipse {
        center: Vec3::new(cx, cy, cz),
        x: x * radius,
        y: y * radius,
    };
    let cut = |degrees: f64| Cut {
        point: None,
        parameter: Some(degrees.to_radians()),
    };
    let path = Curve::between(&basis, [cut(from), cut(to)], true, false)
        .map_err(|why| ReadError::line(line, format!("circle {name}: {why}")))?;
    Ok(FoundShape::of_path(&path))
}

/// `n, x, y, z, ..`: a sequence of points.
fn points_of(name: &str, values: &[&str], line: usize) -> Result<FoundShape, ReadError> {
    let numbers = numbers_of(values, line)?;
    let (n, rest) = numbers.split_first().unwrap_or((&0.0, &[]));
    let points: Vec<Vec3> = rest.chunks_exact(3).map(Vec3::from_column_slice).collect();
    if points.len() as f64 != *n {
        return Err(ReadError::line(
            line,
            format!("{name} does not have its {n} points"),
        ));
    }
    Ok(FoundShape::Points(points))
}

fn numbers_of(values: &[&str], line: usize) -> Result<Vec<f64>, ReadError> {
    let one = |text: &&str| number(&text.replace('D', "E"), line);
    values.iter().map(one).collect()
}

/// A row of polynomials as a B-spline with Bezier spans, all raised to the highest order.
fn curve_of(name: &str, values: &[&str], line: usize) -> Result<BSpline, ReadError> {
    let mut rest = values.iter();
    let mut next = || {
        let text = rest
            .next()
            .ok_or_else(|| ReadError::line(line, format!("curve {name} has too few values")))?;
        number(&text.replace('D', "E"), line)
    };
    let n = next()?;
    if !(1.0..1e6).contains(&n) {
        return Err(ReadError::line(
            line,
            format!("curve {name} has {n} segments"),
        ));
    }
    let n = n as usize;
    let at = (0..=n).map(|_| next()).collect::<Result<Vec<_>, _>>()?;
    let mut segments = Vec::with_capacity(n);
    for _ in 0..n {
        let order = next()?;
        if !(1.0..=12.0).contains(&order) {
            return Err(ReadError::line(
                line,
                format!("curve {name}: order {order}"),
            ));
        }
        let order = order as usize;
        let mut powers = vec![Vec3::zeros(); order];
        for axis in 0..3 {
            for power in &mut powers {
                power[axis] = next()?;
            }
        }
        segments.push(powers);
    }
    if rest.next().is_some() {
        return Err(ReadError::line(
            line,
            format!("curve {name} has too many values"),
        ));
    }
    polynomials(&at, &segments).map_err(|reason| ReadError::Curve {
        name: name.to_owned(),
        reason,
    })
}

/// Polynomials in u of [0, 1], one for each pair of parameters, as one B-spline of their highest degree.
pub(super) fn polynomials(at: &[f64], segments: &[Vec<Vec3>]) -> Result<BSpline, BSplineError> {
    let degree = segments
        .iter()
        .map(|s| s.len() - 1)
        .max()
        .unwrap_or(1)
        .max(1);
    let n = segments.len();
    if n == 0 || at.len() != n + 1 {
        return Err(BSplineError::TooFew { degree, points: n });
    }
    let mut points: Vec<Vec3> = Vec::new();
    let mut knots = vec![at[0]; degree + 1];
    for (i, powers) in segments.iter().enumerate() {
        let bezier = bezier_of(powers, degree);
        if i == 0 {
            points.push(bezier[0]);
        } else {
            knots.extend(vec![at[i]; degree]);
        }
        points.extend_from_slice(&bezier[1..]);
    }
    knots.extend(vec![at[n]; degree + 1]);
    BSpline::new(degree, knots, points)
}

/// b_j = sum over i <= j of C(j, i) / C(degree, i) a_i.
fn bezier_of(powers: &[Vec3], degree: usize) -> Vec<Vec3> {
    let choose = |n: usize, k: usize| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
    (0..=degree)
        .map(|j| {
            powers
                .iter()
                .enumerate()
                .take(j + 1)
                .map(|(i, a)| a * (choose(j, i) / choose(degree, i)))
                .sum()
        })
        .collect()
}
