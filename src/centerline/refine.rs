//! From tracked sections to the line that CAD had: circles through the vertices, which stand on the true surface, and
//! a smooth curve through their centers.

use super::circle::{self, Sample};
use super::line::{Knot, Line};
use super::parallel;
use super::recenter::{is_ribbed, recentered};
use super::section::follow;
use super::shell::Shell;
use super::slice::{Plane, Vec2};
use super::track::{Stop, Track};
use super::walls::{WallPoint, share_out, wall_points};
use crate::geom::{Mat3, Vec3};

/// Vertices farther apart along the line than this part of the radius are of two rings.
const RING_GAP: f64 = 0.12;
/// Longest stretch whose vertices are fitted together, in radii.
const WINDOW: f64 = 0.5;
/// A ring is flat within this part of its radius.
const RING_FLATNESS: f64 = 0.02;
/// Farthest that a fit may move a center from the line before, in radii.
const LARGEST_MOVE: f64 = 0.6;
/// Widest sector without a vertex that a fit may have, as a part of the turn.
const WIDEST_GAP: f64 = 0.55;
/// Rings so many radii from a junction do not tell the tangent.
const NEAR_JUNCTION: f64 = 2.5;
/// A chord so many times longer than the other gives the tangent alone: the end of a straight run.
const STRAIGHT_RUN: f64 = 3.0;
/// A run without vertices is long from so many radii on,
const LONG_RUN: f64 = 2.0;
/// and straight when its sections are within this part of the radius of a line.
const STRAIGHTNESS: f64 = 0.02;
/// Rounds of fitting.
const N_ROUNDS: usize = 3;
/// The same for a tube with ribs, whose tracked line is rough.
const N_CORRUGATED_ROUNDS: usize = 5;
/// Half the stretch of a ribbed tube that is fitted together, in radii.
const RIB_WINDOW: f64 = 1.3;
/// Two sets of radii at one place differ by at least this part: a step.
const STEP_RATIO: f64 = 0.04;

/// The lines of all tracks of a shell.
pub fn refine(shell: &Shell, tracks: &[Track]) -> Vec<Line> {
    let tracked = parallel::map(tracks.iter().collect(), |t| recentered(shell, t));
    let shared = share_out(shell, &tracked);
    let all = tracked.iter().zip(tracks).zip(shared).collect();
    parallel::map(all, |((tracked, track), own)| {
        refine_one(shell, track, tracked, own)
    })
}

/// The line of one track, with the wall vertices that are its own.
fn refine_one(shell: &Shell, track: &Track, tracked: &Line, mut own: Vec<WallPoint>) -> Line {
    let mut line: Option<Line> = None;
    let is_corrugated = is_ribbed(track);
    let n_rounds = if is_corrugated {
        N_CORRUGATED_ROUNDS
    } else {
        N_ROUNDS
    };
    for _ in 0..n_rounds {
        let now = line.as_ref().unwrap_or(tracked);
        own = wall_points(shell, &own, now);
        let stations = if is_corrugated {
            corrugated_stations(shell, now, &own)
        } else if track.is_round() {
            round_stations(shell, now, &own)
        } else {
            flat_stations(shell, now, track, &own)
        };
        line = Some(smooth(now, tracked, stations, track.stops));
    }
    if let (true, Some(line)) = (is_corrugated && !track.is_closed, &mut line) {
        ribs_to_the_end(shell, line, &own);
    }
    line.unwrap_or_else(|| Line::new(tracked.knots.clone(), tracked.is_closed))
}

/// A fitted place on the line; its tangent where the vertices tell it.
struct Station {
    arc: f64,
    knot: Knot,
    has_tangent: bool,
}

/// Groups of wall points that are fitted together: rings, or windows where vertices are everywhere.
fn groups(walls: &[WallPoint]) -> Vec<&[WallPoint]> {
    let mut out = Vec::new();
    let rings = walls.chunk_by(|a, b| b.foot.arc - a.foot.arc < RING_GAP * a.foot.radius);
    for run in rings {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            continue;
        };
        let length = last.foot.arc - first.foot.arc;
        let window = WINDOW * first.foot.radius;
        if length <= 1.2 * window {
            out.push(run);
            continue;
        }
        let n = (length / window).round().max(1.0);
        let mut rest = run;
        for i in 1..=n as usize {
            let limit = first.foot.arc + length * i as f64 / n;
            let end = if i as f64 == n {
                rest.len()
            } else {
                rest.partition_point(|w| w.foot.arc < limit)
            };
            let (piece, after) = rest.split_at(end);
            if !piece.is_empty() {
                out.push(piece);
            }
            rest = after;
        }
    }
    out
}

