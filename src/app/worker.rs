//! The solver in its own thread. The window posts requests, never waits, and picks up the newest result.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::engine::{Engine, EngineFactory};
use super::mailbox::{Letter, Mailbox, Request};
use crate::geom::Vec3;
use crate::scene::{CableReport, Command, HeldPart, Scene};
use crate::solve::{CancelToken, Profile, Status};

/// The pause between two published iterates of a long solve: about 30 pictures a second.
const ITERATE_PAUSE: Duration = Duration::from_millis(33);
/// A solve that is older than this stops for a newer request and goes on from where it is.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often a solve that did not converge is taken up again before the thread rests.
const MAX_REPEATS: usize = 20;

/// A published step.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Number of the last request it includes.
    pub ticket: u64,
    /// The scene with its solved shapes.
    pub scene: Scene,
    /// What the solver says of each cable; empty before the first solve.
    pub reports: Vec<CableReport>,
    /// Forces and curvature along each cable, in the scene's order.
    pub profiles: Vec<Profile>,
    /// Parts that cables keep from where they were sent; in `scene` they are where they stopped.
    pub held_parts: Vec<HeldPart>,
    /// Whether this is the last good scene, brought back after a failure.
    pub rolled_back: bool,
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
    /// Pairs of (cable, part) that overlapped when the scene was taken over.
    pub overlaps: Option<Vec<(String, String)>>,
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
                let thread = SolverThread {
                    mailbox: their_mailbox,
                    outbox: their_outbox,
                    factory,
                    wake: Box::new(wake),
                    engine: None,
                    last_good: None,
                    settled: false,
                    paused: false,
                    ticket: 0,
                };
                thread.run();
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

    fn fail(&self, message: String) {
        self.lock().news.errors.push(message);
    }

    fn lock(&self) -> MutexGuard<'_, Published> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread's side.
struct SolverThread {
    mailbox: Arc<Mailbox>,
    outbox: Arc<Outbox>,
    factory: EngineFactory,
    wake: Box<dyn Fn()>,
    engine: Option<Box<dyn Engine>>,
    last_good: Option<Solution>,
    /// The scene came settled and was not edited since.
    settled: bool,
    /// Edits are carried out, but nothing is solved.
    paused: bool,
    ticket: u64,
}

impl SolverThread {
    fn run(mut self) {
        let mut repeats = 0;
        while let Some(letters) = self.mailbox.take(repeats == 0) {
            if !letters.is_empty() {
                repeats = 0;
            }
            for letter in letters {
                self.open(letter);
            }
            let solves = !self.settled && !self.paused;
            let unfinished = solves && self.solve(repeats < MAX_REPEATS);
            if self.paused && !self.settled {
                self.publish_unsolved();
            }
            repeats = if unfinished { repeats + 1 } else { 0 };
            if repeats == 0 {
                self.outbox.lock().rested_at = self.ticket;
                (self.wake)();
            }
        }
    }

    fn open(&mut self, letter: Letter) {
        self.ticket = letter.ticket;
        match letter.request {
            Request::Replace { scene, settled } => {
                self.last_good = None;
                self.settled = settled;
                self.build(*scene);
                if settled {
                    self.last_good = self.engine.as_ref().map(|e| Solution {
                        ticket: self.ticket,
                        scene: e.scene().clone(),
                        reports: Vec::new(),
                        profiles: Vec::new(),
                        held_parts: Vec::new(),
                        rolled_back: false,
                    });
                } else {
                    self.warn_of_overlaps();
                    self.publish(Vec::new());
                }
            }
            Request::Run(run) => self.paused = !run,
            Request::Edit(command) => {
                self.settled = false;
                let Some(engine) = &mut self.engine else {
                    return;
                };
                let edited = guarded(|| engine.apply(&command));
                match edited {
                    Ok(Ok(())) if brings_together(&command) => self.warn_of_overlaps(),
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => self.complain(error.to_string()),
                    Err(panic) => self.roll_back(&panic),
                }
            }
        }
    }

    /// Hands a scene to the engine, which keeps what it built for parts that stay; to a new one if there is none.
    fn build(&mut self, scene: Scene) {
        let (engine, factory) = (self.engine.take(), &self.factory);
        let built = guarded(move || match engine {
            Some(mut engine) => engine.replace_scene(scene).map(|()| engine),
            None => factory(scene),
        });
        self.engine = match built {
            Ok(Ok(engine)) => Some(engine),
            Ok(Err(error)) => {
                self.complain(format!("The scene cannot be solved: {error}."));
                None
            }
            Err(panic) => {
                self.complain(format!("The solver failed to start ({panic})."));
                None
            }
        };
    }

