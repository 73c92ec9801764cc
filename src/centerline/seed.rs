//! A first section through a given triangle.

use super::section::Section;
use super::shell::Shell;
use super::slice::{Loop, Plane, Vec2, slice};
use crate::geom::Vec3;

/// Directions tried for the first cut.
const N_ANGLES: usize = 8;
/// Halvings of the angle between them after that.
const N_HALVINGS: usize = 4;
/// A loop that lies round another with its center within this part of its radius is the outer wall of a hose.
const CONCENTRIC: f64 = 0.3;

/// The shortest closed cut through the middle of triangle `t`, made perpendicular to the tube.
///
/// The cut plane holds the triangle's normal: a tube is cut across by the shortest such loop, whatever its section.
pub fn seed(shell: &Shell, t: u32, size: f64) -> Option<Section> {
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
        slice(shell, &plane, &point, reach)
            .into_iter()
            .find(|l| l.is_closed && l.triangles.contains(&t))
            .map(|l| (l.perimeter, plane, l))
    };
    let step = std::f64::consts::PI / N_ANGLES as f64;
    let altitude = 2.0 * shell.areas[t as usize] / longest.norm();
    let mut reach = 3.0 * altitude;
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
    reach *= 1.6;
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
