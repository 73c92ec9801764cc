//! The ends of a line at the middles of the caps.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::f64::consts::{PI, TAU};

use super::fans::Across;
use super::line::{Knot, Line};
use super::shell::Shell;
use crate::geom::Vec3;
use crate::mesh::DisjointSets;

/// A cap is looked for so many radii before and behind the end of the tracked line.
const SEARCH: [f64; 2] = [1.2, 1.6];
/// Cosine of the steepest cap to the line.
const CAP: f64 = 0.3;
/// The same to the line shortly before its end, where the end itself is astray.
const FACES: f64 = 0.5;
/// Cosine between the triangles of a flat cap: a rough one is flat within 18 degrees.
const FLAT: f64 = 0.95;
/// A flat face across the line has this part of the tube's section, at least and at most, if it is the cap; so is the
/// length of a rim over the section's circumference.
const WHOLE: [f64; 2] = [0.7, 1.3];
/// The middle of a cap or a rim is within so many radii of the end of the tracked line.
const ASIDE: f64 = 1.6;
/// That of a tube with ribs is within so many.
const RIBBED: f64 = 0.5;
/// A line that comes to the middle farther aside than this part of the radius is led there in an arc,
const ASTRAY: f64 = 0.08;
/// from so many radii before, and so many times as far as it is aside.
const LEAD: [f64; 2] = [1.0, 0.7];
/// Farther aside than this part of the radius, the way there is a guess, of which the user is told.
const GUESSED: f64 = 0.6;
const CONFIDENCE: f64 = 0.2;
/// An arc to the end's face is so many radii long, at least and at most,
const ARC: [f64; 2] = [0.6, 5.0];
/// arrives across it within this angle, in radians,
const ARRIVES: f64 = 0.03;
/// and stands so many radii aside of the line that it replaces.
const ARC_ASIDE: [f64; 2] = [0.03, 0.24];
/// Radii before the end at which the tube is not disturbed by it.
const BEFORE: f64 = 2.5;
/// A side of a triangle runs along the tube from this cosine on.
const ALONG: f64 = 0.8;
/// Vertices within this part of the radius of the farthest are the rim.
const RIM: f64 = 0.1;

/// Moves an end of the line to the middle of the cap, or of the rim of an open or hollow tube.
/// Of a tube with ribs, whose last one may be cut anywhere, the cap ahead counts if its middle is near.
pub fn settle(shell: &Shell, line: Line, side: usize, is_ribbed: bool) -> Line {
    let Some((end, outward)) = end_of(&line, side) else {
        return line;
    };
    let radius = end.radii[0];
    let cap = cap_ahead(shell, &end.position, &outward, radius);
    let ahead = cap
        .map(|(ahead, _)| ahead)
        .or_else(|| rim_ahead(shell, &end.position, &outward, radius));
    let Some(ahead) = ahead else {
        return line;
    };
    let target = end.position + outward * ahead;
    if is_ribbed {
        let face = cap.and_then(|(_, t)| flat_face(shell, t, radius, &mut HashSet::from([t])));
        let is_near = |middle: &Vec3| (middle - target).norm() < RIBBED * radius;
        let middle = face.map(|face| face.middle).filter(is_near);
        return moved(line, side, &end, &outward, middle.unwrap_or(target));
    }
    // The middle of a whole cap is the end, also where the line comes to it aside or askew, as behind a bend that goes
    // on to the end: there the last cuts run through the cap.
    let before = radius.max(line.at_from(side, BEFORE * radius).radius);
    let along = line.at_from(side, 0.5 * BEFORE * before).tangent;
    let face = cap_face(shell, &end.position, [&outward, &along], before)
        .or_else(|| rim_face(shell, &end.position, &outward, before));
    let Some(face) = face else {
        return moved(line, side, &end, &outward, target);
    };
    let aside = (face.middle - target).norm();
    let line = if aside > ASTRAY * before {
        led(&line, side, face.middle, aside)
            .unwrap_or_else(|| moved(line, side, &end, &outward, target))
    } else {
        moved(line, side, &end, &outward, face.middle)
    };
    let normal = face.normal * face.normal.dot(&along).signum();
    let normal = if side == 0 { -normal } else { normal };
    arc_to(&line, side, face.middle, &normal).unwrap_or(line)
}

