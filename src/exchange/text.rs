//! Records of fixed width, as IGES and VDA-FS have them.

/// Text cut into records of at most `width` characters, broken after commas only.
///
/// A piece without a comma that is longer than a record (a long name) is broken where the record ends.
pub fn records(pieces: impl IntoIterator<Item = String>, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for piece in pieces {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].len() + piece.len() > width {
            lines.push(String::new());
        }
        for c in piece.chars() {
            let last = lines.len() - 1;
            if lines[last].len() == width {
                lines.push(String::new());
            }
            let last = lines.len() - 1;
            lines[last].push(c);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_break_after_commas_and_only_long_texts_inside() {
        let pieces = ["126,", "1.5,", "20H01234567890123456789;"].map(str::to_owned);
        let lines = records(pieces, 10);
        assert_eq!(lines, ["126,1.5,", "20H0123456", "7890123456", "789;"]);
    }
}
