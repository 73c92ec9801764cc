//! Text that came from files, made fit to be shown: a message quotes what is wrong, and a hostile file chooses the quote.

use std::borrow::Cow;

/// Longest piece of a message that a file can choose, characters.
const LONGEST: usize = 400;

/// The beginning of a long text, with the length of what was left out.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => {
            let left_out = text[end..].chars().count();
            format!("{}... ({left_out} more characters)", &text[..end])
        }
    }
}

/// The text without control characters other than ends of lines and tabs: names and words of files reach the terminal,
/// which would obey the escape sequences in them.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_bad = |c: char| c.is_control() && c != '\n' && c != '\t';
    if !text.contains(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for c in text.chars() {
        if is_bad(c) {
            clean.extend(c.escape_default());
        } else {
            clean.push(c);
        }
    }
    Cow::Owned(clean)
}

/// A number with three significant digits, without an exponent.
pub fn three_digits(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x:.0}");
    }
    let before = x.abs().log10().floor() as i32;
    let decimals = usize::try_from(2 - before).unwrap_or(0).min(9);
    format!("{x:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_and_short_text_is_not() {
        assert_eq!(shortened("short"), "short");
        let long = shortened(&"ä".repeat(150_000));
        assert!(long.len() < 1000 && long.contains("149600 more"), "{long}");
    }

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(printable("a\tb\nä"), "a\tb\nä");
        assert_eq!(printable("\x1b[31mred\x07"), "\\u{1b}[31mred\\u{7}");
    }
}
