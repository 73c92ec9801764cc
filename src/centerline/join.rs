//! From the tubes of all shells to one graph: sleeves go, ends meet, junctions are solved, branches are cut.

use super::ends::end_of;
use super::graph::{CenterlineGraph, ComponentInfo, ComponentKind, NotATube, Warning};
use super::line::{Knot, Line, distance_to_triangle};
use super::shell::{Disjoint, Shell, Shells};
use super::trace::Trace;
use super::track::Stop;
use super::{Settings, assemble, sleeves};
use crate::geom::{Aabb, Mat3, Vec3};

/// How far ahead of a blocked end its partners are looked for, in radii of the wider of the two.
const LOOK_AHEAD: f64 = 3.5;
/// Axes that pass each other within this part of the wider radius meet.
const MEETS: f64 = 0.8;
/// Ends of two shells within this part of the wider radius are at one place.
const SAME_PLACE: f64 = 0.75;
/// An end inside another tube, nearer to its line than this part of the radius, is of that tube's junction.
const INSIDE: f64 = 0.75;
/// Cosine of the flattest angle at which an end that only touches a side is taken as a branch.
const BRANCHES_OFF: f64 = 0.87;
/// A gap beyond this part of the radius is told.
const GAP: f64 = 0.03;
/// A cable with all its branches is at least so many times longer than half its width.
const SLENDER: f64 = 8.0;
/// A part of the area beyond this that belongs to no tube is told.
const UNEXPLAINED: f64 = 0.02;

/// Places round a ring at which it is asked whether it sits in a hole.
const RING_PLACES: usize = 48;
/// A ring is in the rim of a hole where the surface of the body is this many radii from its line.
const SEAT: f64 = 1.2;
/// It sits in the hole when that is so for this part of it.
const SEATED: f64 = 0.8;

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
    fn radius(&self) -> f64 {
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

/// What an end has found.
#[derive(Clone, Copy)]
enum Contact {
    WithEnd(usize),
    OnSide { piece: usize, arc: f64 },
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
        if trace.reason.is_none()
            && trace.unexplained > UNEXPLAINED
            && let Some(position) = trace.unexplained_at
        {
            warnings.push(Warning::Unexplained {
                component: shell,
                percent: 100.0 * trace.unexplained,
                position: position + shells.origin,
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
    let is_sleeve = sleeves::absorb(&mut pieces);
    let ends = ends_of(&pieces, &is_sleeve);
    let contacts = find_contacts(&pieces, &ends, &is_sleeve, settings);
    let meetings = meet(&pieces, &ends, &contacts);
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
            let middle = piece.line.at(0.5 * piece.line.length());
            warnings.push(Warning::NotRound {
                position: middle.position + shells.origin,
                radius: middle.radius,
                reach: piece.width,
            });
        }
    }
    for meeting in &meetings {
        if meeting.ends.iter().all(|&e| is_short[ends[e].piece]) {
            continue;
        }
        warn_of(meeting, &pieces, &ends, &shells.origin, &mut warnings);
    }
    assemble::assemble(
        shells,
        &pieces,
        &is_left_out,
        &ends,
        &meetings,
        components,
        warnings,
    )
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
                area: shell.area(),
                aabb: Aabb {
                    min: aabb.min + shells.origin,
                    max: aabb.max + shells.origin,
                },
                kind,
            }
        })
        .collect()
}

/// Which pieces are of a cable that, with all that it is joined to, is no longer than a bolt.
fn too_short(
    pieces: &[Piece],
    ends: &[End],
    meetings: &[Meeting],
    is_sleeve: &[bool],
) -> Vec<bool> {
    let mut sets = Disjoint::new(pieces.len());
    for meeting in meetings {
        let mut members = meeting
            .ends
            .iter()
            .map(|&e| ends[e].piece)
            .chain(meeting.on.iter().map(|&(piece, _)| piece));
        if let Some(first) = members.next() {
            for other in members {
                sets.join(first as u32, other as u32);
            }
        }
    }
    let mut lengths = vec![0.0; pieces.len()];
    let mut widths = vec![0.0_f64; pieces.len()];
    for (i, piece) in pieces.iter().enumerate().filter(|(i, _)| !is_sleeve[*i]) {
        let root = sets.root(i as u32) as usize;
        lengths[root] += piece.line.length();
        widths[root] = widths[root].max(piece.width);
    }
    (0..pieces.len())
        .map(|i| {
            let root = sets.root(i as u32) as usize;
            !is_sleeve[i] && !pieces[i].line.is_closed && lengths[root] < SLENDER * widths[root]
        })
        .collect()
}

