//! From the tubes of all shells to one graph: sleeves go, ends meet, junctions are solved, branches are cut.

use super::beginnings::lead_to_beginnings;
use super::contacts::{Contact, LOOK_AHEAD, find_contacts};
use super::ends::end_of;
use super::graph::{CenterlineGraph, ComponentInfo, ComponentKind, CurvePoint, Warning};
use super::hubs::{Hubs, lead_to_hubs};
use super::line::{Knot, Line};
use super::rejection::{reject_short, seated, too_short};
use super::shell::Shells;
use super::trace::Trace;
use super::track::Stop;
use super::{Settings, assemble, sleeves, verify};
use crate::geom::{Aabb, Mat3, Vec3};
use crate::mesh::DisjointSets;

/// A gap beyond this part of the radius is told.
const GAP: f64 = 0.03;
/// A gap of fewer radii between ends that face each other is told.
const GAP_TOLD: f64 = 4.0;
/// A part of the area beyond this that belongs to no tube is told.
const UNEXPLAINED: f64 = 0.02;

/// So is a place where more than so many squares of the thinnest tube's radius belong to none.
const UNEXPLAINED_PLACE: f64 = 5.0;

/// A tube, with what joining needs.
pub struct Piece {
    pub line: Line,
    pub shell: usize,
    pub stops: [Stop; 2],
    /// Half its width.
    pub width: f64,
    /// Whether most of its sections are circles.
    pub is_round: bool,
}

/// An end of a piece.
#[derive(Clone, Copy)]
pub struct End {
    pub piece: usize,
    pub side: usize,
    pub knot: Knot,
    pub outward: Vec3,
}

impl End {
    pub fn radius(&self) -> f64 {
        self.knot.radii[0]
    }
}

/// Where ends meet: at each other, or on the side of a piece.
pub struct Meeting {
    pub ends: Vec<usize>,
    /// Pieces on whose side they meet, with the arc length there.
    pub on: Vec<(usize, f64)>,
    pub position: Vec3,
}

/// Joins everything.
pub fn join(shells: &Shells, traces: Vec<Trace>, settings: &Settings) -> CenterlineGraph {
    let mut pieces = Vec::new();
    let mut warnings = Vec::new();
    let mut kinds: Vec<ComponentKind> = Vec::new();
    for (shell, trace) in traces.into_iter().enumerate() {
        let first = pieces.len();
        match trace.reason {
            Some(reason) => {
                kinds.push(ComponentKind::Rejected(reason));
                warnings.push(Warning::NoCable {
                    component: shell,
                    reason,
                });
            }
            None => kinds.push(ComponentKind::Cable {
                branches: Vec::new(),
            }),
        }
        let is_large = |place: &&(Vec3, f64)| place.1 > UNEXPLAINED_PLACE;
        let mut places: Vec<Vec3> = (trace.unexplained_at.iter().filter(is_large))
            .map(|(place, _)| place + shells.origin)
            .collect();
        if places.is_empty() && trace.unexplained > UNEXPLAINED {
            let largest = trace.unexplained_at.first();
            places.extend(largest.map(|(place, _)| place + shells.origin));
        }
        if trace.reason.is_none() && !places.is_empty() {
            warnings.push(Warning::Unexplained {
                component: shell,
                percent: 100.0 * trace.unexplained,
                places,
            });
        }
        pieces.extend(trace.tubes.into_iter().map(|tube| Piece {
            line: tube.line,
            shell,
            width: tube.width,
            is_round: tube.is_round,
            stops: tube.stops.map(|stop| match stop {
                Stop::Merged(k) => Stop::Merged(first + k),
                other => other,
            }),
        }));
    }
    let mut components = describe(shells, kinds);
    let hubs = lead_to_hubs(&mut pieces, shells);
    lead_to_beginnings(&mut pieces, &hubs, shells);
    let is_sleeve = sleeves::absorb(&mut pieces);
    let ends = ends_of(&pieces, &is_sleeve);
    let contacts = find_contacts(&pieces, &ends, &is_sleeve, &hubs, settings);
    let meetings = meet(&pieces, &ends, &contacts, &hubs);
    let is_short = if settings.insist {
        vec![false; pieces.len()]
    } else {
        too_short(&pieces, &ends, &meetings, &is_sleeve)
    };
    for (i, piece) in pieces.iter().enumerate().filter(|(i, _)| is_short[*i]) {
        reject_short(i, piece, &pieces, &is_short, &mut components, &mut warnings);
    }
    let is_seated = seated(shells, &pieces, &mut components, &mut warnings, settings);
    let is_left_out: Vec<bool> = (0..pieces.len())
        .map(|i| is_sleeve[i] || is_short[i] || is_seated[i])
        .collect();
    // What is no cable after all has no surface to be explained.
    warnings.retain(|warning| match warning {
        Warning::Unexplained { component, .. } => {
            !matches!(components[*component].kind, ComponentKind::Rejected(_))
        }
        _ => true,
    });
    for (piece, _) in pieces.iter().zip(&is_left_out).filter(|(_, out)| !**out) {
        if !piece.is_round {
            warnings.push(not_round(piece, &shells.origin));
        }
    }
    for meeting in &meetings {
        if meeting.ends.iter().all(|&e| is_short[ends[e].piece]) {
            continue;
        }
        warn_of(meeting, &pieces, &ends, &shells.origin, &mut warnings);
    }
    warn_of_gaps(
        &pieces,
        &ends,
        &meetings,
        &is_left_out,
        shells,
        &mut warnings,
    );
    let mut graph = assemble::assemble(
        shells,
        &pieces,
        &is_left_out,
        &ends,
        &meetings,
        components,
        warnings,
    );
    verify::verify(shells, &mut graph);
    graph
}