fn round_stations(shell: &Shell, line: &Line, walls: &[WallPoint]) -> Vec<Station> {
    groups(walls)
        .into_iter()
        .filter_map(|group| round_station(shell, line, group))
        .collect()
}

/// Stations of a tube with ribs: circles through the vertices of long windows that fade out, so that it does not count
/// where in a rib they end.
fn corrugated_stations(shell: &Shell, line: &Line, walls: &[WallPoint]) -> Vec<Station> {
    let radius = super::track::median(line.knots.iter().map(|k| k.radii[0]));
    let half = RIB_WINDOW * radius;
    let n = (line.length() / (0.5 * radius)).ceil().max(1.0);
    (0..=n as usize)
        .filter_map(|i| {
            // At the ends the window has no other side: the first that is whole is taken as far as the end.
            let arc = (line.length() * i as f64 / n).clamp(half, (line.length() - half).max(half));
            let is_inner = (line.length() * i as f64 / n - arc).abs() < 1e-9 * radius;
            if !is_inner {
                return None;
            }
            let first = walls.partition_point(|w| w.foot.arc < arc - half);
            let last = walls.partition_point(|w| w.foot.arc <= arc + half);
            faded_station(shell, line, &walls[first..last.max(first)], arc, half)
        })
        .collect()
}

/// Gives the ends of a ribbed tube, where no whole window fits, the radius of the first that does, if ribs go on there.
fn ribs_to_the_end(shell: &Shell, line: &mut Line, walls: &[WallPoint]) {
    let half = RIB_WINDOW * super::track::median(line.knots.iter().map(|k| k.radii[0]));
    let length = line.length();
    if length < 4.0 * half {
        return;
    }
    for (edge, is_outer) in [
        (half, &(|arc: f64| arc < half) as &dyn Fn(f64) -> bool),
        (length - half, &|arc: f64| arc > length - half),
    ] {
        let whole = line.at(edge).radius;
        let (mut n_low, mut n_high) = (0, 0);
        for wall in walls.iter().filter(|w| is_outer(w.foot.arc)) {
            let away = (shell.vertices[wall.vertex as usize] - wall.foot.position).norm();
            if away < whole {
                n_low += 1;
            } else {
                n_high += 1;
            }
        }
        // Crests and roots: neither is a cuff of one radius.
        if n_low.min(n_high) * 4 < n_low + n_high {
            continue;
        }
        for (knot, &arc) in line.knots.iter_mut().zip(&line.arcs) {
            if is_outer(arc) {
                knot.radii = [whole; 2];
            }
        }
    }
}

fn faded_station(
    shell: &Shell,
    line: &Line,
    group: &[WallPoint],
    arc: f64,
    half: f64,
) -> Option<Station> {
    if group.len() < 8 {
        return None;
    }
    let middle = line.at(arc);
    let plane = Plane::new(middle.position, middle.tangent);
    let points: Vec<Sample> = group
        .iter()
        .map(|w| {
            let away = shell.vertices[w.vertex as usize] - w.foot.position;
            let flat = plane.to_plane(&(plane.origin + away));
            let fade = (0.5 * std::f64::consts::PI * (w.foot.arc - arc) / half).cos();
            let length = flat.norm().max(1e-12);
            (flat * (away.norm() / length), fade * fade)
        })
        .collect();
    if widest_gap(&points) > WIDEST_GAP {
        return None;
    }
    let fitted = circle::fit(&points)?;
    if fitted.center.norm() > LARGEST_MOVE * middle.radius {
        return None;
    }
    Some(Station {
        arc,
        knot: Knot {
            position: plane.to_space(&fitted.center),
            tangent: middle.tangent,
            radii: [fitted.radius; 2],
            confidence: 0.9,
        },
        has_tangent: false,
    })
}

