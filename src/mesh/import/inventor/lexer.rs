//! Words, numbers and brackets of a VRML or Open Inventor text.

use crate::mesh::import::sniff::text_of;

/// The smallest piece of the text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    /// One of `{ } [ ] ( ) |`.
    Bracket(u8),
    /// A number.
    Number(f64),
    /// A text in quotes, without them, as it stands.
    Text(&'a [u8]),
    /// Anything else.
    Word(&'a [u8]),
}

/// Walks through the text; comments go from `#` to the end of the line, commas are blanks.
#[derive(Clone)]
pub struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    /// Line of the last token, from 1.
    pub line: usize,
    peeked: Option<Token<'a>>,
}

impl<'a> Lexer<'a> {
    /// The tokens of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            text: text_of(bytes),
            at: 0,
            line: 1,
            peeked: None,
        }
    }

    /// How much of the text was read, 0 to 1.
    pub fn done(&self) -> f64 {
        self.at as f64 / self.text.len().max(1) as f64
    }

    /// The next token, which stays.
    pub fn peek(&mut self) -> Option<Token<'a>> {
        // At the end there is nothing to keep, however often it is looked for.
        if self.peeked.is_none() {
            self.peeked = self.read();
        }
        self.peeked
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Option<Token<'a>> {
        self.peeked.take().or_else(|| self.read())
    }

    fn read(&mut self) -> Option<Token<'a>> {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let &first = rest.first()?;
        if is_bracket(first) {
            self.at += 1;
            return Some(Token::Bracket(first));
        }
        if first == b'"' {
            return Some(self.quoted());
        }
        let n = rest
            .iter()
            .position(|&b| is_blank(b) || is_bracket(b) || b == b'"' || b == b'#')
            .unwrap_or(rest.len());
        let word = &rest[..n];
        self.at += n;
        Some(number(word).map_or(Token::Word(word), Token::Number))
    }

    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.text.get(self.at) {
            if byte == b'#' {
                let rest = &self.text[self.at..];
                let n = rest.iter().position(|&b| b == b'\n' || b == b'\r');
                self.at += n.unwrap_or(rest.len());
            } else if is_blank(byte) {
                self.line += usize::from(byte == b'\n');
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn quoted(&mut self) -> Token<'a> {
        let start = self.at + 1;
        let mut end = start;
        while let Some(&byte) = self.text.get(end) {
            match byte {
                b'"' => break,
                b'\\' => end += 1,
                b'\n' => self.line += 1,
                _ => {}
            }
            end += 1;
        }
        let end = end.min(self.text.len());
        self.at = (end + 1).min(self.text.len());
        Token::Text(&self.text[start..end])
    }
}

fn is_blank(byte: u8) -> bool {
    byte <= b' ' || byte == b','
}

fn is_bracket(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b'(' | b')' | b'|')
}

fn number(word: &[u8]) -> Option<f64> {
    let first = *word.first()?;
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return None;
    }
    let text = std::str::from_utf8(word).ok()?;
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|n| n as f64),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_lines() {
        let mut lexer = Lexer::new(b"#VRML\nDEF a,-1.5e1 [\"x\\\" # y\"\n0xff}.b # end");
        let mut tokens = Vec::new();
        while let Some(token) = lexer.next() {
            tokens.push((token, lexer.line));
        }
        let expected = [
            (Token::Word(b"DEF"), 2),
            (Token::Word(b"a"), 2),
            (Token::Number(-15.0), 2),
            (Token::Bracket(b'['), 2),
            (Token::Text(b"x\\\" # y"), 2),
            (Token::Number(255.0), 3),
            (Token::Bracket(b'}'), 3),
            (Token::Word(b".b"), 3),
        ];
        assert_eq!(tokens, expected);
        // Texts without an end.
        for text in [&b"\"abc"[..], b"\"abc\\", b"\""] {
            assert!(matches!(Lexer::new(text).next(), Some(Token::Text(_))));
        }
    }
}
