//! Plane charts of surfaces: where the triangulation happens.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::curve::Frame;
use crate::geom::Vec3;

/// Farther than everything that is not where a sphere is seen from.
const FARTHEST: f64 = 1e7;

/// A map between the parameters of a surface and a plane; it keeps their orientation.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// The parameters, each times a scale.
    Plane {
        /// Scales of u and v.
        scale: [f64; 2],
    },
    /// A band that goes round, as a ring in the plane; a pole becomes the centre of a disc.
    Ring(Ring),
    /// A sphere, or what has two poles as it has, seen from one of its own points, which is outside of the face
    /// (stereographic).
    Sphere {
        /// The parameters as longitude and latitude.
        globe: Globe,
        /// Axes whose z points at where it is seen from, in those of the globe.
        view: Frame,
    },
}

/// The parameters of a surface with two poles as longitude and latitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Globe {
    /// The parameter that goes round.
    pub round: usize,
    /// Its period.
    pub period: f64,
    /// The other parameter at the south pole and at the north pole.
    pub poles: [f64; 2],
}

impl Globe {
    /// That of a sphere, whose parameters are longitude and latitude.
    pub const SPHERE: Self = Self {
        round: 0,
        period: TAU,
        poles: [-FRAC_PI_2, FRAC_PI_2],
    };

    /// The ranges of the parameters.
    pub fn ranges(&self) -> [[f64; 2]; 2] {
        let mut ranges = [[0.0, self.period]; 2];
        ranges[1 - self.round] = self.poles;
        ranges
    }

    /// Where a place is on the ball of radius 1.
    pub fn direction(&self, uv: [f64; 2]) -> Vec3 {
        let [south, north] = self.poles;
        let share = (uv[1 - self.round] - south) / (north - south);
        let (sin_v, cos_v) = (PI * share - FRAC_PI_2).sin_cos();
        let (sin_u, cos_u) = (self.turn() * TAU * uv[self.round] / self.period).sin_cos();
        Vec3::new(cos_v * cos_u, cos_v * sin_u, sin_v)
    }

    /// The parameters of a place on the ball.
    fn parameters(&self, own: &Vec3) -> [f64; 2] {
        let [south, north] = self.poles;
        let latitude = own.z.atan2(own.x.hypot(own.y));
        let longitude = own.y.atan2(own.x);
        let mut uv = [self.turn() * longitude * self.period / TAU; 2];
        uv[1 - self.round] = south + (north - south) * (latitude + FRAC_PI_2) / PI;
        uv
    }

    /// Longitude grows with u where v is the latitude, and against v where u is: the outside stays the outside.
    fn turn(&self) -> f64 {
        if self.round == 0 { 1.0 } else { -1.0 }
    }
}

/// A band as a ring.
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    /// The parameter that goes round.
    pub round: usize,
    /// Its period.
    pub period: f64,
    /// Whether the angle in the plane runs with or against it, 1 or -1.
    pub turn: f64,
    /// Whether the radius grows with the other parameter or against it, 1 or -1.
    pub outward: f64,
    /// The other parameter at the centre of the ring's scale.
    pub start: f64,
    /// How the radius grows.
    pub growth: Growth,
}

/// How the radius of a ring grows with the other parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// By a factor of e every `1 / rate`.
    Exponential(f64),
    /// From nothing at the pole.
    FromPole(f64),
}

impl Chart {
    /// The place of `uv` in the plane.
    pub fn place(&self, uv: [f64; 2]) -> [f64; 2] {
        match self {
            Self::Plane { scale } => [uv[0] * scale[0], uv[1] * scale[1]],
            Self::Ring(ring) => {
                let along = ring.outward * (uv[1 - ring.round] - ring.start);
                let radius = match ring.growth {
                    Growth::Exponential(rate) => (rate * along).exp(),
                    Growth::FromPole(scale) => along.max(0.0) * scale,
                };
                let (sin, cos) = (ring.turn * TAU * uv[ring.round] / ring.period).sin_cos();
                [radius * cos, radius * sin]
            }
            Self::Sphere { globe, view } => place_direction(&globe.direction(uv), view),
        }
    }

    /// The parameters at a place of the plane.
    pub fn parameters(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        match self {
            Self::Plane { scale } => [x / scale[0], y / scale[1]],
            Self::Ring(ring) => {
                let radius = x.hypot(y);
                let along = match ring.growth {
                    Growth::Exponential(rate) => radius.max(1e-300).ln() / rate,
                    Growth::FromPole(scale) => radius / scale,
                };
                let around = ring.turn * y.atan2(x) * ring.period / TAU;
                let other = ring.start + ring.outward * along;
                if ring.round == 0 {
                    [around, other]
                } else {
                    [other, around]
                }
            }
            Self::Sphere { globe, view } => {
                let (x, y) = (x, -y);
                let s = x * x + y * y;
                let q = Vec3::new(2.0 * x, 2.0 * y, s - 1.0) / (s + 1.0);
                globe.parameters(&(view.axes() * q))
            }
        }
    }
}

fn place_direction(own: &Vec3, view: &Frame) -> [f64; 2] {
    let q = view.axes().transpose() * own;
    let depth = 1.0 - q.z;
    if depth < 1e-12 {
        // Where it is seen from has no place; its own round-off would put it near the middle.
        return [FARTHEST, 0.0];
    }
    // Seen from inside of the sphere: the mirror keeps the outside of the face in front.
    [q.x / depth, -q.y / depth]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charts() -> Vec<Chart> {
        let globe = |round| Globe {
            round,
            period: 3.0,
            poles: [-0.5, 2.0],
        };
        let view = Frame::new(Vec3::zeros(), Vec3::new(-1.0, 0.4, -0.3), None).unwrap();
        let ring = |round, outward: f64, growth| {
            let turn = if round == 0 { -outward } else { outward };
            Chart::Ring(Ring {
                round,
                period: TAU,
                turn,
                outward,
                start: 0.1,
                growth,
            })
        };
        vec![
            Chart::Plane { scale: [2.0, 0.5] },
            Chart::Sphere {
                globe: Globe::SPHERE,
                view,
            },
            Chart::Sphere {
                globe: globe(0),
                view,
            },
            Chart::Sphere {
                globe: globe(1),
                view,
            },
            ring(0, -1.0, Growth::Exponential(0.7)),
            ring(1, 1.0, Growth::Exponential(0.7)),
            ring(0, 1.0, Growth::FromPole(2.0)),
            ring(1, 1.0, Growth::FromPole(2.0)),
        ]
    }

    #[test]
    fn the_point_that_a_sphere_is_seen_from_is_far_away() {
        let view = Frame::new(Vec3::zeros(), Vec3::x(), None).unwrap();
        let chart = Chart::Sphere {
            globe: Globe::SPHERE,
            view,
        };
        for u in [0.0, TAU, 1e-9, -1e-8] {
            let [x, y] = chart.place([u, 0.0]);
            assert!(x.hypot(y) > 1e6, "{u}: {x} {y}");
        }
    }

    #[test]
    fn charts_go_back_and_keep_the_orientation() {
        for chart in charts() {
            for (u, v) in [(0.3, 0.6), (1.2, 0.4), (0.7, 0.8)] {
                let place = |u: f64, v: f64| chart.place([u, v]);
                let [a, b] = chart.parameters(place(u, v));
                assert!((a - u).abs() < 1e-12 && (b - v).abs() < 1e-12, "{chart:?}");
                let h = 1e-6;
                let [p, q, r] = [place(u, v), place(u + h, v), place(u, v + h)];
                let cross = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
                assert!(cross > 0.0, "{chart:?}");
            }
        }
    }
}
