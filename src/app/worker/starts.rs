//! What starts in contact: let in where a cable enters what holds it, listed, and told when it is new.

use super::thread::{SolverThread, guarded};
use crate::scene::{Command, CommandError, Exclusion, StartContact, StartGroup, StartReason};

/// What the thread knows of what starts in contact.
#[derive(Default)]
pub struct Starts {
    /// The list that was last published; `None` before the first.
    known: Option<Vec<StartContact>>,
    /// Cables and parts have come together since: what is new is worth a message.
    together: bool,
}

impl Starts {
    /// Another scene: whoever shows it has no list yet.
    pub fn forget(&mut self) {
        self.known = None;
    }

    /// A scene or an edit has brought cables and parts together.
    pub fn brought_together(&mut self) {
        self.together = true;
    }
}

impl SolverThread {
    /// The default: where a cable enters a connector, a clip or the rest of its harness, it may overlap it.
    pub(super) fn let_in(&mut self) {
        let Some(engine) = &mut self.engine else {
            return;
        };
        let done = guarded(|| -> Result<Vec<Exclusion>, CommandError> {
            let entries = engine.entries();
            if !entries.is_empty() {
                engine.apply(&Command::ExcludeEntries)?;
            }
            Ok(entries)
        });
        match done {
            Ok(Ok(entries)) => self.outbox.let_in(self.ticket, entries),
            Ok(Err(error)) => self.complain(error.to_string()),
            Err(panic) => self.roll_back(&panic),
        }
    }

    /// Publishes the list if it has changed. Without change this costs next to nothing.
    pub(super) fn look_at_starts(&mut self) {
        let together = std::mem::take(&mut self.starts.together);
        let contacts = (self.engine.as_ref()).map_or_else(Vec::new, |e| e.start_contacts());
        if self.starts.known.as_ref() == Some(&contacts) {
            return;
        }
        let groups = (self.engine.as_ref()).map_or_else(Vec::new, |e| e.start_groups(&contacts));
        self.starts.known = Some(contacts);
        if together && let Some(words) = in_words(&groups) {
            self.complain(words);
        }
        self.outbox.list_starts(self.ticket, groups);
    }
}

/// What is to be said of cables that start inside parts, if there are any.
fn in_words(groups: &[StartGroup]) -> Option<String> {
    let inside: Vec<&StartGroup> = groups.iter().filter(|g| g.reason.is_inside()).collect();
    match inside[..] {
        [] => None,
        [one] if one.reason == StartReason::Crosses => Some(format!(
            "Cable \"{}\" runs through part \"{}\", so the part cannot hold it. Move a fixing until it is free.",
            one.cable, one.part
        )),
        [one] if one.reason == StartReason::Enclosed => Some(format!(
            "All of cable \"{}\" is inside part \"{}\", which encloses it. If that is wrong, switch collision detection off (Edit menu) and move its fixings out.",
            one.cable, one.part
        )),
        [one] => Some(format!(
            "Cable \"{}\" starts {:.1} mm inside part \"{}\": it is pushed out by the shortest way.",
            one.cable, one.depth, one.part
        )),
        _ => Some(format!(
            "{} overlaps between cables and parts. View > Plots, contacts and log lists them, with what is done about each.",
            inside.len()
        )),
    }
}
