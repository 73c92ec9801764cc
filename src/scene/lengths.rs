//! The book of lengths: what is cut of each branch and of each wire that runs through several.

use serde::{Deserialize, Serialize};

use super::{Cable, Piece, Scene};
use crate::geom::Vec3;

/// What is added to the length of a route before it is cut, mm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CutRule {
    /// For the contact or fitting at the start and at the end.
    pub allowances: [f64; 2],
    /// Kept in a loop, so that it can be worked on later.
    pub service_loop: f64,
    /// The sum is rounded up to a multiple of this; 0 for not.
    pub round_to: f64,
}

impl CutRule {
    /// The length that is cut for a route of that length, mm.
    pub fn cut(&self, geometric: f64) -> f64 {
        let sum = geometric + self.allowances[0] + self.allowances[1] + self.service_loop;
        if self.round_to > 0.0 {
            // A sum that is a multiple but for rounding is not cut one longer.
            (sum / self.round_to - 1e-9).ceil() * self.round_to
        } else {
            sum
        }
    }

    /// The first number that makes no sense: its name and what it is.
    pub fn bad_number(&self) -> Option<(&'static str, f64)> {
        [
            ("cut.allowances", self.allowances[0]),
            ("cut.allowances", self.allowances[1]),
            ("cut.service_loop", self.service_loop),
            ("cut.round_to", self.round_to),
        ]
        .into_iter()
        .find(|(_, mm)| !(0.0..=1e5).contains(mm))
    }
}

/// A wire that runs through several branches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    /// Unique among the wires.
    pub name: String,
    /// Names of cables or of segments of harnesses, in order.
    pub branches: Vec<String>,
    /// What is added at its ends.
    #[serde(default)]
    pub cut: CutRule,
}

/// A line of the book.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LengthLine {
    /// `branch` or `wire`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Without load and pressure, fittings included, mm.
    pub geometric: f64,
    /// The fittings at its ends, mm.
    pub fittings: f64,
    /// Of the centerline in its present shape, mm; nothing where a cable was not solved.
    pub under_load: Option<f64>,
    /// Longer than the shortest curve that meets the bend limit, as a share, where that is known.
    pub slack: Option<f64>,
    /// What is added.
    #[serde(flatten)]
    pub rule: CutRule,
    /// What is cut, mm.
    pub cut: f64,
    /// Branches that the scene has not: the line is wrong without them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// The way of a branch: without load, and in its present shape.
#[derive(Clone, Copy, Debug, Default)]
struct LengthSum {
    geometric: f64,
    fittings: f64,
    under_load: Option<f64>,
    slack: Option<f64>,
    rule: CutRule,
}

fn polyline(points: &[Vec3]) -> f64 {
    points.windows(2).map(|e| (e[1] - e[0]).norm()).sum()
}

fn of_cable(cable: &Cable) -> LengthSum {
    let shape = cable.shape.as_ref();
    LengthSum {
        geometric: cable.seat_to_seat(),
        under_load: shape.map(|s| polyline(&s.points) + cable.fitting_length()),
        fittings: cable.fitting_length(),
        slack: cable.slack(),
        rule: cable.cut,
    }
}

/// A segment of a harness: its rigid pieces as imported, its flexible ones as they are. It takes the allowances of its
/// first and last cable.
fn of_segment(scene: &Scene, pieces: &[Piece]) -> LengthSum {
    let mut way = LengthSum {
        under_load: Some(0.0),
        ..LengthSum::default()
    };
    let add = |way: &mut LengthSum, geometric: f64, under_load: Option<f64>| {
        way.geometric += geometric;
        way.under_load = way.under_load.zip(under_load).map(|(a, b)| a + b);
    };
    let mut is_first = true;
    for piece in pieces {
        match piece {
            Piece::Rigid { points, .. } => {
                let length = polyline(points);
                add(&mut way, length, Some(length));
            }
            Piece::Flexible { cable } => {
                let Some(cable) = scene.cable(cable) else {
                    continue;
                };
                let own = of_cable(cable);
                add(&mut way, own.geometric, own.under_load);
                way.fittings += own.fittings;
                if is_first {
                    way.rule.allowances[0] = own.rule.allowances[0];
                }
                way.rule.allowances[1] = own.rule.allowances[1];
                way.rule.service_loop += own.rule.service_loop;
                way.rule.round_to = way.rule.round_to.max(own.rule.round_to);
                is_first = false;
            }
        }
    }
    way
}

/// The line of a cable by itself, also of one that belongs to a harness.
pub fn of_cable_alone(cable: &Cable) -> LengthLine {
    line("branch", &cable.name, of_cable(cable), Vec::new())
}

fn line(kind: &'static str, name: &str, way: LengthSum, missing: Vec<String>) -> LengthLine {
    LengthLine {
        kind,
        name: name.to_owned(),
        geometric: way.geometric,
        fittings: way.fittings,
        under_load: way.under_load,
        slack: way.slack,
        rule: way.rule,
        cut: way.rule.cut(way.geometric),
        missing,
    }
}

