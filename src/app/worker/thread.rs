//! The thread's side: one step after the other, whatever happens in it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::starts::Starts;
use super::{Missing, Outbox, Solution};
use crate::app::engine::{Engine, EngineFactory};
use crate::app::mailbox::{Letter, Mailbox, Request};
use crate::geom::Vec3;
use crate::scene::{CableReport, Scene};
use crate::solve::{Budget, CancelToken, Status};

/// The pause between two published iterates of a long solve: about 30 pictures a second.
const ITERATE_PAUSE: Duration = Duration::from_millis(33);
/// A solve that is older than this stops for a newer request and goes on from where it is.
const PATIENCE: Duration = Duration::from_millis(100);
/// Iterations of the first solve after an edit: it shows an equilibrium on a long way soon. The next takes its time, and so
/// does one after a solve that found none.
const ITERATIONS: usize = 200;
/// The mouse must rest so long before it is found out what a cable lacks that holds a part.
const QUIET: Duration = Duration::from_millis(80);
/// How often a solve that did not come to its end is taken up again before the thread rests.
const MAX_REPEATS: usize = 20;
/// How often a solve that pushes cables out of parts is followed by the next: each takes them on by a part of their radius.
const MAX_PUSHES: usize = 300;

/// The thread's side.
pub struct SolverThread {
    mailbox: Arc<Mailbox>,
    pub(super) outbox: Arc<Outbox>,
    factory: EngineFactory,
    wake: Box<dyn Fn()>,
    pub(super) engine: Option<Box<dyn Engine>>,
    last_good: Option<Solution>,
    /// The scene came settled and was not edited since.
    settled: bool,
    /// The last solve found no equilibrium.
    unrested: bool,
    /// Edits are carried out, but nothing is solved.
    paused: bool,
    pub(super) ticket: u64,
    pub(super) starts: Starts,
}

impl SolverThread {
    pub fn new(
        mailbox: Arc<Mailbox>,
        outbox: Arc<Outbox>,
        factory: EngineFactory,
        wake: Box<dyn Fn()>,
    ) -> Self {
        Self {
            mailbox,
            outbox,
            factory,
            wake,
            engine: None,
            last_good: None,
            settled: false,
            unrested: false,
            paused: false,
            ticket: 0,
            starts: Starts::default(),
        }
    }

    pub fn run(mut self) {
        let mut repeats = 0;
        while let Some(letters) = self.mailbox.take(repeats == 0) {
            if !letters.is_empty() {
                repeats = 0;
            }
            for letter in letters {
                self.open(letter);
            }
            self.look_at_starts();
            let solves = !self.settled && !self.paused;
            let unfinished = solves && self.solve(repeats);
            if self.paused && !self.settled {
                self.publish_unsolved();
            }
            repeats = if unfinished { repeats + 1 } else { 0 };
            if repeats == 0 {
                self.look_at_starts();
                self.outbox.lock().rested_at = self.ticket;
                (self.wake)();
                if solves {
                    self.find_missing();
                }
            }
        }
    }

    /// Finds out how much the cables lack that hold parts, unless something else is asked for meanwhile.
    fn find_missing(&mut self) {
        let Some(engine) = &self.engine else { return };
        let held = engine.held_parts();
        if held.is_empty() || !self.mailbox.is_quiet_for(QUIET) {
            return;
        }
        let stop = || self.mailbox.is_ringing();
        let mut all = Vec::new();
        for held in held {
            let Some(cable) = held.cable.clone() else {
                continue;
            };
            // A panic here is that of a trial: the scene is as it was.
            let length = guarded(|| engine.missing_length(&held, &stop)).unwrap_or_default();
            let part = held.part;
            all.push(Missing {
                part,
                cable,
                length,
            });
        }
        if !stop() {
            self.outbox.lock().missing = Some((self.ticket, all));
            (self.wake)();
        }
    }

    fn open(&mut self, letter: Letter) {
        // A merged letter stands before older ones.
        self.ticket = self.ticket.max(letter.ticket);
        match letter.request {
            Request::Replace { scene, settled } => {
                self.last_good = None;
                self.settled = settled;
                self.starts.forget();
                self.build(*scene);
                if settled {
                    self.last_good = self.engine.as_ref().map(|e| Solution {
                        ticket: self.ticket,
                        scene: e.scene().clone(),
                        reports: Vec::new(),
                        profiles: Vec::new(),
                        held_parts: Vec::new(),
                        part_poses: e.part_poses(),
                        rolled_back: false,
                    });
                } else {
                    self.starts.brought_together();
                    self.let_in();
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
                    // What is sent somewhere meets on its way whatever there is: it enters nothing.
                    Ok(Ok(())) if command.effect().contact && command.effect().sends.is_none() => {
                        self.starts.brought_together();
                        self.let_in();
                    }
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

    /// One step, after so many that were taken up again; says whether it should be, too.
    fn solve(&mut self, repeats: usize) -> bool {
        let Some(engine) = &mut self.engine else {
            return false;
        };
        // While the mouse moves every solve is a first one: it must not give up at the same place again and again.
        let iterations = if repeats == 0 && !self.unrested {
            ITERATIONS
        } else {
            usize::MAX
        };
        let token = CancelToken::default();
        let budget = Budget::new(&token, iterations);
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
        match guarded(|| engine.solve(&budget, &mut on_iterate)) {
            Err(panic) => {
                self.roll_back(&panic);
                false
            }
            Ok(_) if !is_finite(engine.scene()) => {
                self.roll_back("its result has numbers that are not finite");
                false
            }
            Ok(reports) => {
                let found_none = |r: &Arc<CableReport>| r.report.status == Status::NotConverged;
                self.unrested = reports.iter().any(found_none);
                let early = reports.iter().any(|r| r.report.status.is_early());
                let unfinished = (early && repeats < MAX_REPEATS)
                    || (engine.is_pushing() && repeats < MAX_PUSHES);
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

    fn publish(&mut self, reports: Vec<Arc<CableReport>>) {
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
            part_poses: if self.paused {
                // Nothing takes them there: they are where they were put.
                let parts = engine.scene().parts.iter();
                parts.map(|p| *p.placement()).collect()
            } else {
                engine.part_poses()
            },
            rolled_back: false,
        };
        self.last_good = Some(solution.clone());
        self.outbox.publish(solution);
        (self.wake)();
    }

    /// After a failure: a fresh engine on the last good scene, and word to the window.
    pub(super) fn roll_back(&mut self, reason: &str) {
        self.engine = None;
        self.complain(format!(
            "The solver failed ({reason}). The last good state is kept; undo, or move the fixing elsewhere."
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

    pub(super) fn complain(&self, message: String) {
        self.outbox.fail(message);
        (self.wake)();
    }
}

/// Runs foreign code; a panic becomes its message.
pub(super) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
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
