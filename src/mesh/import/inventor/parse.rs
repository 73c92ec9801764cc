//! The nodes of a VRML or Open Inventor text, without knowing what they mean.
//!
//! A node is `Kind { ... }`. In it stand fields (a word and a value) and, in Open Inventor, nodes. Without the
//! declaration of a node, a value is what follows the word: numbers, a text, a word, a node, or a list in brackets.

use std::collections::HashMap;

use super::lexer::{Lexer, Token};
use crate::mesh::import::ImportError;
use crate::mesh::import::error::Place;
use crate::mesh::import::raw::shown;
use crate::mesh::import::tree::{MAX_DEPTH, too_deep};
use crate::progress::Stretch;

/// Number of a node in its file.
pub type NodeId = usize;

/// One node.
#[derive(Debug, Default)]
pub struct Node<'a> {
    /// Such as `Transform`.
    pub kind: &'a [u8],
    /// The name that `DEF` gave it; empty without one.
    pub name: &'a [u8],
    /// Line on which it begins, from 1.
    pub line: usize,
    /// Its fields, in their order.
    pub fields: Vec<(&'a [u8], Value<'a>)>,
    /// Nodes that stand in it without a field.
    pub children: Vec<NodeId>,
}

/// What a field holds.
#[derive(Debug, PartialEq)]
pub enum Value<'a> {
    /// One or many numbers.
    Numbers(Vec<f64>),
    /// Words and texts.
    Words(Vec<&'a [u8]>),
    /// Nodes.
    Nodes(Vec<NodeId>),
}

impl<'a> Node<'a> {
    fn field(&self, name: &[u8]) -> Option<&Value<'a>> {
        let found = self.fields.iter().rev().find(|(n, _)| *n == name);
        found.map(|(_, value)| value)
    }

    /// The numbers of a field; none when it is not there or holds something else.
    pub fn numbers(&self, name: &[u8]) -> &[f64] {
        match self.field(name) {
            Some(Value::Numbers(numbers)) => numbers,
            _ => &[],
        }
    }

    /// The first word of a field; empty when there is none.
    pub fn word(&self, name: &[u8]) -> &'a [u8] {
        match self.field(name) {
            Some(Value::Words(words)) => words.first().copied().unwrap_or_default(),
            _ => &[],
        }
    }

    /// The nodes of a field.
    pub fn nodes(&self, name: &[u8]) -> &[NodeId] {
        match self.field(name) {
            Some(Value::Nodes(nodes)) => nodes,
            _ => &[],
        }
    }
}

/// All nodes of a file. A node holds only nodes of lower numbers, so there is no ring.
#[derive(Debug, Default)]
pub struct Nodes<'a> {
    /// By number.
    pub nodes: Vec<Node<'a>>,
    /// Those that stand in no other.
    pub roots: Vec<NodeId>,
}

/// Reads all nodes of `bytes`.
pub fn parse<'a>(bytes: &'a [u8], stretch: &Stretch) -> Result<Nodes<'a>, ImportError> {
    let mut parser = Parser {
        lexer: Lexer::new(bytes),
        nodes: Vec::new(),
        defined: HashMap::new(),
        stretch,
    };
    let mut roots = Vec::new();
    while let Some(token) = parser.lexer.next() {
        let Token::Word(word) = token else {
            return Err(parser.unexpected(Some(token)));
        };
        if !parser.skip_declaration(word)? {
            roots.extend(parser.node(word, 0)?);
        }
    }
    Ok(Nodes {
        nodes: parser.nodes,
        roots,
    })
}

struct Parser<'a, 's> {
    lexer: Lexer<'a>,
    nodes: Vec<Node<'a>>,
    defined: HashMap<&'a [u8], NodeId>,
    stretch: &'s Stretch<'s>,
}

