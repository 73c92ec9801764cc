//! Pieces that are no cables after all: bolts, and rings in holes.

use super::Settings;
use super::graph::{ComponentInfo, ComponentKind, NotATube, Warning};
use super::join::{End, Meeting, Piece};
use super::line::distance_to_triangle;
use super::shell::{Shell, Shells};
use crate::geom::Vec3;
use crate::mesh::DisjointSets;

/// A cable with all its branches is at least so many times longer than half its width.
const SLENDER: f64 = 8.0;
/// Places round a ring at which it is asked whether it sits in a hole.
const RING_PLACES: usize = 48;
/// A ring is in the rim of a hole where the surface of the body is this many radii from its line.
const SEAT: f64 = 1.2;
/// It sits in the hole when that is so for this part of it.
const SEATED: f64 = 0.8;

/// Which pieces are of a cable that, with all that it is joined to, is no longer than a bolt.
pub fn too_short(
    pieces: &[Piece],
    ends: &[End],
    meetings: &[Meeting],
    is_sleeve: &[bool],
) -> Vec<bool> {
    let mut sets = DisjointSets::new(pieces.len());
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
pub fn reject_short(
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
pub fn seated(
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
