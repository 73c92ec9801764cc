//! Tracking of a tube from a first section to both sides.

use std::collections::{HashMap, HashSet};

use super::ends::cap_ahead;
use super::recenter::is_threaded;
use super::section::{Section, cut_triangles, follow};
use super::shell::Shell;
use super::slab::ribbed;
use crate::geom::Vec3;
use crate::parallel;

/// Step along the tube, in radii.
const STEP: f64 = 0.5;
/// Least step, in radii: so near is the end of a tube found.
const LEAST_STEP: f64 = 0.02;
/// A cap reaches no more than so many radii ahead of the last section,
const BEYOND: f64 = 1.2;
/// and no more than so many extents away from the axis.
const OUTWARDS: f64 = 1.3;
/// A section this part of the one half a diameter before is the tip of a rounded end.
const TIP: f64 = 0.25;
/// A march that has swept so many times the shell's surface goes round in a body.
const MOST_SWEPT: f64 = 1.2;
/// A tube that has narrowed to this part of its first section is none any more.
const LEAST_WIDTH: f64 = 0.03;
/// A section that covers this part of its circle is in no junction.
const WHOLE: f64 = 0.95;
/// A tube that goes through a junction turns by no more than this over one radius.
const TURN_IN_JUNCTION: f64 = 0.6;
/// Nearer to another track than this part of the radius: the same tube.
const SAME_TUBE: f64 = 0.4;

/// Why a track stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// The tube ends: nothing goes on behind.
    Cap,
    /// The surface goes on, but not as this tube.
    Blocked,
    /// It runs into the track of that number.
    Merged(usize),
}

/// A tube followed from end to end.
#[derive(Clone, Debug)]
pub struct Track {
    pub sections: Vec<Section>,
    /// Neighbouring sections are no farther apart than this.
    spacing: f64,
    pub stops: [Stop; 2],
    pub is_closed: bool,
}

impl Track {
    pub fn length(&self) -> f64 {
        self.sections
            .windows(2)
            .map(|w| (w[1].center - w[0].center).norm())
            .sum()
    }

    /// Whether most sections are circles.
    pub fn is_round(&self) -> bool {
        2 * self.sections.iter().filter(|s| s.is_round).count() > self.sections.len()
    }

    /// Whether it has ribs, so that single sections tell little.
    pub fn is_corrugated(&self) -> bool {
        let n = self.sections.len();
        if n < 8 {
            return false;
        }
        4 * self.sections.iter().filter(|s| s.is_ribbed).count() > n
    }

    /// Half its width: the radius, or for a flat section the extent.
    pub fn width(&self) -> f64 {
        if self.is_round() {
            self.radius()
        } else {
            median(self.sections.iter().map(|s| s.extent))
        }
    }

    /// The radius in the middle of all radii.
    pub fn radius(&self) -> f64 {
        median(self.sections.iter().map(|s| s.radius))
    }
}

/// The middle value; 0 of nothing.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Follows the tube of `seed` both ways, until it ends, stops being a tube or meets one of `others`.
///
/// Ribs that go round like a thread tilt every single cut, and lead it astray: such a tube is followed by thick slices.
pub fn track(shell: &Shell, seed: &Section, others: &[Track]) -> Track {
    let thin = track_by(shell, seed, others, false);
    if !is_threaded(&thin) {
        return thin;
    }
    let thick = track_by(shell, seed, others, true);
    if thick.length() > thin.length() {
        thick
    } else {
        thin
    }
}

fn track_by(shell: &Shell, seed: &Section, others: &[Track], is_thick: bool) -> Track {
    let slab = (seed.is_round && (is_thick || seed.axis.is_none()))
        .then(|| ribbed(shell, seed))
        .flatten();
    let seed = slab.as_ref().unwrap_or(seed);
    let direction = seed
        .axis
        .map_or(seed.direction, |a| same_side(a, &seed.direction));
    let seed = Section { direction, ..*seed };
    let reversed = Section {
        direction: -direction,
        ..seed
    };
    let forward = || march(shell, &seed, others, is_thick);
    let backward = || march(shell, &reversed, others, is_thick);
    let (forward, backward) = if shell.is_large() {
        parallel::both(forward, backward)
    } else {
        (forward(), backward())
    };
    if forward.came_round {
        let mut sections = vec![seed];
        sections.extend(forward.sections);
        return Track {
            spacing: widest_step(&sections),
            sections,
            stops: [Stop::Cap; 2],
            is_closed: true,
        };
    }
    let turned = |s: &Section| Section {
        direction: -s.direction,
        ..*s
    };
    let mut sections: Vec<Section> = backward.sections.iter().rev().map(turned).collect();
    sections.push(seed);
    sections.extend(forward.sections);
    Track {
        spacing: widest_step(&sections),
        sections,
        stops: [backward.stop, forward.stop],
        is_closed: false,
    }
}

