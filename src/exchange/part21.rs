//! The exchange structure of STEP files (ISO 10303-21): instances written and parsed.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use super::file::ReadError;
use super::number::Real;
use crate::geom::Vec3;

/// Lists inside lists that are followed; files of CAD systems have fewer than ten.
const DEEPEST: usize = 64;

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

/// A parameter of an instance.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `#12`.
    Reference(u64),
    /// A number, integer or real.
    Number(f64),
    /// A text, decoded.
    Text(String),
    /// `.NAME.`
    Enumeration(String),
    /// A list.
    List(Vec<Value>),
    /// `NAME(...)`, a typed value.
    Typed(String, Vec<Value>),
    /// `$` or `*`.
    Nothing,
}

impl Value {
    /// The number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(n) => Some(*n),
            Self::Typed(_, values) => values.first()?.number(),
            _ => None,
        }
    }

    /// The reference.
    pub fn reference(&self) -> Option<u64> {
        match self {
            Self::Reference(n) => Some(*n),
            _ => None,
        }
    }

    /// The text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The list.
    pub fn list(&self) -> Option<&[Value]> {
        match self {
            Self::List(values) => Some(values),
            _ => None,
        }
    }

    /// A list of numbers.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        self.list()?.iter().map(Value::number).collect()
    }

    /// A list of references.
    pub fn references(&self) -> Option<Vec<u64>> {
        self.list()?.iter().map(Value::reference).collect()
    }
}

/// An instance: one record, or several for a complex one.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Keyword and parameters of each record.
    pub records: Vec<(String, Vec<Value>)>,
    /// Where it stands.
    pub line: usize,
}

impl Instance {
    /// The parameters of its record of that keyword.
    pub fn record(&self, keyword: &str) -> Option<&[Value]> {
        self.records
            .iter()
            .find(|(k, _)| k == keyword)
            .map(|(_, v)| v.as_slice())
    }
}

/// The DATA section of a file, by instance number.
pub fn parse(text: &str) -> Result<BTreeMap<u64, Instance>, ReadError> {
    if !text.trim_start().starts_with("ISO-10303-21;") {
        return Err(ReadError::whole(
            "this is no STEP file: it does not begin with ISO-10303-21;",
        ));
    }
    let mut parser = Parser {
        rest: text.as_bytes(),
        at: 0,
        line: 1,
    };
    // Texts of the header may hold anything: skip statement by statement.
    while !parser.skip_statement_if("DATA")? {}
    let mut instances = BTreeMap::new();
    loop {
        parser.blank();
        if parser.word_ahead("ENDSEC") {
            return Ok(instances);
        }
        let line = parser.line;
        let (number, instance) = parser.instance()?;
        if instances.insert(number, instance).is_some() {
            return Err(ReadError::line(line, format!("#{number} is there twice")));
        }
    }
}

