//! The solver in its own thread. The window posts requests, never waits, and picks up the newest result.

mod starts;
#[cfg(test)]
mod tests;
mod thread;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::engine::EngineFactory;
use super::mailbox::{Letter, Mailbox, Request};
use crate::geom::{Pose, Vec3};
use crate::scene::{CableReport, Command, Exclusion, HeldPart, Scene, StartGroup};
use crate::solve::Profile;
use thread::SolverThread;

/// A published step.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Number of the last request it includes.
    pub ticket: u64,
    /// The scene with its solved shapes.
    pub scene: Scene,
    /// What the solver says of each cable; empty before the first solve.
    pub reports: Vec<Arc<CableReport>>,
    /// Forces and curvature along each cable, in the scene's order.
    pub profiles: Vec<Profile>,
    /// Parts that cables keep from where they were sent; in `scene` they are where they stopped.
    pub held_parts: Vec<HeldPart>,
    /// Where the parts are: one that was sent somewhere may still be on its way.
    pub part_poses: Vec<Pose>,
    /// Whether this is the last good scene, brought back after a failure.
    pub rolled_back: bool,
}

/// What a cable lacks that holds a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// Name of the part.
    pub part: String,
    /// Name of the cable.
    pub cable: String,
    /// mm; `None` where length does not help.
    pub length: Option<f64>,
}

/// Everything new since the last look.
#[derive(Default)]
pub struct News {
    /// The newest step.
    pub solution: Option<Solution>,
    /// Node positions of the cables in a solve that still runs, newer than `solution`.
    pub iterates: Vec<(usize, Vec<Vec3>)>,
    /// What went wrong, in words.
    pub errors: Vec<String>,
    /// What starts in contact, when that list has changed.
    pub starts: Option<Vec<StartGroup>>,
    /// Where cables were let into what holds them: these belong to the edit that brought them there.
    pub let_in: Vec<Exclusion>,
    /// What the cables lack that hold parts, once it is known.
    pub missing: Vec<Missing>,
}

/// The window's side of the solver thread.
pub struct Worker {
    mailbox: Arc<Mailbox>,
    outbox: Arc<Outbox>,
    last_ticket: u64,
    replaced_at: u64,
    answered: u64,
}

#[derive(Default)]
struct Outbox(Mutex<Published>);

#[derive(Default)]
struct Published {
    news: News,
    /// Number of the request that the iterates belong to.
    ticket: u64,
    /// What becomes `news.starts` and `news.let_in`, with the number of the request that it follows.
    starts: Option<(u64, Vec<StartGroup>)>,
    let_in: Vec<(u64, Exclusion)>,
    missing: Option<(u64, Vec<Missing>)>,
    /// Number of the last request after which the thread rested.
    rested_at: u64,
}

impl Worker {
    /// Starts the thread; `wake` is called from it whenever there is news.
    pub fn start(factory: EngineFactory, wake: impl Fn() + Send + 'static) -> Self {
        let mailbox = Arc::new(Mailbox::default());
        let outbox = Arc::new(Outbox::default());
        let (their_mailbox, their_outbox) = (mailbox.clone(), outbox.clone());
        let spawned = std::thread::Builder::new()
            .name("solver".into())
            .spawn(move || {
                SolverThread::new(their_mailbox, their_outbox, factory, Box::new(wake)).run();
            });
        if let Err(error) = spawned {
            outbox.fail(format!(
                "The solver thread could not be started: {error}. Save your work and restart."
            ));
        }
        Self {
            mailbox,
            outbox,
            last_ticket: 0,
            replaced_at: 0,
            answered: 0,
        }
    }

    /// Asks for an edit; returns its number.
    pub fn edit(&mut self, command: Command) -> u64 {
        self.post(Request::Edit(command))
    }

    /// Asks for edits that belong together: none of them is solved without the others.
    pub fn edit_all(&mut self, commands: &[Command]) {
        let first = self.last_ticket + 1;
        self.last_ticket += commands.len() as u64;
        let letters = (first..).zip(commands).map(|(ticket, command)| Letter {
            ticket,
            request: Request::Edit(command.clone()),
        });
        self.mailbox.post_all(letters);
    }

    /// Hands over another scene; results of the old one are dropped from now on.
    ///
    /// A `settled` scene is taken as it is and not solved before its first edit.
    pub fn replace(&mut self, scene: Scene, settled: bool) {
        let scene = Box::new(scene);
        self.replaced_at = self.post(Request::Replace { scene, settled });
    }

    /// Solves after every edit, or only carries edits out.
    pub fn run(&mut self, run: bool) {
        self.post(Request::Run(run));
    }

    /// Everything new since the last call. Never waits for the solver.
    pub fn poll(&mut self) -> News {
        let mut published = self.outbox.lock();
        let mut news = std::mem::take(&mut published.news);
        if published.ticket < self.replaced_at {
            news.iterates.clear();
        }
        let let_in = std::mem::take(&mut published.let_in).into_iter();
        let still_holds = |ticket: u64| ticket >= self.replaced_at;
        news.let_in = let_in.filter(|e| still_holds(e.0)).map(|e| e.1).collect();
        let starts = published.starts.take();
        news.starts = starts.filter(|s| still_holds(s.0)).map(|s| s.1);
        // Of the last request only: a newer one has moved the part on.
        let missing = published.missing.take();
        let missing = missing.filter(|m| m.0 == self.last_ticket);
        news.missing = missing.map_or_else(Vec::new, |m| m.1);
        self.answered = published.rested_at;
        drop(published);
        news.solution = news
            .solution
            .filter(|solution| solution.ticket >= self.replaced_at);
        news
    }

    /// Number of the last request.
    pub fn last_ticket(&self) -> u64 {
        self.last_ticket
    }

    /// Whether, at the last `poll`, the thread had answered all that was asked and rested.
    pub fn is_at_rest(&self) -> bool {
        self.answered == self.last_ticket
    }

    fn post(&mut self, request: Request) -> u64 {
        self.last_ticket += 1;
        self.mailbox.post(Letter {
            ticket: self.last_ticket,
            request,
        });
        self.last_ticket
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The thread ends by itself; the window does not wait for it.
        self.mailbox.close();
    }
}

impl Outbox {
    fn publish(&self, solution: Solution) {
        let mut published = self.lock();
        published.ticket = solution.ticket;
        published.news.iterates.clear();
        published.news.solution = Some(solution);
    }

    fn publish_iterate(&self, ticket: u64, cable: usize, points: &[Vec3]) {
        let mut published = self.lock();
        published.ticket = ticket;
        published.news.iterates.retain(|(c, _)| *c != cable);
        published.news.iterates.push((cable, points.to_vec()));
    }

    fn let_in(&self, ticket: u64, entries: Vec<Exclusion>) {
        let entries = entries.into_iter().map(|e| (ticket, e));
        self.lock().let_in.extend(entries);
    }

    fn list_starts(&self, ticket: u64, groups: Vec<StartGroup>) {
        self.lock().starts = Some((ticket, groups));
    }

    fn fail(&self, message: String) {
        self.lock().news.errors.push(message);
    }

    fn lock(&self) -> MutexGuard<'_, Published> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
