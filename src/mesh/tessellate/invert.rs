//! From a point of a surface back to its parameters.

use std::cell::OnceCell;

use super::curve::{Curve, Frame, Samples, polish};
use super::nurbs::NurbsSurface;
use super::surface::Surface;
use crate::geom::Vec3;

/// Finds the parameters of many points of one surface.
pub struct Inverter<'a> {
    surface: &'a Surface,
    kind: Kind<'a>,
    tolerance: f64,
}

enum Kind<'a> {
    Plain,
    /// The curve of an extrusion seen along its vector.
    Extrusion {
        curve: &'a Curve,
        along: Vec3,
        samples: Option<Samples>,
    },
    /// The curve of a revolution in the half plane from the axis.
    Revolution {
        curve: &'a Curve,
        frame: &'a Frame,
        samples: Option<Samples>,
        /// Direction of the half plane; none where the curve does not lie in one.
        out: Option<Vec3>,
    },
    Nurbs {
        surface: &'a NurbsSurface,
        net: OnceCell<Vec<([f64; 2], Vec3)>>,
    },
    Offset {
        base: Box<Inverter<'a>>,
        distance: f64,
    },
}

impl<'a> Inverter<'a> {
    /// For points that are within about `tolerance` of the surface.
    pub fn new(surface: &'a Surface, tolerance: f64) -> Self {
        let kind = match surface {
            Surface::Extrusion { curve, vector } => {
                let along = vector.try_normalize(0.0).unwrap_or_else(Vec3::z);
                let samples = curve
                    .range()
                    .map(|_| ())
                    .or(matches!(curve, Curve::Ellipse { .. }).then_some(()))
                    .map(|()| Samples::new(curve, |p| flat(p, &along)));
                Kind::Extrusion {
                    curve,
                    along,
                    samples,
                }
            }
            Surface::Revolution { curve, frame } => {
                let out = half_plane(curve, frame);
                let samples = match (curve.range(), out) {
                    (None, Some(_)) => None,
                    (None, None) if curve.period().is_none() => None,
                    _ => Some(Samples::new(curve, |p| profile(p, frame))),
                };
                Kind::Revolution {
                    curve,
                    frame,
                    samples,
                    out,
                }
            }
            Surface::Nurbs(surface) => Kind::Nurbs {
                surface,
                net: OnceCell::new(),
            },
            Surface::Offset { base, distance } => Kind::Offset {
                base: Box::new(Inverter::new(base, tolerance)),
                distance: *distance,
            },
            _ => Kind::Plain,
        };
        Self {
            surface,
            kind,
            tolerance,
        }
    }

    /// The parameters of `p`; `near` are those of a point beside it.
    pub fn parameters(&self, p: &Vec3, near: Option<[f64; 2]>) -> [f64; 2] {
        match &self.kind {
            Kind::Plain => self.plain(p),
            Kind::Extrusion {
                curve,
                along,
                samples,
            } => {
                let seen = flat(p, along);
                let at = |t: f64| {
                    let (q, d) = curve.at(t);
                    (flat(&q, along), flat(&d, along))
                };
                let u = if let Some(samples) = samples {
                    samples.nearest(&seen, at, curve.period())
                } else {
                    let start = curve.nearest(p);
                    let reach = 1.0 + start.abs();
                    polish(at, &seen, start, [start - reach, start + reach])
                };
                let (q, _, vector) = self.surface.at(u, 0.0);
                [u, (p - q).dot(&vector) / vector.norm_squared()]
            }
            Kind::Revolution {
                curve,
                frame,
                samples,
                out,
            } => {
                let q = frame.local(p);
                let v = match (samples, out) {
                    (Some(samples), _) => samples.nearest(
                        &profile(p, frame),
                        |t| profile_slope(curve, frame, t),
                        curve.period(),
                    ),
                    (None, Some(out)) => {
                        let turned = frame.origin + out * q.x.hypot(q.y) + frame.z * q.z;
                        curve.nearest(&turned)
                    }
                    (None, None) => curve.nearest(p),
                };
                let start = frame.local(&curve.point(v));
                // A curve may start on the axis: there the half plane says where it points.
                let start_angle = match out {
                    Some(out) if start.x.hypot(start.y) < 1e-6 * start.norm().max(1e-9) => {
                        frame.y.dot(out).atan2(frame.x.dot(out))
                    }
                    _ => start.y.atan2(start.x),
                };
                [q.y.atan2(q.x) - start_angle, v]
            }
            Kind::Nurbs { surface, net } => self.on_nurbs(surface, net, p, near),
            Kind::Offset { base, distance } => {
                let mut uv = base.parameters(p, near);
                for _ in 0..4 {
                    let normal = base.surface.normal(uv[0], uv[1]);
                    uv = base.parameters(&(p - normal * *distance), Some(uv));
                }
                uv
            }
        }
    }

