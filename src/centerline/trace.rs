//! All tubes of one shell.

use std::sync::atomic::Ordering;

use super::ends;
use super::graph::NotATube;
use super::line::{Knot, Line};
use super::recenter::is_threaded;
use super::refine::refine;
use super::seed::{outer_wall, seed};
use super::shell::Shell;
use super::track::{Stop, Track, track};
use crate::geom::Vec3;
use crate::parallel;

/// A tube with two free ends is at least so many radii long.
const LEAST_SLENDERNESS: f64 = 4.0;
/// One that meets others, outside of the junction.
const LEAST_STUB: f64 = 2.0;
/// A lone tube that is not round, and whose ends are both in a body, is at least so many half widths long.
const LEAST_FLAT: f64 = 16.0;
/// A ring is at least so many times wider than its section.
const LEAST_RING: f64 = 6.0;
/// A tube shorter than so many radii is the limb of a body, not a cable,
const STEADY_IF_SHORT: f64 = 30.0;
/// when this part of its sections
const UNSTEADY: f64 = 0.3;
/// differ by more than this part from the one a radius before.
const CHANGE: f64 = 0.06;
/// Sections to each side over which their radii are evened out for that; two are a radius long.
const EVENED: usize = 2;
/// A shell of whose area tubes explain less than this is something else when they are short, or none of them is round,
const EXPLAINED_BY_STUBS: f64 = 0.6;
/// that is, when they are on average no longer than so many radii.
const STUBS: f64 = 8.0;
/// Surface that lies round no tube is told at places so many radii apart.
const CLUSTER: f64 = 2.2;
/// So is a section that is more than this many extents off the line that was made of it.
const NOT_COVERED: f64 = 0.6;
/// Places at most.
const MOST_CLUSTERS: usize = 100;
/// Vertices within so many extents of a line are explained by it.
const EXPLAINED: f64 = 1.25;
/// A line explains what is so many radii beyond its ends.
const OVERRUN: f64 = 0.3;
/// A shell of whose area tubes explain less than this is something else.
const LEAST_EXPLAINED: f64 = 0.2;
/// A junction reaches so many radii beyond a blocked end.
const JUNCTION: f64 = 3.5;
/// Seeds in a row that lead to nothing, before the rest is given up.
const MAX_FAILURES: usize = 120;
/// Triangles that seeds in vain may cut in all, and so many more for each triangle of the shell.
const WASTED: usize = 600_000;
const WASTED_PER_TRIANGLE: usize = 100;
/// Vertices or triangles for which a thread is worth its while.
const PER_THREAD: usize = 2000;
/// Sections at a blocked end that show less of their circle are left to the junction.
const CLEAR_COVERAGE: f64 = 0.75;

/// A tube of a shell.
pub struct Traced {
    pub line: Line,
    pub stops: [Stop; 2],
    /// Half its width: the radius, or for a flat section the extent.
    pub width: f64,
    /// Whether most of its sections are circles.
    pub is_round: bool,
}

/// What was found in a shell.
pub struct Trace {
    pub tubes: Vec<Traced>,
    /// Why there is none.
    pub reason: Option<NotATube>,
    /// Part of the area that lies round no tube.
    pub unexplained: f64,
    /// Places there, each with the area round it over the square of the tubes' radius; the largest first.
    pub unexplained_at: Vec<(Vec3, f64)>,
}

