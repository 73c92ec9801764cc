//! What the verbs print and write: text or JSON on stdout, warnings and progress on stderr, lines into files.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

use crate::text::printable;

/// The two standard streams. A reader that went away (`| head`) is no error; a full disk is.
pub struct Console {
    json: bool,
    shows_progress: bool,
    warnings: Vec<Value>,
}

impl Console {
    /// Text for people, or one JSON document for machines.
    pub fn new(json: bool) -> Self {
        Self {
            json,
            shows_progress: io::stderr().is_terminal(),
            warnings: Vec::new(),
        }
    }

    /// Prints a line of text; nothing when JSON is asked for.
    pub fn line(&self, text: impl Display) -> anyhow::Result<()> {
        if self.json {
            return Ok(());
        }
        print(&printable(&format!("{text}\n")))
    }

    /// Prints the JSON document, with the warnings so far; nothing when text is asked for.
    pub fn document(&self, mut document: Value) -> anyhow::Result<()> {
        if !self.json {
            return Ok(());
        }
        document["warnings"] = self.warnings.clone().into();
        print(&format!("{document}\n"))
    }

    /// Tells of something the user should know; it does not stop the verb.
    pub fn warn(&mut self, warning: impl Display) {
        let warning = warning.to_string();
        if !self.json {
            complain(&format!("warning: {warning}"));
        }
        self.warnings.push(warning.into());
    }

    /// As [`Self::warn`], with what programs read of it: an entry for each place.
    pub fn warn_at(&mut self, warning: impl Display, entries: Vec<Value>) {
        if !self.json {
            complain(&format!("warning: {warning}"));
        }
        self.warnings.extend(entries);
    }

    /// Shows how far a long verb is, on a terminal.
    pub fn progress(&self, text: impl Display) {
        if self.shows_progress {
            let _ = write!(io::stderr(), "\r\x1b[K{}", printable(&text.to_string()));
        }
    }

    /// Takes the progress line away.
    pub fn end_progress(&self) {
        self.progress("");
    }
}

/// Prints on stderr; a failure of that cannot be reported.
pub fn complain(text: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(text));
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    let printed = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    match printed {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(e).context("cannot write to standard output")
        }
        _ => Ok(()),
    }
}

/// A file that is written piece by piece.
pub struct OutFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl OutFile {
    /// Makes the file, or empties it.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let file =
            File::create(path).with_context(|| format!("cannot write to {}", path.display()))?;
        Ok(Self {
            path: path.to_owned(),
            file: BufWriter::new(file),
        })
    }

    /// Writes one JSON line.
    pub fn json_line(&mut self, value: &Value) -> anyhow::Result<()> {
        let written = serde_json::to_writer(&mut self.file, value)
            .map_err(io::Error::from)
            .and_then(|()| self.file.write_all(b"\n"));
        written.with_context(|| self.trouble())
    }

    /// Writes what is still in memory. A file that is only dropped may be cut off without a word.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.file.flush().with_context(|| self.trouble())
    }

    fn trouble(&self) -> String {
        format!("cannot write to {}", self.path.display())
    }
}