    fn plain(&self, p: &Vec3) -> [f64; 2] {
        match self.surface {
            Surface::Cylinder { frame, .. } => {
                let q = frame.local(p);
                [q.y.atan2(q.x), q.z]
            }
            Surface::Cone {
                frame,
                radius,
                slope,
            } => {
                let q = frame.local(p);
                // Beyond its tip the cone is on the other side of its axis.
                let side = if radius + slope * q.z < 0.0 {
                    -1.0
                } else {
                    1.0
                };
                [(side * q.y).atan2(side * q.x), q.z]
            }
            Surface::Sphere { frame, .. } => {
                let q = frame.local(p);
                [q.y.atan2(q.x), q.z.atan2(q.x.hypot(q.y))]
            }
            Surface::Torus {
                frame,
                major,
                minor,
            } => {
                let q = frame.local(p);
                let radius = q.x.hypot(q.y);
                let off = |r: f64| (q.z.hypot(r - major) - minor).abs();
                // The inner skin of a torus that passes through its axis is seen across the axis.
                let side = if *major < *minor && off(-radius) < off(radius) {
                    -1.0
                } else {
                    1.0
                };
                [
                    (side * q.y).atan2(side * q.x),
                    q.z.atan2(side * radius - major),
                ]
            }
            Surface::Plane(frame) => {
                let q = frame.local(p);
                [q.x, q.y]
            }
            _ => [0.0, 0.0],
        }
    }

    fn on_nurbs(
        &self,
        surface: &NurbsSurface,
        net: &OnceCell<Vec<([f64; 2], Vec3)>>,
        p: &Vec3,
        near: Option<[f64; 2]>,
    ) -> [f64; 2] {
        let good = self.tolerance * self.tolerance;
        let mut best = near.map(|start| newton(surface, p, start));
        if let Some((distance, uv)) = best
            && distance <= good
        {
            return uv;
        }
        let net = net.get_or_init(|| net_of(surface));
        let mut order: Vec<(f64, usize)> = net
            .iter()
            .enumerate()
            .map(|(i, (_, q))| ((p - q).norm_squared(), i))
            .collect();
        let n = order.len().min(6);
        if n < order.len() {
            order.select_nth_unstable_by(n - 1, |a, b| a.0.total_cmp(&b.0));
        }
        order[..n].sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, i) in &order[..n] {
            let found = newton(surface, p, net[*i].0);
            if best.is_none_or(|b| found.0 < b.0) {
                best = Some(found);
            }
            if best.is_some_and(|b| b.0 <= 1e-4 * good) {
                break;
            }
        }
        best.map_or([0.0, 0.0], |b| b.1)
    }
}

/// The part of a vector square to `along`.
fn flat(p: &Vec3, along: &Vec3) -> Vec3 {
    p - along * along.dot(p)
}

/// Radius and height.
fn profile(p: &Vec3, frame: &Frame) -> Vec3 {
    let q = frame.local(p);
    Vec3::new(q.x.hypot(q.y), 0.0, q.z)
}

