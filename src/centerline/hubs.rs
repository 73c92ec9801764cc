//! Nodes of a union that the flat ends of its branches tell.
//!
//! Branches that leave a trunk at flat angles run in it for many radii: they come out far from their node. What is left
//! of their flat ends in the surface tells where it is; an open end that heads for it, through the solid, is led there.

use super::ends::end_of;
use super::flat_ends::{FlatEnd, flat_ends};
use super::join::Piece;
use super::line::{Knot, Line};
use super::seed::ray_meets;
use super::shell::{Shell, Shells};
use super::track::Stop;
use crate::geom::Vec3;
use crate::parallel;

/// Flat ends whose middles are within this part of the thinner radius are of one node.
const ONE_NODE: f64 = 0.25;
/// A branch has the radius of its flat end to within this part.
const SAME_RADIUS: f64 = 0.03;
/// A line that passes a node within this part of its radius goes through it.
const THROUGH: f64 = 0.5;
/// An end is led to a node so many of its radii ahead, at most, and so many of the widest flat end there,
const AHEAD: [f64; 2] = [30.0, 2.0];
/// which it heads for with at least this cosine,
const HEADS_FOR: f64 = 0.6;
/// and if it passed it, so many radii behind.
const BEHIND: f64 = 4.0;
/// So many radii from a hub, an end is there.
const THERE: f64 = 1.0;
/// A node that has a flat end of the branch is preferred to one that is nearer, but not by this factor.
const FITS: f64 = 0.3;
/// The way to the node must run in the solid at so many places.
const PLACES: usize = 9;
/// How sure a line is where it was led through the solid to the flat end of its branch, or to one of others.
const CONFIDENCE: [f64; 2] = [0.6, 0.4];

/// What ends and lines have found.
#[derive(Default)]
pub struct Hubs {
    pub positions: Vec<Vec3>,
    /// Pieces and sides that end there, with the hub.
    ends: Vec<(usize, usize, usize)>,
    /// Pieces that go through, where, with the hub.
    pub through: Vec<(usize, f64, usize)>,
}

impl Hubs {
    /// The hub at which a piece ends.
    pub fn at_end(&self, piece: usize, side: usize) -> Option<usize> {
        let is_of = |e: &&(usize, usize, usize)| (e.0, e.1) == (piece, side);
        self.ends.iter().find(is_of).map(|e| e.2)
    }
}

/// A node, and what is left of the flat ends there.
struct Hub {
    shell: usize,
    position: Vec3,
    flat_ends: Vec<FlatEnd>,
}

/// A new last stretch of a line.
struct Lead {
    /// The knot from which on inwards the line stays.
    from: usize,
    /// What comes outside of it, in the order of the line.
    knots: Vec<Knot>,
}

/// A way from an open end to a hub.
struct Way {
    cost: f64,
    piece: usize,
    side: usize,
    hub: usize,
    /// Number of the flat end there that fits.
    flat_end: Option<usize>,
    lead: Lead,
}

/// Finds the hubs of all shells, and leads open ends of pieces there.
pub fn lead_to_hubs(pieces: &mut [Piece], shells: &Shells) -> Hubs {
    let hubs = all_hubs(pieces, shells);
    let mut ways = all_ways(pieces, &hubs, shells);
    ways.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let is_taken = |h: &Hub| vec![false; h.flat_ends.len()];
    let mut taken: Vec<Vec<bool>> = hubs.iter().map(is_taken).collect();
    let mut leads: Vec<[Option<Lead>; 2]> = pieces.iter().map(|_| [None, None]).collect();
    let mut result = Hubs {
        positions: hubs.iter().map(|h| h.position).collect(),
        ..Hubs::default()
    };
    for way in ways {
        let is_free = way.flat_end.is_none_or(|k| !taken[way.hub][k]);
        if result.at_end(way.piece, way.side).is_some() || !is_free {
            continue;
        }
        if let Some(k) = way.flat_end {
            taken[way.hub][k] = true;
        }
        leads[way.piece][way.side] = Some(way.lead);
        result.ends.push((way.piece, way.side, way.hub));
    }
    for (piece, leads) in pieces.iter_mut().zip(leads) {
        if leads.iter().any(Option::is_some) {
            piece.line = with(&piece.line, leads);
        }
    }
    go_through(pieces, &hubs, &mut result);
    result
}

/// The line with new stretches at its ends.
fn with(line: &Line, [first, last]: [Option<Lead>; 2]) -> Line {
    let mut knots = Vec::new();
    let from = first.as_ref().map_or(0, |l| l.from);
    let to = last.as_ref().map_or(line.knots.len(), |l| l.from + 1);
    knots.extend(first.into_iter().flat_map(|l| l.knots));
    knots.extend(line.knots.get(from..to).unwrap_or_default());
    knots.extend(last.into_iter().flat_map(|l| l.knots));
    Line::new(knots, false)
}

