//! The exchange structure of STEP files (ISO 10303-21), read: header, instances, values. What the entities mean is
//! the business of the modules above: parts in [`crate::mesh`], curves in [`crate::exchange`].

mod parser;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

/// What a STEP file begins with.
pub const MAGIC: &str = "ISO-10303-21;";

/// Why a text is no exchange structure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct SyntaxError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// The name of an entity or an enumeration, in capitals; equal names of a file share their text.
pub type Keyword = Arc<str>;

/// A parameter of an instance.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `#12`.
    Reference(u64),
    /// A number, integer or real.
    Number(f64),
    /// A text, decoded.
    Text(Box<str>),
    /// `.NAME.`
    Enumeration(Keyword),
    /// A list.
    List(Box<[Value]>),
    /// `NAME(...)`, a typed value.
    Typed(Box<Record>),
    /// `$` or `*`.
    Nothing,
}

impl Value {
    /// The number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(n) => Some(*n),
            Self::Typed(record) => record.1.first()?.number(),
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

    /// The name between points.
    pub fn enumeration(&self) -> Option<&str> {
        match self {
            Self::Enumeration(name) => Some(name),
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

/// Keyword and parameters.
pub type Record = (Keyword, Vec<Value>);

/// An instance: one record, or several for a complex one.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Keyword and parameters of each record.
    pub records: Vec<Record>,
    /// Where it stands.
    pub line: usize,
}

impl Instance {
    /// The parameters of its record of that keyword.
    pub fn record(&self, keyword: &str) -> Option<&[Value]> {
        self.records
            .iter()
            .find(|(k, _)| **k == *keyword)
            .map(|(_, v)| v.as_slice())
    }
}

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// The statements of the header that could be parsed.
    pub header: Vec<Record>,
    /// The instances of all DATA sections, by number.
    pub instances: BTreeMap<u64, Instance>,
}

impl Structure {
    /// Parses a file. Bytes outside ASCII, which the standard does not allow but files have, are taken as UTF-8.
    pub fn parse(bytes: &[u8]) -> Result<Self, SyntaxError> {
        parser::structure(bytes)
    }
}

/// The instances of a file, by number.
pub fn parse(text: &str) -> Result<BTreeMap<u64, Instance>, SyntaxError> {
    Structure::parse(text.as_bytes()).map(|file| file.instances)
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
    fn instances_are_parsed() {
        let data = "#10 = (LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.));\n\
                    /* a comment */ #11=X(#10,(1.,-2.E-3,3),$,L(0.5),.T.);";
        let parsed = parse(&file(data)).unwrap();
        let unit = parsed[&10].record("SI_UNIT").unwrap();
        assert_eq!(unit[0].enumeration(), Some("MILLI"));
        let x = parsed[&11].record("X").unwrap();
        assert_eq!(x[1].numbers(), Some(vec![1.0, -0.002, 3.0]));
        assert_eq!(x[3].number(), Some(0.5));
        assert_eq!(parsed[&11].line, 7);
    }

    #[test]
    fn the_header_is_kept_and_several_sections_are_joined() {
        let text = "ISO-10303-21;HEADER;FILE_NAME('a''b');FILE_SCHEMA(('AP'));BAD(;ENDSEC;\n\
                    DATA;#1=A();ENDSEC;DATA('x',('AP'));#2=B();ENDSEC;END-ISO-10303-21;";
        let file = Structure::parse(text.as_bytes()).unwrap();
        let keywords: Vec<&str> = file.header.iter().map(|(k, _)| &**k).collect();
        assert_eq!(keywords, ["FILE_NAME", "FILE_SCHEMA"]);
        assert_eq!(file.header[0].1[0].text(), Some("a'b"));
        assert_eq!(file.instances.len(), 2);
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