/// The line with an arc for its last stretch, if there is a place from which an arc arrives across the end's face: the
/// last ring before the end. Between two rings cuts of the facets stand inside of the arc. `None` where there is none, or
/// the line is that arc already, or far from it.
fn arc_to(line: &Line, side: usize, middle: Vec3, outward: &Vec3) -> Option<Line> {
    let mut knots = line.knots.clone();
    let sign = if side == 0 { -1.0 } else { 1.0 };
    if side == 0 {
        knots.reverse();
    }
    let mut best: Option<(f64, usize)> = None;
    let mut walked = 0.0;
    for i in (1..knots.len()).rev() {
        let from = &knots[i - 1];
        walked += (knots[i].position - from.position).norm();
        let reach = walked / from.radii[0];
        if reach > ARC[1] {
            break;
        }
        let Some(chord) = (middle - from.position).try_normalize(0.0) else {
            continue;
        };
        let tangent = from.tangent * sign;
        let arrives = chord * (2.0 * chord.dot(&tangent)) - tangent;
        let off = (arrives - outward).norm();
        if reach > ARC[0] && best.is_none_or(|(least, _)| off < least) {
            best = Some((off, i - 1));
        }
    }
    let (_, last) = best.filter(|(off, _)| *off < ARRIVES)?;
    let from = Knot {
        tangent: knots[last].tangent * sign,
        ..knots[last]
    };
    let to = Knot {
        position: middle,
        tangent: *outward,
        ..from
    };
    let arc = Line::dense(&[from, to], false, 0.5, 0.1);
    let aside = (knots[last..].iter()).map(|k| arc.distance(&k.position) / k.radii[0]);
    let aside = aside.fold(0.0, f64::max);
    if !(ARC_ASIDE[0]..ARC_ASIDE[1]).contains(&aside) {
        return None;
    }
    knots.truncate(last + 1);
    knots.extend(arc.knots[1..].iter().map(|k| Knot {
        tangent: k.tangent * sign,
        ..*k
    }));
    if side == 0 {
        knots.reverse();
    }
    Some(Line::new(knots, line.is_closed))
}

/// The line without its last stretch, and on from there to `middle` in an arc; `None` where it is too short for that.
fn led(line: &Line, side: usize, middle: Vec3, aside: f64) -> Option<Line> {
    let mut knots = line.knots.clone();
    if side == 0 {
        knots.reverse();
    }
    let outward = if side == 0 { -1.0 } else { 1.0 };
    let reach = |k: &Knot| LEAD[0] * k.radii[0] + LEAD[1] * aside;
    let is_last = |k: &Knot| (k.position - middle).norm() < reach(k);
    // What comes after the last knot that is far enough from the middle: all before it stays.
    let last = knots.iter().rposition(|k| !is_last(k))?;
    let n_gone = knots.len() - 1 - last;
    let gone: f64 = knots[last..]
        .windows(2)
        .map(|w| (w[1].position - w[0].position).norm())
        .sum();
    if last < 1 || gone > 3.0 * reach(&knots[last]) || n_gone == 0 {
        return None;
    }
    knots.truncate(last + 1);
    let from = knots[last];
    let chord = (middle - from.position).try_normalize(0.0)?;
    let tangent = from.tangent * outward;
    // The end of the arc that leaves along the tangent.
    let arrives = chord * (2.0 * chord.dot(&tangent)) - tangent;
    let to = Knot {
        position: middle,
        tangent: arrives * outward,
        ..from
    };
    let turned = |k: &Knot| Knot {
        tangent: k.tangent * outward,
        ..*k
    };
    let mut arc = Line::dense(&[turned(&from), turned(&to)], false, 0.5, 0.1);
    if aside > GUESSED * from.radii[0] {
        for knot in &mut arc.knots {
            knot.confidence = knot.confidence.min(CONFIDENCE);
        }
    }
    knots.extend(arc.knots[1..].iter().map(turned));
    if side == 0 {
        knots.reverse();
    }
    Some(Line::new(knots, line.is_closed))
}