/// The hubs of all shells in which a branch has an open end.
fn all_hubs(pieces: &[Piece], shells: &Shells) -> Vec<Hub> {
    let has_open = |k: usize| {
        let own = pieces.iter().filter(|p| p.shell == k);
        let is_open = |stop: &Stop| *stop != Stop::Cap;
        own.filter(|p| !p.line.is_closed)
            .any(|p| p.stops.iter().any(is_open))
    };
    let with_open: Vec<usize> = (0..shells.list.len()).filter(|&k| has_open(k)).collect();
    let found = parallel::map(with_open, |k| hubs_of(k, &shells.list[k], pieces));
    found.into_iter().flatten().collect()
}

/// The ways from all open ends to hubs of their shells.
fn all_ways(pieces: &[Piece], hubs: &[Hub], shells: &Shells) -> Vec<Way> {
    let mut all = Vec::new();
    for (i, piece) in pieces.iter().enumerate() {
        for side in 0..2 {
            if piece.stops[side] == Stop::Cap || piece.line.is_closed {
                continue;
            }
            for (hub, place) in hubs.iter().enumerate() {
                if place.shell == piece.shell {
                    let found = ways(&shells.list[piece.shell], pieces, [i, side], place);
                    all.extend(found.into_iter().map(|(cost, flat_end, lead)| Way {
                        cost,
                        piece: i,
                        side,
                        hub,
                        flat_end,
                        lead,
                    }));
                }
            }
        }
    }
    all
}

/// The hubs of a shell.
fn hubs_of(number: usize, shell: &Shell, pieces: &[Piece]) -> Vec<Hub> {
    let mut hubs: Vec<Hub> = Vec::new();
    let widths: Vec<f64> = (pieces.iter().filter(|p| p.shell == number))
        .map(|p| p.width)
        .collect();
    for end in flat_ends(shell) {
        let is_alike = |width: &f64| (end.radius / width - 1.0).abs() < SAME_RADIUS;
        if !widths.iter().any(is_alike) {
            continue;
        }
        let is_near = |h: &&mut Hub| {
            let thin = (h.flat_ends.iter()).fold(end.radius, |r, e| r.min(e.radius));
            (h.position - end.center).norm() < ONE_NODE * thin
        };
        match hubs.iter_mut().find(is_near) {
            Some(hub) => hub.flat_ends.push(end),
            None => hubs.push(Hub {
                shell: number,
                position: end.center,
                flat_ends: vec![end],
            }),
        }
    }
    hubs
}

/// A cost, the number of the flat end that fits, and the way itself.
type Candidate = (f64, Option<usize>, Lead);

/// The ways from an open end to a hub: to each flat end that fits, and one for want of such.
fn ways(shell: &Shell, pieces: &[Piece], [i, side]: [usize; 2], hub: &Hub) -> Vec<Candidate> {
    let piece = &pieces[i];
    let line = &piece.line;
    if let Some((over, lead)) = cut_back(line, side, &hub.position) {
        return vec![(over / piece.width, None, lead)];
    }
    let cleared = match piece.stops[side] {
        Stop::Merged(other) => clear_of(line, side, &pieces[other].line),
        _ => None,
    };
    let from = |knot: usize| ways_from(shell, line, side, knot, hub);
    let found = cleared.map_or_else(Vec::new, from);
    if found.is_empty() {
        from(if side == 0 { 0 } else { line.knots.len() - 1 })
    } else {
        found
    }
}

/// The ways from a knot of a line.
fn ways_from(shell: &Shell, line: &Line, side: usize, knot: usize, hub: &Hub) -> Vec<Candidate> {
    let end = outwards(&line.knots[knot], side);
    let outward = end.tangent;
    let radius = end.radii[0];
    let to = hub.position - end.position;
    let distance = to.norm();
    let wide = (hub.flat_ends.iter()).fold(0.0_f64, |r, e| r.max(e.radius));
    if distance > AHEAD[0] * radius + AHEAD[1] * wide || to.dot(&outward) < HEADS_FOR * distance {
        return Vec::new();
    }
    let straight = to / distance;
    let cost = |along: &Vec3| {
        let turn = outward.angle(&straight) + straight.angle(along);
        distance / radius * (1.0 + turn)
    };
    let arc = |along: Vec3, confidence: f64| {
        let goal = Knot {
            position: hub.position,
            tangent: along,
            confidence,
            ..end
        };
        Line::dense(&[Knot { confidence, ..end }, goal], false, 0.5, 0.1)
    };
    let mut found = Vec::new();
    for (k, flat) in hub.flat_ends.iter().enumerate() {
        let is_alike = (flat.radius / radius - 1.0).abs() < SAME_RADIUS;
        if is_alike && -flat.inward.dot(&straight) > HEADS_FOR {
            let along = -flat.inward;
            found.push((FITS * cost(&along), Some(k), arc(along, CONFIDENCE[0])));
        }
    }
    // The end of the arc that leaves along the line.
    let along = straight * (2.0 * straight.dot(&outward)) - outward;
    found.push((cost(&along), None, arc(along, CONFIDENCE[1])));
    let is_in_solid = |arc: &Line| {
        let length = arc.length();
        (1..=PLACES).all(|k| {
            let at = length * (k as f64 - 0.5) / PLACES as f64;
            is_inside(shell, &arc.at(at).position)
        })
    };
    found.retain(|(_, _, arc)| is_in_solid(arc));
    let lead = |arc: &Line| {
        let mut knots: Vec<Knot> = arc.knots[1..].iter().map(|k| outwards(k, side)).collect();
        if side == 0 {
            knots.reverse();
        }
        Lead { from: knot, knots }
    };
    let found = found.into_iter();
    found
        .map(|(cost, flat, arc)| (cost, flat, lead(&arc)))
        .collect()
}