/// Says of the component of a short piece that it is no cable, unless another piece of it is one.
fn reject_short(
    i: usize,
    piece: &Piece,
    pieces: &[Piece],
    is_short: &[bool],
    components: &mut [ComponentInfo],
    warnings: &mut Vec<Warning>,
) {
    let is_first = !pieces[..i].iter().any(|p| p.shell == piece.shell);
    let is_all = pieces
        .iter()
        .zip(is_short)
        .all(|(p, short)| *short || p.shell != piece.shell);
    if is_first && is_all {
        let reason = NotATube::TooShort {
            length: piece.line.length(),
            width: 2.0 * piece.width,
        };
        components[piece.shell].kind = ComponentKind::Rejected(reason);
        warnings.push(Warning::NoCable {
            component: piece.shell,
            reason,
        });
    }
}

/// Which pieces are rings that sit in a hole of a body that is no cable: grommets, which look like rings of cable.
fn seated(
    shells: &Shells,
    pieces: &[Piece],
    components: &mut [ComponentInfo],
    warnings: &mut Vec<Warning>,
    settings: &Settings,
) -> Vec<bool> {
    let is_body: Vec<bool> = components
        .iter()
        .map(|c| matches!(c.kind, ComponentKind::Rejected(_)))
        .collect();
    let touches = |shell: &Shell, p: &Vec3, reach: f64| {
        let mut near = false;
        shell.bvh.visit_ball(p, reach, |t| {
            near |= distance_to_triangle(p, &shell.corners(t)) < reach;
        });
        near
    };
    let mut is_seated = vec![false; pieces.len()];
    for (i, piece) in pieces.iter().enumerate() {
        let is_alone = pieces.iter().filter(|p| p.shell == piece.shell).count() == 1;
        if !piece.line.is_closed || !is_alone || settings.insist {
            continue;
        }
        let length = piece.line.length();
        let count = |body: &Shell| {
            (0..RING_PLACES)
                .filter(|&k| {
                    let at = piece.line.at(length * k as f64 / RING_PLACES as f64);
                    touches(body, &at.position, SEAT * at.radius)
                })
                .count()
        };
        let bodies = shells.list.iter().zip(&is_body).filter(|(_, body)| **body);
        is_seated[i] = bodies
            .map(|(body, _)| count(body))
            .any(|n| n as f64 >= SEATED * RING_PLACES as f64);
        if is_seated[i] {
            let ring = length / std::f64::consts::PI;
            let reason = NotATube::Grommet { ring };
            components[piece.shell].kind = ComponentKind::Rejected(reason);
            warnings.push(Warning::NoCable {
                component: piece.shell,
                reason,
            });
        }
    }
    is_seated
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

fn find_contacts(
    pieces: &[Piece],
    ends: &[End],
    is_sleeve: &[bool],
    settings: &Settings,
) -> Vec<Vec<Contact>> {
    ends.iter()
        .map(|end| {
            let stop = pieces[end.piece].stops[end.side];
            let mut contacts = Vec::new();
            match stop {
                Stop::Merged(other) => {
                    contacts.extend(merged_into(pieces, ends, end, other));
                }
                Stop::Blocked => contacts = ahead_of(pieces, ends, end, is_sleeve),
                Stop::Cap => {}
            }
            if contacts.is_empty() {
                contacts = touching(pieces, ends, end, is_sleeve, settings);
            }
            contacts
        })
        .collect()
}

/// The end of `piece` at `side` in the list of ends.
fn end_number(ends: &[End], piece: usize, side: usize) -> Option<usize> {
    ends.iter().position(|e| e.piece == piece && e.side == side)
}

/// A place on a piece as a contact: its open end when that is near, else its side.
fn as_contact(
    pieces: &[Piece],
    ends: &[End],
    piece: usize,
    arc: f64,
    near: f64,
) -> Option<Contact> {
    let line = &pieces[piece].line;
    if line.is_closed {
        return Some(Contact::OnSide { piece, arc });
    }
    let length = line.length();
    let side = usize::from(arc > 0.5 * length);
    let to_end = if side == 0 { arc } else { length - arc };
    let is_open = pieces[piece].stops[side] != Stop::Cap;
    if is_open && to_end < near {
        return end_number(ends, piece, side).map(Contact::WithEnd);
    }
    (to_end >= 0.0).then_some(Contact::OnSide { piece, arc })
}

fn merged_into(pieces: &[Piece], ends: &[End], end: &End, other: usize) -> Option<Contact> {
    let foot = pieces[other].line.project(&end.knot.position)?;
    as_contact(pieces, ends, other, foot.arc, foot.radius)
}

/// What the axis of a blocked end meets in its own shell.
fn ahead_of(pieces: &[Piece], ends: &[End], end: &End, is_sleeve: &[bool]) -> Vec<Contact> {
    let mut found: Vec<(f64, Contact)> = Vec::new();
    let own_shell = pieces[end.piece].shell;
    for (i, piece) in pieces.iter().enumerate() {
        if i == end.piece || piece.shell != own_shell || is_sleeve[i] {
            continue;
        }
        let wide = end.radius().max(piece.line.largest_radius());
        let near = end.knot.position + end.outward * (0.5 * LOOK_AHEAD * wide);
        if piece.line.distance(&near) > 2.5 * LOOK_AHEAD * wide {
            continue;
        }
        let step = 0.1 * end.radius();
        let n = (LOOK_AHEAD * wide / step).ceil() as i32;
        let mut closest: Option<(f64, f64, super::line::Foot)> = None;
        for k in -10..=n {
            let ahead = f64::from(k) * step;
            let p = end.knot.position + end.outward * ahead;
            let Some(foot) = piece.line.project(&p) else {
                continue;
            };
            let overrun = (-foot.arc).max(foot.arc - piece.line.length());
            let is_open_there = overrun <= 0.0
                || piece.stops[usize::from(foot.arc > 0.0)] != Stop::Cap
                    && overrun < LOOK_AHEAD * wide;
            if is_open_there && closest.as_ref().is_none_or(|c| foot.distance < c.0) {
                closest = Some((foot.distance, ahead, foot));
            }
        }
        let Some((distance, ahead, foot)) = closest else {
            continue;
        };
        if distance > MEETS * foot.radius.max(end.radius()) {
            continue;
        }
        let cost = ahead.abs() + distance;
        if let Some(contact) = as_contact(pieces, ends, i, foot.arc, 1.5 * wide) {
            found.push((cost, contact));
        }
    }
    // The nearest, and whatever else is met at about the same place.
    let least = found.iter().map(|f| f.0).fold(f64::INFINITY, f64::min);
    found.retain(|f| f.0 < least + end.radius());
    found.into_iter().map(|(_, contact)| contact).collect()
}

/// Other shells that an end lies in or touches.
fn touching(
    pieces: &[Piece],
    ends: &[End],
    end: &End,
    is_sleeve: &[bool],
    settings: &Settings,
) -> Vec<Contact> {
    let mut contacts = Vec::new();
    let own_shell = pieces[end.piece].shell;
    let p = end.knot.position;
    for (i, other) in ends.iter().enumerate() {
        let wide = end.radius().max(other.radius());
        let thin = end.radius().min(other.radius());
        let between = other.knot.position - p;
        let is_other = pieces[other.piece].shell != own_shell;
        // Facing each other across a small gap, or in one another.
        let off_axis = (between - end.outward * between.dot(&end.outward)).norm();
        let is_facing = end.outward.dot(&other.outward) < -0.5
            && off_axis < 0.3 * wide
            && between.norm() < settings.join_gap * thin;
        if is_other && (between.norm() < SAME_PLACE * wide || is_facing) {
            contacts.push(Contact::WithEnd(i));
        }
    }
    if !contacts.is_empty() {
        return contacts;
    }
    let mut best: Option<(f64, Contact)> = None;
    for (i, piece) in pieces.iter().enumerate() {
        if piece.shell == own_shell || is_sleeve[i] {
            continue;
        }
        let reach = piece.line.largest_radius() + settings.join_gap * end.radius();
        if piece.line.distance(&p) > reach {
            continue;
        }
        let Some(foot) = piece.line.project(&p) else {
            continue;
        };
        let overrun = (-foot.arc).max(foot.arc - piece.line.length());
        let leaves = end.outward.dot(&foot.tangent).abs() < BRANCHES_OFF;
        let is_in = foot.distance < INSIDE * foot.radius;
        let touches = leaves && foot.distance < foot.radius + settings.join_gap * end.radius();
        if overrun > 0.0 && !piece.line.is_closed || !(is_in || touches) {
            continue;
        }
        if best.as_ref().is_none_or(|(d, _)| foot.distance < *d) {
            best = Some((
                foot.distance,
                Contact::OnSide {
                    piece: i,
                    arc: foot.arc,
                },
            ));
        }
    }
    contacts.extend(best.map(|(_, contact)| contact));
    contacts
}

/// Groups of ends that have found each other, with the place where they meet.
fn meet(pieces: &[Piece], ends: &[End], contacts: &[Vec<Contact>]) -> Vec<Meeting> {
    // Sides count as further members: one for each place on a piece.
    let mut places: Vec<(usize, f64)> = Vec::new();
    let mut links: Vec<(usize, usize)> = Vec::new();
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
                    links.push((e, ends.len() + place));
                }
            }
        }
    }
    let mut sets = Disjoint::new(ends.len() + places.len());
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
            .filter(|&p| sets.root((ends.len() + p) as u32) == root)
            .map(|p| places[p])
            .collect();
        on.sort_by_key(|&(piece, _)| piece);
        on.dedup_by_key(|&mut (piece, _)| piece);
        let position = if on.is_empty() {
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
    let mean = members.iter().map(|&e| ends[e].knot.position).sum::<Vec3>() / n;
    let is_capped = |&e: &usize| pieces[ends[e].piece].stops[ends[e].side] == Stop::Cap;
    if members.iter().all(is_capped) {
        return mean;
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
