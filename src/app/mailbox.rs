//! The way from the window to the solver thread: the newest handle target wins, everything else keeps its order.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::scene::{Command, Scene};
use crate::solve::CancelToken;

/// What the window asks of the solver thread.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Throws the scene away and takes this one (open, undo, cancel); a settled one is not solved again until it is
    /// edited, so that an undo shows what was there.
    Replace {
        /// The new scene.
        scene: Box<Scene>,
        /// Its shapes are the solver's last word on it.
        settled: bool,
    },
    /// One edit of the scene.
    Edit(Command),
    /// Solves after every edit, or only carries edits out.
    Run(bool),
}

/// A request with its number; numbers grow.
#[derive(Clone, Debug, PartialEq)]
pub struct Letter {
    /// Number of the request.
    pub ticket: u64,
    /// What is asked.
    pub request: Request,
}

/// A mailbox with one reader. Posting never waits for the reader.
#[derive(Default)]
pub struct Mailbox {
    inner: Mutex<Inner>,
    bell: Condvar,
}

#[derive(Default)]
struct Inner {
    letters: VecDeque<Letter>,
    closed: bool,
    running: Option<CancelToken>,
}

impl Inner {
    fn put(&mut self, letter: Letter) {
        match &letter.request {
            Request::Replace { .. } => {
                self.letters.clear();
                if let Some(running) = &self.running {
                    running.cancel();
                }
                self.letters.push_back(letter);
            }
            Request::Run(_) => self.letters.push_back(letter),
            Request::Edit(newer) => {
                if let Some(running) = &self.running {
                    running.wait_for();
                }
                let merged = merge(&mut self.letters, newer, letter.ticket);
                if !merged {
                    self.letters.push_back(letter);
                }
            }
        }
    }
}

impl Mailbox {
    /// Posts a request. A newer target of a handle takes the place of an older one; a new scene makes all before it
    /// void and cancels the solve that is running; for any other request it may take a while to an equilibrium.
    pub fn post(&self, letter: Letter) {
        self.post_all([letter]);
    }

    /// Several that belong together: who takes one takes all of them.
    pub fn post_all(&self, letters: impl IntoIterator<Item = Letter>) {
        let mut inner = self.lock();
        for letter in letters {
            inner.put(letter);
        }
        drop(inner);
        self.bell.notify_one();
    }