/// Finds, tracks and refines the tubes of a shell; `is_cancelled` is asked between them. With `insist` none is refused.
pub fn trace(shell: &Shell, size: f64, insist: bool, is_cancelled: &dyn Fn() -> bool) -> Trace {
    let mut order: Vec<u32> = (0..shell.triangles.len() as u32).collect();
    order.sort_by(|&a, &b| {
        shell.areas[b as usize]
            .total_cmp(&shell.areas[a as usize])
            .then(a.cmp(&b))
    });
    let mut search = Search {
        shell,
        is_explained: vec![false; order.len()],
        is_tried: vec![false; order.len()],
        tracks: Vec::new(),
        reason: NotATube::NoLoop,
        insist,
    };
    let mut n_failures = 0;
    let mut wasted = 0;
    let most_wasted = WASTED + WASTED_PER_TRIANGLE * order.len();
    for &t in &order {
        if search.is_explained[t as usize] || search.is_tried[t as usize] {
            continue;
        }
        if n_failures >= MAX_FAILURES || wasted > most_wasted || is_cancelled() {
            break;
        }
        let effort = shell.effort.load(Ordering::Relaxed);
        let is_tube = search.try_seed(t, size);
        if !is_tube {
            wasted += shell.effort.load(Ordering::Relaxed) - effort;
        }
        n_failures = if is_tube { 0 } else { n_failures + 1 };
    }
    let Search {
        tracks,
        reason,
        is_explained,
        ..
    } = search;
    let lines = refine(shell, &tracks);
    let tubes: Vec<Traced> = lines
        .into_iter()
        .zip(&tracks)
        .map(|(mut line, track)| {
            let is_ribbed = track.is_corrugated() || is_threaded(track);
            for side in 0..2 {
                if track.stops[side] == Stop::Cap && !track.is_closed {
                    line = ends::settle(shell, line, side, is_ribbed);
                }
            }
            Traced {
                line,
                stops: track.stops,
                width: track.width(),
                is_round: track.is_round(),
            }
        })
        .collect();
    let total = shell.area;
    let left = left_over(shell, &is_explained, &tubes);
    let unexplained: f64 = left.iter().map(|&t| shell.areas[t as usize]).sum();
    let mut unexplained_at = clusters(shell, &left, &tubes);
    unexplained_at.extend(not_covered(&tracks, &tubes));
    let explained = if total > 0.0 {
        1.0 - unexplained / total
    } else {
        0.0
    };
    let (tubes, reason) = if tubes.is_empty() {
        (tubes, Some(reason))
    } else if !insist
        && (explained < LEAST_EXPLAINED || explained < EXPLAINED_BY_STUBS && are_stubs(&tubes))
    {
        let percent = 100.0 * explained;
        (Vec::new(), Some(NotATube::MostlyOther { percent }))
    } else if let Some(reason) = web(&tubes).filter(|_| !insist) {
        (Vec::new(), Some(reason))
    } else {
        (tubes, None)
    };
    Trace {
        tubes,
        reason,
        unexplained: 1.0 - explained,
        unexplained_at,
    }
}

/// Places of surface that lies round no tube, a few radii apart, with the area round each in squares of the radius.
fn clusters(shell: &Shell, left: &[u32], tubes: &[Traced]) -> Vec<(Vec3, f64)> {
    let radius = tubes.iter().map(|t| t.width).fold(f64::INFINITY, f64::min);
    let mut order: Vec<u32> = left.to_vec();
    order.sort_by(|&a, &b| {
        let area = |t: u32| shell.areas[t as usize];
        area(b).total_cmp(&area(a)).then(a.cmp(&b))
    });
    let mut places: Vec<(Vec3, f64)> = Vec::new();
    for t in order {
        // Along its longest side: a needle is long.
        let [a, b, c] = shell.corners(t);
        let sides = [(a, b, c), (b, c, a), (c, a, b)];
        let longest = |s: &(Vec3, Vec3, Vec3)| (s.1 - s.0).norm_squared();
        let Some((from, to, tip)) =
            (sides.into_iter()).max_by(|p, q| longest(p).total_cmp(&longest(q)))
        else {
            continue;
        };
        let n = ((to - from).norm() / (0.5 * CLUSTER * radius))
            .ceil()
            .clamp(1.0, 100.0);
        let area = shell.areas[t as usize] / (radius * radius * (n + 1.0));
        for i in 0..=n as usize {
            let on_side = from + (to - from) * (i as f64 / n);
            let at = on_side + (tip - on_side) * 0.2;
            let near = |(p, _): &(Vec3, f64)| (p - at).norm() < CLUSTER * radius;
            match places.iter().position(near) {
                Some(k) => places[k].1 += area,
                None if places.len() < MOST_CLUSTERS => places.push((at, area)),
                None => {}
            }
        }
    }
    places.sort_by(|a, b| b.1.total_cmp(&a.1));
    places
}

/// Tracked sections that the final lines do not go through: their surface would be lost without a word.
fn not_covered(tracks: &[Track], tubes: &[Traced]) -> Vec<(Vec3, f64)> {
    let mut places: Vec<(Vec3, f64)> = Vec::new();
    for (track, tube) in tracks.iter().zip(tubes) {
        for s in &track.sections {
            let is_lost = tube.line.distance(&s.center) > NOT_COVERED * s.extent
                && tubes
                    .iter()
                    .all(|t| t.line.distance(&s.center) > NOT_COVERED * s.extent);
            let is_new = |(p, _): &(Vec3, f64)| (p - s.center).norm() > CLUSTER * s.radius;
            if is_lost && places.iter().all(is_new) {
                places.push((s.center, f64::INFINITY));
            }
        }
    }
    places
}

