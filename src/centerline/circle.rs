//! Circles through points of a plane, and how well they fit.

use super::slice::{Loop, Vec2};
use nalgebra::{Matrix3, Vector3};

/// A fitted circle.
#[derive(Clone, Copy, Debug)]
pub struct Circle {
    pub center: Vec2,
    pub radius: f64,
    /// Root mean square of the distances from the circle, over its radius.
    pub misfit: f64,
}

/// A point with a weight.
pub type Sample = (Vec2, f64);

/// Points along a loop, at most `spacing` apart, weighted by the length they stand for.
pub fn samples(l: &Loop, spacing: f64) -> Vec<Sample> {
    let mut out = Vec::with_capacity(2 * l.pieces.len());
    for [a, b] in &l.pieces {
        let length = (b - a).norm();
        let n = (length / spacing).ceil().clamp(1.0, 64.0);
        for i in 0..n as usize {
            let s = (i as f64 + 0.5) / n;
            out.push((a + (b - a) * s, length / n));
        }
    }
    out
}

/// The circle with the least squares of |q - c|² - r² (Kåsa 1976), then of |q - c| - r by Gauss-Newton steps.
pub fn fit(points: &[Sample]) -> Option<Circle> {
    let total: f64 = points.iter().map(|p| p.1).sum();
    if points.len() < 3 || !(total > 0.0) {
        return None;
    }
    let mean = points.iter().fold(Vec2::zeros(), |m, (q, w)| m + q * *w) / total;
    let mut normal = Matrix3::zeros();
    let mut right = Vector3::zeros();
    for (q, w) in points {
        let d = q - mean;
        let row = Vector3::new(d.x, d.y, 1.0);
        normal += row * row.transpose() * *w;
        right += row * (d.norm_squared() * w);
    }
    let x = normal.lu().solve(&right)?;
    let center = mean + Vec2::new(x[0], x[1]) * 0.5;
    let radius = (x[2] + 0.25 * (x[0] * x[0] + x[1] * x[1])).max(0.0).sqrt();
    if !(radius > 0.0) || !radius.is_finite() {
        return None;
    }
    let mut circle = Circle {
        center,
        radius,
        misfit: 0.0,
    };
    for _ in 0..3 {
        gauss_newton(&mut circle, points, true)?;
    }
    circle.misfit = misfit(&circle, points);
    (circle.radius > 0.0 && circle.misfit.is_finite()).then_some(circle)
}

/// One step of the fit of center and, where asked for, radius.
fn gauss_newton(circle: &mut Circle, points: &[Sample], with_radius: bool) -> Option<()> {
    let mut normal = Matrix3::zeros();
    let mut right = Vector3::zeros();
    for (q, w) in points {
        let d = q - circle.center;
        let distance = d.norm();
        if !(distance > 0.0) {
            continue;
        }
        let along = d / distance;
        let row = Vector3::new(along.x, along.y, if with_radius { 1.0 } else { 0.0 });
        normal += row * row.transpose() * *w;
        right += row * ((distance - circle.radius) * w);
    }
    if !with_radius {
        normal[(2, 2)] = 1.0;
    }
    let step = normal.lu().solve(&right)?;
    if !step.iter().all(|s| s.is_finite()) {
        return None;
    }
    circle.center += Vec2::new(step[0], step[1]);
    circle.radius += step[2];
    Some(())
}

fn misfit(circle: &Circle, points: &[Sample]) -> f64 {
    let mut sum = 0.0;
    let mut total = 0.0;
    for (q, w) in points {
        let e = (q - circle.center).norm() - circle.radius;
        sum += e * e * w;
        total += w;
    }
    (sum / total).sqrt() / circle.radius
}

/// Number of sectors in which coverage is counted.
pub const SECTORS: usize = 36;

/// The circle of a known radius near `guess` that most of the points round it lie on, and the part of the full turn
/// that they cover. Points off the circle (a branch that leaves, a neighbour, an inner wall) are left out.
pub fn fit_known_radius(points: &[Sample], guess: Vec2, radius: f64) -> Option<(Circle, f64)> {
    let mut circle = Circle {
        center: guess,
        radius,
        misfit: 0.0,
    };
    let mut inside: Vec<Sample> = Vec::new();
    for band in [0.3, 0.22, 0.16, 0.12, 0.09, 0.08, 0.08] {
        inside.clear();
        inside.extend(points.iter().filter(|(q, _)| {
            ((q - circle.center).norm() - circle.radius).abs() < band * circle.radius
        }));
        if inside.len() < 4 {
            return None;
        }
        gauss_newton(&mut circle, &inside, false)?;
        if (circle.center - guess).norm() > 0.5 * radius {
            return None;
        }
    }
    circle.misfit = misfit(&circle, &inside);
    let covered = coverage(inside.iter().map(|(q, _)| q - circle.center));
    Some((circle, covered))
}

/// The part of the full turn round the origin in which there are points.
pub fn coverage(points: impl Iterator<Item = Vec2>) -> f64 {
    let mut is_hit = [false; SECTORS];
    for q in points {
        is_hit[sector(&q)] = true;
    }
    is_hit.iter().filter(|&&hit| hit).count() as f64 / SECTORS as f64
}

/// The sector round the origin in which a point is.
pub fn sector(q: &Vec2) -> usize {
    let turn = q.y.atan2(q.x) / std::f64::consts::TAU + 0.5;
    ((turn * SECTORS as f64) as usize).min(SECTORS - 1)
}
