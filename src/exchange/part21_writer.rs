//! The exchange structure of STEP files (ISO 10303-21) as it is written; [`crate::part21`] reads it.

use std::fmt::{Display, Write};

use super::number::Real;
use crate::geom::Vec3;

/// Instances that are being written, numbered as they come.
#[derive(Debug, Default)]
pub struct Instances {
    text: String,
    count: usize,
}

impl Instances {
    /// Adds an instance; returns its number.
    pub fn add(&mut self, body: impl Display) -> usize {
        self.count += 1;
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "#{}={body};", self.count);
        self.count
    }

    /// Adds a point.
    pub fn point(&mut self, p: &Vec3) -> usize {
        self.add(format_args!(
            "CARTESIAN_POINT('',({},{},{}))",
            Real(p.x),
            Real(p.y),
            Real(p.z)
        ))
    }

    /// Adds a direction.
    pub fn direction(&mut self, d: &Vec3) -> usize {
        self.add(format_args!(
            "DIRECTION('',({},{},{}))",
            Real(d.x),
            Real(d.y),
            Real(d.z)
        ))
    }

    /// Adds an axis placement.
    pub fn placement(&mut self, origin: &Vec3, axis: &Vec3, reference: &Vec3) -> usize {
        let (p, a, r) = (
            self.point(origin),
            self.direction(axis),
            self.direction(reference),
        );
        self.add(format_args!("AXIS2_PLACEMENT_3D('',#{p},#{a},#{r})"))
    }

    /// The lines of the DATA section.
    pub fn into_text(self) -> String {
        self.text
    }
}

/// `(#1,#2)`.
pub fn references(numbers: &[usize]) -> String {
    let list: Vec<_> = numbers.iter().map(|n| format!("#{n}")).collect();
    format!("({})", list.join(","))
}

/// `(0.,1.5)`.
pub fn reals(numbers: &[f64]) -> String {
    let list: Vec<_> = numbers.iter().map(|n| Real(*n).to_string()).collect();
    format!("({})", list.join(","))
}

/// `(4,1,4)`.
pub fn integers(numbers: &[usize]) -> String {
    let list: Vec<_> = numbers.iter().map(ToString::to_string).collect();
    format!("({})", list.join(","))
}

/// A text in quotes, with everything outside printable ASCII as UTF-16 in `\X2\...\X0\`.
pub fn text(plain: &str) -> String {
    let mut coded = String::from("'");
    let mut in_hex = false;
    for c in plain.chars() {
        let printable = (' '..='~').contains(&c);
        if printable == in_hex {
            coded.push_str(if in_hex { "\\X0\\" } else { "\\X2\\" });
            in_hex = !in_hex;
        }
        match c {
            '\'' => coded.push_str("''"),
            '\\' => coded.push_str("\\\\"),
            _ if printable => coded.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(coded, "{unit:04X}");
                }
            }
        }
    }
    if in_hex {
        coded.push_str("\\X0\\");
    }
    coded.push('\'');
    coded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part21::{Value, parse};

    #[test]
    fn texts_survive() {
        for plain in [
            "W17",
            "it's",
            "a\\b",
            "Kabel Ä ß",
            "線 😀 end",
            "",
            "\\X2\\",
        ] {
            let coded = text(plain);
            assert!(coded.bytes().all(|b| (32..127).contains(&b)), "{coded}");
            let file = format!("ISO-10303-21;HEADER;ENDSEC;DATA;#1=A({coded});ENDSEC;");
            let parsed = parse(&file).unwrap();
            let value = &parsed[&1].record("A").unwrap()[0];
            assert_eq!(value, &Value::Text(plain.into()));
        }
        assert_eq!(text("Ä"), "'\\X2\\00C4\\X0\\'");
    }
}