/// The knot with its tangent out of the line at a side; done twice it is what it was.
fn outwards(knot: &Knot, side: usize) -> Knot {
    let mut turned = *knot;
    if side == 0 {
        turned.tangent = -turned.tangent;
        turned.radii.reverse();
    }
    turned
}

/// The knot behind which a line runs in another tube, where sections tell where that one goes. `None` of what is mostly
/// in it.
fn clear_of(line: &Line, side: usize, other: &Line) -> Option<usize> {
    let is_clear = |k: &Knot| {
        let foot = other.project(&k.position);
        foot.is_none_or(|f| f.distance > f.radius.max(k.radii[0]))
    };
    let n = line.knots.len();
    if side == 0 {
        let from = line.knots.iter().position(is_clear)?;
        (2 * from < n).then_some(from)
    } else {
        let from = line.knots.iter().rposition(is_clear)?;
        (2 * from >= n).then_some(from)
    }
}

/// The line led to a place that it passes shortly before its end, without what goes on behind, and how much that was.
fn cut_back(line: &Line, side: usize, to: &Vec3) -> Option<(f64, Lead)> {
    let foot = line.project(to)?;
    let length = line.length();
    let over = if side == 0 {
        foot.arc
    } else {
        length - foot.arc
    };
    let is_passed = over > -THERE * foot.radius
        && over < (BEHIND * foot.radius).min(0.5 * length)
        && foot.distance < THROUGH * foot.radius;
    let margin = 0.1 * foot.radius;
    let from = if side == 0 {
        line.arcs.iter().position(|a| *a > foot.arc + margin)?
    } else {
        line.arcs.iter().rposition(|a| *a < foot.arc - margin)?
    };
    let end = Knot {
        position: *to,
        tangent: foot.tangent,
        ..line.knots[from]
    };
    let knots = vec![end];
    is_passed.then_some((over, Lead { from, knots }))
}

/// Whether a place is in the solid: rays from it come out through the surface, two of three.
fn is_inside(shell: &Shell, p: &Vec3) -> bool {
    let is_odd = |direction: &&Vec3| {
        let mut n = 0;
        shell.bvh.visit_ray(p, direction, |t| {
            n += usize::from(ray_meets(&shell.corners(t), p, direction).is_some());
        });
        n % 2 == 1
    };
    let directions = [
        Vec3::new(0.36, 0.48, 0.80),
        Vec3::new(-0.71, 0.22, 0.67),
        Vec3::new(0.15, -0.93, 0.34),
    ];
    directions.iter().filter(is_odd).count() > 1
}

/// The lines that go through hubs, and those that have a cap there.
fn go_through(pieces: &[Piece], hubs: &[Hub], result: &mut Hubs) {
    for (h, hub) in hubs.iter().enumerate() {
        for (i, piece) in pieces.iter().enumerate() {
            let ends_here = result.ends.iter().any(|e| (e.0, e.2) == (i, h));
            if piece.shell != hub.shell || ends_here {
                continue;
            }
            // A branch of which the flat end was taken for its cap.
            let capped = (0..2)
                .find(|&side| result.at_end(i, side).is_none() && is_capped_at(piece, side, hub));
            if let Some(side) = capped {
                result.ends.push((i, side, h));
                continue;
            }
            let Some(foot) = piece.line.project(&hub.position) else {
                continue;
            };
            if foot.distance > THROUGH * foot.radius {
                continue;
            }
            let over = [foot.arc, piece.line.length() - foot.arc];
            let at = (0..2).find(|&side| over[side] < foot.radius && !piece.line.is_closed);
            match at {
                Some(side) if result.at_end(i, side).is_none() => result.ends.push((i, side, h)),
                Some(_) => {}
                None => result.through.push((i, foot.arc, h)),
            }
        }
    }
}

/// Whether the end of a piece has a cap that is one of the flat ends of a hub.
fn is_capped_at(piece: &Piece, side: usize, hub: &Hub) -> bool {
    let Some((end, outward)) = end_of(&piece.line, side) else {
        return false;
    };
    let radius = end.radii[0];
    let fits = |flat: &FlatEnd| {
        (flat.radius / radius - 1.0).abs() < SAME_RADIUS && -flat.inward.dot(&outward) > HEADS_FOR
    };
    piece.stops[side] == Stop::Cap
        && (hub.position - end.position).norm() < 1.5 * THERE * radius
        && hub.flat_ends.iter().any(fits)
}