struct Parser<'a> {
    rest: &'a [u8],
    at: usize,
    line: usize,
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

    fn trouble<T>(&self, what: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError::line(self.line, what))
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

    fn expect(&mut self, byte: u8) -> Result<(), ReadError> {
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

    /// Skips one statement of the header; says whether it was `word`.
    fn skip_statement_if(&mut self, word: &str) -> Result<bool, ReadError> {
        self.blank();
        let is_it = self.word_ahead(word);
        loop {
            match self.next() {
                Some(b';') => return Ok(is_it),
                Some(b'\'') => while !matches!(self.next(), Some(b'\'') | None) {},
                Some(_) => {}
                None => return self.trouble(format!("there is no {word} section")),
            }
        }
    }

    fn instance(&mut self) -> Result<(u64, Instance), ReadError> {
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

    fn digits(&mut self) -> Result<u64, ReadError> {
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

    fn keyword(&mut self) -> String {
        let from = self.at;
        let part = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'!';
        while self.peek().is_some_and(part) {
            self.next();
        }
        String::from_utf8_lossy(&self.rest[from..self.at]).to_ascii_uppercase()
    }

    fn record(&mut self) -> Result<(String, Vec<Value>), ReadError> {
        self.blank();
        let keyword = self.keyword();
        if keyword.is_empty() {
            return self.trouble("an entity's name expected");
        }
        self.expect(b'(')?;
        Ok((keyword, self.values(0)?))
    }

    /// The values of a list whose bracket is open already.
    fn values(&mut self, depth: usize) -> Result<Vec<Value>, ReadError> {
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

    fn value(&mut self, depth: usize) -> Result<Value, ReadError> {
        self.blank();
        match self.peek() {
            Some(b'#') => {
                self.next();
                Ok(Value::Reference(self.digits()?))
            }
            Some(b'(') => {
                self.next();
                Ok(Value::List(self.values(depth + 1)?))
            }
            Some(b'$' | b'*') => {
                self.next();
                Ok(Value::Nothing)
            }
            Some(b'\'') => {
                self.next();
                Ok(Value::Text(self.quoted()?))
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
                super::file::number(text, self.line).map(Value::Number)
            }
            Some(b) if b.is_ascii_alphabetic() => {
                let name = self.keyword();
                self.expect(b'(')?;
                Ok(Value::Typed(name, self.values(depth + 1)?))
            }
            _ => self.trouble("a value expected"),
        }
    }

    /// A text whose quote is open already.
    fn quoted(&mut self) -> Result<String, ReadError> {
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

/// A text without its control directives: `\X2\`, `\X4\`, `\X\`, `\S\`, `\\`.
fn decoded(coded: &str) -> String {
    let mut plain = String::new();
    let mut rest = coded;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let wide = |prefix: &str, width: usize| {
            let body = rest.strip_prefix(prefix)?;
            let end = body.find("\\X0\\")?;
            let units: Vec<u32> = body.as_bytes()[..end]
                .chunks(width)
                .filter_map(|c| u32::from_str_radix(std::str::from_utf8(c).ok()?, 16).ok())
                .collect();
            Some((units, &body[end + 4..]))
        };
        if let Some((units, after)) = wide("\\X2\\", 4) {
            let units: Vec<u16> = units.into_iter().map(|u| u as u16).collect();
            plain.push_str(&String::from_utf16_lossy(&units));
            rest = after;
        } else if let Some((units, after)) = wide("\\X4\\", 8) {
            plain.extend(units.into_iter().filter_map(char::from_u32));
            rest = after;
        } else if let Some(body) = rest.strip_prefix("\\X\\") {
            let byte = body.get(..2).and_then(|h| u8::from_str_radix(h, 16).ok());
            plain.extend(byte.map(char::from));
            rest = body.get(2..).unwrap_or("");
        } else if let Some(body) = rest.strip_prefix("\\S\\") {
            let mut chars = body.chars();
            plain.extend(chars.next().map(|c| char::from((c as u8) | 0x80)));
            rest = chars.as_str();
        } else {
            plain.push('\\');
            rest = rest.strip_prefix("\\\\").unwrap_or(&rest[1..]);
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(data: &str) -> String {
        format!(
            "ISO-10303-21;\nHEADER;\nFILE_NAME('DATA;','');\nENDSEC;\nDATA;\n{data}\nENDSEC;\nEND-ISO-10303-21;"
        )
    }

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
            let parsed = parse(&file(&format!("#1=A({coded});"))).unwrap();
            let value = &parsed[&1].record("A").unwrap()[0];
            assert_eq!(value, &Value::Text(plain.to_owned()));
        }
        assert_eq!(text("Ä"), "'\\X2\\00C4\\X0\\'");
        assert_eq!(decoded("\\S\\Dx\\X\\E4"), "Äxä");
    }

    #[test]
    fn instances_are_parsed() {
        let data = "#10 = (LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.));\n\
                    /* a comment */ #11=X(#10,(1.,-2.E-3,3),$,L(0.5),.T.);";
        let parsed = parse(&file(data)).unwrap();
        let unit = parsed[&10].record("SI_UNIT").unwrap();
        assert_eq!(unit[0], Value::Enumeration("MILLI".into()));
        let x = parsed[&11].record("X").unwrap();
        assert_eq!(x[1].numbers(), Some(vec![1.0, -0.002, 3.0]));
        assert_eq!(x[3].number(), Some(0.5));
    }

    #[test]
    fn broken_files_say_where() {
        for bad in [
            "#1=A(",
            "#1=A(,);",
            "#=A();",
            "#1=A();#1=B();",
            "#1=A('x);",
            "1=A();",
            "#1=A(1.2.3);",
        ] {
            assert!(parse(&file(bad)).is_err(), "{bad}");
        }
        let deep = format!("#1=A({}{});", "(".repeat(500), ")".repeat(500));
        assert!(parse(&file(&deep)).is_err());
        assert!(parse("solid x").is_err());
        assert!(parse("ISO-10303-21;HEADER;").is_err());
        let error = parse(&file("#1=A();\n#2=?;")).unwrap_err();
        assert!(error.to_string().starts_with("line 7"), "{error}");
    }
}
