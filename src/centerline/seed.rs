//! A first section through a given triangle.

use super::section::Section;
use super::shell::Shell;
use super::slice::{Loop, Plane, Vec2, slice};
use super::walk::{Walk, walk};
use crate::geom::Vec3;
use crate::parallel;

/// Directions tried through a point inside.
const N_DIRECTIONS: usize = 32;
/// Directions tried for the first cut.
const N_ANGLES: usize = 8;
/// Halvings of the angle between them after that.
const N_HALVINGS: usize = 4;
/// A loop that is turned a little towards a smaller one reaches no farther than so many times what it did.
const SWING: f64 = 1.5;
/// A loop that lies round another with its center within this part of its radius is the outer wall of a hose.
const CONCENTRIC: f64 = 0.3;

/// A wall is another one from so many times the radius on.
const OUTER: f64 = 1.02;

/// A section reaches no farther than this part of the shell's size: what is wider is no tube.
const WIDEST: f64 = 0.5;

/// A section of the tube that triangle `t` is of.
pub fn seed(shell: &Shell, t: u32, size: f64) -> Option<Section> {
    let size = size.min(WIDEST * shell.size);
    let shortest = shortest_cut(shell, t, size);
    if shortest.as_ref().is_some_and(is_clear) {
        return shortest;
    }
    // The triangle may be of a cap, a rib or a step: then the tube is sought from a point inside it.
    let [a, b, c] = shell.corners(t);
    let point = (a + b + c) / 3.0;
    let normal = shell.normals[t as usize];
    let mut best = shortest;
    for inward in [-normal, normal] {
        let Some(depth) = first_hit(shell, t, &point, &inward) else {
            continue;
        };
        let inside = point + inward * (0.5 * depth);
        let Some(found) = smallest_cut(shell, inside, 0.75 * depth, size) else {
            continue;
        };
        if is_clear(&found) {
            return Some(found);
        }
        if best.as_ref().is_none_or(|b| found.area < b.area) {
            best = Some(found);
        }
    }
    best
}

/// Round, and cut across what its normals say.
fn is_clear(section: &Section) -> bool {
    let along = section.axis.map(|axis| axis.dot(&section.direction).abs());
    section.is_round && along.is_some_and(|cosine| cosine > 0.97)
}

/// How far from triangle `t` the surface is met again in a direction.
fn first_hit(shell: &Shell, t: u32, from: &Vec3, direction: &Vec3) -> Option<f64> {
    let mut nearest: Option<f64> = None;
    shell.bvh.visit_ray(from, direction, |other| {
        if other == t {
            return;
        }
        if let Some(distance) = ray_meets(&shell.corners(other), from, direction)
            && nearest.is_none_or(|n| distance < n)
        {
            nearest = Some(distance);
        }
    });
    nearest.filter(|&d| d > 0.0)
}

/// Where a ray meets a triangle (Möller and Trumbore 1997).
pub fn ray_meets([a, b, c]: &[Vec3; 3], from: &Vec3, direction: &Vec3) -> Option<f64> {
    let (e, f) = (b - a, c - a);
    let p = direction.cross(&f);
    let determinant = e.dot(&p);
    if determinant == 0.0 {
        return None;
    }
    let d = from - a;
    let u = d.dot(&p) / determinant;
    let q = d.cross(&e);
    let v = direction.dot(&q) / determinant;
    let distance = f.dot(&q) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0).then_some(distance)
}

/// The cut with the least area among the planes through a point inside: across the tube, whatever its surface.
fn smallest_cut(shell: &Shell, inside: Vec3, reach: f64, size: f64) -> Option<Section> {
    let around = |center: Vec3, direction: Vec3, reach: f64| {
        let plane = Plane::new(center, direction);
        slice(shell, &plane, &center, reach)
            .into_iter()
            .filter(|l| l.is_closed && l.encloses(&Vec2::zeros()))
            .max_by(|a, b| a.area.total_cmp(&b.area))
            .map(|l| (plane, l))
    };
    let directions = hemisphere();
    let at_least = if shell.is_large() { 4 } else { N_DIRECTIONS };
    let mut reach = reach;
    let (mut plane, mut best) = loop {
        let cut = |i: usize| around(inside, directions[i], reach);
        let found = parallel::map_range(N_DIRECTIONS, at_least, cut);
        let found = found
            .into_iter()
            .flatten()
            .min_by(|a, b| a.1.area.total_cmp(&b.1.area));
        if let Some(found) = found {
            break found;
        }
        if reach > size {
            return None;
        }
        reach *= 1.6;
    };
    let mut center = inside;
    reach = (1.6 * reach).min(SWING * best.extent(&Vec2::zeros()));
    for angle in [0.24_f64, 0.12, 0.06, 0.03] {
        for side in 0..4 {
            let turned = plane.tilted(side, angle);
            if let Some((p, l)) = around(center, turned, reach).filter(|(_, l)| l.area < best.area)
            {
                (plane, best) = (p, l);
            }
        }
        if angle > 0.1 {
            center = plane.to_space(&best.centroid);
            if let Some((p, l)) = around(center, plane.normal, reach) {
                (plane, best) = (p, l);
            }
        }
    }
    Section::of_loop(shell, &plane, &best)
}

