//! A scene in motion in a thread of its own: it goes on no faster than the clock, and what it shows is recorded.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::playback::Recording;
use crate::progress::CancelToken;
use crate::scene::motion::{MotionOptions, MotionPath, Player};
use crate::scene::study::{Sample, StudyPath};
use crate::scene::{Command, Scene, Simulation};

/// Time between two samples, s.
const EVERY: f64 = 0.02;
/// Nodes of all samples together, at most: about 200 MB.
const MOST_NODES: usize = 4_000_000;

/// What is to be set in motion, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionOrder {
    /// How time goes on.
    pub options: MotionOptions,
    /// What moves by a plan.
    pub path: Option<StudyPath>,
    /// Edits that set the scene in motion: fixings that are taken away.
    pub released: Vec<Command>,
}

/// What a motion in progress is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Goes on.
    Run,
    /// Stays where it is.
    Pause,
    /// One sample more.
    Step,
    /// Ends.
    Stop,
}

/// What the thread and the window share.
struct State {
    pace: Pace,
    /// Samples that the window has not taken yet.
    new: Vec<Sample>,
    standing: Standing,
}

/// How a motion stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Seconds of the motion over seconds that the solver needed for them.
    pub factor: Option<f64>,
    /// First hits, in words.
    pub hits: Vec<String>,
    /// Steps, and those without a balance of forces.
    pub steps: [usize; 2],
    /// Why it ended; nothing to say where it was asked to.
    pub ended: Option<String>,
}

#[derive(Clone)]
struct Link {
    state: Arc<(Mutex<State>, Condvar)>,
    cancel: CancelToken,
    ctx: egui::Context,
}

impl Link {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A scene in motion, and what was recorded of it.
pub struct Motion {
    link: Link,
    /// All samples so far.
    pub recording: Recording,
    standing: Standing,
}

impl Motion {
    /// Sets a scene in motion.
    pub fn start(scene: Scene, order: MotionOrder, ctx: &egui::Context) -> Self {
        let state = State {
            pace: Pace::Run,
            new: Vec::new(),
            standing: Standing::default(),
        };
        let link = Link {
            state: Arc::new((Mutex::new(state), Condvar::new())),
            cancel: CancelToken::default(),
            ctx: ctx.clone(),
        };
        let recording = Recording::of(&scene, Vec::new());
        let own = link.clone();
        std::thread::spawn(move || {
            let moved = std::panic::AssertUnwindSafe(|| run(scene, &order, &own));
            let ended = std::panic::catch_unwind(moved);
            let ended =
                ended.unwrap_or_else(|_| Err("the motion failed inside the program".into()));
            own.lock().standing.ended = Some(ended.err().unwrap_or_default());
            own.ctx.request_repaint();
        });
        Self {
            link,
            recording,
            standing: Standing::default(),
        }
    }

    /// Asks it to go on, to stay, or to end.
    pub fn ask(&self, pace: Pace) {
        let mut state = self.link.lock();
        state.pace = pace;
        if pace == Pace::Stop {
            self.link.cancel.cancel();
        }
        drop(state);
        self.link.state.1.notify_all();
    }

    /// What it was last asked; a step that was made is a pause.
    pub fn pace(&self) -> Pace {
        self.link.lock().pace
    }

    /// Whether it can go on.
    pub fn is_alive(&self) -> bool {
        self.standing.ended.is_none()
    }

    /// How it stands.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Takes the samples that have come; says whether there are any.
    pub fn poll(&mut self) -> bool {
        let mut state = self.link.lock();
        let new = std::mem::take(&mut state.new);
        self.standing = state.standing.clone();
        drop(state);
        let some = !new.is_empty();
        self.recording.samples.extend(new);
        some
    }
}

impl Drop for Motion {
    fn drop(&mut self) {
        self.ask(Pace::Stop);
    }
}

/// Waits until it is to go on; `false` where it is to end.
fn goes_on(link: &Link) -> bool {
    let mut state = link.lock();
    while state.pace == Pace::Pause {
        state = (link.state.1)
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner);
    }
    state.pace != Pace::Stop
}

fn run(scene: Scene, order: &MotionOrder, link: &Link) -> Result<(), String> {
    let mut simulation = Simulation::new(scene).map_err(|e| e.to_string())?;
    let reports = simulation.solve_quietly(&link.cancel);
    for command in &order.released {
        simulation.apply(command).map_err(|e| e.to_string())?;
    }
    let path = order.path.as_ref();
    let path = path.map(|path| MotionPath::new(path, simulation.scene()));
    let path = path.transpose().map_err(|e| e.to_string())?;
    let mut player = Player::new(simulation, order.options, path).map_err(|e| e.to_string())?;
    let n_nodes: usize = (player.simulation().solvers().iter())
        .map(|s| s.state().positions.len())
        .sum();
    let most = MOST_NODES / n_nodes.max(1);
    link.lock().new.push(player.sample(&reports));
    link.ctx.request_repaint();
    let budget = (&link.cancel).into();
    for k in 1..=most {
        if !goes_on(link) {
            return Ok(());
        }
        let until = EVERY * k as f64;
        let started = Instant::now();
        let mut moved = player.step(until, &budget).map_err(|e| e.to_string())?;
        while player.time() < until && !link.cancel.is_cancelled() {
            moved = player.step(until, &budget).map_err(|e| e.to_string())?;
        }
        if link.cancel.is_cancelled() {
            return Ok(());
        }
        let needed = started.elapsed();
        tell(link, &player, player.sample(&moved.reports), needed);
        // No faster than the clock.
        let left = Duration::from_secs_f64(EVERY).saturating_sub(started.elapsed());
        let state = link.lock();
        if state.pace == Pace::Run && !left.is_zero() {
            // Woken earlier, it is asked for something else.
            drop(link.state.1.wait_timeout(state, left));
        }
    }
    Err(format!(
        "the recording is full: {:.0} s were recorded",
        player.time()
    ))
}

fn tell(link: &Link, player: &Player, sample: Sample, needed: Duration) {
    let scene = player.simulation().scene();
    let hits = player.hits().iter().map(|hit| {
        let cable = &scene.cables[hit.cable].name;
        format!("{cable} touches {} at {:.2} s", hit.to, hit.time)
    });
    let mut state = link.lock();
    state.new.push(sample);
    // Over some samples: single ones go up and down. Of the times, since one short time would outweigh many long ones.
    let needed = needed.as_secs_f64().max(1e-6);
    let before = state.standing.factor.map_or(needed, |f| EVERY / f);
    state.standing.factor = Some(EVERY / (before + 0.2 * (needed - before)));
    state.standing.steps = player.steps();
    state.standing.hits = hits.collect();
    if state.pace == Pace::Step {
        state.pace = Pace::Pause;
    }
    drop(state);
    link.ctx.request_repaint();
}
