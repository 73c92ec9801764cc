//! How long the next chunk of the handles' way is, and along what it slides.
//!
//! A chunk that finds a rest over its whole way is followed by one twice as long; one that collisions cut, or that finds
//! no rest, by a shorter one. One that ends too taut says where the length ends: a cable becomes taut ever faster, so the
//! chord from where it is to there leads to a place that is not too taut. Where little is gained many times in a row the
//! handle counts as stopped, or slides along the face that it has met.

use super::run::{Cut, Run};
use super::settings as set;
use crate::geom::Vec3;

/// Sizes are over that of a whole chunk ([`CHUNK`](set::CHUNK)).
#[derive(Debug)]
pub(super) struct StepControl {
    /// Of the next chunk.
    pub size: f64,
    /// Near the end of the cable's length chunks only get smaller.
    largest: f64,
    /// Where a chunk was too taut.
    ceiling: Option<Ceiling>,
    /// Whether material may run in: what is too taut at first becomes slack again then.
    runs_in: bool,
    /// Below it nothing is tried.
    smallest: Option<f64>,
    /// Chunks below it are no progress, and how many there were in a row.
    creep: f64,
    creeping: usize,
}

/// A place on the way that is too taut.
#[derive(Clone, Copy, Debug)]
struct Ceiling {
    /// How far it is from here.
    way: f64,
    /// How taut it is there.
    tautness: f64,
    /// Failures in a row.
    failures: usize,
}

impl Ceiling {
    /// The size of a chunk that is hoped to end just before it would be too taut.
    fn chunk(&self, tautness: f64) -> f64 {
        let chord = (set::AT_REACH - tautness) / (self.tautness - tautness);
        let chord = chord.clamp(0.0, 0.5);
        // What is slack becomes taut somewhere on the way.
        let part = if tautness < set::SLACK {
            chord.max(0.25)
        } else if self.failures > 1 {
            chord.min(0.25)
        } else {
            chord
        };
        part * self.way
    }
}

impl StepControl {
    pub fn new(creep: f64, runs_in: bool) -> Self {
        Self {
            size: 1.0,
            largest: 1.0,
            ceiling: None,
            runs_in,
            smallest: None,
            creep,
            creeping: 0,
        }
    }

    /// Notes the size of the first chunk, by which the smallest is measured.
    pub fn begin(&mut self, used: f64) {
        self.smallest.get_or_insert(set::SMALLEST_CHUNK * used);
    }

    /// After a chunk that found no rest, or one too taut: from how taut it was to how taut that is.
    pub fn shorten(&mut self, used: f64, from: f64, tautness: Option<f64>) {
        match tautness {
            Some(tautness) if !self.runs_in => {
                let failures = self.ceiling.map_or(0, |c| c.failures) + 1;
                let ceiling = Ceiling {
                    way: used,
                    tautness,
                    failures,
                };
                self.size = ceiling.chunk(from);
                self.ceiling = Some(ceiling);
            }
            _ => {
                self.size = 0.25 * used;
                if tautness.is_some() {
                    self.largest = self.size;
                }
            }
        }
    }

    /// Whether the way on is known to be too taut, and what is left before it not worth a chunk.
    pub fn is_at_reach(&self, tautness: f64) -> bool {
        self.ceiling.is_some() && tautness > set::NEARLY
    }

    pub fn is_exhausted(&self) -> bool {
        self.size < self.smallest()
    }

    /// Counts a chunk of which that much was made; whether all that was made in a row is next to nothing.
    pub fn creeps(&mut self, made: f64) -> bool {
        self.creeping = if made < self.creep.max(2.0 * self.smallest()) {
            self.creeping + 1
        } else {
            0
        };
        self.creeping >= set::CREEPS
    }

    /// Begins again with whole chunks.
    pub fn restart(&mut self) {
        self.turn();
        self.creeping = 0;
    }

    /// Goes on with a whole chunk in another direction.
    pub fn turn(&mut self) {
        self.size = 1.0;
        self.ceiling = None;
    }

    /// After a chunk that found a rest: one that collisions cut short was too long for a straight prediction.
    pub fn adapt(&mut self, made: f64, used: f64, tautness: f64) {
        if tautness < set::SLACK {
            self.largest = 1.0;
        }
        if let Some(ceiling) = &mut self.ceiling {
            ceiling.way -= made * used;
            ceiling.failures = 0;
        }
        self.ceiling = self.ceiling.filter(|c| c.way > 0.0);
        if made > 0.9
            && let Some(ceiling) = self.ceiling
        {
            self.size = ceiling.chunk(tautness).min(self.largest);
        } else if made > 0.9 {
            self.size = (2.0 * self.size).min(self.largest);
        } else if made < 0.3 {
            self.size = (2.0 * made).clamp(set::STUCK, 0.25) * used;
        }
    }

