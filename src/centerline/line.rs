//! A curve through knots with tangents: circular where both tangents say so, straight between equal ones.

use super::bvh::Bvh;
use crate::geom::{Aabb, Vec3};

/// A place on a line.
#[derive(Clone, Copy, Debug)]
pub struct Knot {
    pub position: Vec3,
    /// Unit vector along the line.
    pub tangent: Vec3,
    /// Radius on the side of the smaller arc length, and of the larger; they differ at a sudden step.
    pub radii: [f64; 2],
    /// 0 guessed to 1 measured all round.
    pub confidence: f64,
}

/// A curve with a radius, as points that are dense enough to be taken as straight pieces.
pub struct Line {
    pub knots: Vec<Knot>,
    /// Arc length of each knot.
    pub arcs: Vec<f64>,
    pub is_closed: bool,
    bvh: Bvh,
}

/// Where a point stands beside a line.
#[derive(Clone, Copy, Debug)]
pub struct Foot {
    /// Below 0 or above the length beyond the ends.
    pub arc: f64,
    pub position: Vec3,
    pub tangent: Vec3,
    pub radius: f64,
    pub distance: f64,
}

impl Line {
    /// The polyline through the knots; a closed one has its first knot again at the end.
    pub fn new(knots: Vec<Knot>, is_closed: bool) -> Self {
        let mut arcs = Vec::with_capacity(knots.len());
        let mut arc = 0.0;
        for (i, knot) in knots.iter().enumerate() {
            if i > 0 {
                arc += (knot.position - knots[i - 1].position).norm();
            }
            arcs.push(arc);
        }
        let boxes: Vec<Aabb> = knots
            .windows(2)
            .map(|w| Aabb::of_points([&w[0].position, &w[1].position]))
            .collect();
        Self {
            bvh: Bvh::new(&boxes),
            knots,
            arcs,
            is_closed,
        }
    }

    /// The same curve with more knots: pieces no longer than `spacing` radii and no more bent than `angle`.
    pub fn dense(knots: &[Knot], is_closed: bool, spacing: f64, angle: f64) -> Self {
        let mut out = Vec::new();
        for w in knots.windows(2) {
            let piece = Piece::new(&w[0], &w[1]);
            let radius = w[0].radii[1].min(w[1].radii[0]);
            let n = (piece.chord / (spacing * radius))
                .max(piece.turn / angle)
                .ceil()
                .clamp(1.0, 10_000.0);
            out.push(w[0]);
            for i in 1..n as usize {
                out.push(piece.at(i as f64 / n, &w[0], &w[1]));
            }
        }
        out.extend(knots.last());
        Self::new(out, is_closed)
    }

    pub fn length(&self) -> f64 {
        self.arcs.last().copied().unwrap_or(0.0)
    }

    pub fn aabb(&self) -> Aabb {
        Aabb::of_points(self.knots.iter().map(|k| &k.position))
    }

    pub fn largest_radius(&self) -> f64 {
        let wide = |k: &Knot| k.radii[0].max(k.radii[1]);
        self.knots.iter().map(wide).fold(0.0, f64::max)
    }

    /// Position, tangent and radius at an arc length, straight on beyond the ends.
    pub fn at(&self, arc: f64) -> Foot {
        let n = self.knots.len();
        let i = self.arcs.partition_point(|&a| a <= arc).clamp(1, n - 1) - 1;
        let step = self.arcs[i + 1] - self.arcs[i];
        let t = if step > 0.0 {
            (arc - self.arcs[i]) / step
        } else {
            0.0
        };
        self.foot(i, t)
    }

    /// The place so far from the end at `side`.
    pub fn at_from(&self, side: usize, distance: f64) -> Foot {
        let length = self.length();
        let distance = distance.min(length);
        self.at(if side == 0 {
            distance
        } else {
            length - distance
        })
    }

    /// The nearest place, with the plane across the line there going through `p`. `None` of a line without pieces.
    pub fn project(&self, p: &Vec3) -> Option<Foot> {
        let cost = |i: u32| {
            let (a, b) = self.ends(i as usize);
            distance_to_segment(p, &a, &b)
        };
        let (_, i) = self.bvh.nearest(p, f64::INFINITY, cost, 1.0)?;
        Some(self.foot_on(p, i as usize))
    }

    /// As [`Self::project`], but `None` where the line is `limit` or more away.
    pub fn project_within(&self, p: &Vec3, limit: f64) -> Option<Foot> {
        let cost = |i: u32| {
            let (a, b) = self.ends(i as usize);
            distance_to_segment(p, &a, &b)
        };
        let (_, i) = self.bvh.nearest(p, limit, cost, 1.0)?;
        Some(self.foot_on(p, i as usize))
    }

    /// As [`Self::project`] where the place is known roughly: only pieces near `arc` are looked at.
    pub fn project_near(&self, p: &Vec3, arc: f64) -> Option<Foot> {
        let n = self.knots.len().checked_sub(1)?;
        let middle = self.arcs.partition_point(|&a| a <= arc);
        let (low, high) = (middle.saturating_sub(4), (middle + 3).min(n));
        let distance = |i: &usize| {
            let (a, b) = self.ends(*i);
            distance_to_segment(p, &a, &b)
        };
        let nearest = (low..high)
            .map(|i| (distance(&i), i))
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(self.foot_on(p, nearest.1))
    }

