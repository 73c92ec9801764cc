//! Branches that run along each other before they part.

use super::ends::end_of;
use super::hubs::Hubs;
use super::join::Piece;
use super::line::{Foot, Knot, Line};
use super::shell::{Shell, Shells};
use super::slice::{Loop, Plane, Vec2, slice};
use super::track::Stop;

/// Cosine from which on a branch that merges into another runs along it,
const RUNS_ALONG: f64 = 0.9;
/// as seen over so many of its radii,
const SEEN_OVER: f64 = 3.0;
/// for no more than so many of its radii;
const ALONGSIDE: f64 = 8.0;
/// these two where both surfaces are there, one in the other.
const RUNS_IN: f64 = 0.5;
const INSIDE_EACH_OTHER: f64 = 16.0;

/// Branches that run along each other before they part begin where the other one does: those that merge into another
/// are led along it to its end, unless they were led to a hub.
pub fn lead_to_beginnings(pieces: &mut [Piece], hubs: &Hubs, shells: &Shells) {
    for i in 0..pieces.len() {
        let shell = &shells.list[pieces[i].shell];
        for side in 0..2 {
            if let Stop::Merged(other) = pieces[i].stops[side]
                && hubs.at_end(i, side).is_none()
                && let Some(line) = led_to_beginning(shell, &pieces[i].line, side, &pieces[other])
            {
                pieces[i].line = line;
            }
        }
    }
}

fn led_to_beginning(shell: &Shell, own: &Line, side: usize, other: &Piece) -> Option<Line> {
    let (end, _) = end_of(own, side)?;
    let radius = end.radii[0];
    let line = &other.line;
    let foot = line.project(&end.position)?;
    let back = if side == 0 {
        SEEN_OVER * radius
    } else {
        own.length() - SEEN_OVER * radius
    };
    // The way that it came, and the way on: tangents tell neither where two tubes part.
    let came = end.position - own.at(back).position;
    let is_begin = |at: usize| {
        let (ahead, sign) = [(foot.arc, -1.0), (line.length() - foot.arc, 1.0)][at];
        let on = line.at(foot.arc + sign * ahead.min(SEEN_OVER * radius));
        let way = on.position - end.position;
        let cosine = way.dot(&came) / (way.norm() * came.norm()).max(f64::MIN_POSITIVE);
        let is_along = |[least, most]: [f64; 2]| cosine > least && ahead < most * radius;
        let half_way = line.at(foot.arc + 0.5 * sign * ahead);
        other.stops[at] != Stop::Blocked
            && ahead > 0.0
            && (is_along([RUNS_ALONG, ALONGSIDE])
                || is_along([RUNS_IN, INSIDE_EACH_OTHER]) && is_double(shell, &half_way))
    };
    if line.is_closed {
        return None;
    }
    let at = (0..2).find(|at| is_begin(*at))?;
    // Knots of the other from there to its end, all but the nearest, turned as they are walked.
    let clear = |arc: f64| {
        if at == 0 {
            arc < foot.arc - radius
        } else {
            arc > foot.arc + radius
        }
    };
    let ahead = line.knots.iter().zip(&line.arcs);
    let mut ahead: Vec<Knot> = (ahead.filter(|(_, arc)| clear(**arc)))
        .map(|(knot, _)| *knot)
        .collect();
    if ahead.is_empty() {
        ahead.extend(end_of(line, at).map(|(knot, _)| knot));
    }
    if at != side {
        ahead.reverse();
        for knot in &mut ahead {
            knot.tangent = -knot.tangent;
            knot.radii.reverse();
        }
    }
    let knots = if side == 0 {
        [&ahead, &own.knots[..]].concat()
    } else {
        [&own.knots[..], &ahead].concat()
    };
    Some(Line::new(knots, false))
}

/// Whether two tubes of a shell run in one another at a place.
fn is_double(shell: &Shell, at: &Foot) -> bool {
    let plane = Plane::new(at.position, at.tangent);
    let loops = slice(shell, &plane, &at.position, 2.0 * at.radius);
    let is_tube = |l: &&Loop| {
        let radius = (l.area / std::f64::consts::PI).sqrt();
        l.is_closed && l.encloses(&Vec2::zeros()) && (0.7..1.3).contains(&(radius / at.radius))
    };
    loops.iter().filter(is_tube).count() > 1
}