/// The circle through a group of vertices, each seen from its own foot on the line.
fn round_station(shell: &Shell, line: &Line, group: &[WallPoint]) -> Option<Station> {
    if group.len() < 5 {
        return None;
    }
    let arc = group.iter().map(|w| w.foot.arc).sum::<f64>() / group.len() as f64;
    let middle = line.at(arc);
    let plane = Plane::new(middle.position, middle.tangent);
    let mut points: Vec<Sample> = group
        .iter()
        .map(|w| {
            let away = shell.vertices[w.vertex as usize] - w.foot.position;
            let flat = plane.to_plane(&(plane.origin + away));
            let length = flat.norm().max(1e-12);
            (flat * (away.norm() / length), 1.0)
        })
        .collect();
    if widest_gap(&points) > WIDEST_GAP {
        return None;
    }
    let mut fitted = circle::fit(&points)?;
    // Vertices of something else: a branch that leaves, the tip of a fillet.
    let off = |q: &Vec2, c: &circle::Circle| ((q - c.center).norm() - c.radius).abs();
    let typical = super::track::median(points.iter().map(|(q, _)| off(q, &fitted)));
    let limit = (4.0 * typical).max(0.02 * fitted.radius);
    let n_before = points.len();
    points.retain(|(q, _)| off(q, &fitted) < limit);
    if points.len() < n_before && points.len() >= 5 && widest_gap(&points) < WIDEST_GAP {
        fitted = circle::fit(&points)?;
    }
    if fitted.center.norm() > LARGEST_MOVE * middle.radius
        || !(0.5..2.0).contains(&(fitted.radius / middle.radius))
    {
        return None;
    }
    let position = plane.to_space(&fitted.center);
    let ring = ring_normal(shell, group, fitted.radius, &middle.tangent);
    let coverage = circle::coverage(points.iter().map(|(q, _)| q - fitted.center));
    let full = (points.len() as f64 / 36.0).min(1.0);
    let (radii, misfit) = radii(&points, &fitted, line, arc);
    Some(Station {
        arc,
        knot: Knot {
            position,
            tangent: ring.unwrap_or(middle.tangent),
            radii,
            confidence: (coverage / full).min(1.0) * (1.0 - 4.0 * misfit).max(0.1),
        },
        has_tangent: ring.is_some(),
    })
}

/// The fitted radius; both where the vertices stand on two concentric circles (a step, or the two walls of a hose), in
/// the order of the line's radii. And the misfit of that.
fn radii(points: &[Sample], fitted: &circle::Circle, line: &Line, arc: f64) -> ([f64; 2], f64) {
    let one = ([fitted.radius; 2], fitted.misfit);
    let mut distances: Vec<f64> = points
        .iter()
        .map(|(q, _)| (q - fitted.center).norm())
        .collect();
    distances.sort_by(f64::total_cmp);
    let jump = |i: usize| distances[i] - distances[i - 1];
    let Some(cut) =
        (4..distances.len().saturating_sub(3)).max_by(|&i, &j| jump(i).total_cmp(&jump(j)))
    else {
        return one;
    };
    let (low, high) = distances.split_at(cut);
    let mean = |d: &[f64]| d.iter().sum::<f64>() / d.len() as f64;
    let spread = |d: &[f64]| d[d.len() - 1] - d[0];
    let is_step =
        jump(cut) > STEP_RATIO * fitted.radius && spread(low).max(spread(high)) < 0.6 * jump(cut);
    if !is_step {
        return one;
    }
    let spread = spread(low).max(spread(high));
    let (low, high) = (mean(low), mean(high));
    let beside = |side: f64| {
        let radius = line.at(arc + side * 0.6 * fitted.radius).radius;
        if (radius - low).abs() < (radius - high).abs() {
            low
        } else {
            high
        }
    };
    ([beside(-1.0), beside(1.0)], spread / fitted.radius)
}

/// The widest sector without a point, as a part of the turn.
fn widest_gap(points: &[Sample]) -> f64 {
    let mut turns: Vec<f64> = points
        .iter()
        .map(|(q, _)| q.y.atan2(q.x) / std::f64::consts::TAU)
        .collect();
    turns.sort_by(f64::total_cmp);
    let round = turns[0] + 1.0 - turns[turns.len() - 1];
    turns.windows(2).map(|w| w[1] - w[0]).fold(round, f64::max)
}

/// The normal of the plane in which a ring of vertices lies; `None` where they do not lie in one.
fn ring_normal(shell: &Shell, group: &[WallPoint], radius: f64, tangent: &Vec3) -> Option<Vec3> {
    let n = group.len() as f64;
    let point = |w: &WallPoint| shell.vertices[w.vertex as usize];
    let mean = group.iter().map(point).sum::<Vec3>() / n;
    let mut moment = Mat3::zeros();
    for w in group {
        let d = point(w) - mean;
        moment += d * d.transpose();
    }
    let eigen = moment.symmetric_eigen();
    let low = eigen.eigenvalues.imin();
    let flatness = (eigen.eigenvalues[low].max(0.0) / n).sqrt();
    let normal: Vec3 = eigen.eigenvectors.column(low).into_owned();
    let normal = if normal.dot(tangent) < 0.0 {
        -normal
    } else {
        normal
    };
    (flatness < RING_FLATNESS * radius && normal.dot(tangent) > 0.85).then_some(normal)
}

