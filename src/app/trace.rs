//! The window measured from inside: a script moves the mouse, and every redraw is timed.
//!
//! Events go in where those of the system do, so that a time from event to picture is that of a user.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use egui::{Event, Modifiers, PointerButton, Pos2, Vec2};

use super::LoomApp;
use super::engine;
use super::selection::HandleId;
use crate::scene::Scene;

/// Redraws of each motion.
const N_REDRAWS: usize = 120;
/// The first redraws of a motion are not counted: buffers are made then.
const WARM_UP: usize = 5;
/// How long the idle window is watched.
const IDLE: Duration = Duration::from_secs(5);
/// What is dragged before the memory is looked at for the first time: buffers and caches have their size by then.
const MEMORY_WARM_UP: Duration = Duration::from_secs(30);
/// The pause between two looks at the memory.
const MEMORY_PAUSE: Duration = Duration::from_secs(5);
/// How long parts and the first solve may take.
const PATIENCE: Duration = Duration::from_mins(3);

/// What was measured.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// CPU time of the whole program until the scene was drawn and solved, s.
    pub start_cpu_secs: f64,
    /// Of each redraw while the view turns: time to the next, and CPU time of all threads, ms.
    pub orbit: Vec<[f64; 2]>,
    /// The same while a handle is dragged.
    pub drag: Vec<[f64; 2]>,
    /// Of each motion of the handle: redraws until the cable was shown solved for it.
    pub redraws_to_solved: Vec<usize>,
    /// The same as time, ms.
    pub ms_to_solved: Vec<f64>,
    /// CPU time over time while nothing happens.
    pub idle_share: f64,
    /// Of a long drag after its warm-up: seconds since it began, and memory of the program, bytes.
    pub memory: Vec<(f64, u64)>,
    /// It came to its end.
    pub complete: bool,
}

/// Memory of this program that is in use now, bytes; where the system tells.
pub fn resident_bytes() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find(|l| l.starts_with("VmRSS:"))?;
        let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(1024 * kib)
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The value that a share of the numbers does not exceed.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let at = (share * last as f64).round() as usize;
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Loading,
    Orbit(usize),
    /// The picture settles, and the best one is drawn.
    Rest(Instant),
    Drag(usize),
    /// One drag after the other, since then.
    Endure(Instant, usize),
    /// Until all is solved.
    Settle(Instant),
    Idle(Instant),
    Done,
}

/// A window with a script that moves the mouse.
struct Traced {
    app: LoomApp,
    phase: Phase,
    started: Instant,
    last: Option<(Instant, Duration)>,
    idle_cpu: Duration,
    view: egui::Rect,
    grip: Pos2,
    n_redraws: usize,
    /// Requests that are not shown yet: number, redraw and time of the event.
    waiting: Vec<(u64, usize, Instant)>,
    asked: u64,
    /// How long to go on dragging.
    endure: Duration,
    measured: Arc<Mutex<Measured>>,
}

/// Opens the window on a scene, moves the mouse in it, and closes it again; drags for so long, to see what that does
/// to the memory.
pub fn measure(scene: Scene, endure: Duration) -> Result<Measured, super::AppError> {
    let measured = Arc::new(Mutex::new(Measured::default()));
    let theirs = measured.clone();
    super::show(move |cc| {
        let app = LoomApp::new(cc, scene, Vec::new(), engine::simulation_factory())?;
        Ok(Box::new(Traced {
            app,
            phase: Phase::Loading,
            started: Instant::now(),
            last: None,
            idle_cpu: Duration::ZERO,
            view: egui::Rect::NOTHING,
            grip: Pos2::ZERO,
            n_redraws: 0,
            waiting: Vec::new(),
            asked: 0,
            endure,
            measured: theirs,
        }))
    })?;
    let measured = measured.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(measured.clone())
}

/// CPU time of all threads so far.
fn cpu() -> Duration {
    ProcessTime::now().as_duration()
}

