//! Surfaces of faces: points, derivatives, periods and poles.

use std::f64::consts::{FRAC_PI_2, TAU};

use super::chart::Globe;
use super::curve::{Curve, Frame};
use super::nurbs::NurbsSurface;
use crate::geom::Vec3;

/// A surface with its two parameters as the standard (ISO 10303-42) has them; their order gives its direction.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// Along x and y.
    Plane(Frame),
    /// Angle about z, height along z.
    Cylinder {
        /// Its axis.
        frame: Frame,
        /// Its radius.
        radius: f64,
    },
    /// Angle about z, height along z.
    Cone {
        /// Its axis, where its radius is `radius`.
        frame: Frame,
        /// Its radius at height 0.
        radius: f64,
        /// By how much the radius grows with the height.
        slope: f64,
    },
    /// Longitude and latitude.
    Sphere {
        /// Its axis.
        frame: Frame,
        /// Its radius.
        radius: f64,
    },
    /// Angle about z, angle about the ring.
    Torus {
        /// Its axis.
        frame: Frame,
        /// Radius of the ring.
        major: f64,
        /// Radius of the tube.
        minor: f64,
    },
    /// A curve moved along a vector: parameter of the curve, share of the vector.
    Extrusion {
        /// What is moved.
        curve: Curve,
        /// How far for one of v.
        vector: Vec3,
    },
    /// A curve turned about z: angle, parameter of the curve.
    Revolution {
        /// What is turned.
        curve: Curve,
        /// The axis.
        frame: Frame,
    },
    /// A B-spline.
    Nurbs(NurbsSurface),
    /// Another surface at a distance.
    Offset {
        /// The other one.
        base: Box<Surface>,
        /// How far along its normal.
        distance: f64,
    },
}

/// Point and derivatives by u and v.
pub type Jet = (Vec3, Vec3, Vec3);

impl Surface {
    /// Point and derivatives by u and v.
    pub fn at(&self, u: f64, v: f64) -> Jet {
        match self {
            Self::Plane(frame) => (frame.point(u, v, 0.0), frame.x, frame.y),
            Self::Cylinder { frame, radius } => turned(frame, u, [*radius, v], [0.0, 1.0]),
            Self::Cone {
                frame,
                radius,
                slope,
            } => turned(frame, u, [radius + v * slope, v], [*slope, 1.0]),
            Self::Sphere { frame, radius } => {
                let (sin, cos) = v.sin_cos();
                turned(
                    frame,
                    u,
                    [radius * cos, radius * sin],
                    [-radius * sin, radius * cos],
                )
            }
            Self::Torus {
                frame,
                major,
                minor,
            } => {
                let (sin, cos) = v.sin_cos();
                turned(
                    frame,
                    u,
                    [major + minor * cos, minor * sin],
                    [-minor * sin, minor * cos],
                )
            }
            Self::Extrusion { curve, vector } => {
                let (p, d) = curve.at(u);
                (p + vector * v, d, *vector)
            }
            Self::Revolution { curve, frame } => {
                let (p, d) = curve.at(v);
                let (sin, cos) = u.sin_cos();
                let turn = |a: &Vec3| {
                    let (x, y, z) = (frame.x.dot(a), frame.y.dot(a), frame.z.dot(a));
                    frame.x * (x * cos - y * sin) + frame.y * (x * sin + y * cos) + frame.z * z
                };
                let out = turn(&(p - frame.origin));
                (frame.origin + out, frame.z.cross(&out), turn(&d))
            }
            Self::Nurbs(surface) => surface.at(u, v),
            Self::Offset { base, distance } => {
                // Derivatives by differences: they serve directions and steps only.
                let point = |u: f64, v: f64| base.at(u, v).0 + base.normal(u, v) * *distance;
                let (p, du, dv) = base.at(u, v);
                let h = |d: &Vec3| 1e-5 * (1.0 + distance.abs()) / (1.0 + d.norm());
                let (hu, hv) = (h(&du), h(&dv));
                let by_u = (point(u + hu, v) - point(u - hu, v)) / (2.0 * hu);
                let by_v = (point(u, v + hv) - point(u, v - hv)) / (2.0 * hv);
                (p + base.normal(u, v) * *distance, by_u, by_v)
            }
        }
    }

    /// The point at `u`, `v`.
    pub fn point(&self, u: f64, v: f64) -> Vec3 {
        self.at(u, v).0
    }

