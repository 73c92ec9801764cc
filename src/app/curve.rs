//! A curve along a cable as it is saved: numbers for a table, or a drawing.

use std::fmt::Write as _;
use std::path::Path;

/// Size of a drawing, and the room for its numbers, points.
const SIZE: [f64; 2] = [800.0, 360.0];
const ROOM: [f64; 2] = [64.0, 44.0];

/// What a plot shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Name of the cable.
    pub cable: String,
    /// What is plotted.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Arc length, mm, and value.
    pub points: Vec<[f64; 2]>,
    /// A limit to hold it against.
    pub limit: Option<f64>,
    /// What is more is drawn as that: straight stretches, whose radius has no end, would leave no room for the bends.
    pub most: f64,
}

impl Curve {
    /// One place a line, under a line of names.
    pub fn csv(&self) -> String {
        let mut text = format!("arc length (mm),{} ({})\n", self.name, self.unit);
        for [s, value] in &self.points {
            let _ = writeln!(text, "{s:.3},{value:.6}");
        }
        text
    }

    /// The value at an arc length, between the places that are known, in words.
    pub fn at(&self, s: f64) -> Option<String> {
        let pair = self.points.windows(2).find(|p| s <= p[1][0])?;
        let share = (s - pair[0][0]) / (pair[1][0] - pair[0][0]);
        let [from, to] = [pair[0][1], pair[1][1]].map(|v| v.min(self.most));
        let value = from + share.clamp(0.0, 1.0) * (to - from);
        let sign = if value < self.most { "" } else { "over " };
        Some(format!("{sign}{}", crate::text::three_digits(value)))
    }

    /// Its points as they are drawn.
    pub fn drawn(&self) -> impl Iterator<Item = [f64; 2]> {
        self.points.iter().map(|[s, v]| [*s, v.min(self.most)])
    }

    /// A drawing with axes and numbers.
    pub fn svg(&self) -> String {
        let most_x = self.points.last().map_or(1.0, |p| p[0]).max(1e-9);
        let values = || self.drawn().map(|p| p[1]).chain(self.limit);
        let low = values().fold(0.0, f64::min);
        let high = values().fold(low + 1e-9, f64::max);
        let [width, height] = SIZE;
        let x = |s: f64| ROOM[0] + s / most_x * (width - ROOM[0] - 16.0);
        let y = |v: f64| height - ROOM[1] - (v - low) / (high - low) * (height - ROOM[1] - 30.0);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        let title = escaped(&format!("{}: {}", self.cable, self.name));
        let _ = writeln!(text, "<text x=\"{}\" y=\"18\">{title}</text>", ROOM[0]);
        for k in 0..=5 {
            let share = f64::from(k) / 5.0;
            let (s, v) = (share * most_x, low + share * (high - low));
            let (left, right, top, bottom) = (x(0.0), x(most_x), y(high), y(low));
            let _ = writeln!(
                text,
                "<path d=\"M{:.1} {top:.1}V{bottom:.1}M{left:.1} {:.1}H{right:.1}\" stroke=\"#ddd\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{s:.0}</text>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                x(s),
                y(v),
                x(s),
                bottom + 16.0,
                left - 6.0,
                y(v) + 4.0,
                crate::text::three_digits(v),
            );
        }
        let unit = escaped(self.unit);
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">arc length, mm</text>\n\
             <text x=\"{:.1}\" y=\"18\" text-anchor=\"end\">{unit}</text>",
            0.5 * width,
            height - 8.0,
            ROOM[0] - 6.0
        );
        if let Some(limit) = self.limit {
            let (left, right, at) = (x(0.0), x(most_x), y(limit));
            let _ = writeln!(
                text,
                "<path d=\"M{left:.1} {at:.1}H{right:.1}\" stroke=\"#c0392b\" stroke-dasharray=\"6 4\"/>"
            );
        }
        let line = self
            .drawn()
            .map(|[s, v]| format!("{:.2},{:.2}", x(s), y(v)));
        let line: Vec<String> = line.collect();
        let line = line.join(" ");
        let _ = writeln!(
            text,
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"#1f5fa8\" stroke-width=\"1.6\"/>\n</svg>"
        );
        text
    }

    /// Writes it: a drawing where the file is an SVG, numbers otherwise. The error is a sentence for the user.
    pub fn save(&self, path: &Path) -> Result<(), String> {
        let drawn = path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("svg"));
        let text = if drawn { self.svg() } else { self.csv() };
        crate::disk::write_atomically(path, |out| out.write_all(text.as_bytes())).map_err(|error| {
            format!(
                "The plot could not be written: {error}; try another folder: {}",
                path.display()
            )
        })
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_saved_as_numbers_or_as_a_drawing() {
        let curve = Curve {
            cable: "a<b".to_owned(),
            name: "bend radius",
            unit: "mm",
            points: vec![
                [0.0, 40.0],
                [100.0, 20.0],
                [200.0, 60.0],
                [300.0, f64::INFINITY],
            ],
            limit: Some(30.0),
            most: 50.0,
        };
        assert_eq!(curve.at(50.0).as_deref(), Some("30.0"));
        // Drawn as 50, but never called that.
        assert_eq!(curve.at(250.0).as_deref(), Some("over 50.0"));
        assert!(curve.drawn().all(|p| p[1] <= 50.0));
        assert!(curve.csv().contains("200.000,60.000000"));
        assert_eq!(curve.at(350.0), None);
        let folder = tempfile::tempdir().unwrap();
        for (name, part) in [
            ("plot.csv", "100.000,20.000000"),
            ("plot.svg", "<polyline points=\"64.00,"),
        ] {
            let path = folder.path().join(name);
            curve.save(&path).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.contains(part), "{text}");
        }
        assert!(curve.svg().contains("a&lt;b"));
        assert!(curve.save(Path::new("/no/such/folder/plot.svg")).is_err());
    }
}
