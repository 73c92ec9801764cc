//! How far a long task is, and the way to stop it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Asks a running task to stop at its next chance; a solve keeps its last good state.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    asked: Arc<AtomicBool>,
    waiting: Arc<AtomicBool>,
}

impl CancelToken {
    /// Asks to stop at once.
    pub fn cancel(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Whether a stop at once was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// Says that the user waits for the task: it must not start over, but it must not take for ever either.
    pub fn wait_for(&self) {
        self.waiting.store(true, Ordering::Relaxed);
    }

    /// Whether the user waits for the task.
    pub fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::Relaxed)
    }
}

/// The task was asked to stop, and did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// Where a task stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// What it is doing, such as "welding"; empty before it begins.
    pub phase: &'static str,
    /// How much of the whole task is done, 0 to 1.
    pub fraction: f64,
}

/// The link between a task and who waits for it: the task tells how far it is, the other looks and may cancel.
///
/// Copies are the same link.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    cancel: CancelToken,
    standing: Arc<Mutex<Standing>>,
}

impl Progress {
    /// A link that is cancelled by `cancel`.
    pub fn new(cancel: CancelToken) -> Self {
        Self {
            cancel,
            standing: Arc::default(),
        }
    }

    /// Tells where the task stands; the answer says whether to go on. Call it every few thousand elements.
    pub fn at(&self, phase: &'static str, fraction: f64) -> Result<(), Cancelled> {
        *self.lock() = Standing { phase, fraction };
        if self.cancel.is_cancelled() {
            return Err(Cancelled);
        }
        Ok(())
    }

    /// What a solve inside the task looks at: cancelled with it.
    pub fn token(&self) -> &CancelToken {
        &self.cancel
    }

    /// Where the task stands.
    pub fn standing(&self) -> Standing {
        *self.lock()
    }

    /// Asks the task to stop.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stretch of a task: counts from 0 to 1 inside it.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'a> {
    progress: &'a Progress,
    phase: &'static str,
    start: f64,
    end: f64,
}

impl<'a> Stretch<'a> {
    /// The stretch of `progress` from `start` to `end`, as fractions of the whole.
    pub fn new(progress: &'a Progress, phase: &'static str, start: f64, end: f64) -> Self {
        Self {
            progress,
            phase,
            start,
            end,
        }
    }

    /// Tells how much of the stretch is done, 0 to 1; the answer says whether to go on.
    pub fn at(&self, done: f64) -> Result<(), Cancelled> {
        let fraction = self.start + (self.end - self.start) * done.clamp(0.0, 1.0);
        self.progress.at(self.phase, fraction)
    }

    /// What a solve inside the stretch looks at: cancelled with the task.
    pub fn token(&self) -> &CancelToken {
        self.progress.token()
    }

    /// As [`at`](Self::at) for element `i` of `n`, but only looks every 16384 elements.
    pub fn at_element(&self, i: usize, n: usize) -> Result<(), Cancelled> {
        if !i.is_multiple_of(1 << 14) {
            return Ok(());
        }
        self.at(i as f64 / n.max(1) as f64)
    }

    /// A part of this stretch, under another name.
    #[must_use]
    pub fn part(&self, phase: &'static str, from: f64, to: f64) -> Self {
        let width = self.end - self.start;
        Self {
            progress: self.progress,
            phase,
            start: self.start + width * from,
            end: self.start + width * to,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_sees_and_stops_the_task() {
        let progress = Progress::default();
        let other = progress.clone();
        let stretch = Stretch::new(&progress, "reading", 0.5, 1.0).part("welding", 0.0, 0.5);
        assert_eq!(stretch.at(0.5), Ok(()));
        let expected = Standing {
            phase: "welding",
            fraction: 0.625,
        };
        assert_eq!(other.standing(), expected);
        other.cancel();
        assert_eq!(stretch.at_element(1, 10), Ok(()));
        assert_eq!(stretch.at_element(0, 10), Err(Cancelled));
    }
}
