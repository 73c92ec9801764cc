//! Tracked sections as stations of the curve, where the mesh has too few vertices to tell where the tube is.

use super::curve::Station;
use super::line::{Foot, Knot, Line};

/// Rounds of adding supports, each on the curve of the one before.
pub const ROUNDS: usize = 3;
/// Stations farther apart than so many radii may have supports between them,
const FAR_APART: f64 = 1.5;
/// which are so many radii apart,
const SPACING: f64 = 0.9;
/// and stand no nearer to the stations than this.
const CLEARANCE: f64 = 0.45;
/// The curve keeps to the tracked sections within this part of the radius,
const STRAY: f64 = 0.08;
/// or within this between two flat rings, which tell the arc better than cuts of the facets between them, and in a
/// ribbed tube.
const STRAY_BETWEEN_RINGS: f64 = 0.24;
/// A station off the tracked line by more than these parts of the radius is a fit of too few vertices.
const MISPLACED: f64 = 0.15;
const MISPLACED_RING: f64 = 0.4;
/// So is one whose radius differs by more than this part.
const MISSIZED: f64 = 0.25;
/// A fit of loose vertices is no nearer to a flat ring than so many radii.
const BESIDE_RING: f64 = 0.9;
/// A tracked section with less of its circle is in a junction, and tells less than the vertices.
const CLEAR: f64 = 0.95;

/// Leaves out stations that the tracked sections contradict.
pub fn leave_out_strays(tracked: &Line, stations: &mut Vec<Station>) {
    stations.retain(|station| {
        let Some(foot) = tracked.project(&station.knot.position) else {
            return true;
        };
        if foot.arc < 0.0 || foot.arc > tracked.length() || !is_clear(tracked, &foot) {
            return true;
        }
        let limit = if station.has_tangent {
            MISPLACED_RING
        } else {
            MISPLACED
        };
        let [before, after] = station.knot.radii;
        let fits = |radius: f64| (radius / foot.radius - 1.0).abs() < MISSIZED;
        foot.distance < limit * foot.radius
            && (station.has_tangent || before != after || fits(before))
    });
}

/// Leaves out fits of loose vertices right beside a flat ring: they are a part of the ring that was taken for another.
pub fn leave_out_beside_rings(stations: &mut Vec<Station>) {
    let rings: Vec<f64> = (stations.iter())
        .filter(|s| s.has_tangent)
        .map(|s| s.arc)
        .collect();
    stations.retain(|s| {
        let reach = BESIDE_RING * s.knot.radii[0];
        let next = rings.partition_point(|&arc| arc < s.arc - reach);
        s.has_tangent || rings.get(next).is_none_or(|&arc| arc > s.arc + reach)
    });
}

/// Whether the tracked sections on both sides of a place are whole.
pub fn is_clear(tracked: &Line, foot: &Foot) -> bool {
    let n = tracked.knots.len();
    let i = tracked.arcs.partition_point(|&a| a <= foot.arc).min(n - 1);
    tracked.knots[i.saturating_sub(1)..=i]
        .iter()
        .all(|k| k.confidence > CLEAR)
}

/// Adds tracked sections between stations where the curve strays from them. Returns whether there were any.
pub fn add(tracked: &Line, curve: &Line, stations: &mut Vec<Station>, is_ribbed: bool) -> bool {
    let mut supports: Vec<Station> = Vec::new();
    let places: Vec<Option<f64>> = stations
        .iter()
        .map(|s| tracked.project(&s.knot.position).map(|foot| foot.arc))
        .collect();
    let n = stations.len();
    for i in 1..n {
        let (Some(from), Some(mut to)) = (places[i - 1], places[i]) else {
            continue;
        };
        let (a, b) = (&stations[i - 1], &stations[i]);
        // The last station of a ring is its first.
        if tracked.is_closed && to < from {
            to = tracked.length();
        }
        let radius = a.knot.radii[1].min(b.knot.radii[0]);
        if to - from < FAR_APART * radius {
            continue;
        }
        let between = between(tracked, from, to, CLEARANCE * radius);
        let limit = if is_ribbed || a.has_tangent && b.has_tangent {
            STRAY_BETWEEN_RINGS
        } else {
            STRAY
        };
        let strays = |(knot, _): &(&Knot, f64)| {
            knot.confidence > CLEAR && curve.distance(&knot.position) > limit * knot.radii[0]
        };
        if !between.iter().any(strays) {
            continue;
        }
        let mut last = from;
        for (knot, arc) in between {
            if arc - last < SPACING * radius {
                continue;
            }
            last = arc;
            let part = (arc - from) / (to - from);
            supports.push(Station {
                arc: a.arc + (b.arc - a.arc) * part,
                knot: Knot {
                    radii: [knot.radii[0] * widening(tracked, a, b); 2],
                    ..*knot
                },
                has_tangent: false,
            });
        }
    }
    if supports.is_empty() {
        return false;
    }
    stations.extend(supports);
    stations.sort_by(|a, b| a.arc.total_cmp(&b.arc));
    true
}

/// The tracked knots strictly between two arc lengths, with theirs.
fn between(tracked: &Line, from: f64, to: f64, clearance: f64) -> Vec<(&Knot, f64)> {
    let first = tracked.arcs.partition_point(|&a| a <= from + clearance);
    let last = tracked.arcs.partition_point(|&a| a < to - clearance);
    (first..last)
        .map(|k| (&tracked.knots[k], tracked.arcs[k]))
        .collect()
}

/// How much wider the circle through vertices is than a cut of the facets, by the two stations.
fn widening(tracked: &Line, a: &Station, b: &Station) -> f64 {
    let ratio = |station: &Station, side: usize| {
        let foot = tracked.project(&station.knot.position);
        foot.map(|f| station.knot.radii[side] / f.radius)
    };
    let known = [ratio(a, 1), ratio(b, 0)];
    let n = known.iter().flatten().count().max(1);
    (known.iter().flatten().sum::<f64>() / n as f64).clamp(1.0, 1.15)
}
