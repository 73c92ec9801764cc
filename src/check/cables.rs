//! The judge of cables against each other, and against themselves.
//!
//! A pair of edges is clear over an interval of time when its distance in the middle is more than the two can approach
//! each other in half of it; otherwise the interval is halved. A contact of the axes is never missed; what comes nearer
//! than a billionth of the edges' size is reported as one.

use std::ops::Range;

use crate::geom::{Aabb, Vec3};

/// Halvings at most.
const DEPTH: u32 = 40;

/// Where two axes met on their way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CableCrossing {
    /// The two cables; the same twice for one that met itself.
    pub cables: [usize; 2],
    /// Edge of each.
    pub edges: [usize; 2],
    /// When, from 0 (before) to 1 (after).
    pub time: f64,
}

/// What the judge saw.
#[derive(Clone, Debug, Default)]
pub struct CableSummary {
    /// Motions of all cables at once.
    pub n_motions: usize,
    /// Motions with a crossing.
    pub n_crossings: usize,
    /// The first of them.
    pub first: Option<CableCrossing>,
    /// Smallest distance of two surfaces over all states, over the smaller radius; negative where they overlap.
    pub smallest_gap: f64,
}

/// One cable.
#[derive(Clone, Debug)]
struct Track {
    radius: f64,
    /// Arc length within which it does not see itself, mm.
    window: f64,
    before: Vec<Vec3>,
    after: Vec<Vec3>,
}

/// Judges the motion of several cables iterate by iterate.
#[derive(Clone, Debug, Default)]
pub struct CableChecker {
    tracks: Vec<Track>,
    /// Stretches of two cables that meet in a junction and do not see each other.
    meeting: Vec<([usize; 2], [Range<usize>; 2])>,
    last: Option<usize>,
    summary: CableSummary,
}

impl CableChecker {
    /// Nothing seen yet.
    pub fn new() -> Self {
        Self {
            summary: CableSummary {
                smallest_gap: f64::INFINITY,
                ..CableSummary::default()
            },
            ..Self::default()
        }
    }

    /// Puts a cable where it starts, and takes it from there: `window` is the arc length (mm) within which it does not see
    /// itself.
    pub fn add(&mut self, radius: f64, window: f64, points: &[Vec3]) {
        self.tracks.push(Track {
            radius,
            window,
            before: points.to_vec(),
            after: points.to_vec(),
        });
    }

    /// Says that two cables meet there, by ranges of their edges: these are not judged against each other.
    pub fn meet(&mut self, cables: [usize; 2], edges: [Range<usize>; 2]) {
        let [first, second] = edges;
        if cables[0] <= cables[1] {
            self.meeting.push((cables, [first, second]));
        } else {
            self.meeting.push(([cables[1], cables[0]], [second, first]));
        }
    }

    /// The next iterate of a cable. Cables come in the order of their numbers; when a number does not grow, a new iterate of
    /// all has begun, and the last one is judged.
    pub fn push(&mut self, cable: usize, points: &[Vec3]) {
        if self.last.is_some_and(|last| cable <= last) {
            self.judge();
        }
        self.last = Some(cable);
        self.tracks[cable].after.copy_from_slice(points);
    }

    /// Judges what has not been judged.
    pub fn finish(mut self) -> CableSummary {
        self.judge();
        self.summary
    }

    fn judge(&mut self) {
        self.last = None;
        self.summary.n_motions += 1;
        let mut crossing: Option<CableCrossing> = None;
        for a in 0..self.tracks.len() {
            for b in a..self.tracks.len() {
                let found = self.judge_pair(a, b);
                if let Some(found) = found
                    && crossing.is_none_or(|c| found.time < c.time)
                {
                    crossing = Some(found);
                }
            }
        }
        if let Some(found) = crossing {
            self.summary.n_crossings += 1;
            self.summary.first.get_or_insert(found);
        }
        for track in &mut self.tracks {
            track.before.copy_from_slice(&track.after);
        }
    }