    /// The direction of the surface, of length one; at a pole that beside it.
    pub fn normal(&self, u: f64, v: f64) -> Vec3 {
        let normal = |u: f64, v: f64| {
            let (_, du, dv) = self.at(u, v);
            du.cross(&dv)
                .try_normalize(1e-9 * du.norm().max(dv.norm()).powi(2))
        };
        let [[u0, u1], [v0, v1]] = self.inner_ranges();
        let aside = |x: f64, range: [f64; 2]| {
            let step = 1e-4 * (range[1] - range[0]);
            if x + step > range[1] {
                x - step
            } else {
                x + step
            }
        };
        normal(u, v)
            .or_else(|| normal(u, aside(v, [v0, v1])))
            .or_else(|| normal(aside(u, [u0, u1]), v))
            .unwrap_or_else(Vec3::zeros)
    }

    /// After how much each parameter is where it began.
    pub fn periods(&self) -> [Option<f64>; 2] {
        match self {
            Self::Plane(_) => [None, None],
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Sphere { .. } => [Some(TAU), None],
            Self::Torus { .. } => [Some(TAU), Some(TAU)],
            Self::Extrusion { curve, .. } => [curve.period(), None],
            Self::Revolution { curve, .. } => {
                // Half of a circle makes all of a sphere: going on behind the axis would make it twice.
                [
                    Some(TAU),
                    curve.period().filter(|_| self.poles().is_empty()),
                ]
            }
            Self::Nurbs(surface) => surface.knots().map(super::nurbs::Knots::period),
            Self::Offset { base, .. } => base.periods(),
        }
    }

    /// The ranges of the parameters where they have ends; any range elsewhere.
    fn inner_ranges(&self) -> [[f64; 2]; 2] {
        let of_curve = |curve: &Curve| curve.range().unwrap_or([-1e9, 1e9]);
        let wide = [-1e9, 1e9];
        match self {
            Self::Sphere { .. } => [wide, [-FRAC_PI_2, FRAC_PI_2]],
            Self::Extrusion { curve, .. } => [of_curve(curve), wide],
            Self::Revolution { curve, .. } => [wide, of_curve(curve)],
            Self::Nurbs(surface) => surface.knots().map(|k| [k.start(), k.end()]),
            Self::Offset { base, .. } => base.inner_ranges(),
            _ => [wide, wide],
        }
    }

    /// The whole ranges of a surface that has ends or goes round in both directions.
    pub fn ranges(&self) -> Option<[[f64; 2]; 2]> {
        match self {
            Self::Sphere { .. } => Some([[0.0, TAU], [-FRAC_PI_2, FRAC_PI_2]]),
            Self::Torus { .. } => Some([[0.0, TAU], [0.0, TAU]]),
            Self::Revolution { curve, .. } => {
                let own = curve.period().map(|p| [0.0, p]);
                Some([[0.0, TAU], curve.range().or(own)?])
            }
            Self::Nurbs(surface) => Some(surface.knots().map(|k| [k.start(), k.end()])),
            Self::Offset { base, .. } => base.ranges(),
            _ => None,
        }
    }