/// Directions all over half a sphere, about 25 degrees apart: a golden spiral.
fn hemisphere() -> [Vec3; N_DIRECTIONS] {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    std::array::from_fn(|i| {
        let z = (i as f64 + 0.5) / N_DIRECTIONS as f64;
        let across = (1.0 - z * z).sqrt();
        let turn = golden * i as f64;
        Vec3::new(across * turn.cos(), across * turn.sin(), z)
    })
}

/// The shortest closed cut through the middle of triangle `t`, made perpendicular to the tube.
///
/// The cut plane holds the triangle's normal: a tube is cut across by the shortest such loop, whatever its section.
fn shortest_cut(shell: &Shell, t: u32, size: f64) -> Option<Section> {
    let [a, b, c] = shell.corners(t);
    let point = (a + b + c) / 3.0;
    let normal = shell.normals[t as usize];
    let sides = [b - a, c - b, a - c];
    let longest = sides
        .into_iter()
        .max_by(|p, q| p.norm_squared().total_cmp(&q.norm_squared()))?;
    let along = longest.try_normalize(0.0)?;
    let across = normal.cross(&along);
    let direction = |angle: f64| along * angle.cos() + across * angle.sin();
    let cut = |angle: f64, reach: f64| -> Option<(f64, Plane, Loop)> {
        let plane = Plane::new(point, direction(angle));
        let found = match walk(shell, &plane, t, reach) {
            Walk::Round(l) => Some(l),
            Walk::Away => None,
            Walk::Torn => slice(shell, &plane, &point, reach)
                .into_iter()
                .find(|l| l.is_closed && l.triangles.contains(&t)),
        };
        found.map(|l| (l.perimeter, plane, l))
    };
    let step = std::f64::consts::PI / N_ANGLES as f64;
    let altitude = 2.0 * shell.areas[t as usize] / longest.norm();
    // A loop round the tube comes as far as its other wall.
    let depth = [-normal, normal]
        .iter()
        .filter_map(|inward| first_hit(shell, t, &point, inward))
        .fold(f64::INFINITY, f64::min);
    let mut reach = (3.0 * altitude).max(if depth.is_finite() { 1.05 * depth } else { 0.0 });
    let (mut angle, mut best) = loop {
        let closed = (0..N_ANGLES)
            .filter_map(|i| Some((step * i as f64, cut(step * i as f64, reach)?)))
            .min_by(|p, q| p.1.0.total_cmp(&q.1.0));
        if let Some(found) = closed {
            break found;
        }
        if reach > size {
            return None;
        }
        reach *= 1.6;
    };
    reach = (1.6 * reach).min(SWING * best.2.extent(&Vec2::zeros()));
    let mut delta = 0.5 * step;
    for _ in 0..N_HALVINGS {
        for turned in [angle - delta, angle + delta] {
            if let Some(found) = cut(turned, reach).filter(|f| f.0 < best.0) {
                angle = turned;
                best = found;
            }
        }
        delta *= 0.5;
    }
    let (_, plane, l) = best;
    let mut section = Section::of_loop(shell, &plane, &l)?;
    for _ in 0..3 {
        let axis = section.axis.unwrap_or(section.direction);
        section = outermost(shell, section.center, axis, section.extent).unwrap_or(section);
    }
    Some(section)
}

/// The outer wall of a hose of whose inner wall `section` is, where there is one.
pub fn outer_wall(shell: &Shell, section: &Section) -> Option<Section> {
    outermost(shell, section.center, section.direction, section.extent)
        .filter(|outer| outer.is_round && outer.radius > OUTER * section.radius)
}

/// The widest of the loops round `center` that have their middle there.
fn outermost(shell: &Shell, center: Vec3, axis: Vec3, extent: f64) -> Option<Section> {
    let plane = Plane::new(center, axis);
    let loops = slice(shell, &plane, &center, 2.5 * extent);
    let mut round_it: Vec<&Loop> = loops
        .iter()
        .filter(|l| l.is_closed && l.encloses(&Vec2::zeros()))
        .collect();
    round_it.sort_by(|a, b| a.area.total_cmp(&b.area));
    let mut chosen = Section::of_loop(shell, &plane, round_it.first()?)?;
    for l in round_it.iter().skip(1) {
        let Some(wider) = Section::of_loop(shell, &plane, l) else {
            continue;
        };
        if wider.is_round == chosen.is_round
            && (wider.center - chosen.center).norm() < CONCENTRIC * wider.radius
        {
            chosen = wider;
        }
    }
    Some(chosen)
}
