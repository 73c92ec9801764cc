//! A smooth curve through fitted places.

use super::line::{Knot, Line};
use super::support;
use super::track::Stop;
use crate::geom::Vec3;

/// Rings so many radii from a junction do not tell the tangent.
const NEAR_JUNCTION: f64 = 2.5;
/// A chord so many times longer than the other gives the tangent alone: the end of a straight run.
const STRAIGHT_RUN: f64 = 3.0;
/// A run without vertices is long from so many radii on,
const LONG_RUN: f64 = 2.0;
/// and straight when its sections are within this part of the radius of a line.
const STRAIGHTNESS: f64 = 0.02;
/// Beyond the last ring before a cap sections are kept so many radii apart: the last steps before it are short, and of
/// two places side by side, cut through the edge of the cap, the curve would make a hook.
const KEPT_APART: f64 = 0.45;
/// Cosine of a ring's tangent to a straight run that begins there.
const ALONG: f64 = 0.998;

/// A fitted place on the line; its tangent where the vertices tell it.
pub struct Station {
    pub arc: f64,
    pub knot: Knot,
    pub has_tangent: bool,
}

/// The curve through the stations; the line as it was where there are too few.
///
/// The stations are few where the mesh is coarse: the curve then keeps to the tracked sections, to those of a ribbed tube
/// only roughly.
pub fn smooth(
    line: &Line,
    tracked: &Line,
    mut stations: Vec<Station>,
    stops: [Stop; 2],
    is_ribbed: bool,
) -> Line {
    if !is_ribbed {
        support::leave_out_strays(tracked, &mut stations);
    }
    stations.sort_by(|a, b| a.arc.total_cmp(&b.arc));
    if !is_ribbed {
        support::leave_out_beside_rings(&mut stations);
    }
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
    // The sections of a ribbed tube are means of long stretches, and its last rib is no cap.
    let is_capped = stops.map(|stop| stop == Stop::Cap && !is_ribbed);
    keep_ends(line, &mut stations, is_capped);
    support_straight_runs(tracked, &mut stations);
    if line.is_closed {
        close_round(line.length(), &mut stations);
    }
    if stations.len() < 2 {
        return Line::new(line.knots.clone(), line.is_closed);
    }
    let mut curve = through(&stations, line.is_closed);
    for _ in 0..support::ROUNDS {
        if !support::add(tracked, &curve, &mut stations, is_ribbed) {
            break;
        }
        curve = through(&stations, line.is_closed);
    }
    curve
}

/// The curve through two stations or more.
fn through(stations: &[Station], is_closed: bool) -> Line {
    let positions: Vec<Vec3> = stations.iter().map(|s| s.knot.position).collect();
    let n = positions.len();
    let mut knots: Vec<Knot> = stations.iter().map(|s| s.knot).collect();
    for i in 0..n {
        if stations[i].has_tangent {
            continue;
        }
        let (before, after) = if is_closed && (i == 0 || i + 1 == n) {
            (n - 2, 1)
        } else {
            (i.saturating_sub(1), (i + 1).min(n - 1))
        };
        knots[i].tangent =
            tangent_of_circle(&positions, before, i, after).unwrap_or(knots[i].tangent);
    }
    if !is_closed {
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
    Line::dense(&knots, is_closed, 1.0, 0.09)
}

/// Beyond the first and the last station the line stays as it was.
fn keep_ends(line: &Line, stations: &mut Vec<Station>, is_capped: [bool; 2]) {
    if stations.is_empty() {
        let all = line.knots.iter().zip(&line.arcs);
        stations.extend(all.map(|(knot, &arc)| Station {
            arc,
            knot: *knot,
            has_tangent: true,
        }));
        return;
    }
    if line.is_closed {
        return;
    }
    let n = line.knots.len();
    for side in 0..2 {
        // From the outermost station outwards.
        let outwards = if side == 0 { -1.0 } else { 1.0 };
        let mut last = if side == 0 {
            stations[0].arc
        } else {
            stations[stations.len() - 1].arc
        };
        let mut least = 1.0;
        let mut kept = Vec::new();
        for i in 0..n {
            let i = if side == 0 { n - 1 - i } else { i };
            let (knot, arc) = (line.knots[i], line.arcs[i]);
            if (arc - last) * outwards <= least * knot.radii[0] {
                continue;
            }
            kept.push(Station {
                arc,
                knot,
                has_tangent: false,
            });
            last = arc;
            least = if is_capped[side] { KEPT_APART } else { 0.0 };
        }
        stations.extend(kept);
        stations.sort_by(|a, b| a.arc.total_cmp(&b.arc));
    }
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
    // Facets between two rings of a bend are straight, too: but a straight run leaves a ring along its tangent.
    let leaves = |s: &Station| !s.has_tangent || s.knot.tangent.dot(&along).abs() > ALONG;
    if a.has_tangent != b.has_tangent && !(leaves(a) && leaves(b)) {
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