    /// Where the whole surface comes together in one point: the parameter that is fixed there (0 or 1), its value
    /// and the point.
    pub fn poles(&self) -> Vec<Pole> {
        match self {
            Self::Cone {
                frame,
                radius,
                slope,
            } if *slope != 0.0 => {
                let v = -radius / slope;
                vec![Pole {
                    fixed: 1,
                    value: v,
                    point: frame.point(0.0, 0.0, v),
                }]
            }
            Self::Sphere { frame, radius } => [-1.0, 1.0]
                .map(|side| Pole {
                    fixed: 1,
                    value: side * FRAC_PI_2,
                    point: frame.point(0.0, 0.0, side * radius),
                })
                .to_vec(),
            Self::Torus {
                frame,
                major,
                minor,
            } if major <= minor => {
                let v = (-major / minor).acos();
                [-v, v]
                    .map(|v| Pole {
                        fixed: 1,
                        value: v,
                        point: frame.point(0.0, 0.0, minor * v.sin()),
                    })
                    .to_vec()
            }
            Self::Revolution { curve, frame } => poles_of_revolution(curve, frame),
            Self::Nurbs(surface) => poles_of_nurbs(surface),
            Self::Offset { base, distance } => base
                .poles()
                .into_iter()
                .map(|pole| {
                    let [u, v] = pole.near(0.0);
                    Pole {
                        point: pole.point + base.normal(u, v) * *distance,
                        ..pole
                    }
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Its parameters as longitude and latitude, where it goes round once between two poles.
    pub fn globe(&self) -> Option<Globe> {
        let poles = self.poles();
        let [a, b] = &poles[..] else {
            return None;
        };
        let round = 1 - a.fixed;
        let period = self.periods()[round]?;
        (a.fixed == b.fixed && self.periods()[a.fixed].is_none()).then(|| Globe {
            round,
            period,
            poles: [a.value.min(b.value), a.value.max(b.value)],
        })
    }

    /// Which parameter runs along straight lines, if one does.
    pub fn straight(&self) -> Option<usize> {
        match self {
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Extrusion { .. } => Some(1),
            Self::Revolution { curve, .. } if curve.is_straight() => Some(1),
            Self::Offset { base, .. } => base.straight(),
            _ => None,
        }
    }

    /// Whether it is flat.
    pub fn is_plane(&self) -> bool {
        matches!(self, Self::Plane(_))
    }
}

/// A point in which a line of constant parameter has shrunk.
#[derive(Clone, Debug, PartialEq)]
pub struct Pole {
    /// The parameter that is constant along the line.
    pub fixed: usize,
    /// Its value.
    pub value: f64,
    /// The point.
    pub point: Vec3,
}

impl Pole {
    /// Its parameters beside a place whose other parameter is `other`.
    pub fn near(&self, other: f64) -> [f64; 2] {
        if self.fixed == 0 {
            [self.value, other]
        } else {
            [other, self.value]
        }
    }
}

/// A surface of revolution with its profile in radius and height.
fn turned(frame: &Frame, u: f64, [radius, height]: [f64; 2], [dr, dh]: [f64; 2]) -> Jet {
    let (sin, cos) = u.sin_cos();
    let out = frame.x * cos + frame.y * sin;
    let round = frame.y * cos - frame.x * sin;
    (
        frame.origin + out * radius + frame.z * height,
        round * radius,
        out * dr + frame.z * dh,
    )
}

fn poles_of_revolution(curve: &Curve, frame: &Frame) -> Vec<Pole> {
    let mut poles: Vec<Pole> = Vec::new();
    let mut note = |t: f64, size: f64| {
        let point = curve.point(t);
        let q = frame.local(&point);
        let is_new = poles.iter().all(|p| (p.point - point).norm() > 1e-9 * size);
        if q.x.hypot(q.y) <= 1e-7 * size && is_new {
            poles.push(Pole {
                fixed: 1,
                value: t,
                point,
            });
        }
    };
    match curve {
        Curve::Line { origin, direction } => {
            let (a, d) = (frame.local(origin), frame.axes().transpose() * direction);
            let flat = d.x * d.x + d.y * d.y;
            if flat > 1e-18 * d.norm_squared() {
                let t = -(a.x * d.x + a.y * d.y) / flat;
                note(t, (direction * t).norm().max(a.norm()));
            }
        }
        Curve::Ellipse { a, .. } => {
            // Where the circle meets the axis: between samples that change side.
            let side = |t: f64| {
                let first = frame.local(&curve.point(0.1));
                let q = frame.local(&curve.point(t));
                q.x * first.x + q.y * first.y
            };
            let n = 64;
            for i in 0..n {
                let [mut low, mut high] = [i, i + 1].map(|k| TAU * f64::from(k) / f64::from(n));
                if side(low) * side(high) <= 0.0 {
                    for _ in 0..60 {
                        let middle = 0.5 * (low + high);
                        if side(low) * side(middle) <= 0.0 {
                            high = middle;
                        } else {
                            low = middle;
                        }
                    }
                    note(0.5 * (low + high), *a);
                }
            }
        }
        Curve::Nurbs(_) | Curve::Polyline(_) => {
            if let Some([start, end]) = curve.range() {
                let size = (curve.point(end) - curve.point(start)).norm();
                let middle = (curve.point(0.5 * (start + end)) - curve.point(start)).norm();
                for t in [start, end] {
                    note(t, size.max(middle));
                }
            }
        }
        _ => {}
    }
    poles
}

/// Sides of the surface that have no length while the surface has.
fn poles_of_nurbs(surface: &NurbsSurface) -> Vec<Pole> {
    let [[u0, u1], [v0, v1]] = surface.knots().map(|k| [k.start(), k.end()]);
    let length = |fixed: usize, value: f64| {
        let place = |i: i32| {
            let s = f64::from(i) / 16.0;
            if fixed == 0 {
                surface.at(value, v0 + (v1 - v0) * s).0
            } else {
                surface.at(u0 + (u1 - u0) * s, value).0
            }
        };
        (0..16)
            .map(|i| (place(i + 1) - place(i)).norm())
            .sum::<f64>()
    };
    let extent = surface.extent();
    let mut poles = Vec::new();
    for (fixed, ends) in [[u0, u1], [v0, v1]].into_iter().enumerate() {
        let lengths = ends.map(|value| length(fixed, value));
        let middle = length(fixed, 0.5 * (ends[0] + ends[1]));
        for k in 0..2 {
            // A side that is short beside short lines is that of a thin strip, no pole; a sphere has two poles.
            if lengths[k] <= 1e-6 * extent && lengths[1 - k].max(middle) > 1e-3 * extent {
                let point = if fixed == 0 {
                    surface.at(ends[k], 0.5 * (v0 + v1)).0
                } else {
                    surface.at(0.5 * (u0 + u1), ends[k]).0
                };
                poles.push(Pole {
                    fixed,
                    value: ends[k],
                    point,
                });
            }
        }
    }
    poles
}

#[cfg(test)]
mod tests {
    use super::super::nurbs::{Knots, NurbsCurve};
    use super::*;

    pub fn examples() -> Vec<Surface> {
        let frame = Frame::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 1.0, 0.2), None).unwrap();
        let knots = Knots::new(2, vec![0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0], 4).unwrap();
        let profile: Vec<Vec3> = [[3.0, 0.0], [4.0, 1.0], [2.5, 2.0], [3.0, 4.0]]
            .map(|[r, h]| frame.point(r, 0.0, h))
            .to_vec();
        let curve = Curve::Nurbs(NurbsCurve::new(knots, &profile, None).unwrap());
        let knots = || Knots::new(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0], 3).unwrap();
        let net: Vec<Vec3> = (0..9)
            .map(|i| Vec3::new(f64::from(i / 3), f64::from(i % 3), f64::from(i * i % 4)))
            .collect();
        vec![
            Surface::Plane(frame),
            Surface::Cylinder { frame, radius: 2.0 },
            Surface::Cone {
                frame,
                radius: 2.0,
                slope: 0.4,
            },
            Surface::Sphere { frame, radius: 2.0 },
            Surface::Torus {
                frame,
                major: 3.0,
                minor: 1.0,
            },
            Surface::Extrusion {
                curve: curve.clone(),
                vector: frame.y * 3.0 + frame.x,
            },
            Surface::Revolution { curve, frame },
            Surface::Nurbs(NurbsSurface::new(knots(), knots(), &net, None).unwrap()),
            Surface::Offset {
                base: Box::new(Surface::Cylinder { frame, radius: 2.0 }),
                distance: 0.5,
            },
        ]
    }

    #[test]
    fn derivatives_are_differences() {
        for surface in examples() {
            let (u, v, h) = (0.3, 0.6, 1e-6);
            let (_, du, dv) = surface.at(u, v);
            let by_u = (surface.point(u + h, v) - surface.point(u - h, v)) / (2.0 * h);
            let by_v = (surface.point(u, v + h) - surface.point(u, v - h)) / (2.0 * h);
            assert!(
                (by_u - du).norm() < 1e-5 * by_u.norm() && by_u.norm() > 0.1,
                "{surface:?}"
            );
            assert!(
                (by_v - dv).norm() < 1e-5 * by_v.norm() && by_v.norm() > 0.1,
                "{surface:?}"
            );
        }
    }

    #[test]
    fn parameters_come_back() {
        for surface in examples() {
            let inverter = super::super::invert::Inverter::new(&surface, 1e-3);
            for (u, v) in [(0.3, 0.6), (0.9, 0.1), (0.01, 0.99)] {
                let [a, b] = inverter.parameters(&surface.point(u, v), None);
                assert!(
                    (a - u).abs() < 1e-6 && (b - v).abs() < 1e-6,
                    "{surface:?}: {a} {b} for {u} {v}"
                );
            }
        }
    }
}
