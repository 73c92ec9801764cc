//! Numbers as text, the same in every country: a point, no grouping, and back to the same bits.

use std::fmt::{Display, Formatter, Result};

/// A real as STEP, IGES and DXF write it: always with a point, the shortest text that reads back the same bits.
pub struct Real(pub f64);

impl Display for Real {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let x = self.0;
        let magnitude = x.abs();
        if x == 0.0 {
            return f.write_str("0.");
        }
        if (1e-5..1e15).contains(&magnitude) {
            let text = x.to_string();
            return if text.contains('.') {
                f.write_str(&text)
            } else {
                write!(f, "{text}.")
            };
        }
        let text = format!("{x:E}");
        let (mantissa, exponent) = text.split_once('E').unwrap_or((&text, "0"));
        let point = if mantissa.contains('.') { "" } else { "." };
        write!(f, "{mantissa}{point}E{exponent}")
    }
}

/// A real with 17 digits and an exponent of two figures, as VDA-FS writers have it.
pub struct Scientific(pub f64);

impl Display for Scientific {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let text = format!("{:.16E}", self.0 + 0.0);
        let (mantissa, exponent) = text.split_once('E').unwrap_or((&text, "0"));
        let (sign, figures) = match exponent.strip_prefix('-') {
            Some(figures) => ('-', figures),
            None => ('+', exponent),
        };
        write!(f, "{mantissa}E{sign}{figures:0>2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_have_a_point_and_come_back() {
        assert_eq!(Real(0.0).to_string(), "0.");
        assert_eq!(Real(-0.0).to_string(), "0.");
        assert_eq!(Real(40.0).to_string(), "40.");
        assert_eq!(Real(-1e-7).to_string(), "-1.E-7");
        assert_eq!(Real(1.5e20).to_string(), "1.5E20");
        assert_eq!(
            Scientific(51.162_028_183_921_24).to_string(),
            "5.1162028183921237E+01"
        );
        assert_eq!(Scientific(-1e-100).to_string(), "-1.0000000000000000E-100");
        for x in [0.1, 1.0 / 3.0, 123_456.789e-9, 9.9e22, -2.5e-300, f64::MAX] {
            assert_eq!(Real(x).to_string().parse::<f64>(), Ok(x));
            assert_eq!(Scientific(x).to_string().parse::<f64>(), Ok(x));
        }
    }
}
