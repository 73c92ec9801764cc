//! From tracked sections to the line that CAD had: circles through the vertices, which stand on the true surface, and
//! a smooth curve through their centers.

use super::circle::{self, Sample};
use super::curve::{Station, smooth};
use super::line::{Knot, Line};
use super::recenter::{is_ribbed, recentered};
use super::section::follow;
use super::shell::Shell;
use super::slice::{Plane, Vec2};
use super::track::Track;
use super::wall_points::{WallPoint, share_out, wall_points};
use crate::geom::{Mat3, Vec3};
use crate::parallel;

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
/// Largest part by which the circle through vertices differs from their distance to the middle of the cuts.
const OTHER_SIZE: f64 = 0.1;
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
        line = Some(smooth(now, tracked, stations, track.stops, is_corrugated));
    }
    if let (true, Some(line)) = (is_corrugated && !track.is_closed, &mut line) {
        ribs_to_the_end(shell, line, &own);
    }
    line.unwrap_or_else(|| Line::new(tracked.knots.clone(), tracked.is_closed))
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
    let mut stations = Vec::new();
    for group in groups(walls) {
        let whole = round_station(shell, line, group);
        let is_ring = whole.as_ref().is_some_and(|s| s.has_tangent);
        match (!is_ring).then(|| two_rings(shell, line, group)).flatten() {
            Some(rings) => stations.extend(rings),
            None => stations.extend(whole),
        }
    }
    stations
}

/// Two rings that stand so near to each other that they were taken for one group.
fn two_rings(shell: &Shell, line: &Line, group: &[WallPoint]) -> Option<[Station; 2]> {
    let gap = |i: &usize| group[*i].foot.arc - group[i - 1].foot.arc;
    let cut = (1..group.len()).max_by(|i, j| gap(i).total_cmp(&gap(j)))?;
    let (before, after) = group.split_at(cut);
    let ring = |part: &[WallPoint]| round_station(shell, line, part).filter(|s| s.has_tangent);
    Some([ring(before)?, ring(after)?])
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
    let (radii, misfit) = radii(&points, &fitted, line, arc);
    if radii[0] == radii[1] && contradicts_track(group, fitted.radius) {
        return None;
    }
    let position = plane.to_space(&fitted.center);
    let ring = ring_normal(shell, group, fitted.radius, &middle.tangent);
    let coverage = circle::coverage(points.iter().map(|(q, _)| q - fitted.center));
    let full = (points.len() as f64 / 36.0).min(1.0);
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

/// Whether a circle is of another size than the distance of its vertices from the middle of the cuts. Few vertices on
/// one side of a simplified tube lie on circles of many sizes; whole cuts tell where the middle is.
fn contradicts_track(group: &[WallPoint], radius: f64) -> bool {
    if group.iter().any(|w| w.from_track.is_none()) {
        return false;
    }
    let typical = super::track::median(group.iter().filter_map(|w| w.from_track));
    (radius / typical - 1.0).abs() > OTHER_SIZE
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
