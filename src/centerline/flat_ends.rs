//! What is left of the flat ends of branches in the surface of a union.
//!
//! Branches that were swept one by one and united begin with a flat end at their node. Where it looks out of the other
//! branches, the edge between it and the branch's wall is a piece of a circle round the node.

use std::f64::consts::TAU;

use super::circle::{self, Circle, Sample};
use super::fans::Across;
use super::shell::Shell;
use super::slice::{Plane, Vec2};
use crate::geom::Vec3;

/// Cosine between the normals of a flat end and of the wall, at most.
const ACROSS: f64 = 0.2;
/// The same between triangles of one flat end, at least.
const FLAT: f64 = 0.9999;
/// Points of the edge, at least: a circle goes through any three. They are on it within this part of its radius, as are
/// cuts through the sides of a polygon of twelve, and cover at least this angle of it, radians.
const MANY: Arc = Arc {
    points: 5,
    misfit: 0.015,
    span: 0.5,
};
/// Or so few, if they are its corners.
const FEW: Arc = Arc {
    points: 4,
    misfit: 5e-4,
    span: 1.1,
};

/// This part of its points may be of other edges, where thin triangles hide which way the surface folds.
const STRAY: f64 = 0.4;
/// This part of the face lies in the circle.
const WITHIN: f64 = 0.95;

/// What an edge must have to tell a circle.
struct Arc {
    points: usize,
    misfit: f64,
    span: f64,
}

/// The flat end of a branch, of which a part is in the surface.
#[derive(Clone, Copy, Debug)]
pub struct FlatEnd {
    /// Where the branch's line begins.
    pub center: Vec3,
    /// Unit vector along the branch.
    pub inward: Vec3,
    pub radius: f64,
}

/// All of a shell, in the order of its triangles.
pub fn flat_ends(shell: &Shell) -> Vec<FlatEnd> {
    let mut is_seen = vec![false; shell.triangles.len()];
    let mut found = Vec::new();
    for t in 0..shell.triangles.len() as u32 {
        let is_at_edge = || (0..3).any(|k| wall_across(shell, t, k).is_some());
        if !is_seen[t as usize] && is_at_edge() {
            let face = face_of(shell, t, &mut is_seen);
            let normal = shell.normals[t as usize];
            for inward in [-normal, normal] {
                found.extend(end_with_wall(shell, &face, &inward));
            }
        }
    }
    found
}

/// The triangle across side `k` of `t`, where the surface has an edge there.
fn wall_across(shell: &Shell, t: u32, k: usize) -> Option<u32> {
    let Across::One(other) = shell.fans.across(t, k) else {
        return None;
    };
    let cosine = shell.normals[t as usize].dot(&shell.normals[other as usize]);
    (cosine.abs() < ACROSS).then_some(other)
}

/// The triangle across side `k` of `t`, where it is in the same plane.
fn goes_on(shell: &Shell, t: u32, k: usize) -> Option<u32> {
    let Across::One(other) = shell.fans.across(t, k) else {
        return None;
    };
    let cosine = shell.normals[t as usize].dot(&shell.normals[other as usize]);
    (cosine > FLAT).then_some(other)
}

/// The triangles in the plane of `t` that hang together with it.
fn face_of(shell: &Shell, t: u32, is_seen: &mut [bool]) -> Vec<u32> {
    let mut face = vec![t];
    is_seen[t as usize] = true;
    let mut next = 0;
    while let Some(&t) = face.get(next) {
        next += 1;
        for k in 0..3 {
            if let Some(other) = goes_on(shell, t, k)
                && !is_seen[other as usize]
            {
                is_seen[other as usize] = true;
                face.push(other);
            }
        }
    }
    face
}

/// The end that a face is of, if those of its edges at which a wall begins towards `inward` are of one circle round it.
/// `None` also where these are all its edges: then nothing of it is hidden, and it is a free end.
fn end_with_wall(shell: &Shell, face: &[u32], inward: &Vec3) -> Option<FlatEnd> {
    let origin = shell.corners(face[0])[0];
    let plane = Plane::new(origin, *inward);
    let mut rim: Vec<u32> = Vec::new();
    let mut is_whole = true;
    for &t in face {
        for k in 0..3 {
            let Some(wall) = wall_across(shell, t, k) else {
                is_whole &= goes_on(shell, t, k).is_some();
                continue;
            };
            let corners = shell.triangles[t as usize];
            let edge = [corners[k], corners[(k + 1) % 3]];
            let [from, to] = edge.map(|v| shell.vertices[v as usize]);
            let normals = [t, wall].map(|t| shell.normals[t as usize]);
            // Which way the surface folds at the edge: another branch that comes out of the face folds it the other way.
            let fold = normals[0].cross(&normals[1]).dot(&(to - from));
            if fold * normals[0].dot(inward) < 0.0 {
                rim.extend(edge);
            } else {
                is_whole = false;
            }
        }
    }
    rim.sort_unstable();
    rim.dedup();
    if is_whole || rim.len() < FEW.points {
        return None;
    }
    let on_plane = |v: &u32| plane.to_plane(&shell.vertices[*v as usize]);
    let mut points: Vec<Sample> = rim.iter().map(|v| (on_plane(v), 1.0)).collect();
    let circle = trimmed(&mut points)?;
    let span = span(&points, &circle.center);
    let tells =
        |arc: &Arc| points.len() >= arc.points && circle.misfit < arc.misfit && span > arc.span;
    // The face is within the circle: outside of it, the wall is that of a hole or of a thinner branch.
    let is_within = |t: &&u32| {
        let middle = shell.corners(**t).iter().sum::<Vec3>() / 3.0;
        (plane.to_plane(&middle) - circle.center).norm() < circle.radius
    };
    let area = |t: &u32| shell.areas[*t as usize];
    let whole: f64 = face.iter().map(area).sum();
    let within: f64 = face.iter().filter(is_within).map(area).sum();
    let is_arc = tells(&MANY) || tells(&FEW);
    (is_arc && within > WITHIN * whole).then(|| FlatEnd {
        center: plane.to_space(&circle.center),
        inward: *inward,
        radius: circle.radius,
    })
}

/// The circle through most of the points: those that stand farthest off it are taken out, one by one.
fn trimmed(points: &mut Vec<Sample>) -> Option<Circle> {
    let most = (STRAY * points.len() as f64) as usize;
    for _ in 0..most {
        let circle = circle::fit(points)?;
        if circle.misfit < MANY.misfit {
            return Some(circle);
        }
        let off = |p: &Sample| ((p.0 - circle.center).norm() - circle.radius).abs();
        let all = points.iter().enumerate();
        let worst = all.max_by(|(_, p), (_, q)| off(p).total_cmp(&off(q)));
        points.remove(worst?.0);
    }
    circle::fit(points)
}

/// The angle round a center in which there are points.
fn span(points: &[Sample], center: &Vec2) -> f64 {
    let angle = |p: &Sample| (p.0.y - center.y).atan2(p.0.x - center.x);
    let mut angles: Vec<f64> = points.iter().map(angle).collect();
    angles.sort_by(f64::total_cmp);
    let over = angles[0] + TAU - angles[angles.len() - 1];
    TAU - angles.windows(2).map(|w| w[1] - w[0]).fold(over, f64::max)
}
