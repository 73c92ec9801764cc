//! Tubes round other tubes: sleeves, tape, the inner walls of hoses, clips.

use super::join::Piece;
use super::line::{Knot, Line};

/// Lines nearer to each other than this part of the wider radius run in one another.
const COAXIAL: f64 = 0.4;
/// Samples along a line that is tested.
const N_SAMPLES: usize = 24;
/// The part of them that must lie in the other tube.
const MOST: f64 = 0.9;
/// A sleeve is at least so many of its radii long; what is shorter is a clip, and the radius stays the cable's.
const LEAST_SLEEVE: f64 = 3.0;

/// A tube thinner than this part of the one it runs in is neither its inner wall nor its core.
const THIN: f64 = 0.2;

/// Finds tubes round others and takes their radius over; returns which pieces go.
pub fn absorb(pieces: &mut [Piece]) -> Vec<bool> {
    let n = pieces.len();
    let mut is_absorbed = vec![false; n];
    // Short ones go into long ones.
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| {
        let length = |i: usize| pieces[i].line.length();
        length(a).total_cmp(&length(b)).then(a.cmp(&b))
    });
    for &inner in &order {
        for &outer in order.iter().rev() {
            if inner == outer
                || is_absorbed[outer]
                || is_absorbed[inner]
                || pieces[inner].shell == pieces[outer].shell
            {
                continue;
            }
            if pieces[inner].line.is_closed {
                is_absorbed[inner] = is_ring_round(&pieces[inner].line, &pieces[outer].line);
                continue;
            }
            let (short, long) = (&pieces[inner].line, &pieces[outer].line);
            // A thin cable in a wide one, or in a conduit, is a cable of its own.
            let thin = short.largest_radius() < THIN * long.largest_radius();
            if long.length() < short.length() || thin || !runs_in(short, long) {
                continue;
            }
            if let Some(line) = with_sleeve(short, long) {
                pieces[outer].line = line;
            }
            is_absorbed[inner] = true;
        }
    }
    is_absorbed
}

fn runs_in(short: &Line, long: &Line) -> bool {
    let wide = short.largest_radius().max(long.largest_radius());
    if !short
        .aabb()
        .inflated(wide)
        .intersects(&long.aabb().inflated(wide))
    {
        return false;
    }
    let n_inside = (0..N_SAMPLES)
        .filter(|&i| {
            let at = short.at(short.length() * (i as f64 + 0.5) / N_SAMPLES as f64);
            long.project(&at.position).is_some_and(|foot| {
                let is_on = (0.0..=long.length()).contains(&foot.arc) || long.is_closed;
                is_on
                    && foot.distance < COAXIAL * foot.radius.max(at.radius)
                    && foot.tangent.dot(&at.tangent).abs() > 0.9
            })
        })
        .count();
    n_inside as f64 >= MOST * N_SAMPLES as f64
}

/// The long line with the radius of a sleeve where it lies round it.
fn with_sleeve(sleeve: &Line, long: &Line) -> Option<Line> {
    let radius = super::track::median(sleeve.knots.iter().map(|k| k.radii[0]));
    let first = long.project(&sleeve.knots.first()?.position)?.arc;
    let last = long.project(&sleeve.knots.last()?.position)?.arc;
    let (from, to) = (first.min(last).max(0.0), first.max(last).min(long.length()));
    let under = long.at(0.5 * (from + to)).radius;
    if to - from < LEAST_SLEEVE * radius || radius <= under {
        return None;
    }
    let step = |arc: f64, radii: [f64; 2]| {
        let at = long.at(arc);
        Knot {
            position: at.position,
            tangent: at.tangent,
            radii,
            confidence: 1.0,
        }
    };
    let (before, after) = (long.at(from).radius, long.at(to).radius);
    let mut knots: Vec<Knot> = Vec::new();
    let near = 0.02 * under;
    for (knot, &arc) in long.knots.iter().zip(&long.arcs) {
        if arc < from - near {
            knots.push(*knot);
        }
    }
    knots.push(step(from, [before, radius]));
    for (knot, &arc) in long.knots.iter().zip(&long.arcs) {
        if arc > from + near && arc < to - near {
            knots.push(Knot {
                radii: [radius; 2],
                ..*knot
            });
        }
    }
    knots.push(step(to, [radius, after]));
    for (knot, &arc) in long.knots.iter().zip(&long.arcs) {
        if arc > to + near {
            knots.push(*knot);
        }
    }
    Some(Line::new(knots, long.is_closed))
}

/// Whether a line goes through a closed ring that is hardly wider than it.
fn is_ring_round(ring: &Line, line: &Line) -> bool {
    let n = ring.knots.len() as f64;
    let center = ring
        .knots
        .iter()
        .map(|k| k.position)
        .sum::<crate::geom::Vec3>()
        / n;
    let radius = ring.length() / std::f64::consts::TAU;
    line.project(&center).is_some_and(|foot| {
        foot.distance < 0.6 * radius
            && radius < 4.0 * foot.radius
            && (0.0..=line.length()).contains(&foot.arc)
    })
}
