//! Slack: how much longer a cable is than the shortest curve between its handles that is not bent too sharply.
//!
//! One definition for the tool that makes cables, the table of stretches and the list of lengths. Parts are left out of
//! account: round a post a cable has slack that it cannot give.

use super::{Cable, Handle, HandleKind};
use crate::geom::Vec3;

/// An end of a stretch: a place, and the direction along the cable from its start to its end, where something holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchEnd {
    /// Where it is, mm.
    pub position: Vec3,
    /// Unit vector.
    pub direction: Option<Vec3>,
}

impl StretchEnd {
    /// Where a handle holds the flexible cable: behind its fitting.
    pub fn of(cable: &Cable, handle: &Handle) -> Self {
        let is_free = matches!(
            handle.kind,
            HandleKind::Position | HandleKind::Spring { .. }
        );
        Self {
            position: cable.clamp_of(handle).position,
            direction: (!is_free).then(|| handle.pose.rotation * Vec3::z()),
        }
    }
}

/// Times that the direction of the straight middle is improved.
const ROUNDS: usize = 200;

/// Length of the shortest curve from one end to the other that leaves and arrives in their directions and is nowhere bent
/// more sharply than `radius`, mm: an arc, a straight line, an arc (Dubins 1957, in space).
///
/// Where the ends are so near that there is no such curve, the straight way: a lower bound.
pub fn shortest_curve(start: &StretchEnd, end: &StretchEnd, radius: f64) -> f64 {
    let straight = (end.position - start.position).norm();
    middle_of(start, end, radius).map_or(straight, |(length, _)| length)
}

/// Points along that curve, for drawing it.
pub fn points_of_shortest_curve(start: &StretchEnd, end: &StretchEnd, radius: f64) -> Vec<Vec3> {
    let mut points = vec![start.position];
    if let Some((_, t)) = middle_of(start, end, radius) {
        points.extend(arc_points(start, &t, radius));
        points.extend(arc_points(&back(end), &-t, radius).into_iter().rev());
    }
    points.push(end.position);
    points
}

fn back(end: &StretchEnd) -> StretchEnd {
    StretchEnd {
        position: end.position,
        direction: end.direction.map(|d| -d),
    }
}

/// Points of the arc from an end towards a direction, from its first to its last.
fn arc_points(end: &StretchEnd, to: &Vec3, radius: f64) -> Vec<Vec3> {
    const STEPS: i32 = 24;
    let Some(direction) = end.direction else {
        return Vec::new();
    };
    let angle = direction.angle(to);
    let Some(aside) = (to - direction * angle.cos()).try_normalize(1e-12) else {
        return Vec::new();
    };
    let turned = |k: i32| {
        let part = angle * f64::from(k) / f64::from(STEPS);
        let shift = direction * part.sin() + aside * (1.0 - part.cos());
        end.position + shift * radius
    };
    (0..=STEPS).map(turned).collect()
}

