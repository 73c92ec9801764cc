//! The ends of a line at the middles of the caps.

use std::collections::HashSet;

use super::fans::Across;
use super::line::{Knot, Line};
use super::shell::Shell;
use crate::geom::Vec3;

/// A cap is looked for so many radii before and behind the end of the tracked line.
const SEARCH: [f64; 2] = [1.2, 1.6];
/// Cosine of the steepest cap to the line.
const CAP: f64 = 0.3;
/// Cosine between the triangles of a flat cap.
const FLAT: f64 = 0.9998;
/// The middle of a cap is within so many radii of where the line goes through it.
const ASIDE: f64 = 0.5;
/// Vertices within this part of the radius of the farthest are the rim.
const RIM: f64 = 0.1;

/// Moves an end of the line to the cap: where the line goes through it, or to the rim of an open or hollow tube.
pub fn settle(shell: &Shell, line: Line, side: usize) -> Line {
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
    // The middle of a whole cap is the end, also where the line comes to it a little aside or askew.
    let middle = cap
        .and_then(|(_, t)| cap_middle(shell, t, radius))
        .filter(|middle| (middle - target).norm() < ASIDE * radius);
    moved(line, side, &end, &outward, middle.unwrap_or(target))
}

/// The middle of the flat cap of which triangle `t` is; `None` where it is not as large as the tube's section.
fn cap_middle(shell: &Shell, t: u32, radius: f64) -> Option<Vec3> {
    let normal = shell.normals[t as usize];
    let mut is_seen: HashSet<u32> = HashSet::from([t]);
    let mut stack = vec![t];
    let (mut area, mut moment) = (0.0, Vec3::zeros());
    let whole = std::f64::consts::PI * radius * radius;
    while let Some(t) = stack.pop() {
        let own = shell.areas[t as usize];
        area += own;
        moment += shell.corners(t).iter().sum::<Vec3>() * (own / 3.0);
        if area > 1.3 * whole {
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
    (area > 0.7 * whole).then(|| moment / area)
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