    fn judge_pair(&mut self, a: usize, b: usize) -> Option<CableCrossing> {
        let (first, second) = (&self.tracks[a], &self.tracks[b]);
        let reach = first.radius + second.radius;
        let thinner = first.radius.min(second.radius);
        let boxes = |track: &Track| -> Vec<Aabb> {
            (0..track.before.len() - 1)
                .map(|i| {
                    let ends = [&track.before[i], &track.before[i + 1]];
                    let then = [&track.after[i], &track.after[i + 1]];
                    Aabb::of_points(ends.into_iter().chain(then)).inflated(0.5 * reach + thinner)
                })
                .collect()
        };
        let (own, other) = (boxes(first), boxes(second));
        let mut crossing: Option<CableCrossing> = None;
        let mut smallest = f64::INFINITY;
        let meeting = self.meeting.iter().filter(|m| m.0 == [a, b]);
        let meeting: Vec<&[Range<usize>; 2]> = meeting.map(|m| &m.1).collect();
        for (i, region) in own.iter().enumerate() {
            let mut arc = 0.0;
            let from = if a == b { i + 1 } else { 0 };
            for j in from..other.len() {
                if a == b {
                    let seen = arc >= first.window;
                    arc += (first.after[j + 1] - first.after[j]).norm();
                    if !seen {
                        continue;
                    }
                }
                let meet =
                    |edges: &&[Range<usize>; 2]| edges[0].contains(&i) && edges[1].contains(&j);
                if !region.intersects(&other[j]) || meeting.iter().any(meet) {
                    continue;
                }
                let moving = |track: &Track, k: usize| {
                    [k, k + 1].map(|k| (track.before[k], track.after[k] - track.before[k]))
                };
                let pair = [moving(first, i), moving(second, j)];
                smallest = smallest.min((distance_at(&pair, 1.0) - reach) / thinner);
                let latest = crossing.map_or(1.0, |c| c.time);
                if let Some(time) = first_meeting(&pair, 0.0, latest, 0) {
                    crossing = Some(CableCrossing {
                        cables: [a, b],
                        edges: [i, j],
                        time,
                    });
                }
            }
        }
        self.summary.smallest_gap = self.summary.smallest_gap.min(smallest);
        crossing
    }
}

/// Two moving edges: ends and their motion.
type MovingPair = [[(Vec3, Vec3); 2]; 2];

/// The first time in the interval at which the two meet.
fn first_meeting(pair: &MovingPair, start: f64, end: f64, depth: u32) -> Option<f64> {
    let middle = 0.5 * (start + end);
    let distance = distance_at(pair, middle);
    let fastest = pair[0]
        .iter()
        .flat_map(|(_, v)| pair[1].iter().map(move |(_, w)| (v - w).norm()))
        .fold(0.0, f64::max);
    if distance > 0.5 * (end - start) * fastest * (1.0 + 1e-9) {
        return None;
    }
    let size = (pair[0][1].0 - pair[0][0].0).norm() + (pair[1][1].0 - pair[1][0].0).norm();
    if distance <= 1e-9 * size || depth >= DEPTH {
        return Some(middle);
    }
    first_meeting(pair, start, middle, depth + 1)
        .or_else(|| first_meeting(pair, middle, end, depth + 1))
}