impl<'a> Parser<'a, '_> {
    /// The node that begins with `word`: a kind, `DEF` or `USE`. None for `USE` of a name that was never given.
    fn node(&mut self, word: &'a [u8], depth: usize) -> Result<Option<NodeId>, ImportError> {
        self.stretch.at(self.lexer.done())?;
        if depth > MAX_DEPTH {
            return Err(too_deep(Place::Line(self.lexer.line)));
        }
        match word {
            b"USE" => {
                let name = self.word()?;
                Ok(self.defined.get(name).copied())
            }
            b"DEF" => {
                let name = self.word()?;
                let kind = self.word()?;
                let node = self.node(kind, depth + 1)?;
                if let Some(id) = node {
                    self.defined.insert(name, id);
                    self.nodes[id].name = name;
                }
                Ok(node)
            }
            b"NULL" => Ok(None),
            kind => {
                let line = self.lexer.line;
                match self.lexer.next() {
                    Some(Token::Bracket(b'{')) => {}
                    other => return Err(self.unexpected(other)),
                }
                let mut node = self.body(depth)?;
                node.kind = kind;
                node.line = line;
                self.nodes.push(node);
                Ok(Some(self.nodes.len() - 1))
            }
        }
    }

    /// What stands between the braces, up to the closing one.
    fn body(&mut self, depth: usize) -> Result<Node<'a>, ImportError> {
        let mut node = Node::default();
        loop {
            match self.lexer.next() {
                Some(Token::Bracket(b'}')) => return Ok(node),
                Some(Token::Word(word)) => {
                    if self.skip_declaration(word)? {
                        continue;
                    }
                    let begins_node = matches!(word, b"DEF" | b"USE")
                        || self.lexer.peek() == Some(Token::Bracket(b'{'));
                    if begins_node {
                        node.children.extend(self.node(word, depth + 1)?);
                    } else {
                        let value = self.value(depth)?;
                        node.fields.push((word, value));
                    }
                }
                other => return Err(self.unexpected(other)),
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Value<'a>, ImportError> {
        match self.lexer.peek() {
            Some(Token::Number(_)) => {
                let mut numbers = Vec::new();
                while let Some(Token::Number(n)) = self.lexer.peek() {
                    self.lexer.next();
                    numbers.push(n);
                }
                Ok(Value::Numbers(numbers))
            }
            Some(Token::Text(text)) => {
                self.lexer.next();
                Ok(Value::Words(vec![text]))
            }
            Some(Token::Bracket(b'[')) => {
                self.lexer.next();
                self.list(depth)
            }
            Some(Token::Bracket(b'(')) => {
                // A set of flags: (A | B).
                self.lexer.next();
                self.skip_to(b'(', b')')?;
                Ok(Value::Words(Vec::new()))
            }
            Some(Token::Word(word)) => {
                self.lexer.next();
                let begins_node = matches!(word, b"DEF" | b"USE" | b"NULL")
                    || self.lexer.peek() == Some(Token::Bracket(b'{'));
                if begins_node {
                    let node = self.node(word, depth + 1)?;
                    return Ok(Value::Nodes(node.into_iter().collect()));
                }
                if word == b"IS" || word == b"=" {
                    // Bound to a field of somewhere else.
                    return Ok(Value::Words(vec![self.word()?]));
                }
                Ok(Value::Words(vec![word]))
            }
            other => Err(self.unexpected(other)),
        }
    }

    /// What stands between square brackets, up to the closing one. A list is of the kind of its first entry;
    /// others in it are dropped.
    fn list(&mut self, depth: usize) -> Result<Value<'a>, ImportError> {
        let mut numbers = Vec::new();
        let mut words = Vec::new();
        let mut nodes = Vec::new();
        let mut n_entries = 0_usize;
        loop {
            n_entries += 1;
            if n_entries.is_multiple_of(1 << 14) {
                self.stretch.at(self.lexer.done())?;
            }
            match self.lexer.next() {
                Some(Token::Bracket(b']')) => break,
                Some(Token::Number(n)) => numbers.push(n),
                Some(Token::Text(text)) => words.push(text),
                Some(Token::Word(word)) => {
                    let begins_node = matches!(word, b"DEF" | b"USE")
                        || self.lexer.peek() == Some(Token::Bracket(b'{'));
                    if begins_node {
                        nodes.extend(self.node(word, depth + 1)?);
                    } else if self.skip_declaration(word)? {
                    } else if numbers.is_empty() {
                        words.push(word);
                    } else {
                        return Err(ImportError::NotANumber {
                            line: self.lexer.line,
                            word: shown(word),
                        });
                    }
                }
                other => return Err(self.unexpected(other)),
            }
        }
        Ok(if !nodes.is_empty() {
            Value::Nodes(nodes)
        } else if !words.is_empty() {
            Value::Words(words)
        } else {
            Value::Numbers(numbers)
        })
    }

    /// Skips `ROUTE a TO b`, `PROTO name [...] {...}` and `EXTERNPROTO name [...] urls`; false for other words.
    fn skip_declaration(&mut self, word: &[u8]) -> Result<bool, ImportError> {
        match word {
            b"ROUTE" => {
                for _ in 0..3 {
                    self.word()?;
                }
            }
            b"PROTO" | b"EXTERNPROTO" => {
                self.word()?;
                self.skip_group(b'[', b']')?;
                if word == b"PROTO" {
                    self.skip_group(b'{', b'}')?;
                } else {
                    match self.lexer.next() {
                        Some(Token::Text(_)) => {}
                        Some(Token::Bracket(b'[')) => self.skip_to(b'[', b']')?,
                        other => return Err(self.unexpected(other)),
                    }
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn skip_group(&mut self, open: u8, close: u8) -> Result<(), ImportError> {
        match self.lexer.next() {
            Some(Token::Bracket(b)) if b == open => self.skip_to(open, close),
            other => Err(self.unexpected(other)),
        }
    }

    /// Skips to behind the bracket that closes the one just read.
    fn skip_to(&mut self, open: u8, close: u8) -> Result<(), ImportError> {
        let mut n_open = 1;
        while n_open > 0 {
            match self.lexer.next() {
                None => return Err(self.unexpected(None)),
                Some(Token::Bracket(b)) if b == open => n_open += 1,
                Some(Token::Bracket(b)) if b == close => n_open -= 1,
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn word(&mut self) -> Result<&'a [u8], ImportError> {
        match self.lexer.next() {
            Some(Token::Word(word)) => Ok(word),
            other => Err(self.unexpected(other)),
        }
    }

    fn unexpected(&self, token: Option<Token>) -> ImportError {
        let line = self.lexer.line;
        let word = match token {
            None => {
                return ImportError::Damaged {
                    place: Place::Line(line),
                    reason: "the file ends inside a node".to_owned(),
                };
            }
            Some(Token::Bracket(bracket)) => char::from(bracket).to_string(),
            Some(Token::Number(number)) => number.to_string(),
            Some(Token::Text(text) | Token::Word(text)) => shown(text),
        };
        ImportError::UnexpectedWord { line, word }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;

    fn parsed(text: &str) -> Result<Nodes<'_>, ImportError> {
        let progress = Progress::default();
        parse(text.as_bytes(), &Stretch::new(&progress, "", 0.0, 1.0))
    }

    #[test]
    fn fields_nodes_and_uses() {
        let text = "PROTO P [ field SFNode n NULL ] { Group { } }\nROUTE a.x TO b.y\n\
            DEF a Transform { translation 1 2 3 children [ DEF s Shape { geometry NULL } USE s USE nobody ] }\n\
            Separator { Cube { } mask (A | B) flag TRUE text [ \"x\" \"y\" ] USE a }";
        let file = parsed(text).unwrap();
        assert_eq!(file.roots.len(), 2);
        let transform = &file.nodes[file.roots[0]];
        assert_eq!(
            (transform.kind, transform.name),
            (&b"Transform"[..], &b"a"[..])
        );
        assert_eq!(transform.line, 3);
        assert_eq!(transform.numbers(b"translation"), [1.0, 2.0, 3.0]);
        assert_eq!(transform.nodes(b"children"), [0, 0]);
        let separator = &file.nodes[file.roots[1]];
        assert_eq!(separator.word(b"flag"), b"TRUE");
        assert_eq!(separator.children.len(), 2);
        assert_eq!(separator.children[1], file.roots[0]);
    }

    #[test]
    fn errors_name_the_line() {
        for (text, words) in [
            ("\nGroup { children [ ", "line 2: the file ends"),
            ("Group {\n ] }", "line 2: \"]\" does not belong"),
            (
                "Group {\n point [ 1 2 x ] }",
                "line 2: \"x\" is not a number",
            ),
        ] {
            let error = parsed(text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let deep = "Group { children ".repeat(100_000);
        let error = parsed(&deep).unwrap_err().to_string();
        assert!(error.contains("levels"), "{error}");
    }
}