/// The flat face across the line that is as large as the tube's section; the one nearest to the end.
fn cap_face(shell: &Shell, end: &Vec3, [outward, before]: [&Vec3; 2], radius: f64) -> Option<Face> {
    let mut starts: Vec<u32> = Vec::new();
    shell.bvh.visit_ball(end, ASIDE * radius, |t| {
        let normal = shell.normals[t as usize];
        if normal.dot(outward).abs() > CAP || normal.dot(before).abs() > FACES {
            starts.push(t);
        }
    });
    starts.sort_unstable();
    let mut is_seen: HashSet<u32> = HashSet::new();
    let faces = starts.into_iter().filter_map(|t| {
        if !is_seen.insert(t) {
            return None;
        }
        flat_face(shell, t, radius, &mut is_seen)
    });
    nearest(faces, end, radius)
}

/// What closes a tube: a flat cap, or the opening in a rim.
struct Face {
    middle: Vec3,
    /// Unit vector across it, to either side.
    normal: Vec3,
}

/// The face whose middle is nearest to the end of a tube.
fn nearest(faces: impl Iterator<Item = Face>, end: &Vec3, radius: f64) -> Option<Face> {
    let off = |face: &Face| (face.middle - end).norm();
    faces
        .filter(|face| off(face) < ASIDE * radius)
        .min_by(|a, b| off(a).total_cmp(&off(b)))
}

/// The flat face of which triangle `t` is; `None` where it is not as large as the tube's section.
fn flat_face(shell: &Shell, t: u32, radius: f64, is_seen: &mut HashSet<u32>) -> Option<Face> {
    let normal = shell.normals[t as usize];
    let mut stack = vec![t];
    let (mut area, mut moment, mut across) = (0.0, Vec3::zeros(), Vec3::zeros());
    let whole = PI * radius * radius;
    while let Some(t) = stack.pop() {
        let own = shell.areas[t as usize];
        area += own;
        let towards = shell.normals[t as usize];
        across += towards * (own * towards.dot(&normal).signum());
        moment += shell.corners(t).iter().sum::<Vec3>() * (own / 3.0);
        if area > WHOLE[1] * whole {
            return None;
        }
        for side in 0..3 {
            if let Across::One(next) = shell.fans.across(t, side)
                && shell.normals[next as usize].dot(&normal).abs() > FLAT
                && is_seen.insert(next)
            {
                stack.push(next);
            }
        }
    }
    (area > WHOLE[0] * whole).then(|| Face {
        middle: moment / area,
        normal: across.try_normalize(0.0).unwrap_or(normal),
    })
}

/// A border of the surface.
#[derive(Default)]
struct Rim {
    /// Of its sides across the tube, as is the moment.
    length: f64,
    moment: Vec3,
    /// As a vector, across its plane.
    area: Vec3,
}

/// The opening in the rim of an open tube round the end; `None` where no border there is such a rim.
fn rim_face(shell: &Shell, end: &Vec3, outward: &Vec3, radius: f64) -> Option<Face> {
    let mut triangles: Vec<u32> = Vec::new();
    let reach = 2.0 * ASIDE * radius;
    shell.bvh.visit_ball(end, reach, |t| triangles.push(t));
    triangles.sort_unstable();
    let sides = (triangles.iter()).flat_map(|&t| (0..3).map(move |side| (t, side)));
    let border: Vec<[u32; 2]> = sides
        .filter(|&(t, side)| shell.fans.across(t, side) == Across::Nothing)
        .map(|(t, side)| [side, (side + 1) % 3].map(|k| shell.triangles[t as usize][k]))
        .collect();
    // Borders that hang together: a hole in the wall is another one.
    let mut number: HashMap<u32, u32> = HashMap::new();
    for &v in border.as_flattened() {
        let next = number.len() as u32;
        number.entry(v).or_insert(next);
    }
    let mut sets = DisjointSets::new(number.len());
    for [a, b] in &border {
        sets.join(number[a], number[b]);
    }
    let mut rims: BTreeMap<u32, Rim> = BTreeMap::new();
    for [a, b] in &border {
        let root = sets.root(number[a]);
        let [a, b] = [*a, *b].map(|v| shell.vertices[v as usize] - end);
        let length = (b - a).norm();
        let rim = rims.entry(root).or_default();
        rim.area += a.cross(&b) * 0.5;
        // What runs along the tube is of a hole that reaches to the rim.
        if (b - a).dot(outward).abs() < ALONG * length {
            rim.length += length;
            rim.moment += (a + b) * (0.5 * length);
        }
    }
    let is_whole = |part: f64| (WHOLE[0]..WHOLE[1]).contains(&part);
    // Vertices on a neighbour's side are borders too, but enclose nothing.
    let is_rim = |rim: &Rim| {
        is_whole(rim.length / (TAU * radius)) && is_whole(rim.area.norm() / (PI * radius * radius))
    };
    let faces = rims.into_values().filter(is_rim).map(|rim| Face {
        middle: end + rim.moment / rim.length,
        normal: rim.area.normalize(),
    });
    nearest(faces, end, radius)
}