fn profile_slope(curve: &Curve, frame: &Frame, t: f64) -> (Vec3, Vec3) {
    let (p, d) = curve.at(t);
    let (q, d) = (frame.local(&p), frame.axes().transpose() * d);
    let radius = q.x.hypot(q.y);
    let grows = if radius > 0.0 {
        (q.x * d.x + q.y * d.y) / radius
    } else {
        d.x.hypot(d.y)
    };
    (Vec3::new(radius, 0.0, q.z), Vec3::new(grows, 0.0, d.z))
}

/// The direction from the axis to a curve that lies in one half plane with it.
fn half_plane(curve: &Curve, frame: &Frame) -> Option<Vec3> {
    let [from, to] = curve.range().unwrap_or(match curve.period() {
        Some(period) => [0.0, period],
        None => [-1.0, 1.0],
    });
    let places: Vec<Vec3> = (0..=8)
        .map(|i| frame.local(&curve.point(from + (to - from) * f64::from(i) / 8.0)))
        .collect();
    let radius = |q: &Vec3| q.x.hypot(q.y);
    let far = places
        .iter()
        .max_by(|a, b| radius(a).total_cmp(&radius(b)))?;
    let out = Vec3::new(far.x, far.y, 0.0).try_normalize(1e-12 * far.norm())?;
    let off = |q: &Vec3| (q.x * out.y - q.y * out.x).abs();
    let lies_in_it = places.iter().all(|q| off(q) <= 1e-6 * radius(far));
    lies_in_it.then(|| frame.x * out.x + frame.y * out.y)
}

/// Points over the whole surface to begin the search at.
fn net_of(surface: &NurbsSurface) -> Vec<([f64; 2], Vec3)> {
    let places = surface.knots().map(|knots| {
        let breaks = knots.breaks();
        let per_span = (32 / (breaks.len() - 1)).clamp(2, 16);
        let stride = (breaks.len() / 64).max(1);
        let mut places: Vec<f64> = breaks
            .windows(2)
            .step_by(stride)
            .flat_map(|pair| {
                let (a, b) = (pair[0], pair[1]);
                (0..per_span).map(move |i| a + (b - a) * i as f64 / per_span as f64)
            })
            .collect();
        places.push(knots.end());
        places
    });
    let mut net = Vec::with_capacity(places[0].len() * places[1].len());
    for &u in &places[0] {
        for &v in &places[1] {
            net.push(([u, v], surface.at(u, v).0));
        }
    }
    net
}

/// Steps of Gauss and Newton from `start`: the square of the distance and the parameters.
fn newton(surface: &NurbsSurface, p: &Vec3, start: [f64; 2]) -> (f64, [f64; 2]) {
    let knots = surface.knots();
    let keep = |t: f64, k: usize| match knots[k].period() {
        Some(_) => t,
        None => t.clamp(knots[k].start(), knots[k].end()),
    };
    let mut uv = [keep(start[0], 0), keep(start[1], 1)];
    let mut best = (f64::INFINITY, uv);
    for _ in 0..16 {
        let (q, du, dv) = surface.at(uv[0], uv[1]);
        let off = p - q;
        let distance = off.norm_squared();
        let gain = best.0 - distance;
        if distance < best.0 {
            best = (distance, uv);
        }
        let (a, b, c) = (du.norm_squared(), du.dot(&dv), dv.norm_squared());
        let (e, f) = (off.dot(&du), off.dot(&dv));
        let det = a * c - b * b;
        let step = if det > 1e-12 * a * c {
            [(e * c - f * b) / det, (f * a - e * b) / det]
        } else if a >= c {
            [e / a, 0.0]
        } else {
            [0.0, f / c]
        };
        let next = [keep(uv[0] + step[0], 0), keep(uv[1] + step[1], 1)];
        let moved = [0, 1].map(|k| (next[k] - uv[k]).abs() / (knots[k].end() - knots[k].start()));
        if !(moved[0] + moved[1]).is_finite() || moved[0] + moved[1] < 1e-13 {
            break;
        }
        if gain.is_finite() && gain < 0.0 && moved[0] + moved[1] < 1e-6 {
            break;
        }
        uv = next;
    }
    best
}