/// Tells along the whole of a piece that its section is not round.
fn not_round(piece: &Piece, origin: &Vec3) -> Warning {
    let line = &piece.line;
    let point = |arc: f64| {
        let at = line.at(arc);
        CurvePoint {
            position: at.position + origin,
            radius: at.radius,
            confidence: 1.0,
        }
    };
    let middle = point(0.5 * line.length());
    let n = (line.length() / middle.radius).ceil().clamp(2.0, 10_000.0);
    let along: Vec<CurvePoint> = (0..=n as usize)
        .map(|i| point(line.length() * i as f64 / n))
        .collect();
    Warning::NotRound {
        places: assemble::spread(&along),
        radius: middle.radius,
        reach: piece.width,
    }
}

/// Tells of ends that face each other across a gap too wide to be joined unasked.
fn warn_of_gaps(
    pieces: &[Piece],
    ends: &[End],
    meetings: &[Meeting],
    is_left_out: &[bool],
    shells: &Shells,
    warnings: &mut Vec<Warning>,
) {
    let is_free = |e: usize| {
        let alone = |m: &Meeting| m.ends == [e] && m.on.is_empty();
        !is_left_out[ends[e].piece]
            && pieces[ends[e].piece].stops[ends[e].side] == Stop::Cap
            && meetings.iter().any(alone)
    };
    let free: Vec<&End> = (0..ends.len())
        .filter(|&e| is_free(e))
        .map(|e| &ends[e])
        .collect();
    for (i, a) in free.iter().enumerate() {
        for b in &free[..i] {
            let between = b.knot.position - a.knot.position;
            let gap = between.norm();
            let thin = a.radius().min(b.radius());
            let off_axis = (between - a.outward * between.dot(&a.outward)).norm();
            if gap < GAP_TOLD * thin
                && a.outward.dot(&b.outward) < -0.8
                && off_axis < 0.3 * thin
                && (a.radius() / b.radius() - 1.0).abs() < 0.25
            {
                warnings.push(Warning::GapLeft {
                    position: a.knot.position + between * 0.5 + shells.origin,
                    gap,
                });
            }
        }
    }
}

fn describe(shells: &Shells, kinds: Vec<ComponentKind>) -> Vec<ComponentInfo> {
    shells
        .list
        .iter()
        .zip(kinds)
        .map(|(shell, kind)| {
            let aabb = Aabb::of_points(&shell.vertices);
            ComponentInfo {
                n_triangles: shell.triangles.len(),
                area: shell.area,
                aabb: Aabb {
                    min: aabb.min + shells.origin,
                    max: aabb.max + shells.origin,
                },
                kind,
            }
        })
        .collect()
}

fn ends_of(pieces: &[Piece], is_sleeve: &[bool]) -> Vec<End> {
    let mut ends = Vec::new();
    for (piece, p) in pieces.iter().enumerate() {
        if p.line.is_closed || is_sleeve[piece] {
            continue;
        }
        for side in 0..2 {
            if let Some((knot, outward)) = end_of(&p.line, side) {
                ends.push(End {
                    piece,
                    side,
                    knot,
                    outward,
                });
            }
        }
    }
    ends
}

