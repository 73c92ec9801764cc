//! Numbers as people type them: a decimal comma or point, a little arithmetic, or a change by so much.

/// The value of what was typed into a field that holds `now`: `12,5`, `2*(3+4)`, `+=5`, `-=2.5`, `*=2`.
///
/// `None` for anything else.
pub fn evaluate(text: &str, now: f64) -> Option<f64> {
    let text = text.trim().replace(',', ".").replace('\u{2212}', "-");
    for (sign, join) in [
        ("+=", (|a, b| a + b) as fn(f64, f64) -> f64),
        ("-=", |a, b| a - b),
        ("*=", |a, b| a * b),
        ("/=", |a, b| a / b),
    ] {
        if let Some(rest) = text.strip_prefix(sign) {
            return finite(join(now, whole(rest)?));
        }
    }
    // A unit that was left behind the number is no mistake.
    let text = text.trim_end_matches(|c: char| c.is_alphabetic() || " °%²/·".contains(c));
    finite(whole(text)?)
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn whole(text: &str) -> Option<f64> {
    let chars: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut reader = Reader { chars, at: 0 };
    let value = reader.sum(0)?;
    (reader.at == reader.chars.len()).then_some(value)
}

/// Deeper nesting than this is no number that a person types.
const MAX_DEPTH: usize = 50;

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn take(&mut self, wanted: char) -> bool {
        let found = self.chars.get(self.at) == Some(&wanted);
        self.at += usize::from(found);
        found
    }

    fn sum(&mut self, depth: usize) -> Option<f64> {
        let mut value = self.product(depth)?;
        loop {
            if self.take('+') {
                value += self.product(depth)?;
            } else if self.take('-') {
                value -= self.product(depth)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self, depth: usize) -> Option<f64> {
        let mut value = self.factor(depth)?;
        loop {
            if self.take('*') {
                value *= self.factor(depth)?;
            } else if self.take('/') {
                value /= self.factor(depth)?;
            } else {
                return Some(value);
            }
        }
    }

    fn factor(&mut self, depth: usize) -> Option<f64> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.take('-') {
            return self.factor(depth + 1).map(|v| -v);
        }
        if self.take('+') {
            return self.factor(depth + 1);
        }
        if self.take('(') {
            let value = self.sum(depth + 1)?;
            return self.take(')').then_some(value);
        }
        let start = self.at;
        while let Some(&c) = self.chars.get(self.at) {
            let exponent_sign = (c == '-' || c == '+')
                && self.at > start
                && matches!(self.chars[self.at - 1], 'e' | 'E');
            if !(c.is_ascii_digit() || c == '.' || c == 'e' || c == 'E' || exponent_sign) {
                break;
            }
            self.at += 1;
        }
        let digits: String = self.chars[start..self.at].iter().collect();
        digits.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::evaluate;

    #[test]
    fn numbers_and_sums_have_their_value() {
        for (text, value) in [
            ("12,5", 12.5),
            (" 12.5 mm", 12.5),
            ("45°", 45.0),
            ("2*(3+4)-1", 13.0),
            ("-3", -3.0),
            ("1e3", 1000.0),
            ("2.5e-2", 0.025),
            ("100/8", 12.5),
            ("+=5", 105.0),
            ("-= 2,5", 97.5),
            ("*=2", 200.0),
        ] {
            assert_eq!(evaluate(text, 100.0), Some(value), "{text}");
        }
    }

    #[test]
    fn anything_else_has_none() {
        let deep = "(".repeat(10_000);
        for text in ["", "abc", "1+", "(2", "1/0", "2)", "1 2x3", "--", &deep] {
            assert_eq!(evaluate(text, 1.0), None, "{text}");
        }
    }
}