    /// Takes everything that has arrived; waits for the first letter if `wait`. `None` once closed.
    pub fn take(&self, wait: bool) -> Option<Vec<Letter>> {
        let mut inner = self.lock();
        while wait && inner.letters.is_empty() && !inner.closed {
            inner = self
                .bell
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
        (!inner.closed).then(|| inner.letters.drain(..).collect())
    }

    /// Waits so long for something to take; whether nothing came, and the mailbox is open.
    pub fn is_quiet_for(&self, time: Duration) -> bool {
        let ringing = |inner: &mut Inner| inner.closed || !inner.letters.is_empty();
        let waited = (self.bell).wait_timeout_while(self.lock(), time, |inner| !ringing(inner));
        let (mut inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !ringing(&mut inner)
    }

    /// Whether something waits to be taken, or the mailbox was closed.
    pub fn is_ringing(&self) -> bool {
        let inner = self.lock();
        inner.closed || !inner.letters.is_empty()
    }

    /// Names the token of the solve that runs now, to be cancelled by a new scene or by closing.
    pub fn solving(&self, token: &CancelToken) {
        let mut inner = self.lock();
        let void = inner.closed
            || (inner.letters.iter()).any(|l| matches!(l.request, Request::Replace { .. }));
        if void {
            token.cancel();
        }
        if !inner.letters.is_empty() {
            token.wait_for();
        }
        inner.running = Some(token.clone());
    }

    /// Tells the reader to stop.
    pub fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        if let Some(running) = &inner.running {
            running.cancel();
        }
        drop(inner);
        self.bell.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // The data is whole between any two statements, so a panic elsewhere does not spoil it.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the letter of an older target take over a newer one, where nothing between them stands in the way.
fn merge(letters: &mut VecDeque<Letter>, newer: &Command, ticket: u64) -> bool {
    for older in letters.iter_mut().rev() {
        let Request::Edit(command) = &mut older.request else {
            return false;
        };
        if command.merge(newer) {
            older.ticket = ticket;
            return true;
        }
        if !command.commutes_with(newer) {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(handle: &str, x: f64) -> Command {
        Command::MoveHandle {
            cable: "cable".into(),
            handle: handle.into(),
            position: Some([x, 0.0, 0.0]),
            rotation: None,
        }
    }

    fn length(length: f64) -> Command {
        Command::SetLength {
            cable: "cable".into(),
            length,
        }
    }

    fn posted(commands: &[Command]) -> Mailbox {
        let mailbox = Mailbox::default();
        for (ticket, command) in (1..).zip(commands) {
            mailbox.post(Letter {
                ticket,
                request: Request::Edit(command.clone()),
            });
        }
        mailbox
    }

    fn edits(mailbox: &Mailbox) -> Vec<(u64, Command)> {
        let letters = mailbox.take(false).unwrap();
        letters
            .into_iter()
            .filter_map(|l| match l.request {
                Request::Edit(command) => Some((l.ticket, command)),
                Request::Replace { .. } | Request::Run(_) => None,
            })
            .collect()
    }

    #[test]
    fn the_latest_target_of_each_handle_wins() {
        let mailbox = posted(&[
            target("start", 1.0),
            target("end", 2.0),
            target("start", 3.0),
            target("start", 4.0),
        ]);
        assert_eq!(
            edits(&mailbox),
            [(4, target("start", 4.0)), (2, target("end", 2.0))]
        );
        assert!(!mailbox.is_ringing());
    }

    #[test]
    fn a_target_keeps_the_rotation_that_was_asked_before_it() {
        let turn = Command::MoveHandle {
            cable: "cable".into(),
            handle: "end".into(),
            position: None,
            rotation: Some([0.0, 1.0, 0.0, 0.0]),
        };
        let mailbox = posted(&[turn, target("end", 5.0)]);
        let both = Command::MoveHandle {
            cable: "cable".into(),
            handle: "end".into(),
            position: Some([5.0, 0.0, 0.0]),
            rotation: Some([0.0, 1.0, 0.0, 0.0]),
        };
        assert_eq!(edits(&mailbox), [(2, both)]);
    }

    #[test]
    fn the_newest_place_of_a_junction_wins() {
        let at = |x: f64| Command::MoveJunction {
            junction: "J1".into(),
            position: Some([x, 0.0, 0.0]),
            rotation: None,
        };
        let mailbox = posted(&[at(1.0), at(2.0), at(3.0)]);
        assert_eq!(edits(&mailbox), [(3, at(3.0))]);
    }

    #[test]
    fn other_edits_keep_their_order() {
        let show = Command::ChangePart {
            part: "block".into(),
            visible: Some(false),
            role: None,
            color: None,
            margin: None,
            group: None,
        };
        let end = "end";
        let mailbox = posted(&[
            length(1.0),
            target(end, 1.0),
            show.clone(),
            length(2.0),
            target(end, 2.0),
        ]);
        let taken: Vec<_> = edits(&mailbox).into_iter().map(|(_, c)| c).collect();
        assert_eq!(taken, [length(1.0), target(end, 2.0), show, length(2.0)]);
    }

    #[test]
    fn a_target_stays_behind_the_edit_that_made_its_handle() {
        // It used to be given to the handle of the same name that was deleted before.
        let delete = Command::DeleteHandle {
            cable: "cable".into(),
            handle: "clip".into(),
        };
        let add = Command::AddHandle {
            cable: "cable".into(),
            name: Some("clip".into()),
            place: crate::scene::HandlePlace::At(100.0),
            kind: crate::scene::HandleKind::Position,
            pose: None,
        };
        let all = [
            target("clip", 1.0),
            delete,
            add,
            target("clip", 2.0),
            target("clip", 3.0),
        ];
        let mailbox = posted(&all);
        let taken: Vec<_> = edits(&mailbox).into_iter().map(|(_, c)| c).collect();
        assert_eq!(taken[..3], all[..3]);
        assert_eq!(taken[3..], all[4..]);
    }

    #[test]
    fn a_new_scene_makes_older_letters_void_and_cancels_the_solve() {
        let mailbox = posted(&[length(1.0)]);
        let token = CancelToken::default();
        mailbox.solving(&token);
        mailbox.post(Letter {
            ticket: 2,
            request: Request::Replace {
                scene: Box::default(),
                settled: false,
            },
        });
        assert!(token.is_cancelled());
        let letters = mailbox.take(false).unwrap();
        assert_eq!(letters.len(), 1);
        assert_eq!(letters[0].ticket, 2);
    }

    #[test]
    fn newer_input_waits_for_the_solve_that_runs() {
        let mailbox = posted(&[]);
        let token = CancelToken::default();
        mailbox.solving(&token);
        assert!(!token.is_waited_for());
        mailbox.post(Letter {
            ticket: 1,
            request: Request::Edit(length(1.0)),
        });
        assert!(token.is_waited_for() && !token.is_cancelled());
    }

    #[test]
    fn closing_wakes_the_reader() {
        let mailbox = std::sync::Arc::new(Mailbox::default());
        let reader = std::thread::spawn({
            let mailbox = mailbox.clone();
            move || mailbox.take(true)
        });
        mailbox.close();
        assert_eq!(reader.join().unwrap(), None);
    }
}