    fn smallest(&self) -> f64 {
        self.smallest.unwrap_or(0.0)
    }
}

/// A face that a handle slides along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Unit vector from the obstacle to the handle.
    pub normal: Vec3,
    pub of: Option<Cut>,
}

/// What the handles have met, and how they slide along it.
#[derive(Debug)]
pub(super) struct Slide {
    /// The face that they slide along now.
    pub face: Option<Face>,
    /// What cut the way last, and the normal where a handle itself was met.
    pub cut_by: Option<Cut>,
    met: Option<Vec3>,
    /// Slides in a row that came no nearer, and how much was left at the last.
    idle: usize,
    left: f64,
}

impl Slide {
    pub fn new() -> Self {
        Self {
            face: None,
            cut_by: None,
            met: None,
            idle: 0,
            left: f64::INFINITY,
        }
    }

    /// Notes what a chunk has met.
    pub fn note(&mut self, run: &Run) {
        self.cut_by = run.cut_by.or(self.cut_by);
        self.met = run.cut_at_handle.or(self.met);
    }

    /// The face that a handle met last, unless it slides already.
    pub fn last_face(&self) -> Option<Face> {
        let normal = self.met.filter(|_| self.face.is_none())?;
        Some(Face {
            normal,
            of: self.cut_by,
        })
    }

    /// Whether slides still come nearer, with that much of the way left: round a bulge they do ever less.
    pub fn comes_nearer(&mut self, left: f64) -> bool {
        self.idle = if left > set::NEARER * self.left {
            self.idle + 1
        } else {
            0
        };
        self.left = left;
        self.idle < set::SLIDES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_that_is_made_doubles_the_next_and_a_failed_one_quarters_it() {
        let mut control = StepControl::new(0.0, false);
        control.begin(1.0);
        control.shorten(1.0, 0.0, None);
        assert_eq!(control.size, 0.25);
        control.adapt(1.0, 0.25, 0.0);
        assert_eq!(control.size, 0.5);
    }

    #[test]
    fn next_to_taut_it_does_not_grow_again_where_material_runs_in() {
        let mut control = StepControl::new(0.0, true);
        control.begin(1.0);
        control.shorten(1.0, 0.9, Some(1.1));
        control.adapt(1.0, 0.25, 0.9);
        assert_eq!(control.size, 0.25);
        control.adapt(1.0, 0.25, 0.1);
        assert_eq!(control.size, 0.5);
    }

    #[test]
    fn the_end_of_the_length_is_found_along_chords() {
        // Slack for three quarters of the way, then taut ever faster.
        let tautness = |at: f64| (40.0 * (at - 0.75).max(0.0)).powf(1.2);
        let mut control = StepControl::new(0.0, false);
        let (mut at, mut tries) = (0.0, 0);
        while !control.is_at_reach(tautness(at)) {
            let used = control.size.min(1.0 - at);
            control.begin(used);
            tries += 1;
            assert!(tries < 12, "at {at}");
            let there = tautness(at + used);
            if there > 1.0 {
                control.shorten(used, tautness(at), Some(there));
                assert!(!control.is_exhausted());
            } else {
                at += used;
                control.adapt(1.0, used, there);
            }
        }
        assert!(tautness(at) > set::NEARLY && tautness(at) <= 1.0);
    }

    #[test]
    fn a_ceiling_that_is_passed_is_forgotten() {
        let mut control = StepControl::new(0.0, false);
        control.begin(1.0);
        control.shorten(1.0, 0.9, Some(3.0));
        control.adapt(1.0, 1.5, 0.3);
        assert!(!control.is_at_reach(1.0));
        control.adapt(1.0, 1.0, 0.3);
        assert!(control.size > 0.05, "it grows again: {}", control.size);
    }

    #[test]
    fn it_gives_up_on_a_way_that_only_creeps() {
        let mut control = StepControl::new(0.01, false);
        control.begin(1.0);
        for _ in 1..set::CREEPS {
            assert!(!control.creeps(0.005));
        }
        assert!(control.creeps(0.005));
        let mut slide = Slide::new();
        assert!(slide.comes_nearer(1.0));
        assert!(
            (0..set::SLIDES)
                .map(|_| slide.comes_nearer(1.0))
                .any(|nearer| !nearer)
        );
    }
}