impl Traced {
    fn record(&self, write: impl FnOnce(&mut Measured)) {
        write(&mut self.measured.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Time since the last redraw.
    fn lap(&mut self) -> Option<[f64; 2]> {
        let now = (Instant::now(), cpu());
        let last = self.last.replace(now)?;
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        Some([ms(now.0 - last.0), ms(now.1.saturating_sub(last.1))])
    }

    /// The end handle of the first cable on the screen.
    fn handle(&self) -> Option<Pos2> {
        let document = self.app.document();
        let handle = document
            .scene()
            .cables
            .first()?
            .handles
            .len()
            .checked_sub(1)?;
        let id = HandleId { cable: 0, handle };
        let pose = self.app.view().shown_pose(document, id)?;
        let at = self.app.view().project(&pose.position)?;
        Some(self.view.min + Vec2::new(at.x as f32, at.y as f32))
    }

    fn push(&mut self, raw: &mut egui::RawInput, ctx: &egui::Context) {
        let button = |pos, button, pressed| Event::PointerButton {
            pos,
            button,
            pressed,
            modifiers: Modifiers::NONE,
        };
        let middle = self.view.center() + Vec2::new(10.0, 40.0);
        match self.phase {
            Phase::Orbit(0) => {
                raw.events.push(Event::PointerMoved(middle));
                raw.events.push(button(middle, PointerButton::Middle, true));
            }
            Phase::Orbit(k) if k < N_REDRAWS => {
                let to = middle + Vec2::new(2.0 * k as f32, 10.0 * (k as f32 * 0.1).sin());
                raw.events.push(Event::PointerMoved(to));
            }
            Phase::Orbit(_) => {
                // Back where it began, so that the drag is seen as before.
                raw.events.push(Event::PointerMoved(middle));
                raw.events
                    .push(button(middle, PointerButton::Middle, false));
            }
            Phase::Drag(k) | Phase::Endure(_, k) if k == 0 => {
                self.grip = self.handle().unwrap_or(middle);
                raw.events.push(Event::PointerMoved(self.grip));
                raw.events
                    .push(button(self.grip, PointerButton::Primary, true));
            }
            Phase::Drag(k) | Phase::Endure(_, k) if k < N_REDRAWS => {
                let (sin, cos) = (k as f32 * 0.1).sin_cos();
                let to = self.grip + Vec2::new(40.0 * (cos - 1.0), -30.0 * sin.abs());
                raw.events.push(Event::PointerMoved(to));
            }
            Phase::Drag(_) | Phase::Endure(..) => {
                // Back where it began, so that one drag is as good as the next.
                raw.events.push(Event::PointerMoved(self.grip));
                raw.events
                    .push(button(self.grip, PointerButton::Primary, false));
            }
            _ => {}
        }
        if !matches!(self.phase, Phase::Idle(_)) {
            ctx.request_repaint();
        }
    }

    fn advance(&mut self, ctx: &egui::Context) {
        self.n_redraws += 1;
        let lap = self.lap();
        let now = Instant::now();
        self.phase = match self.phase {
            Phase::Loading => {
                let ready = self.app.is_at_rest() && self.app.n_pending() == 0;
                if ready && self.n_redraws > 3 {
                    let secs = cpu().as_secs_f64();
                    self.record(|m| m.start_cpu_secs = secs);
                    Phase::Orbit(0)
                } else if self.started.elapsed() > PATIENCE {
                    Phase::Done
                } else {
                    Phase::Loading
                }
            }
            Phase::Orbit(k) => {
                if let Some(lap) = lap.filter(|_| k > WARM_UP && k < N_REDRAWS) {
                    self.record(|m| m.orbit.push(lap));
                }
                if k >= N_REDRAWS {
                    Phase::Rest(now)
                } else {
                    Phase::Orbit(k + 1)
                }
            }
            Phase::Rest(at) if at.elapsed() < Duration::from_secs(1) => self.phase,
            Phase::Rest(_) => Phase::Drag(0),
            Phase::Drag(k) => {
                if let Some(lap) = lap.filter(|_| k > WARM_UP && k < N_REDRAWS) {
                    self.record(|m| m.drag.push(lap));
                }
                self.follow(now);
                if k < N_REDRAWS {
                    Phase::Drag(k + 1)
                } else if self.endure.is_zero() {
                    Phase::Settle(now)
                } else {
                    self.waiting.clear();
                    Phase::Endure(now, 0)
                }
            }
            Phase::Endure(since, k) => {
                self.look_at_memory(since.elapsed());
                if k < N_REDRAWS {
                    Phase::Endure(since, k + 1)
                } else if since.elapsed() < self.endure {
                    Phase::Endure(since, 0)
                } else {
                    self.asked = self.app.tickets().0;
                    Phase::Settle(now)
                }
            }
            Phase::Settle(at) => {
                self.follow(now);
                let done = self.app.is_at_rest() && at.elapsed() > Duration::from_secs(2);
                if done || at.elapsed() > PATIENCE {
                    self.idle_cpu = cpu();
                    ctx.request_repaint_after(IDLE);
                    Phase::Idle(now)
                } else {
                    Phase::Settle(at)
                }
            }
            Phase::Idle(at) if at.elapsed() < IDLE => {
                ctx.request_repaint_after(IDLE.saturating_sub(at.elapsed()));
                self.phase
            }
            Phase::Idle(at) => {
                let share =
                    cpu().saturating_sub(self.idle_cpu).as_secs_f64() / at.elapsed().as_secs_f64();
                self.record(|m| {
                    m.idle_share = share;
                    m.complete = true;
                });
                Phase::Done
            }
            Phase::Done => Phase::Done,
        };
        if self.phase == Phase::Done {
            self.app.close(ctx);
        }
    }

    fn look_at_memory(&self, since: Duration) {
        self.record(|m| {
            let last = m.memory.last().map_or(0.0, |(secs, _)| *secs);
            let due = MEMORY_WARM_UP
                .as_secs_f64()
                .max(last + MEMORY_PAUSE.as_secs_f64());
            if since.as_secs_f64() >= due
                && let Some(bytes) = resident_bytes()
            {
                m.memory.push((since.as_secs_f64(), bytes));
            }
        });
    }

    /// Which motions of the handle are shown solved now.
    fn follow(&mut self, now: Instant) {
        let (asked, shown) = self.app.tickets();
        let redraw = self.n_redraws;
        let due = self
            .waiting
            .extract_if(.., |(ticket, _, _)| *ticket <= shown);
        for (_, since, at) in due.collect::<Vec<_>>() {
            self.record(|m| {
                m.redraws_to_solved.push(redraw - since);
                m.ms_to_solved.push((now - at).as_secs_f64() * 1e3);
            });
        }
        if asked > self.asked {
            self.asked = asked;
            self.waiting.push((asked, redraw, now));
        }
    }
}

impl eframe::App for Traced {
    fn raw_input_hook(&mut self, ctx: &egui::Context, raw: &mut egui::RawInput) {
        self.push(raw, ctx);
    }

    fn ui(&mut self, ui: &mut egui::Ui, frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.app.ui(ui, frame);
        self.view = self.app.view().rect();
        self.advance(&ctx);
    }
}
