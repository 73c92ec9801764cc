//! Recorded states of the scene, shown in the view instead of the document: forward, back, and wherever the slider is.

use crate::scene::Scene;
use crate::scene::study::Sample;

/// Seconds that a whole path takes to be played.
const PATH_SECONDS: f64 = 6.0;

/// What was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The path of the assembly study.
    Study,
    /// The motion over time.
    Motion,
}

/// States of a scene one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Cables that it is of, by name, and how many parts the scene had.
    cables: Vec<String>,
    n_parts: usize,
    /// The states.
    pub samples: Vec<Sample>,
}

impl Recording {
    /// An empty one of a scene.
    pub fn of(scene: &Scene, samples: Vec<Sample>) -> Self {
        Self {
            cables: scene.cables.iter().map(|c| c.name.clone()).collect(),
            n_parts: scene.parts.len(),
            samples,
        }
    }

    /// Whether a scene has still the cables and parts that were recorded.
    pub fn fits(&self, scene: &Scene) -> bool {
        let names = scene.cables.iter().map(|c| &c.name);
        names.eq(&self.cables) && scene.parts.len() == self.n_parts
    }

    /// Names of its cables.
    pub fn cables(&self) -> &[String] {
        &self.cables
    }
}

/// What is to be done with what is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlaybackOrder {
    /// Shows the sample of that number, and stays there.
    GoTo(Source, usize),
    /// Goes on, or begins again at the end.
    Forward(Source),
    /// Goes back, or begins again from the end.
    Back(Source),
    /// Stays where it is.
    Pause,
    /// One sample on, or back.
    Step(isize),
    /// So many times as fast.
    Speed(f64),
    /// Gives the document back.
    Close,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Going {
    Still,
    Forward,
    Back,
}

/// Where a playback is.
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// What is shown.
    pub source: Source,
    /// Number of the sample that is shown.
    pub at: usize,
    /// How many times as fast as it was recorded.
    pub speed: f64,
    going: Going,
    /// Seconds from the first sample.
    clock: f64,
}

impl Playback {
    /// One that stands at its first sample.
    pub fn new(source: Source) -> Self {
        Self {
            source,
            at: 0,
            speed: 1.0,
            going: Going::Still,
            clock: 0.0,
        }
    }

    /// When a sample is shown, seconds from the first: a path has no time of its own.
    fn seconds(&self, samples: &[Sample], k: usize) -> f64 {
        match self.source {
            Source::Study => PATH_SECONDS * k as f64 / (samples.len().max(2) - 1) as f64,
            Source::Motion => samples[k].at,
        }
    }

    /// Goes to a sample and stays there.
    pub fn go_to(&mut self, samples: &[Sample], k: usize) {
        self.going = Going::Still;
        self.show(samples, k);
    }

    fn show(&mut self, samples: &[Sample], k: usize) {
        self.at = k.min(samples.len().saturating_sub(1));
        self.clock = self.seconds(samples, self.at);
    }

    /// Begins to go, from the other end where it has come to one.
    pub fn start(&mut self, samples: &[Sample], forward: bool) {
        let last = samples.len().saturating_sub(1);
        match forward {
            true if self.at == last => self.show(samples, 0),
            false if self.at == 0 => self.show(samples, last),
            _ => {}
        }
        self.going = if forward { Going::Forward } else { Going::Back };
    }

    /// Stays where it is.
    pub fn pause(&mut self) {
        self.going = Going::Still;
    }

    /// Whether it goes on by itself.
    pub fn is_going(&self) -> bool {
        self.going != Going::Still
    }

    /// So many seconds have gone by: goes on, and stops at the end.
    pub fn advance(&mut self, samples: &[Sample], seconds: f64) {
        if samples.is_empty() || self.going == Going::Still {
            return;
        }
        let last = samples.len() - 1;
        let end = self.seconds(samples, last);
        let way = self.speed * seconds;
        self.clock = match self.going {
            Going::Back => self.clock - way,
            _ => self.clock + way,
        };
        let reached = (0..=last)
            .rev()
            .find(|k| self.seconds(samples, *k) <= self.clock);
        self.at = reached.unwrap_or(0);
        if self.clock <= 0.0 || self.clock >= end {
            self.clock = self.clock.clamp(0.0, end);
            self.going = Going::Still;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Sample> {
        let sample = |at: f64| Sample {
            at,
            pose: String::new(),
            cables: Vec::new(),
            parts: Vec::new(),
        };
        [0.0, 0.1, 0.4, 1.0].map(sample).to_vec()
    }

    #[test]
    fn time_goes_as_it_was_recorded_and_stops_at_both_ends() {
        let samples = samples();
        let mut playback = Playback::new(Source::Motion);
        playback.start(&samples, true);
        playback.advance(&samples, 0.3);
        assert_eq!((playback.at, playback.is_going()), (1, true));
        playback.speed = 2.0;
        playback.advance(&samples, 0.1);
        assert_eq!(playback.at, 2);
        playback.advance(&samples, 5.0);
        assert_eq!((playback.at, playback.is_going()), (3, false));
        playback.start(&samples, false);
        playback.advance(&samples, 0.4);
        assert_eq!((playback.at, playback.is_going()), (1, true));
        playback.advance(&samples, 0.4);
        assert_eq!((playback.at, playback.is_going()), (0, false));
        // From the beginning back is from the end.
        playback.start(&samples, false);
        assert_eq!(playback.at, 3);
    }

    #[test]
    fn a_path_is_played_evenly_whatever_its_shares_are() {
        let samples = samples();
        let mut playback = Playback::new(Source::Study);
        playback.start(&samples, true);
        playback.advance(&samples, 0.5 * PATH_SECONDS);
        assert_eq!(playback.at, 1);
        playback.advance(&samples, 0.2 * PATH_SECONDS);
        assert_eq!(playback.at, 2);
        playback.go_to(&samples, 9);
        assert_eq!((playback.at, playback.is_going()), (3, false));
    }
}
