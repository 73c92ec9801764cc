//! From the bytes of a file to its instances.

use std::collections::{BTreeMap, HashSet};

use super::text::decoded;
use super::{Instance, Keyword, MAGIC, Record, Structure, SyntaxError, Value};

/// Lists inside lists that are followed; files of CAD systems have fewer than ten.
const DEEPEST: usize = 64;

/// Parses a whole file.
pub fn structure(bytes: &[u8]) -> Result<Structure, SyntaxError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut parser = Parser {
        rest: bytes,
        at: 0,
        line: 1,
        keywords: HashSet::new(),
    };
    parser.blank();
    if !parser.word_ahead(MAGIC) {
        return parser.trouble("this is no STEP file: it does not begin with ISO-10303-21;");
    }
    parser.at += MAGIC.len();
    let mut header = Vec::new();
    loop {
        parser.blank();
        let from = (parser.at, parser.line);
        if parser.word_ahead("DATA") {
            break;
        }
        // The header matters little: what is odd there is skipped.
        if let Ok(record) = parser.record()
            && parser.expect(b';').is_ok()
        {
            header.push(record);
        } else {
            (parser.at, parser.line) = from;
            parser.skip_statement()?;
        }
    }
    let mut instances = BTreeMap::new();
    while parser.word_ahead("DATA") {
        parser.skip_statement()?;
        parser.section(&mut instances)?;
        parser.blank();
    }
    Ok(Structure { header, instances })
}