/// Stations of a section that is not round: the middle of the area, cut where the vertices stand.
fn flat_stations(shell: &Shell, line: &Line, track: &Track, walls: &[WallPoint]) -> Vec<Station> {
    let Some(typical) = track.sections.get(track.sections.len() / 2) else {
        return Vec::new();
    };
    let length = line.length();
    let margin = 0.02 * typical.radius;
    groups(walls)
        .into_iter()
        .filter_map(|group| {
            let arc = group.iter().map(|w| w.foot.arc).sum::<f64>() / group.len() as f64;
            let inside = arc.clamp(margin, (length - margin).max(margin));
            let at = line.at(inside);
            let ring = ring_normal(shell, group, typical.radius, &at.tangent);
            let tangent = ring.unwrap_or(at.tangent);
            let section = follow(shell, at.position, tangent, typical)?;
            Some(Station {
                arc,
                knot: Knot {
                    position: section.center + tangent * (arc - inside),
                    tangent,
                    radii: [section.radius; 2],
                    confidence: 0.8,
                },
                has_tangent: ring.is_some() && group.len() >= 4,
            })
        })
        .collect()
}

/// The curve through the stations; the line as it was where there are too few.
fn smooth(line: &Line, tracked: &Line, mut stations: Vec<Station>, stops: [Stop; 2]) -> Line {
    stations.sort_by(|a, b| a.arc.total_cmp(&b.arc));
    for s in &mut stations {
        let to_end = [s.arc, line.length() - s.arc];
        // A ring beside a junction is where two tubes cut each other, and stands askew.
        let is_askew = |side: usize| {
            !line.is_closed
                && stops[side] != Stop::Cap
                && to_end[side] < NEAR_JUNCTION * s.knot.radii[0]
        };
        s.has_tangent &= !is_askew(0) && !is_askew(1);
    }
    keep_ends(line, &mut stations);
    support_straight_runs(tracked, &mut stations);
    if line.is_closed {
        close_round(line.length(), &mut stations);
    }
    if stations.len() < 2 {
        return Line::new(line.knots.clone(), line.is_closed);
    }
    let positions: Vec<Vec3> = stations.iter().map(|s| s.knot.position).collect();
    let n = positions.len();
    let mut knots: Vec<Knot> = stations.iter().map(|s| s.knot).collect();
    for i in 0..n {
        if stations[i].has_tangent {
            continue;
        }
        let (before, after) = if line.is_closed && (i == 0 || i + 1 == n) {
            (n - 2, 1)
        } else {
            (i.saturating_sub(1), (i + 1).min(n - 1))
        };
        knots[i].tangent =
            tangent_of_circle(&positions, before, i, after).unwrap_or(knots[i].tangent);
    }
    if !line.is_closed {
        // At the ends: as on a circle with the neighbour.
        for (end, next) in [(0, 1), (n - 1, n - 2)] {
            if !stations[end].has_tangent
                && let Some(chord) = (positions[next] - positions[end]).try_normalize(1e-12)
            {
                let t = knots[next].tangent;
                knots[end].tangent = chord * (2.0 * chord.dot(&t)) - t;
            }
        }
    }
    Line::dense(&knots, line.is_closed, 1.0, 0.09)
}

/// Beyond the first and the last station the line stays as it was.
fn keep_ends(line: &Line, stations: &mut Vec<Station>) {
    if stations.is_empty() {
        let all = line.knots.iter().zip(&line.arcs);
        stations.extend(all.map(|(knot, &arc)| Station {
            arc,
            knot: *knot,
            has_tangent: true,
        }));
        return;
    }
    let first = stations[0].arc;
    let last = stations[stations.len() - 1].arc;
    let mut kept = Vec::new();
    for (knot, &arc) in line.knots.iter().zip(&line.arcs) {
        let radius = knot.radii[0];
        if !line.is_closed && (arc < first - radius || arc > last + radius) {
            kept.push(Station {
                arc,
                knot: *knot,
                has_tangent: false,
            });
        }
    }
    stations.extend(kept);
    stations.sort_by(|a, b| a.arc.total_cmp(&b.arc));
}