struct March {
    sections: Vec<Section>,
    stop: Stop,
    came_round: bool,
}

fn march(shell: &Shell, seed: &Section, others: &[Track], is_thick: bool) -> March {
    let mut sections: Vec<Section> = Vec::new();
    let mut last = *seed;
    let mut walked = 0.0;
    let mut swept = 0.0;
    let mut trail = Trail::new(seed);
    let stop = loop {
        let mut step = STEP * last.radius;
        let mut found = None;
        while found.is_none() && step > LEAST_STEP * last.radius {
            found = next_section(shell, &last, step, is_thick);
            step *= 0.5;
        }
        let Some(mut section) = found else {
            break if ends_here(shell, &last) || is_capped(shell, &last) {
                Stop::Cap
            } else {
                Stop::Blocked
            };
        };
        section.direction = heading(&section, seed, &sections, &last);
        if let Some(other) = runs_into(&section, others) {
            sections.push(section);
            break Stop::Merged(other);
        }
        let advance = (section.center - last.center).norm();
        walked += advance;
        swept += advance * section.perimeter;
        let home = section.center - seed.center;
        if walked > 6.0 * seed.extent
            && home.norm() < 1.2 * STEP * seed.radius
            && section.direction.dot(&seed.direction) > 0.5
        {
            // The last section stands short of the first, or there is none to be added.
            if home.dot(&seed.direction) < -0.25 * STEP * seed.radius {
                sections.push(section);
            }
            return March {
                sections,
                stop: Stop::Cap,
                came_round: true,
            };
        }
        if trail.comes_back(&section, walked) {
            break Stop::Blocked;
        }
        sections.push(section);
        if section.radius < TIP * seed.radius && is_tip(&sections) {
            break Stop::Cap;
        }
        // Every march ends: each step sweeps surface, of which there is only so much.
        if swept > MOST_SWEPT * shell.area || section.radius < LEAST_WIDTH * seed.radius {
            break Stop::Blocked;
        }
        last = section;
    };
    March {
        sections,
        stop,
        came_round: false,
    }
}

/// The way of a march, to tell when it comes back to where it was.
struct Trail {
    /// Centers by cell, with how far the march had come.
    cells: HashMap<[i64; 3], Vec<(Vec3, Vec3, f64)>>,
    cell: f64,
}

impl Trail {
    fn new(seed: &Section) -> Self {
        Self {
            cells: HashMap::new(),
            cell: seed.radius,
        }
    }

    /// Whether the section stands where the march was long before, along the same line; else it is remembered.
    fn comes_back(&mut self, section: &Section, walked: f64) -> bool {
        let cell = section.center.map(|x| (x / self.cell).floor() as i64);
        let reach = SAME_TUBE * section.radius;
        let is_again = |(center, direction, at): &(Vec3, Vec3, f64)| {
            walked - at > 6.0 * section.extent
                && (center - section.center).norm() < reach
                && direction.dot(&section.direction).abs() > 0.7
        };
        for x in -1..=1 {
            for y in -1..=1 {
                for z in -1..=1 {
                    let near = self.cells.get(&[cell.x + x, cell.y + y, cell.z + z]);
                    if near.is_some_and(|places| places.iter().any(is_again)) {
                        return true;
                    }
                }
            }
        }
        let place = (section.center, section.direction, walked);
        self.cells
            .entry([cell.x, cell.y, cell.z])
            .or_default()
            .push(place);
        false
    }
}

/// The section one step on, cut across the tube there.
fn next_section(shell: &Shell, last: &Section, step: f64, is_thick: bool) -> Option<Section> {
    let guess = last.center + last.direction * step;
    let mut section = follow(shell, guess, last.direction, last)?;
    for _ in 0..if is_thick { 0 } else { 2 } {
        let Some(axis) = section.axis else { break };
        let axis = same_side(axis, &last.direction);
        let cosine = axis.dot(&section.direction);
        if !(0.8..0.999).contains(&cosine) {
            break;
        }
        match follow(shell, section.center, axis, last) {
            Some(better) if better.coverage >= 0.9 * section.coverage => section = better,
            _ => break,
        }
    }
    if section.is_round && (is_thick || section.axis.is_none()) {
        section = ribbed(shell, &section).unwrap_or(section);
    }
    let ahead = (section.center - last.center).dot(&last.direction);
    (ahead > 0.2 * step && !is_aside(&section, last)).then_some(section)
}

