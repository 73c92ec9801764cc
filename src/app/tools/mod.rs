//! The modes of the view: what a click means. Each tool keeps what was picked and says what it would do.
//!
//! A new tool is a file with its [`Tool`] and its row, and a line in [`ALL`].

mod add_handle;
mod correct;
mod fixing_picture;
mod fixings;
mod flexibilise;
mod length;
mod measure;
mod new_cable;
mod review;
mod rewire;
mod select;

pub use add_handle::{KINDS as HANDLE_KINDS, kind as handle_kind, number as handle_kind_number};

use std::ops::{Deref, DerefMut};

use egui::Key;

use super::choices::ToolKind;
use super::icon::Icon;
use super::viewport::Tool;

/// All tools, in the order of the toolbar.
pub const ALL: [ToolRow; 8] = [
    select::ROW,
    flexibilise::ROW,
    add_handle::ROW,
    fixings::ROW,
    new_cable::ROW,
    rewire::ROW,
    length::ROW,
    measure::ROW,
];

/// What menus, toolbar and shortcuts know of a tool.
#[derive(Clone, Copy)]
pub struct ToolRow {
    /// What it is asked for by.
    pub kind: ToolKind,
    /// Its name on the toolbar.
    pub name: &'static str,
    /// What it is for.
    pub tip: &'static str,
    /// The key that takes it up.
    pub key: Key,
    /// Words that some look for it by, beside its name.
    pub other_words: &'static str,
    /// Draws its icon.
    pub icon: fn(&Icon<'_>),
    /// A tool that has picked nothing yet.
    pub make: fn() -> Box<dyn Tool>,
}

/// The row of a tool; that of the first one for a word that no tool has.
pub fn row(kind: ToolKind) -> ToolRow {
    let found = ALL.into_iter().find(|row| row.kind == kind);
    found.unwrap_or(select::ROW)
}

/// The tool in use, and which one it is.
#[derive(Debug)]
pub struct ToolInUse {
    kind: ToolKind,
    tool: Box<dyn Tool>,
}

impl ToolInUse {
    /// A tool that has picked nothing yet.
    pub fn new(kind: ToolKind) -> Self {
        let row = row(kind);
        Self {
            kind: row.kind,
            tool: (row.make)(),
        }
    }

    /// Which one it is.
    pub fn kind(&self) -> ToolKind {
        self.kind
    }

    /// The scene was exchanged: picks on it mean nothing any more.
    pub fn forget(&mut self) {
        *self = Self::new(self.kind);
    }
}

impl Default for ToolInUse {
    fn default() -> Self {
        Self::new(ToolKind::SELECT)
    }
}

impl Deref for ToolInUse {
    type Target = dyn Tool;

    fn deref(&self) -> &Self::Target {
        &*self.tool
    }
}

impl DerefMut for ToolInUse {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.tool
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_key_a_name_and_a_word_of_its_own() {
        for (i, a) in ALL.iter().enumerate() {
            assert_eq!(ToolInUse::new(a.kind).kind(), a.kind);
            for b in &ALL[..i] {
                assert!(a.kind != b.kind && a.key != b.key && a.name != b.name);
            }
        }
    }
}