/// Whether the tubes are what a body has of them: short, or none of them round.
fn are_stubs(tubes: &[Traced]) -> bool {
    let area = |t: &Traced| t.line.length() * t.width;
    let all: f64 = tubes.iter().map(area).sum();
    let slenderness: f64 = (tubes.iter())
        .map(|t| area(t) * t.line.length() / t.width)
        .sum();
    slenderness < STUBS * all || !tubes.iter().any(|t| t.is_round)
}

/// Why a lone tube is the web of a body, such as a wheel, and no flat cable between two connectors.
fn web(tubes: &[Traced]) -> Option<NotATube> {
    let [tube] = tubes else { return None };
    let length = tube.line.length();
    let is_web = !tube.is_round
        && !tube.line.is_closed
        && tube.stops == [Stop::Blocked; 2]
        && length < LEAST_FLAT * tube.width;
    let width = 2.0 * tube.width;
    is_web.then_some(NotATube::TooShort { length, width })
}

/// The triangles that lie round no tube, nor where blocked ends go on into a junction.
fn left_over(shell: &Shell, is_explained: &[bool], tubes: &[Traced]) -> Vec<u32> {
    let is_near = |p: &Vec3| {
        tubes.iter().any(|tube| {
            let length = tube.line.length();
            tube.line.project(p).is_some_and(|foot| {
                let room = |side: usize| match tube.stops[side] {
                    Stop::Cap => OVERRUN * foot.radius,
                    _ => JUNCTION * foot.radius,
                };
                foot.distance < EXPLAINED * foot.radius
                    && foot.arc > -room(0)
                    && foot.arc < length + room(1)
            })
        })
    };
    let open: Vec<u32> = (0..shell.triangles.len() as u32)
        .filter(|&t| !is_explained[t as usize])
        .collect();
    let is_left = parallel::map_range(open.len(), PER_THREAD, |i| {
        !shell.corners(open[i]).iter().all(is_near)
    });
    let left = open.into_iter().zip(is_left).filter(|(_, left)| *left);
    left.map(|(t, _)| t).collect()
}

struct Search<'a> {
    shell: &'a Shell,
    is_explained: Vec<bool>,
    is_tried: Vec<bool>,
    tracks: Vec<Track>,
    reason: NotATube,
    insist: bool,
}

impl Search<'_> {
    /// Whether a tube was found through triangle `t`.
    fn try_seed(&mut self, t: u32, size: f64) -> bool {
        let [a, b, c] = self.shell.corners(t);
        let Some(section) = seed(self.shell, t, size) else {
            let middle = (a + b + c) / 3.0;
            let reach = (0.1 * size).max((a - middle).norm());
            self.mark_tried(&middle, reach);
            return false;
        };
        let mut found = track(self.shell, &section, &self.tracks);
        // Beside a junction only the inner wall of a hose may be whole: then it was followed.
        let middle = &found.sections[found.sections.len() / 2];
        if let Some(outer) = outer_wall(self.shell, middle) {
            found = track(self.shell, &outer, &self.tracks);
        }
        let verdict = judge(&found).or_else(|no| if self.insist { Ok(()) } else { Err(no) });
        trim(&mut found);
        match verdict {
            Ok(()) if found.sections.len() >= 2 => {
                let beside = places(self.shell, &found);
                mark(&mut self.is_explained, self.shell, &beside, is_round_it);
                // Triangles that begin in the tube and go on into a junction would be sought as tubes again.
                mark(&mut self.is_tried, self.shell, &beside, |corners| {
                    !corners.contains(&Place::Away) && corners.contains(&Place::Round)
                });
                // A tube through t explains t, but for a track that went astray.
                self.is_tried[t as usize] = true;
                self.tracks.push(found);
                true
            }
            other => {
                if let Err(reason) = other
                    && is_better(&reason, &self.reason)
                {
                    self.reason = reason;
                }
                self.is_tried[t as usize] = true;
                // The loop of a cap's triangle runs lengthwise: twice its area over its perimeter is about the radius.
                let narrow = section.area / section.perimeter;
                self.mark_tried(&((a + b + c) / 3.0), narrow);
                // A clip or a nut would be followed again from each of its triangles.
                if found.is_closed || found.is_round() || other == Err(NotATube::Bar) {
                    let beside = places(self.shell, &found);
                    mark(&mut self.is_tried, self.shell, &beside, is_round_it);
                }
                false
            }
        }
    }

    fn mark_tried(&mut self, center: &Vec3, reach: f64) {
        let Self {
            shell, is_tried, ..
        } = self;
        shell.bvh.visit_ball(center, reach, |t| {
            let middle = shell.corners(t).iter().sum::<Vec3>() / 3.0;
            is_tried[t as usize] |= (middle - center).norm() < reach;
        });
    }
}