    fn warn_of_overlaps(&self) {
        let overlaps = self.engine.as_ref().map_or_else(Vec::new, |e| e.overlaps());
        match &overlaps[..] {
            [] => {}
            [(cable, part)] => self.complain(format!(
                "Cable \"{cable}\" runs through part \"{part}\", so the part cannot hold it. Move a handle until it is free."
            )),
            several => self.complain(format!(
                "{} times a cable runs through a part, which cannot hold it there. View > Plots, contacts and log lists them.",
                several.len()
            )),
        }
        self.outbox.lock().news.overlaps = Some(overlaps);
    }

    /// One step; says whether it should be taken up again.
    fn solve(&mut self, may_repeat: bool) -> bool {
        let Some(engine) = &mut self.engine else {
            return false;
        };
        let token = CancelToken::default();
        self.mailbox.solving(&token);
        let started = Instant::now();
        let mut last_shown = started;
        let (mailbox, outbox, wake, ticket) =
            (&self.mailbox, &self.outbox, &self.wake, self.ticket);
        let mut on_iterate = |cable: usize, points: &[Vec3]| {
            let now = Instant::now();
            if now - started > PATIENCE && mailbox.is_ringing() {
                token.cancel();
            }
            if now - last_shown >= ITERATE_PAUSE && all_finite(points) {
                last_shown = now;
                outbox.publish_iterate(ticket, cable, points);
                wake();
            }
        };
        match guarded(|| engine.solve(&token, &mut on_iterate)) {
            Err(panic) => {
                self.roll_back(&panic);
                false
            }
            Ok(_) if !is_finite(engine.scene()) => {
                self.roll_back("its result has numbers that are not finite");
                false
            }
            Ok(reports) => {
                let unfinished = may_repeat
                    && (engine.is_pushing()
                        || (reports.iter()).any(|r| {
                            matches!(r.report.status, Status::NotConverged | Status::Cancelled)
                        }));
                self.publish(reports);
                unfinished
            }
        }
    }

    /// While paused: the scene as edited, with what was last said of its cables.
    fn publish_unsolved(&mut self) {
        let known = self.last_good.as_ref().map(|good| good.reports.clone());
        self.publish(known.unwrap_or_default());
    }

    fn publish(&mut self, reports: Vec<CableReport>) {
        let Some(engine) = &self.engine else { return };
        if !is_finite(engine.scene()) {
            return self.roll_back("its scene has numbers that are not finite");
        }
        let solution = Solution {
            ticket: self.ticket,
            scene: engine.scene().clone(),
            reports,
            profiles: engine.profiles(),
            held_parts: engine.held_parts(),
            rolled_back: false,
        };
        self.last_good = Some(solution.clone());
        self.outbox.publish(solution);
        (self.wake)();
    }

    /// After a failure: a fresh engine on the last good scene, and word to the window.
    fn roll_back(&mut self, reason: &str) {
        self.engine = None;
        self.complain(format!(
            "The solver failed ({reason}). The last good state is kept; undo, or move the handle elsewhere."
        ));
        let Some(good) = self.last_good.clone() else {
            return;
        };
        self.build(good.scene.clone());
        self.outbox.publish(Solution {
            ticket: self.ticket,
            rolled_back: true,
            ..good
        });
        (self.wake)();
    }

    fn complain(&self, message: String) {
        self.outbox.fail(message);
        (self.wake)();
    }
}

/// Whether a cable may run through a part after it that it did not run through before.
fn brings_together(command: &Command) -> bool {
    matches!(
        command,
        Command::Flexibilise { .. }
            | Command::AddCable { .. }
            | Command::Import { .. }
            | Command::ReplacePart { .. }
            | Command::MovePart { .. }
            | Command::Ghost { on: false }
    )
}

/// Runs foreign code; a panic becomes its message.
fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        payload
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no reason given".into())
    })
}

fn all_finite(points: &[Vec3]) -> bool {
    points.iter().all(|p| p.iter().all(|c| c.is_finite()))
}

fn is_finite(scene: &Scene) -> bool {
    (scene.cables.iter().filter_map(|c| c.shape.as_ref())).all(|shape| {
        all_finite(&shape.points)
            && shape
                .frames
                .iter()
                .all(|q| q.coords.iter().all(|c| c.is_finite()))
            && (shape.clamps.iter().flatten()).all(|pose| {
                all_finite(&[pose.position]) && pose.rotation.coords.iter().all(|c| c.is_finite())
            })
    })
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