struct Parser<'a> {
    rest: &'a [u8],
    at: usize,
    line: usize,
    keywords: HashSet<Keyword>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        if byte == b'\n' {
            self.line += 1;
        }
        Some(byte)
    }

    fn trouble<T>(&self, what: impl Into<String>) -> Result<T, SyntaxError> {
        Err(SyntaxError {
            line: self.line,
            what: what.into(),
        })
    }

    /// Skips blanks and comments.
    fn blank(&mut self) {
        while let Some(byte) = self.peek() {
            if byte.is_ascii_whitespace() {
                self.next();
            } else if self.rest[self.at..].starts_with(b"/*") {
                while self.peek().is_some() && !self.rest[self.at..].starts_with(b"*/") {
                    self.next();
                }
                self.next();
                self.next();
            } else {
                return;
            }
        }
    }

    fn word_ahead(&self, word: &str) -> bool {
        self.rest[self.at..].starts_with(word.as_bytes())
    }

    fn expect(&mut self, byte: u8) -> Result<(), SyntaxError> {
        self.blank();
        match self.next() {
            Some(found) if found == byte => Ok(()),
            Some(found) => self.trouble(format!(
                "'{}' expected, not '{}'",
                byte as char, found as char
            )),
            None => self.trouble("the file ends in the middle"),
        }
    }

    /// Skips one statement, whatever stands in its texts.
    fn skip_statement(&mut self) -> Result<(), SyntaxError> {
        loop {
            match self.next() {
                Some(b';') => return Ok(()),
                Some(b'\'') => while !matches!(self.next(), Some(b'\'') | None) {},
                Some(_) => {}
                None => return self.trouble("there is no DATA section"),
            }
        }
    }

    /// The instances of a section whose first statement is read.
    fn section(&mut self, instances: &mut BTreeMap<u64, Instance>) -> Result<(), SyntaxError> {
        loop {
            self.blank();
            if self.word_ahead("ENDSEC") {
                return self.skip_statement();
            }
            let line = self.line;
            let (number, instance) = self.instance()?;
            if instances.insert(number, instance).is_some() {
                return Err(SyntaxError {
                    line,
                    what: format!("#{number} is there twice"),
                });
            }
        }
    }

    fn instance(&mut self) -> Result<(u64, Instance), SyntaxError> {
        let line = self.line;
        self.expect(b'#')?;
        let number = self.digits()?;
        self.expect(b'=')?;
        self.blank();
        let mut records = Vec::new();
        if self.peek() == Some(b'(') {
            self.next();
            loop {
                self.blank();
                if self.peek() == Some(b')') {
                    self.next();
                    break;
                }
                records.push(self.record()?);
            }
        } else {
            records.push(self.record()?);
        }
        self.expect(b';')?;
        Ok((number, Instance { records, line }))
    }

    fn digits(&mut self) -> Result<u64, SyntaxError> {
        let from = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.next();
        }
        let digits = std::str::from_utf8(&self.rest[from..self.at]).unwrap_or("");
        match digits.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.trouble("an instance number expected after #"),
        }
    }

    fn keyword(&mut self) -> Keyword {
        let from = self.at;
        let part = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'!';
        while self.peek().is_some_and(part) {
            self.at += 1;
        }
        let word = std::str::from_utf8(&self.rest[from..self.at]).unwrap_or("");
        if let Some(known) = self.keywords.get(word) {
            return known.clone();
        }
        let keyword: Keyword = word.to_ascii_uppercase().into();
        self.keywords.insert(keyword.clone());
        keyword
    }

    fn record(&mut self) -> Result<Record, SyntaxError> {
        self.blank();
        let keyword = self.keyword();
        if keyword.is_empty() {
            return self.trouble("an entity's name expected");
        }
        self.expect(b'(')?;
        Ok((keyword, self.values(0)?))
    }

    /// The values of a list whose bracket is open already.
    fn values(&mut self, depth: usize) -> Result<Vec<Value>, SyntaxError> {
        if depth > DEEPEST {
            return self.trouble("lists are nested too deep");
        }
        let mut values = Vec::new();
        self.blank();
        if self.peek() == Some(b')') {
            self.next();
            return Ok(values);
        }
        loop {
            values.push(self.value(depth)?);
            self.blank();
            match self.next() {
                Some(b',') => {}
                Some(b')') => return Ok(values),
                _ => return self.trouble("',' or ')' expected"),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value, SyntaxError> {
        self.blank();
        match self.peek() {
            Some(b'#') => {
                self.next();
                Ok(Value::Reference(self.digits()?))
            }
            Some(b'(') => {
                self.next();
                Ok(Value::List(self.values(depth + 1)?.into()))
            }
            Some(b'$' | b'*') => {
                self.next();
                Ok(Value::Nothing)
            }
            Some(b'\'') => {
                self.next();
                Ok(Value::Text(self.quoted()?.into()))
            }
            Some(b'.')
                if self
                    .rest
                    .get(self.at + 1)
                    .is_some_and(u8::is_ascii_alphabetic) =>
            {
                self.next();
                let name = self.keyword();
                self.expect(b'.')?;
                Ok(Value::Enumeration(name))
            }
            Some(b'"') => {
                // Binary: nothing of ours, but skipped whole.
                self.next();
                while !matches!(self.next(), Some(b'"') | None) {}
                Ok(Value::Nothing)
            }
            Some(b'+' | b'-' | b'.' | b'0'..=b'9') => {
                let from = self.at;
                let part = |b: u8| b.is_ascii_digit() || b"+-.eE".contains(&b);
                while self.peek().is_some_and(part) {
                    self.next();
                }
                let text = std::str::from_utf8(&self.rest[from..self.at]).unwrap_or("");
                self.number(text)
            }
            Some(b) if b.is_ascii_alphabetic() => {
                let name = self.keyword();
                self.expect(b'(')?;
                Ok(Value::Typed(Box::new((name, self.values(depth + 1)?))))
            }
            _ => self.trouble("a value expected"),
        }
    }

    fn number(&self, text: &str) -> Result<Value, SyntaxError> {
        match text.parse() {
            Ok(number) if f64::is_finite(number) => Ok(Value::Number(number)),
            _ => self.trouble(format!("\"{text}\" is no number")),
        }
    }

    /// A text whose quote is open already.
    fn quoted(&mut self) -> Result<String, SyntaxError> {
        let mut bytes = Vec::new();
        loop {
            match self.next() {
                Some(b'\'') if self.peek() == Some(b'\'') => {
                    self.next();
                    bytes.push(b'\'');
                }
                Some(b'\'') => return Ok(decoded(&String::from_utf8_lossy(&bytes))),
                // A text may be broken over lines.
                Some(b'\n' | b'\r') => {}
                Some(byte) => bytes.push(byte),
                None => return self.trouble("a text is not closed"),
            }
        }
    }
}