/// Where each vertex of the shell stands beside a track.
fn places(shell: &Shell, found: &Track) -> Vec<Place> {
    let wide = |s: &super::section::Section| Knot {
        position: s.center,
        tangent: s.direction,
        radii: [s.extent; 2],
        confidence: 1.0,
    };
    let mut knots: Vec<Knot> = found.sections.iter().map(wide).collect();
    widen(&mut knots);
    if found.is_closed {
        knots.push(knots[0]);
    }
    let line = Line::new(knots, found.is_closed);
    let room = found.stops.map(|stop| match stop {
        Stop::Cap => OVERRUN,
        _ => JUNCTION,
    });
    let reach = (EXPLAINED + room[0].max(room[1])) * line.largest_radius();
    let aabb = line.aabb().inflated(reach);
    parallel::map_range(shell.vertices.len(), PER_THREAD, |v| {
        let p = &shell.vertices[v];
        if !(0..3).all(|k| aabb.min[k] <= p[k] && p[k] <= aabb.max[k]) {
            return Place::Away;
        }
        let Some(foot) = line.project_within(p, reach) else {
            return Place::Away;
        };
        let over = [-foot.arc, foot.arc - line.length()];
        if foot.distance >= EXPLAINED * foot.radius {
            Place::Away
        } else if over[0].max(over[1]) < OVERRUN * foot.radius {
            Place::Round
        } else if (0..2).all(|side| over[side] < room[side] * foot.radius) {
            Place::Ahead
        } else {
            Place::Away
        }
    })
}

/// Marks the triangles whose corners stand as asked for.
fn mark(marks: &mut [bool], shell: &Shell, places: &[Place], fits: impl Fn([Place; 3]) -> bool) {
    for (mark, corners) in marks.iter_mut().zip(&shell.triangles) {
        *mark |= fits(corners.map(|v| places[v as usize]));
    }
}

fn is_round_it(corners: [Place; 3]) -> bool {
    corners == [Place::Round; 3]
}

/// Where a vertex stands beside a track.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Round it.
    Round,
    /// In line with it, where it goes on into a junction.
    Ahead,
    Away,
}

/// Takes the widest of each section's neighbours: ribs stand out between sections.
fn widen(knots: &mut [Knot]) {
    let extents: Vec<f64> = knots.iter().map(|k| k.radii[0]).collect();
    for (i, knot) in knots.iter_mut().enumerate() {
        let near = &extents[i.saturating_sub(2)..(i + 3).min(extents.len())];
        knot.radii = [near.iter().copied().fold(0.0, f64::max); 2];
    }
}

/// The reason that says more: lengths rather than "no loop", and the longest of them.
fn is_better(new: &NotATube, old: &NotATube) -> bool {
    match (new, old) {
        (NotATube::NoLoop | NotATube::NoSteadySection, _) => {
            *old == NotATube::NoLoop && *new != *old
        }
        (NotATube::TooShort { length: a, .. }, NotATube::TooShort { length: b, .. }) => a > b,
        (_, NotATube::TooShort { .. } | NotATube::NoLoop | NotATube::NoSteadySection) => true,
        _ => false,
    }
}

/// Whether a track is a tube and not a nut, a box or a washer.
fn judge(track: &Track) -> Result<(), NotATube> {
    let radius = track.radius();
    let length = track.length();
    if track.is_closed {
        let ring = length / std::f64::consts::PI;
        if !track.is_round() || ring < LEAST_RING * 2.0 * radius {
            return Err(NotATube::Ring {
                ring,
                width: 2.0 * radius,
            });
        }
        return Ok(());
    }
    let is_free = track.stops == [Stop::Cap; 2];
    let least = if is_free || !track.is_round() {
        LEAST_SLENDERNESS
    } else {
        LEAST_STUB
    };
    // A flat cable is measured by its width, a free one of no round section must bend or be much longer than wide.
    let width = track.width();
    if track.sections.len() < 3 {
        return Err(NotATube::NoSteadySection);
    }
    let is_long = length >= least * width;
    if !is_long {
        return Err(NotATube::TooShort {
            length,
            width: 2.0 * width,
        });
    }
    if !track.is_round() && is_straight(track) {
        return Err(NotATube::Bar);
    }
    if length < STEADY_IF_SHORT * radius && unsteadiness(track) > UNSTEADY {
        return Err(NotATube::NoSteadySection);
    }
    Ok(())
}