/// Whether a tube that is in a junction turns as no bend does: it has gone over into the other one.
fn is_aside(section: &Section, last: &Section) -> bool {
    let is_whole = section.coverage.min(last.coverage) >= WHOLE;
    let Some(axis) = section.axis.filter(|_| !is_whole && section.is_round) else {
        return false;
    };
    let turn = same_side(axis, &last.direction).angle(&last.direction);
    let advance = (section.center - last.center).norm() / last.radius;
    turn > TURN_IN_JUNCTION * advance + 0.1
}

/// Which way to go on: across the normals where they tell, else the way of the last centers.
fn heading(section: &Section, seed: &Section, before: &[Section], last: &Section) -> Vec3 {
    if let Some(axis) = section.axis {
        let axis = same_side(axis, &last.direction);
        if axis.dot(&last.direction) > 0.7 {
            return axis;
        }
    }
    let back = before
        .iter()
        .rev()
        .find(|s| (s.center - section.center).norm() > section.radius)
        .map_or(seed.center, |s| s.center);
    let chord = section.center - back;
    if chord.norm() < 0.5 * section.radius {
        return last.direction;
    }
    chord.try_normalize(0.0).unwrap_or(last.direction)
}

fn same_side(axis: Vec3, direction: &Vec3) -> Vec3 {
    if axis.dot(direction) < 0.0 {
        -axis
    } else {
        axis
    }
}

/// Whether the surface ahead of the last section is only a cap or a rim: nothing of it leads outwards or far on.
fn ends_here(shell: &Shell, last: &Section) -> bool {
    let place = |v: u32| {
        let d = shell.vertices[v as usize] - last.center;
        let ahead = d.dot(&last.direction);
        (ahead, (d - last.direction * ahead).norm())
    };
    let mut stack: Vec<u32> = Vec::new();
    let mut seen: HashSet<u32> = HashSet::new();
    for t in cut_triangles(shell, last) {
        stack.extend(shell.triangles[t as usize]);
    }
    while let Some(v) = stack.pop() {
        let (ahead, off) = place(v);
        if ahead <= 0.0 || !seen.insert(v) {
            continue;
        }
        if off > OUTWARDS * last.extent || ahead > BEYOND * last.radius {
            return false;
        }
        for &t in shell.fans.of(v as usize) {
            stack.extend(shell.triangles[t as usize]);
        }
    }
    true
}

/// Whether a cap stands right ahead that is no wider than the tube: the end of a tube that touches another.
fn is_capped(shell: &Shell, last: &Section) -> bool {
    let Some((ahead, t)) = cap_ahead(shell, &last.center, &last.direction, last.radius) else {
        return false;
    };
    let fits = |p: &Vec3| {
        let d = p - last.center;
        (d - last.direction * d.dot(&last.direction)).norm() < OUTWARDS * last.extent
    };
    ahead.abs() < 0.2 * last.radius && shell.corners(t).iter().all(fits)
}

/// Whether the tube has narrowed to a point within its last diameter.
fn is_tip(sections: &[Section]) -> bool {
    let Some(last) = sections.last() else {
        return false;
    };
    sections
        .iter()
        .rev()
        .any(|s| last.radius < TIP * s.radius && (s.center - last.center).norm() < 2.0 * s.radius)
}

/// The largest distance between neighbours.
fn widest_step(sections: &[Section]) -> f64 {
    let steps = sections.windows(2);
    steps
        .map(|w| (w[1].center - w[0].center).norm())
        .fold(0.0, f64::max)
}

fn runs_into(section: &Section, others: &[Track]) -> Option<usize> {
    others.iter().position(|other| {
        let mut i = 0;
        while let Some(s) = other.sections.get(i) {
            let apart = (s.center - section.center).norm();
            if apart < SAME_TUBE * s.radius.min(section.radius) {
                return true;
            }
            // Those that follow are no nearer than their steps allow: most of a long way off need no look.
            let clear = apart - SAME_TUBE * section.radius;
            let steps = (clear / other.spacing.max(f64::MIN_POSITIVE)) as usize;
            i = i.saturating_add(steps.max(1));
        }
        false
    })
}