/// Length of the shortest curve, and the direction of its straight middle; `None` where it is the straight way.
fn middle_of(start: &StretchEnd, end: &StretchEnd, radius: f64) -> Option<(f64, Vec3)> {
    let along = (end.position - start.position).try_normalize(1e-12)?;
    if !(radius > 0.0) {
        return None;
    }
    let seeds = [Some(along), start.direction, end.direction];
    let lengths = seeds.into_iter().flatten().filter_map(|mut t| {
        for _ in 0..ROUNDS {
            let (first, last) = (arc(start, &t, radius), arc(&back(end), &-t, radius));
            let middle = last.1 - first.1;
            let next = middle.try_normalize(1e-12)?;
            if (next - t).norm() < 1e-10 {
                return Some((first.0 + middle.norm() + last.0, next));
            }
            t = (t + next).try_normalize(1e-12)?;
        }
        None
    });
    lengths.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Length of the arc that turns from the direction of an end to `to`, and where it ends.
fn arc(end: &StretchEnd, to: &Vec3, radius: f64) -> (f64, Vec3) {
    let Some(direction) = end.direction else {
        return (0.0, end.position);
    };
    let cos = direction.dot(to).clamp(-1.0, 1.0);
    let Some(aside) = (to - direction * cos).try_normalize(1e-12) else {
        return (0.0, end.position);
    };
    let angle = cos.acos();
    let shift = direction * angle.sin() + aside * (1.0 - cos);
    (radius * angle, end.position + shift * radius)
}

impl Cable {
    /// The shortest way from its first handle to its last through those between, mm: curves that meet the bend limit, and
    /// the fittings at its ends; `None` with fewer than two.
    pub fn shortest_way(&self) -> Option<f64> {
        let mut held: Vec<&Handle> = self.handles.iter().collect();
        held.sort_by(|a, b| self.arc_length(a).total_cmp(&self.arc_length(b)));
        let radius = self.smallest_centerline_radius().unwrap_or(0.0);
        let between = held.windows(2).map(|h| {
            shortest_curve(
                &StretchEnd::of(self, h[0]),
                &StretchEnd::of(self, h[1]),
                radius,
            )
        });
        let fittings = held.iter().map(|h| self.fitting_of(h));
        (held.len() > 1).then(|| between.sum::<f64>() + fittings.sum::<f64>())
    }

    /// How much longer it is between its first and last handle than the shortest way, as a share; `None` where it is not
    /// held in two places.
    pub fn slack(&self) -> Option<f64> {
        let places = || self.handles.iter().map(|h| self.arc_length(h));
        let (first, last) = (
            places().min_by(f64::total_cmp)?,
            places().max_by(f64::total_cmp)?,
        );
        let fittings: f64 = self.handles.iter().map(|h| self.fitting_of(h)).sum();
        let way = self.shortest_way().filter(|way| *way > 0.0)?;
        Some(((last - first) * self.growth() + fittings) / way - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn end(position: [f64; 3], direction: [f64; 3]) -> StretchEnd {
        StretchEnd {
            position: position.into(),
            direction: Some(direction.into()),
        }
    }

    #[test]
    fn arcs_and_lines_have_their_textbook_length() {
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-8, "{a} {b}");
        let r = 30.0;
        // Straight ahead.
        let start = end([0.0; 3], [1.0, 0.0, 0.0]);
        let ahead = end([100.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        close(shortest_curve(&start, &ahead, r), 100.0);
        // Up, over and down: two quarters and a line.
        let up = end([0.0; 3], [0.0, 1.0, 0.0]);
        let down = end([180.0, 0.0, 0.0], [0.0, -1.0, 0.0]);
        close(shortest_curve(&up, &down, r), PI * r + 120.0);
        // The same turned out of the plane and moved.
        let turn = crate::geom::Rotation::from_scaled_axis(Vec3::new(0.3, -1.1, 0.7));
        let moved = |e: &StretchEnd| StretchEnd {
            position: turn * e.position + Vec3::new(5.0, 6.0, 7.0),
            direction: e.direction.map(|d| turn * d),
        };
        close(
            shortest_curve(&moved(&up), &moved(&down), r),
            PI * r + 120.0,
        );
        // Without directions, or without a limit, the straight way.
        let loose = |e: StretchEnd| StretchEnd {
            direction: None,
            ..e
        };
        close(shortest_curve(&loose(up), &loose(down), r), 180.0);
        close(shortest_curve(&up, &down, 0.0), 180.0);
        // What is drawn is that curve.
        let points = points_of_shortest_curve(&up, &down, r);
        let drawn: f64 = points.windows(2).map(|p| (p[1] - p[0]).norm()).sum();
        assert!((drawn / (PI * r + 120.0) - 1.0).abs() < 1e-3, "{drawn}");
        assert_eq!(points_of_shortest_curve(&up, &down, 0.0).len(), 2);
        // Never shorter than the straight way, and longer where it must bend.
        for k in 0..20 {
            let a = f64::from(k) * 0.3;
            let there = end([200.0, 40.0, 90.0], [a.cos(), a.sin(), 0.0]);
            let length = shortest_curve(&start, &there, r);
            assert!(length >= Vec3::new(200.0, 40.0, 90.0).norm() - 1e-9);
        }
    }
}