/// The part of the sections at which the radius changes faster than that of a cable does.
fn unsteadiness(track: &Track) -> f64 {
    let sections = &track.sections;
    // Ribs and rings of beads are evened out: what is no longer than a radius is not of the shape, and single cuts hit
    // crest or root by chance. The window fades out, so that it does not count where in a rib it ends.
    let radius = |i: usize| {
        let near = i.saturating_sub(EVENED)..(i + EVENED + 1).min(sections.len());
        let weight = |k: usize| (EVENED + 1 - i.abs_diff(k)) as f64;
        let whole: f64 = near.clone().map(weight).sum();
        near.map(|k| sections[k].radius * weight(k)).sum::<f64>() / whole
    };
    let changes = |i: &usize| (radius(i + 2) - radius(*i)).abs() > CHANGE * radius(*i);
    let n = (0..sections.len().saturating_sub(2))
        .filter(changes)
        .count();
    n as f64 / sections.len() as f64
}

fn is_straight(track: &Track) -> bool {
    let (Some(first), Some(last)) = (track.sections.first(), track.sections.last()) else {
        return true;
    };
    let chord = (last.center - first.center).norm();
    track.length() < 1.001 * chord
}

/// Takes off the sections at a blocked end that lie in the junction already.
fn trim(track: &mut Track) {
    if track.is_closed {
        return;
    }
    let is_clear = |s: &super::section::Section| s.coverage >= CLEAR_COVERAGE;
    if track.stops[1] != Stop::Cap {
        while track.sections.len() > 2 && !track.sections.last().is_some_and(is_clear) {
            track.sections.pop();
        }
    }
    if track.stops[0] != Stop::Cap {
        let n = track.sections.len();
        let first = track.sections.iter().position(is_clear).unwrap_or(0);
        track.sections.drain(..first.min(n.saturating_sub(2)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ExtractError, Settings, extract};
    use super::*;
    use crate::mesh::TriMesh;

    /// A body of revolution along x.
    fn lathe(radius: impl Fn(f64) -> f64, length: f64) -> TriMesh {
        let (n, n_sides) = (60_u32, 24_u32);
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for i in 0..=n {
            let x = length * f64::from(i) / f64::from(n);
            for k in 0..n_sides {
                let turn = std::f64::consts::TAU * f64::from(k) / f64::from(n_sides);
                let (sin, cos) = turn.sin_cos();
                vertices.push(Vec3::new(x, radius(x) * cos, radius(x) * sin));
            }
        }
        let at = |i: u32, k: u32| i * n_sides + k % n_sides;
        for i in 0..n {
            for k in 0..n_sides {
                triangles.push([at(i, k), at(i + 1, k), at(i + 1, k + 1)]);
                triangles.push([at(i, k), at(i + 1, k + 1), at(i, k + 1)]);
            }
        }
        TriMesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn a_limb_is_no_cable_and_a_cone_is_one() {
        let found = |mesh: &TriMesh| extract(mesh, &Settings::default(), &|_| true);
        // As an arm: thick, thin at the elbow and the wrist, thick at the hand.
        let limb = lathe(|x| 10.0 + 4.0 * (0.12 * x).sin(), 150.0);
        let Err(ExtractError::NoCable { reason, .. }) = found(&limb) else {
            panic!("taken for a cable");
        };
        assert_eq!(reason, NotATube::NoSteadySection);
        let cone = lathe(|x| 8.0 + 0.03 * x, 150.0);
        assert_eq!(found(&cone).unwrap().branches.len(), 1);
    }

    #[test]
    fn the_search_in_a_body_has_a_bound() {
        // A lump of which every cut is a loop, and none leads on.
        let lump = lathe(
            |x| 40.0 + 9.0 * (0.5 * x).sin() + 5.0 * (1.7 * x).cos(),
            100.0,
        );
        let shells = super::super::shell::Shells::new(&lump);
        let shell = &shells.list[0];
        let found = trace(shell, shells.size, false, &|| false);
        assert!(found.tubes.is_empty());
        let effort = shell.effort.load(Ordering::Relaxed);
        // One seed more than the bound may have been tried.
        assert!(
            effort < 3 * (WASTED + WASTED_PER_TRIANGLE * shell.triangles.len()),
            "{effort}"
        );
    }
}