/// The knot at an end, and the direction out of the tube there.
pub fn end_of(line: &Line, side: usize) -> Option<(Knot, Vec3)> {
    if side == 0 {
        line.knots.first().map(|k| (*k, -k.tangent))
    } else {
        line.knots.last().map(|k| (*k, k.tangent))
    }
}

/// How far ahead a triangle across the line is hit, and which; the one nearest to the end.
pub fn cap_ahead(shell: &Shell, end: &Vec3, outward: &Vec3, radius: f64) -> Option<(f64, u32)> {
    let mut best: Option<(f64, u32)> = None;
    let reach = SEARCH[1] * radius;
    shell.bvh.visit_ball(end, reach, |t| {
        let normal = shell.normals[t as usize];
        let facing = normal.dot(outward);
        if facing.abs() < CAP {
            return;
        }
        let [a, b, c] = shell.corners(t);
        let ahead = (a - end).dot(&normal) / facing;
        if ahead < -SEARCH[0] * radius || ahead > reach {
            return;
        }
        let p = end + outward * ahead;
        let is_left = |a: &Vec3, b: &Vec3| (b - a).cross(&(p - a)).dot(&normal) >= -1e-9 * radius;
        let is_inside = is_left(&a, &b) && is_left(&b, &c) && is_left(&c, &a);
        let is_nearer = |&(b, other): &(f64, u32)| (ahead.abs(), t) < (b.abs(), other);
        if is_inside && best.as_ref().is_none_or(is_nearer) {
            best = Some((ahead, t));
        }
    });
    best
}

/// How far ahead the rim of the wall is.
fn rim_ahead(shell: &Shell, end: &Vec3, outward: &Vec3, radius: f64) -> Option<f64> {
    let mut heights: Vec<f64> = Vec::new();
    shell.bvh.visit_ball(end, SEARCH[1] * radius, |t| {
        for p in shell.corners(t) {
            let d = p - end;
            let height = d.dot(outward);
            let off = (d - outward * height).norm();
            if off < 1.25 * radius && height.abs() < SEARCH[1] * radius {
                heights.push(height);
            }
        }
    });
    let top = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let rim: Vec<f64> = heights
        .into_iter()
        .filter(|h| *h > top - RIM * radius)
        .collect();
    (!rim.is_empty()).then(|| rim.iter().sum::<f64>() / rim.len() as f64)
}

fn moved(line: Line, side: usize, end: &Knot, outward: &Vec3, target: Vec3) -> Line {
    let mut knots = line.knots;
    let is_closed = line.is_closed;
    if side == 0 {
        knots.reverse();
    }
    // What stands beyond the cap, or so near that the two would make a kink; no more than the end was moved by.
    let near = 0.1 * end.radii[0];
    let reach = (target - end.position).norm() + end.radii[0];
    let is_beyond = |k: &Knot| {
        (k.position - target).dot(outward) > -near && (k.position - end.position).norm() < reach
    };
    while knots.len() > 2 && knots.last().is_some_and(is_beyond) {
        knots.pop();
    }
    knots.push(Knot {
        position: target,
        ..*end
    });
    if side == 0 {
        knots.reverse();
    }
    Line::new(knots, is_closed)
}