/// All branches, and all wires.
///
/// A branch is a segment of a harness, or a cable that belongs to none.
pub fn lengths(scene: &Scene) -> Vec<LengthLine> {
    let segments = || scene.harnesses.iter().flat_map(|h| &h.segments);
    let in_harness = |name: &str| {
        segments()
            .flat_map(|s| &s.pieces)
            .any(|p| matches!(p, Piece::Flexible { cable } if cable == name))
    };
    let mut ways: Vec<(String, LengthSum)> = segments()
        .map(|s| (s.name.clone(), of_segment(scene, &s.pieces)))
        .collect();
    let n_segments = ways.len();
    let cables = scene.cables.iter();
    ways.extend(cables.map(|c| (c.name.clone(), of_cable(c))));
    let mut lines: Vec<LengthLine> = ways
        .iter()
        .enumerate()
        .filter(|(k, (name, _))| *k < n_segments || !in_harness(name))
        .map(|(_, (name, way))| line("branch", name, *way, Vec::new()))
        .collect();
    for wire in &scene.wires {
        let mut sum = LengthSum {
            under_load: Some(0.0),
            rule: wire.cut,
            ..LengthSum::default()
        };
        let mut missing = Vec::new();
        for branch in &wire.branches {
            match ways.iter().find(|(name, _)| name == branch) {
                Some((_, way)) => {
                    sum.geometric += way.geometric;
                    sum.fittings += way.fittings;
                    sum.under_load = sum.under_load.zip(way.under_load).map(|(a, b)| a + b);
                }
                None => missing.push(branch.clone()),
            }
        }
        lines.push(line("wire", &wire.name, sum, missing));
    }
    lines
}

/// The book as CSV: one line each, mm and percent, with a dot in numbers.
pub fn csv(lines: &[LengthLine]) -> String {
    use std::fmt::Write;
    let mut text =
        "kind,name,geometric_mm,fittings_mm,under_load_mm,slack_percent,allowance_start_mm,allowance_end_mm,\
                    service_loop_mm,round_to_mm,cut_mm,missing\n"
            .to_owned();
    let or_empty = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x:.3}"));
    for line in lines {
        let rule = &line.rule;
        let _ = writeln!(
            text,
            "{},{},{:.3},{:.3},{},{},{:.3},{:.3},{:.3},{:.3},{:.3},{}",
            line.kind,
            quoted(&line.name),
            line.geometric,
            line.fittings,
            or_empty(line.under_load),
            or_empty(line.slack.map(|s| 100.0 * s)),
            rule.allowances[0],
            rule.allowances[1],
            rule.service_loop,
            rule.round_to,
            line.cut,
            quoted(&line.missing.join("; ")),
        );
    }
    text
}

/// A name that spreadsheets read as one cell, and never as a formula.
fn quoted(name: &str) -> String {
    let formula = name.starts_with(['=', '+', '-', '@']);
    let name = if formula {
        format!("'{name}")
    } else {
        name.to_owned()
    };
    if name.contains([',', '"', '\n', '\r', ';']) || formula {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::demo::demo;

    #[test]
    fn what_is_cut_is_the_route_with_its_allowances_rounded_up() {
        let rule = CutRule {
            allowances: [12.0, 8.0],
            service_loop: 30.0,
            round_to: 5.0,
        };
        assert_eq!(rule.cut(950.0), 1000.0);
        assert_eq!(rule.cut(950.1), 1005.0);
        assert_eq!(CutRule::default().cut(950.1), 950.1);
        let mut scene = demo("box").unwrap();
        let mut second = scene.cables[0].clone();
        "branch, two".clone_into(&mut second.name);
        scene.cables.push(second);
        scene.cables[0].cut = rule;
        let names: Vec<String> = scene.cables.iter().map(|c| c.name.clone()).collect();
        scene.wires = vec![Wire {
            name: "=wire 7".to_owned(),
            branches: [&names[..], &["nothing".to_owned()]].concat(),
            cut: rule,
        }];
        let lines = lengths(&scene);
        assert_eq!(lines.len(), 3);
        let length = scene.cables[0].length;
        assert_eq!(lines[0].cut, rule.cut(length));
        assert!(lines[0].under_load.is_some() && lines[0].slack.is_some());
        assert_eq!(lines[2].geometric, length + scene.cables[1].length);
        assert_eq!(lines[2].cut, rule.cut(2.0 * length));
        assert_eq!(lines[2].missing, ["nothing"]);
        let csv = csv(&lines);
        let rows: Vec<&str> = csv.lines().collect();
        assert_eq!(rows.len(), 4);
        assert!(
            rows[2].starts_with("branch,\"branch, two\","),
            "{}",
            rows[2]
        );
        assert!(rows[3].starts_with("wire,\"'=wire 7\","), "{}", rows[3]);
    }
}