/// Groups of ends that have found each other, with the place where they meet.
fn meet(pieces: &[Piece], ends: &[End], contacts: &[Vec<Contact>], hubs: &Hubs) -> Vec<Meeting> {
    // Sides count as further members: one for each place on a piece. So do hubs, which come behind the ends.
    let first_place = ends.len() + hubs.positions.len();
    let mut places: Vec<(usize, f64)> = hubs.through.iter().map(|t| (t.0, t.1)).collect();
    let through = hubs.through.iter().enumerate();
    let mut links: Vec<(usize, usize)> = through
        .map(|(place, t)| (ends.len() + t.2, first_place + place))
        .collect();
    for (e, found) in contacts.iter().enumerate() {
        for contact in found {
            match *contact {
                Contact::WithEnd(other) => links.push((e, other)),
                Contact::OnSide { piece, arc } => {
                    let near = ends[e].radius().max(pieces[piece].line.at(arc).radius);
                    let known = places
                        .iter()
                        .position(|&(p, a)| p == piece && (a - arc).abs() < near);
                    let place = known.unwrap_or_else(|| {
                        places.push((piece, arc));
                        places.len() - 1
                    });
                    links.push((e, first_place + place));
                }
                Contact::AtHub(hub) => links.push((e, ends.len() + hub)),
            }
        }
    }
    let mut sets = DisjointSets::new(first_place + places.len());
    for (a, b) in links {
        sets.join(a as u32, b as u32);
    }
    let mut meetings = Vec::new();
    for root in 0..ends.len() as u32 {
        if sets.root(root) != root {
            continue;
        }
        let members: Vec<usize> = (0..ends.len())
            .filter(|&e| sets.root(e as u32) == root)
            .collect();
        let mut on: Vec<(usize, f64)> = (0..places.len())
            .filter(|&p| sets.root((first_place + p) as u32) == root)
            .map(|p| places[p])
            .collect();
        on.sort_by_key(|&(piece, _)| piece);
        on.dedup_by_key(|&mut (piece, _)| piece);
        let hub = (0..hubs.positions.len()).find(|h| sets.root((ends.len() + h) as u32) == root);
        let position = if let Some(hub) = hub {
            hubs.positions[hub]
        } else if on.is_empty() {
            meeting_point(pieces, ends, &members)
        } else {
            let at = |&(piece, arc): &(usize, f64)| pieces[piece].line.at(arc).position;
            on.iter().map(at).sum::<Vec3>() / on.len() as f64
        };
        meetings.push(Meeting {
            ends: members,
            on,
            position,
        });
    }
    meetings
}

/// The point nearest to all axes, in the sense of least squares; the mean of the ends where they are at one place.
fn meeting_point(pieces: &[Piece], ends: &[End], members: &[usize]) -> Vec3 {
    let n = members.len() as f64;
    let mean_of = |of: &[usize]| {
        let all = of.iter().map(|&e| ends[e].knot.position);
        all.sum::<Vec3>() / of.len() as f64
    };
    let mean = mean_of(members);
    // Caps tell the place; axes that leave it side by side do not.
    let is_capped = |&e: &usize| pieces[ends[e].piece].stops[ends[e].side] == Stop::Cap;
    let capped: Vec<usize> = members.iter().copied().filter(is_capped).collect();
    if capped.len() == members.len() || capped.len() > 1 {
        return mean_of(&capped);
    }
    let mut normal = Mat3::identity() * (0.02 * n);
    let mut right = mean * (0.02 * n);
    let mut wide: f64 = 0.0;
    for &e in members {
        let end = &ends[e];
        let across = Mat3::identity() - end.outward * end.outward.transpose();
        normal += across;
        right += across * end.knot.position;
        wide = wide.max(end.radius());
    }
    normal
        .lu()
        .solve(&right)
        .filter(|p| (p - mean).norm() < LOOK_AHEAD * wide)
        .unwrap_or(mean)
}

/// The widest gap between the pieces of a meeting, where it is more than that of a tessellation.
fn gap_of(meeting: &Meeting, pieces: &[Piece], ends: &[End]) -> Option<f64> {
    let is_capped = |e: usize| pieces[ends[e].piece].stops[ends[e].side] == Stop::Cap;
    let gap = |e: usize| {
        let end = &ends[e];
        let to_side = |&(piece, _): &(usize, f64)| {
            let foot = pieces[piece].line.project(&end.knot.position);
            foot.map_or(0.0, |f| f.distance - f.radius)
        };
        let to_end = |&other: &usize| (ends[other].knot.position - end.knot.position).norm();
        let others = meeting.ends.iter().filter(|&&o| o != e).map(to_end);
        meeting
            .on
            .iter()
            .map(to_side)
            .chain(others)
            .fold(f64::INFINITY, f64::min)
    };
    meeting
        .ends
        .iter()
        .filter(|&&e| is_capped(e) && gap(e).is_finite() && gap(e) > GAP * ends[e].radius())
        .map(|&e| gap(e))
        .fold(None, |widest, g| Some(widest.map_or(g, |w: f64| w.max(g))))
}

fn warn_of(
    meeting: &Meeting,
    pieces: &[Piece],
    ends: &[End],
    origin: &Vec3,
    warnings: &mut Vec<Warning>,
) {
    let stop = |e: &usize| pieces[ends[*e].piece].stops[ends[*e].side];
    if let Some(gap) = gap_of(meeting, pieces, ends) {
        warnings.push(Warning::JoinedAcrossGap {
            position: meeting.position + origin,
            gap,
        });
    }
    match &meeting.ends[..] {
        _ if !meeting.on.is_empty() => {}
        [only] if stop(only) != Stop::Cap => warnings.push(Warning::EndsAtBody {
            position: ends[*only].knot.position + origin,
        }),
        [a, b] if stop(a) != Stop::Cap && stop(b) != Stop::Cap => {
            let length = (ends[*a].knot.position - ends[*b].knot.position).norm();
            warnings.push(Warning::Bridged {
                position: meeting.position + origin,
                length,
            });
        }
        _ => {}
    }
}
