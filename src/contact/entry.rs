//! How deep a point is inside a body, and how far it may go before it is deeper than it should be.

use super::Obstacle;
use crate::geom::Vec3;

/// Halvings of the last step, after which the place is known to a part in a million.
const HALVINGS: usize = 20;
/// Steps of a way, at most; what is left then is left for the next one.
const STEPS: usize = 400;

/// A place where a point is as deep inside a body as it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WayIn {
    /// The part of its way after which it is there.
    pub fraction: f64,
    /// The way out, a unit vector; zero where there is none.
    pub out: Vec3,
}

impl Obstacle {
    /// How deep a point is inside a closed body, mm; 0 outside, and in an open one.
    pub fn depth(&self, p: &Vec3) -> f64 {
        if !self.contains(p) {
            return 0.0;
        }
        let nearest = self.nearest(p, p, f64::INFINITY);
        nearest.map_or(0.0, |place| place.distance)
    }

    /// Where a point that goes `way` comes deeper inside than `allowed` (or than it is already), if it does.
    ///
    /// It goes in steps of what is left to go at least, and never less than `step`.
    pub fn way_in(&self, from: &Vec3, way: &Vec3, allowed: f64, step: f64) -> Option<WayIn> {
        let length = way.norm();
        if length == 0.0 || !self.is_closed() {
            return None;
        }
        let allowed = allowed.max(self.depth(from));
        let at = |t: f64| from + way * t;
        // What is left until it is too deep: depth changes by no more than the way.
        let left = |t: f64| {
            let (p, ahead) = (at(t), (1.0 - t) * length);
            if self.contains(&p) {
                allowed - self.depth(&p)
            } else {
                let near = self.nearest(&p, &p, ahead);
                allowed + near.map_or(ahead, |place| place.distance)
            }
        };
        let (mut good, mut room) = (0.0, left(0.0));
        for _ in 0..STEPS {
            if good >= 1.0 {
                return None;
            }
            let next = (good + room.max(step) / length).min(1.0);
            room = left(next);
            if room >= 0.0 {
                good = next;
                continue;
            }
            let mut bad = next;
            for _ in 0..HALVINGS {
                let middle = 0.5 * (good + bad);
                if left(middle) >= 0.0 {
                    good = middle;
                } else {
                    bad = middle;
                }
            }
            let out = self.way_to_surface(&at(bad));
            return Some(WayIn {
                fraction: good,
                out,
            });
        }
        let out = Vec3::zeros();
        let fraction = good;
        Some(WayIn { fraction, out })
    }

    /// The unit vector from a point inside to the nearest place of the surface; zero on the surface itself.
    fn way_to_surface(&self, p: &Vec3) -> Vec3 {
        let nearest = self.nearest(p, p, f64::INFINITY);
        let way = nearest.map_or(Vec3::zeros(), |place| place.on_triangle - p);
        way.try_normalize(0.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Aabb;
    use crate::mesh::primitives;

    #[test]
    fn a_point_stops_where_it_is_as_deep_as_it_may_be() {
        let (min, max) = (Vec3::zeros(), Vec3::new(100.0, 100.0, 20.0));
        let body = Obstacle::new(&primitives::cuboid(&Aabb { min, max }));
        let above = Vec3::new(50.0, 50.0, 30.0);
        assert_eq!(body.depth(&above), 0.0);
        assert!((body.depth(&Vec3::new(50.0, 50.0, 17.0)) - 3.0).abs() < 1e-12);
        let down = Vec3::z() * -100.0;
        let stop = body.way_in(&above, &down, 2.0, 0.1).expect("it stops");
        assert!((stop.fraction - 0.12).abs() < 1e-6, "{stop:?}");
        assert!((stop.out - Vec3::z()).norm() < 1e-6, "{stop:?}");
        // Half as thick as it may be deep: it comes out on the other side.
        assert_eq!(body.way_in(&above, &down, 10.5, 0.1), None);
        assert_eq!(body.way_in(&above, &Vec3::x(), 0.0, 0.1), None);
        // What is deeper already may stay and leave, and goes no deeper.
        let deep = Vec3::new(50.0, 50.0, 15.0);
        assert_eq!(body.way_in(&deep, &Vec3::z(), 2.0, 0.1), None);
        let deeper = body.way_in(&deep, &-Vec3::z(), 2.0, 0.1).expect("it stops");
        assert!(deeper.fraction < 1e-4, "{deeper:?}");
    }
}
