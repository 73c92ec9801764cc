//! Points inside a face before it is refined, and closed surfaces without a border.

use super::Fineness;
use super::chart::{Chart, Growth};
use super::layout::Corner;
use super::surface::Surface;
use crate::geom::Vec3;

/// Steps across a whole surface that are taken at most in one direction.
const MOST: usize = 400;
/// Places along a line at which its turn is looked at.
const PLACES: usize = 24;

type Box2 = [[f64; 2]; 2];

/// Places of a regular net inside a face of a surface that is bent both ways, with the distance that each keeps.
pub fn seeds(
    surface: &Surface,
    chart: &Chart,
    loops: &[Vec<Corner>],
    fineness: &Fineness,
) -> Vec<([f64; 2], f64)> {
    if surface.is_plane() || surface.straight().is_some() {
        return Vec::new();
    }
    let area = face_box(chart, loops);
    let counts = [0, 1].map(|axis| n_steps(surface, area, axis, fineness));
    let mut places = Vec::new();
    let is_round = |axis: usize| {
        matches!(chart, Chart::Ring(r) if r.round == axis)
            || matches!(chart, Chart::Sphere { globe, .. } if globe.round == axis)
    };
    let steps = [0, 1].map(|k| (area[k][1] - area[k][0]) / counts[k] as f64);
    let inner = |axis: usize| {
        if is_round(axis) {
            0..counts[axis]
        } else {
            1..counts[axis]
        }
    };
    for j in inner(1) {
        // Every other row is shifted by half a step: the triangles come out even.
        let shift = if is_round(0) {
            0.5 * (j % 2) as f64
        } else {
            0.0
        };
        for i in inner(0) {
            let uv = [
                area[0][0] + steps[0] * (i as f64 + shift),
                area[1][0] + steps[1] * j as f64,
            ];
            let (_, du, dv) = surface.at(uv[0], uv[1]);
            let [a, b] = [du.norm() * steps[0], dv.norm() * steps[1]];
            let keep = match chart {
                Chart::Sphere { globe, .. } => 0.6 * [a, b][1 - globe.round],
                _ => 0.4 * a.min(b),
            };
            places.push((uv, keep));
        }
    }
    places
}

/// The parameters that a face may take.
fn face_box(chart: &Chart, loops: &[Vec<Corner>]) -> Box2 {
    if let Chart::Sphere { globe, .. } = chart {
        return globe.ranges();
    }
    let mut area = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    for corner in loops.iter().flatten() {
        for k in 0..2 {
            area[k] = [area[k][0].min(corner.uv[k]), area[k][1].max(corner.uv[k])];
        }
    }
    if let Chart::Ring(ring) = chart {
        area[ring.round] = [0.0, ring.period];
        if let Growth::FromPole(_) = ring.growth {
            let other = &mut area[1 - ring.round];
            *other = [other[0].min(ring.start), other[1].max(ring.start)];
        }
    }
    area
}

/// Steps along one parameter that keep chord error and angle, by the turn of the normal.
fn n_steps(surface: &Surface, area: Box2, axis: usize, fineness: &Fineness) -> usize {
    let turn = fineness.turn();
    let mut most: f64 = 1.0;
    for line in [1.0, 3.0, 5.0] {
        let fixed = area[1 - axis][0] + (area[1 - axis][1] - area[1 - axis][0]) * line / 6.0;
        let place = |i: usize| {
            let moving = area[axis][0] + (area[axis][1] - area[axis][0]) * i as f64 / PLACES as f64;
            if axis == 0 {
                [moving, fixed]
            } else {
                [fixed, moving]
            }
        };
        let (mut by_angle, mut by_chord) = (0.0, 0.0);
        let [u, v] = place(0);
        let mut before = (surface.point(u, v), surface.normal(u, v));
        for i in 1..=PLACES {
            let [u, v] = place(i);
            let here = (surface.point(u, v), surface.normal(u, v));
            let angle = before.1.cross(&here.1).norm().atan2(before.1.dot(&here.1));
            let length = (here.0 - before.0).norm();
            by_angle += angle / turn;
            by_chord += (length * angle / (8.0 * fineness.chord_error)).sqrt();
            before = here;
        }
        most = most.max(by_angle).max(by_chord);
    }
    if most.is_finite() {
        (most.ceil() as usize).clamp(1, MOST)
    } else {
        1
    }
}

/// Vertices and triangles of a whole closed surface, in its own direction.
pub fn whole(surface: &Surface, fineness: &Fineness) -> Result<(Vec<Vec3>, Vec<[u32; 3]>), String> {
    let mut ranges = surface.ranges().ok_or("its surface has no end")?;
    let periods = surface.periods();
    let round = usize::from(periods[0].is_none());
    let other = 1 - round;
    let poles = surface.poles();
    let has_poles = periods[other].is_none();
    if has_poles {
        let values: Vec<f64> = poles
            .iter()
            .filter(|p| p.fixed == other)
            .map(|p| p.value)
            .collect();
        let [a, b] = values[..] else {
            return Err("its surface is not closed".to_owned());
        };
        ranges[other] = [a.min(b), a.max(b)];
    }
    let n_round = n_steps(surface, ranges, round, fineness).max(6);
    let n_other = n_steps(surface, ranges, other, fineness).max(4);
    let at = |i: usize, j: usize| {
        let moving = |axis: usize, k: usize, n: usize| {
            ranges[axis][0] + (ranges[axis][1] - ranges[axis][0]) * k as f64 / n as f64
        };
        let (a, b) = (moving(round, i, n_round), moving(other, j, n_other));
        if round == 0 {
            surface.point(a, b)
        } else {
            surface.point(b, a)
        }
    };
    let mut vertices = Vec::new();
    let mut rows: Vec<Vec<u32>> = Vec::new();
    let n_rows = if has_poles { n_other + 1 } else { n_other };
    for j in 0..n_rows {
        let is_pole = has_poles && (j == 0 || j == n_other);
        if is_pole {
            rows.push(vec![vertices.len() as u32; n_round]);
            vertices.push(at(0, j));
        } else {
            rows.push((0..n_round).map(|i| (vertices.len() + i) as u32).collect());
            vertices.extend((0..n_round).map(|i| at(i, j)));
        }
    }
    let mut triangles = Vec::new();
    let n_bands = if has_poles { n_rows - 1 } else { n_rows };
    for j in 0..n_bands {
        let (low, high) = (&rows[j], &rows[(j + 1) % n_rows]);
        for i in 0..n_round {
            let k = (i + 1) % n_round;
            for t in [[low[i], low[k], high[k]], [low[i], high[k], high[i]]] {
                if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
                    triangles.push(if round == 0 { t } else { [t[0], t[2], t[1]] });
                }
            }
        }
    }
    Ok((vertices, triangles))
}
