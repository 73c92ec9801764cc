//! Words between blanks, with the number of the line they are in.

/// Walks through a text word by word.
#[derive(Clone)]
pub struct Words<'a> {
    text: &'a [u8],
    /// Bytes taken so far.
    pub at: usize,
    /// Line of the last word, from 1.
    pub line: usize,
}

impl<'a> Words<'a> {
    /// The words of `text`.
    pub fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
        }
    }

    /// What is left of the line, without the blanks around it.
    pub fn rest_of_line(&mut self) -> String {
        let rest = &self.text[self.at..];
        let n = rest
            .iter()
            .position(|&b| b == b'\n' || b == b'\r')
            .unwrap_or(rest.len());
        self.at += n;
        String::from_utf8_lossy(rest[..n].trim_ascii()).into_owned()
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        while let Some(&byte) = self.text.get(self.at) {
            if !byte.is_ascii_whitespace() {
                break;
            }
            self.line += usize::from(byte == b'\n');
            self.at += 1;
        }
        let rest = &self.text[self.at..];
        let n = rest
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(rest.len());
        self.at += n;
        (n > 0).then(|| &rest[..n])
    }
}