    /// The foot of `p` on piece `i`.
    fn foot_on(&self, p: &Vec3, i: usize) -> Foot {
        let (a, b) = self.ends(i);
        let along = b - a;
        let length_sq = along.norm_squared();
        let mut t = if length_sq > 0.0 {
            (p - a).dot(&along) / length_sq
        } else {
            0.0
        };
        // Newton on (p - C(t)) . T(t) = 0 with the tangent turning from knot to knot.
        let (t0, t1) = (self.knots[i].tangent, self.knots[i + 1].tangent);
        for _ in 0..3 {
            let c = a + along * t;
            let tangent = t0 + (t1 - t0) * t.clamp(0.0, 1.0);
            let value = (p - c).dot(&tangent);
            let slope = -along.dot(&tangent) + (p - c).dot(&(t1 - t0));
            // On the inner side of a bend beyond its center the slope changes sign: stay with the segment.
            if slope > -0.2 * along.dot(&tangent) {
                break;
            }
            t -= value / slope;
        }
        let low = if i == 0 && !self.is_closed {
            f64::NEG_INFINITY
        } else {
            -0.7
        };
        let high = if i + 2 == self.knots.len() && !self.is_closed {
            f64::INFINITY
        } else {
            1.7
        };
        let mut foot = self.foot(i, t.clamp(low, high));
        foot.distance = (p - foot.position).norm();
        foot
    }

    /// Distance from `p` to the line, ends included.
    pub fn distance(&self, p: &Vec3) -> f64 {
        let cost = |i: u32| {
            let (a, b) = self.ends(i as usize);
            distance_to_segment(p, &a, &b)
        };
        self.bvh
            .nearest(p, f64::INFINITY, cost, 1.0)
            .map_or(f64::INFINITY, |(d, _)| d)
    }

    fn ends(&self, i: usize) -> (Vec3, Vec3) {
        (self.knots[i].position, self.knots[i + 1].position)
    }

    fn foot(&self, i: usize, t: f64) -> Foot {
        let (k, l) = (&self.knots[i], &self.knots[i + 1]);
        let within = t.clamp(0.0, 1.0);
        let tangent = k.tangent + (l.tangent - k.tangent) * within;
        Foot {
            arc: self.arcs[i] + t * (self.arcs[i + 1] - self.arcs[i]),
            position: k.position + (l.position - k.position) * t,
            tangent: tangent.try_normalize(1e-9).unwrap_or(k.tangent),
            radius: k.radii[1] + (l.radii[0] - k.radii[1]) * within,
            distance: 0.0,
        }
    }
}

/// Distance from a point to a segment.
pub fn distance_to_segment(p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    let along = b - a;
    let length_sq = along.norm_squared();
    let t = if length_sq > 0.0 {
        ((p - a).dot(&along) / length_sq).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (p - a - along * t).norm()
}

/// A cubic between two knots. With handles of 4/3 tan(θ/4) R it follows a circle's arc of angle θ and radius R to
/// a few 1e-4 of R at 90°, and a straight line exactly.
struct Piece {
    controls: [Vec3; 4],
    chord: f64,
    /// Angle between the tangents, and that of each to the chord: twice the larger.
    turn: f64,
}

impl Piece {
    fn new(a: &Knot, b: &Knot) -> Self {
        let along = b.position - a.position;
        let chord = along.norm();
        let angle = |p: &Vec3, q: &Vec3| p.dot(q).clamp(-1.0, 1.0).acos();
        let straight = along.try_normalize(0.0).unwrap_or(a.tangent);
        let (first, second) = (angle(&a.tangent, &straight), angle(&b.tangent, &straight));
        // Tangents that fold back are not those of a curve between the two.
        let sharp = 1.3;
        let (t0, t1, turn) = if first > sharp || second > sharp {
            (straight, straight, 0.0)
        } else {
            (a.tangent, b.tangent, (first + second).max(1e-9))
        };
        let half = 0.5 * turn;
        let handle = if half > 1e-6 {
            4.0 / 3.0 * (half * 0.5).tan() * chord / (2.0 * half.sin())
        } else {
            chord / 3.0
        };
        Self {
            controls: [
                a.position,
                a.position + t0 * handle,
                b.position - t1 * handle,
                b.position,
            ],
            chord,
            turn,
        }
    }

    fn at(&self, t: f64, a: &Knot, b: &Knot) -> Knot {
        let [p0, p1, p2, p3] = self.controls;
        let u = 1.0 - t;
        let position =
            p0 * (u * u * u) + p1 * (3.0 * u * u * t) + p2 * (3.0 * u * t * t) + p3 * (t * t * t);
        let slope = (p1 - p0) * (u * u) + (p2 - p1) * (2.0 * u * t) + (p3 - p2) * (t * t);
        let radius = a.radii[1] + (b.radii[0] - a.radii[1]) * t;
        Knot {
            position,
            tangent: slope.try_normalize(0.0).unwrap_or(a.tangent),
            radii: [radius; 2],
            confidence: a.confidence + (b.confidence - a.confidence) * t,
        }
    }
}

/// Distance of a point from a triangle (Ericson2005, 5.1.5).
pub fn distance_to_triangle(p: &Vec3, [a, b, c]: &[Vec3; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let inside = |from: &Vec3, to: &Vec3| (to - from).cross(&(p - from)).dot(&normal) >= 0.0;
    let height = normal.try_normalize(0.0).map(|n| (p - a).dot(&n).abs());
    match height {
        Some(height) if inside(a, b) && inside(b, c) && inside(c, a) => height,
        _ => [(a, b), (b, c), (c, a)]
            .map(|(from, to)| distance_to_segment(p, from, to))
            .into_iter()
            .fold(f64::INFINITY, f64::min),
    }
}
