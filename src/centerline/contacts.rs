//! What the ends of pieces find: other ends, and the sides of other pieces.

use super::Settings;
use super::hubs::Hubs;
use super::join::{End, Piece};
use super::line::Foot;
use super::track::Stop;

/// How far ahead of a blocked end its partners are looked for, in radii of the wider of the two.
pub const LOOK_AHEAD: f64 = 3.5;
/// Axes that pass each other within this part of the wider radius meet.
const MEETS: f64 = 0.8;
/// Ends of two shells within this part of the wider radius are at one place.
const SAME_PLACE: f64 = 0.75;
/// An end inside another tube, nearer to its line than this part of the radius, is of that tube's junction.
const INSIDE: f64 = 0.75;
/// Cosine of the flattest angle at which an end that only touches a side is taken as a branch.
const BRANCHES_OFF: f64 = 0.87;

/// A branch that is nowhere farther from the line of another than so many of its radii lies in it.
const WITHIN: f64 = 1.1;
/// A line that passes ends which have met, within this part of its radius, goes through their junction.
const THROUGH: f64 = 0.3;

/// What an end has found.
#[derive(Clone, Copy)]
pub enum Contact {
    WithEnd(usize),
    OnSide { piece: usize, arc: f64 },
    AtHub(usize),
}

/// What each end has found.
pub fn find_contacts(
    pieces: &[Piece],
    ends: &[End],
    is_sleeve: &[bool],
    hubs: &Hubs,
    settings: &Settings,
) -> Vec<Vec<Contact>> {
    let of_end = |end: &End| {
        if let Some(hub) = hubs.at_end(end.piece, end.side) {
            return vec![Contact::AtHub(hub)];
        }
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
    };
    let mut contacts: Vec<Vec<Contact>> = ends.iter().map(of_end).collect();
    leave_inside(pieces, ends, &mut contacts);
    contacts
}

/// A branch that begins at an end of another, and ends in it, has a free end there: it is no loop.
fn leave_inside(pieces: &[Piece], ends: &[End], contacts: &mut [Vec<Contact>]) {
    for e in 0..ends.len() {
        let (own, side) = (ends[e].piece, ends[e].side);
        // Where the branch meets an end of the other: at its own other end, or on its way.
        let begins_at = |piece: usize| {
            let begin = end_number(ends, own, 1 - side)?;
            let is_end_of = |contact: &Contact| match *contact {
                Contact::WithEnd(other) => ends[other].piece == piece,
                Contact::OnSide { .. } | Contact::AtHub(_) => false,
            };
            if contacts[begin].iter().any(is_end_of) {
                let line = &pieces[own].line;
                return Some(if side == 0 { line.length() } else { 0.0 });
            }
            let of_other = (0..2).filter_map(|side| end_number(ends, piece, side));
            of_other.flat_map(|e| &contacts[e]).find_map(|c| match *c {
                Contact::OnSide { piece, arc } if piece == own => Some(arc),
                _ => None,
            })
        };
        let is_free = |contact: &Contact| match *contact {
            Contact::OnSide { piece, .. } => begins_at(piece).is_some_and(|from| {
                let line = &pieces[own].line;
                let to = if side == 0 { 0.0 } else { line.length() };
                let between = line.knots.iter().zip(&line.arcs);
                let mut between =
                    between.filter(|(_, a)| (from.min(to)..=from.max(to)).contains(*a));
                between.all(|(knot, _)| {
                    let foot = pieces[piece].line.project(&knot.position);
                    foot.is_some_and(|f| f.distance < WITHIN * f.radius)
                })
            }),
            Contact::WithEnd(_) | Contact::AtHub(_) => false,
        };
        let kept = contacts[e].iter().copied().filter(|c| !is_free(c));
        contacts[e] = kept.collect();
    }
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
    let begins = |side: usize| {
        let number = end_number(ends, other, side)?;
        let apart = (ends[number].knot.position - end.knot.position).norm();
        (apart < 1e-3 * end.radius()).then_some(Contact::WithEnd(number))
    };
    let foot = pieces[other].line.project(&end.knot.position)?;
    (0..2)
        .find_map(begins)
        .or_else(|| as_contact(pieces, ends, other, foot.arc, foot.radius))
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
        let mut closest: Option<(f64, f64, Foot)> = None;
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
    let has_met = !contacts.is_empty();
    let met: Vec<usize> = (contacts.iter())
        .filter_map(|c| match c {
            Contact::WithEnd(e) => Some(ends[*e].piece),
            Contact::OnSide { .. } | Contact::AtHub(_) => None,
        })
        .collect();
    let mut best: Option<(f64, Contact)> = None;
    for (i, piece) in pieces.iter().enumerate() {
        if piece.shell == own_shell || is_sleeve[i] || met.contains(&i) {
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
        let is_in = foot.distance < if has_met { THROUGH } else { INSIDE } * foot.radius;
        let touches =
            !has_met && leaves && foot.distance < foot.radius + settings.join_gap * end.radius();
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
