//! A first line through the sections of a track.

use super::line::{Knot, Line};
use super::section::{Section, follow};
use super::shell::Shell;
use super::track::{Track, median};
use crate::geom::{Mat3, Vec3};

/// Sections on either side through which a parabola is laid: two radii.
const BESIDE: usize = 4;
/// A tube whose centers stand typically farther from that parabola than this part of the radius has ribs that go round
/// it like a thread: each cut of it is shifted to one side.
const WOBBLE: f64 = 0.03;

/// Whether single sections of the tube tell little, because it has ribs.
pub fn is_ribbed(track: &Track) -> bool {
    track.is_round() && (track.is_corrugated() || is_threaded(track))
}

/// Whether its ribs go round it like a thread.
pub fn is_threaded(track: &Track) -> bool {
    track.is_round() && track.sections.len() > 2 * BESIDE && wobble(track) > WOBBLE
}

/// How far the centers typically are from the smooth line through their neighbours, in radii.
fn wobble(track: &Track) -> f64 {
    let sections = &track.sections;
    median((0..sections.len()).map(|i| parabola(sections, i).0.norm() / sections[i].radius))
}

/// The track's centers, cut again across the line through their neighbours.
pub fn recentered(shell: &Shell, track: &Track) -> Line {
    if is_ribbed(track) {
        return Line::new(smoothed(track), track.is_closed);
    }
    let sections = &track.sections;
    let n = sections.len();
    let tangent = |i: usize| {
        let (before, after) = if track.is_closed {
            ((i + n - 1) % n, (i + 1) % n)
        } else {
            (i.saturating_sub(1), (i + 1).min(n - 1))
        };
        (sections[after].center - sections[before].center)
            .try_normalize(1e-9)
            .unwrap_or(sections[i].direction)
    };
    let mut knots: Vec<Knot> = Vec::with_capacity(n + 1);
    for (i, s) in sections.iter().enumerate() {
        let is_end = !track.is_closed && (i == 0 || i + 1 == n);
        let tangent = if is_end { s.direction } else { tangent(i) };
        let again = (!is_end && tangent.dot(&s.direction) < 0.9998)
            .then(|| follow(shell, s.center, tangent, s))
            .flatten()
            .filter(|again| again.coverage >= 0.9 * s.coverage);
        let Section {
            center,
            radius,
            coverage,
            ..
        } = again.unwrap_or(*s);
        knots.push(Knot {
            position: center,
            tangent,
            radii: [radius; 2],
            confidence: coverage,
        });
    }
    if track.is_closed {
        knots.push(knots[0]);
    }
    Line::new(knots, track.is_closed)
}

/// The centers of a tube with ribs, each replaced by the value of a parabola through its neighbours.
fn smoothed(track: &Track) -> Vec<Knot> {
    let sections = &track.sections;
    let n = sections.len();
    let mut knots: Vec<Knot> = (0..n)
        .map(|i| {
            let near = i.saturating_sub(BESIDE)..(i + BESIDE + 1).min(n);
            let s = &sections[i];
            let (shift, slope) = parabola(sections, i);
            let radius = median(sections[near].iter().map(|s| s.radius));
            Knot {
                position: s.center + shift,
                tangent: slope.try_normalize(1e-12).unwrap_or(s.direction),
                radii: [radius; 2],
                confidence: s.coverage,
            }
        })
        .collect();
    if track.is_closed {
        knots.push(knots[0]);
    }
    knots
}

/// From the center of a section to the parabola through its neighbours, and the direction of that there.
fn parabola(sections: &[Section], i: usize) -> (Vec3, Vec3) {
    let s = &sections[i];
    let mut normal = Mat3::zeros();
    let mut right = Mat3::zeros();
    for other in &sections[i.saturating_sub(BESIDE)..(i + BESIDE + 1).min(sections.len())] {
        let d = other.center - s.center;
        let along = d.dot(&s.direction) / s.radius;
        let row = Vec3::new(1.0, along, along * along);
        normal += row * row.transpose();
        right += row * d.transpose();
    }
    let solved = normal.lu().solve(&right);
    solved.map_or((Vec3::zeros(), s.direction), |x| {
        (x.row(0).transpose(), x.row(1).transpose())
    })
}