/// Distance of the two edges at a time: the least over the ends of each and the place where they pass each other.
fn distance_at(pair: &MovingPair, t: f64) -> f64 {
    let [[p0, p1], [q0, q1]] = pair.map(|edge| edge.map(|(x, v)| x + v * t));
    let to_edge = |x: &Vec3, a: &Vec3, b: &Vec3| {
        let along = b - a;
        let s = ((x - a).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (x - a - along * s).norm()
    };
    let ends = to_edge(&p0, &q0, &q1)
        .min(to_edge(&p1, &q0, &q1))
        .min(to_edge(&q0, &p0, &p1))
        .min(to_edge(&q1, &p0, &p1));
    // The common normal, where both feet lie within the edges.
    let (u, v, r) = (p1 - p0, q1 - q0, q0 - p0);
    let normal = u.cross(&v);
    let square = normal.norm_squared();
    if square > 1e-20 * u.norm_squared() * v.norm_squared() {
        let s = r.cross(&v).dot(&normal) / square;
        let t = r.cross(&u).dot(&normal) / square;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            return ends.min(r.dot(&normal).abs() / square.sqrt());
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(from: Vec3, to: Vec3) -> Vec<Vec3> {
        (0..=10)
            .map(|k| from.lerp(&to, f64::from(k) / 10.0))
            .collect()
    }

    fn checker() -> CableChecker {
        let mut checker = CableChecker::new();
        checker.add(2.0, 8.0, &line(Vec3::x() * -50.0, Vec3::x() * 50.0));
        let above = Vec3::z() * 30.0;
        checker.add(
            2.0,
            8.0,
            &line(Vec3::y() * -50.0 + above, Vec3::y() * 50.0 + above),
        );
        checker
    }

    #[test]
    fn a_jump_through_another_cable_is_seen_though_both_ends_are_clear() {
        let mut judge = checker();
        let below = Vec3::z() * -30.0;
        judge.push(
            1,
            &line(Vec3::y() * -50.0 + below, Vec3::y() * 50.0 + below),
        );
        let summary = judge.finish();
        assert_eq!(summary.n_crossings, 1);
        assert!((summary.first.unwrap().time - 0.5).abs() < 1e-6);
    }

    #[test]
    fn what_meets_in_a_junction_is_not_judged_there() {
        let mut judge = CableChecker::new();
        judge.add(2.0, 8.0, &line(Vec3::zeros(), Vec3::x() * 50.0));
        judge.add(2.0, 8.0, &line(Vec3::zeros(), Vec3::y() * 50.0));
        judge.meet([1, 0], [0..2, 0..2]);
        judge.push(0, &line(Vec3::zeros(), Vec3::x() * 50.0));
        let summary = judge.clone().finish();
        assert_eq!(summary.n_crossings, 0);
        assert!(summary.smallest_gap > 0.0, "{}", summary.smallest_gap);
        // Beyond it they are.
        let across = line(Vec3::new(40.0, -25.0, 0.0), Vec3::new(40.0, 25.0, 0.0));
        judge.push(1, &across);
        assert_eq!(judge.finish().n_crossings, 1);
    }

    #[test]
    fn moving_beside_each_other_is_clear_and_the_gap_is_that_of_the_surfaces() {
        let mut judge = checker();
        for z in [20.0, 10.0, 5.0] {
            let at = Vec3::z() * z;
            judge.push(1, &line(Vec3::y() * -50.0 + at, Vec3::y() * 50.0 + at));
        }
        let summary = judge.finish();
        assert_eq!((summary.n_motions, summary.n_crossings), (3, 0));
        assert!((summary.smallest_gap - 0.5).abs() < 1e-9);
    }

    #[test]
    fn two_that_move_at_once_and_swap_places_meet() {
        let mut judge = checker();
        judge.push(
            0,
            &line(Vec3::new(-50.0, 0.0, 40.0), Vec3::new(50.0, 0.0, 40.0)),
        );
        judge.push(1, &line(Vec3::y() * -50.0, Vec3::y() * 50.0));
        assert_eq!(judge.finish().n_crossings, 1);
    }

    #[test]
    fn a_cable_that_folds_through_itself_is_seen() {
        let mut judge = CableChecker::new();
        judge.add(1.0, 4.0, &line(Vec3::zeros(), Vec3::x() * 100.0));
        // The last node goes through the first edge.
        let mut points = line(Vec3::zeros(), Vec3::x() * 100.0);
        points[9] = Vec3::new(5.0, 30.0, 0.0);
        points[10] = Vec3::new(5.0, -30.0, 0.0);
        judge.push(0, &points);
        assert_eq!(judge.finish().n_crossings, 1);
    }
}