/// Long runs without vertices between two stations are straight, but a station may stand askew where tubes are cut by
/// each other. The tracked sections in the run then tell its direction.
fn support_straight_runs(tracked: &Line, stations: &mut Vec<Station>) {
    let mut supports: Vec<Station> = Vec::new();
    for w in stations.windows(2) {
        let run = w[1].knot.position - w[0].knot.position;
        let radius = w[0].knot.radii[1].max(w[1].knot.radii[0]);
        let Some(chord) = run.try_normalize(LONG_RUN * radius) else {
            continue;
        };
        if w[0].has_tangent && w[1].has_tangent && !is_lopsided(&w[0].knot, &w[1].knot, &chord) {
            continue;
        }
        supports.extend(
            straight_run(tracked, &w[0], &w[1], radius)
                .into_iter()
                .flatten(),
        );
    }
    stations.extend(supports);
    stations.sort_by(|a, b| a.arc.total_cmp(&b.arc));
}

/// Whether one tangent follows the chord and the other does not: no arc, but a straight run with one end askew.
fn is_lopsided(a: &Knot, b: &Knot, chord: &Vec3) -> bool {
    let off = |k: &Knot| (k.tangent - chord * k.tangent.dot(chord)).norm();
    let (a, b) = (off(a), off(b));
    a.max(b) > 0.01 && a.min(b) < 0.25 * a.max(b)
}

/// The first and the last clear section of the run, when all of them lie on one straight line.
fn straight_run(tracked: &Line, a: &Station, b: &Station, radius: f64) -> Option<[Station; 2]> {
    let from = tracked.project(&a.knot.position)?.arc + 0.7 * radius;
    let to = tracked.project(&b.knot.position)?.arc - 0.7 * radius;
    let inside: Vec<(&Knot, f64)> = tracked
        .knots
        .iter()
        .zip(&tracked.arcs)
        .filter(|(k, arc)| (from..to).contains(*arc) && k.confidence > 0.95)
        .map(|(k, &arc)| (k, arc))
        .collect();
    let (&(first, s), &(last, t)) = (inside.first()?, inside.last()?);
    let along = (last.position - first.position).try_normalize(radius)?;
    let is_on = |p: &Vec3| {
        let d = p - first.position;
        (d - along * d.dot(&along)).norm() < STRAIGHTNESS * radius
    };
    if !inside.iter().all(|(k, _)| is_on(&k.position)) {
        return None;
    }
    // Arc lengths of the stations' line, from those of the tracked one.
    let place = |arc: f64| {
        a.arc + (b.arc - a.arc) * (arc - from + 0.7 * radius) / (to - from + 1.4 * radius)
    };
    // Cuts of flat facets are a little narrower than the circle through their vertices: by as much as at the ring.
    let widening = if a.has_tangent {
        a.knot.radii[1] / first.radii[0]
    } else if b.has_tangent {
        b.knot.radii[0] / last.radii[0]
    } else {
        1.0
    };
    let station = |k: &Knot, arc: f64| Station {
        arc: place(arc),
        knot: Knot {
            tangent: along,
            radii: [k.radii[0] * widening.clamp(1.0, 1.2); 2],
            ..*k
        },
        has_tangent: true,
    };
    Some([station(first, s), station(last, t)])
}

/// A closed line starts and ends at its first station.
fn close_round(length: f64, stations: &mut Vec<Station>) {
    stations.retain(|s| (0.0..length).contains(&s.arc));
    let Some(first) = stations.first() else {
        return;
    };
    let again = Station {
        arc: first.arc + length,
        knot: first.knot,
        has_tangent: first.has_tangent,
    };
    stations.push(again);
}

/// The tangent at the middle of three points of the circle through them (weights by the other chord).
fn tangent_of_circle(positions: &[Vec3], before: usize, i: usize, after: usize) -> Option<Vec3> {
    let (p, q) = (
        positions[i] - positions[before],
        positions[after] - positions[i],
    );
    let (l, m) = (p.norm(), q.norm());
    if !(l > 0.0) {
        return q.try_normalize(1e-12);
    }
    if !(m > 0.0) {
        return p.try_normalize(1e-12);
    }
    if l > STRAIGHT_RUN * m {
        return Some(p / l);
    }
    if m > STRAIGHT_RUN * l {
        return Some(q / m);
    }
    (p / l * m + q / m * l).try_normalize(1e-12)
}
